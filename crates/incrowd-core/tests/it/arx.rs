//! What ARX 3.9.2 answers on Adult, 218 times (`data/adult/reference/arx_on_adult.csv`).
//!
//! ARX suppresses at most the share of rows that is allowed, rounded down. Where two nodes have equal loss either is
//! right: ours must cost what ARX's does, and ARX's node must be to us all that it is to ARX.

use crate::adult;
use incrowd_core::algorithms::{Algorithm, Optimal};
use incrowd_core::counts::CountedTable;
use incrowd_core::lattice::Node;
use incrowd_core::privacy::{ModelSpec, PrivacyModel};
use incrowd_core::problem::{DEFAULT_WORK_LIMIT, Guarantee, Problem, Proposal, Unwatched};
use incrowd_core::publish::publish;
use incrowd_core::recode::ColumnRecoding;
use incrowd_core::utility::MetricSpec;
use incrowd_testkit::bridge::assess;
use std::collections::BTreeMap;

fn models(text: &str, table: &CountedTable) -> Vec<Box<dyn PrivacyModel>> {
    let sensitive: Vec<usize> = (0..table.columns.len()).collect();
    text.split('&')
        .flat_map(|model| {
            let spec: ModelSpec = model.parse().unwrap();
            spec.build_all(&table.columns, &sensitive).unwrap()
        })
        .collect()
}

/// Equal but for rounding: ARX rounds the normalized loss of every attribute down at the tenth decimal.
fn is_same(metric: &str, ours: f64, theirs: f64) -> bool {
    let rounded_down = if metric == "loss" { 1e-10 } else { 0.0 };
    let rounding = 1e-13 * theirs.abs();
    (-rounding..=rounded_down + rounding).contains(&(ours - theirs))
}

#[test]
fn all_218_answers_of_arx_on_adult_come_out_the_same() {
    let mut reader = csv::Reader::from_path(adult::path("reference/arx_on_adult.csv")).unwrap();
    let headers = reader.headers().unwrap().clone();
    let mut tables: BTreeMap<(String, String), CountedTable> = BTreeMap::new();
    let (mut answers, mut most_work) = (0, 0);
    for record in reader.records() {
        let record = record.unwrap();
        let field = |name: &str| {
            let at = headers.iter().position(|header| header == name).unwrap();
            record[at].to_owned()
        };
        let number = |name: &str| -> f64 { field(name).parse().unwrap() };
        let case = record.iter().collect::<Vec<_>>().join(", ");
        let columns = (field("quasi_identifiers"), field("sensitive"));
        let table = &*tables
            .entry(columns)
            .or_insert_with_key(|(quasi, sensitive)| {
                let words = |text| str::split_whitespace(text).collect::<Vec<_>>();
                adult::count(&words(quasi), &words(sensitive))
            });
        let models = models(&field("privacy"), table);
        let metric: MetricSpec = field("metric").parse().unwrap();
        let metric = metric.build(table).unwrap();
        let problem = Problem::new(table, &models, &*metric)
            .allow_suppressed((number("max_suppressed_share") * f64::from(table.rows)) as u32);
        let solved = Optimal.solve_accounted(&problem, &Unwatched).expect(&case);
        let (ours, work) = (solved.proposal, solved.work);
        assert_eq!(ours.guarantee, Guarantee::Optimal, "{case}");
        assert!(20 * work < DEFAULT_WORK_LIMIT, "{case}: {work} units");
        most_work = most_work.max(work);
        let levels = field("levels");
        let levels = levels.split(' ').map(|level| level.parse::<u8>().unwrap());
        let theirs = Proposal {
            recoding: ColumnRecoding::FullDomain(Node::from_levels(levels)).into(),
            loss: None,
            ..ours.clone()
        };
        for proposal in [&ours, &theirs] {
            let release = publish(&problem, proposal).expect(&case);
            let loss = assess(&problem, release.node().unwrap())
                .loss
                .expect(&case)
                .0;
            let expected = number("loss");
            assert!(
                is_same(&field("metric"), loss, expected),
                "{case}: {loss} at {:?}",
                release.node()
            );
            if *proposal == theirs {
                assert_eq!(
                    f64::from(release.rows_suppressed()),
                    number("rows_suppressed"),
                    "{case}"
                );
                assert_eq!(release.classes() as f64, number("classes"), "{case}");
                assert_eq!(
                    f64::from(release.smallest_class()),
                    number("smallest_class"),
                    "{case}"
                );
            }
        }
        assert_eq!(
            table.lattice().nodes() as f64,
            number("lattice_nodes"),
            "{case}"
        );
        answers += 1;
    }
    assert_eq!(answers, 218);
    println!("{most_work} units of work at most");
}
