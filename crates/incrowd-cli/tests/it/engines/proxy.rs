//! Between a job and its server: cuts or holds a connection when the job sends a certain text.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What happens when the text is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Then {
    /// The server never sees it; later connections work.
    CutBefore,
    /// The server sees it; later connections work.
    CutAfter,
    /// The server sees it; there are no later connections.
    CutForGood,
    /// It waits until it is let go.
    Hold,
    /// It waits, and nobody answers on later connections either.
    Silence,
    /// The server sees this text of the same length instead.
    Replace(&'static str),
}

struct State {
    server: u16,
    text: &'static str,
    /// How many more times the text has to come before something happens.
    before: Mutex<usize>,
    then: Then,
    /// All open connections.
    open: Mutex<Vec<TcpStream>>,
    was_seen: AtomicBool,
    may_go: AtomicBool,
    is_closed: AtomicBool,
}

pub(super) struct Proxy {
    pub(super) port: u16,
    state: Arc<State>,
}

impl Proxy {
    /// For a server at a port: acts when the text comes for the first time after it came so often.
    pub(super) fn new(server: u16, text: &'static str, before: usize, then: Then) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State {
            server,
            text,
            before: Mutex::new(before),
            then,
            open: Mutex::default(),
            was_seen: AtomicBool::new(false),
            may_go: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                if accepting.is_closed.load(Ordering::SeqCst) {
                    continue;
                }
                if accepting.then == Then::Silence && accepting.was_seen.load(Ordering::SeqCst) {
                    accepting.open.lock().unwrap().push(client);
                    continue;
                }
                let Ok(server) = TcpStream::connect(("127.0.0.1", accepting.server)) else {
                    continue;
                };
                let mut open = accepting.open.lock().unwrap();
                open.push(client.try_clone().unwrap());
                open.push(server.try_clone().unwrap());
                drop(open);
                let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                let state = Arc::clone(&accepting);
                std::thread::spawn(move || state.forward(from, to));
                std::thread::spawn(move || copy(server, client));
            }
        });
        Proxy { port, state }
    }

    pub(super) fn was_seen(&self) -> bool {
        self.state.was_seen.load(Ordering::SeqCst)
    }

    /// Waits until the text was sent.
    #[track_caller]
    pub(super) fn until_seen(&self) {
        let until = Instant::now() + Duration::from_secs(120);
        while !self.was_seen() {
            assert!(Instant::now() < until, "nobody sent {}", self.state.text);
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until the text was sent, or until a job ends without having sent it.
    #[track_caller]
    pub(super) fn is_seen_before_the_end_of(&self, job: &mut Child) -> bool {
        let until = Instant::now() + Duration::from_secs(120);
        while !self.was_seen() {
            if job.try_wait().unwrap().is_some() {
                return self.was_seen();
            }
            assert!(Instant::now() < until, "nobody sent {}", self.state.text);
            std::thread::sleep(Duration::from_millis(5));
        }
        true
    }

    /// Lets what was held go on.
    pub(super) fn let_go(&self) {
        self.state.may_go.store(true, Ordering::SeqCst);
    }
}

impl State {
    fn cut(&self) {
        for connection in self.open.lock().unwrap().drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
    }

    /// Whether the text is in what was sent, and it is its turn.
    fn is_time(&self, sent: &[u8]) -> bool {
        let found = sent
            .windows(self.text.len())
            .any(|it| it == self.text.as_bytes());
        if !found || self.was_seen.load(Ordering::SeqCst) {
            return false;
        }
        let mut before = self.before.lock().unwrap();
        let is_time = *before == 0;
        *before = before.saturating_sub(1);
        is_time
    }

    fn forward(&self, mut from: TcpStream, mut to: TcpStream) {
        let mut bytes = vec![0; 1 << 20];
        while let Ok(length @ 1..) = from.read(&mut bytes) {
            if let Then::Replace(other) = self.then
                && self.is_time(&bytes[..length])
            {
                self.was_seen.store(true, Ordering::SeqCst);
                let text = self.text.as_bytes();
                let at = bytes.windows(text.len()).position(|it| it == text);
                bytes[at.unwrap()..][..text.len()].copy_from_slice(other.as_bytes());
            }
            let sent = &bytes[..length];
            if self.is_time(sent) {
                if self.then == Then::CutForGood {
                    self.is_closed.store(true, Ordering::SeqCst);
                }
                if matches!(self.then, Then::CutAfter | Then::CutForGood) {
                    let _ = to.write_all(sent);
                    // The server needs a moment to take it.
                    std::thread::sleep(Duration::from_millis(300));
                }
                self.was_seen.store(true, Ordering::SeqCst);
                if !matches!(self.then, Then::Hold | Then::Silence) {
                    return self.cut();
                }
                while !self.may_go.load(Ordering::SeqCst) {
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
            if to.write_all(sent).is_err() {
                return;
            }
        }
        let _ = to.shutdown(Shutdown::Write);
    }
}

fn copy(mut from: TcpStream, mut to: TcpStream) {
    let _ = std::io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Both);
}
