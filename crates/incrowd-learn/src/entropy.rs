//! Entropy in bits, for trees and partitions.

/// Rows times the entropy of their classes: what is left to be told about them.
pub(crate) fn bits(counts: &[u32]) -> f64 {
    let rows: u32 = counts.iter().sum();
    let term = |rows: u32| match rows {
        0 => 0.0,
        _ => f64::from(rows) * f64::from(rows).log2(),
    };
    term(rows) - counts.iter().map(|&count| term(count)).sum::<f64>()
}

/// The counts that are not among some of them.
pub(crate) fn without(all: &[u32], some: &[u32]) -> Vec<u32> {
    all.iter().zip(some).map(|(all, some)| all - some).collect()
}

/// Adds counts to others.
pub(crate) fn add(counts: &mut [u32], more: &[u32]) {
    for (count, more) in counts.iter_mut().zip(more) {
        *count += more;
    }
}
