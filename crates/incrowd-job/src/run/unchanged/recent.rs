//! Rows met before, which say nothing new: they are only counted, and handed on together.
//!
//! Everything that is counted about a row follows from its cells. A table has far fewer different rows than rows, mostly,
//! so looking a row up once is cheaper than looking up everything that it counts for.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

/// Rows by the hash of all their cells that are looked at.
#[derive(Debug, Clone)]
pub(super) struct RecentRows {
    /// The number of each row that is known.
    known: HashMap<u64, u32>,
    /// For each, what it counts for: as many hashes each.
    counts_for: Vec<u64>,
    hashes: usize,
    /// For each, rows met that were not handed on yet.
    waiting: Vec<u32>,
    /// Rows met since it was empty.
    rows: usize,
    /// So many rows are not looked up, since hardly any was known.
    rows_to_pass_on: usize,
    most: usize,
}

/// The most rows that are known at a time, so that they stay in the cache.
const MOST: usize = 1 << 17;

/// Rows are looked up as long as each is met so many times.
const WORTHWHILE: usize = 2;

/// After so many times the rows known were passed on, it is tried again.
const PASSED_ON: usize = 16;

impl RecentRows {
    /// For rows that count for so many things each.
    pub(super) fn new(hashes: usize) -> Self {
        RecentRows::with_most(hashes, MOST)
    }

    pub(super) fn with_most(hashes: usize, most: usize) -> Self {
        RecentRows {
            known: HashMap::new(),
            counts_for: Vec::new(),
            hashes,
            waiting: Vec::new(),
            rows: 0,
            rows_to_pass_on: 0,
            most,
        }
    }

    /// Whether this row is known; then it waits to be handed on.
    pub(super) fn wait(&mut self, row: u64) -> bool {
        if self.rows_to_pass_on > 0 {
            return false;
        }
        let Some(&number) = self.known.get(&row) else {
            return false;
        };
        self.rows += 1;
        self.waiting[number as usize] += 1;
        true
    }

    /// Makes a row known, which was counted now. Returns whether there are too many.
    pub(super) fn learn(&mut self, row: u64, counts_for: impl IntoIterator<Item = u64>) -> bool {
        if self.rows_to_pass_on > 0 {
            self.rows_to_pass_on -= 1;
            return false;
        }
        self.rows += 1;
        if let Entry::Vacant(place) = self.known.entry(row) {
            place.insert(self.waiting.len() as u32);
            self.waiting.push(0);
            self.counts_for.extend(counts_for);
            debug_assert_eq!(self.counts_for.len(), self.waiting.len() * self.hashes);
        }
        self.waiting.len() >= self.most
    }

    /// Hands on the rows that wait, with what they count for, and forgets all.
    pub(super) fn hand_on(&mut self, mut count: impl FnMut(&[u64], u32)) {
        let known = self.waiting.len();
        for (counts_for, &rows) in self
            .counts_for
            .chunks(self.hashes.max(1))
            .zip(&self.waiting)
        {
            if rows > 0 {
                count(counts_for, rows);
            }
        }
        if self.rows < WORTHWHILE * known {
            self.rows_to_pass_on = PASSED_ON * known;
        }
        self.known.clear();
        self.counts_for.clear();
        self.waiting.clear();
        self.rows = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn every_row_is_counted_once_whatever_is_known() {
        let mut rng = fastrand::Rng::with_seed(1);
        for most in [1, 2, 10, 1000] {
            for distinct in [1, 5, 100] {
                let mut recent = RecentRows::with_most(2, most);
                let (mut expected, mut counted) = (BTreeMap::new(), BTreeMap::new());
                let handed_on = |recent: &mut RecentRows, counted: &mut BTreeMap<u64, u32>| {
                    recent.hand_on(|counts_for, rows| {
                        assert_eq!(counts_for[1], counts_for[0] + 7);
                        *counted.entry(counts_for[0]).or_default() += rows;
                    });
                };
                for _ in 0..2000 {
                    let row = rng.u64(0..distinct);
                    *expected.entry(row).or_default() += 1;
                    if recent.wait(row) {
                        continue;
                    }
                    *counted.entry(row).or_default() += 1;
                    if recent.learn(row, [row, row + 7]) {
                        handed_on(&mut recent, &mut counted);
                    }
                }
                handed_on(&mut recent, &mut counted);
                assert_eq!(counted, expected, "at most {most}, {distinct} different");
            }
        }
    }
}
