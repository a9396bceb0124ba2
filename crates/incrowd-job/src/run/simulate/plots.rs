//! Plots: rows needed by number of columns, and the chance by rows.

use super::columns::DrawnColumns;
use crate::error::Error;
use crate::report::simulation::{Drawn, Simulation};
use crate::run::control::Control;
use incrowd_core::chance::{chance, rows_needed};
use incrowd_io::{Claims, write_atomically};
use incrowd_plot::{Around, Limit, Line, Point, Scale, grouped, lines, lines_by};
use std::path::{Path, PathBuf};

/// The chances between which the curve of the second plot runs.
const DRAWN_SHARES: [f64; 2] = [0.01, 0.999];

/// The points of that curve.
const POINTS: u32 = 40;

/// Writes the plots; those without a point that could be drawn are left out.
pub(super) fn write(
    folder: &Path,
    claims: &Claims,
    columns: &DrawnColumns,
    found: &Simulation,
    share: f64,
    control: &Control,
) -> Result<Vec<PathBuf>, Error> {
    let plots = [
        ("rows-needed-by-columns.svg", by_columns(found, share)),
        ("chance-by-rows.svg", by_rows(columns, found, control)?),
    ];
    let mut written = Vec::new();
    for (name, svg) in plots {
        if let Some(svg) = svg {
            let path = folder.join(name);
            write_atomically(claims, "a plot", &path, svg.as_bytes())?;
            written.push(path);
        }
    }
    Ok(written)
}

fn by_columns(found: &Simulation, share: f64) -> Option<String> {
    let points: Vec<Point> = (found.by_columns.iter())
        .filter_map(|row| {
            Some(Point {
                x: row.columns as f64,
                y: row.rows_needed? as f64,
                is_final: true,
            })
        })
        .collect();
    if points.is_empty() {
        return None;
    }
    let mut subtitles = vec![question(found), drawn(found)];
    if points.len() < found.by_columns.len() {
        let first = points.len() + 1;
        subtitles.push(format!(
            "With {first} columns or more, more than a quadrillion rows are needed."
        ));
    }
    let percent = 100.0 * share;
    let around = Around {
        title: "Rows needed for k-anonymity, by number of columns",
        subtitles: &subtitles,
        x: "columns, in the order given",
        y: "rows needed",
        limit: Some(Limit {
            at: found.rows as f64,
            text: format!("{} rows", grouped(found.rows as f64)),
        }),
        hollow: "",
    };
    let label = format!(
        "k = {}, chance {}\u{202f}%",
        found.k,
        (percent * 1e4).round() / 1e4
    );
    Some(lines(&around, &[Line { label, points }]))
}

fn by_rows(
    columns: &DrawnColumns,
    found: &Simulation,
    control: &Control,
) -> Result<Option<String>, Error> {
    let combinations = columns.combinations(columns.len())?;
    let check = || control.check();
    let needed = |share| rows_needed(&combinations, found.k, share, &check);
    let (Some(low), Some(high)) = (needed(DRAWN_SHARES[0])?, needed(DRAWN_SHARES[1])?) else {
        return Ok(None);
    };
    // A little room before the curve rises.
    let (low, high) = ((low as f64 * 0.8).max(1.0), high as f64);
    let mut points: Vec<Point> = Vec::new();
    for at in 0..POINTS {
        let portion = f64::from(at) / f64::from(POINTS - 1);
        let rows = (low * (high / low).powf(portion)).round();
        if points.last().is_some_and(|last| last.x == rows) {
            continue;
        }
        let chance = chance(&combinations, found.k, rows as u64, &check)?;
        points.push(Point {
            x: rows,
            y: 100.0 * chance,
            is_final: true,
        });
    }
    let subtitles = [question(found), drawn(found)];
    let around = Around {
        title: "Chance of k-anonymity, by number of rows",
        subtitles: &subtitles,
        x: "rows",
        y: "chance in %",
        limit: None,
        hollow: "",
    };
    let label = match found.columns.len() {
        1 => format!("k = {}, 1 column", found.k),
        many => format!("k = {}, {many} columns", found.k),
    };
    let line = Line { label, points };
    Ok(Some(lines_by(Scale::Linear, &around, &[line])))
}

/// What the chance is about, in words.
fn question(found: &Simulation) -> String {
    let k = found.k;
    format!("Every combination of values that occurs at all is to occur at least {k} times.")
}

/// How rows are drawn, in words.
fn drawn(found: &Simulation) -> String {
    match found.drawn {
        Drawn::Evenly => {
            let mut values = found.columns.iter().map(|column| column.values);
            let first = values.next().unwrap_or_default();
            match values.all(|values| values == first) {
                true => format!("Each column has {first} values, all equally likely."),
                false => {
                    let values: Vec<String> = (found.columns.iter())
                        .map(|column| column.values.to_string())
                        .collect();
                    format!(
                        "The columns have {} values, all equally likely.",
                        values.join(", ")
                    )
                }
            }
        }
        Drawn::ByColumn | Drawn::WholeRows => {
            let names: Vec<&str> = (found.columns.iter())
                .filter_map(|column| column.name.as_deref())
                .collect();
            let how = match found.drawn {
                Drawn::WholeRows => "Combinations as likely as in the table",
                _ => "Values as likely as in the table, each column by itself",
            };
            format!("{how}: {}.", names.join(", "))
        }
    }
}
