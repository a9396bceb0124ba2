//! What is written: never over what is read, into folders that need not be there, in what order, and how.

use crate::support::{Folder, PATIENTS, ROLES};

/// Every way to write a file, with `{}` for it. The table is `t.csv`, the job file `job.toml`, the hierarchy
/// `h/sex.csv`, the requests `asked.jsonl`.
const WRITERS: [(&str, &str); 9] = [
    ("anonymize", "anonymize --job job.toml -k 2 -o '{}'"),
    (
        "anonymize, the certificate",
        "anonymize --job job.toml -k 2 -o other.csv --certificate '{}'",
    ),
    (
        "anonymize, the report",
        "anonymize --job job.toml -k 2 -o other.csv --report '{}'",
    ),
    (
        "hierarchy build",
        "hierarchy build --job job.toml --column sex -o '{}' --force",
    ),
    (
        "negotiate, the index",
        "negotiate --job job.toml -k 2 --how full --index '{}'",
    ),
    (
        "negotiate, the index of a batch",
        "negotiate --job job.toml -k 2 --how full --index '{}' --batch asked.jsonl",
    ),
    (
        "init",
        "init --job job.toml -k 2 --force --folder '{folder}'",
    ),
    (
        "compare, the report",
        "compare --job job.toml -k 2 --algorithms optimal --report '{}'",
    ),
    (
        "study",
        "study --job job.toml --parameters 2 --plot '{folder}'",
    ),
];

fn folder_of_inputs() -> Folder {
    Folder::with("in/t.csv", PATIENTS)
        .and("in/h/sex.csv", "f,*\nm,*\n")
        .and("asked.jsonl", "{\"model\":\"k-anonymity\",\"parameter\":2}\n")
        .and(
            "job.toml",
            "[data]\npath = \"in/t.csv\"\n[columns]\nquasi_identifiers = [\"age\", \"sex\", \"zip\"]\nsensitive = [\"disease\"]\nidentifying = [\"name\"]\nhierarchies = \"in/h\"\n",
        )
}

#[test]
#[cfg(unix)]
fn no_command_writes_over_what_it_reads_by_any_name() {
    use std::os::unix::fs::symlink;
    for input in ["in/t.csv", "in/h/sex.csv", "job.toml", "asked.jsonl"] {
        for (writer, command) in WRITERS {
            let reads_requests = command.contains("--batch");
            if (input == "asked.jsonl") != reads_requests || !command.contains("{}") {
                continue;
            }
            for way in [
                "plain",
                "dotted",
                "link",
                "link to a link",
                "folder",
                "twin",
            ] {
                let folder = folder_of_inputs();
                let before = folder.bytes(input);
                // The names end as what is written should end.
                let end = if writer == "anonymize" { "csv" } else { "json" };
                let name = format!("alias.{end}");
                let target = folder.path(input);
                let named = match way {
                    "plain" => input.to_owned(),
                    "dotted" => format!("./in/../{input}"),
                    "link" => {
                        symlink(&target, folder.path(&name)).unwrap();
                        name
                    }
                    "link to a link" => {
                        symlink(&target, folder.path("first")).unwrap();
                        symlink(folder.path("first"), folder.path(&name)).unwrap();
                        name
                    }
                    "folder" => {
                        symlink(folder.path("."), folder.path("here")).unwrap();
                        format!("here/{input}")
                    }
                    _ => {
                        std::fs::hard_link(&target, folder.path(&name)).unwrap();
                        name
                    }
                };
                let run = folder.run(&format!("{} --json", command.replace("{}", &named)));
                let shown = format!("{writer} over {input}, {way}: {}{}", run.stdout, run.stderr);
                assert_eq!(folder.bytes(input), before, "{shown}");
                assert_eq!(run.code, 2, "{shown}");
                let code = run.json()["error"]["code"].as_str().unwrap().to_owned();
                // A name may be refused for its end before that.
                let is_refused = code == "overwrites-input" || code == "unknown-format";
                assert!(is_refused || code == "standard-output-twice", "{shown}");
                let may_be_unknown =
                    writer == "anonymize" && (way == "plain" || way == "dotted" || way == "folder");
                assert!(code == "overwrites-input" || may_be_unknown, "{shown}");
            }
        }
    }
}

#[test]
#[cfg(unix)]
fn files_whose_names_are_not_for_the_user_to_choose_are_not_written_over_inputs_either() {
    use std::os::unix::fs::symlink;
    let refused = |folder: &Folder, command: &str, input: &str, before: &[u8]| {
        let run = folder.run(&format!("{command} --json")).ends_with(2);
        assert_eq!(
            run.json()["error"]["code"],
            "overwrites-input",
            "{}",
            run.stderr
        );
        assert_eq!(folder.bytes(input), before);
    };
    // `init` writes the job file it read, or hierarchies into a folder that leads to the table.
    let folder = folder_of_inputs();
    let before = folder.bytes("job.toml");
    std::fs::rename(folder.path("job.toml"), folder.path("incrowd.toml")).unwrap();
    refused(
        &folder,
        "init --job incrowd.toml -k 2 --force",
        "incrowd.toml",
        &before,
    );
    let folder = folder_of_inputs();
    let before = folder.bytes("in/t.csv");
    std::fs::create_dir_all(folder.path("new/hierarchies")).unwrap();
    symlink(
        folder.path("in/t.csv"),
        folder.path("new/hierarchies/age.csv"),
    )
    .unwrap();
    refused(
        &folder,
        "init --job job.toml -k 2 --force --folder new",
        "in/t.csv",
        &before,
    );
    // `study` writes pictures.
    let folder = folder_of_inputs();
    folder
        .run("study --job job.toml --parameters 2 --plot pictures")
        .ends_with(0);
    for picture in folder.list("pictures") {
        let folder = folder_of_inputs();
        let before = folder.bytes("in/t.csv");
        std::fs::create_dir(folder.path("pictures")).unwrap();
        std::fs::hard_link(
            folder.path("in/t.csv"),
            folder.path("pictures").join(&picture),
        )
        .unwrap();
        refused(
            &folder,
            "study --job job.toml --parameters 2 --plot pictures",
            "in/t.csv",
            &before,
        );
    }
    // The readable certificate is named after the other.
    let folder = folder_of_inputs().and("proof.txt", PATIENTS);
    let before = folder.bytes("proof.txt");
    refused(
        &folder,
        &format!("anonymize proof.txt {ROLES} -k 2 -o o.csv --certificate proof.json"),
        "proof.txt",
        &before,
    );
}

#[test]
fn two_outputs_are_two_files() {
    let folder = Folder::with("t.csv", PATIENTS);
    for (release, certificate) in [
        ("a.csv", "a.csv"),
        ("new/a.csv", "./new/../new/a.csv"),
        ("a.txt", "a.json"),
        ("-", "-"),
    ] {
        let run = folder
            .run(&format!(
                "anonymize t.csv {ROLES} -k 2 -o {release} --certificate {certificate}"
            ))
            .ends_with(2);
        assert!(
            run.stderr.contains("have the same name"),
            "{release} {certificate}: {}",
            run.stderr
        );
        assert_eq!(folder.list("."), ["t.csv"]);
    }
}

#[test]
fn missing_folders_of_outputs_are_made_by_every_command() {
    let folder = folder_of_inputs();
    for (at, (writer, command)) in WRITERS.iter().enumerate() {
        let (parent, end) = (
            format!("new-{at}/deep"),
            if *writer == "anonymize" {
                "csv"
            } else {
                "json"
            },
        );
        let path = format!("{parent}/file.{end}");
        let run = folder.run(&command.replace("{}", &path).replace("{folder}", &parent));
        assert!(run.code < 2, "{writer}: {}", run.stderr);
        assert!(folder.path(&parent).is_dir(), "{writer}");
        assert!(
            folder.path(&path).is_file() || command.contains("{folder}"),
            "{writer}"
        );
        assert!(!folder.list(&parent).is_empty(), "{writer}");
    }
}

#[test]
fn a_failed_run_leaves_no_folder_behind() {
    let folder = Folder::with("t.csv", PATIENTS);
    let run = folder.run(&format!(
        "anonymize t.csv {ROLES} -k 12 --max-levels 0,0,0 -o a/b/o.csv --certificate a/c/p.json"
    ));
    run.ends_with(2);
    assert_eq!(folder.list("."), ["t.csv"]);
}

/// A few hundred patients, sorted by name.
fn patients(rows: usize) -> Vec<String> {
    (0..rows)
        .map(|row| {
            let (age, zip) = (20 + row * 7 % 50, 10115 + row % 5);
            format!(
                "N{row:04},{age},{},{zip},{}",
                ["f", "m"][row % 2],
                ["flu", "cold", "asthma"][row * 11 % 3]
            )
        })
        .collect()
}

fn table(rows: &[String]) -> String {
    let mut text = String::from("name,age,sex,zip,disease\n");
    rows.iter().for_each(|row| text += &format!("{row}\n"));
    text
}

#[test]
fn shuffled_rows_tell_nothing_about_the_order_of_the_table() {
    let mut rows = patients(700);
    let flags = format!("{ROLES} --hierarchy age=interval:10,20");
    let release = |rows: &[String], more: &str| {
        let folder = Folder::with("t.csv", table(rows));
        let promise = match more.contains("-k ") {
            true => "",
            false => "-k 5 --max-suppressed 5%",
        };
        folder
            .run(&format!(
                "anonymize t.csv {flags} {promise} {more} -o o.csv"
            ))
            .ends_with(0);
        folder.read("o.csv")
    };
    let plain = release(&rows, "");
    let shuffled = release(&rows, "--shuffle");
    assert_ne!(plain, shuffled);
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let header = lines.remove(0);
        lines.sort();
        (header, lines)
    };
    assert_eq!(sorted(&plain), sorted(&shuffled));
    for threads in [1, 2, 3, 4, 8] {
        assert_eq!(
            release(&rows, &format!("--shuffle --threads {threads}")),
            shuffled
        );
    }
    assert_eq!(release(&rows, "--shuffle --seed 0"), shuffled);
    assert_ne!(release(&rows, "--shuffle --seed 1"), shuffled);
    // Whatever the order of the table, the release is the same: nothing can be told from it.
    rows.reverse();
    assert_eq!(release(&rows, "--shuffle"), shuffled);
    rows.sort_by_key(|row| row[1..].bytes().rev().collect::<Vec<u8>>());
    assert_eq!(release(&rows, "--shuffle"), shuffled);
    let starred = release(
        &rows,
        "--shuffle --suppressed star -k 9 --max-suppressed 100%",
    );
    rows.reverse();
    assert_eq!(
        release(
            &rows,
            "--shuffle --suppressed star -k 9 --max-suppressed 100%"
        ),
        starred
    );
}

#[test]
fn every_report_says_in_which_order_rows_are() {
    let folder = Folder::with("t.csv", PATIENTS);
    let run = |more: &str| {
        folder
            .run(&format!(
                "anonymize t.csv {ROLES} -k 2 -o o.csv --certificate p.json {more}"
            ))
            .ends_with(0)
    };
    let text = run("").stdout;
    assert!(text.contains("rows are in input order"), "{text}");
    assert_eq!(run("--json").json()["row_order"], "input");
    assert!(
        folder
            .read("p.txt")
            .contains("row order          as in the table")
    );
    let text = run("--shuffle").stdout;
    assert!(!text.contains("input order"), "{text}");
    assert_eq!(run("--shuffle --json").json()["row_order"], "shuffled");
    assert!(folder.read("p.txt").contains("row order          shuffled"));
    let certificate: serde_json::Value = serde_json::from_str(&folder.read("p.json")).unwrap();
    assert_eq!(certificate["request"]["row_order"], "shuffled");
}

const FORMULAS: &str = "\
=cmd,age,s
1,-5,\"=HYPERLINK(\"\"http://x\"\")\"
2,-5,+3
3,-5,\"'=HYPERLINK(\"\"http://x\"\")\"
1,-4,@a
2,-4,-2+3
3,-4,plain
";

#[test]
fn formulas_get_an_apostrophe_where_that_is_asked_for() {
    let folder = Folder::with("t.csv", FORMULAS);
    let flags = "-q age -s s --target =cmd -k 3 --hierarchy age=suppress";
    folder
        .run(&format!("anonymize t.csv {flags} -o raw.csv"))
        .ends_with(0);
    assert_eq!(folder.read("raw.csv"), FORMULAS);
    let run = folder
        .run(&format!(
            "anonymize t.csv {flags} -o safe.csv --spreadsheet-safe --certificate p.json --json"
        ))
        .ends_with(0);
    assert_eq!(run.json()["spreadsheet_safe"], true);
    assert!(folder.read("p.txt").contains("apostrophe before formulas"));
    assert_eq!(
        folder.read("safe.csv"),
        "'=cmd,age,s\n1,-5,\"'=HYPERLINK(\"\"http://x\"\")\"\n2,-5,+3\n3,-5,\"''=HYPERLINK(\"\"http://x\"\")\"\n1,-4,'@a\n2,-4,'-2+3\n3,-4,plain\n"
    );
    // Read as it was written, it is the release of its original; and it has as many sensitive values.
    let verified = folder
        .run("verify safe.csv -q age -s s -l 3 --original t.csv --spreadsheet-safe --json")
        .ends_with(0);
    assert_eq!(verified.json()["against_original"]["invented"], 0);
    let verified = folder
        .run("verify safe.csv -q age -s s -l 3 --original t.csv --json")
        .ends_with(1);
    assert_ne!(verified.json()["against_original"]["invented"], 0);
    // Labels are cells too.
    let folder = folder.and("levels.csv", "-5,-9 to -1,*\n-4,-9 to -1,*\n");
    folder
        .run("anonymize t.csv -q age -s s --target =cmd -k 6 --hierarchy age=levels.csv --spreadsheet-safe -o l.csv")
        .ends_with(0);
    let labels = folder.read("l.csv");
    assert_eq!(labels.matches(",'-9 to -1,").count(), 6, "{labels}");
}

#[test]
fn parquet_needs_no_apostrophes() {
    let folder = Folder::with("t.csv", PATIENTS);
    let run = folder
        .run(&format!(
            "anonymize t.csv {ROLES} -k 2 -o o.parquet --spreadsheet-safe --json"
        ))
        .ends_with(2);
    assert_eq!(run.json()["error"]["code"], "spreadsheet-needs-text");
    assert_eq!(folder.list("."), ["t.csv"]);
}
