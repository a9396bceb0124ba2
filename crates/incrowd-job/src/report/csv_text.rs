//! Small result tables as CSV. Data tables go through `incrowd-io`.

/// Lines of cells, in quotes where they must be.
pub(crate) struct CsvText(csv::Writer<Vec<u8>>);

impl CsvText {
    /// A table that has its head so far.
    pub(crate) fn new<T: AsRef<str>>(head: impl IntoIterator<Item = T>) -> Self {
        let mut text = CsvText(
            csv::WriterBuilder::new()
                .flexible(true)
                .from_writer(Vec::new()),
        );
        text.line(head);
        text
    }

    /// Appends a line.
    pub(crate) fn line<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        for cell in cells {
            let written = self.0.write_field(cell.as_ref());
            written.expect("memory takes every byte");
        }
        let ended = self.0.write_record(None::<&[u8]>);
        ended.expect("memory takes every byte, and lines may be of any length");
    }

    /// The whole text.
    pub(crate) fn finish(self) -> String {
        let bytes = self.0.into_inner().expect("memory takes every byte");
        String::from_utf8(bytes).expect("cells and delimiters are UTF-8")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_in_quotes_only_where_they_must_be() {
        let mut text = CsvText::new(["a b", "c,d", ""]);
        text.line(["says \"no\"", "two\nlines", "or\rthree"]);
        text.line(["", "5", "ü"]);
        let expected = "a b,\"c,d\",\n\"says \"\"no\"\"\",\"two\nlines\",\"or\rthree\"\n,5,ü\n";
        assert_eq!(text.finish(), expected);
    }
}
