//! Statements to a server.
//!
//! Every answer is waited for on a thread of its own, so that a server that says nothing can be left alone: it has a
//! moment to stop when it is asked to, and to answer a COMMIT, and no more.

use super::reach::Reach;
use super::values::Batch;
use crate::address::TableName;
use crate::column::Declared;
use crate::connection::{Connection, Cursor, Found};
use crate::error::{Doing, Error};
use crate::session::unique_number;
use crate::wire::Wire;
use arrow_array::{Array, RecordBatch};
use futures_util::{SinkExt, StreamExt};
use incrowd_core::table::RowBatch;
use incrowd_io::{BatchTexts, Cancel};
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Kind;
use tokio_postgres::{Client, Row, Statement};

/// Rows of a record batch.
const BATCH_ROWS: usize = 8192;
/// How long a server may take to stop.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a server may take for a COMMIT.
const PATIENCE_TO_COMMIT: Duration = Duration::from_secs(60);
/// How long a server that was lost may take to say what has become of a COMMIT.
const PATIENCE_TO_ASK: Duration = Duration::from_secs(20);

pub(crate) struct PostgresConnection {
    shared: Arc<Shared>,
    reach: Reach,
    cursors: AtomicU64,
    /// Where tables without a schema are created.
    schema: Option<String>,
    /// A lock that only this session has, by which others recognize it.
    sign: u64,
}

/// What statements need that outlive the call that began them.
struct Shared {
    client: Client,
    wire: Wire,
    /// Each statement waits for the one before it.
    turn: Mutex<()>,
    stops: watch::Sender<u64>,
    /// Whether nobody waits for the server any more.
    is_left_alone: AtomicBool,
}

impl Shared {
    fn take_turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for an answer, until somebody stops the statement and it does not end.
    fn wait<T>(
        &self,
        doing: Doing,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Error> {
        if self.is_left_alone.load(Ordering::SeqCst) {
            return Err(lost(doing));
        }
        let mut stops = self.stops.subscribe();
        self.wire.wait(async {
            let give_up = async {
                let _ = stops.changed().await;
                tokio::time::sleep(PATIENCE).await;
            };
            tokio::select! {
                answer = answer => answer.map_err(|error| explained(&error, doing)),
                () = give_up => {
                    self.is_left_alone.store(true, Ordering::SeqCst);
                    Err(Error::Stopped { engine: ENGINE, doing })
                }
            }
        })
    }
}

impl Shared {
    /// Stops the statement that the server is working on, and whoever waits for it.
    fn stop(&self, reach: &Reach) {
        self.stops.send_modify(|stops| *stops += 1);
        let token = self.client.cancel_token();
        self.wire.wait(async {
            // A server that cannot be reached has nothing to stop.
            let _ = tokio::time::timeout(PATIENCE, reach.cancel(&token)).await;
        });
    }
}

const ENGINE: &str = "PostgreSQL";

impl PostgresConnection {
    pub(super) fn new(reach: Reach) -> Result<Self, Error> {
        let wire = Wire::start("postgres").map_err(|_| lost(Doing::Preparing))?;
        let client = reach.connect(&wire)?;
        Ok(PostgresConnection {
            shared: Arc::new(Shared {
                client,
                wire,
                turn: Mutex::default(),
                stops: watch::Sender::new(0),
                is_left_alone: AtomicBool::new(false),
            }),
            reach,
            cursors: AtomicU64::new(0),
            schema: None,
            sign: unique_number(),
        })
    }

    /// Stops what the server is doing, as long as somebody is connected to it.
    pub(super) fn canceller(&self) -> Cancel {
        let (shared, reach) = (Arc::downgrade(&self.shared), self.reach.clone());
        Arc::new(move || {
            if let Some(shared) = shared.upgrade() {
                shared.stop(&reach);
            }
        })
    }

    /// Looks where tables without a schema are created, before that is changed.
    pub(super) fn see_schema(&mut self) -> Result<(), Error> {
        let query = "SELECT CAST(pg_catalog.current_schema() AS pg_catalog.text)";
        let shared = Arc::clone(&self.shared);
        let _turn = shared.take_turn();
        self.schema = shared.wait(Doing::Preparing, async {
            shared.client.query_one(query, &[]).await?.try_get(0)
        })?;
        Ok(())
    }

    /// Takes the lock by which others recognize the session.
    pub(super) fn show_itself(&self) -> Result<(), Error> {
        let sign = self.sign.cast_signed();
        self.execute(
            &format!("SELECT pg_catalog.pg_advisory_xact_lock({sign})"),
            Doing::Preparing,
        )
    }

    /// Whether the session with a sign has a lock `l` in this database.
    fn locks(&self, sign: u64, on: &str) -> Result<bool, Error> {
        let (high, low) = (sign >> 32, sign & u64::from(u32::MAX));
        let query = format!(
            "SELECT CAST(pg_catalog.count(*) AS pg_catalog.text) FROM pg_catalog.pg_locks AS l JOIN pg_catalog.pg_locks AS s \
             ON l.pid OPERATOR(pg_catalog.=) s.pid JOIN pg_catalog.pg_database AS d ON d.oid OPERATOR(pg_catalog.=) s.database \
             WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database() \
             AND s.locktype OPERATOR(pg_catalog.=) 'advisory' AND s.objsubid OPERATOR(pg_catalog.=) 1 \
             AND CAST(s.classid AS pg_catalog.int8) OPERATOR(pg_catalog.=) CAST({high} AS pg_catalog.int8) \
             AND CAST(s.objid AS pg_catalog.int8) OPERATOR(pg_catalog.=) CAST({low} AS pg_catalog.int8) AND {on}"
        );
        Ok(self.ask(&query)? != "0")
    }

    /// A single text that the server tells.
    pub(super) fn ask(&self, query: &str) -> Result<String, Error> {
        let shared = &self.shared;
        let _turn = shared.take_turn();
        shared.wait(Doing::Preparing, async {
            shared.client.query_one(query, &[]).await?.try_get(0)
        })
    }

    fn prepare(&self, query: &str, doing: Doing) -> Result<Statement, Error> {
        self.shared.wait(doing, self.shared.client.prepare(query))
    }

    /// What has become of a transaction, asked over a new connection, since the old one is of no use.
    fn outcome_elsewhere(&self, transaction: &str) -> Option<Outcome> {
        let until = Instant::now() + PATIENCE_TO_ASK;
        while Instant::now() < until {
            let outcome = Wire::start("postgres").ok().and_then(|wire| {
                let client = self.reach.connect(&wire).ok()?;
                let asked = outcome_of(&client, transaction);
                let told = wire.wait(async { tokio::time::timeout(PATIENCE, asked).await });
                told.ok()?.ok()
            });
            match outcome {
                Some(Outcome::InProgress) | None => std::thread::sleep(Duration::from_millis(200)),
                told => return told,
            }
        }
        None
    }
}

/// What the server says of a transaction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Committed,
    Aborted,
    InProgress,
    /// It is too long ago, or the server is too old to say.
    Unknown,
}

async fn outcome_of(client: &Client, transaction: &str) -> Result<Outcome, tokio_postgres::Error> {
    // The number is the server's own.
    let query = format!("SELECT pg_catalog.txid_status({transaction})");
    let told = client.query_one(&query, &[]).await?;
    Ok(match told.try_get::<_, Option<&str>>(0)? {
        Some("committed") => Outcome::Committed,
        Some("aborted") => Outcome::Aborted,
        Some("in progress") => Outcome::InProgress,
        _ => Outcome::Unknown,
    })
}

impl Connection for PostgresConnection {
    fn describe(&self, query: &str) -> Result<Vec<Declared>, Error> {
        let _turn = self.shared.take_turn();
        let statement = self.prepare(query, Doing::Preparing)?;
        let columns = statement.columns().iter();
        Ok(columns
            .map(|column| Declared {
                name: column.name().to_owned(),
                kind: declared(column),
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
        let shared = &self.shared;
        let _turn = shared.take_turn();
        let statement = self.prepare(query, doing)?;
        let mut batch = Batch::of(statement.columns());
        let none: [i32; 0] = [];
        let rows = shared.wait(doing, shared.client.query_raw(&statement, none))?;
        let mut rows = pin!(rows);
        // Rows that are there already need no waiting.
        let mut some: Vec<Row> = Vec::new();
        loop {
            let is_end = shared.wait(doing, async {
                while some.len() < BATCH_ROWS {
                    match rows.next().await {
                        Some(row) => some.push(row?),
                        None => return Ok(true),
                    }
                }
                Ok(false)
            })?;
            for row in some.drain(..) {
                batch.push(&row)?;
            }
            if batch.rows() > 0 {
                take(&batch.take())?;
            }
            if is_end {
                return Ok(());
            }
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
            shared: Arc::clone(&self.shared),
            fetch: format!("FETCH FORWARD {BATCH_ROWS} FROM {name}"),
            name,
        }))
    }

    fn execute(&self, statement: &str, doing: Doing) -> Result<(), Error> {
        let shared = &self.shared;
        let _turn = shared.take_turn();
        // With parameters, even none, the server takes one statement only.
        let done = shared.client.execute(statement, &[]);
        shared.wait(doing, done).map(|_| ())
    }

    fn upload(&self, table: &str, rows: &RecordBatch, doing: Doing) -> Result<(), Error> {
        let text = copied(rows)?;
        let shared = &self.shared;
        let _turn = shared.take_turn();
        let statement = format!("COPY {table} FROM STDIN");
        shared.wait(doing, async {
            let mut copy = pin!(shared.client.copy_in(&statement).await?);
            // What goes wrong here is said at the end.
            let sent = copy.send(std::io::Cursor::new(text)).await;
            let done = copy.finish().await;
            sent.and(done).map(|_| ())
        })
    }

    fn find(&self, table: &TableName) -> Result<Option<Found>, Error> {
        let shared = &self.shared;
        let Some(name) = name_in_sql(table) else {
            return Ok(None);
        };
        let _turn = shared.take_turn();
        let kinds = "SELECT CAST(relkind AS pg_catalog.text) FROM pg_catalog.pg_class \
                     WHERE oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass($1)";
        let kind: Option<String> = shared.wait(Doing::Preparing, async {
            let found = shared.client.query_opt(kinds, &[&name]).await?;
            found.map(|row| row.try_get(0)).transpose()
        })?;
        Ok(kind.map(|kind| match kind.as_str() {
            "r" | "p" => Found::Table,
            _ => Found::Other,
        }))
    }

    fn whole_name(&self, table: &TableName) -> Result<TableName, Error> {
        let shared = &self.shared;
        let Some(name) = name_in_sql(table) else {
            return Ok(table.clone());
        };
        let found = "SELECT CAST(n.nspname AS pg_catalog.text), CAST(c.relname AS pg_catalog.text) FROM pg_catalog.pg_class AS c \
                     JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
                     WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass($1)";
        let _turn = shared.take_turn();
        let parts: Option<Vec<String>> = shared.wait(Doing::Preparing, async {
            if let Some(row) = shared.client.query_opt(found, &[&name]).await? {
                return Ok(Some(vec![row.try_get(0)?, row.try_get(1)?]));
            }
            Ok(match (&table.0[..], &self.schema) {
                ([name], Some(schema)) => Some(vec![schema.clone(), name.clone()]),
                _ => None,
            })
        })?;
        Ok(parts.map_or_else(|| table.clone(), TableName))
    }

    fn identity(&self, table: &TableName) -> Result<Option<String>, Error> {
        let shared = &self.shared;
        let Some(name) = name_in_sql(table) else {
            return Ok(None);
        };
        let _turn = shared.take_turn();
        let number =
            "SELECT CAST(CAST(pg_catalog.to_regclass($1) AS pg_catalog.oid) AS pg_catalog.text)";
        shared.wait(Doing::Preparing, async {
            shared.client.query_one(number, &[&name]).await?.try_get(0)
        })
    }

    fn sign(&self) -> Option<u64> {
        Some(self.sign)
    }

    fn sees(&self, sign: u64) -> Result<bool, Error> {
        self.locks(sign, "true")
    }

    fn is_read_by(&self, sign: u64, table: &TableName) -> Result<bool, Error> {
        let Some(name) = name_in_sql(table) else {
            return Ok(false);
        };
        // A literal has no escapes but the doubled quote.
        let name = name.replace('\'', "''");
        let on = format!(
            "l.relation OPERATOR(pg_catalog.=) CAST(pg_catalog.to_regclass('{name}') AS pg_catalog.oid)"
        );
        self.locks(sign, &on)
    }

    fn commit(&self) -> Result<(), Error> {
        // An error now if the transaction has failed: the server would answer a COMMIT with a ROLLBACK.
        let transaction = self.ask("SELECT CAST(pg_catalog.txid_current() AS pg_catalog.text)")?;
        let shared = &self.shared;
        let _turn = shared.take_turn();
        // Nobody stops what has begun here: it ends soon, or what has become of it is asked for.
        let outcome = shared.wire.wait(async {
            let committed = async {
                // In a single message, so that it is heard or not.
                shared.client.batch_execute("COMMIT").await?;
                outcome_of(&shared.client, &transaction).await
            };
            tokio::time::timeout(PATIENCE_TO_COMMIT, committed).await
        });
        let was_answered = match outcome {
            Ok(Ok(outcome)) => Some(outcome),
            Ok(Err(error)) => match explained(&error, Doing::Publishing) {
                Error::ConnectionLost { .. } => None,
                // The server has answered, and the answer is no.
                error => return Err(error),
            },
            Err(_) => None,
        };
        let outcome = was_answered.or_else(|| self.outcome_elsewhere(&transaction));
        match outcome {
            Some(Outcome::Committed) => Ok(()),
            Some(Outcome::Aborted) if was_answered.is_none() => Err(lost(Doing::Publishing)),
            Some(Outcome::Aborted) => Err(Error::Failed {
                engine: ENGINE,
                doing: Doing::Publishing,
                state: "of a COMMIT that undid everything".into(),
            }),
            Some(Outcome::InProgress | Outcome::Unknown) | None => {
                shared.is_left_alone.store(true, Ordering::SeqCst);
                Err(Error::PublishingUnknown {
                    engine: ENGINE,
                    table: String::new(),
                    ask: Some(format!("SELECT txid_status({transaction})")),
                })
            }
        }
    }

    fn cancel(&self) {
        self.shared.stop(&self.reach);
    }
}

/// A table as it stands in a statement; none if it has too many parts.
fn name_in_sql(table: &TableName) -> Option<String> {
    let parts = table.0.iter();
    let parts = parts.map(|part| format!("\"{}\"", part.replace('"', "\"\"")));
    (table.0.len() <= 3).then(|| parts.collect::<Vec<_>>().join("."))
}

/// Rows of a query, some at a time.
struct Fetching {
    shared: Arc<Shared>,
    fetch: String,
    name: String,
}

impl Cursor for Fetching {
    fn next(&mut self) -> Result<Option<RecordBatch>, Error> {
        let shared = &self.shared;
        let _turn = shared.take_turn();
        let rows = shared.wait(Doing::Reading, shared.client.query(&self.fetch, &[]))?;
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
        let shared = &self.shared;
        let _turn = shared.take_turn();
        // A transaction that failed has closed it already.
        let close = format!("CLOSE {}", self.name);
        let _ = shared.wait(Doing::Reading, shared.client.execute(&close, &[]));
    }
}

/// The name of a column's type; with its schema if it is none of the server's own, since others may have the same name.
fn declared(column: &tokio_postgres::Column) -> String {
    let kind = column.type_();
    match (kind.schema(), column.type_modifier()) {
        ("pg_catalog", length) if kind.name() == "bpchar" && length >= 0 => {
            format!("bpchar({length})")
        }
        ("pg_catalog", _) => kind.name().to_owned(),
        (schema, _) => format!("{schema}.{}", kind.name()),
    }
}
/// Whether a value of this type is one thing that has a text.
fn is_single(kind: &tokio_postgres::types::Type) -> bool {
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
pub(super) fn explained(error: &tokio_postgres::Error, doing: Doing) -> Error {
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
