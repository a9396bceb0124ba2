//! Conclusions and bounds against every completion of what is decided; the search with a look at guided partitions and without.

use super::super::scheme::find;
use super::super::tests::values;
use super::*;
use crate::algorithms::partition::settings::{PartitionSettings, Scheme};
use crate::algorithms::testutil::random_table;
use crate::privacy::ModelSpec;
use crate::problem::{Meter, Problem, Settings, Watch};
use crate::utility::MetricSpec;
use decisions::Boundary;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

struct Case {
    board: Board,
    tuples: Vec<(u32, Vec<u32>)>,
    smallest: u32,
    rows: u32,
    budget: u32,
}

fn case(draw: &mut Draw) -> Case {
    let attributes = 1 + draw.below(3);
    let mut spaces = Vec::new();
    let mut counts = Vec::new();
    for _ in 0..attributes {
        let count = 1 + draw.below(5);
        // Runs of runs, the highest level in one group or not.
        let mut level: Vec<u32> = (0..count as u32).collect();
        let mut levels = Vec::new();
        for _ in 0..1 + draw.below(3) {
            let mut group = 0;
            let mut coarser = vec![0];
            for pair in level.windows(2) {
                group += u32::from(pair[0] != pair[1] && draw.below(2) == 0);
                coarser.push(group);
            }
            level = coarser;
            levels.push(level.clone());
        }
        let levels: Vec<&[u32]> = levels.iter().map(Vec::as_slice).collect();
        let scheme = [Scheme::Ops, Scheme::Gops, Scheme::Ghs, Scheme::Bhs][draw.below(4)];
        spaces.push(find(scheme).space(&values(&levels)));
        counts.push(count);
    }
    let mut tuples: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    for _ in 0..1 + draw.below(25) {
        let places = counts.iter().map(|&count| draw.below(count) as u32);
        let places: Vec<u32> = places.collect();
        *tuples.entry(places).or_default() += 1 + draw.below(3) as u32;
    }
    let tuples: Vec<(u32, Vec<u32>)> = (tuples.into_iter())
        .map(|(places, size)| (size, places))
        .collect();
    let rows: u32 = tuples.iter().map(|(size, _)| size).sum();
    let smallest = 1 + draw.below(7) as u32;
    let budget = [0, 0, draw.below(rows as usize + 1) as u32, rows][draw.below(4)];
    let boundaries = Boundaries::new(&spaces).unwrap();
    let board = Board::new(
        boundaries,
        attributes,
        tuples.iter().cloned(),
        (smallest, rows, budget),
    );
    Case {
        board: board.unwrap(),
        tuples,
        smallest,
        rows,
        budget,
    }
}

impl Case {
    /// What decisions without an open boundary cost, by definition; none if too many rows are suppressed.
    fn cost(&self, decisions: &Decisions) -> Option<u64> {
        let mut classes: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        for (size, places) in &self.tuples {
            let place = places.iter().enumerate().map(|(attribute, &place)| {
                let before = &decisions[self.board.boundaries.of(attribute)][..place as usize];
                before.iter().filter(|&&it| it == Boundary::Kept).count() as u32
            });
            *classes.entry(place.collect()).or_default() += size;
        }
        let (mut cost, mut suppressed) = (0, 0);
        for size in classes.into_values() {
            match size < self.smallest {
                true => suppressed += size,
                false => cost += u64::from(size) * u64::from(size),
            }
        }
        let charge = u64::from(suppressed) * u64::from(self.rows);
        (suppressed <= self.budget).then_some(cost + charge)
    }

    /// The least cost of all completions.
    fn least(&self, decisions: &Decisions) -> Option<u64> {
        let is_open = |it: &Boundary| *it == Boundary::Open;
        let Some(open) = decisions.iter().position(is_open) else {
            return self.cost(decisions);
        };
        let completions = [Boundary::Kept, Boundary::Gone].into_iter();
        let costs = completions.filter_map(|what| {
            let mut decided = decisions.clone();
            self.board.boundaries.decide(&mut decided, open, what);
            self.least(&decided)
        });
        costs.min()
    }
}

#[test]
fn what_follows_from_decisions_holds_for_every_completion() {
    let mut draw = Draw::new(23);
    let (mut open, mut charged) = (0, 0);
    for number in 0..3000 {
        let case = case(&mut draw);
        let boundaries = &case.board.boundaries;
        let mut decisions = boundaries.first().clone();
        for _ in 0..draw.below(4) {
            let undecided: Vec<usize> = (0..decisions.len())
                .filter(|&it| decisions[it] == Boundary::Open)
                .collect();
            if !undecided.is_empty() {
                let what = [Boundary::Kept, Boundary::Gone][draw.below(2)];
                boundaries.decide(&mut decisions, undecided[draw.below(undecided.len())], what);
            }
        }
        let least = case.least(&decisions);
        let limit = match (least, draw.below(3)) {
            (Some(least), 0) => least + 1,
            (Some(least), 1) => least + least / 3 + 1,
            (Some(least), _) if draw.below(2) == 0 => least,
            _ => u64::MAX,
        };
        let mut grid = Grid::default();
        // From the classes of these decisions or of the first ones.
        let fine = match draw.below(2) {
            0 => case.board.fine(&decisions, &mut grid),
            _ => case.board.fine(boundaries.first(), &mut grid),
        };
        let looked = (case.board)
            .look(decisions, &fine, limit, (&mut grid, &Meter::unlimited()))
            .unwrap();
        let below_limit = least.filter(|&least| least < limit);
        match (&looked.node, &looked.solution) {
            (None, None) => assert_eq!(below_limit, None, "case {number}"),
            (None, Some((solution, cost))) => {
                assert_eq!(Some(*cost), below_limit, "case {number}");
                assert_eq!(case.least(solution), least, "case {number}");
            }
            (Some(node), None) => {
                open += 1;
                // What was concluded excludes nothing below the limit.
                let left = case.least(&node.decisions);
                assert_eq!(left.filter(|&it| it < limit), below_limit, "case {number}");
                assert!(left.is_none_or(|it| node.bound <= it), "case {number}");
                charged += u32::from(below_limit == Some(node.bound));
                assert_eq!(node.decisions[node.next], Boundary::Open);
            }
            _ => panic!("case {number}: a node and a solution"),
        }
        if let Some((decisions, cost)) = &looked.coarse {
            let coarse: Decisions = (decisions.iter())
                .map(|&it| match it {
                    Boundary::Open => Boundary::Gone,
                    decided => decided,
                })
                .collect();
            assert_eq!(case.cost(&coarse), Some(*cost), "case {number}");
        }
    }
    assert!(open > 200 && charged > 20, "{open} {charged}");
}

/// Remembers the bounds that it is told, and says that time is up after so many looks.
struct Bounds {
    seen: Mutex<Vec<Loss>>,
    looks: AtomicU64,
    time_up_after: u64,
}

impl Bounds {
    fn until(time_up_after: u64) -> Self {
        Bounds {
            seen: Mutex::default(),
            looks: AtomicU64::new(0),
            time_up_after,
        }
    }
}

impl Watch for Bounds {
    fn step(&self, progress: Progress) -> Result<(), Interruption> {
        self.seen.lock().unwrap().extend(progress.lower_bound);
        match self.looks.fetch_add(1, MemoryOrdering::Relaxed) >= self.time_up_after {
            true => Err(Interruption::TimeUp),
            false => Ok(()),
        }
    }

    fn look_every(&self) -> u64 {
        1000
    }
}

#[test]
fn guided_partitions_are_a_start_for_all_and_prove_nothing_about_them() {
    let mut draw = Draw::new(7);
    let (mut better, mut interrupted, mut bounds, mut alone) = (0, 0, 0, 0);
    for (k, share) in [(3, 0.0), (5, 0.0), (10, 0.1), (20, 0.02), (40, 0.0)] {
        let table = random_table(3, &mut draw);
        let models: ModelSpec = format!("k-anonymity(k={k})").parse().unwrap();
        let models = models.build_all(&table.columns, &[0]).unwrap();
        let metric: MetricSpec = "discernibility".parse().unwrap();
        let metric = metric.build(&table).unwrap();
        let settings = |scheme| PartitionSettings {
            scheme: Some(scheme),
            ..PartitionSettings::default()
        };
        let problem = Problem::new(&table, &models, &*metric)
            .allow_suppressed((f64::from(table.rows) * share) as u32);
        let search_of = |scheme, threads, guided_after: Option<u64>, watch: &Bounds| {
            let problem = problem.clone().with_settings(Settings {
                threads,
                ..Settings::default()
            });
            let meter = Meter::new(watch);
            let Ok(ground) = Ground::new(&problem, &settings(scheme), &meter) else {
                return (false, None, None, 0, Counts::default());
            };
            let board = board(&ground).unwrap();
            let mut search = Search::new(&ground, &board);
            search.guided_after = guided_after;
            let is_done = search.run().is_ok();
            let best = search.best.map(|best| best.cost);
            (is_done, best, search.seed, search.proven, search.counts)
        };
        let cost_of = |scheme| {
            let watch = Bounds::until(u64::MAX);
            let (is_done, cost, .., counts) = search_of(scheme, 1, None, &watch);
            assert!(is_done);
            (cost.unwrap(), counts)
        };
        let ((best, counts), (guided, _)) = (cost_of(Scheme::Ops), cost_of(Scheme::Gops));
        assert!(best <= guided);
        better += u32::from(best < guided);

        // With guided partitions, the result is the same, on any number of threads.
        let watch = Bounds::until(u64::MAX);
        let with_guided = search_of(Scheme::Ops, 1, Some(0), &watch);
        assert!(with_guided.0 && with_guided.1 == Some(best));
        assert_ne!(with_guided.4, counts, "nothing guided was looked at");
        let are_true = |watch: &Bounds| {
            let seen = watch.seen.lock().unwrap();
            // Guided partitions may be proven to cost more than the best of all: nobody is told that.
            assert!(seen.iter().all(|bound| bound.0 <= best), "{seen:?}");
            seen.len()
        };
        bounds += are_true(&watch);
        for threads in [2, 3] {
            let on_many = search_of(Scheme::Ops, threads, Some(0), &Bounds::until(u64::MAX));
            assert_eq!(on_many, with_guided);
        }
        let looks = watch.looks.into_inner();
        for look in (0..looks).step_by(looks as usize / 25 + 1) {
            let watch = Bounds::until(look);
            let (is_done, found, seed, proven, _) = search_of(Scheme::Ops, 1, Some(0), &watch);
            let Some(seed) = seed else { continue };
            let found = found.expect("what was found is not lost");
            assert!((best..=seed).contains(&found));
            assert!(!is_done && proven as f64 <= best, "{proven} of {best}");
            are_true(&watch);
            interrupted += 1;
        }

        // By themselves, they are all there is, and nothing is known of the others.
        for most in [0, 1000, u64::MAX] {
            let watch = Bounds::until(u64::MAX);
            let meter = Meter::new(&watch);
            let ground = Ground::new(&problem, &settings(Scheme::Ops), &meter).unwrap();
            let board = board(&ground).unwrap();
            let mut search = Search::new(&ground, &board);
            assert!(search.look_among_guided(most, 0).is_ok());
            assert_eq!(search.proven, 0);
            let seen = watch.seen.lock().unwrap().clone();
            assert!(seen.iter().all(|&bound| bound == Loss(0.0)), "{seen:?}");
            alone += seen.len();
            assert_eq!(search.guided_after.is_some(), most < u64::MAX);
            if most == u64::MAX {
                let start = search.best.unwrap();
                assert!((best..=guided).contains(&start.cost));
                let spaces = ground.spaces.iter().zip(&start.partitions);
                assert!(spaces.into_iter().all(|(space, it)| space.contains(it)));
            }
        }

        // Where the hierarchy guides already, there is nothing else to look at.
        let meter = Meter::unlimited();
        let ground = Ground::new(&problem, &settings(Scheme::Gops), &meter).unwrap();
        assert!(ground.guided_spaces().is_none());
    }
    assert!(better > 1 && interrupted > 50 && bounds > 50 && alone > 10);
}
