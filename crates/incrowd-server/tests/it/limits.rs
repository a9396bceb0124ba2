//! Oversized, broken, slow and far too many: bounded, answered with clear errors, never a crash.

use crate::support::{
    exchange, read_response, start, start_limited, start_small, start_small_limited, wish,
};
use incrowd_server::{Limits, Role};
use serde_json::json;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

#[test]
fn bodies_that_are_not_what_was_asked_for_are_refused() {
    let server = start_small();
    let send = |content_type: &str, body: &[u8]| {
        let headers = [("content-type", content_type)];
        let token = Some(server.curator.as_str());
        server
            .send("POST", "/api/v1/negotiate", token, &headers, body)
            .failure()
    };
    for content_type in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/json; charset=latin-1",
        "",
    ] {
        assert_eq!(
            send(content_type, b"{}"),
            (415, "wrong-content-type".into()),
            "{content_type}"
        );
    }
    for body in [
        "{",
        "[]",
        "null",
        "\"x\"",
        "{\"model\":1}",
        "{\"model\":\"k-anonymity\",\"parameter\":5,\"x\":1}",
        "{\"model\":\"k-anonymity\",\"parameter\":1e999}",
        "\u{feff}{}",
    ] {
        assert_eq!(send("application/json", body.as_bytes()).0, 400, "{body}");
    }
    assert_eq!(send("application/json", b"{\"model\":\"\xff\"}").0, 400);
    assert_eq!(
        send("application/json", "[".repeat(100_000).as_bytes()).0,
        400
    );
    let large = format!("{{\"model\":\"{}\"}}", "x".repeat(2 << 20));
    assert_eq!(
        send("application/json", large.as_bytes()),
        (413, "too-large".into())
    );
    for (field, value) in [
        ("parameter", json!(0)),
        ("parameter", json!(-5)),
        ("parameter", json!(2.5)),
        ("model", json!("magic")),
        ("max_levels", json!([1])),
        ("max_levels", json!([9, 9])),
        ("metric", json!("magic")),
        ("max_suppressed", json!(100_000)),
    ] {
        let mut wish = wish();
        wish[field] = value;
        let (status, _) = server.post(Role::Curator, "/negotiate", &wish).failure();
        assert!(matches!(status, 400 | 422), "{wish}: {status}");
    }
    server.post(Role::Curator, "/negotiate", &wish()).ok();
}

#[test]
fn a_table_that_grows_beyond_the_limit_is_refused_and_leaves_nothing() {
    let limits = Limits {
        table: 10_000,
        ..Limits::default()
    };
    let server = start_limited(None, limits);
    server.settle();
    let before = server.get(Role::Curator, "/state").ok()["table"].clone();
    let headers = [("content-type", "text/csv"), ("x-file-name", "big.csv")];
    let big = "a,b\n".repeat(5000);
    let response = server.send(
        "PUT",
        "/api/v1/table",
        Some(&server.curator),
        &headers,
        big.as_bytes(),
    );
    assert_eq!(response.failure(), (413, "too-large".into()));
    // Without saying how much comes.
    let mut text = format!(
        "PUT /api/v1/table HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: text/csv\r\n\
         transfer-encoding: chunked\r\nconnection: close\r\n\r\n",
        server.address, server.curator
    );
    text += &format!("{:x}\r\n{}\r\n", 6000, "x".repeat(6000)).repeat(4);
    let response = exchange(server.address, text.as_bytes());
    assert_eq!(response.failure(), (413, "too-large".into()));
    assert_eq!(server.get(Role::Curator, "/state").ok()["table"], before);
    let kept: Vec<_> = std::fs::read_dir(server.folder.join("table"))
        .unwrap()
        .collect();
    assert_eq!(kept.len(), 1, "only the example");
    // A table that is none is refused by its job, and the last one stays.
    let job = crate::support::upload(&server, "none.parquet", b"PAR1 nonsense");
    assert_eq!(job["state"], "failed");
    assert_eq!(server.get(Role::Curator, "/state").ok()["table"], before);
    assert!(server.folder.join("table/1/clinic.csv").exists());
}

fn impatient() -> Limits {
    Limits {
        body: Duration::from_millis(100),
        head: Duration::from_millis(200),
        ..Limits::default()
    }
}

#[test]
fn whoever_sends_slowly_is_not_waited_for() {
    let server = start_limited(None, impatient());
    // A body that never comes.
    let text = format!(
        "POST /api/v1/negotiate HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         content-length: 100\r\n\r\n{{",
        server.address, server.curator
    );
    assert_eq!(
        exchange(server.address, text.as_bytes()).failure(),
        (408, "too-slow".into())
    );
    let text = format!(
        "PUT /api/v1/table HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: text/csv\r\n\
         content-length: 100\r\n\r\na,b\n",
        server.address, server.curator
    );
    assert_eq!(
        exchange(server.address, text.as_bytes()).failure(),
        (408, "too-slow".into())
    );
    // A head that never ends: the connection does.
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream
        .write_all(b"GET /api/v1/health HTTP/1.1\r\nho")
        .unwrap();
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    server.send("GET", "/api/v1/health", None, &[], b"").ok();
}

#[test]
fn connections_beyond_the_limit_are_told_and_closed_and_the_others_still_served() {
    let limits = Limits {
        connections: 3,
        ..Limits::default()
    };
    let server = start_limited(None, limits);
    let request = format!(
        "GET /api/v1/health HTTP/1.1\r\nhost: {}\r\n\r\n",
        server.address
    );
    let mut kept: Vec<TcpStream> = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        assert_eq!(read_response(&mut stream).status, 200);
        kept.push(stream);
    }
    for _ in 0..20 {
        assert_eq!(
            exchange(server.address, request.as_bytes()).failure(),
            (503, "busy".into())
        );
    }
    for stream in &mut kept {
        stream.write_all(request.as_bytes()).unwrap();
        assert_eq!(read_response(stream).status, 200);
    }
    kept.clear();
    // There is room again, as soon as the server has noticed.
    while exchange(server.address, request.as_bytes()).status != 200 {
        std::thread::yield_now();
    }
}

#[test]
fn whoever_goes_away_leaves_no_trace() {
    let server = start(None);
    for at in 0..200 {
        let mut stream = TcpStream::connect(server.address).unwrap();
        let text = format!(
            "POST /api/v1/negotiate HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-length: 20\r\n\r\n{{}}",
            server.address, server.curator
        );
        let _ = stream.write_all(&text.as_bytes()[..text.len() * at / 200]);
    }
    server.send("GET", "/api/v1/health", None, &[], b"").ok();
}

#[test]
fn changes_are_told_to_whoever_waits_for_them() {
    let server = start_small();
    let revision = server.get(Role::Analyst, "/session").ok()["revision"].clone();
    let waiting = {
        let client = server.client.clone();
        let path = format!("/changes?after={revision}");
        std::thread::spawn(move || client.get(Role::Analyst, &path).ok())
    };
    server
        .post(
            Role::Analyst,
            "/proposals",
            &json!({ "wish": wish(), "offer": "exact" }),
        )
        .ok();
    let told = waiting.join().unwrap()["revision"].as_u64().unwrap();
    assert!(told > revision.as_u64().unwrap());
    for query in [
        "",
        "?after=",
        "?after=-1",
        "?after=x",
        "?before=1",
        "?after=1&after=2",
    ] {
        assert_eq!(
            server
                .get(Role::Analyst, &format!("/changes{query}"))
                .failure()
                .0,
            400,
            "{query}"
        );
    }
}

#[test]
fn an_analyst_who_asks_too_often_is_told_when_to_ask_again_and_the_curator_is_not_limited() {
    let limits = Limits {
        questions: 12,
        ..Limits::default()
    };
    let server = start_small_limited(limits);
    let paths = ["/negotiate", "/curve", "/lattice"];
    for at in 0..12 {
        server.post(Role::Analyst, paths[at % 3], &wish()).ok();
    }
    for path in paths {
        let response = server.post(Role::Analyst, path, &wish());
        let wait: u64 = response.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=5).contains(&wait), "{wait}");
        assert_eq!(response.failure(), (429, "too-many-questions".into()));
        server.post(Role::Curator, path, &wish()).ok();
    }
    // Looking at what there is is no question.
    server.get(Role::Analyst, "/state").ok();
}

/// The load program opens ten thousand; these are enough to be far beyond every limit.
#[test]
fn thousands_of_connections_are_told_that_there_are_too_many_and_others_are_served() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let asked = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    let _ = setrlimit(Resource::Nofile, asked);
    // Both ends of every connection are files of this process.
    let most = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let open = 2000.min((most.saturating_sub(1000) / 2) as usize);
    let limits = Limits {
        connections: 50,
        // Whoever has a place keeps it for as long as this test takes.
        head: Duration::from_secs(300),
        ..Limits::default()
    };
    let server = start_limited(None, limits);
    let request = format!(
        "GET /api/v1/health HTTP/1.1\r\nhost: {}\r\n\r\n",
        server.address
    );
    let mut first = TcpStream::connect(server.address).unwrap();
    first.write_all(request.as_bytes()).unwrap();
    assert_eq!(read_response(&mut first).status, 200);
    let held: Vec<TcpStream> = (0..open)
        .filter_map(|_| TcpStream::connect(server.address).ok())
        .collect();
    assert!(held.len() + 100 >= open, "{} of {open}", held.len());
    // Those that have a place wait for nothing but their own request; all others hear why they have none, in a while.
    let opened = held.len();
    let mut quiet = held;
    let mut told = 0;
    let until = Instant::now() + Duration::from_secs(60);
    while quiet.len() > 50 && Instant::now() < until {
        quiet.retain(|stream| {
            let _ = stream.set_nonblocking(true);
            let mut answer = [0; 1024];
            match (&*stream).read(&mut answer) {
                Ok(read) => {
                    told += usize::from(answer[..read].starts_with(b"HTTP/1.1 503"));
                    false
                }
                Err(error) => error.kind() == ErrorKind::WouldBlock,
            }
        });
    }
    assert_eq!(
        told + quiet.len(),
        opened,
        "nobody is closed without a word"
    );
    assert!(quiet.len() <= 50, "{}", quiet.len());
    first.write_all(request.as_bytes()).unwrap();
    assert_eq!(read_response(&mut first).status, 200);
}

#[test]
fn a_table_that_is_still_arriving_survives_that_another_is_read() {
    let server = start(None);
    server.settle();
    let rows: String = (0..30)
        .map(|at| format!("{},{}\n", at % 7, at % 3))
        .collect();
    let text = format!("age,zip\n{rows}");
    let head = format!(
        "PUT /api/v1/table HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: text/csv\r\n\
         x-file-name: late.csv\r\ncontent-length: {}\r\n\r\n",
        server.address,
        server.curator,
        text.len()
    );
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&text.as_bytes()[..20]).unwrap();
    let tables = server.folder.join("table");
    let folders = || std::fs::read_dir(&tables).unwrap().count();
    while folders() < 2 {
        std::thread::yield_now();
    }
    // Meanwhile the example is loaded again, which removes tables that nobody needs any more.
    let job = server
        .post(Role::Curator, "/example", &json!({ "name": "clinic" }))
        .ok();
    assert_eq!(server.finish(&job)["state"], "done");
    stream.write_all(&text.as_bytes()[20..]).unwrap();
    let job = read_response(&mut stream).ok();
    assert_eq!(server.finish(&job)["state"], "done");
    assert_eq!(
        server.get(Role::Curator, "/state").ok()["table"]["name"],
        "late.csv"
    );
    assert_eq!(folders(), 1, "only the last one stays");
}

#[test]
fn whoever_does_not_read_the_answers_makes_room_for_others() {
    let limits = Limits {
        write: Duration::from_millis(300),
        connections: 1,
        ..Limits::default()
    };
    let server = start_limited(None, limits);
    let request = format!(
        "GET /api/v1/openapi.json HTTP/1.1\r\nhost: {}\r\n\r\n",
        server.address
    );
    // Far more than any system keeps for a connection: some hundred megabytes, none of which is read.
    let mut greedy = TcpStream::connect(server.address).unwrap();
    greedy.set_nonblocking(true).unwrap();
    let many = request.repeat(200);
    let mut sent = 0;
    let until = Instant::now() + Duration::from_secs(30);
    let health = format!(
        "GET /api/v1/health HTTP/1.1\r\nhost: {}\r\n\r\n",
        server.address
    );
    assert_eq!(greedy.write(request.as_bytes()).unwrap(), request.len());
    let mut read = [0; 1];
    while greedy.read(&mut read).is_err() {
        std::thread::yield_now();
    }
    assert_eq!(exchange(server.address, health.as_bytes()).status, 503);
    // Its place is free again as soon as the server has lost its patience.
    while exchange(server.address, health.as_bytes()).status != 200 {
        // Where the last part ended, so that every request is whole.
        sent += greedy
            .write(&many.as_bytes()[sent % many.len()..])
            .unwrap_or(0);
        assert!(Instant::now() < until, "the place is never free");
        std::thread::sleep(Duration::from_millis(5));
    }
}
