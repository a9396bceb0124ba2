//! The choices a data holder has, and the steps already taken.

use super::page::Page;
use incrowd_job::{StepTaken, View, few_digits};

/// What a data holder sees before each choice.
pub(crate) fn view(view: &View) -> String {
    let mut page = Page::default();
    let standing = view.standing;
    page.line(format!(
        "{} rows, {} violating, {} may be suppressed; smallest class {}, loss {}",
        view.rows,
        standing.rows_violating,
        view.max_suppressed,
        standing.smallest_class,
        few_digits(standing.loss.0)
    ));
    let header = [
        "",
        "column",
        "level",
        "values",
        "if raised:",
        "values",
        "violating",
        "smallest",
        "loss",
    ];
    let rows: Vec<Vec<String>> = (view.attributes.iter().enumerate())
        .map(|(at, attribute)| {
            let mut row = vec![
                (at + 1).to_string(),
                attribute.name.clone(),
                format!("{} ({})", attribute.level, attribute.level_name),
                attribute.distinct.to_string(),
            ];
            match attribute.raised {
                Some(raised) => row.extend([
                    format!("to {}", attribute.level.above()),
                    raised.distinct.to_string(),
                    raised.rows_violating.to_string(),
                    raised.smallest_class.to_string(),
                    few_digits(raised.loss.0),
                ]),
                None => row.push("at maximum".to_owned()),
            }
            row
        })
        .collect();
    page.table(&header.map(str::to_owned), &rows);
    if !standing.holds_as_a_whole {
        page.line(
            "what is left breaks a privacy model about the whole release: raise another column",
        );
    } else if standing.rows_violating <= view.max_suppressed {
        page.line(format!(
            "`suppress` suppresses {} rows and makes the release",
            standing.rows_violating
        ));
    }
    page.0
}

/// The steps that led to a release.
pub(super) fn steps(page: &mut Page, steps: &[StepTaken]) {
    let header = ["", "step", "to", "values", "violating"].map(str::to_owned);
    let rows: Vec<Vec<String>> = (steps.iter().enumerate())
        .map(|(at, step)| {
            let violating = format!("{} -> {}", step.rows_violating_before, step.rows_violating);
            let (action, level, values) = match &step.raised {
                Some(raised) => (
                    format!("raise {}", raised.name),
                    format!("{} ({})", raised.level, raised.level_name),
                    format!("{} -> {}", raised.distinct_before, raised.distinct),
                ),
                None => ("suppress".to_owned(), String::new(), String::new()),
            };
            vec![(at + 1).to_string(), action, level, values, violating]
        })
        .collect();
    page.line("steps");
    page.table(&header, &rows);
    page.line("");
}
