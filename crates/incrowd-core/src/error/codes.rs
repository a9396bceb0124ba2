//! A code for every error, for programs.
//!
//! Codes are part of the interface: scripts look for them in the JSON of a failed command. They are written out, not
//! derived from the names of variants, so that renaming a variant changes nothing; a variant without one does not
//! compile.

use super::Error;

/// Gives an error enum its codes and their meanings. A variant may have several codes, told apart by its
/// fields. Variants that wrap an error of another crate use its code.
#[macro_export]
macro_rules! error_codes {
    ($(@wrapped { $($pattern:pat => $of_wrapped:expr,)* })? $($variant:ident $({ $($fields:tt)* })? => $code:literal, $meaning:literal;)*) => {
        impl Error {
            /// Every code with its meaning.
            pub const CODES: &'static [(&'static str, &'static str)] = &[$(($code, $meaning)),*];

            /// A code for programs, such as `unknown-column`. It stays the same when the message changes.
            pub fn code(&self) -> &'static str {
                match self {
                    $($($pattern => $of_wrapped,)*)?
                    $(Error::$variant { $($($fields)*,)? .. } => $code,)*
                }
            }
        }
    };
}

error_codes! {
    TooManyRows => "too-many-rows", "More rows than a class size can count.";
    TuplesNotHeld => "tuples-not-held", "A temporary file could not take the combinations of values that memory has no room for.";
    TooManyTuples => "too-many-tuples", "The combinations of values that a database has counted take more memory than the limit.";
    NotOnePerColumn => "not-one-per-column", "A list that must have one entry per column has fewer or more.";
    StepsAboveLevel => "steps-above-level", "Steps of `--coarse` that no acceptable level publishes as a whole.";
    NotUtf8 => "not-utf8", "A cell is not valid UTF-8.";
    NoSolution => "no-solution", "No acceptable node satisfies the privacy models within the budget.";
    PartitionColumnUnknown => "partition-column-unknown", "A scheme, an order or steps are given for a column that is not a quasi-identifier.";
    PartitionMetric => "partition-metric", "The search over partitions does not support this metric.";
    PartitionTooWide => "partition-too-wide", "More combinations of values than a search over partitions can number.";
    PartitionTooManySplits => "partition-too-many-splits", "A column has too many values to try every split.";
    OrderIncomplete => "order-incomplete", "An order omits values.";
    StepsNeedNumbers => "steps-need-numbers", "Steps for a column that is not numeric.";
    NoneFound => "none-found", "An algorithm that does not search everywhere found no safe recoding.";
    OneTargetNeeded => "one-target-needed", "The algorithm needs exactly one target.";
    TargetNeeded => "target-needed", "The algorithm needs at least one target.";
    TargetNotNumeric => "target-not-numeric", "The algorithm needs targets with numbers.";
    RowsTogether => "rows-together", "Equal rows can be divided only by `anonymize`, or in a table whose rows were kept apart.";
    RowsApart => "rows-apart", "The algorithm does not support tables whose rows were kept apart.";
    ReleasePromiseBroken => "release-promise-broken", "Choices whose release breaks a privacy model about the whole release.";
    NotNegotiable => "not-negotiable", "A privacy model about the whole release, where only models about classes can be answered.";
    PopulationRefused => "population-refused", "What is to be published does not say who in a population it could be about.";
    MatchAnyRefused => "match-any-refused", "The algorithm does not support missing cells that match any value.";
    TimeUp => "time-up", "The time limit was reached before any safe recoding was found.";
    WorkDone => "work-done", "The work limit was reached before any safe recoding was found.";
    MemoryFull => "memory-full", "The memory limit was reached before any safe recoding was found.";
    AskedTooSoon => "asked-too-soon", "The user asked for the best result before any safe recoding was found.";
    NotAChoice => "not-a-choice", "A word that is not a valid choice.";
    RaisedTooFar => "raised-too-far", "A quasi-identifier raised above its highest acceptable level.";
    TooManyToSuppress => "too-many-to-suppress", "More rows to suppress than the budget allows.";
    ChoicesUnfinished => "choices-unfinished", "Choices that end before a release is safe.";
    ScriptGoesOn => "script-goes-on", "Choices after the final one.";
    PromiseBeyondTable => "promise-beyond-table", "A model that no class of the table can satisfy.";
    NegativeBudget => "negative-budget", "A negative number of rows to suppress.";
    WrongNumberOfLevels => "wrong-number-of-levels", "Not exactly one level per quasi-identifier.";
    NoSuchLevel => "no-such-level", "A level that the hierarchy does not have.";
    NotAQuasiIdentifier => "not-a-quasi-identifier", "A level for a column that is not a quasi-identifier.";
    LatticeTooLarge => "lattice-too-large", "More nodes than can be annotated.";
    PartialShareOutOfRange => "partial-share-out-of-range", "A share of the nodes that is not a percentage.";
    ModelNotAnnotated => "model-not-annotated", "A request for a model that the lattice was not annotated for.";
    CrowdsOverlap => "crowds-overlap", "The request cannot be answered while missing cells match any value.";
    IndexDamaged => "index-damaged", "An index that was changed since it was written.";
    IndexVersion => "index-version", "An index of another version.";
    IndexStale => "index-stale", "An index made for other data or hierarchies.";
    CheckStopped => "check-stopped", "The independent check was stopped early; nothing is published.";
    CheckFailed => "check-failed", "The independent check rejected what a search proposed. A bug in incrowd; nothing is published.";
    BlankRows => "blank-rows", "A model holds only because of rows that would be `*` in every published column.";
    InputChanged => "input-changed", "The input changed between the two passes over it.";
    ColumnVanished => "column-vanished", "A column of the counted table is not in the rows to be written.";
    Cancelled => "cancelled", "The user stopped the run.";
    MetricColumnUnknown => "metric-column-unknown", "A metric's setting names a column that does not exist or does not have that role.";
    MetricTargetMissing => "metric-target-missing", "A metric needs a target column.";
    UnknownEntry { family: "metric" } => "metric-unknown", "No metric has this name.";
    UnknownEntry { family: "algorithm" } => "algorithm-unknown", "No algorithm has this name.";
    UnknownEntry => "unknown-model", "No privacy model has this name.";
    MalformedSpec { family: "metric" } => "metric-spec-malformed", "A metric is not written as `name` or `name(setting=value,...)`.";
    MalformedSpec => "malformed-model", "A privacy model is not written as `name` or `name(setting=value,...)`.";
    UnknownSetting { family: "metric" } => "metric-option-unknown", "A metric has no such setting.";
    UnknownSetting { family: "algorithm" } => "setting-unknown", "An algorithm has no such setting.";
    UnknownSetting => "unknown-parameter", "A privacy model has no such setting.";
    DuplicateSetting => "duplicate-parameter", "A setting is given twice.";
    MissingSetting => "missing-parameter", "A setting without a default is not given.";
    SettingOutOfRange { family: "metric" } => "metric-option-invalid", "A setting of a metric has a value that it does not take.";
    SettingOutOfRange { owner: "partition" } => "partition-setting", "A setting of `partition` has a value that it does not take.";
    SettingOutOfRange { family: "algorithm" } => "setting-out-of-range", "A setting of an algorithm has a value that it does not take.";
    SettingOutOfRange => "parameter-out-of-range", "A setting of a privacy model has a value that it does not take.";
    WeightsAllZero => "weights-all-zero", "The weights of a metric are all 0.";
    WeightsSum => "weights-sum", "The weights of the research value do not sum to 1.";
    RuleMalformed => "rule-malformed", "A text is not a rule.";
    RuleImportance => "rule-importance", "The importance of a rule is 0 or less.";
    RuleColumn => "rule-column", "A rule is about a column that is not a quasi-identifier.";
    RuleValue => "rule-value", "A rule names a value that its column does not have.";
    RuleNotNumeric => "rule-not-numeric", "A boundary in a column that does not consist of numbers, or between texts that are not numbers.";
    RuleOutside => "rule-outside", "A boundary with all values of its column on one side.";
    RuleContradictory => "rule-contradictory", "A rule has the same value on both sides.";
    RuleRepeated => "rule-repeated", "A rule is given twice.";
    LevelValues => "level-values", "The number of level values is not the number of levels.";
    ModelNeedsColumn => "model-needs-column", "A model needs a sensitive column, but none is given.";
    NotASensitiveColumn => "not-a-sensitive-column", "A model names a column that is not sensitive.";
    NoSuchValue => "no-such-value", "A model names a value that its column does not have.";
    ColumnHasNoOrder => "column-has-no-order", "A distance by rank for a column without an order.";
    ColumnHasNoHierarchy => "column-has-no-hierarchy", "A distance along a hierarchy that does not exist.";
    ValuesOutsideHierarchy => "values-outside-hierarchy", "Values that are not in the hierarchy used to measure distances.";
    HierarchyEmpty => "hierarchy-empty", "A hierarchy without values.";
    HierarchyNotUtf8 => "hierarchy-not-utf8", "A hierarchy file that is not text.";
    HierarchyOneColumn => "hierarchy-one-column", "A hierarchy file with one cell on every line.";
    HierarchyRowTooShort => "hierarchy-row-too-short", "A line of a hierarchy has fewer levels than the others.";
    HierarchyValueTwice => "hierarchy-value-twice", "A value is listed twice with different parents.";
    HierarchyLevelSplits => "hierarchy-level-splits", "A label whose values have different parents.";
    HierarchyTooManyLevels => "hierarchy-too-many-levels", "More levels than a node can count.";
    HierarchyLacksValues => "hierarchy-lacks-values", "Values in the data that the hierarchy does not list.";
    HierarchyCutsOther => "hierarchy-cuts-other", "A hierarchy to be cut at bounds that does not list the values of the column.";
    NotNumbers => "not-numbers", "Values that are not numbers where a hierarchy needs numbers.";
    NotDates => "not-dates", "Values that are not dates where a hierarchy needs dates.";
    IntervalsTooNarrow => "intervals-too-narrow", "Intervals so narrow that they cannot be numbered.";
    HierarchySpecUnknown => "hierarchy-spec-unknown", "A text that is not a hierarchy rule.";
    HierarchySpecParameter => "hierarchy-spec-parameter", "A hierarchy rule with invalid parameters.";
    DatesAmbiguous => "dates-ambiguous", "Dates in which either the day or the month could come first.";
    NotRecognized => "not-recognized", "Values that a bundled list does not contain.";
    HierarchySpecNotNested => "hierarchy-spec-not-nested", "Levels that do not nest.";
}
