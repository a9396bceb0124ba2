//! Finds the nearest cluster in blocks of clusters, most of which need not be looked at.
//!
//! Clusters near each other are put into blocks, blocks into blocks of blocks, and so on. Of each block is known what
//! every cluster in it holds at least, as a sketch, and how many rows it has at least. What a cluster would lose by
//! merging with that is a lower bound for the whole block. Blocks whose bound is no better than what was found are passed over,
//! and so are clusters whose sketch says enough, so the result is that of looking at all.

use super::axes::{Axes, Loss};
use super::seen::{Found, NOBODY, Nearest, Seen};
use super::side::{Side, bits};
use super::sketch::{Asked, FAN, Lanes, Sketcher};

/// A tree is built anew once only so many percent of its clusters are left.
const FEW_LEFT: usize = 70;

/// Pairs of clusters that tell in which dimension they lie farthest apart.
const PAIRS_LOOKED_AT: usize = 64;

/// Clusters, or blocks of them. What is looked at together lies together.
#[derive(Debug, Default)]
struct Layer {
    /// How many lanes a block has.
    lanes: usize,
    /// Block by block: what all clusters of an entry hold.
    sketches: Vec<Lanes>,
    /// The fewest rows of a cluster.
    rows: Vec<[u32; FAN]>,
    /// The lowest number of a cluster.
    numbers: Vec<[u32; FAN]>,
}

/// The clusters in an order that finds the nearest one soon.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    axes: &'a Axes<'a>,
    sketcher: Sketcher<'a>,
    /// The clusters, then their blocks, then blocks of these.
    layers: Vec<Layer>,
    /// All sides of the cluster at each place of the first layer.
    sides: Vec<Side>,
    /// The place of each cluster in the first layer.
    slots: Vec<u32>,
    /// What merges lost without regard to rows since the tree was built, and how many there were.
    found: (u64, u64),
    /// How many clusters there were when it was built.
    built_with: usize,
    /// Blocks looked at.
    pub(super) work: u64,
}

impl<'a> Tree<'a> {
    /// A tree without clusters, whose numbers will be below `numbers`.
    pub(super) fn new(axes: &'a Axes<'a>, numbers: usize) -> Self {
        Tree {
            axes,
            sketcher: Sketcher::new(axes),
            layers: Vec::new(),
            sides: Vec::new(),
            slots: vec![NOBODY; numbers],
            found: (0, 0),
            built_with: 0,
            work: 0,
        }
    }

    /// Whether it should be built anew now that so many clusters are left.
    pub(super) fn is_worn(&self, left: usize) -> bool {
        100 * left <= FEW_LEFT * self.built_with
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
        self.built_with = clusters.len();
        let (extents, searches) = std::mem::take(&mut self.found);
        let sorting = Sorting {
            axes: self.axes,
            side,
            rows,
            far: extents.checked_div(searches).unwrap_or(u64::from(u32::MAX)),
        };
        let mut slots = Vec::with_capacity(2 * clusters.len());
        sorting.fill(&mut clusters, &mut slots);
        let dimensions = self.axes.dimensions();
        let mut blocks = slots.len() / FAN;
        self.layers = vec![Layer::new(&self.sketcher, blocks)];
        self.sides.clear();
        self.sides.resize(slots.len() * dimensions, (0, 0));
        let mut sides = vec![(0, 0); dimensions];
        for (slot, number) in slots.into_iter().enumerate() {
            if number == NOBODY {
                continue;
            }
            for (at, own) in sides.iter_mut().enumerate() {
                *own = side(at, number);
            }
            self.slots[number as usize] = slot as u32;
            self.put(Seen {
                number,
                sides: &sides,
                rows: rows(number),
            });
        }
        loop {
            let mut above = Layer::new(&self.sketcher, blocks.div_ceil(FAN));
            let below = &self.layers[self.layers.len() - 1];
            for block in 0..blocks {
                above.summarize(&self.sketcher, block, below);
            }
            self.layers.push(above);
            if blocks <= FAN {
                break;
            }
            blocks = blocks.div_ceil(FAN);
        }
    }

    /// Puts a cluster into its place.
    fn put(&mut self, cluster: Seen<'_>) {
        let slot = self.slots[cluster.number as usize] as usize;
        let (block, lane) = (slot / FAN, slot % FAN);
        let clusters = &mut self.layers[0];
        clusters.rows[block][lane] = cluster.rows;
        clusters.numbers[block][lane] = cluster.number;
        (self.sketcher).draw(clusters.sketch_mut(block), lane, cluster.sides);
        let first = slot * cluster.sides.len();
        self.sides[first..first + cluster.sides.len()].copy_from_slice(cluster.sides);
    }

    /// Forgets a cluster.
    pub(super) fn remove(&mut self, number: u32) {
        let slot = self.slots[number as usize] as usize;
        let (block, lane) = (slot / FAN, slot % FAN);
        let clusters = &mut self.layers[0];
        clusters.rows[block][lane] = NO_ROWS;
        clusters.numbers[block][lane] = NOBODY;
        self.sketcher.clear(clusters.sketch_mut(block), lane);
        self.update_above(slot);
    }

    /// Replaces a cluster by a larger one with the same number.
    pub(super) fn replace(&mut self, cluster: Seen<'_>) {
        self.put(cluster);
        self.update_above(self.slots[cluster.number as usize] as usize);
    }

    fn update_above(&mut self, slot: usize) {
        let mut entry = slot;
        for at in 1..self.layers.len() {
            entry /= FAN;
            let (below, above) = self.layers.split_at_mut(at);
            if !above[0].summarize(&self.sketcher, entry, &below[at - 1]) {
                break;
            }
        }
    }

    /// The cluster, other than this one, that loses least when merged with it; of several the one with the lowest number.
    pub(super) fn nearest(&self, cluster: Seen<'_>) -> Nearest {
        let mut search = Search {
            index: self,
            cluster,
            asked: self.sketcher.ask(cluster.sides),
            best: (u64::MAX, NOBODY),
            extent: 0,
            work: 0,
        };
        search.look(self.layers.len() - 1, 0, 0);
        Nearest {
            number: (search.best.1 != NOBODY).then_some(search.best.1),
            extent: search.extent,
            work: search.work,
        }
    }

    /// Takes note of what was found, for the next time.
    pub(super) fn learn(&mut self, nearest: Nearest) {
        self.work += nearest.work;
        self.found = (self.found.0 + u64::from(nearest.extent), self.found.1 + 1);
    }
}

/// The rows of nobody, more than any cluster has.
const NO_ROWS: u32 = u32::MAX;

impl Layer {
    fn new(sketcher: &Sketcher<'_>, blocks: usize) -> Self {
        let lanes = sketcher.lanes();
        let mut nothing = vec![[0; FAN]; lanes];
        (0..FAN).for_each(|lane| sketcher.clear(&mut nothing, lane));
        Layer {
            lanes,
            sketches: nothing.repeat(blocks),
            rows: vec![[NO_ROWS; FAN]; blocks],
            numbers: vec![[NOBODY; FAN]; blocks],
        }
    }

    fn sketch(&self, block: usize) -> &[Lanes] {
        &self.sketches[block * self.lanes..][..self.lanes]
    }

    fn sketch_mut(&mut self, block: usize) -> &mut [Lanes] {
        &mut self.sketches[block * self.lanes..][..self.lanes]
    }

    /// Sets an entry to what the block below holds; false if it did before.
    fn summarize(&mut self, sketcher: &Sketcher<'_>, entry: usize, below: &Layer) -> bool {
        let (block, lane) = (entry / FAN, entry % FAN);
        let number = below.numbers[entry].iter().copied().fold(NOBODY, u32::min);
        let rows = below.rows[entry].iter().copied().fold(NO_ROWS, u32::min);
        let is_other = std::mem::replace(&mut self.numbers[block][lane], number) != number;
        let has_others = std::mem::replace(&mut self.rows[block][lane], rows) != rows;
        let sketch = below.sketch(entry);
        sketcher.summarize(sketch, self.sketch_mut(block), lane) || is_other || has_others
    }
}

/// One search for the nearest cluster.
struct Search<'i, 'a, 'c> {
    index: &'i Tree<'a>,
    cluster: Seen<'c>,
    asked: Asked,
    best: Found,
    /// What the best merge loses without regard to rows.
    extent: u32,
    work: u64,
}

impl Search<'_, '_, '_> {
    /// Looks at a block, and then into those of its entries that may hold something better, the most promising first.
    /// No cluster in it has fewer rows.
    fn look(&mut self, layer: usize, block: usize, fewest_rows: u32) {
        self.work += 1;
        let index = self.index;
        let (sketcher, entries) = (&index.sketcher, &index.layers[layer]);
        let own_rows = u64::from(self.cluster.rows);
        let most = sketcher.units(self.best.0, own_rows + u64::from(fewest_rows));
        let bounds = self.asked.bounds(entries.sketch(block), sketcher, most);
        let (rows, numbers) = (&entries.rows[block], &entries.numbers[block]);
        let mut promising = [((0, 0), 0); FAN];
        let mut count = 0;
        for at in 0..FAN {
            if bounds[at] > most || numbers[at] == NOBODY {
                continue;
            }
            let bound = sketcher.loss(bounds[at], own_rows + u64::from(rows[at]));
            if (bound, numbers[at]) >= self.best {
                continue;
            }
            if layer > 0 {
                promising[count] = ((bound, numbers[at]), at);
                count += 1;
            } else if numbers[at] != self.cluster.number {
                self.look_closely(block * FAN + at, numbers[at], rows[at]);
            }
        }
        promising[..count].sort_unstable();
        for &(bound, at) in &promising[..count] {
            if bound >= self.best {
                break;
            }
            self.look(layer - 1, block * FAN + at, rows[at]);
        }
    }

    /// Looks at a single cluster.
    fn look_closely(&mut self, slot: usize, number: u32, rows: u32) {
        let (axes, sides) = (self.index.axes, self.cluster.sides);
        let others = &self.index.sides[slot * sides.len()..][..sides.len()];
        let extent = axes.joint_extent(sides, others.iter().copied());
        let found = (
            axes.of_rows(extent, u64::from(self.cluster.rows) + u64::from(rows)),
            number,
        );
        if found < self.best {
            (self.best, self.extent) = (found, extent);
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
