//! Every command of the README and of the guides does what is said there.

use crate::support::program;
use std::path::{Path, PathBuf};
use std::process::Command;

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A command and the output printed below it.
struct Shown {
    command: String,
    output: String,
}

fn commands(readme: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut is_console = false;
    for line in readme.lines() {
        if line.starts_with("```") {
            is_console = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| is_console) {
            shown.push(Shown {
                command: command.to_owned(),
                output: String::new(),
            });
        } else if let Some(last) = shown.last_mut().filter(|_| is_console) {
            last.output += line;
            last.output.push('\n');
        }
    }
    shown
}

/// Times and memory differ from run to run, and nothing else may.
fn without_seconds(text: &str) -> String {
    text.lines()
        .filter(|line| !line.starts_with("seconds "))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// Runs the commands of a page one after the other; how many there were, and the folder they ran in.
fn run_all(page: &str) -> (usize, tempfile::TempDir) {
    let page = std::fs::read_to_string(project().join(page)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(
        project().canonicalize().unwrap().join("data"),
        folder.path().join("data"),
    )
    .unwrap();
    std::fs::copy(project().join("Makefile"), folder.path().join("Makefile")).unwrap();
    let binary = program();

    let shown = commands(&page);
    let mut ran = 0;
    for Shown { command, output } in &shown {
        let command = match command.as_str() {
            // It runs this test.
            "make test" => continue,
            // The same recipe with the binary at hand; what is installed is checked to be a package.
            "make demo" => format!("make demo RUN_INCROWD={}", binary.display()),
            // `make python` builds, installs and tests the package.
            "pip install ." => {
                let package = std::fs::read_to_string(project().join("pyproject.toml")).unwrap();
                assert!(package.contains("build-backend = \"maturin\""), "{package}");
                continue;
            }
            install if install.starts_with("cargo install --path ") => {
                let mut words = install.split(' ').skip(3);
                let package = project().join(words.next().unwrap()).join("Cargo.toml");
                assert!(package.exists(), "{install}");
                if let (Some("--profile"), Some(profile)) = (words.next(), words.next()) {
                    let profiles = std::fs::read_to_string(project().join("Cargo.toml")).unwrap();
                    assert!(
                        profiles.contains(&format!("[profile.{profile}]")),
                        "{install}"
                    );
                }
                continue;
            }
            // All of them are compared by other tests, on tables that take less time.
            compare
                if compare.starts_with("incrowd compare ") && !compare.contains("--algorithms") =>
            {
                format!("{compare} --algorithms optimal,datafly,top-down,mondrian")
            }
            other => other.to_owned(),
        };
        let run = Command::new("bash")
            .args(["-c", &command])
            .current_dir(folder.path())
            .env(
                "PATH",
                format!(
                    "{}:{}",
                    binary.parent().unwrap().display(),
                    std::env::var("PATH").unwrap()
                ),
            )
            .output()
            .unwrap();
        assert!(
            run.status.success(),
            "{command}: {}",
            String::from_utf8_lossy(&run.stderr)
        );
        let printed = String::from_utf8(run.stdout).unwrap();
        assert!(!printed.is_empty(), "{command} prints nothing");
        if !output.is_empty() {
            assert_eq!(
                without_seconds(&printed),
                without_seconds(output),
                "{command}"
            );
        }
        ran += 1;
    }
    (ran, folder)
}

#[test]
fn every_command_of_the_readme_works_and_prints_what_is_shown() {
    let (ran, folder) = run_all("README.md");
    assert!(ran >= 7, "only {ran} commands found");
    for file in ["out/adult-safe.csv", "out/adult-certificate.json"] {
        assert!(folder.path().join(file).exists(), "make demo leaves {file}");
    }
}

#[test]
fn the_steps_worked_out_by_hand_are_those_that_are_taken() {
    let (ran, _) = run_all("docs/guide/step-by-step.md");
    assert!(ran >= 4, "only {ran} commands found");
}

#[test]
fn the_roles_that_the_guide_shows_are_those_proposed() {
    let (ran, _) = run_all("docs/guide/which-role.md");
    assert_eq!(ran, 1);
}

#[test]
fn the_pages_that_guides_tell_of_are_written() {
    let (ran, folder) = run_all("docs/guide/comparing.md");
    assert_eq!(ran, 1);
    assert!(folder.path().join("out/comparison.html").exists());
    let (ran, folder) = run_all("docs/guide/report-of-a-release.md");
    assert_eq!(ran, 1);
    assert!(folder.path().join("out/safe.html").exists());
}

#[test]
fn what_the_guide_says_of_rows_is_what_simulate_prints() {
    let (ran, _) = run_all("docs/guide/how-many-rows.md");
    assert_eq!(ran, 5);
}

#[test]
fn what_the_guide_says_of_a_release_is_what_evaluate_prints() {
    let (ran, _) = run_all("docs/guide/is-it-still-useful.md");
    assert_eq!(ran, 3);
}

#[test]
fn what_the_guide_says_of_risk_is_what_risk_prints() {
    let (ran, _) = run_all("docs/guide/how-risky-is-it.md");
    assert_eq!(ran, 12);
}

#[test]
fn every_command_of_the_guide_about_algorithms_works() {
    let (ran, _) = run_all("docs/guide/which-algorithm.md");
    assert_eq!(ran, 1);
}
