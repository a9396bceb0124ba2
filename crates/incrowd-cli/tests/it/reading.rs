//! What a table is taken for: its header, its blanks, and what `init` remembers of how it is written.

use crate::support::{
    self, Folder, PATIENTS, Run, TABLE_COMMANDS, check_all_commands_are_known, data, flags,
};
use std::collections::BTreeSet;

/// Nine columns without a header, as a hospital might export them.
fn without_header() -> String {
    let mut text = String::new();
    for row in 0..40 {
        let (zip, sex, disease, code) = [
            (45201, 'F', "asthma", "J45"),
            (45017, 'M', "flu", "J10"),
            (45011, 'F', "HIV", "B20"),
        ][row % 3];
        text += &format!(
            "Person {row},{},M{row:05},19{:02}-05-04,{zip},{sex},{disease},{code},2024-01-{:02}T20:24:50\n",
            711_178_002 + row * 7,
            40 + row,
            row % 28 + 1
        );
    }
    text
}

fn typed(command: &str, table: &str) -> String {
    command
        .replace("{table}", table)
        .replace("{q}", "column-5")
        .replace("{s}", "column-6")
}

#[test]
fn a_first_line_that_is_a_row_stops_every_command_and_is_not_shown() {
    check_all_commands_are_known();
    let folder = Folder::with("nohdr.csv", without_header())
        .and("levels.csv", "45201,*\n45017,*\n45011,*\n")
        .and("good.csv", "q\nx\ny\n")
        .and("job.toml", "[data]\npath = \"nohdr.csv\"\n");
    for (name, command) in TABLE_COMMANDS {
        let mut ways = vec![typed(command, "nohdr.csv")];
        let takes_job = name != "hierarchy check" && name != "verify";
        ways.extend(takes_job.then(|| typed(command, "--job job.toml")));
        // With `verify` the table of a job is the original.
        ways.extend(
            (name == "verify").then(|| "verify good.csv -q q --original nohdr.csv".to_owned()),
        );
        for way in ways {
            for way in [format!("{way} --json"), way] {
                let run = folder.run(&way).ends_with(2);
                let shown = format!("{}{}", run.stdout, run.stderr);
                assert!(shown.contains("looks like a data row"), "{way}: {shown}");
                assert!(
                    shown.contains("--no-header") && shown.contains("--header"),
                    "{way}: {shown}"
                );
                for cell in [
                    "Person",
                    "711178002",
                    "M00000",
                    "1940",
                    "45201,",
                    "asthma",
                    "J45",
                ] {
                    assert!(!shown.contains(cell), "{way} shows `{cell}`: {shown}");
                }
            }
        }
        assert!(
            !folder.path("new").exists(),
            "{name} leaves something behind"
        );
        let run = folder.run(&typed(command, "nohdr.csv --no-header"));
        assert!(run.code < 2, "{name}: {}", run.stderr);
        let _ = std::fs::remove_dir_all(folder.path("new"));
    }
}

#[test]
fn a_first_line_that_looks_like_a_row_stops_every_command_however_long_the_next_row_is() {
    // The second row alone is longer than what is read at once.
    let mut text = without_header();
    let second = text.find('\n').unwrap() + 1;
    text.insert_str(second, &"x".repeat(300_000));
    let folder = Folder::with("nohdr.csv", &text).and("levels.csv", "45201,*\n45017,*\n45011,*\n");
    for (name, command) in TABLE_COMMANDS {
        let run = folder.run(&typed(command, "nohdr.csv")).ends_with(2);
        let shown = format!("{}{}", run.stdout, run.stderr);
        assert!(shown.contains("looks like a data row"), "{name}: {shown}");
        assert!(!shown.contains("Person"), "{name}: {shown}");
        assert!(!folder.path("new").exists(), "{name}");
    }
    let mut command = folder.command("inspect -");
    let file = std::fs::File::open(folder.path("nohdr.csv")).unwrap();
    let piped = Run::of(command.stdin(file).output().unwrap()).ends_with(2);
    assert!(
        piped.stderr.contains("looks like a data row"),
        "{}",
        piped.stderr
    );
}

#[test]
fn people_known_by_their_addresses_alone_are_no_header() {
    let mut text = String::new();
    for letter in 'a'..='t' {
        text += &format!("Ann{letter} Lee,ann{letter}@x.org,Main{letter} street\n");
    }
    let run = Folder::with("t.csv", &text)
        .run("inspect t.csv")
        .ends_with(2);
    assert_eq!(run.stdout, "");
    assert!(
        run.stderr.contains("looks like a data row"),
        "{}",
        run.stderr
    );
    let named = format!("name,e-mail,street\n{text}");
    Folder::with("t.csv", named)
        .run("inspect t.csv")
        .ends_with(0);
}

#[test]
fn the_job_file_says_what_the_first_line_is() {
    let numbers = "1,2\n3,a\n3,b\n3,a\n3,b\n";
    let run = |header: &str| {
        Folder::with("t.csv", numbers)
            .and("job.toml", format!("[data]\npath = \"t.csv\"\n{header}\n"))
            .run("inspect --job job.toml --json")
    };
    assert_eq!(
        run("").ends_with(2).json()["error"]["code"],
        "header-is-row"
    );
    assert_eq!(
        run("header = false").ends_with(0).json()["columns"][1]["name"],
        "column-2"
    );
    assert_eq!(
        run("header = true").ends_with(0).json()["columns"][1]["name"],
        "2"
    );
    let folder = Folder::with("t.csv", numbers)
        .and("job.toml", "[data]\npath = \"t.csv\"\nheader = false\n");
    let json = folder
        .run("inspect --job job.toml --header --json")
        .ends_with(0)
        .json();
    assert_eq!(json["columns"][1]["name"], "2");
    folder
        .run("inspect t.csv --header --no-header")
        .ends_with(2);
}

#[test]
fn the_bundled_tables_have_headers() {
    for table in ["adult/adult.csv", "clinic/clinic.csv"] {
        Folder::new()
            .run(&format!("inspect {} --quiet", data(table)))
            .ends_with(0);
    }
}

#[test]
fn years_may_name_columns() {
    let folder = Folder::with("t.csv", "person,2019,2020\na,17000,18000\nb,17500,18100\n");
    folder.run("inspect t.csv").ends_with(0);
}

/// A flag of `init`, a table for which it matters, and the other flags to go with it.
struct Case {
    flag: &'static str,
    given: &'static str,
    table: String,
    others: &'static str,
}

fn case(flag: &'static str, given: &'static str, table: &str, others: &'static str) -> Case {
    Case {
        flag,
        given,
        table: table.to_owned(),
        others,
    }
}

/// Twelve rows of two quasi-identifiers, a sensitive column, and more.
const PLAIN: &str = "a,b,s,n\n1,x,p,N0\n2,x,q,N1\n3,y,p,N2\n4,y,q,N3\n1,x,q,N4\n2,x,p,N5\n3,y,q,N6\n4,y,p,N7\n1,y,p,N8\n2,y,q,N9\n3,x,p,NC\n4,x,q,NB\n";

fn cases() -> Vec<Case> {
    let roles = "-q a,b -s s --others drop -k 2 --max-suppressed 0";
    let rows = |sep: &str, row: &dyn Fn(usize) -> Vec<String>| -> String {
        let rows = (0..8).map(|at| row(at).join(sep) + "\n");
        rows.collect()
    };
    let blanks = "a, b, s\n".to_owned()
        + &rows(",", &|at| {
            vec![format!(" {}", at % 4), format!(" x{}", at % 2), " p".into()]
        });
    let quoted = "a;b;s\n".to_owned()
        + &rows(";", &|at| {
            vec![format!("'{};1'", at % 4), format!("{}", at % 2), "p".into()]
        });
    let missing = "a,b,s\n".to_owned()
        + &rows(",", &|at| {
            vec![
                format!("{}", at % 4),
                if at < 2 { "?".into() } else { "x".into() },
                "p".into(),
            ]
        });
    let empty = "a,b,s\n".to_owned()
        + &rows(",", &|at| {
            vec![
                format!("{}", at % 4),
                if at < 2 { String::new() } else { "x".into() },
                "p".into(),
            ]
        });
    let colons = "a:b:s\n".to_owned()
        + &rows(":", &|at| {
            vec![format!("{}", at % 4), "x".into(), "p".into()]
        });
    let unnamed = rows(",", &|at| {
        vec![format!("{}", at % 4), "x".into(), "p".into()]
    });
    let numbered = "1,2,3\n".to_owned()
        + &rows(",", &|at| {
            vec![format!("{}", at % 4), "x".into(), "p".into()]
        });
    vec![
        case("--delimiter", "--delimiter :", &colons, roles),
        case("--quote", "--quote QUOTE", &quoted, roles),
        case(
            "--no-header",
            "--no-header",
            &unnamed,
            "-q column-1,column-2 -s column-3 --others drop -k 2 --max-suppressed 0",
        ),
        case(
            "--header",
            "--header",
            &numbered,
            "-q 1,2 -s 3 --others drop -k 2 --max-suppressed 0",
        ),
        case("--trim", "--trim", &blanks, roles),
        case(
            "--missing-tokens",
            "--missing-tokens ?",
            &missing,
            "-q a,b -s s --others drop -k 2 --max-suppressed 0 --missing-cells exclude-row",
        ),
        case(
            "--missing-cells",
            "--missing-cells exclude-row",
            &empty,
            roles,
        ),
        case(
            "--quasi-identifiers",
            "-q a,b",
            PLAIN,
            "-s s --others drop -k 2 --max-suppressed 0",
        ),
        case(
            "--sensitive",
            "-s s",
            PLAIN,
            "-q a,b --identifying n --others drop -k 2 --max-suppressed 0",
        ),
        case(
            "--identifying",
            "--identifying n",
            PLAIN,
            "-q a,b -s s -k 2 --max-suppressed 0",
        ),
        case(
            "--keep",
            "--keep n",
            PLAIN,
            "-q a,b -s s -k 2 --max-suppressed 0",
        ),
        case(
            "--target",
            "--target s",
            PLAIN,
            "-q a,b --others drop -k 2 --max-suppressed 0",
        ),
        case(
            "--others",
            "--others keep",
            "a,s,m\n1,p,x\n1,q,x\n2,p,y\n2,q,y\n1,p,y\n1,q,y\n",
            "-q a -s s -k 2 --max-suppressed 0",
        ),
        case(
            "-k",
            "-k 3",
            PLAIN,
            "-q a,b -s s --others drop --max-suppressed 0",
        ),
        case(
            "-l",
            "-l 2",
            PLAIN,
            "-q a,b -s s --others drop --max-suppressed 0",
        ),
        case(
            "-t",
            "-t 0.4",
            PLAIN,
            "-q a,b -s s --others drop --max-suppressed 0",
        ),
        case(
            "--privacy",
            "--privacy entropy-l-diversity(l=2)",
            PLAIN,
            "-q a,b -s s --others drop --max-suppressed 0",
        ),
        case(
            "--population",
            "--population t.csv",
            PLAIN,
            "-q a,b -s s --others drop --privacy k-map(k=2) --max-suppressed 0",
        ),
        case(
            "--max-suppressed",
            "--max-suppressed 1",
            "a,s\n1,p\n1,q\n1,p\n1,q\n2,p\n2,q\n2,p\n3,q\n",
            "-q a -s s --others drop -k 2",
        ),
        case(
            "--max-levels",
            "--max-levels 0,1",
            PLAIN,
            "-q a,b -s s --others drop -k 2 --max-suppressed 0",
        ),
    ]
}

/// Flags of `init` that say nothing about the table or the job.
const ABOUT_INIT: [&str; 8] = [
    "--job",
    "--folder",
    "--force",
    "--threads",
    "--json",
    "--quiet",
    "--no-progress",
    "--help",
];

#[test]
fn a_job_of_init_makes_the_release_that_its_flags_make() {
    let known: BTreeSet<&str> = cases()
        .iter()
        .map(|case| case.flag)
        .chain(ABOUT_INIT)
        .collect();
    for flag in flags("init", |_| true) {
        assert!(
            known.contains(flag.as_str()),
            "does `init` remember {flag}?"
        );
    }
    for Case {
        flag,
        given,
        table,
        others,
    } in cases()
    {
        let folder = Folder::with("t.csv", &table);
        let words = |text: &str| -> Vec<String> {
            text.split(' ')
                .map(|word| word.replace("QUOTE", "'"))
                .collect()
        };
        let run = |command: &str| {
            support::Run::of(folder.command("").args(words(command)).output().unwrap())
        };
        run(&format!("anonymize t.csv {given} {others} -o flags.csv")).ends_with(0);
        run(&format!("init t.csv {given} {others} --force")).ends_with(0);
        run("anonymize --job incrowd.toml -o job.csv").ends_with(0);
        assert_eq!(
            folder.read("job.csv"),
            folder.read("flags.csv"),
            "{flag}: {}",
            folder.read("incrowd.toml")
        );
        // The release stands up to its original, read by the same job, and by the same flags.
        run("verify job.csv --job incrowd.toml --original t.csv").ends_with(0);
        let asked = match flag {
            // What is a wish about the search is none about the release.
            "--max-levels" => others.to_owned(),
            _ => format!("{given} {others}"),
        };
        run(&format!("verify flags.csv {asked} --original t.csv")).ends_with(0);
        // The flag matters here, or nothing is shown by this.
        let without = run(&format!("anonymize t.csv {others} -o without.csv"));
        let is_same = without.code == 0 && folder.read("without.csv") == folder.read("flags.csv");
        assert!(!is_same, "{flag} changes nothing here");
    }
}

#[test]
fn blanks_around_cells_are_noticed() {
    let table = "age, work, s\n39, ?, p\n40, gov, q\n39, gov, p\n40, ?, q\n";
    let folder = Folder::with("t.csv", table)
        .and("h/ work.csv", "?,*\ngov,*\n")
        .and("h/work.csv", "?,*\ngov,*\n");
    let inspected = folder.run("inspect t.csv").ends_with(0).stdout;
    assert!(inspected.contains("--trim"), "{inspected}");
    let padded = "-q age --others drop -k 2";
    let report = folder
        .run(&format!("anonymize t.csv {padded}"))
        .ends_with(0)
        .stdout;
    assert!(report.contains("--trim"), "{report}");
    let trimmed = folder
        .run(&format!("anonymize t.csv {padded} --trim"))
        .ends_with(0)
        .stdout;
    assert!(!trimmed.contains("--trim"), "{trimmed}");
    let unlisted = folder
        .command("anonymize t.csv --others drop -k 2 --hierarchies h")
        .args(["-q", " work"])
        .output()
        .unwrap();
    let unlisted = support::Run::of(unlisted).ends_with(2);
    assert!(
        unlisted.stderr.contains(
            "hint: many cells of the table have whitespace around their values; `--trim`"
        ),
        "{}",
        unlisted.stderr
    );
    let written = folder
        .run("init t.csv -q age,work -k 2")
        .ends_with(0)
        .stdout;
    assert!(written.contains("trim = true"), "{written}");
    assert!(
        folder.read("incrowd.toml").contains("\ntrim = true  "),
        "{}",
        folder.read("incrowd.toml")
    );
    folder
        .run("anonymize --job incrowd.toml -o out.csv")
        .ends_with(0);
    assert!(!folder.read("out.csv").contains(' '));
    // Whoever says that blanks matter is believed.
    let clean = Folder::with("t.csv", "age,work\n39,x y\n40, z\n39,a\n40,b\n");
    assert!(
        !clean
            .run("inspect t.csv")
            .ends_with(0)
            .stdout
            .contains("--trim")
    );
}

#[test]
fn a_time_limit_holds_while_the_table_is_read_in_every_command_that_takes_one() {
    let folder = Folder::with("t.csv", PATIENTS);
    let mut limited = Vec::new();
    let mut ways = Vec::new();
    for (name, command) in TABLE_COMMANDS {
        if flags(name, |_| true).contains(&"--time-limit".to_owned()) {
            let command = command.replace("{table}", "t.csv");
            ways.push(command.replace("{q}", "zip").replace("{s}", "disease"));
            limited.push(name);
        }
    }
    assert_eq!(
        limited,
        [
            "anonymize",
            "advise",
            "negotiate",
            "study",
            "compare",
            "evaluate",
            "simulate"
        ]
    );
    ways.push("study t.csv -q zip,sex --schemes --parameters 2".to_owned());
    for way in ways {
        // Nothing can be read in no time.
        let run = folder.run(&format!("{way} --time-limit 1ns --json"));
        let json = run.ends_with(2).json();
        assert_eq!(json["error"]["code"], "time-up-reading", "{way}: {json}");
    }
}
