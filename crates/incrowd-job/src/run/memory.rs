//! Peak memory of the process, where the system reports it.

/// Peak memory of the process since it began or since [`forget_peak`].
pub(crate) fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Memory that this process can still have, where the system reports it: what the machine has left, and what the group of
/// the process may take.
pub(crate) fn available() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok();
    let machine = machine.as_deref().and_then(left_of_machine);
    let group = left_of_group();
    machine.into_iter().chain(group).min()
}

fn left_of_machine(told: &str) -> Option<u64> {
    let line = told
        .lines()
        .find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// None where there is no limit.
fn left_of_group() -> Option<u64> {
    let number = |file: &str| -> Option<u64> {
        let text = std::fs::read_to_string(format!("/sys/fs/cgroup/{file}")).ok()?;
        text.trim().parse().ok()
    };
    let limit = number("memory.max")?;
    Some(limit.saturating_sub(number("memory.current").unwrap_or(0)))
}

/// Resets the peak. Returns whether the system allows it.
pub(crate) fn forget_peak() -> bool {
    // The kernel's documented way (proc(5)): 5 sets the peak back to what is held now.
    std::fs::write("/proc/self/clear_refs", "5").is_ok()
}
