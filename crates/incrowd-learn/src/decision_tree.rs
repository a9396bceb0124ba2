//! A decision tree with binary splits by information gain (CART with entropy).
//!
//! A split asks one feature one question: whether its number is above a threshold, or whether the share of some values
//! is. These are the values that a text of the rows stands for: a group that was published as one is asked for as one,
//! since nothing was learned about its parts. Thresholds lie halfway between neighboring numbers or shares. Of several
//! splits that tell equally much, the first is taken: by feature, then by text, then that with the highest
//! threshold. The tree is at most [`DEEPEST`] splits deep and
//! has at least [`LEAST_ROWS`] rows in every leaf, which is all that keeps it from learning noise: there is no pruning.
//!
//! L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984.

use crate::classify::{Classifier, Sample, most};
use crate::column::{Column, Meaning};
use crate::entropy::{add, bits, without};

/// The most splits from the root to a leaf.
pub const DEEPEST: usize = 8;

/// The fewest rows of a leaf.
pub const LEAST_ROWS: u32 = 5;

/// A tree that was learned.
#[derive(Debug, Clone)]
pub struct DecisionTree {
    /// The root first.
    nodes: Vec<Node>,
}

#[derive(Debug, Clone)]
enum Node {
    Leaf {
        class: u32,
    },
    Split {
        column: usize,
        question: Question,
        /// The node for rows above the threshold; that for the others follows the split.
        above: usize,
    },
}

/// What a split asks of a cell.
#[derive(Debug, Clone)]
enum Question {
    /// Whether its number is above this.
    Number(f64),
    /// Whether the share of these values, ascending, is above this.
    Share(Vec<u32>, f64),
}

impl Question {
    fn is_above(&self, meaning: &Meaning) -> bool {
        match self {
            Question::Number(threshold) => meaning.number() > *threshold,
            Question::Share(values, threshold) => meaning.share_of(values) > *threshold,
        }
    }
}

/// Is shown the classes of the rows above a threshold, and how to ask for them.
type Look<'a> = dyn FnMut(&[u32], &dyn Fn() -> Question) + 'a;

/// A split that could be made.
struct Candidate {
    /// The bits that it tells.
    gain: f64,
    column: usize,
    question: Question,
}

impl DecisionTree {
    /// Learns a tree.
    pub fn learn(sample: &Sample<'_>) -> Self {
        let orders = sample.features.iter().map(by_number).collect();
        let mut grower = Grower {
            sample,
            orders,
            nodes: Vec::new(),
        };
        grower.grow(sample.rows.to_vec(), 0);
        DecisionTree {
            nodes: grower.nodes,
        }
    }
}

impl Classifier for DecisionTree {
    fn predict(&self, features: &[Column], rows: &[u32]) -> Vec<u32> {
        let class = |&row: &u32| {
            let mut at = 0;
            loop {
                match &self.nodes[at] {
                    Node::Leaf { class } => return *class,
                    Node::Split {
                        column,
                        question,
                        above,
                    } => match question.is_above(features[*column].meaning(row)) {
                        true => at = *above,
                        false => at += 1,
                    },
                }
            }
        };
        rows.iter().map(class).collect()
    }
}

/// The codes of a numeric column by their numbers; empty for others.
fn by_number(column: &Column) -> Vec<u32> {
    let mut codes: Vec<u32> = match column.domain.is_numeric() {
        true => (0..column.meanings.len() as u32).collect(),
        false => Vec::new(),
    };
    let number = |code: &u32| column.meanings[*code as usize].number();
    codes.sort_by(|one, other| number(one).total_cmp(&number(other)));
    codes
}

struct Grower<'a> {
    sample: &'a Sample<'a>,
    /// The codes of every numeric column by their numbers.
    orders: Vec<Vec<u32>>,
    nodes: Vec<Node>,
}

impl Grower<'_> {
    /// Adds the tree of some rows.
    fn grow(&mut self, rows: Vec<u32>, depth: usize) {
        let sample = Sample {
            rows: &rows,
            ..*self.sample
        };
        let counts = sample.class_rows();
        let at = self.nodes.len();
        self.nodes.push(Node::Leaf {
            class: most(&counts),
        });
        if depth == DEEPEST || rows.len() < 2 * LEAST_ROWS as usize {
            return;
        }
        let Some(Candidate {
            column, question, ..
        }) = self.best(&sample, &counts)
        else {
            return;
        };
        let feature = &self.sample.features[column];
        let (above, below): (Vec<u32>, Vec<u32>) =
            (rows.iter()).partition(|&&row| question.is_above(feature.meaning(row)));
        drop(rows);
        self.grow(below, depth + 1);
        self.nodes[at] = Node::Split {
            column,
            question,
            above: self.nodes.len(),
        };
        self.grow(above, depth + 1);
    }

    /// The split that tells most; of several, the first.
    fn best(&self, sample: &Sample<'_>, counts: &[u32]) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        for (column, feature) in sample.features.iter().enumerate() {
            let by_code = counts_by_code(sample, feature);
            let mut look = |above: &[u32], question: &dyn Fn() -> Question| {
                let below = without(counts, above);
                let least = above.iter().sum::<u32>().min(below.iter().sum());
                if least < LEAST_ROWS {
                    return;
                }
                let gain = bits(counts) - bits(above) - bits(&below);
                // Gains that differ by rounding alone are equal.
                let is_better = |best: &Candidate| gain > best.gain * (1.0 + 1e-12);
                if gain > 1e-9 && best.as_ref().is_none_or(is_better) {
                    best = Some(Candidate {
                        gain,
                        column,
                        question: question(),
                    });
                }
            };
            match feature.domain.is_numeric() {
                true => self.numbers(column, feature, &by_code, &mut look),
                false => shares(feature, &by_code, &mut look),
            }
        }
        best
    }

    /// Every threshold between the numbers that occur.
    fn numbers(&self, column: usize, feature: &Column, by_code: &[Vec<u32>], look: &mut Look<'_>) {
        let order = self.orders[column].iter();
        let present = order.filter(|code| !by_code[**code as usize].is_empty());
        let mut above = vec![0; self.sample.class_count];
        let mut last: Option<f64> = None;
        for &code in present.rev() {
            let number = feature.meanings[code as usize].number();
            if let Some(last) = last.filter(|last| *last > number) {
                look(&above, &|| Question::Number(number + (last - number) / 2.0));
            }
            add(&mut above, &by_code[code as usize]);
            last = Some(number);
        }
    }
}

/// Every threshold between the shares that the values of a text have.
fn shares(feature: &Column, by_code: &[Vec<u32>], look: &mut Look<'_>) {
    let present: Vec<u32> = (0..by_code.len() as u32)
        .filter(|&code| !by_code[code as usize].is_empty())
        .collect();
    let meaning = |code: u32| &feature.meanings[code as usize];
    let mut codes_of_value = vec![Vec::new(); feature.domain.len()];
    for &code in &present {
        for &value in &meaning(code).values {
            codes_of_value[value as usize].push(code);
        }
    }
    let mut common = vec![0u32; by_code.len()];
    for &asked in &present {
        let values = &meaning(asked).values;
        let mut touched = Vec::new();
        for &value in values {
            for &code in &codes_of_value[value as usize] {
                if common[code as usize] == 0 {
                    touched.push(code);
                }
                common[code as usize] += 1;
            }
        }
        let mut parts: Vec<(f64, u32)> = (touched.iter())
            .map(|&code| {
                let share = f64::from(common[code as usize]) * meaning(code).share();
                (share, code)
            })
            .collect();
        touched.iter().for_each(|&code| common[code as usize] = 0);
        parts.sort_unstable_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut above: Vec<u32> = Vec::new();
        for (at, &(share, code)) in parts.iter().enumerate() {
            let counts = &by_code[code as usize];
            above.resize(counts.len(), 0);
            add(&mut above, counts);
            let next = match parts.get(at + 1) {
                Some(next) => next.0,
                None if parts.len() < present.len() => 0.0,
                None => break,
            };
            if next < share {
                let threshold = next + (share - next) / 2.0;
                look(&above, &|| Question::Share(values.clone(), threshold));
            }
        }
    }
}

/// How many rows of each class have each code; nothing for codes without rows.
fn counts_by_code(sample: &Sample<'_>, feature: &Column) -> Vec<Vec<u32>> {
    let mut by_code = vec![Vec::new(); feature.meanings.len()];
    for &row in sample.rows {
        let counts: &mut Vec<u32> = &mut by_code[feature.codes[row as usize] as usize];
        counts.resize(sample.class_count, 0);
        counts[sample.classes[row as usize] as usize] += 1;
    }
    by_code
}
