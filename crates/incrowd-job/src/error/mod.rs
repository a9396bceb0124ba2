//! Errors of a job, as fields; message, place and hint are derived from them.
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

/// Every error of a job.
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
    #[error("stopped before the run finished")]
    Cancelled,
    /// The job file cannot be parsed.
    #[error("invalid job file: {message}")]
    JobFile {
        /// The file, when there is one.
        path: Option<PathBuf>,
        /// The line, from 1.
        line: usize,
        /// The column in that line, from 1.
        column: usize,
        /// What the parser says.
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
    /// A folder cannot be created.
    #[error("cannot create the folder `{}`", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the operating system says.
        kind: io::ErrorKind,
    },
    /// `serve` in a program that was compiled without it.
    #[error("this program was compiled without the workbench (feature `server`)")]
    ServerNotBuilt,
    /// No table was given.
    #[error("no table given")]
    NoData,
    /// An address of a kind that is not spoken here.
    #[error("`{scheme}://` addresses are not supported")]
    Address {
        /// The part before `://`.
        scheme: String,
    },
    /// A certificate without a release.
    #[error("a certificate is requested, but no release")]
    CertificateAlone,
    /// A report without a release.
    #[error("a report is requested, but no release")]
    ReportAlone,
    /// The certificate has the file name of its readable copy.
    #[error("a certificate cannot be named `*.txt`")]
    CertificateName {
        /// The file.
        path: PathBuf,
    },
    /// The readable copy of a certificate would replace a file that is not one.
    #[error(
        "the readable copy of the certificate would overwrite a file that is not a certificate"
    )]
    CertificateTwin {
        /// The file.
        path: PathBuf,
    },
    /// A file that should be a certificate but is not.
    #[error("`{}` is not a certificate: {message}", path.display())]
    NotACertificate {
        /// The file.
        path: PathBuf,
        /// What the parser says.
        message: String,
    },
    /// Roles or privacy models in addition to a certificate, which states its own.
    #[error("roles or privacy models are given in addition to a certificate")]
    CertificateDecides,
    /// A file already exists.
    #[error("{} of the files to write already exist", paths.len())]
    AlreadyExists {
        /// The files.
        paths: Vec<PathBuf>,
    },
    /// Two outputs on standard output.
    #[error("two results would both go to standard output")]
    StandardOutputTwice,
    /// A command that does not exist.
    #[error("there is no command `{name}`")]
    UnknownCommand {
        /// The name given.
        name: String,
    },
    /// An invalid delimiter.
    #[error("`{text}` is not a delimiter")]
    Delimiter {
        /// What was given.
        text: String,
    },
    /// An invalid budget.
    #[error("`{text}` is neither a number of rows nor a percentage")]
    Budget {
        /// What was given.
        text: String,
    },
    /// More rows may be suppressed than there are.
    #[error("`--max-suppressed` is {limit} rows, but the table has only {rows}")]
    BudgetBeyondTable {
        /// What was given.
        limit: u64,
        /// Rows of the table.
        rows: u64,
    },
    /// An invalid time limit.
    #[error("`{text}` is not a duration")]
    TimeLimit {
        /// What was given.
        text: String,
    },
    /// The user ended a comparison before this algorithm's turn.
    #[error("not tried, since you stopped the comparison")]
    NotTried,
    /// An invalid work limit.
    #[error("`{text}` is not a number of steps")]
    WorkLimit {
        /// What was given.
        text: String,
    },
    /// An invalid memory limit.
    #[error("`{text}` is not an amount of memory")]
    MemoryLimit {
        /// What was given.
        text: String,
    },
    /// The time limit was reached before all rows were counted.
    #[error("the time limit of {limit} was reached while reading the table")]
    TimeUpReading {
        /// The time limit.
        limit: String,
    },
    /// A release is visible in a database, but a file about it could not get its name.
    #[error("the release is published as `{release}`, but {} could not be written: {source}", .path.display())]
    PublishedWithout {
        /// Where the release is.
        release: String,
        /// The file.
        path: PathBuf,
        /// Where the file is instead, if it could be kept.
        aside: Option<PathBuf>,
        /// Why it could not be written.
        source: Box<incrowd_io::Error>,
    },
    /// The sink of a job already holds a release.
    #[error("the sink of this job already holds a release")]
    SinkUsed,
    /// The time limit was reached before the release was checked and written.
    #[error("the time limit of {limit} was reached while checking and writing the release")]
    TimeUpWriting {
        /// The time limit.
        limit: String,
    },
    /// The time limit was reached before a simulation was complete.
    #[error("the time limit of {limit} was reached while simulating")]
    TimeUpSimulating {
        /// The time limit.
        limit: String,
    },
    /// `--max-levels` cannot be parsed.
    #[error("`{text}` is not a list of levels")]
    MaxLevels {
        /// What was given.
        text: String,
    },
    /// A weight that is not one, or is given twice.
    #[error("`{text}` is not a weight")]
    WeightFlag {
        /// What was given.
        text: String,
    },
    /// A property of algorithms that none has, or a value that it cannot have.
    #[error("`{text}` is not a property of algorithms with one of its values")]
    PropertyFlag {
        /// What was given.
        text: String,
        /// The properties, or the values of the one that is meant.
        known: Vec<&'static str>,
    },
    /// Weights are given one by one and by a word.
    #[error("weights are given both by column and as a whole")]
    WeightsTwice,
    /// Values of levels that cannot be parsed, or are given twice.
    #[error("`{text}` does not give the values of levels")]
    LevelValuesFlag {
        /// What was given.
        text: String,
    },
    /// `--hierarchy` cannot be parsed.
    #[error("`{text}` does not name the column of the hierarchy")]
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
        /// The most similar names.
        nearest: Vec<String>,
        /// Whether the header seems to be a data row.
        is_row: bool,
    },
    /// A column named twice.
    #[error("column `{column}` is listed {}", both(first, second))]
    TwoRoles {
        /// The column.
        column: String,
        /// The first list.
        first: &'static str,
        /// The second list; the first again if it is listed twice there.
        second: &'static str,
    },
    /// Columns without a role.
    #[error("{} no role", some_columns(columns, *is_row))]
    NoRole {
        /// The columns; by position if the header seems to be a data row.
        columns: Vec<String>,
        /// Whether the header seems to be a data row.
        is_row: bool,
    },
    /// Kept columns that would reveal people, and that `--keep` does not name.
    #[error("{} reveal people if published unchanged", these_columns(columns))]
    RevealingColumns {
        /// The columns, each with its reasons.
        columns: Vec<RevealingColumn>,
    },
    /// A published text that stands for no value of its column.
    #[error(
        "{rows} rows have a text in column `{column}` that stands for no value of the raw table"
    )]
    UnreadText {
        /// The column.
        column: String,
        /// The file.
        input: String,
        /// How many rows have such a text.
        rows: u64,
        /// The first of them.
        row: u64,
    },
    /// Too many classes to learn.
    #[error(
        "the target `{target}` has {classes} values, and at most {most} can be learned as classes"
    )]
    TooManyClasses {
        /// The target.
        target: String,
        /// Its values.
        classes: u64,
        /// The most that are learned.
        most: u64,
    },
    /// More or fewer folds than rows allow.
    #[error("{rows} rows cannot be split into {folds} folds")]
    Folds {
        /// What was given.
        folds: u64,
        /// Rows of the table.
        rows: u64,
    },
    /// No column to judge.
    #[error("no column is left to judge")]
    NothingToJudge,
    /// Not one target for a study of what survives.
    #[error("a study of research value needs one column that the pattern is about")]
    SurvivalTarget,
    /// No rules for a study of what survives.
    #[error("a study of research value needs rules")]
    SurvivalRules,
    /// A study of research value in which no algorithm found a release.
    #[error(
        "none of {runs} runs found a release in which the pattern could survive; the first: {first}"
    )]
    SurvivalNothingFound {
        /// How many algorithms and class sizes were tried.
        runs: usize,
        /// What the first of them met.
        first: String,
        /// What to do about that.
        hint: String,
    },
    /// No target whose classes rules could tell.
    #[error("there is no target with classes that rules could tell about")]
    NothingToPartition,
    /// A release of another table.
    #[error("no row of the release could be a row of the raw table")]
    NotItsOriginal,
    /// Nothing can be generalized.
    #[error("no quasi-identifiers given")]
    NoQuasiIdentifiers,
    /// No privacy is required.
    #[error("no privacy model given")]
    NoPrivacyModel,
    /// A model that not even the whole table satisfies.
    #[error(
        "`{model}` cannot be reached: even the whole table as one class reaches only {reached}"
    )]
    OutOfReach {
        /// The model.
        model: String,
        /// What the whole table reaches.
        reached: Figure,
        /// Rows of the table.
        rows: u64,
    },
    /// An unknown name.
    #[error("there is no {family} `{name}`")]
    UnknownName {
        /// `metric`, `algorithm`, ...
        family: &'static str,
        /// The name given.
        name: String,
        /// All that exist.
        known: Vec<&'static str>,
    },
    /// A setting that the algorithm does not have.
    #[error("{} no setting `{setting}`", owners(algorithms))]
    SettingNotRead {
        /// The algorithms to be run.
        algorithms: Vec<&'static str>,
        /// `script`, ...
        setting: String,
        /// The algorithms that have it.
        readers: Vec<&'static str>,
    },
    /// A class size that is not a whole number of at least 1.
    #[error("`{text}` is not a class size")]
    ClassSize {
        /// What was given.
        text: String,
    },
    /// The data holder did not make all choices.
    #[error("the dialogue ended before a release was chosen")]
    DialogueEnded,
    /// Limits for a different number of columns.
    #[error("{given} levels are given for {expected} quasi-identifiers")]
    LevelCount {
        /// How many levels.
        given: usize,
        /// How many quasi-identifiers.
        expected: usize,
    },
    /// A level above the highest.
    #[error("column `{column}` has no level {level}")]
    NoSuchLevel {
        /// The column.
        column: String,
        /// The level given.
        level: u8,
        /// The highest level.
        height: u8,
    },
    /// An error in a hierarchy, with its file.
    #[error("{source}")]
    Hierarchy {
        /// The column.
        column: String,
        /// The file or the builder.
        from: String,
        /// What is wrong.
        source: Box<incrowd_core::Error>,
    },
    /// The folder of hierarchies does not exist.
    #[error("there is no folder `{}`", path.display())]
    NoHierarchyFolder {
        /// The folder.
        path: PathBuf,
    },
    /// A hierarchy that is not a file and resembles a rule.
    #[error("there is no file or rule `{}`", path.display())]
    MisspeltRule {
        /// What was given.
        path: PathBuf,
        /// The most similar rule.
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
        /// Whether its cells have whitespace around them, which a hierarchy rarely lists.
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
    /// The second pass read other rows than the first.
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
    /// More models than can be negotiated at once.
    #[error("only one privacy model can be negotiated at a time, but {given} are given")]
    SeveralPromises {
        /// How many.
        given: usize,
    },
    /// An index for a preparation that annotates nothing.
    #[error("`--index` is given, but `--how lazy` has nothing to save")]
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
    #[error("the line is not a valid request: {message}")]
    RequestLine {
        /// What the parser says.
        message: String,
    },
    /// The lines of a batch cannot be read.
    #[error("cannot read the requests")]
    Requests {
        /// What the operating system says.
        kind: io::ErrorKind,
    },
    /// Answers cannot be written.
    #[error("cannot write the answers")]
    Answers {
        /// What the operating system says.
        kind: io::ErrorKind,
    },
    /// Lines of a batch that were refused, each with its own error.
    #[error("{refused} of {lines} requests were refused")]
    RequestsRefused {
        /// How many.
        refused: u64,
        /// Of how many.
        lines: u64,
    },
    /// An invalid share.
    #[error("`{text}` is not a percentage")]
    Share {
        /// What was given.
        text: String,
    },
    /// Two inputs from one standard input.
    #[error("the table and the requests would both come from standard input")]
    StandardInputTwice,
    /// A job that a job file cannot express.
    #[error("cannot write the job file `{}`", path.display())]
    JobNotWritten {
        /// The file.
        path: PathBuf,
    },
    /// A study of a lattice that is too large to annotate.
    #[error("the lattice has {nodes} nodes, too many to study")]
    StudyTooLarge {
        /// Nodes of the lattice.
        nodes: u128,
        /// The most that can be studied.
        limit: u128,
    },
    /// A study of a model without parameters.
    #[error("no parameters given for `{model}`")]
    NoParameters {
        /// The model.
        model: &'static str,
    },
    /// Neither a table nor numbers of values to simulate.
    #[error("nothing to simulate: neither numbers of values nor a table given")]
    NothingToSimulate,
    /// A column without values.
    #[error("a simulation needs at least one column, and every column at least one value")]
    NoValues,
    /// More combinations than can be counted.
    #[error("there are too many combinations of values to count them")]
    TooManyCombinations,
    /// No number of rows to simulate.
    #[error("the number of rows is not given")]
    RowsNotGiven,
    /// A number of rows that cannot be simulated.
    #[error("tables of {rows} rows cannot be simulated")]
    SimulatedRows {
        /// What was given.
        rows: u64,
        /// The most that can be simulated.
        most: u64,
    },
    /// Too few or too many repeats.
    #[error("{repeats} repeats are too {}", if repeats < least { "few" } else { "many" })]
    Repeats {
        /// What was given.
        repeats: u64,
        /// The fewest.
        least: u64,
        /// The most.
        most: u64,
    },
    /// Rows are asked for that make something certain.
    #[error("no number of rows makes it certain that every combination occurs often enough")]
    CertainChance {
        /// The greatest percentage that can be asked for.
        greatest: f64,
    },
    /// A gate that cannot be parsed.
    #[error("`{text}` is not a gate")]
    Gate {
        /// What was given.
        text: String,
    },
    /// A gate about a figure that does not exist.
    #[error("there is no figure `{name}` to set a gate on")]
    GateFigure {
        /// What was given.
        name: String,
        /// Names that resemble it.
        nearest: Vec<String>,
    },
    /// A gate about a figure that cannot be found with what is given.
    #[error("the gate `{gate}` is about a figure that needs `{needed}`")]
    GateWithoutFigure {
        /// The gate.
        gate: String,
        /// The flag that is missing.
        needed: &'static str,
    },
    /// A threshold that is not a share.
    #[error("`{text}` is not a threshold")]
    Threshold {
        /// What was given.
        text: String,
    },
    /// A population with fewer people than the table has rows.
    #[error("a population of {people} people cannot contain the {rows} rows of the table")]
    PopulationTooSmall {
        /// What was given or counted.
        people: u64,
        /// Rows of the table.
        rows: u64,
        /// The table.
        input: String,
    },
    /// A model about a population, without one.
    #[error("`{model}` is about a population, and none is given")]
    PopulationNeeded {
        /// The model.
        model: &'static str,
    },
    /// A population, without a model about one.
    #[error("a population is given, and no promise is about one")]
    PopulationUnused,
    /// A model about a population where it cannot be judged.
    #[error("`{model}` cannot be used with {place}")]
    PopulationElsewhere {
        /// The model.
        model: &'static str,
        /// With what.
        place: &'static str,
    },
    /// No row matches anyone in the population.
    #[error("no row of the table matches anyone in the population")]
    PopulationUnmatched {
        /// The table.
        input: String,
        /// The table of the population.
        population: String,
    },
    /// More rows are needed than can be looked for, and no other number is given.
    #[error("more than {most} rows would be needed")]
    RowsOutOfReach {
        /// The most that are looked for.
        most: u64,
    },
    /// A thread ended without a result.
    #[error("a worker thread ended without a result")]
    WorkerLost,
}

impl Error {
    /// Whether nobody knows if the release is there.
    pub(crate) fn is_outcome_unknown(&self) -> bool {
        matches!(self, Error::Io(incrowd_io::Error::Engine(error)) if error.is_unknown())
    }

    /// A file other than the table that cannot be read.
    pub(crate) fn read(path: &Path, error: &io::Error) -> Error {
        Error::Unreadable {
            path: path.to_path_buf(),
            kind: error.kind(),
        }
    }

    /// Refuses an address of a kind that is not spoken here: taken for the name of a file, it would show its password.
    pub(crate) fn refuse_address(path: &str) -> Result<(), Error> {
        match path.split_once("://") {
            None => Ok(()),
            Some((scheme, _)) => Err(Error::Address {
                scheme: scheme.to_owned(),
            }),
        }
    }
}

/// The names most similar to `name`, best first; none if nothing is similar.
pub(crate) fn nearest_names<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Vec<String> {
    let near = incrowd_core::card::nearest(name, known);
    near.into_iter().map(str::to_owned).collect()
}

/// "the algorithm `optimal` has", "the algorithms `optimal`, `datafly` have".
fn owners(algorithms: &[&str]) -> String {
    match algorithms {
        [one] => format!("the algorithm `{one}` has"),
        all => format!("the algorithms `{}` have", all.join("`, `")),
    }
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
