//! All levels halved together, then whatever is left.

use super::local::halve_together;
use super::{METRIC, PROVEN, entry, found, pre_pruned, stopped};
use crate::Error;
use crate::algorithms::{Algorithm, AlgorithmEntry, Found};
use crate::problem::{Guarantee, Interruption, Meter, Problem};

crate::documented! {
    /// `rv-local` first, for a good combination of levels after a few looks; then `rv-global` on what is left.
    ///
    /// What the first part finds safe or unsafe rules out much for the second, which finds the combination with the
    /// greatest research value and proves it.
    ///
    /// # Paper
    /// S. M. Morton, An Improved Utility Driven Approach Towards k-Anonymity Using Data Constraint Rules, Ph.D.
    /// thesis.
    /// # Differs from the paper
    /// As `rv-global` and `rv-local`.
    /// # Guarantee
    /// Optimal: the same value as `rv-global`. If a limit on time or work ends it: the best result so far and a proven lower
    /// bound of the loss.
    /// # Needs
    /// As `rv-global`.
    /// # Invariant
    /// As `rv-global`.
    /// # Cost
    /// As `rv-global`, and the few looks of `rv-local`, which may spare others.
    /// # Use cases
    /// As for `rv-global`, if the search may have to be stopped: it has a result early.
    /// # Example
    /// With k = 2, the six patients `19 10th`, `19 9th`, `27 9th`, `30 9th`, `23 11th`, `23 11th` are published as
    /// `[19,23] Junior`, `[19,23] Junior`, `[27,30] Junior`, `[27,30] Junior`, `[19,23] Senior`, `[19,23] Senior`. No
    /// rule was given; the columns have equal weights.
    /// # Alternatives
    /// `rv-global` without the first part; `rv-distributed` for many columns and threads.
    /// # Measured
    /// Adult, 30162 rows: `incrowd compare adult.csv -q
    /// age,workclass,race,occupation,education,marital-status,sex,native-country -k 5 --max-suppressed 0 --target
    /// salary-class --others drop --hierarchies hierarchies` gives ncp 0.5934, loss 0.5142 and 60 classes after 110
    /// combinations, without rules.
    #[derive(Debug)]
    pub struct RvHybrid;
}

static ENTRY: AlgorithmEntry = entry("rv-hybrid", RvHybrid::CARD, PROVEN);

impl Algorithm for RvHybrid {
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
        match halve_together(problem, &mut search) {
            Err(Interruption::Cancelled) => Err(Error::Cancelled),
            // What was met in time is all there is; nothing is proven.
            Err(_) => found(search, Guarantee::Heuristic),
            Ok(_) => {
                let guarantee = search.run_to_guarantee()?;
                found(search, guarantee)
            }
        }
    }
}
