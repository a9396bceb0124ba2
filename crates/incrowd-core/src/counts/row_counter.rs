//! The counting pass: rows in, distinct tuples out.

use super::{Attribute, CountedColumn, CountedTable, FrequencySet, Histograms, Layout};
use crate::Error;
use crate::hierarchy::Hierarchy;
use crate::table::{Dictionary, Kind, RowBatch, parse_date, parse_number};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// Which cells are missing, beside the empty ones, and what that means.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Missing {
    /// What a missing cell means.
    pub cells: MissingCells,
    /// Texts that stand for a missing cell, such as `?` or `NA`.
    pub tokens: Vec<String>,
}

impl Missing {
    /// The text of a cell, empty when it is missing.
    pub fn normalize<'t>(&self, text: &'t str) -> &'t str {
        if self.tokens.iter().any(|token| token == text) {
            ""
        } else {
            text
        }
    }
}

/// What a missing cell means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MissingCells {
    /// A value of its own, as if "missing" were written there.
    #[default]
    OwnValue,
    /// It could be any value, so the row stands in the crowd of every class it might belong to.
    MatchAny,
    /// The row is left out of the release.
    ExcludeRow,
}

/// Counts rows batch by batch; memory grows with the distinct tuples, not with the rows.
///
/// The quasi-identifiers and the counted columns form one tuple, so each row costs one look-up beside those
/// of its values. What [`RowCounter::finish`] makes of it does not depend on the order in which rows came or
/// on how they were spread over counters.
#[derive(Debug, Clone)]
pub struct RowCounter {
    columns: Vec<CountingColumn>,
    quasi_identifiers: usize,
    rows: u64,
    /// The codes of every distinct tuple, `columns.len()` each.
    tuples: Vec<u32>,
    sizes: Vec<u32>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
    codes: Vec<u32>,
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
    /// The code of a value that stands in a row.
    fn encode(&mut self, value: &str, row: u64) -> u32 {
        let code = self.values.encode(value);
        match self.first_rows.get_mut(code as usize) {
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
        RowCounter {
            codes: vec![0; columns.len()],
            columns,
            quasi_identifiers: quasi_identifiers.len(),
            rows: 0,
            tuples: Vec::new(),
            sizes: Vec::new(),
            index: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// Counts the rows of a batch.
    pub fn add(&mut self, batch: &RowBatch) -> Result<(), Error> {
        for row in 0..batch.rows() {
            for (column, code) in self.columns.iter_mut().zip(&mut self.codes) {
                let cell = batch.cell(row, column.position);
                *code = match column.values.lookup(cell) {
                    Some(code) => code,
                    None => {
                        let row = batch.first_row() + row as u64 + 1;
                        let text = std::str::from_utf8(cell).map_err(|_| Error::NotUtf8 {
                            column: column.name.clone(),
                            row,
                        })?;
                        column.encode(text, row)
                    }
                };
            }
            self.count_tuple(1)?;
        }
        Ok(())
    }

    /// Takes over what another counter of the same columns has counted.
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
                    .map(|(text, &row)| ours.encode(text, row))
                    .collect()
            })
            .collect();
        for (tuple, &size) in other
            .tuples
            .chunks_exact(self.columns.len())
            .zip(&other.sizes)
        {
            for ((code, theirs), recode) in self.codes.iter_mut().zip(tuple).zip(&recode) {
                *code = recode[*theirs as usize];
            }
            self.count_tuple(size)?;
        }
        Ok(())
    }

    /// Adds `rows` rows with the tuple in `self.codes`.
    #[inline]
    fn count_tuple(&mut self, rows: u32) -> Result<(), Error> {
        self.rows += u64::from(rows);
        if self.rows > u64::from(u32::MAX) {
            return Err(Error::TooManyRows {
                limit: u32::MAX.into(),
            });
        }
        let width = self.codes.len();
        let (tuples, codes, hasher) = (&mut self.tuples, &self.codes, &self.hasher);
        let hash = hasher.hash_one(&codes[..]);
        let found = self.index.find(hash, |&at| {
            tuples[at as usize * width..][..width] == codes[..]
        });
        match found {
            Some(&at) => self.sizes[at as usize] += rows,
            None => {
                let at = self.sizes.len() as u32;
                tuples.extend_from_slice(codes);
                self.sizes.push(rows);
                let tuples = &self.tuples;
                self.index.insert_unique(hash, at, |&at| {
                    hasher.hash_one(&tuples[at as usize * width..][..width])
                });
            }
        }
        Ok(())
    }

    /// Rows counted so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The distinct values of a column (quasi-identifiers first) with their rows, in the order of first sight.
    /// Missing cells are one value, the empty text.
    pub fn values(&self, column: usize, missing: &Missing) -> Vec<(&str, u32)> {
        let values = &self.columns[column].values;
        let mut distinct = Dictionary::default();
        let codes: Vec<u32> = values
            .iter()
            .map(|text| distinct.encode(missing.normalize(text)))
            .collect();
        let mut rows = vec![0; distinct.len()];
        for (tuple, &size) in self
            .tuples
            .chunks_exact(self.columns.len())
            .zip(&self.sizes)
        {
            rows[codes[tuple[column] as usize] as usize] += size;
        }
        let mut listed = vec![""; distinct.len()];
        for (text, &code) in values.iter().zip(&codes) {
            listed[code as usize] = missing.normalize(text);
        }
        listed.into_iter().zip(rows).collect()
    }

    /// Makes a value known to a column although no row has it, so that two tables number their values alike.
    pub fn learn(&mut self, column: usize, value: &str) {
        self.columns[column].encode(value, u64::MAX);
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
        let width = self.columns.len();
        let mut keys = Vec::with_capacity(self.sizes.len() * words);
        let mut kept = Vec::with_capacity(self.sizes.len());
        let mut rows_excluded = 0;
        for (at, tuple) in self.tuples.chunks_exact(width).enumerate() {
            if tuple
                .iter()
                .zip(&is_excluded)
                .any(|(&code, is_excluded)| is_excluded[code as usize])
            {
                rows_excluded += self.sizes[at];
                continue;
            }
            kept.push(at as u32);
            layout.push_key(
                &mut keys,
                tuple
                    .iter()
                    .zip(&leaves)
                    .map(|(&code, leaves)| leaves[code as usize]),
            );
        }
        let key = |slot: u32| &keys[slot as usize * words..][..words];
        let mut order: Vec<u32> = (0..kept.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| key(a).cmp(key(b)));

        let mut tuples = FrequencySet {
            words,
            ..FrequencySet::default()
        };
        let mut histograms = vec![Histograms::default(); columns.len()];
        let mut values: Vec<Vec<(u32, u32)>> = vec![Vec::new(); columns.len()];
        for class in order.chunk_by(|&a, &b| key(a) == key(b)) {
            tuples.keys.extend_from_slice(key(class[0]));
            tuples.sizes.push(
                class
                    .iter()
                    .map(|&slot| self.sizes[kept[slot as usize] as usize])
                    .sum(),
            );
            for (column, values) in values.iter_mut().enumerate() {
                values.clear();
                values.extend(class.iter().map(|&slot| {
                    let at = kept[slot as usize] as usize;
                    let code = self.tuples[at * width + self.quasi_identifiers + column];
                    (ranks[column][code as usize], self.sizes[at])
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
            attribute.rows_of_groups = (0..=hierarchy.height())
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

/// The leaf of each value, or an error that counts the values that are not listed.
fn leaves_of_values(
    column: &CountingColumn,
    hierarchy: &Hierarchy,
    missing: &Missing,
) -> Result<Vec<u32>, Error> {
    let leaf = |text| hierarchy.leaf(missing.normalize(text));
    let leaves: Vec<Option<u32>> = column.values.iter().map(leaf).collect();
    let unlisted = leaves
        .iter()
        .zip(&column.first_rows)
        .filter(|(leaf, _)| leaf.is_none());
    if let Some(row) = unlisted.clone().map(|(_, &row)| row).min() {
        return Err(Error::HierarchyLacksValues {
            column: column.name.clone(),
            values: unlisted.count(),
            row,
            leaves: hierarchy.leaves(),
        });
    }
    Ok(leaves.into_iter().flatten().collect())
}

/// The column with its values sorted, and the rank of each code.
fn sorted_column(
    column: &CountingColumn,
    hierarchy: Option<Hierarchy>,
    missing: &Missing,
) -> (CountedColumn, Vec<u32>) {
    let texts: Vec<&str> = column
        .values
        .iter()
        .map(|text| missing.normalize(text))
        .collect();
    let kind = Kind::of(texts.iter().copied().filter(|text| !text.is_empty()));
    let mut sorted = texts.clone();
    match kind {
        Kind::Number => sorted.sort_by_cached_key(|&text| (parse_number(text), text)),
        Kind::Date => sorted.sort_by_cached_key(|&text| (parse_date(text), text)),
        Kind::Text => sorted.sort_unstable(),
    }
    let mut values = Dictionary::default();
    for text in sorted {
        values.encode(text);
    }
    let ranks = texts.iter().map(|text| values.encode(text)).collect();
    let column = CountedColumn {
        name: column.name.clone(),
        kind,
        values,
        rows_of_values: Vec::new(),
        hierarchy,
    };
    (column, ranks)
}
