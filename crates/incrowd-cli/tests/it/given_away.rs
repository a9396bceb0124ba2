//! No column that is published as it is may undo a promise unseen, whatever its role (issue 9, second round).

use crate::support::Folder;
use serde_json::{Value, json};

/// 600 patients. `zone` is a copy of `zip` and `dcopy` of `diagnosis`; ward H has all HIV patients and nobody else; `one`
/// and `other` tell whether it is flu only together; `coin` and `room` say nothing.
fn patients() -> String {
    let mut text = "zip,age,diagnosis,ward,zone,dcopy,one,other,coin,room\n".to_owned();
    let mut state = 7u32;
    let mut draw = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % below
    };
    for row in 0..600 {
        let diagnosis = match row % 10 {
            0 => "HIV",
            1..4 => "asthma",
            4..7 => "flu",
            _ => "cold",
        };
        let ward = match diagnosis {
            "HIV" => "H",
            _ => ["A", "B", "C"][draw(3) as usize],
        };
        let zip = 10_000 + draw(20);
        let one = draw(2);
        let other = one ^ u32::from(diagnosis == "flu");
        text += &format!(
            "{zip},{},{diagnosis},{ward},{zip},{diagnosis},{one},{other},{},r{}\n",
            20 + draw(60),
            draw(2),
            draw(50)
        );
    }
    text
}

const ASK: &str = "anonymize w.csv -q zip,age -k 5 --others drop -o o.csv --certificate c.json";

fn folder() -> Folder {
    Folder::with("w.csv", patients())
}

#[test]
fn a_target_or_a_sensitive_column_that_tells_a_quasi_identifier_is_refused_unless_it_is_named() {
    for roles in ["-s diagnosis -l 2 --target zone", "-s diagnosis,zone -l 2"] {
        let folder = folder();
        let error = folder.run(&format!("{ASK} {roles}")).ends_with(2).stderr;
        assert!(
            error.starts_with("error: column `zone` would reveal people"),
            "{error}"
        );
        assert!(error.contains("`zone` (determines `zip`)"), "{error}");
        assert!(error.contains("`--keep zone`"), "{error}");
        assert_eq!(folder.list("."), ["w.csv"], "nothing is written");
        let named = format!("{ASK} {roles} --keep zone --json");
        let outcome = folder.run(&named).ends_with(0).json();
        let notes = outcome["notes"].to_string();
        assert!(
            notes.contains("column `zone` (determines `zip`)"),
            "{notes}"
        );
        let unchanged = outcome["unchanged"].as_array().unwrap();
        assert!(unchanged.iter().any(|column| column["column"] == "zone"));
        folder
            .run("verify o.csv --certificate c.json --original w.csv")
            .ends_with(0);
    }
}

#[test]
fn a_refusal_comes_before_what_is_wrong_with_hierarchies_whatever_the_threads() {
    let folder = folder();
    folder.write("zip.csv", "zip;any\n10000;*\n");
    let listed = "--hierarchy zip=zip.csv -s diagnosis -l 2";
    for flags in [
        "--threads 1",
        "--threads 2",
        "--threads 5",
        "--threads 3 --memory-limit 1G",
    ] {
        let both = folder.run(&format!("{ASK} {listed} --target zone {flags}"));
        let error = both.ends_with(2).stderr;
        assert!(
            error.contains("`zone` (determines `zip`)"),
            "{flags}: {error}"
        );
        let named = format!("{ASK} {listed} --target zone --keep zone {flags}");
        let error = folder.run(&named).ends_with(2).stderr;
        assert!(
            error.starts_with("error: 19 values of column `zip` are missing"),
            "{flags}: {error}"
        );
        assert_eq!(folder.list("."), ["w.csv", "zip.csv"], "nothing is written");
    }
}

#[test]
fn a_target_that_tells_a_sensitive_column_is_refused_and_a_sensitive_one_only_warned_about() {
    let folder = folder();
    let target = format!("{ASK} -s diagnosis -l 2 --target dcopy");
    let error = folder.run(&target).ends_with(2).stderr;
    assert!(
        error.contains("`dcopy` (determines `diagnosis`)"),
        "{error}"
    );
    let outcome = folder
        .run(&format!("{target} --keep dcopy --json"))
        .ends_with(0)
        .json();
    let warnings = outcome["warnings"].to_string();
    assert!(
        warnings.contains("target column `dcopy` (determines `diagnosis`)"),
        "{warnings}"
    );
    let both = folder.run(&format!("{ASK} -s diagnosis,dcopy -l 2 --json"));
    let warnings = both.ends_with(0).json()["warnings"].to_string();
    assert!(
        warnings.contains(
            "sensitive column `dcopy` (determines `diagnosis`): a model that protects one"
        ),
        "{warnings}"
    );
}

#[test]
fn a_kept_column_that_gives_some_sensitive_values_away_is_refused_where_something_is_promised() {
    let folder = folder();
    let kept = "anonymize w.csv -q zip,age -s diagnosis -k 5 --identifying zone,dcopy,one,other --others keep \
                -o o.csv --certificate c.json";
    let error = folder.run(&format!("{kept} -l 2")).ends_with(2).stderr;
    assert!(
        error.contains("at:   `ward` (reveals `diagnosis` for 10 % of rows)\n"),
        "{error}"
    );
    assert!(!error.contains("HIV"), "cells are not quoted: {error}");
    // Nothing is promised about the diagnosis, or the column is named.
    for flags in ["", "-l 2 --keep ward"] {
        let outcome = folder
            .run(&format!("{kept} {flags} --json"))
            .ends_with(0)
            .json();
        let warnings = outcome["warnings"].to_string();
        assert!(
            warnings.contains("kept column `ward` (reveals `diagnosis` for 10 % of rows)"),
            "{warnings}"
        );
        let given = &outcome["given_away"][0];
        assert_eq!(given["column"], "diagnosis");
        let by: Vec<&Value> = given["by"].as_array().unwrap().iter().collect();
        assert_eq!(
            by,
            [&json!({"column": "ward", "rows": 60, "share": 0.1, "is_exact": true})]
        );
        let certificate: Value = serde_json::from_str(&folder.read("c.json")).unwrap();
        assert_eq!(certificate["reached"]["given_away"], outcome["given_away"]);
        let found = folder
            .run("verify o.csv -q zip,age -s diagnosis -k 5 --json")
            .ends_with(0)
            .json();
        assert_eq!(found["given_away"], outcome["given_away"], "{flags}");
        folder
            .run("verify o.csv --certificate c.json --original w.csv")
            .ends_with(0);
        let forged = folder
            .read("c.json")
            .replace("\"rows\": 60", "\"rows\": 59");
        let forged = Folder::with("c.json", forged).and("o.csv", folder.read("o.csv"));
        forged.run("verify o.csv --certificate c.json").ends_with(1);
    }
    for text in [folder.read("c.txt"), folder.run(kept).ends_with(0).stdout] {
        assert!(text.contains("they reveal `diagnosis` for"), "{text}");
    }
}

#[test]
fn columns_that_give_values_away_only_together_are_warned_about() {
    let folder = folder();
    let run = folder.run(
        "anonymize w.csv -q zip -s diagnosis -k 5 -l 2 --keep one,other --others drop \
         --hierarchy zip=suppress --json",
    );
    let outcome = run.ends_with(0).json();
    let given = &outcome["given_away"][0];
    assert_eq!(given["by"], json!([]), "neither alone gives anything away");
    // In every class those with `one` unlike `other` have the flu: 30 % of the rows.
    let share = given["share"].as_f64().unwrap();
    assert!((0.3..0.4).contains(&share), "{given}");
    let warnings = outcome["warnings"].to_string();
    assert!(
        warnings.contains("together reveal `diagnosis` within the classes"),
        "{warnings}"
    );
    // What says nothing is not warned about.
    let run = folder.run(
        "anonymize w.csv -q zip -s diagnosis -k 5 -l 2 --keep coin --others drop --hierarchy zip=suppress --json",
    );
    let outcome = run.ends_with(0).json();
    assert_eq!(outcome["given_away"][0]["rows"], 0);
    assert!(outcome.get("warnings").is_none_or(|it| it == &json!([])));
}

#[test]
fn chance_is_not_taken_for_giving_away() {
    // 97 % are well; every room of twelve rows has next to nobody who is ill.
    let mut table = "zip,state,room\n".to_owned();
    for row in 0..1200 {
        let state = if row % 37 == 5 { "ill" } else { "well" };
        table += &format!("{},{state},r{}\n", row % 6, row * 7919 % 100);
    }
    let folder = Folder::with("t.csv", table);
    let run = folder.run("anonymize t.csv -q zip -s state -k 5 -l 2 --others keep --json");
    let outcome = run.ends_with(0).json();
    let by = &outcome["given_away"][0]["by"][0];
    assert!(by["share"].as_f64().unwrap() > 0.5, "{by}");
    let warnings = outcome["warnings"].to_string();
    assert!(!warnings.contains("column `room`"), "{warnings}");
}
