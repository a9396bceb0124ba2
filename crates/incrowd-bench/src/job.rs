//! Whole jobs, run in a process of their own so that their memory can be told from ours.

use crate::child::{self, Usage};
use anyhow::{Context, Result};
use incrowd_job::{Control, Job, Outcome, RiskOptions, RiskReport, Risks, Show, Verification};
use std::process::Stdio;

/// What a child process does with a job.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum Task {
    Anonymize,
    Verify,
    Risk,
}

/// Runs the job handed over as JSON, and prints its outcome as JSON.
#[expect(clippy::print_stdout, reason = "read by the parent process")]
pub(crate) fn run_here(task: Task, job: &str) -> Result<()> {
    let job: Job = serde_json::from_str(job).context("the job is handed over as JSON")?;
    let control = Control::default();
    let outcome = match task {
        Task::Anonymize => {
            let outcome = incrowd_job::anonymize(&job, Show::default(), &control)?;
            serde_json::to_string(&outcome)?
        }
        Task::Verify => serde_json::to_string(&incrowd_job::verify(&job, None, &control)?)?,
        Task::Risk => {
            let report = incrowd_job::risk(&job, &RiskOptions::default(), &control)?;
            serde_json::to_string(&report)?
        }
    };
    println!("{outcome}");
    Ok(())
}

fn run(task: &str, job: &Job) -> Result<(String, Usage)> {
    run_fed(task, job, Stdio::null())
}

fn run_fed(task: &str, job: &Job, input: Stdio) -> Result<(String, Usage)> {
    let job = serde_json::to_string(job)?;
    let mut command = child::this_program()?;
    child::run_fed(command.args(["job", task, &job]), input)
}

/// Makes a release in a child process.
pub(crate) fn anonymize(job: &Job) -> Result<(Outcome, Usage)> {
    let (printed, usage) = run("anonymize", job)?;
    Ok((serde_json::from_str(&printed)?, usage))
}

/// Assesses the risk of a file in a child process.
pub(crate) fn risk(job: &Job) -> Result<(Risks, Usage)> {
    risk_of_piped(job, Stdio::null())
}

/// The same for what comes through a pipe.
pub(crate) fn risk_of_piped(job: &Job, input: Stdio) -> Result<(Risks, Usage)> {
    let (printed, usage) = run_fed("risk", job, input)?;
    let report: RiskReport = serde_json::from_str(&printed)?;
    Ok((report.risks, usage))
}

/// Judges a file in a child process.
pub(crate) fn verify(job: &Job) -> Result<(Verification, Usage)> {
    let (printed, usage) = run("verify", job)?;
    Ok((serde_json::from_str(&printed)?, usage))
}
