//! A law about releases: each one that the program writes holds against its certificate, its original and its
//! hierarchies, and whoever has only the file counts the same.

use fastrand::Rng;
use incrowd_core::algorithms::ALGORITHMS;
use incrowd_job::{
    CertificateCheck, Control, Job, Outcome, Show, anonymize, verify, verify_certificate,
};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// What came of a random job.
enum Came {
    /// A release, which was checked.
    Released(Box<Outcome>),
    /// A refusal.
    Refused(String),
}

/// A random table and a job about it, written into a folder.
fn draw(seed: u64, algorithm: &str, folder: &Path) {
    let mut rng = Rng::with_seed(seed);
    let rows = rng.usize(2..40);
    let quasi_identifiers = rng.usize(1..=3);
    // Some algorithms classify a target, and cannot judge crowds that overlap.
    let needs_target =
        ["top-down", "bottom-up", "mondrian-infogain", "mondrian-lsd"].contains(&algorithm);
    let others: &[&str] = match (needs_target, rng.usize(0..5)) {
        (false, 0) => &[],
        (false, 1) => &["s"],
        (false, 2) => &["s", "u"],
        (false, 3) => &["w"],
        (true, 0..3) => &["c"],
        (true, 3) => &["s", "c"],
        _ => &["s", "c", "w"],
    };
    // Some tables are full of `*`, most have a few or none.
    let stars = [0, 0, 1, 4][rng.usize(0..4)];
    let gaps = [0, 0, 2][rng.usize(0..3)];
    let mut cell = |values: &[&str]| match rng.usize(0..10) {
        number if number < stars => "*".to_owned(),
        number if number < stars + gaps => ["", "?"][rng.usize(0..2)].to_owned(),
        _ => values[rng.usize(0..values.len()).min(rng.usize(0..values.len()))].to_owned(),
    };
    let names = ["town", "age", "sex"];
    let mut table = names[..quasi_identifiers].join(",");
    others
        .iter()
        .for_each(|name| write!(table, ",{name}").unwrap());
    table.push('\n');
    for _ in 0..rows {
        let mut cells = vec![
            cell(&["Bonn", "Cologne", "Essen", "Unna", "Soest"]),
            cell(&["21", "22", "34", "35", "47", "62"]),
            cell(&["F", "M"]),
        ];
        cells.truncate(quasi_identifiers);
        for name in others {
            cells.push(match *name {
                "s" | "u" => cell(&["flu", "cold", "HIV", "cough"]),
                "c" if algorithm == "mondrian-lsd" => cell(&["1", "-2.5", "7"]),
                "c" => cell(&["good", "bad"]),
                _ => cell(&["north", "south", "south"]),
            });
        }
        // A line without any text would be no row.
        if cells.iter().all(String::is_empty) {
            cells[0] = "Bonn".to_owned();
        }
        table += &cells.join(",");
        table.push('\n');
    }
    std::fs::write(folder.join("t.csv"), table).unwrap();
    std::fs::create_dir(folder.join("h")).unwrap();
    // Unna and Soest are not listed.
    let town = "value,land,any\nBonn,south,*\nCologne,south,*\nEssen,north,*\nDortmund,north,*\n";
    let is_listed = rng.bool();
    if is_listed {
        std::fs::write(folder.join("h/town.csv"), town).unwrap();
    }
    let has = |name: &str| others.contains(&name);
    let list = |names: &[&str]| {
        let quoted = names.iter().filter(|name| has(name));
        let quoted: Vec<String> = quoted.map(|name| format!("\"{name}\"")).collect();
        quoted.join(", ")
    };
    let mut job = "[data]\npath = \"t.csv\"\nmissing_tokens = [\"?\"]\nheader = true\n".to_owned();
    let missing = match rng.usize(0..3) {
        0 => "exclude-row",
        1 if !needs_target => "match-any",
        _ => "own-value",
    };
    let quoted: Vec<String> = (names[..quasi_identifiers].iter())
        .map(|name| format!("\"{name}\""))
        .collect();
    writeln!(job, "missing_cells = \"{missing}\"\n[columns]").unwrap();
    writeln!(job, "quasi_identifiers = [{}]", quoted.join(", ")).unwrap();
    writeln!(
        job,
        "sensitive = [{}]\ntarget = [{}]",
        list(&["s", "u"]),
        list(&["c"])
    )
    .unwrap();
    // Named, so that nothing is refused: what is written is what is at stake.
    writeln!(job, "keep = [{}]", list(&["s", "u", "c", "w"])).unwrap();
    writeln!(
        job,
        "unlisted = \"suppress\"\nhierarchies = \"h\"\n[hierarchies]"
    )
    .unwrap();
    if quasi_identifiers > 1 && stars + gaps == 0 && rng.bool() {
        writeln!(job, "age = \"interval:5,20\"").unwrap();
    }
    let k = [2, 2, 3, 5][rng.usize(0..4)];
    let mut models = format!("\"k-anonymity(k={k})\"");
    if has("s") {
        models += [
            "",
            ", \"distinct-l-diversity(l=2)\"",
            ", \"t-closeness(t=0.5)\"",
        ][rng.usize(0..3)];
    }
    let budget = ["0", "\"20%\"", "\"100%\""][rng.usize(0..3)];
    writeln!(
        job,
        "[privacy]\nmodels = [{models}]\nmax_suppressed = {budget}"
    )
    .unwrap();
    if budget == "\"100%\"" && rng.bool() {
        // Nothing may be generalized, so that much is suppressed, or all.
        writeln!(job, "max_levels = {:?}", vec![0; quasi_identifiers]).unwrap();
    }
    writeln!(job, "[search]\nalgorithm = \"{algorithm}\"\nthreads = 1").unwrap();
    if algorithm == "partition" {
        writeln!(
            job,
            "metric = \"{}\"",
            ["discernibility", "hdm"][rng.usize(0..2)]
        )
        .unwrap();
    }
    let suppressed = ["drop", "star"][rng.usize(0..2)];
    writeln!(
        job,
        "[output]\npath = \"o.csv\"\ncertificate = \"c.json\"\nsuppressed = \"{suppressed}\""
    )
    .unwrap();
    std::fs::write(folder.join("job.toml"), job).unwrap();
}

/// Runs a random job, and checks what it writes in every way there is.
fn run(seed: u64, algorithm: &str) -> Came {
    let folder = tempfile::tempdir().unwrap();
    draw(seed, algorithm, folder.path());
    let path = |name: &str| folder.path().join(name);
    let text = |name: &str| std::fs::read_to_string(path(name)).unwrap();
    let job = Job::load(&path("job.toml")).unwrap();
    let control = Control::default();
    let outcome = match anonymize(&job, Show::default(), &control) {
        Ok(outcome) => outcome,
        Err(error) => return Came::Refused(error.code().to_owned()),
    };
    let case = || {
        format!(
            "{algorithm}, seed {seed}\n{}\n{}\n{}",
            text("job.toml"),
            text("t.csv"),
            text("o.csv")
        )
    };
    let mut of_release = job.clone();
    of_release.data.path = Some(path("o.csv").to_str().unwrap().to_owned());
    let original = Some(path("t.csv").to_str().unwrap().to_owned());
    for with in ["the job and the table", "the table", "nothing"] {
        let check = CertificateCheck {
            certificate: path("c.json"),
            text: None,
            original: (with != "nothing").then(|| original.clone().unwrap()),
            job: (with == "the job and the table").then(|| job.clone()),
        };
        let found = verify_certificate(&of_release, &check, &control)
            .unwrap_or_else(|error| panic!("with {with}: {error}\n{}", case()));
        let checked = found.certificate.unwrap();
        assert_eq!(checked.mismatches, [], "with {with}: {}", case());
        assert!(
            checked.holds && found.safe != Some(false),
            "with {with}: {}",
            case()
        );
    }
    // Whoever has no certificate reaches the same numbers.
    for original in [None, original.as_deref()] {
        let found = verify(&of_release, original, &control)
            .unwrap_or_else(|error| panic!("{error}\n{}", case()));
        let against = found.against_original.as_ref();
        let violations = against.map_or(&[] as &[String], |against| &against.violations);
        assert_eq!(violations, [] as [String; 0], "{}", case());
        let compares = outcome
            .privacy
            .iter()
            .any(|it| it.model.contains("t-closeness"));
        assert!(
            found.safe == Some(true) || compares && original.is_none(),
            "{}",
            case()
        );
        assert_eq!(
            (
                found.rows,
                found.rows_starred,
                found.classes,
                found.smallest_class
            ),
            (
                outcome.rows_out,
                outcome.rows_starred,
                outcome.classes,
                outcome.smallest_class
            ),
            "{}",
            case()
        );
        if !compares {
            assert_eq!(found.privacy, outcome.privacy, "{}", case());
        }
        assert_eq!(found.exposed, outcome.exposed, "{}", case());
    }
    Came::Released(Box::new(outcome))
}

#[test]
fn every_release_written_holds_against_its_certificate_and_for_whoever_has_only_the_file() {
    let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
    for (at, algorithm) in (0..).zip(ALGORITHMS) {
        let name = algorithm.entry().name;
        let mut released = 0;
        let mut refused: BTreeMap<String, u32> = BTreeMap::new();
        // Tables of its own for each of them: few each, many together.
        for seed in 40 * at..40 * (at + 1) {
            let outcome = match run(seed, name) {
                Came::Released(outcome) => outcome,
                Came::Refused(code) => {
                    *refused.entry(code).or_default() += 1;
                    continue;
                }
            };
            released += 1;
            let nothing = outcome.rows_out == 0;
            let suppressed = outcome.rows_suppressed > 0;
            for (kind, is_it) in [
                ("nothing, all blank", nothing && !suppressed),
                ("nothing, rows suppressed", nothing && suppressed),
                ("some suppressed", !nothing && suppressed),
                ("all published", !nothing && !suppressed),
                ("blank beside others", !nothing && outcome.rows_blank > 0),
                ("blank and suppressed", suppressed && outcome.rows_blank > 0),
            ] {
                *kinds.entry(kind).or_default() += u32::from(is_it);
            }
        }
        assert!(released >= 12, "{name}: {released}, refused {refused:?}");
        let bugs = ["check-failed", "worker-lost", "input-changed"];
        let has_bug = bugs.iter().any(|bug| refused.contains_key(*bug));
        assert!(!has_bug, "{name}: {refused:?}");
    }
    // A law about nothing would hold as well.
    assert!(kinds.values().all(|&jobs| jobs >= 5), "{kinds:?}");
}
