//! Which algorithms suit a table.

use super::page::Page;
use incrowd_job::{AdviceReport, RankedAlgorithm, Tried, few_digits};

/// The report of `advise`: the best first, one line of reasons each; what is left out is grouped by reason.
pub(crate) fn text(advice: &AdviceReport) -> String {
    let mut page = Page::default();
    let table = &advice.table;
    page.line(format!(
        "{} rows, {} distinct in {} quasi-identifiers, {} lattice nodes: {}",
        table.rows,
        table.distinct_tuples,
        table.quasi_identifiers,
        table.lattice_nodes.0,
        match table.is_large {
            true => "too many to judge them all",
            false => "few enough to judge them all",
        },
    ));
    page.entry("use", &advice.usage);
    page.line("");
    let before = std::iter::once(None).chain(advice.ranked.iter().map(Some));
    for ((at, ranked), before) in advice.ranked.iter().enumerate().zip(before) {
        page.line(place(at, ranked, before));
        if let Some(tried) = &ranked.tried {
            page.line(format!("      {}", reached(tried)));
        }
    }
    match advice.ranked.first() {
        None => page.line("no algorithm suits all of this; give up one of the wishes below"),
        Some(first) => {
            page.line("");
            page.line("run the first one, or put another name in its place:");
            page.line(format!("  {}", first.command));
        }
    }
    if !advice.excluded.is_empty() {
        page.line("");
        page.line("left out");
    }
    for (reason, names) in by_reason(advice) {
        page.line(format!("  {}: {reason}", names.join(", ")));
    }
    for note in &advice.notes {
        page.line("");
        page.entry("note", note);
    }
    page.line("");
    page.line("`incrowd explain NAME` shows the card of an algorithm");
    page.0
}

/// A place with what there is to say about it that is not true of the place before.
fn place(at: usize, ranked: &RankedAlgorithm, before: Option<&RankedAlgorithm>) -> String {
    let said = before.map_or(&[][..], |before| &before.reasons);
    let new = ranked
        .reasons
        .iter()
        .filter(|reason| !said.contains(reason));
    let new: Vec<&str> = new.map(String::as_str).collect();
    let reasons = match before.filter(|_| new.is_empty()) {
        Some(before) => format!("as {}", before.algorithm),
        None => new.join("; "),
    };
    format!("{:>3}  {:<19} {reasons}", at + 1, ranked.algorithm)
}

fn reached(tried: &Tried) -> String {
    let mut figures = vec![format!("on {} rows, in {:.2} s", tried.rows, tried.seconds)];
    figures.extend(tried.ncp.map(|ncp| format!("ncp {}", few_digits(ncp))));
    figures.extend(tried.classes.map(|classes| format!("{classes} classes")));
    figures.extend(
        tried
            .rows_suppressed
            .map(|rows| format!("{rows} rows suppressed")),
    );
    figures.extend(
        tried
            .accuracy
            .map(|it| format!("accuracy {}", few_digits(it))),
    );
    figures.extend(tried.rmse.map(|it| format!("rmse {}", few_digits(it))));
    figures.extend(tried.failed.clone());
    figures.join(", ")
}

/// The first reasons of exclusions with the algorithms they hold for, in the order they come up.
fn by_reason(advice: &AdviceReport) -> Vec<(&str, Vec<&str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for excluded in &advice.excluded {
        let reason = excluded.reasons.first().map_or("", String::as_str);
        match groups.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, names)) => names.push(&excluded.algorithm),
            None => groups.push((reason, vec![&excluded.algorithm])),
        }
    }
    groups
}
