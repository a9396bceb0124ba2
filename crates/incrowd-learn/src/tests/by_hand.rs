//! What cells stand for, folds, and rules as they are written.

use super::data::made;
use crate::decision_tree::DecisionTree;
use crate::partitioning::{Condition, Rule, follow, partition};
use crate::{Classifier, Column, Domain, Meaning, Sample, distance, folds};
use std::sync::Arc;

#[test]
fn an_interval_is_its_midpoint_and_a_missing_number_that_of_the_column() {
    let ages = Domain::Numbers(vec![10.0, 20.0, 35.0, f64::NAN]);
    let number = |values: &[u32]| Meaning::of_values(&ages, values.to_vec()).number();
    assert_eq!(number(&[1]), 20.0);
    assert_eq!(number(&[0, 1, 2]), 22.5);
    assert_eq!(number(&[1, 2, 3]), 27.5);
    assert_eq!(number(&[3]), 22.5);
    let mean = Meaning::of_number(&ages, 19.0);
    assert_eq!((mean.number(), mean.values), (19.0, vec![1]));
}

#[test]
fn a_set_has_an_equal_share_of_each_of_its_values() {
    let set = Meaning::of_values(&Domain::Texts(5), vec![0, 3, 4]);
    assert_eq!(set.share_of(&[3]), 1.0 / 3.0);
    assert_eq!(set.share_of(&[2]), 0.0);
    assert_eq!(set.share_of(&[0, 1, 2, 4]), 2.0 / 3.0);
}

#[test]
fn a_tree_learned_from_a_group_knows_all_its_values() {
    let jobs = Arc::new(Domain::Texts(4));
    let groups = [vec![0, 1], vec![2, 3]].map(|values| Meaning::of_values(&jobs, values));
    let released = Column {
        meanings: groups.to_vec(),
        codes: (0..40).map(|row| row / 20).collect(),
        domain: jobs.clone(),
    };
    let rows: Vec<u32> = (0..40).collect();
    let classes: Vec<u32> = released.codes.clone();
    let sample = Sample {
        features: &[released],
        classes: &classes,
        class_count: 2,
        rows: &rows,
    };
    let tree = DecisionTree::learn(&sample);
    let raw = Column::raw(jobs, vec![0, 1, 2, 3]);
    assert_eq!(tree.predict(&[raw], &[0, 1, 2, 3]), [0, 0, 1, 1]);
}

#[test]
fn folds_are_equally_large_and_decided_by_the_seed() {
    let fold_of_row = folds(23, 5, 1);
    let mut sizes: Vec<usize> = (0..5)
        .map(|fold| fold_of_row.iter().filter(|&&it| it == fold).count())
        .collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [4, 4, 5, 5, 5]);
    assert_eq!(fold_of_row, folds(23, 5, 1));
    assert_ne!(fold_of_row, folds(23, 5, 2));
}

#[test]
fn a_column_of_decades_is_nearer_to_its_numbers_than_one_of_stars() {
    let ages = Arc::new(Domain::Numbers((0..40).map(f64::from).collect()));
    let raw = Column::raw(ages.clone(), (0..40).chain(0..10).collect());
    let released = |width: u32| Column {
        meanings: (0..40 / width)
            .map(|at| Meaning::of_values(&ages, (at * width..(at + 1) * width).collect()))
            .collect(),
        codes: raw.codes.iter().map(|age| age / width).collect(),
        domain: ages.clone(),
    };
    assert_eq!(distance(&raw, &released(1)), 0.0);
    // Every number of ten has the rows it had.
    assert!(distance(&raw, &released(10)) < 1e-12);
    assert!(distance(&raw, &released(40)) > 0.05);
}

/// The rules of two cuts, with the rows of the majority and those on both sides of a boundary, for people of up to 60
/// of whom those of some ages are one class.
fn rules(column: &Column, ages: std::ops::Range<u32>) -> Vec<(String, u32, u32)> {
    let classes: Vec<u32> = (0..60).map(|age| u32::from(ages.contains(&age))).collect();
    let rows: Vec<u32> = (0..60).collect();
    let sample = Sample {
        features: std::slice::from_ref(column),
        classes: &classes,
        class_count: 2,
        rows: &rows,
    };
    let numbers = column.meanings.iter().map(|it| it.number().to_string());
    let texts = [numbers.collect::<Vec<_>>()];
    let mut found: Vec<(String, u32, u32)> = partition(&sample, 2)
        .iter()
        .map(|bucket| {
            let rule = Rule {
                conditions: &bucket.conditions,
                names: &["age".to_owned()],
                texts: &texts,
            };
            (
                rule.to_string(),
                bucket.majority_rows,
                bucket.overlapping_rows,
            )
        })
        .collect();
    found.sort_unstable();
    found
}

#[test]
fn rules_name_the_tightest_boundaries_whichever_was_cut_first() {
    let ages = Arc::new(Domain::Numbers((0..60).map(f64::from).collect()));
    let raw = Column::raw(ages, (0..60).collect());
    let rule = |text: &str, rows: u32| (text.to_owned(), rows, 0);
    let expected = [
        rule("age < 30", 30),
        rule("age >= 30 and age < 50", 20),
        rule("age >= 50", 10),
    ];
    assert_eq!(rules(&raw, 30..50), expected);
    let expected = [
        rule("age < 10", 10),
        rule("age < 30 and age >= 10", 20),
        rule("age >= 30", 30),
    ];
    assert_eq!(rules(&raw, 10..30), expected);
}

#[test]
fn rows_whose_interval_spans_a_boundary_are_counted() {
    let ages = Arc::new(Domain::Numbers((0..60).map(f64::from).collect()));
    let eights = Column {
        meanings: (0..8)
            .map(|at| Meaning::of_values(&ages, (at * 8..(at * 8 + 8).min(60)).collect()))
            .collect(),
        codes: (0..60).map(|age| age / 8).collect(),
        domain: ages,
    };
    // The intervals of 16 to 23 and of 48 to 55 are on the upper side of their midpoints.
    let found = rules(&eights, 20..48);
    let texts: Vec<&str> = found.iter().map(|it| it.0.as_str()).collect();
    assert_eq!(
        texts,
        ["age < 19.5", "age >= 19.5 and age < 51.5", "age >= 51.5"]
    );
    assert_eq!(found.iter().map(|it| it.2).collect::<Vec<_>>(), [0, 8, 8]);
}

#[test]
fn a_released_row_follows_a_rule_for_certain_if_every_raw_row_it_could_be_does() {
    let made = made();
    let conditions = |age: u32, hour: u32, job: u32| {
        vec![
            Condition::AtLeast(0, age),
            Condition::Below(1, hour),
            Condition::IsNot(2, job),
            Condition::Below(0, age + 12),
        ]
    };
    let mut met = [0; 3];
    for (age, hour, job) in [(0, 9, 0), (7, 5, 1), (10, 8, 2), (13, 3, 3)] {
        for rule in [
            conditions(age, hour, job),
            vec![Condition::Is(2, job)],
            vec![],
        ] {
            let followed = follow(&rule, &made.raw, (&made.released, 300));
            let holds = |condition: &Condition, values: [u32; 3]| match *condition {
                Condition::AtLeast(column, code) => values[column] >= code,
                Condition::Below(column, code) => values[column] < code,
                Condition::Is(column, code) => values[column] == code,
                Condition::IsNot(column, code) => values[column] != code,
            };
            let (mut certain, mut open) = (Vec::new(), 0);
            for row in 0..300 {
                let [ages, hours, jobs] = [0, 1, 2].map(|at: usize| made.released[at].meaning(row));
                let mut all = true;
                let mut any = false;
                for &age in &ages.values {
                    for &hour in &hours.values {
                        for &job in &jobs.values {
                            let follows = rule.iter().all(|it| holds(it, [age, hour, job]));
                            (all, any) = (all && follows, any || follows);
                        }
                    }
                }
                match (all, any) {
                    (true, _) => certain.push(row),
                    (false, true) => open += 1,
                    _ => met[2] += 1,
                }
            }
            met[0] += certain.len();
            met[1] += open as usize;
            assert_eq!((followed.certain, followed.open), (certain, open));
        }
    }
    assert!(met.iter().all(|&rows| rows > 50), "{met:?}");
}
