//! The server as a process of its own, and what it uses.

use incrowd_server::{Limits, Role, Server, Settings};
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

pub(crate) struct ServerProcess {
    child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) curator: String,
    pub(crate) analyst: String,
}

impl ServerProcess {
    /// Starts this program once more, as a server with this table.
    pub(crate) fn start(data: &str) -> Self {
        let program = std::env::current_exe().expect("this program");
        let mut child = Command::new(program)
            .args(["serve", data])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut line = || lines.next().expect("a line").expect("a text");
        ServerProcess {
            address: line().parse().expect("an address"),
            curator: line(),
            analyst: line(),
            child,
        }
    }

    /// Seconds of processor time that it has used.
    pub(crate) fn processor(&self) -> f64 {
        processor(&self.child.id().to_string())
    }

    /// Its resident memory in megabytes.
    pub(crate) fn memory(&self) -> f64 {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        kilobytes.unwrap_or(0.0) / 1024.0
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Seconds of processor time that this program has used.
pub(crate) fn own_processor() -> f64 {
    processor("self")
}

fn processor(process: &str) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    let fields = after_name.split(' ').skip(11).take(2);
    let ticks: u64 = fields.filter_map(|field| field.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}

/// As many open files as the system gives.
pub(crate) fn make_room_for_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let asked = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    let _ = setrlimit(Resource::Nofile, asked);
}

/// The server itself: says where it is, and serves until it is killed or nobody holds its input any more.
pub(crate) fn serve() {
    let data = std::env::args().nth(2).map(PathBuf::from);
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::open(&Settings {
        data,
        port: 0,
        limits: Limits {
            // What is measured is how fast it can answer.
            questions: u32::MAX,
            ..Limits::default()
        },
        ..Settings::new(folder.path())
    })
    .expect("a server");
    let tokens = [Role::Curator, Role::Analyst].map(|role| server.token(role).to_owned());
    let text = format!("{}\n{}\n{}\n", server.address(), tokens[0], tokens[1]);
    std::io::stdout().write_all(text.as_bytes()).expect("told");
    let stopper = server.stopper();
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_line(&mut String::new());
        stopper.stop();
    });
    server.run().expect("served");
}
