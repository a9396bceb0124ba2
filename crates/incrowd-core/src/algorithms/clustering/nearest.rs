//! Finds the cluster that loses least when merged with another, exactly as if all had been looked at.
//!
//! Where losses grow with distance, most blocks of clusters are too far away (`tree.rs`). What experts lose does not grow
//! like that: with several columns, looking at all of them quickly is faster (`tiles.rs`).

use super::axes::{Axes, Loss};
use super::seen::{Nearest, Seen};
use super::side::Side;
use super::tiles::Tiles;
use super::tree::Tree;

/// With fewer columns, blocks of clusters tell enough whatever is lost.
const FEWEST_FOR_TILES: usize = 5;

/// The clusters, in a way that finds the nearest one soon.
#[derive(Debug)]
pub(super) enum Index<'a> {
    Tree(Tree<'a>),
    Tiles(Tiles<'a>),
}

impl<'a> Index<'a> {
    /// An index without clusters, whose numbers will be below `numbers`.
    pub(super) fn new(axes: &'a Axes<'a>, numbers: usize) -> Self {
        match axes.loss == Loss::Value && axes.dimensions() >= FEWEST_FOR_TILES {
            true => Index::Tiles(Tiles::new(axes, numbers)),
            false => Index::Tree(Tree::new(axes, numbers)),
        }
    }

    /// Whether it finds sooner what is near if it is built anew after some searches.
    pub(super) fn learns(&self) -> bool {
        matches!(self, Index::Tree(_))
    }

    /// Whether it should be built anew now that so many clusters are left.
    pub(super) fn is_worn(&self, left: usize) -> bool {
        match self {
            Index::Tree(tree) => tree.is_worn(left),
            Index::Tiles(tiles) => tiles.is_worn(),
        }
    }

    /// Holds these clusters, and forgets all others. `side` and `rows` say what they are.
    pub(super) fn rebuild(
        &mut self,
        clusters: &[u32],
        side: &dyn Fn(usize, u32) -> Side,
        rows: &dyn Fn(u32) -> u32,
    ) {
        match self {
            Index::Tree(tree) => tree.rebuild(clusters.iter().copied(), side, rows),
            Index::Tiles(tiles) => tiles.rebuild(clusters, side, rows),
        }
    }

    /// Forgets a cluster.
    pub(super) fn remove(&mut self, number: u32) {
        match self {
            Index::Tree(tree) => tree.remove(number),
            Index::Tiles(tiles) => tiles.remove(number),
        }
    }

    /// Replaces a cluster by a larger one with the same number.
    pub(super) fn replace(&mut self, cluster: Seen<'_>) {
        match self {
            Index::Tree(tree) => tree.replace(cluster),
            Index::Tiles(tiles) => tiles.replace(cluster),
        }
    }

    /// For each of these the cluster, other than itself, that loses least when merged with it; of several the one with the
    /// lowest number.
    pub(super) fn nearest(&self, clusters: &[Seen<'_>]) -> Vec<Nearest> {
        match self {
            Index::Tree(tree) => clusters.iter().map(|it| tree.nearest(*it)).collect(),
            Index::Tiles(tiles) => tiles.nearest(clusters),
        }
    }

    /// Takes note of what was found, for the next time it is built.
    pub(super) fn learn(&mut self, nearest: Nearest) {
        match self {
            Index::Tree(tree) => tree.learn(nearest),
            Index::Tiles(tiles) => tiles.learn(nearest),
        }
    }

    /// What was looked at since it was last asked.
    pub(super) fn take_work(&mut self) -> u64 {
        match self {
            Index::Tree(tree) => std::mem::take(&mut tree.work),
            Index::Tiles(tiles) => std::mem::take(&mut tiles.work),
        }
    }
}
