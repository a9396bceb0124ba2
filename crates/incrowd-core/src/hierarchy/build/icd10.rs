//! Diagnoses by the International Classification of Diseases, tenth revision.

use super::{Recognized, Runs, label, recognized};
use crate::error::Error;
use crate::hierarchy::{Hierarchy, known};

/// Whether the text looks like a code of ICD-10 or one of its national versions and is in a chapter: a letter, a digit,
/// a third character, and up to four more, usually after a dot.
pub(in crate::hierarchy) fn is_icd10(text: &str) -> bool {
    let text = text.trim();
    let (category, rest) = match text.split_at_checked(3) {
        Some(parts) => parts,
        None => return false,
    };
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    let shape = match category.as_bytes() {
        [letter, first, second] => {
            letter.is_ascii_alphabetic() && first.is_ascii_digit() && second.is_ascii_alphanumeric()
        }
        _ => false,
    };
    let is_detail = |byte: u8| byte.is_ascii_alphanumeric() || b"-+*!".contains(&byte);
    let is_code = shape && rest.len() <= 5 && rest.bytes().all(is_detail) && !text.ends_with('.');
    is_code && known::icd10_chapter(&category.to_ascii_uppercase()).is_some()
}

/// The category, the first two characters, the chapter: `E11.*`, `E1*`, `[E00-E90]`.
///
/// Chapters are ranges of categories; no two categories with the same first two characters are in different chapters.
/// Values that are not codes are `other`.
///
/// # Errors
/// No values, or more than half of them are not codes.
///
/// ```
/// use incrowd_core::hierarchy::build::icd10;
/// let cause = icd10("cause", &["E11.9", "I10", "D50.0", "D48.1"])?;
/// assert_eq!(
///     cause.to_csv(),
///     "value,category,group,chapter,any\nD48.1,D48.*,D4*,[C00-D49],*\nD50.0,D50.*,D5*,[D50-D89],*\n\
///      E11.9,E11.*,E1*,[E00-E90],*\nI10,I10.*,I1*,[I00-I99],*\n"
/// );
/// # Ok::<(), incrowd_core::Error>(())
/// ```
pub fn icd10(column: &str, values: &[&str]) -> Result<Hierarchy, Error> {
    let code = |text: &str| is_icd10(text).then(|| text.trim().to_ascii_uppercase());
    let leaves = recognized(column, "ICD-10 codes", values, code)?;
    let other = label::other(leaves.iter().map(|&(_, text)| text));
    let has_points = leaves.iter().any(|(_, text)| text.contains('.'));
    let point = if has_points { "." } else { "" };
    let mut runs = Runs::new("value", leaves.iter().map(|&(_, text)| text));
    for name in ["category", "group", "chapter"] {
        let group = |leaf: usize| match &leaves[leaf].0 {
            Recognized::No => other.clone(),
            Recognized::Yes(code) => match name {
                "category" => format!("{}{point}*", &code[..3]),
                "group" => format!("{}*", &code[..2]),
                _ => known::icd10_chapter(&code[..3])
                    .map_or_else(String::new, |(low, high)| label::interval(low, high)),
            },
        };
        runs.merge(name.into(), group, |first, _, text| {
            text.push_str(&group(first));
        });
    }
    runs.finish(column, values)
}
