//! The inner order of the core: a module may use only what stands beside it or left of it.

use std::fs;
use std::path::{Path, PathBuf};

/// From left to right; what stands beside each other is separated by a blank.
const ORDER: &str = "card draw error numbers | chance risk table hierarchy registry | lattice | counts | privacy utility | recode | problem | algorithms | publish | advisor negotiate";

/// The place of a module in the order.
fn place(module: &str) -> usize {
    let mut places = ORDER.split(" | ");
    let place = places.position(|modules| modules.split(' ').any(|name| name == module));
    place.unwrap_or_else(|| panic!("the module `{module}` has no place in the order"))
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                sources(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

#[test]
fn modules_use_only_what_stands_beside_or_left_of_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in sources(&source) {
        let file = path.strip_prefix(&source).unwrap();
        let module = file.iter().next().unwrap().to_str().unwrap();
        let module = module.trim_end_matches(".rs");
        let text = fs::read_to_string(&path).unwrap();
        // Documentation may point anywhere, and so may tests.
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let is_test = file
            .iter()
            .any(|part| part == "tests" || part == "tests.rs");
        for line in code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            for used in line.split("crate::").skip(1) {
                let used: String = used
                    .chars()
                    .take_while(|&c| c.is_alphanumeric() || c == '_')
                    .collect();
                // `crate::Error` and `crate::documented!` are re-exports of the first modules.
                let used = if used.starts_with(char::is_uppercase) || used == "documented" {
                    "error"
                } else {
                    &used
                };
                let is_right = module == "lib" || is_test || place(used) <= place(module);
                assert!(
                    is_right,
                    "{} uses `{used}`, which stands right of it",
                    file.display()
                );
            }
        }
    }
}

#[test]
fn every_file_of_tests_is_part_of_a_test_program() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = 0;
    for entry in fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path().join("tests/it");
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        let main = fs::read_to_string(folder.join("main.rs")).unwrap();
        for entry in entries {
            let path = entry.unwrap().path();
            let module = path.file_stem().unwrap().to_str().unwrap();
            let is_module = path.join("mod.rs").exists() || path.extension() == Some("rs".as_ref());
            if is_module && module != "main" {
                files += 1;
                let is_there = main.lines().any(|line| line == format!("mod {module};"));
                assert!(is_there, "{} is in no program", path.display());
            }
        }
    }
    assert!(files > 40);
}
