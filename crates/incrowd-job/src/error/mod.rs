//! What can go wrong in a job, as fields; the sentence, the place and the hint are made from them.
//!
//! One enum wraps the errors of the crates below, so that every front end shows every error the same way:
//! a line in the terminal, `{code, message, place, hint}` over HTTP, an exception in Python.

mod codes;
mod hint;
mod place;
mod words;

pub use codes::error_codes;

use crate::report::outcome::Figure;
use crate::report::revealing::RevealingColumn;
use std::io;
use std::path::{Path, PathBuf};
use words::{both, some_columns, these_columns, unreadable};

/// Everything a job can be refused for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The core refused.
    #[error(transparent)]
    Core(#[from] incrowd_core::Error),
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] incrowd_io::Error),
    /// The user stopped the run.
    #[error("stopped before the end")]
    Cancelled,
    /// The job file cannot be read as one.
    #[error("the job file is wrong: {message}")]
    JobFile {
        /// The file, when there is one.
        path: Option<PathBuf>,
        /// The line, from 1.
        line: usize,
        /// The column in that line, from 1.
        column: usize,
        /// What the reader says.
        message: String,
    },
    /// A file other than the table cannot be read.
    #[error("{}", unreadable(path, *kind))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        kind: io::ErrorKind,
    },
    /// A folder cannot be made.
    #[error("the folder `{}` cannot be made", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the operating system says.
        kind: io::ErrorKind,
    },
    /// No table was named.
    #[error("no table is named")]
    NoData,
    /// Tables in databases cannot be read yet.
    #[error("`{scheme}://` addresses are not supported")]
    Address {
        /// What stands before `://`.
        scheme: String,
    },
    /// A certificate of nothing.
    #[error("a certificate is asked for, but no release")]
    CertificateAlone,
    /// The certificate's file has the name of its readable twin.
    #[error("a certificate cannot be named `*.txt`")]
    CertificateName {
        /// The file.
        path: PathBuf,
    },
    /// The readable twin of a certificate would take the place of a file that is none.
    #[error("the readable twin of the certificate would overwrite a file that is no certificate")]
    CertificateTwin {
        /// The file.
        path: PathBuf,
    },
    /// A file that should be a certificate and is not.
    #[error("`{}` is not a certificate: {message}", path.display())]
    NotACertificate {
        /// The file.
        path: PathBuf,
        /// What the reader says.
        message: String,
    },
    /// Roles or promises beside a certificate, which states its own.
    #[error("roles and promises are given beside a certificate")]
    CertificateDecides,
    /// A file is already there.
    #[error("{} of the files to write already exist", paths.len())]
    AlreadyExists {
        /// The files.
        paths: Vec<PathBuf>,
    },
    /// Two answers for one standard output.
    #[error("the release and the JSON document both go to standard output")]
    StandardOutputTwice,
    /// A command that does not exist.
    #[error("there is no command `{name}`")]
    UnknownCommand {
        /// The name given.
        name: String,
    },
    /// A delimiter that is not one.
    #[error("`{text}` is not a delimiter")]
    Delimiter {
        /// What was given.
        text: String,
    },
    /// A budget that is not one.
    #[error("`{text}` is not a number of rows or a share of them")]
    Budget {
        /// What was given.
        text: String,
    },
    /// More rows may be suppressed than there are.
    #[error("{limit} rows may be suppressed, but the table has only {rows}")]
    BudgetBeyondTable {
        /// What was given.
        limit: u64,
        /// Rows of the table.
        rows: u64,
    },
    /// A time that is not one.
    #[error("`{text}` is not a time")]
    TimeLimit {
        /// What was given.
        text: String,
    },
    /// The user asked to end a comparison before this algorithm's turn.
    #[error("not tried, as you asked for what there is so far")]
    NotTried,
    /// A number of steps of work that is not one.
    #[error("`{text}` is not a number of steps of work")]
    WorkLimit {
        /// What was given.
        text: String,
    },
    /// Time was up before all rows were counted.
    #[error("the time of {limit} was up while the table was read")]
    TimeUpReading {
        /// The time given.
        limit: String,
    },
    /// A sink that a job was handed has taken a release already.
    #[error("the sink of this job has taken a release already")]
    SinkUsed,
    /// Time was up before the release was checked and written.
    #[error("the time of {limit} was up while the release was checked and written")]
    TimeUpWriting {
        /// The time given.
        limit: String,
    },
    /// `--max-levels` cannot be read.
    #[error("`{text}` is not a list of levels")]
    MaxLevels {
        /// What was given.
        text: String,
    },
    /// `--hierarchy` cannot be read.
    #[error("`{text}` does not say which column the hierarchy is for")]
    HierarchyFlag {
        /// What was given.
        text: String,
    },
    /// A column that the table does not have.
    #[error("the table has no column `{column}`")]
    UnknownColumn {
        /// The name given.
        column: String,
        /// Where it was given, such as `quasi-identifiers`.
        named_in: &'static str,
        /// The table.
        input: String,
        /// How many columns the table has.
        columns: usize,
        /// The names most like it.
        nearest: Vec<String>,
        /// Whether the header seems to be a row already.
        is_row: bool,
    },
    /// A column named twice.
    #[error("column `{column}` is named {}", both(first, second))]
    TwoRoles {
        /// The column.
        column: String,
        /// The first list.
        first: &'static str,
        /// The second list; the first again when it is named twice there.
        second: &'static str,
    },
    /// Columns that nobody gave a role.
    #[error("{} no role", some_columns(columns, *is_row))]
    NoRole {
        /// The columns; by position where the header seems to be a row.
        columns: Vec<String>,
        /// Whether the header seems to be a row already.
        is_row: bool,
    },
    /// Kept columns that give people away, and that nobody has named.
    #[error("{} give people away if kept as they are", these_columns(columns))]
    RevealingColumns {
        /// The columns, each with its reasons.
        columns: Vec<RevealingColumn>,
    },
    /// Nothing can be generalized.
    #[error("no quasi-identifiers are named")]
    NoQuasiIdentifiers,
    /// Nothing is promised.
    #[error("no privacy model is required")]
    NoPrivacyModel,
    /// A promise that not even the whole table keeps.
    #[error("`{model}` is out of reach: the whole table, as one class, reaches {reached}")]
    OutOfReach {
        /// The model.
        model: String,
        /// What the whole table reaches.
        reached: Figure,
        /// Rows of the table.
        rows: u64,
    },
    /// A name that is in no registry.
    #[error("there is no {family} `{name}`")]
    UnknownName {
        /// `metric`, `algorithm`, ...
        family: &'static str,
        /// The name given.
        name: String,
        /// All that exist.
        known: Vec<&'static str>,
    },
    /// A setting that the algorithm does not read.
    #[error("{} no setting `{setting}`", owners(algorithms))]
    SettingNotRead {
        /// The algorithms to be run.
        algorithms: Vec<&'static str>,
        /// `script`, ...
        setting: String,
        /// The algorithms that have it.
        readers: Vec<&'static str>,
    },
    /// Class sizes to study that are none.
    #[error("`{text}` is not a class size")]
    ClassSize {
        /// What was given.
        text: String,
    },
    /// Choices that the data holder did not make.
    #[error("the dialogue ended before a release was agreed on")]
    DialogueEnded,
    /// Limits for another number of columns.
    #[error("{given} highest levels are given for {expected} quasi-identifiers")]
    LevelCount {
        /// How many levels.
        given: usize,
        /// How many quasi-identifiers.
        expected: usize,
    },
    /// A level above the last.
    #[error("column `{column}` has no level {level}")]
    NoSuchLevel {
        /// The column.
        column: String,
        /// The level given.
        level: u8,
        /// The last level.
        height: u8,
    },
    /// A hierarchy that is wrong, with the file it is in.
    #[error("{source}")]
    Hierarchy {
        /// The column.
        column: String,
        /// The file or the builder.
        from: String,
        /// What is wrong.
        source: Box<incrowd_core::Error>,
    },
    /// The folder of hierarchies is not there.
    #[error("there is no folder `{}`", path.display())]
    NoHierarchyFolder {
        /// The folder.
        path: PathBuf,
    },
    /// A hierarchy that is no file and nearly a rule.
    #[error("there is no file `{}`, and no such rule", path.display())]
    MisspeltRule {
        /// What was given.
        path: PathBuf,
        /// The rule most like it.
        rule: String,
    },
    /// Values of the table that a hierarchy file does not list.
    #[error("{source}")]
    Unlisted {
        /// The column.
        column: String,
        /// The hierarchy file.
        from: String,
        /// The table.
        input: String,
        /// Whether its cells have blanks around them, which a hierarchy seldom lists.
        has_padded_cells: bool,
        /// How many, where first.
        source: Box<incrowd_core::Error>,
    },
    /// No row is left to publish.
    #[error("every row of the table has a missing cell, so none is left to publish")]
    AllRowsExcluded {
        /// The table.
        input: String,
        /// Its rows.
        rows: u64,
    },
    /// The second pass met other rows than the first.
    #[error("the input changed between the two passes")]
    InputChanged {
        /// The input.
        input: String,
    },
    /// The original has other columns than the release.
    #[error("the release has a column `{column}` that the original does not have")]
    ColumnNotInOriginal {
        /// The column.
        column: String,
    },
    /// More promises than can be negotiated at once.
    #[error("one promise can be negotiated at a time, but there are {given}")]
    SeveralPromises {
        /// How many.
        given: usize,
    },
    /// An index for a way that annotates nothing.
    #[error("an index is asked for, but `lazy` annotates nothing that could be kept")]
    IndexOfNothing,
    /// An index that cannot be used, with its file.
    #[error("{source}")]
    Index {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: Box<incrowd_core::Error>,
    },
    /// A line of a batch that is not a request.
    #[error("the line is not a request: {message}")]
    RequestLine {
        /// What the reader says.
        message: String,
    },
    /// The lines of a batch cannot be read.
    #[error("the requests cannot be read")]
    Requests {
        /// What the operating system says.
        kind: io::ErrorKind,
    },
    /// Answers cannot be written.
    #[error("the answers cannot be written")]
    Answers {
        /// What the operating system says.
        kind: io::ErrorKind,
    },
    /// Lines of a batch that were refused, each with an error of its own.
    #[error("{refused} of {lines} requests were refused")]
    RequestsRefused {
        /// How many.
        refused: u64,
        /// Of how many.
        lines: u64,
    },
    /// A share that is not one.
    #[error("`{text}` is not a share")]
    Share {
        /// What was given.
        text: String,
    },
    /// Two inputs from one standard input.
    #[error("the table and the requests both come from standard input")]
    StandardInputTwice,
    /// A job that a job file cannot say.
    #[error("the job file `{}` cannot be written", path.display())]
    JobNotWritten {
        /// The file.
        path: PathBuf,
    },
    /// A study of a lattice that nobody could annotate.
    #[error("the lattice has {nodes} nodes, too many to study every one")]
    StudyTooLarge {
        /// Nodes of the lattice.
        nodes: u128,
        /// The most that can be studied.
        limit: u128,
    },
    /// A study of a model without parameters.
    #[error("no parameters are given for `{model}`")]
    NoParameters {
        /// The model.
        model: &'static str,
    },
    /// A program step ended without an answer.
    #[error("a worker stopped without an answer")]
    WorkerLost,
}

impl Error {
    /// A file other than the table that cannot be read.
    pub(crate) fn read(path: &Path, error: &io::Error) -> Error {
        Error::Unreadable {
            path: path.to_path_buf(),
            kind: error.kind(),
        }
    }
}

/// The names most like `name`, best first; none when nothing is like it.
pub(crate) fn nearest_names<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Vec<String> {
    let near = incrowd_core::card::nearest(name, known);
    near.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_an_error_is_the_name_of_its_kind() {
        assert_eq!(Error::NoQuasiIdentifiers.code(), "no-quasi-identifiers");
        let core = incrowd_core::Error::TooManyRows { limit: 3 };
        assert_eq!(Error::from(core).code(), "too-many-rows");
    }

    #[test]
    fn the_nearest_names_are_those_a_slip_of_the_finger_away() {
        let columns = ["age", "education", "education-num", "sex"];
        assert_eq!(nearest_names("agee", columns), ["age"]);
        assert_eq!(
            nearest_names("educ", columns),
            ["education", "education-num"]
        );
        assert!(nearest_names("zip", columns).is_empty());
    }
}

/// "the algorithm `optimal` has", "the algorithms `optimal`, `datafly` have".
fn owners(algorithms: &[&str]) -> String {
    match algorithms {
        [one] => format!("the algorithm `{one}` has"),
        all => format!("the algorithms `{}` have", all.join("`, `")),
    }
}
