//! A job takes its table from wherever rows come and leaves its release wherever they go; what it publishes is the same.

use incrowd_core::algorithms::properties::{
    Direction, GrowsWith, Optimum, Properties, Targets, Usage,
};
use incrowd_core::algorithms::{
    Algorithm, AlgorithmEntry, AlgorithmKind, DefaultBudget, Found, Generalization, Status,
};
use incrowd_core::counts::{CountedTable, LeafSet};
use incrowd_core::documented;
use incrowd_core::problem::{Guarantee, Meter, Problem, Proposal};
use incrowd_core::recode::{Labels, PublishedCells, PublishedColumn, PublishedNumbers, Recoding};
use incrowd_job::{
    Certificate, CertificateCheck, Control, Error, Job, MemoryTable, Show, anonymize, anonymize_by,
    anonymize_table, verify_certificate,
};
use std::any::Any;
use std::sync::Arc;

const COLUMNS: [&str; 4] = ["name", "age", "zip", "illness"];

fn patients() -> Vec<[String; 4]> {
    let patient = |row: usize| {
        [
            format!("Person {row}"),
            (30 + row * 7 % 20).to_string(),
            format!("4501{}", row % 4),
            ["flu", "cold", "asthma"][row * row % 7 % 3].to_owned(),
        ]
    };
    (0..60).map(patient).collect()
}

fn job() -> Job {
    Job::default()
        .identifying(["name"])
        .quasi_identifiers(["age", "zip"])
        .sensitive(["illness"])
        .hierarchy("age", "interval:5,10,20")
        .promise("k-anonymity(k=4)")
        .max_suppressed("5%")
        .unwrap()
}

#[test]
fn a_table_in_memory_is_published_as_the_same_table_in_a_file_is() {
    let (release, outcome) =
        anonymize_table(&job(), MemoryTable::new(COLUMNS, patients()).unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut text = COLUMNS.join(",") + "\n";
    for row in patients() {
        text += &(row.join(",") + "\n");
    }
    std::fs::write(folder.path().join("t.csv"), text).unwrap();
    for threads in [1, 3] {
        let mut job = job();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        job.data.path = Some(path("t.csv"));
        job.output.path = Some(path("o.csv"));
        job.search.threads = Some(threads);
        let of_file = anonymize(&job, Show::default(), &Control::default()).unwrap();
        let written = std::fs::read_to_string(folder.path().join("o.csv")).unwrap();
        let rows = release.rows().map(|row| row.join(",") + "\n");
        let expected = release.columns().join(",") + "\n" + &rows.collect::<String>();
        assert_eq!(written, expected);
        assert_eq!(of_file.metrics, outcome.metrics);
        assert_eq!(of_file.levels, outcome.levels);
    }
}

#[test]
fn a_column_without_a_role_is_an_error() {
    for forgotten in COLUMNS {
        let mut job = job();
        let lists = [
            &mut job.columns.identifying,
            &mut job.columns.quasi_identifiers,
            &mut job.columns.sensitive,
        ];
        for list in lists.into_iter().flatten() {
            list.retain(|column| column != forgotten);
        }
        let table = MemoryTable::new(COLUMNS, patients()).unwrap();
        let refused = anonymize_table(&job, table);
        assert!(matches!(refused, Err(Error::NoRole { .. })), "{forgotten}");
    }
    let table = MemoryTable::new(COLUMNS, patients()).unwrap();
    let mut unpromised = job();
    unpromised.privacy.models = None;
    assert!(anonymize_table(&unpromised, table).is_err());
}

#[test]
fn apostrophes_for_spreadsheets_are_refused_where_no_text_is_written() {
    let mut job = job();
    job.output.spreadsheet_safe = Some(true);
    let table = MemoryTable::new(COLUMNS, patients()).unwrap();
    let refused = anonymize_table(&job, table).unwrap_err();
    assert_eq!(refused.code(), "spreadsheet-needs-text");
}

#[test]
fn rows_of_a_table_in_memory_have_a_cell_for_each_column() {
    assert!(MemoryTable::new(["a", "b"], [vec!["1", "2"], vec!["3"]]).is_err());
    assert!(MemoryTable::new(["a", "a"], [["1", "2"]]).is_err());
}

documented! {
    /// Puts neighbors into boxes of their own.
    ///
    /// # Paper
    /// None: a shape that no algorithm of the program makes, to see that any shape can be published.
    #[derive(Debug)]
    pub struct Boxing;
}

static ENTRY: AlgorithmEntry = AlgorithmEntry {
    name: "boxing",
    card: Boxing::CARD,
    settings: &[],
    kind: AlgorithmKind {
        status: Status::Experimental,
        generalization: Generalization::Regions,
        default_budget: DefaultBudget::NoRows,
        choices: None,
        properties: Properties {
            effort: GrowsWith::Tuples,
            needs_correlated: false,
            needs_number_hierarchies: false,
            uses_budget: false,
            targets: Targets::None,
            is_guided: false,
            reads_metric: false,
            is_heuristic: true,
            direction: Direction::Neither,
            has_several_results: false,
            optimum: Optimum::None,
            overlaps: true,
            usage: Usage::Any,
        },
    },
};

/// For each column: texts, what they stand for, and the text of each tuple.
#[derive(Debug, PartialEq)]
struct Boxes(Vec<Side>);

type Side = (Vec<String>, Vec<LeafSet>, Vec<u32>);

impl Recoding for Boxes {
    fn name(&self) -> &'static str {
        "boxes"
    }

    fn columns<'a>(&'a self, _: &'a CountedTable) -> Vec<PublishedColumn<'a>> {
        let column = |(texts, covers, values): &'a Side| PublishedColumn {
            level: None,
            texts: texts.iter().map(String::as_str).collect(),
            cells: PublishedCells::ByTuple {
                values,
                covers,
                numbers: PublishedNumbers::Interval,
            },
        };
        self.0.iter().map(column).collect()
    }

    fn is_same(&self, other: &dyn Recoding) -> bool {
        (other as &dyn Any).downcast_ref() == Some(self)
    }
}

impl Algorithm for Boxing {
    fn entry(&self) -> &'static AlgorithmEntry {
        &ENTRY
    }

    fn search(&self, problem: &Problem<'_>, _: &Meter<'_>) -> Result<Found, incrowd_core::Error> {
        let (table, enough) = (problem.table, problem.smallest_safe());
        let mut ends = Vec::new();
        let mut rows = 0;
        let mut left = table.rows;
        for &size in table.tuples.sizes() {
            (rows, left) = (rows + size, left - size);
            let is_end = rows >= enough && (left == 0 || left >= enough);
            ends.push(is_end);
            rows *= u32::from(!is_end);
        }
        let sides = (0..table.attributes.len()).map(|attribute| {
            let labels = Labels::new(&table.attributes[attribute]);
            let (mut texts, mut covers, mut values) = (Vec::new(), Vec::new(), Vec::new());
            let mut members: Vec<u32> = Vec::new();
            for (tuple, &is_end) in ends.iter().enumerate() {
                members.push(table.leaf(tuple, attribute).0);
                if is_end {
                    let cover = labels.order().set(members.iter().copied());
                    let text = labels.write(&cover);
                    let value = texts.iter().position(|other| *other == text);
                    let value = value.unwrap_or_else(|| {
                        texts.push(text);
                        covers.push(cover);
                        texts.len() - 1
                    });
                    values.extend(members.drain(..).map(|_| value as u32));
                }
            }
            (texts, covers, values)
        });
        Ok(Found::from(Proposal {
            recoding: Arc::new(Boxes(sides.collect())),
            guarantee: Guarantee::Heuristic,
            loss: None,
            nodes_checked: 0,
            steps: Vec::new(),
        }))
    }
}

#[test]
fn boxes_are_published_certified_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut text = COLUMNS.join(",") + "\n";
    for row in patients() {
        text += &(row.join(",") + "\n");
    }
    std::fs::write(path("t.csv"), text).unwrap();
    let mut releases = Vec::new();
    for threads in [1, 2, 3, 8] {
        let mut job = job();
        job.data.path = Some(path("t.csv"));
        job.output.path = Some(path("o.csv"));
        job.output.certificate = Some(path("c.json").into());
        job.search.threads = Some(threads);
        let outcome = anonymize_by(&job, &Boxing, Show::default(), &Control::default()).unwrap();
        assert_eq!((outcome.recoding.as_str(), outcome.levels), ("boxes", None));
        assert_eq!((outcome.rows_in, outcome.rows_suppressed), (60, 0));
        assert!(outcome.smallest_class >= 4 && outcome.classes > 5);
        assert!(outcome.privacy.iter().all(|promise| promise.holds));
        assert!(outcome.metrics["ncp"] > 0.0 && outcome.metrics["ncp"] < 1.0);
        releases.push(std::fs::read_to_string(path("o.csv")).unwrap());
    }
    releases.dedup();
    assert_eq!(releases.len(), 1, "whatever the threads");

    let certificate = std::fs::read_to_string(path("c.json")).unwrap();
    let certificate: Certificate = serde_json::from_str(&certificate).unwrap();
    assert_eq!(certificate.reached.recoding, "boxes");
    let mut of_file = Job::default().hierarchy("age", "interval:5,10,20");
    of_file.data.path = Some(path("o.csv"));
    let check = CertificateCheck {
        certificate: path("c.json").into(),
        text: None,
        original: Some(path("t.csv")),
        job: None,
    };
    let verified = verify_certificate(&of_file, &check, &Control::default()).unwrap();
    assert_eq!(verified.safe, Some(true), "{verified:?}");
    assert!(verified.certificate.unwrap().mismatches.is_empty());
}

/// The example of the crate runs as a documentation test; the readme shows the same.
#[test]
fn the_readme_shows_the_example_that_runs() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/");
    let read = |path: &str| std::fs::read_to_string(format!("{root}{path}")).unwrap();
    let (documentation, readme) = (read("src/lib.rs"), read("../../README.md"));
    let example: Vec<&str> = documentation
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .skip_while(|line| *line != "```")
        .skip(1)
        .take_while(|line| *line != "```")
        .filter(|line| !line.starts_with("# "))
        .collect();
    assert!(example.len() <= 15, "{} lines", example.len());
    let shown: Vec<&str> = readme
        .lines()
        .skip_while(|line| *line != "```rust")
        .skip(1)
        .take_while(|line| *line != "```")
        .collect();
    assert_eq!(shown, example);
}
