//! The second pass over the rows: recoded, checked against the first pass, written.

use crate::error::Error;
use crate::report::outcome::{FileWritten, Sample};
use crate::run::asked::Asked;
use crate::run::batches::for_each_batch;
use crate::run::control::{Control, Phase};
use crate::run::files::ReleaseFile;
use crate::run::unchanged::{ColumnCounter, Measures, Watched};
use crate::spec::{Job, Suppressed};
use incrowd_core::publish::{PublishedRows, Release, Shuffle, SuppressedRows};
use incrowd_core::table::RowBatch;
use incrowd_io::Fingerprint;

/// The second pass over the rows.
pub(crate) struct SecondPass<'a> {
    pub(crate) job: &'a Job,
    pub(crate) asked: &'a Asked,
    pub(crate) release: &'a Release<'a>,
    pub(crate) input_hash: Fingerprint,
    pub(crate) control: &'a Control,
}

impl SecondPass<'_> {
    /// Recodes every row into `output`, and lets it appear if all is as it was counted. Without one the rows are only
    /// looked at, and only if there are kept columns to measure as they would be published.
    pub(crate) fn write(
        &self,
        mut output: Option<ReleaseFile>,
    ) -> Result<(Option<FileWritten>, Measures), Error> {
        if output.is_none() && self.asked.plan.kept.is_empty() {
            return Ok((None, Measures::default()));
        }
        let source = &self.asked.source;
        let progress = self.control.progress();
        progress.begin(Phase::Write, source.bytes_total());
        let result = self.recode_all(output.as_mut());
        progress.end();
        let (confirmation, second, kept) = result.map_err(|error| self.blame_input(error))?;
        if second != self.input_hash {
            return Err(self.changed());
        }
        let written = output.map(|output| output.finish(confirmation));
        Ok((written.transpose()?, kept))
    }

    fn recode_all(
        &self,
        mut output: Option<&mut ReleaseFile>,
    ) -> Result<(incrowd_core::publish::Confirmation, Fingerprint, Measures), Error> {
        let mut reader = self.asked.source.open()?;
        let plan = &self.asked.plan;
        if reader.columns() != plan.names {
            return Err(self.changed());
        }
        let threads = self.job.threads();
        let recoder = self
            .release
            .recoder(&plan.names, &plan.dropped, self.suppressed_rows())?;
        let kept = ColumnCounter::new(Watched::published(plan, recoder.names()));
        let is_written = output.is_some();
        let mut shuffle =
            (is_written && self.job.output.shuffle == Some(true)).then(Shuffle::default);
        // Rows that are still to be put in order are formatted when they are.
        let encoder = output.as_ref().and_then(|output| output.encoder());
        let encoder = encoder.filter(|_| shuffle.is_none());
        let workers = for_each_batch(
            &mut *reader,
            self.control,
            threads,
            vec![(recoder, kept); threads.saturating_sub(1).max(1)],
            |(recoder, kept), batch, made: &mut (PublishedRows, Vec<u8>)| {
                let (published, text) = made;
                recoder.recode(batch, published)?;
                kept.add(published.rows());
                if let Some(encoder) = &encoder {
                    text.clear();
                    encoder.encode(published.rows(), text);
                }
                Ok(())
            },
            |(published, text)| match (&mut output, &mut shuffle, encoder) {
                (None, ..) => Ok(()),
                (Some(_), Some(shuffle), _) => {
                    shuffle.add(published);
                    Ok(())
                }
                (Some(output), None, Some(_)) => output.write_encoded(text),
                (Some(output), None, None) => output.write(published),
            },
        )?;
        if let (Some(output), Some(shuffle)) = (output, shuffle) {
            for published in shuffle.finish(self.job.search.seed.unwrap_or(0)) {
                self.control.check()?;
                output.write(&published)?;
            }
        }
        let mut tally = incrowd_core::publish::Tally::default();
        let mut measured = ColumnCounter::new(Watched::published(plan, workers[0].0.names()));
        for (recoder, kept) in workers {
            tally.add(recoder.tally());
            measured.absorb(kept);
        }
        Ok((
            self.release.confirm(&tally)?,
            reader.fingerprint()?,
            measured.finish(),
        ))
    }

    /// The first rows, before and after.
    pub(crate) fn sample(&self, rows: usize) -> Result<Sample, Error> {
        let mut reader = self.asked.source.open()?;
        let mut recoder = self.release.recoder(
            &self.asked.plan.names,
            &self.asked.plan.dropped,
            self.suppressed_rows(),
        )?;
        let text = |batch: &RowBatch, row: usize| -> Vec<String> {
            (0..batch.columns())
                .map(|column| String::from_utf8_lossy(batch.cell(row, column)).into_owned())
                .collect()
        };
        let mut sample = Sample {
            columns_before: self.asked.plan.names.clone(),
            before: Vec::new(),
            columns_after: recoder.names().to_vec(),
            after: Vec::new(),
        };
        let mut batch = RowBatch::default();
        let mut published = PublishedRows::default();
        while sample.before.len() < rows && reader.read(&mut batch)? {
            for row in 0..batch.rows().min(rows - sample.before.len()) {
                let mut one = RowBatch::new(batch.columns());
                one.clear(batch.first_row() + row as u64);
                for column in 0..batch.columns() {
                    one.push_cell(batch.cell(row, column));
                }
                recoder
                    .recode(&one, &mut published)
                    .map_err(|error| self.blame_input(error.into()))?;
                let after = published.rows();
                sample.before.push(text(&batch, row));
                sample
                    .after
                    .push((after.rows() > 0).then(|| text(after, 0)));
            }
        }
        Ok(sample)
    }

    fn suppressed_rows(&self) -> SuppressedRows {
        match self.job.output.suppressed.unwrap_or_default() {
            Suppressed::Drop => SuppressedRows::Drop,
            Suppressed::Star => SuppressedRows::Star,
        }
    }

    fn changed(&self) -> Error {
        Error::InputChanged {
            input: self.asked.source.name(),
        }
    }

    /// An input that could be read once and is now missing or malformed has changed.
    fn blame_input(&self, error: Error) -> Error {
        use incrowd_io::Error::*;
        match error {
            Error::Core(incrowd_core::Error::InputChanged)
            | Error::Io(
                NotFound { .. }
                | IsDirectory { .. }
                | Empty { .. }
                | NoRows { .. }
                | RaggedRow { .. }
                | DuplicateColumn { .. }
                | EmptyColumnName { .. }
                | HeaderIsRow { .. }
                | NotUtf8 { .. }
                | QuoteNeverClosed { .. }
                | CellTooLarge { .. }
                | BrokenGzip { .. }
                | BrokenParquet { .. }
                | InputChanged { .. }
                | UnsupportedColumnType { .. }
                | CellNotOfType { .. },
            ) => self.changed(),
            other => other,
        }
    }
}
