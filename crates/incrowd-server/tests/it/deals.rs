//! From a proposal to a deal, and what a killed server leaves of it.

use crate::support::{Client, start_small, start_with, wish};
use incrowd_server::{Role, Server, Settings, check_audit};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn propose(client: &Client, role: Role) -> Value {
    let body = json!({ "wish": wish(), "offer": "exact", "note": "for the study" });
    client.post(role, "/proposals", &body).ok()
}

fn approve(client: &Client, id: &Value) -> Value {
    client
        .post(
            Role::Curator,
            &format!("/proposals/{id}/approve"),
            &json!({ "note": "fine" }),
        )
        .ok()
}

const FILES: [&str; 4] = ["release", "certificate", "report", "job"];

#[test]
fn an_approved_proposal_can_be_downloaded_by_both_and_verifies() {
    let server = start_small();
    let proposal = propose(&server, Role::Analyst);
    assert_eq!(proposal["state"], "open");
    let id = &proposal["id"];
    for file in FILES {
        assert_eq!(
            server
                .get(Role::Analyst, &format!("/deals/{id}/{file}"))
                .failure()
                .0,
            404
        );
    }
    let done = server.finish(&approve(&server, id));
    assert_eq!(done["state"], "done", "{done}");
    let state = server.get(Role::Analyst, "/state").ok();
    assert_eq!(state["proposals"][0]["state"], "approved");
    assert_eq!(state["proposals"][0]["answer_note"], "fine");
    assert_eq!(state["deals"][0]["id"], *id);
    let file = |name: &str| {
        let response = server.get(Role::Analyst, &format!("/deals/{id}/{name}"));
        assert_eq!(response.status, 200);
        assert!(
            response
                .header("content-disposition")
                .unwrap()
                .starts_with("attachment")
        );
        String::from_utf8(response.body).unwrap()
    };
    let release = file("release");
    assert!(
        release.starts_with("age,zip,disease\n") && release.lines().count() > 30,
        "{release}"
    );
    assert!(!release.contains("P1"), "names are dropped");
    let certificate: Value = serde_json::from_str(&file("certificate")).unwrap();
    assert_eq!(certificate["reached"]["privacy"][0]["holds"], true);
    // Nobody needs to know where the curator keeps files.
    let folder = server.folder.to_string_lossy().into_owned();
    for name in FILES {
        let text = file(name);
        assert!(!text.contains(&folder) && !text.contains("/tmp"), "{name}");
    }
    // What else was possible is not the analyst's to know.
    assert!(file("report").contains("the data holder keeps to themselves"));
    // Neither is approved twice, nor can anything else be done with it.
    for action in ["approve", "refuse"] {
        let again = server.post(
            Role::Curator,
            &format!("/proposals/{id}/{action}"),
            &json!({}),
        );
        assert_eq!(again.failure(), (409, "not-now".into()));
    }
    let again = server.post(
        Role::Analyst,
        &format!("/proposals/{id}/withdraw"),
        &json!({}),
    );
    assert_eq!(again.failure(), (409, "not-now".into()));
}

#[test]
fn proposals_are_refused_withdrawn_and_kept_apart() {
    let server = start_small();
    let own = propose(&server, Role::Curator)["id"].clone();
    let first = propose(&server, Role::Analyst)["id"].clone();
    let second = propose(&server, Role::Analyst)["id"].clone();
    let seen = server.get(Role::Analyst, "/state").ok()["proposals"].clone();
    assert_eq!(
        seen.as_array().unwrap().len(),
        2,
        "the curator's own is not shown"
    );
    let act = |role, id: &Value, action: &str| {
        server.post(role, &format!("/proposals/{id}/{action}"), &json!({}))
    };
    assert_eq!(act(Role::Analyst, &own, "withdraw").failure().0, 404);
    assert_eq!(act(Role::Curator, &first, "withdraw").failure().0, 403);
    assert_eq!(
        act(Role::Analyst, &first, "withdraw").ok()["state"],
        "withdrawn"
    );
    assert_eq!(
        act(Role::Curator, &second, "refuse").ok()["state"],
        "refused"
    );
    assert_eq!(act(Role::Curator, &json!(99), "refuse").failure().0, 404);
    assert_eq!(
        server
            .post(
                Role::Analyst,
                "/proposals",
                &json!({ "wish": wish(), "offer": "weaker-privacy" })
            )
            .failure()
            .0,
        422
    );
    let long = "x".repeat(2001);
    assert_eq!(
        server
            .post(
                Role::Analyst,
                "/proposals",
                &json!({ "wish": wish(), "offer": "exact", "note": long })
            )
            .failure()
            .0,
        400
    );
}

#[test]
fn what_is_outside_the_bounds_or_about_another_table_cannot_be_approved() {
    let server = start_small();
    let id = propose(&server, Role::Analyst)["id"].clone();
    // The floor rises after the proposal.
    let mut bounds = server.get(Role::Curator, "/bounds").ok();
    bounds["models"][0]["floor"] = json!(10);
    server
        .ask(Role::Curator, "PUT", "/bounds", Some(&bounds))
        .ok();
    let path = format!("/proposals/{id}/approve");
    assert_eq!(
        server.post(Role::Curator, &path, &json!({})).failure(),
        (403, "outside-bounds".into())
    );
    bounds["models"][0]["floor"] = json!(3);
    server
        .ask(Role::Curator, "PUT", "/bounds", Some(&bounds))
        .ok();
    // Other levels.
    let job = server
        .ask(
            Role::Curator,
            "PUT",
            "/hierarchies/1",
            Some(&json!({ "source": "interval:10" })),
        )
        .ok();
    assert_eq!(server.finish(&job)["state"], "done");
    assert_eq!(
        server.post(Role::Curator, &path, &json!({})).failure(),
        (409, "table-changed".into())
    );
    assert_eq!(
        server.get(Role::Analyst, "/state").ok()["proposals"][0]["state"],
        "open"
    );
}

#[test]
fn a_table_that_changed_on_disk_makes_no_deal() {
    let server = start_small();
    let id = propose(&server, Role::Analyst)["id"].clone();
    let tables = std::fs::read_dir(server.folder.join("table")).unwrap();
    let path = tables
        .map(|entry| entry.unwrap().path().join("patients.csv"))
        .find(|path| path.exists())
        .unwrap();
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("P99,20,45000,asthma\n");
    std::fs::write(&path, text).unwrap();
    let done = server.finish(&approve(&server, &id));
    assert_eq!(done["state"], "failed", "{done}");
    let state = server.get(Role::Analyst, "/state").ok();
    assert_eq!(state["proposals"][0]["state"], "open");
    assert_eq!(state["deals"], json!([]));
    assert_eq!(
        std::fs::read_dir(server.folder.join("deals"))
            .unwrap()
            .count(),
        0
    );
}

/// Where a child process finds its data folder.
const FOLDER: &str = "INCROWD_TEST_SERVE";

/// Not a test by itself: what the next one starts and kills.
#[test]
fn a_server_in_a_process_of_its_own() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let settings = Settings {
        port: 0,
        ..Settings::new(folder)
    };
    let server = Server::open(&settings).unwrap();
    println!(
        "\nserving {} {} {}",
        server.address(),
        server.token(Role::Curator),
        server.token(Role::Analyst)
    );
    server.run().unwrap();
}

fn spawn(folder: &Path) -> (Child, Client) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "deals::a_server_in_a_process_of_its_own",
            "--exact",
            "--nocapture",
        ])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = lines
        .map(Result::unwrap)
        .find(|line| line.starts_with("serving "))
        .unwrap();
    let words: Vec<&str> = line.split(' ').collect();
    let client = Client {
        address: words[1].parse().unwrap(),
        curator: words[2].into(),
        analyst: words[3].into(),
    };
    (child, client)
}

#[test]
fn a_server_killed_in_an_approval_leaves_no_deal_or_the_whole_deal() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    // A table in which something is to be done.
    {
        let server = start_with(Settings::new(&kept));
        server.settle();
        let mut text = String::from("age,zip,disease\n");
        for at in 0..3000 {
            text += &format!(
                "{},{},d{}\n",
                20 + at * 7 % 60,
                45000 + at * 13 % 90,
                at % 9
            );
        }
        crate::support::upload(&server, "patients.csv", text.as_bytes());
        let roles = json!({ "roles": { "age": "quasi-identifying", "zip": "quasi-identifying", "disease": "sensitive" } });
        let job = server
            .ask(Role::Curator, "PUT", "/roles", Some(&roles))
            .ok();
        assert_eq!(server.finish(&job)["state"], "done");
    }
    let mut seen = [0, 0];
    // Each time one step further: what appears in the folder says how far the approval is.
    let moments: [&[&str]; 9] = [
        &[],
        &[".part"],
        &[".part/release.csv", ".part/.release.csv"],
        &[".part/certificate.json"],
        &[".part/report.html"],
        &[".part/job.toml"],
        &[".part/deal.json", ".part/deal.json.part"],
        &["/deal.json"],
        &["/deal.json"],
    ];
    for (round, moment) in moments.iter().enumerate() {
        let (mut child, client) = spawn(&kept);
        client.settle();
        let id = propose(&client, Role::Analyst)["id"].clone();
        let job = approve(&client, &id);
        let deal = kept.join(format!("deals/{id}"));
        let reached = || {
            moment.is_empty()
                || moment
                    .iter()
                    .any(|part| Path::new(&format!("{}{part}", deal.display())).exists())
        };
        // A moment may pass unseen; then the deal is there.
        while !reached() && !deal.exists() {
            std::thread::yield_now();
        }
        if round == moments.len() - 1 {
            assert_eq!(client.finish(&job)["state"], "done");
        }
        child.kill().unwrap();
        child.wait().unwrap();

        let server = start_with(Settings::new(&kept));
        server.settle();
        let state = server.get(Role::Curator, "/state").ok();
        let proposals = state["proposals"].as_array().unwrap();
        let proposal = proposals
            .iter()
            .find(|proposal| proposal["id"] == id)
            .unwrap();
        let has_deal = state["deals"]
            .as_array()
            .unwrap()
            .iter()
            .any(|deal| deal["id"] == id);
        seen[usize::from(has_deal)] += 1;
        assert_eq!(
            proposal["state"],
            if has_deal { "approved" } else { "open" }
        );
        for file in FILES {
            let response = server.get(Role::Analyst, &format!("/deals/{id}/{file}"));
            assert_eq!(response.status, if has_deal { 200 } else { 404 }, "{file}");
        }
        // Nothing half-done stays, and the log is whole and says what was granted.
        let names = std::fs::read_dir(kept.join("deals")).unwrap();
        let names: Vec<String> = names
            .map(|name| name.unwrap().file_name().into_string().unwrap())
            .collect();
        assert!(
            names.iter().all(|name| name.parse::<u64>().is_ok()),
            "{names:?}"
        );
        assert_eq!(names.contains(&id.to_string()), has_deal);
        check_audit(&kept).unwrap();
        let audit = server.get(Role::Curator, "/audit").ok();
        let entries = audit["entries"].as_array().unwrap();
        let granted = entries
            .iter()
            .filter(|entry| entry["action"] == "deal" && entry["detail"]["id"] == id)
            .count();
        assert_eq!(granted, usize::from(has_deal));
    }
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
}
