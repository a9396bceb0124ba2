//! `incrowd compare`

use super::reply;
use crate::Reply;
use crate::args::{CompareArgs, Global, job};
use crate::render::comparison;
use incrowd_job::{Control, Error, compare};

pub(super) fn run(args: &CompareArgs, global: &Global, control: &Control) -> Result<Reply, Error> {
    let job = job(
        args.table.job.as_ref(),
        &[
            &args.table,
            &args.roles,
            &args.hierarchies,
            &args.privacy,
            &args.search,
            &args.choices,
            &args.partitions,
            &args.threads,
        ],
    )?;
    let found = compare(&job, args.algorithms(), control)?;
    if args.csv {
        return Ok(Reply {
            result: found.to_csv(),
            ..Reply::default()
        });
    }
    Ok(reply(global, &found, comparison::text))
}
