//! What must hold for any input. The fuzz targets call these, and an ordinary test runs the kept corpus through them.
#![allow(dead_code, reason = "each fuzz target uses one of them")]

use incrowd_core::hierarchy::{self, Hierarchy, Leaf, Level};
use incrowd_core::table::RowBatch;
use incrowd_io::{CsvOptions, Header, Source};
use incrowd_job::Job;

/// Any bytes are read or refused, and what is read is what the csv crate reads.
pub(crate) fn csv(bytes: &[u8]) {
    if bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(b"PAR1") {
        return; // not CSV
    }
    let options = CsvOptions {
        delimiter: Some(b','),
        header: Header::Names,
        ..CsvOptions::default()
    };
    let Ok(source) = Source::spooled(bytes, options) else {
        return;
    };
    let Ok(mut reader) = source.open() else {
        return;
    };
    let columns = reader.columns().len();
    let mut batch = RowBatch::new(columns);
    let mut cells: Vec<Vec<u8>> = Vec::new();
    loop {
        match reader.read(&mut batch) {
            Ok(true) => {
                for row in 0..batch.rows() {
                    cells.extend((0..columns).map(|column| batch.cell(row, column).to_vec()));
                }
            }
            Ok(false) => break,
            Err(error) => {
                assert!(!error.hint().is_empty());
                return;
            }
        }
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut peer = csv::ReaderBuilder::new().flexible(true).from_reader(text);
    let expected: Vec<Vec<u8>> = peer
        .byte_records()
        .flat_map(|record| {
            record
                .expect("memory can be read")
                .iter()
                .map(<[u8]>::to_vec)
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(cells, expected);
}

/// Any bytes are a hierarchy or refused, and a hierarchy survives being written and read.
pub(crate) fn hierarchy(bytes: &[u8]) {
    match hierarchy::parse(bytes, hierarchy::Options::new("column")) {
        Ok(parsed) => {
            let options = hierarchy::Options::new("column").with_header(hierarchy::Header::Yes);
            let again = hierarchy::parse(parsed.to_csv().as_bytes(), options)
                .expect("what we write, we read");
            assert_eq!(listed(&parsed), listed(&again));
        }
        Err(error) => assert!(!error.hint().is_empty()),
    }
}

/// Every leaf with its label on every level.
fn listed(hierarchy: &Hierarchy) -> Vec<Vec<String>> {
    (0..hierarchy.leaves() as u32)
        .map(Leaf)
        .map(|leaf| {
            Level::up_to(hierarchy.height())
                .map(|level| {
                    let group = hierarchy.group_of(level, leaf);
                    hierarchy.label(level, group).to_owned()
                })
                .collect()
        })
        .collect()
}

/// Any text is a job file or refused with a hint.
pub(crate) fn job(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Err(error) = Job::parse(text) {
        assert!(!error.hint().is_empty());
    }
}
