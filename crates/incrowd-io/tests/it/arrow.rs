//! Arrow record batches in: every cell reads as the same value in a Parquet file does.
#![cfg(feature = "arrow")]

use crate::support::{self, Rows, WriteUnchanged, seen};
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::*;
use arrow_schema::{DataType, Field, Fields, IntervalUnit, Schema, TimeUnit};
use incrowd_core::table::RowBatch;
use incrowd_io::{ArrowTable, Error, MemoryTable, RowSink, RowSource};
use std::sync::Arc;

/// A table of one column, `a`.
fn table(array: impl Array + 'static) -> ArrowTable {
    let field = Field::new("a", array.data_type().clone(), true);
    let schema = Arc::new(Schema::new(vec![field]));
    let batch = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(array)]).unwrap();
    ArrowTable::new(schema, [batch]).unwrap()
}

fn texts(source: &dyn RowSource) -> Vec<String> {
    let seen = support::read_all(&mut *source.open().unwrap()).unwrap();
    seen.rows.into_iter().flatten().collect()
}

/// A table of many types, in batches of two rows and one.
fn patients() -> ArrowTable {
    let names = StringArray::from(vec![Some("Å"), Some(""), None]);
    let ages = UInt8Array::from(vec![Some(39), None, Some(41)]);
    let ill: DictionaryArray<Int8Type> =
        vec![Some("flu"), None, Some("cold")].into_iter().collect();
    let columns: [(&str, ArrayRef); 3] = [
        ("name", Arc::new(names)),
        ("age", Arc::new(ages)),
        ("ill", Arc::new(ill)),
    ];
    let all = RecordBatch::try_from_iter(columns).unwrap();
    let empty = all.slice(1, 0);
    let batches = [
        empty.clone(),
        all.slice(0, 2),
        empty.clone(),
        all.slice(2, 1),
        empty,
    ];
    ArrowTable::new(all.schema(), batches).unwrap()
}

#[test]
fn rows_are_handed_out_across_batches_and_nulls_are_empty() {
    let table = patients();
    let expected = seen(
        &["name", "age", "ill"],
        &[&["Å", "39", "flu"], &["", "", ""], &["", "41", "cold"]],
    );
    for _ in 0..2 {
        assert_eq!(
            support::read_all(&mut *table.open().unwrap()).unwrap(),
            expected
        );
    }
}

#[test]
fn long_tables_are_handed_out_in_order_whatever_the_batches() {
    for size in [1, 7, 4095, 4096, 4097, 20_000] {
        let numbers: Vec<i64> = (0..10_000).collect();
        let schema = Arc::new(Schema::new(vec![Field::new("a", DataType::Int64, false)]));
        let batches = numbers.chunks(size).map(|part| {
            let array = Arc::new(Int64Array::from(part.to_vec()));
            RecordBatch::try_new(Arc::clone(&schema), vec![array]).unwrap()
        });
        let table = ArrowTable::new(Arc::clone(&schema), batches).unwrap();
        let mut reader = table.open().unwrap();
        let rows = support::read_all(&mut *reader).unwrap().rows;
        let expected: Rows = numbers.iter().map(|n| vec![n.to_string()]).collect();
        assert_eq!(rows, expected, "{size}");
        assert_eq!(Some(reader.bytes_read()), table.bytes_total());
    }
}

#[test]
fn the_fingerprint_is_that_of_the_same_table_in_memory() {
    let table = patients();
    let rows = support::read_all(&mut *table.open().unwrap()).unwrap().rows;
    let of = |source: &dyn RowSource| source.open().unwrap().fingerprint().unwrap();
    let same = MemoryTable::new(["name", "age", "ill"], &rows).unwrap();
    assert_eq!(of(&table), of(&same));
    let mut changed = rows.clone();
    changed[1][2] = "flu".into();
    assert_ne!(
        of(&table),
        of(&MemoryTable::new(["name", "age", "ill"], changed).unwrap())
    );
    assert_ne!(
        of(&table),
        of(&MemoryTable::new(["name", "age", "I"], rows).unwrap())
    );
    // Taken half-way, it is still that of the whole table.
    let mut reader = table.open().unwrap();
    reader.read(&mut RowBatch::default()).unwrap();
    assert_eq!(reader.fingerprint().unwrap(), of(&table));
}

#[test]
fn tables_without_rows_or_with_unusable_names_are_refused() {
    let field = |name: &str| Field::new(name, DataType::Utf8, true);
    let new = |names: &[&str]| {
        let fields: Vec<Field> = names.iter().map(|name| field(name)).collect();
        ArrowTable::new(Arc::new(Schema::new(fields)), [])
    };
    assert!(matches!(new(&[]), Err(Error::Empty { .. })));
    assert!(matches!(
        new(&["a", ""]),
        Err(Error::EmptyColumnName { position: 2, .. })
    ));
    let error = new(&["a", "b", "a"]);
    assert!(matches!(
        error,
        Err(Error::DuplicateColumn {
            first: 1,
            second: 3,
            ..
        })
    ));
    let none = new(&["a", "b"]).unwrap();
    assert!(matches!(none.open().err(), Some(Error::NoRows { .. })));
    let empty = table(StringArray::from(Vec::<&str>::new()));
    assert!(matches!(empty.open().err(), Some(Error::NoRows { .. })));
}

#[test]
fn a_batch_of_another_table_is_refused() {
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1]));
    let short: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    let batch = |columns: &[(&str, &ArrayRef)]| {
        let columns = columns
            .iter()
            .map(|(name, array)| (*name, Arc::clone(array)));
        RecordBatch::try_from_iter(columns).unwrap()
    };
    let one = batch(&[("a", &numbers), ("b", &numbers)]);
    for other in [
        batch(&[("a", &numbers), ("c", &numbers)]),
        batch(&[("b", &numbers), ("a", &numbers)]),
        batch(&[("a", &numbers), ("b", &short)]),
        batch(&[("a", &numbers)]),
        batch(&[("a", &numbers), ("b", &numbers), ("c", &numbers)]),
    ] {
        let error = ArrowTable::new(one.schema(), [one.clone(), other]).unwrap_err();
        assert!(
            matches!(error, Error::BatchesDiffer { batch: 2, .. }),
            "{error:?}"
        );
        assert_eq!(error.place().unwrap(), "the Arrow table");
    }
}

#[test]
fn bytes_are_read_if_they_are_text() {
    let good: [&[u8]; 2] = ["Å".as_bytes(), b""];
    assert_eq!(texts(&table(BinaryArray::from(good.to_vec()))), ["Å", ""]);
    assert_eq!(
        texts(&table(LargeBinaryArray::from(good.to_vec()))),
        ["Å", ""]
    );
    assert_eq!(
        texts(&table(BinaryViewArray::from(good.to_vec()))),
        ["Å", ""]
    );
    let broken = table(BinaryArray::from(vec![&b"a"[..], b"Gr\xe9ta"]));
    let error = support::read_all(&mut *broken.open().unwrap()).unwrap_err();
    assert!(
        matches!(
            error,
            Error::NotUtf8 {
                row: Some(2),
                position: 1,
                ..
            }
        ),
        "{error:?}"
    );
}

#[test]
fn dictionaries_are_read_by_their_values() {
    let keys = Int32Array::from(vec![Some(2), None, Some(0), Some(1)]);
    let values: ArrayRef = Arc::new(StringArray::from(vec![Some("b"), None, Some("a")]));
    let words = DictionaryArray::<Int32Type>::new(keys, values);
    assert_eq!(texts(&table(words.clone())), ["a", "", "b", ""]);
    assert_eq!(texts(&table(words.slice(2, 2))), ["b", ""]);
    let days: ArrayRef = Arc::new(Date32Array::from(vec![19_782]));
    let days = DictionaryArray::<Int32Type>::new(Int32Array::from(vec![0, 0]), days);
    assert_eq!(texts(&table(days)), ["2024-02-29", "2024-02-29"]);
    let nothing: DictionaryArray<Int8Type> = vec![None::<&str>, None].into_iter().collect();
    assert_eq!(texts(&table(nothing)), ["", ""]);
}

#[test]
fn a_column_that_is_no_single_text_is_refused_by_name_in_plain_words() {
    let item = || Arc::new(Field::new("item", DataType::Utf8, true));
    let pair = || DataType::Struct(Fields::from(vec![Field::new("x", DataType::Utf8, true)]));
    let kinds = [
        (DataType::List(item()), "a list"),
        (DataType::LargeListView(item()), "a list"),
        (DataType::FixedSizeList(item(), 2), "a list"),
        (pair(), "nested"),
        (DataType::Float16, "a 16-bit number"),
        (DataType::FixedSizeBinary(4), "bytes without a meaning"),
        (DataType::Duration(TimeUnit::Second), "a length of time"),
        (
            DataType::Interval(IntervalUnit::DayTime),
            "an interval of time",
        ),
        (
            DataType::Decimal256(76, 2),
            "a decimal number of 76 digits (at most 38 are supported)",
        ),
        (
            DataType::Decimal256(20, 2),
            "a decimal number of 256 bits (at most 128 are supported)",
        ),
        (
            DataType::Decimal128(10, -2),
            "a decimal number with a point outside of its digits",
        ),
        (
            DataType::Dictionary(Box::new(DataType::Int8), Box::new(pair())),
            "nested",
        ),
    ];
    for (kind, words) in kinds {
        let fields = vec![
            Field::new("age", DataType::Int32, true),
            Field::new("visits", kind, true),
        ];
        match ArrowTable::new(Arc::new(Schema::new(fields)), []) {
            Err(Error::UnsupportedColumnType { column, kind, .. }) => {
                assert_eq!((column.as_str(), kind.as_str()), ("visits", words));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[cfg(feature = "parquet")]
mod as_parquet {
    use super::*;
    use crate::parquet_types::one_column;
    use incrowd_io::{Claims, CsvOptions, OutputFormat, Sink, Source};
    use parquet::data_type as stored;
    use parquet::data_type::{ByteArray, DataType, FixedLenByteArray};

    /// Sees that an array with a null at its end, and a Parquet file of the values before it, read as these texts; and
    /// that its columns have the same texts when they were stored in Parquet with their types.
    #[track_caller]
    fn reads_as<T: DataType>(
        array: impl Array + 'static,
        kind: &str,
        values: &[T::T],
        expected: &[&str],
    ) {
        let of_arrow = format!("{:?}", array.data_type());
        let expected: Vec<&str> = expected.iter().copied().chain([""]).collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.parquet");
        one_column::<T>(&path, kind, values);
        let of_file = |path| texts(&Source::new(path, CsvOptions::default()));
        assert_eq!(of_file(&path), expected, "{kind}");
        let table = table(array);
        assert_eq!(texts(&table), expected, "{of_arrow}");

        let path = folder.path().join("copy.parquet");
        let mut reader = table.open().unwrap();
        let (claims, columns) = (Claims::default(), reader.columns());
        let mut sink = Sink::create(&claims, &path, OutputFormat::Parquet, columns).unwrap();
        sink.begin(&[], Some(reader.types().unwrap())).unwrap();
        let mut batch = RowBatch::default();
        while reader.read(&mut batch).unwrap() {
            sink.put(&batch).unwrap();
        }
        sink.done().unwrap();
        assert_eq!(of_file(&path), expected, "{of_arrow} stored");
    }

    /// The values, and a null.
    fn with_null<T: Clone>(values: &[T]) -> Vec<Option<T>> {
        values.iter().cloned().map(Some).chain([None]).collect()
    }

    #[test]
    fn text() {
        let words = ["Å", "007", " x "];
        let stored: Vec<ByteArray> = words.iter().map(|&word| word.into()).collect();
        let cells = || with_null(&words);
        let bytes = || {
            cells()
                .into_iter()
                .map(|cell| cell.map(str::as_bytes))
                .collect::<Vec<_>>()
        };
        let kind = "binary a (STRING)";
        reads_as::<stored::ByteArrayType>(StringArray::from(cells()), kind, &stored, &words);
        reads_as::<stored::ByteArrayType>(LargeStringArray::from(cells()), kind, &stored, &words);
        reads_as::<stored::ByteArrayType>(StringViewArray::from(cells()), kind, &stored, &words);
        let dictionary: DictionaryArray<Int8Type> = cells().into_iter().collect();
        reads_as::<stored::ByteArrayType>(dictionary, kind, &stored, &words);
        let kind = "binary a";
        reads_as::<stored::ByteArrayType>(BinaryArray::from(bytes()), kind, &stored, &words);
        reads_as::<stored::ByteArrayType>(NullArray::new(1), kind, &[], &[]);
    }

    #[test]
    fn truth_values_and_numbers() {
        reads_as::<stored::BoolType>(
            BooleanArray::from(with_null(&[true, false])),
            "boolean a",
            &[true, false],
            &["true", "false"],
        );
        macro_rules! whole {
            ($array:ty, $native:ty, $stored:ty, $kind:expr) => {{
                let values = [0, 7, <$native>::MIN, <$native>::MAX];
                let texts = values.map(|value| value.to_string());
                reads_as::<$stored>(
                    <$array>::from(with_null(&values)),
                    $kind,
                    &values.map(|value| value as _),
                    &texts.each_ref().map(String::as_str),
                );
            }};
        }
        whole!(
            Int8Array,
            i8,
            stored::Int32Type,
            "int32 a (INTEGER(8,true))"
        );
        whole!(
            Int16Array,
            i16,
            stored::Int32Type,
            "int32 a (INTEGER(16,true))"
        );
        whole!(Int32Array, i32, stored::Int32Type, "int32 a");
        whole!(Int64Array, i64, stored::Int64Type, "int64 a");
        whole!(
            UInt8Array,
            u8,
            stored::Int32Type,
            "int32 a (INTEGER(8,false))"
        );
        whole!(
            UInt16Array,
            u16,
            stored::Int32Type,
            "int32 a (INTEGER(16,false))"
        );
        whole!(
            UInt32Array,
            u32,
            stored::Int32Type,
            "int32 a (INTEGER(32,false))"
        );
        whole!(
            UInt64Array,
            u64,
            stored::Int64Type,
            "int64 a (INTEGER(64,false))"
        );
        let single = [0.1, -0.0, 39.0, f32::MAX, f32::NAN, f32::INFINITY];
        reads_as::<stored::FloatType>(
            Float32Array::from(with_null(&single)),
            "float a",
            &single,
            &["0.1", "-0.0", "39.0", "3.4028235e38", "NaN", "inf"],
        );
        let double = [0.1, 1e300, 39.0, 5e-324, f64::NEG_INFINITY];
        reads_as::<stored::DoubleType>(
            Float64Array::from(with_null(&double)),
            "double a",
            &double,
            &["0.1", "1e300", "39.0", "5e-324", "-inf"],
        );
    }

    #[test]
    fn decimal_numbers() {
        let texts = ["0.00", "-0.05", "1.05", "9999999.99"];
        let short = [0, -5, 105, 999_999_999];
        let long = short.map(i64::from);
        reads_as::<stored::Int32Type>(
            Decimal32Array::from(with_null(&short))
                .with_precision_and_scale(9, 2)
                .unwrap(),
            "int32 a (DECIMAL(9,2))",
            &short,
            &texts,
        );
        reads_as::<stored::Int64Type>(
            Decimal64Array::from(with_null(&long))
                .with_precision_and_scale(18, 2)
                .unwrap(),
            "int64 a (DECIMAL(18,2))",
            &long,
            &texts,
        );
        let most = 10_i128.pow(38) - 1;
        let wide = [0, -5, most, -most];
        let fixed = wide.map(|value| FixedLenByteArray::from(value.to_be_bytes().to_vec()));
        for (scale, texts) in [
            (
                0,
                [
                    "0",
                    "-5",
                    "99999999999999999999999999999999999999",
                    "-99999999999999999999999999999999999999",
                ],
            ),
            (
                38,
                [
                    "0.00000000000000000000000000000000000000",
                    "-0.00000000000000000000000000000000000005",
                    "0.99999999999999999999999999999999999999",
                    "-0.99999999999999999999999999999999999999",
                ],
            ),
        ] {
            reads_as::<stored::FixedLenByteArrayType>(
                Decimal128Array::from(with_null(&wide))
                    .with_precision_and_scale(38, scale)
                    .unwrap(),
                &format!("fixed_len_byte_array(16) a (DECIMAL(38,{scale}))"),
                &fixed,
                &texts,
            );
        }
    }

    #[test]
    fn dates_and_times() {
        let days = [0, -1, 19_782, -719_528];
        let texts = ["1970-01-01", "1969-12-31", "2024-02-29", "0000-01-01"];
        let kind = "int32 a (DATE)";
        let array = Date32Array::from(with_null(&days));
        reads_as::<stored::Int32Type>(array, kind, &days, &texts);
        let milliseconds = days.map(|day| i64::from(day) * 86_400_000);
        let array = Date64Array::from(with_null(&milliseconds));
        reads_as::<stored::Int32Type>(array, kind, &days, &texts);
        // A day in milliseconds should be a whole one. What is more is neither lost nor taken for another day.
        let odd = table(Date64Array::from(vec![-1, 1]));
        let texts = super::texts(&odd);
        assert_eq!(
            texts,
            ["1969-12-31T23:59:59.999", "1970-01-01T00:00:00.001"]
        );

        let kind = "int32 a (TIME(MILLIS,false))";
        let array = Time32SecondArray::from(with_null(&[0, 86_399]));
        let texts = ["00:00:00", "23:59:59"];
        reads_as::<stored::Int32Type>(array, kind, &[0, 86_399_000], &texts);
        let values = [0, 86_399_999];
        let array = Time32MillisecondArray::from(with_null(&values));
        let texts = ["00:00:00", "23:59:59.999"];
        reads_as::<stored::Int32Type>(array, kind, &values, &texts);
        let values = [1, 86_399_999_999];
        let array = Time64MicrosecondArray::from(with_null(&values));
        let texts = ["00:00:00.000001", "23:59:59.999999"];
        reads_as::<stored::Int64Type>(array, "int64 a (TIME(MICROS,false))", &values, &texts);
        let values = [1, 86_399_999_999_999];
        let array = Time64NanosecondArray::from(with_null(&values));
        let texts = ["00:00:00.000000001", "23:59:59.999999999"];
        reads_as::<stored::Int64Type>(array, "int64 a (TIME(NANOS,false))", &values, &texts);
    }

    #[test]
    fn timestamps_of_every_unit_with_and_without_a_zone() {
        for zone in [None, Some("UTC"), Some("Europe/Oslo"), Some("+05:30")] {
            let kind = |unit| format!("int64 a (TIMESTAMP({unit},{}))", zone.is_some());
            // In a zone or not, the number counts from 1970 in universal time.
            let mark = if zone.is_some() { "Z" } else { "" };
            let check = |array: ArrayRef, kind: String, values: &[i64], texts: &[&str]| {
                let texts: Vec<String> = texts.iter().map(|text| format!("{text}{mark}")).collect();
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                reads_as::<stored::Int64Type>(array, &kind, values, &texts);
            };
            let values = [-1, 1_709_210_096];
            let array = TimestampSecondArray::from(with_null(&values)).with_timezone_opt(zone);
            let texts = ["1969-12-31T23:59:59", "2024-02-29T12:34:56"];
            check(
                Arc::new(array),
                kind("MILLIS"),
                &values.map(|it| it * 1000),
                &texts,
            );
            let values = [-1, 1_709_210_096_123];
            let array = TimestampMillisecondArray::from(with_null(&values)).with_timezone_opt(zone);
            let texts = ["1969-12-31T23:59:59.999", "2024-02-29T12:34:56.123"];
            check(Arc::new(array), kind("MILLIS"), &values, &texts);
            let values = [-1, 1_709_210_096_000_000];
            let array = TimestampMicrosecondArray::from(with_null(&values)).with_timezone_opt(zone);
            let texts = ["1969-12-31T23:59:59.999999", "2024-02-29T12:34:56"];
            check(Arc::new(array), kind("MICROS"), &values, &texts);
            let values = [i64::MIN, i64::MAX];
            let array = TimestampNanosecondArray::from(with_null(&values)).with_timezone_opt(zone);
            let texts = [
                "1677-09-21T00:12:43.145224192",
                "2262-04-11T23:47:16.854775807",
            ];
            check(Arc::new(array), kind("NANOS"), &values, &texts);
        }
    }
}

/// Columns of all that a pass tells apart: few texts, some hundred, too many or too long to have numbers, and whole numbers.
fn people() -> RecordBatch {
    let texts = |text: fn(usize) -> String| {
        let cells = (0..40_000).map(|row| (row % 7 > 0).then(|| text(row)));
        Arc::new(cells.collect::<StringArray>()) as ArrayRef
    };
    let keys = Int32Array::from_iter_values((0..40_000).map(|row| row % 3));
    let values = Arc::new(StringArray::from(vec!["flu", "cold", "gout"]));
    let columns: [(&str, ArrayRef); 6] = [
        ("few", texts(|row| (row % 10).to_string())),
        ("hundreds", texts(|row| (row * row % 900).to_string())),
        ("all", texts(|row| format!("person {row}"))),
        ("long", texts(|row| "x".repeat(row % 400))),
        (
            "number",
            Arc::new(Int64Array::from_iter_values((0..40_000).map(|n| n % 80))),
        ),
        (
            "ill",
            Arc::new(DictionaryArray::<Int32Type>::try_new(keys, values).unwrap()),
        ),
    ];
    RecordBatch::try_from_iter(columns).unwrap()
}

#[test]
fn later_passes_meet_what_the_first_has_met() {
    let all = people();
    for size in [1000, 8192, 40_000] {
        let parts = (0..40_000).step_by(size);
        let parts = parts.map(|first| all.slice(first, size.min(40_000 - first)));
        let table = ArrowTable::new(all.schema(), parts).unwrap();
        // One that ends early keeps nothing.
        table
            .open()
            .unwrap()
            .read(&mut RowBatch::default())
            .unwrap();
        let passes = [(); 3].map(|()| {
            let mut reader = table.open().unwrap();
            let rows = support::read_all(&mut *reader).unwrap();
            (rows, reader.fingerprint().unwrap())
        });
        let row = &passes[0].0.rows[1006];
        assert_eq!(row[..2], ["6", "436"]);
        assert_eq!((&row[2][..], row[3].len()), ("person 1006", 206));
        assert_eq!(row[4..], ["46", "cold"]);
        assert!(passes.iter().all(|pass| pass == &passes[0]), "{size}");
        let unread = table.open().unwrap().fingerprint().unwrap();
        assert_eq!(unread, passes[0].1);
    }
}
