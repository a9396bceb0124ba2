//! What releases cost, remembered: people move a slider back and forth, and several of them ask about one table.

use crate::error::Error;
use crate::report::research::ResearchValueReached;
use hashbrown::HashMap;
use incrowd_core::lattice::Node;
use incrowd_core::negotiate::Price;
use incrowd_core::privacy::Decimal;
use std::sync::{Arc, Mutex, PoisonError};

/// A node, what is kept there, and the metric asked for, which comes first among all.
pub(super) type PriceKey = (Node, Kept, Arc<str>);

/// Which classes of a node are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kept {
    /// All but the least safe ones, which have so many rows: whatever the parameter, these are the same classes.
    ButRows(u32),
    /// Those that keep the promise of this parameter.
    ByParameter(Decimal),
}

/// What a release costs.
#[derive(Debug)]
pub(super) struct Priced {
    pub(super) price: Price,
    pub(super) research_value: Option<ResearchValueReached>,
}

/// Once so many are remembered, all are forgotten: some tens of megabytes.
const MOST: usize = 50_000;

/// The prices of one model.
#[derive(Debug, Default)]
pub(super) struct Prices(Mutex<HashMap<PriceKey, Arc<Priced>>>);

impl Prices {
    /// The price, computed unless it is remembered. Two threads may compute the same one; it is the same.
    pub(super) fn of(
        &self,
        key: PriceKey,
        compute: impl FnOnce() -> Result<Priced, Error>,
    ) -> Result<Arc<Priced>, Error> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&key) {
            return Ok(Arc::clone(known));
        }
        let made = Arc::new(compute()?);
        let mut prices = lock();
        if prices.len() >= MOST {
            prices.clear();
        }
        prices.insert(key, Arc::clone(&made));
        Ok(made)
    }
}
