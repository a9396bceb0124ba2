//! Advice as users meet it: every command that it gives runs and keeps the promise, and `auto` takes the first one.

use crate::support::{Folder, Run, program};
use fastrand::Rng;
use incrowd_core::algorithms::ALGORITHMS;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

fn json(run: &Run) -> Value {
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

fn names(advice: &Value, list: &str) -> Vec<String> {
    let all = advice[list].as_array().unwrap().iter();
    all.map(|it| it["algorithm"].as_str().unwrap().to_owned())
        .collect()
}

/// Runs a command that was printed, as a shell does.
fn run_in_shell(folder: &Folder, command: &str) -> Run {
    let command = command.replacen("incrowd", &format!("'{}'", program().display()), 1);
    let mut shell = Command::new("sh");
    shell
        .current_dir(folder.path(""))
        .arg("-c")
        .arg(format!("{command} --json"));
    Run::of(shell.output().unwrap())
}

/// A random table with names that a shell would change.
fn random_table(rng: &mut Rng) -> String {
    let mut table = "age,home town,it's,disease,days,name\n".to_owned();
    for row in 0..rng.usize(12..60) {
        let towns = ["Bonn", "Essen", "Unna", "St. Ives", ""];
        let town = towns[rng.usize(0..5).min(rng.usize(0..5))];
        let sex = ["F", "M"][rng.usize(0..2)];
        let disease = ["flu", "cold", "asthma"][row % 3];
        let (age, days) = (rng.usize(20..70), rng.usize(1..9));
        writeln!(table, "{age},{town},{sex},{disease},{days},person {row}").unwrap();
    }
    table
}

/// Flags of all kinds, at random.
fn random_flags(rng: &mut Rng) -> String {
    let mut flags = String::new();
    let mut maybe = |of: u8, choices: &[&str]| {
        if rng.u8(0..of) == 0 {
            write!(flags, " {}", choices[rng.usize(0..choices.len())]).unwrap();
        }
    };
    maybe(
        2,
        &[
            "--use any",
            "--use classification",
            "--use regression",
            "--use tables",
        ],
    );
    maybe(3, &["--quality optimal", "--quality good"]);
    maybe(
        3,
        &[
            "--generalization full-domain",
            "--generalization cuts",
            "--generalization partitions",
            "--generalization regions",
        ],
    );
    maybe(3, &["--may-suppress yes", "--may-suppress no"]);
    maybe(
        4,
        &[
            "--property overlap=no",
            "--property heuristic=yes",
            "--property results=several",
        ],
    );
    maybe(
        3,
        &["--target disease", "--target days", "--target disease,days"],
    );
    maybe(
        2,
        &[
            "-k 2",
            "-k 3",
            "-k 2 --privacy 'distinct-l-diversity(l=2,column=disease)' -s disease",
        ],
    );
    maybe(
        3,
        &["--missing-cells match-any", "--missing-cells exclude-row"],
    );
    maybe(4, &["--metric ncp", "--metric discernibility"]);
    maybe(4, &["--rule 'age: 39|40 = 5'", "--weight age=1"]);
    maybe(4, &["--max-suppressed 2", "--max-suppressed 10%"]);
    maybe(
        5,
        &[
            "--numbers mean",
            "--relaxed",
            "--hierarchy age=interval:5,20",
        ],
    );
    flags
}

/// `INCROWD_LAWS=20` tries twenty times as many tables.
#[test]
fn every_command_advised_on_a_random_table_runs_and_keeps_its_promise() {
    let (mut ran, mut first_choices) = (0, 0);
    let times = std::env::var("INCROWD_LAWS").ok();
    let times: u64 = times.and_then(|times| times.parse().ok()).unwrap_or(1);
    for seed in 0..14 * times {
        let rng = &mut Rng::with_seed(seed);
        let folder = Folder::with("the table.csv", random_table(rng));
        let columns = "-q 'age,home town,it'\\''s'";
        let flags = random_flags(rng);
        // The words of the test's own runner cannot hold a quote; a shell can.
        let asked = format!("incrowd advise 'the table.csv' {columns}{flags}");
        let run = run_in_shell(&folder, &asked);
        let case = format!("seed {seed}: {flags}");
        assert_eq!(run.code, 0, "{case}: {}", run.stderr);
        let advice = json(&run);
        let (ranked, excluded) = (names(&advice, "ranked"), names(&advice, "excluded"));
        let all: BTreeSet<&String> = ranked.iter().chain(&excluded).collect();
        assert_eq!(all.len(), ALGORITHMS.len(), "{case}");
        assert_eq!(ranked.len() + excluded.len(), ALGORITHMS.len(), "{case}");
        for advised in advice["ranked"].as_array().unwrap() {
            let command = advised["command"].as_str().unwrap();
            assert!(!advised["reasons"].as_array().unwrap().is_empty(), "{case}");
            let outcome = json(&run_in_shell(&folder, command));
            assert_eq!(outcome["algorithm"], advised["algorithm"], "{case}");
            let mut promises = outcome["privacy"].as_array().unwrap().iter();
            assert!(promises.all(|it| it["holds"] == true), "{case}: {command}");
            assert!(folder.path("safe.csv").exists(), "{case}: {command}");
            ran += 1;
        }
        // Left open, the first that needs nobody is taken, whatever the threads.
        if let Some(advised) = advice["ranked"].as_array().unwrap().first() {
            // With cells that match any value, only what cannot miss a solution is taken.
            let is_open = [
                "--use",
                "--quality",
                "--generalization",
                "--property",
                "match-any",
            ];
            if is_open.iter().any(|flag| flags.contains(flag)) || ranked[0] == "mu-argus" {
                continue;
            }
            let name = ranked[0].as_str();
            let command = advised["command"].as_str().unwrap();
            let command = command.replace(&format!("--algorithm {name}"), "--algorithm auto");
            for threads in [1, 3] {
                let outcome = json(&run_in_shell(
                    &folder,
                    &format!("{command} --threads {threads}"),
                ));
                assert_eq!(outcome["algorithm"], *name, "{case}");
                assert_eq!(outcome["advised"], advised["reasons"], "{case}");
            }
            first_choices += 1;
        }
    }
    assert!(ran > 60 && first_choices > 1, "{ran} {first_choices}");
}

fn adult(folder: &Folder, command: &str, more: &str) -> Run {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/adult");
    let data = data.display();
    folder.run(&format!(
        "{command} '{data}/adult.csv' --hierarchies '{data}/hierarchies' {more}"
    ))
}

#[test]
fn the_rules_of_the_paper_are_what_is_answered_on_adult() {
    let folder = Folder::new();
    let columns = "-q age,education,marital-status,sex --json";
    let advice = json(&adult(&folder, "advise", &format!("{columns} --use any")));
    assert_eq!(advice["ranked"][0]["algorithm"], "mondrian");
    let wishes = "--use any --quality optimal --generalization full-domain";
    let advice = json(&adult(&folder, "advise", &format!("{columns} {wishes}")));
    assert_eq!(names(&advice, "ranked")[..2], ["incognito", "samarati"]);
    let large = format!("{columns} --use any --work-limit 100k");
    let advice = json(&adult(&folder, "advise", &large));
    assert_eq!(
        names(&advice, "ranked")[..3],
        ["mondrian", "datafly", "mu-argus"]
    );
    assert_eq!(advice["table"]["is_large"], true);
}

#[test]
fn a_target_is_assumed_and_the_first_few_are_tried_on_a_sample() {
    let folder = Folder::new();
    let asked = "-q age,education,sex --use classification --try 2 --json";
    let advice = json(&adult(&folder, "advise", asked));
    assert_eq!(advice["ranked"][0]["algorithm"], "mondrian-infogain");
    let command = advice["ranked"][0]["command"].as_str().unwrap();
    assert!(command.contains("--target salary-class"), "{command}");
    let tried = &advice["ranked"][0]["tried"];
    assert_eq!(tried["rows"], 5000);
    assert!(tried["accuracy"].as_f64().unwrap() > 0.7, "{tried}");
    assert!(advice["ranked"][1]["tried"]["ncp"].is_number());
    assert_eq!(advice["ranked"][2]["tried"], Value::Null);
    let again = json(&adult(&folder, "advise", asked));
    let figures = |advice: &Value| {
        let tried = &advice["ranked"][0]["tried"];
        [tried["ncp"].clone(), tried["accuracy"].clone()]
    };
    assert_eq!(figures(&advice), figures(&again));
}

#[test]
fn a_job_that_leaves_the_algorithm_open_says_which_was_taken_and_verifies() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/adult/adult.csv");
    let job = format!(
        "[data]\npath = \"{}\"\n[columns]\nquasi_identifiers = [\"age\", \"sex\"]\nothers = \"drop\"\n\
         [privacy]\nmodels = [\"k-anonymity(k=5)\"]\n[search]\nalgorithm = \"auto\"\n",
        data.display()
    );
    let folder = Folder::with("job.toml", job);
    let run = folder.run("anonymize --job job.toml -o out.csv --certificate out.json");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("mondrian (auto): "), "{}", run.stdout);
    let certificate: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    assert_eq!(certificate["request"]["algorithm"], "mondrian");
    assert!(
        !certificate["request"]["advised"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    let verified = json(&folder.run(&format!(
        "verify out.csv --certificate out.json --job job.toml --original '{}' --json",
        data.display()
    )));
    assert_eq!(
        verified["certificate"]["mismatches"],
        Value::Array(Vec::new())
    );
}

#[test]
fn what_could_miss_a_solution_is_not_taken_without_anyone_to_try_another() {
    let asked =
        "-q age,sex -s salary-class --others drop --max-suppressed 5% --algorithm auto --json";
    let taken = |model: &str| {
        let more = format!("{asked} --privacy {model}");
        json(&adult(&Folder::new(), "anonymize", &more))
    };
    assert_eq!(taken("'k-anonymity(k=5)'")["algorithm"], "mondrian");
    // A class that keeps it, merged with any other, may break it.
    assert_eq!(
        taken("'entropy-l-diversity(l=1.2)'")["guarantee"],
        "optimal"
    );
}

#[test]
fn a_property_that_nobody_has_is_refused_with_those_there_are() {
    let folder = Folder::with("t.csv", "age,sex\n1,F\n2,M\n3,F\n4,M\n5,F\n");
    let run = folder.run("advise t.csv -q age --property colour=blue");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("small-data"), "{}", run.stderr);
    let run = folder.run("advise t.csv -q age --property overlap=maybe");
    assert!(run.stderr.contains("yes, no"), "{}", run.stderr);
}

#[test]
fn a_table_from_standard_input_is_read_once_and_used_for_everything() {
    let folder = Folder::with("t.csv", "age,sex\n1,F\n2,M\n3,F\n4,M\n5,F\n6,M\n7,F\n");
    let mut command = folder.command("advise - -q age -k 2 --use any --try 1 --json");
    let file = std::fs::File::open(folder.path("t.csv")).unwrap();
    let advice = json(&Run::of(command.stdin(file).output().unwrap()));
    assert_eq!(advice["table"]["rows"], 7);
    assert_eq!(advice["ranked"][0]["tried"]["rows"], 7);
    let command = advice["ranked"][0]["command"].as_str().unwrap();
    assert!(
        command.starts_with("incrowd anonymize - -q age"),
        "{command}"
    );
}

#[test]
fn advice_on_a_job_that_would_be_refused_says_so() {
    let row = |at: usize| format!("{},person {at}\n", at % 5);
    let rows: String = (0..40).map(row).collect();
    let folder = Folder::with("t.csv", format!("age,name\n{rows}"));
    let advised = |more: &str| {
        let asked = format!("advise t.csv -q age --others keep {more} --json");
        let advice = json(&folder.run(&asked));
        let command = advice["ranked"][0]["command"].as_str().unwrap();
        (
            advice["notes"].to_string(),
            run_in_shell(&folder, command).code,
        )
    };
    let (notes, code) = advised("");
    assert!(
        notes.contains("will refuse") && notes.contains("--keep name"),
        "{notes}"
    );
    assert_eq!(code, 2);
    let (notes, code) = advised("--keep name");
    assert!(!notes.contains("will refuse"), "{notes}");
    assert_eq!(code, 0);
}

#[test]
fn questions_are_answered_from_standard_input_if_asked_for() {
    let folder = Folder::with("t.csv", "age,sex\n1,F\n2,M\n3,F\n4,M\n5,F\n6,M\n7,F\n");
    let run = folder.run("advise t.csv -q age --ask -k 2");
    // Standard input is empty: nothing matters.
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stdout.contains("What will the release be used for?"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("  1  mondrian"), "{}", run.stdout);
}

/// Odd numbers are not next to each other, so no interval of several stays within the groups of level 1. Nothing but levels is
/// left if merging classes can break the promise.
#[test]
fn groups_that_a_scheme_cannot_make_are_not_taken_where_levels_are_limited() {
    let folder = Folder::with("t.csv", "n,c\n1,x\n2,y\n3,x\n4,y\n1,x\n2,y\n3,x\n4,y\n")
        .and("n.csv", "1,odd,*\n2,even,*\n3,odd,*\n4,even,*\n");
    let run = folder.run(
        "anonymize t.csv -q n -s c -k 3 --privacy delta-disclosure(delta=5,absent=ignore) --hierarchy n=n.csv --max-levels 1 --algorithm auto --json",
    );
    let found = run.ends_with(0).json();
    assert_ne!(found["algorithm"], "partition");
    assert_eq!(found["levels"]["n"], 1);
}
