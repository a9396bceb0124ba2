//! Counting with GROUP BY.

use crate::column::{Column, schema};
use crate::error::{Doing, Error};
use crate::session::Session;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use incrowd_core::table::RowBatch;
use incrowd_io::{BatchTexts, TakeGroups};
use std::ops::ControlFlow;

/// Distinct combinations of values, counted.
pub(crate) struct GroupQuery {
    sql: String,
    texts: BatchTexts,
    columns: usize,
}

impl GroupQuery {
    /// Combinations of these columns of the relation `t` in what follows FROM.
    pub(crate) fn of(session: &Session, columns: &[&Column], from: &str) -> Self {
        let dialect = session.dialect;
        let compared: Vec<String> = (columns.iter())
            .map(|it| it.compared(dialect, "t"))
            .collect();
        let sent = columns
            .iter()
            .zip(&compared)
            .map(|(it, cell)| it.sent(cell));
        let sent: Vec<String> = sent.collect();
        GroupQuery {
            sql: format!(
                "SELECT {}, count(*) FROM {from} GROUP BY {}",
                sent.join(", "),
                compared.join(", ")
            ),
            texts: BatchTexts::new("", &schema(columns.iter().copied()))
                .expect("dialects choose types that have texts"),
            columns: columns.len(),
        }
    }

    pub(crate) fn run(
        &self,
        session: &Session,
        doing: Doing,
        take: TakeGroups<'_>,
    ) -> Result<(), Error> {
        let mut rows = RowBatch::new(self.columns);
        let mut sizes = Vec::new();
        let mut is_enough = false;
        let counted = (session.connection).query(&self.sql, doing, &mut |batch| {
            rows.clear(0);
            self.texts.append(batch, &mut rows);
            sizes.clear();
            for rows in counts(batch, self.columns) {
                sizes.push(u32::try_from(rows).map_err(|_| Error::TooManyRows {
                    rows,
                    limit: u32::MAX.into(),
                })?);
            }
            match take(&rows, &sizes) {
                ControlFlow::Continue(()) => Ok(()),
                ControlFlow::Break(()) => {
                    is_enough = true;
                    // The rest of the rows is of no use to anybody.
                    session.connection.cancel();
                    Err(Error::Stopped {
                        engine: session.engine(),
                        doing,
                    })
                }
            }
        });
        match counted {
            // Whoever took the rows knows why.
            Err(Error::Stopped { .. }) if is_enough => Ok(()),
            counted => counted,
        }
    }
}

/// The counts in the last column.
fn counts(batch: &RecordBatch, column: usize) -> impl Iterator<Item = u64> {
    let counts = batch.column(column).as_primitive::<Int64Type>();
    debug_assert_eq!(counts.null_count(), 0);
    counts.values().iter().map(|&rows| rows.unsigned_abs())
}
