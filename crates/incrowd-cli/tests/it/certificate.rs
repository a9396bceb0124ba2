//! Checking a certificate (issue 9): from the command line.

use crate::support::{Folder, PATIENTS};
use serde_json::{Value, json};

const JOB: &str = "\
[data]
path = \"patients.csv\"
[columns]
quasi_identifiers = [\"age\", \"sex\", \"zip\"]
sensitive = [\"disease\"]
identifying = [\"name\"]
[privacy]
models = [\"k-anonymity(k=3)\", \"t-closeness(t=0.5)\"]
max_suppressed = 2
[output]
path = \"safe.csv\"
certificate = \"proof.json\"
";

fn certified() -> Folder {
    let folder = Folder::with("patients.csv", PATIENTS).and("incrowd.toml", JOB);
    folder.run("anonymize --job incrowd.toml").ends_with(0);
    folder
}

#[test]
fn a_true_certificate_holds() {
    let folder = certified();
    for flags in [
        "verify safe.csv --certificate proof.json",
        "verify safe.csv --certificate proof.json --original patients.csv",
        "verify safe.csv --certificate proof.json --job incrowd.toml",
        "verify --certificate proof.json --job incrowd.toml --original patients.csv",
    ] {
        let found = folder.run(&format!("{flags} --json")).ends_with(0).json();
        assert_eq!(found["certificate"]["holds"], true, "{flags}");
        assert_eq!(found["certificate"]["mismatches"], json!([]), "{flags}");
        assert_eq!(found["asked"], true);
    }
    let text = folder
        .run("verify --certificate proof.json --job incrowd.toml")
        .ends_with(0)
        .stdout;
    assert!(text.starts_with("safe\n"), "{text}");
    assert!(text.contains("certificate proof.json is valid"), "{text}");
    assert!(
        text.contains("unchecked   lost.guarantee: only the search knows it"),
        "{text}"
    );
}

#[test]
fn another_release_another_table_and_another_job_are_found() {
    let folder = certified();
    let release = folder.read("safe.csv");
    let last = release.lines().last().unwrap();
    let folder = folder
        .and("cut.csv", release.replacen(&format!("{last}\n"), "", 1))
        .and("other.csv", PATIENTS.replace("Lea,45", "Lea,46"))
        .and("other.toml", JOB.replace("k=3", "k=2"));
    let fields = |flags: &str| -> Vec<String> {
        let found = folder
            .run(&format!("verify {flags} --json"))
            .ends_with(1)
            .json();
        assert_eq!(found["certificate"]["holds"], false);
        let mismatches = found["certificate"]["mismatches"]
            .as_array()
            .unwrap()
            .iter();
        mismatches
            .map(|it| it["field"].as_str().unwrap().to_owned())
            .collect()
    };
    let cut = fields("cut.csv --certificate proof.json");
    for field in ["sha256.output", "reached.rows_out", "reached.rows_in"] {
        assert!(cut.iter().any(|it| it == field), "{cut:?}");
    }
    let other = fields("safe.csv --certificate proof.json --original other.csv");
    assert!(other.iter().any(|it| it == "sha256.input"), "{other:?}");
    let job = fields("safe.csv --certificate proof.json --job other.toml");
    assert_eq!(job, ["request.privacy[0]"]);
    let text = folder
        .run("verify cut.csv --certificate proof.json")
        .ends_with(1)
        .stdout;
    assert!(
        text.starts_with("INVALID CERTIFICATE proof.json\n"),
        "{text}"
    );
    assert!(
        text.contains("mismatch    sha256.output: stated "),
        "{text}"
    );
}

#[test]
fn a_promise_that_compares_with_the_table_is_not_judged_without_it() {
    let table = "zip,s\nx,p\nx,p\nx,q\nx,q\ny,q\n";
    let folder = Folder::with("t.csv", table);
    folder
        .run("anonymize t.csv -q zip -s s -k 2 -t 0.2 --max-suppressed 1 --hierarchy zip=suppress -o o.csv --certificate c.json")
        .ends_with(0);
    let found = folder
        .run("verify o.csv --certificate c.json --json")
        .ends_with(0)
        .json();
    assert_eq!(found["safe"], Value::Null);
    assert!(
        found["certificate"]["unchecked"]
            .to_string()
            .contains("reached.privacy[1]")
    );
    let with_table =
        "verify o.csv --certificate c.json --original t.csv --hierarchy zip=suppress --json";
    let found = folder.run(with_table).ends_with(0).json();
    assert_eq!(found["safe"], true);
    assert!(
        !found["certificate"]["unchecked"]
            .to_string()
            .contains("reached.privacy")
    );
}

#[test]
fn roles_and_promises_come_from_the_certificate() {
    let folder = certified();
    for flags in ["-k 2", "-q age", "-s disease", "--max-suppressed 1"] {
        let run = folder.run(&format!("verify safe.csv --certificate proof.json {flags}"));
        let error = run.ends_with(2).stderr;
        assert!(error.contains("in addition to a certificate"), "{error}");
    }
    let folder = folder.and("no.json", "{\"version\":1}");
    let error = folder
        .run("verify safe.csv --certificate no.json")
        .ends_with(2)
        .stderr;
    assert!(
        error.starts_with("error: `no.json` is not a certificate"),
        "{error}"
    );
}

#[test]
fn a_file_that_is_no_certificate_is_not_overwritten_by_the_readable_one() {
    let folder = Folder::with("patients.csv", PATIENTS)
        .and("incrowd.toml", JOB)
        .and("proof.txt", "notes\n");
    let run = folder
        .run("anonymize --job incrowd.toml --json")
        .ends_with(2);
    assert_eq!(run.json()["error"]["code"], "certificate-twin");
    let run = folder.run("anonymize --job incrowd.toml").ends_with(2);
    assert!(run.stderr.contains("proof.txt"), "{}", run.stderr);
    assert!(run.stderr.contains("hint: "), "{}", run.stderr);
    assert_eq!(folder.read("proof.txt"), "notes\n");
    assert_eq!(
        folder.list("."),
        ["incrowd.toml", "patients.csv", "proof.txt"],
        "nothing is written"
    );
    // An empty file holds nothing to lose, and a certificate of ours is replaced by the next.
    let folder = folder.and("proof.txt", "");
    folder.run("anonymize --job incrowd.toml").ends_with(0);
    let first = folder.read("proof.txt");
    folder.run("anonymize --job incrowd.toml -k 2").ends_with(0);
    assert_ne!(folder.read("proof.txt"), first);
}

#[test]
fn the_certificate_for_people_shows_marks_plainly() {
    let folder = certified();
    let text = folder.read("proof.txt");
    assert!(text.contains("delimiter `,`, quote `\"`, "), "{text}");
    let tabs = folder.and("t.tsv", PATIENTS.replace(',', "\t"));
    tabs.run("anonymize t.tsv -q age,sex,zip -s disease --identifying name -k 3 --certificate t.json -o t.csv")
        .ends_with(0);
    let text = tabs.read("t.txt");
    assert!(text.contains("delimiter `\\t`, quote `\"`, "), "{text}");
}
