//! Numbers, found by the hash of what they stand for.

/// A hash table of the numbers from 0 up; what they stand for is kept by the owner.
///
/// Every cell and every row goes through one, twice, so it does nothing but that: numbers are never taken out one by one, at
/// most half of the slots are filled, and a search is short enough to become part of the loop it is called in.
///
/// `hashbrown::HashTable` in its place took 7 % more instructions (callgrind, profile `bench`, the counting pass over
/// 60 000 rows of nine columns): 84.7 instead of 79.1 million with 40 values in the last column, 106.3 instead of 98.8
/// million with 20 000.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slots {
    /// A power of two of them, or none; each number is in the first free slot from where the upper bits of its hash
    /// point. The lower bits are stored next to it, so that most mismatches are found before the owner's memory is
    /// read.
    slots: Vec<Slot>,
    /// How far a hash is shifted to point at a slot.
    shift: u32,
    numbers: u32,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    hash: u32,
    number: u32,
}

/// No number.
pub(crate) const NOBODY: u32 = u32::MAX;

const FREE: Slot = Slot {
    hash: 0,
    number: NOBODY,
};

/// Slots of the smallest table that is not empty.
const FEWEST: usize = 16;

impl Slots {
    /// How many numbers there are.
    pub(crate) fn len(&self) -> u32 {
        self.numbers
    }

    /// Takes all numbers out but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.slots.fill(FREE);
        self.numbers = 0;
    }

    /// The number with this hash that `is_it` accepts.
    #[inline(always)] // the loops it is called in are the hottest there are
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let last = self.slots.len().checked_sub(1)?;
        let mut slot = (hash >> self.shift) as usize;
        loop {
            let Slot {
                hash: lower,
                number,
            } = self.slots[slot & last];
            if lower == hash as u32 && number != FREE.number && is_it(number) {
                return Some(number);
            }
            if number == FREE.number {
                return None;
            }
            slot += 1;
        }
    }

    /// The number in the slot where the search for this hash begins, if it may be the one; [`NOBODY`] if not.
    #[inline(always)]
    pub(crate) fn first(&self, hash: u64) -> u32 {
        let Some(last) = self.slots.len().checked_sub(1) else {
            return NOBODY;
        };
        let slot = self.slots[(hash >> self.shift) as usize & last];
        // A free slot has no number either.
        if slot.hash == hash as u32 {
            slot.number
        } else {
            NOBODY
        }
    }

    /// Adds the next number, which has this hash. `hash_of` gives the hashes of those before it.
    pub(crate) fn push(&mut self, hash: u64, hash_of: impl Fn(u32) -> u64) -> u32 {
        let number = self.numbers;
        assert!(
            number < FREE.number,
            "fewer than 2^32 rows, so fewer numbers"
        );
        if 2 * (number as usize + 1) > self.slots.len() {
            let slots = (2 * self.slots.len()).max(FEWEST);
            self.slots.clear();
            self.slots.resize(slots, FREE);
            self.shift = u64::BITS - slots.trailing_zeros();
            for number in 0..number {
                self.put(hash_of(number), number);
            }
        }
        self.put(hash, number);
        self.numbers += 1;
        number
    }

    fn put(&mut self, hash: u64, number: u32) {
        let last = self.slots.len() - 1;
        let mut slot = (hash >> self.shift) as usize;
        while self.slots[slot & last].number != FREE.number {
            slot += 1;
        }
        self.slots[slot & last] = Slot {
            hash: hash as u32,
            number,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_even_where_all_hashes_are_equal() {
        for hash_of in [|_| 0, |_| u64::MAX, |number: u32| u64::from(number) << 55] {
            let mut slots = Slots::default();
            assert_eq!(slots.find(hash_of(0), |_| true), None);
            for number in 0..500 {
                assert_eq!(slots.push(hash_of(number), hash_of), number);
            }
            for wanted in 0..500 {
                let found = slots.find(hash_of(wanted), |number| number == wanted);
                assert_eq!(found, Some(wanted));
                assert_eq!(slots.find(hash_of(wanted), |_| false), None);
            }
        }
    }
}
