//! Histograms with a cell for every value, so that to merge classes is to add up cells.

use super::{Histogram, List, NotHeld, Overflow};

/// The most cells of a class.
const MOST_CELLS: usize = 16;

/// Cells take at most so many times the memory of the lists that they are made of: where classes have few values each, lists are
/// better.
pub(super) const MOST_GROWTH: usize = if cfg!(test) { 1 } else { 4 };

/// The histograms of lower classes.
#[derive(Clone, Copy)]
pub(super) enum Below<'l> {
    Cells(&'l Cells),
    /// End to end.
    Lists {
        /// Where each class starts, and after the last class the end.
        starts: &'l [u32],
        values: &'l [u32],
        counts: &'l [u32],
    },
}

/// The rows of every value in each class, also of those that do not occur.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cells {
    /// Cells of a class: as many as there are values, or a few more that stay empty.
    of_class: usize,
    rows: List<u32>,
}

impl Cells {
    /// Whether the sums of lists that take so much memory, for a column with so many values and so many classes, may be kept as
    /// cells.
    pub(super) fn suit(memory: usize, values: usize, classes: usize) -> bool {
        values <= MOST_CELLS && 4 * of_class(values) * classes <= MOST_GROWTH * memory
    }

    /// Becomes the sums of lower classes; `class_of` maps each to its sum.
    pub(super) fn add_up(
        &mut self,
        lower: Below<'_>,
        class_of: &[u32],
        values: usize,
        classes: usize,
    ) {
        self.of_class = of_class(values);
        let rows = self.rows.emptied();
        rows.resize(classes * self.of_class, 0);
        // A compiler that knows how many there are adds several at a time.
        match self.of_class {
            4 => add_up::<4>(lower, class_of, rows),
            8 => add_up::<8>(lower, class_of, rows),
            _ => add_up::<MOST_CELLS>(lower, class_of, rows),
        }
    }

    /// The histogram of one class, listed in the buffer.
    #[inline(always)]
    pub(super) fn class<'b>(&self, class: usize, buffer: &'b mut HistogramBuffer) -> Histogram<'b> {
        let rows = &self.rows[class * self.of_class..][..self.of_class];
        match self.of_class {
            4 => buffer.list::<4>(rows),
            8 => buffer.list::<8>(rows),
            _ => buffer.list::<MOST_CELLS>(rows),
        }
    }

    /// Forgets all classes but keeps the memory.
    pub(super) fn clear(&mut self) {
        self.rows.emptied();
    }

    /// A copy outside memory.
    pub(super) fn copy_to(&self, overflow: &dyn Overflow) -> Result<Cells, NotHeld> {
        Ok(Cells {
            of_class: self.of_class,
            rows: self.rows.copy_to(overflow)?,
        })
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        4 * self.rows.len()
    }

    /// Steps in which all cells are gone through, several at a time.
    pub(super) fn steps(&self) -> usize {
        self.rows.len() / 4
    }
}

/// Cells of a class, for a column with so many values.
fn of_class(values: usize) -> usize {
    debug_assert!(values <= MOST_CELLS);
    match values {
        ..=4 => 4,
        5..=8 => 8,
        _ => MOST_CELLS,
    }
}

fn add_up<const CELLS: usize>(lower: Below<'_>, class_of: &[u32], upper: &mut [u32]) {
    let (upper, _) = upper.as_chunks_mut::<CELLS>();
    match lower {
        Below::Cells(lower) => {
            debug_assert_eq!(lower.of_class, CELLS, "the column is the same");
            let (lower, _) = lower.rows.as_chunks::<CELLS>();
            for (lower, &class) in lower.iter().zip(class_of) {
                let sums = &mut upper[class as usize];
                for (sum, rows) in sums.iter_mut().zip(lower) {
                    *sum += rows;
                }
            }
        }
        Below::Lists {
            starts,
            values,
            counts,
        } => {
            // One pass over all entries: where a class begins need not be looked up.
            let mut entries = values.iter().zip(counts);
            let lengths = starts.iter().zip(&starts[1..]);
            let lengths = lengths.map(|(start, end)| end - start);
            for (&class, length) in class_of.iter().zip(lengths) {
                let sums = &mut upper[class as usize];
                for (&value, &count) in entries.by_ref().take(length as usize) {
                    sums[value as usize % CELLS] += count;
                }
            }
        }
    }
}

/// Memory for the histogram of a class that is kept as [`Cells`].
#[derive(Debug, Clone, Default)]
pub(crate) struct HistogramBuffer {
    values: [u32; MOST_CELLS],
    counts: [u32; MOST_CELLS],
}

impl HistogramBuffer {
    #[inline(always)]
    fn list<const CELLS: usize>(&mut self, rows: &[u32]) -> Histogram<'_> {
        let mut present = 0;
        // Without a branch: whether a value has rows is anybody's guess.
        for (value, &count) in (0..).zip(&rows[..CELLS]) {
            self.values[present % MOST_CELLS] = value;
            self.counts[present % MOST_CELLS] = count;
            present += usize::from(count > 0);
        }
        Histogram {
            values: &self.values[..present],
            counts: &self.counts[..present],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Histograms;
    use crate::draw::Draw;

    #[test]
    fn cells_are_the_sums_of_lists_and_of_cells() {
        let draw = &mut Draw::new(6);
        let mut cells = Histograms::default(); // used again, whatever was added before
        for _ in 0..200 {
            let (below, classes) = (1 + draw.below(40), 1 + draw.below(8));
            let values = 1 + draw.below(MOST_CELLS);
            let mut expected = vec![vec![0; values]; classes];
            let mut lower = Histograms::default();
            let class_of: Vec<u32> = (0..below).map(|_| draw.below(classes) as u32).collect();
            for &class in &class_of {
                for (value, sum) in expected[class as usize].iter_mut().enumerate() {
                    let count = draw.below(3) as u32;
                    *sum += count;
                    if count > 0 {
                        lower.push(value as u32, count);
                    }
                }
                lower.end_class();
            }
            let check = |cells: &Histograms, expected: &[Vec<u32>]| {
                for (class, rows) in expected.iter().enumerate() {
                    let mut buffer = HistogramBuffer::default();
                    let histogram = cells.read(class, &mut buffer);
                    let entries = (0..).zip(rows).filter(|(_, rows)| **rows > 0);
                    let (values, counts): (Vec<u32>, Vec<u32>) = entries.unzip();
                    assert_eq!(histogram.values, values);
                    assert_eq!(histogram.counts, counts);
                }
            };
            cells.add_up_in_cells(&lower, &class_of, values, classes);
            check(&cells, &expected);
            // All classes become one.
            let together = vec![0; classes];
            let sums = (0..values).map(|value| expected.iter().map(|rows| rows[value]).sum());
            let sums: Vec<u32> = sums.collect();
            let mut of_cells = Histograms::default();
            of_cells.add_up_in_cells(&cells, &together, values, 1);
            check(&of_cells, &[sums]);
        }
    }
}
