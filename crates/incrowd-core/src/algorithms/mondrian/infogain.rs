//! Cuts where the targets are told apart best.

use super::targeted::{ByTarget, Sums, Weigh};
use super::{cut_regions, targets};
use crate::Error;
use crate::algorithms::{
    Algorithm, AlgorithmEntry, AlgorithmKind, DefaultBudget, Found, Generalization, Status,
};
use crate::counts::{CountedTable, Histograms};
use crate::problem::{Meter, Problem};

crate::documented! {
    /// Regions for classification: each cut is the one whose parts differ most in the targets.
    ///
    /// As `mondrian`, but not the widest side is cut: among the most even cuts of all columns, the one is made that
    /// leaves the least entropy of the target columns, weighted by rows and summed over the targets.
    ///
    /// # Paper
    /// K. LeFevre, D. DeWitt, R. Ramakrishnan, Workload-Aware Anonymization, KDD 2006.
    /// # Differs from the paper
    /// Works for every model. Text with levels is cut into all groups that have rows, as long as each of them is safe.
    /// Numbers are cut where the sides are most even, not wherever entropy is least: that cuts off few rows at a time,
    /// and on Adult every model learned less from it. A cut that gains no more than chance would (5 %) counts as one
    /// that gains nothing; of those the widest side is cut, then the column named first. If levels are limited, every
    /// group of the highest acceptable levels is a table of its own.
    /// # Guarantee
    /// None: greedy. Safe after every cut, so it may be stopped at any time. With models that do not survive merging
    /// it can miss a solution; it fails only if the highest acceptable levels fail.
    /// # Needs
    /// One or more target columns. Missing cells that match any value are refused together with models that do not
    /// survive merging.
    /// # Invariant
    /// Regions do not overlap, and each satisfies all models.
    /// # Cost
    /// Each cut sorts the distinct tuples of its region once for each column. Regions are cut in threads.
    #[derive(Debug)]
    pub struct MondrianInfoGain;
}

static ENTRY: AlgorithmEntry = AlgorithmEntry {
    name: "mondrian-infogain",
    card: MondrianInfoGain::CARD,
    settings: &[],
    kind: AlgorithmKind {
        status: Status::Experimental,
        generalization: Generalization::Regions,
        default_budget: DefaultBudget::NoRows,
        choices: None,
    },
};

impl Algorithm for MondrianInfoGain {
    fn entry(&self) -> &'static AlgorithmEntry {
        &ENTRY
    }

    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error> {
        let targets = targets(problem, &ENTRY)?;
        let table = problem.table;
        cut_regions(
            problem,
            &ENTRY,
            &ByTarget(Entropy { table, targets }),
            meter,
        )
    }
}

struct Entropy<'a> {
    table: &'a CountedTable,
    targets: &'a [usize],
}

impl Weigh for Entropy<'_> {
    type Sums<'a>
        = Bits<'a>
    where
        Self: 'a;

    fn nothing(&self) -> Bits<'_> {
        let target = |&column: &usize| BitsOfTarget {
            histograms: self.table.tuples.histograms(column),
            rows: vec![0; self.table.columns[column].values.len()],
            present: 0,
            sum: 0,
        };
        Bits {
            sizes: self.table.tuples.sizes(),
            rows: 0,
            targets: self.targets.iter().map(target).collect(),
        }
    }
}

/// Rows times the entropy of the targets.
struct Bits<'a> {
    sizes: &'a [u32],
    rows: u32,
    targets: Vec<BitsOfTarget<'a>>,
}

struct BitsOfTarget<'a> {
    histograms: &'a Histograms,
    /// Rows with each value.
    rows: Vec<u32>,
    /// How many values have rows.
    present: u32,
    /// The sum over values of [`rows_times_bits`].
    sum: u64,
}

/// Units of [`rows_times_bits`] in a bit.
const UNITS: f64 = (1 << 20) as f64;

/// Bits that a value more of the target gains by chance.
const CHANCE: f64 = 2.77;

/// n times the logarithm of n, in units so small that it is a whole number: sums are then the same in any order.
fn rows_times_bits(rows: u32) -> u64 {
    let rows = f64::from(rows);
    match rows > 1.0 {
        true => (rows * rows.log2() * UNITS).round() as u64,
        false => 0,
    }
}

impl BitsOfTarget<'_> {
    fn change(&mut self, tuple: u32, changed: impl Fn(u32, u32) -> u32) {
        let histogram = self.histograms.class(tuple as usize);
        for (&value, &count) in histogram.values.iter().zip(histogram.counts) {
            let rows = &mut self.rows[value as usize];
            self.sum -= rows_times_bits(*rows);
            self.present -= u32::from(*rows > 0);
            *rows = changed(*rows, count);
            self.present += u32::from(*rows > 0);
            self.sum += rows_times_bits(*rows);
        }
    }
}

impl Sums for Bits<'_> {
    fn add(&mut self, tuple: u32) {
        self.rows += self.sizes[tuple as usize];
        for target in &mut self.targets {
            target.change(tuple, |rows, count| rows + count);
        }
    }

    fn remove(&mut self, tuple: u32) {
        self.rows -= self.sizes[tuple as usize];
        for target in &mut self.targets {
            target.change(tuple, |rows, count| rows - count);
        }
    }

    fn reset(&mut self) {
        debug_assert_eq!(self.rows, 0, "whole numbers leave nothing");
    }

    fn cost(&self) -> f64 {
        let all = rows_times_bits(self.rows);
        let bits = |target: &BitsOfTarget<'_>| all.saturating_sub(target.sum) as f64;
        self.targets.iter().map(bits).sum()
    }

    fn chance(&self) -> f64 {
        // Twice the information gained, in nats, is distributed as chi-square, with a degree of freedom for each value
        // but one; about 3.84 of each are exceeded once in twenty times.
        let present = |target: &BitsOfTarget<'_>| target.present.saturating_sub(1);
        let degrees: u32 = self.targets.iter().map(present).sum();
        f64::from(degrees) * CHANCE * UNITS
    }

    fn work(&self) -> u64 {
        2 * self.targets.len() as u64
    }
}
