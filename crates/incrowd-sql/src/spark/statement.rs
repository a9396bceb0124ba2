//! Statements on their way: their rows, and how they are stopped.

use super::answer::{Answer, Flaw};
use super::client::{Client, Running, is_lost, unique_id};
use super::messages::{ArrowBatch, Nothing, Plan, Relation, Released, Rows, Step};
use super::plan::rows_of;
use super::said::explained;
use crate::connection::Cursor;
use crate::error::{Doing, Error};
use crate::wire::Wire;
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic::Status;

/// How long a server may take to stop, or to clean up.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// What statements need that outlive the call that began them.
pub(super) struct Shared {
    pub(super) client: Client,
    pub(super) wire: Wire,
    pub(super) running: Mutex<Vec<Operation>>,
    pub(super) stops: watch::Sender<u64>,
    /// Requests to stop statements that nobody waits for any more.
    pub(super) stopping: Mutex<Vec<JoinHandle<()>>>,
}

/// A statement that somebody may stop.
pub(super) struct Operation {
    pub(super) id: String,
    is_stopped: bool,
    /// Whether the server has said that it stops it.
    is_stopping: bool,
}

impl Operation {
    pub(super) fn new(id: &str) -> Operation {
        Operation {
            id: id.to_owned(),
            is_stopped: false,
            is_stopping: false,
        }
    }
}

impl Shared {
    pub(super) fn new(wire: Wire, client: Client) -> Arc<Shared> {
        Arc::new(Shared {
            client,
            wire,
            running: Mutex::default(),
            stops: watch::Sender::new(0),
            stopping: Mutex::default(),
        })
    }

    /// Stops everything that runs. The server is told first; what it does not answer in time is given up here.
    pub(super) fn stop(&self) {
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

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A statement on its way.
pub(super) struct Statement {
    running: Running,
    stops: Option<watch::Receiver<u64>>,
    /// How long the server may take for the next part of the answer.
    pub(super) patience: Option<Duration>,
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
    pub(super) fn begin(
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
    pub(super) fn next(&mut self) -> Result<Option<Vec<RecordBatch>>, Error> {
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
pub(super) struct Reading {
    statement: Statement,
    waiting: VecDeque<RecordBatch>,
}

impl Reading {
    pub(super) fn new(statement: Statement) -> Reading {
        Reading {
            statement,
            waiting: VecDeque::new(),
        }
    }
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
