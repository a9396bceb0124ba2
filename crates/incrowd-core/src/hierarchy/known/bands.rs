//! Bands of numbers as tables publish them: `under 18`, `18-24`, `25 to 34 years`, `65+`.

/// Words that name the unit and say nothing about the band.
const UNITS: [&str; 12] = [
    "years", "year", "yrs", "yr", "y", "old", "jahre", "ans", "años", "anni", "k", "of age",
];

/// Where a band starts and ends, in thousandths; a single number is not a band. Bands without a bound are unlimited.
pub(in crate::hierarchy) fn band(text: &str) -> Option<(i128, i128)> {
    let text = text.trim().to_lowercase();
    let text = text
        .trim_start_matches(['[', '('])
        .trim_end_matches([']', ')']);
    let text = text
        .replace(['\u{2013}', '\u{2014}'], "-")
        .replace(['$', '€'], "");
    let mut text = text.trim();
    while let Some(rest) = UNITS.iter().find_map(|unit| text.strip_suffix(unit)) {
        // `18k` ends in a unit, `risky` does not.
        match rest.trim_end() {
            before if before.len() < rest.len() || before.ends_with(is_digit) => text = before,
            _ => break,
        }
    }
    let text = text.trim();
    for start in ["under", "below", "less than", "<", "unter", "moins de"] {
        if let Some(rest) = text.strip_prefix(start) {
            return Some((i128::MIN, number(rest.trim_start_matches('='))?));
        }
    }
    for start in ["over", "above", "more than", ">", "über", "plus de"] {
        if let Some(rest) = text.strip_prefix(start) {
            return Some((number(rest.trim_start_matches('='))?, i128::MAX));
        }
    }
    for end in [
        "+",
        "and over",
        "and above",
        "and older",
        "or more",
        "or older",
        "u. älter",
    ] {
        if let Some(rest) = text.strip_suffix(end) {
            return Some((number(rest)?, i128::MAX));
        }
    }
    for between in [" to ", " bis ", " - ", "-", "..", ","] {
        for (at, _) in text.match_indices(between).filter(|&(at, _)| at > 0) {
            let (low, high) = (&text[..at], &text[at + between.len()..]);
            if let (Some(low), Some(high)) = (number(low), number(high))
                && low <= high
            {
                return Some((low, high));
            }
        }
    }
    None
}

fn is_digit(letter: char) -> bool {
    letter.is_ascii_digit()
}

/// A number in thousandths.
fn number(text: &str) -> Option<i128> {
    let mut text = text.trim();
    if let Some(rest) = UNITS.iter().find_map(|unit| text.strip_suffix(unit)) {
        text = rest.trim_end();
    }
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{fraction:0<3}");
    let is_number = !whole.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || fraction.len() > 3 || digits.len() > 18 {
        return None;
    }
    let size: i128 = digits.parse().ok()?;
    Some(if negative { -size } else { size })
}
