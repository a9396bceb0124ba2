//! One array to texts, or to the numbers of its texts.

use super::recent::{Bits, Recent, ShortText, extend_until_error};
use crate::cell_text::{AsText, Meaning};
use crate::numbered::{NotUtf8, Numbered, WITHOUT_NUMBER};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{
    Array, BooleanArray, GenericByteArray, GenericByteViewArray, OffsetSizeTrait, PrimitiveArray,
};
use arrow_schema::{DataType, TimeUnit};
use std::ops::Range;

/// The cells of an array.
pub(super) trait Cells: Send {
    /// The text of a cell, made in `room` unless it is there already; empty for a null. Bytes are taken for text, and
    /// whoever asks has to check that they are.
    fn text<'a>(&'a self, row: usize, room: &'a mut String) -> &'a [u8];

    /// Adds the numbers that the texts of some rows have; stops at one that is not UTF-8, whose row is the next then.
    ///
    /// Looking up the text of every cell takes longer than all else that is done to it, so arrays whose values can be
    /// recognized without it do that.
    fn number(
        &mut self,
        rows: Range<usize>,
        room: &mut String,
        texts: &mut Numbered,
        numbers: &mut Vec<u32>,
    ) -> Result<(), NotUtf8> {
        for row in rows {
            numbers.push(texts.number(self.text(row, room))?);
        }
        Ok(())
    }
}

/// How arrays of a type become text.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    pub(super) meaning: Meaning,
    open: Open,
}

impl Reading {
    /// None if a value of this type is not one text.
    pub(super) fn of(kind: &DataType) -> Option<Reading> {
        use DataType as Kind;
        let itself = |open| Some(reading(Meaning::Itself, open));
        match kind {
            Kind::Null => itself(|_, _| Box::new(Nulls)),
            Kind::Boolean => itself(|array, _| Box::new(array.as_boolean().clone())),
            Kind::Utf8 => itself(|array, _| texts(array.as_string::<i32>())),
            Kind::LargeUtf8 => itself(|array, _| texts(array.as_string::<i64>())),
            Kind::Utf8View => itself(|array, _| views(array.as_string_view())),
            Kind::Binary => itself(|array, _| texts(array.as_binary::<i32>())),
            Kind::LargeBinary => itself(|array, _| texts(array.as_binary::<i64>())),
            Kind::BinaryView => itself(|array, _| views(array.as_binary_view())),
            Kind::Int8 => itself(numbers::<Int8Type>),
            Kind::Int16 => itself(numbers::<Int16Type>),
            Kind::Int32 => itself(numbers::<Int32Type>),
            Kind::Int64 => itself(numbers::<Int64Type>),
            Kind::UInt8 => itself(numbers::<UInt8Type>),
            Kind::UInt16 => itself(numbers::<UInt16Type>),
            Kind::UInt32 => itself(numbers::<UInt32Type>),
            Kind::UInt64 => itself(numbers::<UInt64Type>),
            Kind::Float32 => itself(numbers::<Float32Type>),
            Kind::Float64 => itself(numbers::<Float64Type>),
            Kind::Date32 => Some(reading(Meaning::Date, numbers::<Date32Type>)),
            Kind::Date64 => Some(reading(Meaning::DateInMilliseconds, numbers::<Date64Type>)),
            Kind::Time32(unit) => match unit {
                TimeUnit::Second => Some(time(*unit, numbers::<Time32SecondType>)),
                TimeUnit::Millisecond => Some(time(*unit, numbers::<Time32MillisecondType>)),
                _ => None,
            },
            Kind::Time64(unit) => match unit {
                TimeUnit::Microsecond => Some(time(*unit, numbers::<Time64MicrosecondType>)),
                TimeUnit::Nanosecond => Some(time(*unit, numbers::<Time64NanosecondType>)),
                _ => None,
            },
            Kind::Timestamp(unit, zone) => {
                let meaning = Meaning::Timestamp {
                    per_second: per_second(*unit),
                    universal: zone.is_some(),
                };
                let open = match unit {
                    TimeUnit::Second => numbers::<TimestampSecondType>,
                    TimeUnit::Millisecond => numbers::<TimestampMillisecondType>,
                    TimeUnit::Microsecond => numbers::<TimestampMicrosecondType>,
                    TimeUnit::Nanosecond => numbers::<TimestampNanosecondType>,
                };
                Some(reading(meaning, open))
            }
            Kind::Decimal32(digits, scale) => decimal(*digits, *scale, numbers::<Decimal32Type>),
            Kind::Decimal64(digits, scale) => decimal(*digits, *scale, numbers::<Decimal64Type>),
            Kind::Decimal128(digits, scale) => decimal(*digits, *scale, numbers::<Decimal128Type>),
            Kind::Dictionary(keys, values) => {
                let Reading { meaning, .. } = Reading::of(values)?;
                let open = match **keys {
                    Kind::Int8 => dictionary::<Int8Type>,
                    Kind::Int16 => dictionary::<Int16Type>,
                    Kind::Int32 => dictionary::<Int32Type>,
                    Kind::Int64 => dictionary::<Int64Type>,
                    Kind::UInt8 => dictionary::<UInt8Type>,
                    Kind::UInt16 => dictionary::<UInt16Type>,
                    Kind::UInt32 => dictionary::<UInt32Type>,
                    Kind::UInt64 => dictionary::<UInt64Type>,
                    _ => return None,
                };
                Some(reading(meaning, open))
            }
            _ => None,
        }
    }

    /// The cells of an array of this type.
    pub(super) fn open(self, array: &dyn Array) -> Box<dyn Cells> {
        (self.open)(array, self.meaning)
    }
}

type Open = fn(&dyn Array, Meaning) -> Box<dyn Cells>;

fn reading(meaning: Meaning, open: Open) -> Reading {
    Reading { meaning, open }
}

fn time(unit: TimeUnit, open: Open) -> Reading {
    let per_second = per_second(unit);
    reading(Meaning::Time { per_second }, open)
}

/// None if digits before the point are left out, or stand behind more than there are.
fn decimal(digits: u8, scale: i8, open: Open) -> Option<Reading> {
    let scale = u8::try_from(scale).ok().filter(|scale| *scale <= digits)?;
    let scale = usize::from(scale);
    Some(reading(Meaning::Decimal { scale }, open))
}

fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

struct Nulls;

impl Cells for Nulls {
    fn text<'a>(&'a self, _: usize, _: &'a mut String) -> &'a [u8] {
        b""
    }
}

impl Cells for BooleanArray {
    fn text<'a>(&'a self, row: usize, _: &'a mut String) -> &'a [u8] {
        match self.is_valid(row).then(|| self.value(row)) {
            None => b"",
            Some(true) => b"true",
            Some(false) => b"false",
        }
    }
}

struct Texts<T: ByteArrayType> {
    array: GenericByteArray<T>,
    recent: Recent<ShortText>,
}

fn texts<T: ByteArrayType>(array: &GenericByteArray<T>) -> Box<dyn Cells> {
    Box::new(Texts {
        recent: Recent::new(array.len()),
        array: array.clone(),
    })
}

fn position<O: OffsetSizeTrait>(offset: O) -> usize {
    offset.as_usize()
}

impl<T: ByteArrayType> Cells for Texts<T> {
    fn text<'a>(&'a self, row: usize, _: &'a mut String) -> &'a [u8] {
        match self.array.is_valid(row) {
            true => self.array.value(row).as_ref(),
            false => b"",
        }
    }

    fn number(
        &mut self,
        rows: Range<usize>,
        _: &mut String,
        texts: &mut Numbered,
        numbers: &mut Vec<u32>,
    ) -> Result<(), NotUtf8> {
        let Texts { array, recent } = self;
        let (bytes, ends) = (array.value_data(), array.value_offsets());
        let mut number = |start: T::Offset, end: T::Offset| {
            let (onward, length) = (&bytes[position(start)..], position(end - start));
            let find = |texts: &mut Numbered| texts.number(&onward[..length]);
            match ShortText::at(onward, length) {
                Some(mark) => recent.number(mark, || find(texts)),
                None => find(texts),
            }
        };
        if array.null_count() == 0 {
            let starts = &ends[rows.start..rows.end];
            let both = starts.iter().zip(&ends[rows.start + 1..=rows.end]);
            return extend_until_error(numbers, both, |(&start, &end)| number(start, end));
        }
        for row in rows {
            // The bytes of a null are nobody's.
            let end = ends[row + usize::from(array.is_valid(row))];
            numbers.push(number(ends[row], end)?);
        }
        Ok(())
    }
}

struct Views<T: ByteViewType> {
    array: GenericByteViewArray<T>,
    recent: Recent,
}

fn views<T: ByteViewType>(array: &GenericByteViewArray<T>) -> Box<dyn Cells> {
    Box::new(Views {
        recent: Recent::new(array.len()),
        array: array.clone(),
    })
}

impl<T: ByteViewType> Cells for Views<T> {
    fn text<'a>(&'a self, row: usize, _: &'a mut String) -> &'a [u8] {
        match self.array.is_valid(row) {
            true => self.array.value(row).as_ref(),
            false => b"",
        }
    }

    /// A view holds a short text itself and says where a long one is, so equal views of an array are equal texts.
    fn number(
        &mut self,
        rows: Range<usize>,
        _: &mut String,
        texts: &mut Numbered,
        numbers: &mut Vec<u32>,
    ) -> Result<(), NotUtf8> {
        let Views { array, recent } = self;
        if array.null_count() == 0 {
            let views = &array.views()[rows.clone()];
            return recent.number_all(views, numbers, |at, _| {
                texts.number(array.value(rows.start + at).as_ref())
            });
        }
        for row in rows {
            numbers.push(match array.is_null(row) {
                true => texts.number(b"")?,
                false => recent.number(array.views()[row], || {
                    texts.number(array.value(row).as_ref())
                })?,
            });
        }
        Ok(())
    }
}

struct Numbers<T: ArrowPrimitiveType> {
    array: PrimitiveArray<T>,
    meaning: Meaning,
    recent: Recent,
}

fn numbers<T: ArrowPrimitiveType>(array: &dyn Array, meaning: Meaning) -> Box<dyn Cells>
where
    T::Native: AsText + Bits,
{
    let array = array.as_primitive::<T>().clone();
    Box::new(Numbers {
        recent: Recent::new(array.len()),
        array,
        meaning,
    })
}

/// The text of a number.
fn text_of<'a, N: AsText>(number: &'a N, meaning: Meaning, room: &'a mut String) -> &'a [u8] {
    number
        .as_text(meaning, room)
        .expect("the meaning was chosen for numbers of this type")
}

impl<T: ArrowPrimitiveType> Cells for Numbers<T>
where
    T::Native: AsText + Bits,
{
    fn text<'a>(&'a self, row: usize, room: &'a mut String) -> &'a [u8] {
        match self.array.is_null(row) {
            true => b"",
            false => text_of(&self.array.values()[row], self.meaning, room),
        }
    }

    fn number(
        &mut self,
        rows: Range<usize>,
        room: &mut String,
        texts: &mut Numbered,
        numbers: &mut Vec<u32>,
    ) -> Result<(), NotUtf8> {
        let Numbers {
            array,
            meaning,
            recent,
        } = self;
        if array.null_count() == 0 {
            return recent.number_all(&array.values()[rows], numbers, |_, value| {
                texts.number(text_of(&value, *meaning, room))
            });
        }
        for row in rows {
            numbers.push(match array.is_null(row) {
                true => texts.number(b"")?,
                false => {
                    let value = array.values()[row];
                    recent.number(value.bits(), || {
                        texts.number(text_of(&value, *meaning, room))
                    })?
                }
            });
        }
        Ok(())
    }
}

struct Keyed<K: ArrowDictionaryKeyType> {
    keys: PrimitiveArray<K>,
    values: Box<dyn Cells>,
    /// The number of each value, if that was asked.
    numbers: Vec<u32>,
}

/// Not asked yet, or without a number.
const UNKNOWN: u32 = WITHOUT_NUMBER;

fn dictionary<K: ArrowDictionaryKeyType>(array: &dyn Array, _: Meaning) -> Box<dyn Cells>
where
    K::Native: Bits,
{
    let dictionary = array.as_dictionary::<K>();
    let values = dictionary.values();
    let reading = Reading::of(values.data_type()).expect("the type of the values was checked");
    Box::new(Keyed {
        keys: dictionary.keys().clone(),
        values: reading.open(values.as_ref()),
        numbers: vec![UNKNOWN; values.len()],
    })
}

impl<K: ArrowDictionaryKeyType> Keyed<K>
where
    K::Native: Bits,
{
    /// Which value a row has; none for a null. Without values there are nulls only, and keys mean nothing.
    #[inline]
    fn key(&self, row: usize) -> Option<usize> {
        if self.keys.is_null(row) {
            return None;
        }
        let last = self.numbers.len().checked_sub(1)?;
        Some((self.keys.values()[row].bits() as usize).min(last))
    }
}

impl<K: ArrowDictionaryKeyType> Cells for Keyed<K>
where
    K::Native: Bits,
{
    fn text<'a>(&'a self, row: usize, room: &'a mut String) -> &'a [u8] {
        match self.key(row) {
            Some(key) => self.values.text(key, room),
            None => b"",
        }
    }

    fn number(
        &mut self,
        rows: Range<usize>,
        room: &mut String,
        texts: &mut Numbered,
        numbers: &mut Vec<u32>,
    ) -> Result<(), NotUtf8> {
        let before = numbers.len();
        if self.keys.null_count() == 0 && !self.numbers.is_empty() {
            // Most of the time all are known, and nothing has to be decided row by row.
            let last = self.numbers.len() - 1;
            let keys = self.keys.values()[rows.clone()].iter();
            numbers.extend(keys.map(|key| self.numbers[(key.bits() as usize).min(last)]));
            if !numbers[before..].contains(&UNKNOWN) {
                return Ok(());
            }
            numbers.truncate(before);
        }
        for row in rows {
            let Some(key) = self.key(row) else {
                numbers.push(texts.number(b"")?);
                continue;
            };
            let mut number = self.numbers[key];
            if number == UNKNOWN {
                number = texts.number(self.values.text(key, room))?;
                self.numbers[key] = number;
            }
            numbers.push(number);
        }
        Ok(())
    }
}
