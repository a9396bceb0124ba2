//! Nothing is written but through the guard that knows what is read.

use std::path::{Path, PathBuf};

/// Ways to write a file that know nothing of what is read; `Claims::default` knows of no file, so only
/// `files::claims`, which begins with all inputs of a job, may call it.
const UNGUARDED: [&str; 8] = [
    "fs::write",
    "File::create",
    "OpenOptions",
    "File::options",
    "fs::rename",
    "fs::copy",
    "hard_link",
    "Claims::default",
];

/// Files that may, and why.
const EXCEPTIONS: [(&str, &str); 4] = [
    ("incrowd-job/src/run/files.rs", "Claims::default"),
    // Asks the operating system to forget the peak of memory.
    ("incrowd-job/src/run/memory.rs", "fs::write"),
    // A link for the browser, in the data folder of the server, which nothing else writes to.
    ("incrowd-cli/src/commands/serve.rs", "OpenOptions"),
    ("incrowd-cli/src/commands/serve.rs", "File::options"),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push(path),
        }
    }
}

/// Whether a line calls this; `ReleaseFile::create` is not `File::create`.
fn uses(line: &str, way: &str) -> bool {
    line.match_indices(way)
        .any(|(at, _)| !line[..at].ends_with(char::is_alphanumeric))
}

#[test]
fn jobs_and_commands_write_only_what_is_claimed() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = Vec::new();
    sources(&crates.join("incrowd-job/src"), &mut paths);
    sources(&crates.join("incrowd-cli/src"), &mut paths);
    assert!(paths.len() > 50);
    for path in paths {
        let name = path
            .strip_prefix(&crates)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        let is_test = name
            .split('/')
            .any(|part| part == "tests" || part == "tests.rs");
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for way in UNGUARDED {
            let is_excepted = EXCEPTIONS
                .iter()
                .any(|&(file, excepted)| name == file && way == excepted);
            let is_used = (code.lines())
                .filter(|line| !line.trim_start().starts_with("//"))
                .any(|line| uses(line, way));
            assert!(
                is_test || is_excepted || !is_used,
                "{name} uses `{way}`: write with `files::claims(job)`"
            );
        }
    }
}
