//! Tables in databases: real servers, started for the tests.

mod faults;
mod hostile;
mod postgres_server;
mod suite;
