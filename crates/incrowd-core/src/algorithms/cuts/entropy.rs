//! How well the values of an attribute predict the target.

use crate::counts::CountedTable;

/// The rows of each target value under each leaf of one attribute.
#[derive(Debug)]
pub(in crate::algorithms) struct Target {
    /// Target value and rows, ascending by value, for each leaf.
    of_leaves: Vec<Vec<(u32, u32)>>,
    /// Rows of each target value in the current values; all zero between calls.
    counts: Vec<u32>,
}

/// Rows, and the sum over target values of c·log2 c, from which an entropy follows.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    rows: f64,
    logs: f64,
}

impl Sum {
    /// Rows times the entropy of the target among them, in bits.
    fn bits(self) -> f64 {
        c_log_c(self.rows) - self.logs
    }
}

fn c_log_c(count: f64) -> f64 {
    if count > 0.0 {
        count * count.log2()
    } else {
        0.0
    }
}

impl Target {
    /// Counts the target under every leaf of an attribute.
    pub(in crate::algorithms) fn new(
        table: &CountedTable,
        attribute: usize,
        target: usize,
    ) -> Self {
        let mut of_leaves = vec![Vec::new(); table.attributes[attribute].hierarchy.leaves()];
        for tuple in 0..table.tuples.len() {
            let leaf: &mut Vec<(u32, u32)> = &mut of_leaves[table.leaf(tuple, attribute).index()];
            let histogram = table.tuples.histograms(target).class(tuple);
            leaf.extend(
                histogram
                    .values
                    .iter()
                    .copied()
                    .zip(histogram.counts.iter().copied()),
            );
        }
        for leaf in &mut of_leaves {
            leaf.sort_unstable();
            leaf.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                kept.1 += if is_same { next.1 } else { 0 };
                is_same
            });
        }
        Target {
            of_leaves,
            counts: vec![0; table.columns[target].values.len()],
        }
    }

    /// How many target values all leaves have, taken one by one.
    pub(in crate::algorithms) fn len(&self) -> usize {
        self.of_leaves.iter().map(Vec::len).sum()
    }

    /// How many target values these leaves have, taken one by one.
    pub(in crate::algorithms) fn len_of(&self, leaves: &[u32]) -> usize {
        let of_leaf = |&leaf: &u32| 1 + self.of_leaves[leaf as usize].len();
        leaves.iter().map(of_leaf).sum()
    }

    fn sum(&mut self, leaves: &[u32]) -> Sum {
        let Target { of_leaves, counts } = self;
        let mut rows = 0.0;
        for &(value, count) in leaves.iter().flat_map(|&leaf| &of_leaves[leaf as usize]) {
            counts[value as usize] += count;
            rows += f64::from(count);
        }
        let mut logs = 0.0;
        for &(value, _) in leaves.iter().flat_map(|&leaf| &of_leaves[leaf as usize]) {
            logs += c_log_c(f64::from(std::mem::take(&mut counts[value as usize])));
        }
        Sum { rows, logs }
    }

    /// The bits a row gains about the target when its value is one of `parts` instead of all of them together:
    /// H(whole) − Σ |part|/|whole| · H(part). `whole` are the leaves of all parts.
    pub(in crate::algorithms) fn gain<'a>(
        &mut self,
        whole: &[u32],
        parts: impl Iterator<Item = &'a [u32]>,
    ) -> f64 {
        let all = self.sum(whole);
        let parts: f64 = parts.map(|part| self.sum(part).bits()).sum();
        match all.rows > 0.0 {
            true => ((all.bits() - parts) / all.rows).max(0.0),
            false => 0.0,
        }
    }

    /// Where to cut a run of leaves in two so that the most bits are gained: the length of the first part. `may_cut`
    /// says whether a part may end before a position.
    pub(in crate::algorithms) fn best_cut(
        &mut self,
        leaves: &[u32],
        may_cut: impl Fn(usize) -> bool,
    ) -> Option<usize> {
        let Target { of_leaves, counts } = self;
        let mut after = vec![0u32; counts.len()];
        for &(value, count) in leaves.iter().flat_map(|&leaf| &of_leaves[leaf as usize]) {
            after[value as usize] += count;
        }
        let rows = |counts: &[u32]| counts.iter().map(|&count| f64::from(count)).sum::<f64>();
        let logs = |counts: &[u32]| {
            let logs = counts.iter().map(|&count| c_log_c(f64::from(count)));
            logs.sum::<f64>()
        };
        let (mut first, mut second) = (
            Sum::default(),
            Sum {
                rows: rows(&after),
                logs: logs(&after),
            },
        );
        let mut best: Option<(f64, usize)> = None;
        for (at, &leaf) in leaves.iter().enumerate() {
            if at > 0 && may_cut(at) {
                let bits = first.bits() + second.bits();
                // Differences within rounding error count as equal: then the first cut is kept.
                if best.is_none_or(|(least, _)| bits < least - 1e-9 * (1.0 + least.abs())) {
                    best = Some((bits, at));
                }
            }
            for &(value, count) in &of_leaves[leaf as usize] {
                let value = value as usize;
                let move_one = |sum: &mut Sum, before: u32, now: u32| {
                    sum.rows += f64::from(now) - f64::from(before);
                    sum.logs += c_log_c(f64::from(now)) - c_log_c(f64::from(before));
                };
                move_one(&mut first, counts[value], counts[value] + count);
                move_one(&mut second, after[value], after[value] - count);
                counts[value] += count;
                after[value] -= count;
            }
        }
        counts.fill(0);
        best.map(|(_, length)| length)
    }
}
