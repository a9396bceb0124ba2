//! One column of a row group as bytes: its values once, in a dictionary, and for each row which of them it has.
//!
//! The parquet crate would look every cell up to find its place in a dictionary, which is known here already. Columns
//! of many different values have no dictionary, and are left to that crate.

use super::hybrid;
use super::parse::FromText;
use super::plain::PlainValue;
use crate::cell_text::Meaning;
use crate::gathered::GatheredColumn;
use crate::stored_type::StoredType;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, Type as PhysicalType};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::{ColumnCloseResult, get_column_writer, get_typed_column_writer};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray,
    FixedLenByteArrayType, FloatType, Int32Type, Int64Type, Int96, Int96Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use std::cmp::Ordering;

/// Dictionaries of more bytes than that are not worth it, as in the parquet crate.
const DICTIONARY_BYTES: usize = 1 << 20;

/// Rows of a page.
const PAGE_ROWS: usize = 1 << 15;

/// How many cells are handed over to the parquet crate at once.
const PIECE: usize = 1 << 12;

/// A column of a row group, ready to be appended to a file.
pub(super) struct Chunk {
    pub(super) bytes: Bytes,
    pub(super) close: ColumnCloseResult,
}

/// The bytes of a column; none if a cell is not of its type.
pub(super) fn encode(
    column: &GatheredColumn,
    stored: &StoredType,
    place: &ColumnDescPtr,
    properties: &WriterPropertiesPtr,
) -> Result<Option<Chunk>, ParquetError> {
    let chunk = match stored.physical {
        PhysicalType::BOOLEAN => {
            return match values_of::<bool>(column, stored) {
                Some(values) => plain::<BoolType>(column, &values, place, properties).map(Some),
                None => Ok(None),
            };
        }
        PhysicalType::INT32 => typed::<Int32Type>,
        PhysicalType::INT64 => typed::<Int64Type>,
        PhysicalType::INT96 => typed::<Int96Type>,
        PhysicalType::FLOAT => typed::<FloatType>,
        PhysicalType::DOUBLE => typed::<DoubleType>,
        PhysicalType::BYTE_ARRAY => typed::<ByteArrayType>,
        PhysicalType::FIXED_LEN_BYTE_ARRAY => typed::<FixedLenByteArrayType>,
    };
    chunk(column, stored, place, properties)
}

fn typed<T: DataType>(
    column: &GatheredColumn,
    stored: &StoredType,
    place: &ColumnDescPtr,
    properties: &WriterPropertiesPtr,
) -> Result<Option<Chunk>, ParquetError>
where
    T::T: FromText + PlainValue + Compared,
{
    let Some(values) = values_of::<T::T>(column, stored) else {
        return Ok(None);
    };
    let is_repeated = 2 * values.len() <= column.rows();
    let chunk = match is_repeated && column.text_bytes() <= DICTIONARY_BYTES {
        true => with_dictionary::<T>(column, &values, stored, place),
        false => plain::<T>(column, &values, place, properties),
    };
    chunk.map(Some)
}

/// The value of each text, none for the empty one, which stands for a missing value; none at all if a text is not of
/// the type.
fn values_of<T: FromText>(column: &GatheredColumn, stored: &StoredType) -> Option<Vec<Option<T>>> {
    let value = |text: &str| match text {
        "" => Some(None),
        text => T::from_text(text, stored).map(Some),
    };
    column.texts().iter().map(value).collect()
}

/// Leaves it to the parquet crate how to store the cells.
fn plain<T: DataType>(
    column: &GatheredColumn,
    values: &[Option<T::T>],
    place: &ColumnDescPtr,
    properties: &WriterPropertiesPtr,
) -> Result<Chunk, ParquetError> {
    let mut out = TrackedWrite::new(Vec::new());
    let pages = Box::new(SerializedPageWriter::new(&mut out));
    let writer = get_column_writer(place.clone(), properties.clone(), pages);
    let mut writer = get_typed_column_writer::<T>(writer);
    for codes in column.codes().chunks(PIECE) {
        let cells = || codes.iter().map(|&code| &values[code as usize]);
        let levels: Vec<i16> = cells().map(|cell| i16::from(cell.is_some())).collect();
        let present: Vec<T::T> = cells().flatten().cloned().collect();
        writer.write_batch(&present, Some(&levels), None)?;
    }
    let close = writer.close()?;
    Ok(Chunk {
        bytes: out.into_inner()?.into(),
        close,
    })
}

fn with_dictionary<T: DataType>(
    column: &GatheredColumn,
    values: &[Option<T::T>],
    stored: &StoredType,
    place: &ColumnDescPtr,
) -> Result<Chunk, ParquetError>
where
    T::T: PlainValue + Compared,
{
    // A missing value has no place in the dictionary; those after it move up.
    let mut dictionary = Vec::new();
    let mut numbers = Vec::with_capacity(values.len());
    for value in values {
        numbers.push(dictionary.len() as u32);
        dictionary.extend(value);
    }
    let missing = values.iter().position(Option::is_none);
    let mut bytes = Vec::new();
    dictionary.iter().for_each(|value| value.put(&mut bytes));

    let mut pages = Pages::default();
    let uncompressed = bytes.len();
    let page = Page::DictionaryPage {
        buf: pages.compressed(&bytes)?,
        num_values: dictionary.len() as u32,
        encoding: Encoding::PLAIN,
        is_sorted: false,
    };
    pages.write(page, uncompressed)?;
    let data_start = pages.out.bytes_written() as i64;
    let width = hybrid::width_of(dictionary.len().saturating_sub(1) as u32);
    let (mut levels, mut present, mut rows_missing) = (Vec::new(), Vec::new(), 0);
    for codes in column.codes().chunks(PAGE_ROWS) {
        bytes.clear();
        bytes.extend_from_slice(&[0; 4]);
        let of_values = match missing {
            // Texts are numbered like values then.
            None => {
                hybrid::write_equal(1, codes.len(), 1, &mut bytes);
                codes
            }
            Some(missing) => {
                let is_present = |code: u32| code as usize != missing;
                levels.clear();
                levels.extend(codes.iter().map(|&code| u32::from(is_present(code))));
                hybrid::write(&levels, 1, &mut bytes);
                present.clear();
                let kept = codes.iter().filter(|&&code| is_present(code));
                present.extend(kept.map(|&code| numbers[code as usize]));
                &present
            }
        };
        rows_missing += codes.len() - of_values.len();
        let length = bytes.len() as u32 - 4;
        bytes[..4].copy_from_slice(&length.to_le_bytes());
        bytes.push(width);
        hybrid::write(of_values, width, &mut bytes);
        let page = Page::DataPage {
            buf: pages.compressed(&bytes)?,
            num_values: codes.len() as u32,
            encoding: Encoding::RLE_DICTIONARY,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        pages.write(page, bytes.len())?;
    }
    let rows = column.rows() as u64;
    let (least, greatest) = match extremes(&dictionary, stored) {
        Some((least, greatest)) => (Some(least.clone()), Some(greatest.clone())),
        None => (None, None),
    };
    let missing = Some(rows_missing as u64);
    let metadata = ColumnChunkMetaData::builder(place.clone())
        .set_encodings(vec![
            Encoding::PLAIN,
            Encoding::RLE,
            Encoding::RLE_DICTIONARY,
        ])
        .set_compression(Compression::SNAPPY)
        .set_num_values(rows as i64)
        .set_total_compressed_size(pages.out.bytes_written() as i64)
        .set_total_uncompressed_size(pages.uncompressed)
        .set_dictionary_page_offset(Some(0))
        .set_data_page_offset(data_start)
        .set_statistics(Statistics::new(least, greatest, None, missing, false))
        .build()?;
    Ok(Chunk {
        close: ColumnCloseResult {
            bytes_written: pages.out.bytes_written() as u64,
            rows_written: rows,
            metadata,
            bloom_filter: None,
            column_index: None,
            offset_index: None,
        },
        bytes: pages.out.into_inner()?.into(),
    })
}

/// The pages of a chunk.
struct Pages {
    out: TrackedWrite<Vec<u8>>,
    snappy: snap::raw::Encoder,
    /// Bytes of all pages before they were compressed.
    uncompressed: i64,
}

impl Default for Pages {
    fn default() -> Self {
        Pages {
            out: TrackedWrite::new(Vec::new()),
            snappy: snap::raw::Encoder::new(),
            uncompressed: 0,
        }
    }
}

impl Pages {
    fn compressed(&mut self, bytes: &[u8]) -> Result<Bytes, ParquetError> {
        let compressed = self.snappy.compress_vec(bytes);
        compressed
            .map(Bytes::from)
            .map_err(|error| ParquetError::External(Box::new(error)))
    }

    fn write(&mut self, page: Page, uncompressed: usize) -> Result<(), ParquetError> {
        let page = CompressedPage::new(page, uncompressed);
        let written = SerializedPageWriter::new(&mut self.out).write_page(page)?;
        self.uncompressed += written.uncompressed_size as i64;
        Ok(())
    }
}

/// Values whose order is the one that readers of statistics expect.
trait Compared {
    /// None if the order is not a plain one.
    fn compare(&self, other: &Self, meaning: Meaning) -> Option<Ordering>;
}

impl Compared for i32 {
    fn compare(&self, other: &Self, meaning: Meaning) -> Option<Ordering> {
        (meaning != Meaning::Unsigned).then(|| self.cmp(other))
    }
}

impl Compared for i64 {
    fn compare(&self, other: &Self, meaning: Meaning) -> Option<Ordering> {
        (meaning != Meaning::Unsigned).then(|| self.cmp(other))
    }
}

impl Compared for ByteArray {
    fn compare(&self, other: &Self, meaning: Meaning) -> Option<Ordering> {
        (meaning == Meaning::Itself).then(|| self.data().cmp(other.data()))
    }
}

macro_rules! not_compared {
    ($($kind:ty),*) => {$(
        impl Compared for $kind {
            fn compare(&self, _: &Self, _: Meaning) -> Option<Ordering> {
                None
            }
        }
    )*};
}

not_compared!(f32, f64, Int96, FixedLenByteArray);

/// The least and the greatest of values, if they have a plain order.
fn extremes<'v, T: Compared>(values: &[&'v T], stored: &StoredType) -> Option<(&'v T, &'v T)> {
    let (mut least, mut greatest) = (*values.first()?, *values.first()?);
    for &value in values {
        if value.compare(least, stored.meaning)? == Ordering::Less {
            least = value;
        }
        if value.compare(greatest, stored.meaning)? == Ordering::Greater {
            greatest = value;
        }
    }
    Some((least, greatest))
}
