//! Merges clusters for the least sum of ranges.

use super::{Clustering, Loss, entry};
use crate::Error;
use crate::algorithms::mondrian::refuse_overlapping_crowds;
use crate::algorithms::{Algorithm, AlgorithmEntry, DefaultBudget, Found};
use crate::problem::{Meter, Problem};

crate::documented! {
    /// Clusters by plain distance: merges the smallest unsafe class with the one that gives the least sum of ranges.
    ///
    /// Works like `ncp-cluster`, but what a merge loses is the sum of the ranges of the merged cluster in the units of
    /// each column, however many rows there are, and nothing is split in the end. Columns with large numbers count more.
    /// `disjoint` is as for `ncp-cluster`. Mainly for comparison; `ncp-cluster` and `finest` publish narrower values.
    ///
    /// # Paper
    /// The clustering by Euclidean distance that "An Improved Data Utility Clustering Methodology Using Data Constraint
    /// Rules" compares with: it adds up the ranges of all attributes.
    /// # Definition
    /// As for `ncp-cluster`, except for what is lost: of numbers, greatest less least; of text, one for every value but
    /// one in the published group or set; numbers mixed with cells that are none lose the range of the column. Rounded to one
    /// part in 16777216 of the widest column.
    /// # Differs from the paper
    /// Takes text, which the paper leaves out. The smallest cluster is merged first; the paper does not say which. Works for
    /// every model. If levels are limited, every group of the highest acceptable levels is a table of its own.
    /// # Guarantee
    /// None: greedy. The cluster to merge with is exactly the best one, as if all had been looked at. Once it is stopped, what
    /// is still unsafe is merged in the order of the values, which takes no time but loses more. It fails only if the
    /// highest acceptable levels fail.
    /// # What readers may learn
    /// The boxes of different classes overlap, so equal raw values may be published differently, and someone who
    /// knows a person's values may find them in several boxes. That person is then in one of several classes, each of
    /// which satisfies all models.
    /// # Needs
    /// Nothing. Missing cells that match any value are refused together with models that do not survive merging.
    /// # Invariant
    /// Every tuple is in one cluster, and no cluster reaches beyond the highest acceptable levels.
    /// # Cost
    /// One search for each merge, and about as many merges as distinct tuples. A search passes over blocks of clusters that
    /// cannot hold the best one; how many depends on the data, fewer in many columns. Searches for the next few merges run
    /// in several threads. Memory grows with the distinct tuples and the quasi-identifiers.
    /// # Use cases
    /// Comparisons with the literature; tables whose columns have the same unit.
    /// # Example
    /// With k = 2, the six patients `19 10th`, `19 9th`, `27 9th`, `30 9th`, `23 11th`, `23 11th` are published as `19
    /// Junior`, `19 Junior`, `[27-30] 9th`, `[27-30] 9th`, `23 11th`, `23 11th`.
    /// # Alternatives
    /// `ncp-cluster` and `finest` treat columns of different units alike.
    /// # Measured
    /// Adult, 30162 rows: `incrowd compare adult.csv -q
    /// age,workclass,race,occupation,education,marital-status,sex,native-country -k 5 --max-suppressed 0 --target
    /// salary-class --others drop --hierarchies hierarchies` gives ncp 0.1952, loss 0.1777 and 3514 classes.
    #[derive(Debug)]
    pub struct EuclideanCluster;
}

static ENTRY: AlgorithmEntry = entry(
    "euclidean-cluster",
    EuclideanCluster::CARD,
    DefaultBudget::NoRows,
);

impl Algorithm for EuclideanCluster {
    fn entry(&self) -> &'static AlgorithmEntry {
        &ENTRY
    }

    fn default_metric(&self) -> &'static str {
        "ncp"
    }

    fn refuse(&self, problem: &Problem<'_>) -> Result<(), Error> {
        refuse_overlapping_crowds(problem, &ENTRY)
    }

    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error> {
        let clustering = Clustering {
            entry: &ENTRY,
            loss: Loss::Range,
            splits: false,
            suppresses: false,
        };
        clustering.search(problem, meter)
    }
}
