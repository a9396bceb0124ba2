//! What else could have been had, and what it would have cost.

use super::{Alternative, Alternatives, Change, Choice, Neighbor, Nothing, Released};
use crate::report::page::words::{count, figure, paragraph};
use crate::report::page::{Cell, Head, Html, Table, element};

/// Losses closer than this are the same.
const SAME: f64 = 1e-9;

pub(super) fn section(released: &Released<'_>) -> Html {
    let alternatives = &released.facts.alternatives;
    let metric = &released.certificate.request.metric;
    let mut html = paragraph(format!(
        "Privacy and detail pull in opposite directions. These are the nearest choices on either side of the one that was \
         made, each with its price, measured by `{metric}` (lower means that more detail is left). None of them was \
         published, and only one of them should ever be.",
    ));
    match &alternatives.tried {
        Ok(tried) if !tried.is_empty() => {
            html.push(in_words(&alternatives.published, tried));
            html.push(table(released, tried));
        }
        Ok(_) => html.push(paragraph(
            "No other strength of a promise could be tried: none of them has a number that can be raised or lowered.",
        )),
        Err(reason) => html.push(paragraph(format!("Other requests were not tried: {reason}."))),
    }
    html.push(element("h3", Html::text("One step away")));
    html.push(steps(released, alternatives));
    html
}

/// By how much a loss is higher or lower.
fn difference(loss: f64, published: f64) -> String {
    match loss - published {
        change if change.abs() <= SAME * published.abs().max(1.0) => "the same".to_owned(),
        change if published.abs() <= SAME => format!("{} more", figure(change)),
        change => {
            let percent = 100.0 * (change / published).abs();
            let percent = match percent {
                percent if percent < 0.1 => "less than 0.1 %".to_owned(),
                percent if percent < 10.0 => format!("{percent:.1} %"),
                percent => format!("{percent:.0} %"),
            };
            let word = if change > 0.0 { "more" } else { "less" };
            format!("{percent} {word}")
        }
    }
}

/// Fewer rows than this would be about single people.
fn least_told(released: &Released<'_>) -> u64 {
    released.outcome.smallest_class.max(2)
}

/// A number of rows that are not published.
fn few(rows: u64, least: u64) -> String {
    match rows {
        rows if rows > 0 && rows < least => format!("fewer than {least}"),
        rows => incrowd_plot::grouped(rows as f64),
    }
}

fn is_lower(loss: f64, than: f64) -> bool {
    loss < than - SAME * than.abs().max(1.0)
}

/// The next better and the next safer choice, each in a sentence.
fn in_words(published: &Choice, tried: &[Alternative]) -> Html {
    let mut items = Html::default();
    let mut item = |text: String| items.push(element("li", Html::prose(text)));
    let mut is_any_better = false;
    for alternative in tried {
        let Ok(found) = alternative.found.as_ref() else {
            continue;
        };
        if !is_lower(found.loss, published.loss) {
            continue;
        }
        let gives_way = match &alternative.change {
            Change::Safer { .. } => continue,
            Change::Weaker { promise } => format!("with the weaker promise `{promise}`"),
            Change::Budget { rows } => {
                format!("if up to {} could be left out", count(*rows, "row", "rows"))
            }
        };
        is_any_better = true;
        item(format!(
            "More detail: {gives_way}, the loss would be {} instead of {} ({}).",
            figure(found.loss),
            figure(published.loss),
            difference(found.loss, published.loss)
        ));
    }
    if !is_any_better {
        item("More detail: none of the weaker requests that were tried gains anything.".to_owned());
    }
    for alternative in tried {
        let Change::Safer { promise } = &alternative.change else {
            continue;
        };
        item(match &alternative.found {
            Ok(found) => format!(
                "More safety: with the stronger promise `{promise}`, the loss would be {} instead of {} ({}).",
                figure(found.loss),
                figure(published.loss),
                difference(found.loss, published.loss)
            ),
            Err(Nothing::OutOfReach) => format!(
                "More safety: the stronger promise `{promise}` is out of reach, since not even the whole table keeps it."
            ),
            Err(Nothing::NotFound) => format!(
                "More safety: for the stronger promise `{promise}`, the same algorithm found no release within the work \
                 set aside for this page."
            ),
        });
    }
    element("ul", items)
}

/// The request as it was, and all others.
fn table(released: &Released<'_>, tried: &[Alternative]) -> Html {
    let published = &released.facts.alternatives.published;
    let columns = &released.certificate.request.quasi_identifiers;
    let smallest = least_told(released);
    let row = |words: Html, found: Result<&Choice, &Nothing>, is_published: bool| {
        let mut row = vec![Cell::Words {
            shown: words,
            key: String::new(),
        }];
        let Ok(found) = found else {
            row.extend([
                Cell::text(match found {
                    Err(Nothing::OutOfReach) => "out of reach",
                    _ => "nothing found",
                }),
                Cell::Missing,
                Cell::Missing,
                Cell::Missing,
            ]);
            return row;
        };
        let loss = match found.is_final {
            true => figure(found.loss),
            false => format!("{} or less", figure(found.loss)),
        };
        let number =
            |figure: u64| Cell::number(figure as f64, incrowd_plot::grouped(figure as f64));
        let left_out = match found.rows_suppressed {
            rows if is_published => number(rows),
            rows => Cell::number(rows as f64, few(rows, smallest)),
        };
        let changed = match (is_published, &found.levels, &published.levels) {
            (true, ..) => "published".to_owned(),
            (_, Some(levels), Some(old)) => {
                let names = columns.iter().map(|column| column.column.as_str());
                let changes: Vec<String> = (names.zip(levels.iter().zip(old)))
                    .filter(|(_, (level, old))| level != old)
                    .map(|(name, (level, old))| format!("{name} at level {level} instead of {old}"))
                    .collect();
                match changes.is_empty() {
                    true => "the same levels".to_owned(),
                    false => changes.join(", "),
                }
            }
            _ => difference(found.loss, published.loss),
        };
        row.extend([
            Cell::number(found.loss, loss),
            left_out,
            number(found.smallest_class),
            Cell::text(changed),
        ]);
        row
    };
    let mut rows = vec![row(Html::text("As asked"), Ok(published), true)];
    for alternative in tried {
        let words = match &alternative.change {
            Change::Safer { promise } => format!("Safer: `{promise}`"),
            Change::Weaker { promise } => format!("Weaker: `{promise}`"),
            Change::Budget { rows } => {
                format!("Up to {} may be left out", count(*rows, "row", "rows"))
            }
        };
        rows.push(row(Html::prose(words), alternative.found.as_ref(), false));
    }
    let table = Table {
        caption: "The same algorithm with other requests".into(),
        heads: vec![
            Head::words("Request", Html::default()),
            Head::numbers("Loss", Html::default()),
            Head::numbers("Rows left out", Html::default()),
            Head::numbers("Smallest group", Html::default()),
            Head::words("What changes", Html::default()),
        ],
        rows,
    };
    table.finish()
}

fn steps(released: &Released<'_>, alternatives: &Alternatives) -> Html {
    let steps = match &alternatives.steps {
        Ok(steps) => steps,
        Err(reason) => return paragraph(format!("Not computed: {reason}.")),
    };
    let budget = released.certificate.request.max_suppressed;
    let smallest = least_told(released);
    let published = &alternatives.published;
    let mut html = paragraph(format!(
        "The release is a point in a lattice: each column stands at one of its levels. This is what would happen if a \
         single column were published one level finer or coarser, with the same promises. Rows that would have to be left \
         out cost loss too; {} may be.",
        match budget {
            0 => "none".to_owned(),
            budget => count(budget, "row", "rows"),
        }
    ));
    let cells = |neighbor: &Option<Neighbor>, none: &str| match neighbor {
        None => [Cell::text(none), Cell::Missing],
        Some(neighbor) => {
            let more = neighbor
                .rows_suppressed
                .saturating_sub(published.rows_suppressed);
            let rows = neighbor.rows_suppressed;
            // Fewer rows than any group has would be about single people.
            let shown = match rows {
                0 => "fits: no row left out".to_owned(),
                rows if rows <= budget => format!("fits: {} rows left out", few(rows, smallest)),
                _ if more < smallest => {
                    format!("breaks a promise for fewer than {smallest} more rows")
                }
                rows => format!(
                    "breaks a promise unless {} left out",
                    count(rows, "row is", "rows are")
                ),
            };
            let loss = match rows <= budget {
                true => format!(
                    "{} ({})",
                    figure(neighbor.loss),
                    difference(neighbor.loss, published.loss)
                ),
                false => figure(neighbor.loss),
            };
            [Cell::text(shown), Cell::number(neighbor.loss, loss)]
        }
    };
    let rows = steps.iter().map(|step| {
        let mut row = vec![Cell::Words {
            shown: element("code", Html::text(&step.column)),
            key: step.column.clone(),
        }];
        row.push(Cell::number(step.level.into(), step.level.to_string()));
        row.extend(cells(&step.finer, "already single values"));
        row.extend(cells(&step.coarser, "already at its highest level"));
        row
    });
    html.push(
        Table {
            caption: "One column, one level finer or coarser".into(),
            heads: vec![
                Head::words("Column", Html::default()),
                Head::numbers("Level", Html::default()),
                Head::words("One level finer", Html::default()),
                Head::numbers("Loss then", Html::default()),
                Head::words("One level coarser", Html::default()),
                Head::numbers("Loss then", Html::default()),
            ],
            rows: rows.collect(),
        }
        .finish(),
    );
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_told_in_percent_of_what_is_published() {
        assert_eq!(difference(0.2, 0.2), "the same");
        assert_eq!(difference(0.3, 0.2), "50 % more");
        assert_eq!(difference(0.19, 0.2), "5.0 % less");
        assert_eq!(difference(0.20001, 0.2), "less than 0.1 % more");
        assert_eq!(difference(3.0, 0.0), "3 more");
    }
}
