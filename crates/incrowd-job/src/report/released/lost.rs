//! What was lost, in words, pictures and figures.

use super::Released;
use crate::report::explain::Family;
use crate::report::outcome::Guarantee;
use crate::report::page::words::{
    bare, count, figure, paragraph, percent, percent_in_words, shape,
};
use crate::report::page::{Cell, Head, Html, Table, element, explained, with};
use incrowd_plot::{Bar, BarGroup, BarSeries, Bars, bars, grouped};

const COLOR: &str = "#0072b2";

pub(super) fn section(released: &Released<'_>) -> Html {
    let outcome = released.outcome;
    let mut text = "Blurring hides people by saying less. ".to_owned();
    text += &match outcome.rows_suppressed {
        0 => "No row had to be left out.".to_owned(),
        rows => format!(
            "{} of {} were left out, since they would have stood out ({}).",
            grouped(rows as f64),
            count(outcome.rows_in, "row", "rows"),
            percent_in_words(rows as f64 / outcome.rows_in.max(1) as f64)
        ),
    };
    text += &format!(
        " The rows that are left form {}.",
        count(
            outcome.classes,
            "group of people who look alike",
            "groups of people who look alike"
        )
    );
    let mut html = paragraph(text);
    html.push(asked_for(released));
    let mut plots = by_column(released);
    plots.push(class_sizes(&released.facts.pictured.class_sizes));
    html.push(with("div", &[("class", "plots pair")], plots));
    html.push(measures(released));
    html
}

/// The measure that was asked for, and how much better the release could be.
fn asked_for(released: &Released<'_>) -> Html {
    let outcome = released.outcome;
    let Some((metric, loss)) = outcome.metrics.first() else {
        return Html::default();
    };
    let mut text = Html::text("The loss was measured by ");
    text.push(element("code", Html::text(metric)));
    text.push(Html::text(": "));
    text.push(explained(Family::Metric, bare(metric)));
    text.push(Html::text(format!(" It is {}. ", figure(*loss))));
    let words = shape(&outcome.recoding).0;
    text.push(Html::text(match (outcome.guarantee, outcome.gap) {
        (Guarantee::Optimal, _) => format!(
            "This is proven to be the least: no other release of this shape ({words}) keeps the promises and loses less."
        ),
        (Guarantee::Bounded, Some(gap)) => format!(
            "How much less any release of this shape ({words}) could lose is known: at most {:.1} %.",
            // Rounded up, as anything else would claim too much.
            (gap * 1000.0).ceil() / 10.0
        ),
        _ => format!(
            "The algorithm looks for a good release of this shape ({words}), not for a proof: another one may lose less."
        ),
    }));
    element("p", text)
}

/// How much of each blurred column is lost.
fn by_column(released: &Released<'_>) -> Html {
    let widths = &released.facts.pictured.widths;
    let columns = &released.certificate.request.quasi_identifiers;
    let groups: Vec<BarGroup> = (columns.iter().zip(widths))
        .map(|(column, &width)| BarGroup {
            label: column.column.clone(),
            bars: vec![Some(Bar {
                value: width,
                text: percent(width),
            })],
        })
        .collect();
    if groups.is_empty() {
        return Html::default();
    }
    let title = "How much of each column is lost";
    Html::plot(&bars(&Bars {
        title,
        subtitles: &["0 %: as exact as the table; 100 %: nothing is left".to_owned()],
        series: &[BarSeries {
            label: "lost".into(),
            color: Some(COLOR),
        }],
        groups: &groups,
        most: 1.0,
        length: 190.0,
    }))
}

/// Where the bars about class sizes begin: 1, 2, 5, 10, 20 and so on.
fn starts(least: u32, greatest: u32) -> Vec<u32> {
    let rounds = (0..10).flat_map(|power| [1, 2, 5].map(|first| first * 10u64.pow(power)));
    let rounds = rounds.filter_map(|size| u32::try_from(size).ok());
    let mut starts = vec![least];
    starts.extend(rounds.filter(|size| (least + 1..=greatest).contains(size)));
    starts
}

/// In how large a crowd people are hidden.
fn class_sizes(classes: &[(u32, u32)]) -> Html {
    let (Some((least, _)), Some((greatest, _))) = (classes.first(), classes.last()) else {
        return Html::default();
    };
    let starts = starts(*least, *greatest);
    let rows = |&(size, count): &(u32, u32)| f64::from(size) * f64::from(count);
    let all: f64 = classes.iter().map(rows).sum();
    let groups: Vec<(String, f64)> = (starts.iter().enumerate())
        .map(|(at, &start)| {
            let end = starts.get(at + 1).map_or(*greatest, |next| next - 1);
            let within = |(size, _): &&(u32, u32)| (start..=end).contains(size);
            let share = classes.iter().filter(within).map(rows).sum::<f64>() / all.max(1.0);
            let number = |size: u32| grouped(size.into());
            let label = match start == end {
                true => number(start),
                false => format!("{} to {}", number(start), number(end)),
            };
            (label, share)
        })
        .collect();
    let title = "In how large a crowd people are hidden";
    let most = groups.iter().map(|(_, share)| *share);
    let most = most.fold(0.0, f64::max);
    let drawn: Vec<BarGroup> = (groups.iter())
        .map(|(label, share)| BarGroup {
            label: label.clone(),
            bars: vec![Some(Bar {
                value: *share,
                text: percent(*share),
            })],
        })
        .collect();
    Html::plot(&bars(&Bars {
        title,
        subtitles: &["rows that look alike, and the share of rows in such groups".to_owned()],
        series: &[BarSeries {
            label: "rows".into(),
            color: Some(COLOR),
        }],
        groups: &drawn,
        most,
        length: 190.0,
    }))
}

/// Every measure, the one asked for first.
fn measures(released: &Released<'_>) -> Html {
    let metrics = &released.outcome.metrics;
    let rows = metrics.iter().map(|(metric, &loss)| {
        vec![
            Cell::Words {
                shown: element("code", Html::text(metric)),
                key: metric.clone(),
            },
            Cell::number(loss, figure(loss)),
            Cell::Words {
                shown: explained(Family::Metric, bare(metric)),
                key: String::new(),
            },
        ]
    });
    let table = Table {
        caption: "Every measure of loss; lower is better".into(),
        heads: vec![
            Head::words("Measure", Html::default()),
            Head::numbers("Loss", Html::default()),
            Head::words("What it says", Html::default()),
        ],
        rows: rows.collect(),
    };
    let summary = element("summary", Html::text("Every measure of loss"));
    element("details", [summary, table.finish()].into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_of_class_sizes_begin_at_round_numbers() {
        assert_eq!(starts(3, 3), [3]);
        assert_eq!(starts(3, 21), [3, 5, 10, 20]);
        assert_eq!(
            starts(5, 5_000),
            [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]
        );
    }
}
