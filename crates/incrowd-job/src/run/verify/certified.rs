//! Is a certificate true?
//!
//! A second certificate is made from the files, and the two are compared field by field. If the given files are not
//! enough, the second copies the field from the first, and the field is listed as unchecked: whatever is neither a
//! mismatch nor unchecked was recomputed.

use super::differences::list_differences;
use super::look;
use super::recount::{Recount, word};
use crate::error::Error;
use crate::report::certificate::Certificate;
use crate::report::outcome::{CertificateVerified, Verification};
use crate::run::control::Control;
use crate::spec::{Delimiter, Job};
use incrowd_core::lattice::Level;
use serde_json::Value;
use std::path::PathBuf;

/// A certificate to check, and the files to check it with.
#[derive(Debug, Clone, Default)]
pub struct CertificateCheck {
    /// The certificate.
    pub certificate: PathBuf,
    /// What it says, if that is known without reading the file.
    pub text: Option<String>,
    /// The table the release was made from; that of the job if not given.
    pub original: Option<String>,
    /// The job it should match.
    pub job: Option<Job>,
}

/// Checks the release that `given` names as its table against a certificate: hashes, privacy models, figures. Roles and
/// models are those of the certificate; hierarchies, if the original is compared, those of `given`.
pub fn verify_certificate(
    given: &Job,
    check: &CertificateCheck,
    control: &Control,
) -> Result<Verification, Error> {
    let text = match &check.text {
        Some(text) => text.clone(),
        None => std::fs::read_to_string(&check.certificate)
            .map_err(|error| Error::read(&check.certificate, &error))?,
    };
    let not_a_certificate = |error: serde_json::Error| Error::NotACertificate {
        path: check.certificate.clone(),
        message: error.to_string(),
    };
    let raw: Value = serde_json::from_str(&text).map_err(not_a_certificate)?;
    let stated: Certificate = serde_json::from_str(&text).map_err(not_a_certificate)?;
    let mut release = release_job(given, &stated);
    if let Some(job) = &check.job {
        // Levels that were chosen from the data are cut at the boundaries of rules, of which a certificate has hashes.
        release.rules.clone_from(&job.rules);
    }
    let from_job = check.job.as_ref().and_then(|job| job.data.path.clone());
    let original = check.original.clone().or(from_job);
    let original = original.map(|path| original_job(&release, &stated, path));
    let levels: Option<Vec<Level>> = (stated.reached.levels.as_ref())
        .map(|levels| levels.values().copied().map(Level).collect());
    let looked = look(&release, original.as_ref(), levels.as_deref(), control)?;
    let mut recount = Recount {
        stated: &stated,
        looked: &looked,
        found: stated.clone(),
        mismatches: Vec::new(),
        unchecked: Vec::new(),
    };
    recount.columns();
    recount.request(check.job.as_ref(), original.as_ref(), control)?;
    let again = recount.reached(&release, check.job.as_ref())?;
    recount.lost(again);
    recount.hashes();
    let is_safe = recount.is_safe();
    let Recount {
        found,
        mut mismatches,
        unchecked,
        ..
    } = recount;
    let found = serde_json::to_value(&found).map_err(not_a_certificate)?;
    list_differences("", &raw, &found, &mut mismatches);
    let mut verification = looked.verification;
    verification.safe = is_safe;
    verification.certificate = Some(CertificateVerified {
        path: check.certificate.clone(),
        holds: mismatches.is_empty(),
        mismatches,
        unchecked,
    });
    Ok(verification)
}

/// How to read and judge the release.
fn release_job(given: &Job, stated: &Certificate) -> Job {
    let request = &stated.request;
    let mut job = Job {
        hierarchies: given.hierarchies.clone(),
        ..Job::default()
    };
    job.search.threads = given.search.threads;
    job.search.settings.clone_from(&request.settings);
    job.data.path.clone_from(&given.data.path);
    job.data.table.clone_from(&given.data.table);
    job.data.tables.clone_from(&given.data.tables);
    let is_tsv = job.data.path.as_deref().is_some_and(is_tsv);
    // Written in the dialect of the table, whose delimiter is stated; a table that is not text becomes CSV.
    let delimiter = request
        .csv
        .as_ref()
        .map_or(Delimiter(b','), |csv| csv.delimiter);
    job.data.delimiter = (!is_tsv).then_some(delimiter);
    job.data.header = Some(true);
    job.data.spreadsheet_safe = request.spreadsheet_safe;
    job.data.missing_tokens = Some(request.missing_tokens.clone());
    job.data.missing_cells = word(&request.missing);
    job.columns.unlisted = word(&request.unlisted);
    job.columns
        .hierarchies
        .clone_from(&given.columns.hierarchies);
    let generalized = request.quasi_identifiers.iter();
    let generalized = generalized.map(|generalized| generalized.column.clone());
    job.columns.quasi_identifiers = Some(generalized.collect());
    job.columns.sensitive = Some(request.sensitive.clone());
    job.columns.target = Some(request.target.clone());
    job.columns.identifying = Some(request.dropped.clone());
    job.columns.keep = Some(request.kept.clone());
    job.privacy.models = Some(request.privacy.clone());
    job.privacy.population.clone_from(&given.privacy.population);
    job
}

fn is_tsv(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    path.ends_with(".tsv") || path.ends_with(".tsv.gz")
}

/// The same for the table it was made from, which is read as the certificate says it was.
fn original_job(release: &Job, stated: &Certificate, path: String) -> Job {
    let mut job = release.clone();
    job.data.path = Some(path);
    job.data.table = None;
    job.data.delimiter = None;
    job.data.header = None;
    job.data.spreadsheet_safe = false;
    if let Some(csv) = &stated.request.csv {
        job.data.delimiter = Some(csv.delimiter);
        job.data.quote = Some(csv.quote);
        job.data.header = Some(csv.header);
        job.data.trim = Some(csv.trim);
    }
    job
}
