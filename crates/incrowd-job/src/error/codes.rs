//! A word for every error, for programs; see [`incrowd_core::error_codes`].

use super::Error;

incrowd_core::error_codes! {
    @wrapped {
        Error::Core(error) => error.code(),
        Error::Io(error) => error.code(),
        Error::Hierarchy { source, .. } => source.code(),
        Error::Unlisted { source, .. } => source.code(),
        Error::Index { source, .. } => source.code(),
    }
    Cancelled => "cancelled", "The user stopped the run.";
    JobFile => "job-file", "The job file cannot be read as one.";
    Unreadable => "unreadable", "A file other than the table cannot be read.";
    Folder => "folder", "A folder cannot be made.";
    NoData => "no-data", "No table was named.";
    Address => "address", "The table is an address that cannot be read yet.";
    CertificateAlone => "certificate-alone", "A certificate is asked for, and no release.";
    CertificateName => "certificate-name", "The certificate's file has the name of its readable twin.";
    CertificateTwin => "certificate-twin", "The readable twin of the certificate would overwrite a file that is no certificate.";
    AlreadyExists => "already-exists", "A file is already there.";
    StandardOutputTwice => "standard-output-twice", "The release and the JSON document would both go to standard output.";
    UnknownCommand => "unknown-command", "A command that does not exist.";
    Delimiter => "delimiter", "A delimiter that is not one.";
    Budget => "budget", "A budget that is not one.";
    BudgetBeyondTable => "budget-beyond-table", "More rows may be suppressed than there are.";
    TimeLimit => "time-limit", "A time that is not one.";
    WorkLimit => "work-limit", "A number of steps of work that is not one.";
    SinkUsed => "sink-used", "A sink that a job was handed has taken a release already.";
    TimeUpWriting => "time-up-writing", "Time was up before the release was checked and written; nothing was written.";
    TimeUpReading => "time-up-reading", "Time was up before all rows were counted.";
    NotTried => "not-tried", "The user asked to end a comparison before this algorithm's turn.";
    MaxLevels => "max-levels", "`--max-levels` cannot be read.";
    HierarchyFlag => "hierarchy-flag", "`--hierarchy` cannot be read.";
    UnknownColumn => "unknown-column", "A column that the table does not have.";
    TwoRoles => "two-roles", "A column is given two roles, or one role twice.";
    NoRole => "no-role", "Columns that nobody gave a role.";
    NoQuasiIdentifiers => "no-quasi-identifiers", "No quasi-identifiers are named.";
    NoPrivacyModel => "no-privacy-model", "No privacy model is required.";
    OutOfReach => "out-of-reach", "A promise that not even the whole table keeps.";
    UnknownName => "unknown-name", "A name that is in no registry.";
    SettingNotRead => "setting-not-read", "A setting that the algorithm does not have.";
    ClassSize => "class-size", "A class size to study that is no whole number from 1 on.";
    DialogueEnded => "dialogue-ended", "The dialogue ended before a release was agreed on.";
    LevelCount => "level-count", "Highest levels for another number of columns than there are quasi-identifiers.";
    NoSuchLevel => "no-such-level", "A level that the hierarchy does not have.";
    NoHierarchyFolder => "no-hierarchy-folder", "The folder of hierarchies is not there.";
    MisspeltRule => "misspelt-rule", "A hierarchy that is no file and nearly a rule.";
    AllRowsExcluded => "all-rows-excluded", "No row is left to publish.";
    InputChanged => "input-changed", "The input changed between the two passes over it.";
    ColumnNotInOriginal => "column-not-in-original", "The original has other columns than the release.";
    SeveralPromises => "several-promises", "More promises than can be negotiated at once.";
    IndexOfNothing => "index-of-nothing", "An index for a way that annotates nothing.";
    RequestLine => "request-line", "A line of a batch that is not a request.";
    Requests => "requests", "The lines of a batch cannot be read.";
    Answers => "answers", "Answers cannot be written.";
    RequestsRefused => "requests-refused", "Lines of a batch that were refused, each with an error of its own.";
    Share => "share", "A share that is not one.";
    StandardInputTwice => "standard-input-twice", "The table and the requests would both come from standard input.";
    JobNotWritten => "job-not-written", "A job that a job file cannot say.";
    StudyTooLarge => "study-too-large", "A study of a lattice that nobody could annotate.";
    NoParameters => "no-parameters", "A study of a model without parameters.";
    NotACertificate => "not-a-certificate", "A file given as a certificate is none.";
    CertificateDecides => "certificate-decides", "Roles or promises are given beside a certificate, which states them.";
    RevealingColumns => "revealing-columns", "Columns kept as they are would give people away.";
    WorkerLost => "worker-lost", "A thread ended without an answer. A mistake in incrowd.";
}

/// Every code that a front end can meet, with its meaning, in byte order.
///
/// Crates that refuse the same thing share a code; the meaning is then that of the outermost.
pub fn error_codes() -> Vec<(&'static str, &'static str)> {
    let all = [
        Error::CODES,
        incrowd_io::Error::CODES,
        incrowd_core::Error::CODES,
    ];
    let mut codes: Vec<(&str, &str)> = all.concat();
    codes.sort_by_key(|&(code, _)| code);
    codes.dedup_by_key(|&mut (code, _)| code);
    codes
}
