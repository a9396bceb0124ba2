//! Models about the rows of a population that match a class.

use super::super::{ClassView, ModelSpec, Monotonicity, PrivacyModel, Subject};

fn model(text: &str) -> Box<dyn PrivacyModel> {
    let spec: ModelSpec = text.parse().expect("a model");
    spec.build(Subject::default()).expect("complete")
}

fn class(size: u32, people: u32) -> ClassView<'static> {
    ClassView::of_size(size).with_people(people)
}

#[test]
fn k_map_counts_the_people_who_match() {
    let model = model("k-map(k=5)");
    assert!(model.holds(&class(1, 5)) && !model.holds(&class(4, 4)));
    assert_eq!(model.measure(&class(2, 7)), 7.0);
    // Nothing is known of the population.
    assert!(!model.holds(&ClassView::of_size(100)));
    assert_eq!(model.monotonicity(), Monotonicity::UnionWithAny);
    assert!(model.reads_population());
}

#[test]
fn delta_presence_bounds_the_share_of_them_in_the_table() {
    let both = model("delta-presence(min=0.2,max=0.5)");
    // Both bounds are inclusive.
    for (size, people, holds) in [
        (1, 5, true),
        (5, 10, true),
        (6, 10, false),
        (1, 6, false),
        (3, 10, true),
        (3, 0, false),
    ] {
        assert_eq!(both.holds(&class(size, people)), holds, "{size} {people}");
        let measure = both.measure(&class(size, people));
        assert_eq!(
            both.direction().meets(measure, 0.5),
            holds,
            "{size} {people}"
        );
    }
    assert_eq!(both.describe(None), "delta-presence(max=0.5,min=0.2)");
    assert_eq!(both.monotonicity(), Monotonicity::None);
    let upper = model("delta-presence(max=0.5)");
    assert!(upper.holds(&class(1, 1_000_000)));
    assert_eq!(upper.monotonicity(), Monotonicity::UnionOfKept);
    // A table and a population as large as can be overflow nothing.
    assert!(!both.holds(&class(u32::MAX, u32::MAX)));
    assert!(model("delta-presence(max=1)").holds(&class(u32::MAX, u32::MAX)));
}

#[test]
fn merging_does_what_is_declared() {
    let numbers = [(0, 3), (1, 4), (2, 3), (1, 9), (4, 4), (0, 1), (3, 7)];
    for text in ["k-map(k=5)", "delta-presence(max=0.5)"] {
        let model = model(text);
        let (mut with_any, mut of_kept) = (false, false);
        for (size, people) in numbers {
            for (other_size, other_people) in numbers {
                for beside in [0, 2] {
                    let union = class(size + other_size, people + other_people + beside);
                    let parts = [class(size, people), class(other_size, other_people)];
                    let [one, other] = parts.map(|part| model.holds(&part));
                    with_any |= (one || other) && !model.holds(&union);
                    of_kept |= one && other && !model.holds(&union);
                }
            }
        }
        assert!(!of_kept, "{text}");
        let survives_any = model.monotonicity() == Monotonicity::UnionWithAny;
        assert_eq!(survives_any, !with_any, "{text}");
    }
}
