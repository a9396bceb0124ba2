//! The same answer from the same nodes with the same work, whatever the number of threads.

use crate::adult;
use incrowd_core::Error;
use incrowd_core::algorithms::partition::{Direction, PartitionSettings, Scheme};
use incrowd_core::algorithms::{Algorithm, Optimal, Partition, Solved};
use incrowd_core::privacy::{ModelSpec, PrivacyModel};
use incrowd_core::problem::{Guarantee, Interruption, Problem, Progress, Settings, Watch};
use incrowd_core::utility::MetricSpec;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ThreadId};
use std::time::Duration;

struct WorkLimit(Option<u64>);

impl Watch for WorkLimit {
    fn step(&self, _: Progress) -> Result<(), Interruption> {
        Ok(())
    }

    fn work_limit(&self) -> Option<u64> {
        self.0
    }
}

#[test]
fn a_search_over_boxes_is_the_same_on_any_number_of_threads() {
    let columns = [
        "age",
        "workclass",
        "education",
        "marital-status",
        "race",
        "sex",
    ];
    let table = adult::count(&columns, &["occupation"]);
    let mut most_nodes = 0;
    for (model, share, metric) in [
        ("beta-likeness(beta=3)", 0.3, "average-class-size"),
        ("beta-likeness(beta=3)", 1.0, "average-class-size"),
        ("t-closeness(t=0.2,distance=equal)", 0.1, "loss"),
        ("k-anonymity(k=10)", 0.04, "discernibility"),
        ("k-anonymity(k=10)", 0.0, "discernibility"),
    ] {
        let model: ModelSpec = model.parse().unwrap();
        let models: Vec<Box<dyn PrivacyModel>> = model.build_all(&table.columns, &[0]).unwrap();
        let metric: MetricSpec = metric.parse().unwrap();
        let metric = metric.build(&table).unwrap();
        let rows = (f64::from(table.rows) * share) as u32;
        let solve = |threads: usize, limit: Option<u64>| -> Result<Solved, Error> {
            let problem = Problem::new(&table, &models, &*metric)
                .allow_suppressed(rows)
                .with_settings(Settings {
                    threads,
                    ..Settings::default()
                });
            Optimal.solve_accounted(&problem, &WorkLimit(limit))
        };
        let whole = solve(1, None).unwrap();
        assert_eq!(whole.proposal.guarantee, Guarantee::Optimal);
        most_nodes = most_nodes.max(whole.proposal.nodes_checked);
        let work = whole.work;
        for limit in [None, Some(work / 2), Some(work / 3), Some(work - 1)] {
            let alone = solve(1, limit);
            for threads in [2, 3, 4, 8] {
                assert_eq!(solve(threads, limit), alone, "{threads} threads, {limit:?}");
            }
        }
    }
    // Otherwise hardly two boxes are examined at once.
    assert!(most_nodes > 500, "only {most_nodes} nodes");
}

/// Panics after so many looks, on the thread that searches or on another. If it is on another, the one that searches waits for it
/// and then says that time is up.
struct Panics {
    after: u64,
    is_elsewhere: bool,
    searching: ThreadId,
    looks: AtomicU64,
    has_panicked: AtomicBool,
}

impl Watch for Panics {
    fn step(&self, _: Progress) -> Result<(), Interruption> {
        if self.looks.fetch_add(1, Ordering::Relaxed) < self.after {
            return Ok(());
        }
        let is_searching = thread::current().id() == self.searching;
        if is_searching != self.is_elsewhere {
            self.has_panicked.store(true, Ordering::Relaxed);
            resume_unwind(Box::new("a look that panics"));
        }
        if is_searching {
            thread::sleep(Duration::from_millis(2));
        }
        match self.has_panicked.load(Ordering::Relaxed) {
            true => Err(Interruption::TimeUp),
            false => Ok(()),
        }
    }

    fn look_every(&self) -> u64 {
        1000
    }
}

#[test]
fn a_panic_on_any_thread_ends_a_search_over_boxes_even_if_it_is_over() {
    let columns = ["age", "education", "marital-status", "race", "sex"];
    let table = adult::count(&columns, &["occupation"]);
    let models: ModelSpec = "beta-likeness(beta=3)".parse().unwrap();
    let models = models.build_all(&table.columns, &[0]).unwrap();
    let metric: MetricSpec = "average-class-size".parse().unwrap();
    let metric = metric.build(&table).unwrap();
    for (threads, is_elsewhere) in [(1, false), (2, false), (2, true), (3, true), (4, true)] {
        for after in [0, 20, 100, 200] {
            let problem = Problem::new(&table, &models, &*metric)
                .allow_suppressed(table.rows)
                .with_settings(Settings {
                    threads,
                    ..Settings::default()
                });
            let watch = Panics {
                after,
                is_elsewhere,
                searching: thread::current().id(),
                looks: AtomicU64::new(0),
                has_panicked: AtomicBool::new(false),
            };
            let ended = catch_unwind(AssertUnwindSafe(|| Optimal.solve(&problem, &watch)));
            let panic = ended.expect_err("a panic is not lost");
            assert_eq!(panic.downcast_ref(), Some(&"a look that panics"));
        }
    }
}

#[test]
fn a_search_over_boundaries_is_the_same_on_any_number_of_threads() {
    let table = adult::count(&["age", "race", "sex"], &[]);
    let models: ModelSpec = "k-anonymity(k=25)".parse().unwrap();
    let models = models.build_all(&[], &[]).unwrap();
    let metric: MetricSpec = "discernibility".parse().unwrap();
    let metric = metric.build(&table).unwrap();
    let settings = PartitionSettings {
        scheme: Some(Scheme::Ops),
        direction: Direction::Boundaries,
        ..PartitionSettings::default()
    };
    let solve = |threads: usize, limit: Option<u64>| {
        let problem = Problem::new(&table, &models, &*metric).with_settings(Settings {
            own: settings.given(),
            threads,
            ..Settings::default()
        });
        Partition.solve_accounted(&problem, &WorkLimit(limit))
    };
    let whole = solve(1, None).unwrap();
    assert_eq!(whole.proposal.guarantee, Guarantee::Optimal);
    // Otherwise hardly two nodes are expanded at once.
    let nodes = whole.proposal.nodes_checked;
    assert!(nodes > 100, "only {nodes} nodes");
    let work = whole.work;
    let mut stopped = 0;
    for limit in [None, Some(work / 2), Some(work - work / 8), Some(work - 1)] {
        let alone = solve(1, limit);
        let guarantee = alone.as_ref().ok().map(|alone| alone.proposal.guarantee);
        stopped += u32::from(matches!(guarantee, Some(Guarantee::Bounded { .. })));
        for threads in [2, 3, 4, 8] {
            assert_eq!(solve(threads, limit), alone, "{threads} threads, {limit:?}");
        }
    }
    assert!(stopped > 0, "no limit ended a search");
}
