//! Missing cells: where the core once came to two answers, and where nothing is left.

use incrowd_core::algorithms::{Algorithm, Optimal};
use incrowd_core::lattice::Level;
use incrowd_core::problem::{Interruption, Progress, Unwatched, Watch};
use incrowd_core::publish::{PublishedRows, SuppressedRows, publish, publish_watched};
use incrowd_core::utility::METRICS;
use incrowd_testkit::bridge::assess;
use incrowd_testkit::oracle::{Distance, MissingPolicy, OracleMetric, Promise, Thousandths};
use incrowd_testkit::random::random_metric;
use incrowd_testkit::tiny_problem;

/// The row of `a` breaks k. Without it the rows with a missing cell would keep their shares of flu at one half; with
/// it they do not, and without them the rows of `b` are too few.
#[test]
fn where_crowds_overlap_the_search_and_the_check_suppress_the_same_rows() {
    let oracle = tiny_problem(
        "q | disease",
        "a flu
         - flu
         - cold
         b flu
         b cold",
    )
    .missing_cells(MissingPolicy::MatchAny)
    .require(Promise::KAnonymity { k: 4 })
    .require(Promise::FrequencyLDiversity {
        l: Thousandths(2000),
    })
    .allow_suppressed(5)
    .up_to(&[0]);
    let prepared = oracle.prepare().unwrap();
    let metric = prepared.metric(&OracleMetric::Height).unwrap();
    let problem = prepared.problem(&*metric);
    let proposal = Optimal.solve(&problem, &Unwatched).unwrap();
    let release = publish(&problem, &proposal).unwrap();
    assert_eq!(oracle.judge(&[0]).rows_suppressed(), 5);
    assert_eq!(release.rows_suppressed(), 5);
}

/// The rows with a missing cell stand beside `a1` and beside `a2`, and beside both together only once: merging two
/// safe crowds gives an unsafe one.
#[test]
fn where_crowds_overlap_a_safe_node_may_lie_below_an_unsafe_one() {
    let mut oracle = tiny_problem(
        "q | disease",
        "a1 flu
         a1 flu
         a2 flu
         a2 flu
         b1 gout
         b1 ague
         -  cold
         -  mumps",
    )
    .with_hierarchy("q", "a1 a *\n a2 a *\n b1 b *")
    .missing_cells(MissingPolicy::MatchAny)
    .require(Promise::FrequencyLDiversity {
        l: Thousandths(2000),
    });
    let missing = ["", "", "*"].map(str::to_owned);
    oracle.quasi_identifiers[0].1.push(missing.to_vec());
    let suppressed = [0, 1, 2].map(|level| oracle.judge(&[level]).rows_suppressed());
    assert!(suppressed[0] == 0 && suppressed[1] > 0 && suppressed[2] == 0);
    let prepared = oracle.prepare().unwrap();
    let metric = prepared.metric(&OracleMetric::Height).unwrap();
    let problem = prepared.problem(&*metric);
    let proposal = Optimal.solve(&problem, &Unwatched).unwrap();
    let release = publish(&problem, &proposal).unwrap();
    assert_eq!(release.levels().unwrap(), [("q", Level(0))]);
}

#[test]
fn a_token_for_missing_cells_is_no_value_even_where_the_hierarchy_lists_it() {
    let mut oracle = tiny_problem("q", "a\n?\n-\na").with_hierarchy("q", "a *\n? *");
    oracle.quasi_identifiers[0]
        .1
        .push(vec![String::new(), "*".into()]);
    oracle.missing_tokens = vec!["?".into()];
    let prepared = oracle.prepare().unwrap();
    let metric = prepared.metric(&OracleMetric::Height).unwrap();
    let problem = prepared.problem(&*metric);
    let proposal = Optimal.solve(&problem, &Unwatched).unwrap();
    let release = publish(&problem, &proposal).unwrap();
    assert_eq!(release.classes(), 2);
    let columns = &oracle.table.columns;
    let mut recoder = release.recoder(columns, &[], SuppressedRows::Drop).unwrap();
    let mut published = PublishedRows::default();
    recoder
        .recode(&oracle.table.batch(0..4), &mut published)
        .unwrap();
    let cells: Vec<&[u8]> = (0..4).map(|row| published.rows().cell(row, 0)).collect();
    assert_eq!(cells, [b"a" as &[u8], b"", b"", b"a"]);
    release.confirm(recoder.tally()).unwrap();
}

#[test]
fn a_table_without_rows_has_a_release_that_costs_nothing_unheard_of() {
    let header_only = tiny_problem("q | disease", "").with_hierarchy("q", "a *");
    let all_excluded = tiny_problem("q | disease", "- flu\n- cold")
        .with_hierarchy("q", "a *")
        .missing_cells(MissingPolicy::ExcludeRow);
    for mut oracle in [header_only, all_excluded] {
        oracle.quasi_identifiers[0]
            .1
            .push(vec![String::new(), "*".into()]);
        oracle.target = Some("disease".into());
        let oracle = oracle
            .require(Promise::KAnonymity { k: 2 })
            .require(Promise::TCloseness {
                t: Thousandths(200),
                distance: Distance::Equal,
            });
        let prepared = oracle.prepare().unwrap();
        for entry in METRICS {
            let rng = &mut fastrand::Rng::with_seed(1);
            let metric = random_metric(entry.name, &oracle, rng).unwrap();
            let metric = prepared.metric(&metric).unwrap();
            let problem = prepared.problem(&*metric);
            let proposal = Optimal.solve(&problem, &Unwatched).unwrap();
            let release = publish(&problem, &proposal).unwrap();
            let counted = (release.rows_published(), release.rows_suppressed());
            assert_eq!((counted, release.classes()), ((0, 0), 0));
            let loss = assess(&problem, release.node().unwrap()).loss.unwrap();
            assert!(loss.0.is_finite() && loss.0 >= 0.0, "{}", entry.name);
        }
    }
}

/// Who knows that somebody has `a` looks among the rows of `x`, and there are two of them: no row of `y` can be `a`.
#[test]
fn a_missing_cell_published_together_with_other_values_matches_only_them() {
    let mut oracle = tiny_problem("q | disease", "a flu\n - flu\n b flu\n b cold\n b cold")
        .with_hierarchy("q", "a x *\n b y *")
        .missing_cells(MissingPolicy::MatchAny)
        .require(Promise::KAnonymity { k: 3 });
    let missing = ["", "x", "*"].map(str::to_owned);
    oracle.quasi_identifiers[0].1.push(missing.to_vec());
    let prepared = oracle.prepare().unwrap();
    let metric = prepared.metric(&OracleMetric::Height).unwrap();
    let problem = prepared.problem(&*metric);
    let suppressed = [0, 1, 2].map(|level| {
        let node = incrowd_core::lattice::Node::from_levels([level]);
        assess(&problem, &node).rows_suppressed
    });
    assert_eq!(suppressed, [1, 2, 0]);
    assert!(!problem.pruning_is_sound());
    for algorithm in incrowd_core::algorithms::ALGORITHMS {
        let Ok(proposal) = algorithm.solve(&problem, &Unwatched) else {
            continue; // it refuses cells that match any value
        };
        let release = publish(&problem, &proposal).unwrap();
        assert_eq!(release.texts(0), ["*"], "{}", algorithm.entry().name);
    }
}

/// Counts the work it sees and stops nothing.
#[derive(Default)]
struct WorkSeen(std::sync::atomic::AtomicU64);

impl Watch for WorkSeen {
    fn step(&self, progress: Progress) -> Result<(), Interruption> {
        self.0
            .store(progress.work, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    }

    fn look_every(&self) -> u64 {
        1
    }
}

/// Every row is a class of its own, and every fourth has a missing cell: pairs of classes grow with the square.
#[test]
fn where_crowds_overlap_the_work_grows_with_the_classes_and_not_with_their_pairs() {
    let work = |rows: usize| {
        let mut text = String::new();
        for row in 0..rows {
            match row % 4 {
                0 => text.push_str(&format!("- b{row} flu\n")),
                1 => text.push_str(&format!("a{row} - cold\n")),
                other => text.push_str(&format!("a{row} b{other} flu\n")),
            }
        }
        let oracle = tiny_problem("a b | disease", &text)
            .missing_cells(MissingPolicy::MatchAny)
            .require(Promise::KAnonymity { k: 2 })
            .require(Promise::DistinctLDiversity { l: 2 })
            .allow_suppressed(rows)
            .up_to(&[0, 0]);
        let prepared = oracle.prepare().unwrap();
        let metric = prepared.metric(&OracleMetric::Height).unwrap();
        let problem = prepared.problem(&*metric);
        let [searched, checked] = [WorkSeen::default(), WorkSeen::default()];
        let proposal = Optimal.solve(&problem, &searched).unwrap();
        publish_watched(&problem, &proposal, &checked).unwrap();
        [searched, checked].map(|seen| seen.0.into_inner() as f64)
    };
    let (few, many) = (work(500), work(2000));
    for (few, many) in few.into_iter().zip(many) {
        assert!(
            few > 0.0 && many / few < 5.0,
            "four times the classes took {} times the work",
            many / few
        );
    }
}
