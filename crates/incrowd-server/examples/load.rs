//! How many questions a second the workbench answers, and how long each takes, on the six-attribute lattice of Adult.
//!
//! `cargo run --release -p incrowd-server --example load -- data/adult [SECONDS] [CONNECTIONS]`
//!
//! Server and clients share this process and the machine's cores. Every client keeps one connection, sends a wish, waits for
//! the answer, and sends the next; wishes vary in k, budget and levels, first new ones in each round, then the same again. Prints requests per second, the median, the 99th
//! percentile, and the memory of the process before and after; then opens many idle connections and slow clients beside
//! them and measures again.

use incrowd_server::{Limits, Role, Server, Settings};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const COLUMNS: [&str; 6] = [
    "age",
    "sex",
    "race",
    "education",
    "marital-status",
    "workclass",
];

/// One connection that is kept.
struct Connection {
    stream: TcpStream,
    bytes: Vec<u8>,
}

impl Connection {
    fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("a socket");
        Connection {
            stream,
            bytes: Vec::new(),
        }
    }

    fn ask(
        &mut self,
        address: SocketAddr,
        token: &str,
        method: &str,
        path: &str,
        body: &str,
    ) -> (u16, &[u8]) {
        let text = format!(
            "{method} /api/v1{path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        self.stream.write_all(text.as_bytes()).expect("sent");
        self.bytes.clear();
        let mut part = [0; 16 << 10];
        loop {
            if let Some(end) = find(&self.bytes, b"\r\n\r\n") {
                let head = std::str::from_utf8(&self.bytes[..end]).expect("a head");
                let length = head
                    .lines()
                    .find_map(|line| line.strip_prefix("content-length: "));
                let length: usize = length.map_or(0, |length| length.parse().expect("a length"));
                if self.bytes.len() >= end + 4 + length {
                    let status = head[9..12].parse().expect("a status");
                    return (status, &self.bytes[end + 4..end + 4 + length]);
                }
            }
            let read = self.stream.read(&mut part).expect("answered");
            assert!(read > 0, "the server closed");
            self.bytes.extend_from_slice(&part[..read]);
        }
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|part| part == what)
}

/// Resident memory of this process in megabytes.
fn memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes: f64 = line
        .and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or(0.0);
    kilobytes / 1024.0
}

/// Seconds of processor time that this process has used, clients included.
fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    let fields = after_name.split(' ').skip(11).take(2);
    let ticks: u64 = fields.filter_map(|field| field.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}

fn wish(random: &mut u64, heights: &[u64]) -> String {
    let mut next = |below: u64| {
        *random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*random >> 33) % below
    };
    let levels: Vec<u64> = heights.iter().map(|height| next(height + 1)).collect();
    let budget = [
        "\"0%\"", "\"0.5%\"", "\"1%\"", "\"2%\"", "\"5%\"", "\"10%\"",
    ][next(6) as usize];
    let k = 3 + next(48);
    format!(
        "{{\"model\":\"k-anonymity\",\"parameter\":{k},\"max_suppressed\":{budget},\"max_levels\":{levels:?}}}"
    )
}

#[expect(
    clippy::print_stdout,
    reason = "it is a program that prints what it measures"
)]
fn measure(
    what: &str,
    address: SocketAddr,
    token: &str,
    heights: &[u64],
    (connections, round): (u64, u64),
    time: Duration,
) {
    let used = processor();
    let until = Instant::now() + time;
    let clients: Vec<_> = (0..connections)
        .map(|number| {
            let (token, heights) = (token.to_owned(), heights.to_vec());
            std::thread::spawn(move || {
                let mut connection = Connection::open(address);
                let mut random = number * 7919 + 1 + round * 1_000_003;
                let mut taken = Vec::new();
                while Instant::now() < until {
                    let wish = wish(&mut random, &heights);
                    let started = Instant::now();
                    let (status, _) = connection.ask(address, &token, "POST", "/negotiate", &wish);
                    taken.push(started.elapsed());
                    assert_eq!(status, 200);
                }
                taken
            })
        })
        .collect();
    let started = Instant::now();
    let mut taken: Vec<Duration> = clients
        .into_iter()
        .flat_map(|client| client.join().expect("a client"))
        .collect();
    let seconds = started.elapsed().as_secs_f64();
    taken.sort_unstable();
    let at = |share: f64| taken[((taken.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
    println!(
        "{what}: {:.0} requests/s, {} requests, median {:.2} ms, p99 {:.2} ms, p99.9 {:.2} ms, greatest {:.1} ms, \
         {:.3} ms of processor each, {:.2} processors, {:.0} MB",
        taken.len() as f64 / seconds,
        taken.len(),
        at(0.5),
        at(0.99),
        at(0.999),
        at(1.0),
        (processor() - used) * 1000.0 / taken.len() as f64,
        (processor() - used) / seconds,
        memory()
    );
}

#[expect(
    clippy::print_stdout,
    reason = "it is a program that prints what it measures"
)]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let data = PathBuf::from(arguments.next().unwrap_or_else(|| "data/adult".into()));
    let seconds: u64 = arguments
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(10);
    let connections: u64 = arguments
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(8);
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::open(&Settings {
        data: Some(data),
        port: 0,
        limits: Limits {
            connections: 2048,
            ..Limits::default()
        },
        ..Settings::new(folder.path())
    })
    .expect("a server");
    let address = server.address();
    let tokens = [Role::Curator, Role::Analyst].map(|role| server.token(role).to_owned());
    let stopper = server.stopper();
    let serving = std::thread::spawn(move || server.run());
    let mut connection = Connection::open(address);
    let mut ask = |method: &str, path: &str, body: &Value| -> Value {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let (_, answer) = connection.ask(address, &tokens[0], method, path, &body);
        serde_json::from_slice(answer).expect("JSON")
    };
    let wait_for = |ask: &mut dyn FnMut(&str, &str, &Value) -> Value, step: &str| loop {
        let state = ask("GET", "/state", &Value::Null);
        if state["step"] == step {
            return state;
        }
        ask(
            "GET",
            &format!("/changes?after={}", state["revision"]),
            &Value::Null,
        );
    };
    let state = wait_for(&mut ask, "loaded");
    let mut roles = json!({});
    for column in state["table"]["columns"].as_array().expect("columns") {
        let name = column["name"].as_str().expect("a name");
        let is_quasi_identifier = COLUMNS.contains(&name);
        roles[name] = json!(if is_quasi_identifier {
            "quasi-identifying"
        } else {
            "drop"
        });
    }
    let started = Instant::now();
    ask(
        "PUT",
        "/roles",
        &json!({ "roles": roles, "order": COLUMNS }),
    );
    let state = wait_for(&mut ask, "counted");
    println!(
        "{} nodes, counted and annotated in {:.2} s, {:.0} MB",
        state["lattice"]["nodes"],
        started.elapsed().as_secs_f64(),
        memory()
    );
    let heights: Vec<u64> = state["quasi_identifiers"]
        .as_array()
        .expect("columns")
        .iter()
        .map(|column| column["levels"].as_u64().expect("a height"))
        .collect();
    let time = Duration::from_secs(seconds);
    let load = |what: &str, role: usize, round: u64| {
        measure(
            what,
            address,
            &tokens[role],
            &heights,
            (connections, round),
            time,
        );
    };
    for round in 1..=3 {
        load(&format!("curator, new wishes {round}"), 0, round);
    }
    for round in 1..=3 {
        load(
            &format!("curator, the wishes of round {round} again"),
            0,
            round,
        );
    }
    load("analyst, the same wishes", 1, 1);
    load("analyst, again", 1, 1);
    // Idle connections, as many as the system lets one process open, and clients that send a byte now and then.
    let mut idle = Vec::new();
    let mut refused = 0;
    for _ in 0..10_000 {
        match TcpStream::connect_timeout(&address, Duration::from_secs(1)) {
            Ok(stream) => idle.push(stream),
            Err(_) => refused += 1,
        }
    }
    println!(
        "{} connections opened, {refused} refused by the system",
        idle.len()
    );
    let slow: Vec<TcpStream> = idle.drain(..200.min(idle.len())).collect();
    let sending = std::thread::spawn(move || {
        for byte in b"POST /api/v1/negotiate HTTP/1.1\r\nhost: x\r\n" {
            for mut stream in &slow {
                let _ = stream.write_all(&[*byte]);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    drop(connection);
    // The connections of the clients need room among the idle ones, which are closed when they have been idle for long.
    idle.truncate(1500);
    load("curator, again, beside 1500 idle and 200 slow ones", 0, 1);
    let _ = sending.join();
    stopper.stop();
    let _ = serving.join();
}
