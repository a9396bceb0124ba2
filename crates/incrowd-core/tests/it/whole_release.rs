//! Promises about all published classes together, against every row by definition.

use fastrand::Rng;
use incrowd_core::Error;
use incrowd_core::algorithms::partition::{PartitionSettings, Scheme};
use incrowd_core::algorithms::{ALGORITHMS, Algorithm, MuArgus, Partition};
use incrowd_core::counts::CountedTable;
use incrowd_core::lattice::Node;
use incrowd_core::negotiate::{Negotiator, Request};
use incrowd_core::privacy::{AverageRisk, KAnonymity, PrivacyModel, ReleaseView, SampleUniqueness};
use incrowd_core::problem::{Guarantee, Problem, Proposal, Unwatched};
use incrowd_core::publish::{PublishedRows, Release, SuppressedRows, publish, verify};
use incrowd_core::recode::ColumnRecoding;
use incrowd_core::utility::MetricSpec;
use incrowd_testkit::oracle::{MissingPolicy, OracleMetric, OracleProblem, Promise, Thousandths};
use incrowd_testkit::random::{partition_problem, random_model, random_problem};
use incrowd_testkit::tiny_problem;
use std::collections::BTreeMap;

const NAMES: [&str; 2] = ["average-risk", "sample-uniqueness"];

/// A random problem with a promise about the whole release, alone or with others, and rows that may be suppressed.
fn asked(mut oracle: OracleProblem, seed: u64) -> OracleProblem {
    let rng = &mut Rng::with_seed(!seed);
    if rng.bool() {
        oracle.models.clear();
    }
    let model = random_model(NAMES[rng.usize(0..2)], &oracle, rng);
    oracle.models.extend(model);
    oracle.max_suppressed = match rng.u8(0..3) {
        0 => 0,
        1 => rng.usize(0..=oracle.table.rows.len() / 3),
        _ => oracle.table.rows.len(),
    };
    oracle
}

/// The quasi-identifiers of the published rows.
fn looks_of(release: &Release<'_>, oracle: &OracleProblem) -> (Vec<Vec<String>>, Vec<Vec<String>>) {
    let recoder = release.recoder(&oracle.table.columns, &[], SuppressedRows::Drop);
    let (mut recoder, mut rows) = (recoder.unwrap(), PublishedRows::default());
    let all = oracle.table.batch(0..oracle.table.rows.len());
    recoder.recode(&all, &mut rows).unwrap();
    let rows = rows.rows();
    let text = |row, column| String::from_utf8(rows.cell(row, column).to_vec()).unwrap();
    let columns = 0..rows.columns();
    let rows: Vec<Vec<String>> = (0..rows.rows())
        .map(|row| columns.clone().map(|column| text(row, column)).collect())
        .collect();
    let positions: Vec<usize> = (oracle.quasi_identifiers.iter())
        .map(|(column, _)| oracle.table.position(column))
        .collect();
    let look = |row: &Vec<String>| positions.iter().map(|&at| row[at].clone()).collect();
    let looks = rows.iter().map(look).collect();
    (rows, looks)
}

/// What a promise comes to: the mean over rows of 1 / the rows that look like it, or the share of rows like no other.
fn reached(looks: &[Vec<String>], promise: &Promise) -> Option<f64> {
    let alike = |row| looks.iter().filter(|other| *other == row).count();
    let of_row = |row| match (promise, alike(row)) {
        (Promise::AverageRisk { .. }, alike) => 1.0 / alike as f64,
        (_, alike) => f64::from(u8::from(alike == 1)),
    };
    let sum: f64 = looks.iter().map(of_row).sum();
    (!looks.is_empty()).then(|| sum / looks.len() as f64)
}

#[test]
fn every_algorithm_keeps_promises_about_the_whole_release() {
    let mut released: BTreeMap<&str, usize> = BTreeMap::new();
    // How often another answer had to be found than without the promise.
    let mut decided: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..300 {
        let oracle = asked(random_problem(seed), seed);
        let mut without = oracle.clone();
        without.models.retain(|it| !it.promise.is_about_release());
        let (prepared, unpromised) = (oracle.prepare().unwrap(), without.prepare().unwrap());
        for algorithm in ALGORITHMS {
            let name = algorithm.entry().name;
            let metric = MetricSpec::named(algorithm.default_metric()).unwrap();
            let metric = metric.build(&prepared.table).unwrap();
            let problem = prepared.problem(&*metric);
            let specs: Vec<String> = oracle.models.iter().map(|it| it.spec()).collect();
            let case = format!("seed {seed}, {name}, {}", specs.join(" & "));
            let Ok(proposal) = algorithm.solve(&problem, &Unwatched) else {
                continue;
            };
            let release = publish(&problem, &proposal).expect(&case);
            let (rows, looks) = looks_of(&release, &oracle);
            assert!(oracle.holds_of_all(&looks), "{case}: {looks:?}");
            let (file, original) = oracle.counted_alike(rows).unwrap();
            // Missing cells that match any value are not what this is about.
            let is_comparable = oracle.missing != MissingPolicy::MatchAny;
            let verified = verify(&file, &original.models);
            assert!(verified.is_safe() || !is_comparable, "{case}");
            let models = oracle.models.iter();
            for model in models.filter(|model| model.promise.is_about_release()) {
                let mut names = prepared.models.iter().map(|it| it.name());
                let at = names.position(|it| it == model.promise.name()).unwrap();
                let told = &release.reached()[at];
                let expected = reached(&looks, &model.promise);
                let is_close = match (told.worst, expected) {
                    (Some(told), Some(expected)) => (told - expected).abs() < 1e-9,
                    (told, expected) => told == expected,
                };
                assert!(is_close && told.holds, "{case}: {told:?}, {expected:?}");
            }
            *released.entry(name).or_default() += 1;
            let other = algorithm.solve(&unpromised.problem(&*metric), &Unwatched);
            let is_other = other.is_ok_and(|other| other.recoding != proposal.recoding);
            *decided.entry(name).or_default() += usize::from(is_other);
        }
    }
    assert_eq!(released.len(), ALGORITHMS.len(), "{released:?}");
    assert!(released.values().all(|&it| it >= 10), "{released:?}");
    assert!(decided.values().all(|&it| it >= 2), "{decided:?}");
}

#[test]
fn partitions_claim_no_more_than_exhaustive_search_finds() {
    let (mut optimal, mut bounded, mut beaten, mut missed) = (0, 0, 0, 0);
    for seed in 0..600 {
        let oracle = asked(partition_problem(seed), seed);
        let case = format!("seed {seed}");
        let metric = OracleMetric::Discernibility;
        let schemes: Vec<&str> = oracle.quasi_identifiers.iter().map(|_| "ops").collect();
        let least = oracle.least_cost_of_partitions(&metric, &schemes);
        let prepared = oracle.prepare().unwrap();
        let built = prepared.metric(&metric).unwrap();
        let mut problem = prepared.problem(&*built);
        problem.settings.own = PartitionSettings {
            scheme: Some(Scheme::Ops),
            ..PartitionSettings::default()
        }
        .given();
        match (Partition.solve(&problem, &Unwatched), least) {
            (Ok(proposal), Some(least)) => {
                let loss = publish(&problem, &proposal).expect(&case).loss(&*built).0;
                match proposal.guarantee {
                    Guarantee::Optimal => {
                        assert_eq!(loss, least, "{case}");
                        optimal += 1;
                    }
                    Guarantee::Bounded { lower_bound } => {
                        assert!(lower_bound.0 <= least && least <= loss, "{case}");
                        bounded += 1;
                        beaten += usize::from(least < loss);
                    }
                    // Nothing but the highest acceptable levels was left.
                    Guarantee::Heuristic => assert!(least <= loss, "{case}"),
                }
            }
            (Err(Error::NoSolution { .. }), None) => {}
            // The highest acceptable levels may break a promise that others keep.
            (Err(Error::NoneFound { .. }), None) => {}
            (Err(Error::NoneFound { .. }), Some(_)) => missed += 1,
            (answer, least) => panic!("{case}: {answer:?} for {least:?}"),
        }
    }
    assert!(optimal > 100 && bounded > 20, "{optimal} {bounded}");
    assert!(
        beaten > 0,
        "a second search proves nothing, and here is why"
    );
    assert!(missed <= 10, "{missed}");
}

#[test]
fn the_bounds_are_met_exactly_and_missed_by_one_row() {
    let max = |text: &str| text.parse().unwrap();
    let average = AverageRisk { max: max("0.3") };
    // Three classes of ten rows, and of nine.
    assert!(average.holds_in_release(ReleaseView::of_sizes([2, 3, 5])));
    assert!(!average.holds_in_release(ReleaseView::of_sizes([2, 3, 4])));
    assert_eq!(
        average.measure_release(ReleaseView::of_sizes([2, 3, 5])),
        Some(0.3)
    );
    assert_eq!(average.class_size_that_suffices(), 4);
    let unique = SampleUniqueness { max: max("0.1") };
    assert!(unique.holds_in_release(ReleaseView::of_sizes([1, 4, 5])));
    assert!(!unique.holds_in_release(ReleaseView::of_sizes([1, 4, 4])));
    let none = SampleUniqueness { max: max("0") };
    assert!(none.holds_in_release(ReleaseView::of_sizes([2, 2])));
    assert!(!none.holds_in_release(ReleaseView::of_sizes([1, 2_000_000_000])));
    // As many rows as there may be.
    assert!(average.holds_in_release(ReleaseView::of_sizes([u32::MAX])));
}

#[test]
fn a_release_of_nothing_keeps_every_promise() {
    let oracle = tiny_problem("a b | s", "1 x u\n2 y u\n3 z u").allow_suppressed(3);
    let prepared = oracle.prepare().unwrap();
    let models: [Box<dyn PrivacyModel>; 3] = [
        Box::new(KAnonymity { k: 4 }),
        Box::new(AverageRisk {
            max: "0.001".parse().unwrap(),
        }),
        Box::new(SampleUniqueness {
            max: "0".parse().unwrap(),
        }),
    ];
    let metric = MetricSpec::named("discernibility").unwrap();
    let metric = metric.build(&prepared.table).unwrap();
    let problem = Problem::new(&prepared.table, &models, &*metric).allow_suppressed(3);
    for name in ["optimal", "datafly", "mondrian", "partition"] {
        let algorithm = incrowd_core::algorithms::find(name).unwrap();
        let proposal = algorithm.solve(&problem, &Unwatched).unwrap();
        let release = publish(&problem, &proposal).unwrap();
        assert_eq!(release.rows_published(), 0, "{name}");
        for reached in release.reached() {
            assert!(reached.holds && reached.worst.is_none(), "{name}");
        }
    }
}

#[test]
fn nothing_is_suppressed_for_the_sake_of_an_average() {
    // Without the two that are alone nobody would be; but no promise about classes asks for that.
    let rows = "1 x u\n2 x u\n3 y u\n3 y u\n3 y u\n3 y u";
    let oracle = tiny_problem("a b | s", rows)
        .require(Promise::SampleUniqueness {
            max: Thousandths(0),
        })
        .allow_suppressed(2);
    let prepared = oracle.prepare().unwrap();
    let metric = MetricSpec::named("discernibility").unwrap();
    let metric = metric.build(&prepared.table).unwrap();
    let problem = prepared.problem(&*metric);
    let proposal = ALGORITHMS[0].solve(&problem, &Unwatched).unwrap();
    let release = publish(&problem, &proposal).unwrap();
    assert_eq!(release.rows_suppressed(), 0);
    assert!(release.smallest_class() >= 2);
}

/// Three rows that are all alone, and a promise that nobody is.
fn all_alone() -> OracleProblem {
    tiny_problem("a b | s", "1 x u\n2 x u\n3 y u").require(Promise::SampleUniqueness {
        max: Thousandths(0),
    })
}

#[test]
fn the_check_makes_no_release_that_breaks_its_promise() {
    let prepared = all_alone().prepare().unwrap();
    let metric = MetricSpec::named("discernibility").unwrap();
    let metric = metric.build(&prepared.table).unwrap();
    let problem = prepared.problem(&*metric);
    let publish_at = |node: Node| {
        let proposal = Proposal {
            recoding: ColumnRecoding::FullDomain(node).into(),
            guarantee: Guarantee::Heuristic,
            loss: None,
            nodes_checked: 1,
            steps: Vec::new(),
        };
        publish(&problem, &proposal).map(|release| release.rows_published())
    };
    let lattice = problem.lattice();
    assert_eq!(publish_at(lattice.top().clone()), Ok(3));
    let refused = publish_at(lattice.bottom()).unwrap_err();
    assert!(matches!(refused, Error::CheckFailed { .. }), "{refused}");
}

#[test]
fn a_session_does_not_end_while_a_promise_about_the_whole_is_broken() {
    let prepared = all_alone().prepare().unwrap();
    let metric = MetricSpec::named("discernibility").unwrap();
    let metric = metric.build(&prepared.table).unwrap();
    let problem = prepared.problem(&*metric);
    let mut session = MuArgus.session(&problem).unwrap();
    assert!(!session.view().standing.holds_as_a_whole);
    let suppress = session.choice("suppress").unwrap();
    assert_eq!(
        session.choose(suppress).unwrap_err(),
        Error::ReleasePromiseBroken
    );
    let raise = session.choice("a").unwrap();
    session.choose(raise).unwrap();
    // `3 y` is still alone.
    assert_eq!(session.propose().unwrap_err(), Error::ReleasePromiseBroken);
}

#[test]
fn what_is_about_the_whole_release_is_not_negotiable() {
    let table: CountedTable = all_alone().prepare().unwrap().table;
    let model = SampleUniqueness {
        max: "0".parse().unwrap(),
    };
    let negotiator = Negotiator::lazy(table).unwrap();
    let error = negotiator.answer(&Request::new(&model), &Unwatched);
    assert_eq!(
        error.unwrap_err(),
        Error::NotNegotiable {
            model: "sample-uniqueness"
        }
    );
}
