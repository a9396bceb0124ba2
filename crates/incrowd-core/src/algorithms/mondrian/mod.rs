//! Algorithms that cut the table into regions.
//!
//! They cut at the middle of the widest side (`median.rs`) and differ in how widths count: `infogain.rs` and `lsd.rs`
//! weight them by what a column says about the targets, as `relevance.rs` measures it. Everything else is the
//! same: `space.rs` the table as points, `cut.rs` a cut and whether it is safe, and here the regions that are still to be
//! cut, in threads.

mod cut;
mod infogain;
mod lsd;
mod median;
mod relevance;
mod space;

pub use infogain::MondrianInfoGain;
pub use lsd::MondrianLsd;
pub(super) use median::AtMedian;
pub use median::Mondrian;

use super::people::PeopleInBoxes;
use super::printed::prints_safely;
use super::{AlgorithmEntry, Found, at_highest_levels};
use crate::Error;
use crate::counts::Work;
use crate::hierarchy::Group;
use crate::privacy::Monotonicity;
use crate::problem::{Guarantee, Interruption, Meter, Problem, Progress, Proposal};
use crate::recode::{PublishedNumbers, Regions};
use cut::Worker;
pub(super) use space::{Dimension, Space};
use std::collections::BTreeMap;

/// A region with no more points is cut to the end by whoever has it.
const SMALL: usize = 1 << 12;

/// Cuts a table into regions, and proposes to publish each as one class.
fn cut_regions(
    problem: &Problem<'_>,
    entry: &'static AlgorithmEntry,
    mut choose: AtMedian,
    meter: &Meter<'_>,
) -> Result<Found, Error> {
    choose.is_relaxed = problem.settings.own.is_set(median::RELAXED.name);
    if choose.is_relaxed && !problem.table.rows_are_apart {
        let algorithm = entry.name;
        return Err(Error::RowsTogether { algorithm });
    }
    let space = Space::new(problem);
    let people = PeopleInBoxes::of(problem, &space.sides());
    let people = people.as_ref();
    let Some(cut) = CutTable::new(problem, entry, (&space, people), &choose, meter)? else {
        return uncut(problem, entry, meter);
    };
    let regions = (0..).zip(cut.regions());
    let regions = regions.flat_map(|(at, tuples)| tuples.into_iter().map(move |it| (it, at)));
    let mut of_tuples = vec![0; problem.table.tuples.len()];
    for (tuple, region) in regions {
        of_tuples[tuple as usize] = region;
    }
    let numbers = PublishedNumbers::of(&problem.settings.own);
    let regions = cut.parts.len();
    let recoding = Regions::new(problem.table, &space.sides(), numbers, &of_tuples, regions);
    // Boxes of cells that are no numbers may overlap others.
    if !prints_safely(problem, people, &recoding) {
        return uncut(problem, entry, meter);
    }
    Ok(proposal(recoding, cut.cuts).into())
}

/// Regions as a result without a guarantee.
pub(super) fn proposal(regions: Regions, nodes_checked: u64) -> Proposal {
    Proposal {
        recoding: regions.into(),
        guarantee: Guarantee::Heuristic,
        loss: None,
        nodes_checked,
        steps: Vec::new(),
    }
}

/// A table cut into regions.
pub(super) struct CutTable<'a> {
    space: &'a Space,
    points: Vec<u32>,
    parts: Vec<Part>,
    /// How many cuts were made.
    pub(super) cuts: u64,
}

impl<'a> CutTable<'a> {
    /// Cuts a table into safe regions. None if the regions to begin with are not safe by themselves.
    pub(super) fn new(
        problem: &'a Problem<'a>,
        entry: &'static AlgorithmEntry,
        (space, people): (&'a Space, Option<&'a PeopleInBoxes<'a>>),
        choose: &AtMedian,
        meter: &Meter<'_>,
    ) -> Result<Option<Self>, Error> {
        refuse_overlapping_crowds(problem, entry)?;
        let table = problem.table;
        let mut worker = Worker::new(problem, space, people);
        let mut points = Vec::with_capacity(table.tuples.len() * space.stride);
        let mut parts = Vec::new();
        let mut rows_unsafe = 0;
        for (start, tuples) in (0..).zip(starts(problem)) {
            let first = points.len();
            points.extend(space.points(problem, &tuples));
            let rows = tuples.iter().map(|&it| table.tuples.sizes()[it as usize]);
            let rows = rows.sum();
            let is_safe = worker.is_safe(&points[first..], rows);
            rows_unsafe += if is_safe { 0 } else { rows };
            parts.push(Part {
                points: tuples.len(),
                start,
                is_open: is_safe,
                is_safe,
            });
        }
        if rows_unsafe > problem.max_suppressed {
            return Ok(None);
        }
        let cutting = Cutting {
            problem,
            space,
            people,
            choose,
        };
        let (parts, cuts) = cutting.cut_all(&mut points, parts, meter)?;
        Ok(Some(CutTable {
            space,
            points,
            parts,
            cuts,
        }))
    }

    /// Of each region: which of the regions to begin with it is part of, and whether it is safe. One that is not is to
    /// be suppressed.
    pub(super) fn origins(&self) -> impl Iterator<Item = (u32, bool)> + '_ {
        self.parts.iter().map(|part| (part.start, part.is_safe))
    }

    /// The tuples of each region, in an order in which near ones follow each other.
    pub(super) fn regions(&self) -> impl Iterator<Item = Vec<u32>> + '_ {
        let mut points = self.points.chunks_exact(self.space.stride);
        self.parts.iter().map(move |part| {
            let points = points.by_ref().take(part.points);
            points.map(|point| self.space.tuple(point)).collect()
        })
    }
}

/// A crowd may reach beyond its class, which only matters to models that more rows can break.
pub(super) fn refuse_overlapping_crowds(
    problem: &Problem<'_>,
    entry: &'static AlgorithmEntry,
) -> Result<(), Error> {
    let survives = |it: Monotonicity| it == Monotonicity::UnionWithAny;
    let all_survive = problem.models.iter().all(|it| survives(it.monotonicity()));
    match problem.crowds_overlap() && !all_survive {
        true => Err(Error::MatchAnyRefused {
            algorithm: entry.name,
        }),
        false => Ok(()),
    }
}

/// The answer if the regions to begin with are not safe by themselves. Where crowds overlap, the highest acceptable
/// levels may still be, and where people of a population count, who match more of them than the box of all rows.
pub(super) fn uncut(
    problem: &Problem<'_>,
    entry: &'static AlgorithmEntry,
    meter: &Meter<'_>,
) -> Result<Found, Error> {
    Ok(at_highest_levels(entry, problem, meter)?.into())
}

/// The tuples of each region to begin with: all of them, or those of each combination of the highest acceptable groups.
pub(super) fn starts(problem: &Problem<'_>) -> Vec<Vec<u32>> {
    let table = problem.table;
    let tuples = 0..table.tuples.len() as u32;
    if !problem.has_higher_levels() {
        return vec![tuples.collect()];
    }
    let mut starts: BTreeMap<Vec<Group>, Vec<u32>> = BTreeMap::new();
    for tuple in tuples {
        let attributes = table.attributes.iter().enumerate();
        let groups =
            (attributes.zip(problem.max_levels.levels())).map(|((at, attribute), level)| {
                let leaf = table.leaf(tuple as usize, at);
                attribute.hierarchy.group_of(level, leaf)
            });
        starts.entry(groups.collect()).or_default().push(tuple);
    }
    starts.into_values().collect()
}

/// Points next to each other that form one region.
#[derive(Debug, Clone, Copy)]
struct Part {
    points: usize,
    /// The region to begin with that it is part of.
    start: u32,
    /// Whether it may still be cut.
    is_open: bool,
    is_safe: bool,
}

/// How a table is cut.
#[derive(Clone, Copy)]
struct Cutting<'a> {
    problem: &'a Problem<'a>,
    space: &'a Space,
    people: Option<&'a PeopleInBoxes<'a>>,
    choose: &'a AtMedian,
}

impl Cutting<'_> {
    /// Cuts all open regions until none can be cut. Returns them in the order of their points, and how many cuts were made.
    ///
    /// In rounds: in each round every large region is cut once and every small one to the end, so that the work is the
    /// same however many threads share it, and so is the result when it is stopped.
    fn cut_all(
        self,
        points: &mut [u32],
        mut parts: Vec<Part>,
        meter: &Meter<'_>,
    ) -> Result<(Vec<Part>, u64), Error> {
        let mut cuts = 0;
        while parts.iter().any(|part| part.is_open) {
            let (next, work) = self.cut_round(points, &parts);
            cuts += (next.len() - parts.len()) as u64;
            parts = next;
            meter.note(Progress {
                nodes_checked: cuts,
                ..Progress::default()
            });
            match meter.spend(Work(work)) {
                Ok(()) => {}
                Err(Interruption::Cancelled) => return Err(Error::Cancelled),
                // Every region is safe as it is.
                Err(_) => break,
            }
        }
        Ok((parts, cuts))
    }

    /// One round, shared by threads: each has regions next to each other with about as many points.
    fn cut_round(self, points: &mut [u32], parts: &[Part]) -> (Vec<Part>, u64) {
        let Cutting { problem, space, .. } = self;
        let all: usize = (parts.iter().filter(|part| part.is_open))
            .map(|part| part.points)
            .sum();
        let threads = problem
            .settings
            .threads
            .clamp(1, all.div_ceil(SMALL).max(1));
        let share = all.div_ceil(threads).max(1);
        let work_on = |points: &mut [u32], parts: &[Part]| {
            let mut worker = Worker::new(problem, space, self.people);
            let mut next = Vec::new();
            let mut rest = points;
            for part in parts {
                let (own, others) = rest.split_at_mut(part.points * space.stride);
                rest = others;
                match part.is_open {
                    true => self.cut_part(&mut worker, (own, *part), &mut next),
                    false => next.push(*part),
                }
            }
            (next, worker.work)
        };
        if threads == 1 {
            return work_on(points, parts);
        }
        std::thread::scope(|scope| {
            let mut handles = Vec::new();
            let (mut rest, mut parts) = (points, parts);
            while !parts.is_empty() {
                let (mut taken, mut open) = (0, 0);
                let is_wanted = |part: &&Part| {
                    let is_wanted = open < share;
                    open += if part.is_open { part.points } else { 0 };
                    taken += if is_wanted { part.points } else { 0 };
                    is_wanted
                };
                let number = parts.iter().take_while(is_wanted).count();
                let (own, others) = rest.split_at_mut(taken * space.stride);
                let (of_own, of_others) = parts.split_at(number);
                (rest, parts) = (others, of_others);
                handles.push(scope.spawn(move || work_on(own, of_own)));
            }
            let mut next = Vec::new();
            let mut work = 0;
            for handle in handles {
                let (parts, done) = handle.join().expect("cutting does not panic");
                next.extend(parts);
                work += done;
            }
            (next, work)
        })
    }

    /// Cuts a region: a large one once, a small one to the end.
    fn cut_part(
        self,
        worker: &mut Worker<'_>,
        (points, part): (&mut [u32], Part),
        next: &mut Vec<Part>,
    ) {
        let stride = self.space.stride;
        let mut ends = Vec::new();
        let mut region = worker.region(points);
        let is_cut = self.choose.cut(worker, &mut region, &mut ends);
        worker.recycle(region);
        if !is_cut {
            let is_open = false;
            next.push(Part { is_open, ..part });
            return;
        }
        let mut start = 0;
        for end in ends {
            let inside = Part {
                points: end - start,
                ..part
            };
            let points = &mut points[start * stride..end * stride];
            if part.points <= SMALL {
                self.cut_part(worker, (points, inside), next);
            } else {
                next.push(inside);
            }
            start = end;
        }
    }
}

/// The target columns, of which there must be one.
fn targets<'p>(
    problem: &'p Problem<'_>,
    entry: &'static AlgorithmEntry,
) -> Result<&'p [usize], Error> {
    match &problem.settings.targets[..] {
        [] => Err(Error::TargetNeeded {
            algorithm: entry.name,
        }),
        targets => Ok(targets),
    }
}
