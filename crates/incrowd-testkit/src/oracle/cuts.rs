//! Algorithms that move cuts, as their definitions read: every candidate of every step is tried on all rows.
//!
//! Values are told apart by what an algorithm may publish them as: a *block* is a set of raw values with rows. The
//! oracle does not choose: it says what each choice would do, and the core's choice must be among the best.

use super::{MissingPolicy, OracleProblem};
use std::collections::{BTreeMap, BTreeSet};

/// Raw values published alike.
pub type Block = BTreeSet<String>;

/// The blocks of every quasi-identifier, in any order.
pub type Blocks = Vec<BTreeSet<Block>>;

/// What a set of blocks publishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutJudged {
    /// Rows in classes that break a promise.
    pub rows_suppressed: usize,
    /// Whether that is within the budget, and the other classes together keep what is promised of them.
    pub is_feasible: bool,
    /// The rows of each class, as positions in `problem.rows()`, and whether it keeps all promises.
    pub classes: Vec<(Vec<usize>, bool)>,
}

impl CutJudged {
    fn smallest_safe(&self) -> Option<usize> {
        let safe = self.classes.iter().filter(|(_, is_safe)| *is_safe);
        safe.map(|(class, _)| class.len()).min()
    }
}

/// One replacement and what it would do.
#[derive(Debug, Clone, PartialEq)]
pub struct Replacement {
    /// The quasi-identifier.
    pub attribute: usize,
    /// The value above.
    pub whole: Block,
    /// The values below.
    pub parts: BTreeSet<Block>,
    /// Bits about the target that a row with one of these values gains by going down, or loses by going up.
    pub bits: f64,
}

impl Replacement {
    /// The blocks after going down.
    pub fn down(&self, blocks: &Blocks) -> Blocks {
        let mut blocks = blocks.clone();
        blocks[self.attribute].remove(&self.whole);
        blocks[self.attribute].extend(self.parts.iter().cloned());
        blocks
    }

    /// The blocks after going up.
    pub fn up(&self, blocks: &Blocks) -> Blocks {
        let mut blocks = blocks.clone();
        blocks[self.attribute].retain(|block| !self.parts.contains(block));
        blocks[self.attribute].insert(self.whole.clone());
        blocks
    }
}

impl OracleProblem {
    /// Recodes every row and judges every class.
    pub fn judge_blocks(&self, blocks: &Blocks) -> CutJudged {
        assert_ne!(
            self.missing,
            MissingPolicy::MatchAny,
            "crowds are classes here"
        );
        let rows = self.rows();
        let mut classes: BTreeMap<Vec<&Block>, Vec<usize>> = BTreeMap::new();
        for at in 0..rows.len() {
            let look = (self.quasi_identifiers.iter().zip(blocks))
                .map(|((column, _), blocks)| {
                    let value = self.values(&rows[at..=at], column)[0];
                    let block = blocks.iter().find(|block| block.contains(value));
                    block.expect("every value with rows is in a block")
                })
                .collect();
            classes.entry(look).or_default().push(at);
        }
        let classes: Vec<(Vec<usize>, bool)> = (classes.into_values())
            .map(|class| {
                let crowd: Vec<usize> = class.iter().map(|&at| rows[at]).collect();
                let is_safe = (self.models.iter()).all(|model| model.holds(self, &crowd, &rows));
                (class, is_safe)
            })
            .collect();
        let suppressed = classes.iter().filter(|(_, is_safe)| !is_safe);
        let rows_suppressed = suppressed.map(|(class, _)| class.len()).sum();
        let published = classes.iter().enumerate().filter(|(_, class)| class.1);
        let published: Vec<usize> = published
            .flat_map(|(number, (class, _))| vec![number; class.len()])
            .collect();
        CutJudged {
            is_feasible: rows_suppressed <= self.max_suppressed && self.holds_of_all(&published),
            rows_suppressed,
            classes,
        }
    }

    /// The blocks of a level of every quasi-identifier.
    pub fn blocks_at(&self, levels: &[u8]) -> Blocks {
        (levels.iter().enumerate())
            .map(|(attribute, &level)| {
                let all = self.values_with_rows(attribute);
                self.split_at(attribute, &all, level)
            })
            .collect()
    }

    fn values_with_rows(&self, attribute: usize) -> Block {
        let (column, _) = &self.quasi_identifiers[attribute];
        let values = self.values(&self.rows(), column).into_iter();
        values.map(str::to_owned).collect()
    }

    /// Values by their group at a level.
    fn split_at(&self, attribute: usize, values: &Block, level: u8) -> BTreeSet<Block> {
        let mut groups: BTreeMap<&str, Block> = BTreeMap::new();
        for way in &self.quasi_identifiers[attribute].1 {
            if values.contains(&way[0]) {
                let group = groups.entry(&way[level as usize]).or_default();
                group.insert(way[0].clone());
            }
        }
        groups.into_values().collect()
    }

    /// What a block may be split into: its groups at the highest level that tells its values apart.
    fn parts_of(&self, attribute: usize, block: &Block) -> Option<BTreeSet<Block>> {
        let levels = (0..self.max_levels[attribute]).rev();
        let mut splits = levels.map(|level| self.split_at(attribute, block, level));
        splits.find(|parts| parts.len() > 1)
    }

    /// Every block that a cut may hold and that has parts.
    fn wholes(&self, attribute: usize) -> BTreeSet<Block> {
        let all = self.values_with_rows(attribute);
        (0..=self.max_levels[attribute])
            .flat_map(|level| self.split_at(attribute, &all, level))
            .collect()
    }

    fn replacement(
        &self,
        target: &str,
        attribute: usize,
        whole: &Block,
        parts: BTreeSet<Block>,
    ) -> Replacement {
        let rows = self.rows();
        let values = self.values(&rows, &self.quasi_identifiers[attribute].0);
        let targets = self.values(&rows, target);
        let entropy = |block: &Block| {
            let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
            for (value, target) in values.iter().zip(&targets) {
                if block.contains(*value) {
                    *counts.entry(target).or_default() += 1.0;
                }
            }
            let rows: f64 = counts.values().sum();
            let bits = counts
                .values()
                .map(|count| -(count / rows) * (count / rows).log2());
            (rows, bits.sum::<f64>())
        };
        let (rows, whole_bits) = entropy(whole);
        let parts_bits = parts.iter().map(|part| {
            let (part_rows, bits) = entropy(part);
            part_rows / rows * bits
        });
        Replacement {
            attribute,
            bits: whole_bits - parts_bits.sum::<f64>(),
            whole: whole.clone(),
            parts,
        }
    }

    /// Every replacement of a published value by its children.
    pub fn ways_down(&self, blocks: &Blocks, target: &str) -> Vec<Replacement> {
        let all = blocks.iter().enumerate();
        all.flat_map(|(attribute, blocks)| blocks.iter().map(move |block| (attribute, block)))
            .filter_map(|(attribute, block)| {
                let parts = self.parts_of(attribute, block)?;
                Some(self.replacement(target, attribute, block, parts))
            })
            .collect()
    }

    /// Every replacement of published values by their parent.
    pub fn ways_up(&self, blocks: &Blocks, target: &str) -> Vec<Replacement> {
        (0..blocks.len())
            .flat_map(|attribute| {
                let wholes = self.wholes(attribute).into_iter();
                wholes.map(move |whole| (attribute, whole))
            })
            .filter_map(|(attribute, whole)| {
                let parts = self.parts_of(attribute, &whole)?;
                parts.is_subset(&blocks[attribute]).then_some(())?;
                Some(self.replacement(target, attribute, &whole, parts))
            })
            .collect()
    }

    /// InfoGain / (AnonyLoss + 1) of going down; none when that would suppress more rows than allowed.
    pub fn score_down(&self, blocks: &Blocks, way: &Replacement) -> Option<f64> {
        let before = self.judge_blocks(blocks);
        let after = self.judge_blocks(&way.down(blocks));
        if !after.is_feasible {
            return None;
        }
        let lost = match (before.smallest_safe(), after.smallest_safe()) {
            (Some(before), Some(after)) => before.saturating_sub(after),
            _ => 0,
        };
        Some(way.bits / (lost + 1) as f64)
    }

    /// ILoss / PGain of going up, for each of the smallest unsafe classes that it touches: the least and the
    /// greatest.
    pub fn ratios_up(&self, blocks: &Blocks, way: &Replacement) -> (f64, f64) {
        let rows = self.rows();
        let values = self.values(&rows, &self.quasi_identifiers[way.attribute].0);
        let before = self.judge_blocks(blocks);
        let after = self.judge_blocks(&way.up(blocks));
        let touched: Vec<&Vec<usize>> = (before.classes.iter())
            .filter(|(class, is_safe)| !is_safe && way.whole.contains(values[class[0]]))
            .map(|(class, _)| class)
            .collect();
        let smallest = touched.iter().map(|class| class.len()).min();
        let growths = touched.iter().filter(|class| Some(class.len()) == smallest);
        let ratios: Vec<f64> = growths
            .map(|class| {
                let holds = |(other, _): &&(Vec<usize>, bool)| other.contains(&class[0]);
                let (grown, _) = after.classes.iter().find(holds).expect("rows stay");
                match grown.len() - class.len() {
                    0 => f64::INFINITY,
                    growth => way.bits / growth as f64,
                }
            })
            .collect();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = ratios.iter().copied().fold(0.0, f64::max);
        match ratios.is_empty() {
            true => (f64::INFINITY, f64::INFINITY),
            false => (least, greatest),
        }
    }
}
