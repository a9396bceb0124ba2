//! Whether k is reachable at all.

use super::page::Page;
use incrowd_core::chance::MOST_ROWS;
use incrowd_job::{Drawn, NeededByColumns, Simulation};

/// The report of `simulate`: the answer first, then the figures.
pub(crate) fn text(found: &Simulation) -> String {
    let mut page = Page::default();
    let combination = match found.columns.len() {
        1 => "value of this column".to_owned(),
        many => format!("combination of these {many} columns"),
    };
    let times = match found.k {
        1 => "once".to_owned(),
        k => format!("{k} times"),
    };
    page.line(format!(
        "With {}, the chance is {} that every {combination} that occurs at all occurs at least {times}.",
        rows(found.rows),
        percent(found.chance.formula)
    ));
    if let Some(share) = found.share {
        let asked = few_digits_percent(share);
        page.line(match found.rows_needed {
            Some(needed) => format!(
                "For a chance of {asked} or more, {} are needed; with more, it stays at least as high.",
                rows(needed)
            ),
            None => format!("For a chance of {asked}, more than {MOST_ROWS} rows are needed."),
        });
    }
    page.line("");
    page.entry("columns", described(found));
    page.entry("combinations", format!(" {}", found.combinations.0));
    page.entry("formula", percent(found.chance.formula));
    let [low, high] = found.chance.interval;
    page.entry(
        "simulation",
        format!(
            "{} of {} random tables (95 % interval: {} to {})",
            percent(found.chance.simulated),
            found.repeats,
            percent(low),
            percent(high)
        ),
    );
    by_columns(&mut page, &found.by_columns, found.share.unwrap_or(0.95));
    for (at, path) in found.plots.iter().enumerate() {
        if at == 0 {
            page.line("");
        }
        let label = if at == 0 { "plots" } else { "" };
        page.entry(label, path.display().to_string());
    }
    page.line("");
    page.line(match found.columns.iter().any(|column| column.level.is_some()) {
        true => "note: no row is suppressed here; `incrowd anonymize` can do that",
        false => "note: nothing is generalized and no row is suppressed here; `incrowd anonymize` does both where needed",
    });
    for note in &found.notes {
        page.line(format!("note: {note}"));
    }
    page.0
}

fn by_columns(page: &mut Page, by_columns: &[NeededByColumns], share: f64) {
    if by_columns.len() < 2 {
        return;
    }
    page.line("");
    page.line(format!(
        "rows needed for a chance of {}, with the first columns only",
        few_digits_percent(share)
    ));
    let header = ["columns", "combinations", "rows needed"].map(String::from);
    let lines: Vec<Vec<String>> = (by_columns.iter())
        .map(|row| {
            vec![
                row.columns.to_string(),
                row.combinations.0.to_string(),
                match row.rows_needed {
                    Some(needed) => needed.to_string(),
                    None => format!("{MOST_ROWS}+"),
                },
            ]
        })
        .collect();
    page.table(&header, &lines);
}

/// The columns, with their numbers of values and how they are drawn.
fn described(found: &Simulation) -> String {
    let values = |values: u64| match values {
        1 => "1 value".to_owned(),
        many => format!("{many} values"),
    };
    let first = found.columns.first().map_or(0, |column| column.values);
    let is_alike = found.columns.iter().all(|column| column.values == first);
    let list = match (found.drawn, is_alike) {
        (Drawn::Evenly, true) => format!("{} of {}", found.columns.len(), values(first)),
        (Drawn::Evenly, false) => {
            let all = found.columns.iter().map(|column| column.values.to_string());
            format!("of {} values", all.collect::<Vec<_>>().join(", "))
        }
        _ => {
            let all = found.columns.iter().map(|column| {
                let name = column.name.as_deref().unwrap_or_default();
                match column.level {
                    Some(level) => format!("{name} (level {level}, {})", values(column.values)),
                    None => format!("{name} ({})", values(column.values)),
                }
            });
            all.collect::<Vec<_>>().join(", ")
        }
    };
    let how = match found.drawn {
        Drawn::Evenly => "all equally likely",
        Drawn::ByColumn => "as likely as in the table, each column by itself",
        Drawn::WholeRows => "only the combinations of the table, as likely as there",
    };
    format!("{list}; {how}")
}

fn rows(rows: u64) -> String {
    match rows {
        1 => "1 row".to_owned(),
        many => format!("{many} rows"),
    }
}

/// A chance with one decimal; what is neither 0 nor 1 is not rounded to either.
fn percent(share: f64) -> String {
    match share {
        _ if share > 0.0 && share < 0.0005 => "less than 0.1 %".to_owned(),
        _ if (0.9995..1.0).contains(&share) => "more than 99.9 %".to_owned(),
        _ => format!("{:.1} %", 100.0 * share),
    }
}

/// A chance as the user gave it.
fn few_digits_percent(share: f64) -> String {
    let text = format!("{:.4}", 100.0 * share);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_not_rounded_to_certainty() {
        for (share, text) in [
            (0.0, "0.0 %"),
            (0.0001, "less than 0.1 %"),
            (0.70202, "70.2 %"),
            (0.9999, "more than 99.9 %"),
            (1.0, "100.0 %"),
        ] {
            assert_eq!(percent(share), text);
        }
        assert_eq!(few_digits_percent(0.95), "95 %");
        assert_eq!(few_digits_percent(0.999999), "99.9999 %");
    }
}
