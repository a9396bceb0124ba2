//! Folders that tables are put into: a number each, held from the first byte until the table was read.
//!
//! When a table was read, those before it are removed. Another may be arriving at that moment; what somebody holds stays.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The folders of a server.
#[derive(Debug, Clone)]
pub(crate) struct TableFolders(Arc<Mutex<Numbers>>);

#[derive(Debug)]
struct Numbers {
    last: u64,
    held: BTreeSet<u64>,
}

/// A folder that is not removed while this exists.
#[derive(Debug)]
pub(crate) struct HeldFolder {
    pub(crate) number: u64,
    folders: TableFolders,
}

impl TableFolders {
    /// Folders with numbers after this one.
    pub(crate) fn after(last: u64) -> Self {
        let held = BTreeSet::new();
        TableFolders(Arc::new(Mutex::new(Numbers { last, held })))
    }

    fn lock(&self) -> MutexGuard<'_, Numbers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One that no table is in.
    pub(crate) fn next(&self) -> HeldFolder {
        let mut numbers = self.lock();
        numbers.last += 1;
        let number = numbers.last;
        numbers.held.insert(number);
        HeldFolder {
            number,
            folders: self.clone(),
        }
    }

    pub(crate) fn is_held(&self, number: u64) -> bool {
        self.lock().held.contains(&number)
    }
}

impl Drop for HeldFolder {
    fn drop(&mut self) {
        self.folders.lock().held.remove(&self.number);
    }
}
