use super::*;
use crate::error::Error;
use crate::hierarchy::{Group, Leaf};
use crate::numbers::Level;
use proptest::prelude::*;

fn adult(column: &str) -> Vec<u8> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/adult/hierarchies");
    std::fs::read(format!("{root}/{column}.csv")).unwrap()
}

fn listed<const N: usize>(rows: &[[&str; N]]) -> Result<Hierarchy, Error> {
    Hierarchy::from_rows("c", rows)
}

/// The labels of a leaf from level 0 up.
fn path<'a>(hierarchy: &'a Hierarchy, leaf: &str) -> Vec<&'a str> {
    let leaf = hierarchy.leaf(leaf).unwrap();
    Level::up_to(hierarchy.height())
        .map(|level| hierarchy.label(level, hierarchy.group_of(level, leaf)))
        .collect()
}

/// What every hierarchy promises.
pub(super) fn assert_sound(hierarchy: &Hierarchy) {
    let height = hierarchy.height();
    let leaves = hierarchy.leaves();
    assert!(height >= Level(1) && leaves >= 1);
    assert_eq!(hierarchy.groups(Level(0)), leaves);
    assert_eq!(hierarchy.groups(height), 1);
    assert!(hierarchy.parents(height).is_empty());
    for level in Level::up_to(height) {
        let of_leaf = hierarchy.groups_of_leaves(level);
        let groups = hierarchy.groups(level);
        assert_eq!(of_leaf.len(), leaves);
        let mut seen = 0;
        let mut counted = vec![0; groups];
        for (leaf, &group) in of_leaf.iter().enumerate() {
            assert!(
                group <= seen,
                "groups count up in the order of their first leaf"
            );
            seen = seen.max(group + 1);
            counted[group as usize] += 1;
            if level < height {
                let above = hierarchy.groups_of_leaves(level.above())[leaf];
                assert_eq!(hierarchy.parents(level)[group as usize], above);
            }
        }
        assert_eq!(seen as usize, groups);
        assert_eq!(counted, hierarchy.leaves_of_groups(level));
        if level < height {
            assert_eq!(hierarchy.parents(level).len(), groups);
            assert!(hierarchy.groups(level.above()) <= groups);
        }
        for group in (0..groups as u32).map(Group) {
            assert_eq!(
                hierarchy.group(level, hierarchy.label(level, group)),
                Some(group)
            );
        }
    }
}

/// What a hierarchy made by rule promises: a text that stands on two levels holds on the higher all that it holds on the
/// lower, so that whoever reads it knows what it stands for.
pub(super) fn assert_unambiguous(hierarchy: &Hierarchy) {
    for high in Level::up_to(hierarchy.height()).skip(1) {
        for group in (0..hierarchy.groups(high) as u32).map(Group) {
            let label = hierarchy.label(high, group);
            for low in Level::under(high) {
                let Some(same) = hierarchy.group(low, label) else {
                    continue;
                };
                let leaves = hierarchy.groups_of_leaves(low).iter().enumerate();
                for (leaf, _) in leaves.filter(|(_, of_leaf)| **of_leaf == same.0) {
                    let above = Group(hierarchy.groups_of_leaves(high)[leaf]);
                    assert_eq!(above, group, "`{label}` on levels {low} and {high}");
                }
            }
        }
    }
}

#[test]
fn the_hierarchies_of_adult_load() {
    let expected = [
        ("age", 4, 74),
        ("workclass", 3, 7),
        ("race", 2, 5),
        ("occupation", 2, 14),
        ("education", 4, 16),
        ("marital-status", 3, 7),
        ("sex", 1, 2),
        ("native-country", 2, 41),
    ];
    for (column, height, leaves) in expected {
        let height = Level(height);
        let hierarchy = parse(&adult(column), Options::new(column)).unwrap();
        assert_sound(&hierarchy);
        assert_eq!(
            (hierarchy.height(), hierarchy.leaves()),
            (height, leaves),
            "{column}"
        );
        assert_eq!(hierarchy.level_name(height), "any");
        assert_eq!(hierarchy.label(height, Group(0)), ANY);
    }
    let age = parse(&adult("age"), Options::new("age")).unwrap();
    assert_eq!(path(&age, "39"), ["39", "37-41", "37-46", "37-56", "*"]);
    assert_eq!([1, 2, 3].map(|level| age.groups(Level(level))), [15, 8, 4]);
}

#[test]
fn interval_rebuilds_the_age_hierarchy_of_adult() {
    let listed = parse(&adult("age"), Options::new("age")).unwrap();
    let ages: Vec<(&str, u32)> = (0..74).map(|leaf| (listed.text(Leaf(leaf)), 1)).collect();
    let spec: HierarchySpec = "interval:5,10,20@17".parse().unwrap();
    let built = spec.build("age", &ages).unwrap();
    let names = ["year", "5-year", "10-year", "20-year", "any"];
    // The bundled file keeps the labels it was published with.
    let bare = built
        .with_level_names(names)
        .to_csv()
        .replace(['[', ']'], "");
    assert_eq!(bare, listed.to_csv());
}

#[test]
fn leaves_and_groups_keep_the_order_of_the_rows() {
    let hierarchy = listed(&[["b", "Y", "*"], ["c", "X", "*"], ["a", "Y", "*"]]).unwrap();
    assert_sound(&hierarchy);
    assert_eq!(hierarchy.groups_of_leaves(Level(1)), [0, 1, 0]);
    assert_eq!(hierarchy.leaves_of_groups(Level(1)), [2, 1]);
    assert_eq!(hierarchy.parents(Level(0)), [0, 1, 0]);
    assert_eq!(hierarchy.leaf("c"), Some(Leaf(1)));
    assert_eq!(hierarchy.group(Level(1), "X"), Some(Group(1)));
    assert_eq!(hierarchy.group(Level::RAW, "X"), None);
}

#[test]
fn a_coarse_value_gets_stand_ins_where_it_has_none() {
    // Section 2.2 of the thesis: `Without pay` of level 2 has nothing below it.
    let rows = [
        vec!["Private", "Private", "With-pay", "*"],
        vec!["State-gov", "Government", "With-pay", "*"],
        vec!["Without-pay", "", "Without-pay", "*"],
        vec!["Never-worked", "*"],
        vec!["Unknown", "Unclear", "*", ""],
        vec!["", "", "", "*"],
    ];
    let work = Hierarchy::from_rows("workclass", rows).unwrap();
    assert_sound(&work);
    assert_eq!(
        path(&work, "Without-pay"),
        ["Without-pay", "Without-pay", "Without-pay", "*"]
    );
    assert_eq!(
        path(&work, "Never-worked"),
        ["Never-worked", "Never-worked", "Never-worked", "*"]
    );
    assert_eq!(
        path(&work, "Unknown"),
        ["Unknown", "Unclear", "Unclear", "*"]
    );
    assert_eq!(path(&work, ""), ["", "", "", "*"]);
}

#[test]
fn an_empty_cell_below_the_last_level_takes_its_label() {
    let hierarchy =
        listed(&[["a", "X", "Y", "*"], ["b", "", "", "*"], ["", "", "Y", "*"]]).unwrap();
    assert_eq!(path(&hierarchy, "b"), ["b", "*", "*", "*"]);
    assert_eq!(path(&hierarchy, ""), ["", "Y", "Y", "*"]);
}

#[test]
fn a_last_level_of_several_groups_gets_a_top() {
    let hierarchy = listed(&[["a", "X"], ["b", "Y"]]).unwrap();
    assert_sound(&hierarchy);
    assert_eq!(path(&hierarchy, "b"), ["b", "Y", "*"]);
    let values_only = listed(&[["a"], ["b"]]).unwrap();
    assert_eq!(path(&values_only, "b"), ["b", "*"]);
    let one_value = listed(&[["a"]]).unwrap();
    assert_eq!(path(&one_value, "a"), ["a", "*"]);
    let named_top = listed(&[["a", "all"], ["b", "all"]]).unwrap();
    assert_eq!(path(&named_top, "b"), ["b", "all"]);
}

#[test]
fn a_value_may_be_listed_again_but_not_differently() {
    let again = listed(&[["a", "X", "*"], ["b", "X", "*"], ["a", "X", "*"]]).unwrap();
    assert_sound(&again);
    assert_eq!(again.leaves(), 2);
    let error = listed(&[["a", "X", "*"], ["b", "Y", "*"], ["a", "Y", "*"]]).unwrap_err();
    assert_eq!(
        error,
        Error::HierarchyValueTwice {
            column: "c".into(),
            line: 3,
            first_line: 1
        }
    );
    assert_eq!(error.place().as_deref(), Some("lines 1 and 3"));
}

#[test]
fn a_level_that_splits_is_refused() {
    let rows = [
        ["a", "X", "P", "*"],
        ["b", "X", "P", "*"],
        ["c", "X", "Q", "*"],
    ];
    let expected = Error::HierarchyLevelSplits {
        column: "c".into(),
        level: Level(1),
        line: 3,
        first_line: 1,
    };
    assert_eq!(listed(&rows).unwrap_err(), expected);
}

#[test]
fn too_many_levels_no_rows_and_bare_values_are_refused() {
    let row = |cells: usize| vec!["x".to_string(); cells];
    let deep = Hierarchy::from_rows("c", [row(MAX_LEVELS)]).unwrap();
    assert_eq!(deep.height().index(), MAX_LEVELS - 1);
    let limit = MAX_LEVELS;
    let other = vec!["y".to_string(); 127];
    for rows in [vec![row(128)], vec![row(127), other]] {
        let expected = Error::HierarchyTooManyLevels {
            column: "c".into(),
            levels: 128,
            limit,
        };
        assert_eq!(Hierarchy::from_rows("c", rows).unwrap_err(), expected);
    }
    let empty = Error::HierarchyEmpty { column: "c".into() };
    assert_eq!(
        Hierarchy::from_rows("c", Vec::<Vec<&str>>::new()).unwrap_err(),
        empty
    );
    assert_eq!(listed(&[["", ""]]).unwrap_err(), empty);
    let error = Hierarchy::from_rows("c", [vec!["a", "*"], vec!["b"]]).unwrap_err();
    assert_eq!(
        error,
        Error::HierarchyRowTooShort {
            column: "c".into(),
            line: 2,
            cells: 1,
            levels: 2
        }
    );
}

#[test]
fn a_short_row_that_does_not_end_where_the_others_do_is_refused() {
    let short = |rows: &[&[&str]]| match Hierarchy::from_rows("c", rows.iter().copied()) {
        Err(Error::HierarchyRowTooShort { line, .. }) => Some(line),
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    };
    // The first use of issue 9: `a` was moved to a group `x` beside `*`, and level 1 was raw.
    assert_eq!(short(&[&["a", "x"], &["b", "x", "*"]]), Some(1));
    assert_eq!(short(&[&["b", "x", "*"], &["a", "x", ""]]), Some(2));
    assert_eq!(
        short(&[&["a", "X", "P"], &["b", "Y", "Q"], &["c", "Q"]]),
        Some(3)
    );
    assert_eq!(short(&[&["a", "X", "all"], &["b", "*"]]), Some(2));
    assert_eq!(short(&[&["a", "X", "all"], &["b", "all"]]), None);
    assert_eq!(short(&[&["a", "X", "*"], &["b", "*"]]), None);
}

#[test]
fn the_missing_value_has_a_branch_of_its_own() {
    let rows = [["a", "X", "all"], ["b", "X", "all"]];
    let hierarchy = listed(&rows)
        .unwrap()
        .with_extra_leaf("", ExtraLeaf::OwnBranch);
    assert_sound(&hierarchy);
    assert_eq!(path(&hierarchy, ""), ["", "", "all"]);
    assert_eq!(
        hierarchy
            .with_extra_leaf("", ExtraLeaf::Suppressed)
            .leaves(),
        3
    );
}

#[test]
fn suppressed_values_share_one_leaf() {
    let rows = [["a", "X", "*"], ["b", "X", "*"]];
    let mut hierarchy = listed(&rows).unwrap();
    assert_eq!(hierarchy.unlisted(["a", "c", "b", "d", ""]), [1, 3, 4]);
    for value in ["c", "d", "c"] {
        hierarchy = hierarchy.with_extra_leaf(value, ExtraLeaf::Suppressed);
    }
    assert_sound(&hierarchy);
    assert_eq!(hierarchy.leaves(), 3);
    assert_eq!(path(&hierarchy, "c"), ["*", "*", "*"]);
    assert_eq!(hierarchy.leaf("d"), hierarchy.leaf("c"));
    assert!(hierarchy.unlisted(["c", "d"]).is_empty());
    assert!(hierarchy.leaf("e").is_none());
}

#[test]
fn an_extra_leaf_follows_a_group_of_its_name() {
    let rows = [["a", "*", "B", "all"], ["b", "C", "B", "all"]];
    let hierarchy = listed(&rows)
        .unwrap()
        .with_extra_leaf("x", ExtraLeaf::Suppressed);
    assert_sound(&hierarchy);
    assert_eq!(path(&hierarchy, "x"), ["*", "*", "B", "all"]);
}

proptest! {
    #[test]
    fn rows_that_are_accepted_are_sound_and_survive_being_written(
        rows in prop::collection::vec(prop::collection::vec("[ab*,;\"\n ]{0,2}", 1..5), 1..8),
        extra in "[ab]{0,2}",
        suppressed in any::<bool>(),
    ) {
        if let Ok(hierarchy) = Hierarchy::from_rows("c", rows) {
            assert_sound(&hierarchy);
            let kind = if suppressed { ExtraLeaf::Suppressed } else { ExtraLeaf::OwnBranch };
            let hierarchy = hierarchy.with_extra_leaf(&extra, kind);
            assert_sound(&hierarchy);
            let written = hierarchy.to_csv();
            let options = Options::new("c").with_header(Header::Yes).with_delimiter(b',');
            let read = parse(written.as_bytes(), options).unwrap();
            prop_assert_eq!(read.to_csv(), written);
        }
    }

    #[test]
    fn trees_are_always_accepted(leaves in 1_u32..40, factors in prop::collection::vec(2_u32..5, 0..4)) {
        let rows = (0..leaves).map(|leaf| {
            let mut group = leaf;
            let mut cells = vec![leaf.to_string()];
            for factor in &factors {
                group /= factor;
                cells.push(group.to_string());
            }
            cells
        });
        let hierarchy = Hierarchy::from_rows("c", rows).unwrap();
        assert_sound(&hierarchy);
        prop_assert_eq!(hierarchy.leaves(), leaves as usize);
    }
}
