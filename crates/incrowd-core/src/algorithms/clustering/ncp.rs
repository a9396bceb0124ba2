//! Merges clusters for the least normalized certainty penalty.

use super::{Clustering, Loss, entry};
use crate::Error;
use crate::algorithms::mondrian::refuse_overlapping_crowds;
use crate::algorithms::{Algorithm, AlgorithmEntry, DefaultBudget, Found};
use crate::problem::{Meter, Problem};

crate::documented! {
    /// Clusters instead of cuts: merges the smallest unsafe class with the one that loses least, until all are safe.
    ///
    /// To begin with, every distinct combination of values is a cluster. While a cluster does not satisfy all privacy models,
    /// the one of those with the fewest rows is merged with the cluster for which the normalized certainty penalty of
    /// both together is least. In the end, clusters that grew to twice the rows they need are split where that loses less.
    /// It publishes what `mondrian` does: numbers as `[low-high]`, text as the lowest group that contains all of it, or
    /// as a set.
    ///
    /// With `disjoint`, values of a column that share a cluster share a block, and blocks are split again while every class
    /// stays safe: numbers in two, groups into those below, single values off a set; first what divides the
    /// clusters of the fewest rows. A value is then published in one way only, which loses much more.
    ///
    /// # Paper
    /// J. Xu et al., Utility-Based Anonymization Using Local Recoding, KDD 2006, in the form that "An Improved Data Utility
    /// Clustering Methodology Using Data Constraint Rules" compares with.
    /// # Definition
    /// The penalty of a cluster is its rows times the sum, over all columns, of the share it spans: of numbers, the
    /// distance between least and greatest, out of that in the whole table; of text, the values in the published group or
    /// set, out of all, and nothing for a single value. Numbers mixed with cells that are none span everything. Text without
    /// levels and with more than 64 values spans what lies between its first and its last value. Places and shares are
    /// rounded to one part in 16777216. Clusters are numbered in the order of their values as the hierarchies list them;
    /// a merged cluster keeps the number of the one that was chosen. Ties go to the lower number: among clusters with
    /// the fewest rows, and among those that lose least.
    ///
    /// To split a cluster, its tuple farthest from its first one is found, and the one farthest from that. All are sorted by
    /// how much nearer they are to the one than to the other, and cut where both sides are safe and lose least, and
    /// less than before; only the 32 cuts that lose least are tried. The parts are split in turn.
    /// # Differs from the paper
    /// Equal tuples begin as one cluster. Always the smallest cluster is merged, instead of all in rounds, and clusters are
    /// split once, in the end. Works for every model. Text need not have levels. If levels are limited, every group of the
    /// highest acceptable levels is a table of its own.
    /// # Guarantee
    /// None: greedy. The cluster to merge with is exactly the best one, as if all had been looked at. Once it is stopped, what
    /// is still unsafe is merged in the order of the values, which takes no time but loses more. It fails only if the
    /// highest acceptable levels fail.
    /// # What readers may learn
    /// The boxes of different classes overlap, so equal raw values may be published differently, and someone who
    /// knows a person's values may find them in several boxes. That person is then in one of several classes, each of
    /// which satisfies all models. Someone who knows this algorithm and all raw values but one may find that a row in
    /// another class would have cost less, as with every algorithm that minimizes a loss.
    /// # Needs
    /// Nothing. Missing cells that match any value are refused together with models that do not survive merging.
    /// # Invariant
    /// Every tuple is in one cluster, and no cluster reaches beyond the highest acceptable levels.
    /// # Cost
    /// One search for each merge, and about as many merges as distinct tuples. A search passes over blocks of clusters that
    /// cannot hold the best one; how many depends on the data, fewer in many columns. Searches for the next few merges run
    /// in several threads. Memory grows with the distinct tuples and the quasi-identifiers.
    /// # Use cases
    /// Analyses that need narrow values, if clusters suit the data better than cuts; with `disjoint`, tables whose
    /// values may be published in one way only.
    /// # Example
    /// With k = 2, the six patients `19 10th`, `19 9th`, `27 9th`, `30 9th`, `23 11th`, `23 11th` are published as `19
    /// Junior`, `19 Junior`, `[27-30] 9th`, `[27-30] 9th`, `23 11th`, `23 11th`.
    /// # Alternatives
    /// `finest` publishes narrower values and takes longer. `mondrian` in a fraction of the time, without overlap.
    /// # Measured
    /// Adult, 30162 rows: `incrowd compare adult.csv -q
    /// age,workclass,race,occupation,education,marital-status,sex,native-country -k 5 --max-suppressed 0 --target
    /// salary-class --others drop --hierarchies hierarchies` gives ncp 0.0791, loss 0.0736 and 3875 classes.
    #[derive(Debug)]
    pub struct NcpCluster;
}

static ENTRY: AlgorithmEntry = entry("ncp-cluster", NcpCluster::CARD, DefaultBudget::NoRows);

impl Algorithm for NcpCluster {
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
            loss: Loss::Certainty,
            splits: true,
            suppresses: false,
        };
        clustering.search(problem, meter)
    }
}
