//! The second pass over the rows: recoded, checked against the first pass, written.
//!
//! Where the first pass has noted which of a few different rows every row is, these few are recoded, and the rows are written
//! from them. The input is then read only to see that it is still the same, and to take its fingerprint if the
//! first pass has left that to this one.

use crate::error::Error;
use crate::report::outcome::{FileWritten, Sample};
use crate::run::asked::Asked;
use crate::run::at_once::both;
use crate::run::batches::{collect_batches, workers};
use crate::run::control::{Control, Phase};
use crate::run::files::ReleaseFile;
use crate::run::in_order::make_in_order;
use crate::run::input_again::{Beside, InputAgain};
use crate::run::rows_once::{NextRows, RowsOnce};
use crate::run::unchanged::{ColumnCounter, Measures, Watched};
use crate::spec::{Job, Suppressed};
use incrowd_core::counts::CountedRows;
use incrowd_core::publish::{
    Applied, Applier, Confirmation, PublishedRows, Recoder, Release, ReleaseMap, Shuffle,
    SuppressedRows, Tally,
};
use incrowd_core::table::RowBatch;
use incrowd_io::{EncodedRows, Fingerprint, LastStep, Publishing, ReleaseEncoder, RowsSeal};
use std::ops::ControlFlow;
use std::sync::Arc;

/// With so few threads, the one that writes reads the input again itself, whenever it would wait for the fingerprint of the
/// release, if that takes longer than the fingerprint of the input: a thread more would only keep it from its core. The one that
/// takes the fingerprint helps where that is not enough.
const FEW_THREADS: usize = 2;

/// With so many threads, two of them format and count rows of text for the one that writes, while another reads the input again.
/// That saves time where the processor has instructions for SHA-256; elsewhere the fingerprint of the release takes longest.
const MANY_THREADS: usize = 4;

/// How many threads make rows ready then, and with two threads or more where rows are columns: that takes about as long as writing
/// them, so more would only wait.
const MAKERS: usize = 2;

/// The second pass over the rows of a table. On this machine one thread reads and writes and the others recode; an engine
/// that holds both table and release recodes the rows itself.
pub(crate) struct SecondPass<'a> {
    pub(crate) job: &'a Job,
    pub(crate) asked: &'a Asked,
    /// What was counted.
    pub(crate) input_seal: RowsSeal,
    /// Of the input; filled by the pass.
    pub(crate) input_hash: Option<Fingerprint>,
    /// The rows that were counted, if they were counted together: what is measured about the rows published follows from
    /// them.
    pub(crate) counted_rows: Option<&'a CountedRows>,
    pub(crate) control: &'a Control,
    /// Where the rows go; without it they are only looked at.
    pub(crate) output: Option<ReleaseFile>,
    /// Of the columns published as they are, in the rows published; filled by the pass.
    pub(crate) kept: Measures,
}

impl Applier for SecondPass<'_> {
    type Published = Option<(FileWritten, Option<LastStep>)>;
    type Error = Error;

    fn apply(&mut self, map: &Arc<ReleaseMap>) -> Result<Tally, Error> {
        let progress = self.control.progress();
        progress.begin(Phase::Write, self.asked.source.bytes_total());
        let control = self.control;
        let result = control.while_engine_works(|| match self.recode_inside(map) {
            Some(tally) => Ok((tally?, self.input_seal.fingerprint())),
            None => {
                let (tally, read) = self.recode_all(map)?;
                Ok((tally, Some(read)))
            }
        });
        progress.end();
        let (tally, read) =
            result.map_err(|error| blame_input(error, &self.asked.source.name()))?;
        // A reader to whom the fingerprint was left has compared the bytes. Nothing is published of an input without one.
        let counted = self.input_seal.fingerprint();
        if read.is_none() || counted.is_some() && read != counted {
            return Err(self.changed());
        }
        self.input_hash = read;
        Ok(tally)
    }

    fn appear(self, confirmation: Confirmation) -> Result<Self::Published, Error> {
        let control = self.control;
        let written = self
            .output
            .map(|output| control.while_engine_works(|| output.finish_but_one(confirmation)));
        written.transpose()
    }
}

impl<'a> SecondPass<'a> {
    /// Has every row written, not yet to be seen, if the rows are those that were counted.
    pub(crate) fn applied(self, release: &Release<'_>) -> Result<Applied<Self>, Error> {
        let input = self.asked.source.name();
        release
            .apply(self)
            .map_err(|error| blame_input(error, &input))
    }

    /// Whether there is anything to write or to see: columns that are published as they are and can tell anything, or
    /// rows that may turn out blank.
    pub(crate) fn is_needed(&self, map: &ReleaseMap) -> bool {
        let plan = &self.asked.plan;
        let kept = Watched::published(plan, &plan.names);
        self.output.is_some() || kept.has_tellers() || map.any_class().is_some()
    }

    /// Has the engine that holds table and release recode the rows, if there is one; what it has written is counted again.
    fn recode_inside(&mut self, map: &Arc<ReleaseMap>) -> Option<Result<Tally, Error>> {
        let plan = &self.asked.plan;
        let names = plan.names_of(&plan.published());
        let mut measured = ColumnCounter::new(Watched::published(plan, &names));
        let how = Publishing {
            stars: self.suppressed_rows() == SuppressedRows::Star,
            shuffles: self.job.output.shuffle == Some(true),
        };
        let mut stopped = None;
        let tally = self.output.as_mut()?.recode(map, how, &mut |rows, sizes| {
            if let Err(error) = self.control.check() {
                stopped = Some(error);
                return ControlFlow::Break(());
            }
            for (row, &size) in sizes.iter().enumerate() {
                measured.add_equal_rows(|column| rows.cell(row, column), size);
            }
            ControlFlow::Continue(())
        })?;
        if let Some(error) = stopped {
            return Some(Err(error));
        }
        self.kept = measured.finish();
        Some(tally)
    }

    fn recode_all(&mut self, map: &Arc<ReleaseMap>) -> Result<(Tally, Fingerprint), Error> {
        let mut reader = self.asked.source.open_again(&self.input_seal)?;
        let plan = &self.asked.plan;
        if reader.columns() != plan.names {
            return Err(self.changed());
        }
        let is_shared = map.tuples().is_some_and(|tuples| tuples.shares.is_some());
        // Where equal rows are shared by classes, the order in which they are seen decides.
        let threads = if is_shared { 1 } else { self.job.threads() };
        let recoder = map.recoder(&plan.names, &plan.dropped, self.suppressed_rows())?;
        // Where equal rows are shared by classes, their class does not follow from them.
        let counted = self.counted_rows.filter(|_| !is_shared);
        let mut measured = ColumnCounter::new(Watched::published(plan, recoder.names()));
        let mut measure = |counted: &CountedRows| -> Result<(), Error> {
            let mut recoder = map.recoder(&plan.names, &plan.dropped, SuppressedRows::Drop)?;
            let recoded = recoder.recode_in_place(&counted.rows)?;
            measured.add_recoded_rows(&recoded, &counted.sizes);
            Ok(())
        };
        if let Some(counted) = counted {
            let input = InputAgain::new(reader, self.asked.source.bytes_total());
            let beside = Beside {
                input: input.clone(),
                control: self.control,
                measure: Some(|| measure(counted)),
            };
            let written = self.write_in_order(counted, &recoder, beside)?;
            if let Some(tally) = written {
                self.kept = measured.finish();
                return Ok((tally, input.fingerprint()?));
            }
            reader = input.into_reader()?;
            measure(counted)?;
        }
        let kept = match counted {
            Some(_) => ColumnCounter::default(),
            None => measured.clone(),
        };
        let is_written = self.output.is_some();
        let mut shuffle =
            (is_written && self.job.output.shuffle == Some(true)).then(Shuffle::default);
        // Rows that still have to be put in order are formatted afterwards.
        let encoder = self.output.as_ref().and_then(|output| output.encoder());
        let encoder = encoder.filter(|_| shuffle.is_none());
        let writes_text = encoder.is_some();
        let encoder = encoder.map(ReleaseEncoder::new);
        let output = &mut self.output;
        let workers = collect_batches(
            &mut *reader,
            self.control,
            threads,
            vec![(recoder, kept, encoder); workers(threads)],
            |(recoder, kept, encoder), batch, made: &mut (PublishedRows, EncodedRows)| {
                let (published, text) = made;
                match encoder {
                    Some(encoder) => {
                        let recoded = recoder.recode_in_place(batch)?;
                        kept.add_recoded(&recoded);
                        encoder.encode(&recoded, text);
                    }
                    None => {
                        recoder.recode(batch, published)?;
                        kept.add(published.rows());
                    }
                }
                Ok(())
            },
            |(published, text)| match (&mut *output, &mut shuffle, writes_text) {
                (None, ..) => Ok(()),
                (Some(_), Some(shuffle), _) => {
                    shuffle.add(published);
                    Ok(())
                }
                (Some(output), None, true) => output.write_encoded(text),
                (Some(output), None, false) => output.write(published),
            },
        )?;
        if let (Some(output), Some(shuffle)) = (output, shuffle) {
            for published in shuffle.finish(self.job.search.seed.unwrap_or(0)) {
                self.control.check()?;
                output.write(&published)?;
            }
        }
        let mut tally = Tally::default();
        for (recoder, kept, _) in workers {
            tally.add(recoder.tally());
            measured.absorb(kept);
        }
        self.kept = measured.finish();
        Ok((tally, reader.fingerprint()?))
    }

    /// Writes rows of which it was noted which of the counted ones each is, and does what is to be done beside; none, and
    /// nothing done, if that was not noted or [they](RowsOnce::are_written_by) [are not to be written so](RowsOnce::new). With few
    /// threads, the failure counts that the one that writes meets first.
    fn write_in_order(
        &mut self,
        counted: &CountedRows,
        recoder: &Recoder,
        mut beside: Beside<'_, impl FnOnce() -> Result<(), Error> + Send>,
    ) -> Result<Option<Tally>, Error> {
        let job = self.job;
        let output = (self.output.as_mut()).filter(|output| RowsOnce::are_written_by(job, output));
        let (Some(order), Some(output)) = (&counted.order, output) else {
            return Ok(None);
        };
        let Some(once) = RowsOnce::new(counted, recoder, output)? else {
            return Ok(None);
        };
        let (control, total) = (self.control, self.asked.source.bytes_total().unwrap_or(0));
        let (amount, rows) = (once.amount(&counted.sizes), order.rows() as u64);
        let threads = self.job.threads();
        // The amount of text is in bytes.
        let release_is_longer = once.are_text() && amount >= total;
        let takes_turns =
            threads <= FEW_THREADS && output.is_behind().is_some() && release_is_longer;
        if takes_turns {
            beside.input.fingerprint_here()?;
            output.do_between(beside.input.keep_up(amount));
        }
        let rows_at_once = once.rows_at_once(rows, amount);
        let parts = rows.div_ceil(rows_at_once);
        let rows_of = |part: u64| {
            let start = part * rows_at_once;
            start as usize..rows.min(start + rows_at_once) as usize
        };
        // How often each of the different rows was made ready, counted by whoever does that. Once all are written, that is how often
        // each was written.
        let makers = match (once.are_text(), threads) {
            (true, ..MANY_THREADS) => 1,
            (_, threads) => threads.min(MAKERS).min(parts as usize).max(1),
        };
        let sizes = vec![vec![0; counted.sizes.len()]; makers];
        let make = |own_sizes: &mut Vec<u32>, part: u64, next: &mut NextRows| {
            for numbers in order.of_rows(rows_of(part)) {
                numbers.for_each(|number| own_sizes[number as usize] += 1);
            }
            once.make(order.of_rows(rows_of(part)), next);
            Ok(())
        };
        let (mut rows_written, mut amount_written) = (0, 0);
        let write_all = |while_waiting: &mut dyn FnMut() -> Result<bool, Error>| {
            make_in_order(sizes, parts, make, |part, next| {
                control.check()?;
                while output.is_behind() == Some(true) && while_waiting()? {}
                amount_written += once.write(next, output)?;
                rows_written += rows_of(part).len() as u64;
                let done = u128::from(total) * u128::from(rows_written) / u128::from(rows);
                control.progress().reach(done as u64);
                Ok(())
            })
        };
        let (sizes, ()) = if takes_turns {
            (write_all(&mut || beside.do_part())?, beside.do_rest()?)
        } else {
            let beside = || beside.do_rest();
            both(threads, || write_all(&mut || Ok(false)), beside)?
        };
        let sizes = added_up(sizes);
        control.check()?;
        // What follows speaks of the rows that were counted here: they must be those that were written.
        let rows_counted: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
        if rows_written != rows_counted || amount_written != once.amount(&sizes) {
            return Err(Error::WorkerLost);
        }
        let mut written = recoder.clone();
        written.recode_equal_rows(&counted.rows, &sizes)?;
        Ok(Some(written.tally().clone()))
    }

    /// The first rows, before and after.
    pub(crate) fn sample(&self, map: &Arc<ReleaseMap>, rows: usize) -> Result<Sample, Error> {
        let source = &self.asked.source;
        let mut reader = source.open_some(rows as u64, Some(&self.input_seal))?;
        let plan = &self.asked.plan;
        let mut recoder = map.recoder(&plan.names, &plan.dropped, self.suppressed_rows())?;
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
        let mut read = |batch: &mut RowBatch| {
            let control = self.control;
            control.while_engine_works(|| Ok(reader.read(batch)?))
        };
        while sample.before.len() < rows && read(&mut batch)? {
            for row in 0..batch.rows().min(rows - sample.before.len()) {
                let mut one = RowBatch::new(batch.columns());
                one.clear(batch.first_row() + row as u64);
                for column in 0..batch.columns() {
                    one.push_cell(batch.cell(row, column));
                }
                recoder
                    .recode(&one, &mut published)
                    .map_err(|error| blame_input(error.into(), &self.asked.source.name()))?;
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
}

/// The sum of what each counted, item by item.
fn added_up(counts: Vec<Vec<u32>>) -> Vec<u32> {
    let add = |mut sums: Vec<u32>, counts: Vec<u32>| {
        let both = sums.iter_mut().zip(counts);
        both.for_each(|(sum, count)| *sum += count);
        sums
    };
    counts.into_iter().reduce(add).unwrap_or_default()
}

/// An input that could be read once and is now missing or malformed has changed.
fn blame_input(error: Error, input: &str) -> Error {
    use incrowd_io::Error::*;
    match error {
        Error::Io(Engine(error)) if !error.is_change() => Error::Io(Engine(error)),
        Error::Core(incrowd_core::Error::InputChanged)
        | Error::Io(
            Engine(_)
            | NotFound { .. }
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
        ) => Error::InputChanged {
            input: input.to_owned(),
        },
        other => other,
    }
}
