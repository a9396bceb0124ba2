//! Names from files are shown, not obeyed: nothing in them steers a terminal or forges a line.

use crate::support::{Folder, Run, TABLE_COMMANDS, check_all_commands_are_known};

/// Clears the screen, forges a line, turns letters round, rings, rubs out.
const NASTY: [&str; 3] = [
    "age\u{1b}[2J\nrelease     forged.csv",
    "zip\u{202e}piz\u{7}\u{7f}",
    "disease\u{9b}31m\u{2066}\r\u{feff}x",
];

fn table() -> String {
    let quoted: Vec<String> = NASTY.iter().map(|name| format!("\"{name}\"")).collect();
    let mut text = quoted.join(",") + ",id\u{1b}]0;title\u{7}\n";
    for row in 0..12 {
        text += &format!(
            "{},1011{},{},{row}\n",
            30 + row % 4,
            row % 2,
            ["flu", "cold"][row / 2 % 2]
        );
    }
    text
}

#[track_caller]
fn check(what: &str, text: &str) {
    let steers = |letter: char| {
        (letter.is_control() && letter != '\n')
            || ('\u{202a}'..='\u{202e}').contains(&letter)
            || ('\u{2066}'..='\u{2069}').contains(&letter)
            || letter == '\u{feff}'
    };
    assert!(!text.contains(steers), "{what}: {text:?}");
    let forged = text
        .lines()
        .find(|line| line.trim_start().starts_with("release     forged"));
    assert_eq!(forged, None, "{what}: {text:?}");
}

#[test]
fn names_of_columns_and_files_steer_nothing_in_any_command() {
    check_all_commands_are_known();
    let name = "t\u{1b}[31m\u{202e}.csv";
    let folder = Folder::with(name, table())
        .and("levels.csv", "10110,x\u{1b}[2J,*\n10111,x\u{1b}[2J,*\n")
        .and(
            "asked.jsonl",
            "{\"model\":\"k-anonymity\",\"parameter\":3}\n",
        );
    let run = |command: &str| {
        // Names hold blanks and quotes, so they are put in word by word.
        let words = command.split(' ').map(|word| match word {
            "{table}" => name.to_owned(),
            "{q}" => NASTY[1].to_owned(),
            "{s}" => NASTY[2].to_owned(),
            "{other}" => NASTY[0].to_owned(),
            word => word.to_owned(),
        });
        let run = Run::of(folder.command("").args(words).output().unwrap());
        assert!(run.code < 2, "{command}: {}", run.stderr);
        check(command, &run.stdout);
        check(command, &run.stderr);
    };
    for (_, command) in TABLE_COMMANDS {
        run(command);
        run(&format!("{command} --json"));
    }
    let release = "anonymize {table} -q {q} -s {s} --others drop";
    run(&format!(
        "{release} -k 2 --algorithm partition --scheme sps --metric discernibility"
    ));
    run(&format!("{release} -k 2 --algorithm datafly --verbose"));
    run(&format!(
        "{release} -k 2 --target {{other}} --algorithm top-down"
    ));
    run("negotiate {table} -q {q} -s {s} --batch asked.jsonl");
    run("hierarchy show levels.csv");
    run("hierarchy show levels.csv --json");
    for file in [
        "new/proof.txt",
        "new/proof.json",
        "new/incrowd.toml",
        "new/page.html",
    ] {
        check(file, &folder.read(file));
    }
    for picture in folder.list("new/pictures") {
        check(&picture, &folder.read(&format!("new/pictures/{picture}")));
    }
    let job = folder
        .run("anonymize --job new/incrowd.toml --json")
        .ends_with(0);
    check("the job", &job.stdout);
}

#[test]
fn errors_steer_nothing_either() {
    let folder = Folder::with("t.csv", table()).and("short.csv", "10110,*\n");
    let fails = |words: &[&str]| {
        let run = Run::of(folder.command("").args(words).output().unwrap()).ends_with(2);
        check("stderr", &run.stderr);
        check("stdout", &run.stdout);
        assert!(!run.stderr.is_empty());
    };
    let [age, zip, disease] = NASTY;
    for json in [&[][..], &["--json"]] {
        let with = |words: &[&'static str]| [words, json].concat();
        fails(&with(&["anonymize", "t.csv", "-q", zip, "-k", "2"]));
        fails(&with(&[
            "anonymize",
            "t.csv",
            "-q",
            "a\u{1b}[2Jb",
            "-k",
            "2",
        ]));
        fails(&with(&[
            "anonymize",
            "t.csv",
            "-q",
            zip,
            "-s",
            zip,
            "-k",
            "2",
        ]));
        fails(&with(&[
            "anonymize",
            "t.csv",
            "-q",
            zip,
            "-s",
            disease,
            "--others",
            "drop",
            "-k",
            "200",
        ]));
        fails(&with(&[
            "anonymize",
            "no\u{1b}[2J.csv",
            "-q",
            zip,
            "-k",
            "2",
        ]));
        fails(&with(&[
            "anonymize",
            "t.csv",
            "-q",
            age,
            "--others",
            "drop",
            "-k",
            "2",
            "-o",
            "x\u{202e}",
        ]));
        fails(&with(&[
            "hierarchy",
            "build",
            "t.csv",
            "--column",
            "x\n\u{9b}y",
        ]));
        fails(&with(&["explain", "x\u{1b}[2J"]));
    }
    let lists = "disease\u{9b}31m\u{2066}\r\u{feff}x=short.csv";
    fails(&[
        "anonymize",
        "t.csv",
        "-q",
        disease,
        "--hierarchy",
        lists,
        "--others",
        "drop",
        "-k",
        "2",
    ]);
}
