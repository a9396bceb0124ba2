//! Pages elsewhere, hostile files and hostile paths.

use crate::support::{Response, exchange, start, start_small, upload, wish};
use incrowd_server::Role;
use serde_json::{Value, json};

#[test]
fn a_page_elsewhere_cannot_drive_the_server() {
    let server = start(None);
    let own = format!("http://{}", server.address);
    let attempts: [(&[(&str, &str)], &str); 6] = [
        // DNS rebinding: the browser believes that it talks to somebody else.
        (&[("host", "evil.example")], "wrong-host"),
        (&[("host", "evil.example:7337")], "wrong-host"),
        (&[("origin", "http://evil.example")], "cross-site"),
        (&[("origin", "null")], "cross-site"),
        (&[("sec-fetch-site", "cross-site")], "cross-site"),
        (
            &[
                ("origin", "http://127.0.0.1:1"),
                ("sec-fetch-site", "same-site"),
            ],
            "cross-site",
        ),
    ];
    for (headers, code) in attempts {
        for path in [
            "/api/v1/health",
            "/api/v1/state",
            "/api/v1/nothing",
            "/",
            "/assets/x.js",
        ] {
            let response = server.send("GET", path, Some(&server.curator), headers, b"");
            assert_eq!(response.failure(), (403, code.into()), "{path} {headers:?}");
        }
        // Not even an answer about methods.
        let response = server.send(
            "OPTIONS",
            "/api/v1/table",
            Some(&server.curator),
            headers,
            b"",
        );
        assert_eq!(response.failure().0, 403);
    }
    let headers = [("origin", own.as_str()), ("sec-fetch-site", "same-origin")];
    server
        .send("GET", "/api/v1/state", Some(&server.curator), &headers, b"")
        .ok();
    // A link elsewhere may lead to the page, and to nothing but the page.
    let link = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "navigate"),
        ("sec-fetch-dest", "document"),
    ];
    assert_eq!(server.send("GET", "/", None, &link, b"").status, 200);
    assert_eq!(
        server
            .send("GET", "/api/v1/health", None, &link, b"")
            .status,
        403
    );
    let frame = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", "navigate"),
        ("sec-fetch-dest", "iframe"),
    ];
    assert_eq!(server.send("GET", "/", None, &frame, b"").status, 403);
}

fn check_headers(response: &Response) {
    let policy = response.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
    assert!(!policy.contains("unsafe-eval"));
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(response.header(name), Some(value), "{name}");
    }
    assert!(response.header("access-control-allow-origin").is_none());
    assert!(response.header("content-type").is_some());
}

#[test]
fn every_response_carries_the_headers_that_protect_it() {
    let server = start(None);
    for (method, path) in [
        ("GET", "/"),
        ("GET", "/nothing"),
        ("GET", "/api/v1/health"),
        ("GET", "/api/v1/state"),
        ("POST", "/api/v1/state"),
        ("GET", "/api/v1/nothing"),
        ("PUT", "/api/v1/table"),
        ("POST", "/api/v1/negotiate"),
    ] {
        check_headers(&server.send(method, path, None, &[], b""));
        check_headers(&server.send(method, path, Some(&server.curator), &[], b""));
    }
}

#[test]
fn no_path_leads_out_of_the_page() {
    let server = start_small();
    for path in [
        "/../tokens.json",
        "/..%2ftokens.json",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/assets/../../Cargo.toml",
        "/api/v1/deals/../../tokens.json",
        "/api/v1/deals/1/../../../tokens.json",
        "/api/v1/deals/..%2f..%2ftokens.json/job",
        "/api/v1/deals/%2e%2e/release",
        "/api/v1/deals/1%00/release",
        "/api/v1/hierarchies/-1",
        "/api/v1/hierarchies/1e0",
        "/api/v1/jobs/99999999999999999999999",
        "/api/v1/deals/+1/release",
        "/api/v1/explain/%3Cscript%3E",
    ] {
        let response = server.send("GET", path, Some(&server.curator), &[], b"");
        let text = String::from_utf8_lossy(&response.body).into_owned();
        assert_eq!(response.status, 404, "{path}");
        assert!(
            !text.contains("curator\":\"") && !text.contains("root:") && !text.contains("<script"),
            "{text}"
        );
    }
}

#[test]
fn hostile_names_and_cells_stay_texts() {
    let server = start(None);
    server.settle();
    let columns = [
        "<script>alert(1)</script>",
        "'; DROP TABLE x; --",
        "\u{202e}gnp.exe",
        "a\u{0}b",
        "=cmd|' /C calc'!A0",
        "x\u{1b}[2J",
    ];
    let mut text = columns.map(|name| format!("\"{name}\"")).join(",") + "\n";
    for at in 0..40 {
        text += &format!(
            "<img src=x onerror=alert({at})>,{},</script>{at},b{},=1+{at},\u{1b}]0;x\u{7}\n",
            at % 3,
            at % 5,
        );
    }
    let done = upload(&server, "%3Cb%3E%2F..%2F%22x%22.csv", text.as_bytes());
    // A table may be refused, but then with a sentence.
    let state = server.get(Role::Curator, "/state");
    let raw = String::from_utf8(state.body.clone()).unwrap();
    assert!(
        !raw.contains('\u{202e}') && !raw.contains('\u{1b}'),
        "nothing steers who reads it raw"
    );
    if done["state"] == "done" {
        let state = state.ok();
        assert_eq!(state["table"]["columns"][0]["name"], columns[0]);
        let name = state["table"]["name"].as_str().unwrap();
        assert!(
            name.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)),
            "{name}"
        );
        let mut roles: Value = json!({});
        for (at, name) in columns.iter().enumerate() {
            roles[*name] = json!(if at == 1 || at == 3 {
                "quasi-identifying"
            } else {
                "drop"
            });
        }
        let job = server
            .ask(
                Role::Curator,
                "PUT",
                "/roles",
                Some(&json!({ "roles": roles })),
            )
            .ok();
        let counted = server.finish(&job);
        assert_eq!(counted["state"], "done", "{counted}");
        // A report of a release with such names runs nothing.
        let wish = json!({ "model": "k-anonymity", "parameter": 3, "max_suppressed": "20%" });
        let body = json!({ "wish": wish, "offer": "exact", "note": "<script>alert(2)</script>" });
        let id = server.post(Role::Curator, "/proposals", &body).ok()["id"].clone();
        let job = server
            .post(
                Role::Curator,
                &format!("/proposals/{id}/approve"),
                &json!({}),
            )
            .ok();
        assert_eq!(server.finish(&job)["state"], "done");
        let report = server.get(Role::Analyst, &format!("/deals/{id}/report"));
        check_headers(&report);
        assert!(
            report
                .header("content-disposition")
                .unwrap()
                .starts_with("attachment; filename=\"incrowd-deal-")
        );
        let html = String::from_utf8(report.body).unwrap();
        assert!(!html.contains("<script>alert") && !html.contains("<img src=x"));
    }
}

#[test]
fn a_name_cannot_add_a_header_and_a_request_cannot_hide_another() {
    let server = start(None);
    server.settle();
    let headers = [
        ("content-type", "text/csv"),
        ("x-file-name", "a%0d%0aset-cookie:%20x=1.csv"),
    ];
    let response = server.send(
        "PUT",
        "/api/v1/table",
        Some(&server.curator),
        &headers,
        b"a,b\n1,2\n2,3\n",
    );
    server.finish(&response.ok());
    let name = server.get(Role::Curator, "/state").ok()["table"]["name"].clone();
    assert!(!name.as_str().unwrap().contains(['\r', '\n', ':']));
    // Two lengths, or a length and chunks, could be read as different requests by different programs.
    for smuggled in [
        "content-length: 5\r\ncontent-length: 60\r\n",
        "content-length: 5\r\ntransfer-encoding: chunked, identity\r\n",
    ] {
        let text = format!(
            "POST /api/v1/negotiate HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n{smuggled}\r\n{{}}",
            server.address
        );
        assert!(
            exchange(server.address, text.as_bytes()).status >= 400,
            "{smuggled}"
        );
    }
}

#[test]
fn nothing_asked_for_is_in_a_url_or_in_the_log_as_a_value() {
    let server = start_small();
    server.post(Role::Analyst, "/negotiate", &wish()).ok();
    server
        .post(
            Role::Curator,
            "/preview",
            &json!({ "wish": wish(), "levels": [1, 1] }),
        )
        .ok();
    let csv = (0..30)
        .map(|at| format!("{},secret-label-{},*\n", 20 + at, at / 10))
        .collect::<String>();
    let job = server
        .ask(
            Role::Curator,
            "PUT",
            "/hierarchies/1",
            Some(&json!({ "csv": csv })),
        )
        .ok();
    assert_eq!(server.finish(&job)["state"], "done");
    let log = std::fs::read_to_string(server.folder.join("audit.jsonl")).unwrap();
    assert!(log.contains("negotiate") && log.contains("hierarchy"));
    for cell in [
        "asthma",
        "diabetes",
        "45003",
        "P17",
        "secret-label",
        &server.curator,
        &server.analyst,
    ] {
        assert!(!log.contains(cell), "{cell}");
    }
}
