//! Promises about all published classes together: kept by releases, checked in files, stated in certificates.

use crate::support::Folder;
use serde_json::{Value, json};

/// Classes of three, two and one.
const PEOPLE: &str = "\
sex,zip,disease
f,10,flu
f,10,flu
f,10,cold
m,10,flu
m,10,cold
m,20,cold
";

const ROLES: &str = "-q sex,zip -s disease";
const LEVELS: &str = "--hierarchy sex=suppress --hierarchy zip=suppress";

#[test]
fn every_kind_of_recoding_keeps_averages_and_they_are_verified() {
    let folder = Folder::with("people.csv", PEOPLE);
    let algorithms = [
        "optimal",
        "datafly",
        "mu-argus",
        "top-down --target disease",
        "bottom-up --target disease",
        "partition",
        "mondrian",
        "ncp-cluster",
    ];
    // As it is, three classes of six rows, one of which has one row.
    for (promise, most) in [
        ("average-risk(max=0.5)", 0.5),
        ("average-risk(max=0.4)", 0.4),
        ("sample-uniqueness(max=0.2)", 0.2),
        ("sample-uniqueness(max=0)", 0.0),
    ] {
        for algorithm in algorithms {
            let run = folder.run(&format!(
                "anonymize people.csv {ROLES} {LEVELS} --privacy {promise} --algorithm {algorithm} -o safe.csv --json"
            ));
            let found = run.ends_with(0).json();
            assert_eq!(found["privacy"][0]["holds"], true, "{algorithm}");
            let reached = found["privacy"][0]["reached"].as_f64().unwrap();
            assert!(reached <= most, "{promise}, {algorithm}: {reached}");
            assert_eq!(found["rows_suppressed"], 0, "{promise}, {algorithm}");
            let run = folder.run(&format!(
                "verify safe.csv {ROLES} {LEVELS} --privacy {promise} --original people.csv --json"
            ));
            let verified = run.ends_with(0).json();
            assert_eq!(verified["privacy"], found["privacy"], "{algorithm}");
        }
    }
    // Nothing had to be done for the first of them.
    let run = folder.run(&format!(
        "anonymize people.csv {ROLES} {LEVELS} --privacy average-risk(max=0.5) -o safe.csv"
    ));
    run.ends_with(0);
    assert_eq!(folder.read("safe.csv"), PEOPLE);
    let verify = format!("verify safe.csv {ROLES} --privacy average-risk(max=0.4) --json");
    let found = folder.run(&verify).ends_with(1).json();
    let broken = json!([{"model": "average-risk(max=0.4)", "reached": 0.5, "holds": false}]);
    assert_eq!(found["privacy"], broken);
}

#[test]
fn a_certificate_states_an_average_and_is_checked() {
    let folder = Folder::with("people.csv", PEOPLE);
    let promises = "--privacy average-risk(max=0.4) --privacy sample-uniqueness(max=0.1) -k 1";
    let job = format!(
        "anonymize people.csv {ROLES} {LEVELS} {promises} -o safe.csv --certificate c.json"
    );
    folder.run(&job).ends_with(0);
    let stated: Value = serde_json::from_str(&folder.read("c.json")).unwrap();
    assert!(stated.to_string().contains("average-risk(max=0.4)"));
    let check =
        format!("verify safe.csv --certificate c.json --original people.csv {LEVELS} --json");
    let found = folder.run(&check).ends_with(0).json();
    assert_eq!(found["certificate"]["mismatches"], json!([]), "{found}");
    assert_eq!(found["safe"], true);
}

#[test]
fn an_average_out_of_reach_is_refused_with_the_reason() {
    let folder = Folder::with("people.csv", PEOPLE);
    let code = |arguments: &str| {
        let run = folder.run(&format!(
            "anonymize people.csv {ROLES} {LEVELS} {arguments} --json"
        ));
        let error = run.ends_with(2).json()["error"].clone();
        (
            error["code"].as_str().unwrap().to_owned(),
            error["hint"].as_str().unwrap_or_default().to_owned(),
        )
    };
    // Even one class of all six rows is one in six.
    let (found, _) = code("--privacy average-risk(max=0.1)");
    assert_eq!(found, "out-of-reach");
    let (found, hint) = code("--privacy average-risk(max=0.2) --max-levels 0,1");
    assert_eq!(found, "no-solution");
    assert!(
        hint.contains("whole release") && hint.contains("--max-levels"),
        "{hint}"
    );
    let (found, _) = code("--privacy average-risk(max=0)");
    assert_ne!(found, "no-solution");
}
