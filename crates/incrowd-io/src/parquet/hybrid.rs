//! Numbers of a few bits: runs of equal ones, and groups of eight packed end to end.
//!
//! Parquet stores which value of a dictionary a row has, and whether it has one at all, in this encoding ("RLE/bit
//! packing hybrid" in its specification).

use bytes::Bytes;
use parquet::errors::ParquetError;

/// Reads such numbers.
#[derive(Debug)]
pub(super) struct HybridReader {
    data: Bytes,
    /// Where the next run begins.
    next: usize,
    /// Bits of each number, at most 32.
    width: usize,
    run: Run,
}

#[derive(Debug)]
enum Run {
    Repeated {
        number: u32,
        left: usize,
    },
    /// `at` is the bit in `data` where the next number begins.
    Packed {
        at: usize,
        left: usize,
    },
}

impl HybridReader {
    pub(super) fn new(data: Bytes, width: u8) -> Result<HybridReader, ParquetError> {
        match width {
            0..=32 => Ok(HybridReader {
                data,
                next: 0,
                width: width.into(),
                run: Run::Repeated { number: 0, left: 0 },
            }),
            _ => Err(damaged("numbers have more than 32 bits")),
        }
    }

    /// Adds the next `count` numbers to `numbers`.
    pub(super) fn read(
        &mut self,
        count: usize,
        numbers: &mut Vec<u32>,
    ) -> Result<(), ParquetError> {
        let mut wanted = count;
        while wanted > 0 {
            match &mut self.run {
                Run::Repeated { left: 0, .. } | Run::Packed { left: 0, .. } => self.open_run()?,
                Run::Repeated { number, left } => {
                    let taken = wanted.min(*left);
                    numbers.resize(numbers.len() + taken, *number);
                    *left -= taken;
                    wanted -= taken;
                }
                Run::Packed { at, left } => {
                    let taken = wanted.min(*left);
                    unpack(&self.data, *at, self.width, taken, numbers)?;
                    *at += taken * self.width;
                    *left -= taken;
                    wanted -= taken;
                }
            }
        }
        Ok(())
    }

    /// The number that the next `count` numbers are, if they are in one run; they are skipped then. Otherwise none, and
    /// nothing is.
    pub(super) fn skip_equal(&mut self, count: usize) -> Result<Option<u32>, ParquetError> {
        if let Run::Repeated { left: 0, .. } | Run::Packed { left: 0, .. } = self.run {
            self.open_run()?;
        }
        match &mut self.run {
            Run::Repeated { number, left } if *left >= count => {
                *left -= count;
                Ok(Some(*number))
            }
            _ => Ok(None),
        }
    }

    fn open_run(&mut self) -> Result<(), ParquetError> {
        let header = self.varint()?;
        let length = usize::try_from(header >> 1).map_err(|_| damaged("a run is too long"))?;
        if header & 1 == 1 {
            let numbers = length.checked_mul(8);
            let bytes = length.checked_mul(self.width);
            let (Some(left), Some(bytes)) = (numbers, bytes) else {
                return Err(damaged("a run is too long"));
            };
            self.run = Run::Packed {
                at: self.next * 8,
                left,
            };
            // The last group may be cut short; what is missing is found when it is read.
            self.next = self.next.saturating_add(bytes);
        } else {
            let mut number = [0; 4];
            let bytes = self.width.div_ceil(8);
            let stored = self
                .data
                .get(self.next..)
                .and_then(|rest| rest.get(..bytes));
            number[..bytes].copy_from_slice(stored.ok_or_else(|| damaged("a run is cut short"))?);
            self.next += bytes;
            self.run = Run::Repeated {
                number: u32::from_le_bytes(number),
                left: length,
            };
        }
        Ok(())
    }

    fn varint(&mut self) -> Result<u64, ParquetError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.data.get(self.next);
            let &byte = byte.ok_or_else(|| damaged("numbers are cut short"))?;
            self.next += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(damaged("a run has no end"))
    }
}

fn unpack(
    data: &[u8],
    at: usize,
    width: usize,
    count: usize,
    numbers: &mut Vec<u32>,
) -> Result<(), ParquetError> {
    if (at + count * width).div_ceil(8) > data.len() {
        return Err(damaged("packed numbers are cut short"));
    }
    let mask = (1_u64 << width) - 1;
    let end = numbers.len() + count;
    numbers.reserve(count);
    let mut at = at;
    // A word holds a group of eight, as long as a whole word is there.
    if width <= 8 && at.is_multiple_of(8) {
        let mut rest = &data[at / 8..];
        for _ in 0..count / 8 {
            let Some(&bytes) = rest.first_chunk() else {
                break;
            };
            let word = u64::from_le_bytes(bytes);
            let group: [u32; 8] =
                std::array::from_fn(|index| (word >> (index * width) & mask) as u32);
            numbers.extend_from_slice(&group);
            rest = &rest[width..];
            at += 8 * width;
        }
    }
    while numbers.len() < end {
        let rest = &data[at / 8..];
        // At most 39 bits matter.
        let word = match rest.first_chunk() {
            Some(&bytes) => u64::from_le_bytes(bytes),
            None => {
                let mut bytes = [0; 8];
                bytes[..rest.len()].copy_from_slice(rest);
                u64::from_le_bytes(bytes)
            }
        };
        numbers.push((word >> (at % 8) & mask) as u32);
        at += width;
    }
    Ok(())
}

/// The bits that numbers up to `most` need.
pub(super) fn width_of(most: u32) -> u8 {
    (u32::BITS - most.leading_zeros()) as u8
}

/// So many equal numbers are stored as a run.
const SHORTEST_RUN: usize = 8;

/// Appends numbers of at most `width` bits to `out`.
pub(super) fn write(numbers: &[u32], width: u8, out: &mut Vec<u8>) {
    // Numbers from here on are not written yet; a multiple of eight of them, except at the end.
    let mut packed = 0;
    let mut at = 0;
    while let Some(group) = numbers[at..].first_chunk::<SHORTEST_RUN>() {
        // Compared all at once: where to stop would be anybody's guess.
        if group
            .iter()
            .fold(0, |differences, other| differences | (other ^ group[0]))
            != 0
        {
            at += SHORTEST_RUN;
            continue;
        }
        let number = group[0];
        let run = numbers[at..].iter().take_while(|&&other| other == number);
        let run = run.count();
        write_packed(&numbers[packed..at], width, out);
        write_run(number, run, width, out);
        at += run;
        packed = at;
    }
    write_packed(&numbers[packed..], width, out);
}

/// Appends `count` equal numbers, as [`write`] does.
pub(super) fn write_equal(number: u32, count: usize, width: u8, out: &mut Vec<u8>) {
    match count >= SHORTEST_RUN {
        true => write_run(number, count, width, out),
        false => write_packed(&vec![number; count], width, out),
    }
}

fn write_run(number: u32, count: usize, width: u8, out: &mut Vec<u8>) {
    write_varint((count as u64) << 1, out);
    out.extend_from_slice(&number.to_le_bytes()[..usize::from(width).div_ceil(8)]);
}

fn write_packed(numbers: &[u32], width: u8, out: &mut Vec<u8>) {
    if numbers.is_empty() {
        return;
    }
    let groups = numbers.len().div_ceil(8);
    write_varint((groups as u64) << 1 | 1, out);
    let end = out.len() + groups * usize::from(width);
    let mut numbers = numbers;
    // Groups of eight that fit into a word.
    while let (true, Some((group, rest))) = (width <= 8, numbers.split_first_chunk::<8>()) {
        let shifted = group.iter().enumerate();
        let word = shifted.fold(0, |word, (at, &number)| {
            word | u64::from(number) << (at * usize::from(width))
        });
        out.extend_from_slice(&word.to_le_bytes()[..usize::from(width)]);
        numbers = rest;
    }
    let (mut word, mut bits) = (0_u64, 0);
    for &number in numbers {
        word |= u64::from(number) << bits;
        bits += u32::from(width);
        if bits >= 32 {
            out.extend_from_slice(&(word as u32).to_le_bytes());
            word >>= 32;
            bits -= 32;
        }
    }
    let rest = bits.div_ceil(8) as usize;
    out.extend_from_slice(&word.to_le_bytes()[..rest]);
    // The last group is filled with zeros.
    out.resize(end, 0);
}

fn write_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn damaged(what: &str) -> ParquetError {
    ParquetError::General(what.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_example_of_the_specification_is_read() {
        // 0 to 7 in three bits each, as its page about encodings shows them.
        let data = vec![0b11, 0b1000_1000, 0b1100_0110, 0b1111_1010];
        let mut numbers = Vec::new();
        let mut reader = HybridReader::new(data.clone().into(), 3).unwrap();
        reader.read(8, &mut numbers).unwrap();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 7]);
        let mut written = Vec::new();
        write(&numbers, 3, &mut written);
        assert_eq!(written, data);
    }

    #[test]
    fn numbers_that_are_missing_are_an_error() {
        for data in [&[][..], &[0x80], &[0b11, 1], &[0b100], &[0xff; 12]] {
            let mut reader = HybridReader::new(data.to_vec().into(), 9).unwrap();
            assert!(reader.read(100, &mut Vec::new()).is_err(), "{data:?}");
        }
        assert!(HybridReader::new(Bytes::new(), 33).is_err());
    }

    #[test]
    fn equal_numbers_are_written_alike_one_by_one_and_at_once() {
        for count in [0, 1, 7, 8, 9, 1000] {
            let (mut one_by_one, mut at_once) = (Vec::new(), Vec::new());
            write(&vec![5; count], 3, &mut one_by_one);
            write_equal(5, count, 3, &mut at_once);
            assert_eq!(at_once, one_by_one, "{count} numbers");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again_however_many_at_once(
            runs in prop::collection::vec((any::<u32>(), 1..20_usize), 0..40),
            width in 0..=32_u8,
            step in 1..50_usize,
            skips in any::<bool>(),
        ) {
            let mask = (1_u64 << width) - 1;
            let numbers: Vec<u32> = runs
                .into_iter()
                .flat_map(|(number, times)| vec![(u64::from(number) & mask) as u32; times])
                .collect();
            let mut data = Vec::new();
            write(&numbers, width, &mut data);
            let mut reader = HybridReader::new(data.into(), width).unwrap();
            let mut read = Vec::new();
            while read.len() < numbers.len() {
                let count = step.min(numbers.len() - read.len());
                match skips.then(|| reader.skip_equal(count).unwrap()).flatten() {
                    Some(number) => read.resize(read.len() + count, number),
                    None => reader.read(count, &mut read).unwrap(),
                }
            }
            prop_assert_eq!(read, numbers);
        }
    }
}
