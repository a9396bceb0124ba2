//! The dialogue, line by line.

use super::DataHolder;
use incrowd_job::{Control, Error, Job, Outcome, Show, anonymize, anonymize_with};
use std::path::Path;

fn clinic(more: &str) -> Job {
    let clinic = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/clinic");
    let mut job = Job::parse(&format!(
        r#"
        [columns]
        quasi_identifiers = ["age", "zip"]
        sensitive = ["disease"]
        identifying = ["name"]
        [search]
        algorithm = "mu-argus"
        [privacy]
        {more}
        "#
    ))
    .unwrap();
    job.data.path = Some(clinic.join("clinic.csv").to_str().unwrap().to_owned());
    job.columns.hierarchies = Some(clinic.join("hierarchies"));
    job
}

fn talk(job: &Job, lines: &str) -> (String, Result<Outcome, Error>) {
    let mut said = Vec::new();
    let mut data_holder = DataHolder::new(lines.as_bytes(), &mut said);
    let control = Control::default();
    let outcome = anonymize_with(job, Show::default(), Some(&mut data_holder), &control);
    (String::from_utf8(said).unwrap(), outcome)
}

const DIVERSE: &str = "models = [\"k-anonymity(k=3)\", \"distinct-l-diversity(l=3)\"]";

#[test]
fn choices_lead_to_the_release_that_their_script_makes() {
    let mut job = clinic(&format!("{DIVERSE}\nmax_suppressed = 3"));
    let (said, outcome) = talk(
        &job,
        "zip\nundo\nage\nsuppress\n2\n\nhelp\nnonsense\nsuppress\n",
    );
    let mut outcome = outcome.unwrap();
    assert_eq!(
        (outcome.rows_out, outcome.rows_suppressed),
        (3, 3),
        "{said}"
    );
    assert_eq!(outcome.steps.len(), 3);
    assert!(
        said.contains("6 rows, 6 violating, 3 may be suppressed"),
        "{said}"
    );
    assert!(
        said.contains("error: 6 rows violate the privacy models, but at most 3 may be"),
        "{said}"
    );
    assert!(said.contains("`suppress` suppresses 3 rows"), "{said}");
    assert!(said.contains("not a column or command"), "{said}");
    for cell in ["Alva", "45011", "4501*", "asthma", "30-39"] {
        assert!(!said.contains(cell), "{said}");
    }
    // The same choices without a dialogue; a script is not asked about.
    let script = ["age", "zip", "suppress"].map(str::to_owned);
    job.search.settings.set("script", script.to_vec());
    let (said, mut scripted) = talk(&job, "quit\n");
    assert_eq!(said, "");
    let scripted = scripted.as_mut().unwrap();
    for outcome in [&mut *scripted, &mut outcome] {
        // Times differ, and so do nodes counted only to be looked at.
        outcome.seconds = incrowd_job::Seconds {
            read: 0.0,
            solve: 0.0,
            write: 0.0,
        };
        outcome.peak_memory_bytes = None;
        outcome.lattice.checked = 0;
    }
    assert_eq!(*scripted, outcome);
}

#[test]
fn leaving_early_leaves_nothing() {
    for lines in ["quit\n", "age\n", ""] {
        let (said, outcome) = talk(&clinic("models = [\"k-anonymity(k=3)\"]"), lines);
        let error = outcome.unwrap_err();
        assert!(matches!(error, Error::DialogueEnded), "{said}: {error}");
    }
}

#[test]
fn the_budget_of_datafly_is_k_when_none_is_given() {
    // All six are unlike; with k = 6 that many may be suppressed, and at once nothing is left to do.
    let mut job = clinic("models = [\"k-anonymity(k=6)\"]");
    let suppressed = |job: &Job| anonymize(job, Show::default(), &Control::default());
    for (algorithm, budget, expected) in [
        ("datafly", None, 6),
        ("datafly", Some(0), 0),
        ("mu-argus", None, 0),
        ("optimal", None, 0),
    ] {
        job.search.algorithm = Some(algorithm.to_owned());
        job.privacy.max_suppressed = budget.map(incrowd_job::Budget::Rows);
        let outcome = suppressed(&job).unwrap();
        assert_eq!(outcome.rows_suppressed, expected, "{algorithm}, {budget:?}");
    }
}
