//! Which table is meant: databases with several addresses, schemas on the search path, and names that others have made.

use super::engine::Engine;
use super::postgres_faults::{COUNTING, Running, code, database_at_a_port as database};
use crate::support::{Folder, Run};

const JOB: &str = "-q age -s disease -k 3 --json";

#[test]
fn a_job_that_knows_a_database_by_two_addresses_does_not_wait_for_itself() {
    let ((database, port), folder) = (database(), Folder::new());
    let role = format!("other_{}", std::process::id());
    database.sql(&format!("CREATE ROLE {role} LOGIN SUPERUSER"));
    database.sql("CREATE TABLE safe AS SELECT 'old' AS age");
    database.sql("CREATE VIEW through AS SELECT * FROM people");
    let people = database.rows("people");
    for user in ["postgres", &role] {
        for source in ["people", "through"] {
            let run = folder.run(&format!(
                "anonymize {} {JOB} --replace -o {}",
                database.table(source),
                database.table_at(user, port, "people")
            ));
            assert_eq!(code(&run), "target-in-use", "{user} {source}");
            assert_eq!(database.rows("people"), people);
        }
        // What is not read can be replaced.
        let job = format!(
            "anonymize {} {JOB} --replace -o {}",
            database.table("people"),
            database.table_at(user, port, "safe")
        );
        folder.run(&job).ends_with(0);
        assert_eq!(database.sql("SELECT count(*) FROM safe"), "400\n");
    }
    database.sql(&format!(
        "REASSIGN OWNED BY {role} TO postgres; DROP ROLE {role}"
    ));
}

#[test]
fn the_table_that_is_replaced_is_the_one_that_was_found() {
    let ((database, _), folder) = (database(), Folder::new());
    let name = database.sql("SELECT current_database()");
    database.sql("CREATE SCHEMA first");
    database.sql("CREATE SCHEMA second");
    database.sql(&format!(
        "ALTER DATABASE {} SET search_path = first, second, public",
        name.trim()
    ));
    database.sql("CREATE TABLE second.safe AS SELECT 'old' AS age");
    let (people, safe) = (database.table("people"), database.table("safe"));
    let refused = folder.run(&format!("anonymize {people} {JOB} -o {safe}"));
    assert_eq!(code(&refused), "target-exists");
    folder
        .run(&format!("anonymize {people} {JOB} --replace -o {safe}"))
        .ends_with(0);
    let places = "SELECT schemaname || '.' || tablename FROM pg_tables WHERE tablename LIKE 'safe%' ORDER BY 1";
    assert_eq!(database.sql(places), "second.safe\n");
    assert_eq!(database.sql("SELECT count(*) FROM second.safe"), "400\n");
    // A new one appears where the login would create it.
    folder
        .run(&format!(
            "anonymize {people} {JOB} -o {}",
            database.table("safe2")
        ))
        .ends_with(0);
    assert_eq!(database.sql(places), "first.safe2\nsecond.safe\n");
}

#[test]
fn a_table_that_takes_the_place_of_the_one_to_be_replaced_stays() {
    let ((database, _), folder) = (database(), Folder::new());
    for begins in ["CREATE TABLE safe AS SELECT 'old' AS age", "SELECT 1"] {
        database.sql(begins);
        let mut job = Running::start(
            &folder,
            &format!(
                "anonymize {} {JOB} --replace -o {}",
                database.table("slow"),
                database.table("safe")
            ),
        );
        job.until_it_runs(&database, COUNTING);
        database.sql("DROP TABLE IF EXISTS safe");
        database.sql("CREATE TABLE safe AS SELECT 'another' AS age");
        assert_eq!(code(&job.end()), "target-exists", "{begins}");
        assert_eq!(database.sql("SELECT age FROM safe"), "another\n");
        database.sql("DROP TABLE safe");
    }
}

#[test]
fn nothing_that_others_have_made_is_called_in_place_of_the_servers_own() {
    let ((database, _), folder) = (database(), Folder::new());
    let name = database.sql("SELECT current_database()");
    let name = name.trim();
    database.sql("CREATE TABLE people2 AS SELECT age, CAST(disease AS varchar(9)) AS disease, CAST(age AS text) AS zip FROM people");
    let tables = database.relations();
    // Each does what it should, and leaves a trace.
    database.sql("CREATE SEQUENCE calls");
    for kind in ["varchar", "text", "int8", "int4"] {
        database.sql(&format!(
            "CREATE FUNCTION public.evil(a {kind}, b {kind}) RETURNS boolean LANGUAGE plpgsql AS \
             $$ BEGIN PERFORM nextval('public.calls'); RETURN a::text OPERATOR(pg_catalog.=) b::text; END $$"
        ));
        database.sql(&format!(
            "CREATE OPERATOR public.= (LEFTARG = {kind}, RIGHTARG = {kind}, FUNCTION = public.evil)"
        ));
    }
    database.sql("CREATE FUNCTION public.random() RETURNS float8 LANGUAGE sql AS $$ SELECT nextval('public.calls')::float8 $$");
    database.sql(&format!(
        "ALTER DATABASE {name} SET search_path = public, pg_catalog"
    ));
    for (number, job) in [
        "-q age,disease,zip -k 3 --shuffle",
        "-q age,zip -s disease -k 3 --missing-tokens flu,20",
        "-q age,zip -s disease -k 3 --missing-tokens flu --missing-cells exclude-row",
        "-q age,zip -s disease -k 3 --suppressed star",
    ]
    .iter()
    .enumerate()
    {
        let target = format!("safe{number}");
        folder
            .run(&format!(
                "anonymize {} {job} -o {}",
                database.table("people2"),
                database.table(&target)
            ))
            .ends_with(0);
        assert_eq!(
            database.sql("SELECT pg_catalog.bool_or(is_called) FROM public.calls"),
            "f\n",
            "{job}"
        );
        database.sql(&format!("DROP TABLE {target}"));
    }
    // The trap works.
    database.sql("SELECT count(*) FROM people2 WHERE disease = 'flu'::varchar");
    assert_eq!(
        database.sql("SELECT pg_catalog.bool_or(is_called) FROM public.calls"),
        "t\n"
    );
    assert_eq!(database.relations(), tables);
}

#[test]
fn types_are_told_by_what_they_are_and_not_by_their_names() {
    let ((database, _), folder) = (database(), Folder::new());
    database.sql("CREATE TYPE public.int4 AS ENUM ('young', 'old')");
    database.sql("CREATE TYPE public.text AS ENUM ('flu', 'cold')");
    database.sql("CREATE TABLE odd (age public.int4, disease public.text)");
    database.sql("INSERT INTO odd VALUES ('young', 'flu'), ('young', 'cold'), ('old', 'flu'), ('old', 'cold')");
    folder
        .run(&format!(
            "anonymize {} -q age -s disease -k 2 -o {}",
            database.table("odd"),
            database.table("safe")
        ))
        .ends_with(0);
    assert_eq!(
        database.sql("SELECT age, disease, pg_typeof(disease) FROM safe ORDER BY 1, 2"),
        "old|flu|public.text\nold|cold|public.text\nyoung|flu|public.text\nyoung|cold|public.text\n"
    );
}

#[test]
fn names_that_would_be_cut_and_temporary_tables_are_refused() {
    let ((database, _), folder) = (database(), Folder::new());
    // What would be found if the name were cut.
    let cut = "n".repeat(63);
    database.sql(&format!("CREATE TABLE {cut} AS SELECT * FROM people"));
    let run = folder.run(&format!("inspect {}n --json", database.table(&cut)));
    assert_eq!(code(&run), "name-too-long");
    for target in ["pg_temp.safe", "pg_catalog.safe", "information_schema.safe"] {
        let run = folder.run(&format!(
            "anonymize {} {JOB} -o {}",
            database.table("people"),
            database.table(target)
        ));
        assert_eq!(code(&run), "bad-address", "{target}");
    }
}

#[test]
fn errors_name_the_columns_of_the_table_and_no_cell() {
    let ((database, _), folder) = (database(), Folder::new());
    database.sql("CREATE TABLE far (age int, seen date)");
    database.sql("INSERT INTO far SELECT 1, 'infinity' FROM generate_series(1, 4)");
    let run = |query: &str, target: &str| {
        let mut command = folder.command("anonymize -q age --others keep -k 2 --json -o");
        command.args([target, query]);
        Run::of(command.output().unwrap())
    };
    for target in [database.table("safe"), "out.csv".into()] {
        let far = run(&database.table("far"), &target);
        assert_eq!(code(&far), "out-of-range");
        assert!(far.stdout.contains("`seen`"), "{}", far.stdout);
    }
    database.sql("CREATE TYPE mood AS ENUM ('s3cret')");
    for query in [
        "SELECT CAST('s3' || 'cret' || age AS int) AS age FROM far",
        "SELECT age, CAST('s3cret' || age AS mood) AS m FROM far",
        "SELECT age, CAST('s3cret' || age AS date) AS m FROM far",
    ] {
        let failed = run(&database.query(query), "out.csv");
        assert_eq!(code(&failed), "statement-failed", "{query}");
        assert!(!failed.stdout.contains("s3cret") && !failed.stderr.contains("s3cret"));
    }
}
