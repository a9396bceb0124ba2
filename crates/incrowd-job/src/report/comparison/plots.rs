//! The plots of a comparison, each with the same figures as a table.

use super::Run;
use crate::report::digits::few_digits;
use crate::report::page::words::percent;
use crate::report::page::{Cell, Head, Html, Table, element, figures};
use crate::report::pictured::Pictured;
use incrowd_plot::{
    Around, Bar, BarGroup, BarSeries, Bars, Line, Point, bars, grouped, lines, style,
};

/// The losses of every algorithm by the strength of a promise.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ByStrength {
    /// The privacy model that is varied, such as `k-anonymity`.
    pub(crate) model: &'static str,
    /// The name of its parameter, such as `k`.
    pub(crate) parameter: &'static str,
    /// The parameters, ascending.
    pub(crate) strengths: Vec<u32>,
    /// For each algorithm, what it loses with each of them; none where it found nothing.
    pub(crate) losses: Vec<Vec<Option<AtStrength>>>,
}

/// What an algorithm loses with one strength of a promise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AtStrength {
    pub(crate) loss: f64,
    /// Whether the search came to its end; if not, the loss could be lower.
    pub(crate) is_final: bool,
}

/// A release with the name of its algorithm, its shape, and what is drawn of it.
#[derive(Clone, Copy)]
pub(super) struct Drawn<'a> {
    pub(super) algorithm: &'a str,
    /// The kind of recoding, such as `full-domain`.
    pub(super) recoding: &'a str,
    pub(super) pictured: &'a Pictured,
}

/// Loss by the strength of a promise.
pub(super) fn by_strength(found: &ByStrength, runs: &[Run], metric: &str) -> Html {
    let found_any = || {
        let runs = runs.iter().zip(&found.losses);
        runs.filter(|(_, losses)| losses.iter().any(Option::is_some))
    };
    let drawn: Vec<Line> = found_any()
        .map(|(run, losses)| Line {
            label: run.algorithm.clone(),
            points: (found.strengths.iter().zip(losses))
                .filter_map(|(&strength, at)| {
                    at.map(|at| Point {
                        x: strength.into(),
                        y: at.loss,
                        is_final: at.is_final,
                    })
                })
                .collect(),
        })
        .collect();
    if drawn.is_empty() {
        return element(
            "p",
            Html::text("No algorithm has a result for any of the strengths tried."),
        );
    }
    let title = format!("What more privacy costs: {metric} by {}", found.parameter);
    let around = Around {
        title: &title,
        subtitles: &[],
        x: &format!(
            "{} of {} (more private to the right)",
            found.parameter, found.model
        ),
        y: &format!("{metric} (lower is better)"),
        limit: None,
        hollow: "the search was stopped early: the loss could be lower",
    };
    let mut html = Html::plot(&lines(&around, &drawn));
    let mut heads = vec![Head::words("Algorithm", Html::default())];
    heads.extend(found.strengths.iter().map(|strength| {
        Head::numbers(format!("{} = {strength}", found.parameter), Html::default())
    }));
    let rows = found_any().map(|(run, losses)| {
        let cells = losses.iter().map(|at| match at {
            Some(at) => Cell::number(at.loss, few_digits(at.loss)),
            None => Cell::Missing,
        });
        let name = Cell::text(&run.algorithm);
        std::iter::once(name).chain(cells).collect()
    });
    let mut table = Table {
        caption: title.clone(),
        rows: rows.collect(),
        heads,
    };
    for column in 1..=found.strengths.len() {
        table.mark_lowest(column);
    }
    html.push(figures(table));
    html
}

/// What each algorithm loses, by the metric of the comparison; none if none has a result.
pub(super) fn losses(runs: &[Run], metric: &str) -> Option<String> {
    let lost = |run: &Run| run.reached.as_ref()?.metrics.get(metric).copied();
    let groups: Vec<BarGroup> = (runs.iter())
        .filter_map(|run| {
            let loss = lost(run)?;
            Some(BarGroup {
                label: run.algorithm.clone(),
                bars: vec![Some(Bar {
                    value: loss,
                    text: few_digits(loss),
                })],
            })
        })
        .collect();
    if groups.is_empty() {
        return None;
    }
    Some(bars(&Bars {
        title: &format!("{metric} by algorithm"),
        subtitles: &["lower is better".into()],
        series: &[BarSeries {
            label: metric.to_owned(),
            color: Some(style(0).0),
        }],
        most: runs.iter().filter_map(lost).fold(0.0, f64::max),
        groups: &groups,
        length: 260.0,
    }))
}

/// The color of everything of one shape.
fn color(shapes: &[&str], recoding: &str) -> Option<&'static str> {
    let at = shapes.iter().position(|shape| *shape == recoding)?;
    Some(style(at).0)
}

/// How much of every column is lost.
pub(super) fn by_column(releases: &[Drawn<'_>], columns: &[String]) -> Html {
    let mut shapes: Vec<&str> = Vec::new();
    for release in releases {
        if !shapes.contains(&release.recoding) {
            shapes.push(release.recoding);
        }
    }
    let series: Vec<BarSeries> = (releases.iter())
        .map(|release| BarSeries {
            label: release.recoding.to_owned(),
            color: color(&shapes, release.recoding),
        })
        .collect();
    let groups: Vec<BarGroup> = (columns.iter().enumerate())
        .map(|(at, column)| BarGroup {
            label: column.clone(),
            bars: (releases.iter())
                .map(|release| {
                    let width = *release.pictured.widths.get(at)?;
                    Some(Bar {
                        value: width,
                        text: format!("{}  {}", percent(width), release.algorithm),
                    })
                })
                .collect(),
        })
        .collect();
    let title = "How much of each column is lost";
    let plot = bars(&Bars {
        title,
        subtitles: &["0 %: as exact as the table; 100 %: nothing is left".to_owned()],
        series: &series,
        groups: &groups,
        most: 1.0,
        length: 330.0,
    });
    let mut heads = vec![Head::words("Algorithm", Html::default())];
    heads.extend(columns.iter().map(|it| Head::numbers(it, Html::default())));
    let rows = releases.iter().map(|release| {
        let widths = release.pictured.widths.iter();
        let cells = widths.map(|&width| Cell::number(width, percent(width)));
        let name = Cell::text(release.algorithm);
        std::iter::once(name).chain(cells).collect()
    });
    let mut table = Table {
        caption: title.into(),
        rows: rows.collect(),
        heads,
    };
    for column in 1..=columns.len() {
        table.mark_lowest(column);
    }
    [Html::plot(&plot), figures(table)].into_iter().collect()
}

/// Class sizes at which the plot has points: 1, 2, 5, 10 and so on, between the least and the greatest.
fn sizes(least: u32, greatest: u32) -> Vec<u32> {
    let mut sizes = vec![least];
    let rounds = (0..10).flat_map(|power| [1, 2, 5].map(|first| first * 10u64.pow(power)));
    let rounds = rounds.filter_map(|size| u32::try_from(size).ok());
    sizes.extend(rounds.filter(|size| (least + 1..greatest).contains(size)));
    if greatest > least {
        sizes.push(greatest);
    }
    sizes
}

/// Rows in classes of at most some size.
fn rows_up_to(classes: &[(u32, u32)], size: u32) -> u64 {
    let rows = |&(size, count): &(u32, u32)| u64::from(size) * u64::from(count);
    let up_to = classes.iter().take_while(|(of_class, _)| *of_class <= size);
    up_to.map(rows).sum()
}

/// The size of the class that the middle row is in.
fn middle(classes: &[(u32, u32)]) -> u32 {
    let all = rows_up_to(classes, u32::MAX);
    let mut rows = 0;
    let is_past = |&&(size, count): &&(u32, u32)| {
        rows += u64::from(size) * u64::from(count);
        2 * rows >= all
    };
    classes.iter().find(is_past).map_or(0, |(size, _)| *size)
}

/// How large classes are.
pub(super) fn class_sizes(releases: &[Drawn<'_>]) -> Html {
    let all = || (releases.iter()).flat_map(|release| &release.pictured.class_sizes);
    let least = all().map(|(size, _)| *size).min();
    let greatest = all().map(|(size, _)| *size).max();
    let (Some(least), Some(greatest)) = (least, greatest) else {
        return element("p", Html::text("No release has a class."));
    };
    let sizes = sizes(least, greatest);
    let drawn: Vec<Line> = (releases.iter())
        .map(|release| {
            let classes = &release.pictured.class_sizes;
            let rows = rows_up_to(classes, u32::MAX).max(1) as f64;
            Line {
                label: release.algorithm.to_owned(),
                points: (sizes.iter())
                    .map(|&size| Point {
                        x: size.into(),
                        y: 100.0 * rows_up_to(classes, size) as f64 / rows,
                        is_final: true,
                    })
                    .collect(),
            }
        })
        .collect();
    let title = "Rows in classes of at most this size";
    let around = Around {
        title,
        subtitles: &["a line further left and higher: smaller classes, more detail".to_owned()],
        x: "rows of a class",
        y: "% of the published rows",
        limit: None,
        hollow: "",
    };
    let number = |size: u32| Cell::number(size.into(), grouped(size.into()));
    let rows = releases.iter().map(|release| {
        let classes = &release.pictured.class_sizes;
        let ends = (classes.first(), classes.last());
        let (Some((first, _)), Some((last, _))) = ends else {
            let name = Cell::text(release.algorithm);
            return vec![name, Cell::Missing, Cell::Missing, Cell::Missing];
        };
        vec![
            Cell::text(release.algorithm),
            number(*first),
            number(middle(classes)),
            number(*last),
        ]
    });
    let table = Table {
        caption: "Sizes of classes".into(),
        heads: vec![
            Head::words("Algorithm", Html::default()),
            Head::numbers("Smallest class", Html::default()),
            Head::numbers(
                "Class of the middle row",
                Html::text("Half of the published rows are in classes of at most this size."),
            ),
            Head::numbers("Largest class", Html::default()),
        ],
        rows: rows.collect(),
    };
    let plot = Html::plot(&lines(&around, &drawn));
    [plot, figures(table)].into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_rows_are_in_classes_up_to_the_middle_one() {
        assert_eq!(middle(&[(2, 10), (5, 1), (100, 1)]), 100);
        assert_eq!(middle(&[(2, 10), (5, 4), (39, 1)]), 5);
        assert_eq!(middle(&[(7, 1)]), 7);
        assert_eq!(middle(&[]), 0);
    }

    #[test]
    fn points_are_at_round_sizes_between_the_ends() {
        assert_eq!(sizes(3, 3), [3]);
        assert_eq!(sizes(2, 5), [2, 5]);
        assert_eq!(sizes(3, 21), [3, 5, 10, 20, 21]);
        assert_eq!(sizes(4_000_000_000, u32::MAX).len(), 2);
    }
}
