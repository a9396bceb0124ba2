//! A connection that is cut at any statement of the last step, with and without `--replace`: whatever is there afterwards is
//! a whole release or the old table, and the error is true and says how to go on.

use super::engine::{Engine, Rows};
use super::proxy::{Proxy, Then};
use super::spark_jobs::{JOB, job_through, quiet_server};
use super::spark_server::{Session, servers};
use crate::support::{Folder, Run};

/// What the last step sends, and how often the job sent it before.
fn steps(replaces: bool) -> Vec<(&'static str, usize)> {
    let mut steps = match servers()[0].name {
        "Spark" => vec![("RENAME TO `safe`", 0)],
        _ => vec![
            ("USING parquet LOCATION", 0),
            ("DROP TABLE `incrowd_draft_", 1),
            ("USING parquet LOCATION", 1),
            ("DROP TABLE IF EXISTS `incrowd_draft_", 0),
        ],
    };
    if replaces {
        steps.extend(match servers()[0].name {
            "Spark" => vec![
                ("RENAME TO `incrowd_old_", 0),
                ("DROP TABLE `incrowd_old_", 0),
            ],
            _ => vec![("DROP TABLE `safe`", 0)],
        });
    }
    steps
}

/// The text in backticks that begins with these words.
fn told<'a>(text: &'a str, words: &str) -> &'a str {
    let mut parts = text.split('`').skip(1).step_by(2);
    let part = parts.find(|it| it.starts_with(words));
    part.unwrap_or_else(|| panic!("{words} is not in {text}"))
}

/// The rows of a table; none if it is not there.
fn rows(session: &Session, table: &str) -> Option<Rows> {
    let tables = session.relations();
    let is_there = tables.lines().any(|it| it == table);
    is_there.then(|| session.rows(table))
}

/// Does what the error says, and fails the test if it is not true.
#[track_caller]
fn follow(session: &Session, run: &Run, before: &Option<Rows>, whole: &Rows, what: &str) {
    let error = &run.json()["error"];
    let hint = error["hint"].as_str().unwrap();
    let found = rows(session, "safe");
    match error["code"].as_str().unwrap() {
        "connection-lost" => {
            assert!(hint.contains("nothing was published"), "{what}: {hint}");
            assert_eq!(&found, before, "{what}");
        }
        "publishing-unknown" => {
            assert!(hint.contains("if so, it is complete"), "{what}: {hint}");
            assert!(found.is_none_or(|it| it == *whole), "{what}");
        }
        "old-table-stays" if hint.contains("is the release and complete; drop") => {
            assert_eq!(found.as_ref(), Some(whole), "{what}");
        }
        "old-table-stays" => {
            let old = told(hint, "incrowd_old_");
            match rows(session, old) {
                None => assert_eq!(&found, before, "{what}"),
                old => {
                    assert_eq!(&old, before, "{what}");
                    assert!(found.is_none_or(|it| it == *whole), "{what}");
                }
            }
        }
        "old-table-dropped" => {
            if found.is_none() {
                session.run(told(hint, "CREATE TABLE"));
                assert_eq!(&rows(session, "safe"), before, "{what}");
                return;
            }
            let described = session.sql(told(hint, "DESCRIBE TABLE"));
            let location = described.iter().find(|row| row[0] == "Location").unwrap();
            let is_old = hint.contains(&format!("if its location is `{}`", location[1]));
            let expected = if is_old { before.as_ref() } else { Some(whole) };
            assert_eq!(found.as_ref(), expected, "{what}");
        }
        code => panic!("{what}: {code}"),
    }
}

#[track_caller]
fn cut(then: Then) {
    let server = quiet_server();
    let mut ended = Vec::new();
    for replaces in [false, true] {
        for (text, nth) in steps(replaces) {
            let what = format!("{text} {nth}, replaces: {replaces}");
            let (folder, session) = (Folder::new(), Session::on(server));
            session.run(
                "CREATE TABLE people AS SELECT 20 + id % 5 AS age, 'flu' AS disease FROM range(400)",
            );
            let (source, target) = (session.table("people"), session.table("expected"));
            let job = format!("anonymize {source} {JOB} -o {target}");
            folder.run(&job).ends_with(0);
            let whole = session.rows("expected");
            assert_eq!(whole.1.len(), 400);
            let flag = match replaces {
                true => {
                    session.run("CREATE TABLE safe AS SELECT 'old' AS age");
                    "--replace"
                }
                false => "",
            };
            let before = rows(&session, "safe");
            let proxy = Proxy::new(server.port, text, nth, then);
            let run = folder.run(&job_through(
                &session,
                proxy.port,
                &format!("{flag} --certificate c.json"),
            ));
            assert!(proxy.was_seen(), "{what}");
            let tables = session.relations();
            match run.code {
                0 => assert_eq!(rows(&session, "safe").as_ref(), Some(&whole), "{what}"),
                _ => follow(&session, &run, &before, &whole, &what),
            }
            let code = match run.code {
                0 => "released".to_owned(),
                _ => run.json()["error"]["code"].as_str().unwrap().to_owned(),
            };
            // The certificate is there with the release, and set aside if nobody knows.
            assert_eq!(folder.path("c.json").exists(), run.code == 0, "{what}");
            let aside = folder.path("c.json.unconfirmed").exists();
            let is_unknown = !["released", "connection-lost"].contains(&code.as_str());
            assert_eq!(aside, is_unknown, "{what}: {code}");
            if then != Then::CutForGood {
                let others = tables.lines().filter(|it| *it != "safe");
                assert_eq!(others.collect::<Vec<_>>(), ["expected", "people"], "{what}");
            }
            ended.push(code);
        }
    }
    // The ends are not all the same, so that the test has met more than one.
    ended.sort();
    ended.dedup();
    assert!(ended.len() > 1, "{ended:?}");
}

#[test]
fn a_last_step_of_which_the_server_hears_nothing_loses_no_table() {
    cut(Then::CutBefore);
}

#[test]
fn a_last_step_whose_answer_gets_lost_loses_no_table() {
    cut(Then::CutAfter);
}

#[test]
fn a_last_step_after_which_the_server_is_gone_loses_no_table() {
    cut(Then::CutForGood);
}
