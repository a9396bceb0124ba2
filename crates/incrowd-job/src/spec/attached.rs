//! Tables and levels attached to a job in place of a file.

use incrowd_core::hierarchy::Hierarchy;
use incrowd_io::{RowSink, RowSource};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A table to read in place of a file.
#[derive(Clone)]
pub struct AttachedTable(Arc<dyn RowSource>);

impl AttachedTable {
    /// Reads this table.
    pub fn new(source: impl RowSource + 'static) -> Self {
        AttachedTable(Arc::new(source))
    }

    /// Reads a table that others read too.
    pub(crate) fn shared(source: Arc<dyn RowSource>) -> Self {
        AttachedTable(source)
    }

    pub(crate) fn source(&self) -> Arc<dyn RowSource> {
        Arc::clone(&self.0)
    }
}

impl fmt::Debug for AttachedTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AttachedTable")
    }
}

impl PartialEq for AttachedTable {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Takes a release in place of a file, once.
#[derive(Clone)]
pub struct AttachedSink(Arc<Mutex<Option<Box<dyn RowSink>>>>);

impl AttachedSink {
    /// Writes to this sink.
    pub fn new(sink: impl RowSink + 'static) -> Self {
        AttachedSink(Arc::new(Mutex::new(Some(Box::new(sink)))))
    }

    /// The sink; none if a release was already written to it.
    pub(crate) fn take(&self) -> Option<Box<dyn RowSink>> {
        let mut sink = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sink.take()
    }
}

impl fmt::Debug for AttachedSink {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AttachedSink")
    }
}

impl PartialEq for AttachedSink {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The levels of a column, in place of a file or a rule.
#[derive(Debug, Clone)]
pub struct AttachedLevels {
    /// The levels.
    pub hierarchy: Arc<Hierarchy>,
    /// The file or rule that they come from.
    pub from: String,
    /// Why the rule was chosen; none if the user gave a file or rule.
    pub reason: Option<String>,
}

impl PartialEq for AttachedLevels {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.hierarchy, &other.hierarchy)
    }
}

impl Eq for AttachedLevels {}
