//! The library of DuckDB, and the file that it opens.

use super::connection::DuckDbConnection;
use super::dialect::DuckDb;
use crate::address::Address;
use crate::connection::Connection;
use crate::dialect::Dialect;
use crate::error::{Doing, Error};
use crate::session::Session;
use adbc_core::options::{AdbcVersion, OptionDatabase, OptionValue};
use adbc_core::{Database, Driver, LOAD_FLAG_DEFAULT};
use adbc_driver_manager::ManagedDriver;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Names the library where it is not found by itself.
const LIBRARY: &str = "INCROWD_DUCKDB_LIBRARY";
const ENTRY: &[u8] = b"duckdb_adbc_init";

/// A file that is there for a release only, and goes with it if it does not appear.
pub(crate) struct NewFile(Option<PathBuf>);

impl NewFile {
    pub(super) fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            let beside = |ending: &str| {
                let mut beside = path.clone().into_os_string();
                beside.push(ending);
                beside
            };
            // What was not created needs no removing.
            let _ = std::fs::remove_file(beside(".wal"));
            let _ = std::fs::remove_dir_all(beside(".tmp"));
            let _ = std::fs::remove_file(path);
        }
    }
}

fn library() -> Result<ManagedDriver, Error> {
    let named = std::env::var_os(LIBRARY).filter(|path| !path.is_empty());
    let loaded = match named {
        Some(path) => {
            ManagedDriver::load_dynamic_from_filename(path, Some(ENTRY), AdbcVersion::V110)
        }
        None => {
            let name = if cfg!(windows) { "duckdb" } else { "libduckdb" };
            let file = format!("{name}{}", std::env::consts::DLL_SUFFIX);
            ManagedDriver::load_dynamic_from_filename(file, Some(ENTRY), AdbcVersion::V110).or_else(
                |_| {
                    let version = AdbcVersion::V110;
                    ManagedDriver::load_from_name(
                        "duckdb",
                        Some(ENTRY),
                        version,
                        LOAD_FLAG_DEFAULT,
                        None,
                    )
                },
            )
        }
    };
    loaded.map_err(|_| Error::NoDriver {
        engine: DuckDb.engine(),
        variable: LIBRARY,
    })
}

fn path(address: &Address) -> Result<PathBuf, Error> {
    let (_, path) = address.server.split_once(':').unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    match path.is_empty() || path == ":memory:" {
        true => Err(Error::BadAddress {
            what: "it names no file",
        }),
        false => Ok(PathBuf::from(path)),
    }
}

/// Tells files apart, whatever they are called: two connections of one program to a file would not notice each other.
pub(crate) fn place(address: &Address) -> Result<String, Error> {
    let path = path(address)?;
    #[cfg(unix)]
    if let Ok(found) = std::fs::metadata(&path) {
        use std::os::unix::fs::MetadataExt;
        return Ok(format!("duckdb {}:{}", found.dev(), found.ino()));
    }
    let whole = path.canonicalize().or_else(|_| std::path::absolute(&path));
    Ok(format!("duckdb {}", whole.unwrap_or(path).display()))
}

/// Whether somebody was stopped while he changed a file, whose changes are still beside it. Only who may change it can
/// bring them in.
fn has_log(path: &Path) -> bool {
    let mut log = path.to_owned().into_os_string();
    log.push(".wal");
    is_writable(path) && Path::new(&log).exists()
}

/// Whether this program may change a file.
fn is_writable(path: &Path) -> bool {
    std::fs::OpenOptions::new().append(true).open(path).is_ok()
}

/// What is done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Nothing is changed, and others may read it too.
    Read,
    /// It may be changed, but not begun.
    Change,
    /// It may be begun.
    Create,
}

/// Opens a file, and begins the transaction.
pub(crate) fn connect(address: &Address, access: Access) -> Result<Arc<Session>, Error> {
    let path = path(address)?;
    let engine = DuckDb.engine();
    let not_connected = |why: &str| Error::NotConnected {
        engine,
        why: why.to_owned(),
    };
    let is_there = path.exists();
    if !is_there && access != Access::Create {
        return Err(not_connected("there is no such file"));
    }
    let only_reads = access == Access::Read || !is_writable(&path);
    let mode = match is_there && only_reads && !has_log(&path) {
        true => "READ_ONLY",
        false => "AUTOMATIC",
    };
    let mut driver = library()?;
    let created = (!is_there).then(|| NewFile(Some(path.clone())));
    let text = |text: &str| OptionValue::String(text.to_owned());
    let options = [
        (
            OptionDatabase::Other("path".into()),
            text(&path.to_string_lossy()),
        ),
        (OptionDatabase::Other("access_mode".into()), text(mode)),
        // No code of others is loaded into a program that sees data about people.
        (
            OptionDatabase::Other("autoinstall_known_extensions".into()),
            text("false"),
        ),
        (
            OptionDatabase::Other("autoload_known_extensions".into()),
            text("false"),
        ),
        (
            OptionDatabase::Other("allow_community_extensions".into()),
            text("false"),
        ),
    ];
    let opened = driver.new_database_with_opts(options);
    let opened = opened.and_then(|database| database.new_connection());
    let connection = opened.map_err(|error| {
        let has = |words: &str| error.message.contains(words);
        if has("No space left on device") {
            let doing = Doing::Preparing;
            return Error::EngineFull { engine, doing };
        }
        match has("lock on file") {
            true => not_connected("another program has the file open"),
            false => not_connected("the file is not a database that this version reads"),
        }
    })?;
    let connection = DuckDbConnection::new(connection, created);
    for statement in DuckDb.begin() {
        connection.execute(&statement, Doing::Preparing)?;
    }
    let version = connection.ask("SELECT version()")?.concat();
    let transaction = connection
        .ask("SELECT CAST(txid_current() AS VARCHAR)")?
        .concat();
    Ok(Arc::new(Session {
        connection: Box::new(connection),
        dialect: &DuckDb,
        place: place(address)?,
        version,
        snapshot: Some(format!("transaction {transaction}")),
    }))
}
