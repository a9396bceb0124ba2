//! The server as others meet it: over HTTP.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod api;
mod audit;
mod deals;
mod guard;
mod limits;
mod preparing;
mod restart;
mod support;
mod trials;
