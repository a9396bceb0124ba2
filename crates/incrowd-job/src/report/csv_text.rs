//! Small result tables as CSV. Data tables go through `incrowd-io`.

/// A cell, quoted if necessary.
pub(crate) fn cell(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// A line of cells.
pub(crate) fn line<T: AsRef<str>>(cells: impl IntoIterator<Item = T>) -> String {
    let cells: Vec<String> = cells.into_iter().map(|it| cell(it.as_ref())).collect();
    cells.join(",") + "\n"
}
