//! A connection with all that is known about the engine behind it.

use crate::connection::Connection;
use crate::dialect::Dialect;
use crate::error::{Doing, Error};
use incrowd_io::{Cancel, EngineFacts};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

/// One connection, in one transaction. It ends, and undoes what was not published, when the last who uses it is gone.
pub(crate) struct Session {
    pub(crate) connection: Box<dyn Connection>,
    pub(crate) dialect: &'static dyn Dialect,
    /// Tells servers and databases apart; contains no secrets.
    pub(crate) place: String,
    pub(crate) version: String,
    pub(crate) snapshot: Option<String>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Session({})", self.dialect.engine())
    }
}

impl Session {
    pub(crate) fn engine(&self) -> &'static str {
        self.dialect.engine()
    }

    /// Runs statements one after the other.
    pub(crate) fn execute_all(&self, statements: &[String], doing: Doing) -> Result<(), Error> {
        let mut statements = statements.iter();
        statements.try_for_each(|statement| self.connection.execute(statement, doing))
    }

    pub(crate) fn facts(&self, table: String) -> EngineFacts {
        EngineFacts {
            engine: self.engine().to_owned(),
            version: self.version.clone(),
            table,
            snapshot: self.snapshot.clone(),
        }
    }
}

/// Stops what a session is doing, as long as there is one.
pub(crate) fn cancel(session: &Arc<Session>) -> Cancel {
    let session = Arc::downgrade(session);
    Arc::new(move || {
        if let Some(session) = session.upgrade() {
            session.connection.cancel();
        }
    })
}

/// A name that no other table has.
pub(crate) fn unique_name(purpose: &str) -> String {
    format!("incrowd_{purpose}_{:016x}", unique_number())
}

/// A number that nobody can guess: the key of the hash comes from the operating system.
pub(crate) fn unique_number() -> u64 {
    RandomState::new().build_hasher().finish()
}
