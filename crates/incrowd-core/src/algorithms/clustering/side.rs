//! What a cluster spans in one dimension.

/// What a cluster spans in one dimension: its least and greatest coordinate or first and last place; for few values in
/// no order, a bit for each.
pub(super) type Side = (i32, i32);

/// The bits of a side that has them.
#[inline]
pub(super) fn bits(side: Side) -> u64 {
    u64::from(side.0 as u32) | u64::from(side.1 as u32) << 32
}

/// The side of a place that is a bit.
pub(super) fn bit_of(place: u32) -> Side {
    let bits = 1u64 << place;
    (bits as u32 as i32, (bits >> 32) as u32 as i32)
}
