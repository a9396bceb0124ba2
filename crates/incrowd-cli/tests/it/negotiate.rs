//! What can be had: the answers of the paper through the command line, the contract of the JSON, index files,
//! lines of JSON, and requests that cannot be meant.

use crate::support::{Folder, PATIENTS, Run, data};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::process::Stdio;

/// The table of the paper with its hierarchies.
fn adult() -> String {
    format!(
        "{} --hierarchies {} -s hours-per-week",
        data("adult/adult.csv"),
        data("adult/hierarchies")
    )
}

/// A file of the reference: its lines by column name.
fn reference(file: &str) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(data(&format!("adult/reference/{file}"))).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let cells = names.iter().map(|name| (*name).to_owned());
        cells.zip(line.split(',').map(str::to_owned)).collect()
    };
    lines.map(row).collect()
}

/// Levels as digits, as the reference writes them.
fn digits(offer: &Value) -> String {
    let levels = offer["levels"].as_array().unwrap();
    levels.iter().map(Value::to_string).collect()
}

/// Runs with these lines on standard input.
fn feed(folder: &Folder, arguments: &str, lines: &str) -> Run {
    let mut child = folder
        .command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    Run::of(child.wait_with_output().unwrap())
}

fn lines(run: &Run) -> Vec<Value> {
    let lines = run.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The answer to a row of the reference is that of the row; `search` says which heights it may use.
#[track_caller]
fn agrees(row: &BTreeMap<String, String>, answer: &Value, search: &str) {
    assert_eq!(answer["kind"], row["kind"], "{row:?}");
    let is = |offer: &Value, levels: &str, rows: &str| {
        if row[levels].is_empty() {
            return assert_eq!(*offer, Value::Null, "{row:?}");
        }
        let first = row[levels].split('|').next().unwrap();
        assert_eq!(digits(offer), first, "{row:?}");
        assert_eq!(offer["rows_suppressed"].to_string(), row[rows], "{row:?}");
    };
    if row["kind"] == "exact" {
        return is(&answer["answer"], "exact_levels", "exact_suppressed");
    }
    is(
        &answer["more_suppression"],
        "more_suppression_levels",
        "more_suppression_suppressed",
    );
    let (levels, rows) = match search {
        "from-limit" => ("higher_levels_from_limit", "higher_from_limit_suppressed"),
        _ => (
            "higher_levels_whole_lattice",
            "higher_whole_lattice_suppressed",
        ),
    };
    is(&answer["higher_levels"], levels, rows);
    let weaker = &answer["weaker_privacy"];
    if row["weaker_parameter"].is_empty() {
        assert_eq!(*weaker, Value::Null, "{row:?}");
    } else {
        assert_eq!(weaker["parameter"].to_string(), row["weaker_parameter"]);
        assert_eq!(
            weaker["rows_suppressed"].to_string(),
            row["weaker_suppressed"]
        );
    }
}

#[test]
fn issue_9_count_no_more_nodes_are_looked_at_than_there_are() {
    let table = "a;b;s\n'x;1';2;p\n'x;1';;q\n'y;2';3;p\n'y;2';3;q\n";
    let folder = Folder::with("t.csv", table);
    for how in ["full", "partial", "partial-top", "lazy"] {
        for k in [2, 3, 4] {
            let command = vec![
                "negotiate",
                "t.csv",
                "-q",
                "a,b",
                "-s",
                "s",
                "--quote",
                "'",
                "--how",
                how,
                "--json",
            ];
            let mut run = folder.command("");
            run.args(command).arg(format!("-k{k}"));
            let answer = Run::of(run.output().unwrap()).json();
            let visited = answer["nodes_visited"].as_u64().unwrap();
            let nodes = answer["lattice"]["nodes"].as_u64().unwrap();
            assert!((1..=nodes).contains(&visited), "{how}, k {k}: {answer}");
        }
    }
}

/// For two of its tables: enough to see requests and answers come through, since the core is compared with all of them.
#[test]
fn the_answers_are_those_of_the_paper_whatever_is_prepared() {
    let folder = Folder::new();
    let rows = reference("negotiation.csv");
    for columns in ["age race workclass", "age occupation race workclass"] {
        let rows: Vec<_> = rows
            .iter()
            .filter(|row| row["quasi_identifiers"] == columns)
            .collect();
        assert_eq!(rows.len(), 14);
        let requests: String = rows
            .iter()
            .map(|row| {
                let levels: Vec<u32> = row["max_levels"]
                    .chars()
                    .map(|digit| digit.to_digit(10).unwrap())
                    .collect();
                let request = json!({
                    "model": row["criterion"],
                    "parameter": row["parameter"].parse::<u32>().unwrap(),
                    "max_suppressed": row["max_suppressed"].parse::<u32>().unwrap(),
                    "max_levels": levels,
                });
                format!("{request}\n")
            })
            .collect();
        let quasi_identifiers = columns.replace(' ', ",");
        let base = format!("negotiate {} -q {quasi_identifiers} --batch -", adult());
        // The third run reads what the second has written.
        for (how, search) in [
            ("--how lazy", "whole"),
            ("--index kept.index", "whole"),
            ("--how full --index kept.index", "whole"),
            ("--how lazy", "from-limit"),
            ("--how full --index kept.index", "from-limit"),
        ] {
            let arguments = format!("{base} {how} --search {search}");
            let run = feed(&folder, &arguments, &requests).ends_with(1);
            let answers = lines(&run);
            assert_eq!(answers.len(), rows.len());
            for (row, answer) in rows.iter().zip(&answers) {
                agrees(row, answer, search);
                assert_eq!(answer["lattice"]["complete"], true);
            }
        }
        std::fs::remove_file(folder.path("kept.index")).unwrap();
    }
}

#[test]
fn an_exact_answer_is_one_document_of_the_contract() {
    let folder = Folder::new();
    let flags = "-q age,race,workclass -k 3 --max-suppressed 321 --max-levels 2,1,1 --json";
    let run = folder
        .run(&format!("negotiate {} {flags}", adult()))
        .ends_with(0);
    assert_eq!(run.stderr, "");
    assert!(
        run.stdout.starts_with(r#"{"version":1,"kind":"exact","answer":{"levels":[1,0,0],"height":1,"parameter":3,"rows_suppressed":125,"classes":"#),
        "{}",
        run.stdout
    );
    let answer = run.json();
    assert_eq!(answer["answer"]["smallest_class"], 3);
    assert_eq!(answer["answer"]["metrics"]["height"], 1.0);
    assert!(answer["answer"]["metrics"]["loss"].as_f64().unwrap() > 0.0);
    assert_eq!(answer["answer"]["gives_way"], Value::Null);
    assert_eq!(answer["lattice"]["nodes"], 60);
    assert_eq!(answer["lattice"]["annotated"], 60);
    assert_eq!(answer["lattice"]["how"], "full");
    assert!(answer["nodes_visited"].as_u64().unwrap() > 0);
    for seconds in ["prepare", "answer"] {
        assert!(answer["seconds"][seconds].as_f64().unwrap() >= 0.0);
    }
}

#[test]
fn relaxations_say_which_wish_gives_way_and_by_how_much() {
    let folder = Folder::new();
    let flags = "-q age,race,workclass -k 10 --max-suppressed 32 --max-levels 2,1,1 --json";
    let run = folder
        .run(&format!("negotiate {} {flags}", adult()))
        .ends_with(1);
    let answer = run.json();
    assert_eq!(answer["kind"], "relaxed");
    assert_eq!(
        answer["more_suppression"]["gives_way"],
        json!({"wish": "suppression", "rows_beyond": 23})
    );
    assert_eq!(
        answer["higher_levels"]["gives_way"],
        json!({"wish": "levels", "steps_beyond": {"age": 1}})
    );
    assert_eq!(
        answer["weaker_privacy"]["gives_way"],
        json!({"wish": "privacy", "asked": 10})
    );
    assert_eq!(answer["weaker_privacy"]["parameter"], 7);
    assert_eq!(answer["weaker_privacy"]["smallest_class"], 7);
}

#[test]
fn without_a_terminal_the_answer_is_a_page() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let flags = "-q age,sex,zip -k 3 --max-levels 0,1,3 --hierarchy age=interval:10,50 --hierarchy zip=order";
    let run = folder
        .run(&format!(
            "negotiate patients.csv {flags} --max-suppressed 10%"
        ))
        .ends_with(1);
    assert_eq!(run.stderr, "");
    for cell in ["Ann", "10115", "asthma"] {
        assert!(!run.stdout.contains(cell), "{}", run.stdout);
    }
    let page: Vec<&str> = run
        .stdout
        .lines()
        .filter(|line| !line.starts_with("seconds"))
        .collect();
    insta::assert_snapshot!(page.join("\n"));
}

#[test]
fn a_partial_lattice_says_that_it_is_not_complete() {
    let folder = Folder::new();
    let flags = "-q age,race,workclass -k 3 --max-suppressed 321 --how partial --partial 10%";
    let run = folder.run(&format!(
        "negotiate {} {flags} --estimator gamma --json",
        adult()
    ));
    let answer = run.ends_with(0).json();
    assert_eq!(answer["lattice"]["how"], "partial");
    assert_eq!(answer["lattice"]["complete"], false);
    assert!(answer["lattice"]["annotated"].as_u64().unwrap() < 60);
}

#[test]
fn the_quality_function_may_be_any_metric() {
    let folder = Folder::new();
    let flags = "-q age,race,workclass -k 10 --max-suppressed 321 --metric loss --json";
    let answer = folder
        .run(&format!("negotiate {} {flags}", adult()))
        .ends_with(0)
        .json();
    let flags =
        "-q age,race,workclass -k 10 --max-suppressed 321 --metric loss --others drop --json";
    let optimal = folder
        .run(&format!("anonymize {} {flags}", adult()))
        .ends_with(0)
        .json();
    let loss = |of: &Value| of["metrics"]["loss"].as_f64().unwrap();
    assert!((loss(&answer["answer"]) - loss(&optimal)).abs() < 1e-12);
}

#[test]
fn bad_lines_are_answered_with_errors_and_the_others_all_the_same() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let requests = concat!(
        "{\"model\":\"k-anonymity\",\"parameter\":2}\n",
        "\n",
        "nonsense\n",
        "{\"model\":\"k-anonymity\",\"parameter\":13}\n",
        "{\"model\":\"k-anonymity\",\"parameter\":2,\"max_levels\":[9,0,0]}\n",
        "{\"model\":\"k-anonymity\",\"parameter\":2,\"max_levels\":[0,0]}\n",
        "{\"model\":\"k-anonymity\",\"parameter\":2,\"max_levels\":{\"disease\":0}}\n",
        "{\"model\":\"k-anonymity\",\"parameter\":2,\"max_suppressed\":-1}\n",
        "{\"model\":\"k-anonymity\",\"parameter\":2,\"max_suppressed\":13}\n",
        "{\"model\":\"l-anonymity\",\"parameter\":2}\n",
        "{\"model\":\"k-anonymity\"}\n",
        "{\"model\":\"entropy-l-diversity\",\"parameter\":2,\"max_suppressed\":\"50%\"}",
    );
    let arguments = "negotiate patients.csv -q age,sex,zip -s disease --batch -";
    let run = feed(&folder, arguments, requests).ends_with(2);
    assert!(
        run.stderr.starts_with("error: 9 of 11 requests"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("  hint: "), "{}", run.stderr);
    let answers = lines(&run);
    assert_eq!(answers.len(), 11);
    assert_eq!(answers[0]["kind"], "exact");
    let codes: Vec<&str> = answers[1..10]
        .iter()
        .map(|answer| {
            assert!(!answer["error"]["hint"].as_str().unwrap().is_empty());
            answer["error"]["code"].as_str().unwrap()
        })
        .collect();
    assert_eq!(
        codes,
        [
            "request-line",
            "promise-beyond-table",
            "no-such-level",
            "level-count",
            "not-a-quasi-identifier",
            "request-line",
            "budget-beyond-table",
            "unknown-model",
            "missing-parameter",
        ]
    );
    assert_eq!(answers[1]["line"], 3);
    assert_eq!(answers[10]["monotone"], false);
}

#[test]
fn an_index_is_used_again_and_takes_on_a_second_model() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let base = "negotiate patients.csv -q age,sex,zip -s disease --index kept.index --json";
    let first = folder.run(&format!("{base} -k 3")).json();
    let bytes = folder.bytes("kept.index");
    let again = folder.run(&format!("{base} -k 3")).json();
    assert_eq!(first["answer"], again["answer"]);
    assert_eq!(again["lattice"]["why"], "the index has every node");
    assert_eq!(folder.bytes("kept.index"), bytes);
    folder.run(&format!("{base} -l 2")).ends_with(0);
    assert!(folder.bytes("kept.index").len() > bytes.len());
    let third = folder.run(&format!("{base} -k 3")).json();
    assert_eq!(first["answer"], third["answer"]);
}

/// Refuses an index, leaves it as it is, and prints no answer.
#[track_caller]
fn refuses_index(folder: &Folder, arguments: &str, code: &str) {
    let before = folder.bytes("kept.index");
    let run = folder.run(arguments).ends_with(2);
    assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
    assert!(run.stderr.contains("  hint: "), "{}", run.stderr);
    assert_eq!(run.json()["error"]["code"], code, "{}", run.stderr);
    assert_eq!(folder.bytes("kept.index"), before);
}

#[test]
fn a_stale_or_damaged_index_is_refused() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let base = "negotiate patients.csv -s disease -k 3 --index kept.index --json";
    let same = format!("{base} -q age,sex,zip");
    folder.run(&same);
    let good = folder.bytes("kept.index");

    // Other data, other roles, other hierarchies, other nodes.
    let other = PATIENTS.replace("Lea,45", "Lea,46");
    std::fs::write(folder.path("patients.csv"), other).unwrap();
    refuses_index(&folder, &same, "index-stale");
    std::fs::write(folder.path("patients.csv"), PATIENTS).unwrap();
    refuses_index(&folder, &format!("{base} -q sex,age,zip"), "index-stale");
    refuses_index(
        &folder,
        &format!("{same} --hierarchy age=interval:7,49"),
        "index-stale",
    );

    for at in [0, 16, 20, 30, 70, good.len() / 2, good.len() - 1] {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        std::fs::write(folder.path("kept.index"), bad).unwrap();
        let run = folder.run(&same).ends_with(2);
        let error = run.json()["error"].clone();
        let code = error["code"].as_str().unwrap().to_owned();
        assert!(
            ["index-damaged", "index-version"].contains(&code.as_str()),
            "{error}"
        );
    }
    for length in [0, 10, 40, good.len() - 1] {
        std::fs::write(folder.path("kept.index"), &good[..length]).unwrap();
        refuses_index(&folder, &same, "index-damaged");
    }
    std::fs::write(folder.path("kept.index"), &good).unwrap();
    assert!(folder.run(&same).code < 2);

    // A partial index does not pass for a full one.
    std::fs::remove_file(folder.path("kept.index")).unwrap();
    folder.run(&format!("{same} --how partial --partial 1%"));
    refuses_index(&folder, &format!("{same} --how full"), "index-stale");
}

#[test]
fn an_index_never_replaces_what_is_no_index() {
    let folder = Folder::with("patients.csv", PATIENTS).and("notes.txt", "mine");
    let base = "negotiate patients.csv -q age,sex,zip -k 3";
    folder
        .run(&format!("{base} --index patients.csv"))
        .ends_with(2);
    assert_eq!(folder.read("patients.csv"), PATIENTS);
    folder
        .run(&format!("{base} --index notes.txt"))
        .ends_with(2);
    assert_eq!(folder.read("notes.txt"), "mine");
    folder
        .run(&format!("{base} --index notes.txt/kept.index"))
        .ends_with(2);
    folder
        .run(&format!("{base} --index kept.index --how lazy"))
        .ends_with(2);
    assert!(!folder.path("kept.index").exists());
}

#[test]
fn a_request_that_cannot_be_meant_is_refused_and_nothing_is_written() {
    let folder = Folder::with("patients.csv", PATIENTS);
    for (flags, said) in [
        ("-k 13", "needs classes of 13 rows"),
        ("-k 0", "`k` of `k-anonymity` cannot be `0`"),
        (
            "-k 3 -l 2",
            "only one privacy model can be negotiated at a time",
        ),
        ("", "no privacy model"),
        (
            "-k 3 --max-suppressed -1",
            "`-1` is neither a number of rows",
        ),
        ("-k 3 --max-suppressed 13", "the table has only 12"),
        ("-k 3 --max-levels 9,0,0", "`age` has no level 9"),
        ("-k 3 --max-levels 1,1", "2 levels are given for 3"),
        ("-k 3 --max-levels 1,1,-1", "is not a list of levels"),
        ("-k 3 --partial 0%", "`0%` is not a percentage"),
        ("-k 3 --metric nonsense", "nonsense"),
        ("-k 3 --hierarchy city=suppress", "no column `city`"),
        ("-k 3 --batch none.jsonl", "there is no file `none.jsonl`"),
        ("--privacy k-anonymity", "needs a value for `k`"),
    ] {
        let run = folder
            .run(&format!(
                "negotiate patients.csv -q age,sex,zip -s disease --index kept.index {flags}"
            ))
            .ends_with(2);
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
        assert!(run.stderr.contains(said), "{flags}: {}", run.stderr);
        assert!(run.stderr.contains("\n  hint: "), "{}", run.stderr);
        assert_eq!(run.stdout, "");
        assert_eq!(folder.list("."), ["patients.csv"], "{flags}");
    }
    let run = folder
        .run("negotiate patients.csv -q age,city -k 3")
        .ends_with(2);
    assert!(run.stderr.contains("no column `city`"), "{}", run.stderr);
    let run = feed(&folder, "negotiate - -q age -k 3 --batch -", "").ends_with(2);
    assert!(run.stderr.contains("standard input"), "{}", run.stderr);
}
