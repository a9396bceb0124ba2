//! Every refusal: its kind, its place, and that it says what to do without quoting a cell.

use crate::support::{
    WriteUnchanged, batch, columns, file, gzip, names, read, read_source, read_with,
};
use incrowd_io::{
    Claims, CsvOptions, Encoding, Error, OutputFormat, Sink, Source, write_atomically,
};
use std::path::Path;

/// Rows of the inputs below hold this, and no message may.
const SECRET: &str = "Grace";

#[track_caller]
fn shown(error: Error) -> String {
    let text = format!(
        "{error}\nat: {}\nhint: {}",
        error.place().unwrap_or_default(),
        error.hint()
    );
    assert!(!text.contains(SECRET), "{text}");
    assert!(!error.hint().is_empty());
    text
}

#[track_caller]
fn refusal<T: std::fmt::Debug>(result: Result<T, Error>) -> Error {
    result.expect_err("this must be refused")
}

#[test]
fn a_missing_file_is_named() {
    let error = refusal(read_source(&Source::new(
        "no/such.csv",
        CsvOptions::default(),
    )));
    assert!(matches!(&error, Error::NotFound { input } if input == "no/such.csv"));
    shown(error);
}

#[test]
fn a_folder_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let error = refusal(read_source(&Source::new(
        folder.path(),
        CsvOptions::default(),
    )));
    assert!(matches!(error, Error::IsDirectory { .. }));
    shown(error);
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_opened_says_what_the_system_says() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "t.csv", "a\n1\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::File::open(&path).is_ok() {
        return; // The superuser may read everything.
    }
    let error = refusal(read_source(&Source::new(path, CsvOptions::default())));
    assert!(matches!(error, Error::NotReadable { .. }));
    shown(error);
}

#[test]
fn an_empty_input_is_refused() {
    for text in ["", "\n\n", "\u{feff}", "\u{feff}\r\n"] {
        let error = refusal(read(text));
        assert!(matches!(error, Error::Empty { .. }));
        shown(error);
    }
}

#[test]
fn a_header_alone_is_refused() {
    for text in ["a,b", "a,b\n", "a,b\r\n\r\n"] {
        let error = refusal(read(text));
        assert!(matches!(error, Error::NoRows { .. }));
        shown(error);
    }
}

#[test]
fn a_row_with_other_cells_than_columns_is_pointed_at() {
    let error = refusal(read("a,b\nx,\"1\n2\"\n\nGrace,1,2\n"));
    assert!(matches!(
        error,
        Error::RaggedRow {
            row: 2,
            line: 5,
            expected: 2,
            found: 3,
            ..
        }
    ));
    assert_eq!(
        shown(error),
        "a row has 3 cells, but the table has 2 columns\n\
         at: standard input, row 2, starting at line 5\n\
         hint: quote cells that contain the delimiter, or pass the file's delimiter with `--delimiter`"
    );
    let error = refusal(read("a,b,c\r\n1,2,3\r\nGrace\r\n"));
    assert!(matches!(
        error,
        Error::RaggedRow {
            row: 2,
            line: 3,
            expected: 3,
            found: 1,
            ..
        }
    ));
    shown(error);
}

#[test]
fn a_ragged_row_is_found_among_many() {
    let text = format!("a,b\n{}Grace\n", "1,2\n".repeat(100_000));
    let error = refusal(read(text));
    assert!(matches!(
        error,
        Error::RaggedRow {
            row: 100_001,
            line: 100_002,
            ..
        }
    ));
}

#[test]
fn two_columns_of_one_name_are_refused_without_the_name() {
    let error = refusal(read("Grace,b,Grace\n1,2,3\n"));
    assert!(matches!(
        error,
        Error::DuplicateColumn {
            first: 1,
            second: 3,
            ..
        }
    ));
    shown(error);
}

#[test]
fn a_column_without_name_is_refused() {
    for text in ["a,,c\n1,2,3\n", "a,\"\",c\n1,2,3\n"] {
        let error = refusal(read(text));
        assert!(matches!(error, Error::EmptyColumnName { position: 2, .. }));
        shown(error);
    }
    let trim = CsvOptions {
        trim: true,
        ..CsvOptions::default()
    };
    let error = refusal(read_with("a, ,c\n1,2,3\n", trim));
    assert!(matches!(error, Error::EmptyColumnName { position: 2, .. }));
}

#[test]
fn a_cell_that_is_not_utf8_is_pointed_at() {
    let error = refusal(read(b"a,b\n\xc3\xa4,1\nGrace,M\xfcller\n"));
    assert!(matches!(
        error,
        Error::NotUtf8 {
            row: Some(2),
            position: 2,
            likely: Encoding::Windows1252,
            ..
        }
    ));
    assert!(shown(error).contains("iconv -f windows-1252"));
}

#[test]
fn two_halves_of_a_letter_in_two_cells_are_no_letter() {
    let error = refusal(read(b"a,b\n\xc3,\xa4\n"));
    assert!(matches!(
        error,
        Error::NotUtf8 {
            row: Some(1),
            position: 1,
            ..
        }
    ));
}

#[test]
fn a_header_that_is_not_utf8_is_refused() {
    let error = refusal(read(b"a,Gr\xf6\xdfe\n1,2\n"));
    assert!(matches!(
        error,
        Error::NotUtf8 {
            row: None,
            position: 2,
            ..
        }
    ));
    shown(error);
    let utf16: Vec<u8> = "\u{feff}a,b\n1,2\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let error = refusal(read(utf16));
    assert!(shown(error).contains("iconv -f utf-16"));
}

#[test]
fn a_quote_never_closed_is_found_where_its_row_begins() {
    for end in ["", "\n", "x", "\"\"", "\n1,2\n", "\r\n"] {
        let text = format!("a,b\n1,2\n\nGrace,\"open{end}");
        let error = refusal(read(&text));
        assert!(
            matches!(
                error,
                Error::QuoteNeverClosed {
                    row: Some(2),
                    line: 4,
                    byte: 9,
                    ..
                }
            ),
            "{error:?}"
        );
        shown(error);
    }
    let error = refusal(read("a,\"b\n1,2\n"));
    assert!(matches!(
        error,
        Error::QuoteNeverClosed {
            row: None,
            line: 1,
            byte: 0,
            ..
        }
    ));
    assert!(shown(error).contains("the header"));
}

#[test]
fn a_quote_never_closed_in_a_long_file_fails_at_the_limit() {
    let options = CsvOptions {
        max_cell_bytes: 10_000,
        ..CsvOptions::default()
    };
    let open = format!("1,\"{}", "Grace,2\n".repeat(1_000_000));
    // In the first row, which the header is judged by, it is found when the table is opened.
    let text = format!("a,b\n{open}");
    let source = Source::spooled(text.as_bytes(), options.clone()).unwrap();
    let error = refusal(source.open().map(|_| ()));
    assert!(matches!(
        error,
        Error::CellTooLarge {
            row: Some(1),
            line: 2,
            byte: 4,
            limit: 10_000,
            ..
        }
    ));
    shown(error);
    let text = format!("a,b\n1,2\n{open}");
    let source = Source::spooled(text.as_bytes(), options).unwrap();
    let mut reader = source.open().unwrap();
    assert!(reader.bytes_read() < 1_000_000);
    // The row before it is whole, and may be handed out first.
    let mut rows = Default::default();
    assert!(reader.read(&mut rows).unwrap());
    assert_eq!(rows.rows(), 1);
    let error = refusal(reader.read(&mut rows));
    assert!(matches!(
        error,
        Error::CellTooLarge {
            row: Some(2),
            line: 3,
            byte: 8,
            limit: 10_000,
            ..
        }
    ));
    assert!(reader.bytes_read() < 3_000_000);
    shown(error);
}

#[test]
fn a_cell_is_too_large_by_its_own_length_and_not_by_that_of_its_row() {
    let options = || CsvOptions {
        max_cell_bytes: 1000,
        ..CsvOptions::default()
    };
    let wide = |cell: usize| format!("a,b,c\n{0},{0},\"{0}\"\n", "x".repeat(cell));
    assert!(read_with(wide(1000), options()).is_ok());
    for text in [wide(1001), wide(5_000_000)] {
        let error = refusal(read_with(text, options()));
        assert!(matches!(error, Error::CellTooLarge { row: Some(1), .. }));
    }
}

#[test]
fn damaged_gzip_is_told_from_damaged_csv() {
    let whole = gzip("a,b\n1,2\n".repeat(10_000).as_bytes());
    let mut changed = whole.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 0x55;
    for text in [
        &whole[..whole.len() / 2],
        &whole[..whole.len() - 3],
        &changed,
    ] {
        let error = refusal(read(text));
        assert!(matches!(error, Error::BrokenGzip { .. }), "{error:?}");
        shown(error);
    }
}

#[test]
fn an_unusable_delimiter_or_quote_is_refused() {
    for (delimiter, quote) in [(b'"', b'"'), (b'\n', b'"'), (b',', b'\r'), (0xe9, b'"')] {
        let options = CsvOptions {
            delimiter: Some(delimiter),
            quote,
            ..CsvOptions::default()
        };
        let error = refusal(read_with("a\n1\n", options));
        assert!(matches!(error, Error::UnusableDialect { .. }));
        shown(error);
    }
}

#[test]
fn an_output_of_unknown_format_is_refused() {
    for name in ["t", "t.xlsx", "t.gz", "t.parquet.gz", "csv"] {
        let error = refusal(OutputFormat::of_path(name));
        assert!(matches!(error, Error::UnknownFormat { .. }));
        shown(error);
    }
}

#[test]
fn missing_folders_of_an_output_are_made_and_go_again_if_nothing_appears_in_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/t.csv");
    let csv = OutputFormat::Csv { delimiter: b',' };
    let create = || Sink::create(&Claims::default(), &path, csv, &columns(&["a"])).unwrap();
    drop(create());
    assert!(names(folder.path()).is_empty());
    create().done().unwrap();
    assert!(path.is_file());

    let beside = folder.path().join("a/c/t.json");
    write_atomically(&Claims::default(), "it", &beside, b"{}").unwrap();
    assert!(beside.is_file());
    // A file is in the way.
    let below = folder.path().join("a/b/t.csv/d/t.json");
    let error = refusal(write_atomically(&Claims::default(), "it", below, b"{}"));
    assert!(matches!(error, Error::FolderNotMade { .. }), "{error:?}");
    shown(error);
}

#[test]
fn what_is_read_or_written_already_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let table = file(folder.path(), "t.csv", "a\n1\n");
    let claims = Claims::default();
    claims.read("the table", &table);
    let csv = OutputFormat::Csv { delimiter: b',' };
    let sink = |path: &Path| Sink::create(&claims, path, csv, &columns(&["a"])).map(drop);
    let error = sink(&table).expect_err("it is read");
    assert!(matches!(error, Error::OverwritesInput { .. }), "{error:?}");
    shown(error);
    let out = folder.path().join("out.csv");
    sink(&out).unwrap();
    let error = refusal(write_atomically(&claims, "the job file", &out, b"{}"));
    assert!(matches!(error, Error::SameOutput { .. }), "{error:?}");
    shown(error);
    assert_eq!(std::fs::read(&table).unwrap(), b"a\n1\n");
}

#[test]
fn a_first_line_that_is_a_row_is_refused_and_not_quoted() {
    let text = "Grace,1906-12-09,F\nAlan,1912-06-23,M\nAda,1815-12-10,F\n";
    let error = refusal(read(text));
    assert!(
        matches!(
            error,
            Error::HeaderIsRow {
                telling: 2,
                columns: 3,
                ..
            }
        ),
        "{error:?}"
    );
    let text = shown(error);
    assert!(
        text.contains("--no-header") && text.contains("--header"),
        "{text}"
    );
}

#[cfg(unix)]
#[test]
fn an_output_that_may_not_be_created_fails_before_any_row() {
    // Not even the superuser creates files there.
    if !Path::new("/proc/self").is_dir() {
        return;
    }
    let error = refusal(write_atomically(
        &Claims::default(),
        "it",
        "/proc/self/t.json",
        b"{}",
    ));
    assert!(matches!(error, Error::NotWritable { .. }), "{error:?}");
    shown(error);
}

#[test]
fn an_output_that_is_a_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = refusal(write_atomically(
        &Claims::default(),
        "it",
        folder.path(),
        b"{}",
    ));
    assert!(matches!(error, Error::IsDirectory { .. }));
    shown(error);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_called_a_full_disk() {
    let csv = OutputFormat::Csv { delimiter: b',' };
    let mut sink = Sink::create(&Claims::default(), "/dev/full", csv, &columns(&["a"])).unwrap();
    sink.put(&batch(&[&["Grace"]])).unwrap();
    let error = refusal(sink.done());
    assert!(matches!(error, Error::DiskFull { .. }), "{error:?}");
    shown(error);
}

#[test]
fn a_table_to_write_needs_names_that_differ() {
    let folder = tempfile::tempdir().unwrap();
    let csv = OutputFormat::Csv { delimiter: b',' };
    let result = Sink::create(
        &Claims::default(),
        folder.path().join("t.csv"),
        csv,
        &columns(&["a", "a"]),
    );
    assert!(matches!(
        result.map(drop),
        Err(Error::DuplicateColumn { .. })
    ));
    assert!(names(folder.path()).is_empty());
}
