//! Peak memory of the process, where the system reports it.

/// Peak memory of the process since it began or since [`forget_peak`].
pub(crate) fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Resets the peak. Returns whether the system allows it.
pub(crate) fn forget_peak() -> bool {
    // The kernel's documented way (proc(5)): 5 sets the peak back to what is held now.
    std::fs::write("/proc/self/clear_refs", "5").is_ok()
}
