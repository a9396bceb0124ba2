//! What the classic full-domain algorithms promise beyond a safe release: whole sets of nodes, equal to brute force.

use crate::adult;
use fastrand::Rng;
use incrowd_core::Error;
use incrowd_core::algorithms::incognito::{SafeNodes, safe_nodes};
use incrowd_core::algorithms::{Account, Algorithm, FoundNodes, Incognito, Samarati, Scope};
use incrowd_core::counts::{FrequencySet, KnownSets};
use incrowd_core::lattice::Node;
use incrowd_core::privacy::{MODELS, ModelSpec};
use incrowd_core::problem::{
    Assessor, DEFAULT_MEMORY_LIMIT, Interruption, Problem, Progress, Proposal, Unwatched, Watch,
};
use incrowd_core::utility::{Loss, MetricSpec};
use incrowd_testkit::bridge::assess;
use incrowd_testkit::oracle::OracleMetric;
use incrowd_testkit::random::{random_metric, random_model, random_problem};

/// The safe nodes with no safe node below.
fn minimal(safe: &[Node]) -> Vec<Node> {
    let is_minimal = |node: &&Node| {
        let mut others = safe.iter();
        !others.any(|other| other != *node && other.is_at_or_below(node))
    };
    safe.iter().filter(is_minimal).cloned().collect()
}

fn node_of(proposal: &Proposal) -> &Node {
    proposal.recoding.node().expect("a full-domain recoding")
}

/// Checks both sets against all safe nodes, which come in lattice order.
fn check_sets(problem: &Problem<'_>, safe: &[Node], case: &str) -> SafeNodes {
    let found = safe_nodes(problem, &Unwatched).unwrap();
    assert_eq!(found.nodes, safe, "{case}: incognito");
    let minimal = minimal(safe);
    assert_eq!(found.minimal, minimal, "{case}: incognito, minimal");
    let accounted = |algorithm: &dyn Algorithm| {
        let solved = algorithm.solve_accounted(problem, &Unwatched).ok()?;
        Some(solved.account.expect("nothing stopped it"))
    };
    let expected = (!safe.is_empty()).then(|| {
        Account::SafeNodes(FoundNodes {
            scope: Scope::Lattice,
            safe: safe.len() as u64,
            minimal,
        })
    });
    assert_eq!(accounted(&Incognito), expected, "{case}: incognito");
    let of_least_height = safe.iter().filter(|node| node.height() == safe[0].height());
    let of_least_height: Vec<Node> = of_least_height.cloned().collect();
    let expected = (!safe.is_empty()).then(|| {
        Account::SafeNodes(FoundNodes {
            scope: Scope::LeastHeight,
            safe: of_least_height.len() as u64,
            minimal: of_least_height,
        })
    });
    assert_eq!(accounted(&Samarati), expected, "{case}: samarati");
    let of_least_height = safe.iter().filter(|node| node.height() == safe[0].height());
    let best = of_least_height
        .map(|node| (assess(problem, node).loss.unwrap(), node))
        .min();
    match (best, Samarati.solve(problem, &Unwatched)) {
        (Some((_, node)), Ok(proposal)) => assert_eq!(node_of(&proposal), node, "{case}"),
        (None, Err(Error::NoSolution { .. })) => {}
        (_, found) => panic!("{case}: {found:?}"),
    }
    found
}

#[test]
fn the_sets_of_samarati_and_incognito_equal_brute_force_for_every_model() {
    for (at, entry) in MODELS.iter().enumerate() {
        for seed in 0..24 {
            let seed = seed * MODELS.len() as u64 + at as u64;
            let rng = &mut Rng::with_seed(seed);
            let mut oracle = random_problem(!seed);
            let model = random_model(entry.name, &oracle, rng);
            if rng.bool() {
                oracle.models.clear();
            }
            oracle.models.extend(model);
            let metric = random_metric("loss", &oracle, rng).unwrap_or(OracleMetric::Height);
            for max_suppressed in [0, oracle.max_suppressed, oracle.table.rows.len() / 3] {
                let oracle = oracle.clone().allow_suppressed(max_suppressed);
                let prepared = oracle.prepare().unwrap();
                let built = prepared.metric(&metric).unwrap();
                let judged = oracle.judge_all();
                let safe: Vec<Node> = (judged.iter().filter(|judged| judged.is_feasible()))
                    .map(|judged| Node::from_levels(judged.levels.iter().copied()))
                    .collect();
                let case = format!("{}, seed {seed}, budget {max_suppressed}", entry.name);
                let problem = prepared.problem(&*built);
                check_sets(&problem, &safe, &case);
                let forgetful = problem.limit_memory(0);
                check_sets(&forgetful, &safe, &format!("{case}, without memory"));
            }
        }
    }
}

const SIX: [&str; 6] = [
    "age",
    "workclass",
    "race",
    "occupation",
    "education",
    "marital-status",
];

#[test]
fn the_sets_on_adult_equal_brute_force_and_incognito_prunes() {
    let table = adult::count(&SIX, &["salary-class"]);
    let metric = "loss".parse::<MetricSpec>().unwrap().build(&table).unwrap();
    let lattice = table.lattice();
    let cases: [&[&str]; 4] = [
        &["k-anonymity(k=2)"],
        &["k-anonymity(k=50)"],
        &["t-closeness(t=0.2)"],
        &["k-anonymity(k=50)", "entropy-l-diversity(l=1.5)"],
    ];
    for texts in cases {
        let build = |text: &&str| {
            let spec: ModelSpec = text.parse().unwrap();
            spec.build_all(&table.columns, &[0]).unwrap()
        };
        let models: Vec<_> = texts.iter().flat_map(build).collect();
        let model = texts.join(" & ");
        let problem = |max_suppressed| {
            Problem::new(&table, &models, &*metric).allow_suppressed(max_suppressed)
        };
        // Every node by itself, once for all budgets.
        let all = problem(table.rows);
        let mut known = KnownSets::new(&table, all.columns_read(), DEFAULT_MEMORY_LIMIT);
        let (mut assessor, mut classes) = (Assessor::new(&all), FrequencySet::default());
        let suppressed: Vec<(Node, u32)> = (lattice.walk().into_iter())
            .map(|node| {
                let _ = known.count(&node, &mut classes);
                let rows = assessor
                    .assess(&node, &classes, Some(Loss(0.0)))
                    .rows_suppressed;
                (node, rows)
            })
            .collect();
        for max_suppressed in [0, table.rows / 100, table.rows / 20] {
            let case = format!("{model}, budget {max_suppressed}");
            let safe: Vec<Node> = (suppressed.iter())
                .filter(|(_, rows)| *rows <= max_suppressed)
                .map(|(node, _)| node.clone())
                .collect();
            let problem = problem(max_suppressed);
            let found = check_sets(&problem, &safe, &case);
            let (checked, nodes) = (found.nodes_checked, lattice.nodes() as u64);
            // Where safety does not survive merging, only the promises that do rule something out.
            let most = match (problem.pruning_is_sound(), texts.len()) {
                (true, _) => nodes / 3,
                (false, 1) => nodes,
                (false, _) => nodes * 3 / 4,
            };
            assert!(
                checked <= most,
                "{case}: {checked} of {nodes} nodes checked"
            );
        }
    }
}

/// Stops at a step.
struct StopAt(std::sync::atomic::AtomicU32, Interruption);

impl Watch for StopAt {
    fn step(&self, _: Progress) -> Result<(), Interruption> {
        match self.0.fetch_sub(1, std::sync::atomic::Ordering::Relaxed) {
            0 => Err(self.1),
            _ => Ok(()),
        }
    }

    fn look_every(&self) -> u64 {
        1
    }
}

#[test]
fn a_set_cut_short_is_no_set() {
    let table = adult::count(&SIX[..3], &[]);
    let metric = "loss".parse::<MetricSpec>().unwrap().build(&table).unwrap();
    let models = "k-anonymity(k=5)".parse::<ModelSpec>().unwrap();
    let models = models.build_all(&[], &[]).unwrap();
    let problem = Problem::new(&table, &models, &*metric);
    let watch = |interruption| StopAt(2.into(), interruption);
    for (interruption, is_expected) in [
        (
            Interruption::TimeUp,
            (|error| matches!(error, Error::TimeUp { .. })) as fn(_) -> _,
        ),
        (Interruption::Cancelled, |error| error == Error::Cancelled),
    ] {
        let error = safe_nodes(&problem, &watch(interruption)).unwrap_err();
        assert!(is_expected(error));
    }
    for algorithm in [&Samarati as &dyn Algorithm, &Incognito] {
        let cancelled = algorithm.solve(&problem, &watch(Interruption::Cancelled));
        assert_eq!(cancelled, Err(Error::Cancelled));
        // The top node is judged first, so there is something to show.
        let best = algorithm.solve_accounted(&problem, &watch(Interruption::TimeUp));
        assert_eq!(best.unwrap().account, None);
    }
}
