//! Small tables for the tests of this folder.

use incrowd_core::table::RowBatch;
use incrowd_io::{CsvOptions, Error, RowReader, RowSink, Sink, Source, Written};
use incrowd_testkit::unchanged;
use std::io::Write;
use std::path::{Path, PathBuf};

pub(crate) type Rows = Vec<Vec<String>>;

/// A table as a test sees it: the columns, then the rows.
#[derive(Debug, PartialEq)]
pub(crate) struct Seen {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Rows,
}

pub(crate) fn seen(columns: &[&str], rows: &[&[&str]]) -> Seen {
    let owned = |cells: &[&str]| cells.iter().map(|&cell| cell.into()).collect();
    Seen {
        columns: owned(columns),
        rows: rows.iter().map(|row| owned(row)).collect(),
    }
}

pub(crate) fn read_all(reader: &mut dyn RowReader) -> Result<Seen, Error> {
    let mut batch = RowBatch::default();
    let mut rows = Vec::new();
    while reader.read(&mut batch)? {
        assert_eq!(batch.first_row(), rows.len() as u64);
        for row in 0..batch.rows() {
            let text = |column| std::str::from_utf8(batch.cell(row, column)).unwrap().into();
            rows.push((0..batch.columns()).map(text).collect());
        }
    }
    assert_eq!(batch.rows(), 0);
    Ok(Seen {
        columns: reader.columns().into(),
        rows,
    })
}

pub(crate) fn read_source(source: &Source) -> Result<Seen, Error> {
    read_all(&mut *source.open()?)
}

pub(crate) fn read_with(text: impl AsRef<[u8]>, options: CsvOptions) -> Result<Seen, Error> {
    read_source(&Source::spooled(text.as_ref(), options)?)
}

pub(crate) fn read(text: impl AsRef<[u8]>) -> Result<Seen, Error> {
    read_with(text, CsvOptions::default())
}

pub(crate) fn batch(rows: &[&[&str]]) -> RowBatch {
    let mut batch = RowBatch::new(rows[0].len());
    for cell in rows.iter().copied().flatten() {
        batch.push_cell(cell.as_bytes());
    }
    batch
}

pub(crate) fn columns(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.into()).collect()
}

pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn file(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path
}

/// The names in a folder, to see what was left behind.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Writes rows as a release that changes nothing would: a sink takes no others.
pub(crate) trait WriteUnchanged {
    fn put(&mut self, rows: &RowBatch) -> Result<(), Error>;

    fn done(self) -> Result<Written, Error>;
}

impl WriteUnchanged for Sink {
    fn put(&mut self, rows: &RowBatch) -> Result<(), Error> {
        self.write(&unchanged(rows).0)
    }

    fn done(self) -> Result<Written, Error> {
        let (_, confirmation) = unchanged(&RowBatch::new(1));
        Box::new(self).finish(confirmation)
    }
}
