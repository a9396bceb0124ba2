//! A law about certificates: whatever is changed in a true one is found, or said not to be checked.

use incrowd_job::{
    Certificate, CertificateCheck, Control, Job, Show, Verification, anonymize, verify_certificate,
};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;

/// Patients of five columns; `ward` is kept, `outcome` is a target, two rows have no zip.
fn table() -> String {
    let mut text = "name,age,zip,disease,outcome,ward\n".to_owned();
    for row in 0..60 {
        let zip = if row % 29 == 7 {
            String::new()
        } else {
            format!("4501{}", row % 4)
        };
        text += &format!(
            "Person {row},{},{zip},{},{},w{}\n",
            30 + row * 7 % 20,
            ["flu", "cold", "asthma", "HIV"][row * row % 7 % 4],
            ["good", "bad"][row % 2],
            row / 5 % 3
        );
    }
    text
}

/// A job about it; each way of recoding has a certificate of its own form.
fn job(search: &str, suppressed: &str) -> String {
    format!(
        "[data]\npath = \"patients.csv\"\nmissing_cells = \"exclude-row\"\nmissing_tokens = [\"?\"]\n\
         [columns]\nquasi_identifiers = [\"age\", \"zip\"]\nsensitive = [\"disease\"]\ntarget = [\"outcome\"]\n\
         identifying = [\"name\"]\nkeep = [\"ward\"]\n\
         [hierarchies]\nage = \"interval:5,10,20\"\nzip = \"mask:1\"\n\
         [privacy]\nmodels = [\"k-anonymity(k=3)\", \"t-closeness(t=0.6)\"]\nmax_suppressed = 6\n\
         [search]\n{search}\n\
         [output]\npath = \"release.csv\"\ncertificate = \"certificate.json\"\nsuppressed = \"{suppressed}\"\n"
    )
}

struct Made {
    folder: TempDir,
    certificate: Value,
}

impl Made {
    fn new(search: &str, suppressed: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("patients.csv"), table()).unwrap();
        std::fs::write(folder.path().join("job.toml"), job(search, suppressed)).unwrap();
        let job = Job::load(&folder.path().join("job.toml")).unwrap();
        anonymize(&job, Show::default(), &Control::default()).unwrap();
        let text = std::fs::read_to_string(folder.path().join("certificate.json")).unwrap();
        let certificate = serde_json::from_str(&text).unwrap();
        Made {
            folder,
            certificate,
        }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// What comes of a certificate, checked with all that there is, or with the release alone.
    fn check(
        &self,
        certificate: &Value,
        with_all: bool,
    ) -> Result<Verification, incrowd_job::Error> {
        let path = self.path("checked.json");
        std::fs::write(&path, certificate.to_string()).unwrap();
        let job = Job::load(Path::new(&self.path("job.toml"))).unwrap();
        let mut given = match with_all {
            true => job.clone(),
            false => Job::default(),
        };
        given.data.path = Some(self.path("release.csv"));
        let check = CertificateCheck {
            certificate: path.into(),
            text: None,
            original: None,
            job: with_all.then_some(job),
        };
        verify_certificate(&given, &check, &Control::default())
    }
}

/// Every place of a document, as pointers.
fn places(document: &Value, pointer: String, all: &mut Vec<String>) {
    match document {
        Value::Object(fields) => {
            for (name, value) in fields {
                places(value, format!("{pointer}/{name}"), all);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate() {
                places(value, format!("{pointer}/{at}"), all);
            }
        }
        _ => {}
    }
    if !pointer.is_empty() {
        all.push(pointer);
    }
}

/// Other values that a place could have had.
fn mutations(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => vec![json!(1)],
        Value::Bool(value) => vec![json!(!value)],
        Value::Number(number) => match number.as_u64() {
            Some(number) => vec![json!(number + 1), json!(number.saturating_sub(1))]
                .into_iter()
                .filter(|other| *other != json!(number))
                .collect(),
            None => vec![json!(number.as_f64().unwrap() * 0.9 + 0.01)],
        },
        Value::String(text) => vec![json!(format!("{text}0")), json!(format!("0{text}"))],
        Value::Array(items) if items.is_empty() => vec![json!(["x"])],
        Value::Array(items) => vec![json!(items[1..]), json!([&items[..], &items[..1]].concat())],
        Value::Object(_) => Vec::new(),
    }
}

/// Where a pointer points, as mismatches and unchecked fields are named.
fn field(pointer: &str) -> String {
    pointer[1..].split('/').fold(String::new(), |field, name| {
        match (field.is_empty(), name.parse::<usize>()) {
            (true, _) => name.to_owned(),
            (false, Ok(at)) => format!("{field}[{at}]"),
            (false, Err(_)) => format!("{field}.{name}"),
        }
    })
}

fn is_below(field: &str, listed: &str) -> bool {
    field
        .strip_prefix(listed)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

const WAYS: [(&str, &str); 5] = [
    ("algorithm = \"optimal\"", "drop"),
    ("algorithm = \"optimal\"", "star"),
    (
        "algorithm = \"optimal\"",
        "drop\"\nshuffle = true\nspreadsheet_safe = true #",
    ),
    ("algorithm = \"top-down\"", "drop"),
    (
        "algorithm = \"partition\"\nmetric = \"discernibility\"",
        "drop",
    ),
];

#[test]
fn a_true_certificate_holds_with_all_files_and_with_the_release_alone() {
    for (search, suppressed) in WAYS {
        let made = Made::new(search, suppressed);
        let reached = &made.certificate["reached"];
        assert_eq!(reached["rows_excluded"], 2, "{search} {suppressed}");
        for with_all in [true, false] {
            let found = made.check(&made.certificate, with_all).unwrap();
            let checked = found.certificate.unwrap();
            assert_eq!(checked.mismatches, [], "{search} {suppressed} {with_all}");
            assert!(checked.holds && found.safe != Some(false));
        }
    }
}

#[test]
fn whatever_is_changed_is_found_or_listed_as_unchecked() {
    for (search, suppressed) in WAYS {
        let made = Made::new(search, suppressed);
        let mut all = Vec::new();
        places(&made.certificate, String::new(), &mut all);
        assert!(all.len() > 100, "{}", all.len());
        let mut missed = Vec::new();
        for pointer in &all {
            for mutation in mutations(made.certificate.pointer(pointer).unwrap()) {
                let mut changed = made.certificate.clone();
                *changed.pointer_mut(pointer).unwrap() = mutation;
                // An error also says that something is wrong.
                let Ok(found) = made.check(&changed, true) else {
                    continue;
                };
                let checked = found.certificate.unwrap();
                let field = field(pointer);
                let is_listed = checked
                    .unchecked
                    .iter()
                    .any(|it| is_below(&field, &it.field));
                if checked.holds && !is_listed {
                    missed.push(field);
                }
            }
        }
        assert_eq!(missed, [] as [&str; 0], "{search} {suppressed}");
    }
}

#[test]
fn what_may_go_unchecked_with_all_files_is_only_what_the_search_says_of_itself() {
    let made = Made::new(WAYS[0].0, WAYS[0].1);
    let checked = made
        .check(&made.certificate, true)
        .unwrap()
        .certificate
        .unwrap();
    let unchecked: Vec<&str> = checked
        .unchecked
        .iter()
        .map(|it| it.field.as_str())
        .collect();
    assert_eq!(unchecked, ["lost.guarantee", "program.version"]);
}

#[test]
fn losses_of_every_way_of_recoding_are_counted_again_and_what_is_best_leaves_no_gap() {
    for (search, suppressed) in WAYS {
        let made = Made::new(search, suppressed);
        let mut checked = 0;
        let metrics = made.certificate["lost"]["metrics"].as_object().unwrap();
        for name in metrics.keys() {
            let mut changed = made.certificate.clone();
            let loss = &mut changed["lost"]["metrics"][name];
            *loss = json!(loss.as_f64().unwrap() * 1.01 + 0.01);
            let found = made.check(&changed, true).unwrap().certificate.unwrap();
            checked += u32::from(!found.holds);
            // What depends on where suppressed rows would have been may be out of reach, and is said to be.
            let field = format!("lost.metrics.{name}");
            let is_listed = found.unchecked.iter().any(|it| it.field == field);
            assert!(!found.holds || is_listed, "{search} {suppressed}: {name}");
        }
        assert!(checked > 8, "{checked}");
        let mut changed = made.certificate.clone();
        changed["lost"]["gap"] = match changed["lost"]["guarantee"] == json!("optimal") {
            true => json!(0.2),
            false => json!(0.0),
        };
        let found = made.check(&changed, true).unwrap().certificate.unwrap();
        assert!(!found.holds, "{search} {suppressed}: gap");
    }
}

#[test]
fn a_field_taken_away_or_added_is_found() {
    let made = Made::new(WAYS[0].0, WAYS[0].1);
    let mut all = Vec::new();
    places(&made.certificate, String::new(), &mut all);
    for pointer in &all {
        let (above, name) = pointer.rsplit_once('/').unwrap();
        let mut changed = made.certificate.clone();
        let Some(Value::Object(fields)) = changed.pointer_mut(above) else {
            continue;
        };
        fields.remove(name);
        let Ok(found) = made.check(&changed, true) else {
            continue;
        };
        let checked = found.certificate.unwrap();
        let (field, stated) = (field(pointer), made.certificate.pointer(pointer));
        let is_listed = checked
            .unchecked
            .iter()
            .any(|it| is_below(&field, &it.field));
        // What is `null` is as good as not there.
        assert!(
            !checked.holds || is_listed || stated == Some(&Value::Null),
            "{field}"
        );
    }
    for above in ["", "/request", "/reached", "/sha256"] {
        let mut changed = made.certificate.clone();
        changed.pointer_mut(above).unwrap()["approved"] = json!(true);
        let found = made.check(&changed, true).unwrap();
        assert!(!found.certificate.unwrap().holds, "{above}");
    }
}

#[test]
fn a_forged_request_with_a_hash_to_match_is_found() {
    for (search, suppressed) in WAYS {
        let made = Made::new(search, suppressed);
        let mut all = Vec::new();
        places(
            &made.certificate["request"],
            "/request".to_owned(),
            &mut all,
        );
        for pointer in &all {
            for mutation in mutations(made.certificate.pointer(pointer).unwrap()) {
                let mut changed = made.certificate.clone();
                *changed.pointer_mut(pointer).unwrap() = mutation;
                // A certificate that cannot be read is refused anyway.
                let Ok(forged) = serde_json::from_value::<Certificate>(changed.clone()) else {
                    continue;
                };
                changed["sha256"]["request"] = json!(forged.request.sha256());
                if let Ok(found) = made.check(&changed, true) {
                    assert!(!found.certificate.unwrap().holds, "{search}: {pointer}");
                }
            }
        }
    }
}

#[test]
fn a_release_with_any_cell_changed_is_found() {
    let made = Made::new(WAYS[0].0, WAYS[0].1);
    let release = std::fs::read_to_string(made.path("release.csv")).unwrap();
    let lines: Vec<&str> = release.lines().collect();
    for row in [1, 7, lines.len() - 1] {
        let cells: Vec<&str> = lines[row].split(',').collect();
        for column in 0..cells.len() {
            let mut cells: Vec<String> = cells.iter().map(|cell| (*cell).to_owned()).collect();
            cells[column] += "0";
            let line = cells.join(",");
            let mut lines = lines.clone();
            lines[row] = &line;
            std::fs::write(made.path("release.csv"), lines.join("\n") + "\n").unwrap();
            let found = made.check(&made.certificate, true).unwrap();
            let checked = found.certificate.unwrap();
            assert!(
                checked
                    .mismatches
                    .iter()
                    .any(|it| it.field == "sha256.output")
            );
            assert!(found.safe == Some(false), "row {row}, column {column}");
        }
    }
}
