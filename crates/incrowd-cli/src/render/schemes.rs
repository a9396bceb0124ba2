//! The time and cost of generalization schemes.

use super::page::Page;
use incrowd_job::{Experiment, SchemesFound, SchemesRow, SchemesStudy};

/// The report of `study --schemes`.
pub(crate) fn text(study: &SchemesStudy) -> String {
    let mut page = Page::default();
    page.line(format!(
        "quasi-identifiers {} (smaller sets use the first ones)",
        study.quasi_identifiers.join(", ")
    ));
    page.line(format!(
        "each search may suppress {} rows ({}) and run for {} s ({})",
        study.budget.rows, study.budget.from, study.time_limit.seconds, study.time_limit.from
    ));
    for experiment in Experiment::ALL {
        let of_experiment = |row: &&SchemesRow| row.experiment == experiment;
        let rows: Vec<Vec<String>> = (study.rows.iter().filter(of_experiment))
            .map(|row| {
                let figure = |figure: fn(&SchemesFound) -> String| {
                    row.found.as_ref().map(figure).unwrap_or_default()
                };
                vec![
                    row.columns.to_string(),
                    row.k.to_string(),
                    row.metric.clone(),
                    row.scheme.clone(),
                    row.search.clone(),
                    row.without.clone().unwrap_or_default(),
                    format!("{:.1}", 1e3 * row.seconds),
                    figure(|found| found.nodes_visited.to_string()),
                    match &row.found {
                        Some(found) => format!("{:.3}", found.cost),
                        None => "none found".to_owned(),
                    },
                    figure(|found| match found.gap > 0.0 {
                        true => format!("{:.3} %", 100.0 * found.gap),
                        false => "0 (proven)".to_owned(),
                    }),
                    figure(|found| found.choices.to_string()),
                ]
            })
            .collect();
        page.line("");
        page.line(heading(experiment));
        let header = [
            "columns", "k", "metric", "scheme", "search", "without", "ms", "nodes", "cost", "gap",
            "choices",
        ];
        page.table(&header.map(String::from), &rows);
    }
    let mut reasons: Vec<&str> = (study.rows.iter())
        .filter_map(|row| Some(row.failed.as_ref()?.message.as_str()))
        .collect();
    reasons.sort_unstable();
    reasons.dedup();
    for (at, reason) in reasons.into_iter().enumerate() {
        let label = if at == 0 { "reasons" } else { "" };
        page.entry(label, reason);
    }
    for (at, path) in study.plots.iter().enumerate() {
        let label = if at == 0 { "plots" } else { "" };
        page.entry(label, path.display().to_string());
    }
    page.0
}

fn heading(experiment: Experiment) -> &'static str {
    match experiment {
        Experiment::DirectionByK => "bottom-up versus top-down, by k",
        Experiment::DirectionByColumns => {
            "bottom-up versus top-down, by number of quasi-identifiers"
        }
        Experiment::SchemesByK => "the six schemes, by k",
        Experiment::SchemesByColumns => "the six schemes, by number of quasi-identifiers",
        Experiment::Pruning => "with one pruning rule disabled at a time",
    }
}
