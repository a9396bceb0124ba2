//! SHA-256 of a stream of bytes, computed on the fly so that no byte is read twice.

use crate::numbered::MOST_NUMBERED;
use crate::sha256::Sha256;
use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

/// SHA-256 of a whole input or output; shown as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of `bytes`.
    pub fn of(bytes: &[u8]) -> Fingerprint {
        Fingerprint(Sha256::of(bytes))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Takes the fingerprint of a table that is no file: of its names and, column by column, of its cells.
///
/// Tables with the same columns and cells have the same fingerprint, wherever they are kept and however their rows come. A text
/// is spelled out where its column has it for the first time; from then on its number, a byte or two, says the same, so that
/// a column of few values is hashed in a fraction of the time that its texts would take. Texts without a number, as
/// [`Numbered`](crate::numbered::Numbered) gives them out, are spelled out every time.
#[derive(Debug, Clone)]
pub(crate) struct CellHasher {
    names: Sha256,
    columns: Vec<ColumnHasher>,
}

impl CellHasher {
    pub(crate) fn new(columns: &[String]) -> Self {
        let mut names = ColumnHasher::default();
        columns.iter().for_each(|name| names.spell(name.as_bytes()));
        names.flush();
        CellHasher {
            names: names.hasher,
            columns: vec![ColumnHasher::default(); columns.len()],
        }
    }

    /// The hasher of a column.
    pub(crate) fn column(&mut self, column: usize) -> &mut ColumnHasher {
        &mut self.columns[column]
    }

    /// The fingerprint of all that was added so far.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        let mut hasher = self.names.clone();
        for column in &self.columns {
            let mut of_column = column.hasher.clone();
            of_column.update(&column.waiting);
            hasher.update(&of_column.hash());
        }
        Fingerprint(hasher.hash())
    }
}

/// Of the cells of a column.
#[derive(Debug, Clone, Default)]
pub(crate) struct ColumnHasher {
    hasher: Sha256,
    /// What is to be hashed next: hashing cell by cell would take longer than reading them.
    waiting: Vec<u8>,
    /// How many texts were spelled out and have a number.
    numbered: u32,
}

/// Bytes that are hashed at a time.
const WAITING_BYTES: usize = 1 << 15;

impl ColumnHasher {
    /// Adds cells by the numbers of their texts, which count up from 0 in the order of first appearance; `text` says those of
    /// cells, by position, that have to be spelled out.
    pub(crate) fn add<'t>(&mut self, numbers: &[u32], text: impl Fn(usize) -> &'t [u8]) {
        let greatest = numbers.iter().copied().max().unwrap_or(0);
        if greatest < self.numbered.min(0x7f) {
            // Nearly always: one byte each.
            self.waiting
                .extend(numbers.iter().map(|&number| number as u8 + 1));
        } else {
            for (at, &number) in numbers.iter().enumerate() {
                match number < self.numbered {
                    true => self.length(number as usize + 1),
                    false => {
                        self.spell(text(at));
                        let has_number = (number as usize) < MOST_NUMBERED;
                        self.numbered += u32::from(has_number && number == self.numbered);
                    }
                }
            }
        }
        if self.waiting.len() >= WAITING_BYTES {
            self.flush();
        }
    }

    fn spell(&mut self, text: &[u8]) {
        self.waiting.push(0);
        self.length(text.len());
        self.waiting.extend_from_slice(text);
        if self.waiting.len() >= WAITING_BYTES {
            self.flush();
        }
    }

    /// Seven bits at a time, the least first; a high bit says that more follow.
    fn length(&mut self, mut length: usize) {
        while length >= 0x80 {
            self.waiting.push(length as u8 | 0x80);
            length >>= 7;
        }
        self.waiting.push(length as u8);
    }

    fn flush(&mut self) {
        self.hasher.update(&self.waiting);
        self.waiting.clear();
    }
}

/// Takes the fingerprint of a table whose rows have no order: of its columns and of how often each row occurs.
///
/// Equal rows may come one by one or counted. The SHA-256 of every row, its cells each after its length, is added up
/// modulo 2^256, as often as the row occurs.
#[derive(Debug, Clone)]
pub struct RowsHasher {
    columns: Sha256,
    /// From the least significant word.
    sum: [u64; 4],
    rows: u64,
    bytes: Vec<u8>,
}

impl RowsHasher {
    /// A table with these columns and no rows yet.
    pub fn new(columns: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let mut names = Sha256::default();
        for name in columns {
            let name = name.as_ref().as_bytes();
            names.update(&(name.len() as u64).to_le_bytes());
            names.update(name);
        }
        RowsHasher {
            columns: names,
            sum: [0; 4],
            rows: 0,
            bytes: Vec::new(),
        }
    }

    /// Adds so many rows with these cells.
    pub fn add<'c>(&mut self, cells: impl IntoIterator<Item = &'c [u8]>, rows: u64) {
        self.bytes.clear();
        for cell in cells {
            self.bytes.extend((cell.len() as u64).to_le_bytes());
            self.bytes.extend(cell);
        }
        let hash = Sha256::of(&self.bytes);
        let mut carry = 0_u128;
        for (word, bytes) in self.sum.iter_mut().zip(hash.chunks_exact(8)) {
            let of_row = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            carry += u128::from(of_row) * u128::from(rows) + u128::from(*word);
            *word = carry as u64;
            carry >>= 64;
        }
        self.rows += rows;
    }

    /// How many rows were added.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The fingerprint of all that was added so far.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut hasher = self.columns.clone();
        hasher.update(&self.rows.to_le_bytes());
        for word in self.sum {
            hasher.update(&word.to_le_bytes());
        }
        Fingerprint(hasher.hash())
    }
}

/// Counts and hashes what is read from, or written to, `inner`.
#[derive(Debug)]
pub(crate) struct Hashing<T> {
    inner: T,
    hasher: Hasher,
    bytes: u64,
}

/// A file being written.
pub(crate) type Out = Hashing<BufWriter<File>>;

impl<W: Write> Hashing<W> {
    /// Writes all of `bytes`, which become memory to be used again: they need not be copied to be hashed.
    pub(crate) fn write_taking(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        self.inner.write_all(bytes)?;
        self.bytes += bytes.len() as u64;
        self.hasher.update_taking(bytes);
        Ok(())
    }
}

impl<T> Hashing<T> {
    pub(crate) fn new(inner: T) -> Self {
        Hashing {
            inner,
            hasher: Hasher::new(),
            bytes: 0,
        }
    }

    /// How many bytes have passed.
    pub(crate) fn byte_count(&self) -> u64 {
        self.bytes
    }

    /// The fingerprint of what has passed so far.
    pub(crate) fn fingerprint(&mut self) -> Fingerprint {
        self.hasher.fingerprint()
    }

    pub(crate) fn into_inner(self) -> T {
        self.inner
    }
}

/// Hashes on a separate thread once there is much to hash.
///
/// Hashing takes longer than splitting text into cells, so readers would spend most of their time on it.
#[derive(Debug)]
struct Hasher {
    /// Outdated while there is a helper thread.
    state: Sha256,
    helper: Option<Helper>,
}

#[derive(Debug)]
struct Helper {
    chunks: SyncSender<Vec<u8>>,
    /// Chunks that were hashed, to be filled again.
    emptied: Receiver<Vec<u8>>,
    thread: JoinHandle<Sha256>,
}

/// Smaller pieces are not worth a thread.
const MUCH: usize = 64 * 1024;
/// How many chunks may wait to be hashed.
const WAITING: usize = 4;

impl Hasher {
    fn new() -> Hasher {
        Hasher {
            state: Sha256::default(),
            helper: None,
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        match self.helper_for(bytes) {
            Some(helper) => {
                let mut chunk = helper.emptied();
                chunk.extend_from_slice(bytes);
                helper.hash(chunk);
            }
            None => self.state.update(bytes),
        }
    }

    /// The same, and the bytes may be taken in exchange for memory to be used again.
    fn update_taking(&mut self, bytes: &mut Vec<u8>) {
        match self.helper_for(bytes) {
            Some(helper) => {
                let taken = std::mem::replace(bytes, helper.emptied());
                helper.hash(taken);
            }
            None => self.state.update(bytes),
        }
    }

    /// The helper, which is started for the first large piece.
    fn helper_for(&mut self, bytes: &[u8]) -> Option<&Helper> {
        if self.helper.is_none() && bytes.len() >= MUCH {
            self.helper = Helper::start(self.state.clone());
        }
        self.helper.as_ref()
    }

    fn fingerprint(&mut self) -> Fingerprint {
        if let Some(helper) = self.helper.take() {
            self.state = helper.finish();
        }
        Fingerprint(self.state.hash())
    }
}

impl Helper {
    /// None if the system cannot start a thread.
    fn start(state: Sha256) -> Option<Helper> {
        let (chunks, to_hash) = sync_channel(WAITING);
        let (done, emptied) = channel();
        let thread = std::thread::Builder::new()
            .name("fingerprint".into())
            .spawn(move || hash_all(state, to_hash, done))
            .ok()?;
        Some(Helper {
            chunks,
            emptied,
            thread,
        })
    }

    /// Memory for a chunk.
    fn emptied(&self) -> Vec<u8> {
        let mut chunk = self.emptied.try_recv().unwrap_or_default();
        chunk.clear();
        chunk
    }

    fn hash(&self, chunk: Vec<u8>) {
        self.chunks
            .send(chunk)
            .expect("the thread listens as long as there is a sender");
    }

    fn finish(self) -> Sha256 {
        drop(self.chunks);
        self.thread.join().expect("hashing does not panic")
    }
}

fn hash_all(mut state: Sha256, chunks: Receiver<Vec<u8>>, emptied: Sender<Vec<u8>>) -> Sha256 {
    for chunk in chunks {
        state.update(&chunk);
        // Nobody waits for it when the reader is gone.
        let _ = emptied.send(chunk);
    }
    state
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..count]);
        self.bytes += count as u64;
        Ok(count)
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(buffer)?;
        self.hasher.update(&buffer[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbered::Numbered;
    use sha2::Digest;

    #[test]
    fn a_fingerprint_reads_as_sha256sum_prints_it() {
        assert_eq!(
            Fingerprint::of(b"abc").to_string(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn bytes_are_hashed_on_the_way_in_and_on_the_way_out() {
        let mut input = Hashing::new(&b"abc"[..]);
        let mut output = Hashing::new(Vec::new());
        io::copy(&mut input, &mut output).unwrap();
        assert_eq!(input.byte_count(), 3);
        assert_eq!(input.fingerprint(), Fingerprint::of(b"abc"));
        assert_eq!(output.fingerprint(), input.fingerprint());
        assert_eq!(output.into_inner(), b"abc");
    }

    #[test]
    fn rows_without_order_have_the_same_fingerprint_one_by_one_and_counted() {
        let rows = [["a", "1"], ["b", "2"], ["a", "1"], ["", "a1"], ["a", "1"]];
        let of = |rows: &[([&str; 2], u64)]| {
            let mut hasher = RowsHasher::new(["x", "y"]);
            for (row, times) in rows {
                hasher.add(row.iter().map(|cell| cell.as_bytes()), *times);
            }
            hasher.fingerprint()
        };
        let one_by_one = of(&rows.map(|row| (row, 1)));
        let counted = [(["", "a1"], 1), (["b", "2"], 1), (["a", "1"], 3)];
        assert_eq!(of(&counted), one_by_one);
        for other in [
            vec![(["", "a1"], 1), (["b", "2"], 2), (["a", "1"], 2)],
            vec![(["a1", ""], 1), (["b", "2"], 1), (["a", "1"], 3)],
            vec![(["b", "2"], 1), (["a", "1"], 3)],
        ] {
            assert_ne!(of(&other), one_by_one);
        }
    }

    /// Numbers as whoever gives cells has to give them, in parts of this size.
    fn hash(columns: &[&[&[u8]]], size: usize) -> Fingerprint {
        let names: Vec<String> = (0..columns.len()).map(|at| at.to_string()).collect();
        let mut hasher = CellHasher::new(&names);
        for (at, cells) in columns.iter().enumerate() {
            let mut numbered = Numbered::default();
            for part in cells.chunks(size) {
                let numbers = part.iter().map(|cell| numbered.number(cell).unwrap());
                let numbers: Vec<u32> = numbers.collect();
                hasher.column(at).add(&numbers, |at| part[at]);
            }
        }
        hasher.fingerprint()
    }

    /// The same by what the documentation says, in plain words.
    fn expected(columns: &[&[&[u8]]]) -> Fingerprint {
        let length = |bytes: &mut Vec<u8>, mut length: usize| {
            while length > 127 {
                bytes.push((length % 128) as u8 + 128);
                length /= 128;
            }
            bytes.push(length as u8);
        };
        let mut all = Vec::new();
        for at in 0..columns.len() {
            let name = at.to_string();
            all.extend([0, name.len() as u8]);
            all.extend(name.bytes());
        }
        for cells in columns {
            let (mut bytes, mut seen) = (Vec::new(), Vec::new());
            for cell in *cells {
                match seen.iter().position(|other| other == cell) {
                    Some(at) => length(&mut bytes, at + 1),
                    None => {
                        bytes.push(0);
                        length(&mut bytes, cell.len());
                        bytes.extend(*cell);
                        if seen.len() < (1 << 14) - 1 && cell.len() <= 255 {
                            seen.push(*cell);
                        }
                    }
                }
            }
            all.extend(sha2::Sha256::digest(&bytes));
        }
        Fingerprint(sha2::Sha256::digest(&all).into())
    }

    #[test]
    fn cells_are_told_apart_wherever_they_stand() {
        let of = |columns: &[&[&[u8]]]| hash(columns, 2);
        assert_ne!(of(&[&[b"ab", b"c"]]), of(&[&[b"a", b"bc"]]));
        assert_ne!(of(&[&[b"", b"a"]]), of(&[&[b"a", b""]]));
        assert_ne!(of(&[&[b"a"]]), of(&[&[b"a", b""]]));
        assert_ne!(of(&[&[b"a", b"a"]]), of(&[&[b"a", b"\x01"]]));
        assert_ne!(of(&[&[b"a"], &[b"b"]]), of(&[&[b"b"], &[b"a"]]));
        assert_ne!(of(&[&[b"a", b"b"], &[]]), of(&[&[b"a"], &[b"b"]]));
    }

    #[test]
    fn a_fingerprint_of_cells_is_what_it_is_said_to_be() {
        let many: Vec<String> = (0..20_000).map(|at| format!("{}", at % 17_000)).collect();
        let many: Vec<&[u8]> = many.iter().map(|text| text.as_bytes()).collect();
        let (short, long) = ([b'x'; 255], [b'x'; 256]);
        let few: Vec<&[u8]> = vec![b"a", b"", b"a", b"b", &short, &long, &short, &long, b"b"];
        let bits: Vec<&[u8]> = (0..40_000)
            .map(|at: u32| [&b"0"[..], b"1"][(at.count_ones() % 2) as usize])
            .collect();
        for columns in [&[&few[..]][..], &[&few, &bits], &[&many, &few]] {
            let expected = expected(columns);
            for size in [1, 7, 4096, 100_000] {
                assert_eq!(hash(columns, size), expected, "{size}");
            }
        }
    }

    #[test]
    fn large_and_small_pieces_are_hashed_in_order() {
        let bytes: Vec<u8> = (0..1_000_000_u32).map(|at| (at % 251) as u8).collect();
        let mut output = Hashing::new(Vec::new());
        let mut rest = &bytes[..];
        let mut taken = Vec::new();
        for size in [10, MUCH, 1, 3 * MUCH, MUCH - 1, 2 * MUCH, 7]
            .into_iter()
            .cycle()
        {
            let (piece, after) = rest.split_at(size.min(rest.len()));
            if size % 2 == 0 {
                taken.clear();
                taken.extend_from_slice(piece);
                output.write_taking(&mut taken).unwrap();
            } else {
                output.write_all(piece).unwrap();
            }
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        assert_eq!(output.fingerprint(), Fingerprint::of(&bytes));
        output.write_all(b"more").unwrap();
        let longer = [&bytes[..], b"more"].concat();
        assert_eq!(output.fingerprint(), Fingerprint::of(&longer));
        assert_eq!(output.byte_count(), longer.len() as u64);
        assert!(output.into_inner() == longer);
    }
}
