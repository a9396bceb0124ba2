//! The definitions of the specification, word by word, in floating point and without care for speed.

use super::{Class, Random, TREE, models};
use std::collections::BTreeMap;

/// Shares of the values in a class and in the table.
struct Shares {
    rows: f64,
    p: BTreeMap<u32, f64>,
    q: BTreeMap<u32, f64>,
    class: Class,
    table: Vec<u32>,
}

impl Shares {
    fn new(class: &Class, table: &[u32]) -> Self {
        let rows: u32 = class.counts.iter().sum();
        let all: u32 = table.iter().sum();
        let share = |count: u32, of: u32| f64::from(count) / f64::from(of);
        let values = 0..table.len() as u32;
        Shares {
            rows: rows.into(),
            p: values
                .clone()
                .map(|v| (v, share(class.count(v), rows)))
                .collect(),
            q: values.map(|v| (v, share(table[v as usize], all))).collect(),
            class: class.clone(),
            table: table.to_vec(),
        }
    }

    fn present(&self) -> Vec<f64> {
        self.p.values().copied().filter(|&p| p > 0.0).collect()
    }

    fn greatest(&self) -> f64 {
        self.present().into_iter().fold(0.0, f64::max)
    }

    /// The number the model bounds, and whether the rest of the promise is kept.
    fn measure(&self, model: &str) -> (f64, bool) {
        let number = |name: &str| -> f64 {
            let (_, after) = model.split_once(&format!("{name}=")).expect("given");
            let end = after.find([',', ')']).expect("a bracket");
            after[..end].parse().expect("a number")
        };
        let distinct = self.present().len();
        match model.split_once('(').expect("a bracket").0 {
            "k-anonymity" => (self.rows, true),
            "distinct-l-diversity" => (distinct as f64, self.rows >= number("l")),
            "entropy-l-diversity" => {
                let entropy: f64 = self.present().iter().map(|p| -p * p.ln()).sum();
                (entropy.exp(), self.rows >= number("l"))
            }
            "recursive-cl-diversity" => {
                let l = number("l") as usize;
                let mut counts = self.class.counts.clone();
                counts.sort_unstable_by(|a, b| b.cmp(a));
                let tail: u32 = counts.iter().skip(l - 1).sum();
                (f64::from(counts[0]) / f64::from(tail), distinct >= l)
            }
            "frequency-l-diversity" => (1.0 / self.greatest(), self.rows >= number("l")),
            "alpha-k-anonymity" => {
                let share = match model.contains("value=1") {
                    true => self.p[&1],
                    false => self.greatest(),
                };
                (share, self.rows >= number("k"))
            }
            "p-sensitive-k-anonymity" => (distinct as f64, self.rows >= number("k")),
            "t-closeness" => {
                let last = self.table.len().max(2) - 1;
                let (cost, most): (fn(usize, usize) -> u32, _) = match model {
                    _ if model.contains("equal") => (|a, b| u32::from(a != b), 1),
                    _ if model.contains("ordered") => (|a, b| a.abs_diff(b) as u32, last),
                    _ => (meeting_level, 3),
                };
                (self.earth_mover(cost) / most as f64, true)
            }
            "delta-disclosure" => {
                let far = |(p, q): (&f64, &f64)| (p / q).log2().abs();
                let ignore = model.contains("ignore");
                let values = self.p.values().zip(self.q.values());
                let values = values.filter(|(p, _)| **p > 0.0 || !ignore);
                (values.map(far).fold(0.0, f64::max), true)
            }
            "beta-likeness" => {
                let (mut greatest, mut allowed) = (0.0, true);
                for (p, q) in self.p.values().zip(self.q.values()).filter(|(p, q)| p > q) {
                    greatest = f64::max(greatest, (p - q) / q);
                    allowed &= model.contains("basic") || (p - q) / q <= -q.ln() + 1e-12;
                }
                (greatest, allowed)
            }
            other => panic!("no definition of {other}"),
        }
    }

    /// The least cost of turning q into p: moves one unit of 1/(n N) of mass at a time along the cheapest way, which
    /// may undo earlier moves (successive shortest paths).
    fn earth_mover(&self, cost: fn(usize, usize) -> u32) -> f64 {
        let values = self.table.len();
        let (n, all) = (self.rows as i64, self.table.iter().sum::<u32>() as i64);
        let mut too_much: Vec<i64> = (0..values)
            .map(|v| i64::from(self.class.count(v as u32)) * all - i64::from(self.table[v]) * n)
            .collect();
        let mut flow = vec![vec![0i64; values]; values];
        let mut total = 0.0;
        while let Some(from) = too_much.iter().position(|&excess| excess > 0) {
            let mut distance = vec![i64::MAX; values];
            let mut previous = vec![usize::MAX; values];
            distance[from] = 0;
            for _ in 0..values {
                for a in 0..values {
                    for b in 0..values {
                        if a == b || distance[a] == i64::MAX {
                            continue;
                        }
                        let price = match flow[b][a] > 0 {
                            true => -i64::from(cost(b, a)),
                            false => i64::from(cost(a, b)),
                        };
                        if distance[a] + price < distance[b] {
                            distance[b] = distance[a] + price;
                            previous[b] = a;
                        }
                    }
                }
            }
            let lacking = (0..values).filter(|&v| too_much[v] < 0);
            let to = lacking.min_by_key(|&v| distance[v]).expect("balanced");
            let (mut amount, mut at) = (too_much[from].min(-too_much[to]), to);
            while at != from {
                let back = flow[at][previous[at]];
                amount = if back > 0 { amount.min(back) } else { amount };
                at = previous[at];
            }
            at = to;
            while at != from {
                let before = previous[at];
                if flow[at][before] > 0 {
                    flow[at][before] -= amount;
                } else {
                    flow[before][at] += amount;
                }
                at = before;
            }
            total += (amount * distance[to]) as f64;
            too_much[from] -= amount;
            too_much[to] += amount;
        }
        total / (n as f64 * all as f64)
    }
}

/// The lowest level of [`TREE`] at which two values are in one group.
fn meeting_level(a: usize, b: usize) -> u32 {
    (0..4)
        .find(|&level| TREE[level][a] == TREE[level][b])
        .expect("a root") as u32
}

#[test]
fn models_agree_with_their_definitions() {
    let mut random = Random(1);
    let (mut kept, mut decided) = (BTreeMap::new(), 0);
    for _ in 0..1000 {
        let table = random.table();
        let class = random.class(&mut table.clone());
        let shares = Shares::new(&class, &table);
        for model in models(&table) {
            let text = model.describe(None);
            let (measure, rest) = shares.measure(&text);
            let got = model.measure(&class.view());
            if rest {
                let close = (got - measure).abs() <= 1e-9 * measure.max(1.0);
                assert!(
                    close || got == measure,
                    "{text}: {got} for {measure}, {class:?} of {table:?}"
                );
            }
            let parameter = model.parameter().to_f64();
            if (measure - parameter).abs() > 1e-9 {
                let expected = rest && model.direction().meets(measure, parameter);
                let holds = model.holds(&class.view());
                assert_eq!(holds, expected, "{text}: {measure}, {class:?} of {table:?}");
                *kept.entry(text).or_insert(0) += u32::from(holds);
                decided += 1;
            }
        }
    }
    assert!(decided > 15_000);
    // No model is always or never kept, or the comparison says nothing.
    assert!(
        kept.values().all(|&kept| (30..970).contains(&kept)),
        "{kept:?}"
    );
}
