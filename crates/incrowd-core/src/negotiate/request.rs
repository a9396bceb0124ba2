//! What is wished for.

use crate::counts::CountedTable;
use crate::error::Error;
use crate::lattice::{Level, Node};
use crate::privacy::PrivacyModel;
use crate::utility::UtilityMetric;

/// Which heights the relaxation of the levels may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Search {
    /// All of them.
    #[default]
    Whole,
    /// From the height of the acceptable levels on, as the program of the paper does.
    FromLimit,
}

impl Search {
    /// All of them, by the names users write.
    pub const ALL: [(&'static str, Search); 2] =
        [("whole", Search::Whole), ("from-limit", Search::FromLimit)];
}

/// What makes one release better than another.
#[derive(Debug, Clone, Copy, Default)]
pub enum Quality<'a> {
    /// The least height.
    #[default]
    Height,
    /// The least loss.
    Metric(&'a dyn UtilityMetric),
}

/// Three wishes and a taste: the promise with its parameter, the rows that may be suppressed, the acceptable
/// levels, and what makes a release good.
///
/// Of several releases that meet the wishes the best is that of least height (or loss), then of fewest suppressed
/// rows, then of the first levels from left to right.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    pub(super) model: &'a dyn PrivacyModel,
    pub(super) max_suppressed: u32,
    pub(super) max_levels: Option<&'a Node>,
    pub(super) quality: Quality<'a>,
    pub(super) search: Search,
    /// At least 1.
    pub(super) step: u32,
}

impl<'a> Request<'a> {
    /// A request without suppression, any levels acceptable.
    pub fn new(model: &'a dyn PrivacyModel) -> Self {
        Request {
            model,
            max_suppressed: 0,
            max_levels: None,
            quality: Quality::Height,
            search: Search::Whole,
            step: 1,
        }
    }

    /// The same with so many rows to suppress at most.
    pub fn max_suppressed(self, rows: u32) -> Self {
        Request {
            max_suppressed: rows,
            ..self
        }
    }

    /// The same with the highest acceptable level of each quasi-identifier.
    pub fn max_levels(self, levels: &'a Node) -> Self {
        Request {
            max_levels: Some(levels),
            ..self
        }
    }

    /// The same with another taste.
    pub fn quality(self, quality: Quality<'a>) -> Self {
        Request { quality, ..self }
    }

    /// The same with other heights for the relaxation of the levels.
    pub fn search(self, search: Search) -> Self {
        Request { search, ..self }
    }

    /// The same for someone who may know numbers of suppressed rows only in steps of so many rows, and not even whether
    /// there are any: from 0 rows on, every number counts as the end of its step before anything is decided by it, and
    /// budgets are rounded down. So with all nodes annotated and the height as taste, the answer follows from the steps
    /// alone, and asking often tells no more than they do. A step of 1 changes nothing.
    pub fn in_steps_of(self, rows: u32) -> Self {
        let step = rows.max(1);
        Request { step, ..self }
    }

    /// The rows that may be suppressed, in whole steps.
    pub(super) fn budget(&self) -> u32 {
        self.max_suppressed - self.max_suppressed % self.step
    }

    /// The most rows that are within the budget; none if not even a step is.
    pub(super) fn limit(&self) -> Option<u32> {
        match self.step {
            1 => Some(self.max_suppressed),
            _ => self.budget().checked_sub(1),
        }
    }

    /// A number of suppressed rows as it is told.
    pub(super) fn told(&self, rows: u32) -> u32 {
        match self.step {
            1 => rows,
            step => (rows / step + 1).saturating_mul(step),
        }
    }

    /// Refuses what no table could mean; otherwise the node of the acceptable levels.
    pub fn check(&self, table: &CountedTable) -> Result<Node, Error> {
        check_negotiable(self.model)?;
        let smallest_class = self.model.smallest_class();
        if smallest_class > table.rows {
            let column = self.model.column();
            let column = column.map(|at| table.columns[at].name.as_str());
            return Err(Error::PromiseBeyondTable {
                model: self.model.describe(column),
                smallest_class,
                rows: table.rows,
            });
        }
        let top = table.lattice().top().clone();
        match self.max_levels {
            None => Ok(top),
            Some(node) => {
                let levels: Vec<i64> = node.levels().map(|level| i64::from(level.0)).collect();
                acceptable_levels(table, &levels)
            }
        }
    }
}

/// Refuses models that are not a number for each class.
pub(super) fn check_negotiable(model: &dyn PrivacyModel) -> Result<(), Error> {
    match model.is_about_release() {
        true => Err(Error::NotNegotiable {
            model: model.name(),
        }),
        false => Ok(()),
    }
}

/// The node of these levels, one for each quasi-identifier, if the hierarchies have them. Whoever asks may write any
/// number, so they become levels here.
pub fn acceptable_levels(table: &CountedTable, levels: &[i64]) -> Result<Node, Error> {
    if levels.len() != table.attributes.len() {
        return Err(Error::WrongNumberOfLevels {
            given: levels.len(),
            expected: table.attributes.len(),
        });
    }
    let checked = table.attributes.iter().zip(levels).map(|(of, &given)| {
        let height = of.hierarchy.height();
        let level = u8::try_from(given).ok().map(Level);
        let level = level.filter(|&level| level <= height);
        level.ok_or_else(|| Error::NoSuchLevel {
            column: of.name.clone(),
            given,
            height,
        })
    });
    Ok(Node::from_levels(
        checked.collect::<Result<Vec<Level>, _>>()?,
    ))
}

/// The budget, if it is one: a number of rows that is not negative. More rows than there are is all of them.
pub fn budget(rows: i64) -> Result<u32, Error> {
    if rows < 0 {
        return Err(Error::NegativeBudget { given: rows });
    }
    Ok(u32::try_from(rows).unwrap_or(u32::MAX))
}
