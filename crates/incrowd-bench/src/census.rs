//! A whole job on a large file, beside reading and writing the same file and nothing else.

use crate::child::{self, Usage};
use crate::report::{Report, Table, grouped, median, short};
use crate::{job, record};
use anyhow::{Context, Result};
use incrowd_job::{Budget, HierarchySource, Job, Others, Outcome};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

pub(crate) const SEED: u64 = 1;
const REPETITIONS: usize = 3;
const THREADS: [usize; 2] = [1, 2];

/// What the target allows.
const MOST_MEMORY: u64 = 1 << 30;

const MEBIBYTE: f64 = (1 << 20) as f64;

/// Where the levels of the quasi-identifiers come from.
pub(crate) const QUASI_IDENTIFIERS: [(&str, &str); 6] = [
    ("age", "interval:5,10,20@17"),
    ("sex", "suppress"),
    ("zip", "mask:1"),
    ("education", "order"),
    ("marital-status", "order"),
    ("occupation", "order"),
];

/// Reads rows and writes them again, with the csv crate and as its documentation shows.
pub(crate) fn copy_bare(from: &Path, to: &Path) -> Result<()> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_path(from)?;
    let mut writer = csv::Writer::from_path(to)?;
    let mut row = csv::ByteRecord::new();
    while reader.read_byte_record(&mut row)? {
        writer.write_byte_record(&row)?;
    }
    writer.flush()?;
    Ok(())
}

/// The repetitions of one way to go over the file.
struct Passes {
    name: String,
    usages: Vec<Usage>,
    outcomes: Vec<Outcome>,
}

impl Passes {
    fn new(name: String) -> Self {
        Passes {
            name,
            usages: Vec::new(),
            outcomes: Vec::new(),
        }
    }

    fn wall(&self) -> f64 {
        let seconds: Vec<f64> = self
            .usages
            .iter()
            .map(|usage| usage.wall.as_secs_f64())
            .collect();
        median(&seconds)
    }

    fn cpu(&self) -> f64 {
        let seconds: Vec<f64> = self
            .usages
            .iter()
            .map(|usage| usage.cpu.as_secs_f64())
            .collect();
        median(&seconds)
    }

    fn peak_memory(&self) -> u64 {
        let peaks = self.usages.iter().map(|usage| usage.peak_memory);
        peaks.max().unwrap_or(0)
    }

    fn seconds(&self, phase: impl Fn(&Outcome) -> f64) -> String {
        if self.outcomes.is_empty() {
            return String::new();
        }
        let seconds: Vec<f64> = self.outcomes.iter().map(phase).collect();
        short(median(&seconds))
    }
}

pub(crate) fn run(rows: u64, report: &mut Report) -> Result<()> {
    report.heading("A census file from end to end");
    report.version("csv", &record::crate_version("csv"));
    let folder = tempfile::tempdir().context("making a folder for the census")?;
    let input = folder.path().join("census.csv");
    let mut file = BufWriter::new(File::create(&input)?);
    incrowd_testkit::census(rows, SEED, &mut file).context("writing the census")?;
    drop(file);
    let bytes = std::fs::metadata(&input)?.len();

    let mut bare = Passes::new(format!("csv {}, bare", record::crate_version("csv")));
    let mut ours: Vec<Passes> = THREADS
        .iter()
        .map(|threads| Passes::new(format!("incrowd, --threads {threads}")))
        .collect();
    for _ in 0..REPETITIONS {
        let output = folder.path().join("bare.csv");
        let (_, usage) = child::run(
            child::this_program()?
                .arg("copy-bare")
                .args([&input, &output]),
        )?;
        bare.usages.push(usage);
        std::fs::remove_file(output)?;
        for (passes, threads) in ours.iter_mut().zip(THREADS) {
            let output = folder.path().join("release.csv");
            let (outcome, usage) = job::anonymize(&census_job(rows, &input, &output, threads))?;
            passes.usages.push(usage);
            passes.outcomes.push(outcome);
            std::fs::remove_file(output)?;
        }
    }
    describe(report, rows, bytes, &bare, &ours);
    Ok(())
}

pub(crate) fn census_job(rows: u64, input: &Path, output: &Path, threads: usize) -> Job {
    let text = |path: &Path| Some(path.to_string_lossy().into_owned());
    let mut job = Job::default();
    job.data.path = text(input);
    job.output.path = text(output);
    job.columns.quasi_identifiers = Some(
        QUASI_IDENTIFIERS
            .map(|(column, _)| column.to_owned())
            .to_vec(),
    );
    job.columns.sensitive = Some(vec!["income".to_owned()]);
    job.columns.others = Some(Others::Keep);
    job.hierarchies = QUASI_IDENTIFIERS
        .map(|(column, rule)| (column.to_owned(), HierarchySource::Built(rule.to_owned())))
        .into_iter()
        .collect();
    job.privacy.models = Some(models(rows).to_vec());
    job.privacy.max_suppressed = Some(Budget::Rows(rows / 20));
    job.search.threads = Some(threads);
    job
}

/// The file repeats the people of a town, so a crowd of 5 people of the town is a crowd of many more rows.
pub(crate) fn models(rows: u64) -> [String; 2] {
    let k = (5 * rows / incrowd_testkit::census::TOWN as u64).max(5);
    [
        format!("k-anonymity(k={k})"),
        "distinct-l-diversity(l=3)".to_owned(),
    ]
}

fn describe(report: &mut Report, rows: u64, bytes: u64, bare: &Passes, ours: &[Passes]) {
    report.paragraph(&format!(
        "A generated census: {} rows, 8 columns, {} MiB, in the page cache. `bare` reads and writes it once with the csv \
         crate and does nothing else. incrowd reads it twice: to count, and to check that it did not change until the \
         release is written. It searches, recodes, takes SHA-256 of every byte counted and written, and writes the \
         release: {}, {}, 5 % of the rows may be suppressed, {} quasi-identifiers, `income` sensitive. Medians of {REPETITIONS} runs in turn, each in a \
         process of its own; peak memory is the largest of them.",
        grouped(rows),
        (bytes as f64 / MEBIBYTE).round(),
        models(rows)[0],
        models(rows)[1],
        QUASI_IDENTIFIERS.len(),
    ));
    let mut table = Table::new([
        "what",
        "rows/s",
        "of bare",
        "seconds",
        "read",
        "solve",
        "write",
        "CPU s",
        "CPU of bare",
        "peak MiB",
    ]);
    let case = format!("census of {rows} rows");
    for passes in std::iter::once(bare).chain(ours) {
        table.row([
            passes.name.clone(),
            grouped((rows as f64 / passes.wall()) as u64),
            format!("{:.2}", bare.wall() / passes.wall()),
            short(passes.wall()),
            passes.seconds(|outcome| outcome.seconds.read),
            passes.seconds(|outcome| outcome.seconds.solve),
            passes.seconds(|outcome| outcome.seconds.write),
            short(passes.cpu()),
            format!("{:.2}", passes.cpu() / bare.cpu()),
            format!("{:.0}", passes.peak_memory() as f64 / MEBIBYTE),
        ]);
        let key = ("census", case.as_str(), passes.name.as_str());
        let usages = || passes.usages.iter();
        report.repetitions(
            key,
            "wall_s",
            usages().map(|usage| usage.wall.as_secs_f64()),
        );
        report.repetitions(key, "cpu_s", usages().map(|usage| usage.cpu.as_secs_f64()));
        report.repetitions(key, "peak_bytes", usages().map(|usage| usage.peak_memory));
        let seconds = || passes.outcomes.iter().map(|outcome| outcome.seconds);
        report.repetitions(key, "read_s", seconds().map(|seconds| seconds.read));
        report.repetitions(key, "solve_s", seconds().map(|seconds| seconds.solve));
        report.repetitions(key, "write_s", seconds().map(|seconds| seconds.write));
    }
    report.table(&table);
    reached(report, &case, bare, ours);
}

/// What the releases are worth, and whether the targets are met.
fn reached(report: &mut Report, case: &str, bare: &Passes, ours: &[Passes]) {
    let mut hashes = Vec::new();
    for passes in ours {
        for outcome in &passes.outcomes {
            let hash = outcome.output.as_ref().map(|output| output.sha256.clone());
            hashes.extend(hash);
        }
        let Some(outcome) = passes.outcomes.first() else {
            continue;
        };
        let key = ("census", case, passes.name.as_str());
        report.fact(key, "nodes_checked", outcome.lattice.checked);
        report.fact(key, "rows_suppressed", outcome.rows_suppressed);
        report.fact(key, "classes", outcome.classes);
        report.fact(
            key,
            "loss",
            outcome.metrics.get("loss").copied().unwrap_or(f64::NAN),
        );
    }
    let are_equal = hashes.windows(2).all(|pair| pair[0] == pair[1]);
    if let Some(outcome) = ours.first().and_then(|passes| passes.outcomes.first()) {
        let levels: Vec<String> = outcome
            .levels
            .iter()
            .flatten()
            .map(|(column, level)| format!("{column} {level}"))
            .collect();
        report.paragraph(&format!(
            "The release: levels {}; loss {}, {} rows suppressed, {} classes, {} of {} nodes checked. All runs wrote {}.",
            levels.join(", "),
            short(outcome.metrics.get("loss").copied().unwrap_or(f64::NAN)),
            grouped(outcome.rows_suppressed),
            grouped(outcome.classes),
            grouped(outcome.lattice.checked),
            outcome.lattice.nodes.0,
            if are_equal { "the same bytes" } else { "DIFFERENT bytes" },
        ));
    }
    for passes in ours {
        let share = bare.wall() / passes.wall();
        let peak = passes.peak_memory();
        report.paragraph(&format!(
            "{}: {:.2} of the rows per second of bare (target 0.50: {}), peak memory {:.0} MiB (target below 1024: {}).",
            passes.name,
            share,
            if share >= 0.5 { "met" } else { "missed" },
            peak as f64 / MEBIBYTE,
            if peak < MOST_MEMORY { "met" } else { "missed" },
        ));
    }
}
