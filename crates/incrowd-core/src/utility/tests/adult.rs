//! What ARX 3.9.2 says about Adult, at the nodes it found best.

use super::sample::{Sample, SampleColumn, metric};
use crate::lattice::Node;
use crate::table::Kind;
use crate::utility::Known;
use std::collections::BTreeMap;

fn read(path: &str) -> Vec<Vec<String>> {
    let path = format!("{}/../../data/adult/{path}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    let lines = text.lines();
    lines
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect()
}

fn adult(columns: &str) -> Sample {
    let table = read("adult.csv");
    let (mut samples, mut leaves) = (Vec::new(), Vec::new());
    for name in columns.split(' ') {
        let position = table[0].iter().position(|column| column == name).unwrap();
        let labels = read(&format!("hierarchies/{name}.csv")).split_off(1);
        let codes: BTreeMap<&str, u32> = labels.iter().map(|row| &*row[0]).zip(0..).collect();
        let rows = table[1..].iter().map(|row| codes[&*row[position]]);
        leaves.push(rows.collect::<Vec<u32>>());
        samples.push(SampleColumn {
            kind: Kind::Text,
            labels,
        });
    }
    Sample {
        columns: samples,
        rows: (0..table.len() - 1)
            .map(|row| (leaves.iter().map(|column| column[row]).collect(), 0))
            .collect(),
    }
}

#[test]
fn losses_on_adult_are_those_of_arx_and_no_floor_exceeds_them() {
    let mut samples = BTreeMap::new();
    let mut releases = BTreeMap::new();
    let mut compared = 0;
    for reference in read("reference/arx_on_adult.csv") {
        let [
            columns,
            _,
            privacy,
            _,
            name,
            _,
            levels,
            loss,
            rows_suppressed,
            ..,
        ] = &reference[..]
        else {
            panic!("a line of the reference is too short");
        };
        let k = privacy.strip_prefix("k-anonymity(k=");
        let Some(Ok(k)) = k.map(|k| k.trim_end_matches(')').parse::<u32>()) else {
            continue;
        };
        let (sample, table) = samples.entry(columns.clone()).or_insert_with(|| {
            let sample = adult(columns);
            let table = sample.table();
            (sample, table)
        });
        let levels: Vec<u8> = levels
            .split(' ')
            .map(|level| level.parse().unwrap())
            .collect();
        let release = releases
            .entry((columns.clone(), levels.clone(), k))
            .or_insert_with(|| sample.at_least(&levels, k));
        assert_eq!(release.rows_suppressed.to_string(), *rows_suppressed);
        let metric = metric(name, table);
        let (ours, theirs) = (release.loss(table, &*metric), loss.parse::<f64>().unwrap());
        // ARX rounds the loss of each attribute to ten decimals.
        assert!(
            (ours - theirs).abs() <= 1e-10 + 1e-13 * theirs.abs(),
            "{name} at {levels:?} is {ours}, not {theirs}"
        );
        let known = Known {
            rows_suppressed: release.rows_suppressed,
            smallest_safe: k,
            added: &[],
        };
        let node = Node::from_levels(levels);
        let floors = [
            metric.floor(&node, known),
            metric.floor(&Node::bottom(node.len()), known),
            metric.floor_above(&release.sizes, None, known),
        ];
        assert!(
            floors.iter().all(|floor| floor.0 <= ours),
            "{name}: {floors:?}"
        );
        compared += 1;
    }
    assert_eq!(compared, 162);
}
