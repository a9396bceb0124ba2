//! Cuts where the parts say most about the targets: the most even cut of every dimension, found in one sweep.

use super::cut::{Choose, Chooser, Cut, Region, Worker, into_children};

/// What the rows of some points say about the targets.
pub(super) trait Sums {
    /// Takes a tuple in.
    fn add(&mut self, tuple: u32);
    /// Takes it out again.
    fn remove(&mut self, tuple: u32);
    /// Called when everything was taken out, to forget what rounding left.
    fn reset(&mut self);
    /// What is not known about the targets; the less the better.
    fn cost(&self) -> f64;
    /// What a cut in two gains by chance, with one in twenty that gain more.
    fn chance(&self) -> f64;
    /// The values a tuple has, for the work of taking it in.
    fn work(&self) -> u64;
}

/// Makes sums of nothing.
pub(super) trait Weigh: Sync {
    /// The sums of this kind.
    type Sums<'a>: Sums
    where
        Self: 'a;
    /// Of no points.
    fn nothing(&self) -> Self::Sums<'_>;
}

/// Makes the safe cut whose parts have the least cost. Cuts that gain no more than chance would are worth nothing; of
/// those, the widest side is cut.
pub(super) struct ByTarget<W>(pub(super) W);

impl<W: Weigh> Choose for ByTarget<W> {
    fn chooser(&self) -> Box<dyn Chooser + '_> {
        Box::new(Sweep {
            left: self.0.nothing(),
            right: self.0.nothing(),
            order: Vec::new(),
            candidates: Vec::new(),
        })
    }
}

struct Sweep<S> {
    /// The points on both sides of the place where the sweep is.
    left: S,
    right: S,
    /// The points of the region by place: place, tuple, rows.
    order: Vec<(u32, u32, u32)>,
    candidates: Vec<Candidate>,
}

/// A cut, and what it is worth.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    cut: Cut,
    cost: f64,
    /// The width of the side that is cut.
    width: f64,
}

impl<S: Sums> Chooser for Sweep<S> {
    fn cut(
        &mut self,
        worker: &mut Worker<'_>,
        region: &mut Region<'_>,
        parts: &mut Vec<usize>,
    ) -> bool {
        let space = worker.space;
        self.candidates.clear();
        for point in region.points.chunks_exact(space.stride) {
            self.right.add(space.tuple(point));
        }
        let (whole, chance) = (self.right.cost(), self.right.chance());
        for dimension in 0..region.ends.len() {
            let (first, last) = region.ends[dimension];
            if first == last {
                continue;
            }
            let points = region.points.chunks_exact(space.stride);
            let cells = points.map(|it| (it[dimension], space.tuple(it), space.rows(it)));
            self.order.clear();
            self.order.extend(cells);
            self.order.sort_unstable();
            worker.work += self.order.len() as u64 * (2 + self.right.work());
            let width = space.dimensions[dimension].width(first, last);
            match into_children(space, region, dimension) {
                Some(cut) => self.weigh_children(worker, (cut, width), (whole, chance)),
                None => self.sweep(worker, region.rows, (dimension, width), (whole, chance)),
            }
        }
        for point in region.points.chunks_exact(space.stride) {
            self.right.remove(space.tuple(point));
        }
        self.right.reset();
        // Stable, so ties stay in the order of columns and places.
        (self.candidates).sort_by(|one, other| {
            let by_cost = one.cost.total_cmp(&other.cost);
            by_cost.then(other.width.total_cmp(&one.width))
        });
        (self.candidates.iter()).any(|candidate| worker.cut(region, candidate.cut, parts))
    }
}

/// The cost of a cut into so many parts, given that of the whole; the same if it gains no more than chance would.
fn worth(cost: f64, parts: usize, (whole, chance): (f64, f64)) -> f64 {
    match whole - cost > chance * (parts - 1) as f64 {
        true => cost,
        false => whole,
    }
}

impl<S: Sums> Sweep<S> {
    /// The most even cuts in two of a dimension, if their sides are large enough.
    fn sweep(
        &mut self,
        worker: &Worker<'_>,
        rows: u32,
        (dimension, width): (usize, f64),
        uncut: (f64, f64),
    ) {
        let first = self.candidates.len();
        let mut least = u32::MAX;
        let (mut below, mut at) = (0, 0);
        while at < self.order.len() {
            let place = self.order[at].0;
            let is_large = worker.size_is_safe(below) && worker.size_is_safe(rows - below);
            let unevenness = below.abs_diff(rows - below);
            if at > 0 && is_large && unevenness <= least {
                if unevenness < least {
                    self.candidates.truncate(first);
                    least = unevenness;
                }
                self.candidates.push(Candidate {
                    cut: Cut::Below { dimension, place },
                    cost: worth(self.left.cost() + self.right.cost(), 2, uncut),
                    width,
                });
            }
            while let Some(&(_, tuple, rows)) = self.order.get(at).filter(|it| it.0 == place) {
                self.right.remove(tuple);
                self.left.add(tuple);
                below += rows;
                at += 1;
            }
        }
        // Everything is on the left now.
        self.right.reset();
        std::mem::swap(&mut self.left, &mut self.right);
    }

    /// The one cut of a dimension with groups, if every part is large enough.
    fn weigh_children(&mut self, worker: &Worker<'_>, (cut, width): (Cut, f64), uncut: (f64, f64)) {
        let Cut::Into { dimension, level } = cut else {
            return;
        };
        let axis = &worker.space.dimensions[dimension];
        let group = |it: &(u32, u32, u32)| axis.group(level, it.0);
        let (mut cost, mut parts) = (0.0, 0);
        for part in self.order.chunk_by(|one, other| group(one) == group(other)) {
            let rows = part.iter().map(|&(_, _, rows)| rows).sum();
            parts += 1;
            if !worker.size_is_safe(rows) {
                return;
            }
            part.iter().for_each(|&(_, tuple, _)| self.left.add(tuple));
            cost += self.left.cost();
            part.iter()
                .for_each(|&(_, tuple, _)| self.left.remove(tuple));
            self.left.reset();
        }
        self.candidates.push(Candidate {
            cut,
            cost: worth(cost, parts, uncut),
            width,
        });
    }
}
