//! How to search.

use super::FlagPart;
use clap::Args;
use incrowd_job::{Error, Job};

/// How to search.
#[derive(Debug, Args)]
#[command(next_help_heading = "How to search")]
pub(crate) struct SearchArgs {
    /// What is to be lost least; `incrowd explain metrics` lists them
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// The algorithm, or auto; `incrowd explain algorithms` lists them
    #[arg(long, value_name = "NAME")]
    pub(super) algorithm: Option<String>,
    /// For algorithms that draw numbers, and for --shuffle
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Stop searching after this time, such as 30s, and take the best found. Reading, and checking and writing, may
    /// each take as long; if that is not enough, nothing is written
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    time_limit: Option<String>,
    /// Stop searching after so many steps of work, such as 500M, and take the best found; none for no limit. Unlike a
    /// time it gives the same answer on every machine [default: 3G, a minute or so]
    #[arg(long, value_name = "STEPS", allow_hyphen_values = true)]
    work_limit: Option<String>,
}

/// What the data holder chooses.
#[derive(Debug, Args)]
pub(crate) struct ChoiceArgs {
    /// The choices to make, for algorithms that leave them to you, such as mu-argus: columns to raise one level, one
    /// after the other, then `suppress`, as in age,age,zip,suppress. In a terminal, without it, you are asked
    #[arg(
        long,
        value_name = "CHOICES",
        value_delimiter = ',',
        help_heading = "How to search"
    )]
    script: Option<Vec<String>>,
}

/// Which partitions of values are allowed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Partitions (--algorithm partition)")]
pub(crate) struct PartitionArgs {
    /// Which partitions are allowed: bhs, ghs, gops, gsps, ops or sps, for all columns or as in age=ops,race=sps.
    /// Numbers and dates are ordered by size, text as its hierarchy file lists it or its rule orders it, else by its
    /// bytes
    #[arg(long, value_name = "SCHEMES", value_delimiter = ',')]
    scheme: Option<Vec<String>>,
    /// Put the numbers of a column in steps first, as in age=5@17: steps of 5 from 17
    #[arg(long, value_name = "STEPS", value_delimiter = ',')]
    coarse: Option<Vec<String>>,
    /// From which end to search: bottom-up, top-down or auto
    #[arg(long, value_name = "DIRECTION")]
    search: Option<String>,
    /// Ways to search less that are not to be used, or all; the answer does not depend on them
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    without_pruning: Option<Vec<String>>,
}

/// How many threads.
#[derive(Debug, Args)]
pub(crate) struct ThreadArgs {
    /// Threads to use; all processors when not given. The result does not depend on it
    #[arg(long, value_name = "N", help_heading = "How to search")]
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
        Ok(())
    }
}

impl FlagPart for ChoiceArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        let trimmed = |word: &String| word.trim().to_owned();
        let words = self.script.as_deref();
        job.search.script = words.map(|words| words.iter().map(trimmed).collect());
        Ok(())
    }
}

impl FlagPart for PartitionArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.search.scheme.clone_from(&self.scheme);
        job.search.coarse.clone_from(&self.coarse);
        job.search.direction.clone_from(&self.search);
        job.search.without_pruning.clone_from(&self.without_pruning);
        Ok(())
    }
}

impl FlagPart for ThreadArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.search.threads = self.threads;
        Ok(())
    }
}
