//! Cuts where numeric targets deviate least.

use super::targeted::{ByTarget, Sums, Weigh};
use super::{cut_regions, targets};
use crate::Error;
use crate::algorithms::{
    Algorithm, AlgorithmEntry, AlgorithmKind, DefaultBudget, Found, Generalization, Status,
};
use crate::counts::{CountedColumn, CountedTable};
use crate::problem::{Meter, Problem};
use crate::table::{Kind, parse_number};

crate::documented! {
    /// Regions for regression: each cut is the one whose parts deviate least from the mean of the targets.
    ///
    /// As `mondrian`, but not the widest side is cut: among the most even cuts of all columns, the one is made that
    /// leaves the least squared deviation of the target columns from their mean in each part, summed over rows and
    /// targets (least squared deviance).
    ///
    /// # Paper
    /// K. LeFevre, D. DeWitt, R. Ramakrishnan, Workload-Aware Anonymization, KDD 2006.
    /// # Differs from the paper
    /// Works for every model. Text with levels is cut into all groups that have rows, as long as each of them is safe.
    /// Numbers are cut where the sides are most even, not wherever the deviation is least: that cuts off few rows at a
    /// time, and on Adult a linear model learned less from it. A cut that gains no more than chance would (5 %) counts
    /// as one that gains nothing; of those the widest side is cut, then the column named first. Targets are measured in
    /// standard deviations, so that none of several outweighs the others by its unit. A missing target deviates from
    /// nothing. If levels are limited, every group of the highest acceptable levels is a table of its own.
    /// # Guarantee
    /// None: greedy. Safe after every cut, so it may be stopped at any time. With models that do not survive merging
    /// it can miss a solution; it fails only if the highest acceptable levels fail.
    /// # Needs
    /// One or more target columns with numbers. Missing cells that match any value are refused together with models
    /// that do not survive merging.
    /// # Invariant
    /// Regions do not overlap, and each satisfies all models.
    /// # Cost
    /// Each cut sorts the distinct tuples of its region once for each column. Regions are cut in threads.
    #[derive(Debug)]
    pub struct MondrianLsd;
}

static ENTRY: AlgorithmEntry = AlgorithmEntry {
    name: "mondrian-lsd",
    card: MondrianLsd::CARD,
    settings: &[],
    kind: AlgorithmKind {
        status: Status::Experimental,
        generalization: Generalization::Regions,
        default_budget: DefaultBudget::NoRows,
        choices: None,
    },
};

impl Algorithm for MondrianLsd {
    fn entry(&self) -> &'static AlgorithmEntry {
        &ENTRY
    }

    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error> {
        let table = problem.table;
        let mut moments = Vec::new();
        for &column in targets(problem, &ENTRY)? {
            moments.push(moments_of_tuples(table, column)?);
        }
        cut_regions(problem, &ENTRY, &ByTarget(Deviation { moments }), meter)
    }
}

/// How often a target has a number, the sum of the numbers and the sum of their squares.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Moments {
    rows: f64,
    sum: f64,
    squares: f64,
}

impl Moments {
    fn of(number: f64, rows: u32) -> Self {
        let rows = f64::from(rows);
        Moments {
            rows,
            sum: rows * number,
            squares: rows * number * number,
        }
    }

    fn plus(self, other: Moments, sign: f64) -> Moments {
        Moments {
            rows: self.rows + sign * other.rows,
            sum: self.sum + sign * other.sum,
            squares: self.squares + sign * other.squares,
        }
    }

    /// The sum of the squared deviations from the mean.
    fn deviation(self) -> f64 {
        if self.rows < 0.5 {
            return 0.0;
        }
        let deviation = self.squares - self.sum * self.sum / self.rows;
        // Equal numbers deviate by what rounding left of them.
        match deviation > 1e-9 * self.squares {
            true => deviation,
            false => 0.0,
        }
    }
}

/// The moments of a target in every tuple, in standard deviations from its mean.
fn moments_of_tuples(table: &CountedTable, column: usize) -> Result<Vec<Moments>, Error> {
    let target = &table.columns[column];
    let numbers = numbers(target).ok_or_else(|| Error::TargetNotNumeric {
        algorithm: ENTRY.name,
        column: target.name.clone(),
    })?;
    let all = (numbers.iter().zip(&target.rows_of_values))
        .filter_map(|(&number, &rows)| Some((number?, f64::from(rows))));
    let rows: f64 = all.clone().map(|(_, rows)| rows).sum();
    let mean = all
        .clone()
        .map(|(number, share)| number * (share / rows))
        .sum::<f64>();
    let variance = all
        .map(|(number, share)| (number - mean).powi(2) * (share / rows))
        .sum::<f64>();
    let unit = match variance.sqrt() {
        unit if unit > 0.0 && unit.is_finite() => unit,
        _ => 1.0,
    };
    let histograms = table.tuples.histograms(column);
    let of_tuple = |tuple: usize| {
        let histogram = histograms.class(tuple);
        let values = histogram.values.iter().zip(histogram.counts);
        let moments = values.filter_map(|(&value, &rows)| {
            Some(Moments::of((numbers[value as usize]? - mean) / unit, rows))
        });
        moments.fold(Moments::default(), |sum, moments| sum.plus(moments, 1.0))
    };
    Ok((0..table.tuples.len()).map(of_tuple).collect())
}

/// The values of a column as numbers, none for a missing cell; nothing if there are others.
fn numbers(column: &CountedColumn) -> Option<Vec<Option<f64>>> {
    let number = |text: &str| match text {
        "" => Some(None),
        text => parse_number(text).map(|number| Some(number.get())),
    };
    match column.kind {
        Kind::Number => column.values.iter().map(number).collect(),
        Kind::Date | Kind::Text => None,
    }
}

struct Deviation {
    /// Target by target, the moments of every tuple.
    moments: Vec<Vec<Moments>>,
}

impl Weigh for Deviation {
    type Sums<'a>
        = Deviations<'a>
    where
        Self: 'a;

    fn nothing(&self) -> Deviations<'_> {
        Deviations {
            of_tuples: &self.moments,
            sums: vec![Moments::default(); self.moments.len()],
        }
    }
}

struct Deviations<'a> {
    of_tuples: &'a [Vec<Moments>],
    sums: Vec<Moments>,
}

impl Deviations<'_> {
    fn change(&mut self, tuple: u32, sign: f64) {
        for (sum, of_tuples) in self.sums.iter_mut().zip(self.of_tuples) {
            *sum = sum.plus(of_tuples[tuple as usize], sign);
        }
    }
}

impl Sums for Deviations<'_> {
    fn add(&mut self, tuple: u32) {
        self.change(tuple, 1.0);
    }

    fn remove(&mut self, tuple: u32) {
        self.change(tuple, -1.0);
    }

    fn reset(&mut self) {
        self.sums.fill(Moments::default());
    }

    fn cost(&self) -> f64 {
        self.sums.iter().map(|sum| sum.deviation()).sum()
    }

    fn chance(&self) -> f64 {
        // The F statistic of a cut in two is about 4 once in twenty times.
        let chance = |sum: &Moments| 4.0 * sum.deviation() / sum.rows.max(1.0);
        self.sums.iter().map(chance).sum()
    }

    fn work(&self) -> u64 {
        self.sums.len() as u64
    }
}
