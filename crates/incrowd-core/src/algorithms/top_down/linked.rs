//! What is known about the values of a cut: sums over the classes linked to them.

use super::Class;
use crate::algorithms::cuts::Kept;
use crate::privacy::ReleaseView;
use std::collections::BTreeMap;

/// Bits below which a replacement gains no information beyond rounding.
const NOTHING: f64 = 1e-12;

/// A class after one of its values is replaced.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Replaced {
    /// Rows in violating parts.
    rows_unsafe: u32,
    /// Those of them that are suppressed however the parts are divided.
    rows_lost: u32,
    /// Rows of the smallest safe part.
    smallest_safe: Option<u32>,
    /// The safe parts.
    published: ReleaseView,
}

impl Replaced {
    /// Adds a part of so many rows.
    pub(super) fn add(&mut self, size: u32, kept: Kept) {
        if kept.is_safe {
            let smallest = self.smallest_safe.unwrap_or(size).min(size);
            self.smallest_safe = Some(smallest);
            self.published.add_class(size);
        } else {
            self.rows_unsafe += size;
            self.rows_lost += size - kept.most;
        }
    }
}

/// A value of a cut, and what is known about the classes linked to it.
#[derive(Debug, Clone, Default)]
pub(super) struct Linked {
    pub(super) is_in_cut: bool,
    /// Whether it may be replaced now or later: that gains information, and is not known to be hopeless. Of other values
    /// nothing is added up.
    pub(super) is_open: bool,
    classes: Vec<u32>,
    /// The information gained about the target by replacing it, in bits per row.
    pub(super) gain: f64,
    /// Rows of its classes that are suppressed now.
    pub(super) rows_unsafe: u32,
    /// Rows of its classes that would be suppressed if it were replaced.
    pub(super) rows_unsafe_replaced: u32,
    /// Rows of its classes that are suppressed in every cut below, and those that are if it is replaced in it.
    rows_lost: u32,
    rows_lost_replaced: u32,
    /// What is published of its classes now, and what would be if it were replaced.
    pub(super) published: ReleaseView,
    pub(super) published_replaced: ReleaseView,
    /// Sizes of the smallest safe parts, with how many classes have them.
    pub(super) smallest_parts: BTreeMap<u32, u32>,
}

impl Linked {
    /// Puts it into the cut, before any class has it.
    pub(super) fn enter_cut(&mut self, gain: f64) {
        self.is_in_cut = true;
        self.gain = gain;
        self.is_open = self.is_candidate();
    }

    /// Whether replacing it would gain information, even if it is known to be hopeless.
    pub(super) fn is_candidate(&self) -> bool {
        self.is_in_cut && self.gain > NOTHING
    }

    /// Takes it out of the cut, for good. The classes that have it.
    pub(super) fn leave_cut(&mut self) -> Vec<u32> {
        std::mem::take(self).classes
    }

    /// A class has it now.
    pub(super) fn link(&mut self, class: usize) {
        if self.is_open {
            self.classes.push(class as u32);
        }
    }

    /// Adds a class, and what it is once the value is replaced.
    pub(super) fn count_in(&mut self, class: &Class, replaced: &Replaced) {
        if !self.is_open {
            return;
        }
        self.rows_unsafe += class.rows_unsafe();
        self.rows_unsafe_replaced += replaced.rows_unsafe;
        self.rows_lost += class.rows_lost;
        self.rows_lost_replaced += replaced.rows_lost;
        self.published.add(class.published());
        self.published_replaced.add(replaced.published);
        if let Some(size) = replaced.smallest_safe {
            *self.smallest_parts.entry(size).or_insert(0) += 1;
        }
    }

    /// Removes a class that was added.
    pub(super) fn count_out(&mut self, class: &Class, replaced: &Replaced) {
        if !self.is_open {
            return;
        }
        self.rows_unsafe -= class.rows_unsafe();
        self.rows_unsafe_replaced -= replaced.rows_unsafe;
        self.rows_lost -= class.rows_lost;
        self.rows_lost_replaced -= replaced.rows_lost;
        self.published.remove(class.published());
        self.published_replaced.remove(replaced.published);
        if let Some(size) = replaced.smallest_safe {
            take_one(&mut self.smallest_parts, size);
        }
    }

    /// Closes it if more rows than `most_lost` are suppressed in every cut below in which it is replaced; `rows_lost` are
    /// those of all classes counted in. True if it is closed.
    ///
    /// Later cuts are below this one, and the classes of such a cut are parts of those that the replacement gives, and of
    /// those not linked to this value. So it can never be replaced. While another value is being replaced, classes that are
    /// not counted in again yet only make the sum smaller.
    pub(super) fn close_if_hopeless(&mut self, rows_lost: u32, most_lost: u32) -> bool {
        if self.is_open && rows_lost - self.rows_lost + self.rows_lost_replaced > most_lost {
            *self = Linked {
                is_in_cut: self.is_in_cut,
                gain: self.gain,
                ..Linked::default()
            };
        }
        !self.is_open
    }
}

/// Decrements the count of a size.
pub(super) fn take_one(sizes: &mut BTreeMap<u32, u32>, size: u32) {
    match sizes.get_mut(&size) {
        Some(count) if *count > 1 => *count -= 1,
        _ => {
            sizes.remove(&size);
        }
    }
}
