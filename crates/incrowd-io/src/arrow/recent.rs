//! Stored values and the numbers of their texts, as far as they were met lately.

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

/// The numbers of some values. One that takes the place of another makes it forgotten, which costs time only.
pub(super) struct Recent {
    places: Vec<Place>,
}

#[derive(Clone, Copy)]
struct Place {
    bits: u128,
    number: u32,
}

/// Places for values: enough for most columns, few enough to stay in a near cache.
const MOST_PLACES: usize = 1 << 12;

impl Recent {
    /// For a column of so many rows.
    pub(super) fn new(rows: usize) -> Recent {
        let places = rows.next_power_of_two().clamp(2, MOST_PLACES);
        // What nothing has taken yet holds bits that have their place elsewhere, so that nobody looks for them there: 0 has
        // the first place and 1 another.
        let free = |bits| Place { bits, number: 0 };
        let mut places = vec![free(0); places];
        places[0] = free(1);
        Recent { places }
    }

    /// The number of the text of a value; `find` says it at first.
    #[inline]
    pub(super) fn number(
        &mut self,
        bits: u128,
        find: impl FnOnce() -> Result<u32, NotUtf8>,
    ) -> Result<u32, NotUtf8> {
        let last = self.places.len() - 1;
        let place = &mut self.places[mixed(bits) & last];
        if place.bits != bits {
            let number = find()?;
            *place = Place { bits, number };
        }
        Ok(place.number)
    }

    /// Adds the numbers of values; stops where `find` does, which also gets the position of the value.
    pub(super) fn number_all<T: Bits>(
        &mut self,
        values: &[T],
        numbers: &mut Vec<u32>,
        mut find: impl FnMut(usize, T) -> Result<u32, NotUtf8>,
    ) -> Result<(), NotUtf8> {
        let before = numbers.len();
        numbers.resize(before + values.len(), 0);
        let both = numbers[before..].iter_mut().zip(values);
        let mut stopped = None;
        for (at, (number, &value)) in both.enumerate() {
            match self.number(value.bits(), || find(at, value)) {
                Ok(found) => *number = found,
                Err(error) => {
                    stopped = Some((at, error));
                    break;
                }
            }
        }
        match stopped {
            None => Ok(()),
            Some((at, error)) => {
                numbers.truncate(before + at);
                Err(error)
            }
        }
    }
}

/// Bits that differ mostly become numbers that differ in their last digits.
#[inline]
fn mixed(bits: u128) -> usize {
    let folded = (bits as u64) ^ ((bits >> 64) as u64).rotate_left(23);
    (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_numbers_however_many_take_the_same_place() {
        for rows in [0, 1, 2, 1000, 1 << 20] {
            let mut recent = Recent::new(rows);
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
    fn values_with_different_texts_have_different_bits() {
        assert_ne!(0.0_f64.bits(), (-0.0_f64).bits());
        assert_ne!(0.0_f32.bits(), (-0.0_f32).bits());
        assert_ne!((-1_i8).bits(), 255_u8.bits());
        assert_eq!(f64::NAN.bits(), f64::NAN.bits());
    }
}
