//! Work on one core, to be compared with the same work on several.

use anyhow::Result;
use std::ops::Range;

/// Runs `work` on these of the cores that this thread may use, counted from 0; on all of them if there are not so many. Threads
/// and processes that it starts stay there too, so that one core means one, whatever runs beside. Systems other than Linux
/// choose the cores themselves.
pub(crate) fn on_cores<T>(cores: Range<usize>, work: impl FnOnce() -> Result<T>) -> Result<T> {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
        let all = sched_getaffinity(None)?;
        let mut some = CpuSet::new();
        let usable = (0..CpuSet::MAX_CPU).filter(|&core| all.is_set(core));
        usable
            .skip(cores.start)
            .take(cores.len())
            .for_each(|core| some.set(core));
        sched_setaffinity(None, if some.count() > 0 { &some } else { &all })?;
        let done = work();
        sched_setaffinity(None, &all)?;
        done
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = cores;
        work()
    }
}

/// Runs two pieces of work at once, each on a core of its own.
pub(crate) fn on_a_core_each<T: Send>(
    first: impl FnOnce() -> Result<T> + Send,
    second: impl FnOnce() -> Result<T> + Send,
) -> Result<[T; 2]> {
    std::thread::scope(|scope| {
        let first = scope.spawn(|| on_cores(0..1, first));
        let second = on_cores(1..2, second)?;
        let first = first.join().map_err(std::panic::resume_unwind)??;
        Ok([first, second])
    })
}
