//! Scripts, step logs and budgets of the classic algorithms, as users meet them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use serde_json::{Value, json};
use std::path::Path;
use support::{Folder, Run};

/// Anonymizes the teaching table, age and zip being known to others.
fn clinic(folder: &Folder, more: &str) -> Run {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/clinic");
    let data = data.display();
    folder.run(&format!(
        "anonymize '{data}/clinic.csv' --identifying name -q age,zip -s disease --hierarchies '{data}/hierarchies' {more}"
    ))
}

fn outcome(run: &Run) -> Value {
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

fn raise(attribute: &str, level: (u8, &str), values: [u32; 2], violating: [u32; 2]) -> Value {
    json!({
        "action": "raise", "attribute": attribute, "level": level.0, "level_name": level.1,
        "distinct_before": values[0], "distinct": values[1],
        "rows_violating_before": violating[0], "rows_violating": violating[1],
    })
}

#[test]
fn the_steps_of_datafly_on_the_teaching_table_are_those_done_by_hand() {
    let folder = Folder::new();
    // Six ages and six streets, all unlike: the column named first goes first, then the one with more values.
    let done = outcome(&clinic(&folder, "--algorithm datafly -k 3 --json"));
    let steps = json!([
        raise("age", (1, "decade"), [6, 2], [6, 6]),
        raise("zip", (1, "quarter"), [6, 2], [6, 0]),
    ]);
    assert_eq!(done["steps"], steps);
    assert_eq!(done["guarantee"], "heuristic");
    let note = "no budget is given: datafly may then suppress 3 rows";
    assert_eq!(done["notes"], json!([note]));
    // A class of two asthmas and one influenza has two diseases; its three rows are within the budget of k = 3.
    let done = outcome(&clinic(&folder, "--algorithm datafly -k 3 -l 3 --json"));
    assert_eq!(done["rows_suppressed"], 3);
    let steps = json!([
        raise("age", (1, "decade"), [6, 2], [6, 6]),
        raise("zip", (1, "quarter"), [6, 2], [6, 3]),
        { "action": "suppress", "rows_violating_before": 3, "rows_violating": 0 },
    ]);
    assert_eq!(done["steps"], steps);
    // Without a budget the two towns must become one: both columns go all the way up.
    let done = outcome(&clinic(
        &folder,
        "--algorithm datafly -k 3 -l 3 --max-suppressed 0 --json",
    ));
    let path: Vec<(&str, u64)> = (done["steps"].as_array().unwrap().iter())
        .map(|step| {
            (
                step["attribute"].as_str().unwrap(),
                step["rows_violating"].as_u64().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("age", 6),
        ("zip", 3),
        ("age", 3),
        ("age", 3),
        ("zip", 3),
        ("zip", 0),
    ];
    assert_eq!(path, expected);
    // Other algorithms take no steps, and say nothing of them.
    assert!(
        outcome(&clinic(&folder, "-k 3 --json"))
            .get("steps")
            .is_none()
    );
}

#[test]
fn a_script_of_mu_argus_takes_the_steps_done_by_hand() {
    let folder = Folder::new();
    let done = outcome(&clinic(
        &folder,
        "--algorithm mu-argus -k 3 --script zip,zip,age --json",
    ));
    let steps = json!([
        raise("zip", (1, "quarter"), [6, 2], [6, 6]),
        raise("zip", (2, "district"), [2, 2], [6, 6]),
        raise("age", (1, "decade"), [6, 2], [6, 0]),
    ]);
    assert_eq!(done["steps"], steps);
    assert_eq!(done["levels"], json!({"age": 1, "zip": 2}));
    // Automatic choices: both columns are worth the same at first, so the one named first; then the one that helps.
    let done = outcome(&clinic(&folder, "--algorithm mu-argus -k 3 --json"));
    let steps = json!([
        raise("age", (1, "decade"), [6, 2], [6, 6]),
        raise("zip", (1, "quarter"), [6, 2], [6, 0]),
    ]);
    assert_eq!(done["steps"], steps);
}

#[test]
fn the_certificate_has_a_script_that_makes_the_release_again() {
    let folder = Folder::new();
    let promise = "--algorithm mu-argus -k 3 -l 3 --max-suppressed 3";
    let files = "-o one.csv --certificate one.json";
    let run = clinic(&folder, &format!("{promise} {files} --verbose"));
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("suppress"), "{}", run.stdout);
    let certificate: Value = serde_json::from_str(&folder.read("one.json")).unwrap();
    let script = certificate["request"]["script"].as_array().unwrap();
    let words: Vec<&str> = script.iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(words, ["age", "zip", "suppress"]);
    let job = "[search]\nalgorithm = \"mu-argus\"\nscript = [\"age\", \"zip\", \"suppress\"]\n";
    let folder = folder.and("job.toml", job);
    let run = clinic(
        &folder,
        "--job job.toml -k 3 -l 3 --max-suppressed 3 -o two.csv",
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(folder.read("one.csv"), folder.read("two.csv"));
}

#[test]
fn scripts_that_cannot_be_are_refused_with_what_to_do() {
    let folder = Folder::new();
    for (flags, message, hint) in [
        (
            "-k 3 --script age",
            "the algorithm `optimal` reads no script",
            "take `--algorithm mu-argus`",
        ),
        (
            "--algorithm mu-argus -k 3 --script age,zp",
            "`zp` is neither a quasi-identifier nor `suppress`",
            "did you mean `zip`?",
        ),
        (
            "--algorithm mu-argus -k 3 --script age,suppress",
            "6 rows violate a promise and at most 0 may be suppressed",
            "hint: raise a column first\n",
        ),
        (
            "--algorithm mu-argus -k 3 --script age",
            "after the last choice 6 rows violate a promise",
            "hint: raise another column\n",
        ),
        (
            "--algorithm mu-argus -k 3 --max-levels 1,1 --script age,age",
            "column `age` is at level 1 and may not be raised further",
            "`--max-levels`",
        ),
    ] {
        let run = clinic(&folder, flags);
        assert_eq!(run.code, 2, "{flags}: {}", run.stdout);
        assert!(run.stderr.contains(message), "{flags}: {}", run.stderr);
        assert!(run.stderr.contains(hint), "{flags}: {}", run.stderr);
    }
}
