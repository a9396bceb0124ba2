//! One JSON document per command.

use incrowd_job::{Error, VERSION, visible_json};
use serde::Serialize;

/// A result as a document.
pub(crate) fn document(result: &impl Serialize) -> String {
    let text = serde_json::to_string(result).expect("plain data is always JSON");
    let mut text = visible_json(&text).into_owned();
    text.push('\n');
    text
}

/// An error as a document.
pub(crate) fn error(error: &Error) -> String {
    document(&serde_json::json!({
        "version": VERSION,
        "error": {
            "code": error.code(),
            "message": error.to_string(),
            "place": error.place(),
            "hint": error.hint(),
        },
    }))
}
