//! A release as whoever reads it sees it.
//!
//! A row that is `*` in every published column says nothing about anybody, and nobody can tell it from a suppressed row.
//! Such *blank* rows come about where a class is published as `*` throughout and the cells published as they are, if
//! there are any, are `*` too. They were not suppressed, no budget is charged for them, and they cost what generalizing
//! costs. Yet a reader does not count them, and must find the promises kept all the same: without them a class may be
//! too small, or have too few values of a sensitive column. So every figure that can be counted in the file is taken
//! without them, and a release that keeps a promise only with their help is refused. Then the file alone, its certificate
//! and the check tell the same.

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
    /// The release as its readers see it, after a second pass that has met this tally.
    ///
    /// # Errors
    /// A promise does not hold without the blank rows.
    pub fn seen(&self, tally: &Tally) -> Result<Seen<'_>, Error> {
        if tally.rows_blank == 0 {
            return Ok(Seen {
                release: self,
                classes: Cow::Borrowed(&self.classes),
                rows_blank: 0,
                reached: Cow::Borrowed(&self.reached),
            });
        }
        let class = self.map().any_class().ok_or(Error::InputChanged)?;
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

    /// Rows of the smallest class; 0 when there is none.
    pub fn smallest_class(&self) -> u32 {
        let sizes = self.classes.published().map(Class::size);
        sizes.min().unwrap_or(0)
    }

    /// What the release gives away whatever was promised.
    pub fn exposure(&self) -> Exposure {
        self.classes.exposure(self.release.table)
    }

    /// The texts of a quasi-identifier that stand in rows. A group may have rows that are all suppressed.
    pub fn texts(&self, attribute: usize) -> Vec<&str> {
        self.release.texts_in(&self.classes, attribute)
    }

    /// What every promise has come to, in the order of the problem's models.
    pub fn reached(&self) -> &[Reached] {
        &self.reached
    }
}
