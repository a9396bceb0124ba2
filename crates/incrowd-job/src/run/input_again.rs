//! What is done beside writing rows that were all counted together: what they tell is measured, and the input is read again, by
//! whichever thread has time for it, to see that it is the same, and for its fingerprint if the first pass has left that to the
//! second.

use crate::error::Error;
use crate::run::control::Control;
use incrowd_io::{Fingerprint, RowReader, WorkBetween};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// An input that is read again, for several threads.
#[derive(Clone)]
pub(crate) struct InputAgain {
    reading: Arc<Mutex<Reading>>,
    /// How many bytes it has; 0 if unknown.
    bytes: u64,
}

struct Reading {
    reader: Box<dyn RowReader + Send>,
    is_over: bool,
    /// What failed where it could not be reported.
    failed: Option<incrowd_io::Error>,
}

impl Reading {
    /// Reads a part; whether there is another.
    fn read_part(&mut self) -> Result<bool, incrowd_io::Error> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if !self.is_over {
            self.is_over = !self.reader.pass_over()?;
        }
        Ok(!self.is_over)
    }
}

impl InputAgain {
    pub(crate) fn new(reader: Box<dyn RowReader + Send>, bytes: Option<u64>) -> Self {
        let reading = Reading {
            reader,
            is_over: false,
            failed: None,
        };
        InputAgain {
            reading: Arc::new(Mutex::new(reading)),
            bytes: bytes.unwrap_or(0),
        }
    }

    fn reading(&self) -> Result<MutexGuard<'_, Reading>, Error> {
        self.reading.lock().map_err(|_| Error::WorkerLost)
    }

    /// Has whoever reads take the fingerprint, and no thread beside.
    pub(crate) fn fingerprint_here(&self) -> Result<(), Error> {
        self.reading()?.reader.fingerprint_here();
        Ok(())
    }

    /// Reads a part; whether there is another. Waits for nobody: if another thread reads, there is nothing to be done here.
    fn read_part_if_free(&self) -> Result<bool, Error> {
        match self.reading.try_lock() {
            Ok(mut reading) => Ok(reading.read_part()?),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Poisoned(_)) => Err(Error::WorkerLost),
        }
    }

    /// Reads all that is left.
    fn read_rest(&self, control: &Control) -> Result<(), Error> {
        loop {
            control.check()?;
            if !self.reading()?.read_part()? {
                return Ok(());
            }
        }
    }

    /// Reads a part whenever less of the input is read than is hashed of a release of so many bytes, so that both end together;
    /// nothing once nobody else reads.
    pub(crate) fn keep_up(&self, release_bytes: u64) -> WorkBetween {
        let (reading, input_bytes) = (Arc::downgrade(&self.reading), self.bytes);
        WorkBetween::new(move |hashed| {
            let Some(reading) = reading.upgrade() else {
                return;
            };
            let Ok(mut reading) = reading.try_lock() else {
                return;
            };
            // Of the input `read / input_bytes`, of the release `hashed / release_bytes`.
            let read = u128::from(reading.reader.bytes_read()) * u128::from(release_bytes);
            let lags = read < u128::from(hashed) * u128::from(input_bytes);
            if lags && let Err(error) = reading.read_part() {
                reading.failed = Some(error);
            }
        })
    }

    /// The fingerprint of all of it.
    pub(crate) fn fingerprint(&self) -> Result<Fingerprint, Error> {
        Ok(self.reading()?.reader.fingerprint()?)
    }

    /// The reader, if nobody else has it.
    pub(crate) fn into_reader(self) -> Result<Box<dyn RowReader + Send>, Error> {
        let reading = Arc::into_inner(self.reading).ok_or(Error::WorkerLost)?;
        let reading = reading.into_inner().map_err(|_| Error::WorkerLost)?;
        Ok(reading.reader)
    }
}

/// All that is done beside writing rows in order.
pub(crate) struct Beside<'p, M> {
    pub(crate) input: InputAgain,
    pub(crate) control: &'p Control,
    /// Measures what the rows tell.
    pub(crate) measure: Option<M>,
}

impl<M: FnOnce() -> Result<(), Error>> Beside<'_, M> {
    /// Does a part of it; whether there is more to be done here at once.
    pub(crate) fn do_part(&mut self) -> Result<bool, Error> {
        self.control.check()?;
        match self.measure.take() {
            Some(measure) => measure().map(|()| true),
            None => self.input.read_part_if_free(),
        }
    }

    pub(crate) fn do_rest(&mut self) -> Result<(), Error> {
        self.control.check()?;
        if let Some(measure) = self.measure.take() {
            measure()?;
        }
        self.input.read_rest(self.control)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use incrowd_core::table::RowBatch;

    const BYTES: u64 = 100;

    /// A table that ends after a hundred parts of a byte each, or fails once after some of them.
    #[derive(Default)]
    struct Parts {
        read: u64,
        fails_after: Option<u64>,
    }

    impl RowReader for Parts {
        fn columns(&self) -> &[String] {
            &[]
        }

        fn read(&mut self, _: &mut RowBatch) -> Result<bool, incrowd_io::Error> {
            if self.fails_after == Some(self.read) {
                self.fails_after = None;
                let input = "table.csv".to_owned();
                return Err(incrowd_io::Error::InputChanged { input });
            }
            let is_more = self.read < BYTES;
            self.read += u64::from(is_more);
            Ok(is_more)
        }

        fn bytes_read(&self) -> u64 {
            self.read
        }

        fn delimiter(&self) -> Option<u8> {
            None
        }

        fn fingerprint(&mut self) -> Result<Fingerprint, incrowd_io::Error> {
            Ok(Fingerprint::of(&self.read.to_le_bytes()))
        }
    }

    fn input(fails_after: Option<u64>) -> InputAgain {
        let parts = Parts {
            fails_after,
            ..Parts::default()
        };
        InputAgain::new(Box::new(parts), Some(BYTES))
    }

    fn bytes_read(input: &InputAgain) -> u64 {
        input.reading().unwrap().reader.bytes_read()
    }

    fn is_change(error: &Error) -> bool {
        matches!(error, Error::Io(incrowd_io::Error::InputChanged { .. }))
    }

    #[test]
    fn whoever_hashes_reads_as_much_of_the_input_as_it_has_hashed_of_the_release() {
        let input = input(None);
        let mut work = input.keep_up(3 * BYTES);
        for hashed in 0..=3 * BYTES {
            (0..5).for_each(|_| work.do_part(hashed));
            assert_eq!(bytes_read(&input), hashed.div_ceil(3), "{hashed} hashed");
        }
    }

    #[test]
    fn a_part_at_a_time_is_read_until_the_input_has_caught_up() {
        let input = input(None);
        let mut work = input.keep_up(2 * BYTES);
        for parts in 1..=10 {
            work.do_part(20);
            assert_eq!(bytes_read(&input), parts);
        }
        work.do_part(20);
        assert_eq!(bytes_read(&input), 10);
    }

    #[test]
    fn all_is_measured_and_read_at_the_end() {
        for parts_before in [0, 1, 2, 50] {
            let (input, control, mut times_measured) = (input(None), Control::default(), 0);
            let mut beside = Beside {
                input: input.clone(),
                control: &control,
                measure: Some(|| {
                    times_measured += 1;
                    Ok(())
                }),
            };
            for _ in 0..parts_before {
                assert!(beside.do_part().unwrap());
            }
            beside.do_rest().unwrap();
            assert_eq!((times_measured, bytes_read(&input)), (1, BYTES));
        }
    }

    #[test]
    fn a_run_that_is_stopped_stops_even_if_all_is_read() {
        let (input, control) = (input(None), Control::default());
        input.read_rest(&control).unwrap();
        control.cancel();
        input.read_rest(&control).unwrap_err();
    }

    #[test]
    fn nobody_waits_for_whoever_reads() {
        let input = input(None);
        let reading = input.reading().unwrap();
        input.keep_up(BYTES).do_part(BYTES);
        assert!(!input.read_part_if_free().unwrap());
        assert_eq!(reading.reader.bytes_read(), 0);
    }

    #[test]
    fn nothing_is_read_once_the_run_is_over() {
        let input = input(None);
        let mut work = input.keep_up(BYTES);
        // It is told that nobody else has the reader, although there is still work.
        let reader = input.into_reader().unwrap();
        work.do_part(BYTES);
        assert_eq!(reader.bytes_read(), 0);
    }

    #[test]
    fn what_fails_between_is_reported() {
        let reported: [fn(&InputAgain) -> Error; 2] = [
            |input| input.read_part_if_free().unwrap_err(),
            |input| input.read_rest(&Control::default()).unwrap_err(),
        ];
        for report in reported {
            let input = input(Some(3));
            let mut work = input.keep_up(BYTES);
            (0..5).for_each(|_| work.do_part(3));
            assert!(input.reading().unwrap().failed.is_none());
            (0..5).for_each(|_| work.do_part(BYTES));
            assert!(is_change(&report(&input)));
        }
    }
}
