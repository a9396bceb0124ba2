//! What a negotiation refuses, what it admits not to know, and what its offers cost.

use crate::adult;
use incrowd_core::Error;
use incrowd_core::counts::{CountedTable, Missing, MissingCells, RowCounter};
use incrowd_core::hierarchy::{self, Options};
use incrowd_core::lattice::{Level, Node};
use incrowd_core::negotiate::{
    AnnotatedLattice, Estimator, GivesWay, Negotiator, Outcome, Quality, Request,
    acceptable_levels, budget,
};
use incrowd_core::privacy::{Distance, KAnonymity, PrivacyModel, TCloseness};
use incrowd_core::problem::{
    Guarantee, Interruption, Problem, Progress, Proposal, Unwatched, Watch,
};
use incrowd_core::publish::publish;
use incrowd_core::recode::ColumnRecoding;
use incrowd_core::table::RowBatch;
use incrowd_core::utility::{Height, METRICS, MetricEntry, MetricSpec};

const THREE: [&str; 3] = ["age", "race", "workclass"];

fn three() -> CountedTable {
    adult::count(&THREE, &["hours-per-week"])
}

/// Every combination of `values` in each of `attributes`, which have levels for the raw value, halves of them and `*`.
fn grid(attributes: usize, rows: usize, missing: Missing) -> CountedTable {
    let names: Vec<String> = (0..attributes).map(|at| format!("a{at}")).collect();
    let quasi: Vec<usize> = (0..attributes).collect();
    let mut counter = RowCounter::new(&names, &quasi, &quasi[..1]);
    let mut batch = RowBatch::new(attributes);
    for row in 0..rows {
        for at in 0..attributes {
            let value = (row * (2 * at + 1) + row * row / (at + 2)) % 4;
            batch.push_cell(
                if row == 0 && at == 0 {
                    ""
                } else {
                    ["0", "1", "2", "3"][value]
                }
                .as_bytes(),
            );
        }
    }
    counter.add(&batch).unwrap();
    let text = b"0,low,*\n1,low,*\n2,high,*\n3,high,*\n,none,*\n";
    let hierarchies = names
        .iter()
        .map(|name| hierarchy::parse(text, Options::new(name)).unwrap());
    counter
        .finish(hierarchies.collect(), vec![None], missing)
        .unwrap()
}

#[test]
fn requests_that_make_no_sense_are_refused_with_a_hint() {
    let table = three();
    let negotiator = Negotiator::lazy(table.clone()).unwrap();
    let refused = negotiator.answer(&Request::new(&KAnonymity { k: 30_163 }), &Unwatched);
    let error = refused.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`k-anonymity(k=30163)` needs classes of 30163 rows, but the table has only 30162"
    );
    assert_eq!(
        error.hint(),
        "use a much smaller number: with 30162, all rows would be one class and the release would be useless"
    );

    let error = budget(-1).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the number of rows to suppress cannot be -1"
    );
    let error = acceptable_levels(&table, &[2, 1]).unwrap_err();
    assert_eq!(error.to_string(), "got 2 levels for 3 quasi-identifiers");
    for given in [-1, 3, 300] {
        let error = acceptable_levels(&table, &[2, given, 1]).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("quasi-identifier `race` has no level {given}")
        );
        assert_eq!(error.hint(), "its levels are 0 to 2");
    }
    let too_high = Node::from_levels([5, 0, 0]);
    let model = KAnonymity { k: 3 };
    let refused = negotiator.answer(&Request::new(&model).max_levels(&too_high), &Unwatched);
    assert!(matches!(
        refused,
        Err(Error::NoSuchLevel {
            height: Level(4),
            ..
        })
    ));
}

#[test]
fn lattices_that_do_not_fit_are_refused() {
    let table = three();
    let k = KAnonymity { k: 1 };
    let models: [&dyn PrivacyModel; 1] = [&k];
    let lattice = AnnotatedLattice::full(&table, &models, 1, &Unwatched).unwrap();
    let t = TCloseness::new(
        (0, &table.columns[0]),
        "0.2".parse().unwrap(),
        Distance::Equal,
    );
    let t = t.unwrap();
    let negotiator = Negotiator::annotated(table.clone(), lattice.clone(), false).unwrap();
    let refused = negotiator.answer(&Request::new(&t), &Unwatched);
    assert!(matches!(refused, Err(Error::ModelNotAnnotated { .. })));

    let other = adult::count(&["age", "race", "sex"], &[]);
    let refused = Negotiator::annotated(other.clone(), lattice, false).map(|of| of.how());
    assert_eq!(
        refused,
        Err(Error::IndexStale {
            what: "set of hierarchies"
        })
    );

    for given in [0.0, -1.0, 100.5, f64::NAN] {
        let lambda = Estimator::Lambda;
        let refused = AnnotatedLattice::partial(&table, &models, given, lambda, &Unwatched);
        assert!(matches!(refused, Err(Error::PartialShareOutOfRange { .. })));
    }

    let wide = grid(20, 50, Missing::default());
    let refused = AnnotatedLattice::full(&wide, &models, 1, &Unwatched);
    assert!(matches!(
        refused,
        Err(Error::LatticeTooLarge {
            nodes: 3_486_784_401,
            ..
        })
    ));

    let any = Missing {
        cells: MissingCells::MatchAny,
        ..Missing::default()
    };
    let crowds = grid(2, 20, any);
    assert_eq!(
        Negotiator::lazy(crowds.clone()).map(|of| of.how()),
        Err(Error::CrowdsOverlap)
    );
}

/// Says after some steps that it is enough.
struct Impatient(std::sync::atomic::AtomicU32, Interruption);

impl Watch for Impatient {
    fn step(&self, _: Progress) -> Result<(), Interruption> {
        let left = self.0.fetch_update(
            std::sync::atomic::Ordering::Relaxed,
            std::sync::atomic::Ordering::Relaxed,
            |left| left.checked_sub(1),
        );
        left.map(|_| ()).map_err(|_| self.1)
    }

    fn look_every(&self) -> u64 {
        1
    }
}

#[test]
fn the_lazy_way_says_when_it_could_not_see_everything() {
    let wide = grid(15, 300, Missing::default());
    let t = TCloseness::new(
        (0, &wide.columns[0]),
        "0.05".parse().unwrap(),
        Distance::Equal,
    );
    let t = t.unwrap();
    let negotiator = Negotiator::lazy(wide.clone()).unwrap();
    let request = Request::new(&t).max_suppressed(10);
    let impatient = |interruption| Impatient(20.into(), interruption);
    let answer = negotiator
        .answer(&request, &impatient(Interruption::TimeUp))
        .unwrap();
    assert!(!answer.coverage.complete);
    assert!(answer.outcome.offers().count() > 0);
    let cancelled = negotiator.answer(&request, &impatient(Interruption::Cancelled));
    assert_eq!(cancelled, Err(Error::Cancelled));

    let models: [&dyn PrivacyModel; 1] = [&KAnonymity { k: 1 }];
    let small = three();
    for (interruption, error) in [
        (Interruption::Cancelled, Error::Cancelled),
        (Interruption::TimeUp, Error::TimeUp { nodes_checked: 20 }),
    ] {
        // Asked before the nodes that differ in the level of one attribute are annotated, here four at a time.
        let watch = Impatient(5.into(), interruption);
        let stopped = AnnotatedLattice::full(&small, &models, 1, &watch);
        assert_eq!(stopped, Err(error));
    }
}

#[test]
fn a_billion_nodes_are_searched_exactly_for_models_that_allow_it() {
    let wide = grid(20, 400, Missing::default());
    let negotiator = Negotiator::lazy(wide.clone()).unwrap();
    let k = KAnonymity { k: 40 };
    let answer = negotiator
        .answer(&Request::new(&k).max_suppressed(4), &Unwatched)
        .unwrap();
    assert!(answer.coverage.complete);
    assert_eq!(answer.coverage.nodes, 3_486_784_401);
    let Outcome::Exact(offer) = answer.outcome else {
        panic!("the top node is acceptable");
    };
    assert!(offer.node.height() < 40);
}

#[test]
fn an_offer_costs_what_its_release_shows() {
    let table = three();
    let negotiator = Negotiator::lazy(table.clone()).unwrap();
    let max_levels = Node::from_levels([2, 1, 1]);
    let model = KAnonymity { k: 10 };
    let request = Request::new(&model)
        .max_suppressed(32)
        .max_levels(&max_levels);
    let answer = negotiator.answer(&request, &Unwatched).unwrap();
    let offers: Vec<_> = answer.outcome.offers().collect();
    assert_eq!(
        offers[0].gives_way,
        GivesWay::Suppression { rows_beyond: 23 }
    );
    let beyond = vec![1, 0, 0];
    assert_eq!(
        offers[1].gives_way,
        GivesWay::Levels {
            steps_beyond: beyond
        }
    );
    assert_eq!(offers[2].gives_way, GivesWay::Privacy { asked: 10.into() });
    let metrics = METRICS
        .iter()
        .filter(|entry| (entry.kind.applies)(&table, false));
    let build = |entry: &MetricEntry| MetricSpec::named(entry.name)?.build(&table);
    let metrics: Vec<_> = metrics.map(|entry| build(entry).unwrap()).collect();
    for offer in offers {
        let price = negotiator.price(&model, offer, &metrics).unwrap();
        let models = [model.with_parameter(offer.parameter).unwrap()];
        let problem = Problem::new(&table, &models, &Height)
            .allow_suppressed(offer.rows_suppressed)
            .limit_memory(0)
            .limit_levels(offer.node.clone())
            .expect("levels of the table");
        let proposal = Proposal {
            recoding: ColumnRecoding::FullDomain(offer.node.clone()).into(),
            guarantee: Guarantee::Heuristic,
            loss: None,
            nodes_checked: 0,
            steps: Vec::new(),
        };
        let release = publish(&problem, &proposal).unwrap();
        assert_eq!(release.rows_suppressed(), offer.rows_suppressed);
        assert_eq!(release.classes(), price.classes);
        assert_eq!(release.smallest_class(), price.smallest_class);
        let rows = f64::from(release.rows_published());
        assert_eq!(rows / price.classes as f64, price.average_class);
        let height = price.metrics.iter().find(|(name, _)| *name == "height");
        assert_eq!(height.unwrap().1.0, f64::from(offer.node.height()));
        assert!(price.metrics.iter().any(|(name, _)| *name == "loss"));
    }
}

#[test]
fn any_metric_can_be_the_quality() {
    let table = three();
    let full = AnnotatedLattice::full(&table, &[&KAnonymity { k: 1 }], 1, &Unwatched).unwrap();
    let full = Negotiator::annotated(table.clone(), full, false).unwrap();
    let lazy = Negotiator::lazy(table.clone()).unwrap();
    let model = KAnonymity { k: 10 };
    for name in ["loss", "discernibility", "precision", "non-uniform-entropy"] {
        let metric = MetricSpec::named(name).unwrap().build(&table).unwrap();
        let quality = Quality::Metric(&*metric);
        let request = Request::new(&model).max_suppressed(321).quality(quality);
        let answers = [&full, &lazy].map(|of| of.answer(&request, &Unwatched).unwrap().outcome);
        assert_eq!(answers[0], answers[1], "{name}");
        assert!(matches!(answers[0], Outcome::Exact(_)));
    }
}
