//! What was measured: printed as it comes, and kept with everything needed to doubt or repeat it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Cases, each with its figures.
#[derive(Default)]
pub(crate) struct Figures(Vec<(String, Vec<(String, f64)>)>);

impl Figures {
    #[expect(
        clippy::print_stdout,
        reason = "it is a program that prints what it measures"
    )]
    pub(crate) fn add(&mut self, case: &str, figures: &[(&str, f64)]) {
        let shown = figures
            .iter()
            .map(|(name, value)| format!("{name} {}", short(*value)));
        println!("{case}: {}", shown.collect::<Vec<_>>().join(", "));
        let figures = figures
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value));
        self.0.push((case.to_owned(), figures.collect()));
    }
}

fn short(value: f64) -> String {
    match value.fract() == 0.0 || value >= 1000.0 {
        true => format!("{value:.0}"),
        false => format!("{value:.3}"),
    }
}

/// The folder of a run of this name, which must be new.
pub(crate) fn create(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../benchmarks/runs")
        .join(name);
    std::fs::create_dir(&folder).expect("there is no run of that name yet");
    folder
}

/// What a file of the system says after a name.
fn said(path: &str, name: &str) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(name));
    let value = line.and_then(|line| line.split_once(':'));
    value.map_or(String::new(), |(_, value)| value.trim().to_owned())
}

fn first_line(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_default();
    text.lines().next().unwrap_or_default().to_owned()
}

/// Writes everything about a run, in the files that all recorded runs have.
pub(crate) fn write(folder: &Path, figures: &Figures) {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = format!(
        "cargo run --release -p incrowd-server --no-default-features --example load -- {}",
        arguments.join(" ")
    );
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: Vec<&str> = load.split(' ').take(3).collect();
    let machine = format!(
        "model: {}\ncores: {cores}\nmemory: {}\nsystem: {} {}\nload: {} (over 1, 5 and 15 minutes at the end)\n",
        said("/proc/cpuinfo", "model name"),
        said("/proc/meminfo", "MemTotal"),
        std::env::consts::OS,
        std::env::consts::ARCH,
        load.join(" ")
    );
    let versions = format!(
        "recorded: {}\nincrowd: {} (commit {})\nrustc: {}\n",
        first_line("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"]),
        env!("CARGO_PKG_VERSION"),
        first_line("git", &["rev-parse", "--short=12", "HEAD"]),
        first_line("rustc", &["--version"])
    );
    let mut raw = String::from("benchmark,case,subject,measure,repetition,value\n");
    let mut summary = format!(
        "# Benchmark run {}\n\n`{command}`\n\n{}\n{}\n\
         `POST /negotiate` over loopback, Adult, six quasi-identifiers; every client waits for its answer before it asks\n\
         again; the server is a process of its own and shares the cores with the clients. No two new wishes are alike. The bar: 5000\n\
         requests per second, 99th percentile under 5 ms, memory steady.\n",
        folder.file_name().unwrap_or_default().to_string_lossy(),
        machine.replace('\n', "  \n"),
        versions.replace('\n', "  \n"),
    );
    let mut header: Vec<&String> = Vec::new();
    for (case, figures) in &figures.0 {
        let names: Vec<&String> = figures.iter().map(|(name, _)| name).collect();
        if names != header {
            let dashes = " --: |".repeat(names.len());
            let titles: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            let _ = write!(
                summary,
                "\n| case | {} |\n| --- |{dashes}\n",
                titles.join(" | ")
            );
            header = names;
        }
        let values: Vec<String> = figures.iter().map(|(_, value)| short(*value)).collect();
        let _ = writeln!(summary, "| {case} | {} |", values.join(" | "));
        for (name, value) in figures {
            let _ = writeln!(
                raw,
                "workbench,\"{case}\",incrowd,{name},1,{}",
                short(*value)
            );
        }
    }
    let files = [
        ("command", command + "\n"),
        ("machine", machine),
        ("versions", versions),
        ("raw.csv", raw),
        ("summary.md", summary),
    ];
    for (name, text) in files {
        std::fs::write(folder.join(name), text).expect("the folder can be written to");
    }
}
