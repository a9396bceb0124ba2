//! What blocks of one attribute cost, from lines of classes that agree in all other attributes.

use super::super::classes::{Classes, Entry};
use super::super::contents::{AllContents, Contents, Merged};
use super::super::cost::Cost;
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
                let contents = self.classes.contents(entry.class as usize);
                let is_safe = self.judge.is_safe(entry.size, contents);
                sum.add(&Tally::of(entry).judged(self.cost, is_safe));
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
        let mut gathered = Gathered::of_none(self.classes);
        for line in self.lines.iter() {
            gathered.fill(line, block_of_value, self.classes);
            for (at, &(block, tally)) in gathered.units.iter().enumerate() {
                let is_safe = self.judge.is_safe(tally.size, gathered.contents(at));
                sums[block as usize].add(&tally.judged(self.cost, is_safe));
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
        let mut present = Gathered::of_none(self.classes);
        let mut room = Merged::default();
        let mut line_sums: Vec<Sum> = Vec::new();
        self.meter.spend(Work::of(units * units))?;
        for line in self.lines.iter() {
            present.fill(line, unit_of_value, self.classes);
            let count = present.units.len();
            self.meter.spend(Work::of(line.len()))?;
            line_sums.clear();
            line_sums.resize((count + 1) * (count + 1), Sum::default());
            // At (first + 1) and last, so that an empty run is 0.
            let at = |first: usize, last: usize| first * (count + 1) + last;
            // Where promises stay kept, runs that go on to here, or further, keep them.
            let mut safe_to = count;
            for first in (0..count).rev() {
                self.meter.spend(Work::of(count - first))?;
                let mut tally = Tally::default();
                room.clear();
                for last in first..count {
                    tally.add(present.units[last].1);
                    let is_safe = last >= safe_to || {
                        let contents = present.contents(last).map(|contents| {
                            room.add(contents);
                            room.all()
                        });
                        self.judge.is_safe(tally.size, contents)
                    };
                    if is_safe && self.judge.stays_safe {
                        safe_to = safe_to.min(last);
                    }
                    let sum = tally.judged(self.cost, is_safe);
                    line_sums[at(first, last + 1)] = sum;
                    let mut change = sum;
                    change.subtract(&line_sums[at(first + 1, last + 1)]);
                    change.subtract(&line_sums[at(first, last)]);
                    change.add(&line_sums[at(first + 1, last)]);
                    let (from, to) = (present.units[first].0, present.units[last].0);
                    sums[from as usize * units + to as usize].add(&change);
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

/// The classes of a line, those of the same unit put together.
struct Gathered {
    /// Each unit that the line has classes in, ascending, with what they come to.
    units: Vec<(u32, Tally)>,
    /// What models read of them, if sizes alone do not decide.
    contents: Option<AllContents>,
    /// The classes by unit.
    entries: Vec<(u32, Entry)>,
    room: Merged,
}

impl Gathered {
    fn of_none(classes: &Classes) -> Self {
        Gathered {
            units: Vec::new(),
            contents: classes.all_contents().map(AllContents::none_like_it),
            entries: Vec::new(),
            room: Merged::default(),
        }
    }

    /// Takes another line. Classes in no unit are passed over.
    fn fill(&mut self, line: &[Entry], unit_of_value: &[u32], classes: &Classes) {
        self.entries.clear();
        let units = line.iter().map(|entry| unit_of_value[entry.block as usize]);
        let entries = units.zip(line.iter().copied());
        self.entries
            .extend(entries.filter(|&(unit, _)| unit != u32::MAX));
        self.entries.sort_by_key(|&(unit, _)| unit);
        self.units.clear();
        if let Some(contents) = &mut self.contents {
            contents.clear();
        }
        for of_unit in self.entries.chunk_by(|one, other| one.0 == other.0) {
            let mut tally = Tally::default();
            for (_, entry) in of_unit {
                tally.add(Tally::of(entry));
            }
            self.units.push((of_unit[0].0, tally));
            if let (Some(contents), Some(all)) = (&mut self.contents, classes.all_contents()) {
                let of_classes = of_unit
                    .iter()
                    .map(|(_, entry)| all.of(entry.class as usize));
                contents.push_together(of_classes, &mut self.room);
            }
        }
    }

    #[inline]
    fn contents(&self, at: usize) -> Option<Contents<'_>> {
        self.contents.as_ref().map(|contents| contents.of(at))
    }
}

/// A class being put together.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    size: u32,
    fixed: f64,
    share: f64,
}

impl Tally {
    fn of(entry: &Entry) -> Self {
        Tally {
            size: entry.size,
            fixed: entry.fixed,
            share: entry.share,
        }
    }

    #[inline]
    fn add(&mut self, other: Tally) {
        self.size += other.size;
        self.fixed += other.fixed;
        self.share += other.share;
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
    fn judged(&self, cost: &Cost, is_safe: bool) -> Sum {
        if !is_safe {
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
        let none = || LineTallies::of_none(self.classes);
        let mut tallies: Vec<LineTallies> = members.iter().map(|_| none()).collect();
        let mut lines = 0;
        let mut is_lost = Vec::new();
        let mut gathered = Gathered::of_none(self.classes);
        for line in self.lines.iter() {
            gathered.fill(line, &bit_of_value, self.classes);
            for (at, &(bit, tally)) in gathered.units.iter().enumerate() {
                tallies[bit as usize].push(lines, tally, gathered.contents(at));
            }
            if !gathered.units.is_empty() {
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
        let mut room = Merged::default();
        for bit in 0..members.len() {
            let start = Grown {
                set: 0,
                rows: 0,
                apart: 0.0,
            };
            growing.grow(start, bit, &none(), (&mut costs, &mut room))?;
        }
        Ok(costs)
    }
}

/// Sets being grown by one unit after the other.
struct Growing<'a> {
    program: &'a Program<'a>,
    /// The classes of each unit.
    tallies: &'a [LineTallies],
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
        sums: &LineTallies,
        (costs, room): (&mut [BlockCost], &mut Merged),
    ) -> Result<(), Interruption> {
        let program = self.program;
        program.meter.spend(Work::of(2 * self.is_lost.len()))?;
        let grown = Grown {
            set: grown.set | 1 << bit,
            rows: grown.rows + self.rows[bit],
            apart: grown.apart + self.apart[bit],
        };
        let sums = sums.with(&self.tallies[bit], room);
        let (mut sum, mut floor) = (Sum::default(), 0.0);
        for (at, &(line, tally)) in sums.lines.iter().enumerate() {
            let is_safe = program.judge.is_safe(tally.size, sums.contents(at));
            sum.add(&tally.judged(program.cost, is_safe));
            if !self.is_lost[line as usize] {
                floor += tally.at_least(program, grown.rows);
            }
        }
        if floor - grown.apart >= self.room {
            return Ok(());
        }
        costs[grown.set] = sum.block(program.cost, grown.rows);
        for next in bit + 1..self.mates.len() {
            // Mates of all members so far.
            if grown.set & !self.mates[next] == 0 {
                self.grow(grown, next, &sums, (&mut *costs, &mut *room))?;
            }
        }
        Ok(())
    }
}

/// Classes by the line they are in, one each.
struct LineTallies {
    /// The lines ascend.
    lines: Vec<(u32, Tally)>,
    /// What models read of them, if sizes alone do not decide.
    contents: Option<AllContents>,
}

impl LineTallies {
    fn of_none(classes: &Classes) -> Self {
        LineTallies {
            lines: Vec::new(),
            contents: classes.all_contents().map(AllContents::none_like_it),
        }
    }

    /// Adds a class, in a line after those before.
    fn push(&mut self, line: u32, tally: Tally, contents: Option<Contents<'_>>) {
        self.lines.push((line, tally));
        if let (Some(all), Some(contents)) = (&mut self.contents, contents) {
            all.push(contents);
        }
    }

    fn contents(&self, at: usize) -> Option<Contents<'_>> {
        self.contents.as_ref().map(|contents| contents.of(at))
    }

    /// The classes of both, those of the same line put together.
    fn with(&self, other: &LineTallies, room: &mut Merged) -> LineTallies {
        let mut both = LineTallies {
            lines: Vec::with_capacity(self.lines.len().max(other.lines.len())),
            contents: self.contents.as_ref().map(AllContents::none_like_it),
        };
        let mut sides = [(self, 0), (other, 0)];
        loop {
            let next =
                |(side, at): (&LineTallies, usize)| side.lines.get(at).map(|&(line, _)| line);
            let Some(line) = sides.into_iter().filter_map(next).min() else {
                return both;
            };
            let mut tally = Tally::default();
            room.clear();
            for side in &mut sides {
                if next(*side) == Some(line) {
                    let (of, at) = *side;
                    tally.add(of.lines[at].1);
                    of.contents(at).into_iter().for_each(|more| room.add(more));
                    side.1 += 1;
                }
            }
            both.push(line, tally, Some(room.all()));
        }
    }
}
