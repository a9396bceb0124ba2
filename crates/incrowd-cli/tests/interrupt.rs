//! Ctrl-C in every phase: exit code 130, soon, and nothing left behind.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{Folder, PATIENTS, ROLES, Run, data};

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
        let started = Instant::now();
        while !is_so() {
            assert!(self.is_running(), "ended too soon");
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "waited in vain"
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn press_ctrl_c(&self) {
        let sent = Command::new("kill")
            .args(["-INT", &self.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
    }

    /// Presses Ctrl-C; the child must end within seconds with 130 and say that nothing was written.
    #[track_caller]
    fn stops(mut self) {
        self.press_ctrl_c();
        let pressed = Instant::now();
        let run = Run::of(self.0.take().unwrap().wait_with_output().unwrap());
        assert!(
            pressed.elapsed() < Duration::from_secs(10),
            "took too long to stop"
        );
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

#[test]
fn while_searching() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("out")).unwrap();
    // Distances do not survive merging, so nothing can be skipped in millions of nodes.
    let columns = "age,workclass,education,education-num,marital-status,occupation,relationship,race,sex,hours-per-week,native-country";
    let arguments = format!(
        "anonymize {} -q {columns} -s salary-class --others drop --hierarchies {} --hierarchy education-num=order --hierarchy hours-per-week=interval:2,4,8,16,32 -t 0.01 --max-suppressed 30% -o out/safe.csv --certificate out/proof.json",
        data("adult/adult.csv"),
        data("adult/hierarchies"),
    );
    let mut running = Running::start(&folder, &arguments);
    running.until(|| bytes_written(&folder.path("out")).is_some());
    // Counting this table takes well under this.
    std::thread::sleep(Duration::from_secs(4));
    assert!(
        running.is_running(),
        "the search was over too soon to be stopped"
    );
    running.stops();
    assert_eq!(folder.list("out"), [""; 0]);
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
    let mut running = Running::start(&folder, "anonymize big.csv -q a,b,c -k 3 -o pipe.csv");
    // Opening waits for the writer; then nobody reads, and the pipe fills up.
    let _pipe = std::fs::File::open(folder.path("pipe.csv")).unwrap();
    std::thread::sleep(Duration::from_secs(8));
    assert!(running.is_running());
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
    running.press_ctrl_c();
    // Signals that come together are one.
    std::thread::sleep(Duration::from_millis(300));
    assert!(running.is_running());
    running.press_ctrl_c();
    let pressed = Instant::now();
    let code = running.0.as_mut().unwrap().wait().unwrap().code();
    assert_eq!(code, Some(130));
    assert!(pressed.elapsed() < Duration::from_secs(1));
}

/// Large enough that every phase takes a while.
fn big_table() -> String {
    let mut text = String::from("a,b,c\n");
    for row in 0..1_500_000u32 {
        text.push_str(&format!("{},{},{}\n", row % 90, row % 7, row % 1000));
    }
    text
}
