//! Few columns at a time, then all together.

use super::{METRIC, PROVEN, entry, found, pre_pruned, stopped};
use crate::Error;
use crate::algorithms::boxes::{Findings, Search};
use crate::algorithms::{Algorithm, AlgorithmEntry, Found};
use crate::counts::Work;
use crate::lattice::{Level, Node};
use crate::problem::{Guarantee, Interruption, Meter, Problem, Told};

crate::documented! {
    /// Splits the columns into small sets, finds out which combinations of levels each set rules out, then searches the rest.
    ///
    /// First, each column by itself rules out its lowest levels, as for `rv-global`. Then, for each set of columns and in
    /// threads, all combinations of its levels are judged with every other column at its highest acceptable level: those that
    /// fail there fail in every combination. Counting a few columns is cheap. Finally, the combinations that no set
    /// rules out are searched as by `rv-global`.
    ///
    /// # Paper
    /// S. M. Morton, An Improved Utility Driven Approach Towards k-Anonymity Using Data Constraint Rules, Ph.D.
    /// thesis.
    /// # Differs from the paper
    /// The paper combines only strings that were met safe in each subset, one after the other. Here, what the subsets rule out
    /// is left out of the exact search, so that the result is proven.
    /// # Guarantee
    /// Optimal: the same value as `rv-global`. If a limit on time or work ends it: the best result so far and a proven lower
    /// bound of the loss.
    /// # Needs
    /// As `rv-global`. Without `problem.pruning_is_sound()`, the sets rule out little.
    /// # Invariant
    /// A combination that a set rules out is unsafe, and so is every one that contains it or one below it.
    /// # Cost
    /// At most 256 roll-ups of few columns for each set; then at most one for each combination that is left. Sets are judged in
    /// threads; neither the result nor the work depends on their number.
    /// # Use cases
    /// As for `rv-global`, if there are many columns and several processors.
    /// # Example
    /// With k = 2, the six patients `19 10th`, `19 9th`, `27 9th`, `30 9th`, `23 11th`, `23 11th` are published as
    /// `[19,23] Junior`, `[19,23] Junior`, `[27,30] Junior`, `[27,30] Junior`, `[19,23] Senior`, `[19,23] Senior`. No
    /// rule was given; the columns have equal weights.
    /// # Alternatives
    /// `rv-global` and `rv-hybrid` for few columns.
    /// # Measured
    /// Adult, 30162 rows: `incrowd compare adult.csv -q
    /// age,workclass,race,occupation,education,marital-status,sex,native-country -k 5 --max-suppressed 0 --target
    /// salary-class --others drop --hierarchies hierarchies` gives ncp 0.5934, loss 0.5142 and 60 classes after 130
    /// combinations, without rules.
    #[derive(Debug)]
    pub struct RvDistributed;
}

static ENTRY: AlgorithmEntry = entry("rv-distributed", RvDistributed::CARD, PROVEN);

impl Algorithm for RvDistributed {
    fn entry(&self) -> &'static AlgorithmEntry {
        &ENTRY
    }

    fn default_metric(&self) -> &'static str {
        METRIC
    }

    fn drops_columns(&self) -> bool {
        true
    }

    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error> {
        let mut search = pre_pruned(problem, meter).map_err(|why| stopped(meter, why))?;
        let sets = match judge_sets(problem, &mut search, meter) {
            Ok(sets) => sets,
            Err(Interruption::Cancelled) => return Err(Error::Cancelled),
            // What was met in time is all there is; nothing is proven.
            Err(_) => return found(search, Guarantee::Heuristic),
        };
        search.pass_over(move |node| sets.iter().any(|set| set.rules_out(node)));
        let guarantee = search.run_to_guarantee()?;
        found(search, guarantee)
    }
}

/// The most combinations of levels that a set of columns has.
const MOST_OF_SET: usize = 256;

/// A set whose judging takes more work leaves the rest of its combinations to the search over all columns.
const MOST_WORK_OF_SET: u64 = 100_000_000;

/// Some attributes, and which combinations of their levels are ruled out.
struct ColumnSet {
    columns: Vec<SetColumn>,
    /// The first attribute counts most.
    is_ruled_out: Vec<bool>,
}

/// An attribute of a set and the levels it has left.
struct SetColumn {
    attribute: usize,
    lowest: Level,
    levels: usize,
}

impl ColumnSet {
    /// The number of a node's combination of levels, if all are among those left.
    fn combination(&self, node: &Node) -> Option<usize> {
        self.columns.iter().try_fold(0, |combination, column| {
            let level = node.level(column.attribute);
            let step = level.0.checked_sub(column.lowest.0)?;
            Some(combination * column.levels + usize::from(step))
        })
    }

    fn rules_out(&self, node: &Node) -> bool {
        // Below the levels that are left, a column rules itself out.
        self.combination(node)
            .is_none_or(|combination| self.is_ruled_out[combination])
    }

    /// A combination with all other attributes at their highest acceptable level.
    fn node(&self, mut combination: usize, highest: &Node) -> Node {
        let mut node = highest.clone();
        for column in self.columns.iter().rev() {
            let step = (combination % column.levels) as u8;
            node = node.with(column.attribute, Level(column.lowest.0 + step));
            combination /= column.levels;
        }
        node
    }

    /// Judges every combination, from the highest down; those below one that is ruled out need no count.
    fn judge<'a>(&mut self, problem: &'a Problem<'a>, meter: &'a Meter<'a>) -> Findings {
        let mut search = super::searching(problem, meter);
        let highest = &problem.max_levels;
        for combination in (0..self.is_ruled_out.len()).rev() {
            let node = self.node(combination, highest);
            let mut above = (self.columns.iter())
                .map(|column| column.attribute)
                .filter(|&it| node.level(it) < highest.level(it))
                .map(|it| node.with(it, node.level(it).above()));
            if above.any(|above| self.rules_out(&above)) {
                self.is_ruled_out[combination] = true;
                continue;
            }
            match search.rules_out_below(&node) {
                Ok(is_ruled_out) => self.is_ruled_out[combination] = is_ruled_out,
                Err(_) => break,
            }
        }
        search.into_findings()
    }
}

/// What became of a set.
struct JudgedSet {
    findings: Findings,
    work: u64,
    /// Why the whole search was stopped meanwhile, if it was.
    stopped: Option<Interruption>,
}

/// Puts attributes next to each other into sets, and finds out what each set rules out.
fn judge_sets<'a>(
    problem: &Problem<'_>,
    search: &mut Search<'a>,
    meter: &Meter<'_>,
) -> Result<Vec<ColumnSet>, Interruption> {
    let mut sets = column_sets(&problem.max_levels, search.lowest());
    let threads = problem.settings.threads.clamp(1, sets.len().max(1));
    let share = sets.len().div_ceil(threads).max(1);
    let told = Told::of(meter.spent());
    let meter_of_set = meter.for_thread(sets.len(), MOST_WORK_OF_SET, &told);
    let judge_all = |sets: &mut [ColumnSet]| -> Vec<JudgedSet> {
        let mut judged = Vec::new();
        for set in sets {
            let meter = meter_of_set.begin();
            let findings = set.judge(problem, &meter);
            // A set that takes too much work stops nobody else.
            let stopped = meter.stopped().filter(|why| *why != Interruption::WorkDone);
            judged.push(JudgedSet {
                findings,
                work: meter.spent(),
                stopped,
            });
            if stopped.is_some() {
                break;
            }
        }
        judged
    };
    let judged: Vec<JudgedSet> = std::thread::scope(|scope| {
        let mut shares = sets.chunks_mut(share);
        let own = shares.next();
        let others: Vec<_> = shares
            .map(|it| scope.spawn(move || judge_all(it)))
            .collect();
        let mut judged = own.map_or(Vec::new(), judge_all);
        for other in others {
            judged.extend(other.join().expect("nothing panics here"));
        }
        judged
    });
    let work: u64 = judged.iter().map(|set| set.work + 1).sum();
    let stopped = judged.iter().find_map(|set| set.stopped);
    for set in judged {
        search.absorb(set.findings);
    }
    if let Some(why) = stopped {
        return Err(meter.stop(why));
    }
    meter.spend(Work(work))?;
    Ok(sets)
}

fn column_sets(highest: &Node, lowest: &Node) -> Vec<ColumnSet> {
    let mut sets: Vec<ColumnSet> = Vec::new();
    let levels = highest.levels().zip(lowest.levels()).enumerate();
    for (attribute, (highest, lowest)) in levels {
        let column = SetColumn {
            attribute,
            lowest,
            levels: usize::from(highest.steps_above(lowest)) + 1,
        };
        match sets.last_mut() {
            Some(set) if set.is_ruled_out.len() * column.levels <= MOST_OF_SET => {
                let combinations = set.is_ruled_out.len() * column.levels;
                set.is_ruled_out.resize(combinations, false);
                set.columns.push(column);
            }
            _ => sets.push(ColumnSet {
                is_ruled_out: vec![false; column.levels],
                columns: vec![column],
            }),
        }
    }
    sets
}
