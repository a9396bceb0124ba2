//! Results, as people and programs read them.
//!
//! Plain data with its JSON and its wording. The code that measures it is in [`run`](crate::run).

pub(crate) mod advice;
pub(crate) mod certificate;
pub(crate) mod choices;
pub(crate) mod comparison;
pub(crate) mod csv_text;
pub(crate) mod digits;
pub(crate) mod evaluation;
pub(crate) mod explain;
pub(crate) mod figure;
pub(crate) mod found;
pub(crate) mod outcome;
pub(crate) mod page;
pub(crate) mod picture;
pub(crate) mod pictured;
pub(crate) mod released;
pub(crate) mod research;
pub(crate) mod revealing;
pub(crate) mod risk;
pub(crate) mod shell;
pub(crate) mod simulation;
pub(crate) mod stopped;
pub(crate) mod survival;
pub(crate) mod visible;
