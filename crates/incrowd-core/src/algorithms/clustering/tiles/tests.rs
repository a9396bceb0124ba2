//! The nearest cluster against a look at all of them, with so many tuples that most of them are passed over.

use super::*;
use crate::algorithms::clustering::axes::Loss;
use crate::algorithms::clustering::in_order;
use crate::algorithms::clustering::worth::Experts;
use crate::algorithms::mondrian::Space;
use crate::counts::{CountedTable, Missing, RowCounter};
use crate::hierarchy::{Hierarchy, HierarchySpec};
use crate::privacy::PrivacyModel;
use crate::problem::{Problem, Settings};
use crate::table::RowBatch;
use crate::utility::{MetricSpec, ResearchValue};
use fastrand::Rng;

/// Few and many numbers, some missing; text in few and many values, and with levels.
const COLUMNS: [&str; 7] = ["few", "many", "text", "coded", "skewed", "words", "halves"];

fn table(rng: &mut Rng, rows: usize) -> CountedTable {
    let names = COLUMNS.map(str::to_owned);
    let mut counter = RowCounter::new(&names, &Vec::from_iter(0..names.len()), &[]);
    let mut batch = RowBatch::new(names.len());
    batch.clear(0);
    for _ in 0..rows {
        let person = rng.usize(0..40);
        let number = |text: usize, rng: &mut Rng| match rng.u8(..) {
            0 => String::new(),
            _ => text.to_string(),
        };
        let cells = [
            number(2 * person + rng.usize(0..90), rng),
            number(60 * person + rng.usize(0..900), rng),
            format!("v{}", (person / 5 + rng.usize(0..4)) % 12),
            format!("c{:03}", 20 * person + rng.usize(0..60)),
            (rng.usize(0..12).pow(4)).to_string(),
            format!("w{:03}", 2 * person + rng.usize(0..40)),
            format!("{}.5", rng.usize(0..30)),
        ];
        cells
            .iter()
            .for_each(|cell| batch.push_cell(cell.as_bytes()));
    }
    counter.add(&batch).unwrap();
    let missing = Missing::default();
    let levels = |at: usize| -> Hierarchy {
        let spec = match COLUMNS[at] {
            "coded" => "mask:1".parse().unwrap(),
            _ => HierarchySpec::Suppress,
        };
        spec.build(COLUMNS[at], &counter.values(at, &missing))
            .unwrap()
    };
    let hierarchies = (0..names.len()).map(levels).collect();
    counter.finish(hierarchies, Vec::new(), missing).unwrap()
}

/// The clusters of a run, and how often the nearest tuple was found among few.
struct Naive<'a> {
    axes: &'a Axes<'a>,
    sides: Vec<Vec<Side>>,
    rows: Vec<u32>,
}

impl Naive<'_> {
    fn seen(&self, number: u32) -> Seen<'_> {
        Seen {
            number,
            sides: &self.sides[number as usize],
            rows: self.rows[number as usize],
        }
    }

    fn nearest(&self, number: u32) -> Option<u32> {
        let own = self.seen(number);
        let others = (0..self.rows.len() as u32).map(|it| self.seen(it));
        let others = others.filter(|it| it.rows > 0 && it.number != number);
        let lost = |other: Seen<'_>| {
            let extent = (self.axes).joint_extent(own.sides, other.sides.iter().copied());
            (
                self.axes.of_rows(extent, (own.rows + other.rows).into()),
                other.number,
            )
        };
        others.map(lost).min().map(|it| it.1)
    }

    fn rebuild(&self, tiles: &mut Tiles<'_>) {
        let alive = (0..self.rows.len() as u32).filter(|&it| self.rows[it as usize] > 0);
        tiles.rebuild(
            &alive.collect::<Vec<_>>(),
            &|at, it| self.sides[it as usize][at],
            &|it| self.rows[it as usize],
        );
    }
}

/// Merges until few are left, and returns how many searches for single tuples there were, and how many of them had to look
/// at few.
fn check(settings: &str, seed: u64) -> (usize, usize) {
    let rng = &mut Rng::with_seed(seed);
    let table = table(rng, 1600);
    let spec = format!("research-value({settings})");
    let metric = ResearchValue::new(spec.parse::<MetricSpec>().unwrap().given(), &table).unwrap();
    let models: Vec<Box<dyn PrivacyModel>> = Vec::new();
    let problem = Problem::new(&table, &models, &metric).with_settings(Settings {
        without_hierarchy: vec![0, 1, 2, 4, 5, 6],
        ..Settings::default()
    });
    let space = Space::new(&problem);
    let order = in_order(&table);
    let points = space.points(&problem, &order);
    let experts = Experts::new(&table, &metric);
    let axes = Axes::new(&space, &points, Loss::Value, Some(experts));
    let rows = order.iter().map(|&it| table.tuples.sizes()[it as usize]);
    let mut naive = Naive {
        axes: &axes,
        sides: (0..order.len() as u32)
            .map(|it| axes.sides(it).collect())
            .collect(),
        rows: rows.collect(),
    };
    let mut tiles = Tiles::new(&axes, order.len());
    naive.rebuild(&mut tiles);
    let (mut of_tuples, mut of_few) = (0, 0);
    for step in 0..order.len() - 20 {
        if tiles.is_worn() {
            naive.rebuild(&mut tiles);
        }
        let alive: Vec<u32> = (0..order.len() as u32)
            .filter(|&it| naive.rows[it as usize] > 0)
            .collect();
        // The smallest, as in a real run; sometimes any.
        let cluster = match rng.u8(0..8) {
            0 => alive[rng.usize(0..alive.len())],
            _ => *alive
                .iter()
                .min_by_key(|&&it| (naive.rows[it as usize], it))
                .unwrap(),
        };
        let another = alive[rng.usize(0..alive.len())];
        let found = tiles.nearest(&[naive.seen(cluster), naive.seen(another)]);
        if step % 6 == 0 {
            let expected = [cluster, another].map(|it| naive.nearest(it));
            let found = [found[0].number, found[1].number];
            assert_eq!(found, expected, "{settings}, seed {seed}, step {step}");
        }
        let is_tuple = (tiles.slots[cluster as usize] as usize) < tiles.merged_from;
        if is_tuple && tiles.twins.is_some() {
            of_tuples += 1;
            of_few += usize::from(tiles.begin(naive.seen(cluster)).knows_tuples);
        }
        let other = found[0].number.unwrap();
        let (from, to) = (cluster as usize, other as usize);
        let own = naive.sides[from].clone();
        axes.widen(&mut naive.sides[to], own.into_iter());
        naive.rows[to] += std::mem::take(&mut naive.rows[from]);
        tiles.remove(cluster);
        tiles.replace(naive.seen(other));
    }
    (of_tuples, of_few)
}

#[test]
fn tiles_find_what_a_look_at_all_clusters_finds() {
    let mut searches = (0, 0);
    let rules = "rules=\"few: 50|51 = 5 ; text: v1 != v2 = 3 ; many: 1000|1100 = 2\"";
    for (seed, settings) in (0..).zip([
        "",
        rules,
        "granularity-exponent=0.3",
        "weights=few:0.6;many:0.3;text:0.1",
        "weights=few:0.1;many:0.3;coded:0.3;words:0.3",
        "level-values=few:3/0;skewed:1/2",
    ]) {
        let (of_tuples, of_few) = check(settings, seed);
        searches = (searches.0 + of_tuples, searches.1 + of_few);
    }
    // Neither way is left out.
    assert!(searches.0 > 1000, "{searches:?}");
    assert!(searches.1 > 100 && searches.1 < searches.0, "{searches:?}");
}
