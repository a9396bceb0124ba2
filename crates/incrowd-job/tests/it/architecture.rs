//! The rooms of this crate: what is asked and what came of it know nothing of how it is done.

use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push(path),
        }
    }
}

#[test]
fn only_what_runs_a_job_knows_how_it_is_run() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    sources(&source, &mut paths);
    let mut looked_at = 0;
    for path in paths {
        let file = path.strip_prefix(&source).unwrap().to_str().unwrap();
        if file == "lib.rs" || file.starts_with("run/") {
            continue;
        }
        looked_at += 1;
        let text = std::fs::read_to_string(&path).unwrap();
        let mut code = text.lines().map(str::trim_start);
        let is_right = code.all(|line| line.starts_with("//") || !line.contains("crate::run"));
        assert!(is_right, "{file} uses `run`, which stands above it");
    }
    assert!(looked_at > 10);
}
