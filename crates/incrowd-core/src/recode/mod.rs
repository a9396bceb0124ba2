//! What an algorithm decides: how every raw value is published.

use crate::lattice::Node;

/// How the quasi-identifiers are published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recoding {
    /// Every value of a column at the same level of its hierarchy.
    FullDomain(Node),
}
