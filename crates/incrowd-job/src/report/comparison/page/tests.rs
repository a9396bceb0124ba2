//! Whatever columns, files and values are called, the page stays the page.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::report::comparison::{AtStrength, RunFailed};
use crate::report::outcome::{Figure, Guarantee, PrivacyReached};
use crate::report::pictured::{ColumnPictured, Spread};
use incrowd_core::algorithms::ALGORITHMS;
use indexmap::IndexMap;

const NASTY: [&str; 5] = [
    "<script>alert(1)</script>",
    "\"&'",
    "</td></table><img src=x onerror=alert(1)>",
    "]]><!-- ",
    "a\u{202e}b\nc\u{1b}[2J`code`",
];

/// A run of every algorithm; every fourth has no result.
fn comparison(nasty: &str) -> Comparison {
    let recodings = ["full-domain", "cuts", "partitions", "regions"];
    let runs = ALGORITHMS.iter().enumerate().map(|(at, algorithm)| Run {
        algorithm: algorithm.entry().name.to_owned(),
        max_suppressed: 3,
        metric: format!("classification-metric(column=\"{nasty}\")"),
        reached: (at % 4 != 3).then(|| RunReached {
            guarantee: [Guarantee::Optimal, Guarantee::Bounded, Guarantee::Heuristic][at % 3],
            gap: (at % 3 == 1).then_some(0.12345),
            recoding: recodings[at / 2 % 4].to_owned(),
            levels: None,
            rows_suppressed: at as u64,
            classes: 7,
            smallest_class: 2,
            average_class: 3.5,
            research_value: None,
            metrics: IndexMap::from([
                ("loss".to_owned(), 0.1 * at as f64),
                ("ncp".to_owned(), 0.2),
                ("discernibility".to_owned(), 1e6),
                (format!("classification-metric(column={nasty})"), 0.3),
            ]),
            privacy: vec![PrivacyReached {
                model: format!("t-closeness(t=0.2,column={nasty})"),
                reached: Some(Figure(0.1)),
                holds: true,
            }],
            checked: 1,
            stopped: None,
        }),
        failed: (at % 4 == 3).then(|| RunFailed {
            message: format!("`{nasty}` has other values"),
            hint: nasty.to_owned(),
        }),
        seconds: 0.5,
        peak_memory_bytes: None,
    });
    Comparison {
        version: 1,
        rows_in: 30,
        tuples: 20,
        metric: "loss".into(),
        max_suppressed: 3,
        budget_is_assumed: true,
        seconds_read: 0.1,
        runs: runs.collect(),
        report: None,
    }
}

fn page(nasty: &str) -> String {
    let comparison = comparison(nasty);
    let column = ColumnPictured {
        name: nasty.to_owned(),
        values_before: 9,
        values_after: 3,
        bars: vec![Spread {
            label: nasty.to_owned(),
            before: Some(0.3),
            after: 0.31,
        }],
        is_estimated: true,
        rounded_to: Some(0.01),
    };
    let pictured: Vec<Option<Pictured>> = (comparison.runs.iter())
        .map(|run| {
            run.reached.as_ref().map(|_| Pictured {
                widths: vec![0.5],
                class_sizes: vec![(2, 3), (9, 1)],
                columns: vec![column.clone()],
            })
        })
        .collect();
    let at_strength = |is_found: bool| {
        is_found.then_some(AtStrength {
            loss: 0.2,
            is_final: false,
        })
    };
    let content = ComparisonPage {
        compared: Compared {
            table: nasty.to_owned(),
            rows_excluded: 1,
            quasi_identifiers: vec![nasty.to_owned()],
            sensitive: vec![nasty.to_owned()],
            target: vec![nasty.to_owned()],
            promises: vec![format!("t-closeness(t=0.2,column={nasty})")],
            time_limit: Some("10s".into()),
        },
        pictured: &pictured,
        by_strength: Some(ByStrength {
            model: "k-anonymity",
            parameter: "k",
            strengths: vec![2, 5],
            losses: (0..comparison.runs.len())
                .map(|at| vec![at_strength(at % 2 == 0), at_strength(true)])
                .collect(),
        }),
        comparison: &comparison,
    };
    content.to_html()
}

/// The page with every text taken out of it: what a browser would build it from.
fn skeleton(page: &str) -> String {
    let mut skeleton = String::new();
    for part in page.split('<').skip(1) {
        let (tag, _) = part.split_once('>').expect("every tag ends");
        // Attributes may hold names too, sizes depend on how long they are.
        let name = tag.split([' ', '/']).find(|name| !name.is_empty()).unwrap();
        let is_end = tag.starts_with('/');
        // How a text is broken into lines depends on it.
        if name != "text" && name != "code" {
            skeleton += &format!("<{}{name}", if is_end { "/" } else { "" });
        }
    }
    skeleton
}

#[test]
fn no_name_or_value_changes_what_the_page_is_built_from() {
    let plain = page("plain");
    for nasty in NASTY {
        let page = page(nasty);
        assert_eq!(skeleton(&page), skeleton(&plain), "{nasty}");
        assert_eq!(page.matches("<script>").count(), 1, "{nasty}");
        assert!(!page.contains("<img"), "{nasty}");
        let steers = |letter| incrowd_core::table::steers(letter) && letter != '\n';
        assert!(!page.contains(steers), "{nasty}");
    }
}

#[test]
fn every_algorithm_is_on_the_page_with_its_figures_or_its_reason_and_explained() {
    let page = page("plain");
    for algorithm in ALGORITHMS {
        let name = algorithm.entry().name;
        assert!(
            page.contains(&format!("<a href=\"#algorithm-{name}\">")),
            "{name}"
        );
        assert!(
            page.contains(&format!("<div id=\"algorithm-{name}\">")),
            "{name}"
        );
    }
    for id in ["model-t-closeness", "metric-discernibility", "term-region"] {
        assert!(page.contains(&format!("<div id=\"{id}\">")), "{id}");
    }
    assert_eq!(
        page.matches("has other values").count() / 2,
        ALGORITHMS.len() / 4
    );
    assert!(page.contains("at most 12.4 %") && page.contains("nothing, proven"));
    assert!(page.contains("all were given the same"));
}

#[test]
fn every_link_leads_somewhere() {
    let page = page("plain");
    for link in page.split("href=\"#").skip(1) {
        let (address, _) = link.split_once('"').unwrap();
        assert!(page.contains(&format!("id=\"{address}\"")), "{address}");
    }
}

#[test]
fn a_comparison_without_any_result_or_number_to_vary_says_so() {
    let mut comparison = comparison("plain");
    for run in &mut comparison.runs {
        run.reached = None;
    }
    let pictured = vec![None; comparison.runs.len()];
    let content = ComparisonPage {
        comparison: &comparison,
        compared: Compared {
            table: "t.csv".into(),
            rows_excluded: 0,
            quasi_identifiers: vec!["age".into()],
            sensitive: Vec::new(),
            target: Vec::new(),
            promises: vec!["k-anonymity(k=5)".into()],
            time_limit: None,
        },
        pictured: &pictured,
        by_strength: None,
    };
    let page = content.to_html();
    let none = format!("None of the {} algorithms", ALGORITHMS.len());
    assert!(page.contains(&none));
    assert!(page.contains("Not drawn"));
    assert!(!page.contains("Before and after"));
}
