//! Regions as users meet them: what is published of numbers, and equal rows that are divided.

use crate::support::{Folder, Run};
use serde_json::Value;
use std::collections::BTreeMap;

/// Ages that repeat, with a diagnosis that does not depend on them and a column that is published as it is.
fn people() -> Folder {
    let mut text = "age,weight,diagnosis,visit\n".to_owned();
    for row in 0..600_u32 {
        let age = 20 + row * row % 7;
        let weight = 60.5 + f64::from(row * 13 % 40) / 2.0;
        let diagnosis = ["flu", "cold", "gout"][row as usize * 5 % 3];
        text += &format!("{age},{weight},{diagnosis},{}\n", row % 11);
    }
    Folder::with("people.csv", text)
}

const ROLES: &str = "-q age,weight -s diagnosis --keep visit -k 8 -l 2";

fn anonymize(folder: &Folder, more: &str) -> Run {
    let run = folder.run(&format!(
        "anonymize people.csv {ROLES} --algorithm mondrian {more}"
    ));
    assert_eq!(run.code, 0, "{}", run.stderr);
    run
}

fn column(csv: &str, name: &str) -> Vec<String> {
    let mut rows = csv::Reader::from_reader(csv.as_bytes());
    let at = rows.headers().unwrap().iter().position(|it| it == name);
    let cells = rows
        .records()
        .map(|row| row.unwrap()[at.unwrap()].to_owned());
    cells.collect()
}

#[test]
fn equal_rows_are_divided_the_same_way_whatever_the_threads() {
    let job = "[data]\npath = \"people.csv\"\n[columns]\nquasi_identifiers = [\"age\", \"weight\"]\n\
               sensitive = [\"diagnosis\"]\nkeep = [\"visit\"]\n[privacy]\n\
               models = [\"k-anonymity(k=8)\", \"distinct-l-diversity(l=2)\"]\n\
               [search]\nalgorithm = \"mondrian\"\nrelaxed = true\n[output]\npath = \"again.csv\"\n";
    let folder = people().and("job.toml", job);
    let mut releases = Vec::new();
    for threads in [1, 2, 3, 8] {
        anonymize(
            &folder,
            &format!("--relaxed --threads {threads} -o out.csv --certificate out.json"),
        );
        releases.push(folder.read("out.csv"));
    }
    assert!(releases.iter().all(|it| *it == releases[0]));
    let certificate: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    assert_eq!(certificate["request"]["relaxed"], true);
    // Some rows with one raw age and weight are published in two ways.
    let raw = folder.read("people.csv");
    let keys = column(&raw, "age").into_iter().zip(column(&raw, "weight"));
    let published = column(&releases[0], "age")
        .into_iter()
        .zip(column(&releases[0], "weight"));
    let mut ways: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (key, published) in keys.zip(published) {
        ways.entry(key).or_default().push(published);
    }
    let is_divided = |ways: &Vec<(String, String)>| ways.iter().any(|way| *way != ways[0]);
    assert!(ways.values().any(is_divided));
    let verified = folder.run("verify out.csv --certificate out.json --original people.csv --json");
    assert_eq!(verified.code, 0, "{}{}", verified.stdout, verified.stderr);
    // The same from a job file.
    let again = folder.run("anonymize --job job.toml");
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_eq!(folder.read("again.csv"), releases[0]);
}

#[test]
fn means_and_medians_are_published_verified_and_evaluated() {
    let folder = people();
    for numbers in ["mean", "median"] {
        anonymize(
            &folder,
            &format!("--numbers {numbers} -o {numbers}.csv --certificate {numbers}.json"),
        );
        let weights = column(&folder.read(&format!("{numbers}.csv")), "weight");
        assert!(
            weights.iter().all(|it| it.parse::<f64>().is_ok()),
            "{numbers}"
        );
        let certified = folder.run(&format!(
            "verify {numbers}.csv --certificate {numbers}.json --original people.csv"
        ));
        assert_eq!(certified.code, 0, "{}", certified.stdout);
        let told = format!("verify {numbers}.csv {ROLES} --original people.csv");
        let verified = folder.run(&format!("{told} --numbers {numbers}"));
        assert_eq!(verified.code, 0, "{}", verified.stdout);
        let untold = folder.run(&told);
        assert_eq!(
            untold.code, 1,
            "numbers that nobody has are not accepted unless told"
        );
        let evaluated = folder.run(&format!(
            "evaluate people.csv {numbers}.csv -q age,weight -s diagnosis --target visit --json"
        ));
        assert_eq!(evaluated.code, 0, "{}", evaluated.stderr);
    }
}

#[test]
fn a_comparison_refuses_to_divide_rows_before_it_reads_them() {
    let folder = people();
    let run = folder.run(&format!(
        "compare people.csv {ROLES} --relaxed --algorithms mondrian,optimal --json"
    ));
    assert_eq!(run.code, 2, "{}", run.stdout);
    assert!(run.stderr.contains("kept apart"), "{}", run.stderr);
    assert!(run.stderr.contains("anonymize --relaxed"), "{}", run.stderr);
    // Without the flag it compares.
    let run = folder.run(&format!(
        "compare people.csv {ROLES} --algorithms mondrian,optimal --json"
    ));
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn means_are_exact_and_lie_among_the_numbers_they_stand_for() {
    for (cells, k, expected) in [
        ("100000000000000000 -100000000000000000 3 0", 4, "0.75"),
        ("0.00001 2e-5 3e-5 4e-5", 4, "0.000025"),
        ("1.5 2.5 2.5 2.5", 4, "2.25"),
        ("-1 -1 -1 0", 4, "-0.75"),
        ("1 1 2", 3, "1.33"),
    ] {
        let text = format!("a\n{}\n", cells.replace(' ', "\n"));
        let folder = Folder::with("numbers.csv", text);
        let run = folder.run(&format!(
            "anonymize numbers.csv -q a -k {k} --algorithm mondrian --numbers mean -o out.csv"
        ));
        assert_eq!(run.code, 0, "{}", run.stderr);
        let mut published = column(&folder.read("out.csv"), "a");
        published.dedup();
        assert_eq!(published, [expected], "{cells}");
    }
}

#[test]
fn a_median_of_long_numbers_is_one_of_them() {
    let cells = "52100000000000001\n52100000000000003\n52100000000000009\n";
    let folder = Folder::with("numbers.csv", format!("a\n{cells}"));
    let run = folder
        .run("anonymize numbers.csv -q a -k 3 --algorithm mondrian --numbers median -o out.csv");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(column(&folder.read("out.csv"), "a")[0], "52100000000000003");
}

#[test]
fn a_number_beyond_all_others_is_no_mean_and_what_is_not_compared_is_listed() {
    let folder = people();
    anonymize(&folder, "--numbers mean -o out.csv --certificate out.json");
    let certified = folder.run("verify out.csv --certificate out.json --original people.csv");
    assert!(
        certified.stdout.contains("reached.published"),
        "{}",
        certified.stdout
    );
    let release = folder.read("out.csv");
    let weight = column(&release, "weight")[0].clone();
    let forged = release.replace(&format!(",{weight},"), ",977,");
    let folder = folder.and("forged.csv", forged);
    let run = folder.run(&format!(
        "verify forged.csv {ROLES} --original people.csv --numbers mean"
    ));
    assert_eq!(run.code, 1, "{}", run.stdout);
}

#[test]
fn a_hierarchy_of_numbers_may_list_a_value_that_is_none() {
    let folder = Folder::with("u.csv", "n\n1\n1\n2\n2\n4\n5\n6\n").and(
        "n.csv",
        "1,low,*\n2,low,*\n3,low,*\n4,high,*\n5,high,*\n6,high,*\n?,high,*\n",
    );
    let roles = "-q n --hierarchy n=n.csv";
    let run = folder.run(&format!(
        "anonymize u.csv {roles} -k 2 --algorithm mondrian --numbers mean -o out.csv --certificate out.json"
    ));
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run =
        folder.run("verify out.csv --certificate out.json --original u.csv --hierarchy n=n.csv");
    assert_eq!(run.code, 0, "{}", run.stdout);
}

#[test]
fn an_interval_that_a_hierarchy_also_names_has_no_more_brackets() {
    let folder = Folder::with("t.csv", "a\n4\n5\n4\n5\n8\n9\n8\n9\n")
        .and("a.csv", "4,[4-5],*\n5,[4-5],*\n8,[8-9],*\n9,[8-9],*\n");
    let run = folder.run("anonymize t.csv -q a --hierarchy a=a.csv -k 3 --algorithm mondrian -o -");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("\n[4-5]\n"), "{}", run.stdout);
    assert!(!run.stdout.contains("[["), "{}", run.stdout);
}

#[test]
fn a_page_names_no_value_for_being_part_of_a_label() {
    let row = |a: u32, w: &str, times: usize| format!("{a},{w}\n").repeat(times);
    let rows = [
        row(1, "xx", 10),
        row(2, "no", 8),
        row(2, "xx", 2),
        row(3, "no", 5),
        row(3, "xx", 2),
    ];
    let folder = Folder::with("t.csv", format!("a,w\n{}", rows.concat())).and(
        "w.csv",
        "no,{north},all,*\nxx,{north},all,*\nyy,{south},all,*\n",
    );
    let run = folder.run(
        "compare t.csv -q a,w -k 5 --algorithms mondrian --hierarchy w=w.csv --report page.html",
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    let page = folder.read("page.html");
    assert!(page.contains("{north}"), "the release publishes the label");
    assert!(!page.contains(">no<"), "no release publishes the value");
}
