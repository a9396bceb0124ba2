//! Errors of engines, as fields; message and hint are derived from them.
//!
//! What an engine says about an error may quote a cell, so it is shown only where that cannot be: when it refuses a
//! statement before it looks at any row.

mod codes;

use incrowd_io::EngineError;

/// Every error of a table in an engine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An address cannot be read. It may contain a password, so it is not quoted.
    #[error("the address of the table is not usable: {what}")]
    BadAddress {
        /// What is wrong with it.
        what: &'static str,
    },
    /// The engine is not part of this build.
    #[error("this program was compiled without {engine}")]
    NotBuilt {
        /// The engine.
        engine: &'static str,
        /// The feature that it needs.
        feature: &'static str,
    },
    /// The library of the engine is not there.
    #[error("the library of {engine} cannot be loaded")]
    NoDriver {
        /// The engine.
        engine: &'static str,
        /// The variable that may name it.
        variable: &'static str,
    },
    /// The server is not there, or refuses the login.
    #[error("cannot connect to {engine}: {why}")]
    NotConnected {
        /// The engine.
        engine: &'static str,
        /// What the client or the server says.
        why: String,
    },
    /// The connection broke.
    #[error("the connection to {engine} was lost")]
    ConnectionLost {
        /// The engine.
        engine: &'static str,
        /// What it was working on.
        doing: Doing,
    },
    /// The connection broke in the last step.
    #[error("the connection to {engine} was lost while it made the release visible")]
    PublishingUnknown {
        /// The engine.
        engine: &'static str,
        /// The table of the release.
        table: String,
        /// The query that tells what has become of it, if there is one.
        ask: Option<String>,
    },
    /// The table that a release replaces may have another name.
    #[error(
        "{engine} could not finish replacing `{table}`: the table that was there may now be called `{old}`"
    )]
    OldTableStays {
        /// The engine.
        engine: &'static str,
        /// The table of the release.
        table: String,
        /// What the old table may be called.
        old: String,
        /// Whether the release is known to be there, and was counted.
        is_complete: bool,
    },
    /// The table that a release replaces may no longer be in the catalog.
    #[error(
        "{engine} could not finish replacing `{table}`: the table that was there may be missing from the catalog"
    )]
    OldTableDropped {
        /// The engine.
        engine: &'static str,
        /// The table of the release.
        table: String,
        /// The format of the old table.
        format: String,
        /// Where its files are.
        location: String,
    },
    /// A directory that may hold a part of the release, or be left without anything.
    #[error(
        "{}: {cause}",
        match .is_empty {
            true => "the directory of the release may be left, without any row",
            false => "the directory of the release may hold only a part of it, or files of somebody else",
        }
    )]
    PathUnfinished {
        /// The directory.
        path: String,
        /// Whether no row is in it.
        is_empty: bool,
        /// What went wrong.
        cause: Box<Error>,
    },
    /// A token would be readable on its way.
    #[error("a token is sent over encrypted connections only")]
    TokenInTheOpen,
    /// An answer is larger than the engine hands out.
    #[error(
        "{engine} does not hand out {} at once{}",
        combinations_in_words(*.tuples),
        .limit.as_ref().map_or_else(String::new, |it| format!("; its limit is {it}"))
    )]
    ResultTooLarge {
        /// The engine.
        engine: &'static str,
        /// What it hands out at most, as it says itself.
        limit: Option<String>,
        /// The different combinations of values, once they were counted.
        tuples: Option<u64>,
        /// The rows that were looked at for the values of columns.
        rows_seen: u64,
        /// How many values each column has in these.
        columns: Vec<(String, u64)>,
    },
    /// A directory cannot be replaced.
    #[error("the directory of the release cannot be replaced whole")]
    PathNotReplaced,
    /// Somebody stopped a statement.
    #[error("{engine} was stopped")]
    Stopped {
        /// The engine.
        engine: &'static str,
        /// What it was working on.
        doing: Doing,
    },
    /// A statement was refused before any row was looked at.
    #[error("{engine} refuses a statement: {message}")]
    Refused {
        /// The engine.
        engine: &'static str,
        /// What it says.
        message: String,
        /// What it was working on.
        doing: Doing,
    },
    /// A statement failed. What the engine says may quote a cell.
    #[error("{engine} failed {doing}")]
    Failed {
        /// The engine.
        engine: &'static str,
        /// What it was working on.
        doing: Doing,
        /// The engine's code of the error.
        state: String,
    },
    /// There is no such table.
    #[error("there is no table `{table}`")]
    NoSuchTable {
        /// Its name.
        table: String,
        /// The engine.
        engine: &'static str,
    },
    /// A query is more than one.
    #[error("the query of the address is not a single query")]
    NotOneQuery,
    /// A right is missing.
    #[error("the login may not do what the job needs: {message}")]
    NoRight {
        /// What the engine says, which names the object.
        message: String,
        /// What it was working on.
        doing: Doing,
    },
    /// The target is there.
    #[error("there is already a table `{table}`")]
    TargetExists {
        /// Its name.
        table: String,
    },
    /// The name of the target is taken by something else.
    #[error("`{table}` is not a table that could be replaced")]
    TargetNotTable {
        /// Its name.
        table: String,
    },
    /// The target is needed.
    #[error("`{table}` cannot be replaced: it is read by this job, or other objects depend on it")]
    TargetInUse {
        /// Its name.
        table: String,
    },
    /// The target is not a table.
    #[error("a release cannot be written to a query")]
    TargetIsQuery,
    /// No space is left.
    #[error("{engine} has no space left")]
    EngineFull {
        /// The engine.
        engine: &'static str,
        /// What it was working on.
        doing: Doing,
    },
    /// A name is too long.
    #[error("the name of {what} has {bytes} bytes, more than the {limit} that {engine} stores")]
    NameTooLong {
        /// What has the name.
        what: String,
        /// The bytes of the name.
        bytes: usize,
        /// The most that it may have.
        limit: usize,
        /// The engine.
        engine: &'static str,
    },
    /// Two names are the same to the engine.
    #[error("columns {first} and {second} have names that {engine} takes for the same")]
    NamesAlike {
        /// The first, from 1.
        first: usize,
        /// The second, from 1.
        second: usize,
        /// The engine.
        engine: &'static str,
    },
    /// A name cannot be stored.
    #[error("the name of {what} contains a zero byte")]
    NameBroken {
        /// What has the name.
        what: String,
    },
    /// A column cannot be used in this way.
    #[error(
        "column `{column}` cannot be generalized: its values are not single texts, numbers or dates"
    )]
    Unsupported {
        /// The column.
        column: String,
        /// Its type in the engine.
        kind: String,
    },
    /// A text cannot be stored.
    #[error(
        "a cell or label of column `{column}` contains a zero byte, which {engine} cannot store"
    )]
    NulText {
        /// The column.
        column: String,
        /// The engine.
        engine: &'static str,
    },
    /// A value cannot be read.
    #[error("column `{column}` holds a date or time that is infinite or too far away to be read")]
    OutOfRange {
        /// The column.
        column: String,
    },
    /// More rows than can be counted.
    #[error("the table has {rows} rows or more, and at most {limit} can be counted")]
    TooManyRows {
        /// Rows of the table, or of one combination.
        rows: u64,
        /// The most that can be counted.
        limit: u64,
    },
    /// More combinations than memory has room for.
    #[error(
        "the table has {tuples} different combinations of values, which take {} MB of memory; {}",
        .bytes.div_ceil(1_000_000),
        limit_in_words(*.limit, *.is_limit)
    )]
    TooManyTuples {
        /// The different combinations of values.
        tuples: u64,
        /// What they take once they are counted.
        bytes: u64,
        /// What they may take.
        limit: u64,
        /// Whether somebody has set that; otherwise it is what the machine has left.
        is_limit: bool,
        /// The rows that were looked at for the values of columns.
        rows_seen: u64,
        /// How many values each column has in these.
        columns: Vec<(String, u64)>,
    },
    /// The draft is not the release.
    #[error("what {engine} has written is not the release that was checked")]
    DraftDiffers {
        /// The engine.
        engine: &'static str,
        /// What differs.
        what: &'static str,
    },
    /// The rows are not those counted.
    #[error("the table changed while the job ran")]
    InputChanged,
}

fn combinations_in_words(tuples: Option<u64>) -> String {
    match tuples {
        Some(tuples) => format!("the {tuples} different combinations of values of the table"),
        None => "as many different combinations of values".to_owned(),
    }
}

fn limit_in_words(limit: u64, is_limit: bool) -> String {
    let megabytes = limit / 1_000_000;
    match is_limit {
        true => format!("the limit is {megabytes} MB"),
        false => format!("this machine has {megabytes} MB left"),
    }
}

/// What an engine is doing, in words that follow a verb.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Doing {
    /// Beginning, looking at names and types.
    Preparing,
    /// The first pass.
    Counting,
    /// Handing out rows.
    Reading,
    /// Taking the mapping tables.
    Uploading,
    /// The second pass.
    Recoding,
    /// Counting what was written.
    Recounting,
    /// Taking rows.
    Writing,
    /// Making the release visible.
    Publishing,
}

impl std::fmt::Display for Doing {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Doing::Preparing => "while it looked at the table",
            Doing::Counting => "while it counted the rows",
            Doing::Reading => "while it handed out rows",
            Doing::Uploading => "while it took the mapping tables",
            Doing::Recoding => "while it recoded the rows",
            Doing::Recounting => "while it counted the rows written",
            Doing::Writing => "while it took the rows of the release",
            Doing::Publishing => "while it made the release visible",
        })
    }
}

/// What becomes of files about a release of which nobody knows whether it is there.
const ASIDE: &str = "certificate and report, if there are any, wait beside their places, and are called `.unconfirmed`";

impl EngineError for Error {
    fn code(&self) -> &'static str {
        Error::code(self)
    }

    fn place(&self) -> Option<String> {
        match self {
            Error::ConnectionLost { doing, .. }
            | Error::Stopped { doing, .. }
            | Error::Refused { doing, .. }
            | Error::NoRight { doing, .. }
            | Error::EngineFull { doing, .. } => Some(doing.to_string()),
            Error::Failed { state, .. } => Some(format!("the engine's code is {state}")),
            Error::PathUnfinished { path, .. } => Some(path.clone()),
            Error::OldTableDropped { location, .. } => Some(format!("its files are in {location}")),
            Error::Unsupported { kind, .. } => Some(format!("its type is {kind}")),
            Error::DraftDiffers { what, .. } => Some((*what).to_owned()),
            Error::TooManyTuples {
                rows_seen, columns, ..
            }
            | Error::ResultTooLarge {
                rows_seen, columns, ..
            } if !columns.is_empty() => {
                let values = columns.iter().map(|(name, n)| format!("`{name}` {n}"));
                let values = values.collect::<Vec<_>>().join(", ");
                Some(format!("values by column, in {rows_seen} rows: {values}"))
            }
            _ => None,
        }
    }

    fn hint(&self) -> String {
        match self {
            Error::BadAddress { .. } => {
                "write `postgres://user@host/database?table=schema.name`, `duckdb:FILE?table=name` or \
                 `sc://host:port/?table=catalog.schema.name`, or `?query=SELECT ...` for reading; the password comes from \
                 PGPASSWORD or ~/.pgpass, a token from SPARK_CONNECT_AUTHENTICATE_TOKEN"
                    .into()
            }
            Error::NotBuilt { feature, .. } => format!(
                "compile it with `cargo build --release --package incrowd-cli --features {feature}`, or export the table to a \
                 CSV or Parquet file"
            ),
            Error::NoDriver { engine, variable } => format!(
                "install {engine} as a shared library where the system looks for libraries, or name the file with {variable}"
            ),
            Error::NotConnected {
                engine: "DuckDB", ..
            } => "check the path, and that no other program is writing to the file".into(),
            Error::NotConnected {
                engine: "Spark Connect",
                ..
            } => "check host and port, and whether the server wants `;use_ssl=true` and a token \
                  (SPARK_CONNECT_AUTHENTICATE_TOKEN); with TLS it must show a certificate that the system trusts, or that \
                  the file named by `sslrootcert=FILE` has signed"
                .into(),
            Error::NotConnected { .. } => {
                "check host, port, database, user and password (PGPASSWORD or ~/.pgpass); a server elsewhere must show a \
                 certificate that the system trusts, or that the file named by `sslrootcert=FILE` has signed"
                    .into()
            }
            Error::ConnectionLost {
                engine: "Spark" | "Sail",
                ..
            } => "nothing was published; run the job again, and drop tables that are left with names that begin with \
                  `incrowd_draft_`"
                .into(),
            Error::ConnectionLost { .. } => {
                "nothing was published, and the database undoes what was begun; run the job again".into()
            }
            Error::PublishingUnknown { ask: Some(ask), table, .. } => format!(
                "ask the database `{ask}`: if it is `committed`, `{table}` is the release and complete, if `aborted`, nothing \
                 has changed; {ASIDE}"
            ),
            Error::PublishingUnknown { table, .. } => format!(
                "look whether `{table}` is there: if so, it is complete, and a table that it replaced may be left under a name \
                 that begins with `incrowd_old_`; if not, run the job again; {ASIDE}"
            ),
            Error::OldTableStays { table, old, is_complete: true, .. } => format!(
                "`{table}` is the release and complete; drop `{old}`, if it is still there; {ASIDE}"
            ),
            Error::OldTableStays { table, old, .. } => format!(
                "look whether there is a table `{old}`: if not, nothing has changed; if so, it is the old table, and `{table}`, \
                 if there is one too, is the release and complete: drop one, or rename `{old}` to `{table}`; {ASIDE}"
            ),
            Error::OldTableDropped { table, format, location, .. } => format!(
                "ask `DESCRIBE TABLE EXTENDED {table}`: if its location is `{location}`, nothing has changed; if it is another \
                 one, it is the release and complete; if there is no such table, `CREATE TABLE {table} USING {format} LOCATION \
                 '{location}'` brings the old one back; {ASIDE}"
            ),
            Error::PathUnfinished { is_empty: true, .. } => {
                "nothing was published; see to the cause, remove the empty directory, if it is there, and run the job again".into()
            }
            Error::PathUnfinished { cause, .. } if matches!(**cause, Error::ConnectionLost { .. }) => format!(
                "it may hold the whole release, a part of it, or nothing, and `incrowd verify` with the certificate tells which; \
                 if it is not whole, or there is no certificate, remove the directory and run the job again; {ASIDE}"
            ),
            Error::PathUnfinished { cause, .. }
                if matches!(
                    **cause,
                    Error::Stopped {
                        doing: Doing::Recounting,
                        ..
                    }
                ) =>
            {
                "it holds all rows of the release, which were not counted again, and nothing in it was removed; remove the \
                 directory, and run the job again"
                    .into()
            }
            Error::PathUnfinished { .. } => {
                "nothing in it was removed, as somebody else may have written there at the same moment; remove the directory, \
                 and run the job again when nobody else writes there"
                    .into()
            }
            Error::TokenInTheOpen => "remove `use_ssl=false` from the address".into(),
            Error::ResultTooLarge { .. } => {
                "make the columns with the most values coarser in a query, as in `?query=SELECT date_trunc('month', born) AS \
                 born, ...`, or leave them out; or raise `spark.driver.maxResultSize` of the server"
                    .into()
            }
            Error::PathNotReplaced => {
                "choose a new path, or write to a table, which can be replaced".into()
            }
            Error::Stopped { .. } => "nothing was published; run the job again".into(),
            Error::Refused { .. } => "check the query and the names in the address".into(),
            Error::Failed { .. } => {
                "nothing was published; the log of the database says more about the code".into()
            }
            Error::NoSuchTable { .. } => {
                "letters count as they are written, and PostgreSQL stores names in lower case unless they were quoted; name the \
                 schema too, as in `table=schema.name`"
                    .into()
            }
            Error::NotOneQuery => {
                "write one SELECT, with every parenthesis closed and without semicolons".into()
            }
            Error::NoRight { .. } => {
                "grant SELECT on the table and CREATE on the schema of the release; PostgreSQL needs TEMPORARY on the database \
                 too, and servers of Spark and Sail the right to write their files; a DuckDB file must be writable"
                    .into()
            }
            Error::TargetExists { .. } => {
                "choose another name, or pass `--replace`; at a path there must be nothing, not even an empty directory".into()
            }
            Error::TargetNotTable { .. } => "choose another name for the release".into(),
            Error::TargetInUse { .. } => {
                "write the release to another table, or drop the views that read this one; nothing was changed".into()
            }
            Error::TargetIsQuery => "name a table, as in `?table=schema.name`".into(),
            Error::EngineFull { .. } => {
                "free some space on its server; nothing was published, and the database undoes what was begun".into()
            }
            Error::NameTooLong { .. } | Error::NameBroken { .. } | Error::NamesAlike { .. } => {
                "rename it, for example in a query or a copy of the table".into()
            }
            Error::Unsupported { .. } => {
                "give it another role, or turn it into single values in a query".into()
            }
            Error::NulText { .. } => "remove the zero bytes, or write to a file".into(),
            Error::OutOfRange { .. } => {
                "turn such values into NULL or text in a query".into()
            }
            Error::TooManyRows { .. } => {
                "anonymize parts of the table, chosen by a query".into()
            }
            Error::TooManyTuples { is_limit, bytes, .. } => {
                let more = match is_limit {
                    true => format!("raise --memory-limit to {}M or more", bytes.div_ceil(1_000_000)),
                    false => "take a machine with more memory".to_owned(),
                };
                format!(
                    "make the columns with the most values coarser in a query, as in `?query=SELECT date_trunc('month', born) \
                     AS born, ...`, or leave them out; or {more}, of which the search needs some times as much again"
                )
            }
            Error::DraftDiffers { .. } => {
                "nothing was published; please report it, with the versions of both programs".into()
            }
            Error::InputChanged => {
                "nothing was written; run again when the input no longer changes, or on a copy of it".into()
            }
        }
    }

    fn is_stop(&self) -> bool {
        matches!(self, Error::Stopped { .. })
    }

    fn is_change(&self) -> bool {
        matches!(self, Error::InputChanged)
    }

    fn is_unknown(&self) -> bool {
        match self {
            Error::PublishingUnknown { .. }
            | Error::OldTableStays { .. }
            | Error::OldTableDropped { .. } => true,
            Error::PathUnfinished { cause, .. } => matches!(**cause, Error::ConnectionLost { .. }),
            _ => false,
        }
    }
}

#[cfg(feature = "engine")]
impl Error {
    /// What an error of the last steps means for the table of the release.
    pub(crate) fn about_target(self, table: &str) -> Error {
        let table = table.to_owned();
        match self {
            Error::Failed { state, .. } if state == TAKEN || state == TAKEN_MEANWHILE => {
                Error::TargetExists { table }
            }
            Error::Failed { state, .. } if state == NEEDED => Error::TargetInUse { table },
            Error::PublishingUnknown { engine, ask, .. } => {
                Error::PublishingUnknown { engine, table, ask }
            }
            other => other,
        }
    }
}

/// The codes of the SQL standard and PostgreSQL for a name that is taken, one that another transaction has taken, and for
/// an object that others depend on.
#[cfg(feature = "engine")]
pub(crate) const TAKEN: &str = "42P07";
#[cfg(feature = "engine")]
const TAKEN_MEANWHILE: &str = "23505";
#[cfg(feature = "engine")]
const NEEDED: &str = "2BP01";

impl From<Error> for incrowd_io::Error {
    fn from(error: Error) -> Self {
        incrowd_io::Error::Engine(Box::new(error))
    }
}
