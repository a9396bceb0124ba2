//! What sinks leave on the disk, and when.

use crate::support::{WriteUnchanged, batch, columns, file, names, read_source, seen};
use incrowd_io::{
    Claims, CsvOptions, EncodedRows, Error, Fingerprint, OutputFormat, RowSink, Sink, Source,
    WorkBetween, write_atomically,
};
use incrowd_testkit::unchanged;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn create(path: &Path, names: &[&str]) -> Sink {
    Sink::create(
        &Claims::default(),
        path,
        OutputFormat::of_path(path).unwrap(),
        &columns(names),
    )
    .unwrap()
}

fn content(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

#[test]
fn the_end_of_the_name_tells_the_format() {
    let csv = |delimiter| OutputFormat::Csv { delimiter };
    let gzip = |delimiter| OutputFormat::CsvGzip { delimiter };
    for (name, format) in [
        ("t.csv", csv(b',')),
        ("T.CSV", csv(b',')),
        ("t.tsv", csv(b'\t')),
        ("t.csv.gz", gzip(b',')),
        ("t.tsv.gz", gzip(b'\t')),
        ("-", csv(b',')),
        ("t.parquet", OutputFormat::Parquet),
    ] {
        assert_eq!(OutputFormat::of_path(name).unwrap(), format);
    }
    assert_eq!(csv(b',').with_delimiter(b';'), csv(b';'));
    assert_eq!(
        OutputFormat::Parquet.with_delimiter(b';'),
        OutputFormat::Parquet
    );
}

#[test]
fn csv_appears_when_finished_and_not_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let mut sink = create(&path, &["a", "b"]);
    sink.put(&batch(&[&["1", "x, y"], &["2", ""]])).unwrap();
    assert!(!path.exists());
    let written = sink.done().unwrap();
    assert_eq!(content(&path), b"a,b\n1,\"x, y\"\n2,\n");
    assert_eq!(written.bytes, 16);
    assert_eq!(written.sha256, Fingerprint::of(&content(&path)));
    assert_eq!(names(folder.path()), ["t.csv"]);
}

#[test]
fn a_dropped_sink_leaves_nothing_behind_and_the_old_file_in_place() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["t.csv", "t.csv.gz", "t.tsv"] {
        let mut sink = create(&folder.path().join(name), &["a"]);
        sink.put(&batch(&[&["1"]])).unwrap();
        drop(sink);
        assert!(names(folder.path()).is_empty());
    }
    let path = file(folder.path(), "t.csv", "old");
    let mut sink = create(&path, &["a"]);
    sink.put(&batch(&[&["1"]])).unwrap();
    drop(sink);
    assert_eq!(content(&path), b"old");
    assert_eq!(names(folder.path()), ["t.csv"]);
}

#[test]
fn an_old_file_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "t.csv", "something longer than the new text");
    let mut sink = create(&path, &["a"]);
    sink.put(&batch(&[&["1"]])).unwrap();
    sink.done().unwrap();
    assert_eq!(content(&path), b"a\n1\n");
}

#[test]
fn batches_encoded_elsewhere_are_written_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.tsv");
    let mut sink = create(&path, &["a", "b"]);
    let encoder = sink.encoder().unwrap();
    let text = std::thread::spawn(move || {
        let mut text = EncodedRows::default();
        encoder.encode_published(&unchanged(&batch(&[&["1", "x\ty"]])).0, &mut text);
        text
    });
    sink.write_encoded(&mut text.join().unwrap()).unwrap();
    sink.done().unwrap();
    assert_eq!(content(&path), b"a\tb\n1\t\"x\ty\"\n");
}

#[test]
fn the_thread_that_hashes_a_large_file_does_other_work_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let mut sink = create(&path, &["a"]);
    let hashed = Arc::new(AtomicU64::new(0));
    let told = Arc::clone(&hashed);
    sink.do_between(WorkBetween::new(move |bytes| {
        told.store(bytes, Ordering::Relaxed);
    }));
    let mut text = EncodedRows::default();
    let row = "x".repeat(1_000_000);
    (sink.encoder().unwrap()).encode_published(&unchanged(&batch(&[&[&row]])).0, &mut text);
    sink.write_encoded(&mut text).unwrap();
    let written = sink.done().unwrap();
    assert_eq!(written.sha256, Fingerprint::of(&content(&path)));
    assert_eq!(hashed.load(Ordering::Relaxed), 1_000_001);
}

#[test]
fn gzip_output_has_no_time_in_it_and_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv.gz");
    let mut sink = create(&path, &["a"]);
    sink.put(&batch(&[&["1"], &["2"]])).unwrap();
    let written = sink.done().unwrap();
    let bytes = content(&path);
    assert_eq!(bytes[4..8], [0; 4], "the time stamp");
    assert_eq!(written.sha256, Fingerprint::of(&bytes));
    assert_eq!(written.bytes, bytes.len() as u64);
    let mut text = String::new();
    let mut decoder = flate2::read::GzDecoder::new(&bytes[..]);
    decoder.read_to_string(&mut text).unwrap();
    assert_eq!(text, "a\n1\n2\n");
    let source = Source::new(&path, CsvOptions::default());
    assert_eq!(
        read_source(&source).unwrap(),
        seen(&["a"], &[&["1"], &["2"]])
    );
}

#[test]
fn a_file_written_in_one_step_holds_the_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("certificate.json");
    let written = write_atomically(&Claims::default(), "it", &path, b"{}").unwrap();
    assert_eq!(content(&path), b"{}");
    assert_eq!(written.bytes, 2);
    assert_eq!(written.sha256, Fingerprint::of(b"{}"));
    assert_eq!(names(folder.path()), ["certificate.json"]);
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_and_stays_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let target = file(folder.path(), "target.csv", "old");
    let link = folder.path().join("link.csv");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    write_atomically(&Claims::default(), "it", &link, b"new").unwrap();
    assert!(link.is_symlink());
    assert_eq!(content(&target), b"new");
}

#[cfg(unix)]
#[test]
fn a_device_is_written_to_and_not_replaced() {
    let sink = create(Path::new("/dev/null"), &["a"]);
    sink.done().unwrap();
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
}

#[cfg(unix)]
#[test]
fn a_new_file_is_as_open_to_others_as_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
    let ordinary = file(folder.path(), "ordinary", "");
    let ours = folder.path().join("ours.json");
    write_atomically(&Claims::default(), "it", &ours, b"{}").unwrap();
    assert_eq!(mode(&ours), mode(&ordinary));
}

#[test]
fn a_path_without_folder_is_in_the_current_one() {
    // Not finished, so nothing is left in the folder the tests run in.
    assert!(
        Sink::create(
            &Claims::default(),
            "t.csv",
            OutputFormat::Csv { delimiter: b',' },
            &columns(&["a"])
        )
        .is_ok()
    );
    assert!(!Path::new("t.csv").exists());
}

#[test]
fn an_unusable_delimiter_is_refused_before_a_file_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let result = Sink::create(
        &Claims::default(),
        &path,
        OutputFormat::Csv { delimiter: b'"' },
        &columns(&["a"]),
    );
    assert!(matches!(
        result.map(drop),
        Err(Error::UnusableDialect { .. })
    ));
    assert!(names(folder.path()).is_empty());
}
