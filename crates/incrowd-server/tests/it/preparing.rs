//! A model that is newly allowed is prepared by a job: its progress is seen, it can be cancelled, and nobody waits for it.

use crate::support::{Running, data, start};
use incrowd_server::Role;
use serde_json::{Value, json};

fn allow(server: &Running, models: &Value) {
    let mut bounds = server.get(Role::Curator, "/bounds").ok();
    bounds["models"] = models.clone();
    let put = server.ask(Role::Curator, "PUT", "/bounds", Some(&bounds));
    put.ok();
}

fn preparing(server: &Running) -> Vec<Value> {
    let jobs = server.get(Role::Curator, "/jobs").ok();
    let jobs = jobs["jobs"].as_array().unwrap().clone();
    jobs.into_iter()
        .filter(|job| job["kind"] == "prepare")
        .collect()
}

#[test]
fn a_newly_allowed_model_is_prepared_with_progress_and_can_be_cancelled() {
    let server = start(Some(data("adult")));
    server.count_adult(&["age", "sex", "race", "education", "marital-status"]);
    let k = json!({ "name": "k-anonymity", "floor": 3, "ceiling": 50 });
    let t = json!({ "name": "t-closeness", "floor": 0.5, "ceiling": 0.1 });
    let entropy = json!({ "name": "entropy-l-diversity", "floor": 2, "ceiling": 5 });
    allow(&server, &json!([k, t]));
    let job = preparing(&server).pop().expect("a job");
    let path = format!("/jobs/{}", job["id"]);
    // While it is at work it says how far it is; a machine that is done with it at once has nothing to say.
    let mut seen = Vec::new();
    loop {
        let job = server.get(Role::Curator, &path).ok();
        match job["state"].as_str() {
            Some("queued" | "running") => seen.extend(job["percent"].as_f64()),
            state => break assert_eq!(state, Some("done")),
        }
    }
    assert!(seen.is_sorted(), "{seen:?}");
    // An analyst has no part in it.
    assert_eq!(server.get(Role::Analyst, &path).failure().0, 404);

    allow(&server, &json!([k, t, entropy]));
    let job = preparing(&server).pop().expect("another job");
    let path = format!("/jobs/{}", job["id"]);
    server.ask(Role::Curator, "DELETE", &path, None).ok();
    let over = server.finish(&job);
    assert!(
        over["state"] == "cancelled" || over["state"] == "done",
        "{over}"
    );
    // What was cancelled is prepared when it is asked for, and what is prepared is answered as before.
    for (model, parameter) in [
        ("k-anonymity", 5.0),
        ("t-closeness", 0.3),
        ("entropy-l-diversity", 2.0),
    ] {
        let wish = json!({ "model": model, "parameter": parameter, "max_suppressed": "5%" });
        let answer = server.post(Role::Curator, "/negotiate", &wish).ok();
        assert!(answer["kind"].is_string(), "{answer}");
    }
    // Bounds that change again before a model is prepared leave one job, not two.
    allow(&server, &json!([k]));
    allow(&server, &json!([k, entropy]));
    server.settle();
    let is_at_work = |job: &Value| matches!(job["state"].as_str(), Some("queued" | "running"));
    assert!(!preparing(&server).iter().any(is_at_work));
}
