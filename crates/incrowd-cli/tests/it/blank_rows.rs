//! Rows of nothing but `*` are read the same by the program that writes them and by whoever has only the file (issue 9,
//! second round).

use crate::support::Folder;
use serde_json::json;

const VERIFY: &str = "verify o.csv --certificate c.json --original t.csv --json";

#[test]
fn unlisted_values_of_a_table_of_quasi_identifiers_are_blank_rows() {
    let towns = "Bonn\nBonn\nBonn\nCologne\nCologne\nCologne\nUnna\nSoest\nHamm\nAhlen\nBeckum\nLippstadt\n";
    let folder = Folder::with("t.csv", format!("town\n{towns}"))
        .and("h/town.csv", "value,any\nBonn,*\nCologne,*\n");
    for suppressed in ["drop", "star"] {
        let ask = format!(
            "anonymize t.csv -q town --header --hierarchies h --unlisted suppress -k 2 --suppressed {suppressed}"
        );
        let outcome = folder
            .run(&format!("{ask} -o o.csv --certificate c.json --json"))
            .ends_with(0)
            .json();
        for (field, rows) in [
            ("rows_in", 12),
            ("rows_out", 6),
            ("rows_suppressed", 0),
            ("rows_starred", 6),
            ("rows_blank", 6),
            ("classes", 2),
        ] {
            assert_eq!(outcome[field], rows, "{suppressed}: {field}");
        }
        assert_eq!(folder.read("o.csv").lines().count(), 13, "none is left out");
        let found = folder.run(&format!("{VERIFY} --hierarchies h"));
        assert_eq!(found.ends_with(0).json()["certificate"]["holds"], true);
        let found = folder
            .run("verify o.csv -q town --header -k 2 --json")
            .ends_with(0)
            .json();
        assert_eq!(
            (&found["rows"], &found["rows_starred"]),
            (&json!(6), &json!(6))
        );
        let text = folder.run(&ask).ends_with(0).stdout;
        assert!(
            text.contains("6 blank (not suppressed, but `*` in every column)"),
            "{text}"
        );
    }
}

#[test]
fn a_table_of_quasi_identifiers_at_the_top_says_nothing_and_is_safe_against_its_original() {
    let folder = Folder::with("t.csv", "age,sex\n21,F\n35,M\n47,F\n62,M\n");
    let outcome = folder
        .run("anonymize t.csv -q age,sex -k 4 -o o.csv --certificate c.json --json")
        .ends_with(0)
        .json();
    assert_eq!(
        (&outcome["rows_out"], &outcome["rows_blank"]),
        (&json!(0), &json!(4))
    );
    let notes = outcome["notes"].to_string();
    assert!(
        notes.contains("NOTHING IS PUBLISHED: every row is `*`"),
        "{notes}"
    );
    folder
        .run("verify o.csv -q age,sex -k 4 --original t.csv --max-suppressed 0")
        .ends_with(0);
    let found = folder.run(VERIFY).ends_with(0).json();
    assert_eq!(found["certificate"]["holds"], true);
}

#[test]
fn a_promise_that_needs_blank_rows_is_refused() {
    // Six rows are in the class of `*`, and two of them are `*` in the kept columns too.
    let table = "town,s,w\nA,flu,x\nB,cold,x\nC,flu,y\nD,cold,y\nE,*,*\nF,*,*\n";
    let folder = Folder::with("t.csv", table);
    let ask = "anonymize t.csv -q town -s s --keep w --hierarchy town=suppress -o o.csv --certificate c.json";
    let error = folder.run(&format!("{ask} -k 5")).ends_with(2).stderr;
    assert!(error.contains("holds only because of 2 rows"), "{error}");
    assert_eq!(folder.list("."), ["t.csv"], "nothing is written");
    let outcome = folder
        .run(&format!("{ask} -k 4 --json"))
        .ends_with(0)
        .json();
    assert_eq!(outcome["smallest_class"], 4);
    assert_eq!(outcome["privacy"][0]["reached"], 4);
    folder
        .run(&format!("{VERIFY} --hierarchy town=suppress"))
        .ends_with(0);
}

#[test]
fn a_release_without_any_row_is_checked_like_others() {
    for (format, suppressed) in [("csv", "drop"), ("csv", "star"), ("parquet", "drop")] {
        let folder = Folder::with("t.csv", "zip,s\n1,a\n2,b\n3,a\n4,b\n");
        let ask = format!(
            "anonymize t.csv -q zip -s s -k 2 --hierarchy zip=suppress --max-levels 0 --max-suppressed 100% \
             --suppressed {suppressed} -o o.{format} --certificate c.json --json"
        );
        let outcome = folder.run(&ask).ends_with(0).json();
        assert_eq!(
            (&outcome["rows_out"], &outcome["rows_suppressed"]),
            (&json!(0), &json!(4))
        );
        for with in ["", "--original t.csv --hierarchy zip=suppress"] {
            let verify = format!("verify o.{format} --certificate c.json {with} --json");
            let found = folder.run(&verify).ends_with(0).json();
            assert_eq!(
                found["certificate"]["mismatches"],
                json!([]),
                "{suppressed}"
            );
        }
    }
}
