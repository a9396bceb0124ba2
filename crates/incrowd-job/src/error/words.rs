//! Parts of sentences that depend on fields.

use crate::report::revealing::RevealingColumn;
use std::io;
use std::path::Path;

pub(super) fn unreadable(path: &Path, kind: io::ErrorKind) -> String {
    match kind {
        io::ErrorKind::NotFound => format!("there is no file `{}`", path.display()),
        _ => format!("cannot read `{}`", path.display()),
    }
}

pub(super) fn both(first: &str, second: &str) -> String {
    match first == second {
        true => format!("twice in {first}"),
        false => format!("both in {first} and in {second}"),
    }
}

pub(super) fn some_columns(columns: &[String], is_row: bool) -> String {
    match columns {
        [column] if is_row => format!("{column} has"),
        [column] => format!("column `{column}` has"),
        columns => format!("{} columns have", columns.len()),
    }
}

pub(super) fn these_columns(columns: &[RevealingColumn]) -> String {
    match columns {
        [column] => format!("column `{}` would", column.name.escape_debug()),
        columns => format!("{} columns would", columns.len()),
    }
}
