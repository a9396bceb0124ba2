//! Cuts the sides that numeric targets depend on.

use super::median::RELAXED;
use super::relevance::{Target, Unknown, cut_for_targets};
use super::{refuse_overlapping_crowds, targets};
use crate::Error;
use crate::algorithms::properties::{Direction, GrowsWith, Optimum, Properties, Targets, Usage};
use crate::algorithms::{
    Algorithm, AlgorithmEntry, AlgorithmKind, DefaultBudget, Found, Generalization, Status,
};
use crate::counts::{CountedColumn, CountedTable};
use crate::problem::{Meter, Problem};
use crate::recode::PublishedNumbers;
use crate::registry::Given;
use crate::table::{Kind, parse_number};

crate::documented! {
    /// Regions for regression: a side counts the more, the more the targets depend on its column.
    ///
    /// As `mondrian`, but the width of a side is weighted: by the share of the squared deviation of the target from its
    /// mean that the values of its column explain over the whole table (the squared correlation ratio), of which the
    /// fourth root is taken. With several targets the shares are added.
    ///
    /// # Paper
    /// K. LeFevre, D. DeWitt, R. Ramakrishnan, Workload-Aware Anonymization, KDD 2006.
    /// # Differs from the paper
    /// The paper makes, in each region, the cut that leaves the least squared deviation. In regions of few rows that is
    /// mostly chance, and it cuts off few rows at a time: on Adult a linear model learned less from such releases than
    /// from these. Here a column's gain is measured once, over the whole table, less what a column with as many values
    /// would gain by chance (as the adjusted R²). Sides are cut at their median, and text with levels into its groups,
    /// as by `mondrian`; sides whose columns say nothing are cut last, the widest first. Works for every model. A missing
    /// target deviates from nothing. If levels are limited, every group of the highest acceptable levels is a table of
    /// its own.
    /// # Guarantee
    /// None: greedy. Safe after every cut, so it may be stopped at any time. With models that do not survive merging
    /// it can miss a solution; it fails only if the highest acceptable levels fail.
    /// # Needs
    /// Targets with numbers. Missing cells that match any value are refused together with models that do not survive
    /// merging.
    /// # Invariant
    /// Regions do not overlap, except in a bound if relaxed, and each satisfies all models.
    /// # Cost
    /// That of `mondrian`, and the distinct tuples are sorted once for each column.
    /// # Use cases
    /// Data for regression, of any size, if the number to be predicted is known in advance.
    /// # Example
    /// With k = 2, the six patients `19 10th`, `19 9th`, `27 9th`, `30 9th`, `23 11th`, `23 11th` are published as `19
    /// Junior`, `19 Junior`, `[27-30] 9th`, `[27-30] 9th`, `23 11th`, `23 11th`. The target is the days in hospital: 3,
    /// 4, 9, 10, 4 and 5.
    /// # Alternatives
    /// `mondrian-infogain` if the target has classes instead of numbers. `mondrian` if several uses are likely.
    /// # Measured
    /// Adult, 30162 rows: `incrowd compare adult.csv -q
    /// age,workclass,race,occupation,education,marital-status,sex,native-country -k 5 --max-suppressed 0 --target
    /// hours-per-week --others drop --hierarchies hierarchies` gives ncp 0.1238, loss 0.1104 and 3812 classes.
    #[derive(Debug)]
    pub struct MondrianLsd;
}

static ENTRY: AlgorithmEntry = AlgorithmEntry {
    name: "mondrian-lsd",
    card: MondrianLsd::CARD,
    settings: &[PublishedNumbers::SETTING, RELAXED],
    kind: AlgorithmKind {
        status: Status::Experimental,
        generalization: Generalization::Regions,
        default_budget: DefaultBudget::NoRows,
        choices: None,
        properties: Properties {
            effort: GrowsWith::Tuples,
            needs_correlated: true,
            needs_number_hierarchies: false,
            uses_budget: false,
            targets: Targets::AtLeastOneNumber,
            is_guided: true,
            reads_metric: false,
            is_heuristic: true,
            direction: Direction::TopDown,
            has_several_results: false,
            optimum: Optimum::None,
            overlaps: false,
            usage: Usage::Regression,
        },
    },
};

impl Algorithm for MondrianLsd {
    fn entry(&self) -> &'static AlgorithmEntry {
        &ENTRY
    }

    fn divides_rows(&self, own: &Given) -> bool {
        own.is_set(RELAXED.name)
    }

    fn refuse(&self, problem: &Problem<'_>) -> Result<(), Error> {
        for &target in targets(problem, &ENTRY)? {
            numbers_of_target(&problem.table.columns[target])?;
        }
        refuse_overlapping_crowds(problem, &ENTRY)
    }

    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error> {
        let mut moments: Vec<Box<dyn Target>> = Vec::new();
        for &column in targets(problem, &ENTRY)? {
            moments.push(Box::new(Deviation {
                of_tuples: moments_of_tuples(problem.table, column)?,
                sum: Moments::default(),
            }));
        }
        cut_for_targets(problem, &ENTRY, &mut moments, meter)
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

    fn plus(self, other: Moments) -> Moments {
        Moments {
            rows: self.rows + other.rows,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
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
    let numbers = numbers_of_target(target)?;
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
        moments.fold(Moments::default(), |sum, moments| sum.plus(moments))
    };
    Ok((0..table.tuples.len()).map(of_tuple).collect())
}

/// The numbers of a target, which must have them.
fn numbers_of_target(target: &CountedColumn) -> Result<Vec<Option<f64>>, Error> {
    numbers(target).ok_or_else(|| Error::TargetNotNumeric {
        algorithm: ENTRY.name,
        column: target.name.clone(),
    })
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

/// The squared deviation of a target from its mean.
struct Deviation {
    /// The moments of every tuple.
    of_tuples: Vec<Moments>,
    /// Of the tuples taken in.
    sum: Moments,
}

impl Target for Deviation {
    fn add(&mut self, tuple: u32) {
        self.sum = self.sum.plus(self.of_tuples[tuple as usize]);
    }

    fn take(&mut self) -> Unknown {
        let sum = std::mem::take(&mut self.sum);
        Unknown {
            rows: sum.rows,
            amount: sum.deviation(),
        }
    }

    fn explained(&self, whole: Unknown, within: f64, groups: u32) -> f64 {
        let free = whole.rows - f64::from(groups);
        match whole.amount > 0.0 && free > 0.0 {
            true => 1.0 - (within / free) / (whole.amount / (whole.rows - 1.0)),
            false => 0.0,
        }
    }
}
