//! From a table to a certified release, through the real binary.

use crate::support::{self, Folder, PATIENTS, ROLES, data};
use serde_json::{Value, json};

fn adult(flags: &str) -> String {
    format!(
        "anonymize {} -q age,sex,race,education --others drop --hierarchies {} {flags}",
        data("adult/adult.csv"),
        data("adult/hierarchies")
    )
}

#[test]
fn the_json_document_has_every_field_of_the_contract() {
    let folder = Folder::new();
    let run = folder.run(&adult(
        "-s salary-class -k 5 --max-suppressed 1% -o safe.csv --json",
    ));
    let outcome = run.ends_with(0).json();
    assert_eq!(outcome["version"], 1);
    assert_eq!(outcome["algorithm"], "optimal");
    assert_eq!(outcome["guarantee"], "optimal");
    assert_eq!(outcome["gap"], 0.0);
    assert_eq!(outcome["recoding"], "full-domain");
    assert_eq!(outcome["rows_in"], 30162);
    let levels = outcome["levels"].as_object().unwrap();
    assert_eq!(
        levels.keys().collect::<Vec<_>>(),
        ["age", "education", "race", "sex"],
        "serde_json sorts keys when reading"
    );
    let rows = |field: &str| outcome[field].as_u64().unwrap();
    assert_eq!(rows("rows_out") + rows("rows_suppressed"), 30162);
    assert!(rows("rows_suppressed") <= 301);
    assert!(rows("smallest_class") >= 5);
    assert!(rows("classes") > 1);
    assert!(outcome["average_class"].as_f64().unwrap() > 5.0);
    for metric in [
        "loss",
        "discernibility",
        "average-class-size",
        "non-uniform-entropy",
        "precision",
        "height",
        "ncp",
    ] {
        assert!(outcome["metrics"][metric].is_number(), "{metric}");
    }
    assert_eq!(outcome["privacy"][0]["model"], "k-anonymity(k=5)");
    assert_eq!(outcome["privacy"][0]["holds"], true);
    assert_eq!(outcome["privacy"][0]["reached"], outcome["smallest_class"]);
    assert_eq!(outcome["lattice"]["nodes"], 150);
    assert!(outcome["lattice"]["checked"].as_u64().unwrap() <= 150);
    for phase in ["read", "solve", "write"] {
        assert!(outcome["seconds"][phase].is_number(), "{phase}");
    }
    assert_eq!(outcome["output"]["path"], "safe.csv");
    assert_eq!(outcome["output"]["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(
        folder.read("safe.csv").lines().count() as u64,
        rows("rows_out") + 1
    );
}

#[test]
fn nothing_but_a_file_and_flags_is_needed() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let run = folder.run(&format!("anonymize patients.csv {ROLES} -k 3 -o safe.csv"));
    run.ends_with(0);
    let release = folder.read("safe.csv");
    assert_eq!(release.lines().next().unwrap(), "age,sex,zip,disease");
    assert_eq!(release.lines().count(), 13);
    assert!(!release.contains("Ann"));
    let verified =
        folder.run("verify safe.csv -q age,sex,zip -s disease -k 3 --original patients.csv --json");
    let verified = verified.ends_with(0).json();
    assert_eq!(
        verified["against_original"],
        json!({"rows_suppressed": 0, "invented": 0, "violations": []})
    );
}

#[test]
fn the_same_table_gives_the_same_bytes_whatever_the_threads() {
    let folder = Folder::new();
    let mut made = Vec::new();
    for threads in [1, 2, 5] {
        let run = folder.run(&adult(&format!(
            "-s salary-class -k 10 --max-suppressed 2% --threads {threads} -o safe.csv --certificate safe.json"
        )));
        run.ends_with(0);
        made.push((
            folder.bytes("safe.csv"),
            folder.bytes("safe.json"),
            folder.bytes("safe.txt"),
        ));
    }
    assert!(made.iter().all(|files| *files == made[0]));
}

#[test]
fn a_certificate_says_what_was_asked_and_reached_and_can_be_checked() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let flags = "-k 2 -l 2 -o safe.csv --certificate proof.json";
    folder
        .run(&format!("anonymize patients.csv {ROLES} {flags}"))
        .ends_with(0);
    let text = folder.read("proof.json");
    let certificate: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(certificate["program"]["name"], "incrowd");
    assert_eq!(
        certificate["request"]["privacy"],
        json!(["k-anonymity(k=2)", "distinct-l-diversity(l=2)"])
    );
    assert_eq!(certificate["reached"]["privacy"][1]["holds"], true);
    let hash = |name: &str| incrowd_io::Fingerprint::of(&folder.bytes(name)).to_string();
    assert_eq!(certificate["sha256"]["input"], hash("patients.csv"));
    assert_eq!(certificate["sha256"]["output"], hash("safe.csv"));
    // The request, as it stands in the file, without blanks.
    let request: incrowd_job::Certificate = serde_json::from_str(&text).unwrap();
    let compact = serde_json::to_vec(&request.request).unwrap();
    assert_eq!(
        certificate["sha256"]["request"],
        incrowd_io::Fingerprint::of(&compact).to_string()
    );
    let readable = folder.read("proof.txt");
    assert!(
        readable.contains("k-anonymity(k=2) satisfied"),
        "{readable}"
    );
    for word in ["seconds", "memory", "second"] {
        assert!(!text.contains(word), "{word} differs from run to run");
    }
}

#[test]
fn a_certificate_names_everything_that_decides_the_release() {
    let folder = Folder::with("patients.csv", PATIENTS.replace(',', ";"))
        .and("disease.csv", "flu,lung,*\nasthma,lung,*\ncold,nose,*\n");
    let request = |flags: &str| {
        folder
            .run(&format!(
                "anonymize patients.csv {ROLES} -k 3 {flags} -o safe.csv --certificate proof.json"
            ))
            .ends_with(0);
        let certificate: Value = serde_json::from_str(&folder.read("proof.json")).unwrap();
        assert!(certificate["lost"]["metrics"]["loss"].is_number());
        assert!(certificate["reached"]["metrics"].is_null());
        certificate
    };
    let plain = request("");
    assert_eq!(
        plain["request"]["csv"],
        json!({"delimiter": ";", "quote": "\"", "header": true, "trim": false})
    );
    for flags in [
        "--trim",
        "--missing-tokens '?,NA'",
        "--quote '|'",
        "--unlisted suppress",
        "--hierarchy disease=disease.csv",
    ] {
        let other = request(flags);
        assert_ne!(plain["request"], other["request"], "{flags}");
        assert_ne!(
            plain["sha256"]["request"], other["sha256"]["request"],
            "{flags}"
        );
    }
}

#[test]
fn a_job_file_says_the_same_as_flags_and_flags_win() {
    let job = "\
[data]
path = \"patients.csv\"
[columns]
quasi_identifiers = [\"age\", \"sex\", \"zip\"]
sensitive = [\"disease\"]
identifying = [\"name\"]
[privacy]
models = [\"k-anonymity(k=3)\"]
[output]
path = \"by-job.csv\"
";
    let folder = Folder::with("patients.csv", PATIENTS).and("incrowd.toml", job);
    folder.run("anonymize --job incrowd.toml").ends_with(0);
    folder
        .run(&format!(
            "anonymize patients.csv {ROLES} -k 3 -o by-flags.csv"
        ))
        .ends_with(0);
    assert_eq!(folder.read("by-job.csv"), folder.read("by-flags.csv"));
    let run = folder.run("anonymize --job incrowd.toml -k 6 -o six.csv --json");
    assert_eq!(
        run.ends_with(0).json()["privacy"][0]["model"],
        "k-anonymity(k=6)"
    );
}

#[test]
fn standard_input_and_output_make_a_filter() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let arguments = format!("anonymize - {ROLES} -k 3 -o -");
    let input = std::fs::File::open(folder.path("patients.csv")).unwrap();
    let output = folder.command(&arguments).stdin(input).output().unwrap();
    let run = support::Run::of(output).ends_with(0);
    assert!(run.stdout.starts_with("age,sex,zip,disease\n"));
    assert_eq!(run.stdout.lines().count(), 13);
    assert!(
        run.stderr.contains("k-anonymity(k=3) satisfied"),
        "{}",
        run.stderr
    );
}

#[test]
fn other_formats_hold_the_same_release() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let mut found: Vec<Value> = Vec::new();
    for name in ["safe.csv", "safe.csv.gz", "safe.tsv", "safe.parquet"] {
        folder
            .run(&format!("anonymize patients.csv {ROLES} -k 3 -o {name}"))
            .ends_with(0);
        let verified = folder.run(&format!("verify {name} -q age,sex,zip -s disease --json"));
        let verified = verified.ends_with(0).json();
        assert_eq!(verified["rows"], 12, "{name}");
        found.push(verified["privacy"].clone());
    }
    assert!(
        found.iter().all(|privacy| *privacy == found[0]),
        "{found:?}"
    );
}

#[test]
fn suppressed_rows_are_dropped_or_starred() {
    let table = format!("{PATIENTS}Mia,97,f,99999,flu\n");
    let folder = Folder::with("patients.csv", table);
    let flags = format!(
        "{ROLES} -k 3 --max-suppressed 1 --max-levels 1,1,1 --hierarchy age=interval:20 --hierarchy zip=mask:3"
    );
    let run = folder.run(&format!(
        "anonymize patients.csv {flags} -o safe.csv --json"
    ));
    let outcome = run.ends_with(0).json();
    assert_eq!(outcome["rows_suppressed"], 1);
    assert_eq!(folder.read("safe.csv").lines().count(), 13);
    assert_eq!(outcome["rows_starred"], 0);
    let outcome = folder
        .run(&format!(
            "anonymize patients.csv {flags} --suppressed star -o star.csv --json"
        ))
        .ends_with(0)
        .json();
    for (field, rows) in [
        ("rows_in", 13),
        ("rows_out", 12),
        ("rows_suppressed", 1),
        ("rows_starred", 1),
        ("rows_excluded", 0),
    ] {
        assert_eq!(outcome[field], rows, "{field}");
    }
    let starred = folder.read("star.csv");
    assert_eq!(starred.lines().count(), 14);
    assert_eq!(starred.lines().last().unwrap(), "*,*,*,*");
    let verified =
        folder.run("verify star.csv -q age,sex,zip -s disease -k 3 --original patients.csv --hierarchy age=interval:20 --hierarchy zip=mask:3 --json");
    let verified = verified.ends_with(0).json();
    assert_eq!(verified["rows_starred"], 1);
    assert_eq!(verified["against_original"]["rows_suppressed"], 1);
}

#[test]
fn rows_left_out_for_missing_cells_are_not_called_suppressed() {
    let table = format!(
        "{PATIENTS}Mia,,f,20099,flu
Ned,48,,20099,flu
"
    );
    let folder = Folder::with("patients.csv", table);
    let flags = format!(
        "{ROLES} -k 3 --missing-cells exclude-row -o safe.csv --certificate proof.json --suppressed star"
    );
    let run = folder.run(&format!("anonymize patients.csv {flags} --json"));
    let outcome = run.ends_with(0).json();
    let certificate: Value = serde_json::from_str(&folder.read("proof.json")).unwrap();
    for rows in [&outcome, &certificate["reached"]] {
        assert_eq!(rows["rows_in"], 14);
        assert_eq!(rows["rows_out"], 12);
        assert_eq!(rows["rows_suppressed"], 0);
        assert_eq!(rows["rows_excluded"], 2);
        assert_eq!(rows["rows_starred"], 0);
    }
    assert_eq!(folder.read("safe.csv").lines().count(), 13);
    let line = "2 excluded because of missing cells";
    assert!(folder.read("proof.txt").contains(line));
    let text = folder.run(&format!("anonymize patients.csv {flags}"));
    assert!(text.ends_with(0).stdout.contains(line));
}

#[test]
fn missing_cells_of_a_sensitive_column_look_alike() {
    // As counted, both ages have the same diseases; as written, each has a token of its own.
    let rows =
        |age: u32, token: &str| format!("{age},flu,{token}\n{age},{token},{token}\n").repeat(4);
    let table = format!(
        "age,disease,ward\n{}{}{}",
        rows(20, "?"),
        rows(21, "NA"),
        rows(22, "\"\"")
    );
    let folder = Folder::with("t.csv", table);
    let plain = "-q age -s disease --keep ward -k 1 --max-levels 0";
    folder
        .run(&format!("anonymize t.csv {plain} -o t.parquet"))
        .ends_with(0);
    let job = "-q age -s disease --keep ward --privacy t-closeness(t=0.01) --missing-tokens ?,NA";
    for input in ["t.csv", "t.parquet"] {
        folder
            .run(&format!(
                "anonymize {input} {job} --max-levels 0 -o safe.csv"
            ))
            .ends_with(0);
        let safe = folder.read("safe.csv");
        let rows: Vec<Vec<&str>> = safe
            .lines()
            .skip(1)
            .map(|it| it.split(',').collect())
            .collect();
        assert_eq!(rows.len(), 24, "{input}");
        for row in &rows {
            assert!(["flu", ""].contains(&row[1]), "{input}: {row:?}");
        }
        // What no promise is about stays as it is.
        let wards = rows.iter().filter(|row| row[2] == "NA").count();
        assert_eq!(wards, 8, "{input}");
        let verified = folder.run(&format!("verify safe.csv {job} --original {input} --json"));
        assert_eq!(verified.ends_with(0).json()["safe"], true, "{input}");
    }
}

#[test]
fn a_class_smaller_than_its_crowd_is_explained() {
    let folder = Folder::with("t.csv", "sex,zip\nf,1\nf,1\nf,\nm,2\nm,2\nm,\n");
    let flags =
        "-q sex,zip -k 3 --max-levels 0,0 --hierarchy sex=suppress --hierarchy zip=suppress";
    let any = folder
        .run(&format!(
            "anonymize t.csv {flags} --missing-cells match-any -o safe.csv --certificate proof.json"
        ))
        .ends_with(0);
    let note = "missing cells match any value, so privacy holds for crowds, not for classes";
    assert!(any.stdout.contains(note), "{}", any.stdout);
    assert!(folder.read("proof.txt").contains(note));
    let own = folder.run("anonymize t.csv -q sex,zip -k 1 --missing-cells own-value");
    assert!(!own.ends_with(0).stdout.contains("note "));
}

#[test]
fn a_release_without_rows_is_said_to_be_one() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let flags = format!("{ROLES} -k 7 --max-suppressed 100% --max-levels 0,0,0");
    let text = folder.run(&format!("anonymize patients.csv {flags} -o safe.csv"));
    let text = text.ends_with(0);
    assert!(
        text.stdout.contains("note        NOTHING IS PUBLISHED"),
        "{}",
        text.stdout
    );
    let outcome = folder.run(&format!("anonymize patients.csv {flags} --json"));
    let outcome = outcome.ends_with(0).json();
    assert_eq!(outcome["rows_out"], 0);
    assert_eq!(outcome["notes"].as_array().unwrap().len(), 1);
    assert_eq!(folder.read("safe.csv").lines().count(), 1);
}

#[test]
fn levels_that_nobody_gave_are_said_to_be_automatic() {
    let folder = Folder::with("patients.csv", PATIENTS).and("sex.csv", "f,*\nm,*\n");
    let flags = format!("{ROLES} -k 3 --hierarchy sex=sex.csv --hierarchy zip=mask:2");
    let outcome = folder.run(&format!("anonymize patients.csv {flags} --json"));
    let outcome = outcome.ends_with(0).json();
    let origin = |column: &str| outcome["hierarchies"][column].clone();
    assert_eq!(
        origin("sex"),
        json!({"kind": "file", "from": "sex.csv", "reason": null})
    );
    assert_eq!(
        origin("zip"),
        json!({"kind": "rule", "from": "mask:2", "reason": null})
    );
    assert_eq!(origin("age")["kind"], "automatic");
    assert!(origin("age")["reason"].is_string());
    let text = folder.run(&format!("anonymize patients.csv {flags}"));
    let text = text.ends_with(0).stdout;
    let rule = origin("age")["from"].as_str().unwrap().to_owned();
    assert!(text.contains(&format!("  automatic: {rule}\n")), "{text}");
    assert_eq!(text.matches("automatic").count(), 1, "{text}");
}

/// Issue 9: with levels of value or `*`, the example of the README published every age as `*`, at a loss of 0.193.
#[test]
fn the_example_of_the_readme_keeps_ages_without_prepared_hierarchies() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let table = data("adult/adult.csv");
    let outcome = folder.run(&format!(
        "anonymize {table} -q age,sex,race,education -s occupation --others drop -k 5 -l 2 \
         --max-suppressed 1% -o safe.csv --json"
    ));
    let outcome = outcome.ends_with(0).json();
    assert_eq!(outcome["levels"]["age"], 2, "bands of ten years");
    let loss = outcome["metrics"]["loss"].as_f64().unwrap();
    assert!(loss < 0.06, "{loss}");
    assert!(
        folder
            .read("safe.csv")
            .lines()
            .any(|line| line.starts_with("[30-39],"))
    );
    let clinic = data("clinic/clinic.csv");
    let outcome = folder.run(&format!(
        "anonymize {clinic} --identifying name -q age,zip -s disease -k 3 -o clinic.csv --json"
    ));
    let outcome = outcome.ends_with(0).json();
    let loss = outcome["metrics"]["loss"].as_f64().unwrap();
    assert!((loss - 0.4).abs() < 1e-9, "{loss}");
    assert!(folder.read("clinic.csv").contains("[30-39],4501*,asthma"));
}

#[test]
fn cells_are_printed_only_when_asked_for() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let quiet = folder.run(&format!("anonymize patients.csv {ROLES} -k 3"));
    let quiet = quiet.ends_with(0);
    assert!(!quiet.stdout.contains("10115") && !quiet.stderr.contains("10115"));
    let asked = folder.run(&format!("anonymize patients.csv {ROLES} -k 3 --sample 2"));
    let asked = asked.ends_with(0);
    assert!(asked.stdout.contains("Ann") && asked.stdout.contains("Bob"));
    assert!(!asked.stdout.contains("Cid"));
}

#[test]
fn values_missing_from_a_hierarchy_can_be_suppressed() {
    let folder = Folder::with("patients.csv", PATIENTS).and("sex.csv", "value,any\nf,*\n");
    let flags = format!("{ROLES} -k 2 --hierarchy sex=sex.csv --hierarchy zip=mask:2");
    let refused = folder.run(&format!("anonymize patients.csv {flags} -o safe.csv"));
    let refused = refused.ends_with(2);
    assert!(
        refused.stderr.contains("--unlisted suppress"),
        "{}",
        refused.stderr
    );
    folder
        .run(&format!(
            "anonymize patients.csv {flags} --unlisted suppress -o safe.csv"
        ))
        .ends_with(0);
    assert!(!folder.read("safe.csv").contains(",m,"));
    // The flag's former name is gone, not kept beside the new one.
    folder
        .run(&format!(
            "anonymize patients.csv {flags} --missing suppress"
        ))
        .ends_with(2);
}

#[test]
fn a_limit_gives_an_honest_guarantee_and_the_same_answer_with_any_number_of_threads() {
    let folder = Folder::new();
    let columns = "age,workclass,education,marital-status,occupation,race,sex,native-country";
    let anonymize = |limit: &str| {
        folder.run(&format!(
            "anonymize {} -q {columns} -s salary-class --others drop --hierarchies {} -t 0.3 --max-suppressed 40% {limit}",
            data("adult/adult.csv"),
            data("adult/hierarchies")
        ))
    };
    let stopped = |limit: &str| {
        let outcome = anonymize(&format!("--work-limit 2M {limit} --json"))
            .ends_with(0)
            .json();
        assert_eq!(outcome["guarantee"], "bounded");
        let gap = outcome["gap"].as_f64().unwrap();
        assert!(gap > 0.0 && gap <= 1.0, "{gap}");
        assert_eq!(outcome["privacy"][0]["holds"], true);
        assert_eq!(outcome["stopped"]["by"], "work-limit");
        assert!(outcome["stopped"]["work"].as_u64().unwrap() > 2_000_000);
        outcome
    };
    let one = stopped("--threads 1");
    for threads in [2, 3, 8] {
        let other = stopped(&format!("--threads {threads}"));
        for field in ["levels", "gap", "metrics", "stopped"] {
            assert_eq!(one[field], other[field], "{threads} threads");
        }
    }
    let said = anonymize("--work-limit 2M --certificate c.json -o o.csv").ends_with(0);
    for text in [said.stdout, folder.read("c.txt")] {
        assert!(text.contains("raise --work-limit"), "{text}");
    }
    let certificate: serde_json::Value = serde_json::from_str(&folder.read("c.json")).unwrap();
    assert_eq!(certificate["request"]["work_limit"], "2M");
    // Nothing can be read in no time.
    let too_short = anonymize("--time-limit 1ns -o o2.csv").ends_with(2);
    assert!(too_short.stderr.contains("while reading the table"));
    assert!(!folder.path("o2.csv").exists());
}

#[test]
fn a_closed_pipe_is_no_error() {
    let folder = Folder::new();
    let mut command = folder.command(&adult("-s salary-class -k 5 -o -"));
    let mut child = command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
