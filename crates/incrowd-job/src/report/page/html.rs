//! The one place where text becomes HTML.

use crate::report::visible::visible;
use std::fmt;

/// A piece of a page. Whatever text it was made of, it opens and closes only the elements that the program named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Html(String);

impl Html {
    /// A text, whatever is in it. Control characters are shown, not obeyed.
    pub(crate) fn text(text: impl AsRef<str>) -> Html {
        Html(escaped(text.as_ref()))
    }

    /// A sentence of the program: what stands in backticks is set as code.
    pub(crate) fn prose(text: impl AsRef<str>) -> Html {
        let mut html = Html::default();
        let parts: Vec<&str> = text.as_ref().split('`').collect();
        for (at, part) in parts.iter().enumerate() {
            let is_code = at % 2 == 1 && at + 1 < parts.len();
            match is_code {
                true => html.push(element("code", Html::text(part))),
                // A backtick without a second one stands for itself.
                false if at % 2 == 1 => html.push(Html::text(format!("`{part}"))),
                false => html.push(Html::text(part)),
            }
        }
        html
    }

    /// A text of several lines, which stay lines.
    pub(crate) fn lines(text: &str) -> Html {
        let lines: Vec<String> = text.lines().map(escaped).collect();
        Html(lines.join("\n"))
    }

    /// A plot. Its texts were escaped when it was drawn.
    pub(crate) fn plot(svg: &str) -> Html {
        // Inside a page, the namespace is known.
        let svg = svg
            .trim_end()
            .replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1);
        element("figure", Html(svg))
    }

    /// Appends a piece.
    pub(crate) fn push(&mut self, other: Html) {
        self.0.push_str(&other.0);
    }

    /// Whether there is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<T: IntoIterator<Item = Html>>(pieces: T) -> Self {
        let mut html = Html::default();
        for piece in pieces {
            html.push(piece);
        }
        html
    }
}

impl fmt::Display for Html {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// An element without attributes.
pub(crate) fn element(tag: &'static str, content: Html) -> Html {
    with(tag, &[], content)
}

/// An element with attributes. One whose value is empty stands without a value.
pub(crate) fn with(tag: &'static str, attributes: &[(&'static str, &str)], content: Html) -> Html {
    let mut html = format!("<{tag}");
    for (name, value) in attributes {
        html.push(' ');
        html.push_str(name);
        if !value.is_empty() {
            html.push_str("=\"");
            html.push_str(&escaped(value));
            html.push('"');
        }
    }
    Html(format!("{html}>{content}</{tag}>"))
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in visible(text).chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use incrowd_core::table::steers;

    const NASTY: [&str; 6] = [
        "<script>alert(1)</script>",
        "\"&'",
        "a</td><td onclick=x>",
        "<!--",
        "]]>&lt;&#60;",
        "\u{202e}\u{0}\n\u{1b}[2J",
    ];

    #[test]
    fn no_text_opens_or_closes_anything() {
        for text in NASTY {
            let plain = with("td", &[("data-sort", text)], Html::text(text)).to_string();
            assert_eq!(plain.matches('<').count(), 2, "{plain}");
            assert_eq!(plain.matches('>').count(), 2, "{plain}");
            assert_eq!(plain.matches('"').count(), 2, "{plain}");
            assert!(!plain.chars().any(steers), "{plain:?}");
            let prose = Html::prose(format!("see `{text}` and {text}")).to_string();
            assert_eq!(prose.matches('<').count(), 2, "{prose}");
        }
    }

    #[test]
    fn texts_read_back_as_they_were() {
        for text in &NASTY[..5] {
            let shown = Html::text(text).to_string();
            let read = (shown.replace("&lt;", "<").replace("&gt;", ">"))
                .replace("&quot;", "\"")
                .replace("&#39;", "'")
                .replace("&amp;", "&");
            assert_eq!(read, *text);
        }
    }

    #[test]
    fn backticks_are_code_only_in_pairs() {
        let shown = |text: &str| Html::prose(text).to_string();
        assert_eq!(shown("up to `*`."), "up to <code>*</code>.");
        assert_eq!(shown("a ` b"), "a ` b");
        assert_eq!(shown("`a` ` b"), "<code>a</code> ` b");
        assert_eq!(shown(""), "");
    }
}
