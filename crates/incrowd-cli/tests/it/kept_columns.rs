//! Columns published as they are must not undo what is promised (issue 9, `keep`).

use crate::support::Folder;
use serde_json::{Value, json};

const DISEASES: [(&str, &str); 4] = [
    ("asthma", "J45"),
    ("flu", "J10"),
    ("HIV", "B20"),
    ("diabetes", "E11"),
];

/// 200 invented patients. `city` is as good as `zip`, `code` as `diagnosis`; `floor` says nothing.
fn hospital() -> String {
    let mut text = "patient_name,ssn,birth_date,zip,sex,diagnosis,code,city,floor\n".to_owned();
    for row in 0..200 {
        let (disease, code) = DISEASES[row / 10 % 4];
        let zip = row % 5;
        text += &format!(
            "Person {row},{},19{:02}-0{}-1{},4501{zip},{},{disease},{code},town {zip},{}\n",
            711_178_002 + 7919 * row,
            40 + row % 50,
            1 + row / 50,
            row % 9,
            ["f", "m"][row / 5 % 2],
            row / 40
        );
    }
    text
}

const ASK: &str = "anonymize hosp.csv -q zip,sex -s diagnosis --others keep -k 5 -l 2";
const REVEALING: [&str; 5] = ["patient_name", "ssn", "birth_date", "code", "city"];

#[test]
fn columns_that_give_people_away_are_refused_with_the_reason_for_each() {
    let folder = Folder::with("hosp.csv", hospital());
    let run = folder.run(&format!("{ASK} -o o.csv --certificate c.json"));
    let error = run.ends_with(2).stderr;
    let expected = "\
error: 5 columns would reveal people if published unchanged
  at:   `patient_name` (identifying: nearly every row has a unique value (100 % distinct)), \
`ssn` (identifying: nearly every row has a unique value (100 % distinct)), \
`birth_date` (100 % of rows have a unique value), \
`code` (determines `diagnosis`), `city` (determines `zip`)
";
    assert!(error.starts_with(expected), "{error}");
    assert!(
        error.contains("`--keep patient_name,ssn,birth_date,code,city`"),
        "{error}"
    );
    assert!(!error.contains("Person") && !error.contains("J45") && !error.contains("town"));
    assert_eq!(folder.list("."), ["hosp.csv"], "nothing is written");
    let json = folder.run(&format!("{ASK} --json")).ends_with(2);
    assert!(json.stderr.contains("revealing-columns") || json.stdout.contains("revealing-columns"));
}

#[test]
fn each_is_kept_only_if_it_is_named() {
    let folder = Folder::with("hosp.csv", hospital());
    for left_out in REVEALING {
        let named: Vec<&str> = (REVEALING.into_iter())
            .filter(|name| *name != left_out)
            .collect();
        let run = folder.run(&format!("{ASK} --keep {}", named.join(",")));
        let error = run.ends_with(2).stderr;
        assert!(
            error.starts_with(&format!("error: column `{left_out}` would reveal")),
            "{error}"
        );
    }
    let one_by_one = REVEALING.map(|name| format!("--keep {name}")).join(" ");
    folder.run(&format!("{ASK} {one_by_one}")).ends_with(0);
}

#[test]
fn a_job_file_refuses_and_keeps_the_same() {
    let job = |keep: &str| {
        format!(
            "[data]\npath = \"hosp.csv\"\n[columns]\nquasi_identifiers = [\"zip\", \"sex\"]\n\
             sensitive = [\"diagnosis\"]\n{keep}others = \"keep\"\n[privacy]\nmodels = [\"k-anonymity(k=5)\"]\n\
             [output]\npath = \"o.csv\"\n"
        )
    };
    let folder = Folder::with("hosp.csv", hospital())
        .and("refused.toml", job(""))
        .and("kept.toml", job(&format!("keep = {REVEALING:?}\n")));
    let error = folder.run("anonymize --job refused.toml").ends_with(2);
    assert!(error.stderr.contains("5 columns"), "{}", error.stderr);
    folder.run("anonymize --job kept.toml").ends_with(0);
    assert!(folder.read("o.csv").contains("Person 0"));
}

#[test]
fn columns_kept_by_name_need_no_word_about_the_others() {
    let folder = Folder::with("t.csv", "age,note,plan\n1,x,a\n1,x,b\n2,y,a\n2,x,b\n");
    let kept = "anonymize t.csv -q age --keep plan -k 1 -o o.csv";
    let error = folder.run(kept).ends_with(2).stderr;
    assert!(error.contains("column `note` has no role"), "{error}");
    folder.run(&format!("{kept} --others drop")).ends_with(0);
    assert_eq!(folder.read("o.csv").lines().next(), Some("age,plan"));
    let error = folder
        .run("anonymize t.csv -q age --keep age -k 1")
        .ends_with(2);
    assert!(error.stderr.contains("listed both"), "{}", error.stderr);
}

#[test]
fn report_and_certificate_list_every_column_published_as_it_is() {
    let folder = Folder::with("hosp.csv", hospital());
    let keep = REVEALING.join(",");
    let flags = format!("{ASK} --keep {keep} -o o.csv --certificate c.json");
    let outcome = folder.run(&format!("{flags} --json")).ends_with(0).json();
    let unchanged = |column: &str, role: &str, distinct: u64, rows: u64| {
        json!({"column": column, "role": role, "distinct": distinct, "distinct_is_exact": true,
            "singled_out": {"rows": rows, "share": rows as f64 / 200.0, "is_exact": true}})
    };
    assert_eq!(
        outcome["unchanged"],
        json!([
            unchanged("diagnosis", "sensitive", 4, 0),
            unchanged("patient_name", "kept", 200, 200),
            unchanged("ssn", "kept", 200, 200),
            unchanged("birth_date", "kept", 200, 200),
            unchanged("code", "kept", 4, 0),
            unchanged("city", "kept", 5, 0),
            unchanged("floor", "kept", 5, 0),
        ])
    );
    assert_eq!(
        outcome["kept_with_classes"],
        json!({"rows": 200, "share": 1.0, "is_exact": true})
    );
    let warnings = outcome["warnings"].to_string();
    for words in [
        "kept column `patient_name` (identifying",
        "kept column `code` (determines `diagnosis`)",
        "the kept columns together split the classes and make 100.0 % of rows unique",
    ] {
        assert!(warnings.contains(words), "{warnings}");
    }
    // That `city` tells the raw zip is known from the table only.
    assert_eq!(
        outcome["notes"][0],
        json!(
            "WARNING: in the raw table, kept column `city` (determines `zip`): generalizing `zip` is in vain, \
             as readers can look up the raw value"
        )
    );
    let certificate: Value = serde_json::from_str(&folder.read("c.json")).unwrap();
    for field in ["unchanged", "kept_with_classes", "warnings"] {
        assert_eq!(certificate["reached"][field], outcome[field], "{field}");
    }
    // Without a file to write the same is measured.
    let dry = folder
        .run(&format!("{ASK} --keep {keep} --json"))
        .ends_with(0)
        .json();
    assert_eq!(dry["unchanged"], outcome["unchanged"]);
    assert_eq!(dry["warnings"], outcome["warnings"]);
    for text in [folder.run(&flags).ends_with(0).stdout, folder.read("c.txt")] {
        assert!(
            text.contains("ssn (kept), singles out 100.0 % of rows"),
            "{text}"
        );
        assert!(
            text.contains(
                "diagnosis (sensitive), code (kept), city (kept), floor (kept): single out nobody"
            ),
            "{text}"
        );
        assert!(text.contains("WARNING"), "{text}");
    }
    // Whoever gets the file can see as much.
    let seen = folder
        .run("verify o.csv -q zip,sex -s diagnosis -k 5 --json")
        .ends_with(0)
        .json();
    for field in ["unchanged", "kept_with_classes", "warnings"] {
        assert_eq!(seen[field], outcome[field], "{field}");
    }
    let seen = folder.run("verify o.csv -q zip,sex -s diagnosis -k 5 --original hosp.csv --json");
    let notes = seen.ends_with(0).json()["notes"].to_string();
    assert!(
        notes.contains("kept column `city` (determines `zip`)"),
        "{notes}"
    );
}

#[test]
fn rows_singled_out_are_counted_among_published_rows() {
    // y is suppressed; then n1 is in one row, n2 in two, n3 in one.
    let table = "zip,plan,note\nx,a,n1\nx,a,n2\nx,b,n2\nx,b,n3\ny,a,n1\n";
    let folder = Folder::with("t.csv", table);
    let run = folder.run(
        "anonymize t.csv -q zip --target plan --keep note -k 2 --max-suppressed 1 --hierarchy zip=suppress \
         --suppressed star -o o.csv --json",
    );
    let outcome = run.ends_with(0).json();
    assert_eq!(outcome["rows_suppressed"], 1);
    assert_eq!(
        outcome["unchanged"],
        json!([
            {"column": "plan", "role": "target", "distinct": 2, "distinct_is_exact": true,
             "singled_out": {"rows": 0, "share": 0.0, "is_exact": true}},
            {"column": "note", "role": "kept", "distinct": 3, "distinct_is_exact": true,
             "singled_out": {"rows": 2, "share": 0.5, "is_exact": true}},
        ])
    );
    assert_eq!(outcome["kept_with_classes"]["rows"], 2);
}

#[test]
fn a_copy_with_a_few_wrong_rows_is_still_a_copy() {
    let mut table = "zip,copy\n".to_owned();
    for row in 0..300 {
        let copy = if row % 60 == 0 { 0 } else { row % 6 };
        table += &format!("{},c{copy}\n", row % 6);
    }
    let folder = Folder::with("t.csv", table);
    let error = folder
        .run("anonymize t.csv -q zip --others keep -k 2")
        .ends_with(2);
    assert!(
        error.stderr.contains("determines `zip`"),
        "{}",
        error.stderr
    );
}

#[test]
fn kept_columns_that_divide_classes_are_warned_about_and_not_refused() {
    // None singles anybody out, and none tells the zip; together with the class they do.
    let mut table = "zip,a,b,c\n".to_owned();
    for row in 0..240 {
        table += &format!(
            "{},{},{},{}\n",
            row % 6,
            row / 6 % 8,
            row * 7 % 5,
            row * row % 5
        );
    }
    let folder = Folder::with("t.csv", table);
    let outcome = folder
        .run("anonymize t.csv -q zip --others keep -k 2 --json")
        .ends_with(0)
        .json();
    let together = outcome["kept_with_classes"]["share"].as_f64().unwrap();
    assert!(together > 0.25, "{together}");
    assert!(
        outcome["warnings"]
            .to_string()
            .contains("together split the classes")
    );
}

#[test]
fn more_values_than_are_counted_give_the_same_estimate_on_any_threads() {
    let mut table = "zip,plan,stamp\n".to_owned();
    for row in 0..90_000 {
        table += &format!("{},{},s{row}\n", row % 7, row / 7 % 3);
    }
    let folder = Folder::with("t.csv", table);
    folder
        .run("anonymize t.csv -q zip --others keep -k 5")
        .ends_with(2);
    let ask = "anonymize t.csv -q zip -s plan --keep stamp -k 5 -o o.csv --certificate c.json";
    let mut made = Vec::new();
    for threads in [1, 2, 3, 4, 8] {
        folder
            .run(&format!("{ask} --threads {threads}"))
            .ends_with(0);
        made.push(folder.read("c.json"));
    }
    assert!(made.iter().all(|certificate| *certificate == made[0]));
    let certificate: Value = serde_json::from_str(&made[0]).unwrap();
    let stamp = &certificate["reached"]["unchanged"][1];
    assert_eq!(stamp["singled_out"]["is_exact"], false);
    assert_eq!(stamp["distinct_is_exact"], false);
    assert_eq!(
        certificate["reached"]["unchanged"][0]["distinct_is_exact"],
        true
    );
    let said = folder.run(ask).ends_with(0).stdout;
    for text in [said, folder.read("c.txt")] {
        let about = format!(
            "stamp (kept), about {} values, singles out about",
            stamp["distinct"]
        );
        assert!(text.contains(&about), "{text}");
    }
    // All are singled out; the estimate may miss by some standard errors of 0.6 %.
    let share = stamp["singled_out"]["share"].as_f64().unwrap();
    assert!((0.96..=1.0).contains(&share), "{share}");
    folder
        .run("verify o.csv --certificate c.json --original t.csv")
        .ends_with(0);
}

#[test]
fn kept_columns_that_determine_a_quasi_identifier_together_cause_a_warning() {
    // Neither the row nor the seat tells the place, both do.
    let mut table = String::from("place,row,seat,answer\n");
    for visit in 0..240 {
        let (row, seat) = (visit % 4, visit / 4 % 6);
        let place = (row + 2 * seat) % 5;
        table.push_str(&format!(
            "p{place},r{row},s{seat},{}\n",
            ["yes", "no"][visit % 7 % 2]
        ));
    }
    let folder = Folder::with("t.csv", table);
    let ask = "anonymize t.csv -q place -s answer --others keep -k 5 -o o.csv --certificate c.json";
    let words = "the kept columns together determine `place`: generalizing `place` is in vain";
    let text = folder.run(ask).ends_with(0).stdout;
    let warning = text.lines().find(|line| line.contains(words));
    assert!(
        warning.is_some_and(|line| line.starts_with("WARNING")),
        "{text}"
    );
    folder
        .run("verify o.csv --certificate c.json --original t.csv")
        .ends_with(0);
    // One of them alone is harmless.
    let alone = folder.run(&format!("{ask} --identifying seat"));
    assert!(!alone.stdout.contains("in vain"), "{}", alone.stdout);
}
