//! A PostgreSQL server of the tests' own, in a temporary folder, reached by a socket only.

use super::engine::{Engine, Rows, quoted};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A running server. It ends with the process that started it.
pub(super) struct Server {
    folder: PathBuf,
    programs: PathBuf,
    port: u16,
    /// What starts it once more.
    start: String,
    /// Ends the server and removes its folder when its standard input ends, and so when this process does.
    guard: Child,
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}

/// The server that most tests share, each with a database of its own.
static SHARED: OnceLock<Server> = OnceLock::new();
static DATABASES: AtomicU32 = AtomicU32::new(0);

/// Where Debian and others install the programs of the server.
fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten();
    let mut found: Vec<PathBuf> = versions
        .flatten()
        .map(|entry| entry.path().join("bin"))
        .filter(|folder| folder.join("initdb").exists())
        .collect();
    found.sort();
    found.pop().unwrap_or_default()
}

impl Server {
    pub(super) fn start() -> Server {
        Server::start_on(5432, "true", "-c listen_addresses=")
    }

    /// Runs a command in the folder before the server starts, which gets some more settings and listens at this port.
    pub(super) fn start_on(port: u16, before: &str, settings: &str) -> Server {
        let folder = tempfile::Builder::new()
            .prefix("incrowd-pg")
            .tempdir()
            .unwrap()
            .keep();
        let programs = programs();
        let server = |name: &str| match programs.as_os_str().is_empty() {
            true => name.to_owned(),
            false => programs.join(name).display().to_string(),
        };
        let path = folder.display();
        // The server refuses to run as root.
        let (owner, user) = match nix::unistd::Uid::effective().is_root() {
            true => ("chown postgres", "runuser -u postgres --"),
            false => ("true", ""),
        };
        let start = format!(
            "cd {path}; {user} {postgres} -D {path}/data -k {path} {settings} -c fsync=off -c autovacuum=off \
             >>{path}/server.log 2>&1",
            postgres = server("postgres"),
        );
        let script = format!(
            "set -e; trap 'cd /; rm -rf {path}' EXIT; {owner} {path}; cd {path}; {user} sh -c '{before}'; {user} {initdb} --no-sync -D {path}/data -A trust -U postgres -E UTF8 \
             --locale=C.UTF-8 >{path}/initdb.log 2>&1; \
             {start} & read nothing || true; cd /; kill -INT $(head -1 {path}/data/postmaster.pid 2>/dev/null) 2>/dev/null || true; \
             wait; for second in $(seq 20); do test -e {path}/data/postmaster.pid || break; sleep 1; done",
            initdb = server("initdb"),
        );
        let guard = Command::new("sh")
            .args(["-c", &script])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let server = Server {
            folder,
            programs,
            port,
            start,
            guard,
        };
        server.until_it_answers();
        server
    }

    fn until_it_answers(&self) {
        let server = self;
        let mut tries = 0;
        while !server
            .sql("postgres", "SELECT 1")
            .is_ok_and(|it| it == "1\n")
        {
            std::thread::sleep(Duration::from_millis(50));
            tries += 1;
            let log = server.folder.join("initdb.log");
            assert!(
                tries < 1200,
                "PostgreSQL does not start; `make test` installs it: {}",
                std::fs::read_to_string(log).unwrap_or_default()
            );
        }
    }

    /// Starts it again after a crash. It ends with the process that started it first.
    pub(super) fn restart(&self) {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("({}) &", self.start)]);
        shell.stdin(Stdio::null());
        assert!(shell.status().unwrap().success());
        self.until_it_answers();
    }

    /// A server that listens at a port of this machine, too.
    pub(super) fn start_at_a_port() -> Server {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let settings = format!("-c listen_addresses=127.0.0.1 -c port={port}");
        Server::start_on(port, "true", &settings)
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Stops it at once, as a crash would.
    pub(super) fn crash(&self) {
        let data = self.folder.join("data");
        let first_line = std::fs::read_to_string(data.join("postmaster.pid")).unwrap();
        let pid: i32 = first_line.lines().next().unwrap().parse().unwrap();
        let pid = nix::unistd::Pid::from_raw(pid);
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGQUIT).unwrap();
        while data.join("postmaster.pid").exists() {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// What `psql` prints for some SQL, or what it complains about.
    pub(super) fn sql(&self, database: &str, sql: &str) -> Result<String, String> {
        let psql = match self.programs.as_os_str().is_empty() {
            true => PathBuf::from("psql"),
            false => self.programs.join("psql"),
        };
        let output = Command::new(psql)
            .args([
                "-X",
                "-q",
                "-A",
                "-t",
                "-v",
                "ON_ERROR_STOP=1",
                "-U",
                "postgres",
            ])
            .arg("-h")
            .arg(&self.folder)
            .args(["-p", &self.port.to_string(), "-d", database, "-c", sql])
            .output()
            .map_err(|error| error.to_string())?;
        match output.status.success() {
            true => Ok(String::from_utf8(output.stdout).unwrap()),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    }
}

/// A database of one test.
pub(super) struct Database {
    server: &'static Server,
    name: String,
}

impl Database {
    pub(super) fn new() -> Database {
        Database::on(SHARED.get_or_init(Server::start))
    }

    pub(super) fn on(server: &'static Server) -> Database {
        let number = DATABASES.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{number}");
        server
            .sql("postgres", &format!("CREATE DATABASE {name}"))
            .unwrap();
        Database { server, name }
    }

    #[track_caller]
    pub(super) fn sql(&self, sql: &str) -> String {
        self.server.sql(&self.name, sql).unwrap()
    }

    /// The same, for what may fail.
    pub(super) fn attempt(&self, sql: &str) -> Result<String, String> {
        self.server.sql(&self.name, sql)
    }

    /// The address of a table over a port of this machine.
    pub(super) fn table_at(&self, user: &str, port: u16, table: &str) -> String {
        format!(
            "postgres://{user}@127.0.0.1:{port}/{}?sslmode=disable&table={table}",
            self.name
        )
    }

    pub(super) fn table_as(&self, user: &str, table: &str) -> String {
        let folder = self.server.folder().display();
        format!(
            "postgres://{user}@/{}?host={folder}&port={}&table={table}",
            self.name, self.server.port
        )
    }
}

impl Engine for Database {
    fn name(&self) -> &'static str {
        "PostgreSQL"
    }

    fn run(&self, sql: &str) {
        self.sql(sql);
    }

    fn table(&self, table: &str) -> String {
        self.table_as("postgres", table)
    }

    fn load(&self, table: &str, columns: &[(&str, &str)], csv: &Path) {
        let columns = columns
            .iter()
            .map(|(name, kind)| format!("{} {kind}", quoted(name)));
        let columns = columns.collect::<Vec<_>>().join(", ");
        let table = quoted(table);
        self.sql(&format!("CREATE TABLE {table} ({columns})"));
        self.sql(&format!(
            "\\copy {table} FROM '{}' CSV HEADER",
            csv.display()
        ));
    }

    fn rows(&self, table: &str) -> Rows {
        let quoted_table = quoted(table).replace('\'', "''");
        let kinds = self.sql(&format!(
            "SELECT encode(convert_to(a.attname, 'UTF8'), 'hex'), format_type(a.atttypid, NULL) FROM pg_attribute a \
             WHERE a.attrelid = '{quoted_table}'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
        ));
        let columns: Vec<(String, &str)> = kinds
            .lines()
            .map(|line| {
                let (name, kind) = line.split_once('|').unwrap();
                let bytes = (0..name.len() / 2)
                    .map(|at| u8::from_str_radix(&name[2 * at..][..2], 16).unwrap());
                (String::from_utf8(bytes.collect()).unwrap(), kind)
            })
            .collect();
        let cells = columns.iter().map(|(name, kind)| {
            let name = quoted(name);
            match *kind {
                "boolean" => {
                    format!("CASE WHEN {name} THEN 'true' WHEN NOT {name} THEN 'false' END")
                }
                // Whole numbers have a point here and none there.
                "double precision" => {
                    format!("CASE {name}::text WHEN '-0' THEN '-0.0' WHEN '0' THEN '0.0' ELSE {name}::text END")
                }
                "timestamp without time zone" => {
                    format!("to_char({name}, 'YYYY-MM-DD\"T\"HH24:MI:SS')")
                }
                _ => format!("{name}::text"),
            }
        });
        let cells = cells.collect::<Vec<_>>().join(", ");
        let text = self.sql(&format!(
            "COPY (SELECT {cells} FROM {}) TO STDOUT (FORMAT csv)",
            quoted(table)
        ));
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(text.as_bytes());
        let rows = reader
            .records()
            .map(|row| row.unwrap().iter().map(str::to_owned).collect());
        let mut rows: Vec<Vec<String>> = rows.collect();
        rows.sort();
        (columns.into_iter().map(|(name, _)| name).collect(), rows)
    }

    fn relations(&self) -> String {
        self.sql(
            "SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace \
             WHERE nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND relkind IN ('r', 'v', 'p') \
             ORDER BY 1",
        )
    }
}

#[test]
fn a_server_that_ends_leaves_no_folder() {
    let server = Server::start();
    let folder = server.folder().to_owned();
    // It ends with the process that has started it first, whoever has started it again.
    server.crash();
    server.restart();
    assert!(folder.join("data").exists());
    drop(server);
    assert!(!folder.exists());
}
