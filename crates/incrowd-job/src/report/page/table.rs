//! A table that a reader can sort by any of its columns.

use super::html::{Html, element, with};

/// A table; the first cell of a row says what the row is about.
pub(crate) struct Table {
    /// What it shows, for those who cannot see it at a glance.
    pub(crate) caption: String,
    /// The headings of its columns.
    pub(crate) heads: Vec<Head>,
    /// A cell for each heading.
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// The heading of a column.
pub(crate) struct Head {
    /// What the column shows.
    pub(crate) name: Html,
    /// The same in a sentence; may be empty.
    pub(crate) explained: Html,
    /// Whether its cells are numbers.
    pub(crate) is_number: bool,
    /// Whether its figures differ from run to run, as times do.
    pub(crate) is_time: bool,
}

impl Head {
    /// A column of words.
    pub(crate) fn words(name: impl AsRef<str>, explained: Html) -> Head {
        Head {
            name: Html::text(name),
            explained,
            is_number: false,
            is_time: false,
        }
    }

    /// A column of numbers.
    pub(crate) fn numbers(name: impl AsRef<str>, explained: Html) -> Head {
        Head {
            is_number: true,
            ..Head::words(name, explained)
        }
    }
}

/// A cell.
pub(crate) enum Cell {
    /// Sorted by this text.
    Words {
        /// What is shown.
        shown: Html,
        /// What it is sorted by.
        key: String,
    },
    /// Sorted by its size.
    Number {
        /// What it is sorted by.
        value: f64,
        /// What is shown.
        shown: Html,
        /// Whether no other cell of the column is better.
        is_best: bool,
    },
    /// Nothing is known; below all others however the table is sorted.
    Missing,
}

impl Cell {
    /// A text.
    pub(crate) fn text(text: impl AsRef<str>) -> Cell {
        Cell::Words {
            shown: Html::text(&text),
            key: text.as_ref().to_owned(),
        }
    }

    /// A number, shown like this.
    pub(crate) fn number(value: f64, shown: impl AsRef<str>) -> Cell {
        Cell::Number {
            value,
            shown: Html::text(shown),
            is_best: false,
        }
    }
}

impl Table {
    /// Marks the lowest numbers of a column.
    pub(crate) fn mark_lowest(&mut self, column: usize) {
        let number = |row: &Vec<Cell>| match row[column] {
            Cell::Number { value, .. } => Some(value),
            _ => None,
        };
        let lowest = self.rows.iter().filter_map(number).reduce(f64::min);
        for row in &mut self.rows {
            if let Cell::Number { value, is_best, .. } = &mut row[column] {
                *is_best = Some(*value) == lowest;
            }
        }
    }

    /// The table, in a box of its own that scrolls when it is too wide.
    pub(crate) fn finish(self) -> Html {
        self.finish_as("sorts")
    }

    /// A table of sentences: on a narrow screen, the cells of a row stand below each other.
    pub(crate) fn finish_stacking(self) -> Html {
        self.finish_as("sorts stacks")
    }

    fn finish_as(self, class: &str) -> Html {
        let heads: Html = self.heads.iter().map(Head::shown).collect();
        let rows: Html = (self.rows.into_iter())
            .map(|row| {
                let cells = row.into_iter().zip(&self.heads).enumerate();
                let cells = cells.map(|(at, (cell, head))| cell.shown(head, at == 0));
                element("tr", cells.collect())
            })
            .collect();
        let mut table = element("caption", Html::text(&self.caption));
        table.push(element("thead", element("tr", heads)));
        table.push(element("tbody", rows));
        let table = with("table", &[("class", class)], table);
        with(
            "div",
            &[
                ("class", "scrolls"),
                ("tabindex", "0"),
                ("role", "region"),
                ("aria-label", &self.caption),
            ],
            table,
        )
    }
}

/// A table that is opened only by those who want the figures of a plot.
pub(crate) fn figures(table: Table) -> Html {
    let summary = element("summary", Html::text("The figures of this plot as a table"));
    element("details", [summary, table.finish()].into_iter().collect())
}

impl Head {
    fn shown(&self) -> Html {
        let mut content = with("span", &[("class", "label")], self.name.clone());
        if !self.explained.is_empty() {
            content.push(element("small", self.explained.clone()));
        }
        let kind = if self.is_number { "number" } else { "words" };
        with("th", &[("scope", "col"), ("class", kind)], content)
    }
}

impl Cell {
    fn shown(self, head: &Head, is_first: bool) -> Html {
        let (shown, key, is_best) = match self {
            Cell::Words { shown, key } => (shown, key, false),
            Cell::Number {
                value,
                shown,
                is_best,
            } => (shown, value.to_string(), is_best),
            Cell::Missing => (Html::text("–"), String::new(), false),
        };
        let shown = if is_best {
            with("strong", &[("title", "the lowest")], shown)
        } else {
            shown
        };
        if is_first {
            return with("th", &[("scope", "row"), ("data-sort", &key)], shown);
        }
        let class = match (head.is_number, head.is_time) {
            (true, true) => "number time",
            (true, false) => "number",
            (false, _) => "words",
        };
        with("td", &[("class", class), ("data-sort", &key)], shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_say_what_they_are_sorted_by_and_the_lowest_is_marked() {
        let mut table = Table {
            caption: "<b>".into(),
            heads: vec![
                Head::words("name", Html::default()),
                Head::numbers("loss", Html::text("lower is better")),
            ],
            rows: vec![
                vec![Cell::text("a\"b"), Cell::number(1234.5, "1 235")],
                vec![Cell::text("<i>"), Cell::number(7.0, "7")],
                vec![Cell::text("c"), Cell::Missing],
            ],
        };
        table.mark_lowest(1);
        let html = table.finish().to_string();
        assert!(html.contains("<caption>&lt;b&gt;</caption>"), "{html}");
        assert!(html.contains("data-sort=\"1234.5\">1 235</td>"), "{html}");
        assert!(html.contains("data-sort=\"a&quot;b\">a&quot;b</th>"));
        assert!(html.contains("<strong title=\"the lowest\">7</strong>"));
        assert_eq!(html.matches("<strong").count(), 1, "{html}");
        assert!(html.contains("data-sort>–</td>"), "{html}");
    }
}
