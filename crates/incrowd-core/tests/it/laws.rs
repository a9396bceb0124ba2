//! What must be true of every model, metric and algorithm, checked on random problems against brute force.
//!
//! New entries of the registries are covered on arrival; a model or metric that the oracle does not know fails here
//! until it is told. `INCROWD_LAWS=20` checks twenty times as many problems.

use fastrand::Rng;
use incrowd_core::Error;
use incrowd_core::algorithms::{ALGORITHMS, Algorithm};
use incrowd_core::counts::{CountedTable, FrequencySet, KnownSets, MissingCells, Scratch, roll_up};
use incrowd_core::lattice::Node;
use incrowd_core::privacy::MODELS;
use incrowd_core::problem::{
    Assessment, Assessor, Guarantee, Interruption, Problem, Progress, Proposal, Unwatched, Watch,
};
use incrowd_core::publish::{
    PublishedRows, Release, SuppressedRows, Tally, compare_with_original, publish, verify,
};
use incrowd_core::table::RowBatch;
use incrowd_core::utility::{Known, Loss, METRICS};
use incrowd_testkit::bridge::{assess, classes_at};
use incrowd_testkit::oracle::{
    BruteForce, Judged, MissingPolicy, OracleMetric, OracleProblem, almost_equal,
};
use incrowd_testkit::random::{random_metric, random_model, random_problem, wide_problem};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// So many seeds, or as many times more as the environment asks for.
fn seeds(count: u64) -> std::ops::Range<u64> {
    let times = std::env::var("INCROWD_LAWS").ok();
    0..count * times.and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// Random problems, so many for each model, alone or together with others. The text says which one it is.
fn for_every_model(count: u64, mut law: impl FnMut(&OracleProblem, &str, &mut Rng)) {
    for (at, entry) in MODELS.iter().enumerate() {
        for seed in seeds(count) {
            let seed = seed * MODELS.len() as u64 + at as u64;
            let rng = &mut Rng::with_seed(!seed);
            let mut problem = random_problem(seed);
            let model = random_model(entry.name, &problem, rng);
            if rng.u8(0..3) > 0 {
                problem.models.clear();
            }
            problem.models.extend(model);
            let models: Vec<String> = problem.models.iter().map(|model| model.spec()).collect();
            let case = format!("seed {seed}, {}", models.join(" & "));
            law(&problem, &case, rng);
        }
    }
}

fn node_of(levels: &[u8]) -> Node {
    Node::from_levels(levels.iter().copied())
}

fn levels_of(proposal: &Proposal) -> Vec<u8> {
    let node = proposal.recoding.node().expect("a full-domain recoding");
    node.levels().collect()
}

/// The best node when every node of the lattice is assessed by itself.
fn best_of_all(problem: &Problem<'_>, brute_force: &BruteForce, case: &str) -> Option<Vec<u8>> {
    let walk = problem.lattice().walk();
    assert!(
        walk.iter()
            .map(|node| node.levels().collect::<Vec<u8>>())
            .eq(brute_force.nodes.iter().map(|node| node.levels.clone())),
        "{case}: nodes in lattice order"
    );
    let mut best: Option<(Loss, Node)> = None;
    for (node, expected) in walk.into_iter().zip(&brute_force.nodes) {
        let assessment = assess(problem, &node);
        assert_eq!(
            assessment.rows_suppressed as usize, expected.rows_suppressed,
            "{case}: rows suppressed at {node:?}"
        );
        assert_eq!(assessment.loss.is_some(), expected.is_feasible, "{case}");
        if let Some(loss) = assessment.loss {
            assert!(
                almost_equal(loss.0, expected.loss),
                "{case}: at {node:?} {} is not {}",
                loss.0,
                expected.loss
            );
            best = best.into_iter().chain([(loss, node)]).min();
        }
    }
    best.map(|(_, node)| node.levels().collect())
}

/// Algorithms that follow one path up the lattice: where safety does not survive merging they may pass a solution by,
/// but they give up only at the highest acceptable levels.
const FOLLOW_ONE_PATH: [&str; 4] = ["datafly", "mu-argus", "bottom-up", "top-down"];

/// Checks that an algorithm may say there is no solution, or that it found none.
fn check_no_solution(error: &Error, oracle: &BruteForce, case: &str) {
    match error {
        Error::NoSolution { .. } => {
            assert_eq!(oracle.least_loss, None, "{case}: there is a solution");
        }
        Error::NoneFound { algorithm, .. } => {
            assert!(FOLLOW_ONE_PATH.contains(algorithm), "{case}");
            let top = oracle.nodes.last().expect("there is a top node");
            assert!(!top.is_feasible, "{case}: the top node is a solution");
        }
        error => panic!("{case}: {error}"),
    }
}

/// Checks what an algorithm says against what every node is known to be.
fn check_answer(
    algorithm: &dyn Algorithm,
    problem: &Problem<'_>,
    (brute_force, best): (&BruteForce, &Option<Vec<u8>>),
    case: &str,
) {
    let answer = algorithm.solve(problem, &Unwatched);
    assert_eq!(
        answer,
        algorithm.solve(problem, &Unwatched),
        "{case}: twice"
    );
    let forgetful = Problem {
        memory_limit: 0,
        ..problem.clone()
    };
    match (&answer, algorithm.solve(&forgetful, &Unwatched)) {
        (Ok(one), Ok(other)) if one.recoding.node().is_none() => {
            // Of equally good partitions another one may be found.
            let loss = |proposal: &Proposal| {
                let assessed =
                    Assessor::new(problem).assess_recoding(proposal.recoding.by_columns().unwrap());
                assessed.loss.expect(case).0
            };
            assert!(almost_equal(loss(one), loss(&other)), "{case}: no memory");
        }
        (Ok(one), Ok(other)) => assert_eq!(
            one.recoding.node(),
            other.recoding.node(),
            "{case}: no memory"
        ),
        (one, other) => assert_eq!(*one, other, "{case}: no memory"),
    }
    match answer {
        Ok(proposal) if proposal.recoding.node().is_none() => {
            // What lies between the nodes of the lattice is for the check to judge, and for oracles of its own.
            publish(problem, &proposal).expect(case);
            let assessed =
                Assessor::new(problem).assess_recoding(proposal.recoding.by_columns().unwrap());
            let claimed = proposal.loss.or(assessed.loss);
            assert_eq!(claimed, assessed.loss, "{case}: the loss claimed");
            let is_proven = proposal.guarantee != Guarantee::Heuristic;
            assert!(!is_proven || proposal.loss.is_some(), "{case}");
        }
        Ok(proposal) => {
            let levels = levels_of(&proposal);
            let node = brute_force.nodes.iter().find(|node| node.levels == levels);
            assert!(
                node.is_some_and(|node| node.is_feasible),
                "{case}: feasible"
            );
            let nodes = problem.lattice().nodes();
            let checked = u128::from(proposal.nodes_checked);
            assert!(checked <= nodes, "{case}: {checked} of {nodes} nodes");
            if let (Some(claimed), Some(node)) = (proposal.loss, node) {
                assert!(almost_equal(claimed.0, node.loss), "{case}: {claimed:?}");
            }
            if proposal.guarantee == Guarantee::Optimal {
                assert!(proposal.loss.is_some(), "{case}: an optimum has a loss");
                assert!(brute_force.optima.contains(&levels), "{case}: {levels:?}");
                assert_eq!(Some(levels), *best, "{case}: ties go by lattice order");
            }
        }
        Err(error) => {
            let top = brute_force.nodes.last().expect("there is a top node");
            if is_refused(problem, &error) {
                return;
            }
            check_no_solution(&error, brute_force, case);
            let (Error::NoSolution {
                max_suppressed,
                rows_suppressed_at_limit,
                ..
            }
            | Error::NoneFound {
                max_suppressed,
                rows_suppressed_at_limit,
                ..
            }) = error
            else {
                unreachable!("just checked");
            };
            let expected = (problem.max_suppressed, top.rows_suppressed as u32);
            assert_eq!(
                (max_suppressed, rows_suppressed_at_limit),
                expected,
                "{case}"
            );
        }
    }
}

/// Whether a problem is one that the algorithm rightly says it is not for.
fn is_refused(problem: &Problem<'_>, error: &Error) -> bool {
    let table = problem.table;
    match error {
        Error::OneTargetNeeded { given, .. } => {
            *given == problem.settings.targets.len() && *given != 1
        }
        Error::PartitionMetric { .. } => problem.metric.by_row().is_none(),
        Error::MatchAnyRefused { .. } => {
            let mut attributes = table.attributes.iter();
            table.missing.cells == MissingCells::MatchAny
                && attributes.any(|attribute| attribute.missing.is_some())
        }
        _ => false,
    }
}

#[test]
fn the_optimum_equals_brute_force_for_every_model_and_metric() {
    for_every_model(80, |oracle, case, rng| {
        let prepared = oracle.prepare().expect(case);
        let judged = oracle.judge_all();
        for entry in METRICS {
            let Some(metric) = random_metric(entry.name, oracle, rng) else {
                continue;
            };
            let case = format!("{case}, {}", metric.spec());
            let built = prepared.metric(&metric).expect(&case);
            let problem = prepared.problem(&*built);
            let brute_force = BruteForce::over(&judged, &metric);
            let best = best_of_all(&problem, &brute_force, &case);
            for algorithm in ALGORITHMS {
                let case = format!("{case}, {}", algorithm.card().name);
                check_answer(*algorithm, &problem, (&brute_force, &best), &case);
            }
        }
    });
}

#[test]
fn keys_of_more_than_64_bits_give_the_same_optimum() {
    for seed in seeds(12) {
        let mut wide = wide_problem(seed);
        let mut narrow = wide.clone();
        for (column, ways_up) in &mut narrow.quasi_identifiers {
            let position = wide.table.position(column);
            let rows = 0..wide.table.rows.len();
            ways_up.retain(|way| rows.clone().any(|row| wide.cell(row, position) == way[0]));
        }
        wide.max_suppressed = wide.table.rows.len() / 2;
        narrow.max_suppressed = wide.max_suppressed;
        let (wide_table, narrow_table) = (wide.prepare().unwrap(), narrow.prepare().unwrap());
        assert!(wide_table.table.layout.words() > 1 && narrow_table.table.layout.words() == 1);
        let (judged, narrow_judged) = (wide.judge_all(), narrow.judge_all());
        for entry in METRICS {
            let rng = &mut Rng::with_seed(seed);
            let Some(metric) = random_metric(entry.name, &wide, rng) else {
                continue;
            };
            let case = format!("seed {seed}, {}", metric.spec());
            let brute_force = BruteForce::over(&judged, &metric);
            let built = wide_table.metric(&metric).unwrap();
            let problem = wide_table.problem(&*built);
            let best = best_of_all(&problem, &brute_force, &case);
            for algorithm in ALGORITHMS {
                check_answer(*algorithm, &problem, (&brute_force, &best), &case);
            }
            // What does not depend on the values listed but in no row does not depend on the width of keys.
            if !matches!(entry.name, "loss" | "ncp" | "ambiguity") {
                let built = narrow_table.metric(&metric).unwrap();
                let brute_force = BruteForce::over(&narrow_judged, &metric);
                let narrow = narrow_table.problem(&*built);
                assert_eq!(best_of_all(&narrow, &brute_force, &case), best, "{case}");
            }
        }
    }
}

/// Solves and publishes; none when there is no solution.
fn release_of<'a>(
    algorithm: &dyn Algorithm,
    problem: &Problem<'a>,
    case: &str,
) -> Option<Release<'a>> {
    let proposal = algorithm.solve(problem, &Unwatched).ok()?;
    Some(publish(problem, &proposal).expect(case))
}

/// The rows of a release, recoded in batches by clones of one recoder, and what they tallied.
fn recode(
    release: &Release<'_>,
    oracle: &OracleProblem,
    suppressed_rows: SuppressedRows,
    rng: &mut Rng,
) -> (Vec<Vec<String>>, Tally) {
    let recoder = release
        .recoder(&oracle.table.columns, &[], suppressed_rows)
        .unwrap();
    assert_eq!(recoder.names(), oracle.table.columns);
    let (mut rows, mut tally) = (Vec::new(), Tally::default());
    let mut start = 0;
    while start < oracle.table.rows.len() {
        let end = rng.usize(start + 1..=oracle.table.rows.len());
        let mut published = PublishedRows::default();
        let mut recoder = recoder.clone();
        recoder
            .recode(&oracle.table.batch(start..end), &mut published)
            .unwrap();
        tally.add(recoder.tally());
        rows.extend(texts(published.rows()));
        start = end;
    }
    (rows, tally)
}

fn texts(batch: &RowBatch) -> Vec<Vec<String>> {
    let text = |row, column| String::from_utf8(batch.cell(row, column).to_vec()).unwrap();
    (0..batch.rows())
        .map(|row| {
            (0..batch.columns())
                .map(|column| text(row, column))
                .collect()
        })
        .collect()
}

/// Whether a row that is published is suppressed, being `*` in every column.
fn is_starred(row: &[String]) -> bool {
    row.iter().all(|cell| cell == "*")
}

#[test]
fn a_release_publishes_ancestors_of_every_row_or_says_it_is_suppressed() {
    for_every_model(60, |oracle, case, rng| {
        let prepared = oracle.prepare().expect(case);
        let metric = any_metric(oracle, rng);
        let built = prepared.metric(&metric).unwrap();
        let problem = prepared.problem(&*built);
        for algorithm in ALGORITHMS {
            let Some(release) = release_of(*algorithm, &problem, case) else {
                continue;
            };
            let (starred, tally) = recode(&release, oracle, SuppressedRows::Star, rng);
            release.confirm(&tally).expect(case);
            let (published, tally) = recode(&release, oracle, SuppressedRows::Drop, rng);
            release.confirm(&tally).expect(case);

            let rows = oracle.rows();
            assert_eq!(starred.len(), rows.len(), "{case}: rows counted");
            for (&row, published) in rows.iter().zip(&starred) {
                if is_starred(published) {
                    continue;
                }
                let mut expected = oracle.table.rows[row].clone();
                for (at, (column, ways_up)) in oracle.quasi_identifiers.iter().enumerate() {
                    let position = oracle.table.position(column);
                    let raw = oracle.cell(row, position);
                    let way_up = ways_up.iter().find(|way| way[0] == raw).unwrap();
                    let published = &published[position];
                    expected[position].clone_from(match release.node() {
                        Some(node) => &way_up[node.level(at) as usize],
                        // A set stands for a group whose label would be read as another.
                        None if published.starts_with(['{', '[']) => published,
                        None => way_up.iter().find(|it| *it == published).expect(case),
                    });
                }
                assert_eq!(*published, expected, "{case}: row {row}");
            }
            let kept = starred.iter().filter(|row| !is_starred(row));
            assert!(
                kept.clone().eq(&published),
                "{case}: dropped or starred, others stay"
            );

            assert_eq!(published.len(), release.rows_published() as usize, "{case}");
            let accounted =
                release.rows_published() + release.rows_suppressed() + prepared.table.rows_excluded;
            assert_eq!(accounted as usize, oracle.table.rows.len(), "{case}");
            assert!(release.rows_suppressed() as usize <= oracle.max_suppressed);
            recount(oracle, &published, &release, case);
        }
    });
}

fn any_metric(oracle: &OracleProblem, rng: &mut Rng) -> OracleMetric {
    loop {
        let entry = &METRICS[rng.usize(0..METRICS.len())];
        if let Some(metric) = random_metric(entry.name, oracle, rng) {
            return metric;
        }
    }
}

/// Judges published rows by nothing but their texts: every crowd keeps every promise, and the numbers reported
/// are right.
fn recount(oracle: &OracleProblem, published: &[Vec<String>], release: &Release<'_>, case: &str) {
    let positions: Vec<usize> = (oracle.quasi_identifiers.iter())
        .map(|(column, _)| oracle.table.position(column))
        .collect();
    let matches_any = oracle.missing == MissingPolicy::MatchAny;
    let alike = |one: &[String], other: &[String]| {
        positions.iter().all(|&at| {
            let is_missing = one[at].is_empty() || other[at].is_empty();
            one[at] == other[at] || matches_any && is_missing
        })
    };
    let value = |row: &[String], at: usize| match oracle.missing_tokens.contains(&row[at]) {
        true => String::new(),
        false => row[at].clone(),
    };
    for row in published {
        let crowd: Vec<&Vec<String>> = published.iter().filter(|other| alike(row, other)).collect();
        for model in &oracle.models {
            let columns = oracle.sensitive.iter().filter(|(column, _)| {
                model.column.is_none() || model.column.as_ref() == Some(column)
            });
            for (column, hierarchy) in columns {
                let position = oracle.table.position(column);
                let of_class: Vec<String> = crowd.iter().map(|row| value(row, position)).collect();
                let of_class: Vec<&str> = of_class.iter().map(String::as_str).collect();
                let of_table = oracle.values(&oracle.rows(), column);
                assert!(
                    model
                        .promise
                        .holds(&of_class, &of_table, hierarchy.as_ref()),
                    "{case}: {} is broken",
                    model.spec()
                );
            }
            if oracle.sensitive.is_empty() {
                let size = vec![""; crowd.len()];
                assert!(model.promise.holds(&size, &size, None), "{case}");
            }
        }
    }
    let mut sizes: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    for row in published {
        let look = positions.iter().map(|&at| row[at].as_str()).collect();
        *sizes.entry(look).or_default() += 1;
    }
    assert_eq!(release.classes(), sizes.len(), "{case}: classes");
    let smallest = sizes.values().copied().min().unwrap_or(0);
    assert_eq!(release.smallest_class() as usize, smallest, "{case}");
    assert!(
        release.reached().iter().all(|reached| reached.holds),
        "{case}"
    );
}

#[test]
fn a_release_verifies_and_stands_up_to_its_original() {
    for_every_model(40, |oracle, case, rng| {
        let prepared = oracle.prepare().expect(case);
        let metric = any_metric(oracle, rng);
        let built = prepared.metric(&metric).unwrap();
        let problem = prepared.problem(&*built);
        let Some(release) = release_of(ALGORITHMS[0], &problem, case) else {
            return;
        };
        for suppressed_rows in [SuppressedRows::Drop, SuppressedRows::Star] {
            let (mut published, _) = recode(&release, oracle, suppressed_rows, rng);
            published.retain(|row| !is_starred(row));
            if published.len() < release.rows_published() as usize {
                continue; // nothing but quasi-identifiers, published at the top
            }
            let (mut file, original) = oracle.counted_alike(published.clone()).expect(case);
            let verification = verify(&file, &original.models);
            assert!(verification.is_safe(), "{case}: {verification:?}");
            let counted = (verification.rows, verification.classes);
            let expected = (release.rows_published(), release.classes());
            assert_eq!(counted, expected, "{case}, {suppressed_rows:?}");
            assert_eq!(verification.smallest_class, release.smallest_class());
            let compared = compare_with_original(&file, &original.table);
            assert_eq!(compared.violations, [], "{case}, {suppressed_rows:?}");
            let gone = release.rows_suppressed() + original.table.rows_excluded;
            assert_eq!(compared.rows_suppressed, gone, "{case}");

            // One row more than there was is noticed: every row of a published class is published.
            if let Some(row) = published.first().cloned() {
                published.push(row);
                file = oracle.counted_alike(published).expect(case).0;
                let compared = compare_with_original(&file, &original.table);
                assert_eq!(compared.rows_invented, 1, "{case}");
            }
        }
    });
}

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
    for_every_model(10, |oracle, case, rng| {
        // Every node has a loss when everything may be suppressed.
        let oracle = oracle.clone().allow_suppressed(oracle.table.rows.len());
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
}

/// Of each class its groups, its size and the values of every column.
type Listed = BTreeMap<Vec<u32>, (u32, Vec<Vec<(u32, u32)>>)>;

fn listed(table: &CountedTable, classes: &FrequencySet) -> Listed {
    let attributes = 0..table.attributes.len();
    let class = |class: usize| {
        let groups: Vec<u32> = (attributes.clone())
            .map(|attribute| table.group(classes, class, attribute))
            .collect();
        let histograms = (0..table.columns.len())
            .map(|column| {
                let histogram = classes.histograms(column).class(class);
                let pairs = histogram.values.iter().zip(histogram.counts);
                pairs.map(|(&value, &count)| (value, count)).collect()
            })
            .collect();
        (groups, (classes.sizes()[class], histograms))
    };
    let listed: Listed = (0..classes.len()).map(class).collect();
    assert_eq!(listed.len(), classes.len(), "no class is listed twice");
    listed
}

#[test]
fn rolling_up_from_any_node_below_equals_counting_the_tuples() {
    let problems = seeds(300).map(random_problem);
    for oracle in problems.chain(seeds(20).map(wide_problem)) {
        let rng = &mut Rng::with_seed(7);
        let table = oracle.prepare().unwrap().table;
        let columns: Vec<usize> = (0..table.columns.len()).collect();
        let scratch = &mut Scratch::default();
        let top = table.lattice().top().clone();
        let mut known = KnownSets::new(&table, columns.clone(), 1 << 12);
        let (mut upper, mut counted) = (FrequencySet::default(), FrequencySet::default());
        for _ in 0..8 {
            let mut node = table.lattice().bottom();
            let mut lower = table.tuples.clone();
            while node != top {
                let levels = node.levels().zip(top.levels());
                let higher = Node::from_levels(levels.map(|(level, top)| rng.u8(level..=top)));
                let below = (&node, &lower);
                roll_up(&table, below, &higher, &columns, scratch, &mut upper);
                let direct = listed(&table, &classes_at(&table, &higher, &columns));
                assert_eq!(listed(&table, &upper), direct);
                let _ = known.count(&higher, &mut counted);
                assert_eq!(listed(&table, &counted), direct);
                let _ = known.count_and_remember(&higher);
                std::mem::swap(&mut lower, &mut upper);
                node = higher;
            }
        }
    }
}

#[test]
fn rows_counted_in_parts_and_in_any_order_give_the_same_table() {
    for seed in seeds(300) {
        let oracle = random_problem(seed);
        let rng = &mut Rng::with_seed(seed);
        let rows = oracle.table.rows.len();
        let whole = oracle.finish(oracle.count(0..rows).unwrap()).unwrap();

        let mut shuffled = oracle.clone();
        rng.shuffle(&mut shuffled.table.rows);
        let cut = rng.usize(0..=rows);
        let mut counter = shuffled.count(cut..rows).unwrap();
        counter.absorb(&shuffled.count(0..cut).unwrap()).unwrap();
        assert_eq!(counter.rows(), rows as u64);
        let parts = shuffled.finish(counter).unwrap();

        assert_eq!(whole.tuples, parts.tuples, "seed {seed}");
        assert_eq!(whole.rows, parts.rows);
        assert_eq!(whole.rows_excluded, parts.rows_excluded);
        assert_eq!(whole.rows as usize, oracle.rows().len());
        for (one, other) in whole.attributes.iter().zip(&parts.attributes) {
            assert_eq!(one.rows_of_groups, other.rows_of_groups, "seed {seed}");
        }
        for (one, other) in whole.columns.iter().zip(&parts.columns) {
            assert!(one.values.iter().eq(other.values.iter()), "seed {seed}");
            assert_eq!(one.rows_of_values, other.rows_of_values, "seed {seed}");
        }
    }
}

/// Calls time after so many steps.
struct Hourglass(AtomicU64);

impl Watch for Hourglass {
    fn step(&self, _: Progress) -> Result<(), Interruption> {
        let ran_out = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            })
            .is_err();
        if ran_out {
            Err(Interruption::TimeUp)
        } else {
            Ok(())
        }
    }

    fn look_every(&self) -> u64 {
        1
    }
}

#[test]
fn an_answer_cut_short_is_safe_and_honest_about_its_bound() {
    for_every_model(20, |oracle, case, rng| {
        let prepared = oracle.prepare().expect(case);
        let metric = any_metric(oracle, rng);
        let built = prepared.metric(&metric).unwrap();
        let problem = prepared.problem(&*built);
        let brute_force = oracle.brute_force(&metric);
        let least = brute_force.least_loss;
        for algorithm in ALGORITHMS {
            let watch = Hourglass(AtomicU64::new(rng.u64(0..6)));
            match algorithm.solve(&problem, &watch) {
                Ok(proposal) => {
                    let release = publish(&problem, &proposal).expect(case);
                    if release.node().is_none() {
                        continue;
                    }
                    let assessed = Assessor::new(&problem)
                        .assess_recoding(release.recoding().by_columns().unwrap());
                    let loss = assessed.loss.expect("published").0;
                    let least = least.expect(case);
                    assert!(loss >= least || almost_equal(loss, least), "{case}");
                    match proposal.guarantee {
                        Guarantee::Optimal => assert!(almost_equal(loss, least), "{case}"),
                        Guarantee::Bounded { lower_bound } => {
                            let bound = lower_bound.0;
                            assert!(bound <= least || almost_equal(bound, least), "{case}");
                        }
                        Guarantee::Heuristic => {}
                    }
                }
                Err(Error::TimeUp { .. }) => {}
                Err(error) if is_refused(&problem, &error) => {}
                Err(error) => check_no_solution(&error, &brute_force, case),
            }
        }
    });
}
