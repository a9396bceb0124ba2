//! The rows of a table in memory, each text once.

use crate::error::Error;
use crate::run::control::{Control, Phase};
use incrowd_core::counts::{Missing, RowCounter};
use incrowd_core::table::{Dictionary, RowBatch, ValueCode};
use incrowd_io::{MemoryTable, RowReader};

/// Some columns of a table.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) columns: Vec<HeldColumn>,
    pub(super) rows: usize,
}

/// One of them.
#[derive(Debug)]
pub(super) struct HeldColumn {
    pub(super) name: String,
    pub(super) texts: Dictionary,
    /// The code of the text of every row.
    pub(super) codes: Vec<u32>,
}

impl HeldColumn {
    /// The text of a row.
    pub(super) fn text(&self, row: usize) -> &str {
        self.texts.text(ValueCode(self.codes[row]))
    }

    /// Its values and how many rows have each, as hierarchies are built from.
    pub(super) fn counter(&self) -> Result<RowCounter, Error> {
        let mut counter = RowCounter::new(std::slice::from_ref(&self.name), &[0], &[]);
        let mut rows = vec![0; self.texts.len()];
        for &code in &self.codes {
            rows[code as usize] += 1;
        }
        for (text, rows) in self.texts.iter().zip(rows) {
            if rows > 0 {
                counter.count(&[text], rows)?;
            }
        }
        Ok(counter)
    }
}

impl Held {
    /// Columns of these names, without rows.
    pub(super) fn none(names: &[String]) -> Held {
        let columns = names.iter().map(|name| HeldColumn {
            name: name.clone(),
            texts: Dictionary::default(),
            codes: Vec::new(),
        });
        Held {
            columns: columns.collect(),
            rows: 0,
        }
    }

    /// Reads columns, given by their positions, to the end.
    pub(super) fn read(
        mut reader: Box<dyn RowReader + Send>,
        bytes_total: Option<u64>,
        positions: &[usize],
        control: &Control,
    ) -> Result<Held, Error> {
        let names = reader.columns();
        let columns = positions.iter().map(|&at| HeldColumn {
            name: names[at].clone(),
            texts: Dictionary::default(),
            codes: Vec::new(),
        });
        let mut held = Held {
            columns: columns.collect(),
            rows: 0,
        };
        let progress = control.progress();
        progress.begin(Phase::Read, bytes_total);
        let mut batch = RowBatch::default();
        while control.while_engine_works(|| Ok(reader.read(&mut batch)?))? {
            control.check()?;
            progress.reach(reader.bytes_read());
            for (column, &at) in held.columns.iter_mut().zip(positions) {
                for row in 0..batch.rows() {
                    let cell = batch.cell(row, at);
                    let code = match column.texts.lookup(cell) {
                        Some(code) => code,
                        // Readers hand out nothing but UTF-8.
                        None => column.texts.encode(&String::from_utf8_lossy(cell)),
                    };
                    column.codes.push(code.0);
                }
            }
            held.rows += batch.rows();
        }
        progress.end();
        control.check()?;
        Ok(held)
    }

    /// Drops the rows with a missing cell in one of some columns.
    pub(super) fn exclude_missing(&mut self, columns: &[usize], missing: &Missing) {
        let is_kept = |row: &usize| {
            let mut columns = columns.iter().map(|&at| &self.columns[at]);
            columns.all(|column| !missing.normalize(column.text(*row)).is_empty())
        };
        let kept: Vec<usize> = (0..self.rows).filter(is_kept).collect();
        for column in &mut self.columns {
            column.codes = kept.iter().map(|&row| column.codes[row]).collect();
        }
        self.rows = kept.len();
    }

    /// Some rows as a table of their own.
    pub(super) fn table(&self, rows: &[u32]) -> Result<MemoryTable, Error> {
        let columns = &self.columns;
        let rows = rows.iter().map(|&row| {
            let cells = columns.iter().map(move |column| column.text(row as usize));
            cells.collect::<Vec<_>>()
        });
        let names = columns.iter().map(|column| column.name.as_str());
        Ok(MemoryTable::new(names, rows)?)
    }
}
