//! A code for every error, for programs; see [`incrowd_core::error_codes`].

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
    JobFile => "job-file", "The job file cannot be parsed.";
    Unreadable => "unreadable", "A file other than the table cannot be read.";
    Folder => "folder", "A folder cannot be created.";
    ServerNotBuilt => "server-not-built", "`serve` was called in a program that was compiled without it.";
    NoData => "no-data", "No table was given.";
    Address => "address", "The table is a URL of a kind that is not supported.";
    CertificateAlone => "certificate-alone", "A certificate is requested, but no release.";
    ReportAlone => "report-alone", "A report is requested, but no release.";
    CertificateName => "certificate-name", "The certificate has the file name of its readable copy.";
    CertificateTwin => "certificate-twin", "The readable copy of the certificate would overwrite a file that is not a certificate.";
    AlreadyExists => "already-exists", "A file already exists.";
    StandardOutputTwice => "standard-output-twice", "Two results would both go to standard output.";
    UnknownCommand => "unknown-command", "A command that does not exist.";
    Delimiter => "delimiter", "An invalid delimiter.";
    Budget => "budget", "An invalid budget.";
    BudgetBeyondTable => "budget-beyond-table", "More rows may be suppressed than there are.";
    TimeLimit => "time-limit", "An invalid time limit.";
    WorkLimit => "work-limit", "An invalid work limit.";
    MemoryLimit => "memory-limit", "An invalid memory limit.";
    PublishedWithout => "published-without", "The release is visible in the database, but a certificate or report could not get its name.";
    SinkUsed => "sink-used", "The sink of a job already holds a release.";
    TimeUpWriting => "time-up-writing", "The time limit was reached before the release was checked and written; nothing was written.";
    TimeUpReading => "time-up-reading", "The time limit was reached before all rows were counted.";
    NotTried => "not-tried", "The user ended a comparison before this algorithm's turn.";
    MaxLevels => "max-levels", "`--max-levels` cannot be parsed.";
    WeightFlag => "weight-flag", "A weight cannot be parsed, is negative, or is given twice.";
    PropertyFlag => "property-flag", "A property of algorithms that none has, or a value that it cannot have.";
    WeightsTwice => "weights-twice", "Weights are given both by column and as a whole.";
    LevelValuesFlag => "level-values-flag", "Values of levels cannot be parsed, are negative, or are given twice.";
    HierarchyFlag => "hierarchy-flag", "`--hierarchy` cannot be parsed.";
    UnknownColumn => "unknown-column", "A column that the table does not have.";
    TwoRoles => "two-roles", "A column is given two roles, or one role twice.";
    NoRole => "no-role", "Columns without a role.";
    NoQuasiIdentifiers => "no-quasi-identifiers", "No quasi-identifiers are given.";
    NoPrivacyModel => "no-privacy-model", "No privacy model is given.";
    OutOfReach => "out-of-reach", "A model that not even the whole table satisfies.";
    UnknownName => "unknown-name", "An unknown name of a metric, algorithm or the like.";
    SettingNotRead => "setting-not-read", "A setting that the algorithm does not have.";
    ClassSize => "class-size", "A class size that is not a whole number of at least 1.";
    DialogueEnded => "dialogue-ended", "The dialogue ended before a release was chosen.";
    LevelCount => "level-count", "A list of levels does not have one level per quasi-identifier.";
    NoSuchLevel => "no-such-level", "A level that the hierarchy does not have.";
    NoHierarchyFolder => "no-hierarchy-folder", "The folder of hierarchies does not exist.";
    MisspeltRule => "misspelt-rule", "A hierarchy that is not a file and resembles a rule.";
    AllRowsExcluded => "all-rows-excluded", "No row is left to publish.";
    InputChanged => "input-changed", "The input changed between the two passes over it.";
    ColumnNotInOriginal => "column-not-in-original", "The release has a column that the original does not have.";
    SeveralPromises => "several-promises", "More models than can be negotiated at once.";
    IndexOfNothing => "index-of-nothing", "An index for a preparation that annotates nothing.";
    RequestLine => "request-line", "A line of a batch that is not a request.";
    Requests => "requests", "The lines of a batch cannot be read.";
    Answers => "answers", "Answers cannot be written.";
    RequestsRefused => "requests-refused", "Lines of a batch that were refused, each with its own error.";
    Share => "share", "An invalid percentage.";
    StandardInputTwice => "standard-input-twice", "The table and the requests would both come from standard input.";
    JobNotWritten => "job-not-written", "A job that a job file cannot express.";
    StudyTooLarge => "study-too-large", "A study of a lattice that is too large to annotate.";
    NoParameters => "no-parameters", "A study of a model without parameters.";
    NotACertificate => "not-a-certificate", "A file given as a certificate is not one.";
    CertificateDecides => "certificate-decides", "Roles or privacy models are given in addition to a certificate, which states them.";
    RevealingColumns => "revealing-columns", "Columns published unchanged would reveal people.";
    UnreadText => "unread-text", "A published text that stands for no value of its column.";
    TooManyClasses => "too-many-classes", "A target with more values than can be learned as classes.";
    Folds => "folds", "Fewer than two folds, or more than there are rows.";
    NothingToJudge => "nothing-to-judge", "No column is left to judge.";
    SurvivalTarget => "survival-target", "A study of research value without one column that the pattern is about.";
    SurvivalRules => "survival-rules", "A study of research value without rules.";
    SurvivalNothingFound => "survival-nothing-found", "A study of research value in which no algorithm found a release.";
    NothingToPartition => "nothing-to-partition", "Rules are asked for without a target that has classes.";
    NotItsOriginal => "not-its-original", "A release that cannot have been made from the raw table.";
    TimeUpSimulating => "time-up-simulating", "The time limit was reached before a simulation was complete.";
    NothingToSimulate => "nothing-to-simulate", "A simulation of neither numbers of values nor a table.";
    NoValues => "no-values", "A simulation without columns, or of a column without values.";
    TooManyCombinations => "too-many-combinations", "More combinations of values than can be counted.";
    RowsNotGiven => "rows-not-given", "A simulation without a number of rows.";
    SimulatedRows => "simulated-rows", "A number of rows that cannot be simulated.";
    Repeats => "repeats", "Too few or too many repeats of a simulation.";
    CertainChance => "certain-chance", "Rows are asked for that make something certain.";
    RowsOutOfReach => "rows-out-of-reach", "More rows would be needed than can be looked for.";
    Gate => "gate", "An invalid gate on a figure of risk.";
    GateFigure => "gate-figure", "A gate on a figure that does not exist.";
    GateWithoutFigure => "gate-without-figure", "A gate on a figure that cannot be found with what is given.";
    Threshold => "threshold", "An invalid threshold of risk.";
    PopulationTooSmall => "population-too-small", "A population with fewer people than the table has rows.";
    PopulationNeeded => "population-needed", "A privacy model about a population, without one.";
    PopulationUnused => "population-unused", "A population, without a privacy model about one.";
    PopulationElsewhere => "population-elsewhere", "A privacy model about a population where it cannot be judged.";
    PopulationUnmatched => "population-unmatched", "A population in which no row of the table matches anyone.";
    WorkerLost => "worker-lost", "A thread ended without a result. A bug in incrowd.";
}

/// Every code that a front end can encounter, with its meaning, in byte order.
///
/// Crates with the same error share a code; its meaning is then that of the outermost crate.
pub fn error_codes() -> Vec<(&'static str, &'static str)> {
    let all = [
        Error::CODES,
        incrowd_io::Error::CODES,
        incrowd_sql::Error::CODES,
        incrowd_core::Error::CODES,
    ];
    let mut codes: Vec<(&str, &str)> = all.concat();
    codes.sort_by_key(|&(code, _)| code);
    codes.dedup_by_key(|&mut (code, _)| code);
    codes
}
