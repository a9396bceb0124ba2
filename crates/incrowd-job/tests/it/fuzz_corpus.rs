//! The inputs that fuzzing has found worth keeping, as ordinary tests.
#[path = "../../../../fuzz/laws.rs"]
mod laws;

use std::path::Path;

fn run(target: &str, law: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        law(&std::fs::read(file).unwrap());
    }
}

#[test]
fn csv_is_read_as_the_csv_crate_reads_it_or_refused() {
    run("csv", laws::csv);
}

#[test]
fn hierarchies_survive_being_written_or_are_refused() {
    run("hierarchy", laws::hierarchy);
}

#[test]
fn job_files_are_read_or_refused_with_a_hint() {
    run("job", laws::job);
}
