//! Algorithms side by side.

use super::page::{Page, shown};
use incrowd_job::{Comparison, ResearchValueReached, Run, RunReached};

/// The most algorithms in one table; more would not fit a terminal.
const COLUMNS: usize = 6;

/// The report of `compare`: a column for each algorithm, a row for each figure, the best of a row marked.
pub(crate) fn text(comparison: &Comparison) -> String {
    let mut page = Page::default();
    page.line(format!(
        "{} rows, {} distinct, counted in {:.2} s",
        comparison.rows_in, comparison.tuples, comparison.seconds_read
    ));
    // Tables of similar width.
    let tables = comparison.runs.len().div_ceil(COLUMNS).max(1);
    let columns = comparison.runs.len().div_ceil(tables).max(1);
    for runs in comparison.runs.chunks(columns) {
        page.line("");
        table(&mut page, comparison, runs);
    }
    page.line("");
    page.line("  < marks the lowest value in each row");
    if comparison.budget_is_assumed {
        page.line("");
        page.line(format!(
            "no `--max-suppressed` given: each algorithm may suppress {} rows, the greatest default among them, so that \
             losses can be compared",
            comparison.max_suppressed
        ));
    }
    let failed = (comparison.runs.iter()).filter_map(|run| Some((run, run.failed.as_ref()?)));
    for (run, failed) in failed {
        page.line("");
        page.line(format!(
            "{} has no result: {}",
            run.algorithm, failed.message
        ));
        page.line(format!("  hint: {}", failed.hint));
    }
    if let Some(report) = &comparison.report {
        page.line("");
        page.line(format!("report      {}", report.path.display()));
    }
    page.0
}

fn table(page: &mut Page, comparison: &Comparison, runs: &[Run]) {
    let mut header = vec![String::new()];
    header.extend(runs.iter().map(|run| run.algorithm.clone()));
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row = |label: &str, cell: &dyn Fn(&Run) -> Option<String>| {
        let cells = runs
            .iter()
            .map(|run| cell(run).unwrap_or_else(|| "-".into()));
        rows.push(std::iter::once(label.to_owned()).chain(cells).collect());
    };
    let reached =
        |of: &dyn Fn(&RunReached) -> Option<String>, run: &Run| of(run.reached.as_ref()?);
    row("guarantee", &|run| {
        reached(&|it| Some(it.guarantee.name().to_owned()), run)
    });
    row("metric minimized", &|run| Some(run.metric.clone()));
    row("recoding", &|run| {
        reached(&|it| Some(it.recoding.clone()), run)
    });
    row("levels", &|run| {
        let levels = |it: &RunReached| {
            let levels: Vec<String> = it.levels.as_ref()?.values().map(u8::to_string).collect();
            Some(levels.join(","))
        };
        reached(&levels, run)
    });
    row("max suppressed", &|run| {
        Some(run.max_suppressed.to_string())
    });
    row("rows suppressed", &|run| {
        reached(&|it| Some(it.rows_suppressed.to_string()), run)
    });
    row("classes", &|run| {
        reached(&|it| Some(it.classes.to_string()), run)
    });
    row("smallest class", &|run| {
        reached(&|it| Some(it.smallest_class.to_string()), run)
    });
    for promise in comparison.names(|run| run.privacy.iter().map(|it| it.model.as_str())) {
        row(promise, &|run| {
            let of_promise = |it: &RunReached| {
                let promise = it.privacy.iter().find(|it| it.model == promise)?;
                Some(promise.reached?.to_string())
            };
            reached(&of_promise, run)
        });
    }
    for metric in comparison.names(|run| run.metrics.keys().map(String::as_str)) {
        let loss = |run: &Run| run.reached.as_ref()?.metrics.get(metric).copied();
        let losses = comparison.runs.iter().filter_map(loss);
        let least = losses.reduce(f64::min);
        row(metric, &|run| {
            let loss = loss(run)?;
            let mark = if Some(loss) == least { " <" } else { "  " };
            Some(format!("{}{mark}", figure(loss)))
        });
    }
    let values = |run: &Run| run.reached.as_ref()?.research_value.clone();
    let first = comparison.runs.iter().find_map(values);
    for (attribute, rule) in first.iter().flat_map(ResearchValueReached::places_of_rules) {
        let all = |value: &ResearchValueReached| {
            let attribute = value.attributes.get(attribute)?;
            let rule = attribute.rules.get(rule)?;
            Some((format!("{} {}", attribute.name, rule.rule), rule.kept))
        };
        let name = first.as_ref().and_then(all);
        let name = name.map(|(name, _)| name).unwrap_or_default();
        row(&name, &|run| {
            let (_, kept) = all(run.reached.as_ref()?.research_value.as_ref()?)?;
            Some(if kept { "kept" } else { "BROKEN" }.to_owned())
        });
    }
    row("nodes checked", &|run| {
        reached(&|it| Some(it.checked.to_string()), run)
    });
    row("seconds", &|run| Some(format!("{:.3}", run.seconds)));
    row("peak MiB", &|run| {
        let bytes = run.peak_memory_bytes?;
        Some(format!("{:.1}", bytes as f64 / f64::from(1 << 20)))
    });
    right_aligned(page, &header, &rows);
}

/// A loss in a table: as many decimals as its neighbors have, so that they can be compared.
fn figure(loss: f64) -> String {
    match loss.abs() {
        size if size < 1e9 && loss.fract() == 0.0 => format!("{loss}"),
        size if size >= 1e9 => format!("{loss:.3e}"),
        size if size >= 1000.0 => format!("{loss:.0}"),
        size if size >= 10.0 => format!("{loss:.2}"),
        _ => format!("{loss:.4}"),
    }
}

/// Labels left-aligned, everything else right-aligned.
fn right_aligned(page: &mut Page, header: &[String], rows: &[Vec<String>]) {
    let all: Vec<Vec<String>> = std::iter::once(header)
        .chain(rows.iter().map(Vec::as_slice))
        .map(|row| row.iter().map(shown).collect())
        .collect();
    let all = || all.iter();
    let width = |column: usize| {
        let cells = all().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    for row in all() {
        let cells = row.iter().zip(&widths).skip(1);
        let cells: String = cells
            .map(|(cell, width)| format!("  {cell:>width$}"))
            .collect();
        page.line(format!("  {:<width$}{cells}", row[0], width = widths[0]));
    }
}
