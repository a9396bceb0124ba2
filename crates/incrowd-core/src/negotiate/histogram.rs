//! How many rows each parameter of a model suppresses at a node.
//!
//! A model that is a number per class cuts the classes of a node in two: those on the safe side of its parameter
//! and those to suppress. Sorted by that number, from the least safe class to the safest, with the rows added up,
//! one binary search answers for any parameter. For k-anonymity this is the paper's cumKA, for distinct l-diversity
//! its cumSLD.
//!
//! # When the number and the model disagree
//! Class sizes and numbers of values are whole, and reading them is exact. Other measures are `f64`, and a class may
//! be so close to the parameter that `f64` cannot tell. Two things keep the reading exact. While a histogram is made,
//! a class exactly on a number that could be a parameter is shown to the model with that parameter; if the model's
//! own answer differs, the class is moved off the number. And a reading tells how many rows are too close to call
//! ([`Rows::close`]): whoever needs to know then counts that node and asks the model itself.

use crate::counts::{in_parallel, pieces};
use crate::error::Error;
use crate::privacy::{Counted, Decimal, Direction, PrivacyModel};
use crate::registry::Kind;
use std::ops::Range;

/// Measures that differ from the parameter by less than this share of it are too close to call. Entropies have the
/// widest tolerance of all models, 1e-11.
pub(super) const NOISE: f64 = 4e-11;

/// Up to here every `f64` is nearest to at most one decimal of nine digits.
pub(super) const ONE_DECIMAL_EACH: f64 = 4e6;

/// The rows a parameter suppresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    /// Rows in classes that surely break the promise.
    pub suppressed: u32,
    /// Rows in classes so close to the parameter that only the model can tell.
    pub close: u32,
}

/// Whether the model counts: its measure and its parameter are whole numbers.
pub(super) fn is_whole(model: &dyn PrivacyModel) -> bool {
    model.entry().settings[0].kind == Kind::Count
}

/// Whether the measure of a class is its size.
fn measure_is_size(model: &dyn PrivacyModel) -> bool {
    model.counted() == Some(Counted::Rows)
}

/// The numbers a measure takes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Measures {
    Whole(Vec<u32>),
    Real(Vec<f64>),
}

impl Measures {
    fn of(model: &dyn PrivacyModel) -> Self {
        match is_whole(model) {
            true => Measures::Whole(Vec::new()),
            false => Measures::Real(Vec::new()),
        }
    }

    fn whole(&self) -> &[u32] {
        match self {
            Measures::Whole(values) => values,
            Measures::Real(_) => unreachable!("all stores are of one model"),
        }
    }

    fn real(&self) -> &[f64] {
        match self {
            Measures::Real(values) => values,
            Measures::Whole(_) => unreachable!("all stores are of one model"),
        }
    }

    fn get(&self, at: usize) -> f64 {
        match self {
            Measures::Whole(values) => values[at].into(),
            Measures::Real(values) => values[at],
        }
    }
}

/// The histograms of many nodes for one model, end to end.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Histograms {
    pub(super) direction: Direction,
    /// Where each node starts, and after the last node the end.
    pub(super) starts: Vec<u32>,
    /// The distinct measures of each node, from the least safe to the safest.
    pub(super) measures: Measures,
    /// Rows of the node with this measure or a less safe one.
    pub(super) rows: Vec<u32>,
    /// What else is known of the classes; none when the measure is the class size, which says it all.
    pub(super) classes: Option<ClassSteps>,
}

/// Parallel to the measures.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ClassSteps {
    /// Classes of the node with this measure or a less safe one.
    pub(super) counts: Vec<u32>,
    /// Rows of the smallest class with this measure or a safer one.
    pub(super) smallest: Vec<u32>,
}

impl Histograms {
    pub(super) fn new(model: &dyn PrivacyModel) -> Self {
        Histograms {
            direction: model.direction(),
            starts: vec![0],
            measures: Measures::of(model),
            rows: Vec::new(),
            classes: (!measure_is_size(model)).then(ClassSteps::default),
        }
    }

    pub(super) fn node(&self, at: usize) -> Histogram<'_> {
        Histogram {
            all: self,
            start: self.starts[at] as usize,
            end: self.starts[at + 1] as usize,
        }
    }

    /// The histograms of nodes from stores of the same model, one after the other.
    pub(super) fn gathered(
        model: &dyn PrivacyModel,
        nodes: &[Histogram<'_>],
        threads: usize,
    ) -> Result<Self, Error> {
        let (mut starts, mut end) = (vec![0], 0);
        for node in nodes {
            end += node.len();
            starts.push(position(end, starts.len())?);
        }
        let gathering = Gathering {
            nodes,
            starts: &starts,
            threads,
        };
        let measures = match is_whole(model) {
            true => Measures::Whole(gathering.list(|of| of.measures.whole())),
            false => Measures::Real(gathering.list(|of| of.measures.real())),
        };
        let classes = (!measure_is_size(model)).then(|| ClassSteps {
            counts: gathering.list(|of| &of.class_steps().counts),
            smallest: gathering.list(|of| &of.class_steps().smallest),
        });
        Ok(Histograms {
            direction: model.direction(),
            measures,
            rows: gathering.list(|of| &of.rows),
            classes,
            starts,
        })
    }

    fn class_steps(&self) -> &ClassSteps {
        let known = self.classes.as_ref();
        known.expect("left out only where the measures are sizes")
    }

    pub(super) fn end_node(&mut self) -> Result<(), Error> {
        let end = position(self.rows.len(), self.starts.len())?;
        self.starts.push(end);
        Ok(())
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        let measures = match &self.measures {
            Measures::Whole(values) => 4 * values.len(),
            Measures::Real(values) => 8 * values.len(),
        };
        let classes = if self.classes.is_some() { 8 } else { 0 };
        4 * self.starts.len() + measures + (4 + classes) * self.rows.len()
    }
}

/// Nodes whose histograms are copied to one store, on several threads, each into memory that it is the first to touch.
struct Gathering<'n> {
    nodes: &'n [Histogram<'n>],
    /// Where each node starts in the store, and after the last node the end.
    starts: &'n [u32],
    threads: usize,
}

impl Gathering<'_> {
    /// What all nodes have in a list of their stores.
    fn list<T: Copy + Default + Send>(&self, of: impl Fn(&Histograms) -> &[T] + Sync) -> Vec<T> {
        let length =
            |piece: &Range<usize>| (self.starts[piece.end] - self.starts[piece.start]) as usize;
        let mut all = vec![T::default(); length(&(0..self.nodes.len()))];
        let (mut rest, mut parts) = (&mut all[..], Vec::new());
        for piece in pieces(self.nodes.len(), self.threads) {
            let (part, after) = rest.split_at_mut(length(&piece));
            rest = after;
            parts.push((piece, part));
        }
        in_parallel(self.threads, parts, |(piece, mut room)| {
            for node in &self.nodes[piece] {
                let (own, after) = room.split_at_mut(node.len());
                own.copy_from_slice(&of(node.all)[node.start..node.end]);
                room = after;
            }
        });
        all
    }
}

/// A position among all measures of so many nodes.
fn position(measures: usize, nodes: usize) -> Result<u32, Error> {
    u32::try_from(measures).map_err(|_| Error::LatticeTooLarge {
        nodes: nodes as u128,
        limit: u32::MAX.into(),
    })
}

/// How many rows of one node each parameter of a model suppresses.
#[derive(Debug, Clone, Copy)]
pub struct Histogram<'a> {
    all: &'a Histograms,
    start: usize,
    end: usize,
}

impl<'a> Histogram<'a> {
    /// The number of distinct measures.
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether the node has no class.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Rows with the first so many measures.
    fn rows_of_first(&self, steps: usize) -> u32 {
        match steps {
            0 => 0,
            steps => self.all.rows[self.start + steps - 1],
        }
    }

    /// The measure of a step, counted from the least safe.
    fn measure(&self, step: usize) -> f64 {
        self.all.measures.get(self.start + step)
    }

    /// The distinct measures from the least safe to the safest, each with the rows of all classes up to it: the
    /// curve of figure 2.9. A parameter just beyond a measure suppresses that many rows.
    pub fn curve(&self) -> impl ExactSizeIterator<Item = (f64, u32)> + use<'a> {
        let histogram = *self;
        (0..self.len())
            .map(move |step| (histogram.measure(step), histogram.rows_of_first(step + 1)))
    }

    /// The rows that a parameter suppresses.
    pub fn rows(&self, parameter: Decimal) -> Rows {
        match &self.all.measures {
            Measures::Whole(values) => {
                let values = &values[self.start..self.end];
                let steps = whole_steps(values, parameter);
                Rows {
                    suppressed: self.rows_of_first(steps),
                    close: 0,
                }
            }
            Measures::Real(values) => {
                let values = &values[self.start..self.end];
                let (sure, close) = real_steps(values, self.all.direction, parameter.to_f64());
                let suppressed = self.rows_of_first(sure);
                Rows {
                    suppressed,
                    close: self.rows_of_first(close) - suppressed,
                }
            }
        }
    }

    /// How many of the least safe measures break the promise; those too close to call are taken to break it.
    fn steps_suppressed(&self, parameter: Decimal) -> usize {
        match &self.all.measures {
            Measures::Whole(values) => whole_steps(&values[self.start..self.end], parameter),
            Measures::Real(values) => {
                let values = &values[self.start..self.end];
                real_steps(values, self.all.direction, parameter.to_f64()).1
            }
        }
    }

    /// The number of classes.
    pub fn classes(&self) -> u32 {
        self.classes_of_first(self.len())
    }

    fn classes_of_first(&self, steps: usize) -> u32 {
        match (&self.all.classes, steps) {
            (_, 0) => 0,
            (Some(classes), _) => classes.counts[self.start + steps - 1],
            (None, _) => (0..steps)
                .map(|step| {
                    let rows = self.rows_of_first(step + 1) - self.rows_of_first(step);
                    rows / (self.measure(step) as u32).max(1)
                })
                .sum(),
        }
    }

    /// The number of classes that a parameter leaves. Classes too close to call count as suppressed.
    pub fn classes_published(&self, parameter: Decimal) -> u32 {
        self.classes() - self.classes_of_first(self.steps_suppressed(parameter))
    }

    /// Rows of the smallest class that a parameter leaves, if it leaves any.
    pub fn smallest_class(&self, parameter: Decimal) -> Option<u32> {
        let steps = self.steps_suppressed(parameter);
        (steps < self.len()).then(|| match &self.all.classes {
            Some(classes) => classes.smallest[self.start + steps],
            None => self.measure(steps) as u32,
        })
    }

    /// The measure of the first class that must be published to suppress at most so many rows; none when all may
    /// be suppressed.
    pub(super) fn measure_to_keep(&self, max_suppressed: u32) -> Option<f64> {
        let rows = &self.all.rows[self.start..self.end];
        let steps = rows.partition_point(|&rows| rows <= max_suppressed);
        (steps < self.len()).then(|| self.measure(steps))
    }
}

/// How many of the ascending measures are below a parameter.
fn whole_steps(values: &[u32], parameter: Decimal) -> usize {
    let (numerator, denominator) = (parameter.numerator(), parameter.denominator());
    let least = numerator.div_ceil(denominator);
    values.partition_point(|&value| u64::from(value) < least)
}

/// How many measures surely break the promise, and how many may.
fn real_steps(values: &[f64], direction: Direction, parameter: f64) -> (usize, usize) {
    let is_near = |value: f64| (value - parameter).abs() <= NOISE * parameter;
    let breaks = |value: f64| !direction.meets(value, parameter);
    // From the least safe on, measures first break the promise, then are near the parameter, then keep it.
    let mut sure = values.partition_point(|&value| breaks(value) && !is_near(value));
    let mut close = sure;
    let near = values[sure..].iter().take_while(|value| is_near(**value));
    for (at, &value) in (sure + 1..).zip(near) {
        let is_settled = value == parameter && parameter < ONE_DECIMAL_EACH;
        if is_settled && breaks(value) && at == sure + 1 {
            (sure, close) = (at, at);
        } else if !is_settled || breaks(value) {
            close = at;
        }
    }
    (sure, close)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_next_to_the_parameter_are_too_close_to_call() {
        let below = 0.3f64.next_down();
        let steps = |values: &[f64]| real_steps(values, Direction::AtMost, 0.3);
        assert_eq!(steps(&[0.5, 0.3, 0.1]), (1, 1));
        assert_eq!(steps(&[0.5, 0.3f64.next_up(), 0.3, below, 0.1]), (1, 4));
        assert_eq!(
            real_steps(&[0.1, 0.3, 0.4], Direction::AtLeast, 0.3),
            (1, 1)
        );
        assert_eq!(real_steps(&[0.4, 0.3, 0.1], Direction::Below, 0.3), (2, 2));
        assert_eq!(real_steps(&[0.0], Direction::AtMost, 0.0), (0, 0));
    }
}
