//! Runs jobs: a [`Job`](crate::Job) in, a result out. The only wiring between the core and the files.

pub(crate) mod anonymize;
pub(crate) mod asked;
pub(crate) mod batches;
pub(crate) mod choices;
pub(crate) mod compare;
pub(crate) mod control;
pub(crate) mod counted;
pub(crate) mod describe;
pub(crate) mod files;
pub(crate) mod hierarchies;
pub(crate) mod init;
pub(crate) mod input;
pub(crate) mod inspect;
pub(crate) mod levels;
pub(crate) mod memory;
pub(crate) mod models;
pub(crate) mod negotiation;
pub(crate) mod plan;
pub(crate) mod published_reader;
pub(crate) mod roles;
pub(crate) mod row_types;
pub(crate) mod schemes_study;
pub(crate) mod second_pass;
pub(crate) mod study;
pub(crate) mod unchanged;
pub(crate) mod verify;
