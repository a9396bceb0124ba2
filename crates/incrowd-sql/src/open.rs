//! Tables by their addresses.

use crate::address::Address;
use incrowd_io::{Cancel, EngineHandle, NewTable, RowSink, RowSource};
use std::sync::Arc;

/// The table at an address. Connects to its engine. `writes_to` is where a release goes, which may be the same file: if
/// not, the file is only read. `note` gets what stops the engine, as soon as there is a connection: the engine may take long
/// to say what columns there are.
pub fn open(
    address: &str,
    writes_to: Option<&str>,
    note: &dyn Fn(Cancel),
) -> Result<Arc<dyn RowSource>, incrowd_io::Error> {
    let address: Address = address.parse()?;
    #[cfg(not(feature = "duckdb"))]
    let _ = writes_to;
    #[cfg(not(feature = "engine"))]
    let _ = note;
    match address.engine {
        #[cfg(feature = "postgres")]
        crate::address::Engine::Postgres => {
            let session = crate::postgres::connect(&address, note)?;
            Ok(Arc::new(crate::table::SqlTable::open(session, &address)?))
        }
        #[cfg(feature = "duckdb")]
        crate::address::Engine::DuckDb => {
            let target = writes_to.and_then(|target| target.parse::<Address>().ok());
            let target = target.and_then(|target| crate::place::place(&target));
            let is_same = target.is_some() && target == crate::place::place(&address);
            let access = match is_same {
                true => crate::duckdb::Access::Change,
                false => crate::duckdb::Access::Read,
            };
            let session = crate::duckdb::connect(&address, access)?;
            note(crate::session::cancel(&session));
            Ok(Arc::new(crate::table::SqlTable::open(session, &address)?))
        }
        #[cfg(feature = "spark")]
        crate::address::Engine::Spark => {
            let session = crate::spark::connect(&address, note)?;
            Ok(Arc::new(crate::table::SqlTable::open(session, &address)?))
        }
        #[cfg(not(all(feature = "postgres", feature = "duckdb", feature = "spark")))]
        engine => Err(crate::error::Error::NotBuilt {
            engine: engine.name(),
            feature: engine.feature(),
        }
        .into()),
    }
}

/// A new table at an address. If the table that `beside` is the handle of is in the same place, both share a connection
/// and a transaction, and rows need not leave the engine. `note` gets what stops the engine of another connection.
pub fn create(
    table: &NewTable<'_>,
    beside: Option<EngineHandle>,
    note: &dyn Fn(Cancel),
) -> Result<Box<dyn RowSink>, incrowd_io::Error> {
    let address: Address = table.address.parse()?;
    #[cfg(feature = "engine")]
    let source = beside.and_then(|handle| handle.held::<crate::relation::Relation>());
    #[cfg(feature = "engine")]
    let inside = |source: Arc<crate::relation::Relation>| {
        let session = Arc::clone(&source.session);
        let sink = crate::sink::SqlSink::create(session, Some(source), None, &address, table)?;
        Ok::<Box<dyn RowSink>, incrowd_io::Error>(Box::new(sink))
    };
    #[cfg(feature = "engine")]
    if let Some(source) = &source
        && crate::place::place(&address).is_some_and(|place| place == source.session.place)
    {
        return inside(Arc::clone(source));
    }
    #[cfg(not(feature = "engine"))]
    let _ = (beside, note);
    match address.engine {
        #[cfg(feature = "postgres")]
        crate::address::Engine::Postgres => {
            let session = crate::postgres::connect(&address, note)?;
            // A database has many addresses.
            if let Some(source) = &source
                && let Some(sign) = source.session.connection.sign()
                && session.connection.sees(sign)?
                && crate::postgres::is_same_login(&session.place, &source.session.place)
            {
                drop(session);
                return inside(Arc::clone(source));
            }
            let beside = source.as_deref();
            let sink = crate::sink::SqlSink::create(session, None, beside, &address, table)?;
            Ok(Box::new(sink))
        }
        #[cfg(feature = "duckdb")]
        crate::address::Engine::DuckDb => {
            let access = crate::duckdb::Access::Create;
            let session = crate::duckdb::connect(&address, access)?;
            note(crate::session::cancel(&session));
            let sink = crate::sink::SqlSink::create(session, None, None, &address, table)?;
            Ok(Box::new(sink))
        }
        #[cfg(feature = "spark")]
        crate::address::Engine::Spark => {
            let session = crate::spark::connect(&address, note)?;
            let beside = source.as_deref();
            let sink = crate::sink::SqlSink::create(session, None, beside, &address, table)?;
            Ok(Box::new(sink))
        }
        #[cfg(not(all(feature = "postgres", feature = "duckdb", feature = "spark")))]
        engine => Err(crate::error::Error::NotBuilt {
            engine: engine.name(),
            feature: engine.feature(),
        }
        .into()),
    }
}

#[cfg(test)]
mod tests {
    use crate::address::Engine;
    use crate::error::Error;
    use incrowd_io::EngineError;

    #[test]
    fn what_is_not_compiled_in_says_how_to_have_it() {
        for engine in [Engine::Postgres, Engine::DuckDb, Engine::Spark] {
            let feature = engine.feature();
            let error = Error::NotBuilt {
                engine: engine.name(),
                feature,
            };
            let hint = error.hint();
            assert!(hint.contains(&format!("--features {feature}")), "{hint}");
        }
    }
}
