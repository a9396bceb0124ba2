//! Texts for groups that no hierarchy names, and what such texts mean.
//!
//! A group of the hierarchy is published under its label there. Other groups are published as the interval `[low-high]`
//! if they are all numbers (or dates) from one to another, otherwise as the set `{one, other}`. Readers of a release
//! can recover the group from the text alone: first a label of the hierarchy on the highest level that has it, then an
//! interval, then a set.
//!
//! Any value can be published, whatever it looks like. In a set it is quoted if it could be misread. If an interval or
//! a set looks like a label of the hierarchy, as raw values may, it is written in more brackets of its kind, `{{one,
//! other}}`, until it does not.
//!
//! `*` says nothing about a value. A leaf of that name, which stands for values that the hierarchy does not list, is
//! published as `*` together with other groups, as in full-domain releases.

use crate::counts::{Attribute, LeafOrder, LeafSet};
use crate::hierarchy::{ANY, Group, Hierarchy, Leaf};
use crate::lattice::Level;

/// Writes and reads the labels of one attribute's groups.
#[derive(Debug)]
pub struct Labels<'a> {
    hierarchy: &'a Hierarchy,
    order: LeafOrder,
    /// The leaves of every group of every level.
    groups: Vec<Vec<LeafSet>>,
}

/// The leaves of every group of a level.
fn leaves_of_groups(hierarchy: &Hierarchy, order: &LeafOrder, level: Level) -> Vec<LeafSet> {
    let mut leaves = vec![Vec::new(); hierarchy.groups(level)];
    for (leaf, &group) in (0..).zip(hierarchy.groups_of_leaves(level)) {
        leaves[group as usize].push(leaf);
    }
    leaves.into_iter().map(|it| order.set(it)).collect()
}

impl<'a> Labels<'a> {
    /// The labels of an attribute.
    pub fn new(attribute: &'a Attribute) -> Self {
        let hierarchy = &attribute.hierarchy;
        let order = LeafOrder::new(attribute);
        Labels {
            hierarchy,
            groups: Level::up_to(hierarchy.height())
                .map(|level| leaves_of_groups(hierarchy, &order, level))
                .collect(),
            order,
        }
    }

    /// The order of the leaves that groups are runs of.
    pub fn order(&self) -> &LeafOrder {
        &self.order
    }

    /// The leaves of a group of the hierarchy.
    pub fn leaves_of(&self, level: Level, group: Group) -> &LeafSet {
        &self.groups[level.index()][group.index()]
    }

    /// The first leaf of a set, if there is one.
    pub(crate) fn first(&self, leaves: &LeafSet) -> Option<Leaf> {
        Some(self.order.leaf(leaves.ends()?.0))
    }

    /// The text for a group of leaves, at least one.
    pub fn write(&self, leaves: &LeafSet) -> String {
        if let Some(label) = self.of_hierarchy(leaves) {
            return label.to_owned();
        }
        if (self.any_leaf()).is_some_and(|any| *leaves == self.order.set([any.0])) {
            return ANY.to_owned();
        }
        match self.interval(leaves) {
            Some(text) => text,
            None => self.write_set(leaves),
        }
    }

    /// The text for a group of leaves as a set, also where there is a shorter one.
    pub fn write_set(&self, leaves: &LeafSet) -> String {
        let elements: Vec<String> = (self.order.leaves(leaves).into_iter())
            .map(|leaf| element(self.hierarchy.text(Leaf(leaf))))
            .collect();
        self.bracketed(Brackets::SET, &elements.join(", "))
    }

    /// The text for all numbers (or dates) from one leaf to another, and the leaves that readers take it for.
    pub fn write_interval(&self, low: Leaf, high: Leaf) -> (String, LeafSet) {
        let (first, last) = (self.order.position(low), self.order.position(high));
        let contains_both =
            |leaves: &LeafSet| leaves.contains(first) && leaves.contains(last) && low != high;
        let interval = self.interval_of(low, high);
        (interval.filter(|(_, leaves)| contains_both(leaves))).unwrap_or_else(|| {
            let leaves = self.order.between(first.min(last), first.max(last));
            (self.write(&leaves), leaves)
        })
    }

    /// The leaves a text stands for; none when it means nothing. Beside other groups `*` is the leaf of that name, if
    /// there is one: alone it is every value.
    pub fn read(&self, text: &str, beside_others: bool) -> Option<LeafSet> {
        if let Some(leaf) = self.any_leaf().filter(|_| beside_others && text == ANY) {
            return Some(self.order.set([leaf.0]));
        }
        if let Some((level, group)) = self.highest(text) {
            return Some(self.leaves_of(level, group).clone());
        }
        let interval = || self.read_interval(Brackets::INTERVAL.inner(text)?);
        interval().or_else(|| self.read_set(Brackets::SET.inner(text)?))
    }

    /// The leaf called `*`, where the last level is called that too.
    fn any_leaf(&self) -> Option<Leaf> {
        let top = self.hierarchy.height();
        self.hierarchy.group(top, ANY)?;
        self.hierarchy.listed_leaf(ANY)
    }

    /// A text in brackets, as many as it takes to look like no label of the hierarchy.
    fn bracketed(&self, brackets: Brackets, inner: &str) -> String {
        let mut text = inner.to_owned();
        loop {
            text = format!("{}{text}{}", brackets.open, brackets.close);
            if !self.is_taken(&text) {
                return text;
            }
        }
    }

    /// The highest level with this label, and its group.
    fn highest(&self, text: &str) -> Option<(Level, Group)> {
        Level::up_to(self.hierarchy.height())
            .rev()
            .find_map(|level| Some((level, self.hierarchy.group(level, text)?)))
    }

    fn is_taken(&self, text: &str) -> bool {
        self.highest(text).is_some()
    }

    /// The label of the group of the hierarchy with exactly these leaves, from the lowest level where it is not
    /// mistaken for another.
    fn of_hierarchy(&self, leaves: &LeafSet) -> Option<&'a str> {
        let first = self.first(leaves)?;
        let is_whole = |level: Level, group: Group| self.leaves_of(level, group) == leaves;
        Level::up_to(self.hierarchy.height()).find_map(|level| {
            let group = self.hierarchy.group_of(level, first);
            let label = self.hierarchy.label(level, group);
            let (highest, named) = self.highest(label)?;
            (is_whole(level, group) && is_whole(highest, named)).then_some(label)
        })
    }

    /// `[low-high]`, if the leaves are all numbers from low to high.
    fn interval(&self, leaves: &LeafSet) -> Option<String> {
        let (first, last) = leaves.ends().filter(|(first, last)| first < last)?;
        let (text, read) = self.interval_of(self.order.leaf(first), self.order.leaf(last))?;
        (read == *leaves).then_some(text)
    }

    /// `[low-high]`, and the leaves that readers take it for.
    fn interval_of(&self, low: Leaf, high: Leaf) -> Option<(String, LeafSet)> {
        let inner = format!("{}-{}", self.hierarchy.text(low), self.hierarchy.text(high));
        let leaves = self.read_interval(&inner)?;
        let plain = format!("[{inner}]");
        let label = self.highest(&plain);
        let is_the_same =
            label.is_some_and(|(level, group)| *self.leaves_of(level, group) == leaves);
        let text = match is_the_same {
            true => plain,
            false => self.bracketed(Brackets::INTERVAL, &inner),
        };
        Some((text, leaves))
    }

    /// All leaves that are numbers, if the number lies between them.
    pub(crate) fn all_numbers_around(&self, number: f64) -> Option<LeafSet> {
        let numbers = self.order.numbers()?;
        let first = numbers.iter().find(|number| !number.is_nan())?;
        let is_between = *first <= number && number <= *numbers.last()?;
        self.between(f64::NEG_INFINITY, f64::INFINITY)
            .filter(|_| is_between)
    }

    /// Whether a text is the set of the values it stands for, each of which it names.
    pub fn names_its_values(&self, text: &str) -> bool {
        let inner = Brackets::SET.inner(text);
        !self.is_taken(text) && inner.is_some_and(|inner| self.read_set(inner).is_some())
    }

    /// The leaves that are numbers from low to high.
    fn between(&self, low: f64, high: f64) -> Option<LeafSet> {
        let numbers = self.order.numbers()?;
        let start = numbers.partition_point(|&number| number.is_nan() || number < low);
        let end = numbers.partition_point(|&number| number.is_nan() || number <= high);
        (start < end).then(|| self.order.between(start as u32, end as u32 - 1))
    }

    /// The leaves of `low-high`.
    fn read_interval(&self, inner: &str) -> Option<LeafSet> {
        let numbers = self.order.numbers()?;
        let number = |text: &str| {
            let position = self.order.position(self.hierarchy.listed_leaf(text)?);
            Some(numbers[position as usize]).filter(|number| !number.is_nan())
        };
        // Numbers may have signs and dates have dashes, so every dash may be the separator.
        let (low, high) = (inner.match_indices('-'))
            .find_map(|(at, _)| Some((number(&inner[..at])?, number(&inner[at + 1..])?)))?;
        self.between(low, high)
    }

    /// The leaves of `one, other`.
    fn read_set(&self, inner: &str) -> Option<LeafSet> {
        let elements = read_elements(inner)?;
        let leaves = (elements.iter()).map(|element| Some(self.hierarchy.listed_leaf(element)?.0));
        let leaves: Vec<u32> = leaves.collect::<Option<_>>()?;
        Some(self.order.set(leaves))
    }
}

/// The brackets around a group.
#[derive(Debug, Clone, Copy)]
struct Brackets {
    open: char,
    close: char,
}

impl Brackets {
    const INTERVAL: Brackets = Brackets {
        open: '[',
        close: ']',
    };
    const SET: Brackets = Brackets {
        open: '{',
        close: '}',
    };

    /// The text inside these brackets, however many there are. Neither numbers nor elements of sets begin or end with a
    /// bracket, so their number is unambiguous.
    fn inner(self, text: &str) -> Option<&str> {
        let mut inner = text.strip_prefix(self.open)?.strip_suffix(self.close)?;
        while let Some(within) = inner.strip_prefix(self.open) {
            inner = within.strip_suffix(self.close)?;
        }
        Some(inner)
    }
}

/// A value as an element of a set, quoted if it could be misread.
fn element(value: &str) -> String {
    let is_plain =
        !value.is_empty() && value.trim() == value && !value.contains(['"', ',', '{', '}']);
    if is_plain {
        value.to_owned()
    } else {
        format!("\"{}\"", value.replace('"', "\"\""))
    }
}

/// The elements of a set, as [`element`] writes them.
fn read_elements(mut text: &str) -> Option<Vec<String>> {
    let mut elements = Vec::new();
    loop {
        let rest;
        if let Some(quoted) = text.strip_prefix('"') {
            let mut value = String::new();
            let mut tail = quoted;
            rest = loop {
                let (before, after) = tail.split_once('"')?;
                value.push_str(before);
                match after.strip_prefix('"') {
                    Some(after) => {
                        value.push('"');
                        tail = after;
                    }
                    None => break after,
                }
            };
            elements.push(value);
        } else {
            let end = text.find(',').unwrap_or(text.len());
            elements.push(text[..end].to_owned());
            rest = &text[end..];
        }
        if rest.is_empty() {
            return Some(elements);
        }
        text = rest.strip_prefix(", ")?;
    }
}
