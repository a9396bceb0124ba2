//! Tables by their addresses.

use crate::address::Address;
use crate::error::Error;
use incrowd_io::{NewTable, RowSink, RowSource};
use std::sync::Arc;

/// The table at an address. Connects to its engine.
pub fn open(address: &str) -> Result<Arc<dyn RowSource>, incrowd_io::Error> {
    let address: Address = address.parse()?;
    match address.engine {
        #[cfg(feature = "postgres")]
        crate::address::Engine::Postgres => {
            let session = crate::postgres::connect(&address)?;
            Ok(Arc::new(crate::table::SqlTable::open(session, &address)?))
        }
        #[cfg(feature = "duckdb")]
        crate::address::Engine::DuckDb => {
            let session = crate::duckdb::connect(&address, false)?;
            Ok(Arc::new(crate::table::SqlTable::open(session, &address)?))
        }
        engine => Err(Error::NotBuilt {
            engine: engine.name(),
            feature: engine.feature(),
        }
        .into()),
    }
}

/// A new table at an address, for rows that come from elsewhere. Connects to its engine.
pub fn create(table: &NewTable<'_>) -> Result<Box<dyn RowSink>, incrowd_io::Error> {
    let address: Address = table.address.parse()?;
    match address.engine {
        #[cfg(feature = "postgres")]
        crate::address::Engine::Postgres => {
            let session = crate::postgres::connect(&address)?;
            Ok(Box::new(crate::sink::SqlSink::create(
                session, None, &address, table,
            )?))
        }
        #[cfg(feature = "duckdb")]
        crate::address::Engine::DuckDb => {
            let session = crate::duckdb::connect(&address, true)?;
            Ok(Box::new(crate::sink::SqlSink::create(
                session, None, &address, table,
            )?))
        }
        engine => Err(Error::NotBuilt {
            engine: engine.name(),
            feature: engine.feature(),
        }
        .into()),
    }
}
