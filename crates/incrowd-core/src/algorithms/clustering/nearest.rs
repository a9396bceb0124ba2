//! Finds the cluster that loses least when merged with another, without looking at all of them.
//!
//! Clusters near each other are put into blocks, blocks into blocks of blocks, and so on. Of each block is known what
//! every cluster in it holds at least, and how many rows it has at least. What a cluster would lose by merging with that
//! is a lower bound for the whole block, found by the very code that finds the loss of a single cluster. Blocks
//! whose bound is no better than what was found are passed over, so the result is that of looking at all.

use super::axes::{Axes, Loss, Measure};
use super::side::{Side, bits};

/// How many entries a block has.
const FAN: usize = 16;

/// Of places without a cluster.
const NOBODY: u32 = u32::MAX;

/// Pairs of clusters that tell in which dimension they lie farthest apart.
const PAIRS_LOOKED_AT: usize = 64;

/// What a merge loses, and the number of the cluster to merge with: the lowest is wanted.
pub(super) type Found = (u64, u32);

/// A cluster as the index sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'c> {
    pub(super) number: u32,
    pub(super) sides: &'c [Side],
    pub(super) rows: u32,
}

/// The lows and highs of the entries of a block in one dimension.
type Ends = [[i32; FAN]; 2];

/// Clusters, or blocks of them. What is looked at together lies together.
#[derive(Debug, Default)]
struct Layer {
    dimensions: usize,
    /// Block by block, for each dimension: what all clusters of an entry hold. Ends may be the wrong way round.
    all: Vec<Ends>,
    /// The same for what any cluster of an entry holds, in dimensions with bits; empty if there are none.
    any: Vec<Ends>,
    /// The fewest rows of a cluster.
    rows: Vec<[u32; FAN]>,
    /// The lowest number of a cluster.
    numbers: Vec<[u32; FAN]>,
}

/// The clusters in an order that finds the nearest one soon.
#[derive(Debug)]
pub(super) struct Index<'a> {
    axes: &'a Axes<'a>,
    /// The clusters, then their blocks, then blocks of these.
    layers: Vec<Layer>,
    /// The place of each cluster in the first layer.
    slots: Vec<u32>,
    /// What merges lost without regard to rows since the index was built, and how many there were.
    found: (u64, u64),
    /// Blocks looked at.
    pub(super) work: u64,
}

impl<'a> Index<'a> {
    /// An index without clusters, whose numbers will be below `numbers`.
    pub(super) fn new(axes: &'a Axes<'a>, numbers: usize) -> Self {
        Index {
            axes,
            layers: Vec::new(),
            slots: vec![NOBODY; numbers],
            found: (0, 0),
            work: 0,
        }
    }

    /// Puts these clusters into blocks, and forgets all others. `side` and `rows` say what they are.
    pub(super) fn rebuild(
        &mut self,
        clusters: impl Iterator<Item = u32>,
        side: &dyn Fn(usize, u32) -> Side,
        rows: &dyn Fn(u32) -> u32,
    ) {
        let mut clusters: Vec<Keyed> = clusters.map(|number| (0, number)).collect();
        self.work += clusters.len() as u64;
        let (extents, searches) = std::mem::take(&mut self.found);
        let sorting = Sorting {
            axes: self.axes,
            side,
            rows,
            far: extents.checked_div(searches).unwrap_or(u64::from(u32::MAX)),
        };
        let mut slots = Vec::with_capacity(2 * clusters.len());
        sorting.fill(&mut clusters, &mut slots);
        let mut blocks = slots.len() / FAN;
        let mut layer = Layer::new(self.axes, blocks);
        for (slot, number) in slots.into_iter().enumerate() {
            if number == NOBODY {
                continue;
            }
            for at in 0..self.axes.dimensions() {
                layer.set_side(at, slot, side(at, number));
            }
            layer.rows[slot / FAN][slot % FAN] = rows(number);
            layer.numbers[slot / FAN][slot % FAN] = number;
            self.slots[number as usize] = slot as u32;
        }
        self.layers = vec![layer];
        loop {
            let mut above = Layer::new(self.axes, blocks.div_ceil(FAN));
            let below = &self.layers[self.layers.len() - 1];
            for block in 0..blocks {
                above.summarize(self.axes, block, below);
            }
            self.layers.push(above);
            if blocks <= FAN {
                break;
            }
            blocks = blocks.div_ceil(FAN);
        }
    }

    /// Forgets a cluster.
    pub(super) fn remove(&mut self, number: u32) {
        let slot = self.slots[number as usize] as usize;
        self.layers[0].numbers[slot / FAN][slot % FAN] = NOBODY;
        self.update_above(slot);
    }

    /// Replaces a cluster by a larger one with the same number.
    pub(super) fn replace(&mut self, cluster: Seen<'_>) {
        let slot = self.slots[cluster.number as usize] as usize;
        for (at, &side) in cluster.sides.iter().enumerate() {
            self.layers[0].set_side(at, slot, side);
        }
        self.layers[0].rows[slot / FAN][slot % FAN] = cluster.rows;
        self.update_above(slot);
    }

    fn update_above(&mut self, slot: usize) {
        let mut entry = slot;
        for at in 1..self.layers.len() {
            entry /= FAN;
            let (below, above) = self.layers.split_at_mut(at);
            if !above[0].summarize(self.axes, entry, &below[at - 1]) {
                break;
            }
        }
    }

    /// The cluster, other than this one, that loses least when merged with it; of several the one with the lowest number.
    pub(super) fn nearest(&self, cluster: Seen<'_>) -> Nearest {
        let mut search = Search {
            index: self,
            cluster,
            best: (u64::MAX, NOBODY),
            extent: 0,
            work: 0,
        };
        search.look(self.layers.len() - 1, 0);
        Nearest {
            number: (search.best.1 != NOBODY).then_some(search.best.1),
            extent: search.extent,
            work: search.work,
        }
    }

    /// Takes note of what was found, for the next index.
    pub(super) fn learn(&mut self, nearest: Nearest) {
        self.work += nearest.work;
        self.found = (self.found.0 + u64::from(nearest.extent), self.found.1 + 1);
    }
}

/// The nearest cluster.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearest {
    /// None if there is no other.
    pub(super) number: Option<u32>,
    /// What both together lose without regard to rows.
    extent: u32,
    /// Blocks looked at.
    work: u64,
}

impl Layer {
    fn new(axes: &Axes<'_>, blocks: usize) -> Self {
        let dimensions = axes.dimensions();
        // Where nobody is, nothing is known to be missing.
        let any = match axes.measures.iter().any(Measure::has_bits) {
            true => vec![[[!0; FAN]; 2]; blocks * dimensions],
            false => Vec::new(),
        };
        Layer {
            dimensions,
            all: vec![[[0; FAN]; 2]; blocks * dimensions],
            any,
            rows: vec![[0; FAN]; blocks],
            numbers: vec![[NOBODY; FAN]; blocks],
        }
    }

    /// Sets the side of an entry, and of whatever is in it.
    fn set_side(&mut self, at: usize, entry: usize, side: Side) {
        let (block, lane) = (entry / FAN * self.dimensions + at, entry % FAN);
        for ends in [&mut self.all, &mut self.any] {
            if let Some([low, high]) = ends.get_mut(block) {
                (low[lane], high[lane]) = side;
            }
        }
    }

    /// Sets an entry to what the block below holds; false if it did before.
    fn summarize(&mut self, axes: &Axes<'_>, entry: usize, below: &Layer) -> bool {
        let (block, lane) = (entry / FAN, entry % FAN);
        let numbers = &below.numbers[entry];
        let least = numbers.iter().copied().min().unwrap_or(NOBODY);
        let mut is_changed = std::mem::replace(&mut self.numbers[block][lane], least) != least;
        if least == NOBODY {
            return is_changed;
        }
        let is_there = numbers.map(|number| number != NOBODY);
        let fold = |ends: &[i32; FAN], start: i32, join: fn(i32, i32) -> i32| {
            let present = ends.iter().zip(is_there).filter(|(_, is_there)| *is_there);
            present.fold(start, |all, (&it, _)| join(all, it))
        };
        let rows = below.rows[entry].iter().zip(is_there);
        let rows = rows.filter_map(|(&rows, is_there)| is_there.then_some(rows));
        let rows = rows.min().unwrap_or(0);
        is_changed |= std::mem::replace(&mut self.rows[block][lane], rows) != rows;
        for (at, measure) in axes.measures.iter().enumerate() {
            let (own, inside) = (block * self.dimensions + at, entry * self.dimensions + at);
            let [lows, highs] = &below.all[inside];
            let (low, high) = match measure.has_bits() {
                true => {
                    let any = below.any[inside].map(|ends| fold(&ends, 0, |one, it| one | it));
                    for (ends, any) in self.any[own].iter_mut().zip(any) {
                        is_changed |= std::mem::replace(&mut ends[lane], any) != any;
                    }
                    let all = |ends| fold(ends, !0, |one, it| one & it);
                    (all(lows), all(highs))
                }
                false => (
                    fold(lows, i32::MIN, i32::max),
                    fold(highs, i32::MAX, i32::min),
                ),
            };
            let [lows, highs] = &mut self.all[own];
            is_changed |= std::mem::replace(&mut lows[lane], low) != low;
            is_changed |= std::mem::replace(&mut highs[lane], high) != high;
        }
        is_changed
    }

    /// For each entry of a block: what a cluster loses at least when merged with any cluster in it. None if all of them
    /// lose more than the most, which half of the dimensions may tell.
    fn extents(&self, axes: &Axes<'_>, block: usize, look: Look<'_>) -> Option<[u32; FAN]> {
        let first = block * self.dimensions;
        let mut extents = [0; FAN];
        for (at, &side) in look.cluster.sides.iter().enumerate() {
            if 2 * at == axes.dimensions() + axes.dimensions() % 2 {
                let (mut least, mut rows) = (u32::MAX, u32::MAX);
                for (&extent, &of_entry) in extents.iter().zip(&self.rows[block]) {
                    (least, rows) = (least.min(extent), rows.min(of_entry));
                }
                let rows = look.cluster.rows.wrapping_add(rows);
                if axes.loss.of_rows(least, rows) > look.most {
                    return None;
                }
            }
            let [lows, highs] = &self.all[first + at];
            match &axes.measures[at] {
                Measure::Distance { most } => {
                    for it in 0..FAN {
                        let distance = highs[it].max(side.1).wrapping_sub(lows[it].min(side.0));
                        extents[it] += distance.min(*most) as u32;
                    }
                }
                Measure::Table { places, losses } => {
                    for it in 0..FAN {
                        let (low, high) = (lows[it].min(side.0), highs[it].max(side.1));
                        extents[it] += losses[low as usize * places + high as usize];
                    }
                }
                Measure::Bits {
                    values,
                    is_short: true,
                } if look.is_at_clusters => {
                    for it in 0..FAN {
                        extents[it] += values.loss((side.0 | lows[it]).count_ones());
                    }
                }
                Measure::Bits { values, .. } if look.is_at_clusters => {
                    for it in 0..FAN {
                        let joint = (side.0 | lows[it]).count_ones();
                        extents[it] += values.loss(joint + (side.1 | highs[it]).count_ones());
                    }
                }
                Measure::Bits { values, .. } => {
                    let [any_low, any_high] = &self.any[first + at];
                    let alone = bits(side).count_ones();
                    for it in 0..FAN {
                        let joint = (side.0 | lows[it]).count_ones();
                        let joint = joint + (side.1 | highs[it]).count_ones();
                        // Who has none of these bits has at least one other.
                        let shared = (side.0 & any_low[it]) | (side.1 & any_high[it]);
                        let least = alone + u32::from(shared == 0);
                        extents[it] += values.loss(joint.max(least));
                    }
                }
                Measure::Span(span) => {
                    for it in 0..FAN {
                        extents[it] += span.loss((lows[it].min(side.0), highs[it].max(side.1)));
                    }
                }
                Measure::Marks(marks) if look.is_at_clusters => {
                    for it in 0..FAN {
                        extents[it] += marks.loss((side.0 | lows[it], side.1 | highs[it]), 0);
                    }
                }
                Measure::Marks(marks) => {
                    let [any_low, any_high] = &self.any[first + at];
                    let alone = bits(side).count_ones();
                    for it in 0..FAN {
                        let shared = (side.0 & any_low[it]) | (side.1 & any_high[it]);
                        let least = alone + u32::from(shared == 0);
                        extents[it] += marks.loss((side.0 | lows[it], side.1 | highs[it]), least);
                    }
                }
                Measure::Group { .. } | Measure::Run { .. } | Measure::Levels(_) => {
                    for it in 0..FAN {
                        let side = (lows[it].min(side.0), highs[it].max(side.1));
                        extents[it] += axes.loss(at, side);
                    }
                }
            }
        }
        Some(extents)
    }
}

/// What is looked for in a block.
#[derive(Clone, Copy)]
struct Look<'c> {
    cluster: Seen<'c>,
    /// Who loses more is passed over.
    most: u64,
    /// Whether the entries are clusters, not blocks.
    is_at_clusters: bool,
}

/// One search for the nearest cluster.
struct Search<'i, 'a, 'c> {
    index: &'i Index<'a>,
    cluster: Seen<'c>,
    best: Found,
    /// What the best merge loses without regard to rows.
    extent: u32,
    work: u64,
}

impl Search<'_, '_, '_> {
    /// Looks at a block, and then into those of its entries that may hold something better, the most promising first.
    fn look(&mut self, layer: usize, block: usize) {
        self.work += 1;
        let index = self.index;
        let (axes, entries) = (index.axes, &index.layers[layer]);
        let look = Look {
            cluster: self.cluster,
            most: self.best.0,
            is_at_clusters: layer == 0,
        };
        let Some(extents) = entries.extents(axes, block, look) else {
            return;
        };
        let mut promising = [((0, 0), 0); FAN];
        let mut count = 0;
        for (at, extent) in extents.into_iter().enumerate() {
            let entry = block * FAN + at;
            let number = entries.numbers[block][at];
            let rows = self.cluster.rows.wrapping_add(entries.rows[block][at]);
            let found = (axes.loss.of_rows(extent, rows), number);
            if number == NOBODY || found >= self.best {
                continue;
            }
            if layer > 0 {
                promising[count] = (found, entry);
                count += 1;
            } else if number != self.cluster.number {
                (self.best, self.extent) = (found, extent);
            }
        }
        promising[..count].sort_unstable();
        for (bound, entry) in promising.into_iter().take(count) {
            if bound >= self.best {
                break;
            }
            self.look(layer - 1, entry);
        }
    }
}

/// Sorts clusters so that those in one block are near each other.
struct Sorting<'s> {
    axes: &'s Axes<'s>,
    side: &'s dyn Fn(usize, u32) -> Side,
    rows: &'s dyn Fn(u32) -> u32,
    /// What merges lose in all dimensions together. Who is farther away than that is passed over, however far.
    far: u64,
}

/// A cluster, after what it is sorted by.
type Keyed = (i64, u32);

/// What clusters are sorted by.
#[derive(Clone, Copy)]
enum By {
    Dimension(usize),
    Rows,
}

impl Sorting<'_> {
    /// Appends clusters to the slots, block by block. Places that stay free are nobody's.
    fn fill(&self, clusters: &mut [Keyed], slots: &mut Vec<u32>) {
        if clusters.len() <= FAN {
            slots.extend(clusters.iter().map(|(_, number)| number));
            slots.resize(slots.len().next_multiple_of(FAN), NOBODY);
            return;
        }
        let by = self.farthest_apart(clusters);
        for (key, number) in clusters.iter_mut() {
            *key = match by {
                By::Rows => i64::from((self.rows)(*number)),
                By::Dimension(at) => self.place(at, *number),
            };
        }
        let (before, after) = cut_in_two(clusters);
        self.fill(before, slots);
        self.fill(after, slots);
    }

    /// What tells most of the clusters apart for good, as some pairs of them show.
    fn farthest_apart(&self, clusters: &[Keyed]) -> By {
        let half = clusters.len() / 2;
        let step = (half / PAIRS_LOOKED_AT).max(1);
        let pairs = || {
            let pairs = (0..half).step_by(step);
            pairs.map(|it| (clusters[it].1, clusters[it + half].1))
        };
        let rows_apart = |(one, other): (u32, u32)| {
            let (one, other) = ((self.rows)(one), (self.rows)(other));
            self.far * u64::from(one.abs_diff(other)) / (u64::from(one) + u64::from(other)).max(1)
        };
        let mut farthest = match self.axes.loss {
            Loss::Certainty | Loss::Value => (pairs().map(rows_apart).sum(), By::Rows),
            Loss::Range => (0, By::Rows),
        };
        for at in 0..self.axes.dimensions() {
            let added = |(one, other): (u32, u32)| {
                let (one, other) = ((self.side)(at, one), (self.side)(at, other));
                let alone = self.axes.loss(at, one).max(self.axes.loss(at, other));
                let joint = self.axes.loss(at, self.axes.join(at, one, other));
                u64::from(joint - alone).min(self.far)
            };
            let apart: u64 = pairs().map(added).sum();
            if apart > farthest.0 {
                farthest = (apart, By::Dimension(at));
            }
        }
        farthest.1
    }

    /// Where a cluster lies in a dimension.
    fn place(&self, at: usize, number: u32) -> i64 {
        let side = (self.side)(at, number);
        match self.axes.measures[at].has_bits() {
            true => i64::from(bits(side).trailing_zeros()),
            false => i64::from(side.0) + i64::from(side.1),
        }
    }
}

/// Cuts near the middle, but not between clusters with the same key if it can be helped.
fn cut_in_two(clusters: &mut [Keyed]) -> (&mut [Keyed], &mut [Keyed]) {
    let middle = clusters.len() / 2;
    let (_, &mut (key, _), _) = clusters.select_nth_unstable(middle);
    let below = clusters.iter().filter(|it| it.0 < key).count();
    let not_above = clusters.iter().filter(|it| it.0 <= key).count();
    let cuts = [below, not_above].into_iter();
    let cuts = cuts.filter(|&cut| 0 < cut && cut < clusters.len());
    match cuts.min_by_key(|cut| cut.abs_diff(middle)) {
        None => clusters.split_at_mut(middle),
        Some(cut) => {
            clusters.select_nth_unstable(cut);
            clusters.split_at_mut(cut)
        }
    }
}
