//! Cuts where the parts say most about the targets: every place of every dimension is tried in one sweep.

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

/// Makes the safe cut whose parts have the least cost.
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
    /// The rows of the greatest part less those of the smallest.
    unevenness: u32,
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
            match into_children(space, region, dimension) {
                Some(cut) => self.weigh_children(worker, cut),
                None => self.sweep(worker, region.rows, dimension),
            }
        }
        for point in region.points.chunks_exact(space.stride) {
            self.right.remove(space.tuple(point));
        }
        self.right.reset();
        // Stable, so ties that are equally even stay in the order of columns and places.
        let place = |it: &Candidate| (it.cost, it.unevenness);
        (self.candidates).sort_by(|one, other| {
            let (one, other) = (place(one), place(other));
            one.0.total_cmp(&other.0).then(one.1.cmp(&other.1))
        });
        (self.candidates.iter()).any(|candidate| worker.cut(region, candidate.cut, parts))
    }
}

impl<S: Sums> Sweep<S> {
    /// Every cut in two of a dimension that leaves sides large enough.
    fn sweep(&mut self, worker: &Worker<'_>, rows: u32, dimension: usize) {
        let mut below = 0;
        let mut at = 0;
        while at < self.order.len() {
            let place = self.order[at].0;
            let is_large = worker.size_is_safe(below) && worker.size_is_safe(rows - below);
            if at > 0 && is_large {
                self.candidates.push(Candidate {
                    cut: Cut::Below { dimension, place },
                    cost: self.left.cost() + self.right.cost(),
                    unevenness: below.abs_diff(rows - below),
                });
            }
            while let Some(&(same, tuple, rows)) = self.order.get(at).filter(|it| it.0 == place) {
                debug_assert_eq!(same, place);
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
    fn weigh_children(&mut self, worker: &Worker<'_>, cut: Cut) {
        let Cut::Into { dimension, level } = cut else {
            return;
        };
        let axis = &worker.space.dimensions[dimension];
        let group = |it: &(u32, u32, u32)| axis.group(level, it.0);
        let (mut cost, mut smallest, mut greatest) = (0.0, u32::MAX, 0);
        for part in self.order.chunk_by(|one, other| group(one) == group(other)) {
            let rows = part.iter().map(|&(_, _, rows)| rows).sum();
            (smallest, greatest) = (smallest.min(rows), greatest.max(rows));
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
            cost,
            unevenness: greatest - smallest,
        });
    }
}
