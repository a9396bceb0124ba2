//! How much each level groups, and which nodes that makes promising.

use super::annotation_work::check_nodes;
use crate::counts::{CountedTable, FrequencySet, KnownSets};
use crate::error::Error;
use crate::lattice::{Lattice, Level, Node};

/// Fewer nodes of a height are never chosen, unless there are none.
const LEAST_PER_HEIGHT: usize = 2;

/// An estimate of how few rows a node suppresses, summed over the levels of the node; higher is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Estimator {
    /// Γ: rows per class.
    Gamma,
    /// M: how much a level groups compared with the level below it.
    Mu,
    /// ΓM: both multiplied.
    GammaMu,
    /// Λ: the logarithm of the first times the second.
    #[default]
    Lambda,
}

impl Estimator {
    /// All of them, by the names users write.
    pub const ALL: [(&'static str, Estimator); 4] = [
        ("gamma", Estimator::Gamma),
        ("mu", Estimator::Mu),
        ("gamma-mu", Estimator::GammaMu),
        ("lambda", Estimator::Lambda),
    ];

    /// The name users write.
    pub fn name(self) -> &'static str {
        let named = Self::ALL.iter().find(|(_, estimator)| *estimator == self);
        named.map_or("lambda", |(name, _)| name)
    }
}

/// What is known of one level of a quasi-identifier, all others being raw (table 5.1 of the paper).
#[derive(Debug, Clone, PartialEq)]
pub struct LevelImportance {
    /// The quasi-identifier, by position.
    pub attribute: usize,
    /// The level.
    pub level: Level,
    /// Classes of the node with this level and all others raw.
    pub classes: u32,
    /// γ: rows per class.
    pub average_class: f64,
    /// μ: γ over that of the level below; for level 0 one over the μ of level 1.
    pub relative_importance: f64,
}

impl LevelImportance {
    fn estimate(&self, estimator: Estimator) -> f64 {
        let (gamma, mu) = (self.average_class, self.relative_importance);
        match estimator {
            Estimator::Gamma => gamma,
            Estimator::Mu => mu,
            Estimator::GammaMu => gamma * mu,
            Estimator::Lambda => gamma.log2() * mu,
        }
    }
}

/// How much every level of every quasi-identifier groups.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelTable {
    lattice: Lattice,
    levels: Vec<Vec<LevelImportance>>,
}

impl LevelTable {
    /// Counts one node per level.
    pub fn of(table: &CountedTable) -> Self {
        let mut known = KnownSets::new(table, Vec::new(), usize::MAX);
        let bottom = table.lattice().bottom();
        let mut classes = FrequencySet::default();
        let levels = table.attributes.iter().enumerate().map(|(attribute, of)| {
            let counts: Vec<u32> = Level::up_to(of.hierarchy.height())
                .map(|level| {
                    let _ = known.count(&bottom.with(attribute, level), &mut classes);
                    classes.len() as u32
                })
                .collect();
            levels_of(attribute, &counts, table.rows)
        });
        LevelTable {
            levels: levels.collect(),
            lattice: table.lattice(),
        }
    }

    /// Every level, by quasi-identifier and level.
    pub fn levels(&self) -> impl Iterator<Item = &LevelImportance> {
        self.levels.iter().flatten()
    }

    /// The estimate of a node; higher is better.
    pub fn estimate(&self, node: &Node, estimator: Estimator) -> f64 {
        let levels = self.levels.iter().zip(node.levels());
        levels
            .map(|(levels, level)| levels[level.index()].estimate(estimator))
            .sum()
    }

    /// The best of each height: so many percent of its nodes, and at least two. Ties go to the first in lattice
    /// order.
    pub fn best_nodes(&self, estimator: Estimator, percent: f64) -> Result<Vec<Node>, Error> {
        if !(percent > 0.0 && percent <= 100.0) {
            return Err(Error::PartialShareOutOfRange { given: percent });
        }
        check_nodes(&self.lattice)?;
        let mut chosen = Vec::new();
        let walked = self.lattice.walk();
        for height in walked.chunk_by(|one, other| one.height() == other.height()) {
            let mut ranked: Vec<(f64, &Node)> = height
                .iter()
                .map(|node| (self.estimate(node, estimator), node))
                .collect();
            ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
            let share = (height.len() as f64 * percent / 100.0).ceil() as usize;
            let best = ranked.iter().take(share.max(LEAST_PER_HEIGHT));
            chosen.extend(best.map(|(_, node)| (*node).clone()));
        }
        chosen.sort_unstable();
        Ok(chosen)
    }
}

fn levels_of(attribute: usize, counts: &[u32], rows: u32) -> Vec<LevelImportance> {
    // An empty table has no classes; anything finite will do.
    let gamma = |count: u32| f64::from(rows.max(1)) / f64::from(count.max(1));
    let mu = |level: usize| gamma(counts[level]) / gamma(counts[level - 1]);
    (counts.iter().enumerate())
        .map(|(level, &classes)| LevelImportance {
            attribute,
            level: Level(level as u8),
            classes,
            average_class: gamma(classes),
            relative_importance: match level {
                0 if counts.len() > 1 => 1.0 / mu(1),
                0 => 1.0,
                level => mu(level),
            },
        })
        .collect()
}
