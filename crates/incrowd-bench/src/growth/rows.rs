//! Counting rows that come through a pipe: combinations that stop growing, and combinations that grow with the rows.

use super::{BENCHMARK, MEBIBYTE, SUBJECT};
use crate::census::{self, SEED};
use crate::child::{self, Usage};
use crate::report::{Report, Table, grouped, short};
use crate::{job, rows};
use anyhow::{Context, Result, ensure};
use incrowd_job::{Job, Risks};
use std::io::stdout;
use std::path::Path;
use std::process::{Command, Stdio};

/// All that is measured if enough rows are asked for.
pub(super) const ROWS: [u64; 4] = [100_000, 1_000_000, 10_000_000, 100_000_000];

/// Who stands in the rows.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum People {
    /// Townspeople who come again and again: no more combinations than there are people.
    Census,
    /// People of whom hardly two are alike: nearly as many combinations as rows.
    Strangers,
}

impl People {
    pub(super) const ALL: [Self; 2] = [People::Census, People::Strangers];

    fn argument(self) -> &'static str {
        match self {
            People::Census => "census",
            People::Strangers => "strangers",
        }
    }

    /// A file of theirs for the eyes of a reader.
    pub(super) fn describe(self) -> &'static str {
        match self {
            People::Census => "census: combinations stop growing",
            People::Strangers => "strangers: combinations grow with the rows",
        }
    }

    fn job(self) -> Job {
        let mut job = rows::strangers_job(Path::new("-"), 1);
        if matches!(self, People::Census) {
            let columns = census::QUASI_IDENTIFIERS.map(|(column, _)| column.to_owned());
            job.columns.quasi_identifiers = Some(columns.to_vec());
        }
        job
    }
}

/// The case of a point, as it is recorded.
pub(super) fn case(people: People, rows: u64) -> String {
    format!("{rows} rows of {}", people.argument())
}

/// Writes so many rows to standard output.
pub(crate) fn generate(people: People, rows: u64) -> Result<()> {
    let mut out = stdout().lock();
    match people {
        People::Census => incrowd_testkit::census(rows, SEED, &mut out)?,
        People::Strangers => incrowd_testkit::strangers(rows, SEED, &mut out)?,
    }
    Ok(())
}

/// Counts rows as they are generated; nothing of them is kept.
fn count(people: People, rows: u64) -> Result<(Risks, Usage)> {
    let mut generator: Command = child::this_program()?;
    generator.args(["generate", people.argument(), &rows.to_string()]);
    let mut generator = generator.stdout(Stdio::piped()).spawn()?;
    let pipe = generator
        .stdout
        .take()
        .context("the generator has a pipe")?;
    let counted = job::risk_of_piped(&people.job(), pipe.into());
    let status = generator.wait()?;
    let counted = counted?;
    ensure!(status.success(), "generating rows ended with {status}");
    Ok(counted)
}

pub(super) fn run(most_rows: u64, report: &mut Report) -> Result<()> {
    report.paragraph(
        "**Rows.** Rows are generated into a pipe and counted by all quasi-identifiers, and their risk is assessed, with one thread: six \
         columns of the *census*, whose people come again and again, and seven of *strangers*, of whom hardly two are alike. Rows of a pipe \
         are kept in a temporary file without a name while they are needed, which is part of the time.",
    );
    let mut lines = Table::new([
        "table",
        "rows",
        "combinations",
        "wall s",
        "CPU s",
        "CPU ns per row",
        "peak MiB",
        "bytes per combination",
    ]);
    for people in People::ALL {
        for rows in ROWS.into_iter().filter(|&rows| rows <= most_rows) {
            let (risks, usage) = count(people, rows)?;
            ensure!(risks.rows == rows, "{} of {rows} rows came", risks.rows);
            let case = case(people, rows);
            let key = (BENCHMARK, case.as_str(), SUBJECT);
            let cpu = usage.cpu.as_secs_f64();
            report.fact(key, "combinations", risks.classes);
            report.fact(key, "wall_s", usage.wall.as_secs_f64());
            report.fact(key, "cpu_s", cpu);
            report.fact(key, "peak_bytes", usage.peak_memory);
            lines.row([
                people.argument().to_owned(),
                grouped(rows),
                grouped(risks.classes),
                short(usage.wall.as_secs_f64()),
                short(cpu),
                short(1e9 * cpu / rows as f64),
                short(usage.peak_memory as f64 / MEBIBYTE),
                short(usage.peak_memory as f64 / risks.classes as f64),
            ]);
        }
    }
    report.table(&lines);
    Ok(())
}
