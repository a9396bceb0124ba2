//! One text to the stored value it was made from: the inverse of [`super::value`].

use crate::stored_type::{Meaning, StoredType};
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

fn whole_number(text: &str, meaning: Meaning) -> Option<i64> {
    match meaning {
        Meaning::Itself => text.parse().ok(),
        Meaning::Decimal { scale } => i64::try_from(decimal(text, scale)?).ok(),
        Meaning::Date => date(text),
        Meaning::Time { per_second } => i64::try_from(time(text, per_second)?).ok(),
        Meaning::Timestamp {
            per_second,
            universal,
        } => i64::try_from(timestamp(text, per_second, universal)?).ok(),
        Meaning::Unsigned | Meaning::Uuid => None,
    }
}

/// The number without its decimal point, which must precede `scale` digits.
fn decimal(text: &str, scale: usize) -> Option<i128> {
    let (whole, part) = match scale {
        0 => (text, ""),
        _ => text.split_once('.')?,
    };
    let is_whole = part.len() == scale && part.bytes().all(|byte| byte.is_ascii_digit());
    is_whole.then(|| format!("{whole}{part}").parse().ok())?
}

/// Days since 1970. H. Hinnant, chrono-Compatible Low-Level Date Algorithms, `days_from_civil`.
fn date(text: &str) -> Option<i64> {
    let (rest, day) = text.rsplit_once('-')?;
    let (year, month) = rest.rsplit_once('-')?;
    let (year, month, day): (i64, i64, i64) =
        (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

/// The time of a day, in so many parts of a second.
fn time(text: &str, per_second: i64) -> Option<i128> {
    let (clock, part) = text.split_once('.').unwrap_or((text, ""));
    let mut numbers = clock.split(':').map(|number| number.parse::<i128>().ok());
    let (hours, minutes, seconds) = (numbers.next()??, numbers.next()??, numbers.next()??);
    if numbers.next().is_some() || part.len() > 9 {
        return None;
    }
    let nanoseconds: i128 = match part {
        "" => 0,
        part => format!("{part:0<9}").parse().ok()?,
    };
    let part_of_second = 1_000_000_000 / i128::from(per_second);
    if nanoseconds % part_of_second != 0 {
        return None;
    }
    let seconds = (hours * 60 + minutes) * 60 + seconds;
    Some(seconds * i128::from(per_second) + nanoseconds / part_of_second)
}

/// The time since 1970, in so many parts of a second.
fn timestamp(text: &str, per_second: i64, universal: bool) -> Option<i128> {
    let text = match universal {
        true => text.strip_suffix('Z')?,
        false => text,
    };
    let (date, time) = text.split_once('T')?;
    let day = i128::from(self::date(date)?) * 86_400 * i128::from(per_second);
    Some(day + self::time(time, per_second)?)
}
