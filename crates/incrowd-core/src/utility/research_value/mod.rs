//! What a release is still worth to someone who knows the field.

mod rules;
mod side;
mod weights;

pub(crate) use side::{Left, RuleSide, Said};
pub use weights::automatic_weights;

use super::floors::Ladders;
use super::{
    Cover, Detail, Known, Loss, MetricEntry, MetricKind, OverlappingGroups, Published,
    PublishedAttribute, UtilityMetric,
};
use crate::counts::{Attribute, CountedTable};
use crate::error::Error;
use crate::lattice::{Level, Node};
use crate::registry::{Given, Kind, Setting};
use rules::BoundRule;
use weights::{Associations, equal_weights};

crate::documented! {
    /// What experts say a release is worth: weights of the columns, their detail, and the rules that survive.
    ///
    /// The value of a quasi-identifier is weight * granularity * ratio; that of a release is the sum, and at most 1.
    /// Shown as a loss: 1 - value / greatest possible value.
    ///
    /// Granularity of numbers and dates: N / sum over rows of the span of the published value. The span is greatest -
    /// least + 1 (days, for dates) over the values that the hierarchy lists under it, so 1 for a single value.
    /// Granularity of text: groups / values, as the hierarchy lists them. Where a value may be published in several
    /// ways (regions), a raw value counts 1 / size of the published one, on average over the rows whose published value
    /// may stand for it; the granularity is the mean over the raw values that some row may stand for.
    ///
    /// A rule says which values must stay apart, and how important that is: `age: 64|65 = 25`, `race: White != Black =
    /// 20`, `race: {White, Black} != {Other} = 5`. It is kept if no published value stands for values of both sides.
    /// Ratio of a quasi-identifier: (base + importance of the rules kept) / (base + importance of all its rules), 1
    /// without rules.
    ///
    /// A suppressed row counts as one published at the top: it spans the whole column, is in a single group, and keeps
    /// no rule. So the importance of kept rules counts by the share of rows that are not suppressed.
    ///
    /// Exponents shift the emphasis: weight * granularity^g * ratio^r. The value of each level may also be given by
    /// hand; it then replaces granularity * ratio, each row counts by the level of its published value, and a
    /// suppressed row by the least value of any level.
    ///
    /// # Range
    /// 0 (raw) to 1 (nothing of what counts is left).
    /// # Paper
    /// S. M. Morton, An Improved Utility Driven Approach Towards k-Anonymity Using Data Constraint Rules, Ph.D.
    /// thesis.
    /// # Differs from the paper
    /// Works for every recoding and with suppressed rows, of which the paper says nothing; spans count what the
    /// hierarchy lists; the exponents are what the paper asks for in its future work.
    #[derive(Debug, Clone)]
    pub struct ResearchValue {
        rows: u32,
        columns: Vec<Column>,
        /// By spans; 1 for text.
        ladders: Ladders,
        base: f64,
        granularity_exponent: f64,
        rule_exponent: f64,
        greatest: f64,
        /// Whether floors need no slack: see [`ResearchValue::floor`].
        is_exact: bool,
    }
}

const RULES: Setting = Setting::optional(
    "rules",
    Kind::Rules,
    "values to be told apart, each with its importance",
);
const BASE: Setting = Setting::optional(
    "base",
    Kind::AtLeastZero,
    "what is added to the importance of all rules and of those kept, so that a value is left when every rule breaks",
)
.or("0");
const WEIGHTS: Setting = Setting::optional(
    "weights",
    Kind::Weights,
    "the share of each quasi-identifier; all together 1, and 0 for those not named",
);
const WEIGHTING: Setting = Setting::optional(
    "weighting",
    Kind::Choice(&["equal", "auto"]),
    "how weights are chosen if none is given: all equal, or in proportion to 1 - mean association with the others",
)
.or("equal");
const DROP_ASSOCIATED: Setting = Setting::optional(
    "drop-associated",
    Kind::Share,
    "of quasi-identifiers whose association is at least this, only the first counts; does not apply to given weights",
);
const GRANULARITY_EXPONENT: Setting = Setting::optional(
    "granularity-exponent",
    Kind::AtLeastZero,
    "exponent of the granularity",
)
.or("1");
const RULE_EXPONENT: Setting = Setting::optional(
    "rule-exponent",
    Kind::AtLeastZero,
    "exponent of the ratio of rules kept",
)
.or("1");
const LEVEL_VALUES: Setting = Setting::optional(
    "level-values",
    Kind::NumbersByLevel,
    "the value of each level of a quasi-identifier, in place of the one computed",
);

pub(super) const ENTRY: MetricEntry = MetricEntry {
    name: "research-value",
    card: ResearchValue::CARD,
    settings: &[
        RULES,
        BASE,
        WEIGHTS,
        WEIGHTING,
        DROP_ASSOCIATED,
        GRANULARITY_EXPONENT,
        RULE_EXPONENT,
        LEVEL_VALUES,
    ],
    kind: MetricKind::new(|given, table| Ok(Box::new(ResearchValue::new(given, table)?))),
};

/// What is known of one attribute.
#[derive(Debug, Clone)]
struct Column {
    weight: f64,
    leaves: usize,
    /// Of numbers; none for text.
    spans: Option<Spans>,
    /// Groups of each level.
    groups: Vec<usize>,
    rules: Vec<BoundRule>,
    /// The importance of all rules.
    importance: f64,
    /// For each level, whether each rule is kept there.
    kept: Vec<Vec<bool>>,
    /// For each level, the importance of the rules kept there.
    kept_importance: Vec<f64>,
    /// The value of each level, if given by hand.
    by_hand: Option<Vec<f64>>,
}

/// How many numbers the groups of an attribute span.
#[derive(Debug, Clone)]
struct Spans {
    numbers: Vec<f64>,
    /// Of each group of each level.
    of_groups: Vec<Vec<f64>>,
    /// Of the whole column.
    widest: f64,
}

/// The research value of one quasi-identifier.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeValue {
    /// How much it counts.
    pub weight: f64,
    /// Its value.
    pub value: f64,
    /// The share of the importance of its rules that is kept by what is published.
    pub ratio: f64,
    /// Whether each of its rules is kept, in the order in which they were given.
    pub kept: Vec<bool>,
}

impl ResearchValue {
    /// The metric for a table.
    pub fn new(given: &Given, table: &CountedTable) -> Result<Self, Error> {
        let rules = given.rules(RULES.name);
        let is_attribute = |column: &str| table.attributes.iter().any(|it| it.name == column);
        if let Some(rule) = rules.iter().find(|rule| !is_attribute(&rule.column)) {
            let column = rule.column.clone();
            return Err(Error::RuleColumn { column });
        }
        let by_hand = given.numbers_by_level(LEVEL_VALUES.name);
        if let Some((column, _)) = by_hand.iter().find(|(column, _)| !is_attribute(column)) {
            return Err(unknown(column));
        }
        let weights = weights(given, table)?;
        let mut columns = Vec::new();
        for (attribute, weight) in table.attributes.iter().zip(weights) {
            let by_hand = by_hand.iter().find(|(column, _)| *column == attribute.name);
            let by_hand = by_hand.map(|(_, values)| values.clone());
            columns.push(Column::new(attribute, weight, &rules, by_hand)?);
        }
        let exponents = [GRANULARITY_EXPONENT, RULE_EXPONENT];
        let [granularity_exponent, rule_exponent] =
            exponents.map(|setting| given.decimal(setting.name).to_f64());
        let most = |it: &Column| it.by_hand.iter().flatten().copied().reduce(f64::max);
        let greatest = columns.iter().map(|it| it.weight * most(it).unwrap_or(1.0));
        let span = |attribute: usize, level: Level, group: usize| {
            let column: &Column = &columns[attribute];
            column
                .spans
                .as_ref()
                .map_or(1.0, |it| it.of_groups[level.index()][group])
        };
        let is_whole = |column: &Column| match &column.spans {
            Some(spans) => {
                let mut all = spans.of_groups.iter().flatten();
                all.all(|span| span.fract() == 0.0)
                    && spans.widest * f64::from(table.rows) < (1u64 << 53) as f64
            }
            None => f64::from(table.rows) * (column.leaves as f64) < (1u64 << 53) as f64,
        };
        Ok(ResearchValue {
            rows: table.rows,
            ladders: Ladders::new(table, span),
            base: given.decimal(BASE.name).to_f64(),
            greatest: greatest.sum(),
            is_exact: granularity_exponent == 1.0
                && rule_exponent == 1.0
                && (columns.iter()).all(|it| it.by_hand.is_none() && is_whole(it)),
            granularity_exponent,
            rule_exponent,
            columns,
        })
    }

    /// The value of the raw table.
    pub fn greatest(&self) -> f64 {
        self.greatest
    }

    /// The value of an attribute when it is published at a level and no row is suppressed.
    pub fn of_level(&self, attribute: usize, level: Level) -> AttributeValue {
        let spanned = self.ladders.all(attribute, level);
        self.at_level(&self.columns[attribute], level, spanned, 0)
    }

    /// The value of each attribute of a release.
    pub fn of_attributes(&self, published: &Published<'_>) -> Vec<AttributeValue> {
        let rows_suppressed = published.rows_suppressed;
        let attributes = published.attributes.iter().zip(&published.table.attributes);
        let columns = self.columns.iter().zip(attributes);
        columns
            .map(|(column, (shown, attribute))| match shown.level {
                Some(level) => {
                    let spans = column.spans.as_ref();
                    let spans = spans.map(|it| it.of_groups[level.index()].as_slice());
                    let spanned = spans.map_or(0.0, |spans| spanned(spans, shown));
                    self.at_level(column, level, spanned, rows_suppressed)
                }
                None => self.mixed(column, shown, attribute, rows_suppressed),
            })
            .collect()
    }

    /// Which rules of an attribute are kept by values that stand for these groups of leaves.
    pub fn kept_by(&self, attribute: usize, groups: &OverlappingGroups) -> Vec<bool> {
        let rules = self.columns[attribute].rules.iter();
        rules.map(|rule| rule.is_kept_by(groups)).collect()
    }

    /// The value of a release, from those of its attributes; at most [`ResearchValue::greatest`].
    pub fn total(values: &[AttributeValue]) -> f64 {
        values.iter().map(|it| it.value).sum()
    }

    fn loss_of_total(&self, total: f64) -> f64 {
        match self.rows > 0 && self.greatest > 0.0 {
            true => (1.0 - total / self.greatest).max(0.0),
            false => 0.0,
        }
    }

    /// An attribute published at one level, the rows of which that are not suppressed span so much together.
    fn at_level(
        &self,
        column: &Column,
        level: Level,
        spanned: f64,
        rows_suppressed: u32,
    ) -> AttributeValue {
        let value = match &column.by_hand {
            Some(values) => {
                let kept = values[level.index()] * f64::from(self.rows - rows_suppressed);
                column.weight * self.by_hand(values, kept, rows_suppressed)
            }
            None => self.computed_at_level(column, level, spanned, rows_suppressed),
        };
        AttributeValue {
            weight: column.weight,
            value,
            ratio: self.ratio(column, column.kept_importance[level.index()]),
            kept: column.kept[level.index()].clone(),
        }
    }

    /// The value at a level, unless it is given by hand.
    fn computed_at_level(
        &self,
        column: &Column,
        level: Level,
        spanned: f64,
        rows_suppressed: u32,
    ) -> f64 {
        let granularity = match &column.spans {
            Some(spans) => self.of_spans(spans, spanned, rows_suppressed),
            None => self.of_groups(column.groups[level.index()], column.leaves, rows_suppressed),
        };
        let kept_importance = column.kept_importance[level.index()];
        self.computed(column, granularity, kept_importance, rows_suppressed)
    }

    /// An attribute whose published values come from several levels, or from none.
    fn mixed(
        &self,
        column: &Column,
        shown: &PublishedAttribute<'_>,
        attribute: &Attribute,
        rows_suppressed: u32,
    ) -> AttributeValue {
        let kept: Vec<bool> = (column.rules.iter())
            .map(|rule| rule.is_kept(shown))
            .collect();
        let kept_importance = kept_importance(&column.rules, &kept);
        let value = match &column.by_hand {
            Some(values) => {
                let levels = shown.levels_of_groups(&attribute.hierarchy);
                let sum = (levels.iter().zip(shown.rows).enumerate())
                    .map(|(group, (level, &rows))| {
                        values[level.index()] * f64::from(rows - shown.suppressed(group))
                    })
                    .sum();
                column.weight * self.by_hand(values, sum, rows_suppressed)
            }
            None => {
                let granularity = self.mixed_granularity(column, shown, rows_suppressed);
                self.computed(column, granularity, kept_importance, rows_suppressed)
            }
        };
        AttributeValue {
            weight: column.weight,
            value,
            ratio: self.ratio(column, kept_importance),
            kept,
        }
    }

    fn mixed_granularity(
        &self,
        column: &Column,
        shown: &PublishedAttribute<'_>,
        rows_suppressed: u32,
    ) -> f64 {
        match (&column.spans, shown.cover) {
            (Some(spans), cover) => {
                let of_groups = match cover {
                    Cover::Disjoint(groups) => spans_of(&spans.numbers, groups, shown.leaves.len()),
                    Cover::Overlapping(groups) => groups.spans().into_iter().map(span).collect(),
                };
                self.of_spans(spans, spanned(&of_groups, shown), rows_suppressed)
            }
            (None, Cover::Disjoint(_)) => {
                let groups = shown.leaves.iter().filter(|&&leaves| leaves > 0).count();
                self.of_groups(groups, column.leaves, rows_suppressed)
            }
            (None, Cover::Overlapping(groups)) => {
                let kept = f64::from(self.rows - rows_suppressed) * of_overlapping(groups, shown);
                let suppressed = f64::from(rows_suppressed) / column.leaves as f64;
                self.of_rows(kept + suppressed)
            }
        }
    }

    /// The granularity of numbers.
    fn of_spans(&self, spans: &Spans, spanned: f64, rows_suppressed: u32) -> f64 {
        let all = spanned + f64::from(rows_suppressed) * spans.widest;
        match self.rows {
            0 => 1.0,
            rows => f64::from(rows) / all,
        }
    }

    /// The granularity of text.
    fn of_groups(&self, groups: usize, leaves: usize, rows_suppressed: u32) -> f64 {
        // Whole numbers, so that it never rises with suppressed rows by rounding.
        let kept = f64::from(self.rows - rows_suppressed) * groups as f64;
        let all = f64::from(self.rows) * leaves as f64;
        match self.rows {
            0 => 1.0,
            _ => (kept + f64::from(rows_suppressed)) / all,
        }
    }

    /// The mean over rows.
    fn of_rows(&self, sum: f64) -> f64 {
        match self.rows {
            0 => 1.0,
            rows => sum / f64::from(rows),
        }
    }

    /// The mean value of rows, given the sum of those that are not suppressed.
    fn by_hand(&self, values: &[f64], sum: f64, rows_suppressed: u32) -> f64 {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        self.of_rows(sum + f64::from(rows_suppressed) * least)
    }

    fn computed(
        &self,
        column: &Column,
        granularity: f64,
        kept_importance: f64,
        rows_suppressed: u32,
    ) -> f64 {
        let share = match self.rows {
            0 => 1.0,
            rows => f64::from(rows - rows_suppressed) / f64::from(rows),
        };
        let ratio = self.ratio(column, kept_importance * share);
        column.weight
            * power(granularity, self.granularity_exponent)
            * power(ratio, self.rule_exponent)
    }

    /// The share of the importance of rules that is kept.
    fn ratio(&self, column: &Column, kept_importance: f64) -> f64 {
        match column.rules.is_empty() {
            true => 1.0,
            false => (self.base + kept_importance) / (self.base + column.importance),
        }
    }
}

/// The importance of the rules that are kept.
fn kept_importance(rules: &[BoundRule], kept: &[bool]) -> f64 {
    let kept = rules.iter().zip(kept).filter(|(_, kept)| **kept);
    kept.map(|(rule, _)| rule.importance).sum()
}

impl Column {
    fn new(
        attribute: &Attribute,
        weight: f64,
        rules: &[crate::registry::Rule],
        by_hand: Option<Vec<f64>>,
    ) -> Result<Self, Error> {
        let hierarchy = &attribute.hierarchy;
        let levels = || Level::up_to(hierarchy.height());
        if let Some(values) = &by_hand
            && values.len() != levels().count()
        {
            return Err(Error::LevelValues {
                column: attribute.name.clone(),
                given: values.len(),
                expected: levels().count(),
            });
        }
        let rules = BoundRule::all(attribute, rules)?;
        let spans = attribute.numbers_of_leaves().map(|numbers| Spans {
            of_groups: levels()
                .map(|level| {
                    let groups = hierarchy.groups_of_leaves(level);
                    spans_of(&numbers, groups, hierarchy.groups(level))
                })
                .collect(),
            widest: spans_of(&numbers, &vec![0; numbers.len()], 1)[0],
            numbers,
        });
        let kept = levels().map(|level| {
            let shown = PublishedAttribute::at_level(attribute, level, &[]);
            rules.iter().map(|rule| rule.is_kept(&shown)).collect()
        });
        let kept: Vec<Vec<bool>> = kept.collect();
        Ok(Column {
            weight,
            leaves: hierarchy.leaves(),
            groups: levels().map(|level| hierarchy.groups(level)).collect(),
            kept_importance: (kept.iter())
                .map(|kept| kept_importance(&rules, kept))
                .collect(),
            kept,
            importance: rules.iter().map(|rule| rule.importance).sum(),
            spans,
            rules,
            by_hand,
        })
    }
}

fn unknown(column: &str) -> Error {
    Error::MetricColumnUnknown {
        metric: ENTRY.name,
        column: column.to_owned(),
    }
}

/// How far weights may be from 1 together: as far as rounding to a few digits takes them.
const MOST_OFF: f64 = 1e-6;

fn weights(given: &Given, table: &CountedTable) -> Result<Vec<f64>, Error> {
    let count = table.attributes.len();
    if !given.is_given(WEIGHTS.name) {
        let is_auto = given.text(WEIGHTING.name) == Some("auto");
        if !is_auto && !given.is_given(DROP_ASSOCIATED.name) {
            return Ok(equal_weights(&vec![true; count]));
        }
        let associations = Associations::of(table);
        let counts = match given.is_given(DROP_ASSOCIATED.name) {
            true => associations.without_told(given.decimal(DROP_ASSOCIATED.name).to_f64()),
            false => vec![true; count],
        };
        return Ok(match is_auto {
            true => associations.weights(&counts),
            false => equal_weights(&counts),
        });
    }
    let mut weights = vec![0.0; count];
    for (column, weight) in given.weights(WEIGHTS.name) {
        let attribute = table.attributes.iter().position(|it| it.name == column);
        weights[attribute.ok_or_else(|| unknown(column))?] = weight;
    }
    let sum: f64 = weights.iter().sum();
    match (sum - 1.0).abs() <= MOST_OFF {
        true => Ok(weights),
        false => {
            let sum = (sum * 1e6).round() / 1e6;
            let sum = sum.to_string();
            Err(Error::WeightsSum { sum })
        }
    }
}

/// How many numbers lie from the least to the greatest of them; 1 if there is none.
fn span((least, greatest): (f64, f64)) -> f64 {
    match greatest >= least {
        // What is too wide for a float is as wide as one can be.
        true => (greatest - least + 1.0).min(f64::MAX / 1e20),
        false => 1.0,
    }
}

/// The span of each group.
fn spans_of(numbers: &[f64], groups_of_leaves: &[u32], groups: usize) -> Vec<f64> {
    let mut ends = vec![(f64::INFINITY, f64::NEG_INFINITY); groups];
    for (&group, &number) in groups_of_leaves.iter().zip(numbers) {
        // `min` and `max` pass over NaN.
        let (least, greatest) = &mut ends[group as usize];
        (*least, *greatest) = (least.min(number), greatest.max(number));
    }
    ends.into_iter().map(span).collect()
}

/// What the rows that are not suppressed span together.
fn spanned(spans: &[f64], shown: &PublishedAttribute<'_>) -> f64 {
    (spans.iter().zip(shown.rows).enumerate())
        .map(|(group, (span, &rows))| span * f64::from(rows - shown.suppressed(group)))
        .sum()
}

/// The mean over the raw values that some group stands for of 1 / leaves of the group, over the rows of these groups.
fn of_overlapping(groups: &OverlappingGroups, shown: &PublishedAttribute<'_>) -> f64 {
    // What begins at a position less what ended there: for each, the rows and the sum of rows / leaves.
    let mut changes = vec![(0.0, 0.0); groups.order.len() as usize + 1];
    for (group, (leaves, &rows)) in groups.leaves.iter().zip(shown.rows).enumerate() {
        // Nobody sees what suppressed rows would have been published as.
        let rows = f64::from(rows - shown.suppressed(group));
        let each = rows / f64::from(leaves.len().max(1));
        for run in leaves.runs() {
            let (start, end) = (run.start as usize, run.end as usize);
            changes[start] = (changes[start].0 + rows, changes[start].1 + each);
            changes[end] = (changes[end].0 - rows, changes[end].1 - each);
        }
    }
    let (mut rows, mut each) = (0.0, 0.0);
    let (mut sum, mut met) = (0.0, 0u32);
    for (more_rows, more_each) in &changes[..changes.len() - 1] {
        rows += more_rows;
        each += more_each;
        if rows > 0.0 {
            sum += each / rows;
            met += 1;
        } else {
            // Nothing is left, so neither are errors of rounding.
            each = 0.0;
        }
    }
    match met {
        0 => 1.0,
        met => (sum / f64::from(met)).min(1.0),
    }
}

/// A power that leaves a number alone, to the last bit, when the exponent is 1.
fn power(number: f64, exponent: f64) -> f64 {
    match exponent == 1.0 {
        true => number,
        false => number.powf(exponent),
    }
}

impl UtilityMetric for ResearchValue {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn research_value(&self) -> Option<&ResearchValue> {
        Some(self)
    }

    fn detail(&self) -> Detail {
        match self.columns.iter().any(|column| column.spans.is_some()) {
            true => Detail::Marginals,
            false => Detail::Levels,
        }
    }

    fn reads_suppressed_groups(&self) -> bool {
        // Groups count, and may break rules, whether or not their rows are published.
        let mut columns = self.columns.iter();
        columns.any(|column| column.spans.is_none() || !column.rules.is_empty())
    }

    fn loss(&self, published: &Published<'_>) -> Loss {
        let total = Self::total(&self.of_attributes(published));
        Loss(self.loss_of_total(total))
    }

    fn floor(&self, node: &Node, known: Known<'_>) -> Loss {
        // Going up, a row's span widens, groups become fewer, and a rule that is broken stays broken; a suppressed row
        // counts as one at the top. So the value falls with every level and with every suppressed row, and where all
        // sums are of whole numbers, rounding keeps that order.
        let suppressed = known.rows_suppressed.min(self.rows);
        let spanned = self.ladders.kept(node, suppressed);
        let levels = node.levels().zip(spanned);
        let total: f64 = (self.columns.iter().zip(levels))
            .map(|(column, (level, spanned))| match &column.by_hand {
                None => self.computed_at_level(column, level, spanned, suppressed),
                Some(values) => {
                    // Values given by hand may rise again.
                    let above = values[level.index()..].iter().copied().fold(0.0, f64::max);
                    let sum = above * f64::from(self.rows - suppressed);
                    column.weight * self.by_hand(values, sum, suppressed)
                }
            })
            .sum();
        let slack = if self.is_exact { 1.0 } else { 1.0 + 1e-11 };
        Loss(self.loss_of_total(total * slack))
    }
}
