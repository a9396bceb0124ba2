//! What sides lose of their research value.
//!
//! One class that breaks a rule is enough for the release to break it, and that takes its share from every row. So rules
//! come first: what a side loses is counted in *steps* for the rules that it breaks, and a single step is more than
//! all the detail that all columns together can lose. Neither part shrinks when a side grows: it has a smaller
//! granularity, and breaks what it broke before.

use super::side::{Side, bits};
use crate::algorithms::mondrian::Dimension;
use crate::counts::{Attribute, CountedTable};
use crate::hierarchy::Leaf;
use crate::lattice::Level;
use crate::recode::Sides;
use crate::utility::{Left, ResearchValue, RuleSide, Said};

/// The steps that all rules of all columns count together. Every column rounds up to whole ones.
const STEPS: f64 = 60.0;

/// How finely values are told apart.
const WHOLE: f64 = 16_777_216.0;

/// Losses of all columns stay below.
const MOST: f64 = 4_294_967_295.0;

/// Coordinates of numbers stay below this, but for numbers that would share one: those are put next to each other.
const MOST_COORDINATE: f64 = 536_870_912.0;

/// What experts say of all columns, in whole numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Experts<'a> {
    table: &'a CountedTable,
    metric: &'a ResearchValue,
    /// What the greatest value counts.
    whole: f64,
    /// More than what all columns lose without breaking rules.
    step: u32,
}

impl<'a> Experts<'a> {
    pub(super) fn new(table: &'a CountedTable, metric: &'a ResearchValue) -> Self {
        // Each column may round up by one, and by one step.
        let columns = table.attributes.len() as f64;
        let whole = WHOLE.min((MOST / (STEPS + columns + 1.0)).floor() - columns);
        Experts {
            table,
            metric,
            whole,
            step: (whole + columns) as u32,
        }
    }

    /// What counts if rows may be suppressed.
    pub(super) fn suppressed(self) -> Suppressed {
        Suppressed {
            row: self.whole as u32,
            step: self.step,
        }
    }

    /// What they say of one column.
    pub(super) fn of_column(self, at: usize) -> OfColumn<'a> {
        let said = self.metric.said(at);
        let weight = said.weight();
        let worth = Worth {
            left: said.left(),
            whole: self.whole * weight,
            steps: STEPS * weight,
            step: self.step,
        };
        OfColumn {
            attribute: &self.table.attributes[at],
            said,
            worth,
        }
    }
}

/// What counts if rows may be suppressed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Suppressed {
    /// What a suppressed row loses: all its value. Unlike one that breaks a rule, it takes nothing from other rows.
    pub(super) row: u32,
    /// What the least of rules costs.
    pub(super) step: u32,
}

/// What a side of one column loses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Worth {
    left: Left,
    whole: f64,
    steps: f64,
    step: u32,
}

impl Worth {
    /// With a granularity, and rules of this importance broken.
    #[inline]
    fn loss(&self, granularity: f64, broken: f64) -> u32 {
        let kept = self.left.with_broken(broken);
        let value = self.left.with_detail(granularity) * kept;
        let steps = if broken > 0.0 {
            (self.steps * (1.0 - kept)).ceil() as u32
        } else {
            0
        };
        (self.whole * (1.0 - value) + 0.5) as u32 + steps * self.step
    }
}

/// What experts say of one column.
pub(super) struct OfColumn<'a> {
    attribute: &'a Attribute,
    said: Said<'a>,
    worth: Worth,
}

impl OfColumn<'_> {
    pub(super) fn is_by_hand(&self) -> bool {
        self.said.by_hand().is_some()
    }

    /// What each level loses, if its value is given by hand. Who gets to a level may get to those above it.
    fn levels_by_hand(&self) -> Option<Vec<u32>> {
        let values = self.said.by_hand()?;
        let greatest = values.iter().copied().fold(0.0, f64::max);
        let loss = |level: usize| {
            let above = values[level..].iter().copied().fold(0.0, f64::max);
            (self.worth.whole * (greatest - above) + 0.5) as u32
        };
        Some((0..values.len()).map(loss).collect())
    }

    /// The leaves at each place.
    fn leaves_of_places(&self, dimension: &Dimension) -> Vec<Vec<Leaf>> {
        let mut leaves = vec![Vec::new(); dimension.places() as usize];
        for leaf in (0..self.attribute.hierarchy.leaves() as u32).map(Leaf) {
            leaves[dimension.place(leaf) as usize].push(leaf);
        }
        leaves
    }

    /// The importance of the rules that all these leaves together break.
    fn broken<'l>(&self, leaves: impl Iterator<Item = &'l Leaf> + Clone) -> f64 {
        let is_broken = |rule: usize| {
            let has = |side: RuleSide| {
                let mut sides = leaves.clone().map(|&leaf| self.said.side(rule, leaf));
                sides.any(|it| it == Some(side))
            };
            has(RuleSide::One) && has(RuleSide::Other)
        };
        let rules = self.said.importances().enumerate();
        let broken = rules.filter(|(rule, _)| is_broken(*rule));
        broken.map(|(_, importance)| importance).sum()
    }

    /// What each group of each level loses.
    pub(super) fn of_groups(&self) -> Vec<Vec<u32>> {
        let hierarchy = &self.attribute.hierarchy;
        let by_hand = self.levels_by_hand();
        let of_level = |level: Level| {
            if let Some(losses) = &by_hand {
                return vec![losses[level.index()]; hierarchy.groups(level)];
            }
            let mut leaves = vec![Vec::new(); hierarchy.groups(level)];
            for (leaf, &group) in (0..).map(Leaf).zip(hierarchy.groups_of_leaves(level)) {
                leaves[group as usize].push(leaf);
            }
            let loss = |leaves: &Vec<Leaf>| {
                let granularity = 1.0 / leaves.len().max(1) as f64;
                self.worth.loss(granularity, self.broken(leaves.iter()))
            };
            leaves.iter().map(loss).collect()
        };
        let levels = Level::up_to(hierarchy.height());
        levels.map(of_level).collect()
    }

    /// Of numbers: what is lost by all from one place to another, for each pair of places.
    pub(super) fn of_pairs(&self, dimension: &Dimension) -> Vec<u32> {
        let places = dimension.places();
        let by_hand = self.is_by_hand().then(|| self.levels(dimension));
        let rules = self.rules(dimension, &Vec::from_iter(0..places as i32));
        let everything = self.of_everything();
        let mut losses = vec![0; (places * places) as usize];
        for first in 0..places {
            for last in first + 1..places {
                let side = (first as i32, last as i32);
                let loss = match &by_hand {
                    Some(levels) => levels.loss(side),
                    None if !dimension.is_number(first) => everything,
                    None => {
                        let span = dimension.number(last) - dimension.number(first) + 1.0;
                        self.worth.loss(1.0 / span, broken(&rules, side))
                    }
                };
                losses[(first * places + last) as usize] = loss;
                losses[(last * places + first) as usize] = loss;
            }
        }
        losses
    }

    /// What is lost by a cell that may stand for every value.
    fn of_everything(&self) -> u32 {
        if let Some(values) = self.said.by_hand() {
            let greatest = values.iter().copied().fold(0.0, f64::max);
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            return (self.worth.whole * (greatest - least) + 0.5) as u32;
        }
        let values = match self.attribute.numbers_of_leaves() {
            Some(numbers) => {
                let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
                let greatest = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                (greatest - least).max(0.0) + 1.0
            }
            None => self.attribute.hierarchy.leaves() as f64,
        };
        self.worth.loss(1.0 / values, self.said.importances().sum())
    }

    /// For each level, the last place of the run in one group that begins at each place.
    fn run_ends(&self, dimension: &Dimension) -> Vec<Vec<u32>> {
        let leaves = self.leaves_of_places(dimension);
        let hierarchy = &self.attribute.hierarchy;
        let of_level = |level: Level| {
            let groups = hierarchy.groups_of_leaves(level);
            let mut ends: Vec<u32> = (0..dimension.places()).collect();
            for place in (1..leaves.len()).rev() {
                let mut both = leaves[place - 1].iter().chain(&leaves[place]);
                let group = leaves[place].first().map(|leaf| groups[leaf.index()]);
                if both.all(|leaf| Some(groups[leaf.index()]) == group) {
                    ends[place - 1] = ends[place];
                }
            }
            ends
        };
        Level::up_to(hierarchy.height()).map(of_level).collect()
    }

    /// What the levels lose that sides reach, given by hand; sides are first and last place.
    pub(super) fn levels(&self, dimension: &Dimension) -> Levels {
        Levels {
            losses: self.levels_by_hand().unwrap_or_default(),
            run_ends: self.run_ends(dimension),
        }
    }

    /// The rules, given the coordinate of each place.
    fn rules(&self, dimension: &Dimension, coordinates: &[i32]) -> Vec<AxisRule> {
        let leaves = self.leaves_of_places(dimension);
        let rules = self.said.importances().enumerate();
        let rules = rules.map(|(rule, importance)| {
            let mut gaps = Vec::new();
            let mut before: Option<(RuleSide, i32)> = None;
            for (leaves, &coordinate) in leaves.iter().zip(coordinates) {
                let sides = leaves.iter().filter_map(|&it| self.said.side(rule, it));
                for side in sides {
                    if let Some((other, at)) = before
                        && other != side
                    {
                        gaps.push((at, coordinate));
                    }
                    before = Some((side, coordinate));
                }
            }
            AxisRule { importance, gaps }
        });
        rules.collect()
    }

    /// Many values in the order of their places, and the coordinate of each place.
    pub(super) fn span(&self, dimension: &Dimension) -> (Span, Vec<i32>) {
        let is_numbers = dimension.sides == Sides::Intervals;
        let (coordinates, unit) = match is_numbers {
            true => coordinates(dimension),
            false => ((0..dimension.places() as i32).collect(), 1.0),
        };
        let span = Span {
            worth: self.worth,
            unit,
            everything: self.of_everything(),
            rules: self.rules(dimension, &coordinates),
        };
        (span, coordinates)
    }

    /// Sets of few values: a bit for each place.
    pub(super) fn marks(&self, dimension: &Dimension) -> Marks {
        let places = dimension.places() as usize;
        let leaves = self.leaves_of_places(dimension);
        let mask = |is_in: &dyn Fn(Leaf) -> bool| {
            let inside = (0..places).filter(|&place| leaves[place].iter().any(|&it| is_in(it)));
            inside.fold(0u64, |mask, place| mask | 1 << place)
        };
        let rules = self.said.importances().enumerate();
        let rules = rules.map(|(rule, importance)| MarkedRule {
            importance,
            one: mask(&|leaf| self.said.side(rule, leaf) == Some(RuleSide::One)),
            other: mask(&|leaf| self.said.side(rule, leaf) == Some(RuleSide::Other)),
        });
        let hierarchy = &self.attribute.hierarchy;
        let groups = |level: Level| -> Vec<u64> {
            let group = |place: usize| {
                leaves[place]
                    .first()
                    .map(|&it| hierarchy.group_of(level, it))
            };
            let own =
                |place: usize| mask(&|leaf| Some(hierarchy.group_of(level, leaf)) == group(place));
            (0..places).map(own).collect()
        };
        let by_hand = self.levels_by_hand().map(|losses| {
            let levels = Level::up_to(hierarchy.height());
            (losses, levels.map(groups).collect())
        });
        Marks {
            worth: self.worth,
            rules: rules.collect(),
            by_hand,
        }
    }
}

/// A coordinate for each place of numbers, and how far two are apart that differ by 1. Cells that are no numbers are
/// below zero.
fn coordinates(dimension: &Dimension) -> (Vec<i32>, f64) {
    let mut numbers = (0..dimension.places()).filter(|&it| dimension.is_number(it));
    // Halved so that everything is finite.
    let half = |place: u32| dimension.number(place) / 2.0;
    let least = numbers.next().map_or(0.0, half);
    let range = numbers.next_back().map_or(least, half) - least;
    // A power of two, so that whole numbers stay exact; if all are, no more than that.
    let is_whole =
        |place: u32| !dimension.is_number(place) || dimension.number(place).fract() == 0.0;
    let most = if (0..dimension.places()).all(is_whole) {
        1.0
    } else {
        1000.0
    };
    let exponent = match range > 0.0 {
        true => (MOST_COORDINATE / 2.0 / range).log2().floor().min(most) as i32,
        false => 0,
    };
    let scale = 2f64.powi(exponent);
    let mut last = -1;
    let coordinate = |place: u32| match dimension.is_number(place) {
        true => {
            last = (((half(place) - least) * scale).round() as i32).max(last + 1);
            last
        }
        false => -1 - place as i32,
    };
    let coordinates = (0..dimension.places()).map(coordinate).collect();
    (coordinates, 2.0 / scale)
}

/// Values in an order, of which sides hold all from one to another.
#[derive(Debug)]
pub(super) struct Span {
    worth: Worth,
    /// How far two coordinates are apart that differ by 1.
    unit: f64,
    /// What is lost by numbers mixed with cells that are none.
    everything: u32,
    rules: Vec<AxisRule>,
}

/// A rule about values in an order.
#[derive(Debug)]
struct AxisRule {
    importance: f64,
    /// Where values on different sides are neighbours among those that the rule names. Who holds any two on different
    /// sides, and so all between them, holds such neighbours.
    gaps: Vec<(i32, i32)>,
}

/// The importance of the rules that a side breaks.
#[inline]
fn broken(rules: &[AxisRule], side: Side) -> f64 {
    let mut importance = 0.0;
    for rule in rules {
        let is_inside = |&(low, high): &(i32, i32)| side.0 <= low && high <= side.1;
        if rule.gaps.iter().any(is_inside) {
            importance += rule.importance;
        }
    }
    importance
}

impl Span {
    #[inline]
    pub(super) fn loss(&self, side: Side) -> u32 {
        if side.0 == side.1 {
            return 0;
        }
        if side.0 < 0 {
            return self.everything;
        }
        let span = f64::from(side.1 - side.0) * self.unit + 1.0;
        self.worth.loss(1.0 / span, broken(&self.rules, side))
    }
}

/// Values in an order, for whose levels values are given by hand.
#[derive(Debug)]
pub(super) struct Levels {
    /// What each level loses.
    losses: Vec<u32>,
    /// For each level, the last place of the run in one group that begins at each place.
    run_ends: Vec<Vec<u32>>,
}

impl Levels {
    #[inline]
    pub(super) fn loss(&self, (first, last): Side) -> u32 {
        if first == last {
            return self.losses[0];
        }
        let is_one = |ends: &Vec<u32>| ends[first as usize] >= last as u32;
        let level = self.run_ends.iter().position(is_one);
        self.losses[level.unwrap_or(self.losses.len() - 1)]
    }
}

/// Few values in no order.
#[derive(Debug)]
pub(super) struct Marks {
    worth: Worth,
    rules: Vec<MarkedRule>,
    /// What each level loses, if given by hand; and for each level the bits of the group of each place.
    by_hand: Option<(Vec<u32>, Vec<Vec<u64>>)>,
}

#[derive(Debug)]
struct MarkedRule {
    importance: f64,
    one: u64,
    other: u64,
}

impl Marks {
    /// What a side loses that has these bits, and so many at least.
    #[inline]
    pub(super) fn loss(&self, side: Side, at_least: u32) -> u32 {
        let bits = bits(side);
        if let Some((losses, groups)) = &self.by_hand {
            let first = bits.trailing_zeros() as usize;
            let is_one = |masks: &Vec<u64>| masks.get(first).is_none_or(|mask| bits & !mask == 0);
            let level = groups.iter().position(is_one);
            return losses[level.unwrap_or(losses.len() - 1)];
        }
        let mut broken = 0.0;
        for rule in &self.rules {
            if bits & rule.one != 0 && bits & rule.other != 0 {
                broken += rule.importance;
            }
        }
        let values = bits.count_ones().max(at_least).max(1);
        self.worth.loss(1.0 / f64::from(values), broken)
    }
}
