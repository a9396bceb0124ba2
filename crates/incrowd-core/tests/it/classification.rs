//! What the classification algorithms are for: a decision tree grown on their release of Adult errs little more than
//! one grown on the raw table.

use crate::adult;
use incrowd_core::algorithms::{BottomUp, TopDown};
use incrowd_core::counts::CountedTable;
use incrowd_core::privacy::ModelSpec;
use incrowd_core::problem::{Assessor, Problem, Settings, Unwatched};
use incrowd_core::publish::publish;
use incrowd_core::recode::{ColumnRecoding, Recoding};
use incrowd_core::table::ValueCode;
use incrowd_core::utility::MetricSpec;
use incrowd_testkit::decision_tree::Sample;

/// The rows as published, in the order of tuples, with what is to be predicted.
fn sample(table: &CountedTable, recoding: &ColumnRecoding) -> Sample {
    let shown = recoding.attributes(table);
    let labels: Vec<Vec<&str>> = (0..shown.len())
        .map(|attribute| recoding.columns(table)[attribute].texts.clone())
        .collect();
    let mut features: Vec<Vec<&str>> = vec![Vec::new(); shown.len()];
    let mut target = Vec::new();
    for tuple in 0..table.tuples.len() {
        let histogram = table.tuples.histograms(0).class(tuple);
        for (&value, &rows) in histogram.values.iter().zip(histogram.counts) {
            for _ in 0..rows {
                target.push(table.columns[0].values.text(ValueCode(value)));
                for (attribute, feature) in features.iter_mut().enumerate() {
                    let leaf = table.leaf(tuple, attribute);
                    let group = shown[attribute].groups_of_leaves()[leaf.index()];
                    feature.push(labels[attribute][group as usize]);
                }
            }
        }
    }
    Sample::new(&features, &target)
}

#[test]
fn at_k_20_a_tree_errs_at_most_two_points_more_than_on_raw_data() {
    let table = adult::count(&adult::EIGHT, &["salary-class"]);
    let models = "k-anonymity(k=20)".parse::<ModelSpec>().unwrap();
    let models = models.build_all(&[], &[]).unwrap();
    let metric = "loss".parse::<MetricSpec>().unwrap().build(&table).unwrap();
    let with_levels = Problem::new(&table, &models, &*metric).with_settings(Settings {
        targets: vec![0],
        ..Settings::default()
    });
    let raw = ColumnRecoding::FullDomain(table.lattice().bottom());
    let raw_error = sample(&table, &raw).cross_validated_error(10, 1);
    let top = ColumnRecoding::FullDomain(table.lattice().top().clone());
    let top_error = sample(&table, &top).cross_validated_error(10, 1);
    let error = |problem: &Problem<'_>, top_down: bool| {
        // The anonymity is never broken on the way: every cut of top-down is safe, and bottom-up ends at the first.
        let mut rows_suppressed = Vec::new();
        let see: &mut dyn FnMut(&ColumnRecoding) = &mut |cut| {
            let assessed = Assessor::new(problem).assess_recoding(cut);
            rows_suppressed.push(assessed.rows_suppressed);
        };
        let (proposal, effort) = match top_down {
            true => TopDown::solve_counting(problem, &Unwatched, Some(see)).unwrap(),
            false => BottomUp::solve_counting(problem, &Unwatched, Some(see)).unwrap(),
        };
        let safe = rows_suppressed.iter().filter(|&&rows| rows == 0).count();
        assert_eq!(rows_suppressed.len() as u64, effort.steps + 1);
        assert_eq!(safe, if top_down { rows_suppressed.len() } else { 1 });
        let release = publish(problem, &proposal).unwrap();
        assert!(release.smallest_class() >= 20);
        let error =
            sample(&table, release.recoding().by_columns().unwrap()).cross_validated_error(10, 1);
        println!(
            "{} steps, {} candidates, {} visits, {} classes, error {error:.4}",
            effort.steps,
            effort.candidates,
            effort.visits,
            release.classes()
        );
        error
    };
    println!("raw {raw_error:.4}, nothing published {top_error:.4}");
    assert!(raw_error < 0.20 && top_error > 0.24, "the tree learns");
    assert!(error(&with_levels, true) <= raw_error + 0.02);
    // Its authors promise no bound for bottom-up; it must still tell more than nothing.
    assert!(error(&with_levels, false) < top_error - 0.01);
}

#[test]
fn ages_without_levels_are_cut_where_salaries_differ() {
    let table = adult::count(&["age", "sex"], &["salary-class"]);
    let models = "k-anonymity(k=20)".parse::<ModelSpec>().unwrap();
    let models = models.build_all(&[], &[]).unwrap();
    let metric = "loss".parse::<MetricSpec>().unwrap().build(&table).unwrap();
    let error = |without_hierarchy: Vec<usize>| {
        let problem = Problem::new(&table, &models, &*metric).with_settings(Settings {
            targets: vec![0],
            without_hierarchy,
            ..Settings::default()
        });
        let (proposal, _) = TopDown::solve_counting(&problem, &Unwatched, None).unwrap();
        let release = publish(&problem, &proposal).unwrap();
        let groups = release.recoding().groupings().unwrap()[0].groups();
        let error =
            sample(&table, release.recoding().by_columns().unwrap()).cross_validated_error(10, 1);
        (groups, error)
    };
    let raw = ColumnRecoding::FullDomain(table.lattice().bottom());
    let raw_error = sample(&table, &raw).cross_validated_error(10, 1);
    let (groups, cut_error) = error(vec![0]);
    assert!(groups > 2, "{groups} intervals of ages");
    assert!(cut_error <= raw_error + 0.02);
}
