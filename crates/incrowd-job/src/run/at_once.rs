//! Two things done at once.

use crate::error::Error;

/// Does two things, one after the other if there is one thread, and at once if there are more. A panic of the second is treated
/// like an error, as everywhere on other threads.
pub(crate) fn both<A, B: Send>(
    threads: usize,
    first: impl FnOnce() -> A,
    second: impl FnOnce() -> B + Send,
) -> Result<(A, B), Error> {
    if threads <= 1 {
        let done = first();
        return Ok((done, second()));
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(second);
        let done = first();
        let other = other.join().map_err(|_| Error::WorkerLost)?;
        Ok((done, other))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_done_and_a_panic_of_the_second_is_an_error() {
        for threads in [1, 2, 5] {
            assert_eq!(both(threads, || 1, || "two").unwrap(), (1, "two"));
        }
        let lost = both(2, || (), || panic!("on another thread"));
        assert!(matches!(lost, Err::<((), ()), _>(Error::WorkerLost)));
    }
}
