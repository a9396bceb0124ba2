//! One level per quasi-identifier, eight to a word.

use crate::numbers::Level;
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::fmt;

/// The top bit of every byte; levels stay below it, so eight of them compare in one subtraction.
const GUARDS: u64 = 0x8080_8080_8080_8080;

/// One level per quasi-identifier, in the order the quasi-identifiers were given.
///
/// Nodes compare in lattice order: by height, then by levels from left to right.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Node {
    attributes: u32,
    height: u32,
    /// Level of attribute `a` in byte `a % 8` (from the most significant) of word `a / 8`.
    words: SmallVec<[u64; 2]>,
}

impl Node {
    /// Every attribute at level 0.
    pub fn bottom(attributes: usize) -> Self {
        let words = SmallVec::from_elem(0, attributes.div_ceil(8));
        Node {
            attributes: attributes as u32,
            height: 0,
            words,
        }
    }

    /// A node with these levels, each at most 127.
    pub fn from_levels<L: Into<Level>>(levels: impl IntoIterator<Item = L>) -> Self {
        let levels: SmallVec<[Level; 16]> = levels.into_iter().map(L::into).collect();
        let mut node = Node::bottom(levels.len());
        for (attribute, &level) in levels.iter().enumerate() {
            node.set(attribute, level);
        }
        node
    }

    fn set(&mut self, attribute: usize, level: Level) {
        let level = level.0;
        debug_assert!(level < 0x80);
        let shift = shift(attribute);
        let word = &mut self.words[attribute / 8];
        let old = (*word >> shift) & 0x7f;
        *word = (*word & !(0x7f << shift)) | (u64::from(level) << shift);
        self.height = self.height - old as u32 + u32::from(level);
    }

    /// This node with one level replaced.
    pub fn with(&self, attribute: usize, level: Level) -> Self {
        let mut node = self.clone();
        node.set(attribute, level);
        node
    }

    /// The lowest node at or above both.
    pub fn raised_to(&self, other: &Node) -> Self {
        let levels = self.levels().zip(other.levels());
        Node::from_levels(levels.map(|(one, other)| one.max(other)))
    }

    /// The level of an attribute.
    #[inline]
    pub fn level(&self, attribute: usize) -> Level {
        Level((self.words[attribute / 8] >> shift(attribute)) as u8)
    }

    /// The levels in the order of the quasi-identifiers.
    pub fn levels(&self) -> impl ExactSizeIterator<Item = Level> + Clone + '_ {
        (0..self.len()).map(|attribute| self.level(attribute))
    }

    /// The bytes it takes.
    pub(crate) fn memory(&self) -> usize {
        let beside = if self.words.spilled() {
            8 * self.words.len()
        } else {
            0
        };
        size_of::<Node>() + beside
    }

    /// The number of quasi-identifiers.
    pub fn len(&self) -> usize {
        self.attributes as usize
    }

    /// Whether there are no quasi-identifiers.
    pub fn is_empty(&self) -> bool {
        self.attributes == 0
    }

    /// The sum of the levels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Compares the levels from left to right, whatever the heights.
    pub fn cmp_levels(&self, other: &Node) -> Ordering {
        self.words.cmp(&other.words)
    }

    /// Whether no level of this node is above the other's. Nodes of different lattices are not below each other.
    #[inline]
    pub fn is_at_or_below(&self, other: &Node) -> bool {
        // A byte of `theirs | guard - ours` keeps its guard bit exactly when theirs >= ours.
        let mut words = self.words.iter().zip(&other.words);
        self.attributes == other.attributes
            && words.all(|(ours, theirs)| ((theirs | GUARDS) - ours) & GUARDS == GUARDS)
    }
}

impl Node {
    /// The only attribute whose level is above that of another node of the same lattice; none if there is no such attribute
    /// or more than one.
    #[inline]
    pub(crate) fn only_above(&self, other: &Node) -> Option<usize> {
        let mut only = None;
        for (at, (ours, theirs)) in self.words.iter().zip(&other.words).enumerate() {
            let above = !((theirs | GUARDS) - ours) & GUARDS;
            if above == 0 {
                continue;
            }
            if only.is_some() || above & (above - 1) != 0 {
                return None;
            }
            only = Some(8 * at + above.leading_zeros() as usize / 8);
        }
        only
    }
}

#[inline]
fn shift(attribute: usize) -> u32 {
    56 - 8 * (attribute % 8) as u32
}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Node {
    fn cmp(&self, other: &Self) -> Ordering {
        self.height
            .cmp(&other.height)
            .then_with(|| self.words.cmp(&other.words))
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_list()
            .entries(self.levels().map(|level| level.0))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_attribute_above_another_node_is_found() {
        let node = |levels: [u8; 10]| Node::from_levels(levels);
        let other = node([1, 2, 3, 0, 1, 2, 3, 0, 5, 5]);
        for (levels, only) in [
            ([1, 2, 3, 0, 1, 2, 3, 0, 5, 5], None),
            ([0, 2, 4, 0, 1, 2, 3, 0, 5, 5], Some(2)),
            ([9, 0, 0, 0, 0, 0, 0, 0, 0, 0], Some(0)),
            ([1, 2, 3, 0, 1, 2, 3, 1, 0, 0], Some(7)),
            ([1, 0, 3, 0, 1, 2, 3, 0, 5, 6], Some(9)),
            ([2, 0, 3, 0, 1, 2, 3, 0, 5, 6], None),
            ([2, 3, 3, 0, 1, 2, 3, 0, 5, 5], None),
        ] {
            assert_eq!(node(levels).only_above(&other), only, "{levels:?}");
        }
    }

    #[test]
    fn levels_survive_packing_beyond_one_word() {
        let levels: Vec<u8> = (0..19).map(|attribute| (attribute * 7) % 128).collect();
        let node = Node::from_levels(levels.iter().copied());
        assert!(node.levels().eq(levels.iter().copied().map(Level)));
        assert_eq!(
            node.height(),
            levels.iter().map(|&level| u32::from(level)).sum::<u32>()
        );
    }

    #[test]
    fn below_means_below_in_every_attribute() {
        let low = Node::from_levels([1, 0, 127, 3, 0, 0, 0, 0, 5]);
        assert!(low.is_at_or_below(&low));
        assert!(low.is_at_or_below(&low.with(8, Level(6))));
        assert!(!low.with(8, Level(6)).is_at_or_below(&low));
        assert!(!low.is_at_or_below(&low.with(2, Level(126)).with(0, Level(9))));
        let (shorter, longer) = (Node::bottom(2), Node::bottom(3));
        assert!(!shorter.is_at_or_below(&longer) && !longer.is_at_or_below(&shorter));
    }
}
