//! `incrowd explain`

use super::reply;
use crate::Reply;
use crate::args::{ExplainArgs, Global};
use crate::render::text;
use incrowd_job::{Error, explain};

pub(super) fn run(args: &ExplainArgs, global: &Global) -> Result<Reply, Error> {
    let explanation = explain(args.name().as_deref())?;
    Ok(reply(global, &explanation, text::explanation))
}
