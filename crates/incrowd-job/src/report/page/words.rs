//! Phrases that every page is written with.

use super::html::{Html, element};
use crate::report::digits::few_digits;
use incrowd_plot::grouped;

/// A paragraph; what stands in backticks is set as code.
pub(crate) fn paragraph(text: impl AsRef<str>) -> Html {
    element("p", Html::prose(text))
}

/// `1 row`, `2 rows`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        number => format!("{} {many}", grouped(number as f64)),
    }
}

/// `a, b and c`.
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// With an upper-case first letter.
pub(crate) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// A share as it is printed.
pub(crate) fn percent(share: f64) -> String {
    match 100.0 * share {
        percent if percent == 0.0 || percent >= 9.95 => format!("{percent:.0} %"),
        percent if percent < 0.05 => "< 0.1 %".to_owned(),
        percent => format!("{percent:.1} %"),
    }
}

/// The same in a sentence.
pub(crate) fn percent_in_words(share: f64) -> String {
    percent(share).replace('<', "less than")
}

/// A shape of releases in plain words, and the term that explains it.
pub(crate) fn shape(recoding: &str) -> (&'static str, &'static str) {
    match recoding {
        "full-domain" => ("the same level for all values of a column", "full-domain"),
        "cuts" => ("a level for each branch of a column's values", "cut"),
        "partitions" => ("freely formed groups of a column's values", "partition"),
        _ => ("separate ranges of values for every class", "region"),
    }
}

/// A name of a registry without what is set about it.
pub(crate) fn bare(spec: &str) -> &str {
    spec.split('(').next().unwrap_or(spec)
}

/// A loss, in groups of three digits where it is long.
pub(crate) fn figure(loss: f64) -> String {
    match loss.abs() {
        size if (1e4..1e9).contains(&size) => grouped(loss.round()),
        _ => few_digits(loss),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_have_as_many_digits_as_help() {
        let shares = [0.0, 0.0001, 0.0123, 0.0994, 0.0996, 0.5, 1.0];
        let texts = ["0 %", "< 0.1 %", "1.2 %", "9.9 %", "10 %", "50 %", "100 %"];
        assert_eq!(shares.map(percent), texts);
    }
}
