//! A decision tree, to measure what a release is still good for.
//!
//! In the manner of C4.5 (J. R. Quinlan, 1993): numbers are split at a threshold, other values into one branch each, by
//! gain ratio among the features that gain at least the average; a branch is cut off when the error expected of a
//! single leaf is no greater. No random choices.

use std::collections::BTreeMap;

/// Rows with features and something to predict.
#[derive(Debug)]
pub struct Sample {
    features: Vec<Feature>,
    target: Vec<u32>,
    targets: usize,
}

/// One column, its values numbered; numbers in their order.
#[derive(Debug)]
struct Feature {
    is_number: bool,
    codes: Vec<u32>,
    values: usize,
}

/// Fewer rows are not split further, nor is a branch smaller than half of it useful.
const LEAST_ROWS: usize = 20;

/// How far beyond the observed error the expected one may be: the 75 % point of the normal distribution.
const DEVIATIONS: f64 = 0.674_489_750_196_082;

impl Sample {
    /// A sample from columns of text.
    pub fn new(features: &[Vec<&str>], target: &[&str]) -> Self {
        let target = numbered(target);
        Sample {
            features: features.iter().map(|column| numbered(column)).collect(),
            targets: target.values,
            target: target.codes,
        }
    }

    /// The share of rows that trees get wrong which were grown without them: row `i` of a fixed shuffle is left out
    /// in round `i` modulo `folds`.
    pub fn cross_validated_error(&self, folds: usize, seed: u64) -> f64 {
        let mut rows: Vec<usize> = (0..self.target.len()).collect();
        fastrand::Rng::with_seed(seed).shuffle(&mut rows);
        let mut wrong = 0;
        for fold in 0..folds {
            let is_left_out = |at: usize| at % folds == fold;
            let part = |left_out: bool| -> Vec<usize> {
                let rows = rows.iter().enumerate();
                rows.filter(|(at, _)| is_left_out(*at) == left_out)
                    .map(|(_, &row)| row)
                    .collect()
            };
            let tree = self.grow(&part(false), &vec![false; self.features.len()]);
            let test = part(true).into_iter();
            wrong += test
                .filter(|&row| self.predict(&tree, row) != self.target[row])
                .count();
        }
        wrong as f64 / rows.len() as f64
    }

    fn grow(&self, rows: &[usize], is_used: &[bool]) -> Tree {
        let counts = self.count_targets(rows);
        let leaf = Tree::leaf(&counts);
        if rows.len() < LEAST_ROWS || leaf.wrong == 0 {
            return leaf;
        }
        let splits: Vec<(f64, f64, usize, Option<u32>)> = (0..self.features.len())
            .filter(|&feature| !is_used[feature])
            .filter_map(|feature| {
                let (gain, ratio, threshold) = self.best_split(rows, &counts, feature)?;
                Some((gain, ratio, feature, threshold))
            })
            .collect();
        let average = splits.iter().map(|split| split.0).sum::<f64>() / splits.len() as f64;
        let worthy = splits.iter().filter(|split| split.0 >= average - 1e-12);
        let Some(&(_, _, feature, threshold)) =
            worthy.reduce(|best, split| if split.1 > best.1 { split } else { best })
        else {
            return leaf;
        };
        let mut branches: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for &row in rows {
            let branch = branch(self.features[feature].codes[row], threshold);
            branches.entry(branch).or_default().push(row);
        }
        let mut is_used = is_used.to_vec();
        is_used[feature] = threshold.is_none();
        let branches: BTreeMap<u32, Tree> = (branches.into_iter())
            .map(|(branch, rows)| (branch, self.grow(&rows, &is_used)))
            .collect();
        let expected = branches.values().map(|tree| tree.expected_wrong).sum();
        if leaf.expected_wrong <= expected + 0.1 {
            return leaf;
        }
        Tree {
            expected_wrong: expected,
            split: Some(Split {
                feature,
                threshold,
                branches,
            }),
            ..leaf
        }
    }

    fn count_targets(&self, rows: &[usize]) -> Vec<f64> {
        let mut counts = vec![0.0; self.targets];
        for &row in rows {
            counts[self.target[row] as usize] += 1.0;
        }
        counts
    }

    /// Gain, gain ratio and, for numbers, the last code of the lower side.
    fn best_split(
        &self,
        rows: &[usize],
        counts: &[f64],
        feature: usize,
    ) -> Option<(f64, f64, Option<u32>)> {
        let Feature {
            is_number,
            codes,
            values,
        } = &self.features[feature];
        let mut table = vec![0.0; values * self.targets];
        for &row in rows {
            table[codes[row] as usize * self.targets + self.target[row] as usize] += 1.0;
        }
        let total = rows.len() as f64;
        let whole = bits(counts);
        let sums = |parts: &[Vec<f64>]| {
            let sizes: Vec<f64> = parts.iter().map(|part| part.iter().sum()).collect();
            let useful = sizes
                .iter()
                .filter(|&&size| size >= LEAST_ROWS as f64 / 2.0);
            let gain = (whole - parts.iter().map(|part| bits(part)).sum::<f64>()) / total;
            let ratio = gain / (bits(&sizes) / total).max(1e-12);
            (useful.count() >= 2 && gain > 1e-12).then_some((gain, ratio))
        };
        let of_code = |code: usize| &table[code * self.targets..(code + 1) * self.targets];
        if !is_number {
            let parts: Vec<Vec<f64>> = (0..*values).map(|code| of_code(code).to_vec()).collect();
            return sums(&parts).map(|(gain, ratio)| (gain, ratio, None));
        }
        let mut below = vec![0.0; self.targets];
        let mut best: Option<(f64, f64, Option<u32>)> = None;
        for code in 0..values.saturating_sub(1) {
            for (below, more) in below.iter_mut().zip(of_code(code)) {
                *below += more;
            }
            let above = counts.iter().zip(&below).map(|(all, below)| all - below);
            let split = sums(&[below.clone(), above.collect()]);
            let split = split.filter(|(gain, _)| best.is_none_or(|best| *gain > best.0));
            best = split.map_or(best, |(gain, ratio)| Some((gain, ratio, Some(code as u32))));
        }
        best
    }

    fn predict(&self, tree: &Tree, row: usize) -> u32 {
        let mut tree = tree;
        while let Some(split) = &tree.split {
            let code = self.features[split.feature].codes[row];
            match split.branches.get(&branch(code, split.threshold)) {
                Some(branch) => tree = branch,
                None => break,
            }
        }
        tree.prediction
    }
}

#[derive(Debug)]
struct Tree {
    prediction: u32,
    /// Rows a leaf here gets wrong.
    wrong: usize,
    /// Rows this tree is expected to get wrong.
    expected_wrong: f64,
    split: Option<Split>,
}

#[derive(Debug)]
struct Split {
    feature: usize,
    threshold: Option<u32>,
    branches: BTreeMap<u32, Tree>,
}

impl Tree {
    fn leaf(counts: &[f64]) -> Tree {
        let rows: f64 = counts.iter().sum();
        let (mut prediction, mut most) = (0, -1.0);
        for (target, &count) in counts.iter().enumerate() {
            if count > most {
                (prediction, most) = (target as u32, count);
            }
        }
        let (z, share) = (DEVIATIONS, (rows - most) / rows);
        let spread = (share / rows - share * share / rows + z * z / (4.0 * rows * rows)).sqrt();
        let expected = (share + z * z / (2.0 * rows) + z * spread) / (1.0 + z * z / rows);
        Tree {
            prediction,
            wrong: (rows - most) as usize,
            expected_wrong: expected * rows,
            split: None,
        }
    }
}

fn branch(code: u32, threshold: Option<u32>) -> u32 {
    match threshold {
        Some(threshold) => u32::from(code > threshold),
        None => code,
    }
}

/// The sum of counts times their entropy.
fn bits(counts: &[f64]) -> f64 {
    let total: f64 = counts.iter().sum();
    let present = counts.iter().filter(|&&count| count > 0.0);
    present.map(|count| -count * (count / total).log2()).sum()
}

fn numbered(column: &[&str]) -> Feature {
    let number = |text: &str| text.parse::<f64>().ok();
    let is_number = column.iter().all(|text| number(text).is_some());
    let mut values: Vec<&str> = column.to_vec();
    values.sort_unstable();
    values.dedup();
    if is_number {
        values.sort_by(|one, other| {
            let (one, other) = (number(one).unwrap_or(0.0), number(other).unwrap_or(0.0));
            one.total_cmp(&other)
        });
    }
    let code_of: BTreeMap<&str, u32> = values.iter().copied().zip(0..).collect();
    Feature {
        is_number,
        codes: column.iter().map(|text| code_of[text]).collect(),
        values: values.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_learned_and_noise_is_not() {
        let ages: Vec<String> = (0..400).map(|row| (row % 80).to_string()).collect();
        let ages: Vec<&str> = ages.iter().map(String::as_str).collect();
        let is_old: Vec<&str> = (0..400)
            .map(|row| if row % 80 < 37 { "no" } else { "yes" })
            .collect();
        let sample = Sample::new(std::slice::from_ref(&ages), &is_old);
        assert_eq!(sample.cross_validated_error(10, 1), 0.0);
        let rng = &mut fastrand::Rng::with_seed(3);
        let noise: Vec<&str> = (0..400)
            .map(|_| if rng.bool() { "a" } else { "b" })
            .collect();
        let error = Sample::new(&[ages], &noise).cross_validated_error(10, 1);
        assert!((0.4..0.65).contains(&error), "{error}");
    }

    #[test]
    fn values_that_are_no_numbers_are_told_apart() {
        let colors: Vec<&str> = (0..300).map(|row| ["r", "g", "b"][row % 3]).collect();
        let is_green: Vec<&str> = (colors.iter())
            .map(|color| if *color == "g" { "yes" } else { "no" })
            .collect();
        let sample = Sample::new(&[colors], &is_green);
        assert_eq!(sample.cross_validated_error(10, 1), 0.0);
    }
}
