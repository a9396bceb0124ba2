//! Finds the bytes that matter to a CSV parser, 64 at a time.
//!
//! Most bytes of a table are neither delimiter nor quote nor line break. Comparing them in blocks and then visiting
//! only the matches is several times as fast as classifying each byte.

/// How many bytes are compared at once.
pub(super) const BLOCK: usize = 64;

/// The bytes to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Specials {
    pub(super) delimiter: u8,
    pub(super) quote: u8,
}

impl Specials {
    /// One bit for each of the first [`BLOCK`] bytes of `text`: whether it is special. Bytes beyond the end
    /// are not.
    // Otherwise the compiler emits a call in the innermost loop of the splitter.
    #[inline(always)]
    pub(super) fn mask(self, text: &[u8]) -> u64 {
        match text.first_chunk() {
            Some(block) => self.mask_block(block),
            None => {
                // Zero is neither delimiter nor quote: `check_dialect` ensures this.
                let mut block = [0; BLOCK];
                block[..text.len()].copy_from_slice(text);
                self.mask_block(&block)
            }
        }
    }

    /// How many bytes of `text` are special.
    pub(super) fn count(self, text: &[u8]) -> usize {
        // So few at a time that a byte can count them: then compilers count many with one instruction.
        let pieces = text.chunks(u8::MAX as usize);
        let counts = pieces.map(|piece| {
            let special = piece.iter().map(|&byte| u8::from(self.is_special(byte)));
            usize::from(special.sum::<u8>())
        });
        counts.sum()
    }

    #[inline(always)]
    fn is_special(self, byte: u8) -> bool {
        (byte == self.delimiter) | (byte == self.quote) | (byte == b'\n') | (byte == b'\r')
    }

    #[inline(always)]
    fn mask_block(self, block: &[u8; BLOCK]) -> u64 {
        // Written so that compilers compare many bytes with one instruction, on any processor.
        let mut found = [0; BLOCK];
        for (at, &byte) in block.iter().enumerate() {
            found[at] = u8::from(self.is_special(byte)) << (at % 8);
        }
        // Eight bytes with a bit each become one byte with eight bits: the product has their sum on top.
        let mut mask = 0;
        for (at, &bits) in found.as_chunks::<8>().0.iter().enumerate() {
            let sum = u64::from_le_bytes(bits).wrapping_mul(0x0101_0101_0101_0101) >> 56;
            mask |= sum << (at * 8);
        }
        mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SPECIALS: Specials = Specials {
        delimiter: b';',
        quote: b'"',
    };

    #[test]
    fn a_text_shorter_than_a_block_has_no_specials_beyond_its_end() {
        assert_eq!(SPECIALS.mask(b""), 0);
        assert_eq!(SPECIALS.mask(b"a;\"\n\r"), 0b11110);
    }

    proptest! {
        #[test]
        fn a_bit_is_set_exactly_where_a_special_byte_is(
            mut block in proptest::array::uniform32(any::<u8>()),
            places in proptest::collection::vec((0..32_usize, proptest::sample::select(&b";\"\n\r\0"[..])), 0..20),
        ) {
            for (at, byte) in places {
                block[at] = byte;
            }
            let mut whole = [0; BLOCK];
            whole[..32].copy_from_slice(&block);
            whole[32..].copy_from_slice(&block);
            let expected = whole
                .iter()
                .rev()
                .fold(0_u64, |mask, byte| mask << 1 | u64::from(b";\"\n\r".contains(byte)));
            prop_assert_eq!(SPECIALS.mask_block(&whole), expected);
            let text = whole.repeat(9);
            for length in [0, 1, 63, 64, 255, 256, 510, 511, text.len()] {
                let bits = (0..length).map(|at| expected >> (at % BLOCK) & 1);
                prop_assert_eq!(SPECIALS.count(&text[..length]), bits.sum::<u64>() as usize);
            }
        }
    }
}
