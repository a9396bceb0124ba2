//! Counted tuples, and the classes that become of them, that are held outside memory.

use super::list::Listed;
use super::{FrequencySet, Histograms, List, ListOutside, NotHeld, Overflow};
use std::sync::Arc;

/// The tuples of a counter, each once, in the parts of an [`Overflow`].
#[derive(Debug, Clone)]
pub(super) struct Outside {
    pub(super) overflow: Arc<dyn Overflow>,
    /// The tuples of each part.
    pub(super) parts: Vec<usize>,
    /// For each column, the rows of every code.
    pub(super) rows_of_codes: Vec<Vec<u32>>,
    /// The words of a key.
    pub(super) words: usize,
}

impl Outside {
    /// The keys and sizes of a part.
    pub(super) fn read(&self, part: usize) -> Result<(Vec<u64>, Vec<u32>), NotHeld> {
        let words = self.overflow.read(part)?;
        unjoined(words, self.words, self.parts[part])
    }

    pub(super) fn tuples(&self) -> usize {
        self.parts.iter().sum()
    }
}

/// The memory of a class of the finished table: its key and size, and its values of the counted columns.
pub(super) fn bytes_of_class(words: usize, counted: usize) -> usize {
    8 * words + 4 + 12 * counted
}

/// How much memory a table and the sets of its classes may take, and where the rest goes.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    /// In bytes.
    pub(super) limit: usize,
    pub(super) overflow: Arc<dyn Overflow>,
}

/// Of so many sets, each may take its share of the memory.
const SHARES: usize = 256;

/// Bytes of a set that is not worth a file.
const FEW_BYTES: usize = if cfg!(test) { 1 } else { 1 << 16 };

impl Room {
    /// A copy of classes: outside memory if they take more than a small share of it, and if they can be held there.
    pub(crate) fn copy(&self, classes: &FrequencySet) -> FrequencySet {
        match classes.memory() > (self.limit / SHARES).max(FEW_BYTES) {
            true => (self.copy_outside(classes)).unwrap_or_else(|_| classes.clone()),
            false => classes.clone(),
        }
    }

    fn copy_outside(&self, classes: &FrequencySet) -> Result<FrequencySet, NotHeld> {
        let overflow = &*self.overflow;
        let histograms = classes.histograms.iter().map(|column| {
            let copied = column.as_ref().map(|column| {
                Ok(Histograms {
                    starts: column.starts.copy_to(overflow)?,
                    values: column.values.copy_to(overflow)?,
                    counts: column.counts.copy_to(overflow)?,
                    present: column.present.clone(),
                    cells: (column.cells.as_ref())
                        .map(|cells| cells.copy_to(overflow))
                        .transpose()?,
                })
            });
            copied.transpose()
        });
        Ok(FrequencySet {
            keys: classes.keys.copy_to(overflow)?,
            words: classes.words,
            sizes: classes.sizes.copy_to(overflow)?,
            people: classes.people.clone(),
            histograms: histograms.collect::<Result<_, NotHeld>>()?,
        })
    }
}

/// Classes that are written one after the other, to be read where they are.
pub(super) struct ClassesOutside {
    words: usize,
    keys: Box<dyn ListOutside>,
    sizes: Box<dyn ListOutside>,
    /// One per counted column.
    histograms: Vec<HistogramsOutside>,
}

/// Their histograms of one column.
struct HistogramsOutside {
    /// Entries of all classes so far.
    entries: u32,
    starts: Box<dyn ListOutside>,
    values: Box<dyn ListOutside>,
    counts: Box<dyn ListOutside>,
}

impl ClassesOutside {
    /// None yet, with keys of so many words and so many counted columns.
    pub(super) fn new(
        overflow: &dyn Overflow,
        words: usize,
        columns: usize,
    ) -> Result<Self, NotHeld> {
        let histograms = (0..columns).map(|_| {
            let mut starts = overflow.list()?;
            starts.add_halves(&[0])?;
            Ok(HistogramsOutside {
                entries: 0,
                starts,
                values: overflow.list()?,
                counts: overflow.list()?,
            })
        });
        Ok(ClassesOutside {
            words,
            keys: overflow.list()?,
            sizes: overflow.list()?,
            histograms: histograms.collect::<Result<_, NotHeld>>()?,
        })
    }

    /// Adds classes after these, with histograms of all columns.
    pub(super) fn append(&mut self, classes: &FrequencySet) -> Result<(), NotHeld> {
        self.keys.add_words(&classes.keys)?;
        self.sizes.add_halves(&classes.sizes)?;
        for (ours, theirs) in (self.histograms.iter_mut()).zip(classes.histograms.iter().flatten())
        {
            let before = ours.entries;
            let starts = theirs.starts[1..].iter().map(|start| before + start);
            ours.starts.add_halves(&starts.collect::<Vec<_>>())?;
            ours.values.add_halves(&theirs.values)?;
            ours.counts.add_halves(&theirs.counts)?;
            ours.entries += theirs.values.len() as u32;
        }
        Ok(())
    }

    /// All of them.
    pub(super) fn end(self) -> Result<FrequencySet, NotHeld> {
        let histograms = self.histograms.into_iter().map(|column| {
            Ok(Some(Histograms {
                starts: ended(column.starts)?,
                values: ended(column.values)?,
                counts: ended(column.counts)?,
                present: None,
                cells: None,
            }))
        });
        Ok(FrequencySet {
            keys: ended(self.keys)?,
            words: self.words,
            sizes: ended(self.sizes)?,
            people: Vec::new(),
            histograms: histograms.collect::<Result<_, NotHeld>>()?,
        })
    }
}

fn ended<T: Listed>(list: Box<dyn ListOutside>) -> Result<List<T>, NotHeld> {
    Ok(List::Outside(list.end()?))
}

/// Tuples as words: each key with its size after it.
pub(super) fn joined(keys: &[u64], sizes: &[u32], words: usize) -> Vec<u64> {
    let mut joined = Vec::with_capacity(sizes.len() * (words + 1));
    for (key, &size) in keys.chunks_exact(words).zip(sizes) {
        joined.extend_from_slice(key);
        joined.push(u64::from(size));
    }
    joined
}

/// The keys and sizes of as many tuples as were held.
pub(super) fn unjoined(
    joined: Vec<u64>,
    words: usize,
    tuples: usize,
) -> Result<(Vec<u64>, Vec<u32>), NotHeld> {
    if joined.len() != tuples * (words + 1) {
        return Err(NotHeld("a temporary file has changed".to_owned()));
    }
    let mut keys = Vec::with_capacity(tuples * words);
    let mut sizes = Vec::with_capacity(tuples);
    for tuple in joined.chunks_exact(words + 1) {
        keys.extend_from_slice(&tuple[..words]);
        sizes.push(tuple[words] as u32);
    }
    Ok((keys, sizes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::shelf::Shelf;

    /// Has no room for anything.
    #[derive(Debug)]
    struct Full;

    impl Overflow for Full {
        fn append(&self, _: usize, _: &[u64]) -> Result<(), NotHeld> {
            Err(NotHeld("full".into()))
        }

        fn read(&self, _: usize) -> Result<Vec<u64>, NotHeld> {
            Err(NotHeld("full".into()))
        }

        fn another(&self) -> Result<Box<dyn Overflow>, NotHeld> {
            Err(NotHeld("full".into()))
        }

        fn list(&self) -> Result<Box<dyn ListOutside>, NotHeld> {
            Err(NotHeld("full".into()))
        }
    }

    #[test]
    fn a_copy_is_outside_if_it_is_large_and_there_is_room_and_the_same_wherever_it_is() {
        let mut histograms = Histograms::default();
        for class in 0..50 {
            histograms.push(class % 3, class + 1);
            histograms.end_class();
        }
        let classes = FrequencySet {
            keys: (0..50).collect::<Vec<u64>>().into(),
            words: 1,
            sizes: (1..=50).collect::<Vec<u32>>().into(),
            people: Vec::new(),
            histograms: vec![None, Some(histograms)],
        };
        let full = Room {
            limit: 1,
            overflow: Arc::new(Full),
        };
        for (room, is_outside) in [
            (Shelf::room(1), true),
            (Shelf::room(SHARES * classes.memory()), false),
            (full, false),
        ] {
            let copy = room.copy(&classes);
            assert_eq!(copy, classes);
            assert_eq!(matches!(copy.keys, List::Outside(_)), is_outside);
            let values = &copy.histograms(1).values;
            assert_eq!(matches!(values, List::Outside(_)), is_outside);
        }
    }
}
