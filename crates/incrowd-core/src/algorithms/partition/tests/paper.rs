//! Figures 1, 5 and 8 and examples 1 to 5.

use super::*;

/// Work-class of figure 1: three, one, two and two values.
const WORK_CLASS: &[&[u32]] = &[&[0, 0, 0, 1, 2, 2, 3, 3], &[0; 8]];

fn children(scheme: Scheme, levels: &[&[u32]], of: &str) -> Vec<String> {
    let mut children: Vec<String> = space(scheme, levels)
        .joins(&partition(of))
        .iter()
        .map(text)
        .collect();
    children.sort();
    children
}

#[test]
fn work_class_has_as_many_generalizations_as_the_paper_says() {
    // The paper counts 17 cuts. Eight of them differ from others only in naming the one private value its group.
    assert_eq!(
        crate::algorithms::partition::scheme::ghs::cuts(&values(WORK_CLASS)),
        17
    );
    let counts = [3, 9, 40, 67, 128, 4140];
    for (scheme, count) in Scheme::ALL.into_iter().zip(counts) {
        let space = space(scheme, WORK_CLASS);
        assert_eq!(space.size(), f64::from(count), "{scheme}");
        assert_eq!(bottom_up(&space).len(), count as usize, "{scheme}");
        assert_eq!(top_down(&space).len(), count as usize, "{scheme}");
    }
}

#[test]
fn set_partitions_are_counted_by_bell_numbers_and_ordered_ones_by_powers_of_two() {
    let bell = [1, 1, 2, 5, 15, 52, 203, 877, 4140];
    for (values, &bell) in bell.iter().enumerate().skip(1).take(8) {
        let flat: &[&[u32]] = &[&vec![0; values]];
        assert_eq!(bottom_up(&space(Scheme::Sps, flat)).len(), bell);
        assert_eq!(top_down(&space(Scheme::Sps, flat)).len(), bell);
        assert_eq!(
            bottom_up(&space(Scheme::Ops, flat)).len(),
            1 << (values - 1)
        );
        // Without levels a guided scheme is the one it guides.
        assert_eq!(space(Scheme::Gsps, flat).size(), bell as f64);
        assert_eq!(
            space(Scheme::Gops, flat).size(),
            f64::from(1 << (values - 1))
        );
    }
}

#[test]
fn the_partitions_of_four_values_are_the_tree_of_figure_5() {
    let flat: &[&[u32]] = &[&[0; 4]];
    assert_eq!(
        children(Scheme::Sps, flat, "1|2|3|4"),
        [
            "1 2|3|4", "1 3|2|4", "1 4|2|3", "1|2 3|4", "1|2 4|3", "1|2|3 4"
        ]
    );
    assert_eq!(
        children(Scheme::Sps, flat, "1 2|3|4"),
        ["1 2 3|4", "1 2 4|3", "1 2|3 4"]
    );
    assert_eq!(children(Scheme::Sps, flat, "1|2 3|4"), ["1|2 3 4"]);
    assert_eq!(
        children(Scheme::Sps, flat, "1 3|2|4"),
        ["1 3 4|2", "1 3|2 4"]
    );
    assert_eq!(children(Scheme::Sps, flat, "1 4|2|3"), ["1 4|2 3"]);
    assert_eq!(children(Scheme::Sps, flat, "1 2 3|4"), ["1 2 3 4"]);
    for leaf in [
        "1|2|3 4", "1|2 4|3", "1 2|3 4", "1 2 4|3", "1 3|2 4", "1 3 4|2", "1 4|2 3",
    ] {
        assert!(children(Scheme::Sps, flat, leaf).is_empty(), "{leaf}");
    }
    assert_eq!(bottom_up(&space(Scheme::Sps, flat)).len(), 15);
}

#[test]
fn example_1_has_three_children_and_example_2_four() {
    let flat: &[&[u32]] = &[&[0; 5]];
    assert_eq!(
        children(Scheme::Sps, flat, "1|2 3|4|5"),
        ["1|2 3 4|5", "1|2 3 5|4", "1|2 3|4 5"]
    );
    assert_eq!(
        children(Scheme::Sps, flat, "1 4|2|3|5"),
        ["1 4 5|2|3", "1 4|2 3|5", "1 4|2 5|3", "1 4|2|3 5"]
    );
}

#[test]
fn example_3_has_three_children_by_one_attribute_and_one_by_the_other() {
    assert_eq!(
        children(Scheme::Sps, &[&[0; 4]], "1 2|3|4"),
        ["1 2 3|4", "1 2 4|3", "1 2|3 4"]
    );
    assert_eq!(children(Scheme::Sps, &[&[0; 2]], "1|2"), ["1 2"]);
}

#[test]
fn examples_4_and_5_have_one_guided_child() {
    let of = "1|2 3|4|5 6|7|8";
    for scheme in [Scheme::Gsps, Scheme::Gops] {
        assert_eq!(
            children(scheme, WORK_CLASS, of),
            ["1|2 3|4|5 6|7 8"],
            "{scheme}"
        );
    }
    // Without a hierarchy example 5 has two.
    assert_eq!(
        children(Scheme::Ops, WORK_CLASS, of),
        ["1|2 3|4|5 6 7|8", "1|2 3|4|5 6|7 8"]
    );
}
