//! The description of the API and the API are the same; every endpoint keeps every role within its limits.

use crate::support::{data, start, start_small, wish};
use incrowd_core::negotiate::How;
use incrowd_job::{Control, Ground, Job, Negotiation, Options, Others, Preparation};
use incrowd_server::Role;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

const METHODS: [&str; 5] = ["get", "put", "post", "delete", "patch"];

fn refs(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| refs(item, found)),
        Value::Object(fields) => {
            for (name, field) in fields {
                match field.as_str() {
                    Some(text) if name == "$ref" => drop(found.insert(text.to_owned())),
                    _ => refs(field, found),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn every_schema_that_is_named_exists_and_every_one_that_exists_is_named() {
    let server = start(None);
    let described = server
        .send("GET", "/api/v1/openapi.json", None, &[], b"")
        .ok();
    assert_eq!(described["openapi"], "3.1.0");
    let mut named = BTreeSet::new();
    refs(&described, &mut named);
    let schemas = described["components"]["schemas"].as_object().unwrap();
    let exist: BTreeSet<String> = schemas
        .keys()
        .map(|name| format!("#/components/schemas/{name}"))
        .collect();
    assert_eq!(named, exist);
}

#[test]
fn what_is_described_exists_and_what_is_not_described_does_not() {
    let server = start(None);
    let described = server
        .send("GET", "/api/v1/openapi.json", None, &[], b"")
        .ok();
    let mut endpoints = 0;
    for (path, methods) in described["paths"].as_object().unwrap() {
        let concrete = path
            .replace("{term}", "k")
            .replace("{id}", "999")
            .replace("{index}", "999");
        for method in METHODS {
            let response = server.send(&method.to_uppercase(), &concrete, None, &[], b"");
            match methods.get(method) {
                // Whether it exists is told before who asks; what it needs after that.
                Some(_) => assert!(
                    matches!(response.status, 200 | 400 | 401),
                    "{method} {path}: {}",
                    response.status
                ),
                None => assert_eq!(
                    response.failure(),
                    (405, "wrong-method".into()),
                    "{method} {path}"
                ),
            }
            endpoints += usize::from(methods.get(method).is_some());
        }
    }
    assert_eq!(endpoints, 34);
}

/// Every endpoint with every role, as the description says.
#[test]
fn every_endpoint_lets_in_those_whom_the_description_names_and_nobody_else() {
    let server = start_small();
    let described = server
        .send("GET", "/api/v1/openapi.json", None, &[], b"")
        .ok();
    let wrong = "A".repeat(43);
    for (path, methods) in described["paths"].as_object().unwrap() {
        let concrete = path
            .replace("{term}", "k-anonymity")
            .replace("{id}", "999")
            .replace("{index}", "999");
        let concrete = concrete.replace("/changes", "/changes?after=0");
        for (method, operation) in methods.as_object().unwrap() {
            let who = operation["x-who"].as_str().unwrap();
            assert_eq!(operation.get("security").is_some(), who == "everybody");
            let has_body = operation.get("requestBody").is_some();
            let body: &[u8] = if has_body { b"{}" } else { b"" };
            let headers: &[(&str, &str)] = if has_body {
                &[("content-type", "application/json")]
            } else {
                &[]
            };
            let method = method.to_uppercase();
            let send = |token: Option<&str>| server.send(&method, &concrete, token, headers, body);
            for (token, expected) in [
                (None, &["everybody"][..]),
                (Some(wrong.as_str()), &["everybody"]),
                (Some(""), &["everybody"]),
                (Some(server.analyst.as_str()), &["everybody", "both"]),
                (
                    Some(server.curator.as_str()),
                    &["everybody", "both", "curator"],
                ),
            ] {
                let response = send(token);
                let is_let_in = expected.contains(&who);
                let is_refused = matches!(response.status, 401 | 403);
                assert_eq!(
                    is_let_in, !is_refused,
                    "{method} {path} for {who}: {}",
                    response.status
                );
                if is_refused {
                    let (status, code) = response.failure();
                    let is_known = token == Some(server.analyst.as_str());
                    assert_eq!(
                        (status, code.as_str()),
                        if is_known {
                            (403, "not-allowed")
                        } else {
                            (401, "no-token")
                        }
                    );
                }
            }
        }
    }
}

/// Takes away what differs from one run or one preparation to the next.
fn without_times(mut answer: Value) -> Value {
    answer.as_object_mut().unwrap().remove("seconds");
    // The one was told to annotate everything, the other found that it pays off.
    answer["lattice"]["why"].take();
    answer
}

#[test]
fn answers_are_those_of_the_command_line() {
    let server = start(Some(data("adult")));
    let columns = ["age", "sex", "race", "education"];
    server.count_adult(&columns);
    let mut job = Job::default()
        .quasi_identifiers(columns)
        .sensitive(["hours-per-week"]);
    job.data.path = Some(data("adult/adult.csv").to_str().unwrap().to_owned());
    job.columns.hierarchies = Some(data("adult/hierarchies"));
    job.columns.others = Some(Others::Drop);
    let ground = Ground::count(&job, &Control::default()).unwrap();
    // Each price by itself, as for a single question; the server prices all releases of a node together.
    let options = Options {
        how: Preparation::Fixed(How::Full),
        many_questions: false,
        ..Options::default()
    };
    let control = Control::default();
    let session = Negotiation::new(Arc::new(ground), options, &control).unwrap();
    let mut kinds = BTreeSet::new();
    for parameter in [2, 5, 30, 200] {
        for budget in [json!(0), json!(321), json!("5%")] {
            for levels in [json!(null), json!([1, 0, 1, 1]), json!({ "age": 2 })] {
                for model in ["k-anonymity", "distinct-l-diversity"] {
                    let wish = json!({ "model": model, "parameter": parameter, "max_suppressed": budget,
                        "max_levels": levels });
                    let asked = session.ground().read_wish(&wish.to_string()).unwrap();
                    let expected = session.ask(&asked, &control).unwrap();
                    // As text, since a number read again may differ in its last bit.
                    let expected: Value =
                        serde_json::from_str(&serde_json::to_string(&expected).unwrap()).unwrap();
                    // The first time something may have to be priced; the second time all of it is known.
                    let expected = without_times(expected);
                    for _ in 0..2 {
                        let answer = server.post(Role::Curator, "/negotiate", &wish).ok();
                        kinds.insert(answer["kind"].to_string());
                        assert_eq!(without_times(answer), expected, "{wish}");
                    }
                }
            }
        }
    }
    assert_eq!(kinds.len(), 2, "exact answers and relaxations");
}

#[test]
fn an_analyst_reaches_nothing_outside_the_bounds() {
    let server = start_small();
    let refused = |path: &str, body: Value| server.post(Role::Analyst, path, &body).failure();
    let outside = (403, "outside-bounds".to_owned());
    let hidden = (403, "not-allowed".to_owned());
    for (field, value) in [
        ("parameter", json!(2)),
        ("parameter", json!(51)),
        ("max_suppressed", json!("20.1%")),
        ("max_suppressed", json!(60)),
        ("model", json!("distinct-l-diversity")),
        ("model", json!("k-anonymity(k=2)")),
        ("metric", json!("research-value")),
    ] {
        let mut asked = wish();
        asked[field] = value.clone();
        if field == "model" && value != json!("distinct-l-diversity") {
            asked.as_object_mut().unwrap().remove("parameter");
        }
        // A budget is rounded down to the mask before it is compared.
        let is_rounded = value == json!("20.1%");
        for path in ["/negotiate", "/curve", "/lattice"] {
            match is_rounded {
                true => drop(server.post(Role::Analyst, path, &asked).ok()),
                false => assert_eq!(refused(path, asked.clone()), outside, "{path} {asked}"),
            }
        }
        if !is_rounded {
            assert_eq!(
                refused("/proposals", json!({ "wish": asked, "offer": "exact" })),
                outside
            );
            assert_eq!(
                refused("/distributions", json!({ "wish": asked, "levels": [1, 1] })),
                outside
            );
        }
    }
    let trials = json!({ "wish": wish(), "algorithms": ["optimal"] });
    assert_eq!(refused("/trials", trials), hidden);
    let preview = json!({ "wish": wish(), "levels": [1, 1] });
    assert_eq!(refused("/preview", preview), hidden);
    // What the curator hides is hidden.
    let mut bounds = server.get(Role::Curator, "/bounds").ok();
    for name in [
        "lattice",
        "curve",
        "distributions",
        "metrics",
        "hierarchies",
    ] {
        bounds["analyst_sees"][name] = json!(false);
    }
    server
        .ask(Role::Curator, "PUT", "/bounds", Some(&bounds))
        .ok();
    assert_eq!(refused("/lattice", wish()), hidden);
    assert_eq!(refused("/curve", wish()), hidden);
    assert_eq!(
        refused(
            "/distributions",
            json!({ "wish": wish(), "levels": [1, 1] })
        ),
        hidden
    );
    assert_eq!(
        server.get(Role::Analyst, "/hierarchies/1").failure(),
        hidden
    );
    let mut asked = wish();
    asked["metric"] = json!("loss");
    assert_eq!(refused("/negotiate", asked), outside);
    let answer = server.post(Role::Analyst, "/negotiate", &wish()).ok();
    assert_eq!(answer["answer"]["metrics"], json!({}));
}

#[test]
fn what_an_analyst_sees_names_no_other_column_and_no_exact_size() {
    let server = start_small();
    let state = server.get(Role::Analyst, "/state").ok();
    let text = state.to_string();
    assert!(
        !text.contains("disease")
            && !text.contains("\"name\":\"name\"")
            && !text.contains("patients"),
        "{text}"
    );
    assert_eq!(state["table"]["rows"], 60);
    assert_eq!(state["jobs"], json!([]));
    assert_eq!(server.get(Role::Analyst, "/jobs").ok()["jobs"], json!([]));
    assert_eq!(server.get(Role::Analyst, "/jobs/1").failure().0, 404);
    // Levels come without where they come from.
    let levels = server.get(Role::Analyst, "/hierarchies/1").ok();
    assert_eq!(levels["source"], "");
}

#[test]
fn bounds_that_contradict_themselves_are_refused() {
    let server = start(None);
    let good = server.get(Role::Curator, "/bounds").ok();
    let put = |bounds: &Value| server.ask(Role::Curator, "PUT", "/bounds", Some(bounds));
    assert_eq!(put(&good).ok(), good);
    let mut wrong = Vec::new();
    for (field, value) in [
        ("mask", json!(0)),
        ("mask", json!(1)),
        ("mask", json!(-3)),
        ("models", json!([])),
        (
            "models",
            json!([{ "name": "magic", "floor": 1, "ceiling": 2 }]),
        ),
        (
            "models",
            json!([{ "name": "k-anonymity", "floor": 5, "ceiling": 2 }]),
        ),
        (
            "models",
            json!([{ "name": "k-anonymity", "floor": 2.5, "ceiling": 5 }]),
        ),
        (
            "models",
            json!([{ "name": "t-closeness", "floor": 0.1, "ceiling": 0.5 }]),
        ),
        (
            "models",
            json!([{ "name": "k-anonymity", "floor": 2, "ceiling": 5, "settings": { "x": 1 } }]),
        ),
        ("max_suppressed", json!("101%")),
        ("more", json!(1)),
    ] {
        let mut bounds = good.clone();
        bounds[field] = value;
        wrong.push(bounds);
    }
    for bounds in wrong {
        let status = put(&bounds).status;
        assert!(matches!(status, 400 | 422), "{status}: {bounds}");
    }
    assert_eq!(server.get(Role::Curator, "/bounds").ok(), good);
}
