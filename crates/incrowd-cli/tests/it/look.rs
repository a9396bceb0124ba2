//! The commands that look and explain: inspect, init, hierarchy, explain, help.

use crate::support::{Folder, PATIENTS, data};
use serde_json::json;

#[test]
fn inspect_proposes_roles_and_prints_no_cell() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let run = folder.run("inspect patients.csv").ends_with(0);
    for cell in ["Ann", "10115", "asthma"] {
        assert!(!run.stdout.contains(cell), "{}", run.stdout);
    }
    insta::assert_snapshot!(run.stdout);
    let found = folder
        .run("inspect patients.csv --json")
        .ends_with(0)
        .json();
    assert_eq!(found["rows"], 12);
    assert_eq!(found["columns"][0]["role"], "identifying");
    assert_eq!(found["combinations"]["together"]["unique_rows"], 12);
}

#[test]
fn inspect_and_init_print_no_cell_however_hostile() {
    let mut table = String::from("age,sex,mail,note,zip,wage,twin\n");
    for row in 0..60 {
        let (age, zip) = (20 + row % 7, row % 5);
        table.push_str(&format!(
            "{age},\"SECRET\u{1b}[2J{}\",SECRET{row}@x.org,\"SECRET said: \"\"run # this\"\" and left {row}\",\
             SECRET\u{202e}{zip},SECRET{row},SECRET{zip}\n",
            row % 2
        ));
    }
    let folder = Folder::with("t.csv", table);
    let text = folder.run("inspect t.csv").ends_with(0);
    let json = folder.run("inspect t.csv --json").ends_with(0);
    for run in [&text, &json] {
        assert!(!run.stdout.contains("SECRET"), "{}", run.stdout);
        assert!(!run.stderr.contains("SECRET"), "{}", run.stderr);
    }
    assert!(
        text.stdout.contains("warning: `note` is free text"),
        "{}",
        text.stdout
    );
    folder.run("init t.csv").ends_with(0);
    let job = folder.read("incrowd.toml");
    assert!(!job.contains("SECRET"), "{job}");
    assert!(job.contains("#   `note` is free text"), "{job}");
    assert!(job.contains("#   `zip` and `twin` carry the same"), "{job}");
}

#[test]
fn inspect_says_which_figures_are_estimates() {
    // The more columns, the fewer values of each are counted.
    let more: String = (0..60).map(|at| format!(",same {at}")).collect();
    let mut table = format!("code,age{more}\n");
    let more = ",".repeat(60);
    (0..70_000).for_each(|row| table.push_str(&format!("c{row},{}{more}\n", row % 90)));
    let folder = Folder::with("t.csv", table);
    let text = folder.run("inspect t.csv").ends_with(0).stdout;
    assert!(text.contains("~ marks estimates"), "{text}");
    let found = folder.run("inspect t.csv --json").ends_with(0).json();
    assert_eq!(found["columns"][0]["is_exact"], false);
    assert_eq!(found["columns"][1]["is_exact"], true);
    let distinct = found["columns"][0]["distinct"].as_u64().unwrap();
    assert!(text.contains(&format!("~{distinct}")), "{text}");
    assert!((66_000..=70_000).contains(&distinct), "{distinct}");
}

#[test]
fn init_writes_what_inspect_found_in_adult_as_comments() {
    let folder = Folder::new();
    folder
        .run(&format!("init {}", data("adult/adult.csv")))
        .ends_with(0);
    let job = folder.read("incrowd.toml");
    for words in [
        "sensitive = [\"capital-gain\", \"capital-loss\", \"salary-class\"]",
        "#   \"fnlwgt\": survey weight, says how many people",
        "# \"hours-per-week\",  # others may know it",
        "# \"education-num\",  # carries the same as `education`",
        "#   `education` and `education-num` carry the same",
    ] {
        assert!(job.contains(words), "{words}: {job}");
    }
}

#[test]
fn inspect_takes_roles_as_they_are_given() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let found = folder
        .run("inspect patients.csv -s zip --json")
        .ends_with(0)
        .json();
    assert_eq!(found["columns"][3]["role"], "sensitive");
    assert_eq!(found["columns"][3]["reason"], "given");
}

#[test]
fn init_writes_a_job_that_runs() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let run = folder.run("init patients.csv").ends_with(0);
    assert!(
        run.stdout.contains("incrowd anonymize --job incrowd.toml"),
        "{}",
        run.stdout
    );
    insta::assert_snapshot!(folder.read("incrowd.toml"));
    assert_eq!(
        folder.list("hierarchies"),
        ["age.csv", "sex.csv", "zip.csv"]
    );
    folder.run("anonymize --job incrowd.toml").ends_with(0);
    folder
        .run("verify --job incrowd.toml --original patients.csv")
        .ends_with(0);
    let again = folder.run("init patients.csv").ends_with(2);
    assert!(again.stderr.contains("--force"), "{}", again.stderr);
    folder.run("init patients.csv --force").ends_with(0);
}

/// A table of many columns, of which a person knows few.
fn wide_table(rows: u32) -> String {
    let mut text =
        String::from("age,sex,education,marital stat,race,citizenship,father's country,income");
    (0..34).for_each(|column| text.push_str(&format!(",answer {column}")));
    for row in 0..rows {
        let pick = |kinds: u32, salt: u32| (row * 7 + row / 11 * salt + salt) % kinds;
        let school = ["Primary", "High school", "Bachelor", "Master"][pick(4, 3) as usize];
        text.push_str(&format!(
            "\n{},{},{school},m{},r{},c{},France,{}",
            18 + pick(60, 1),
            ["f", "m"][pick(2, 5) as usize],
            // Another number than that of the school: else it would tell it.
            pick(4, 5),
            pick(5, 11),
            pick(3, 13),
            // An odd number of incomes: else they would tell the sex.
            pick(899, 17) * 100,
        ));
        (0..34)
            .for_each(|column| text.push_str(&format!(",a{}", pick(2 + column % 9, 19 + column))));
    }
    text.push('\n');
    text
}

#[test]
fn init_proposes_few_of_many_columns_and_leaves_the_others_as_comments() {
    let folder = Folder::with("wide.csv", wide_table(3000));
    folder.run("init wide.csv").ends_with(0);
    let job = folder.read("incrowd.toml");
    let list: Vec<&str> = (job.lines())
        .skip_while(|line| !line.starts_with("quasi_identifiers"))
        .take_while(|line| *line != "]")
        .skip(1)
        .collect();
    let (commented, proposed): (Vec<&str>, Vec<&str>) = list
        .iter()
        .partition(|line| line.trim_start().starts_with('#'));
    assert!((6..=8).contains(&proposed.len()), "{job}");
    assert!(commented.len() >= 30, "{job}");
    // Each line gives its reason.
    assert!(list.iter().all(|line| line.contains(",  # ")), "{job}");
    assert!(job.contains("\nothers = \"drop\""), "{job}");
    folder.run("anonymize --job incrowd.toml").ends_with(0);
    let header = folder.read("release.csv");
    let header = header.lines().next().unwrap();
    assert_eq!(header.split(',').count(), proposed.len() + 1, "{header}");
    // Taking away a `#` is all it takes to add a column.
    let first = commented[0];
    let more = job.replace(first, &first.replacen("# ", "", 1));
    std::fs::write(folder.path("incrowd.toml"), more).unwrap();
    folder.run("anonymize --job incrowd.toml").ends_with(0);
    let header = folder.read("release.csv");
    let header = header.lines().next().unwrap();
    assert_eq!(header.split(',').count(), proposed.len() + 2, "{header}");
}

#[test]
fn init_elsewhere_writes_a_job_that_finds_its_table() {
    let folder = Folder::with("patients.csv", PATIENTS);
    folder
        .run("init patients.csv --folder study/one -k 2 --max-suppressed 3")
        .ends_with(0);
    let job = folder.read("study/one/incrowd.toml");
    assert!(job.contains("models = [\"k-anonymity(k=2)\"]"), "{job}");
    assert!(job.contains("max_suppressed = 3"), "{job}");
    folder
        .run("anonymize --job study/one/incrowd.toml")
        .ends_with(0);
    assert!(folder.path("study/one/release.csv").is_file());
}

#[test]
fn hierarchies_are_built_checked_and_shown() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let built = folder.run("hierarchy build patients.csv --column age --rule interval:5,10");
    let built = built.ends_with(0);
    assert!(
        built
            .stdout
            .lines()
            .any(|line| line == "34,[30-34],[30-39],*"),
        "{}",
        built.stdout
    );
    folder
        .run("hierarchy build patients.csv --column zip -o zip.csv")
        .ends_with(0);
    folder
        .run("hierarchy build patients.csv --column zip -o zip.csv")
        .ends_with(2);
    folder
        .run("hierarchy build patients.csv --column zip -o zip.csv --force")
        .ends_with(0);
    let checked = folder
        .run("hierarchy check zip.csv --data patients.csv")
        .ends_with(0);
    assert!(
        checked
            .stdout
            .contains("all 6 values in the data are listed"),
        "{}",
        checked.stdout
    );
    let shown = folder
        .run("hierarchy show zip.csv --examples 1 --json")
        .ends_with(0)
        .json();
    assert_eq!(shown["levels"][0]["examples"], json!(["10115"]));
    assert_eq!(shown["values"], 6);
}

#[test]
fn hierarchy_check_lists_what_is_missing() {
    let folder = Folder::with("patients.csv", PATIENTS)
        .and("zips.csv", "10115;*\n10117;*\n10119;*\n20095;*\n");
    let run = folder
        .run("hierarchy check zips.csv --data patients.csv --column zip")
        .ends_with(1);
    assert!(
        run.stdout
            .contains("2 of 6 values in the data are not listed (4 rows)"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("  20097\n  20099\n"), "{}", run.stdout);
    let run = folder
        .run("hierarchy check zips.csv --data patients.csv --column zip --json")
        .ends_with(1);
    assert_eq!(
        run.json()["against_data"]["unlisted"],
        json!(["20097", "20099"])
    );
}

#[test]
fn bundled_hierarchies_pass_their_check() {
    let folder = Folder::new();
    for column in [
        "age",
        "education",
        "marital-status",
        "native-country",
        "occupation",
        "race",
        "sex",
        "workclass",
    ] {
        let file = data(&format!("adult/hierarchies/{column}.csv"));
        folder
            .run(&format!(
                "hierarchy check {file} --data {}",
                data("adult/adult.csv")
            ))
            .ends_with(0);
    }
}

#[test]
fn explain_lists_everything_and_says_more_about_each() {
    let folder = Folder::new();
    let list = folder.run("explain").ends_with(0).stdout;
    let entries = folder.run("explain --json").ends_with(0).json();
    for entry in entries["entries"].as_array().unwrap() {
        let name = entry["name"].as_str().unwrap();
        assert!(list.contains(name), "{name}");
        let one = folder.run(&format!("explain {name}")).ends_with(0).stdout;
        assert!(one.lines().count() > 3, "{one}");
    }
    let unknown = folder.run("explain k-anonimity").ends_with(2).stderr;
    assert!(unknown.contains("`k-anonymity`"), "{unknown}");
    let alike = folder.run("explain Quasi Identifiers").ends_with(0).stdout;
    assert!(alike.starts_with("quasi-identifier (term)\n"), "{alike}");
    let both = folder.run("explain height").ends_with(0).stdout;
    assert!(both.contains("height (metric)\n") && both.contains("height (term)\n"));
}

#[test]
fn every_command_has_help_with_an_example() {
    let folder = Folder::new();
    for command in [
        "",
        "inspect",
        "init",
        "hierarchy build",
        "hierarchy check",
        "hierarchy show",
        "anonymize",
        "verify",
        "explain",
        "completions",
        "man",
    ] {
        let help = folder.run(&format!("{command} --help")).ends_with(0).stdout;
        assert!(help.contains("Example"), "{command}: {help}");
        assert!(
            help.contains(&format!("\n  incrowd {command}")),
            "{command}: {help}"
        );
    }
}

#[test]
fn completions_and_man_pages_are_printed() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder
            .run(&format!("completions {shell}"))
            .ends_with(0)
            .stdout;
        assert!(script.contains("quasi-identifiers"), "{shell}");
    }
    assert!(folder.run("man").ends_with(0).stdout.starts_with(".ie"));
    assert!(
        folder
            .run("man anonymize")
            .ends_with(0)
            .stdout
            .contains("max\\-suppressed")
    );
    folder.run("man frobnicate").ends_with(2);
}

#[test]
fn quiet_prints_nothing() {
    let folder = Folder::with("patients.csv", PATIENTS);
    for arguments in ["inspect patients.csv", "init patients.csv"] {
        let run = folder.run(&format!("{arguments} --quiet")).ends_with(0);
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    }
}
