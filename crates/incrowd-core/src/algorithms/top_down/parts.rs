//! The parts into which replacing a value divides a class.

use super::linked::Linked;
use crate::algorithms::cuts::ValueTree;
use smallvec::SmallVec;

/// Tuples sorted by the child they belong to; memory reused.
#[derive(Debug, Default)]
pub(super) struct Parts {
    children: Vec<u32>,
    sizes: Vec<u32>,
    /// Where each part ends in `sorted`.
    ends: Vec<usize>,
    pub(super) sorted: Vec<u32>,
}

impl Parts {
    /// Sorts tuples by child, keeping their order within a part.
    pub(super) fn sort(
        &mut self,
        tuples: &[u32],
        sizes: &[u32],
        children: usize,
        mut child: impl FnMut(u32) -> usize,
    ) {
        self.children.clear();
        self.sizes.clear();
        self.sizes.resize(children, 0);
        self.ends.clear();
        self.ends.resize(children, 0);
        for &tuple in tuples {
            let child = child(tuple);
            self.children.push(child as u32);
            self.sizes[child] += sizes[tuple as usize];
            self.ends[child] += 1;
        }
        let mut start = 0;
        for end in &mut self.ends {
            start += std::mem::replace(end, start);
        }
        self.sorted.clear();
        self.sorted.resize(tuples.len(), 0);
        for (&tuple, &child) in tuples.iter().zip(&self.children) {
            let place = &mut self.ends[child as usize];
            self.sorted[*place] = tuple;
            *place += 1;
        }
    }

    /// Parts with tuples: which child, its rows, its tuples.
    pub(super) fn present(&self) -> impl Iterator<Item = (usize, u32, &[u32])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        (starts.zip(&self.ends).zip(&self.sizes).enumerate())
            .filter(|(_, ((start, end), _))| start < end)
            .map(|(child, ((start, &end), &size))| (child, size, &self.sorted[start..end]))
    }
}

/// The rows under every child of every value of some parts of a class: what replacing one of its values would make of each.
#[derive(Debug, Default)]
pub(super) struct RowsBelow {
    rows: Vec<u32>,
    /// Where each part begins, and its value of the attribute in which the parts differ, if that may be replaced.
    parts: Vec<(usize, Option<u32>)>,
    /// Where each attribute begins within a part. The attribute in which the parts differ comes last.
    attributes: SmallVec<[usize; 16]>,
    /// The attribute in which the parts differ.
    divided: usize,
    /// The other attributes, and their values, where these may be replaced.
    others: SmallVec<[(usize, u32); 16]>,
}

impl RowsBelow {
    /// Nothing is added up yet for the parts of a class with these values, if one attribute has one of some children in each.
    pub(super) fn clear(
        &mut self,
        trees: &[ValueTree],
        linked: &[Vec<Linked>],
        values: &[u32],
        (divided, children): (usize, &[u32]),
    ) {
        let is_open = |attribute: usize, value: u32| linked[attribute][value as usize].is_open;
        let mut end = 0;
        self.divided = divided;
        self.attributes.clear();
        self.others.clear();
        for (attribute, &value) in values.iter().enumerate() {
            self.attributes.push(end);
            if attribute != divided && is_open(attribute, value) {
                self.others.push((attribute, value));
                end += trees[attribute].children(value).len();
            }
        }
        self.attributes[divided] = end;
        let mut all = 0;
        self.parts.clear();
        for &child in children {
            let value = is_open(divided, child).then_some(child);
            self.parts.push((all, value));
            all += end + value.map_or(0, |value| trees[divided].children(value).len());
        }
        self.rows.clear();
        self.rows.resize(all, 0);
    }

    /// The values looked at for each tuple, at most.
    pub(super) fn looks(&self) -> usize {
        self.others.len() + 1
    }

    /// Adds a tuple with so many rows to a part.
    pub(super) fn add(
        &mut self,
        part: usize,
        (tuple, size): (u32, u32),
        (trees, leaves): (&[ValueTree], &[Vec<u32>]),
    ) {
        let (start, value) = self.parts[part];
        let divided = value.map(|value| (self.divided, value));
        for &(attribute, value) in self.others.iter().chain(&divided) {
            let child = trees[attribute].child(value, leaves[attribute][tuple as usize]);
            self.rows[start + self.attributes[attribute] + child] += size;
        }
    }

    /// The rows under each child of a part's value that may be replaced.
    pub(super) fn of(&self, part: usize, attribute: usize, tree: &ValueTree, value: u32) -> &[u32] {
        let start = self.parts[part].0 + self.attributes[attribute];
        &self.rows[start..start + tree.children(value).len()]
    }
}
