//! The models against definitions that share no code with them, against laws, and against numbers from papers.

mod laws;
mod oracle;
mod parts;
mod population;
mod specs;
mod worked;

use super::{ClassView, ModelSpec, PrivacyModel, Subject};
use crate::counts::{CountedColumn, Histogram};
use crate::draw::Draw;
use crate::hierarchy::Hierarchy;
use crate::table::{Dictionary, Kind};

/// Every model, with parameters that random small classes both meet and miss.
const SPECS: &[&str] = &[
    "k-anonymity(k=7)",
    "distinct-l-diversity(l=3)",
    "entropy-l-diversity(l=2)",
    "entropy-l-diversity(l=2.75)",
    "recursive-cl-diversity(c=0.75,l=1)",
    "recursive-cl-diversity(c=2,l=2)",
    "recursive-cl-diversity(c=3.5,l=3)",
    "frequency-l-diversity(l=2)",
    "frequency-l-diversity(l=2.5)",
    "alpha-k-anonymity(alpha=0.5,k=5)",
    "alpha-k-anonymity(alpha=0.25,k=3,value=1)",
    "p-sensitive-k-anonymity(p=3,k=7)",
    "t-closeness(t=0.3,distance=equal)",
    "t-closeness(t=0.15,distance=ordered)",
    "t-closeness(t=0.2,distance=hierarchical)",
    "delta-disclosure(delta=1,absent=reject)",
    "delta-disclosure(delta=1.5,absent=reject)",
    "delta-disclosure(delta=1,absent=ignore)",
    "beta-likeness(beta=1,kind=basic)",
    "beta-likeness(beta=0.75,kind=basic)",
    "beta-likeness(beta=1,kind=enhanced)",
];

/// The group of each of eight values at each level, the root at level 3.
const TREE: [[u32; 8]; 4] = [
    [0, 1, 2, 3, 4, 5, 6, 7],
    [0, 1, 0, 2, 2, 3, 1, 3],
    [0, 1, 0, 0, 0, 1, 1, 1],
    [0; 8],
];

/// Small, seeded, and good enough (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % u64::from(bound)) as u32
    }

    /// Rows of two to eight values, each on at least one row.
    fn table(&mut self) -> Vec<u32> {
        let most = [2, 5, 30][self.below(3) as usize];
        let values = 2 + self.below(7);
        (0..values).map(|_| 1 + self.below(most)).collect()
    }

    /// Some of the rows left, at least one; they are taken away.
    fn class(&mut self, left: &mut [u32]) -> Class {
        let few = self.below(2) == 0;
        loop {
            let mut take = |&rows: &u32| match (few, self.below(3)) {
                (_, 0) => 0,
                (true, _) => rows.min(self.below(3)),
                (false, _) => self.below(rows + 1),
            };
            let taken: Vec<u32> = left.iter().map(&mut take).collect();
            if taken.iter().any(|&count| count > 0) || left.iter().all(|&rows| rows == 0) {
                for (rows, count) in left.iter_mut().zip(&taken) {
                    *rows -= count;
                }
                return Class::new(&taken);
            }
        }
    }
}

/// A class with its own memory.
#[derive(Debug, Clone)]
struct Class {
    values: Vec<u32>,
    counts: Vec<u32>,
}

impl Class {
    /// From the count of each value, zeros included.
    fn new(counts_of_values: &[u32]) -> Self {
        let present = (0..).zip(counts_of_values).filter(|(_, count)| **count > 0);
        let (values, counts) = present.unzip();
        Class { values, counts }
    }

    fn view(&self) -> ClassView<'_> {
        let histogram = Histogram {
            values: &self.values,
            counts: &self.counts,
        };
        ClassView::new(self.counts.iter().sum(), histogram)
    }

    fn count(&self, value: u32) -> u32 {
        let at = self.values.iter().position(|&present| present == value);
        at.map_or(0, |at| self.counts[at])
    }

    fn union(&self, other: &Class) -> Class {
        let values = self.values.iter().chain(&other.values).max();
        let values = 0..=values.copied().unwrap_or(0);
        let counts: Vec<u32> = values.map(|v| self.count(v) + other.count(v)).collect();
        Class::new(&counts)
    }
}

/// [`TREE`], with the values 0, 1, 2, ... as leaves.
fn tree() -> Hierarchy {
    let rows = (0..8).map(|value| TREE.map(|level| level[value].to_string()));
    Hierarchy::from_rows("salary", rows).expect("levels only merge")
}

/// Lets two models judge random small classes of a column with so many values, which they must judge alike; counts the
/// classes that break the promise and those that keep it.
pub(super) fn judge_alike(
    draw: &mut Draw,
    values: usize,
    [one, other]: [&dyn PrivacyModel; 2],
    judged: &mut [u32; 2],
) {
    for _ in 0..400 {
        let most = [2, 6, 40][draw.below(3)];
        let counts = (0..values as u32).map(|value| (value, draw.below(most) as u32));
        let (present, counts): (Vec<u32>, Vec<u32>) =
            counts.filter(|(_, count)| *count > 0).unzip();
        let histogram = Histogram {
            values: &present,
            counts: &counts,
        };
        let class = ClassView::new(counts.iter().sum(), histogram);
        let holds = one.holds(&class);
        assert_eq!(
            holds,
            other.holds(&class),
            "{one:?}: {present:?} {counts:?}"
        );
        judged[usize::from(holds)] += 1;
    }
}

/// A column of numbers 0, 1, 2, ... with these rows.
pub(super) fn numbers(rows_of_values: &[u32]) -> CountedColumn {
    let mut values = Dictionary::default();
    for value in 0..rows_of_values.len() {
        values.encode(&value.to_string());
    }
    CountedColumn {
        name: "salary".into(),
        kind: Kind::Number,
        values,
        rows_of_values: rows_of_values.to_vec(),
        hierarchy: None,
    }
}

/// The same, with the hierarchy if the model needs it.
fn column(rows_of_values: &[u32], spec: &ModelSpec) -> CountedColumn {
    CountedColumn {
        hierarchy: spec.needs_hierarchy().then(tree),
        ..numbers(rows_of_values)
    }
}

/// The model a text means, for a table with these rows.
fn model(spec: &str, table: &[u32]) -> Box<dyn PrivacyModel> {
    let spec: ModelSpec = spec.parse().expect("a model");
    spec.build(Subject::column(0, &column(table, &spec)))
        .expect("the column fits")
}

/// Every model for a table.
fn models(table: &[u32]) -> Vec<Box<dyn PrivacyModel>> {
    SPECS.iter().map(|spec| model(spec, table)).collect()
}
