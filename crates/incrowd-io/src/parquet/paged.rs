//! Columns read page by page, with the dictionary that most of them have.
//!
//! Every value of a dictionary becomes text once; a row then only says which of them it has. Pages without dictionary
//! whose values stand end to end are read here as well. Other encodings are rare, and left to the parquet crate.

use super::distinct::DistinctTexts;
use super::hybrid::HybridReader;
use super::plain::{PlainValue, cut_short, take_text};
use super::texts::Texts;
use crate::cell_text::{AsText, Meaning};
use bytes::Bytes;
use incrowd_core::table::{CodedColumn, ValueList};
use parquet::basic::{Encoding, Type as PhysicalType};
use parquet::column::page::{Page, PageReader};
use parquet::data_type::{ByteArray, FixedLenByteArray, Int96};
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescriptor;
use std::sync::Arc;

/// A column of a row group.
pub(super) struct PagedColumn {
    pages: Box<dyn PageReader>,
    kind: ValueKind,
    /// Whether rows may lack a value.
    is_optional: bool,
    dictionary: Option<Texts>,
    /// What pages without dictionary have.
    distinct: DistinctTexts,
    page: Option<OpenPage>,
}

#[derive(Clone, Copy)]
struct ValueKind {
    physical: PhysicalType,
    length: usize,
    meaning: Meaning,
}

struct OpenPage {
    texts: Texts,
    rows_left: usize,
    /// For each row, whether it has a value; none if all have.
    present: Option<HybridReader>,
    codes: Codes,
}

enum Codes {
    /// Which value of the dictionary comes next.
    OfDictionary(HybridReader),
    /// Which value comes next, from this place on.
    Known(Vec<u32>, usize),
    /// Values come as they are listed, this one next.
    InOrder(u32),
}

/// The next cells of a column.
pub(super) struct PagedCells {
    pub(super) column: CodedColumn,
    /// Whether all texts of the list are UTF-8.
    pub(super) is_utf8: bool,
}

impl PagedColumn {
    /// None for columns that are never read here.
    pub(super) fn new(
        pages: Box<dyn PageReader>,
        column: &ColumnDescriptor,
        meaning: Meaning,
    ) -> Option<PagedColumn> {
        let is_flat = column.max_rep_level() == 0 && column.max_def_level() <= 1;
        let physical = column.physical_type();
        let length = usize::try_from(column.type_length()).unwrap_or(0);
        let has_bytes = match physical {
            PhysicalType::BOOLEAN => false,
            PhysicalType::FIXED_LEN_BYTE_ARRAY => length > 0,
            _ => true,
        };
        (is_flat && has_bytes).then(|| PagedColumn {
            pages,
            kind: ValueKind {
                physical,
                length,
                meaning,
            },
            is_optional: column.max_def_level() == 1,
            dictionary: None,
            distinct: DistinctTexts::default(),
            page: None,
        })
    }

    /// The next `rows` cells; none if they are encoded in a way that is not read here.
    pub(super) fn read(&mut self, rows: usize) -> Result<Option<PagedCells>, ParquetError> {
        let mut parts: Vec<PagedCells> = Vec::new();
        let mut left = rows;
        while left > 0 {
            if self.page.as_ref().is_none_or(|page| page.rows_left == 0) {
                match self.open_page()? {
                    true => continue,
                    false => return Ok(None),
                }
            }
            let Some(page) = &mut self.page else {
                continue;
            };
            let count = left.min(page.rows_left);
            match parts.last_mut() {
                Some(last) if Arc::ptr_eq(&last.column.values, &page.texts.list) => {
                    page.read(count, &mut last.column.codes)?;
                }
                _ => {
                    let mut codes = Vec::with_capacity(rows);
                    page.read(count, &mut codes)?;
                    let values = Arc::clone(&page.texts.list);
                    parts.push(PagedCells {
                        column: CodedColumn { values, codes },
                        is_utf8: page.texts.is_utf8,
                    });
                }
            }
            left -= count;
        }
        Ok(Some(match parts.len() {
            1 => parts.remove(0),
            _ => joined(&parts),
        }))
    }

    /// Opens the next page with rows; `false` if its encoding is not read here.
    fn open_page(&mut self) -> Result<bool, ParquetError> {
        let page = self.pages.get_next_page()?;
        let page = page.ok_or_else(|| {
            ParquetError::EOF("a column has fewer values than the file has rows".into())
        })?;
        let (bytes, rows, encoding, present) = match page {
            Page::DictionaryPage {
                buf,
                num_values,
                encoding: Encoding::PLAIN | Encoding::PLAIN_DICTIONARY,
                ..
            } => {
                self.dictionary = Some(self.kind.texts(&buf, num_values as usize)?);
                return Ok(true);
            }
            Page::DictionaryPage { .. } => return Ok(false),
            Page::DataPage {
                buf,
                num_values,
                encoding,
                def_level_encoding,
                ..
            } => match (self.is_optional, def_level_encoding) {
                (false, _) => (buf, num_values, encoding, None),
                (true, Encoding::RLE) => {
                    let length = buf.first_chunk().map(|&length| u32::from_le_bytes(length));
                    let end = 4 + length.ok_or_else(cut_short)? as usize;
                    let levels = part(&buf, 4, end)?;
                    (
                        part(&buf, end, buf.len())?,
                        num_values,
                        encoding,
                        Some(levels),
                    )
                }
                (true, _) => return Ok(false),
            },
            Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => {
                let start = rep_levels_byte_len as usize;
                let end = start + def_levels_byte_len as usize;
                let levels = match self.is_optional {
                    true => Some(part(&buf, start, end)?),
                    false => None,
                };
                (part(&buf, end, buf.len())?, num_values, encoding, levels)
            }
        };
        let rows = rows as usize;
        let present = match present {
            Some(levels) => Some(HybridReader::new(levels, 1)?),
            None => None,
        };
        let (texts, codes) = match (encoding, &self.dictionary) {
            (Encoding::PLAIN_DICTIONARY | Encoding::RLE_DICTIONARY, Some(dictionary)) => {
                let codes = match bytes.first() {
                    Some(&width) => HybridReader::new(bytes.slice(1..), width)?,
                    // As some write a page without values.
                    None => HybridReader::new(Bytes::new(), 0)?,
                };
                (dictionary.clone(), Codes::OfDictionary(codes))
            }
            // As many values as there are bytes for; whether they suffice is found when rows are read.
            (Encoding::PLAIN, _) => match self.distinct_texts(&bytes, rows)? {
                Some((texts, codes)) => (texts, Codes::Known(codes, 0)),
                None => (self.kind.texts(&bytes, rows)?, Codes::InOrder(0)),
            },
            _ => return Ok(false),
        };
        self.page = Some(OpenPage {
            texts,
            rows_left: rows,
            present,
            codes,
        });
        Ok(true)
    }

    /// The texts of a page without dictionary, each once; none if they are not texts, or hardly any comes again.
    fn distinct_texts(
        &mut self,
        page: &[u8],
        rows: usize,
    ) -> Result<Option<(Texts, Vec<u32>)>, ParquetError> {
        match (self.kind.physical, self.kind.meaning) {
            (PhysicalType::BYTE_ARRAY, Meaning::Itself) => self.distinct.read(page, rows),
            _ => Ok(None),
        }
    }
}

impl OpenPage {
    /// Adds the codes of the next `rows` rows.
    fn read(&mut self, rows: usize, codes: &mut Vec<u32>) -> Result<(), ParquetError> {
        self.rows_left -= rows;
        let start = codes.len();
        let Some(present) = &mut self.present else {
            return self.read_values(rows, codes);
        };
        match present.skip_equal(rows)? {
            Some(1) => return self.read_values(rows, codes),
            Some(level) => codes.resize(start + rows, level),
            None => present.read(rows, codes)?,
        }
        let values = codes[start..].iter().filter(|&&level| level == 1).count();
        if values == rows {
            codes.truncate(start);
            return self.read_values(rows, codes);
        }
        let mut of_values = Vec::with_capacity(values);
        self.read_values(values, &mut of_values)?;
        let mut of_values = of_values.into_iter();
        let missing = self.texts.values() as u32;
        for code in &mut codes[start..] {
            *code = match *code {
                1 => of_values.next().unwrap_or(missing),
                _ => missing,
            };
        }
        Ok(())
    }

    /// Adds the codes of the next values.
    fn read_values(&mut self, count: usize, codes: &mut Vec<u32>) -> Result<(), ParquetError> {
        let start = codes.len();
        match &mut self.codes {
            Codes::OfDictionary(reader) => reader.read(count, codes)?,
            Codes::Known(known, next) => {
                let taken = known.get(*next..*next + count).ok_or_else(not_there)?;
                codes.extend_from_slice(taken);
                *next += count;
            }
            Codes::InOrder(next) => {
                codes.extend(*next..*next + count as u32);
                *next += count as u32;
            }
        }
        let last = codes[start..].iter().fold(0, |last, &code| last.max(code));
        match count > 0 && last as usize >= self.texts.values() {
            true => Err(not_there()),
            false => Ok(()),
        }
    }
}

impl ValueKind {
    /// The texts of at most `count` values.
    fn texts(self, bytes: &[u8], count: usize) -> Result<Texts, ParquetError> {
        match self.physical {
            PhysicalType::BYTE_ARRAY if self.meaning == Meaning::Itself => {
                let mut bytes = bytes;
                let mut list = ValueList::default();
                while list.len() < count && !bytes.is_empty() {
                    list.push(take_text(&mut bytes).ok_or_else(cut_short)?);
                }
                Ok(Texts::new(list))
            }
            PhysicalType::BYTE_ARRAY => self.texts_of::<ByteArray>(bytes, count),
            PhysicalType::FIXED_LEN_BYTE_ARRAY => self.texts_of::<FixedLenByteArray>(bytes, count),
            PhysicalType::INT32 => self.texts_of::<i32>(bytes, count),
            PhysicalType::INT64 => self.texts_of::<i64>(bytes, count),
            PhysicalType::INT96 => self.texts_of::<Int96>(bytes, count),
            PhysicalType::FLOAT => self.texts_of::<f32>(bytes, count),
            PhysicalType::DOUBLE => self.texts_of::<f64>(bytes, count),
            PhysicalType::BOOLEAN => Err(ParquetError::NYI("truth values are read as such".into())),
        }
    }

    fn texts_of<T: PlainValue + AsText>(
        self,
        mut bytes: &[u8],
        count: usize,
    ) -> Result<Texts, ParquetError> {
        let mut list = ValueList::default();
        let mut room = String::new();
        while list.len() < count && !bytes.is_empty() {
            let value = T::take(&mut bytes, self.length).ok_or_else(cut_short)?;
            let text = value.as_text(self.meaning, &mut room).ok_or_else(|| {
                ParquetError::General("a value does not have the type of its column".into())
            })?;
            list.push(text);
        }
        Ok(Texts::new(list))
    }
}

/// The cells of several pages, each row with a text of its own.
fn joined(parts: &[PagedCells]) -> PagedCells {
    let mut list = ValueList::default();
    for part in parts {
        let codes = part.column.codes.iter();
        codes.for_each(|&code| list.push(part.column.values.text(code)));
    }
    PagedCells {
        column: CodedColumn {
            codes: (0..list.len() as u32).collect(),
            values: Arc::new(list),
        },
        is_utf8: parts.iter().all(|part| part.is_utf8),
    }
}

fn part(bytes: &Bytes, start: usize, end: usize) -> Result<Bytes, ParquetError> {
    match start <= end && end <= bytes.len() {
        true => Ok(bytes.slice(start..end)),
        false => Err(cut_short()),
    }
}

fn not_there() -> ParquetError {
    ParquetError::General("a page refers to a value that is not there".into())
}
