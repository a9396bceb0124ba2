//! Processes rows on several threads.
//!
//! Where nothing is to be collected, every thread reads rows for itself, if their source allows that. Elsewhere one thread reads,
//! some split what was read and work, the calling thread collects, in the order of rows: what comes out does not depend on the
//! number of threads. The state of a worker does depend on which batches it got: code that reads it must make the result
//! independent of how rows were distributed.

use crate::error::Error;
use crate::run::control::Control;
use crate::run::in_order::{Numbered, circulating, take_in_order, unless_panicking};
use crossbeam_channel::{Receiver, Sender, unbounded};
use incrowd_core::table::RowBatch;
use incrowd_io::{RowReader, RowsRead, SharedReader};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// A batch in circulation, with the worker's result.
#[derive(Default)]
struct Ticket<O> {
    rows: RowsRead,
    made: O,
}

/// How many workers so many threads have. A thread that reads for them comes on top: finding where rows end takes so little
/// that it waits for them most of the time, and a core would wait with it.
pub(crate) fn workers(threads: usize) -> usize {
    threads.max(1)
}

/// Reads to the end. Each batch goes to one of the `workers`; returns them with their state.
pub(crate) fn for_each_batch<W: Send>(
    reader: &mut (dyn RowReader + Send),
    control: &Control,
    threads: usize,
    workers: Vec<W>,
    work: impl Fn(&mut W, &RowBatch) -> Result<(), Error> + Sync,
) -> Result<Vec<W>, Error> {
    if workers.len() > 1
        && let Some(shared) = reader.share()
    {
        return work_abreast(&*shared, control, workers, work);
    }
    let work = |worker: &mut W, batch: &RowBatch, (): &mut ()| work(worker, batch);
    collect_batches(reader, control, threads, workers, work, |()| Ok(()))
}

/// The number of a batch after all others.
const LAST: u64 = u64::MAX;

/// Every worker reads for itself, and keeps what it reads in its cache. Of several errors, the first in the order of rows counts.
fn work_abreast<W: Send>(
    reader: &dyn SharedReader,
    control: &Control,
    mut workers: Vec<W>,
    work: impl Fn(&mut W, &RowBatch) -> Result<(), Error> + Sync,
) -> Result<Vec<W>, Error> {
    let has_failed = AtomicBool::new(false);
    let reached = Mutex::new(0);
    // Returns what failed, if anything did.
    let work_alone = |worker: &mut W| {
        let mut rows = RowsRead::default();
        // Batches are read in order: when one fails, all before it are with a worker, who ends them.
        while !has_failed.load(Ordering::Relaxed) {
            let read = unless_panicking(|| {
                control.check()?;
                let number = reader.read_ahead(&mut rows)?;
                let bytes = reader.bytes_read();
                // Progress does not go backwards. Whoever meets another here has nothing newer to say.
                if let Ok(mut reached) = reached.try_lock()
                    && bytes > *reached
                {
                    *reached = bytes;
                    control.progress().reach(bytes);
                }
                Ok(number)
            });
            let (number, worked) = match read {
                Ok(None) => break,
                Ok(Some(number)) => {
                    let worked = unless_panicking(|| work(worker, rows.split()?));
                    (number, worked)
                }
                Err(error) => (LAST, Err(error)),
            };
            if let Err(error) = worked {
                has_failed.store(true, Ordering::Relaxed);
                return Some((number, error));
            }
        }
        None
    };
    let work_alone = &work_alone;
    let failed = std::thread::scope(|scope| {
        let threads: Vec<_> = (workers.iter_mut())
            .map(|worker| scope.spawn(move || work_alone(worker)))
            .collect();
        let ended = threads.into_iter().map(|thread| thread.join());
        let failed = ended.filter_map(|ended| ended.unwrap_or(Some((LAST, Error::WorkerLost))));
        failed.min_by_key(|(number, _)| *number)
    });
    match failed {
        Some((_, error)) => Err(error),
        None => control.check().map(|()| workers),
    }
}

/// Reads to the end. Each batch goes to one of the `workers`; their results are collected in the order of rows.
///
/// There is one thread per worker, plus the one that reads; a single worker with `threads` of 1 needs none. Returns the
/// workers with their state. An engine that hands out the rows is stopped with the run.
pub(crate) fn collect_batches<W, O>(
    reader: &mut (dyn RowReader + Send),
    control: &Control,
    threads: usize,
    workers: Vec<W>,
    work: impl Fn(&mut W, &RowBatch, &mut O) -> Result<(), Error> + Sync,
    collect: impl FnMut(&mut O) -> Result<(), Error>,
) -> Result<Vec<W>, Error>
where
    W: Send,
    O: Default + Send,
{
    control.while_engine_works(|| read_and_work(reader, control, threads, workers, work, collect))
}

fn read_and_work<W, O>(
    reader: &mut (dyn RowReader + Send),
    control: &Control,
    threads: usize,
    mut workers: Vec<W>,
    work: impl Fn(&mut W, &RowBatch, &mut O) -> Result<(), Error> + Sync,
    mut collect: impl FnMut(&mut O) -> Result<(), Error>,
) -> Result<Vec<W>, Error>
where
    W: Send,
    O: Default + Send,
{
    if let ([worker], 1) = (&mut workers[..], threads) {
        let (mut batch, mut made) = (RowBatch::default(), O::default());
        while reader.read(&mut batch)? {
            control.check()?;
            control.progress().reach(reader.bytes_read());
            work(worker, &batch, &mut made)?;
            collect(&mut made)?;
        }
        control.check()?;
        return Ok(workers);
    }
    let (idle_out, idle) = circulating(workers.len())?;
    let (read_out, read) = unbounded();
    let (done_out, done) = unbounded();
    std::thread::scope(|scope| {
        let reader_done = done_out.clone();
        scope.spawn(move || read_all(reader, control, &idle, &read_out, &reader_done));
        for worker in &mut workers {
            let (read, done_out, work) = (read.clone(), done_out.clone(), &work);
            scope.spawn(move || {
                for (number, mut ticket) in &read {
                    let result = unless_panicking(|| {
                        let Ticket { rows, made } = &mut ticket;
                        work(worker, rows.split()?, made)
                    })
                    .map(|()| ticket);
                    // Nobody listens once an earlier batch has failed.
                    if done_out.send((number, result)).is_err() {
                        return;
                    }
                }
            });
        }
        // Our sender must go, or the end would never be seen.
        drop(done_out);
        let mut collect = |_, ticket: &mut Ticket<O>| collect(&mut ticket.made);
        take_in_order(done, idle_out, &mut collect)
    })?;
    control.check()?;
    Ok(workers)
}

fn read_all<O>(
    reader: &mut (dyn RowReader + Send),
    control: &Control,
    idle: &Receiver<Ticket<O>>,
    read_out: &Sender<(u64, Ticket<O>)>,
    done_out: &Sender<Numbered<Ticket<O>>>,
) {
    // The collector drops its end of `idle` when it stops.
    for (number, mut ticket) in (0..).zip(idle) {
        let result = unless_panicking(|| {
            control.check()?;
            let more = reader.read_ahead(&mut ticket.rows)?;
            control.progress().reach(reader.bytes_read());
            Ok(more)
        });
        let sent = match result {
            Ok(true) => read_out.send((number, ticket)).is_ok(),
            Ok(false) => false,
            Err(error) => {
                let _ = done_out.send((number, Err(error)));
                false
            }
        };
        if !sent {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use incrowd_io::{CsvOptions, Source};

    fn table(rows: usize) -> Source {
        let mut text = String::from("number,blank\n");
        for row in 0..rows {
            text.push_str(&format!("{row},{:40}\n", ""));
        }
        Source::spooled(text.as_bytes(), CsvOptions::default()).unwrap()
    }

    fn numbers(threads: usize, fail_at: Option<&str>) -> Result<(usize, Vec<String>), Error> {
        let source = table(100_000);
        let mut reader = source.open()?;
        let mut all = Vec::new();
        let workers = collect_batches(
            &mut *reader,
            &Control::default(),
            threads,
            vec![0; threads.max(2) - 1],
            |count, batch, made: &mut Vec<String>| {
                made.clear();
                for row in 0..batch.rows() {
                    let cell = String::from_utf8_lossy(batch.cell(row, 0)).into_owned();
                    if fail_at == Some(&cell) {
                        return Err(Error::NoData);
                    }
                    made.push(cell);
                    *count += 1;
                }
                Ok(())
            },
            |made| {
                all.append(made);
                Ok(())
            },
        )?;
        Ok((workers.into_iter().sum(), all))
    }

    #[test]
    fn rows_come_out_in_order_whatever_the_number_of_threads() {
        let (count, one) = numbers(1, None).unwrap();
        assert_eq!(count, 100_000);
        for threads in [2, 3, 8] {
            let (count, many) = numbers(threads, None).unwrap();
            assert_eq!(count, 100_000);
            assert_eq!(one, many);
        }
    }

    #[test]
    fn an_error_ends_all_threads() {
        for threads in [1, 2, 4] {
            assert!(matches!(
                numbers(threads, Some("50000")),
                Err(Error::NoData)
            ));
        }
    }

    #[test]
    fn a_panic_in_any_thread_ends_the_run_with_an_error() {
        /// Panics after some batches.
        struct Panicking(Box<dyn RowReader + Send>, usize);
        impl RowReader for Panicking {
            fn columns(&self) -> &[String] {
                self.0.columns()
            }
            fn read(&mut self, batch: &mut RowBatch) -> Result<bool, incrowd_io::Error> {
                assert!(self.1 > 0, "the reader panics");
                self.1 -= 1;
                self.0.read(batch)
            }
            fn bytes_read(&self) -> u64 {
                self.0.bytes_read()
            }
            fn fingerprint(&mut self) -> Result<incrowd_io::Fingerprint, incrowd_io::Error> {
                self.0.fingerprint()
            }
            fn delimiter(&self) -> Option<u8> {
                self.0.delimiter()
            }
        }
        let source = table(100_000);
        for threads in [2, 3, 8] {
            for (batches, rows) in [(usize::MAX, 5000), (5, u64::MAX)] {
                let mut reader = Panicking(source.open().unwrap(), batches);
                let result = for_each_batch(
                    &mut reader,
                    &Control::default(),
                    threads,
                    vec![(); threads - 1],
                    |(), batch| {
                        assert!(batch.first_row() < rows, "a worker panics");
                        Ok(())
                    },
                );
                assert!(matches!(result, Err(Error::WorkerLost)), "{threads}");
            }
        }
    }

    #[test]
    fn a_cancelled_run_ends_at_the_next_batch() {
        let source = table(100_000);
        for threads in [1, 3] {
            let mut reader = source.open().unwrap();
            let control = Control::default();
            let result = for_each_batch(
                &mut *reader,
                &control,
                threads,
                vec![(); threads.max(2) - 1],
                |(), _| {
                    control.cancel();
                    Ok(())
                },
            );
            assert!(matches!(result, Err(Error::Cancelled)));
        }
    }

    #[test]
    fn workers_that_read_for_themselves_count_every_row_once_and_report_the_first_error() {
        let source = table(200_000);
        let count = |threads, fails: fn(u64) -> bool| {
            let work = |seen: &mut Vec<u64>, batch: &RowBatch| {
                for row in batch.first_row()..batch.first_row() + batch.rows() as u64 {
                    if fails(row) {
                        return Err(incrowd_core::Error::TooManyRows { limit: row }.into());
                    }
                    assert_ne!(row, 190_000, "a worker panics");
                    seen.push(row);
                }
                Ok(())
            };
            let mut reader = source.open().unwrap();
            assert!(reader.share().is_some(), "a file is read in pieces");
            let workers = vec![Vec::new(); threads];
            for_each_batch(&mut *reader, &Control::default(), threads, workers, work)
        };
        let first = |row: u64| row >= 120_000 && row.is_multiple_of(1000);
        for threads in [1, 2, 3, 8] {
            match count(threads, first).unwrap_err() {
                Error::Core(incrowd_core::Error::TooManyRows { limit: 120_000 }) => {}
                other => panic!("{threads}: {other:?}"),
            }
        }
        for threads in [2, 3, 8] {
            let panicked = count(threads, |_| false).unwrap_err();
            assert!(matches!(panicked, Error::WorkerLost), "{threads}");
        }
    }

    #[test]
    fn workers_that_read_for_themselves_read_everything() {
        let source = table(200_000);
        for threads in [2, 3, 8] {
            let mut reader = source.open().unwrap();
            let work = |seen: &mut Vec<u64>, batch: &RowBatch| {
                seen.extend((0..batch.rows()).map(|row| {
                    let number = String::from_utf8_lossy(batch.cell(row, 0)).parse();
                    assert_eq!(number, Ok(batch.first_row() + row as u64));
                    batch.first_row() + row as u64
                }));
                Ok(())
            };
            let workers = vec![Vec::new(); threads];
            let control = Control::default();
            let seen = for_each_batch(&mut *reader, &control, threads, workers, work).unwrap();
            let mut seen = seen.concat();
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..200_000), "{threads} threads");
        }
    }
}
