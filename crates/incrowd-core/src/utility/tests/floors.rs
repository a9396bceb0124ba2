//! No floor above a loss it speaks of.

use super::sample::{Release, SPECS, Sample, any_sample, metric};
use crate::lattice::{Lattice, Node};
use crate::utility::Known;
use proptest::prelude::*;

/// A release for each node, under several ways to suppress classes.
fn releases(sample: &Sample, salt: u32) -> Vec<(Node, Vec<Release>)> {
    let nodes = Lattice::new(sample.top()).walk();
    let releases = nodes.into_iter().enumerate().map(|(at, node)| {
        let release =
            |is_safe: &dyn Fn(usize, u32) -> bool| sample.release(sample.at(&node), is_safe);
        let chosen = salt.rotate_left(at as u32 * 5);
        let releases = vec![
            release(&|_, _| true),
            release(&|_, _| false),
            release(&|_, size| size >= 2),
            release(&|_, size| size >= 3),
            release(&|class, _| chosen >> (class % 32) & 1 == 1),
        ];
        (node, releases)
    });
    releases.collect()
}

/// All there is to know of a release, and less.
fn known(release: &Release) -> [Known<'static>; 3] {
    let safe = release
        .sizes
        .iter()
        .zip(&release.is_safe)
        .filter(|(_, safe)| **safe);
    let all = Known {
        rows_suppressed: release.rows_suppressed,
        smallest_safe: safe.map(|(&size, _)| size).min().unwrap_or(u32::MAX),
        added: &[],
    };
    let half = Known {
        rows_suppressed: all.rows_suppressed / 2,
        smallest_safe: all.smallest_safe,
        added: &[],
    };
    [all, half, Known::NOTHING]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_node_costs_less_than_the_floor_of_a_node_below(sample in any_sample(), salt in any::<u32>()) {
        let table = sample.table();
        let releases = releases(&sample, salt);
        for spec in SPECS {
            let metric = metric(spec, &table);
            let loss = |release: &Release| release.loss(&table, &*metric);
            let losses: Vec<Vec<f64>> = (releases.iter())
                .map(|(_, releases)| releases.iter().map(loss).collect())
                .collect();
            prop_assert!(losses.iter().flatten().all(|loss| loss.is_finite()), "{spec}: {losses:?}");
            for (low, low_releases) in &releases {
                let (sizes, target) = (&low_releases[0].sizes, &low_releases[0].target);
                let above = releases.iter().zip(&losses).filter(|((high, _), _)| low.is_at_or_below(high));
                for ((high, releases), losses) in above {
                    for (release, &loss) in releases.iter().zip(losses) {
                        for known in known(release) {
                            let floor = metric.floor(low, known).0;
                            prop_assert!(floor <= loss, "{spec}: {low:?} {high:?} {known:?}: {floor} > {loss}");
                            let floor = metric.floor_above(sizes, Some(target), known).0;
                            prop_assert!(floor <= loss, "{spec}: above {low:?} {high:?} {known:?}: {floor} > {loss}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn no_node_costs_less_than_if_all_classes_were_published_that_may_be(sample in any_sample(), salt in any::<u32>()) {
        let table = sample.table();
        for (node, releases) in releases(&sample, salt) {
            for (release, other) in releases.iter().flat_map(|release| releases.iter().map(move |other| (release, other))) {
                let either = release.is_safe.iter().zip(&other.is_safe);
                let may_be_safe: Vec<bool> = either.map(|(one, other)| one | other).collect();
                for spec in SPECS {
                    let metric = metric(spec, &table);
                    let loss = release.loss(&table, &*metric);
                    let floor = metric.floor_at(&release.sizes, &may_be_safe).0;
                    prop_assert!(floor <= loss, "{spec}: {node:?} {may_be_safe:?}: {floor} > {loss}");
                    if may_be_safe == release.is_safe && ["discernibility", "average-class-size"].contains(spec) {
                        prop_assert!(floor == loss, "{spec}: {node:?} {may_be_safe:?}: {floor} < {loss}");
                    }
                }
            }
        }
    }

    #[test]
    fn floors_rise_with_levels_and_with_suppressed_rows(sample in any_sample(), smallest_safe in 1u32..5) {
        let known = |rows_suppressed| Known { rows_suppressed, smallest_safe, added: &[] };
        let table = sample.table();
        let nodes = Lattice::new(sample.top()).walk();
        for spec in SPECS {
            let metric = metric(spec, &table);
            for low in &nodes {
                for suppressed in 0..=table.rows {
                    let floor = metric.floor(low, known(suppressed)).0;
                    prop_assert!(floor.is_finite() && floor >= 0.0);
                    let next = metric.floor(low, known(suppressed + 1)).0;
                    prop_assert!(floor <= next * (1.0 + 1e-14), "{spec}: {low:?} {suppressed}: {floor} > {next}");
                    for high in nodes.iter().filter(|high| low.is_at_or_below(high)) {
                        let above = metric.floor(high, known(suppressed)).0;
                        prop_assert!(floor <= above * (1.0 + 1e-14), "{spec}: {low:?} {high:?} {suppressed}: {floor} > {above}");
                    }
                }
            }
        }
    }

    #[test]
    fn losses_that_follow_from_levels_are_their_own_floors(sample in any_sample()) {
        let table = sample.table();
        for spec in ["height", "precision", "loss", "non-uniform-entropy", "ncp", "hdm"] {
            let metric = metric(spec, &table);
            for node in Lattice::new(sample.top()).walk() {
                let release = sample.release(sample.at(&node), |_, _| true);
                let (floor, loss) = (metric.floor(&node, Known::NOTHING).0, release.loss(&table, &*metric));
                prop_assert!(loss - floor <= 1e-10 * loss, "{spec}: {floor} is far below {loss}");
            }
        }
    }
}
