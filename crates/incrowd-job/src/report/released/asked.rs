//! What was asked, in the order in which a reader wants to know it.

use super::Released;
use crate::report::explain::Family;
use crate::report::outcome::RowOrder;
use crate::report::page::words::{bare, count, paragraph};
use crate::report::page::{Html, element, explained, with};

pub(super) fn section(released: &Released<'_>) -> Html {
    let request = &released.certificate.request;
    let mut list = Html::default();
    let mut row = |term: &str, meaning: Html| {
        list.push(element("dt", Html::text(term)));
        list.push(element("dd", meaning));
    };
    let outcome = released.outcome;
    let mut rows = format!(
        "{}: {}",
        released.files.table,
        count(outcome.rows_in, "row", "rows")
    );
    if outcome.rows_excluded > 0 {
        let excluded = count(outcome.rows_excluded, "row takes", "rows take");
        rows += &format!("; {excluded} no part, as cells are missing");
    }
    row("Table", Html::text(rows));
    let promises: Html = (released.facts.promises.iter())
        .map(|promise| {
            let mut html = element("code", Html::text(&promise.text));
            html.push(Html::text(": "));
            html.push(promise.sentence());
            element("div", html)
        })
        .collect();
    row("Promises", promises);
    let mut budget = match request.max_suppressed {
        0 => "no row".to_owned(),
        rows => format!("up to {}", count(rows, "row", "rows")),
    };
    if request.max_suppressed > 0 {
        budget += match request.suppressed.as_str() {
            "star" => "; a row left out is published as a row of `*`",
            _ => "; a row left out is not published at all",
        };
    }
    row("May be left out", Html::prose(budget));
    if let Some(population) = &request.population {
        let people = count(population.rows, "person", "persons");
        row("Population", Html::text(format!("a register of {people}")));
    }
    let named = |name: &str, family| {
        let mut html = element("code", Html::text(name));
        html.push(Html::text(": "));
        html.push(explained(family, bare(name)));
        html
    };
    row(
        "Loss is measured by",
        named(&request.metric, Family::Metric),
    );
    row("Algorithm", named(&request.algorithm, Family::Algorithm));
    if let Some(reasons) = &outcome.advised {
        let reasons = Html::text(reasons.join("; "));
        row("Why this one", reasons);
    }
    let mut settings: Vec<String> = (request.settings.iter())
        .map(|(name, values)| format!("{name} = {}", values.join(", ")))
        .collect();
    let limits = request
        .quasi_identifiers
        .iter()
        .zip(&released.facts.columns);
    let is_limited = |max: u8, levels: usize| usize::from(max) < levels.saturating_sub(1);
    let limits = limits.filter(|(asked, column)| is_limited(asked.max_level, column.levels.len()));
    settings.extend(
        limits.map(|(asked, _)| format!("{} at most at level {}", asked.column, asked.max_level)),
    );
    if let Some(limit) = &request.time_limit {
        settings.push(format!("time limit {limit}"));
    }
    if let Some(limit) = &request.work_limit {
        settings.push(format!("work limit {limit}"));
    }
    if !settings.is_empty() {
        let settings = settings.iter().map(|text| element("div", Html::text(text)));
        row("Settings", settings.collect());
    }
    let missing = match request.missing.as_str() {
        "match-any" => "could be any value",
        "exclude-row" => "keep their row out of the release",
        _ => "count as a value of their own",
    };
    row("Missing cells", Html::text(missing));
    let order = match request.row_order {
        RowOrder::Input => "that of the table, which can give away who is who",
        RowOrder::Shuffled => "random, independent of the table",
    };
    row("Order of the rows", Html::text(order));
    if let Some(research) = request.research_value.as_ref()
        && !research.rules.is_empty()
    {
        let rules = research.rules.len() as u64;
        let text = count(rules, "rule of experts", "rules of experts");
        row("Rules", Html::text(format!("{text}; see below")));
    }
    let mut html = with("dl", &[("class", "asked")], list);
    if let Some(stopped) = outcome.stopped {
        html.push(paragraph(format!("Note: {}.", stopped.in_words())));
    }
    html
}
