//! How likely every combination of values is.

/// How the values of a column are distributed.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// So many values, all equally likely.
    Even(u64),
    /// Values as likely as the numbers of rows that have them.
    Counted(Vec<u32>),
}

/// Columns drawn independently of each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Combinations {
    count: u128,
    is_exact: bool,
    /// Combinations of the columns whose values are all equally likely.
    pub(super) even: u128,
    /// The shares of values of the other columns, ascending.
    pub(super) uneven: Vec<Vec<f64>>,
    pub(super) kinds: Vec<Kind>,
}

/// Combinations that are equally likely, or nearly so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Kind {
    /// How many they are.
    pub(super) cells: f64,
    /// How likely each of them is; the mean where they differ.
    pub(super) share: f64,
}

/// The most kinds that are kept apart.
const MOST_KINDS: usize = 4096;

impl Combinations {
    /// All combinations of the values of these columns; none if they cannot be counted, or a column has no value.
    pub fn of(columns: &[Column]) -> Option<Combinations> {
        Self::with_kinds(columns, MOST_KINDS)
    }

    /// The same with at most so many kinds kept apart.
    pub(super) fn with_kinds(columns: &[Column], most_kinds: usize) -> Option<Combinations> {
        let (mut count, mut even) = (1_u128, 1_u128);
        let mut uneven = Vec::new();
        for column in columns {
            let values = match column {
                Column::Even(values) => *values,
                Column::Counted(rows) => rows.iter().filter(|&&rows| rows > 0).count() as u64,
            };
            count = count.checked_mul(values.into()).filter(|&all| all > 0)?;
            match column {
                Column::Counted(rows) if !is_even(rows) => uneven.push(shares(rows)),
                _ => even *= u128::from(values),
            }
        }
        let mut is_exact = true;
        let mut kinds = vec![Kind {
            cells: even as f64,
            share: 1.0 / even as f64,
        }];
        for shares in &uneven {
            let column: Vec<Kind> = (shares.iter())
                .map(|&share| Kind { cells: 1.0, share })
                .collect();
            let column = joined(column, most_kinds, &mut is_exact);
            let pairs = kinds.iter().flat_map(|one| {
                column.iter().map(move |other| Kind {
                    cells: one.cells * other.cells,
                    share: one.share * other.share,
                })
            });
            kinds = joined(pairs.collect(), most_kinds, &mut is_exact);
        }
        Some(Combinations {
            count,
            is_exact,
            even,
            uneven,
            kinds,
        })
    }

    /// Whether no two combinations that are not equally likely were joined to one kind.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// How many there are.
    pub fn count(&self) -> u128 {
        self.count
    }
}

/// Whether all values that occur occur equally often.
fn is_even(rows: &[u32]) -> bool {
    let mut present = rows.iter().filter(|&&rows| rows > 0);
    let first = present.next();
    present.all(|rows| Some(rows) == first)
}

/// The shares of the values that occur, ascending.
fn shares(rows: &[u32]) -> Vec<f64> {
    let total: u64 = rows.iter().map(|&rows| u64::from(rows)).sum();
    let mut present: Vec<u32> = rows.iter().copied().filter(|&rows| rows > 0).collect();
    present.sort_unstable();
    let share = |rows: u32| f64::from(rows) / total as f64;
    present.into_iter().map(share).collect()
}

/// Joins kinds that are equally likely, and if too many are left, those that are nearly so: as many, and as likely
/// together as before.
///
/// The logarithm of the chance then changes by the second derivative times the variance within a kind: with 4096 kinds
/// over twenty powers of e, by less than 0.001 wherever the chance is neither 0 nor 1.
fn joined(mut kinds: Vec<Kind>, most: usize, is_exact: &mut bool) -> Vec<Kind> {
    kinds.sort_unstable_by(|one, other| one.share.total_cmp(&other.share));
    let exact = join_runs(&kinds, |first, share| share <= first * (1.0 + 1e-12));
    if exact.len() <= most {
        return exact;
    }
    *is_exact = false;
    let (least, greatest) = (exact[0].share, exact[exact.len() - 1].share);
    let width = (greatest / least).ln() / most as f64;
    let bin = |share: f64| ((share / least).ln() / width) as usize;
    join_runs(&exact, |first, share| bin(first) == bin(share))
}

/// Joins neighbours that belong to the first of their run.
fn join_runs(kinds: &[Kind], belongs: impl Fn(f64, f64) -> bool) -> Vec<Kind> {
    let runs = kinds.chunk_by({
        let mut first = kinds.first().map_or(0.0, |kind| kind.share);
        move |_, next| {
            let is_same = belongs(first, next.share);
            if !is_same {
                first = next.share;
            }
            is_same
        }
    });
    runs.map(|run| {
        let cells = run.iter().map(|kind| kind.cells).sum::<f64>();
        let share = match run {
            [one] => one.share,
            run => run.iter().map(|kind| kind.cells * kind.share).sum::<f64>() / cells,
        };
        Kind { cells, share }
    })
    .collect()
}
