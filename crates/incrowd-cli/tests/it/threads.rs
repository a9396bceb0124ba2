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
        for threads in [1, 2, 3, 3, 3, 4, 8, 8] {
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
fn what_is_said_of_a_published_file_is_the_same_with_any_number_of_threads() {
    let is_starred = |row: usize| row % 7 == 3 || (9_000..9_900).contains(&row);
    let mut rows: Vec<String> = table().lines().map(str::to_owned).collect();
    for (number, row) in rows.iter_mut().skip(1).enumerate() {
        if is_starred(number) {
            *row = "*,*,*".to_owned();
        }
    }
    let starred = (0..30_000).filter(|&row| is_starred(row)).count();
    let nothing_left = format!("{}\n{}", rows[0], "*,*,*\n".repeat(3_000));
    let folder = Folder::with("published.csv", rows.join("\n") + "\n");
    folder.write("t.csv", table());
    folder.write("nothing.csv", nothing_left);
    let asked = [
        "risk published.csv -q region,age",
        "verify published.csv -q region,age -s diagnosis -k 5",
        "verify published.csv -q region,age -s diagnosis -k 5 --original t.csv",
        "risk nothing.csv -q region,age",
        "verify nothing.csv -q region,age -k 5",
    ];
    for (number, asked) in asked.into_iter().enumerate() {
        let answer =
            |threads: usize| folder.run(&format!("{asked} --json --quiet --threads {threads}"));
        let one = answer(1);
        if number < 3 {
            let said = format!("\"rows_starred\":{starred}");
            assert!(one.stdout.contains(&said), "{}", one.stdout);
        }
        for threads in [2, 3, 4, 8] {
            let several = answer(threads);
            assert_eq!(several.code, one.code, "{asked}, {threads} threads");
            assert_eq!(several.stdout, one.stdout, "{asked}, {threads} threads");
            assert_eq!(several.stderr, one.stderr, "{asked}, {threads} threads");
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
