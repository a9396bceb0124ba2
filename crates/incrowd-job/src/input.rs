//! The table of a job, opened and counted.

use crate::batches::for_each_batch;
use crate::control::{Control, Phase};
use crate::error::Error;
use crate::job::{Job, MissingCells};
use incrowd_core::counts::{self, Missing, RowCounter};
use incrowd_io::{CsvOptions, Fingerprint, RowReader, Source};

/// The table at `path`, as the job says it is written.
pub(crate) fn source(job: &Job, path: &str) -> Result<Source, Error> {
    if let Some((scheme, _)) = path.split_once("://") {
        return Err(Error::Address {
            scheme: scheme.to_owned(),
        });
    }
    Ok(Source::new(path, csv_options(job)))
}

/// How the job says its table is written, with what holds when it does not say.
pub(crate) fn csv_options(job: &Job) -> CsvOptions {
    let defaults = CsvOptions::default();
    CsvOptions {
        delimiter: job.data.delimiter.map(|delimiter| delimiter.0),
        quote: job.data.quote.map_or(defaults.quote, |quote| quote.0),
        has_header: job.data.header.unwrap_or(defaults.has_header),
        trim: job.data.trim.unwrap_or(defaults.trim),
        ..defaults
    }
}

/// Which cells are missing, and what that means.
pub(crate) fn missing(job: &Job) -> Missing {
    Missing {
        cells: match job.data.missing_cells.unwrap_or_default() {
            MissingCells::OwnValue => counts::MissingCells::OwnValue,
            MissingCells::MatchAny => counts::MissingCells::MatchAny,
            MissingCells::ExcludeRow => counts::MissingCells::ExcludeRow,
        },
        tokens: job.data.missing_tokens.clone().unwrap_or_default(),
    }
}

/// Counts all rows of `reader`, on several threads if the job says so.
pub(crate) fn count(
    job: &Job,
    source: &Source,
    mut reader: Box<dyn RowReader + Send>,
    counter: RowCounter,
    control: &Control,
) -> Result<(RowCounter, Fingerprint), Error> {
    control.progress().begin(Phase::Read, source.bytes_total());
    let threads = job.threads();
    // One thread reads, so the others count.
    let counters = vec![counter; threads.saturating_sub(1).max(1)];
    let counted = for_each_batch(
        &mut *reader,
        control,
        threads,
        counters,
        |counter, batch, (): &mut ()| Ok(counter.add(batch)?),
        |()| Ok(()),
    );
    control.progress().end();
    let mut counters = counted?.into_iter();
    let mut all = counters.next().ok_or(Error::WorkerLost)?;
    for counter in counters {
        all.absorb(&counter)?;
    }
    Ok((all, reader.fingerprint()?))
}
