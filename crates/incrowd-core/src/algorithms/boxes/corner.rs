//! Looking at a corner of a box: its classes are counted and judged, and what they say of the whole box is worked out.
//!
//! A task is done with nothing but what it carries, so its outcome does not depend on who does it, nor when.

use super::lattice_box::LatticeBox;
use super::low_classes::LowClasses;
use crate::counts::{FrequencySet, Scratch, SpareThreads, Start, Work};
use crate::problem::{Assessment, Assessor, Interruption, Meter, Problem, ThreadMeter};
use crate::utility::{Between, Detail, Known, Loss};
use std::sync::Arc;

/// Sets up to this size are kept as a start for other counts: copying them is cheap compared with counting them.
const SMALL_SET_CLASSES: usize = 1 << 11;

/// Where sets are kept if others are counted faster from them: so many percent of the set they were counted from, at most.
const KEPT_PERCENT: usize = 66;

/// Nodes are counted from a set that is so many times smaller than another in much less time.
const FASTER_FROM: usize = 8;

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
    /// The classes of the start, if it is a low corner and they say anything about the nodes above.
    pub(super) below: Option<Arc<LowClasses>>,
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
    /// Whether the corner is the low one.
    pub(super) is_low: bool,
}

/// One who does tasks, with memory that is used again.
#[derive(Debug)]
pub(super) struct Worker<'a> {
    problem: &'a Problem<'a>,
    smallest_safe: u32,
    /// No node with more classes can be published.
    most_classes: usize,
    /// Whether the classes of a node give a better bound for the nodes above than its levels.
    classes_matter: bool,
    /// Whether sets are kept that are smaller than what they were counted from, and not those that are small.
    keeps_smaller: bool,
    /// Whether all rows may be suppressed.
    may_lose_all: bool,
    /// Whether a node may turn out not to be the best before its histograms are added up, and that is all there is to know.
    may_judge_by_size: bool,
    scratch: Scratch,
    classes: FrequencySet,
    /// Where the class of the high corner around each class of the low one is known from.
    trace: Trace,
    trace_scratch: Scratch,
    /// The classes of a high corner as counted from those of the low one.
    above_low: FrequencySet,
    assessor: Assessor<'a>,
}

/// Which count tells the classes of the high corner that those of the low one are part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trace {
    /// None did yet.
    Unknown,
    /// That of the high corner, which began at the low one.
    OfStart,
    /// One of its own.
    OfLow,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        problem: &'a Problem<'a>,
        keeps_smaller: bool,
        spare: &Arc<SpareThreads>,
    ) -> Self {
        let classes_matter = problem.metric.detail() == Detail::Classes;
        let may_lose_all = problem.max_suppressed >= problem.table.rows;
        let promises_of_all = problem.models.iter().any(|model| model.is_about_release());
        let has_columns = !problem.columns_read().is_empty();
        let scratch = Scratch::helped_by(problem.table, Arc::clone(spare));
        // Metrics and overlapping crowds read lists.
        let reads_lists = problem.metric.column().is_some() || problem.crowds_overlap();
        Worker {
            problem,
            smallest_safe: problem.smallest_safe(),
            most_classes: problem.most_classes(),
            classes_matter,
            keeps_smaller,
            may_lose_all,
            may_judge_by_size: classes_matter
                && may_lose_all
                && !promises_of_all
                && has_columns
                && problem.metric.column().is_none()
                && !keeps_smaller,
            scratch: match reads_lists {
                true => scratch,
                false => scratch.with_cells(),
            },
            classes: FrequencySet::default(),
            trace: Trace::Unknown,
            trace_scratch: Scratch::helped_by(problem.table, Arc::clone(spare)),
            above_low: FrequencySet::default(),
            assessor: Assessor::new(problem),
        }
    }

    pub(super) fn run(&mut self, task: &Task<'_>, meter: ThreadMeter<'_>) -> Outcome {
        let meter = meter.begin();
        let found = self.look(task, &meter);
        Outcome {
            found,
            work: Work(meter.spent()),
        }
    }

    fn look(&mut self, task: &Task<'_>, meter: &Meter<'_>) -> Result<Found, Interruption> {
        let mut found = match &task.corner {
            Corner::Low => self.look_at_low(task, meter)?,
            Corner::High(low) => self.look_at_high(task, low.as_deref(), meter)?,
        };
        // Here, so that the thread that hands out tasks need not.
        let (problem, smallest_safe) = (self.problem, self.smallest_safe);
        let split = (found.whole).attribute_to_split(problem, self.classes_matter, smallest_safe);
        found.whole.split = split;
        Ok(found)
    }

    fn look_at_low(&mut self, task: &Task<'_>, meter: &Meter<'_>) -> Result<Found, Interruption> {
        let (mut whole, limit) = (task.whole.clone(), task.limit);
        let node = &task.whole.low;
        let (scratch, classes) = (&mut self.scratch, &mut self.classes);
        whole.low_is_counted = true;
        let most = most_worth_counting(self.most_classes, &task.start);
        let counted = (task.start).count_at_most(most, node, false, scratch, classes);
        meter.spend(counted.work)?;
        if counted.are_too_many {
            return Ok(self.too_many_classes(whole, true));
        }
        let floor = self.floor_above(whole.known(self.smallest_safe));
        whole.floor = whole.floor.max(floor);
        let is_left = limit.is_none_or(|limit| whole.floor <= limit);
        // What must be around a class says of most that they are not safe by themselves.
        let fewest_around = match is_left && self.classes_matter {
            true => self.assessor.fewest_around(&self.classes),
            false => None,
        };
        match &fewest_around {
            Some(around) => self.assessor.presume_around(&self.classes, around),
            None => self.assessor.presume_by_size(&self.classes),
        }
        // Where everything may be suppressed, what is lost below rules out nothing outside the box, and no node of it is below a
        // low corner.
        let assessment = (self.assessor).assess_presumed(
            node,
            &self.classes,
            limit,
            !self.may_lose_all,
            meter,
        )?;
        let classes = Arc::new(self.copy_of_classes());
        let low_classes = fewest_around.map(|around| {
            let suppressed = assessment.rows_suppressed;
            Arc::new(LowClasses::new(&classes, around, suppressed))
        });
        Ok(Found {
            whole,
            assessment,
            floor_above: self.floor_above_anywhere(),
            classes: Some(classes),
            low_classes,
            is_low: true,
        })
    }

    fn look_at_high(
        &mut self,
        task: &Task<'_>,
        low: Option<&LowClasses>,
        meter: &Meter<'_>,
    ) -> Result<Found, Interruption> {
        let (mut whole, limit) = (task.whole.clone(), task.limit);
        let node = &task.whole.high;
        let is_start =
            |low: &LowClasses| *task.start.node() == whole.low && low.are_those_of(&task.start);
        self.trace = match low.is_some_and(is_start) {
            true => Trace::OfStart,
            false => Trace::Unknown,
        };
        let (scratch, classes) = (&mut self.scratch, &mut self.classes);
        let may_judge =
            |below: &&LowClasses| self.may_judge_by_size && below.are_those_of(&task.start);
        match task.below.as_deref().filter(may_judge) {
            Some(below) => {
                meter.spend(task.start.count_classes(node, scratch, classes))?;
                if let Some(found) = self.judge_by_size(task, low, below, meter)? {
                    return Ok(found);
                }
                let (scratch, classes) = (&mut self.scratch, &mut self.classes);
                meter.spend(task.start.count_columns(scratch, classes))?;
            }
            None => {
                let is_traced = self.trace == Trace::OfStart;
                let most = most_worth_counting(self.most_classes, &task.start);
                let counted = (task.start).count_at_most(most, node, is_traced, scratch, classes);
                meter.spend(counted.work)?;
                if counted.are_too_many {
                    return Ok(self.too_many_classes(whole, false));
                }
                self.assessor.presume_by_size(classes);
            }
        }
        // Where everything may be suppressed, what is lost below a single node rules out nothing.
        let looks_below = !self.may_lose_all || whole.low != whole.high;
        let assessment =
            (self.assessor).assess_presumed(node, &self.classes, limit, looks_below, meter)?;
        learn_from_high(self.problem, self.smallest_safe, &mut whole, &assessment);
        let is_left = whole.rows_lost <= self.problem.max_suppressed
            && limit.is_none_or(|limit| whole.floor <= limit);
        if let Some(low) = low
            && is_left
            && looks_below
        {
            self.learn_from_both(&mut whole, low, meter)?;
        }
        let (classes, from) = (self.classes.len(), task.start.classes().len());
        let is_small = classes <= SMALL_SET_CLASSES;
        let is_smaller = 100 * classes <= KEPT_PERCENT * from;
        let is_kept = match self.keeps_smaller {
            true => is_smaller,
            false => is_small || is_smaller && !self.classes_matter,
        };
        Ok(Found {
            whole,
            assessment,
            floor_above: self.floor_above_anywhere(),
            classes: is_kept.then(|| Arc::new(self.copy_of_classes())),
            low_classes: None,
            is_low: false,
        })
    }

    /// A copy of the classes counted last, to be kept.
    fn copy_of_classes(&self) -> FrequencySet {
        match &self.problem.table.room {
            Some(room) => room.copy(&self.classes),
            None => self.classes.clone(),
        }
    }

    /// What is known of a corner with so many classes that neither it nor any node below, which has no fewer, can be published.
    fn too_many_classes(&self, whole: LatticeBox, is_low: bool) -> Found {
        Found {
            whole,
            assessment: Assessment::of_ruled_out(self.problem),
            floor_above: Loss(0.0),
            classes: None,
            low_classes: None,
            is_low,
        }
    }

    /// Looks at a high corner whose classes are counted without histograms. None if these matter; then it is known which of its
    /// classes may be safe.
    ///
    /// A class is published only if it has as many rows as must be around each class `below` that is part of it. If the node costs
    /// more than the best so far even where all such classes are published, it is not the best. That is all there is to know if
    /// the box has no other node. If it has, histograms say how many rows are lost in all of them, and how many of each class
    /// can be kept; the box is left to be split without knowing it if the former would not raise its floor and the latter is not
    /// asked for, or if sizes alone show that no node of the box is better.
    fn judge_by_size(
        &mut self,
        task: &Task<'_>,
        low: Option<&LowClasses>,
        below: &LowClasses,
        meter: &Meter<'_>,
    ) -> Result<Option<Found>, Interruption> {
        let (classes, class_of) = (&self.classes, self.scratch.class_of());
        let metric = self.problem.metric;
        let around = below.fewest_around();
        let may_be_safe = (self.assessor).presume_from_below(classes, around, class_of);
        let floor = metric.floor_at(classes.sizes(), may_be_safe);
        let Some(limit) = task.limit.filter(|&limit| floor > limit) else {
            return Ok(None);
        };
        let mut whole = task.whole.clone();
        let sizes = classes.sizes().iter().zip(may_be_safe);
        let rows_suppressed = sizes.map(|(&size, &may)| if may { 0 } else { size }).sum();
        let rows_lost_below = self.assessor.keep_by_size(classes);
        let assessment = Assessment::of_hopeless(rows_suppressed, rows_lost_below);
        learn_from_high(self.problem, self.smallest_safe, &mut whole, &assessment);
        let is_enough = match low {
            _ if whole.low == whole.high => true,
            Some(low) => {
                self.learn_from_both(&mut whole, low, meter)?;
                whole.floor > limit
            }
            None => {
                // All of its nodes lose no more rows than one of them.
                let most_lost = Known {
                    rows_suppressed: whole.rows_lost.max(below.rows_suppressed()),
                    ..whole.known(self.smallest_safe)
                };
                metric.floor(&whole.low, most_lost) <= whole.floor
            }
        };
        Ok(is_enough.then(|| Found {
            whole,
            assessment,
            floor_above: self.floor_above_anywhere(),
            classes: None,
            low_classes: None,
            is_low: false,
        }))
    }

    /// A lower bound of the loss at and above the node counted last, wherever it is.
    fn floor_above_anywhere(&self) -> Loss {
        self.floor_above(Known {
            smallest_safe: self.smallest_safe,
            ..Known::NOTHING
        })
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

    /// What both corners say together, the high one being the node counted last, from the classes of the low one and what can be
    /// kept of those of the high one, as far as the assessor knows.
    fn learn_from_both(
        &mut self,
        whole: &mut LatticeBox,
        low: &LowClasses,
        meter: &Meter<'_>,
    ) -> Result<(), Interruption> {
        let Some(most_kept) = self.assessor.most_kept() else {
            return Ok(());
        };
        if self.trace == Trace::Unknown {
            let (table, corners) = (self.problem.table, (&whole.low, &whole.high));
            let memory = (&mut self.trace_scratch, &mut self.above_low);
            meter.spend(low.count_above(table, corners, &self.classes, memory))?;
            self.trace = Trace::OfLow;
        }
        let scratch = match self.trace {
            Trace::OfStart => &self.scratch,
            Trace::OfLow | Trace::Unknown => &self.trace_scratch,
        };
        let between = Between {
            sizes: low.sizes(),
            fewest_around: low.fewest_around(),
            class_of: scratch.class_of(),
            most_kept,
        };
        let metric = self.problem.metric;
        whole.rows_lost = whole.rows_lost.max(between.rows_lost());
        let known = whole.known(self.smallest_safe);
        let floor = metric.floor_between(&between, known);
        whole.floor = (whole.floor.max(floor)).max(metric.floor(&whole.low, known));
        meter.spend(Work::of(low.sizes().len()))
    }
}

/// With more classes than this, a node that is counted from a start is given up. Where no node with more than `most_classes` can be
/// published, larger ones are still worth counting if others are counted much faster from them.
fn most_worth_counting(most_classes: usize, start: &Start<'_>) -> usize {
    most_classes.max(start.classes().len() / FASTER_FROM)
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
    whole.split = None;
    let floor = problem.metric.floor(&whole.low, whole.known(smallest_safe));
    whole.floor = whole.floor.max(floor);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::testutil::random_table;
    use crate::counts::{Histograms, KnownSets};
    use crate::draw::Draw;
    use crate::lattice::Node;
    use crate::privacy::ModelSpec;
    use crate::utility::MetricSpec;

    #[test]
    fn what_sizes_say_of_a_box_is_true_of_every_node_in_it() {
        let draw = &mut Draw::new(21);
        // Boxes of a single node, with the classes of the low corner, without.
        let mut decided = [0; 3];
        for at in 0..24 {
            let table = random_table(3, draw);
            let model = ["beta-likeness(beta=1)", "entropy-l-diversity(l=3)"][at / 2 % 2];
            let model: ModelSpec = model.parse().unwrap();
            let models = model.build_all(&table.columns, &[0]).unwrap();
            let metric = ["average-class-size", "discernibility"][at % 2];
            let metric: MetricSpec = metric.parse().unwrap();
            let metric = metric.build(&table).unwrap();
            let problem = Problem::new(&table, &models, &*metric).allow_suppressed(table.rows);
            let mut known = KnownSets::new(&table, vec![0], 1 << 24);
            let mut assessor = Assessor::new(&problem);
            let nodes = table.lattice().walk();
            let judged: Vec<(&Node, Loss, u32)> = (nodes.iter())
                .map(|node| {
                    let (classes, _) = known.count_and_remember(node);
                    let assessment = assessor.assess(node, &classes, None);
                    (node, assessment.loss.unwrap(), assessment.rows_suppressed)
                })
                .collect();
            let best = judged.iter().map(|(_, loss, _)| *loss).min().unwrap();
            let alone = Arc::default();
            let new_worker = || Worker::new(&problem, false, &alone);
            let (mut worker, mut slow) = (new_worker(), new_worker());
            assert!(worker.may_judge_by_size);
            slow.may_judge_by_size = false;
            let meter = Meter::unlimited();
            let mut low_classes = |node: &Node| {
                let task = Task {
                    whole: LatticeBox::new(node.clone(), table.lattice().top().clone()),
                    corner: Corner::Low,
                    start: known.start_at(node).unwrap(),
                    below: None,
                    limit: None,
                };
                let found = slow.look(&task, &meter).unwrap();
                (task.start, found.low_classes)
            };
            let corners: Vec<_> = nodes.iter().map(&mut low_classes).collect();
            for _ in 0..300 {
                let high = draw.below(nodes.len());
                let below = |of: usize| nodes[of].is_at_or_below(&nodes[high]);
                let below: Vec<usize> = (0..nodes.len()).filter(|&of| below(of)).collect();
                let (low, start) = (
                    below[draw.below(below.len())],
                    below[draw.below(below.len())],
                );
                let low = [low, high][usize::from(draw.below(4) == 0)];
                let knows_low = draw.below(2) == 0;
                let task = Task {
                    whole: LatticeBox::new(nodes[low].clone(), nodes[high].clone()),
                    corner: Corner::High(corners[low].1.clone().filter(|_| knows_low)),
                    start: corners[start].0.clone(),
                    below: corners[start].1.clone(),
                    limit: Some(best),
                };
                let found = worker.look(&task, &meter).unwrap();
                let other = slow.look(&task, &meter).unwrap();
                for (node, loss, rows_suppressed) in &judged {
                    if node.is_at_or_below(&nodes[high]) {
                        assert!(found.assessment.rows_lost_below <= *rows_suppressed);
                        if nodes[low].is_at_or_below(node) {
                            let whole = &found.whole;
                            assert!(whole.floor <= *loss && whole.rows_lost <= *rows_suppressed);
                        }
                    }
                }
                let (_, loss, rows_suppressed) = judged[high];
                assert!(found.assessment.loss.is_none_or(|found| found == loss));
                assert!(found.assessment.loss.is_some() || loss > best);
                assert!(found.assessment.rows_suppressed <= rows_suppressed);
                assert!(found.assessment.is_safe(&problem));
                assert_eq!(found.floor_above, other.floor_above);
                let mut histograms = worker.classes.histograms.iter().flatten();
                if !histograms.all(Histograms::have_no_class) {
                    assert_eq!(found.assessment, other.assessment);
                    assert_eq!(found.whole, other.whole);
                } else if low == high {
                    decided[0] += 1;
                } else if knows_low {
                    decided[1] += 1;
                    assert!(found.whole.floor > best, "the box is left");
                } else {
                    decided[2] += 1;
                    // Values would not have said more.
                    assert!(other.whole.floor.0 <= found.whole.floor.0 * (1.0 + 1e-12));
                }
            }
        }
        assert!(decided.iter().all(|&boxes| boxes > 20), "{decided:?}");
    }

    #[test]
    fn a_corner_with_too_many_classes_is_given_up_and_others_are_not() {
        let draw = &mut Draw::new(2);
        let (mut given_up, mut counted) = (0, 0);
        for at in 0..20 {
            let table = random_table(3, draw);
            let models: ModelSpec = "k-anonymity(k=9)".parse().unwrap();
            let models = models.build_all(&table.columns, &[0]).unwrap();
            let metric: MetricSpec = ["discernibility", "loss"][at % 2].parse().unwrap();
            let metric = metric.build(&table).unwrap();
            let problem = Problem::new(&table, &models, &*metric).allow_suppressed(at as u32);
            let mut known = KnownSets::new(&table, vec![], 1 << 24);
            let mut worker = Worker::new(&problem, false, &Arc::default());
            let mut assessor = Assessor::new(&problem);
            let meter = Meter::unlimited();
            for node in table.lattice().walk().iter() {
                let mut classes = FrequencySet::default();
                let _ = known.count(node, &mut classes);
                let judged = assessor.assess(node, &classes, None);
                for corner in [Corner::Low, Corner::High(None)] {
                    let task = Task {
                        whole: LatticeBox::new(node.clone(), node.clone()),
                        corner,
                        start: known.start_for(node),
                        below: None,
                        limit: None,
                    };
                    let found = worker.look(&task, &meter).unwrap();
                    if classes.len() > problem.most_classes() {
                        assert_eq!(found.assessment, Assessment::of_ruled_out(&problem));
                        assert!(found.classes.is_none() && found.low_classes.is_none());
                        assert!(judged.rows_lost_below > problem.max_suppressed);
                        given_up += 1;
                    } else {
                        assert_eq!(found.assessment, judged);
                        counted += 1;
                    }
                }
            }
        }
        assert!(given_up > 100 && counted > 100, "{given_up}, {counted}");
    }
}
