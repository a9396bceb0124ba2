//! What a user requests: the typed job, before anything is read.
//!
//! A [`Job`] is the file a user writes, overridden by flags; every value in it that has a text form has its own type.
//! Nothing here knows how a job is run.

mod attached;
mod budget;
mod builder;
pub(crate) mod gate;
mod hierarchy_source;
mod job;
mod memory_limit;
mod research;
mod rules;
pub(crate) mod settings;
mod time_limit;
mod work_limit;

pub use attached::{AttachedLevels, AttachedSink, AttachedTable};
pub use budget::Budget;
pub use gate::{Gate, GateFigure};
pub use hierarchy_source::HierarchySource;
pub use job::{
    Columns, Data, Delimiter, Job, MissingCells, Others, Output, Privacy, Search, Suppressed,
    Unlisted,
};
pub use memory_limit::MemoryLimit;
pub(crate) use research::RESEARCH_VALUE;
pub use rules::{RuleTexts, Weighting};
pub use settings::AlgorithmSettings;
pub use time_limit::TimeLimit;
pub use work_limit::WorkLimit;
