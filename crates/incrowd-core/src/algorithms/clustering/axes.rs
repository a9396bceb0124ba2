//! The quasi-identifiers as clusters see them: what a cluster spans in each, and what that loses.
//!
//! Losses are whole numbers, so that sums are exact and two merges that lose the same are told apart by their numbers
//! and not by rounding. What a side loses never shrinks when the side grows: the index rests on that.

use super::side::{Side, bit_of, bits};
use super::worth::{Experts, Levels, Marks, Span, Suppressed};
use crate::algorithms::mondrian::{Dimension, Space};
use crate::recode::Sides;

/// What the whole of the widest dimension loses. Two numbers closer than a part of this many lose nothing.
const WHOLE: f64 = 16_777_216.0;

/// What all dimensions lose together at most, so that sums stay exact.
const WHOLE_OF_ALL: f64 = 2_147_483_648.0;

/// Text without levels and with more values spans all between its first and its last one.
pub(super) const MOST_BITS: u32 = 64;

/// With no more places, the loss of every pair of them is kept.
const MOST_IN_TABLE: u32 = 256;

/// What merged clusters lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loss {
    /// What experts see in them, for every row.
    Value,
    /// The share of the dimension that they span, for every row.
    Certainty,
    /// The range that they span in the units of the column, whatever the rows.
    Range,
}

/// Steps for broken rules count this much each, which is more than all detail of all rows.
const BITS_OF_DETAIL: u32 = 56;

/// More steps count as many, so that the losses of two clusters can be added up.
const MOST_STEPS: u32 = 63;

/// What values of a text lose: nothing if there is one, else something for each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Values {
    each: u32,
    /// What the first of them does not lose.
    less: u32,
}

impl Values {
    fn new(loss: Loss, whole: f64, places: u32) -> Self {
        let each = |parts: u32| (whole / f64::from(parts.max(1))).round() as u32;
        match loss {
            Loss::Certainty => Values {
                each: each(places),
                less: 0,
            },
            Loss::Range | Loss::Value => {
                let each = each(places.saturating_sub(1));
                Values { each, less: each }
            }
        }
    }

    /// What so many lose.
    #[inline]
    pub(super) fn loss(self, values: u32) -> u32 {
        match values {
            0 | 1 => 0,
            _ => values * self.each - self.less,
        }
    }
}

/// How the loss of a side is found.
#[derive(Debug)]
pub(super) enum Measure {
    /// The distance of two coordinates, at most so much: cells that are no numbers are so far from each other and from
    /// all numbers.
    Distance { most: i32 },
    /// By first and last place.
    Table { places: usize, losses: Vec<u32> },
    /// By the lowest common group of the first and last place, of which there are many: for each level, of each group.
    Group { at: usize, losses: Vec<Vec<u32>> },
    /// By how many places there are from the first to the last.
    Run { values: Values },
    /// By the number of bits.
    Bits { values: Values },
    /// By the value of what lies between two coordinates.
    Span(Span),
    /// By the value of the level that first and last place reach.
    Levels(Levels),
    /// By the value of the bits.
    Marks(Marks),
}

impl Measure {
    /// Whether sides have bits.
    #[inline]
    pub(super) fn has_bits(&self) -> bool {
        matches!(self, Measure::Bits { .. } | Measure::Marks(_))
    }
}

/// The dimensions of a table and the sides of its tuples, which are numbered in the order of their values.
#[derive(Debug)]
pub(super) struct Axes<'a> {
    pub(super) loss: Loss,
    pub(super) measures: Vec<Measure>,
    /// What counts if rows may be suppressed.
    pub(super) suppressed: Suppressed,
    space: &'a Space,
    /// For each dimension the side of every tuple.
    sides: Vec<Vec<Side>>,
    /// For each dimension the least and greatest end of a side.
    ends: Vec<Side>,
    /// What each dimension loses as a whole, unless the loss is the value.
    wholes: Vec<u32>,
}

impl<'a> Axes<'a> {
    /// The tuples of a table, given as points in the order of their numbers here.
    ///
    /// Experts count if the loss is the value.
    pub(super) fn new(
        space: &'a Space,
        points: &[u32],
        loss: Loss,
        experts: Option<Experts<'_>>,
    ) -> Self {
        let dimensions = &space.dimensions;
        let ranges: Vec<f64> = dimensions.iter().map(|it| half_range(it, loss)).collect();
        let whole_of_one = WHOLE.min(WHOLE_OF_ALL / dimensions.len().max(1) as f64);
        let widest = ranges.iter().copied().fold(0.0, f64::max);
        let mut axes = Axes {
            loss,
            measures: Vec::new(),
            suppressed: experts.map_or(Suppressed { row: 0, step: 1 }, Experts::suppressed),
            space,
            sides: Vec::new(),
            ends: Vec::new(),
            wholes: Vec::new(),
        };
        for (at, dimension) in dimensions.iter().enumerate() {
            let whole = match widest > 0.0 {
                true => (ranges[at] / widest * whole_of_one).round(),
                false => 0.0,
            };
            let places = || points.chunks_exact(space.stride).map(|point| point[at]);
            let (measure, sides) = match experts {
                Some(experts) => valued_axis((at, dimension), experts, &places),
                None => axis((at, dimension), (loss, whole), &places),
            };
            let least = sides.iter().map(|it| it.0).min();
            let greatest = sides.iter().map(|it| it.1).max();
            axes.ends.push((least.unwrap_or(0), greatest.unwrap_or(0)));
            axes.wholes.push(whole as u32);
            axes.measures.push(measure);
            axes.sides.push(sides);
        }
        axes
    }

    pub(super) fn dimensions(&self) -> usize {
        self.measures.len()
    }

    /// The side of a tuple.
    pub(super) fn side(&self, dimension: usize, tuple: u32) -> Side {
        self.sides[dimension][tuple as usize]
    }

    /// The sides of all tuples.
    pub(super) fn sides_of_tuples(&self, dimension: usize) -> &[Side] {
        &self.sides[dimension]
    }

    /// All sides of a tuple.
    pub(super) fn sides(&self, tuple: u32) -> impl Iterator<Item = Side> + '_ {
        self.sides.iter().map(move |sides| sides[tuple as usize])
    }

    /// The side that holds both.
    pub(super) fn join(&self, dimension: usize, one: Side, other: Side) -> Side {
        match self.measures[dimension].has_bits() {
            true => (one.0 | other.0, one.1 | other.1),
            false => (one.0.min(other.0), one.1.max(other.1)),
        }
    }

    /// Widens sides until they hold others.
    pub(super) fn widen(&self, sides: &mut [Side], others: impl Iterator<Item = Side>) {
        for (at, (side, other)) in sides.iter_mut().zip(others).enumerate() {
            *side = self.join(at, *side, other);
        }
    }

    /// What a merged cluster of these rows loses in all. Detail is lost by every row, rules by the release as a whole. Never
    /// less for more rows or a greater extent.
    #[inline]
    pub(super) fn of_rows(&self, extent: u32, rows: u64) -> u64 {
        match self.loss {
            Loss::Certainty => u64::from(extent).saturating_mul(rows),
            Loss::Value => {
                let step = self.suppressed.step;
                let steps = (extent / step).min(MOST_STEPS);
                let detail = (extent - steps * step).min(step - 1);
                let most = (1 << BITS_OF_DETAIL) - 1;
                let of_detail = u64::from(detail).saturating_mul(rows).min(most);
                (u64::from(steps) << BITS_OF_DETAIL) + of_detail
            }
            Loss::Range => u64::from(extent),
        }
    }

    /// The greatest extent with which so many rows lose no more than this.
    #[inline]
    pub(super) fn most_extent(&self, loss: u64, rows: u64) -> u64 {
        let rows = rows.max(1);
        match self.loss {
            Loss::Certainty => loss / rows,
            Loss::Value => {
                let step = u64::from(self.suppressed.step);
                let most = (1 << BITS_OF_DETAIL) - 1;
                let (steps, of_detail) = (loss >> BITS_OF_DETAIL, loss & most);
                let detail = match of_detail == most {
                    true => step - 1,
                    false => (of_detail / rows).min(step - 1),
                };
                match steps >= MOST_STEPS.into() && detail == step - 1 {
                    true => u64::MAX,
                    false => steps * step + detail,
                }
            }
            Loss::Range => loss,
        }
    }

    /// What a side loses.
    #[inline]
    pub(super) fn loss(&self, dimension: usize, side: Side) -> u32 {
        match &self.measures[dimension] {
            Measure::Distance { most } => (side.1 - side.0).min(*most) as u32,
            Measure::Table { places, losses } => losses[side.0 as usize * places + side.1 as usize],
            Measure::Group { at, losses } => group_loss(&self.space.dimensions[*at], losses, side),
            Measure::Run { values } => values.loss((side.1 - side.0 + 1) as u32),
            Measure::Bits { values } => values.loss(bits(side).count_ones()),
            Measure::Span(span) => span.loss(side),
            Measure::Levels(levels) => levels.loss(side),
            Measure::Marks(marks) => marks.loss(side, 0),
        }
    }

    /// What a side with bits loses with one more.
    pub(super) fn loss_with_another(&self, dimension: usize, side: Side) -> u32 {
        let values = bits(side).count_ones() + 1;
        match &self.measures[dimension] {
            Measure::Bits { values: each } => each.loss(values),
            Measure::Marks(marks) => marks.loss(side, values),
            _ => self.loss(dimension, side),
        }
    }

    /// What the widest dimension with coordinates of losses loses.
    pub(super) fn widest(&self) -> u64 {
        let widths = self.measures.iter().map(|measure| match measure {
            Measure::Distance { most } => u64::from(most.unsigned_abs()),
            _ => 0,
        });
        widths.max().unwrap_or(0)
    }

    /// What all dimensions lose together at most, without regard to rules.
    pub(super) fn most_lost(&self) -> u64 {
        match self.loss {
            Loss::Value => self.suppressed.row.into(),
            Loss::Certainty | Loss::Range => {
                let whole = |at: usize| u64::from(self.wholes[at]);
                (0..self.dimensions()).map(whole).sum()
            }
        }
    }

    /// How many values a dimension has.
    pub(super) fn places(&self, dimension: usize) -> u32 {
        self.space.dimensions[dimension].places()
    }

    /// Of groups: for each level, the first and last place of each group; nothing of other dimensions.
    pub(super) fn runs(&self, dimension: usize) -> Vec<Vec<Side>> {
        let dimension = &self.space.dimensions[dimension];
        if dimension.sides != Sides::Groups {
            return Vec::new();
        }
        let of_level = |level: usize| {
            let mut runs = vec![(i32::MAX, i32::MIN); dimension.leaves_of_groups(level).len()];
            for place in 0..dimension.places() {
                let (first, last) = &mut runs[dimension.group(level, place) as usize];
                (*first, *last) = ((*first).min(place as i32), (*last).max(place as i32));
            }
            runs
        };
        (0..dimension.levels()).map(of_level).collect()
    }

    /// Of groups: the lowest level at which a side is in one group.
    pub(super) fn level(&self, dimension: usize, side: Side) -> usize {
        self.space.dimensions[dimension].lowest_level(side.0 as u32, side.1 as u32)
    }

    /// Of groups: the group of a place at a level.
    pub(super) fn group(&self, dimension: usize, level: usize, place: i32) -> usize {
        self.space.dimensions[dimension].group(level, place as u32) as usize
    }

    /// The least and greatest coordinate or place of a tuple.
    pub(super) fn ends(&self, dimension: usize) -> Side {
        self.ends[dimension]
    }

    /// What all sides lose together.
    pub(super) fn extent(&self, sides: &[Side]) -> u32 {
        let losses = sides.iter().enumerate();
        losses.map(|(at, &side)| self.loss(at, side)).sum()
    }

    /// What the sides that hold both lose together.
    pub(super) fn joint_extent(&self, one: &[Side], other: impl Iterator<Item = Side>) -> u32 {
        let pairs = one.iter().zip(other).enumerate();
        pairs
            .map(|(at, (&one, other))| self.loss(at, self.join(at, one, other)))
            .sum()
    }
}

/// Half of what a dimension spans in units that can be added up, halved so that it is finite.
fn half_range(dimension: &Dimension, loss: Loss) -> f64 {
    match (loss, dimension.sides) {
        (Loss::Certainty | Loss::Value, _) => 1.0,
        (Loss::Range, Sides::Intervals) => dimension.half_range(),
        (Loss::Range, Sides::Groups | Sides::Sets) => {
            f64::from(dimension.places().saturating_sub(1)) / 2.0
        }
    }
}

/// How the losses of a dimension are found, and the side of every tuple.
fn axis<I: Iterator<Item = u32>>(
    (at, dimension): (usize, &Dimension),
    (loss, whole): (Loss, f64),
    places_of_tuples: &dyn Fn() -> I,
) -> (Measure, Vec<Side>) {
    let places = dimension.places();
    let both = |place: u32| (place as i32, place as i32);
    if dimension.sides == Sides::Intervals {
        let is_number = |place: &u32| dimension.is_number(*place);
        let least = places_of_tuples().filter(is_number).min().unwrap_or(0);
        let most = whole as i32;
        let coordinate = |place: u32| match dimension.is_number(place) {
            true => (dimension.width(least, place) * whole).round() as i32,
            // Far more of them than a column of numbers has would share the last coordinate.
            false => most.saturating_mul(-1 - place as i32).max(i32::MIN / 2),
        };
        let sides = places_of_tuples().map(|it| (coordinate(it), coordinate(it)));
        return (Measure::Distance { most }, sides.collect());
    }
    let values = Values::new(loss, whole, places);
    match dimension.sides {
        Sides::Sets if places <= MOST_BITS => {
            let sides = places_of_tuples().map(bit_of);
            (Measure::Bits { values }, sides.collect())
        }
        Sides::Sets => {
            let sides = places_of_tuples().map(both).collect();
            (Measure::Run { values }, sides)
        }
        _ => {
            let level = |level: usize| {
                let leaves = dimension.leaves_of_groups(level).iter();
                leaves.map(|&leaves| values.loss(leaves)).collect()
            };
            let losses = (0..dimension.levels()).map(level).collect();
            let sides = places_of_tuples().map(both).collect();
            (of_groups((at, dimension), losses), sides)
        }
    }
}

/// The same if losses are those of the value that experts see.
fn valued_axis<I: Iterator<Item = u32>>(
    (at, dimension): (usize, &Dimension),
    experts: Experts<'_>,
    places_of_tuples: &dyn Fn() -> I,
) -> (Measure, Vec<Side>) {
    let said = experts.of_column(at);
    let places = dimension.places();
    let both = |place: u32| (place as i32, place as i32);
    let by_place = || places_of_tuples().map(both).collect();
    match dimension.sides {
        Sides::Groups => (of_groups((at, dimension), said.of_groups()), by_place()),
        Sides::Sets if places <= MOST_BITS => {
            let sides = places_of_tuples().map(bit_of).collect();
            (Measure::Marks(said.marks(dimension)), sides)
        }
        Sides::Intervals if places <= MOST_IN_TABLE => {
            let losses = said.of_pairs(dimension);
            let places = places as usize;
            (Measure::Table { places, losses }, by_place())
        }
        _ if said.is_by_hand() => (Measure::Levels(said.levels(dimension)), by_place()),
        _ => {
            let (span, coordinates) = said.span(dimension);
            let coordinate = |place: u32| coordinates[place as usize];
            let sides = places_of_tuples().map(|it| (coordinate(it), coordinate(it)));
            (Measure::Span(span), sides.collect())
        }
    }
}

/// How the losses of groups are found, given those of each group of each level.
fn of_groups((at, dimension): (usize, &Dimension), losses: Vec<Vec<u32>>) -> Measure {
    let places = dimension.places();
    if places > MOST_IN_TABLE {
        return Measure::Group { at, losses };
    }
    let pairs = (0..places as i32).flat_map(|one| (0..places as i32).map(move |it| (one, it)));
    let loss = |(one, other): (i32, i32)| {
        let side = (one.min(other), one.max(other));
        group_loss(dimension, &losses, side)
    };
    Measure::Table {
        places: places as usize,
        losses: pairs.map(loss).collect(),
    }
}

/// What the lowest group with two places loses.
fn group_loss(dimension: &Dimension, losses: &[Vec<u32>], side: Side) -> u32 {
    if side.0 == side.1 {
        return 0;
    }
    let (first, last) = (side.0 as u32, side.1 as u32);
    let level = dimension.lowest_level(first, last);
    losses[level][dimension.group(level, first) as usize]
}
