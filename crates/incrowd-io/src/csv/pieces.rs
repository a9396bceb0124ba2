//! Text that several threads read, each a piece of the file at a time.
//!
//! Whoever reads a piece also hashes its blocks, looks for lines, and splits its rows into cells. Only whether the lines are rows
//! is found out in turn, since that depends on all text before, in which a quote may be open. Of a row that does not end in a piece, what there is of it is left
//! to whoever has the next one.

use super::ends::{Lines, RowEnds};
use super::row_text::{RowText, Rules};
use crate::Error;
use crate::file::SharedFile;
use crate::row_source::{RowsRead, SharedReader};
use crate::seal::{BLOCK, BlockHasher};
use crate::turns::Turns;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The text of a reader from where it is.
pub(super) struct Pieces<'r, R> {
    file: SharedFile,
    hasher: BlockHasher,
    ends: RowEnds,
    rules: Arc<Rules>,
    /// Where the first piece begins.
    start: u64,
    /// The length of a piece. All but the first begin at a multiple of it.
    length: u64,
    reader: Turns<&'r mut R>,
    bytes_read: AtomicU64,
}

/// Bytes of a file, read after some room for what is left of the piece before.
pub(super) struct Piece {
    pub(super) bytes: Range<u64>,
    /// Of its whole blocks, if it begins with one.
    pub(super) hashes: Vec<u64>,
    pub(super) lines: Option<Lines>,
}

/// A reader that takes pieces of its file, one after the other, in place of reading them.
pub(super) trait TakePieces: Send {
    /// Takes whole rows that end in a piece of the file, which follows all pieces before it, or in what is read after it; perhaps
    /// none, if they were taken with a piece before. False at the end. The piece is in `taken`, which becomes the rows.
    fn take_rows_of(&mut self, piece: &Piece, taken: &mut RowText) -> Result<bool, Error>;

    /// How many bytes of the file were read or taken.
    fn bytes(&self) -> u64;
}

impl Piece {
    /// So few that a piece and the bounds of its cells are still in the cache of a core when they are counted: twice as many took
    /// a tenth longer.
    pub(super) const BYTES: usize = BLOCK;
    /// Rows that are longer are read by one thread.
    pub(super) const ROOM: usize = BLOCK;
}

impl<'r, R: TakePieces> Pieces<'r, R> {
    pub(super) fn new(
        (file, hasher): (SharedFile, BlockHasher),
        rules: Arc<Rules>,
        (start, length): (u64, usize),
        reader: &'r mut R,
    ) -> Self {
        Pieces {
            file,
            hasher,
            ends: RowEnds::new(rules.specials, rules.trim),
            rules,
            start,
            length: length as u64,
            reader: Turns::new(reader),
            bytes_read: AtomicU64::new(start),
        }
    }

    /// Where the piece of this number is.
    fn range(&self, number: u64) -> Range<u64> {
        let begin = |number| match number {
            0 => self.start,
            _ => (self.start / self.length + number) * self.length,
        };
        let bytes = self.file.bytes();
        begin(number).min(bytes)..begin(number + 1).min(bytes)
    }

    /// Reads a piece into `text`, after the room. It is shorter if the file has become so.
    fn read(&self, range: Range<u64>, text: &mut Vec<u8>) -> Result<Piece, Error> {
        let length = (range.end - range.start) as usize;
        text.resize(Piece::ROOM + length, 0);
        let mut file = self.file.read_from(range.start);
        let mut end = Piece::ROOM;
        while end < text.len() {
            match file.read(&mut text[end..]) {
                Ok(0) => break,
                Ok(count) => end += count,
                Err(source) if source.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => {
                    return Err(Error::Read {
                        input: self.rules.input.clone(),
                        byte: range.start + (end - Piece::ROOM) as u64,
                        source,
                    });
                }
            }
        }
        text.truncate(end);
        let bytes = &text[Piece::ROOM..];
        let mut hashes = Vec::new();
        if range.start.is_multiple_of(BLOCK as u64) {
            self.hasher.hashes(bytes, &mut hashes);
        }
        Ok(Piece {
            lines: self.ends.find_lines_ahead(text, Piece::ROOM),
            bytes: range.start..range.start + bytes.len() as u64,
            hashes,
        })
    }
}

impl<R: TakePieces> SharedReader for Pieces<'_, R> {
    fn read_ahead(&self, rows: &mut RowsRead) -> Result<Option<u64>, Error> {
        let mut text = RowText::in_place_of(rows, &self.rules);
        let waiting = self.reader.queue_up();
        let number = waiting.number();
        let piece = self.read(self.range(number), &mut text.text);
        let more = waiting.take(|reader| {
            let more = reader.take_rows_of(&piece?, &mut text)?;
            self.bytes_read.store(reader.bytes(), Ordering::Relaxed);
            Ok::<_, Error>(more.then_some(number))
        })?;
        rows.set_unsplit(text);
        Ok(more)
    }

    fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    fn time_in_turn(&self) -> Duration {
        self.reader.taken()
    }
}

#[cfg(test)]
mod tests {
    use super::super::reader::CsvReader;
    use super::*;
    use crate::csv::{CsvOptions, Header};
    use crate::file::spool;
    use crate::seal::{LastSeal, Pass};
    use crate::{Fingerprint, RowReader};
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::fs::File;
    use std::io::Write;
    use std::sync::Mutex;

    type Row = Vec<Vec<u8>>;

    fn open(file: &SharedFile, chunk: usize, pass: Pass) -> CsvReader {
        let options = CsvOptions {
            delimiter: Some(b','),
            header: Header::Names,
            max_cell_bytes: 400_000,
            ..CsvOptions::default()
        };
        let input = "table".to_owned();
        CsvReader::open_in_chunks(input, (file, false), &options, pass, chunk).unwrap()
    }

    fn add_rows(rows: &mut RowsRead, all: &mut Vec<Row>) -> Result<(), Error> {
        let batch = rows.split()?;
        for row in 0..batch.rows() {
            let cells = (0..batch.columns()).map(|column| batch.cell(row, column).to_vec());
            all.push(cells.collect());
        }
        Ok(())
    }

    /// All rows read by one thread, or what is wrong with them.
    fn rows_of_one(reader: &mut CsvReader) -> Result<Vec<Row>, Error> {
        let (mut rows, mut all) = (RowsRead::default(), Vec::new());
        while reader.read_ahead(&mut rows)? {
            add_rows(&mut rows, &mut all)?;
        }
        Ok(all)
    }

    /// The same read by several threads, in pieces. None if there is nothing left to be read.
    fn rows_of_many(
        reader: &mut CsvReader,
        threads: usize,
        bytes: usize,
    ) -> Option<Result<Vec<Row>, Error>> {
        let pieces = reader.in_pieces(bytes)?;
        let read = Mutex::new(BTreeMap::new());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let mut rows = RowsRead::default();
                    loop {
                        let mut batch = Vec::new();
                        let (number, result) = match pieces.read_ahead(&mut rows) {
                            Ok(None) => return,
                            Ok(Some(number)) => (number, add_rows(&mut rows, &mut batch)),
                            Err(error) => (u64::MAX, Err(error)),
                        };
                        let before = read.lock().unwrap().insert(number, result.map(|()| batch));
                        assert!(before.is_none(), "every number is given out once");
                    }
                });
            }
        });
        let batches = read.into_inner().unwrap().into_values();
        let batches = batches.collect::<Result<Vec<Vec<Row>>, Error>>();
        Some(batches.map(|batches| batches.concat()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn rows_are_those_that_one_thread_reads_whatever_the_pieces(
            rows in prop_oneof![
                "([ab]{0,30},(\"([ab,\n]|\"\"){0,40}\"|[ab\"]{0,9})\r?\n){20,60}(a,b)?",
                "([ab]{9,30}[abbbbbbbz],[bbbbbbb,]?b\r?\n){20,60}",
                "[ab]{900}[ab \",\r\n]{0,300}",
            ],
            chunk in 12..200_usize,
            bytes in 1..200_usize,
            threads in 1..4_usize,
            leaves_it: bool,
        ) {
            // So many rows are looked at before, to tell whether there is a header.
            let text = format!("name,note\n{}{rows}", "a,b\n".repeat(100));
            // Some cells are not UTF-8.
            let text: Vec<u8> = text.bytes().map(|byte| if byte == b'z' { 0xff } else { byte }).collect();
            let file = spool("table", &text[..]).unwrap();
            let pass = || Pass::First(LastSeal::default());
            let expected = rows_of_one(&mut open(&file, 1 << 16, pass()));
            let mut reader = open(&file, chunk, pass());
            if leaves_it {
                reader.leave_fingerprint();
            }
            let found = rows_of_many(&mut reader, threads, bytes);
            prop_assume!(found.is_some());
            let found = found.unwrap();
            let seal = match (expected, found) {
                (Ok(expected), Ok(found)) => {
                    prop_assert_eq!(found, expected);
                    reader.sealed().unwrap()
                }
                (Err(expected), Err(found)) => {
                    prop_assert_eq!(found.to_string(), expected.to_string());
                    return Ok(());
                }
                (expected, found) => panic!("{expected:?} {found:?}"),
            };
            let fingerprint = Fingerprint::of(&text);
            prop_assert_eq!(seal.fingerprint(), (!leaves_it).then_some(fingerprint));
            let mut again = open(&file, 1 << 16, Pass::Again(seal));
            prop_assert_eq!(again.fingerprint().unwrap(), fingerprint);
        }
    }

    /// Rows of which some are longer than a piece, and longer than what a piece has room for.
    fn long_rows() -> String {
        let mut text = String::from("name,note\n");
        for row in 0..3000_usize {
            let length = match row % 1000 {
                300 => 3 * BLOCK,
                600 => BLOCK / 2,
                _ => row % 200,
            };
            text.push_str(&format!("{row},\"{}\n\"\n", "x".repeat(length)));
        }
        text
    }

    #[test]
    fn long_rows_are_read_too_and_blocks_are_hashed_wherever_they_are_read() {
        let text = long_rows();
        let file = spool("table", text.as_bytes()).unwrap();
        let expected = rows_of_one(&mut open(&file, 1 << 20, Pass::First(LastSeal::default())));
        let expected = expected.unwrap();
        for chunk in [BLOCK, BLOCK + 1000] {
            for bytes in [BLOCK / 2, BLOCK, BLOCK + 1, 4 * BLOCK] {
                for threads in [1, 3] {
                    let mut reader = open(&file, chunk, Pass::First(LastSeal::default()));
                    reader.leave_fingerprint();
                    let found = rows_of_many(&mut reader, threads, bytes).unwrap().unwrap();
                    assert!(found == expected, "{chunk} {bytes} {threads}");
                    let seal = reader.sealed().unwrap();
                    assert_eq!(seal.fingerprint(), None);
                    // A pass in pieces takes what was left, and sees that bytes are the same.
                    let mut again = open(&file, chunk, Pass::Again(Arc::clone(&seal)));
                    let found = rows_of_many(&mut again, threads, bytes).unwrap().unwrap();
                    assert!(found == expected, "{chunk} {bytes} {threads}");
                    assert_eq!(
                        again.fingerprint().unwrap(),
                        Fingerprint::of(text.as_bytes())
                    );
                    let other = text.replacen("2990,", "2991,", 1);
                    let other = spool("table", other.as_bytes()).unwrap();
                    let mut again = open(&other, chunk, Pass::Again(seal));
                    let found = rows_of_many(&mut again, threads, bytes).unwrap().unwrap();
                    assert!(found != expected && again.fingerprint().is_err());
                }
            }
        }
    }

    #[test]
    fn a_file_that_grows_or_shrinks_meanwhile_is_read_as_far_as_it_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        let text = long_rows();
        let rows = |text: &str| {
            let file = spool("table", text.as_bytes()).unwrap();
            rows_of_one(&mut open(&file, 1 << 20, Pass::First(LastSeal::default()))).unwrap()
        };
        let half = text[..text.len() / 2].rfind("\"\n").unwrap() + 2;
        for (before, after) in [(&text[..], &text[..half]), (&text[..half], &text[..])] {
            std::fs::write(&path, before).unwrap();
            let file = SharedFile::new(File::open(&path).unwrap()).unwrap();
            let mut reader = open(&file, BLOCK, Pass::First(LastSeal::default()));
            let writer = File::options().write(true).open(&path).unwrap();
            (&writer).write_all(after.as_bytes()).unwrap();
            writer.set_len(after.len() as u64).unwrap();
            let found = rows_of_many(&mut reader, 3, BLOCK).unwrap().unwrap();
            assert!(found == rows(after));
            assert_eq!(
                reader.fingerprint().unwrap(),
                Fingerprint::of(after.as_bytes())
            );
        }
    }
}
