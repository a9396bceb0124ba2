//! Which parts of a node may be joined in a partition that costs less than a limit, and what such sets cost.

use super::super::classes::Entry;
use super::Program;
use crate::counts::Work;
use crate::problem::Interruption;

/// What parts cost at least, alone and in pairs.
#[derive(Debug)]
struct Floors {
    /// What all values of a part cost at least when each is alone.
    apart: Vec<f64>,
    /// What a part costs at least as one block or within a greater one.
    together: Vec<f64>,
    /// What joining two parts adds to that, at least.
    added: Vec<f64>,
}

impl Program<'_> {
    /// What every partition costs at least.
    ///
    /// A line with too few rows is lost. In any other, a row costs what it costs with its value alone, and no less
    /// than in the smallest safe class. If the classes of a line that are too small do not make up a safe one
    /// together either, each of their rows is suppressed or joins a greater class of the line.
    pub(in super::super) fn floor(&self) -> f64 {
        let mut floor = 0.0;
        for line in self.lines.iter() {
            if self.is_lost(line) {
                floor += self.charged(line);
                continue;
            }
            let smallest = self.judge.smallest;
            let small: u32 = (line.iter().map(|entry| entry.size))
                .filter(|&size| size < smallest)
                .sum();
            let must_join = small < smallest;
            let large = line.iter().filter(|entry| entry.size >= smallest);
            let least_size = large.clone().map(|entry| entry.size).min().unwrap_or(0);
            let least_rows = large
                .map(|entry| self.rows[entry.block as usize])
                .min()
                .unwrap_or(0);
            for entry in line {
                let alone = self.alone(entry);
                floor += match must_join && entry.size < smallest {
                    false => alone,
                    true if self.cost.reads_values() => {
                        let joined = alone + entry.share * f64::from(least_rows);
                        joined.min(f64::from(entry.size) * self.cost.charge)
                    }
                    // A class of b rows that takes in t more costs at least 2bt more.
                    true => {
                        let joined = (2.0 * f64::from(least_size)).min(self.cost.charge);
                        alone.max(f64::from(entry.size) * joined)
                    }
                };
            }
        }
        floor
    }

    /// Pairs of units, by bits of the first, that may be in one block of a partition that costs less than the limit.
    pub(super) fn mates(
        &self,
        unit_of_value: &[u32],
        units: usize,
    ) -> Result<Vec<u64>, Interruption> {
        let all = (0..units).map(|unit| !(1 << unit) & (u64::MAX >> (64 - units)));
        if self.limit == f64::INFINITY {
            return Ok(all.collect());
        }
        let floors = self.floors(unit_of_value, units)?;
        // Values outside these units cost at least what they cost alone.
        let base = self.least_alone();
        let mates = (0..units)
            .map(|one| {
                let is_mate = |&other: &usize| {
                    let (low, high) = (one.min(other), one.max(other));
                    let pair = floors.together[one]
                        + floors.together[other]
                        + floors.added[low * units + high];
                    let least = base - floors.apart[one] - floors.apart[other] + pair;
                    one != other && least < self.limit
                };
                (0..units)
                    .filter(is_mate)
                    .fold(0u64, |mates, other| mates | 1 << other)
            })
            .collect();
        Ok(mates)
    }

    /// What all classes cost at least, every value alone.
    pub(super) fn least_alone(&self) -> f64 {
        let of_line = |line: &[Entry]| match self.is_lost(line) {
            true => self.charged(line),
            false => line.iter().map(|entry| self.alone(entry)).sum(),
        };
        self.lines.iter().map(of_line).sum()
    }

    /// What the values of each unit cost at least when each is alone, in lines that are not lost.
    pub(super) fn apart(&self, unit_of_value: &[u32], units: usize) -> Vec<f64> {
        let mut apart = vec![0.0; units];
        for line in self.lines.iter().filter(|line| !self.is_lost(line)) {
            for entry in line {
                let unit = unit_of_value[entry.block as usize];
                if unit != u32::MAX {
                    apart[unit as usize] += self.alone(entry);
                }
            }
        }
        apart
    }

    fn floors(&self, unit_of_value: &[u32], units: usize) -> Result<Floors, Interruption> {
        let mut floors = Floors {
            apart: vec![0.0; units],
            together: vec![0.0; units],
            added: vec![0.0; units * units],
        };
        let rows = self.rows_of_units(unit_of_value, units);
        let mut present: Vec<(usize, u32, f64, f64)> = Vec::new();
        let mut shares = vec![0.0; units];
        for line in self.lines.iter() {
            present.clear();
            let is_lost = self.is_lost(line);
            for entry in line {
                let unit = unit_of_value[entry.block as usize];
                if unit == u32::MAX {
                    continue;
                }
                let unit = unit as usize;
                if is_lost {
                    let charged = f64::from(entry.size) * self.cost.charge;
                    floors.apart[unit] += charged;
                    floors.together[unit] += charged;
                    continue;
                }
                floors.apart[unit] += self.alone(entry);
                match present.iter_mut().find(|(other, ..)| *other == unit) {
                    Some((_, size, fixed, share)) => {
                        *size += entry.size;
                        *fixed += entry.fixed;
                        *share += entry.share;
                    }
                    None => present.push((unit, entry.size, entry.fixed, entry.share)),
                }
            }
            // There are at most 64 units here.
            self.meter
                .spend(Work::of(line.len() + present.len() * present.len() / 2))?;
            for (at, &(unit, size, fixed, share)) in present.iter().enumerate() {
                if self.cost.reads_values() {
                    floors.together[unit] += fixed + share * f64::from(rows[unit]);
                    shares[unit] += share;
                    continue;
                }
                floors.together[unit] += self.at_least(size);
                for &(other, more, ..) in &present[at + 1..] {
                    let (low, high) = (unit.min(other), unit.max(other));
                    let added =
                        self.at_least(size + more) - self.at_least(size) - self.at_least(more);
                    // Two small classes may become one that is safe for the price of the smallest.
                    floors.added[low * units + high] += added;
                }
            }
        }
        if self.cost.reads_values() {
            for low in 0..units {
                for high in low + 1..units {
                    floors.added[low * units + high] =
                        shares[low] * f64::from(rows[high]) + shares[high] * f64::from(rows[low]);
                }
            }
        }
        Ok(floors)
    }

    pub(super) fn rows_of_units(&self, unit_of_value: &[u32], units: usize) -> Vec<u32> {
        let mut rows_of_units = vec![0u32; units];
        for (&unit, &rows) in unit_of_value.iter().zip(self.rows) {
            if unit != u32::MAX {
                rows_of_units[unit as usize] += rows;
            }
        }
        rows_of_units
    }

    /// No block can make a class of this line safe.
    pub(super) fn is_lost(&self, line: &[Entry]) -> bool {
        let rows: u32 = line.iter().map(|entry| entry.size).sum();
        rows < self.judge.smallest
    }

    fn charged(&self, line: &[Entry]) -> f64 {
        let rows: u32 = line.iter().map(|entry| entry.size).sum();
        f64::from(rows) * self.cost.charge
    }

    /// What a class costs at least, its value alone or not.
    fn alone(&self, entry: &Entry) -> f64 {
        match self.cost.reads_values() {
            true => entry.fixed + entry.share * f64::from(self.rows[entry.block as usize]),
            false => self.at_least(entry.size),
        }
    }

    pub(super) fn at_least(&self, size: u32) -> f64 {
        let smallest = self.judge.smallest.min(self.cost.rows);
        f64::from(size) * f64::from(size.max(smallest))
    }
}

/// Parts that may be joined, directly or through others.
pub(super) fn components(mates: &[u64]) -> Vec<Vec<usize>> {
    let mut is_taken = vec![false; mates.len()];
    let mut found = Vec::new();
    for start in 0..mates.len() {
        if is_taken[start] {
            continue;
        }
        is_taken[start] = true;
        let (mut component, mut next) = (vec![start], 0);
        while next < component.len() {
            let reached = mates[component[next]];
            for (other, is_taken) in is_taken.iter_mut().enumerate() {
                if reached >> other & 1 == 1 && !*is_taken {
                    *is_taken = true;
                    component.push(other);
                }
            }
            next += 1;
        }
        component.sort_unstable();
        found.push(component);
    }
    found
}
