//! What must be true of every algorithm when it is stopped: at any point, by any limit, whatever it is busy with.
//!
//! No test here waits for a clock. A watch is looked at as work is done, so a watch that counts its looks stops a
//! search at every point there is.

use crate::laws::loss_of;
use fastrand::Rng;
use incrowd_core::Error;
use incrowd_core::algorithms::partition::{PartitionSettings, Scheme};
use incrowd_core::algorithms::{ALGORITHMS, Algorithm, Incognito, Solved};
use incrowd_core::counts::{CountedTable, Missing, RowCounter};
use incrowd_core::hierarchy::Hierarchy;
use incrowd_core::privacy::{
    ClassView, Decimal, Direction, MODELS, ModelEntry, ModelSpec, Monotonicity, PrivacyModel,
};
use incrowd_core::problem::{
    Guarantee, Interruption, Problem, Progress, Settings, Unwatched, Watch,
};
use incrowd_core::publish::{publish, publish_watched};
use incrowd_core::table::RowBatch;
use incrowd_core::utility::{METRICS, MetricSpec};
use incrowd_testkit::oracle::{BruteForce, OracleProblem, almost_equal};
use incrowd_testkit::random::{random_metric, random_model, random_problem};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Every so many units of work it is looked at, and at one look it says stop.
struct Looks {
    every: u64,
    stop: Option<(u64, Interruption)>,
    work_limit: Option<u64>,
    looks: AtomicU64,
    last_work: AtomicU64,
}

impl Looks {
    fn stopping_at(look: u64, why: Interruption) -> Self {
        Looks {
            stop: Some((look, why)),
            ..Looks::of_all()
        }
    }

    /// Sees everything and never stops.
    fn of_all() -> Self {
        Looks {
            every: 1,
            stop: None,
            work_limit: None,
            looks: AtomicU64::new(0),
            last_work: AtomicU64::new(0),
        }
    }

    fn with_work_limit(limit: u64) -> Self {
        Looks {
            work_limit: Some(limit),
            ..Looks::of_all()
        }
    }

    fn count(&self) -> u64 {
        self.looks.load(Ordering::Relaxed)
    }
}

impl Watch for Looks {
    fn step(&self, progress: Progress) -> Result<(), Interruption> {
        let look = self.looks.fetch_add(1, Ordering::Relaxed);
        let before = self.last_work.swap(progress.work, Ordering::Relaxed);
        assert!(progress.work > before, "work grows from look to look");
        if let (Some(best), Some(bound)) = (progress.best, progress.lower_bound) {
            let (best, bound) = (best.0, bound.0);
            assert!(
                bound <= best || almost_equal(bound, best),
                "what is shown as the bound is one: {bound} > {best}"
            );
        }
        match self.stop {
            Some((at, why)) if look >= at => Err(why),
            _ => Ok(()),
        }
    }

    fn look_every(&self) -> u64 {
        self.every
    }

    fn work_limit(&self) -> Option<u64> {
        self.work_limit
    }
}

/// Random problems with a metric, so many for each model.
fn for_every_model(
    count: u64,
    mut law: impl FnMut(&OracleProblem, &Problem<'_>, &BruteForce, &str),
) {
    let times = std::env::var("INCROWD_LAWS").ok();
    let count = count * times.and_then(|times| times.parse().ok()).unwrap_or(1);
    for (at, entry) in MODELS.iter().enumerate() {
        for seed in 0..count {
            let seed = seed * MODELS.len() as u64 + at as u64;
            let rng = &mut Rng::with_seed(seed);
            let mut oracle = random_problem(seed);
            if rng.bool() {
                oracle.models.clear();
            }
            oracle.models.extend(random_model(entry.name, &oracle, rng));
            let metric = loop {
                let entry = &METRICS[rng.usize(0..METRICS.len())];
                if let Some(metric) = random_metric(entry.name, &oracle, rng) {
                    break metric;
                }
            };
            let case = format!("seed {seed}, {}, {}", entry.name, metric.spec());
            let prepared = oracle.prepare().expect(&case);
            let built = prepared.metric(&metric).expect(&case);
            let problem = prepared.problem(&*built);
            law(&oracle, &problem, &oracle.brute_force(&metric), &case);
        }
    }
}

/// An answer is safe and claims nothing that is false; no answer is excused only if nothing cheap is safe either.
fn check_honest(
    problem: &Problem<'_>,
    solved: &Result<Solved, Error>,
    oracle: &BruteForce,
    case: &str,
) {
    let top_is_safe = oracle.nodes.last().is_some_and(|top| top.is_feasible);
    let solved = match solved {
        Ok(solved) => solved,
        Err(Error::TimeUp { .. } | Error::WorkDone { .. } | Error::AskedTooSoon { .. }) => {
            assert!(!top_is_safe, "{case}: the highest levels are an answer");
            return;
        }
        Err(Error::NoSolution { .. }) => {
            assert_eq!(oracle.least_loss, None, "{case}: there is a solution");
            return;
        }
        Err(Error::NoneFound { .. }) => {
            assert!(!top_is_safe, "{case}");
            return;
        }
        Err(
            Error::OneTargetNeeded { .. }
            | Error::TargetNeeded { .. }
            | Error::TargetNotNumeric { .. }
            | Error::PartitionMetric { .. }
            | Error::MatchAnyRefused { .. },
        ) => return,
        Err(error) => panic!("{case}: {error}"),
    };
    let release = publish(problem, &solved.proposal).expect(case);
    let loss = loss_of(problem, &solved.proposal, case).0;
    // Cuts and partitions have oracles of their own; what lies at a node is known here.
    let Some(least) = oracle.least_loss.filter(|_| release.node().is_some()) else {
        return;
    };
    match solved.proposal.guarantee {
        Guarantee::Optimal => {
            assert!(almost_equal(loss, least), "{case}: {loss} is not {least}");
            assert_eq!(solved.stopped, None, "{case}: a proof is no half measure");
        }
        Guarantee::Bounded { lower_bound } => {
            let bound = lower_bound.0;
            assert!(bound <= least || almost_equal(bound, least), "{case}");
            assert!(solved.stopped.is_some(), "{case}");
        }
        Guarantee::Heuristic => {}
    }
}

/// Some looks of a search that takes so many: the first ones, and then ever fewer.
fn some_of(looks: u64) -> impl Iterator<Item = u64> {
    let later = std::iter::successors(Some(12u64), |look| Some(look * 3 / 2));
    (0..12).chain(later).take_while(move |&look| look < looks)
}

#[test]
fn stopped_at_any_look_the_answer_is_safe_and_honest() {
    // Every unit of work is looked at, or every so many, so that some are not looked at yet when it says stop.
    let mut turn = 0;
    for_every_model(6, |_, problem, oracle, case| {
        turn += 1;
        let every = [1, 1, 40, 300][turn % 4];
        for algorithm in ALGORITHMS {
            let case = format!("{case}, {}, every {every}", algorithm.entry().name);
            let all = Looks {
                every,
                ..Looks::of_all()
            };
            let whole = algorithm.solve_accounted(problem, &all);
            check_honest(problem, &whole, oracle, &case);
            assert_eq!(
                whole.as_ref().ok().map(|solved| &solved.proposal),
                algorithm.solve(problem, &Unwatched).as_ref().ok(),
                "{case}: being watched changes nothing"
            );
            for look in some_of(all.count()) {
                for why in [Interruption::TimeUp, Interruption::Asked] {
                    let case = format!("{case}, {why:?} at look {look}");
                    let watch = Looks {
                        every,
                        ..Looks::stopping_at(look, why)
                    };
                    let solved = algorithm.solve_accounted(problem, &watch);
                    assert_eq!(watch.count(), look + 1, "{case}: asked no more");
                    check_honest(problem, &solved, oracle, &case);
                    if let Ok(solved) = &solved {
                        let is_proven = solved.proposal.guarantee == Guarantee::Optimal;
                        let stopped = (!is_proven).then_some(why);
                        assert_eq!(solved.stopped, stopped, "{case}: says so");
                    }
                }
                let watch = Looks::stopping_at(look, Interruption::Cancelled);
                let cancelled = algorithm.solve(problem, &watch);
                assert_eq!(cancelled, Err(Error::Cancelled), "{case}, look {look}");
            }
        }
    });
}

#[test]
fn a_limit_on_work_stops_every_algorithm_at_the_same_place() {
    for_every_model(6, |_, problem, oracle, case| {
        for algorithm in ALGORITHMS {
            let all = Looks::of_all();
            let Ok(whole) = algorithm.solve_accounted(problem, &all) else {
                continue;
            };
            for limit in some_of(whole.work + 1) {
                let case = format!("{case}, {}, {limit} units", algorithm.entry().name);
                let solved = algorithm.solve_accounted(problem, &Looks::with_work_limit(limit));
                check_honest(problem, &solved, oracle, &case);
                // How often somebody looks must not matter.
                let seldom = Looks {
                    every: 1000,
                    ..Looks::with_work_limit(limit)
                };
                let again = algorithm.solve_accounted(problem, &seldom);
                assert_eq!(solved, again, "{case}");
                if let Ok(solved) = solved {
                    let is_proven = solved.proposal.guarantee == Guarantee::Optimal;
                    let stopped =
                        (!is_proven && limit < whole.work).then_some(Interruption::WorkDone);
                    assert_eq!(solved.stopped, stopped, "{case}");
                }
            }
            let enough = Looks::with_work_limit(whole.work);
            assert_eq!(
                algorithm.solve_accounted(problem, &enough),
                Ok(whole),
                "{case}"
            );
        }
    });
}

#[test]
fn a_watch_is_asked_as_often_as_the_work_says_whatever_the_threads() {
    const EVERY: u64 = 1000;
    let mut asked = 0;
    for_every_model(3, |_, problem, _, case| {
        for algorithm in ALGORITHMS {
            for threads in [1, 3] {
                let problem = problem.clone().with_settings(Settings {
                    threads,
                    ..problem.settings.clone()
                });
                let watch = Asks::default();
                let Ok(solved) = algorithm.solve_accounted(&problem, &watch) else {
                    continue;
                };
                let (looks, work) = (watch.0.into_inner(), solved.work);
                asked += looks;
                assert!(
                    (looks + 1) * 2 * EVERY > work,
                    "{case}, {}, {threads} threads: {looks} looks at {work} units",
                    algorithm.entry().name
                );
            }
        }
    });
    assert!(asked > 1000, "{asked}");

    /// Counts how often it is asked.
    #[derive(Default)]
    struct Asks(AtomicU64);

    impl Watch for Asks {
        fn step(&self, _: Progress) -> Result<(), Interruption> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }

        fn look_every(&self) -> u64 {
            EVERY
        }
    }
}

/// Counts how often it is asked about a class: what a search is busy with, told by somebody else.
#[derive(Debug)]
struct Asked {
    model: Box<dyn PrivacyModel>,
    questions: Arc<AtomicU64>,
}

impl PrivacyModel for Asked {
    fn entry(&self) -> &'static ModelEntry {
        self.model.entry()
    }
    fn column(&self) -> Option<usize> {
        self.model.column()
    }
    fn holds(&self, class: &ClassView<'_>) -> bool {
        self.questions.fetch_add(1, Ordering::Relaxed);
        self.model.holds(class)
    }
    fn measure(&self, class: &ClassView<'_>) -> f64 {
        self.model.measure(class)
    }
    fn direction(&self) -> Direction {
        self.model.direction()
    }
    fn smallest_class(&self) -> u32 {
        self.model.smallest_class()
    }
    fn monotonicity(&self) -> Monotonicity {
        self.model.monotonicity()
    }
    fn parameter(&self) -> Decimal {
        self.model.parameter()
    }
    fn other_settings(&self) -> Vec<Option<String>> {
        self.model.other_settings()
    }
    fn with_checked(&self, parameter: Decimal) -> Box<dyn PrivacyModel> {
        self.model.with_checked(parameter)
    }
}

/// Sees how many classes were judged between two looks, at most.
struct Busy {
    questions: Arc<AtomicU64>,
    last: AtomicU64,
    most: AtomicU64,
    looks: AtomicU64,
}

impl Busy {
    fn note(&self) {
        let now = self.questions.load(Ordering::Relaxed);
        let before = self.last.swap(now, Ordering::Relaxed);
        self.most.fetch_max(now - before, Ordering::Relaxed);
    }
}

impl Watch for Busy {
    fn step(&self, _: Progress) -> Result<(), Interruption> {
        self.note();
        // Enough to have seen every kind of loop.
        match self.looks.fetch_add(1, Ordering::Relaxed) {
            look if look > 20_000 => Err(Interruption::TimeUp),
            _ => Ok(()),
        }
    }

    fn look_every(&self) -> u64 {
        LOOK_EVERY
    }
}

const LOOK_EVERY: u64 = 256;

/// Numbers of two columns, one of them with many values, and what they should not tell.
fn long_column(rows: u32, values: u32) -> CountedTable {
    let names = ["long", "short", "secret"].map(String::from);
    let mut counter = RowCounter::new(&names, &[0, 1], &[2]);
    let mut batch = RowBatch::new(3);
    for row in 0..rows {
        let mixed = row.wrapping_mul(2_654_435_761) >> 8;
        for cell in [row % values, mixed % 4, mixed / 7 % 5] {
            batch.push_cell(cell.to_string().as_bytes());
        }
    }
    counter.add(&batch).unwrap();
    let levels = |values: u32| -> Vec<Vec<String>> {
        let texts = |value: u32| {
            let wide = |width: u32| format!("{}+{width}", value / width * width);
            vec![value.to_string(), wide(8), wide(64), "*".to_owned()]
        };
        (0..values).map(texts).collect()
    };
    let hierarchies = [("long", values), ("short", 4)]
        .map(|(name, values)| Hierarchy::from_rows(name, levels(values)).unwrap());
    counter
        .finish(hierarchies.into(), vec![None], Missing::default())
        .unwrap()
}

/// How many classes an algorithm judges without looking up, on a table with so many values in one column.
fn longest_stretch(algorithm: &dyn Algorithm, values: u32, settings: &PartitionSettings) -> u64 {
    let table = long_column(8 * values, values);
    let questions = Arc::new(AtomicU64::new(0));
    let spec: ModelSpec = "distinct-l-diversity(l=2)".parse().unwrap();
    let models = spec.build_all(&table.columns, &[0]).unwrap();
    let models: Vec<Box<dyn PrivacyModel>> = models
        .into_iter()
        .map(|model| {
            let questions = Arc::clone(&questions);
            Box::new(Asked { model, questions }) as Box<dyn PrivacyModel>
        })
        .collect();
    let metric: MetricSpec = "discernibility".parse().unwrap();
    let metric = metric.build(&table).unwrap();
    let problem = Problem::new(&table, &models, &*metric)
        .allow_suppressed(3)
        .with_settings(Settings {
            targets: vec![0],
            without_hierarchy: vec![0],
            own: settings.given(),
            ..Settings::default()
        });
    let watch = Busy {
        questions,
        last: AtomicU64::new(0),
        most: AtomicU64::new(0),
        looks: AtomicU64::new(0),
    };
    let _ = algorithm.solve(&problem, &watch);
    watch.note();
    let judged = watch.questions.load(Ordering::Relaxed);
    assert!(judged > u64::from(values), "{judged} classes judged in all");
    watch.most.load(Ordering::Relaxed)
}

#[test]
fn no_algorithm_judges_more_than_a_few_passes_of_classes_without_a_look() {
    let values = 200;
    let tuples = u64::from(4 * values);
    for algorithm in ALGORITHMS {
        for scheme in Scheme::ALL {
            let is_partition = algorithm.entry().name == "partition";
            if !is_partition && scheme != Scheme::Ops {
                continue;
            }
            let settings = PartitionSettings {
                scheme: Some(scheme),
                ..PartitionSettings::default()
            };
            let most = longest_stretch(*algorithm, values, &settings);
            assert!(
                most <= LOOK_EVERY + 4 * tuples,
                "{}, {scheme:?}: {most} classes judged without a look",
                algorithm.entry().name
            );
        }
    }
}

/// A table whose lattice has three to the power of `columns` nodes, all of them safe.
fn wide_table(columns: usize) -> CountedTable {
    let names: Vec<String> = (0..columns).map(|at| format!("c{at}")).collect();
    let all: Vec<usize> = (0..columns).collect();
    let mut counter = RowCounter::new(&names, &all, &[]);
    let mut batch = RowBatch::new(columns);
    for row in 0..4 {
        all.iter()
            .for_each(|at| batch.push_cell(((row + at) % 4).to_string().as_bytes()));
    }
    counter.add(&batch).unwrap();
    let levels = |value: u32| vec![value.to_string(), format!("{}+", value / 2), "*".into()];
    let hierarchy = |name: &String| Hierarchy::from_rows(name, (0..4).map(levels)).unwrap();
    let hierarchies = names.iter().map(hierarchy).collect();
    counter
        .finish(hierarchies, Vec::new(), Missing::default())
        .unwrap()
}

#[test]
fn a_search_whose_nodes_outgrow_the_memory_ends_with_what_it_has() {
    let table = wide_table(14);
    let metric: MetricSpec = "discernibility".parse().unwrap();
    let metric = metric.build(&table).unwrap();
    let problem = Problem::new(&table, &[], &*metric).limit_memory(0);
    let solved = Incognito.solve_accounted(&problem, &Unwatched).unwrap();
    assert_eq!(solved.stopped, Some(Interruption::MemoryFull));
    publish(&problem, &solved.proposal).unwrap();
    // A limit that has room for all of them is not in the way.
    let table = wide_table(8);
    let metric: MetricSpec = "discernibility".parse().unwrap();
    let metric = metric.build(&table).unwrap();
    let problem = Problem::new(&table, &[], &*metric).limit_memory(0);
    let solved = Incognito.solve_accounted(&problem, &Unwatched).unwrap();
    assert_eq!(solved.stopped, None);
}

#[test]
fn a_check_that_is_stopped_at_any_look_publishes_nothing_whatever_the_threads() {
    for_every_model(2, |_, problem, _, case| {
        let Ok(proposal) = ALGORITHMS[0].solve(problem, &Unwatched) else {
            return;
        };
        let suppressed = publish(problem, &proposal).expect(case).rows_suppressed();
        for threads in [1, 3] {
            let mut table = problem.table.clone();
            table.threads = threads;
            let mut problem = problem.clone();
            problem.table = &table;
            let all = Looks::of_all();
            let whole = publish_watched(&problem, &proposal, &all).expect(case);
            assert!(all.count() > 0, "{case}: the check looks at its watch");
            assert_eq!(whole.rows_suppressed(), suppressed, "{case}");
            for look in 0..all.count() {
                for why in [Interruption::TimeUp, Interruption::Cancelled] {
                    let case = format!("{case}, look {look}, {threads} threads");
                    let watch = Looks::stopping_at(look, why);
                    let stopped = publish_watched(&problem, &proposal, &watch);
                    let is_right = match why {
                        Interruption::Cancelled => matches!(stopped, Err(Error::Cancelled)),
                        _ => matches!(stopped, Err(Error::CheckStopped)),
                    };
                    assert!(is_right, "{case}");
                    assert_eq!(watch.count(), look + 1, "{case}: stopped is stopped");
                }
            }
        }
    });
}
