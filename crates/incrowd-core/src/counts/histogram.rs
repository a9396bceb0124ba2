//! The histogram of one class, as whoever judges it sees it.

/// How often each value of one column occurs in one class: values ascending, counts at least 1.
#[derive(Debug, Clone, Copy)]
pub struct Histogram<'a> {
    /// The [codes](crate::table::ValueCode) of the values present, ascending.
    pub values: &'a [u32],
    /// Rows with each of them.
    pub counts: &'a [u32],
}

/// The most values a column may have for only their presence to be kept.
pub(crate) const MOST_PRESENT: usize = 512;

static ANY: [u32; MOST_PRESENT] = [1; MOST_PRESENT];

impl Histogram<'static> {
    /// A histogram with this many values, of which only the number is known; at most [`MOST_PRESENT`].
    #[inline]
    pub(crate) fn of_any(distinct: u32) -> Self {
        let any = &ANY[..distinct as usize];
        Histogram {
            values: any,
            counts: any,
        }
    }
}
