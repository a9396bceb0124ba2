//! Applying a release to rows, in the second and last pass over them.

mod in_place;
mod recoded_once;
mod shuffle;

pub use in_place::{RecodedRows, Run};
pub use recoded_once::RecodedOnce;
pub use shuffle::Shuffle;

use super::{ClassNumber, ReleaseMap, Tally};
use crate::Error;
use crate::counts::{Keys, Layout, Missing};
use crate::hierarchy::ANY;
use crate::table::{Cell, Meanings, RowBatch, ValueList};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How suppressed rows are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SuppressedRows {
    /// Not at all.
    #[default]
    Drop,
    /// With `*` in every column, which keeps the number of rows.
    Star,
}

/// Rows of a release. Only a [`Recoder`] makes them, or a [`Shuffle`] or [repetition](RecodedOnce) of its rows, so a writer that
/// accepts nothing else cannot publish raw rows.
#[derive(Debug, Clone, Default)]
pub struct PublishedRows(RowBatch);

impl PublishedRows {
    /// The rows.
    pub fn rows(&self) -> &RowBatch {
        &self.0
    }
}

/// Turns raw rows into published rows. Clones share their tables, so one per thread is cheap. If equal rows are
/// [shared](super::MappedTuples::shares) by classes, clones share the rows too: each class gets its number, but only a
/// single recoder gives the same rows to the same class every time.
#[derive(Debug, Clone)]
pub struct Recoder {
    plan: Arc<Plan>,
    tally: Tally,
    block: Block,
}

/// Working memory for the current rows, reused for the next.
#[derive(Debug, Clone, Default)]
struct Block {
    /// The rows that are not excluded.
    rows: Vec<usize>,
    /// What determines their class, attribute by attribute.
    numbers: Vec<u32>,
    /// The same for each row, packed.
    keys: Vec<u64>,
    /// Their classes.
    classes: Vec<u32>,
    /// Their values of the current counted column.
    values: Vec<u32>,
    /// Those of them, by position, that are blank.
    blank: Vec<usize>,
    /// The rows of the batch that are published, each with its class; as `*` if that is suppressed.
    published: Vec<(usize, u32)>,
    /// What the texts of a list determine, for each attribute.
    of_attributes: Vec<Meanings>,
    /// The codes of the texts of a list, for each counted column.
    of_counted: Vec<Meanings>,
    /// For each published column the last list of texts, and the same without tokens for missing cells.
    lists: Vec<[Arc<ValueList>; 2]>,
}

/// Replaces `numbers` by those that `find` has for the cells of a column in some rows; none if it lacks one.
#[inline(always)] // so that `find` becomes part of the loop
fn number_cells(
    raw: &RowBatch,
    rows: &[usize],
    position: usize,
    of_list: &mut Meanings,
    numbers: &mut Vec<u32>,
    find: impl Fn(Cell<'_>) -> Option<u32>,
) -> Option<()> {
    numbers.clear();
    numbers.reserve(rows.len());
    if let Some(coded) = raw.coded(position) {
        of_list.begin(&coded.values);
        let codes = rows.iter().map(|&row| coded.codes[row]);
        return of_list
            .of_all(codes, numbers, |_, cell| find(cell).ok_or(()))
            .ok();
    }
    let (Some(&first), Some(&last)) = (rows.first(), rows.last()) else {
        return Some(());
    };
    if last + 1 - first == rows.len() {
        for cell in raw.cells_of_column(position, first..last + 1) {
            numbers.push(find(cell)?);
        }
        return Some(());
    }
    for &row in rows {
        numbers.push(find(raw.cell_in_text(row, position))?);
    }
    Some(())
}

/// The texts of a list, empty where they are tokens for a missing cell. `last` keeps the answer for the next batch,
/// which usually has the same list.
fn without_tokens(
    last: &mut [Arc<ValueList>; 2],
    list: Arc<ValueList>,
    missing: &Missing,
) -> Arc<ValueList> {
    if !Arc::ptr_eq(&last[0], &list) || last[1].len() != list.len() {
        let mut present = ValueList::default();
        for code in 0..list.len() as u32 {
            present.push(missing.normalize_cell(list.cell(code)).value());
        }
        *last = [list, Arc::new(present)];
    }
    Arc::clone(&last[1])
}

#[derive(Debug)]
struct Plan {
    map: Arc<ReleaseMap>,
    names: Vec<String>,
    cells: Vec<PublishedCell>,
    /// The same, of columns side by side.
    runs: Vec<Run>,
    /// Where each quasi-identifier is.
    attributes: Vec<usize>,
    /// Where each counted column is.
    counted: Vec<usize>,
    /// Positions of all counted columns, if rows with missing cells are excluded.
    excluding: Vec<usize>,
    missing: Missing,
    suppressed_rows: SuppressedRows,
    classes: ClassFinder,
    /// The class whose rows may be blank.
    any_class: Option<ClassNumber>,
    /// The texts of each attribute.
    texts: Vec<Arc<ValueList>>,
}

impl Plan {
    /// A cell, empty if it is a token for a missing one.
    #[inline]
    fn without_token<'a>(&self, raw: &'a RowBatch, row: usize, position: usize) -> &'a [u8] {
        let cell = raw.cell_in_text(row, position);
        self.missing.normalize_cell(cell).value()
    }
}

#[derive(Debug, Clone, Copy)]
enum PublishedCell {
    /// Unchanged from this column of the input.
    Unchanged(usize),
    /// The same for a counted column, except that all missing cells are empty: they are counted as one value, so
    /// readers must not be able to tell them apart.
    Counted(usize),
    /// The text of this attribute.
    Recoded(usize),
}

/// Determines the class of a row from a number per attribute: the text of its raw value, or the leaf if the whole tuple
/// decides. If equal rows are shared by classes, then also from the code of each counted value.
#[derive(Debug)]
struct ClassFinder {
    layout: Layout,
    keys: Keys,
    classes: ClassesOfKeys,
}

#[derive(Debug)]
enum ClassesOfKeys {
    /// Keys are numbered like classes.
    Alike,
    /// The class of each key.
    One(Vec<u32>),
    /// The rows of each key are shared.
    Shared(Vec<Shared>),
}

/// Rows that are equal, and whose they are.
#[derive(Debug, Default)]
struct Shared {
    /// The rows taken so far. Recoders share it, so that no class gets a row too many, whoever sees it first.
    taken: AtomicU32,
    /// Of each class, the rows that it and those before it get.
    until: Vec<(u32, u32)>,
}

impl Shared {
    /// The class of the next row; none if there are more rows than were counted.
    fn next(&self) -> Option<u32> {
        let row = self.taken.fetch_add(1, Ordering::Relaxed);
        let at = self.until.partition_point(|&(until, _)| until <= row);
        Some(self.until.get(at)?.1)
    }
}

impl ClassFinder {
    fn new(map: &ReleaseMap) -> Self {
        let sizes = map.attributes().iter().map(|attribute| match map.tuples() {
            Some(_) => attribute.leaves.len(),
            None => attribute.texts.len(),
        });
        let shares = map.tuples().and_then(|tuples| tuples.shares.as_ref());
        let counted = if shares.is_some() { map.counted() } else { &[] };
        let layout = Layout::of_sizes(sizes.chain(counted.iter().map(|it| it.values.len())));
        let (mut keys, mut numbers) = (Vec::new(), Vec::new());
        for (at, (key, _)) in map.keys().enumerate() {
            let values = shares.map_or(&[][..], |it| &it.values[at * counted.len()..]);
            let values = values.iter().take(counted.len());
            layout.push_key(&mut keys, key.iter().chain(values).copied());
        }
        let mut numbered = Keys::new(layout.words());
        numbered.number_all(&keys, &mut numbers);
        let classes = match (map.tuples(), shares) {
            (None, _) => ClassesOfKeys::Alike,
            (Some(tuples), None) => ClassesOfKeys::One(tuples.classes.clone()),
            (Some(tuples), Some(shares)) => {
                let keys = numbers.iter().max().map_or(0, |last| last + 1);
                let mut shared: Vec<Shared> = (0..keys).map(|_| Shared::default()).collect();
                let rows = shares.rows.iter().zip(&tuples.classes);
                for (&number, (rows, &class)) in numbers.iter().zip(rows) {
                    let until = &mut shared[number as usize].until;
                    let before = until.last().map_or(0, |&(until, _)| until);
                    until.push((before + rows, class));
                }
                ClassesOfKeys::Shared(shared)
            }
        };
        ClassFinder {
            layout,
            keys: numbered,
            classes,
        }
    }

    /// Replaces `classes` by those of keys, end to end; none if one of them is unknown.
    fn find_all(&self, keys: &[u64], classes: &mut Vec<u32>) -> Option<()> {
        self.keys.find_all(keys, classes)?;
        match &self.classes {
            ClassesOfKeys::Alike => {}
            ClassesOfKeys::One(of_keys) => {
                for class in classes {
                    *class = of_keys[*class as usize];
                }
            }
            ClassesOfKeys::Shared(shared) => {
                for class in classes {
                    *class = shared[*class as usize].next()?;
                }
            }
        }
        Some(())
    }
}

impl ReleaseMap {
    /// Applies the map to rows of a table with the columns `names`, of which those in `dropped` (by position) are left
    /// out.
    pub fn recoder(
        self: &Arc<Self>,
        names: &[String],
        dropped: &[usize],
        suppressed_rows: SuppressedRows,
    ) -> Result<Recoder, Error> {
        Recoder::new(self, names, dropped, suppressed_rows)
    }
}

impl Recoder {
    fn new(
        map: &Arc<ReleaseMap>,
        names: &[String],
        dropped: &[usize],
        suppressed_rows: SuppressedRows,
    ) -> Result<Self, Error> {
        let position_of = |name: &str| {
            names
                .iter()
                .position(|other| other == name)
                .ok_or_else(|| Error::ColumnVanished {
                    column: name.to_owned(),
                })
        };
        let attributes = (map.attributes().iter())
            .map(|attribute| position_of(&attribute.name))
            .collect::<Result<Vec<_>, Error>>()?;
        let counted = (map.counted().iter())
            .map(|column| position_of(&column.name))
            .collect::<Result<Vec<_>, Error>>()?;
        let published = (0..names.len()).filter(|position| !dropped.contains(position));
        let cells: Vec<PublishedCell> = published
            .clone()
            .map(|position| {
                let attribute = attributes.iter().position(|at| *at == position);
                let is_counted = counted.contains(&position);
                match attribute {
                    Some(attribute) => PublishedCell::Recoded(attribute),
                    None if is_counted && !map.missing_tokens().is_empty() => {
                        PublishedCell::Counted(position)
                    }
                    None => PublishedCell::Unchanged(position),
                }
            })
            .collect();
        let mut excluding = Vec::new();
        if map.excludes_missing() {
            excluding.extend(attributes.iter().chain(&counted));
        }
        let plan = Plan {
            names: published.map(|position| names[position].clone()).collect(),
            runs: in_place::runs(&cells),
            cells,
            attributes,
            counted,
            excluding,
            missing: map.missing(),
            suppressed_rows,
            classes: ClassFinder::new(map),
            any_class: map.any_class(),
            texts: (map.attributes().iter())
                .map(|attribute| Arc::new(attribute.texts.iter().map(String::as_str).collect()))
                .collect(),
            map: Arc::clone(map),
        };
        Ok(Recoder {
            tally: Tally::of(map),
            block: Block {
                lists: vec![Default::default(); plan.cells.len()],
                of_attributes: vec![Meanings::default(); map.attributes().len()],
                of_counted: vec![Meanings::default(); map.counted().len()],
                ..Block::default()
            },
            plan: Arc::new(plan),
        })
    }

    /// The names of the published columns.
    pub fn names(&self) -> &[String] {
        &self.plan.names
    }

    /// Replaces `published` by the published rows of `raw`.
    pub fn recode(&mut self, raw: &RowBatch, published: &mut PublishedRows) -> Result<(), Error> {
        let columns = self.plan.cells.len();
        if published.0.columns() != columns {
            published.0 = RowBatch::new(columns);
        }
        published.0.clear(raw.first_row());
        // A row of `*` needs a text that the list of a column may lack.
        if self.plan.suppressed_rows == SuppressedRows::Drop && raw.coded(0).is_some() {
            let (plan, lists) = (&self.plan, &mut self.block.lists);
            let list = |position: usize| {
                let coded = raw.coded(position);
                coded.map_or_else(Arc::default, |coded| Arc::clone(&coded.values))
            };
            published.0.begin_coded(
                raw.rows(),
                plan.cells
                    .iter()
                    .zip(lists)
                    .map(|(cell, last)| match *cell {
                        PublishedCell::Recoded(attribute) => Arc::clone(&plan.texts[attribute]),
                        PublishedCell::Unchanged(position) => list(position),
                        PublishedCell::Counted(position) => {
                            without_tokens(last, list(position), &plan.missing)
                        }
                    }),
            );
        }
        let recoded = self.recode_in_place(raw)?;
        recoded.copy_to(&mut published.0);
        Ok(())
    }

    /// The published rows of `raw`, where they stand.
    pub fn recode_in_place<'a>(&'a mut self, raw: &'a RowBatch) -> Result<RecodedRows<'a>, Error> {
        self.recode_as(raw, |_| 1)
    }

    /// The same where each row of `raw` stands for so many equal ones. They all get one class, so this is not for releases
    /// that [share](super::MappedTuples::shares) equal rows: what is counted would not be what was counted before.
    ///
    /// # Panics
    /// If there is not one of `sizes` for each row.
    pub fn recode_equal_rows<'a>(
        &'a mut self,
        raw: &'a RowBatch,
        sizes: &[u32],
    ) -> Result<RecodedRows<'a>, Error> {
        assert_eq!(raw.rows(), sizes.len(), "one size for each row");
        self.recode_as(raw, |row| sizes[row])
    }

    #[inline]
    fn recode_as<'a>(
        &'a mut self,
        raw: &'a RowBatch,
        rows_of: impl Fn(usize) -> u32 + Copy,
    ) -> Result<RecodedRows<'a>, Error> {
        self.block.published.clear();
        for rows in raw.blocks() {
            self.recode_block(raw, rows, rows_of)?;
        }
        Ok(RecodedRows {
            plan: &self.plan,
            raw,
            rows: &self.block.published,
        })
    }

    /// Recodes some rows of a batch; `rows_of` says how many equal ones each stands for.
    fn recode_block(
        &mut self,
        raw: &RowBatch,
        all: Range<usize>,
        rows_of: impl Fn(usize) -> u32 + Copy,
    ) -> Result<(), Error> {
        let Recoder { plan, tally, block } = self;
        let Block {
            rows,
            numbers,
            keys,
            classes,
            values,
            blank,
            published,
            of_attributes,
            of_counted,
            lists: _,
        } = block;
        let (map, finder) = (&*plan.map, &plan.classes);
        let is_excluded = |row: usize| {
            let is_missing = |&position: &usize| {
                let cell = raw.cell_in_text(row, position);
                plan.missing.normalize_cell(cell).value().is_empty()
            };
            plan.excluding.iter().any(is_missing)
        };
        rows.clear();
        for row in all {
            match is_excluded(row) {
                true => tally.count_excluded(rows_of(row)),
                false => rows.push(row),
            }
        }

        keys.clear();
        keys.resize(rows.len() * finder.layout.words(), 0);
        for (at, (attribute, &position)) in
            map.attributes().iter().zip(&plan.attributes).enumerate()
        {
            let number_of_value = match map.tuples() {
                Some(_) => &attribute.leaves,
                None => &attribute.texts_of_values,
            };
            let of_list = &mut of_attributes[at];
            number_cells(raw, rows, position, of_list, numbers, |cell| {
                // Normalized first, as when it was counted: a hierarchy may also list the token itself.
                let value = attribute
                    .values
                    .lookup_cell(plan.missing.normalize_cell(cell));
                Some(number_of_value[value?.index()])
            })
            .ok_or(Error::InputChanged)?;
            finder.layout.pack(at, numbers, keys);
        }
        if let ClassesOfKeys::Shared(_) = finder.classes {
            let attributes = map.attributes().len();
            let counted = map.counted().iter().zip(&plan.counted);
            for ((at, (known, &position)), of_list) in
                (attributes..).zip(counted).zip(of_counted.iter_mut())
            {
                number_cells(raw, rows, position, of_list, numbers, |cell| {
                    let value = known.values.lookup_cell(plan.missing.normalize_cell(cell));
                    Some(value?.0)
                })
                .ok_or(Error::InputChanged)?;
                finder.layout.pack(at, numbers, keys);
            }
        }
        finder.find_all(keys, classes).ok_or(Error::InputChanged)?;
        for (&class, &row) in classes.iter().zip(&*rows) {
            tally.count_class(class, rows_of(row));
        }
        let is_blank = |row: usize| {
            plan.cells.iter().all(|cell| match *cell {
                PublishedCell::Unchanged(position) => raw.cell(row, position) == ANY.as_bytes(),
                PublishedCell::Counted(position) => {
                    plan.without_token(raw, row, position) == ANY.as_bytes()
                }
                PublishedCell::Recoded(_) => true,
            })
        };
        blank.clear();
        if plan.any_class.is_some() {
            let of_any = |&at: &usize| {
                Some(ClassNumber(classes[at])) == plan.any_class && is_blank(rows[at])
            };
            blank.extend((0..rows.len()).filter(of_any));
            tally.blank(blank.iter().map(|&at| rows_of(rows[at])).sum());
        }
        for (column, (known, &position)) in map.counted().iter().zip(&plan.counted).enumerate() {
            let of_list = &mut of_counted[column];
            number_cells(raw, rows, position, of_list, values, |cell| {
                let value = known.values.lookup_cell(plan.missing.normalize_cell(cell));
                Some(value?.0)
            })
            .ok_or(Error::InputChanged)?;
            tally.count_values(column, (classes, values), |at| rows_of(rows[at]));
            let blank = blank.iter();
            let blank = blank.map(|&at| (classes[at], values[at], rows_of(rows[at])));
            tally.blank_values(column, blank);
        }
        let is_suppressed = &map.classes().is_suppressed;
        let are_starred = plan.suppressed_rows == SuppressedRows::Star;
        for (&row, &class) in rows.iter().zip(classes.iter()) {
            if are_starred || !is_suppressed[class as usize] {
                published.push((row, class));
            }
        }
        Ok(())
    }

    /// What this recoder has seen so far.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }
}
