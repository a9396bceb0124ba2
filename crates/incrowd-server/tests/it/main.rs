//! The server as others meet it: over HTTP.

mod api;
mod audit;
mod deals;
mod guard;
mod limits;
mod restart;
mod support;
