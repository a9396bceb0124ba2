//! What must be true of every model, metric and algorithm, checked on random problems against brute force.
//!
//! New entries of the registries are covered on arrival; a model or metric that the oracle does not know fails here
//! until it is told. `INCROWD_LAWS=20` checks twenty times as many problems.

mod counting;
mod lattice;
mod properties;
mod release;

use fastrand::Rng;
use incrowd_core::Error;
use incrowd_core::algorithms::{ALGORITHMS, Algorithm, Optimal};
use incrowd_core::counts::MissingCells;
use incrowd_core::lattice::Node;
use incrowd_core::privacy::MODELS;
use incrowd_core::problem::{
    Assessor, Guarantee, Interruption, Problem, Progress, Proposal, Unwatched, Watch,
};
use incrowd_core::publish::{Release, publish};
use incrowd_core::table::Kind;
use incrowd_core::utility::{Loss, METRICS};
use incrowd_testkit::bridge::assess;
use incrowd_testkit::oracle::{
    BruteForce, MissingPolicy, OracleMetric, OracleProblem, almost_equal,
};
use incrowd_testkit::random::{
    random_metric, random_model, random_population, random_problem, wide_problem,
};
use std::sync::atomic::{AtomicU64, Ordering};

/// So many seeds, or as many times more as the environment asks for.
fn seeds(count: u64) -> std::ops::Range<u64> {
    let times = std::env::var("INCROWD_LAWS").ok();
    0..count * times.and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// Every third algorithm, others next time. Over many problems each of them meets every model and metric, at a third of the
/// cost; the environment may ask for all of them at once.
fn in_turn(turn: &mut usize) -> impl Iterator<Item = &'static dyn Algorithm> + use<> {
    *turn += 1;
    let (turn, all) = (*turn, std::env::var_os("INCROWD_LAWS").is_some());
    let algorithms = ALGORITHMS.iter().enumerate();
    let chosen = algorithms.filter(move |(at, _)| all || (at + turn).is_multiple_of(3));
    chosen.map(|(_, algorithm)| *algorithm)
}

/// Random problems, so many for each model, alone or together with others. The text says which one it is.
fn for_every_model(count: u64, mut law: impl FnMut(&OracleProblem, &str, &mut Rng)) {
    for (at, entry) in MODELS.iter().enumerate() {
        for seed in seeds(count) {
            let seed = seed * MODELS.len() as u64 + at as u64;
            let rng = &mut Rng::with_seed(!seed);
            let mut problem = random_problem(seed);
            if entry.kind.needs_population && problem.missing != MissingPolicy::MatchAny {
                problem.population = Some(random_population(&problem, rng));
            }
            let model = random_model(entry.name, &problem, rng);
            if rng.u8(0..3) > 0 {
                problem.models.clear();
            }
            problem.models.extend(model);
            let models: Vec<String> = problem.models.iter().map(|model| model.spec()).collect();
            let case = format!("seed {seed}, {}", models.join(" & "));
            law(&problem, &case, rng);
        }
    }
}

fn node_of(levels: &[u8]) -> Node {
    Node::from_levels(levels.iter().copied())
}

fn levels_of(proposal: &Proposal) -> Vec<u8> {
    let node = proposal.recoding.node().expect("a full-domain recoding");
    node.levels().map(|level| level.0).collect()
}

fn any_metric(oracle: &OracleProblem, rng: &mut Rng) -> OracleMetric {
    loop {
        let entry = &METRICS[rng.usize(0..METRICS.len())];
        if let Some(metric) = random_metric(entry.name, oracle, rng) {
            return metric;
        }
    }
}

/// Solves and publishes; none when there is no solution.
fn release_of<'a>(
    algorithm: &dyn Algorithm,
    problem: &Problem<'a>,
    case: &str,
) -> Option<Release<'a>> {
    let proposal = algorithm.solve(problem, &Unwatched).ok()?;
    Some(publish(problem, &proposal).expect(case))
}

/// The best node when every node of the lattice is assessed by itself.
fn best_of_all(problem: &Problem<'_>, brute_force: &BruteForce, case: &str) -> Option<Vec<u8>> {
    let walk = problem.lattice().walk();
    assert!(
        walk.iter()
            .map(|node| node.levels().map(|level| level.0).collect::<Vec<u8>>())
            .eq(brute_force.nodes.iter().map(|node| node.levels.clone())),
        "{case}: nodes in lattice order"
    );
    let mut best: Option<(Loss, Node)> = None;
    for (node, expected) in walk.into_iter().zip(&brute_force.nodes) {
        let assessment = assess(problem, &node);
        assert_eq!(
            assessment.rows_suppressed as usize, expected.rows_suppressed,
            "{case}: rows suppressed at {node:?}"
        );
        assert_eq!(assessment.loss.is_some(), expected.is_feasible, "{case}");
        if let Some(loss) = assessment.loss {
            assert!(
                almost_equal(loss.0, expected.loss),
                "{case}: at {node:?} {} is not {}",
                loss.0,
                expected.loss
            );
            best = best.into_iter().chain([(loss, node)]).min();
        }
    }
    best.map(|(_, node)| node.levels().map(|level| level.0).collect())
}

/// Algorithms that follow one path up the lattice, or end at its top where a promise is about the whole release: where safety
/// does not survive merging they may pass a solution by, but they give up only at the highest acceptable levels.
const FOLLOW_ONE_PATH: [&str; 14] = [
    "partition",
    "datafly",
    "mu-argus",
    "bottom-up",
    "top-down",
    "mondrian",
    "mondrian-infogain",
    "mondrian-lsd",
    "finest",
    "ncp-cluster",
    "euclidean-cluster",
    "rv-local",
    "rv-cluster",
    "rv-cluster-suppress",
];

/// Checks that an algorithm may say there is no solution, or that it found none.
fn check_no_solution(error: &Error, oracle: &BruteForce, case: &str) {
    match error {
        Error::NoSolution { .. } => {
            assert_eq!(oracle.least_loss, None, "{case}: there is a solution");
        }
        Error::NoneFound { algorithm, .. } => {
            assert!(FOLLOW_ONE_PATH.contains(algorithm), "{case}");
            let top = oracle.nodes.last().expect("there is a top node");
            assert!(!top.is_feasible, "{case}: the top node is a solution");
        }
        error => panic!("{case}: {error}"),
    }
}

/// The loss of a proposal, by the code that searches where it can, and by the check.
pub(crate) fn loss_of(problem: &Problem<'_>, proposal: &Proposal, case: &str) -> Loss {
    let measured = publish(problem, proposal).expect(case).loss(problem.metric);
    let Some(recoding) = proposal.recoding.by_columns() else {
        return measured;
    };
    let assessed = Assessor::new(problem).assess_recoding(recoding).loss;
    let is_same = assessed.is_some_and(|it| it.is_about(measured));
    assert!(is_same, "{case}: {assessed:?} is not {measured:?}");
    assessed.unwrap()
}

/// Checks what an algorithm says against what every node is known to be.
fn check_answer(
    algorithm: &dyn Algorithm,
    problem: &Problem<'_>,
    (brute_force, best): (&BruteForce, &Option<Vec<u8>>),
    case: &str,
) {
    let answer = algorithm.solve(problem, &Unwatched);
    assert_eq!(
        answer,
        algorithm.solve(problem, &Unwatched),
        "{case}: twice"
    );
    let forgetful = problem.clone().limit_memory(0);
    match (&answer, algorithm.solve(&forgetful, &Unwatched)) {
        (Ok(one), Ok(other)) if one.recoding.node().is_none() => {
            // Of equally good partitions another one may be found.
            let loss = |proposal: &Proposal| loss_of(problem, proposal, case).0;
            assert!(almost_equal(loss(one), loss(&other)), "{case}: no memory");
        }
        (Ok(one), Ok(other)) => assert_eq!(
            one.recoding.node(),
            other.recoding.node(),
            "{case}: no memory"
        ),
        (one, other) => assert_eq!(*one, other, "{case}: no memory"),
    }
    match answer {
        Ok(proposal) if proposal.recoding.node().is_none() => {
            // What lies between the nodes of the lattice is for the check to judge, and for oracles of its own.
            let loss = loss_of(problem, &proposal, case);
            assert_eq!(
                proposal.loss.unwrap_or(loss),
                loss,
                "{case}: the loss claimed"
            );
            let is_proven = proposal.guarantee != Guarantee::Heuristic;
            assert!(!is_proven || proposal.loss.is_some(), "{case}");
        }
        Ok(proposal) => {
            let levels = levels_of(&proposal);
            let node = brute_force.nodes.iter().find(|node| node.levels == levels);
            assert!(
                node.is_some_and(|node| node.is_feasible),
                "{case}: feasible"
            );
            let nodes = problem.lattice().nodes();
            let checked = u128::from(proposal.nodes_checked);
            assert!(checked <= nodes, "{case}: {checked} of {nodes} nodes");
            if let (Some(claimed), Some(node)) = (proposal.loss, node) {
                assert!(almost_equal(claimed.0, node.loss), "{case}: {claimed:?}");
            }
            if proposal.guarantee == Guarantee::Optimal {
                assert!(proposal.loss.is_some(), "{case}: an optimum has a loss");
                assert!(brute_force.optima.contains(&levels), "{case}: {levels:?}");
                // Those that list strings prefer fewer attributes at their last level: see `research_strings`.
                if !algorithm.entry().has_setting("strings") {
                    assert_eq!(Some(levels), *best, "{case}: ties go by lattice order");
                }
            }
        }
        Err(error) => {
            let top = brute_force.nodes.last().expect("there is a top node");
            if is_refused(problem, &error) {
                return;
            }
            check_no_solution(&error, brute_force, case);
            let (Error::NoSolution {
                max_suppressed,
                rows_suppressed_at_limit,
                ..
            }
            | Error::NoneFound {
                max_suppressed,
                rows_suppressed_at_limit,
                ..
            }) = error
            else {
                unreachable!("just checked");
            };
            let expected = (problem.max_suppressed, top.rows_suppressed as u32);
            assert_eq!(
                (max_suppressed, rows_suppressed_at_limit),
                expected,
                "{case}"
            );
        }
    }
}

/// Whether a problem is one that the algorithm rightly says it is not for.
fn is_refused(problem: &Problem<'_>, error: &Error) -> bool {
    let table = problem.table;
    match error {
        Error::OneTargetNeeded { given, .. } => {
            *given == problem.settings.targets.len() && *given != 1
        }
        Error::TargetNeeded { .. } => problem.settings.targets.is_empty(),
        Error::TargetNotNumeric { column, .. } => {
            let target = table.columns.iter().find(|it| it.name == *column);
            target.is_some_and(|it| it.kind != Kind::Number)
        }
        Error::PartitionMetric { .. } => problem.metric.by_row().is_none(),
        Error::MatchAnyRefused { .. } => {
            let mut attributes = table.attributes.iter();
            table.missing.cells == MissingCells::MatchAny
                && attributes.any(|attribute| attribute.missing.is_some())
        }
        _ => false,
    }
}

#[test]
fn the_optimum_equals_brute_force_for_every_model_and_metric() {
    let mut turn = 0;
    for_every_model(30, |oracle, case, rng| {
        let prepared = oracle.prepare().expect(case);
        let judged = oracle.judge_all();
        // The number of metrics may be a multiple of three.
        turn += 1;
        for entry in METRICS {
            let Some(metric) = random_metric(entry.name, oracle, rng) else {
                continue;
            };
            let case = format!("{case}, {}", metric.spec());
            let built = prepared.metric(&metric).expect(&case);
            let problem = prepared.problem(&*built);
            let brute_force = BruteForce::over(&judged, &metric);
            let best = best_of_all(&problem, &brute_force, &case);
            for algorithm in in_turn(&mut turn) {
                let case = format!("{case}, {}", algorithm.entry().name);
                check_answer(algorithm, &problem, (&brute_force, &best), &case);
            }
        }
    });
}

#[test]
fn the_optimum_equals_brute_force_where_everything_may_be_suppressed() {
    // Then the sizes of classes say of many nodes that they are not the best, once those below are known.
    for_every_model(30, |oracle, case, rng| {
        let oracle = oracle.clone().allow_suppressed(oracle.table.rows.len());
        let prepared = oracle.prepare().expect(case);
        let judged = oracle.judge_all();
        if judged.len() < 24 {
            return;
        }
        for name in ["average-class-size", "discernibility"] {
            let metric = random_metric(name, &oracle, rng).expect("a metric for any table");
            let case = format!("{case}, {}", metric.spec());
            let built = prepared.metric(&metric).expect(&case);
            let problem = prepared.problem(&*built);
            let brute_force = BruteForce::over(&judged, &metric);
            let best = best_of_all(&problem, &brute_force, &case);
            check_answer(&Optimal, &problem, (&brute_force, &best), &case);
        }
    });
}

#[test]
fn keys_of_more_than_64_bits_give_the_same_optimum() {
    let mut turn = 0;
    for seed in seeds(12) {
        turn += 1;
        let mut wide = wide_problem(seed);
        let mut narrow = wide.clone();
        for (column, ways_up) in &mut narrow.quasi_identifiers {
            let position = wide.table.position(column);
            let rows = 0..wide.table.rows.len();
            ways_up.retain(|way| rows.clone().any(|row| wide.cell(row, position) == way[0]));
        }
        wide.max_suppressed = wide.table.rows.len() / 2;
        narrow.max_suppressed = wide.max_suppressed;
        let (wide_table, narrow_table) = (wide.prepare().unwrap(), narrow.prepare().unwrap());
        assert!(wide_table.table.layout.words() > 1 && narrow_table.table.layout.words() == 1);
        let (judged, narrow_judged) = (wide.judge_all(), narrow.judge_all());
        for entry in METRICS {
            let rng = &mut Rng::with_seed(seed);
            let Some(metric) = random_metric(entry.name, &wide, rng) else {
                continue;
            };
            let case = format!("seed {seed}, {}", metric.spec());
            let brute_force = BruteForce::over(&judged, &metric);
            let built = wide_table.metric(&metric).unwrap();
            let problem = wide_table.problem(&*built);
            let best = best_of_all(&problem, &brute_force, &case);
            for algorithm in in_turn(&mut turn) {
                check_answer(algorithm, &problem, (&brute_force, &best), &case);
            }
            // What does not depend on the values listed but in no row does not depend on the width of keys.
            let listed = [
                "loss",
                "ncp",
                "ambiguity",
                "kl-divergence",
                "query-error",
                "research-value",
            ];
            if !listed.contains(&entry.name) {
                let built = narrow_table.metric(&metric).unwrap();
                let brute_force = BruteForce::over(&narrow_judged, &metric);
                let narrow = narrow_table.problem(&*built);
                assert_eq!(best_of_all(&narrow, &brute_force, &case), best, "{case}");
            }
        }
    }
}

/// Calls time after so many steps.
struct Hourglass(AtomicU64);

impl Watch for Hourglass {
    fn step(&self, _: Progress) -> Result<(), Interruption> {
        let ran_out = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            })
            .is_err();
        if ran_out {
            Err(Interruption::TimeUp)
        } else {
            Ok(())
        }
    }

    fn look_every(&self) -> u64 {
        1
    }
}

#[test]
fn an_answer_cut_short_is_safe_and_honest_about_its_bound() {
    for_every_model(20, |oracle, case, rng| {
        let prepared = oracle.prepare().expect(case);
        let metric = any_metric(oracle, rng);
        let built = prepared.metric(&metric).unwrap();
        let problem = prepared.problem(&*built);
        let brute_force = oracle.brute_force(&metric);
        let least = brute_force.least_loss;
        for algorithm in ALGORITHMS {
            let watch = Hourglass(AtomicU64::new(rng.u64(0..6)));
            match algorithm.solve(&problem, &watch) {
                Ok(proposal) => {
                    let release = publish(&problem, &proposal).expect(case);
                    if release.node().is_none() {
                        continue;
                    }
                    let assessed = Assessor::new(&problem)
                        .assess_recoding(release.recoding().by_columns().unwrap());
                    let loss = assessed.loss.expect("published").0;
                    let least = least.expect(case);
                    assert!(loss >= least || almost_equal(loss, least), "{case}");
                    match proposal.guarantee {
                        Guarantee::Optimal => assert!(almost_equal(loss, least), "{case}"),
                        Guarantee::Bounded { lower_bound } => {
                            let bound = lower_bound.0;
                            assert!(bound <= least || almost_equal(bound, least), "{case}");
                        }
                        Guarantee::Heuristic => {}
                    }
                }
                Err(Error::TimeUp { .. }) => {}
                Err(error) if is_refused(&problem, &error) => {}
                Err(error) => check_no_solution(&error, &brute_force, case),
            }
        }
    });
}
