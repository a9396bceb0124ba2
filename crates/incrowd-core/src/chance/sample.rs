//! The chance by trial: rows are drawn, and one looks whether any combination has too few.
//!
//! Not row by row: how many of n rows have the first value of a column is one binomial number, how many of the rest have the
//! second is another, and so on down the columns. Whatever has 1 to k - 1 rows, be it a combination or a value, ends
//! the trial, and the rarest values come first; a hopeless table is recognized after a few draws. Combinations that are all
//! equally likely are halved down to blocks, see `Trial::block`, or to where failures are so rare that one can be drawn
//! directly, see `Trial::seldom`. The numbers of rows have exactly the distribution that
//! drawing row by row would give them, as far as fractions of 53 bits allow.

use super::binomial::{binomial, fraction, weights_below};
use super::combinations::Combinations;
use super::poisson::ln_weight;
use crate::draw::Draw;

/// Equally likely combinations that are drawn at once.
const BLOCK: u128 = 4096;

/// Up to so many rows, they are drawn one by one whatever the number of combinations.
const FEW_ROWS: u64 = 4096;

/// Failures are drawn directly if they are at most this likely, by the union bound,
const SELDOM: f64 = 0.25;

/// and, beyond a block, if looking closer is expected to take at most so many steps.
const FEW_STEPS: f64 = 16.0;

/// Steps between two calls of `check`.
const BETWEEN_CHECKS: u64 = 1 << 16;

/// Tries whether rows drawn at random have every combination at least k times, or not at all.
#[derive(Debug)]
pub struct Sampler {
    k: u64,
    rows: u64,
    even: u128,
    columns: Vec<UnevenColumn>,
}

/// A column whose values are not equally likely.
#[derive(Debug)]
struct UnevenColumn {
    /// The share of each value among those from it on; the rarest first.
    of_the_rest: Vec<f64>,
    /// The share of each value with all before it.
    cumulated: Vec<f64>,
}

/// The result of one trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tried {
    /// Whether every combination that occurs occurs at least k times.
    pub is_reached: bool,
    /// The work it took, in draws; the same on every machine.
    pub steps: u64,
}

impl Sampler {
    /// For tables of so many rows.
    pub fn new(combinations: &Combinations, k: u32, rows: u64) -> Self {
        let column = |shares: &Vec<f64>| {
            let mut rest: Vec<f64> = shares.clone();
            for at in (1..rest.len()).rev() {
                rest[at - 1] += rest[at];
            }
            let cumulated = shares.iter().scan(0.0, |sum, share| {
                *sum += share;
                Some(*sum)
            });
            UnevenColumn {
                of_the_rest: (shares.iter().zip(&rest))
                    .map(|(share, rest)| share / rest)
                    .collect(),
                cumulated: cumulated.collect(),
            }
        };
        Sampler {
            k: k.into(),
            rows,
            even: combinations.even,
            columns: combinations.uneven.iter().map(column).collect(),
        }
    }

    /// Draws one table. The same for the same seed and number, whichever trials are made besides.
    ///
    /// `check` is called now and then; its error ends the trial.
    pub fn try_once<E>(
        &self,
        seed: u64,
        number: u64,
        check: &dyn Fn() -> Result<(), E>,
    ) -> Result<Tried, E> {
        let first = Draw::new(seed).next_number() ^ number;
        let mut trial = Trial {
            sampler: self,
            draw: Draw::new(Draw::new(first).next_number()),
            steps: 0,
            next_check: BETWEEN_CHECKS,
            check,
        };
        let is_reached = trial.column(self.rows, 0)?;
        let steps = trial.steps;
        Ok(Tried { is_reached, steps })
    }
}

/// A trial under way.
struct Trial<'a, E> {
    sampler: &'a Sampler,
    draw: Draw,
    steps: u64,
    next_check: u64,
    check: &'a dyn Fn() -> Result<(), E>,
}

impl<E> Trial<'_, E> {
    fn work(&mut self, steps: u64) -> Result<(), E> {
        self.steps += steps;
        if self.steps >= self.next_check {
            self.next_check = self.steps + BETWEEN_CHECKS;
            (self.check)()?;
        }
        Ok(())
    }

    /// Whether so many rows fit, for whatever they have in common.
    fn is_hopeless(&self, rows: u64) -> bool {
        rows > 0 && rows < self.sampler.k
    }

    /// Whether the combinations of the columns from here on all fit.
    fn column(&mut self, rows: u64, at: usize) -> Result<bool, E> {
        if rows == 0 {
            return Ok(true);
        }
        if self.is_hopeless(rows) {
            return Ok(false);
        }
        let sampler = self.sampler;
        let Some(column) = sampler.columns.get(at) else {
            return self.even(rows, sampler.even);
        };
        let values = column.of_the_rest.len();
        let by_value = match rows < values as u64 / 8 {
            true => self.drawn_by_row(rows, |draw| {
                let at = fraction(draw);
                column
                    .cumulated
                    .partition_point(|&until| until <= at)
                    .min(values - 1)
            })?,
            false => {
                let (mut counts, mut left) = (Vec::new(), rows);
                for &share in &column.of_the_rest {
                    self.work(4)?;
                    let found = binomial(&mut self.draw, left, share);
                    if self.is_hopeless(found) {
                        return Ok(false);
                    }
                    left -= found;
                    counts.push(found);
                    if left == 0 {
                        break;
                    }
                }
                counts
            }
        };
        if by_value.iter().any(|&rows| self.is_hopeless(rows)) {
            return Ok(false);
        }
        for rows in by_value {
            if !self.column(rows, at + 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// How often each place was drawn that was drawn at all.
    fn drawn_by_row<T: Ord + Copy>(
        &mut self,
        rows: u64,
        place: impl Fn(&mut Draw) -> T,
    ) -> Result<Vec<u64>, E> {
        self.work(8 * rows)?;
        let mut places: Vec<T> = (0..rows).map(|_| place(&mut self.draw)).collect();
        places.sort_unstable();
        let runs = places.chunk_by(|one, other| one == other);
        Ok(runs.map(|run| run.len() as u64).collect())
    }

    /// Whether equally likely combinations all fit.
    fn even(&mut self, rows: u64, cells: u128) -> Result<bool, E> {
        if rows == 0 {
            return Ok(true);
        }
        if cells == 1 || self.is_hopeless(rows) {
            return Ok(!self.is_hopeless(rows));
        }
        if rows as f64 >= self.sampler.k as f64 * cells as f64 {
            let weights = weights_below(self.sampler.k, rows, 1.0 / cells as f64);
            self.work(weights.len() as u64 + 1)?;
            let bound = cells as f64 * weights.iter().sum::<f64>();
            let is_cheap = cells <= BLOCK || bound * cells as f64 <= FEW_STEPS;
            if bound <= SELDOM && is_cheap {
                return self.seldom(rows, cells, bound, &weights);
            }
        }
        if cells <= BLOCK || rows <= FEW_ROWS {
            return Ok(self.failures(rows, cells)? == 0);
        }
        let (half, found) = self.halved(rows, cells)?;
        Ok(self.even(found, half)? && self.even(rows - found, cells - half)?)
    }

    /// The same if a failure is unlikely. `weights` are the chances that one combination has k - 1 rows, k - 2, and so on
    /// down to 1, and `bound` is their sum over all combinations.
    ///
    /// With the chance `bound` a combination that fails is drawn, and then everything else as it is given that one. A table
    /// with several failures can be drawn in this way from each of them; so it counts once in as many times as it has
    /// failures. R. Karp and M. Luby, Monte-Carlo Algorithms for Enumeration and Reliability Problems, FOCS 1983.
    fn seldom(&mut self, rows: u64, cells: u128, bound: f64, weights: &[f64]) -> Result<bool, E> {
        let mut at = fraction(&mut self.draw);
        if at >= bound {
            return Ok(true);
        }
        let mut too_few = self.sampler.k - 1;
        for weight in weights {
            at -= weight * cells as f64;
            if at < 0.0 || too_few == 1 {
                break;
            }
            too_few -= 1;
        }
        let failures = 1 + self.failures(rows - too_few, cells - 1)?;
        Ok(self.draw.below(failures as usize) != 0)
    }

    /// How many of equally likely combinations do not fit.
    fn failures(&mut self, rows: u64, cells: u128) -> Result<u64, E> {
        if rows == 0 {
            return Ok(0);
        }
        if cells <= BLOCK {
            return self.block(rows, cells as usize);
        }
        if rows <= FEW_ROWS {
            let counts = self.drawn_by_row(rows, |draw| below(draw, cells))?;
            return Ok(self.count_failures(&counts));
        }
        let (half, found) = self.halved(rows, cells)?;
        Ok(self.failures(found, half)? + self.failures(rows - found, cells - half)?)
    }

    /// Half of the combinations, and how many rows they have.
    fn halved(&mut self, rows: u64, cells: u128) -> Result<(u128, u64), E> {
        self.work(4)?;
        let half = cells / 2;
        let share = half as f64 / cells as f64;
        Ok((half, binomial(&mut self.draw, rows, share)))
    }

    fn count_failures(&self, counts: &[u64]) -> u64 {
        let failing = counts.iter().filter(|&&rows| self.is_hopeless(rows));
        failing.count() as u64
    }

    /// The same for few combinations.
    ///
    /// Rather than draw row by row, every combination gets a Poisson number of rows, with a mean somewhat too low, and the
    /// rows that are missing in the end are drawn one by one. However many they are, rows with Poisson numbers are spread
    /// like rows drawn one by one. If there are too many already, all is drawn again, for the same reason.
    fn block(&mut self, rows: u64, cells: usize) -> Result<u64, E> {
        let mut counts = vec![0_u64; cells];
        let fewer = rows as f64 - 3.0 * (rows as f64).sqrt();
        let mut missing = rows;
        if rows > 2 * cells as u64 && rows > 64 {
            let numbers = PoissonTable::new(fewer / cells as f64);
            self.work(numbers.length() as u64)?;
            loop {
                self.work(cells as u64)?;
                let mut sum = 0;
                for count in &mut counts {
                    *count = numbers.draw(&mut self.draw);
                    sum += *count;
                }
                if sum <= rows {
                    missing = rows - sum;
                    break;
                }
            }
        }
        self.work(missing)?;
        for _ in 0..missing {
            counts[self.draw.below(cells)] += 1;
        }
        Ok(self.count_failures(&counts))
    }
}

/// A number below `bound`.
fn below(draw: &mut Draw, bound: u128) -> u128 {
    let wide = u128::from(draw.next_number()) << 64 | u128::from(draw.next_number());
    wide % bound
}

/// Draws Poisson numbers of one mean.
struct PoissonTable {
    /// The number that the first entry stands for.
    first: u64,
    /// The chance of each number and all below, as a share of 2^64.
    until: Vec<u64>,
    /// By the first byte of a draw: where to begin looking.
    start: Vec<usize>,
}

impl PoissonTable {
    fn new(mean: f64) -> Self {
        let is_possible = |number: f64| ln_weight(number, mean) > -46.0;
        let mut first = mean.floor();
        while first > 0.0 && is_possible(first - 1.0) {
            first -= 1.0;
        }
        let mut until = Vec::new();
        let (mut number, mut sum) = (first, 0.0);
        while number <= mean || is_possible(number) {
            sum += ln_weight(number, mean).exp();
            until.push((sum * 2_f64.powi(64)) as u64); // saturates at the end
            number += 1.0;
        }
        if let Some(last) = until.last_mut() {
            *last = u64::MAX;
        }
        let begin = |byte: u64| until.partition_point(|&until| until <= byte << 56);
        let start = (0..256).map(|byte| begin(byte).min(until.len() - 1));
        PoissonTable {
            first: first as u64,
            start: start.collect(),
            until,
        }
    }

    fn length(&self) -> usize {
        self.until.len() + self.start.len()
    }

    fn draw(&self, draw: &mut Draw) -> u64 {
        let number = draw.next_number();
        let mut at = self.start[(number >> 56) as usize];
        while at + 1 < self.until.len() && number >= self.until[at] {
            at += 1;
        }
        self.first + at as u64
    }
}
