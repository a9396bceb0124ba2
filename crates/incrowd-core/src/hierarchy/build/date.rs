//! Dates by calendar: the day, its month, its year.

use super::{Runs, label, present, read_sorted};
use crate::error::Error;
use crate::hierarchy::Hierarchy;
use crate::table::{DateForm, DateForms};
use jiff::civil::Date;

/// A calendar period that a date may be published as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DateLevel {
    /// `2024-05-17`, whatever the time of day.
    Day,
    /// `2024-W20`, the week of ISO 8601. Weeks cross months and years, so only `*` is above.
    Week,
    /// `2024-05`
    Month,
    /// `2024-Q2`
    Quarter,
    /// `2024`
    Year,
    /// `[2020-2029]`
    Decade,
}

impl DateLevel {
    /// All periods, finer before coarser.
    pub const ALL: [DateLevel; 6] = [
        DateLevel::Day,
        DateLevel::Week,
        DateLevel::Month,
        DateLevel::Quarter,
        DateLevel::Year,
        DateLevel::Decade,
    ];

    /// Its name in `date:month,year`.
    pub fn name(self) -> &'static str {
        match self {
            DateLevel::Day => "day",
            DateLevel::Week => "week",
            DateLevel::Month => "month",
            DateLevel::Quarter => "quarter",
            DateLevel::Year => "year",
            DateLevel::Decade => "decade",
        }
    }

    /// Year and period within it, equal for dates of one period.
    pub(crate) fn period(self, date: Date) -> (i16, i16) {
        match self {
            DateLevel::Day => (date.year(), date.day_of_year()),
            DateLevel::Week => {
                let week = date.iso_week_date();
                (week.year(), week.week().into())
            }
            DateLevel::Month => (date.year(), date.month().into()),
            DateLevel::Quarter => (date.year(), i16::from(date.month() + 2) / 3),
            DateLevel::Year => (date.year(), 0),
            DateLevel::Decade => (date.year().div_euclid(10) * 10, 0),
        }
    }

    fn label(self, date: Date) -> String {
        let (year, part) = self.period(date);
        match self {
            DateLevel::Day => format!("{year:04}-{:02}-{:02}", date.month(), date.day()),
            DateLevel::Week => format!("{year:04}-W{part:02}"),
            DateLevel::Month => format!("{year:04}-{part:02}"),
            DateLevel::Quarter => format!("{year:04}-Q{part}"),
            DateLevel::Year => format!("{year:04}"),
            DateLevel::Decade => {
                label::interval(&format!("{year:04}"), &format!("{:04}", year + 9))
            }
        }
    }
}

/// Dates by the given periods, one per level, finer before coarser.
///
/// Days may have times after them and be written in any [`DateForm`]; without `form` it is the one that parses every
/// value.
///
/// # Errors
/// Values that are not dates of one form; dates in which the day or the month could come first, if a period finer than
/// a year is requested and `form` does not say; periods that do not nest, or none.
///
/// ```
/// use incrowd_core::hierarchy::build::{DateLevel, date};
/// let born = date("born", &["17.05.2024", "31.12.2023"], &[DateLevel::Month, DateLevel::Year], None)?;
/// assert_eq!(
///     born.to_csv(),
///     "value,month,year,any\n31.12.2023,2023-12,2023,*\n17.05.2024,2024-05,2024,*\n"
/// );
/// # Ok::<(), incrowd_core::Error>(())
/// ```
pub fn date(
    column: &str,
    values: &[&str],
    levels: &[DateLevel],
    form: Option<DateForm>,
) -> Result<Hierarchy, Error> {
    check_periods(levels)?;
    let forms = DateForms::of(present(values).map(|(_, value)| value));
    let is_fine = |level: &DateLevel| *level < DateLevel::Year;
    if form.is_none() && forms.is_ambiguous() && levels.iter().any(is_fine) {
        return Err(Error::DatesAmbiguous {
            column: column.into(),
        });
    }
    let form = form.or(forms.found()).unwrap_or_else(|| most_read(values));
    let dates = read_sorted(values, |text| form.read(text)).map_err(|unread| Error::NotDates {
        column: column.into(),
        values: unread.values,
        first: unread.first,
    })?;
    let day = |leaf: usize| dates[leaf].meaning.date();
    let mut runs = Runs::new("value", dates.iter().map(|date| date.text));
    for level in levels {
        runs.merge(
            level.name().into(),
            |leaf| level.period(day(leaf)),
            |first, _, text| text.push_str(&level.label(day(first))),
        );
    }
    runs.in_order().finish(column, values)
}

/// The form that parses the most values, for the count of those it does not.
fn most_read(values: &[&str]) -> DateForm {
    let forms = DateForm::ALL.into_iter().rev(); // the first of equals
    let read = |form: &DateForm| {
        let texts = present(values).map(|(_, text)| text);
        texts.filter(|text| form.read(text).is_some()).count()
    };
    forms.max_by_key(read).unwrap_or(DateForm::YearFirst)
}

/// Refuses periods that are none or do not nest.
pub(crate) fn check_periods(levels: &[DateLevel]) -> Result<(), Error> {
    if levels.is_empty() {
        return Err(Error::HierarchySpecParameter {
            builder: "date",
            expected: "one or more of day, week, month, quarter, year, decade",
        });
    }
    let nests = |pair: &[DateLevel]| pair[0] < pair[1] && pair[0] != DateLevel::Week;
    match levels.windows(2).position(|pair| !nests(pair)) {
        None => Ok(()),
        Some(at) => Err(Error::HierarchySpecNotNested {
            builder: "date",
            level: at + 2,
            rule: "days form months, months quarters, quarters years, years decades; weeks form none of these",
        }),
    }
}
