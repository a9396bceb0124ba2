//! `incrowd anonymize`

use super::choices::DataHolder;
use super::reply;
use crate::Reply;
use crate::args::{AnonymizeArgs, Global, job};
use crate::render::text;
use incrowd_job::{Control, Error, Job, Show, anonymize, anonymize_with, leaves_choices};
use std::io::IsTerminal;

pub(super) fn run(
    args: &AnonymizeArgs,
    global: &Global,
    control: &Control,
) -> Result<Reply, Error> {
    let job = job(
        args.request.table.job.as_ref(),
        &[
            &args.request,
            &args.search,
            &args.research,
            &args.settings,
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
        ..Show::default()
    };
    let outcome = if is_dialogue(&job, global)? {
        let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
        let mut data_holder = DataHolder::new(input, output);
        anonymize_with(&job, show, Some(&mut data_holder), control)?
    } else {
        anonymize(&job, show, control)?
    };
    let mut reply = reply(global, &outcome, |outcome| match args.output.verbose {
        true => text::outcome_with_steps(outcome),
        false => text::outcome(outcome),
    });
    if prints_release {
        // Standard output carries the release.
        reply.note = std::mem::take(&mut reply.result);
    }
    Ok(reply)
}

/// Whether there is a user to make the choices that the job leaves open.
fn is_dialogue(job: &Job, global: &Global) -> Result<bool, Error> {
    let is_watched = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let is_free = job.data.path.as_deref() != Some("-") && job.output.path.as_deref() != Some("-");
    Ok(is_watched && is_free && !global.json && !global.quiet && leaves_choices(job)?)
}
