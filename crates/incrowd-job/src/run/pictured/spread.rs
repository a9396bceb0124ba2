//! How the rows of one column are spread before and after, told in nothing but what the release publishes.
//!
//! A page about a release may be passed on with it, so it must not say more than the release about any single person:
//!
//! - **Labels.** Rows are counted over what the release tells apart. Where it publishes every raw value in one way,
//!   those are its texts. Where texts overlap, as regions do, they are the values that its texts spell out: the lower
//!   bounds of intervals, the members of sets, labels of a hierarchy. A value that only suppressed rows had is spelled
//!   out nowhere, and is in no label.
//! - **Counts after** follow from the release alone: rows of a text that stands for several values are spread evenly over
//!   them, as a reader would who knows nothing else.
//! - **Counts before** are new. The difference to those after could show where a suppressed row was, or which end of its
//!   interval a row is at. So no bar stands for fewer rows than the smallest class; shares are rounded to one percent or,
//!   if that is more, to the size of that class; and they are left out of a table so small that this would
//!   leave nothing to see. If nothing is suppressed and no texts overlap, both are the same, and the release tells them.

use crate::report::pictured::Spread;
use incrowd_core::hierarchy::ANY;
use incrowd_core::publish::PublishedValue;

/// More bars are not read; neighbors, or the rarest values, are taken together.
const MOST_BARS: usize = 12;
/// What shares are rounded to, unless the smallest class is more than that.
pub(crate) const STEP: f64 = 0.01;
/// If shares had to be rounded to more than this, those before are left out.
pub(crate) const COARSEST_STEP: f64 = 0.05;

/// A column of a release; *positions* are those of its leaf order.
pub(super) struct Column<'a> {
    /// What is published, in byte order.
    pub(super) values: &'a [PublishedValue<'a>],
    /// Rows of the table at each position.
    pub(super) rows: Vec<u32>,
    /// The raw value at each position.
    pub(super) text: &'a dyn Fn(u32) -> &'a str,
    /// Whether a text is a set that names its values.
    pub(super) names_its_values: &'a dyn Fn(&str) -> bool,
    /// Of numbers and dates: where they begin. Missing cells are before them.
    pub(super) first_number: Option<u32>,
    /// Rows of the table.
    pub(super) rows_in: u32,
    /// Rows of the smallest class of the release.
    pub(super) smallest_class: u32,
}

/// Rows counted together.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    label: String,
    before: u64,
    after: f64,
}

impl Column<'_> {
    /// The bars, and what their shares are rounded to.
    pub(super) fn spread(&self) -> (Vec<Spread>, Option<f64>) {
        let rows_out: u32 = self.values.iter().map(|value| value.rows).sum();
        let parts = match (self.overlaps(), self.first_number) {
            (false, Some(_)) => self.neighbors_joined(self.texts()),
            (false, None) => rarest_joined(self.texts(), 0),
            (true, Some(first)) => self.intervals(first),
            (true, None) => rarest_joined(self.spelled_out(), self.smallest_class.into()),
        };
        let (all, out) = (f64::from(self.rows_in.max(1)), f64::from(rows_out.max(1)));
        let is_told = !self.overlaps() && rows_out == self.rows_in;
        let step = STEP.max(f64::from(self.smallest_class) / all);
        let rounded = |share: f64| match is_told {
            true => share,
            false => ((share / step).round() * step).min(1.0),
        };
        let is_shown = is_told || step <= COARSEST_STEP;
        let bars = parts.into_iter().map(|part| Spread {
            label: part.label,
            before: is_shown.then(|| rounded(part.before as f64 / all)),
            after: match is_shown {
                true => rounded(part.after / out),
                false => part.after / out,
            },
        });
        (bars.collect(), (is_shown && !is_told).then_some(step))
    }

    /// Whether two texts stand for the same raw value.
    pub(super) fn overlaps(&self) -> bool {
        let mut is_covered = vec![false; self.rows.len()];
        self.values.iter().any(|value| {
            let mut positions = value.cover.runs().flatten();
            positions.any(|position| std::mem::replace(&mut is_covered[position as usize], true))
        })
    }

    /// A part for each text, by position. For texts that do not overlap.
    fn texts(&self) -> Vec<Part> {
        let mut values: Vec<&PublishedValue<'_>> = self.values.iter().collect();
        values.sort_by_key(|value| value.cover.ends());
        let part = |value: &PublishedValue<'_>| Part {
            label: shown(value.text),
            before: (value.cover.positions())
                .map(|position| u64::from(self.rows[position as usize]))
                .sum(),
            after: value.rows.into(),
        };
        values.into_iter().map(part).collect()
    }

    /// The rows of the release at each position, if those of each text are spread evenly.
    fn rows_after(&self) -> Vec<f64> {
        let mut changes = vec![0.0; self.rows.len() + 1];
        for value in self.values {
            let each = f64::from(value.rows) / f64::from(value.cover.len());
            for run in value.cover.runs() {
                changes[run.start as usize] += each;
                changes[run.end as usize] -= each;
            }
        }
        let mut now = 0.0;
        let sums = changes.into_iter().take(self.rows.len()).map(|change| {
            now += change;
            f64::max(now, 0.0)
        });
        sums.collect()
    }

    /// Parts from one lower bound that the release spells out to the next. For numbers and dates whose texts overlap.
    fn intervals(&self, first: u32) -> Vec<Part> {
        let mut is_bound = vec![false; self.rows.len()];
        for value in self.values {
            let Some((start, _)) = value.cover.ends() else {
                continue;
            };
            let low = (self.text)(start);
            let inside = value.text.trim_start_matches('[');
            let is_interval = inside.len() < value.text.len()
                && (inside.strip_prefix(low)).is_some_and(|rest| rest.starts_with('-'));
            if start >= first && (value.text == low || is_interval) {
                is_bound[start as usize] = true;
            }
        }
        let after = self.rows_after();
        let enough = self.enough();
        // From its bound up to the next part; without a bound before the first one.
        let mut parts: Vec<(Option<u32>, u64, f64)> = Vec::new();
        for position in first..self.rows.len() as u32 {
            let at = position as usize;
            let bound = is_bound[at].then_some(position);
            match parts.last_mut() {
                // Nobody has a value below the first bound.
                Some(part) if part.0.is_none() && part.1 == 0 => part.0 = bound,
                Some(part) if bound.is_none() || part.1 < enough => {}
                _ => parts.push((bound, 0, 0.0)),
            }
            if let Some(part) = parts.last_mut() {
                part.1 += u64::from(self.rows[at]);
                part.2 += after[at];
            }
        }
        let least = (enough / 2).max(self.smallest_class.into());
        // What is left over at the end belongs to the part before it.
        if parts.len() > 1
            && let Some(last) = parts.pop_if(|last| last.1 < least)
            && let Some(before) = parts.last_mut()
        {
            before.1 += last.1;
            before.2 += last.2;
        }
        let bounds: Vec<Option<&str>> = (parts.iter())
            .map(|part| part.0.map(|position| (self.text)(position)))
            .collect();
        let label = |at: usize| match (bounds[at], bounds.get(at + 1).copied().flatten()) {
            (Some(low), Some(next)) => format!("{} to under {}", shown(low), shown(next)),
            (Some(low), None) => format!("{} and above", shown(low)),
            (None, Some(next)) => format!("under {}", shown(next)),
            (None, None) => "all values".to_owned(),
        };
        (parts.iter().enumerate())
            .map(|(at, &(_, before, after))| Part {
                label: label(at),
                before,
                after,
            })
            .collect()
    }

    /// How many rows a part of a long list should have.
    fn enough(&self) -> u64 {
        u64::from(self.rows_in / 10).max(self.smallest_class.into())
    }

    /// Neighbors taken together, if there are too many parts.
    fn neighbors_joined(&self, parts: Vec<Part>) -> Vec<Part> {
        if parts.len() <= MOST_BARS {
            return parts;
        }
        let enough = self.enough();
        let mut joined: Vec<(String, Part)> = Vec::new();
        for part in parts {
            match joined.last_mut() {
                Some((last, sum)) if sum.before < enough => {
                    *last = part.label;
                    sum.before += part.before;
                    sum.after += part.after;
                }
                _ => joined.push((part.label.clone(), part)),
            }
        }
        let named = |(last, mut part): (String, Part)| {
            if last != part.label {
                part.label = format!("{} to {last}", part.label);
            }
            part
        };
        joined.into_iter().map(named).collect()
    }

    /// A part for each value that a text spells out, and for what else a label of the hierarchy stands for. For other
    /// values whose texts overlap.
    fn spelled_out(&self) -> Vec<Part> {
        // The narrowest text that stands for each position.
        let mut values: Vec<&PublishedValue<'_>> = self.values.iter().collect();
        values.sort_by_key(|value| (value.cover.len(), value.text));
        let mut narrowest: Vec<Option<usize>> = vec![None; self.rows.len()];
        let mut open = Open::all(self.rows.len());
        for (at, value) in values.iter().enumerate() {
            for run in value.cover.runs() {
                let mut position = open.from(run.start);
                while position < run.end {
                    narrowest[position as usize] = Some(at);
                    position = open.close(position);
                }
            }
        }
        let after = self.rows_after();
        let values_are_named: Vec<bool> = (values.iter())
            .map(|value| (self.names_its_values)(value.text))
            .collect();
        let mut parts: Vec<Part> = Vec::new();
        let mut of_text: Vec<Option<(usize, u32)>> = vec![None; values.len()];
        for (position, narrowest) in (0..).zip(narrowest) {
            // Only suppressed rows have it.
            let Some(at) = narrowest else { continue };
            let value = values[at];
            let raw = (self.text)(position);
            let (before, after) = (self.rows[position as usize], after[position as usize]);
            let is_spelled_out = value.text == raw || values_are_named[at];
            let part = match of_text[at] {
                Some((part, _)) if !is_spelled_out => part,
                _ => {
                    let label = if is_spelled_out { raw } else { value.text };
                    parts.push(Part {
                        label: shown(label),
                        before: 0,
                        after: 0.0,
                    });
                    parts.len() - 1
                }
            };
            if !is_spelled_out {
                let count = of_text[at].map_or(0, |(_, count)| count);
                of_text[at] = Some((part, count + 1));
            }
            parts[part].before += u64::from(before);
            parts[part].after += after;
        }
        for (value, of_text) in values.iter().zip(of_text) {
            if let Some((part, count)) = of_text
                && count < value.cover.len()
            {
                parts[part].label = format!("other values of {}", shown(value.text));
            }
        }
        parts
    }
}

/// Positions that are not closed yet. A wide text may stand for most of a million values, so those that are closed are
/// skipped, not looked at.
struct Open {
    /// For each position one at or after it, nothing open between them.
    next: Vec<u32>,
}

impl Open {
    fn all(positions: usize) -> Self {
        Open {
            next: (0..=positions as u32).collect(),
        }
    }

    /// The first open position from here on; the number of positions if there is none.
    fn from(&mut self, position: u32) -> u32 {
        let mut open = position;
        while self.next[open as usize] != open {
            open = self.next[open as usize];
        }
        let mut passed = position;
        while passed != open {
            passed = std::mem::replace(&mut self.next[passed as usize], open);
        }
        open
    }

    /// Closes an open position; the next one that is open.
    fn close(&mut self, position: u32) -> u32 {
        self.next[position as usize] = position + 1;
        self.from(position)
    }
}

/// The most frequent parts; all others, and those with fewer rows than `least`, are taken together, and with as many
/// more as it takes for `least` rows.
fn rarest_joined(mut parts: Vec<Part>, least: u64) -> Vec<Part> {
    parts.sort_by(|one, other| {
        let (fewer, more) = (one.before, other.before);
        more.cmp(&fewer).then_with(|| one.label.cmp(&other.label))
    });
    let most = match parts.len() > MOST_BARS {
        true => MOST_BARS - 1,
        false => parts.len(),
    };
    let mut kept = parts[..most].partition_point(|part| part.before >= least);
    let rows = |parts: &[Part]| parts.iter().map(|part| part.before).sum::<u64>();
    while kept > 0 && kept < parts.len() && rows(&parts[kept..]) < least {
        kept -= 1;
    }
    let rest = parts.split_off(kept);
    if !rest.is_empty() {
        parts.push(Part {
            label: match rest.len() {
                1 => "1 other value".to_owned(),
                count => format!("{count} other values"),
            },
            before: rows(&rest),
            after: rest.iter().map(|part| part.after).sum(),
        });
    }
    parts
}

/// A published text in a plot.
fn shown(text: &str) -> String {
    match text {
        "" => "(missing)".to_owned(),
        ANY => "* (any value)".to_owned(),
        text => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
