//! Brings tuples of equal texts together, on several threads: no hashing, no roll-up, and no counting shared with the searches.
//!
//! The texts of a tuple are packed into words that sort as the texts do. Ranges of tuples are sorted side by side, and equal
//! neighbors become one class of their range. Then the classes of all ranges are divided by their words into parts, and those
//! of a part that are alike become one. Both are sums of whole numbers, so it does not matter who does what.

use crate::counts::{Histogram, Histograms, Work, pieces};
use crate::problem::{Interruption, Meter, side_by_side};
use std::ops::Range;

/// How the work is divided. The classes found do not depend on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Division {
    /// So many tuples are sorted at once.
    tuples_at_once: usize,
    /// Of so many classes, one is looked at to find where to divide them.
    classes_per_look: usize,
}

impl Default for Division {
    fn default() -> Self {
        Division {
            tuples_at_once: 1 << 18,
            classes_per_look: 1 << 10,
        }
    }
}

/// Texts packed into words.
pub(super) struct Packing {
    /// Of each attribute, the first one in the uppermost bits of the first word.
    fields: Vec<Field>,
    words: usize,
}

struct Field {
    word: usize,
    shift: u32,
    bits: u32,
}

impl Packing {
    /// For attributes with so many texts each.
    pub(super) fn new(texts: impl Iterator<Item = usize>) -> Self {
        let (mut word, mut left) = (0, u64::BITS);
        let fields = texts.map(|texts| {
            let bits = texts.max(2).next_power_of_two().trailing_zeros();
            if bits > left {
                (word, left) = (word + 1, u64::BITS);
            }
            left -= bits;
            Field {
                word,
                shift: left,
                bits,
            }
        });
        let fields: Vec<Field> = fields.collect();
        Packing {
            words: fields.last().map_or(1, |field| field.word + 1),
            fields,
        }
    }

    /// Adds the key of these texts, one for each attribute.
    fn push(&self, keys: &mut Vec<u64>, text: impl Fn(usize) -> u32) {
        let start = keys.len();
        keys.resize(start + self.words, 0);
        for (at, field) in self.fields.iter().enumerate() {
            keys[start + field.word] |= u64::from(text(at)) << field.shift;
        }
    }

    /// The texts of a key.
    fn texts(&self, key: &[u64]) -> impl Iterator<Item = u32> {
        let fields = self.fields.iter();
        fields.map(|field| ((key[field.word] >> field.shift) & ((1 << field.bits) - 1)) as u32)
    }
}

/// Classes in the order of their keys.
#[derive(Default)]
struct Sorted {
    /// The words of each.
    keys: Vec<u64>,
    sizes: Vec<u32>,
    /// The values of every counted column.
    columns: Vec<Histograms>,
}

/// The classes of a range of tuples.
struct Piece {
    classes: Sorted,
    /// The class of each tuple.
    of_tuples: Vec<u32>,
}

/// Some classes of all tuples, such that those of one part come before those of the next.
struct Part {
    groups: Vec<u32>,
    sizes: Vec<u32>,
    columns: Vec<Histograms>,
    /// For each piece, what became of its classes that are in this part.
    of_pieces: Vec<Vec<u32>>,
}

/// Classes of equal texts, in the order of their texts.
pub(super) struct Alike {
    /// The texts of each class, attribute by attribute.
    pub(super) groups: Vec<u32>,
    pub(super) sizes: Vec<u32>,
    /// The values of every counted column.
    pub(super) columns: Vec<Histograms>,
    /// The class of each tuple.
    pub(super) of_tuples: Vec<u32>,
}

/// Tuples to bring together.
pub(super) struct Tuples<'a, T> {
    /// Rows of each.
    pub(super) sizes: &'a [u32],
    /// The values of every counted column.
    pub(super) columns: &'a [&'a Histograms],
    /// The text of a tuple in an attribute.
    pub(super) text: T,
    pub(super) packing: &'a Packing,
    pub(super) division: Division,
}

impl<T: Fn(u32, usize) -> u32 + Sync> Tuples<'_, T> {
    /// Brings them together.
    pub(super) fn together(
        &self,
        threads: usize,
        meter: &Meter<'_>,
    ) -> Result<Alike, Interruption> {
        let at_once = self.division.tuples_at_once;
        let starts = (0..self.sizes.len()).step_by(at_once);
        let ranges = starts.map(|start| start..self.sizes.len().min(start + at_once));
        let mut found = side_by_side(meter, threads, ranges.collect(), |range, meter| {
            let work = range.len() * (1 + self.columns.len());
            let piece = self.piece(range);
            meter.spend(Work::of(work)).map(|()| piece)
        })?;
        let parts = self.parts(&found, threads);
        let parts = side_by_side(meter, threads, parts, |ranges, meter| {
            let classes: usize = ranges.iter().map(Range::len).sum();
            let part = self.part(&found, &ranges);
            meter.spend(Work::of(classes)).map(|()| part)
        })?;
        for piece in &mut found {
            piece.classes = Sorted::default(); // all is in the parts
        }
        let (mut alike, mut of_pieces) = (self.nothing(), vec![Vec::new(); found.len()]);
        for part in parts {
            let before = alike.sizes.len() as u32;
            alike.groups.extend(part.groups);
            alike.sizes.extend(part.sizes);
            for (ours, theirs) in alike.columns.iter_mut().zip(part.columns) {
                ours.append(theirs);
            }
            for (ours, theirs) in of_pieces.iter_mut().zip(part.of_pieces) {
                let numbers: &mut Vec<u32> = ours;
                numbers.extend(theirs.iter().map(|class| before + class));
            }
        }
        let pieces = found.into_iter().zip(of_pieces).collect();
        let of_tuples = side_by_side(meter, threads, pieces, |(mut piece, numbers), _| {
            for class in &mut piece.of_tuples {
                *class = numbers[*class as usize];
            }
            Ok(piece.of_tuples)
        })?;
        alike.of_tuples = of_tuples.concat();
        Ok(alike)
    }

    fn nothing(&self) -> Alike {
        Alike {
            groups: Vec::new(),
            sizes: Vec::new(),
            columns: vec![Histograms::default(); self.columns.len()],
            of_tuples: Vec::new(),
        }
    }

    /// The classes of a range.
    fn piece(&self, range: Range<usize>) -> Piece {
        let words = self.packing.words;
        let mut keys = Vec::with_capacity(range.len() * words);
        for tuple in range.clone() {
            let text = |at| (self.text)(tuple as u32, at);
            self.packing.push(&mut keys, text);
        }
        let key = |at: u32| &keys[at as usize * words..][..words];
        let mut order: Vec<u32> = (0..range.len() as u32).collect();
        match words {
            1 => order.sort_unstable_by_key(|&at| keys[at as usize]),
            _ => order.sort_unstable_by(|&one, &other| key(one).cmp(key(other))),
        }
        let mut piece = Piece {
            classes: Sorted {
                columns: vec![Histograms::default(); self.columns.len()],
                ..Sorted::default()
            },
            of_tuples: vec![0; range.len()],
        };
        let classes = &mut piece.classes;
        for same in order.chunk_by(|&one, &other| key(one) == key(other)) {
            let tuples = same.iter().map(|&at| range.start + at as usize);
            classes.keys.extend_from_slice(key(same[0]));
            let number = classes.sizes.len() as u32;
            (classes.sizes).push(tuples.clone().map(|tuple| self.sizes[tuple]).sum());
            for (histograms, column) in classes.columns.iter_mut().zip(self.columns) {
                push_class(histograms, tuples.clone().map(|tuple| column.class(tuple)));
            }
            for &at in same {
                piece.of_tuples[at as usize] = number;
            }
        }
        piece
    }

    /// Divides the classes of all pieces: for each part, which of every piece are in it. Equal ones are in one part.
    fn parts(&self, found: &[Piece], threads: usize) -> Vec<Vec<Range<usize>>> {
        let words = self.packing.words;
        let keys = found.iter().map(|piece| &piece.classes.keys);
        let step = self.division.classes_per_look;
        let looked_at = keys.flat_map(|keys| keys.chunks_exact(words).step_by(step));
        let mut looked_at: Vec<&[u64]> = looked_at.collect();
        looked_at.sort_unstable();
        let firsts = pieces(looked_at.len(), threads).into_iter().skip(1);
        let mut firsts: Vec<&[u64]> = firsts.map(|range| looked_at[range.start]).collect();
        firsts.dedup();
        let mut starts = vec![0; found.len()];
        let mut parts = Vec::new();
        for at in 0..=firsts.len() {
            let ends = found.iter().zip(&starts).map(|(piece, &start)| {
                let keys = &piece.classes.keys;
                let end = firsts.get(at).map(|first| {
                    // Where the first class is that is not before it.
                    let (mut low, mut high) = (start, piece.classes.sizes.len());
                    while low < high {
                        let middle = low + (high - low) / 2;
                        match &keys[middle * words..][..words] < *first {
                            true => low = middle + 1,
                            false => high = middle,
                        }
                    }
                    low
                });
                start..end.unwrap_or(piece.classes.sizes.len())
            });
            let ranges: Vec<Range<usize>> = ends.collect();
            starts = ranges.iter().map(|range| range.end).collect();
            parts.push(ranges);
        }
        parts
    }

    /// The classes of a part, from those of every piece that are in it.
    fn part(&self, found: &[Piece], ranges: &[Range<usize>]) -> Part {
        let words = self.packing.words;
        let key = |&(piece, at): &(u32, u32)| {
            let keys = &found[piece as usize].classes.keys;
            &keys[at as usize * words..][..words]
        };
        let of_piece = |(range, piece): (&Range<usize>, u32)| {
            let classes = range.clone();
            classes.map(move |at| (piece, at as u32))
        };
        let mut order: Vec<(u32, u32)> = ranges.iter().zip(0..).flat_map(of_piece).collect();
        // Sorted runs, which a stable sort merges.
        order.sort_by(|one, other| key(one).cmp(key(other)));
        let mut part = Part {
            groups: Vec::new(),
            sizes: Vec::new(),
            columns: vec![Histograms::default(); self.columns.len()],
            of_pieces: ranges
                .iter()
                .map(|it| Vec::with_capacity(it.len()))
                .collect(),
        };
        for same in order.chunk_by(|one, other| key(one) == key(other)) {
            let classes = same.iter();
            let classes = classes.map(|&(piece, at)| (&found[piece as usize].classes, at as usize));
            part.groups.extend(self.packing.texts(key(&same[0])));
            let number = part.sizes.len() as u32;
            (part.sizes).push(classes.clone().map(|(of, at)| of.sizes[at]).sum());
            for (column, histograms) in part.columns.iter_mut().enumerate() {
                push_class(
                    histograms,
                    classes.clone().map(|(of, at)| of.columns[column].class(at)),
                );
            }
            for &(piece, _) in same {
                part.of_pieces[piece as usize].push(number);
            }
        }
        part
    }
}

/// Adds a class whose values of a counted column are all of these.
pub(super) fn push_class<'h>(
    histograms: &mut Histograms,
    of: impl ExactSizeIterator<Item = Histogram<'h>>,
) {
    let is_one = of.len() == 1;
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for histogram in of {
        let values = histogram.values.iter().copied();
        let values = values.zip(histogram.counts.iter().copied());
        if is_one {
            values.for_each(|(value, rows)| histograms.push(value, rows));
        } else {
            pairs.extend(values);
        }
    }
    pairs.sort_unstable();
    for same in pairs.chunk_by(|one, other| one.0 == other.0) {
        histograms.push(same[0].0, same.iter().map(|(_, rows)| rows).sum());
    }
    histograms.end_class();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Draw;
    use crate::problem::Unwatched;
    use std::collections::BTreeMap;

    /// Classes by their texts: rows, rows of each value of two columns, and tuples.
    type Listed = BTreeMap<Vec<u32>, (u32, [BTreeMap<u32, u32>; 2], Vec<u32>)>;

    /// The values of so many tuples.
    fn column(tuples: usize, draw: &mut Draw) -> Histograms {
        let mut column = Histograms::default();
        for _ in 0..tuples {
            let first = draw.below(4) as u32;
            for value in first..=first + draw.below(2) as u32 {
                column.push(value, 1 + draw.below(3) as u32);
            }
            column.end_class();
        }
        column
    }

    fn add(histogram: Histogram<'_>, rows: &mut BTreeMap<u32, u32>) {
        for (&value, &count) in histogram.values.iter().zip(histogram.counts) {
            *rows.entry(value).or_default() += count;
        }
    }

    #[test]
    fn tuples_are_together_with_those_of_equal_texts_in_the_order_of_texts_however_they_are_divided()
     {
        let mut draw = Draw::new(5);
        let mut met = [0; 2]; // classes of one tuple, and of several
        for round in 0..120 {
            let attributes = 1 + draw.below(5);
            // The last ones take more than one word.
            let many = [2, 5, 1 << 20][round % 3];
            let texts: Vec<usize> = (0..attributes).map(|_| 1 + draw.below(many)).collect();
            let tuples = draw.below(60);
            let kinds = 1 + draw.below(30);
            let of_kind = |_| texts.iter().map(|&most| draw.below(most) as u32).collect();
            let of_kinds: Vec<Vec<u32>> = (0..kinds).map(of_kind).collect();
            let of_tuples: Vec<&Vec<u32>> =
                (0..tuples).map(|_| &of_kinds[draw.below(kinds)]).collect();
            let sizes: Vec<u32> = (0..tuples).map(|_| 1 + draw.below(9) as u32).collect();
            let columns = [column(tuples, &mut draw), column(tuples, &mut draw)];
            let mut expected = Listed::new();
            for (tuple, &texts) in of_tuples.iter().enumerate() {
                let (rows, of_columns, alike) = expected.entry(texts.clone()).or_default();
                *rows += sizes[tuple];
                let with_rows = columns.iter().zip(of_columns);
                with_rows.for_each(|(column, rows)| add(column.class(tuple), rows));
                alike.push(tuple as u32);
            }
            for alike in expected.values().map(|(_, _, alike)| alike) {
                met[usize::from(alike.len() > 1)] += 1;
            }
            let divisions = [(1, 1), (3, 1), (7, 2), (1 << 18, 1 << 10)];
            for ((tuples_at_once, classes_per_look), threads) in divisions
                .into_iter()
                .flat_map(|it| [1, 2, 3, 8].map(|threads| (it, threads)))
            {
                let packing = Packing::new(texts.iter().copied());
                let together = Tuples {
                    sizes: &sizes,
                    columns: &columns.each_ref(),
                    text: |tuple, at| of_tuples[tuple as usize][at],
                    packing: &packing,
                    division: Division {
                        tuples_at_once,
                        classes_per_look,
                    },
                };
                let alike = together.together(threads, &Meter::new(&Unwatched)).unwrap();
                let classes: Vec<&[u32]> = alike.groups.chunks_exact(attributes).collect();
                assert!(classes.is_sorted());
                assert_eq!(alike.of_tuples.len(), tuples);
                let mut found = Listed::new();
                for (class, &texts) in classes.iter().enumerate() {
                    let (rows, of_columns, tuples) = found.entry(texts.to_vec()).or_default();
                    *rows += alike.sizes[class];
                    let with_rows = alike.columns.iter().zip(of_columns);
                    with_rows.for_each(|(column, rows)| add(column.class(class), rows));
                    let of_class = alike.of_tuples.iter().zip(0..);
                    tuples.extend(
                        of_class
                            .filter(|(of, _)| **of == class as u32)
                            .map(|it| it.1),
                    );
                }
                assert_eq!(found.len(), classes.len(), "a class is there twice");
                assert_eq!(found, expected);
            }
        }
        assert!(met.iter().all(|&met| met > 100), "{met:?}");
    }
}
