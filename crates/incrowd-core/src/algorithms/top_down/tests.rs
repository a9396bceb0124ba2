//! What is not looked at could not have mattered.

use super::Specialization;
use super::linked::Linked;
use crate::algorithms::cuts::{self, Spending, ValueTree};
use crate::algorithms::testutil::four_levels;
use crate::counts::{CountedTable, Missing, RowCounter};
use crate::draw::Draw;
use crate::privacy::{MODELS, ModelSpec, PrivacyModel};
use crate::problem::{Assessor, Meter, Problem, Settings};
use crate::recode::ColumnRecoding;
use crate::table::RowBatch;
use crate::utility::MetricSpec;
use std::collections::BTreeSet;

/// Promises of every kind. With several, some of a class are kept by one and others by another.
const PROMISES: &[&[&str]] = &[
    &["k-anonymity(k=4)"],
    &["distinct-l-diversity(l=3)"],
    &["entropy-l-diversity(l=2.5)"],
    &["recursive-cl-diversity(c=2,l=2)"],
    &["frequency-l-diversity(l=2)"],
    &["alpha-k-anonymity(alpha=0.5,k=3)"],
    &["p-sensitive-k-anonymity(p=2,k=4)"],
    &["t-closeness(t=0.3)"],
    &["t-closeness(t=0.2,distance=ordered)"],
    &["delta-disclosure(delta=1.5)"],
    &["delta-disclosure(delta=1,absent=ignore)"],
    &["beta-likeness(beta=1)"],
    &["k-map(k=6)"],
    &["delta-presence(max=0.5)"],
    &["delta-presence(min=0.1,max=0.5)"],
    &["average-risk(max=0.2)"],
    &["sample-uniqueness(max=0.05)", "k-anonymity(k=2)"],
    &["k-anonymity(k=3)", "t-closeness(t=0.3)", "k-map(k=5)"],
    &["entropy-l-diversity(l=2)", "beta-likeness(beta=2)"],
];

/// Rows of two columns with four levels each, if nothing else is said, and one that is counted.
fn count(rows: usize, counts: bool, draw: &mut Draw) -> CountedTable {
    let names: Vec<String> = ["one", "other", "target"].map(str::to_owned).to_vec();
    let counted: &[usize] = if counts { &[2] } else { &[] };
    let mut counter = RowCounter::new(&names, &[0, 1], counted);
    let mut batch = RowBatch::new(names.len());
    for row in 0..rows {
        // Every value has rows: how people match the others is not what this is about.
        let cells = match row < 8 {
            true => [row, 7 - row],
            false => [0; 2].map(|_| draw.below(8).min(draw.below(8))),
        };
        let told = match draw.below(3) {
            0 => (cells[0] / 2 + cells[1] / 4) % 4,
            _ => draw.below(4),
        };
        for cell in [cells[0], cells[1], told] {
            batch.push_cell(cell.to_string().as_bytes());
        }
    }
    counter.add(&batch).unwrap();
    let hierarchies = ["one", "other"].map(four_levels);
    let levels = counted.iter().map(|_| None).collect();
    let missing = Missing::default();
    (counter.finish(hierarchies.into(), levels, missing)).unwrap()
}

/// Problems with every promise on random tables, those that differ in nothing but the budget together.
fn for_every_promise(tables: u64, mut law: impl FnMut(&[Problem<'_>], &str)) {
    let metric: MetricSpec = "loss".parse().unwrap();
    for (number, promises) in (0..).zip(PROMISES) {
        for seed in 0..tables {
            let draw = &mut Draw::new(number * 1000 + seed);
            let table = count(60, true, draw);
            let table = table.with_population(count(200, false, draw)).unwrap();
            let metric = metric.build(&table).unwrap();
            let models = promises.iter().flat_map(|promise| {
                let promise: ModelSpec = promise.parse().unwrap();
                promise.build_all(&table.columns, &[0]).unwrap()
            });
            let models: Vec<Box<dyn PrivacyModel>> = models.collect();
            let problems = [0, 1, 4, 15].map(|budget| {
                Problem::new(&table, &models, &*metric)
                    .allow_suppressed(budget)
                    .with_settings(Settings {
                        targets: vec![0],
                        ..Settings::default()
                    })
            });
            law(&problems, &format!("{promises:?}, {seed}"));
        }
    }
}

/// Specializes to the end, rules out what would lose more rows, and shows every step. How many tuples were looked at.
fn specialize(
    problem: &Problem<'_>,
    most_lost: u32,
    mut see: impl FnMut(&Specialization<'_>),
) -> u64 {
    let meter = Meter::unlimited();
    let mut state = Specialization::new(problem, 0, Spending::new(&meter), most_lost).unwrap();
    see(&state);
    while state.rows_unsafe <= problem.max_suppressed && state.step().unwrap() {
        see(&state);
    }
    state.spending.effort.visits
}

#[test]
fn nothing_is_published_otherwise_for_what_is_not_looked_at() {
    let known: BTreeSet<&str> = (PROMISES.iter().flat_map(|promises| *promises))
        .map(|promise| promise.split('(').next().unwrap())
        .collect();
    let all: BTreeSet<&str> = MODELS.iter().map(|entry| entry.name).collect();
    assert_eq!(known, all);
    for_every_promise(12, |problems, case| {
        let ways = |problem| [vec![], vec![0]].map(|without| (problem, without));
        for (problem, without_hierarchy) in problems.iter().flat_map(ways) {
            let budget = problem.max_suppressed;
            let problem = problem.clone().with_settings(Settings {
                without_hierarchy,
                ..problem.settings.clone()
            });
            let [with, without] = [budget, u32::MAX].map(|most_lost| {
                let mut cuts: Vec<ColumnRecoding> = Vec::new();
                let visits = specialize(&problem, most_lost, |state| cuts.push(state.recoding()));
                (cuts, visits)
            });
            assert_eq!(with.0, without.0, "{case}, {budget}");
            assert!(with.1 <= without.1, "{case}, {budget}");
        }
    });
}

/// Every cut of what is under a value.
fn cuts_under(tree: &ValueTree, value: u32) -> Vec<Vec<u32>> {
    let mut cuts = vec![Vec::new()];
    for &child in tree.children(value) {
        let under = cuts_under(tree, child);
        let longer = |cut: Vec<u32>| under.iter().map(move |more| [&cut[..], &more[..]].concat());
        cuts = cuts.into_iter().flat_map(longer).collect();
    }
    match tree.children(value) {
        [] => vec![vec![value]],
        _ => std::iter::once(vec![value]).chain(cuts).collect(),
    }
}

/// Whether every value of a cut is one of another or under one.
fn is_below(tree: &ValueTree, cut: &[u32], other: &BTreeSet<u32>) -> bool {
    cut.iter().all(|&value| {
        let above = std::iter::successors(Some(value), |&value| tree.parent(value));
        { above }.any(|value| other.contains(&value))
    })
}

/// The values of both columns.
fn trees(problem: &Problem<'_>) -> Vec<ValueTree> {
    (0..2).map(|at| ValueTree::new(problem, at, true)).collect()
}

/// For each value that is ruled out since more rows are lost, the cut at that time after replacing it.
fn ruled_out(
    problem: &Problem<'_>,
    trees: &[ValueTree],
    most_lost: u32,
) -> Vec<Vec<BTreeSet<u32>>> {
    let (mut known, mut after) = (BTreeSet::new(), Vec::new());
    specialize(problem, most_lost, |state| {
        let in_cut = |linked: &Vec<Linked>| {
            let values = (0..).zip(linked).filter(|(_, linked)| linked.is_in_cut);
            values.map(|(value, _)| value).collect()
        };
        let cut: Vec<BTreeSet<u32>> = state.linked.iter().map(in_cut).collect();
        for (attribute, values) in cut.iter().enumerate() {
            for &value in values {
                let linked = &state.linked[attribute][value as usize];
                let is_ruled_out = !linked.is_open && linked.is_candidate();
                if is_ruled_out && known.insert((attribute, value)) {
                    let mut replaced = cut.clone();
                    replaced[attribute].remove(&value);
                    replaced[attribute].extend(trees[attribute].children(value));
                    after.push(replaced);
                }
            }
        }
    });
    after
}

#[test]
fn every_cut_below_in_which_a_hopeless_value_is_replaced_suppresses_too_much() {
    // Values ruled out at the budget and one row below it, where that is wrong.
    let (mut hopeless, mut too_early) = (0, 0);
    for_every_promise(6, |problems, case| {
        let (table, trees) = (problems[0].table, trees(&problems[0]));
        let cuts = [0, 1].map(|at| cuts_under(&trees[at], trees[at].roots()[0]));
        let mut assessor = Assessor::new(&problems[0]);
        let mut judged: Vec<([&[u32]; 2], u32)> = Vec::new();
        for one in &cuts[0] {
            for other in &cuts[1] {
                let cut: [&[u32]; 2] = [one, other];
                let is_in_cut = |attribute: usize, value: u32| cut[attribute].contains(&value);
                let recoding = ColumnRecoding::Cuts(cuts::groupings(table, &trees, is_in_cut));
                judged.push((cut, assessor.assess_recoding(&recoding).rows_suppressed));
            }
        }
        let is_safe_below = |replaced: &[BTreeSet<u32>], budget: u32| {
            judged.iter().any(|(cut, rows)| {
                *rows <= budget && (0..2).all(|at| is_below(&trees[at], cut[at], &replaced[at]))
            })
        };
        for problem in problems {
            let budget = problem.max_suppressed;
            for replaced in ruled_out(problem, &trees, budget) {
                assert!(
                    !is_safe_below(&replaced, budget),
                    "{case}, {budget}: {replaced:?}"
                );
                hopeless += 1;
            }
            if let Some(less) = budget.checked_sub(1) {
                let replaced = ruled_out(problem, &trees, less);
                let safe = replaced.iter().filter(|it| is_safe_below(it, budget));
                too_early += safe.count();
            }
        }
    });
    assert!(
        hopeless > 500 && too_early > 20,
        "{hopeless} values are hopeless, {too_early} would be found if they were ruled out too early"
    );
}
