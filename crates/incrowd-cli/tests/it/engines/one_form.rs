//! What a model counts as one value is published as one: readers cannot tell apart what was counted as equal.

use super::engine::{Engine, engines};
use crate::support::{Folder, Run};

#[track_caller]
fn code(run: &Run) -> String {
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    run.json()["error"]["code"].as_str().unwrap().to_owned()
}

/// The single number that a query tells.
fn number(engine: &dyn Engine, query: &str) -> String {
    engine.run(&format!("CREATE VIEW told AS {query}"));
    let (_, rows) = engine.rows("told");
    engine.run("DROP VIEW told");
    rows[0][0].clone()
}

#[test]
fn missing_cells_of_counted_columns_are_null_whatever_they_were() {
    for engine in engines() {
        let engine = &*engine;
        let folder = Folder::new();
        engine.run(
            "CREATE TABLE people AS SELECT * FROM (VALUES (1, '?', 1, '?'), (1, '', 1, ''), (1, NULL, 2, 'a'), \
             (1, 'n/a', 99, 'b'), (1, 'flu', 99, 'c'), (2, 'flu', 2, '?'), (2, '?', 1, '?')) AS v(age, disease, stay, other)",
        );
        let job =
            "-q age -s disease --target stay --keep other --missing-tokens ?,n/a,99 -k 2 --json";
        for (target, flags) in [("inside", ""), ("sent", "--suppressed star")] {
            folder
                .run(&format!(
                    "anonymize {} {job} {flags} -o {}",
                    engine.table("people"),
                    engine.table(target)
                ))
                .ends_with(0);
            let count = |condition: &str| {
                let query = format!("SELECT count(*) AS n FROM {target} WHERE {condition}");
                number(engine, &query)
            };
            let case = format!("{} {target}", engine.name());
            assert_eq!(count("disease IS NULL"), "5", "{case}");
            assert_eq!(count("disease IN ('', '?', 'n/a')"), "0", "{case}");
            assert_eq!(count("stay IS NULL"), "2", "{case}");
            assert_eq!(count("stay IN ('99')"), "0", "{case}");
            // Nothing counts what is kept, and it stays as it is.
            assert_eq!(count("other = '?'"), "3", "{case}");
        }
    }
}

#[cfg(feature = "postgres")]
#[test]
fn columns_keep_their_types_where_cells_are_missing() {
    let (folder, database) = (Folder::new(), super::postgres_server::Database::new());
    database.sql("CREATE TYPE mood AS ENUM ('good', 'bad', '?')");
    database.sql("CREATE TABLE people (age int, a varchar(5), b char(3), c numeric(6,2), d mood, e text COLLATE \"C\")");
    database.sql(
        "INSERT INTO people VALUES (1, '?', '?', 1.00, '?', '?'), (1, '', '', NULL, NULL, ''), (1, 'x', 'x', 2, 'bad', 'x')",
    );
    folder
        .run(&format!(
            "anonymize {} -q age -s a,b,c,d,e --missing-tokens ? -k 3 -o {}",
            database.table("people"),
            database.table("safe")
        ))
        .ends_with(0);
    let types = |table: &str| {
        database.sql(&format!(
            "SELECT attname, format_type(atttypid, atttypmod), attcollation FROM pg_attribute \
             WHERE attrelid = '{table}'::regclass AND attnum > 1 ORDER BY attnum"
        ))
    };
    assert_eq!(types("safe"), types("people"));
    assert_eq!(
        database.sql("SELECT a, b, c, d, e FROM safe ORDER BY c"),
        "||1.00||\nx|x  |2.00|bad|x\n||||\n"
    );
    assert_eq!(
        database.sql(
            "SELECT count(*) FROM safe WHERE a IS NULL AND b IS NULL AND d IS NULL AND e IS NULL"
        ),
        "2\n"
    );
}

#[cfg(feature = "postgres")]
#[test]
fn padding_that_does_not_count_is_not_published() {
    let (folder, database) = (Folder::new(), super::postgres_server::Database::new());
    database.sql("CREATE TABLE people (age int, disease bpchar)");
    database.sql("INSERT INTO people VALUES (1, 'flu'), (1, 'flu  '), (1, 'cold')");
    folder
        .run(&format!(
            "anonymize {} -q age -s disease -k 3 -o {}",
            database.table("people"),
            database.table("safe")
        ))
        .ends_with(0);
    assert_eq!(
        database.sql("SELECT octet_length(disease) FROM safe ORDER BY 1"),
        "3\n3\n4\n"
    );
}

#[cfg(feature = "duckdb")]
#[test]
fn numbers_that_are_none_are_one_value_in_duckdb() {
    let (folder, file) = (Folder::new(), super::duckdb_file::DuckFile::new());
    file.run(
        "CREATE TABLE people AS SELECT 1 AS age, CASE i % 3 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN -('nan'::DOUBLE) \
         ELSE 1.5 END AS dose FROM range(9) r(i)",
    );
    let forms = |table: &str| {
        let query = format!("SELECT count(DISTINCT dose::VARCHAR) AS n FROM {table}");
        number(&file, &query)
    };
    assert_eq!(forms("people"), "3");
    for (number, job) in ["-s dose", "--keep dose", "-s dose --suppressed star"]
        .iter()
        .enumerate()
    {
        let target = format!("safe_{number}");
        folder
            .run(&format!(
                "anonymize {} -q age {job} -k 2 -o {}",
                file.table("people"),
                file.table(&target)
            ))
            .ends_with(0);
        assert_eq!(forms(&target), "2", "{job}");
    }
    // And they can be generalized.
    folder
        .run(&format!(
            "anonymize {} -q dose --others drop -k 6 --max-suppressed 100% --max-levels 0 -o {}",
            file.table("people"),
            file.table("alike")
        ))
        .ends_with(0);
    assert_eq!(number(&file, "SELECT count(*) AS n FROM alike"), "6");
}

#[cfg(feature = "spark")]
#[test]
fn lists_whose_texts_are_ambiguous_are_not_counted_in_spark() {
    for server in super::spark_server::servers() {
        let session = super::spark_server::Session::on(server);
        let folder = Folder::new();
        session.run(
            "CREATE TABLE people AS SELECT 1 AS age, CASE id % 2 WHEN 0 THEN array('a, b') ELSE array('a', 'b') END AS disease \
             FROM range(8)",
        );
        let run = folder.run(&format!(
            "anonymize {} -q age -s disease -k 2 --json -o {}",
            session.table("people"),
            session.table("safe")
        ));
        assert_eq!(code(&run), "unsupported-column-type");
        assert_eq!(session.relations(), "people\n");
    }
}

/// Kept columns that are other ones whenever somebody looks.
#[test]
fn kept_columns_that_change_between_the_passes_are_refused() {
    for engine in engines() {
        let engine = &*engine;
        // Spark has no sequences.
        if !["PostgreSQL", "DuckDB"].contains(&engine.name()) {
            continue;
        }
        let folder = Folder::new();
        engine.run("CREATE TABLE people AS SELECT * FROM (VALUES (1, 'flu'), (1, 'cold'), (2, 'flu'), (2, 'cold')) AS v(age, disease)");
        engine.run("CREATE SEQUENCE s");
        engine.run("CREATE SEQUENCE r");
        for query in [
            "SELECT age, disease, (nextval('s') - 1) / 4 > 0 AS other FROM people",
            "SELECT age, disease, CASE WHEN nextval('r') > 4 THEN 'b' ELSE 'a' END AS other FROM people",
        ] {
            let mut command = folder.command(
                "anonymize -q age -s disease --keep other -k 2 --json --certificate c.json",
            );
            command
                .arg(engine.query(query))
                .args(["-o", &engine.table("safe")]);
            assert_eq!(
                code(&Run::of(command.output().unwrap())),
                "input-changed",
                "{query}"
            );
            assert_eq!(engine.relations(), "people\n", "{query}");
            assert_eq!(folder.list("."), Vec::<String>::new());
        }
        // Those that stay are released.
        let mut command = folder.command("anonymize -q age -s disease --keep other -k 2");
        let query = "SELECT age, disease, CASE WHEN nextval('s') > 0 THEN 'b' ELSE 'a' END AS other FROM people";
        command
            .arg(engine.query(query))
            .args(["-o", &engine.table("safe")]);
        Run::of(command.output().unwrap()).ends_with(0);
    }
}
