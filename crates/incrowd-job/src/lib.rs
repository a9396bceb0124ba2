//! Runs a job: reads the file a user writes, and returns the JSON result.
//!
//! ```
//! use incrowd_job::{Job, MemoryTable, anonymize_table};
//! let patients = [
//!     ["Alva", "34", "45011", "asthma"], ["Bruno", "36", "45012", "influenza"],
//!     ["Dag", "61", "45201", "diabetes"], ["Elif", "64", "45204", "influenza"],
//! ];
//! let table = MemoryTable::new(["name", "age", "zip", "disease"], patients)?;
//! let job = Job::default()
//!     .identifying(["name"])
//!     .quasi_identifiers(["age", "zip"])
//!     .sensitive(["disease"])
//!     .promise("k-anonymity(k=2)");
//! let (release, outcome) = anonymize_table(&job, table)?;
//! assert_eq!(release.columns(), ["age", "zip", "disease"]);
//! assert!(outcome.privacy.iter().all(|promise| promise.holds));
//! # assert_eq!(release.rows().next().unwrap(), ["[30-39]", "4501*", "asthma"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The command line, the server and Python make no decisions of their own; whatever they must agree on is here. A
//! [`Job`] is read from a file, overridden by flags, and run.

mod error;
mod report;
mod run;
mod spec;

pub use error::{Error, error_codes};
pub use incrowd_core::algorithms::mu_argus::{Choice, View};
#[cfg(feature = "arrow")]
pub use incrowd_io::{ArrowSink, ArrowTable};
pub use incrowd_io::{MemorySink, MemoryTable, RowSink, RowSource};
pub use report::advice::{
    AdviceReport, CandidateTarget, ExcludedAlgorithm, RankedAlgorithm, TableFacts, TargetKind,
    Tried,
};
pub use report::certificate::{
    Certificate, Dialect, EngineStated, Engines, Generalized, Hashes, Lost, Measured,
    PopulationStated, Program, Reached, Request,
};
pub use report::comparison::{Comparison, Run, RunFailed, RunReached};
pub use report::digits::few_digits;
pub use report::evaluation::{
    Accuracy, Associated, Classified, ColumnDistance, Evaluation, Partitioning, QueriesAnswered,
    Regressed, Rmse, RuleBucket,
};
pub use report::explain::{Entry, Explanation, Family, explain};
pub use report::found::{PartitionSearch, SafeAmong, SafeRecodings, SafeString, StringsMet};
pub use report::outcome::{
    AgainstOriginal, CertificateVerified, Distribution, Exposed, Figure, Figure128, FileWritten,
    GivenAway, GivenAwayBy, Guarantee, HomogeneousClasses, LatticeSeen, LevelsFrom, Mismatch,
    Origin, Outcome, Over, PrivacyReached, RaisedAttribute, RowOrder, Sample, Seconds, SingledOut,
    StepAction, StepTaken, UnchangedColumn, UnchangedRole, Unchecked, VERSION, Verification,
};
pub use report::picture::Picture;
pub use report::research::{
    AttributeReached, ResearchAsked, ResearchValueReached, RuleKept, RuleReached, RuleStated,
};
pub use report::revealing::{Reason, RevealingColumn, labelled};
pub use report::risk::{
    AboveThreshold, CertainRows, EstimatedShares, GateJudged, Matched, PopulationEstimates,
    Presence, Reidentified, RiskReport, Risks, UniqueRows, Uniques,
};
pub use report::simulation::{Chance, Drawn, NeededByColumns, SimulatedColumn, Simulation};
pub use report::stopped::{Stopped, StoppedBy};
pub use report::survival::{BucketSurvived, SurvivalRow, SurvivalStudy, Survived};
pub use report::visible::{visible, visible_json};
pub use run::advise::{AdviseOptions, advise, candidate_targets};
pub use run::anonymize::{
    Made, Show, anonymize, anonymize_by, anonymize_table, anonymize_with, make_release,
};
pub use run::choices::{Chooser, Decision, leaves_choices};
pub use run::compare::{CompareOptions, compare};
pub use run::control::{Control, NoProgress, Phase, Progress, Standing};
pub use run::evaluate::{EvaluateOptions, SurvivalOptions, evaluate, study_survival};
pub use run::hierarchies::ColumnHierarchy;
pub use run::init::{Initialized, init};
pub use run::inspect::{
    ColumnReport, Combination, Combinations, Dependency, Inspection, ProposedRole, Separating,
    SeparatingStep, inspect,
};
pub use run::levels::{
    AgainstData, LevelReport, LevelsReport, build_levels, check_levels, write_levels,
};
pub use run::looks::LooksLike;
pub use run::negotiation::{
    BatchSummary, Branch, ColumnSpread, Curve, DrawnAttribute, DrawnHeight, DrawnLattice,
    DrawnNode, GaveWay, Ground, LabelRows, LabelsLeftOut, LatticeFilter, LevelShown, LevelsShown,
    Negotiated, Negotiation, NegotiationLattice, NegotiationSeconds, Offered, Options, Preparation,
    SampledRelease, Terms, Wish, answer_lines, share, write_job,
};
pub use run::plan::Plan;
pub use run::risk::{Population, RiskOptions, risk};
pub use run::schemes_study::{
    Experiment, SchemesFound, SchemesOptions, SchemesRow, SchemesStudy, SearchLimit, study_schemes,
};
pub use run::simulate::{SimulateOptions, simulate};
pub use run::study::{ImportanceRow, Study, StudyBudget, StudyOptions, StudyRow, study};
pub use run::verify::{CertificateCheck, verify, verify_certificate};
pub use spec::{
    AlgorithmSettings, AttachedLevels, AttachedSink, AttachedTable, Budget, Columns, Data,
    Delimiter, Gate, GateFigure, HierarchySource, Job, MemoryLimit, MissingCells, Others, Output,
    Privacy, RuleTexts, Search, Suppressed, TimeLimit, Unlisted, Weighting, WorkLimit,
};
