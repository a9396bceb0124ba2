//! The same jobs through files and through an engine: the same release, row by row as sets, and the same outcome.

use super::engine::{Rows, engines};
use crate::support::{Folder, Run, TABLE_COMMANDS, data};
use std::path::Path;

/// The columns of [`people`], with their types in PostgreSQL.
const COLUMNS: [(&str, &str); 12] = [
    ("id", "text"),
    ("age", "integer"),
    ("zip", "varchar(5)"),
    ("sex", "char(3)"),
    ("born", "date"),
    ("weight", "double precision"),
    ("active", "boolean"),
    ("seen", "timestamp"),
    ("dose", "numeric"),
    ("city", "text"),
    ("disease", "text"),
    ("stay", "smallint"),
];

/// A table with a column of every type, and with missing cells of both kinds: empty, and `?`.
fn people(rows: usize) -> String {
    let mut rng = fastrand::Rng::with_seed(16);
    let mut text = COLUMNS.map(|(name, _)| name).join(",");
    text.push('\n');
    for row in 0..rows {
        let age = rng.u32(20..60);
        let zip = ["10115", "10117", "10119", "20095", "20097"][rng.usize(0..5)];
        let sex = ["f", "m"][rng.usize(0..2)];
        let born = format!("19{}-0{}-15", 60 + age % 30, 1 + age % 3);
        let weight = ["50.5", "61.25", "0.0", "NaN", "-0.0"][rng.usize(0..5)];
        let active = [true, false][rng.usize(0..2)];
        let seen = format!("2024-0{}-01T10:00:0{}", rng.u32(1..4), rng.u32(0..2));
        let dose = ["1.0", "1.00", "2.50", "10"][rng.usize(0..4)];
        let city = ["Ulm", "Bonn", "", "\"\"", "?", "Köln"][rng.usize(0..6)];
        let disease = ["flu", "cold", "asthma", "?", ""][rng.usize(0..5)];
        let stay = rng.u32(1..5);
        text += &format!(
            "p{row},{age},{zip},{sex},{born},{weight},{active},{seen},{dose},{city},{disease},{stay}\n"
        );
    }
    text
}

/// What is asked of both. Every job drops the columns that it does not name.
const JOBS: &[&str] = &[
    // Every model.
    "-q age,zip,sex -s disease -k 3",
    "-q age,zip,sex,active -s disease -k 3 --max-suppressed 5%",
    "-q age,zip -s disease --privacy distinct-l-diversity(l=3) --max-suppressed 10%",
    "-q age,zip -s disease --privacy entropy-l-diversity(l=2) --max-suppressed 10%",
    "-q age,zip -s disease --privacy recursive-cl-diversity(c=3,l=2) --max-suppressed 10%",
    "-q age,zip -s disease --privacy frequency-l-diversity(l=2) --max-suppressed 10%",
    "-q age,zip -s disease --privacy alpha-k-anonymity(alpha=0.5,k=3) --max-suppressed 10%",
    "-q age,zip -s disease --privacy p-sensitive-k-anonymity(p=2,k=3) --max-suppressed 10%",
    "-q age,zip -s disease --privacy t-closeness(t=0.3) --max-suppressed 10%",
    "-q age,zip -s disease --privacy delta-disclosure(delta=2) --max-suppressed 20%",
    "-q age,zip -s disease --privacy beta-likeness(beta=2) --max-suppressed 20%",
    "-q age,zip -s disease --privacy average-risk(risk=0.2)",
    "-q age,zip -s disease --privacy sample-uniqueness(share=0.02)",
    // Every way to recode.
    "-q age,zip,sex -s disease -k 3 --algorithm samarati",
    "-q age,zip,sex -s disease -k 3 --algorithm incognito --max-suppressed 3%",
    "-q age,zip,sex -s disease -k 3 --algorithm datafly",
    "-q age,zip,sex -s disease -k 3 --algorithm top-down --target stay",
    "-q age,zip,sex -s disease -k 3 --algorithm bottom-up --target stay",
    "-q age,sex -s disease -k 3 --algorithm partition --metric discernibility",
    "-q age,zip,sex -s disease -k 3 --algorithm mondrian",
    "-q age,zip,sex -s disease -k 3 --algorithm mondrian --max-suppressed 3%",
    "-q age,zip,sex -s disease -k 3 --algorithm mondrian --relaxed",
    "-q age,zip,sex -s disease -k 3 --algorithm mondrian --numbers mean",
    "-q age,zip,sex -s disease -k 3 --algorithm mondrian --numbers median",
    "-q age,zip,sex -s disease -k 3 --algorithm mondrian-infogain --target disease",
    "-q age,zip,sex -s disease -k 3 --algorithm mondrian-lsd --target stay",
    "-q age,zip,sex -s disease -k 3 --algorithm finest",
    "-q age,zip,sex -s disease -k 3 --algorithm ncp-cluster",
    "-q age,zip,sex -s disease -k 3 --algorithm euclidean-cluster",
    "-q age,zip,sex -s disease -k 3 --algorithm rv-cluster --rule age:39|40=5",
    // Missing cells.
    "-q age,city -s disease -k 3 --missing-tokens ?",
    "-q age,city -s disease -k 3 --missing-tokens ? --missing-cells match-any",
    "-q age,city -s disease -k 3 --missing-tokens ? --missing-cells exclude-row",
    "-q age,city -s disease -k 3 --missing-tokens ?,Ulm --missing-cells exclude-row --max-suppressed 5%",
    "-q age,city -s disease -k 3 --missing-tokens ? --algorithm mondrian",
    "-q age,city -s disease -k 3 --missing-tokens ?,20 --missing-cells exclude-row --algorithm mondrian",
    "-q city,zip -s disease --privacy distinct-l-diversity(l=2) --missing-tokens ?",
    // Types to generalize.
    "-q born,sex -s disease -k 3",
    "-q weight,sex -s disease -k 3 --max-suppressed 5%",
    "-q dose,active -s disease -k 3",
    "-q seen,age -s disease -k 3",
    "-q active,stay -s disease -k 3",
    "-q born,weight,dose,seen,active,sex -s disease -k 2 --algorithm mondrian",
    "-q age,zip,sex,born,weight,active,seen,dose,city,stay -s disease -k 2 --algorithm mondrian",
    // Types to count and to keep.
    "-q age,zip -s born --privacy distinct-l-diversity(l=2) --max-suppressed 5%",
    "-q age,zip -s weight --privacy distinct-l-diversity(l=2) --max-suppressed 5%",
    "-q age,zip -s dose --privacy distinct-l-diversity(l=2) --max-suppressed 5%",
    "-q age,zip -s seen,active --privacy distinct-l-diversity(l=2,column=seen) --max-suppressed 5%",
    "-q age,zip -s disease -k 3 --keep weight,active,seen,dose",
    "-q age,zip -s disease -k 3 --keep city,stay --missing-tokens ? --missing-cells exclude-row",
    "-q age,zip -s disease,stay -k 3 --privacy distinct-l-diversity(l=2,column=disease) --max-suppressed 5%",
    // What is done with rows and values.
    "-q age,zip -s disease -k 4 --max-suppressed 10% --suppressed star",
    "-q age,zip -s weight -k 4 --max-suppressed 10% --suppressed star --keep seen",
    "-q age,zip -s disease -k 4 --shuffle",
    "-q age,zip -s disease -k 300",
    "-q age,zip -s disease -k 3 --max-levels 5,0",
];

/// What must be the same, whoever holds the rows.
fn comparable(run: &Run) -> serde_json::Value {
    let mut outcome = run.json();
    let fields = outcome.as_object_mut().unwrap();
    for field in [
        "seconds",
        "peak_memory_bytes",
        "output",
        "certificate",
        "report",
    ] {
        fields.remove(field);
    }
    outcome
}

fn rows_of_file(path: &Path) -> Rows {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let names = reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_owned)
        .collect();
    let rows = reader
        .records()
        .map(|row| row.unwrap().iter().map(str::to_owned).collect());
    let mut rows: Vec<Vec<String>> = rows.collect();
    rows.sort();
    (names, rows)
}

#[test]
fn an_engine_gives_the_same_release_and_outcome_as_files_do() {
    let folder = Folder::new();
    folder.write("people.csv", people(400));
    let engines = engines();
    for engine in &engines {
        engine.load("people", &COLUMNS, &folder.path("people.csv"));
    }
    let mut releases = 0;
    for (number, job) in JOBS.iter().enumerate() {
        let job = format!("{job} --others drop --json");
        let here = folder.run(&format!("anonymize people.csv {job} -o here.csv"));
        for engine in &engines {
            let name = format!("there_{number}");
            let (source, target) = (engine.table("people"), engine.table(&name));
            let there = folder.run(&format!("anonymize {source} {job} -o {target}"));
            let case = format!("{}: {job}", engine.name());
            assert_eq!(
                here.code, there.code,
                "{case}\n{}{}",
                here.stderr, there.stderr
            );
            if here.code != 0 {
                let code = |run: &Run| run.json()["error"]["code"].clone();
                assert_eq!(code(&here), code(&there), "{case}");
                continue;
            }
            assert_eq!(comparable(&here), comparable(&there), "{case}");
            let expected = rows_of_file(&folder.path("here.csv"));
            assert_eq!(engine.rows(&name), expected, "{case}");
        }
        releases += usize::from(here.code == 0);
    }
    assert!(releases >= 50, "only {releases} releases");
    for engine in &engines {
        let tables = engine.relations();
        let left = tables.lines().count();
        assert_eq!(left, releases + 1, "something is left behind: {tables}");
    }
}

#[test]
fn releases_of_an_engine_are_the_same_in_files_and_back() {
    for database in engines() {
        let folder = Folder::new();
        folder.write("people.csv", people(300));
        database.load("people", &COLUMNS, &folder.path("people.csv"));
        let job = "-q age,zip,active -s disease --keep seen,dose,weight --others drop -k 3 --max-suppressed 5%";
        let source = database.table("people");
        folder
            .run(&format!("anonymize people.csv {job} -o here.csv"))
            .ends_with(0);
        folder
            .run(&format!("anonymize {source} {job} -o from.csv"))
            .ends_with(0);
        let expected = rows_of_file(&folder.path("here.csv"));
        assert_eq!(rows_of_file(&folder.path("from.csv")), expected);
        let target = database.table("into");
        folder
            .run(&format!("anonymize people.csv {job} -o {target}"))
            .ends_with(0);
        assert_eq!(database.rows("into"), expected);
        #[cfg(feature = "parquet")]
        {
            folder
                .run(&format!("anonymize {source} {job} -o from.parquet"))
                .ends_with(0);
            let roles = "-q age,zip,active -s disease --keep seen,dose,weight --others drop -k 1";
            let levels = "--max-levels 0,0,0";
            folder
                .run(&format!(
                    "anonymize from.parquet {roles} {levels} -o back.csv"
                ))
                .ends_with(0);
            assert_eq!(rows_of_file(&folder.path("back.csv")), expected);
        }
    }
}

#[test]
fn every_command_that_reads_a_table_reads_it_from_an_engine_too() {
    for database in engines() {
        let folder = Folder::new();
        let table = data("adult/adult.csv");
        let text: Vec<String> = std::fs::read_to_string(&table)
            .unwrap()
            .lines()
            .take(2000)
            .map(str::to_owned)
            .collect();
        folder.write("some.csv", &(text.join("\n") + "\n"));
        let columns: Vec<(String, &str)> = text[0]
            .split(',')
            .map(|name| (name.to_owned(), "text"))
            .collect();
        let columns: Vec<(&str, &str)> = columns
            .iter()
            .map(|(name, kind)| (name.as_str(), *kind))
            .collect();
        database.load("some", &columns, &folder.path("some.csv"));
        let levels: std::collections::BTreeSet<&str> = text[1..]
            .iter()
            .map(|row| row.split(',').nth(8).unwrap())
            .collect();
        let levels: Vec<String> = levels.iter().map(|race| format!("{race},*")).collect();
        folder.write("levels.csv", &(levels.join("\n") + "\n"));
        for (name, command) in TABLE_COMMANDS {
            let fill = |table: &str| {
                let command = command.replace("{table}", table).replace("{q}", "race");
                command.replace("{s}", "salary-class")
            };
            let here = folder.run(&fill("some.csv")).ends_with(0);
            let there = folder.run(&fill(&database.table("some"))).ends_with(0);
            let told = |run: &Run| -> Vec<String> {
                let lines = run
                    .stdout
                    .lines()
                    .filter(|line| !line.starts_with("seconds") && !line.contains("some"));
                lines.map(str::to_owned).collect()
            };
            // Times, and what a table is called, may differ.
            let is_timed = ["compare", "advise", "negotiate", "study"].contains(&name);
            if !is_timed {
                assert_eq!(told(&here), told(&there), "{name}");
            }
        }
        assert_eq!(database.relations(), "some\n");
    }
}

#[test]
fn views_and_queries_are_read_like_tables() {
    for database in engines() {
        let folder = Folder::new();
        folder.write("people.csv", people(200));
        database.load("people", &COLUMNS, &folder.path("people.csv"));
        database.run("CREATE VIEW adults AS SELECT age, zip, disease FROM people WHERE age >= 30");
        let job = ["-q", "age,zip", "-s", "disease", "-k", "3", "-o"];
        let view = database.table("adults");
        let query = database.query(
            "SELECT age, zip, disease FROM people WHERE age >= 30 AND zip LIKE '%' -- and so on;",
        );
        for (source, target) in [(view, "of_view"), (query, "of_query")] {
            let mut command = folder.command("anonymize");
            command.arg(&source).args(job).arg(database.table(target));
            Run::of(command.output().unwrap()).ends_with(0);
        }
        assert_eq!(database.rows("of_view"), database.rows("of_query"));
        assert!(!database.rows("of_view").1.is_empty());
    }
}

#[test]
fn a_certificate_of_a_table_in_an_engine_can_be_checked_there() {
    for database in engines() {
        let folder = Folder::new();
        folder.write("people.csv", people(200));
        database.load("people", &COLUMNS, &folder.path("people.csv"));
        let (source, target) = (database.table("people"), database.table("safe"));
        let job = "-q age,zip -s disease --keep stay --others drop -k 3 --max-suppressed 5%";
        folder
            .run(&format!(
                "anonymize {source} {job} -o {target} --certificate proof.json"
            ))
            .ends_with(0);
        let proof: serde_json::Value = serde_json::from_str(&folder.read("proof.json")).unwrap();
        assert_eq!(proof["engines"]["input"]["engine"], database.name());
        assert_eq!(proof["engines"]["output"]["table"], "safe");
        assert!(
            !folder.read("proof.json").contains("/tmp"),
            "where it is concerns nobody"
        );
        let check = format!("verify {target} --certificate proof.json --original {source} --json");
        let checked = folder.run(&check).ends_with(0).json();
        assert_eq!(
            checked["certificate"]["mismatches"],
            serde_json::json!([]),
            "{checked}"
        );
        database.change("safe", "disease", "cold", "flu");
        assert_ne!(folder.run(&check).code, 0, "another release");
    }
}
