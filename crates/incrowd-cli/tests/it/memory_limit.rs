//! Counting in little memory: the same release, or an error that leaves nothing behind.

use crate::support::Folder;

/// 6000 rows, all different.
fn table() -> String {
    let mut text = String::from("age,zip,region,diagnosis\n");
    for row in 0..6000 {
        let (age, zip, region) = (row % 60 + 18, row / 60 + 10_000, row % 7);
        let diagnosis = if row % 3 == 0 { "HIV" } else { "flu" };
        text.push_str(&format!("{age},{zip},r{region},{diagnosis}\n"));
    }
    text
}

const JOB: &str = "anonymize t.csv -q age,zip,region -s diagnosis -k 20 -o out/o.csv \
                   --certificate out/c.json --quiet";

#[test]
fn a_release_counted_in_little_memory_is_the_same() {
    let folder = Folder::with("t.csv", table()).and("temporary/.keep", "");
    let run = |more: &str| {
        let mut command = folder.command(&format!("{JOB} {more}"));
        let output = command.env("TMPDIR", folder.path("temporary")).output();
        assert_eq!(output.unwrap().status.code(), Some(0), "{more}");
        (folder.read("out/o.csv"), folder.read("out/c.json"))
    };
    let expected = run("");
    for threads in [1, 2, 3, 4, 8] {
        // 24 bytes for each tuple is what the counted table takes.
        for limit in ["144k", "200k", "1G"] {
            let got = run(&format!("--threads {threads} --memory-limit {limit}"));
            assert_eq!(got, expected, "{threads} threads, {limit}");
        }
    }
    assert_eq!(folder.list("temporary"), [".keep"]);
}

#[test]
fn a_table_that_cannot_fit_is_refused_with_figures_before_anything_is_searched() {
    let folder = Folder::with("t.csv", table());
    let run = folder.run(&format!("{JOB} --memory-limit 100k"));
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("6000 different combinations"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("--memory-limit"), "{}", run.stderr);
    assert!(!folder.path("out").exists());
}

#[test]
fn a_limit_that_is_no_amount_of_memory_is_refused() {
    let folder = Folder::with("t.csv", table());
    let run = folder.run(&format!("{JOB} --memory-limit much"));
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("500M"), "{}", run.stderr);
}

#[test]
#[cfg(unix)]
fn a_temporary_file_that_cannot_grow_is_an_error_that_leaves_nothing_behind() {
    let folder = Folder::with("t.csv", table()).and("temporary/.keep", "");
    let command = folder.command(&format!("{JOB} --memory-limit 144k"));
    // As on a full disk, writing fails after some kilobytes; without the trap, the signal would end the process.
    let output = std::process::Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 40; exec \"$0\" \"$@\""])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(folder.path(""))
        .env("TMPDIR", folder.path("temporary"))
        .output()
        .unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("a temporary file could not take"), "{error}");
    assert!(error.contains("TMPDIR"), "{error}");
    assert_eq!(folder.list("temporary"), [".keep"]);
    assert!(!folder.path("out").exists());
}
