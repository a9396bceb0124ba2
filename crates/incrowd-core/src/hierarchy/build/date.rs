//! Dates by calendar: the day, its month, its year.

use super::{Runs, read_sorted};
use crate::error::Error;
use crate::hierarchy::Hierarchy;
use crate::table::parse_date;
use jiff::civil::Date;

/// A calendar period that a date may be published as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DateLevel {
    /// `2024-W20`, the week of ISO 8601. Weeks cross months and years, so nothing but `*` stands above.
    Week,
    /// `2024-05`
    Month,
    /// `2024-Q2`
    Quarter,
    /// `2024`
    Year,
    /// `2020-2029`
    Decade,
}

impl DateLevel {
    /// All periods, finer before coarser.
    pub const ALL: [DateLevel; 5] = [
        DateLevel::Week,
        DateLevel::Month,
        DateLevel::Quarter,
        DateLevel::Year,
        DateLevel::Decade,
    ];

    /// What it is called in `date:month,year`.
    pub fn name(self) -> &'static str {
        match self {
            DateLevel::Week => "week",
            DateLevel::Month => "month",
            DateLevel::Quarter => "quarter",
            DateLevel::Year => "year",
            DateLevel::Decade => "decade",
        }
    }

    /// Year and period within it, equal for dates of one period.
    pub(crate) fn period(self, date: Date) -> (i16, i8) {
        match self {
            DateLevel::Week => {
                let week = date.iso_week_date();
                (week.year(), week.week())
            }
            DateLevel::Month => (date.year(), date.month()),
            DateLevel::Quarter => (date.year(), (date.month() + 2) / 3),
            DateLevel::Year => (date.year(), 0),
            DateLevel::Decade => (date.year().div_euclid(10) * 10, 0),
        }
    }

    fn label(self, date: Date) -> String {
        let (year, part) = self.period(date);
        match self {
            DateLevel::Week => format!("{year:04}-W{part:02}"),
            DateLevel::Month => format!("{year:04}-{part:02}"),
            DateLevel::Quarter => format!("{year:04}-Q{part}"),
            DateLevel::Year => format!("{year:04}"),
            DateLevel::Decade => format!("{year:04}-{:04}", year + 9),
        }
    }
}

/// Dates by the given periods, one per level, finer before coarser.
///
/// # Errors
/// Values that are not dates written `YYYY-MM-DD`; periods that do not nest, or none.
///
/// ```
/// use incrowd_core::hierarchy::build::{DateLevel, date};
/// let born = date("born", &["2024-05-17", "2023-12-31"], &[DateLevel::Month, DateLevel::Year])?;
/// assert_eq!(
///     born.to_csv(),
///     "day,month,year,any\n2023-12-31,2023-12,2023,*\n2024-05-17,2024-05,2024,*\n"
/// );
/// # Ok::<(), incrowd_core::Error>(())
/// ```
pub fn date(column: &str, values: &[&str], levels: &[DateLevel]) -> Result<Hierarchy, Error> {
    check_periods(levels)?;
    let dates = read_sorted(values, parse_date).map_err(|unread| Error::NotDates {
        column: column.into(),
        values: unread.values,
        first: unread.first,
    })?;
    let mut runs = Runs::new("day", dates.iter().map(|date| date.text));
    for level in levels {
        runs.merge(
            level.name().into(),
            |leaf| level.period(dates[leaf].meaning),
            |first, _, text| text.push_str(&level.label(dates[first].meaning)),
        );
    }
    runs.finish(column, values)
}

/// Refuses periods that are none or do not nest.
pub(crate) fn check_periods(levels: &[DateLevel]) -> Result<(), Error> {
    if levels.is_empty() {
        return Err(Error::HierarchySpecParameter {
            builder: "date",
            expected: "one or more of week, month, quarter, year, decade",
        });
    }
    let nests = |pair: &[DateLevel]| pair[0] < pair[1] && pair[0] != DateLevel::Week;
    match levels.windows(2).position(|pair| !nests(pair)) {
        None => Ok(()),
        Some(at) => Err(Error::HierarchySpecNotNested {
            builder: "date",
            level: at + 2,
            rule: "months make quarters, quarters years, years decades; weeks make none of these",
        }),
    }
}
