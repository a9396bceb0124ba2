//! Ctrl-C in every phase: the best found so far, or exit code 130, and nothing left behind.
//!
//! Tests wait for what the program does, never for a time: a file that appears, a line on a terminal, a byte in a pipe.
//! That it stops is seen by waiting for its end, as every run here would go on for ever, or for very long, by itself.
#![cfg(unix)]

use crate::support::{Folder, PATIENTS, ROLES, Run, data};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How often a test looks whether something has happened.
const GLANCE: Duration = Duration::from_millis(2);

/// A child that is ended with the test, whatever happens in it.
struct Running(Option<Child>);

impl Running {
    fn start(folder: &Folder, arguments: &str) -> Self {
        let child = folder
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Running(Some(child))
    }

    fn id(&self) -> u32 {
        self.0.as_ref().unwrap().id()
    }

    fn is_running(&mut self) -> bool {
        self.0.as_mut().unwrap().try_wait().unwrap().is_none()
    }

    /// Waits until something is so; fails the test if the child ends before.
    #[track_caller]
    fn until(&mut self, is_so: impl Fn() -> bool) {
        while !is_so() {
            assert!(self.is_running(), "ended too soon");
            std::thread::sleep(GLANCE);
        }
    }

    fn press_ctrl_c(&self) {
        self.signal(Signal::SIGINT);
    }

    fn signal(&self, signal: Signal) {
        let child = Pid::from_raw(self.id().try_into().unwrap());
        kill(child, signal).unwrap();
    }

    /// Presses Ctrl-C; the child must end with 130 and say that nothing was written.
    #[track_caller]
    fn stops(mut self) {
        self.press_ctrl_c();
        let run = Run::of(self.0.take().unwrap().wait_with_output().unwrap());
        let run = run.ends_with(130);
        assert_eq!(run.stdout, "");
        assert!(run.stderr.starts_with("error: stopped"), "{}", run.stderr);
        assert!(
            run.stderr.contains("hint: nothing was written"),
            "{}",
            run.stderr
        );
    }
}

/// Whether a program has begun to listen to Ctrl-C, which would end it without a word before.
fn catches_ctrl_c(id: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|it| it.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
    caught.is_some_and(|caught| caught & (1 << (Signal::SIGINT as u32 - 1)) != 0)
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn folder_with_pipe(name: &str) -> Folder {
    let folder = Folder::with("patients.csv", PATIENTS);
    std::fs::create_dir(folder.path("out")).unwrap();
    let made = Command::new("mkfifo")
        .arg(folder.path(name))
        .status()
        .unwrap();
    assert!(made.success());
    folder
}

/// Bytes in the temporary file of the release; none before it is there.
fn bytes_written(folder: &Path) -> Option<u64> {
    let mut files = std::fs::read_dir(folder).unwrap();
    let part = files.find_map(|file| {
        let file = file.ok()?;
        let name = file.file_name().into_string().ok()?;
        name.ends_with(".part").then_some(file)
    })?;
    Some(part.metadata().ok()?.len())
}

#[test]
fn while_waiting_for_a_pipe_that_says_nothing() {
    let folder = folder_with_pipe("pipe.csv");
    let running = Running::start(
        &folder,
        &format!("anonymize pipe.csv {ROLES} -k 3 -o out/safe.csv"),
    );
    // Opening waits for the reader, so from here on it reads.
    let mut pipe = std::fs::File::options()
        .write(true)
        .open(folder.path("pipe.csv"))
        .unwrap();
    pipe.write_all(PATIENTS.as_bytes()).unwrap();
    running.stops();
    assert_eq!(folder.list("out"), [""; 0]);
}

#[test]
fn while_counting() {
    let folder = Folder::with("big.csv", big_table());
    std::fs::create_dir(folder.path("out")).unwrap();
    let mut running = Running::start(
        &folder,
        "anonymize big.csv -q a,b,c -k 3 --threads 2 -o out/safe.csv",
    );
    running.until(|| bytes_written(&folder.path("out")).is_some());
    running.stops();
    assert_eq!(folder.list("out"), [""; 0]);
}

/// A search that takes very long: distances do not survive merging, so nothing can be skipped in millions of nodes.
fn endless_search(output: &str) -> String {
    let columns = "age,workclass,education,education-num,marital-status,occupation,relationship,race,sex,hours-per-week,native-country";
    format!(
        "anonymize {} -q {columns} -s salary-class --others drop --hierarchies {} --hierarchy education-num=order --hierarchy hours-per-week=interval:2,4,8,16,32 -t 0.3 --max-suppressed 30% --work-limit none {output}",
        data("adult/adult.csv"),
        data("adult/hierarchies"),
    )
}

/// What a child shows on a terminal, read as it comes.
struct Terminal {
    shown: std::fs::File,
    text: String,
}

impl Terminal {
    /// A terminal, and its other end for the child.
    fn new() -> (Self, Stdio) {
        let pair = nix::pty::openpty(None, None).unwrap();
        let terminal = Terminal {
            shown: pair.master.into(),
            text: String::new(),
        };
        (terminal, pair.slave.into())
    }

    /// Reads until something is shown.
    #[track_caller]
    fn wait_for(&mut self, shown: &str) {
        let mut buffer = [0; 4096];
        while !self.text.contains(shown) {
            let count = self.shown.read(&mut buffer).unwrap_or(0);
            assert!(count > 0, "ended without {shown:?}: {}", self.text);
            self.text += &String::from_utf8_lossy(&buffer[..count]);
        }
    }
}

#[test]
fn while_searching_the_first_asks_for_the_best_so_far() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("out")).unwrap();
    let arguments = endless_search("-o out/safe.csv --certificate out/proof.json --json");
    let (mut terminal, stderr) = Terminal::new();
    let child = folder
        .command(&arguments)
        .stdout(Stdio::piped())
        .stderr(stderr)
        .spawn()
        .unwrap();
    let running = Running(Some(child));
    // A search that takes its time shows how far it is.
    for shown in ["searching", "best ", "bound ", "gap "] {
        terminal.wait_for(shown);
    }
    running.press_ctrl_c();
    terminal.wait_for("using the best result so far");
    let mut running = running;
    let output = running.0.take().unwrap().wait_with_output().unwrap();
    let outcome = Run::of(output).ends_with(0).json();
    assert_eq!(outcome["guarantee"], "bounded");
    assert_eq!(outcome["stopped"]["by"], "user");
    assert_eq!(outcome["privacy"][0]["holds"], true);
    let notes = outcome["notes"].as_array().unwrap();
    let says_so =
        |note: &serde_json::Value| note.as_str().unwrap().contains("you stopped the search");
    assert!(notes.iter().any(says_so), "{notes:?}");
    assert_eq!(
        folder.list("out"),
        ["proof.json", "proof.txt", "safe.csv"],
        "nothing else is left"
    );
    let verified = "verify out/safe.csv -q age -s salary-class -t 0.3 --json";
    folder.run(verified).ends_with(0);
}

#[test]
fn while_searching_the_second_stops() {
    let folder = folder_with_pipe("pipe.csv");
    let (mut terminal, stderr) = Terminal::new();
    let child = folder
        .command(&endless_search("-o pipe.csv"))
        .stdout(Stdio::piped())
        .stderr(stderr)
        .spawn()
        .unwrap();
    let mut running = Running(Some(child));
    // Nobody reads, so that what was found waits to be written when Ctrl-C is pressed again.
    let _pipe = std::fs::File::open(folder.path("pipe.csv")).unwrap();
    terminal.wait_for("searching");
    running.press_ctrl_c();
    terminal.wait_for("using the best result so far");
    running.press_ctrl_c();
    terminal.wait_for("error: stopped");
    let run = Run::of(running.0.take().unwrap().wait_with_output().unwrap());
    assert_eq!(run.ends_with(130).stdout, "");
}

#[test]
fn a_comparison_that_is_asked_for_its_best_writes_its_page_and_a_stopped_one_leaves_nothing() {
    let compare = endless_search("-k 5 --time-limit 1h --report out/page.html --json");
    let compare = compare.replacen("anonymize", "compare", 1);
    let folder = Folder::new();
    std::fs::create_dir(folder.path("out")).unwrap();
    let (mut terminal, stderr) = Terminal::new();
    let child = folder
        .command(&compare)
        .stdout(Stdio::piped())
        .stderr(stderr)
        .spawn()
        .unwrap();
    let mut running = Running(Some(child));
    for shown in ["searching", "best "] {
        terminal.wait_for(shown);
    }
    running.press_ctrl_c();
    let output = running.0.take().unwrap().wait_with_output().unwrap();
    let comparison = Run::of(output).ends_with(0).json();
    assert_eq!(comparison["runs"][0]["reached"]["stopped"]["by"], "user");
    // Nor is anything tried for the plots of the page.
    assert_eq!(folder.list("out"), ["page.html"]);
    let page = folder.read("out/page.html");
    assert!(page.contains("you stopped the search") && page.contains("for any of the strengths"));

    std::fs::remove_file(folder.path("out/page.html")).unwrap();
    let mut running = Running::start(&folder, &compare);
    running.until(|| !folder.list("out").is_empty());
    running.signal(Signal::SIGTERM);
    let output = running.0.take().unwrap().wait_with_output().unwrap();
    Run::of(output).ends_with(130);
    assert_eq!(folder.list("out"), [""; 0]);
}

#[test]
fn being_terminated_stops_whatever_the_phase() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("out")).unwrap();
    let (mut terminal, stderr) = Terminal::new();
    let child = folder
        .command(&endless_search("-o out/safe.csv"))
        .stdout(Stdio::piped())
        .stderr(stderr)
        .spawn()
        .unwrap();
    let mut running = Running(Some(child));
    terminal.wait_for("searching");
    running.signal(Signal::SIGTERM);
    terminal.wait_for("nothing was written");
    let run = Run::of(running.0.take().unwrap().wait_with_output().unwrap());
    assert_eq!(run.ends_with(130).stdout, "");
    assert_eq!(folder.list("out"), [""; 0]);
}

#[test]
fn what_a_killed_run_leaves_the_next_one_removes_and_nothing_else() {
    // The levels of a column come through a pipe that says nothing: by then the output is begun.
    let folder = folder_with_pipe("zip.csv");
    let waiting = |output: &str| {
        let arguments =
            format!("anonymize patients.csv {ROLES} --hierarchy zip=zip.csv -k 3 -o out/{output}");
        Running::start(&folder, &arguments)
    };
    let mut killed = waiting("one.csv");
    killed.until(|| folder.list("out").len() == 1);
    killed.signal(Signal::SIGKILL);
    killed.0.as_mut().unwrap().wait().unwrap();
    let left = folder.list("out");
    assert!(left.len() == 1 && left[0].ends_with(".part"), "{left:?}");

    let mut alive = waiting("two.csv");
    let is_replaced = || {
        let parts = folder.list("out");
        parts.len() == 1 && parts != left
    };
    alive.until(is_replaced);
    let held = folder.list("out");

    let arguments = format!("anonymize patients.csv {ROLES} -k 3 -o out/safe.csv");
    folder.run(&arguments).ends_with(0);
    assert!(alive.is_running());
    assert_eq!(folder.list("out"), [held[0].as_str(), "safe.csv"]);
}

/// The bytes that a process holds in files of a folder that have no name any more.
#[cfg(target_os = "linux")]
fn bytes_without_name(process: u32, folder: &Path) -> u64 {
    let Ok(files) = std::fs::read_dir(format!("/proc/{process}/fd")) else {
        return 0;
    };
    let nameless = files.filter_map(|file| {
        let file = file.ok()?.path();
        let target = std::fs::read_link(&file).ok()?;
        let is_gone = target.to_string_lossy().ends_with(" (deleted)");
        let is_here = target.starts_with(folder);
        (is_gone && is_here).then(|| std::fs::metadata(file).ok())?
    });
    nameless.map(|metadata| metadata.len()).sum()
}

#[test]
#[cfg(target_os = "linux")]
fn while_combinations_are_in_a_temporary_file() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGKILL] {
        // The rows are counted before the levels of a column are read, and those come through a pipe that says nothing.
        let folder = folder_with_pipe("zip.csv").and("temporary/.keep", "");
        let mut rows = String::from("age,zip\n");
        (0..6000).for_each(|row| rows.push_str(&format!("{},{}\n", row % 60, row / 60)));
        std::fs::write(folder.path("people.csv"), rows).unwrap();
        let mut command = folder.command(
            "anonymize people.csv -q age,zip --hierarchy zip=zip.csv -k 3 -o out/safe.csv \
             --certificate out/safe.json --memory-limit 144k",
        );
        let temporary = std::fs::canonicalize(folder.path("temporary")).unwrap();
        let child = (command.env("TMPDIR", &temporary))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut running = Running(Some(child));
        let id = running.id();
        running.until(|| bytes_without_name(id, &temporary) > 0);
        running.signal(signal);
        let output = running.0.take().unwrap().wait_with_output().unwrap();
        let code = output.status.code();
        assert_eq!(code, (signal != Signal::SIGKILL).then_some(130), "{signal}");
        assert_eq!(folder.list("temporary"), [".keep"], "{signal}");
        assert!(!folder.path("out/safe.csv").exists(), "{signal}");
        assert!(!folder.path("out/safe.json").exists(), "{signal}");
    }
}

#[test]
fn while_writing() {
    for threads in [1, 3] {
        let folder = Folder::with("big.csv", big_table());
        std::fs::create_dir(folder.path("out")).unwrap();
        let arguments =
            format!("anonymize big.csv -q a,b,c -k 3 --threads {threads} -o out/safe.csv");
        let mut running = Running::start(&folder, &arguments);
        running.until(|| bytes_written(&folder.path("out")).is_some_and(|bytes| bytes > 0));
        running.stops();
        assert_eq!(folder.list("out"), [""; 0]);
    }
}

#[test]
fn while_publishing_to_a_reader_that_does_not_read() {
    let folder = folder_with_pipe("pipe.csv");
    let big = folder.path("big.csv");
    std::fs::write(big, big_table()).unwrap();
    let running = Running::start(&folder, "anonymize big.csv -q a,b,c -k 3 -o pipe.csv");
    let mut pipe = std::fs::File::open(folder.path("pipe.csv")).unwrap();
    // It publishes. Nobody reads on, and no pipe has room for all of it, so by itself it never ends.
    pipe.read_exact(&mut [0]).unwrap();
    running.stops();
}

#[test]
fn while_simulating() {
    let folder = Folder::new();
    let mut running = Running::start(
        &folder,
        "simulate --attributes 14 -k 5 --rows 300000 --repeats 10000000",
    );
    let id = running.id();
    running.until(|| catches_ctrl_c(id));
    running.stops();
}

#[test]
fn while_inspecting() {
    let folder = folder_with_pipe("pipe.csv");
    let running = Running::start(&folder, "inspect pipe.csv");
    let _pipe = std::fs::File::options()
        .write(true)
        .open(folder.path("pipe.csv"))
        .unwrap();
    running.stops();
}

#[test]
fn a_second_ctrl_c_ends_at_once() {
    let folder = folder_with_pipe("pipe.csv");
    let mut running = Running::start(&folder, "inspect pipe.csv");
    let _pipe = std::fs::File::options()
        .write(true)
        .open(folder.path("pipe.csv"))
        .unwrap();
    // The first asks it to stop, which it cannot: it waits for the pipe. Signals that come together are one, so more are
    // sent until there was a second.
    while running.is_running() {
        running.press_ctrl_c();
        std::thread::sleep(GLANCE);
    }
    let run = Run::of(running.0.take().unwrap().wait_with_output().unwrap());
    // After the patience that follows a first Ctrl-C it would say that it stopped.
    assert_eq!(run.ends_with(130).stderr, "");
}

/// Large enough that every phase takes a while.
fn big_table() -> String {
    let rows = 0..63_000u32;
    let rows: String = rows
        .map(|row| format!("{},{},{}\n", row % 90, row % 7, row % 1000))
        .collect();
    format!("a,b,c\n{}", rows.repeat(24))
}
