//! The reference page is what the registries and the glossary say. `make docs` rewrites it.

use crate::support::program;
use std::path::Path;
use std::process::Command;

const HEAD: &str = "# Models, metrics, algorithms and words

This page is generated from the registries and the glossary by `make docs`; `incrowd explain NAME` prints the same text.
";

fn entries() -> Vec<serde_json::Value> {
    let run = Command::new(program())
        .args(["explain", "--json"])
        .output()
        .unwrap();
    let document: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    document["entries"].as_array().unwrap().clone()
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    let mut family = String::new();
    for entry in entries() {
        let text = |field: &str| entry[field].as_str().unwrap().to_owned();
        if text("family") != family {
            family = text("family");
            let plural = match family.strip_suffix('y') {
                Some(stem) => format!("{stem}ies"),
                None => format!("{family}s"),
            };
            page += &format!("\n## {}{}\n", plural[..1].to_uppercase(), &plural[1..]);
        }
        page += &format!(
            "\n### {}\n\n```text\n{}\n```\n",
            text("name"),
            text("text").trim_end()
        );
    }
    page
}

#[test]
fn the_reference_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference.md");
    let page = page();
    if std::env::var_os("INCROWD_WRITE_DOCS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == page,
        "docs/reference.md is out of date; run `make docs`"
    );
}
