//! How the values of each quasi-identifier are published, told by nothing but texts of the release and by counts.

use crate::error::Error;
use crate::report::released::{Branch, Generalized, LevelTold};
use crate::run::control::Control;
use incrowd_core::counts::{Attribute, LeafOrder};
use incrowd_core::hierarchy::Leaf;
use incrowd_core::lattice::Level;
use incrowd_core::publish::{PublishedValue, Release};
use incrowd_core::recode::Labels;
use std::collections::BTreeSet;

/// Published values quoted beside a picture.
const EXAMPLES: usize = 8;
/// Trees with more published values are not drawn.
const MOST_IN_A_TREE: usize = 24;

/// Every quasi-identifier.
pub(super) fn generalized(
    release: &Release<'_>,
    control: &Control,
) -> Result<Vec<Generalized>, Error> {
    let attributes = release.table().attributes.iter().enumerate();
    let mut columns = Vec::new();
    for (at, attribute) in attributes {
        control.check()?;
        let labels = Labels::new(attribute);
        let order = labels.order();
        let values = release.published_values(at, order);
        let level = release.node().map(|node| node.level(at));
        columns.push(column(attribute, order, &values, level));
    }
    Ok(columns)
}

fn column(
    attribute: &Attribute,
    order: &LeafOrder,
    values: &[PublishedValue<'_>],
    level: Option<Level>,
) -> Generalized {
    let mut by_rows: Vec<&PublishedValue<'_>> = values.iter().collect();
    by_rows.sort_by(|one, other| other.rows.cmp(&one.rows).then(one.text.cmp(other.text)));
    let examples = by_rows.iter().take(EXAMPLES);
    let paths: Option<Vec<Vec<u32>>> = (values.iter())
        .map(|value| path(attribute, order, value, level))
        .collect();
    let mut paths = paths.unwrap_or_default();
    paths.sort_unstable();
    paths.dedup();
    let is_in_hierarchy = !paths.is_empty();
    Generalized {
        levels: levels(attribute, &paths),
        tree: match paths.len() <= MOST_IN_A_TREE {
            true => tree(attribute, &paths),
            false => Vec::new(),
        },
        is_in_hierarchy,
        widths: match is_in_hierarchy {
            true => Vec::new(),
            false => widths(order, values),
        },
        examples: examples.map(|value| value.text.to_owned()).collect(),
        values_published: values.len() as u32,
    }
}

/// The groups that lead from the top of the hierarchy down to a published value; none if it is no value of it.
fn path(
    attribute: &Attribute,
    order: &LeafOrder,
    value: &PublishedValue<'_>,
    level: Option<Level>,
) -> Option<Vec<u32>> {
    let hierarchy = &attribute.hierarchy;
    let first = value.cover.ends()?.0;
    let leaf: Leaf = order.leaf(first);
    let is_of = |level: &Level| {
        let group = hierarchy.group_of(*level, leaf);
        let leaves = hierarchy.leaves_of_groups(*level)[group.0 as usize];
        leaves == value.cover.len() && hierarchy.label(*level, group) == value.text
    };
    let mut levels = (0..=hierarchy.height().0).map(Level);
    let level = level.or_else(|| levels.find(is_of))?;
    let down = (level.0..=hierarchy.height().0).rev();
    Some(
        down.map(|at| hierarchy.group_of(Level(at), leaf).0)
            .collect(),
    )
}

/// The levels from the raw values up. What is at or above a published value is counted in the release, what is below in
/// the table.
fn levels(attribute: &Attribute, paths: &[Vec<u32>]) -> Vec<LevelTold> {
    let hierarchy = &attribute.hierarchy;
    let height = usize::from(hierarchy.height().0);
    let longest = paths.iter().map(Vec::len).max().unwrap_or(0);
    let told = (0..=height).map(|at| {
        // The place of this level on a path.
        let place = height - at;
        let seen: BTreeSet<u32> = (paths.iter())
            .filter_map(|path| path.get(place).copied())
            .collect();
        LevelTold {
            name: hierarchy.level_name(Level(at as u8)).to_owned(),
            values: match place < longest {
                true => seen.len() as u32,
                false => attribute.distinct(Level(at as u8)),
            },
            published: paths.iter().filter(|path| path.len() == place + 1).count() as u32,
        }
    });
    told.collect()
}

/// The published values and what is above them. Paths are sorted, so that branches stay together.
fn tree(attribute: &Attribute, paths: &[Vec<u32>]) -> Vec<Branch> {
    let height = attribute.hierarchy.height().0;
    let mut branches: Vec<Branch> = Vec::new();
    // Where the last path goes through.
    let mut last: Vec<(u32, usize)> = Vec::new();
    for path in paths {
        let shared = (last.iter().zip(path)).take_while(|((group, _), other)| group == *other);
        let shared = shared.count();
        last.truncate(shared);
        for (place, &group) in path.iter().enumerate().skip(shared) {
            let parent = last.last().map(|&(_, branch)| branch);
            last.push((group, branches.len()));
            branches.push(Branch {
                level: height - place as u8,
                parent,
                is_published: place + 1 == path.len(),
            });
        }
    }
    branches
}

/// How wide published values are, by the share of the column's values that they cover.
const WIDTHS: [(&str, f64); 6] = [
    ("one exact value", 0.0),
    ("up to 5 % of its values", 0.05),
    ("5 to 10 %", 0.1),
    ("10 to 25 %", 0.25),
    ("25 to 50 %", 0.5),
    ("more than half", 1.0),
];
const EVERYTHING: &str = "any value";

fn widths(order: &LeafOrder, values: &[PublishedValue<'_>]) -> Vec<(&'static str, f64)> {
    let rows: f64 = values.iter().map(|value| f64::from(value.rows)).sum();
    let all = order.len();
    let label = |value: &PublishedValue<'_>| {
        let covered = value.cover.len();
        let share = f64::from(covered) / f64::from(all.max(1));
        match covered {
            1 => WIDTHS[0].0,
            covered if covered >= all => EVERYTHING,
            _ => (WIDTHS[1..].iter().find(|(_, most)| share <= *most))
                .map_or(EVERYTHING, |(label, _)| label),
        }
    };
    let labels = WIDTHS.iter().map(|(label, _)| *label).chain([EVERYTHING]);
    let told = labels.map(|wanted| {
        let of_width = values.iter().filter(|value| label(value) == wanted);
        let sum: f64 = of_width.map(|value| f64::from(value.rows)).sum();
        (wanted, sum / rows.max(1.0))
    });
    told.filter(|(_, share)| *share > 0.0).collect()
}
