//! The independent check, the only code that can make a release.
//!
//! [`publish`] trusts no search: it looks up the published text of every raw value, sorts the raw tuples into classes
//! of equal texts with its own code, evaluates every model on every class, suppresses what fails, and checks the budget
//! and the acceptable levels. The loss that a search claims must be the loss measured. What a recoding publishes must
//! also be readable: every text stands for exactly the values it was made of, or is their mean or median. Only then is there a [`Release`]. The
//! writer of a job takes [`PublishedRows`], which only a release's [`Recoder`] makes from those same texts, and
//! finishes only with a [`Confirmation`] that the rows written are the rows counted, with the values counted.

mod alike;
mod applier;
mod boxes;
mod centres;
mod classes;
mod crowds;
mod judge;
mod map;
mod measure;
mod population;
mod recoder;
mod seen;
mod tally;
#[cfg(test)]
mod tests;
mod texts;
mod values;
mod verify;

pub use crate::numbers::ClassNumber;
pub use applier::{Applied, Applier};
pub use classes::{ExposedColumn, Exposure};
pub use judge::Reached;
pub use map::{
    MappedAttribute, MappedClasses, MappedColumn, MappedShares, MappedTuples, ReleaseMap,
};
pub use population::{MatchedClass, match_population};
pub use recoder::{PublishedRows, RecodedOnce, RecodedRows, Recoder, Run, Shuffle, SuppressedRows};
pub use seen::Seen;
pub use tally::{Confirmation, Tally};
pub use values::PublishedValue;
pub use verify::{
    AgainstOriginal, Verification, Violation, compare_with_original, verify, verify_among,
};

use crate::Error;
use crate::counts::{CountedTable, Work};
use crate::lattice::{Level, Node};
use crate::privacy::PrivacyModel;
use crate::problem::{Interruption, Meter, Problem, Proposal, Unwatched, Watch, side_by_side};
use crate::recode::Recoding;
use classes::Classes;
use measure::MeasuredColumn;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use texts::PublishedTexts;

/// A checked recoding: every published class satisfies every model.
#[derive(Debug)]
pub struct Release<'a> {
    table: &'a CountedTable,
    models: &'a [Box<dyn PrivacyModel>],
    recoding: Arc<dyn Recoding>,
    /// One per quasi-identifier.
    texts: Vec<PublishedTexts>,
    /// One per quasi-identifier.
    columns: Vec<MeasuredColumn>,
    classes: Classes,
    rows_suppressed: u32,
    reached: Vec<Reached>,
    /// Made on demand.
    map: OnceLock<Arc<ReleaseMap>>,
}

/// Checks a proposal. The only way to a [`Release`].
pub fn publish<'a>(problem: &Problem<'a>, proposal: &Proposal) -> Result<Release<'a>, Error> {
    publish_watched(problem, proposal, &Unwatched)
}

/// Checks a proposal as [`publish`] does, unless the watch stops it first: then there is no release.
pub fn publish_watched<'a>(
    problem: &Problem<'a>,
    proposal: &Proposal,
    watch: &dyn Watch,
) -> Result<Release<'a>, Error> {
    let meter = &Meter::new(watch);
    let table = problem.table;
    let recoding = &proposal.recoding;
    let counted = table.columns.len();
    let fits = problem.max_levels.levels().count() == table.attributes.len()
        && (problem.models.iter()).all(|model| model.column().is_none_or(|at| at < counted));
    if !fits {
        return Err(Error::CheckFailed {
            what: "the problem and the table have different columns",
        });
    }
    let texts = PublishedTexts::of(&**recoding, table)?;
    let mut classes = Classes::of_texts(table, &texts, meter).map_err(stopped)?;
    if !classes.have_all_of(table) {
        return Err(Error::CheckFailed {
            what: "the classes do not have all rows of the table",
        });
    }
    if !centres::are_right(table, &recoding.columns(table), &classes) {
        return Err(Error::CheckFailed {
            what: "a published number is not the mean or median of its class",
        });
    }
    if problem.models.iter().any(|model| model.reads_population()) {
        if centres::are_published(&recoding.columns(table)) {
            return Err(Error::CheckFailed {
                what: "a published mean or median does not say who in the population it could be about",
            });
        }
        let reads_overlaps = problem.models.iter().any(|model| model.reads_overlaps());
        let people = population::people_of_classes(table, &texts, &classes, reads_overlaps, meter);
        classes.set_people(people.map_err(stopped)?);
    }
    (classes.suppress_unsafe(problem.models, meter)).map_err(stopped)?;
    let rows_suppressed = classes.rows_suppressed();
    if rows_suppressed > problem.max_suppressed {
        return Err(Error::CheckFailed {
            what: "more rows would be suppressed than allowed",
        });
    }
    let reached = classes.reached(problem.models, meter).map_err(stopped)?;
    if reached.iter().any(|reached| !reached.holds) {
        return Err(Error::CheckFailed {
            what: "a published class, or all of them together, violates a privacy model",
        });
    }
    let all = (0..).zip(&texts).collect();
    let columns = side_by_side(meter, table.threads, all, |(at, texts), meter| {
        let column = MeasuredColumn::new(table, at, texts, &classes);
        meter.spend(Work::of(table.tuples.len())).map(|()| column)
    });
    let columns = columns.map_err(stopped)?;
    let release = Release {
        table,
        models: problem.models,
        recoding: Arc::clone(recoding),
        texts,
        columns,
        classes,
        rows_suppressed,
        reached,
        map: OnceLock::new(),
    };
    if !release.is_acceptable(&problem.max_levels) {
        return Err(Error::CheckFailed {
            what: "a level is above the acceptable one",
        });
    }
    let measured = release.loss(problem.metric);
    if !proposal
        .loss
        .is_none_or(|claimed| measured.is_about(claimed))
    {
        return Err(Error::CheckFailed {
            what: "the release does not have the loss that the search reported",
        });
    }
    Ok(release)
}

/// The error of a check that was stopped early.
fn stopped(why: Interruption) -> Error {
    match why {
        Interruption::Cancelled => Error::Cancelled,
        _ => Error::CheckStopped,
    }
}

impl<'a> Release<'a> {
    /// The table the release is made from.
    pub fn table(&self) -> &'a CountedTable {
        self.table
    }

    /// How the quasi-identifiers are published.
    pub fn recoding(&self) -> &dyn Recoding {
        &*self.recoding
    }

    /// Whether no value is published at a level above the highest acceptable one of its column.
    fn is_acceptable(&self, max_levels: &Node) -> bool {
        if let Some(node) = self.node() {
            return node.is_at_or_below(max_levels);
        }
        let columns = self.columns.iter().zip(&self.table.attributes);
        columns
            .zip(max_levels.levels())
            .all(|((column, attribute), max_level)| {
                let levels = column.attribute().levels_of_groups(&attribute.hierarchy);
                levels.into_iter().all(|level| level <= max_level)
            })
    }

    /// The level of every quasi-identifier; none if a column mixes levels.
    pub fn node(&self) -> Option<&Node> {
        self.recoding.node()
    }

    /// Quasi-identifiers with their levels; none when a column mixes levels.
    pub fn levels(&self) -> Option<Vec<(&'a str, Level)>> {
        let names = self.table.attributes.iter().map(|it| it.name.as_str());
        Some(names.zip(self.node()?.levels()).collect())
    }

    /// Rows that are not published.
    pub fn rows_suppressed(&self) -> u32 {
        self.rows_suppressed
    }

    /// Rows that are published.
    pub fn rows_published(&self) -> u32 {
        self.table.rows - self.rows_suppressed
    }

    /// The number of published classes.
    pub fn classes(&self) -> usize {
        self.classes.published().count()
    }

    /// Rows of the smallest published class; 0 if nothing is published.
    pub fn smallest_class(&self) -> u32 {
        self.class_sizes().min().unwrap_or(0)
    }

    /// Rows of each published class, in the order of the classes.
    pub fn class_sizes(&self) -> impl Iterator<Item = u32> {
        self.classes.published().map(|class| class.size())
    }

    /// What the release reveals regardless of the privacy models.
    pub fn exposure(&self) -> Exposure {
        self.classes.exposure(self.table)
    }

    /// The texts of a quasi-identifier in published rows. The rows of a group may all be suppressed.
    pub fn texts(&self, attribute: usize) -> Vec<&str> {
        self.texts_in(&self.classes, attribute)
    }

    /// The texts of a quasi-identifier in these classes.
    fn texts_in(&self, classes: &Classes, attribute: usize) -> Vec<&str> {
        let published = classes.published();
        let texts: BTreeSet<u32> = published.map(|class| class.groups()[attribute]).collect();
        let text = |text| self.texts[attribute].text(text);
        texts.into_iter().map(text).collect()
    }

    /// How far every model is satisfied, in the order of the problem's models.
    pub fn reached(&self) -> &[Reached] {
        &self.reached
    }

    /// Applies the release to rows of a table with the columns `names`, of which those in `dropped` (by position)
    /// are left out.
    pub fn recoder(
        &self,
        names: &[String],
        dropped: &[usize],
        suppressed_rows: SuppressedRows,
    ) -> Result<Recoder, Error> {
        self.map().recoder(names, dropped, suppressed_rows)
    }

    /// How every row is published, as plain data.
    pub fn map(&self) -> &Arc<ReleaseMap> {
        self.map.get_or_init(|| Arc::new(self.make_map()))
    }
}
