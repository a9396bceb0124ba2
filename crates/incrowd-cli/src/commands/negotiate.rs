//! `incrowd negotiate`: a dialogue in a terminal, one answer elsewhere, one answer per line with `--batch`.

use super::dialogue::{self, code};
use super::reply;
use crate::args::{Global, NegotiateArgs, job};
use crate::render::negotiation;
use crate::{FAILED, RELAXED, Reply};
use incrowd_job::{Control, Error, Ground, Job, Negotiation, Wish, answer_lines};
use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal};
use std::path::Path;
use std::sync::Arc;

pub(super) fn run(
    args: &NegotiateArgs,
    global: &Global,
    control: &Arc<Control>,
) -> Result<Reply, Error> {
    let mut job = job(
        args.request.table.job.as_ref(),
        &[&args.request, &args.search, &args.research, &args.threads],
    )?;
    job.reads.extend(args.batch.clone());
    match &args.batch {
        Some(path) => batch(args, &job, path, control),
        None => one_answer(args, &job, global, control),
    }
}

fn one_answer(
    args: &NegotiateArgs,
    job: &Job,
    global: &Global,
    control: &Arc<Control>,
) -> Result<Reply, Error> {
    let is_dialogue = !global.json
        && !global.quiet
        && std::io::stdin().is_terminal()
        && std::io::stdout().is_terminal();
    let options = args.preparation.options(is_dialogue)?;
    // Refuse what can be refused before reading the table.
    Wish::of_job(job)?;
    let ground = Ground::count(job, control)?;
    let session = Negotiation::new(Arc::new(ground), options, control)?;
    if is_dialogue {
        let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
        let code = dialogue::run(&session, control, input, output)?;
        return Ok(Reply {
            code,
            ..Reply::default()
        });
    }
    let wish = session.wish_of_job()?;
    let answer = session.ask(&wish, control)?;
    let curve = session.curve(&wish, control)?;
    Ok(Reply {
        code: code(&answer),
        ..reply(global, &answer, |answer| negotiation::page(answer, &curve))
    })
}

fn batch(
    args: &NegotiateArgs,
    job: &Job,
    path: &Path,
    control: &Arc<Control>,
) -> Result<Reply, Error> {
    let is_standard_input = path == Path::new("-");
    if is_standard_input && job.data.path.as_deref() == Some("-") {
        return Err(Error::StandardInputTwice);
    }
    let requests: Box<dyn BufRead> = if is_standard_input {
        Box::new(std::io::stdin().lock())
    } else {
        let file = File::open(path).map_err(|error| Error::Unreadable {
            path: path.to_owned(),
            kind: error.kind(),
        })?;
        Box::new(BufReader::new(file))
    };
    let ground = Ground::count(job, control)?;
    let options = args.preparation.options(true)?;
    let session = Negotiation::new(Arc::new(ground), options, control)?;
    // Answers are printed one by one: a program may wait for each before sending the next request.
    let summary = answer_lines(&session, control, requests, std::io::stdout().lock())?;
    let lines = summary.exact + summary.relaxed + summary.refused;
    Ok(match summary.refused {
        0 if summary.relaxed > 0 => Reply {
            code: RELAXED,
            ..Reply::default()
        },
        0 => Reply::default(),
        refused => Reply {
            note: crate::render::text::error(&Error::RequestsRefused { refused, lines }),
            code: FAILED,
            ..Reply::default()
        },
    })
}
