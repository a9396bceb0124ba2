//! Everything that can be wrong with what users give: a clear error, exit code 2, and nothing left behind.

use crate::support::{Folder, PATIENTS, ROLES, Run, data};

/// Runs `incrowd`, which must refuse as it always does.
#[track_caller]
fn refused(folder: &Folder, arguments: &str) -> Run {
    refusal(folder, folder.run(arguments))
}

#[track_caller]
fn refusal(folder: &Folder, run: Run) -> Run {
    let run = run.ends_with(2);
    assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
    assert!(run.stderr.contains("\n  hint: "), "{}", run.stderr);
    assert_eq!(run.stdout, "");
    if folder.path("out").is_dir() {
        assert_eq!(folder.list("out"), [""; 0], "something was left behind");
    }
    // Errors point at cells and never quote them.
    for cell in ["Ann", "10115", "asthma"] {
        assert!(!run.stderr.contains(cell), "{}", run.stderr);
    }
    run
}

/// A folder with this table and an empty folder for output.
fn table(content: impl AsRef<[u8]>) -> Folder {
    let folder = Folder::with("t.csv", content);
    std::fs::create_dir(folder.path("out")).unwrap();
    folder
}

/// Anonymizes `t.csv` with the roles of [`PATIENTS`] and more flags.
fn flags(more: &str) -> String {
    format!("anonymize t.csv {ROLES} -o out/safe.csv --certificate out/proof.json {more}")
}

/// A hierarchy of the ages of [`PATIENTS`].
const AGES: &str = "31,*\n33,*\n34,*\n36,*\n38,*\n39,*\n41,*\n42,*\n44,*\n45,*\n47,*\n49,*\n";

macro_rules! refuses {
    ($(#[$attribute:meta])* $name:ident, $folder:expr, $arguments:expr) => {
        $(#[$attribute])*
        #[test]
        fn $name() {
            let folder: Folder = $folder;
            let run = refused(&folder, $arguments.as_ref());
            insta::assert_snapshot!(stringify!($name), run.stderr);
        }
    };
}

// The table.
refuses!(an_empty_file, table(""), flags("-k 3"));
refuses!(
    a_header_without_rows,
    table("name,age,sex,zip,disease\n"),
    flags("-k 3")
);
refuses!(
    a_table_whose_rows_all_have_missing_cells,
    table(
        "name,age,sex,zip,disease
Ada,,f,1,flu
Ben,,m,2,flu
"
    ),
    flags("-k 2 --missing-cells exclude-row")
);
refuses!(
    a_table_whose_rows_all_have_another_missing_cell,
    table(
        "name,age,sex,zip,disease
Ada,,f,1,flu
Ben,3,?,2,flu
"
    ),
    flags("-k 2 --missing-cells exclude-row --missing-tokens '?'")
);
refuses!(
    a_row_too_short,
    table(format!("{PATIENTS}Mia,97\n")),
    flags("-k 3")
);
refuses!(
    a_row_too_long,
    table(format!("{PATIENTS}Mia,97,f,99999,flu,cold\n")),
    flags("-k 3")
);
refuses!(
    two_columns_of_one_name,
    table("name,age,age,zip,disease\na,1,2,3,4\n"),
    flags("-k 3")
);
refuses!(
    a_column_without_a_name,
    table("name,age,,zip,disease\na,1,2,3,4\n"),
    flags("-k 3")
);
refuses!(
    a_file_that_is_not_utf_8,
    table([PATIENTS.as_bytes(), b"J\xfcrgen,40,m,20095,flu\n"].concat()),
    flags("-k 3")
);
refuses!(
    a_quote_never_closed,
    table(format!("{PATIENTS}\"Mia,97,f,99999,flu\n")),
    flags("-k 3")
);
refuses!(
    a_missing_file,
    table(PATIENTS),
    format!("anonymize none.csv {ROLES} -k 3 -o out/safe.csv")
);
refuses!(
    a_folder_instead_of_a_file,
    table(PATIENTS),
    format!("anonymize out {ROLES} -k 3 -o out/safe.csv")
);
refuses!(no_table, table(PATIENTS), format!("anonymize {ROLES} -k 3"));
refuses!(
    a_database,
    table(PATIENTS),
    format!("anonymize sc://localhost:15002/;token=s3cret?format=parquet {ROLES} -k 3")
);
refuses!(
    a_database_that_nobody_speaks,
    table(PATIENTS),
    format!("anonymize mysql://localhost/x?table=t {ROLES} -k 3")
);
refuses!(
    a_release_for_a_database_that_nobody_speaks,
    table(PATIENTS),
    format!("anonymize t.csv {ROLES} -k 3 -o mysql://ann:secret@localhost/safe.csv")
);
refuses!(
    an_address_without_a_table,
    table(PATIENTS),
    format!("anonymize postgres://ann:s3cret@localhost/x {ROLES} -k 3")
);
refuses!(
    a_damaged_gzip,
    table(PATIENTS).and("t.csv.gz", b"\x1f\x8b\x08\x00garbage"),
    format!("anonymize t.csv.gz {ROLES} -k 3 -o out/safe.csv")
);
refuses!(
    a_delimiter_of_two_letters,
    table(PATIENTS),
    flags("-k 3 --delimiter ab")
);

// The columns.
refuses!(
    an_unknown_quasi_identifier,
    table(PATIENTS),
    "anonymize t.csv -q agee,sex --others drop -k 3 -o out/safe.csv"
);
refuses!(
    an_unknown_column_unlike_any,
    table(PATIENTS),
    "anonymize t.csv -q age,haemoglobin --others drop -k 3 -o out/safe.csv"
);
refuses!(
    a_column_in_two_roles,
    table(PATIENTS),
    "anonymize t.csv -q age,sex -s sex --others drop -k 3 -o out/safe.csv"
);
refuses!(
    a_column_named_twice,
    table(PATIENTS),
    "anonymize t.csv -q age,age --others drop -k 3 -o out/safe.csv"
);
refuses!(
    columns_without_a_role,
    table(PATIENTS),
    "anonymize t.csv -q age,sex -k 3 -o out/safe.csv"
);
refuses!(
    a_file_without_a_header,
    table("Ann,34,asthma\nBob,36,flu\n"),
    "anonymize t.csv -q 34 -k 2 -o out/safe.csv"
);
refuses!(
    no_quasi_identifiers,
    table(PATIENTS),
    "anonymize t.csv --others drop -k 3 -o out/safe.csv"
);
refuses!(
    a_hierarchy_for_an_unknown_column,
    table(PATIENTS),
    flags("-k 3 --hierarchy zipp=mask:2")
);

// The promises.
refuses!(no_privacy_model, table(PATIENTS), flags(""));
refuses!(k_of_zero, table(PATIENTS), flags("-k 0"));
refuses!(k_below_zero, table(PATIENTS), flags("-k -3"));
refuses!(k_that_is_no_number, table(PATIENTS), flags("-k five"));
refuses!(k_larger_than_the_table, table(PATIENTS), flags("-k 13"));
refuses!(
    k_larger_than_the_table_although_all_may_be_suppressed,
    table(PATIENTS),
    flags("-k 13 --max-suppressed 100%")
);
refuses!(
    more_values_asked_for_than_there_are,
    table(PATIENTS),
    flags("-l 4")
);
refuses!(t_above_one, table(PATIENTS), flags("-t 1.5"));
refuses!(
    an_unknown_model,
    table(PATIENTS),
    flags("--privacy 'l-diverity(l=2)'")
);
refuses!(
    a_model_without_its_parameter,
    table(PATIENTS),
    flags("--privacy t-closeness")
);
refuses!(
    a_sensitive_model_without_a_sensitive_column,
    table(PATIENTS),
    "anonymize t.csv -q age,sex --others drop -l 2 -o out/safe.csv"
);
refuses!(
    a_model_for_a_column_that_is_not_sensitive,
    table(PATIENTS),
    flags("--privacy 'distinct-l-diversity(l=2,column=zip)'")
);
refuses!(
    a_promise_that_cannot_be_kept_within_the_limits,
    table(PATIENTS),
    flags("-k 5 --max-levels 0,0,0")
);

// The limits.
refuses!(
    a_budget_below_zero,
    table(PATIENTS),
    flags("-k 3 --max-suppressed -1")
);
refuses!(
    a_share_below_zero,
    table(PATIENTS),
    flags("-k 3 --max-suppressed -1%")
);
refuses!(
    a_share_above_all,
    table(PATIENTS),
    flags("-k 3 --max-suppressed 101%")
);
refuses!(
    a_budget_beyond_the_table,
    table(PATIENTS),
    flags("-k 3 --max-suppressed 13")
);
refuses!(
    a_level_that_does_not_exist,
    table(PATIENTS),
    flags("-k 3 --hierarchy zip=mask:3 --max-levels 1,1,3")
);
refuses!(
    too_few_levels,
    table(PATIENTS),
    flags("-k 3 --max-levels 1,1")
);
refuses!(
    levels_that_are_no_numbers,
    table(PATIENTS),
    flags("-k 3 --max-levels 1,x,1")
);
refuses!(
    a_level_below_zero,
    table(PATIENTS),
    flags("-k 3 --max-levels -1,1,1")
);
refuses!(
    a_time_limit_without_a_unit,
    table(PATIENTS),
    flags("-k 3 --time-limit 30")
);
refuses!(
    an_unknown_metric,
    table(PATIENTS),
    flags("-k 3 --metric los")
);
refuses!(
    an_unknown_algorithm,
    table(PATIENTS),
    flags("-k 3 --algorithm optimla")
);

// The hierarchies.
refuses!(
    a_number_rule_for_a_column_with_text,
    table(PATIENTS.replace("34,", "thirty-four,")),
    flags("-k 3 --hierarchy age=interval:5,10")
);
refuses!(
    a_date_rule_for_a_column_without_dates,
    table(PATIENTS),
    flags("-k 3 --hierarchy age=date:month")
);
refuses!(
    a_value_with_two_parents,
    table(PATIENTS).and("sex.csv", "f,women,*\nm,men,*\nf,men,*\n"),
    flags("-k 3 --hierarchy sex=sex.csv")
);
refuses!(
    a_level_that_splits,
    table(PATIENTS).and("sex.csv", "f,person,women,*\nm,person,men,*\n"),
    flags("-k 3 --hierarchy sex=sex.csv")
);
refuses!(
    a_hierarchy_without_all_values,
    table(PATIENTS).and("sex.csv", "value,any\nf,*\n"),
    flags("-k 3 --hierarchy sex=sex.csv")
);
refuses!(
    a_hierarchy_with_another_delimiter,
    table(PATIENTS).and("sex.csv", "f|women|*\nm|men|*\n"),
    flags("-k 3 --hierarchy sex=sex.csv")
);
refuses!(
    an_empty_hierarchy,
    table(PATIENTS).and("sex.csv", ""),
    flags("-k 3 --hierarchy sex=sex.csv")
);
refuses!(
    a_hierarchy_that_is_not_utf_8,
    table(PATIENTS).and("sex.csv", b"f,\xfcber,*\nm,men,*\n"),
    flags("-k 3 --hierarchy sex=sex.csv")
);
refuses!(
    a_hierarchy_file_that_is_not_there,
    table(PATIENTS),
    flags("-k 3 --hierarchy sex=none.csv")
);
refuses!(
    a_folder_of_hierarchies_that_is_not_there,
    table(PATIENTS),
    flags("-k 3 --hierarchies nodir")
);
refuses!(
    a_rule_that_is_misspelt,
    table(PATIENTS),
    flags("-k 3 --hierarchy zip=intervall:5")
);
refuses!(
    intervals_that_do_not_nest,
    table(PATIENTS),
    flags("-k 3 --hierarchy age=interval:5,12")
);
refuses!(
    a_rule_that_cannot_be_read,
    table(PATIENTS),
    flags("-k 3 --hierarchy age=interval:x")
);
refuses!(
    a_hierarchy_without_a_column,
    table(PATIENTS),
    flags("-k 3 --hierarchy mask:2")
);

// The job file.
refuses!(
    a_job_file_with_an_unknown_key,
    table(PATIENTS).and(
        "job.toml",
        "[data]\npath = \"t.csv\"\n[privacy]\nmodel = []\n"
    ),
    "anonymize --job job.toml -o out/safe.csv"
);
refuses!(
    a_job_file_that_is_no_toml,
    table(PATIENTS).and("job.toml", "[data\npath = 3"),
    "anonymize --job job.toml -o out/safe.csv"
);
refuses!(
    a_job_file_with_a_wrong_type,
    table(PATIENTS).and("job.toml", "[search]\nthreads = \"many\"\n"),
    "anonymize --job job.toml -o out/safe.csv"
);
refuses!(
    a_job_file_that_is_not_there,
    table(PATIENTS),
    "anonymize --job none.toml -o out/safe.csv"
);

// The output.
refuses!(
    an_output_below_a_file,
    table(PATIENTS),
    format!("anonymize t.csv {ROLES} -k 3 -o t.csv/safe.csv")
);
refuses!(
    an_output_that_is_a_folder,
    table(PATIENTS).and("folder.csv/file", ""),
    format!("anonymize t.csv {ROLES} -k 3 -o folder.csv")
);
refuses!(
    an_output_of_unknown_format,
    table(PATIENTS),
    format!("anonymize t.csv {ROLES} -k 3 -o out/safe.docx")
);
refuses!(
    an_output_that_is_the_input,
    table(PATIENTS),
    format!("anonymize t.csv {ROLES} -k 3 -o t.csv")
);
refuses!(
    a_certificate_that_cannot_be_written,
    table(PATIENTS),
    format!("anonymize t.csv {ROLES} -k 3 -o out/safe.csv --certificate t.csv/proof.json")
);
refuses!(
    a_certificate_named_like_its_twin,
    table(PATIENTS),
    format!("anonymize t.csv {ROLES} -k 3 -o out/safe.csv --certificate out/proof.txt")
);
refuses!(
    a_certificate_without_a_release,
    table(PATIENTS),
    format!("anonymize t.csv {ROLES} -k 3 --certificate out/proof.json")
);
refuses!(
    a_certificate_named_like_the_release,
    table(PATIENTS),
    format!("anonymize t.csv {ROLES} -k 3 -o out/a.csv --certificate out/a.csv")
);

refuses!(
    a_release_named_like_the_readable_certificate,
    table(PATIENTS),
    format!("anonymize t.csv {ROLES} -k 3 -o ./r.txt --certificate r.json")
);
refuses!(
    a_release_that_is_a_hierarchy,
    table(PATIENTS).and("hierarchies/age.csv", AGES),
    format!(
        "anonymize t.csv {ROLES} -k 3 --hierarchies hierarchies -o ./hierarchies/../hierarchies/age.csv"
    )
);
refuses!(
    a_readable_certificate_that_is_a_hierarchy,
    table(PATIENTS).and("age.txt", AGES),
    format!(
        "anonymize t.csv {ROLES} -k 3 --hierarchy age=age.txt -o out/safe.csv --certificate ./age.json"
    )
);
refuses!(
    a_certificate_that_is_the_job_file,
    table(PATIENTS).and("j.toml", "[data]\npath = \"t.csv\"\n"),
    format!("anonymize --job j.toml {ROLES} -k 3 -o out/safe.csv --certificate ./j.toml")
);
refuses!(
    a_certificate_that_is_the_table,
    table(PATIENTS),
    format!("anonymize t.csv {ROLES} -k 3 -o out/safe.csv --certificate out/../t.csv")
);

/// A link leads to the same file by another name.
#[test]
#[cfg(unix)]
fn a_release_that_is_a_link_to_the_table() {
    let folder = table(PATIENTS);
    std::os::unix::fs::symlink("t.csv", folder.path("link.csv")).unwrap();
    let run = refused(
        &folder,
        &format!("anonymize t.csv {ROLES} -k 3 -o link.csv"),
    );
    assert!(
        run.stderr.contains("would overwrite the table"),
        "{}",
        run.stderr
    );
    assert_eq!(folder.read("t.csv"), PATIENTS);
}

#[test]
fn the_release_and_json_cannot_both_go_to_standard_output() {
    let folder = table(PATIENTS);
    let run = folder.run(&format!("anonymize t.csv {ROLES} -k 3 -o - --json"));
    let run = run.ends_with(2);
    assert_eq!(run.json()["error"]["code"], "standard-output-twice");
}

#[test]
fn with_json_the_error_is_the_document() {
    let folder = table(PATIENTS);
    let run = folder
        .run("anonymize t.csv -q agee --others drop -k 3 --json")
        .ends_with(2);
    let document = run.json();
    assert_eq!(document["version"], 1);
    assert_eq!(document["error"]["code"], "unknown-column");
    assert_eq!(
        document["error"]["message"],
        "the table has no column `agee`"
    );
    assert!(
        document["error"]["hint"]
            .as_str()
            .unwrap()
            .contains("`age`")
    );
    assert!(run.stderr.starts_with("error: "), "{}", run.stderr);
}

#[test]
fn flags_that_do_not_exist_end_with_2_and_print_nothing() {
    let folder = table(PATIENTS);
    for arguments in [
        "",
        "frobnicate",
        "anonymize --frobnicate",
        "anonymize --others perhaps",
    ] {
        let run = folder.run(arguments).ends_with(2);
        assert_eq!(run.stdout, "");
        assert!(!run.stderr.is_empty());
    }
}

#[test]
fn a_flag_tried_under_another_name_is_named() {
    let folder = table(PATIENTS);
    for (arguments, flag) in [
        (
            "anonymize patients.csv --model beta-likeness(beta=1)",
            "--privacy",
        ),
        ("negotiate patients.csv --models", "--privacy"),
        ("verify patients.csv --distinct-l 3", "-l"),
        ("risk patients.csv --qi=age", "--quasi-identifiers"),
        ("study patients.csv --k 5", "-k"),
        ("anonymize patients.csv --t-closeness=0.2", "-t"),
        ("anonymize patients.csv -m k", "--privacy"),
        ("anonymize patients.csv --suppression 0", "--max-suppressed"),
        ("anonymize patients.csv --out safe.csv", "--output"),
    ] {
        let run = folder.run(arguments).ends_with(2);
        let tip = format!("tip: a similar argument exists: '{flag}'");
        assert!(run.stderr.contains(&tip), "{}", run.stderr);
        // No other advice.
        assert_eq!(run.stderr.matches("tip:").count(), 1, "{}", run.stderr);
        assert_eq!(run.stdout, "");
    }
    // Where there is no such flag, or it is no flag, there is no such tip.
    for arguments in [
        "explain --qi",
        "--qi inspect patients.csv",
        "--qi anonymize patients.csv",
        "inspect patients.csv -- --qi",
    ] {
        let run = folder.run(arguments).ends_with(2);
        let is_named = run.stderr.contains("exists: '--quasi-identifiers'");
        assert!(!is_named, "{arguments}: {}", run.stderr);
    }
}

/// The disk is full when the release is published: `/dev/full` takes no byte.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk() {
    let folder = table(PATIENTS);
    std::os::unix::fs::symlink("/dev/full", folder.path("full.csv")).unwrap();
    let run = refused(
        &folder,
        &format!("anonymize t.csv {ROLES} -k 3 -o full.csv"),
    );
    insta::assert_snapshot!("a_full_disk", run.stderr);
}

/// The release would grow beyond what the process may write.
#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_fills_up_while_writing() {
    let folder = table("");
    let quasi_identifiers = "-q age,sex --others drop";
    let arguments = format!(
        "anonymize {} {quasi_identifiers} -k 3 -o out/safe.csv",
        data("adult/adult.csv")
    );
    let command = folder.command(&arguments);
    let mut shell = std::process::Command::new("bash");
    // The limit is in blocks of 1024 bytes; without the trap the signal would end the program.
    shell
        .args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$@\""])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(folder.path(""));
    refusal(&folder, Run::of(shell.output().unwrap()));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_standard_output() {
    let folder = table(PATIENTS);
    for arguments in [
        format!("anonymize t.csv {ROLES} -k 3 -o -"),
        "inspect t.csv".to_owned(),
    ] {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = folder.command(&arguments).stdout(full).output().unwrap();
        refusal(&folder, Run::of(output));
    }
}

#[test]
fn two_thousand_columns() {
    let columns: Vec<String> = (0..2000).map(|column| format!("c{column}")).collect();
    let mut text = columns.join(",") + "\n";
    for row in 0..20 {
        // What is kept is the same in every row, so that it gives nobody away.
        let cells: Vec<String> = (0..2000)
            .map(|column| match column {
                1..=3 => (row * column % 7).to_string(),
                _ => (column % 7).to_string(),
            })
            .collect();
        text.push_str(&(cells.join(",") + "\n"));
    }
    let folder = table(text);
    folder
        .run("anonymize t.csv -q c1,c2,c3 --others keep -k 2 -o out/safe.csv")
        .ends_with(0);
    assert_eq!(
        folder
            .read("out/safe.csv")
            .lines()
            .next()
            .unwrap()
            .split(',')
            .count(),
        2000
    );
    folder.run("inspect t.csv --json").ends_with(0);
    // All of them as quasi-identifiers: a lattice of more nodes than atoms.
    let all = format!(
        "anonymize t.csv -q {} -k 2 --time-limit 10m --json",
        columns.join(",")
    );
    let outcome = folder.run(&all).ends_with(0).json();
    // Rows seven apart are alike in every column, so the raw values are safe and nothing needs to be lost.
    assert_eq!(outcome["guarantee"], "optimal");
    let levels = outcome["levels"].as_object().unwrap();
    assert_eq!(levels.len(), 2000);
    assert!(levels.values().all(|level| level == 0));
    assert_eq!(outcome["rows_out"], 20);
    assert_eq!(outcome["classes"], 7);
    assert_eq!(outcome["smallest_class"], 2);
    assert_eq!(outcome["metrics"]["loss"], 0.0);
}

/// Ten times what is read at once.
#[test]
fn a_field_of_ten_megabytes() {
    let mut text = PATIENTS.as_bytes().to_vec();
    text.extend_from_slice(b"Mia,40,f,20099,\"");
    text.resize(text.len() + 10_000_000, b'x');
    text.extend_from_slice(b"\"\n");
    let folder = table(text);
    folder
        .run("anonymize t.csv -q age,sex --others drop -k 2 -o out/safe.csv")
        .ends_with(0);
    let run = folder.run(&flags("-k 2")).ends_with(0);
    assert!(run.stdout.len() < 10_000);
    folder.run("inspect t.csv").ends_with(0);
}

/// More than are counted where an estimate would do.
#[test]
fn a_hundred_thousand_distinct_values_in_a_quasi_identifier() {
    let mut text = String::from("number,sex\n");
    for row in 0..100_000 {
        text.push_str(&format!("{},{}\n", row * 3, row % 2));
    }
    let folder = table(text);
    let run = folder.run("anonymize t.csv -q number,sex -k 5 -o out/safe.csv --json");
    let outcome = run.ends_with(0).json();
    assert_eq!(outcome["rows_out"], 100_000);
    let found = folder.run("inspect t.csv --json").ends_with(0).json();
    assert_eq!(found["columns"][0]["distinct"], 100_000);
}
