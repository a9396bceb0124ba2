//! How easily people are found: figures by hand, the contract, gates, before and after.

use crate::support::{Folder, Run, data};
use serde_json::{Value, json};

/// Classes of three, two and one; all of the first and of the last have one disease.
const PEOPLE: &str = "\
sex,zip,disease,note
f,1,flu,a
f,1,flu,b
f,1,flu,c
m,1,flu,d
m,1,cold,e
m,2,cold,f
";

/// Twenty people: ten, six and four of them match the classes above.
fn population() -> String {
    let mut text = "zip,sex,other\n".to_owned();
    text += &"1,f,x\n".repeat(10);
    text += &"1,m,x\n".repeat(6);
    text += &"2,m,x\n".repeat(4);
    text
}

fn folder() -> Folder {
    Folder::with("people.csv", PEOPLE).and("all.csv", population())
}

fn risk(arguments: &str) -> Run {
    folder().run(&format!("risk people.csv -q sex,zip {arguments}"))
}

fn found(arguments: &str) -> Value {
    risk(&format!("{arguments} --json")).ends_with(0).json()
}

fn close(found: &Value, expected: f64) {
    let number = found.as_f64().unwrap();
    assert!(
        (number - expected).abs() < 1e-12,
        "{number}, not {expected}"
    );
}

#[test]
fn the_json_is_that_of_the_contract() {
    let expected = json!({
        "version": 1,
        "rows": 6,
        "classes": 3,
        "prosecutor": {
            "highest": 1.0,
            "average": 0.5,
            "above_threshold": {"threshold": 0.2, "rows": 6, "share": 1.0},
        },
        "journalist": null,
        "marketer": 0.5,
        "uniques": {"sample": {"rows": 1, "share": 1.0 / 6.0}, "population": null},
        "attribute_disclosure": {"disease": {"certain_rows": 4, "share": 4.0 / 6.0}},
    });
    assert_eq!(found("-s disease"), expected);
}

#[test]
fn only_risks_greater_than_the_threshold_are_above_it() {
    for (threshold, rows) in [("0.5", 1), ("0.49", 3), ("1", 0), ("0", 6), ("50%", 1)] {
        let found = found(&format!("--threshold {threshold}"));
        let above = &found["prosecutor"]["above_threshold"];
        assert_eq!(above["rows"], rows, "{threshold}");
        close(&above["share"], f64::from(rows) / 6.0);
    }
    for threshold in ["-0.1", "1.5", "some"] {
        let run = risk(&format!("--threshold {threshold} --json")).ends_with(2);
        assert_eq!(run.json()["error"]["code"], "threshold");
    }
}

#[test]
fn a_journalist_picks_among_the_people_of_the_population() {
    let found = found("--population all.csv");
    let journalist = &found["journalist"];
    close(&journalist["highest"], 0.25);
    close(
        &journalist["average"],
        (3.0 / 10.0 + 2.0 / 6.0 + 1.0 / 4.0) / 6.0,
    );
    assert_eq!(journalist["above_threshold"]["rows"], 1);
    // Four people match the smallest class; three of ten, two of six and one of four are in the file.
    let matched = json!({"k_map": 4, "delta_presence": {"min": 0.25, "max": 2.0 / 6.0}});
    assert_eq!(found["matched"], matched);
    let population = &found["uniques"]["population"];
    assert_eq!(population["size"], 20);
    // By hand: 11628/47328 of the sample uniques, times 20/6.
    close(&population["zayatz"], 95.0 / 116.0);
    close(&population["shares"]["zayatz"], 95.0 / 116.0 / 20.0);
    assert_eq!(population["pitman"], Value::Null);
    let reason = population["reasons"]["pitman"].as_str().unwrap();
    assert!(
        reason.contains("more even than the model allows"),
        "{reason}"
    );
    assert_eq!(found["notes"], Value::Null);
}

#[test]
fn the_size_of_the_population_is_enough_for_estimates() {
    let found = found("--population-size 20");
    assert_eq!(found["journalist"], Value::Null);
    close(&found["uniques"]["population"]["zayatz"], 95.0 / 116.0);
    // The whole population: nothing to estimate.
    let whole = self::found("--population-size 6");
    let population = &whole["uniques"]["population"];
    for estimate in ["pitman", "zayatz", "snb"] {
        assert_eq!(population[estimate], Value::Null);
        let reason = population["reasons"][estimate].as_str().unwrap();
        assert!(reason.contains("whole population"), "{reason}");
    }
    let run = risk("--population-size 5 --json").ends_with(2);
    assert_eq!(run.json()["error"]["code"], "population-too-small");
    assert_eq!(risk("--population-size 9 --population all.csv").code, 2);
}

#[test]
fn whoever_is_in_the_file_is_in_the_population() {
    let folder = folder().and("few.csv", "sex,zip\n".to_owned() + &"f,1\n".repeat(9));
    let run = folder.run("risk people.csv -q sex,zip --population few.csv --json");
    let found = run.ends_with(0).json();
    let average = (3.0 / 9.0 + 2.0 / 2.0 + 1.0) / 6.0;
    close(&found["journalist"]["average"], average);
    let note = found["notes"][0].as_str().unwrap();
    assert!(note.starts_with("3 of 6 rows match fewer people"), "{note}");
    let nobody = folder.and("others.csv", "sex,zip\n".to_owned() + &"x,9\n".repeat(9));
    let run = nobody.run("risk people.csv -q sex,zip --population others.csv --json");
    assert_eq!(
        run.ends_with(2).json()["error"]["code"],
        "population-unmatched"
    );
    let run = nobody.run("risk people.csv -q sex,disease --population all.csv --json");
    assert_eq!(run.ends_with(2).json()["error"]["code"], "unknown-column");
}

#[test]
fn a_gate_that_is_not_met_is_code_1() {
    for (gates, code) in [
        ("--gate highest<=0.2", 1),
        ("--gate highest<=1", 0),
        ("--gate prosecutor.average<0.5", 1),
        ("--gate average<=0.5 --gate marketer<=50%", 0),
        ("--gate average<=0.5 --gate uniques<=0.1", 1),
        ("--gate above<=0.2 --threshold 0.5", 0),
        ("-s disease --gate certain<=0.6", 1),
        ("--population all.csv --gate journalist.highest<=0.25", 0),
        ("--population all.csv --gate presence<=0.3", 1),
        ("--population all.csv --gate presence<=0.34", 0),
        ("--population-size 20 --gate zayatz<=0.05", 0),
        // No estimate, so nothing shows that it is met.
        ("--population-size 20 --gate pitman<=1", 1),
    ] {
        assert_eq!(risk(gates).code, code, "{gates}");
    }
    let run = risk("--gate highest<=0.2 --json").ends_with(1);
    let gate = json!([{"gate": "highest<=0.2", "figure": 1.0, "holds": false}]);
    assert_eq!(run.json()["gates"], gate);
    let run = risk("--gate highest<=0.2").ends_with(1);
    assert!(
        run.stdout.contains("gate highest<=0.2: NOT met (1)"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_gate_that_makes_no_sense_is_an_error_before_anything_is_read() {
    for (gate, code) in [
        ("highest", "gate"),
        ("highest>=0.2", "gate"),
        ("higest<=0.2", "gate-figure"),
        ("journalist.highest<=0.2", "gate-without-figure"),
        ("presence<=0.2", "gate-without-figure"),
        ("pitman<=0.2", "gate-without-figure"),
        ("certain<=0.2", "gate-without-figure"),
    ] {
        let run = Folder::new().run(&format!("risk none.csv -q a --gate {gate} --json"));
        assert_eq!(run.ends_with(2).json()["error"]["code"], code, "{gate}");
    }
}

#[test]
fn the_teaching_table_has_the_figures_found_by_hand_before_and_after() {
    let folder = Folder::new();
    let clinic = data("clinic/clinic.csv");
    let levels = "--hierarchy age=interval:10 --hierarchy zip=mask:1";
    let roles = "-q age,zip -s disease";
    folder
        .run(&format!(
            "anonymize {clinic} {roles} --others drop -k 3 {levels} -o safe.csv"
        ))
        .ends_with(0);
    let run = folder.run(&format!("risk safe.csv {roles} --original {clinic} --json"));
    let found = run.ends_with(0).json();
    // Six patients, each alone; then two classes of three, with two and three diseases.
    let before = &found["original"];
    assert_eq!(
        (&before["rows"], &before["classes"]),
        (&json!(6), &json!(6))
    );
    assert_eq!(before["prosecutor"]["highest"], 1.0);
    assert_eq!(
        before["uniques"]["sample"],
        json!({"rows": 6, "share": 1.0})
    );
    assert_eq!(before["attribute_disclosure"]["disease"]["certain_rows"], 6);
    assert_eq!((&found["rows"], &found["classes"]), (&json!(6), &json!(2)));
    assert_eq!(found["prosecutor"]["highest"], 1.0 / 3.0);
    assert_eq!(found["prosecutor"]["average"], 2.0 / 6.0);
    assert_eq!(found["prosecutor"]["above_threshold"]["rows"], 6);
    assert_eq!(found["marketer"], 2.0 / 6.0);
    assert_eq!(found["uniques"]["sample"]["rows"], 0);
    assert_eq!(found["attribute_disclosure"]["disease"]["certain_rows"], 0);

    // Two more people match the first class, none the second, and one matches neither.
    let all = "age,zip\n34,45011\n36,45012\n39,45017\n31,45013\n38,45019\n35,45109\n61,45201\n64,45204\n68,45209\n";
    let folder = folder.and("all.csv", all);
    let run = folder.run(&format!(
        "risk safe.csv {roles} {levels} --population all.csv --json"
    ));
    let found = run.ends_with(0).json();
    close(&found["journalist"]["highest"], 1.0 / 3.0);
    close(
        &found["journalist"]["average"],
        (3.0 / 5.0 + 3.0 / 3.0) / 6.0,
    );
}

#[test]
fn suppressed_rows_cannot_be_found() {
    let folder = Folder::with("safe.csv", "sex,zip\n*,*\nf,1\nf,1\n*,*\n*,2\n");
    let found = folder
        .run("risk safe.csv -q sex,zip --json")
        .ends_with(0)
        .json();
    assert_eq!((&found["rows"], &found["classes"]), (&json!(3), &json!(2)));
    assert_eq!(found["rows_starred"], 2);
    let none = Folder::with("safe.csv", "sex,zip\n*,*\n*,*\n");
    let run = none.run("risk safe.csv -q sex,zip").ends_with(0);
    assert!(
        run.stdout.starts_with("The file has no row"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_region_is_matched_by_everyone_in_its_box() {
    // `*` and a set share values, so boxes overlap.
    let folder = Folder::with(
        "safe.csv",
        "sex,age\n*,[20-30]\n*,[20-30]\nf,\"{30, 40}\"\n",
    )
    .and("all.csv", "sex,age\nf,20\nm,30\nf,30\nf,40\nm,40\nf,50\n");
    let run = folder.run(
        "risk safe.csv -q sex,age --population all.csv --hierarchy age=suppress --hierarchy sex=suppress --json",
    );
    let found = run.ends_with(0).json();
    // Three people are 20 to 30; two women are 30 or 40.
    close(
        &found["journalist"]["average"],
        (2.0 / 3.0 + 1.0 / 2.0) / 3.0,
    );
    assert_eq!(found["journalist"]["highest"], 0.5);
}

#[test]
fn adult_has_the_figures_of_arx() {
    // See the tests of the core; here from the bundled file, as a sample of one in ten.
    let adult = data("adult/adult.csv");
    let columns =
        "sex,age,race,marital-status,education,native-country,workclass,occupation,salary-class";
    let run = Folder::new().run(&format!(
        "risk {adult} -q {columns} --population-size 301620 --json"
    ));
    let found = run.ends_with(0).json();
    close(&found["prosecutor"]["average"], 0.646_575_160_798_355_5);
    let shares = &found["uniques"]["population"]["shares"];
    let near = |share: &Value, expected: f64| {
        let share = share.as_f64().unwrap();
        assert!((share - expected).abs() < 1e-9, "{share}");
    };
    near(&shares["pitman"], 0.276_849_938_8);
    near(&shares["zayatz"], 0.320_740_239_3);
    near(&shares["snb"], 0.249_976_937_6);
}

#[test]
fn the_text_begins_with_the_answer() {
    let run = risk("-s disease --population all.csv").ends_with(0);
    assert_eq!(run.stdout, TEXT);
}

const TEXT: &str = "\
1 of 6 rows (16.7 %) are unique: whoever looks for one of these people finds them.

                                 file
  rows                           6
  classes                        3
  unique rows                    1 (16.7 %)
  prosecutor: highest risk       100.0 %
  prosecutor: average risk       50.0 %
  prosecutor: rows above 0.2     6 (100.0 %)
  journalist: highest risk       25.0 %
  journalist: average risk       14.7 %
  journalist: rows above 0.2     1 (16.7 %)
  k-map: fewest matching people  4
  delta-presence: in the file    25.0 % to 33.3 %
  marketer: share of rows found  50.0 %
  certain value of disease       4 (66.7 %)
  people in the population       20
  unique in it, by Pitman        -
  unique in it, by Zayatz        1 (4.1 %)
  unique in it, by SNB           0 (0.2 %)

no estimate by Pitman: the likelihood has no maximum: the sizes of classes are more even than the model allows
";

#[test]
fn columns_that_are_not_named_do_not_matter_and_rows_are_the_same_on_every_thread() {
    let one = risk("-s disease --threads 1 --json").ends_with(0);
    let four = risk("-s disease --threads 4 --json").ends_with(0);
    assert_eq!(one.stdout, four.stdout);
    let run = folder().run("risk people.csv --json").ends_with(2);
    assert_eq!(run.json()["error"]["code"], "no-quasi-identifiers");
}
