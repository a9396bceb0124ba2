//! What a release is still worth.

use super::page::Page;
use incrowd_job::{Evaluation, RuleBucket, few_digits};

/// The most pairs of columns that are listed.
const MOST_PAIRS: usize = 10;

/// The report of `evaluate`.
pub(crate) fn text(found: &Evaluation) -> String {
    let mut page = Page::default();
    page.entry(
        "rows",
        match found.rows_released {
            Some(released) => format!("{} raw, {released} released", found.rows),
            None => format!("{} raw; no release to judge", found.rows),
        },
    );
    page.entry("features", found.features.join(", "));
    page.entry(
        "tested",
        format!("on raw rows not learned from, {} folds", found.folds),
    );
    predictions(&mut page, found);
    if let Some(queries) = &found.queries {
        page.line("");
        page.line(format!(
            "{} random counts: the median error is {}, the mean {}",
            queries.asked,
            percent(queries.median_relative_error),
            percent(queries.mean_relative_error)
        ));
    }
    if !found.columns.is_empty() {
        page.line("");
        page.line("distance of each column's distribution from the raw one, from 0 to 1");
        let rows = found.columns.iter().map(|column| {
            let distance = format!("{:.4}", column.distance);
            vec![column.name.clone(), distance, column.measure.clone()]
        });
        table(
            &mut page,
            &["column", "distance", "measure"],
            rows.collect(),
        );
    }
    associations(&mut page, found);
    if let Some(partitioning) = &found.partitioning {
        rules(
            &mut page,
            &partitioning.target,
            "raw rows",
            &partitioning.raw,
        );
        if let Some(release) = &partitioning.release {
            rules(&mut page, &partitioning.target, "released rows", release);
        }
    }
    for note in &found.notes {
        page.line("");
        page.line(format!("note: {note}"));
    }
    page.0
}

fn predictions(page: &mut Page, found: &Evaluation) {
    let targets = found.classification.iter().map(|it| &it.target);
    let mut targets: Vec<&String> = targets.collect();
    targets.dedup();
    for target in targets {
        page.line("");
        page.line(format!("share of `{target}` predicted"));
        let models = found
            .classification
            .iter()
            .filter(|it| it.target == *target);
        let rows = models.map(|it| {
            let release = it.accuracy.release.map_or_else(none, percent);
            let guess = percent(it.accuracy.majority);
            vec![it.model.clone(), guess, percent(it.accuracy.raw), release]
        });
        table(
            page,
            &["model", "majority", "raw", "release"],
            rows.collect(),
        );
    }
    for it in &found.regression {
        page.line("");
        page.line(format!(
            "error of predicting `{}` (root mean square)",
            it.target
        ));
        let release = it.rmse.release.map_or_else(none, few_digits);
        let (mean, raw) = (few_digits(it.rmse.mean), few_digits(it.rmse.raw));
        let rows = vec![vec![it.model.clone(), mean, raw, release]];
        table(page, &["model", "mean", "raw", "release"], rows);
    }
}

fn associations(page: &mut Page, found: &Evaluation) {
    if found.associations.is_empty() {
        return;
    }
    let is_released = found.rows_released.is_some();
    let weight = |at: usize| {
        let it = &found.associations[at];
        it.release.map_or(it.raw, |release| release - it.raw).abs()
    };
    let mut order: Vec<usize> = (0..found.associations.len()).collect();
    order.sort_by(|&one, &other| weight(other).total_cmp(&weight(one)));
    page.line("");
    page.line(match (found.associations.len() > MOST_PAIRS, is_released) {
        (true, true) => "associations of columns, those that changed most (`--json` has all)",
        (true, false) => "associations of columns, the strongest (`--json` has all)",
        (false, _) => "associations of columns",
    });
    let rows = order.into_iter().take(MOST_PAIRS).map(|at| {
        let it = &found.associations[at];
        vec![
            it.columns.join(", "),
            format!("{:.3}", it.raw),
            it.release.map_or_else(none, |it| format!("{it:.3}")),
            it.measure.clone(),
        ]
    });
    table(
        page,
        &["columns", "raw", "release", "measure"],
        rows.collect(),
    );
}

fn rules(page: &mut Page, target: &str, of: &str, buckets: &[RuleBucket]) {
    page.line("");
    page.line(format!("rules that reveal most about `{target}` in {of}"));
    let spans = buckets
        .iter()
        .any(|it| it.overlapping_rows.unwrap_or(0) > 0);
    let rows = buckets.iter().map(|it| {
        let mut row = vec![it.rows.to_string(), percent(it.share), it.majority.clone()];
        if spans {
            row.push(it.overlapping_rows.unwrap_or(0).to_string());
        }
        row.push(it.rule.clone());
        row
    });
    let header: &[&str] = match spans {
        true => &["rows", "share", "majority", "across a boundary", "rule"],
        false => &["rows", "share", "majority", "rule"],
    };
    table(page, header, rows.collect());
}

fn table(page: &mut Page, header: &[&str], rows: Vec<Vec<String>>) {
    let header: Vec<String> = header.iter().map(|&name| name.to_owned()).collect();
    page.table(&header, &rows);
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn none() -> String {
    "-".to_owned()
}
