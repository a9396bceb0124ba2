//! Exploring one node, perhaps beside others: its own cost, or the nodes one step away.

use super::super::blocks::Partition;
use super::super::ground::{Ground, Solution, below};
use super::looks::{Looks, Room};
use super::node::Node;
use super::{Counts, Plan, Stop};
use crate::counts::Work;
use crate::problem::Interruption;

/// Explores one node, with what was known when its turn came.
pub(super) struct Explorer<'e, 'g> {
    pub(super) ground: &'e Ground<'g>,
    pub(super) plan: &'e Plan,
    /// The cost to beat.
    best_cost: f64,
    pub(super) looks: Looks,
    pub(super) room: Room,
    pub(super) counts: Counts,
    /// Classes merged.
    pub(super) work: u64,
}

/// What came of exploring a node.
pub(super) struct Explored {
    /// Something better than what was known.
    pub(super) found: Option<Solution>,
    /// The node, if its turn comes again.
    pub(super) visited: Option<Node>,
    /// The nodes one step away that may contain something better.
    pub(super) children: Vec<Node>,
    pub(super) looks: Looks,
    pub(super) counts: Counts,
    pub(super) work: u64,
}

impl<'e, 'g> Explorer<'e, 'g> {
    pub(super) fn new(
        ground: &'e Ground<'g>,
        plan: &'e Plan,
        best_cost: f64,
        looks: Looks,
    ) -> Self {
        Explorer {
            ground,
            plan,
            best_cost,
            looks,
            room: Room::default(),
            counts: Counts::default(),
            work: 0,
        }
    }

    pub(super) fn is_too_much(&self, bound: f64) -> bool {
        self.plan.is_too_much(bound, self.best_cost)
    }

    pub(super) fn root(&mut self) -> Result<Node, Interruption> {
        let (ground, plan) = (self.ground, self.plan);
        let end = |attribute: usize| match plan.is_bottom_up || Some(attribute) == plan.finished {
            true => ground.spaces[attribute].finest(),
            false => ground.spaces[attribute].coarsest(),
        };
        let partitions: Vec<Partition> = (0..ground.attributes()).map(end).collect();
        let finest = ground.all_finest();
        let fine: Vec<Partition> = ground.spaces.iter().map(|space| space.finest()).collect();
        let coarse: Vec<Partition> = ground.spaces.iter().map(|space| space.coarsest()).collect();
        let classes = ground.merge(&ground.finest, &finest, &fine)?;
        Ok(Node {
            bound: self.bound(&classes, &fine, &coarse)?.below,
            number: 0,
            fine,
            partitions,
            classes,
            changed: 0,
            fixed: 0,
            is_visited: false,
            is_by_age: !plan.rules.least_bound_first,
        })
    }

    /// Computes the cost of a node and, unless that has to wait, looks one step further. Other nodes take so many bytes.
    pub(super) fn explore(mut self, mut node: Node, memory: usize) -> Result<Explored, Stop> {
        self.ground.meter.spend(Work(1))?;
        let (mut found, mut visited, mut children) = (None, None, Vec::new());
        let is_new = !node.is_visited;
        if is_new {
            node.is_visited = true;
            found = self.visit(&node)?;
        }
        if is_new && self.plan.rules.delayed_expansion {
            visited = Some(node);
        } else {
            children = self.expand(&node, memory)?;
        }
        Ok(Explored {
            found,
            visited,
            children,
            looks: self.looks,
            counts: self.counts,
            work: self.work,
        })
    }

    /// Computes the cost of a node, with the best partition of the attribute left out. Something better than what was known is
    /// what is to beat from now on.
    fn visit(&mut self, node: &Node) -> Result<Option<Solution>, Interruption> {
        self.counts.nodes_visited += 1;
        let (ground, rules) = (self.ground, self.plan.rules);
        let merged;
        let classes = match self.plan.is_bottom_up {
            true => &node.classes,
            false => {
                merged = ground.merge(&node.classes, &node.fine, &node.partitions)?;
                &merged
            }
        };
        let limit = match rules.cost_bound && rules.tighter_bounds {
            true => below(self.best_cost),
            false => f64::INFINITY,
        };
        let found = match self.plan.finished {
            None => Some(ground.evaluate_counted(classes, node.partitions.clone())?),
            Some(attribute) => ground
                .finish(classes, &node.partitions, attribute, limit)?
                .map(|finished| {
                    let mut partitions = node.partitions.clone();
                    partitions[attribute] = finished.partition;
                    Solution {
                        partitions,
                        cost: finished.cost.max(0.0),
                        suppressed: finished.suppressed,
                    }
                }),
        };
        let found = found.filter(|found| found.cost < below(self.best_cost));
        if let Some(found) = &found {
            self.best_cost = found.cost;
        }
        Ok(found)
    }
}
