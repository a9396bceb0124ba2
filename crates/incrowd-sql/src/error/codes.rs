//! A code for every error, for programs; see [`incrowd_core::error_codes`].

use super::Error;

incrowd_core::error_codes! {
    BadAddress => "bad-address", "The address of a table in a database is incomplete or broken.";
    NotBuilt => "engine-not-built", "The table is in a database that this build does not support.";
    NoDriver => "no-driver", "The library of a database engine is not installed.";
    NotConnected => "not-connected", "The database cannot be reached, or refuses the login.";
    ConnectionLost => "connection-lost", "The connection to the database was lost.";
    PublishingUnknown => "publishing-unknown", "The connection to the database was lost while it made the release visible.";
    OldTableStays => "old-table-stays", "The table that a release replaces could not be removed, or not be given its name again.";
    OldTableDropped => "old-table-dropped", "The table that a release replaces is perhaps no longer in the catalog; its files are there.";
    PathUnfinished => "path-unfinished", "The directory of a release may hold only a part of it, or files of somebody else, or be left empty.";
    TokenInTheOpen => "token-without-tls", "A token would be sent over a connection that is not encrypted.";
    ResultTooLarge => "result-too-large", "The database does not hand out an answer of this size.";
    PathNotReplaced => "path-not-replaced", "A directory cannot be replaced whole.";
    Stopped => "engine-stopped", "The database was stopped while it worked on a statement.";
    Refused => "statement-refused", "The database does not accept a statement, such as a query with a mistake.";
    Failed => "statement-failed", "The database could not carry out a statement.";
    NoSuchTable => "no-such-table", "The table does not exist in the database.";
    NotOneQuery => "not-one-query", "The query of an address is several statements, or closes a parenthesis that it did not open.";
    NoRight => "no-right", "The login lacks a right that the job needs in the database.";
    TargetExists => "target-exists", "A table has the name of the release.";
    TargetNotTable => "target-not-table", "Something other than a table has the name of the release.";
    TargetInUse => "target-in-use", "The table to be replaced is read by the job, or other objects depend on it.";
    TargetIsQuery => "target-is-query", "A release cannot be written to a query.";
    EngineFull => "engine-full", "The database has no space left.";
    NameTooLong => "name-too-long", "A name is longer than the database can store.";
    NamesAlike => "names-alike", "Two columns have names that the database cannot tell apart.";
    NameBroken => "name-broken", "A name contains a character that the database cannot store.";
    Unsupported => "unsupported-column-type", "A column has a type that cannot be converted to text or generalized.";
    NulText => "nul-text", "A cell or label contains a zero byte, which the database cannot store.";
    OutOfRange => "out-of-range", "A date or time lies outside what can be read.";
    TooManyRows => "too-many-rows", "More rows than a class size can count.";
    TooManyTuples => "too-many-tuples", "The combinations of values that a database has counted take more memory than the limit.";
    DraftDiffers => "draft-differs", "What the database has written is not the release that was checked.";
    InputChanged => "input-changed", "The input changed between the two passes over it.";
}
