//! Measures incrowd: time, together with the work done.
//!
//! One subcommand per benchmark, `all` for every one of them. Tables go to standard output; `--record` saves a run in a
//! folder under `benchmarks/runs`. Every time is reported with the result reached, since speed is comparable only for
//! equal work.

mod adult;
mod advice;
mod arx;
mod arx_times;
mod census;
mod child;
mod classics;
mod cores;
mod fonts;
mod growth;
mod job;
mod kernel;
mod limit;
mod negotiation;
mod optimal;
mod paths;
mod plot;
mod record;
mod regions;
mod report;
mod rows;
mod schemes;
mod threads;
mod verify;
mod workload;

use anyhow::Result;
use clap::{Parser, Subcommand, ValueEnum};
use report::Report;
use std::path::PathBuf;
use std::time::Duration;

/// Measures incrowd: time, together with the work done.
#[derive(Debug, Parser)]
#[command(name = "incrowd-bench", version)]
struct Arguments {
    #[command(subcommand)]
    benchmark: Benchmark,
    /// Save the run under benchmarks/runs, with this name or today's date.
    #[arg(long, global = true, num_args = 0..=1, default_missing_value = "")]
    record: Option<String>,
    /// Rows of the generated files.
    #[arg(long, global = true, default_value_t = 10_000_000)]
    rows: u64,
    /// The Python interpreter with pycanon, pandas, DuckDB, Polars and Sail.
    #[arg(long, global = true, default_value = "python3")]
    python: PathBuf,
}

/// Seconds that searches for partitions may take.
const SCHEMES_LIMIT: u64 = 60;

#[derive(Debug, Subcommand)]
enum Benchmark {
    /// The exact search on Adult, compared with ARX.
    Optimal,
    /// The exact search for every kind of promise on Adult, compared with ARX.
    ArxTimes {
        /// Only problems whose name contains this text.
        #[arg(long, default_value = "")]
        only: String,
    },
    /// All privacy models of a file at once, compared with pycanon.
    Verify,
    /// A whole job on a large file, compared with only reading and writing it.
    Census,
    /// Counting and rewriting rows, compared with DuckDB, Polars and Sail.
    Rows {
        /// Only one part.
        #[arg(long)]
        only: Option<rows::Part>,
    },
    /// Counting by rows, up to `--rows`, and the exact search by nodes.
    Growth,
    /// Every stage with one thread and with two, and what only one thread can do.
    Threads,
    /// Every algorithm on the same tables.
    Classics,
    /// Histograms of every node compared with pandas, answers from them, and how they grow.
    Negotiation {
        /// Only one part.
        #[arg(long)]
        only: Option<negotiation::Part>,
    },
    /// Regions on Adult beside other shapes, and on generated tables.
    Regions,
    /// Regions cut for a target, and how well it is predicted from them.
    Workload,
    /// Instructions of the roll-up kernel, by callgrind.
    Kernel,
    /// Optimal partitions under six schemes, on Adult.
    Schemes {
        /// Only one table.
        #[arg(long)]
        only: Option<schemes::Part>,
        /// Time limit in seconds for searches that may not finish.
        #[arg(long, default_value_t = SCHEMES_LIMIT)]
        limit: u64,
    },
    /// The advised algorithm against all others, on five tables.
    Advice {
        /// Also put the table into the guide.
        #[arg(long)]
        write: bool,
    },
    /// Every benchmark above, which takes hours.
    All,
    /// Draws the charts of the documentation from a recorded run.
    Plot {
        /// The name of the run.
        run: String,
    },
    /// Copies a CSV file row by row, with the csv crate.
    #[command(hide = true)]
    CopyBare {
        /// The file to read.
        from: PathBuf,
        /// The file to write.
        to: PathBuf,
    },
    /// Writes generated rows to standard output.
    #[command(hide = true)]
    Generate {
        /// Who stands in them.
        people: growth::People,
        /// How many there are.
        count: u64,
    },
    /// Runs a job given as JSON.
    #[command(hide = true)]
    Job {
        /// What to do.
        task: job::Task,
        /// The job.
        job: String,
    },
    /// Measures one point of the growth of a negotiation.
    #[command(hide = true)]
    NegotiationGrowth {
        /// The table.
        table: negotiation::GrowthTable,
        /// Quasi-identifiers of Adult, or rows of the census.
        size: u64,
        /// The census file.
        path: Option<PathBuf>,
    },
    /// Measures one point of the growth of regions.
    #[command(hide = true)]
    RegionsGrowth {
        /// The algorithm.
        algorithm: String,
        /// How many rows are generated.
        size: usize,
        /// How many columns they have.
        columns: usize,
    },
    /// The roll-up that callgrind watches.
    #[command(hide = true)]
    RollUp {
        /// The number of the case.
        case: usize,
    },
}

impl Benchmark {
    /// The part of it that was asked for, as it is written in a command.
    fn only(&self) -> Option<String> {
        fn name(part: &Option<impl ValueEnum>) -> Option<String> {
            let value = part.as_ref()?.to_possible_value()?;
            Some(value.get_name().to_owned())
        }
        match self {
            Benchmark::ArxTimes { only } if !only.is_empty() => Some(format!("\"{only}\"")),
            Benchmark::Rows { only } => name(only),
            Benchmark::Negotiation { only } => name(only),
            Benchmark::Schemes { only, .. } => name(only),
            _ => None,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Benchmark::Optimal => "optimal",
            Benchmark::ArxTimes { .. } => "arx-times",
            Benchmark::Verify => "verify",
            Benchmark::Census => "census",
            Benchmark::Rows { .. } => "rows",
            Benchmark::Growth => "growth",
            Benchmark::Threads => "threads",
            Benchmark::Classics => "classics",
            Benchmark::Negotiation { .. } => "negotiation",
            Benchmark::Regions => "regions",
            Benchmark::Workload => "workload",
            Benchmark::Kernel => "kernel",
            Benchmark::Schemes { .. } => "schemes",
            Benchmark::Advice { .. } => "advice",
            Benchmark::All => "all",
            Benchmark::Plot { .. } => "plot",
            Benchmark::CopyBare { .. } => "copy-bare",
            Benchmark::Generate { .. } => "generate",
            Benchmark::Job { .. } => "job",
            Benchmark::NegotiationGrowth { .. } => "negotiation-growth",
            Benchmark::RegionsGrowth { .. } => "regions-growth",
            Benchmark::RollUp { .. } => "roll-up",
        }
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    match &arguments.benchmark {
        Benchmark::Plot { run } => return plot::draw(run),
        Benchmark::CopyBare { from, to } => return census::copy_bare(from, to),
        Benchmark::Generate { people, count } => return growth::generate(*people, *count),
        Benchmark::Job { task, job } => return job::run_here(*task, job),
        Benchmark::NegotiationGrowth { table, size, path } => {
            return negotiation::measure_here(table, *size, path.as_deref());
        }
        Benchmark::RegionsGrowth {
            algorithm,
            size,
            columns,
        } => return regions::measure_here(algorithm, *size, *columns),
        Benchmark::RollUp { case } => {
            kernel::run_case(*case);
            return Ok(());
        }
        _ => {}
    }
    let folder = match &arguments.record {
        Some(name) => Some(record::create(name)?),
        None => None,
    };
    let mut report = Report::default();
    let measured = measure(&arguments, &mut report);
    if let (Some(folder), Err(_)) = (&folder, &measured) {
        // Nothing was measured to the end, so nothing is kept.
        let _ = std::fs::remove_dir(folder);
    }
    measured?;
    if let Some(folder) = folder {
        record::write(&folder, &command(&arguments, &folder), &report)?;
    }
    Ok(())
}

fn measure(arguments: &Arguments, report: &mut Report) -> Result<()> {
    let is_asked = |benchmark: &str| ["all", benchmark].contains(&arguments.benchmark.name());
    // The census first: a process started by a large one would be taken for large itself.
    if is_asked("census") {
        census::run(arguments.rows, report)?;
    }
    if is_asked("rows") {
        let only = match &arguments.benchmark {
            Benchmark::Rows { only } => *only,
            _ => None,
        };
        rows::run(&arguments.python, arguments.rows, only, report)?;
    }
    if is_asked("growth") {
        growth::run(arguments.rows, report)?;
    }
    if is_asked("threads") {
        threads::run(arguments.rows, report)?;
    }
    if is_asked("classics") {
        classics::run(report)?;
    }
    if is_asked("verify") {
        verify::run(&arguments.python, report)?;
    }
    if is_asked("negotiation") {
        let only = match &arguments.benchmark {
            Benchmark::Negotiation { only } => *only,
            _ => None,
        };
        negotiation::run(&arguments.python, report, only)?;
    }
    if is_asked("optimal") {
        optimal::run(report)?;
    }
    if is_asked("arx-times") {
        let only = match &arguments.benchmark {
            Benchmark::ArxTimes { only } => only,
            _ => "",
        };
        arx_times::run(report, only)?;
    }
    if is_asked("regions") {
        regions::run(report)?;
    }
    if is_asked("workload") {
        workload::run(report)?;
    }
    if is_asked("kernel") {
        kernel::run(report)?;
    }
    // Last: they take much memory, and programs started afterwards would be taken to take as much.
    if is_asked("schemes") {
        let (only, seconds) = match &arguments.benchmark {
            Benchmark::Schemes { only, limit } => (*only, *limit),
            _ => (None, SCHEMES_LIMIT),
        };
        schemes::run(report, only, Duration::from_secs(seconds))?;
    }
    if is_asked("advice") {
        let is_written = matches!(arguments.benchmark, Benchmark::Advice { write: true });
        advice::run(report, is_written)?;
    }
    Ok(())
}

/// The command that repeats the run, without what is true of this machine only.
fn command(arguments: &Arguments, folder: &std::path::Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let (benchmark, rows) = (&arguments.benchmark, arguments.rows);
    let only = benchmark.only().map(|only| format!(" --only {only}"));
    format!(
        "cargo run --profile bench -p incrowd-bench -- {}{} --rows {rows} --record {name}",
        benchmark.name(),
        only.unwrap_or_default(),
    )
}
