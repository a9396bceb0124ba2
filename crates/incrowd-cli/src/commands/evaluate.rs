//! `incrowd evaluate`

use super::reply;
use crate::Reply;
use crate::args::{EvaluateArgs, Global, job};
use crate::render::evaluation;
use incrowd_job::{Control, Error, EvaluateOptions, evaluate};

pub(super) fn run(args: &EvaluateArgs, global: &Global, control: &Control) -> Result<Reply, Error> {
    let job = job(
        args.request.table.job.as_ref(),
        &[
            &args.request,
            &args.search,
            &args.research,
            &args.settings,
            &args.spreadsheet,
            &args.threads,
        ],
    )?;
    let options = EvaluateOptions {
        release: args.release.clone(),
        columns: args.columns.clone(),
        folds: args.folds,
        partitioning: args.partitioning,
    };
    let found = evaluate(&job, &options, control)?;
    Ok(reply(global, &found, evaluation::text))
}
