//! What releases cost, remembered: people move a slider back and forth, and several of them ask about one table.

use crate::error::Error;
use crate::report::research::ResearchValueReached;
use hashbrown::HashMap;
use incrowd_core::lattice::Node;
use incrowd_core::negotiate::{NodePrices, Price};
use incrowd_core::privacy::Decimal;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// What the model measures, a node, and the metric asked for, which comes first among all.
pub(super) type NodeKey = (Arc<str>, Node, Arc<str>);

/// A release: a node with its metrics, and what is kept there.
pub(super) type PriceKey = (NodeKey, Kept);

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

/// Bytes of prices that are remembered, for whole nodes and for single releases each.
const MOST_BYTES: usize = 48 << 20;

/// What a key, a slot of the map and what the allocator adds take, about.
const BYTES_AROUND: usize = 160;

/// The prices of one table.
#[derive(Debug)]
pub(super) struct Prices {
    /// Of all releases of a node; none where they cannot be priced together.
    nodes: Remembered<NodeKey, Option<NodePrices>>,
    releases: Remembered<PriceKey, Priced>,
}

impl Default for Prices {
    fn default() -> Self {
        Prices {
            nodes: Remembered::new(MOST_BYTES),
            releases: Remembered::new(MOST_BYTES),
        }
    }
}

impl Prices {
    /// The price of a release, computed unless it is remembered. Two threads may compute the same one; it is the same.
    pub(super) fn of(
        &self,
        key: PriceKey,
        compute: impl FnOnce() -> Result<Priced, Error>,
    ) -> Result<Arc<Priced>, Error> {
        self.releases.of(key, compute, |priced| {
            let metrics = size_of_val(&*priced.price.metrics);
            // What experts say is a few lines of text.
            let research = priced.research_value.as_ref().map_or(0, |_| 4 << 10);
            size_of::<Priced>() + metrics + research
        })
    }

    /// The prices of all releases of a node.
    pub(super) fn of_node(
        &self,
        key: NodeKey,
        compute: impl FnOnce() -> Option<NodePrices>,
    ) -> Result<Arc<Option<NodePrices>>, Error> {
        self.nodes.of(
            key,
            || Ok(compute()),
            |prices| prices.as_ref().map_or(0, NodePrices::memory),
        )
    }
}

/// What was computed once, within a number of bytes: half of them for what was used lately, half for what was used before
/// that. What is in neither is computed again.
#[derive(Debug)]
struct Remembered<K, V> {
    halves: Mutex<Halves<K, V>>,
    most_bytes: usize,
}

#[derive(Debug)]
struct Halves<K, V> {
    lately: HashMap<K, (Arc<V>, usize)>,
    before: HashMap<K, (Arc<V>, usize)>,
    /// Of what was used lately.
    bytes: usize,
}

impl<K: Eq + Hash, V> Remembered<K, V> {
    fn new(most_bytes: usize) -> Self {
        Remembered {
            halves: Mutex::new(Halves {
                lately: HashMap::new(),
                before: HashMap::new(),
                bytes: 0,
            }),
            most_bytes,
        }
    }

    fn of(
        &self,
        key: K,
        compute: impl FnOnce() -> Result<V, Error>,
        bytes_of: impl FnOnce(&V) -> usize,
    ) -> Result<Arc<V>, Error> {
        let lock = || self.halves.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut halves = lock();
            if let Some((known, _)) = halves.lately.get(&key) {
                return Ok(Arc::clone(known));
            }
            if let Some((known, bytes)) = halves.before.remove(&key) {
                let found = Arc::clone(&known);
                halves.keep(key, known, bytes, self.most_bytes);
                return Ok(found);
            }
        }
        let made = Arc::new(compute()?);
        let bytes = bytes_of(&made) + BYTES_AROUND;
        lock().keep(key, Arc::clone(&made), bytes, self.most_bytes);
        Ok(made)
    }
}

impl<K: Eq + Hash, V> Halves<K, V> {
    fn keep(&mut self, key: K, value: Arc<V>, bytes: usize, most_bytes: usize) {
        if self.bytes + bytes > most_bytes / 2 {
            self.before = std::mem::take(&mut self.lately);
            self.bytes = 0;
        }
        if let Some((_, other)) = self.lately.insert(key, (value, bytes)) {
            self.bytes -= other;
        }
        self.bytes += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_remembered_than_there_is_room_for_and_what_is_used_stays() {
        let remembered = Remembered::new(10 * (1000 + BYTES_AROUND));
        let computed = std::cell::Cell::new(0);
        let ask = |key: u32| {
            let compute = || {
                computed.set(computed.get() + 1);
                Ok(key * 2)
            };
            let found = remembered.of(key, compute, |_| 1000).unwrap();
            assert_eq!(*found, key * 2);
        };
        for key in 0..1000 {
            ask(key);
            ask(7);
            let halves = remembered.halves.lock().unwrap();
            assert!(halves.lately.len() + halves.before.len() <= 10);
        }
        // Each once, and the one that was asked for again and again never a second time.
        assert_eq!(computed.get(), 1000);
        ask(999);
        assert_eq!(computed.get(), 1000);
        ask(3);
        assert_eq!(computed.get(), 1001);
    }
}
