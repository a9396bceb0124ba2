//! Numbers that are easily mistaken for each other, each with a type of its own.
//!
//! They are what the functions of this crate take and give. Long lists stay plain numbers, and say of what: kernels
//! run over them, and they are packed, sorted and counted as numbers.

use std::fmt;

macro_rules! number {
    ($(#[$about:meta])* $name:ident($number:ty)) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[repr(transparent)]
        pub struct $name(pub $number);

        impl $name {
            /// Its place in a list that has one entry for each.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    };
}

number! {
    /// The code of a value in the [`Dictionary`](crate::table::Dictionary) of its column.
    ValueCode(u32)
}

number! {
    /// A class of a [`ReleaseMap`](crate::publish::ReleaseMap), numbered in the order it lists them.
    ClassNumber(u32)
}

number! {
    /// A raw value of a hierarchy, numbered in the order they are listed.
    Leaf(u32)
}

number! {
    /// A group of raw values. Those of a level of a hierarchy are numbered in the order of their first leaves; on level 0
    /// each leaf is one.
    Group(u32)
}

number! {
    /// A level of a hierarchy: 0 for the raw values, more for every step of generalization.
    Level(u8)
}

/// So that nodes can be written as lists of numbers.
impl From<u8> for Level {
    fn from(level: u8) -> Self {
        Level(level)
    }
}

impl Level {
    /// The level of the raw values.
    pub const RAW: Level = Level(0);

    /// All levels from the raw values to `last`, which is one of them.
    pub fn up_to(
        last: Level,
    ) -> impl DoubleEndedIterator<Item = Level> + ExactSizeIterator + Clone {
        // A range of `u8` up to and with its end knows no length.
        (0..u16::from(last.0) + 1).map(|level| Level(level as u8))
    }

    /// All levels under `end`, which is none of them.
    pub fn under(end: Level) -> impl DoubleEndedIterator<Item = Level> + ExactSizeIterator + Clone {
        (0..end.0).map(Level)
    }

    /// How many steps this level is above another; 0 when it is not above it.
    pub const fn steps_above(self, other: Level) -> u8 {
        self.0.saturating_sub(other.0)
    }

    /// One step up.
    #[must_use]
    pub const fn above(self) -> Level {
        Level(self.0 + 1)
    }

    /// One step down; none from the raw values.
    #[must_use]
    pub const fn below(self) -> Option<Level> {
        match self.0 {
            0 => None,
            level => Some(Level(level - 1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_walked_from_the_raw_values_up_and_back() {
        let levels: Vec<u8> = Level::up_to(Level(2)).map(|level| level.0).collect();
        assert_eq!(levels, [0, 1, 2]);
        assert!(
            Level::up_to(Level(2))
                .rev()
                .eq([Level(2), Level(1), Level(0)])
        );
        assert!(Level::under(Level(2)).eq([Level(0), Level(1)]));
        assert_eq!(Level::up_to(Level(u8::MAX)).len(), 256);
        assert_eq!(
            (Level::RAW.below(), Level(1).below()),
            (None, Some(Level(0)))
        );
        assert_eq!(Level::RAW.above(), Level(1));
        assert_eq!(
            (
                Level(5).steps_above(Level(3)),
                Level(3).steps_above(Level(5))
            ),
            (2, 0)
        );
    }
}
