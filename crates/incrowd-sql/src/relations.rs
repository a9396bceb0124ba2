//! A release as the tables that an engine joins with.
//!
//! ```text
//! cell ──one table per quasi-identifier──> number ──added up──> key ──the table of classes──> published texts
//! ```
//!
//! A number of a quasi-identifier is what [`ReleaseMap::number`] says, times a factor that keeps the sums of all
//! quasi-identifiers apart. Only published classes are in the table of classes: rows of any other key find no partner and
//! are not written. Keys that do not fit into 62 bits are divided into several words.

use crate::column::Column;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use incrowd_core::publish::{ClassNumber, MappedAttribute, ReleaseMap};
use incrowd_core::table::{Dictionary, RowBatch};
use incrowd_io::{BatchTexts, array_of_texts};
use std::sync::Arc;

/// All tables of a release.
pub(crate) struct Relations {
    pub(crate) attributes: Vec<AttributeRelation>,
    /// For each counted column the values that are not missing, if rows with missing cells are excluded.
    pub(crate) present: Vec<RecordBatch>,
    /// For each counted column the texts that stand for a missing cell; none if no cell is missing.
    pub(crate) missing: Vec<Option<RecordBatch>>,
    pub(crate) classes: RecordBatch,
    pub(crate) words: usize,
}

/// What the values of a quasi-identifier are in a key.
pub(crate) struct AttributeRelation {
    /// Values `k` with their numbers `n`.
    pub(crate) numbers: RecordBatch,
    /// The number of NULL; none if rows with it are not published.
    pub(crate) of_null: Option<i64>,
    /// Which word of the key they are part of.
    pub(crate) word: usize,
}

/// The sizes of keys stay below this.
const WORD: u128 = 1 << 62;

impl Relations {
    /// The tables for a release. `attributes` and `counted` are the columns of the map, in its order.
    pub(crate) fn of(
        map: &ReleaseMap,
        attributes: &[&Column],
        counted: &[&Column],
    ) -> Result<Relations, ArrowError> {
        let mut places = Vec::new();
        let (mut word, mut factor) = (0, 1_u128);
        for attribute in map.attributes() {
            let size = size(map, attribute);
            if factor * size > WORD {
                (word, factor) = (word + 1, 1);
            }
            places.push((word, factor as i64));
            factor *= size;
        }
        let words = word + 1;
        let relations = map.attributes().iter().zip(attributes).zip(&places);
        let relations = relations.map(|((attribute, column), &(word, factor))| {
            let number = |text: &str| {
                let code = attribute.values.lookup(text.as_bytes())?;
                Some(i64::from(map.number(attribute, code)) * factor)
            };
            let (texts, numbers): (Vec<&str>, Vec<i64>) = known(map, &attribute.values)
                .filter(|text| has_value(column, text))
                .filter_map(|text| Some((text, number(normalized(map, text))?)))
                .unzip();
            let keys = keys(&column.kind, &texts);
            let of_null = number("").filter(|_| !map.excludes_missing());
            Ok(AttributeRelation {
                numbers: relation([("k", keys), ("n", Arc::new(Int64Array::from(numbers)))])?,
                of_null,
                word,
            })
        });
        let attributes = relations.collect::<Result<_, ArrowError>>()?;
        let present = match map.excludes_missing() {
            false => Vec::new(),
            true => {
                let columns = map.counted().iter().zip(counted);
                let columns = columns.map(|(mapped, column)| {
                    let texts = known(map, &mapped.values).filter(|it| has_value(column, it));
                    relation([("k", keys(&column.kind, &texts.collect::<Vec<_>>()))])
                });
                columns.collect::<Result<_, ArrowError>>()?
            }
        };
        let columns = map.counted().iter().zip(counted);
        let missing = columns.map(|(mapped, column)| {
            let is_missing = mapped.values.lookup(b"").is_some() && !map.excludes_missing();
            let texts = missing(map).filter(|text| has_value(column, text));
            let texts: Vec<&str> = texts.filter(|_| is_missing).collect();
            let is_needed = !texts.is_empty();
            is_needed
                .then(|| relation([("k", keys(&column.kind, &texts))]))
                .transpose()
        });
        Ok(Relations {
            attributes,
            present,
            missing: missing.collect::<Result<_, ArrowError>>()?,
            classes: classes(map, &places, words)?,
            words,
        })
    }
}

/// How many numbers a quasi-identifier has.
fn size(map: &ReleaseMap, attribute: &MappedAttribute) -> u128 {
    let most = match map.tuples() {
        Some(_) => attribute.leaves.iter().max(),
        None => attribute.texts_of_values.iter().max(),
    };
    most.map_or(1, |&most| u128::from(most) + 1)
}

/// The text that is looked up in place of a token for a missing cell.
fn normalized<'t>(map: &ReleaseMap, text: &'t str) -> &'t str {
    match map.missing_tokens().iter().any(|token| token == text) {
        true => "",
        false => text,
    }
}

/// Every text that a row may have and that is not excluded, once.
fn known<'m>(map: &'m ReleaseMap, values: &'m Dictionary) -> impl Iterator<Item = &'m str> {
    let tokens = map.missing_tokens();
    let is_token = move |text: &str| tokens.iter().any(|token| token == text);
    let values = values.iter().filter(move |text| !is_token(text));
    let tokens = tokens.iter().enumerate();
    let tokens = tokens
        .filter(|(at, token)| !token.is_empty() && !map.missing_tokens()[..*at].contains(token));
    let excludes = map.excludes_missing();
    let tokens = tokens
        .map(|(_, token)| token.as_str())
        .filter(move |_| !excludes);
    values
        .filter(move |text| !(excludes && text.is_empty()))
        .chain(tokens)
}

/// Every text that stands for a missing cell, once.
fn missing(map: &ReleaseMap) -> impl Iterator<Item = &str> {
    let tokens = map.missing_tokens();
    let first = (0..tokens.len()).filter(|&at| !tokens[..at].contains(&tokens[at]));
    let tokens = first.map(|at| tokens[at].as_str());
    std::iter::once("").chain(tokens.filter(|token| !token.is_empty()))
}

/// Whether a text is that of a value of a column: `7` of an integer, not `007`, which no integer has.
fn has_value(column: &Column, text: &str) -> bool {
    if column.kind == DataType::Utf8 {
        return true;
    }
    let mut cell = RowBatch::new(1);
    cell.push_cell(text.as_bytes());
    let Some(array) = array_of_texts(&column.kind, &cell, 0).filter(|_| !text.is_empty()) else {
        return false;
    };
    let Ok(batch) = relation([("k", array)]) else {
        return false;
    };
    let mut again = RowBatch::new(1);
    BatchTexts::new("", &batch.schema()).is_ok_and(|texts| {
        texts.append(&batch, &mut again);
        again.cell(0, 0) == text.as_bytes()
    })
}

/// Values of a column by their texts, all of which are of its type.
fn keys(kind: &DataType, texts: &[&str]) -> ArrayRef {
    if *kind == DataType::Utf8 {
        return Arc::new(StringArray::from_iter_values(texts));
    }
    let mut cells = RowBatch::new(1);
    texts
        .iter()
        .for_each(|text| cells.push_cell(text.as_bytes()));
    array_of_texts(kind, &cells, 0).expect("each was found to be of the type")
}

/// Keys `w0`, `w1` and so on of the published classes, with the texts `l0`, `l1` and so on; an empty text is NULL.
fn classes(
    map: &ReleaseMap,
    places: &[(usize, i64)],
    words: usize,
) -> Result<RecordBatch, ArrowError> {
    let is_published = |class: ClassNumber| !map.classes().is_suppressed[class.index()];
    let published = || map.keys().filter(|&(_, class)| is_published(class));
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    for word in 0..words {
        let keys = published().map(|(key, _)| {
            let numbers = key.iter().zip(places);
            let numbers = numbers.filter(|(_, (of, _))| *of == word);
            numbers
                .map(|(&number, (_, factor))| i64::from(number) * factor)
                .sum::<i64>()
        });
        let keys: Int64Array = keys.map(Some).collect();
        columns.push((format!("w{word}"), Arc::new(keys)));
    }
    for at in 0..map.attributes().len() {
        let texts = published().map(|(_, class)| {
            let mut texts = map.texts(class)?;
            texts.nth(at).filter(|text| !text.is_empty())
        });
        let texts: StringArray = texts.collect();
        columns.push((format!("l{at}"), Arc::new(texts)));
    }
    relation(columns)
}

fn relation(
    columns: impl IntoIterator<Item = (impl Into<String>, ArrayRef)>,
) -> Result<RecordBatch, ArrowError> {
    let columns = columns.into_iter();
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns
        .map(|(name, array)| (Field::new(name, array.data_type().clone(), true), array))
        .unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
}
