//! Who in a population a published row could be.
//!
//! The texts of a published table are read back with the hierarchies of the population's table. Every reading is the
//! narrowest one, since a match too many would make a file look safer than it is.

use super::boxes::Boxes;
use super::classes::Classes;
use super::texts::{PublishedTexts, TextsOf};
use crate::counts::{CountedTable, LeafOrder, LeafSet, Work};
use crate::hierarchy::Leaf;
use crate::lattice::Level;
use crate::problem::{Interruption, Meter};
use crate::recode::Labels;

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
    let meter = &Meter::unlimited();
    let columns: Vec<Column> = (0..published.attributes.len())
        .map(|at| Column::read(published, population, at))
        .collect();
    let tuples = 0..published.tuples.len();
    let sides = |tuple: usize| -> Option<Vec<u32>> {
        let sides = columns.iter().enumerate();
        sides
            .map(|(at, column)| column.sides[published.leaf(tuple, at).index()])
            .collect()
    };
    let matched = |tuple: usize, people: u32| MatchedClass {
        size: published.tuples.sizes()[tuple],
        people,
    };
    if columns.iter().any(|column| column.overlaps) {
        let boxes = Boxes::new(population);
        let people = |sides: Vec<u32>| {
            let covers = columns.iter().zip(sides);
            let covers: Vec<&LeafSet> = covers
                .map(|(column, side)| &column.covers[side as usize])
                .collect();
            let inside = boxes.inside(&covers).into_iter();
            let sizes = inside.map(|tuple| population.tuples.sizes()[tuple as usize]);
            sizes.sum()
        };
        return tuples
            .map(|tuple| matched(tuple, sides(tuple).map_or(0, people)))
            .collect();
    }
    let groups: Vec<Vec<u32>> = columns.iter().map(Column::sides_of_leaves).collect();
    let groups: Vec<&[u32]> = groups.iter().map(Vec::as_slice).collect();
    let classes = Classes::of_groups(population, &groups, meter).expect("nobody stops this");
    tuples
        .map(|tuple| {
            let class = sides(tuple).and_then(|sides| classes.find(&sides));
            matched(tuple, class.map_or(0, |class| class.size()))
        })
        .collect()
}

/// The rows of a table's population that match each class of its release: those whose values are among the ones that the texts
/// of the class stand for. None match if there is no population.
pub(super) fn people_of_classes(
    table: &CountedTable,
    texts: &[PublishedTexts],
    classes: &Classes,
    meter: &Meter<'_>,
) -> Result<Vec<u32>, Interruption> {
    let Some(population) = &table.population else {
        return Ok(vec![0; classes.sizes().len()]);
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
        return Ok(people.collect());
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
    let boxes = Boxes::new(population);
    let mut people = Vec::with_capacity(classes.sizes().len());
    for class in classes.all() {
        let sides = covers.iter().zip(class.groups());
        let sides: Vec<&LeafSet> = sides
            .map(|(covers, &text)| &covers[text as usize])
            .collect();
        let inside = boxes.inside(&sides);
        meter.spend(Work::of(1 + inside.len()))?;
        let sizes = inside
            .iter()
            .map(|&tuple| population.tuples.sizes()[tuple as usize]);
        people.push(sizes.sum());
    }
    Ok(people)
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
    fn read(published: &CountedTable, population: &CountedTable, at: usize) -> Self {
        let texts = &published.attributes[at].hierarchy;
        let used = |leaf: &Leaf| published.attributes[at].rows_of_groups[0][leaf.index()] > 0;
        let leaves: Vec<Leaf> = (0..texts.leaves() as u32).map(Leaf).filter(used).collect();
        let attribute = &population.attributes[at];
        let hierarchy = &attribute.hierarchy;
        let labels = Labels::new(attribute);
        // A raw table may have values that the population has not; they decide nothing.
        let are_many = leaves.len() > 1;
        let readable = |leaf: &&Leaf| labels.read(texts.text(**leaf), are_many).is_some();
        let readable: Vec<Leaf> = leaves.iter().filter(readable).copied().collect();
        let level = Level::up_to(hierarchy.height()).find(|&level| {
            let mut readable = readable.iter();
            readable.all(|&leaf| hierarchy.group(level, texts.text(leaf)).is_some())
        });
        let mut sides = vec![None; texts.leaves()];
        let mut covers = Vec::new();
        for leaf in readable {
            let text = texts.text(leaf);
            let cover = match level {
                Some(level) => (hierarchy.group(level, text))
                    .map(|group| labels.leaves_of(level, group).clone()),
                None => labels.read(text, are_many),
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
