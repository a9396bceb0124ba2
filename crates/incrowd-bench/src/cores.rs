//! Work on one core, to be compared with the same work on several.

use anyhow::Result;

/// Runs `work` on so many of the cores that this thread may use. Threads and processes that it starts stay there too, so that one
/// core means one, whatever runs beside. Systems other than Linux choose the cores themselves.
pub(crate) fn on_cores<T>(cores: usize, work: impl FnOnce() -> Result<T>) -> Result<T> {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
        let all = sched_getaffinity(None)?;
        let mut some = CpuSet::new();
        let usable = (0..CpuSet::MAX_CPU).filter(|&core| all.is_set(core));
        usable.take(cores).for_each(|core| some.set(core));
        sched_setaffinity(None, &some)?;
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
