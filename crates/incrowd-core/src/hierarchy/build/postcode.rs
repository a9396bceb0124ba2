//! UK postcodes, whose parts differ in length: `SW1A 1AA`, `M1 1AE`.

use super::{Recognized, Runs, label, recognized};
use crate::error::Error;
use crate::hierarchy::Hierarchy;

/// A postcode's parts; a value without the second half has no sector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Parts<'a> {
    area: &'a str,
    district: &'a str,
    sector: Option<char>,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Option<Parts<'a>> {
        let text = text.trim();
        let (outward, inward) = match text.split_once(' ') {
            Some((outward, inward)) => (outward, inward.trim_start()),
            None if text.len() >= 5 && text.is_ascii() => text.split_at(text.len() - 3),
            None => (text, ""),
        };
        let letters = outward.bytes().take_while(u8::is_ascii_uppercase).count();
        let area = &outward[..letters];
        let rest = &outward.as_bytes()[letters..];
        let is_district = match rest {
            [first] => first.is_ascii_digit(),
            [first, second] => {
                let ends = second.is_ascii_digit() || second.is_ascii_uppercase();
                first.is_ascii_digit() && ends
            }
            _ => false,
        };
        let is_unit = |byte: &u8| byte.is_ascii_uppercase();
        let sector = match inward.as_bytes() {
            [] => None,
            [sector, unit @ ..] if sector.is_ascii_digit() && unit.len() == 2 => unit
                .iter()
                .all(is_unit)
                .then_some(Some(char::from(*sector)))?,
            _ => return None,
        };
        let is_area = (1..=2).contains(&letters);
        (is_area && is_district).then_some(Parts {
            area,
            district: outward,
            sector,
        })
    }
}

/// Whether the text is a UK postcode with both halves.
pub(in crate::hierarchy) fn is_postcode(text: &str) -> bool {
    Parts::of(text).is_some_and(|parts| parts.sector.is_some())
}

/// Sector, district and area: `SW1A 1**`, `SW1A ***`, `SW* ***`.
///
/// A mask of equally many characters would mix areas of one letter with those of two. The letters before the first star
/// are the whole area: `M* ***` is Manchester and does not include `ME1`. Capital letters; the space may be omitted.
/// Values that are not postcodes are `other`.
///
/// # Errors
/// No values, or more than half of them are not postcodes.
///
/// ```
/// use incrowd_core::hierarchy::build::postcode;
/// let home = postcode("home", &["SW1A 1AA", "M1 1AE", "ME1 1AA"])?;
/// assert_eq!(
///     home.to_csv(),
///     "value,sector,district,area,any\nM1 1AE,M1 1**,M1 ***,M* ***,*\nME1 1AA,ME1 1**,ME1 ***,ME* ***,*\n\
///      SW1A 1AA,SW1A 1**,SW1A ***,SW* ***,*\n"
/// );
/// # Ok::<(), incrowd_core::Error>(())
/// ```
pub fn postcode(column: &str, values: &[&str]) -> Result<Hierarchy, Error> {
    let leaves = recognized(column, "UK postcodes", values, Parts::of)?;
    let other = label::other(leaves.iter().map(|&(_, text)| text));
    let mut runs = Runs::new("value", leaves.iter().map(|&(_, text)| text));
    type Part<'a> = fn(&Parts<'a>) -> String;
    let levels: [(&str, Part<'_>); 3] = [
        ("sector", |code| {
            format!("{} {}**", code.district, code.sector.unwrap_or('*'))
        }),
        ("district", |code| format!("{} ***", code.district)),
        ("area", |code| format!("{}* ***", code.area)),
    ];
    for (name, part) in levels {
        let group = |leaf: usize| match &leaves[leaf].0 {
            Recognized::Yes(code) => part(code),
            Recognized::No => other.clone(),
        };
        runs.merge(name.into(), group, |first, _, text| {
            text.push_str(&group(first));
        });
    }
    runs.finish(column, values)
}
