//! Finds the nearest cluster by a quick look at all that may be near.
//!
//! What experts lose is lost at once: two numbers next to each other have lost half of their detail, and far ones
//! lose hardly more. So boxes around many clusters say little about them, and clusters are looked at one by one; but in bytes, thirty-two
//! side by side, with a few tests each of which says what those lose at least that fail it. Only who may lose less
//! than the best so far is looked at closely. Clusters with as many rows that lose about the same are kept together in
//! tiles, so that whole tiles are passed over, and many searches go through a tile while it is at hand.
//!
//! Tuples that were not merged yet find each other in `twins.rs`, as long as there are enough of them.

use super::axes::Axes;
use super::ranks::Ranks;
use super::seen::{Found, NOBODY, Nearest, Seen};
use super::side::{Side, bits};
use super::twins::Twins;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// As many clusters as are looked at at once, on any machine.
const HALF: usize = 16;

/// As many as are looked at side by side.
const LANES: usize = 2 * HALF;

/// How many times that is a tile.
const CHUNKS: usize = 8;

const TILE: usize = LANES * CHUNKS;

/// A byte of each of them.
type Lanes = [[u8; HALF]; 2];

/// What could be lost at all is divided into so many parts. Merged clusters in one tile lose as many of them.
const PARTS: u32 = 64;

/// What the best merge so far loses more than a cluster alone counts about so many units.
const UNITS: u64 = 120;

/// A test by which no more units are lost is not worth its while.
const FEW_UNITS: u32 = 6;

/// The shares, of sixteen, of what may be lost in a dimension that tests ask for, after the first one for any loss.
const SHARES: [u64; 3] = [0, 12, 15];

/// Clusters with numbers next to one, of which the best is where its search begins.
const NEIGHBOURS: usize = 64;

/// How far these numbers may be away.
const STEPS: usize = 1024;

/// The clusters in tiles.
#[derive(Debug)]
pub(super) struct Tiles<'a> {
    axes: &'a Axes<'a>,
    ranks: Vec<Ranks>,
    /// The dimensions in which most may be lost first.
    order: Vec<usize>,
    twins: Option<Twins>,
    /// For each chunk of a tile two rows of lanes for each dimension: ranks of first and last value, or bits.
    lanes: Vec<Lanes>,
    /// All sides of the cluster in each slot.
    sides: Vec<Side>,
    numbers: Vec<u32>,
    rows: Vec<u32>,
    /// Of each tile, the fewest rows of a cluster and what it loses alone without regard to rows.
    least: Vec<(u32, u32)>,
    /// The slot of each cluster.
    slots: Vec<u32>,
    /// Single tuples are in slots before this one, and nobody else is.
    merged_from: usize,
    /// The next slot for clusters with so many rows that lose so many parts, in a tile begun for them.
    open: BTreeMap<(u32, u32), usize>,
    /// What one part is.
    part: u32,
    /// Slots that had a cluster, and those that still have.
    filled: usize,
    alive: usize,
    /// What was looked at.
    pub(super) work: u64,
}

impl<'a> Tiles<'a> {
    /// Tiles without clusters, whose numbers will be below `numbers`.
    pub(super) fn new(axes: &'a Axes<'a>, numbers: usize) -> Self {
        let ranks = (0..axes.dimensions()).map(|at| Ranks::new(axes, at));
        let ranks: Vec<Ranks> = ranks.collect();
        let mut order: Vec<usize> = (0..ranks.len()).collect();
        order.sort_by_key(|&at| Reverse(ranks[at].most_lost));
        let most_lost: u32 = ranks.iter().map(|it| it.most_lost).sum();
        Tiles {
            axes,
            ranks,
            order,
            twins: None,
            lanes: Vec::new(),
            sides: Vec::new(),
            numbers: Vec::new(),
            rows: Vec::new(),
            least: Vec::new(),
            slots: vec![NOBODY; numbers],
            merged_from: 0,
            open: BTreeMap::new(),
            part: most_lost / PARTS + 1,
            filled: 0,
            alive: 0,
            work: 0,
        }
    }

    /// Whether so many slots are empty that tiles should be filled anew.
    pub(super) fn is_worn(&self) -> bool {
        10 * self.alive <= 8 * self.filled
    }

    /// Puts these clusters into tiles, and forgets all others. `side` and `rows` say what they are.
    pub(super) fn rebuild(
        &mut self,
        clusters: &[u32],
        side: &dyn Fn(usize, u32) -> Side,
        rows: &dyn Fn(u32) -> u32,
    ) {
        let axes = self.axes;
        self.work += clusters.len() as u64;
        for number in std::mem::take(&mut self.numbers) {
            if number != NOBODY {
                self.slots[number as usize] = NOBODY;
            }
        }
        self.lanes.clear();
        self.sides.clear();
        self.rows.clear();
        self.least.clear();
        self.open.clear();
        (self.filled, self.alive) = (0, 0);
        let is_tuple = |number: &u32| {
            let mut sides = (0..axes.dimensions()).map(|at| (at, side(at, *number)));
            sides.all(|(at, side)| match axes.measures[at].has_bits() {
                true => bits(side).is_power_of_two(),
                false => side.0 == side.1,
            })
        };
        let (tuples, merged): (Vec<u32>, Vec<u32>) = clusters.iter().partition(|it| is_tuple(it));
        self.append_all(&tuples, side, rows);
        self.merged_from = self.numbers.len();
        self.open.clear();
        self.append_all(&merged, side, rows);
        self.twins = Twins::new(axes, &self.ranks, &tuples, side, rows);
    }

    fn append_all(
        &mut self,
        clusters: &[u32],
        side: &dyn Fn(usize, u32) -> Side,
        rows: &dyn Fn(u32) -> u32,
    ) {
        let mut sides = vec![(0, 0); self.axes.dimensions()];
        for &number in clusters {
            for (at, own) in sides.iter_mut().enumerate() {
                *own = side(at, number);
            }
            self.append(Seen {
                number,
                sides: &sides,
                rows: rows(number),
            });
        }
    }

    /// Puts a cluster into the next slot of a tile with clusters like it.
    fn append(&mut self, cluster: Seen<'_>) {
        let dimensions = self.axes.dimensions();
        let extent = self.axes.extent(cluster.sides);
        let end = self.numbers.len();
        let like_it = (cluster.rows, extent / self.part);
        let next = self.open.entry(like_it).or_insert(end);
        if next.is_multiple_of(TILE) {
            *next = end;
            self.numbers.resize(end + TILE, NOBODY);
            self.rows.resize(end + TILE, 0);
            self.sides.resize((end + TILE) * dimensions, (0, 0));
            let rows_of_lanes = 2 * dimensions * CHUNKS;
            self.lanes
                .resize(self.lanes.len() + rows_of_lanes, [[u8::MAX; HALF]; 2]);
            self.least.push((u32::MAX, u32::MAX));
        }
        let slot = *next;
        *next += 1;
        self.filled += 1;
        self.alive += 1;
        self.slots[cluster.number as usize] = slot as u32;
        self.numbers[slot] = cluster.number;
        self.rows[slot] = cluster.rows;
        self.sides[slot * dimensions..][..dimensions].copy_from_slice(cluster.sides);
        let least = &mut self.least[slot / TILE];
        *least = (least.0.min(cluster.rows), least.1.min(extent));
        let (chunk, lane) = (slot / LANES, slot % LANES);
        let lanes = &mut self.lanes[chunk * 2 * dimensions..][..2 * dimensions];
        for (at, (&side, lanes)) in cluster
            .sides
            .iter()
            .zip(lanes.chunks_exact_mut(2))
            .enumerate()
        {
            let (first, last) = match self.axes.measures[at].has_bits() {
                true => folded(side),
                false => self.ranks[at].bytes(side),
            };
            lanes[0].as_flattened_mut()[lane] = first;
            lanes[1].as_flattened_mut()[lane] = last;
        }
    }

    /// Forgets a cluster.
    pub(super) fn remove(&mut self, number: u32) {
        let slot = std::mem::replace(&mut self.slots[number as usize], NOBODY) as usize;
        self.numbers[slot] = NOBODY;
        self.alive -= 1;
        let dimensions = self.axes.dimensions();
        let (chunk, lane) = (slot / LANES, slot % LANES);
        // Behind all others, and with all bits: fails every test that anybody may fail.
        for lanes in &mut self.lanes[chunk * 2 * dimensions..][..2 * dimensions] {
            lanes.as_flattened_mut()[lane] = u8::MAX;
        }
    }

    /// Replaces a cluster by a larger one with the same number.
    pub(super) fn replace(&mut self, cluster: Seen<'_>) {
        self.remove(cluster.number);
        self.append(cluster);
    }

    /// Takes note of what was looked at.
    pub(super) fn learn(&mut self, nearest: Nearest) {
        self.work += nearest.work;
    }

    /// The cluster nearest to each of these.
    pub(super) fn nearest(&self, clusters: &[Seen<'_>]) -> Vec<Nearest> {
        let mut searches: Vec<Search<'_>> = clusters.iter().map(|it| self.begin(*it)).collect();
        for tile in 0..self.least.len() {
            for search in &mut searches {
                if tile * TILE >= self.merged_from || !search.knows_tuples {
                    self.look(tile, search);
                }
            }
        }
        let nearest = |search: Search<'_>| Nearest {
            number: (search.best.1 != NOBODY).then_some(search.best.1),
            extent: 0,
            work: search.work,
        };
        searches.into_iter().map(nearest).collect()
    }

    /// Begins with those that are likely to be near.
    fn begin<'c>(&self, cluster: Seen<'c>) -> Search<'c> {
        let mut search = Search {
            cluster,
            own: self.axes.extent(cluster.sides),
            best: (u64::MAX, NOBODY),
            knows_tuples: false,
            unit: 1,
            tests: Vec::new(),
            work: 1,
        };
        let slot = self.slots[cluster.number as usize] as usize;
        let twins = self.twins.as_ref().filter(|_| slot < self.merged_from);
        if let Some(twins) = twins {
            let look = |number: u32, best: Found| match self.slots[number as usize] as usize {
                slot if slot < self.merged_from => self.look_closely(slot, cluster, best),
                _ => best,
            };
            let found = twins.nearest((self.axes, &self.ranks), cluster, &look);
            (search.best, search.knows_tuples) = (found.best, found.is_all);
            search.work += found.looked_at / LANES as u64;
        } else {
            let (before, from) = self.slots.split_at(cluster.number as usize);
            let before = before.iter().rev().take(STEPS);
            let behind = from.iter().skip(1).take(STEPS);
            let is_there = |slot: &&u32| **slot != NOBODY;
            let before = before.filter(is_there).take(NEIGHBOURS);
            let behind = behind.filter(is_there).take(NEIGHBOURS);
            for &slot in before.chain(behind) {
                search.best = self.look_closely(slot as usize, cluster, search.best);
            }
        }
        self.ask(&mut search);
        search
    }

    /// The better one of the cluster in a slot and the best so far.
    #[inline]
    fn look_closely(&self, slot: usize, cluster: Seen<'_>, best: Found) -> Found {
        let number = self.numbers[slot];
        if number == NOBODY || number == cluster.number {
            return best;
        }
        let rows = u64::from(cluster.rows) + u64::from(self.rows[slot]);
        let most = self.axes.most_extent(best.0, rows);
        let sides = &self.sides[slot * cluster.sides.len()..][..cluster.sides.len()];
        let mut extent = 0;
        for &at in &self.order {
            let joint = self.axes.join(at, cluster.sides[at], sides[at]);
            extent += self.axes.loss(at, joint);
            if u64::from(extent) > most {
                return best;
            }
        }
        best.min((self.axes.of_rows(extent, rows), number))
    }

    /// Chooses tests by what may be lost without losing more than the best so far.
    fn ask(&self, search: &mut Search<'_>) {
        let axes = self.axes;
        let rows = 2 * u64::from(search.cluster.rows);
        let most = axes.most_extent(search.best.0, rows);
        let more = most.saturating_sub(search.own.into());
        search.unit = (more / UNITS).clamp(1, u32::MAX.into()) as u32;
        search.tests.clear();
        for (at, &side) in search.cluster.sides.iter().enumerate() {
            let own = axes.loss(at, side);
            if axes.measures[at].has_bits() {
                // Who has another value than those there are.
                let lost = units(axes.loss_with_another(at, side) - own, search.unit);
                let (first, last) = folded(side);
                if lost > FEW_UNITS {
                    let fails = (!first, !last);
                    search.tests.push(Test::new(at, Kind::Bits, fails, lost));
                }
                continue;
            }
            let ranks = &self.ranks[at];
            let count = ranks.count();
            let (first, last) = (ranks.rank(side.0), ranks.rank(side.1));
            let lost_from = |rank: usize| axes.loss(at, (ranks.value(rank), side.1)) - own;
            let lost_to = |rank: usize| axes.loss(at, (side.0, ranks.value(rank))) - own;
            let most = lost_from(0).max(lost_to(count - 1));
            let mut before = 0;
            for share in SHARES {
                // Who begins before or ends behind those that lose less than this share.
                let share = (u64::from(most) * share / 16).max(1) as u32;
                let low = first_without(0..first, |rank| lost_from(rank) >= share);
                let end = first_without(last + 1..count, |rank| lost_to(rank) < share);
                let before_it = low.checked_sub(1).map(lost_from);
                let behind_it = (end < count).then(|| lost_to(end));
                let Some(lost) = before_it.into_iter().chain(behind_it).min() else {
                    break;
                };
                let lost = units(lost, search.unit);
                if lost > before + FEW_UNITS {
                    let bytes = (ranks.byte_above(low), ranks.byte_below(end - 1));
                    let test = Test::new(at, Kind::Ranks, bytes, lost - before);
                    search.tests.push(test);
                    before = lost;
                }
            }
        }
        search.tests.sort_by_key(|test| Reverse(test.lost[0]));
    }

    /// Looks at a tile.
    fn look(&self, tile: usize, search: &mut Search<'_>) {
        let axes = self.axes;
        let (rows, extent) = self.least[tile];
        let rows = u64::from(search.cluster.rows) + u64::from(rows);
        if axes.of_rows(extent.max(search.own), rows) > search.best.0 {
            return;
        }
        let mut most = search.most(axes, rows);
        if u64::from(most) < UNITS / 2 && search.unit > 1 {
            self.ask(search);
            most = search.most(axes, rows);
        }
        let rows_of_lanes = 2 * axes.dimensions();
        for chunk in tile * CHUNKS..(tile + 1) * CHUNKS {
            let lanes = &self.lanes[chunk * rows_of_lanes..][..rows_of_lanes];
            let Some(lost) = bounds(lanes, &search.tests, most) else {
                continue;
            };
            for (lane, &lost) in lost.as_flattened().iter().enumerate() {
                if lost > most {
                    continue;
                }
                let slot = chunk * LANES + lane;
                let best = self.look_closely(slot, search.cluster, search.best);
                if best != search.best {
                    search.best = best;
                    most = search.most(axes, rows);
                }
            }
        }
        search.work += CHUNKS as u64;
    }
}

/// So much in units that fit into a byte.
fn units(lost: u32, unit: u32) -> u32 {
    (lost / unit).min(u8::MAX.into())
}

/// The first of a range for which something does not hold, which holds for all before it and none behind it.
fn first_without(range: std::ops::Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = usize::midpoint(low, high);
        match holds(middle) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

/// Bits in two bytes: each value has one of sixteen bits, which several may share.
fn folded(side: Side) -> (u8, u8) {
    let bits = bits(side);
    let bits = bits | bits >> 32;
    let bits = bits | bits >> 16;
    (bits as u8, (bits >> 8) as u8)
}

/// One search for the nearest cluster.
struct Search<'c> {
    cluster: Seen<'c>,
    /// What the cluster loses alone, without regard to rows.
    own: u32,
    best: Found,
    /// Whether no single tuple is better than the best so far.
    knows_tuples: bool,
    /// What one unit stands for.
    unit: u32,
    tests: Vec<Test>,
    work: u64,
}

impl Search<'_> {
    /// How many units more than the cluster alone so many rows may lose together.
    fn most(&self, axes: &Axes<'_>, rows: u64) -> u8 {
        let most = axes.most_extent(self.best.0, rows);
        let more = most.saturating_sub(self.own.into()) / u64::from(self.unit);
        more.min(u8::MAX.into()) as u8
    }
}

/// What two bytes of a cluster are.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Ranks,
    Bits,
}

/// A test of a dimension, each of its numbers as often as clusters are tested at once.
#[derive(Debug)]
struct Test {
    /// The first of the two rows of lanes that are tested.
    row: usize,
    kind: Kind,
    /// Ranks: who begins before the first or ends behind the last fails. Bits: who has one of these fails.
    bytes: ([u8; HALF], [u8; HALF]),
    /// How many units those lose at least that fail.
    lost: [u8; HALF],
}

impl Test {
    fn new(at: usize, kind: Kind, (first, last): (u8, u8), lost: u32) -> Self {
        Test {
            row: 2 * at,
            kind,
            bytes: ([first; HALF], [last; HALF]),
            lost: [lost as u8; HALF],
        }
    }

    /// Adds what is lost by those that fail. Has no branch for each, so that all are tested at once.
    #[inline(always)]
    fn add(&self, sums: &mut [u8; HALF], firsts: &[u8; HALF], lasts: &[u8; HALF]) {
        let (first, last) = &self.bytes;
        match self.kind {
            Kind::Ranks => {
                for it in 0..HALF {
                    let before = first[it].saturating_sub(firsts[it]);
                    let fails = before | lasts[it].saturating_sub(last[it]);
                    sums[it] = sums[it].saturating_add(self.lost[it] & all_bits_if(fails));
                }
            }
            Kind::Bits => {
                for it in 0..HALF {
                    let fails = firsts[it] & first[it] | lasts[it] & last[it];
                    sums[it] = sums[it].saturating_add(self.lost[it] & all_bits_if(fails));
                }
            }
        }
    }
}

/// All bits if there is any.
#[inline(always)]
fn all_bits_if(any: u8) -> u8 {
    0u8.wrapping_sub(u8::from(any != 0))
}

/// How many units clusters lose at least; nothing if that is more than the most for all of them.
#[inline(never)]
fn bounds(lanes: &[Lanes], tests: &[Test], most: u8) -> Option<Lanes> {
    let mut sums = [[0; HALF]; 2];
    let (some, others) = tests.split_at(tests.len().div_ceil(2));
    for tests in [some, others] {
        for test in tests {
            let (firsts, lasts) = (&lanes[test.row], &lanes[test.row + 1]);
            test.add(&mut sums[0], &firsts[0], &lasts[0]);
            test.add(&mut sums[1], &firsts[1], &lasts[1]);
        }
        let least = |sums: &[u8; HALF]| sums.iter().copied().fold(u8::MAX, u8::min);
        if least(&sums[0]).min(least(&sums[1])) > most {
            return None;
        }
    }
    Some(sums)
}

#[cfg(test)]
mod tests;
