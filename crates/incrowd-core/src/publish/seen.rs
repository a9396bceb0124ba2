//! A release as its readers see it.
//!
//! A row that is `*` in every published column says nothing about anybody and looks like a suppressed row. Such *blank*
//! rows arise if a class is published as `*` throughout and the cells published unchanged, if any, are also `*`. They
//! were not suppressed, do not count toward the budget, and cost what generalizing costs. But a reader does not count
//! them, and must still find the models satisfied: without them, a class may be too small, or have too few values of a
//! sensitive column. So every figure that can be counted in the file excludes them, and a release that satisfies a
//! model only because of them is refused. Then the file, its certificate and the check agree.

use super::classes::{Class, Classes, Exposure};
use super::judge::Reached;
use super::{Release, Tally, stopped};
use crate::Error;
use crate::problem::Meter;
use std::borrow::Cow;

/// A release without the rows that are `*` in every published column.
#[derive(Debug)]
pub struct Seen<'r> {
    release: &'r Release<'r>,
    classes: Cow<'r, Classes>,
    rows_blank: u32,
    reached: Cow<'r, [Reached]>,
}

impl Release<'_> {
    /// The release as its readers see it, after a second pass with this tally.
    ///
    /// # Errors
    /// A model does not hold without the blank rows.
    pub fn seen(&self, tally: &Tally) -> Result<Seen<'_>, Error> {
        if tally.rows_blank == 0 {
            return Ok(Seen {
                release: self,
                classes: Cow::Borrowed(&self.classes),
                rows_blank: 0,
                reached: Cow::Borrowed(&self.reached),
            });
        }
        let class = self.map().any_class().ok_or(Error::InputChanged)?.0;
        let rows_with = |column, value| tally.rows_blank_with(column, class, value);
        let classes = (self.classes)
            .without(class, tally.rows_blank, rows_with)
            .ok_or(Error::InputChanged)?;
        let reached = classes.reached(self.models, &Meter::unlimited());
        let reached = reached.map_err(stopped)?;
        if let Some(broken) = reached.iter().find(|reached| !reached.holds) {
            return Err(Error::BlankRows {
                rows: tally.rows_blank,
                model: broken.model.clone(),
            });
        }
        Ok(Seen {
            release: self,
            classes: Cow::Owned(classes),
            rows_blank: tally.rows_blank,
            reached: Cow::Owned(reached),
        })
    }
}

impl Seen<'_> {
    /// Rows that say something.
    pub fn rows(&self) -> u32 {
        self.release.rows_published() - self.rows_blank
    }

    /// Rows that are `*` in every published column although they are not suppressed.
    pub fn rows_blank(&self) -> u32 {
        self.rows_blank
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes.published().count()
    }

    /// Rows of the smallest class; 0 if there is none.
    pub fn smallest_class(&self) -> u32 {
        self.class_sizes().min().unwrap_or(0)
    }

    /// Rows of each class, in the order of the classes.
    pub fn class_sizes(&self) -> impl Iterator<Item = u32> {
        self.classes.published().map(Class::size)
    }

    /// What the release reveals regardless of the privacy models.
    pub fn exposure(&self) -> Exposure {
        self.classes.exposure(self.release.table)
    }

    /// The texts of a quasi-identifier in published rows. The rows of a group may all be suppressed.
    pub fn texts(&self, attribute: usize) -> Vec<&str> {
        self.release.texts_in(&self.classes, attribute)
    }

    /// How far every model is satisfied, in the order of the problem's models.
    pub fn reached(&self) -> &[Reached] {
        &self.reached
    }
}
