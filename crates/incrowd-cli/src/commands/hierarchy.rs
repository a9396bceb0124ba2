//! `incrowd hierarchy build|check|show`

use super::reply;
use crate::args::{
    Global, HierarchyBuildArgs, HierarchyCheckArgs, HierarchyCommand, HierarchyShowArgs, job,
};
use crate::render::text;
use crate::{Reply, UNSAFE};
use incrowd_job::{
    Control, Error, HierarchySource, Job, LevelsReport, build_levels, check_levels, write_levels,
};

/// Example groups shown per level by default.
const EXAMPLES: usize = 5;

pub(super) fn run(
    command: &HierarchyCommand,
    global: &Global,
    control: &Control,
) -> Result<Reply, Error> {
    match command {
        HierarchyCommand::Build(args) => build(args, global, control),
        HierarchyCommand::Check(args) => check(args, global, control),
        HierarchyCommand::Show(args) => show(args, global, control),
    }
}

fn build(args: &HierarchyBuildArgs, global: &Global, control: &Control) -> Result<Reply, Error> {
    let mut job = job(args.table.job.as_ref(), &[&args.table])?;
    if let Some(rule) = &args.rule {
        let source = HierarchySource::Built(rule.clone());
        job.hierarchies.insert(args.column.clone(), source);
    }
    let levels = build_levels(&job, &args.column, control)?;
    let report = LevelsReport::new(&args.column, &levels, EXAMPLES);
    match &args.output {
        Some(path) => {
            write_levels(&job, &levels, path, args.force)?;
            Ok(reply(global, &report, text::levels))
        }
        None if global.json => Ok(reply(global, &report, text::levels)),
        // The hierarchy is the result, so that it can be piped; the report goes to standard error.
        None => Ok(Reply {
            result: levels.hierarchy.to_csv(),
            note: if global.quiet {
                String::new()
            } else {
                text::levels(&report)
            },
            code: 0,
        }),
    }
}

fn check(args: &HierarchyCheckArgs, global: &Global, control: &Control) -> Result<Reply, Error> {
    let mut job = job(None, &[&args.format])?;
    job.data.path.clone_from(&args.data);
    let stem = args.file.file_stem().map(|stem| stem.to_string_lossy());
    let name = args
        .column
        .as_deref()
        .or(stem.as_deref())
        .unwrap_or_default();
    let column = args.data.is_some().then_some(name);
    let (levels, against) = check_levels(&job, &args.file, column, control)?;
    let mut report = LevelsReport::new(name, &levels, EXAMPLES);
    report.against_data = against;
    let is_complete = report
        .against_data
        .as_ref()
        .is_none_or(|against| against.unlisted.is_empty());
    Ok(Reply {
        code: if is_complete { 0 } else { UNSAFE },
        ..reply(global, &report, text::levels)
    })
}

fn show(args: &HierarchyShowArgs, global: &Global, control: &Control) -> Result<Reply, Error> {
    let (levels, _) = check_levels(&Job::default(), &args.file, None, control)?;
    let stem = args.file.file_stem().map(|stem| stem.to_string_lossy());
    let report = LevelsReport::new(stem.as_deref().unwrap_or_default(), &levels, args.examples);
    Ok(reply(global, &report, text::levels))
}
