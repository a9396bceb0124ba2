//! A report as one page of HTML that loads nothing: sections, tables that sort, plots, explained terms.
//!
//! Plain data in, text out. The parts know nothing of what is reported, so every command that writes a page writes it
//! with these: [`Page`] the skeleton, [`Table`] a table that sorts, [`Html`] the only way to put a text on a page.
//!
//! The page can be read without its script and printed. It says itself that it may load nothing and run nothing but the
//! script it came with, so that not even a mistake in this file could make it talk to a network.

mod html;
mod table;
mod terms;
pub(crate) mod words;

pub(crate) use html::{Html, element, with};
pub(crate) use table::{Cell, Head, Table, figures};
pub(crate) use terms::{explained, link, terms};

use sha2::{Digest, Sha256};

/// How it looks: light and dark, on a screen and on paper.
const STYLE: &str = include_str!("page/style.css");
/// Sorts tables.
const SCRIPT: &str = include_str!("page/sort.js");

/// A page that is made of sections.
pub(crate) struct Page {
    /// The heading, which is also the name of the window.
    pub(crate) title: String,
    /// Below the heading.
    pub(crate) lead: Html,
    /// In reading order.
    pub(crate) sections: Vec<Section>,
    /// At the very end, in small letters.
    pub(crate) foot: Html,
}

/// A part of a page with its own heading.
pub(crate) struct Section {
    /// Its address on the page.
    pub(crate) id: &'static str,
    /// Its heading.
    pub(crate) title: &'static str,
    /// Below the heading.
    pub(crate) content: Html,
}

/// A section.
pub(crate) fn section(id: &'static str, title: &'static str, content: Html) -> Section {
    Section { id, title, content }
}

impl Page {
    /// The whole page.
    pub(crate) fn finish(self) -> String {
        let mut contents = Html::default();
        let mut sections = Html::default();
        for section in self.sections {
            let address = format!("#{}", section.id);
            let link = with("a", &[("href", &address)], Html::text(section.title));
            contents.push(element("li", link));
            let mut content = element("h2", Html::text(section.title));
            content.push(section.content);
            sections.push(with("section", &[("id", section.id)], content));
        }
        let title = Html::text(&self.title);
        let mut body = element("h1", title.clone());
        body.push(with("div", &[("class", "lead")], self.lead));
        let contents = element("ol", contents);
        body.push(with("nav", &[("aria-label", "Contents")], contents));
        body.push(sections);
        let body = element("main", body);
        let foot = element("footer", self.foot);
        let policy = policy();
        // The only markup that is not made by `Html`: nothing in it comes from anywhere but this file.
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}\n{foot}\n\
             <script>{SCRIPT}</script>\n</body>\n</html>\n"
        )
    }
}

/// What a browser may do with the page: nothing but show it and run the one script.
fn policy() -> String {
    let script = base64(&Sha256::digest(SCRIPT));
    format!("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{script}'")
}

/// Bytes as browsers want the hash of a script.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let number = (0..3).fold(0, |number, at| {
            number << 8 | u32::from(three.get(at).copied().unwrap_or(0))
        });
        for at in 0..4 {
            let letter = LETTERS[(number >> (18 - 6 * at) & 63) as usize];
            text.push(if at <= three.len() {
                letter.into()
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_written_as_browsers_read_them() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foobar", "Zm9vYmFy"),
            (&[0xfb, 0xff], "+/8="),
        ] {
            assert_eq!(base64(bytes), text);
        }
    }

    #[test]
    fn a_page_names_its_sections_and_escapes_its_title() {
        let page = Page {
            title: "</title><script>alert(1)</script>".into(),
            lead: Html::text("lead"),
            sections: vec![Section {
                id: "one",
                title: "One & only",
                content: Html::text("content"),
            }],
            foot: Html::default(),
        };
        let page = page.finish();
        assert_eq!(page.matches("<script>").count(), 1);
        assert!(page.contains("<a href=\"#one\">One &amp; only</a>"));
        assert!(page.contains("<section id=\"one\"><h2>One &amp; only</h2>content</section>"));
        assert!(!page.contains("alert(1)</script><"), "{page}");
    }

    #[test]
    fn style_and_script_cannot_end_early_and_load_nothing() {
        for (part, end) in [(STYLE, "</style"), (SCRIPT, "</script")] {
            assert!(!part.contains(end) && !part.contains("<!--"));
            for way in ["http:", "https:", "url(", "@import", "fetch", "import("] {
                assert!(!part.contains(way), "{way}");
            }
        }
    }
}
