//! What to do next.

use super::Error;

impl Error {
    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Error::TooManyRows { .. } => "split the table and publish the parts".into(),
            Error::TuplesNotHeld { .. } => {
                "make room there, name another folder in the variable TMPDIR, or raise --memory-limit"
                    .into()
            }
            Error::TooManyTuples { bytes, .. } => format!(
                "raise --memory-limit to {}M or more, of which the search needs some times as much again; or have fewer \
                 or coarser quasi-identifiers",
                bytes.div_ceil(1_000_000)
            ),
            Error::NotOnePerColumn { expected, .. } => {
                format!("give {expected}, in the order of the columns")
            }
            Error::NotUtf8 { .. } => {
                "convert the file first, for example `iconv -f latin1 -t utf-8`".into()
            }
            Error::NoSolution {
                rows_suppressed_at_limit,
                max_suppressed,
                has_higher_levels,
                ..
            } if rows_suppressed_at_limit <= max_suppressed => remedies_of_whole(*has_higher_levels),
            Error::NoSolution {
                rows_suppressed_at_limit,
                rows,
                has_higher_levels,
                ..
            } => remedies(*rows_suppressed_at_limit, *rows, *has_higher_levels),
            Error::PartitionColumnUnknown { known, .. } => {
                format!("the quasi-identifiers are {}", known.join(", "))
            }
            Error::PartitionMetric { .. } => "use `discernibility` or `hdm`".into(),
            Error::PartitionTooWide => {
                "round numbers to steps with `--coarse`, or use fewer quasi-identifiers".into()
            }
            Error::PartitionTooManySplits { .. } => {
                "use `--search bottom-up` or `--search auto`, or another scheme for this column".into()
            }
            Error::OrderIncomplete { .. } => "list every raw value of the column".into(),
            Error::StepsNeedNumbers { .. } => "remove the column from `--coarse`".into(),
            Error::StepsAboveLevel { .. } => {
                "use narrower steps or another starting point in `--coarse`, or raise `--max-levels`".into()
            }
            Error::NoneFound {
                rows_suppressed_at_limit,
                max_suppressed,
                has_higher_levels,
                ..
            } if rows_suppressed_at_limit <= max_suppressed => remedies_of_whole(*has_higher_levels),
            Error::NoneFound {
                rows_suppressed_at_limit,
                rows,
                has_higher_levels,
                ..
            } => format!(
                "one may still exist, since merging rows can violate these models: use `--algorithm optimal`, which searches \
                 everywhere; or {}",
                remedies(*rows_suppressed_at_limit, *rows, *has_higher_levels)
            ),
            Error::TargetNotNumeric { .. } => {
                "name a column with numbers, or take `--algorithm mondrian-infogain`, which takes any target".into()
            }
            Error::OneTargetNeeded { .. } | Error::TargetNeeded { .. } => {
                "name the column to predict, for example `--target salary-class`".into()
            }
            Error::MatchAnyRefused { .. } => {
                "use `--algorithm optimal`, or treat missing cells as a value: `--missing-cells own-value`"
                    .into()
            }
            Error::RowsTogether { .. } => {
                "use `anonymize --relaxed`: `compare` counts the table once for all algorithms, with equal rows together"
                    .into()
            }
            Error::RowsApart { .. } => {
                "count the table without `RowCounter::keep_rows_apart`, or use an algorithm that publishes regions"
                    .into()
            }
            Error::PopulationRefused { .. } => {
                "publish intervals (`--numbers interval`) and count missing cells as a value (`--missing-cells own-value`), which \
                 say who they could be about; or ask for k-anonymity"
                    .into()
            }
            Error::ReleasePromiseBroken => "raise another column before you end".into(),
            Error::NotNegotiable { .. } => {
                "ask `incrowd anonymize` for it; or negotiate a privacy model about classes, such as `k-anonymity(k=5)`".into()
            }
            Error::TimeUp { .. } => {
                "raise `--time-limit`, or ask for less: fewer quasi-identifiers, a smaller k, more suppression"
                    .into()
            }
            Error::WorkDone { .. } => {
                "raise `--work-limit`, or ask for less: fewer quasi-identifiers, a smaller k, more suppression"
                    .into()
            }
            Error::MemoryFull { .. } => {
                "ask for less: fewer quasi-identifiers, fewer values (`--coarse`), a smaller k, more suppression"
                    .into()
            }
            Error::AskedTooSoon { .. } => {
                "let it search longer, or ask for less: fewer quasi-identifiers, a smaller k, more suppression"
                    .into()
            }
            Error::NotAChoice { word, known } => {
                let near = crate::card::nearest(word, known.iter().map(String::as_str));
                match near.first() {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("choose `suppress`, or one of `{}`", known.join("`, `")),
                }
            }
            Error::RaisedTooFar { .. } => {
                "raise another column, or allow more with `--max-levels`".into()
            }
            Error::TooManyToSuppress {
                rows_violating,
                rows,
                ..
            } => match larger_budget(*rows_violating, *rows) {
                Some(budget) => format!("raise a column first, or {budget}"),
                None => "raise a column first".into(),
            },
            Error::ChoicesUnfinished {
                rows_violating,
                max_suppressed,
                ..
            } if rows_violating <= max_suppressed => {
                "end with `suppress` to suppress them, or raise another column".into()
            }
            Error::ChoicesUnfinished {
                rows_violating,
                rows,
                ..
            } => match larger_budget(*rows_violating, *rows) {
                Some(budget) => {
                    format!("raise another column, or end with `suppress` and {budget}")
                }
                None => "raise another column".into(),
            },
            Error::ScriptGoesOn { .. } => "use `suppress` only once, as the last choice".into(),
            Error::PromiseBeyondTable { rows, .. } => format!(
                "use a much smaller number: with {rows}, all rows would be one class and the release would be useless"
            ),
            Error::NegativeBudget { .. } => {
                "give a number of rows, 0 or more, or a percentage such as 1%".into()
            }
            Error::WrongNumberOfLevels { .. } => {
                "give one level per quasi-identifier, in the order of `--quasi-identifiers`".into()
            }
            Error::NoSuchLevel { height, .. } => format!("its levels are 0 to {height}"),
            Error::NotAQuasiIdentifier { known, .. } => {
                format!("the quasi-identifiers are `{}`", known.join("`, `"))
            }
            Error::LatticeTooLarge { .. } => {
                "use `--how lazy`, which annotates nothing in advance and is still exact".into()
            }
            Error::PartialShareOutOfRange { .. } => {
                "give a percentage above 0 and at most 100".into()
            }
            Error::ModelNotAnnotated { annotated, .. } => format!(
                "it is annotated for `{}`; use `--how lazy`, or make a new index for this model",
                annotated.join("`, `")
            ),
            Error::CrowdsOverlap => {
                "use `--missing-cells own-value` or `--missing-cells exclude-row`".into()
            }
            Error::IndexDamaged { .. } | Error::IndexVersion { .. } | Error::IndexStale { .. } => {
                "remove the index file; the next run makes a new one".into()
            }
            Error::CheckFailed { .. } => "nothing was written; please report this as a bug".into(),
            Error::BlankRows { .. } => {
                "nothing was written, since such rows look like suppressed ones; write unknown cells in another way than `*`, or ask for less privacy"
                    .into()
            }
            Error::InputChanged | Error::ColumnVanished { .. } => {
                "nothing was written; run again on a copy that does not change".into()
            }
            Error::Cancelled | Error::CheckStopped => "nothing was written".into(),
            Error::MetricColumnUnknown { .. } => {
                "weights belong to quasi-identifiers, a target to `--target`; check the spelling"
                    .into()
            }
            Error::MetricTargetMissing { .. } => "name it with `--target COLUMN`".into(),
            Error::UnknownEntry { nearest, .. } => match nearest.as_slice() {
                [] => "`incrowd explain` lists all models, metrics and algorithms".into(),
                nearest => format!("did you mean `{}`?", nearest.join("` or `")),
            },
            Error::MalformedSpec { examples, .. } => format!(
                "write `name(setting=value,...)`, for example {examples}; put values with commas, brackets or `=` in \
                 double quotes"
            ),
            Error::UnknownSetting { known, .. } if known.is_empty() => "it has no settings".into(),
            Error::UnknownSetting { known, .. } => {
                format!("its settings are `{}`", known.join("`, `"))
            }
            Error::DuplicateSetting { setting, .. } => format!("keep one of the two `{setting}=`"),
            Error::MissingSetting { owner, setting } => {
                format!("write `{owner}({setting}=...)`; `incrowd explain {owner}` explains it")
            }
            Error::SettingOutOfRange {
                setting, allowed, ..
            } => format!("`{setting}` must be {allowed}"),
            Error::WeightsAllZero { .. } => "give at least one quasi-identifier a weight above 0".into(),
            Error::WeightsSum { .. } => {
                "quasi-identifiers without a weight count 0: give each its share of 1, as in `--weight age=0.4 --weight \
                 sex=0.6`, or let `--weights equal` or `--weights auto` choose"
                    .into()
            }
            Error::RuleMalformed { .. } => {
                "write `age: 64|65 = 25`, `race: White != Black = 20` or `race: {White, Black} != {Other} = 5`, with \
                 spaces around `!=` and `=`; the last number is the importance"
                    .into()
            }
            Error::RuleImportance { .. } => {
                "write a number above 0 after the last ` = `; a rule that does not matter is left out".into()
            }
            Error::RuleColumn { column } => format!(
                "only generalized columns can break a rule: add `{column}` to `-q`, or remove the rule"
            ),
            Error::RuleValue { column, .. } => format!(
                "check the spelling, including capitals and spaces; the values are those of the hierarchy of `{column}`"
            ),
            Error::RuleNotNumeric { has_numbers, .. } => match has_numbers {
                true => "write two values of the column, the lesser first, as in `64|65`".into(),
                false => "name values instead, as in `{White, Black} != {Other}`".into(),
            },
            Error::RuleOutside { .. } => {
                "choose a boundary with values of the hierarchy at or below its first number and at or above its second"
                    .into()
            }
            Error::RuleContradictory { rule, .. } => match rule.contains('|') {
                true => "write the lesser number first, as in `64|65`".into(),
                false => "name each value on one side only".into(),
            },
            Error::RuleRepeated { .. } => {
                "keep one of the two, with the importance that is meant".into()
            }
            Error::LevelValues { .. } => {
                "give one value for each level, from the raw values up, as in `--level-values age=1/0.8/0`".into()
            }
            Error::ModelNeedsColumn { .. } => "name one with `--sensitive`".into(),
            Error::NotASensitiveColumn { column, .. } => {
                format!("add `--sensitive {column}`, or remove `column=`")
            }
            Error::NoSuchValue { .. } => {
                "check the spelling, including capitals and spaces; if several columns are sensitive, name one with \
                 `column=`"
                    .into()
            }
            Error::ColumnHasNoOrder { column } => format!(
                "list its values in order with `--hierarchy {column}=FILE`, or use `distance=equal`"
            ),
            Error::ColumnHasNoHierarchy { column } => {
                format!("give one with `--hierarchy {column}=FILE`, or use `distance=equal`")
            }
            Error::ValuesOutsideHierarchy { .. } => {
                "add them to the hierarchy, or use `distance=equal`".into()
            }
            Error::HierarchyEmpty { .. } => {
                "a hierarchy has one line per value: the value, then its groups from finest to coarsest"
                    .into()
            }
            Error::HierarchyNotUtf8 { .. } => {
                "convert the file first, for example `iconv -f latin1 -t utf-8`".into()
            }
            Error::HierarchyOneColumn { .. } => {
                "separate the levels with a comma, a semicolon or a tab; to publish the value or `*`, use `suppress`"
                    .into()
            }
            Error::HierarchyRowTooShort { .. } => {
                "write one cell per level; levels may be omitted only in the middle, before the `*` that ends every line"
                    .into()
            }
            Error::HierarchyValueTwice { .. } => "keep one of the two lines".into(),
            Error::HierarchyLevelSplits { level, .. } => format!(
                "give the two groups of level {level} different names, or one parent"
            ),
            Error::HierarchyTooManyLevels { .. } => {
                "remove levels, or make each merge more values".into()
            }
            Error::HierarchyLacksValues { .. } => {
                "`incrowd hierarchy check` lists them; or pass `--unlisted suppress`".into()
            }
            Error::HierarchyCutsOther { .. } => {
                "build the hierarchy from the same values, or from more".into()
            }
            Error::NotNumbers { .. } => {
                "use `order`, `mask` or `suppress` for text, or clean the column".into()
            }
            Error::NotDates { .. } => {
                "write all dates in one format, such as YYYY-MM-DD, or use `order`, `mask` or `suppress`"
                    .into()
            }
            Error::DatesAmbiguous { .. } => {
                "use `date:month,year@day-first`, `date:month,year@month-first`, or `date:year`"
                    .into()
            }
            Error::NotRecognized { .. } => {
                "use `frequent`, `mask` or `suppress`, or a file with your own groups".into()
            }
            Error::IntervalsTooNarrow { .. } => {
                "use wider intervals, or `quantile` for numbers of very different magnitude".into()
            }
            Error::HierarchySpecUnknown => {
                "write interval:5,10,20@17, quantile:16,8,4, log:1-2-5,10,100, frequent:12,6,3, mask:2, prefix:3,1, \
                 date:month,year, order, countries, us-states, education, icd10, uk-postcode, suppress, or a file"
                    .into()
            }
            Error::HierarchySpecParameter { builder, .. } => format!(
                "for example `{}`",
                match *builder {
                    "interval" => "interval:5,10,20@17",
                    "+" => "interval:5,10,20+28,65",
                    "quantile" => "quantile:16,8,4",
                    "log" => "log:1-2-5,10,100",
                    "frequent" => "frequent:12,6,3",
                    "mask" => "mask:2",
                    "prefix" => "prefix:3,1",
                    "date" => "date:month,year",
                    other => other,
                }
            ),
            Error::HierarchySpecNotNested { .. } => {
                "change the levels so that each merges whole groups of the level before".into()
            }
        }
    }
}

/// Suppressing more than this share of the rows is never proposed: what remains would be a different table.
pub const LARGEST_BUDGET_PROPOSED: f64 = 0.1;

/// A sufficient budget, if it can be recommended.
fn larger_budget(rows_needed: u32, rows: u32) -> Option<String> {
    let share = f64::from(rows_needed) / f64::from(rows.max(1));
    (share <= LARGEST_BUDGET_PROPOSED).then(|| {
        format!(
            "allow `--max-suppressed {rows_needed}` ({:.2} % of the rows)",
            share * 100.0
        )
    })
}

/// Ways to a release if even the highest acceptable levels suppress this many rows.
/// What helps if the highest acceptable levels are within the budget, and only all classes together break a promise.
fn remedies_of_whole(has_higher_levels: bool) -> String {
    let higher = match has_higher_levels {
        true => "raise `--max-levels`, or ",
        false => "",
    };
    format!(
        "even the highest acceptable levels break a privacy model about the whole release: {higher}ask for less, such as a \
         greater max"
    )
}

fn remedies(rows_needed: u32, rows: u32, has_higher_levels: bool) -> String {
    let budget = larger_budget(rows_needed, rows);
    let is_hopeless = budget.is_none();
    let mut remedies: Vec<String> = budget.into_iter().collect();
    // If every column may already be `*`, fewer or coarser ones change nothing.
    if has_higher_levels {
        remedies.push("raise `--max-levels`".into());
        if is_hopeless {
            remedies.push("use fewer quasi-identifiers".into());
            remedies.push("use coarser hierarchies".into());
        }
    }
    remedies.push("ask for less privacy, such as a smaller k".into());
    match remedies.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{}, or {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_solution(needed: u32, has_higher_levels: bool) -> String {
        let error = Error::NoSolution {
            max_suppressed: 0,
            rows_suppressed_at_limit: needed,
            rows: 1000,
            has_higher_levels,
        };
        error.hint()
    }

    #[test]
    fn a_budget_is_proposed_only_where_most_of_the_table_stays() {
        for needed in [1, 100] {
            let hint = no_solution(needed, true);
            assert!(hint.contains(&format!("`--max-suppressed {needed}`")));
        }
        assert!(no_solution(25, false).contains("(2.50 % of the rows)"));
        for needed in [101, 999, 1000] {
            for has_higher_levels in [false, true] {
                let hint = no_solution(needed, has_higher_levels);
                assert!(!hint.contains("--max-suppressed"), "{hint}");
                assert!(hint.contains("less privacy"), "{hint}");
                let can_rise = hint.contains("`--max-levels`") && hint.contains("fewer");
                assert_eq!(can_rise, has_higher_levels, "{hint}");
            }
        }
    }

    #[test]
    fn no_hint_about_choices_proposes_to_leave_out_much_of_the_table() {
        for (rows_violating, is_proposed) in [(5, true), (80, false), (100, false)] {
            let refusals = [
                Error::TooManyToSuppress {
                    rows_violating,
                    max_suppressed: 0,
                    rows: 100,
                },
                Error::ChoicesUnfinished {
                    choices: 1,
                    rows_violating,
                    max_suppressed: 0,
                    rows: 100,
                },
            ];
            for refusal in refusals {
                let hint = refusal.hint();
                assert_eq!(hint.contains("--max-suppressed"), is_proposed, "{hint}");
                assert!(hint.starts_with("raise "), "{hint}");
            }
        }
    }
}
