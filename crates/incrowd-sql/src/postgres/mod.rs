//! PostgreSQL, by a client in Rust.
//!
//! One REPEATABLE READ transaction from the first look at the table to the COMMIT that publishes the release, so that both
//! passes see the same rows, and everything that is created disappears with it.

mod connection;
pub(crate) mod dialect;
mod login;
mod reach;
mod tls;
mod values;

pub(crate) use login::{connect, is_same_login, place};
