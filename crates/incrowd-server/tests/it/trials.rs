//! Trials of other algorithms: everything for the curator, a few rounded figures for an analyst whom the curator lets try.

use crate::support::{Running, data, start, start_small, wish};
use incrowd_server::Role;
use serde_json::{Value, json};

fn trials(algorithms: &[&str], parameter: u64) -> Value {
    json!({ "algorithms": algorithms, "wish": { "model": "k-anonymity", "parameter": parameter, "max_suppressed": "20%" } })
}

fn let_analysts_try(server: &Running) {
    let mut bounds = server.get(Role::Curator, "/bounds").ok();
    bounds["analyst_sees"]["trials"] = json!(true);
    let put = server.ask(Role::Curator, "PUT", "/bounds", Some(&bounds));
    assert_eq!(put.ok(), bounds);
    server.settle();
}

/// Every number and text that is told of a trial, except names.
fn told(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| told(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| told(field, found)),
        Value::Null => {}
        other => found.push(other.to_string()),
    }
}

#[test]
fn an_analyst_tries_nothing_until_the_curator_allows_it() {
    let server = start_small();
    let body = trials(&["optimal"], 3);
    let refused = server.post(Role::Analyst, "/trials", &body).failure();
    assert_eq!(refused, (403, "not-allowed".into()));
    let state = server.get(Role::Analyst, "/state").ok();
    assert_eq!(state["algorithms"], json!([]));
    let_analysts_try(&server);
    let state = server.get(Role::Analyst, "/state").ok();
    assert!(!state["algorithms"].as_array().unwrap().is_empty());
    server.post(Role::Analyst, "/trials", &body).ok();
    // Outside the bounds nothing is tried either.
    let outside = server.post(Role::Analyst, "/trials", &trials(&["optimal"], 2));
    assert_eq!(outside.failure(), (403, "outside-bounds".into()));
}

#[test]
fn an_analyst_is_told_rounded_figures_of_a_trial_and_nothing_of_what_was_made() {
    let server = start(Some(data("adult")));
    server.count_adult(&["age", "sex", "race"]);
    let_analysts_try(&server);
    let algorithms = ["optimal", "finest", "mondrian"];
    let body = trials(&algorithms, 7);
    let exact = server.finish(&server.post(Role::Curator, "/trials", &body).ok());
    let job = server.post(Role::Analyst, "/trials", &body).ok();
    server.finish(&job);
    let path = format!("/jobs/{}", job["id"]);
    let seen = server.get(Role::Analyst, &path).ok();
    assert_eq!(seen["state"], "done", "{seen}");
    let rows = seen["result"]["rows_in"].as_u64().unwrap();
    assert_eq!(rows % 10, 0);
    let runs = seen["result"]["runs"].as_array().unwrap();
    assert_eq!(runs.len(), algorithms.len());
    for (run, exact) in runs.iter().zip(exact["result"]["runs"].as_array().unwrap()) {
        let fields: Vec<&String> = run.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["algorithm", "failed", "reached"]);
        let reached = run["reached"].as_object().unwrap();
        let fields: Vec<&String> = reached.keys().collect();
        assert_eq!(
            fields,
            ["classes", "metrics", "recoding", "rows_suppressed"]
        );
        // Steps of the mask and of two classes: 20 rows, and never 0.
        let suppressed = reached["rows_suppressed"].as_u64().unwrap();
        assert!(
            suppressed > 0 && suppressed.is_multiple_of(20),
            "{suppressed}"
        );
        let classes = reached["classes"].as_u64().unwrap().to_string();
        assert!(classes[1..].bytes().all(|digit| digit == b'0'), "{classes}");
        for (name, value) in reached["metrics"].as_object().unwrap() {
            assert_ne!(name, "research-value");
            let digits = value.to_string().replace(['.', '-'], "");
            let digits = digits.trim_matches('0');
            assert!(digits.len() <= 2 || name == "height", "{name} {value}");
        }
        // No exact figure that is not round by chance.
        let (mut of_analyst, mut of_curator) = (Vec::new(), Vec::new());
        told(&run["reached"], &mut of_analyst);
        told(&exact["reached"]["metrics"], &mut of_curator);
        let long = of_curator.iter().filter(|figure| figure.len() > 6);
        for figure in long {
            assert!(!of_analyst.contains(figure), "{figure}");
        }
    }
    // Not the page with the figures either, nor the job of the curator.
    let page = server.get(Role::Analyst, &format!("{path}/page"));
    assert_eq!(page.failure(), (403, "not-allowed".into()));
    let other = server.get(Role::Analyst, &format!("/jobs/{}", exact["id"]));
    assert_eq!(other.failure().0, 404);
    // The same again is the same: it depends on the work done and not on the time it took.
    let again = server.post(Role::Analyst, "/trials", &body).ok();
    server.finish(&again);
    let again = server
        .get(Role::Analyst, &format!("/jobs/{}", again["id"]))
        .ok();
    assert_eq!(again["result"], seen["result"]);
}

#[test]
fn an_analyst_tries_one_after_the_other_and_may_stop() {
    let server = start(Some(data("adult")));
    server.count_adult(&["age", "sex", "race", "education", "marital-status"]);
    let_analysts_try(&server);
    let slow = trials(&["partition", "optimal", "top-down", "finest"], 10);
    let job = server.post(Role::Analyst, "/trials", &slow).ok();
    let second = server.post(Role::Analyst, "/trials", &slow);
    assert_eq!(second.failure(), (409, "not-now".into()));
    let path = format!("/jobs/{}", job["id"]);
    server.ask(Role::Analyst, "DELETE", &path, None).ok();
    assert_eq!(server.finish(&job)["state"], "cancelled");
    let short = json!({ "algorithms": ["optimal"], "wish": wish() });
    server.post(Role::Analyst, "/trials", &short).ok();
}
