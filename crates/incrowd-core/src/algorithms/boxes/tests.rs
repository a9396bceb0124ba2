use super::*;
use crate::counts::{CountedTable, Missing, RowCounter};
use crate::draw::Draw;
use crate::hierarchy::Hierarchy;
use crate::privacy::ModelSpec;
use crate::problem::{Settings, Watch};
use crate::table::RowBatch;
use crate::utility::MetricSpec;

/// So many columns with four levels each, and one that is counted.
pub(super) fn random_table(columns: usize, draw: &mut Draw) -> CountedTable {
    let names: Vec<String> = (0..=columns).map(|column| format!("c{column}")).collect();
    let quasi: Vec<usize> = (0..columns).collect();
    let mut counter = RowCounter::new(&names, &quasi, &[columns]);
    let mut batch = RowBatch::new(names.len());
    for _ in 0..300 {
        for column in 0..names.len() {
            let values = if column < columns { 8 } else { 5 };
            let cell = draw.below(values).min(draw.below(values));
            batch.push_cell(cell.to_string().as_bytes());
        }
    }
    counter.add(&batch).unwrap();
    let ways_up: Vec<Vec<String>> = (0..8)
        .map(|value| {
            let (pair, half) = (format!("pair {}", value / 2), format!("half {}", value / 4));
            vec![value.to_string(), pair, half, "*".to_owned()]
        })
        .collect();
    let hierarchies = names[..columns].iter();
    let hierarchies = hierarchies.map(|name| Hierarchy::from_rows(name, &ways_up).unwrap());
    let hierarchies = hierarchies.collect();
    counter
        .finish(hierarchies, vec![None], Missing::default())
        .unwrap()
}

/// Ends after so much work.
struct WorkLimit(u64);

impl Watch for WorkLimit {
    fn step(&self, _: Progress) -> Result<(), Interruption> {
        Ok(())
    }

    fn work_limit(&self) -> Option<u64> {
        Some(self.0)
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
        let mut assessor = Assessor::new(&problem);
        let mut known = KnownSets::new(&table, problem.columns_read(), 1 << 24);
        let nodes = table.lattice().walk();
        let judged = nodes.iter().filter_map(|node| {
            let (classes, _) = known.count_and_remember(node);
            let assessment = assessor.assess(node, &classes, None);
            let loss = assessment.loss?;
            Some((loss, assessment.rows_suppressed, node))
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
                let meter = Meter::unlimited();
                let whole = (Some((loss, best.clone())), Guarantee::Optimal);
                assert_eq!(solve(&meter), whole, "{case}");
                for part in 1..20 {
                    let watch = WorkLimit(meter.spent() * part / 20);
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
