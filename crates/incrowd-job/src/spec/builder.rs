//! A job said in code, where a file would be written.

use super::{Budget, HierarchySource, Job};
use crate::error::Error;

/// Each says one thing more. Every column must have a role, or [`Columns::others`](super::Columns::others) say what
/// becomes of the rest: a column that is forgotten is an error.
impl Job {
    /// These columns name a person and are not published.
    #[must_use]
    pub fn identifying(mut self, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        add(&mut self.columns.identifying, columns);
        self
    }

    /// Others know these columns of a person; they are published generalized.
    #[must_use]
    pub fn quasi_identifiers(
        mut self,
        columns: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        add(&mut self.columns.quasi_identifiers, columns);
        self
    }

    /// These columns must not be linked to a person; they are published as they are.
    #[must_use]
    pub fn sensitive(mut self, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        add(&mut self.columns.sensitive, columns);
        self
    }

    /// These columns are published as they are, whatever they give away.
    #[must_use]
    pub fn keep(mut self, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        add(&mut self.columns.keep, columns);
        self
    }

    /// The release must keep this promise, such as `k-anonymity(k=5)`, beside others.
    #[must_use]
    pub fn promise(mut self, model: impl Into<String>) -> Self {
        add(&mut self.privacy.models, [model]);
        self
    }

    /// So many rows may be suppressed, such as `20` or `1%`.
    pub fn max_suppressed(mut self, budget: &str) -> Result<Self, Error> {
        self.privacy.max_suppressed = Some(budget.parse::<Budget>()?);
        Ok(self)
    }

    /// The levels of a column: a file, or a rule such as `interval:10`. Without one they are made from its values.
    #[must_use]
    pub fn hierarchy(mut self, column: impl Into<String>, levels: impl Into<String>) -> Self {
        let levels = HierarchySource::from(levels.into());
        self.hierarchies.insert(column.into(), levels);
        self
    }
}

fn add(list: &mut Option<Vec<String>>, more: impl IntoIterator<Item = impl Into<String>>) {
    let list = list.get_or_insert_default();
    list.extend(more.into_iter().map(Into::into));
}
