//! What curator and analyst work on together: the table, its roles, the counted table, the bounds.
//!
//! Everything that others should see raises the revision. What must survive a restart is written to `state.json` before
//! it is answered; the counted table is counted again.

use crate::audit::Audit;
use crate::bounds::Bounds;
use crate::counted::Counted;
use crate::data_folder::{DataFolder, read_json, write_json};
use crate::deals::Agreements;
use crate::error::{Error, Failure};
use crate::jobs::{Finished, JobKind, JobSeen, Jobs};
use crate::questions::Questions;
use crate::table::{self, ColumnRole, TableKnown};
use crate::table_folders::{HeldFolder, TableFolders};
use crate::tokens::{Role, Tokens};
use incrowd_job::{Control, Ground, Inspection, Job, Negotiation, Options, inspect};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};
use tokio::sync::watch;

/// What survives a restart.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Saved {
    version: u32,
    revision: u64,
    /// Rises with every other table, role or hierarchy.
    generation: u64,
    /// Where the table comes from and what its columns are.
    job: Option<Job>,
    table: Option<TableKnown>,
    /// Whether the roles were said, so that the table is to be counted.
    has_roles: bool,
    bounds: Bounds,
}

/// What everybody sees, as of one moment.
#[derive(Debug, Default)]
pub(crate) struct Board {
    saved: Saved,
    /// Those that are saved, for everybody to hold on to.
    bounds: Arc<Bounds>,
    pub(crate) inspection: Option<Arc<Inspection>>,
    pub(crate) counted: Option<Arc<Counted>>,
}

impl Board {
    pub(crate) fn table(&self) -> Option<&TableKnown> {
        self.saved.table.as_ref()
    }

    pub(crate) fn bounds(&self) -> &Arc<Bounds> {
        &self.bounds
    }

    /// `empty`, `loaded` or `counted`.
    pub(crate) fn step(&self) -> &'static str {
        match (&self.saved.table, &self.counted) {
            (None, _) => "empty",
            (Some(_), None) => "loaded",
            (Some(_), Some(_)) => "counted",
        }
    }
}

/// The state of a server.
pub(crate) struct Workbench {
    pub(crate) data: DataFolder,
    pub(crate) tokens: Tokens,
    pub(crate) audit: Audit,
    pub(crate) jobs: Arc<Jobs>,
    pub(crate) agreements: Agreements,
    /// Those that an analyst may ask.
    pub(crate) questions: Questions,
    board: RwLock<Board>,
    revision: watch::Sender<u64>,
    pub(crate) folders: TableFolders,
}

/// Which table to begin with.
#[derive(Debug, Clone, Default)]
pub(crate) struct Beginning {
    /// A job with a table; none for the table of the last run, or else the example.
    pub(crate) job: Option<Job>,
}

impl Workbench {
    /// Opens the data folder and goes on where the last run ended.
    pub(crate) fn open(
        data: DataFolder,
        beginning: Beginning,
        questions: Questions,
    ) -> Result<Arc<Self>, Error> {
        let tokens = Tokens::of(&data)?;
        let audit = Audit::open(&data.audit())?;
        let agreements = Agreements::open(&data, &audit)?;
        let saved = read_json::<Saved>(&data.state())?.unwrap_or_default();
        let folders = TableFolders::after(table::last_folder(&data));
        // A page that saw a revision which was never saved must notice that time has passed.
        let revision = watch::Sender::new(saved.revision + 1);
        let bench = Arc::new_cyclic(|bench: &Weak<Workbench>| {
            let bench = bench.clone();
            Workbench {
                data,
                tokens,
                audit,
                agreements,
                questions,
                jobs: Jobs::start(Box::new(move || {
                    if let Some(bench) = bench.upgrade() {
                        bench.tell();
                    }
                })),
                board: RwLock::new(Board {
                    bounds: Arc::new(saved.bounds.clone()),
                    saved,
                    ..Board::default()
                }),
                revision,
                folders,
            }
        });
        bench.audit.grant(
            None,
            "start",
            json!({ "version": env!("CARGO_PKG_VERSION") }),
        )?;
        bench.begin(beginning)?;
        Ok(bench)
    }

    fn begin(self: &Arc<Self>, beginning: Beginning) -> Result<(), Error> {
        let saved = self.read().saved.clone();
        let path = |job: &Job| job.data.path.clone();
        let started = match (beginning.job, saved.job) {
            // The same table as last time: go on with its roles and hierarchies.
            (Some(job), Some(last))
                if path(&job) == path(&last) && job.columns.quasi_identifiers.is_none() =>
            {
                self.look_again(last)
            }
            (Some(job), _) => self.load(job, None, None),
            (None, Some(last)) => self.look_again(last),
            (None, None) => {
                let folder = self.folders.next();
                let job = table::write_example(&self.data, folder.number)?;
                self.load(job, Some(folder), None)
            }
        };
        match started {
            Ok(_) => Ok(()),
            Err(_) => Err(Error::Damaged {
                path: self.data.state(),
            }),
        }
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Board> {
        self.board.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Board> {
        self.board.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number that no table with its roles and levels had before.
    fn next_generation(&self) -> u64 {
        let mut board = self.write();
        board.saved.generation += 1;
        board.saved.generation
    }

    pub(crate) fn revision(&self) -> u64 {
        *self.revision.borrow()
    }

    /// Changes others should see, as they come.
    pub(crate) fn revisions(&self) -> watch::Receiver<u64> {
        self.revision.subscribe()
    }

    /// Something changed that others should see.
    pub(crate) fn tell(&self) {
        self.revision.send_modify(|revision| *revision += 1);
    }

    /// Changes what is saved: written to disk before anybody sees it.
    fn change(&self, change: impl FnOnce(&mut Saved)) -> Result<(), Failure> {
        let mut board = self.write();
        let mut saved = board.saved.clone();
        change(&mut saved);
        saved.version = 1;
        saved.revision = self.revision() + 1;
        write_json(&self.data.state(), &saved)?;
        board.bounds = Arc::new(saved.bounds.clone());
        board.saved = saved;
        drop(board);
        self.tell();
        Ok(())
    }

    /// The counted table.
    pub(crate) fn counted(&self) -> Result<Arc<Counted>, Failure> {
        let board = self.read();
        board.counted.clone().ok_or_else(Failure::not_counted)
    }

    /// Takes another table, from its folder if it came into one: inspects it, then counts it if its job says what the
    /// columns are.
    pub(crate) fn load(
        self: &Arc<Self>,
        job: Job,
        folder: Option<HeldFolder>,
        by: Option<Role>,
    ) -> Result<JobSeen, Failure> {
        let name = table::name_of(&job);
        self.audit.grant(by, "table", json!({ "name": name }))?;
        self.inspect(job, folder, true)
    }

    /// Goes on with the table of the last run.
    fn look_again(self: &Arc<Self>, job: Job) -> Result<JobSeen, Failure> {
        self.inspect(job, None, false)
    }

    fn inspect(
        self: &Arc<Self>,
        job: Job,
        folder: Option<HeldFolder>,
        is_new: bool,
    ) -> Result<JobSeen, Failure> {
        let bench = Arc::downgrade(self);
        let task = move |control: &Arc<Control>| -> Result<Finished, Failure> {
            let Some(bench) = bench.upgrade() else {
                return Err(Failure::internal());
            };
            let mut looked = job.clone();
            if is_new {
                looked.hierarchies.clear();
            }
            let inspection = inspect(&looked, control)?;
            let has_roles = job.columns.quasi_identifiers.is_some();
            let known = TableKnown::of(table::name_of(&job), &inspection, &job);
            let mut job = job;
            if has_roles {
                let order = job.columns.quasi_identifiers.clone().unwrap_or_default();
                table::say_roles(&mut job, &known, &order);
            }
            let generation = match is_new {
                true => bench.next_generation(),
                false => bench.read().saved.generation,
            };
            {
                let mut board = bench.write();
                board.inspection = Some(Arc::new(inspection));
                board.counted = None;
            }
            bench.change(|saved| {
                saved.generation = generation;
                saved.table = Some(known);
                saved.job = Some(job);
                saved.has_roles = has_roles;
                if is_new {
                    saved.bounds.max_levels = None;
                }
            })?;
            // From now on the state says that its folder is in use.
            drop(folder);
            table::forget_others(&bench.data, &bench.loaded()?.0, &bench.folders);
            if has_roles {
                bench.count()?;
            }
            Ok(Finished::default())
        };
        let replaces = [
            JobKind::Inspect,
            JobKind::Count,
            JobKind::Prepare,
            JobKind::Compare,
        ];
        self.jobs
            .add(JobKind::Inspect, Role::Curator, &replaces, Box::new(task))
    }

    /// Gives columns their roles and counts the table.
    pub(crate) fn set_roles(
        self: &Arc<Self>,
        roles: &[(String, ColumnRole)],
        order: &[String],
    ) -> Result<JobSeen, Failure> {
        let (mut job, mut known) = self.loaded()?;
        for (name, role) in roles {
            let at = known.position(name).ok_or_else(|| unknown_column(name))?;
            known.columns[at].role = *role;
        }
        for name in order {
            let at = known.position(name).ok_or_else(|| unknown_column(name))?;
            if known.columns[at].role != ColumnRole::QuasiIdentifying {
                return Err(Failure::bad_request(
                    "`order` must name quasi-identifiers only",
                ));
            }
        }
        let is_any = |column: &table::ColumnKnown| column.role == ColumnRole::QuasiIdentifying;
        if !known.columns.iter().any(is_any) {
            return Err(incrowd_job::Error::NoQuasiIdentifiers.into());
        }
        let before = match order.is_empty() {
            true => job.columns.quasi_identifiers.clone().unwrap_or_default(),
            false => order.to_vec(),
        };
        table::say_roles(&mut job, &known, &before);
        self.audit.grant(
            Some(Role::Curator),
            "roles",
            json!({ "quasi_identifiers": job.columns.quasi_identifiers, "sensitive": job.columns.sensitive,
                "target": job.columns.target, "keep": job.columns.keep }),
        )?;
        self.change_job(job, Some(known))
    }

    /// Gives a column other levels and counts the table.
    pub(crate) fn set_levels(
        self: &Arc<Self>,
        column: &str,
        source: incrowd_job::HierarchySource,
    ) -> Result<JobSeen, Failure> {
        let (mut job, _) = self.loaded()?;
        job.hierarchies.insert(column.to_owned(), source);
        self.change_job(job, None)
    }

    /// The table and its job.
    pub(crate) fn loaded(&self) -> Result<(Job, TableKnown), Failure> {
        let board = self.read();
        match (&board.saved.job, &board.saved.table) {
            (Some(job), Some(table)) => Ok((job.clone(), table.clone())),
            _ => Err(Failure::new(
                "not-now",
                "there is no table yet",
                "load one with `PUT /api/v1/table`, or wait until it is read",
            )),
        }
    }

    fn change_job(
        self: &Arc<Self>,
        job: Job,
        known: Option<TableKnown>,
    ) -> Result<JobSeen, Failure> {
        let generation = self.next_generation();
        self.write().counted = None;
        self.change(|saved| {
            saved.generation = generation;
            saved.job = Some(job);
            saved.has_roles = true;
            saved.bounds.max_levels = None;
            if let Some(known) = known {
                saved.table = Some(known);
            }
        })?;
        self.count()
    }

    /// Counts the table and prepares for questions about it.
    fn count(self: &Arc<Self>) -> Result<JobSeen, Failure> {
        let bench = Arc::downgrade(self);
        let task = move |control: &Arc<Control>| -> Result<Finished, Failure> {
            let Some(bench) = bench.upgrade() else {
                return Err(Failure::internal());
            };
            let (job, known) = bench.loaded()?;
            let (generation, bounds) = {
                let board = bench.read();
                (board.saved.generation, board.saved.bounds.clone())
            };
            let ground = Ground::count(&job, control)?;
            let columns = (ground.quasi_identifiers())
                .filter_map(|(name, _)| known.position(name))
                .collect();
            let options = Options {
                many_questions: true,
                ..Options::default()
            };
            let negotiation = Negotiation::new(Arc::new(ground), options, control)?;
            prepare(&negotiation, &bounds, control);
            control.check()?;
            let counted = Counted {
                generation,
                negotiation,
                control: Arc::clone(control),
                columns,
            };
            let mut board = bench.write();
            if board.saved.generation == generation {
                board.counted = Some(Arc::new(counted));
            }
            Ok(Finished::default())
        };
        let replaces = [JobKind::Count, JobKind::Prepare, JobKind::Compare];
        self.jobs
            .add(JobKind::Count, Role::Curator, &replaces, Box::new(task))
    }

    /// Sets what analysts may ask for and see.
    pub(crate) fn set_bounds(&self, bounds: Bounds) -> Result<(), Failure> {
        let (counted, before) = {
            let board = self.read();
            (board.counted.clone(), board.saved.bounds.models.clone())
        };
        bounds.check(counted.as_ref().map(|counted| counted.heights()).as_deref())?;
        let detail = serde_json::to_value(&bounds).unwrap_or_default();
        self.audit.grant(Some(Role::Curator), "bounds", detail)?;
        let kept = bounds.clone();
        self.change(|saved| saved.bounds = kept)?;
        // Models that may be asked for now are prepared before somebody has to wait for them.
        if let Some(counted) = counted.filter(|_| bounds.models != before) {
            let task = move |control: &Arc<Control>| {
                prepare(&counted.negotiation, &bounds, control);
                control.check()?;
                Ok(Finished::default())
            };
            // Models that were allowed a moment ago and are not any more need not be prepared.
            let replaces = [JobKind::Prepare];
            self.jobs
                .add(JobKind::Prepare, Role::Curator, &replaces, Box::new(task))?;
        }
        Ok(())
    }

    /// Ends all work.
    pub(crate) fn close(&self) {
        self.jobs.close();
    }
}

fn unknown_column(name: &str) -> Failure {
    Failure::bad_request(format!(
        "the table has no column `{}`",
        incrowd_job::visible(name)
    ))
}

/// Annotates the lattice for the models that will be asked about first, so that the first question is as fast as the
/// second. What cannot be prepared is refused when it is asked for.
fn prepare(negotiation: &Negotiation, bounds: &Bounds, control: &Control) {
    for model in &bounds.models {
        let Ok(spec) = model.spec() else {
            continue;
        };
        let wish = incrowd_job::Wish {
            model: spec.to_string(),
            parameter: incrowd_core::privacy::Decimal::from_f64(model.floor),
            max_suppressed: None,
            max_levels: None,
            metric: None,
            search: None,
            rows_in_steps_of: 1,
        };
        let _ = negotiation.prepare(&wish, control);
    }
}
