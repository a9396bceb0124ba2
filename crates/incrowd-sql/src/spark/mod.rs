//! Tables in Spark, Databricks and Sail, by Spark Connect.
//!
//! A client of our own for the few calls that are needed. Spark has no transactions: what is left to do, and to undo, is
//! in `publish.rs`.

mod answer;
mod client;
mod connection;
pub(crate) mod dialect;
mod files;
mod login;
mod messages;
mod plan;
mod publish;
mod said;
mod sending;
mod statement;

#[cfg(test)]
mod tests;

pub(crate) use login::{connect, place};
