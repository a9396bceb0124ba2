//! How the rows of each column are spread before and after, as bars.

use super::{ColumnPictured, Pictured};
use crate::report::page::words::percent;
use crate::report::page::{Html, with};
use crate::report::picture::Picture;
use incrowd_plot::{Bar, BarGroup, BarSeries, Bars, bars, grouped};

/// The color of the table, which no release has.
const BEFORE: &str = "#9aa3ab";
/// The color of a release.
const AFTER: &str = "#0072b2";

/// Every column of a release before and after.
pub(crate) fn before_and_after(pictured: &Pictured) -> Html {
    let plots: Html = pictured.columns.iter().map(column).collect();
    with("div", &[("class", "plots")], plots)
}

/// A release by itself: how wide the published values of every column are, then each column before and after.
pub(crate) fn draw(pictured: &Pictured) -> Vec<Picture> {
    let widths = (!pictured.widths.is_empty()).then(|| Picture {
        name: "widths".into(),
        svg: widths(pictured),
    });
    let columns = pictured.columns.iter().map(|column| Picture {
        name: column.name.clone(),
        svg: svg(column),
    });
    widths.into_iter().chain(columns).collect()
}

fn widths(pictured: &Pictured) -> String {
    let columns = pictured.columns.iter().zip(&pictured.widths);
    let groups: Vec<BarGroup> = columns
        .map(|(column, &width)| BarGroup {
            label: column.name.clone(),
            bars: vec![Some(Bar {
                value: width,
                text: percent(width),
            })],
        })
        .collect();
    bars(&Bars {
        title: "What is lost of each column",
        subtitles: &["width of published values, relative to the whole column".into()],
        series: &[BarSeries {
            label: "release".into(),
            color: Some(AFTER),
        }],
        groups: &groups,
        most: 1.0,
        length: 200.0,
    })
}

/// A column before and after.
pub(crate) fn column(column: &ColumnPictured) -> Html {
    Html::plot(&svg(column))
}

fn svg(column: &ColumnPictured) -> String {
    let has_before = column.bars.iter().any(|bar| bar.before.is_some());
    let bar = |share: f64| Bar {
        value: share,
        text: match column.rounded_to {
            Some(step) if share < step => format!("< {:.0} %", 100.0 * step),
            Some(_) => format!("{:.0} %", 100.0 * share),
            None => percent(share),
        },
    };
    let mut series = Vec::new();
    if has_before {
        series.push(BarSeries {
            label: "table".into(),
            color: Some(BEFORE),
        });
    }
    series.push(BarSeries {
        label: match column.is_estimated {
            true => "release, spread".into(),
            false => "release".into(),
        },
        color: Some(AFTER),
    });
    let groups: Vec<BarGroup> = (column.bars.iter())
        .map(|spread| BarGroup {
            label: spread.label.clone(),
            bars: (spread.before.into_iter())
                .chain([spread.after])
                .map(|share| Some(bar(share)))
                .collect(),
        })
        .collect();
    let shares = column
        .bars
        .iter()
        .flat_map(|bar| [bar.before, Some(bar.after)]);
    let values = |count: u32| match count {
        1 => "1 distinct value".to_owned(),
        count => format!("{} distinct values", grouped(count.into())),
    };
    let mut subtitles = vec![format!(
        "table: {}; release: {}",
        values(column.values_before),
        values(column.values_after)
    )];
    match column.rounded_to {
        Some(step) => {
            let step = (1000.0 * step).round() / 10.0;
            subtitles.push(format!("shares rounded to {step} %"));
        }
        None if !has_before => {
            subtitles.push("the table is too small to show it beside the release".into());
        }
        None => {}
    }
    bars(&Bars {
        title: &column.name,
        subtitles: &subtitles,
        series: &series,
        groups: &groups,
        most: shares.flatten().fold(0.0, f64::max),
        // So that two of them stand side by side.
        length: 200.0,
    })
}
