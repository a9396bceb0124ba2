//! The client and a real server: Sail, which `make test` installs.

use super::client::{Client, unique_id};
use super::connection::SparkConnection;
use super::plan::rows_of;
use crate::connection::Connection;
use crate::error::{Doing, Error};
use crate::wire::Wire;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tonic::metadata::MetadataMap;
use tonic::transport::Endpoint;

/// A query that takes hours.
const SLOW: &str =
    "SELECT count(*) FROM range(100000000) a, range(10000) b WHERE hash(a.id, b.id) % 3 = 1";

/// A server, which ends with the test.
struct Sail {
    port: u16,
    guard: Child,
}

impl Sail {
    fn start() -> Sail {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let program = workspace.join("out/sail/bin/sail");
        assert!(program.exists(), "`make test` installs Sail into out/sail");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let script = format!(
            "{} spark server --port {port} >/dev/null 2>&1 & read nothing; kill -9 $!",
            program.display()
        );
        let mut guard = Command::new("sh");
        let guard = guard.args(["-c", &script]).stdin(Stdio::piped());
        let guard = guard.spawn().unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "Sail does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        Sail { port, guard }
    }

    fn end(&mut self) {
        drop(self.guard.stdin.take());
        self.guard.wait().unwrap();
    }

    /// A connection that takes the first streams of every answer to have ended after so many parts.
    fn connect(&self, parts_of_streams: &[usize]) -> SparkConnection {
        connect_to(self.port, |client| {
            client.parts_of_streams = Arc::new(Mutex::new(parts_of_streams.to_vec()));
        })
    }

    /// A port at which it hears everything late.
    fn late(&self, late: Duration) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, server) = (listener.local_addr().unwrap().port(), self.port);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server = TcpStream::connect(("127.0.0.1", server)).unwrap();
                let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                std::thread::spawn(move || {
                    let mut bytes = [0; 1 << 16];
                    while let Ok(length @ 1..) = from.read(&mut bytes) {
                        std::thread::sleep(late);
                        if to.write_all(&bytes[..length]).is_err() {
                            return;
                        }
                    }
                });
                let (mut from, mut to) = (server, client);
                std::thread::spawn(move || std::io::copy(&mut from, &mut to));
            }
        });
        port
    }
}

fn connect_to(port: u16, change: impl FnOnce(&mut Client)) -> SparkConnection {
    let wire = Wire::start("spark-connect").unwrap();
    let endpoint = Endpoint::from_shared(format!("http://127.0.0.1:{port}")).unwrap();
    let channel = wire.wait(endpoint.connect()).unwrap();
    let mut client = Client::new(channel, MetadataMap::new(), unique_id(), "tests".into());
    change(&mut client);
    SparkConnection::new(wire, client, true).speaking(&super::dialect::SAIL)
}

impl Drop for Sail {
    fn drop(&mut self) {
        self.end();
    }
}

/// How many parts an answer has, how many rows, and their sum.
fn read(connection: &SparkConnection, query: &str) -> Result<(usize, usize, i64), Error> {
    let (mut parts, mut rows, mut sum) = (0, 0, 0);
    connection.query(query, Doing::Counting, &mut |batch| {
        let numbers = batch.column(0).as_primitive::<Int64Type>();
        parts += 1;
        rows += numbers.len();
        sum += numbers.values().iter().sum::<i64>();
        Ok(())
    })?;
    Ok((parts, rows, sum))
}

#[test]
fn rows_are_never_lost_in_silence_however_often_the_stream_ends() {
    let sail = Sail::start();
    let query = "SELECT id FROM range(4000000)";
    let at_once = read(&sail.connect(&[]), query).unwrap();
    assert_eq!((at_once.1, at_once.2), (4_000_000, 3_999_999 * 2_000_000));
    assert!(at_once.0 > 100, "too few parts to end in between");
    for parts in [&[1][..], &[3, 1, 7], &[0, 0, 20], &[50, 50, 50, 50]] {
        // Sail forgets what it was about to send when the stream ended.
        match read(&sail.connect(parts), query) {
            Ok(rows) => assert_eq!(rows, at_once, "{parts:?}"),
            Err(Error::Failed { state, .. }) => assert!(state.contains("lacks rows"), "{state}"),
            Err(error) => assert!(matches!(error, Error::ConnectionLost { .. }), "{error:?}"),
        }
    }
}

#[test]
fn a_statement_can_be_stopped_and_a_server_that_dies_is_noticed() {
    let mut sail = Sail::start();
    let connection = sail.connect(&[]);
    let run = || connection.query(SLOW, Doing::Counting, &mut |_| Ok(()));
    std::thread::scope(|scope| {
        let running = scope.spawn(run);
        std::thread::sleep(Duration::from_secs(1));
        connection.cancel();
        let began = Instant::now();
        let stopped = running.join().unwrap();
        assert!(matches!(stopped, Err(Error::Stopped { .. })), "{stopped:?}");
        assert!(began.elapsed() < Duration::from_secs(5));
    });
    assert_eq!(read(&connection, "SELECT id FROM range(3)").unwrap().1, 3);
    std::thread::scope(|scope| {
        let running = scope.spawn(run);
        std::thread::sleep(Duration::from_secs(1));
        sail.end();
        let lost = running.join().unwrap();
        assert!(
            matches!(lost, Err(Error::ConnectionLost { .. })),
            "{lost:?}"
        );
    });
}

#[test]
fn what_is_stopped_before_the_server_has_heard_of_it_does_not_run() {
    let sail = Sail::start();
    let wire = Wire::start("spark-connect").unwrap();
    let endpoint = Endpoint::from_shared(format!("http://127.0.0.1:{}", sail.port)).unwrap();
    let channel = wire.wait(endpoint.connect()).unwrap();
    let client = Client::new(channel, MetadataMap::new(), unique_id(), "tests".into());
    let id = unique_id();
    let (stopping, stopped) = (client.clone(), id.clone());
    let _stop = wire.spawn(async move { stopping.stop_early(&stopped).await });
    std::thread::sleep(Duration::from_millis(500));
    let mut running = client.execute(rows_of(SLOW), id);
    let answer =
        wire.wait(async { tokio::time::timeout(Duration::from_secs(100), running.next()).await });
    let answer = answer.expect("it runs for nobody");
    assert!(answer.is_err(), "it was not stopped");
}

#[test]
fn a_server_may_take_long_to_look_at_files_but_not_for_what_is_quick() {
    let sail = Sail::start();
    let patience = Duration::from_millis(300);
    let late = sail.late(3 * patience);
    let connection = connect_to(late, |client| client.patience = patience);
    assert!(!connection.is_reachable());
    let first = connection.ask("SELECT version()");
    assert!(
        matches!(first, Err(Error::ConnectionLost { .. })),
        "{first:?}"
    );
    let query = "SELECT id FROM range(3)";
    assert_eq!(connection.describe(query).unwrap().len(), 1);
    assert_eq!(connection.files(query).unwrap(), Some(vec![]));
}
