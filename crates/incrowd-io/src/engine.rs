//! What a table needs to say when it lives in an engine of its own, such as a database, which counts and recodes rows
//! without handing them out.
//!
//! The traits of this crate have these abilities as optional methods, so that whoever reads a table need not know where
//! it is. `incrowd-sql` implements them.

use crate::Error;
use incrowd_core::table::RowBatch;
use std::any::Any;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Takes distinct rows, each with the number of rows that are equal to it.
pub type TakeGroups<'a> = &'a mut dyn FnMut(&RowBatch, &[u32]) -> ControlFlow<()>;

/// The memory that there is for distinct rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupRoom {
    /// In all.
    pub bytes: u64,
    /// What one of them takes.
    pub bytes_each: u64,
    /// Whether somebody has set it as a limit; otherwise it is what the machine has left.
    pub is_limit: bool,
}

impl GroupRoom {
    /// Whether so many fit.
    pub fn fits(&self, groups: u64) -> bool {
        groups.saturating_mul(self.bytes_each) <= self.bytes
    }
}

/// Stops the statement that an engine is working on. May be called from any thread, also when there is none.
pub type Cancel = Arc<dyn Fn() + Send + Sync>;

/// A part of the way on which a release becomes visible.
pub type Step = Box<dyn FnOnce() -> Result<(), Error> + Send>;

/// What comes before the last step.
pub struct Approach {
    /// The place in which others may see a part of the release, or in which one may be left.
    pub place: String,
    /// What is done there.
    pub step: Step,
}

/// Makes a release visible that is complete otherwise.
pub struct LastStep {
    /// What comes before it where it cannot be done at once: it may take long, can be stopped, and lets others see a part of
    /// the release. An error says what is left of it. Once it is done, the release is there.
    pub approach: Option<Approach>,
    /// The step itself, which is quick. Nothing else can go wrong after it.
    pub step: Step,
}

impl LastStep {
    /// All of it.
    pub fn take(self) -> Result<(), Error> {
        self.approach.map_or(Ok(()), |approach| (approach.step)())?;
        (self.step)()
    }
}

/// What the crate of an engine knows about a table of its own. Nobody else can look into it.
#[derive(Clone)]
pub struct EngineHandle(Arc<dyn Any + Send + Sync>);

impl std::fmt::Debug for EngineHandle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("EngineHandle")
    }
}

impl EngineHandle {
    /// Holds this.
    pub fn new(held: Arc<dyn Any + Send + Sync>) -> Self {
        EngineHandle(held)
    }

    /// What it holds, for whoever knows its type.
    pub fn held<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        Arc::clone(&self.0).downcast().ok()
    }
}

/// Which engine holds a table, and which state of it is meant. Contains no secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineFacts {
    /// The engine, such as `PostgreSQL`.
    pub engine: String,
    /// Its version, as it states it.
    pub version: String,
    /// The table, or the words `a query`.
    pub table: String,
    /// The state of the table that was read, as the engine calls it; none where it has no name.
    pub snapshot: Option<String>,
}

/// A new table in an engine.
#[derive(Debug, Clone)]
pub struct NewTable<'a> {
    /// Its address.
    pub address: &'a str,
    /// Its columns, each with whether it is generalized and therefore text.
    pub columns: &'a [(String, bool)],
    /// The names of those that are published as they are, although no model counts them.
    pub kept: &'a [String],
    /// Whether it may take the place of a table that is there.
    pub replaces: bool,
}

/// How rows are published, besides what the release says.
#[derive(Debug, Clone, Copy)]
pub struct Publishing {
    /// Whether suppressed rows are published as `*`.
    pub stars: bool,
    /// Whether rows are put in another order.
    pub shuffles: bool,
}
