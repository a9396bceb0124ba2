//! A session with a server: what it has begun, what its catalog knows, and what goes with it.

use super::client::{Client, is_lost, unique_id};
use super::dialect::{SPARK, Spark, declared};
use super::messages::{Answered, Asked, Kind, Nothing, OfPlan, Plan};
use super::plan::{command, rows_of};
use super::said::{explained, is_not_there};
use super::statement::{Operation, PATIENCE, Reading, Shared, Statement, lock};
use crate::address::TableName;
use crate::column::Declared;
use crate::connection::{Connection, Cursor, DataFile, Found};
use crate::dialect::Dialect;
use crate::error::{Doing, Error};
use crate::wire::Wire;
use arrow_array::RecordBatch;
use incrowd_core::table::RowBatch;
use incrowd_io::{BatchTexts, Cancel};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tonic::Status;

/// The most bytes that are sent at once: servers refuse messages of 128 MiB.
pub(super) const MESSAGE: usize = 32 << 20;
/// How long a server may take to end a session in which nothing was begun.
const SHORT_PATIENCE: Duration = Duration::from_secs(2);
/// How long to wait before the server is asked again.
const PAUSE: Duration = Duration::from_millis(200);

pub(crate) struct SparkConnection {
    shared: Arc<Shared>,
    pub(super) dialect: &'static Spark,
    /// Whether the session ends with the connection.
    pub(super) is_ours: bool,
    /// How long the end may take.
    patience_at_end: Duration,
    /// What has to be removed at the end.
    pub(super) drafts: Mutex<Vec<TableName>>,
    /// Names of the release itself that are left over: they have to go at the end, and nothing of what they name.
    pub(super) other_names: Mutex<Vec<TableName>>,
    pub(super) views: Mutex<Vec<String>>,
    /// Whether a statement failed or was stopped: the server may still be at it.
    pub(super) has_failed: AtomicBool,
    /// What the release has replaced, until it was counted.
    pub(super) replaced: Mutex<Option<Replaced>>,
    /// Rows that are not sent yet.
    pub(super) waiting: Mutex<Waiting>,
}

/// Rows for a table.
#[derive(Default)]
pub(super) struct Waiting {
    pub(super) table: String,
    pub(super) batches: Vec<RecordBatch>,
    pub(super) bytes: usize,
}

/// A table as the catalog describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Details {
    pub(super) kind: String,
    pub(super) provider: String,
    pub(super) location: String,
}

impl Details {
    /// Whether it consists of the files of another table.
    pub(super) fn is_over(&self, other: &Details) -> bool {
        let place = |of: &Details| of.location.trim_end_matches('/').to_owned();
        place(self) == place(other)
    }
}

/// What was in the place of a release, and what tells the release from a table that somebody else puts there.
pub(super) enum Replaced {
    /// It has this name now, if there was any; the release had these files.
    Renamed {
        old: Option<TableName>,
        files: Vec<String>,
    },
    /// It is no longer in the catalog, its files are still there; the release is over those of the draft.
    Dropped { old: Option<Details>, over: Details },
}

impl SparkConnection {
    pub(super) fn new(wire: Wire, client: Client, is_ours: bool) -> Self {
        SparkConnection {
            shared: Shared::new(wire, client),
            dialect: &SPARK,
            is_ours,
            patience_at_end: SHORT_PATIENCE,
            drafts: Mutex::default(),
            other_names: Mutex::default(),
            views: Mutex::default(),
            has_failed: AtomicBool::new(false),
            replaced: Mutex::default(),
            waiting: Mutex::default(),
        }
    }

    /// The login is over.
    pub(super) fn speaking(mut self, dialect: &'static Spark) -> Self {
        self.dialect = dialect;
        self.patience_at_end = PATIENCE;
        self
    }

    /// Stops what it is doing, as long as it is there.
    pub(super) fn canceller(&self) -> Cancel {
        let shared = Arc::downgrade(&self.shared);
        Arc::new(move || {
            if let Some(shared) = shared.upgrade() {
                shared.stop();
            }
        })
    }

    pub(super) fn unexpected(&self, doing: Doing) -> Error {
        Error::Failed {
            engine: self.dialect.engine(),
            doing,
            state: "of an answer in an unexpected form".into(),
        }
    }

    pub(super) fn begin(&self, plan: Plan, doing: Doing, can_stop: bool) -> Statement {
        Statement::begin(&self.shared, self.dialect.engine(), plan, doing, can_stop)
    }

    pub(super) fn run(
        &self,
        plan: Plan,
        doing: Doing,
        take: &mut dyn FnMut(&RecordBatch) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let run_to_end = || {
            let mut statement = self.begin(plan, doing, true);
            while let Some(batches) = statement.next()? {
                batches.iter().try_for_each(&mut *take)?;
            }
            Ok(())
        };
        run_to_end().inspect_err(|_| self.has_failed.store(true, Ordering::Relaxed))
    }

    /// Runs a statement that cleans up: nobody stops it, and it may not take long. It is said twice if the connection broke
    /// meanwhile and the server is still there, so twice must be as good as once, or fail.
    pub(super) fn clean_up(&self, statement: &str) -> Result<(), Error> {
        let say = || {
            let mut statement = self.begin(command(statement), Doing::Publishing, false);
            while statement.next()?.is_some() {}
            Ok(())
        };
        match say() {
            Err(Error::ConnectionLost { .. }) if self.is_reachable() => say(),
            done => done,
        }
    }

    pub(super) fn is_reachable(&self) -> bool {
        let shared = &self.shared;
        let asked = shared.client.analyze(Asked::SparkVersion(Nothing {}));
        let answered = shared
            .wire
            .wait(async { tokio::time::timeout(PATIENCE, asked).await });
        matches!(answered, Ok(Ok(_)))
    }

    /// All texts in the first columns of a query.
    pub(super) fn texts<const COLUMNS: usize>(
        &self,
        mut statement: Statement,
    ) -> Result<Vec<[String; COLUMNS]>, Error> {
        let mut found = Vec::new();
        while let Some(batches) = statement.next()? {
            for batch in &batches {
                // Servers send texts in several types.
                let texts = BatchTexts::new("", &batch.schema());
                let texts = texts.map_err(|_| self.unexpected(Doing::Preparing))?;
                let mut rows = RowBatch::new(batch.num_columns());
                texts.append(batch, &mut rows);
                if rows.columns() < COLUMNS {
                    return Err(self.unexpected(Doing::Preparing));
                }
                for row in 0..rows.rows() {
                    let cell = |at| String::from_utf8_lossy(rows.cell(row, at)).into_owned();
                    found.push(std::array::from_fn(cell));
                }
            }
        }
        Ok(found)
    }

    /// A single text that the server tells at once: it may be stopped, and may not take long.
    pub(super) fn ask(&self, query: &str) -> Result<String, Error> {
        let mut statement = self.begin(rows_of(query), Doing::Preparing, true);
        statement.patience = Some(self.shared.client.patience);
        let texts = self.texts::<1>(statement)?.pop();
        let text = texts.map(|[text]| text);
        text.ok_or_else(|| self.unexpected(Doing::Preparing))
    }

    /// Asks about a plan, once more if the connection broke; somebody may stop it, or it may not take long.
    pub(super) fn analyze(&self, asked: Asked, can_stop: bool) -> Result<Option<Answered>, Status> {
        let shared = &self.shared;
        if !can_stop {
            let asked = shared.client.analyze(asked);
            let answer = shared
                .wire
                .wait(async { tokio::time::timeout(PATIENCE, asked).await });
            return answer.unwrap_or_else(|_| Err(Status::unavailable("no answer")));
        }
        let id = unique_id();
        let mut stops = shared.stops.subscribe();
        lock(&shared.running).push(Operation::new(&id));
        let answered = async {
            match shared.client.analyze(asked.clone()).await {
                Err(status) if is_lost(&status) => {
                    tokio::time::sleep(PAUSE).await;
                    shared.client.analyze(asked).await
                }
                answer => answer,
            }
        };
        let answer = shared.wire.wait(async {
            tokio::select! {
                answer = answered => answer,
                _ = stops.changed() => Err(Status::cancelled("stopped")),
            }
        });
        lock(&shared.running).retain(|it| it.id != id);
        answer
    }

    /// The columns of a query; none if something that it names is not there.
    pub(super) fn schema(&self, query: &str) -> Result<Option<Vec<Declared>>, Error> {
        let plan = Some(rows_of(query));
        match self.analyze(Asked::Schema(OfPlan { plan }), true) {
            Ok(Some(Answered::Schema(found))) => {
                let Some(Kind::Struct(row)) = found.schema.and_then(|it| it.kind) else {
                    return Err(self.unexpected(Doing::Preparing));
                };
                Ok(Some(row.fields.iter().map(declared).collect()))
            }
            Ok(_) => Err(self.unexpected(Doing::Preparing)),
            Err(status) if is_not_there(&status) => Ok(None),
            Err(status) => Err(explained(&status, Doing::Preparing, self.dialect.engine())),
        }
    }

    /// What the catalog says about a table; none if there is none.
    pub(super) fn details(&self, table: &TableName) -> Result<Option<Details>, Error> {
        let name = self.dialect.table(table);
        // The catalog of a table that is not there may describe the failure in any words, the schema does not.
        if self.schema(&format!("SELECT * FROM {name}"))?.is_none() {
            return Ok(None);
        }
        let describe = rows_of(&format!("DESCRIBE TABLE EXTENDED {name}"));
        let rows = self.texts::<2>(self.begin(describe, Doing::Preparing, true))?;
        let mut details = Details::default();
        let rows = rows.iter();
        // The columns come first, and may be called anything.
        for [name, value] in rows.skip_while(|[name, _]| name != "# Detailed Table Information") {
            match name.as_str() {
                "Type" => details.kind.clone_from(value),
                "Provider" => details.provider.clone_from(value),
                "Location" => details.location.clone_from(value),
                _ => {}
            }
        }
        Ok(Some(details))
    }
}

impl Connection for SparkConnection {
    fn describe(&self, query: &str) -> Result<Vec<Declared>, Error> {
        self.flush(Doing::Writing)?;
        let columns = self.schema(query)?;
        columns.ok_or_else(|| Error::Refused {
            engine: self.dialect.engine(),
            message: "a table or path that it names is not there".into(),
            doing: Doing::Preparing,
        })
    }

    fn query(
        &self,
        query: &str,
        doing: Doing,
        take: &mut dyn FnMut(&RecordBatch) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.flush(doing)?;
        self.run(rows_of(query), doing, take)
    }

    fn read(&self, query: &str) -> Result<Box<dyn Cursor>, Error> {
        let statement = self.begin(rows_of(query), Doing::Reading, true);
        Ok(Box::new(Reading::new(statement)))
    }

    fn execute(&self, statement: &str, doing: Doing) -> Result<(), Error> {
        self.flush(doing)?;
        self.run(command(statement), doing, &mut |_| Ok(()))
    }

    fn upload(&self, table: &str, rows: &RecordBatch, doing: Doing) -> Result<(), Error> {
        self.send(table, rows, doing)
    }

    fn lend(
        &self,
        name: &str,
        _create: &str,
        rows: &RecordBatch,
        doing: Doing,
    ) -> Result<(), Error> {
        self.lend_view(name, rows, doing)
    }

    fn find(&self, table: &TableName) -> Result<Option<Found>, Error> {
        if table.as_path().is_some() {
            return self.find_path(table);
        }
        let details = self.details(table)?;
        Ok(details.map(|details| match details.kind.as_str() {
            "MANAGED" | "EXTERNAL" => Found::Table,
            _ => Found::Other,
        }))
    }

    fn files(&self, query: &str) -> Result<Option<Vec<DataFile>>, Error> {
        self.list_files(query)
    }

    fn keep_as_draft(&self, draft: &TableName) {
        lock(&self.drafts).push(draft.clone());
    }

    fn copy(&self, draft: &TableName, target: &TableName) -> Result<(), Error> {
        self.copy_to_path(draft, target)
    }

    fn publish(&self, draft: &TableName, target: &TableName, replaces: bool) -> Result<(), Error> {
        self.make_visible(draft, target, replaces)
    }

    fn withdraw(&self, target: &TableName) -> Result<(), Error> {
        self.take_back(target)
    }

    fn conclude(&self, target: &TableName) -> Result<(), Error> {
        self.remove_replaced(target)
    }

    fn commit(&self) -> Result<(), Error> {
        Ok(())
    }

    fn cancel(&self) {
        self.shared.stop();
    }
}

impl Drop for SparkConnection {
    fn drop(&mut self) {
        let drafts = std::mem::take(&mut *lock(&self.drafts));
        let views = std::mem::take(&mut *lock(&self.views));
        // After the first failure the server is not there, and what is left is left.
        let cleaned = drafts.iter().try_for_each(|draft| self.remove_draft(draft));
        let others = std::mem::take(&mut *lock(&self.other_names));
        let cleaned = cleaned.and_then(|()| others.iter().try_for_each(|it| self.drop_name(it)));
        if !self.is_ours && cleaned.is_ok() {
            let _ = views.iter().try_for_each(|view| self.drop_view(view));
        }
        let shared = &self.shared;
        let stopping = std::mem::take(&mut *lock(&shared.stopping));
        let end = async {
            match self.is_ours {
                // A session that nobody uses ends by itself, views included, and so does what runs in it.
                true => drop(shared.client.end().await),
                // Statements of a session that goes on would go on with it.
                false => {
                    for stopping in stopping {
                        let _ = stopping.await;
                    }
                }
            }
        };
        let patience = self.patience_at_end;
        let _ = (shared.wire).wait(async { tokio::time::timeout(patience, end).await });
    }
}
