//! `incrowd anonymize`

use super::reply;
use crate::Reply;
use crate::args::{AnonymizeArgs, Global, job};
use crate::render::text;
use incrowd_job::{Control, Error, Show, anonymize};

pub(super) fn run(
    args: &AnonymizeArgs,
    global: &Global,
    control: &Control,
) -> Result<Reply, Error> {
    let job = job(
        args.table.job.as_ref(),
        &[
            &args.table,
            &args.roles,
            &args.hierarchies,
            &args.privacy,
            &args.search,
            &args.threads,
            &args.output,
        ],
    )?;
    let prints_release = job.output.path.as_deref() == Some("-");
    if prints_release && global.json {
        return Err(Error::StandardOutputTwice);
    }
    let show = Show {
        sample: args.output.sample,
    };
    let outcome = anonymize(&job, show, control)?;
    let mut reply = reply(global, &outcome, text::outcome);
    if prints_release {
        // Standard output is the release's.
        reply.note = std::mem::take(&mut reply.result);
    }
    Ok(reply)
}
