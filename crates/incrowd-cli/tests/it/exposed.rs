//! What a release gives away beside its promises: classes of one, classes of one value, and over which rows the
//! distribution is taken that a promise compares with (issue 9, `alone` and `exclude`).

use crate::support::Folder;
use serde_json::{Value, json};

const SIX: &str = "age,s\n1,p\n2,p\n3,q\n4,p\n5,p\n6,p\n";

#[test]
fn a_sensitive_promise_alone_does_not_hide_classes_of_one() {
    let folder = Folder::with("t.csv", SIX);
    let ask = "anonymize t.csv -q age -s s -t 0.9 -o o.csv --certificate c.json";
    let outcome = folder.run(&format!("{ask} --json")).ends_with(0).json();
    assert_eq!(outcome["classes_of_one"], 6);
    assert_eq!(
        outcome["homogeneous"],
        json!([{"column": "s", "classes": 6, "rows": 6}])
    );
    let warnings = json!([
        "6 classes have only one row, so these people are not hidden",
        "6 classes (6 rows) have only one value of `s` each and reveal it",
    ]);
    assert_eq!(outcome["warnings"], warnings);
    let certificate: Value = serde_json::from_str(&folder.read("c.json")).unwrap();
    for field in ["classes_of_one", "homogeneous", "warnings"] {
        assert_eq!(certificate["reached"][field], outcome[field], "{field}");
    }
    for text in [folder.run(ask).ends_with(0).stdout, folder.read("c.txt")] {
        assert!(
            text.contains("6 with only one row; 6 with only one value of `s`"),
            "{text}"
        );
        assert!(text.contains("6 classes have only one row"), "{text}");
    }
}

#[test]
fn every_promise_about_a_sensitive_column_reports_them() {
    let folder = Folder::with("t.csv", SIX);
    for model in [
        "distinct-l-diversity(l=1)",
        "entropy-l-diversity(l=1)",
        "frequency-l-diversity(l=1)",
        "alpha-k-anonymity(alpha=1,k=1)",
        "p-sensitive-k-anonymity(p=1,k=1)",
        "t-closeness(t=0.9)",
        "delta-disclosure(delta=9,absent=ignore)",
        "beta-likeness(beta=9)",
    ] {
        let run = folder.run(&format!(
            "anonymize t.csv -q age -s s --privacy {model} --json"
        ));
        let outcome = run.ends_with(0).json();
        assert_eq!(outcome["classes_of_one"], 6, "{model}");
        assert_eq!(outcome["warnings"].as_array().unwrap().len(), 2, "{model}");
    }
}

#[test]
fn without_a_sensitive_column_they_are_counted_and_nobody_is_warned() {
    let folder = Folder::with("t.csv", SIX);
    let run = folder.run("anonymize t.csv -q age --target s -k 1 --json");
    let outcome = run.ends_with(0).json();
    assert_eq!(outcome["classes_of_one"], 6);
    assert_eq!(outcome["homogeneous"], json!([]));
    assert_eq!(outcome["warnings"], json!([]));
}

#[test]
fn verify_without_a_promise_judges_nothing_and_says_so() {
    let folder = Folder::with("t2.csv", "zip,s\n1,HIV\n1,HIV\n2,flu\n2,flu\n");
    let found = folder
        .run("verify t2.csv -q zip -s s --json")
        .ends_with(0)
        .json();
    assert_eq!(found["safe"], Value::Null);
    assert_eq!(found["asked"], false);
    assert_eq!(found["classes_of_one"], 0);
    assert_eq!(
        found["homogeneous"],
        json!([{"column": "s", "classes": 2, "rows": 4}])
    );
    assert_eq!(
        found["warnings"],
        json!(["2 classes (4 rows) have only one value of `s` each and reveal it"])
    );
    let text = folder.run("verify t2.csv -q zip -s s").ends_with(0).stdout;
    assert!(
        text.starts_with("NO VERDICT: no privacy model given"),
        "{text}"
    );
    assert!(text.contains("WARNING     2 classes (4 rows)"), "{text}");
    assert!(!text.lines().any(|line| line == "safe"), "{text}");
    // What is wrong whatever was promised is still wrong.
    let found = folder
        .run("verify t2.csv -q zip --identifying s --json")
        .ends_with(1)
        .json();
    assert_eq!(found["safe"], false);
}

#[test]
fn classes_of_several_sensitive_columns_are_counted_for_each() {
    // x: two values of s, one of r; y: one of each; z is alone.
    let table = "zip,s,r\nx,1,a\nx,2,a\ny,1,b\ny,1,b\nz,2,b\n";
    let folder = Folder::with("t.csv", table);
    let found = folder
        .run("verify t.csv -q zip -s s,r -k 1 --json")
        .ends_with(0)
        .json();
    assert_eq!(found["classes_of_one"], 1);
    assert_eq!(
        found["homogeneous"],
        json!([
            {"column": "s", "classes": 2, "rows": 3},
            {"column": "r", "classes": 3, "rows": 5},
        ])
    );
    let warnings = found["warnings"].as_array().unwrap();
    assert!(warnings.contains(&json!(
        "1 class has only one row, so that person is not hidden"
    )));
}

#[test]
fn a_sensitive_column_that_singles_people_out_is_warned_about() {
    let mut table = "zip,income\n".to_owned();
    for row in 0..40 {
        table += &format!("{},{}\n", row % 2, 1000 + 37 * row);
    }
    let folder = Folder::with("t.csv", table);
    let outcome = folder
        .run("anonymize t.csv -q zip -s income -k 5 -l 5 --json")
        .ends_with(0)
        .json();
    assert_eq!(
        outcome["warnings"],
        json!(["sensitive column `income` (100 % of rows have a unique value)"])
    );
}

/// Four rows of x, half of them p; one row of y, which k = 2 suppresses; five rows without a zip, which are left out.
const EXCLUDED: &str = "zip,s\nx,p\nx,p\nx,q\nx,q\ny,q\n,p\n,p\n,p\n,p\n,p\n";

/// What the promises about `s` have reached, rounded to four digits.
fn reached(document: &Value) -> Vec<f64> {
    let promises = document["privacy"].as_array().unwrap().iter();
    let figure = |promise: &Value| promise["reached"].as_f64().unwrap();
    promises
        .filter(|promise| !promise["model"].as_str().unwrap().starts_with("k-"))
        .map(|promise| (figure(promise) * 1e4).round() / 1e4)
        .collect()
}

#[test]
fn the_distribution_is_that_of_the_rows_that_take_part() {
    let models = "--privacy 't-closeness(t=0.9)' --privacy 't-closeness(t=0.9,distance=ordered)' \
        --privacy 't-closeness(t=0.9,distance=hierarchical)' --privacy 'delta-disclosure(delta=9)' \
        --privacy 'beta-likeness(beta=9)' --privacy 'beta-likeness(beta=9,kind=enhanced)'";
    let rules = "--hierarchy zip=suppress --hierarchy s=suppress --missing-cells exclude-row";
    let folder = Folder::with("t.csv", EXCLUDED);
    let outcome = folder
        .run(&format!(
            "anonymize t.csv -q zip -s s -k 2 {models} --max-suppressed 1 {rules} -o o.csv --certificate c.json --json"
        ))
        .ends_with(0)
        .json();
    assert_eq!(
        (&outcome["rows_out"], &outcome["rows_suppressed"]),
        (&json!(4), &json!(1))
    );
    assert_eq!(outcome["rows_excluded"], 5);
    // Of the five rows that take part 2 are p and 3 are q; the class of x has half of each.
    // |1/2 - 2/5| = 0.1 by each distance, as there are two values; log2((1/2) / (2/5)) = 0.3219;
    // (1/2 - 2/5) / (2/5) = 0.25. With the rows left out p would be 7 of 10, and t 0.2; without the suppressed row
    // the class would be as the whole, and all would be 0.
    let by_hand = [0.1, 0.1, 0.1, 0.3219, 0.25, 0.25];
    assert_eq!(reached(&outcome), by_hand);
    let taking_part = json!({"over": "rows-taking-part", "rows": 5});
    assert_eq!(outcome["distribution"], taking_part);
    let certificate: Value = serde_json::from_str(&folder.read("c.json")).unwrap();
    assert_eq!(certificate["reached"]["distribution"], taking_part);
    assert!(
        folder
            .read("c.txt")
            .contains("distribution       over 5 rows, including suppressed rows")
    );
    // The release alone has no other rows to compare with.
    let verify = format!("verify o.csv -q zip -s s -k 2 {models} {rules}");
    let alone = folder.run(&format!("{verify} --json")).ends_with(0).json();
    assert_eq!(reached(&alone), [0.0; 6]);
    assert_eq!(
        alone["distribution"],
        json!({"over": "rows-published", "rows": 4})
    );
    // With the table it is measured as it was promised.
    let against = folder
        .run(&format!("{verify} --original t.csv --json"))
        .ends_with(0)
        .json();
    assert_eq!(reached(&against), by_hand);
    assert_eq!(against["distribution"], taking_part);
    folder
        .run(
            "verify o.csv --certificate c.json --original t.csv \
             --hierarchy zip=suppress --hierarchy s=suppress",
        )
        .ends_with(0);
}

#[test]
fn rows_left_out_for_missing_cells_do_not_count_as_the_table() {
    // Half p and half q in the rows that take part; with the two others q would be three quarters.
    let folder = Folder::with("t.csv", "a,b,s\nx,1,p\nx,1,q\n,1,q\n,1,q\n");
    let ask =
        "anonymize t.csv -q a,b -s s --privacy t-closeness(t=0) --missing-cells exclude-row --json";
    let outcome = folder.run(ask).ends_with(0).json();
    assert_eq!(outcome["privacy"][0]["reached"], 0);
    assert_eq!(outcome["distribution"]["rows"], 2);
}
