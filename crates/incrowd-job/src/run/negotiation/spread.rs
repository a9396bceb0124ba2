//! How the rows of every quasi-identifier are spread before and after a release, over the labels that it publishes.

use super::{Ground, Wish};
use crate::error::Error;
use crate::run::counted::max_levels;
use incrowd_core::counts::{FrequencySet, KnownSets};
use incrowd_core::hierarchy::Group;
use incrowd_core::lattice::Node;
use incrowd_core::privacy::PrivacyModel;
use serde::Serialize;

/// More bars are not read.
const MOST_LABELS: usize = 200;

/// One quasi-identifier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnSpread {
    /// The column.
    pub name: String,
    /// Rows of the table with each label of the published level; the most frequent labels if there are many.
    pub before: Vec<LabelRows>,
    /// Published rows with the same labels.
    pub after: Vec<LabelRows>,
    /// Labels that are not listed; `null` if all are.
    pub left_out: Option<LabelsLeftOut>,
}

/// A label and its rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LabelRows {
    /// The published text.
    pub label: String,
    /// Rows with it.
    pub rows: u64,
}

/// Labels taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LabelsLeftOut {
    /// How many.
    pub labels: u64,
    /// Their rows in the table.
    pub before: u64,
    /// Their published rows.
    pub after: u64,
}

impl Ground {
    /// The classes of a node and whether each keeps the promise, and the rows in those that break it.
    pub(super) fn published(
        &self,
        model: &dyn PrivacyModel,
        node: &Node,
    ) -> Result<((FrequencySet, Vec<bool>), u32), Error> {
        let columns = model.column().into_iter().collect();
        let mut classes = FrequencySet::default();
        let _ = KnownSets::new(&self.table, columns, 0).count(node, &mut classes);
        if model.reads_population() {
            classes = self.table.among_people(node, &classes);
        }
        let mut is_kept = vec![true; classes.len()];
        model.judge(&classes, &mut is_kept);
        let sizes = classes.sizes().iter().zip(&is_kept);
        let suppressed = sizes
            .filter(|(_, kept)| !**kept)
            .map(|(size, _)| size)
            .sum();
        Ok(((classes, is_kept), suppressed))
    }

    /// How rows are spread over the labels of these levels, before and after the promise of a wish.
    pub fn spread(&self, wish: &Wish, levels: &[u8]) -> Result<Vec<ColumnSpread>, Error> {
        let model = self.model(&wish.spec()?)?;
        let node = max_levels(Some(levels), &self.table)?;
        let ((classes, is_kept), _) = self.published(&*model, &node)?;
        let columns = self.table.attributes.iter().zip(node.levels()).enumerate();
        let columns = columns.map(|(at, (attribute, level))| {
            let before = &attribute.rows_of_groups[level.index()];
            let mut after = vec![0_u64; before.len()];
            for (class, _) in is_kept.iter().enumerate().filter(|(_, kept)| **kept) {
                let group = self.table.group(&classes, class, at);
                after[group.index()] += u64::from(classes.sizes()[class]);
            }
            let mut listed: Vec<usize> = (0..before.len()).filter(|&at| before[at] > 0).collect();
            let left_out = match listed.len() > MOST_LABELS {
                true => {
                    listed.sort_by_key(|&at| (std::cmp::Reverse(before[at]), at));
                    let rest = listed.split_off(MOST_LABELS);
                    listed.sort_unstable();
                    Some(LabelsLeftOut {
                        labels: rest.len() as u64,
                        before: rest.iter().map(|&at| u64::from(before[at])).sum(),
                        after: rest.iter().map(|&at| after[at]).sum(),
                    })
                }
                false => None,
            };
            let rows = |rows: &dyn Fn(usize) -> u64| -> Vec<LabelRows> {
                let labels = listed.iter().map(|&at| LabelRows {
                    label: (attribute.hierarchy.label(level, Group(at as u32))).to_owned(),
                    rows: rows(at),
                });
                labels.collect()
            };
            ColumnSpread {
                name: attribute.name.clone(),
                before: rows(&|at| before[at].into()),
                after: rows(&|at| after[at]),
                left_out,
            }
        });
        Ok(columns.collect())
    }
}
