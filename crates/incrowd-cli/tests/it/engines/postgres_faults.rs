//! What can go wrong in an engine: a clear error each time, and nothing left but what was there before.

use super::engine::Engine;
use super::postgres_server::{Database, Server};
use crate::support::{Folder, Run};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::process::{Child, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// How often a test looks whether something has happened.
const GLANCE: Duration = Duration::from_millis(10);

const JOB: &str = "-q age -s disease -k 3 --json";

/// A table, and a view of it that takes a while to hand out its rows.
pub(super) fn slow_database(database: &Database) {
    database.sql(
        "CREATE TABLE people AS SELECT 20 + g % 5 AS age, (ARRAY['flu', 'cold'])[1 + g % 2] AS disease \
         FROM generate_series(1, 400) g",
    );
    database
        .sql("CREATE VIEW slow AS SELECT people.* FROM people WHERE pg_sleep(0.02) IS NOT NULL");
}

/// The server at a port of this machine that most tests share which need one.
static AT_A_PORT: OnceLock<Server> = OnceLock::new();

/// A database with that table and that view, and the port of its server.
pub(super) fn database_at_a_port() -> (Database, u16) {
    let server = AT_A_PORT.get_or_init(Server::start_at_a_port);
    let database = Database::on(server);
    slow_database(&database);
    (database, server.port())
}

/// A job that is running.
pub(super) struct Running(pub(super) Child);

impl Running {
    pub(super) fn start(folder: &Folder, arguments: &str) -> Running {
        let mut command = folder.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Running(command.spawn().unwrap())
    }

    /// Waits until the engine works on a statement like this one.
    #[track_caller]
    pub(super) fn until_it_runs(&mut self, database: &Database, statement: &str) {
        let sql = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'incrowd' AND state = 'active' \
             AND datname = current_database() AND query LIKE '{statement}'"
        );
        while database.sql(&sql) != "1\n" {
            assert!(
                self.0.try_wait().unwrap().is_none(),
                "ended before `{statement}`"
            );
            std::thread::sleep(GLANCE);
        }
    }

    pub(super) fn end(self) -> Run {
        Run::of(self.0.wait_with_output().unwrap())
    }
}

#[track_caller]
pub(super) fn code(run: &Run) -> String {
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    run.json()["error"]["code"].as_str().unwrap().to_owned()
}

pub(super) const COUNTING: &str = "SELECT%count(*)%GROUP BY%";
pub(super) const RECODING: &str = "CREATE TABLE%incrowd_draft%";
const TERMINATE: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'incrowd' \
                         AND datname = current_database()";

#[test]
fn a_connection_that_is_cut_leaves_nothing_behind() {
    let (folder, database) = (Folder::new(), Database::new());
    slow_database(&database);
    let before = database.relations();
    let (source, target) = (database.table("slow"), database.table("safe"));
    for statement in [COUNTING, RECODING] {
        let mut job = Running::start(
            &folder,
            &format!("anonymize {source} {JOB} -o {target} --certificate c.json"),
        );
        job.until_it_runs(&database, statement);
        database.sql(TERMINATE);
        assert_eq!(code(&job.end()), "connection-lost", "{statement}");
        assert_eq!(database.relations(), before, "{statement}");
        assert!(!folder.path("c.json").exists());
    }
}

#[test]
fn a_connection_that_is_cut_while_publishing_keeps_the_old_table() {
    let (folder, database) = (Folder::new(), Database::new());
    slow_database(&database);
    database.sql("CREATE TABLE safe AS SELECT 'old' AS age");
    let before = database.relations();
    let (source, target) = (database.table("people"), database.table("safe"));
    // Whoever reads the old table keeps it from being replaced.
    std::thread::scope(|scope| {
        let blocker = scope.spawn(|| {
            database.sql("BEGIN; LOCK TABLE safe IN ACCESS SHARE MODE; SELECT pg_sleep(2); COMMIT")
        });
        let mut job = Running::start(
            &folder,
            &format!("anonymize {source} {JOB} -o {target} --replace"),
        );
        job.until_it_runs(&database, "DROP TABLE%");
        database.sql(TERMINATE);
        assert_eq!(code(&job.end()), "connection-lost");
        blocker.join().unwrap();
    });
    assert_eq!(database.relations(), before);
    assert_eq!(database.sql("SELECT age FROM safe"), "old\n");
}

#[test]
fn ctrl_c_stops_the_engine_and_so_does_a_time_limit() {
    let (folder, database) = (Folder::new(), Database::new());
    slow_database(&database);
    let before = database.relations();
    let (source, target) = (database.table("slow"), database.table("safe"));
    for statement in [COUNTING, RECODING] {
        let mut job = Running::start(&folder, &format!("anonymize {source} {JOB} -o {target}"));
        job.until_it_runs(&database, statement);
        kill(
            Pid::from_raw(job.0.id().try_into().unwrap()),
            Signal::SIGINT,
        )
        .unwrap();
        assert_eq!(job.end().code, 130, "{statement}");
        let idle = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'incrowd' AND state = 'active' \
                    AND datname = current_database()";
        while database.sql(idle) != "0\n" {
            std::thread::sleep(GLANCE);
        }
        assert_eq!(database.relations(), before, "{statement}");
    }
    let late = folder.run(&format!(
        "anonymize {source} {JOB} -o {target} --time-limit 1s"
    ));
    assert_eq!(code(&late), "time-up-reading");
    assert_eq!(database.relations(), before);
}

#[test]
fn an_engine_that_crashes_while_writing_has_nothing_of_it_afterwards() {
    let server: &'static Server = Box::leak(Box::new(Server::start()));
    let (folder, database) = (Folder::new(), Database::on(server));
    slow_database(&database);
    let before = (database.relations(), database.rows("people"));
    let (source, target) = (database.table("slow"), database.table("safe"));
    let mut job = Running::start(&folder, &format!("anonymize {source} {JOB} -o {target}"));
    job.until_it_runs(&database, RECODING);
    server.crash();
    assert_eq!(code(&job.end()), "connection-lost");
    // Nobody can connect, and the job says so.
    let people = database.table("people");
    let gone = folder.run(&format!("anonymize {people} {JOB} -o {target}"));
    assert_eq!(code(&gone), "not-connected");
    server.restart();
    assert_eq!((database.relations(), database.rows("people")), before);
    folder
        .run(&format!("anonymize {people} {JOB} -o {target}"))
        .ends_with(0);
    assert_eq!(database.sql("SELECT count(*) FROM safe"), "400\n");
}

#[test]
fn a_table_that_changes_meanwhile_is_released_as_it_was_counted() {
    let (folder, database) = (Folder::new(), Database::new());
    slow_database(&database);
    let (source, target) = (database.table("slow"), database.table("safe"));
    let mut job = Running::start(&folder, &format!("anonymize {source} {JOB} -o {target}"));
    job.until_it_runs(&database, RECODING);
    database.sql("DELETE FROM people WHERE age = 20");
    database.sql("INSERT INTO people VALUES (99, 'secret')");
    let outcome = job.end().ends_with(0).json();
    assert_eq!(outcome["rows_in"], 400);
    assert_eq!(database.sql("SELECT count(*) FROM safe"), "400\n");
    assert_eq!(
        database.sql("SELECT count(*) FROM safe WHERE disease = 'secret'"),
        "0\n"
    );
}

#[test]
fn the_second_of_two_releases_with_one_name_is_refused() {
    let (folder, database) = (Folder::new(), Database::new());
    slow_database(&database);
    let target = database.table("safe");
    let mut slow = Running::start(
        &folder,
        &format!("anonymize {} {JOB} -o {target}", database.table("slow")),
    );
    slow.until_it_runs(&database, COUNTING);
    folder
        .run(&format!(
            "anonymize {} -q age -s disease -k 1 -o {target}",
            database.table("people")
        ))
        .ends_with(0);
    let first = database.rows("safe");
    assert_eq!(code(&slow.end()), "target-exists");
    assert_eq!(database.rows("safe"), first, "the first one stays");
    assert_eq!(database.relations(), "people\nsafe\nslow\n");
    let again = folder.run(&format!(
        "anonymize {} {JOB} -o {target}",
        database.table("people")
    ));
    assert_eq!(code(&again), "target-exists");
    let replaced = format!(
        "anonymize {} -q age -s disease -k 100 --json -o {target} --replace",
        database.table("people")
    );
    folder.run(&replaced).ends_with(0);
    assert_ne!(database.rows("safe"), first);
}

#[test]
fn what_is_read_or_needed_is_not_replaced() {
    let (folder, database) = (Folder::new(), Database::new());
    slow_database(&database);
    database.sql("CREATE VIEW other AS SELECT * FROM people");
    let people = database.rows("people");
    let query = database.query("SELECT * FROM people");
    for (source, target) in [
        (database.table("people"), "people"),
        (database.table("other"), "people"),
        (query, "people"),
    ] {
        let mut command = folder.command(&format!(
            "anonymize {JOB} --replace -o {}",
            database.table(target)
        ));
        let run = Run::of(command.arg(&source).output().unwrap());
        assert_eq!(code(&run), "target-in-use");
        assert_eq!(database.rows("people"), people);
    }
    let run = folder.run(&format!(
        "anonymize {} {JOB} --replace -o {}",
        database.table("people"),
        database.table("other")
    ));
    assert_eq!(code(&run), "target-not-table");
    assert_eq!(database.relations(), "other\npeople\nslow\n");
}

#[test]
fn missing_rights_and_full_disks_are_told_as_such() {
    let (folder, database) = (Folder::new(), Database::new());
    slow_database(&database);
    let role = format!("weak_{}", std::process::id());
    database.sql(&format!("CREATE ROLE {role} LOGIN"));
    let run = |source: &str, target: &str| {
        let (source, target) = (
            database.table_as(&role, source),
            database.table_as(&role, target),
        );
        folder.run(&format!("anonymize {source} {JOB} -o {target}"))
    };
    assert_eq!(code(&run("people", "safe")), "no-right", "may not read");
    database.sql(&format!("GRANT SELECT ON people TO {role}"));
    assert_eq!(code(&run("people", "safe")), "no-right", "may not create");
    database.sql(&format!("CREATE SCHEMA out AUTHORIZATION {role}"));
    database.sql(&format!(
        "REVOKE TEMPORARY ON DATABASE {} FROM PUBLIC",
        database.sql("SELECT current_database()").trim()
    ));
    assert_eq!(
        code(&run("people", "out.safe")),
        "no-right",
        "no temporary tables"
    );
    database.sql(&format!(
        "GRANT TEMPORARY ON DATABASE {} TO {role}",
        database.sql("SELECT current_database()").trim()
    ));
    run("people", "out.safe").ends_with(0);
    // More than the engine may write to its disk.
    database.sql(&format!("ALTER ROLE {role} SET temp_file_limit = '64kB'"));
    database.sql(&format!("ALTER ROLE {role} SET work_mem = '64kB'"));
    database.sql("CREATE TABLE big AS SELECT g AS age, md5(g::text) AS disease FROM generate_series(1, 50000) g");
    database.sql(&format!("GRANT SELECT ON big TO {role}"));
    assert_eq!(code(&run("big", "out.other")), "engine-full");
    database.sql(&format!(
        "REASSIGN OWNED BY {role} TO postgres; DROP OWNED BY {role}; DROP ROLE {role}"
    ));
    assert_eq!(database.relations(), "big\npeople\nsafe\nslow\n");
}

#[test]
fn a_draft_that_is_not_the_release_is_not_published() {
    let (folder, database) = (Folder::new(), Database::new());
    slow_database(&database);
    let before = database.relations();
    let (source, target) = (database.table("people"), database.table("safe"));
    // Somebody meddles with the draft as soon as it is written.
    for meddling in [
        "DELETE FROM %s WHERE ctid = (SELECT min(ctid) FROM %1$s)",
        "INSERT INTO %s SELECT * FROM %1$s LIMIT 1",
        "UPDATE %s SET age = ''20'' WHERE ctid = (SELECT min(ctid) FROM %1$s)",
        "UPDATE %s SET disease = ''cold'' WHERE ctid = (SELECT min(ctid) FROM %1$s WHERE disease = ''flu'')",
        "UPDATE %s SET disease = NULL WHERE ctid = (SELECT min(ctid) FROM %1$s)",
    ] {
        database.sql(&format!(
            "CREATE OR REPLACE FUNCTION meddle() RETURNS event_trigger LANGUAGE plpgsql AS $$ \
             DECLARE it text; BEGIN FOR it IN SELECT object_identity FROM pg_event_trigger_ddl_commands() LOOP \
             EXECUTE format('{meddling}', it); END LOOP; END $$"
        ));
        database.sql("CREATE EVENT TRIGGER meddles ON ddl_command_end WHEN TAG IN ('CREATE TABLE AS') EXECUTE FUNCTION meddle()");
        let run = folder.run(&format!(
            "anonymize {source} -q age -s disease -k 100 --json -o {target} --certificate c.json"
        ));
        assert!(
            ["draft-differs", "input-changed"].contains(&code(&run).as_str()),
            "{meddling}: {}",
            run.stdout
        );
        database.sql("DROP EVENT TRIGGER meddles");
        assert_eq!(database.relations(), before, "{meddling}");
        assert!(!folder.path("c.json").exists(), "{meddling}");
    }
    folder
        .run(&format!(
            "anonymize {source} -q age -s disease -k 100 -o {target}"
        ))
        .ends_with(0);
}

#[test]
fn a_release_that_changes_while_it_gets_its_name_is_not_published() {
    let (folder, database) = (Folder::new(), Database::new());
    slow_database(&database);
    folder.write("people.csv", "age,disease\n20,flu\n20,cold\n20,flu\n");
    database.sql("CREATE TABLE old AS SELECT 'old' AS age");
    let before = database.relations();
    database.sql(
        "CREATE FUNCTION meddle() RETURNS event_trigger LANGUAGE plpgsql AS $$ \
         DECLARE it text; BEGIN FOR it IN SELECT object_identity FROM pg_event_trigger_ddl_commands() LOOP \
         EXECUTE format('INSERT INTO %s SELECT * FROM %1$s LIMIT 1', it); END LOOP; END $$",
    );
    database.sql("CREATE EVENT TRIGGER meddles ON ddl_command_end WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION meddle()");
    for source in [database.table("people"), "people.csv".into()] {
        for target in ["safe", "old --replace"] {
            let run = folder.run(&format!(
                "anonymize {source} -q age -s disease -k 3 --json --certificate c.json -o {}",
                database.table(target)
            ));
            let code = code(&run);
            assert!(
                ["draft-differs", "input-changed"].contains(&code.as_str()),
                "{source} {target}: {code}"
            );
            assert_eq!(database.relations(), before, "{source} {target}");
            assert_eq!(database.sql("SELECT age FROM old"), "old\n");
            assert!(!folder.path("c.json").exists());
        }
    }
    database.sql("DROP EVENT TRIGGER meddles");
}

#[test]
fn rows_that_do_not_arrive_as_they_were_sent_are_not_published() {
    let folder = Folder::with(
        "people.csv",
        "age,disease\n20,flu\n20,cold\n30,flu\n30,cold\n",
    );
    let database = Database::new();
    let job = format!(
        "anonymize people.csv -q age -s disease -k 2 --json -o {}",
        database.table("safe")
    );
    // Somebody changes every row on its way into the draft.
    database.sql("CREATE FUNCTION change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.disease := 'flu'; RETURN NEW; END $$");
    database.sql(
        "CREATE FUNCTION meddle() RETURNS event_trigger LANGUAGE plpgsql AS $$ \
         DECLARE it text; BEGIN FOR it IN SELECT object_identity FROM pg_event_trigger_ddl_commands() LOOP \
         EXECUTE format('CREATE TRIGGER changes BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION change()', it); \
         END LOOP; END $$",
    );
    database.sql("CREATE EVENT TRIGGER meddles ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION meddle()");
    assert_eq!(code(&folder.run(&job)), "draft-differs");
    assert_eq!(database.relations(), "");
    database.sql("DROP EVENT TRIGGER meddles");
    folder.run(&job).ends_with(0);
}

#[test]
fn a_server_elsewhere_must_show_a_certificate_that_is_trusted() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let certificates = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.crt \
        && openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout server.key \
        -out server.csr && openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 \
        -copy_extensions copy -out server.crt && chmod 600 server.key && chmod 644 ca.crt";
    let settings = format!(
        "-c listen_addresses=127.0.0.1 -c port={port} -c ssl=on -c ssl_cert_file=../server.crt -c ssl_key_file=../server.key"
    );
    let server = Server::start_on(
        port,
        &format!("({certificates}) >openssl.log 2>&1"),
        &settings,
    );
    let folder = Folder::new();
    let authority = server.folder().join("ca.crt").display().to_string();
    let run = |host: &str, parameters: &str| {
        let query = "SELECT 1 AS age, CAST(ssl AS text) AS encrypted FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        let address =
            format!("postgres://postgres@{host}:{port}/postgres?{parameters}query={query}");
        let mut command =
            folder.command("anonymize --json -q age -k 1 --keep encrypted -o out.csv");
        Run::of(
            command
                .arg(address)
                .env_remove("PGSSLMODE")
                .output()
                .unwrap(),
        )
    };
    run("localhost", &format!("sslrootcert={authority}&")).ends_with(0);
    assert_eq!(folder.read("out.csv"), "age,encrypted\n1,true\n");
    run(
        "localhost",
        &format!("sslmode=verify-full&sslrootcert={authority}&"),
    )
    .ends_with(0);
    run("127.0.0.1", "sslmode=disable&").ends_with(0);
    assert_eq!(folder.read("out.csv"), "age,encrypted\n1,false\n");
    // The certificate is for the name, whatever the number is.
    let number = format!("hostaddr=127.0.0.1&sslrootcert={authority}&");
    run("localhost", &number).ends_with(0);
    assert_eq!(folder.read("out.csv"), "age,encrypted\n1,true\n");
    for (host, parameters) in [
        ("localhost", String::new()),
        ("localhost", "sslmode=require&".into()),
        ("127.0.0.1", format!("sslrootcert={authority}&")),
        ("localhost", "sslrootcert=gone.crt&".into()),
        ("", number),
        ("localhost", "hostaddr=127.0.0.1&".into()),
    ] {
        assert_eq!(
            code(&run(host, &parameters)),
            "not-connected",
            "{host} {parameters}"
        );
    }
}

#[test]
fn a_server_elsewhere_that_does_not_encrypt_is_refused_unless_the_address_allows_it() {
    let server: &'static Server = Box::leak(Box::new(Server::start_at_a_port()));
    let database = Database::on(server);
    slow_database(&database);
    let folder = Folder::new();
    let near = database.table_at("postgres", server.port(), "people");
    let run = |address: &str| {
        let mut command = folder.command(&format!("anonymize {address} {JOB} -o out.csv"));
        Run::of(command.env_remove("PGSSLMODE").output().unwrap())
    };
    run(&near.replace("sslmode=disable&", "")).ends_with(0);
    // No address of this machine's own, although it leads here.
    let elsewhere = near.replace("127.0.0.1", "0.0.0.0");
    for mode in ["", "sslmode=require&", "hostaddr=0.0.0.0&"] {
        let address = elsewhere.replace("sslmode=disable&", mode);
        assert_eq!(code(&run(&address)), "not-connected", "{mode}");
    }
    for mode in ["sslmode=disable&", "sslmode=prefer&"] {
        run(&elsewhere.replace("sslmode=disable&", mode)).ends_with(0);
    }
}
