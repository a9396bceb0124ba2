//! What holds for any table and any text.

use crate::support::{Rows, gzip, read_with};
use incrowd_core::table::RowBatch;
use incrowd_io::{CsvEncoder, CsvOptions, Error, Header};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// Cells that get in the way of a parser, and some that do not.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{0,8}",
        "[a\",;\t\r\n\u{feff}ä日 ]{0,6}",
        ".{0,5}",
        // Longer than a block of the scanner.
        "[a-c\",\n]{50,200}",
    ]
}

fn table() -> impl Strategy<Value = (Vec<String>, Rows)> {
    (1..6_usize).prop_flat_map(|columns| {
        let names = vec(cell(), columns).prop_map(|mut names| {
            for (at, name) in names.iter_mut().enumerate() {
                // Names must differ and a zero in one looks like UTF-16.
                *name = format!("{}{at}", name.replace('\0', ""));
            }
            names
        });
        (names, vec(vec(cell(), columns), 1..40))
    })
}

fn encode(encoder: CsvEncoder, columns: &[String], rows: &Rows) -> Vec<u8> {
    let mut text = Vec::new();
    encoder.encode_row(columns.iter().map(String::as_bytes), &mut text);
    let mut batch = RowBatch::new(columns.len());
    for cell in rows.iter().flatten() {
        batch.push_cell(cell.as_bytes());
    }
    encoder.encode(&batch, &mut text);
    text
}

proptest! {
    #[test]
    fn what_is_written_as_csv_is_read_back(
        (columns, rows) in table(),
        delimiter in proptest::sample::select(&b",;\t|"[..]),
        compressed: bool,
    ) {
        let mut text = encode(CsvEncoder::new(delimiter).unwrap(), &columns, &rows);
        if compressed {
            text = gzip(&text);
        }
        let options = CsvOptions { delimiter: Some(delimiter), header: Header::Names, ..CsvOptions::default() };
        let seen = read_with(text, options).unwrap();
        prop_assert_eq!(seen.columns, columns);
        prop_assert_eq!(seen.rows, rows);
    }

    #[test]
    fn what_is_written_as_csv_is_read_back_by_the_csv_crate((columns, rows) in table()) {
        let text = encode(CsvEncoder::new(b',').unwrap(), &columns, &rows);
        let mut reader = csv::Reader::from_reader(&text[..]);
        prop_assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>(), columns);
        let read: Rows = reader
            .records()
            .map(|record| record.unwrap().iter().map(str::to_owned).collect())
            .collect();
        prop_assert_eq!(read, rows);
    }

    #[test]
    fn any_text_is_read_as_the_csv_crate_reads_it(text in "[ab\",\r\n]{0,40}|[a-c\",\n]{50,300}") {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let expected: Rows = reader
            .records()
            .map(|record| record.unwrap().iter().map(str::to_owned).collect())
            .collect();
        let options = CsvOptions { delimiter: Some(b','), header: Header::Row, ..CsvOptions::default() };
        match read_with(&text, options) {
            Ok(seen) => prop_assert_eq!(seen.rows, expected),
            Err(Error::Empty { .. }) => prop_assert!(expected.is_empty()),
            Err(Error::RaggedRow { row, expected: columns, found, .. }) => {
                let at = row as usize - 1;
                prop_assert_eq!(expected[0].len(), columns);
                prop_assert_eq!(expected[at].len(), found);
                prop_assert!(expected[..at].iter().all(|row| row.len() == columns));
            }
            Err(Error::QuoteNeverClosed { row, .. }) => {
                // That crate takes a quote that is never closed for closed at the end.
                prop_assert_eq!(row.unwrap() as usize, expected.len());
                prop_assert!(text.matches('"').count() > 0);
            }
            Err(error) => return Err(TestCaseError::fail(format!("{error:?}"))),
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..300), trim: bool, header in select(vec![Header::Checked, Header::Names, Header::Row])) {
        let options = CsvOptions { trim, header, ..CsvOptions::default() };
        let _ = read_with(bytes, options);
    }

    #[test]
    fn what_is_written_for_spreadsheets_is_read_back(
        columns in proptest::collection::hash_set("[=+@'a-]{1,4}", 2),
        rows in vec(vec("['=+@\\-0-9a,\"\n\t]{0,5}", 2..=2), 1..6),
    ) {
        let columns: Vec<String> = columns.into_iter().collect();
        let encoder = CsvEncoder::new(b',').unwrap().spreadsheet_safe();
        let text = encode(encoder, &columns, &rows);
        let options = CsvOptions {
            delimiter: Some(b','),
            header: Header::Names,
            spreadsheet_safe: true,
            ..CsvOptions::default()
        };
        let seen = read_with(text, options).unwrap();
        prop_assert_eq!(seen.columns, columns);
        prop_assert_eq!(seen.rows, rows);
    }
}
