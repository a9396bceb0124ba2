//! Where two documents differ.

use crate::report::outcome::Mismatch;
use serde_json::Value;

/// Lists every place below `field` where what is stated is not what was found.
pub(super) fn list_differences(
    field: &str,
    stated: &Value,
    found: &Value,
    mismatches: &mut Vec<Mismatch>,
) {
    let below = |name: &str| match field.is_empty() {
        true => name.to_owned(),
        false => format!("{field}.{name}"),
    };
    match (stated, found) {
        (Value::Object(stated), Value::Object(found)) => {
            for (name, value) in stated {
                let other = found.get(name).unwrap_or(&Value::Null);
                list_differences(&below(name), value, other, mismatches);
            }
            for (name, value) in found.iter().filter(|(name, _)| !stated.contains_key(*name)) {
                list_differences(&below(name), &Value::Null, value, mismatches);
            }
        }
        (Value::Array(stated), Value::Array(found)) if stated.len() == found.len() => {
            for (at, (stated, found)) in stated.iter().zip(found).enumerate() {
                list_differences(&format!("{field}[{at}]"), stated, found, mismatches);
            }
        }
        _ if is_same(stated, found) => {}
        _ => mismatches.push(Mismatch {
            field: field.to_owned(),
            stated: short(stated),
            found: short(found),
        }),
    }
}

/// Whether two values are the same; fractions may differ by rounding in the text.
fn is_same(stated: &Value, found: &Value) -> bool {
    match (stated.as_f64(), found.as_f64()) {
        (Some(a), Some(b)) if !(stated.is_u64() && found.is_u64()) => {
            (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
        }
        _ => stated == found,
    }
}

/// A shortened value.
fn short(value: &Value) -> String {
    const LETTERS: usize = 80;
    let text = match value {
        Value::Null => return "nothing".to_owned(),
        Value::String(text) => text.escape_debug().to_string(),
        other => other.to_string(),
    };
    match text.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}
