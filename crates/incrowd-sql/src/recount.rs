//! What an engine has written and left out, counted inside it and told as a tally.
//!
//! Nothing here believes the second pass: rows written are recognized by their published texts, rows left out by their
//! raw values. A class or value that the release does not have is an error, whichever of both has it.

use crate::error::Error;
use incrowd_core::hierarchy::ANY;
use incrowd_core::publish::{ClassNumber, ReleaseMap, Tally};
use incrowd_core::table::{RowBatch, ValueCode};
use std::collections::HashMap;

/// Where the columns of a map are in rows.
pub(crate) struct Places {
    attributes: Vec<usize>,
    counted: Vec<usize>,
}

impl Places {
    /// In rows with columns of these names.
    pub(crate) fn of(map: &ReleaseMap, names: &[&str]) -> Result<Places, Error> {
        let find = |name: &String| {
            let found = names.iter().position(|it| it == name);
            found.ok_or(Error::InputChanged)
        };
        Ok(Places {
            attributes: (map.attributes().iter())
                .map(|it| find(&it.name))
                .collect::<Result<_, _>>()?,
            counted: (map.counted().iter())
                .map(|it| find(&it.name))
                .collect::<Result<_, _>>()?,
        })
    }
}

/// Counts rows of a draft.
pub(crate) struct Written<'m> {
    map: &'m ReleaseMap,
    places: Places,
    /// The published classes by their texts.
    classes: HashMap<Vec<&'m str>, ClassNumber>,
    any_class: Option<ClassNumber>,
    engine: &'static str,
}

impl<'m> Written<'m> {
    pub(crate) fn new(map: &'m ReleaseMap, places: Places, engine: &'static str) -> Self {
        let classes = (0..map.classes().is_suppressed.len() as u32).map(ClassNumber);
        let classes = classes.filter_map(|class| Some((map.texts(class)?.collect(), class)));
        Written {
            classes: classes.collect(),
            any_class: map.any_class(),
            map,
            places,
            engine,
        }
    }

    /// Counts a row of the draft that occurs so many times.
    pub(crate) fn count(
        &self,
        rows: &RowBatch,
        row: usize,
        times: u32,
        tally: &mut Tally,
    ) -> Result<(), Error> {
        let differs = |what| Error::DraftDiffers {
            engine: self.engine,
            what,
        };
        let texts = self.places.attributes.iter();
        let texts: Vec<&str> = texts.map(|&at| text(rows, row, at)).collect();
        let class = self.classes.get(&texts).copied();
        let class = class.ok_or(differs("a row has texts that no published class has"))?;
        let values = values(self.map, &self.places, rows, row);
        let values = values.ok_or(differs("a row has a value that was not counted"))?;
        let mut counted = self.places.counted.iter();
        if counted.any(|&at| {
            let is_generalized = self.places.attributes.contains(&at);
            !is_generalized && text(rows, row, at) != looked_up(self.map, rows, row, at)
        }) {
            return Err(differs("a missing cell is not empty"));
        }
        tally.count(class, &values, times);
        let mut others = (0..rows.columns()).map(|at| rows.cell(row, at));
        if self.any_class == Some(class) && others.all(|cell| cell == ANY.as_bytes()) {
            tally.count_blank(class, &values, times);
        }
        Ok(())
    }
}

/// Counts rows that were not written.
pub(crate) struct LeftOut<'m> {
    map: &'m ReleaseMap,
    places: Places,
    classes: HashMap<&'m [u32], ClassNumber>,
    engine: &'static str,
}

impl<'m> LeftOut<'m> {
    pub(crate) fn new(map: &'m ReleaseMap, places: Places, engine: &'static str) -> Self {
        LeftOut {
            classes: map.keys().collect(),
            map,
            places,
            engine,
        }
    }

    /// Counts a raw row that occurs so many times.
    pub(crate) fn count(
        &self,
        rows: &RowBatch,
        row: usize,
        times: u32,
        tally: &mut Tally,
    ) -> Result<(), Error> {
        let map = self.map;
        let places = self.places.attributes.iter().chain(&self.places.counted);
        let mut texts = places.map(|&at| looked_up(map, rows, row, at));
        if map.excludes_missing() && texts.any(str::is_empty) {
            tally.count_excluded(times);
            return Ok(());
        }
        let attributes = map.attributes().iter().zip(&self.places.attributes);
        let key = attributes.map(|(attribute, &at)| {
            let text = looked_up(map, rows, row, at);
            let code = attribute.values.lookup(text.as_bytes())?;
            Some(map.number(attribute, code))
        });
        let key: Option<Vec<u32>> = key.collect();
        let class = key.and_then(|key| self.classes.get(&key[..]).copied());
        let values = values(map, &self.places, rows, row);
        let (Some(class), Some(values)) = (class, values) else {
            return Err(Error::InputChanged);
        };
        if !map.classes().is_suppressed[class.index()] {
            return Err(Error::DraftDiffers {
                engine: self.engine,
                what: "a row of a published class is missing",
            });
        }
        tally.count(class, &values, times);
        Ok(())
    }
}

fn text(rows: &RowBatch, row: usize, at: usize) -> &str {
    std::str::from_utf8(rows.cell(row, at)).unwrap_or_default()
}

/// The text of a cell, empty if it stands for a missing one.
fn looked_up<'r>(map: &ReleaseMap, rows: &'r RowBatch, row: usize, at: usize) -> &'r str {
    let text = text(rows, row, at);
    match map.missing_tokens().iter().any(|token| token == text) {
        true => "",
        false => text,
    }
}

/// The codes of a row's counted values; none if one was not counted.
fn values(
    map: &ReleaseMap,
    places: &Places,
    rows: &RowBatch,
    row: usize,
) -> Option<Vec<ValueCode>> {
    let columns = map.counted().iter().zip(&places.counted);
    let codes = columns.map(|(column, &at)| {
        let text = looked_up(map, rows, row, at);
        column.values.lookup(text.as_bytes())
    });
    codes.collect()
}
