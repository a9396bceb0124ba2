//! What must be true of every model, and of the registry.

use super::super::{ClassView, Counted, Decimal, MODELS, ModelSpec, Monotonicity, Subject};
use super::{Class, Random, SPECS, column, model, models};
use crate::counts::{FrequencySet, Histogram, Histograms};
use crate::error::Error;

#[test]
fn a_class_keeps_the_promise_exactly_when_its_measure_meets_the_parameter() {
    let mut random = Random(2);
    let mut ties = 0;
    for _ in 0..2000 {
        let table = random.table();
        let class = random.class(&mut table.clone());
        for model in models(&table) {
            let measure = model.measure(&class.view());
            let parameter = model.parameter().to_f64();
            let meets = model.direction().meets(measure, parameter);
            let holds = model.holds(&class.view());
            assert_eq!(holds, meets, "{model:?} {measure} {class:?}");
            ties += u32::from(measure == parameter);
        }
    }
    assert!(ties > 1000, "only {ties} cases were on the bound");
}

#[test]
fn models_that_read_no_counts_need_only_the_number_of_values() {
    let mut random = Random(7);
    for _ in 0..500 {
        let table = random.table();
        let class = random.class(&mut table.clone());
        let view = class.view();
        let any = vec![1; view.histogram.values.len()];
        let histogram = Histogram {
            values: &any,
            counts: &any,
        };
        let other = ClassView::new(view.size, histogram);
        for model in models(&table) {
            if model.column().is_none() || !model.reads_counts() {
                assert_eq!(model.measure(&other), model.measure(&view), "{model:?}");
                assert_eq!(model.holds(&other), model.holds(&view), "{model:?}");
            }
        }
    }
}

#[test]
fn models_that_read_the_table_are_those_that_it_matters_to() {
    let mut random = Random(11);
    for spec in SPECS {
        let mut matters = false;
        for _ in 0..500 {
            let (table, other) = (random.table(), random.table());
            let class = random.class(&mut table.clone());
            // Both tables must have every value of the class.
            let has_all = |table: &[u32]| {
                let values = class.view().histogram.values;
                values
                    .iter()
                    .all(|&value| table.get(value as usize).is_some_and(|&rows| rows > 0))
            };
            if !has_all(&other) {
                continue;
            }
            let measure = |table: &[u32]| model(spec, table).measure(&class.view());
            matters |= measure(&table) != measure(&other);
        }
        let model = model(spec, &random.table());
        assert_eq!(model.reads_table(), matters, "{spec}");
    }
}

/// Whether some two classes contradict each of: merged with any, union of kept.
fn contradictions(spec: &str) -> (bool, bool) {
    let mut random = Random(3);
    let (mut with_any, mut of_kept) = (false, false);
    for _ in 0..2000 {
        let table = random.table();
        let model = model(spec, &table);
        let mut left = table.clone();
        let (a, b) = (random.class(&mut left), random.class(&mut left));
        let union = a.union(&b);
        let [a, b, union] = [&a, &b, &union].map(|class| model.holds(&class.view()));
        with_any |= (a || b) && !union;
        of_kept |= a && b && !union;
    }
    (with_any, of_kept)
}

#[test]
fn declared_monotonicity_is_neither_too_strong_nor_too_weak() {
    for spec in SPECS {
        let model = model(spec, &[1, 1]);
        let found = match contradictions(spec) {
            (_, true) => Monotonicity::None,
            (true, _) => Monotonicity::UnionOfKept,
            (false, false) => Monotonicity::UnionWithAny,
        };
        assert_eq!(model.monotonicity(), found, "{model:?}");
    }
}

#[test]
fn models_describe_themselves_as_they_were_written() {
    for text in SPECS {
        let model = model(text, &[3, 2, 1]);
        assert_eq!(model.describe(None), *text);
        let with_column = model.describe(Some("a, b"));
        let spec: ModelSpec = with_column.parse().expect("canonical text is a model");
        if spec.entry().reads_column() {
            assert_eq!(with_column, text.replace(')', ",column=\"a, b\")"));
            assert_eq!(spec.column(), Some("a, b"));
        }
        assert_eq!(spec.with_column(None), model.spec());
    }
}

#[test]
fn another_parameter_makes_the_model_that_was_asked_for() {
    let mut random = Random(4);
    for _ in 0..200 {
        let table = random.table();
        let class = random.class(&mut table.clone());
        for model in models(&table) {
            for number in [1, 2, 3, 50] {
                let Ok(changed) = model.with_parameter(Decimal::from(number)) else {
                    assert!(
                        number > 1 && matches!(model.name(), "t-closeness" | "alpha-k-anonymity")
                    );
                    continue;
                };
                assert_eq!(changed.parameter(), Decimal::from(number));
                assert_eq!(changed.measure(&class.view()), model.measure(&class.view()));
                let spec = model
                    .spec()
                    .with_main(Decimal::from(number))
                    .expect("in range");
                assert_eq!(changed.spec(), spec);
                let built = spec
                    .build(Subject::column(0, &column(&table, &spec)))
                    .expect("the column fits");
                assert_eq!(changed.holds(&class.view()), built.holds(&class.view()));
            }
        }
    }
}

#[test]
fn a_parameter_out_of_range_is_refused_however_it_arrives() {
    for model in models(&[2, 2]) {
        let refused = model.with_parameter(Decimal::ZERO);
        if model.name() != "t-closeness" {
            assert!(
                matches!(refused, Err(Error::SettingOutOfRange { .. })),
                "{model:?}"
            );
        }
    }
    let half: Decimal = "1.5".parse().expect("a decimal");
    for name in [
        "k-anonymity(k=2)",
        "distinct-l-diversity(l=2)",
        "t-closeness(t=0)",
    ] {
        let refused = model(name, &[2, 2]).with_parameter(half);
        assert!(
            matches!(refused, Err(Error::SettingOutOfRange { .. })),
            "{name}"
        );
    }
}

#[test]
fn judging_a_node_is_judging_its_classes() {
    let mut random = Random(5);
    let table = [9, 8, 7, 6];
    let mut left = table;
    let classes: Vec<Class> = (0..5).map(|_| random.class(&mut left)).collect();
    let classes: Vec<&Class> = classes
        .iter()
        .filter(|class| !class.values.is_empty())
        .collect();
    let mut histograms = Histograms::default();
    for class in &classes {
        for (&value, &count) in class.values.iter().zip(&class.counts) {
            histograms.push(value, count);
        }
        histograms.end_class();
    }
    let node = FrequencySet {
        sizes: (classes.iter().map(|class| class.view().size))
            .collect::<Vec<_>>()
            .into(),
        histograms: vec![Some(histograms)],
        ..FrequencySet::default()
    };
    for model in models(&table) {
        let mut is_safe = vec![true; classes.len()];
        is_safe[0] = false;
        model.judge(&node, &mut is_safe);
        let mut measures = Vec::new();
        model.measure_all(&node, &mut measures);
        for (at, class) in classes.iter().enumerate() {
            assert_eq!(is_safe[at], at > 0 && model.holds(&class.view()));
            assert_eq!(measures[at], model.measure(&class.view()));
        }
    }
}

#[test]
fn the_largest_tables_overflow_nothing() {
    // N is 2^32 - 1; a class has one value of 2^32 - 8 rows, and as many values as fit the tree.
    let table = [u32::MAX - 7, 1, 1, 1, 1, 1, 1, 1];
    let classes = [
        Class::new(&table),
        Class::new(&[u32::MAX - 7]),
        Class::new(&[0, 0, 0, 0, 0, 0, 0, 1]),
    ];
    for class in &classes {
        for model in models(&table) {
            let most = model.with_parameter("4294967295.999999999".parse().expect("a decimal"));
            for model in most.ok().into_iter().chain([model]) {
                let measure = model.measure(&class.view());
                let meets = model.direction().meets(measure, model.parameter().to_f64());
                assert_eq!(model.holds(&class.view()), meets, "{model:?} {measure}");
            }
        }
    }
    // Many values, so that the amount moved along the ranks is large: all rows from the first to the last.
    let mut table = vec![42_000; 100_000];
    let mut counts = vec![0; 100_000];
    table[99_999] = u32::MAX - 42_000 * 99_999;
    counts[99_999] = table[99_999];
    let far = model("t-closeness(t=0.999999999,distance=ordered)", &table);
    assert!(far.measure(&Class::new(&counts).view()) > 0.4);
    assert!(far.holds(&Class::new(&counts).view()));
}

/// Whoever judges a node skips such models for classes that are not too small.
#[test]
fn of_models_that_count_rows_the_size_of_a_class_says_all() {
    let models = models(&[7, 2, 3]);
    let models = models
        .iter()
        .filter(|model| model.counted() == Some(Counted::Rows));
    let mut met = 0;
    for model in models {
        for size in 0..100 {
            let is_enough = size >= model.smallest_class();
            assert_eq!(
                model.holds(&ClassView::of_size(size)),
                is_enough,
                "{model:?}, {size}"
            );
        }
        assert_eq!(model.smallest_safe(), model.smallest_class());
        met += 1;
    }
    assert!(met > 0);
}

#[test]
fn a_class_without_rows_breaks_nothing() {
    for model in models(&[1, 2, 3]) {
        let class = ClassView::of_size(0);
        assert!(!model.measure(&class).is_nan(), "{model:?}");
        let _ = model.holds(&class);
    }
}

#[test]
fn every_entry_explains_itself() {
    for entry in MODELS {
        for heading in ["Paper", "Reached", "Merging", "Cost"] {
            assert!(
                entry.card.section(heading).is_some(),
                "{} {heading}",
                entry.name
            );
        }
        assert!(entry.summary().ends_with('.'), "{}", entry.name);
        let same = MODELS.iter().filter(|other| other.name == entry.name);
        assert_eq!(same.count(), 1);
    }
}
