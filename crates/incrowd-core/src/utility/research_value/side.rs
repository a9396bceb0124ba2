//! What a single published value is worth, for algorithms that choose published values one by one.

use super::{Column, ResearchValue, power, rules};
use crate::hierarchy::Leaf;

/// What experts say of one quasi-identifier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Said<'a> {
    metric: &'a ResearchValue,
    column: &'a Column,
}

/// On which side of a rule a raw value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleSide {
    One,
    Other,
}

/// What is left of the value of a quasi-identifier.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Left {
    granularity_exponent: f64,
    rule_exponent: f64,
    /// The importance of all rules, with the base.
    importance: f64,
}

impl ResearchValue {
    /// What experts say of a quasi-identifier.
    pub(crate) fn said(&self, attribute: usize) -> Said<'_> {
        Said {
            metric: self,
            column: &self.columns[attribute],
        }
    }
}

impl<'a> Said<'a> {
    /// The weight, out of the greatest value that a release can have.
    pub(crate) fn weight(self) -> f64 {
        match self.metric.greatest > 0.0 {
            true => self.column.weight / self.metric.greatest,
            false => 0.0,
        }
    }

    /// The value of each level, if given by hand. Neither granularity nor rules count then.
    pub(crate) fn by_hand(self) -> Option<&'a [f64]> {
        self.column.by_hand.as_deref()
    }

    /// The importance of each rule.
    pub(crate) fn importances(self) -> impl Iterator<Item = f64> + 'a {
        self.column.rules.iter().map(|rule| rule.importance)
    }

    /// The side of a raw value in a rule; none if it is on neither.
    pub(crate) fn side(self, rule: usize, leaf: Leaf) -> Option<RuleSide> {
        match self.column.rules[rule].side(leaf) {
            rules::ONE => Some(RuleSide::One),
            rules::OTHER => Some(RuleSide::Other),
            _ => None,
        }
    }

    /// What is left of the value.
    pub(crate) fn left(self) -> Left {
        Left {
            granularity_exponent: self.metric.granularity_exponent,
            rule_exponent: self.metric.rule_exponent,
            importance: self.metric.base + self.column.importance,
        }
    }
}

impl Left {
    /// With a granularity.
    #[inline]
    pub(crate) fn with_detail(self, granularity: f64) -> f64 {
        power(granularity, self.granularity_exponent)
    }

    /// With rules of this importance broken.
    #[inline]
    pub(crate) fn with_broken(self, importance: f64) -> f64 {
        match importance > 0.0 {
            // Sums in another order may differ by a trifle.
            true => {
                let kept = (self.importance - importance).max(0.0) / self.importance;
                power(kept, self.rule_exponent)
            }
            false => 1.0,
        }
    }
}
