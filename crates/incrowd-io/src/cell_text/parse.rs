//! One text to the stored value it was made from: [`super::show`] backwards.

use super::{MILLISECONDS_OF_DAY, Meaning};

/// None if the text is no value with this meaning.
pub(crate) fn whole_number(text: &str, meaning: Meaning) -> Option<i64> {
    match meaning {
        Meaning::Itself => text.parse().ok(),
        Meaning::Decimal { scale } => i64::try_from(decimal(text, scale)?).ok(),
        Meaning::Date => date(text),
        Meaning::DateInMilliseconds if text.contains('T') => {
            whole_number(text, Meaning::MILLISECONDS_SINCE_1970)
        }
        Meaning::DateInMilliseconds => date(text)?.checked_mul(MILLISECONDS_OF_DAY),
        Meaning::Time { per_second } => i64::try_from(time(text, per_second)?).ok(),
        Meaning::Timestamp {
            per_second,
            universal,
        } => i64::try_from(timestamp(text, per_second, universal)?).ok(),
        Meaning::Unsigned | Meaning::Uuid => None,
    }
}

/// The number without its point, which must stand before `scale` digits.
pub(crate) fn decimal(text: &str, scale: usize) -> Option<i128> {
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
pub(crate) fn timestamp(text: &str, per_second: i64, universal: bool) -> Option<i128> {
    let text = match universal {
        true => text.strip_suffix('Z')?,
        false => text,
    };
    let (date, time) = text.split_once('T')?;
    let day = i128::from(self::date(date)?) * 86_400 * i128::from(per_second);
    Some(day + self::time(time, per_second)?)
}
