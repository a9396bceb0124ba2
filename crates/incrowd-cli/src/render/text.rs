//! Results as text.

use super::choices;
use super::page::Page;
use incrowd_job::{
    CertificateVerified, ColumnReport, Combination, Error, Explanation, Exposed, FileWritten,
    Initialized, Inspection, LevelsReport, LooksLike, Mismatch, Origin, Outcome, PrivacyReached,
    SafeAmong, SafeRecodings, Sample, Separating, SeparatingStep, StringsMet, Study, Unchecked,
    Verification, few_digits, labelled,
};

/// An error: what happened, where, what to do next.
pub(crate) fn error(error: &Error) -> String {
    let mut page = Page::default();
    page.line(format!("error: {error}"));
    if let Some(place) = error.place() {
        page.line(format!("  at:   {place}"));
    }
    page.line(format!("  hint: {}", error.hint()));
    page.0
}

/// A line by itself, for dialogues.
pub(crate) fn line(text: impl AsRef<str>) -> String {
    let mut page = Page::default();
    page.line(text);
    page.0
}

/// The result could not be printed.
pub(crate) fn not_printed(error: &std::io::Error) -> String {
    format!(
        "error: cannot write to standard output\n  at:   the operating system says: {error}\n  \
         hint: check where it is redirected to, and whether the disk is full\n"
    )
}

/// The report of `anonymize` with the steps that led to the release.
pub(crate) fn outcome_with_steps(outcome: &Outcome) -> String {
    let mut page = Page::default();
    if !outcome.steps.is_empty() {
        choices::steps(&mut page, &outcome.steps);
    }
    page.0 + &self::outcome(outcome)
}

/// The short report of `anonymize`.
pub(crate) fn outcome(outcome: &Outcome) -> String {
    let mut page = Page::default();
    if let Some(sample) = &outcome.sample {
        self::sample(&mut page, sample);
    }
    let share = match outcome.rows_in {
        0 => 0.0,
        rows => outcome.rows_suppressed as f64 / rows as f64 * 100.0,
    };
    page.entry(
        "rows",
        format!(
            "{} in, {} out, {} suppressed ({share:.2} %)",
            outcome.rows_in, outcome.rows_out, outcome.rows_suppressed
        ),
    );
    if outcome.rows_starred > outcome.rows_blank {
        let rows = outcome.rows_starred - outcome.rows_blank;
        page.entry("", format!("{rows} suppressed rows published as `*`"));
    }
    if outcome.rows_blank > 0 {
        let rows = outcome.rows_blank;
        page.entry(
            "",
            format!("{rows} blank (not suppressed, but `*` in every column)"),
        );
    }
    if outcome.rows_excluded > 0 {
        let rows = outcome.rows_excluded;
        page.entry("", format!("{rows} excluded because of missing cells"));
    }
    for promise in &outcome.privacy {
        page.entry("privacy", self::promise(promise));
    }
    page.entry(
        "classes",
        format!(
            "{}, smallest {}, average {:.1}",
            outcome.classes, outcome.smallest_class, outcome.average_class
        ),
    );
    page.entry("", outcome.exposed.classes_in_words());
    exposed(&mut page, &outcome.exposed);
    for (label, note) in outcome.notes.iter().map(|note| labelled(note)) {
        page.entry(label, note);
    }
    if let Some(levels) = &outcome.levels {
        let names = outcome.level_names.as_ref();
        for (at, (column, level)) in levels.iter().enumerate() {
            let label = if at == 0 { "levels" } else { "" };
            let name = names.and_then(|names| names.get(column));
            let name = name.map(|name| format!(" ({name})")).unwrap_or_default();
            let origin = outcome.hierarchies.get(column);
            let automatic = origin
                .filter(|origin| origin.kind == Origin::Automatic)
                .map(|origin| format!("  automatic: {}", origin.from))
                .unwrap_or_default();
            page.entry(label, format!("{column} {level}{name}{automatic}"));
        }
    }
    for (at, (column, blocks)) in outcome.blocks.iter().flatten().enumerate() {
        let label = if at == 0 { "groups" } else { "" };
        let values: usize = blocks.iter().map(Vec::len).sum();
        let groups = match blocks.len() {
            1 => "1 group".to_owned(),
            groups => format!("{groups} groups"),
        };
        page.entry(label, format!("{column}: {values} values in {groups}"));
    }
    if let Some((metric, loss)) = outcome.metrics.first() {
        let guarantee = outcome.guarantee.in_words(outcome.gap);
        let name = match metric.as_str() {
            "loss" => String::new(),
            metric => format!("{metric} "),
        };
        page.entry("loss", format!("{name}{} ({guarantee})", few_digits(*loss)));
    }
    if let Some(value) = &outcome.research_value {
        page.entry("value", value.in_words());
        for rule in value.rules_in_words() {
            page.entry("rule", rule);
        }
        let was_searched =
            (outcome.metrics.first()).is_some_and(|(name, _)| name == "research-value");
        if was_searched && value.breaks_a_rule() {
            page.entry(
                "",
                "to let rules count more than detail: `--granularity-exponent 0.1`, `--max-suppressed 1%`",
            );
        }
    }
    if let Some(found) = &outcome.found {
        safe_recodings(&mut page, found);
    }
    if let Some(met) = &outcome.met {
        strings_met(&mut page, met);
    }
    if let Some(reasons) = &outcome.advised {
        let text = format!("{} (auto): {}", outcome.algorithm, reasons.join("; "));
        page.entry("algorithm", text);
    }
    page.entry(
        "search",
        match outcome.levels {
            Some(_) => format!(
                "{}, {} of {} nodes checked",
                outcome.algorithm, outcome.lattice.checked, outcome.lattice.nodes.0
            ),
            None => match &outcome.partition {
                Some(partition) => {
                    let nodes = match partition.nodes_visited {
                        1 => "1 node".to_owned(),
                        nodes => format!("{nodes} nodes"),
                    };
                    let choices = match partition.choices.number() {
                        Some(1.0) => "1 choice".to_owned(),
                        _ => format!("{} choices", partition.choices),
                    };
                    format!(
                        "{}, {nodes} of {choices} visited; {}",
                        outcome.algorithm, partition.search_reason
                    )
                }
                None => match outcome.replacements_weighed {
                    Some(weighed) => format!(
                        "{}, {weighed} value replacements evaluated",
                        outcome.algorithm
                    ),
                    None => outcome.algorithm.clone(),
                },
            },
        },
    );
    let seconds = outcome.seconds;
    let memory = outcome
        .peak_memory_bytes
        .map(|bytes| format!(", peak memory {} MiB", bytes.div_ceil(1 << 20)))
        .unwrap_or_default();
    page.entry(
        "seconds",
        format!(
            "{:.3} read, {:.3} solve, {:.3} write{memory}",
            seconds.read, seconds.solve, seconds.write
        ),
    );
    match &outcome.output {
        Some(file) => page.entry("release", written(file)),
        None => page.entry("release", "not written; add `-o FILE` to write it"),
    }
    if let Some(file) = &outcome.certificate {
        page.entry("certificate", written(file));
    }
    if let Some(file) = &outcome.report {
        page.entry("report", written(file));
    }
    page.0
}

/// The first of the minimal safe recodings, with their losses.
fn safe_recodings(page: &mut Page, found: &SafeRecodings) {
    let among = match found.safe_nodes_among {
        SafeAmong::Lattice => "safe",
        SafeAmong::LeastHeight => "safe at the lowest safe height",
    };
    let recodings = match found.safe_nodes {
        1 => "1 recoding is".to_owned(),
        safe => format!("{safe} recodings are"),
    };
    let minimal = found.minimal.len();
    page.entry(
        "found",
        format!("{recodings} {among}, {minimal} of them minimal"),
    );
    for (levels, loss) in found.minimal.iter().zip(&found.minimal_losses) {
        let levels: Vec<String> = (levels.iter())
            .map(|(column, level)| format!("{} {level}", column.escape_debug()))
            .collect();
        page.entry(
            "",
            format!("{}: loss {}", levels.join(", "), few_digits(*loss)),
        );
    }
    let shown = found.minimal_losses.len();
    if minimal > shown {
        let rest = minimal - shown;
        page.entry("", format!("and {rest} more (`--json` lists them all)"));
    }
}

/// The best safe combinations of levels that an optimizer of research value met.
fn strings_met(page: &mut Page, met: &StringsMet) {
    for (at, string) in met.strings.iter().enumerate() {
        let label = if at == 0 { "safe levels" } else { "" };
        let levels: Vec<String> = string.levels.iter().map(u8::to_string).collect();
        let value = match string.value {
            Some(value) => format!(": value {}", few_digits(value)),
            None => String::new(),
        };
        let tops = match string.top_levels {
            0 => String::new(),
            1 => ", 1 column at its last level".to_owned(),
            tops => format!(", {tops} columns at their last level"),
        };
        page.entry(label, format!("{}{value}{tops}", levels.join(",")));
    }
}

/// The columns published unchanged, and the warnings.
fn exposed(page: &mut Page, exposed: &Exposed) {
    for warning in &exposed.warnings {
        page.entry("WARNING", warning);
    }
    for (at, words) in exposed.unchanged_in_words().iter().enumerate() {
        page.entry(if at == 0 { "unchanged" } else { "" }, words);
    }
}

fn written(file: &FileWritten) -> String {
    file.path.display().to_string()
}

fn promise(promise: &PrivacyReached) -> String {
    let holds = if promise.holds {
        "satisfied"
    } else {
        "NOT SATISFIED"
    };
    match promise.reached {
        Some(reached) => format!("{} {holds} (reached {reached})", promise.model),
        None => format!("{} {holds}", promise.model),
    }
}

/// Of tables wider than this, only the published columns are shown.
const WIDE: usize = 10;

fn sample(page: &mut Page, sample: &Sample) {
    let is_wide = sample.columns_before.len() > WIDE;
    let is_shown = |(name, _): &(&String, &String)| !is_wide || sample.columns_after.contains(name);
    let shown = |row: &[String]| -> Vec<String> {
        let cells = sample.columns_before.iter().zip(row).filter(is_shown);
        cells.map(|(_, cell)| cell.clone()).collect()
    };
    let before: Vec<Vec<String>> = sample.before.iter().map(|row| shown(row)).collect();
    page.line("before");
    page.table(&shown(&sample.columns_before), &before);
    page.line("after");
    let after: Vec<Vec<String>> = sample
        .after
        .iter()
        .map(|row| row.clone().unwrap_or_else(|| vec!["(suppressed)".into()]))
        .collect();
    page.table(&sample.columns_after, &after);
    page.line("");
}

/// What `verify` found.
pub(crate) fn verification(found: &Verification) -> String {
    let mut page = Page::default();
    if let Some(certificate) = found.certificate.as_ref().filter(|it| !it.holds) {
        let path = certificate.path.display();
        page.line(format!("INVALID CERTIFICATE {path}"));
    }
    page.line(match (found.safe, found.asked) {
        (Some(true), _) => "safe",
        (Some(false), _) => "NOT SAFE",
        (None, true) => "NO VERDICT: the given files are not enough to check every privacy model",
        (None, false) => {
            "NO VERDICT: no privacy model given, such as `-k 5`; the models the file satisfies are listed below"
        }
    });
    let starred = match found.rows_starred {
        0 => String::new(),
        rows => format!(", plus {rows} rows that are `*` in every column"),
    };
    page.entry("rows", format!("{}{starred}", found.rows));
    page.entry(
        "classes",
        format!("{}, smallest {}", found.classes, found.smallest_class),
    );
    page.entry("", found.exposed.classes_in_words());
    exposed(&mut page, &found.exposed);
    for (label, note) in found.notes.iter().map(|note| labelled(note)) {
        page.entry(label, note);
    }
    for promise in &found.privacy {
        match (found.asked, promise.holds) {
            (true, _) => page.entry("privacy", self::promise(promise)),
            (false, true) => page.entry("privacy", format!("{} satisfied", promise.model)),
            (false, false) => page.entry(
                "privacy",
                format!("{} not satisfied for any parameter", promise.model),
            ),
        }
    }
    if !found.identifying_published.is_empty() {
        let columns = found.identifying_published.join(", ");
        page.entry(
            "violation",
            format!("identifying columns are published: {columns}"),
        );
    }
    if let Some(against) = &found.against_original {
        page.entry(
            "original",
            format!(
                "{} rows suppressed, {} invented",
                against.rows_suppressed, against.invented
            ),
        );
        for violation in &against.violations {
            page.entry("violation", violation);
        }
    }
    if let Some(certificate) = &found.certificate {
        self::certificate(&mut page, certificate);
    }
    page.0
}

/// What contradicts a certificate, and what was not checked.
fn certificate(page: &mut Page, found: &CertificateVerified) {
    let path = found.path.display();
    page.entry(
        "certificate",
        match found.holds {
            true => format!("{path} is valid; everything not listed below was checked"),
            false => format!("{path} is not valid"),
        },
    );
    for Mismatch {
        field,
        stated,
        found,
    } in &found.mismatches
    {
        page.entry(
            "mismatch",
            format!("{field}: stated {stated}, found {found}"),
        );
    }
    for Unchecked { field, why } in &found.unchecked {
        page.entry("unchecked", format!("{field}: {why}"));
    }
}

/// What `inspect` found.
pub(crate) fn inspection(found: &Inspection) -> String {
    let mut page = Page::default();
    page.line(format!(
        "{}: {} rows, {} columns",
        found.input,
        found.rows,
        found.columns.len()
    ));
    page.line("");
    let header = [
        "column",
        "type",
        "missing",
        "distinct",
        "unique rows",
        "separation",
        "role",
    ];
    let rows: Vec<Vec<String>> = found
        .columns
        .iter()
        .map(|column| {
            vec![
                column.name.clone(),
                column.kind.clone(),
                column.missing.to_string(),
                figure(column.distinct, column.is_exact),
                column
                    .unique_rows
                    .map_or("many".into(), |rows| figure(rows, column.is_exact)),
                column.separation_ratio.map_or("nearly all".into(), percent),
                format!("{}: {}", proposed(column), column.reason),
            ]
        })
        .collect();
    page.table(&header.map(String::from), &rows);
    for column in &found.columns {
        if !column.likely_missing.is_empty() {
            let tokens = column.likely_missing.join(",");
            page.line(format!(
                "`{}` contains texts that often mean \"no value\"; if they do, pass --missing-tokens '{tokens}'",
                column.name
            ));
        }
    }
    let has_estimates = found.columns.iter().any(|column| !column.is_exact)
        || found.separating.steps.iter().any(|step| !step.is_exact);
    if has_estimates {
        page.line("~ marks estimates: there are too many distinct values to count them all");
    }
    for warning in &found.warnings {
        page.line(format!("warning: {warning}"));
    }
    for note in &found.notes {
        page.line(format!("note: {note}"));
    }
    if !found.dependencies.is_empty() {
        page.line("");
        page.line("columns that determine others:");
        for dependency in &found.dependencies {
            page.line(format!("  {}", dependency.in_words()));
        }
    }
    let combinations = &found.combinations;
    if let Some(together) = &combinations.together {
        page.line("");
        page.line("combinations of columns that others may know:");
        if combinations.rows < found.rows {
            page.line(format!(
                "(counted on the first {} rows only: they already have very many distinct combinations)",
                combinations.rows
            ));
        }
        let header = ["columns", "distinct", "unique rows", "separation"];
        // Up to three columns together are among the pairs and triples.
        let more = (together.columns.len() > 3).then_some(together);
        let shown = combinations.strongest.iter().take(10).chain(more);
        let rows: Vec<Vec<String>> = shown.map(combination).collect();
        page.table(&header.map(String::from), &rows);
    }
    separating(&mut page, &found.separating);
    let with_levels = (found.columns.iter()).filter_map(|column| {
        Some((
            column.name.escape_debug().to_string(),
            column.levels.as_ref()?,
        ))
    });
    let rows: Vec<Vec<String>> = with_levels
        .map(|(name, levels)| {
            let reason = levels.reason.as_deref().unwrap_or("given");
            vec![name, levels.from.clone(), reason.to_owned()]
        })
        .collect();
    if !rows.is_empty() {
        page.line("");
        page.line("hierarchies that a release would use:");
        page.table(&["column", "rule", "reason"].map(String::from), &rows);
    }
    page.line("");
    page.line("\"unique rows\": rows with a value that no other row has; \"separation\": share of row pairs with different values");
    page.0
}

/// The role proposed for a column, or what it is if it should have none.
fn proposed(column: &ColumnReport) -> String {
    match (column.if_published, column.looks_like) {
        (Some(role), _) => format!("{role} if published"),
        (None, Some(LooksLike::SurveyWeight)) => "survey weight".to_owned(),
        (None, _) => column.role.to_string(),
    }
}

/// A number, marked if it is an estimate.
fn figure(number: u64, is_exact: bool) -> String {
    match is_exact {
        true => number.to_string(),
        false => format!("~{number}"),
    }
}

fn separating(page: &mut Page, found: &Separating) {
    if found.steps.len() < 2 {
        return;
    }
    page.line("");
    page.line("columns that tell rows apart soonest, each combined with those above it:");
    let header = ["column", "distinct", "unique rows", "separation"];
    let row = |step: &SeparatingStep| {
        vec![
            step.column.clone(),
            figure(step.distinct, step.is_exact),
            figure(step.unique_rows, step.is_exact),
            percent(step.separation_ratio),
        ]
    };
    let rows: Vec<Vec<String>> = found.steps.iter().map(row).collect();
    page.table(&header.map(String::from), &rows);
}

fn combination(combination: &Combination) -> Vec<String> {
    vec![
        combination.columns.join(" + "),
        combination.distinct.to_string(),
        combination.unique_rows.to_string(),
        percent(combination.separation_ratio),
    ]
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// What `init` wrote.
pub(crate) fn initialized(written: &Initialized) -> String {
    let mut page = Page::default();
    page.entry("job", written.job.display().to_string());
    for (at, path) in written.hierarchies.iter().enumerate() {
        let label = if at == 0 { "hierarchies" } else { "" };
        page.entry(label, path.display().to_string());
    }
    for note in &written.notes {
        page.entry("note", note);
    }
    page.entry(
        "next",
        format!("review the job file, then run: {}", written.next),
    );
    page.0
}

/// The levels of a column.
pub(crate) fn levels(report: &LevelsReport) -> String {
    let mut page = Page::default();
    page.line(format!(
        "{}: {} values, {} levels above them, from {}",
        report.column,
        report.values,
        report.levels.len() - 1,
        report.from
    ));
    if let Some(reason) = &report.reason {
        page.line(format!("reason: {reason}"));
    }
    let header = ["level", "name", "groups", "examples"];
    let rows: Vec<Vec<String>> = report
        .levels
        .iter()
        .map(|level| {
            let more = if level.groups > level.examples.len() as u64 {
                " ..."
            } else {
                ""
            };
            vec![
                level.level.to_string(),
                level.name.clone(),
                level.groups.to_string(),
                format!("{}{more}", level.examples.join(" | ")),
            ]
        })
        .collect();
    page.table(&header.map(String::from), &rows);
    if let Some(against) = &report.against_data {
        page.line("");
        match against.unlisted.is_empty() {
            true => page.line(format!(
                "all {} values in the data are listed; {} listed values are not in the data",
                against.distinct, against.unused
            )),
            false => {
                page.line(format!(
                    "{} of {} values in the data are not listed ({} rows):",
                    against.unlisted.len(),
                    against.distinct,
                    against.rows_unlisted
                ));
                for value in &against.unlisted {
                    page.line(format!("  {}", value));
                }
            }
        }
    }
    page.0
}

/// What `study` found.
pub(crate) fn study(found: &Study) -> String {
    let mut page = Page::default();
    for of_model in found.rows.chunk_by(|one, other| one.model == other.model) {
        let columns = &of_model[0].quasi_identifiers;
        page.line(format!(
            "rows suppressed by height, {}, quasi-identifiers {}",
            of_model[0].model,
            columns.join(", ")
        ));
        let header = ["parameter", "height", "nodes", "min", "average", "max"];
        let rows: Vec<Vec<String>> = of_model
            .iter()
            .map(|row| {
                vec![
                    row.parameter.to_string(),
                    row.height.to_string(),
                    row.nodes.to_string(),
                    row.min.to_string(),
                    format!("{:.2}", row.avg),
                    row.max.to_string(),
                ]
            })
            .collect();
        page.table(&header.map(String::from), &rows);
        page.line("");
    }
    if let Some(importance) = &found.importance {
        page.line("effect of each level, with all other columns raw");
        let header = [
            "column",
            "level",
            "classes",
            "average class",
            "ratio to level below",
        ];
        let rows: Vec<Vec<String>> = importance
            .iter()
            .map(|row| {
                vec![
                    row.attribute.clone(),
                    row.level.to_string(),
                    row.groups.to_string(),
                    format!("{:.2}", row.avg_group_size),
                    format!("{:.2}", row.relative_importance),
                ]
            })
            .collect();
        page.table(&header.map(String::from), &rows);
        page.line("");
    }
    if let Some(budget) = &found.budget {
        let text = format!(
            "{} rows, as drawn in the plots ({})",
            budget.rows, budget.from
        );
        page.entry("budget", text);
    }
    for (at, path) in found.plots.iter().enumerate() {
        let label = if at == 0 { "plots" } else { "" };
        page.entry(label, path.display().to_string());
    }
    page.0
}

/// What terms mean: a list, or everything one name means, in full.
pub(crate) fn explanation(explanation: &Explanation) -> String {
    let mut page = Page::default();
    let entries = &explanation.entries;
    let is_one_name = entries.iter().all(|entry| entry.name == entries[0].name);
    if is_one_name {
        for (at, entry) in entries.iter().enumerate() {
            if at > 0 {
                page.line("");
            }
            page.line(format!("{} ({})", entry.name, entry.family));
            page.line("");
            page.lines(entry.text.trim_end());
        }
        return page.0;
    }
    for of_family in entries.chunk_by(|one, other| one.family == other.family) {
        page.line(of_family[0].family.plural());
        for entry in of_family {
            page.line(format!("  {:<26}{}", entry.name, entry.summary));
        }
        page.line("");
    }
    page.line("run `incrowd explain NAME` for details");
    page.0
}
