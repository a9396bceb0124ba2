//! Long work: one job after another on a thread of its own, each with its progress and a way to stop it.

use crate::error::Failure;
use crate::tokens::Role;
use incrowd_job::{Control, Phase, Progress};
use serde::Serialize;
use serde_json::Value;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Finished jobs that are remembered.
const MOST_FINISHED: usize = 50;
/// Jobs that may wait.
const MOST_WAITING: usize = 20;

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum JobKind {
    Inspect,
    Count,
    /// Annotates the lattice for models that may be asked for from now on.
    Prepare,
    Compare,
    Release,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum JobState {
    Queued,
    Running,
    Done,
    Failed,
    Cancelled,
}

/// A job as the page sees it.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct JobSeen {
    pub(crate) id: u64,
    pub(crate) kind: JobKind,
    pub(crate) state: JobState,
    pub(crate) phase: Option<&'static str>,
    pub(crate) done: u64,
    pub(crate) total: Option<u64>,
    pub(crate) percent: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<Failure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<Value>,
}

/// What a job leaves behind.
#[derive(Debug, Default)]
pub(crate) struct Finished {
    pub(crate) result: Option<Value>,
    /// A page of HTML about it.
    pub(crate) page: Option<String>,
}

/// What a job does, once it is its turn.
pub(crate) type Task = Box<dyn FnOnce(&Arc<Control>) -> Result<Finished, Failure> + Send>;

#[derive(Debug, Default)]
struct Reached {
    phase: AtomicU8,
    done: AtomicU64,
    total: AtomicU64,
}

/// Where the progress of a job is written down.
#[derive(Debug, Clone, Default)]
struct Steps(Arc<Reached>);

const PHASES: [&str; 5] = ["", "read", "solve", "write", "simulate"];

impl Progress for Steps {
    fn begin(&self, phase: Phase, total: Option<u64>) {
        let number = match phase {
            Phase::Read => 1,
            Phase::Solve => 2,
            Phase::Write => 3,
            Phase::Simulate => 4,
            _ => 0,
        };
        self.0.done.store(0, Ordering::Relaxed);
        self.0.total.store(total.unwrap_or(0), Ordering::Relaxed);
        self.0.phase.store(number, Ordering::Relaxed);
    }

    fn reach(&self, done: u64) {
        // Several threads tell how far they are; a bar that went back would tell nothing.
        self.0.done.fetch_max(done, Ordering::Relaxed);
    }

    fn end(&self) {}
}

struct Job {
    id: u64,
    kind: JobKind,
    owner: Role,
    state: JobState,
    steps: Steps,
    control: Arc<Control>,
    error: Option<Failure>,
    result: Option<Value>,
    page: Option<Arc<String>>,
    task: Option<Task>,
}

impl Job {
    fn seen(&self) -> JobSeen {
        let reached = &self.steps.0;
        let is_running = self.state == JobState::Running;
        let phase = PHASES[usize::from(reached.phase.load(Ordering::Relaxed)) % PHASES.len()];
        let (done, total) = match is_running {
            true => (
                reached.done.load(Ordering::Relaxed),
                Some(reached.total.load(Ordering::Relaxed)).filter(|total| *total > 0),
            ),
            false => (0, None),
        };
        JobSeen {
            id: self.id,
            kind: self.kind,
            state: self.state,
            phase: Some(phase).filter(|phase| is_running && !phase.is_empty()),
            done,
            total,
            percent: total.map(|total| {
                let share = done.min(total) as f64 / total as f64;
                (share * 1000.0).round() / 10.0
            }),
            error: self.error.clone(),
            result: self.result.clone(),
        }
    }

    fn is_over(&self) -> bool {
        !matches!(self.state, JobState::Queued | JobState::Running)
    }
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    next: u64,
    is_closed: bool,
}

/// Called after every change of a job's state.
type OnChange = Box<dyn Fn() + Send + Sync>;

/// The jobs of a server.
pub(crate) struct Jobs {
    queue: Mutex<Queue>,
    changed: Condvar,
    on_change: OnChange,
}

impl Jobs {
    /// Starts the thread that does them.
    pub(crate) fn start(on_change: OnChange) -> Arc<Jobs> {
        let jobs = Arc::new(Jobs {
            queue: Mutex::new(Queue {
                next: 1,
                ..Queue::default()
            }),
            changed: Condvar::new(),
            on_change,
        });
        let worker = Arc::clone(&jobs);
        std::thread::spawn(move || worker.work());
        jobs
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job. Jobs of the kinds in `replaces` that are not over are cancelled: their result would be out of date.
    pub(crate) fn add(
        &self,
        kind: JobKind,
        owner: Role,
        replaces: &[JobKind],
        task: Task,
    ) -> Result<JobSeen, Failure> {
        let mut queue = self.lock();
        for job in &mut queue.jobs {
            if replaces.contains(&job.kind) && !job.is_over() {
                cancel(job);
            }
        }
        let waiting = queue.jobs.iter().filter(|job| !job.is_over()).count();
        if waiting >= MOST_WAITING || queue.is_closed {
            return Err(Failure::new(
                "busy",
                "too many jobs are waiting",
                "wait until some are done, or cancel them",
            ));
        }
        let finished = queue.jobs.iter().filter(|job| job.is_over()).count();
        if finished > MOST_FINISHED
            && let Some(oldest) = queue.jobs.iter().position(Job::is_over)
        {
            queue.jobs.remove(oldest);
        }
        let steps = Steps::default();
        let job = Job {
            id: queue.next,
            kind,
            owner,
            state: JobState::Queued,
            control: Arc::new(Control::new(steps.clone())),
            steps,
            error: None,
            result: None,
            page: None,
            task: Some(task),
        };
        queue.next += 1;
        let seen = job.seen();
        queue.jobs.push_back(job);
        drop(queue);
        self.tell();
        Ok(seen)
    }

    fn tell(&self) {
        self.changed.notify_all();
        (self.on_change)();
    }

    /// The jobs that a role may see, oldest first.
    pub(crate) fn seen_by(&self, role: Role) -> Vec<JobSeen> {
        let queue = self.lock();
        let jobs = queue.jobs.iter().filter(|job| may_see(job, role));
        jobs.map(Job::seen).collect()
    }

    /// One of them.
    pub(crate) fn one(&self, id: u64, role: Role) -> Option<JobSeen> {
        let queue = self.lock();
        let mut jobs = queue.jobs.iter().filter(|job| may_see(job, role));
        jobs.find(|job| job.id == id).map(Job::seen)
    }

    /// The page about it.
    pub(crate) fn page(&self, id: u64, role: Role) -> Option<Arc<String>> {
        let queue = self.lock();
        let mut jobs = queue.jobs.iter().filter(|job| may_see(job, role));
        jobs.find(|job| job.id == id)?.page.clone()
    }

    /// Asks a job to stop; one that is over stays as it is.
    pub(crate) fn cancel(&self, id: u64, role: Role) -> Option<JobSeen> {
        let mut queue = self.lock();
        let mut jobs = queue.jobs.iter_mut().filter(|job| may_see(job, role));
        let job = jobs.find(|job| job.id == id)?;
        cancel(job);
        let seen = job.seen();
        drop(queue);
        self.tell();
        Some(seen)
    }

    /// Stops everything; the thread ends.
    pub(crate) fn close(&self) {
        let mut queue = self.lock();
        queue.is_closed = true;
        queue.jobs.iter_mut().for_each(cancel);
        drop(queue);
        self.changed.notify_all();
    }

    fn work(&self) {
        loop {
            let mut queue = self.lock();
            let (id, task, control) = loop {
                if queue.is_closed {
                    return;
                }
                let waiting = queue.jobs.iter_mut();
                let next = waiting
                    .filter(|job| job.state == JobState::Queued)
                    .find_map(|job| Some((job.task.take()?, job)));
                if let Some((task, job)) = next {
                    job.state = JobState::Running;
                    break (job.id, task, Arc::clone(&job.control));
                }
                queue = (self.changed.wait(queue)).unwrap_or_else(PoisonError::into_inner);
            };
            drop(queue);
            (self.on_change)();
            let finished = catch_unwind(AssertUnwindSafe(|| task(&control)));
            let finished = finished.unwrap_or_else(|_| Err(Failure::internal()));
            let mut queue = self.lock();
            if let Some(job) = queue.jobs.iter_mut().find(|job| job.id == id) {
                match finished {
                    Ok(finished) => {
                        job.state = JobState::Done;
                        job.result = finished.result;
                        job.page = finished.page.map(Arc::new);
                    }
                    Err(_) if control.is_cancelled() => job.state = JobState::Cancelled,
                    Err(failure) => {
                        job.state = JobState::Failed;
                        job.error = Some(failure);
                    }
                }
            }
            drop(queue);
            self.tell();
        }
    }
}

fn cancel(job: &mut Job) {
    match job.state {
        JobState::Queued => {
            job.control.cancel();
            job.task = None;
            job.state = JobState::Cancelled;
        }
        JobState::Running => job.control.cancel(),
        JobState::Done | JobState::Failed | JobState::Cancelled => {}
    }
}

fn may_see(job: &Job, role: Role) -> bool {
    role == Role::Curator || job.owner == role
}
