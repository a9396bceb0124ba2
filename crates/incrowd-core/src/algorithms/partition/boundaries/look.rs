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
use std::sync::Arc;

/// The table as the search over boundaries sees it: distinct tuples of values in their order.
#[derive(Debug)]
pub(in super::super) struct Board {
    pub(super) boundaries: Boundaries,
    /// The raw tuples: every value a block of its own, at its place in the order of its attribute.
    tuples: Arc<Blocks>,
    attributes: usize,
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

/// Distinct tuples of blocks, and their rows.
#[derive(Debug, Default)]
struct Blocks {
    /// The block of each attribute, tuple by tuple.
    blocks: Vec<u16>,
    sizes: Vec<u64>,
}

/// The classes of the fine corner.
#[derive(Debug)]
pub(super) struct Fine {
    classes: Blocks,
    /// By attribute, the open or kept boundary after each block but the last.
    after: Vec<Vec<usize>>,
    /// By class and attribute, the class in the next block of that attribute; [`NONE`] if there is no row.
    neighbors: Vec<u32>,
}

impl Blocks {
    /// The block of every tuple in one of so many attributes.
    fn of_attribute(&self, attribute: usize, attributes: usize) -> impl Iterator<Item = u16> {
        let blocks = self.blocks.iter().skip(attribute);
        blocks.step_by(attributes.max(1)).copied()
    }
}

impl Fine {
    /// Whether a boundary between its blocks is gone.
    fn is_too_fine_for(&self, decisions: &Decisions) -> bool {
        let mut boundaries = self.after.iter().flatten();
        boundaries.any(|&it| decisions[it] == Boundary::Gone)
    }
}

/// The classes of the coarse corner.
struct Coarse {
    /// The one that each class of the fine corner is in.
    within: Vec<u32>,
    sizes: Vec<u64>,
}

/// No class.
const NONE: u32 = u32::MAX;

/// Grids up to so many cells are written down; others are hashed.
const MOST_CELLS: u64 = 1 << 21;

/// Numbers the cells of a grid in which there are rows, in the order in which they are met. Its memory is used again.
#[derive(Debug, Default)]
pub(super) struct Grid {
    /// By attribute, how far it is from one block to the next.
    strides: Vec<u64>,
    is_dense: bool,
    /// The number of each cell; [`NONE`] everywhere between uses.
    numbers: Vec<u32>,
    /// The cells that are numbered.
    cells: Vec<u64>,
    hashed: HashMap<u64, u32>,
}

impl Grid {
    /// Begins anew, with so many blocks of each attribute.
    fn begin(&mut self, blocks: impl Iterator<Item = usize>) {
        match self.is_dense {
            true => {
                for &cell in &self.cells {
                    self.numbers[cell as usize] = NONE;
                }
            }
            false => self.hashed.clear(),
        }
        self.cells.clear();
        self.strides.clear();
        let mut cells = 1u64;
        for blocks in blocks {
            self.strides.push(cells);
            cells = cells.saturating_mul(blocks as u64);
        }
        self.is_dense = cells <= MOST_CELLS;
        if self.is_dense && self.numbers.len() < cells as usize {
            self.numbers.resize(cells as usize, NONE);
        }
    }

    /// The number of a cell, which gets the next one if it has none yet.
    #[inline]
    fn number(&mut self, cell: u64) -> u32 {
        let next = self.cells.len() as u32;
        let number = match self.is_dense {
            true => &mut self.numbers[cell as usize],
            false => self.hashed.entry(cell).or_insert(NONE),
        };
        if *number == NONE {
            *number = next;
            self.cells.push(cell);
        }
        *number
    }

    /// The number of a cell; [`NONE`] if it has none.
    #[inline]
    fn find(&self, cell: u64) -> u32 {
        match self.is_dense {
            true => self.numbers[cell as usize],
            false => self.hashed.get(&cell).copied().unwrap_or(NONE),
        }
    }
}

impl Board {
    /// None if the classes cannot be told apart by one number.
    pub(super) fn new(
        boundaries: Boundaries,
        attributes: usize,
        classes: impl Iterator<Item = (u32, Vec<u32>)>,
        (smallest, charge, budget): (u32, u32, u32),
    ) -> Option<Self> {
        let mut cells = 1u64;
        for attribute in 0..attributes {
            let blocks = boundaries.of(attribute).len() + 1;
            u16::try_from(blocks).ok()?;
            cells = cells.checked_mul(blocks as u64)?;
        }
        let mut tuples = Blocks::default();
        for (size, places) in classes {
            tuples.sizes.push(size.into());
            tuples
                .blocks
                .extend(places.iter().map(|&place| place as u16));
        }
        Some(Board {
            boundaries,
            tuples: Arc::new(tuples),
            attributes,
            smallest: smallest.into(),
            charge: charge.into(),
            budget: budget.into(),
        })
    }

    /// The same with other boundaries between the same values in the same order.
    pub(super) fn with(&self, boundaries: Boundaries) -> Board {
        Board {
            boundaries,
            tuples: Arc::clone(&self.tuples),
            ..*self
        }
    }

    /// The number of tuples.
    pub(super) fn tuples(&self) -> usize {
        self.tuples.sizes.len()
    }

    /// What rows published together cost at least, wherever they end up.
    fn cost(&self, rows: u64) -> u64 {
        rows * rows.max(self.smallest)
    }

    /// The classes of the fine corner, from the raw tuples.
    pub(super) fn fine(&self, decisions: &Decisions, grid: &mut Grid) -> Fine {
        let boundaries = &self.boundaries;
        let maps = (0..self.attributes).map(|attribute| {
            let blocks = boundaries.blocks(decisions, attribute, true);
            blocks.map(|block| block as u16).collect()
        });
        self.merged(&self.tuples, maps.collect(), decisions, grid)
    }

    /// The classes of the fine corner, from those of a finer one.
    fn merged_from(&self, fine: &Fine, decisions: &Decisions, grid: &mut Grid) -> Fine {
        let maps = fine.after.iter().map(|after| {
            let mut block = 0;
            let blocks = after.iter().map(|&it| {
                block += u16::from(decisions[it] != Boundary::Gone);
                block
            });
            std::iter::once(0).chain(blocks).collect()
        });
        self.merged(&fine.classes, maps.collect(), decisions, grid)
    }

    /// Classes from finer ones; `maps` says where the blocks of each attribute go.
    fn merged(
        &self,
        from: &Blocks,
        maps: Vec<Vec<u16>>,
        decisions: &Decisions,
        grid: &mut Grid,
    ) -> Fine {
        let attributes = self.attributes;
        grid.begin(maps.iter().map(|map| usize::from(map[map.len() - 1]) + 1));
        let offsets: Vec<Vec<u64>> = (maps.iter().zip(&grid.strides))
            .map(|(map, stride)| map.iter().map(|&block| u64::from(block) * stride).collect())
            .collect();
        let mut classes = Blocks::default();
        let tuples = from.blocks.chunks_exact(attributes.max(1));
        for (blocks, &size) in tuples.zip(&from.sizes) {
            let offsets = blocks.iter().zip(&offsets);
            let cell = offsets.map(|(&block, offsets)| offsets[usize::from(block)]);
            let class = grid.number(cell.sum()) as usize;
            if class == classes.sizes.len() {
                classes.sizes.push(size);
                let blocks = blocks.iter().zip(&maps);
                let blocks = blocks.map(|(&block, map)| map[usize::from(block)]);
                classes.blocks.extend(blocks);
            } else {
                classes.sizes[class] += size;
            }
        }
        let after: Vec<Vec<usize>> = (0..attributes)
            .map(|attribute| {
                let of_attribute = self.boundaries.of(attribute);
                of_attribute
                    .filter(|&it| decisions[it] != Boundary::Gone)
                    .collect()
            })
            .collect();
        let mut neighbors = Vec::with_capacity(classes.blocks.len());
        let blocks = classes.blocks.chunks_exact(attributes.max(1));
        for (blocks, cell) in blocks.zip(&grid.cells) {
            let sides = blocks.iter().zip(&after).zip(&grid.strides);
            neighbors.extend(sides.map(|((&block, after), stride)| {
                match usize::from(block) < after.len() {
                    true => grid.find(cell + stride),
                    false => NONE,
                }
            }));
        }
        Fine {
            classes,
            after,
            neighbors,
        }
    }

    /// The classes of the coarse corner.
    fn coarse(&self, fine: &Fine, decisions: &Decisions, grid: &mut Grid) -> Coarse {
        // By attribute, the block at the coarse corner of each block at the fine one.
        let maps: Vec<Vec<u64>> = (fine.after.iter())
            .map(|after| {
                let mut block = 0;
                let blocks = after.iter().map(|&it| {
                    block += u64::from(decisions[it] == Boundary::Kept);
                    block
                });
                std::iter::once(0).chain(blocks).collect()
            })
            .collect();
        grid.begin(maps.iter().map(|map| map[map.len() - 1] as usize + 1));
        let offsets: Vec<Vec<u64>> = (maps.iter().zip(&grid.strides))
            .map(|(map, stride)| map.iter().map(|block| block * stride).collect())
            .collect();
        let classes = fine.classes.blocks.chunks_exact(self.attributes.max(1));
        let mut coarse = Coarse {
            within: Vec::with_capacity(fine.classes.sizes.len()),
            sizes: Vec::new(),
        };
        for (blocks, &size) in classes.zip(&fine.classes.sizes) {
            let offsets = blocks.iter().zip(&offsets);
            let cell = offsets.map(|(&block, offsets)| offsets[usize::from(block)]);
            let number = grid.number(cell.sum());
            if number as usize == coarse.sizes.len() {
                coarse.sizes.push(0);
            }
            coarse.sizes[number as usize] += size;
            coarse.within.push(number);
        }
        coarse
    }

    /// Draws every conclusion, until nothing follows any more. What costs `limit` or more does not count. `fine` has the
    /// classes of these decisions, or those of fewer.
    pub(super) fn look(
        &self,
        mut decisions: Decisions,
        fine: &Fine,
        limit: u64,
        (grid, meter): (&mut Grid, &Meter<'_>),
    ) -> Result<Looked, Interruption> {
        let mut looked = Looked::default();
        let mut merged: Option<Fine> = None;
        loop {
            let before = merged.as_ref().unwrap_or(fine);
            if before.is_too_fine_for(&decisions) {
                meter.spend(Work::of(before.classes.sizes.len() * self.work_per_class()))?;
                merged = Some(self.merged_from(before, &decisions, grid));
            }
            let fine = merged.as_ref().unwrap_or(fine);
            meter.spend(Work::of(fine.classes.sizes.len() * self.work_per_class()))?;
            let coarse = self.coarse(fine, &decisions, grid);
            let too_small = |&size: &u64| size < self.smallest;
            let lost: u64 = coarse.sizes.iter().copied().filter(too_small).sum();
            if lost > self.budget {
                return Ok(looked);
            }
            if self.remove_conflicts(fine, &coarse, lost, &mut decisions) {
                continue;
            }
            meter.spend(Work::of(fine.classes.sizes.len() * (2 + self.attributes)))?;
            let at_coarse = |&size: &u64| match too_small(&size) {
                true => size * self.charge,
                false => size * size,
            };
            let cost_of_coarse: u64 = coarse.sizes.iter().map(at_coarse).sum();
            let prices = match self.prices(fine, &coarse, &decisions, limit) {
                Priced::TooMuch => return Ok(looked),
                Priced::Solved(cost) => {
                    looked.solution = Some((decisions, cost));
                    return Ok(looked);
                }
                Priced::Open(prices) => prices,
            };
            if cost_of_coarse < limit
                && looked
                    .coarse
                    .as_ref()
                    .is_none_or(|&(_, cost)| cost_of_coarse < cost)
            {
                looked.coarse = Some((decisions.clone(), cost_of_coarse));
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

    /// Looks at what is left once the next boundary is decided, gone or kept.
    pub(super) fn children(
        &self,
        node: &Node,
        limit: u64,
        (grid, meter): (&mut Grid, &Meter<'_>),
    ) -> Result<Vec<Looked>, Interruption> {
        meter.spend(Work::of(self.tuples() * self.work_per_class()))?;
        let fine = self.fine(&node.decisions, grid);
        let children = [Boundary::Gone, Boundary::Kept].into_iter();
        let looks = children.map(|what| {
            let mut decisions = node.decisions.clone();
            self.boundaries.decide(&mut decisions, node.next, what);
            self.look(decisions, &fine, limit, (grid, meter))
        });
        looks.collect()
    }

    fn work_per_class(&self) -> usize {
        1 + self.attributes / 4
    }

    /// Removes boundaries that would lose too many rows if they were kept.
    fn remove_conflicts(
        &self,
        fine: &Fine,
        coarse: &Coarse,
        lost: u64,
        decisions: &mut Decisions,
    ) -> bool {
        let mut is_changed = false;
        let mut rows = Vec::new();
        for attribute in 0..self.attributes {
            let after = &fine.after[attribute];
            if !after.iter().any(|&it| decisions[it] == Boundary::Open) {
                continue;
            }
            let blocks = after.len() + 1;
            rows.clear();
            rows.resize(coarse.sizes.len() * blocks, 0);
            let of_classes = fine.classes.of_attribute(attribute, self.attributes);
            for ((block, &size), &within) in of_classes.zip(&fine.classes.sizes).zip(&coarse.within)
            {
                rows[within as usize * blocks + usize::from(block)] += size;
            }
            let mut lost_more = vec![0; after.len()];
            for (rows, &all) in rows.chunks_exact(blocks).zip(&coarse.sizes) {
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

    fn prices(&self, fine: &Fine, coarse: &Coarse, decisions: &Decisions, limit: u64) -> Priced {
        let is_lost = |class: usize| coarse.sizes[coarse.within[class] as usize] < self.smallest;
        let mut cost = 0;
        let mut small: Vec<usize> = Vec::new();
        for (class, &size) in fine.classes.sizes.iter().enumerate() {
            cost += match is_lost(class) {
                true => size * self.charge,
                false => self.cost(size),
            };
            if size < self.smallest && !is_lost(class) {
                small.push(class);
            }
        }
        if cost >= limit {
            return Priced::TooMuch;
        }
        if small.is_empty() {
            return Priced::Solved(cost);
        }
        let adds = self.add_neighbors(fine, &is_lost);
        let mut prices = Prices {
            fine: cost,
            bound: cost,
            adds_along: adds.clone(),
            left: adds.clone(),
            adds,
        };
        for attribute in 0..self.attributes {
            if self.boundaries.has_reaches(attribute) {
                self.add_along(fine, (attribute, decisions), &is_lost, &mut prices);
            }
        }
        match self.charge_small(fine, decisions, &small, &mut prices.left) {
            None => return Priced::TooMuch,
            Some(charged) => prices.bound = cost.saturating_add(charged),
        }
        match prices.bound >= limit {
            true => Priced::TooMuch,
            false => Priced::Open(prices),
        }
    }

    /// What removing each boundary adds, and no other.
    fn add_neighbors(&self, fine: &Fine, is_lost: &impl Fn(usize) -> bool) -> Vec<u64> {
        let mut adds = vec![0; self.boundaries.len()];
        let attributes = self.attributes.max(1);
        let sizes = &fine.classes.sizes;
        let blocks = fine.classes.blocks.chunks_exact(attributes);
        let classes = blocks.zip(fine.neighbors.chunks_exact(attributes));
        for (class, (blocks, neighbors)) in classes.enumerate() {
            let one = sizes[class];
            let (cost, is_lost) = (self.cost(one), is_lost(class));
            let sides = blocks.iter().zip(neighbors).zip(&fine.after);
            for ((&block, &neighbor), after) in sides {
                if neighbor != NONE && !is_lost {
                    let other = sizes[neighbor as usize];
                    adds[after[usize::from(block)]] +=
                        self.cost(one + other) - cost - self.cost(other);
                }
            }
        }
        adds
    }

    /// What removing each boundary of a guided attribute adds together with those that it takes along.
    fn add_along(
        &self,
        fine: &Fine,
        (attribute, decisions): (usize, &Decisions),
        is_lost: &impl Fn(usize) -> bool,
        prices: &mut Prices,
    ) {
        let after = &fine.after[attribute];
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
        // Classes that differ in this attribute only, one line after the other.
        let blocks = |class: usize| {
            let blocks = &fine.classes.blocks[class * self.attributes..][..self.attributes];
            (&blocks[..attribute], &blocks[attribute + 1..])
        };
        let count = fine.classes.sizes.len();
        let mut lines: Vec<usize> = (0..count).filter(|&it| !is_lost(it)).collect();
        lines.sort_unstable_by(|&one, &other| blocks(one).cmp(&blocks(other)));
        let mut sums = vec![(0, 0); after.len() + 2];
        for line in lines.chunk_by(|&one, &other| blocks(one) == blocks(other)) {
            if line.len() < 2 {
                continue;
            }
            sums.fill((0, 0));
            for &class in line {
                let size = fine.classes.sizes[class];
                let block = fine.classes.blocks[class * self.attributes + attribute];
                sums[usize::from(block) + 1] = (size, self.cost(size));
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
        fine: &Fine,
        decisions: &Decisions,
        small: &[usize],
        left: &mut [u64],
    ) -> Option<u64> {
        // By attribute, the boundaries around each block that are open.
        let sides: Vec<Vec<[u32; 2]>> = (fine.after.iter())
            .map(|after| {
                let open = |it: Option<&usize>| {
                    let open = it.filter(|&&it| decisions[it] == Boundary::Open);
                    open.map_or(NONE, |&it| it as u32)
                };
                (0..=after.len())
                    .map(|block| {
                        let before = block.checked_sub(1).and_then(|it| after.get(it));
                        [open(before), open(after.get(block))]
                    })
                    .collect()
            })
            .collect();
        let mut around: Vec<u32> = Vec::with_capacity(small.len() * self.attributes);
        let mut waiting = Vec::with_capacity(small.len());
        for &class in small {
            let start = around.len();
            let blocks = &fine.classes.blocks[class * self.attributes..][..self.attributes];
            for (&block, sides) in blocks.iter().zip(&sides) {
                let sides = sides[usize::from(block)];
                around.extend(sides.into_iter().filter(|&it| it != NONE));
            }
            let size = fine.classes.sizes[class];
            // More than may be suppressed at all is not.
            let suppressed = match size <= self.budget {
                true => (size * self.charge).saturating_sub(self.cost(size)),
                false => u64::MAX,
            };
            let least = around[start..].iter().map(|&it| left[it as usize]).min();
            let least = least.unwrap_or(u64::MAX).min(suppressed);
            if least == u64::MAX {
                return None;
            }
            // Classes with few boundaries around them first: they have least to choose from.
            waiting.push((
                ((around.len() - start) as u32, std::cmp::Reverse(least)),
                start as u32,
                suppressed,
            ));
        }
        waiting.sort_unstable_by_key(|&(first, start, _)| (first, start));
        let mut charged = 0_u64;
        for ((count, _), start, suppressed) in waiting {
            let around = &around[start as usize..][..count as usize];
            let least = around.iter().map(|&it| left[it as usize]).min();
            let least = least.unwrap_or(u64::MAX).min(suppressed);
            charged = charged.saturating_add(least);
            if least > 0 {
                for &boundary in around {
                    left[boundary as usize] -= least;
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
