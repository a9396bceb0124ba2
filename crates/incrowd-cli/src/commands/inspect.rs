//! `incrowd inspect`

use super::reply;
use crate::Reply;
use crate::args::{Global, InspectArgs, job};
use crate::render::text;
use incrowd_job::{Control, Error, inspect};

pub(super) fn run(args: &InspectArgs, global: &Global, control: &Control) -> Result<Reply, Error> {
    let job = job(
        args.table.job.as_ref(),
        &[&args.table, &args.roles, &args.threads],
    )?;
    Ok(reply(global, &inspect(&job, control)?, text::inspection))
}
