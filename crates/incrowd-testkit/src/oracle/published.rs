//! What published texts say, by reading them as a person would.

use super::RawHierarchy;

/// Whether a published text stands for a raw value, whatever level it is from: the value itself, a group above it, a set that
/// names it, or an interval it lies in.
pub fn stands_for(hierarchy: &RawHierarchy, text: &str, cell: &str) -> bool {
    let way_up = hierarchy.iter().find(|way| way[0] == cell);
    let way_up = way_up.expect("a hierarchy lists every value");
    // A text that a level has is a group of the highest such level.
    let levels = 0..way_up.len();
    let highest = levels
        .rev()
        .find(|&level| hierarchy.iter().any(|way| way[level] == text));
    if let Some(level) = highest {
        return way_up[level] == text;
    }
    if let Some(inner) = between(text, '{', '}') {
        return elements(inner).iter().any(|element| element == cell);
    }
    let Some(inner) = between(text, '[', ']') else {
        return false;
    };
    let mut dashes = inner.match_indices('-');
    let is_inside = dashes.find_map(|(at, _)| {
        let (low, high) = (&inner[..at], &inner[at + 1..]);
        let (low, high) = (place(low)?, place(high)?);
        Some(place(cell).is_some_and(|cell| low <= cell && cell <= high))
    });
    is_inside.expect("an interval")
}

/// What is between brackets, however many there are.
fn between(text: &str, open: char, close: char) -> Option<&str> {
    let mut inner = text.strip_prefix(open)?.strip_suffix(close)?;
    while inner.starts_with(open) && inner.ends_with(close) {
        inner = &inner[1..inner.len() - 1];
    }
    Some(inner)
}

/// A number, or a date as one.
fn place(text: &str) -> Option<f64> {
    let date: Vec<&str> = text.split('-').collect();
    match date[..] {
        [year, month, day] if year.len() == 4 && month.len() == 2 && day.len() == 2 => {
            let number = |part: &str| part.parse::<f64>().ok();
            Some(number(year)? * 10_000.0 + number(month)? * 100.0 + number(day)?)
        }
        _ => text.parse().ok(),
    }
}

/// The elements of a set, in quotes where they are not plain.
fn elements(inner: &str) -> Vec<String> {
    let mut elements = vec![String::new()];
    let mut is_quoted = false;
    let mut characters = inner.chars().peekable();
    while let Some(character) = characters.next() {
        let last = elements.last_mut().expect("there is one");
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                last.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => {
                characters.next();
                elements.push(String::new());
            }
            _ => last.push(character),
        }
    }
    elements
}
