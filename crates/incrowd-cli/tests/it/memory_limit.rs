//! A table that memory has no room for: the same release, or an error that leaves nothing behind.

use crate::support::Folder;
use incrowd_core::algorithms::ALGORITHMS;

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
        // 24 bytes for each tuple is what the counted table takes. With less, it stays outside.
        for limit in ["1", "100k", "144k", "200k", "1G"] {
            let got = run(&format!("--threads {threads} --memory-limit {limit}"));
            assert_eq!(got, expected, "{threads} threads, {limit}");
        }
    }
    assert_eq!(folder.list("temporary"), [".keep"]);
}

#[test]
fn every_algorithm_publishes_a_table_outside_memory_as_it_publishes_one_in_memory() {
    // Few enough rows for all of them.
    let mut rows = String::from("age,zip,region,diagnosis\n");
    for row in 0..90 {
        let (age, zip, region) = (row * 7 % 12 + 18, row % 5 + 10_000, row % 3);
        let diagnosis = ["flu", "HIV", "cold"][row / 2 % 3];
        rows += &format!("{age},{zip},r{region},{diagnosis}\n");
    }
    let folder = Folder::with("t.csv", &rows).and("temporary/.keep", "");
    let requests = [
        "-q age,zip,region --target diagnosis -k 3 --max-suppressed 10%",
        "-q age,zip -s diagnosis --others drop --privacy 'distinct-l-diversity(l=2)' -k 4 --max-suppressed 10%",
    ];
    let mut released = 0;
    for algorithm in ALGORITHMS {
        let name = algorithm.entry().name;
        for request in requests {
            let request = format!(
                "anonymize t.csv {request} --algorithm {name} -o out/o.csv --certificate out/c.json \
                 --quiet --work-limit 1M"
            );
            let run = |more: &str| {
                let mut command = folder.command(&format!("{request} {more}"));
                command.env("TMPDIR", folder.path("temporary"));
                let output = command.output().unwrap();
                let error = String::from_utf8(output.stderr).unwrap();
                match output.status.code() {
                    Some(0) => Ok((folder.read("out/o.csv"), folder.read("out/c.json"))),
                    code => Err((code, error)),
                }
            };
            let expected = run("");
            for more in ["--threads 1", "--threads 3"] {
                // No room for a single combination.
                let got = run(&format!("{more} --memory-limit 10"));
                assert_eq!(got, expected, "{request} {more}");
            }
            released += u32::from(expected.is_ok());
        }
    }
    assert!(released > 20, "{released}");
    assert_eq!(folder.list("temporary"), [".keep"]);
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
    // Whether the table would fit in the end or not.
    for limit in ["144k", "100k"] {
        let command = folder.command(&format!("{JOB} --memory-limit {limit}"));
        // As on a full disk, writing fails after some kilobytes; without the trap, the signal would end the process.
        let script = "trap '' XFSZ; ulimit -f 40; exec \"$0\" \"$@\"";
        let output = std::process::Command::new("sh")
            .args(["-c", script])
            .arg(command.get_program())
            .args(command.get_args())
            .current_dir(folder.path(""))
            .env("TMPDIR", folder.path("temporary"))
            .output()
            .unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{limit}: {error}");
        assert!(error.contains("a temporary file could not take"), "{error}");
        assert!(error.contains("TMPDIR"), "{error}");
        assert_eq!(folder.list("temporary"), [".keep"]);
        assert!(!folder.path("out").exists());
    }
}
