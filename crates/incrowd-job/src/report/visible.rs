//! User-supplied texts, made safe to show.
//!
//! Column names, labels and paths come from untrusted files. Printed verbatim, they could move the cursor, forge a line
//! of a report, or reverse the order of letters. Everything shown to people goes through [`visible`].

use incrowd_core::table::steers;
use std::borrow::Cow;
use std::fmt::Write;

/// The text in one line, with control characters escaped: a line break as `\n`, a terminal escape as `\u{1b}`.
///
/// ```
/// use incrowd_job::visible;
/// assert_eq!(visible("age"), "age");
/// assert_eq!(visible("a\nrelease  out.csv\u{1b}[2J"), "a\\nrelease  out.csv\\u{1b}[2J");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(steers) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        // Writing to a `String` cannot fail.
        let _ = match letter {
            '\n' => write!(shown, "\\n"),
            '\r' => write!(shown, "\\r"),
            '\t' => write!(shown, "\\t"),
            letter if steers(letter) => write!(shown, "\\u{{{:x}}}", u32::from(letter)),
            letter => write!(shown, "{letter}"),
        };
    }
    Cow::Owned(shown)
}

/// A JSON document with the same characters escaped. They occur only inside strings, so the meaning does not change.
///
/// ```
/// use incrowd_job::visible_json;
/// assert_eq!(visible_json("[\"a\u{202e}b\u{9b}\"]"), "[\"a\\u202eb\\u009b\"]");
/// ```
pub fn visible_json(document: &str) -> Cow<'_, str> {
    // Most documents are plain letters, which is told without decoding them.
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte);
    if document.bytes().all(is_plain) {
        return Cow::Borrowed(document);
    }
    let is_hidden = |letter: char| steers(letter) && letter != '\n';
    if !document.chars().any(is_hidden) {
        return Cow::Borrowed(document);
    }
    let mut shown = String::with_capacity(document.len() + 8);
    for letter in document.chars() {
        if !is_hidden(letter) {
            shown.push(letter);
            continue;
        }
        let mut halves = [0; 2];
        for half in letter.encode_utf16(&mut halves) {
            // Writing to a `String` cannot fail.
            let _ = write!(shown, "\\u{half:04x}");
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_is_left_alone() {
        for text in [
            "Größe",
            "zip \"code\" \\ 'x'",
            "नाम",
            "e\u{301}",
            "نام\u{200c}ها",
            "年齢",
        ] {
            assert_eq!(visible(text), text);
            assert_eq!(visible_json(text), text);
        }
    }

    #[test]
    fn nothing_that_steers_is_left() {
        for code in 0..=0x10ffff {
            let Some(letter) = char::from_u32(code) else {
                continue;
            };
            let shown = visible(letter.encode_utf8(&mut [0; 4])).into_owned();
            assert!(!shown.chars().any(steers), "{code:x}");
            assert_eq!(shown.chars().count() > 1, steers(letter), "{code:x}");
        }
    }

    #[test]
    fn a_document_means_what_it_meant() {
        let text = "a\u{1b}[2J\n\u{7f}\u{9b}\u{202e}\u{e0041}\u{feff}é\\\"";
        let document = serde_json::to_string(text).unwrap();
        let shown = visible_json(&document);
        assert!(!shown.chars().any(steers), "{shown}");
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
    }
}
