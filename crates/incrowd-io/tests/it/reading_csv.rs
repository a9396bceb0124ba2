//! What the CSV reader makes of the dialects people send.

use crate::support::{self, file, gzip, read, read_source, read_with, seen};
use incrowd_core::table::RowBatch;
use incrowd_io::{CsvOptions, Error, Fingerprint, Header, RowsRead, RowsSeal, Source};

#[test]
fn cells_are_read_row_by_row() {
    let table = read("age,zip\n39,10115\n40,\n").unwrap();
    assert_eq!(
        table,
        seen(&["age", "zip"], &[&["39", "10115"], &["40", ""]])
    );
}

#[test]
fn the_last_line_needs_no_line_break() {
    assert_eq!(read("a,b\n1,2").unwrap(), seen(&["a", "b"], &[&["1", "2"]]));
    assert_eq!(read("a,b\n1,").unwrap(), seen(&["a", "b"], &[&["1", ""]]));
    assert_eq!(
        read("a,b\n1,\"2\"").unwrap(),
        seen(&["a", "b"], &[&["1", "2"]])
    );
}

#[test]
fn quoted_cells_hold_delimiters_line_breaks_and_doubled_quotes() {
    let table = read("a,b\n\"1,5\",\"x\ny\r\nz\"\n\"say \"\"hi\"\"\",\"\"\n").unwrap();
    assert_eq!(
        table,
        seen(&["a", "b"], &[&["1,5", "x\ny\r\nz"], &["say \"hi\"", ""]])
    );
}

#[test]
fn a_quote_inside_an_unquoted_cell_is_text() {
    let table = read("a,b\n5\" pipe,6\"\n\"x\"y,z\n").unwrap();
    assert_eq!(
        table,
        seen(&["a", "b"], &[&["5\" pipe", "6\""], &["xy", "z"]])
    );
}

#[test]
fn line_breaks_of_windows_and_of_old_macs_are_line_breaks() {
    let expected = seen(&["a", "b"], &[&["1", "2"], &["3", "4"]]);
    assert_eq!(read("a,b\r\n1,2\r\n3,4\r\n").unwrap(), expected);
    assert_eq!(read("a,b\r1,2\r3,4").unwrap(), expected);
}

#[test]
fn empty_lines_are_skipped() {
    assert_eq!(
        read("\n\r\na,b\n\n1,2\n\n\n").unwrap(),
        seen(&["a", "b"], &[&["1", "2"]])
    );
}

#[test]
fn a_byte_order_mark_is_not_part_of_the_first_name() {
    assert_eq!(
        read("\u{feff}a,b\n1,2\n").unwrap(),
        seen(&["a", "b"], &[&["1", "2"]])
    );
    assert_eq!(
        read("\u{feff}\"a\",b\n1,2\n").unwrap(),
        seen(&["a", "b"], &[&["1", "2"]])
    );
}

#[test]
fn letters_beyond_ascii_are_kept() {
    assert_eq!(
        read("größe\nå\n日本\n").unwrap(),
        seen(&["größe"], &[&["å"], &["日本"]])
    );
}

#[test]
fn the_delimiter_is_detected_and_told() {
    for delimiter in [b',', b';', b'\t', b'|'] {
        let text = "a,b,c\n1,2,3\n".replace(',', &char::from(delimiter).to_string());
        let source = Source::spooled(text.as_bytes(), CsvOptions::default()).unwrap();
        assert_eq!(source.open().unwrap().delimiter(), Some(delimiter));
        assert_eq!(
            read_source(&source).unwrap(),
            seen(&["a", "b", "c"], &[&["1", "2", "3"]])
        );
    }
}

#[test]
fn a_given_delimiter_and_quote_are_used() {
    let options = CsvOptions {
        delimiter: Some(b':'),
        quote: b'\'',
        ..CsvOptions::default()
    };
    assert_eq!(
        read_with("a,x:b\n'1:''2':\"3\n", options).unwrap(),
        seen(&["a,x", "b"], &[&["1:'2", "\"3"]])
    );
}

#[test]
fn the_name_of_the_file_sets_the_delimiter_of_tsv() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "t.tsv", "a,b,c\td\n1,2,3\t4\n");
    let source = Source::new(path, CsvOptions::default());
    assert_eq!(
        read_source(&source).unwrap(),
        seen(&["a,b,c", "d"], &[&["1,2,3", "4"]])
    );
}

#[test]
fn columns_without_header_are_numbered_from_one() {
    let options = CsvOptions {
        header: Header::Row,
        ..CsvOptions::default()
    };
    assert_eq!(
        read_with("1,2\n3,4\n", options).unwrap(),
        seen(&["column-1", "column-2"], &[&["1", "2"], &["3", "4"]])
    );
}

#[test]
fn white_space_around_cells_is_dropped_on_request() {
    let text = " a, b \n 39, New York\t\n\" 1 \", \"x, y\" \n";
    let options = CsvOptions {
        trim: true,
        ..CsvOptions::default()
    };
    assert_eq!(
        read_with(text, options).unwrap(),
        seen(&["a", "b"], &[&["39", "New York"], &["1", "x, y"]])
    );
    assert_eq!(read(" a\n 39 \n").unwrap(), seen(&[" a"], &[&[" 39 "]]));
}

#[test]
fn gzip_is_known_by_its_first_bytes_and_may_have_several_members() {
    let folder = tempfile::tempdir().unwrap();
    let expected = seen(&["a"], &[&["1"], &["2"]]);
    let mut text = gzip(b"a\n1\n");
    text.extend(gzip(b"2\n"));
    for name in ["t.csv.gz", "t.gz", "t.csv"] {
        let path = file(folder.path(), name, &text);
        let source = Source::new(path, CsvOptions::default());
        assert_eq!(read_source(&source).unwrap(), expected);
        assert_eq!(
            source.open().unwrap().fingerprint().unwrap(),
            Fingerprint::of(&text)
        );
    }
}

#[test]
fn two_thousand_columns_are_read() {
    let names: Vec<String> = (0..2000).map(|at| format!("c{at}")).collect();
    let cells: Vec<String> = (0..2000).map(|at| at.to_string()).collect();
    let text = format!(
        "{}\n{}\n{}\n",
        names.join(","),
        cells.join(","),
        cells.join(",")
    );
    let table = read(text).unwrap();
    assert_eq!(table.columns, names);
    assert_eq!(table.rows, [cells.clone(), cells]);
}

#[test]
fn a_cell_of_ten_megabytes_is_read() {
    let mut text = b"a,b\n1,\"".to_vec();
    text.resize(text.len() + 5_000_000, b'x');
    text.extend_from_slice(b"\n\"\"");
    text.resize(text.len() + 5_000_000, b'y');
    text.extend_from_slice(b"\"\n2,3\n");
    let source = Source::spooled(&text[..], CsvOptions::default()).unwrap();
    let mut reader = source.open().unwrap();
    let mut batch = RowBatch::default();
    assert!(reader.read(&mut batch).unwrap());
    assert_eq!(batch.cell(0, 1).len(), 10_000_002);
    assert_eq!(&batch.cell(0, 1)[4_999_999..5_000_003], b"x\n\"y");
    if batch.rows() < 2 {
        assert!(reader.read(&mut batch).unwrap());
        assert_eq!(batch.first_row(), 1);
    }
    assert_eq!(batch.cell(batch.rows() - 1, 1), b"3");
    assert!(!reader.read(&mut batch).unwrap());
}

#[test]
fn batches_are_bounded_in_rows_and_in_bytes() {
    let mut text = "a,b\n".to_owned();
    for row in 0..20_000 {
        text.push_str(&format!("{row},x\n"));
    }
    text.push_str(&format!("y,{}\n", "z".repeat(3000)).repeat(2000));
    let source = Source::spooled(text.as_bytes(), CsvOptions::default()).unwrap();
    let mut reader = source.open().unwrap();
    let mut batch = RowBatch::default();
    let mut rows = 0;
    while reader.read(&mut batch).unwrap() {
        assert_eq!(batch.first_row(), rows);
        assert!(batch.rows() <= 8192 && batch.byte_len() < (1 << 20) + (256 << 10));
        rows += batch.rows() as u64;
    }
    assert_eq!(rows, 22_000);
}

/// The number of the first row of a batch, and its cells.
type Cells = (u64, Vec<Vec<u8>>);

/// All that a reader hands out, batch by batch, and how that ends; split at once or by whoever gets it.
fn handed_out(source: &Source, at_once: bool) -> (Vec<Cells>, String) {
    let mut reader = source.open().unwrap();
    let (mut rows, mut batch) = (RowsRead::default(), RowBatch::default());
    let mut batches = Vec::new();
    loop {
        let read = match at_once {
            true => reader.read(&mut batch),
            false => reader.read_ahead(&mut rows).and_then(|more| {
                std::mem::swap(rows.split()?, &mut batch);
                Ok(more)
            }),
        };
        match read {
            Ok(true) => {
                let cells = (0..batch.rows()).flat_map(|row| {
                    let columns = 0..batch.columns();
                    columns.map(move |column| (row, column))
                });
                let cells = cells.map(|(row, column)| batch.cell(row, column).to_vec());
                batches.push((batch.first_row(), cells.collect()));
            }
            Ok(false) => return (batches, reader.fingerprint().unwrap().to_string()),
            Err(error) => return (batches, error.to_string()),
        }
    }
}

#[test]
fn rows_are_the_same_whether_they_are_split_at_once_or_elsewhere() {
    let broken = ["", "1,2,3\n", "4,\"never closed\n", "5,\n\n\n6,7"];
    for seed in 0..24 {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let mut text = "a,b\n".to_owned();
        // Several times what is read at once; rows of some letters, or of many.
        let longest = [3, 60, 70, 5000][rng.usize(0..4)];
        let is_quoted = rng.bool();
        while text.len() < 900_000 {
            let word = "x".repeat(rng.usize(0..=longest));
            text += &match is_quoted && rng.usize(0..50) == 0 {
                true => format!("\"{word},\r\n{word}\",\"\"\"{word}\"\n"),
                false => format!("{word},{word}\n"),
            };
        }
        text += broken[rng.usize(0..broken.len())];
        let options = CsvOptions {
            header: Header::Names,
            trim: rng.usize(0..4) == 0,
            max_cell_bytes: 1 << 15,
            ..CsvOptions::default()
        };
        let mut bytes = text.into_bytes();
        if rng.usize(0..3) == 0 {
            let at = rng.usize(1000..bytes.len());
            bytes[at] = 0xff;
        }
        let source = Source::spooled(&bytes[..], options).unwrap();
        let (at_once, elsewhere) = (handed_out(&source, true), handed_out(&source, false));
        assert!(
            at_once == elsewhere,
            "seed {seed}: {} or {}",
            at_once.1,
            elsewhere.1
        );
    }
}

#[test]
fn a_pipe_is_read_twice_and_counted() {
    let text = b"a\n1\n";
    let source = Source::spooled(&text[..], CsvOptions::default()).unwrap();
    assert_eq!(source.name(), "standard input");
    assert_eq!(source.bytes_total(), Some(4));
    for _ in 0..2 {
        let mut reader = source.open().unwrap();
        assert_eq!(
            support::read_all(&mut *reader).unwrap(),
            seen(&["a"], &[&["1"]])
        );
        assert_eq!(reader.bytes_read(), 4);
        assert_eq!(reader.fingerprint().unwrap(), Fingerprint::of(text));
    }
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_read_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    let writer = {
        let path = path.clone();
        std::thread::spawn(move || std::fs::write(path, "a\n1\n").unwrap())
    };
    let source = Source::new(&path, CsvOptions::default());
    assert_eq!(source.bytes_total(), None);
    for _ in 0..2 {
        assert_eq!(read_source(&source).unwrap(), seen(&["a"], &[&["1"]]));
    }
    writer.join().unwrap();
}

#[test]
fn a_file_knows_its_length_and_fingerprint_before_the_end_is_reached() {
    let folder = tempfile::tempdir().unwrap();
    let text = "a,b\n1,2\n";
    let path = file(folder.path(), "t.txt", text);
    let source = Source::new(&path, CsvOptions::default());
    assert_eq!(source.path(), Some(path.as_path()));
    assert_eq!(source.bytes_total(), Some(8));
    let mut reader = source.open().unwrap();
    assert_eq!(
        reader.fingerprint().unwrap(),
        Fingerprint::of(text.as_bytes())
    );
}

#[test]
fn a_file_is_read_through_the_same_path_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "t.csv", "a\n1\n");
    let source = Source::new(path, CsvOptions::default());
    let first = source.open().unwrap().fingerprint().unwrap();
    let second = source.open().unwrap().fingerprint().unwrap();
    assert_eq!(first, second);
}

/// A table without a header whose second row is longer than one piece of text.
fn without_header_and_a_long_row() -> String {
    let mut text = format!(
        "Ann Lee,34,HIV,short\nBob Ray,35,flu,{}\n",
        "x".repeat(300_000)
    );
    for row in 0..50 {
        text += &format!("P{row} Q,{},{},n\n", 20 + row % 20, ["HIV", "flu"][row % 2]);
    }
    text
}

#[test]
fn a_header_is_judged_by_whole_rows_however_long_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let wide: String = (0..3)
        .map(|row| {
            let cells: Vec<String> = (0..60_000).map(|at| (at * 7 + row).to_string()).collect();
            cells.join(",") + "\n"
        })
        .collect();
    // The line taken for a header is long itself, and only blank lines follow in the first piece of text.
    let long_first = format!("34,{}\n35,a\n36,b\n", "x".repeat(400_000));
    let blank_lines = format!("34,a\n{}35,a\n36,b\n", "\n".repeat(600_000));
    let quoted = format!("34,a\n35,\"{}\"\n36,b\n", "x\n".repeat(200_000));
    let tables = [
        without_header_and_a_long_row(),
        wide,
        long_first,
        blank_lines,
        quoted,
    ];
    for (at, text) in tables.iter().enumerate() {
        let error = read(text).err().unwrap();
        assert_eq!(error.code(), "header-is-row", "table {at}, spooled");
        let plain = file(folder.path(), "t.csv", text);
        let gzipped = file(folder.path(), "t.csv.gz", gzip(text.as_bytes()));
        for path in [plain, gzipped] {
            let source = Source::new(&path, CsvOptions::default());
            let error = source.open().err().unwrap();
            assert_eq!(error.code(), "header-is-row", "table {at}, {path:?}");
        }
        let options = CsvOptions {
            header: Header::Row,
            ..CsvOptions::default()
        };
        assert!(read_with(text, options).unwrap().rows.len() >= 3);
    }
}

#[test]
fn what_is_wrong_with_the_first_row_is_said_before_the_header_is_believed() {
    let ragged = format!("34,HIV\n35,{},x\n36,flu\n", "x".repeat(300_000));
    let source = Source::spooled(ragged.as_bytes(), CsvOptions::default()).unwrap();
    assert_eq!(source.open().err().unwrap().code(), "ragged-row");
    let open_quote = format!("34,HIV\n35,\"{}\n36,flu\n", "x".repeat(300_000));
    let source = Source::spooled(open_quote.as_bytes(), CsvOptions::default()).unwrap();
    assert_eq!(source.open().err().unwrap().code(), "quote-never-closed");
    let large = format!("34,HIV\n35,{}\n36,flu\n", "x".repeat(3_000_000));
    let options = CsvOptions {
        max_cell_bytes: 1 << 20,
        ..CsvOptions::default()
    };
    let source = Source::spooled(large.as_bytes(), options).unwrap();
    assert_eq!(source.open().err().unwrap().code(), "cell-too-large");
}

#[test]
fn a_file_read_again_is_the_same_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    // More than a block, so that changes in the middle and at the end are told by different hashes.
    let mut text = String::from("name,age\n");
    (0..20_000).for_each(|row| text.push_str(&format!("person {row},{}\n", row % 90)));
    for is_zipped in [false, true] {
        let stored = |text: &str| match is_zipped {
            true => gzip(text.as_bytes()),
            false => text.as_bytes().to_vec(),
        };
        std::fs::write(&path, stored(&text)).unwrap();
        let source = Source::new(&path, CsvOptions::default());
        let read = |again: Option<&Fingerprint>| {
            let mut reader = match again {
                Some(fingerprint) => source.open_again(&RowsSeal::Fingerprint(*fingerprint))?,
                None => source.open()?,
            };
            let mut batch = RowBatch::default();
            while reader.read(&mut batch)? {}
            reader.fingerprint()
        };
        let fingerprint = read(None).unwrap();
        assert_eq!(fingerprint, Fingerprint::of(&stored(&text)));
        assert_eq!(read(Some(&fingerprint)).unwrap(), fingerprint);
        // Of another file nothing is known, so its own fingerprint is taken.
        assert_eq!(
            read(Some(&Fingerprint::of(b"another"))).unwrap(),
            fingerprint
        );
        let mut first = source.open().unwrap();
        assert!(first.leave_fingerprint());
        assert!(first.read(&mut RowBatch::default()).unwrap());
        let seal = first.seal().unwrap();
        assert_eq!(seal.fingerprint(), None);
        let read_rest = |passes_over: bool| {
            let mut reader = source.open_again(&seal)?;
            assert!(reader.read(&mut RowBatch::default())?);
            while passes_over && reader.pass_over()? {}
            assert!(!passes_over || !reader.read(&mut RowBatch::default())?);
            reader.fingerprint()
        };
        assert_eq!(read_rest(false).unwrap(), fingerprint);
        assert_eq!(read_rest(true).unwrap(), fingerprint);
        for other in [
            text.replacen("person 10000,", "person 1000x,", 1),
            text.replacen("person 19999,", "person 1999x,", 1),
            format!("{text}one more,1\n"),
            text.replacen("person 19999,19\n", "", 1),
        ] {
            assert_ne!(other, text);
            std::fs::write(&path, stored(&other)).unwrap();
            for error in [read_rest(false), read_rest(true)] {
                let error = error.unwrap_err();
                assert!(matches!(error, Error::InputChanged { .. }), "{error:?}");
            }
            let error: Error = read(Some(&fingerprint)).unwrap_err();
            assert!(matches!(error, Error::InputChanged { .. }), "{error:?}");
        }
    }
}
