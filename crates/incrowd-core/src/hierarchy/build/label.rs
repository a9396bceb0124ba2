//! The one style of labels: `[low-high]` for ranges, both ends included; `{a, b}` for lists.
//!
//! Negative bounds keep their sign (`[-5--2]`), a single bound has no brackets (`17`), codes are masked (`450**`).
//! Groups that no hierarchy names are written the same way by [`crate::hierarchy`]'s users.

/// From one bound to another, both included.
pub(super) fn interval(low: &str, high: &str) -> String {
    match low == high {
        true => low.to_owned(),
        false => format!("[{low}-{high}]"),
    }
}

/// A list of values; a single one is written without brackets.
pub(super) fn set(values: &[&str]) -> String {
    match values {
        [value] => (*value).to_owned(),
        values => {
            let elements: Vec<String> = values.iter().map(|value| element(value)).collect();
            format!("{{{}}}", elements.join(", "))
        }
    }
}

/// A value as an element of a set, quoted if it could be misread.
fn element(value: &str) -> String {
    let is_plain = !value.is_empty() && value.trim() == value && !value.contains(['"', ',']);
    match is_plain {
        true => value.to_owned(),
        false => format!("\"{}\"", value.replace('"', "\"\"")),
    }
}

/// A text for "all the others" that no value has, whatever its case.
pub(super) fn other<'a>(values: impl Iterator<Item = &'a str> + Clone) -> String {
    let is_free = |text: &String| {
        let same = |value: &str| value.trim().eq_ignore_ascii_case(text);
        !values.clone().any(same)
    };
    let numbered = (2..).map(|number| format!("any other ({number})"));
    let mut texts = ["other".to_owned(), "any other".to_owned()]
        .into_iter()
        .chain(numbered);
    texts
        .find(is_free)
        .expect("there are more numbers than values")
}
