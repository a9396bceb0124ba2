use super::*;
use crate::algorithms::testutil::random_table;
use crate::counts::shelf::Shelf;
use crate::counts::{CountedTable, Missing, RowCounter, Scratch};
use crate::draw::Draw;
use crate::hierarchy::HierarchySpec;
use crate::privacy::{MODELS, ModelSpec, Monotonicity};
use crate::problem::{LOOK_EVERY, Settings, Watch};
use crate::table::RowBatch;
use crate::utility::MetricSpec;
use std::sync::atomic::{AtomicU64, Ordering as MemoryOrdering};

/// Ends after so much work, or says that time is up after so many looks.
#[derive(Default)]
struct Ends {
    work: Option<u64>,
    time_up_after: Option<u64>,
    looks: AtomicU64,
}

impl Watch for Ends {
    fn step(&self, _: Progress) -> Result<(), Interruption> {
        let looks = self.looks.fetch_add(1, MemoryOrdering::Relaxed);
        match self.time_up_after.is_some_and(|after| looks >= after) {
            true => Err(Interruption::TimeUp),
            false => Ok(()),
        }
    }

    fn work_limit(&self) -> Option<u64> {
        self.work
    }

    fn look_every(&self) -> u64 {
        match self.time_up_after {
            Some(_) => 1,
            None => LOOK_EVERY,
        }
    }
}

impl Ends {
    /// But looks as often as it can.
    fn never() -> Self {
        Ends::after_looks(u64::MAX)
    }

    fn after_work(work: u64) -> Self {
        Ends {
            work: Some(work),
            ..Ends::default()
        }
    }

    fn after_looks(looks: u64) -> Self {
        Ends {
            time_up_after: Some(looks),
            ..Ends::default()
        }
    }
}

/// Every node by itself, with the number of its classes.
fn judge_all<'n>(problem: &Problem<'_>, nodes: &'n [Node]) -> Vec<(&'n Node, usize, Assessment)> {
    let mut assessor = Assessor::new(problem);
    let mut known = KnownSets::new(problem.table, problem.columns_read(), 1 << 24);
    let judged = nodes.iter().map(|node| {
        let (classes, _) = known.count_and_remember(node);
        let assessment = assessor.assess(node, &classes, None);
        (node, classes.len(), assessment)
    });
    judged.collect()
}

#[test]
fn a_search_over_small_nodes_is_looked_at_as_often_as_others() {
    let table = random_table(6, &mut Draw::new(3));
    let models: ModelSpec = "beta-likeness(beta=1)".parse().unwrap();
    let models = models.build_all(&table.columns, &[0]).unwrap();
    let metric: MetricSpec = "average-class-size".parse().unwrap();
    let metric = metric.build(&table).unwrap();
    for threads in [1, 2, 4] {
        let problem = Problem::new(&table, &models, &*metric)
            .allow_suppressed(table.rows)
            .with_settings(Settings {
                threads,
                ..Settings::default()
            });
        let watch = Ends::default();
        let meter = Meter::new(&watch);
        let mut search = Search::new(&problem, Goal::default(), &meter);
        search.run_to_guarantee().unwrap();
        let (spent, looks) = (meter.spent(), watch.looks.load(MemoryOrdering::Relaxed));
        assert!(spent > 20 * LOOK_EVERY, "{spent}");
        assert!(
            looks * 2 * LOOK_EVERY > spent,
            "{threads} threads: {looks} looks at {spent}"
        );
    }
}

#[test]
fn the_search_is_as_good_and_its_bound_as_true_where_there_is_no_room_for_boxes() {
    let draw = &mut Draw::new(5);
    let mut bounded = 0;
    for (model, metric, share) in [
        ("k-anonymity(k=3)", "discernibility", 0.1),
        ("k-anonymity(k=3)", "loss", 0.0),
        ("beta-likeness(beta=1)", "average-class-size", 1.0),
        ("entropy-l-diversity(l=3)", "loss", 0.3),
    ] {
        let table = random_table(4, draw);
        let model: ModelSpec = model.parse().unwrap();
        let models = model.build_all(&table.columns, &[0]).unwrap();
        let metric: MetricSpec = metric.parse().unwrap();
        let metric = metric.build(&table).unwrap();
        let rows = (f64::from(table.rows) * share) as u32;
        let problem = Problem::new(&table, &models, &*metric).allow_suppressed(rows);
        let nodes = table.lattice().walk();
        let judged = judge_all(&problem, &nodes);
        let judged = judged.iter().filter_map(|(node, _, assessment)| {
            Some((assessment.loss?, assessment.rows_suppressed, *node))
        });
        let judged: Vec<(Loss, u32, &Node)> = judged.collect();
        for ties in [Ties::LatticeOrder, Ties::FewestSuppressed] {
            let place = |&(loss, rows, node): &(Loss, u32, &Node)| match ties {
                Ties::FewestSuppressed => (loss, rows, node.levels().collect()),
                _ => (loss, node.height(), node.levels().collect::<Vec<_>>()),
            };
            let (loss, _, best) = judged.iter().copied().min_by_key(place).unwrap();
            for (most_boxes, threads) in [(MOST_BOXES, 1), (MOST_BOXES, 3), (40, 2), (5, 3), (1, 1)]
            {
                let case = format!("{metric:?}, {ties:?}, {most_boxes} boxes, {threads} threads");
                let problem = problem.clone().with_settings(Settings {
                    threads,
                    ..Settings::default()
                });
                let goal = Goal {
                    ties,
                    ..Goal::default()
                };
                let solve = |meter: &Meter<'_>| {
                    let mut search = Search::new(&problem, goal, meter);
                    search.most_boxes = most_boxes;
                    let guarantee = search.run_to_guarantee().unwrap();
                    (search.best.map(|best| (best.loss, best.node)), guarantee)
                };
                let (meter, every_look) = (Meter::unlimited(), Ends::never());
                let whole = (Some((loss, best.clone())), Guarantee::Optimal);
                assert_eq!(solve(&meter), whole, "{case}");
                assert_eq!(solve(&Meter::new(&every_look)), whole, "{case}");
                let looks = every_look.looks.into_inner();
                for part in 1..40 {
                    let watch = match part % 2 {
                        0 => Ends::after_work(meter.spent() * part / 40),
                        _ => Ends::after_looks(looks * part / 40),
                    };
                    match solve(&Meter::new(&watch)) {
                        (_, Guarantee::Bounded { lower_bound }) => {
                            assert!(
                                lower_bound <= loss,
                                "{case}, {part}: {lower_bound:?} of {loss:?}"
                            );
                            bounded += u32::from(lower_bound > Loss(0.0));
                        }
                        found => assert_eq!(found, whole, "{case}"),
                    }
                }
            }
        }
    }
    assert!(bounded > 300, "{bounded} bounds say something");
}

/// So many rows, nearly all different where nothing is generalized: four columns of values, intervals and `*`, and one that is
/// counted.
fn strangers(rows: usize, draw: &mut Draw) -> CountedTable {
    let names = ["a", "b", "c", "d", "s"].map(str::to_owned);
    let mut counter = RowCounter::new(&names, &[0, 1, 2, 3], &[4]);
    let mut batch = RowBatch::new(names.len());
    for _ in 0..rows {
        for values in [16, 16, 16, 16, 4] {
            batch.push_cell(draw.below(values).to_string().as_bytes());
        }
    }
    counter.add(&batch).unwrap();
    let missing = Missing::default();
    let hierarchies = (0..4).map(|at| {
        let values = counter.values(at, &missing);
        let levels: HierarchySpec = ["interval:2,4@0", "interval:4@0"][at % 2].parse().unwrap();
        levels.build(&names[at], &values).unwrap()
    });
    let hierarchies = hierarchies.collect();
    counter.finish(hierarchies, vec![None], missing).unwrap()
}

#[test]
fn nodes_with_too_many_classes_are_given_up_and_the_best_is_found_all_the_same() {
    let draw = &mut Draw::new(9);
    let (mut given_up, mut counted) = (0, 0);
    let requests = [
        ("k-anonymity(k=3)", "loss", 0.01),
        ("k-anonymity(k=3)", "discernibility", 0.05),
        ("k-anonymity(k=2)", "average-class-size", 0.3),
        ("entropy-l-diversity(l=2)", "discernibility", 0.1),
        ("beta-likeness(beta=2)", "average-class-size", 0.2),
    ];
    for (at, (model, metric, share)) in (0..30).zip(requests.iter().cycle()) {
        let table = strangers(300 + 100 * (at % 7), draw);
        let model: ModelSpec = model.parse().unwrap();
        let models = model.build_all(&table.columns, &[0]).unwrap();
        let metric: MetricSpec = metric.parse().unwrap();
        let metric = metric.build(&table).unwrap();
        let rows = (f64::from(table.rows) * share) as u32;
        let problem = Problem::new(&table, &models, &*metric).allow_suppressed(rows);
        let nodes = table.lattice().walk();
        let judged = judge_all(&problem, &nodes);
        let judged = judged.iter().filter_map(|(node, classes, assessment)| {
            let has_too_many = *classes > problem.most_classes();
            assert!(!has_too_many || assessment.loss.is_none(), "{node:?}");
            given_up += usize::from(has_too_many);
            Some((assessment.loss?, node.height(), *node))
        });
        let (loss, _, best) = judged.min().unwrap();
        let mut work = None;
        for (threads, limit) in [(1, None), (3, None), (2, Some(2000)), (3, Some(1))] {
            let table = CountedTable {
                room: limit.map(Shelf::room),
                ..table.clone()
            };
            let problem = Problem {
                table: &table,
                ..problem.clone()
            };
            let problem = problem.with_settings(Settings {
                threads,
                ..Settings::default()
            });
            let case = format!("{model}, {share}, {threads} threads, {limit:?} bytes");
            let meter = Meter::unlimited();
            let found = search(&problem, Goal::default(), &meter).unwrap();
            let found_best = found.best.map(|best| (best.loss, best.node));
            assert_eq!(found_best, Some((loss, best.clone())), "{case}");
            counted += found.seen.len();
            let did = (found.seen.len(), meter.spent());
            assert_eq!(*work.get_or_insert(did), did, "{case}");
        }
    }
    assert!(given_up > 100 && counted > 1000, "{given_up}, {counted}");
}

/// Promises of every kind that reads a column; `distance=hierarchical` needs levels that the table has not.
const READERS: &[&str] = &[
    "distinct-l-diversity(l=3)",
    "entropy-l-diversity(l=2.5)",
    "recursive-cl-diversity(c=2,l=3)",
    "frequency-l-diversity(l=2)",
    "alpha-k-anonymity(alpha=0.5,k=2)",
    "p-sensitive-k-anonymity(p=3,k=4)",
    "t-closeness(t=0.2,distance=equal)",
    "t-closeness(t=0.15,distance=ordered)",
    "delta-disclosure(delta=1.5,absent=reject)",
    "delta-disclosure(delta=1,absent=ignore)",
    "beta-likeness(beta=1,kind=basic)",
];

#[test]
fn classes_are_judged_alike_as_cells_and_as_lists_with_one_look_and_with_two() {
    let readers = MODELS.iter().filter(|entry| entry.reads_column());
    for entry in readers {
        let is_tried = |spec: &&str| spec.split('(').next() == Some(entry.name);
        assert!(READERS.iter().any(is_tried), "{}", entry.name);
    }
    let draw = &mut Draw::new(14);
    let metric: MetricSpec = "discernibility".parse().unwrap();
    let mut in_cells = 0;
    for spec in READERS {
        let (mut kept_in_part, mut all_or_nothing) = (0, false);
        for at in 0..12 {
            let table = random_table(3, draw);
            let metric = metric.build(&table).unwrap();
            let models = |specs: &[&str]| {
                let models = specs.iter().flat_map(|spec| {
                    let spec: ModelSpec = spec.parse().unwrap();
                    spec.build_all(&table.columns, &[0]).unwrap()
                });
                models.collect::<Vec<_>>()
            };
            // Said twice, the promise is not the only one that reads values.
            let all = ["average-risk(max=0.4)", "k-anonymity(k=2)", spec, spec];
            let all = &all[at % 3..];
            let (once, twice) = (models(&all[..all.len() - 1]), models(all));
            let budget = [0, 30, 100, table.rows][at % 4];
            all_or_nothing |= once[once.len() - 1].monotonicity() == Monotonicity::UnionWithAny;
            let problem = |models| Problem::new(&table, models, &*metric).allow_suppressed(budget);
            let (once, twice) = (problem(&once), problem(&twice));
            let mut with_one_look = Assessor::new(&once);
            let mut with_two = Assessor::new(&twice);
            let mut known = KnownSets::new(&table, vec![0], 1 << 24);
            let mut known_cells = KnownSets::new(&table, vec![0], 1 << 24);
            let mut scratch = Scratch::of_table(&table).with_cells();
            let mut cells = FrequencySet::default(); // used again, however its histograms were kept
            let meter = Meter::unlimited();
            for node in table.lattice().walk() {
                let (listed, _) = known.count_and_remember(&node);
                let start = known_cells.start_for(&node);
                let _ = start.count(&node, &mut scratch, &mut cells);
                known_cells.remember(node.clone(), Arc::new(cells.clone()));
                assert_eq!(cells.sizes(), listed.sizes());
                in_cells += u32::from(cells.histograms(0).are_cells());
                let judged = with_two.assess(&node, &listed, None);
                let kept = with_two.most_kept().unwrap().to_vec();
                assert_eq!(with_one_look.assess(&node, &cells, None), judged, "{spec}");
                assert_eq!(with_one_look.most_kept(), Some(&*kept));
                let sizes = listed.sizes().iter().zip(&kept);
                kept_in_part += sizes
                    .filter(|(size, kept)| 0 < **kept && kept < size)
                    .count();
                let around = with_two.fewest_around(&listed).unwrap();
                assert_eq!(with_one_look.fewest_around(&cells).unwrap(), around);
                for looks_below in [true, false] {
                    with_one_look.presume_around(&cells, &around);
                    let presumed =
                        with_one_look.assess_presumed(&node, &cells, None, looks_below, &meter);
                    let expected = Assessment {
                        rows_lost_below: if looks_below {
                            judged.rows_lost_below
                        } else {
                            0
                        },
                        ..judged.clone()
                    };
                    assert_eq!(presumed.unwrap(), expected);
                }
            }
        }
        assert!(
            all_or_nothing || kept_in_part > 100,
            "{spec}: {kept_in_part}"
        );
    }
    assert!(in_cells > 1000, "{in_cells}");
}
