//! Tasks done side by side, on as many threads as there are.
//!
//! The outcomes of a batch are handed back in the order of its tasks. The next batch may be begun before one is finished, so that
//! no thread waits for the last task of a batch.

use super::corner::{Outcome, Task, Worker};
use super::lattice_box::LatticeBox;
use crate::counts::{FrequencySet, SpareThreads};
use crate::problem::{Problem, ThreadMeter};
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::Scope;
use std::time::{Duration, Instant};

/// Tasks that are done side by side.
struct Batch<'t> {
    number: u64,
    tasks: Vec<Task<'t>>,
    meter: ThreadMeter<'t>,
    /// Threads of the crew that do no task.
    spare: Arc<SpareThreads>,
    /// Sets that nobody needs any more: whoever does a task frees one of them.
    forgotten: Mutex<Vec<Arc<FrequencySet>>>,
    /// The next task that nobody does yet.
    next: AtomicUsize,
    /// Whether a task was stopped, so that no other is begun.
    is_stopped: AtomicBool,
}

impl Batch<'_> {
    /// Does the next task, if one is left and none was stopped: where it stands, and what it finds. Tasks are begun in order, so all
    /// before a stopped one are done.
    fn do_next(&self, worker: &mut Worker<'_>) -> Option<(usize, Outcome)> {
        if self.is_stopped.load(Ordering::Relaxed) {
            return None;
        }
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        let task = self.tasks.get(at)?;
        self.free_one();
        let _busy = self.spare.occupy_one();
        let outcome = worker.run(task, self.meter);
        if outcome.found.is_err() {
            self.stop();
        }
        Some((at, outcome))
    }

    fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Frees a set that nobody needs any more, while others may take the next.
    fn free_one(&self) {
        let mut sets = (self.forgotten.lock()).unwrap_or_else(PoisonError::into_inner);
        let one = sets.pop();
        drop(sets);
        drop(one);
    }
}

/// A batch and its outcomes so far.
struct Begun<'t> {
    batch: Arc<Batch<'t>>,
    outcomes: Vec<Option<Outcome>>,
    /// How many there are before the first that is missing.
    complete: usize,
}

impl Begun<'_> {
    /// Whether all outcomes are there, up to one that was stopped if there is one.
    fn is_finished(&mut self) -> bool {
        while let Some(Some(outcome)) = self.outcomes.get(self.complete) {
            if outcome.found.is_err() {
                return true;
            }
            self.complete += 1;
        }
        self.complete == self.outcomes.len()
    }
}

/// What a thread says.
enum Message {
    Done {
        batch: u64,
        at: usize,
        outcome: Box<Outcome>,
    },
    Panicked(Box<dyn Any + Send>),
}

/// Threads that do tasks, the calling one among them.
pub(super) struct Crew<'t> {
    own: Worker<'t>,
    /// Threads that do no task, which may help with large ones.
    spare: Arc<SpareThreads>,
    /// Of the other threads. Messages do not keep a batch that is finished before a thread gets to it.
    inboxes: Vec<Sender<Weak<Batch<'t>>>>,
    /// Who gets the next batch: with fewer tasks than threads, those who are not at work on the batch before.
    next_inbox: usize,
    messages: Receiver<Message>,
    /// In the order in which they were begun.
    begun: VecDeque<Begun<'t>>,
    /// How many were finished.
    finished: u64,
    /// How long this thread has done tasks beside which there were others to do.
    time_in_tasks: Duration,
}

impl<'t> Crew<'t> {
    /// So many threads, the calling one included. The others end with the crew.
    pub(super) fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        problem: &'t Problem<'t>,
        threads: usize,
        keeps_smaller: bool,
    ) -> Self
    where
        't: 'scope,
    {
        let (say, messages) = channel();
        let threads = threads.max(1);
        let spare = Arc::new(SpareThreads::new(threads));
        let inboxes = (1..threads).map(|_| {
            let (inbox, batches) = channel::<Weak<Batch<'t>>>();
            let (say, spare) = (say.clone(), Arc::clone(&spare));
            scope.spawn(move || {
                let worker = Worker::new(problem, keeps_smaller, &spare);
                work(worker, &batches, &say);
            });
            inbox
        });
        Crew {
            inboxes: inboxes.collect(),
            next_inbox: 0,
            own: Worker::new(problem, keeps_smaller, &spare),
            spare,
            messages,
            begun: VecDeque::new(),
            finished: 0,
            time_in_tasks: Duration::ZERO,
        }
    }

    /// Begins a batch, after those begun before, and has sets freed beside. The other threads start at once, this one when it
    /// [waits](Crew::finish).
    pub(super) fn begin(
        &mut self,
        tasks: Vec<Task<'t>>,
        forgotten: Vec<Arc<FrequencySet>>,
        meter: ThreadMeter<'t>,
    ) {
        // If there is nothing else to do, one task is left to this thread.
        let helpful = tasks
            .len()
            .saturating_sub(usize::from(self.begun.is_empty()));
        let outcomes = tasks.iter().map(|_| None).collect();
        let batch = Arc::new(Batch {
            number: self.finished + self.begun.len() as u64,
            tasks,
            meter,
            spare: Arc::clone(&self.spare),
            forgotten: Mutex::new(forgotten),
            next: AtomicUsize::new(0),
            is_stopped: AtomicBool::new(false),
        });
        for _ in 0..helpful.min(self.inboxes.len()) {
            // A thread that does not listen has panicked, which is heard at the end at the latest.
            let _ = self.inboxes[self.next_inbox].send(Arc::downgrade(&batch));
            self.next_inbox = (self.next_inbox + 1) % self.inboxes.len();
        }
        self.begun.push_back(Begun {
            batch,
            outcomes,
            complete: 0,
        });
    }

    /// How many batches are begun and not finished.
    pub(super) fn batches(&self) -> usize {
        self.begun.len()
    }

    /// The boxes of these batches.
    pub(super) fn boxes(&self) -> impl Iterator<Item = &LatticeBox> {
        let tasks = self.begun.iter().flat_map(|begun| &begun.batch.tasks);
        tasks.map(|task| &task.whole)
    }

    /// Finishes the batch that was begun first, if any. This thread does tasks too, of the batches after it if need be, rather than
    /// wait. The outcomes in order, up to one that was stopped.
    pub(super) fn finish(&mut self) -> Vec<Outcome> {
        while self
            .begun
            .front_mut()
            .is_some_and(|first| !first.is_finished())
        {
            if let Ok(message) = self.messages.try_recv() {
                self.hear(message);
            } else if !self.do_one() {
                let message = self.messages.recv();
                self.hear(message.expect("a thread says what became of its task"));
            }
        }
        let Some(first) = self.begun.pop_front() else {
            return Vec::new();
        };
        self.finished += 1;
        let outcomes = first.outcomes.into_iter();
        outcomes.map_while(|outcome| outcome).collect()
    }

    /// Does a task on this thread; false if none is left.
    fn do_one(&mut self) -> bool {
        let has_company = self.boxes().nth(1).is_some();
        let start = Instant::now();
        for begun in &mut self.begun {
            if let Some((at, outcome)) = begun.batch.do_next(&mut self.own) {
                begun.outcomes[at] = Some(outcome);
                if has_company {
                    self.time_in_tasks += start.elapsed();
                }
                return true;
            }
        }
        false
    }

    /// Waits for the other threads, which do nothing new, so that a panic of any is not lost. How long the calling thread has done
    /// tasks that any other could have done meanwhile.
    pub(super) fn end(mut self) -> Duration {
        self.stop();
        self.inboxes.clear();
        while let Ok(message) = self.messages.recv() {
            self.hear(message);
        }
        self.time_in_tasks
    }

    /// Nobody needs what is still to be done.
    fn stop(&self) {
        self.begun.iter().for_each(|begun| begun.batch.stop());
    }

    fn hear(&mut self, message: Message) {
        match message {
            Message::Done { batch, at, outcome } => {
                // One that is finished was stopped, and nobody needs the rest of it.
                let place = batch.checked_sub(self.finished);
                let place = place.and_then(|place| usize::try_from(place).ok());
                if let Some(begun) = place.and_then(|place| self.begun.get_mut(place)) {
                    begun.outcomes[at] = Some(*outcome);
                }
            }
            Message::Panicked(panic) => resume_unwind(panic),
        }
    }
}

impl Drop for Crew<'_> {
    fn drop(&mut self) {
        self.stop();
    }
}

/// What every thread of a crew but the first does. Whoever is gone does not listen.
fn work<'t>(mut worker: Worker<'t>, batches: &Receiver<Weak<Batch<'t>>>, say: &Sender<Message>) {
    for batch in batches {
        let Some(batch) = batch.upgrade() else {
            continue;
        };
        let worked = catch_unwind(AssertUnwindSafe(|| {
            while let Some((at, outcome)) = batch.do_next(&mut worker) {
                let _ = say.send(Message::Done {
                    batch: batch.number,
                    at,
                    outcome: Box::new(outcome),
                });
            }
        }));
        if let Err(panic) = worked {
            let _ = say.send(Message::Panicked(panic));
            return;
        }
    }
}
