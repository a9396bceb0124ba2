//! Statements to a server.

use super::tls::Tls;
use super::values::Batch;
use crate::address::TableName;
use crate::column::Declared;
use crate::connection::{Connection, Cursor, Found};
use crate::error::{Doing, Error};
use arrow_array::{Array, RecordBatch};
use incrowd_core::table::RowBatch;
use incrowd_io::BatchTexts;
use postgres::error::SqlState;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::Kind;
use postgres::{CancelToken, Client};
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Rows of a record batch.
const BATCH_ROWS: usize = 8192;

pub(crate) struct PostgresConnection {
    client: Arc<Mutex<Client>>,
    cancel: CancelToken,
    tls: Tls,
    cursors: AtomicU64,
}

impl PostgresConnection {
    pub(crate) fn new(client: Client, tls: Tls) -> Self {
        PostgresConnection {
            tls,
            cancel: client.cancel_token(),
            client: Arc::new(Mutex::new(client)),
            cursors: AtomicU64::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Client> {
        self.client.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A single text that the server tells.
    pub(crate) fn ask(&self, query: &str) -> Result<String, Error> {
        let answer = self.lock().query_one(query, &[]);
        let answer = answer.map_err(|error| explained(&error, Doing::Preparing))?;
        answer
            .try_get(0)
            .map_err(|error| explained(&error, Doing::Preparing))
    }
}

impl Connection for PostgresConnection {
    fn describe(&self, query: &str) -> Result<Vec<Declared>, Error> {
        let statement = self.lock().prepare(query);
        let statement = statement.map_err(|error| explained(&error, Doing::Preparing))?;
        let columns = statement.columns().iter();
        Ok(columns
            .map(|column| Declared {
                name: column.name().to_owned(),
                kind: column.type_().name().to_owned(),
                is_single: is_single(column.type_()),
            })
            .collect())
    }

    fn query(
        &self,
        query: &str,
        doing: Doing,
        take: &mut dyn FnMut(&RecordBatch) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut client = self.lock();
        let statement = client.prepare(query);
        let statement = statement.map_err(|error| explained(&error, doing))?;
        let mut batch = Batch::of(statement.columns());
        let none: [i32; 0] = [];
        let rows = client.query_raw(&statement, none);
        let mut rows = rows.map_err(|error| explained(&error, doing))?;
        while let Some(row) = rows.next().map_err(|error| explained(&error, doing))? {
            batch.push(&row)?;
            if batch.rows() == BATCH_ROWS {
                take(&batch.take())?;
            }
        }
        match batch.rows() {
            0 => Ok(()),
            _ => take(&batch.take()),
        }
    }

    fn read(&self, query: &str) -> Result<Box<dyn Cursor>, Error> {
        let number = self.cursors.fetch_add(1, Ordering::Relaxed);
        let name = format!("incrowd_cursor_{number}");
        self.execute(
            &format!("DECLARE {name} NO SCROLL CURSOR FOR {query}"),
            Doing::Reading,
        )?;
        Ok(Box::new(Fetching {
            client: Arc::clone(&self.client),
            fetch: format!("FETCH FORWARD {BATCH_ROWS} FROM {name}"),
            name,
        }))
    }

    fn execute(&self, statement: &str, doing: Doing) -> Result<(), Error> {
        // With parameters, even none, the server takes one statement only.
        let done = self.lock().execute(statement, &[]);
        done.map(|_| ()).map_err(|error| explained(&error, doing))
    }

    fn upload(&self, table: &str, rows: &RecordBatch, doing: Doing) -> Result<(), Error> {
        let mut client = self.lock();
        let failed = |error: postgres::Error| explained(&error, doing);
        let mut copy = client
            .copy_in(&format!("COPY {table} FROM STDIN"))
            .map_err(failed)?;
        let text = copied(rows)?;
        if copy.write_all(&text).is_err() {
            // What went wrong is said at the end.
            return match copy.finish() {
                Err(error) => Err(explained(&error, doing)),
                Ok(_) => Err(lost(doing)),
            };
        }
        copy.finish().map(|_| ()).map_err(failed)
    }

    fn find(&self, table: &TableName) -> Result<Option<Found>, Error> {
        let parts = table
            .0
            .iter()
            .map(|part| format!("\"{}\"", part.replace('"', "\"\"")));
        let name = parts.collect::<Vec<_>>().join(".");
        if table.0.len() > 3 {
            return Ok(None);
        }
        let kinds =
            "SELECT relkind::text FROM pg_catalog.pg_class WHERE oid = pg_catalog.to_regclass($1)";
        let found = self.lock().query_opt(kinds, &[&name]);
        let found = found.map_err(|error| explained(&error, Doing::Preparing))?;
        let kind: Option<String> = match found {
            Some(row) => Some(
                row.try_get(0)
                    .map_err(|error| explained(&error, Doing::Preparing))?,
            ),
            None => None,
        };
        Ok(kind.map(|kind| match kind.as_str() {
            "r" | "p" => Found::Table,
            _ => Found::Other,
        }))
    }

    fn commit(&self) -> Result<(), Error> {
        self.execute("COMMIT", Doing::Publishing)
    }

    fn cancel(&self) {
        self.tls.cancel(&self.cancel);
    }
}

/// Rows of a query, some at a time.
struct Fetching {
    client: Arc<Mutex<Client>>,
    fetch: String,
    name: String,
}

impl Cursor for Fetching {
    fn next(&mut self) -> Result<Option<RecordBatch>, Error> {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        let rows = client.query(&self.fetch, &[]);
        let rows = rows.map_err(|error| explained(&error, Doing::Reading))?;
        let Some(first) = rows.first() else {
            return Ok(None);
        };
        let mut batch = Batch::of(first.columns());
        rows.iter().try_for_each(|row| batch.push(row))?;
        Ok(Some(batch.take()))
    }
}

impl Drop for Fetching {
    fn drop(&mut self) {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        // A transaction that failed has closed it already.
        let _ = client.execute(&format!("CLOSE {}", self.name), &[]);
    }
}

/// Whether a value of this type is one thing that has a text.
fn is_single(kind: &postgres::types::Type) -> bool {
    const OPAQUE: &[&str] = &[
        "json",
        "jsonb",
        "xml",
        "bytea",
        "interval",
        "tsvector",
        "tsquery",
        "point",
        "line",
        "lseg",
        "box",
        "path",
        "polygon",
        "circle",
        "bit",
        "varbit",
        "hstore",
        "geometry",
        "geography",
    ];
    match kind.kind() {
        Kind::Simple => !OPAQUE.contains(&kind.name()),
        Kind::Enum(_) | Kind::Domain(_) => true,
        _ => false,
    }
}

/// Rows in the text form of COPY.
fn copied(rows: &RecordBatch) -> Result<Vec<u8>, Error> {
    let schema = rows.schema();
    let texts = BatchTexts::new("", &schema).map_err(|_| lost(Doing::Uploading))?;
    let mut cells = RowBatch::new(schema.fields().len());
    texts.append(rows, &mut cells);
    let mut copied = Vec::with_capacity(cells.byte_len() + 2 * rows.num_rows() * cells.columns());
    for row in 0..cells.rows() {
        for at in 0..cells.columns() {
            if at > 0 {
                copied.push(b'\t');
            }
            if rows.column(at).is_null(row) {
                copied.extend(b"\\N");
                continue;
            }
            for &byte in cells.cell(row, at) {
                match byte {
                    0 => {
                        return Err(Error::NulText {
                            column: schema.field(at).name().clone(),
                            engine: "PostgreSQL",
                        });
                    }
                    b'\\' => copied.extend(b"\\\\"),
                    b'\t' => copied.extend(b"\\t"),
                    b'\n' => copied.extend(b"\\n"),
                    b'\r' => copied.extend(b"\\r"),
                    other => copied.push(other),
                }
            }
        }
        copied.push(b'\n');
    }
    Ok(copied)
}

fn lost(doing: Doing) -> Error {
    Error::ConnectionLost {
        engine: "PostgreSQL",
        doing,
    }
}

/// What an error means. What the server says is repeated only where it has not looked at rows yet: it may quote cells.
pub(super) fn explained(error: &postgres::Error, doing: Doing) -> Error {
    let engine = "PostgreSQL";
    let Some(said) = error.as_db_error() else {
        return lost(doing);
    };
    let state = said.code();
    let code = state.code();
    if *state == SqlState::QUERY_CANCELED {
        Error::Stopped { engine, doing }
    } else if *state == SqlState::INSUFFICIENT_PRIVILEGE {
        Error::NoRight {
            message: said.message().to_owned(),
            doing,
        }
    } else if *state == SqlState::DISK_FULL || code.starts_with("53") {
        Error::EngineFull { engine, doing }
    } else if code.starts_with("57P") || code.starts_with("08") {
        lost(doing)
    } else if code.starts_with("3F") || is_about_sql(state, doing) {
        Error::Refused {
            engine,
            message: said.message().to_owned(),
            doing,
        }
    } else {
        Error::Failed {
            engine,
            doing,
            state: code.to_owned(),
        }
    }
}

/// Whether a statement was refused for what it says, before any row was looked at.
fn is_about_sql(state: &SqlState, doing: Doing) -> bool {
    let is_about_names = state.code().starts_with("42") && *state != SqlState::DUPLICATE_TABLE;
    is_about_names && doing == Doing::Preparing
}
