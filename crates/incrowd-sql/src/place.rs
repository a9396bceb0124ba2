//! Which server an address is about, without connecting to it.

use crate::address::Address;

/// Tells servers and databases apart, without connecting; none if the engine is not there.
pub(crate) fn place(address: &Address) -> Option<String> {
    match address.engine {
        #[cfg(feature = "postgres")]
        crate::address::Engine::Postgres => crate::postgres::place(address).ok(),
        #[cfg(feature = "duckdb")]
        crate::address::Engine::DuckDb => crate::duckdb::place(address).ok(),
        #[cfg(feature = "spark")]
        crate::address::Engine::Spark => crate::spark::place(address).ok(),
        #[allow(unreachable_patterns, reason = "not every engine is compiled in")]
        _ => None,
    }
}
