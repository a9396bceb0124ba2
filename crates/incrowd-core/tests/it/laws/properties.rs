//! The typed properties on the cards are true: whatever can be tested is, for every algorithm, on random problems.
//!
//! A property that says "never" is tested on every problem, one that says "can" by a problem on which it shows. Not tested
//! are `guided` and `direction`, which say how an algorithm goes about it, and `effort`, which says how long it takes.

use super::{BruteForce, seeds};
use incrowd_core::Error;
use incrowd_core::algorithms::properties::{Optimum, Targets, Usage};
use incrowd_core::algorithms::{ALGORITHMS, Account, Algorithm, Generalization, Mondrian};
use incrowd_core::counts::LeafOrder;
use incrowd_core::lattice::Node;
use incrowd_core::problem::{Guarantee, Problem, Proposal, Settings, Unwatched};
use incrowd_core::recode::{PublishedCells, Recoding};
use incrowd_core::utility::{MetricSpec, UtilityMetric};
use incrowd_testkit::oracle::{MissingPolicy, OracleMetric, OracleProblem, Promise, almost_equal};
use incrowd_testkit::{random_problem, tiny_problem};
use std::collections::BTreeMap;

/// What was seen at least once, by algorithm.
#[derive(Debug, Default, Clone, Copy)]
struct Seen {
    own_shape: bool,
    other_with_budget: bool,
    other_with_metric: bool,
    worse_than_best: bool,
    overlap: bool,
}

/// Random problems without missing cells that match any value, which some algorithms refuse.
fn problems(count: u64) -> impl Iterator<Item = (u64, OracleProblem)> {
    let all = seeds(count).map(|seed| (seed, random_problem(seed)));
    all.filter(|(_, problem)| problem.missing != MissingPolicy::MatchAny)
}

/// The problem as an algorithm takes it: with a target that it can use, if the table has one.
fn suited<'a>(problem: &Problem<'a>, algorithm: &dyn Algorithm) -> Option<Problem<'a>> {
    let settings = Settings {
        own: problem.settings.own.clone(),
        ..problem.settings.clone()
    };
    let problem = problem.clone().with_settings(settings);
    algorithm.check(&problem).is_ok().then_some(problem)
}

fn metrics(oracle: &OracleProblem) -> Vec<Box<dyn UtilityMetric>> {
    let prepared = oracle.prepare().unwrap();
    ["discernibility", "hdm", "loss", "height"]
        .map(|name| {
            name.parse::<MetricSpec>()
                .unwrap()
                .build(&prepared.table)
                .unwrap()
        })
        .into()
}

/// Whether a tuple of one class lies in the box of another.
fn overlaps(problem: &Problem<'_>, recoding: &dyn Recoding) -> bool {
    let table = problem.table;
    let columns = recoding.columns(table);
    let orders: Vec<LeafOrder> = table.attributes.iter().map(LeafOrder::new).collect();
    let class = |tuple: usize| -> Vec<u32> {
        let value = |cells: &PublishedCells<'_>, at: usize| match *cells {
            PublishedCells::ByLeaf(values) => values[table.leaf(tuple, at).index()],
            PublishedCells::ByTuple { values, .. } => values[tuple],
        };
        let columns = columns.iter().enumerate();
        columns
            .map(|(at, column)| value(&column.cells, at))
            .collect()
    };
    let classes: Vec<Vec<u32>> = (0..table.tuples.len()).map(class).collect();
    let lies_in = |tuple: usize, class: &[u32]| {
        let mut columns = columns.iter().enumerate();
        let place = |at: usize| orders[at].position(table.leaf(tuple, at));
        columns.all(|(at, column)| match column.cells {
            PublishedCells::ByLeaf(values) => values[table.leaf(tuple, at).index()] == class[at],
            PublishedCells::ByTuple { covers, .. } => {
                covers[class[at] as usize].contains(place(at))
            }
        })
    };
    let mut tuples = 0..classes.len();
    tuples.any(|tuple| {
        let mut others = classes.iter().filter(|class| **class != classes[tuple]);
        others.any(|class| lies_in(tuple, class))
    })
}

/// The least height of a safe node, by trying all of them.
fn least_height(brute_force: &BruteForce) -> Option<u32> {
    let safe = brute_force.nodes.iter().filter(|node| node.is_feasible);
    safe.map(|node| node.levels.iter().map(|&level| u32::from(level)).sum())
        .min()
}

fn height(proposal: &Proposal) -> u32 {
    proposal.recoding.node().map_or(0, Node::height)
}

/// Whether a budget of one row changes the release of a table in which one row is alone on its side of a rule.
fn suppresses_for_a_rule(algorithm: &dyn Algorithm) -> bool {
    let oracle = tiny_problem("age | disease", "10 a\n10 b\n11 a\n11 c\n40 a")
        .require(Promise::KAnonymity { k: 2 });
    let prepared = oracle.prepare().unwrap();
    let research: MetricSpec = "research-value(rules=\"age: 39|40 = 5\")".parse().unwrap();
    let metric = research.build(&prepared.table).unwrap();
    let problem = prepared.problem(&*metric);
    let problem = problem.clone().with_settings(Settings {
        research: Some(research),
        ..problem.settings.clone()
    });
    let with = |rows| algorithm.solve(&problem.clone().allow_suppressed(rows), &Unwatched);
    match (with(0), with(1)) {
        (Ok(none), Ok(one)) => !none.recoding.is_same(&*one.recoding),
        _ => false,
    }
}

#[test]
fn the_properties_of_every_algorithm_hold_on_random_problems() {
    let mut seen: BTreeMap<&str, Seen> = BTreeMap::new();
    for (seed, mut oracle) in problems(160) {
        // All levels are acceptable, since only then the budget of regions has no meaning.
        let top = oracle.prepare().unwrap().table.lattice();
        oracle.max_levels = top.top().levels().map(|level| level.0).collect();
        let prepared = oracle.prepare().unwrap();
        let brute_force = oracle.brute_force(&OracleMetric::Discernibility);
        let metrics = metrics(&oracle);
        let problem = prepared.problem(&*metrics[0]);
        for &algorithm in ALGORITHMS {
            let entry = algorithm.entry();
            let (name, properties) = (entry.name, &entry.kind.properties);
            let case = format!("{name}, seed {seed}");
            let seen = seen.entry(name).or_default();
            assert_eq!(
                algorithm.session(&problem).is_some(),
                entry.kind.choices.is_some()
            );
            let mut proposals = Vec::new();
            for metric in &metrics {
                let Some(problem) = suited(&problem.clone().minimize(&**metric), algorithm) else {
                    continue;
                };
                let budget = problem.max_suppressed;
                let rows = problem.table.rows;
                let answer = algorithm.solve_accounted(&problem, &Unwatched);
                let with_more = problem.clone().allow_suppressed(rows - 1);
                let none = problem.clone().allow_suppressed(0);
                let (none, more) = (
                    algorithm.solve(&none, &Unwatched),
                    algorithm.solve(&with_more, &Unwatched),
                );
                if let (Ok(none), Ok(more)) = (&none, &more) {
                    let is_other = !none.recoding.is_same(&*more.recoding);
                    assert!(properties.uses_budget || !is_other, "{case}: the budget");
                    seen.other_with_budget |= is_other;
                }
                seen.other_with_budget |= none.is_err() && more.is_ok();
                let solved = match answer {
                    Ok(solved) => solved,
                    Err(error) => {
                        let is_complete = !properties.is_heuristic;
                        assert!(
                            !is_complete || matches!(error, Error::NoSolution { .. }),
                            "{case}: {error}"
                        );
                        assert!(
                            !is_complete || least_height(&brute_force).is_none(),
                            "{case}: {budget}"
                        );
                        continue;
                    }
                };
                let proposal = solved.proposal;
                let shape = proposal.recoding.name();
                // What cannot be cut is published at the highest levels.
                let is_uncut = proposal.recoding.node() == Some(&problem.max_levels);
                assert!(
                    shape == entry.kind.generalization.name() || is_uncut,
                    "{case}: {shape}"
                );
                seen.own_shape |= shape == entry.kind.generalization.name();
                let is_several = matches!(
                    solved.account,
                    Some(Account::SafeNodes(_) | Account::Strings(_))
                );
                assert_eq!(is_several, properties.has_several_results, "{case}");
                match properties.optimum {
                    Optimum::Metric => assert_eq!(proposal.guarantee, Guarantee::Optimal, "{case}"),
                    Optimum::Height => assert_eq!(
                        Some(height(&proposal)),
                        least_height(&brute_force),
                        "{case}"
                    ),
                    Optimum::None => assert_eq!(proposal.guarantee, Guarantee::Heuristic, "{case}"),
                }
                if entry.kind.generalization == Generalization::Regions {
                    let is_overlapping = overlaps(&problem, &*proposal.recoding);
                    assert!(properties.overlaps || !is_overlapping, "{case}: overlap");
                    seen.overlap |= is_overlapping;
                }
                if std::ptr::eq(&*metrics[0], problem.metric)
                    && let Some(least) = brute_force.least_loss
                {
                    let loss = super::loss_of(&problem, &proposal, &case).0;
                    seen.worse_than_best |= loss > least && !almost_equal(loss, least);
                }
                proposals.push(proposal.recoding);
            }
            if let [first, others @ ..] = &proposals[..] {
                let is_other = others.iter().any(|other| !other.is_same(&**first));
                assert!(properties.reads_metric || !is_other, "{case}: the metric");
                seen.other_with_metric |= is_other;
            }
        }
    }
    for algorithm in ALGORITHMS {
        let (name, kind) = (algorithm.entry().name, &algorithm.entry().kind);
        let seen = seen[name];
        assert!(seen.own_shape, "{name}: {:?}", kind.generalization);
        // Where only a rule makes it worth suppressing rows, random problems without rules do not show it.
        let is_seen = seen.other_with_budget || suppresses_for_a_rule(*algorithm);
        assert_eq!(is_seen, kind.properties.uses_budget, "{name}: suppression");
        assert_eq!(
            seen.other_with_metric, kind.properties.reads_metric,
            "{name}: reads-metric"
        );
        assert_eq!(seen.overlap, kind.properties.overlaps, "{name}: overlap");
        if kind.generalization == Generalization::FullDomain {
            let is_exact = kind.properties.optimum == Optimum::Metric;
            assert_eq!(seen.worse_than_best, !is_exact, "{name}: optimum");
        }
    }
}

#[test]
fn algorithms_refuse_problems_without_the_targets_they_need_and_are_made_for_a_use_if_they_need_any()
 {
    let oracle = tiny_problem(
        "age zip | pay town",
        "1 2 10 x\n1 2 20 y\n3 4 30 x\n3 4 40 z",
    )
    .require(Promise::KAnonymity { k: 2 });
    let prepared = oracle.prepare().unwrap();
    let metric = prepared.metric(&OracleMetric::Discernibility).unwrap();
    let problem = prepared.problem(&*metric);
    for &algorithm in ALGORITHMS {
        let properties = &algorithm.entry().kind.properties;
        let name = algorithm.entry().name;
        let with = |targets: &[usize]| {
            let problem = problem.clone().with_settings(Settings {
                targets: targets.to_vec(),
                ..problem.settings.clone()
            });
            let is_taken = algorithm.check(&problem).is_ok();
            assert_eq!(
                algorithm.solve(&problem, &Unwatched).is_ok(),
                is_taken,
                "{name}"
            );
            is_taken
        };
        let expected = match properties.targets {
            Targets::None => [true, true, true, true],
            Targets::One => [false, true, true, false],
            Targets::AtLeastOne => [false, true, true, true],
            Targets::AtLeastOneNumber => [false, true, false, false],
        };
        assert_eq!(
            [with(&[]), with(&[0]), with(&[1]), with(&[0, 1])],
            expected,
            "{name}"
        );
        let has_use = properties.usage != Usage::Any;
        assert_eq!(has_use, properties.targets != Targets::None, "{name}");
    }
}

/// Numbers that have no levels between themselves and `*`.
#[test]
fn intervals_are_found_without_a_hierarchy_exactly_by_those_that_need_none() {
    let rows: String = (0..24)
        .map(|row| format!("{} {} {}\n", 20 + row, row % 2, row / 8))
        .collect();
    let oracle = tiny_problem("age sex | disease", &rows).require(Promise::KAnonymity { k: 3 });
    let prepared = oracle.prepare().unwrap();
    let metric = prepared.metric(&OracleMetric::Discernibility).unwrap();
    let problem = prepared.problem(&*metric);
    for &algorithm in ALGORITHMS {
        let entry = algorithm.entry();
        let problem = problem.clone().with_settings(Settings {
            own: entry.defaults(),
            without_hierarchy: vec![0, 1],
            ..problem.settings.clone()
        });
        let proposal = algorithm.solve(&problem, &Unwatched).unwrap();
        let column = &proposal.recoding.columns(problem.table)[0];
        let is_interval = |text: &&str| text.starts_with('[');
        let needs = entry.kind.properties.needs_number_hierarchies;
        assert_eq!(
            !column.texts.iter().any(is_interval),
            needs,
            "{}: {:?}",
            entry.name,
            column.texts
        );
    }
}

#[test]
fn a_target_that_nothing_is_known_about_changes_nothing_for_those_that_need_correlation() {
    let mut tested = 0;
    for (seed, oracle) in problems(60) {
        let mut oracle = oracle;
        for row in &mut oracle.table.rows {
            row.push("1".into());
        }
        oracle.table.columns.push("same".into());
        oracle.target = Some("same".into());
        oracle.models = vec![Promise::KAnonymity { k: 2 }.into()];
        let prepared = oracle.prepare().unwrap();
        let metric = prepared.metric(&OracleMetric::Height).unwrap();
        let problem = prepared.problem(&*metric);
        for &algorithm in ALGORITHMS {
            let entry = algorithm.entry();
            let Ok(found) = algorithm.solve(&problem, &Unwatched) else {
                continue;
            };
            if entry.kind.properties.needs_correlated {
                let simpler = Mondrian.solve(&problem, &Unwatched).unwrap();
                assert!(
                    found.recoding.is_same(&*simpler.recoding),
                    "{}, seed {seed}",
                    entry.name
                );
                tested += 1;
            }
        }
    }
    assert!(tested > 20, "{tested}");
}
