//! From a node to those one step away.

use super::super::blocks::Partition;
use super::Stop;
use super::explore::Explorer;
use super::node::Node;
use crate::Error;
use crate::counts::Work;
use crate::problem::Interruption;

/// The result of a step towards a node.
enum Child {
    Kept(Box<Node>),
    /// Nothing below the new node is of interest.
    Dropped,
    /// Nothing that is as coarse as the new node is of interest, whatever the other attributes.
    TooMuchForAll,
}

impl Explorer<'_, '_> {
    /// The nodes one step away that may contain something better. Other nodes take so many bytes.
    pub(super) fn expand(&mut self, node: &Node, memory: usize) -> Result<Vec<Node>, Stop> {
        let mut children: Vec<Node> = Vec::new();
        let mut memory_of_children = 0;
        let most_memory = self.plan.most_memory(self.ground);
        let mut fixed = node.fixed;
        for place in (node.changed..self.plan.order.len()).rev() {
            let attribute = self.plan.order[place];
            if node.fixed >> place & 1 == 1 {
                continue;
            }
            let ground = self.ground;
            let (space, partition) = (&ground.spaces[attribute], &node.partitions[attribute]);
            let is_bottom_up = self.plan.is_bottom_up;
            let (mut steps, mut useless) = (0u64, 0u64);
            let mut see = |step: Partition| -> Result<(), Stop> {
                ground.meter.spend(Work::of(1 + space.values() / 4))?;
                steps += 1;
                match self.child(node, place, step, fixed)? {
                    Child::Kept(child) => {
                        memory_of_children += child.memory();
                        children.push(*child);
                    }
                    Child::TooMuchForAll => useless += 1,
                    Child::Dropped => {}
                }
                match memory + memory_of_children > most_memory {
                    true => Err(ground.meter.stop(Interruption::MemoryFull).into()),
                    false => Ok(()),
                }
            };
            let is_possible = match is_bottom_up {
                true => space.each_join(partition, &mut see).map(|()| true)?,
                false => space.each_split(partition, &mut see)?,
            };
            if !is_possible {
                let column = ground.problem.table.attributes[attribute].name.clone();
                return Err(Stop::Failed(Error::PartitionTooManySplits { column }));
            }
            let is_useless = is_bottom_up && steps > 0 && useless == steps;
            // Whatever this attribute could do below costs at least as much as one of its first steps here.
            if self.plan.rules.useless_applicators && is_useless && place > node.changed {
                fixed |= 1 << place;
                self.counts.applicators_dropped += 1;
            }
        }
        for child in &mut children {
            // Attributes before the changed one never change again.
            child.fixed = fixed;
        }
        Ok(children)
    }

    fn child(
        &mut self,
        node: &Node,
        place: usize,
        step: Partition,
        fixed: u64,
    ) -> Result<Child, Interruption> {
        let ground = self.ground;
        let mut partitions = node.partitions.clone();
        partitions[self.plan.order[place]] = step;
        let (fine, coarse) = self.corners(&partitions, place, fixed);
        let classes = ground.merge(&node.classes, &node.fine, &fine)?;
        self.work += node.classes.len() as u64;
        let bounds = self.bound(&classes, &fine, &coarse)?;
        if self.is_too_much(bounds.wherever) {
            self.counts.dropped_by_cost += 1;
            return Ok(Child::TooMuchForAll);
        }
        if bounds.is_over_budget {
            self.counts.dropped_by_budget += 1;
            return Ok(Child::Dropped);
        }
        if self.is_too_much(bounds.below) {
            self.counts.dropped_by_cost += 1;
            return Ok(Child::Dropped);
        }
        Ok(Child::Kept(Box::new(Node {
            bound: bounds.below.max(node.bound),
            number: 0, // until it is kept
            partitions,
            fine,
            classes,
            changed: place,
            fixed,
            is_visited: false,
            is_by_age: !self.plan.rules.least_bound_first,
        })))
    }
}
