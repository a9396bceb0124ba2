//! Optimal partitions against every partition there is.

use fastrand::Rng;
use incrowd_core::Error;
use incrowd_core::algorithms::partition;
use incrowd_core::algorithms::partition::{
    CoarseSteps, Direction, PartitionSettings, PruningRules, Scheme,
};
use incrowd_core::lattice::Level;
use incrowd_core::problem::{
    Assessor, Guarantee, Interruption, Problem, Progress, Proposal, Unwatched, Watch,
};
use incrowd_core::publish::publish;
use incrowd_core::recode::ColumnRecoding;
use incrowd_core::table::{Decimal, Kind};
use incrowd_testkit::oracle::{
    MissingPolicy, OracleMetric, OracleProblem, OrderedValues, Promise, RawSteps, almost_equal,
};
use incrowd_testkit::random::{partition_problem, random_metric, random_model, random_population};
use incrowd_testkit::tiny_problem;
use std::sync::atomic::{AtomicU64, Ordering};

/// So many seeds, or as many times more as the environment asks for.
fn seeds(count: u64) -> std::ops::Range<u64> {
    let times = std::env::var("INCROWD_LAWS").ok();
    0..count * times.and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// A random scheme for each quasi-identifier.
fn schemes(oracle: &OracleProblem, rng: &mut Rng) -> Vec<Scheme> {
    let columns = oracle.quasi_identifiers.iter();
    columns.map(|_| Scheme::ALL[rng.usize(0..6)]).collect()
}

fn settings(oracle: &OracleProblem, schemes: &[Scheme]) -> PartitionSettings {
    let columns = oracle
        .quasi_identifiers
        .iter()
        .map(|(column, _)| column.clone());
    PartitionSettings {
        schemes: columns.zip(schemes.iter().copied()).collect(),
        ..PartitionSettings::default()
    }
}

fn metric(oracle: &OracleProblem, rng: &mut Rng) -> OracleMetric {
    let name = ["discernibility", "hdm"][rng.usize(0..2)];
    random_metric(name, oracle, rng).unwrap()
}

fn names(schemes: &[Scheme]) -> Vec<&'static str> {
    schemes.iter().map(|scheme| scheme.name()).collect()
}

/// Whether the blocks of a proposal, with the leaves that no row has, are what the schemes allow.
fn is_allowed(
    oracle: &OracleProblem,
    problem: &Problem<'_>,
    proposal: &Proposal,
    (schemes, steps): (&[Scheme], &[RawSteps]),
) -> bool {
    let Some(ColumnRecoding::Partitions(groupings)) = proposal.recoding.by_columns() else {
        return false;
    };
    (groupings.iter().zip(schemes).enumerate()).all(|(at, (grouping, scheme))| {
        let hierarchy = &problem.table.attributes[at].hierarchy;
        let group = |value: &&str| {
            grouping.groups_of_leaves()[hierarchy.leaf(value).unwrap().index()] as usize
        };
        let allows = |ordered: &OrderedValues<'_>| {
            let blocks: Vec<usize> = ordered.values.iter().map(group).collect();
            ordered.allows(scheme.name(), &blocks)
        };
        let listed = oracle.ordered_values(at, true);
        // A value that no row has may stand between two that are together and belong to another group.
        let speaks_of_listed =
            steps[at].is_none() && (*scheme != Scheme::Ops || listed.groups_are_runs());
        allows(&oracle.values_in_steps(at, false, steps[at]))
            && (!speaks_of_listed || allows(&listed))
    })
}

/// Solves, and compares with what is known to be the least cost.
fn check(
    oracle: &OracleProblem,
    problem: &Problem<'_>,
    (least, schemes, steps): (Option<f64>, &[Scheme], &[RawSteps]),
    case: &str,
) {
    match (partition::solve(problem, &Unwatched), least) {
        (Ok((proposal, account)), Some(least)) => {
            assert!(
                almost_equal(account.cost, least),
                "{case}: {} is not {least}",
                account.cost
            );
            assert_eq!(account.lower_bound, account.cost, "{case}");
            assert_eq!(proposal.guarantee, Guarantee::Optimal, "{case}");
            let release = publish(problem, &proposal).expect(case);
            assert_eq!(release.rows_suppressed(), account.rows_suppressed, "{case}");
            let assessed =
                Assessor::new(problem).assess_recoding(proposal.recoding.by_columns().unwrap());
            let loss = assessed.loss.expect(case).0;
            assert_eq!(loss, account.cost, "{case}: the cost is the metric");
            assert!(
                is_allowed(oracle, problem, &proposal, (schemes, steps)),
                "{case}: allowed"
            );
        }
        (Err(Error::NoSolution { .. }), None) => {}
        (answer, least) => panic!("{case}: {answer:?} for {least:?}"),
    }
}

/// The rules to try: all, none, and all but one.
fn rule_sets() -> Vec<(String, PruningRules)> {
    let mut sets = vec![
        ("all rules".to_owned(), PruningRules::ALL),
        ("no rules".to_owned(), PruningRules::NONE),
    ];
    let names: Vec<&str> = PruningRules::default()
        .named()
        .iter()
        .map(|(name, _)| *name)
        .collect();
    for name in names {
        let (mut without, mut only) = (PruningRules::ALL, PruningRules::NONE);
        for (other, rule) in without.named() {
            *rule = other != name;
        }
        for (other, rule) in only.named() {
            *rule = other == name;
        }
        sets.push((format!("without {name}"), without));
        sets.push((format!("only {name}"), only));
    }
    sets
}

#[test]
fn the_optimum_equals_exhaustive_search_whatever_the_scheme_direction_and_rules() {
    for seed in seeds(1000) {
        let rng = &mut Rng::with_seed(!seed);
        let mut oracle = partition_problem(seed);
        if rng.bool() {
            oracle.models.clear();
            oracle = oracle.require(Promise::KAnonymity {
                k: rng.usize(1..=5),
            });
        }
        oracle.max_suppressed = match rng.u8(0..3) {
            0 => 0,
            1 => rng.usize(0..=oracle.table.rows.len() / 3),
            _ => oracle.table.rows.len(),
        };
        if rng.u8(0..3) == 0 {
            oracle.population = Some(random_population(&oracle, rng));
            let name = ["k-map", "delta-presence"][rng.usize(0..2)];
            oracle.models.extend(random_model(name, &oracle, rng));
        }
        let schemes = schemes(&oracle, rng);
        let metric = metric(&oracle, rng);
        let steps = vec![None; schemes.len()];
        let least = oracle.least_cost_of_partitions(&metric, &names(&schemes));
        let prepared = oracle.prepare().unwrap();
        let built = prepared.metric(&metric).unwrap();
        let mut problem = prepared.problem(&*built);
        for direction in Direction::ALL {
            // All and none always, the others by turns: every one of them meets many problems.
            let turn = |at: usize| at < 2 || (at as u64 + seed).is_multiple_of(4);
            let sets = rule_sets().into_iter().enumerate();
            for (_, (name, rules)) in sets.filter(|(at, _)| turn(*at)) {
                problem.settings.own = PartitionSettings {
                    direction,
                    rules,
                    ..settings(&oracle, &schemes)
                }
                .given();
                let case = format!(
                    "seed {seed}, {schemes:?}, {}, {}, {name}",
                    metric.spec(),
                    direction.name()
                );
                check(&oracle, &problem, (least, &schemes, &steps), &case);
            }
            problem.memory_limit = 0;
        }
    }
}

/// Random steps for the columns that are numbers.
fn steps(oracle: &OracleProblem, problem: &Problem<'_>, rng: &mut Rng) -> Vec<RawSteps> {
    let attributes = oracle
        .quasi_identifiers
        .iter()
        .zip(&problem.table.attributes);
    attributes
        .map(|(_, attribute)| {
            let is_stepped = attribute.kind == Kind::Number && rng.u8(0..6) > 0;
            is_stepped.then(|| (rng.i64(1..8), rng.i64(-10..60)))
        })
        .collect()
}

fn coarse(oracle: &OracleProblem, steps: &[RawSteps]) -> Vec<CoarseSteps> {
    let columns = oracle.quasi_identifiers.iter().zip(steps);
    columns
        .filter_map(|((column, _), steps)| {
            let (width, origin) = (*steps)?;
            Some(CoarseSteps {
                column: column.clone(),
                width: Decimal::new(width, 0)?,
                origin: Decimal::new(origin, 0)?,
            })
        })
        .collect()
}

#[test]
fn with_steps_the_optimum_equals_exhaustive_search_and_costs_what_is_published() {
    let (mut stepped, mut refused) = (0, 0);
    for seed in seeds(600) {
        let rng = &mut Rng::with_seed(!seed);
        let mut oracle = partition_problem(seed);
        if rng.bool() {
            oracle.models.clear();
            oracle = oracle.require(Promise::KAnonymity {
                k: rng.usize(1..=5),
            });
        }
        let schemes = schemes(&oracle, rng);
        let prepared = oracle.prepare().unwrap();
        let height = prepared.metric(&OracleMetric::Height).unwrap();
        let steps = steps(&oracle, &prepared.problem(&*height), rng);
        let coarse = coarse(&oracle, &steps);
        if coarse.is_empty() {
            continue;
        }
        stepped += 1;
        for name in ["discernibility", "hdm"] {
            let metric = random_metric(name, &oracle, rng).unwrap();
            let least = oracle.least_cost_in_steps(&metric, &names(&schemes), &steps);
            let built = prepared.metric(&metric).unwrap();
            let mut problem = prepared.problem(&*built);
            let case = format!("seed {seed}, {schemes:?}, {steps:?}, {}", metric.spec());
            for direction in [Direction::BottomUp, Direction::TopDown] {
                let sets = rule_sets().into_iter().enumerate();
                for (_, (name, rules)) in
                    sets.filter(|(at, _)| *at < 2 || (*at as u64 + seed).is_multiple_of(5))
                {
                    problem.settings.own = PartitionSettings {
                        direction,
                        rules,
                        coarse: coarse.clone(),
                        ..settings(&oracle, &schemes)
                    }
                    .given();
                    let case = format!("{case}, {}, {name}", direction.name());
                    let too_high = steps
                        .iter()
                        .enumerate()
                        .find(|(at, steps)| oracle.steps_reach_too_high(*at, **steps));
                    if let Some((at, _)) = too_high {
                        let column = oracle.quasi_identifiers[at].0.clone();
                        let level = Level(oracle.max_levels[at]);
                        let error = partition::solve(&problem, &Unwatched).expect_err(&case);
                        assert_eq!(error, Error::StepsAboveLevel { column, level }, "{case}");
                        refused += 1;
                        continue;
                    }
                    check(&oracle, &problem, (least, &schemes, &steps), &case);
                }
            }
        }
    }
    assert!(stepped > 100 && refused > 100, "{stepped}, {refused}");
}

#[test]
fn issue_9_coarse_a_column_in_one_block_and_the_other_raw_costs_least() {
    let mut oracle = tiny_problem("age x", "20 a\n10 b\n10 a\n21 b");
    oracle = oracle.require(Promise::KAnonymity { k: 2 });
    let prepared = oracle.prepare().unwrap();
    let metric = OracleMetric::Hdm {
        weights: Vec::new(),
    };
    let built = prepared.metric(&metric).unwrap();
    let mut problem = prepared.problem(&*built);
    let steps = [Some((10, 0)), None];
    problem.settings.own = PartitionSettings {
        coarse: coarse(&oracle, &steps),
        ..settings(&oracle, &[Scheme::Ops, Scheme::Sps])
    }
    .given();
    let (proposal, account) = partition::solve(&problem, &Unwatched).unwrap();
    assert_eq!((account.cost, account.lower_bound), (2.0, 2.0));
    let groupings = proposal.recoding.groupings().unwrap();
    assert_eq!((groupings[0].groups(), groupings[1].groups()), (1, 2));
}

#[test]
fn a_scheme_that_allows_more_never_costs_more() {
    for seed in seeds(200) {
        let rng = &mut Rng::with_seed(!seed);
        let oracle = partition_problem(seed);
        let metric = metric(&oracle, rng);
        let prepared = oracle.prepare().unwrap();
        let built = prepared.metric(&metric).unwrap();
        let mut problem = prepared.problem(&*built);
        let mut cost = |scheme: Scheme| {
            problem.settings.own = PartitionSettings {
                scheme: Some(scheme),
                ..PartitionSettings::default()
            }
            .given();
            let solved = partition::solve(&problem, &Unwatched).ok();
            solved.map_or(f64::INFINITY, |(_, account)| account.cost)
        };
        let [bhs, ghs, gops, gsps, ops, sps] = Scheme::ALL.map(&mut cost);
        // Neighbors of the tree are neighbors of the order only where the order keeps groups together.
        let follows = (0..oracle.quasi_identifiers.len())
            .all(|at| oracle.ordered_values(at, false).order_follows_groups());
        for (less, more) in [
            (bhs, ghs),
            (ghs, gops),
            (if follows { gops } else { f64::INFINITY }, ops),
            (gops, gsps),
            (ops, sps),
            (gsps, sps),
        ] {
            assert!(more <= less * (1.0 + 1e-9), "seed {seed}: {more} > {less}");
        }
    }
}

/// Lets a search take so many steps.
struct Steps(AtomicU64);

impl Watch for Steps {
    fn step(&self, _: Progress) -> Result<(), Interruption> {
        match self.0.fetch_sub(1, Ordering::Relaxed) {
            0 => Err(Interruption::TimeUp),
            _ => Ok(()),
        }
    }

    fn look_every(&self) -> u64 {
        1
    }
}

#[test]
fn a_search_cut_short_tells_a_bound_that_holds() {
    for seed in seeds(200) {
        let rng = &mut Rng::with_seed(!seed);
        let oracle = partition_problem(seed);
        let metric = metric(&oracle, rng);
        let prepared = oracle.prepare().unwrap();
        let built = prepared.metric(&metric).unwrap();
        let mut problem = prepared.problem(&*built);
        let schemes = schemes(&oracle, rng);
        let mut settings = settings(&oracle, &schemes);
        settings.rules.program = rng.bool();
        settings.rules.least_bound_first = rng.bool();
        settings.direction = [Direction::BottomUp, Direction::TopDown][rng.usize(0..2)];
        problem.settings.own = settings.given();
        let least = oracle.least_cost_of_partitions(&metric, &names(&schemes));
        for steps in 0..6 {
            let watch = Steps(AtomicU64::new(steps));
            match partition::solve(&problem, &watch) {
                Ok((proposal, account)) => {
                    let least = least.unwrap();
                    assert!(account.cost >= least * (1.0 - 1e-9), "seed {seed}");
                    assert!(account.lower_bound <= least * (1.0 + 1e-9), "seed {seed}");
                    publish(&problem, &proposal).unwrap();
                }
                Err(error) => assert!(
                    matches!(error, Error::TimeUp { .. } | Error::NoSolution { .. }),
                    "seed {seed}: {error:?}"
                ),
            }
        }
    }
}

#[test]
fn what_no_bound_holds_for_is_refused_with_a_reason() {
    let mut oracle = partition_problem(1);
    let prepared = oracle.prepare().unwrap();
    let built = prepared.metric(&OracleMetric::Height).unwrap();
    let refused = partition::solve(&prepared.problem(&*built), &Unwatched).unwrap_err();
    assert_eq!(refused, Error::PartitionMetric { metric: "height" });
    assert!(refused.hint().contains("hdm"));

    oracle.missing = MissingPolicy::MatchAny;
    let (column, hierarchy) = &mut oracle.quasi_identifiers[0];
    let position = oracle
        .table
        .columns
        .iter()
        .position(|name| name == column)
        .unwrap();
    oracle.table.rows[0][position] = String::new();
    if !hierarchy.iter().any(|way| way[0].is_empty()) {
        let mut way = vec![String::new(); hierarchy[0].len() - 1];
        way.push("*".into());
        hierarchy.push(way);
    }
    let prepared = oracle.prepare().unwrap();
    let built = prepared.metric(&OracleMetric::Discernibility).unwrap();
    let refused = partition::solve(&prepared.problem(&*built), &Unwatched).unwrap_err();
    let expected = Error::MatchAnyRefused {
        algorithm: "partition",
    };
    assert_eq!(refused, expected);
}

#[test]
fn figure_8_has_ten_anonymizations_and_each_is_visited_once() {
    let oracle = tiny_problem("a b", "1 x\n2 y\n3 x\n3 y").require(Promise::KAnonymity { k: 1 });
    let prepared = oracle.prepare().unwrap();
    let built = prepared.metric(&OracleMetric::Discernibility).unwrap();
    let mut problem = prepared.problem(&*built);
    for direction in [Direction::BottomUp, Direction::TopDown] {
        problem.settings.own = PartitionSettings {
            scheme: Some(Scheme::Sps),
            direction,
            rules: PruningRules::NONE,
            ..PartitionSettings::default()
        }
        .given();
        let (_, account) = partition::solve(&problem, &Unwatched).unwrap();
        assert_eq!(account.choices.number(), Some(10.0));
        assert_eq!(account.counts.nodes_visited, 10, "{}", direction.name());
    }
}

#[test]
fn more_columns_than_the_search_has_bits_for_are_refused() {
    let solve = |columns: usize| {
        let names: Vec<String> = (0..columns).map(|column| format!("c{column}")).collect();
        let row = vec!["a"; columns].join(" ");
        let oracle = tiny_problem(&names.join(" "), &format!("{row}\n{row}"))
            .require(Promise::KAnonymity { k: 2 });
        let prepared = oracle.prepare().unwrap();
        let built = prepared.metric(&OracleMetric::Discernibility).unwrap();
        partition::solve(&prepared.problem(&*built), &Unwatched).map(|_| ())
    };
    assert_eq!(solve(64), Ok(()));
    assert_eq!(solve(65), Err(Error::PartitionTooWide));
}

/// A table of four ordered columns, with the metric that boundaries are searched for.
fn ordered_problem(rng: &mut Rng) -> OracleProblem {
    let columns = ["a", "b", "c", "d"];
    let most: Vec<u32> = columns.iter().map(|_| rng.u32(2..=7)).collect();
    let mut text = String::new();
    for _ in 0..rng.usize(40..200) {
        // Small numbers are frequent, as in most tables.
        let cells = most
            .iter()
            .map(|&most| rng.u32(0..most).min(rng.u32(0..most)));
        let cells: Vec<String> = cells.map(|cell| cell.to_string()).collect();
        text += &format!("{}\n", cells.join(" "));
    }
    let mut oracle = tiny_problem("a b c d", &text);
    oracle.models.clear();
    oracle.max_suppressed = [0, 0, rng.usize(0..10)][rng.usize(0..3)];
    oracle.require(Promise::KAnonymity {
        k: rng.usize(2..=9),
    })
}

#[test]
fn boundaries_lead_to_the_cost_that_enumeration_finds_whatever_the_threads() {
    let mut most_nodes = 0;
    for seed in seeds(25) {
        let rng = &mut Rng::with_seed(seed);
        let oracle = ordered_problem(rng);
        let prepared = oracle.prepare().unwrap();
        let built = prepared.metric(&OracleMetric::Discernibility).unwrap();
        let mut problem = prepared.problem(&*built);
        let mut of = |direction, threads| {
            let settings = PartitionSettings {
                direction,
                ..PartitionSettings::default()
            };
            problem.settings.own = settings.given();
            problem.settings.threads = threads;
            partition::solve(&problem, &Unwatched)
        };
        let enumerated = of(Direction::BottomUp, 1);
        let one = of(Direction::Boundaries, 1);
        for threads in [2, 3, 4, 8] {
            let several = of(Direction::Boundaries, threads);
            assert_eq!(several, one, "seed {seed}, {threads} threads");
        }
        match (enumerated, one) {
            (Ok((_, enumerated)), Ok((proposal, one))) => {
                assert_eq!(one.direction, Direction::Boundaries);
                assert_eq!(one.cost, enumerated.cost, "seed {seed}");
                assert_eq!(proposal.guarantee, Guarantee::Optimal);
                most_nodes = most_nodes.max(one.counts.nodes_visited);
            }
            (enumerated, one) => assert_eq!(enumerated.is_err(), one.is_err(), "seed {seed}"),
        }
    }
    // Enough that limits are raised step by step.
    assert!(most_nodes > 64, "{most_nodes}");
}
