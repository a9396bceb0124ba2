//! Clusters of tuples, what they are published as, and what that costs.

use crate::algorithms::mondrian::Space;
use crate::recode::Sides;

/// The side of a cluster in one dimension: its first and last place or, for few places in no order, a bit for each.
pub(super) type Side = (u32, u32);

/// How wide a side is, for one dimension.
#[derive(Debug)]
enum Width {
    /// For every first and last place.
    Table { places: usize, widths: Vec<f32> },
    /// The distance of two numbers.
    Distance(Vec<f32>),
    /// The number of bits.
    Bits { places: f32 },
}

/// With no more places, the width of every pair is kept.
const MOST_IN_TABLE: u32 = 1024;

/// The dimensions, as clusters see them.
#[derive(Debug)]
pub(super) struct Axes {
    widths: Vec<Width>,
    /// The side of every tuple in every dimension, tuple by tuple.
    sides: Vec<Side>,
    /// The rows of every tuple.
    rows: Vec<u32>,
}

impl Axes {
    /// The tuples of a table, given as points in the order of their numbers.
    pub(super) fn new(space: &Space, points: &[u32]) -> Self {
        let widths: Vec<Width> = (space.dimensions.iter())
            .map(|dimension| {
                let places = dimension.places();
                match dimension.sides {
                    Sides::Sets if places <= 64 => Width::Bits {
                        places: places as f32,
                    },
                    Sides::Intervals if places > MOST_IN_TABLE => {
                        let distance = |place| dimension.distance(place) as f32;
                        Width::Distance((0..places).map(distance).collect())
                    }
                    _ if places > MOST_IN_TABLE => {
                        let share = |place| place as f32 / places as f32;
                        Width::Distance((0..places).map(share).collect())
                    }
                    _ => {
                        let pairs =
                            (0..places).flat_map(|one| (0..places).map(move |other| (one, other)));
                        let width = |(one, other): (u32, u32)| {
                            dimension.width(one.min(other), one.max(other)) as f32
                        };
                        Width::Table {
                            places: places as usize,
                            widths: pairs.map(width).collect(),
                        }
                    }
                }
            })
            .collect();
        let mut axes = Axes {
            sides: Vec::with_capacity(points.len()),
            rows: Vec::with_capacity(points.len() / space.stride.max(1)),
            widths,
        };
        for point in points.chunks_exact(space.stride) {
            for (width, &place) in axes.widths.iter().zip(point) {
                axes.sides.push(match width {
                    Width::Bits { .. } if place < 32 => (1 << place, 0),
                    Width::Bits { .. } => (0, 1 << (place - 32)),
                    _ => (place, place),
                });
            }
            axes.rows.push(space.rows(point));
        }
        axes
    }

    /// Tuples of one row each, given by their places on axes with so many numbers in a row.
    #[cfg(test)]
    pub(super) fn of_places<const N: usize>(places: &[u32; N], tuples: &[[u32; N]]) -> Self {
        let distance = |&places: &u32| {
            let share = |place| place as f32 / places as f32;
            Width::Distance((0..places).map(share).collect())
        };
        Axes {
            widths: places.iter().map(distance).collect(),
            sides: tuples.iter().flatten().map(|&it| (it, it)).collect(),
            rows: vec![1; tuples.len()],
        }
    }

    /// The sides of a tuple.
    pub(super) fn sides(&self, tuple: u32) -> &[Side] {
        let dimensions = self.widths.len();
        &self.sides[tuple as usize * dimensions..][..dimensions]
    }

    pub(super) fn rows(&self, tuple: u32) -> u32 {
        self.rows[tuple as usize]
    }

    pub(super) fn dimensions(&self) -> usize {
        self.widths.len()
    }

    /// The side that holds both.
    fn join(&self, dimension: usize, one: Side, other: Side) -> Side {
        match self.widths[dimension] {
            Width::Bits { .. } => (one.0 | other.0, one.1 | other.1),
            _ => (one.0.min(other.0), one.1.max(other.1)),
        }
    }

    fn width(&self, dimension: usize, side: Side) -> f32 {
        match &self.widths[dimension] {
            Width::Table { places, widths } => widths[side.0 as usize * places + side.1 as usize],
            Width::Distance(at) => at[side.1 as usize] - at[side.0 as usize],
            Width::Bits { places } => match side.0.count_ones() + side.1.count_ones() {
                1 => 0.0,
                bits => bits as f32 / places,
            },
        }
    }

    /// The sum of the widths of all sides.
    pub(super) fn extent(&self, sides: &[Side]) -> f64 {
        let widths = sides.iter().enumerate();
        widths
            .map(|(at, &side)| f64::from(self.width(at, side)))
            .sum()
    }

    /// The extent of the sides that hold both.
    pub(super) fn joint_extent(&self, one: &[Side], other: &[Side]) -> f64 {
        // In the same order and precision as [`Axes::extent`], so that what is gained is what is measured.
        let mut sum = 0.0;
        for (at, (&one, &other)) in one.iter().zip(other).enumerate() {
            sum += f64::from(self.width(at, self.join(at, one, other)));
        }
        sum
    }

    /// Widens sides until they hold others.
    pub(super) fn widen(&self, sides: &mut [Side], others: &[Side]) {
        for (at, (side, &other)) in sides.iter_mut().zip(others).enumerate() {
            *side = self.join(at, *side, other);
        }
    }

    /// A place in the middle of a side, from 0 to 1.
    pub(super) fn middle(&self, dimension: usize, side: Side) -> f32 {
        match &self.widths[dimension] {
            Width::Table { places, .. } => (side.0 + side.1) as f32 / (2 * places) as f32,
            Width::Distance(at) => (at[side.0 as usize] + at[side.1 as usize]) / 2.0,
            Width::Bits { places } => {
                let bits = u64::from(side.0) | u64::from(side.1) << 32;
                let ends = bits.trailing_zeros() + 63 - bits.leading_zeros();
                ends as f32 / (2.0 * places)
            }
        }
    }
}

/// Tuples that are published as one class.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cluster {
    pub(super) tuples: Vec<u32>,
    pub(super) rows: u32,
    pub(super) sides: Vec<Side>,
    /// The sum of the widths of its sides.
    pub(super) extent: f64,
}

impl Cluster {
    pub(super) fn of(axes: &Axes, tuples: Vec<u32>) -> Self {
        let mut sides = axes.sides(tuples[0]).to_vec();
        for &tuple in &tuples[1..] {
            axes.widen(&mut sides, axes.sides(tuple));
        }
        Cluster {
            rows: tuples.iter().map(|&tuple| axes.rows(tuple)).sum(),
            extent: axes.extent(&sides),
            tuples,
            sides,
        }
    }

    /// What its rows lose.
    pub(super) fn cost(&self) -> f64 {
        f64::from(self.rows) * self.extent
    }

    /// What the rows lose once a tuple is added, less what they lose now.
    pub(super) fn added_cost(&self, axes: &Axes, tuple: u32) -> f64 {
        let extent = axes.joint_extent(&self.sides, axes.sides(tuple));
        f64::from(self.rows + axes.rows(tuple)) * extent - self.cost()
    }

    pub(super) fn add(&mut self, axes: &Axes, tuple: u32) {
        axes.widen(&mut self.sides, axes.sides(tuple));
        self.extent = axes.extent(&self.sides);
        self.rows += axes.rows(tuple);
        self.tuples.push(tuple);
    }
}
