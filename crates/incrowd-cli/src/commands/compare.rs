//! `incrowd compare`

use super::reply;
use crate::args::{CompareArgs, Global, job};
use crate::render::comparison;
use crate::{FAILED, Reply};
use incrowd_job::{Control, Error, compare};
use std::path::Path;

pub(super) fn run(args: &CompareArgs, global: &Global, control: &Control) -> Result<Reply, Error> {
    let job = job(
        args.request.table.job.as_ref(),
        &[
            &args.request,
            &args.search,
            &args.research,
            &args.settings,
            &args.threads,
        ],
    )?;
    let options = args.options();
    let prints_page = options.report.as_deref() == Some(Path::new("-"));
    if prints_page && (global.json || args.csv) {
        return Err(Error::StandardOutputTwice);
    }
    let found = compare(&job, &options, control)?;
    let is_answered = found.runs.iter().any(|run| run.reached.is_some());
    let code = if is_answered { 0 } else { FAILED };
    if args.csv {
        return Ok(Reply {
            result: found.to_csv(),
            code,
            ..Reply::default()
        });
    }
    let mut reply = Reply {
        code,
        ..reply(global, &found, comparison::text)
    };
    if prints_page {
        // Standard output carries the page.
        reply.note = std::mem::take(&mut reply.result);
    }
    Ok(reply)
}
