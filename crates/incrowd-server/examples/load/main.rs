//! How many questions a second the workbench answers, how long each takes, and how much memory it needs, on the six-attribute
//! lattice of Adult.
//!
//! `cargo run --release -p incrowd-server --no-default-features --example load -- [--seconds 10] [--minutes 10] [--record NAME]`
//!
//! The server is a process of its own, so that its processor time and memory are known by themselves; it shares the
//! machine's cores with this program. Every client keeps one connection, sends a wish, waits for the answer, and sends the
//! next. New wishes are drawn so that no two are alike in a whole run. In the end there are 10 000 connections at once, and
//! slow clients beside them. `--record` keeps the run in `benchmarks/runs`.

mod client;
mod record;
mod server;
mod wishes;

use client::Connection;
use incrowd_server::Limits;
use record::Figures;
use serde_json::{Value, json};
use server::ServerProcess;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use wishes::Wishes;

const COLUMNS: [&str; 6] = [
    "age",
    "sex",
    "race",
    "education",
    "marital-status",
    "workclass",
];

/// What is asked for on the command line.
struct Options {
    data: String,
    /// Of each round.
    seconds: u64,
    /// For which new wishes are sent while the memory is watched.
    minutes: u64,
    /// Clients at once.
    connections: u64,
    /// Connections that are open at once in the end.
    open: usize,
    record: Option<String>,
}

impl Options {
    fn of_arguments() -> Self {
        let mut options = Options {
            data: "data/adult".into(),
            seconds: 10,
            minutes: 10,
            connections: 8,
            open: 10_000,
            record: None,
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(name) = arguments.next() {
            let value = arguments.next().unwrap_or_default();
            let number = || {
                value
                    .parse()
                    .unwrap_or_else(|_| panic!("{name} takes a number"))
            };
            match name.as_str() {
                "--data" => options.data = value,
                "--seconds" => options.seconds = number(),
                "--minutes" => options.minutes = number(),
                "--connections" => options.connections = number(),
                "--open" => options.open = number() as usize,
                "--record" => options.record = Some(value),
                _ => panic!("{name} is not an option; see the beginning of this file"),
            }
        }
        options
    }
}

/// One round of questions.
struct Round<'a> {
    server: &'a ServerProcess,
    token: &'a str,
    wishes: &'a Wishes,
    connections: u64,
    /// The numbers of the wishes that the clients send begin here.
    first: u64,
    time: Duration,
}

impl Round<'_> {
    /// Asks until the time is over; the number after that of the last wish sent.
    fn run(&self, what: &str, figures: &mut Figures) -> u64 {
        let (used, own) = (self.server.processor(), server::own_processor());
        let started = Instant::now();
        let until = started + self.time;
        let clients: Vec<(Vec<Duration>, u64)> = std::thread::scope(|scope| {
            let clients: Vec<_> = (0..self.connections)
                .map(|client| scope.spawn(move || self.client(client, until)))
                .collect();
            let join = |client: std::thread::ScopedJoinHandle<'_, _>| client.join();
            let joined = clients.into_iter().map(join);
            joined.map(|client| client.expect("a client")).collect()
        });
        let seconds = started.elapsed().as_secs_f64();
        let refused = clients.iter().map(|(_, refused)| refused).sum::<u64>();
        let mut taken: Vec<Duration> = clients.into_iter().flat_map(|(taken, _)| taken).collect();
        taken.sort_unstable();
        let requests = taken.len().max(1) as f64;
        let at = |share: f64| {
            let place = ((requests - 1.0) * share) as usize;
            taken
                .get(place)
                .map_or(0.0, |time| time.as_secs_f64() * 1000.0)
        };
        let of_server = self.server.processor() - used;
        let of_clients = server::own_processor() - own;
        figures.add(
            what,
            &[
                ("requests_per_second", requests / seconds),
                ("requests", taken.len() as f64),
                ("refused", refused as f64),
                ("median_ms", at(0.5)),
                ("p99_ms", at(0.99)),
                ("p999_ms", at(0.999)),
                ("greatest_ms", at(1.0)),
                ("server_processor_ms", of_server * 1000.0 / requests),
                ("client_processor_ms", of_clients * 1000.0 / requests),
                ("processors_had", (of_server + of_clients) / seconds),
                ("memory_mb", self.server.memory()),
            ],
        );
        self.first + self.connections * (taken.len() as u64 + refused + self.connections)
    }

    /// One client: how long each answer took, and how many questions were refused.
    fn client(&self, client: u64, until: Instant) -> (Vec<Duration>, u64) {
        let mut connection = Connection::open(self.server.address);
        let (mut taken, mut refused) = (Vec::new(), 0);
        for question in 0.. {
            if Instant::now() >= until {
                break;
            }
            let wish = self
                .wishes
                .wish(self.first + question * self.connections + client);
            let started = Instant::now();
            let (status, _) = connection.ask(self.token, "POST", "/negotiate", &wish);
            match status {
                200 => taken.push(started.elapsed()),
                _ => refused += 1,
            }
        }
        (taken, refused)
    }
}

/// Opens so many connections at once and says what became of them.
fn open_many(server: &ServerProcess, open: usize, figures: &mut Figures) -> Vec<TcpStream> {
    server::make_room_for_files();
    let mut streams = Vec::new();
    let mut not_opened = 0;
    for _ in 0..open {
        match TcpStream::connect_timeout(&server.address, Duration::from_secs(2)) {
            Ok(stream) => streams.push(stream),
            Err(_) => not_opened += 1,
        }
    }
    // Whoever is served hears nothing until it asks; the others were told at once, or will be soon.
    std::thread::sleep(Duration::from_secs(3));
    let (mut told, mut idle, mut closed) = (0, 0, 0);
    let mut served = Vec::new();
    for (number, mut stream) in streams.into_iter().enumerate() {
        let _ = stream.set_nonblocking(true);
        let mut answer = [0; 512];
        match stream.read(&mut answer) {
            Ok(read) if answer[..read].starts_with(b"HTTP/1.1 503") => told += 1,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                let _ = stream.set_nonblocking(false);
                served.push(stream);
            }
            // The first had a place, and lost it if opening the others took longer than one may be idle.
            _ if number < Limits::default().connections => idle += 1,
            _ => closed += 1,
        }
    }
    figures.add(
        &format!("{open} connections at once"),
        &[
            ("served", served.len() as f64),
            ("served_until_idle_for_too_long", f64::from(idle)),
            ("told_that_there_are_too_many", f64::from(told)),
            ("closed_without_a_word", f64::from(closed)),
            ("refused_by_the_system", f64::from(not_opened)),
            ("memory_mb", server.memory()),
        ],
    );
    served
}

/// Counts the table with the six columns; the height of each.
fn prepare(server: &ServerProcess, figures: &mut Figures) -> Vec<u64> {
    let mut connection = Connection::open(server.address);
    let mut ask = |method: &str, path: &str, body: &Value| -> Value {
        let body = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        let (_, answer) = connection.ask(&server.curator, method, path, &body);
        serde_json::from_slice(answer).expect("JSON")
    };
    let wait_for = |ask: &mut dyn FnMut(&str, &str, &Value) -> Value, step: &str| loop {
        let state = ask("GET", "/state", &Value::Null);
        if state["step"] == step {
            return state;
        }
        let path = format!("/changes?after={}", state["revision"]);
        ask("GET", &path, &Value::Null);
    };
    let state = wait_for(&mut ask, "loaded");
    let mut roles = json!({});
    for column in state["table"]["columns"].as_array().expect("columns") {
        let name = column["name"].as_str().expect("a name");
        roles[name] = json!(match COLUMNS.contains(&name) {
            true => "quasi-identifying",
            false => "drop",
        });
    }
    let started = Instant::now();
    ask(
        "PUT",
        "/roles",
        &json!({ "roles": roles, "order": COLUMNS }),
    );
    let state = wait_for(&mut ask, "counted");
    let nodes = state["lattice"]["nodes"].as_f64().unwrap_or_default();
    figures.add(
        "preparing",
        &[
            ("nodes", nodes),
            ("seconds", started.elapsed().as_secs_f64()),
            ("memory_mb", server.memory()),
        ],
    );
    let columns = state["quasi_identifiers"].as_array().expect("columns");
    let height = |column: &Value| column["levels"].as_u64().expect("a height");
    columns.iter().map(height).collect()
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        return server::serve();
    }
    let options = Options::of_arguments();
    let folder = options.record.as_deref().map(record::create);
    let server = ServerProcess::start(&options.data);
    let mut figures = Figures::default();
    let wishes = Wishes::new(&prepare(&server, &mut figures));
    let round = |token, first, seconds| Round {
        server: &server,
        token,
        wishes: &wishes,
        connections: options.connections,
        first,
        time: Duration::from_secs(seconds),
    };
    let mut next = 0;
    for number in 1..=3 {
        next = round(&*server.curator, next, options.seconds)
            .run(&format!("curator, new wishes {number}"), &mut figures);
    }
    round(&*server.curator, 0, options.seconds)
        .run("curator, the first wishes again", &mut figures);
    next = round(&*server.analyst, next, options.seconds).run("analyst, new wishes", &mut figures);
    for minute in 1..=options.minutes {
        next = round(&*server.curator, next, 60).run(
            &format!("curator, new wishes, minute {minute}"),
            &mut figures,
        );
    }
    let mut held = open_many(&server, options.open, &mut figures);
    let mut slow = held.split_off(held.len() - 50.min(held.len()));
    // The clients need places of their own.
    held.truncate(held.len().saturating_sub(2 * options.connections as usize));
    let sending = std::thread::spawn(move || {
        for byte in b"POST /api/v1/negotiate HTTP/1.1\r\nhost: x\r\n" {
            for stream in &mut slow {
                let _ = stream.write_all(&[*byte]);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    let what = format!(
        "curator, new wishes, beside {} idle and 50 slow connections",
        held.len()
    );
    round(&*server.curator, next, options.seconds).run(&what, &mut figures);
    let _ = sending.join();
    if let Some(folder) = folder {
        record::write(&folder, &figures);
    }
}
