//! How the best release is searched for.

use super::FlagPart;
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches};
use incrowd_core::algorithms::ALGORITHMS;
use incrowd_core::registry::{Default, Kind, Setting};
use incrowd_job::{AlgorithmSettings, Error, Job};

/// How the best release is searched for.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchArgs {
    /// Metric to minimize; `incrowd explain metrics` lists them
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// Algorithm to use, or auto for the first choice of `incrowd advise` [default: optimal]; `incrowd explain algorithms`
    /// lists them
    #[arg(long, value_name = "NAME")]
    pub(super) algorithm: Option<String>,
    /// Seed for random numbers (randomized algorithms, --shuffle)
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Stop searching after this time, such as 30s, and use the best result so far. Reading may take as long again, and
    /// so may checking and writing; if that is not enough, nothing is written
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    time_limit: Option<String>,
    /// Stop searching after this many steps, such as 500M, and use the best result so far; none for no limit. Unlike a
    /// time limit, it gives the same result on every machine [default: 3G, about a minute; none with --time-limit]
    #[arg(long, value_name = "STEPS", allow_hyphen_values = true)]
    work_limit: Option<String>,
    /// Memory that the different combinations of values may take, such as 2G; of a file, what does not fit goes to
    /// temporary files (TMPDIR), and a database with more is refused. The search and the check need some memory of their own
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    memory_limit: Option<String>,
}

/// What only some algorithms have. The flags follow from what the algorithms declare.
#[derive(Debug, Default)]
pub(crate) struct SettingArgs(AlgorithmSettings);

/// The settings of every algorithm, one flag for each name, with the algorithms that have it.
fn declared() -> impl Iterator<Item = (String, &'static Setting)> {
    let mut seen = Vec::new();
    let entries = || ALGORITHMS.iter().map(|algorithm| algorithm.entry());
    let all = entries().flat_map(|entry| entry.settings.iter());
    all.filter(move |setting| {
        let is_new = !seen.contains(&setting.name);
        seen.push(setting.name);
        is_new
    })
    .map(move |setting| {
        let readers = entries().filter(|entry| entry.has_setting(setting.name));
        let readers: Vec<&str> = readers.map(|entry| entry.name).collect();
        (readers.join(", "), setting)
    })
}

impl Args for SettingArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        declared().fold(command, |command, (algorithms, setting)| {
            let mut help = format!("For {algorithms}: {}", setting.help);
            if let Default::Value(value) = setting.default {
                help = format!("{help} [default: {value}]");
            }
            let flag = Arg::new(setting.name)
                .long(setting.name)
                .value_name(setting.kind.value_name())
                .allow_hyphen_values(true)
                .help_heading("Algorithm settings")
                .help(help);
            command.arg(match setting.kind {
                Kind::Flag => flag
                    .num_args(0..=1)
                    .require_equals(true)
                    .default_missing_value("true"),
                kind if kind.is_list() => flag.value_delimiter(',').action(ArgAction::Append),
                _ => flag,
            })
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut settings = SettingArgs::default();
        settings.update_from_arg_matches(matches)?;
        Ok(settings)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for (_, setting) in declared() {
            if let Some(values) = matches.get_many::<String>(setting.name) {
                self.0.set(setting.name, values.cloned().collect());
            }
        }
        Ok(())
    }
}

/// The number of threads.
#[derive(Debug, Args)]
pub(crate) struct ThreadArgs {
    /// Number of threads, at most 256 [default: all processors]; the result does not depend on it
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub(crate) threads: Option<usize>,
}

impl FlagPart for SearchArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.search.metric.clone_from(&self.metric);
        job.search.algorithm.clone_from(&self.algorithm);
        job.search.seed = self.seed;
        let limit = self.time_limit.as_deref();
        job.search.time_limit = limit.map(str::parse).transpose()?;
        let limit = self.work_limit.as_deref();
        job.search.work_limit = limit.map(str::parse).transpose()?;
        let limit = self.memory_limit.as_deref();
        job.search.memory_limit = limit.map(str::parse).transpose()?;
        Ok(())
    }
}

impl FlagPart for SettingArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.search.settings.clone_from(&self.0);
        Ok(())
    }
}

impl FlagPart for ThreadArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.search.threads = self.threads;
        Ok(())
    }
}
