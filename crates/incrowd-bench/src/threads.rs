//! What a second core brings to each stage, and how much of the stage only one thread can do.

use crate::cores::{on_a_core_each, on_cores};
use crate::report::{Report, Table, median, short};
use crate::{adult, census, job, rows, schemes};
use anyhow::{Context, Result};
use cpu_time::{ProcessTime, ThreadTime};
use incrowd_core::algorithms::{Algorithm, Optimal};
use incrowd_core::counts::{CountingSizes, RowCounter, SharedCounter};
use incrowd_core::negotiate::AnnotatedLattice;
use incrowd_core::privacy::{DistinctLDiversity, KAnonymity, ModelSpec, PrivacyModel};
use incrowd_core::problem::{Problem, Settings, Unwatched};
use incrowd_core::utility::MetricSpec;
use incrowd_io::{CsvOptions, RowsRead, Source};
use incrowd_job::{Job, Outcome};
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;
use std::sync::mpsc;
use std::time::Instant;

const BENCHMARK: &str = "threads";
const THREADS: usize = 2;
const REPETITIONS: usize = 7;
/// About as many as are written at once of a release, by the constant of that name there.
const BYTES_AT_ONCE: usize = 1 << 18;
/// So many texts of that length circulate there between those who format and the one who writes.
const TEXTS: usize = 6;
/// What the target asks for.
const LEAST_GAIN: f64 = 1.8;
const MOST_SERIAL: f64 = 0.05;

/// A stage as it was measured.
struct Stage {
    name: &'static str,
    wall: Wall,
    /// The share that only one thread can do, where it was measured.
    serial: Option<f64>,
    /// The CPU time of SHA-256, which has a thread of its own, as a share of that of the stage on one thread.
    hashing: f64,
    is_equal: bool,
}

/// The least seconds on the clock.
#[derive(Clone, Copy)]
struct Wall {
    one: f64,
    two: f64,
    /// Of two copies at once, each with one thread on a core of its own, which share nothing: until the slower one ends.
    copies: f64,
}

impl Wall {
    const UNKNOWN: Wall = Wall {
        one: f64::INFINITY,
        two: f64::INFINITY,
        copies: f64::INFINITY,
    };

    fn gain(self) -> f64 {
        self.one / self.two
    }

    /// What two cores of this machine bring to work that shares nothing.
    fn gain_of_copies(self) -> f64 {
        2.0 * self.one / self.copies
    }
}

/// Runs a piece of work and keeps the time it took, if that is the least so far.
fn timed<T>(least: &mut f64, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let done = work()?;
    *least = least.min(start.elapsed().as_secs_f64());
    Ok(done)
}

pub(crate) fn run(rows: u64, report: &mut Report) -> Result<()> {
    report.heading("What threads bring");
    report.paragraph(&format!(
        "Every stage on one core with one thread and on {THREADS} with {THREADS}, the least of {REPETITIONS} runs in turn on the \
         clock, and whether all gave the same answer. `copies` is the gain of two copies of the work at once, each with one thread \
         on a core of its own: what two cores of this machine bring to work that shares nothing. Counting and recoding are the two \
         passes of a job over the *census*, where few rows differ, and over *strangers*, who are nearly all different. `serial` is \
         the share of its time that only one thread can do. For counting: finding where rows end, as far as threads wait for each other. For \
         recoding, where every row is written from one of the few different ones: writing, by one thread, while with four threads \
         and more others format and count what is written (with fewer, it does that as well). Each of these is measured alone, of \
         the time of the whole pass on one thread. For box search, on one thread: whatever is no task, and tasks that have no other \
         beside them. For annotation and partitions: what the calling thread uses more than the other of two threads, which waits \
         meanwhile. Targets: {LEAST_GAIN} times, {} % serial. `hashing` is the SHA-256 that takes longest, of the input or of the \
         release, which runs beside all else on a thread of its own, as a share of the same pass: no number of threads is faster \
         than that.",
        100.0 * MOST_SERIAL,
    ));
    let mut stages = passes(rows)?;
    stages.push(box_search()?);
    stages.push(annotation()?);
    stages.push(partitions()?);
    let mut table = Table::new([
        "stage",
        "1 core, s",
        "2 cores, s",
        "gain",
        "copies",
        "serial",
        "hashing",
        "answers",
    ]);
    for stage in stages {
        let key = (BENCHMARK, stage.name, "incrowd");
        report.fact(key, "wall_1_s", stage.wall.one);
        report.fact(key, "wall_2_s", stage.wall.two);
        report.fact(key, "wall_copies_s", stage.wall.copies);
        if let Some(serial) = stage.serial {
            report.fact(key, "serial_share", serial);
        }
        report.fact(key, "hashing_share", stage.hashing);
        report.fact(key, "is_equal", stage.is_equal);
        table.row([
            stage.name.to_owned(),
            short(stage.wall.one),
            short(stage.wall.two),
            format!("{:.2}", stage.wall.gain()),
            format!("{:.2}", stage.wall.gain_of_copies()),
            stage
                .serial
                .map_or(String::new(), |serial| format!("{:.1} %", 100.0 * serial)),
            format!("{:.1} %", 100.0 * stage.hashing),
            if stage.is_equal { "equal" } else { "DIFFERENT" }.to_owned(),
        ]);
    }
    report.table(&table);
    Ok(())
}

/// The least seconds of a piece of work, which takes the number of threads, the runs in turn, and whether all gave the same.
fn in_turn<T: PartialEq + Send>(run: impl Fn(usize) -> Result<T> + Sync) -> Result<(Wall, bool)> {
    let mut wall = Wall::UNKNOWN;
    let first = run(1)?;
    let mut is_equal = true;
    for _ in 0..REPETITIONS {
        let one = timed(&mut wall.one, || on_cores(0..1, || run(1)))?;
        let two = timed(&mut wall.two, || on_cores(0..THREADS, || run(THREADS)))?;
        let copies = timed(&mut wall.copies, || on_a_core_each(|| run(1), || run(1)))?;
        is_equal &= [one, two]
            .iter()
            .chain(&copies)
            .all(|found| *found == first);
    }
    Ok((wall, is_equal))
}

/// The share of a stage that the calling thread does while others wait. With a core for each of two threads, both use as much time
/// for what they share, and the calling one uses more by what it does alone: the median of some runs.
fn serial_share<T>(run: impl Fn(usize) -> Result<T>) -> Result<f64> {
    let mut shares = Vec::new();
    for _ in 0..REPETITIONS {
        let share = on_cores(0..THREADS, || {
            let (own, all) = (ThreadTime::now(), ProcessTime::now());
            run(THREADS)?;
            let (own, all) = (own.elapsed().as_secs_f64(), all.elapsed().as_secs_f64());
            Ok::<_, anyhow::Error>((2.0 * own - all) / all)
        });
        shares.push(share?);
    }
    Ok(median(&shares).max(0.0))
}

/// The longest of the problems that ARX was timed with: short ones end before there is enough to share.
fn box_search() -> Result<Stage> {
    let columns = [
        "age",
        "workclass",
        "race",
        "education",
        "marital-status",
        "sex",
        "native-country",
    ];
    let table = adult::count(&columns, &["occupation"]);
    let spec: ModelSpec = "delta-disclosure(delta=2,absent=ignore)".parse()?;
    let models = spec.build_all(&table.columns, &[0])?;
    let metric = "loss".parse::<MetricSpec>()?.build(&table)?;
    let problem = |threads: usize| {
        Problem::new(&table, &models, &*metric)
            .allow_suppressed(table.rows)
            .with_settings(Settings {
                threads,
                ..Settings::default()
            })
    };
    let solve = |threads: usize| {
        let found = Optimal.solve(&problem(threads), &Unwatched)?;
        Ok((found.loss, found.nodes_checked))
    };
    let (wall, is_equal) = in_turn(solve)?;
    let mut shares = Vec::new();
    for _ in 0..REPETITIONS {
        let start = Instant::now();
        let in_turn = on_cores(0..1, || Ok(Optimal.time_in_turn(&problem(1))?))?;
        shares.push(in_turn.as_secs_f64() / start.elapsed().as_secs_f64());
    }
    Ok(Stage {
        name: "box search",
        wall,
        serial: Some(median(&shares)),
        hashing: 0.0,
        is_equal,
    })
}

fn annotation() -> Result<Stage> {
    let table = adult::count(&adult::QUASI_IDENTIFIERS, &["hours-per-week"]);
    let sizes = KAnonymity { k: 2 };
    let diversity = DistinctLDiversity { column: 0, l: 2 };
    let models: [&dyn PrivacyModel; 2] = [&sizes, &diversity];
    let annotate = |threads: usize| {
        Ok(AnnotatedLattice::full(
            &table, &models, threads, &Unwatched,
        )?)
    };
    let (wall, is_equal) = in_turn(annotate)?;
    Ok(Stage {
        name: "annotation",
        wall,
        serial: Some(serial_share(annotate)?),
        hashing: 0.0,
        is_equal,
    })
}

fn partitions() -> Result<Stage> {
    let table = schemes::count_raw_ages();
    let solve = |threads| schemes::solve_raw_ages(&table, threads);
    let (wall, is_equal) = in_turn(solve)?;
    Ok(Stage {
        name: "partition search",
        wall,
        serial: Some(serial_share(solve)?),
        hashing: 0.0,
        is_equal,
    })
}

/// The two passes over the rows of a generated census, of which few differ, and of strangers, of whom hardly two are alike.
fn passes(rows: u64) -> Result<Vec<Stage>> {
    let folder = tempfile::tempdir().context("making a folder for the tables")?;
    let input = folder.path().join("census.csv");
    let mut file = BufWriter::new(File::create(&input)?);
    incrowd_testkit::census(rows, census::SEED, &mut file).context("writing the census")?;
    drop(file);
    let output = folder.path().join("release.csv");
    let copy = folder.path().join("copy.csv");
    let outputs = (output.as_path(), copy.as_path());
    let ([read, write], is_equal) = both_passes(outputs, |output, threads| {
        census::census_job(rows, &input, output, threads)
    })?;
    let (mut found, mut counted) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..REPETITIONS {
        found = found.min(find_rows(&input)?);
        counted = counted.min(count_rows(&input)?);
    }
    let written = write_rows(&std::fs::read(&output)?, &copy)?;
    let mut stages = vec![
        Stage {
            name: "counting",
            wall: read,
            serial: Some(found / counted),
            // It is left to the second pass.
            hashing: 0.0,
            is_equal,
        },
        Stage {
            name: "recoding",
            serial: Some(written / write.one),
            // The longer of those of input and release.
            hashing: hash_bytes(&input)?.max(hash_bytes(&output)?) / write.one,
            wall: write,
            is_equal,
        },
    ];
    std::fs::remove_file(&input)?;
    let input = folder.path().join("strangers.csv");
    let mut file = BufWriter::new(File::create(&input)?);
    incrowd_testkit::strangers(rows, census::SEED, &mut file).context("writing the strangers")?;
    drop(file);
    let ([read, write], is_equal) = both_passes(outputs, |output, threads| {
        rows::strangers_release_job(&input, output, threads)
    })?;
    stages.push(Stage {
        name: "counting, all different",
        wall: read,
        serial: None,
        hashing: 0.0,
        is_equal,
    });
    stages.push(Stage {
        name: "recoding, all different",
        serial: None,
        hashing: hash_bytes(&input)?.max(hash_bytes(&output)?) / write.one,
        wall: write,
        is_equal,
    });
    Ok(stages)
}

/// The least seconds of reading and of writing, and whether all releases were the same.
fn both_passes(
    (output, copy): (&Path, &Path),
    job: impl Fn(&Path, usize) -> Job + Sync,
) -> Result<([Wall; 2], bool)> {
    let (mut read, mut write) = (Wall::UNKNOWN, Wall::UNKNOWN);
    let mut hashes = Vec::new();
    let anonymize = |output: &Path, threads| -> Result<Outcome> {
        // What the system does to free the place of a release that is replaced is no part of the pass.
        match std::fs::remove_file(output) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        Ok(job::anonymize(&job(output, threads))?.0)
    };
    for _ in 0..REPETITIONS {
        let one = on_cores(0..1, || anonymize(output, 1))?;
        let two = on_cores(0..THREADS, || anonymize(output, THREADS))?;
        let copies = on_a_core_each(|| anonymize(output, 1), || anonymize(copy, 1))?;
        for (wall, of) in [
            (
                &mut read,
                (|outcome| outcome.seconds.read) as fn(&Outcome) -> f64,
            ),
            (&mut write, |outcome| outcome.seconds.write),
        ] {
            wall.one = wall.one.min(of(&one));
            wall.two = wall.two.min(of(&two));
            wall.copies = wall.copies.min(of(&copies[0]).max(of(&copies[1])));
        }
        let all = [one, two].into_iter().chain(copies);
        hashes.extend(all.map(|outcome| outcome.output.map(|output| output.sha256)));
    }
    let is_equal = hashes.windows(2).all(|pair| pair[0] == pair[1]);
    Ok(([read, write], is_equal))
}

/// The time of finding where the rows of a file end that is read in pieces, as far as only one thread can do it.
fn find_rows(path: &Path) -> Result<f64> {
    let mut reader = Source::new(path, CsvOptions::default()).open()?;
    reader.leave_fingerprint();
    let pieces = reader.share().context("a file that is read in pieces")?;
    let mut rows = RowsRead::default();
    while pieces.read_ahead(&mut rows)?.is_some() {}
    Ok(pieces.time_in_turn().as_secs_f64())
}

/// The CPU time of reading a file and taking its fingerprint.
fn hash_bytes(path: &Path) -> Result<f64> {
    let mut reader = Source::new(path, CsvOptions::default()).open()?;
    let start = ProcessTime::now();
    reader.fingerprint()?;
    Ok(start.elapsed().as_secs_f64())
}

/// The CPU time of counting the rows of a file on one thread.
fn count_rows(path: &Path) -> Result<f64> {
    let mut reader = Source::new(path, CsvOptions::default()).open()?;
    let names = reader.columns().to_vec();
    let position = |column: &str| {
        let found = names.iter().position(|name| name == column);
        found.context("a column of the census")
    };
    let quasi = census::QUASI_IDENTIFIERS.map(|(column, _)| position(column));
    let quasi = quasi.into_iter().collect::<Result<Vec<usize>>>()?;
    let counter = RowCounter::new(&names, &quasi, &[position("income")?]);
    reader.leave_fingerprint();
    let start = ThreadTime::now();
    let shared = SharedCounter::of(&counter, CountingSizes::default())?;
    let mut worker = shared.worker();
    let mut rows = RowsRead::default();
    while reader.read_ahead(&mut rows)? {
        worker.add(rows.split()?)?;
    }
    worker.finish()?;
    shared.finish(1)?;
    Ok(start.elapsed().as_secs_f64())
}

/// The CPU time of writing rows, as one thread does it for a release while another formats and counts them.
fn write_rows(bytes: &[u8], path: &Path) -> Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..REPETITIONS {
        std::fs::remove_file(path)?;
        let mut file = File::create(path)?;
        let mut used = 0.0;
        std::thread::scope(|scope| -> Result<()> {
            let (idle_out, idle) = mpsc::channel();
            let (text_out, texts) = mpsc::channel();
            (0..TEXTS).try_for_each(|_| idle_out.send(Vec::new()))?;
            scope.spawn(move || {
                for (rows, mut text) in bytes.chunks(BYTES_AT_ONCE).zip(idle) {
                    text.clear();
                    text.extend_from_slice(rows);
                    // Nobody listens once writing has failed.
                    let _ = text_out.send(text);
                }
            });
            for text in texts {
                let start = ThreadTime::now();
                file.write_all(&text)?;
                used += start.elapsed().as_secs_f64();
                // All may have been formatted.
                let _ = idle_out.send(text);
            }
            Ok(())
        })?;
        least = f64::min(least, used);
        // Stored now, so that the next round does not meet it.
        file.sync_data()?;
    }
    Ok(least)
}
