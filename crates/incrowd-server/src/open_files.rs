//! How many connections the system lets this process have.
//!
//! A connection is an open file. Systems commonly begin a process with 1024 of them and let it have more if it asks.

/// Files that are open for other reasons: the table, the audit log, files of deals, connections that are being told that
/// there are too many.
const OTHERS: u64 = 384;

/// Asks for room for so many connections; how many there is room for.
#[cfg(unix)]
pub(crate) fn make_room(connections: usize) -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let wanted = connections as u64 + OTHERS;
    let limit = getrlimit(Resource::Nofile);
    let Some(current) = limit.current.filter(|current| *current < wanted) else {
        return connections;
    };
    let more = limit.maximum.map_or(wanted, |most| most.min(wanted));
    let asked = Rlimit {
        current: Some(more),
        maximum: limit.maximum,
    };
    let granted = match setrlimit(Resource::Nofile, asked) {
        Ok(()) => more,
        Err(_) => current,
    };
    usize::try_from(granted.saturating_sub(OTHERS).max(1)).unwrap_or(connections)
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub(crate) fn make_room(connections: usize) -> usize {
    connections
}
