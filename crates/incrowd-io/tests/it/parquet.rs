//! Parquet in and out.
#![cfg(feature = "parquet")]

use crate::support::{self, Rows, WriteUnchanged, batch, columns, file, names, read_source, seen};
use incrowd_core::table::RowBatch;
use incrowd_io::{
    Claims, CsvOptions, Error, Fingerprint, OutputFormat, RowSink, RowsSeal, Sink, Source,
};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray,
    FixedLenByteArrayType, Int32Type, Int64Type,
};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;
use std::path::Path;
use std::sync::Arc;

type Writer<'a> = parquet::file::writer::SerializedRowGroupWriter<'a, Vec<u8>>;

/// A Parquet file of one row group, filled by `fill` column by column.
fn parquet_with(properties: WriterProperties, schema: &str, fill: impl Fn(&mut Writer)) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    fill(&mut group);
    group.close().unwrap();
    writer.into_inner().unwrap()
}

fn parquet(schema: &str, fill: impl Fn(&mut Writer)) -> Vec<u8> {
    parquet_with(WriterProperties::new(), schema, fill)
}

/// Writes the next column; none is null.
fn column<T: DataType>(group: &mut Writer, cells: &[Option<T::T>]) {
    let mut column = group.next_column().unwrap().unwrap();
    let values: Vec<T::T> = cells.iter().flatten().cloned().collect();
    let levels: Vec<i16> = cells.iter().map(|cell| cell.is_some().into()).collect();
    column
        .typed::<T>()
        .write_batch(&values, Some(&levels), None)
        .unwrap();
    column.close().unwrap();
}

fn read(bytes: &[u8]) -> Result<support::Seen, Error> {
    read_source(&Source::spooled(bytes, CsvOptions::default()).unwrap())
}

fn text(value: &str) -> Option<ByteArray> {
    Some(value.into())
}

fn write(path: &Path, names: &[&str], batches: &[RowBatch]) -> incrowd_io::Written {
    let mut sink = Sink::create(
        &Claims::default(),
        path,
        OutputFormat::Parquet,
        &columns(names),
    )
    .unwrap();
    for batch in batches {
        sink.put(batch).unwrap();
    }
    sink.done().unwrap()
}

#[test]
fn the_fingerprint_is_that_of_the_rows_even_if_the_file_is_rewritten_meanwhile() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    write(
        &path,
        &["zip", "ill"],
        &[batch(&[&["1", "flu"], &["2", "cold"]])],
    );
    let first = std::fs::read(&path).unwrap();
    write(
        &path,
        &["zip", "ill"],
        &[batch(&[&["1", "cold"], &["2", "flue"]])],
    );
    let second = std::fs::read(&path).unwrap();
    std::fs::write(&path, &first).unwrap();
    let source = Source::new(&path, CsvOptions::default());

    let mut reader = source.open().unwrap();
    let rows = support::read_all(&mut *reader).unwrap();
    std::fs::write(&path, &second).unwrap();
    // It is taken beside, before or after the file is rewritten.
    match reader.fingerprint() {
        Ok(fingerprint) => assert_eq!(fingerprint, Fingerprint::of(&first)),
        Err(error) => assert!(matches!(error, Error::InputChanged { .. }), "{error:?}"),
    }
    assert_eq!(
        rows,
        seen(&["zip", "ill"], &[&["1", "flu"], &["2", "cold"]])
    );

    let mut reader = source.open().unwrap();
    std::fs::write(&path, &first).unwrap();
    let error = support::read_all(&mut *reader).unwrap_err();
    assert!(matches!(error, Error::InputChanged { .. }), "{error:?}");
    assert!(
        error.hint().contains("nothing was written"),
        "{}",
        error.hint()
    );
}

#[test]
fn every_simple_type_becomes_text_and_null_the_empty_text() {
    let bytes = parquet(
        "message schema {
            optional binary name (STRING);
            optional int32 age;
            optional int64 big (INTEGER(64,false));
            optional double height;
            optional boolean smoker;
            optional int32 born (DATE);
            optional int64 seen (TIMESTAMP(MICROS,true));
            optional int32 money (DECIMAL(9,2));
            optional fixed_len_byte_array(3) more (DECIMAL(6,1));
            optional fixed_len_byte_array(16) id (UUID);
            optional binary old;
            required int32 row;
        }",
        |group| {
            column::<ByteArrayType>(group, &[text("Å"), None]);
            column::<Int32Type>(group, &[Some(39), None]);
            column::<Int64Type>(group, &[Some(-1), None]);
            column::<DoubleType>(group, &[Some(1.75), None]);
            column::<BoolType>(group, &[Some(true), None]);
            column::<Int32Type>(group, &[Some(19_782), None]);
            column::<Int64Type>(group, &[Some(1_000_000), None]);
            column::<Int32Type>(group, &[Some(-105), None]);
            let fixed = |bytes: &[u8]| Some(FixedLenByteArray::from(bytes.to_vec()));
            column::<FixedLenByteArrayType>(group, &[fixed(&[0, 1, 0]), None]);
            column::<FixedLenByteArrayType>(group, &[fixed(&[0xab; 16]), None]);
            column::<ByteArrayType>(group, &[text("as bytes"), None]);
            column::<Int32Type>(group, &[Some(1), Some(2)]);
        },
    );
    let table = read(&bytes).unwrap();
    assert_eq!(
        table.rows,
        [
            [
                "Å",
                "39",
                "18446744073709551615",
                "1.75",
                "true",
                "2024-02-29",
                "1970-01-01T00:00:01Z",
                "-1.05",
                "25.6",
                "abababab-abab-abab-abab-abababababab",
                "as bytes",
                "1"
            ],
            ["", "", "", "", "", "", "", "", "", "", "", "2"]
        ]
    );
    assert_eq!(table.columns[..3], ["name", "age", "big"]);
}

#[test]
fn every_compression_that_is_built_in_and_both_page_formats_are_read() {
    let cells: Vec<_> = (0..10_000)
        .map(|at| text(&format!("value {}", at % 50)))
        .collect();
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4_RAW,
    ] {
        for (version, dictionary) in [
            (WriterVersion::PARQUET_1_0, true),
            (WriterVersion::PARQUET_2_0, true),
            (WriterVersion::PARQUET_2_0, false),
        ] {
            let mut properties = WriterProperties::builder()
                .set_compression(compression)
                .set_writer_version(version)
                .set_dictionary_enabled(dictionary);
            if !dictionary {
                properties = properties.set_encoding(Encoding::DELTA_BYTE_ARRAY);
            }
            let schema = "message schema { optional binary a (STRING); }";
            let bytes = parquet_with(properties.build(), schema, |group| {
                column::<ByteArrayType>(group, &cells);
            });
            let table = read(&bytes).unwrap();
            assert_eq!(table.rows.len(), 10_000);
            assert_eq!(table.rows[9_999], ["value 49"]);
        }
    }
}

#[test]
fn columns_of_columns_and_of_lists_are_refused_by_name() {
    for (schema, name) in [
        (
            "message schema { required group a { required int32 b; } }",
            "a",
        ),
        ("message schema { repeated int32 list; }", "list"),
        (
            "message schema { required fixed_len_byte_array(5) raw; }",
            "raw",
        ),
        ("message schema { required binary b (BSON); }", "b"),
        (
            "message schema { required fixed_len_byte_array(12) i (INTERVAL); }",
            "i",
        ),
    ] {
        let schema_of = Arc::new(parse_message_type(schema).unwrap());
        let writer = SerializedFileWriter::new(Vec::new(), schema_of, Default::default()).unwrap();
        let error = read(&writer.into_inner().unwrap()).unwrap_err();
        assert!(
            matches!(&error, Error::UnsupportedColumnType { column, .. } if column == name),
            "{error:?}"
        );
        assert!(error.place().is_some());
    }
}

#[test]
fn types_that_cannot_be_read_are_named_in_plain_words() {
    for (column, kind) in [
        (
            "required fixed_len_byte_array(26) d (DECIMAL(60, 1))",
            "a decimal number of 60 digits (at most 38 are supported)",
        ),
        ("required binary b (BSON)", "a BSON document"),
        (
            "required fixed_len_byte_array(12) i (INTERVAL)",
            "a time interval",
        ),
        (
            "required fixed_len_byte_array(2) f (FLOAT16)",
            "a 16-bit number",
        ),
        ("required fixed_len_byte_array(5) raw", "raw bytes"),
        ("required group a { required int32 b; }", "nested"),
        ("repeated int32 l", "a list"),
    ] {
        let separator = if column.ends_with('}') { "" } else { ";" };
        let schema = format!("message schema {{ {column}{separator} }}");
        let schema = Arc::new(parse_message_type(&schema).unwrap());
        let writer = SerializedFileWriter::new(Vec::new(), schema, Default::default()).unwrap();
        let error = read(&writer.into_inner().unwrap()).unwrap_err();
        let place = error.place().unwrap();
        assert!(
            place.ends_with(&format!("; the type is {kind}")),
            "{column}: {place}"
        );
        // Neither Rust nor Parquet's own spelling.
        assert!(
            !place.contains(['{', '}', '_']) && !place.contains("Type"),
            "{place}"
        );
    }
}

#[test]
fn a_file_without_rows_is_refused() {
    let schema = Arc::new(parse_message_type("message schema { required int32 a; }").unwrap());
    let writer = SerializedFileWriter::new(Vec::new(), schema, Default::default()).unwrap();
    let error = read(&writer.into_inner().unwrap()).unwrap_err();
    assert!(matches!(error, Error::NoRows { .. }));
}

#[test]
fn text_that_is_not_utf8_is_pointed_at() {
    let bytes = parquet(
        "message schema { optional binary a; required int32 b; }",
        |group| {
            let cells = [text("x"), None, Some(ByteArray::from(vec![0xff]))];
            column::<ByteArrayType>(group, &cells);
            column::<Int32Type>(group, &[Some(1), Some(2), Some(3)]);
        },
    );
    let error = read(&bytes).unwrap_err();
    assert!(matches!(
        error,
        Error::NotUtf8 {
            row: Some(3),
            position: 1,
            ..
        }
    ));
}

#[test]
fn what_is_not_parquet_or_is_cut_short_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    write(&path, &["a"], &[batch(&[&["1"]])]);
    let whole = std::fs::read(&path).unwrap();
    for content in [&b"a,b\n1,2\n"[..], b"PAR1", &whole[..whole.len() - 5]] {
        file(folder.path(), "t.parquet", content);
        let error = read_source(&Source::new(&path, CsvOptions::default())).unwrap_err();
        assert!(matches!(error, Error::BrokenParquet { .. }), "{error:?}");
        assert!(!error.hint().is_empty());
    }
}

#[test]
fn rows_of_many_batches_and_row_groups_come_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let mut sink = Sink::create(
        &Claims::default(),
        &path,
        OutputFormat::Parquet,
        &columns(&["a", "b"]),
    )
    .unwrap();
    assert!(sink.encoder().is_none());
    let mut rows = RowBatch::new(2);
    for first in (0..300_000_u64).step_by(5000) {
        rows.clear(first);
        for row in first..first + 5000 {
            rows.push_cell(row.to_string().as_bytes());
            rows.push_cell(if row % 3 == 0 { b"" } else { b"x" });
        }
        sink.put(&rows).unwrap();
    }
    sink.done().unwrap();
    let table = read_source(&Source::new(&path, CsvOptions::default())).unwrap();
    assert_eq!(table.rows.len(), 300_000);
    for (at, row) in table.rows.iter().enumerate() {
        assert_eq!(row[0], at.to_string());
        assert_eq!(row[1], if at % 3 == 0 { "" } else { "x" });
    }
}

#[test]
fn equal_tables_make_equal_files() {
    let folder = tempfile::tempdir().unwrap();
    let rows = batch(&[&["1", "x"], &["2", ""]]);
    let one = write(
        &folder.path().join("1.parquet"),
        &["a", "b"],
        std::slice::from_ref(&rows),
    );
    let two = write(&folder.path().join("2.parquet"), &["a", "b"], &[rows]);
    assert_eq!(one, two);
    let content = std::fs::read(folder.path().join("1.parquet")).unwrap();
    assert_eq!(one.sha256, Fingerprint::of(&content));
    assert_eq!(one.bytes, content.len() as u64);
    let created_by = b"incrowd version";
    assert!(
        content
            .windows(created_by.len())
            .any(|part| part == created_by)
    );
}

#[test]
fn a_dropped_sink_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let mut sink = Sink::create(
        &Claims::default(),
        &path,
        OutputFormat::Parquet,
        &columns(&["a"]),
    )
    .unwrap();
    sink.put(&batch(&[&["1"]])).unwrap();
    drop(sink);
    assert!(names(folder.path()).is_empty());
}

#[test]
fn parquet_is_known_by_its_first_bytes_and_told_by_its_fingerprint() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let written = write(&path, &["a"], &[batch(&[&["1"]])]);
    let renamed = folder.path().join("t.data");
    std::fs::rename(&path, &renamed).unwrap();
    let source = Source::new(&renamed, CsvOptions::default());
    let mut reader = source.open().unwrap();
    assert_eq!(reader.delimiter(), None);
    assert_eq!(
        support::read_all(&mut *reader).unwrap(),
        seen(&["a"], &[&["1"]])
    );
    assert_eq!(reader.fingerprint().unwrap(), written.sha256);
    assert_eq!(Some(reader.bytes_read()), source.bytes_total());
}

#[test]
fn what_is_passed_over_is_as_it_was_or_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let texts: Vec<String> = (0..100_000).map(|at| format!("text {at}")).collect();
    let rows: Vec<[&str; 1]> = texts.iter().map(|text| [text.as_str()]).collect();
    let rows: Vec<&[&str]> = rows.iter().map(|row| &row[..]).collect();
    let written = write(&path, &["a"], &[batch(&rows)]);
    let source = Source::new(&path, CsvOptions::default());
    let mut first = source.open().unwrap();
    let read = support::read_all(&mut *first).unwrap();
    assert_eq!(read.rows.len(), texts.len());
    let seal = first.seal().unwrap();
    for reads_some in [false, true] {
        let mut reader = source.open_again(&seal).unwrap();
        assert!(reader.passes_over_quickly());
        let mut batch = RowBatch::default();
        assert!(!reads_some || reader.read(&mut batch).unwrap());
        let mut parts = 0;
        while reader.pass_over().unwrap() {
            parts += 1;
        }
        assert!(parts > 1 && Some(reader.bytes_read()) == source.bytes_total());
        assert!(!reader.read(&mut batch).unwrap() && batch.rows() == 0);
        assert!(!reader.pass_over().unwrap());
        assert_eq!(reader.fingerprint().unwrap(), written.sha256);
    }
    let whole = std::fs::read(&path).unwrap();
    for at in [4, whole.len() / 2, whole.len() - 1] {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        std::fs::write(&path, whole.clone()).unwrap();
        let mut reader = source.open_again(&seal).unwrap();
        std::fs::write(&path, changed).unwrap();
        let error = loop {
            match reader.pass_over() {
                Ok(is_more) => assert!(is_more, "byte {at}"),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, Error::InputChanged { .. }), "{error:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_called_a_full_disk() {
    let mut sink = Sink::create(
        &Claims::default(),
        "/dev/full",
        OutputFormat::Parquet,
        &columns(&["a"]),
    )
    .unwrap();
    sink.put(&batch(&[&["1"]])).unwrap();
    assert!(matches!(sink.done(), Err(Error::DiskFull { .. })));
}

proptest! {
    #[test]
    fn what_is_written_as_parquet_is_read_back(
        rows in (1..4_usize).prop_flat_map(|columns| {
            proptest::collection::vec(proptest::collection::vec("[ab\",äß\n]{0,5}", columns), 1..50)
        }),
    ) {
        let rows: Rows = rows;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        let names: Vec<String> = (0..rows[0].len()).map(|at| format!("c{at}")).collect();
        let mut cells = RowBatch::new(names.len());
        for cell in rows.iter().flatten() {
            cells.push_cell(cell.as_bytes());
        }
        let mut sink = Sink::create(&Claims::default(), &path, OutputFormat::Parquet, &names).unwrap();
        sink.put(&cells).unwrap();
        sink.done().unwrap();
        let table = read_source(&Source::new(&path, CsvOptions::default())).unwrap();
        prop_assert_eq!(table.columns, names);
        prop_assert_eq!(table.rows, rows);
    }

    #[test]
    fn a_damaged_file_is_read_or_refused(
        damage in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = parquet(
            "message schema { optional binary a (STRING); required int32 b; }",
            |group| {
                column::<ByteArrayType>(group, &[text("x"), None, text("yy")]);
                column::<Int32Type>(group, &[Some(1), Some(2), Some(3)]);
            },
        );
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = read(&bytes);
    }
}

#[test]
fn a_file_read_again_is_the_same_or_refused() {
    let ages = |ages: &[i64]| {
        let ages = ages.to_vec();
        parquet("message t { required int64 age; }", move |group| {
            let mut column = group.next_column().unwrap().unwrap();
            let typed = column.typed::<Int64Type>();
            typed.write_batch(&ages, None, None).unwrap();
            column.close().unwrap();
        })
    };
    let first = ages(&[34, 35]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    std::fs::write(&path, &first).unwrap();
    let source = Source::new(&path, CsvOptions::default());
    let fingerprint = source.open().unwrap().fingerprint().unwrap();
    let read_again = || {
        let mut reader = source.open_again(&RowsSeal::Fingerprint(fingerprint))?;
        let mut batch = RowBatch::default();
        let mut rows = 0;
        while reader.read(&mut batch)? {
            rows += batch.rows();
        }
        Ok((rows, reader.fingerprint()?))
    };
    assert_eq!(read_again().unwrap(), (2, Fingerprint::of(&first)));
    let mut flipped = first.clone();
    // In the page of the column.
    flipped[20] ^= 1;
    for other in [ages(&[34, 36]), ages(&[34, 35, 36]), flipped] {
        std::fs::write(&path, &other).unwrap();
        let error: Error = read_again().unwrap_err();
        assert!(matches!(error, Error::InputChanged { .. }), "{error:?}");
    }
    std::fs::write(&path, &first).unwrap();
    assert!(read_again().is_ok());
}
