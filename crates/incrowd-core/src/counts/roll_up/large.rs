//! Sets too large for one thread: in pieces, on as many threads as have nothing else to do.
//!
//! Every piece of the lower classes is grouped by itself. Then the classes of all pieces are divided into parts by a hash of their
//! keys, and those of a part that are equal become one. How a set is divided depends on its size alone, so the upper classes are
//! the same, and in the same order, whatever the threads. Pieces and parts fit in the cache of a core, which helps a single
//! thread as well.

use super::group::{Grouping, Lower};
use super::merge::{
    Entries, MOST_VALUES_ADDED, Members, MergeScratch, add_histograms, merge_histograms,
};
use crate::counts::in_parallel::{SpareThreads, in_parallel};
use crate::counts::{CountedTable, FrequencySet, Histograms};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// How large sets are divided.
#[derive(Debug, Clone, Copy)]
pub(super) struct Division {
    /// Sets with so many classes are large.
    large: usize,
    /// Classes of a piece.
    pub(super) piece: usize,
    /// About so many classes of pieces make a part.
    part: usize,
    /// The bytes that the classes of pieces may take. If they take more, parts are formed in several rounds, each of which goes over
    /// all lower classes.
    room: usize,
}

impl Default for Division {
    fn default() -> Self {
        // In unit tests, sets of small tables are large, so that all that is built on them meets both kinds.
        let (large, piece, part) = match cfg!(test) {
            true => (64, 16, 8),
            false => (1 << 19, 1 << 16, 1 << 15),
        };
        Division {
            large,
            piece,
            part,
            room: usize::MAX,
        }
    }
}

/// In more rounds than this, going over the lower classes would take much longer than all the rest.
const MOST_ROUNDS: usize = 16;

/// Of a class of a piece that is in a part of another round.
const OTHER_ROUND: u32 = u32::MAX;

/// The classes of a piece of the lower classes that are in the parts of a round, part by part.
struct Piece {
    keys: Vec<u64>,
    sizes: Vec<u32>,
    /// Where each part starts, and after the last one the end.
    starts: Vec<u32>,
    /// The class of each lower class of the piece, if they are tracked; or [`OTHER_ROUND`].
    class_of: Vec<u32>,
}

/// Working memory for one piece or part, used again for the next.
#[derive(Default)]
struct OneScratch {
    keys: Vec<u64>,
    sizes: Vec<u32>,
    set: FrequencySet,
    slots: Vec<u32>,
    class_of: Vec<u32>,
    part_of: Vec<u32>,
}

/// Working memory that no thread uses.
#[derive(Default)]
struct Unused(Mutex<Vec<OneScratch>>);

impl Unused {
    /// Lends some of it.
    fn lend<R>(&self, to: impl FnOnce(&mut OneScratch) -> R) -> R {
        let all = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scratch = all().pop().unwrap_or_default();
        let result = to(&mut scratch);
        all().push(scratch);
        result
    }
}

/// The upper classes of one part.
struct Part {
    keys: Vec<u64>,
    sizes: Vec<u32>,
    /// The upper class of each class of the pieces, one piece after the other, if they are tracked.
    class_of: Vec<u32>,
}

impl Division {
    /// In a quarter of the memory that a table may take, as far as that is possible.
    pub(super) fn of_table(table: &CountedTable) -> Self {
        Division {
            room: (table.room.as_ref()).map_or(usize::MAX, |room| room.limit / 4),
            ..Division::default()
        }
    }

    /// Small sets are large.
    #[cfg(test)]
    pub(super) fn with_pieces_of(classes: usize, room: usize) -> Self {
        Division {
            large: 8,
            piece: classes,
            part: 3,
            room,
        }
    }

    pub(super) fn is_large(self, classes: usize) -> bool {
        classes >= self.large
    }

    fn pieces(self, classes: usize) -> Vec<Range<usize>> {
        let starts = (0..classes).step_by(self.piece);
        let ranges = starts.map(|start| start..classes.min(start + self.piece));
        ranges.collect()
    }

    /// [`Grouping::group`] for a large set. The grouping is for pieces. Whether there are no more classes than `most`; if there are,
    /// not all of them are formed.
    pub(super) fn group<const TRACKED: bool>(
        self,
        grouping: &Grouping,
        lower: Lower<'_>,
        most: usize,
        spare: &SpareThreads,
        upper: &mut FrequencySet,
        class_of: &mut Vec<u32>,
    ) -> bool {
        let helpers = spare.borrow_all();
        let threads = 1 + helpers.count();
        let unused = Unused::default();
        let bits = (lower.len() / self.part).checked_ilog2().unwrap_or(0);
        let ranges = self.pieces(lower.len());
        let is_thinned = ranges.first().is_some_and(|first| {
            unused.lend(|scratch| thins(grouping, lower.range(first.clone()), scratch))
        });
        class_of.clear();
        if TRACKED {
            class_of.resize(lower.len(), 0);
        }
        for parts in self.rounds(lower, 1 << bits) {
            let pieces = in_parallel(threads, ranges.clone(), |range| {
                unused.lend(|scratch| {
                    let lower = lower.range(range);
                    piece::<TRACKED>(grouping, lower, is_thinned, bits, &parts, scratch)
                })
            });
            let parts = in_parallel(threads, (0..parts.len()).collect(), |part| {
                unused.lend(|scratch| unite::<TRACKED>(&pieces, lower.words, part, scratch))
            });
            let before = upper.len();
            let mut starts = vec![before as u32];
            for part in &parts {
                starts.push(starts[starts.len() - 1] + part.sizes.len() as u32);
            }
            let classes = starts[parts.len()] as usize;
            if classes > most {
                return false;
            }
            add_parts(threads, &parts, lower.words, classes, upper);
            if TRACKED {
                track(threads, &pieces, (&parts, &starts), self.piece, class_of);
            }
        }
        true
    }

    /// The parts that are formed at a time.
    fn rounds(self, lower: Lower<'_>, parts: usize) -> Vec<Range<usize>> {
        let bytes = lower.len() * (8 * lower.words + 4);
        let rounds = bytes.div_ceil(self.room.max(1)).clamp(1, MOST_ROUNDS);
        let length = parts.div_ceil(rounds);
        let starts = (0..parts).step_by(length);
        let rounds = starts.map(|start| start..parts.min(start + length));
        rounds.collect()
    }

    /// Whether histograms of a column with so many values are best merged by [`Self::add`]: where their sum fits in a core's cache.
    pub(super) fn has_room_to_add(self, values: usize, classes: usize) -> bool {
        values <= MOST_VALUES_ADDED && classes * values <= self.piece
    }

    /// [`add_histograms`] for a large set.
    pub(super) fn add(
        self,
        (lower, class_of): (&Histograms, &[u32]),
        values: usize,
        classes: usize,
        spare: &SpareThreads,
    ) -> Histograms {
        let helpers = spare.borrow_all();
        let pieces = self.pieces(class_of.len());
        let added = in_parallel(1 + helpers.count(), pieces, |range| {
            let lower = (Entries::of(lower, range.clone()), &class_of[range]);
            let (mut scratch, mut sums) = (MergeScratch::default(), Histograms::default());
            add_histograms(lower, values, classes, &mut scratch, &mut sums);
            sums
        });
        let (mut sums, mut class_of) = (Histograms::default(), Vec::new());
        for of_piece in added {
            sums.append(of_piece);
            class_of.extend(0..classes as u32);
        }
        let lower = (Entries::all(&sums), class_of.as_slice());
        let (mut scratch, mut merged) = (MergeScratch::default(), Histograms::default());
        add_histograms(lower, values, classes, &mut scratch, &mut merged);
        merged
    }
}

/// Adds the classes of parts to the upper ones, which become so many.
fn add_parts(
    threads: usize,
    parts: &[Part],
    words: usize,
    classes: usize,
    upper: &mut FrequencySet,
) {
    let (keys, sizes) = (upper.keys.in_memory(), upper.sizes.in_memory());
    let before = sizes.len();
    keys.resize(classes * words, 0);
    sizes.resize(classes, 0);
    let (mut keys, mut sizes) = (&mut keys[before * words..], &mut sizes[before..]);
    let places = parts.iter().map(|part| {
        let keys = keys.split_off_mut(..part.keys.len());
        let sizes = sizes.split_off_mut(..part.sizes.len());
        let of_part = keys.zip(sizes).expect("there is room for all parts");
        (part, of_part)
    });
    in_parallel(threads, places.collect(), |(part, (keys, sizes))| {
        keys.copy_from_slice(&part.keys);
        sizes.copy_from_slice(&part.sizes);
    });
}

/// Notes the upper class of each lower class that is in one of the parts, which begin at these upper classes.
fn track(
    threads: usize,
    pieces: &[Piece],
    (parts, starts): (&[Part], &[u32]),
    length: usize,
    class_of: &mut [u32],
) {
    let mut seen = vec![0; parts.len()];
    let places = class_of
        .chunks_mut(length)
        .zip(pieces)
        .map(|(of_piece, piece)| {
            let before = seen.clone();
            for (part, seen) in seen.iter_mut().enumerate() {
                *seen += piece.part(part).len();
            }
            (of_piece, piece, before)
        });
    in_parallel(threads, places.collect(), |(of_piece, piece, before)| {
        let mut upper_of = Vec::with_capacity(piece.sizes.len());
        for (part, before) in before.into_iter().enumerate() {
            let of_part = &parts[part].class_of[before..][..piece.part(part).len()];
            upper_of.extend(of_part.iter().map(|class| starts[part] + class));
        }
        for (upper, &class) in of_piece.iter_mut().zip(&piece.class_of) {
            if class != OTHER_ROUND {
                *upper = upper_of[class as usize];
            }
        }
    });
}

impl Piece {
    /// The classes in a part.
    fn part(&self, part: usize) -> Range<usize> {
        self.starts[part] as usize..self.starts[part + 1] as usize
    }
}

/// Whether grouping a piece by itself leaves a good deal fewer classes.
fn thins(grouping: &Grouping, lower: Lower<'_>, scratch: &mut OneScratch) -> bool {
    let OneScratch {
        set,
        slots,
        class_of,
        ..
    } = scratch;
    set.make_empty(lower.words);
    grouping.group::<false>(lower, set, slots, class_of);
    4 * set.len() < 3 * lower.len()
}

/// Groups the lower classes of a piece, or only raises their keys unless it `is_thinned` by that, and divides what comes of it into
/// parts, numbered by so many bits, of which these are formed now.
fn piece<const TRACKED: bool>(
    grouping: &Grouping,
    lower: Lower<'_>,
    is_thinned: bool,
    bits: u32,
    parts: &Range<usize>,
    scratch: &mut OneScratch,
) -> Piece {
    let OneScratch {
        set,
        slots,
        class_of,
        part_of,
        ..
    } = scratch;
    let words = lower.words;
    set.make_empty(words);
    if is_thinned {
        grouping.group::<TRACKED>(lower, set, slots, class_of);
    } else {
        grouping.raise(lower, set);
    }
    // Other bits than those by which classes are found within a part.
    let part = |key: &[u64]| {
        let hash = key.iter().fold(0_u64, |hash, word| {
            (hash.rotate_left(32) ^ word ^ (word >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
        });
        match bits {
            0 => 0,
            _ => (hash >> (u64::BITS - bits)) as u32,
        }
    };
    part_of.clear();
    match words {
        1 => part_of.extend(set.keys.iter().map(|&key| part(&[key]))),
        _ => part_of.extend(set.keys.chunks_exact(words).map(part)),
    }
    let first = parts.start as u32;
    let is_now = |part: u32| parts.contains(&(part as usize));
    let mut starts = vec![0; parts.len() + 1];
    for &part in part_of.iter().filter(|&&part| is_now(part)) {
        starts[(part - first) as usize + 1] += 1;
    }
    for part in 0..parts.len() {
        starts[part + 1] += starts[part];
    }
    let mut next = starts.clone();
    let classes = starts[parts.len()] as usize;
    let (mut keys, mut sizes) = (vec![0; classes * words], vec![0; classes]);
    for (class, place) in part_of.iter_mut().enumerate() {
        if !is_now(*place) {
            *place = OTHER_ROUND;
            continue;
        }
        let next = &mut next[(*place - first) as usize];
        *place = *next;
        *next += 1;
        let place = *place as usize;
        match words {
            1 => keys[place] = set.keys[class],
            _ => keys[place * words..][..words].copy_from_slice(set.key(class)),
        }
        sizes[place] = set.sizes[class];
    }
    let class_of = match (TRACKED, is_thinned) {
        (false, _) => Vec::new(),
        (true, false) => part_of.clone(),
        (true, true) => class_of
            .iter()
            .map(|&class| part_of[class as usize])
            .collect(),
    };
    Piece {
        keys,
        sizes,
        starts,
        class_of,
    }
}

/// The classes of all pieces that are in a part of the round, of which equal ones become one.
fn unite<const TRACKED: bool>(
    pieces: &[Piece],
    words: usize,
    part: usize,
    scratch: &mut OneScratch,
) -> Part {
    let OneScratch {
        keys,
        sizes,
        set,
        slots,
        class_of,
        ..
    } = scratch;
    keys.clear();
    sizes.clear();
    for piece in pieces {
        let Range { start, end } = piece.part(part);
        keys.extend_from_slice(&piece.keys[start * words..end * words]);
        sizes.extend_from_slice(&piece.sizes[start..end]);
    }
    set.make_empty(words);
    let lower = Lower { words, keys, sizes };
    Grouping::default().group::<TRACKED>(lower, set, slots, class_of);
    Part {
        keys: set.keys.to_vec(),
        sizes: set.sizes.to_vec(),
        class_of: class_of.clone(),
    }
}

/// The lower classes of a large set by their upper classes, of which each part has a range.
pub(super) struct Parts(Vec<Members>);

impl Parts {
    pub(super) fn new(
        class_of: &[u32],
        classes: usize,
        division: Division,
        spare: &SpareThreads,
    ) -> Self {
        let helpers = spare.borrow_all();
        let threads = 1 + helpers.count();
        let parts = class_of.len().div_ceil(division.piece);
        let width = classes.div_ceil(parts.max(1)).max(1);
        let parts = classes.div_ceil(width);
        let divided = in_parallel(threads, division.pieces(class_of.len()), |range| {
            let mut found: Vec<Vec<(u32, u32)>> = vec![Vec::new(); parts];
            for below in range {
                let class = class_of[below] as usize;
                found[class / width].push((below as u32, (class % width) as u32));
            }
            found
        });
        let members = in_parallel(threads, (0..parts).collect(), |part: usize| {
            let of_pieces: Vec<&[(u32, u32)]> =
                divided.iter().map(|found| found[part].as_slice()).collect();
            let pairs = of_pieces.concat();
            let mut members = Members::default();
            let classes = width.min(classes - part * width);
            members.list(pairs.iter().copied(), classes);
            members
        });
        Parts(members)
    }

    /// The histograms of the upper classes.
    pub(super) fn merge(
        &self,
        lower: &Histograms,
        values: usize,
        spare: &SpareThreads,
    ) -> Histograms {
        let helpers = spare.borrow_all();
        let parts: Vec<&Members> = self.0.iter().collect();
        let merged = in_parallel(1 + helpers.count(), parts, |members| {
            let (mut scratch, mut merged) = (MergeScratch::default(), Histograms::default());
            merge_histograms(lower, members, values, &mut scratch, &mut merged);
            merged
        });
        let mut all = Histograms::default();
        merged.into_iter().for_each(|of_part| all.append(of_part));
        all
    }
}
