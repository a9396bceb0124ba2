//! What is printed: text for people, JSON for programs.

pub(crate) mod advice;
pub(crate) mod choices;
pub(crate) mod comparison;
pub(crate) mod evaluation;
pub(crate) mod json;
pub(crate) mod negotiation;
mod page;
pub(crate) mod risk;
pub(crate) mod schemes;
pub(crate) mod simulation;
pub(crate) mod survival;
pub(crate) mod text;
