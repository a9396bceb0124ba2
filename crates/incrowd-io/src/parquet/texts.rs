//! The texts that cells of a column refer to.

use incrowd_core::table::ValueList;
use std::sync::Arc;

/// The texts of values, and after them that of a missing one.
#[derive(Clone)]
pub(super) struct Texts {
    pub(super) list: Arc<ValueList>,
    pub(super) is_utf8: bool,
}

impl Texts {
    pub(super) fn new(mut list: ValueList) -> Texts {
        let is_text = |code: usize| std::str::from_utf8(list.text(code as u32)).is_ok();
        let is_utf8 = list.bytes().is_ascii() || (0..list.len()).all(is_text);
        list.push(b"");
        Texts {
            list: Arc::new(list),
            is_utf8,
        }
    }

    /// How many values there are.
    pub(super) fn values(&self) -> usize {
        self.list.len() - 1
    }
}
