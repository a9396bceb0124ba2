//! Passes over the rows beside general engines: counting and rewriting rows that are nearly all different, and rewriting Parquet; and
//! what many threads bring where no engine runs beside.

mod little_memory;

use crate::census::{QUASI_IDENTIFIERS, SEED, census_job};
use crate::child::{self, Usage};
use crate::report::{Report, Table, grouped, median, short};
use crate::{job, paths};
use anyhow::{Context, Result, ensure};
use incrowd_job::{Budget, HierarchySource, Job};
use serde_json::Value;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::Command;

const REPETITIONS: usize = 3;
const THREADS: [usize; 2] = [1, 2];
const MEBIBYTE: f64 = (1 << 20) as f64;

/// Threads that passes over very many rows are run with, on however many cores there are, and how many times as many rows.
const MANY_THREADS: [usize; 5] = [1, 2, 4, 8, 16];
const TIMES_AS_MANY: u64 = 5;

/// What can be measured by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Counting rows that are nearly all different.
    Count,
    /// Rewriting them.
    RewriteDifferent,
    /// Rewriting a Parquet file, with dictionaries and without.
    Rewrite,
    /// Rewriting rows that are nearly all different, with less and less memory for their combinations.
    LittleMemory,
    /// Rewriting five times as many rows that are nearly all different, with up to 16 threads.
    ManyThreads,
}

/// Someone who goes over the rows, and what that took.
struct Runner {
    name: String,
    usages: Vec<Usage>,
    /// What was found, the same every time.
    found: Option<String>,
}

impl Runner {
    fn new(name: String) -> Self {
        Runner {
            name,
            usages: Vec::new(),
            found: None,
        }
    }

    fn took(&mut self, found: String, usage: Usage) -> Result<()> {
        let is_same = self.found.as_ref().is_none_or(|before| *before == found);
        ensure!(is_same, "{} found something else this time", self.name);
        self.found = Some(found);
        self.usages.push(usage);
        Ok(())
    }

    fn cpu(&self) -> f64 {
        let seconds: Vec<f64> = (self.usages.iter())
            .map(|usage| usage.cpu.as_secs_f64())
            .collect();
        median(&seconds)
    }

    fn wall(&self) -> f64 {
        let seconds: Vec<f64> = (self.usages.iter())
            .map(|usage| usage.wall.as_secs_f64())
            .collect();
        median(&seconds)
    }

    fn peak_memory(&self) -> u64 {
        let peaks = self.usages.iter().map(|usage| usage.peak_memory);
        peaks.max().unwrap_or(0)
    }
}

/// A command of `benchmarks/rows/peers.py`; what it printed, and what it used.
fn ask_peer(python: &Path, arguments: &[&str]) -> Result<(Value, Usage)> {
    let script = paths::project().join("benchmarks/rows/peers.py");
    let (printed, usage) = child::run(Command::new(python).arg(script).args(arguments))?;
    Ok((serde_json::from_str(&printed)?, usage))
}

pub(crate) fn run(python: &Path, rows: u64, only: Option<Part>, report: &mut Report) -> Result<()> {
    let is_asked = |part| only.is_none_or(|only| only == part);
    if is_asked(Part::ManyThreads) {
        report.heading("Passes over very many rows, by threads");
        rewrite_with_many_threads(TIMES_AS_MANY * rows, report)?;
    }
    if is_asked(Part::LittleMemory) {
        report.heading("Passes over the rows in little memory");
        little_memory::run(rows, report)?;
    }
    if matches!(only, Some(Part::ManyThreads | Part::LittleMemory)) {
        return Ok(());
    }
    report.heading("Passes over the rows, beside general engines");
    let Ok((versions, _)) = ask_peer(python, &["versions"]) else {
        report.paragraph(
            "DuckDB, Polars and Sail are not installed here (`make bench` installs them; or `pip install -r benchmarks/peers.txt`, and \
             `--python` if they are in an environment of their own), so there is nobody to compare with.",
        );
        return Ok(());
    };
    let version = |name: &str| versions[name].as_str().unwrap_or("?").to_owned();
    for name in ["duckdb", "polars", "sail"] {
        report.version(name, &version(name));
    }
    let folder = tempfile::tempdir().context("making a folder for the tables")?;
    if is_asked(Part::Count) || is_asked(Part::RewriteDifferent) {
        let strangers = folder.path().join("strangers.csv");
        let mut file = BufWriter::new(File::create(&strangers)?);
        incrowd_testkit::strangers(rows, SEED, &mut file)?;
        drop(file);
        if is_asked(Part::Count) {
            count_strangers(python, rows, &strangers, &version, report)?;
        }
        if is_asked(Part::RewriteDifferent) {
            let rewriting = Rewriting::of_strangers(rows, strangers.clone());
            rewriting.run(python, &version, report)?;
        }
        std::fs::remove_file(&strangers)?;
    }
    if !is_asked(Part::Rewrite) {
        return Ok(());
    }
    let csv = folder.path().join("census.csv");
    let mut file = BufWriter::new(File::create(&csv)?);
    incrowd_testkit::census(rows, SEED, &mut file)?;
    drop(file);
    let mut files = Vec::new();
    for pages in [Pages::Coded, Pages::Plain] {
        let parquet = folder.path().join(format!("{}.parquet", pages.name()));
        let (from, to) = (csv.to_string_lossy(), parquet.to_string_lossy());
        ask_peer(python, &["to-parquet", &from, &to, pages.name()])?;
        files.push((parquet, pages));
    }
    std::fs::remove_file(&csv)?;
    for (parquet, pages) in files {
        Rewriting::of_census(rows, parquet, pages).run(python, &version, report)?;
    }
    Ok(())
}

/// How a Parquet file stores its cells.
#[derive(Clone, Copy)]
enum Pages {
    /// As places in a dictionary, as most programs do for columns of few values.
    Coded,
    /// As they are, as others do.
    Plain,
}

impl Pages {
    fn name(self) -> &'static str {
        match self {
            Pages::Coded => "coded",
            Pages::Plain => "plain",
        }
    }
}

/// Engines with every number of threads, to be asked in turn.
fn peers<'a>(
    engines: &[&'a str],
    version: &impl Fn(&str) -> String,
) -> (Vec<(&'a str, usize)>, Vec<Runner>) {
    let cases: Vec<(&str, usize)> = (engines.iter())
        .flat_map(|&engine| THREADS.map(|threads| (engine, threads)))
        .collect();
    let runners = (cases.iter())
        .map(|(engine, threads)| {
            Runner::new(format!("{engine} {}, {threads} threads", version(engine)))
        })
        .collect();
    (cases, runners)
}

fn count_strangers(
    python: &Path,
    rows: u64,
    path: &Path,
    version: &impl Fn(&str) -> String,
    report: &mut Report,
) -> Result<()> {
    let text = path.to_string_lossy();
    let mut ours: Vec<Runner> = (THREADS.iter())
        .map(|threads| Runner::new(format!("incrowd, {threads} threads")))
        .collect();
    let (cases, mut peers) = peers(&["duckdb", "polars", "sail"], version);
    for _ in 0..REPETITIONS {
        for (runner, threads) in ours.iter_mut().zip(THREADS) {
            let (risks, usage) = job::risk(&strangers_job(path, threads))?;
            let one = risks.uniques.sample.rows;
            let found = format!(
                "{} groups of {} rows, {one} of one",
                risks.classes, risks.rows
            );
            runner.took(found, usage)?;
        }
        for (runner, (engine, threads)) in peers.iter_mut().zip(&cases) {
            let threads = threads.to_string();
            let (found, usage) = ask_peer(python, &["count", engine, &text, &threads])?;
            let found = format!(
                "{} groups of {} rows, {} of one",
                found["groups"], found["rows"], found["groups_of_one"]
            );
            runner.took(found, usage)?;
        }
    }
    let bytes = std::fs::metadata(path)?.len();
    report.paragraph(&format!(
        "Counting *strangers*: {} rows, 7 columns, CSV of {:.0} MiB, in the page cache. Engines group by all columns; incrowd \
         counts, sorts and assesses the risk. Medians of {REPETITIONS} runs in turn.",
        grouped(rows),
        bytes as f64 / MEBIBYTE,
    ));
    let case = format!("{rows} strangers, counted");
    show(report, &case, "DuckDB with one thread", ours, peers);
    Ok(())
}

/// Counts the strangers of a file.
pub(crate) fn strangers_job(path: &Path, threads: usize) -> Job {
    let mut job = Job::default();
    job.data.path = Some(path.to_string_lossy().into_owned());
    let names = incrowd_testkit::strangers::COLUMNS.map(|(name, ..)| name.to_owned());
    job.columns.quasi_identifiers = Some(names.to_vec());
    job.search.threads = Some(threads);
    job
}

/// Publishes the strangers of a file: hardly a row is like another before, every row like at least four others after.
pub(crate) fn strangers_release_job(path: &Path, output: &Path, threads: usize) -> Job {
    let mut job = strangers_job(path, threads);
    job.output.path = Some(output.to_string_lossy().into_owned());
    let rules = [
        ("age", "interval:5,10,40@0"),
        ("sex", "suppress"),
        ("zip", "mask:1"),
        ("education", "suppress"),
        ("status", "suppress"),
        ("occupation", "suppress"),
        ("region", "suppress"),
    ];
    job.hierarchies = rules
        .map(|(column, rule)| (column.to_owned(), HierarchySource::Built(rule.to_owned())))
        .into_iter()
        .collect();
    job.privacy.models = Some(vec!["k-anonymity(k=5)".to_owned()]);
    job.privacy.max_suppressed = Some(Budget::Percent(1.0));
    job
}

/// A whole job beside what engines do with the same file.
struct Rewriting {
    path: PathBuf,
    /// Where the release goes.
    output: PathBuf,
    /// With each number of threads.
    jobs: [Job; THREADS.len()],
    /// Those whose values tell the classes.
    columns: Vec<&'static str>,
    engines: &'static [&'static str],
    /// What the first of them is called, with which all are compared.
    first: &'static str,
    /// What the case is called in the record.
    case: String,
    /// What the file is, as the report says it.
    about: String,
}

impl Rewriting {
    fn of_strangers(rows: u64, path: PathBuf) -> Self {
        let output = path.with_file_name("release.csv");
        Rewriting {
            jobs: THREADS.map(|threads| strangers_release_job(&path, &output, threads)),
            output,
            path,
            columns: incrowd_testkit::strangers::COLUMNS
                .map(|(name, ..)| name)
                .to_vec(),
            engines: &["duckdb"],
            first: "DuckDB with one thread",
            case: format!("{rows} strangers, rewritten"),
            about: format!("the *strangers*: {} rows, 7 columns, CSV", grouped(rows)),
        }
    }

    fn of_census(rows: u64, path: PathBuf, pages: Pages) -> Self {
        let output = path.with_file_name("release.parquet");
        Rewriting {
            jobs: THREADS.map(|threads| census_job(rows, &path, &output, threads)),
            output,
            path,
            columns: QUASI_IDENTIFIERS.map(|(column, _)| column).to_vec(),
            engines: &["sail", "duckdb"],
            first: "Sail with one thread",
            case: match pages {
                Pages::Coded => format!("{rows} rows of Parquet, rewritten"),
                Pages::Plain => format!("{rows} rows of plain Parquet, rewritten"),
            },
            about: format!(
                "the *census*: {} rows, 8 text columns, Parquet {} dictionaries",
                grouped(rows),
                match pages {
                    Pages::Coded => "with",
                    Pages::Plain => "without",
                }
            ),
        }
    }

    /// The rows and classes of the release, as DuckDB counts them.
    fn recount(&self, python: &Path) -> Result<(u64, u64)> {
        let (release, columns) = (self.output.to_string_lossy(), self.columns.join(","));
        let (found, _) = ask_peer(python, &["classes", &release, &columns])?;
        let number = |name: &str| found[name].as_u64().context("a count");
        Ok((number("rows")?, number("groups")?))
    }

    fn run(
        &self,
        python: &Path,
        version: &impl Fn(&str) -> String,
        report: &mut Report,
    ) -> Result<()> {
        let (path, output) = (&self.path, &self.output);
        let mut ours: Vec<Runner> = (THREADS.iter())
            .map(|threads| Runner::new(format!("incrowd, {threads} threads")))
            .collect();
        let (cases, mut peers) = peers(self.engines, version);
        for _ in 0..REPETITIONS {
            for (runner, job) in ours.iter_mut().zip(&self.jobs) {
                let (outcome, usage) = job::anonymize(job)?;
                let hash = outcome.output.map(|output| output.sha256);
                let hash = hash.unwrap_or_default();
                let found = format!(
                    "{} rows, {} classes, {} rows suppressed, SHA-256 {}...",
                    outcome.rows_out,
                    outcome.classes,
                    outcome.rows_suppressed,
                    hash.get(..12).unwrap_or_default()
                );
                if runner.found.as_ref() != Some(&found) {
                    let counted = self.recount(python)?;
                    let ours = (outcome.rows_out, outcome.classes);
                    ensure!(counted == ours, "DuckDB counts {counted:?}, not {ours:?}");
                }
                runner.took(found, usage)?;
                std::fs::remove_file(output)?;
            }
            for (runner, (engine, threads)) in peers.iter_mut().zip(&cases) {
                let (from, to) = (path.to_string_lossy(), output.to_string_lossy());
                let threads = threads.to_string();
                let (found, usage) = ask_peer(python, &["rewrite", engine, &from, &to, &threads])?;
                let found = format!(
                    "{} rows, {} groups before, {} after",
                    found["after"]["rows"], found["before"]["groups"], found["after"]["groups"]
                );
                runner.took(found, usage)?;
                // Sail writes a folder of files.
                if output.is_dir() {
                    std::fs::remove_dir_all(output)?;
                } else {
                    std::fs::remove_file(output)?;
                }
            }
        }
        for found in [&ours, &peers].map(|of| of.iter().map(|runner| &runner.found)) {
            let all: Vec<_> = found.collect();
            ensure!(
                all.windows(2).all(|pair| pair[0] == pair[1]),
                "not all found the same: {all:?}"
            );
        }
        let bytes = std::fs::metadata(path)?.len();
        report.paragraph(&format!(
            "Rewriting {} of {:.0} MiB, in the page cache. incrowd runs a whole job, whose rows and classes DuckDB counts again in \
             the release; engines count, recode `age` and `zip` as they are told, write and count again, and all find the same. So the \
             files written differ. Medians of {REPETITIONS} runs in turn.",
            self.about,
            bytes as f64 / MEBIBYTE,
        ));
        show(report, &self.case, self.first, ours, peers);
        Ok(())
    }
}

/// The same release whatever the threads, and how long each pass took.
fn rewrite_with_many_threads(rows: u64, report: &mut Report) -> Result<()> {
    let folder = tempfile::tempdir().context("making a folder for the tables")?;
    let path = folder.path().join("strangers.csv");
    let mut file = BufWriter::new(File::create(&path)?);
    incrowd_testkit::strangers(rows, SEED, &mut file)?;
    drop(file);
    let cores = std::thread::available_parallelism()?;
    report.paragraph(&format!(
        "A whole job on the *strangers*: {} rows, 7 columns, CSV of {:.0} MiB, in the page cache, once with each number of threads, on \
         {cores} cores: more threads than cores show what they cost where they bring nothing.",
        grouped(rows),
        std::fs::metadata(&path)?.len() as f64 / MEBIBYTE,
    ));
    let output = folder.path().join("release.csv");
    let mut table = Table::new([
        "threads", "read s", "solve s", "write s", "CPU s", "peak MiB", "found",
    ]);
    let mut hashes = Vec::new();
    for threads in MANY_THREADS {
        let (outcome, usage) = job::anonymize(&strangers_release_job(&path, &output, threads))?;
        std::fs::remove_file(&output)?;
        let hash = outcome
            .output
            .map(|output| output.sha256)
            .unwrap_or_default();
        let seconds = outcome.seconds;
        table.row([
            threads.to_string(),
            short(seconds.read),
            short(seconds.solve),
            short(seconds.write),
            short(usage.cpu.as_secs_f64()),
            format!("{:.0}", usage.peak_memory as f64 / MEBIBYTE),
            format!(
                "{} rows, {} classes, SHA-256 {}...",
                outcome.rows_out,
                outcome.classes,
                hash.get(..12).unwrap_or_default()
            ),
        ]);
        let case = format!("{rows} strangers, {threads} threads");
        let key = ("rows", case.as_str(), "incrowd");
        report.fact(key, "read_s", seconds.read);
        report.fact(key, "write_s", seconds.write);
        report.fact(key, "cpu_s", usage.cpu.as_secs_f64());
        report.fact(key, "peak_bytes", usage.peak_memory);
        hashes.push(hash);
    }
    ensure!(
        hashes.windows(2).all(|pair| pair[0] == pair[1]),
        "not all releases are the same: {hashes:?}"
    );
    report.table(&table);
    Ok(())
}

/// Compares with the first of the peers.
fn show(report: &mut Report, case: &str, first: &str, ours: Vec<Runner>, peers: Vec<Runner>) {
    let of_first = format!("CPU of {first}");
    let mut table = Table::new([
        "who",
        "seconds",
        "CPU s",
        of_first.as_str(),
        "peak MiB",
        "found",
    ]);
    let cpu = peers.first().map_or(f64::NAN, Runner::cpu);
    for runner in ours.iter().chain(&peers) {
        table.row([
            runner.name.clone(),
            short(runner.wall()),
            short(runner.cpu()),
            format!("{:.2}", runner.cpu() / cpu),
            format!("{:.0}", runner.peak_memory() as f64 / MEBIBYTE),
            runner.found.clone().unwrap_or_default(),
        ]);
        let key = ("rows", case, runner.name.as_str());
        let usages = || runner.usages.iter();
        report.repetitions(
            key,
            "wall_s",
            usages().map(|usage| usage.wall.as_secs_f64()),
        );
        report.repetitions(key, "cpu_s", usages().map(|usage| usage.cpu.as_secs_f64()));
        report.repetitions(key, "peak_bytes", usages().map(|usage| usage.peak_memory));
        report.fact(key, "found", runner.found.clone().unwrap_or_default());
    }
    report.table(&table);
}
