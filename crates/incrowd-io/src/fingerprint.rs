//! SHA-256 of an input or output, and of tables that are no files.

use crate::numbered::MOST_NUMBERED;
use crate::sha256::Sha256;
use std::fmt;

/// SHA-256 of a whole input or output; shown as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of what was hashed so far.
    pub(crate) fn of_hashed(hashed: &Sha256) -> Fingerprint {
        Fingerprint(hashed.hash())
    }

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
/// Tables with the same columns and cells have the same fingerprint, wherever they are kept and however their rows come.
/// A [`ColumnHasher`] says what is hashed of each column.
#[derive(Debug, Clone)]
pub(crate) struct CellHasher {
    names: Texts,
    columns: Vec<ColumnHasher>,
}

impl CellHasher {
    pub(crate) fn new(columns: &[String]) -> Self {
        let mut names = Texts::default();
        columns.iter().for_each(|name| names.spell(name.as_bytes()));
        CellHasher {
            names,
            columns: vec![ColumnHasher::default(); columns.len()],
        }
    }

    /// The hasher of a column.
    pub(crate) fn column(&mut self, column: usize) -> &mut ColumnHasher {
        &mut self.columns[column]
    }

    /// The fingerprint of all that was added so far.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        let mut hasher = Sha256::default();
        hasher.update(&self.names.hash());
        for column in &self.columns {
            hasher.update(&column.texts.hash());
            hasher.update(&column.cells_hash());
        }
        Fingerprint(hasher.hash())
    }
}

/// Of the cells of a column: of its texts, and of which of them each cell is.
///
/// A text is spelled out where its column has it for the first time; from then on its number says the same. Texts without
/// a number, as [`Numbered`](crate::numbered::Numbered) gives them out, are spelled out every time. Numbers are hashed
/// [`BLOCK`] cells at a time, in as many bits as it takes to tell the texts apart that have a number so far, so that a column
/// of few values is hashed in a fraction of the time that even a byte for each cell would take. From both hashes all cells
/// follow: whoever reads the numbers knows at each whether its text is the next one that is spelled out.
#[derive(Debug, Clone, Default)]
pub(crate) struct ColumnHasher {
    texts: Texts,
    /// How many of them have a number.
    numbered: u32,
    /// Of the numbers of full blocks.
    blocks: Sha256,
    full_blocks: u64,
    /// The cells of the block that is not full yet.
    open: Vec<u32>,
    /// Whether one of them has no number.
    has_spelled: bool,
    packed: Vec<u8>,
}

/// Cells whose numbers are hashed at a time.
const BLOCK: usize = 1 << 13;

impl ColumnHasher {
    /// Adds cells by the numbers of their texts, which count up from 0 in the order of first appearance; `text` says those of
    /// cells, by position, that have to be spelled out.
    pub(crate) fn add<'t>(&mut self, numbers: &[u32], text: impl Fn(usize) -> &'t [u8]) {
        let greatest = numbers.iter().fold(0, |most, &number| number.max(most));
        self.add_below(numbers, greatest, text);
    }

    /// The same for numbers of which none is greater than `greatest`.
    pub(crate) fn add_below<'t>(
        &mut self,
        numbers: &[u32],
        greatest: u32,
        text: impl Fn(usize) -> &'t [u8],
    ) {
        let mut first = 0;
        while first < numbers.len() {
            let end = numbers.len().min(first + BLOCK - self.open.len());
            let part = &numbers[first..end];
            if greatest >= self.numbered {
                self.spell_new(part, |at| text(first + at));
            }
            if part.len() == BLOCK {
                self.end_block(part);
            } else {
                self.open.extend_from_slice(part);
                if self.open.len() == BLOCK {
                    let mut block = std::mem::take(&mut self.open);
                    self.end_block(&block);
                    block.clear();
                    self.open = block;
                }
            }
            first = end;
        }
    }

    fn spell_new<'t>(&mut self, numbers: &[u32], text: impl Fn(usize) -> &'t [u8]) {
        for (at, &number) in numbers.iter().enumerate() {
            if number >= self.numbered {
                self.texts.spell(text(at));
                let has_number = (number as usize) < MOST_NUMBERED && number == self.numbered;
                self.numbered += u32::from(has_number);
                self.has_spelled |= !has_number;
            }
        }
    }

    fn end_block(&mut self, block: &[u32]) {
        self.packed.clear();
        pack(block, self.numbered, self.has_spelled, &mut self.packed);
        self.blocks.update(&self.packed);
        self.full_blocks += 1;
        self.has_spelled = false;
    }

    /// The hash of the numbers of all cells, and of how many there are.
    fn cells_hash(&self) -> [u8; 32] {
        let mut hasher = self.blocks.clone();
        let mut last = Vec::new();
        pack(&self.open, self.numbered, self.has_spelled, &mut last);
        let cells = self.full_blocks * BLOCK as u64 + self.open.len() as u64;
        last.extend(cells.to_le_bytes());
        hasher.update(&last);
        hasher.hash()
    }
}

/// Adds the numbers of some cells: first how many texts have a number so far, in two bytes, whose highest bit says whether
/// some of these cells have none; those are then given the number after the last. Numbers are written in as few bits as they
/// need, from the lowest bit of the first byte on, eight cells at a time; if they need more than eight, in two bytes.
fn pack(numbers: &[u32], numbered: u32, has_spelled: bool, packed: &mut Vec<u8>) {
    let spelled = u16::from(has_spelled);
    packed.extend((numbered as u16 | spelled << 15).to_le_bytes());
    match has_spelled {
        true => pack_below(numbers, numbered + 1, |number| number.min(numbered), packed),
        false => pack_below(numbers, numbered, |number| number, packed),
    }
}

/// The same for numbers that `given` makes numbers below a limit.
fn pack_below(
    numbers: &[u32],
    limit: u32,
    given: impl Fn(u32) -> u32 + Copy,
    packed: &mut Vec<u8>,
) {
    match u32::BITS - limit.saturating_sub(1).leading_zeros() {
        0 => {}
        1 => pack_bits::<1>(numbers, given, packed),
        2 => pack_bits::<2>(numbers, given, packed),
        3 => pack_bits::<3>(numbers, given, packed),
        4 => pack_bits::<4>(numbers, given, packed),
        5 => pack_bits::<5>(numbers, given, packed),
        6 => pack_bits::<6>(numbers, given, packed),
        7 => pack_bits::<7>(numbers, given, packed),
        8 => packed.extend(numbers.iter().map(|&number| given(number) as u8)),
        _ => {
            let pairs = numbers.iter().map(|&number| given(number) as u16);
            packed.extend(pairs.flat_map(u16::to_le_bytes));
        }
    }
}

/// Eight cells at a time, which make as many bytes as a number has bits.
fn pack_bits<const BITS: usize>(numbers: &[u32], given: impl Fn(u32) -> u32, packed: &mut Vec<u8>) {
    let before = packed.len();
    packed.resize(before + numbers.len().div_ceil(8) * BITS, 0);
    let (bytes, _) = packed[before..].as_chunks_mut::<BITS>();
    let (eights, rest) = numbers.as_chunks::<8>();
    let put = |bytes: &mut [u8; BITS], numbers: &[u32]| {
        let mut word = 0;
        for (at, &number) in numbers.iter().enumerate() {
            word |= u64::from(given(number)) << (at * BITS);
        }
        bytes.copy_from_slice(&word.to_le_bytes()[..BITS]);
    };
    for (bytes, eight) in bytes.iter_mut().zip(eights) {
        put(bytes, eight);
    }
    if let (Some(bytes), false) = (bytes.last_mut(), rest.is_empty()) {
        put(bytes, rest);
    }
}

/// Texts one after the other, each after its length.
#[derive(Debug, Clone, Default)]
struct Texts {
    hasher: Sha256,
    /// What is to be hashed next: hashing text by text would take longer than reading them.
    waiting: Vec<u8>,
}

/// Bytes that are hashed at a time.
const WAITING_BYTES: usize = 1 << 15;

impl Texts {
    /// The length is written seven bits at a time, the least first; a high bit says that more follow.
    fn spell(&mut self, text: &[u8]) {
        let mut length = text.len();
        while length >= 0x80 {
            self.waiting.push(length as u8 | 0x80);
            length >>= 7;
        }
        self.waiting.push(length as u8);
        self.waiting.extend_from_slice(text);
        if self.waiting.len() >= WAITING_BYTES {
            self.hasher.update(&self.waiting);
            self.waiting.clear();
        }
    }

    fn hash(&self) -> [u8; 32] {
        let mut hasher = self.hasher.clone();
        hasher.update(&self.waiting);
        hasher.hash()
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
        let spell = |bytes: &mut Vec<u8>, text: &[u8]| {
            let mut length = text.len();
            while length > 127 {
                bytes.push((length % 128) as u8 + 128);
                length /= 128;
            }
            bytes.push(length as u8);
            bytes.extend(text);
        };
        let mut names = Vec::new();
        for at in 0..columns.len() {
            spell(&mut names, at.to_string().as_bytes());
        }
        let mut all = sha2::Sha256::digest(&names).to_vec();
        for cells in columns {
            let (mut texts, mut numbers, mut seen) = (Vec::new(), Vec::new(), Vec::new());
            // The last block is never full, if need be it is empty.
            let blocks = cells.chunks_exact(BLOCK);
            let last = blocks.remainder();
            for block in blocks.chain([last]) {
                let mut cells = Vec::new();
                for cell in block {
                    let known = seen.iter().position(|other| other == cell);
                    if known.is_none() {
                        spell(&mut texts, cell);
                        if seen.len() < (1 << 14) - 1 && cell.len() <= 255 {
                            seen.push(*cell);
                            cells.push(Some(seen.len() - 1));
                            continue;
                        }
                    }
                    cells.push(known);
                }
                let is_any_spelled = cells.contains(&None);
                let high_bit = if is_any_spelled { 128 } else { 0 };
                numbers.extend([
                    (seen.len() % 256) as u8,
                    (seen.len() / 256) as u8 + high_bit,
                ]);
                let different = seen.len() + usize::from(is_any_spelled);
                let bits = (0..).find(|&bits| 1 << bits >= different).unwrap();
                let bits = if bits > 8 { 16 } else { bits };
                let mut bytes = vec![0; cells.len().div_ceil(8) * bits];
                for (at, cell) in cells.iter().enumerate() {
                    let number = cell.unwrap_or(seen.len());
                    for bit in (0..bits).filter(|bit| number >> bit & 1 == 1) {
                        let at = at * bits + bit;
                        bytes[at / 8] |= 1 << (at % 8);
                    }
                }
                // Whole bytes are not filled up to eight cells.
                if bits >= 8 {
                    bytes.truncate(cells.len() * bits / 8);
                }
                numbers.extend(bytes);
            }
            numbers.extend((cells.len() as u64).to_le_bytes());
            all.extend(sha2::Sha256::digest(&texts));
            all.extend(sha2::Sha256::digest(&numbers));
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
        let mut tables = vec![
            vec![&few[..]],
            vec![&few, &bits],
            vec![&many, &few],
            vec![&few[..1], &many[..1], &[]],
        ];
        // As many different texts as need each number of bits, in blocks that are full, nearly full and not full.
        let different = [1, 2, 3, 4, 5, 8, 9, 16, 17, 33, 64, 65, 128, 129, 256, 257];
        let rows = [0, 1, 7, 8, 9, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK];
        let of_few = different.map(|different| -> Vec<&[u8]> {
            let texts = (0..2 * BLOCK).map(|at| many[at * at % 1009 % different]);
            texts.collect()
        });
        // Some of which have no number.
        let with_long = of_few.clone().map(|mut texts| {
            let texts_with_long = texts.iter_mut().skip(5).step_by(BLOCK + 3);
            texts_with_long.for_each(|text| *text = &long);
            texts
        });
        for texts in of_few.iter().chain(&with_long) {
            tables.extend(rows.map(|rows| vec![&texts[..rows]]));
        }
        for columns in tables {
            let expected = expected(&columns);
            for size in [1, 7, 4096, 100_000] {
                assert_eq!(hash(&columns, size), expected, "{size}");
            }
        }
    }
}
