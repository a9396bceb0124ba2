//! How much of a column's detail a hierarchy would lose.

use crate::hierarchy::Hierarchy;
use crate::numbers::Level;

/// A release needs groups of at least this part of the rows: one in 4, one in 8, and so on. Which of these depends on k
/// and on the other columns, so all count equally.
const PARTS: [u64; 5] = [4, 8, 16, 32, 64];

/// The cost of each level in addition to the loss: the more levels, the longer a search takes.
const PER_LEVEL: f64 = 0.01;

/// What was measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lost {
    /// The loss, from 0 (nothing) to 1 (everything).
    pub(super) share: f64,
    levels: Level,
}

impl Lost {
    /// What its levels cost.
    pub(super) fn of_levels(self) -> f64 {
        PER_LEVEL * f64::from(self.levels.0)
    }
}

/// The loss expected of a hierarchy for these values and their rows.
///
/// For a required group size, a row costs what the metric `loss` says: the share of the other values in its group. In a
/// group that is too small it costs more: of the remaining distance to 1, the fraction by which the group is too small.
/// (Other columns easily make up for a few missing rows, but a row that is alone has to be suppressed.) A search would
/// use the level that costs the least. The result is the average over [`PARTS`]. Missing cells do not count.
pub(super) fn lost(hierarchy: &Hierarchy, values: &[(&str, u32)]) -> Lost {
    let leaves: Vec<(usize, u64)> = (values.iter())
        .filter(|(text, _)| !text.is_empty())
        .filter_map(|&(text, rows)| Some((hierarchy.leaf(text)?.index(), u64::from(rows))))
        .collect();
    let rows: u64 = leaves.iter().map(|&(_, rows)| rows).sum();
    let most = leaves.len().saturating_sub(1).max(1) as f64;
    let mut least = [f64::INFINITY; PARTS.len()];
    for level in Level::up_to(hierarchy.height()) {
        let group_of = hierarchy.groups_of_leaves(level);
        let mut groups = vec![(0_u64, 0_u64); hierarchy.groups(level)];
        for &(leaf, rows) in &leaves {
            let group = &mut groups[group_of[leaf] as usize];
            *group = (group.0 + rows, group.1 + 1);
        }
        for (part, least) in PARTS.into_iter().zip(&mut least) {
            let size = rows.div_ceil(part).max(2);
            let cost = |&(rows, values): &(u64, u64)| {
                let share = values.saturating_sub(1) as f64 / most;
                let lacking = 1.0 - (rows as f64 / size as f64).min(1.0);
                rows as f64 * (share + (1.0 - share) * lacking)
            };
            let cost: f64 = groups.iter().map(cost).sum();
            *least = least.min(cost / rows.max(1) as f64);
        }
    }
    Lost {
        share: least.iter().sum::<f64>() / PARTS.len() as f64,
        levels: hierarchy.height(),
    }
}
