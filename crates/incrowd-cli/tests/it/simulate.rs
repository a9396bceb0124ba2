//! Whether k is reachable at all: table 12 of the paper, the contract, and what is refused.

use crate::support::{Folder, Run, data};
use serde_json::{Value, json};

fn simulate(arguments: &str) -> Run {
    Folder::new().run(&format!("simulate {arguments}"))
}

fn found(arguments: &str) -> Value {
    simulate(&format!("{arguments} --json")).ends_with(0).json()
}

#[test]
fn table_12_of_the_paper_comes_out_by_formula_and_by_simulation() {
    // Attributes, k, rows; the exact share of successes, and that of the paper with its repeats.
    for (attributes, k, rows, exact, paper, repeats) in [
        (3, 3, 50, 0.7020, 0.68, 50.0),
        (3, 3, 75, 0.9760, 1.0, 50.0),
        (3, 5, 75, 0.7419, 0.74, 50.0),
        (3, 5, 100, 0.9719, 1.0, 50.0),
        (7, 5, 1200, 0.0021, 0.0, 500.0),
        (7, 5, 7500, 1.0, 1.0, 500.0),
        (12, 5, 30_000, 0.0, 0.0, 500.0),
        (12, 5, 100_000, 0.9982, 1.0, 500.0),
        (15, 5, 750_000, 0.9497, 0.96, 200.0),
        (18, 5, 2_000_000, 0.0, 0.0, 200.0),
    ] {
        let found = found(&format!("--attributes {attributes} -k {k} --rows {rows}"));
        assert_eq!(found["combinations"], 1_u64 << attributes);
        assert_eq!(found["repeats"], 500);
        let figure = |name: &str| found["chance"][name].as_f64().unwrap();
        let formula = figure("formula");
        assert!((formula - exact).abs() < 0.0001, "{found}");
        let within = |share: f64, repeats: f64| {
            let deviation = (exact * (1.0 - exact) / repeats).sqrt();
            (share - exact).abs() <= 3.5 * deviation + 0.002
        };
        assert!(within(figure("simulated"), 500.0), "{found}");
        assert!(within(paper, repeats), "{found}");
    }
}

#[test]
fn the_json_is_that_of_the_contract() {
    let mut found = found("--attributes 3 --values 2 -k 3 --rows 50 --repeats 100 --seed 7");
    let chance = &mut found["chance"];
    let formula = chance["formula"].as_f64().unwrap();
    assert!((formula - 0.702_017).abs() < 1e-5, "{formula}");
    let simulated = chance["simulated"].as_f64().unwrap();
    let interval = [0, 1].map(|at| chance["interval"][at].as_f64().unwrap());
    assert!(interval[0] < simulated && simulated < interval[1]);
    assert!((simulated * 100.0).fract().abs() < 1e-9);
    *chance = Value::Null;
    let column = json!({"name": null, "values": 2});
    assert_eq!(
        found,
        json!({
            "version": 1,
            "rows": 50,
            "k": 3,
            "combinations": 8,
            "columns": [column, column, column],
            "drawn": "evenly",
            "chance": null,
            "repeats": 100,
            "seed": 7,
            "rows_needed": null,
            "share": null,
            "notes": [],
        })
    );
}

#[test]
fn the_text_begins_with_the_answer() {
    let run = simulate("--domain 2,7,16 -k 5 --rows-needed 95% --repeats 50").ends_with(0);
    let (answer, rest) = run.stdout.split_once("\n\n").unwrap();
    assert_eq!(
        answer,
        "With 3741 rows, the chance is 95.0 % that every combination of these 3 columns that occurs at all occurs at least 5 times.\n\
         For a chance of 95 % or more, 3741 rows are needed; with more, it stays at least as high."
    );
    let simulation = rest.lines().find(|line| line.starts_with("simulation"));
    let simulation = simulation.unwrap();
    assert!(
        simulation.contains("of 50 random tables (95 % interval: "),
        "{simulation}"
    );
    let rest = rest.replace(simulation, "simulation");
    assert_eq!(
        rest,
        "\
columns     of 2, 7, 16 values; all equally likely
combinations 224
formula     95.0 %
simulation

rows needed for a chance of 95 %, with the first columns only
  columns  combinations  rows needed
        1             2           17
        2            14          179
        3           224         3741

note: nothing is generalized and no row is suppressed here; `incrowd anonymize` does both where needed
"
    );
}

/// 90 rows: `a` is x, y or z at 6 : 3 : 1, `b` follows from it.
fn dependent() -> String {
    let mut text = String::from("a,b,note\n");
    for row in 0..90 {
        text += [
            "x,1", "x,1", "x,1", "x,1", "x,1", "x,1", "y,2", "y,2", "y,2", "z,2",
        ][row % 10];
        text += &format!(",{row}\n");
    }
    text
}

#[test]
fn columns_of_a_table_are_drawn_with_their_distribution() {
    let folder = Folder::with("t.csv", dependent());
    let run = |flags: &str| {
        let command = format!("simulate t.csv -q a,b -k 2 {flags} --json");
        folder.run(&command).ends_with(0).json()
    };
    let by_column = run("");
    assert_eq!(by_column["rows"], 90);
    assert_eq!(by_column["combinations"], 6);
    assert_eq!(by_column["drawn"], "by-column");
    let names = [0, 1].map(|at| by_column["columns"][at].clone());
    assert_eq!(
        names,
        [
            json!({"name": "a", "values": 3}),
            json!({"name": "b", "values": 2})
        ]
    );
    let whole = run("--whole-rows");
    assert_eq!(whole["combinations"], 3);
    assert_eq!(whole["drawn"], "whole-rows");
    // The rarest combination has a share of 1/10 * 4/10 in one case and of 1/10 in the other.
    let formula = |found: &Value| found["chance"]["formula"].as_f64().unwrap();
    let lacks = |share: f64| 90.0 * share * (1.0 - share).powi(89);
    assert!((1.0 - formula(&whole) - lacks(0.1)).abs() < 1e-6, "{whole}");
    let expected = lacks(0.04) + lacks(0.06);
    assert!(
        (1.0 - formula(&by_column) - expected).abs() < 0.02,
        "{by_column} {expected}"
    );
    let more = run("--rows 200 --rows-needed 99%");
    assert_eq!(more["rows"], 200);
    let needed = more["rows_needed"].as_u64().unwrap();
    assert!((100..200).contains(&needed), "{needed}");
    assert_eq!(more["by_columns"][1]["rows_needed"], needed);
    assert!(formula(&more) > 0.99);
}

#[test]
fn columns_can_be_generalized_first() {
    let folder =
        Folder::with("t.csv", dependent()).and("h/a.csv", "x,x or y,*\ny,x or y,*\nz,z,*\n");
    let run = |flags: &str| {
        let command = format!("simulate t.csv -q a,b -k 2 {flags} --json");
        folder.run(&command).ends_with(0).json()
    };
    let found = run("--hierarchies h --levels 1,0");
    assert_eq!(found["combinations"], 4);
    assert_eq!(
        found["columns"][0],
        json!({"name": "a", "level": 1, "values": 2})
    );
    let whole = run("--hierarchy a=h/a.csv --levels 1,0 --whole-rows");
    assert_eq!(whole["combinations"], 3);
    let text = folder.run("simulate t.csv -q a,b -k 2 --hierarchies h --levels 2,0");
    let text = text.ends_with(0).stdout;
    assert!(
        text.contains("a (level 2, 1 value), b (level 0, 2 values);"),
        "{text}"
    );
    assert!(!text.contains("nothing is generalized"), "{text}");
    for (flags, code) in [
        ("--levels 1", "level-count"),
        ("--levels 1,9", "no-such-level"),
        ("--levels 1,0 --hierarchies none", "no-hierarchy-folder"),
    ] {
        let run = folder.run(&format!("simulate t.csv -q a,b -k 2 {flags} --json"));
        assert_eq!(run.ends_with(2).json()["error"]["code"], code);
    }
}

#[test]
fn missing_cells_are_a_value_or_exclude_their_row() {
    let folder = Folder::with("t.csv", "a,b\nx,1\nx,\ny,1\n?,1\nx,2\n");
    let run = |flags: &str| {
        let command = format!("simulate t.csv -q a,b -k 2 --missing-tokens ? {flags} --json");
        folder.run(&command).ends_with(0).json()
    };
    let own = run("");
    assert_eq!((&own["rows"], &own["combinations"]), (&json!(5), &json!(9)));
    let excluded = run("--missing-cells exclude-row");
    assert_eq!(excluded["rows"], 3);
    assert_eq!(excluded["combinations"], 4);
}

#[test]
fn threads_do_not_change_the_result() {
    for what in [
        "--attributes 3 -k 3 --rows 50".to_owned(),
        "--attributes 13 -k 3 --rows 120000".to_owned(),
        format!("{} -q sex,race -k 5 --rows 2500", data("adult/adult.csv")),
    ] {
        let alone = simulate(&format!("{what} --threads 1 --json")).ends_with(0);
        for threads in [2, 3, 8] {
            let run = simulate(&format!("{what} --threads {threads} --json")).ends_with(0);
            assert_eq!(run.stdout, alone.stdout, "{threads} threads");
        }
        let other = simulate(&format!("{what} --seed 2 --json")).ends_with(0);
        assert_ne!(other.stdout, alone.stdout);
        let simulated = alone.json()["chance"]["simulated"].as_f64().unwrap();
        assert!(simulated > 0.0 && simulated < 1.0, "{}", alone.stdout);
    }
}

#[test]
fn k_and_the_columns_can_come_from_a_job() {
    let job = "[data]\npath = \"t.csv\"\n[columns]\nquasi_identifiers = [\"a\"]\nsensitive = [\"b\"]\n\
               [privacy]\nmodels = [\"k-anonymity(k=4)\", \"distinct-l-diversity(l=2)\"]\n";
    let folder = Folder::with("t.csv", dependent()).and("job.toml", job);
    let run = folder.run("simulate --job job.toml --json").ends_with(0);
    let found = run.json();
    assert_eq!(
        (&found["k"], &found["combinations"]),
        (&json!(4), &json!(3))
    );
    assert!(
        found["notes"][0]
            .as_str()
            .unwrap()
            .contains("only k-anonymity")
    );
    let run = folder.run("simulate --job job.toml --domain 5 --rows 9 --json");
    assert_eq!(run.ends_with(0).json()["combinations"], 5);
}

#[test]
fn plots_are_written_and_complete() {
    let folder = Folder::with("t.csv", dependent());
    let run = folder.run("simulate --attributes 6 -k 3 --rows 400 --plot a/b --json");
    let found = run.ends_with(0).json();
    assert_eq!(
        folder.list("a/b"),
        ["chance-by-rows.svg", "rows-needed-by-columns.svg"]
    );
    assert_eq!(found["plots"].as_array().unwrap().len(), 2);
    assert_eq!(found["by_columns"].as_array().unwrap().len(), 6);
    let needed = folder.read("a/b/rows-needed-by-columns.svg");
    assert!(needed.starts_with("<svg") && needed.trim_end().ends_with("</svg>"));
    assert_eq!(
        needed.matches("<circle").count(),
        6 + 1,
        "points and legend"
    );
    assert!(needed.contains("(logarithmic)") && needed.contains("k = 3, chance 95"));
    let chance = folder.read("a/b/chance-by-rows.svg");
    assert!(chance.contains("chance in %") && !chance.contains("(logarithmic)"));
    let run = folder.run("simulate t.csv -q a,b -k 2 --whole-rows --plot c");
    assert!(
        run.ends_with(0)
            .stdout
            .contains("rows-needed-by-columns.svg")
    );
    assert_eq!(folder.list("c").len(), 2);
}

#[test]
fn impossible_requests_say_what_to_do() {
    let folder = Folder::with("t.csv", dependent());
    for (arguments, code, hint) in [
        ("-k 5 --rows 9", "nothing-to-simulate", "--domain"),
        ("t.csv -k 5", "no-quasi-identifiers", "-q"),
        ("t.csv -q a", "no-privacy-model", "-k 5"),
        ("t.csv -q c -k 5", "unknown-column", "inspect"),
        ("t.csv -q a,a -k 5", "two-roles", "once"),
        ("--attributes 3 -k 5", "rows-not-given", "--rows-needed"),
        ("--attributes 3 -k 5 --rows 0", "simulated-rows", "from 1"),
        (
            "--attributes 3 -k 5 --rows 9000000000000000",
            "simulated-rows",
            "from 1",
        ),
        ("--attributes 0 -k 5 --rows 9", "no-values", "at least 1"),
        (
            "--attributes 3 --values 0 -k 5 --rows 9",
            "no-values",
            "at least 1",
        ),
        ("--domain 2,0 -k 5 --rows 9", "no-values", "at least 1"),
        (
            "--attributes 200 -k 5 --rows 9",
            "too-many-combinations",
            "fewer",
        ),
        (
            "--attributes 3 -k 5 --rows 9 --repeats 49",
            "repeats",
            "from 50",
        ),
        (
            "--attributes 3 -k 5 --rows-needed 100%",
            "certain-chance",
            "95%",
        ),
        ("--attributes 3 -k 5 --rows-needed 0%", "share", "above 0"),
        ("--attributes 3 -k 5 --rows-needed many", "share", "above 0"),
        (
            "--attributes 90 -k 5 --rows-needed 95%",
            "rows-out-of-reach",
            "--rows",
        ),
        (
            "--attributes 22 -k 2 --rows 70000000 --repeats 9000000 --time-limit 1s",
            "time-up-simulating",
            "--time-limit",
        ),
    ] {
        let run = folder.run(&format!("simulate {arguments} --json"));
        let error = &run.ends_with(2).json()["error"];
        assert_eq!(error["code"], code, "{arguments}: {error}");
        assert!(error["hint"].as_str().unwrap().contains(hint), "{error}");
    }
    let zero = folder
        .run("simulate --attributes 3 -k 0 --rows 9")
        .ends_with(2);
    assert!(zero.stderr.contains("hint:"), "{}", zero.stderr);
    let refused = "simulate --attributes 200 -k 5 --rows 9 --plot new";
    folder.run(refused).ends_with(2);
    assert!(!folder.path("new").exists(), "nothing is left behind");
    let taken = "simulate --attributes 2 -k 5 --rows 9 --plot t.csv --json";
    let taken = folder.run(taken).ends_with(2).json();
    assert_eq!(taken["error"]["code"], "folder");
    for (flag, given) in [("--rows", "-4"), ("--repeats", "-4"), ("--values", "-2")] {
        let command = format!("simulate --attributes 3 -k 5 --rows-needed 9% {flag} {given}");
        let run = folder.run(&command).ends_with(2);
        let expected = format!("invalid value '{given}' for '{flag} ");
        assert!(run.stderr.contains(&expected), "{}", run.stderr);
    }
    let one = folder.run("simulate t.csv -q a -k 2").ends_with(0);
    assert!(
        one.stdout
            .contains("that every value of this column that occurs")
    );
    for contradiction in [
        "--attributes 3 --domain 2,2 -k 5 --rows 9",
        "t.csv --domain 2,2 -k 5 --rows 9",
        "t.csv --attributes 2 -k 5 --rows 9",
        "--domain 2,2 -q a -k 5 --rows 9",
        "--domain 2,2 --values 3 -k 5 --rows 9",
        "--domain 2,2 --whole-rows -k 5 --rows 9",
        "--domain 2,x -k 5 --rows 9",
    ] {
        folder
            .run(&format!("simulate {contradiction}"))
            .ends_with(2);
    }
}

#[test]
fn the_table_is_not_written_over() {
    let folder = Folder::with("p/chance-by-rows.svg", dependent());
    let run = folder.run("simulate p/chance-by-rows.svg --delimiter , -q a -k 2 --plot p");
    run.ends_with(2);
    assert_eq!(folder.read("p/chance-by-rows.svg"), dependent());
}

#[test]
fn out_of_reach_is_said_beside_the_chance_of_the_rows_given() {
    let run = simulate("--attributes 90 -k 5 --rows 100 --rows-needed 95%").ends_with(0);
    let answer = "For a chance of 95 %, more than 1000000000000000 rows are needed.";
    assert!(run.stdout.contains(answer), "{}", run.stdout);
    assert_eq!(
        found("--attributes 90 -k 5 --rows 100 --rows-needed 95%")["rows_needed"],
        Value::Null
    );
    // Nothing is asked of combinations with k = 1, and one combination takes all rows.
    assert_eq!(found("--attributes 90 -k 1 --rows-needed 95%")["rows"], 1);
    assert_eq!(found("--domain 1 -k 7 --rows-needed 95%")["rows_needed"], 7);
}
