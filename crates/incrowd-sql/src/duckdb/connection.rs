//! Statements to a database file.

use super::file::{NewFile, OpenFile};
use crate::address::TableName;
use crate::column::Declared;
use crate::connection::{Connection, Cursor, Found};
use crate::error::{Doing, Error};
use crate::session::unique_name;
use adbc_core::options::{IngestMode, OptionStatement, OptionValue};
use adbc_core::{CancelHandle, Connection as _, Optionable, Statement};
use adbc_driver_manager::{ManagedConnection, ManagedStatement};
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, TimestampMicrosecondType};
use arrow_array::{RecordBatch, RecordBatchReader};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Rows that are read at a time.
const PAGE_ROWS: u64 = 65_536;

pub(crate) struct DuckDbConnection {
    /// The file, if it is not there without this connection. It is dropped first, so that nobody else opens a file that is
    /// about to go.
    #[cfg(unix)]
    created: Mutex<Option<NewFile>>,
    connection: Arc<Mutex<ManagedConnection>>,
    cancel: Box<dyn CancelHandle>,
    file: OpenFile,
    /// The same, where a file cannot go as long as it is open.
    #[cfg(not(unix))]
    created: Mutex<Option<NewFile>>,
}

type Reader = Box<dyn RecordBatchReader + Send>;

impl DuckDbConnection {
    pub(crate) fn new(
        connection: ManagedConnection,
        file: OpenFile,
        created: Option<NewFile>,
    ) -> Self {
        DuckDbConnection {
            file,
            cancel: connection.get_cancel_handle(),
            connection: Arc::new(Mutex::new(connection)),
            created: Mutex::new(created),
        }
    }

    fn lock(&self) -> MutexGuard<'_, ManagedConnection> {
        lock(&self.connection)
    }

    /// All texts in the first column of a query.
    pub(crate) fn ask(&self, query: &str) -> Result<Vec<String>, Error> {
        let mut answers = Vec::new();
        self.query(query, Doing::Preparing, &mut |batch| {
            let texts = batch.column(0).as_string_opt::<i32>();
            let texts = texts.ok_or_else(|| unexpected(Doing::Preparing))?;
            answers.extend(texts.iter().map(|text| text.unwrap_or_default().to_owned()));
            Ok(())
        })?;
        Ok(answers)
    }
}

fn lock(connection: &Mutex<ManagedConnection>) -> MutexGuard<'_, ManagedConnection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A statement that has run, which must live as long as its rows are read, and the rows.
fn run(
    connection: &mut ManagedConnection,
    sql: &str,
    doing: Doing,
) -> Result<(ManagedStatement, Reader), Error> {
    let failed = |error: adbc_core::error::Error| explained(&error, doing);
    let mut statement = connection.new_statement().map_err(failed)?;
    statement.set_sql_query(sql).map_err(failed)?;
    let rows = statement.execute().map_err(failed)?;
    Ok((statement, rows))
}

impl Connection for DuckDbConnection {
    fn describe(&self, query: &str) -> Result<Vec<Declared>, Error> {
        let mut declared = Vec::new();
        self.query(
            &format!("DESCRIBE {query}"),
            Doing::Preparing,
            &mut |batch| {
                let texts = |at: usize| {
                    let texts = batch.column(at).as_string_opt::<i32>();
                    texts.ok_or_else(|| unexpected(Doing::Preparing))
                };
                let (names, kinds) = (texts(0)?, texts(1)?);
                for row in 0..batch.num_rows() {
                    declared.push(Declared {
                        name: names.value(row).to_owned(),
                        kind: without_values(kinds.value(row)).to_owned(),
                        is_single: is_single(kinds.value(row)),
                    });
                }
                Ok(())
            },
        )?;
        Ok(declared)
    }

    fn query(
        &self,
        query: &str,
        doing: Doing,
        take: &mut dyn FnMut(&RecordBatch) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut connection = self.lock();
        let (_statement, rows) = run(&mut connection, query, doing)?;
        for batch in rows {
            let batch = batch.map_err(|error| told(&error.to_string(), doing))?;
            check_finite(&batch)?;
            take(&batch)?;
        }
        Ok(())
    }

    fn read(&self, query: &str) -> Result<Box<dyn Cursor>, Error> {
        // Rows that stream would be lost at the next statement, so they are laid down first.
        let name = unique_name("rows");
        self.execute(
            &format!("CREATE TEMPORARY TABLE {name} AS {query}"),
            Doing::Reading,
        )?;
        // Rows of a transaction are numbered from somewhere.
        let numbers = self.ask(&format!(
            "SELECT unnest([CAST(COALESCE(min(rowid), 0) AS VARCHAR), CAST(count(*) AS VARCHAR)]) FROM {name}"
        ))?;
        let numbers: Vec<u64> = numbers.iter().filter_map(|it| it.parse().ok()).collect();
        let [first_row, rows_left] = numbers[..] else {
            return Err(unexpected(Doing::Reading));
        };
        Ok(Box::new(Paging {
            connection: Arc::clone(&self.connection),
            name,
            next_row: first_row,
            rows_left,
            waiting: VecDeque::new(),
        }))
    }

    fn execute(&self, statement: &str, doing: Doing) -> Result<(), Error> {
        self.query(statement, doing, &mut |_| Ok(()))
    }

    fn upload(&self, table: &str, rows: &RecordBatch, doing: Doing) -> Result<(), Error> {
        if rows.num_rows() == 0 {
            return Ok(());
        }
        let name = unique_name("sent");
        let failed = |error: adbc_core::error::Error| explained(&error, doing);
        let mut connection = self.lock();
        let mut statement = connection.new_statement().map_err(failed)?;
        let options = [
            (
                OptionStatement::TargetTable,
                OptionValue::String(name.clone()),
            ),
            (
                OptionStatement::IngestMode,
                OptionValue::from(IngestMode::Create),
            ),
            (
                OptionStatement::Temporary,
                OptionValue::String("true".into()),
            ),
        ];
        for (option, value) in options {
            statement.set_option(option, value).map_err(failed)?;
        }
        statement.bind(rows.clone()).map_err(failed)?;
        statement.execute_update().map_err(failed)?;
        drop(statement);
        drop(connection);
        self.execute(&format!("INSERT INTO {table} SELECT * FROM {name}"), doing)?;
        self.execute(&format!("DROP TABLE {name}"), doing)
    }

    fn find(&self, table: &TableName) -> Result<Option<Found>, Error> {
        // A literal has no escapes but the doubled quote.
        let is = |column: &str, part: &String| {
            let part = part.replace('\'', "''");
            format!("lower({column}) = lower('{part}')")
        };
        let mut parts = table.0.iter().rev();
        let mut conditions = Vec::new();
        for (column, otherwise) in [
            ("table_name", "false"),
            ("table_schema", "table_schema = current_schema()"),
            ("table_catalog", "table_catalog = current_database()"),
        ] {
            conditions.push(match parts.next() {
                Some(part) => is(column, part),
                None => otherwise.to_owned(),
            });
        }
        if parts.next().is_some() {
            return Ok(None);
        }
        let kinds = self.ask(&format!(
            "SELECT table_type FROM information_schema.tables WHERE {}",
            conditions.join(" AND ")
        ))?;
        Ok(kinds.first().map(|kind| match kind.as_str() {
            "BASE TABLE" => Found::Table,
            _ => Found::Other,
        }))
    }

    fn commit(&self) -> Result<(), Error> {
        if !self.file.has_its_name() {
            return Err(Error::Failed {
                engine: "DuckDB",
                doing: Doing::Publishing,
                state: "of a database file that was removed or replaced meanwhile".into(),
            });
        }
        self.execute("COMMIT", Doing::Publishing)?;
        let created = self.created.lock();
        if let Some(file) = created.unwrap_or_else(PoisonError::into_inner).take() {
            file.keep();
        }
        Ok(())
    }

    fn cancel(&self) {
        // Where there is nothing to stop, nothing goes on.
        let _ = self.cancel.try_cancel();
    }
}

/// Rows that were laid down, some at a time.
struct Paging {
    connection: Arc<Mutex<ManagedConnection>>,
    name: String,
    next_row: u64,
    /// Rows that have still to be handed out: all of them must come.
    rows_left: u64,
    waiting: VecDeque<RecordBatch>,
}

impl Cursor for Paging {
    fn next(&mut self) -> Result<Option<RecordBatch>, Error> {
        if self.waiting.is_empty() && self.rows_left > 0 {
            let (from, until) = (self.next_row, self.next_row + PAGE_ROWS);
            let sql = format!(
                "SELECT * FROM {} WHERE rowid >= {from} AND rowid < {until}",
                self.name
            );
            let mut connection = lock(&self.connection);
            let (_statement, rows) = run(&mut connection, &sql, Doing::Reading)?;
            for batch in rows {
                let batch = batch.map_err(|error| told(&error.to_string(), Doing::Reading))?;
                check_finite(&batch)?;
                self.waiting.push_back(batch);
            }
            self.next_row = until;
        }
        let Some(batch) = self.waiting.pop_front() else {
            return match self.rows_left {
                0 => Ok(None),
                _ => Err(unexpected(Doing::Reading)),
            };
        };
        let rows = self.rows_left.checked_sub(batch.num_rows() as u64);
        self.rows_left = rows.ok_or_else(|| unexpected(Doing::Reading))?;
        Ok(Some(batch))
    }
}

impl Drop for Paging {
    fn drop(&mut self) {
        let mut connection = lock(&self.connection);
        // A session that failed forgets it anyway.
        let _ = run(
            &mut connection,
            &format!("DROP TABLE {}", self.name),
            Doing::Reading,
        );
    }
}

/// Dates and times without end are numbers that would be taken for years far away.
fn check_finite(batch: &RecordBatch) -> Result<(), Error> {
    let schema = batch.schema();
    for (field, array) in schema.fields().iter().zip(batch.columns()) {
        let days = array.as_primitive_opt::<Date32Type>();
        let times = array.as_primitive_opt::<TimestampMicrosecondType>();
        let is_infinite = match (days, times) {
            (Some(days), _) => {
                let mut days = days.iter().flatten();
                days.any(|it| it == i32::MAX || it == -i32::MAX)
            }
            (None, Some(times)) => {
                let mut times = times.iter().flatten();
                times.any(|it| it == i64::MAX || it == -i64::MAX)
            }
            (None, None) => false,
        };
        if is_infinite {
            return Err(Error::OutOfRange {
                column: field.name().clone(),
            });
        }
    }
    Ok(())
}

/// A type without the values of an enumeration, which may be those of cells.
fn without_values(kind: &str) -> &str {
    match kind.starts_with("ENUM(") {
        true => "ENUM",
        false => kind,
    }
}

/// Whether a value of this type is one thing that has a text.
fn is_single(kind: &str) -> bool {
    const OPAQUE: &[&str] = &["BLOB", "INTERVAL", "JSON", "BIT", "GEOMETRY", "VARIANT"];
    const NESTED: &[&str] = &["STRUCT(", "MAP(", "UNION("];
    !OPAQUE.contains(&kind)
        && !kind.ends_with(']')
        && !NESTED.iter().any(|start| kind.starts_with(start))
}

fn unexpected(doing: Doing) -> Error {
    Error::Failed {
        engine: "DuckDB",
        doing,
        state: "of an answer in an unexpected form".into(),
    }
}

fn explained(error: &adbc_core::error::Error, doing: Doing) -> Error {
    told(&error.message, doing)
}

/// What a message means. It is repeated only where no row was looked at yet: it may quote cells.
fn told(message: &str, doing: Doing) -> Error {
    let engine = "DuckDB";
    let (kind, rest) = message.split_once(':').unwrap_or((message, ""));
    // What reads a stream puts its own words before those of the engine.
    let has = |words: &str| message.contains(words);
    if has("INTERRUPT Error") || has("Interrupted!") {
        return Error::Stopped { engine, doing };
    }
    if has("No space left on device") || has("Out of Memory Error") {
        return Error::EngineFull { engine, doing };
    }
    match kind.trim() {
        "Parser Error" | "Binder Error" | "Catalog Error" if doing == Doing::Preparing => {
            Error::Refused {
                engine,
                message: rest.lines().next().unwrap_or_default().trim().to_owned(),
                doing,
            }
        }
        kind if kind.ends_with("Error") && kind.len() < 40 => Error::Failed {
            engine,
            doing,
            state: kind.to_owned(),
        },
        _ => Error::Failed {
            engine,
            doing,
            state: "unknown".into(),
        },
    }
}
