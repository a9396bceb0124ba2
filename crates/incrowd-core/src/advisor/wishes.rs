//! What a data holder says about a release, by expertise.

use crate::algorithms::{Generalization, Property};

/// What is asked of an algorithm, beside the problem itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wishes {
    /// What the release is for. All that a novice has to know.
    pub usage: Use,
    /// How good it must be.
    pub quality: Option<Quality>,
    /// What must decide how a value is published.
    pub generalization: Option<Generalization>,
    /// Whether rows may be suppressed.
    pub may_suppress: Option<bool>,
    /// Properties that an expert insists on.
    pub properties: Vec<Wanted>,
    /// The name of the metric to minimize, if one was asked for.
    pub metric: Option<String>,
    /// Whether experts gave rules or weights.
    pub has_rules: bool,
    /// Whether there is nobody to make choices.
    pub is_unattended: bool,
}

/// What a release is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Use {
    /// Nothing in particular, or several things.
    #[default]
    Any,
    /// Learning to predict classes.
    Classification,
    /// Learning to predict numbers.
    Regression,
    /// Reading, counting and tabulating: each column has one set of values that do not overlap.
    Tables,
}

impl Use {
    /// Every use, with the name users write.
    pub const ALL: [(&str, Use); 4] = [
        ("any", Use::Any),
        ("classification", Use::Classification),
        ("regression", Use::Regression),
        ("tables", Use::Tables),
    ];

    /// The name users write.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }
}

/// How good a release must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quality {
    /// Proven to be the best of its kind.
    Optimal,
    /// Good enough.
    Good,
}

impl Quality {
    /// Every quality, with the name users write.
    pub const ALL: [(&str, Quality); 2] = [("optimal", Quality::Optimal), ("good", Quality::Good)];
}

/// A property that must have a value.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// The property.
    pub property: &'static Property,
    /// One of its values.
    pub value: &'static str,
}

impl PartialEq for Wanted {
    fn eq(&self, other: &Self) -> bool {
        (self.property.name, self.value) == (other.property.name, other.value)
    }
}
