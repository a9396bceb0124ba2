//! State survives a restart.

use crate::support::{Response, start_with, wish};
use incrowd_server::{Role, Server, Settings};
use serde_json::{Value, json};

#[test]
fn everything_is_there_again_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    let csv = (0..40)
        .map(|at| format!("{at},{}s,*\n", at / 10))
        .collect::<String>();
    let (tokens, before, answers) = {
        let server = start_with(Settings::new(&kept));
        server.settle();
        let table = (0..80)
            .map(|at| format!("{},{},{}\n", at % 40, at % 3, at % 5))
            .collect::<String>();
        crate::support::upload(
            &server,
            "t.csv",
            format!("age,sex,disease\n{table}").as_bytes(),
        );
        let roles = json!({ "roles": { "age": "quasi-identifying", "sex": "quasi-identifying", "disease": "sensitive" },
            "order": ["sex", "age"] });
        let job = server
            .ask(Role::Curator, "PUT", "/roles", Some(&roles))
            .ok();
        server.finish(&job);
        let job = server
            .ask(
                Role::Curator,
                "PUT",
                "/hierarchies/0",
                Some(&json!({ "csv": csv })),
            )
            .ok();
        assert_eq!(server.finish(&job)["state"], "done");
        let mut bounds = server.get(Role::Curator, "/bounds").ok();
        bounds["mask"] = json!(7);
        server
            .ask(Role::Curator, "PUT", "/bounds", Some(&bounds))
            .ok();
        server
            .post(
                Role::Analyst,
                "/proposals",
                &json!({ "wish": wish(), "offer": "exact" }),
            )
            .ok();
        let answers = ask_all(&|path, body| server.post(Role::Curator, path, body));
        (
            server.curator.clone(),
            server.get(Role::Curator, "/state").ok(),
            answers,
        )
    };
    let server = start_with(Settings::new(&kept));
    server.settle();
    assert_eq!(server.curator, tokens);
    let after = server.get(Role::Curator, "/state").ok();
    for field in [
        "step",
        "table",
        "quasi_identifiers",
        "bounds",
        "proposals",
        "deals",
        "lattice",
    ] {
        assert_eq!(before[field], after[field], "{field}");
    }
    assert!(after["revision"].as_u64() > before["revision"].as_u64());
    assert_eq!(after["step"], "counted");
    assert_eq!(
        ask_all(&|path, body| server.post(Role::Curator, path, body)),
        answers
    );
    assert_eq!(server.get(Role::Curator, "/audit").ok()["verified"], true);
}

fn ask_all(ask: &dyn Fn(&str, &Value) -> Response) -> Vec<Value> {
    let mut answer = ask("/negotiate", &wish()).ok();
    answer.as_object_mut().unwrap().remove("seconds");
    vec![
        answer,
        ask("/lattice", &wish()).ok(),
        ask("/curve", &wish()).ok(),
    ]
}

#[test]
fn two_servers_do_not_share_a_folder_and_files_are_private() {
    let server = crate::support::start(None);
    let again = Server::open(&Settings {
        port: 0,
        ..Settings::new(&server.folder)
    });
    assert_eq!(again.err().unwrap().code(), "data-folder-in-use");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        for name in ["tokens.json", "state.json", "audit.jsonl", "."] {
            server.settle();
            let mode = std::fs::metadata(server.folder.join(name))
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(mode & 0o077, 0, "{name}");
        }
    }
}

#[test]
fn a_damaged_folder_is_refused_with_its_file() {
    for name in ["tokens.json", "state.json"] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), "{\"curator\": 1").unwrap();
        let error = Server::open(&Settings {
            port: 0,
            ..Settings::new(folder.path())
        });
        let error = error.err().unwrap();
        assert_eq!(error.code(), "data-folder-damaged");
        assert!(error.to_string().contains(name) && !error.hint().is_empty());
    }
}
