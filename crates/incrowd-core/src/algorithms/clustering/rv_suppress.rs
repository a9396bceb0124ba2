//! Merges clusters for the greatest research value, and suppresses those that cost it more.

use super::{Clustering, Loss, entry};
use crate::Error;
use crate::algorithms::mondrian::refuse_overlapping_crowds;
use crate::algorithms::{Algorithm, AlgorithmEntry, DefaultBudget, Found};
use crate::problem::{Meter, Problem};

crate::documented! {
    /// Clusters for experts, and suppresses rows where a rule would be broken for their sake.
    ///
    /// Works like `rv-cluster`, but if a cluster and the best one to merge it with break a rule together that both of them
    /// keep, there are three ways: they are merged, or either of them is suppressed, if it is not safe and the rows that
    /// may be suppressed allow it. The way that loses least is taken. So few rows that are alone on their side of the
    /// rules go, as far as `max-suppressed` lets them; by default that is no more rows than a class must have. Without
    /// rules or without rows to suppress it does what `rv-cluster` does.
    ///
    /// # Paper
    /// S. M. Morton, An Improved Utility Driven Approach Towards k-Anonymity Using Data Constraint Rules, Ph.D. thesis, in it
    /// "An Improved Data Utility Clustering Methodology Using Data Constraint Rules".
    /// # Definition
    /// Losses are those of `rv-cluster`. Merged, both clusters lose what they lose together. If one is suppressed, its rows
    /// lose all their value, which is 1 for each, but break no rule; the other keeps what it has. If the other one is
    /// suppressed, the first one is still to be merged. Ties go to merging, then to suppressing the smaller cluster.
    ///
    /// If what is left of a table is not safe without the rows that were to be suppressed, they are merged with it after
    /// all.
    /// # Differs from the paper
    /// The paper blanks single attribute values of one cluster, while the other keeps its own, and counts both as one class. But
    /// readers see which rows have blanks: rows with `*` and rows with `40` are two classes, and the smaller one is no
    /// crowd. If blanks were put into both, the class would say less than the range of both, and nothing would be gained.
    /// So whole rows are blanked here, which the models allow for, within the rows that may be suppressed. The paper looks
    /// at three values of every pair; suppressing a cluster is worth the same whatever its partner, so the three are
    /// compared for the best partner only. Nothing is suppressed for the sake of detail: by the metric, a suppressed row
    /// spans the whole column, and on Adult that cost more than it saved at every k. For the rest see `rv-cluster`.
    /// # Guarantee
    /// None: greedy. The cluster to merge with is exactly the best one, as if all had been looked at. Rows are suppressed in the
    /// order in which their clusters come up, the smallest first, so early ones may use up what later ones need more. Once it
    /// is stopped, what is still unsafe is merged in the order of the values. It fails only if the highest acceptable levels
    /// fail.
    /// # What readers may learn
    /// As for `rv-cluster`. That a row was suppressed says that it was far from others.
    /// # Needs
    /// Rows that may be suppressed. Missing cells that match any value are refused together with models that do not survive
    /// merging.
    /// # Invariant
    /// Every tuple is in one cluster or suppressed, no more rows are suppressed than may be, and no cluster reaches beyond the
    /// highest acceptable levels.
    /// # Cost
    /// As for `rv-cluster`.
    /// # Use cases
    /// Research data with rules of experts that must hold even if a few unusual rows have to go.
    /// # Example
    /// With k = 2, the six patients `19 10th`, `19 9th`, `27 9th`, `30 9th`, `23 11th`, `23 11th` are published as `19
    /// Junior`, `19 Junior`, `[27-30] 9th`, `[27-30] 9th`, `23 11th`, `23 11th`. No rule was given and no row may be
    /// suppressed.
    /// # Alternatives
    /// `rv-cluster` keeps all rows.
    /// # Measured
    /// Adult, 30162 rows: `incrowd compare adult.csv -q
    /// age,workclass,race,occupation,education,marital-status,sex,native-country -k 5 --max-suppressed 0 --target
    /// salary-class --others drop --hierarchies hierarchies` gives ncp 0.1551, loss 0.1521 and 3722 classes, without
    /// rules and without rows to suppress, as `rv-cluster`.
    #[derive(Debug)]
    pub struct RvClusterSuppress;
}

static ENTRY: AlgorithmEntry = entry(
    "rv-cluster-suppress",
    RvClusterSuppress::CARD,
    DefaultBudget::SmallestClass,
);

impl Algorithm for RvClusterSuppress {
    fn entry(&self) -> &'static AlgorithmEntry {
        &ENTRY
    }

    fn default_metric(&self) -> &'static str {
        "research-value"
    }

    fn refuse(&self, problem: &Problem<'_>) -> Result<(), Error> {
        refuse_overlapping_crowds(problem, &ENTRY)
    }

    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error> {
        let clustering = Clustering {
            entry: &ENTRY,
            loss: Loss::Value,
            splits: true,
            suppresses: true,
        };
        clustering.search(problem, meter)
    }
}
