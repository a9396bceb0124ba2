//! Rules tied to the values of a column: which of them a release keeps.

use crate::counts::{Attribute, LeafSet};
use crate::error::Error;
use crate::hierarchy::Leaf;
use crate::registry::{Rule, RuleSides};
use crate::utility::{Cover, OverlappingGroups, PublishedAttribute};

/// A rule and the leaves on each side of it.
#[derive(Debug, Clone)]
pub(super) struct BoundRule {
    pub(super) importance: f64,
    /// The two numbers of a boundary.
    bounds: Bounds,
    /// For each leaf, [`ONE`], [`OTHER`], or 0 if it is on neither side.
    sides: Vec<u8>,
}

pub(super) const ONE: u8 = 1;
pub(super) const OTHER: u8 = 2;
const BOTH: u8 = ONE | OTHER;

impl BoundRule {
    /// The rules of one attribute.
    pub(super) fn all(attribute: &Attribute, rules: &[Rule]) -> Result<Vec<BoundRule>, Error> {
        let rules = rules.iter().filter(|rule| rule.column == attribute.name);
        let mut bound: Vec<BoundRule> = Vec::new();
        for rule in rules {
            let (sides, bounds) = match &rule.sides {
                RuleSides::Boundary(low, high) => boundary(attribute, rule, low, high)?,
                RuleSides::Values(one, other) => (values(attribute, rule, one, other)?, None),
            };
            let turned = |side: &u8| [0, OTHER, ONE][usize::from(*side)];
            // Two boundaries are two rules, even if the table has no value between them.
            let is_same = |known: &BoundRule| {
                let is_turned = || known.sides.iter().map(turned).eq(sides.iter().copied());
                known.bounds == bounds && (known.sides == sides || is_turned())
            };
            if bound.iter().any(is_same) {
                return Err(Error::RuleRepeated {
                    column: rule.column.clone(),
                    rule: rule.sides.to_string(),
                });
            }
            bound.push(BoundRule {
                importance: rule.importance.to_f64(),
                bounds,
                sides,
            });
        }
        Ok(bound)
    }

    /// The side of a leaf.
    pub(super) fn side(&self, leaf: Leaf) -> u8 {
        self.sides[leaf.index()]
    }

    /// Whether no published group stands for values of both sides.
    pub(super) fn is_kept(&self, shown: &PublishedAttribute<'_>) -> bool {
        match shown.cover {
            Cover::Disjoint(groups_of_leaves) => {
                let mut met = vec![0; shown.leaves.len()];
                for (&group, side) in groups_of_leaves.iter().zip(&self.sides) {
                    met[group as usize] |= side;
                }
                !met.contains(&BOTH)
            }
            Cover::Overlapping(groups) => self.is_kept_by(groups),
        }
    }

    /// Whether none of these groups has values of both sides.
    pub(super) fn is_kept_by(&self, groups: &OverlappingGroups) -> bool {
        let before = |side: u8| {
            let is_on = |leaf: Leaf| self.sides[leaf.index()] == side;
            groups.sums_before(|position| is_on(groups.order.leaf(position)).into())
        };
        let (one, other) = (before(ONE), before(OTHER));
        let mixes = |leaves: &LeafSet| leaves.sum_of(&one) > 0 && leaves.sum_of(&other) > 0;
        !groups.leaves.iter().any(mixes)
    }
}

/// A boundary between numbers.
type Bounds = Option<(f64, f64)>;

/// The sides of a boundary between numbers, and the numbers.
fn boundary(
    attribute: &Attribute,
    rule: &Rule,
    low: &str,
    high: &str,
) -> Result<(Vec<u8>, Bounds), Error> {
    let (column, text) = (|| attribute.name.clone(), || rule.sides.to_string());
    let numbers = attribute.numbers_of_leaves();
    let not_numeric = || Error::RuleNotNumeric {
        column: column(),
        rule: text(),
        has_numbers: numbers.is_some(),
    };
    let numbers = numbers.as_deref().ok_or_else(not_numeric)?;
    let bounds = attribute.number_of(low).zip(attribute.number_of(high));
    let (low, high) = bounds.ok_or_else(not_numeric)?;
    if low >= high {
        return Err(Error::RuleContradictory {
            column: column(),
            rule: text(),
        });
    }
    // A missing cell is no number, and NaN is on neither side.
    let side = |&number: &f64| match number {
        number if number <= low => ONE,
        number if number >= high => OTHER,
        _ => 0,
    };
    let sides: Vec<u8> = numbers.iter().map(side).collect();
    match sides.contains(&ONE) && sides.contains(&OTHER) {
        true => Ok((sides, Some((low, high)))),
        false => Err(Error::RuleOutside {
            column: column(),
            rule: text(),
        }),
    }
}

/// The sides of a rule that names values.
fn values(
    attribute: &Attribute,
    rule: &Rule,
    one: &[String],
    other: &[String],
) -> Result<Vec<u8>, Error> {
    let mut sides = vec![0; attribute.hierarchy.leaves()];
    for (values, side) in [(one, ONE), (other, OTHER)] {
        for value in values {
            let Some(leaf) = attribute.hierarchy.leaf(value) else {
                return Err(Error::RuleValue {
                    column: attribute.name.clone(),
                    rule: rule.sides.to_string(),
                    value: value.clone(),
                });
            };
            sides[leaf.index()] |= side;
        }
    }
    match sides.contains(&BOTH) {
        false => Ok(sides),
        true => Err(Error::RuleContradictory {
            column: attribute.name.clone(),
            rule: rule.sides.to_string(),
        }),
    }
}
