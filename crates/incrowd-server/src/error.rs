//! What went wrong, as people and programs read it over HTTP.

use incrowd_job::Error as JobError;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

/// Why the server does not start, or stops.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The port is taken, or may not be used.
    #[error("cannot listen on {address}: {kind}")]
    Listen {
        /// Where.
        address: String,
        /// Why not.
        kind: io::ErrorKind,
    },
    /// A file of the data folder cannot be read or written.
    #[error("cannot {what} `{}`: {kind}", path.display())]
    DataFolder {
        /// What was tried: `read`, `write`, `create`.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        kind: io::ErrorKind,
    },
    /// Another server uses the data folder.
    #[error("another server is using the data folder `{}`", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// A file of the data folder is not what it should be.
    #[error("`{}` is damaged", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// A folder without a table, or with several.
    #[error("the folder `{}` has {tables} tables", path.display())]
    TablesInFolder {
        /// The folder.
        path: PathBuf,
        /// How many.
        tables: usize,
    },
    /// The operating system has no random numbers.
    #[error("the operating system gives no random numbers for tokens")]
    NoRandomNumbers,
    /// The audit log is not the log that was written.
    #[error("the audit log `{}` is broken at entry {entry}", path.display())]
    AuditBroken {
        /// The file.
        path: PathBuf,
        /// The number of the first entry that is wrong.
        entry: u64,
    },
    /// A job cannot be run.
    #[error(transparent)]
    Job(#[from] JobError),
}

impl Error {
    pub(crate) fn folder(what: &'static str, path: &Path, error: &io::Error) -> Self {
        Error::DataFolder {
            what,
            path: path.to_owned(),
            kind: error.kind(),
        }
    }

    /// A code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Listen { .. } => "listen",
            Error::DataFolder { .. } => "data-folder",
            Error::InUse { .. } => "data-folder-in-use",
            Error::Damaged { .. } => "data-folder-damaged",
            Error::TablesInFolder { .. } => "tables-in-folder",
            Error::NoRandomNumbers => "no-random-numbers",
            Error::AuditBroken { .. } => "audit-broken",
            Error::Job(error) => error.code(),
        }
    }

    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Error::Listen { .. } => {
                "choose another port with `--port N`; `--port 0` takes any free one".into()
            }
            Error::DataFolder {
                what: "read",
                kind: io::ErrorKind::NotFound,
                ..
            } => "check the name: there is no such file or folder".into(),
            Error::DataFolder { .. } => {
                "choose a folder that you can write to with `--data-folder DIR`".into()
            }
            Error::InUse { .. } => {
                "stop the other server, or choose another folder with `--data-folder DIR`".into()
            }
            Error::Damaged { .. } => {
                "put the file back from a copy, or start with an empty folder: `--data-folder DIR`"
                    .into()
            }
            Error::TablesInFolder { .. } => {
                "name the table itself, such as `data/adult/adult.csv`".into()
            }
            Error::NoRandomNumbers => {
                "try again; on a machine that has just started it may take a moment".into()
            }
            Error::AuditBroken { .. } => {
                "entries before it are as they were written; compare the rest with a copy".into()
            }
            Error::Job(error) => error.hint(),
        }
    }
}

/// A request that is not answered: `{code, message, hint}` with a status.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Failure {
    #[serde(skip)]
    pub(crate) status: u16,
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: String,
    /// Seconds after which asking again may help.
    #[serde(skip)]
    pub(crate) retry_after: Option<u64>,
}

/// Every code that only the server has, with its status, for the description of the API.
pub(crate) const CODES: &[(&str, u16)] = &[
    ("bad-request", 400),
    ("no-token", 401),
    ("not-allowed", 403),
    ("outside-bounds", 403),
    ("wrong-host", 403),
    ("cross-site", 403),
    ("not-found", 404),
    ("wrong-method", 405),
    ("too-slow", 408),
    ("not-now", 409),
    ("table-changed", 409),
    ("too-large", 413),
    ("wrong-content-type", 415),
    ("not-answerable", 422),
    ("too-many-questions", 429),
    ("internal", 500),
    ("busy", 503),
];

impl Failure {
    /// A failure with one of [`CODES`].
    pub(crate) fn new(
        code: &'static str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        let known = CODES.iter().find(|(known, _)| *known == code);
        debug_assert!(known.is_some(), "{code} is not listed");
        Failure {
            status: known.map_or(500, |(_, status)| *status),
            code,
            message: message.into(),
            hint: hint.into(),
            retry_after: None,
        }
    }

    /// The same, which says when to ask again.
    pub(crate) fn retry_after(self, seconds: u64) -> Self {
        Failure {
            retry_after: Some(seconds),
            ..self
        }
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Failure::new(
            "bad-request",
            message,
            "see `/api/v1/openapi.json` for what this request takes",
        )
    }

    pub(crate) fn not_found(what: &str) -> Self {
        Failure::new(
            "not-found",
            format!("there is no such {what}"),
            "`GET /api/v1/state` lists what there is",
        )
    }

    pub(crate) fn not_counted() -> Self {
        Failure::new(
            "not-now",
            "the table is not counted yet",
            "the curator must give every column a role and count the table first",
        )
    }

    pub(crate) fn internal() -> Self {
        Failure::new(
            "internal",
            "something went wrong inside the server",
            "try again; if it happens again, please report it",
        )
    }
}

/// Nothing in an error of a job quotes a cell, but it may name files and exact numbers of rows: for the curator only.
impl From<JobError> for Failure {
    fn from(error: JobError) -> Self {
        let status = match &error {
            JobError::RequestLine { .. } => 400,
            JobError::Cancelled => 409,
            _ => 422,
        };
        let place = error.place();
        let message = match place {
            Some(place) => format!("{error} ({place})"),
            None => error.to_string(),
        };
        Failure {
            status,
            code: error.code(),
            message,
            hint: error.hint(),
            retry_after: None,
        }
    }
}

/// What went wrong with the data folder is for the curator; whoever asks learns that it failed.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Job(error) => error.into(),
            error => Failure {
                status: 500,
                code: error.code(),
                message: "the data folder of the server cannot be used".into(),
                hint: "the curator should look whether its disk is full or read-only".into(),
                retry_after: None,
            },
        }
    }
}
