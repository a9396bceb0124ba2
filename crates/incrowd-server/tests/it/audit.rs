//! The log of everything asked and granted.

use crate::support::{start_small, wish};
use incrowd_server::{Role, check_audit};
use serde_json::json;

#[test]
fn everything_asked_and_granted_is_in_the_log_and_a_change_of_it_is_found() {
    let server = start_small();
    for _ in 0..3 {
        server.post(Role::Analyst, "/negotiate", &wish()).ok();
    }
    server.post(Role::Analyst, "/curve", &wish()).ok();
    let id = server
        .post(
            Role::Analyst,
            "/proposals",
            &json!({ "wish": wish(), "offer": "exact" }),
        )
        .ok()["id"]
        .clone();
    let job = server
        .post(
            Role::Curator,
            &format!("/proposals/{id}/approve"),
            &json!({}),
        )
        .ok();
    assert_eq!(server.finish(&job)["state"], "done");
    assert_eq!(
        server
            .get(Role::Analyst, &format!("/deals/{id}/release"))
            .status,
        200
    );
    let audit = server.get(Role::Curator, "/audit").ok();
    assert_eq!(audit["verified"], true);
    let actions: Vec<(&str, &str)> = audit["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            (
                entry["role"].as_str().unwrap_or("server"),
                entry["action"].as_str().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("server", "start"),
        ("server", "table"),
        ("curator", "table"),
        ("curator", "roles"),
        ("analyst", "negotiate"),
        ("analyst", "curve"),
        ("analyst", "propose"),
        ("analyst", "proposal"),
        ("curator", "approval"),
        ("curator", "deal"),
        ("analyst", "download"),
    ];
    assert_eq!(actions, expected);
    let checked = check_audit(&server.folder).unwrap();
    assert_eq!(json!(checked.head), audit["head"]);
    // The file changes behind the server's back.
    let path = server.folder.join("audit.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("\"approval\"", "\"refusal\"", 1)).unwrap();
    assert_eq!(
        check_audit(&server.folder).unwrap_err().code(),
        "audit-broken"
    );
    let audit = server.get(Role::Curator, "/audit").ok();
    assert_eq!(audit["verified"], false);
    assert_eq!(audit["broken_at"], 9);
    std::fs::write(&path, text).unwrap();
    // The end cut off.
    let text = std::fs::read_to_string(&path).unwrap();
    let shorter: String = text
        .lines()
        .take(8)
        .map(|line| format!("{line}\n"))
        .collect();
    std::fs::write(&path, shorter).unwrap();
    assert_eq!(server.get(Role::Curator, "/audit").ok()["verified"], false);
}
