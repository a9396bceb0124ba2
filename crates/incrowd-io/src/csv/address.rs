//! Addresses of people and web pages. They occur in cells; a column of them is named by a word.

/// What a text is the address of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Address {
    /// `ann@x.org`, also as in `Ann Lee <ann@x.org>`.
    Mailbox,
    /// `https://x.org/ann` or `www.x.org`.
    Page,
    /// `+49 (0)30/765-4321`.
    Telephone,
}

/// Fewer digits are some other number.
const TELEPHONE_DIGITS: std::ops::RangeInclusive<usize> = 6..=15;

impl Address {
    /// None if the whole text is not an address.
    pub(super) fn of(text: &str) -> Option<Address> {
        let in_brackets = text
            .strip_suffix('>')
            .and_then(|text| text.rsplit_once('<'));
        if is_mailbox(in_brackets.map_or(text, |(_, mailbox)| mailbox)) {
            return Some(Address::Mailbox);
        }
        if is_page(text) {
            return Some(Address::Page);
        }
        is_telephone(text).then_some(Address::Telephone)
    }
}

fn is_mailbox(text: &str) -> bool {
    let text = text.strip_prefix("mailto:").unwrap_or(text);
    let Some((user, host)) = text.split_once('@') else {
        return false;
    };
    let is_free = |letter: char| !letter.is_whitespace() && !"@,;<>()[]".contains(letter);
    !user.is_empty() && user.chars().all(is_free) && is_host(host)
}

/// Labels with a point between them, the last of letters.
fn is_host(text: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty() && (label.chars()).all(|letter| letter.is_alphanumeric() || letter == '-')
    };
    let Some((_, top)) = text.rsplit_once('.') else {
        return false;
    };
    text.split('.').all(is_label)
        && top.chars().count() > 1
        && !top.chars().all(|it| it.is_ascii_digit())
}

fn is_page(text: &str) -> bool {
    let host = match text.split_once("://") {
        Some((scheme, rest)) => {
            let is_sign = |letter: char| letter.is_ascii_alphanumeric() || "+.-".contains(letter);
            let is_scheme = scheme.starts_with(|letter: char| letter.is_ascii_alphabetic());
            if !is_scheme || !scheme.chars().all(is_sign) {
                return false;
            }
            rest
        }
        None if text
            .get(..4)
            .is_some_and(|start| start.eq_ignore_ascii_case("www.")) =>
        {
            &text[4..]
        }
        None => return false,
    };
    !host.is_empty() && !text.contains(char::is_whitespace)
}

/// Groups of digits, separated by the punctuation of telephone numbers, without letters.
fn is_telephone(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_mark = |byte: u8| b" +-()/.".contains(&byte);
    let has_marks = text.bytes().any(is_mark);
    has_marks
        && TELEPHONE_DIGITS.contains(&digits)
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || is_mark(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_words_about_them() {
        for (text, address) in [
            ("ann@x.org", Address::Mailbox),
            ("bob.ray+list@mail.example.com", Address::Mailbox),
            ("Ann Lee <ann@x.org>", Address::Mailbox),
            ("mailto:ann@x.org", Address::Mailbox),
            ("jörg@müller.de", Address::Mailbox),
            ("https://x.org/ann?a=b@c", Address::Page),
            ("www.example.com", Address::Page),
            ("030 1234567", Address::Telephone),
            ("+49 (0)30/765-4321", Address::Telephone),
            ("555.867.5309", Address::Telephone),
        ] {
            assert_eq!(Address::of(text), Some(address), "{text}");
        }
        for text in [
            "e-mail",
            "E-Mail @work",
            "@",
            "a@b",
            "a@b.",
            "@x.org",
            "user@10.0",
            "who@x.org?",
            "www",
            "www.",
            "http",
            "://x.org",
            "see https://x.org",
            "phone (mobile)",
            "q 12-34",
            "2019-2020 x",
            "12-34",
            "",
        ] {
            assert_eq!(Address::of(text), None, "{text}");
        }
    }
}
