//! How much space a text needs, so that nothing is ever drawn over a text.
//!
//! The reader's font is unknown. Widths are those of DejaVu Sans, one of the widest in use, rounded up.

use crate::svg::Font;

/// The width of a letter, as a fraction of the font size.
fn letter(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | 'I' | '\'' | '|' | '.' | ',' | ':' | ';' | '!' | ' ' | '\u{202f}' => 0.34,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' | '*' | '"' | '`' => 0.5,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '=' | '<' | '>' | '+' => 1.0,
        'A'..='Z' => 0.8,
        letter if letter.is_ascii() => 0.65,
        // Greek and Cyrillic are narrower, Chinese is as wide as it is high.
        _ => 1.02,
    }
}

/// The maximum width of a text, in the unit of the plot.
pub fn width(text: &str, font: Font) -> f64 {
    let letters: f64 = text.chars().map(letter).sum();
    let weight = if font.is_bold { 1.12 } else { 1.0 };
    letters * f64::from(font.size) * weight
}

/// How far apart the lines of a text are.
pub(crate) fn line_height(font: Font) -> f64 {
    f64::from(font.size) * 1.3
}

/// A text in lines no wider than `room`; a single word that is wider is broken.
pub(crate) fn wrapped(text: &str, font: Font, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let longer = match line.is_empty() {
            true => word.to_owned(),
            false => format!("{line} {word}"),
        };
        if width(&longer, font) <= room {
            line = longer;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for letter in word.chars() {
            line.push(letter);
            if width(&line, font) > room && line.chars().count() > 1 {
                line.pop();
                lines.push(std::mem::replace(&mut line, letter.to_string()));
            }
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// A text in one line; an ellipsis stands for what has no room.
pub(crate) fn cut(text: &str, font: Font, room: f64) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if width(&text, font) <= room {
        return text;
    }
    let mut kept = String::new();
    for letter in text.chars() {
        kept.push(letter);
        if width(&kept, font) + width("…", font) > room {
            kept.pop();
            break;
        }
    }
    format!("{}…", kept.trim_end())
}

/// The first lines of a text; an ellipsis stands for the rest.
pub(crate) fn shortened(mut lines: Vec<String>, most: usize) -> Vec<String> {
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            // In place of two letters, so that the line does not become wider.
            last.pop();
            last.pop();
            last.push('…');
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::{Anchor, INK};

    #[test]
    fn no_line_is_wider_than_its_room_and_no_letter_is_lost() {
        let font = Font::new(12, INK, Anchor::Start);
        let text = "one two a-very-long-column-name-that-nobody-should-choose three";
        for room in [40.0, 90.0, 1000.0] {
            let lines = wrapped(text, font, room);
            assert!(lines.iter().all(|line| width(line, font) <= room));
            let letters = |text: &str| -> String { text.split_whitespace().collect() };
            assert_eq!(letters(&lines.concat()), letters(text));
        }
        assert_eq!(wrapped(text, font, 1000.0).len(), 1);
        assert!(width(&cut(text, font, 90.0), font) <= 90.0);
        assert!(cut(text, font, 90.0).starts_with("one two a-"));
        assert_eq!(cut(text, font, 1000.0), text);
        assert!(wrapped("", font, 40.0).is_empty());
    }
}
