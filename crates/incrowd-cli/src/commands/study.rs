//! `incrowd study`

use super::reply;
use crate::Reply;
use crate::args::{Global, StudyArgs, job};
use crate::render::{schemes, survival, text};
use incrowd_job::{
    Control, Error, Job, SchemesOptions, StudyOptions, SurvivalOptions, study, study_schemes,
    study_survival,
};

pub(super) fn run(args: &StudyArgs, global: &Global, control: &Control) -> Result<Reply, Error> {
    let job = job(
        args.request.table.job.as_ref(),
        &[&args.request, &args.research, &args.threads, args],
    )?;
    if args.schemes {
        return schemes(args, &job, global, control);
    }
    if args.asks_what_survives() {
        return survival(args, &job, global, control);
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

fn survival(
    args: &StudyArgs,
    job: &Job,
    global: &Global,
    control: &Control,
) -> Result<Reply, Error> {
    let options = SurvivalOptions {
        parameters: args.class_sizes()?,
        plot: args.plot.clone(),
    };
    let found = study_survival(job, &options, control)?;
    if args.csv {
        return Ok(Reply {
            result: found.to_csv(),
            ..Reply::default()
        });
    }
    Ok(reply(global, &found, survival::text))
}
