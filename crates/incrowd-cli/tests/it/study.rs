//! The study: the tables of the paper, and pictures that can be read.

use crate::support::{Folder, PATIENTS, data};

fn adult() -> String {
    format!(
        "{} --hierarchies {} -s hours-per-week",
        data("adult/adult.csv"),
        data("adult/hierarchies")
    )
}

#[test]
fn suppression_by_height_is_that_of_the_paper() {
    let folder = Folder::new();
    let reference = std::fs::read_to_string(data("adult/reference/suppression_by_height.csv"));
    let reference = reference.unwrap();
    let mut compared = 0;
    for model in ["k-anonymity", "distinct-l-diversity"] {
        let of_model = || {
            let lines = reference.lines().map(|line| line.split(',').collect());
            lines.filter(|line: &Vec<&str>| line[0] == model && line[2] == "age workclass race")
        };
        let mut parameters: Vec<&str> = of_model().map(|line| line[1]).collect();
        parameters.dedup();
        let run = folder
            .run(&format!(
                "study {} -q age,workclass,race --privacy {model} --parameters {} --csv",
                adult(),
                parameters.join(",")
            ))
            .ends_with(0);
        let mut expected =
            String::from("model,parameter,quasi_identifiers,height,nodes,min,avg,max\n");
        for line in of_model() {
            expected += &line.join(",");
            expected.push('\n');
            compared += 1;
        }
        assert_eq!(run.stdout, expected);
    }
    assert!(compared >= 20, "only {compared} rows");
}

#[test]
fn the_importance_of_levels_is_that_of_the_paper() {
    let folder = Folder::new();
    let reference = std::fs::read_to_string(data("adult/reference/level_importance.csv")).unwrap();
    let mut attributes: Vec<&str> = reference
        .lines()
        .skip(1)
        .map(|line| line.split(',').next().unwrap())
        .collect();
    attributes.dedup();
    let run = folder
        .run(&format!(
            "study {} -q {} --parameters 3 --importance --csv",
            adult(),
            attributes.join(",")
        ))
        .ends_with(0);
    let (_, importance) = run.stdout.split_once("\n\n").unwrap();
    assert_eq!(importance, reference);
}

#[test]
fn the_json_has_the_rows_of_the_contract() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let flags = "-q age,sex,zip -s disease --privacy entropy-l-diversity --parameters 1.5,2";
    let found = folder
        .run(&format!("study patients.csv {flags} --importance --json"))
        .ends_with(0)
        .json();
    assert_eq!(found["version"], 1);
    let row = &found["rows"][0];
    assert_eq!(row["model"], "entropy-l-diversity");
    assert_eq!(row["parameter"], 1.5);
    assert_eq!(row["quasi_identifiers"][2], "zip");
    for field in ["height", "nodes", "min", "avg", "max"] {
        assert!(row[field].is_number(), "{row}");
    }
    let level = &found["importance"][0];
    assert_eq!(level["attribute"], "age");
    for field in ["level", "groups", "avg_group_size", "relative_importance"] {
        assert!(level[field].is_number(), "{level}");
    }
}

#[test]
fn pictures_are_whole_svg_and_hold_no_cells() {
    let folder = Folder::with("patients.csv", PATIENTS);
    let flags = "-q age,sex -s disease --parameters 2,3 --max-suppressed 10% --plot pictures";
    let run = folder
        .run(&format!("study patients.csv {flags}"))
        .ends_with(0);
    let names = [
        "k-anonymity-2-lattice.svg",
        "k-anonymity-3-lattice.svg",
        "k-anonymity-by-height.svg",
        "k-anonymity-curve.svg",
    ];
    assert_eq!(folder.list("pictures"), names);
    for name in names {
        assert!(run.stdout.contains(name), "{}", run.stdout);
        let svg = folder.read(&format!("pictures/{name}"));
        assert!(svg.starts_with("<svg xmlns="), "{name}");
        assert!(svg.ends_with("</svg>\n"), "{name}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
        for cell in ["Ann", "10115", "asthma"] {
            assert!(!svg.contains(cell), "{name}");
        }
    }
}

#[test]
fn a_study_that_cannot_be_meant_is_refused_and_nothing_is_written() {
    let folder = Folder::with("patients.csv", PATIENTS);
    for (flags, said) in [
        ("-q age,city", "no column `city`"),
        ("-q age --parameters 0", "cannot be `0`"),
        ("-q age --parameters three", "cannot be `three`"),
        ("-q age --parameters -1", "cannot be `-1`"),
        ("-q age --privacy t-closeness -s disease", "no parameters"),
        ("-q age --privacy nonsense", "no privacy model `nonsense`"),
        ("-q age --max-levels 99", "no level 99"),
        (
            "-q age --privacy distinct-l-diversity",
            "needs a sensitive column",
        ),
    ] {
        let run = folder
            .run(&format!("study patients.csv {flags} --plot pictures"))
            .ends_with(2);
        assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
        assert!(run.stderr.contains(said), "{flags}: {}", run.stderr);
        assert!(run.stderr.contains("\n  hint: "), "{}", run.stderr);
        assert_eq!(folder.list("."), ["patients.csv"], "{flags}");
    }
}
