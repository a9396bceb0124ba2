//! `optimal` on Adult: CPU time, nodes checked, and the optimum reached.

use crate::adult;
use cpu_time::ProcessTime;
use incrowd_core::algorithms::{Algorithm, Optimal};
use incrowd_core::problem::{DEFAULT_MEMORY_LIMIT, Problem, Unwatched};
use incrowd_core::publish::publish;
use incrowd_core::utility::MetricSpec;

#[expect(clippy::print_stdout, reason = "the table is the result")]
pub(crate) fn run() {
    println!("qis\tk\tbudget\tmetric\tnodes\tchecked\tms\tms/node\tlevels\tsuppressed");
    for attributes in [6, 8] {
        let table = adult::count(&adult::QUASI_IDENTIFIERS[..attributes], &[]);
        println!("{} tuples", table.tuples.len());
        for share in [0.0, 0.01, 0.05, 1.0] {
            for metric in [
                "loss",
                "discernibility",
                "non-uniform-entropy",
                "average-class-size",
                "precision",
                "height",
            ] {
                let spec: MetricSpec = metric.parse().expect("a metric");
                let built = spec.build(&table).expect("applies");
                let models = "k-anonymity(k=5)"
                    .parse::<incrowd_core::privacy::ModelSpec>()
                    .and_then(|model| model.build_all(&[], &[]))
                    .expect("a model");
                let problem = Problem {
                    table: &table,
                    models: &models,
                    metric: &*built,
                    max_suppressed: (f64::from(table.rows) * share) as u32,
                    max_levels: table.lattice().top().clone(),
                    memory_limit: DEFAULT_MEMORY_LIMIT,
                };
                let start = ProcessTime::now();
                let mut runs = 0;
                let proposal = loop {
                    let proposal = Optimal.solve(&problem, &Unwatched).expect("solvable");
                    runs += 1;
                    if start.elapsed().as_secs_f64() > 0.1 {
                        break proposal;
                    }
                };
                let ms = 1e3 * start.elapsed().as_secs_f64() / f64::from(runs);
                let release = publish(&problem, &proposal).expect("safe");
                println!(
                    "{attributes}\t5\t{share}\t{metric}\t{}\t{}\t{ms:.3}\t{:.4}\t{:?}\t{}",
                    problem.lattice().nodes(),
                    proposal.nodes_checked,
                    ms / proposal.nodes_checked as f64,
                    release.node(),
                    release.rows_suppressed(),
                );
            }
        }
    }
}
