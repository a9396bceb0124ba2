//! What an algorithm receives and what it returns.

mod assess;
mod between;
mod crowds;
mod meter;
mod settings;
mod side_by_side;
mod steps;

pub use assess::{Assessment, Assessor};
pub use between::{bounds_between, bounds_from_below};
pub use meter::{LOOK_EVERY, Meter};
pub(crate) use meter::{ThreadMeter, Told};
pub use settings::Settings;
pub(crate) use side_by_side::{Done, done_side_by_side, side_by_side};
pub use steps::{Action, Step};

use crate::counts::{Attribute, CountedTable, MissingCells};
use crate::error::Error;
use crate::lattice::{Lattice, Level, Node};
use crate::privacy::{Monotonicity, PrivacyModel};
use crate::recode::Recoding;
use crate::utility::{Loss, UtilityMetric};
use std::sync::Arc;

/// A counted table and what is asked of its release.
///
/// ```
/// # use incrowd_core::{counts::CountedTable, privacy::PrivacyModel, problem::Problem, utility::UtilityMetric};
/// # fn ask(table: &CountedTable, models: &[Box<dyn PrivacyModel>], metric: &dyn UtilityMetric) -> Result<(), incrowd_core::Error> {
/// let problem = Problem::new(table, models, metric)
///     .allow_suppressed(5)
///     .limit_levels(table.lattice().top().clone())?;
/// # let _ = problem; Ok(()) }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Problem<'a> {
    /// The table.
    pub table: &'a CountedTable,
    /// The privacy models; all must hold in every published class.
    pub models: &'a [Box<dyn PrivacyModel>],
    /// The metric to minimize.
    pub metric: &'a dyn UtilityMetric,
    /// How many rows may be suppressed.
    pub max_suppressed: u32,
    /// The highest acceptable level of each quasi-identifier.
    pub max_levels: Node,
    /// Quasi-identifiers that are published as `*`, by the algorithms that [drop
    /// columns](crate::algorithms::Algorithm::drops_columns).
    pub dropped: Vec<usize>,
    /// Bytes an algorithm may use in addition to the table.
    pub memory_limit: usize,
    /// Settings that only some algorithms use.
    pub settings: Settings,
}

/// The default of [`Problem::memory_limit`].
pub const DEFAULT_MEMORY_LIMIT: usize = 256 << 20;

/// The default work limit of a search: far more than a search needs that finishes, and about a minute of one that does
/// not.
pub const DEFAULT_WORK_LIMIT: u64 = 3_000_000_000;

impl<'a> Problem<'a> {
    /// Every promise kept in every class, at the least loss: no row suppressed, every level acceptable.
    pub fn new(
        table: &'a CountedTable,
        models: &'a [Box<dyn PrivacyModel>],
        metric: &'a dyn UtilityMetric,
    ) -> Self {
        Problem {
            table,
            models,
            metric,
            max_suppressed: 0,
            max_levels: table.lattice().top().clone(),
            dropped: Vec::new(),
            memory_limit: DEFAULT_MEMORY_LIMIT,
            settings: Settings::default(),
        }
    }

    /// The same with another metric.
    #[must_use]
    pub fn minimize(mut self, metric: &'a dyn UtilityMetric) -> Self {
        self.metric = metric;
        self
    }

    /// How many rows may be suppressed.
    #[must_use]
    pub fn allow_suppressed(mut self, rows: u32) -> Self {
        self.max_suppressed = rows;
        self
    }

    /// The highest acceptable level of each quasi-identifier; refused unless the table has such a node.
    pub fn limit_levels(mut self, max_levels: Node) -> Result<Self, Error> {
        let top = self.table.lattice();
        let (given, expected) = (max_levels.len(), top.top().len());
        if given != expected {
            let what = "highest levels";
            return Err(Error::NotOnePerColumn {
                what,
                given,
                expected,
            });
        }
        for (attribute, level) in self.table.attributes.iter().zip(max_levels.levels()) {
            let height = attribute.hierarchy.height();
            if level > height {
                let (column, given) = (attribute.name.clone(), level.0.into());
                return Err(Error::NoSuchLevel {
                    column,
                    given,
                    height,
                });
            }
        }
        self.max_levels = max_levels;
        Ok(self)
    }

    /// Publishes these quasi-identifiers as `*`, whatever levels are acceptable.
    #[must_use]
    pub fn drop_columns(mut self, columns: Vec<usize>) -> Self {
        for &column in &columns {
            let top = self.table.lattice().top().level(column);
            self.max_levels = self.max_levels.with(column, top);
        }
        self.dropped = columns;
        self
    }

    /// Whether a node publishes every dropped quasi-identifier as `*`; others are looked at for what they say about the rest.
    pub(crate) fn drops(&self, node: &Node) -> bool {
        let mut dropped = self.dropped.iter();
        dropped.all(|&column| node.level(column) == self.max_levels.level(column))
    }

    /// Bytes an algorithm may keep beside the table.
    #[must_use]
    pub fn limit_memory(mut self, bytes: usize) -> Self {
        self.memory_limit = bytes;
        self
    }

    /// What only some algorithms want to be told.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// The nodes that may be published.
    pub fn lattice(&self) -> Lattice {
        Lattice::new(self.max_levels.clone())
    }

    /// Whether a node that cannot be published proves the same for every node below it.
    ///
    /// With a suppression budget, this needs models that survive merging with *any* class: otherwise a suppressed class
    /// may spoil a kept one. Without suppression every class is kept, so models that survive merging with kept classes
    /// suffice.
    pub fn pruning_is_sound(&self) -> bool {
        if !self.crowds_only_grow() {
            return false;
        }
        // Without suppression, merging leaves as many rows in fewer classes. With it, rows published further up may be alone.
        if self.max_suppressed > 0 && self.models.iter().any(|model| model.is_about_release()) {
            return false;
        }
        let weakest = self.models.iter().map(|model| model.monotonicity()).min();
        match weakest {
            None | Some(Monotonicity::UnionWithAny) => true,
            // A row with a missing cell is in several crowds at once, so crowds are not disjoint unions.
            Some(Monotonicity::UnionOfKept) => self.max_suppressed == 0 && !self.crowds_overlap(),
            Some(Monotonicity::None) => false,
        }
    }

    /// Whether a row may be in the crowd of several classes.
    pub(crate) fn crowds_overlap(&self) -> bool {
        self.table.missing.cells == MissingCells::MatchAny
            && self
                .table
                .attributes
                .iter()
                .any(|attribute| attribute.missing.is_some())
    }

    /// Whether the crowd of a class is part of the crowd of every class above it. It is not if a missing cell that
    /// matches any value becomes part of a group that does not contain everything.
    pub(crate) fn crowds_only_grow(&self) -> bool {
        let stays_apart = |(attribute, max_level): (&Attribute, Level)| {
            let hierarchy = &attribute.hierarchy;
            attribute.missing.is_none_or(|leaf| {
                Level::up_to(max_level).all(|level| {
                    let group = hierarchy.group_of(level, leaf);
                    hierarchy.groups(level) == 1
                        || hierarchy.leaves_of_groups(level)[group.index()] == 1
                })
            })
        };
        let attributes = self.table.attributes.iter();
        self.table.missing.cells != MissingCells::MatchAny
            || attributes.zip(self.max_levels.levels()).all(stays_apart)
    }

    /// No class with fewer rows can be published.
    pub fn smallest_safe(&self) -> u32 {
        // A crowd may reach beyond its class, so models about crowds say nothing about class sizes.
        let sizes = self.models.iter().map(|model| model.smallest_safe());
        if self.crowds_overlap() {
            1
        } else {
            sizes.max().unwrap_or(1)
        }
    }

    /// No node with more classes can be published, nor any node below it.
    ///
    /// At best, all rows that may be suppressed are classes by themselves, and each of the other classes has no more rows than
    /// it needs.
    pub(crate) fn most_classes(&self) -> usize {
        let (rows, suppressed) = (self.table.rows, self.max_suppressed.min(self.table.rows));
        (suppressed + (rows - suppressed) / self.smallest_safe().max(1)) as usize
    }

    /// Whether levels above the acceptable ones exist.
    pub(crate) fn has_higher_levels(&self) -> bool {
        self.max_levels != *self.table.lattice().top()
    }

    /// The error of a complete search, if the highest acceptable levels suppress this many rows.
    pub(crate) fn no_solution(&self, rows_suppressed_at_limit: u32) -> Error {
        Error::NoSolution {
            max_suppressed: self.max_suppressed,
            rows_suppressed_at_limit,
            rows: self.table.rows,
            has_higher_levels: self.has_higher_levels(),
        }
    }

    /// The counted columns whose histograms the models and the metric read.
    pub fn columns_read(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = self
            .models
            .iter()
            .filter_map(|model| model.column())
            .chain(self.metric.column())
            .collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }
}

/// Why an algorithm was asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Interruption {
    /// The user cancelled.
    Cancelled,
    /// The time limit was reached; the best result so far is wanted.
    TimeUp,
    /// The work limit was reached; the best result so far is wanted.
    WorkDone,
    /// The memory limit was reached; the best result so far is wanted.
    MemoryFull,
    /// The user asked for the best result so far.
    Asked,
}

impl Interruption {
    /// The error of a search that had to stop without a result.
    pub fn with_nothing_found(self, nodes_checked: u64, work: u64) -> Error {
        match self {
            Interruption::Cancelled => Error::Cancelled,
            Interruption::TimeUp => Error::TimeUp { nodes_checked },
            Interruption::WorkDone => Error::WorkDone {
                work,
                nodes_checked,
            },
            Interruption::MemoryFull => Error::MemoryFull { nodes_checked },
            Interruption::Asked => Error::AskedTooSoon { nodes_checked },
        }
    }
}

/// Monitors an algorithm and tells it when to stop. Algorithms do not call it themselves; a [`Meter`] does, as work is
/// spent.
pub trait Watch: Sync {
    /// Called at regular intervals of work.
    fn step(&self, progress: Progress) -> Result<(), Interruption>;

    /// How many units of work may pass between two calls; a single large step may exceed it.
    fn look_every(&self) -> u64 {
        LOOK_EVERY
    }

    /// After how many units of work a search ends with its best result so far. The same on every machine.
    fn work_limit(&self) -> Option<u64> {
        None
    }
}

/// The state of a search.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Progress {
    /// Nodes whose classes were counted.
    pub nodes_checked: u64,
    /// The lowest loss found so far.
    pub best: Option<Loss>,
    /// No recoding has a lower loss than this.
    pub lower_bound: Option<Loss>,
    /// Units of work done.
    pub work: u64,
}

/// Lets every algorithm run to its end.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn step(&self, _: Progress) -> Result<(), Interruption> {
        Ok(())
    }
}

/// How good a proposal is known to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Guarantee {
    /// No recoding of the searched space has a lower loss.
    Optimal,
    /// No recoding has a lower loss than `lower_bound`.
    Bounded {
        /// The proven bound.
        lower_bound: Loss,
    },
    /// Nothing is proven.
    Heuristic,
}

/// What an algorithm proposes. Not trusted: only [`publish`](crate::publish) turns it into a release.
#[derive(Debug, Clone)]
pub struct Proposal {
    /// How to publish.
    pub recoding: Arc<dyn Recoding>,
    /// How good it is known to be.
    pub guarantee: Guarantee,
    /// Its loss by the metric of the problem, as the search knows it; none if the search did not compute a loss. The
    /// check measures the release again and rejects a proposal that claims another loss.
    pub loss: Option<Loss>,
    /// What was examined, each counted once: nodes of the lattice, or their counterparts if a recoding does not follow
    /// levels: replacements evaluated for [`ColumnRecoding::Cuts`](crate::recode::ColumnRecoding::Cuts), choices
    /// visited for [`ColumnRecoding::Partitions`](crate::recode::ColumnRecoding::Partitions), and for
    /// [`Regions`](crate::recode::Regions) cuts made and classes grown.
    pub nodes_checked: u64,
    /// The steps that led to it, for algorithms that work step by step.
    pub steps: Vec<Step>,
}

impl PartialEq for Proposal {
    fn eq(&self, other: &Self) -> bool {
        let Proposal {
            recoding,
            guarantee,
            loss,
            nodes_checked,
            steps,
        } = self;
        recoding.is_same(&*other.recoding)
            && (guarantee, loss, nodes_checked, steps)
                == (
                    &other.guarantee,
                    &other.loss,
                    &other.nodes_checked,
                    &other.steps,
                )
    }
}
