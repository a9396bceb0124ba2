//! Applying a release to rows, in the second and last pass over them.

use super::Release;
use crate::Error;
use crate::counts::{Keys, Layout, Missing, MissingCells};
use crate::hierarchy::{ANY, Hierarchy};
use crate::table::{Cell, RowBatch};
use std::ops::Range;
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
    block: Block,
}

/// What is known of the rows at hand, its memory reused by the next.
#[derive(Debug, Clone, Default)]
struct Block {
    /// The rows that are not left out.
    rows: Vec<usize>,
    /// Their groups, attribute by attribute.
    groups: Vec<u32>,
    /// The groups of each row, packed.
    keys: Vec<u64>,
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
    layout: &'a Layout,
    /// The groups of every class, packed and numbered as in the release.
    classes: Keys,
    is_suppressed: Vec<bool>,
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
    groups_of_leaves: Box<[u32]>,
    /// The label of each group.
    labels: Vec<Box<[u8]>>,
}

impl RecodedAttribute<'_> {
    /// The group a raw cell is published as.
    #[inline]
    fn group(&self, cell: Cell<'_>, missing: &Missing) -> Option<u32> {
        // Normalized first, as when it was counted: a hierarchy may also list the token itself.
        let leaf = self.hierarchy.leaf_of_cell(missing.normalize_cell(cell))?;
        Some(self.groups_of_leaves[leaf as usize])
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
        let recoding = release.recoding();
        let shown = recoding.attributes(table);
        let attributes = (table.attributes.iter().zip(shown).enumerate())
            .map(|(at, (attribute, shown))| {
                let labels = recoding.labels(table, at).into_iter();
                Ok(RecodedAttribute {
                    position: position_of(&attribute.name)?,
                    hierarchy: &attribute.hierarchy,
                    groups_of_leaves: shown.groups_of_leaves.into(),
                    labels: labels.map(|label| label.as_bytes().into()).collect(),
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
        let layout = &table.layout;
        let mut keys = Vec::with_capacity(classes.len() * layout.words());
        for class in classes {
            layout.push_key(&mut keys, class.groups.iter().copied());
        }
        let mut numbered = Keys::new(layout.words());
        numbered.number_all(&keys, &mut Vec::new());
        let plan = Plan {
            names: published.map(|position| names[position].clone()).collect(),
            cells,
            attributes,
            excluding,
            missing: &table.missing,
            suppressed_rows,
            layout,
            classes: numbered,
            is_suppressed: classes.iter().map(|class| class.is_suppressed).collect(),
        };
        let tally = Tally {
            rows_of_classes: vec![0; classes.len()],
            rows_excluded: 0,
        };
        Ok(Recoder {
            plan: Arc::new(plan),
            tally,
            block: Block::default(),
        })
    }

    /// The names of the published columns.
    pub fn names(&self) -> &[String] {
        &self.plan.names
    }

    /// Replaces `published` by what is published of the rows of `raw`.
    pub fn recode(&mut self, raw: &RowBatch, published: &mut PublishedRows) -> Result<(), Error> {
        let columns = self.plan.cells.len();
        if published.0.columns() != columns {
            published.0 = RowBatch::new(columns);
        }
        published.0.clear(raw.first_row());
        for rows in raw.blocks() {
            self.recode_block(raw, rows, &mut published.0)?;
        }
        Ok(())
    }

    fn recode_block(
        &mut self,
        raw: &RowBatch,
        all: Range<usize>,
        published: &mut RowBatch,
    ) -> Result<(), Error> {
        let Recoder { plan, tally, block } = self;
        let Block { rows, groups, keys } = block;
        let is_excluded = |&row: &usize| {
            let is_missing = |&position: &usize| {
                let cell = raw.cell_in_text(row, position);
                plan.missing.normalize_cell(cell).value().is_empty()
            };
            plan.excluding.iter().any(is_missing)
        };
        rows.clear();
        rows.extend(all.clone().filter(|row| !is_excluded(row)));
        tally.rows_excluded += (all.len() - rows.len()) as u32;

        groups.clear();
        keys.clear();
        keys.resize(rows.len() * plan.layout.words(), 0);
        for (at, attribute) in plan.attributes.iter().enumerate() {
            let start = groups.len();
            for &row in rows.iter() {
                let cell = raw.cell_in_text(row, attribute.position);
                let group = attribute.group(cell, plan.missing);
                groups.push(group.ok_or(Error::InputChanged)?);
            }
            plan.layout.pack(at, &groups[start..], keys);
        }
        let keys = keys.chunks_exact(plan.layout.words());
        for (kept, (&row, key)) in rows.iter().zip(keys).enumerate() {
            let class = plan.classes.find(key).ok_or(Error::InputChanged)? as usize;
            tally.rows_of_classes[class] += 1;
            if !plan.is_suppressed[class] {
                for cell in &plan.cells {
                    published.push_cell(match *cell {
                        PublishedCell::Unchanged(position) => raw.cell(row, position),
                        PublishedCell::Recoded(attribute) => {
                            let group = groups[attribute * rows.len() + kept];
                            &plan.attributes[attribute].labels[group as usize]
                        }
                    });
                }
            } else if plan.suppressed_rows == SuppressedRows::Star {
                for _ in &plan.cells {
                    published.push_cell(ANY.as_bytes());
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
