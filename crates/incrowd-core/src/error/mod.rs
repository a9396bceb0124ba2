//! Errors of the core, as fields; message and hint are derived from them.
//!
//! Errors point at cells and never quote them: the tables are about people.

mod codes;
mod hint;
mod place;

use crate::numbers::Level;
pub use hint::LARGEST_BUDGET_PROPOSED;

/// Bytes as people read them.
fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}

/// Every error of the core.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// More rows than a class size can count.
    #[error("the table has more than {limit} rows")]
    TooManyRows {
        /// The greatest number of rows that can be counted.
        limit: u64,
    },
    /// Combinations of values that memory had no room for could not be held elsewhere.
    #[error(
        "a temporary file could not take the combinations of values that memory has no room for: {why}"
    )]
    TuplesNotHeld {
        /// What went wrong, and where.
        why: String,
    },
    /// The combinations of values that a database has counted do not fit in memory.
    #[error("the table has {tuples} different combinations of values, which take {} of memory; the limit is {}", megabytes(*.bytes), megabytes(*.limit))]
    TooManyTuples {
        /// The different combinations of values.
        tuples: u64,
        /// What they take once they are counted.
        bytes: u64,
        /// What they may take.
        limit: u64,
    },
    /// A list that must have one entry for each column has fewer or more.
    #[error("got {given} {what} for {expected} columns")]
    NotOnePerColumn {
        /// What the list is of.
        what: &'static str,
        /// How many there are.
        given: usize,
        /// How many there must be.
        expected: usize,
    },
    /// A cell is not valid UTF-8.
    #[error("column `{column}` is not valid UTF-8 text")]
    NotUtf8 {
        /// The column.
        column: String,
        /// The first row, counted from 1, header not counted.
        row: u64,
    },
    /// No acceptable node satisfies the privacy models within the budget.
    #[error(
        "no acceptable recoding satisfies the privacy models with at most {max_suppressed} rows suppressed"
    )]
    NoSolution {
        /// The budget.
        max_suppressed: u32,
        /// Rows the highest acceptable node suppresses.
        rows_suppressed_at_limit: u32,
        /// Rows of the table.
        rows: u32,
        /// Whether higher levels than the acceptable ones exist.
        has_higher_levels: bool,
    },
    /// A scheme, an order or steps for a column that is not a quasi-identifier.
    #[error("`{column}` is given a scheme, an order or steps but is not a quasi-identifier")]
    PartitionColumnUnknown {
        /// What was given.
        column: String,
        /// The quasi-identifiers.
        known: Vec<String>,
    },
    /// A metric that the search over partitions does not support.
    #[error("the search over partitions does not support the metric `{metric}`")]
    PartitionMetric {
        /// The metric.
        metric: &'static str,
    },
    /// More combinations of values than a search over partitions can number.
    #[error("the quasi-identifiers have too many combinations of values to search partitions")]
    PartitionTooWide,
    /// One block of many values cannot be split in every way.
    #[error("column `{column}` has too many values for a top-down search over arbitrary splits")]
    PartitionTooManySplits {
        /// The column.
        column: String,
    },
    /// An order that leaves values out.
    #[error("the order of column `{column}` omits {missing} of its values")]
    OrderIncomplete {
        /// The column.
        column: String,
        /// Values that are not in it.
        missing: usize,
    },
    /// Steps for a column that is not numeric.
    #[error("steps are given for column `{column}`, whose values are not numbers")]
    StepsNeedNumbers {
        /// The column.
        column: String,
    },
    /// Steps that are wider than the groups that may be published.
    #[error(
        "the steps of column `{column}` span several groups of level {level}, the highest acceptable level"
    )]
    StepsAboveLevel {
        /// The column.
        column: String,
        /// Its highest acceptable level.
        level: Level,
    },
    /// An algorithm that does not search everywhere found nothing.
    #[error(
        "`{algorithm}` found no recoding that satisfies the privacy models with at most {max_suppressed} rows suppressed"
    )]
    NoneFound {
        /// The algorithm.
        algorithm: &'static str,
        /// The budget.
        max_suppressed: u32,
        /// Rows the highest acceptable node suppresses.
        rows_suppressed_at_limit: u32,
        /// Rows of the table.
        rows: u32,
        /// Whether higher levels than the acceptable ones exist.
        has_higher_levels: bool,
    },
    /// An algorithm that classifies needs to know what.
    #[error("`{algorithm}` needs exactly one target column, but {given} are given")]
    OneTargetNeeded {
        /// The algorithm.
        algorithm: &'static str,
        /// Targets given.
        given: usize,
    },
    /// An algorithm for one or several targets needs to know them.
    #[error("`{algorithm}` needs at least one target column")]
    TargetNeeded {
        /// The algorithm.
        algorithm: &'static str,
    },
    /// An algorithm for regression needs targets with numbers.
    #[error("`{algorithm}` needs targets with numbers, but `{column}` has other values")]
    TargetNotNumeric {
        /// The algorithm.
        algorithm: &'static str,
        /// The target.
        column: String,
    },
    /// Missing cells that match any value make crowds overlap.
    #[error("`{algorithm}` does not support missing cells that match any value")]
    MatchAnyRefused {
        /// The algorithm.
        algorithm: &'static str,
    },
    /// Rows of one tuple can be divided only if each was counted by itself.
    #[error("`{algorithm}` can divide equal rows only in a table whose rows were kept apart")]
    RowsTogether {
        /// The algorithm.
        algorithm: &'static str,
    },
    /// A search over levels takes tuples for distinct.
    #[error("`{algorithm}` does not support tables whose rows were kept apart")]
    RowsApart {
        /// The algorithm.
        algorithm: &'static str,
    },
    /// What is published must say who in a population it could be about.
    #[error("privacy models about a population cannot be judged together with {with}")]
    PopulationRefused {
        /// What does not say it.
        with: &'static str,
    },
    /// Choices that leave classes which, together, break what was promised of all of them.
    #[error("what would be published breaks a privacy model about the whole release")]
    ReleasePromiseBroken,
    /// A model about the whole release cannot be read from histograms of classes.
    #[error("`{model}` is about the whole release and cannot be negotiated")]
    NotNegotiable {
        /// The model.
        model: &'static str,
    },
    /// Time was up before any safe recoding was found.
    #[error("the time limit was reached before a safe recoding was found")]
    TimeUp {
        /// Nodes whose classes were counted.
        nodes_checked: u64,
    },
    /// The work limit was reached before any safe recoding was found.
    #[error("the work limit was reached after {work} steps, before a safe recoding was found")]
    WorkDone {
        /// Units of work done.
        work: u64,
        /// Nodes whose classes were counted.
        nodes_checked: u64,
    },
    /// The memory limit was reached before any safe recoding was found.
    #[error("the memory limit was reached before a safe recoding was found")]
    MemoryFull {
        /// Nodes whose classes were counted.
        nodes_checked: u64,
    },
    /// The user asked for the best so far before any safe recoding was found.
    #[error("stopped at your request before a safe recoding was found")]
    AskedTooSoon {
        /// Nodes whose classes were counted.
        nodes_checked: u64,
    },
    /// A word that is not a valid choice.
    #[error("`{word}` is neither a quasi-identifier nor `suppress`")]
    NotAChoice {
        /// The word.
        word: String,
        /// The quasi-identifiers.
        known: Vec<String>,
    },
    /// A quasi-identifier raised above its highest acceptable level.
    #[error("column `{column}` is at level {level} and cannot be raised further")]
    RaisedTooFar {
        /// The column.
        column: String,
        /// Its level.
        level: Level,
    },
    /// More rows to suppress than the budget allows.
    #[error(
        "{rows_violating} rows violate the privacy models, but at most {max_suppressed} may be suppressed"
    )]
    TooManyToSuppress {
        /// Rows in violating classes.
        rows_violating: u32,
        /// The budget.
        max_suppressed: u32,
        /// Rows of the table.
        rows: u32,
    },
    /// Choices that end before a release is safe.
    #[error("after the last choice, {rows_violating} rows still violate the privacy models")]
    ChoicesUnfinished {
        /// Choices made.
        choices: usize,
        /// Rows in violating classes.
        rows_violating: u32,
        /// The budget.
        max_suppressed: u32,
        /// Rows of the table.
        rows: u32,
    },
    /// Choices after the final one.
    #[error("the script has {choices} choices, but choice {ended} is the final one")]
    ScriptGoesOn {
        /// The position of `suppress`, from 1.
        ended: usize,
        /// Choices of the script.
        choices: usize,
    },
    /// A model that no class of the table can satisfy.
    #[error("`{model}` needs classes of {smallest_class} rows, but the table has only {rows}")]
    PromiseBeyondTable {
        /// The model.
        model: String,
        /// Rows a class must have.
        smallest_class: u32,
        /// Rows of the table.
        rows: u32,
    },
    /// A negative number of rows to suppress.
    #[error("the number of rows to suppress cannot be {given}")]
    NegativeBudget {
        /// What was given.
        given: i64,
    },
    /// Not exactly one level per quasi-identifier.
    #[error("got {given} levels for {expected} quasi-identifiers")]
    WrongNumberOfLevels {
        /// Levels given.
        given: usize,
        /// Quasi-identifiers of the table.
        expected: usize,
    },
    /// A level that the hierarchy does not have.
    #[error("quasi-identifier `{column}` has no level {given}")]
    NoSuchLevel {
        /// The quasi-identifier.
        column: String,
        /// What was given.
        given: i64,
        /// Its last level.
        height: Level,
    },
    /// A level for a column that is not a quasi-identifier.
    #[error("a level is given for `{column}`, which is not a quasi-identifier")]
    NotAQuasiIdentifier {
        /// What was given.
        column: String,
        /// The quasi-identifiers.
        known: Vec<String>,
    },
    /// More nodes than can be annotated.
    #[error("the lattice has {nodes} nodes, too many to annotate")]
    LatticeTooLarge {
        /// Nodes of the lattice.
        nodes: u128,
        /// The most that can be annotated.
        limit: u128,
    },
    /// A share of the nodes that is not a percentage.
    #[error("cannot annotate {given} % of the nodes")]
    PartialShareOutOfRange {
        /// What was given.
        given: f64,
    },
    /// A request for a model that the lattice was not annotated for.
    #[error("the lattice is not annotated for `{model}`")]
    ModelNotAnnotated {
        /// The model asked for.
        model: String,
        /// The models it is annotated for.
        annotated: Vec<String>,
    },
    /// Crowds overlap, so that counts per class are not enough.
    #[error("cannot negotiate while missing cells match any value, since crowds overlap")]
    CrowdsOverlap,
    /// An index that was changed since it was written.
    #[error("the index is damaged: {what}")]
    IndexDamaged {
        /// What is wrong with it.
        what: &'static str,
    },
    /// An index of another version.
    #[error("the index has version {found}, but this program reads version {known}")]
    IndexVersion {
        /// The version found.
        found: u32,
        /// The version known.
        known: u32,
    },
    /// An index made for something else.
    #[error("the index was made for a different {what}")]
    IndexStale {
        /// What has changed: `table` or `set of hierarchies`.
        what: &'static str,
    },
    /// The independent check rejected what a search proposed. Always a bug, never published.
    #[error("the independent check rejected the recoding: {what}")]
    CheckFailed {
        /// What did not hold.
        what: &'static str,
    },
    /// Rows that are `*` in every column look like suppressed ones, and a model depends on them.
    #[error(
        "`{model}` holds only because of {rows} rows that would be `*` in every published column"
    )]
    BlankRows {
        /// How many.
        rows: u32,
        /// The model.
        model: String,
    },
    /// The independent check was stopped early.
    #[error("the check of the release was stopped before it finished")]
    CheckStopped,
    /// The rows read in the second pass are not those counted in the first.
    #[error("the input changed between counting and writing")]
    InputChanged,
    /// A column of the counted table is not in the rows to be written.
    #[error("column `{column}` is no longer in the input")]
    ColumnVanished {
        /// The column.
        column: String,
    },
    /// The user stopped the run.
    #[error("stopped")]
    Cancelled,
    /// A metric's option names a column that is not there, or not in that role.
    #[error("the metric `{metric}` names the column `{column}`, which it cannot use")]
    MetricColumnUnknown {
        /// The metric.
        metric: &'static str,
        /// The column.
        column: String,
    },
    /// A metric needs a target column.
    #[error("the metric `{metric}` needs a target column")]
    MetricTargetMissing {
        /// The metric.
        metric: &'static str,
    },
    /// No model, metric or algorithm has this name.
    #[error("there is no {family} `{name}`")]
    UnknownEntry {
        /// What it should have been: `privacy model`, `metric` or `algorithm`.
        family: &'static str,
        /// The name given.
        name: String,
        /// The most similar names, best first.
        nearest: Vec<&'static str>,
    },
    /// A text that is not of the form `name(setting=value,...)`.
    #[error("cannot parse `{text}` as a {family}")]
    MalformedSpec {
        /// What it should have been.
        family: &'static str,
        /// The text given.
        text: String,
        /// How some are written.
        examples: &'static str,
    },
    /// A model, metric or algorithm has no such setting.
    #[error("`{owner}` has no setting `{setting}`")]
    UnknownSetting {
        /// What it is.
        family: &'static str,
        /// Its name.
        owner: &'static str,
        /// The setting given.
        setting: String,
        /// The settings it has.
        known: Vec<&'static str>,
    },
    /// A setting is given twice.
    #[error("the setting `{setting}` of `{owner}` is given twice")]
    DuplicateSetting {
        /// The model, metric or algorithm.
        owner: &'static str,
        /// The setting.
        setting: &'static str,
    },
    /// A setting without a default is not given.
    #[error("`{owner}` needs a value for `{setting}`")]
    MissingSetting {
        /// The model, metric or algorithm.
        owner: &'static str,
        /// The setting.
        setting: &'static str,
    },
    /// A setting has a value that it does not take.
    #[error("the setting `{setting}` of `{owner}` cannot be `{given}`")]
    SettingOutOfRange {
        /// What it is.
        family: &'static str,
        /// Its name.
        owner: &'static str,
        /// The setting.
        setting: &'static str,
        /// What was given for it.
        given: String,
        /// What it may be, worded to follow "must be".
        allowed: String,
    },
    /// Weights of which none is above 0.
    #[error("the weights of the metric `{metric}` must not all be 0")]
    WeightsAllZero {
        /// The metric.
        metric: &'static str,
    },
    /// Weights that must sum to 1 and do not.
    #[error("the weights of the quasi-identifiers sum to {sum}, not to 1")]
    WeightsSum {
        /// What they sum to, in a few digits.
        sum: String,
    },
    /// A text that is no rule.
    #[error("`{rule}` is not a rule")]
    RuleMalformed {
        /// The text.
        rule: String,
    },
    /// A rule whose importance is 0 or less.
    #[error("the importance of the rule `{rule}` is not above 0")]
    RuleImportance {
        /// The rule.
        rule: String,
    },
    /// A rule about a column that is not generalized.
    #[error("a rule is about the column `{column}`, which is not a quasi-identifier")]
    RuleColumn {
        /// The column.
        column: String,
    },
    /// A rule about a value that the column does not have.
    #[error("the rule `{rule}` names the value `{value}`, which column `{column}` does not have")]
    RuleValue {
        /// The column.
        column: String,
        /// The rule.
        rule: String,
        /// The value, as the rule has it.
        value: String,
    },
    /// A boundary in a column that is not made of numbers, or between texts that are none.
    #[error("the rule `{rule}` is not a boundary between two numbers of column `{column}`")]
    RuleNotNumeric {
        /// The column.
        column: String,
        /// The rule.
        rule: String,
        /// Whether the column has numbers, so that the rule is to blame.
        has_numbers: bool,
    },
    /// A boundary with all values on one side.
    #[error(
        "the boundary `{rule}` is outside the data: column `{column}` has values only on one side of it"
    )]
    RuleOutside {
        /// The column.
        column: String,
        /// The rule.
        rule: String,
    },
    /// A rule that no release can keep.
    #[error(
        "the rule `{rule}` of column `{column}` contradicts itself: a value would be on both sides"
    )]
    RuleContradictory {
        /// The column.
        column: String,
        /// The rule.
        rule: String,
    },
    /// A rule that was given before.
    #[error("the rule `{rule}` of column `{column}` is given twice")]
    RuleRepeated {
        /// The column.
        column: String,
        /// The rule.
        rule: String,
    },
    /// Values of levels, and not one for each level.
    #[error("column `{column}` has {expected} levels, but {given} level values are given")]
    LevelValues {
        /// The column.
        column: String,
        /// How many values there are.
        given: usize,
        /// How many levels there are, the raw values included.
        expected: usize,
    },
    /// A model about sensitive values, and no sensitive column.
    #[error("`{model}` needs a sensitive column, but none is given")]
    ModelNeedsColumn {
        /// The model.
        model: &'static str,
    },
    /// A model names a column that is not sensitive.
    #[error("`{model}` refers to column `{column}`, which is not sensitive")]
    NotASensitiveColumn {
        /// The model.
        model: &'static str,
        /// The column.
        column: String,
    },
    /// A model names a value that its column does not have.
    #[error("column `{column}` does not contain the value named in `{model}`")]
    NoSuchValue {
        /// The model.
        model: &'static str,
        /// The column.
        column: String,
    },
    /// A distance by rank for a column without an order.
    #[error("column `{column}` is text and has no defined order")]
    ColumnHasNoOrder {
        /// The column.
        column: String,
    },
    /// A distance along a hierarchy that is not there.
    #[error("column `{column}` has no hierarchy to measure distances with")]
    ColumnHasNoHierarchy {
        /// The column.
        column: String,
    },
    /// Values that are not in the hierarchy used to measure distances.
    #[error("{values} values of column `{column}` are missing from its hierarchy")]
    ValuesOutsideHierarchy {
        /// The column.
        column: String,
        /// How many values.
        values: usize,
    },
    /// A hierarchy without a value.
    #[error("the hierarchy of column `{column}` is empty")]
    HierarchyEmpty {
        /// The column.
        column: String,
    },
    /// A hierarchy file that is not text.
    #[error("the hierarchy of column `{column}` is not UTF-8 text")]
    HierarchyNotUtf8 {
        /// The column.
        column: String,
        /// The first such line, from 1.
        line: u64,
    },
    /// A hierarchy file with one cell on every line.
    #[error("the hierarchy of column `{column}` has only one cell on each of its {lines} lines")]
    HierarchyOneColumn {
        /// The column.
        column: String,
        /// Lines that are not blank.
        lines: u64,
    },
    /// A line with fewer levels than the others, so that it is unclear which are missing.
    #[error("the hierarchy of column `{column}` has a line with too few levels")]
    HierarchyRowTooShort {
        /// The column.
        column: String,
        /// The line, or the number of the row when the hierarchy was not a file; from 1.
        line: u64,
        /// The cells it has, the value counted.
        cells: usize,
        /// The cells that others have.
        levels: usize,
    },
    /// A value listed twice that cannot have both parents.
    #[error("the hierarchy of column `{column}` lists a value twice, with different parents")]
    HierarchyValueTwice {
        /// The column.
        column: String,
        /// The line, or row, of the second mention; from 1.
        line: u64,
        /// The line, or row, of the first mention; from 1.
        first_line: u64,
    },
    /// A label whose values have different parents.
    #[error(
        "the hierarchy of column `{column}` splits a group of level {level} instead of merging it"
    )]
    HierarchyLevelSplits {
        /// The column.
        column: String,
        /// The level of the group; its parents on the next level differ.
        level: Level,
        /// The line, or row, that contradicts; from 1.
        line: u64,
        /// The line, or row, that it contradicts; from 1.
        first_line: u64,
    },
    /// More levels than a node can count.
    #[error(
        "the hierarchy of column `{column}` has {levels} levels, more than the maximum of {limit}"
    )]
    HierarchyTooManyLevels {
        /// The column.
        column: String,
        /// Levels asked for, the raw values and the top included.
        levels: usize,
        /// The greatest number there may be.
        limit: usize,
    },
    /// Values of the data that the hierarchy does not list.
    #[error("{values} values of column `{column}` are missing from its hierarchy")]
    HierarchyLacksValues {
        /// The column.
        column: String,
        /// How many distinct values are not listed.
        values: usize,
        /// The first row with such a value, from 1, header not counted; none if only the population has one.
        row: Option<u64>,
        /// How many values the hierarchy lists.
        leaves: usize,
    },
    /// A hierarchy to be cut at bounds that does not list the values.
    #[error("the hierarchy that is to be cut for column `{column}` lacks {values} of its values")]
    HierarchyCutsOther {
        /// The column.
        column: String,
        /// How many distinct values are not listed.
        values: usize,
    },
    /// Values that are not numbers where a hierarchy needs numbers.
    #[error("{values} values of column `{column}` are not numbers")]
    NotNumbers {
        /// The column.
        column: String,
        /// How many distinct values.
        values: usize,
        /// Where the first stands among the distinct values given, from 1.
        first: usize,
    },
    /// Values that are not dates where a hierarchy needs dates.
    #[error("{values} values of column `{column}` are not dates in the same format")]
    NotDates {
        /// The column.
        column: String,
        /// How many distinct values.
        values: usize,
        /// Where the first stands among the distinct values given, from 1.
        first: usize,
    },
    /// Dates that could have the day first or the month first.
    #[error("the dates of column `{column}` are ambiguous: day or month could come first")]
    DatesAmbiguous {
        /// The column.
        column: String,
    },
    /// Values that a builder needs to recognize and does not.
    #[error("{values} values of column `{column}` are not {expected}")]
    NotRecognized {
        /// The column.
        column: String,
        /// What they should be.
        expected: &'static str,
        /// How many distinct values are not.
        values: usize,
        /// Where the first such value stands among the distinct values given, from 1.
        first: usize,
    },
    /// Intervals so narrow that they cannot be numbered.
    #[error("the intervals of column `{column}` are too narrow for numbers of this size")]
    IntervalsTooNarrow {
        /// The column.
        column: String,
        /// Where the first such value stands among the distinct values given, from 1.
        first: usize,
    },
    /// A text that does not name a way to build a hierarchy.
    #[error("this is neither a hierarchy rule nor a file")]
    HierarchySpecUnknown,
    /// A way to build a hierarchy whose parameters cannot be read.
    #[error("`{builder}` needs {expected}")]
    HierarchySpecParameter {
        /// The way, as it is written.
        builder: &'static str,
        /// What may stand after the colon.
        expected: &'static str,
    },
    /// Levels that do not nest.
    #[error(
        "level {level} of `{builder}` is not made of whole groups of the level before it: {rule}"
    )]
    HierarchySpecNotNested {
        /// The way, as it is written.
        builder: &'static str,
        /// The offending level, as counted in the request, which may list more than a hierarchy can have; level 1 is the
        /// first above the raw values.
        level: usize,
        /// What would nest.
        rule: &'static str,
    },
}
