//! Statements to a server.

use super::answer::{Answer, Flaw, packed};
use super::client::{Client, Running, is_lost, unique_id};
use super::dialect::{SPARK, Spark, declared};
use super::messages::{
    Answered, ArrowBatch, Asked, Command, CreateView, FileSource, Kind, LocalRelation, Nothing,
    OfPlan, Order, Plan, ReadFiles, Relation, Released, Rows, SaveMode, Sql, SqlCommand, Step,
    WriteFiles,
};
use super::said::{explained, is_not_there, is_path_free, is_without_rows};
use crate::address::{TableName, decoded};
use crate::column::Declared;
use crate::connection::{Connection, Cursor, DataFile, Found};
use crate::dialect::Dialect;
use crate::error::{Doing, Error};
use crate::session::unique_name;
use crate::wire::Wire;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};
use incrowd_core::table::RowBatch;
use incrowd_io::{BatchTexts, Cancel, array_of_texts};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic::Status;

/// The most bytes of rows that are sent at once: servers refuse messages of 128 MiB.
const MESSAGE: usize = 32 << 20;
/// How long a server may take to stop, or to clean up.
const PATIENCE: Duration = Duration::from_secs(20);
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
    views: Mutex<Vec<String>>,
    /// What the release has replaced, until it was counted.
    pub(super) replaced: Mutex<Option<Replaced>>,
    /// Rows that are not sent yet.
    waiting: Mutex<Waiting>,
}

/// Rows for a table.
#[derive(Default)]
struct Waiting {
    table: String,
    batches: Vec<RecordBatch>,
    bytes: usize,
}

/// What statements need that outlive the call that began them.
struct Shared {
    client: Client,
    wire: Wire,
    running: Mutex<Vec<Operation>>,
    stops: watch::Sender<u64>,
    /// Requests to stop statements that nobody waits for any more.
    stopping: Mutex<Vec<JoinHandle<()>>>,
}

/// A statement that somebody may stop.
struct Operation {
    id: String,
    is_stopped: bool,
    /// Whether the server has said that it stops it.
    is_stopping: bool,
}

impl Operation {
    fn new(id: &str) -> Operation {
        Operation {
            id: id.to_owned(),
            is_stopped: false,
            is_stopping: false,
        }
    }
}

impl Shared {
    /// Stops everything that runs. The server is told first; what it does not answer in time is given up here.
    fn stop(&self) {
        let mut running = lock(&self.running);
        running.iter_mut().for_each(|it| it.is_stopped = true);
        let ids: Vec<String> = running.iter().map(|it| it.id.clone()).collect();
        drop(running);
        if ids.is_empty() {
            return;
        }
        self.wire.wait(async {
            let all = async {
                for id in &ids {
                    // A server that cannot be reached has nothing to stop.
                    let is_stopping = self.client.interrupt(id).await.unwrap_or(false);
                    let mut running = lock(&self.running);
                    let found = running.iter_mut().find(|it| it.id == *id);
                    found
                        .into_iter()
                        .for_each(|it| it.is_stopping |= is_stopping);
                }
            };
            let _ = tokio::time::timeout(PATIENCE, all).await;
        });
        self.stops.send_modify(|stops| *stops += 1);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn sql(query: &str) -> Relation {
    let query = query.to_owned();
    Relation {
        rows: Some(Rows::Sql(Sql { query })),
    }
}

pub(super) fn rows_of(query: &str) -> Plan {
    Plan {
        step: Some(Step::Root(sql(query))),
    }
}

fn order(order: Order) -> Plan {
    Plan {
        step: Some(Step::Command(Command { order: Some(order) })),
    }
}

fn command(statement: &str) -> Plan {
    order(Order::Sql(SqlCommand {
        sql: statement.to_owned(),
        input: Some(sql(statement)),
    }))
}

/// A path in one of the forms in which servers write it.
fn plain_path(name: &str) -> String {
    let name = decoded(name).unwrap_or_else(|| name.to_owned());
    name.replacen(":///", ":/", 1)
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

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AtPath {
    Nothing,
    /// At most a directory without files that could be read: Sail does not tell it from nothing.
    NoRows,
    /// Files with rows.
    Rows,
    /// Something that cannot be read.
    Other,
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
            shared: Arc::new(Shared {
                client,
                wire,
                running: Mutex::default(),
                stops: watch::Sender::new(0),
                stopping: Mutex::default(),
            }),
            dialect: &SPARK,
            is_ours,
            patience_at_end: SHORT_PATIENCE,
            drafts: Mutex::default(),
            other_names: Mutex::default(),
            views: Mutex::default(),
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

    fn unexpected(&self, doing: Doing) -> Error {
        Error::Failed {
            engine: self.dialect.engine(),
            doing,
            state: "of an answer in an unexpected form".into(),
        }
    }

    fn begin(&self, plan: Plan, doing: Doing, can_stop: bool) -> Statement {
        Statement::begin(&self.shared, self.dialect.engine(), plan, doing, can_stop)
    }

    fn run(
        &self,
        plan: Plan,
        doing: Doing,
        take: &mut dyn FnMut(&RecordBatch) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut statement = self.begin(plan, doing, true);
        while let Some(batches) = statement.next()? {
            batches.iter().try_for_each(&mut *take)?;
        }
        Ok(())
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

    /// Writes rows to a directory, which the server refuses if there is anything at the path.
    pub(super) fn write_files(&self, query: &str, format: &str, path: &str) -> Result<(), Error> {
        let write = order(Order::Write(WriteFiles {
            input: Some(sql(query)),
            format: Some(format.to_owned()),
            path: path.to_owned(),
            mode: SaveMode::ErrorIfExists.into(),
        }));
        self.run(write, Doing::Publishing, &mut |_| Ok(()))
    }

    /// All texts in the first columns of a query.
    fn texts<const COLUMNS: usize>(
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

    /// The size and the last change of files, by their paths, as far as the server tells. Spark tells it from the listing
    /// alone; Sail would read all bytes of every file for it, and is not asked.
    fn states_of(&self, files: &[String]) -> Result<BTreeMap<String, (u64, String)>, Error> {
        let paths: Vec<String> = files.iter().map(|it| plain_path(it)).collect();
        let bytes: usize = paths.iter().map(String::len).sum();
        let mut found = BTreeMap::new();
        if self.dialect.is_sail || paths.is_empty() || bytes > MESSAGE {
            return Ok(found);
        }
        let source = FileSource {
            format: Some("binaryFile".into()),
            paths,
        };
        let source = Some(source);
        let view = unique_name("files");
        let relation = Relation {
            rows: Some(Rows::Read(ReadFiles { source })),
        };
        let asked = (self.create_view_of(&view, relation, Doing::Preparing)).and_then(|()| {
            let name = self.dialect.quote(&view);
            let query = format!("SELECT path, length, modificationTime FROM {name}");
            self.texts::<3>(self.begin(rows_of(&query), Doing::Preparing, true))
        });
        let dropped = self.drop_view(&view);
        match asked {
            Ok(rows) => {
                for [path, length, changed] in rows {
                    if let Ok(length) = length.parse() {
                        found.insert(plain_path(&path), (length, changed));
                    }
                }
                dropped?;
            }
            Err(error @ (Error::ConnectionLost { .. } | Error::Stopped { .. })) => {
                return Err(error);
            }
            // It may know a name and nothing else, as of a file in a place of its own.
            Err(_) => {}
        }
        Ok(found)
    }

    /// Asks about a plan, once more if the connection broke; somebody may stop it, or it may not take long.
    fn analyze(&self, asked: Asked, can_stop: bool) -> Result<Option<Answered>, Status> {
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
    fn schema(&self, query: &str) -> Result<Option<Vec<Declared>>, Error> {
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

    /// What is at a path; none only if the server is sure that nothing is.
    fn find_path(&self, table: &TableName) -> Result<Option<Found>, Error> {
        Ok(match self.look_at_path(table, true)? {
            AtPath::Nothing => None,
            // Sail looks at the path itself when it writes.
            AtPath::NoRows if self.dialect.is_sail => None,
            AtPath::NoRows | AtPath::Other => Some(Found::Other),
            AtPath::Rows => Some(Found::Table),
        })
    }

    pub(super) fn look_at_path(&self, table: &TableName, can_stop: bool) -> Result<AtPath, Error> {
        let plan = Some(rows_of(&format!(
            "SELECT * FROM {}",
            self.dialect.table(table)
        )));
        let status = match self.analyze(Asked::Schema(OfPlan { plan }), can_stop) {
            Ok(Some(Answered::Schema(found))) => {
                return match found.schema.and_then(|it| it.kind) {
                    Some(Kind::Struct(row)) if !row.fields.is_empty() => Ok(AtPath::Rows),
                    // Sail finds no columns where it finds no files.
                    Some(Kind::Struct(_)) if self.dialect.is_sail => Ok(AtPath::NoRows),
                    Some(Kind::Struct(_)) => Ok(AtPath::Other),
                    _ => Err(self.unexpected(Doing::Preparing)),
                };
            }
            Ok(_) => return Err(self.unexpected(Doing::Preparing)),
            Err(status) => status,
        };
        if is_path_free(&status) {
            return Ok(AtPath::Nothing);
        }
        if is_without_rows(&status) {
            return Ok(AtPath::NoRows);
        }
        match explained(&status, Doing::Preparing, self.dialect.engine()) {
            // It is there, and nothing that could be read.
            Error::Refused { .. } => Ok(AtPath::Other),
            error => Err(error),
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

    /// Makes rows a relation of the session.
    fn create_view(&self, name: &str, rows: &[RecordBatch], doing: Doing) -> Result<(), Error> {
        let packed = packed(rows).map_err(|_| self.unexpected(doing))?;
        let input = Relation {
            rows: Some(Rows::Local(LocalRelation { data: Some(packed) })),
        };
        self.create_view_of(name, input, doing)
    }

    fn create_view_of(&self, name: &str, input: Relation, doing: Doing) -> Result<(), Error> {
        lock(&self.views).push(name.to_owned());
        let view = order(Order::CreateView(CreateView {
            input: Some(input),
            name: name.to_owned(),
            replace: true,
        }));
        self.run(view, doing, &mut |_| Ok(()))
    }

    fn drop_view(&self, name: &str) -> Result<(), Error> {
        lock(&self.views).retain(|it| it != name);
        self.clean_up(&format!("DROP VIEW IF EXISTS {}", self.dialect.quote(name)))
    }

    /// Sends the rows that wait.
    fn flush(&self, doing: Doing) -> Result<(), Error> {
        let waiting = std::mem::take(&mut *lock(&self.waiting));
        let Some(first) = waiting.batches.first() else {
            return Ok(());
        };
        // Texts become values here: what a server makes of them depends on its settings.
        let table = &waiting.table;
        let columns = self.schema(&format!("SELECT * FROM {table}"))?;
        let columns = columns.ok_or_else(|| self.unexpected(doing))?;
        let columns = columns.into_iter().map(|it| self.dialect.column(it).kind);
        let kinds: Vec<_> = columns.collect();
        if kinds.len() != first.num_columns() {
            return Err(self.unexpected(doing));
        }
        let names = first.schema();
        let fields = names.fields().iter().zip(&kinds);
        let fields = fields.map(|(field, kind)| Field::new(field.name(), kind.clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let mut typed = Vec::new();
        for batch in &waiting.batches {
            let texts = BatchTexts::new("", &batch.schema()).map_err(|_| self.unexpected(doing))?;
            let mut rows = RowBatch::new(batch.num_columns());
            texts.append(batch, &mut rows);
            let arrays = kinds.iter().enumerate().map(|(at, kind)| {
                // Text is as it is: where it is empty, it is missing already.
                match kind == batch.column(at).data_type() {
                    true => Some(Arc::clone(batch.column(at))),
                    false => array_of_texts(kind, &rows, at),
                }
            });
            let arrays: Option<Vec<ArrayRef>> = arrays.collect();
            let arrays = arrays.ok_or_else(|| self.unexpected(doing))?;
            let batch = RecordBatch::try_new(Arc::clone(&schema), arrays);
            typed.push(batch.map_err(|_| self.unexpected(doing))?);
        }
        let view = unique_name("sent");
        self.create_view(&view, &typed, doing)?;
        let name = self.dialect.quote(&view);
        self.run(
            command(&format!("INSERT INTO {table} SELECT * FROM {name}")),
            doing,
            &mut |_| Ok(()),
        )?;
        self.drop_view(&view)
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
        Ok(Box::new(Reading {
            statement: self.begin(rows_of(query), Doing::Reading, true),
            waiting: VecDeque::new(),
        }))
    }

    fn execute(&self, statement: &str, doing: Doing) -> Result<(), Error> {
        self.flush(doing)?;
        self.run(command(statement), doing, &mut |_| Ok(()))
    }

    fn upload(&self, table: &str, rows: &RecordBatch, doing: Doing) -> Result<(), Error> {
        let is_other = |waiting: &Waiting| waiting.table != table;
        let is_full = |waiting: &Waiting| waiting.bytes > MESSAGE;
        if is_other(&lock(&self.waiting)) {
            self.flush(doing)?;
        }
        let mut waiting = lock(&self.waiting);
        waiting.table = table.to_owned();
        waiting.bytes += rows.get_array_memory_size();
        waiting.batches.push(rows.clone());
        let is_full = is_full(&waiting);
        drop(waiting);
        match is_full {
            true => self.flush(doing),
            false => Ok(()),
        }
    }

    fn lend(
        &self,
        name: &str,
        _create: &str,
        rows: &RecordBatch,
        doing: Doing,
    ) -> Result<(), Error> {
        let parts = rows.get_array_memory_size() / MESSAGE + 1;
        if parts == 1 {
            return self.create_view(name, std::slice::from_ref(rows), doing);
        }
        let rows_of_part = rows.num_rows().div_ceil(parts).max(1);
        let mut selected = Vec::new();
        for first in (0..rows.num_rows()).step_by(rows_of_part) {
            let part = rows.slice(first, rows_of_part.min(rows.num_rows() - first));
            let part_name = unique_name("part");
            self.create_view(&part_name, &[part], doing)?;
            selected.push(format!("SELECT * FROM {}", self.dialect.quote(&part_name)));
        }
        lock(&self.views).push(name.to_owned());
        let view = format!(
            "CREATE OR REPLACE TEMPORARY VIEW {} AS {}",
            self.dialect.quote(name),
            selected.join(" UNION ALL ")
        );
        self.run(command(&view), doing, &mut |_| Ok(()))
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
        let plan = Some(rows_of(query));
        match self.analyze(Asked::InputFiles(OfPlan { plan }), true) {
            Ok(Some(Answered::InputFiles(mut found))) => {
                found.files.sort_unstable();
                found.files.dedup();
                let mut states = self.states_of(&found.files)?;
                let files = found.files.into_iter().map(|name| DataFile {
                    state: states.remove(&plain_path(&name)),
                    name,
                });
                Ok(Some(files.collect()))
            }
            Err(status) if is_lost(&status) => {
                Err(explained(&status, Doing::Preparing, self.dialect.engine()))
            }
            // Not every server and not every kind of table knows.
            Ok(_) | Err(_) => Ok(None),
        }
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

/// A statement on its way.
struct Statement {
    running: Running,
    stops: Option<watch::Receiver<u64>>,
    /// How long the server may take for the next part of the answer.
    patience: Option<Duration>,
    answer: Answer,
    shared: Arc<Shared>,
    engine: &'static str,
    id: String,
    doing: Doing,
    /// The query whose rows these are, if it can be part of another one.
    query: Option<String>,
    is_done: bool,
    /// Whether the server has said that it failed.
    has_failed: bool,
}

impl Statement {
    fn begin(
        shared: &Arc<Shared>,
        engine: &'static str,
        plan: Plan,
        doing: Doing,
        can_stop: bool,
    ) -> Statement {
        let id = unique_id();
        if can_stop {
            lock(&shared.running).push(Operation::new(&id));
        }
        let query = match &plan.step {
            Some(Step::Root(Relation {
                rows: Some(Rows::Sql(sql)),
            })) if sql.query.starts_with("SELECT") => Some(sql.query.clone()),
            _ => None,
        };
        Statement {
            running: shared.client.execute(plan, id.clone()),
            stops: can_stop.then(|| shared.stops.subscribe()),
            patience: (!can_stop).then_some(PATIENCE),
            answer: Answer::default(),
            shared: Arc::clone(shared),
            engine,
            id,
            doing,
            query,
            is_done: false,
            has_failed: false,
        }
    }

    /// An answer in several streams whose rows are not numbered could lack some: the server is asked how many there are.
    fn check_resumed(&self) -> Result<(), Error> {
        let (true, Some(rows), Some(query)) = (
            self.running.is_resumed(),
            self.answer.unnumbered_rows(),
            &self.query,
        ) else {
            return Ok(());
        };
        let count = rows_of(&format!("SELECT count(*) AS n FROM ({query}) AS q"));
        let mut count = Statement::begin(&self.shared, self.engine, count, self.doing, true);
        let mut found = Vec::new();
        while let Some(batches) = count.receive_rows()? {
            for batch in batches {
                let counts = batch.columns().first();
                let counts = counts.and_then(|it| it.as_primitive_opt::<Int64Type>());
                found.extend(
                    counts
                        .into_iter()
                        .flat_map(|it| it.values().iter().copied()),
                );
            }
        }
        match found[..] == [rows] {
            true => Ok(()),
            false => Err(self.flawed(&Flaw::Incomplete)),
        }
    }

    fn flawed(&self, flaw: &Flaw) -> Error {
        Error::Failed {
            engine: self.engine,
            doing: self.doing,
            state: match flaw {
                Flaw::Incomplete => "of an answer that lacks rows".into(),
                Flaw::Unreadable => "of an answer in an unexpected form".into(),
            },
        }
    }

    /// The next rows; none at the end, if none is missing.
    fn next(&mut self) -> Result<Option<Vec<RecordBatch>>, Error> {
        let rows = self.receive_rows()?;
        if rows.is_none() {
            self.check_resumed()?;
        }
        Ok(rows)
    }

    fn receive_rows(&mut self) -> Result<Option<Vec<RecordBatch>>, Error> {
        let Some(part) = self.receive()? else {
            self.is_done = true;
            return Ok(None);
        };
        let rows = self.answer.take(&part);
        rows.map(Some).map_err(|flaw| self.flawed(&flaw))
    }

    fn receive(&mut self) -> Result<Option<ArrowBatch>, Error> {
        let (engine, doing) = (self.engine, self.doing);
        let shared = Arc::clone(&self.shared);
        let (running, stops) = (&mut self.running, &mut self.stops);
        let patience = self.patience;
        let received = shared.wire.wait(async {
            let stopped = async {
                match stops {
                    Some(stops) => drop(stops.changed().await),
                    None => std::future::pending().await,
                }
            };
            let late = async {
                match patience {
                    Some(patience) => tokio::time::sleep(patience).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                received = running.next() => received.map_err(Some),
                () = stopped => Err(None),
                () = late => Err(Some(Status::unavailable("no answer"))),
            }
        });
        self.has_failed = matches!(&received, Err(Some(status)) if !is_lost(status));
        received.map_err(|status| {
            let is_stopped = |it: &Operation| it.id == self.id && it.is_stopped;
            match status {
                Some(status) if !lock(&shared.running).iter().any(is_stopped) => {
                    explained(&status, doing, engine)
                }
                _ => Error::Stopped { engine, doing },
            }
        })
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        let mut running = lock(&self.shared.running);
        let is_stopping = running.iter().any(|it| it.id == self.id && it.is_stopping);
        running.retain(|it| it.id != self.id);
        drop(running);
        if self.is_done {
            return;
        }
        // The rest is of no use to anybody.
        let (client, id) = (self.shared.client.clone(), self.id.clone());
        let is_over = self.has_failed || is_stopping;
        let is_heard = self.running.is_heard();
        let stopping = self.shared.wire.spawn(async move {
            match (is_over, is_heard) {
                (true, _) => {}
                (false, true) => drop(client.interrupt(&id).await),
                (false, false) => client.stop_early(&id).await,
            }
            client.release(id, Released::All(Nothing {})).await;
        });
        let mut all = lock(&self.shared.stopping);
        all.retain(|it| !it.is_finished());
        all.push(stopping);
    }
}

/// Rows as they are read.
struct Reading {
    statement: Statement,
    waiting: VecDeque<RecordBatch>,
}

impl Cursor for Reading {
    fn next(&mut self) -> Result<Option<RecordBatch>, Error> {
        loop {
            if let Some(batch) = self.waiting.pop_front() {
                return Ok(Some(batch));
            }
            if self.statement.is_done {
                return Ok(None);
            }
            let Some(batches) = self.statement.next()? else {
                return Ok(None);
            };
            // A batch without rows would be taken for the end.
            let batches = batches.into_iter().filter(|batch| batch.num_rows() > 0);
            self.waiting.extend(batches);
        }
    }
}
