//! What follows from what is decided: boundaries that must be kept or gone, and a lower bound of the cost.
//!
//! Decisions enclose their completions between two corners: at the *fine* one all open boundaries are kept, at the
//! *coarse* one they are gone.
//!
//! - *Lost.* A class that is too small at the coarse corner is too small everywhere. If keeping one more boundary loses
//!   more rows than may be suppressed, it is gone.
//! - *Bound.* Let M be the open boundaries that a completion removes. The rows published like a row are those whom no kept
//!   boundary separates from it, so their number is supermodular in M: every pair of rows is joined by all boundaries
//!   between the two together. So is the sum of what published rows cost, at least as much as in the smallest safe class,
//!   for that is a convex growing function of it. Hence a completion costs at least what the fine corner does plus, for
//!   each boundary of M, what removing only that one adds.
//! - *Packing.* A class too small at the fine corner is suppressed, or one of the open boundaries around it is gone. Each
//!   such class may charge these boundaries (and its own suppression) as long as none is charged more than it adds: what all
//!   classes charge together is added to the bound.
//! - *Too much.* A boundary that would add too much beyond that is kept.

use super::decisions::{Boundaries, Boundary, Decisions};
use crate::counts::Work;
use crate::problem::{Interruption, Meter};
use hashbrown::HashMap;

/// The table as the search over boundaries sees it: distinct tuples of values in their order.
#[derive(Debug)]
pub(in super::super) struct Board {
    pub(super) boundaries: Boundaries,
    /// The place of each value of a tuple in the order of its attribute, tuple by tuple.
    places: Vec<u32>,
    sizes: Vec<u32>,
    /// Bits by which the block of each attribute is shifted in a key.
    shifts: Vec<u32>,
    /// The bits of each attribute in a key, not shifted.
    masks: Vec<u64>,
    /// Rows of the smallest class that may be published.
    smallest: u64,
    /// What a suppressed row costs.
    charge: u64,
    /// Rows that may be suppressed.
    budget: u64,
}

/// What remains to be decided.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) decisions: Decisions,
    /// Nothing that the decisions allow costs less.
    pub(super) bound: u64,
    /// The open boundary to decide next.
    pub(super) next: usize,
}

/// What a look found.
#[derive(Debug, Default)]
pub(super) struct Looked {
    /// None if nothing below costs less than the limit, or `solution` is the best.
    pub(super) node: Option<Node>,
    /// Decisions whose fine corner may be published and costs this.
    pub(super) solution: Option<(Decisions, u64)>,
    /// What the coarse corner costs, which may be published.
    pub(super) coarse: Option<(Decisions, u64)>,
}

/// The classes of the fine corner.
struct Classes {
    /// Ascending.
    keys: Vec<u64>,
    sizes: Vec<u64>,
    /// The class of the coarse corner that each is in.
    within: Vec<u32>,
    coarse_sizes: Vec<u64>,
    /// By attribute, the open or kept boundary after each block but the last.
    after: Vec<Vec<usize>>,
}

impl Board {
    /// None if the blocks of a class do not fit into a key.
    pub(super) fn new(
        boundaries: Boundaries,
        attributes: usize,
        classes: impl Iterator<Item = (u32, Vec<u32>)>,
        (smallest, charge, budget): (u32, u32, u32),
    ) -> Option<Self> {
        let mut shifts = Vec::new();
        let mut masks = Vec::new();
        let mut shift = 0;
        for attribute in 0..attributes {
            let blocks = boundaries.of(attribute).len() as u64 + 1;
            let bits = u64::BITS - (blocks - 1).leading_zeros();
            shifts.push(shift);
            masks.push((1 << bits) - 1);
            shift += bits;
        }
        if shift >= u64::BITS {
            return None;
        }
        let mut board = Board {
            boundaries,
            places: Vec::new(),
            sizes: Vec::new(),
            shifts,
            masks,
            smallest: smallest.into(),
            charge: charge.into(),
            budget: budget.into(),
        };
        for (size, places) in classes {
            board.sizes.push(size);
            board.places.extend(places);
        }
        Some(board)
    }

    /// The number of tuples.
    pub(super) fn tuples(&self) -> usize {
        self.sizes.len()
    }

    fn attributes(&self) -> usize {
        self.shifts.len()
    }

    fn block(&self, key: u64, attribute: usize) -> usize {
        (key >> self.shifts[attribute] & self.masks[attribute]) as usize
    }

    /// What rows published together cost at least, wherever they end up.
    fn cost(&self, rows: u64) -> u64 {
        rows * rows.max(self.smallest)
    }

    fn classes(&self, decisions: &Decisions) -> Classes {
        let attributes = self.attributes();
        let boundaries = &self.boundaries;
        let parts: Vec<Vec<u64>> = (0..attributes)
            .map(|attribute| {
                let blocks = boundaries.blocks(decisions, attribute, true);
                let shift = self.shifts[attribute];
                blocks.map(|block| u64::from(block) << shift).collect()
            })
            .collect();
        let tuples = self.places.chunks_exact(attributes.max(1));
        let key = |places: &[u32]| -> u64 {
            let pairs = places.iter().zip(&parts);
            pairs.map(|(&place, parts)| parts[place as usize]).sum()
        };
        let mut tuples: Vec<(u64, u32)> =
            (tuples.map(key)).zip(self.sizes.iter().copied()).collect();
        tuples.sort_unstable_by_key(|&(key, _)| key);
        let mut classes = Classes {
            keys: Vec::with_capacity(tuples.len()),
            sizes: Vec::with_capacity(tuples.len()),
            within: Vec::new(),
            coarse_sizes: Vec::new(),
            after: Vec::new(),
        };
        for (key, size) in tuples {
            if classes.keys.last() == Some(&key) {
                *classes.sizes.last_mut().expect("as many as keys") += u64::from(size);
            } else {
                classes.keys.push(key);
                classes.sizes.push(size.into());
            }
        }
        classes.after = (0..attributes)
            .map(|attribute| {
                let of_attribute = boundaries.of(attribute);
                of_attribute
                    .filter(|&it| decisions[it] != Boundary::Gone)
                    .collect()
            })
            .collect();
        // By attribute, the block at the coarse corner of each block at the fine one.
        let coarse: Vec<Vec<u64>> = (0..attributes)
            .map(|attribute| {
                let mut block = 0;
                let after = classes.after[attribute].iter();
                let blocks = after.map(|&it| {
                    block += u64::from(decisions[it] == Boundary::Kept);
                    block << self.shifts[attribute]
                });
                std::iter::once(0).chain(blocks).collect()
            })
            .collect();
        let mut numbers: HashMap<u64, u32> = HashMap::new();
        for (&key, &size) in classes.keys.iter().zip(&classes.sizes) {
            let wide =
                (0..attributes).map(|attribute| coarse[attribute][self.block(key, attribute)]);
            let next = numbers.len() as u32;
            let number = *numbers.entry(wide.sum()).or_insert(next);
            if number == next {
                classes.coarse_sizes.push(0);
            }
            classes.coarse_sizes[number as usize] += size;
            classes.within.push(number);
        }
        classes
    }

    /// Draws every conclusion, until nothing follows any more. What costs `limit` or more does not count.
    pub(super) fn look(
        &self,
        mut decisions: Decisions,
        limit: u64,
        meter: &Meter<'_>,
    ) -> Result<Looked, Interruption> {
        let mut looked = Looked::default();
        loop {
            meter.spend(Work::of(self.tuples() * (2 + self.attributes() / 2)))?;
            let classes = self.classes(&decisions);
            let too_small = |&size: &u64| size < self.smallest;
            let lost: u64 = classes.coarse_sizes.iter().copied().filter(too_small).sum();
            if lost > self.budget {
                return Ok(looked);
            }
            if self.remove_conflicts(&classes, lost, &mut decisions) {
                continue;
            }
            meter.spend(Work::of(classes.keys.len() * (2 + self.attributes())))?;
            let at_coarse = |&size: &u64| match too_small(&size) {
                true => size * self.charge,
                false => size * size,
            };
            let coarse: u64 = classes.coarse_sizes.iter().map(at_coarse).sum();
            let prices = match self.prices(&classes, &decisions, limit) {
                Priced::TooMuch => return Ok(looked),
                Priced::Solved(cost) => {
                    looked.solution = Some((decisions, cost));
                    return Ok(looked);
                }
                Priced::Open(prices) => prices,
            };
            if coarse < limit
                && looked
                    .coarse
                    .as_ref()
                    .is_none_or(|&(_, cost)| coarse < cost)
            {
                looked.coarse = Some((decisions.clone(), coarse));
            }
            if self.keep_expensive(&prices, limit, &mut decisions) {
                continue;
            }
            let open = |it: &usize| decisions[*it] == Boundary::Open;
            let dearest = (0..self.boundaries.len())
                .filter(open)
                .max_by_key(|&it| (prices.adds_along[it], std::cmp::Reverse(it)));
            looked.node = dearest.map(|next| Node {
                bound: prices.bound,
                next,
                decisions,
            });
            return Ok(looked);
        }
    }

    /// Removes boundaries that would lose too many rows if they were kept.
    fn remove_conflicts(&self, classes: &Classes, lost: u64, decisions: &mut Decisions) -> bool {
        let mut is_changed = false;
        for attribute in 0..self.attributes() {
            let after = &classes.after[attribute];
            if !after.iter().any(|&it| decisions[it] == Boundary::Open) {
                continue;
            }
            let blocks = after.len() + 1;
            let mut rows = vec![0; classes.coarse_sizes.len() * blocks];
            let of_classes = classes.keys.iter().zip(&classes.sizes).zip(&classes.within);
            for ((&key, &size), &within) in of_classes {
                rows[within as usize * blocks + self.block(key, attribute)] += size;
            }
            let mut lost_more = vec![0; after.len()];
            for (rows, &all) in rows.chunks_exact(blocks).zip(&classes.coarse_sizes) {
                if all < self.smallest {
                    continue;
                }
                let mut before = 0;
                for (rows, lost_more) in rows.iter().zip(&mut lost_more) {
                    before += rows;
                    for part in [before, all - before] {
                        *lost_more += if part < self.smallest { part } else { 0 };
                    }
                }
            }
            for (&boundary, &lost_more) in after.iter().zip(&lost_more) {
                if decisions[boundary] == Boundary::Open && lost + lost_more > self.budget {
                    self.boundaries.decide(decisions, boundary, Boundary::Gone);
                    is_changed = true;
                }
            }
        }
        is_changed
    }

    /// Keeps boundaries whose removal would cost too much.
    fn keep_expensive(&self, prices: &Prices, limit: u64, decisions: &mut Decisions) -> bool {
        let mut is_changed = false;
        for boundary in 0..self.boundaries.len() {
            let charged = prices.bound.saturating_add(prices.left[boundary]);
            let along = prices.fine.saturating_add(prices.adds_along[boundary]);
            let least = charged.max(along);
            if decisions[boundary] == Boundary::Open && least >= limit {
                self.boundaries.decide(decisions, boundary, Boundary::Kept);
                is_changed = true;
            }
        }
        is_changed
    }

    fn prices(&self, classes: &Classes, decisions: &Decisions, limit: u64) -> Priced {
        let is_lost =
            |class: usize| classes.coarse_sizes[classes.within[class] as usize] < self.smallest;
        let mut fine = 0;
        let mut small: Vec<usize> = Vec::new();
        for (class, &size) in classes.sizes.iter().enumerate() {
            fine += match is_lost(class) {
                true => size * self.charge,
                false => self.cost(size),
            };
            if size < self.smallest && !is_lost(class) {
                small.push(class);
            }
        }
        if fine >= limit {
            return Priced::TooMuch;
        }
        if small.is_empty() {
            return Priced::Solved(fine);
        }
        let mut prices = Prices {
            fine,
            bound: fine,
            adds: vec![0; self.boundaries.len()],
            adds_along: vec![0; self.boundaries.len()],
            left: Vec::new(),
        };
        for attribute in 0..self.attributes() {
            self.add_neighbors(classes, attribute, &is_lost, &mut prices.adds);
        }
        prices.adds_along.clone_from(&prices.adds);
        for attribute in 0..self.attributes() {
            if self.boundaries.has_reaches(attribute) {
                self.add_along(classes, (attribute, decisions), &is_lost, &mut prices);
            }
        }
        prices.left.clone_from(&prices.adds);
        match self.charge_small(classes, decisions, &small, &mut prices.left) {
            None => return Priced::TooMuch,
            Some(charged) => prices.bound = fine.saturating_add(charged),
        }
        match prices.bound >= limit {
            true => Priced::TooMuch,
            false => Priced::Open(prices),
        }
    }

    /// What removing each boundary of an attribute adds, and no other.
    fn add_neighbors(
        &self,
        classes: &Classes,
        attribute: usize,
        is_lost: &impl Fn(usize) -> bool,
        adds: &mut [u64],
    ) {
        let step = 1 << self.shifts[attribute];
        let after = &classes.after[attribute];
        let mut next = 0;
        for (class, &key) in classes.keys.iter().enumerate() {
            let block = self.block(key, attribute);
            if block == after.len() {
                continue;
            }
            // Keys ascend, and so do those of the neighbors.
            while next < classes.keys.len() && classes.keys[next] < key + step {
                next += 1;
            }
            if next == classes.keys.len() {
                break;
            }
            if classes.keys[next] == key + step && !is_lost(class) {
                let (one, other) = (classes.sizes[class], classes.sizes[next]);
                adds[after[block]] += self.cost(one + other) - self.cost(one) - self.cost(other);
            }
        }
    }

    /// What removing each boundary of a guided attribute adds together with those that it takes along.
    fn add_along(
        &self,
        classes: &Classes,
        (attribute, decisions): (usize, &Decisions),
        is_lost: &impl Fn(usize) -> bool,
        prices: &mut Prices,
    ) {
        let after = &classes.after[attribute];
        // The blocks that removing an open boundary joins.
        let joined: Vec<(usize, usize, usize)> = (after.iter())
            .filter(|&&it| decisions[it] == Boundary::Open)
            .map(|&it| {
                let (first, last) = self.boundaries.reach(it);
                let block = |boundary: usize| after.partition_point(|&other| other < boundary);
                // Boundaries at the ends that are gone already lie within a block.
                (it, block(first), block(last + 1))
            })
            .collect();
        let others = !(self.masks[attribute] << self.shifts[attribute]);
        let mut lines: Vec<usize> = (0..classes.keys.len()).filter(|&it| !is_lost(it)).collect();
        lines.sort_unstable_by_key(|&it| (classes.keys[it] & others, classes.keys[it]));
        let mut sums = vec![(0, 0); after.len() + 2];
        for line in lines
            .chunk_by(|&one, &other| classes.keys[one] & others == classes.keys[other] & others)
        {
            if line.len() < 2 {
                continue;
            }
            sums.fill((0, 0));
            for &class in line {
                let size = classes.sizes[class];
                sums[self.block(classes.keys[class], attribute) + 1] = (size, self.cost(size));
            }
            for at in 1..sums.len() {
                sums[at].0 += sums[at - 1].0;
                sums[at].1 += sums[at - 1].1;
            }
            for &(boundary, first, last) in &joined {
                let rows = sums[last + 1].0 - sums[first].0;
                let apart = sums[last + 1].1 - sums[first].1;
                prices.adds_along[boundary] += self.cost(rows) - apart;
            }
        }
        for &(boundary, ..) in &joined {
            // Counted once above for its neighbors alone.
            prices.adds_along[boundary] -= prices.adds[boundary];
        }
    }

    /// What small classes charge the boundaries around them, taken off what is left of these. None if one can neither
    /// grow nor be suppressed.
    fn charge_small(
        &self,
        classes: &Classes,
        decisions: &Decisions,
        small: &[usize],
        left: &mut [u64],
    ) -> Option<u64> {
        let mut around: Vec<usize> = Vec::new();
        let mut waiting = Vec::new();
        for &class in small {
            let start = around.len();
            for (attribute, after) in classes.after.iter().enumerate() {
                let block = self.block(classes.keys[class], attribute);
                let sides = [block.checked_sub(1), Some(block)];
                let sides = sides.into_iter().flatten().filter_map(|it| after.get(it));
                around.extend(sides.filter(|&&it| decisions[it] == Boundary::Open));
            }
            let size = classes.sizes[class];
            // More than may be suppressed at all is not.
            let suppressed = match size <= self.budget {
                true => (size * self.charge).saturating_sub(self.cost(size)),
                false => u64::MAX,
            };
            let least = around[start..].iter().map(|&it| left[it]).min();
            let least = least.unwrap_or(u64::MAX).min(suppressed);
            if least == u64::MAX {
                return None;
            }
            // Classes with few boundaries around them first: they have least to choose from.
            waiting.push((
                around.len() - start,
                std::cmp::Reverse(least),
                start,
                suppressed,
            ));
        }
        waiting.sort_unstable();
        let mut charged = 0_u64;
        for (count, _, start, suppressed) in waiting {
            let around = &around[start..start + count];
            let least = around.iter().map(|&it| left[it]).min();
            let least = least.unwrap_or(u64::MAX).min(suppressed);
            charged = charged.saturating_add(least);
            if least > 0 {
                for &boundary in around {
                    left[boundary] -= least;
                }
            }
        }
        Some(charged)
    }
}

/// What removing boundaries costs.
struct Prices {
    /// The cost of the fine corner.
    fine: u64,
    bound: u64,
    /// What removing each adds to the fine corner.
    adds: Vec<u64>,
    /// The same with the boundaries that it takes along.
    adds_along: Vec<u64>,
    /// What is left of it after small classes have charged it.
    left: Vec<u64>,
}

enum Priced {
    /// Everything costs too much.
    TooMuch,
    /// The fine corner may be published, and costs this.
    Solved(u64),
    Open(Prices),
}
