//! What the errors of a server mean. What it says is repeated only where it has not looked at rows yet: it may quote cells.

use super::client::is_lost;
use crate::error::{Doing, Error, TAKEN};
use tonic::{Code, Status};

/// The longest text of a server that is repeated.
const LONGEST: usize = 300;

/// What a server says about a table that is not there.
const NOT_THERE: [&str; 5] = [
    "TABLE_OR_VIEW_NOT_FOUND",
    "SCHEMA_NOT_FOUND",
    "PATH_NOT_FOUND",
    "UNABLE_TO_INFER_SCHEMA",
    "Database not found",
];

/// Whether something is not there that a statement names.
pub(super) fn is_not_there(status: &Status) -> bool {
    NOT_THERE.iter().any(|it| status.message().contains(it))
}

/// Whether nothing is at the path that a statement names. Directories in which nothing can be read are there.
pub(super) fn is_path_free(status: &Status) -> bool {
    status.message().contains("PATH_NOT_FOUND")
}

/// Whether there is a directory at the path that a statement names, and no file in it that could be read.
pub(super) fn is_without_rows(status: &Status) -> bool {
    status.message().contains("UNABLE_TO_INFER_SCHEMA")
}

pub(super) fn explained(status: &Status, doing: Doing, engine: &'static str) -> Error {
    let message = status.message();
    let has = |words: &[&str]| words.iter().any(|it| message.contains(it));
    let forgotten = [
        "INVALID_HANDLE",
        "operation not found",
        "session not found",
        // Sail forgets an answer that it has sent, whether it has arrived or not.
        "task context not found",
    ];
    if is_lost(status) || has(&forgotten) {
        return Error::ConnectionLost { engine, doing };
    }
    if has(&["OPERATION_CANCELED"]) || status.code() == Code::Cancelled {
        return Error::Stopped { engine, doing };
    }
    if has(&["maxResultSize"]) {
        return Error::ResultTooLarge {
            engine,
            limit: limit_in(message),
            tuples: None,
            rows_seen: 0,
            columns: Vec::new(),
        };
    }
    let full = [
        "No space left on device",
        "OutOfMemoryError",
        "Resources exhausted",
        "Disk quota",
    ];
    if has(&full) || status.code() == Code::ResourceExhausted {
        return Error::EngineFull { engine, doing };
    }
    let no_right = [
        "Permission denied",
        "PERMISSION_DENIED",
        "INSUFFICIENT_PERMISSIONS",
        "INSUFFICIENT_PRIVILEGES",
        "AccessControlException",
        "Access Denied",
        "Read-only file system",
    ];
    let is_denied = matches!(
        status.code(),
        Code::PermissionDenied | Code::Unauthenticated
    );
    if is_denied || has(&no_right) {
        let message = match doing {
            Doing::Preparing => first_line(message),
            _ => format!("access is denied ({})", state(status)),
        };
        return Error::NoRight { message, doing };
    }
    if has(&["ALREADY_EXISTS", "already exists"]) {
        let state = TAKEN.into();
        return Error::Failed {
            engine,
            doing,
            state,
        };
    }
    match doing {
        Doing::Preparing => Error::Refused {
            engine,
            message: first_line(message),
            doing,
        },
        _ => Error::Failed {
            engine,
            doing,
            state: state(status),
        },
    }
}

/// The limit that a message names, as in `spark.driver.maxResultSize (1024.0 MiB)`.
fn limit_in(message: &str) -> Option<String> {
    let (_, after) = message.split_once("maxResultSize (")?;
    let (limit, _) = after.split_once(')')?;
    let mut letters = limit.bytes();
    let is_size =
        limit.len() < 20 && letters.all(|it| it.is_ascii_alphanumeric() || b" .".contains(&it));
    is_size.then(|| limit.to_owned())
}

/// The first line of a text, not too long.
pub(super) fn first_line(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default().trim();
    line.chars().take(LONGEST).collect()
}

/// The name of an error, which Spark puts in brackets at the beginning; without one, the name of the code.
fn state(status: &Status) -> String {
    let name = status.message().strip_prefix('[');
    let name = name.and_then(|rest| rest.split_once(']'));
    let is_name = |name: &str| {
        let mut letters = name.bytes();
        name.len() < 100 && letters.all(|it| it.is_ascii_uppercase() || it == b'_' || it == b'.')
    };
    match name.filter(|(name, _)| is_name(name)) {
        Some((name, _)) => name.to_owned(),
        None => format!("{:?}", status.code()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: Code, message: &str, doing: Doing) -> Error {
        explained(&Status::new(code, message), doing, "Spark")
    }

    #[test]
    fn nothing_is_repeated_once_rows_were_looked_at() {
        let messages = [
            "[CAST_INVALID_INPUT] The value 's3cret' cannot be cast",
            "Job aborted: s3cret",
            "[S3CRET s3cret] and so on",
            "[s3cret]",
            "s3cret: Permission denied",
            "[INSUFFICIENT_PERMISSIONS] of 's3cret: Access Denied'",
        ];
        for message in messages {
            for doing in [Doing::Counting, Doing::Recoding, Doing::Publishing] {
                for code in [Code::Internal, Code::PermissionDenied] {
                    let error = error(code, message, doing);
                    assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
                }
            }
        }
    }

    #[test]
    fn what_a_server_says_has_a_meaning() {
        let counting = Doing::Counting;
        let full = error(Code::Internal, "x: No space left on device", counting);
        assert!(matches!(full, Error::EngineFull { .. }));
        let large = "Total size of serialized results of 3 tasks (1100.2 MiB) is bigger than spark.driver.maxResultSize \
                     (1024.0 MiB)";
        let large = error(Code::Internal, large, counting);
        let is_told = |limit: &Option<String>| limit.as_deref() == Some("1024.0 MiB");
        assert!(matches!(&large, Error::ResultTooLarge { limit, .. } if is_told(limit)));
        let gone = "[INVALID_HANDLE.SESSION_CLOSED] The handle is invalid.";
        let gone = error(Code::Internal, gone, counting);
        assert!(matches!(gone, Error::ConnectionLost { .. }));
        let taken = "[TABLE_OR_VIEW_ALREADY_EXISTS] Cannot create table";
        let taken = error(Code::Internal, taken, Doing::Publishing).about_target("safe");
        assert!(matches!(taken, Error::TargetExists { .. }));
        let denied = error(Code::Internal, "/x: Permission denied", counting);
        assert!(matches!(denied, Error::NoRight { .. }));
        let mistake = error(
            Code::Internal,
            "[PARSE_SYNTAX_ERROR] at x",
            Doing::Preparing,
        );
        assert!(matches!(mistake, Error::Refused { .. }));
    }
}
