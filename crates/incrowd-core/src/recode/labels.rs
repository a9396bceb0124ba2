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

use crate::counts::Attribute;
use crate::hierarchy::{ANY, Group, Hierarchy, Leaf};
use crate::lattice::Level;

/// Writes and reads the labels of one attribute's groups.
#[derive(Debug)]
pub struct Labels<'a> {
    hierarchy: &'a Hierarchy,
    /// The leaves that are numbers or dates, in their order.
    ordered: Vec<(f64, u32)>,
    /// What each leaf is as a number; NaN for the others.
    numbers: Vec<f64>,
    members: Vec<Members>,
}

/// The leaves of every group of one level.
#[derive(Debug)]
struct Members {
    /// All leaves, those of the first group first.
    leaves: Vec<u32>,
    /// Where each group ends in `leaves`.
    ends: Vec<usize>,
}

impl Members {
    fn new(hierarchy: &Hierarchy, level: Level) -> Self {
        let groups_of_leaves = hierarchy.groups_of_leaves(level);
        let mut leaves: Vec<u32> = (0..groups_of_leaves.len() as u32).collect();
        leaves.sort_by_key(|&leaf| groups_of_leaves[leaf as usize]);
        let sizes = hierarchy.leaves_of_groups(level).iter();
        let ends = sizes.scan(0, |end, &size| {
            *end += size as usize;
            Some(*end)
        });
        Members {
            leaves,
            ends: ends.collect(),
        }
    }

    fn of_group(&self, group: Group) -> &[u32] {
        let group = group.index();
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        &self.leaves[start..self.ends[group]]
    }
}

impl<'a> Labels<'a> {
    /// The labels of an attribute.
    pub fn new(attribute: &'a Attribute) -> Self {
        let hierarchy = &attribute.hierarchy;
        let numbers =
            (attribute.numbers_of_leaves()).unwrap_or_else(|| vec![f64::NAN; hierarchy.leaves()]);
        let mut ordered: Vec<(f64, u32)> = (numbers.iter().zip(0..))
            .filter(|(number, _)| !number.is_nan())
            .map(|(&number, leaf)| (number, leaf))
            .collect();
        ordered.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        Labels {
            hierarchy,
            ordered,
            numbers,
            members: Level::up_to(hierarchy.height())
                .map(|level| Members::new(hierarchy, level))
                .collect(),
        }
    }

    /// The text for a group of leaves, given by their numbers, which are ascending and at least one.
    pub fn write(&self, leaves: &[u32]) -> String {
        if let Some(label) = self.of_hierarchy(leaves) {
            return label.to_owned();
        }
        if self.any_leaf().is_some_and(|leaf| leaves == [leaf.0]) {
            return ANY.to_owned();
        }
        let interval = (self.interval(leaves))
            .filter(|inner| self.read_interval(inner).as_deref() == Some(leaves));
        match interval {
            Some(inner) => self.bracketed(Brackets::INTERVAL, &inner),
            None => {
                let elements: Vec<String> = (leaves.iter())
                    .map(|&leaf| element(self.hierarchy.text(Leaf(leaf))))
                    .collect();
                self.bracketed(Brackets::SET, &elements.join(", "))
            }
        }
    }

    /// The numbers of the leaves a text stands for, ascending; none when it means nothing. Beside other groups `*` is the leaf of that
    /// name, if there is one: alone it is every value.
    pub fn read(&self, text: &str, beside_others: bool) -> Option<Vec<u32>> {
        if let Some(leaf) = self.any_leaf().filter(|_| beside_others && text == ANY) {
            return Some(vec![leaf.0]);
        }
        if let Some((level, group)) = self.highest(text) {
            return Some(self.members[level.index()].of_group(group).to_vec());
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
    fn of_hierarchy(&self, leaves: &[u32]) -> Option<&'a str> {
        let is_whole =
            |level: Level, group: Group| self.members[level.index()].of_group(group) == leaves;
        Level::up_to(self.hierarchy.height()).find_map(|level| {
            let group = self.hierarchy.group_of(level, Leaf(leaves[0]));
            let label = self.hierarchy.label(level, group);
            let (highest, named) = self.highest(label)?;
            (is_whole(level, group) && is_whole(highest, named)).then_some(label)
        })
    }

    /// `low-high`, if the leaves are all numbers from low to high.
    fn interval(&self, leaves: &[u32]) -> Option<String> {
        let number = |leaf: &u32| self.numbers[*leaf as usize];
        if leaves.len() < 2 || leaves.iter().any(|leaf| number(leaf).is_nan()) {
            return None;
        }
        let by_number = |one: &&u32, other: &&u32| number(one).total_cmp(&number(other));
        let (low, high) = (
            leaves.iter().min_by(by_number)?,
            leaves.iter().max_by(by_number)?,
        );
        let between = self.between(number(low), number(high));
        (between.len() == leaves.len()).then(|| {
            let text = |leaf| self.hierarchy.text(Leaf(leaf));
            format!("{}-{}", text(*low), text(*high))
        })
    }

    fn between(&self, low: f64, high: f64) -> &[(f64, u32)] {
        let start = self.ordered.partition_point(|(number, _)| *number < low);
        let end = self.ordered.partition_point(|(number, _)| *number <= high);
        &self.ordered[start.min(end)..end]
    }

    /// The leaves of `low-high`, ascending.
    fn read_interval(&self, inner: &str) -> Option<Vec<u32>> {
        let number = |text: &str| {
            let leaf = self.hierarchy.listed_leaf(text)?;
            Some(self.numbers[leaf.index()]).filter(|number| !number.is_nan())
        };
        // Numbers may have signs and dates have dashes, so every dash may be the separator.
        let (low, high) = (inner.match_indices('-'))
            .find_map(|(at, _)| Some((number(&inner[..at])?, number(&inner[at + 1..])?)))?;
        let between = self.between(low, high).iter();
        let mut leaves: Vec<u32> = between.map(|&(_, leaf)| leaf).collect();
        leaves.sort_unstable();
        Some(leaves)
    }

    /// The leaves of `one, other`, ascending.
    fn read_set(&self, inner: &str) -> Option<Vec<u32>> {
        let elements = read_elements(inner)?;
        let leaves = (elements.iter()).map(|element| Some(self.hierarchy.listed_leaf(element)?.0));
        let mut leaves: Vec<u32> = leaves.collect::<Option<_>>()?;
        leaves.sort_unstable();
        leaves.dedup();
        Some(leaves)
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
