//! Recodings that do not keep to levels: judged, measured, written and read back like any other.

use fastrand::Rng;
use incrowd_core::Error;
use incrowd_core::algorithms::partition::{CoarseSteps, PartitionSettings, Scheme};
use incrowd_core::algorithms::{ALGORITHMS, Account, Solved};
use incrowd_core::counts::CountedTable;
use incrowd_core::hierarchy::{ExtraLeaf, Hierarchy, Leaf};
use incrowd_core::lattice::Level;
use incrowd_core::privacy::MODELS;
use incrowd_core::problem::{Assessor, Guarantee, Proposal, Unwatched};
use incrowd_core::publish::{
    PublishedRows, Release, SuppressedRows, Violation, compare_with_original, publish, verify,
};
use incrowd_core::recode::{ColumnRecoding, Grouping, PublishedNumbers};
use incrowd_core::table::{Decimal, Kind};
use incrowd_core::utility::{Loss, METRICS};
use incrowd_testkit::oracle::{MissingPolicy, OracleMetric, OracleProblem, Promise, almost_equal};
use incrowd_testkit::random::{partition_problem, random_metric, random_model, random_problem};
use incrowd_testkit::tiny_problem;
use std::collections::{BTreeMap, BTreeSet};

/// A group for every leaf of every attribute, drawn at random. Missing cells that match any value stay alone, or
/// everything is one group.
fn random_groups(table: &CountedTable, oracle: &OracleProblem, rng: &mut Rng) -> Vec<Vec<u32>> {
    let groups = |leaves: usize, missing: Option<Leaf>, rng: &mut Rng| -> Vec<u32> {
        let most = rng.u32(1..=leaves as u32);
        let mut groups: Vec<u32> = (0..leaves).map(|_| rng.u32(0..most)).collect();
        let is_split = groups.iter().any(|group| *group != groups[0]);
        let stays_alone = is_split && oracle.missing == MissingPolicy::MatchAny;
        if let Some(missing) = missing.filter(|_| stays_alone) {
            groups[missing.index()] = most;
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
                let value = attribute.hierarchy.text(Leaf(leaf)).to_owned();
                vec![value, format!("g{}", groups[leaf as usize]), "*".into()]
            })
            .collect();
    }
    derived.max_levels = vec![2; groups.len()];
    derived
}

fn proposal(recoding: ColumnRecoding) -> Proposal {
    Proposal {
        recoding: recoding.into(),
        guarantee: Guarantee::Heuristic,
        loss: None,
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
        oracle.max_levels = table
            .lattice()
            .top()
            .levels()
            .map(|level| level.0)
            .collect();
        let prepared = oracle.prepare().unwrap();
        let table = &prepared.table;
        let groups = random_groups(table, &oracle, rng);
        let derived = as_hierarchies(&oracle, table, &groups);
        let judged = derived.judge(&vec![1; groups.len()]);
        let recoding = ColumnRecoding::Partitions(groupings(table, &groups));
        for entry in METRICS {
            let Some(metric) = random_metric(entry.name, &derived, rng) else {
                continue;
            };
            let metric = metric.without_level_values();
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

/// What a release costs by definition: the oracle sees only which values are published alike.
fn loss_by_definition(
    oracle: &OracleProblem,
    table: &CountedTable,
    proposal: &Proposal,
    metric: &OracleMetric,
) -> Option<f64> {
    if let Some(node) = proposal.recoding.node() {
        let levels: Vec<u8> = node.levels().map(|level| level.0).collect();
        return Some(oracle.judge(&levels).loss(metric));
    }
    // These two count levels, which the oracle's hierarchies do not share.
    if matches!(metric.name(), "height" | "precision") {
        return None;
    }
    let shown = proposal.recoding.by_columns().unwrap().attributes(table);
    let groups: Vec<Vec<u32>> = (shown.iter())
        .map(|shown| shown.groups_of_leaves().to_vec())
        .collect();
    let derived = as_hierarchies(oracle, table, &groups);
    Some(derived.judge(&vec![1; groups.len()]).loss(metric))
}

#[test]
fn what_a_search_says_its_answer_costs_is_what_the_release_costs() {
    let mut claims: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..250 {
        let rng = &mut Rng::with_seed(!seed);
        let oracle = partition_problem(seed);
        let prepared = oracle.prepare().unwrap();
        for entry in METRICS {
            let Some(metric) = random_metric(entry.name, &oracle, rng) else {
                continue;
            };
            let metric = metric.without_level_values();
            let built = prepared.metric(&metric).unwrap();
            let mut problem = prepared.problem(&*built);
            let mut coarse = Vec::new();
            for (attribute, cap) in problem.table.attributes.iter().zip(&oracle.max_levels) {
                let is_number = attribute.kind == Kind::Number;
                if is_number && *cap == attribute.hierarchy.height().0 && rng.bool() {
                    coarse.push(CoarseSteps {
                        column: attribute.name.clone(),
                        width: Decimal::new(rng.i64(1..9), 0).unwrap(),
                        origin: Decimal::new(rng.i64(0..9), 0).unwrap(),
                    });
                }
            }
            problem.settings.own = PartitionSettings {
                scheme: Some(Scheme::ALL[rng.usize(0..6)]),
                coarse,
                ..PartitionSettings::default()
            }
            .given();
            for algorithm in ALGORITHMS {
                let name = algorithm.entry().name;
                let case = format!("seed {seed}, {}, {name}", metric.spec());
                let solved = algorithm.solve_accounted(&problem, &Unwatched);
                let Ok(Solved {
                    proposal, account, ..
                }) = solved
                else {
                    continue;
                };
                publish(&problem, &proposal).expect(&case);
                let Some(claimed) = proposal.loss else {
                    assert_eq!(proposal.guarantee, Guarantee::Heuristic, "{case}");
                    continue;
                };
                *claims.entry(name).or_default() += 1;
                let measured = loss_by_definition(&oracle, problem.table, &proposal, &metric);
                if let Some(measured) = measured {
                    assert!(
                        almost_equal(claimed.0, measured),
                        "{case}: {claimed:?} is {measured}"
                    );
                }
                if let Some(Account::Partitions(account)) = account {
                    assert_eq!(account.cost, claimed.0, "{case}");
                    let visited = account.counts.nodes_visited as f64;
                    let choices = account.choices.number();
                    assert!(choices.is_none_or(|all| visited <= all), "{case}");
                }
                let wrong = Proposal {
                    loss: Some(Loss(claimed.0 * 1.001 + 0.001)),
                    ..proposal
                };
                let refused = publish(&problem, &wrong).map(|_| ());
                assert!(matches!(refused, Err(Error::CheckFailed { .. })), "{case}");
            }
        }
    }
    let expected = [
        "incognito",
        "optimal",
        "partition",
        "rv-distributed",
        "rv-global",
        "rv-hybrid",
        "rv-local",
        "samarati",
    ];
    assert!(claims.keys().eq(&expected), "{claims:?}");
    assert!(claims.values().all(|claims| *claims > 200), "{claims:?}");
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
                |leaf| match together.contains(&attribute.hierarchy.text(Leaf(leaf))) {
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
        let problem = prepared.problem(&*built).allow_suppressed(0);
        let most = rng.u32(1..=values.len() as u32);
        let groups: Vec<u32> = (0..values.len()).map(|_| rng.u32(0..most)).collect();
        let recoding = ColumnRecoding::Partitions(groupings(&prepared.table, &[groups]));
        // The check reads every label back.
        let release = publish(&problem, &proposal(recoding));
        let release = release.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let published = published_rows(&release, &oracle);
        assert_eq!(published.rows().rows(), values.len());
        let texts: BTreeSet<&str> = release.texts(0).into_iter().collect();
        let groups = release.recoding().groupings().unwrap()[0].groups();
        assert_eq!(texts.len(), groups, "seed {seed}: a text for each group");
    }
}

#[test]
fn a_text_that_looks_like_a_value_is_written_in_more_brackets() {
    let labels = |values: &[&str], groups: &[u32]| -> Vec<String> {
        let mut oracle = tiny_problem("q", "1");
        let row = |value: &&str| vec![(*value).to_owned()];
        oracle.table.rows = values.iter().map(row).collect();
        let way_up = |value: &&str| vec![(*value).to_owned(), "*".to_owned()];
        oracle.quasi_identifiers[0].1 = values.iter().map(way_up).collect();
        let prepared = oracle.prepare().unwrap();
        let grouping = Grouping::new(&prepared.table.attributes[0], groups);
        grouping.labels().map(str::to_owned).collect()
    };
    assert_eq!(
        labels(&["a", "b", "{a, b}"], &[0, 0, 1]),
        ["{{a, b}}", "{a, b}"]
    );
    assert_eq!(
        labels(&["a", "b", "{a, b}", "{{a, b}}"], &[0, 0, 1, 1]),
        ["{{{a, b}}}", "{\"{a, b}\", \"{{a, b}}\"}"]
    );
    assert_eq!(
        labels(&["1", "2", "[1-2]"], &[0, 0, 1]),
        ["{1, 2}", "[1-2]"],
        "a column with such a value is no column of numbers"
    );
}

#[test]
fn values_that_no_hierarchy_lists_are_published_as_at_a_level() {
    let oracle = tiny_problem("q", "a\nb\nc").with_hierarchy("q", "a n *\nb n *\nc s *");
    let counter = oracle.count(0..3).unwrap();
    let rows = [["a", "n", "*"], ["b", "n", "*"]];
    let hierarchy = Hierarchy::from_rows("q", rows).unwrap();
    let hierarchy = hierarchy.with_extra_leaf("c", ExtraLeaf::Suppressed);
    let missing = oracle.missing_for_core();
    let table = counter.finish(vec![hierarchy], Vec::new(), missing);
    let table = table.unwrap();
    let labels = |groups: &[u32]| -> Vec<String> {
        let grouping = Grouping::new(&table.attributes[0], groups);
        grouping.labels().map(str::to_owned).collect()
    };
    assert_eq!(labels(&[0, 1, 2]), ["a", "b", "*"]);
    assert_eq!(labels(&[0, 0, 1]), ["n", "*"]);
    assert_eq!(labels(&[0, 1, 1]), ["a", "{b, *}"]);
    assert_eq!(labels(&[0, 0, 0]), ["*"]);
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
        let recoding = ColumnRecoding::Cuts(groupings(&prepared.table, &[groups.to_vec()]));
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
            compare_with_original(
                &published.table,
                &prepared.table,
                PublishedNumbers::Interval,
            ),
        )
    };
    let (is_safe, compared) = compare("[1-2] flu\n[1-2] flu\n[3-5] cold\n[3-5] cold\n[3-5] flu");
    assert!(is_safe);
    assert_eq!(compared.violations, []);
    assert_eq!((compared.levels, compared.rows_suppressed), (None, 1));
    let (_, compared) = compare("[1-2] flu\n[1-2] cold");
    assert_eq!(compared.rows_invented, 1);
    let (_, compared) = compare("[1-2] flu\n[2-3] cold");
    assert_eq!(compared.violations, []);
    let (_, compared) = compare("[1-2] flu\n[2-3] flu\n[2-3] flu\n9 cold");
    assert_eq!(compared.rows_invented, 1);
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
        compare_with_original(
            &published.table,
            &prepared.table,
            PublishedNumbers::Interval,
        )
    };
    let compared = compare("other flu\nother flu\nother flu\nd cold\ne cold");
    assert_eq!((compared.violations, compared.levels), (Vec::new(), None));
    let compared = compare("other flu\nother flu\nc flu\nd cold\ne cold");
    assert_eq!(
        (compared.violations, compared.levels),
        (Vec::new(), Some(vec![Level(1)]))
    );
    let compared = compare("other flu\nother flu\nother flu\nother flu\nd cold");
    assert_eq!(compared.rows_invented, 2);
}
