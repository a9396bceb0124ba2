//! Where the levels of a column come from.

use super::AttachedLevels;
use incrowd_core::hierarchy::HierarchySpec;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// A file with the levels of a column, or how to build them from the data.
///
/// A text that starts like a builder is one; a file of such a name is written `./order`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum HierarchySource {
    /// A CSV file.
    File(PathBuf),
    /// A builder with its parameters, such as `interval:5,10,20@17`.
    Built(String),
    /// Levels that a program has at hand; no job file can express them.
    Attached(AttachedLevels),
}

impl From<String> for HierarchySource {
    fn from(text: String) -> Self {
        if HierarchySpec::is_meant_by(&text) {
            HierarchySource::Built(text)
        } else {
            HierarchySource::File(text.into())
        }
    }
}

impl From<HierarchySource> for String {
    fn from(source: HierarchySource) -> String {
        source.to_string()
    }
}

impl fmt::Display for HierarchySource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HierarchySource::File(path) => path.display().fmt(formatter),
            HierarchySource::Built(text) => text.fmt(formatter),
            HierarchySource::Attached(levels) => levels.from.fmt(formatter),
        }
    }
}
