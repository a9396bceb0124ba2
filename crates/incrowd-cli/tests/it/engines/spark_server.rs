//! A server of Spark Connect, seen by Spark's own client for Python: Sail on one machine, or with workers of its own.

use super::engine::{Engine, Rows};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

/// A running server. It ends with the process that started it.
pub(super) struct Server {
    folder: PathBuf,
    pub(super) name: &'static str,
    pub(super) port: u16,
    talk: Mutex<(Option<ChildStdin>, BufReader<ChildStdout>)>,
    /// Ends the server and removes its folder when its standard input ends, and so when this process does.
    guard: Child,
}

static LOCAL: OnceLock<Server> = OnceLock::new();
static CLUSTER: OnceLock<Server> = OnceLock::new();
static SPARK: OnceLock<Server> = OnceLock::new();
static SESSIONS: AtomicU32 = AtomicU32::new(0);

/// Where `make test` installs Sail, and `make test-spark` Spark.
fn installed(name: &str) -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    workspace
        .canonicalize()
        .unwrap()
        .join("out")
        .join(name)
        .join("bin")
}

impl Server {
    fn start(name: &'static str, command: &[String], environment: &[(&str, &str)]) -> Server {
        let folder = tempfile::Builder::new()
            .prefix("incrowd-sc")
            .tempdir()
            .unwrap()
            .keep();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/engines/spark.py");
        let python = installed("sail").join("python");
        assert!(
            python.exists(),
            "`make test` installs Sail and Spark's client into out/sail"
        );
        let mut guard = Command::new(python)
            .arg(script)
            .arg(&folder)
            .args(command)
            .current_dir(&folder)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut answers = BufReader::new(guard.stdout.take().unwrap());
        let mut line = String::new();
        answers.read_line(&mut line).unwrap();
        let ready: Value = serde_json::from_str(&line).unwrap_or_else(|_| {
            let log = std::fs::read_to_string(folder.join("server.log"));
            panic!("{name} does not start: {}", log.unwrap_or_default())
        });
        Server {
            port: ready["port"].as_u64().unwrap().try_into().unwrap(),
            talk: Mutex::new((guard.stdin.take(), answers)),
            folder,
            name,
            guard,
        }
    }

    /// Sail, with these settings.
    pub(super) fn sail(environment: &[(&str, &str)]) -> Server {
        let program = installed("sail").join("sail").display().to_string();
        let words = ["spark", "server", "--ip", "127.0.0.1", "--port", "{port}"];
        let words = words.map(str::to_owned);
        let command: Vec<String> = [program].into_iter().chain(words).collect();
        Server::start("Sail", &command, environment)
    }

    /// Sail, run by a user who may write nothing where it is.
    pub(super) fn powerless() -> Server {
        let program = installed("sail").join("sail").display().to_string();
        let mut words = vec!["spark", "server", "--ip", "127.0.0.1", "--port", "{port}"];
        words.insert(0, &program);
        if nix::unistd::Uid::effective().is_root() {
            let nobody = ["setpriv", "--reuid=65534", "--clear-groups", "--"];
            words.splice(0..0, nobody);
        }
        let command: Vec<String> = words.into_iter().map(str::to_owned).collect();
        let server = Server::start("Sail", &command, &[]);
        let mut rights = std::fs::metadata(server.folder()).unwrap().permissions();
        std::os::unix::fs::PermissionsExt::set_mode(&mut rights, 0o555);
        std::fs::set_permissions(server.folder(), rights).unwrap();
        server
    }

    fn local() -> &'static Server {
        LOCAL.get_or_init(|| Server::sail(&[]))
    }

    fn cluster() -> &'static Server {
        CLUSTER.get_or_init(|| Server::sail(&[("SAIL_MODE", "local-cluster")]))
    }

    /// Spark, a master and two workers, started by the script that this variable names.
    fn spark(script: &str) -> &'static Server {
        SPARK.get_or_init(|| Server::another_spark(script, &[]))
    }

    /// A cluster of its own, with these settings.
    pub(super) fn another_spark(script: &str, environment: &[(&str, &str)]) -> Server {
        let command = ["sh", script, "{port}"].map(str::to_owned);
        Server::start("Spark", &command, environment)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// What the client answers.
    #[track_caller]
    pub(super) fn ask(&self, request: Value) -> Value {
        let mut talk = self.talk.lock().unwrap_or_else(|it| it.into_inner());
        let (ask, answers) = &mut *talk;
        writeln!(ask.as_mut().unwrap(), "{request}").unwrap();
        let mut line = String::new();
        answers.read_line(&mut line).unwrap();
        drop(talk);
        let mut answer: Value = serde_json::from_str(&line).unwrap();
        assert!(answer["error"].is_null(), "{request}: {}", answer["error"]);
        answer["answer"].take()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let talk = self.talk.get_mut().unwrap_or_else(|it| it.into_inner());
        drop(talk.0.take());
        let _ = self.guard.wait();
    }
}

/// A server before another one, which ends the streams of its answers early.
pub(super) struct EarlyEnd {
    pub(super) port: u16,
    guard: Child,
    answers: Mutex<BufReader<ChildStdout>>,
}

impl EarlyEnd {
    /// After so many parts of an answer; with rows that are numbered, or not, or left out.
    pub(super) fn start(server: u16, parts: usize, kind: &str) -> EarlyEnd {
        EarlyEnd::with(server, parts, kind, &[])
    }

    /// Never early, but encrypted, with a certificate and its key, and for those who have the token `s3cret`.
    pub(super) fn guarded(server: u16, files: [&Path; 2]) -> EarlyEnd {
        EarlyEnd::with(server, 1_000_000, "numbered", &files)
    }

    fn with(server: u16, parts: usize, kind: &str, files: &[&Path]) -> EarlyEnd {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/engines");
        let mut guard = Command::new(installed("sail").join("python"))
            .arg(folder.join("spark_early_end.py"))
            .args([&server.to_string(), &parts.to_string(), kind])
            .args(files)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut answers = BufReader::new(guard.stdout.take().unwrap());
        let mut port = String::new();
        answers.read_line(&mut port).unwrap();
        EarlyEnd {
            port: port.trim().parse().unwrap(),
            guard,
            answers: Mutex::new(answers),
        }
    }

    /// How many streams were taken up again.
    pub(super) fn resumed(&self) -> usize {
        let mut ask = self.guard.stdin.as_ref().unwrap();
        writeln!(ask).unwrap();
        let mut number = String::new();
        self.answers.lock().unwrap().read_line(&mut number).unwrap();
        number.trim().parse().unwrap()
    }
}

impl Drop for EarlyEnd {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}

/// Every server that the tests of all engines run on.
pub(super) fn servers() -> Vec<&'static Server> {
    match std::env::var("INCROWD_TEST_SPARK") {
        Ok(script) => vec![Server::spark(Box::leak(script.into_boxed_str()))],
        Err(_) => vec![Server::local(), Server::cluster()],
    }
}

/// A session, in which all tables of a test are.
pub(super) struct Session {
    pub(super) server: &'static Server,
    pub(super) id: String,
}

impl Session {
    pub(super) fn on(server: &'static Server) -> Session {
        let number = SESSIONS.fetch_add(1, Ordering::Relaxed);
        let id = format!("00000000-0000-4000-8000-{number:012x}");
        Session { server, id }
    }

    #[track_caller]
    fn ask(&self, what: &str, with: Value) -> Value {
        let request = json!({"do": what, "session": self.id, "with": with});
        self.server.ask(request)
    }

    /// The rows of a statement, as texts.
    #[track_caller]
    pub(super) fn sql(&self, sql: &str) -> Vec<Vec<String>> {
        serde_json::from_value(self.ask("sql", json!([sql]))).unwrap()
    }

    /// The files of a table.
    pub(super) fn data_files(&self, table: &str) -> Vec<PathBuf> {
        let names: Vec<String> =
            serde_json::from_value(self.ask("data_files", json!([table]))).unwrap();
        let paths = names.iter().map(|it| it.trim_start_matches("file://"));
        paths.map(PathBuf::from).collect()
    }

    /// The address of a table, by way of another port.
    pub(super) fn table_through(&self, port: u16, table: &str) -> String {
        let id = &self.id;
        format!("sc://127.0.0.1:{port}/;session_id={id};user_id=tests?table={table}")
    }
}

impl Engine for Session {
    fn name(&self) -> &'static str {
        self.server.name
    }

    fn run(&self, sql: &str) {
        self.sql(sql);
    }

    fn load(&self, table: &str, columns: &[(&str, &str)], csv: &Path) {
        self.ask("load", json!([table, columns, csv]));
    }

    fn table(&self, table: &str) -> String {
        self.table_through(self.server.port, table)
    }

    fn rows(&self, table: &str) -> Rows {
        serde_json::from_value(self.ask("rows", json!([table]))).unwrap()
    }

    fn change(&self, table: &str, column: &str, old: &str, new: &str) {
        self.ask("change", json!([table, column, old, new]));
    }

    fn relations(&self) -> String {
        let names: Vec<String> = serde_json::from_value(self.ask("relations", json!([]))).unwrap();
        names.iter().map(|name| format!("{name}\n")).collect()
    }
}

#[test]
fn a_server_that_ends_leaves_no_folder() {
    let server = Server::sail(&[]);
    let folder = server.folder().to_owned();
    assert!(folder.join("server.log").exists());
    drop(server);
    assert!(!folder.exists());
}
