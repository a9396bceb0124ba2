//! `incrowd study`

use super::reply;
use crate::Reply;
use crate::args::{Global, StudyArgs, job};
use crate::render::{schemes, text};
use incrowd_job::{Control, Error, Job, SchemesOptions, StudyOptions, study, study_schemes};

pub(super) fn run(args: &StudyArgs, global: &Global, control: &Control) -> Result<Reply, Error> {
    let job = job(
        args.request.table.job.as_ref(),
        &[&args.request, &args.threads, args],
    )?;
    if args.schemes {
        return schemes(args, &job, global, control);
    }
    let options = StudyOptions {
        parameters: args.parameters.clone(),
        importance: args.importance,
        plot: args.plot.clone(),
    };
    let found = study(&job, &options, control)?;
    if args.csv {
        return Ok(Reply {
            result: found.to_csv(),
            ..Reply::default()
        });
    }
    Ok(reply(global, &found, text::study))
}

fn schemes(
    args: &StudyArgs,
    job: &Job,
    global: &Global,
    control: &Control,
) -> Result<Reply, Error> {
    let options = SchemesOptions {
        parameters: args.class_sizes()?,
        plot: args.plot.clone(),
    };
    let found = study_schemes(job, &options, control)?;
    if args.csv {
        return Ok(Reply {
            result: found.to_csv(),
            ..Reply::default()
        });
    }
    Ok(reply(global, &found, schemes::text))
}
