//! Algorithms that merge clusters of tuples until every one is safe.
//!
//! They differ in what a merge loses (`axes.rs`; `worth.rs` if that is research value), which is all that a further one has
//! to say. `merge.rs` merges, `nearest.rs` finds with whom, `split.rs` splits what grew larger than it had to, `disjoint.rs`
//! makes published values disjoint.

mod axes;
mod disjoint;
mod euclidean;
mod merge;
mod ncp;
mod nearest;
mod ranks;
mod rv;
mod rv_suppress;
mod seen;
mod side;
mod sketch;
mod split;
mod tiles;
mod tree;
mod twins;
mod worth;

pub use euclidean::EuclideanCluster;
pub use ncp::NcpCluster;
pub use rv::RvCluster;
pub use rv_suppress::RvClusterSuppress;

use super::cuts::Judge;
use super::mondrian::{Space, proposal, refuse_overlapping_crowds, starts, uncut};
use super::people::PeopleInBoxes;
use super::printed::prints_safely;
use super::properties::{Direction, GrowsWith, Optimum, Properties, Targets, Usage};
use super::{AlgorithmEntry, AlgorithmKind, DefaultBudget, Found, Generalization, Status};
use crate::Error;
use crate::card::Card;
use crate::counts::CountedTable;
use crate::problem::{Interruption, Meter, Problem};
use crate::recode::{PublishedNumbers, Regions};
use crate::registry::{Kind, Setting};
use crate::utility::{MetricSpec, ResearchValue};
use axes::{Axes, Loss};
use disjoint::Blocks;
use merge::Clusters;
use nearest::Index;
use split::Splitter;
use std::borrow::Cow;
use worth::Experts;

/// What all of them have in common.
const fn entry(name: &'static str, card: Card, default_budget: DefaultBudget) -> AlgorithmEntry {
    AlgorithmEntry {
        name,
        card,
        settings: &[PublishedNumbers::SETTING, DISJOINT],
        kind: AlgorithmKind {
            status: Status::Experimental,
            generalization: Generalization::Regions,
            default_budget,
            choices: None,
            properties: Properties {
                effort: GrowsWith::Comparisons,
                needs_correlated: false,
                needs_number_hierarchies: false,
                // Whoever suppresses rows for less loss also does so by default.
                uses_budget: matches!(default_budget, DefaultBudget::SmallestClass),
                targets: Targets::None,
                is_guided: true,
                reads_metric: false,
                is_heuristic: true,
                direction: Direction::BottomUp,
                has_several_results: false,
                optimum: Optimum::None,
                overlaps: true,
                usage: Usage::Any,
            },
        },
    }
}

/// How an algorithm of this family clusters.
struct Clustering {
    entry: &'static AlgorithmEntry,
    loss: Loss,
    /// Whether clusters are split again that have twice the rows they need.
    splits: bool,
    /// Whether rows are suppressed where that loses less than merging.
    suppresses: bool,
}

impl Clustering {
    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error> {
        refuse_overlapping_crowds(problem, self.entry)?;
        let table = problem.table;
        let space = Space::new(problem);
        let people = PeopleInBoxes::of(problem, &space.sides());
        let people = people.as_ref();
        let (safe, suppressed) = judged_starts(problem, people);
        let rows_of = |tuples: &Vec<u32>| -> u64 {
            let sizes = tuples.iter().map(|&it| table.tuples.sizes()[it as usize]);
            sizes.map(u64::from).sum()
        };
        let rows_suppressed = suppressed.iter().map(rows_of).sum::<u64>();
        if rows_suppressed > u64::from(problem.max_suppressed) {
            return uncut(problem, self.entry, meter);
        }
        let order = in_order(table);
        let mut numbers = vec![0; order.len()];
        for (number, &tuple) in (0..).zip(&order) {
            numbers[tuple as usize] = number;
        }
        let experts = match self.loss {
            Loss::Value => Some(research_value(problem)?),
            Loss::Certainty | Loss::Range => None,
        };
        let experts = experts.as_deref().map(|it| Experts::new(table, it));
        let points = space.points(problem, &order);
        let axes = Axes::new(&space, &points, self.loss, experts);
        let clusters = Clusters::new(problem, people, &axes, &order, meter);
        let mut clusters = clusters.map_err(|why| why.with_nothing_found(0, meter.spent()))?;
        if self.suppresses {
            clusters.may_suppress = problem.max_suppressed - rows_suppressed as u32;
        }
        let mut index = Index::new(&axes, table.tuples.len());
        let mut splitter = Splitter::new(problem, people, &axes, &order);
        let mut classes: Vec<Vec<u32>> = Vec::new();
        for tuples in safe {
            let mut tuples: Vec<u32> = tuples.iter().map(|&it| numbers[it as usize]).collect();
            tuples.sort_unstable();
            let merged = clusters.merge_until_safe(&mut index, tuples, meter);
            // Each tuple by itself, so that none is taken for part of what is published.
            let alone = merged
                .suppressed
                .iter()
                .flat_map(|&it| clusters.members(it));
            classes.extend(alone.map(|tuple| vec![tuple]));
            for cluster in merged.alive {
                let members = clusters.members(cluster);
                match self.splits {
                    true => classes.extend(splitter.split(members, meter)),
                    false => classes.push(members),
                }
            }
        }
        if meter.stopped() == Some(Interruption::Cancelled) {
            return Err(Error::Cancelled);
        }
        let tuple = |number: &mut u32| *number = order[*number as usize];
        classes.iter_mut().flatten().for_each(tuple);
        classes.extend(suppressed);
        let publish = PublishedNumbers::of(&problem.settings.own);
        let disjoint = || {
            let mut blocks = Blocks::new(problem, (&space, people), &classes);
            if !blocks.are_safe() {
                return None;
            }
            blocks.split(&classes, meter);
            let of_columns = blocks.of_tuples();
            let number_above =
                |blocks: &[u32]| blocks.iter().max().map_or(0, |it| *it as usize + 1);
            let of_column = |at: usize| (&of_columns[at][..], number_above(&of_columns[at]));
            let recoding = Regions::by_column(table, &space.sides(), publish, of_column);
            Some(recoding)
        };
        let recoding = if is_disjoint(problem) {
            match disjoint() {
                Some(recoding) => recoding,
                None => return uncut(problem, self.entry, &Meter::unlimited()),
            }
        } else {
            let mut of_tuples = vec![0; table.tuples.len()];
            for (number, tuples) in (0..).zip(&classes) {
                let tuples = tuples.iter();
                tuples.for_each(|&tuple| of_tuples[tuple as usize] = number);
            }
            Regions::new(table, &space.sides(), publish, &of_tuples, classes.len())
        };
        let mut recoding = Some(recoding).filter(|it| prints_safely(problem, people, it));
        // Boxes that share people break promises which disjoint ones may keep.
        if recoding.is_none() && problem.models.iter().any(|model| model.reads_overlaps()) {
            recoding = disjoint().filter(|it| prints_safely(problem, people, it));
        }
        let Some(recoding) = recoding else {
            return uncut(problem, self.entry, &Meter::unlimited());
        };
        if meter.stopped() == Some(Interruption::Cancelled) {
            return Err(Error::Cancelled);
        }
        Ok(proposal(recoding, clusters.merges).into())
    }
}

/// The setting that asks for published values that are disjoint or equal.
const DISJOINT: Setting = Setting::optional(
    "disjoint",
    Kind::Flag,
    "whether the published values of one column must be disjoint or equal, so that every raw value is published in one \
     way only",
)
.or("false");

/// What experts say, whatever metric is to be minimized.
fn research_value<'a>(problem: &Problem<'a>) -> Result<Cow<'a, ResearchValue>, Error> {
    if let Some(metric) = problem.metric.research_value() {
        return Ok(Cow::Borrowed(metric));
    }
    let metric = match &problem.settings.research {
        Some(said) => ResearchValue::new(said.given(), problem.table)?,
        None => ResearchValue::new(MetricSpec::named("research-value")?.given(), problem.table)?,
    };
    Ok(Cow::Owned(metric))
}

fn is_disjoint(problem: &Problem<'_>) -> bool {
    problem.settings.own.is_set("disjoint")
}

/// The tuples in the order of their values, as the hierarchies list them; the first column counts most.
fn in_order(table: &CountedTable) -> Vec<u32> {
    let mut order: Vec<u32> = (0..table.tuples.len() as u32).collect();
    let columns = table.attributes.len();
    let leaves = |tuple: u32| (0..columns).map(move |at| table.leaf(tuple as usize, at));
    order.sort_by(|&one, &other| leaves(one).cmp(leaves(other)));
    order
}

/// The tuples that may be merged with each other, each time together safe; and those that are to be suppressed.
fn judged_starts<'a>(
    problem: &Problem<'a>,
    people: Option<&'a PeopleInBoxes<'a>>,
) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
    let tuples = &problem.table.tuples;
    let mut judge = Judge::of_boxes(problem, people);
    starts(problem).into_iter().partition(|start| {
        let rows = start.iter().map(|&it| tuples.sizes()[it as usize]).sum();
        judge.is_safe(rows, tuples, start)
    })
}
