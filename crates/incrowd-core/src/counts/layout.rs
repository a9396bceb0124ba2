//! Where each attribute's group number sits inside a key.

use crate::hierarchy::Hierarchy;

/// The place of one attribute in a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) word: usize,
    pub(crate) shift: u32,
    pub(crate) mask: u64,
}

impl Field {
    /// How many groups fit.
    pub(crate) fn size(self) -> usize {
        self.mask as usize + 1
    }

    #[inline]
    pub(crate) fn read(self, key: &[u64]) -> u32 {
        ((key[self.word] >> self.shift) & self.mask) as u32
    }
}

/// How the group numbers of all attributes are packed into the words of a key.
///
/// Every attribute gets the bits its raw values need and keeps them at every level, so raising one attribute
/// changes only its own bits. One word serves as long as 64 bits suffice; no attribute straddles two words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    fields: Vec<Field>,
    words: usize,
}

impl Layout {
    /// The layout for attributes with these hierarchies.
    pub fn new<'a>(hierarchies: impl IntoIterator<Item = &'a Hierarchy>) -> Self {
        Layout::of_sizes(hierarchies.into_iter().map(Hierarchy::leaves))
    }

    /// The layout for attributes with these numbers of groups.
    pub(crate) fn of_sizes(sizes: impl IntoIterator<Item = usize>) -> Self {
        let (mut word, mut used) = (0, 0);
        let fields = sizes
            .into_iter()
            .map(|size| {
                let last = size.saturating_sub(1).max(1) as u64;
                let bits = u64::BITS - last.leading_zeros();
                if used + bits > u64::BITS {
                    (word, used) = (word + 1, 0);
                }
                used += bits;
                Field {
                    word,
                    shift: used - bits,
                    mask: (1 << bits) - 1,
                }
            })
            .collect();
        Layout {
            fields,
            words: word + 1,
        }
    }

    /// Words per key.
    pub fn words(&self) -> usize {
        self.words
    }

    /// How many bits of the first word are in use; at least one.
    pub(super) fn bits_of_first_word(&self) -> u32 {
        let first = self.fields.iter().filter(|field| field.word == 0);
        let ends = first.map(|field| field.shift + field.mask.count_ones());
        ends.max().unwrap_or(1)
    }

    /// The bits of the last word that are in use.
    pub(super) fn mask_of_last_word(&self) -> u64 {
        let last = self
            .fields
            .iter()
            .filter(|field| field.word == self.words - 1);
        last.fold(0, |mask, field| mask | field.mask << field.shift)
    }

    pub(crate) fn field(&self, attribute: usize) -> Field {
        self.fields[attribute]
    }

    pub(crate) fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Packs the group numbers of one attribute into the keys they belong to, where its bits are still zero.
    #[inline]
    pub(crate) fn pack(&self, attribute: usize, groups: &[u32], keys: &mut [u64]) {
        let Field { word, shift, .. } = self.fields[attribute];
        if self.words == 1 {
            // Nearly all keys; compilers pack several at once.
            for (key, &group) in keys.iter_mut().zip(groups) {
                *key |= u64::from(group) << shift;
            }
            return;
        }
        for (key, &group) in keys.chunks_exact_mut(self.words).zip(groups) {
            key[word] |= u64::from(group) << shift;
        }
    }

    /// Whether some attribute has more bits than in another layout of as many attributes.
    pub(crate) fn is_wider_than(&self, other: &Layout) -> bool {
        let mut pairs = self.fields.iter().zip(&other.fields);
        pairs.any(|(ours, theirs)| ours.mask > theirs.mask)
    }

    /// The same group numbers, packed as another layout of as many attributes says; each must fit there.
    pub(crate) fn repack(&self, keys: &[u64], to: &Layout) -> Vec<u64> {
        let mut packed = Vec::with_capacity(keys.len() / self.words * to.words);
        for key in keys.chunks_exact(self.words) {
            to.push_key(&mut packed, self.fields.iter().map(|field| field.read(key)));
        }
        packed
    }

    /// Packs one group number per attribute onto the end of `keys`.
    pub(crate) fn push_key(&self, keys: &mut Vec<u64>, groups: impl IntoIterator<Item = u32>) {
        let start = keys.len();
        keys.resize(start + self.words, 0);
        for (field, group) in self.fields.iter().zip(groups) {
            keys[start + field.word] |= u64::from(group) << field.shift;
        }
    }
}
