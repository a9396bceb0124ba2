//! Which server an address is about, without connecting to it.

use crate::address::Address;

/// Tells servers and databases apart, without connecting; none if the engine is not there.
pub(crate) fn place(address: &Address) -> Option<String> {
    match address.engine {
        #[cfg(feature = "postgres")]
        crate::address::Engine::Postgres => crate::postgres::place(address).ok(),
        _ => None,
    }
}
