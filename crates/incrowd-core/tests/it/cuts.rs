//! Top-down specialization and bottom-up generalization: every step is one that the definitions allow.

use fastrand::Rng;
use incrowd_core::Error;
use incrowd_core::algorithms::{BottomUp, Effort, TopDown};
use incrowd_core::counts::CountedTable;
use incrowd_core::hierarchy::Leaf;
use incrowd_core::privacy::MODELS;
use incrowd_core::problem::{Problem, Proposal, Settings, Unwatched};
use incrowd_core::publish::publish;
use incrowd_core::recode::ColumnRecoding;
use incrowd_testkit::Prepared;
use incrowd_testkit::oracle::{
    Blocks, MissingPolicy, OracleMetric, OracleProblem, Promise, Replacement, Thousandths,
};
use incrowd_testkit::random::{random_model, random_problem};
use incrowd_testkit::tiny_problem;
use std::collections::BTreeMap;

type Solved = (Result<(Proposal, Effort), Error>, Vec<ColumnRecoding>);

/// Random problems with a target, for every model.
fn for_every_model(count: u64, mut law: impl FnMut(&OracleProblem, &str, &str)) {
    for seed in 0..count * MODELS.len() as u64 {
        let rng = &mut Rng::with_seed(seed);
        let mut oracle = random_problem(seed);
        if oracle.missing == MissingPolicy::MatchAny {
            oracle.missing = MissingPolicy::OwnValue;
        }
        let entry = &MODELS[seed as usize % MODELS.len()];
        if rng.bool() {
            oracle.models.clear();
        }
        let model = random_model(entry.name, &oracle, rng);
        oracle.models.extend(model);
        let Some(target) = oracle.counted_columns().pop() else {
            continue;
        };
        law(&oracle, &target, &format!("seed {seed}, {}", entry.name));
    }
}

/// Solves and keeps the cut of every step.
fn solve(
    prepared: &Prepared,
    target: &str,
    solve: impl Fn(&Problem<'_>, &mut dyn FnMut(&ColumnRecoding)) -> Result<(Proposal, Effort), Error>,
) -> Solved {
    let metric = "loss".parse::<incrowd_core::utility::MetricSpec>().unwrap();
    let metric = metric.build(&prepared.table).unwrap();
    let problem = prepared.problem(&*metric).with_settings(Settings {
        targets: vec![prepared.table.column(target).unwrap()],
        ..Settings::default()
    });
    let mut cuts = Vec::new();
    let solved = solve(&problem, &mut |cut| cuts.push(cut.clone()));
    if let Ok((proposal, _)) = &solved {
        assert_eq!(cuts.last(), proposal.recoding.by_columns());
        publish(&problem, proposal).expect("every answer passes the check");
    }
    (solved, cuts)
}

/// The raw values with rows that are published alike.
fn blocks(table: &CountedTable, cut: &ColumnRecoding) -> Blocks {
    let groupings = cut.groupings().expect("a cut");
    (table.attributes.iter().zip(groupings))
        .map(|(attribute, grouping)| {
            let mut blocks = BTreeMap::new();
            for (leaf, group) in (0..).map(Leaf).zip(grouping.groups_of_leaves()) {
                if attribute.rows_of_groups[0][leaf.index()] > 0 {
                    let block: &mut std::collections::BTreeSet<String> =
                        blocks.entry(group).or_default();
                    block.insert(attribute.hierarchy.text(leaf).to_owned());
                }
            }
            blocks.into_values().collect()
        })
        .collect()
}

/// What rounding alone tells apart.
const ROUNDING: f64 = 1e-9;

#[test]
fn every_specialization_is_the_best_safe_one_and_the_last_leaves_none() {
    let mut steps = 0;
    for_every_model(60, |oracle, target, case| {
        let prepared = oracle.prepare().expect(case);
        let (solved, cuts) = solve(&prepared, target, |problem, see| {
            TopDown::solve_counting(problem, &Unwatched, Some(see))
        });
        let start = oracle.blocks_at(&oracle.max_levels);
        let judged = oracle.judge_blocks(&start);
        let at_start = judged.rows_suppressed;
        if !judged.is_feasible {
            let said = match solved {
                Err(Error::NoSolution {
                    max_suppressed,
                    rows_suppressed_at_limit,
                    ..
                }) => {
                    assert_eq!(oracle.brute_force(&OracleMetric::Height).least_loss, None);
                    (max_suppressed, rows_suppressed_at_limit)
                }
                Err(Error::NoneFound {
                    max_suppressed,
                    rows_suppressed_at_limit,
                    ..
                }) => (max_suppressed, rows_suppressed_at_limit),
                solved => panic!("{case}: {solved:?}"),
            };
            assert_eq!(
                said,
                (oracle.max_suppressed as u32, at_start as u32),
                "{case}"
            );
            return;
        }
        let cuts: Vec<Blocks> = cuts
            .iter()
            .map(|cut| blocks(&prepared.table, cut))
            .collect();
        assert_eq!(cuts[0], start, "{case}");
        for (at, before) in cuts.iter().enumerate() {
            let judged = oracle.judge_blocks(before);
            assert!(judged.is_feasible, "{case}");
            let ways = oracle.ways_down(before, target);
            let scores: Vec<(f64, &Replacement)> = (ways.iter())
                .filter(|way| way.bits > ROUNDING)
                .filter_map(|way| Some((oracle.score_down(before, way)?, way)))
                .collect();
            let best = scores.iter().map(|(score, _)| *score).fold(0.0, f64::max);
            match cuts.get(at + 1) {
                Some(after) => {
                    let taken = scores.iter().find(|(_, way)| way.down(before) == *after);
                    let (score, _) = taken.unwrap_or_else(|| panic!("{case}: step {at}"));
                    assert!(*score >= best - ROUNDING, "{case}: {score} of {best}");
                    steps += 1;
                }
                None => assert!(best <= ROUNDING, "{case}: could go on"),
            }
        }
    });
    assert!(steps > 300, "{steps} steps were looked at");
}

#[test]
fn every_generalization_costs_least_for_what_it_gains_and_the_first_safe_cut_is_the_last() {
    let mut steps = 0;
    for_every_model(60, |oracle, target, case| {
        let prepared = oracle.prepare().expect(case);
        let (solved, cuts) = solve(&prepared, target, |problem, see| {
            BottomUp::solve_counting(problem, &Unwatched, Some(see))
        });
        let cuts: Vec<Blocks> = cuts
            .iter()
            .map(|cut| blocks(&prepared.table, cut))
            .collect();
        assert_eq!(cuts[0], oracle.blocks_at(&vec![0; cuts[0].len()]), "{case}");
        for (at, before) in cuts.iter().enumerate() {
            let judged = oracle.judge_blocks(before);
            let ways = oracle.ways_up(before, target);
            let Some(after) = cuts.get(at + 1) else {
                let is_enough = judged.is_feasible;
                assert_eq!(solved.is_ok(), is_enough, "{case}");
                assert!(is_enough || ways.is_empty(), "{case}: could go on");
                break;
            };
            assert!(!judged.is_feasible, "{case}");
            let ratio = |way: &Replacement| oracle.ratios_up(before, way);
            let taken = ways.iter().find(|way| way.up(before) == *after);
            let taken = taken.unwrap_or_else(|| panic!("{case}: step {at}"));
            let (least, _) = ratio(taken);
            for way in &ways {
                let (_, most) = ratio(way);
                assert!(least <= most + ROUNDING, "{case}: step {at}");
                if least.is_infinite() {
                    assert!(taken.bits <= way.bits + ROUNDING, "{case}: step {at}");
                }
            }
            steps += 1;
        }
    });
    assert!(steps > 300, "{steps} steps were looked at");
}

#[test]
fn numbers_without_levels_are_cut_where_that_tells_most() {
    let oracle = tiny_problem(
        "age | ill",
        "1 no\n2 no\n3 no\n4 no\n5 yes\n6 yes\n7 no\n8 yes\n9 yes\n10 yes",
    )
    .require(Promise::KAnonymity { k: 2 });
    let prepared = oracle.prepare().unwrap();
    let metric = "loss".parse::<incrowd_core::utility::MetricSpec>().unwrap();
    let metric = metric.build(&prepared.table).unwrap();
    let problem = prepared.problem(&*metric).with_settings(Settings {
        targets: vec![0],
        without_hierarchy: vec![0],
        ..Settings::default()
    });
    let mut cuts = Vec::new();
    let see: &mut dyn FnMut(&ColumnRecoding) = &mut |cut| {
        let mut labels: Vec<String> = (cut.groupings().unwrap()[0].labels())
            .map(str::to_owned)
            .collect();
        labels.sort();
        cuts.push(labels.join(" "));
    };
    TopDown::solve_counting(&problem, &Unwatched, Some(see)).unwrap();
    // By hand: no,no,no,no | yes,yes,no,yes,yes,yes first; then 5 to 10 before or after 7 8, where two rows stay.
    assert_eq!(cuts[..2], ["*", "[1-4] [5-10]"]);
    assert_eq!(cuts.last().unwrap(), "[1-4] [5-7] [8-10]");
}

#[test]
fn a_target_is_needed_and_overlapping_crowds_are_refused() {
    let oracle = tiny_problem("q | s", "a x\n- y\nb x");
    let refused = |oracle: &OracleProblem, targets: Vec<usize>| {
        let prepared = oracle.prepare().unwrap();
        let metric = "loss".parse::<incrowd_core::utility::MetricSpec>().unwrap();
        let metric = metric.build(&prepared.table).unwrap();
        let problem = prepared.problem(&*metric).with_settings(Settings {
            targets,
            ..Settings::default()
        });
        let down = TopDown::solve_counting(&problem, &Unwatched, None).unwrap_err();
        let up = BottomUp::solve_counting(&problem, &Unwatched, None).unwrap_err();
        (down, up)
    };
    let (down, up) = refused(&oracle, Vec::new());
    let algorithm = "top-down";
    assert_eq!(
        down,
        Error::OneTargetNeeded {
            algorithm,
            given: 0
        }
    );
    let algorithm = "bottom-up";
    assert_eq!(
        up,
        Error::OneTargetNeeded {
            algorithm,
            given: 0
        }
    );
    let mut oracle = oracle;
    oracle.missing = MissingPolicy::MatchAny;
    let (_, up) = refused(&oracle, vec![0]);
    assert_eq!(up, Error::MatchAnyRefused { algorithm });
}

/// `x` and `z` have as much flu as anything else, which the whole table has not.
#[test]
fn no_algorithm_takes_a_path_that_ends_for_a_proof_that_there_is_no_solution() {
    let rows = "x flu\n x cold\n z flu\n z cold\n y flu\n y flu";
    let oracle = tiny_problem("q | disease", rows)
        .with_hierarchy("q", "x *\n y *\n z *")
        .require(Promise::FrequencyLDiversity {
            l: Thousandths(2000),
        })
        .allow_suppressed(2);
    let prepared = oracle.prepare().unwrap();
    let (solved, _) = solve(&prepared, "disease", |problem, see| {
        TopDown::solve_counting(problem, &Unwatched, Some(see))
    });
    let none_found = Error::NoneFound {
        algorithm: "top-down",
        max_suppressed: 2,
        rows_suppressed_at_limit: 6,
        rows: 6,
        has_higher_levels: false,
    };
    assert_eq!(solved.map(|_| ()), Err(none_found));
    assert_eq!(oracle.judge(&[0]).rows_suppressed(), 2);
}
