//! Runs the real binary in a folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder that is gone after the test.
pub(crate) struct Folder(tempfile::TempDir);

/// What a run has printed and how it ended.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    /// A folder with a file.
    pub(crate) fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        Self::new().and(name, content)
    }

    /// The same folder with one more file.
    pub(crate) fn and(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(name, content);
        self
    }

    /// Writes a file, or replaces it.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// The names of everything in a folder below, sorted.
    pub(crate) fn list(&self, name: &str) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.path(name))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The command, ready to run here.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(program());
        command.current_dir(self.0.path()).args(words(arguments));
        #[cfg(feature = "duckdb")]
        command.env("INCROWD_DUCKDB_LIBRARY", duckdb_library());
        command
    }

    /// Runs `incrowd` here with these arguments; those with blanks stand in single quotes.
    pub(crate) fn run(&self, arguments: &str) -> Run {
        Run::of(self.command(arguments).output().unwrap())
    }
}

impl Run {
    pub(crate) fn of(output: Output) -> Run {
        Run {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Fails the test unless the run ended with this code.
    #[track_caller]
    pub(crate) fn ends_with(self, code: i32) -> Run {
        assert_eq!(
            self.code, code,
            "stdout:\n{}\nstderr:\n{}",
            self.stdout, self.stderr
        );
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap()
    }
}

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in text.split('\'').enumerate() {
        if at % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// DuckDB, where `make test` installs it.
#[cfg(feature = "duckdb")]
fn duckdb_library() -> PathBuf {
    let modules =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../out/duckdb/node_modules/@duckdb");
    modules.join("node-bindings-linux-x64/libduckdb.so")
}

/// The program under test.
pub(crate) fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_incrowd"))
}

/// The bundled tables.
pub(crate) fn data(path: &str) -> String {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    data.join(path).to_str().unwrap().to_owned()
}

/// Twelve patients; `sex` and `zip` have few values, `name` names them.
pub(crate) const PATIENTS: &str = "\
name,age,sex,zip,disease
Ann,34,f,10115,flu
Bob,36,m,10115,cold
Cid,31,m,10117,flu
Dan,38,m,10117,asthma
Eve,33,f,10119,flu
Fay,39,f,10119,cold
Gil,47,m,20095,flu
Hal,41,m,20095,cold
Ida,44,f,20097,asthma
Jon,49,m,20097,flu
Kim,42,f,20099,cold
Lea,45,f,20099,flu
";

/// Flags that give every column of [`PATIENTS`] a role.
pub(crate) const ROLES: &str = "-q age,sex,zip -s disease --identifying name";

/// Every subcommand that reads a table, as typed with `{table}` for how the table is named; `DATA` and what says how
/// it is written go there. Commands that are not listed read none, which is checked against the help.
pub(crate) const TABLE_COMMANDS: [(&str, &str); 13] = [
    ("inspect", "inspect {table}"),
    ("init", "init {table} -q {q} --folder new --force"),
    (
        "hierarchy build",
        "hierarchy build {table} --column {q} -o new/levels.csv --force",
    ),
    (
        "hierarchy check",
        "hierarchy check levels.csv --data {table} --column {q}",
    ),
    (
        "anonymize",
        "anonymize {table} -q {q} -s {s} --others drop -k 2 -o new/out.csv --certificate new/proof.json --report new/page.html --sample 1 --verbose",
    ),
    (
        "advise",
        "advise {table} -q {q} -s {s} --use any --others drop -k 2 --try 1",
    ),
    ("verify", "verify {table} -q {q} -s {s} -k 2"),
    ("negotiate", "negotiate {table} -q {q} -s {s} -k 2"),
    (
        "study",
        "study {table} -q {q} --parameters 2 --importance --plot new/pictures",
    ),
    (
        "compare",
        "compare {table} -q {q} -s {s} --others drop -k 2 --report new/page.html",
    ),
    (
        "evaluate",
        "evaluate {table} -q {q} --target {s} -k 2 --folds 2 --partitioning 1",
    ),
    (
        "risk",
        "risk {table} -q {q} -s {s} --population-size 1000000 --gate highest<=1",
    ),
    (
        "simulate",
        "simulate {table} -q {q} -k 2 --rows-needed 95% --plot new/pictures",
    ),
];

/// Commands that read no table.
const OTHER_COMMANDS: [&str; 6] = [
    "hierarchy show",
    "explain",
    "completions",
    "man",
    "help",
    // Reads its table while it serves; see `serve.rs` and the tests of the server.
    "serve",
];

/// Fails the test if there is a subcommand that [`TABLE_COMMANDS`] does not know.
pub(crate) fn check_all_commands_are_known() {
    let folder = Folder::new();
    let listed = |arguments: &str| -> Vec<String> {
        let help = folder.run(arguments).ends_with(0).stdout;
        let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
        let names = lines.take_while(|line| line.starts_with("  "));
        let names = names.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
        names
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let mut all = listed("--help");
    all.retain(|name| name != "hierarchy");
    let below = listed("hierarchy --help");
    all.extend(below.iter().map(|name| format!("hierarchy {name}")));
    for name in all {
        let is_known = TABLE_COMMANDS.iter().any(|(known, _)| *known == name)
            || OTHER_COMMANDS.contains(&name.as_str())
            || name == "hierarchy help";
        assert!(is_known, "what does `incrowd {name}` read?");
    }
}

/// The flags in a section of the help of a command.
pub(crate) fn flags(command: &str, is_section: impl Fn(&str) -> bool) -> Vec<String> {
    let help = Folder::new()
        .run(&format!("{command} --help"))
        .ends_with(0)
        .stdout;
    let mut section = String::new();
    let mut found = Vec::new();
    for line in help.lines() {
        if !line.starts_with(' ') && line.ends_with(':') {
            section = line.trim_end_matches(':').to_owned();
        }
        let words = line.trim_start().split([' ', ',']);
        let flag = words.take(3).find(|word| word.starts_with("--"));
        let is_flag = line.starts_with("  ") && line.trim_start().starts_with('-');
        if let Some(flag) = flag.filter(|_| is_flag && is_section(&section)) {
            found.push(flag.to_owned());
        } else if is_flag && is_section(&section) {
            found.push(line.trim_start()[..2].to_owned());
        }
    }
    found
}
