//! Answering what can be had: how long the histograms take beside pandas, and an answer once they are there.

mod chart;
mod growth;
mod peer;

pub(crate) use chart::{draw, has_growth};
pub(crate) use growth::{GrowthTable, measure_here};

use crate::adult;
use crate::report::{Report, Table, grouped, median, short};
use anyhow::{Context, Result};
use cpu_time::{ProcessTime, ThreadTime};
use incrowd_core::counts::CountedTable;
use incrowd_core::lattice::Node;
use incrowd_core::negotiate::{
    AnnotatedLattice, IndexKey, Negotiator, Outcome, Request, acceptable_levels,
};
use incrowd_core::privacy::{DistinctLDiversity, KAnonymity, PrivacyModel};
use incrowd_core::problem::Unwatched;
use std::path::Path;
use std::time::Instant;

const BENCHMARK: &str = "negotiation";
const SENSITIVE: &str = "hours-per-week";
const ATTRIBUTES: usize = 6;
const REPETITIONS: usize = 15;

/// What the targets allow.
const LEAST_RATIO: f64 = 150.0;
const MOST_ANSWER_US: f64 = 50.0;
const MOST_LOAD_MS: f64 = 20.0;
const MOST_INDEX_BYTES: usize = 8 << 20;
const MOST_ANNOTATION_MS: f64 = 100.0;
const MOST_LAZY_MS: f64 = 100.0;
/// Where the clock counts.
const THREADS: usize = 2;

const MEBIBYTE: f64 = (1 << 20) as f64;

/// The two models of paper 004; an annotation serves any parameter.
const SIZES: KAnonymity = KAnonymity { k: 2 };
const DIVERSITY: DistinctLDiversity = DistinctLDiversity { column: 0, l: 2 };

/// What can be measured by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Time and memory by quasi-identifiers and by rows.
    Growth,
    /// The histograms of every node, compared with pandas, and their file.
    Histograms,
    /// Answers from a ready lattice.
    Answers,
    /// First answers without any histogram.
    FirstAnswers,
}

pub(crate) fn run(python: &Path, report: &mut Report, only: Option<Part>) -> Result<()> {
    report.heading("Negotiation");
    let is_asked = |part| only.is_none_or(|only| only == part);
    // First, while this process is small: the peak memory of a child counts from what its parent had.
    if is_asked(Part::Growth) {
        growth::run(report)?;
    }
    if is_asked(Part::Histograms) {
        let quasi_identifiers = &adult::QUASI_IDENTIFIERS[..ATTRIBUTES];
        let table = adult::count(quasi_identifiers, &[SENSITIVE]);
        let lattice = beside_pandas(python, report, &table)?;
        index_file(report, &lattice)?;
    }
    if is_asked(Part::Answers) {
        answers(report)?;
    }
    if is_asked(Part::FirstAnswers) {
        first_answers(report)?;
    }
    Ok(())
}

fn met(is_met: bool) -> &'static str {
    if is_met { "met" } else { "missed" }
}

fn annotate(table: &CountedTable, threads: usize) -> Result<AnnotatedLattice> {
    let models: [&dyn PrivacyModel; 2] = [&SIZES, &DIVERSITY];
    Ok(AnnotatedLattice::full(table, &models, threads, &Unwatched)?)
}

/// All nodes with both histograms, here and by a GROUP BY for each.
fn beside_pandas(
    python: &Path,
    report: &mut Report,
    table: &CountedTable,
) -> Result<AnnotatedLattice> {
    let (mut cpu_s, mut wall_s) = (Vec::new(), Vec::new());
    let mut lattice = annotate(table, 1)?;
    for _ in 0..REPETITIONS {
        let start = ProcessTime::now();
        lattice = annotate(table, 1)?;
        cpu_s.push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        annotate(table, THREADS)?;
        wall_s.push(start.elapsed().as_secs_f64());
    }
    let case = "all nodes, 6 quasi-identifiers";
    let key = (BENCHMARK, case, "incrowd");
    report.repetitions(key, "cpu_s", &cpu_s);
    report.repetitions(key, "wall_s", &wall_s);
    report.fact(key, "nodes", lattice.nodes().len());
    let (ours, on_the_clock) = (median(&cpu_s), median(&wall_s));
    report.paragraph(&format!(
        "**Histograms of every node.** Adult, {}, `{SENSITIVE}` sensitive: {} nodes, each with its histogram of class \
         sizes and of distinct values, from the counted table. incrowd: {} ms of CPU on one thread, {} ms \
         on the clock with {THREADS}, medians of {REPETITIONS} (target at most {MOST_ANNOTATION_MS} ms: {}).",
        adult::QUASI_IDENTIFIERS[..ATTRIBUTES].join(", "),
        grouped(lattice.nodes().len() as u64),
        short(1e3 * ours),
        short(1e3 * on_the_clock),
        met(1e3 * on_the_clock <= MOST_ANNOTATION_MS),
    ));
    let Some(peer) = peer::ask(python, ATTRIBUTES)? else {
        report.paragraph(
            "pandas is not installed here (`pip install pandas`, and `--python` if it is in an environment of its own), so \
             there is no ratio.",
        );
        return Ok(lattice);
    };
    let differing = peer::differing(&peer, table, &lattice)?;
    for (name, version) in &peer.versions {
        report.version(name, version);
    }
    let subject = format!("pandas {}", peer.version());
    let key = (BENCHMARK, case, subject.as_str());
    report.fact(key, "cpu_s", peer.cpu_s);
    report.fact(key, "nodes", peer.nodes.len());
    report.fact(key, "nodes_that_differ", differing);
    let ratio = peer.cpu_s / ours;
    report.paragraph(&format!(
        "{subject}, one `groupby` per node by numbered labels: {} s of CPU in the same run. Both histograms of all {} nodes \
         were compared: {}. Ratio {} (target at least {LEAST_RATIO}: {}).",
        short(peer.cpu_s),
        grouped(peer.nodes.len() as u64),
        match differing {
            0 => "all are equal".to_owned(),
            nodes => format!("{nodes} DIFFER"),
        },
        short(ratio),
        met(ratio >= LEAST_RATIO && differing == 0),
    ));
    Ok(lattice)
}

/// Reading the histograms back.
fn index_file(report: &mut Report, lattice: &AnnotatedLattice) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("adult.index");
    let index_key = IndexKey {
        data: [1; 32],
        hierarchies: [2; 32],
    };
    std::fs::write(&path, lattice.to_bytes(&index_key))?;
    let mut load_ms = Vec::new();
    for _ in 0..REPETITIONS {
        let start = Instant::now();
        let bytes = std::fs::read(&path)?;
        let loaded = AnnotatedLattice::from_bytes(&bytes, &index_key)?;
        load_ms.push(1e3 * start.elapsed().as_secs_f64());
        anyhow::ensure!(loaded == *lattice, "the index came back as another");
    }
    let file = std::fs::metadata(&path)?.len();
    let key = (BENCHMARK, "index file, 6 quasi-identifiers", "incrowd");
    report.repetitions(key, "load_ms", &load_ms);
    report.fact(key, "file_bytes", file);
    report.fact(key, "memory_bytes", lattice.memory());
    let load = median(&load_ms);
    report.paragraph(&format!(
        "**Index file.** {} MiB on disk, {} MiB in memory (target below 8: {}). Reading and checking it: {} ms, median of \
         {REPETITIONS} from the page cache (target below {MOST_LOAD_MS}: {}).",
        short(file as f64 / MEBIBYTE),
        short(lattice.memory() as f64 / MEBIBYTE),
        met(lattice.memory() < MOST_INDEX_BYTES),
        short(load),
        met(load < MOST_LOAD_MS),
    ));
    Ok(())
}

/// A line of the reference requests.
struct Asked {
    quasi_identifiers: Vec<String>,
    model: Box<dyn PrivacyModel>,
    max_suppressed: u32,
    max_levels: Vec<i64>,
}

fn model(name: &str, parameter: u32) -> Result<Box<dyn PrivacyModel>> {
    let model: &dyn PrivacyModel = match name {
        "k-anonymity" => &SIZES,
        "distinct-l-diversity" => &DIVERSITY,
        other => anyhow::bail!("no reference for {other}"),
    };
    Ok(model.with_parameter(parameter.into())?)
}

fn reference() -> Result<Vec<Asked>> {
    let path = adult::folder().join("reference/negotiation.csv");
    let mut reader = csv::Reader::from_path(path).context("reading the reference requests")?;
    let mut asked = Vec::new();
    for row in reader.records() {
        let row = row?;
        let cell = |at: usize| row.get(at).unwrap_or_default();
        asked.push(Asked {
            quasi_identifiers: cell(1).split(' ').map(str::to_owned).collect(),
            model: model(cell(0), cell(2).parse()?)?,
            max_suppressed: cell(3).parse()?,
            max_levels: cell(4)
                .chars()
                .filter_map(|digit| digit.to_digit(10).map(i64::from))
                .collect(),
        });
    }
    Ok(asked)
}

/// Microseconds of one answer: the median of many.
fn answer_us(negotiator: &Negotiator, request: &Request<'_>) -> Result<(bool, f64)> {
    let mut times = Vec::new();
    let mut is_exact = false;
    for _ in 0..200 {
        let start = Instant::now();
        let answer = negotiator.answer(request, &Unwatched)?;
        times.push(1e6 * start.elapsed().as_secs_f64());
        is_exact = matches!(answer.outcome, Outcome::Exact(_));
    }
    Ok((is_exact, median(&times)))
}

/// Every reference request, from a lattice that is ready.
fn answers(report: &mut Report) -> Result<()> {
    let asked = reference()?;
    let (mut exact, mut relaxed) = (Vec::new(), Vec::new());
    for same_table in asked.chunk_by(|one, next| one.quasi_identifiers == next.quasi_identifiers) {
        let names: Vec<&str> = same_table[0]
            .quasi_identifiers
            .iter()
            .map(|name| &**name)
            .collect();
        let table = adult::count(&names, &[SENSITIVE]);
        let negotiator = Negotiator::annotated(table.clone(), annotate(&table, 1)?, false)?;
        for asked in same_table {
            let limit = acceptable_levels(&table, &asked.max_levels)?;
            let request = Request::new(&*asked.model)
                .max_suppressed(asked.max_suppressed)
                .max_levels(&limit);
            let (is_exact, us) = answer_us(&negotiator, &request)?;
            if is_exact { &mut exact } else { &mut relaxed }.push(us);
        }
    }
    report.paragraph(
        "**An answer from a ready lattice.** The requests of paper 004 (`data/adult/reference/negotiation.csv`, three to six \
         quasi-identifiers), in the library: microseconds, each request the median of 200.",
    );
    let mut table = Table::new(["answer", "requests", "median µs", "most µs", "target 50 µs"]);
    for (name, times) in [("exact", &exact), ("relaxed", &relaxed)] {
        let key = (BENCHMARK, "answer from a ready lattice", "incrowd");
        report.repetitions(key, &format!("{name}_us"), times);
        let most = times.iter().copied().fold(0.0, f64::max);
        table.row([
            name.to_owned(),
            times.len().to_string(),
            short(median(times)),
            short(most),
            met(median(times) < MOST_ANSWER_US).to_owned(),
        ]);
    }
    report.table(&table);
    Ok(())
}

/// A model with its parameter, the rows that may be suppressed, the highest acceptable levels.
type Wishes = (Box<dyn PrivacyModel>, u32, Node);

/// Requests that span what people ask: weak and strong promises, tight and wide budgets, any levels and low ones.
fn requests(table: &CountedTable) -> Result<Vec<Wishes>> {
    let mut requests = Vec::new();
    let top: Vec<i64> = table
        .lattice()
        .top()
        .levels()
        .map(|level| i64::from(level.0))
        .collect();
    for name in ["k-anonymity", "distinct-l-diversity"] {
        for parameter in [2, 3, 5, 6, 9, 10, 50] {
            for share in [0.0, 0.001, 0.01, 0.05, 0.1] {
                for highest in [i64::MAX, 2, 1] {
                    let levels: Vec<i64> = top.iter().map(|&level| level.min(highest)).collect();
                    let budget = (share * f64::from(table.rows)) as u32;
                    let limit = acceptable_levels(table, &levels)?;
                    requests.push((model(name, parameter)?, budget, limit));
                }
            }
        }
    }
    Ok(requests)
}

/// First answers without any histogram, eight quasi-identifiers.
fn first_answers(report: &mut Report) -> Result<()> {
    let table = adult::count(&adult::QUASI_IDENTIFIERS, &[SENSITIVE]);
    let requests = requests(&table)?;
    report.paragraph(&format!(
        "**A first answer without any histogram** (`lazy`), eight quasi-identifiers, {} nodes: {} requests (k or l of 2 to 50; \
         0 to 10 % of the rows; any levels, at most 2, at most 1), each to a new negotiator, from the counted table, all answers \
         proven exact. Milliseconds of CPU on one thread, and on the clock with {THREADS}; the answers of both are equal. The \
         target is by the clock.",
        table.lattice().nodes(),
        requests.len(),
    ));
    let mut lines = Table::new([
        "model",
        "requests",
        "median CPU ms",
        "most CPU ms",
        "under 100 ms of CPU",
        "median ms",
        "most ms",
        "under 100 ms",
        "most nodes counted",
        "target 100 ms",
    ]);
    for name in [SIZES.name(), DIVERSITY.name()] {
        let (mut cpu, mut wall, mut nodes) = (Vec::new(), Vec::new(), Vec::new());
        for (model, budget, limit) in requests.iter().filter(|(model, ..)| model.name() == name) {
            let request = Request::new(&**model)
                .max_suppressed(*budget)
                .max_levels(limit);
            // The lesser of two: other programs run on the machine too.
            let (mut least_cpu, mut least_wall) = (f64::INFINITY, f64::INFINITY);
            for _ in 0..2 {
                let start = ThreadTime::now();
                let answer = Negotiator::lazy(table.clone())?.answer(&request, &Unwatched)?;
                least_cpu = least_cpu.min(1e3 * start.elapsed().as_secs_f64());
                anyhow::ensure!(answer.coverage.complete, "a lazy answer was not exact");
                nodes.push(answer.nodes_visited);
                let start = Instant::now();
                let negotiator = Negotiator::lazy(table.clone())?.with_threads(THREADS);
                let shared = negotiator.answer(&request, &Unwatched)?;
                least_wall = least_wall.min(1e3 * start.elapsed().as_secs_f64());
                anyhow::ensure!(shared == answer, "an answer depends on the threads");
            }
            cpu.push(least_cpu);
            wall.push(least_wall);
        }
        let key = (BENCHMARK, "first answer, 8 quasi-identifiers", name);
        report.repetitions(key, "cpu_ms", &cpu);
        report.repetitions(key, "wall_ms", &wall);
        let most = |times: &[f64]| times.iter().copied().fold(0.0, f64::max);
        let under = |times: &[f64]| times.iter().filter(|&&time| time < MOST_LAZY_MS).count();
        lines.row([
            name.to_owned(),
            wall.len().to_string(),
            short(median(&cpu)),
            short(most(&cpu)),
            under(&cpu).to_string(),
            short(median(&wall)),
            short(most(&wall)),
            under(&wall).to_string(),
            nodes.iter().max().copied().unwrap_or(0).to_string(),
            met(most(&wall) < MOST_LAZY_MS).to_owned(),
        ]);
    }
    report.table(&lines);
    Ok(())
}
