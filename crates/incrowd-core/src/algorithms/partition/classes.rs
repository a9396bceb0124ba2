//! The classes of one partition per attribute, merged from those of a finer one.
//!
//! A class is a block of every attribute. Merging never reads the table again: sizes and the components of the costs
//! add up.

use super::blocks::Partition;
use super::contents::{AllContents, Contents};
use super::cost::{Cost, Judge};
use super::scheme::Space;
use super::values::Values;
use crate::Error;
use crate::counts::{CountedTable, Work};
use crate::problem::Meter;
use hashbrown::HashMap;

/// Classes with everything that costs and models need.
#[derive(Debug, Clone)]
pub(super) struct Classes {
    attributes: usize,
    /// The number of blocks of each attribute.
    blocks: Vec<u32>,
    /// The block of each attribute, class by class.
    places: Vec<u32>,
    pub(super) sizes: Vec<u32>,
    /// For HDM, class by class and attribute by attribute, the shares of the rows' values, weighted.
    shares: Vec<f64>,
    /// For HDM, what the rows would pay for their own raw values, which they need not.
    own: Vec<f64>,
    /// What models read of them, if sizes alone do not decide.
    contents: Option<AllContents>,
}

impl Classes {
    /// The classes of raw values (or steps), each alone.
    pub(super) fn new(
        table: &CountedTable,
        (values, spaces): (&[Values], &[Space]),
        cost: &Cost,
        judge: &Judge<'_>,
        meter: &Meter<'_>,
    ) -> Result<Self, Error> {
        let attributes = spaces.len();
        let blocks: Vec<u32> = spaces.iter().map(|space| space.values() as u32).collect();
        let combinations = (blocks.iter()).try_fold(1u128, |all, &blocks| {
            all.checked_mul(u128::from(blocks.max(1)))
        });
        if combinations.is_none() {
            return Err(Error::PartitionTooWide);
        }
        let positions: Vec<Vec<u32>> = (spaces.iter())
            .map(|space| {
                let mut positions = vec![0; space.values()];
                for (&value, position) in space.order.iter().zip(0..) {
                    positions[value as usize] = position;
                }
                positions
            })
            .collect();
        let histograms: Vec<_> = (judge.columns.iter())
            .map(|&column| table.tuples.histograms(column))
            .collect();
        let tuples = table.tuples.len();
        let mut raw = Classes {
            attributes,
            blocks,
            places: Vec::with_capacity(tuples * attributes),
            sizes: table.tuples.sizes().to_vec(),
            shares: Vec::new(),
            own: Vec::new(),
            contents: judge.no_contents(),
        };
        let spend = |work| {
            let spent = meter.spend(work);
            spent.map_err(|interruption| interruption.with_nothing_found(0, meter.spent()))
        };
        for tuple in 0..tuples {
            spend(Work::of(attributes))?;
            let size = f64::from(raw.sizes[tuple]);
            let mut own = 0.0;
            for attribute in 0..attributes {
                let leaf = table.leaf(tuple, attribute);
                let value = values[attribute].values_of_leaves[leaf.index()];
                let value = value.expect("a leaf that a row has is a value") as usize;
                raw.places.push(positions[attribute][value]);
                if cost.reads_values() {
                    // By the raw value also where it is in a step: what is in one step is published alike and pays.
                    let same = table.attributes[attribute].rows_of_groups[0][leaf.index()];
                    let share = cost.weights[attribute] * size * cost.share(same);
                    raw.shares.push(share);
                    own += share * f64::from(same);
                }
            }
            if cost.reads_values() {
                raw.own.push(own);
            }
            if let Some(contents) = &mut raw.contents {
                contents.push_tuple(&histograms, tuple);
            }
        }
        // People whom no row is about are classes without rows, which cost nothing and join others as any class does.
        let population = table.population.as_deref().filter(|_| judge.reads_people);
        for tuple in 0..population.map_or(0, |population| population.tuples.len()) {
            spend(Work::of(attributes))?;
            let Some(population) = population else { break };
            for attribute in 0..attributes {
                let leaf = population.leaf(tuple, attribute);
                let value = values[attribute].values_of_leaves[leaf.index()];
                let value = value.expect("a leaf that somebody has is a value") as usize;
                raw.places.push(positions[attribute][value]);
            }
            raw.sizes.push(0);
            if cost.reads_values() {
                raw.shares.extend(std::iter::repeat_n(0.0, attributes));
                raw.own.push(0.0);
            }
            let people = population.tuples.sizes()[tuple];
            if let Some(contents) = &mut raw.contents {
                contents.push_people(people);
            }
        }
        // Steps put several raw tuples into one class.
        let finest: Vec<Partition> = spaces
            .iter()
            .map(|space| Partition::finest(space.values()))
            .collect();
        let same: Vec<(usize, &Partition)> = finest.iter().enumerate().collect();
        spend(raw.work())?;
        Ok(raw.merged(&same))
    }

    pub(super) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// The work of going through all classes once.
    pub(super) fn work(&self) -> Work {
        Work::of(2 * self.sizes.len() + self.places.len() / 4 + self.shares.len() / 4)
    }

    /// Bytes held, roughly.
    pub(super) fn memory(&self) -> usize {
        4 * self.places.len()
            + 4 * self.sizes.len()
            + 8 * self.shares.len()
            + 8 * self.own.len()
            + self.contents.as_ref().map_or(0, AllContents::memory)
    }

    pub(super) fn place(&self, class: usize, attribute: usize) -> u32 {
        self.places[class * self.attributes + attribute]
    }

    #[inline]
    pub(super) fn contents(&self, class: usize) -> Option<Contents<'_>> {
        self.contents.as_ref().map(|contents| contents.of(class))
    }

    pub(super) fn all_contents(&self) -> Option<&AllContents> {
        self.contents.as_ref()
    }

    pub(super) fn blocks(&self, attribute: usize) -> usize {
        self.blocks[attribute] as usize
    }

    /// The classes when attributes' blocks are merged: for each attribute given, the new block of each block.
    pub(super) fn merged(&self, changes: &[(usize, &Partition)]) -> Classes {
        let mut blocks = self.blocks.clone();
        for (attribute, change) in changes {
            blocks[*attribute] = change.blocks() as u32;
        }
        let mut merged = Classes {
            attributes: self.attributes,
            places: Vec::new(),
            sizes: Vec::new(),
            shares: Vec::new(),
            own: Vec::new(),
            contents: None,
            blocks,
        };
        let mut numbers = Numbers::new(&merged.blocks, self.len());
        let mut place = vec![0u32; self.attributes];
        let mut number_of = Vec::new();
        for class in 0..self.len() {
            place.copy_from_slice(&self.places[class * self.attributes..][..self.attributes]);
            for (attribute, change) in changes {
                let block = &mut place[*attribute];
                *block = change.of_values()[*block as usize];
            }
            let number = numbers.number(&place, &merged.blocks) as usize;
            if self.contents.is_some() {
                number_of.push(number as u32);
            }
            if number == merged.sizes.len() {
                merged.places.extend_from_slice(&place);
                merged.sizes.push(self.sizes[class]);
                if !self.own.is_empty() {
                    let shares = &self.shares[class * self.attributes..][..self.attributes];
                    merged.shares.extend_from_slice(shares);
                    merged.own.push(self.own[class]);
                }
                continue;
            }
            merged.sizes[number] += self.sizes[class];
            if !self.own.is_empty() {
                let from = &self.shares[class * self.attributes..][..self.attributes];
                let to = &mut merged.shares[number * self.attributes..][..self.attributes];
                for (to, from) in to.iter_mut().zip(from) {
                    *to += from;
                }
                merged.own[number] += self.own[class];
            }
        }
        merged.contents = (self.contents.as_ref())
            .map(|contents| contents.merged(Members::of(&number_of, merged.len()).iter()));
        merged
    }

    /// The classes that contain these after attributes' blocks are merged: for each attribute the new block of each
    /// block.
    pub(super) fn within(&self, coarser: &[Vec<u32>], blocks: &[u32], smallest: u32) -> Wider {
        let mut numbers = Numbers::new(blocks, self.len());
        let mut place = vec![0u32; self.attributes];
        let mut wider: Vec<Within> = Vec::new();
        let number_of: Vec<u32> = (0..self.len())
            .map(|class| {
                let places = &self.places[class * self.attributes..][..self.attributes];
                for ((to, from), coarser) in place.iter_mut().zip(places).zip(coarser) {
                    *to = coarser[*from as usize];
                }
                let number = numbers.number(&place, blocks);
                if number as usize == wider.len() {
                    wider.push(Within {
                        size: 0,
                        small: 0,
                        least_large: u32::MAX,
                    });
                }
                let (within, size) = (&mut wider[number as usize], self.sizes[class]);
                within.size += size;
                if size < smallest {
                    within.small += size;
                } else {
                    within.least_large = within.least_large.min(size);
                }
                number
            })
            .collect();
        Wider {
            number_of,
            classes: wider,
        }
    }

    /// What a class costs when it is published; `rows` of each block of each attribute.
    #[inline]
    pub(super) fn published(&self, cost: &Cost, rows: &[Vec<u32>], class: usize) -> f64 {
        let size = f64::from(self.sizes[class]);
        if !cost.reads_values() {
            return size * size;
        }
        self.merged_with(rows, class, usize::MAX) - self.own[class]
    }

    /// The part of the cost that attributes other than `left_out` make, the own values not taken off.
    #[inline]
    fn merged_with(&self, rows: &[Vec<u32>], class: usize, left_out: usize) -> f64 {
        let start = class * self.attributes;
        let mut sum = 0.0;
        for (attribute, rows) in rows
            .iter()
            .enumerate()
            .filter(|(attribute, _)| *attribute != left_out)
        {
            let block = self.places[start + attribute] as usize;
            sum += self.shares[start + attribute] * f64::from(rows[block]);
        }
        sum
    }

    /// The cost of all classes, and the rows suppressed.
    pub(super) fn cost(&self, cost: &Cost, judge: &Judge<'_>, rows: &[Vec<u32>]) -> (f64, u32) {
        let (mut sum, mut suppressed) = (0.0, 0);
        for class in 0..self.len() {
            if judge.is_safe(self.sizes[class], self.contents(class)) {
                sum += self.published(cost, rows, class);
            } else {
                suppressed += self.sizes[class];
            }
        }
        (sum + f64::from(suppressed) * cost.charge, suppressed)
    }

    /// The classes as the blocks of one attribute see them: those that agree in all other attributes are a line.
    pub(super) fn lines(&self, cost: &Cost, rows: &[Vec<u32>], attribute: usize) -> Lines {
        let blocks = self.blocks(attribute);
        let mut others = self.blocks.clone();
        others[attribute] = 1;
        let mut numbers = Numbers::new(&others, self.len());
        let mut place = vec![0u32; self.attributes];
        let line_of: Vec<u32> = (0..self.len())
            .map(|class| {
                place.copy_from_slice(&self.places[class * self.attributes..][..self.attributes]);
                place[attribute] = 0;
                numbers.number(&place, &others)
            })
            .collect();
        // By block, then by line, so that the blocks of a line ascend.
        let by_block = counting_sort(
            (0..self.len()).map(|class| self.place(class, attribute)),
            blocks,
        );
        let count = numbers.count as usize;
        let by_line = counting_sort(by_block.iter().map(|&class| line_of[class as usize]), count);
        let mut lines = Lines {
            entries: Vec::with_capacity(self.len()),
            ends: Vec::with_capacity(count),
        };
        let mut previous = None;
        for at in by_line {
            let class = by_block[at as usize] as usize;
            let line = line_of[class];
            if previous.is_some_and(|previous| previous != line) {
                lines.ends.push(lines.entries.len());
            }
            previous = Some(line);
            let (fixed, share) = match cost.reads_values() {
                true => (
                    self.merged_with(rows, class, attribute) - self.own[class],
                    self.shares[class * self.attributes + attribute],
                ),
                false => (0.0, 0.0),
            };
            lines.entries.push(Entry {
                block: self.place(class, attribute),
                size: self.sizes[class],
                fixed,
                share,
                class: class as u32,
            });
        }
        lines.ends.push(lines.entries.len());
        lines
    }
}

/// A class of coarser partitions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Within {
    /// Its rows.
    pub(super) size: u32,
    /// Those in classes that are too small by themselves.
    pub(super) small: u32,
    /// The smallest of its classes that is large enough.
    pub(super) least_large: u32,
}

/// Classes of coarser partitions.
#[derive(Debug)]
pub(super) struct Wider {
    pub(super) classes: Vec<Within>,
    /// For each class the one that contains it.
    number_of: Vec<u32>,
}

/// Classes listed by the one that contains them.
#[derive(Debug)]
pub(super) struct Members {
    classes: Vec<u32>,
    ends: Vec<usize>,
}

impl Members {
    /// From the number, among so many, of the one that contains each.
    fn of(number_of: &[u32], count: usize) -> Self {
        let mut ends = vec![0; count];
        for &number in number_of {
            ends[number as usize] += 1;
        }
        let mut end = 0;
        for count in &mut ends {
            end += *count;
            *count = end;
        }
        Members {
            classes: counting_sort(number_of.iter().copied(), count),
            ends,
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.classes[start..end])
    }
}

impl Wider {
    /// The class that contains one.
    pub(super) fn of(&self, class: usize) -> Within {
        self.classes[self.number_of[class] as usize]
    }

    /// For each of these classes those that it contains.
    pub(super) fn members(&self) -> Members {
        Members::of(&self.number_of, self.classes.len())
    }
}

/// The items stably sorted by key.
fn counting_sort(keys: impl Iterator<Item = u32> + Clone, most: usize) -> Vec<u32> {
    let mut starts = vec![0u32; most + 1];
    let mut count = 0;
    for key in keys.clone() {
        starts[key as usize + 1] += 1;
        count += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut sorted = vec![0; count];
    for (item, key) in (0..).zip(keys) {
        let start = &mut starts[key as usize];
        sorted[*start as usize] = item;
        *start += 1;
    }
    sorted
}

/// Classes that agree in all but one attribute, line by line.
#[derive(Debug)]
pub(super) struct Lines {
    entries: Vec<Entry>,
    ends: Vec<usize>,
}

/// A class of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Its block; ascending within a line.
    pub(super) block: u32,
    pub(super) size: u32,
    /// What it pays whatever its block is merged with.
    pub(super) fixed: f64,
    /// What it pays for each row of its block.
    pub(super) share: f64,
    pub(super) class: u32,
}

impl Lines {
    pub(super) fn iter(&self) -> impl Iterator<Item = &[Entry]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.entries[start..end])
    }
}

/// Numbers combinations of blocks in order of appearance: in a table if that is small, otherwise by hash. The result is
/// the same.
enum Finding {
    Table(Vec<u32>),
    Hash(HashMap<u128, u32>),
}

struct Numbers {
    finding: Finding,
    count: u32,
}

impl Numbers {
    fn new(blocks: &[u32], expected: usize) -> Self {
        let combinations = blocks
            .iter()
            .map(|&blocks| u128::from(blocks.max(1)))
            .product::<u128>();
        let finding = if combinations <= 1024.max(8 * expected as u128) {
            Finding::Table(vec![u32::MAX; combinations as usize])
        } else {
            Finding::Hash(HashMap::with_capacity(expected.min(1 << 16)))
        };
        Numbers { finding, count: 0 }
    }

    #[inline]
    fn number(&mut self, place: &[u32], blocks: &[u32]) -> u32 {
        let pairs = place.iter().zip(blocks);
        let slot = match &mut self.finding {
            Finding::Table(table) => {
                let at = pairs.fold(0usize, |at, (&block, &blocks)| {
                    at * blocks as usize + block as usize
                });
                &mut table[at]
            }
            Finding::Hash(hash) => {
                let at = pairs.fold(0u128, |at, (&block, &blocks)| {
                    at * u128::from(blocks) + u128::from(block)
                });
                hash.entry(at).or_insert(u32::MAX)
            }
        };
        if *slot == u32::MAX {
            *slot = self.count;
            self.count += 1;
        }
        *slot
    }
}
