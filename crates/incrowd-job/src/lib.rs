//! Runs a job: the file a user writes in, the JSON everybody reads out.
//!
//! The command line, the server and Python hold no decisions of their own; what they must agree on is here.
//! A [`Job`] is read from a file, flags are laid over it, and the whole is run.

mod anonymize;
mod asked;
mod batches;
mod certificate;
mod choices;
mod compare;
mod control;
mod counted;
mod csv_text;
mod describe;
mod error;
mod explain;
mod files;
mod hierarchies;
mod init;
mod input;
mod inspect;
mod job;
mod levels;
mod memory;
mod models;
mod negotiation;
mod outcome;
mod partitions;
mod plan;
mod published_reader;
mod row_types;
mod schemes_study;
mod second_pass;
mod stopped;
mod study;
mod unchanged;
mod verify;
mod visible;

pub use anonymize::{Show, anonymize, anonymize_with};
pub use certificate::{
    Certificate, Dialect, Generalized, Hashes, Lost, Measured, Program, Reached, Request,
};
pub use choices::{Chooser, Decision, leaves_choices};
pub use compare::{Comparison, Run, RunFailed, RunReached, compare};
pub use control::{Control, NoProgress, Phase, Progress, Standing};
pub use error::{Error, error_codes};
pub use explain::{Entry, Explanation, Family, explain};
pub use hierarchies::ColumnHierarchy;
pub use incrowd_core::algorithms::mu_argus::{Choice, View};
pub use init::{Initialized, init};
pub use inspect::{ColumnReport, Combination, Combinations, Inspection, ProposedRole, inspect};
pub use job::{
    Budget, Columns, Data, Delimiter, HierarchySource, Job, MissingCells, Others, Output, Privacy,
    Search, Suppressed, TimeLimit, Unlisted, WorkLimit,
};
pub use levels::{
    AgainstData, LevelReport, LevelsReport, build_levels, check_levels, write_levels,
};
pub use negotiation::{
    BatchSummary, Curve, GaveWay, Ground, Negotiated, Negotiation, NegotiationLattice,
    NegotiationSeconds, Offered, Options, Preparation, Terms, Wish, answer_lines, share, write_job,
};
pub use outcome::{
    AgainstOriginal, CertificateVerified, Distribution, Exposed, Figure, Figure128, FileWritten,
    Guarantee, HomogeneousClasses, LatticeSeen, LevelsFrom, Mismatch, Origin, Outcome, Over,
    PartitionSearch, PrivacyReached, RaisedAttribute, RowOrder, SafeAmong, SafeRecodings, Sample,
    Seconds, SingledOut, StepAction, StepTaken, UnchangedColumn, UnchangedRole, Unchecked, VERSION,
    Verification,
};
pub use plan::Plan;
pub use schemes_study::{
    Experiment, SchemesOptions, SchemesRow, SchemesStudy, SearchLimit, study_schemes,
};
pub use stopped::{Stopped, StoppedBy};
pub use study::{ImportanceRow, Study, StudyBudget, StudyOptions, StudyRow, study};
pub use unchanged::{Reason, RevealingColumn};
pub use verify::{CertificateCheck, verify, verify_certificate};
pub use visible::{visible, visible_json};
