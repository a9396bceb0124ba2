//! Counting with GROUP BY.

use crate::column::Column;
use crate::error::{Doing, Error};
use crate::session::Session;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use incrowd_core::table::RowBatch;
use incrowd_io::{BatchTexts, GroupRoom, TakeGroups};
use std::ops::ControlFlow;

/// Distinct combinations of values, counted.
pub(crate) struct GroupQuery {
    sql: String,
    columns: usize,
    names: Vec<String>,
    /// The combinations themselves, as they stand after FROM.
    distinct: String,
    /// Some of the rows, as they stand after FROM.
    some: String,
}

/// Rows that are looked at to say how many values columns have.
const ROWS_SEEN: u64 = 1_000_000;

impl GroupQuery {
    /// Combinations of these columns of the relation `t` in what follows FROM.
    pub(crate) fn of(session: &Session, columns: &[&Column], from: &str) -> Self {
        let dialect = session.dialect;
        let compared: Vec<String> = (columns.iter())
            .map(|it| it.compared(dialect, "t"))
            .collect();
        let numbered = compared.iter().enumerate();
        let numbered: Vec<String> = numbered
            .map(|(at, cell)| format!("{cell} AS g{at}"))
            .collect();
        // What is sent is made of what was grouped, outside of the grouping: an engine may rewrite a cast around a
        // compared value, and then no longer recognize it.
        let sent = columns.iter().enumerate();
        let sent: Vec<String> = sent.map(|(at, it)| it.sent(&format!("g.g{at}"))).collect();
        GroupQuery {
            sql: format!(
                "SELECT {}, g.n FROM (SELECT {}, count(*) AS n FROM {from} GROUP BY {}) AS g",
                sent.join(", "),
                numbered.join(", "),
                compared.join(", ")
            ),
            columns: columns.len(),
            distinct: format!("(SELECT DISTINCT {} FROM {from}) AS d", numbered.join(", ")),
            some: format!(
                "(SELECT {} FROM {from} LIMIT {ROWS_SEEN}) AS s",
                numbered.join(", ")
            ),
            names: columns.iter().map(|it| it.name.clone()).collect(),
        }
    }

    /// The error, about the columns that the table has in place of those of the query.
    fn about_table(&self, error: Error) -> Error {
        let Error::OutOfRange { column } = error else {
            return error;
        };
        let number = column.strip_prefix('g').and_then(|it| it.parse().ok());
        let name = number.and_then(|at: usize| self.names.get(at));
        Error::OutOfRange {
            column: name.cloned().unwrap_or(column),
        }
    }

    /// Refuses combinations that there is no room for, and says which columns have many values.
    pub(crate) fn check_room(&self, session: &Session, room: GroupRoom) -> Result<(), Error> {
        let tuples = count_rows(session, &self.distinct, Doing::Counting)?;
        if room.fits(tuples) {
            return Ok(());
        }
        let (rows_seen, columns) = self.values_by_column(session)?;
        Err(Error::TooManyTuples {
            tuples,
            bytes: tuples.saturating_mul(room.bytes_each),
            limit: room.bytes,
            is_limit: room.is_limit,
            rows_seen,
            columns,
        })
    }

    /// How many values each column has in some of the rows, and in how many rows that is.
    fn values_by_column(&self, session: &Session) -> Result<(u64, Vec<(String, u64)>), Error> {
        let values = (0..self.columns).map(|at| format!("count(DISTINCT s.g{at})"));
        let values: Vec<String> = values.chain(["count(*)".to_owned()]).collect();
        let mut values = numbers(session, &values, &self.some, Doing::Counting)?;
        let rows_seen = values.pop().unwrap_or_default();
        Ok((rows_seen, self.names.iter().cloned().zip(values).collect()))
    }

    /// The error, with the figures if it is about an answer that is too large.
    fn with_figures(&self, session: &Session, error: Error) -> Error {
        let Error::ResultTooLarge { engine, limit, .. } = error else {
            return error;
        };
        let tuples = count_rows(session, &self.distinct, Doing::Counting);
        let counted = tuples.and_then(|it| Ok((it, self.values_by_column(session)?)));
        let (tuples, (rows_seen, columns)) = match counted {
            Ok((tuples, values)) => (Some(tuples), values),
            Err(stopped @ Error::Stopped { .. }) => return stopped,
            // That the answer is too large is what matters.
            Err(_) => (None, (0, Vec::new())),
        };
        Error::ResultTooLarge {
            engine,
            limit,
            tuples,
            rows_seen,
            columns,
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
            let cells: Vec<usize> = (0..self.columns).collect();
            texts_of(session, batch, &cells, doing)?.append(batch, &mut rows);
            sizes.clear();
            let counts = counts(batch, self.columns).ok_or_else(|| unreadable(session, doing))?;
            for rows in counts {
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
            counted => counted.map_err(|error| {
                let error = self.about_table(error);
                self.with_figures(session, error)
            }),
        }
    }
}

/// How many rows there are in what follows FROM.
pub(crate) fn count_rows(session: &Session, from: &str, doing: Doing) -> Result<u64, Error> {
    Ok(numbers(session, &["count(*)".into()], from, doing)?[0])
}

/// The numbers in the only row of a query.
fn numbers(
    session: &Session,
    cells: &[String],
    from: &str,
    doing: Doing,
) -> Result<Vec<u64>, Error> {
    let named = cells.iter().enumerate();
    let named: Vec<String> = named.map(|(at, it)| format!("{it} AS r{at}")).collect();
    let query = format!("SELECT {} FROM {from}", named.join(", "));
    let mut found = Vec::new();
    session.connection.query(&query, doing, &mut |batch| {
        for at in 0..cells.len() {
            found.extend(counts(batch, at).ok_or_else(|| unreadable(session, doing))?);
        }
        Ok(())
    })?;
    match found.len() == cells.len() {
        true => Ok(found),
        false => Err(unreadable(session, doing)),
    }
}

/// How the cells of a batch become texts, by the types in which the engine has sent them.
pub(crate) fn texts_of(
    session: &Session,
    batch: &RecordBatch,
    columns: &[usize],
    doing: Doing,
) -> Result<BatchTexts, Error> {
    let schema = batch.schema().project(columns);
    let schema = schema.map_err(|_| unreadable(session, doing))?;
    BatchTexts::new("", &schema).map_err(|_| unreadable(session, doing))
}

fn unreadable(session: &Session, doing: Doing) -> Error {
    Error::Failed {
        engine: session.engine(),
        doing,
        state: "of an answer in an unexpected form".into(),
    }
}

/// The counts in the last column.
fn counts(batch: &RecordBatch, column: usize) -> Option<impl Iterator<Item = u64>> {
    let counts = batch.columns().get(column)?;
    let counts = counts.as_primitive_opt::<Int64Type>()?;
    let is_complete = counts.null_count() == 0 && counts.values().iter().all(|rows| *rows >= 0);
    is_complete.then(|| counts.values().iter().map(|&rows| rows.unsigned_abs()))
}

#[cfg(test)]
#[cfg(feature = "postgres")]
mod tests {
    use super::*;
    use crate::address::TableName;
    use crate::column::Declared;
    use crate::connection::{Connection, Cursor, Found};
    use crate::postgres::dialect::Postgres;
    use arrow_array::{ArrayRef, Int64Array, StringArray};
    use std::sync::Arc;

    /// An engine that has counted so many rows of one value, and is asked nothing else.
    struct Counted(i64);

    impl Connection for Counted {
        fn query(
            &self,
            _: &str,
            _: Doing,
            take: &mut dyn FnMut(&RecordBatch) -> Result<(), Error>,
        ) -> Result<(), Error> {
            let columns: [(&str, ArrayRef); 2] = [
                ("g0", Arc::new(StringArray::from(vec!["x"]))),
                ("n", Arc::new(Int64Array::from(vec![self.0]))),
            ];
            take(&RecordBatch::try_from_iter(columns).unwrap())
        }

        fn describe(&self, _: &str) -> Result<Vec<Declared>, Error> {
            unreachable!()
        }

        fn read(&self, _: &str) -> Result<Box<dyn Cursor>, Error> {
            unreachable!()
        }

        fn execute(&self, _: &str, _: Doing) -> Result<(), Error> {
            unreachable!()
        }

        fn upload(&self, _: &str, _: &RecordBatch, _: Doing) -> Result<(), Error> {
            unreachable!()
        }

        fn find(&self, _: &TableName) -> Result<Option<Found>, Error> {
            unreachable!()
        }

        fn commit(&self) -> Result<(), Error> {
            unreachable!()
        }

        fn cancel(&self) {}
    }

    fn count(rows: i64) -> Result<Vec<u32>, Error> {
        let session = Session {
            connection: Box::new(Counted(rows)),
            dialect: &Postgres,
            place: String::new(),
            version: String::new(),
            snapshot: None,
        };
        let column = crate::dialect::Dialect::column(
            &Postgres,
            Declared {
                name: "a".into(),
                kind: "text".into(),
                is_single: true,
            },
        );
        let mut found = Vec::new();
        let query = GroupQuery::of(&session, &[&column], "x AS t");
        query.run(&session, Doing::Counting, &mut |_, sizes| {
            found.extend(sizes);
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    #[test]
    fn rows_beyond_32_bits_are_refused_and_never_wrapped() {
        assert_eq!(count(u32::MAX.into()).unwrap(), [u32::MAX]);
        for rows in [1 << 32, (1 << 32) + 5, i64::MAX] {
            let refused = count(rows).unwrap_err();
            assert!(
                matches!(refused, Error::TooManyRows { rows: told, .. } if told == rows as u64)
            );
        }
    }
}
