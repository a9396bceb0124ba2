//! Releases made of cuts, and algorithms side by side, as users meet them.

use crate::support::{Folder, Run};
use serde_json::Value;
use std::path::Path;

const COLUMNS: &str = "-q age,education,marital-status,sex --target salary-class --others drop";

fn adult(folder: &Folder, command: &str, more: &str) -> Run {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/adult");
    let data = data.display();
    folder.run(&format!(
        "{command} '{data}/adult.csv' --hierarchies '{data}/hierarchies' {COLUMNS} {more}"
    ))
}

fn json(run: &Run) -> Value {
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn a_release_of_cuts_is_written_certified_and_stands_up_to_its_original() {
    for algorithm in ["top-down", "bottom-up"] {
        let folder = Folder::new();
        let outcome = json(&adult(
            &folder,
            "anonymize",
            &format!("--algorithm {algorithm} -k 20 -o out.csv --certificate out.json --json"),
        ));
        assert_eq!(outcome["recoding"], "cuts");
        assert_eq!(outcome["levels"], Value::Null);
        assert!(outcome["metrics"]["classification-metric(column=salary-class)"].is_number());
        // Every raw value is in one block, and the release holds no other text.
        let release = folder.read("out.csv");
        let mut rows = csv::Reader::from_reader(release.as_bytes());
        let header = rows.headers().unwrap().clone();
        let published = outcome["published"].as_object().unwrap();
        let records: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
        assert_eq!(records.len(), 30162);
        for (column, texts) in published {
            let at = header.iter().position(|name| name == column).unwrap();
            let texts = texts.as_array().unwrap();
            let blocks = outcome["blocks"][column].as_array().unwrap();
            assert_eq!(texts.len(), blocks.len());
            assert!((records.iter()).all(|row| texts.iter().any(|text| *text == row[at])));
        }
        let certificate: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
        let certified = certificate["reached"]["published"].as_object().unwrap();
        assert!(
            certified
                .keys()
                .eq(["age", "education", "marital-status", "sex"])
        );
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/adult");
        let data = data.display();
        let verified = json(&folder.run(&format!(
            "verify out.csv -q age,education,marital-status,sex -s salary-class -k 20 --others drop \
             --original '{data}/adult.csv' --hierarchies '{data}/hierarchies' --json"
        )));
        assert_eq!(verified["safe"], true);
        assert_eq!(
            verified["against_original"]["violations"],
            Value::Array(Vec::new())
        );
    }
}

#[test]
fn a_certificate_of_cuts_tells_no_value_that_the_release_does_not() {
    let mut table = String::from("zip,age,ill\n");
    for row in 0..20 {
        let ill = if row < 10 { "no" } else { "yes" };
        table += &format!("{},{},{ill}\n", 40000 + row, 30 + row / 10);
    }
    table += "47110,99,no\n";
    let folder = Folder::with("people.csv", table);
    for algorithm in ["top-down", "bottom-up"] {
        json(&folder.run(&format!(
            "anonymize people.csv -q zip,age --target ill --keep ill -k 5 --max-suppressed 1 --algorithm {algorithm} \
             --hierarchy zip=mask:2 --hierarchy age=suppress -o out.csv --certificate out.json --json"
        )));
        let release = folder.read("out.csv");
        let certificate = folder.read("out.json");
        assert!(!release.contains("47110") && !release.contains("99"));
        let certified: Value = serde_json::from_str(&certificate).unwrap();
        for (column, texts) in certified["reached"]["published"].as_object().unwrap() {
            let texts = texts.as_array().unwrap().iter();
            assert!(
                texts
                    .clone()
                    .all(|it| release.contains(it.as_str().unwrap())),
                "{algorithm}: {column}"
            );
        }
        let raw_values = (0..20).map(|row| format!("\"{}\"", 40000 + row));
        for value in raw_values.chain(["\"47110\"".into(), "\"99\"".into()]) {
            let is_told = certificate.contains(&value) && !release.contains(&value);
            assert!(!is_told, "{algorithm}");
        }
    }
}

#[test]
fn numbers_that_nobody_gave_levels_for_are_published_as_intervals() {
    let mut table = String::from("age,ill\n");
    for age in 20..80 {
        let ill = if age < 43 { "no" } else { "yes" };
        table += &format!("{age},{ill}\n{age},{ill}\n");
    }
    let folder = Folder::with("people.csv", table);
    let outcome = json(&folder.run(
        "anonymize people.csv -q age --target ill --keep ill --algorithm top-down -k 10 -o out.csv --json",
    ));
    let texts = outcome["published"]["age"].as_array().unwrap();
    assert_eq!(*texts, ["[20-42]", "[43-79]"]);
    let verified = folder.run("verify out.csv -q age -s ill --original people.csv -k 10");
    assert_eq!(verified.code, 0, "{}", verified.stdout);
}

#[test]
fn without_a_target_a_classifying_algorithm_says_what_it_needs() {
    let folder = Folder::with("people.csv", "age,ill\n1,no\n2,no\n");
    let run = folder.run("anonymize people.csv -q age -s ill --algorithm top-down -k 2 -o out.csv");
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("needs exactly one target column"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("--target"), "{}", run.stderr);
    assert!(!folder.path("out.csv").exists());
}

#[test]
fn every_algorithm_is_compared_on_one_count_of_the_table() {
    let folder = Folder::new();
    let comparison = json(&adult(
        &folder,
        "compare",
        "-k 10 --max-suppressed 1% --time-limit 1s --json",
    ));
    assert_eq!(comparison["rows_in"], 30162);
    let runs = comparison["runs"].as_array().unwrap();
    let names: Vec<&str> = runs
        .iter()
        .map(|run| run["algorithm"].as_str().unwrap())
        .collect();
    for name in [
        "optimal",
        "samarati",
        "incognito",
        "datafly",
        "bottom-up",
        "top-down",
        "partition",
        "mondrian",
        "mondrian-infogain",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    let loss = |name: &str| {
        let run = runs.iter().find(|run| run["algorithm"] == name).unwrap();
        run["reached"]["metrics"]["loss"].as_f64().unwrap()
    };
    for run in runs {
        let reached = &run["reached"];
        if run["algorithm"] == "mondrian-lsd" {
            let message = run["failed"]["message"].as_str().unwrap();
            assert!(message.contains("targets with numbers"), "{message}");
            continue;
        }
        assert_eq!(reached["privacy"][0]["holds"], true, "{run}");
        assert!(reached["smallest_class"].as_u64().unwrap() >= 10);
        assert!(reached["checked"].as_u64().unwrap() > 0, "{run}");
        assert!(reached["rows_suppressed"].as_u64().unwrap() <= 301);
        if reached["recoding"] == "full-domain" {
            let name = run["algorithm"].as_str().unwrap();
            assert!(loss("optimal") <= loss(name) + 1e-12, "{name}");
        }
    }
    assert_eq!(loss("optimal"), loss("incognito"));
    // The same figures as one run by itself.
    let alone = json(&adult(
        &folder,
        "anonymize",
        "-k 10 --max-suppressed 1% --algorithm datafly --json",
    ));
    assert_eq!(alone["metrics"]["loss"].as_f64().unwrap(), loss("datafly"));
}

#[test]
fn a_comparison_reads_well_as_text_and_as_csv() {
    let folder = Folder::with("people.csv", "age,ill\n1,no\n2,no\n3,yes\n3,yes\n");
    let arguments = "compare people.csv -q age -s ill -k 2 --algorithms optimal,datafly,top-down";
    let text = folder.run(arguments);
    assert_eq!(text.code, 0, "{}", text.stderr);
    assert!(
        text.stdout.contains("4 rows, 3 distinct"),
        "{}",
        text.stdout
    );
    assert!(
        text.stdout.contains("top-down has no result"),
        "{}",
        text.stdout
    );
    let lines = folder.run(&format!("{arguments} --csv")).stdout;
    let mut rows = csv::Reader::from_reader(lines.as_bytes());
    let header = rows.headers().unwrap().clone();
    let records: Vec<csv::StringRecord> = rows.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), 3);
    let cell = |row: usize, name: &str| {
        let at = header.iter().position(|column| column == name).unwrap();
        records[row][at].to_owned()
    };
    // Nobody gave a budget, and datafly is the one that takes k rows then: so all may.
    let note = "each algorithm may suppress 2 rows";
    assert!(text.stdout.contains(note), "{}", text.stdout);
    assert_eq!(cell(0, "max_suppressed"), "2");
    assert_eq!(cell(1, "max_suppressed"), "2");
    let alike = folder.run(&format!("{arguments} --max-suppressed 0"));
    assert!(
        !alike.stdout.contains("each algorithm may"),
        "{}",
        alike.stdout
    );
    assert_eq!(cell(0, "algorithm"), "optimal");
    assert_eq!(cell(0, "guarantee"), "optimal");
    assert_eq!(cell(0, "k-anonymity(k=2)"), "2");
    assert_eq!(cell(2, "loss"), "");
    assert!(cell(2, "failed").contains("target"));
}

#[test]
fn a_comparison_without_any_answer_has_failed() {
    let folder = Folder::with("people.csv", "age,ill\n1,no\n2,no\n");
    let run = folder.run("compare people.csv -q age -s ill -k 2 --algorithms top-down,bottom-up");
    assert_eq!(run.code, 2);
    assert!(
        run.stdout.contains("bottom-up has no result"),
        "{}",
        run.stdout
    );
}

#[test]
fn an_algorithm_that_does_not_exist_is_not_compared() {
    let folder = Folder::with("people.csv", "age,ill\n1,no\n2,no\n");
    let run = folder.run("compare people.csv -q age -s ill -k 2 --algorithms optimal,dataflyy");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("dataflyy"), "{}", run.stderr);
}
