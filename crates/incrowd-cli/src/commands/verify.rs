//! `incrowd verify`

use super::reply;
use crate::args::{FlagPart, Global, VerifyArgs, job};
use crate::render::text;
use crate::{Reply, UNSAFE};
use incrowd_job::{CertificateCheck, Control, Error, Job, verify, verify_certificate};
use std::path::Path;

pub(super) fn run(args: &VerifyArgs, global: &Global, control: &Control) -> Result<Reply, Error> {
    let mut job = job(
        args.table.job.as_ref(),
        &[
            &args.table,
            &args.roles,
            &args.hierarchies,
            &args.promises,
            &args.population,
            &args.budget,
            &args.numbers,
            &args.spreadsheet,
            &args.threads,
        ],
    )?;
    if args.table.data.is_none() {
        // The data of a job file is the original; its output is the file to verify.
        job.data.path = job.output.path.take();
    }
    let found = match &args.certificate {
        None => verify(&job, args.original.as_deref(), control)?,
        Some(certificate) => {
            let check = check(args, certificate)?;
            verify_certificate(&job, &check, control)?
        }
    };
    let is_contradicted = found.certificate.as_ref().is_some_and(|it| !it.holds);
    let code = match found.safe == Some(false) || is_contradicted {
        true => UNSAFE,
        false => 0,
    };
    Ok(Reply {
        code,
        ..reply(global, &found, text::verification)
    })
}

/// The certificate states roles and privacy models, so flags must not.
fn check(args: &VerifyArgs, certificate: &Path) -> Result<CertificateCheck, Error> {
    let mut flags = Job::default();
    let parts: [&dyn FlagPart; 3] = [&args.roles, &args.promises, &args.budget];
    for part in parts {
        part.fill(&mut flags)?;
    }
    if flags != Job::default() {
        return Err(Error::CertificateDecides);
    }
    let file = args.table.job.as_deref();
    Ok(CertificateCheck {
        certificate: certificate.to_owned(),
        text: None,
        original: args.original.clone(),
        job: file.map(Job::load).transpose()?,
    })
}
