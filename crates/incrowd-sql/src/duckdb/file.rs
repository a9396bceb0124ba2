//! The library of DuckDB, and the file that it opens.

use super::connection::DuckDbConnection;
use super::dialect::DuckDb;
use crate::address::Address;
use crate::connection::Connection;
use crate::dialect::Dialect;
use crate::error::{Doing, Error};
use crate::session::{Session, unique_name};
use adbc_core::options::{AdbcVersion, OptionDatabase, OptionValue};
use adbc_core::{Database, Driver, LOAD_FLAG_DEFAULT};
use adbc_driver_manager::{ManagedConnection, ManagedDriver};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Names the library where it is not found by itself.
const LIBRARY: &str = "INCROWD_DUCKDB_LIBRARY";
const ENTRY: &[u8] = b"duckdb_adbc_init";

/// A file that this program has begun for a release, and that goes with it if it does not appear. Nobody else may have
/// anything in it: it goes while it is still locked.
pub(crate) struct NewFile(Option<PathBuf>);

impl NewFile {
    /// Begins a file with this content; none if it is there.
    fn begin(path: &Path, content: &[u8]) -> std::io::Result<Option<NewFile>> {
        use std::io::Write;
        let mut options = std::fs::OpenOptions::new();
        match options.write(true).create_new(true).open(path) {
            Ok(mut file) => {
                let begun = NewFile(Some(path.to_owned()));
                file.write_all(content)?;
                Ok(Some(begun))
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(error),
        }
    }

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

/// A file that was opened, by which it is told from another one that has its name later.
pub(crate) struct OpenFile {
    path: PathBuf,
    /// None where the system does not number files.
    number: Option<(u64, u64)>,
}

impl OpenFile {
    fn of(path: &Path) -> OpenFile {
        OpenFile {
            path: path.to_owned(),
            number: number(path),
        }
    }

    /// Whether it still has its name. What is written to a file without a name is lost.
    pub(super) fn has_its_name(&self) -> bool {
        self.path.exists() && number(&self.path) == self.number
    }
}

/// What tells a file from all others.
fn number(path: &Path) -> Option<(u64, u64)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let found = std::fs::metadata(path).ok()?;
        Some((found.dev(), found.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
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
    if let Some((device, number)) = number(&path) {
        return Ok(format!("duckdb {device}:{number}"));
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

fn not_connected(why: &str) -> Error {
    Error::NotConnected {
        engine: DuckDb.engine(),
        why: why.to_owned(),
    }
}

fn full() -> Error {
    Error::EngineFull {
        engine: DuckDb.engine(),
        doing: Doing::Preparing,
    }
}

/// Why a file cannot be begun.
fn not_begun(error: &std::io::Error) -> Error {
    use std::io::ErrorKind::{NotFound, PermissionDenied, ReadOnlyFilesystem, StorageFull};
    match error.kind() {
        StorageFull => full(),
        NotFound => not_connected("there is no such folder"),
        PermissionDenied | ReadOnlyFilesystem => {
            not_connected("the file may not be created in its folder")
        }
        _ => not_connected("the file cannot be created"),
    }
}

/// Begins a file that is not there. DuckDB would open one that somebody else has begun meanwhile, and takes no empty one, so
/// the database is made elsewhere: of several jobs that begin a file, one has begun it.
fn begin(driver: &mut ManagedDriver, path: &Path) -> Result<Option<NewFile>, Error> {
    if path.exists() {
        return Ok(None);
    }
    let elsewhere = path.with_file_name(unique_name("begin"));
    let made = NewFile(Some(elsewhere.clone()));
    drop(database(driver, &elsewhere, "AUTOMATIC").map_err(|error| not_opened(&error, true))?);
    let content = std::fs::read(&elsewhere).map_err(|error| not_begun(&error))?;
    drop(made);
    NewFile::begin(path, &content).map_err(|error| not_begun(&error))
}

fn database(
    driver: &mut ManagedDriver,
    path: &Path,
    mode: &str,
) -> Result<ManagedConnection, adbc_core::error::Error> {
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
    let database = driver.new_database_with_opts(options)?;
    database.new_connection()
}

/// Whether somebody else has a file.
fn is_locked(error: &adbc_core::error::Error) -> bool {
    error.message.contains("lock on file")
}

fn not_opened(error: &adbc_core::error::Error, is_new: bool) -> Error {
    match error.message.contains("No space left on device") {
        true => full(),
        false if is_locked(error) => not_connected("another program has the file open"),
        false if is_new => not_connected("the file cannot be created in its folder"),
        false => not_connected("the file is not a database that this version reads"),
    }
}

/// Opens a file, and begins the transaction.
pub(crate) fn connect(address: &Address, access: Access) -> Result<Arc<Session>, Error> {
    let path = path(address)?;
    let mut driver = library()?;
    let begun = match access {
        Access::Create => begin(&mut driver, &path)?,
        Access::Read | Access::Change if path.exists() => None,
        Access::Read | Access::Change => return Err(not_connected("there is no such file")),
    };
    if access != Access::Read && !is_writable(&path) {
        return Err(Error::NoRight {
            message: "the file of the database may not be written".into(),
            doing: Doing::Preparing,
        });
    }
    let mode = match access == Access::Read && !has_log(&path) {
        true => "READ_ONLY",
        false => "AUTOMATIC",
    };
    let file = OpenFile::of(&path);
    let connection = match database(&mut driver, &path, mode) {
        Ok(connection) => connection,
        Err(error) => {
            if is_locked(&error) {
                // Whoever was quicker has it.
                begun.into_iter().for_each(NewFile::keep);
            }
            return Err(not_opened(&error, false));
        }
    };
    // Whoever began it may have removed it while it was being opened.
    if !file.has_its_name() {
        begun.into_iter().for_each(NewFile::keep);
        return Err(not_connected("the file was removed by another program"));
    }
    let connection = DuckDbConnection::new(connection, file, begun);
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
