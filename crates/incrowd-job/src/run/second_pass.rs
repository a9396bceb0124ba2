//! The second pass over the rows: recoded, checked against the first pass, written.

use crate::error::Error;
use crate::report::outcome::Sample;
use crate::run::asked::Asked;
use crate::run::batches::for_each_batch;
use crate::run::control::{Control, Phase};
use crate::run::files::ReleaseFile;
use crate::run::unchanged::{ColumnCounter, Measures, Watched};
use crate::spec::{Job, Suppressed};
use incrowd_core::publish::{Confirmation, PublishedRows, Release, Shuffle, SuppressedRows, Tally};
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

/// What the second pass has seen.
pub(crate) struct Recoded {
    /// Of the columns published as they are, in the rows published.
    pub(crate) kept: Measures,
    /// Of the rows.
    pub(crate) tally: Tally,
    /// That all is as it was counted; none when nobody looked.
    pub(crate) confirmation: Option<Confirmation>,
}

impl SecondPass<'_> {
    /// Recodes every row into `output`, which may appear if all is as it was counted. Without one the rows are only looked
    /// at, and only if there is something to see: columns that are published as they are and can tell anything, or rows
    /// that may turn out blank.
    pub(crate) fn recode(&self, output: Option<&mut ReleaseFile>) -> Result<Recoded, Error> {
        let map = self.release.map();
        let plan = &self.asked.plan;
        let is_to_be_seen =
            Watched::published(plan, &plan.names).has_tellers() || map.any_class().is_some();
        if output.is_none() && !is_to_be_seen {
            return Ok(Recoded {
                kept: Measures::default(),
                tally: Tally::of(map),
                confirmation: None,
            });
        }
        let source = &self.asked.source;
        let progress = self.control.progress();
        progress.begin(Phase::Write, source.bytes_total());
        let result = self.recode_all(output);
        progress.end();
        let (recoded, second) = result.map_err(|error| self.blame_input(error))?;
        match second == self.input_hash {
            true => Ok(recoded),
            false => Err(self.changed()),
        }
    }

    fn recode_all(
        &self,
        mut output: Option<&mut ReleaseFile>,
    ) -> Result<(Recoded, Fingerprint), Error> {
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
        let mut tally = Tally::default();
        let mut measured = ColumnCounter::new(Watched::published(plan, workers[0].0.names()));
        for (recoder, kept) in workers {
            tally.add(recoder.tally());
            measured.absorb(kept);
        }
        let recoded = Recoded {
            confirmation: Some(self.release.confirm(&tally)?),
            kept: measured.finish(),
            tally,
        };
        Ok((recoded, reader.fingerprint()?))
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
