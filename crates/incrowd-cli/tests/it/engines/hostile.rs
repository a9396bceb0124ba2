//! Names and values that mean something in SQL: they appear as data, or are refused.

use super::engine::{engines, quoted};
#[cfg(feature = "postgres")]
use super::{engine::Engine, postgres_server::Database};
use crate::support::{Folder, Run};

/// Names of columns that could end a statement, or are those that statements use themselves.
const NAMES: [&str; 8] = [
    "age\"; DROP TABLE victims; --",
    "zip'; DROP TABLE victims; --",
    "${env:HOME}",
    "back\\slash, tick` and ``; DROP TABLE victims; --",
    "t",
    "k",
    "select `/* \u{1F600} */",
    "a name of exactly sixty-three bytes, which is the longest there",
];

const VALUES: [&str; 12] = [
    "'; DROP TABLE victims; --",
    "\"; DROP TABLE victims; --",
    "`; DROP TABLE victims; --",
    "``",
    "\\.",
    "\\N",
    "${env:HOME} $1 $$ {}",
    "tab\there",
    "line\nbreak\r\n",
    "back\\slash\\",
    "/* comment",
    "Ünïcödé \u{1F600} \u{202E}",
];

/// A table whose names and values are all hostile.
fn table() -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(NAMES).unwrap();
    for row in 0..120 {
        let cell = |at: usize| VALUES[(row / (at + 1) + at * row / 7) % VALUES.len()];
        writer.write_record((0..NAMES.len()).map(cell)).unwrap();
    }
    String::from_utf8(writer.into_inner().unwrap()).unwrap()
}

#[test]
fn hostile_names_and_values_are_data() {
    for database in engines() {
        let folder = Folder::new();
        folder.write("hostile.csv", table());
        let columns = NAMES.map(|name| (name, "text"));
        // Spark refuses names of tables like these by itself.
        let name = |plain: &str| match database.name() {
            "Spark" => plain.replace(' ', "_"),
            _ => format!("{plain}\"`'; DROP TABLE victims; --"),
        };
        let source = &name("src");
        database.run("CREATE TABLE victims (x int)");
        database.load(source, &columns, &folder.path("hostile.csv"));
        for (number, algorithm) in ["optimal", "mondrian"].into_iter().enumerate() {
            let job = format!(
                "[columns]\nquasi_identifiers = [\n{}]\nsensitive = ['t']\nkeep = ['{}', '{}', '{}']\n\
             [privacy]\nmodels = ['k-anonymity(k=3)']\nmax_suppressed = '20%'\n[search]\nalgorithm = '{algorithm}'\n",
                NAMES[..4]
                    .iter()
                    .map(|name| format!("{},\n", toml_text(name)))
                    .collect::<String>(),
                NAMES[5],
                NAMES[6],
                NAMES[7],
            );
            folder.write("job.toml", &job);
            let run = |data: &str, output: &str| {
                let mut command = folder.command("anonymize");
                command.args([data, "--job", "job.toml", "-o", output]);
                Run::of(command.output().unwrap()).ends_with(0)
            };
            run("hostile.csv", "here.csv");
            let target = name(&format!("out {number}"));
            let address = |table: &str| database.table(&quoted(table).replace('%', "%25"));
            run(&address(source), &address(&target));
            let mut reader = csv::Reader::from_path(folder.path("here.csv")).unwrap();
            let mut expected: Vec<Vec<String>> = (reader.records())
                .map(|row| row.unwrap().iter().map(str::to_owned).collect())
                .collect();
            expected.sort();
            assert!(expected.len() > 50);
            assert_eq!(database.rows(&target).1, expected, "{algorithm}");
            let copied = name(&format!("copied {number}"));
            run("hostile.csv", &address(&copied));
            assert_eq!(database.rows(&copied).1, expected, "{algorithm}, sent");
            let replaced = name(&format!("replaced {number}"));
            database.load(&replaced, &columns, &folder.path("hostile.csv"));
            let mut command = folder.command("anonymize --replace --job job.toml");
            command.args([&address(source), "-o", &address(&replaced)]);
            Run::of(command.output().unwrap()).ends_with(0);
            assert_eq!(
                database.rows(&replaced).1,
                expected,
                "{algorithm}, replaced"
            );
        }
        assert!(database.relations().contains("victims"));
    }
}

fn toml_text(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

#[cfg(feature = "postgres")]
#[test]
fn names_that_would_be_cut_and_texts_that_cannot_be_stored_are_refused() {
    let folder = Folder::new();
    let database = Database::new();
    let code = |data: &str, target: &str| {
        let mut command = folder.command("anonymize --json --others keep -q age -k 1 -o");
        command.args([target, data]);
        let run = Run::of(command.output().unwrap()).ends_with(2);
        assert!(!run.stdout.contains("secret"), "{}", run.stdout);
        run.json()["error"]["code"].as_str().unwrap().to_owned()
    };
    let long = "n".repeat(64);
    folder.write("long.csv", format!("age,{long}\n1,x\n1,x\n"));
    assert_eq!(code("long.csv", &database.table("t")), "name-too-long");
    folder.write("fine.csv", "age,b\n1,secret\n1,secret\n");
    assert_eq!(code("fine.csv", &database.table(&long)), "name-too-long");
    folder.write("nul.csv", "age,b\n1,sec\0ret\n1,sec\0ret\n");
    assert_eq!(code("nul.csv", &database.table("t")), "nul-text");
    assert_eq!(
        code("fine.csv", &database.query("SELECT 1")),
        "target-is-query"
    );
    assert_eq!(
        code("fine.csv", &database.table("missing_schema.t")),
        "statement-refused"
    );
    assert_eq!(
        code(&database.query("SELEC 1"), "out.csv"),
        "statement-refused"
    );
    assert_eq!(
        code(&database.query("SELECT 1; DROP TABLE x"), "out.csv"),
        "statement-refused"
    );
    assert_eq!(
        code(&database.query("SELECT 1 AS age WHERE false"), "out.csv"),
        "no-rows"
    );
    database.sql("CREATE TABLE far (age date)");
    database.sql("INSERT INTO far VALUES ('infinity'), ('-infinity')");
    assert_eq!(code(&database.table("far"), "out.csv"), "out-of-range");
    database.sql("CREATE TABLE nested (age int[])");
    database.sql("INSERT INTO nested VALUES ('{1}')");
    assert_eq!(
        code(&database.table("nested"), &database.table("t")),
        "unsupported-column-type"
    );
    assert_eq!(database.relations(), "far\nnested\n");
}

#[cfg(feature = "spark")]
#[test]
fn zero_bytes_and_long_or_odd_names_are_data_or_refused_by_servers_of_spark() {
    use super::engine::Engine as _;
    for server in super::spark_server::servers() {
        let folder = Folder::new();
        let session = super::spark_server::Session::on(server);
        session.run("CREATE TABLE victims (x int)");
        let run = |data: &str, target: &str| {
            let mut command = folder.command("anonymize --json --others keep -q age -k 1 -o");
            command.args([&session.table(target), data]);
            Run::of(command.output().unwrap())
        };
        let code = |run: Run| run.json()["error"]["code"].as_str().unwrap().to_owned();
        folder.write("name.csv", "age,b\0c\n1,x\n1,x\n");
        assert_eq!(code(run("name.csv", "t")), "not-utf8");
        folder.write("fine.csv", "age,b\n1,secret\n1,secret\n");
        assert_eq!(code(run("fine.csv", "t%00u")), "bad-address");
        folder.write("cells.csv", "age,b\n1,sec\0ret\n1,sec\0ret\n");
        run("cells.csv", "cells").ends_with(0);
        assert_eq!(
            session.rows("cells").1,
            [["1", "sec\0ret"], ["1", "sec\0ret"]]
        );
        let long = "n".repeat(300);
        folder.write("long.csv", format!("age,{long}\n1,x\n1,x\n"));
        run("long.csv", "long").ends_with(0);
        assert_eq!(session.rows("long").0, ["age", &long]);
        // A name that could end a statement is that of a table, or the server does not take it; nothing is left then.
        let odd = run("fine.csv", "\"o`; DROP TABLE victims; --\"");
        let tables = session.relations();
        let is_there = tables.contains("o`; drop table victims; --")
            || tables.contains("o`; DROP TABLE victims; --");
        assert_eq!(is_there, odd.code == 0, "{}", odd.stdout);
        assert!(!odd.stdout.contains("secret"), "{}", odd.stdout);
        assert_eq!(
            tables
                .lines()
                .filter(|it| it.starts_with("incrowd_"))
                .count(),
            0
        );
        assert!(tables.lines().any(|it| it == "victims"), "{tables}");
    }
}

#[cfg(feature = "postgres")]
#[test]
fn passwords_are_shown_nowhere() {
    let folder = Folder::new();
    let database = Database::new();
    database.sql("CREATE TABLE t (age int, b text)");
    database.sql("INSERT INTO t SELECT 1, 'x' FROM generate_series(1, 9)");
    let with_password = |address: String| address.replace("postgres@", "postgres:s3cret@");
    let table = with_password(database.table("t"));
    let job = format!(
        "-q age -s b -k 2 --certificate c.json --report r.html -o {}",
        with_password(database.table("o"))
    );
    let runs = [
        folder.run(&format!("anonymize {table} {job} --verbose")),
        folder.run(&format!("anonymize {table} {job} --json")),
        folder.run(&format!("init {table} -q age --folder new")),
        folder.run(&format!(
            "advise {table} -q age -s b -k 2 --population {table}"
        )),
        folder.run(&format!(
            "inspect {}",
            table.replace("table=t", "table=gone")
        )),
        folder.run(&format!("inspect {}", table.replace("host=", "host=gone"))),
        folder.run(&format!("inspect {}", table.replace("&table=t", ""))),
    ];
    for run in &runs {
        assert!(
            !run.stdout.contains("s3cret") && !run.stderr.contains("s3cret"),
            "{}{}",
            run.stdout,
            run.stderr
        );
    }
    for file in ["c.json", "c.txt", "r.html", "new/incrowd.toml"] {
        assert!(!folder.read(file).contains("s3cret"), "{file}");
    }
}
