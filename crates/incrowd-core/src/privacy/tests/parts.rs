//! How much of a class can be kept, against all ways to divide it.

use super::super::{ClassView, PrivacyModel};
use super::{Class, Random, SPECS, model};

/// Every choice of no more than these counts.
fn parts(counts: &[u32]) -> Vec<Vec<u32>> {
    counts.iter().fold(vec![Vec::new()], |parts, &count| {
        let longer = |part: &Vec<u32>| {
            let part = part.clone();
            (0..=count).map(move |taken| [&part[..], &[taken]].concat())
        };
        parts.iter().flat_map(longer).collect()
    })
}

/// The most rows that any division into classes keeps, by trying all of them: the rows of a part that is kept and the most of
/// what it leaves over.
fn most_kept_by_trial(model: &dyn PrivacyModel, counts: &[u32]) -> u32 {
    let all = parts(counts);
    let kept: Vec<&Vec<u32>> = all
        .iter()
        .filter(|part| part.iter().any(|&count| count > 0))
        .filter(|part| model.holds(&Class::new(part).view()))
        .collect();
    let mut most: std::collections::BTreeMap<&[u32], u32> = Default::default();
    // A part is listed after all parts of it.
    for whole in &all {
        let fits = kept
            .iter()
            .filter(|part| part.iter().zip(whole).all(|(a, b)| a <= b));
        let rows = fits.map(|part| {
            let left: Vec<u32> = whole
                .iter()
                .zip(*part)
                .map(|(all, taken)| all - taken)
                .collect();
            part.iter().sum::<u32>() + most[&left[..]]
        });
        most.insert(whole, rows.max().unwrap_or(0));
    }
    most[counts]
}

#[test]
fn no_division_of_a_class_keeps_more_of_it() {
    let mut random = Random(21);
    for spec in SPECS {
        let mut told = 0;
        for _ in 0..150 {
            let table: Vec<u32> = (0..2 + random.below(3))
                .map(|_| 1 + random.below(9))
                .collect();
            let model = model(spec, &table);
            let counts: Vec<u32> = (table.iter())
                .map(|&rows| random.below(rows.min(3) + 1))
                .collect();
            let class = Class::new(&counts);
            if class.view().size == 0 {
                continue;
            }
            let (most, by_trial) = (
                model.most_kept(&class.view()),
                most_kept_by_trial(&*model, &counts),
            );
            assert!(
                most >= by_trial,
                "{spec} {counts:?} of {table:?}: {most} is less than {by_trial}"
            );
            assert!(most <= class.view().size);
            if !model.holds(&class.view()) {
                told += u32::from(most < class.view().size);
            }
        }
        assert!(told > 0, "{spec} never says anything");
    }
}

#[test]
fn of_large_classes_no_part_that_is_kept_is_larger() {
    let mut random = Random(22);
    for _ in 0..3000 {
        let table = random.table();
        let class = random.class(&mut table.clone());
        let counts: Vec<u32> = (0..table.len() as u32)
            .map(|value| class.count(value))
            .collect();
        let part: Vec<u32> = counts
            .iter()
            .map(|&count| random.below(count + 1))
            .collect();
        let part = Class::new(&part);
        for spec in SPECS {
            let model = model(spec, &table);
            if part.view().size > 0 && model.holds(&part.view()) {
                let most = model.most_kept(&class.view());
                assert!(
                    most >= part.view().size,
                    "{spec}: {most} of {counts:?}, of {table:?}"
                );
            }
        }
    }
}

#[test]
fn no_class_around_that_is_kept_is_smaller() {
    let mut random = Random(24);
    for spec in SPECS {
        let (mut told, mut exact) = (0, 0);
        for _ in 0..150 {
            let table: Vec<u32> = (0..2 + random.below(3))
                .map(|_| 1 + random.below(5))
                .collect();
            let model = model(spec, &table);
            let counts: Vec<u32> = (table.iter())
                .map(|&rows| random.below(rows.min(3) + 1))
                .collect();
            let class = Class::new(&counts);
            if class.view().size == 0 {
                continue;
            }
            let fewest = model.fewest_around(&class.view());
            // Every choice of further rows.
            let left: Vec<u32> = table
                .iter()
                .zip(&counts)
                .map(|(all, of)| all - of)
                .collect();
            let around = parts(&left).into_iter().map(|more| {
                let counts: Vec<u32> = more.iter().zip(&counts).map(|(a, b)| a + b).collect();
                Class::new(&counts)
            });
            let kept = around.filter(|around| model.holds(&around.view()));
            let by_trial = kept.map(|around| around.view().size).min();
            assert!(
                by_trial.is_none_or(|least| fewest <= least),
                "{spec} {counts:?} of {table:?}: {fewest} is more than {by_trial:?}"
            );
            assert!(fewest >= class.view().size);
            told += u32::from(fewest > class.view().size);
            exact += u32::from(by_trial == Some(fewest));
        }
        let says_nothing = ["ordered", "hierarchical"].iter();
        let says_nothing = says_nothing
            .copied()
            .any(|distance| spec.contains(distance));
        assert!(says_nothing || told > 0, "{spec} never says anything");
        assert!(exact > 0, "{spec} is never right");
    }
}

#[test]
fn people_who_match_a_class_are_divided_too() {
    let model = super::super::DeltaPresence {
        max: "0.5".parse().expect("a decimal"),
        min: "0".parse().expect("a decimal"),
    };
    let most = |size, people| model.most_kept(&ClassView::of_size(size).with_people(people));
    assert_eq!(
        (most(4, 8), most(5, 8), most(5, 0), most(5, 1)),
        (4, 4, 0, 0)
    );
}

#[test]
fn no_smaller_class_keeps_the_promise() {
    let mut random = Random(23);
    for spec in SPECS {
        for _ in 0..300 {
            let table: Vec<u32> = (0..2 + random.below(3))
                .map(|_| 1 + random.below(9))
                .collect();
            let model = model(spec, &table);
            let smallest = model.smallest_safe();
            assert!(smallest >= model.smallest_class());
            let counts: Vec<u32> = (table.iter())
                .map(|&rows| random.below(rows.min(4) + 1))
                .collect();
            let class = Class::new(&counts);
            if class.view().size > 0 && model.holds(&class.view()) {
                assert!(
                    class.view().size >= smallest,
                    "{spec} {counts:?} of {table:?}: {smallest}"
                );
            }
        }
    }
}
