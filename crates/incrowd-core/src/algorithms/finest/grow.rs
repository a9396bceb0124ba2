//! Grows clusters from single tuples, always adding the tuple that costs least.

use super::Safety;
use super::cluster::{Axes, Cluster};

/// Clusters of some tuples, each of them safe; none if the tuples do not suffice.
pub(super) fn grow(axes: &Axes, safety: &mut Safety<'_>, tuples: &[u32]) -> Option<Vec<Cluster>> {
    let mut clusters = Vec::new();
    let mut left = Vec::new();
    for &tuple in tuples {
        let alone = Cluster::of(axes, vec![tuple]);
        match safety.is_safe(&alone) {
            true => clusters.push(alone),
            false => left.push(tuple),
        }
    }
    let mut unsafe_rest = Vec::new();
    let mut last = left.first().copied();
    while let Some(seed) = last.and_then(|last| take_farthest(axes, last, &mut left)) {
        let mut cluster = Cluster::of(axes, vec![seed]);
        while !safety.is_safe(&cluster) {
            let Some(nearest) = nearest(axes, safety, &cluster, &left) else {
                break;
            };
            cluster.add(axes, left.swap_remove(nearest));
        }
        safety.work += (left.len() * cluster.tuples.len()) as u64;
        last = Some(seed);
        match safety.is_safe(&cluster) {
            true => clusters.push(cluster),
            false => unsafe_rest.extend(cluster.tuples),
        }
    }
    unsafe_rest.extend(left);
    let is_placed = |tuple: u32| place(axes, safety, &mut clusters, tuple);
    (unsafe_rest.into_iter().all(is_placed)).then_some(clusters)
}

/// Takes the tuple out that lies farthest from another. Outliers found late have nobody left to join.
fn take_farthest(axes: &Axes, from: u32, left: &mut Vec<u32>) -> Option<u32> {
    let distance = |tuple: u32| axes.joint_extent(axes.sides(from), axes.sides(tuple));
    let mut farthest: Option<(f64, usize)> = None;
    for (at, &tuple) in left.iter().enumerate() {
        let distance = distance(tuple);
        if farthest.is_none_or(|(most, _)| distance > most) {
            farthest = Some((distance, at));
        }
    }
    farthest.map(|(_, at)| left.swap_remove(at))
}

/// The position of the tuple that a cluster takes in at the least cost for each row that it still needs.
fn nearest(axes: &Axes, safety: &Safety<'_>, cluster: &Cluster, left: &[u32]) -> Option<usize> {
    let missing = safety.smallest.saturating_sub(cluster.rows).max(1);
    let mut nearest: Option<(f64, usize)> = None;
    for (at, &tuple) in left.iter().enumerate() {
        let needed = f64::from(axes.rows(tuple).min(missing));
        let cost = cluster.added_cost(axes, tuple) / needed;
        if nearest.is_none_or(|(least, _)| cost < least) {
            nearest = Some((cost, at));
        }
    }
    nearest.map(|(_, at)| at)
}

/// Adds a tuple to the cluster that takes it in at the least cost and stays safe; false if there is none.
fn place(axes: &Axes, safety: &mut Safety<'_>, clusters: &mut [Cluster], tuple: u32) -> bool {
    let mut costs: Vec<(f64, usize)> = (clusters.iter().enumerate())
        .map(|(at, cluster)| (cluster.added_cost(axes, tuple), at))
        .collect();
    costs.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    safety.work += costs.len() as u64;
    costs.into_iter().any(|(_, at)| {
        let mut larger = clusters[at].clone();
        larger.add(axes, tuple);
        let is_safe = safety.is_safe(&larger);
        if is_safe {
            clusters[at] = larger;
        }
        is_safe
    })
}
