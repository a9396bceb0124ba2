//! How easily people are found, before and after.

use super::protected::one_in;
use super::{Released, RiskTold};
use crate::report::page::words::{paragraph, percent};
use crate::report::page::{Cell, Head, Html, Table};
use incrowd_plot::{Bar, BarGroup, BarSeries, Bars, bars};

const BEFORE: &str = "#9aa3ab";
const AFTER: &str = "#0072b2";

pub(super) fn section(released: &Released<'_>) -> Html {
    let risk = &released.facts.risk;
    let mut html = paragraph(
        "Risk here is the chance to pick the right row about a person whose blurred columns are known: 1 divided by the \
         number of rows that look alike. Before means in the table, by the same columns; after means in the release.",
    );
    if released.has_crowds() {
        html.push(paragraph(
            "Missing cells count as a value of their own in these figures. As they could be any value, the true risk is lower.",
        ));
    }
    match &risk.before {
        Some(_) => {
            let step = (1000.0 * risk.rounded_to).round() / 10.0;
            html.push(paragraph(format!(
                "Figures about the table are rounded to {step} %, so that none of them is about a single person."
            )));
        }
        None => html.push(paragraph(
            "The risk before is not shown: the table is so small that the figures would be about single people. \
             `incrowd risk` shows them to the data holder.",
        )),
    }
    html.push(plot(released));
    html.push(table(released));
    html
}

/// A measure: what it is called, and how it is read.
type Measure = (
    String,
    fn(f64) -> String,
    Box<dyn Fn(&RiskTold) -> Option<f64>>,
);

fn measures(released: &Released<'_>) -> Vec<Measure> {
    let risk = &released.facts.risk;
    let threshold = one_in(risk.threshold);
    let mut measures: Vec<Measure> = vec![
        (
            "Highest risk of any row (prosecutor)".to_owned(),
            one_in,
            Box::new(|risk| Some(risk.highest)),
        ),
        (
            "Average risk (prosecutor, marketer)".to_owned(),
            percent,
            Box::new(|risk| Some(risk.average)),
        ),
        (
            format!("Rows with a risk above {threshold}"),
            percent,
            Box::new(|risk| Some(risk.above_threshold)),
        ),
        (
            "Rows that are unique".to_owned(),
            percent,
            Box::new(|risk| Some(risk.unique)),
        ),
    ];
    for (at, (column, _)) in risk.after.certain.iter().enumerate() {
        measures.push((
            format!("Rows whose value of {column} is certain"),
            percent,
            Box::new(move |risk| risk.certain.get(at).map(|(_, share)| *share)),
        ));
    }
    measures
}

/// A share of the table. What is less than a step could be about single people, or about nobody.
fn rounded(share: f64, step: f64) -> String {
    match share < step {
        true => format!("less than {} %", (1000.0 * step).round() / 10.0),
        false => percent(share),
    }
}

fn plot(released: &Released<'_>) -> Html {
    let risk = &released.facts.risk;
    let mut series = Vec::new();
    if risk.before.is_some() {
        series.push(BarSeries {
            label: "before".into(),
            color: Some(BEFORE),
        });
    }
    series.push(BarSeries {
        label: "after".into(),
        color: Some(AFTER),
    });
    let bar = |value: f64, text: String| Bar { value, text };
    let groups: Vec<BarGroup> = (measures(released).into_iter())
        .map(|(label, _, read)| {
            let before = risk.before.as_ref().and_then(&read);
            let before = before.map(|value| bar(value, rounded(value, risk.rounded_to)));
            let after = read(&risk.after).map(|value| bar(value, percent(value)));
            let bars = match risk.before.is_some() {
                true => vec![before, after],
                false => vec![after],
            };
            BarGroup { label, bars }
        })
        .collect();
    Html::plot(&bars(&Bars {
        title: "Risk before and after",
        subtitles: &["shorter is safer".to_owned()],
        series: &series,
        groups: &groups,
        most: 1.0,
        length: 220.0,
    }))
}

fn table(released: &Released<'_>) -> Html {
    let risk = &released.facts.risk;
    let rows = measures(released).into_iter().map(|(label, words, read)| {
        let before = match risk.before.as_ref().and_then(&read) {
            Some(value) if value < risk.rounded_to => {
                Cell::number(value, rounded(value, risk.rounded_to))
            }
            Some(value) => Cell::number(value, words(value)),
            None => Cell::Missing,
        };
        let after = match read(&risk.after) {
            Some(value) => Cell::number(value, words(value)),
            None => Cell::Missing,
        };
        vec![Cell::text(label), before, after]
    });
    let table = Table {
        caption: "Risk before and after".into(),
        heads: vec![
            Head::words("Measure", Html::default()),
            Head::numbers("Before", Html::default()),
            Head::numbers("After", Html::default()),
        ],
        rows: rows.collect(),
    };
    table.finish()
}
