//! Stored values as bytes, end to end: the encoding of dictionaries, and of columns without one.

use parquet::data_type::{ByteArray, FixedLenByteArray, Int96};
use parquet::errors::ParquetError;

/// A value that can be stored like that.
pub(super) trait PlainValue: Sized {
    /// Takes a value from the front of `bytes`; one of a type with a fixed `length` has that many bytes.
    fn take(bytes: &mut &[u8], length: usize) -> Option<Self>;

    /// Appends the value.
    fn put(&self, bytes: &mut Vec<u8>);
}

/// Takes so many bytes from the front.
fn take_bytes<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

/// Takes the bytes of a text.
pub(super) fn take_text<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    take_bytes(bytes, u32::from_le_bytes(*length) as usize)
}

macro_rules! plain_numbers {
    ($($number:ty),*) => {$(
        impl PlainValue for $number {
            fn take(bytes: &mut &[u8], _: usize) -> Option<Self> {
                let (value, rest) = bytes.split_first_chunk()?;
                *bytes = rest;
                Some(<$number>::from_le_bytes(*value))
            }

            fn put(&self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

plain_numbers!(i32, i64, f32, f64);

impl PlainValue for Int96 {
    fn take(bytes: &mut &[u8], _: usize) -> Option<Self> {
        let [low, high, day] = [(); 3].map(|()| i32::take(bytes, 0));
        let mut value = Int96::new();
        value.set_data(low? as u32, high? as u32, day? as u32);
        Some(value)
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        self.data()
            .iter()
            .for_each(|&part| (part as i32).put(bytes));
    }
}

impl PlainValue for ByteArray {
    fn take(bytes: &mut &[u8], _: usize) -> Option<Self> {
        take_text(bytes).map(|text| ByteArray::from(text.to_vec()))
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&(self.len() as u32).to_le_bytes());
        bytes.extend_from_slice(self.data());
    }
}

impl PlainValue for FixedLenByteArray {
    fn take(bytes: &mut &[u8], length: usize) -> Option<Self> {
        take_bytes(bytes, length).map(|value| FixedLenByteArray::from(value.to_vec()))
    }

    fn put(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(self.data());
    }
}

pub(super) fn cut_short() -> ParquetError {
    ParquetError::EOF("a page is cut short".into())
}
