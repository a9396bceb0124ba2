//! Judging files that somebody published.

use crate::support::{Folder, PATIENTS, data};
use serde_json::json;

const SAFE: &str = "\
age,sex,disease
30-39,f,flu
30-39,f,cold
40-49,m,flu
40-49,m,cold
";

#[test]
fn a_safe_file_ends_with_0_and_an_unsafe_one_with_1() {
    let folder = Folder::with("safe.csv", SAFE);
    let safe = folder.run("verify safe.csv -q age,sex -s disease -k 2 -l 2 --json");
    assert_eq!(
        safe.ends_with(0).json(),
        json!({
            "version": 1,
            "safe": true,
            "asked": true,
            "privacy": [
                {"model": "k-anonymity(k=2)", "reached": 2, "holds": true},
                {"model": "distinct-l-diversity(l=2)", "reached": 2, "holds": true},
            ],
            "smallest_class": 2,
            "classes": 2,
            "rows": 4,
            "rows_starred": 0,
            "identifying_published": [],
            "distribution": {"over": "rows-published", "rows": 4},
            "unchanged": [{
                "column": "disease", "role": "sensitive", "distinct": 2, "distinct_is_exact": true,
                "singled_out": {"rows": 0, "share": 0.0, "is_exact": true},
            }],
            "kept_with_classes": null,
            "classes_of_one": 0,
            "homogeneous": [{"column": "disease", "classes": 0, "rows": 0}],
            "warnings": [],
            "against_original": null,
        })
    );
    let broken = folder
        .run("verify safe.csv -q age,sex -s disease -k 3 --json")
        .ends_with(1)
        .json();
    assert_eq!(broken["safe"], false);
    assert_eq!(
        broken["privacy"],
        json!([{"model": "k-anonymity(k=3)", "reached": 2, "holds": false}])
    );
}

#[test]
fn without_a_promise_every_model_is_measured() {
    let folder = Folder::new();
    let columns = "age,workclass,race,occupation,education,marital-status";
    let run = folder.run(&format!(
        "verify {} -q {columns} -s salary-class --json",
        data("adult/adult.csv")
    ));
    let found = run.ends_with(0).json();
    assert_eq!(found["safe"], serde_json::Value::Null);
    assert_eq!(found["smallest_class"], 1);
    let measured: Vec<&str> = found["privacy"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["model"].as_str().unwrap().split('(').next().unwrap())
        .collect();
    assert_eq!(
        measured,
        [
            "k-anonymity",
            "distinct-l-diversity",
            "entropy-l-diversity",
            "recursive-cl-diversity",
            "frequency-l-diversity",
            "alpha-k-anonymity",
            "p-sensitive-k-anonymity",
            "t-closeness",
            "delta-disclosure",
            "beta-likeness",
            "average-risk",
            "sample-uniqueness",
        ]
    );
    let text = Folder::with("safe.csv", SAFE).run("verify safe.csv -q age,sex -s disease");
    let text = text.ends_with(0).stdout;
    assert!(text.starts_with("NO VERDICT: no privacy model"), "{text}");
    assert!(
        text.contains("privacy     k-anonymity(k=2) satisfied\n"),
        "{text}"
    );
    assert!(
        text.contains("privacy     t-closeness(t=0,distance=equal) satisfied\n"),
        "{text}"
    );
}

#[test]
fn the_strictest_parameters_reported_do_hold() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let found = folder
        .run("verify patients.csv -q sex -s disease,zip --json")
        .ends_with(0)
        .json();
    for entry in found["privacy"].as_array().unwrap() {
        if entry["holds"] == true {
            let model = entry["model"].as_str().unwrap();
            folder
                .run(&format!(
                    "verify patients.csv -q sex -s disease,zip --privacy '{model}'"
                ))
                .ends_with(0);
        }
    }
}

#[test]
fn an_invented_row_is_found() {
    let folder = Folder::with("patients.csv", PATIENTS)
        .and(
            "invented.csv",
            "age,sex,disease\n[30-39],f,flu\n[30-39],f,asthma\n",
        )
        .and(
            "foreign.csv",
            "age,sex,disease\n[30-39],f,flu\n[60-69],f,flu\n",
        );
    let hierarchies = "--original patients.csv --hierarchy age=interval:10";
    let run = folder.run(&format!(
        "verify invented.csv -q age,sex -s disease -k 1 {hierarchies} --json"
    ));
    let found = run.ends_with(1).json();
    assert_eq!(found["safe"], false);
    assert_eq!(found["against_original"]["invented"], 1);
    assert_eq!(found["privacy"][0]["holds"], true);
    let run = folder.run(&format!(
        "verify foreign.csv -q age,sex -s disease -k 1 {hierarchies} --json"
    ));
    let found = run.ends_with(1).json();
    let violation = found["against_original"]["violations"][0].as_str().unwrap();
    assert!(violation.contains("column `age`"), "{violation}");
    assert!(!violation.contains("60-69"), "{violation}");
}

#[test]
fn distances_are_measured_from_the_original() {
    // In the release alone both classes look like the whole; the original had other diseases.
    let folder = Folder::with("safe.csv", SAFE).and(
        "original.csv",
        "age,sex,disease\n31,f,flu\n32,f,cold\n41,m,flu\n42,m,cold\n50,m,flu\n51,m,flu\n52,m,flu\n53,m,flu\n",
    );
    let alone = folder.run("verify safe.csv -q age,sex -s disease -t 0.1 --json");
    assert_eq!(alone.ends_with(0).json()["privacy"][0]["reached"], 0);
    let against = folder.run(
        "verify safe.csv -q age,sex -s disease -t 0.1 --original original.csv --hierarchy age=interval:10 --json",
    );
    assert_eq!(against.ends_with(1).json()["privacy"][0]["reached"], 0.25);
}

#[test]
fn an_identifying_column_has_no_place_in_a_release() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let run = folder.run("verify patients.csv -q sex -k 2 --identifying name --json");
    let found = run.ends_with(1).json();
    assert_eq!(found["identifying_published"], json!(["name"]));
    assert_eq!(found["safe"], false);
}

#[test]
fn rows_left_out_of_the_original_are_still_judged_where_they_are_published() {
    let folder = Folder::with("safe.csv", "zip,age\n1,2\n1,2\n1,2\n,2\n1,\n");
    let run = folder.run("verify safe.csv -q zip,age -k 3 --missing-cells exclude-row --json");
    assert_eq!(run.ends_with(1).json()["smallest_class"], 1);
}

#[test]
fn a_row_is_suppressed_only_when_every_cell_of_it_is_a_star() {
    let five = "a,flu,x\na,flu,x\na,cold,x\na,cold,x\na,cold,x\n";
    // The sensitive value is named or not, the note gives the person away.
    for (flags, star) in [("-k 3", "*,cancer,*\n"), ("-s disease -k 3", "*,*,dora\n")] {
        let folder = Folder::with("safe.csv", format!("zip,disease,note\n{five}{star}"));
        let run = folder.run(&format!("verify safe.csv -q zip {flags} --json"));
        assert_eq!(run.ends_with(1).json()["rows_starred"], 0, "{flags}");
    }
    // Suppressed rows do not swell the class of a row that is not.
    let table = format!(
        "zip,disease,note\n{five}*,cancer,x\n{}",
        "*,*,*\n".repeat(4)
    );
    let folder = Folder::with("safe.csv", table);
    let found = folder
        .run("verify safe.csv -q zip -s disease -k 5 -l 2 --json")
        .ends_with(1)
        .json();
    assert_eq!(
        (&found["rows_starred"], &found["smallest_class"]),
        (&json!(4), &json!(1))
    );
}

#[test]
fn suppressed_rows_are_no_values_that_a_distance_could_be_measured_from() {
    let table = "zip,income\na,1\na,2\na,3\nb,1\nb,2\nb,3\n*,*\n*,*\n";
    let folder = Folder::with("safe.csv", table).and(
        "original.csv",
        "zip,income\na,1\na,2\na,3\nb,1\nb,2\nb,3\nc,1\nc,3\n",
    );
    for distance in ["equal", "ordered"] {
        let model = format!("--privacy t-closeness(t=0.1,distance={distance})");
        let found = folder.run(&format!("verify safe.csv -q zip -s income {model} --json"));
        assert_eq!(found.ends_with(0).json()["privacy"][0]["reached"], 0);
        let against = "--original original.csv --hierarchy zip=suppress";
        folder
            .run(&format!(
                "verify safe.csv -q zip -s income {model} {against}"
            ))
            .ends_with(0);
    }
}

#[test]
fn rows_are_compared_whole_with_the_original() {
    let original = "age,disease,drug,note\n31,flu,x,one\n32,cold,y,two\n33,flu,y,three\n";
    let folder = Folder::with("original.csv", original)
        .and(
            "faithful.csv",
            "age,disease,drug,note\n[30-39],flu,x,one\n[30-39],cold,y,two\n[30-39],flu,y,three\n",
        )
        .and(
            "relinked.csv",
            "age,disease,drug,note\n[30-39],flu,y,one\n[30-39],cold,x,two\n[30-39],flu,y,three\n",
        )
        .and("cut.csv", "age,disease,drug,note\n[30-39],flu,x,one\n");
    let verify = |file: &str, flags: &str| {
        folder.run(&format!(
            "verify {file} -q age -s disease,drug -k 1 --original original.csv --hierarchy age=interval:10 {flags} --json"
        ))
    };
    verify("faithful.csv", "--max-suppressed 0").ends_with(0);
    let found = verify("relinked.csv", "").ends_with(1).json();
    assert_eq!(found["against_original"]["invented"], 2);
    verify("cut.csv", "").ends_with(0);
    verify("cut.csv", "--max-suppressed 1").ends_with(1);
}
