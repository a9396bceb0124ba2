//! One text to the stored value it was made from: the inverse of [`super::value`].

use crate::cell_text::{Meaning, decimal, timestamp, whole_number};
use crate::stored_type::StoredType;
use parquet::data_type::{ByteArray, FixedLenByteArray, Int96};

/// A stored value that can be parsed from its text.
pub(super) trait FromText: Sized {
    /// None if the text is not a value of this type.
    fn from_text(text: &str, stored: &StoredType) -> Option<Self>;
}

impl FromText for bool {
    fn from_text(text: &str, _: &StoredType) -> Option<Self> {
        match text {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }
}

impl FromText for i32 {
    fn from_text(text: &str, stored: &StoredType) -> Option<Self> {
        match stored.meaning {
            Meaning::Unsigned => Some(text.parse::<u32>().ok()? as i32),
            _ => i32::try_from(whole_number(text, stored.meaning)?).ok(),
        }
    }
}

impl FromText for i64 {
    fn from_text(text: &str, stored: &StoredType) -> Option<Self> {
        match stored.meaning {
            Meaning::Unsigned => Some(text.parse::<u64>().ok()? as i64),
            meaning => whole_number(text, meaning),
        }
    }
}

impl FromText for Int96 {
    fn from_text(text: &str, _: &StoredType) -> Option<Self> {
        const FIRST_OF_1970: i64 = 2_440_588; // Days count from long ago there.
        let nanoseconds = timestamp(text, 1_000_000_000, false)?;
        let day = nanoseconds.div_euclid(86_400 * 1_000_000_000);
        let in_day = nanoseconds.rem_euclid(86_400 * 1_000_000_000) as u64;
        let mut value = Int96::new();
        let day = u32::try_from(i64::try_from(day).ok()? + FIRST_OF_1970).ok()?;
        value.set_data(in_day as u32, (in_day >> 32) as u32, day);
        Some(value)
    }
}

impl FromText for f32 {
    fn from_text(text: &str, _: &StoredType) -> Option<Self> {
        text.parse().ok()
    }
}

impl FromText for f64 {
    fn from_text(text: &str, _: &StoredType) -> Option<Self> {
        text.parse().ok()
    }
}

impl FromText for ByteArray {
    fn from_text(text: &str, stored: &StoredType) -> Option<Self> {
        match stored.meaning {
            Meaning::Decimal { scale } => {
                let bytes = decimal(text, scale)?.to_be_bytes();
                // The fewest bytes that still show the sign.
                let is_needed = |at: &usize| {
                    let sign = if bytes[0] >= 0x80 { 0xff } else { 0 };
                    bytes[*at] != sign || (bytes[at + 1] ^ bytes[*at]) >= 0x80
                };
                let start = (0..15).find(is_needed).unwrap_or(15);
                Some(ByteArray::from(bytes[start..].to_vec()))
            }
            _ => Some(ByteArray::from(text.as_bytes().to_vec())),
        }
    }
}

impl FromText for FixedLenByteArray {
    fn from_text(text: &str, stored: &StoredType) -> Option<Self> {
        let length = usize::try_from(stored.length).ok()?;
        let bytes = match stored.meaning {
            Meaning::Decimal { scale } => {
                let number = decimal(text, scale)?;
                let bytes = number.to_be_bytes();
                let sign = if number < 0 { 0xff } else { 0 };
                match length.checked_sub(16) {
                    Some(more) => [vec![sign; more], bytes.to_vec()].concat(),
                    None => {
                        let (beyond, kept) = bytes.split_at(16 - length);
                        let tells_sign = (kept.first()? ^ sign) < 0x80;
                        let fits = beyond.iter().all(|&byte| byte == sign) && tells_sign;
                        fits.then(|| kept.to_vec())?
                    }
                }
            }
            Meaning::Uuid => {
                let digits: String = text.split('-').collect();
                (digits.len() == 32).then_some(())?;
                u128::from_str_radix(&digits, 16)
                    .ok()?
                    .to_be_bytes()
                    .to_vec()
            }
            _ => return None,
        };
        (bytes.len() == length).then(|| FixedLenByteArray::from(bytes))
    }
}
