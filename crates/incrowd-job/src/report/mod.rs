//! What came of it: the answers that people and programs read.
//!
//! Plain data with its JSON and its words. Who measures what stands here is in [`run`](crate::run).

pub(crate) mod certificate;
pub(crate) mod choices;
pub(crate) mod csv_text;
pub(crate) mod explain;
pub(crate) mod outcome;
pub(crate) mod revealing;
pub(crate) mod stopped;
pub(crate) mod visible;
