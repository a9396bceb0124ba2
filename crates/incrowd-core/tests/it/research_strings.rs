//! Searches for the greatest research value: the best string and all strings listed equal brute force, and the list of all
//! strings is never made.

use crate::adult;
use fastrand::Rng;
use incrowd_core::algorithms::{
    ALGORITHMS, Account, Algorithm, FoundStrings, RvDistributed, RvGlobal, RvHybrid, RvLocal,
    Solved, unsafe_columns,
};
use incrowd_core::counts::CountedTable;
use incrowd_core::lattice::Node;
use incrowd_core::privacy::{MODELS, ModelSpec, PrivacyModel};
use incrowd_core::problem::{
    Guarantee, Interruption, Problem, Progress, Settings, Unwatched, Watch,
};
use incrowd_core::utility::{Loss, MetricSpec, UtilityMetric};
use incrowd_testkit::bridge::assess;
use incrowd_testkit::random::{random_metric, random_model, random_problem};

const EXACT: [&dyn Algorithm; 3] = [&RvGlobal, &RvHybrid, &RvDistributed];

/// Every safe node, the best first: by loss, attributes at their last level, lattice order.
fn by_brute_force(problem: &Problem<'_>) -> Vec<(Loss, usize, Node)> {
    let top = problem.table.lattice();
    let at_top = |node: &Node| {
        let levels = node.levels().zip(top.top().levels());
        levels.filter(|(level, top)| level == top).count()
    };
    let nodes = problem.lattice().walk().into_iter();
    let mut safe: Vec<(Loss, usize, Node)> = nodes
        .filter_map(|node| {
            let assessed = assess(problem, &node);
            let is_safe = assessed.is_safe(problem);
            is_safe.then(|| (assessed.loss.unwrap(), at_top(&node), node))
        })
        .collect();
    safe.sort();
    safe
}

/// A problem that lists so many strings.
fn listing<'a>(problem: &Problem<'a>, algorithm: &dyn Algorithm, strings: usize) -> Problem<'a> {
    let mut own = algorithm.entry().defaults();
    own.set("strings", &[strings.to_string()]).unwrap();
    problem.clone().with_settings(Settings {
        own,
        ..problem.settings.clone()
    })
}

fn strings(solved: &Solved) -> &FoundStrings {
    match &solved.account {
        Some(Account::Strings(strings)) => strings,
        other => panic!("{other:?}"),
    }
}

fn node(solved: &Solved) -> &Node {
    solved.proposal.recoding.node().expect("levels")
}

/// Whether what is listed are safe strings, the best first, and the first is published.
fn check_list(solved: &Solved, safe: &[(Loss, usize, Node)], most: usize, case: &str) {
    let listed: Vec<_> = strings(solved)
        .iter()
        .map(|it| (it.loss, it.at_top, it.node.clone()))
        .collect();
    assert!(listed.is_sorted() && listed.len() <= most, "{case}");
    assert!(listed.iter().all(|it| safe.contains(it)), "{case}");
    assert_eq!(&listed[0].2, node(solved), "{case}");
}

#[test]
fn the_best_string_and_those_listed_equal_brute_force_for_every_model() {
    for (at, entry) in MODELS.iter().enumerate() {
        for seed in 0..40 {
            let seed = seed * MODELS.len() as u64 + at as u64;
            let rng = &mut Rng::with_seed(seed);
            let mut oracle = random_problem(seed ^ 0x5eed);
            let model = random_model(entry.name, &oracle, rng);
            if rng.bool() {
                oracle.models.clear();
            }
            oracle.models.extend(model);
            let metric = random_metric("research-value", &oracle, rng).expect("for every table");
            for max_suppressed in [0, oracle.table.rows.len() / 5] {
                let oracle = oracle.clone().allow_suppressed(max_suppressed);
                let prepared = oracle.prepare().unwrap();
                let built = prepared.metric(&metric).unwrap();
                let problem = prepared.problem(&*built);
                let safe = by_brute_force(&problem);
                let case = format!("{}, seed {seed}, budget {max_suppressed}", entry.name);
                let most = rng.usize(1..20);
                for algorithm in EXACT {
                    let case = format!("{case}, {}", algorithm.entry().name);
                    let problem = listing(&problem, algorithm, most);
                    let solved = algorithm.solve_accounted(&problem, &Unwatched);
                    let (Some((_, _, best)), Ok(solved)) = (safe.first(), &solved) else {
                        assert!(safe.is_empty() && solved.is_err(), "{case}");
                        continue;
                    };
                    assert_eq!(solved.proposal.guarantee, Guarantee::Optimal, "{case}");
                    assert_eq!(node(solved), best, "{case}");
                    check_list(solved, &safe, most, &case);
                }
                let problem = listing(&problem, &RvLocal, most);
                match RvLocal.solve_accounted(&problem, &Unwatched) {
                    Ok(solved) => check_list(&solved, &safe, most, &case),
                    Err(_) => assert!(safe.is_empty() || !problem.pruning_is_sound(), "{case}"),
                }
            }
        }
    }
}

fn k(k: u32, table: &CountedTable) -> Vec<Box<dyn PrivacyModel>> {
    let spec: ModelSpec = format!("k-anonymity(k={k})").parse().unwrap();
    spec.build_all(&table.columns, &[]).unwrap()
}

fn research_value(settings: &str, table: &CountedTable) -> Box<dyn UtilityMetric> {
    let spec: MetricSpec = format!("research-value({settings})").parse().unwrap();
    spec.build(table).unwrap()
}

/// Random rules about age and race, with random importances, weights and exponents.
fn random_settings(rng: &mut Rng) -> String {
    let races = ["White", "Black", "Other", "Asian-Pac-Islander"];
    let mut rules = Vec::new();
    for _ in 0..rng.usize(1..4) {
        let age = rng.u32(20..80);
        rules.push(format!("age: {age}|{} = {}", age + 1, rng.u32(1..40)));
        let one = rng.usize(0..3);
        let other = rng.usize(one + 1..4);
        let importance = rng.u32(1..40);
        rules.push(format!(
            "race: {} != {} = {importance}",
            races[one], races[other]
        ));
    }
    rules.sort();
    rules.dedup_by_key(|rule| rule.split(" = ").next().map(str::to_owned));
    let weights = match rng.u8(0..3) {
        0 => "weighting=auto".to_owned(),
        1 => "weighting=equal".to_owned(),
        _ => {
            let (age, race) = (rng.u32(1..50), rng.u32(1..50));
            let rest = 100 - age - race;
            let share = |part: u32| f64::from(part) / 100.0;
            format!(
                "weights=age:{};race:{};education:{}",
                share(age),
                share(race),
                share(rest)
            )
        }
    };
    let exponent = [0.1, 0.5, 1.0, 2.0][rng.usize(0..4)];
    format!(
        "rules=\"{}\",base={},{weights},granularity-exponent={exponent}",
        rules.join(" ; "),
        rng.u32(0..10)
    )
}

#[test]
fn on_adult_the_best_string_is_that_of_all_strings() {
    let columns = ["age", "race", "education", "marital-status", "sex"];
    let table = adult::count(&columns, &[]);
    let rng = &mut Rng::with_seed(12);
    let settings: Vec<String> = (0..8).map(|_| random_settings(rng)).collect();
    for settings in settings {
        let metric = research_value(&settings, &table);
        for (strength, budget) in [(3, 0), (10, 0), (5, 300), (50, 1500)] {
            let models = k(strength, &table);
            let problem = Problem::new(&table, &models, &*metric).allow_suppressed(budget);
            let safe = by_brute_force(&problem);
            for algorithm in EXACT {
                let case = format!("{settings}, k {strength}, {}", algorithm.entry().name);
                let solved =
                    algorithm.solve_accounted(&listing(&problem, algorithm, 10), &Unwatched);
                let solved = solved.expect(&case);
                assert_eq!(node(&solved), &safe[0].2, "{case}");
                assert_eq!(solved.proposal.guarantee, Guarantee::Optimal, "{case}");
                check_list(&solved, &safe, 10, &case);
            }
        }
    }
}

#[test]
fn threads_change_neither_the_answer_nor_the_work() {
    let columns = ["age", "race", "education", "marital-status", "sex"];
    let table = adult::count(&columns, &[]);
    let metric = research_value("rules=\"age: 27|28 = 20\"", &table);
    let models = k(10, &table);
    let problem = Problem::new(&table, &models, &*metric).allow_suppressed(300);
    let with_threads = |threads: usize| {
        let mut problem = listing(&problem, &RvDistributed, 10);
        problem.settings.threads = threads;
        RvDistributed.solve_accounted(&problem, &Unwatched).unwrap()
    };
    let one = with_threads(1);
    for threads in [2, 3, 8] {
        assert_eq!(with_threads(threads), one);
    }
}

/// 36 columns of 8 values with four levels each, as 300 rows.
fn wide() -> CountedTable {
    let rng = &mut Rng::with_seed(36);
    let mut problem = random_problem(1);
    let columns: Vec<String> = (0..36).map(|at| format!("c{at}")).collect();
    let ways_up: Vec<Vec<String>> = (0..8)
        .map(|value| {
            vec![
                format!("v{value}"),
                format!("p{}", value / 2),
                format!("q{}", value / 4),
                "*".into(),
            ]
        })
        .collect();
    problem.table.columns.clone_from(&columns);
    problem.table.rows = (0..300)
        .map(|_| (0..36).map(|_| format!("v{}", rng.u8(0..8))).collect())
        .collect();
    problem.models.clear();
    problem.sensitive.clear();
    problem.target = None;
    problem.max_suppressed = 0;
    problem.max_levels = vec![3; 36];
    problem.quasi_identifiers = columns
        .into_iter()
        .map(|it| (it, ways_up.clone()))
        .collect();
    problem.prepare().unwrap().table
}

/// Ends a search after so much work.
struct Limit(u64);

impl Watch for Limit {
    fn step(&self, _: Progress) -> Result<(), Interruption> {
        Ok(())
    }

    fn work_limit(&self) -> Option<u64> {
        Some(self.0)
    }
}

#[test]
fn more_strings_than_any_list_could_hold_are_searched_until_the_limit() {
    let table = wide();
    assert_eq!(table.lattice().nodes(), 1 << 72);
    let metric = research_value(
        "rules=\"c0: v0 != v1 = 5 ; c7: {v0, v1} != {v4} = 2\"",
        &table,
    );
    let models = k(5, &table);
    let problem = Problem::new(&table, &models, &*metric);
    let highest = assess(&problem, &problem.max_levels).loss.unwrap();
    for algorithm in [
        &RvGlobal as &dyn Algorithm,
        &RvHybrid,
        &RvDistributed,
        &RvLocal,
    ] {
        let problem = listing(&problem, algorithm, 10);
        let solved = algorithm
            .solve_accounted(&problem, &Limit(20_000_000))
            .unwrap();
        let loss = solved.proposal.loss.unwrap();
        match solved.proposal.guarantee {
            Guarantee::Bounded { lower_bound } => {
                assert!(Loss(0.0) < lower_bound && lower_bound < loss && loss < highest);
                assert_eq!(solved.stopped, Some(Interruption::WorkDone));
            }
            Guarantee::Heuristic => assert_eq!(algorithm.entry().name, "rv-local"),
            Guarantee::Optimal => panic!("nobody proves that"),
        }
        let listed = strings(&solved);
        assert!(listed.iter().all(|it| {
            let assessed = assess(&problem, &it.node);
            assessed.rows_suppressed == 0 && assessed.loss == Some(it.loss)
        }));
    }
}

#[test]
fn only_columns_that_are_unsafe_alone_at_a_limited_level_are_dropped() {
    let table = adult::count(&["age", "sex", "race"], &[]);
    let metric = research_value("", &table);
    let unsafe_at = |levels: [u8; 3], strength: u32, budget: u32| {
        let models = k(strength, &table);
        let problem = Problem::new(&table, &models, &*metric)
            .allow_suppressed(budget)
            .limit_levels(Node::from_levels(levels))
            .unwrap();
        unsafe_columns(&problem, &Unwatched).unwrap()
    };
    let heights: Vec<u8> = table.lattice().top().levels().map(|it| it.0).collect();
    let top = [heights[0], heights[1], heights[2]];
    assert!(
        unsafe_at(top, 40_000, 0).is_empty(),
        "there is no higher level"
    );
    // Few people are 90 years old or of another race; everybody is one of two sexes.
    assert_eq!(unsafe_at([0, 0, 0], 300, 0), [0, 2]);
    assert_eq!(unsafe_at([top[0], 0, 0], 300, 0), [2]);
    assert!(unsafe_at([0, 0, 0], 300, 30_000).is_empty());
}

#[test]
fn only_they_drop_columns_and_list_strings() {
    let dropping: Vec<&str> = ALGORITHMS
        .iter()
        .filter(|it| it.drops_columns())
        .map(|it| it.entry().name)
        .collect();
    let listing: Vec<&str> = ALGORITHMS
        .iter()
        .filter(|it| it.entry().has_setting("strings"))
        .map(|it| it.entry().name)
        .collect();
    assert_eq!(dropping, listing);
    assert_eq!(dropping.len(), 4);
}
