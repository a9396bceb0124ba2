//! The worked examples of A. Pilalidou, *Online Negotiation for Privacy Preserving Data Publishing*, University of
//! Ioannina, 2010, chapter 2: ten philosophers, and the first classes of Adult.

use crate::adult;
use incrowd_core::Error;
use incrowd_core::algorithms::{Algorithm, Optimal};
use incrowd_core::counts::{CountedTable, FrequencySet};
use incrowd_core::lattice::Node;
use incrowd_core::problem::{Guarantee, Proposal, Unwatched};
use incrowd_core::publish::{PublishedRows, Release, SuppressedRows, publish};
use incrowd_core::recode::ColumnRecoding;
use incrowd_testkit::bridge::classes_at;
use incrowd_testkit::oracle::{OracleMetric, OracleProblem, Promise};
use incrowd_testkit::tiny_problem;
use std::collections::BTreeMap;

/// Figure 2.1, without the names, which are not published.
const PHILOSOPHERS: &str = "\
39 Private          Hs-grad     40
38 Private          Hs-grad     50
37 Private          Hs-grad     40
38 Private          11th        45
28 Loc-gov          Bachelors   30
31 Federal-gov      Master      50
30 State-gov        Bachelors   60
32 Self-emp-not-inc Bachelors   50
35 Self-emp-inc     Prof-school 54
33 Self-emp-inc     Assoc-acd   40";

/// Figure 2.2: 3-anonymous at [1, 1, 3].
const FIGURE_2_2: &str = "\
37-41 Private  Without-post-secondary 40
37-41 Private  Without-post-secondary 50
37-41 Private  Without-post-secondary 40
37-41 Private  Without-post-secondary 45
27-31 Gov      Post-secondary         30
27-31 Gov      Post-secondary         50
27-31 Gov      Post-secondary         60
32-36 Self-emp Post-secondary         50
32-36 Self-emp Post-secondary         54
32-36 Self-emp Post-secondary         40";

/// Figure 2.4: 4-anonymous at [2, 2, 3].
const FIGURE_2_4: &str = "\
37-46 Worked Without-post-secondary 40
37-46 Worked Without-post-secondary 50
37-46 Worked Without-post-secondary 40
37-46 Worked Without-post-secondary 45
27-36 Worked Post-secondary         30
27-36 Worked Post-secondary         50
27-36 Worked Post-secondary         60
27-36 Worked Post-secondary         50
27-36 Worked Post-secondary         54
27-36 Worked Post-secondary         40";

/// The values of figure 2.1 with their ancestors in the hierarchies of figure 3.1 (those of `data/adult`), labeled
/// as chapter 2 does.
fn philosophers(k: usize) -> OracleProblem {
    tiny_problem("age work-class education | hours-per-week", PHILOSOPHERS)
        .with_hierarchy(
            "age",
            "28 27-31 27-36 17-36 *
             30 27-31 27-36 17-36 *
             31 27-31 27-36 17-36 *
             32 32-36 27-36 17-36 *
             33 32-36 27-36 17-36 *
             35 32-36 27-36 17-36 *
             37 37-41 37-46 37-56 *
             38 37-41 37-46 37-56 *
             39 37-41 37-46 37-56 *",
        )
        .with_hierarchy(
            "work-class",
            "Private          Private  Worked *
             Loc-gov          Gov      Worked *
             Federal-gov      Gov      Worked *
             State-gov        Gov      Worked *
             Self-emp-not-inc Self-emp Worked *
             Self-emp-inc     Self-emp Worked *",
        )
        .with_hierarchy(
            "education",
            "11th        Senior-secondary Secondary     Without-post-secondary *
             Hs-grad     Senior-secondary Secondary     Without-post-secondary *
             Assoc-acd   Assoc-acd        Associate     Post-secondary         *
             Bachelors   Bachelors        University    Post-secondary         *
             Prof-school Prof-school      University    Post-secondary         *
             Master      Master           Post-graduate Post-secondary         *",
        )
        .require(Promise::KAnonymity { k })
}

/// Publishes at the least height possible and checks the release, or the error.
fn with_lowest(oracle: &OracleProblem, check: impl FnOnce(Result<Release<'_>, Error>)) {
    let prepared = oracle.prepare().unwrap();
    let metric = prepared.metric(&OracleMetric::Height).unwrap();
    let problem = prepared.problem(&*metric);
    let proposal = Optimal.solve(&problem, &Unwatched);
    check(proposal.and_then(|proposal| publish(&problem, &proposal)));
}

/// Publishes at these levels and checks the release.
fn with_levels(oracle: &OracleProblem, levels: &[u8], check: impl FnOnce(Release<'_>)) {
    let prepared = oracle.prepare().unwrap();
    let metric = prepared.metric(&OracleMetric::Height).unwrap();
    let problem = prepared.problem(&*metric);
    let proposal = Proposal {
        recoding: ColumnRecoding::FullDomain(Node::from_levels(levels.iter().copied())).into(),
        guarantee: Guarantee::Heuristic,
        loss: None,
        nodes_checked: 0,
        steps: Vec::new(),
    };
    check(publish(&problem, &proposal).unwrap());
}

fn levels(release: &Release<'_>) -> Vec<u8> {
    release
        .node()
        .unwrap()
        .levels()
        .map(|level| level.0)
        .collect()
}

/// The published rows as lines of words.
fn published(oracle: &OracleProblem, release: &Release<'_>) -> Vec<Vec<String>> {
    let columns = &oracle.table.columns;
    let mut recoder = release.recoder(columns, &[], SuppressedRows::Drop).unwrap();
    let mut rows = PublishedRows::default();
    let all = oracle.table.batch(0..oracle.table.rows.len());
    recoder.recode(&all, &mut rows).unwrap();
    let rows = rows.rows();
    let cell = |row, column| String::from_utf8(rows.cell(row, column).to_vec()).unwrap();
    (0..rows.rows())
        .map(|row| (0..columns.len()).map(|column| cell(row, column)).collect())
        .collect()
}

fn lines(figure: &str) -> Vec<Vec<String>> {
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
    figure.lines().map(words).collect()
}

fn classes(table: &CountedTable, levels: &[u8]) -> FrequencySet {
    let node = Node::from_levels(levels.iter().copied());
    classes_at(table, &node, &[0])
}

/// The KA-histogram: of each class size the number of classes.
fn size_histogram(classes: &FrequencySet) -> Vec<(u32, u32)> {
    let mut histogram = BTreeMap::new();
    for &size in classes.sizes() {
        *histogram.entry(size).or_insert(0) += 1;
    }
    histogram.into_iter().collect()
}

/// The SLD-histogram: of each number of distinct sensitive values the classes and their rows.
fn diversity_histogram(classes: &FrequencySet) -> Vec<(usize, u32, u32)> {
    let mut histogram = BTreeMap::new();
    for (class, &size) in classes.sizes().iter().enumerate() {
        let distinct = classes.histograms(0).class(class).values.len();
        let (classes, rows) = histogram.entry(distinct).or_insert((0, 0));
        *classes += 1;
        *rows += size;
    }
    let triple = |(distinct, (classes, rows))| (distinct, classes, rows);
    histogram.into_iter().map(triple).collect()
}

#[test]
fn figure_2_2_is_the_3_anonymous_release_without_suppression_up_to_1_1_3() {
    let oracle = philosophers(3).up_to(&[1, 1, 3]);
    with_lowest(&oracle, |release| {
        let release = release.unwrap();
        assert_eq!(levels(&release), [1, 1, 3]);
        assert_eq!((release.rows_suppressed(), release.classes()), (0, 3));
        assert_eq!(published(&oracle, &release), lines(FIGURE_2_2));
    });
}

#[test]
fn figure_2_3_four_anonymity_up_to_1_1_3_costs_six_rows() {
    let oracle = philosophers(4).up_to(&[1, 1, 3]);
    with_lowest(&oracle, |release| {
        let six = Error::NoSolution {
            max_suppressed: 0,
            rows_suppressed_at_limit: 6,
            rows: 10,
            has_higher_levels: true,
        };
        assert_eq!(release.unwrap_err(), six);
    });
    let oracle = oracle.allow_suppressed(6);
    with_levels(&oracle, &[1, 1, 3], |release| {
        assert_eq!((release.rows_suppressed(), release.classes()), (6, 1));
        assert_eq!(published(&oracle, &release), lines(FIGURE_2_2)[..4]);
    });
}

/// The second alternative of section 2.1: "it only suffices to reduce k = 4 by one".
#[test]
fn the_largest_k_without_suppression_at_1_1_3_is_three() {
    with_levels(&philosophers(3), &[1, 1, 3], |release| {
        assert_eq!(release.reached()[0].worst, Some(3.0));
    });
}

#[test]
fn figure_2_4_is_the_4_anonymous_release_without_suppression_up_to_2_2_3() {
    let oracle = philosophers(4).up_to(&[2, 2, 3]);
    with_lowest(&oracle, |release| {
        let release = release.unwrap();
        assert_eq!(levels(&release), [2, 2, 3]);
        assert_eq!(
            (release.rows_suppressed(), release.smallest_class()),
            (0, 4)
        );
        assert_eq!(published(&oracle, &release), lines(FIGURE_2_4));
    });
}

#[test]
fn figure_2_6_two_classes_of_three_rows_and_one_of_four() {
    let table = philosophers(3).prepare().unwrap().table;
    let classes = classes(&table, &[1, 1, 3]);
    assert_eq!(size_histogram(&classes), [(3, 2), (4, 1)]);
}

#[test]
fn figure_2_7_three_distinct_hours_in_four_rows_and_five_in_six() {
    let table = philosophers(3).prepare().unwrap().table;
    let classes = classes(&table, &[2, 2, 3]);
    assert_eq!(diversity_histogram(&classes), [(3, 1, 4), (5, 1, 6)]);
}

#[test]
fn figure_2_8_the_first_ten_class_sizes_of_adult_by_age_workclass_and_race_at_1_1_0() {
    let table = adult::count(&["age", "workclass", "race"], &["hours-per-week"]);
    let histogram = size_histogram(&classes(&table, &[1, 1, 0]));
    let printed = [
        (1, 26, 0),
        (2, 16, 26),
        (3, 10, 58),
        (4, 5, 88),
        (5, 8, 108),
        (6, 6, 148),
        (7, 4, 184),
        (9, 5, 212),
        (10, 4, 257),
        (11, 1, 297),
    ];
    let mut rows_in_smaller = 0;
    for (&(size, classes), printed) in histogram.iter().zip(printed) {
        assert_eq!((size, classes, rows_in_smaller), printed);
        rows_in_smaller += size * classes;
    }
}
