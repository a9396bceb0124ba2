//! Table 4 of F. Ben Fredj, N. Lammari, I. Comyn-Wattiau, *Characterizing Generalization Algorithms: First Guidelines for
//! Data Publishers*: the properties of the nine classic algorithms come out of their cards.
//!
//! Cells of the table are merged, and the text we have of it does not say how far some of them reach. Where the text of the
//! paper settles it, we follow that; where our reading is a guess, the row says so. Where an implementation here is
//! different, the card says what is true of it, and [`DIFFERENCES`] says why.

use incrowd_core::algorithms::{self, Property};

const ALGORITHMS: [&str; 9] = [
    "samarati",
    "incognito",
    "datafly",
    "mu-argus",
    "bottom-up",
    "top-down",
    "mondrian",
    "mondrian-infogain",
    "mondrian-lsd",
];

/// The property, and the values of the algorithms as the paper has them.
type Row = (&'static str, [&'static str; 9]);

const TABLE_4: [Row; 13] = [
    // "Some algorithms, such as Incognito and Samarati, are restricted to small data sets."
    (
        "small-data",
        ["yes", "yes", "no", "no", "no", "no", "no", "no", "no"],
    ),
    // "NA" up to the median; "Verified" for the two that LeFevre et al. made for workloads.
    (
        "correlated",
        ["no", "no", "no", "no", "no", "no", "no", "yes", "yes"],
    ),
    // Our reading: the "Yes" ends where "NA" ends in the row of targets, which has the same shape.
    (
        "number-hierarchies",
        ["yes", "yes", "yes", "yes", "no", "no", "no", "no", "no"],
    ),
    // Sections 3.2 and 3.3 name MaxSup for Datafly and Samarati only.
    (
        "suppression",
        ["yes", "no", "yes", "no", "no", "no", "no", "no", "no"],
    ),
    // Sections 3.5 to 3.8.
    (
        "targets",
        [
            "none",
            "none",
            "none",
            "none",
            "one",
            "one",
            "none",
            "at-least-one",
            "at-least-one",
        ],
    ),
    // Section 3.1: the data holder chooses in mu-Argus.
    (
        "automation",
        [
            "automatic",
            "automatic",
            "automatic",
            "semi-automatic",
            "automatic",
            "automatic",
            "automatic",
            "automatic",
            "automatic",
        ],
    ),
    // "guided (Sweeney, 1998) or not (Samarati, 2001) by metrics". Our reading: the "Yes" from Datafly on ends before the
    // median.
    (
        "guided",
        ["no", "no", "yes", "yes", "yes", "yes", "no", "yes", "yes"],
    ),
    // Our reading: the "Yes" begins with the regions.
    (
        "heuristic",
        ["no", "no", "no", "no", "no", "no", "yes", "yes", "yes"],
    ),
    // "bottom up processes (Sweeney, 1998)", "top down processes (Fung, Wang and Yu, 2005)"; section 3.5 and 3.6 by name.
    (
        "direction",
        [
            "bottom-up",
            "bottom-up",
            "bottom-up",
            "bottom-up",
            "bottom-up",
            "top-down",
            "top-down",
            "top-down",
            "top-down",
        ],
    ),
    (
        "results",
        [
            "several", "several", "one", "one", "one", "one", "one", "one", "one",
        ],
    ),
    (
        "optimal",
        ["yes", "yes", "no", "no", "no", "no", "no", "no", "no"],
    ),
    (
        "generalization",
        [
            "full-domain",
            "full-domain",
            "full-domain",
            "full-domain",
            "cuts",
            "cuts",
            "regions",
            "regions",
            "regions",
        ],
    ),
    (
        "usage",
        [
            "any",
            "any",
            "any",
            "any",
            "classification",
            "classification",
            "any",
            "classification",
            "regression",
        ],
    ),
];

/// Where an algorithm here is not what the paper says, with the reason.
const DIFFERENCES: [(&str, &str, &str); 10] = [
    (
        "incognito",
        "suppression",
        "here it takes a suppression budget, as every full-domain search does",
    ),
    (
        "mu-argus",
        "suppression",
        "here whole rows are suppressed, within the budget, instead of single values",
    ),
    (
        "bottom-up",
        "suppression",
        "here it ends as soon as the rows that violate are within the budget",
    ),
    (
        "top-down",
        "suppression",
        "here a step is safe if the rows that violate stay within the budget",
    ),
    (
        "bottom-up",
        "number-hierarchies",
        "here it moves a cut through hierarchies, of numbers too; they are built if none are given",
    ),
    (
        "mondrian",
        "guided",
        "the summary takes one side after the other; here, as in the original, the widest side is cut first",
    ),
    (
        "datafly",
        "heuristic",
        "it follows one path; the text says of all that are not optimal that they are based on heuristics",
    ),
    (
        "mu-argus",
        "heuristic",
        "as datafly, with choices of a person or of a rule of thumb",
    ),
    ("bottom-up", "heuristic", "as datafly: greedy"),
    ("top-down", "heuristic", "as datafly: greedy"),
];

fn on_card(algorithm: &str, property: &str) -> &'static str {
    let algorithm = algorithms::find(algorithm).expect("it is one of ours");
    let property = Property::named(property).expect("it is on every card");
    property.of(&algorithm.entry().kind)
}

#[test]
fn table_4_comes_out_of_the_cards() {
    let mut found = Vec::new();
    for (property, values) in TABLE_4 {
        for (algorithm, in_paper) in ALGORITHMS.into_iter().zip(values) {
            if on_card(algorithm, property) != in_paper {
                found.push((algorithm, property));
            }
        }
    }
    let mut expected = DIFFERENCES
        .map(|(algorithm, property, _)| (algorithm, property))
        .to_vec();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
}

/// What differs is also said to users.
#[test]
fn every_difference_from_table_4_is_on_the_card() {
    for (algorithm, property, _) in DIFFERENCES {
        let entry = algorithms::find(algorithm).unwrap().entry();
        let card = entry.card.to_string().replace('\n', " ");
        let words = match property {
            "suppression" => "budget",
            "number-hierarchies" => "Numbers are generalized along a hierarchy",
            "guided" => "a measure guides it",
            // The guarantee says it.
            _ => "# Guarantee",
        };
        assert!(card.contains(words), "{algorithm}: {property}");
    }
}

/// The example on a card, run: six patients, of whom age and grade are published, and disease or days predicted.
mod examples {
    use incrowd_core::algorithms::ALGORITHMS;
    use incrowd_core::problem::{Settings, Unwatched};
    use incrowd_core::publish::{PublishedRows, SuppressedRows, publish};
    use incrowd_core::utility::MetricSpec;
    use incrowd_testkit::oracle::Promise;
    use incrowd_testkit::tiny_problem;

    const PATIENTS: &str = "\
19 10th Diabetes 3
19 9th  Cancer   4
27 9th  Flu      9
30 9th  Flu     10
23 11th Cancer   4
23 11th Cancer   5";

    #[test]
    fn the_example_on_every_card_is_what_the_algorithm_does() {
        let oracle = tiny_problem("age education | disease days", PATIENTS)
            .with_hierarchy(
                "age",
                "19 [19,23] *\n23 [19,23] *\n27 [27,30] *\n30 [27,30] *",
            )
            .with_hierarchy(
                "education",
                "9th Junior *\n10th Junior *\n11th Senior *\n12th Senior *",
            )
            .require(Promise::KAnonymity { k: 2 });
        let prepared = oracle.prepare().unwrap();
        for algorithm in ALGORITHMS {
            let entry = algorithm.entry();
            let text = entry.card.section("Example").unwrap().replace('\n', " ");
            let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
            let raw: Vec<String> = (oracle.table.rows.iter())
                .map(|row| format!("{} {}", row[0], row[1]))
                .collect();
            assert_eq!(quoted[..6], raw, "{}", entry.name);
            let metric: MetricSpec = algorithm.default_metric().parse().unwrap();
            let metric = metric.build(&prepared.table).unwrap();
            let problem = prepared.problem(&*metric).with_settings(Settings {
                own: entry.defaults(),
                targets: vec![usize::from(entry.name == "mondrian-lsd")],
                ..Settings::default()
            });
            let proposal = algorithm.solve(&problem, &Unwatched).unwrap();
            let release = publish(&problem, &proposal).unwrap();
            let columns = &oracle.table.columns;
            let mut recoder = release.recoder(columns, &[], SuppressedRows::Drop).unwrap();
            let mut rows = PublishedRows::default();
            recoder
                .recode(&oracle.table.batch(0..6), &mut rows)
                .unwrap();
            let rows = rows.rows();
            let cell = |row, column| String::from_utf8(rows.cell(row, column).to_vec()).unwrap();
            let published: Vec<String> = (0..6)
                .map(|row| format!("{} {}", cell(row, 0), cell(row, 1)))
                .collect();
            assert_eq!(quoted[6..12], published, "{}", entry.name);
        }
    }
}
