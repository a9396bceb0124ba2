//! `incrowd init`

use super::reply;
use crate::Reply;
use crate::args::{Global, InitArgs, job};
use crate::render::text;
use incrowd_job::{Control, Error, init};

pub(super) fn run(args: &InitArgs, global: &Global, control: &Control) -> Result<Reply, Error> {
    let job = job(
        args.table.job.as_ref(),
        &[&args.table, &args.roles, &args.privacy, &args.threads],
    )?;
    let written = init(&job, &args.folder, args.force, control)?;
    Ok(reply(global, &written, text::initialized))
}
