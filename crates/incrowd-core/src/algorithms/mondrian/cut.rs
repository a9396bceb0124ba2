//! Cutting one region: which cuts there are, which of them are safe, and how the points are divided.

use super::space::Space;
use crate::algorithms::cuts::Judge;
use crate::algorithms::people::PeopleInBoxes;
use crate::counts::FrequencySet;
use crate::problem::Problem;
use crate::recode::Sides;

/// Of a group without points.
const NO_PART: u32 = u32::MAX;

/// A cut through a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// In two: the points whose place is below this one, and the others.
    Below { dimension: usize, place: u32 },
    /// In two halves, in the order of places; rows of the place in the middle may be divided.
    Half { dimension: usize },
    /// Into the groups of a level.
    Into { dimension: usize, level: usize },
}

/// What is known about a region before it is cut.
#[derive(Debug)]
pub(super) struct Region<'r> {
    pub(super) points: &'r mut [u32],
    pub(super) rows: u32,
    /// The first and last place in each dimension.
    pub(super) ends: Vec<(u32, u32)>,
}

/// Cuts regions, one after the other, reusing its memory.
pub(super) struct Worker<'a> {
    pub(super) space: &'a Space,
    pub(super) tuples: &'a FrequencySet,
    judge: Judge<'a>,
    /// Rows of each place of a region, from the first to the last; or the places with their rows.
    counts: Vec<u32>,
    places: Vec<(u32, u32)>,
    members: Vec<u32>,
    sorted: Vec<u32>,
    /// The part of each group while points are sorted; no part at other times.
    part_of_group: Vec<u32>,
    groups: Vec<u32>,
    ends: Vec<(u32, u32)>,
    /// Points and values touched.
    pub(super) work: u64,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        problem: &'a Problem<'a>,
        space: &'a Space,
        people: Option<&'a PeopleInBoxes<'a>>,
    ) -> Self {
        Worker {
            space,
            tuples: &problem.table.tuples,
            judge: Judge::of_boxes(problem, people),
            counts: Vec::new(),
            places: Vec::new(),
            members: Vec::new(),
            sorted: Vec::new(),
            part_of_group: Vec::new(),
            groups: Vec::new(),
            ends: Vec::new(),
            work: 0,
        }
    }

    /// Looks at the points of a region.
    pub(super) fn region<'r>(&mut self, points: &'r mut [u32]) -> Region<'r> {
        let dimensions = self.space.dimensions.len();
        let mut ends = std::mem::take(&mut self.ends);
        ends.clear();
        ends.resize(dimensions, (u32::MAX, 0));
        let mut rows = 0;
        for point in points.chunks_exact(self.space.stride) {
            for ((first, last), &place) in ends.iter_mut().zip(point) {
                *first = (*first).min(place);
                *last = (*last).max(place);
            }
            rows += self.space.rows(point);
        }
        self.work += points.len() as u64;
        Region { points, rows, ends }
    }

    /// Gives back what a region borrowed.
    pub(super) fn recycle(&mut self, region: Region<'_>) {
        self.ends = region.ends;
    }

    /// Whether a class of so many rows may be safe.
    pub(super) fn size_is_safe(&self, rows: u32) -> bool {
        self.judge.size_is_safe(rows)
    }

    /// Whether a class of these points satisfies all models.
    pub(super) fn is_safe(&mut self, points: &[u32], rows: u32) -> bool {
        if !self.judge.size_is_safe(rows) {
            return false;
        }
        if self.judge.reads_sizes_only() {
            return true;
        }
        self.members.clear();
        let tuples = points.chunks_exact(self.space.stride);
        self.members
            .extend(tuples.map(|point| self.space.tuple(point)));
        self.work += self.judge.visits(&self.members);
        self.judge.is_safe(rows, self.tuples, &self.members)
    }

    /// The places of a region in a dimension that have rows, in order, with their rows.
    pub(super) fn rows_of_places(
        &mut self,
        region: &Region<'_>,
        dimension: usize,
    ) -> &[(u32, u32)] {
        let (first, last) = region.ends[dimension];
        let points = region.points.chunks_exact(self.space.stride);
        let cells = points.map(|point| (point[dimension], self.space.rows(point)));
        let span = (last - first) as usize + 1;
        self.places.clear();
        self.work += cells.len() as u64;
        if span <= 2 * cells.len() + 64 {
            self.counts.clear();
            self.counts.resize(span, 0);
            for (place, rows) in cells {
                self.counts[(place - first) as usize] += rows;
            }
            let counts = (first..).zip(&self.counts).filter(|(_, rows)| **rows > 0);
            self.places
                .extend(counts.map(|(place, &rows)| (place, rows)));
        } else {
            self.places.extend(cells);
            self.places.sort_unstable();
            self.places.dedup_by(|later, before| {
                let is_same = later.0 == before.0;
                before.1 += if is_same { later.1 } else { 0 };
                is_same
            });
        }
        &self.places
    }

    /// Divides the points, unless a part would not be safe. `parts` becomes the ends of the parts, in points.
    pub(super) fn cut(
        &mut self,
        region: &mut Region<'_>,
        cut: Cut,
        parts: &mut Vec<usize>,
    ) -> bool {
        parts.clear();
        match cut {
            Cut::Below { dimension, place } => {
                let middle = self.divide(region.points, dimension, place);
                parts.extend([middle, region.points.len() / self.space.stride]);
            }
            Cut::Half { dimension } => {
                self.sort_by_place(region.points, dimension);
                let points = region.points.len() / self.space.stride;
                parts.extend([points / 2, points]);
            }
            Cut::Into { dimension, level } => self.sort(region.points, dimension, level, parts),
        }
        self.work += region.points.len() as u64;
        let mut start = 0;
        for &end in &*parts {
            let points = &region.points[start * self.space.stride..end * self.space.stride];
            let rows = points.chunks_exact(self.space.stride);
            let rows = rows.map(|point| self.space.rows(point)).sum();
            if !self.is_safe(points, rows) {
                return false;
            }
            start = end;
        }
        true
    }

    /// Brings the points below a place to the front; returns how many there are.
    fn divide(&self, points: &mut [u32], dimension: usize, place: u32) -> usize {
        let stride = self.space.stride;
        let (mut low, mut high) = (0, points.len() / stride);
        while low < high {
            if points[low * stride + dimension] < place {
                low += 1;
            } else {
                high -= 1;
                if low < high {
                    let (front, back) = points.split_at_mut(high * stride);
                    front[low * stride..][..stride].swap_with_slice(&mut back[..stride]);
                }
            }
        }
        low
    }

    /// Sorts the points by their place, those of one place by their tuple.
    fn sort_by_place(&mut self, points: &mut [u32], dimension: usize) {
        let space = self.space;
        let mut order: Vec<(u32, u32, usize)> = (points.chunks_exact(space.stride).enumerate())
            .map(|(at, point)| (point[dimension], space.tuple(point), at))
            .collect();
        order.sort_unstable();
        self.sorted.clear();
        for (_, _, at) in order {
            let point = &points[at * space.stride..][..space.stride];
            self.sorted.extend_from_slice(point);
        }
        points.copy_from_slice(&self.sorted);
    }

    /// Sorts the points by their group of a level, groups in the order in which they occur first.
    fn sort(&mut self, points: &mut [u32], dimension: usize, level: usize, parts: &mut Vec<usize>) {
        let stride = self.space.stride;
        let axis = &self.space.dimensions[dimension];
        self.part_of_group
            .resize(axis.groups(level).max(self.part_of_group.len()), NO_PART);
        self.groups.clear();
        let mut starts = vec![0];
        for point in points.chunks_exact(stride) {
            let group = axis.group(level, point[dimension]);
            let part = &mut self.part_of_group[group as usize];
            if *part == NO_PART {
                *part = self.groups.len() as u32;
                self.groups.push(group);
                starts.push(0);
            }
            starts[*part as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        parts.extend(&starts[1..]);
        self.sorted.clear();
        self.sorted.resize(points.len(), 0);
        for point in points.chunks_exact(stride) {
            let group = axis.group(level, point[dimension]);
            let place = &mut starts[self.part_of_group[group as usize] as usize];
            self.sorted[*place * stride..][..stride].copy_from_slice(point);
            *place += 1;
        }
        points.copy_from_slice(&self.sorted);
        for &group in &self.groups {
            self.part_of_group[group as usize] = NO_PART;
        }
    }
}

/// The cut of a dimension into the children of the lowest group with everything, for dimensions with groups.
pub(super) fn into_children(space: &Space, region: &Region<'_>, dimension: usize) -> Option<Cut> {
    let axis = &space.dimensions[dimension];
    let (first, last) = region.ends[dimension];
    if axis.sides != Sides::Groups || first == last {
        return None;
    }
    let level = axis.lowest_level(first, last) - 1;
    Some(Cut::Into { dimension, level })
}

/// The cut between cells that are no numbers and numbers, for regions with both.
pub(super) fn off_numbers(space: &Space, region: &Region<'_>, dimension: usize) -> Option<Cut> {
    let place = space.dimensions[dimension].first_number;
    let (first, last) = region.ends[dimension];
    (first < place && place <= last).then_some(Cut::Below { dimension, place })
}
