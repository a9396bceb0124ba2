//! The tables of a comparison.

use super::{Comparison, Run, RunReached};
use crate::report::digits::few_digits;
use crate::report::explain::Family;
use crate::report::outcome::Guarantee;
use crate::report::page::words::{bare, figure, shape};
use crate::report::page::{Cell, Head, Html, Table, element, explained, link};
use incrowd_core::algorithms::{self, Status};
use incrowd_plot::grouped;

/// The measures that the first table shows besides the one asked for, in plain words.
const MEASURES: [(&str, &str, &str); 3] = [
    (
        "ncp",
        "Width",
        "How wide the published values are: 0 if they are exact, 1 if they could be anything.",
    ),
    (
        "discernibility",
        "Indistinct rows",
        "For every row, how many rows look exactly like it, added up. A row left out counts as if all did.",
    ),
    (
        "average-class-size",
        "Rows per class",
        "How many rows look alike on average.",
    ),
];

/// The figures that most readers want.
pub(super) fn summary(comparison: &Comparison) -> Html {
    let metric = comparison.metric.as_str();
    let ranked_by = match metric {
        "loss" => "Loss".to_owned(),
        metric => format!("Loss ({metric})"),
    };
    let mut loss_explained = explained(Family::Metric, bare(metric));
    loss_explained.push(Html::text(" What all are ranked by."));
    let mut heads = vec![
        Head::words("Algorithm", Html::text("What it does is in the glossary.")),
        Head::words(
            "Shape",
            Html::text("How values are blurred; see the glossary."),
        ),
        Head::numbers(ranked_by, loss_explained),
    ];
    let measures = MEASURES.iter().filter(|(name, ..)| *name != metric);
    let measures: Vec<&str> = (measures)
        .map(|(name, title, explained)| {
            heads.push(Head::numbers(
                format!("{title} ({name})"),
                Html::text(explained),
            ));
            *name
        })
        .collect();
    let lowest = 2..heads.len() + 1;
    heads.extend([
        Head::numbers(
            "Rows left out",
            Html::text("They fit no class and are not published (suppressed)."),
        ),
        Head::numbers(
            "Classes",
            Html::text("Sets of rows that look alike. More of them: more detail."),
        ),
        Head::numbers(
            "Smallest class",
            Html::text("At least so many rows look alike, so a person is hidden among them."),
        ),
        Head::numbers(
            "Could be lower by",
            Html::text(
                "How much lower any release of this shape could be, by the measure that the algorithm minimized.",
            ),
        ),
        Head {
            is_time: true,
            ..Head::numbers("Seconds", Html::text("Of the search; differs from run to run."))
        },
    ]);
    let rows = comparison.runs.iter().map(|run| {
        let mut row = vec![algorithm(&run.algorithm)];
        let number = |figure: u64| Cell::number(figure as f64, grouped(figure as f64));
        match &run.reached {
            Some(reached) => {
                let loss = |name: &str| match reached.metrics.get(name) {
                    Some(&loss) => Cell::number(loss, figure(loss)),
                    None => Cell::Missing,
                };
                row.push(Cell::Words {
                    shown: link(Family::Term, shape(&reached.recoding).1),
                    key: reached.recoding.clone(),
                });
                row.push(loss(metric));
                row.extend(measures.iter().map(|name| loss(name)));
                row.push(number(reached.rows_suppressed));
                row.push(number(reached.classes));
                row.push(number(reached.smallest_class));
                row.push(room_below(reached));
            }
            None => row.extend((0..measures.len() + 6).map(|_| Cell::Missing)),
        }
        row.push(Cell::number(run.seconds, format!("{:.3}", run.seconds)));
        row
    });
    let mut table = Table {
        caption: "What each algorithm reached".into(),
        rows: rows.collect(),
        heads,
    };
    for column in lowest {
        table.mark_lowest(column);
    }
    table.finish()
}

/// Every metric and every promise of every algorithm.
pub(super) fn measures(comparison: &Comparison) -> Html {
    let metrics = comparison.names(|run| run.metrics.keys().map(String::as_str));
    let promises = comparison.names(|run| run.privacy.iter().map(|it| it.model.as_str()));
    let mut heads = vec![Head::words("Algorithm", Html::default())];
    heads.extend((promises.iter()).map(|promise| {
        let mut meaning = Html::text("Reached. ");
        meaning.push(explained(Family::Model, bare(promise)));
        Head::numbers(promise, meaning)
    }));
    heads.extend(
        (metrics.iter())
            .map(|metric| Head::numbers(metric, explained(Family::Metric, bare(metric)))),
    );
    let rows = comparison.runs.iter().filter_map(|run| {
        let reached = run.reached.as_ref()?;
        let mut row = vec![Cell::text(&run.algorithm)];
        row.extend(promises.iter().map(|name| {
            let promise = reached.privacy.iter().find(|it| it.model == *name);
            match promise.and_then(|promise| promise.reached) {
                Some(reached) => Cell::number(reached.0, few_digits(reached.0)),
                None => Cell::Missing,
            }
        }));
        row.extend(
            (metrics.iter()).map(|name| match reached.metrics.get(*name) {
                Some(&loss) => Cell::number(loss, figure(loss)),
                None => Cell::Missing,
            }),
        );
        Some(row)
    });
    let mut table = Table {
        caption: "Promises reached, and every measure of loss; lower is better".into(),
        rows: rows.collect(),
        heads,
    };
    let first = promises.len() + 1;
    for column in first..first + metrics.len() {
        table.mark_lowest(column);
    }
    table.finish()
}

/// Which rules each release keeps; none if there are no rules.
///
/// Rules are numbered, since the values they name need not be in any release.
pub(super) fn rules(comparison: &Comparison) -> Option<Html> {
    let value = |run: &Run| run.reached.as_ref()?.research_value.clone();
    let first = comparison.runs.iter().find_map(value)?;
    let places = first.places_of_rules();
    if places.is_empty() {
        return None;
    }
    let mut heads = vec![Head::words("Algorithm", Html::default())];
    heads.extend(places.iter().map(|&(attribute, rule)| {
        let attribute = &first.attributes[attribute];
        let importance = attribute.rules[rule].importance.0;
        let title = format!("{}, rule {}", attribute.name, rule + 1);
        Head::words(title, Html::text(format!("Importance {importance}.")))
    }));
    let rows = comparison.runs.iter().filter_map(|run| {
        let value = value(run)?;
        let mut row = vec![algorithm(&run.algorithm)];
        row.extend(places.iter().map(|&(attribute, rule)| {
            match value.attributes[attribute].rules[rule].kept {
                true => Cell::text("kept"),
                false => Cell::text("broken"),
            }
        }));
        Some(row)
    });
    let table = Table {
        caption: "Which rules each release keeps, in the order in which they were given".into(),
        rows: rows.collect(),
        heads,
    };
    Some(table.finish())
}

/// Algorithms without a result, and why.
pub(super) fn failed(runs: &[&Run]) -> Html {
    let rows = runs.iter().filter_map(|run| {
        let failed = run.failed.as_ref()?;
        Some(vec![
            algorithm(&run.algorithm),
            Cell::Words {
                shown: Html::prose(&failed.message),
                key: failed.message.clone(),
            },
            Cell::Words {
                shown: Html::prose(&failed.hint),
                key: failed.hint.clone(),
            },
        ])
    });
    let table = Table {
        caption: "Algorithms without a result, and why".into(),
        heads: vec![
            Head::words("Algorithm", Html::default()),
            Head::words("Why", Html::default()),
            Head::words("What to do", Html::default()),
        ],
        rows: rows.collect(),
    };
    table.finish()
}

/// The name of an algorithm, and whether it is experimental.
fn algorithm(name: &str) -> Cell {
    let mut shown = element("code", link(Family::Algorithm, name));
    let entry = algorithms::find(name).map(|algorithm| algorithm.entry());
    if entry.is_some_and(|entry| entry.kind.status == Status::Experimental) {
        shown.push(element("small", Html::text("experimental")));
    }
    Cell::Words {
        shown,
        key: name.to_owned(),
    }
}

/// How much lower the loss could be.
fn room_below(reached: &RunReached) -> Cell {
    match (reached.guarantee, reached.gap) {
        (Guarantee::Optimal, _) => Cell::number(0.0, "nothing, proven"),
        (Guarantee::Bounded, Some(gap)) => {
            // Rounded up, as anything else would claim too much.
            let percent = (gap * 1000.0).ceil() / 10.0;
            Cell::number(gap, format!("at most {percent:.1} %"))
        }
        _ => Cell::number(f64::MAX, "not known"),
    }
}
