//! Measures how fast a CSV file is read, beside the csv crate's own loop on the same file.
//!
//! `cargo run --release -p incrowd-io --example parse_speed -- [FILE | ROWS]`; without a file, a table of
//! 8 columns is made first. The time of the processor is shown too, for a busy machine disturbs it less.
#![allow(clippy::print_stdout, reason = "this program exists to print")]

use incrowd_core::table::RowBatch;
use incrowd_io::{Claims, CsvOptions, OutputFormat, RowSink, Sink, Source};
use incrowd_testkit::unchanged;
use std::error::Error;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let argument = std::env::args().nth(1).unwrap_or("2000000".into());
    let folder = tempfile::tempdir()?;
    let path = match argument.parse() {
        Ok(rows) => make_table(folder.path(), rows)?,
        Err(_) => PathBuf::from(argument),
    };
    let bytes = std::fs::metadata(&path)?.len();
    println!("{bytes} bytes");
    for _ in 0..3 {
        report("csv crate, ByteRecord", bytes, || bare(&path))?;
        report("incrowd-io, hash included", bytes, || batches(&path))?;
        report("incrowd-io, copied to CSV", bytes, || {
            copy(&path, &folder.path().join("copy.csv"))
        })?;
    }
    Ok(())
}

fn report(
    name: &str,
    bytes: u64,
    measure: impl FnOnce() -> Result<u64, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let (start, processor_start) = (Instant::now(), processor_seconds()?);
    let rows = measure()?;
    let seconds = start.elapsed().as_secs_f64();
    let processor_seconds = processor_seconds()? - processor_start;
    println!(
        "{name:<30} {rows:>10} rows  {seconds:>7.3} s  {:>7.0} MB/s  {processor_seconds:>7.2} s of processor time",
        bytes as f64 / seconds / 1e6
    );
    Ok(())
}

/// What this process has used so far; Linux only, in steps of 10 ms.
fn processor_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.split_whitespace().collect();
    let ticks: f64 = fields[13].parse::<f64>()? + fields[14].parse::<f64>()?;
    Ok(ticks / 100.0)
}

fn bare(path: &Path) -> Result<u64, Box<dyn Error>> {
    let mut reader = csv::Reader::from_path(path)?;
    let mut record = csv::ByteRecord::new();
    let mut rows = 0;
    while reader.read_byte_record(&mut record)? {
        rows += 1;
    }
    Ok(rows)
}

fn batches(path: &Path) -> Result<u64, Box<dyn Error>> {
    let source = Source::new(path, CsvOptions::default());
    let mut reader = source.open()?;
    let mut batch = RowBatch::default();
    let mut rows = 0;
    while reader.read(&mut batch)? {
        rows += batch.rows() as u64;
    }
    reader.fingerprint()?;
    Ok(rows)
}

fn copy(path: &Path, to: &Path) -> Result<u64, Box<dyn Error>> {
    let source = Source::new(path, CsvOptions::default());
    let mut reader = source.open()?;
    let format = OutputFormat::of_path(to)?;
    let mut sink = Sink::create(&Claims::default(), to, format, reader.columns())?;
    let mut batch = RowBatch::default();
    let mut rows = 0;
    while reader.read(&mut batch)? {
        rows += batch.rows() as u64;
        // A sink takes rows of a release only, so this also measures the recoding of rows that stay as they are.
        sink.write(&unchanged(&batch).0)?;
    }
    let (_, confirmation) = unchanged(&RowBatch::new(1));
    Box::new(sink).finish(confirmation)?;
    Ok(rows)
}

/// Cells as short as census tables have them, from a fixed seed.
fn make_table(folder: &Path, rows: u64) -> Result<PathBuf, Box<dyn Error>> {
    let path = folder.join("table.csv");
    let mut file = BufWriter::new(std::fs::File::create(&path)?);
    writeln!(
        file,
        "sex,age,race,marital-status,education,zip,occupation,salary"
    )?;
    let mut state = 17_u64;
    let mut draw = |below: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    const SEX: [&str; 2] = ["Male", "Female"];
    const RACE: [&str; 4] = ["White", "Black", "Asian-Pac-Islander", "Other"];
    const MARITAL: [&str; 4] = ["Never-married", "Married-civ-spouse", "Divorced", "Widowed"];
    const EDUCATION: [&str; 4] = ["Bachelors", "HS-grad", "11th", "Some-college"];
    const OCCUPATION: [&str; 4] = ["Adm-clerical", "Sales", "Craft-repair", "Tech-support"];
    for _ in 0..rows {
        writeln!(
            file,
            "{},{},{},{},{},{:05},{},{}",
            SEX[draw(2) as usize],
            17 + draw(74),
            RACE[draw(4) as usize],
            MARITAL[draw(4) as usize],
            EDUCATION[draw(4) as usize],
            draw(100_000),
            OCCUPATION[draw(4) as usize],
            draw(100_000)
        )?;
    }
    file.flush()?;
    Ok(path)
}
