//! Random numbers that are the same on every machine: the seed decides.

/// Draws numbers by SplitMix64.
///
/// ```
/// use incrowd_core::draw::Draw;
/// let mut draw = Draw::new(1);
/// assert_eq!([draw.below(10), draw.below(10)], [5, 9]);
/// ```
///
/// G. Steele, D. Lea, C. Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014.
#[derive(Debug, Clone)]
pub struct Draw(u64);

impl Draw {
    /// Numbers from a seed.
    pub fn new(seed: u64) -> Self {
        Draw(seed)
    }

    /// The next number.
    pub fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Below `bound`, which is at least 1.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next_number() % bound as u64) as usize
    }
}
