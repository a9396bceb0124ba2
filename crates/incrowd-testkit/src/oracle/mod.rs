//! Anonymization by definition: every row, every node, every formula, nothing cached or skipped.
//!
//! A cell is a text, a class is a list of rows, a hierarchy is a list of texts per value. What a node suppresses and
//! costs follows from that by definition. The core must get the same results by other means.
//!
//! ```
//! use incrowd_testkit::oracle::{OracleMetric, Promise};
//! use incrowd_testkit::tiny_problem;
//! let problem = tiny_problem("age sex | disease", "34 m flu\n35 m cold\n35 f flu")
//!     .require(Promise::KAnonymity { k: 2 })
//!     .allow_suppressed(1);
//! let answer = problem.brute_force(&OracleMetric::Discernibility);
//! assert_eq!(answer.optima, [[0, 1], [1, 0]]);
//! assert_eq!(answer.least_loss, Some(2.0 * 2.0 + 3.0));
//! ```

mod cuts;
mod metrics;
mod models;
mod numbers;
mod partitions;
mod published;
mod research_value;

pub use cuts::{Block, Blocks, CutJudged, Replacement};
pub use metrics::{Aggregate, Aggregation, OracleMetric};
pub use models::{Distance, OracleModel, Promise, Thousandths};
pub use partitions::{OrderedValues, RawPartition, RawSteps};
pub use published::stands_for;
pub use research_value::{OracleResearchValue, OracleRule};

use std::collections::BTreeMap;

/// A table of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawTable {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<String>>,
}

impl RawTable {
    /// The position of a column.
    pub fn position(&self, column: &str) -> usize {
        let found = self.columns.iter().position(|name| name == column);
        found.expect("a problem names columns of its table only")
    }
}

/// For each value, its path upward: the value itself, its groups, the last text the same for all.
pub type RawHierarchy = Vec<Vec<String>>;

/// How a missing cell is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingPolicy {
    /// As a value like others.
    OwnValue,
    /// As any value: rows match if either cell is missing.
    MatchAny,
    /// By excluding the row.
    ExcludeRow,
}

/// A table and the requirements for its release.
#[derive(Debug, Clone, PartialEq)]
pub struct OracleProblem {
    /// The table.
    pub table: RawTable,
    /// The quasi-identifiers with their hierarchies, which list every value of the table, the empty text included
    /// when a cell is missing. It stays alone below the last level.
    pub quasi_identifiers: Vec<(String, RawHierarchy)>,
    /// The sensitive columns, some with a hierarchy along which distances are measured.
    pub sensitive: Vec<(String, Option<RawHierarchy>)>,
    /// The column a release should still predict.
    pub target: Option<String>,
    /// The privacy models; all must hold.
    pub models: Vec<OracleModel>,
    /// How many rows may be suppressed.
    pub max_suppressed: usize,
    /// The highest acceptable level of each quasi-identifier.
    pub max_levels: Vec<u8>,
    /// How a missing cell is treated.
    pub missing: MissingPolicy,
    /// Texts that stand for a missing cell, besides the empty one.
    pub missing_tokens: Vec<String>,
    /// The quasi-identifiers of everyone whom the rows could be about, in their order; the hierarchies list every value.
    pub population: Option<Vec<Vec<String>>>,
}

impl OracleProblem {
    /// Adds a model.
    #[must_use]
    pub fn require(mut self, model: impl Into<OracleModel>) -> Self {
        self.models.push(model.into());
        self
    }

    /// Sets the number of rows that may be suppressed.
    #[must_use]
    pub fn allow_suppressed(mut self, rows: usize) -> Self {
        self.max_suppressed = rows;
        self
    }

    /// The columns whose values models and metrics read: the sensitive ones and the target.
    pub fn counted_columns(&self) -> Vec<String> {
        let sensitive = self.sensitive.iter().map(|(column, _)| column.clone());
        let mut columns: Vec<String> = sensitive.collect();
        columns.extend(
            self.target
                .clone()
                .filter(|target| !columns.contains(target)),
        );
        columns
    }

    /// A cell, empty if it is missing.
    pub fn cell(&self, row: usize, column: usize) -> &str {
        let text = &self.table.rows[row][column];
        if self.missing_tokens.contains(text) {
            ""
        } else {
            text
        }
    }

    /// The rows that are part of the table: all, or those with no missing cell in a column that matters.
    pub fn rows(&self) -> Vec<usize> {
        let columns: Vec<usize> = (self.quasi_identifiers.iter().map(|(column, _)| column))
            .chain(&self.counted_columns())
            .map(|column| self.table.position(column))
            .collect();
        let is_kept = |row: &usize| {
            self.missing != MissingPolicy::ExcludeRow
                || columns
                    .iter()
                    .all(|&column| !self.cell(*row, column).is_empty())
        };
        (0..self.table.rows.len()).filter(is_kept).collect()
    }

    /// The people of the population: all, or those without missing cells.
    pub fn people(&self) -> Vec<&[String]> {
        let excludes = self.missing == MissingPolicy::ExcludeRow;
        let people = self.population.iter().flatten();
        let is_kept = |person: &&Vec<String>| !excludes || person.iter().all(|it| !it.is_empty());
        people.filter(is_kept).map(Vec::as_slice).collect()
    }

    /// Whether rows with these published quasi-identifiers keep what is promised of all of them together.
    pub fn holds_of_all<T: PartialEq>(&self, published: &[T]) -> bool {
        let mut models = self
            .models
            .iter()
            .filter(|it| it.promise.is_about_release());
        if models.clone().next().is_none() {
            return true;
        }
        let alike = |row: &T| published.iter().filter(|other| *other == row).count();
        let alike: Vec<usize> = published.iter().map(alike).collect();
        models.all(|model| model.promise.holds_of(&alike))
    }

    /// The values of a column, row by row.
    pub fn values(&self, rows: &[usize], column: &str) -> Vec<&str> {
        let column = self.table.position(column);
        rows.iter().map(|&row| self.cell(row, column)).collect()
    }

    /// Every node that may be published, in lattice order: by height, then by levels from left to right.
    pub fn nodes(&self) -> Vec<Vec<u8>> {
        let mut nodes = vec![Vec::new()];
        for &highest in &self.max_levels {
            nodes = nodes
                .iter()
                .flat_map(|node: &Vec<u8>| {
                    (0..=highest).map(move |level| [node.as_slice(), &[level]].concat())
                })
                .collect();
        }
        nodes.sort_by_key(|node| {
            (
                node.iter().map(|&level| u32::from(level)).sum::<u32>(),
                node.clone(),
            )
        });
        nodes
    }

    /// Generalizes every row to the levels and suppresses those whose crowd violates a model.
    ///
    /// The crowd of a row is the set of published rows it cannot be distinguished from. If a missing cell could be any
    /// value, a suppressed row may have been part of another's crowd, so unsafe rows are suppressed round by round
    /// until every remaining crowd satisfies all models.
    pub fn judge(&self, levels: &[u8]) -> Judged<'_> {
        let rows = self.rows();
        let ways_up: Vec<Vec<&[String]>> = (self.quasi_identifiers.iter())
            .map(|(column, hierarchy)| {
                let way_up = |value| {
                    let listed = hierarchy.iter().find(|way| way[0] == value);
                    listed.expect("a hierarchy lists every value").as_slice()
                };
                self.values(&rows, column).into_iter().map(way_up).collect()
            })
            .collect();
        let published: Vec<Vec<&str>> = (0..rows.len())
            .map(|row| {
                let cells = ways_up.iter().zip(levels);
                cells
                    .map(|(ways_up, &level)| ways_up[row][level as usize].as_str())
                    .collect()
            })
            .collect();
        let mut judged = Judged {
            problem: self,
            levels: levels.to_vec(),
            rows,
            ways_up,
            is_suppressed: vec![false; published.len()],
            published,
        };
        loop {
            let unsafe_rows = judged.unsafe_rows();
            if unsafe_rows.is_empty() {
                return judged;
            }
            for row in unsafe_rows {
                judged.is_suppressed[row] = true;
            }
        }
    }

    /// Judges every node.
    pub fn judge_all(&self) -> Vec<Judged<'_>> {
        let nodes = self.nodes();
        nodes.iter().map(|levels| self.judge(levels)).collect()
    }

    /// Judges every node and finds the best by a metric.
    pub fn brute_force(&self, metric: &OracleMetric) -> BruteForce {
        BruteForce::over(&self.judge_all(), metric)
    }
}

/// A node, applied to the table.
#[derive(Debug, Clone)]
pub struct Judged<'a> {
    problem: &'a OracleProblem,
    /// The level of each quasi-identifier.
    pub levels: Vec<u8>,
    /// The rows of the table that are part of it; the lists below are parallel to this one.
    pub rows: Vec<usize>,
    /// Of each quasi-identifier and row the way up from the raw value.
    ways_up: Vec<Vec<&'a [String]>>,
    /// The generalized quasi-identifiers of each row.
    pub published: Vec<Vec<&'a str>>,
    /// Whether the row violates a model.
    pub is_suppressed: Vec<bool>,
}

impl<'a> Judged<'a> {
    /// Rows of the node that now violate a model.
    fn unsafe_rows(&self) -> Vec<usize> {
        // Rows that look alike have the same crowd; asking once for each look is all that is saved here.
        let mut answers: BTreeMap<&[&str], bool> = BTreeMap::new();
        let mut unsafe_rows = Vec::new();
        for row in (0..self.rows.len()).filter(|&row| !self.is_suppressed[row]) {
            let look = self.published[row].as_slice();
            let is_safe = match answers.get(look) {
                Some(&is_safe) => is_safe,
                None => {
                    let crowd = self.crowd(row);
                    let people = self.people(look);
                    let is_safe = (self.problem.models.iter()).all(|model| {
                        model.holds(self.problem, &crowd, &self.rows)
                            && model.promise.holds_among(crowd.len(), people, crowd.len())
                    });
                    answers.insert(look, is_safe);
                    is_safe
                }
            };
            if !is_safe {
                unsafe_rows.push(row);
            }
        }
        unsafe_rows
    }

    /// How many people of the population look like this at these levels.
    fn people(&self, look: &[&str]) -> usize {
        let population = self.problem.people();
        let looks_so = |person: &[String]| {
            let cells = person.iter().zip(&self.problem.quasi_identifiers);
            let mut cells = cells.zip(&self.levels).zip(look);
            cells.all(|(((cell, (_, hierarchy)), &level), look)| {
                let way = hierarchy.iter().find(|way| way[0] == *cell);
                way.expect("a hierarchy lists every value")[level as usize] == **look
            })
        };
        population.iter().filter(|person| looks_so(person)).count()
    }

    /// The published rows, by their number in the table, that a row cannot be distinguished from.
    fn crowd(&self, row: usize) -> Vec<usize> {
        let matches_any = self.problem.missing == MissingPolicy::MatchAny;
        let is_missing = |attribute: usize, row: usize| {
            matches_any && self.ways_up[attribute][row][0].is_empty()
        };
        let looks_like = |&other: &usize| {
            (0..self.levels.len()).all(|attribute| {
                is_missing(attribute, row)
                    || is_missing(attribute, other)
                    || self.published[row][attribute] == self.published[other][attribute]
            })
        };
        let published = (0..self.rows.len()).filter(|&other| !self.is_suppressed[other]);
        published
            .filter(looks_like)
            .map(|other| self.rows[other])
            .collect()
    }

    /// How many rows are suppressed.
    pub fn rows_suppressed(&self) -> usize {
        self.is_suppressed.iter().filter(|&&it| it).count()
    }

    /// Whether the node may be published.
    pub fn is_feasible(&self) -> bool {
        let published = (0..self.rows.len()).filter(|&row| !self.is_suppressed[row]);
        let published: Vec<&[&str]> = published.map(|row| &self.published[row][..]).collect();
        self.rows_suppressed() <= self.problem.max_suppressed
            && self.problem.holds_of_all(&published)
    }

    /// All classes, suppressed or not: rows, as positions in `rows`, that are published alike.
    pub fn classes(&self) -> Vec<Vec<usize>> {
        let mut classes: BTreeMap<&[&str], Vec<usize>> = BTreeMap::new();
        for (row, look) in self.published.iter().enumerate() {
            classes.entry(look).or_default().push(row);
        }
        classes.into_values().collect()
    }

    /// The classes that are published.
    pub fn published_classes(&self) -> Vec<Vec<usize>> {
        let mut classes = self.classes();
        classes.retain(|class| !self.is_suppressed[class[0]]);
        classes
    }

    /// Class sizes with the number of classes of each size (the KA-histogram of paper 004).
    pub fn size_histogram(&self) -> BTreeMap<usize, usize> {
        let mut histogram = BTreeMap::new();
        for class in self.classes() {
            *histogram.entry(class.len()).or_insert(0) += 1;
        }
        histogram
    }

    /// The loss by a metric, whether the node is feasible or not.
    pub fn loss(&self, metric: &OracleMetric) -> f64 {
        metric.loss(self)
    }
}

/// What brute force knows of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct OracleNode {
    /// The level of each quasi-identifier.
    pub levels: Vec<u8>,
    /// Rows in classes that break a promise.
    pub rows_suppressed: usize,
    /// Whether that is within the budget.
    pub is_feasible: bool,
    /// The loss.
    pub loss: f64,
}

/// Every node, and the best of them.
#[derive(Debug, Clone, PartialEq)]
pub struct BruteForce {
    /// All nodes in lattice order.
    pub nodes: Vec<OracleNode>,
    /// The least loss of a feasible node.
    pub least_loss: Option<f64>,
    /// The feasible nodes with that loss, in lattice order. Losses as close as [`almost_equal`] count as equal.
    pub optima: Vec<Vec<u8>>,
}

impl BruteForce {
    /// The best of judged nodes.
    pub fn over(judged: &[Judged<'_>], metric: &OracleMetric) -> Self {
        let nodes: Vec<OracleNode> = judged
            .iter()
            .map(|judged| OracleNode {
                levels: judged.levels.clone(),
                rows_suppressed: judged.rows_suppressed(),
                is_feasible: judged.is_feasible(),
                loss: judged.loss(metric),
            })
            .collect();
        let feasible = || nodes.iter().filter(|node| node.is_feasible);
        let least_loss = feasible().map(|node| node.loss).reduce(f64::min);
        let optima = feasible()
            .filter(|node| least_loss.is_some_and(|least| almost_equal(node.loss, least)))
            .map(|node| node.levels.clone())
            .collect();
        BruteForce {
            least_loss,
            optima,
            nodes,
        }
    }
}

/// Whether two losses are the same but for rounding.
pub fn almost_equal(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1e-3)
}
