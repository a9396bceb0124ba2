//! Visiting every partition of a space exactly once, from either end.
//!
//! Every partition but the first has one parent, so the partitions form a tree.
//!
//! *Bottom-up*, starting with every value alone. The parent of a partition looks at the last joined block, where
//! blocks are ordered by their first value: two children of a tree node are taken apart into values, of more the
//! last one. So a child joins children of one tree node, and no block after the new one may be joined yet. For a
//! tree without levels this is the enumeration of section 3.1 of the paper, with one correction:
//! it is not enough that the blocks *between* the two are single. As figure 6 is printed, `{1}{2}{3,4}` and
//! `{1,2}{3}{4}` would both have the child `{1,2}{3,4}`.
//!
//! *Top-down*, starting with one block. The parent of a partition joins the last two blocks of the last node that is
//! not all in one block, nodes in preorder. So a child splits the last block of that node, or a node after it that
//! is a block. For ordered values these are the growing sets of split points of Bayardo and Agrawal.
//!
//! For the bounds of a search it matters what lies below a partition in that tree: [`Space::highest_below`]
//! says how far blocks there can grow, [`Space::lowest_below`] how far they can be split.

use super::blocks::Partition;
use super::scheme::{Joins, Shape, Space};
use super::tree::Tree;

/// The most children of one node if one block is split into any two.
const MOST_TO_SPLIT: usize = 20;

impl Space {
    /// Visits the partitions one step up, one after the other: each is as long as there are values, and there may be
    /// more of them than fit into memory.
    pub(super) fn each_join<E>(
        &self,
        partition: &Partition,
        see: &mut impl FnMut(Partition) -> Result<(), E>,
    ) -> Result<(), E> {
        match &self.shape {
            Shape::Chain(chain) => {
                let mut above = chain.iter().skip_while(|other| *other != partition);
                above.nth(1).map_or(Ok(()), |next| see(next.clone()))
            }
            Shape::Tree { tree, joins } => match joins {
                Joins::All => each_joined_node(tree, partition, see),
                _ => each_joined_child(tree, *joins, partition, see),
            },
        }
    }

    /// Visits the partitions one step down. False if a block of more than twenty parts would have to be split into any
    /// two: there are too many ways.
    pub(super) fn each_split<E>(
        &self,
        partition: &Partition,
        see: &mut impl FnMut(Partition) -> Result<(), E>,
    ) -> Result<bool, E> {
        match &self.shape {
            Shape::Chain(chain) => {
                let at = chain.iter().position(|other| other == partition);
                let below = at.and_then(|at| chain[..at].last());
                below.map_or(Ok(()), |below| see(below.clone()))?;
                Ok(at.is_some())
            }
            Shape::Tree { tree, joins } => {
                for (node, parts) in to_split(tree, partition) {
                    if !split(tree, *joins, partition, (node, &parts), see)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }

    /// The partitions one step up.
    #[cfg(test)]
    pub(super) fn joins(&self, partition: &Partition) -> Vec<Partition> {
        let mut found = Vec::new();
        let seen: Result<(), ()> = self.each_join(partition, &mut |join| {
            found.push(join);
            Ok(())
        });
        seen.unwrap();
        found
    }

    /// The partitions one step down, unless there are too many.
    #[cfg(test)]
    pub(super) fn splits(&self, partition: &Partition) -> Option<Vec<Partition>> {
        let mut found = Vec::new();
        let seen: Result<bool, ()> = self.each_split(partition, &mut |split| {
            found.push(split);
            Ok(())
        });
        seen.unwrap().then_some(found)
    }

    /// A partition that every one below this in the bottom-up tree, itself included, lies within.
    pub(super) fn highest_below(&self, partition: &Partition) -> Partition {
        match &self.shape {
            Shape::Chain(_) => self.coarsest(),
            Shape::Tree { tree, joins } => {
                let open = open_values(partition, *joins);
                let mut highest = partition.clone();
                for &root in tree.roots() {
                    join_open(tree, *joins, root, &open, &mut highest);
                }
                highest
            }
        }
    }

    /// A partition that lies within every one below this in the top-down tree, itself included.
    pub(super) fn lowest_below(&self, partition: &Partition) -> Partition {
        match &self.shape {
            Shape::Chain(_) => self.finest(),
            Shape::Tree { tree, .. } => {
                let mut lowest = partition.clone();
                for (_, parts) in to_split(tree, partition) {
                    let values = parts.iter().flat_map(|&part| tree.nodes()[part].values());
                    lowest = lowest.with_alone(values);
                }
                lowest
            }
        }
    }
}

/// The first value of the last block that has more than one, and whether there is one.
fn last_joined(members: &[Vec<u32>]) -> Option<u32> {
    let last = members.iter().rev().find(|block| block.len() > 1);
    last.map(|block| block[0])
}

fn each_joined_child<E>(
    tree: &Tree,
    joins: Joins,
    partition: &Partition,
    see: &mut impl FnMut(Partition) -> Result<(), E>,
) -> Result<(), E> {
    let members = partition.members();
    let nodes = tree.nodes();
    let is_alone = |value: u32| members[partition.of_values()[value as usize] as usize].len() == 1;
    let is_free: Vec<bool> = (nodes.iter().map(|node| node.values().all(is_alone))).collect();
    let may_follow = |last: u32, sibling: usize| match joins {
        Joins::Runs => nodes[sibling].first == last + 1,
        _ => nodes[sibling].first > last,
    };
    let last = members.iter().rev().find(|block| block.len() > 1);
    if let Some(block) = last {
        let (first, last) = (block[0], block[block.len() - 1]);
        let above = tree.lowest_above(first, last);
        for &sibling in above.iter().flat_map(|&above| &nodes[above].children) {
            if is_free[sibling] && may_follow(last, sibling) {
                see(partition.joined(nodes[sibling].values().chain([first])))?;
            }
        }
    }
    let after = last.map(|block| block[0]);
    for node in nodes {
        for (at, &one) in node.children.iter().enumerate() {
            if !is_free[one] || after.is_some_and(|after| nodes[one].first < after) {
                continue;
            }
            // Children stand in the order of their values.
            let others = match joins {
                Joins::Runs => node.children[at + 1..].iter().take(1),
                _ => node.children[at + 1..].iter().take(usize::MAX),
            };
            for &other in others {
                if is_free[other] && may_follow(nodes[one].end - 1, other) {
                    let values = nodes[one].values().chain(nodes[other].values());
                    see(partition.joined(values))?;
                }
            }
        }
    }
    Ok(())
}

fn each_joined_node<E>(
    tree: &Tree,
    partition: &Partition,
    see: &mut impl FnMut(Partition) -> Result<(), E>,
) -> Result<(), E> {
    let members = partition.members();
    let start = last_joined(&members);
    let is_alone = |value: u32| members[partition.of_values()[value as usize] as usize].len() == 1;
    let is_free = |node: &&super::tree::Node| {
        !node.is_value()
            && start.is_none_or(|start| node.first > start)
            && node.values().all(is_alone)
    };
    let mut nodes = tree.nodes().iter().filter(is_free);
    nodes.try_for_each(|node| see(partition.joined(node.values())))
}

/// Values whose block may still grow.
fn open_values(partition: &Partition, joins: Joins) -> Vec<bool> {
    let members = partition.members();
    let start = last_joined(&members);
    let is_open = |&block: &u32| {
        let block = &members[block as usize];
        match (start, joins) {
            (None, _) => true,
            (Some(start), Joins::All) => block[0] > start,
            (Some(start), _) => block[0] >= start,
        }
    };
    partition.of_values().iter().map(is_open).collect()
}

fn join_open(tree: &Tree, joins: Joins, at: usize, open: &[bool], highest: &mut Partition) {
    let node = &tree.nodes()[at];
    let is_open = |at: usize| tree.nodes()[at].values().all(|value| open[value as usize]);
    if is_open(at) {
        *highest = highest.joined(node.values());
        return;
    }
    for run in node
        .children
        .chunk_by(|&one, &other| joins != Joins::All && is_open(one) == is_open(other))
    {
        if is_open(run[0]) && joins == Joins::Runs {
            let values = run.iter().flat_map(|&child| tree.nodes()[child].values());
            *highest = highest.joined(values);
        } else if !is_open(run[0]) || joins == Joins::All {
            for &child in run {
                join_open(tree, joins, child, open, highest);
            }
        }
    }
    if joins == Joins::Any {
        let whole = node.children.iter().filter(|&&child| is_open(child));
        let values: Vec<u32> = whole
            .flat_map(|&child| tree.nodes()[child].values())
            .collect();
        if !values.is_empty() {
            *highest = highest.joined(values);
        }
    }
}

/// The nodes that may be split next, with the children that make the block to be split.
fn to_split(tree: &Tree, partition: &Partition) -> Vec<(usize, Vec<usize>)> {
    let blocks = partition.of_values();
    let is_block = |node: &super::tree::Node| {
        let block = blocks[node.first as usize];
        node.values().all(|value| blocks[value as usize] == block)
    };
    let members = partition.members();
    let last = tree.nodes().iter().rposition(|node| !is_block(node));
    let mut found = Vec::new();
    if let Some(at) = last {
        let children = &tree.nodes()[at].children;
        let block = |child: usize| blocks[tree.nodes()[child].first as usize];
        // Blocks are numbered by their first value.
        let greatest = children.iter().map(|&child| block(child)).max();
        let parts: Vec<usize> = (children.iter().copied())
            .filter(|&child| Some(block(child)) == greatest)
            .collect();
        if parts.len() > 1 {
            found.push((at, parts));
        }
    }
    let after = last.map_or(0, |last| last + 1);
    for (at, node) in tree.nodes().iter().enumerate().skip(after) {
        let block = &members[blocks[node.first as usize] as usize];
        if !node.is_value() && is_block(node) && block.len() as u32 == node.end - node.first {
            found.push((at, node.children.clone()));
        }
    }
    found
}

/// Splits a block, which is these parts of a node, into two; or, where children are joined all or not at all, into
/// its parts.
fn split<E>(
    tree: &Tree,
    joins: Joins,
    partition: &Partition,
    (node, parts): (usize, &[usize]),
    see: &mut impl FnMut(Partition) -> Result<(), E>,
) -> Result<bool, E> {
    let values = |parts: &[usize]| -> Vec<u32> {
        parts
            .iter()
            .flat_map(|&part| tree.nodes()[part].values())
            .collect()
    };
    match joins {
        Joins::All => {
            if parts.len() == tree.nodes()[node].children.len() {
                let mut split = partition.clone();
                for &part in &parts[1..] {
                    split = split.split_off(tree.nodes()[part].values());
                }
                see(split)?;
            }
        }
        Joins::Runs => {
            for cut in 1..parts.len() {
                see(partition.split_off(values(&parts[cut..])))?;
            }
        }
        Joins::Any => {
            if parts.len() > MOST_TO_SPLIT {
                return Ok(false);
            }
            for chosen in 1u32..1 << (parts.len() - 1) {
                let chosen: Vec<usize> = (parts[1..].iter().enumerate())
                    .filter(|(at, _)| chosen >> at & 1 == 1)
                    .map(|(_, &part)| part)
                    .collect();
                see(partition.split_off(values(&chosen)))?;
            }
        }
    }
    Ok(true)
}
