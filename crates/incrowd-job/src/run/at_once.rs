//! Two things done at once.

use crate::error::Error;

/// Does two things: at once if there is more than one thread; otherwise one after the other, and the second not if the first
/// fails. If both fail, the first counts. A panic of the second is treated like an error, as everywhere on other threads.
pub(crate) fn both<A, B: Send>(
    threads: usize,
    first: impl FnOnce() -> Result<A, Error>,
    second: impl FnOnce() -> Result<B, Error> + Send,
) -> Result<(A, B), Error> {
    if threads <= 1 {
        let done = first()?;
        return Ok((done, second()?));
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(second);
        let done = first();
        let other = other.join();
        Ok((done?, other.unwrap_or(Err(Error::WorkerLost))?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_done_and_the_first_error_counts() {
        let fail = || Err::<(), _>(Error::NoData);
        for threads in [1, 2, 5] {
            let done = both(threads, || Ok(1), || Ok("two"));
            assert_eq!(done.unwrap(), (1, "two"));
            let failed = both(threads, fail, || Err::<(), _>(Error::WorkerLost));
            assert!(matches!(failed, Err(Error::NoData)));
            let failed = both(threads, || Ok(()), fail);
            assert!(matches!(failed, Err(Error::NoData)));
        }
        let panicking = || panic!("on another thread");
        let lost = both(2, || Ok(()), panicking);
        assert!(matches!(lost, Err::<((), ()), _>(Error::WorkerLost)));
        let failed = both(2, fail, panicking);
        assert!(matches!(failed, Err::<((), ()), _>(Error::NoData)));
        // Alone, nothing is done after an error.
        let failed = both::<(), ()>(1, fail, panicking);
        assert!(matches!(failed, Err(Error::NoData)));
    }
}
