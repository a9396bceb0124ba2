//! Improves clusters that lie near each other: tuples move or change places, clusters are split or dissolved.
//!
//! Every step lowers the cost by the exact difference, and leaves every cluster safe.

use super::Safety;
use super::cluster::{Axes, Cluster, Side};

/// A change must gain more than rounding.
const WORTH_IT: f64 = 1e-6;

/// How often all clusters are gone through at most.
const PASSES: usize = 3;

/// To how many of the nearest clusters a tuple may change.
const NEAR: usize = 6;

/// Improves some clusters until nothing more is gained.
pub(super) fn improve(
    axes: &Axes,
    safety: &mut Safety<'_>,
    clusters: Vec<Cluster>,
) -> Vec<Cluster> {
    let mut bucket = Bucket {
        axes,
        rests: vec![None; clusters.len()],
        clusters,
        near: Vec::new(),
    };
    for _ in 0..PASSES {
        let before = bucket.cost();
        for at in 0..bucket.clusters.len() {
            bucket.split(safety, at);
            bucket.change(safety, at);
        }
        let mut at = 0;
        while at < bucket.clusters.len() {
            if !bucket.dissolve(safety, at) {
                at += 1;
            }
        }
        if before - bucket.cost() <= WORTH_IT * before {
            break;
        }
    }
    bucket.clusters
}

/// Clusters near each other.
struct Bucket<'a> {
    axes: &'a Axes,
    clusters: Vec<Cluster>,
    /// Of each cluster, for each of its tuples: the sides that are left without it. None if not known yet.
    rests: Vec<Option<Vec<Side>>>,
    near: Vec<(f64, usize)>,
}

/// A tuple of a cluster, and what the cluster is without it.
#[derive(Clone, Copy)]
struct Taken {
    from: usize,
    position: usize,
    tuple: u32,
    /// Rows and cost of what is left.
    rows: u32,
    cost: f64,
}

impl Bucket<'_> {
    fn cost(&self) -> f64 {
        self.clusters.iter().map(Cluster::cost).sum()
    }

    /// Replaces a cluster.
    fn set(&mut self, at: usize, cluster: Cluster) {
        self.clusters[at] = cluster;
        self.rests[at] = None;
    }

    /// The sides that a cluster has without one of its tuples.
    fn rest(&mut self, at: usize, position: usize) -> &[Side] {
        let (axes, cluster) = (self.axes, &self.clusters[at]);
        let rests = self.rests[at].get_or_insert_with(|| sides_without_each(axes, cluster));
        &rests[position * axes.dimensions()..][..axes.dimensions()]
    }

    /// What a cluster is without one of its tuples; none if that is all of it.
    fn take(&mut self, from: usize, position: usize) -> Option<Taken> {
        let cluster = &self.clusters[from];
        if cluster.tuples.len() < 2 {
            return None;
        }
        let tuple = cluster.tuples[position];
        let rows = cluster.rows - self.axes.rows(tuple);
        let axes = self.axes;
        let extent = axes.extent(self.rest(from, position));
        Some(Taken {
            from,
            position,
            tuple,
            rows,
            cost: f64::from(rows) * extent,
        })
    }

    /// A cluster without one of its tuples, which is not all of it.
    fn without(&self, at: usize, position: usize) -> Cluster {
        let mut tuples = self.clusters[at].tuples.clone();
        tuples.swap_remove(position);
        Cluster::of(self.axes, tuples)
    }

    /// The other clusters that would take a tuple in at the least cost.
    fn find_near(&mut self, from: usize, tuple: u32) {
        let order = |one: &(f64, usize), other: &(f64, usize)| {
            one.0.total_cmp(&other.0).then(one.1.cmp(&other.1))
        };
        self.near.clear();
        for (at, cluster) in self
            .clusters
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != from)
        {
            let cost = cluster.added_cost(self.axes, tuple);
            self.near.push((cost, at));
        }
        if self.near.len() > NEAR {
            self.near.select_nth_unstable_by(NEAR, order);
            self.near.truncate(NEAR);
        }
        self.near.sort_by(order);
    }

    /// Moves the tuples of a cluster to others, or exchanges them, wherever that gains something.
    fn change(&mut self, safety: &mut Safety<'_>, from: usize) {
        let mut position = 0;
        while position < self.clusters[from].tuples.len() {
            let Some(taken) = self.take(from, position) else {
                return;
            };
            let gained = self.clusters[from].cost() - taken.cost;
            let is_changed = gained > WORTH_IT
                && match safety.is_safe_without(&self.clusters[from], position) {
                    true => self.move_away(safety, taken, gained),
                    false => self.exchange(safety, taken),
                };
            if !is_changed {
                position += 1;
            }
        }
    }

    fn move_away(&mut self, safety: &mut Safety<'_>, taken: Taken, gained: f64) -> bool {
        self.find_near(taken.from, taken.tuple);
        safety.work += self.clusters.len() as u64;
        for at in 0..self.near.len() {
            let (cost, to) = self.near[at];
            if gained - cost <= WORTH_IT {
                return false;
            }
            let mut larger = self.clusters[to].clone();
            larger.add(self.axes, taken.tuple);
            if safety.is_safe(&larger) {
                let rest = self.without(taken.from, taken.position);
                self.set(to, larger);
                self.set(taken.from, rest);
                return true;
            }
        }
        false
    }

    fn exchange(&mut self, safety: &mut Safety<'_>, taken: Taken) -> bool {
        let axes = self.axes;
        let rest = self.rest(taken.from, taken.position).to_vec();
        let own = &self.clusters[taken.from];
        // If a cluster is as wide without the tuple, what is gained is gained by the other; it asks itself.
        if axes.extent(&rest) >= own.extent - WORTH_IT {
            return false;
        }
        let own = own.cost();
        self.find_near(taken.from, taken.tuple);
        safety.work += self.clusters.len() as u64;
        let joint_cost = |sides: &[Side], rows: u32, tuple: u32| {
            f64::from(rows + axes.rows(tuple)) * axes.joint_extent(sides, axes.sides(tuple))
        };
        let mut best: Option<(f64, usize, usize)> = None;
        for at in 0..self.near.len() {
            let (_, to) = self.near[at];
            let before = own + self.clusters[to].cost();
            safety.work += 2 * self.clusters[to].tuples.len() as u64;
            for position in 0..self.clusters[to].tuples.len() {
                let back = self.clusters[to].tuples[position];
                let least = best.map_or(WORTH_IT, |(gain, ..)| gain);
                let ours = joint_cost(&rest, taken.rows, back);
                if before - ours <= least {
                    continue;
                }
                let rows = self.clusters[to].rows - axes.rows(back);
                let theirs = match self.clusters[to].tuples.len() {
                    1 => 0.0,
                    _ => joint_cost(self.rest(to, position), rows, taken.tuple),
                };
                if before - ours - theirs > least {
                    best = Some((before - ours - theirs, to, position));
                }
            }
        }
        let Some((_, to, position)) = best else {
            return false;
        };
        let mut ours = self.without(taken.from, taken.position);
        ours.add(axes, self.clusters[to].tuples[position]);
        let theirs = match self.clusters[to].tuples.len() {
            1 => Cluster::of(axes, vec![taken.tuple]),
            _ => {
                let mut theirs = self.without(to, position);
                theirs.add(axes, taken.tuple);
                theirs
            }
        };
        let is_safe = safety.is_safe(&ours) && safety.is_safe(&theirs);
        if is_safe {
            self.set(taken.from, ours);
            self.set(to, theirs);
        }
        is_safe
    }

    /// Splits a cluster with rows for two, if the parts are safe and cost less.
    fn split(&mut self, safety: &mut Safety<'_>, at: usize) {
        let (axes, cluster) = (self.axes, &self.clusters[at]);
        if cluster.tuples.len() < 2 || cluster.rows / 2 < safety.smallest || cluster.extent <= 0.0 {
            return;
        }
        let farthest = |from: u32| {
            let distance = |tuple: u32| axes.joint_extent(axes.sides(from), axes.sides(tuple));
            let tuples = cluster.tuples.iter().copied();
            let distances = tuples.map(|tuple| (distance(tuple), tuple));
            distances.max_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)))
        };
        let Some((_, one)) = farthest(cluster.tuples[0]) else {
            return;
        };
        let Some((_, other)) = farthest(one).filter(|(_, other)| *other != one) else {
            return;
        };
        let mut parts = [one, other].map(|seed| Cluster::of(axes, vec![seed]));
        for &tuple in cluster
            .tuples
            .iter()
            .filter(|it| **it != one && **it != other)
        {
            // A part that still needs rows goes first.
            let part = match [0, 1].map(|part: usize| parts[part].rows < safety.smallest) {
                [true, false] => 0,
                [false, true] => 1,
                _ => {
                    let costs = [0, 1].map(|part: usize| parts[part].added_cost(axes, tuple));
                    usize::from(costs[1] < costs[0])
                }
            };
            parts[part].add(axes, tuple);
        }
        safety.work += 4 * cluster.tuples.len() as u64;
        let gain = cluster.cost() - parts[0].cost() - parts[1].cost();
        if gain > WORTH_IT && parts.iter().all(|part| safety.is_safe(part)) {
            let [one, other] = parts;
            self.set(at, one);
            self.clusters.push(other);
            self.rests.push(None);
        }
    }

    /// Gives all tuples of a cluster to others, if that costs less.
    fn dissolve(&mut self, safety: &mut Safety<'_>, at: usize) -> bool {
        if self.clusters.len() < 2 || self.clusters[at].extent <= 0.0 {
            return false;
        }
        let cost = self.clusters[at].cost();
        let mut changed: Vec<(usize, Cluster)> = Vec::new();
        let mut spent = 0.0;
        for &tuple in &self.clusters[at].tuples {
            safety.work += self.clusters.len() as u64;
            let now = |other: usize| {
                let place = changed.iter().find(|(it, _)| *it == other);
                place.map_or(&self.clusters[other], |(_, cluster)| cluster)
            };
            let others = (0..self.clusters.len()).filter(|other| *other != at);
            let costs = others.map(|other| (now(other).added_cost(self.axes, tuple), other));
            let Some((added, to)) = costs.min_by(|one, other| one.0.total_cmp(&other.0)) else {
                return false;
            };
            spent += added;
            if cost - spent <= WORTH_IT {
                return false;
            }
            let mut larger = now(to).clone();
            larger.add(self.axes, tuple);
            changed.retain(|(it, _)| *it != to);
            changed.push((to, larger));
        }
        if !changed.iter().all(|(_, cluster)| safety.is_safe(cluster)) {
            return false;
        }
        for (to, cluster) in changed {
            self.set(to, cluster);
        }
        self.clusters.remove(at);
        self.rests.remove(at);
        true
    }
}

/// For each tuple of a cluster, the sides of the others: those before it joined with those after it. Sides of no tuples
/// are those of the tuple itself.
fn sides_without_each(axes: &Axes, cluster: &Cluster) -> Vec<Side> {
    let dimensions = axes.dimensions();
    let tuples = &cluster.tuples;
    let mut after: Vec<Side> = Vec::with_capacity(tuples.len() * dimensions);
    // From the last to the first.
    for &tuple in tuples.iter().rev() {
        let start = after.len().saturating_sub(dimensions);
        let mut sides = axes.sides(tuple).to_vec();
        if !after.is_empty() {
            axes.widen(&mut sides, &after[start..]);
        }
        after.extend(sides);
    }
    let of_last = |from: usize| &after[(tuples.len() - 1 - from) * dimensions..][..dimensions];
    let mut rests: Vec<Side> = Vec::with_capacity(tuples.len() * dimensions);
    let mut before: Option<Vec<Side>> = None;
    for (position, &tuple) in tuples.iter().enumerate() {
        let is_last = position + 1 == tuples.len();
        let mut sides = match (&before, is_last) {
            (Some(before), _) => before.clone(),
            (None, false) => of_last(position + 1).to_vec(),
            (None, true) => axes.sides(tuple).to_vec(),
        };
        if !is_last {
            axes.widen(&mut sides, of_last(position + 1));
        }
        rests.extend(sides);
        match &mut before {
            Some(before) => axes.widen(before, axes.sides(tuple)),
            None => before = Some(axes.sides(tuple).to_vec()),
        }
    }
    rests
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_cluster_is_the_cluster_of_the_rest() {
        let axes = Axes::of_places(&[10, 3], &[[1, 0], [7, 2], [3, 1], [3, 1], [9, 0]]);
        for tuples in [vec![0, 1], vec![4, 2, 0, 1, 3], vec![2, 3, 1]] {
            let cluster = Cluster::of(&axes, tuples.clone());
            let rests = sides_without_each(&axes, &cluster);
            for position in 0..tuples.len() {
                let mut others = tuples.clone();
                others.remove(position);
                let expected = Cluster::of(&axes, others);
                assert_eq!(rests[position * 2..][..2], expected.sides);
            }
        }
    }
}
