//! `incrowd advise`

use super::questions::ask;
use super::reply;
use crate::Reply;
use crate::args::{AdviseArgs, Global, job};
use crate::render::advice;
use incrowd_job::{Control, Error, advise, candidate_targets};
use std::io::IsTerminal;

pub(super) fn run(args: &AdviseArgs, global: &Global, control: &Control) -> Result<Reply, Error> {
    let mut job = job(
        args.request.table.job.as_ref(),
        &[
            &args.request,
            &args.search,
            &args.research,
            &args.settings,
            &args.threads,
        ],
    )?;
    let mut options = args.options();
    let is_watched = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let is_free = job.data.path.as_deref() != Some("-") && !global.json && !global.quiet;
    if is_free && args.asks(is_watched) {
        let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
        let candidates = candidate_targets(&job, control)?;
        let answers = ask(input, output, args.expertise(), options, &candidates)?;
        options = answers.options;
        if let Some(target) = answers.target.filter(|_| job.columns.target.is_none()) {
            job.columns.target = Some(vec![target]);
        }
    }
    let advice = advise(&job, &options, control)?;
    Ok(reply(global, &advice, advice::text))
}
