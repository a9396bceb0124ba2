//! SHA-256 of a stream of bytes, computed on the fly so that no byte is read twice.

use crate::fingerprint::Fingerprint;
use crate::sha256::Sha256;
use crate::synced_file::SyncedFile;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

/// Counts and hashes what is written to `inner`.
#[derive(Debug)]
pub(crate) struct Hashing<T> {
    inner: T,
    hasher: Hasher,
    bytes: u64,
}

/// A file being written.
pub(crate) type Out = Hashing<BufWriter<SyncedFile>>;

impl<W: Write> Hashing<W> {
    /// Writes all of `bytes`, which become memory to be used again: they need not be copied to be hashed.
    pub(crate) fn write_taking(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        self.inner.write_all(bytes)?;
        self.bytes += bytes.len() as u64;
        self.hasher.update_taking(bytes);
        Ok(())
    }
}

impl<T> Hashing<T> {
    pub(crate) fn new(inner: T) -> Self {
        Hashing {
            inner,
            hasher: Hasher::new(),
            bytes: 0,
        }
    }

    /// How many bytes have passed.
    pub(crate) fn byte_count(&self) -> u64 {
        self.bytes
    }

    /// The fingerprint of what has passed so far.
    pub(crate) fn fingerprint(&mut self) -> Fingerprint {
        self.hasher.fingerprint()
    }

    /// Whether so many bytes wait to be hashed that there is time for other work.
    pub(crate) fn is_behind(&self) -> bool {
        self.hasher.is_behind()
    }

    /// Has the thread that hashes do other work too, if one is started from now on.
    pub(crate) fn do_between(&mut self, work: WorkBetween) {
        self.hasher.between = Some(work);
    }

    pub(crate) fn into_inner(self) -> T {
        self.inner
    }
}

/// Work that a thread that hashes may do between two chunks, a part at a time.
pub struct WorkBetween(Box<dyn FnMut(u64) + Send>);

impl WorkBetween {
    /// `work` does a part and is told how many bytes this thread has hashed so far. It must not wait for whoever hands over what
    /// is hashed, who may be waiting for this thread.
    pub fn new(work: impl FnMut(u64) + Send + 'static) -> Self {
        WorkBetween(Box::new(work))
    }

    /// Does a part of it.
    pub fn do_part(&mut self, hashed: u64) {
        self.0(hashed);
    }
}

impl std::fmt::Debug for WorkBetween {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("WorkBetween")
    }
}

/// Hashes on a separate thread once there is much to hash.
///
/// Hashing takes longer than splitting text into cells, so readers would spend most of their time on it.
#[derive(Debug)]
pub(crate) struct Hasher {
    /// Outdated while there is a helper thread.
    state: Sha256,
    helper: Option<Helper>,
    /// Whether everything is hashed by the thread that hands it over.
    stays_here: bool,
    /// For the helper, once there is one.
    between: Option<WorkBetween>,
}

#[derive(Debug)]
struct Helper {
    chunks: SyncSender<Vec<u8>>,
    /// Chunks that were hashed, to be filled again.
    emptied: Receiver<Vec<u8>>,
    /// How many chunks wait.
    waiting: Arc<AtomicUsize>,
    thread: JoinHandle<Sha256>,
}

/// Smaller pieces are not worth a thread.
const MUCH: usize = 64 * 1024;
/// How many chunks may wait to be hashed: so many that readers need not wait for it whenever the thread is set aside for others.
const WAITING: usize = 32;
/// So many waiting chunks leave time for other work. There is room for more of them, so that nobody has to wait while the helper
/// does other work too.
const BEHIND: usize = WAITING / 2;

impl Hasher {
    pub(crate) fn new() -> Hasher {
        Hasher {
            state: Sha256::default(),
            helper: None,
            stays_here: false,
            between: None,
        }
    }

    /// Has the thread that hands over bytes hash them itself from now on.
    pub(crate) fn stay_here(&mut self) {
        self.end_helper();
        self.stays_here = true;
    }

    /// Whether so many bytes wait to be hashed that there is time for other work.
    fn is_behind(&self) -> bool {
        let waiting = |helper: &Helper| helper.waiting.load(Ordering::Relaxed);
        self.helper.as_ref().map_or(0, waiting) >= BEHIND
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self.helper_for(bytes) {
            Some(helper) => {
                let mut chunk = helper.emptied();
                chunk.extend_from_slice(bytes);
                helper.hash(chunk);
            }
            None => self.state.update(bytes),
        }
    }

    /// The same, and the bytes may be taken in exchange for memory to be used again.
    fn update_taking(&mut self, bytes: &mut Vec<u8>) {
        match self.helper_for(bytes) {
            Some(helper) => {
                let taken = std::mem::replace(bytes, helper.emptied());
                helper.hash(taken);
            }
            None => self.state.update(bytes),
        }
    }

    /// The helper, which is started for the first large piece.
    fn helper_for(&mut self, bytes: &[u8]) -> Option<&Helper> {
        if self.helper.is_none() && bytes.len() >= MUCH && !self.stays_here {
            self.helper = Helper::start(self.state.clone(), self.between.take());
        }
        self.helper.as_ref()
    }

    /// The fingerprint of everything so far.
    pub(crate) fn fingerprint(&mut self) -> Fingerprint {
        self.end_helper();
        Fingerprint::of_hashed(&self.state)
    }

    fn end_helper(&mut self) {
        if let Some(helper) = self.helper.take() {
            self.state = helper.finish();
        }
    }
}

impl Helper {
    /// None if the system cannot start a thread.
    fn start(state: Sha256, between: Option<WorkBetween>) -> Option<Helper> {
        let (chunks, to_hash) = sync_channel(WAITING);
        let (done, emptied) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let left = Arc::clone(&waiting);
        let thread = std::thread::Builder::new()
            .name("fingerprint".into())
            .spawn(move || hash_all(state, to_hash, done, &left, between))
            .ok()?;
        Some(Helper {
            chunks,
            emptied,
            waiting,
            thread,
        })
    }

    /// Memory for a chunk.
    fn emptied(&self) -> Vec<u8> {
        let mut chunk = self.emptied.try_recv().unwrap_or_default();
        chunk.clear();
        chunk
    }

    fn hash(&self, chunk: Vec<u8>) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        self.chunks
            .send(chunk)
            .expect("the thread listens as long as there is a sender");
    }

    fn finish(self) -> Sha256 {
        drop(self.chunks);
        self.thread
            .join()
            .expect("neither hashing nor the work between panics")
    }
}

fn hash_all(
    mut state: Sha256,
    chunks: Receiver<Vec<u8>>,
    emptied: Sender<Vec<u8>>,
    waiting: &AtomicUsize,
    mut between: Option<WorkBetween>,
) -> Sha256 {
    let mut hashed = 0;
    for chunk in chunks {
        waiting.fetch_sub(1, Ordering::Relaxed);
        state.update(&chunk);
        hashed += chunk.len() as u64;
        // Nobody waits for it when the reader is gone.
        let _ = emptied.send(chunk);
        if let Some(work) = &mut between {
            work.do_part(hashed);
        }
    }
    state
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(buffer)?;
        self.hasher.update(&buffer[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_hashed_on_the_way_out() {
        let mut output = Hashing::new(Vec::new());
        io::copy(&mut &b"abc"[..], &mut output).unwrap();
        assert_eq!(output.byte_count(), 3);
        assert_eq!(output.fingerprint(), Fingerprint::of(b"abc"));
        assert_eq!(output.into_inner(), b"abc");
    }

    #[test]
    fn large_and_small_pieces_are_hashed_in_order() {
        let bytes: Vec<u8> = (0..1_000_000_u32).map(|at| (at % 251) as u8).collect();
        let mut output = Hashing::new(Vec::new());
        let mut rest = &bytes[..];
        let mut taken = Vec::new();
        for size in [10, MUCH, 1, 3 * MUCH, MUCH - 1, 2 * MUCH, 7]
            .into_iter()
            .cycle()
        {
            let (piece, after) = rest.split_at(size.min(rest.len()));
            if size % 2 == 0 {
                taken.clear();
                taken.extend_from_slice(piece);
                output.write_taking(&mut taken).unwrap();
            } else {
                output.write_all(piece).unwrap();
            }
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
        assert_eq!(output.fingerprint(), Fingerprint::of(&bytes));
        output.write_all(b"more").unwrap();
        let longer = [&bytes[..], b"more"].concat();
        assert_eq!(output.fingerprint(), Fingerprint::of(&longer));
        assert_eq!(output.byte_count(), longer.len() as u64);
        assert!(output.into_inner() == longer);
    }

    #[test]
    fn whoever_hashes_on_another_thread_says_when_it_falls_behind() {
        let chunk = vec![7; MUCH];
        let (mut beside, mut here) = (Hasher::new(), Hasher::new());
        beside.update(&chunk);
        here.update(&chunk);
        assert!(here.helper.is_some());
        here.stay_here();
        let mut chunks = 1;
        while !beside.is_behind() {
            assert!(chunks < 10_000, "hashing takes longer than copying");
            beside.update(&chunk);
            chunks += 1;
        }
        assert!(chunks >= BEHIND);
        for _ in 1..chunks {
            here.update(&chunk);
            assert!(here.helper.is_none() && !here.is_behind());
        }
        assert_eq!(beside.fingerprint(), here.fingerprint());
        assert_eq!(beside.fingerprint(), Fingerprint::of(&chunk.repeat(chunks)));
    }

    #[test]
    fn the_thread_that_hashes_does_other_work_between_chunks() {
        let told = Arc::new(std::sync::Mutex::new(Vec::new()));
        let noted = Arc::clone(&told);
        let mut output = Hashing::new(io::sink());
        let note = move |hashed| noted.lock().unwrap().push(hashed);
        output.do_between(WorkBetween::new(note));
        for _ in 0..5 {
            output.write_taking(&mut vec![7; MUCH]).unwrap();
        }
        assert_eq!(output.fingerprint(), Fingerprint::of(&vec![7; 5 * MUCH]));
        assert_eq!(
            *told.lock().unwrap(),
            [1, 2, 3, 4, 5].map(|chunks| chunks * MUCH as u64)
        );
    }
}
