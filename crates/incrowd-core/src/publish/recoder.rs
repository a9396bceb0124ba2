//! Applying a release to rows, in the second and last pass over them.

mod shuffle;

pub use shuffle::Shuffle;

use super::texts::PublishedTexts;
use super::{Release, Tally};
use crate::Error;
use crate::counts::{Keys, Layout, Missing, MissingCells};
use crate::hierarchy::{ANY, Hierarchy};
use crate::table::{Cell, Dictionary, RowBatch};
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

/// Rows of a release. Only a [`Recoder`] makes them, and a [`Shuffle`] of what it made, so a writer that takes nothing
/// else cannot publish raw rows.
#[derive(Debug, Clone, Default)]
pub struct PublishedRows(RowBatch);

impl PublishedRows {
    /// The rows.
    pub fn rows(&self) -> &RowBatch {
        &self.0
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
    /// The positions of their texts, attribute by attribute.
    texts: Vec<u32>,
    /// The texts of each row, packed.
    keys: Vec<u64>,
    /// Their classes.
    classes: Vec<u32>,
    /// Their values of the counted column at hand.
    values: Vec<u32>,
}

#[derive(Debug)]
struct Plan<'a> {
    names: Vec<String>,
    cells: Vec<PublishedCell>,
    attributes: Vec<RecodedAttribute<'a>>,
    /// The counted columns: where each is, and its values.
    counted: Vec<(usize, &'a Dictionary)>,
    /// Positions of all counted columns, where rows with missing cells are left out.
    excluding: Vec<usize>,
    missing: &'a Missing,
    suppressed_rows: SuppressedRows,
    layout: &'a Layout,
    /// The texts of every class, packed and numbered as in the release.
    classes: Keys,
    is_suppressed: Vec<bool>,
}

#[derive(Debug, Clone, Copy)]
enum PublishedCell {
    /// As it is in this column of the input.
    Unchanged(usize),
    /// The text of this attribute.
    Recoded(usize),
}

#[derive(Debug)]
struct RecodedAttribute<'a> {
    position: usize,
    hierarchy: &'a Hierarchy,
    texts: PublishedTexts,
}

impl RecodedAttribute<'_> {
    /// The position of the text that a raw cell is published as.
    #[inline]
    fn text_of(&self, cell: Cell<'_>, missing: &Missing) -> Option<u32> {
        // Normalized first, as when it was counted: a hierarchy may also list the token itself.
        let leaf = self.hierarchy.leaf_of_cell(missing.normalize_cell(cell))?;
        Some(self.texts.of_leaves()[leaf as usize])
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
        let attributes = (table.attributes.iter().zip(&release.texts))
            .map(|(attribute, texts)| {
                Ok(RecodedAttribute {
                    position: position_of(&attribute.name)?,
                    hierarchy: &attribute.hierarchy,
                    texts: texts.clone(),
                })
            })
            .collect::<Result<Vec<_>, Error>>()?;
        let counted = (table.columns.iter())
            .map(|column| Ok((position_of(&column.name)?, &column.values)))
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
            excluding.extend(counted.iter().map(|(position, _)| *position));
        }
        let classes = release.classes.all();
        let layout = &table.layout;
        let mut keys = Vec::with_capacity(classes.len() * layout.words());
        for class in classes.clone() {
            layout.push_key(&mut keys, class.groups().iter().copied());
        }
        let mut numbered = Keys::new(layout.words());
        numbered.number_all(&keys, &mut Vec::new());
        let plan = Plan {
            names: published.map(|position| names[position].clone()).collect(),
            cells,
            attributes,
            counted,
            excluding,
            missing: &table.missing,
            suppressed_rows,
            layout,
            classes: numbered,
            is_suppressed: classes.map(|class| class.is_suppressed()).collect(),
        };
        Ok(Recoder {
            tally: Tally::new(plan.is_suppressed.len(), plan.counted.len()),
            plan: Arc::new(plan),
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
        let Block {
            rows,
            texts,
            keys,
            classes,
            values,
        } = block;
        let is_excluded = |&row: &usize| {
            let is_missing = |&position: &usize| {
                let cell = raw.cell_in_text(row, position);
                plan.missing.normalize_cell(cell).value().is_empty()
            };
            plan.excluding.iter().any(is_missing)
        };
        rows.clear();
        rows.extend(all.clone().filter(|row| !is_excluded(row)));
        tally.exclude(all.len() - rows.len());

        texts.clear();
        keys.clear();
        keys.resize(rows.len() * plan.layout.words(), 0);
        for (at, attribute) in plan.attributes.iter().enumerate() {
            let start = texts.len();
            for &row in rows.iter() {
                let cell = raw.cell_in_text(row, attribute.position);
                let text = attribute.text_of(cell, plan.missing);
                texts.push(text.ok_or(Error::InputChanged)?);
            }
            plan.layout.pack(at, &texts[start..], keys);
        }
        classes.clear();
        for key in keys.chunks_exact(plan.layout.words()) {
            let class = plan.classes.find(key).ok_or(Error::InputChanged)?;
            tally.count_class(class);
            classes.push(class);
        }
        for (column, &(position, known)) in plan.counted.iter().enumerate() {
            values.clear();
            for &row in rows.iter() {
                let cell = plan.missing.normalize_cell(raw.cell_in_text(row, position));
                values.push(known.lookup_cell(cell).ok_or(Error::InputChanged)?);
            }
            tally.count_values(column, classes, values);
        }
        for (kept, (&row, &class)) in rows.iter().zip(classes.iter()).enumerate() {
            if !plan.is_suppressed[class as usize] {
                for cell in &plan.cells {
                    published.push_cell(match *cell {
                        PublishedCell::Unchanged(position) => raw.cell(row, position),
                        PublishedCell::Recoded(attribute) => {
                            let text = texts[attribute * rows.len() + kept];
                            plan.attributes[attribute].texts.text(text).as_bytes()
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
