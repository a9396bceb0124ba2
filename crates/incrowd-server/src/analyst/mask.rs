//! Numbers as an analyst sees them.

use crate::bounds::Bounds;
use crate::counted::Counted;
use crate::error::Failure;
use incrowd_core::privacy::ModelEntry;
use incrowd_job::{Branch, Budget, ColumnSpread, GaveWay, LevelsShown, Offered, Wish};
use indexmap::IndexMap;
use serde_json::{Value, json};

/// Rounds everything that is told about one wish.
#[derive(Debug)]
pub(crate) struct Mask {
    /// Numbers of rows and labels are multiples of this.
    step: u64,
    /// Numbers of suppressed rows are told apart in steps of so many.
    suppressed_step: u64,
    /// Rows of the table, rounded down.
    rows: u64,
    /// What each metric is for everything as `*`; none if metrics are not shown.
    greatest: Option<IndexMap<String, f64>>,
    /// Rows that the promise gives every class.
    smallest_class: u64,
}

impl Mask {
    pub(crate) fn new(
        counted: &Counted,
        bounds: &Bounds,
        (entry, wish): (&ModelEntry, &Wish),
    ) -> Result<Self, Failure> {
        let mut mask = Mask::of_rows(counted, bounds.mask);
        mask.suppressed_step = wish.rows_in_steps_of.into();
        mask.smallest_class = match entry.name {
            "k-anonymity" => wish.parameter.map_or(0, |k| k.to_f64() as u64),
            _ => 0,
        };
        // In a table of a few steps, a figure in two digits would tell single rows.
        if bounds.analyst_sees.metrics && mask.rows >= 10 * mask.step {
            let top = counted.heights();
            let offer = counted.negotiation.offer_at(wish, &top, &counted.control);
            mask.greatest = Some(offer.map_err(|error| super::refused(&error))?.metrics);
        }
        Ok(mask)
    }

    /// For numbers of rows alone.
    pub(crate) fn of_rows(counted: &Counted, step: u32) -> Self {
        let step = u64::from(step.max(1));
        let rows = u64::from(counted.ground().table().rows);
        Mask {
            step,
            suppressed_step: step,
            rows: rows - rows % step,
            greatest: None,
            smallest_class: 0,
        }
    }

    /// Rows of the table.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Suppressed rows: up to so many. Whether there are any at all is not told either.
    pub(crate) fn suppressed(&self, rows: u64) -> u64 {
        (rows / self.suppressed_step + 1) * self.suppressed_step
    }

    pub(crate) fn down(&self, rows: u64) -> u64 {
        rows - rows % self.step
    }

    /// A budget in rows, in whole steps; a share is one of the rounded rows.
    pub(crate) fn budget_of(&self, budget: Budget) -> u64 {
        self.down(budget.rows(self.rows))
    }

    pub(crate) fn budget_of_wish(&self, wish: &Wish) -> u64 {
        wish.max_suppressed
            .map_or(0, |budget| self.budget_of(budget))
    }

    /// An offer without anything exact: levels and promise are what is offered, `rows_suppressed` is what the wish already
    /// rounded, all else is rounded here or left out.
    pub(crate) fn offer(&self, offer: Offered) -> Offered {
        let rows_suppressed = offer.rows_suppressed;
        let is_weaker = matches!(offer.gives_way, Some(GaveWay::Privacy { .. }));
        Offered {
            rows_suppressed,
            classes: self.classes(offer.classes),
            smallest_class: match (self.smallest_class, is_weaker) {
                (0, _) => 0,
                (_, true) => offer.parameter.0 as u64,
                (promised, false) => promised,
            },
            metrics: self.metrics(&offer.metrics),
            research_value: None,
            average_class: 0.0,
            share_suppressed: match self.rows {
                0 => 0.0,
                rows => (rows_suppressed as f64 / rows as f64).min(1.0),
            },
            ..offer
        }
    }

    /// Many classes in one digit, few not at all: their number tells when a single one becomes too small.
    pub(crate) fn classes(&self, classes: u64) -> u64 {
        if classes < 10 * self.step {
            return 0;
        }
        let digit = 10_u64.pow(classes.ilog10());
        self.down(classes - classes % digit)
    }

    /// Metrics in two digits, and in no finer steps than those of rows.
    pub(crate) fn metrics(&self, metrics: &IndexMap<String, f64>) -> IndexMap<String, f64> {
        let Some(greatest) = &self.greatest else {
            return IndexMap::new();
        };
        let coarse = |(name, value): (&String, &f64)| {
            // What experts say may quote values.
            if name == "research-value" {
                return None;
            }
            // The levels alone decide it.
            if name == "height" {
                return Some((name.clone(), *value));
            }
            // What one step of rows is worth if all rows together are worth the greatest value.
            let greatest = greatest.get(name)?.abs();
            let step = greatest * self.step as f64 / self.rows as f64;
            let is_finite = step.is_finite() && step > 0.0 && value.is_finite();
            is_finite.then(|| {
                (
                    name.clone(),
                    two_digits((value / step).round() * step, false),
                )
            })
        };
        metrics.iter().filter_map(coarse).collect()
    }
}

/// A number in two significant digits, rounded to nothing greater unless it may be.
pub(crate) fn two_digits(number: f64, is_up: bool) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return number;
    }
    let digits = 1 - number.abs().log10().floor() as i32;
    let scaled = number * 10_f64.powi(digits);
    // A number that has two digits already stays as it is.
    let whole = match (scaled - scaled.round()).abs() < 1e-6 {
        true => scaled.round(),
        false if is_up => scaled.ceil(),
        false => scaled.floor(),
    };
    // Divided by a power of ten where possible, which gives the nearest number to the decimal.
    match digits {
        0.. => whole / 10_f64.powi(digits),
        _ => whole * 10_f64.powi(-digits),
    }
}

/// Distributions without labels that too few rows have. What is published of a label is estimated from what is published
/// of all rows: exact numbers for every promise and every node would be as many equations about few people.
pub(crate) fn masked_spread(columns: Vec<ColumnSpread>, suppressed: u64, mask: &Mask) -> Value {
    let published = mask.rows.saturating_sub(suppressed) as f64 / mask.rows.max(1) as f64;
    let columns = columns.into_iter().map(|column| {
        let told = column.before.into_iter();
        let told = told.map(|label| (label.label, mask.down(label.rows)));
        let told: Vec<(String, u64)> = told.filter(|(_, rows)| *rows > 0).collect();
        let all = |rows: &dyn Fn(u64) -> u64| -> Vec<Value> {
            (told.iter())
                .map(|(label, count)| json!({ "label": label, "rows": rows(*count) }))
                .collect()
        };
        let before = all(&|rows| rows);
        let after = all(&|rows| mask.down((rows as f64 * published).round() as u64));
        json!({ "name": column.name, "before": before, "after": after, "left_out": null })
    });
    Value::Array(columns.collect())
}

/// Levels without labels that too few rows have, and without saying how they came about.
pub(crate) fn masked_tree(levels: &LevelsShown, mask: &Mask) -> Value {
    let mut labels = vec![0_u64; levels.levels.len()];
    let top = labels.len().saturating_sub(1);
    let tree: Vec<Value> = (levels.tree.iter())
        .filter_map(|branch| masked_branch(branch, mask, top, &mut labels))
        .collect();
    let told: Vec<Value> = (levels.levels.iter().zip(&labels))
        .map(|(level, labels)| json!({ "level": level.level, "labels": labels }))
        .collect();
    json!({ "column": levels.column, "source": "", "reason": null, "levels": told, "tree": tree })
}

fn masked_branch(branch: &Branch, mask: &Mask, level: usize, labels: &mut [u64]) -> Option<Value> {
    let rows = mask.down(branch.rows);
    if rows == 0 {
        return None;
    }
    labels[level] += 1;
    let below = level.saturating_sub(1);
    let children: Vec<Value> = (branch.children.iter())
        .filter_map(|child| masked_branch(child, mask, below, labels))
        .collect();
    let shown: u64 = (children.iter())
        .filter_map(|child| child["rows"].as_u64())
        .sum();
    let more = match branch.children.is_empty() && branch.more == 0 {
        true => 0,
        false => rows.saturating_sub(shown),
    };
    Some(json!({ "label": branch.label, "rows": rows, "children": children, "more": more }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits_are_kept_and_the_rest_is_cut_off_or_rounded_up() {
        let numbers = [
            (0.0, 0.0, 0.0),
            (0.3127, 0.31, 0.32),
            (0.31, 0.31, 0.31),
            (1.0, 1.0, 1.0),
            (1.25, 1.2, 1.3),
            (99.9, 99.0, 100.0),
            (12345.0, 12000.0, 13000.0),
            (0.0001, 0.0001, 0.0001),
        ];
        for (number, down, up) in numbers {
            assert_eq!(two_digits(number, false), down, "{number}");
            assert_eq!(two_digits(number, true), up, "{number}");
        }
    }
}
