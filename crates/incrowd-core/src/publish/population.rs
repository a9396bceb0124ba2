//! Who in a population a published row could be.
//!
//! The texts of a published table are read back with the hierarchies of the population's table. Every reading is the
//! narrowest one, since a match too many would make a file look safer than it is.

use super::boxes::Boxes;
use super::classes::{Classes, PeopleOfClasses};
use super::texts::{PublishedTexts, TextsOf};
use crate::counts::{CountedTable, LeafOrder, LeafSet, Work};
use crate::hierarchy::{Hierarchy, Leaf};
use crate::lattice::Level;
use crate::problem::{Interruption, Meter};
use crate::recode::Labels;
use crate::table::parse_number;
use std::collections::BTreeSet;

/// A class of a published table, and who it could be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchedClass {
    /// Rows of the class.
    pub size: u32,
    /// Rows of the population whose raw values are among those that the published ones stand for.
    pub people: u32,
}

/// Looks up every class of a published table, whose values are taken literally, in the table of a population with the same
/// quasi-identifiers. A text that stands for no value of the population matches nobody.
pub fn match_population(published: &CountedTable, population: &CountedTable) -> Vec<MatchedClass> {
    let columns = Column::read_all(published, population, None);
    let sides = (0..published.tuples.len()).map(|tuple| sides_of(&columns, published, tuple));
    let people = people_of(population, &columns, sides);
    let sizes = published.tuples.sizes().iter().zip(people);
    sizes
        .map(|(&size, people)| MatchedClass { size, people })
        .collect()
}

/// The same for the classes of the published table, which also says who matches several if that matters.
pub(super) fn match_classes(
    published: &CountedTable,
    (population, levels): (&CountedTable, Option<&[Level]>),
    classes: &Classes,
    reads_overlaps: bool,
) -> PeopleOfClasses {
    let columns = Column::read_all(published, population, levels);
    let mut sides = vec![None; classes.sizes().len()];
    for (tuple, &class) in classes.of_all_tuples().iter().enumerate() {
        sides[class as usize] = sides_of(&columns, published, tuple);
    }
    let sharing = match reads_overlaps && columns.iter().any(|column| column.overlaps) {
        false => Vec::new(),
        true => {
            let boxes: Vec<Option<Vec<&LeafSet>>> = (sides.iter())
                .map(|sides| sides.as_deref().map(|sides| covers_of(&columns, sides)))
                .collect();
            let inside = inside_all(&Boxes::new(population), &boxes, &Meter::unlimited());
            let inside = inside.expect("nobody stops this");
            sharing_people(population.tuples.len(), &inside)
        }
    };
    PeopleOfClasses {
        of_classes: people_of(population, &columns, sides.into_iter()),
        sharing,
    }
}

/// The cover of each column that a published tuple has; none if one of its texts stands for nothing.
fn sides_of(columns: &[Column], published: &CountedTable, tuple: usize) -> Option<Vec<u32>> {
    let sides = columns.iter().enumerate();
    sides
        .map(|(at, column)| column.sides[published.leaf(tuple, at).index()])
        .collect()
}

fn covers_of<'c>(columns: &'c [Column], sides: &[u32]) -> Vec<&'c LeafSet> {
    let covers = columns.iter().zip(sides);
    covers
        .map(|(column, &side)| &column.covers[side as usize])
        .collect()
}

/// How many people have values in each of these covers.
fn people_of(
    population: &CountedTable,
    columns: &[Column],
    sides: impl Iterator<Item = Option<Vec<u32>>>,
) -> Vec<u32> {
    if columns.iter().any(|column| column.overlaps) {
        let boxes = Boxes::new(population);
        let people = |sides: Vec<u32>| {
            let inside = boxes.inside(&covers_of(columns, &sides));
            people_in(population, &inside)
        };
        return sides.map(|sides| sides.map_or(0, people)).collect();
    }
    let groups: Vec<Vec<u32>> = columns.iter().map(Column::sides_of_leaves).collect();
    let groups: Vec<&[u32]> = groups.iter().map(Vec::as_slice).collect();
    let classes = Classes::of_groups(population, &groups, &Meter::unlimited());
    let classes = classes.expect("nobody stops this");
    let people = |sides: Vec<u32>| classes.find(&sides).map_or(0, |class| class.size());
    sides.map(|sides| sides.map_or(0, people)).collect()
}

/// The people that some tuples of a population stand for.
fn people_in(population: &CountedTable, tuples: &[u32]) -> u32 {
    let sizes = population.tuples.sizes();
    tuples.iter().map(|&tuple| sizes[tuple as usize]).sum()
}

/// The tuples of a population in each box; none in what is no box.
fn inside_all(
    tree: &Boxes,
    boxes: &[Option<Vec<&LeafSet>>],
    meter: &Meter<'_>,
) -> Result<Vec<Vec<u32>>, Interruption> {
    let inside = boxes.iter().map(|covers| {
        let inside = covers.as_ref().map(|covers| tree.inside(covers));
        let inside = inside.unwrap_or_default();
        meter.spend(Work::of(1 + inside.len()))?;
        Ok(inside)
    });
    inside.collect()
}

/// For each class the others that have a tuple of the population in common with it, given the tuples of each.
fn sharing_people(tuples: usize, inside: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut classes_of_tuples: Vec<Vec<u32>> = vec![Vec::new(); tuples];
    for (class, tuples) in (0..).zip(inside) {
        for &tuple in tuples {
            classes_of_tuples[tuple as usize].push(class);
        }
    }
    let mut sharing: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); inside.len()];
    for (class, tuples) in (0..).zip(inside) {
        let others = tuples
            .iter()
            .flat_map(|&it| &classes_of_tuples[it as usize]);
        sharing[class as usize].extend(others.filter(|&&other| other != class));
    }
    let lists = sharing
        .into_iter()
        .map(|others| others.into_iter().collect());
    lists.collect()
}

/// The rows of a table's population that match each class of its release: those whose values are among the ones that the texts
/// of the class stand for. None match if there is no population. Who matches several classes is found if that matters.
pub(super) fn people_of_classes(
    table: &CountedTable,
    texts: &[PublishedTexts],
    classes: &Classes,
    reads_overlaps: bool,
    meter: &Meter<'_>,
) -> Result<PeopleOfClasses, Interruption> {
    let Some(population) = &table.population else {
        return Ok(PeopleOfClasses::default());
    };
    let by_leaf = texts.iter().map(|texts| match texts.cells() {
        TextsOf::Leaves(texts) => Some(texts.as_slice()),
        TextsOf::Tuples { .. } => None,
    });
    if let Some(groups) = by_leaf.collect::<Option<Vec<&[u32]>>>() {
        let people = Classes::of_groups(population, &groups, meter)?;
        let people = classes.all().map(|class| {
            let alike = people.find(class.groups());
            alike.map_or(0, |class| class.size())
        });
        return Ok(PeopleOfClasses {
            of_classes: people.collect(),
            sharing: Vec::new(),
        });
    }
    let attributes = table.attributes.iter().zip(texts);
    let covers: Vec<Vec<LeafSet>> = attributes
        .map(|(attribute, texts)| match texts.cells() {
            TextsOf::Tuples { covers, .. } => covers.clone(),
            TextsOf::Leaves(of_leaves) => {
                let order = LeafOrder::new(attribute);
                let leaves = |text: u32| {
                    let leaves = (0..).zip(of_leaves);
                    leaves.filter_map(move |(leaf, of)| (*of == text).then_some(leaf))
                };
                let texts = 0..texts.texts().len() as u32;
                texts.map(|text| order.set(leaves(text))).collect()
            }
        })
        .collect();
    let boxes: Vec<Option<Vec<&LeafSet>>> = (classes.all())
        .map(|class| {
            let sides = covers.iter().zip(class.groups());
            let sides = sides.map(|(covers, &text)| &covers[text as usize]);
            Some(sides.collect())
        })
        .collect();
    let tree = Boxes::new(population);
    if reads_overlaps {
        let inside = inside_all(&tree, &boxes, meter)?;
        return Ok(PeopleOfClasses {
            of_classes: inside.iter().map(|it| people_in(population, it)).collect(),
            sharing: sharing_people(population.tuples.len(), &inside),
        });
    }
    // One box after the other, since all of them together may hold everybody many times.
    let mut of_classes = Vec::with_capacity(boxes.len());
    for one in boxes.chunks(1) {
        let inside = inside_all(&tree, one, meter)?;
        of_classes.extend(inside.iter().map(|it| people_in(population, it)));
    }
    Ok(PeopleOfClasses {
        of_classes,
        sharing: Vec::new(),
    })
}

/// The numbers of the population in an interval `[low-high]` that its own levels do not have, as those of the table were made
/// from other values.
fn numbers_within(hierarchy: &Hierarchy, order: &LeafOrder, text: &str) -> Option<LeafSet> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let dashes = inner.match_indices('-').map(|(at, _)| at);
    let (low, high) = dashes
        .filter_map(|at| Some((parse_number(&inner[..at])?, parse_number(&inner[at + 1..])?)))
        .find(|(low, high)| low <= high)?;
    let leaves = (0..hierarchy.leaves() as u32).map(Leaf).filter(|&leaf| {
        let number = parse_number(hierarchy.text(leaf));
        number.is_some_and(|number| low <= number && number <= high)
    });
    let within: Vec<u32> = leaves.map(|leaf| leaf.0).collect();
    (!within.is_empty()).then(|| order.set(within))
}

/// What the texts of one column stand for in the population.
struct Column {
    /// For each text, by its leaf in the published table, the number of its cover.
    sides: Vec<Option<u32>>,
    covers: Vec<LeafSet>,
    order: LeafOrder,
    /// Whether some of them share a raw value.
    overlaps: bool,
}

impl Column {
    fn read_all(
        published: &CountedTable,
        population: &CountedTable,
        levels: Option<&[Level]>,
    ) -> Vec<Self> {
        let columns = 0..published.attributes.len();
        let level = |at| levels.and_then(|levels| levels.get(at).copied());
        columns
            .map(|at| Column::read(published, population, at, level(at)))
            .collect()
    }

    /// A label may be on several levels. It is taken for the lowest, unless the level is known.
    fn read(
        published: &CountedTable,
        population: &CountedTable,
        at: usize,
        known: Option<Level>,
    ) -> Self {
        let texts = &published.attributes[at].hierarchy;
        let used = |leaf: &Leaf| published.attributes[at].rows_of_groups[0][leaf.index()] > 0;
        let leaves: Vec<Leaf> = (0..texts.leaves() as u32).map(Leaf).filter(used).collect();
        let attribute = &population.attributes[at];
        let hierarchy = &attribute.hierarchy;
        let labels = Labels::new(attribute);
        // A raw table may have values that the population has not; they decide nothing.
        let are_many = leaves.len() > 1;
        let read = |leaf: Leaf| {
            let text = texts.text(leaf);
            let within = || numbers_within(hierarchy, labels.order(), text);
            labels.read(text, are_many).or_else(within)
        };
        let is_readable = |leaf: &&Leaf| read(**leaf).is_some();
        let readable: Vec<Leaf> = leaves.iter().filter(is_readable).copied().collect();
        let is_on = |level: &Level| {
            let mut readable = readable.iter();
            readable.all(|&leaf| hierarchy.group(*level, texts.text(leaf)).is_some())
        };
        let known = known.filter(|&level| level <= hierarchy.height() && is_on(&level));
        let level = known.or_else(|| Level::up_to(hierarchy.height()).find(is_on));
        let mut sides = vec![None; texts.leaves()];
        let mut covers = Vec::new();
        for leaf in readable {
            let text = texts.text(leaf);
            let cover = match level {
                Some(level) => (hierarchy.group(level, text))
                    .map(|group| labels.leaves_of(level, group).clone()),
                None => read(leaf),
            };
            if let Some(cover) = cover {
                sides[leaf.index()] = Some(covers.len() as u32);
                covers.push(cover);
            }
        }
        Column {
            sides,
            overlaps: labels.order().overlap(&covers),
            order: labels.order().clone(),
            covers,
        }
    }

    /// For each leaf of the population, the number of the cover it is in; those in none share the number after the last.
    fn sides_of_leaves(&self) -> Vec<u32> {
        let mut sides = vec![self.covers.len() as u32; self.order.len() as usize];
        for (side, cover) in (0..).zip(&self.covers) {
            for position in cover.positions() {
                sides[self.order.leaf(position).index()] = side;
            }
        }
        sides
    }
}
