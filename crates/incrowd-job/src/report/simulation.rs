//! Whether k is reachable at all, as people and programs read it.

use super::outcome::Figure128;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The result of `simulate`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Simulation {
    /// [`VERSION`](super::outcome::VERSION).
    pub version: u32,
    /// Rows of the tables that `chance` is about: those given, those of the file, or else `rows_needed`.
    pub rows: u64,
    /// How often every combination that occurs must occur.
    pub k: u32,
    /// All combinations that can occur.
    pub combinations: Figure128,
    /// The columns that are combined.
    pub columns: Vec<SimulatedColumn>,
    /// How rows are drawn.
    pub drawn: Drawn,
    /// The chance that every combination that occurs at all occurs at least k times.
    pub chance: Chance,
    /// Tables drawn for the simulation.
    pub repeats: u64,
    /// What decided the tables drawn.
    pub seed: u64,
    /// The least number of rows from which on the chance stays at or above `share`; `null` if not asked for, or if it is
    /// beyond a quadrillion.
    pub rows_needed: Option<u64>,
    /// The chance that `rows_needed` is about, from 0 to 1; `null` if none was asked for.
    pub share: Option<f64>,
    /// The same for the first column, the first two, and so on; only for a plot or with `rows_needed`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_columns: Vec<NeededByColumns>,
    /// The plots written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plots: Vec<PathBuf>,
    /// What a reader should know besides.
    pub notes: Vec<String>,
}

/// A column that is combined with others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimulatedColumn {
    /// Its name; `null` if it is not one of a file.
    pub name: Option<String>,
    /// The level that its values were generalized to; only if levels were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// How many values it has.
    pub values: u64,
}

/// How rows are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Drawn {
    /// All combinations are equally likely.
    Evenly,
    /// The value of each column by itself, as likely as in the file.
    ByColumn,
    /// Combinations as likely as in the file.
    WholeRows,
}

/// A chance, computed and tried.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Chance {
    /// By formula; chances below 1e-12 are 0.
    pub formula: f64,
    /// The share of the tables drawn.
    pub simulated: f64,
    /// Where the chance probably is, judging by the tables drawn alone: Wilson's interval of 95 %.
    pub interval: [f64; 2],
}

impl Chance {
    /// From the tables drawn.
    pub(crate) fn new(formula: f64, reached: u64, repeats: u64) -> Chance {
        let (share, tables) = (reached as f64 / repeats as f64, repeats as f64);
        let square = Z * Z / tables;
        let middle = share + square / 2.0;
        let half = Z * (share * (1.0 - share) / tables + square / (4.0 * tables)).sqrt();
        let bound = |number: f64| (number / (1.0 + square)).clamp(0.0, 1.0);
        Chance {
            formula,
            simulated: share,
            // Rounding must not push a bound beyond what was found.
            interval: [
                bound(middle - half).min(share),
                bound(middle + half).max(share),
            ],
        }
    }
}

/// The quantile of the normal distribution for 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// Rows needed with the first columns alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NeededByColumns {
    /// How many columns.
    pub columns: u64,
    /// Their combinations.
    pub combinations: Figure128,
    /// The least number of rows from which on the chance stays at or above the share; `null` beyond a quadrillion.
    pub rows_needed: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_wilson() {
        // E. Wilson, Probable Inference, 1927; figures by hand from the formula with z = 1.96.
        let close = |found: [f64; 2], expected: [f64; 2]| {
            assert!(
                (found[0] - expected[0]).abs() < 1e-3 && (found[1] - expected[1]).abs() < 1e-3,
                "{found:?}"
            );
        };
        close(Chance::new(0.7, 35, 50).interval, [0.5625, 0.8090]);
        close(Chance::new(0.0, 0, 50).interval, [0.0, 0.0713]);
        close(Chance::new(1.0, 500, 500).interval, [0.9924, 1.0]);
        let none = Chance::new(0.0, 0, 500);
        assert!(none.interval[0] == 0.0 && none.simulated == 0.0);
    }
}
