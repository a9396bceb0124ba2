//! What was done to each column: a table of all of them, then a part for each blurred one.

use super::{Generalized, Released};
use crate::report::outcome::{Origin, UnchangedColumn};
use crate::report::page::words::{count, list, paragraph, percent};
use crate::report::page::{Cell, Head, Html, Table, element, with};
use crate::report::pictured;
use incrowd_plot::{Bar, BarGroup, BarSeries, Bars, LevelNode, LevelRow, Levels, bars, levels};

/// Texts longer than this are cut: a published set may name hundreds of values.
const LONGEST_EXAMPLE: usize = 48;

pub(super) fn section(released: &Released<'_>) -> Html {
    let request = &released.certificate.request;
    let mut html = paragraph(
        "Every column of the table, the part it plays, and what became of it. Columns that others may know about a \
         person are blurred; the rest is published as it is, or not at all.",
    );
    html.push(overview(released));
    let is_in_hierarchy = |column: &Generalized| column.is_in_hierarchy;
    if released.facts.columns.iter().any(is_in_hierarchy) {
        html.push(paragraph(
            "Below, each blurred column has two pictures. The first shows its levels, from a single value that says nothing \
             (`*`) at the top to exact values at the bottom. Blue is what the release publishes; what is gray below it can \
             no longer be told apart. The second shows how the rows are spread over its values, in the table and in the \
             release.",
        ));
    }
    if !released.facts.columns.iter().all(is_in_hierarchy) {
        html.push(paragraph(
            "Some columns are not published by levels: groups of values are formed as they are needed, and may be narrow for \
             some people and wide for others. For these, the first picture shows how wide the published values are.",
        ));
    }
    let origins = &released.outcome.hierarchies;
    let recoding = &released.outcome.recoding;
    let columns = released
        .facts
        .columns
        .iter()
        .zip(&request.quasi_identifiers);
    for ((column, named), picture) in columns.zip(&released.facts.pictured.columns) {
        let mut content = element("h3", element("code", Html::text(&named.column)));
        let origin = origins.get(&named.column).map(|origin| origin.kind);
        let done = in_short(column, recoding);
        let origin = match column.is_in_hierarchy {
            true => levels_from(origin),
            false => "",
        };
        content.push(paragraph(format!("{done} {origin}")));
        let mut plots = drawn(column, &named.column, &done);
        if column.values_published > 1 {
            content.push(examples(column));
            plots.push(pictured::column(picture));
        }
        content.push(with("div", &[("class", "plots pair")], plots));
        html.push(with("div", &[("class", "column")], content));
    }
    html
}

/// One line for each column.
fn overview(released: &Released<'_>) -> Html {
    let request = &released.certificate.request;
    let mut rows = Vec::new();
    let mut row = |name: &str, role: &str, done: Html| {
        rows.push(vec![
            Cell::Words {
                shown: element("code", Html::text(name)),
                key: name.to_owned(),
            },
            Cell::text(role),
            Cell::Words {
                shown: done,
                key: String::new(),
            },
        ]);
    };
    let columns = released
        .facts
        .columns
        .iter()
        .zip(&request.quasi_identifiers);
    for (column, named) in columns {
        row(
            &named.column,
            "Others may know it (quasi-identifier)",
            Html::text(in_short(column, &released.outcome.recoding)),
        );
    }
    let unchanged = |name: &str| {
        let all = &released.outcome.exposed.unchanged;
        let found = all.iter().find(|column| column.column == name);
        Html::text(match found {
            None => "Published as it is.".to_owned(),
            Some(found) => format!("Published as it is. {}", singled_out(found)),
        })
    };
    for name in &request.sensitive {
        let role = match request.target.contains(name) {
            true => {
                "Must not be linked to a person (sensitive), and should be predictable (target)"
            }
            false => "Must not be linked to a person (sensitive)",
        };
        row(name, role, unchanged(name));
    }
    for name in (request.target.iter()).filter(|name| !request.sensitive.contains(name)) {
        row(name, "Should be predictable (target)", unchanged(name));
    }
    for name in &request.kept {
        row(name, "Kept", unchanged(name));
    }
    for name in &request.dropped {
        let done = Html::text("Not published.");
        row(name, "Identifies people, or is not needed", done);
    }
    let table = Table {
        caption: "Every column of the table".into(),
        heads: vec![
            Head::words("Column", Html::default()),
            Head::words("Part it plays", Html::default()),
            Head::words("What was done", Html::default()),
        ],
        rows,
    };
    table.finish_stacking()
}

/// Whom an unchanged column singles out.
fn singled_out(column: &UnchangedColumn) -> String {
    match column.singled_out.rows {
        0 => "Nobody has a value of their own in it.".to_owned(),
        rows if column.singled_out.is_exact => format!(
            "{} a value that no other row has.",
            count(rows, "row has", "rows have")
        ),
        _ => format!(
            "{} of the rows have a value that no other row has.",
            column.singled_out.in_words()
        ),
    }
}

/// What was done to a blurred column, in a sentence.
fn in_short(column: &Generalized, recoding: &str) -> String {
    let values = count(
        column.values_published.into(),
        "value is published",
        "different values are published",
    );
    let top = column.levels.len().saturating_sub(1);
    let published: Vec<usize> = published_levels(column);
    match (column.is_in_hierarchy, published.as_slice()) {
        (true, [0]) => format!("Published as it is: {values}."),
        (true, [level]) if *level == top => "Blurred completely: every row says *.".to_owned(),
        (true, [level]) => format!("Blurred to level {level} of {top}: {values}."),
        (true, levels) if !levels.is_empty() => {
            let levels: Vec<String> = levels.iter().map(ToString::to_string).collect();
            let levels = list(levels.iter().map(String::as_str));
            let needs = match recoding {
                "regions" => "as each group of people needs",
                _ => "as each branch of its values needs",
            };
            format!("Blurred to levels {levels} of {top}, {needs}: {values}.")
        }
        _ => format!("Blurred to groups of values: {values}."),
    }
}

/// The levels that have published values, ascending.
fn published_levels(column: &Generalized) -> Vec<usize> {
    let levels = column.levels.iter().enumerate();
    let levels = levels.filter(|(_, level)| level.published > 0);
    levels.map(|(at, _)| at).collect()
}

/// Where the levels of a column come from.
fn levels_from(origin: Option<Origin>) -> &'static str {
    match origin {
        Some(Origin::File) => "Its levels come from a file of the data holder.",
        Some(Origin::Rule) => "Its levels follow a rule that the data holder gave.",
        Some(Origin::Automatic) => "Its levels were chosen by the program from the data.",
        None => "",
    }
}

/// Some published texts.
fn examples(column: &Generalized) -> Html {
    let mut html = Html::text("Published values, the most frequent first: ");
    for (at, text) in column.examples.iter().enumerate() {
        if at > 0 {
            html.push(Html::text(", "));
        }
        html.push(element("code", Html::text(shown(text))));
    }
    let more = column.values_published as usize - column.examples.len();
    html.push(Html::text(match more {
        0 => ".".to_owned(),
        more => format!(" and {} more.", incrowd_plot::grouped(more as f64)),
    }));
    element("p", html)
}

/// A published text, cut if it is long.
fn shown(text: &str) -> String {
    if text.is_empty() {
        return "(missing)".to_owned();
    }
    match text.char_indices().nth(LONGEST_EXAMPLE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The levels of a column, or how wide its values are.
fn drawn(column: &Generalized, name: &str, done: &str) -> Html {
    if !column.is_in_hierarchy {
        return widths(column, name);
    }
    let top = column.levels.len().saturating_sub(1);
    let lowest = published_levels(column).first().copied().unwrap_or(0);
    let rows: Vec<LevelRow> = (column.levels.iter().enumerate().rev())
        .map(|(at, level)| LevelRow {
            name: match at {
                0 => "single values".to_owned(),
                at => format!("level {at}: {}", level.name),
            },
            note: match level.published {
                0 if at < lowest => count(level.values.into(), "value, hidden", "values, hidden"),
                0 if level.values == 0 => "not used".to_owned(),
                0 => count(level.values.into(), "value", "values"),
                published => format!("published: {}", count(published.into(), "value", "values")),
            },
            values: level.values,
            is_published: level.published > 0,
        })
        .collect();
    let nodes: Vec<LevelNode> = (column.tree.iter())
        .map(|branch| LevelNode {
            row: top - usize::from(branch.level),
            parent: branch.parent,
            is_published: branch.is_published,
        })
        .collect();
    let title = format!("Levels of {name}. {done}");
    Html::plot(&levels(&Levels {
        title: &title,
        rows: &rows,
        nodes: &nodes,
    }))
}

fn widths(column: &Generalized, name: &str) -> Html {
    let groups: Vec<BarGroup> = (column.widths.iter())
        .map(|(label, share)| BarGroup {
            label: (*label).to_owned(),
            bars: vec![Some(Bar {
                value: *share,
                text: percent(*share),
            })],
        })
        .collect();
    let most = column.widths.iter().map(|(_, share)| *share);
    Html::plot(&bars(&Bars {
        title: &format!("Widths of {name}"),
        subtitles: &["how much of the column a published value covers; shares of rows".to_owned()],
        series: &[BarSeries {
            label: "rows".into(),
            color: Some("#0072b2"),
        }],
        groups: &groups,
        most: most.fold(0.0, f64::max),
        length: 150.0,
    }))
}
