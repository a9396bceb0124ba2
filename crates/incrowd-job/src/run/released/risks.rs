//! How easily people are found in the table and in the release.

use crate::report::released::{RiskChange, RiskTold};
use crate::run::describe::Answer;
use crate::run::pictured::{COARSEST_STEP, STEP};
use crate::run::risk::{THRESHOLD, certain_rows};
use incrowd_core::counts::{FrequencySet, KnownSets};
use incrowd_core::risk::{ClassSizes, Reidentification};

/// The risk before and after. What is told of the table is rounded like everything else that a page tells of it: to one
/// percent or, if that is more, to the size of the smallest class; and left out where nothing would be left to see.
pub(super) fn change(answer: &Answer<'_>) -> RiskChange {
    let (table, seen) = (answer.problem.table, answer.seen);
    let sensitive = answer.asked.plan.sensitive.len();
    let mut raw = FrequencySet::default();
    // Not the tuples themselves: of equal rows there may be one tuple for each.
    let _ = KnownSets::new(table, (0..sensitive).collect(), 0)
        .count(&table.lattice().bottom(), &mut raw);
    let rows = f64::from(table.rows.max(1));
    let step = STEP.max(f64::from(seen.smallest_class()) / rows);
    let rounded = |share: f64| ((share / step).round() * step).min(1.0);
    let name = |at: usize| table.columns[at].name.clone();
    let before = {
        let sizes = ClassSizes::of(raw.sizes().iter().copied());
        let certain = (0..sensitive)
            .map(|at| (name(at), certain_rows(&raw, at) as f64 / rows))
            .collect();
        let told = told(&sizes, certain);
        RiskTold {
            highest: told.highest,
            average: rounded(told.average),
            above_threshold: rounded(told.above_threshold),
            unique: rounded(told.unique),
            certain: (told.certain.into_iter())
                .map(|(name, share)| (name, rounded(share)))
                .collect(),
        }
    };
    let after = {
        let sizes = ClassSizes::of(seen.class_sizes());
        let exposed = seen.exposure();
        let rows = f64::from(seen.rows().max(1));
        let certain = (exposed.columns.iter().take(sensitive).enumerate())
            .map(|(at, column)| (name(at), f64::from(column.homogeneous_rows) / rows))
            .collect();
        told(&sizes, certain)
    };
    RiskChange {
        before: Some(before)
            .filter(|_| step <= COARSEST_STEP && !answer.job.output.report_is_for_readers),
        rounded_to: step,
        after,
        threshold: THRESHOLD,
    }
}

fn told(sizes: &ClassSizes, certain: Vec<(String, f64)>) -> RiskTold {
    let risk = Reidentification::of_prosecutor(sizes, THRESHOLD);
    let share = |rows: u64| rows as f64 / sizes.rows().max(1) as f64;
    RiskTold {
        highest: risk.highest,
        average: risk.average,
        above_threshold: share(risk.rows_above),
        unique: share(sizes.uniques()),
        certain,
    }
}
