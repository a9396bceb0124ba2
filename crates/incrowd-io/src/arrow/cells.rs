//! One array to texts.

use crate::cell_text::{AsText, Meaning};
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, BooleanArray, GenericByteArray, GenericByteViewArray, PrimitiveArray};
use arrow_schema::{DataType, TimeUnit};

/// The cells of an array.
pub(super) trait Cells: Send {
    /// The text of a cell, made in `room` unless it is there already; empty for a null. Bytes are taken for text, and
    /// whoever asks has to check that they are.
    fn text<'a>(&'a self, row: usize, room: &'a mut String) -> &'a [u8];
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
            Kind::Utf8 => itself(|array, _| Box::new(array.as_string::<i32>().clone())),
            Kind::LargeUtf8 => itself(|array, _| Box::new(array.as_string::<i64>().clone())),
            Kind::Utf8View => itself(|array, _| Box::new(array.as_string_view().clone())),
            Kind::Binary => itself(|array, _| Box::new(array.as_binary::<i32>().clone())),
            Kind::LargeBinary => itself(|array, _| Box::new(array.as_binary::<i64>().clone())),
            Kind::BinaryView => itself(|array, _| Box::new(array.as_binary_view().clone())),
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
            Kind::Dictionary(_, values) => {
                let Reading { meaning, .. } = Reading::of(values)?;
                Some(reading(meaning, dictionary))
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

impl<T: ByteArrayType> Cells for GenericByteArray<T> {
    fn text<'a>(&'a self, row: usize, _: &'a mut String) -> &'a [u8] {
        match self.is_valid(row) {
            true => self.value(row).as_ref(),
            false => b"",
        }
    }
}

impl<T: ByteViewType> Cells for GenericByteViewArray<T> {
    fn text<'a>(&'a self, row: usize, _: &'a mut String) -> &'a [u8] {
        match self.is_valid(row) {
            true => self.value(row).as_ref(),
            false => b"",
        }
    }
}

struct Numbers<T: ArrowPrimitiveType> {
    array: PrimitiveArray<T>,
    meaning: Meaning,
}

fn numbers<T: ArrowPrimitiveType>(array: &dyn Array, meaning: Meaning) -> Box<dyn Cells>
where
    T::Native: AsText,
{
    let array = array.as_primitive::<T>().clone();
    Box::new(Numbers { array, meaning })
}

impl<T: ArrowPrimitiveType> Cells for Numbers<T>
where
    T::Native: AsText,
{
    fn text<'a>(&'a self, row: usize, room: &'a mut String) -> &'a [u8] {
        if self.array.is_null(row) {
            return b"";
        }
        self.array.values()[row]
            .as_text(self.meaning, room)
            .expect("the meaning was chosen for numbers of this type")
    }
}

struct Dictionary {
    /// The position of each value; none for a null.
    keys: Vec<Option<usize>>,
    values: Box<dyn Cells>,
}

fn dictionary(array: &dyn Array, _: Meaning) -> Box<dyn Cells> {
    let dictionary = array.as_any_dictionary();
    let values = dictionary.values();
    // Without values there are nulls only, and keys mean nothing.
    let keys = match values.is_empty() {
        true => vec![None; array.len()],
        false => {
            let keys = dictionary.normalized_keys().into_iter().enumerate();
            keys.map(|(row, key)| array.is_valid(row).then_some(key))
                .collect()
        }
    };
    let reading = Reading::of(values.data_type()).expect("the type of the values was checked");
    Box::new(Dictionary {
        keys,
        values: reading.open(values.as_ref()),
    })
}

impl Cells for Dictionary {
    fn text<'a>(&'a self, row: usize, room: &'a mut String) -> &'a [u8] {
        match self.keys[row] {
            Some(key) => self.values.text(key, room),
            None => b"",
        }
    }
}
