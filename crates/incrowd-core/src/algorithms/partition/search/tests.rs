//! Bounds of two corners against every choice of partitions between them, and the search with and without what promises about
//! values say.

use super::super::blocks::Partition;
use super::super::ground::below;
use super::super::tests::bottom_up;
use super::*;
use crate::algorithms::partition::settings::{PartitionSettings, Scheme};
use crate::counts::{CountedTable, Missing, RowCounter};
use crate::hierarchy::Hierarchy;
use crate::privacy::{MODELS, ModelSpec, PrivacyModel};
use crate::problem::{Meter, Problem, Settings};
use crate::table::RowBatch;
use crate::utility::{MetricSpec, UtilityMetric};

/// Every model, with parameters that classes of some rows both meet and miss.
const SPECS: &[&str] = &[
    "k-anonymity(k=3)",
    "distinct-l-diversity(l=2)",
    "distinct-l-diversity(l=3)",
    "entropy-l-diversity(l=2)",
    "entropy-l-diversity(l=2.75)",
    "recursive-cl-diversity(c=0.75,l=1)",
    "recursive-cl-diversity(c=2,l=2)",
    "recursive-cl-diversity(c=3.5,l=3)",
    "frequency-l-diversity(l=2)",
    "frequency-l-diversity(l=3)",
    "alpha-k-anonymity(alpha=0.5,k=2)",
    "alpha-k-anonymity(alpha=0.25,k=1,value=1)",
    "p-sensitive-k-anonymity(p=2,k=3)",
    "t-closeness(t=0.3,distance=equal)",
    "t-closeness(t=0.15,distance=ordered)",
    "t-closeness(t=0.2,distance=hierarchical)",
    "delta-disclosure(delta=1.5,absent=reject)",
    "delta-disclosure(delta=1,absent=ignore)",
    "beta-likeness(beta=1,kind=basic)",
    "beta-likeness(beta=0.75,kind=enhanced)",
    "k-map(k=4)",
    "delta-presence(max=0.5)",
    "delta-presence(max=0.6,min=0.2)",
    "average-risk(max=0.4)",
    "sample-uniqueness(max=0.2)",
];

const VALUES: usize = 4;

/// Up to so many rows in two or three columns of few values, and a counted column of five values, some of them rare.
fn table(draw: &mut Draw, columns: usize, most: usize) -> CountedTable {
    let values = VALUES - usize::from(columns > 2);
    let names: Vec<String> = (0..=columns).map(|column| format!("c{column}")).collect();
    let quasi: Vec<usize> = (0..columns).collect();
    let rows = 3 + draw.below(most - 2);
    let cells: Vec<Vec<String>> = (0..rows)
        .map(|row| {
            let mut cell = |column| match column < columns {
                true => draw.below(values).to_string(),
                // The value that a promise names must be there.
                false if row == 0 => 1.to_string(),
                false => draw.below(5).min(draw.below(5)).to_string(),
            };
            (0..=columns).map(&mut cell).collect()
        })
        .collect();
    // Some people are in the table more often than others, and some are not.
    let mut people = cells.clone();
    for _ in 0..draw.below(2 * rows) {
        let mut person = cells[draw.below(rows)].clone();
        person[draw.below(columns)] = draw.below(values).to_string();
        people.push(person);
    }
    let hierarchy = |name: &String| {
        let ways_up = (0..VALUES).map(|value| {
            let pair = format!("pair {}", value / 2);
            vec![value.to_string(), pair, "*".to_owned()]
        });
        Hierarchy::from_rows(name, ways_up).unwrap()
    };
    let count = |rows: &[Vec<String>], counted: &[usize]| {
        let mut counter = RowCounter::new(&names, &quasi, counted);
        let mut batch = RowBatch::new(names.len());
        for cell in rows.iter().flatten() {
            batch.push_cell(cell.as_bytes());
        }
        counter.add(&batch).unwrap();
        let hierarchies = names[..columns].iter().map(hierarchy).collect();
        let distances = counted.iter().map(|_| {
            let ways_up = (0..5).map(|value| {
                let half = format!("half {}", value / 3);
                vec![value.to_string(), half, "*".to_owned()]
            });
            Some(Hierarchy::from_rows("distance", ways_up).unwrap())
        });
        let finished = counter.finish(hierarchies, distances.collect(), Missing::default());
        finished.unwrap()
    };
    let table = count(&cells, &[columns]);
    table.with_population(count(&people, &[])).unwrap()
}

fn models(specs: &[&str], table: &CountedTable) -> Vec<Box<dyn PrivacyModel>> {
    let build = |spec: &&str| {
        let spec: ModelSpec = spec.parse().unwrap();
        spec.build_all(&table.columns, &[0]).unwrap()
    };
    specs.iter().flat_map(build).collect()
}

fn metric(table: &CountedTable, draw: &mut Draw) -> Box<dyn UtilityMetric> {
    let spec: MetricSpec = ["discernibility", "hdm"][draw.below(2)].parse().unwrap();
    spec.build(table).unwrap()
}

fn budget(table: &CountedTable, draw: &mut Draw) -> u32 {
    let some = draw.below(table.rows as usize + 1) as u32;
    [0, some, table.rows][draw.below(3)]
}

fn settings(draw: &mut Draw) -> PartitionSettings {
    let schemes = (0..3).map(|column| (format!("c{column}"), Scheme::ALL[draw.below(6)]));
    PartitionSettings {
        schemes: schemes.collect(),
        ..PartitionSettings::default()
    }
}

/// The settings of a table of so many columns.
fn settings_of(table: &CountedTable, draw: &mut Draw) -> PartitionSettings {
    let mut settings = settings(draw);
    settings.schemes.truncate(table.attributes.len());
    settings
}

/// Every choice of one partition for each attribute.
fn choices(of_attributes: &[Vec<Partition>]) -> Vec<Vec<Partition>> {
    of_attributes.iter().fold(vec![Vec::new()], |found, next| {
        let longer = |start: &Vec<Partition>| {
            let start = start.clone();
            let longer = next
                .iter()
                .map(move |it| [&start[..], std::slice::from_ref(it)].concat());
            longer.collect::<Vec<_>>()
        };
        found.iter().flat_map(longer).collect()
    })
}

/// What partitions cost and how many rows they suppress, whatever the budget.
fn cost(ground: &Ground<'_>, partitions: &[Partition]) -> (f64, u32) {
    let classes = ground.merge(&ground.finest, &ground.all_finest(), partitions);
    let rows = ground.rows_of_all_blocks(partitions);
    (classes.unwrap()).cost(&ground.cost, &ground.judge, &rows)
}

/// Bounds of random corners must hold for everything between them. Counts how often promises raise the bound, how often they say
/// that rows are lost, and how often both.
fn compare_with_all_between(specs: &[&str], draw: &mut Draw) -> [u32; 3] {
    let columns = 1 + draw.below(3);
    let table = table(draw, columns, 30);
    let models = models(specs, &table);
    let metric = metric(&table, draw);
    let problem = Problem::new(&table, &models, &*metric).allow_suppressed(budget(&table, draw));
    let settings = settings_of(&table, draw);
    let meter = Meter::unlimited();
    let ground = Ground::new(&problem, &settings, &meter).unwrap();
    let mut raised = [0; 3];
    for _ in 0..3 {
        let (mut fine, mut coarse, mut between) = (Vec::new(), Vec::new(), Vec::new());
        for space in &ground.spaces {
            let all = bottom_up(space);
            let high = all[draw.below(all.len())].clone();
            let low = || all.iter().filter(|it| it.is_within(&high));
            let low = low().nth(draw.below(low().count())).unwrap().clone();
            let is_between = |it: &&Partition| low.is_within(it) && it.is_within(&high);
            between.push(all.iter().filter(is_between).cloned().collect());
            fine.push(low);
            coarse.push(high);
        }
        let all = choices(&between);
        let costs: Vec<(f64, u32)> = all.iter().map(|it| cost(&ground, it)).collect();
        let least = costs
            .iter()
            .map(|&(cost, _)| cost)
            .fold(f64::INFINITY, f64::min);
        let fewest = costs
            .iter()
            .map(|&(_, suppressed)| suppressed)
            .min()
            .unwrap();
        let finest = ground.all_finest();
        let classes = ground.merge(&ground.finest, &finest, &fine).unwrap();
        let mut without_bound = PruningRules::ALL;
        without_bound.tighter_bounds = false;
        let mut without_budget = PruningRules::ALL;
        without_budget.useful_applicators = false;
        for rules in [
            PruningRules::ALL,
            without_bound,
            without_budget,
            PruningRules::NONE,
        ] {
            for is_bottom_up in [true, false] {
                let manner = Manner {
                    is_bottom_up,
                    rules,
                };
                let mut plan = Plan::new(&ground, manner);
                let knows_parts = plan.knows_parts;
                let bound = |plan: &Plan| {
                    let looks = Looks::default();
                    let mut explorer = Explorer::new(&ground, plan, f64::INFINITY, looks);
                    explorer.bound(&classes, &fine, &coarse).unwrap()
                };
                let with = bound(&plan);
                plan.knows_parts = false;
                let without = bound(&plan);
                let case = || {
                    let corners = format!("{fine:?} {coarse:?}");
                    format!("{specs:?} {settings:?} {rules:?} {is_bottom_up}: {corners}")
                };
                for bounds in [&with, &without] {
                    assert!(below(bounds.wherever) <= least, "{}", case());
                    let (bound, lost) = (bounds.below, bounds.lost);
                    assert!(below(bound) <= least, "{bound} of {least}, {}", case());
                    assert!(lost <= fewest, "{lost} of {fewest}, {}", case());
                    assert!(!bounds.is_over_budget || fewest > ground.max_suppressed());
                }
                assert!(with.below >= without.below && with.lost >= without.lost);
                assert!(knows_parts || with.lost == without.lost);
                let is_raised = with.below > without.below;
                let is_lost = with.is_over_budget && !without.is_over_budget;
                assert!(!is_raised || rules.tighter_bounds);
                assert!(!is_lost || rules.useful_applicators);
                for (count, is_so) in
                    raised
                        .iter_mut()
                        .zip([is_raised, is_lost, is_raised && is_lost])
                {
                    *count += u32::from(is_so);
                }
            }
        }
    }
    raised
}

#[test]
fn nothing_between_two_corners_costs_less_than_their_bound() {
    for entry in MODELS {
        let is_tried = |spec: &&&str| spec.split('(').next() == Some(entry.name);
        assert!(SPECS.iter().any(|spec| is_tried(&spec)), "{}", entry.name);
    }
    let mut draw = Draw::new(31);
    for spec in SPECS {
        let mut raised = [0; 3];
        for _ in 0..200 {
            let more = compare_with_all_between(&[spec], &mut draw);
            raised = std::array::from_fn(|at| raised[at] + more[at]);
        }
        let parsed: ModelSpec = spec.parse().unwrap();
        // Of other promises, sizes say all.
        let says_more = parsed.entry().reads_column() || parsed.needs_population();
        let [bound, budget, _] = raised;
        match says_more {
            true => assert!(
                bound > 20 && budget > 20,
                "{spec} hardly says anything: {raised:?}"
            ),
            false => assert_eq!(raised, [0; 3], "{spec}"),
        }
    }
}

#[test]
fn nothing_between_two_corners_costs_less_than_the_bound_of_several_promises() {
    let mut draw = Draw::new(32);
    let mut raised = 0;
    for _ in 0..1500 {
        let specs = [(); 3].map(|()| SPECS[draw.below(SPECS.len())]);
        let specs = &specs[..2 + draw.below(2)];
        raised += compare_with_all_between(specs, &mut draw)[0];
    }
    assert!(raised > 500, "{raised}");
}

#[test]
fn the_optimum_is_the_same_with_and_without_what_promises_say() {
    let mut draw = Draw::new(33);
    let (mut with, mut without) = (0, 0);
    for number in 0..600 {
        let table = table(&mut draw, 2 + number % 2, 40);
        let spec = SPECS[draw.below(SPECS.len())];
        let models = models(&[spec], &table);
        let metric = metric(&table, &mut draw);
        let problem =
            Problem::new(&table, &models, &*metric).allow_suppressed(budget(&table, &mut draw));
        let meter = Meter::unlimited();
        let ground = Ground::new(&problem, &settings_of(&table, &mut draw), &meter).unwrap();
        let spaces: Vec<Vec<Partition>> = ground.spaces.iter().map(bottom_up).collect();
        let mut least = f64::INFINITY;
        for choice in choices(&spaces) {
            least = least.min(ground.evaluate(choice).unwrap().cost);
        }
        for is_bottom_up in [true, false] {
            for (program, seeding) in [(true, true), (false, false)] {
                let rules = PruningRules {
                    program,
                    seeding,
                    ..PruningRules::ALL
                };
                for knows_parts in [true, false] {
                    let mut search = Search::new(
                        &ground,
                        Manner {
                            is_bottom_up,
                            rules,
                        },
                    );
                    search.plan.knows_parts &= knows_parts;
                    assert!(search.begin().is_ok() && search.run().is_ok());
                    let found = search.best_cost();
                    let is_least = found == least || (found - least).abs() <= 1e-9 * least;
                    assert!(is_least, "case {number}: {found} for {least}, {spec}");
                    match knows_parts {
                        true => with += search.counts.nodes_visited,
                        false => without += search.counts.nodes_visited,
                    }
                }
            }
        }
    }
    assert!(with < without / 10 * 9, "{with} nodes, {without} without");
}

#[test]
fn the_answer_is_the_same_whatever_the_threads_also_where_it_is_stopped() {
    let mut draw = Draw::new(34);
    let (mut complete, mut stopped, mut visited, mut from_stack) = (0, 0, 0, 0);
    for number in 0..240 {
        // Some have so many nodes that several of a stack are explored at once.
        let is_wide = number % 4 == 3;
        let columns = if is_wide { 5 } else { 2 + number % 3 };
        let table = table(&mut draw, columns, 60);
        let models = models(&[SPECS[draw.below(SPECS.len())]], &table);
        let metric = metric(&table, &mut draw);
        let problem =
            Problem::new(&table, &models, &*metric).allow_suppressed(budget(&table, &mut draw));
        let own = settings_of(&table, &mut draw);
        // Many rules leave few nodes.
        let mut rules = match draw.below(2) {
            0 if !is_wide => PruningRules::ALL,
            _ => PruningRules::NONE,
        };
        rules.program = number % 4 == 0;
        rules.seeding = number % 3 != 0;
        rules.delayed_expansion = number % 5 != 0;
        let manner = Manner {
            is_bottom_up: draw.below(2) == 0,
            rules,
        };
        let limit = [u64::MAX, 100_000, 10_000, 2_000][draw.below(4)];
        let before_improving = [u64::MAX, 1000][number % 2];
        // With little of it, nodes soon come from a stack; with hardly any, the search ends.
        let memory_limit = [problem.memory_limit, 400_000, 100_000, 20_000][draw.below(4)];
        let memory_limit = if is_wide { 160_000 } else { memory_limit };
        let answer = |threads: usize, limit: u64, memory_limit: usize| {
            let problem = problem.clone().limit_memory(memory_limit);
            let problem = problem.with_settings(Settings {
                threads,
                ..Settings::default()
            });
            let meter = Meter::unlimited();
            let part = meter.part(limit);
            let ground = Ground::new(&problem, &own, &meter).unwrap();
            let limited = Ground::of_thread(ground.data(), &part);
            let mut search = Search::new(&limited, manner);
            search.plan.work_before_improving = before_improving;
            search.plan.least_memory = 0;
            search.plan.most_eighths = 8;
            let Ok(answer) = search.answer() else {
                panic!("the search failed");
            };
            (answer, part.spent(), search.most_at_once_from_stack)
        };
        let (alone, work, at_once) = answer(1, limit, memory_limit);
        for threads in [2, 3, 8] {
            let (among, work_of_all, _) = answer(threads, limit, memory_limit);
            assert_eq!(among.best, alone.best, "case {number}, {threads} threads");
            assert_eq!(among.lower_bound, alone.lower_bound);
            assert_eq!(among.counts, alone.counts);
            assert_eq!(among.is_complete, alone.is_complete);
            assert_eq!(work_of_all, work);
        }
        match alone.is_complete {
            true => complete += 1,
            false => {
                stopped += 1;
                let (all, ..) = answer(3, u64::MAX, usize::MAX);
                assert!(all.is_complete);
                assert!(alone.lower_bound <= all.lower_bound * (1.0 + 1e-9));
            }
        }
        let is_long = alone.counts.nodes_visited > 32;
        visited += u64::from(is_long);
        from_stack += u64::from(at_once > 1);
    }
    let met = [complete, stopped, visited, from_stack];
    assert!(met.iter().all(|&met| met > 20), "{met:?}");
}
