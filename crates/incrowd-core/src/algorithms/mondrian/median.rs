//! Cuts at the median of the widest dimension.

use super::cut::{Cut, Region, Worker, into_children, off_numbers};
use super::{cut_regions, refuse_overlapping_crowds};
use crate::Error;
use crate::algorithms::properties::{Direction, GrowsWith, Optimum, Properties, Targets, Usage};
use crate::algorithms::{
    Algorithm, AlgorithmEntry, AlgorithmKind, DefaultBudget, Found, Generalization, Status,
};
use crate::problem::{Meter, Problem};
use crate::recode::PublishedNumbers;
use crate::registry::{Given, Kind, Setting};

crate::documented! {
    /// Regions instead of levels: cuts the table in two at the median, again and again, while both sides stay safe.
    ///
    /// The table is a box with one dimension for each quasi-identifier. The widest side is cut at its median: numbers
    /// and dates by size, text with levels into the groups below, other text by its order. A cut is made only if every
    /// part satisfies all privacy models; otherwise the next widest side is tried. A region that cannot be cut is
    /// published as one class: numbers as `[low-high]` (or as `numbers` says), text as the lowest group that contains all of it, or as the set
    /// of its values. Regions are much finer than one level for each column.
    ///
    /// Equal rows stay together, unless `relaxed` is set: then rows at the median are divided where no other cut leaves
    /// both sides with equally many rows, give or take one, and regions may share a bound. That bounds the size of
    /// classes, but where many rows are equal their exact values are lost: loss can be greater than without it. Of numbers, a region with any width then has at most 2k - 1
    /// rows.
    ///
    /// # Paper
    /// K. LeFevre, D. DeWitt, R. Ramakrishnan, Mondrian Multidimensional K-Anonymity, ICDE 2006.
    /// # Differs from the paper
    /// A number is cut just below or just above the median value, whichever is safe and leaves the sides more even. Text
    /// with levels is cut into all groups that have rows, as long as each of them is safe. Works for every model. Ties
    /// go to the column named first. Cells without a number are cut off first. If levels are limited, every group of
    /// the highest acceptable levels is a table of its own. The summary of F. Ben Fredj et al. takes one side after the
    /// other; here, as in the original, a measure guides it: the width of the sides.
    /// # Guarantee
    /// None: greedy. Safe after every cut, so it may be stopped at any time. With models that do not survive merging
    /// it can miss a solution; it fails only if the highest acceptable levels fail.
    /// # Needs
    /// Nothing. Missing cells that match any value are refused together with models that do not survive merging.
    /// # Invariant
    /// Regions do not overlap, except in a bound if relaxed, and each satisfies all models.
    /// # Cost
    /// Each cut looks at the distinct tuples of its region a few times, so a table takes about as many passes as the
    /// logarithm of its classes. Memory: one number for each distinct tuple and quasi-identifier; if relaxed, for each
    /// row. Regions are cut in threads.
    /// # Use cases
    /// Tables of any size without a particular use in mind, for readers who can handle intervals of different width:
    /// much detail, quickly, and nobody is in two regions.
    /// # Example
    /// With k = 2, the six patients `19 10th`, `19 9th`, `27 9th`, `30 9th`, `23 11th`, `23 11th` are published as `19
    /// Junior`, `19 Junior`, `[27-30] 9th`, `[27-30] 9th`, `23 11th`, `23 11th`. One `9th` is published as `Junior`,
    /// the others as they are.
    /// # Alternatives
    /// `finest` publishes values about half as wide, takes longer, and its classes overlap. `mondrian-infogain` and
    /// `mondrian-lsd` if the target is known. `optimal` if every column must have one level.
    /// # Measured
    /// Adult, 30162 rows: `incrowd compare adult.csv -q
    /// age,workclass,race,occupation,education,marital-status,sex,native-country -k 5 --max-suppressed 0 --target
    /// salary-class --others drop --hierarchies hierarchies` gives ncp 0.0973, loss 0.0870 and 3876 classes.
    #[derive(Debug)]
    pub struct Mondrian;
}

/// Whether equal rows may be divided.
pub(super) const RELAXED: Setting = Setting::optional(
    "relaxed",
    Kind::Flag,
    "divide rows that are equal at the median, so that both sides of a cut have equally many",
)
.or("false");

static ENTRY: AlgorithmEntry = AlgorithmEntry {
    name: "mondrian",
    card: Mondrian::CARD,
    settings: &[PublishedNumbers::SETTING, RELAXED],
    kind: AlgorithmKind {
        status: Status::Experimental,
        generalization: Generalization::Regions,
        default_budget: DefaultBudget::NoRows,
        choices: None,
        properties: Properties {
            effort: GrowsWith::Tuples,
            needs_correlated: false,
            needs_number_hierarchies: false,
            uses_budget: false,
            targets: Targets::None,
            is_guided: true,
            reads_metric: false,
            is_heuristic: true,
            direction: Direction::TopDown,
            has_several_results: false,
            optimum: Optimum::None,
            overlaps: false,
            usage: Usage::Any,
        },
    },
};

impl Algorithm for Mondrian {
    fn entry(&self) -> &'static AlgorithmEntry {
        &ENTRY
    }

    fn divides_rows(&self, own: &Given) -> bool {
        own.is_set(RELAXED.name)
    }

    fn refuse(&self, problem: &Problem<'_>) -> Result<(), Error> {
        refuse_overlapping_crowds(problem, &ENTRY)
    }

    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error> {
        cut_regions(problem, &ENTRY, AtMedian::default(), meter)
    }
}

/// Cuts at the median of the widest side.
#[derive(Debug, Default)]
pub(in crate::algorithms) struct AtMedian {
    /// How much the width of each dimension counts; nothing if all count alike.
    pub(super) emphasis: Vec<f64>,
    /// Whether rows at the median may be divided, so that both sides have equally many.
    pub(super) is_relaxed: bool,
}

impl AtMedian {
    /// Makes the best safe cut; false if there is none. `parts` becomes the ends of the parts, in points.
    pub(super) fn cut(
        &self,
        worker: &mut Worker<'_>,
        region: &mut Region<'_>,
        parts: &mut Vec<usize>,
    ) -> bool {
        let space = worker.space;
        let width = |&at: &usize| {
            let (first, last) = region.ends[at];
            space.dimensions[at].width(first, last)
        };
        let emphasized = |at: usize, width: f64| match self.emphasis.get(at) {
            Some(emphasis) => emphasis * width,
            None => width,
        };
        let widths = (0..region.ends.len()).map(|at| (at, width(&at)));
        // A width may be too small to be told from 0.
        let widths = widths.filter(|&(at, _)| region.ends[at].0 != region.ends[at].1);
        let widths = widths.map(|(at, width)| (at, emphasized(at, width), width));
        let mut widths: Vec<(usize, f64, f64)> = widths.collect();
        // Stable, so ties stay in column order.
        widths.sort_by(|one, other| {
            let by_emphasis = other.1.total_cmp(&one.1);
            by_emphasis.then(other.2.total_cmp(&one.2))
        });
        widths.into_iter().any(|(dimension, ..)| {
            if let Some(cut) = into_children(space, region, dimension) {
                return worker.cut(region, cut, parts);
            }
            if let Some(cut) = off_numbers(space, region, dimension)
                && worker.cut(region, cut, parts)
            {
                return true;
            }
            let half = Cut::Half { dimension };
            let half = (self.is_relaxed && worker.size_is_safe(region.rows / 2)).then_some(half);
            let places = at_median(worker, region, dimension);
            // Rows are divided only where that makes the sides more even.
            let (even, uneven): (Vec<_>, Vec<_>) = (places.into_iter().flatten())
                .partition(|(_, below)| below.abs_diff(region.rows - below) <= 1);
            let below = |(place, _)| Cut::Below { dimension, place };
            let cuts = even.into_iter().map(below).chain(half);
            let mut cuts = cuts.chain(uneven.into_iter().map(below));
            cuts.any(|cut| worker.cut(region, cut, parts))
        })
    }
}

/// The cuts just above and just below the median place, with the rows below them, the one with the more even sides first.
/// Cuts whose sides are too small for any model are left out.
fn at_median(
    worker: &mut Worker<'_>,
    region: &Region<'_>,
    dimension: usize,
) -> [Option<(u32, u32)>; 2] {
    let rows = region.rows;
    let places = worker.rows_of_places(region, dimension);
    let mut below = 0;
    let mut cuts = [None; 2];
    for (at, &(place, rows_here)) in places.iter().enumerate() {
        if u64::from(below + rows_here) * 2 >= u64::from(rows) {
            let next = places
                .get(at + 1)
                .map(|&(next, _)| (next, below + rows_here));
            cuts = [next, (at > 0).then_some((place, below))];
            break;
        }
        below += rows_here;
    }
    let unevenness = |below: u32| below.abs_diff(rows - below);
    if let [Some((_, above)), Some((_, below))] = cuts
        && unevenness(below) < unevenness(above)
    {
        cuts.reverse();
    }
    cuts.map(|cut| {
        let (place, below) = cut?;
        let may_be_safe = worker.size_is_safe(below) && worker.size_is_safe(rows - below);
        may_be_safe.then_some((place, below))
    })
}
