//! Promises about a population: kept by releases, checked in files, stated in certificates, refused where they do not fit.

use crate::support::{Folder, Run};
use serde_json::{Value, json};

/// Classes of three, two and one.
const PEOPLE: &str = "\
sex,zip,disease
f,10,flu
f,10,flu
f,10,cold
m,10,flu
m,10,cold
m,20,cold
";

/// Twenty-one people: ten, six and four of them match the classes above, and one lives where nobody of the table does.
fn everyone() -> String {
    let mut text = "zip,sex,other\n".to_owned();
    text += &"10,f,x\n".repeat(10);
    text += &"10,m,x\n".repeat(6);
    text += &"20,m,x\n".repeat(4);
    text + "30,f,x\n"
}

fn folder() -> Folder {
    Folder::with("people.csv", PEOPLE).and("all.csv", everyone())
}

const ROLES: &str = "-q sex,zip -s disease";
const POPULATION: &str = "--population all.csv";

/// Anonymizes the table above in a folder.
fn anonymize(folder: &Folder, arguments: &str) -> Run {
    folder.run(&format!(
        "anonymize people.csv {ROLES} --hierarchy sex=suppress --hierarchy zip=suppress {arguments}"
    ))
}

fn verify(folder: &Folder, arguments: &str) -> Run {
    folder.run(&format!(
        "verify safe.csv {ROLES} --hierarchy sex=suppress --hierarchy zip=suppress {arguments}"
    ))
}

#[test]
fn a_class_hides_among_the_people_of_the_population() {
    let folder = folder();
    let k_map = "--privacy k-map(k=4)";
    let run = anonymize(&folder, &format!("{k_map} {POPULATION} -o safe.csv --json"));
    let found = run.ends_with(0).json();
    // Four people match the smallest class, so nothing has to be generalized.
    assert_eq!(found["levels"], json!({"sex": 0, "zip": 0}));
    let promise = json!([{"model": "k-map(k=4)", "reached": 4, "holds": true}]);
    assert_eq!(found["privacy"], promise);
    let run = verify(
        &folder,
        &format!("{k_map} {POPULATION} --original people.csv --json"),
    );
    assert_eq!(run.ends_with(0).json()["privacy"], promise);
    // Without the original the population alone says what the texts stand for.
    let run = verify(&folder, &format!("{k_map} {POPULATION} --json"));
    assert_eq!(run.ends_with(0).json()["privacy"], promise);
    // One more is too much for these levels: whoever is in zip 10 is not told from zip 20 and 30.
    let more = "--privacy k-map(k=5)";
    verify(&folder, &format!("{more} {POPULATION}")).ends_with(1);
    let run = anonymize(&folder, &format!("{more} {POPULATION} -o safe.csv --json"));
    let found = run.ends_with(0).json();
    assert_ne!(found["levels"], json!({"sex": 0, "zip": 0}));
    // The table alone would have had to lose far more.
    let run = anonymize(&folder, "-k 5 --json").ends_with(0);
    assert_eq!(run.json()["levels"], json!({"sex": 1, "zip": 1}));
    verify(&folder, &format!("{more} {POPULATION} --json")).ends_with(0);
}

#[test]
fn presence_is_the_share_of_those_who_match() {
    let folder = folder();
    let max = "--privacy delta-presence(max=0.3)";
    // Three of ten, two of six, one of four: only the second is too much, and may be suppressed.
    let run = anonymize(
        &folder,
        &format!(
            "{max} {POPULATION} --max-suppressed 2 --metric discernibility -o safe.csv --json"
        ),
    );
    let found = run.ends_with(0).json();
    assert_eq!(found["privacy"][0]["holds"], true);
    let reached = found["privacy"][0]["reached"].as_f64().unwrap();
    assert!(reached <= 0.3, "{reached}");
    verify(&folder, &format!("{max} {POPULATION}")).ends_with(0);
    // Six of twenty-one altogether: nobody can be half certain to be missing.
    let run = anonymize(
        &folder,
        &format!("--privacy delta-presence(min=0.5,max=1) {POPULATION} --json"),
    );
    assert_eq!(run.ends_with(2).json()["error"]["code"], "no-solution");
    let both = "--privacy delta-presence(min=0.28,max=0.29)";
    let run = anonymize(&folder, &format!("{both} {POPULATION} --json")).ends_with(0);
    // 6/21 = 0.2857.
    assert_eq!(run.json()["levels"], json!({"sex": 1, "zip": 1}));
}

#[test]
fn every_kind_of_recoding_hides_rows_among_the_people() {
    let folder = folder();
    let algorithms = [
        "optimal",
        "top-down --target disease",
        "bottom-up --target disease",
        "partition",
        "mondrian",
        "finest",
        "ncp-cluster",
    ];
    // Four people match the smallest class as it is, so nothing has to be generalized; five only match more.
    for (k, reached) in [(4, 4), (5, 10)] {
        for algorithm in algorithms {
            let promise = format!("--privacy k-map(k={k}) {POPULATION}");
            let run = anonymize(
                &folder,
                &format!("{promise} --algorithm {algorithm} -o safe.csv --json"),
            );
            let found = run.ends_with(0).json();
            assert_eq!(found["privacy"][0]["holds"], true, "{algorithm}");
            let people = found["privacy"][0]["reached"].as_u64().unwrap();
            assert!(people >= k, "{algorithm}: {people}");
            if k == 4 && !algorithm.contains("down") {
                assert_eq!(people, reached, "{algorithm}");
                assert_eq!(folder.read("safe.csv"), PEOPLE, "{algorithm}");
            }
            let run = verify(&folder, &format!("{promise} --original people.csv --json"));
            let verified = run.ends_with(0).json();
            assert_eq!(verified["privacy"], found["privacy"], "{algorithm}");
        }
    }
}

#[test]
fn a_promise_about_people_is_negotiated() {
    let folder = folder();
    let levels = "--hierarchy sex=suppress --hierarchy zip=suppress";
    let negotiate = |arguments: &str| {
        let run = format!("negotiate people.csv {ROLES} {levels} {POPULATION} {arguments} --json");
        folder.run(&run)
    };
    // Four people match the smallest class as it is; five only match more.
    for way in ["--how full", "--how lazy", "--how partial-top"] {
        let found = negotiate(&format!("--privacy k-map(k=4) {way}"));
        found.ends_with(0);
        let found = negotiate(&format!("--privacy k-map(k=5) --max-levels 0,0 {way}"));
        let found = found.ends_with(1).json();
        assert!(found.to_string().contains("k-map(k=4)"), "{found}");
    }
    let code = |arguments: &str| {
        let run = negotiate(arguments).ends_with(2).json();
        run["error"]["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(code("--privacy average-risk(max=0.5)"), "not-negotiable");
    let alone = format!("negotiate people.csv {ROLES} --privacy k-map(k=2) --json");
    let found = folder.run(&alone).ends_with(2).json();
    assert_eq!(found["error"]["code"], "population-needed");
}

#[test]
fn releases_among_people_are_evaluated() {
    let folder = folder();
    // Zip 30 is in no row, but its hierarchy lists it.
    let levels = "--hierarchy sex=suppress --hierarchy zip=mask";
    let run = folder.run(&format!(
        "evaluate people.csv {ROLES} {levels} --target disease --privacy k-map(k=5) {POPULATION} --folds 2 --json"
    ));
    let found = run.ends_with(0).json();
    assert_eq!(found["rows_released"], 6, "{found}");
}

#[test]
fn a_certificate_states_the_population_and_is_checked_with_it() {
    let folder = folder();
    let job = "--privacy k-map(k=4) --population all.csv -o safe.csv --certificate c.json";
    anonymize(&folder, job).ends_with(0);
    let stated: Value = serde_json::from_str(&folder.read("c.json")).unwrap();
    assert_eq!(stated["request"]["population"]["rows"], 21);
    assert!(
        folder.read("c.txt").contains("21 people"),
        "{}",
        folder.read("c.txt")
    );
    let check = |arguments: &str| {
        let levels = "--hierarchy sex=suppress --hierarchy zip=suppress";
        folder.run(&format!(
            "verify safe.csv --certificate c.json {levels} {arguments} --json"
        ))
    };
    let found = check("--population all.csv --original people.csv")
        .ends_with(0)
        .json();
    assert_eq!(found["certificate"]["mismatches"], json!([]), "{found}");
    assert_eq!(found["safe"], true);
    // Without the population nothing is known of the promise.
    let found = check("").ends_with(0).json();
    assert_eq!(found["safe"], Value::Null);
    let unchecked = found["certificate"]["unchecked"].as_array().unwrap();
    let is_told = |it: &&Value| it["field"] == "reached.privacy[0]";
    let why = unchecked.iter().find(is_told).unwrap()["why"]
        .as_str()
        .unwrap();
    assert!(why.contains("--population"), "{why}");
    // Another population is not the one stated.
    std::fs::write(folder.path("other.csv"), everyone() + "20,m,x\n").unwrap();
    let found = check("--population other.csv").ends_with(1).json();
    let fields: Vec<&str> = (found["certificate"]["mismatches"]
        .as_array()
        .unwrap()
        .iter())
    .map(|it| it["field"].as_str().unwrap())
    .collect();
    assert!(fields.contains(&"request.population.rows"), "{fields:?}");
}

#[test]
fn promises_about_a_population_are_refused_where_they_do_not_fit() {
    let folder = folder().and("few.csv", "sex,zip\nf,10\nm,20\n");
    let code = |arguments: &str| {
        let run = anonymize(&folder, &format!("--privacy k-map(k=2) {arguments} --json"));
        run.ends_with(2).json()["error"]["code"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(code(""), "population-needed");
    assert_eq!(
        code("--population all.csv --algorithm mondrian --numbers mean"),
        "population-refused"
    );
    let match_any = "--population all.csv --missing-cells match-any";
    assert_eq!(code(match_any), "population-elsewhere");
    assert_eq!(code("--population few.csv"), "population-too-small");
    assert_eq!(code("--population none.csv"), "not-found");
    let reversed = "--privacy delta-presence(min=0.5,max=0.2) --population all.csv";
    assert_eq!(code(reversed), "parameter-out-of-range");
    let unused =
        format!("anonymize people.csv {ROLES} -k 2 --population all.csv -o safe.csv --json");
    let found = folder.run(&unused).ends_with(2).json();
    assert_eq!(found["error"]["code"], "population-unused");
    // The population is read, so it must not be written.
    assert_eq!(code("--population all.csv -o all.csv"), "overwrites-input");
    let evaluate = format!("evaluate people.csv {ROLES} --privacy k-map(k=2) --json");
    let found = folder.run(&evaluate).ends_with(2).json();
    assert_eq!(found["error"]["code"], "population-needed");
    let found = verify_code(&folder);
    assert_eq!(found, "population-needed");
}

fn verify_code(folder: &Folder) -> String {
    let run = folder.run(&format!(
        "verify people.csv {ROLES} --privacy k-map(k=2) --json"
    ));
    run.ends_with(2).json()["error"]["code"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn a_job_file_names_its_population_and_levels_are_chosen_for_both_tables() {
    let job = "\
[data]
path = \"people.csv\"
[columns]
quasi_identifiers = [\"sex\", \"zip\"]
sensitive = [\"disease\"]
[privacy]
models = [\"k-map(k=5)\"]
population = \"all.csv\"
[output]
path = \"safe.csv\"
";
    let folder = Folder::with("job/people.csv", PEOPLE)
        .and("job/all.csv", everyone())
        .and("job/job.toml", job);
    folder.run("anonymize --job job/job.toml").ends_with(0);
    let run = folder.run("verify --job job/job.toml --original job/people.csv --json");
    assert_eq!(run.ends_with(0).json()["safe"], true);
    let compare =
        folder.run("compare --job job/job.toml --algorithms optimal,datafly,mondrian --json");
    let found = compare.ends_with(0).json();
    assert_eq!(found["runs"].as_array().unwrap().len(), 3, "{found}");
}

/// `frequent` puts rare values into `other` on every level: few of them on a low one, more on a high one.
#[test]
fn a_label_on_several_levels_is_read_on_the_one_that_was_published() {
    let cities = [("a", 12), ("b", 8), ("c", 4), ("d", 1), ("e", 1)];
    let rows = |times: usize| -> String {
        let lines = |(city, rows): (&str, usize)| format!("{city},x\n").repeat(rows * times);
        cities.map(lines).concat()
    };
    let folder = Folder::with("t.csv", format!("city,ill\n{}", rows(1)))
        .and("p.csv", format!("city,z\n{}", rows(4)));
    let told = "--hierarchy city=frequent:3,1 --population p.csv";
    let run = folder.run(&format!(
        "anonymize t.csv -q city -s ill --privacy k-map(k=20) {told} -o safe.csv --certificate c.json --json"
    ));
    // On level 1, eight people are in `other`; on level 2, those of four cities.
    let found = run.ends_with(0).json();
    assert_eq!(found["levels"], json!({"city": 2}));
    assert_eq!(found["privacy"][0]["reached"], 48);
    for original in ["", "--original t.csv"] {
        let run = folder.run(&format!(
            "verify safe.csv --certificate c.json {told} {original} --json"
        ));
        let verified = run.ends_with(0).json();
        assert_eq!(verified["privacy"][0]["reached"], 48, "{original}");
    }
    // Without either, the file could be of the lower level, where fewer people match.
    let run = folder.run(&format!(
        "verify safe.csv -q city -s ill --privacy k-map(k=20) {told} --json"
    ));
    assert_eq!(run.ends_with(1).json()["privacy"][0]["reached"], 8);
}

#[test]
fn a_value_of_the_population_that_the_levels_lack_is_looked_for_there() {
    let folder = Folder::with("t.csv", "zip,ill\n1,x\n2,x\n")
        .and("p.csv", "zip\n1\n2\n3\n")
        .and("zip.csv", "1,*\n2,*\n");
    let run = folder.run(
        "anonymize t.csv -q zip -s ill --privacy k-map(k=2) --population p.csv --hierarchy zip=zip.csv --json",
    );
    let error = run.ends_with(2).json()["error"].to_string();
    assert!(
        error.contains("p.csv; hierarchy") && error.contains("--data p.csv"),
        "{error}"
    );
}

/// The levels of the table are made from its numbers, those of the population from others: an interval means the same to both.
#[test]
fn intervals_are_understood_by_a_population_that_has_other_bounds() {
    let people: String = (0..60)
        .map(|at| format!("{}\n", 21 + 3 * (at % 12)))
        .collect();
    let folder = Folder::with("safe.csv", "age,ill\n[20-39],x\n[20-39],x\n[20-39],x\n")
        .and("p.csv", format!("age\n{people}"));
    let run =
        folder.run("verify safe.csv -q age -s ill --privacy k-map(k=35) --population p.csv --json");
    // 21, 24, ..., 39: seven of twelve ages with five people each.
    let verified = run.ends_with(0).json();
    assert_eq!(verified["privacy"][0]["reached"], 35);
}
