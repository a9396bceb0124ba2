//! `incrowd simulate`

use super::reply;
use crate::Reply;
use crate::args::{Global, SimulateArgs, job};
use crate::render::simulation;
use incrowd_job::{Control, Error, simulate};

pub(super) fn run(args: &SimulateArgs, global: &Global, control: &Control) -> Result<Reply, Error> {
    let job = job(
        args.table.job.as_ref(),
        &[&args.table, &args.hierarchies, &args.threads, args],
    )?;
    let found = simulate(&job, &args.options()?, control)?;
    Ok(reply(global, &found, simulation::text))
}
