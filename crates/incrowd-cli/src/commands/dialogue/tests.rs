//! The dialogue, line by line.

use super::run;
use incrowd_job::{Control, Ground, Job, Negotiation, Options};
use std::path::Path;
use std::sync::Arc;

/// What the dialogue says to these lines, and its exit code. The release may go to `folder`.
fn talk(folder: &Path, lines: &str) -> (String, u8) {
    talk_with("identifying = [\"name\"]", folder, lines)
}

fn talk_with(roles: &str, folder: &Path, lines: &str) -> (String, u8) {
    let clinic = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/clinic");
    let mut job = Job::parse(
        r#"
        [columns]
        quasi_identifiers = ["age", "zip"]
        sensitive = ["disease"]
        {IDENTIFYING}
        [privacy]
        models = ["k-anonymity(k=3)"]
        max_levels = [1, 0]
        "#
        .replace("{IDENTIFYING}", roles)
        .as_str(),
    )
    .unwrap();
    job.data.path = Some(clinic.join("clinic.csv").to_str().unwrap().to_owned());
    job.columns.hierarchies = Some(clinic.join("hierarchies"));
    let lines = lines.replace("OUT", folder.to_str().unwrap());
    let control = Arc::new(Control::default());
    let ground = Ground::count(&job, &control).unwrap();
    let session = Negotiation::new(Arc::new(ground), Options::default(), &control).unwrap();
    let mut said = Vec::new();
    let code = run(&session, &control, lines.as_bytes(), &mut said).unwrap();
    (String::from_utf8(said).unwrap(), code)
}

/// The part after the last prompt but one: the answer to the last line.
fn last(said: &str) -> &str {
    let parts: Vec<&str> = said.split("\n> ").collect();
    parts[parts.len().saturating_sub(2)]
}

#[test]
fn an_offer_is_taken_written_and_released() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "2\nwrite OUT/job.toml\nrelease OUT/safe.csv OUT/proof.json\n";
    let (said, code) = talk(folder.path(), lines);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("the request cannot be met"), "{said}");
    assert!(said.contains("zip one level higher"), "{said}");
    assert!(said.contains("k-anonymity(k=3) satisfied"), "{said}");
    let release = std::fs::read_to_string(folder.path().join("safe.csv")).unwrap();
    assert!(release.contains("30-39,4501*,"), "{release}");
    let job = Job::load(&folder.path().join("job.toml")).unwrap();
    assert_eq!(job.privacy.max_levels, Some(vec![1, 1]));
    assert!(folder.path().join("proof.json").is_file());
    // Cells are in the release, never in what is said.
    for cell in ["Alva", "45011", "asthma"] {
        assert!(!said.contains(cell), "{said}");
    }
}

#[test]
fn a_wish_is_changed_and_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let (said, code) = talk(folder.path(), "levels zip=1\nhistory\n");
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("the request can be met"), "{said}");
    let history = last(&said);
    assert_eq!(history.lines().count(), 2, "{history}");
    let (said, code) = talk(folder.path(), "suppress 100%\n");
    assert_eq!(code, 0, "{said}");
    let (said, _) = talk(folder.path(), "k 1\n");
    assert!(said.contains("k-anonymity(k=1)"), "{said}");
    let (said, _) = talk(folder.path(), "model distinct-l-diversity(l=2)\nl 3\n");
    assert!(said.contains("distinct-l-diversity(l=3)"), "{said}");
}

#[test]
fn what_cannot_be_meant_is_refused_and_the_wish_before_stands() {
    let folder = tempfile::tempdir().unwrap();
    for line in [
        "k 0",
        "k 100",
        "k many",
        "suppress -1",
        "suppress 7",
        "levels age=9",
        "levels city=1",
        "levels 1",
        "model nonsense",
        "metric nonsense",
    ] {
        let (said, code) = talk(folder.path(), &format!("{line}\n\n"));
        assert_eq!(code, 1, "{line}: {said}");
        let refusal = said.split("\n> ").nth(1).unwrap_or_default();
        let refusal = if refusal.is_empty() { &said } else { refusal };
        assert!(refusal.contains("error: "), "{line}: {said}");
        assert!(refusal.contains("  hint: "), "{line}: {said}");
        assert!(last(&said).contains("k-anonymity(k=3)"), "{line}: {said}");
    }
}

#[test]
fn nothing_is_written_before_an_offer_is_taken_or_over_another_file() {
    let folder = tempfile::tempdir().unwrap();
    let (said, _) = talk(
        folder.path(),
        "write OUT/job.toml\nrelease OUT/safe.csv\n9\n",
    );
    assert!(said.contains("accept an offer first"), "{said}");
    assert!(
        said.contains("there is no offer with that number"),
        "{said}"
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    std::fs::write(folder.path().join("job.toml"), "mine").unwrap();
    let (said, _) = talk(
        folder.path(),
        "2\nwrite OUT/job.toml\nwrite\nrelease -\nquit\n",
    );
    assert!(said.contains("error: "), "{said}");
    assert!(
        said.contains("name a file, as in `write job.toml`"),
        "{said}"
    );
    assert!(
        said.contains("name a file, as in `release safe.csv`"),
        "{said}"
    );
    let kept = std::fs::read_to_string(folder.path().join("job.toml")).unwrap();
    assert_eq!(kept, "mine");
}

#[test]
fn what_would_leave_no_row_is_no_offer() {
    let folder = tempfile::tempdir().unwrap();
    let (said, code) = talk(folder.path(), "1\nrelease OUT/safe.csv\n");
    assert_eq!(code, 1, "{said}");
    let offer = "1  suppress more rows: no rows would be left";
    assert!(said.contains(offer), "{said}");
    assert!(
        said.contains("there is no offer with that number"),
        "{said}"
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn columns_without_a_role_are_settled_before_a_release() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "2\nrelease OUT/safe.csv\nothers\nothers drop\nrelease OUT/safe.csv\n";
    let (said, _) = talk_with("", folder.path(), lines);
    assert!(said.contains("1 without a role"), "{said}");
    assert!(said.contains("error: column `name` has no role"), "{said}");
    assert!(said.contains("k-anonymity(k=3) satisfied"), "{said}");
    let release = std::fs::read_to_string(folder.path().join("safe.csv")).unwrap();
    assert!(release.starts_with("age,zip,disease\n"), "{release}");
}

#[test]
fn the_dialogue_explains_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (said, _) = talk(folder.path(), "help\nnonsense\ncurve\nquit\n");
    assert!(said.contains("release safe.csv"), "{said}");
    assert!(said.contains("unknown command; type `help`"), "{said}");
    assert_eq!(said.matches("rows suppressed by k").count(), 2, "{said}");
}
