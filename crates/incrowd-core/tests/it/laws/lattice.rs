//! What a node says about those above and below it.

use super::{any_metric, for_every_model, node_of};
use incrowd_core::counts::FrequencySet;
use incrowd_core::lattice::Node;
use incrowd_core::problem::{Assessment, bounds_between, bounds_from_below};
use incrowd_core::utility::{Known, Loss, METRICS};
use incrowd_testkit::bridge::{assess, classes_at};
use incrowd_testkit::oracle::Judged;
use incrowd_testkit::random::random_metric;

/// Pairs of nodes, the first at or below the second, as positions in lattice order.
fn pairs_below(judged: &[Judged<'_>]) -> Vec<(usize, usize)> {
    let below = |one: &[u8], other: &[u8]| one.iter().zip(other).all(|(one, other)| one <= other);
    (0..judged.len())
        .flat_map(|low| (low..judged.len()).map(move |high| (low, high)))
        .filter(|&(low, high)| below(&judged[low].levels, &judged[high].levels))
        .collect()
}

#[test]
fn what_a_node_says_of_the_nodes_below_it_is_true() {
    for_every_model(40, |oracle, case, rng| {
        let prepared = oracle.prepare().expect(case);
        let metric = any_metric(oracle, rng);
        let built = prepared.metric(&metric).unwrap();
        let problem = prepared.problem(&*built);
        let judged = oracle.judge_all();
        let assessments: Vec<Assessment> = (judged.iter())
            .map(|judged| assess(&problem, &node_of(&judged.levels)))
            .collect();
        for judged in &judged {
            let sizes = judged
                .published_classes()
                .into_iter()
                .map(|class| class.len());
            assert!(
                sizes
                    .min()
                    .is_none_or(|size| size >= problem.smallest_safe() as usize),
                "{case}: smaller than the smallest safe class"
            );
        }
        for (low, high) in pairs_below(&judged) {
            assert!(
                assessments[high].rows_lost_below as usize <= judged[low].rows_suppressed(),
                "{case}: rows lost at {:?} and everywhere below",
                judged[high].levels
            );
            if problem.pruning_is_sound() {
                assert!(
                    judged[high].is_feasible() || !judged[low].is_feasible(),
                    "{case}: {:?} is safe, {:?} is not",
                    judged[low].levels,
                    judged[high].levels
                );
            }
        }
    });
}

#[test]
fn no_node_costs_less_than_a_floor_below_it() {
    let mut told = (0, 0, 0, 0);
    for_every_model(10, |oracle, case, rng| {
        // Every node has a loss when everything may be suppressed, and nothing is promised of the whole.
        let mut oracle = oracle.clone().allow_suppressed(oracle.table.rows.len());
        oracle
            .models
            .retain(|model| !model.promise.is_about_release());
        let prepared = oracle.prepare().expect(case);
        let judged = oracle.judge_all();
        for entry in METRICS {
            let Some(metric) = random_metric(entry.name, &oracle, rng) else {
                continue;
            };
            let built = prepared.metric(&metric).unwrap();
            let problem = prepared.problem(&*built);
            let nodes: Vec<Node> = judged
                .iter()
                .map(|judged| node_of(&judged.levels))
                .collect();
            let columns = problem.columns_read();
            let sets: Vec<FrequencySet> = nodes
                .iter()
                .map(|node| classes_at(&prepared.table, node, &columns))
                .collect();
            let assessed: Vec<_> = nodes.iter().map(|node| assess(&problem, node)).collect();
            let losses: Vec<Loss> = assessed
                .iter()
                .map(|assessed| assessed.loss.expect("everything is feasible"))
                .collect();
            for (low, high) in pairs_below(&judged) {
                let suppressed = judged[high].rows_suppressed() as u32;
                let published = judged[high].published_classes();
                let smallest = published.iter().map(Vec::len).min().unwrap_or(1) as u32;
                for known in [
                    Known::NOTHING,
                    Known {
                        rows_suppressed: suppressed,
                        smallest_safe: smallest,
                        added: &[],
                    },
                    Known {
                        rows_suppressed: rng.u32(0..=suppressed),
                        smallest_safe: rng.u32(1..=smallest),
                        added: &[],
                    },
                ] {
                    let target = built.column().map(|column| sets[low].histograms(column));
                    let floors = [
                        built.floor(&nodes[low], known),
                        built.floor_above(sets[low].sizes(), target, known),
                    ];
                    assert!(
                        floors.iter().all(|floor| *floor <= losses[high]),
                        "{case}, {}: {floors:?} below {:?}, {:?} at {:?}, {known:?}",
                        metric.spec(),
                        nodes[low],
                        losses[high],
                        nodes[high]
                    );
                }
                // What both corners of a box say is true of every node in it.
                if let Some((rows_lost, floor)) =
                    bounds_between(&problem, &nodes[low], &nodes[high])
                {
                    let between = (low..=high).filter(|&at| {
                        nodes[low].is_at_or_below(&nodes[at])
                            && nodes[at].is_at_or_below(&nodes[high])
                    });
                    for at in between {
                        assert!(
                            rows_lost as usize <= judged[at].rows_suppressed()
                                && floor <= losses[at],
                            "{case}, {}: {rows_lost} rows and {floor:?} between {:?} and {:?}, {:?} at {:?}",
                            metric.spec(),
                            nodes[low],
                            nodes[high],
                            losses[at],
                            nodes[at]
                        );
                    }
                    told.0 += u32::from(rows_lost > assessed[high].rows_lost_below);
                    let of_high = Known {
                        rows_suppressed: assessed[high].rows_lost_below,
                        ..Known::NOTHING
                    };
                    told.1 += u32::from(floor > built.floor(&nodes[low], of_high));
                }
                // What must be around the classes of a node is true of every node above it.
                if let Some((rows, floor)) = bounds_from_below(&problem, &nodes[low], &nodes[high])
                {
                    assert!(
                        rows as usize <= judged[high].rows_suppressed() && floor <= losses[high],
                        "{case}, {}: {rows} rows and {floor:?} at {:?} from {:?}, not {:?}",
                        metric.spec(),
                        nodes[high],
                        nodes[low],
                        losses[high]
                    );
                    // Where the classes are the same, what must be around them is no more than what they are or should be.
                    let by_size = sets[high].sizes().iter();
                    let by_size = by_size.filter(|&&size| size < problem.smallest_safe());
                    told.2 += u32::from(rows > by_size.sum());
                    told.3 += u32::from(floor == losses[high]);
                }
                // What the rows lost at a high node add is added below it too.
                let known = Known {
                    rows_suppressed: assessed[high].rows_lost_below,
                    smallest_safe: problem.smallest_safe(),
                    added: &assessed[high].added_below,
                };
                let below = |node: &&Node| node.is_at_or_below(&nodes[low]);
                assert!(
                    nodes
                        .iter()
                        .filter(below)
                        .all(|node| built.floor(node, known) <= losses[low]),
                    "{case}, {}: {known:?} from {:?}, {:?} at {:?}",
                    metric.spec(),
                    nodes[high],
                    losses[low],
                    nodes[low]
                );
            }
        }
    });
    assert!(
        told.0 > 0,
        "both corners never lose more rows than the high one"
    );
    assert!(told.1 > 0, "both corners never cost more than the high one");
    assert!(
        told.2 > 0,
        "no class is unsafe but those that are too small"
    );
    assert!(told.3 > 0, "no node costs what a node below it says");
}
