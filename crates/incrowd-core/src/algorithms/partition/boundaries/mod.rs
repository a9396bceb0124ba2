//! Branch and bound over single boundaries, for schemes that join neighbors.
//!
//! A node decides about some boundaries, its two children about one more: kept or gone. [`look`] says what follows from
//! what is decided, most of all: a boundary that would leave too small a class is gone, one that would cost too much to
//! remove is kept, and each of these decisions leads to others. That is what makes more than four columns possible, where
//! enumerating the partitions of one column after the other does not get far.
//!
//! What costs too much depends on the best known result, and to prove that nothing is much better takes far less than to
//! prove that nothing is better at all. So the search goes through the space several times, each time with a higher
//! limit, and proves the limit each time it comes to an end. A search that takes long also looks among the partitions
//! that the hierarchies guide to, even where any neighbors may be joined: these are far fewer, and there are good ones
//! among them.

mod decisions;
mod look;
#[cfg(test)]
mod tests;

use super::ground::{Ground, Solution, below};
use super::improve;
use super::scheme::Space;
use super::search::{Answer, Counts, Stop, seed};
use crate::Error;
use crate::counts::Work;
use crate::draw::Draw;
use crate::problem::{Interruption, Progress, Told};
use crate::utility::Loss;
use decisions::{Boundaries, Decisions};
pub(super) use look::Board;
use look::{Grid, Looked, Node};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering as MemoryOrdering};

/// Nodes that are expanded with the same limit, and so may be by several threads. A pass expands all nodes below its limit
/// anyway, so few of them are expanded in vain.
const BATCH: usize = 64;

/// More boundaries than this take too long to decide one by one.
const MOST_BOUNDARIES: usize = 2000;

/// The shares of the best cost to prove, one after the other.
const SHARES: [f64; 7] = [0.5, 0.7, 0.81, 0.87, 0.93, 0.97, 1.0];

/// Nodes after which a search for a proof starts with smaller shares.
const NODES_BEFORE_SHARES: u64 = 64;

/// The part of all work, as one of so many, that is spent on looking for better results.
const IMPROVING: u64 = 5;

/// A search that takes longer than this also looks among guided partitions, for about as long again. If that was not enough, it
/// does so again each time it has taken twice as long.
const WORK_BEFORE_GUIDED: u64 = 100_000_000;

/// The table as this search sees it; none if it cannot search it.
pub(super) fn board(ground: &Ground<'_>) -> Option<Board> {
    if ground.cost.reads_values() || !ground.judge.is_by_size() {
        return None;
    }
    let boundaries = boundaries_of(&ground.spaces)?;
    let finest = &ground.finest;
    let attributes = ground.attributes();
    let classes = (0..finest.len()).map(|class| {
        let places = (0..attributes).map(|attribute| finest.place(class, attribute));
        (finest.sizes[class], places.collect())
    });
    let rows = ground.cost.rows;
    let terms = (ground.judge.smallest, rows, ground.max_suppressed());
    Board::new(boundaries, attributes, classes, terms)
}

fn boundaries_of(spaces: &[Space]) -> Option<Boundaries> {
    Boundaries::new(spaces).filter(|boundaries| boundaries.len() <= MOST_BOUNDARIES)
}

/// Searches all partitions.
pub(super) fn search(ground: &Ground<'_>, board: &Board) -> Result<Answer, Error> {
    let mut search = Search::new(ground, board);
    let outcome = search.run();
    let is_complete = outcome.is_ok();
    match outcome {
        Err(Stop::Failed(error)) => return Err(error),
        Err(Stop::Interrupted(Interruption::Cancelled)) => return Err(Error::Cancelled),
        Ok(()) | Err(Stop::Interrupted(_)) => {}
    }
    let cost = search.best.as_ref().map_or(f64::INFINITY, |best| best.cost);
    Ok(Answer {
        lower_bound: match is_complete {
            true => cost,
            false => (search.proven as f64).min(cost),
        },
        best: search.best,
        seed: search.seed,
        is_complete,
        counts: search.counts,
    })
}

struct Search<'a, 'g> {
    ground: &'a Ground<'g>,
    board: &'a Board,
    best: Option<Solution>,
    /// The cost of the start to beat.
    seed: Option<f64>,
    /// Nothing costs less.
    proven: u64,
    counts: Counts,
    /// Work spent on looking for better results.
    work_beside: u64,
    draw: Draw,
    /// One for each thread, the calling one first.
    grids: Vec<Grid>,
    /// So many nodes may wait in the queue.
    most_queued: usize,
    /// Work after which it looks among guided partitions; none if it does not, or not any more.
    guided_after: Option<u64>,
    /// While it looks among guided partitions: what is proven of all.
    proven_of_all: Option<u64>,
}

/// A node in the queue.
struct Waiting {
    node: Node,
    number: u64,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

/// The greatest is expanded next: the one with the lowest bound, then the latest.
impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |it: &Self| (Reverse(it.node.bound), it.number);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The place of a node in its batch, the work it took, and what was found below it.
type Expanded = (usize, u64, Result<Vec<Looked>, Interruption>);

/// How a pass through the space ended.
enum Pass {
    /// Nothing costs less than the limit but what was found.
    Proven,
    /// It was not to go on.
    TooLong,
}

impl<'a, 'g> Search<'a, 'g> {
    fn new(ground: &'a Ground<'g>, board: &'a Board) -> Self {
        let bytes = board.boundaries.len() + size_of::<Waiting>() + 64;
        Search {
            ground,
            board,
            best: None,
            seed: None,
            proven: 0,
            counts: Counts::default(),
            work_beside: 0,
            draw: Draw::new(ground.problem.settings.seed),
            grids: vec![Grid::default()],
            most_queued: ground.problem.memory_limit / 2 / bytes,
            guided_after: Some(ground.meter.spent().saturating_add(WORK_BEFORE_GUIDED)),
            proven_of_all: None,
        }
    }

    fn run(&mut self) -> Result<(), Stop> {
        // First the bound of everything, then a start, so that there is something to compare the start with.
        let root = self.look_at_root(u64::MAX)?;
        self.raise(root.node.as_ref().map_or(u64::MAX, |node| node.bound));
        self.take(root.solution, true)?;
        let seed = seed(self.ground).map_err(Stop::Failed)?;
        if let Some(seed) = seed.filter(|seed| seed.cost.is_finite()) {
            self.seed = Some(seed.cost);
            self.keep_better(seed);
        }
        if root.node.is_none() {
            return Ok(());
        }
        let is_short = |search: &Self| search.counts.nodes_visited < NODES_BEFORE_SHARES;
        if let Pass::Proven = self.pass(1.0, is_short)? {
            return Ok(());
        }
        for share in SHARES {
            // What the last pass has proven need not be proven again.
            if self.proven >= self.limit(share) && share < 1.0 {
                continue;
            }
            self.pass(share, |_| true)?;
        }
        Ok(())
    }

    /// Looks for a better result among the partitions that the hierarchies guide to, if these are not all, with about so much work,
    /// while so many nodes of all wait.
    fn look_among_guided(&mut self, most: u64, waiting: usize) -> Result<(), Stop> {
        let ground = self.ground;
        self.guided_after = None;
        let spaces = ground.guided_spaces();
        let Some(boundaries) = spaces.and_then(|spaces| boundaries_of(&spaces)) else {
            return Ok(());
        };
        let board = self.board.with(boundaries);
        let end = ground.meter.spent().saturating_add(most);
        let mut guided = Search {
            best: self.best.take(),
            counts: self.counts,
            work_beside: self.work_beside,
            draw: self.draw.clone(),
            grids: std::mem::take(&mut self.grids),
            most_queued: self.most_queued.saturating_sub(waiting),
            guided_after: None,
            proven_of_all: Some(self.proven),
            ..Search::new(ground, &board)
        };
        let ended = guided.pass(1.0, |_| ground.meter.spent() < end);
        self.best = guided.best;
        self.counts = guided.counts;
        self.work_beside = guided.work_beside;
        self.draw = guided.draw;
        self.grids = guided.grids;
        if let Pass::TooLong = ended? {
            self.guided_after = Some(ground.meter.spent().saturating_mul(2));
        }
        Ok(())
    }

    /// Looks at everything.
    fn look_at_root(&mut self, limit: u64) -> Result<Looked, Interruption> {
        let (board, meter) = (self.board, self.ground.meter);
        let grid = &mut self.grids[0];
        let first = board.boundaries.first().clone();
        let fine = board.fine(&first, grid);
        board.look(first, &fine, limit, (grid, meter))
    }

    /// What costs at least this need not be found.
    fn limit(&self, share: f64) -> u64 {
        match &self.best {
            // Costs are whole numbers, up to the rounding of very large ones.
            Some(best) => (share * below(best.cost)).ceil() as u64,
            None => u64::MAX,
        }
    }

    /// Goes through the whole space, but for what costs more than a share of the best, as long as it may go on.
    fn pass(&mut self, share: f64, may_go_on: impl Fn(&Self) -> bool) -> Result<Pass, Stop> {
        let ground = self.ground;
        let mut limit = self.limit(share);
        let root = self.look_at_root(limit)?;
        let mut queue = BinaryHeap::new();
        let mut stack = Vec::new();
        let mut number = 0;
        self.take(root.solution, false)?;
        queue.extend(root.node.map(|node| Waiting { node, number }));
        loop {
            limit = limit.min(self.limit(share));
            let mut batch: Vec<Node> = Vec::new();
            while batch.len() < BATCH
                && let Some(node) =
                    (stack.pop()).or_else(|| queue.pop().map(|waiting: Waiting| waiting.node))
            {
                match node.bound < limit {
                    true => batch.push(node),
                    false => self.counts.dropped_late += 1,
                }
            }
            // While nodes are on the stack, the lowest bound may be anywhere.
            let lowest = batch.iter().chain(&stack).map(|node| node.bound);
            let lowest = lowest.chain(queue.peek().map(|waiting| waiting.node.bound));
            self.raise(lowest.min().unwrap_or(u64::MAX).min(limit));
            if batch.is_empty() {
                return Ok(Pass::Proven);
            }
            if !may_go_on(self) {
                return Ok(Pass::TooLong);
            }
            let spent = ground.meter.spent();
            if self.guided_after.is_some_and(|after| spent >= after) {
                self.look_among_guided(spent, queue.len() + stack.len())?;
            }
            self.note();
            for looked in self.expand(batch, limit)? {
                self.take(looked.solution, false)?;
                if let Some((decisions, cost)) = looked.coarse {
                    self.take_coarse(&decisions, cost)?;
                }
                let Some(node) = looked.node else {
                    self.counts.dropped_by_cost += 1;
                    continue;
                };
                number += 1;
                match queue.len() < self.most_queued {
                    true => queue.push(Waiting { node, number }),
                    // The latest first, so that hardly more are waiting at any time.
                    false => stack.push(node),
                }
            }
        }
    }

    /// Both children of every node, in their order. The calling thread first [looks for a better result](Self::improve),
    /// if that is due: it changes no limit before all nodes are expanded.
    fn expand(&mut self, batch: Vec<Node>, limit: u64) -> Result<Vec<Looked>, Interruption> {
        let (board, meter) = (self.board, self.ground.meter);
        self.counts.nodes_visited += batch.len() as u64;
        let threads = self.ground.problem.settings.threads.clamp(1, batch.len());
        let mut grids = std::mem::take(&mut self.grids);
        grids.resize_with(threads.max(grids.len()), Grid::default);
        let told = Told::of(meter.spent());
        let meter_of_node = meter.for_thread(batch.len(), u64::MAX, &told);
        let next = AtomicUsize::new(0);
        let expand = |grid: &mut Grid| -> Vec<Expanded> {
            let mut expanded = Vec::new();
            loop {
                let at = next.fetch_add(1, MemoryOrdering::Relaxed);
                let Some(node) = batch.get(at) else {
                    return expanded;
                };
                let meter = meter_of_node.begin();
                let children = board.children(node, limit, (grid, &meter));
                expanded.push((at, meter.spent(), children));
            }
        };
        let (own, others) = grids.split_at_mut(1);
        let (improved, mut expanded) = std::thread::scope(|scope| {
            let others = others.iter_mut().take(threads - 1);
            let others: Vec<_> = others.map(|grid| scope.spawn(|| expand(grid))).collect();
            let improved = self.improve().inspect_err(|why| told.stop(*why));
            let mut expanded = expand(&mut own[0]);
            for other in others {
                match other.join() {
                    Ok(of_other) => expanded.extend(of_other),
                    Err(panic) => resume_unwind(panic),
                }
            }
            (improved, expanded)
        });
        self.grids = grids;
        improved?;
        expanded.sort_unstable_by_key(|&(at, ..)| at);
        let mut found = Vec::new();
        let mut work = 0;
        for (_, spent, children) in expanded {
            work += spent;
            found.extend(children.map_err(|why| meter.stop(why))?);
        }
        meter.spend(Work(work))?;
        Ok(found)
    }

    /// Looks for a better result near the best with a part of all work: the better it is, the more costs too much.
    fn improve(&mut self) -> Result<(), Interruption> {
        let meter = self.ground.meter;
        let before = meter.spent();
        let Some(best) = self.best.clone() else {
            return Ok(());
        };
        if self.work_beside * IMPROVING > before {
            return Ok(());
        }
        let mut found = improve::shaken(self.ground, &best, &mut self.draw)?;
        let done = improve::descend(self.ground, &mut found, |_| ());
        self.keep_better(found);
        self.work_beside += meter.spent() - before;
        done
    }

    /// Nothing costs less than this.
    fn raise(&mut self, bound: u64) {
        self.proven = self.proven.max(bound);
    }

    fn note(&self) {
        self.ground.meter.note(Progress {
            nodes_checked: self.counts.nodes_visited,
            best: self.best.as_ref().map(|best| Loss(best.cost)),
            lower_bound: Some(Loss(self.proven_of_all.unwrap_or(self.proven) as f64)),
            ..Progress::default()
        });
    }

    fn keep_better(&mut self, found: Solution) -> bool {
        let is_better = found.cost.is_finite() && found.is_better_than(self.best.as_ref());
        if is_better {
            self.best = Some(found);
        }
        is_better
    }

    /// The fine corner of decisions, if it is better than the best.
    fn take(
        &mut self,
        found: Option<(Decisions, u64)>,
        is_first: bool,
    ) -> Result<(), Interruption> {
        let Some((decisions, cost)) = found else {
            return Ok(());
        };
        if is_first || cost < self.limit(1.0) {
            let partitions = self.board.boundaries.partitions(&decisions, true);
            let found = self.ground.evaluate(partitions)?;
            self.keep_better(found);
        }
        Ok(())
    }

    /// The coarse corner of decisions, improved one attribute at a time, if it is better than the best.
    fn take_coarse(&mut self, decisions: &Decisions, cost: u64) -> Result<(), Interruption> {
        if cost >= self.limit(1.0) {
            return Ok(());
        }
        let partitions = self.board.boundaries.partitions(decisions, false);
        let mut found = self.ground.evaluate(partitions)?;
        let done = improve::descend(self.ground, &mut found, |_| ());
        self.keep_better(found);
        done
    }
}
