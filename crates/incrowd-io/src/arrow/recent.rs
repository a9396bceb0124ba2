//! Stored values and the numbers of their texts, as far as they were met lately.
//!
//! The processor need not guess anything here, neither the lengths of texts nor which value comes next, as long as all have a
//! place: that is what makes it faster than any table of all values.

use crate::numbered::NotUtf8;

/// The stored form of a value, by which it is recognized. Values with the same bits have the same text; the converse need not
/// hold.
pub(super) trait Bits: Copy {
    fn bits(self) -> u128;
}

macro_rules! whole_numbers {
    ($($kind:ty),*) => {$(
        impl Bits for $kind {
            #[inline]
            fn bits(self) -> u128 {
                self as u128
            }
        }
    )*};
}

whole_numbers!(i8, i16, i32, i64, i128, u8, u16, u32, u64, u128);

impl Bits for f32 {
    #[inline]
    fn bits(self) -> u128 {
        self.to_bits().into()
    }
}

impl Bits for f64 {
    #[inline]
    fn bits(self) -> u128 {
        self.to_bits().into()
    }
}

/// What values are recognized by.
pub(super) trait Mark: Copy + PartialEq {
    /// Two marks with different places, whatever the number of places.
    const APART: [Self; 2];

    /// Marks that differ mostly become numbers that differ in their last digits.
    fn mixed(self) -> usize;
}

impl Mark for u128 {
    const APART: [u128; 2] = [0, 1];

    #[inline]
    fn mixed(self) -> usize {
        let folded = (self as u64) ^ ((self >> 64) as u64).rotate_left(23);
        (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize
    }
}

/// A text of at most [`ShortText::LONGEST`] bytes: the first ones, and those after them with the length in the last byte.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShortText(u128, u128);

impl ShortText {
    const LONGEST: usize = 31;

    /// So many bytes of a text.
    const MASKS: [[u128; 2]; ShortText::LONGEST + 1] = {
        let mut masks = [[0; 2]; ShortText::LONGEST + 1];
        let mut length = 0;
        while length <= ShortText::LONGEST {
            masks[length] = match length {
                0..16 => [(1 << (8 * length)) - 1, 0],
                _ => [u128::MAX, (1 << (8 * (length - 16))) - 1],
            };
            length += 1;
        }
        masks
    };

    /// The first bytes of a text, so many of them; none if they are too many, or too little follows them to read a fixed
    /// number of bytes.
    #[inline]
    pub(super) fn at(onward: &[u8], length: usize) -> Option<ShortText> {
        let bytes: &[u8; 32] = onward.first_chunk()?;
        let [start, rest] = ShortText::MASKS.get(length)?;
        let (halves, _) = bytes.as_chunks();
        Some(ShortText(
            u128::from_le_bytes(halves[0]) & start,
            u128::from_le_bytes(halves[1]) & rest | (length as u128) << 120,
        ))
    }
}

impl PartialEq for ShortText {
    /// Comparing numbers this way keeps them in registers.
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        (self.0 ^ other.0) | (self.1 ^ other.1) == 0
    }
}

impl Mark for ShortText {
    const APART: [ShortText; 2] = [ShortText(0, 0), ShortText(1, 0)];

    #[inline]
    fn mixed(self) -> usize {
        let halves = |half: u128| (half as u64, (half >> 64) as u64);
        let ((first, second), (third, fourth)) = (halves(self.0), halves(self.1));
        // Turned differently, so that equal ones do not cancel out.
        let folded = first ^ second.rotate_left(23) ^ third.rotate_left(41) ^ fourth.rotate_left(9);
        (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize
    }
}

/// The numbers of some values. One that takes the place of another makes it forgotten, which costs time only.
pub(super) struct Recent<M = u128> {
    places: Vec<Place<M>>,
}

#[derive(Clone, Copy)]
struct Place<M> {
    mark: M,
    number: u32,
}

/// Places for values: enough for most columns, few enough to stay in a near cache.
const MOST_PLACES: usize = 1 << 12;

impl<M: Mark> Recent<M> {
    /// For a column of so many rows.
    pub(super) fn new(rows: usize) -> Recent<M> {
        let places = rows.next_power_of_two().clamp(2, MOST_PLACES);
        // What nothing has taken yet holds a mark that has its place elsewhere, so that nobody looks for it there.
        let free = |mark| Place { mark, number: 0 };
        let [one, other] = M::APART;
        let mut places = vec![free(one); places];
        let last = places.len() - 1;
        places[one.mixed() & last] = free(other);
        Recent { places }
    }

    /// The number of the text of a value; `find` says it at first.
    #[inline]
    pub(super) fn number(
        &mut self,
        mark: M,
        find: impl FnOnce() -> Result<u32, NotUtf8>,
    ) -> Result<u32, NotUtf8> {
        let last = self.places.len() - 1;
        let place = &mut self.places[mark.mixed() & last];
        if place.mark != mark {
            let number = find()?;
            *place = Place { mark, number };
        }
        Ok(place.number)
    }
}

impl Recent {
    /// Adds the numbers of values; stops where `find` does, which also gets the position of the value.
    pub(super) fn number_all<T: Bits>(
        &mut self,
        values: &[T],
        numbers: &mut Vec<u32>,
        mut find: impl FnMut(usize, T) -> Result<u32, NotUtf8>,
    ) -> Result<(), NotUtf8> {
        let values = values.iter().enumerate();
        extend_until_error(numbers, values, |(at, &value)| {
            self.number(value.bits(), || find(at, value))
        })
    }
}

/// Adds a number for each item, up to one that has none. Numbers are written where they belong without asking for room at each.
#[inline]
pub(super) fn extend_until_error<I: ExactSizeIterator>(
    numbers: &mut Vec<u32>,
    items: I,
    mut number: impl FnMut(I::Item) -> Result<u32, NotUtf8>,
) -> Result<(), NotUtf8> {
    let before = numbers.len();
    let mut stopped = None;
    // What comes after an error is made up, and removed again.
    numbers.extend(items.enumerate().map(|(at, item)| match stopped {
        Some(_) => 0,
        None => number(item).unwrap_or_else(|error| {
            stopped = Some((at, error));
            0
        }),
    }));
    match stopped {
        None => Ok(()),
        Some((at, error)) => {
            numbers.truncate(before + at);
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_numbers_however_many_take_the_same_place() {
        for rows in [0, 1, 2, 1000, 1 << 20] {
            let mut recent = Recent::<u128>::new(rows);
            let mut found = 0;
            for value in (0..3 * MOST_PLACES as u128).chain(0..20).chain(0..20) {
                let number = recent.number(value << 60, || {
                    found += 1;
                    Ok(value as u32)
                });
                assert_eq!(number.ok(), Some(value as u32));
            }
            assert!(found >= 3 * MOST_PLACES);
        }
        for rows in [0, 1, 2, 3, 100, 1 << 20] {
            let mut recent = Recent::new(rows);
            for bits in [0, 1, 2, u128::MAX] {
                let number = recent.number(bits, || Ok((bits as u32).wrapping_add(7)));
                assert_eq!(number.ok(), Some((bits as u32).wrapping_add(7)), "{rows}");
            }
        }
        let mut recent = Recent::new(3);
        let values: Vec<u64> = (0..1000).map(|at| at * at % 71).collect();
        let mut numbers = vec![5];
        let all = recent.number_all(&values, &mut numbers, |at, value| {
            assert_eq!(values[at], value);
            Ok(value as u32)
        });
        assert!(all.is_ok());
        assert!(
            numbers[1..]
                .iter()
                .zip(&values)
                .all(|(&it, &value)| u64::from(it) == value)
        );
        let stopped = recent.number_all(&values, &mut numbers, |at, value| match at < 8 {
            true => Ok(value as u32),
            false => Err(NotUtf8),
        });
        assert!(stopped.is_err());
        assert!((1001..1009 + 4).contains(&numbers.len()), "some were known");
        let mut recent = Recent::new(100);
        assert!(recent.number(7, || Err(NotUtf8)).is_err());
        assert_eq!(recent.number(7, || Ok(3)).ok(), Some(3));
        assert_eq!(recent.number(7, || Ok(4)).ok(), Some(3));
    }

    #[test]
    fn short_texts_are_recognized_whatever_follows_them() {
        let text: Vec<u8> = (0..100).map(|at: u32| (at * at % 5) as u8).collect();
        for places in [0, 100, 1 << 20] {
            let mut recent = Recent::<ShortText>::new(places);
            let (mut known, mut short) = (std::collections::HashMap::new(), 0);
            for (start, length) in (0..70).flat_map(|start| (0..40).map(move |it| (start, it))) {
                let Some(mark) = ShortText::at(&text[start..], length) else {
                    assert!(length > ShortText::LONGEST || start + 32 > text.len());
                    continue;
                };
                let next = known.len() as u32;
                let expected = *known.entry(&text[start..start + length]).or_insert(next);
                assert_eq!(recent.number(mark, || Ok(expected)).ok(), Some(expected));
                short += 1;
            }
            assert_eq!(short, 69 * 32);
        }
        let ends_with_zero = [ShortText::at(&[0; 32], 0), ShortText::at(&[0; 32], 1)];
        assert!(ends_with_zero[0] != ends_with_zero[1]);
    }

    #[test]
    fn marks_of_places_that_are_free_have_their_places_elsewhere() {
        fn check<M: Mark>() {
            let [one, other] = M::APART;
            assert!(one != other);
            for digits in 1..=MOST_PLACES.ilog2() {
                let last = (1 << digits) - 1;
                assert_ne!(one.mixed() & last, other.mixed() & last, "{digits}");
            }
        }
        check::<u128>();
        check::<ShortText>();
    }

    #[test]
    fn values_with_different_texts_have_different_bits() {
        assert_ne!(0.0_f64.bits(), (-0.0_f64).bits());
        assert_ne!(0.0_f32.bits(), (-0.0_f32).bits());
        assert_ne!((-1_i8).bits(), 255_u8.bits());
        assert_eq!(f64::NAN.bits(), f64::NAN.bits());
    }
}
