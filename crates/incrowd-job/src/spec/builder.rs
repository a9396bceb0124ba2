//! Builds a job in code instead of a file.

use super::{Budget, HierarchySource, Job};
use crate::error::Error;

/// Each method adds one thing. Every column must have a role, unless [`Columns::others`](super::Columns::others) says
/// what to do with the rest: a forgotten column is an error.
impl Job {
    /// These columns identify a person and are not published.
    #[must_use]
    pub fn identifying(mut self, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        add(&mut self.columns.identifying, columns);
        self
    }

    /// Others may know these columns of a person; they are published generalized.
    #[must_use]
    pub fn quasi_identifiers(
        mut self,
        columns: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        add(&mut self.columns.quasi_identifiers, columns);
        self
    }

    /// These columns must not be linked to a person; they are published unchanged.
    #[must_use]
    pub fn sensitive(mut self, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        add(&mut self.columns.sensitive, columns);
        self
    }

    /// These columns are published unchanged, even if they are revealing.
    #[must_use]
    pub fn keep(mut self, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        add(&mut self.columns.keep, columns);
        self
    }

    /// The release must satisfy this model, such as `k-anonymity(k=5)`, in addition to others.
    #[must_use]
    pub fn promise(mut self, model: impl Into<String>) -> Self {
        add(&mut self.privacy.models, [model]);
        self
    }

    /// This many rows may be suppressed, such as `20` or `1%`.
    pub fn max_suppressed(mut self, budget: &str) -> Result<Self, Error> {
        self.privacy.max_suppressed = Some(budget.parse::<Budget>()?);
        Ok(self)
    }

    /// The levels of a column: a file, or a rule such as `interval:10`. Without one, they are built from its values.
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
