//! How wrong the answers to questions are that people ask of a release.

use super::{
    ClassSum, Cover, Detail, Loss, MetricEntry, MetricKind, OverlappingGroups, Published,
    PublishedAttribute, UtilityMetric,
};
use crate::counts::{Attribute, CountedTable, in_parallel, pieces};
use crate::draw::Draw;
use crate::hierarchy::Leaf;
use crate::registry::{Given, Kind, Setting};
use std::ops::Range;

crate::documented! {
    /// Mean relative error of random COUNT queries answered from the release.
    ///
    /// A query counts the rows that have certain values in one to three quasi-identifiers: numbers and dates from one
    /// value to another, or a single other value. The values are drawn as often as they occur in the table. From the
    /// release it is answered as if the rows of a class were spread evenly over the raw tuples that its published
    /// values stand for; suppressed rows are not counted. The error of an answer is its distance from the number of
    /// raw rows, divided by that number, or by a thousandth of all rows (at least one row) where that is more.
    ///
    /// # Range
    /// 0 (raw) and up.
    /// # Paper
    /// K. LeFevre, D. DeWitt and R. Ramakrishnan, Workload-Aware Anonymization, KDD 2006; small answers bounded as by
    /// X. Xiao, G. Wang and J. Gehrke, Differential Privacy via Wavelet Transforms, ICDE 2010.
    #[derive(Debug, Clone)]
    pub struct QueryError {
        queries: Vec<Query>,
        /// Rows of the table that each query counts.
        answers: Vec<u64>,
        /// What an error is divided by at least.
        least_answer: f64,
        attributes: Vec<Asked>,
    }
}

pub(super) const ENTRY: MetricEntry = MetricEntry {
    name: "query-error",
    card: QueryError::CARD,
    settings: &[
        Setting::optional(QUERIES, Kind::Count, "how many queries are asked").or("100"),
        Setting::optional(SEED, Kind::Count, "decides which queries are asked").or("1"),
    ],
    kind: MetricKind::new(|given, table| Ok(Box::new(QueryError::new(given, table)))),
};

const QUERIES: &str = "queries";
const SEED: &str = "seed";

/// The most quasi-identifiers a query is about.
const MOST_COLUMNS: usize = 3;

/// A question: how many rows have these values?
#[derive(Debug, Clone, PartialEq, Eq)]
struct Query {
    /// Attributes, none twice, and what is asked of each.
    conditions: Vec<(usize, Condition)>,
}

/// What is asked of one attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Condition {
    /// It has this value.
    Is(Leaf),
    /// Its value is a number of a rank from one to another, both included.
    Between(u32, u32),
}

/// One attribute, as queries look at it.
#[derive(Debug, Clone)]
struct Asked {
    /// The rank of each leaf among the numbers; [`NO_NUMBER`] for a missing one. None when there are other values.
    ranks: Option<Vec<u32>>,
    /// For each leaf the queries that accept it, a bit each.
    accepted: Vec<u64>,
}

const NO_NUMBER: u32 = u32::MAX;

impl Asked {
    fn new(attribute: &Attribute) -> Self {
        let ranks = attribute.numbers_of_leaves().map(|numbers| {
            let mut distinct = numbers.clone();
            distinct.retain(|number| !number.is_nan());
            distinct.sort_unstable_by(f64::total_cmp);
            distinct.dedup();
            let rank = |number: &f64| match number.is_nan() {
                true => NO_NUMBER,
                false => distinct.partition_point(|other| other < number) as u32,
            };
            numbers.iter().map(rank).collect()
        });
        Asked {
            ranks,
            accepted: Vec::new(),
        }
    }

    /// The condition that two rows give.
    fn condition(&self, one: Leaf, other: Leaf) -> Condition {
        match &self.ranks {
            Some(ranks) => match (ranks[one.index()], ranks[other.index()]) {
                (NO_NUMBER, _) | (_, NO_NUMBER) => Condition::Is(one),
                (one, other) => Condition::Between(one.min(other), one.max(other)),
            },
            None => Condition::Is(one),
        }
    }

    fn accepts(&self, condition: Condition, leaf: usize) -> bool {
        match condition {
            Condition::Is(wanted) => wanted.index() == leaf,
            Condition::Between(low, high) => {
                let ranks = self.ranks.as_ref();
                ranks.is_some_and(|ranks| (low..=high).contains(&ranks[leaf]))
            }
        }
    }
}

impl QueryError {
    /// The metric for a table.
    pub fn new(given: &Given, table: &CountedTable) -> Self {
        let (asked, seed) = (given.count(QUERIES), given.count(SEED));
        Self::asking(asked as usize, seed.into(), table)
    }

    /// So many queries, which the seed decides.
    pub fn asking(queries: usize, seed: u64, table: &CountedTable) -> Self {
        let mut attributes: Vec<Asked> = table.attributes.iter().map(Asked::new).collect();
        let queries = match table.rows {
            0 => Vec::new(),
            _ => draw(table, &attributes, queries, seed),
        };
        let words = queries.len().div_ceil(64);
        for (at, attribute) in attributes.iter_mut().enumerate() {
            let leaves = table.attributes[at].hierarchy.leaves();
            let mut accepted = vec![0; leaves * words];
            for (number, query) in queries.iter().enumerate() {
                let condition = query.conditions.iter().find(|(of, _)| *of == at);
                for leaf in 0..leaves {
                    if condition.is_none_or(|(_, it)| attribute.accepts(*it, leaf)) {
                        accepted[leaf * words + number / 64] |= 1 << (number % 64);
                    }
                }
            }
            attribute.accepted = accepted;
        }
        let ranges = pieces(table.tuples.len(), table.threads);
        let parts = in_parallel(table.threads, ranges, |range| {
            answers(table, &attributes, queries.len(), range)
        });
        let mut answers = vec![0; queries.len()];
        for part in parts {
            (answers.iter_mut().zip(part)).for_each(|(answer, part)| *answer += part);
        }
        QueryError {
            answers,
            least_answer: (f64::from(table.rows) / 1000.0).max(1.0),
            attributes,
            queries,
        }
    }

    /// The leaves that each query accepts in each attribute that it is about.
    pub fn queries(&self) -> impl Iterator<Item = Vec<(usize, Vec<u32>)>> {
        self.queries.iter().map(|query| {
            let conditions = query.conditions.iter().map(|&(at, condition)| {
                let attribute = &self.attributes[at];
                let words = self.queries.len().div_ceil(64);
                let leaves = 0..attribute.accepted.len() / words;
                let accepted = leaves.filter(|&leaf| attribute.accepts(condition, leaf));
                (at, accepted.map(|leaf| leaf as u32).collect())
            });
            conditions.collect()
        })
    }

    /// The relative error of each query.
    pub fn errors(&self, published: &Published<'_>) -> Vec<f64> {
        let mut estimates = Estimates::new(self, published);
        published
            .safe_classes()
            .for_each(|class| estimates.publish(class));
        estimates.errors().collect()
    }
}

/// The rows of a range of tuples that each of so many queries accepts.
fn answers(
    table: &CountedTable,
    attributes: &[Asked],
    queries: usize,
    tuples: Range<usize>,
) -> Vec<u64> {
    let mut answers = vec![0; queries];
    let mut looked = vec![0; queries.div_ceil(64)];
    for tuple in tuples {
        looked.fill(u64::MAX);
        for (at, attribute) in attributes.iter().enumerate() {
            let leaf = table.leaf(tuple, at);
            narrow(&mut looked, &attribute.accepted, leaf.index());
        }
        for_each_bit(&looked, |query| {
            if let Some(answer) = answers.get_mut(query) {
                *answer += u64::from(table.tuples.sizes()[tuple]);
            }
        });
    }
    answers
}

/// What readers of published classes would answer.
struct Estimates<'a> {
    metric: &'a QueryError,
    classes: &'a Published<'a>,
    shown: Vec<Shown<'a>>,
    /// In whole numbers, so that the order of the classes does not matter.
    estimates: Vec<u128>,
    /// Queries that a class may be counted by, a bit each.
    looked: Vec<u64>,
}

impl<'a> Estimates<'a> {
    const ONE: f64 = (1u64 << 60) as f64;

    fn new(metric: &'a QueryError, classes: &'a Published<'a>) -> Self {
        let attributes = classes.attributes.iter().zip(&metric.attributes);
        Estimates {
            metric,
            classes,
            shown: (attributes.enumerate())
                .map(|(at, (shown, asked))| Shown::new(shown, asked, at, &metric.queries))
                .collect(),
            estimates: vec![0; metric.queries.len()],
            looked: vec![0; metric.queries.len().div_ceil(64)],
        }
    }

    fn errors(&self) -> impl Iterator<Item = f64> {
        let answers = self.estimates.iter().zip(&self.metric.answers);
        answers.map(|(&estimate, &answer)| {
            let (estimate, answer) = (estimate as f64 / Self::ONE, answer as f64);
            (estimate - answer).abs() / answer.max(self.metric.least_answer)
        })
    }
}

impl ClassSum for Estimates<'_> {
    fn publish(&mut self, class: usize) {
        let Estimates {
            metric,
            classes,
            shown,
            estimates,
            looked,
        } = self;
        let (size, groups) = (classes.sizes[class], classes.groups_of(class));
        looked.fill(u64::MAX);
        for (&group, shown) in groups.iter().zip(&*shown) {
            narrow(looked, &shown.accepted, group as usize);
        }
        for_each_bit(looked, |query| {
            let Some(estimate) = estimates.get_mut(query) else {
                return;
            };
            let conditions = metric.queries[query].conditions.iter();
            let share: f64 = conditions
                .map(|&(at, condition)| shown[at].share(groups[at] as usize, condition))
                .product();
            *estimate += (f64::from(size) * share * Self::ONE) as u128;
        });
    }

    fn loss(&self, _rows_suppressed: u32) -> Loss {
        let queries = self.estimates.len().max(1) as f64;
        Loss(self.errors().sum::<f64>() / queries)
    }
}

/// Draws queries. A query is about one to three attributes; the values of each are those of rows that are drawn.
fn draw(table: &CountedTable, attributes: &[Asked], queries: usize, seed: u64) -> Vec<Query> {
    let mut draw = Draw::new(seed);
    let ends: Vec<Vec<u64>> = (table.attributes.iter())
        .map(|attribute| {
            let rows = attribute.rows_of_groups[0].iter();
            let ends = rows.scan(0, |end, &rows| {
                *end += u64::from(rows);
                Some(*end)
            });
            ends.collect()
        })
        .collect();
    let leaf = |draw: &mut Draw, at: usize| {
        let row = draw.below(table.rows as usize) as u64;
        Leaf(ends[at].partition_point(|&end| end <= row) as u32)
    };
    (0..queries)
        .map(|_| {
            let mut order: Vec<usize> = (0..attributes.len()).collect();
            let columns = 1 + draw.below(order.len().clamp(1, MOST_COLUMNS));
            let columns = columns.min(order.len());
            let conditions = (0..columns).map(|at| {
                let other = at + draw.below(order.len() - at);
                order.swap(at, other);
                let (one, other) = (leaf(&mut draw, order[at]), leaf(&mut draw, order[at]));
                (order[at], attributes[order[at]].condition(one, other))
            });
            Query {
                conditions: conditions.collect(),
            }
        })
        .collect()
}

/// Leaves only the queries that accept a leaf or a group too.
fn narrow(looked: &mut [u64], accepted: &[u64], number: usize) {
    let words = looked.len();
    for (looked, accepted) in looked.iter_mut().zip(&accepted[number * words..]) {
        *looked &= accepted;
    }
}

fn for_each_bit(words: &[u64], mut look: impl FnMut(usize)) {
    for (at, &word) in words.iter().enumerate() {
        let mut left = word;
        while left != 0 {
            look(at * 64 + left.trailing_zeros() as usize);
            left &= left - 1;
        }
    }
}

/// An attribute as published, as queries look at it.
struct Shown<'a> {
    /// Raw values under each group.
    leaves: &'a [u32],
    /// For each group the queries that accept any of its leaves, a bit each.
    accepted: Vec<u64>,
    members: Members<'a>,
}

/// The leaves of every group.
enum Members<'a> {
    /// Their ranks, ascending, and where each group ends.
    Ranks { ranks: Vec<u32>, ends: Vec<usize> },
    /// Groups that may share leaves, and at which position of their order each rank begins.
    Sets {
        groups: &'a OverlappingGroups,
        starts: Vec<u32>,
    },
}

impl<'a> Shown<'a> {
    /// An attribute at this position, for these queries.
    fn new(shown: &PublishedAttribute<'a>, asked: &Asked, at: usize, queries: &[Query]) -> Self {
        let words = queries.len().div_ceil(64);
        let mut accepted = vec![0; shown.leaves.len() * words];
        let members = match shown.cover {
            Cover::Disjoint(groups_of_leaves) => {
                for (leaf, &group) in groups_of_leaves.iter().enumerate() {
                    let of_leaf = &asked.accepted[leaf * words..(leaf + 1) * words];
                    let of_group = accepted[group as usize * words..].iter_mut();
                    of_group
                        .zip(of_leaf)
                        .for_each(|(group, leaf)| *group |= leaf);
                }
                Members::ranks(groups_of_leaves, shown.leaves.len(), asked)
            }
            Cover::Overlapping(groups) => {
                let members = Members::sets(groups, asked);
                for (number, query) in queries.iter().enumerate() {
                    let condition = query.conditions.iter().find(|(of, _)| *of == at);
                    for group in 0..shown.leaves.len() {
                        if condition.is_none_or(|(_, it)| members.met(group, *it) > 0) {
                            accepted[group * words + number / 64] |= 1 << (number % 64);
                        }
                    }
                }
                members
            }
        };
        Shown {
            leaves: shown.leaves,
            accepted,
            members,
        }
    }

    /// The share of a group's leaves that meet a condition that some of them meet.
    fn share(&self, group: usize, condition: Condition) -> f64 {
        f64::from(self.members.met(group, condition)) / f64::from(self.leaves[group])
    }
}

impl<'a> Members<'a> {
    fn ranks(groups_of_leaves: &[u32], groups: usize, asked: &Asked) -> Self {
        let ranks = asked.ranks.iter().flatten();
        let mut members: Vec<(u32, u32)> = (groups_of_leaves.iter().copied())
            .zip(ranks.copied())
            .collect();
        members.sort_unstable();
        let end = |group: u32| members.partition_point(|member| member.0 <= group);
        Members::Ranks {
            ends: (0..groups as u32).map(end).collect(),
            ranks: members.iter().map(|member| member.1).collect(),
        }
    }

    fn sets(groups: &'a OverlappingGroups, asked: &Asked) -> Self {
        let order = &groups.order;
        let mut starts = Vec::new();
        for position in 0..order.len() {
            let rank = asked
                .ranks
                .as_ref()
                .map(|it| it[order.leaf(position).index()]);
            // Numbers come in the order of their ranks, after cells that are none.
            if rank == Some(starts.len() as u32) {
                starts.push(position);
            }
        }
        starts.push(order.len());
        Members::Sets { groups, starts }
    }

    /// How many leaves of a group meet a condition. A group of [`Members::Ranks`] is only asked about a single value that
    /// it has.
    fn met(&self, group: usize, condition: Condition) -> u32 {
        match (self, condition) {
            (Members::Ranks { .. }, Condition::Is(_)) => 1,
            (Members::Ranks { ranks, ends }, Condition::Between(low, high)) => {
                let start = if group == 0 { 0 } else { ends[group - 1] };
                let ranks = &ranks[start..ends[group]];
                let below = ranks.partition_point(|&rank| rank < low);
                (ranks.partition_point(|&rank| rank <= high) - below) as u32
            }
            (Members::Sets { groups, .. }, Condition::Is(leaf)) => {
                u32::from(groups.leaves[group].contains(groups.order.position(leaf)))
            }
            (Members::Sets { groups, starts }, Condition::Between(low, high)) => {
                let (start, end) = (starts[low as usize], starts[high as usize + 1]);
                groups.leaves[group].len_between(start, end)
            }
        }
    }
}

impl UtilityMetric for QueryError {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn detail(&self) -> Detail {
        Detail::Groups
    }

    fn loss(&self, published: &Published<'_>) -> Loss {
        let errors = self.errors(published);
        Loss(errors.iter().sum::<f64>() / errors.len().max(1) as f64)
    }

    fn class_sum<'a>(&'a self, classes: &'a Published<'a>) -> Option<Box<dyn ClassSum + 'a>> {
        Some(Box::new(Estimates::new(self, classes)))
    }
}
