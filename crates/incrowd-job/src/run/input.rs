//! The table of a job, opened and counted.

use crate::error::Error;
use crate::run::batches::{for_each_batch, workers};
use crate::run::control::{Control, Phase};
use crate::run::memory;
use crate::run::unchanged::{ColumnCounter, Measures};
use crate::spec::{Job, MissingCells};
use incrowd_core::counts::{
    self, CountEngine, CountWorker, CountedRows, CountingSizes, Missing, RowCounter, RowsBeside,
    SharedCounter,
};
use incrowd_core::table::RowBatch;
use incrowd_io::{CsvOptions, GroupRoom, Header, OverflowFile, RowReader, RowSource, Source};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Noted for a table whose cells have whitespace around them.
pub(crate) const PADDED_CELLS: &str = "many cells have whitespace around their values, which counts as part of them; `--trim` removes it";

/// The table of a job: the one attached, or the one it names, which is at hand or a file. An engine that holds it is asked for
/// its columns, within the time limit of the job.
pub(crate) fn source(job: &Job, control: &Control) -> Result<Arc<dyn RowSource>, Error> {
    let at_hand = match &job.data.table {
        Some(table) => Some(table.source()),
        None => {
            let path = job.data.path.as_deref().ok_or(Error::NoData)?;
            job.data.tables.get(path).map(|table| table.source())
        }
    };
    if let Some(source) = at_hand {
        control.add_engine(source.cancel());
        return Ok(source);
    }
    let path = job.data.path.as_deref().ok_or(Error::NoData)?;
    if incrowd_sql::is_address(path) {
        return control.within(job.search.time_limit, Phase::Read, || {
            control.while_engine_is_reached(|| {
                let note = |cancel| control.add_engine(Some(cancel));
                let writes_to = job.output.path.as_deref();
                Ok(incrowd_sql::open(path, writes_to, &note)?)
            })
        });
    }
    Error::refuse_address(path)?;
    Ok(Arc::new(Source::new(path, csv_options(job))))
}

/// The format of the job's table, with defaults.
pub(crate) fn csv_options(job: &Job) -> CsvOptions {
    let defaults = CsvOptions::default();
    CsvOptions {
        delimiter: job.data.delimiter.map(|delimiter| delimiter.0),
        quote: job.data.quote.map_or(defaults.quote, |quote| quote.0),
        header: match job.data.header {
            None => Header::Checked,
            Some(true) => Header::Names,
            Some(false) => Header::Row,
        },
        trim: job.data.trim.unwrap_or(defaults.trim),
        spreadsheet_safe: job.data.spreadsheet_safe,
        ..defaults
    }
}

/// Which cells are missing, and how they are treated.
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

/// The first pass over the rows of a table. On this machine all threads read and count; an engine that holds the
/// rows counts them itself.
pub(crate) struct CountPass<'a> {
    source: &'a dyn RowSource,
    pub(crate) reader: Box<dyn RowReader + Send>,
    /// The columns published as they are. Sees every row that is not counted together with others.
    columns: ColumnCounter,
    /// Columns to be counted together with the tuples, if they have few values: see [`CountPass::finish`].
    pub(crate) beside: Option<Vec<usize>>,
    /// Whether to note which of the rows counted together every row is, if that takes little memory.
    pub(crate) notes_order: bool,
    /// Rows, equal ones together, if columns were to be counted beside the tuples, as long as there were few combinations;
    /// filled by the pass.
    rows_beside: Option<RowsBeside>,
    threads: usize,
    /// The memory that counted combinations of values may take, in bytes.
    memory_limit: Option<usize>,
    pub(crate) sizes: CountingSizes,
    control: &'a Control,
}

impl<'a> CountPass<'a> {
    /// Over the rows of a reader, with as many threads as the job says.
    pub(crate) fn new(
        job: &Job,
        source: &'a dyn RowSource,
        reader: Box<dyn RowReader + Send>,
        columns: ColumnCounter,
        control: &'a Control,
    ) -> Self {
        CountPass {
            source,
            reader,
            columns,
            beside: None,
            notes_order: false,
            rows_beside: None,
            threads: job.threads(),
            memory_limit: (job.search.memory_limit)
                .map(|limit| usize::try_from(limit.bytes()).unwrap_or(usize::MAX)),
            sizes: CountingSizes::default(),
            control,
        }
    }
}

impl CountEngine for CountPass<'_> {
    type Error = Error;

    fn columns(&self) -> &[String] {
        self.reader.columns()
    }

    fn count(&mut self, counter: &mut RowCounter) -> Result<(), Error> {
        let progress = self.control.progress();
        progress.begin(Phase::Read, self.source.bytes_total());
        let control = self.control;
        if let Some(counted) = control.while_engine_works(|| self.count_groups(counter))? {
            progress.end();
            return Ok(counted);
        }
        let mut sizes = self.sizes;
        if let Some(limit) = self.memory_limit {
            sizes.beside_words = sizes.beside_words.min(limit / 16);
        }
        let mut shared = SharedCounter::of(counter, sizes)?;
        if let Some(beside) = &self.beside {
            shared = shared.with_beside(self.reader.columns(), beside);
        }
        if self.notes_order {
            shared = shared.with_order(most_rows_in_order());
        }
        if let Some(limit) = self.memory_limit {
            let overflow = OverflowFile::create().map_err(incrowd_core::Error::from)?;
            shared = shared.with_overflow(limit, Box::new(overflow));
        }
        let workers = (0..workers(self.threads)).map(|_| (shared.worker(), self.columns.clone()));
        let counted = for_each_batch(
            &mut *self.reader,
            self.control,
            self.threads,
            workers.collect(),
            |(worker, columns), batch| {
                let is_beside = worker.add(batch)?;
                if !is_beside {
                    columns.add(batch);
                }
                Ok(())
            },
        );
        progress.end();
        let (workers, columns): (Vec<_>, Vec<_>) = counted?.into_iter().unzip();
        std::thread::scope(|scope| {
            let finish = |worker: CountWorker<'_>| worker.finish().map_err(Error::from);
            let others = workers
                .into_iter()
                .map(|worker| scope.spawn(move || finish(worker)));
            let others: Vec<_> = others.collect();
            let results = others.into_iter().map(|other| other.join());
            let results: Vec<_> = results.collect();
            (results.into_iter()).try_for_each(|result| result.unwrap_or(Err(Error::WorkerLost)))
        })?;
        (columns.into_iter()).for_each(|columns| self.columns.absorb(columns));
        self.rows_beside = shared.take_beside();
        *counter = shared.finish(self.threads)?;
        Ok(())
    }
}

/// The most rows of which it is noted which they are: 128 to 256 MiB for all.
const MOST_ROWS_IN_ORDER: u64 = 1 << 25;

/// The same where there is little memory, of which it takes an eighth at most.
fn most_rows_in_order() -> usize {
    let fit = memory::available().map_or(MOST_ROWS_IN_ORDER, |bytes| bytes / 64);
    fit.min(MOST_ROWS_IN_ORDER) as usize
}

/// About how much memory a combination of values takes while it is counted.
const BYTES_OF_TUPLE: u64 = 40;

impl CountPass<'_> {
    /// What was counted of the columns, and all rows, equal ones together, if columns were to be counted beside the tuples and
    /// there are few combinations.
    pub(crate) fn finish(mut self) -> (Measures, Option<CountedRows>) {
        let counted = self.rows_beside.map(RowsBeside::together);
        if let Some(counted) = &counted {
            self.columns.add_counted_rows(counted);
        }
        let are_all = |counted: &CountedRows| counted.are_all;
        (self.columns.finish(), counted.filter(are_all))
    }

    /// Has the engine of the table count its rows, if it has one: only distinct combinations come here.
    fn count_groups(&mut self, counter: &mut RowCounter) -> Result<Option<()>, Error> {
        let names = self.reader.columns();
        let position = |name: &str| names.iter().position(|it| it == name);
        let tuple: Vec<usize> = counter.names().filter_map(position).collect();
        let mut columns = tuple.clone();
        columns.extend(self.columns.watched());
        columns.sort_unstable();
        columns.dedup();
        let place = |column: &usize| columns.iter().position(|it| it == column);
        let tuple: Vec<usize> = tuple.iter().filter_map(place).collect();
        let mut places = vec![0; names.len()];
        for (at, &column) in columns.iter().enumerate() {
            places[column] = at;
        }
        let room = self.room();
        if let Some(room) = room {
            self.reader.check_groups(&columns, room, false)?;
        }
        let (watched, control) = (&mut self.columns, self.control);
        let mut failed = None;
        let (mut bytes, mut groups, mut is_too_many) = (0, 0, false);
        let mut add = |rows: &RowBatch, sizes: &[u32]| -> Result<(), Error> {
            control.check()?;
            bytes += rows.byte_len() as u64;
            control.progress().reach(bytes);
            groups += sizes.len() as u64;
            if let Some(room) = room.filter(|room| !room.fits(groups)) {
                is_too_many = true;
                return Err(too_many(groups, room));
            }
            for (row, &size) in sizes.iter().enumerate() {
                let texts: Vec<&str> = tuple.iter().map(|&at| text(rows, row, at)).collect();
                counter.count(&texts, size).inspect_err(|error| {
                    is_too_many |= matches!(error, incrowd_core::Error::TooManyRows { .. });
                })?;
                watched.add_equal_rows(|column| rows.cell(row, places[column]), size);
            }
            Ok(())
        };
        let counted = self
            .reader
            .group(&columns, &mut |rows, sizes| match add(rows, sizes) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            });
        match (counted, failed) {
            (_, Some(error)) => {
                if let Some(room) = room.filter(|_| is_too_many) {
                    // How many rows and combinations there are in all is not known from those that came.
                    self.reader.check_groups(&columns, room, true)?;
                }
                Err(error)
            }
            (counted, None) => Ok(counted.transpose()?),
        }
    }

    /// The memory that combinations may take: what the job says, or what there is.
    fn room(&self) -> Option<GroupRoom> {
        let limit = self.memory_limit.map(|limit| limit as u64);
        Some(GroupRoom {
            bytes: limit.or_else(memory::available)?,
            bytes_each: BYTES_OF_TUPLE,
            is_limit: limit.is_some(),
        })
    }
}

/// More combinations have come than memory has room for.
fn too_many(tuples: u64, room: GroupRoom) -> Error {
    let error = incrowd_core::Error::TooManyTuples {
        tuples,
        bytes: tuples.saturating_mul(room.bytes_each),
        limit: room.bytes,
    };
    error.into()
}

fn text(rows: &RowBatch, row: usize, at: usize) -> &str {
    // Engines hand over text; what is not would have been refused before.
    std::str::from_utf8(rows.cell(row, at)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use incrowd_io::Fingerprint;

    /// Returns a row or two at a time, so that every worker gets part of a small table.
    struct FewRows {
        inner: Box<dyn RowReader + Send>,
        batch: RowBatch,
        next: usize,
    }

    impl RowReader for FewRows {
        fn columns(&self) -> &[String] {
            self.inner.columns()
        }

        fn read(&mut self, batch: &mut RowBatch) -> Result<bool, incrowd_io::Error> {
            if self.next == self.batch.rows() && !self.inner.read(&mut self.batch)? {
                return Ok(false);
            }
            if self.next == self.batch.rows() {
                self.next = 0;
            }
            *batch = RowBatch::new(self.batch.columns());
            batch.clear(self.batch.first_row() + self.next as u64);
            let end = (self.next + 1 + self.next % 2).min(self.batch.rows());
            for row in self.next..end {
                (0..self.batch.columns()).for_each(|at| batch.push_cell(self.batch.cell(row, at)));
            }
            self.next = end;
            Ok(true)
        }

        fn bytes_read(&self) -> u64 {
            self.inner.bytes_read()
        }

        fn fingerprint(&mut self) -> Result<Fingerprint, incrowd_io::Error> {
            self.inner.fingerprint()
        }

        fn delimiter(&self) -> Option<u8> {
            self.inner.delimiter()
        }
    }

    /// An engine with two combinations, each of as many rows as can be counted in all.
    struct ManyRows([String; 1]);

    const ROWS: u64 = 2 * u32::MAX as u64;

    impl RowReader for ManyRows {
        fn columns(&self) -> &[String] {
            &self.0
        }

        fn read(&mut self, _: &mut RowBatch) -> Result<bool, incrowd_io::Error> {
            unreachable!("rows stay where they are")
        }

        fn bytes_read(&self) -> u64 {
            0
        }

        fn fingerprint(&mut self) -> Result<Fingerprint, incrowd_io::Error> {
            unreachable!("nothing was counted")
        }

        fn delimiter(&self) -> Option<u8> {
            None
        }

        fn group(
            &mut self,
            _: &[usize],
            take: incrowd_io::TakeGroups<'_>,
        ) -> Option<Result<(), incrowd_io::Error>> {
            let mut rows = RowBatch::new(1);
            rows.clear(0);
            rows.push_cell(b"north");
            rows.push_cell(b"south");
            let stopped = take(&rows, &[u32::MAX, u32::MAX]);
            assert!(stopped.is_break(), "the sum has no room");
            Some(Ok(()))
        }

        fn check_groups(
            &mut self,
            _: &[usize],
            _: GroupRoom,
            at_any_cost: bool,
        ) -> Result<(), incrowd_io::Error> {
            // A view, whose rows are counted only if need be.
            match at_any_cost {
                false => Ok(()),
                true => Err(incrowd_sql::Error::TooManyRows {
                    rows: ROWS,
                    limit: u32::MAX.into(),
                }
                .into()),
            }
        }
    }

    #[test]
    fn rows_of_a_view_that_cannot_be_counted_are_refused_with_their_number() {
        let source = Source::spooled(&b"place\nnorth\n"[..], CsvOptions::default()).unwrap();
        let reader = ManyRows(["place".to_owned()]);
        let mut counter = RowCounter::new(&reader.0, &[0], &[]);
        let mut pass = CountPass {
            source: &source,
            reader: Box::new(reader),
            columns: ColumnCounter::default(),
            beside: None,
            notes_order: false,
            rows_beside: None,
            threads: 1,
            memory_limit: Some(1 << 20),
            sizes: CountingSizes::default(),
            control: &Control::default(),
        };
        let refused = pass.count(&mut counter).unwrap_err();
        assert_eq!(refused.code(), "too-many-rows");
        let message = refused.to_string();
        assert!(message.contains(&ROWS.to_string()), "{message}");
    }

    #[test]
    fn what_is_counted_does_not_depend_on_which_thread_gets_which_rows() {
        let places = ["north", "east", "south", "west", "centre", "abroad", ""];
        let mut text = String::from("place,age\n");
        for row in 0..2000 {
            let place = places[row * places.len() / 2000];
            text.push_str(&format!("{place},{}\n", (row * 7919) % 101));
        }
        let source = Source::spooled(text.as_bytes(), CsvOptions::default()).unwrap();
        let count = |threads, sizes, memory_limit| {
            let reader = FewRows {
                inner: source.open().unwrap(),
                batch: RowBatch::default(),
                next: 0,
            };
            let mut counter = RowCounter::new(reader.inner.columns(), &[0, 1], &[1]);
            let mut pass = CountPass {
                source: &source,
                reader: Box::new(reader),
                columns: ColumnCounter::default(),
                beside: None,
                notes_order: false,
                rows_beside: None,
                threads,
                memory_limit,
                sizes,
                control: &Control::default(),
            };
            pass.count(&mut counter).unwrap();
            let hash = pass.reader.fingerprint().unwrap();
            let owned = |(text, rows): (&str, u32)| (text.to_owned(), rows);
            let values = |column| counter.values(column, &Missing::default());
            let columns = (0..3).map(|at| values(at).into_iter().map(owned).collect::<Vec<_>>());
            (columns.collect::<Vec<_>>(), counter.rows(), hash)
        };
        let alone = count(1, CountingSizes::default(), None);
        assert_eq!(alone.1, 2000);
        let small = CountingSizes {
            partitions: 4,
            own_tuples: 5,
            handed_over: 3,
            fewest_new: 7,
            ..CountingSizes::default()
        };
        for threads in [1, 2, 4, 8] {
            for _ in 0..5 {
                for limit in [None, Some(1 << 20), Some(20_000)] {
                    assert_eq!(count(threads, small, limit), alone, "{threads} threads");
                }
                let default = CountingSizes::default();
                assert_eq!(count(threads, default, None), alone, "{threads} threads");
            }
        }
    }
}
