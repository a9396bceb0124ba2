//! Same bytes whatever the number of threads, and no more threads than bring anything.

use crate::support::Folder;

/// Text values that come one after the other along the file, so that different workers meet different ones first.
fn table() -> String {
    let regions = ["north", "east", "south", "west", "centre", "abroad"];
    let mut text = String::from("region,age,diagnosis\n");
    for row in 0..30_000 {
        let region = regions[row * regions.len() / 30_000];
        let diagnosis = if row % 3 == 0 { "HIV" } else { "flu" };
        text.push_str(&format!(
            "{region},{},{diagnosis}\n",
            (row * 7919) % 63 + 18
        ));
    }
    text
}

#[test]
fn issue_9_releases_and_certificates_are_the_same_with_any_number_of_threads() {
    let folder = Folder::with("t.csv", table());
    let jobs = [
        "-q region --others drop -k 7500 --algorithm partition --scheme ops --metric hdm",
        "-q region,age -s diagnosis -k 50 -l 2",
        "-q region,age -s diagnosis -k 50 --algorithm incognito --max-suppressed 1%",
        "-q region,age --target diagnosis -k 50 --algorithm top-down",
    ];
    for job in jobs {
        let mut expected: Option<(String, String)> = None;
        for threads in [1, 2, 3, 3, 3, 8, 8] {
            let run = folder.run(&format!(
                "anonymize t.csv {job} --threads {threads} -o o.csv --certificate c.json --quiet"
            ));
            assert_eq!(run.code, 0, "{}", run.stderr);
            let got = (folder.read("o.csv"), folder.read("c.json"));
            match &expected {
                Some(expected) => assert_eq!(*expected, got, "{job}, {threads} threads"),
                None => expected = Some(got),
            }
        }
    }
}

#[test]
fn more_threads_than_any_machine_has_are_not_started() {
    let folder = Folder::with("t.csv", table());
    let run = |threads: &str| {
        let words = "anonymize t.csv -q region,age -s diagnosis -k 50 -o o.csv --quiet";
        folder
            .run(&format!("{words} --threads {threads}"))
            .ends_with(0);
        folder.read("o.csv")
    };
    let one = run("1");
    for threads in ["0", "300", "18446744073709551615"] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
    let most = "inspect t.csv --quiet --threads 18446744073709551615";
    folder.run(most).ends_with(0);
}
