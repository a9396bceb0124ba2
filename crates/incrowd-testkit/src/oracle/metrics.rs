//! The losses of spec 6, row by row.

use super::numbers::{is_numeric, width};
use super::research_value::OracleResearchValue;
use super::{Judged, RawHierarchy};
use std::collections::BTreeMap;

/// How the losses of the attributes become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    /// The product of (1 + x)^(w / sum of w), less 1.
    GeometricMean,
    /// The sum of w x / sum of w.
    ArithmeticMean,
    /// The sum of w x.
    Sum,
    /// The greatest w x.
    Maximum,
}

/// An aggregate with a weight for each quasi-identifier.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Aggregation {
    /// The aggregate; the metric's own when none is chosen.
    pub aggregate: Option<Aggregate>,
    /// Weights by column; others have 1.
    pub weights: Vec<(String, f64)>,
}

/// What a release costs.
#[derive(Debug, Clone, PartialEq)]
pub enum OracleMetric {
    /// The sum of the levels.
    Height,
    /// The mean of level / height, suppressed rows counting 1.
    Precision(Aggregation),
    /// Each row costs the size of its class, each suppressed row the size of the table.
    Discernibility,
    /// Each cell costs the share of the other rows its value was merged with, each suppressed row 1.
    Hdm {
        /// Weights by column; others have 1.
        weights: Vec<(String, f64)>,
    },
    /// Each row costs the size of its class, suppressed or not.
    DmStar,
    /// Rows by classes; with `k` LeFevre's variant.
    AverageClassSize {
        /// The class size the variant is relative to.
        k: Option<usize>,
    },
    /// The share of the values that a cell could be, normalized.
    Loss(Aggregation),
    /// Bits from the published back to the raw values.
    NonUniformEntropy(Aggregation),
    /// The width of the published values.
    Ncp {
        /// Weights by column; others have 1.
        weights: Vec<(String, f64)>,
    },
    /// The mean number of raw tuples a row could be.
    Ambiguity,
    /// Bits per row by which the raw rows differ from what the release leads to expect.
    KlDivergence,
    /// The mean relative error of random counts.
    QueryError {
        /// How many are asked.
        queries: usize,
        /// What decides which.
        seed: u64,
    },
    /// The share of rows suppressed or outside the majority of their class.
    ClassificationMetric {
        /// The column to predict.
        target: String,
    },
    /// What experts say it is worth.
    ResearchValue(OracleResearchValue),
}

impl Aggregation {
    fn of(&self, default: Aggregate, judged: &Judged<'_>, losses: &[f64]) -> f64 {
        let weight = |column: &String| {
            let given = self.weights.iter().find(|(name, _)| name == column);
            given.map_or(1.0, |(_, weight)| *weight)
        };
        let columns = judged.problem.quasi_identifiers.iter();
        let weights: Vec<f64> = columns.map(|(column, _)| weight(column)).collect();
        let total: f64 = weights.iter().sum();
        let weighted = losses
            .iter()
            .zip(&weights)
            .map(|(loss, weight)| loss * weight);
        match self.aggregate.unwrap_or(default) {
            Aggregate::GeometricMean => {
                let factors = losses.iter().zip(&weights);
                let product: f64 = factors
                    .map(|(loss, weight)| (1.0 + loss).powf(weight / total))
                    .product();
                product - 1.0
            }
            Aggregate::ArithmeticMean => weighted.sum::<f64>() / total,
            Aggregate::Sum => weighted.sum(),
            Aggregate::Maximum => weighted.fold(0.0, f64::max),
        }
    }

    fn options(&self) -> Vec<String> {
        let aggregate = self.aggregate.map(|aggregate| {
            let name = match aggregate {
                Aggregate::GeometricMean => "geometric-mean",
                Aggregate::ArithmeticMean => "arithmetic-mean",
                Aggregate::Sum => "sum",
                Aggregate::Maximum => "maximum",
            };
            format!("aggregate={name}")
        });
        let weights: Vec<String> = (self.weights.iter())
            .map(|(column, weight)| format!("{column}:{weight}"))
            .collect();
        let weights = (!weights.is_empty()).then(|| format!("weights={}", weights.join(";")));
        aggregate.into_iter().chain(weights).collect()
    }
}

impl OracleMetric {
    /// The name in the registry.
    pub fn name(&self) -> &'static str {
        match self {
            OracleMetric::Height => "height",
            OracleMetric::Precision(_) => "precision",
            OracleMetric::Discernibility => "discernibility",
            OracleMetric::Hdm { .. } => "hdm",
            OracleMetric::DmStar => "dm-star",
            OracleMetric::AverageClassSize { .. } => "average-class-size",
            OracleMetric::Loss(_) => "loss",
            OracleMetric::NonUniformEntropy(_) => "non-uniform-entropy",
            OracleMetric::Ncp { .. } => "ncp",
            OracleMetric::Ambiguity => "ambiguity",
            OracleMetric::KlDivergence => "kl-divergence",
            OracleMetric::QueryError { .. } => "query-error",
            OracleMetric::ClassificationMetric { .. } => "classification-metric",
            OracleMetric::ResearchValue(_) => "research-value",
        }
    }

    /// The metric as users write it.
    pub fn spec(&self) -> String {
        let options = match self {
            OracleMetric::Precision(aggregation)
            | OracleMetric::Loss(aggregation)
            | OracleMetric::NonUniformEntropy(aggregation) => aggregation.options(),
            OracleMetric::Ncp { weights } | OracleMetric::Hdm { weights } => Aggregation {
                aggregate: None,
                weights: weights.clone(),
            }
            .options(),
            OracleMetric::AverageClassSize { k: Some(k) } => vec![format!("k={k}")],
            OracleMetric::ClassificationMetric { target } => vec![format!("column={target}")],
            OracleMetric::ResearchValue(value) => value.options(),
            OracleMetric::QueryError { queries, seed } => {
                vec![format!("queries={queries}"), format!("seed={seed}")]
            }
            _ => Vec::new(),
        };
        match options.is_empty() {
            true => self.name().into(),
            false => format!("{}({})", self.name(), options.join(",")),
        }
    }

    /// The same without what is said of single levels, which releases that mix levels do not have.
    #[must_use]
    pub fn without_level_values(mut self) -> Self {
        if let OracleMetric::ResearchValue(value) = &mut self {
            value.level_values.clear();
        }
        self
    }

    /// The loss of a node.
    pub(super) fn loss(&self, judged: &Judged<'_>) -> f64 {
        let rows = judged.rows.len() as f64;
        let suppressed = judged.rows_suppressed() as f64;
        let attributes = 0..judged.levels.len();
        match self {
            OracleMetric::Height => judged.levels.iter().map(|&level| f64::from(level)).sum(),
            OracleMetric::Precision(aggregation) => {
                let share = |attribute: usize| {
                    let height = judged.hierarchy(attribute)[0].len() as f64 - 1.0;
                    let level = f64::from(judged.levels[attribute]);
                    judged.mean_of_rows(|row| judged.unless_suppressed(row, level / height))
                };
                let losses: Vec<f64> = attributes.map(share).collect();
                aggregation.of(Aggregate::ArithmeticMean, judged, &losses)
            }
            OracleMetric::Discernibility => {
                let safe = judged.published_classes();
                let safe: f64 = safe.iter().map(|class| class.len().pow(2) as f64).sum();
                safe + rows * suppressed
            }
            OracleMetric::Hdm { weights } => {
                let aggregation = Aggregation {
                    aggregate: None,
                    weights: weights.clone(),
                };
                let share = |attribute: usize, row: usize| {
                    let all = 0..judged.rows.len();
                    let raw = |row: usize| &judged.ways_up[attribute][row][0];
                    let same = all.clone().filter(|&other| raw(other) == raw(row)).count() as f64;
                    let alike = |other: &usize| {
                        judged.published[*other][attribute] == judged.published[row][attribute]
                    };
                    let together = all.filter(alike).count() as f64;
                    if same == rows {
                        0.0
                    } else {
                        (together - same) / (rows - same)
                    }
                };
                let losses: Vec<f64> = attributes
                    .map(|attribute| {
                        (0..judged.rows.len())
                            .map(|row| judged.unless_suppressed(row, share(attribute, row)))
                            .sum()
                    })
                    .collect();
                aggregation.of(Aggregate::ArithmeticMean, judged, &losses)
            }
            OracleMetric::DmStar => {
                let classes = judged.classes();
                classes.iter().map(|class| class.len().pow(2) as f64).sum()
            }
            OracleMetric::AverageClassSize { k: None } => {
                let suppressed_class = if suppressed > 0.0 { 1.0 } else { 0.0 };
                rows / (judged.published_classes().len() as f64 + suppressed_class)
            }
            OracleMetric::AverageClassSize { k: Some(k) } => {
                match judged.published_classes().len() {
                    0 => rows / *k as f64,
                    classes => (rows - suppressed) / (classes * k) as f64,
                }
            }
            OracleMetric::Loss(aggregation) => {
                let losses: Vec<f64> = attributes
                    .map(|attribute| normalized_loss(judged, attribute))
                    .collect();
                aggregation.of(Aggregate::GeometricMean, judged, &losses)
            }
            OracleMetric::NonUniformEntropy(aggregation) => {
                let losses: Vec<f64> = attributes
                    .map(|attribute| bits(judged, attribute))
                    .collect();
                aggregation.of(Aggregate::Sum, judged, &losses)
            }
            OracleMetric::Ncp { weights } => {
                let aggregation = Aggregation {
                    aggregate: None,
                    weights: weights.clone(),
                };
                let losses: Vec<f64> = attributes
                    .map(|attribute| {
                        judged.mean_of_rows(|row| {
                            judged.unless_suppressed(row, penalty(judged, attribute, row))
                        })
                    })
                    .collect();
                aggregation.of(Aggregate::ArithmeticMean, judged, &losses)
            }
            OracleMetric::Ambiguity => judged.mean_of_rows(|row| {
                attributes
                    .clone()
                    .map(|attribute| match judged.is_suppressed[row] {
                        true => judged.hierarchy(attribute).len() as f64,
                        false => judged.leaves_under(attribute, row) as f64,
                    })
                    .product()
            }),
            OracleMetric::KlDivergence => judged.mean_of_rows(|row| {
                let raw = |row: usize| -> Vec<&str> {
                    (judged.ways_up.iter())
                        .map(|ways_up| ways_up[row][0].as_str())
                        .collect()
                };
                let all = 0..judged.rows.len();
                let same = all.clone().filter(|&other| raw(other) == raw(row)).count();
                let alike = all.filter(|&other| judged.published[other] == judged.published[row]);
                let values = attributes.clone().map(|attribute| {
                    let listed = judged.hierarchy(attribute).len() as f64;
                    let under = judged.leaves_under(attribute, row) as f64;
                    if judged.is_suppressed[row] {
                        listed
                    } else {
                        under
                    }
                });
                let size = match judged.is_suppressed[row] {
                    true => suppressed,
                    false => alike.count() as f64,
                };
                (same as f64 * values.product::<f64>() / size).log2()
            }),
            OracleMetric::QueryError { queries, seed } => {
                let queries = random_queries(judged, *queries, *seed);
                let errors = queries.iter().map(|query| query_error(judged, query));
                errors.sum::<f64>() / queries.len() as f64
            }
            OracleMetric::ResearchValue(value) => value.loss(judged),
            OracleMetric::ClassificationMetric { target } => {
                let target = judged.problem.values(&judged.rows, target);
                let right = |class: &Vec<usize>| {
                    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
                    for &row in class {
                        *counts.entry(target[row]).or_default() += 1;
                    }
                    counts.into_values().max().unwrap_or(0)
                };
                let right: usize = judged.published_classes().iter().map(right).sum();
                (rows - right as f64) / rows
            }
        }
    }
}

impl Judged<'_> {
    pub(super) fn hierarchy(&self, attribute: usize) -> &RawHierarchy {
        &self.problem.quasi_identifiers[attribute].1
    }

    fn mean_of_rows(&self, of_row: impl Fn(usize) -> f64) -> f64 {
        (0..self.rows.len()).map(of_row).sum::<f64>() / self.rows.len() as f64
    }

    fn unless_suppressed(&self, row: usize, loss: f64) -> f64 {
        if self.is_suppressed[row] { 1.0 } else { loss }
    }

    /// The values that could stand for the published one.
    pub(super) fn values_under(&self, attribute: usize, row: usize) -> impl Iterator<Item = &str> {
        let level = self.levels[attribute] as usize;
        let published = self.published[row][attribute];
        let ways_up = self.hierarchy(attribute).iter();
        ways_up
            .filter(move |way| way[level] == published)
            .map(|way| way[0].as_str())
    }

    fn leaves_under(&self, attribute: usize, row: usize) -> usize {
        self.values_under(attribute, row).count()
    }
}

/// (x - N/leaves) / (N - N/leaves), x the sum of shares over rows. With one value there is nothing to lose but rows.
fn normalized_loss(judged: &Judged<'_>, attribute: usize) -> f64 {
    let rows = judged.rows.len() as f64;
    let leaves = judged.hierarchy(attribute).len() as f64;
    if leaves == 1.0 {
        return judged.rows_suppressed() as f64 / rows;
    }
    let share = |row| {
        let share = judged.leaves_under(attribute, row) as f64 / leaves;
        judged.unless_suppressed(row, share)
    };
    let sum: f64 = (0..judged.rows.len()).map(share).sum();
    (sum - rows / leaves) / (rows - rows / leaves)
}

/// -sum over rows of log2(count(raw)/count(published)), and over the suppressed rows in addition of log2(c/S).
fn bits(judged: &Judged<'_>, attribute: usize) -> f64 {
    let all = || 0..judged.rows.len();
    let raw = |row: usize| judged.ways_up[attribute][row][0].as_str();
    let published = |row: usize| judged.published[row][attribute];
    let suppressed = judged.rows_suppressed() as f64;
    all()
        .map(|row| {
            let same_raw = all().filter(|&other| raw(other) == raw(row)).count() as f64;
            let alike = all().filter(|&other| published(other) == published(row));
            let same = alike.clone().count() as f64;
            let bits = -(same_raw / same).log2();
            if judged.is_suppressed[row] {
                let lost = alike.filter(|&other| judged.is_suppressed[other]).count();
                bits - (lost as f64 / suppressed).log2()
            } else {
                bits
            }
        })
        .sum()
}

/// A question: the values that some quasi-identifiers must have.
type Question<'a> = Vec<(usize, Vec<&'a str>)>;

/// Questions as the card of the metric describes them, drawn with the numbers of SplitMix64.
fn random_queries<'a>(judged: &'a Judged<'_>, queries: usize, seed: u64) -> Vec<Question<'a>> {
    let mut state = seed;
    let mut below = |bound: usize| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((number ^ (number >> 31)) % bound as u64) as usize
    };
    // The values of all rows, in the order in which the hierarchy lists them.
    let columns: Vec<Vec<&str>> = (0..judged.levels.len())
        .map(|attribute| {
            let raw = judged.ways_up[attribute].iter().map(|way| way[0].as_str());
            let raw: Vec<&str> = raw.collect();
            let listed = judged.hierarchy(attribute).iter();
            listed
                .flat_map(|way| raw.iter().copied().filter(|value| *value == way[0]))
                .collect()
        })
        .collect();
    let number = |value: &str| value.parse::<f64>().ok();
    let mut drawn = Vec::new();
    for _ in 0..queries {
        let mut left: Vec<usize> = (0..columns.len()).collect();
        let mut question = Vec::new();
        for taken in 0..1 + below(columns.len().min(3)) {
            let other = taken + below(columns.len() - taken);
            left.swap(taken, other);
            let attribute = left[taken];
            let values = &columns[attribute];
            let (one, other) = (values[below(values.len())], values[below(values.len())]);
            let listed = judged.hierarchy(attribute).iter();
            let wanted: Vec<&str> = match (number(one), number(other)) {
                (Some(one), Some(other)) if is_numeric(judged, attribute) => {
                    let range = one.min(other)..=one.max(other);
                    let is_within =
                        |value: &str| number(value).is_some_and(|it| range.contains(&it));
                    listed
                        .map(|way| way[0].as_str())
                        .filter(|value| is_within(value))
                        .collect()
                }
                _ => vec![one],
            };
            question.push((attribute, wanted));
        }
        drawn.push(question);
    }
    drawn
}

fn query_error(judged: &Judged<'_>, question: &Question<'_>) -> f64 {
    let is_counted = |row: usize| {
        let mut asked = question.iter();
        asked.all(|(attribute, wanted)| {
            wanted.contains(&judged.ways_up[*attribute][row][0].as_str())
        })
    };
    let share = |row: usize| -> f64 {
        let shares = question.iter().map(|(attribute, wanted)| {
            let under: Vec<&str> = judged.values_under(*attribute, row).collect();
            let met = under.iter().filter(|value| wanted.contains(value)).count();
            met as f64 / under.len() as f64
        });
        shares.product()
    };
    let rows = 0..judged.rows.len();
    let answer = rows.clone().filter(|&row| is_counted(row)).count() as f64;
    let published = rows.filter(|&row| !judged.is_suppressed[row]);
    let estimate: f64 = published.map(share).sum();
    (estimate - answer).abs() / answer.max(1.0).max(judged.rows.len() as f64 / 1000.0)
}

/// The penalty of a published cell: the width of its numbers, or the number of its values when there are several,
/// by that of all listed.
fn penalty(judged: &Judged<'_>, attribute: usize, row: usize) -> f64 {
    let hierarchy = judged.hierarchy(attribute);
    let listed = || hierarchy.iter().map(|way| way[0].as_str());
    if is_numeric(judged, attribute) {
        let all = width(listed());
        if all == 0.0 {
            0.0
        } else {
            width(judged.values_under(attribute, row)) / all
        }
    } else {
        match judged.leaves_under(attribute, row) {
            1 => 0.0,
            leaves => leaves as f64 / hierarchy.len() as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::{OracleProblem, Promise};
    use crate::tiny_problem;

    /// Six rows; at [1, 0] two classes of two are safe and two rows are suppressed.
    fn six_rows() -> OracleProblem {
        tiny_problem(
            "age sex | income",
            "10 m low
             12 m low
             30 m high
             35 f low
             37 f high
             39 m high",
        )
        .with_hierarchy(
            "age",
            "10 young *
             12 young *
             30 old *
             35 old *
             37 old *
             39 old *
             50 old *",
        )
        .require(Promise::KAnonymity { k: 2 })
        .allow_suppressed(6)
    }

    fn loss_at(levels: &[u8], metric: &OracleMetric) -> f64 {
        six_rows().judge(levels).loss(metric)
    }

    #[test]
    fn losses_are_what_the_formulas_give_by_hand() {
        // young m: 2 rows, old m: 2, old f: 2; all safe. At [0, 1] all six are alone and suppressed.
        let at = |metric| (loss_at(&[1, 0], &metric), loss_at(&[0, 1], &metric));
        let plain = Aggregation::default;
        assert_eq!(at(OracleMetric::Height), (1.0, 1.0));
        assert_eq!(at(OracleMetric::Precision(plain())), (0.25, 1.0));
        assert_eq!(at(OracleMetric::Discernibility), (12.0, 36.0));
        assert_eq!(at(OracleMetric::DmStar), (12.0, 6.0));
        assert_eq!(at(OracleMetric::AverageClassSize { k: None }), (2.0, 6.0));
        assert_eq!(
            at(OracleMetric::AverageClassSize { k: Some(2) }),
            (1.0, 3.0)
        );
        // Values per row: young 2 twice, old 5 four times, of 7: (24/7 - 6/7) / (6 - 6/7) = 18/36.
        let half = (1.5f64 * 1.0).sqrt() - 1.0;
        let (loss, all) = at(OracleMetric::Loss(plain()));
        assert!((loss - half).abs() < 1e-12 && (all - 1.0).abs() < 1e-12);
        assert_eq!(at(OracleMetric::Ambiguity), (4.0, 14.0));
        // Of ages 10 to 50: young 2/40 twice, old 20/40 four times; the mean with raw sex.
        let (ncp, all) = at(OracleMetric::Ncp {
            weights: Vec::new(),
        });
        assert!((ncp - (0.1 + 2.0) / 12.0).abs() < 1e-12 && all == 1.0);
        let target = "income".to_owned();
        assert_eq!(
            at(OracleMetric::ClassificationMetric { target }),
            (1.0 / 6.0, 1.0)
        );
    }

    #[test]
    fn entropy_charges_suppressed_rows_twice() {
        let metric = OracleMetric::NonUniformEntropy(Aggregation::default());
        // Two rows of one in two, four of one in four.
        assert!((loss_at(&[1, 0], &metric) - (2.0 + 8.0)).abs() < 1e-12);
        // Ages cost nothing at level 0, but each is one of six suppressed; sex is one of six `*`, four m and two f.
        let sex = 4.0 * 1.5f64.log2() + 2.0 * 3f64.log2();
        assert!((loss_at(&[0, 1], &metric) - (6.0 * 6f64.log2() + sex)).abs() < 1e-12);
    }
}
