//! Missing cells: which they are, and what becomes of their rows.

use crate::table::Cell;

/// Which cells are missing, besides the empty ones, and how they are treated.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Missing {
    /// How a missing cell is treated.
    pub cells: MissingCells,
    /// Texts that stand for a missing cell, such as `?` or `NA`.
    pub tokens: Vec<String>,
}

impl Missing {
    /// The text of a cell, empty if it is missing.
    pub fn normalize<'t>(&self, text: &'t str) -> &'t str {
        if self.tokens.iter().any(|token| token == text) {
            ""
        } else {
            text
        }
    }

    /// The cell, or an empty one if it is missing.
    #[inline]
    pub(crate) fn normalize_cell<'t>(&self, cell: Cell<'t>) -> Cell<'t> {
        let tokens = &self.tokens;
        if tokens.iter().any(|token| token.as_bytes() == cell.value()) {
            Cell::EMPTY
        } else {
            cell
        }
    }
}

/// How a missing cell is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MissingCells {
    /// As a value of its own, as if "missing" were written there.
    #[default]
    OwnValue,
    /// As any value, so the row counts in the crowd of every class it could belong to.
    MatchAny,
    /// By excluding the row from the release.
    ExcludeRow,
}
