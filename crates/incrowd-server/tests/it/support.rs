//! A server in this process, and the smallest client that can talk to it.

use incrowd_server::{Limits, Role, Server, Settings, Stopper};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../data")
        .join(name)
}

/// A response.
#[derive(Debug, Clone)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&self.body)))
    }

    /// The JSON of a success.
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert!(
            (200..300).contains(&self.status),
            "{}: {}",
            self.status,
            self.json()
        );
        self.json()
    }

    /// The status and code of a failure.
    #[track_caller]
    pub(crate) fn failure(self) -> (u16, String) {
        let json = self.json();
        for field in ["code", "message", "hint"] {
            assert!(
                json[field].as_str().is_some_and(|text| !text.is_empty()),
                "{json}"
            );
        }
        (self.status, json["code"].as_str().unwrap().to_owned())
    }
}

/// Sends bytes as they are and reads one response.
pub(crate) fn exchange(address: SocketAddr, bytes: &[u8]) -> Response {
    let mut stream = TcpStream::connect(address).unwrap();
    // A server that refuses early may close before everything is sent.
    let _ = stream.write_all(bytes);
    read_response(&mut stream)
}

/// Reads until the server closes or everything announced is there.
pub(crate) fn read_response(stream: &mut TcpStream) -> Response {
    let mut bytes = Vec::new();
    let mut part = [0; 64 << 10];
    loop {
        let head_end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        if let Some(end) = head_end {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let mut lines = head.lines();
            let status = lines
                .next()
                .unwrap()
                .split(' ')
                .nth(1)
                .unwrap()
                .parse()
                .unwrap();
            let headers: Vec<(String, String)> = lines
                .map(|line| line.split_once(':').unwrap())
                .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
                .collect();
            let length = headers.iter().find(|(name, _)| name == "content-length");
            let length: usize = length.map_or(0, |(_, length)| length.parse().unwrap());
            if bytes.len() >= end + 4 + length {
                let body = bytes[end + 4..end + 4 + length].to_vec();
                return Response {
                    status,
                    headers,
                    body,
                };
            }
        }
        let read = stream.read(&mut part).unwrap_or(0);
        assert!(
            read > 0,
            "the connection ended: {}",
            String::from_utf8_lossy(&bytes)
        );
        bytes.extend_from_slice(&part[..read]);
    }
}

/// Talks to a server with its tokens.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    pub(crate) curator: String,
    pub(crate) analyst: String,
}

impl Client {
    pub(crate) fn token(&self, role: Role) -> &str {
        match role {
            Role::Curator => &self.curator,
            Role::Analyst => &self.analyst,
        }
    }

    /// A request with these headers, written by hand.
    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        token: Option<&str>,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Response {
        let mut text = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            text += &format!("host: {}\r\n", self.address);
        }
        if let Some(token) = token {
            text += &format!("authorization: Bearer {token}\r\n");
        }
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            text += &format!("content-length: {}\r\n", body.len());
        }
        let mut bytes = (text + "\r\n").into_bytes();
        bytes.extend_from_slice(body);
        exchange(self.address, &bytes)
    }

    /// A request to the API with a JSON body, if there is one.
    pub(crate) fn ask(
        &self,
        role: Role,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> Response {
        let path = format!("/api/v1{path}");
        let token = Some(self.token(role));
        match body {
            None => self.send(method, &path, token, &[], b""),
            Some(body) => {
                let headers = [("content-type", "application/json")];
                self.send(method, &path, token, &headers, body.to_string().as_bytes())
            }
        }
    }

    pub(crate) fn get(&self, role: Role, path: &str) -> Response {
        self.ask(role, "GET", path, None)
    }

    pub(crate) fn post(&self, role: Role, path: &str, body: &Value) -> Response {
        self.ask(role, "POST", path, Some(body))
    }

    /// Waits for the end of a job, by asking for changes.
    #[track_caller]
    pub(crate) fn finish(&self, job: &Value) -> Value {
        let id = job["id"].as_u64().expect("a job");
        loop {
            let revision = self.get(Role::Curator, "/session").ok()["revision"].clone();
            let job = self.get(Role::Curator, &format!("/jobs/{id}")).ok();
            if !matches!(job["state"].as_str(), Some("queued" | "running")) {
                return job;
            }
            self.get(Role::Curator, &format!("/changes?after={revision}"))
                .ok();
        }
    }

    /// Waits until nothing is left to do.
    pub(crate) fn settle(&self) {
        loop {
            let revision = self.get(Role::Curator, "/session").ok()["revision"].clone();
            let jobs = self.get(Role::Curator, "/jobs").ok();
            let is_over =
                |job: &Value| !matches!(job["state"].as_str(), Some("queued" | "running"));
            if jobs["jobs"].as_array().unwrap().iter().all(is_over) {
                return;
            }
            self.get(Role::Curator, &format!("/changes?after={revision}"))
                .ok();
        }
    }

    /// Gives Adult the six columns of the paper and waits until it is counted.
    pub(crate) fn count_adult(&self, columns: &[&str]) {
        self.settle();
        let state = self.get(Role::Curator, "/state").ok();
        let mut roles = serde_json::Map::new();
        for column in state["table"]["columns"].as_array().unwrap() {
            let name = column["name"].as_str().unwrap();
            let role = match name {
                _ if columns.contains(&name) => "quasi-identifying",
                "hours-per-week" => "sensitive",
                _ => "drop",
            };
            roles.insert(name.to_owned(), json!(role));
        }
        let body = json!({ "roles": roles, "order": columns });
        let job = self.ask(Role::Curator, "PUT", "/roles", Some(&body)).ok();
        assert_eq!(self.finish(&job)["state"], "done");
    }
}

/// A server that ends with the test.
pub(crate) struct Running {
    pub(crate) client: Client,
    pub(crate) folder: PathBuf,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
    _kept: Option<tempfile::TempDir>,
}

impl std::ops::Deref for Running {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

pub(crate) fn start_with(settings: Settings) -> Running {
    let folder = settings.data_folder.clone();
    let server = Server::open(&Settings {
        port: 0,
        ..settings
    })
    .unwrap();
    let client = Client {
        address: server.address(),
        curator: server.token(Role::Curator).to_owned(),
        analyst: server.token(Role::Analyst).to_owned(),
    };
    let stopper = server.stopper();
    Running {
        client,
        folder,
        stopper,
        thread: Some(std::thread::spawn(move || server.run().unwrap())),
        _kept: None,
    }
}

/// A server with a table, in a folder of its own.
pub(crate) fn start(data: Option<PathBuf>) -> Running {
    start_limited(data, Limits::default())
}

pub(crate) fn start_limited(data: Option<PathBuf>, limits: Limits) -> Running {
    let folder = tempfile::tempdir().unwrap();
    let mut running = start_with(Settings {
        data,
        limits,
        ..Settings::new(folder.path().join("kept"))
    });
    running._kept = Some(folder);
    running
}

/// A server with a table of some dozen rows, counted.
pub(crate) fn start_small() -> Running {
    start_small_limited(Limits::default())
}

pub(crate) fn start_small_limited(limits: Limits) -> Running {
    let running = start_limited(None, limits);
    running.settle();
    let mut text = String::from("name,age,zip,disease\n");
    for at in 0..60 {
        let disease = ["asthma", "flu", "diabetes", "cold"][at % 4];
        text += &format!("P{at},{},{},{disease}\n", 20 + at % 30, 45000 + at % 7);
    }
    upload(&running, "patients.csv", text.as_bytes());
    let roles = json!({ "roles": { "name": "identifying", "age": "quasi-identifying",
        "zip": "quasi-identifying", "disease": "sensitive" } });
    let job = running
        .ask(Role::Curator, "PUT", "/roles", Some(&roles))
        .ok();
    let done = running.finish(&job);
    assert_eq!(done["state"], "done", "{done}");
    running
}

#[track_caller]
pub(crate) fn upload(client: &Client, name: &str, bytes: &[u8]) -> Value {
    let headers = [("content-type", "text/csv"), ("x-file-name", name)];
    let response = client.send(
        "PUT",
        "/api/v1/table",
        Some(&client.curator),
        &headers,
        bytes,
    );
    client.finish(&response.ok())
}

pub(crate) fn wish() -> Value {
    json!({ "model": "k-anonymity", "parameter": 3, "max_suppressed": "20%" })
}
