//! What a release is still worth, as users ask it.

use crate::support::{Folder, PATIENTS, Run, data};
use serde_json::Value;

/// 240 people: whoever is over 40, and most men over 30, are ill. A code of its own for each says nothing.
fn people() -> String {
    let mut text = String::from("code,age,sex,city,pay,ill\n");
    for row in 0..240_u32 {
        let (age, is_man) = (20 + row * 7 % 40, row % 3 == 0);
        let city = ["Ulm", "Bonn", "Kiel", "Jena"][(row as usize * 5) % 4];
        let is_ill = age > 40 || is_man && age > 30 && row % 4 != 0;
        let sex = if is_man { "m" } else { "f" };
        let pay = 1000 + 37 * age + 11 * (row * 13 % 17);
        let ill = if is_ill { "yes" } else { "no" };
        text += &format!("c{row:03},{age},{sex},{city},{pay},{ill}\n");
    }
    text
}

const ROLES: &str = "-q age,sex,city --target ill,pay --hierarchy age=interval:5,10,20@20";

fn evaluation(folder: &Folder, arguments: &str) -> Value {
    let run = folder.run(&format!("evaluate {arguments} --json"));
    run.ends_with(0).json()
}

fn accuracy(found: &Value, model: usize, of: &str) -> f64 {
    let accuracy = &found["classification"][model]["accuracy"][of];
    accuracy.as_f64().unwrap()
}

#[test]
fn raw_adult_has_the_rules_of_the_paper() {
    let adult = data("adult/adult.csv");
    let found = evaluation(
        &Folder::new(),
        &format!(
            "'{adult}' --target salary-class --columns age,education-num,capital-gain --partitioning 3"
        ),
    );
    let buckets = found["partitioning"]["raw"].as_array().unwrap();
    assert_eq!(found["partitioning"]["release"], Value::Null);
    assert_eq!(buckets.len(), 4);
    assert_eq!(buckets[0]["rule"], "capital-gain >= 7298");
    assert_eq!(buckets[0]["rows"], 1330);
    assert_eq!(buckets[0]["majority"], ">50K");
    assert!((buckets[0]["share"].as_f64().unwrap() - 0.986).abs() < 5e-4);
    // As in the paper: among the others, those under 28.
    let young = buckets.iter().find(|it| it["rows"] == 7162).unwrap();
    assert_eq!(young["rule"], "capital-gain < 7298 and age < 28");
    assert!((young["share"].as_f64().unwrap() - 0.971).abs() < 5e-4);
    // Only the raw side is judged.
    assert!(accuracy(&found, 0, "raw") > accuracy(&found, 0, "majority") + 0.05);
    assert_eq!(
        found["classification"][0]["accuracy"]["release"],
        Value::Null
    );
    assert_eq!(found["queries"], Value::Null);
}

#[test]
fn the_document_has_every_field_of_the_contract() {
    let folder = Folder::with("t.csv", people());
    let found = evaluation(&folder, &format!("t.csv {ROLES} -k 5 --partitioning 2"));
    assert_eq!(found["version"], 1);
    let models: Vec<&str> = (found["classification"].as_array().unwrap().iter())
        .map(|it| it["model"].as_str().unwrap())
        .collect();
    assert_eq!(
        models,
        ["decision-tree", "logistic-regression", "naive-bayes"]
    );
    for it in found["classification"].as_array().unwrap() {
        assert_eq!(it["target"], "ill");
        for of in ["majority", "raw", "release"] {
            let share = it["accuracy"][of].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&share));
        }
    }
    let regression = found["regression"].as_array().unwrap();
    assert_eq!(regression.len(), 1);
    assert_eq!(regression[0]["target"], "pay");
    assert_eq!(regression[0]["model"], "linear");
    for of in ["mean", "raw", "release"] {
        assert!(regression[0]["rmse"][of].as_f64().unwrap() > 0.0);
    }
    assert_eq!(found["queries"]["asked"], 1000);
    for of in ["median_relative_error", "mean_relative_error"] {
        assert!(found["queries"][of].is_number());
    }
    let names: Vec<&str> = (found["columns"].as_array().unwrap().iter())
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    // The column without a role is ignored.
    assert_eq!(names, ["age", "sex", "city", "ill", "pay"]);
    assert!(found["columns"][0]["distance"].is_number());
    let pairs = found["associations"].as_array().unwrap();
    assert_eq!(pairs.len(), 10);
    assert_eq!(pairs[0]["columns"], serde_json::json!(["age", "sex"]));
    assert!(pairs[0]["raw"].is_number() && pairs[0]["release"].is_number());
    for side in ["raw", "release"] {
        let buckets = found["partitioning"][side].as_array().unwrap();
        assert_eq!(buckets.len(), 3);
        let rows: u64 = buckets.iter().map(|it| it["rows"].as_u64().unwrap()).sum();
        assert_eq!(rows, 240);
        let is_whole = |it: &Value| {
            it["rule"].is_string() && it["share"].is_number() && it["majority"].is_string()
        };
        assert!(buckets.iter().all(is_whole));
    }
}

#[test]
fn a_release_that_hides_nothing_is_worth_as_much_as_the_table() {
    let folder = Folder::with("t.csv", people());
    let found = evaluation(&folder, &format!("t.csv t.csv {ROLES}"));
    for it in found["classification"].as_array().unwrap() {
        assert_eq!(it["accuracy"]["raw"], it["accuracy"]["release"], "{it}");
    }
    let errors = &found["regression"][0]["rmse"];
    let of = ["raw", "release"].map(|of| errors[of].as_f64().unwrap());
    assert!((of[0] - of[1]).abs() < 1e-6, "{errors}");
    assert_eq!(found["queries"]["mean_relative_error"], 0.0);
    for it in found["columns"].as_array().unwrap() {
        assert!(it["distance"].as_f64().unwrap() < 1e-9, "{it}");
    }
    for it in found["associations"].as_array().unwrap() {
        let of = ["raw", "release"].map(|of| it[of].as_f64().unwrap());
        assert!((of[0] - of[1]).abs() < 1e-9, "{it}");
    }
}

#[test]
fn a_release_is_worth_less_than_the_table_and_more_than_nothing() {
    let folder = Folder::with("t.csv", people());
    let make = |more: &str| {
        let run = folder.run(&format!(
            "anonymize t.csv {ROLES} --others drop --keep pay -o r.csv --quiet {more}"
        ));
        run.ends_with(0);
        evaluation(&folder, &format!("t.csv r.csv {ROLES}"))
    };
    let found = make("-k 8 --max-levels 2,1,1");
    assert!(accuracy(&found, 0, "release") > accuracy(&found, 0, "majority") + 0.1);
    let errors = &found["regression"][0]["rmse"];
    assert!(errors["release"].as_f64() < errors["mean"].as_f64());
    assert!(found["queries"]["mean_relative_error"].as_f64().unwrap() > 0.01);
    // Rows with the same texts can be exchanged: the order of rows tells nothing that matters.
    let shuffled = make("-k 8 --max-levels 2,1,1 --shuffle --seed 3");
    assert_eq!(found["classification"], shuffled["classification"]);
    assert_eq!(found["queries"], shuffled["queries"]);
    // Everything at the top level teaches the majority only.
    let nothing = make("-k 200");
    assert_eq!(
        accuracy(&nothing, 0, "release"),
        accuracy(&nothing, 0, "majority")
    );
}

#[test]
fn counts_are_answered_as_by_the_metric_of_that_name() {
    let folder = Folder::with("t.csv", people());
    let metric = "query-error(queries=1000,seed=1)";
    let job = format!("t.csv -q age,sex,city -k 8 --max-suppressed 5% --metric '{metric}'");
    let run = folder.run(&format!("anonymize {job} --others drop --json"));
    let outcome = run.ends_with(0).json();
    let measured = outcome["metrics"][metric].as_f64().unwrap();
    let found = evaluation(&folder, &job);
    assert_eq!(found["queries"]["mean_relative_error"], measured);
    assert!(measured > 0.0);
}

#[test]
fn a_value_that_no_hierarchy_lists_is_told_from_all_values() {
    let levels = "Ulm,south,*\nBonn,west,*\n";
    let folder = Folder::with("t.csv", people()).and("city.csv", levels);
    // Kiel and Jena are published as `*`, which stands for one more value here.
    let job = "t.csv -q city --hierarchy city=city.csv --unlisted suppress -k 2";
    let found = evaluation(&folder, job);
    assert_eq!(found["columns"][0]["distance"], 0.0);
}

#[test]
fn rows_whose_target_is_hidden_teach_nothing_about_it() {
    let mut release = String::from("age,sex,city,ill\n");
    for (row, line) in people().lines().skip(1).enumerate() {
        let cells: Vec<&str> = line.split(',').collect();
        let is_hidden = cells[5] == "yes" && row % 4 != 0;
        let ill = if is_hidden { "*" } else { cells[5] };
        release += &format!("{},{},{},{ill}\n", cells[1], cells[2], cells[3]);
    }
    let folder = Folder::with("t.csv", people()).and("r.csv", release);
    let found = evaluation(&folder, "t.csv r.csv -q age,sex,city --target ill");
    assert!(accuracy(&found, 0, "release") > 0.85, "{found}");
}

#[test]
fn regions_that_overlap_are_read_back() {
    // Sorted by age, every eight people are published alike: intervals, sets and `*`.
    let text = people();
    let mut rows: Vec<Vec<&str>> = (text.lines().skip(1))
        .map(|line| line.split(',').collect())
        .collect();
    rows.sort_by_key(|row| (row[1], row[3]));
    let mut release = String::from("age,sex,city,ill\n");
    for group in rows.chunks(8) {
        let (low, high) = (group[0][1], group[7][1]);
        let age = match low == high {
            true => low.to_owned(),
            false => format!("[{low}-{high}]"),
        };
        let cities = ["Ulm", "Bonn", "Kiel", "Jena"];
        let cities: Vec<&str> = (cities.into_iter())
            .filter(|city| group.iter().any(|row| row[3] == *city))
            .collect();
        let city = match cities[..] {
            [city] => city.to_owned(),
            _ => format!("\"{{{}}}\"", cities.join(", ")),
        };
        for row in group {
            release += &format!("{age},*,{city},{}\n", row[5]);
        }
    }
    assert!(
        release.contains("[20-21]") && release.contains("{"),
        "{release}"
    );
    let folder = Folder::with("t.csv", people()).and("r.csv", release);
    let found = evaluation(
        &folder,
        "t.csv r.csv -q age,sex,city --target ill --partitioning 1",
    );
    assert_eq!(found["rows_released"], 240);
    assert!(accuracy(&found, 0, "release") > 0.85, "{found}");
    assert_eq!(found["notes"], serde_json::json!([]));
    assert!(found["columns"][0]["distance"].as_f64().unwrap() < 0.01);
}

#[test]
fn every_fold_has_the_levels_of_the_whole_table() {
    // The rarest cities become `any other`, since there is one called OTHER; without its row they would be `other`.
    let mut text = String::from("city,ill\nOTHER,no\n");
    for row in 0..140 {
        let city = ["Ulm", "Ulm", "Bonn", "Ulm", "Kiel", "Ulm", "Ulm"][row % 7];
        text += &format!("{city},{}\n", if city == "Ulm" { "yes" } else { "no" });
    }
    let folder = Folder::with("t.csv", text);
    let job = "t.csv -q city --target ill --hierarchy city=frequent:1 -k 22";
    let found = evaluation(&folder, job);
    assert!(accuracy(&found, 0, "release") > 0.95, "{found}");
}

#[test]
fn dates_are_learned_from_as_days_and_named_as_dates() {
    // Whoever was born from 1975 on; cities look like formulas.
    let mut text = String::from("born,city,ok\n");
    for row in 0..120_u32 {
        let (year, month) = (1960 + row * 7 % 30, 1 + row % 12);
        let (city, ok) = (["=Ulm", "-Bonn"][row as usize % 2], year >= 1975);
        text += &format!("{year}-{month:02}-15,{city},{ok}\n");
    }
    let folder = Folder::with("t.csv", text);
    let roles = "-q born,city --hierarchy born=date:month,year --target ok";
    let make = "--others drop -k 3 -o r.csv --quiet --spreadsheet-safe --max-levels 2,1";
    let run = folder.run(&format!("anonymize t.csv {roles} {make}"));
    run.ends_with(0);
    assert!(folder.read("r.csv").contains("'=Ulm"));
    let judge = format!("t.csv r.csv {roles} --spreadsheet-safe --partitioning 1");
    let found = evaluation(&folder, &judge);
    assert!(accuracy(&found, 0, "release") > 0.9, "{found}");
    let rule = found["partitioning"]["raw"][0]["rule"].as_str().unwrap();
    assert!(rule.starts_with("born >= 1975-"), "{rule}");
    let rule = found["partitioning"]["release"][0]["rule"]
        .as_str()
        .unwrap();
    assert!(rule.starts_with("born >= 1975-"), "{rule}");
}

#[test]
fn no_row_is_tested_that_was_learned_from() {
    // The code of a row alone would tell its class, if it had been seen before.
    let mut text = String::from("code,group,ill\n");
    for row in 0..200_u32 {
        let ill = if (row * 7919 + 13) % 101 % 2 == 0 {
            "yes"
        } else {
            "no"
        };
        text += &format!("c{row:03},g{},{ill}\n", row % 2);
    }
    let folder = Folder::with("t.csv", &text);
    let mut lines: Vec<&str> = text.lines().collect();
    lines[1..].reverse();
    let folder = folder.and("reversed.csv", lines.join("\n"));
    for release in ["t.csv", "reversed.csv", "-k 2"] {
        let roles = "-q group --keep code --target ill";
        let found = evaluation(&folder, &format!("t.csv {release} {roles}"));
        for model in 0..3 {
            let of = ["raw", "release"].map(|of| accuracy(&found, model, of));
            assert!(of.iter().all(|&it| it < 0.65), "{release}: {of:?}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_with_any_number_of_threads() {
    let folder = Folder::with("t.csv", people());
    let run = |more: &str| {
        let run = folder.run(&format!("evaluate t.csv {ROLES} -k 5 --json {more}"));
        run.ends_with(0).stdout
    };
    let first = run("--threads 1");
    for threads in ["2", "3", "8"] {
        assert_eq!(run(&format!("--threads {threads}")), first);
    }
    assert_eq!(run("--seed 1"), first);
    assert_ne!(run("--seed 2"), first);
}

#[test]
fn columns_limit_what_is_learned_from() {
    let folder = Folder::with("t.csv", people());
    let found = evaluation(&folder, &format!("t.csv {ROLES} -k 5 --columns sex,city"));
    assert_eq!(found["features"], serde_json::json!(["sex", "city"]));
    let all = evaluation(&folder, &format!("t.csv {ROLES} -k 5"));
    assert!(accuracy(&found, 0, "raw") + 0.1 < accuracy(&all, 0, "raw"));
    // A column that has no role may be judged as if it were kept.
    let kept = evaluation(&folder, &format!("t.csv {ROLES} -k 5 --columns age,code"));
    assert_eq!(kept["features"], serde_json::json!(["age", "code"]));
}

#[test]
fn a_job_file_is_evaluated_and_nothing_is_written() {
    let folder = Folder::with("t.csv", people());
    folder
        .run("init t.csv -q age,sex --folder job --quiet")
        .ends_with(0);
    let found = evaluation(
        &folder,
        "--job job/incrowd.toml -q age,sex,city --target ill --others drop -k 4",
    );
    // The job proposes `pay` as sensitive, and what is published can be learned from.
    let features = serde_json::json!(["age", "sex", "city", "pay"]);
    assert_eq!(found["features"], features);
    let mut files = folder.list(".");
    files.retain(|name| name != "t.csv" && name != "job");
    assert_eq!(files, [""; 0]);
}

#[test]
fn the_report_is_readable() {
    let folder = Folder::with("t.csv", people());
    let run = folder.run(&format!(
        "evaluate t.csv {ROLES} -k 5 --max-levels 2,1,1 --partitioning 2"
    ));
    insta::assert_snapshot!("the_report", run.ends_with(0).stdout);
}

fn refused(run: Run) -> String {
    let found = run.ends_with(2).json();
    found["error"]["code"].as_str().unwrap().to_owned()
}

#[test]
fn what_cannot_be_judged_is_refused_without_showing_cells() {
    let folder = Folder::with("t.csv", people())
        .and("other.csv", "age,sex,city,pay,ill\n[20-29],m,Ulm,1,no\n")
        .and("odd.csv", "age,sex,city,pay,ill\nsecretive,m,Ulm,1740,no\n")
        .and("patients.csv", PATIENTS);
    let evaluate = |arguments: &str| {
        let run = folder.run(&format!("evaluate {arguments} --json"));
        assert!(!run.stdout.contains("secretive"), "{}", run.stdout);
        refused(run)
    };
    let roles = "-q age,sex,city --target ill --keep pay";
    assert_eq!(evaluate(&format!("t.csv odd.csv {roles}")), "unread-text");
    let roles = "-q age,sex,city --target ill --hierarchy age=interval:10@20";
    let file = "age,sex,city,ill\n20-29,m,Ulm,maybe\n";
    let folder_2 = Folder::with("t.csv", people()).and("r.csv", file);
    let run = folder_2.run(&format!("evaluate t.csv r.csv {roles} --json"));
    assert_eq!(refused(run), "unread-text");
    assert_eq!(evaluate("t.csv --target ill --folds 1"), "folds");
    assert_eq!(
        evaluate("patients.csv --target disease --folds 13"),
        "folds"
    );
    assert_eq!(evaluate("t.csv --target code"), "too-many-classes");
    assert_eq!(evaluate("t.csv --partitioning 2"), "nothing-to-partition");
    assert_eq!(evaluate("t.csv --target nobody"), "unknown-column");
    assert_eq!(
        evaluate("t.csv --target ill --columns nobody"),
        "unknown-column"
    );
    assert_eq!(
        evaluate("t.csv -q age,sex --target ill"),
        "no-privacy-model"
    );
    assert_eq!(evaluate("t.csv --target ill -k 5"), "no-quasi-identifiers");
    // The only row is of a man of Ulm over 40 who is well.
    let file = "age,sex,city,ill\n55,m,Ulm,no\n";
    let folder_3 = Folder::with("t.csv", people()).and("r.csv", file);
    let run = folder_3.run("evaluate t.csv r.csv -q age,sex,city --target ill --json");
    assert_eq!(refused(run), "not-its-original");
}
