//! The counting pass: rows in, distinct tuples out.

use super::{Attribute, CountedColumn, CountedTable, FrequencySet, Histograms, Keys, Layout};
use crate::Error;
use crate::hierarchy::{Hierarchy, Leaf};
use crate::lattice::Level;
use crate::table::{Cell, Dictionary, Kind, RowBatch, ValueCode, parse_date, parse_number};

/// Which cells are missing, besides the empty ones, and how they are treated.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Missing {
    /// How a missing cell is treated.
    pub cells: MissingCells,
    /// Texts that stand for a missing cell, such as `?` or `NA`.
    pub tokens: Vec<String>,
}

impl Missing {
    /// The text of a cell, empty if it is missing.
    pub fn normalize<'t>(&self, text: &'t str) -> &'t str {
        if self.tokens.iter().any(|token| token == text) {
            ""
        } else {
            text
        }
    }

    /// The cell, or an empty one if it is missing.
    #[inline]
    pub(crate) fn normalize_cell<'t>(&self, cell: Cell<'t>) -> Cell<'t> {
        let tokens = &self.tokens;
        if tokens.iter().any(|token| token.as_bytes() == cell.value()) {
            Cell::EMPTY
        } else {
            cell
        }
    }
}

/// How a missing cell is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MissingCells {
    /// As a value of its own, as if "missing" were written there.
    #[default]
    OwnValue,
    /// As any value, so the row counts in the crowd of every class it could belong to.
    MatchAny,
    /// By excluding the row from the release.
    ExcludeRow,
}

/// Counts rows batch by batch; memory grows with the distinct tuples, not with the rows.
///
/// The quasi-identifiers and the counted columns form one tuple, so each row costs one lookup in addition to those of
/// its values. The result of [`RowCounter::finish`] does not depend on the order of rows or on how they were
/// distributed over counters.
#[derive(Debug, Clone)]
pub struct RowCounter {
    columns: Vec<CountingColumn>,
    quasi_identifiers: usize,
    rows: u64,
    /// How the codes of a tuple are packed; it grows with the numbers of values.
    layout: Layout,
    tuples: Keys,
    /// The rows of each tuple.
    sizes: Vec<u32>,
    block: Block,
    rows_are_apart: bool,
}

/// Working memory for the current rows, reused for the next.
#[derive(Debug, Clone, Default)]
struct Block {
    /// The codes, column by column.
    codes: Vec<u32>,
    /// The codes of each row, packed.
    keys: Vec<u64>,
    /// The number of each row's tuple.
    numbers: Vec<u32>,
}

#[derive(Debug, Clone)]
struct CountingColumn {
    name: String,
    position: usize,
    values: Dictionary,
    /// The first row with each value, from 1.
    first_rows: Vec<u64>,
}

impl CountingColumn {
    /// The code of a value not seen before.
    #[cold]
    fn encode_new(&mut self, value: &[u8], row: u64) -> Result<ValueCode, Error> {
        let text = std::str::from_utf8(value).map_err(|_| Error::NotUtf8 {
            column: self.name.clone(),
            row,
        })?;
        Ok(self.encode(text, row))
    }

    /// The code of a value that stands in a row.
    fn encode(&mut self, value: &str, row: u64) -> ValueCode {
        let code = self.values.encode(value);
        match self.first_rows.get_mut(code.index()) {
            Some(first) => *first = row.min(*first),
            None => self.first_rows.push(row),
        }
        code
    }
}

impl RowCounter {
    /// A counter for rows of the columns `names`. The quasi-identifiers and the columns to count are given by
    /// position; a column may be in both lists.
    pub fn new(names: &[String], quasi_identifiers: &[usize], counted: &[usize]) -> Self {
        let columns: Vec<CountingColumn> = quasi_identifiers
            .iter()
            .chain(counted)
            .map(|&position| CountingColumn {
                name: names[position].clone(),
                position,
                values: Dictionary::default(),
                first_rows: Vec::new(),
            })
            .collect();
        let layout = Layout::of_sizes(columns.iter().map(|_| 0));
        RowCounter {
            tuples: Keys::new(layout.words()),
            layout,
            columns,
            quasi_identifiers: quasi_identifiers.len(),
            rows: 0,
            sizes: Vec::new(),
            block: Block::default(),
            rows_are_apart: false,
        }
    }

    /// Makes every row a tuple by itself when counting is finished, for algorithms that divide equal rows. Rows that
    /// are equal in all columns of a tuple stay interchangeable.
    pub fn keep_rows_apart(&mut self) {
        self.rows_are_apart = true;
    }

    /// Counts the rows of a batch.
    pub fn add(&mut self, batch: &RowBatch) -> Result<(), Error> {
        for rows in batch.blocks() {
            let codes = &mut self.block.codes;
            codes.clear();
            for column in &mut self.columns {
                for row in rows.clone() {
                    let cell = batch.cell_in_text(row, column.position);
                    let code = match column.values.lookup_cell(cell) {
                        Some(code) => code,
                        None => {
                            column.encode_new(cell.value(), batch.first_row() + row as u64 + 1)?
                        }
                    };
                    codes.push(code.0);
                }
            }
            self.count_block(std::iter::repeat_n(1, rows.len()))?;
        }
        Ok(())
    }

    /// The columns that make up a tuple: the quasi-identifiers, then the counted columns.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// Counts a number of rows that have these texts in the [columns](RowCounter::names) of a tuple; a missing cell is
    /// the empty text.
    pub fn count(&mut self, tuple: &[&str], rows: u32) -> Result<(), Error> {
        expect_one_each("texts of a tuple", tuple.len(), self.columns.len())?;
        let row = self.rows + 1;
        self.block.codes.clear();
        for (column, text) in self.columns.iter_mut().zip(tuple) {
            self.block.codes.push(column.encode(text, row).0);
        }
        self.count_block([rows].into_iter())
    }

    /// Merges the counts of another counter of the same columns.
    pub fn absorb(&mut self, other: &RowCounter) -> Result<(), Error> {
        let recode: Vec<Vec<u32>> = self
            .columns
            .iter_mut()
            .zip(&other.columns)
            .map(|(ours, theirs)| {
                theirs
                    .values
                    .iter()
                    .zip(&theirs.first_rows)
                    .map(|(text, &row)| ours.encode(text, row).0)
                    .collect()
            })
            .collect();
        let codes = &mut self.block.codes;
        codes.clear();
        for (recode, field) in recode.iter().zip(other.layout.fields()) {
            let theirs = other.tuples.iter().map(|tuple| field.read(tuple));
            codes.extend(theirs.map(|code| recode[code as usize]));
        }
        self.count_block(other.sizes.iter().copied())
    }

    /// Counts the tuples whose codes are in `self.block`, each with its number of rows.
    fn count_block(&mut self, sizes: impl ExactSizeIterator<Item = u32>) -> Result<(), Error> {
        self.make_room();
        let Block {
            codes,
            keys,
            numbers,
        } = &mut self.block;
        keys.clear();
        keys.resize(sizes.len() * self.layout.words(), 0);
        for (column, codes) in codes.chunks_exact(sizes.len().max(1)).enumerate() {
            self.layout.pack(column, codes, keys);
        }
        self.tuples.number_all(keys, numbers);
        for (&number, rows) in numbers.iter().zip(sizes) {
            self.rows += u64::from(rows);
            if self.rows > u64::from(u32::MAX) {
                return Err(Error::TooManyRows {
                    limit: u32::MAX.into(),
                });
            }
            match self.sizes.get_mut(number as usize) {
                Some(size) => *size += rows,
                None => self.sizes.push(rows),
            }
        }
        Ok(())
    }

    /// Repacks the tuples if a column has outgrown its bits. It gets at least one more bit each time, so this becomes
    /// rare.
    fn make_room(&mut self) {
        let needed = self.columns.iter().map(|column| column.values.len());
        let sizes = self.layout.fields().iter().map(|field| field.size());
        let pairs = needed.zip(sizes);
        if pairs.clone().all(|(needed, size)| needed <= size) {
            return;
        }
        let layout = Layout::of_sizes(pairs.map(|(needed, size)| needed.max(size)));
        let mut keys = Vec::with_capacity(self.sizes.len() * layout.words());
        for tuple in self.tuples.iter() {
            let fields = self.layout.fields().iter();
            layout.push_key(&mut keys, fields.map(|field| field.read(tuple)));
        }
        self.tuples = Keys::new(layout.words());
        self.tuples.number_all(&keys, &mut self.block.numbers);
        self.layout = layout;
    }

    /// Rows counted so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Rows of each distinct combination of values.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The value of a column (quasi-identifiers first) in each distinct combination: equal values have equal codes,
    /// which say nothing else and are different in another counter.
    pub fn codes(&self, column: usize) -> impl Iterator<Item = ValueCode> {
        let field = self.layout.field(column);
        (self.tuples.iter()).map(move |tuple| ValueCode(field.read(tuple)))
    }

    /// The distinct values of a column (quasi-identifiers first) with their rows: numbers and dates in their order,
    /// text in byte order. Missing cells are one value, the empty text, which comes first.
    ///
    /// Codes depend on which value a counter saw first, and so on how rows were distributed over counters. They do not
    /// leave the counter: everything built from a table uses this order.
    pub fn values(&self, column: usize, missing: &Missing) -> Vec<(&str, u32)> {
        let sorted = SortedValues::of(&self.columns[column], missing);
        let mut rows = vec![0; sorted.values.len()];
        let field = self.layout.field(column);
        for (tuple, &size) in self.tuples.iter().zip(&self.sizes) {
            rows[sorted.ranks[field.read(tuple) as usize] as usize] += size;
        }
        sorted.values.into_iter().zip(rows).collect()
    }

    /// Adds a value to a column although no row has it, so that two tables number their values in the same way.
    pub fn learn(&mut self, column: usize, value: &str) {
        self.columns[column].encode(value, NO_ROW);
    }

    /// The counted table. `hierarchies` has one per quasi-identifier, each listing every value seen;
    /// `distances` one per counted column where a model moves along a hierarchy.
    pub fn finish(
        self,
        hierarchies: Vec<Hierarchy>,
        distances: Vec<Option<Hierarchy>>,
        missing: Missing,
    ) -> Result<CountedTable, Error> {
        let (quasi, counted) = self.columns.split_at(self.quasi_identifiers);
        expect_one_each("hierarchies", hierarchies.len(), quasi.len())?;
        expect_one_each("distances", distances.len(), counted.len())?;
        let layout = Layout::new(&hierarchies);
        let leaves = quasi
            .iter()
            .zip(&hierarchies)
            .map(|(column, hierarchy)| leaves_of_values(column, hierarchy, &missing))
            .collect::<Result<Vec<_>, _>>()?;
        let (columns, ranks): (Vec<_>, Vec<_>) = counted
            .iter()
            .zip(distances)
            .map(|(column, hierarchy)| sorted_column(column, hierarchy, &missing))
            .unzip();
        let is_excluded: Vec<Vec<bool>> = self
            .columns
            .iter()
            .map(|column| {
                let is_missing = |text| missing.normalize(text).is_empty();
                let excludes = missing.cells == MissingCells::ExcludeRow;
                column
                    .values
                    .iter()
                    .map(|text| excludes && is_missing(text))
                    .collect()
            })
            .collect();

        let words = layout.words();
        let mut keys = Vec::with_capacity(self.sizes.len() * words);
        let mut kept = Vec::with_capacity(self.sizes.len());
        let mut rows_excluded = 0;
        for (at, tuple) in self.tuples.iter().enumerate() {
            let codes = self.layout.fields().iter().map(|field| field.read(tuple));
            if codes
                .clone()
                .zip(&is_excluded)
                .any(|(code, is_excluded)| is_excluded[code as usize])
            {
                rows_excluded += self.sizes[at];
                continue;
            }
            kept.push(at as u32);
            layout.push_key(
                &mut keys,
                codes
                    .zip(&leaves)
                    .map(|(code, leaves)| leaves[code as usize]),
            );
        }
        let key = |slot: u32| &keys[slot as usize * words..][..words];
        let values_of = |slot: u32| {
            let tuple = self.tuples.get(kept[slot as usize]);
            let fields = self.layout.fields()[self.quasi_identifiers..].iter();
            let codes = fields.map(|field| field.read(tuple));
            codes.zip(&ranks).map(|(code, ranks)| ranks[code as usize])
        };
        let mut order: Vec<u32> = (0..kept.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| {
            let by_key = key(a).cmp(key(b));
            // Values of tuples that become one are sorted below.
            match self.rows_are_apart {
                true => by_key.then_with(|| values_of(a).cmp(values_of(b))),
                false => by_key,
            }
        });
        let rows_of = |slot: u32| self.sizes[kept[slot as usize] as usize];
        // How many rows a slot brings to a tuple.
        let size_of = |slot: u32| {
            if self.rows_are_apart {
                1
            } else {
                rows_of(slot)
            }
        };
        // The slots of each tuple of the table.
        let classes: Vec<&[u32]> = match self.rows_are_apart {
            true => (order.chunks(1))
                .flat_map(|slot| std::iter::repeat_n(slot, rows_of(slot[0]) as usize))
                .collect(),
            false => order.chunk_by(|&a, &b| key(a) == key(b)).collect(),
        };

        let mut tuples = FrequencySet {
            words,
            ..FrequencySet::default()
        };
        let mut histograms = vec![Histograms::default(); columns.len()];
        let mut values: Vec<Vec<(u32, u32)>> = vec![Vec::new(); columns.len()];
        for class in classes {
            tuples.keys.extend_from_slice(key(class[0]));
            tuples
                .sizes
                .push(class.iter().map(|&slot| size_of(slot)).sum());
            for (column, values) in values.iter_mut().enumerate() {
                let field = self.layout.field(self.quasi_identifiers + column);
                values.clear();
                values.extend(class.iter().map(|&slot| {
                    let at = kept[slot as usize];
                    let code = field.read(self.tuples.get(at));
                    (ranks[column][code as usize], size_of(slot))
                }));
                values.sort_unstable();
                for same in values.chunk_by(|a, b| a.0 == b.0) {
                    histograms[column].push(same[0].0, same.iter().map(|&(_, rows)| rows).sum());
                }
                histograms[column].end_class();
            }
        }
        tuples.histograms = histograms.into_iter().map(Some).collect();

        let mut table = CountedTable {
            rows: (self.rows - u64::from(rows_excluded)) as u32,
            rows_excluded,
            attributes: quasi
                .iter()
                .zip(hierarchies)
                .map(|(column, hierarchy)| attribute(column, hierarchy, &missing))
                .collect(),
            missing,
            columns,
            layout,
            tuples,
            rows_are_apart: self.rows_are_apart,
            population: None,
        };
        table.sum_rows();
        Ok(table)
    }
}

impl CountedTable {
    /// Fills the row counts of groups and values.
    fn sum_rows(&mut self) {
        for (position, attribute) in self.attributes.iter_mut().enumerate() {
            let hierarchy = &attribute.hierarchy;
            let field = self.layout.field(position);
            let mut rows_of_leaves = vec![0; hierarchy.leaves()];
            for (class, &size) in self.tuples.sizes.iter().enumerate() {
                rows_of_leaves[field.read(self.tuples.key(class)) as usize] += size;
            }
            attribute.rows_of_groups = Level::up_to(hierarchy.height())
                .map(|level| {
                    let mut rows = vec![0; hierarchy.groups(level)];
                    for (&group, leaf_rows) in hierarchy
                        .groups_of_leaves(level)
                        .iter()
                        .zip(&rows_of_leaves)
                    {
                        rows[group as usize] += leaf_rows;
                    }
                    rows
                })
                .collect();
        }
        for (column, histograms) in self.columns.iter_mut().zip(&self.tuples.histograms) {
            let histograms = histograms
                .as_ref()
                .expect("the counting pass makes all histograms");
            column.rows_of_values = vec![0; column.values.len()];
            for (&value, &count) in histograms.values.iter().zip(&histograms.counts) {
                column.rows_of_values[value as usize] += count;
            }
        }
    }
}

fn attribute(column: &CountingColumn, hierarchy: Hierarchy, missing: &Missing) -> Attribute {
    let texts = column.values.iter().map(|text| missing.normalize(text));
    Attribute {
        name: column.name.clone(),
        kind: Kind::of(texts.filter(|text| !text.is_empty())),
        missing: hierarchy.leaf(""),
        hierarchy,
        rows_of_groups: Vec::new(),
    }
}

/// Where a value was met first if no row has it.
const NO_ROW: u64 = u64::MAX;

/// The number of the leaf of each value, or an error that counts the values that are not listed.
fn leaves_of_values(
    column: &CountingColumn,
    hierarchy: &Hierarchy,
    missing: &Missing,
) -> Result<Vec<u32>, Error> {
    let leaf = |text| hierarchy.leaf(missing.normalize(text));
    let leaves: Vec<Option<Leaf>> = column.values.iter().map(leaf).collect();
    let unlisted = leaves
        .iter()
        .zip(&column.first_rows)
        .filter(|(leaf, _)| leaf.is_none());
    if let Some(row) = unlisted.clone().map(|(_, &row)| row).min() {
        return Err(Error::HierarchyLacksValues {
            column: column.name.clone(),
            values: unlisted.count(),
            row: Some(row).filter(|&row| row != NO_ROW),
            leaves: hierarchy.leaves(),
        });
    }
    Ok(leaves.into_iter().flatten().map(|leaf| leaf.0).collect())
}

/// Fails unless there is one of `what` per column: extra ones would be dropped silently.
fn expect_one_each(what: &'static str, given: usize, expected: usize) -> Result<(), Error> {
    match given == expected {
        true => Ok(()),
        false => Err(Error::NotOnePerColumn {
            what,
            given,
            expected,
        }),
    }
}

/// The distinct values of a column in a fixed order.
struct SortedValues<'a> {
    kind: Kind,
    values: Vec<&'a str>,
    /// The position of each code's value.
    ranks: Vec<u32>,
}

impl<'a> SortedValues<'a> {
    fn of(column: &'a CountingColumn, missing: &Missing) -> Self {
        let texts = column.values.iter().map(|text| missing.normalize(text));
        let texts: Vec<&str> = texts.collect();
        let kind = Kind::of(texts.iter().copied().filter(|text| !text.is_empty()));
        let mut codes: Vec<u32> = (0..texts.len() as u32).collect();
        let text = |code: &u32| texts[*code as usize];
        match kind {
            Kind::Number => codes.sort_by_cached_key(|code| (parse_number(text(code)), text(code))),
            Kind::Date => codes.sort_by_cached_key(|code| (parse_date(text(code)), text(code))),
            Kind::Text => codes.sort_unstable_by_key(text),
        }
        let mut values: Vec<&str> = Vec::with_capacity(texts.len());
        let mut ranks = vec![0; texts.len()];
        for code in codes {
            // Several texts may stand for a missing cell.
            if values.last() != Some(&text(&code)) {
                values.push(text(&code));
            }
            ranks[code as usize] = values.len() as u32 - 1;
        }
        SortedValues {
            kind,
            values,
            ranks,
        }
    }
}

/// The column with its values sorted, and the rank of each code.
fn sorted_column(
    column: &CountingColumn,
    hierarchy: Option<Hierarchy>,
    missing: &Missing,
) -> (CountedColumn, Vec<u32>) {
    let sorted = SortedValues::of(column, missing);
    let mut values = Dictionary::default();
    for text in sorted.values {
        values.encode(text);
    }
    let column = CountedColumn {
        name: column.name.clone(),
        kind: sorted.kind,
        values,
        rows_of_values: Vec::new(),
        hierarchy,
    };
    (column, sorted.ranks)
}
