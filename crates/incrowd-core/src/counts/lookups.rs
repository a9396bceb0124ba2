//! Tables that translate the groups of a key, several attributes at a time.

use super::layout::Field;

/// A lookup table for several attributes pays off if there are this many lower classes per entry.
const CLASSES_PER_ENTRY: usize = 8;

/// One lookup table for neighboring attributes, with an entry for each combination of the bits of their groups.
pub(super) struct Lookup<T> {
    pub(super) word: usize,
    shift: u32,
    /// A power of two.
    entries: Vec<T>,
}

impl<T: Copy> Lookup<T> {
    #[inline]
    pub(super) fn entry(&self, word: u64) -> T {
        self.view().entry(word)
    }

    #[inline]
    fn view(&self) -> View<'_, T> {
        View {
            shift: self.shift,
            entries: &self.entries,
        }
    }
}

/// A lookup table by its parts, which a loop then holds in registers.
#[derive(Clone, Copy)]
struct View<'l, T> {
    shift: u32,
    entries: &'l [T],
}

impl<T: Copy> View<'_, T> {
    #[inline(always)]
    fn entry(self, word: u64) -> T {
        // There are as many entries as combinations of bits, so the compiler sees that this one exists.
        self.entries[(word >> self.shift) as usize & (self.entries.len() - 1)]
    }
}

/// So many lookup tables, of which a compiler that knows how many makes better use, and any others.
#[derive(Clone, Copy)]
pub(super) struct Lookups<'l, T, const FIRST: usize> {
    first: [View<'l, T>; FIRST],
    others: &'l [Lookup<T>],
}

impl<'l, T: Copy, const FIRST: usize> Lookups<'l, T, FIRST> {
    pub(super) fn new(lookups: &'l [Lookup<T>]) -> Self {
        let (first, others) = lookups.split_at(FIRST);
        Lookups {
            first: std::array::from_fn(|at| first[at].view()),
            others,
        }
    }

    /// The entries of a key, joined with each other and with `start`.
    #[inline(always)]
    pub(super) fn join(&self, key: u64, start: T, join: impl Fn(T, T) -> T) -> T {
        let joined = (self.first.iter()).fold(start, |joined, view| join(joined, view.entry(key)));
        let others = self.others.iter();
        others.fold(joined, |joined, lookup| join(joined, lookup.entry(key)))
    }
}

/// Joins the lookup tables of single attributes as far as that pays off. An entry is `join`ed from those of its parts.
pub(super) fn joined<T: Copy + Default>(
    singles: impl Iterator<Item = (Field, Vec<T>)>,
    lower_classes: usize,
    join: impl Fn(T, T) -> T,
) -> Vec<Lookup<T>> {
    let mut lookups: Vec<Lookup<T>> = Vec::new();
    for (field, mut entries) in singles {
        if let Some(last) = lookups.last_mut().filter(|last| last.word == field.word) {
            let places = field.shift - last.shift;
            let mask = last.entries.len() as u64 - 1;
            let bits = u64::BITS - (field.mask << places).leading_zeros();
            if (lower_classes / CLASSES_PER_ENTRY)
                .checked_shr(bits)
                .is_some_and(|most| most > 0)
            {
                // Combinations that no class has, such as a group number beyond the last, get an arbitrary entry.
                let part = |entries: &[T], at: u64| entries.get(at as usize).copied();
                last.entries = (0..1u64 << bits)
                    .map(|combination| {
                        let low = part(&last.entries, combination & mask);
                        let high = part(&entries, combination >> places);
                        join(low.unwrap_or_default(), high.unwrap_or_default())
                    })
                    .collect();
                continue;
            }
        }
        let Field { word, shift, mask } = field;
        entries.resize(mask as usize + 1, T::default());
        lookups.push(Lookup {
            word,
            shift,
            entries,
        });
    }
    lookups
}
