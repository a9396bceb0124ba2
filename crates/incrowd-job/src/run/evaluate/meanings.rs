//! What published texts stand for: every cell as the values it could be.

use super::held::{Held, HeldColumn};
use crate::error::Error;
use crate::run::hierarchies::{self, ColumnHierarchy};
use crate::run::plan::find_column;
use crate::run::population::People;
use crate::spec::{HierarchySource, Job};
use incrowd_core::counts::{Attribute, CountedTable, Missing, RowCounter};
use incrowd_core::hierarchy::ANY;
use incrowd_core::recode::Labels;
use incrowd_core::table::{Kind, parse_number};
use incrowd_learn::{Column, Domain, Meaning};
use std::sync::Arc;

/// The columns that are judged, raw.
pub(super) struct Judged {
    pub(super) names: Vec<String>,
    /// Counted with every judged column as a quasi-identifier.
    pub(super) table: CountedTable,
    pub(super) columns: Vec<Column>,
    /// Cells that are missing.
    missing: Missing,
}

/// A release of them.
pub(super) struct Released {
    /// In the order of [`Judged::columns`].
    pub(super) columns: Vec<Column>,
    pub(super) rows: u32,
    /// The texts of each column's codes.
    texts: Vec<Vec<String>>,
}

/// The levels that a job gives a quasi-identifier, for its values and those that people of a population have.
pub(super) fn levels(
    job: &Job,
    column: &HeldColumn,
    people: Option<&People>,
    missing: &Missing,
) -> Result<ColumnHierarchy, Error> {
    let mut counter = column.counter()?;
    for text in people
        .iter()
        .flat_map(|it| it.values_of(&column.name, missing))
    {
        counter.learn(0, text);
    }
    hierarchies::of_column(job, &column.name, &counter.values(0, missing))
}

/// Nothing between the values of a column and `*`.
pub(super) fn flat(
    job: &Job,
    column: &HeldColumn,
    missing: &Missing,
) -> Result<ColumnHierarchy, Error> {
    let counter = column.counter()?;
    let values = counter.values(0, missing);
    let flat = HierarchySource::Built("suppress".into());
    let unlisted = job.columns.unlisted.unwrap_or_default();
    hierarchies::resolve(&column.name, &flat, &values, unlisted)
}

impl Judged {
    /// Some of the columns held, with their levels.
    pub(super) fn new(
        input: &str,
        held: &Held,
        positions: &[usize],
        levels: &[ColumnHierarchy],
        missing: Missing,
    ) -> Result<Self, Error> {
        let columns: Vec<&HeldColumn> = positions.iter().map(|&at| &held.columns[at]).collect();
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let all: Vec<usize> = (0..names.len()).collect();
        let mut counter = RowCounter::new(&names, &all, &[]);
        let mut tuple = Vec::with_capacity(columns.len());
        for row in 0..held.rows {
            tuple.clear();
            tuple.extend(columns.iter().map(|column| column.text(row)));
            counter.count(&tuple, 1)?;
        }
        let hierarchies = levels.iter().map(|levels| levels.hierarchy.clone());
        let table = counter.finish(hierarchies.collect(), Vec::new(), missing.clone());
        let table = table.map_err(|error| unlisted(error, input, &names, levels))?;
        let raw = columns.iter().zip(&table.attributes);
        let raw = raw.map(|(column, attribute)| raw_column(column, attribute, &missing));
        let raw: Option<Vec<Column>> = raw.collect();
        Ok(Judged {
            columns: raw.expect("a counted table lists every value"),
            names,
            table,
            missing,
        })
    }

    /// The text of a value of a column.
    pub(super) fn value(&self, column: usize, value: u32) -> &str {
        let hierarchy = &self.table.attributes[column].hierarchy;
        hierarchy.text(incrowd_core::hierarchy::Leaf(value))
    }

    /// Reads the texts of a release back.
    pub(super) fn read(&self, input: &str, release: &Held) -> Result<Released, Error> {
        let (mut columns, mut texts) = (Vec::new(), Vec::new());
        for (name, (attribute, raw)) in
            (self.names.iter()).zip(self.table.attributes.iter().zip(&self.columns))
        {
            let held: Vec<String> = release.columns.iter().map(|it| it.name.clone()).collect();
            let at = find_column(input, &held, name, "the columns to judge")?;
            let published = &release.columns[at];
            columns.push(self.published_column(input, published, attribute, raw)?);
            texts.push(published.texts.iter().map(str::to_owned).collect());
        }
        Ok(Released {
            columns,
            rows: release.rows as u32,
            texts,
        })
    }

    fn published_column(
        &self,
        input: &str,
        published: &HeldColumn,
        attribute: &Attribute,
        raw: &Column,
    ) -> Result<Column, Error> {
        let labels = Labels::new(attribute);
        let is_beside_others = published.texts.len() > 1;
        let domain = &raw.domain;
        let meaning = |text: &str| {
            let text = self.missing.normalize(text);
            if let Some(values) = labels.read(text, is_beside_others) {
                let values = labels.order().leaves(&values);
                return Some(Meaning::of_values(domain, values));
            }
            if text == ANY {
                let all = 0..domain.len() as u32;
                return Some(Meaning::of_values(domain, all.collect()));
            }
            let number = parse_number(text).filter(|_| attribute.kind == Kind::Number)?;
            Some(Meaning::of_number(domain, number.get()))
        };
        let meanings: Vec<Option<Meaning>> = published.texts.iter().map(meaning).collect();
        let unread = (published.codes.iter())
            .filter(|&&code| meanings[code as usize].is_none())
            .count();
        let first = (published.codes.iter()).position(|&code| meanings[code as usize].is_none());
        if let Some(first) = first {
            return Err(Error::UnreadText {
                column: published.name.clone(),
                input: input.to_owned(),
                rows: unread as u64,
                row: first as u64 + 1,
            });
        }
        Ok(Column {
            domain: Arc::clone(domain),
            meanings: meanings.into_iter().flatten().collect(),
            codes: published.codes.clone(),
        })
    }

    /// How the codes of a raw column are written in rules.
    pub(super) fn raw_texts(&self, column: usize) -> Vec<String> {
        let values = 0..self.columns[column].meanings.len() as u32;
        values
            .map(|value| self.value(column, value).to_owned())
            .collect()
    }

    /// How the codes of a released column are written in rules: numbers as their midpoints, dates as the nearest one.
    pub(super) fn released_texts(&self, released: &Released, column: usize) -> Vec<String> {
        let published = &released.columns[column];
        let Domain::Numbers(numbers) = &*published.domain else {
            return released.texts[column].clone();
        };
        let is_date = self.table.attributes[column].kind == Kind::Date;
        let text = |meaning: &Meaning| {
            let nearest = Meaning::of_number(&Domain::Numbers(numbers.clone()), meaning.number());
            match nearest.values.first().filter(|_| is_date) {
                Some(&value) => self.value(column, value).to_owned(),
                None => meaning.number().to_string(),
            }
        };
        published.meanings.iter().map(text).collect()
    }
}

fn raw_column(column: &HeldColumn, attribute: &Attribute, missing: &Missing) -> Option<Column> {
    let hierarchy = &attribute.hierarchy;
    let domain = match attribute.numbers_of_leaves() {
        Some(numbers) if numbers.iter().any(|number| !number.is_nan()) => Domain::Numbers(numbers),
        _ => Domain::Texts(hierarchy.leaves()),
    };
    let texts = column.texts.iter();
    let leaf = |text: &str| Some(hierarchy.leaf(missing.normalize(text))?.0);
    let leaves: Vec<Option<u32>> = texts.map(leaf).collect();
    let codes = column.codes.iter().map(|&code| leaves[code as usize]);
    Some(Column::raw(Arc::new(domain), codes.collect::<Option<_>>()?))
}

/// Adds the file that does not list the values to an error about unlisted values.
fn unlisted(
    error: incrowd_core::Error,
    input: &str,
    names: &[String],
    levels: &[ColumnHierarchy],
) -> Error {
    if let incrowd_core::Error::HierarchyLacksValues { column, .. } = &error
        && let Some(at) = names.iter().position(|name| name == column)
    {
        return Error::Unlisted {
            column: column.clone(),
            from: levels[at].from.clone(),
            input: input.to_owned(),
            has_padded_cells: false,
            source: Box::new(error),
        };
    }
    error.into()
}
