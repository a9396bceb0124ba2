//! The ways people write days and moments: `2024-12-24T18:30Z`, `24.12.2024`, `12/24/2024`, `24 Dec 2024`.
//!
//! One text may be read in two ways (`01/02/2024`), so the form is decided for a whole column ([`DateForms`]): the one
//! that parses every value. If two do and disagree, only the year is certain, and the code does not guess.

use jiff::civil::{Date, DateTime, Time};

/// A way to write a day, with or without a time after it.
///
/// After the day may follow a `T` or a blank, a time (`18:30`, `18:30:00`, `18:30:00.25`, `6:30 PM`) and a zone (`Z`,
/// `+01:00`, `UTC`). The day is taken as written: a time zone does not shift it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DateForm {
    /// `2024-12-24`, `2024/12/24`, `2024.12.24`.
    YearFirst,
    /// `24.12.2024`, `24/12/2024`, `24-12-2024`.
    DayFirst,
    /// `12/24/2024`, `12-24-2024`.
    MonthFirst,
    /// `24 Dec 2024`, `24-Dec-2024`, `December 24, 2024`.
    MonthName,
    /// `20241224`, for years from 1800 to 2199.
    Digits,
}

impl DateForm {
    /// All forms.
    pub const ALL: [DateForm; 5] = [
        DateForm::YearFirst,
        DateForm::DayFirst,
        DateForm::MonthFirst,
        DateForm::MonthName,
        DateForm::Digits,
    ];

    /// Its name in `date:month,year@day-first`.
    pub fn name(self) -> &'static str {
        match self {
            DateForm::YearFirst => "year-first",
            DateForm::DayFirst => "day-first",
            DateForm::MonthFirst => "month-first",
            DateForm::MonthName => "month-name",
            DateForm::Digits => "digits",
        }
    }

    /// Reads a moment written in this form; a day without a time is its first moment.
    pub fn read(self, text: &str) -> Option<DateTime> {
        let text = text.trim();
        let (date, rest) = match self {
            DateForm::YearFirst => {
                let ([year, month, day], _, rest) = three_numbers(text)?;
                (of_texts(year, month, day)?, rest)
            }
            DateForm::DayFirst => {
                let ([day, month, year], _, rest) = three_numbers(text)?;
                (of_texts(year, month, day)?, rest)
            }
            DateForm::MonthFirst => {
                let ([month, day, year], between, rest) = three_numbers(text)?;
                // Dates with dots never start with the month.
                ((between != '.').then(|| of_texts(year, month, day))??, rest)
            }
            DateForm::MonthName => month_by_name(text)?,
            DateForm::Digits => {
                let digits = text.get(..8)?;
                let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
                let date = all_digits.then(|| of_texts(&digits[..4], &digits[4..6], &digits[6..]));
                let date = date.flatten()?;
                ((1800..2200).contains(&date.year())).then_some((date, &text[8..]))?
            }
        };
        Some(date.to_datetime(time_after(rest)?))
    }
}

/// The forms that read every value seen so far.
///
/// ```
/// use incrowd_core::table::{DateForm, DateForms};
/// let mut forms = DateForms::default();
/// forms.see("03/04/2024");
/// assert!(forms.is_ambiguous());
/// forms.see("24/04/2024");
/// assert_eq!(forms.found(), Some(DateForm::DayFirst));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateForms {
    reads: [bool; DateForm::ALL.len()],
    /// Whether day-first and month-first read some value as two different days.
    differ: bool,
    any: bool,
    has_times: bool,
}

impl Default for DateForms {
    fn default() -> Self {
        DateForms {
            reads: [true; DateForm::ALL.len()],
            differ: false,
            any: false,
            has_times: false,
        }
    }
}

impl DateForms {
    /// The forms of these values.
    pub fn of<'a>(values: impl IntoIterator<Item = &'a str>) -> DateForms {
        let mut forms = DateForms::default();
        for value in values {
            forms.see(value);
            if !forms.are_dates() {
                break;
            }
        }
        forms
    }

    /// Takes one more value into account.
    pub fn see(&mut self, text: &str) {
        self.any = true;
        let mut moments = [None; DateForm::ALL.len()];
        for (at, form) in DateForm::ALL.into_iter().enumerate() {
            if self.reads[at] {
                moments[at] = form.read(text);
                self.reads[at] = moments[at].is_some();
            }
        }
        let [_, day_first, month_first, ..] = moments;
        self.differ |= day_first.is_some() && month_first.is_some() && day_first != month_first;
        let times = moments.into_iter().flatten().map(DateTime::time);
        self.has_times |= times.into_iter().any(|time| time != Time::midnight());
    }

    /// Takes the values into account that `other` has seen.
    pub fn absorb(&mut self, other: DateForms) {
        for (ours, theirs) in self.reads.iter_mut().zip(other.reads) {
            *ours &= theirs;
        }
        self.differ |= other.differ;
        self.any |= other.any;
        self.has_times |= other.has_times;
    }

    /// Whether there are values, and some form reads all of them.
    pub fn are_dates(&self) -> bool {
        self.any && self.reads.contains(&true)
    }

    /// Whether some value has a time of day.
    pub fn has_times(&self) -> bool {
        self.has_times
    }

    /// Whether every value can be read with the day first and with the month first, and not all mean the same.
    pub fn is_ambiguous(&self) -> bool {
        let [_, day_first, month_first, ..] = self.reads;
        self.any && day_first && month_first && self.differ
    }

    /// The form that reads every value. If day-first and month-first both do, it is day-first;
    /// [`DateForms::is_ambiguous`] says whether that is a guess.
    pub fn found(&self) -> Option<DateForm> {
        let mut forms = DateForm::ALL.into_iter().zip(self.reads);
        let found = forms.find(|(_, reads)| *reads).map(|(form, _)| form);
        found.filter(|_| self.any)
    }
}

/// Three numbers with one and the same sign between them, that sign, and what follows.
fn three_numbers(text: &str) -> Option<([&str; 3], char, &str)> {
    let (first, rest) = digits(text)?;
    let between = rest.chars().next()?;
    if !matches!(between, '-' | '/' | '.') {
        return None;
    }
    let (second, rest) = digits(&rest[1..])?;
    let (third, rest) = digits(rest.strip_prefix(between)?)?;
    Some(([first, second, third], between, rest))
}

/// The digits at the start, at least one, and what follows.
fn digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit());
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    (!digits.is_empty()).then_some((digits, rest))
}

/// A year of four digits, a month and a day of one or two. Two digits do not determine the century.
fn of_texts(year: &str, month: &str, day: &str) -> Option<Date> {
    if year.len() != 4 || month.len() > 2 || day.len() > 2 {
        return None;
    }
    Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok()
}

/// `24 Dec 2024` or `Dec 24, 2024`, and what follows.
fn month_by_name(text: &str) -> Option<(Date, &str)> {
    let skip = |text: &str| -> usize {
        let between = |letter: char| matches!(letter, ' ' | '-' | '.' | ',' | '/');
        text.len() - text.trim_start_matches(between).len()
    };
    let word = |text: &str| {
        let end = text.find(|letter: char| !letter.is_ascii_alphabetic());
        end.unwrap_or(text.len())
    };
    let (day, month, rest) = if text.starts_with(|letter: char| letter.is_ascii_digit()) {
        let (day, rest) = digits(text)?;
        let rest = &rest[skip(rest)..];
        let (month, rest) = rest.split_at(word(rest));
        (day, month, rest)
    } else {
        let (month, rest) = text.split_at(word(text));
        let (day, rest) = digits(&rest[skip(rest)..])?;
        (day, month, rest)
    };
    let gap = skip(rest);
    let (year, rest) = digits(&rest[gap..])?;
    let month = month_number(month)?;
    let date = (gap > 0).then(|| of_texts(year, month, day)).flatten()?;
    Some((date, rest))
}

/// The number of an English month, written in full or by its first three letters.
fn month_number(name: &str) -> Option<&'static str> {
    const MONTHS: [(&str, &str); 12] = [
        ("january", "1"),
        ("february", "2"),
        ("march", "3"),
        ("april", "4"),
        ("may", "5"),
        ("june", "6"),
        ("july", "7"),
        ("august", "8"),
        ("september", "9"),
        ("october", "10"),
        ("november", "11"),
        ("december", "12"),
    ];
    let name = name.to_ascii_lowercase();
    let is_meant = |month: &str| name == month || (name.len() == 3 && month.starts_with(&name));
    let mut months = MONTHS.into_iter();
    months.find(|(month, _)| is_meant(month)).map(|(_, at)| at)
}

/// The time that follows a day; midnight when nothing does.
fn time_after(rest: &str) -> Option<Time> {
    if rest.is_empty() {
        return Some(Time::midnight());
    }
    let rest = rest.strip_prefix(['T', 't', ' '])?.trim_start();
    let (hour, rest) = digits(rest)?;
    let (minute, rest) = digits(rest.strip_prefix(':')?)?;
    let (second, rest) = match rest.strip_prefix(':') {
        Some(rest) => digits(rest)?,
        None => ("0", rest),
    };
    let (fraction, rest) = match rest.strip_prefix(['.', ',']) {
        Some(rest) => digits(rest)?,
        None => ("", rest),
    };
    if [hour, minute, second].iter().any(|part| part.len() > 2) {
        return None;
    }
    let rest = rest.trim_start();
    let half = rest.get(..2).map(str::to_ascii_lowercase);
    let (hour, rest) = match (half.as_deref(), hour.parse::<i8>().ok()?) {
        (Some("am"), hour @ 1..=12) => (hour % 12, &rest[2..]),
        (Some("pm"), hour @ 1..=12) => (hour % 12 + 12, &rest[2..]),
        (_, hour) => (hour, rest),
    };
    let nanoseconds = format!("{fraction:0<9}");
    let nanoseconds = nanoseconds.get(..9)?.parse().ok()?;
    let (minute, second) = (minute.parse().ok()?, second.parse().ok()?);
    // A leap second is published with the minute it ends.
    let time = Time::new(hour, minute, i8::min(second, 59), nanoseconds).ok()?;
    (second <= 60 && is_zone(rest.trim_start())).then_some(time)
}

fn is_zone(text: &str) -> bool {
    if matches!(text, "" | "Z" | "z" | "UTC" | "GMT") {
        return true;
    }
    let Some(offset) = text.strip_prefix(['+', '-', '\u{2212}']) else {
        return false;
    };
    let digits: String = offset.split(':').collect();
    matches!(digits.len(), 2 | 4) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(values: &[&str]) -> Option<DateForm> {
        DateForms::of(values.iter().copied()).found()
    }

    #[test]
    fn the_usual_forms_are_read() {
        let day = "2024-12-24T00:00:00";
        let evening = "2024-12-24T18:30:00";
        for (form, text, expected) in [
            (DateForm::YearFirst, "2024-12-24", day),
            (DateForm::YearFirst, "2024/12/24", day),
            (DateForm::YearFirst, "2024-12-24T18:30:00Z", evening),
            (
                DateForm::YearFirst,
                "2024-12-24 18:30:00.000+01:00",
                evening,
            ),
            (DateForm::YearFirst, "2024-12-24T18:30-0500", evening),
            (DateForm::YearFirst, "2024-12-24 18:30", evening),
            (DateForm::DayFirst, "24.12.2024", day),
            (DateForm::DayFirst, "24/12/2024", day),
            (DateForm::DayFirst, "24-12-2024 18:30", evening),
            (DateForm::MonthFirst, "12/24/2024", day),
            (DateForm::MonthFirst, "12/24/2024 6:30:00 PM", evening),
            (DateForm::MonthName, "24 Dec 2024", day),
            (DateForm::MonthName, "24-DEC-2024", day),
            (DateForm::MonthName, "December 24, 2024", day),
            (DateForm::Digits, "20241224", day),
        ] {
            let read = form.read(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(read.to_string(), expected, "{text}");
            assert_eq!(found(&[text]), Some(form), "{text}");
        }
        let midnight = DateForm::MonthFirst.read("1/2/2024 12:00 AM").unwrap();
        assert_eq!(midnight.time(), Time::midnight());
    }

    #[test]
    fn what_is_no_date_is_not_taken_for_one() {
        for text in [
            "",
            "2024",
            "12.24.2024",
            "2024-13-01",
            "2024-02-30",
            "24.12.24",
            "2024-12/24",
            "24 Foo 2024",
            "20241324",
            "10010101",
            "12345678",
            "2024-12-24T",
            "2024-12-24T25:00",
            "2024-12-24 18:30 local",
            "2024-12-24x",
            "1.2.3",
        ] {
            assert_eq!(found(&[text]), None, "{text}");
        }
        assert_eq!(found(&[]), None);
        // Each of the two is a date; no one form reads both.
        assert_eq!(found(&["24/12/2024", "12/24/2024"]), None);
        assert_eq!(found(&["24.12.2024", "2024-12-24"]), None);
    }

    #[test]
    fn the_values_decide_which_comes_first_and_doubt_is_said() {
        assert_eq!(
            found(&["01/02/2024", "24/12/2024"]),
            Some(DateForm::DayFirst)
        );
        assert_eq!(
            found(&["01/02/2024", "12/24/2024"]),
            Some(DateForm::MonthFirst)
        );
        let is_ambiguous = |values: &[&str]| DateForms::of(values.iter().copied()).is_ambiguous();
        assert!(is_ambiguous(&["01/02/2024", "03/03/2024"]));
        // Read either way these are the same days, and dots are never month-first.
        assert!(!is_ambiguous(&["02/02/2024", "03/03/2024"]));
        assert!(!is_ambiguous(&["01.02.2024"]));
        assert!(!is_ambiguous(&["01/02/2024", "24/12/2024"]));
    }

    proptest! {
        #[test]
        fn any_text_can_be_asked(text in "[0-9TZ:./ +-]{0,24}|\\PC{0,12}") {
            let _ = found(&[&text]);
        }

        #[test]
        fn what_is_seen_in_parts_is_seen_whole(
            days in prop::collection::vec((1_i8..=28, 1_i8..=12), 2..8), cut in 0_usize..8,
        ) {
            let texts: Vec<String> =
                days.iter().map(|(a, b)| format!("{a:02}/{b:02}/2024")).collect();
            let whole = DateForms::of(texts.iter().map(String::as_str));
            let cut = cut.min(texts.len());
            let mut parts = DateForms::of(texts[..cut].iter().map(String::as_str));
            parts.absorb(DateForms::of(texts[cut..].iter().map(String::as_str)));
            // What is no date in one part may have looked no further; what is one has seen all.
            prop_assert_eq!(parts.found(), whole.found());
            prop_assert_eq!(parts.is_ambiguous(), whole.is_ambiguous());
        }
    }
}
