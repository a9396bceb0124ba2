//! Judging a published file, whatever tool made it.
//!
//! Rows that are `*` in every column of the file are suppressed or blank rows (see [`Seen`](super::Seen)). They carry
//! no information, and code that counts a published file skips them, so that they neither enlarge a class nor count as
//! values.

use super::boxes::Boxes;
use super::classes::{Class, Classes, Exposure, RowsOfTuples};
use super::judge::Reached;
use super::population::match_classes;
use crate::counts::{CountedTable, LeafOrder, LeafSet};
use crate::hierarchy::{ANY, Group, Leaf};
use crate::lattice::Level;
use crate::privacy::PrivacyModel;
use crate::problem::Meter;
use crate::recode::{Labels, PublishedNumbers};
use crate::table::{Kind, parse_number};
use std::collections::{BTreeMap, BTreeSet};

/// How far a published file satisfies models.
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    /// Every model requested, and how far it is satisfied.
    pub reached: Vec<Reached>,
    /// Rows that are published.
    pub rows: u32,
    /// The number of classes.
    pub classes: usize,
    /// Rows of the smallest class; 0 if there is none.
    pub smallest_class: u32,
    /// What the file reveals regardless of the privacy models.
    pub exposure: Exposure,
}

impl Verification {
    /// Whether every model holds in every class.
    pub fn is_safe(&self) -> bool {
        self.reached.iter().all(|reached| reached.holds)
    }
}

/// Judges a published table: its values are taken literally, so its hierarchies do not matter.
pub fn verify(published: &CountedTable, models: &[Box<dyn PrivacyModel>]) -> Verification {
    verify_among(published, models, None, None)
}

/// The same, if the population that the rows are from is known: its hierarchies say what published values stand for. A label
/// that is on several levels is taken for the lowest, unless the level of each column is known.
pub fn verify_among(
    published: &CountedTable,
    models: &[Box<dyn PrivacyModel>],
    population: Option<&CountedTable>,
    levels: Option<&[Level]>,
) -> Verification {
    let meter = &Meter::unlimited();
    let classes = Classes::as_published(published, meter);
    let mut classes = classes.expect("nobody stops this");
    if let Some(population) = population {
        let reads_overlaps = models.iter().any(|model| model.reads_overlaps());
        let people = match_classes(published, (population, levels), &classes, reads_overlaps);
        classes.set_people(people);
    }
    let reached = classes.reached(models, meter);
    Verification {
        reached: reached.expect("nobody stops this"),
        rows: published.rows,
        classes: classes.published().count(),
        smallest_class: classes.published().map(Class::size).min().unwrap_or(0),
        exposure: classes.exposure(published),
    }
}

/// A published file compared with its original.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgainstOriginal {
    /// The level every quasi-identifier is published at; `None` when a column mixes levels or has
    /// values of no level.
    pub levels: Option<Vec<Level>>,
    /// Rows of the original that are not published.
    pub rows_suppressed: u32,
    /// Rows of the original that are `*` in every quasi-identifier as published: this many may be blank rows.
    pub rows_at_any: u32,
    /// Published rows that no row of the original accounts for.
    pub rows_invented: u32,
    /// What is wrong.
    pub violations: Vec<Violation>,
}

/// Something a release must not do to its original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// Values that are neither in the original nor in the hierarchy above it.
    UnknownValues {
        /// The column.
        column: String,
        /// How many distinct values.
        values: usize,
    },
    /// Rows that no row of the original accounts for.
    InventedRows {
        /// How many.
        rows: u32,
    },
    /// More rows than the original has.
    TooManyRows {
        /// How many more.
        rows: u32,
    },
}

/// Compares a published table with its original. Both must number the values of their counted columns in the same way;
/// the original's hierarchies say how values may be generalized.
///
/// Rows are compared class by class: a class may not be larger than the original's rows that generalize to it, nor
/// contain a sensitive value more often than they do. If published values of a column stand for some of the same raw
/// values, classes may claim the same rows; each is then compared by itself, which finds fewer problems.
///
/// A hierarchy may use a text on several levels. In a full-domain release it belongs to the level of its column; in
/// others it stands for the group of the highest level that has it. Published texts alone do not show which, so it is
/// enough that one of them is right. Where the whole tuple decides, `*` beside other texts is any value.
///
/// A mean or median does not say which numbers it stands for. If `numbers` says that they were published, any number is
/// accepted for any other.
pub fn compare_with_original(
    published: &CountedTable,
    original: &CountedTable,
    numbers: PublishedNumbers,
) -> AgainstOriginal {
    if numbers != PublishedNumbers::Interval {
        return compare_as(Reading::Centres, published, original);
    }
    let by_level = compare_as(Reading::Levels, published, original);
    if by_level.violations.is_empty() {
        return by_level;
    }
    let others = [Reading::Groups, Reading::Tuples].into_iter();
    let mut others = others.map(|reading| compare_as(reading, published, original));
    others
        .find(|it| it.violations.is_empty())
        .unwrap_or(by_level)
}

/// What texts of a column stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// The groups of one level, if a level has them all; otherwise each by itself.
    Levels,
    /// Each by itself; `*` beside others stands for the values that are not listed.
    Groups,
    /// Each by itself; `*` stands for any value, as where the whole tuple decides.
    Tuples,
    /// The same, and a number in a column of numbers stands for all of them.
    Centres,
}

fn compare_as(
    reading: Reading,
    published: &CountedTable,
    original: &CountedTable,
) -> AgainstOriginal {
    let meter = &Meter::unlimited();
    let classes = Classes::as_published(published, meter);
    let classes = classes.expect("nobody stops this");
    let rows_published = published.rows;
    let rows_original = original.rows + original.rows_excluded;
    let mut result = AgainstOriginal {
        rows_suppressed: rows_original.saturating_sub(rows_published),
        ..Default::default()
    };
    if rows_published > rows_original {
        result.violations.push(Violation::TooManyRows {
            rows: rows_published - rows_original,
        });
    }
    let mut columns = Vec::with_capacity(original.attributes.len());
    for position in 0..original.attributes.len() {
        match Column::read(reading, (published, original), &classes, position) {
            Ok(column) => columns.push(column),
            Err(violation) => result.violations.push(violation),
        }
    }
    if columns.len() < original.attributes.len() {
        return result;
    }
    (result.rows_invented, result.rows_at_any) = match columns.iter().any(|it| it.overlaps) {
        false => compare_classes(&columns, &classes, original, meter),
        true => compare_boxes(&columns, &classes, original),
    };
    if result.rows_invented > 0 {
        result.violations.push(Violation::InventedRows {
            rows: result.rows_invented,
        });
    }
    result.levels = columns.iter().map(|column| column.level).collect();
    result
}

/// Rows that the classes of the original, in the same groups, do not account for; and rows of the original that are `*`
/// in every column.
fn compare_classes(
    columns: &[Column],
    classes: &Classes,
    original: &CountedTable,
    meter: &Meter<'_>,
) -> (u32, u32) {
    let groups_of_leaves: Vec<Vec<u32>> = (columns.iter().zip(&original.attributes))
        .map(|(column, attribute)| column.groups_of_leaves(attribute.hierarchy.leaves()))
        .collect();
    let groups_of_leaves: Vec<&[u32]> = groups_of_leaves.iter().map(Vec::as_slice).collect();
    let originals = Classes::of_groups(original, &groups_of_leaves, meter);
    let originals = originals.expect("nobody stops this");
    let invented = classes.published().map(|class| {
        let groups: Vec<u32> = (columns.iter().zip(class.groups()))
            .map(|(column, value)| column.values[value])
            .collect();
        match originals.find(&groups) {
            Some(original) => class.rows_beyond(original),
            None => class.size(),
        }
    });
    let at_any = columns
        .iter()
        .zip(&groups_of_leaves)
        .map(|(column, groups)| {
            let leaf = column.any?;
            Some(groups[leaf.index()])
        });
    let at_any: Option<Vec<u32>> = at_any.collect();
    let at_any = at_any.and_then(|groups| originals.find(&groups));
    (invented.sum(), at_any.map_or(0, Class::size))
}

/// The same for classes whose boxes overlap: rows that the tuples of the original in the box of each class do not
/// account for.
fn compare_boxes(columns: &[Column], classes: &Classes, original: &CountedTable) -> (u32, u32) {
    let boxes = Boxes::new(original);
    let number = |(column, value): (&Column, &u32)| column.values[value];
    let mut all: Vec<(Vec<u32>, Class<'_>)> = (classes.published())
        .map(|class| {
            (
                columns.iter().zip(class.groups()).map(number).collect(),
                class,
            )
        })
        .collect();
    // Classes with the same box are compared one after the other, so that its rows are found once.
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    let invented = all
        .chunk_by(|(one, _), (other, _)| one == other)
        .map(|same| {
            let sides = columns.iter().zip(&same[0].0);
            let sides: Vec<&LeafSet> = sides
                .map(|(column, &number)| &column.covers[number as usize])
                .collect();
            let inside = RowsOfTuples::new(original, &boxes.inside(&sides));
            same.iter()
                .map(|(_, class)| class.rows_beyond_tuples(&inside))
                .sum::<u32>()
        });
    // Any row could be in a box that is `*` on every side.
    let has_any = columns.iter().all(|column| column.any.is_some());
    (invented.sum(), if has_any { original.rows } else { 0 })
}

/// What the published values of one column stand for in the original.
struct Column {
    /// The level they come from, when it is one.
    level: Option<Level>,
    /// The number of each published value.
    values: BTreeMap<u32, u32>,
    /// The leaves of the original that each number stands for.
    covers: Vec<LeafSet>,
    /// The order that they are runs of.
    order: LeafOrder,
    /// Whether some of them stand for the same leaf.
    overlaps: bool,
    /// A leaf that `*` stands for, in published rows or in blank ones.
    any: Option<Leaf>,
}

impl Column {
    fn read(
        reading: Reading,
        (published, original): (&CountedTable, &CountedTable),
        classes: &Classes,
        position: usize,
    ) -> Result<Self, Violation> {
        let attribute = &original.attributes[position];
        let hierarchy = &attribute.hierarchy;
        let values: BTreeSet<u32> = (classes.published())
            .map(|class| class.groups()[position])
            .collect();
        let label = |value: u32| published.attributes[position].hierarchy.text(Leaf(value));
        let labels = Labels::new(attribute);
        // Where several levels have all values, their labels stand for more rows the higher the level, so a row
        // that some level accounts for is accounted for at the highest.
        let levels = Level::up_to(hierarchy.height()).rev();
        for level in levels.filter(|_| reading == Reading::Levels) {
            let group = |&value: &u32| Some((value, hierarchy.group(level, label(value))?.0));
            if let Some(values) = values.iter().map(group).collect() {
                let groups = (0..hierarchy.groups(level) as u32).map(Group);
                let any = hierarchy.group(level, ANY);
                return Ok(Column {
                    level: Some(level),
                    any: any.and_then(|group| labels.first(labels.leaves_of(level, group))),
                    values,
                    covers: groups
                        .map(|it| labels.leaves_of(level, it).clone())
                        .collect(),
                    overlaps: false,
                    order: labels.order().clone(),
                });
            }
        }
        let any_is_a_leaf =
            matches!(reading, Reading::Levels | Reading::Groups) && values.len() > 1;
        let has_centres = reading == Reading::Centres && attribute.kind == Kind::Number;
        let centre = |text: &str| {
            let number = parse_number(text).filter(|_| has_centres)?;
            labels.all_numbers_around(number.get())
        };
        let (mut covers, mut numbers, mut unknown) = (Vec::new(), Vec::new(), 0);
        let mut of_centres = None;
        for &value in &values {
            let text = label(value);
            let next = covers.len() as u32;
            if let Some(cover) = centre(text) {
                // All centres stand for the same numbers.
                let number = *of_centres.get_or_insert(next);
                numbers.push(number);
                covers.extend((number == next).then_some(cover));
            } else if let Some(cover) = labels.read(text, any_is_a_leaf) {
                numbers.push(next);
                covers.push(cover);
            } else {
                unknown += 1;
            }
        }
        if unknown > 0 {
            return Err(Violation::UnknownValues {
                column: attribute.name.clone(),
                values: unknown,
            });
        }
        Ok(Column {
            level: None,
            values: values.into_iter().zip(numbers).collect(),
            overlaps: has_centres || labels.order().overlap(&covers),
            any: (labels.read(ANY, true)).and_then(|leaves| labels.first(&leaves)),
            covers,
            order: labels.order().clone(),
        })
    }

    /// For each leaf of the original, the number it is published as. Leaves that no published value stands for share
    /// the number after the last.
    fn groups_of_leaves(&self, leaves: usize) -> Vec<u32> {
        let mut groups = vec![self.covers.len() as u32; leaves];
        for (group, cover) in (0..).zip(&self.covers) {
            for position in cover.positions() {
                groups[self.order.leaf(position).index()] = group;
            }
        }
        groups
    }
}
