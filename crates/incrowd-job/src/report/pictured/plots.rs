//! How the rows of each column are spread before and after, as bars.

use super::{ColumnPictured, Pictured};
use crate::report::page::words::percent;
use crate::report::page::{Html, with};
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

/// A column before and after.
pub(crate) fn column(column: &ColumnPictured) -> Html {
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
    Html::plot(&bars(&Bars {
        title: &column.name,
        subtitles: &subtitles,
        series: &series,
        groups: &groups,
        most: shares.flatten().fold(0.0, f64::max),
        // So that two of them stand side by side.
        length: 200.0,
    }))
}
