//! The optimum where every row may be suppressed, held against every node counted and judged by itself.
//!
//! There, a search decides of most nodes by the sizes of their classes alone. Random tables are too small for much of that.

use crate::adult;
use incrowd_core::algorithms::{Algorithm, Optimal};
use incrowd_core::counts::FrequencySet;
use incrowd_core::lattice::Node;
use incrowd_core::privacy::{ModelSpec, PrivacyModel};
use incrowd_core::problem::{Assessor, Guarantee, Problem, Settings, Unwatched};
use incrowd_core::utility::{Loss, MetricSpec};
use incrowd_testkit::bridge::classes_at;

const MODELS: [&str; 7] = [
    "beta-likeness(beta=1)",
    "beta-likeness(beta=3)",
    "beta-likeness(beta=3,kind=enhanced)",
    "delta-disclosure(delta=2,absent=ignore)",
    "t-closeness(t=0.3,distance=equal)",
    "entropy-l-diversity(l=3)",
    "recursive-cl-diversity(c=4,l=3)",
];

#[test]
fn the_optimum_on_adult_is_the_best_of_all_nodes() {
    let columns = ["age", "education", "marital-status", "race", "sex"];
    let table = adult::count(&columns, &["occupation"]);
    let nodes = table.lattice().walk();
    let sets: Vec<(&Node, FrequencySet)> = (nodes.iter())
        .map(|node| (node, classes_at(&table, node, &[0])))
        .collect();
    let top = table.lattice().top().clone();
    let lowered = |attribute: usize| {
        let level = top.level(attribute).below();
        top.with(attribute, level.expect("every column can be generalized"))
    };
    let highest: Vec<Node> = [top.clone()]
        .into_iter()
        .chain((0..columns.len()).map(lowered))
        .collect();
    let (mut checked, mut all) = (0, 0);
    for model in MODELS {
        let model: ModelSpec = model.parse().unwrap();
        let models: Vec<Box<dyn PrivacyModel>> = model.build_all(&table.columns, &[0]).unwrap();
        for metric in [
            "average-class-size",
            "average-class-size(k=3)",
            "discernibility",
        ] {
            let metric: MetricSpec = metric.parse().unwrap();
            let case = format!("{model} {metric}");
            let metric = metric.build(&table).unwrap();
            let problem = Problem::new(&table, &models, &*metric).allow_suppressed(table.rows);
            let mut assessor = Assessor::new(&problem);
            let losses: Vec<(Loss, &Node)> = (sets.iter())
                .map(|(node, classes)| {
                    let loss = assessor.assess(node, classes, None).loss;
                    (loss.expect("every node may be published"), *node)
                })
                .collect();
            // Other limits make other boxes, and another node the best.
            for (at, highest) in highest.iter().enumerate() {
                let problem = problem.clone().limit_levels(highest.clone()).unwrap();
                let problem = problem.with_settings(Settings {
                    threads: 1 + at % 3,
                    ..Settings::default()
                });
                // The first in lattice order of those with the least loss.
                let within = (losses.iter()).filter(|(_, node)| node.is_at_or_below(highest));
                let (loss, best) = within.min().unwrap();
                let found = Optimal.solve(&problem, &Unwatched).expect(&case);
                assert_eq!(found.guarantee, Guarantee::Optimal, "{case}");
                assert_eq!(found.recoding.node(), Some(*best), "{case}, {highest:?}");
                assert_eq!(found.loss, Some(*loss), "{case}");
                checked += found.nodes_checked;
                all += problem.lattice().nodes();
            }
        }
    }
    assert!(
        10 * u128::from(checked) > all,
        "hardly a node was checked: {checked} of {all}"
    );
}
