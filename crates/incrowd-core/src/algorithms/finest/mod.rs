//! Local recoding for the least width of published values.
//!
//! `cluster.rs` is what a cluster costs, `grow.rs` how clusters come about, `improve.rs` how they are improved. Here
//! tuples and clusters that lie near each other are put into buckets, small enough that everything inside may be
//! compared with everything else, and threads share the buckets.

mod cluster;
mod grow;
mod improve;

use super::cuts::Judge;
use super::mondrian::{AtMedian, CutTable, Space, proposal, refuse_overlapping_crowds, uncut};
use super::people::PeopleInBoxes;
use super::printed::prints_safely;
use super::{
    Algorithm, AlgorithmEntry, AlgorithmKind, DefaultBudget, Found, Generalization, Status,
};
use crate::Error;
use crate::algorithms::properties::{Direction, GrowsWith, Optimum, Properties, Targets, Usage};
use crate::counts::{FrequencySet, Work};
use crate::problem::{Interruption, Meter, Problem, Progress};
use crate::recode::{PublishedNumbers, Regions};
use cluster::{Axes, Cluster};
use std::collections::BTreeMap;

crate::documented! {
    /// The finest release: classes grown tuple by tuple and then improved, for the least width of published values.
    ///
    /// Starts with the regions of `mondrian`. Where they lie near each other, classes are grown anew: from a tuple far
    /// from the others, always adding the tuple that widens the class least, until all privacy models are satisfied.
    /// Then classes are improved: tuples move to other classes or change places, classes are split or dissolved,
    /// whenever that lowers the width of the published values (metric `ncp`) and every class stays safe. It publishes
    /// what `mondrian` does: numbers as `[low-high]`, text as the lowest group that contains all of it, or as a set.
    ///
    /// # Paper
    /// None; the greedy growth is that of J.-W. Byun et al., Efficient k-Anonymization Using Clustering Techniques,
    /// DASFAA 2007, which takes quadratic time.
    /// # Guarantee
    /// None: greedy and local. Never wider than `mondrian`, unless text without levels has more than 64 values: then the
    /// search takes the values between two others for part of their set. Every class satisfies all models at every step, so it may be
    /// stopped at any time.
    /// # What readers may learn
    /// The boxes of different classes overlap, so equal raw values may be published differently, and someone who
    /// knows a person's values may find them in several boxes. That person is then in one of several classes, each of
    /// which satisfies all models. Someone who knows this algorithm and all raw values but one may find that a row in
    /// another class would have cost less, as with every algorithm that minimizes a loss.
    /// # Needs
    /// Nothing. Missing cells that match any value are refused together with models that do not survive merging.
    /// # Invariant
    /// Every tuple is in one class, every class is safe, and the sum of the widths never grows.
    /// # Cost
    /// Near-linear in the distinct tuples: each is compared with those in its bucket, a few hundred. Buckets are worked
    /// on in threads.
    /// # Use cases
    /// Analyses that need narrow values most of all, on tables for which a few minutes are no matter.
    /// # Example
    /// With k = 2, the six patients `19 10th`, `19 9th`, `27 9th`, `30 9th`, `23 11th`, `23 11th` are published as `19
    /// Junior`, `19 Junior`, `[27-30] 9th`, `[27-30] 9th`, `23 11th`, `23 11th`.
    /// # Alternatives
    /// `mondrian` in a fraction of the time, without overlap. `ncp-cluster` for comparison with the literature.
    /// # Measured
    /// Adult, 30162 rows: `incrowd compare adult.csv -q
    /// age,workclass,race,occupation,education,marital-status,sex,native-country -k 5 --max-suppressed 0 --target
    /// salary-class --others drop --hierarchies hierarchies` gives ncp 0.0566, loss 0.0522 and 4693 classes.
    #[derive(Debug)]
    pub struct Finest;
}

static ENTRY: AlgorithmEntry = AlgorithmEntry {
    name: "finest",
    card: Finest::CARD,
    settings: &[PublishedNumbers::SETTING],
    kind: AlgorithmKind {
        status: Status::Experimental,
        generalization: Generalization::Regions,
        default_budget: DefaultBudget::NoRows,
        choices: None,
        properties: Properties {
            effort: GrowsWith::Comparisons,
            needs_correlated: false,
            needs_number_hierarchies: false,
            uses_budget: false,
            targets: Targets::None,
            is_guided: true,
            reads_metric: false,
            is_heuristic: true,
            direction: Direction::Neither,
            has_several_results: false,
            optimum: Optimum::None,
            overlaps: true,
            usage: Usage::Any,
        },
    },
};

/// Tuples that are clustered together.
const TUPLES_IN_BUCKET: usize = 1024;

/// Clusters that are improved together.
const CLUSTERS_IN_BUCKET: usize = 48;

/// Buckets between two looks at the meter.
const BUCKETS_AT_ONCE: usize = 64;

/// Rounds of improvement, each with other buckets, unless one gains too little.
const ROUNDS: u32 = 12;

/// The share of the cost that a round must gain for another to follow.
const GAIN: f64 = 0.002;

impl Algorithm for Finest {
    fn entry(&self) -> &'static AlgorithmEntry {
        &ENTRY
    }

    fn default_metric(&self) -> &'static str {
        "ncp"
    }

    fn refuse(&self, problem: &Problem<'_>) -> Result<(), Error> {
        refuse_overlapping_crowds(problem, &ENTRY)
    }

    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error> {
        let space = Space::new(problem);
        let people = PeopleInBoxes::of(problem, &space.sides());
        let people = people.as_ref();
        let cut = CutTable::new(
            problem,
            &ENTRY,
            (&space, people),
            &AtMedian::default(),
            meter,
        )?;
        let Some(cut) = cut else {
            return uncut(problem, &ENTRY, meter);
        };
        let tuples: Vec<u32> = (0..problem.table.tuples.len() as u32).collect();
        let axes = Axes::new(&space, &space.points(problem, &tuples));
        let regions = cut.regions().zip(cut.origins());
        let (kept, suppressed): (Vec<_>, Vec<_>) = regions.partition(|(_, (_, is_safe))| *is_safe);
        let mut starts: BTreeMap<u32, Vec<Cluster>> = BTreeMap::new();
        for (tuples, (start, _)) in kept {
            let clusters = starts.entry(start).or_default();
            clusters.push(Cluster::of(&axes, tuples));
        }
        let clustering = Clustering {
            problem,
            people,
            axes: &axes,
            meter,
        };
        let regions: Vec<Vec<Cluster>> = starts.into_values().collect();
        let clusters = clustering.run(regions.clone());
        if meter.stopped() == Some(Interruption::Cancelled) {
            return Err(Error::Cancelled);
        }
        let sides = space.sides();
        let numbers = PublishedNumbers::of(&problem.settings.own);
        let publish = |clusters: Vec<Vec<Cluster>>| {
            let suppressed = suppressed.iter().map(|(tuples, _)| tuples.clone());
            let clusters = clusters.into_iter().flatten().map(|cluster| cluster.tuples);
            let clusters: Vec<Vec<u32>> = clusters.chain(suppressed).collect();
            let mut of_tuples = vec![0; problem.table.tuples.len()];
            for (number, tuples) in (0..).zip(&clusters) {
                tuples
                    .iter()
                    .for_each(|&tuple| of_tuples[tuple as usize] = number);
            }
            Regions::new(problem.table, &sides, numbers, &of_tuples, clusters.len())
        };
        let count = clusters.iter().map(Vec::len).sum::<usize>() as u64;
        let finest = publish(clusters);
        let recoding = match prints_safely(problem, people, &finest) {
            true => finest,
            // Regions that do not overlap print alike only as sets that are too long to be written.
            false => publish(regions),
        };
        if !prints_safely(problem, people, &recoding) {
            return uncut(problem, &ENTRY, meter);
        }
        Ok(proposal(recoding, cut.cuts + count).into())
    }
}

/// Whether clusters are safe, and what that and everything else took.
struct Safety<'a> {
    judge: Judge<'a>,
    tuples: &'a FrequencySet,
    /// No safe cluster has fewer rows.
    smallest: u32,
    work: u64,
}

impl<'a> Safety<'a> {
    fn new(problem: &'a Problem<'a>, people: Option<&'a PeopleInBoxes<'a>>) -> Self {
        Safety {
            judge: Judge::of_boxes(problem, people),
            tuples: &problem.table.tuples,
            smallest: problem.smallest_safe(),
            work: 0,
        }
    }

    /// Whether a cluster is safe without one of its tuples.
    fn is_safe_without(&mut self, cluster: &Cluster, position: usize) -> bool {
        let rows = cluster.rows - self.tuples.sizes()[cluster.tuples[position] as usize];
        if self.judge.reads_sizes_only() || !self.judge.size_is_safe(rows) {
            return self.judge.size_is_safe(rows);
        }
        let mut tuples = cluster.tuples.clone();
        tuples.swap_remove(position);
        self.work += 1 + self.judge.visits(&tuples);
        self.judge.is_safe(rows, self.tuples, &tuples)
    }

    fn is_safe(&mut self, cluster: &Cluster) -> bool {
        self.work += 1 + self.judge.visits(&cluster.tuples);
        self.judge
            .is_safe(cluster.rows, self.tuples, &cluster.tuples)
    }
}

/// Everything needed to cluster.
struct Clustering<'a> {
    problem: &'a Problem<'a>,
    people: Option<&'a PeopleInBoxes<'a>>,
    axes: &'a Axes,
    meter: &'a Meter<'a>,
}

impl Clustering<'_> {
    /// Clusters of less cost than the regions, start by start: those of different starts are never mixed. Whenever the
    /// meter says to stop, all clusters are safe as they are.
    fn run(&self, mut starts: Vec<Vec<Cluster>>) -> Vec<Vec<Cluster>> {
        let regrow = |safety: &mut Safety<'_>, regions: Vec<Cluster>| {
            let tuples: Vec<u32> = regions.iter().flat_map(|it| it.tuples.clone()).collect();
            let cost = |clusters: &[Cluster]| clusters.iter().map(Cluster::cost).sum::<f64>();
            let grown = grow::grow(self.axes, safety, &tuples);
            match grown {
                Some(grown) if cost(&grown) < cost(&regions) => grown,
                _ => regions,
            }
        };
        let size = |cluster: &Cluster| cluster.tuples.len();
        for clusters in &mut starts {
            let regions = std::mem::take(clusters);
            let (done, stopped) = self.in_buckets(runs(regions, size, TUPLES_IN_BUCKET), &regrow);
            *clusters = done;
            if stopped {
                return starts;
            }
        }
        let improve = |safety: &mut Safety<'_>, clusters: Vec<Cluster>| {
            improve::improve(self.axes, safety, clusters)
        };
        for clusters in &mut starts {
            for round in 0..ROUNDS {
                let cost = |clusters: &[Cluster]| clusters.iter().map(Cluster::cost).sum::<f64>();
                let before = cost(clusters);
                let buckets = self.neighbors(std::mem::take(clusters), round);
                let (done, stopped) = self.in_buckets(buckets, &improve);
                *clusters = done;
                if stopped {
                    return starts;
                }
                if before - cost(clusters) < GAIN * before {
                    break;
                }
            }
        }
        starts
    }

    /// Works on buckets in threads, some at once. Returns their clusters in order, and whether the meter stopped it; then
    /// some buckets are as they were.
    fn in_buckets(
        &self,
        buckets: Vec<Vec<Cluster>>,
        work_on: &(dyn Fn(&mut Safety<'_>, Vec<Cluster>) -> Vec<Cluster> + Sync),
    ) -> (Vec<Cluster>, bool) {
        let threads = self.problem.settings.threads.max(1);
        let mut done = Vec::new();
        let mut buckets = buckets.into_iter();
        let mut is_stopped = false;
        loop {
            let mut batch: Vec<Vec<Cluster>> = buckets.by_ref().take(BUCKETS_AT_ONCE).collect();
            if batch.is_empty() {
                return (done, is_stopped);
            }
            if is_stopped {
                done.extend(batch.into_iter().flatten());
                continue;
            }
            let share = batch.len().div_ceil(threads);
            let (problem, people) = (self.problem, self.people);
            let work = std::thread::scope(|scope| {
                let share_of = |buckets: &mut [Vec<Cluster>]| {
                    let mut safety = Safety::new(problem, people);
                    for bucket in buckets {
                        *bucket = work_on(&mut safety, std::mem::take(bucket));
                    }
                    safety.work
                };
                let mut shares = batch.chunks_mut(share);
                let own = shares.next();
                let others: Vec<_> = shares.map(|it| scope.spawn(move || share_of(it))).collect();
                let own = own.map_or(0, share_of);
                let joined = others
                    .into_iter()
                    .map(|it| it.join().expect("nothing panics here"));
                own + joined.sum::<u64>()
            });
            done.extend(batch.into_iter().flatten());
            self.meter.note(Progress {
                nodes_checked: done.len() as u64,
                ..Progress::default()
            });
            is_stopped = self.meter.spend(Work(work)).is_err();
        }
    }

    /// Puts clusters that lie near each other into one bucket; in each round into others.
    fn neighbors(&self, clusters: Vec<Cluster>, round: u32) -> Vec<Vec<Cluster>> {
        let mut buckets = Vec::new();
        let mut to_do = vec![(clusters, 0)];
        while let Some((mut clusters, depth)) = to_do.pop() {
            if clusters.len() <= CLUSTERS_IN_BUCKET {
                buckets.push(clusters);
                continue;
            }
            let middle = |cluster: &Cluster, dimension: usize| {
                self.axes.middle(dimension, cluster.sides[dimension])
            };
            let spread = |dimension: usize| {
                let middles = clusters.iter().map(|it| middle(it, dimension));
                let ends = middles.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), it| {
                    (low.min(it), high.max(it))
                });
                ends.1 - ends.0
            };
            let mut spreads: Vec<(f32, usize)> = (0..self.axes.dimensions())
                .map(|it| (spread(it), it))
                .collect();
            spreads.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
            // Other sides first, and not in the middle, so that other clusters meet.
            let wide = spreads
                .iter()
                .filter(|(spread, _)| *spread > 0.0)
                .count()
                .max(1);
            let (_, dimension) = spreads[(round as usize + depth) % wide.min(3)];
            let share = [2, 3, 1][(round as usize + depth) % 3];
            let at = clusters.len() * share / 4;
            clusters.select_nth_unstable_by(at, |one, other| {
                let (a, b) = (middle(one, dimension), middle(other, dimension));
                a.total_cmp(&b).then(one.tuples[0].cmp(&other.tuples[0]))
            });
            let high = clusters.split_off(at);
            to_do.push((high, depth + 1));
            to_do.push((clusters, depth + 1));
        }
        buckets
    }
}

/// Runs of items next to each other, each with at least so much in it, but for the last.
fn runs<T>(items: Vec<T>, size: impl Fn(&T) -> usize, enough: usize) -> Vec<Vec<T>> {
    let mut runs: Vec<Vec<T>> = Vec::new();
    let mut in_last = enough;
    for item in items {
        if in_last >= enough {
            runs.push(Vec::new());
            in_last = 0;
        }
        in_last += size(&item);
        if let Some(last) = runs.last_mut() {
            last.push(item);
        }
    }
    runs
}
