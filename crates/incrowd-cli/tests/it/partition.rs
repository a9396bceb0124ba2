//! Optimal partitions, as users meet them.

use crate::support::{Folder, Run};
use serde_json::Value;
use std::path::Path;

fn adult(folder: &Folder, command: &str, more: &str) -> Run {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/adult");
    let data = data.display();
    folder.run(&format!(
        "{command} '{data}/adult.csv' --hierarchies '{data}/hierarchies' --others drop {more}"
    ))
}

fn json(run: &Run) -> Value {
    assert_eq!(run.code, 0, "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn partitions_are_published_certified_and_stand_up_to_their_original() {
    let folder = Folder::new();
    let outcome = json(&adult(
        &folder,
        "anonymize",
        "-q age,race,sex -k 10 --max-suppressed 1% --algorithm partition --scheme age=ops,race=sps,sex=bhs \
         --coarse age=5@17 --metric hdm -o out.csv --certificate out.json --json",
    ));
    assert_eq!(outcome["recoding"], "partitions");
    assert_eq!(outcome["guarantee"], "optimal");
    assert_eq!(outcome["cost"], outcome["lower_bound"]);
    assert_eq!(outcome["cost"], outcome["metrics"]["hdm"]);
    assert!(outcome["nodes_visited"].as_u64().unwrap() > 0);
    assert!(outcome["pruning"].is_object());
    // No step of five years from 17 is split: a block that holds 17 holds 21 as well.
    let blocks = outcome["blocks"]["age"].as_array().unwrap();
    let holds = |block: &Value, age: &str| block.as_array().unwrap().iter().any(|it| it == age);
    let of_17 = blocks.iter().find(|block| holds(block, "17")).unwrap();
    assert!(holds(of_17, "21"));
    let certificate: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    assert_eq!(certificate["request"]["coarse"][0], "age=5@17");
    // It travels with the release, so it lists published values and no raw ones.
    assert!(certificate["reached"]["blocks"].is_null());
    assert!(certificate["reached"]["published"].is_object());
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/adult");
    let data = data.display();
    let verified = json(&folder.run(&format!(
        "verify out.csv -q age,race,sex -k 10 --others drop --max-suppressed 1% \
         --original '{data}/adult.csv' --hierarchies '{data}/hierarchies' --json"
    )));
    assert_eq!(verified["safe"], true, "{verified}");
}

#[test]
fn every_direction_and_every_rule_gives_the_same_cost() {
    let folder = Folder::new();
    let cost = |more: &str| {
        let outcome = json(&adult(
            &folder,
            "anonymize",
            &format!(
                "-q marital-status,race,sex -k 50 --max-suppressed 2% --algorithm partition --json {more}"
            ),
        ));
        let cost = outcome["cost"].as_f64().unwrap();
        assert_eq!(outcome["metrics"]["discernibility"].as_f64(), Some(cost));
        cost
    };
    let auto = cost("");
    for more in [
        "--search bottom-up",
        "--search top-down",
        "--without-pruning seeding,program",
        "--without-pruning tighter-bounds --search top-down",
    ] {
        assert_eq!(cost(more), auto, "{more}");
    }
}

#[test]
fn wishes_that_cannot_be_read_or_are_not_for_the_algorithm_are_refused() {
    let folder = Folder::with("people.csv", "age,ill\n1,no\n2,no\n3,yes\n4,yes\n");
    for (more, message) in [
        (
            "--algorithm partition --scheme opps",
            "`scheme` of `partition`",
        ),
        (
            "--algorithm partition --coarse age=0@17",
            "`coarse` of `partition`",
        ),
        (
            "--algorithm partition --coarse ill=5@17",
            "not a quasi-identifier",
        ),
        (
            "--algorithm partition --search sideways",
            "`search` of `partition`",
        ),
        (
            "--algorithm partition --without-pruning luck",
            "`without-pruning` of `partition`",
        ),
        ("--algorithm partition --metric loss", "`loss`"),
        ("--algorithm optimal --scheme ops", "no setting `scheme`"),
    ] {
        let run = folder.run(&format!(
            "anonymize people.csv -q age -s ill -k 2 -o out.csv {more}"
        ));
        assert_eq!(run.code, 2, "{more}");
        assert!(run.stderr.contains(message), "{more}: {}", run.stderr);
        assert!(run.stderr.contains("hint:"), "{more}");
        assert!(!folder.path("out.csv").exists());
    }
}

#[test]
fn coarse_steps_may_begin_below_zero_and_between_whole_numbers() {
    let folder = Folder::with("people.csv", "age,ill\n-3,no\n-2,no\n-1,yes\n0,yes\n");
    for steps in ["2@-3", "2.0000000000@-3.5"] {
        let outcome = json(&folder.run(&format!(
            "anonymize people.csv -q age -s ill -k 1 --algorithm partition --scheme ops --coarse age={steps} \
             -o out.csv --json"
        )));
        let expected = serde_json::json!([["-3", "-2"], ["-1", "0"]]);
        assert_eq!(outcome["blocks"]["age"], expected, "{steps}");
    }
}

#[test]
fn the_experiments_about_schemes_can_be_rerun_and_drawn() {
    let folder = Folder::new();
    let study = json(&adult(
        &folder,
        "study",
        "-q race,marital-status,sex --schemes --parameters 5,50 --plot pictures --json",
    ));
    let rows = study["rows"].as_array().unwrap();
    let of = |experiment: &str| -> Vec<&Value> {
        rows.iter()
            .filter(|row| row["experiment"] == experiment)
            .collect()
    };
    assert_eq!(of("direction-by-k").len(), 4);
    assert_eq!(of("direction-by-columns").len(), 4);
    assert_eq!(of("schemes-by-k").len(), 24);
    assert_eq!(of("schemes-by-columns").len(), 12);
    assert_eq!(of("pruning").len(), 20);
    assert!(rows.iter().all(|row| row["gap"] == 0.0));
    // A scheme that allows more costs no more.
    let cost = |scheme: &str, metric: &str| {
        let rows = of("schemes-by-k").into_iter();
        let mut rows = rows.filter(|row| row["scheme"] == scheme && row["metric"] == metric);
        rows.find(|row| row["k"] == 50).unwrap()["cost"]
            .as_f64()
            .unwrap()
    };
    for metric in ["discernibility", "hdm"] {
        for (wide, narrow) in [
            ("ghs", "bhs"),
            ("gops", "ghs"),
            ("ops", "gops"),
            ("gsps", "gops"),
            ("sps", "ops"),
            ("sps", "gsps"),
        ] {
            let (wide_cost, narrow_cost) = (cost(wide, metric), cost(narrow, metric));
            assert!(
                wide_cost <= narrow_cost * (1.0 + 1e-9),
                "{metric}: {wide} over {narrow}"
            );
        }
    }
    // Whatever is not used, the answer is the same.
    for row in of("pruning") {
        let first = of("pruning")
            .into_iter()
            .find(|it| it["metric"] == row["metric"])
            .unwrap();
        let (cost, expected) = (&row["cost"], &first["cost"]);
        let (cost, expected) = (cost.as_f64().unwrap(), expected.as_f64().unwrap());
        assert!((cost - expected).abs() <= 1e-9 * expected, "{row}");
    }
    assert_eq!(folder.list("pictures").len(), 6);
    assert!(
        folder
            .read("pictures/schemes-hdm-by-k.svg")
            .contains("gsps")
    );
}

#[test]
fn a_search_that_finds_nothing_is_a_line_of_the_study_and_not_its_end() {
    let folder = Folder::with("t.csv", "age,x\n20,a\n10,b\n10,a\n21,b\n20,a\n10,b\n");
    // Nothing may be suppressed, so that a class of 7 cannot be had of 6 rows.
    let ask = "study t.csv -q age,x --schemes --parameters 2,7 --max-suppressed 0 --plot pictures";
    let study = json(&folder.run(&format!("{ask} --json")));
    let rows = study["rows"].as_array().unwrap();
    let (without, with): (Vec<&Value>, Vec<&Value>) =
        rows.iter().partition(|row| row["cost"].is_null());
    assert!(without.iter().all(|row| row["k"] == 7) && without.len() == 2 + 12);
    for row in without {
        assert!(row["failed"]["message"].is_string(), "{row}");
        assert!(
            row["gap"].is_null() && row["lower_bound"].is_null(),
            "{row}"
        );
        assert!(row["seconds"].is_number(), "{row}");
    }
    assert!(with.iter().all(|row| row["failed"].is_null()), "{with:?}");
    let text = folder.run(ask).ends_with(0).stdout;
    assert_eq!(text.matches("none found").count(), 14, "{text}");
    let csv = folder.run(&format!("{ask} --csv")).ends_with(0).stdout;
    assert_eq!(csv.matches("none found").count(), 14, "{csv}");
    assert_eq!(folder.list("pictures").len(), 6);
    // The same where the work allowed ends every search before it finds anything.
    let folder = folder.and("job.toml", "[search]\nwork_limit = \"1\"\n");
    let starved = folder.run(&format!("{ask} --job job.toml"));
    let found = starved.ends_with(0).stdout.matches("none found").count();
    assert!(found >= 14, "{found}");
}

#[test]
fn more_choices_than_a_float_can_hold_are_told_in_words() {
    let mut table = "n\n".to_owned();
    for row in 0..2400 {
        table += &format!("{}\n", row / 2);
    }
    let folder = Folder::with("t.csv", table);
    let ask = "anonymize t.csv -q n --algorithm partition --scheme ops -k 3 --hierarchy n=suppress";
    let outcome = json(&folder.run(&format!("{ask} --json")));
    assert_eq!(outcome["choices"], "more than 1e308");
    let text = folder.run(ask).ends_with(0).stdout;
    assert!(
        text.contains("partition, 1 node of more than 1e308 choices visited"),
        "{text}"
    );
    // Sets within sets: what is beyond counting below stays so above.
    let (mut values, mut levels) = ("n\n".to_owned(), String::new());
    for value in 0..300 {
        values += &format!("v{value}\nv{value}\n");
        levels += &format!("v{value},{},*\n", if value < 298 { "many" } else { "few" });
    }
    let folder = Folder::with("t.csv", values).and("n.csv", levels);
    let guided =
        "anonymize t.csv -q n --algorithm partition --scheme gsps -k 2 --hierarchy n=n.csv";
    let outcome = json(&folder.run(&format!("{guided} --json")));
    assert_eq!(outcome["choices"], "more than 1e308");
    // Fewer are a number, counted out where that is short.
    let folder = Folder::with("t.csv", "n\n1\n1\n2\n2\n3\n3\n");
    let outcome = json(&folder.run(&format!("{ask} --json")));
    assert_eq!(outcome["choices"], 4.0);
    let text = folder.run(ask).ends_with(0).stdout;
    assert!(
        text.contains("partition, 1 node of 4 choices visited"),
        "{text}"
    );
}

#[test]
fn issue_9_coarse_the_search_costs_what_it_publishes() {
    let folder = Folder::with("t.csv", "age,x\n20,a\n10,b\n10,a\n21,b\n");
    let outcome = json(&folder.run(
        "anonymize t.csv -q age,x --algorithm partition --scheme age=ops,x=sps --metric hdm -k 2 --coarse age=10@0 \
         -o o.csv --json",
    ));
    assert_eq!(outcome["guarantee"], "optimal");
    assert_eq!(outcome["cost"], 2.0);
    assert_eq!(outcome["metrics"]["hdm"], 2.0);
    assert_eq!(folder.read("o.csv"), "age,x\n*,a\n*,b\n*,a\n*,b\n");
    // A step of ten years is no value of level 0.
    let refused = folder
        .run(
            "anonymize t.csv -q age,x --algorithm partition -k 1 --coarse age=10@0 --max-levels 0,0",
        )
        .ends_with(2);
    assert!(
        refused.stderr.contains("steps of column `age`"),
        "{}",
        refused.stderr
    );
    assert!(
        refused.stderr.contains("--max-levels"),
        "{}",
        refused.stderr
    );
}

#[test]
fn issue_9_braces_values_that_look_like_sets_are_published() {
    let folder = Folder::with("t.csv", "n,s\na,1\nb,2\n\"{a, b}\",3\n\"{a, b}\",4\n");
    folder
        .run("anonymize t.csv -q n -s s --hierarchy n=suppress --algorithm partition --scheme sps -k 2 -o o.csv")
        .ends_with(0);
    assert_eq!(
        folder.read("o.csv"),
        "n,s\n\"{{a, b}}\",1\n\"{{a, b}}\",2\n\"{a, b}\",3\n\"{a, b}\",4\n"
    );
    let verified = json(
        &folder.run("verify o.csv -q n -s s -k 2 --hierarchy n=suppress --original t.csv --json"),
    );
    assert_eq!(verified["safe"], true, "{verified}");
}

#[test]
fn issue_9_unlisted_values_are_published_alike_by_every_recoding() {
    let towns = [
        ("Bonn", "yny"),
        ("Koeln", "nyn"),
        ("Secretville", "yny"),
        ("Hideaway", "nyy"),
    ];
    let rows = towns.iter().flat_map(|(town, targets)| {
        targets
            .chars()
            .map(move |target| format!("{town},{target}\n"))
    });
    let folder = Folder::with("t.csv", format!("town,t\n{}", rows.collect::<String>()))
        .and("town.csv", "town,state,any\nBonn,NRW,*\nKoeln,NRW,*\n");
    let given = "-q town --hierarchy town=town.csv --unlisted suppress";
    for algorithm in ["optimal", "bottom-up", "top-down", "partition"] {
        folder
            .run(&format!(
                "anonymize t.csv {given} --target t --algorithm {algorithm} -k 3 -o {algorithm}.csv"
            ))
            .ends_with(0);
        let published = folder.read(&format!("{algorithm}.csv"));
        let unlisted = published.lines().filter(|line| line.starts_with("*,"));
        assert_eq!(unlisted.count(), 6, "{algorithm}: {published}");
        let verified = json(&folder.run(&format!(
            "verify {algorithm}.csv {given} --others drop -k 3 --original t.csv --json"
        )));
        assert_eq!(verified["safe"], true, "{algorithm}: {verified}");
    }
}

#[test]
fn issue_9_ops_on_text_takes_the_order_of_the_file_and_without_one_the_alphabet() {
    // Neighbors of the file are north and south by turns; k leaves pairs of neighbors only.
    let folder = Folder::with("t.csv", "q\nc\nb\nd\na\n").and(
        "q.csv",
        "q,half,any\nc,north,*\na,south,*\nd,north,*\nb,south,*\n",
    );
    let published = |more: &str| {
        folder
            .run(&format!(
                "anonymize t.csv -q q --algorithm partition --scheme ops -k 2 {more} -o o.csv"
            ))
            .ends_with(0);
        folder.read("o.csv")
    };
    assert_eq!(
        published("--hierarchy q=q.csv"),
        "q\n\"{c, a}\"\n\"{d, b}\"\n\"{d, b}\"\n\"{c, a}\"\n"
    );
    let by_alphabet = "q\n\"{c, d}\"\n\"{a, b}\"\n\"{c, d}\"\n\"{a, b}\"\n";
    let sorted = |text: &str| text.replace("{d, c}", "{c, d}").replace("{b, a}", "{a, b}");
    assert_eq!(sorted(&published("")), by_alphabet);
    assert_eq!(sorted(&published("--hierarchy q=suppress")), by_alphabet);

    // A rule that knows what comes after what is followed, one that ranks values by their rows is not.
    let folder = Folder::with("t.csv", "q\nhigh\nlow\nvery high\nmedium\n");
    let published = |rule: &str| {
        folder
            .run(&format!(
                "anonymize t.csv -q q --algorithm partition --scheme ops -k 2 --hierarchy q={rule} -o o.csv --json"
            ))
            .ends_with(0)
            .json()["blocks"]["q"]
            .clone()
    };
    assert_eq!(
        published("order"),
        serde_json::json!([["low", "medium"], ["high", "very high"]])
    );
    let mut of_ranks: Vec<Vec<String>> = serde_json::from_value(published("frequent:2,1")).unwrap();
    of_ranks.iter_mut().for_each(|block| block.sort());
    of_ranks.sort();
    assert_eq!(of_ranks, [["high", "low"], ["medium", "very high"]]);
}

#[test]
fn an_order_given_by_the_user_decides_which_values_are_neighbors() {
    let folder = Folder::with("t.csv", "v\na\na\nc\nb\nb\nb\nb\n");
    let ask = "anonymize t.csv -q v -k 3 --algorithm partition --hierarchy v=suppress --json";
    let cost = |more: &str| {
        let run = folder.run(&format!("{ask} {more}")).ends_with(0);
        run.json()["cost"].as_f64().unwrap()
    };
    // By bytes `c` stands beside `b` only, and `a` is too rare to stand alone.
    assert_eq!(cost(""), 49.0);
    assert_eq!(cost("--order v=a;c;b"), 25.0);
    let incomplete = folder.run(&format!("{ask} --order v=a;c")).ends_with(2);
    assert_eq!(incomplete.json()["error"]["code"], "order-incomplete");
}

#[test]
fn a_certificate_has_no_values_of_an_order() {
    // What the release hides is nowhere beside it either.
    let folder = Folder::with("t.csv", "v\nuno\nuno\ntres\ndos\ndos\n");
    let job = |order: &str| {
        format!(
            "[data]\npath = \"t.csv\"\n[columns]\nquasi_identifiers = [\"v\"]\n[hierarchies]\nv = \"suppress\"\n\
             [privacy]\nmodels = [\"k-anonymity(k=5)\"]\n[search]\nalgorithm = \"partition\"\nscheme = [\"bhs\"]\n\
             order = [\"v={order}\"]\n[output]\npath = \"out.csv\"\ncertificate = \"out.json\"\n"
        )
    };
    let folder = folder.and("job.toml", job("uno;dos;tres"));
    let folder = folder.and("other.toml", job("dos;uno;tres"));
    folder.run("anonymize --job job.toml").ends_with(0);
    let certificate: Value = serde_json::from_str(&folder.read("out.json")).unwrap();
    let order = certificate["request"]["order"][0].as_str().unwrap();
    assert!(order.starts_with("v=sha256:"), "{order}");
    for value in ["uno", "dos", "tres"] {
        for file in ["out.csv", "out.json"] {
            assert!(!folder.read(file).contains(value), "{value} in {file}");
        }
    }
    let check =
        |job: &str| folder.run(&format!("verify --certificate out.json --job {job} --json"));
    check("job.toml").ends_with(0);
    let refused = check("other.toml");
    assert_ne!(refused.code, 0);
    assert!(
        refused.stdout.contains("request.order"),
        "{}",
        refused.stdout
    );
}
