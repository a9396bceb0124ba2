//! Memory that stands for what is outside of it, in tests.

use super::{ListOutside, NotHeld, NumbersOutside, Overflow, Room};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Holds everything, and says where it came from.
#[derive(Debug, Default)]
pub(crate) struct Shelf(Mutex<HashMap<usize, Vec<u64>>>);

impl Shelf {
    /// So many bytes of memory, and a shelf for the rest.
    pub(crate) fn room(limit: usize) -> Room {
        Room {
            limit,
            overflow: Arc::new(Shelf::default()),
        }
    }
}

impl Overflow for Shelf {
    fn append(&self, part: usize, words: &[u64]) -> Result<(), NotHeld> {
        let mut parts = self.0.lock().unwrap();
        parts.entry(part).or_default().extend_from_slice(words);
        Ok(())
    }

    fn read(&self, part: usize) -> Result<Vec<u64>, NotHeld> {
        let parts = self.0.lock().unwrap();
        Ok(parts.get(&part).cloned().unwrap_or_default())
    }

    fn another(&self) -> Result<Box<dyn Overflow>, NotHeld> {
        Ok(Box::new(Shelf::default()))
    }

    fn list(&self) -> Result<Box<dyn ListOutside>, NotHeld> {
        Ok(Box::new(ShelfList::default()))
    }
}

#[derive(Debug, Default)]
struct ShelfList {
    words: Vec<u64>,
    halves: Vec<u32>,
}

impl ListOutside for ShelfList {
    fn add_words(&mut self, words: &[u64]) -> Result<(), NotHeld> {
        self.words.extend_from_slice(words);
        Ok(())
    }

    fn add_halves(&mut self, halves: &[u32]) -> Result<(), NotHeld> {
        self.halves.extend_from_slice(halves);
        Ok(())
    }

    fn end(self: Box<Self>) -> Result<Arc<dyn NumbersOutside>, NotHeld> {
        Ok(Arc::new(*self))
    }
}

impl NumbersOutside for ShelfList {
    fn words(&self) -> &[u64] {
        &self.words
    }

    fn halves(&self) -> &[u32] {
        &self.halves
    }
}
