//! The client and a real server: Sail, which `make test` installs.

use super::client::Client;
use super::connection::SparkConnection;
use super::login::unique_id;
use super::wire::Wire;
use crate::connection::Connection;
use crate::error::{Doing, Error};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tonic::metadata::MetadataMap;
use tonic::transport::Endpoint;

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
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = port.local_addr().unwrap().port();
        let script = format!(
            "{} spark server --port {port} >/dev/null 2>&1 & read nothing; kill -9 $!",
            program.display()
        );
        let guard = Command::new("sh").args(["-c", &script]);
        let guard = guard.stdin(Stdio::piped()).spawn().unwrap();
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

    /// A connection that takes a stream to have ended after so many parts.
    fn connect(&self, parts_of_stream: Option<usize>) -> SparkConnection {
        let wire = Wire::start().unwrap();
        let endpoint = Endpoint::from_shared(format!("http://127.0.0.1:{}", self.port)).unwrap();
        let channel = wire.wait(endpoint.connect()).unwrap();
        let mut client = Client::new(channel, MetadataMap::new(), unique_id(), "tests".into());
        client.parts_of_stream = parts_of_stream;
        SparkConnection::new(wire, client, true).speaking(&super::dialect::SAIL)
    }
}

impl Drop for Sail {
    fn drop(&mut self) {
        self.end();
    }
}

/// How many parts an answer has, how many rows, and their sum.
fn read(connection: &SparkConnection, query: &str) -> (usize, usize, i64) {
    let (mut parts, mut rows, mut sum) = (0, 0, 0);
    let taken = connection.query(query, Doing::Counting, &mut |batch| {
        let numbers = batch.column(0).as_primitive::<Int64Type>();
        parts += 1;
        rows += numbers.len();
        sum += numbers.values().iter().sum::<i64>();
        Ok(())
    });
    taken.unwrap();
    (parts, rows, sum)
}

#[test]
fn rows_come_whole_however_often_the_server_ends_the_stream() {
    let sail = Sail::start();
    let query = "SELECT id FROM range(200000)";
    let at_once = read(&sail.connect(None), query);
    assert_eq!((at_once.1, at_once.2), (200_000, 199_999 * 100_000));
    assert!(at_once.0 > 10, "too few parts to end in between");
    for parts in [1, 3] {
        assert_eq!(read(&sail.connect(Some(parts)), query), at_once);
    }
    // A statement without rows is carried out once.
    let connection = sail.connect(Some(1));
    let wait = Doing::Writing;
    connection
        .execute("CREATE TABLE once AS SELECT 1 AS a", wait)
        .unwrap();
    connection
        .execute("INSERT INTO once SELECT 2 AS a", wait)
        .unwrap();
    let counted = read(&connection, "SELECT count(*) AS n FROM once");
    assert_eq!(counted, (1, 1, 2));
    connection.execute("DROP TABLE once", wait).unwrap();
}

#[test]
fn a_statement_can_be_stopped_and_a_server_that_dies_is_noticed() {
    let mut sail = Sail::start();
    let connection = sail.connect(None);
    let slow =
        "SELECT count(*) FROM range(100000000) a, range(10000) b WHERE hash(a.id, b.id) % 3 = 1";
    let run = || connection.query(slow, Doing::Counting, &mut |_| Ok(()));
    std::thread::scope(|scope| {
        let running = scope.spawn(run);
        std::thread::sleep(Duration::from_secs(1));
        connection.cancel();
        let began = Instant::now();
        let stopped = running.join().unwrap();
        assert!(matches!(stopped, Err(Error::Stopped { .. })), "{stopped:?}");
        assert!(began.elapsed() < Duration::from_secs(5));
    });
    assert_eq!(read(&connection, "SELECT id FROM range(3)").1, 3);
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
