//! Recodings that do not keep to levels: judged, measured, written and read back like any other.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use fastrand::Rng;
use incrowd_core::Error;
use incrowd_core::counts::CountedTable;
use incrowd_core::privacy::MODELS;
use incrowd_core::problem::{Assessor, Guarantee, Problem, Proposal};
use incrowd_core::publish::{
    PublishedRows, Release, SuppressedRows, Violation, compare_with_original, publish, verify,
};
use incrowd_core::recode::{Grouping, Recoding};
use incrowd_core::utility::METRICS;
use incrowd_testkit::oracle::{MissingPolicy, OracleProblem, Promise, almost_equal};
use incrowd_testkit::random::{random_metric, random_model, random_problem};
use incrowd_testkit::tiny_problem;
use std::collections::BTreeMap;

/// A group for every leaf of every attribute, drawn at random. Missing cells that match any value stay alone, or
/// everything is one group.
fn random_groups(table: &CountedTable, oracle: &OracleProblem, rng: &mut Rng) -> Vec<Vec<u32>> {
    let groups = |leaves: usize, missing: Option<u32>, rng: &mut Rng| -> Vec<u32> {
        let most = rng.u32(1..=leaves as u32);
        let mut groups: Vec<u32> = (0..leaves).map(|_| rng.u32(0..most)).collect();
        let is_split = groups.iter().any(|group| *group != groups[0]);
        let stays_alone = is_split && oracle.missing == MissingPolicy::MatchAny;
        if let Some(missing) = missing.filter(|_| stays_alone) {
            groups[missing as usize] = most;
        }
        groups
    };
    (table.attributes.iter())
        .map(|attribute| groups(attribute.hierarchy.leaves(), attribute.missing, rng))
        .collect()
}

fn groupings(table: &CountedTable, groups: &[Vec<u32>]) -> Vec<Grouping> {
    (table.attributes.iter().zip(groups))
        .map(|(attribute, groups)| Grouping::new(attribute, groups))
        .collect()
}

/// The same groups as level 1 of hierarchies of their own, for the oracle.
fn as_hierarchies(
    oracle: &OracleProblem,
    table: &CountedTable,
    groups: &[Vec<u32>],
) -> OracleProblem {
    let mut derived = oracle.clone();
    for ((_, ways_up), (attribute, groups)) in
        (derived.quasi_identifiers.iter_mut()).zip(table.attributes.iter().zip(groups))
    {
        *ways_up = (0..attribute.hierarchy.leaves() as u32)
            .map(|leaf| {
                let value = attribute.hierarchy.label(0, leaf).to_owned();
                vec![value, format!("g{}", groups[leaf as usize]), "*".into()]
            })
            .collect();
    }
    derived.max_levels = vec![2; groups.len()];
    derived
}

fn proposal(recoding: Recoding) -> Proposal {
    Proposal {
        recoding,
        guarantee: Guarantee::Heuristic,
        nodes_checked: 0,
        steps: Vec::new(),
    }
}

fn published_rows(release: &Release<'_>, oracle: &OracleProblem) -> PublishedRows {
    let mut recoder = release
        .recoder(&oracle.table.columns, &[], SuppressedRows::Drop)
        .unwrap();
    let mut published = PublishedRows::default();
    let rows = oracle.table.batch(0..oracle.table.rows.len());
    recoder.recode(&rows, &mut published).unwrap();
    release.confirm(recoder.tally()).unwrap();
    published
}

#[test]
fn groups_of_any_making_are_judged_measured_and_published_as_the_oracle_says() {
    let mut releases = 0;
    for seed in 0..400 {
        let rng = &mut Rng::with_seed(seed);
        let mut oracle = random_problem(seed);
        let entry = &MODELS[seed as usize % MODELS.len()];
        let model = random_model(entry.name, &oracle, rng);
        oracle.models.extend(model);
        if rng.bool() {
            oracle.max_suppressed = oracle.table.rows.len();
        }
        let prepared = oracle.prepare().unwrap();
        let table = &prepared.table;
        oracle.max_levels = table.lattice().top().levels().collect();
        let prepared = oracle.prepare().unwrap();
        let table = &prepared.table;
        let groups = random_groups(table, &oracle, rng);
        let derived = as_hierarchies(&oracle, table, &groups);
        let judged = derived.judge(&vec![1; groups.len()]);
        let recoding = Recoding::Partitions(groupings(table, &groups));
        for entry in METRICS {
            let Some(metric) = random_metric(entry.name, &derived, rng) else {
                continue;
            };
            let case = format!("seed {seed}, {}", metric.spec());
            let built = prepared.metric(&metric).unwrap();
            let problem = prepared.problem(&*built);
            let assessed = Assessor::new(&problem).assess_recoding(&recoding);
            assert_eq!(
                assessed.rows_suppressed as usize,
                judged.rows_suppressed(),
                "{case}"
            );
            assert_eq!(assessed.loss.is_some(), judged.is_feasible(), "{case}");
            // These two count levels, which the oracle's hierarchies do not share.
            let knows_levels = matches!(entry.name, "height" | "precision");
            if let Some(loss) = assessed.loss.filter(|_| !knows_levels) {
                let expected = judged.loss(&metric);
                assert!(
                    almost_equal(loss.0, expected),
                    "{case}: {} is not {expected}",
                    loss.0
                );
            }
            let release = publish(&problem, &proposal(recoding.clone()));
            if !judged.is_feasible() {
                assert!(matches!(release, Err(Error::CheckFailed { .. })), "{case}");
                continue;
            }
            let release = release.expect(&case);
            releases += 1;
            check_release(&release, &oracle, &judged.published_classes(), &case);
        }
    }
    assert!(releases > 1000, "{releases} releases were looked at");
}

/// Counts the published texts: the classes are those expected, and reading the file back finds nothing wrong.
fn check_release(
    release: &Release<'_>,
    oracle: &OracleProblem,
    expected: &[Vec<usize>],
    case: &str,
) {
    let published = published_rows(release, oracle);
    let rows = published.rows();
    let positions: Vec<usize> = (oracle.quasi_identifiers.iter())
        .map(|(column, _)| oracle.table.position(column))
        .collect();
    let mut classes: BTreeMap<Vec<&[u8]>, usize> = BTreeMap::new();
    for row in 0..rows.rows() {
        let look = positions.iter().map(|&at| rows.cell(row, at)).collect();
        *classes.entry(look).or_default() += 1;
    }
    let mut sizes: Vec<usize> = classes.into_values().collect();
    let mut expected: Vec<usize> = expected.iter().map(Vec::len).collect();
    sizes.sort_unstable();
    expected.sort_unstable();
    assert_eq!(sizes, expected, "{case}: the texts tell classes apart");
}

#[test]
fn the_text_of_a_group_says_which_values_it_stands_for() {
    let problem = tiny_problem("age zip", "1 a\n2 b\n3 c\n10 d\n-5 e").with_hierarchy(
        "zip",
        "a north *\nb north *\nc south *\nd south *\ne south *",
    );
    let prepared = problem.prepare().unwrap();
    let labels = |attribute: usize, together: &[&str]| -> Vec<String> {
        let attribute = &prepared.table.attributes[attribute];
        let alone = attribute.hierarchy.leaves() as u32;
        let groups: Vec<u32> = (0..alone)
            .map(
                |leaf| match together.contains(&attribute.hierarchy.label(0, leaf)) {
                    true => alone,
                    false => leaf,
                },
            )
            .collect();
        let grouping = Grouping::new(attribute, &groups);
        grouping.labels().map(str::to_owned).collect()
    };
    // Leaves are listed as text: -5, 1, 10, 2, 3.
    assert_eq!(labels(0, &["1", "2"]), ["-5", "[1-2]", "10", "3"]);
    assert_eq!(labels(0, &["-5", "1", "2", "3"]), ["[-5-3]", "10"]);
    assert_eq!(labels(0, &["1", "3"]), ["-5", "{1, 3}", "10", "2"]);
    assert_eq!(labels(0, &["-5", "1", "2", "3", "10"]), ["*"]);
    assert_eq!(labels(1, &["a", "b"]), ["north", "c", "d", "e"]);
    assert_eq!(labels(1, &["b", "c"]), ["a", "{b, c}", "d", "e"]);
}

#[test]
fn a_label_that_means_another_group_is_not_used() {
    // `x` is a value and also the group of `a` alone; `{a, x}` is a value that looks like a set.
    let problem =
        tiny_problem("q", "a\nx\n{a,x}\nb").with_hierarchy("q", "a x *\nx y *\n{a,x} z *\nb z *");
    let prepared = problem.prepare().unwrap();
    let attribute = &prepared.table.attributes[0];
    let grouping = Grouping::new(attribute, &[0, 1, 2, 3]);
    let labels: Vec<&str> = grouping.labels().collect();
    assert_eq!(labels, ["a", "y", "{a,x}", "b"]);
    let grouping = Grouping::new(attribute, &[0, 0, 1, 1]);
    let labels: Vec<&str> = grouping.labels().collect();
    assert_eq!(labels, ["{a, x}", "z"]);
}

/// Values that are hard to write into a set and get back.
const NASTY: &[&str] = &[
    "", "*", "a", "b", ",", ", ", "a, b", "\"", "\"a\"", "{", "}", "{a}", "[1-2]", "1", "2", "-1",
    "1-2", "-", "[", " a", "a ", "é", "{a, b}", "\"\", a",
];

#[test]
fn every_group_is_read_back_from_its_text_whatever_the_values_look_like() {
    for seed in 0..500 {
        let rng = &mut Rng::with_seed(seed);
        let mut values: Vec<&str> = NASTY.to_vec();
        rng.shuffle(&mut values);
        values.truncate(rng.usize(1..=NASTY.len()));
        let middle = |rng: &mut Rng| ["n", "s", "{a, b}", "a", "[1-2]"][rng.usize(0..5)];
        let ways_up = (values.iter())
            .map(|value| vec![(*value).to_owned(), middle(rng).to_owned(), "*".to_owned()])
            .collect();
        let mut oracle = tiny_problem("q", "1");
        oracle.table.rows = (values.iter())
            .map(|value| vec![(*value).to_owned()])
            .collect();
        oracle.quasi_identifiers[0].1 = ways_up;
        oracle.max_levels = vec![2];
        let prepared = oracle.prepare().unwrap();
        let built = "loss".parse::<incrowd_core::utility::MetricSpec>().unwrap();
        let built = built.build(&prepared.table).unwrap();
        let problem = Problem {
            max_suppressed: 0,
            ..prepared.problem(&*built)
        };
        let most = rng.u32(1..=values.len() as u32);
        let groups: Vec<u32> = (0..values.len()).map(|_| rng.u32(0..most)).collect();
        let recoding = Recoding::Partitions(groupings(&prepared.table, &[groups]));
        // The check reads every label back; a text that is taken twice is refused, never published.
        match publish(&problem, &proposal(recoding)) {
            Ok(release) => {
                let published = published_rows(&release, &oracle);
                assert_eq!(published.rows().rows(), values.len());
            }
            Err(error) => {
                let is_taken = values.contains(&"{a, b}") || values.contains(&"{a}");
                assert!(is_taken || middle_is_set(&oracle), "seed {seed}: {error}");
            }
        }
    }
}

fn middle_is_set(oracle: &OracleProblem) -> bool {
    let ways_up = &oracle.quasi_identifiers[0].1;
    ways_up.iter().any(|way| way[1].starts_with('{'))
}

#[test]
fn a_group_that_reaches_above_the_acceptable_level_is_refused() {
    let mut oracle = tiny_problem("q", "a\nb\nc").with_hierarchy("q", "a n *\nb n *\nc s *");
    oracle.max_levels = vec![1];
    let prepared = oracle.prepare().unwrap();
    let metric = "loss".parse::<incrowd_core::utility::MetricSpec>().unwrap();
    let metric = metric.build(&prepared.table).unwrap();
    let problem = prepared.problem(&*metric);
    let publish_groups = |groups: &[u32]| {
        let recoding = Recoding::Cuts(groupings(&prepared.table, &[groups.to_vec()]));
        publish(&problem, &proposal(recoding)).map(|_| ())
    };
    assert_eq!(publish_groups(&[0, 0, 1]), Ok(()));
    assert!(publish_groups(&[0, 1, 1]).is_err());
}

#[test]
fn a_release_of_groups_is_compared_with_its_original_by_what_its_texts_stand_for() {
    let oracle = tiny_problem("age | ill", "1 flu\n2 flu\n3 cold\n4 cold\n5 flu\n9 cold")
        .require(Promise::KAnonymity { k: 2 });
    let prepared = oracle.prepare().unwrap();
    let compare = |rows: &str| {
        let published = tiny_problem("age | ill", rows).prepare().unwrap();
        let verified = verify(&published.table, &prepared.models);
        (
            verified.is_safe(),
            compare_with_original(&published.table, &prepared.table),
        )
    };
    let (is_safe, compared) = compare("[1-2] flu\n[1-2] flu\n[3-5] cold\n[3-5] cold\n[3-5] flu");
    assert!(is_safe);
    assert_eq!(compared.violations, []);
    assert_eq!((compared.levels, compared.rows_suppressed), (None, 1));
    let (_, compared) = compare("[1-2] flu\n[1-2] cold");
    assert_eq!(compared.rows_invented, 1);
    let (_, compared) = compare("[1-2] flu\n[2-3] cold");
    let column = "age".to_owned();
    assert_eq!(
        compared.violations,
        [Violation::OverlappingValues { column }]
    );
    let (_, compared) = compare("[1-2] flu\n[1-7] cold");
    assert!(matches!(
        compared.violations[..],
        [Violation::UnknownValues { values: 1, .. }]
    ));
}

/// Level 1 has all three texts, and there `other` is `a` and `b` only.
#[test]
fn a_text_that_two_levels_have_is_read_as_the_release_means_it() {
    let rows = "a flu\nb flu\nc flu\nd cold\ne cold";
    let ways_up = "a other other *\nb other other *\nc c other *\nd d de *\ne e de *";
    let oracle = tiny_problem("q | ill", rows).with_hierarchy("q", ways_up);
    let prepared = oracle.prepare().unwrap();
    let attribute = &prepared.table.attributes[0];
    let grouping = Grouping::new(attribute, &[0, 0, 0, 1, 2]);
    let labels: Vec<&str> = grouping.labels().collect();
    assert_eq!(labels, ["other", "d", "e"]);
    let compare = |rows: &str| {
        let published = tiny_problem("q | ill", rows).prepare().unwrap();
        compare_with_original(&published.table, &prepared.table)
    };
    let compared = compare("other flu\nother flu\nother flu\nd cold\ne cold");
    assert_eq!((compared.violations, compared.levels), (Vec::new(), None));
    let compared = compare("other flu\nother flu\nc flu\nd cold\ne cold");
    assert_eq!(
        (compared.violations, compared.levels),
        (Vec::new(), Some(vec![1]))
    );
    let compared = compare("other flu\nother flu\nother flu\nother flu\nd cold");
    assert_eq!(compared.rows_invented, 2);
}
