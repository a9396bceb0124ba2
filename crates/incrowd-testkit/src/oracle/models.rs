//! The promises of spec 6, on the plain list of a class's sensitive values and that of the whole table.
//!
//! Parameters are thousandths, so that comparing a share with a bound is a comparison of whole numbers and a class
//! exactly on the bound is judged right. Where a formula has a logarithm, equal within `TOLERANCE` is equal.

use super::{OracleProblem, RawHierarchy};
use std::collections::BTreeMap;
use std::fmt;

/// How close two logarithms of counts below a hundred come only when they are equal.
const TOLERANCE: f64 = 1e-10;

/// An exact number with at most three decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thousandths(pub i128);

impl Thousandths {
    fn to_f64(self) -> f64 {
        self.0 as f64 / 1000.0
    }
}

impl fmt::Display for Thousandths {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:03}", self.0 / 1000, self.0 % 1000);
        formatter.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// How far apart two sensitive values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distance {
    /// Always 1.
    Equal,
    /// The difference of their ranks over the greatest difference.
    Ordered,
    /// The level at which they meet over the height of the hierarchy.
    Hierarchical,
}

/// What must be true of a class.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the parameters are those of spec 6")]
pub enum Promise {
    /// n >= k.
    KAnonymity { k: usize },
    /// At least l distinct values.
    DistinctLDiversity { l: usize },
    /// -sum p ln p >= ln l.
    EntropyLDiversity { l: Thousandths },
    /// r1 < c (rl + ... + rm), at least l values.
    RecursiveClDiversity { c: Thousandths, l: usize },
    /// max p <= 1/l.
    FrequencyLDiversity { l: Thousandths },
    /// n >= k and p <= alpha for the named value, or all.
    AlphaKAnonymity {
        alpha: Thousandths,
        k: usize,
        value: Option<String>,
    },
    /// n >= k and at least p distinct values.
    PSensitiveKAnonymity { p: usize, k: usize },
    /// distance(p, q) <= t.
    TCloseness { t: Thousandths, distance: Distance },
    /// |log2(p/q)| < delta, absent values being infinitely far unless ignored.
    DeltaDisclosure {
        delta: Thousandths,
        ignore_absent: bool,
    },
    /// (p - q)/q <= beta where p > q; enhanced: <= min(beta, -ln q).
    BetaLikeness { beta: Thousandths, enhanced: bool },
    /// At least k people of the population match.
    KMap { k: usize },
    /// Of the people who match, a share from min to max is in the class.
    DeltaPresence { min: Thousandths, max: Thousandths },
    /// The mean over published rows of 1 / the rows that look like it is at most max.
    AverageRisk { max: Thousandths },
    /// At most this share of the published rows looks like no other.
    SampleUniqueness { max: Thousandths },
}

/// A promise about one sensitive column, or about each.
#[derive(Debug, Clone, PartialEq)]
pub struct OracleModel {
    /// What must be true.
    pub promise: Promise,
    /// The column it is about; every sensitive one when none is named.
    pub column: Option<String>,
}

/// About every sensitive column.
impl From<Promise> for OracleModel {
    fn from(promise: Promise) -> Self {
        OracleModel {
            promise,
            column: None,
        }
    }
}

impl OracleModel {
    /// Whether a class keeps the promise. Rows are numbers of rows of the table.
    pub fn holds(&self, problem: &OracleProblem, class: &[usize], table: &[usize]) -> bool {
        if let Promise::KAnonymity { k } = self.promise {
            return class.len() >= k;
        }
        if self.promise.is_about_people() || self.promise.is_about_release() {
            return true; // see `Promise::holds_among` and `Promise::holds_of`
        }
        let mut columns = problem
            .sensitive
            .iter()
            .filter(|(column, _)| self.column.is_none() || self.column.as_deref() == Some(column));
        columns.all(|(column, hierarchy)| {
            let of_class = problem.values(class, column);
            let of_table = problem.values(table, column);
            self.promise.holds(&of_class, &of_table, hierarchy.as_ref())
        })
    }

    /// The model as users write it.
    pub fn spec(&self) -> String {
        let mut parameters = self.promise.parameters();
        parameters.extend(
            self.column
                .as_ref()
                .map(|column| format!("column={column}")),
        );
        format!("{}({})", self.promise.name(), parameters.join(","))
    }
}

impl Promise {
    /// The name in the registry.
    pub fn name(&self) -> &'static str {
        match self {
            Promise::KAnonymity { .. } => "k-anonymity",
            Promise::DistinctLDiversity { .. } => "distinct-l-diversity",
            Promise::EntropyLDiversity { .. } => "entropy-l-diversity",
            Promise::RecursiveClDiversity { .. } => "recursive-cl-diversity",
            Promise::FrequencyLDiversity { .. } => "frequency-l-diversity",
            Promise::AlphaKAnonymity { .. } => "alpha-k-anonymity",
            Promise::PSensitiveKAnonymity { .. } => "p-sensitive-k-anonymity",
            Promise::TCloseness { .. } => "t-closeness",
            Promise::DeltaDisclosure { .. } => "delta-disclosure",
            Promise::BetaLikeness { .. } => "beta-likeness",
            Promise::KMap { .. } => "k-map",
            Promise::DeltaPresence { .. } => "delta-presence",
            Promise::AverageRisk { .. } => "average-risk",
            Promise::SampleUniqueness { .. } => "sample-uniqueness",
        }
    }

    fn parameters(&self) -> Vec<String> {
        match self {
            Promise::KAnonymity { k } => vec![format!("k={k}")],
            Promise::DistinctLDiversity { l } => vec![format!("l={l}")],
            Promise::EntropyLDiversity { l } | Promise::FrequencyLDiversity { l } => {
                vec![format!("l={l}")]
            }
            Promise::RecursiveClDiversity { c, l } => vec![format!("c={c}"), format!("l={l}")],
            Promise::AlphaKAnonymity { alpha, k, value } => {
                let value = value.iter().map(|value| format!("value={value}"));
                let rest = [format!("alpha={alpha}"), format!("k={k}")];
                rest.into_iter().chain(value).collect()
            }
            Promise::PSensitiveKAnonymity { p, k } => vec![format!("p={p}"), format!("k={k}")],
            Promise::TCloseness { t, distance } => {
                let distance = match distance {
                    Distance::Equal => "equal",
                    Distance::Ordered => "ordered",
                    Distance::Hierarchical => "hierarchical",
                };
                vec![format!("t={t}"), format!("distance={distance}")]
            }
            Promise::DeltaDisclosure {
                delta,
                ignore_absent,
            } => {
                let absent = if *ignore_absent { "ignore" } else { "reject" };
                vec![format!("delta={delta}"), format!("absent={absent}")]
            }
            Promise::BetaLikeness { beta, enhanced } => {
                let kind = if *enhanced { "enhanced" } else { "basic" };
                vec![format!("beta={beta}"), format!("kind={kind}")]
            }
            Promise::KMap { k } => vec![format!("k={k}")],
            Promise::DeltaPresence { min, max } => {
                vec![format!("max={max}"), format!("min={min}")]
            }
            Promise::AverageRisk { max } | Promise::SampleUniqueness { max } => {
                vec![format!("max={max}")]
            }
        }
    }

    /// Whether it is about the people of a population.
    pub fn is_about_people(&self) -> bool {
        matches!(self, Promise::KMap { .. } | Promise::DeltaPresence { .. })
    }

    /// Whether it is about all published rows together.
    pub fn is_about_release(&self) -> bool {
        matches!(
            self,
            Promise::AverageRisk { .. } | Promise::SampleUniqueness { .. }
        )
    }

    /// Whether published rows keep the promise, given for each how many, itself included, look like it. True for promises
    /// about classes.
    pub fn holds_of(&self, alike: &[usize]) -> bool {
        let rows = alike.len() as i128;
        match self {
            // The sum of 1 / size over rows, with all sizes brought to one denominator.
            Promise::AverageRisk { max } => {
                let sizes: std::collections::BTreeSet<usize> = alike.iter().copied().collect();
                let common = sizes.iter().fold(1i128, |common, &size| {
                    let (mut one, mut other) = (common, size as i128);
                    while other > 0 {
                        (one, other) = (other, one % other);
                    }
                    common / one * size as i128
                });
                let sum: i128 = alike.iter().map(|&size| common / size as i128).sum();
                1000 * sum <= max.0 * rows * common
            }
            Promise::SampleUniqueness { max } => {
                let alone = alike.iter().filter(|&&size| size == 1).count() as i128;
                1000 * alone <= max.0 * rows
            }
            _ => true,
        }
    }

    /// Whether a class of so many rows, matched by so many people of the population, keeps the promise, if so many rows, its
    /// own included, could be about one of these people. True for all others.
    pub fn holds_among(&self, rows: usize, people: usize, among: usize) -> bool {
        let (rows, of, among) = (rows as i128, people as i128, among as i128);
        match self {
            Promise::KMap { k } => people >= *k,
            Promise::DeltaPresence { min, max } => {
                people > 0 && 1000 * rows >= min.0 * of && 1000 * among <= max.0 * of
            }
            _ => true,
        }
    }

    /// Whether a class with these values keeps the promise in a table with those.
    pub fn holds(&self, class: &[&str], table: &[&str], hierarchy: Option<&RawHierarchy>) -> bool {
        let counts = counts(class);
        let rows = class.len() as i128;
        let greatest = counts.values().copied().max().unwrap_or(0);
        match self {
            Promise::KAnonymity { k } => class.len() >= *k,
            Promise::KMap { .. } | Promise::DeltaPresence { .. } => true,
            Promise::AverageRisk { .. } | Promise::SampleUniqueness { .. } => true,
            Promise::DistinctLDiversity { l } => counts.len() >= *l,
            Promise::EntropyLDiversity { l } => {
                let shares = counts.values().map(|&count| count as f64 / rows as f64);
                let entropy: f64 = shares.map(|share| -share * share.ln()).sum();
                entropy >= l.to_f64().ln() - TOLERANCE
            }
            Promise::RecursiveClDiversity { c, l } => {
                let mut sorted: Vec<i128> = counts.values().copied().collect();
                sorted.sort_by_key(|&count| -count);
                sorted.len() >= *l && 1000 * sorted[0] < c.0 * sorted[*l - 1..].iter().sum::<i128>()
            }
            Promise::FrequencyLDiversity { l } => greatest * l.0 <= 1000 * rows,
            Promise::AlphaKAnonymity { alpha, k, value } => {
                let count = match value {
                    Some(value) => counts.get(value.as_str()).copied().unwrap_or(0),
                    None => greatest,
                };
                class.len() >= *k && 1000 * count <= alpha.0 * rows
            }
            Promise::PSensitiveKAnonymity { p, k } => class.len() >= *k && counts.len() >= *p,
            Promise::TCloseness { t, distance } => {
                let (moved, steps) = moved(*distance, class, table, hierarchy);
                1000 * moved <= t.0 * steps * rows * table.len() as i128
            }
            Promise::DeltaDisclosure {
                delta,
                ignore_absent,
            } => shares(class, table).into_values().all(|(p, q)| {
                let is_near = (p as f64 / q as f64).log2().abs() < delta.to_f64() - TOLERANCE;
                if p == 0 { *ignore_absent } else { is_near }
            }),
            Promise::BetaLikeness { beta, enhanced } => {
                shares(class, table).into_values().all(|(p, q)| {
                    let gain = (p - q) as f64 / q as f64;
                    let share = q as f64 / (rows * table.len() as i128) as f64;
                    p <= q
                        || 1000 * (p - q) <= beta.0 * q
                            && (!enhanced || gain <= -share.ln() + TOLERANCE)
                })
            }
        }
    }
}

fn counts<'a>(values: &[&'a str]) -> BTreeMap<&'a str, i128> {
    let mut counts = BTreeMap::new();
    for value in values {
        *counts.entry(*value).or_insert(0) += 1;
    }
    counts
}

/// Of each value of the table its share in the class, p, and in the table, q, both times the rows of class and table.
fn shares<'a>(class: &[&str], table: &[&'a str]) -> BTreeMap<&'a str, (i128, i128)> {
    let of_class = counts(class);
    let of_table = counts(table).into_iter();
    of_table
        .map(|(value, count)| {
            let p = of_class.get(value).copied().unwrap_or(0) * table.len() as i128;
            (value, (p, count * class.len() as i128))
        })
        .collect()
}

/// What must be moved to turn one distribution into the other, times rows of class and table, and the steps in
/// which the way is counted.
fn moved(
    distance: Distance,
    class: &[&str],
    table: &[&str],
    hierarchy: Option<&RawHierarchy>,
) -> (i128, i128) {
    let shares = shares(class, table);
    match distance {
        Distance::Equal => {
            let differences: i128 = shares.values().map(|(p, q)| (p - q).abs()).sum();
            (differences, 2)
        }
        Distance::Ordered => {
            let mut values: Vec<&str> = shares.keys().copied().collect();
            sort_in_order(&mut values, hierarchy);
            let (mut carried, mut moved) = (0i128, 0i128);
            for value in &values {
                carried += shares[value].0 - shares[value].1;
                moved += carried.abs();
            }
            (moved, (values.len() as i128 - 1).max(1))
        }
        Distance::Hierarchical => {
            let hierarchy = hierarchy.expect("the distance needs a hierarchy");
            let way_up = |value: &str| hierarchy.iter().find(|way| way[0] == value);
            let height = hierarchy[0].len() - 1;
            // Rows are moved inside the lowest group possible; what is left over goes on from the group.
            let mut left: Vec<(&[String], i128)> = (shares.iter())
                .map(|(value, (p, q))| {
                    let way = way_up(value).expect("a hierarchy lists every value");
                    (way.as_slice(), p - q)
                })
                .collect();
            let mut moved = 0;
            for level in 1..=height {
                let mut groups: BTreeMap<&str, Vec<(&[String], i128)>> = BTreeMap::new();
                for (way, rows) in left {
                    groups.entry(&way[level]).or_default().push((way, rows));
                }
                left = Vec::new();
                for members in groups.values() {
                    let too_many: i128 = members.iter().map(|&(_, rows)| rows.max(0)).sum();
                    let too_few: i128 = members.iter().map(|&(_, rows)| (-rows).max(0)).sum();
                    moved += level as i128 * too_many.min(too_few);
                    left.push((members[0].0, too_many - too_few));
                }
            }
            (moved, height as i128)
        }
    }
}

/// Numbers ascending with the missing one first; other values as the hierarchy lists them.
fn sort_in_order(values: &mut [&str], hierarchy: Option<&RawHierarchy>) {
    let number = |value: &str| value.parse::<f64>().ok();
    if values
        .iter()
        .all(|value| value.is_empty() || number(value).is_some())
    {
        let rank = |value: &str| number(value).unwrap_or(f64::NEG_INFINITY);
        values.sort_by(|one, other| rank(one).total_cmp(&rank(other)));
    } else {
        let hierarchy = hierarchy.expect("text has the order of its hierarchy");
        values.sort_by_key(|value| hierarchy.iter().position(|way| way[0] == *value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousandths_read_as_users_write_them() {
        let texts = [0, 5, 250, 1000, 1500].map(|number| Thousandths(number).to_string());
        assert_eq!(texts, ["0", "0.005", "0.25", "1", "1.5"]);
    }

    /// Li, Li and Venkatasubramanian, t-Closeness, ICDE 2007, section 4: salaries 3k to 11k, classes {3, 4, 5} and
    /// {6, 8, 11}; distances 0.375 and 0.167.
    #[test]
    fn ordered_distances_are_those_of_the_t_closeness_paper() {
        let table = ["3", "4", "5", "6", "7", "8", "9", "10", "11"];
        let distance = |class: &[&str]| {
            let (moved, steps) = moved(Distance::Ordered, class, &table, None);
            moved as f64 / (steps * 9 * class.len() as i128) as f64
        };
        assert_eq!(distance(&["3", "4", "5"]), 0.375);
        assert!((distance(&["6", "8", "11"]) - 1.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn hierarchical_distances_grow_with_the_level_at_which_values_meet() {
        let way = |text: &str| text.split(' ').map(str::to_owned).collect();
        let hierarchy: RawHierarchy = ["a x *", "b x *", "c y *", "d y *"].map(way).to_vec();
        let table = ["a", "b", "c", "d"];
        let distance = |class: &[&str]| {
            let (moved, steps) = moved(Distance::Hierarchical, class, &table, Some(&hierarchy));
            moved as f64 / (steps * 4 * class.len() as i128) as f64
        };
        // A quarter of a's rows goes to b, a step away of two; half of them crosses the root.
        assert_eq!(distance(&["a"]), 0.25 / 2.0 + 0.5);
        assert_eq!(distance(&["a", "c"]), 0.25);
        assert_eq!(distance(&["a", "b", "c", "d"]), 0.0);
    }

    #[test]
    fn classes_exactly_on_the_bound_are_judged_by_the_sign_in_the_definition() {
        let class = ["flu", "flu", "cold", "cold"];
        let table = ["flu", "flu", "cold", "cold", "cold", "cold", "cold", "cold"];
        let holds = |promise: Promise| promise.holds(&class, &table, None);
        assert!(holds(Promise::EntropyLDiversity {
            l: Thousandths(2000)
        }));
        assert!(holds(Promise::FrequencyLDiversity {
            l: Thousandths(2000)
        }));
        assert!(!holds(Promise::RecursiveClDiversity {
            c: Thousandths(1000),
            l: 2
        }));
        // p = 1/2 and q = 1/4 of flu: equal distance 1/4, ratio 2, gain 1.
        for (t, expected) in [(249, false), (250, true)] {
            let distance = Distance::Equal;
            assert_eq!(
                holds(Promise::TCloseness {
                    t: Thousandths(t),
                    distance
                }),
                expected
            );
        }
        for (delta, expected) in [(1000, false), (1001, true)] {
            assert_eq!(
                holds(Promise::DeltaDisclosure {
                    delta: Thousandths(delta),
                    ignore_absent: false
                }),
                expected
            );
        }
        for (beta, expected) in [(999, false), (1000, true)] {
            assert_eq!(
                holds(Promise::BetaLikeness {
                    beta: Thousandths(beta),
                    enhanced: false
                }),
                expected
            );
        }
    }
}
