//! `incrowd verify`

use super::reply;
use crate::args::{Global, VerifyArgs, job};
use crate::render::text;
use crate::{Reply, UNSAFE};
use incrowd_job::{Control, Error, verify};

pub(super) fn run(args: &VerifyArgs, global: &Global, control: &Control) -> Result<Reply, Error> {
    let mut job = job(
        args.table.job.as_ref(),
        &[
            &args.table,
            &args.roles,
            &args.hierarchies,
            &args.promises,
            &args.budget,
            &args.spreadsheet,
            &args.threads,
        ],
    )?;
    if args.table.data.is_none() {
        // What a job file calls its data is the original; what it writes is to be judged.
        job.data.path = job.output.path.take();
    }
    let found = verify(&job, args.original.as_deref(), control)?;
    Ok(Reply {
        code: if found.safe { 0 } else { UNSAFE },
        ..reply(global, &found, text::verification)
    })
}
