//! A job as a command that a shell runs.

use crate::error::Error;
use crate::report::shell::quoted;
use crate::spec::{Job, MissingCells, Others, Suppressed, Unlisted};
use std::path::Path;

/// Where the release goes if the job does not say.
const OUTPUT: &str = "safe.csv";

/// The command that runs a job with an algorithm. What its job file says is left to the file.
pub(super) fn command(job: &Job, algorithm: &str) -> Result<String, Error> {
    let mut words = vec!["incrowd".to_owned(), "anonymize".to_owned()];
    let in_file = match &job.file {
        Some(file) => {
            words.extend(["--job".to_owned(), path(file)]);
            parts(&Job::load(file)?)
        }
        None => Vec::new(),
    };
    let of_job = parts(job).into_iter();
    words.extend(of_job.filter(|part| !in_file.contains(part)).flatten());
    words.extend(["--algorithm".to_owned(), algorithm.to_owned()]);
    if job.output.path.is_none() {
        words.extend(["-o".to_owned(), OUTPUT.to_owned()]);
    }
    let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    Ok(quoted.join(" "))
}

fn path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A flag with its value; the table has no flag.
type Part = Vec<String>;

/// What a job says, flag by flag. The algorithm is not among it.
fn parts(job: &Job) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    // A value that begins with a dash is taken for a flag unless it is joined to its own, which then must be a long one.
    let mut flag = |name: &str, value: Option<String>| {
        let long = match name {
            "-q" => "--quasi-identifiers",
            "-s" => "--sensitive",
            name => name,
        };
        parts.extend(value.map(|value| match value.starts_with('-') {
            true => vec![format!("{long}={value}")],
            false => vec![name.to_owned(), value],
        }));
    };
    let list = |names: &Option<Vec<String>>| {
        let names = names.as_ref().filter(|names| !names.is_empty());
        names.map(|names| names.join(","))
    };
    let columns = &job.columns;
    flag("-q", list(&columns.quasi_identifiers));
    flag("-s", list(&columns.sensitive));
    flag("--identifying", list(&columns.identifying));
    flag("--target", list(&columns.target));
    flag("--keep", list(&columns.keep));
    let others = columns.others.map(|others| match others {
        Others::Keep => "keep",
        Others::Drop => "drop",
    });
    flag("--others", others.map(str::to_owned));
    flag("--hierarchies", columns.hierarchies.as_deref().map(path));
    for (column, source) in &job.hierarchies {
        flag("--hierarchy", Some(format!("{column}={source}")));
    }
    let unlisted = columns.unlisted.map(|unlisted| match unlisted {
        Unlisted::Refuse => "refuse",
        Unlisted::Suppress => "suppress",
    });
    flag("--unlisted", unlisted.map(str::to_owned));
    for model in job.privacy.models.iter().flatten() {
        let k = model
            .strip_prefix("k-anonymity(k=")
            .and_then(|rest| rest.strip_suffix(')'));
        match k.filter(|k| k.bytes().all(|byte| byte.is_ascii_digit())) {
            Some(k) => flag("-k", Some(k.to_owned())),
            None => flag("--privacy", Some(model.clone())),
        }
    }
    flag(
        "--max-suppressed",
        job.privacy.max_suppressed.map(|it| it.to_string()),
    );
    let levels = job.privacy.max_levels.as_ref().map(|levels| {
        let levels: Vec<String> = levels.iter().map(u8::to_string).collect();
        levels.join(",")
    });
    flag("--max-levels", levels);
    let population = job.privacy.population.as_deref();
    flag("--population", population.map(incrowd_sql::without_secrets));
    for (column, rules) in &job.rules {
        for rule in &rules.0 {
            flag("--rule", Some(format!("{column}: {rule}")));
        }
    }
    for (column, weight) in &job.weights {
        flag("--weight", Some(format!("{column}={weight}")));
    }
    for (column, values) in &job.level_values {
        let values: Vec<String> = values.iter().map(f64::to_string).collect();
        flag(
            "--level-values",
            Some(format!("{column}={}", values.join("/"))),
        );
    }
    let search = &job.search;
    flag("--weights", search.weights.map(|it| it.word().to_owned()));
    let number = |number: Option<f64>| number.map(|it| it.to_string());
    flag("--drop-associated", number(search.drop_associated));
    flag("--rule-base", number(search.rule_base));
    flag(
        "--granularity-exponent",
        number(search.granularity_exponent),
    );
    flag("--rule-exponent", number(search.rule_exponent));
    flag("--metric", search.metric.clone());
    flag("--seed", search.seed.map(|it| it.to_string()));
    flag("--threads", search.threads.map(|it| it.to_string()));
    flag(
        "--time-limit",
        search.time_limit.map(|it| it.to_string().replace(' ', "")),
    );
    flag("--work-limit", search.work_limit.map(|it| it.to_string()));
    flag(
        "--memory-limit",
        search.memory_limit.map(|it| it.to_string()),
    );
    let data = &job.data;
    let byte = |byte: Option<crate::Delimiter>| byte.map(|it| char::from(it.0).to_string());
    flag("--delimiter", byte(data.delimiter));
    flag("--quote", byte(data.quote));
    flag("--missing-tokens", list(&data.missing_tokens));
    let missing = data.missing_cells.map(|meaning| match meaning {
        MissingCells::OwnValue => "own-value",
        MissingCells::MatchAny => "match-any",
        MissingCells::ExcludeRow => "exclude-row",
    });
    flag("--missing-cells", missing.map(str::to_owned));
    let suppressed = job.output.suppressed.map(|suppressed| match suppressed {
        Suppressed::Drop => "drop",
        Suppressed::Star => "star",
    });
    flag("--suppressed", suppressed.map(str::to_owned));
    flag("--certificate", job.output.certificate.as_deref().map(path));
    flag(
        "-o",
        job.output.path.as_deref().map(incrowd_sql::without_secrets),
    );
    for (name, values) in search.settings.iter() {
        parts.push(vec![format!("--{name}={}", values.join(","))]);
    }
    let switches = [
        ("--trim", data.trim == Some(true)),
        ("--header", data.header == Some(true)),
        ("--no-header", data.header == Some(false)),
        ("--replace", job.output.replace == Some(true)),
        ("--shuffle", job.output.shuffle == Some(true)),
        (
            "--spreadsheet-safe",
            job.output.spreadsheet_safe == Some(true),
        ),
    ];
    let switches = switches.into_iter().filter(|(_, is_on)| *is_on);
    parts.extend(switches.map(|(name, _)| vec![name.to_owned()]));
    if let Some(path) = &data.path {
        // The table stands first.
        parts.insert(0, vec![incrowd_sql::without_secrets(path)]);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_written_as_the_flags_that_say_it() {
        let text = r#"
            [data]
            path = "my table.csv"
            missing_tokens = ["?"]
            [columns]
            quasi_identifiers = ["age", "sex"]
            sensitive = ["disease"]
            others = "drop"
            [hierarchies]
            age = "interval:5,10@17"
            [privacy]
            models = ["k-anonymity(k=3)", "t-closeness(t=0.3,column=disease)"]
            max_suppressed = "1%"
            [rules]
            age = ["64|65 = 25"]
            [search]
            metric = "ncp"
            numbers = "mean"
        "#;
        let job = Job::parse(text).unwrap();
        assert_eq!(
            command(&job, "mondrian").unwrap(),
            "incrowd anonymize 'my table.csv' -q age,sex -s disease --others drop --hierarchy age=interval:5,10@17 -k 3 \
             --privacy 't-closeness(t=0.3,column=disease)' --max-suppressed 1% --rule 'age: 64|65 = 25' --metric ncp \
             --missing-tokens '?' --numbers=mean --algorithm mondrian -o safe.csv"
        );
    }
}
