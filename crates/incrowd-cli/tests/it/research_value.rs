//! Rules and weights as users meet them: flags, job file, JSON, text, certificate, errors.

use crate::support::{Folder, Run};
use serde_json::{Value, json};
use std::path::Path;

fn adult(folder: &Folder, command: &str, more: &str) -> Run {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/adult");
    let data = data.display();
    folder.run(&format!(
        "{command} '{data}/adult.csv' --hierarchies '{data}/hierarchies' -q age,race,sex --others drop {more}"
    ))
}

fn json_of(run: &Run) -> Value {
    assert!([0, 1].contains(&run.code), "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

const RULES: &str = "--rule 'age: 39|40 = 25' --rule 'race: White != Black = 20' \
                     --rule 'race: {White, Black} != {Other} = 5' --weight age=0.5 --weight race=0.3 --weight sex=0.2";

#[test]
fn a_release_says_what_it_is_worth_and_which_rules_it_keeps() {
    let folder = Folder::new();
    let outcome = json_of(&adult(
        &folder,
        "anonymize",
        &format!("-k 50 --max-levels 3,2,1 {RULES} --metric research-value --json"),
    ));
    assert_eq!(outcome["guarantee"], "optimal");
    let value = &outcome["research_value"];
    assert_eq!(value["greatest"], 1.0);
    let attributes = value["attributes"].as_array().unwrap();
    let names: Vec<&str> = attributes
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["age", "race", "sex"]);
    let values = attributes.iter().map(|it| it["value"].as_f64().unwrap());
    let total = value["total"].as_f64().unwrap();
    assert!((values.sum::<f64>() - total).abs() < 1e-12);
    let loss = outcome["metrics"]["research-value"].as_f64().unwrap();
    assert!((loss - (1.0 - total)).abs() < 1e-12);
    assert_eq!(
        attributes[1]["rules"],
        json!([
            {"rule": "White != Black", "importance": 20, "kept": attributes[1]["rules"][0]["kept"]},
            {"rule": "{White, Black} != Other", "importance": 5, "kept": attributes[1]["rules"][1]["kept"]},
        ])
    );
    assert_eq!(attributes[2]["rules"], json!([]));
    // No other node that is safe is worth more.
    for levels in ["4,0,0", "3,0,1", "3,1,0", "2,2,0", "2,1,1", "3,2,1"] {
        let other = adult(
            &folder,
            "anonymize",
            &format!("-k 50 --max-levels {levels} {RULES} --metric height --json"),
        );
        if other.code == 0 && levels != "4,0,0" {
            let other = json_of(&other);
            assert!(other["research_value"]["total"].as_f64().unwrap() <= total + 1e-12);
        }
    }
    let text = adult(&folder, "anonymize", &format!("-k 50 {RULES}"));
    assert!(
        text.stdout
            .contains("rule        age 39|40 (importance 25): "),
        "{}",
        text.stdout
    );
    assert!(text.stdout.contains("research value "), "{}", text.stdout);
    // Nothing is said where nothing was asked, but the metric is one like any other.
    let plain = json_of(&adult(&folder, "anonymize", "-k 50 --json"));
    assert_eq!(plain["research_value"], Value::Null);
    assert!(plain["metrics"]["research-value"].is_number());
}

#[test]
fn a_job_file_says_the_same_as_flags_and_flags_win() {
    let job = r#"
[rules]
age = ["39|40 = 25"]
race = ["White != Black = 20", "{White, Black} != {Other} = 5"]
[weights]
age = 0.5
race = 0.3
sex = 0.2
[search]
metric = "research-value"
rule_base = 2
granularity_exponent = 0.5
"#;
    let folder = Folder::with("job.toml", job);
    let by_flags = format!(
        "-k 50 {RULES} --metric research-value --rule-base 2 --granularity-exponent 0.5 --json"
    );
    let by_flags = json_of(&adult(&folder, "anonymize", &by_flags));
    let by_file = json_of(&adult(&folder, "anonymize", "-k 50 --job job.toml --json"));
    assert_eq!(by_flags["research_value"], by_file["research_value"]);
    assert_eq!(by_flags["levels"], by_file["levels"]);
    let over = "-k 50 --job job.toml --weights equal --rule 'sex: Male != Female = 1' --json";
    let over = json_of(&adult(&folder, "anonymize", over));
    let attributes = over["research_value"]["attributes"].as_array().unwrap();
    assert!((attributes[0]["weight"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12);
    assert_eq!(attributes[0]["rules"], json!([]));
    assert_eq!(attributes[2]["rules"][0]["rule"], "Male != Female");
    let auto = json_of(&adult(&folder, "anonymize", "-k 50 --weights auto --json"));
    let attributes = auto["research_value"]["attributes"].as_array().unwrap();
    let weights: Vec<f64> = attributes
        .iter()
        .map(|it| it["weight"].as_f64().unwrap())
        .collect();
    assert!(
        (weights.iter().sum::<f64>() - 1.0).abs() < 1e-12,
        "{weights:?}"
    );
    assert!(
        weights[0] != weights[1] && weights[1] != weights[2],
        "{weights:?}"
    );
    let dropped = "-k 50 --weights auto --drop-associated 0.01 --json";
    let dropped = json_of(&adult(&folder, "anonymize", dropped));
    let attributes = dropped["research_value"]["attributes"].as_array().unwrap();
    let weights = attributes.iter().map(|it| it["weight"].as_f64().unwrap());
    assert_eq!(weights.collect::<Vec<_>>(), [1.0, 0.0, 0.0]);
    let by_hand = "-k 50 --level-values age=1/0.9/0.8/0.7/0 --metric research-value --json";
    let by_hand = json_of(&adult(&folder, "anonymize", by_hand));
    let level = by_hand["levels"]["age"].as_u64().unwrap() as usize;
    let age = by_hand["research_value"]["attributes"][0]["value"]
        .as_f64()
        .unwrap();
    assert!((age - [1.0, 0.9, 0.8, 0.7, 0.0][level] / 3.0).abs() < 1e-12);
}

#[test]
fn offers_and_compared_releases_say_which_rules_they_keep() {
    let folder = Folder::new();
    let offers = adult(
        &folder,
        "negotiate",
        &format!("-k 50 --max-levels 2,0,0 {RULES} --metric research-value --json"),
    );
    let offers = json_of(&offers);
    let mut told = 0;
    for offer in [
        "answer",
        "more_suppression",
        "higher_levels",
        "weaker_privacy",
    ] {
        let offer = &offers[offer];
        if offer.is_object() {
            let value = &offer["research_value"];
            let loss = offer["metrics"]["research-value"].as_f64().unwrap();
            assert!(
                (loss - (1.0 - value["total"].as_f64().unwrap())).abs() < 1e-9,
                "{offer}"
            );
            assert!(value["attributes"][0]["rules"][0]["kept"].is_boolean());
            told += 1;
        }
    }
    assert!(told > 0, "{offers}");
    let more = format!("-k 50 --algorithms optimal,datafly {RULES} --metric research-value");
    let compared = json_of(&adult(&folder, "compare", &format!("{more} --json")));
    assert_eq!(compared["metric"], "research-value");
    let [optimal, datafly] = [0, 1].map(|at| {
        let run = &compared["runs"][at];
        run["reached"]["research_value"]["total"].as_f64().unwrap()
    });
    assert!(optimal >= datafly);
    let text = adult(&folder, "compare", &more);
    assert!(text.stdout.contains("age 39|40"), "{}", text.stdout);
}

#[test]
fn a_certificate_states_rules_by_their_hash_and_is_checked_with_the_job() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/adult");
    let data = data.display();
    let job = format!(
        "[data]\npath = \"{data}/adult.csv\"\n[columns]\nquasi_identifiers = [\"age\", \"race\", \"sex\"]\n\
         others = \"drop\"\nhierarchies = \"{data}/hierarchies\"\n[privacy]\nmodels = [\"k-anonymity(k=50)\"]\n\
         [rules]\nage = \"37|38 = 25\"\nrace = \"White != Black = 20\"\n[search]\nmetric = \"research-value\"\n\
         [output]\npath = \"out.csv\"\ncertificate = \"out.json\"\n"
    );
    let folder = Folder::with("job.toml", &job);
    let made = folder.run("anonymize --job job.toml");
    assert_eq!(made.code, 0, "{}", made.stderr);
    let certificate = folder.read("out.json");
    assert!(!certificate.contains("37|38") && !certificate.contains("White != Black"));
    let stated: Value = serde_json::from_str(&certificate).unwrap();
    assert_eq!(stated["request"]["metric"], "research-value");
    assert_eq!(stated["reached"]["rules"].as_array().unwrap().len(), 2);
    assert!(folder.read("out.txt").contains("of age, importance 25: "));
    let verify = |job: &str| {
        let run = folder.run(&format!(
            "verify out.csv --certificate out.json --original '{data}/adult.csv' --hierarchies '{data}/hierarchies' {job} --json"
        ));
        let verified: Value = serde_json::from_str(&run.stdout).unwrap();
        let texts = |key: &str| -> Vec<String> {
            let list = verified["certificate"][key].as_array().unwrap().iter();
            list.map(|it| it["field"].as_str().unwrap().to_owned())
                .collect()
        };
        (texts("mismatches"), texts("unchecked"))
    };
    let (mismatches, unchecked) = verify("--job job.toml");
    assert_eq!(mismatches, Vec::<String>::new());
    let about_rules = |fields: &[String]| {
        let about = |it: &&String| it.contains("rules") || it.contains("research");
        fields.iter().filter(about).count()
    };
    assert_eq!(about_rules(&unchecked), 0, "{unchecked:?}");
    let (mismatches, unchecked) = verify("");
    assert_eq!(
        (mismatches.len(), about_rules(&unchecked)),
        (0, 2),
        "{unchecked:?}"
    );
    // Another rule, or another verdict on a rule, is found out.
    std::fs::write(folder.path("job.toml"), job.replace("37|38", "36|37")).unwrap();
    assert!(about_rules(&verify("--job job.toml").0) > 0);
    std::fs::write(folder.path("job.toml"), &job).unwrap();
    let turned = certificate.replacen("\"kept\": false", "\"kept\": true", 1);
    let turned = match turned == certificate {
        true => certificate.replacen("\"kept\": true", "\"kept\": false", 1),
        false => turned,
    };
    std::fs::write(folder.path("out.json"), turned).unwrap();
    assert!(about_rules(&verify("--job job.toml").0) > 0);
}

/// What a release of regions keeps follows from its texts: intervals, sets and labels of levels.
#[test]
fn a_wrong_statement_about_the_rules_that_regions_keep_is_found() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/adult");
    let data = data.display();
    let job = |search: &str| {
        format!(
            "[data]\npath = \"{data}/adult.csv\"\n[columns]\n\
             quasi_identifiers = [\"age\", \"race\", \"marital-status\"]\nothers = \"drop\"\n\
             [hierarchies]\n\"marital-status\" = \"{data}/hierarchies/marital-status.csv\"\n\
             [privacy]\nmodels = [\"k-anonymity(k=20)\"]\n\
             [rules]\nage = [\"37|38 = 25\", \"80|81 = 1\"]\nrace = \"White != Black = 20\"\n\
             \"marital-status\" = \"Divorced != Widowed = 3\"\n\
             [search]\n{search}\n[output]\npath = \"out.csv\"\ncertificate = \"out.json\"\n"
        )
    };
    let folder = Folder::new();
    let verify = |job: &str| {
        let run = folder.run(&format!(
            "verify out.csv --certificate out.json --original '{data}/adult.csv' \
             --hierarchy 'marital-status={data}/hierarchies/marital-status.csv' {job} --json"
        ));
        let verified: Value = serde_json::from_str(&run.stdout).unwrap();
        let fields = |key: &str| -> Vec<String> {
            let list = verified["certificate"][key].as_array().unwrap().iter();
            let fields = list.map(|it| it["field"].as_str().unwrap().to_owned());
            fields
                .filter(|it| it.starts_with("reached.rules"))
                .collect()
        };
        (fields("mismatches"), fields("unchecked"))
    };
    let nothing = Vec::<String>::new;
    let mut verdicts = Vec::new();
    for search in [
        "algorithm = \"rv-cluster\"",
        "algorithm = \"ncp-cluster\"",
        "algorithm = \"mondrian\"",
    ] {
        std::fs::write(folder.path("job.toml"), job(search)).unwrap();
        let made = folder.run("anonymize --job job.toml");
        assert_eq!(made.code, 0, "{}", made.stderr);
        let certificate = folder.read("out.json");
        let stated: Value = serde_json::from_str(&certificate).unwrap();
        assert_eq!(stated["reached"]["recoding"], "regions");
        let rules = stated["reached"]["rules"].as_array().unwrap();
        assert_eq!(rules.len(), 4);
        assert_eq!(verify("--job job.toml"), (nothing(), nothing()), "{search}");
        assert_eq!(verify("").1, ["reached.rules"], "{search}");
        for rule in 0..rules.len() {
            let mut turned = stated.clone();
            let kept = &mut turned["reached"]["rules"][rule]["kept"];
            verdicts.push(kept.as_bool().unwrap());
            *kept = json!(!kept.as_bool().unwrap());
            std::fs::write(folder.path("out.json"), turned.to_string()).unwrap();
            let (mismatches, unchecked) = verify("--job job.toml");
            assert_eq!((mismatches.len(), unchecked), (1, nothing()), "{search}");
        }
    }
    assert!(verdicts.contains(&true) && verdicts.contains(&false));
    // A mean may have been made of numbers on both sides.
    let means = "algorithm = \"mondrian\"\nnumbers = \"mean\"";
    std::fs::write(folder.path("job.toml"), job(means)).unwrap();
    let made = folder.run("anonymize --job job.toml");
    assert_eq!(made.code, 0, "{}", made.stderr);
    let unchecked = vec!["reached.rules".to_owned()];
    assert_eq!(verify("--job job.toml"), (nothing(), unchecked));
}

#[test]
fn a_job_file_with_rules_in_another_form_is_told_how_they_are_written() {
    for (table, expected) in [
        ("[rules]\nage = 5", "\"64|65 = 25\""),
        ("[rules]\nage = [1, 2]", "\"64|65 = 25\""),
        ("[rules]\nage = { boundary = \"64|65\" }", "\"64|65 = 25\""),
        ("[weights]\nage = \"much\"", "a number such as `age = 0.3`"),
    ] {
        let job = format!("[data]\npath = \"rows.csv\"\n{table}\n");
        let folder = Folder::with("job.toml", &job);
        let run = folder.run("anonymize --job job.toml");
        assert_eq!(run.code, 2, "{table}");
        assert!(run.stderr.contains(expected), "{table}: {}", run.stderr);
        assert!(
            !run.stderr.contains("variant") && !run.stderr.contains("OneOrMany"),
            "{table}: {}",
            run.stderr
        );
    }
}

#[test]
fn a_study_of_research_value_without_a_single_release_fails() {
    let rows = (20..32).map(|age| format!("{age},{}\n", if age < 26 { "m" } else { "f" }));
    let rows: String = rows.collect();
    let folder = Folder::with("few.csv", format!("age,sex\n{rows}"));
    let run = folder.run(
        "study few.csv --research-value -q age,sex --target sex --rule 'age: 25|26 = 5' -k 50 --json",
    );
    assert_eq!(run.code, 2, "{}", run.stdout);
    let error: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(error["error"]["code"], "survival-nothing-found", "{error}");
    let hint = error["error"]["hint"].as_str().unwrap();
    assert!(!hint.is_empty());
}

#[test]
fn what_cannot_be_meant_is_refused_before_or_after_counting() {
    let folder = Folder::new();
    for (flags, code) in [
        ("--rule 'age: 64|65'", "rule-malformed"),
        ("--rule 'race: White!=Black = 5'", "rule-malformed"),
        ("--rule 'age: 64|65 = -5'", "rule-importance"),
        ("--rule 'age: 64|65 = 0'", "rule-importance"),
        ("--rule 'agee: 64|65 = 5'", "unknown-column"),
        ("--rule 'education: 9th != 10th = 5'", "rule-column"),
        ("--rule 'race: White != Purple = 5'", "rule-value"),
        ("--rule 'race: 64|65 = 5'", "rule-not-numeric"),
        ("--rule 'age: 200|201 = 5'", "rule-outside"),
        ("--rule 'age: 65|64 = 5'", "rule-contradictory"),
        ("--rule 'sex: Male != Male = 5'", "rule-contradictory"),
        (
            "--rule 'sex: Male != Female = 5' --rule 'sex: Female != Male = 6'",
            "rule-repeated",
        ),
        ("--weight age=0.5 --weight race=0.3", "weights-sum"),
        ("--weight age=-1 --weight race=2", "weight-flag"),
        ("--weight age", "weight-flag"),
        ("--weight age=0.5 --weight age=0.5", "weight-flag"),
        ("--weight education=1", "metric-column-unknown"),
        ("--weight age=1 --weights auto", "weights-twice"),
        ("--weight age=1 --drop-associated 0.9", "weights-twice"),
        ("--drop-associated 2", "metric-option-invalid"),
        ("--level-values age=1/x", "level-values-flag"),
        ("--level-values age=1/0", "level-values"),
        ("--rule-base -1", "metric-option-invalid"),
        ("--rule-exponent -1", "metric-option-invalid"),
    ] {
        for command in ["anonymize", "negotiate"] {
            let run = adult(&folder, command, &format!("-k 50 {flags} --json"));
            assert_eq!(run.code, 2, "{command} {flags}: {}", run.stdout);
            let error: Value = serde_json::from_str(&run.stdout).unwrap();
            let told = error["error"]["code"].as_str().unwrap_or_default();
            assert_eq!(told, code, "{command} {flags}: {error}");
            assert!(
                error["error"]["hint"]
                    .as_str()
                    .is_some_and(|hint| !hint.is_empty())
            );
        }
    }
}

/// Two ages are a decade at level 1: safe, but above the highest acceptable level. Only `*` is left then.
#[test]
fn a_column_that_no_acceptable_level_makes_safe_is_published_as_nothing_else() {
    let rows = "21,m\n22,m\n25,m\n29,m\n31,m\n33,m\n35,m\n38,m\n";
    let folder = Folder::with("t.csv", format!("age,sex\n{rows}"));
    let told = "--hierarchy age=interval:10,20@20 --hierarchy sex=suppress";
    for algorithm in ["rv-global", "rv-local", "rv-hybrid", "rv-distributed"] {
        let run = folder.run(&format!(
            "anonymize t.csv -q age,sex -k 4 --algorithm {algorithm} --max-levels 0,1 {told} -o {algorithm}.csv --certificate {algorithm}.json --json"
        ));
        let found = run.ends_with(0).json();
        assert_eq!(found["dropped"], json!(["age"]), "{algorithm}");
        let released = folder.read(&format!("{algorithm}.csv"));
        assert!(
            released.lines().skip(1).all(|row| row == "*,m"),
            "{released}"
        );
        let run = folder.run(&format!(
            "verify {algorithm}.csv --certificate {algorithm}.json --original t.csv {told}"
        ));
        run.ends_with(0);
    }
}
