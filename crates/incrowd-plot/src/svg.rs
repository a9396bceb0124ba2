//! The few SVG elements we draw.

use incrowd_core::table::steers;
use std::fmt::{Display, Write};

/// Text and axes.
pub const INK: &str = "#333333";
/// Less prominent parts.
pub const FAINT: &str = "#767676";
/// Grid lines.
pub const GRID: &str = "#e4e4e4";
/// For series, in order.
const COLORS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
];
/// The dashes that go with [`COLORS`].
const DASHES: [&str; 7] = ["", "7 3", "2 3", "9 3 2 3", "12 4", "4 2", "1 2"];

/// Color and dashes of a series; no two of the first 49 are alike.
pub fn style(at: usize) -> (&'static str, &'static str) {
    let round = at / COLORS.len();
    let color = COLORS[at % COLORS.len()];
    (color, DASHES[(at + round) % DASHES.len()])
}

/// The position of a text relative to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// It is centered there.
    Middle,
    /// It ends there.
    End,
}

/// How a text looks.
#[derive(Debug, Clone, Copy)]
pub struct Font {
    /// In the unit of the plot.
    pub size: u32,
    /// Of its letters.
    pub color: &'static str,
    /// Its position relative to its point.
    pub anchor: Anchor,
    /// Whether it is a title.
    pub is_bold: bool,
}

impl Font {
    /// A font that is not bold.
    pub const fn new(size: u32, color: &'static str, anchor: Anchor) -> Self {
        Font {
            size,
            color,
            anchor,
            is_bold: false,
        }
    }
}

/// A plot that grows element by element; writing to it cannot fail.
pub struct Svg {
    body: String,
    width: f64,
    height: f64,
    title: String,
}

impl Svg {
    /// An empty plot on white; the title is for those who cannot see it.
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        Svg {
            body: String::new(),
            width,
            height,
            title: title.to_owned(),
        }
    }

    /// A straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), color: &str, width: f64) {
        let _ = writeln!(
            self.body,
            r#"<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{color}" stroke-width="{width}"/>"#,
            short(from.0),
            short(from.1),
            short(to.0),
            short(to.1),
        );
    }

    /// A straight line with dashes.
    pub fn dashed(&mut self, from: (f64, f64), to: (f64, f64), color: &str, dash: &str) {
        let _ = writeln!(
            self.body,
            r#"<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{color}" stroke-width="1.5" stroke-dasharray="{dash}"/>"#,
            short(from.0),
            short(from.1),
            short(to.0),
            short(to.1),
        );
    }

    /// A line through points; no dashes if `dash` is empty.
    pub fn polyline(&mut self, points: &[(f64, f64)], color: &str, dash: &str) {
        let _ = writeln!(
            self.body,
            r#"<polyline points="{}" fill="none" stroke="{color}" stroke-width="2" stroke-linejoin="round"{}/>"#,
            list(points),
            match dash {
                "" => String::new(),
                dash => format!(r#" stroke-dasharray="{dash}""#),
            },
        );
    }

    /// A filled area.
    pub fn area(&mut self, points: &[(f64, f64)], color: &str, opacity: f64) {
        let _ = writeln!(
            self.body,
            r#"<polygon points="{}" fill="{color}" fill-opacity="{opacity}"/>"#,
            list(points),
        );
    }

    /// A filled dot.
    pub fn dot(&mut self, at: (f64, f64), radius: f64, color: &str) {
        let _ = writeln!(
            self.body,
            r#"<circle cx="{}" cy="{}" r="{radius}" fill="{color}"/>"#,
            short(at.0),
            short(at.1),
        );
    }

    /// A dot that is not filled.
    pub fn ring(&mut self, at: (f64, f64), radius: f64, color: &str) {
        let _ = writeln!(
            self.body,
            r##"<circle cx="{}" cy="{}" r="{radius}" fill="#ffffff" stroke="{color}" stroke-width="1.6"/>"##,
            short(at.0),
            short(at.1),
        );
    }

    /// A box with rounded corners; `hover` is shown when the pointer rests on it.
    pub fn tile(
        &mut self,
        corner: (f64, f64),
        size: (f64, f64),
        fill: &str,
        border: (&str, f64),
        hover: &str,
    ) {
        let _ = writeln!(
            self.body,
            r#"<rect x="{}" y="{}" width="{}" height="{}" rx="4" fill="{fill}" stroke="{}" stroke-width="{}"><title>{}</title></rect>"#,
            short(corner.0),
            short(corner.1),
            short(size.0),
            short(size.1),
            border.0,
            border.1,
            escaped(hover),
        );
    }

    /// A text; whatever is in it, it cannot end its element.
    pub fn text(&mut self, at: (f64, f64), font: Font, text: impl Display) {
        self.turned(at, font, 0, text);
    }

    /// A text rotated by this many degrees.
    pub fn turned(&mut self, at: (f64, f64), font: Font, degrees: i32, text: impl Display) {
        let anchor = match font.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let weight = if font.is_bold {
            r#" font-weight="600""#
        } else {
            ""
        };
        let (x, y) = (short(at.0), short(at.1));
        let turn = match degrees {
            0 => String::new(),
            degrees => format!(r#" transform="rotate({degrees} {x} {y})""#),
        };
        let _ = writeln!(
            self.body,
            r#"<text x="{x}" y="{y}" font-size="{}" fill="{}" text-anchor="{anchor}"{weight}{turn}>{}</text>"#,
            font.size,
            font.color,
            escaped(&text.to_string()),
        );
    }

    /// The whole plot.
    pub fn finish(self) -> String {
        let (width, height) = (short(self.width), short(self.height));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif\" \
             role=\"img\">\n<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{}</svg>\n",
            escaped(&self.title),
            self.body
        )
    }
}

/// Coordinates need no more than two digits, and no `.00`.
pub(crate) fn short(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn list(points: &[(f64, f64)]) -> String {
    let points: Vec<String> = points
        .iter()
        .map(|&(x, y)| format!("{},{}", short(x), short(y)))
        .collect();
    points.join(" ")
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // Control characters are not allowed in XML at all, and others would reverse what follows.
            letter if steers(letter) => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// A number with spaces between thousands, and no more digits after the point than it needs.
pub fn grouped(number: f64) -> String {
    if number.fract() != 0.0 {
        let digits = if number.abs() < 1.0 { 9 } else { 2 };
        return format!("{number:.digits$}")
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned();
    }
    let digits = format!("{number:.0}");
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_end_an_element() {
        assert_eq!(escaped("a<b>&\"c\"\n"), "a&lt;b&gt;&amp;&quot;c&quot; ");
    }

    #[test]
    fn numbers_are_short_and_grouped() {
        assert_eq!(short(12.0), "12");
        assert_eq!(short(-1.255), "-1.25");
        assert_eq!(grouped(30162.0), "30\u{202f}162");
        assert_eq!(grouped(999.0), "999");
        assert_eq!(grouped(0.25), "0.25");
        assert_eq!(grouped(0.001), "0.001");
    }

    #[test]
    fn no_two_series_look_alike() {
        let mut styles: Vec<_> = (0..49).map(style).collect();
        styles.sort_unstable();
        styles.dedup();
        assert_eq!(styles.len(), 49);
    }
}
