//! What experts want to see again: the optimizers of research value, and the study of which patterns survive.

use crate::support::{Folder, data};
use serde_json::Value;

const RULES: &str = "--rule 'capital-gain: 7297|7298 = 45' --rule 'age: 27|28 = 25' \
                     --rule 'education-num: 12|13 = 20' --granularity-exponent 0.1";

const COLUMNS: &str = "-q age,education-num,capital-gain,salary-class";

#[test]
fn the_first_bucket_of_the_paper_survives_with_rules_and_at_every_k() {
    let folder = Folder::new();
    let study = folder.run(&format!(
        "study '{}' --research-value {COLUMNS} --target salary-class {RULES} --max-suppressed 1% \
         --plot pictures --json",
        data("adult/adult.csv")
    ));
    let study = study.ends_with(0).json();
    // The figures of the paper, for the raw table.
    let raw: Vec<(&str, u64, String)> = (study["raw"].as_array().unwrap().iter())
        .map(|bucket| {
            (
                bucket["rule"].as_str().unwrap(),
                bucket["rows"].as_u64().unwrap(),
                format!("{:.1}", 100.0 * bucket["share"].as_f64().unwrap()),
            )
        })
        .collect();
    assert_eq!(raw[0], ("capital-gain >= 7298", 1330, "98.6".to_owned()));
    let young = "capital-gain < 7298 and age < 28";
    assert!(raw.contains(&(young, 7162, "97.1".to_owned())));
    assert!(raw.iter().any(|it| it.0.ends_with("education-num >= 13")));
    let rows = study["rows"].as_array().unwrap();
    let found = |k: u64, algorithm: &str| {
        let is_meant = |row: &&Value| row["k"] == k && row["algorithm"] == algorithm;
        rows.iter().find(is_meant).expect(algorithm)
    };
    for k in [3, 5, 10] {
        for algorithm in ["rv-global", "rv-hybrid", "rv-distributed", "rv-cluster"] {
            let row = found(k, algorithm);
            assert_eq!(row["rules_kept"], 3, "{algorithm}, k = {k}");
            let first = &row["raw_buckets"][0];
            assert_eq!(first["kept"], true, "{algorithm}, k = {k}");
            let certain = first["certain"].as_u64().unwrap();
            assert_eq!(first["possible"], certain);
            let suppressed = row["rows_suppressed"].as_u64().unwrap();
            assert!(certain <= 1330 && certain + suppressed >= 1330);
            let share = first["share"].as_f64().unwrap();
            assert!(share > 0.97, "{algorithm}, k = {k}: {share}");
        }
        for algorithm in ["mondrian", "finest", "ncp-cluster"] {
            let first = &found(k, algorithm)["raw_buckets"][0];
            assert_eq!(first["kept"], false, "{algorithm}, k = {k}");
        }
    }
    for picture in ["research-value-by-k.svg", "first-bucket-by-k.svg"] {
        let svg = folder.read(&format!("pictures/{picture}"));
        assert!(svg.contains("rv-global") && svg.ends_with("</svg>\n"));
    }
}

#[test]
fn a_study_needs_rules_and_something_that_they_are_about() {
    let folder = Folder::new();
    let adult = data("adult/adult.csv");
    for (flags, expected) in [
        (format!("{COLUMNS} {RULES}"), "--target"),
        (
            format!("--research-value {COLUMNS} --target salary-class"),
            "--rule",
        ),
        (
            format!("-q age,education-num,capital-gain --target fnlwgt -k 4 {RULES}"),
            "a column of text",
        ),
    ] {
        let run = folder.run(&format!("study '{adult}' {flags}")).ends_with(2);
        assert!(run.stderr.contains(expected), "{flags}: {}", run.stderr);
    }
}

#[test]
fn safe_strings_are_listed_best_first() {
    let folder = Folder::new();
    let adult = data("adult/adult.csv");
    let run = |algorithm: &str, more: &str| {
        let run = folder.run(&format!(
            "anonymize '{adult}' {COLUMNS} --others drop -k 5 --max-suppressed 1% {RULES} \
             --algorithm {algorithm} --json {more}"
        ));
        run.ends_with(0).json()
    };
    let global = run("rv-global", "");
    assert_eq!(global["guarantee"], "optimal");
    assert_eq!(global["dropped"], serde_json::json!([]));
    for algorithm in ["rv-global", "rv-local", "rv-hybrid", "rv-distributed"] {
        let outcome = run(algorithm, "--strings 4");
        let strings = outcome["strings"].as_array().unwrap();
        assert!((1..=4).contains(&strings.len()), "{algorithm}");
        let value = |string: &Value| string["value"].as_f64().unwrap();
        assert!(strings.is_sorted_by(|one, other| value(one) >= value(other)));
        let total = outcome["research_value"]["total"].as_f64().unwrap();
        assert!((value(&strings[0]) - total).abs() < 1e-9, "{algorithm}");
        let columns = ["age", "education-num", "capital-gain", "salary-class"];
        let levels = columns.map(|column| &outcome["levels"][column]);
        assert!(strings[0]["levels"].as_array().unwrap().iter().eq(levels));
        assert!(
            strings
                .iter()
                .all(|it| it["top_levels"].as_u64().unwrap() <= 4)
        );
        assert!(total <= global["research_value"]["total"].as_f64().unwrap() + 1e-12);
    }
}

#[test]
fn a_search_that_breaks_a_rule_says_how_rules_count_more() {
    let folder = Folder::new();
    let run = |exponent: &str| {
        let run = folder.run(&format!(
            "anonymize '{}' {COLUMNS} --others drop -k 10 --max-suppressed 1% --algorithm rv-global \
             --rule 'capital-gain: 7297|7298 = 45' {exponent}",
            data("adult/adult.csv")
        ));
        run.ends_with(0).stdout
    };
    let hint = "to let rules count more";
    let broken = run("");
    assert!(
        broken.contains("BROKEN") && broken.contains(hint),
        "{broken}"
    );
    let kept = run("--granularity-exponent 0.1");
    assert!(!kept.contains("BROKEN") && !kept.contains(hint), "{kept}");
}

#[test]
fn a_column_that_is_unsafe_by_itself_is_dropped_and_that_is_said() {
    let folder = Folder::new();
    let adult = data("adult/adult.csv");
    let flags = "-q age,sex,race --others drop -k 300 --max-levels 0,1,1 --algorithm rv-global";
    let run = folder.run(&format!(
        "anonymize '{adult}' {flags} -o safe.csv --certificate c.json --json"
    ));
    let outcome = run.ends_with(0).json();
    assert_eq!(outcome["dropped"], serde_json::json!(["age"]));
    let notes = outcome["notes"].to_string();
    assert!(notes.contains("`age` is published as `*`"), "{notes}");
    assert!(
        folder
            .read("safe.csv")
            .lines()
            .skip(1)
            .all(|line| line.starts_with("*,"))
    );
    let verified = format!("verify safe.csv --certificate c.json --original '{adult}'");
    folder.run(&verified).ends_with(0);
    // The certificate states what was asked, and is true for whoever has the job.
    let certificate: Value = serde_json::from_str(&folder.read("c.json")).unwrap();
    let stated = &certificate["request"]["quasi_identifiers"][0];
    assert_eq!(
        (&stated["column"], &stated["max_level"]),
        (&"age".into(), &0.into())
    );
    assert_eq!(
        certificate["reached"]["dropped"],
        serde_json::json!(["age"])
    );
    let job = format!(
        "[data]\npath = '{adult}'\n[columns]\nquasi_identifiers = [\"age\", \"sex\", \"race\"]\nothers = \"drop\"\n\
         [privacy]\nmodels = [\"k-anonymity(k=300)\"]\nmax_levels = [0, 1, 1]\n[search]\nalgorithm = \"rv-global\"\n"
    );
    let folder = folder.and("job.toml", &job);
    let with_job = "verify safe.csv --certificate c.json --job job.toml";
    folder.run(with_job).ends_with(0);
    // A column that is published is not dropped.
    let text = folder.read("c.json");
    let (before, after) = text.split_at(text.rfind("\"dropped\"").unwrap());
    let forged = format!(
        "{before}{}",
        after.replacen("\"age\"", "\"age\", \"race\"", 1)
    );
    let folder = folder.and("forged.json", &forged);
    let run = folder.run(&format!(
        "verify safe.csv --certificate forged.json --original '{adult}'"
    ));
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stdout.contains("reached.dropped"), "{}", run.stdout);
    // Others keep to the limits, and find nothing.
    folder
        .run(&format!(
            "anonymize '{adult}' {} -o other.csv",
            flags.replace("rv-global", "optimal")
        ))
        .ends_with(2);
}

#[test]
fn levels_chosen_from_the_data_keep_the_boundaries_of_rules() {
    let folder = Folder::new();
    let adult = data("adult/adult.csv");
    let run = |rule: &str| {
        let run = folder.run(&format!(
            "anonymize '{adult}' -q age,sex --others drop -k 2000 --algorithm optimal --json {rule}"
        ));
        run.ends_with(0).json()
    };
    let without = run("");
    let with = run("--rule 'age: 27|28 = 5' --rule 'age: 40|41 = 5' --metric research-value");
    let from = |outcome: &Value| {
        outcome["hierarchies"]["age"]["from"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(from(&with), format!("{}+28,41", from(&without)));
    let rules = with["research_value"]["attributes"][0]["rules"]
        .as_array()
        .unwrap();
    assert!(rules.iter().all(|rule| rule["kept"] == true));
    // What a user gives is left alone.
    let given = run("--rule 'age: 27|28 = 5' --hierarchy age=interval:10,50");
    assert_eq!(from(&given), "interval:10,50");
}

#[test]
fn a_release_with_levels_cut_by_rules_is_verified_with_its_job_and_not_called_wrong_without() {
    let adult = data("adult/adult.csv");
    let job = format!(
        "[data]\npath = '{adult}'\n[columns]\nquasi_identifiers = [\"age\", \"capital-gain\"]\nothers = \"drop\"\n\
         [privacy]\nmodels = [\"k-anonymity(k=10)\"]\nmax_suppressed = \"1%\"\n\
         [rules]\nage = [\"27|28 = 25\"]\ncapital-gain = [\"7297|7298 = 45\"]\n\
         [search]\ngranularity_exponent = 0.1\n"
    );
    for algorithm in ["rv-global", "rv-cluster", "top-down"] {
        let target = match algorithm {
            "top-down" => " --target salary-class",
            _ => "",
        };
        let folder = Folder::with("job.toml", &job);
        folder
            .run(&format!(
                "anonymize --job job.toml --algorithm {algorithm}{target} -o safe.csv --certificate c.json"
            ))
            .ends_with(0);
        let verify = format!("verify safe.csv --certificate c.json --original '{adult}' --json");
        let without = folder.run(&verify).ends_with(0).json();
        assert_eq!(
            without["certificate"]["holds"], true,
            "{algorithm}: {without}"
        );
        let unchecked = without["certificate"]["unchecked"].to_string();
        assert!(unchecked.contains("boundaries of rules"), "{algorithm}");
        // Whoever has the job can check the levels too.
        let job = job.replace(
            "[search]",
            &format!("[search]\nalgorithm = \"{algorithm}\""),
        );
        let job = match algorithm {
            "top-down" => job.replace("others", "target = [\"salary-class\"]\nothers"),
            _ => job,
        };
        let folder = folder.and("same.toml", &job);
        let with = folder.run(&format!("{verify} --job same.toml"));
        let with = with.ends_with(0).json();
        assert_eq!(with["certificate"]["holds"], true, "{algorithm}: {with}");
        let unchecked = with["certificate"]["unchecked"].to_string();
        assert!(!unchecked.contains("boundaries of rules"), "{algorithm}");
    }
}

#[test]
fn a_study_takes_the_k_it_is_given_and_a_target_that_is_all_there_is() {
    let folder = Folder::new();
    let run = folder.run(&format!(
        "study '{}' -q sex --target sex -k 7 --rule 'sex: Male != Female = 1' --json",
        data("adult/adult.csv")
    ));
    let study = run.ends_with(0).json();
    let rows = study["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["k"] == 7));
    // Nothing to cut by: one bucket of all rows, which stays whole.
    assert_eq!(study["raw"][0]["rows"], 30162);
    assert_eq!(rows[0]["raw_buckets"][0]["certain"], 30162);
}

#[test]
fn a_boundary_may_be_written_with_an_exponent() {
    let numbers = [4, 5, 6, 7, 350, 1000, 2000, 10000];
    let rows: String = numbers
        .iter()
        .map(|it| format!("{it}\n{it}\n{it}\n"))
        .collect();
    let folder = Folder::with("e.csv", format!("v\n{rows}"));
    let run = folder
        .run("anonymize e.csv -q v -k 4 --algorithm rv-global --rule 'v: 350|1e3 = 1' --json");
    let outcome = run.ends_with(0).json();
    let rule = &outcome["research_value"]["attributes"][0]["rules"][0];
    assert_eq!(rule["kept"], true);
}

#[test]
fn clusters_break_no_rule_that_can_be_kept_however_little_its_column_weighs() {
    let folder = Folder::with("d.csv", "a,c\n0,3\n0,0\n2,2\n1,6\n2,6\n2,8\n");
    for weight in ["0.5", "0.01", "0.005", "0.0001"] {
        let rest = 1.0 - weight.parse::<f64>().unwrap();
        let run = folder.run(&format!(
            "anonymize d.csv -q a,c -k 2 --algorithm rv-cluster --rule 'a: 1|2 = 1' --weight a={weight} --weight c={rest} --json"
        ));
        let outcome = run.ends_with(0).json();
        let rule = &outcome["research_value"]["attributes"][0]["rules"][0];
        assert_eq!(rule["kept"], true, "{weight}");
    }
}
