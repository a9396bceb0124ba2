//! Applying a release to rows, in the second and last pass over them.

use super::Release;
use crate::Error;
use crate::counts::{Missing, MissingCells};
use crate::hierarchy::{ANY, Hierarchy};
use crate::table::RowBatch;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;
use std::sync::Arc;

/// How suppressed rows are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SuppressedRows {
    /// Not at all.
    #[default]
    Drop,
    /// With `*` in every column, so that the number of rows stays.
    Star,
}

/// Rows of a release. Only a [`Recoder`] makes them, so a writer that takes nothing else cannot publish raw rows.
#[derive(Debug, Clone, Default)]
pub struct PublishedRows(RowBatch);

impl PublishedRows {
    /// The rows.
    pub fn rows(&self) -> &RowBatch {
        &self.0
    }
}

/// Proof that the rows recoded are the rows that were counted and checked.
#[derive(Debug)]
pub struct Confirmation(());

/// How many rows of each class a recoder has seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    rows_of_classes: Vec<u32>,
    rows_excluded: u32,
}

impl Tally {
    /// Adds what another recoder of the same release has seen.
    pub fn add(&mut self, other: &Tally) {
        self.rows_of_classes.resize(
            other.rows_of_classes.len().max(self.rows_of_classes.len()),
            0,
        );
        for (ours, theirs) in self.rows_of_classes.iter_mut().zip(&other.rows_of_classes) {
            *ours += theirs;
        }
        self.rows_excluded += other.rows_excluded;
    }
}

/// Turns raw rows into published rows. Clones share their tables, so one per thread is cheap.
#[derive(Debug, Clone)]
pub struct Recoder<'a> {
    plan: Arc<Plan<'a>>,
    tally: Tally,
    /// The groups of the row at hand.
    groups: Vec<u32>,
}

#[derive(Debug)]
struct Plan<'a> {
    names: Vec<String>,
    cells: Vec<PublishedCell>,
    attributes: Vec<RecodedAttribute<'a>>,
    /// Positions of all counted columns, where rows with missing cells are left out.
    excluding: Vec<usize>,
    missing: &'a Missing,
    suppressed_rows: SuppressedRows,
    /// The groups of every class, `attributes.len()` each.
    classes: Vec<u32>,
    is_suppressed: Vec<bool>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

#[derive(Debug, Clone, Copy)]
enum PublishedCell {
    /// As it is in this column of the input.
    Unchanged(usize),
    /// The label of this attribute's group.
    Recoded(usize),
}

#[derive(Debug)]
struct RecodedAttribute<'a> {
    position: usize,
    hierarchy: &'a Hierarchy,
    level: u8,
    groups_of_leaves: &'a [u32],
}

impl RecodedAttribute<'_> {
    /// The group a raw cell is published as.
    #[inline]
    fn group(&self, cell: &[u8], missing: &Missing) -> Option<u32> {
        let text = std::str::from_utf8(cell).ok()?;
        // Normalized first, as when it was counted: a hierarchy may also list the token itself.
        let leaf = self.hierarchy.leaf(missing.normalize(text))?;
        Some(self.groups_of_leaves[leaf as usize])
    }

    fn label(&self, group: u32) -> &str {
        self.hierarchy.label(self.level, group)
    }
}

impl<'a> Recoder<'a> {
    pub(super) fn new(
        release: &Release<'a>,
        names: &[String],
        dropped: &[usize],
        suppressed_rows: SuppressedRows,
    ) -> Result<Self, Error> {
        let table = release.table();
        let position_of = |name: &str| {
            names
                .iter()
                .position(|other| other == name)
                .ok_or_else(|| Error::ColumnVanished {
                    column: name.to_owned(),
                })
        };
        let attributes = table
            .attributes
            .iter()
            .zip(release.node().levels())
            .map(|(attribute, level)| {
                Ok(RecodedAttribute {
                    position: position_of(&attribute.name)?,
                    hierarchy: &attribute.hierarchy,
                    level,
                    groups_of_leaves: attribute.hierarchy.groups_of_leaves(level),
                })
            })
            .collect::<Result<Vec<_>, Error>>()?;
        let published = (0..names.len()).filter(|position| !dropped.contains(position));
        let cells: Vec<PublishedCell> = published
            .clone()
            .map(|position| {
                let attribute = attributes
                    .iter()
                    .position(|attribute| attribute.position == position);
                attribute.map_or(PublishedCell::Unchanged(position), PublishedCell::Recoded)
            })
            .collect();
        let mut excluding = Vec::new();
        if table.missing.cells == MissingCells::ExcludeRow {
            excluding.extend(attributes.iter().map(|attribute| attribute.position));
            for column in &table.columns {
                excluding.push(position_of(&column.name)?);
            }
        }
        let classes = release.classes.all();
        let mut plan = Plan {
            names: published.map(|position| names[position].clone()).collect(),
            cells,
            attributes,
            excluding,
            missing: &table.missing,
            suppressed_rows,
            classes: classes
                .iter()
                .flat_map(|class| class.groups.iter().copied())
                .collect(),
            is_suppressed: classes.iter().map(|class| class.is_suppressed).collect(),
            index: HashTable::with_capacity(classes.len()),
            hasher: DefaultHashBuilder::default(),
        };
        for class in 0..classes.len() as u32 {
            let Plan {
                classes,
                index,
                hasher,
                attributes,
                ..
            } = &mut plan;
            let hash = |class: u32| {
                hasher.hash_one(&classes[class as usize * attributes.len()..][..attributes.len()])
            };
            index.insert_unique(hash(class), class, |&class| hash(class));
        }
        let tally = Tally {
            rows_of_classes: vec![0; classes.len()],
            rows_excluded: 0,
        };
        let groups = vec![0; plan.attributes.len()];
        Ok(Recoder {
            plan: Arc::new(plan),
            tally,
            groups,
        })
    }

    /// The names of the published columns.
    pub fn names(&self) -> &[String] {
        &self.plan.names
    }

    /// Replaces `published` by what is published of the rows of `raw`.
    pub fn recode(&mut self, raw: &RowBatch, published: &mut PublishedRows) -> Result<(), Error> {
        let Recoder {
            plan,
            tally,
            groups,
        } = self;
        if published.0.columns() != plan.cells.len() {
            published.0 = RowBatch::new(plan.cells.len());
        }
        published.0.clear(raw.first_row());
        for row in 0..raw.rows() {
            let is_missing = |&position: &usize| {
                let text = std::str::from_utf8(raw.cell(row, position));
                text.is_ok_and(|text| plan.missing.normalize(text).is_empty())
            };
            if plan.excluding.iter().any(is_missing) {
                tally.rows_excluded += 1;
                continue;
            }
            for (attribute, group) in plan.attributes.iter().zip(groups.iter_mut()) {
                let cell = raw.cell(row, attribute.position);
                *group = attribute
                    .group(cell, plan.missing)
                    .ok_or(Error::InputChanged)?;
            }
            let class = plan.class(groups).ok_or(Error::InputChanged)? as usize;
            tally.rows_of_classes[class] += 1;
            if !plan.is_suppressed[class] {
                for cell in &plan.cells {
                    published.0.push_cell(match *cell {
                        PublishedCell::Unchanged(position) => raw.cell(row, position),
                        PublishedCell::Recoded(attribute) => plan.attributes[attribute]
                            .label(groups[attribute])
                            .as_bytes(),
                    });
                }
            } else if plan.suppressed_rows == SuppressedRows::Star {
                for _ in &plan.cells {
                    published.0.push_cell(ANY.as_bytes());
                }
            }
        }
        Ok(())
    }

    /// What this recoder has seen so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
}

impl Plan<'_> {
    #[inline]
    fn class(&self, groups: &[u32]) -> Option<u32> {
        let width = groups.len();
        let hash = self.hasher.hash_one(groups);
        self.index
            .find(hash, |&class| {
                self.classes[class as usize * width..][..width] == *groups
            })
            .copied()
    }
}

impl Release<'_> {
    /// Confirms that the rows recoded are exactly the rows counted; without it no writer finishes.
    pub fn confirm(&self, tally: &Tally) -> Result<Confirmation, Error> {
        let counted = self.classes.all().iter().map(|class| class.size());
        let is_complete = counted.eq(tally.rows_of_classes.iter().copied())
            && self.table.rows_excluded == tally.rows_excluded;
        if is_complete {
            Ok(Confirmation(()))
        } else {
            Err(Error::InputChanged)
        }
    }
}
