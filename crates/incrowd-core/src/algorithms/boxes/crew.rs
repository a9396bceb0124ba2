//! Looking at corners of boxes, on as many threads as there are.
//!
//! A batch of tasks is done at once; the outcomes are handed back in the order of the tasks. A task is done with nothing but what
//! it carries, so its outcome does not depend on who does it, nor when.

use super::lattice_box::LatticeBox;
use super::low_classes::LowClasses;
use crate::counts::{FrequencySet, Scratch, Start, Work};
use crate::problem::{Assessment, Assessor, Interruption, Meter, Problem, ThreadMeter};
use crate::utility::{Between, Detail, Known, Loss};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Scope;

/// Sets up to this size are kept as a start for other counts: copying them is cheap compared with counting them.
const SMALL_SET_CLASSES: usize = 1 << 11;

/// Where sets are kept if others are counted faster from them: so many percent of the set they were counted from, at most.
const KEPT_PERCENT: usize = 66;

/// Which corner of its box a task looks at.
#[derive(Debug, Clone)]
pub(super) enum Corner {
    /// The low one, from whose classes others are counted.
    Low,
    /// The high one. With the classes of the low one, if known.
    High(Option<Arc<LowClasses>>),
}

/// A corner of a box to count and judge.
#[derive(Debug)]
pub(super) struct Task<'t> {
    pub(super) whole: LatticeBox,
    pub(super) corner: Corner,
    pub(super) start: Start<'t>,
    /// A loss above it need not be computed.
    pub(super) limit: Option<Loss>,
}

/// What a task finds out.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) found: Result<Found, Interruption>,
    /// What it took.
    pub(super) work: Work,
}

#[derive(Debug)]
pub(super) struct Found {
    /// What is known of the box now.
    pub(super) whole: LatticeBox,
    pub(super) assessment: Assessment,
    /// No node at or above the corner costs less.
    pub(super) floor_above: Loss,
    /// The classes of the corner, if they are worth keeping.
    pub(super) classes: Option<Arc<FrequencySet>>,
    /// The same, if it is a low corner and they say anything about the nodes above.
    pub(super) low_classes: Option<Arc<LowClasses>>,
}

/// One who does tasks, with memory that is used again.
#[derive(Debug)]
pub(super) struct Worker<'a> {
    problem: &'a Problem<'a>,
    smallest_safe: u32,
    /// Whether the classes of a node give a better bound for the nodes above than its levels.
    classes_matter: bool,
    /// Whether sets are kept that are smaller than what they were counted from, and not those that are small.
    keeps_smaller: bool,
    scratch: Scratch,
    classes: FrequencySet,
    /// The classes of a high corner as counted from those of the low one.
    above_low: FrequencySet,
    assessor: Assessor<'a>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(problem: &'a Problem<'a>, keeps_smaller: bool) -> Self {
        Worker {
            problem,
            smallest_safe: problem.smallest_safe(),
            classes_matter: problem.metric.detail() == Detail::Classes,
            keeps_smaller,
            scratch: Scratch::default(),
            classes: FrequencySet::default(),
            above_low: FrequencySet::default(),
            assessor: Assessor::new(problem),
        }
    }

    fn run(&mut self, task: &Task<'_>, meter: ThreadMeter<'_>) -> Outcome {
        let meter = meter.begin();
        let found = self.look(task, &meter);
        Outcome {
            found,
            work: Work(meter.spent()),
        }
    }

    fn look(&mut self, task: &Task<'_>, meter: &Meter<'_>) -> Result<Found, Interruption> {
        let mut whole = task.whole.clone();
        let node = match task.corner {
            Corner::Low => &whole.low,
            Corner::High(_) => &whole.high,
        };
        let (scratch, classes) = (&mut self.scratch, &mut self.classes);
        let starts_low = *task.start.node() == whole.low;
        let work = match &task.corner {
            Corner::High(Some(_)) if starts_low => task.start.count_tracked(node, scratch, classes),
            _ => task.start.count(node, scratch, classes),
        };
        meter.spend(work)?;
        // Where everything may be suppressed, what is lost below rules out nothing outside the box, and no node of it is below a
        // low corner.
        let (problem, limit) = (self.problem, task.limit);
        let may_lose_all = problem.max_suppressed >= problem.table.rows;
        let looks_below = !may_lose_all || *node != whole.low;
        let assessment = match looks_below {
            true => (self.assessor).assess_metered(node, classes, limit, meter)?,
            false => (self.assessor).assess_here(node, classes, limit, meter)?,
        };
        let floor_above = self.floor_above(Known {
            smallest_safe: self.smallest_safe,
            ..Known::NOTHING
        });
        let mut low_classes = None;
        match &task.corner {
            Corner::Low => {
                whole.low_is_counted = true;
                let floor = self.floor_above(whole.known(self.smallest_safe));
                whole.floor = whole.floor.max(floor);
                if limit.is_none_or(|limit| whole.floor <= limit) {
                    low_classes = self.low_classes();
                }
            }
            Corner::High(low) => {
                learn_from_high(self.problem, self.smallest_safe, &mut whole, &assessment);
                let is_left = whole.rows_lost <= self.problem.max_suppressed
                    && limit.is_none_or(|limit| whole.floor <= limit);
                if let Some(low) = low
                    && is_left
                    && looks_below
                {
                    if !starts_low {
                        let (table, corners) = (problem.table, (&whole.low, &whole.high));
                        let memory = (&mut self.scratch, &mut self.above_low);
                        meter.spend(low.count_above(table, corners, &self.classes, memory))?;
                    }
                    self.learn_from_both(&mut whole, low);
                    meter.spend(Work::of(low.sizes().len()))?;
                }
            }
        }
        let (classes, from) = (self.classes.len(), task.start.classes().len());
        let is_small = classes <= SMALL_SET_CLASSES;
        let is_smaller = 100 * classes <= KEPT_PERCENT * from;
        let is_kept = matches!(task.corner, Corner::Low)
            || match self.keeps_smaller {
                true => is_smaller,
                false => is_small || is_smaller && !self.classes_matter,
            };
        Ok(Found {
            whole,
            assessment,
            floor_above,
            classes: is_kept.then(|| Arc::new(self.classes.clone())),
            low_classes,
        })
    }

    /// What the classes counted last say about the nodes above, being those of a low corner.
    fn low_classes(&self) -> Option<Arc<LowClasses>> {
        if !self.classes_matter {
            return None;
        }
        let fewest_around = self.assessor.fewest_around(&self.classes)?;
        Some(Arc::new(LowClasses::new(&self.classes, fewest_around)))
    }

    /// A lower bound of the loss at and above the node counted last, from its classes.
    fn floor_above(&self, known: Known<'_>) -> Loss {
        if !self.classes_matter {
            return Loss(0.0);
        }
        let metric = self.problem.metric;
        let target = metric.column();
        let target = target.map(|column| self.classes.histograms(column));
        metric.floor_above(self.classes.sizes(), target, known)
    }

    /// What both corners say together, the high one being the node counted last, from the classes of the low one.
    fn learn_from_both(&self, whole: &mut LatticeBox, low: &LowClasses) {
        let Some(most_kept) = self.assessor.most_kept() else {
            return;
        };
        let between = Between {
            sizes: low.sizes(),
            fewest_around: low.fewest_around(),
            class_of: self.scratch.class_of(),
            most_kept,
        };
        let metric = self.problem.metric;
        whole.rows_lost = whole.rows_lost.max(between.rows_lost());
        let known = whole.known(self.smallest_safe);
        let floor = metric.floor_between(&between, known);
        whole.floor = (whole.floor.max(floor)).max(metric.floor(&whole.low, known));
    }
}

/// Uses the high corner of a box: rows that no division of its classes keeps are lost in the whole box.
pub(super) fn learn_from_high(
    problem: &Problem<'_>,
    smallest_safe: u32,
    whole: &mut LatticeBox,
    high: &Assessment,
) {
    whole.rows_lost = whole.rows_lost.max(high.rows_lost_below);
    if !high.added_below.is_empty() {
        whole.added = high.added_below.as_slice().into();
    }
    let floor = problem.metric.floor(&whole.low, whole.known(smallest_safe));
    whole.floor = whole.floor.max(floor);
}

struct Batch<'t> {
    tasks: Vec<Task<'t>>,
    meter: ThreadMeter<'t>,
    /// The next task that nobody does yet.
    next: AtomicUsize,
    /// Whether a task was stopped, so that no other is begun.
    is_stopped: AtomicBool,
}

impl Batch<'_> {
    /// Does tasks until all are done or one is stopped. Tasks are begun in order, so those that are not done are the last.
    fn work_off(&self, worker: &mut Worker<'_>, mut hand_in: impl FnMut(usize, Outcome)) {
        while !self.is_stopped.load(Ordering::Relaxed) {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = self.tasks.get(at) else {
                return;
            };
            let outcome = worker.run(task, self.meter);
            if outcome.found.is_err() {
                self.is_stopped.store(true, Ordering::Relaxed);
            }
            hand_in(at, outcome);
        }
    }
}

/// What a thread says.
enum Message {
    Done(usize, Box<Outcome>),
    /// There is nothing left to do in the batch, or the thread panicked.
    Finished(std::thread::Result<()>),
}

/// Threads that wait for tasks.
pub(super) struct Crew<'t> {
    inboxes: Vec<Sender<Arc<Batch<'t>>>>,
    messages: Receiver<Message>,
}

impl<'t> Crew<'t> {
    /// So many threads, the calling one included. The others end when the crew is dropped.
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
        let others = 1..threads.max(1);
        let inboxes = others.map(|_| {
            let (inbox, batches) = channel::<Arc<Batch<'t>>>();
            let say = say.clone();
            scope.spawn(move || {
                let worker = Worker::new(problem, keeps_smaller);
                work(worker, &batches, &say);
            });
            inbox
        });
        Crew {
            inboxes: inboxes.collect(),
            messages,
        }
    }

    /// Does all tasks, `own` a share of them on this thread. The outcomes in order, up to one that was stopped.
    pub(super) fn run(
        &self,
        tasks: Vec<Task<'t>>,
        meter: ThreadMeter<'t>,
        own: &mut Worker<'_>,
    ) -> Vec<Outcome> {
        let mut outcomes: Vec<Option<Outcome>> = tasks.iter().map(|_| None).collect();
        let batch = Arc::new(Batch {
            tasks,
            meter,
            next: AtomicUsize::new(0),
            is_stopped: AtomicBool::new(false),
        });
        let helpful = outcomes.len().saturating_sub(1);
        let mut busy = 0;
        for inbox in self.inboxes.iter().take(helpful) {
            let sent = inbox.send(Arc::clone(&batch));
            sent.expect("a thread waits until the crew is dropped");
            busy += 1;
        }
        batch.work_off(own, |at, outcome| outcomes[at] = Some(outcome));
        while busy > 0 {
            let message = self.messages.recv();
            match message.expect("a thread says when it has finished") {
                Message::Done(at, outcome) => outcomes[at] = Some(*outcome),
                Message::Finished(Ok(())) => busy -= 1,
                Message::Finished(Err(panic)) => resume_unwind(panic),
            }
        }
        outcomes.into_iter().map_while(|outcome| outcome).collect()
    }
}

/// What every thread of a crew but the first does. Whoever is gone does not listen.
fn work<'t>(mut worker: Worker<'t>, batches: &Receiver<Arc<Batch<'t>>>, say: &Sender<Message>) {
    while let Ok(batch) = batches.recv() {
        let finished = catch_unwind(AssertUnwindSafe(|| {
            batch.work_off(&mut worker, |at, outcome| {
                let _ = say.send(Message::Done(at, Box::new(outcome)));
            });
        }));
        let has_panicked = finished.is_err();
        let _ = say.send(Message::Finished(finished));
        if has_panicked {
            return;
        }
    }
}
