//! `incrowd risk`

use super::reply;
use crate::args::{Global, RiskArgs, job};
use crate::render;
use crate::{Reply, UNSAFE};
use incrowd_job::{Control, Error, risk};

pub(super) fn run(args: &RiskArgs, global: &Global, control: &Control) -> Result<Reply, Error> {
    let job = job(
        args.table.job.as_ref(),
        &[
            &args.table,
            &args.roles,
            &args.hierarchies,
            &args.spreadsheet,
            &args.threads,
        ],
    )?;
    let found = risk(&job, &args.options()?, control)?;
    Ok(Reply {
        code: match found.is_within_gates() {
            true => 0,
            false => UNSAFE,
        },
        ..reply(global, &found, render::risk::text)
    })
}
