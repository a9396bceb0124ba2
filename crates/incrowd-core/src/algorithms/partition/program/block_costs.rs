//! What blocks of one attribute cost, from lines of classes that agree in all other attributes.

use super::super::classes::{Classes, Entry};
use super::super::cost::{Contents, Cost, Judge, add_contents};
use super::Program;
use crate::counts::Work;
use crate::problem::Interruption;

/// What a block costs.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockCost {
    pub(super) cost: f64,
    pub(super) suppressed: u32,
}

impl BlockCost {
    /// What no block costs that may be.
    const NEVER: BlockCost = BlockCost {
        cost: f64::INFINITY,
        suppressed: 0,
    };
}

impl Program<'_> {
    pub(super) fn single(&self, value: u32) -> Result<BlockCost, Interruption> {
        let mut sum = Sum::default();
        self.meter.spend(Work::of(self.classes.len()))?;
        for line in self.lines.iter() {
            for entry in line.iter().filter(|entry| entry.block == value) {
                let tally = Tally::of(entry, self.classes);
                sum.add(&tally.judged(self.cost, self.judge));
            }
        }
        Ok(sum.block(self.cost, self.rows[value as usize]))
    }

    /// The cost of a whole partition, given as the block of each value, in which every block is a run.
    pub(super) fn whole(
        &self,
        block_of_value: &[u32],
        blocks: usize,
    ) -> Result<BlockCost, Interruption> {
        self.meter.spend(Work::of(self.classes.len() + blocks))?;
        let mut sums = vec![Sum::default(); blocks];
        for line in self.lines.iter() {
            let block = |entry: &Entry| block_of_value[entry.block as usize];
            for entries in line.chunk_by(|one, other| block(one) == block(other)) {
                let mut tally = Tally::default();
                for entry in entries {
                    tally.add(&Tally::of(entry, self.classes));
                }
                sums[block(&entries[0]) as usize].add(&tally.judged(self.cost, self.judge));
            }
        }
        let rows = self.rows_of_units(block_of_value, blocks);
        let costs = sums.iter().zip(rows);
        let costs = costs.map(|(sum, rows)| sum.block(self.cost, rows));
        let nothing = BlockCost {
            cost: 0.0,
            suppressed: 0,
        };
        Ok(costs.fold(nothing, |all, block| BlockCost {
            cost: all.cost + block.cost,
            suppressed: all.suppressed + block.suppressed,
        }))
    }

    pub(super) fn intervals(&self) -> Result<Intervals, Interruption> {
        let units: Vec<u32> = (0..self.rows.len() as u32).collect();
        self.intervals_of(&units, units.len())
    }

    /// The cost of every run of units; values that are in no unit are passed over.
    pub(super) fn intervals_of(
        &self,
        unit_of_value: &[u32],
        units: usize,
    ) -> Result<Intervals, Interruption> {
        // What a line adds to a run depends on the first and the last unit of the run that it has a class in. So
        // only the differences to the runs without the one, the other and both are noted there, and summed up.
        let mut sums = vec![Sum::default(); units * units];
        let mut present: Vec<(u32, Tally)> = Vec::new();
        let mut line_sums: Vec<Sum> = Vec::new();
        let mut places = vec![u32::MAX; units];
        self.meter.spend(Work::of(units * units))?;
        for line in self.lines.iter() {
            gather(line, unit_of_value, self.classes, &mut places, &mut present);
            present.sort_by_key(|(unit, _)| *unit);
            let count = present.len();
            self.meter.spend(Work::of(line.len()))?;
            line_sums.clear();
            line_sums.resize((count + 1) * (count + 1), Sum::default());
            // At (first + 1) and last, so that an empty run is 0.
            let at = |first: usize, last: usize| first * (count + 1) + last;
            for first in (0..count).rev() {
                self.meter.spend(Work::of(count - first))?;
                let mut tally = Tally::default();
                for last in first..count {
                    tally.add(&present[last].1);
                    let sum = tally.judged(self.cost, self.judge);
                    line_sums[at(first, last + 1)] = sum;
                    let mut change = sum;
                    change.subtract(&line_sums[at(first + 1, last + 1)]);
                    change.subtract(&line_sums[at(first, last)]);
                    change.add(&line_sums[at(first + 1, last)]);
                    let (from, to) = (present[first].0 as usize, present[last].0 as usize);
                    sums[from * units + to].add(&change);
                }
            }
        }
        let rows_of_units = self.rows_of_units(unit_of_value, units);
        let mut costs = vec![
            BlockCost {
                cost: 0.0,
                suppressed: 0
            };
            units * units
        ];
        for from in (0..units).rev() {
            let mut rows = 0;
            for to in from..units {
                let mut sum = sums[from * units + to];
                if from < to {
                    sum.add(&sums[(from + 1) * units + to]);
                    sum.add(&sums[from * units + to - 1]);
                    if from + 1 < to {
                        sum.subtract(&sums[(from + 1) * units + to - 1]);
                    }
                }
                sums[from * units + to] = sum;
                rows += rows_of_units[to];
                costs[from * units + to] = sum.block(self.cost, rows);
            }
            self.meter.spend(Work::of(units - from))?;
        }
        Ok(Intervals { units, costs })
    }
}

/// The classes of a line by unit. `places` says where each unit is while this goes on, and is left empty.
fn gather(
    line: &[Entry],
    unit_of_value: &[u32],
    classes: &Classes,
    places: &mut [u32],
    into: &mut Vec<(u32, Tally)>,
) {
    into.clear();
    for entry in line {
        let unit = unit_of_value[entry.block as usize];
        if unit == u32::MAX {
            continue;
        }
        let tally = Tally::of(entry, classes);
        let place = &mut places[unit as usize];
        match into.get_mut(*place as usize) {
            Some((_, known)) => known.add(&tally),
            None => {
                *place = into.len() as u32;
                into.push((unit, tally));
            }
        }
    }
    for (unit, _) in into {
        places[*unit as usize] = u32::MAX;
    }
}

/// A class being put together.
#[derive(Debug, Clone, Default)]
struct Tally {
    size: u32,
    fixed: f64,
    share: f64,
    contents: Option<Contents>,
}

impl Tally {
    fn of(entry: &Entry, classes: &Classes) -> Self {
        Tally {
            size: entry.size,
            fixed: entry.fixed,
            share: entry.share,
            contents: classes.contents(entry.class as usize).cloned(),
        }
    }

    #[inline]
    fn add(&mut self, other: &Tally) {
        self.size += other.size;
        self.fixed += other.fixed;
        self.share += other.share;
        match (&mut self.contents, &other.contents) {
            (Some(contents), Some(more)) => add_contents(contents, more),
            (none, more) => none.clone_from(more),
        }
    }

    /// What the class costs at least in a block of so many rows or more.
    #[inline]
    fn at_least(&self, program: &Program<'_>, rows: u32) -> f64 {
        match program.cost.reads_values() {
            true => self.fixed + self.share * f64::from(rows),
            false => program.at_least(self.size),
        }
    }

    #[inline]
    fn judged(&self, cost: &Cost, judge: &Judge<'_>) -> Sum {
        if !judge.is_safe(self.size, self.contents.as_ref()) {
            return Sum {
                suppressed: i64::from(self.size),
                ..Sum::default()
            };
        }
        let size = f64::from(self.size);
        Sum {
            fixed: if cost.reads_values() {
                self.fixed
            } else {
                size * size
            },
            share: self.share,
            suppressed: 0,
        }
    }
}

/// What judged classes come to, as long as the rows of their block are not known.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    fixed: f64,
    share: f64,
    suppressed: i64,
}

impl Sum {
    #[inline]
    fn add(&mut self, other: &Sum) {
        self.fixed += other.fixed;
        self.share += other.share;
        self.suppressed += other.suppressed;
    }

    #[inline]
    fn subtract(&mut self, other: &Sum) {
        self.fixed -= other.fixed;
        self.share -= other.share;
        self.suppressed -= other.suppressed;
    }

    #[inline]
    fn block(&self, cost: &Cost, rows: u32) -> BlockCost {
        let suppressed = self.suppressed as u32;
        BlockCost {
            cost: self.fixed + self.share * f64::from(rows) + f64::from(suppressed) * cost.charge,
            suppressed,
        }
    }
}

/// The cost of every run.
#[derive(Debug)]
pub(super) struct Intervals {
    units: usize,
    costs: Vec<BlockCost>,
}

impl Intervals {
    #[inline]
    pub(super) fn get(&self, first: u32, last: u32) -> BlockCost {
        self.costs[first as usize * self.units + last as usize]
    }
}

impl Program<'_> {
    /// The cost of every set of these units in which any two may be joined, by bits of the list; [`BlockCost::NEVER`] for
    /// others.
    pub(super) fn sets(
        &self,
        unit_of_value: &[u32],
        members: &[usize],
        mates: &[u64],
    ) -> Result<Vec<BlockCost>, Interruption> {
        self.meter.spend(Work::of(3 * self.classes.len()))?;
        let mut bit_of_unit = vec![u32::MAX; mates.len()];
        for (bit, &unit) in (0..).zip(members) {
            bit_of_unit[unit] = bit;
        }
        let bit_of_value: Vec<u32> = (unit_of_value.iter())
            .map(|&unit| bit_of_unit.get(unit as usize).copied().unwrap_or(u32::MAX))
            .collect();
        let mut rows = vec![0u32; members.len()];
        for (&bit, &more) in bit_of_value.iter().zip(self.rows) {
            if bit != u32::MAX {
                rows[bit as usize] += more;
            }
        }
        // The classes of each unit with the line they are in.
        let mut tallies: Vec<Vec<(u32, Tally)>> = vec![Vec::new(); members.len()];
        let mut lines = 0;
        let mut is_lost = Vec::new();
        for line in self.lines.iter() {
            let mut is_used = false;
            for entry in line {
                let bit = bit_of_value[entry.block as usize];
                if bit == u32::MAX {
                    continue;
                }
                is_used = true;
                let tally = Tally::of(entry, self.classes);
                match tallies[bit as usize].last_mut() {
                    Some((last, known)) if *last == lines => known.add(&tally),
                    _ => tallies[bit as usize].push((lines, tally)),
                }
            }
            if is_used {
                lines += 1;
                is_lost.push(self.is_lost(line));
            }
        }
        let mates: Vec<usize> = (members.iter())
            .map(|&unit| {
                let bits = (0..members.len()).filter(|&bit| mates[unit] >> members[bit] & 1 == 1);
                bits.fold(0, |all, bit| all | 1 << bit)
            })
            .collect();
        let growing = Growing {
            program: self,
            tallies: &tallies,
            rows: &rows,
            mates: &mates,
            is_lost: &is_lost,
            apart: &self.apart(&bit_of_value, members.len()),
            room: self.limit - self.least_alone(),
        };
        let mut costs = vec![BlockCost::NEVER; 1 << members.len()];
        for bit in 0..members.len() {
            let start = Grown {
                set: 0,
                rows: 0,
                apart: 0.0,
            };
            let sums = vec![Tally::default(); lines as usize];
            growing.grow(start, bit, sums, &mut costs)?;
        }
        Ok(costs)
    }
}

/// Sets being grown by one unit after the other.
struct Growing<'a> {
    program: &'a Program<'a>,
    tallies: &'a [Vec<(u32, Tally)>],
    rows: &'a [u32],
    mates: &'a [usize],
    /// Lines that cost the same whatever is joined.
    is_lost: &'a [bool],
    /// What the values of each unit cost at least when each is alone.
    apart: &'a [f64],
    /// How much more than that a partition may cost.
    room: f64,
}

/// A set so far.
#[derive(Clone, Copy)]
struct Grown {
    set: usize,
    rows: u32,
    apart: f64,
}

impl Growing<'_> {
    /// Adds a unit to a set whose classes are summed up by line, then every greater one; unless the set alone makes
    /// every partition cost too much.
    fn grow(
        &self,
        grown: Grown,
        bit: usize,
        mut sums: Vec<Tally>,
        costs: &mut [BlockCost],
    ) -> Result<(), Interruption> {
        self.program.meter.spend(Work::of(2 * sums.len()))?;
        let grown = Grown {
            set: grown.set | 1 << bit,
            rows: grown.rows + self.rows[bit],
            apart: grown.apart + self.apart[bit],
        };
        for (line, tally) in &self.tallies[bit] {
            sums[*line as usize].add(tally);
        }
        let program = self.program;
        let (mut sum, mut floor) = (Sum::default(), 0.0);
        for (tally, is_lost) in sums.iter().zip(self.is_lost) {
            if tally.size > 0 {
                sum.add(&tally.judged(program.cost, program.judge));
                if !is_lost {
                    floor += tally.at_least(program, grown.rows);
                }
            }
        }
        if floor - grown.apart >= self.room {
            return Ok(());
        }
        costs[grown.set] = sum.block(program.cost, grown.rows);
        for next in bit + 1..self.mates.len() {
            // Mates of all members so far.
            if grown.set & !self.mates[next] == 0 {
                self.grow(grown, next, sums.clone(), costs)?;
            }
        }
        Ok(())
    }
}
