//! `compare --report`: one page that loads nothing and says no more than the releases do.

use crate::support::{Folder, PATIENTS, ROLES, data};
use std::collections::BTreeSet;

/// Elements without an end.
const VOID: [&str; 3] = ["meta", "!DOCTYPE", "br"];

/// The texts between the tags of a page, after every tag was found closed in its turn.
#[track_caller]
pub(crate) fn texts(page: &str) -> Vec<String> {
    let (mut open, mut texts) = (Vec::new(), Vec::new());
    let mut rest = page;
    while let Some((text, after)) = rest.split_once('<') {
        let (tag, after) = after.split_once('>').expect("every tag ends");
        assert!(!text.contains('>'), "{text}");
        texts.push(text.to_owned());
        rest = after;
        let name = tag.split([' ', '/']).find(|it| !it.is_empty()).unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name), "</{name}>");
        } else if !VOID.contains(&name) && !tag.ends_with('/') {
            open.push(name);
        }
        if name == "script" || name == "style" {
            // Not text: up to its end.
            let end = format!("</{name}");
            rest = &rest[rest.find(&end).unwrap_or(0)..];
        }
    }
    assert!(open.is_empty(), "{open:?}");
    texts.retain(|text| !text.trim().is_empty());
    let plain = |text: String| {
        (text.replace("&lt;", "<").replace("&gt;", ">"))
            .replace("&quot;", "\"")
            .replace("&#39;", "'")
            .replace("&amp;", "&")
    };
    texts.into_iter().map(plain).collect()
}

/// Without what differs from run to run.
fn without_times(page: &str) -> String {
    let mut cells = page.split("<td class=\"number time\"");
    let mut kept = cells.next().unwrap().to_owned();
    for cell in cells {
        kept += cell.split_once("</td>").unwrap().1;
    }
    kept
}

#[test]
fn a_report_is_a_whole_page_that_loads_nothing() {
    let folder = Folder::with("t.csv", PATIENTS);
    let run = folder.run(&format!(
        "compare t.csv {ROLES} -k 2 -l 2 --report new/page.html --json"
    ));
    let comparison = run.ends_with(0).json();
    assert_eq!(comparison["report"]["path"], "new/page.html");
    let page = folder.read("new/page.html");
    assert_eq!(folder.list("new"), ["page.html"]);
    let texts = texts(&page);
    for heading in [
        "What was asked",
        "Privacy against detail",
        "Loss by column",
        "Sizes of classes",
        "Before and after",
        "Glossary",
        "distinct-l-diversity(l=2)",
    ] {
        assert!(texts.iter().any(|text| text == heading), "{heading}");
    }
    for way in [
        "http:", "https:", "src=", "url(", "@import", "<link", "<iframe",
    ] {
        assert!(!page.contains(way), "{way}");
    }
    for address in page.split("href=\"").skip(1) {
        assert!(address.starts_with('#'), "{:.40}", address);
    }
    // Names, which are identifying, and diseases, which no plot is about, are not on it.
    for cell in ["Ann", "Bob", "asthma"] {
        assert!(!texts.iter().any(|text| text.contains(cell)), "{cell}");
    }
}

#[test]
fn equal_runs_give_equal_pages_with_any_number_of_threads() {
    let folder = Folder::with("t.csv", PATIENTS);
    let page = |threads: u32, name: &str| {
        let command = format!("compare t.csv {ROLES} -k 3 --threads {threads} --report {name}");
        folder.run(&command).ends_with(0);
        without_times(&folder.read(name))
    };
    let first = page(1, "a.html");
    assert!(first.contains("Seconds") && first.len() > 50_000);
    assert_eq!(first, page(1, "b.html"));
    assert_eq!(first, page(3, "c.html"));
}

/// Every word that a text could be made of: what is between signs that labels are written with.
fn words(text: &str) -> BTreeSet<&str> {
    let signs = |letter: char| " ,:;[]{}()\"".contains(letter);
    let parts = text.split(signs).flat_map(|part| part.split('-'));
    parts.filter(|part| !part.is_empty()).collect()
}

#[test]
fn no_raw_value_is_on_the_page_that_no_release_has() {
    // Values that cannot be taken for anything else on the page, some of them rare.
    let mut table = String::from("town,born,ill\n");
    for row in 0..600u32 {
        let town = match row {
            0 => "Qlonely".to_owned(),
            1..4 => "Qfew".to_owned(),
            _ => format!("Qtown{}", row % 7),
        };
        let born = 710_000 + (row * 7919) % 97 * 13 + if row < 2 { 50_000 } else { 0 };
        let ill = if row % 5 == 0 { "yes" } else { "no" };
        table += &format!("{town},{born},{ill}\n");
    }
    let hierarchy: String = (0..7)
        .map(|town| format!("Qtown{town},Qregion{},*\n", town % 2))
        .chain([
            "Qlonely,Qlonely-area,*\n".into(),
            "Qfew,Qregion1,*\n".into(),
        ])
        .collect();
    let folder = Folder::with("t.csv", &table).and("h/town.csv", hierarchy);
    let request = "t.csv -q town,born --target ill -k 5 --max-suppressed 2% --hierarchies h";
    let all = folder
        .run(&format!("compare {request} --json"))
        .ends_with(0);
    let (mut shown, mut hidden) = (0, 0);
    for run in all.json()["runs"].as_array().unwrap() {
        if run["reached"].is_null() {
            continue;
        }
        let name = run["algorithm"].as_str().unwrap();
        let compare = format!("compare {request} --algorithm {name} --report page.html");
        folder.run(&compare).ends_with(0);
        let texts = texts(&folder.read("page.html"));
        let on_page: BTreeSet<&str> = texts.iter().flat_map(|text| words(text)).collect();
        let release = format!("anonymize {request} --algorithm {name} -o release.csv");
        folder.run(&release).ends_with(0);
        let release = folder.read("release.csv");
        let published: BTreeSet<&str> = release.lines().skip(1).flat_map(words).collect();
        for line in table.lines().skip(1) {
            for raw in line.split(',').take(2) {
                let is_on_page = on_page.contains(raw);
                assert!(!is_on_page || published.contains(raw), "{name}: {raw}");
                hidden += u32::from(!published.contains(raw));
            }
        }
        shown += published.intersection(&on_page).count();
    }
    // The test sees something: published values are on the pages, and there are raw ones to hide.
    assert!(shown > 20 && hidden > 1000, "{shown} {hidden}");
}

#[test]
fn markup_in_names_and_values_is_shown_not_obeyed() {
    let mut table = String::from("\"<b>age</b>\",\"\"\"&<script>x</script>\",ill\n");
    for row in 0..40u32 {
        let age = 20 + row % 10;
        table += &format!("{age},\"<script>{}\",no\n", row % 2);
    }
    let folder = Folder::with("<t>.csv", &table);
    let output = folder
        .command("compare <t>.csv -s ill -k 2 --report page.html")
        .args(["-q", "<b>age</b>", "-q", "\"&<script>x</script>"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let page = folder.read("page.html");
    let texts = texts(&page);
    assert_eq!(page.matches("<script").count(), 1);
    assert!(!page.contains("<b>"));
    let value = "<script>0";
    assert!(texts.iter().any(|text| text == value), "the value is shown");
    assert!(texts.iter().any(|text| text == "<b>age</b>"));
}

#[test]
fn a_page_appears_whole_or_not_at_all_and_never_over_an_input() {
    let folder = Folder::with("t.csv", PATIENTS);
    let over = folder.run(&format!("compare t.csv {ROLES} -k 2 --report t.csv --json"));
    let code = over.ends_with(2).json()["error"]["code"].to_string();
    assert_eq!(code, "\"overwrites-input\"");
    assert_eq!(folder.read("t.csv"), PATIENTS);
    folder
        .run(&format!("compare t.csv {ROLES} -k 99 --report page.html"))
        .ends_with(2);
    assert_eq!(folder.list("."), ["t.csv"]);
    let printed = folder.run(&format!(
        "compare t.csv {ROLES} -k 2 --report - --algorithm optimal"
    ));
    let printed = printed.ends_with(0);
    assert!(printed.stdout.starts_with("<!DOCTYPE html>"));
    assert!(printed.stderr.contains("12 rows"), "{}", printed.stderr);
    let twice = folder.run(&format!("compare t.csv {ROLES} -k 2 --report - --json"));
    let code = twice.ends_with(2).json()["error"]["code"].to_string();
    assert_eq!(code, "\"standard-output-twice\"");
}

#[test]
fn a_plot_varies_the_promise_that_has_a_whole_number_or_says_that_none_has() {
    let folder = Folder::with("t.csv", PATIENTS);
    let page = |promise: &str| {
        let command = format!("compare t.csv {ROLES} {promise} --report p.html");
        folder.run(&command).ends_with(0);
        texts(&folder.read("p.html"))
    };
    let has = |texts: &[String], text: &str| texts.iter().any(|it| it == text);
    let sizes = page("--privacy 't-closeness(t=0.9)' -k 4");
    // Twelve patients cannot hide among more.
    assert!(has(&sizes, "k = 10") && !has(&sizes, "k = 25"));
    let values = page("-l 2");
    // There are three diseases.
    assert!(has(&values, "l = 2") && has(&values, "l = 3") && !has(&values, "l = 4"));
    let none = page("--privacy 't-closeness(t=0.9)'");
    assert!(none.iter().any(|text| text.starts_with("Not drawn")));
}

#[test]
fn adult_is_compared_over_k_and_the_plot_has_every_strength() {
    let folder = Folder::new();
    let (table, hierarchies) = (data("adult/adult.csv"), data("adult/hierarchies"));
    let command = format!(
        "compare {table} -q age,sex,race --others drop -k 7 --hierarchies {hierarchies} \
         --algorithms optimal,datafly,mondrian --report page.html --json"
    );
    let comparison = folder.run(&command).ends_with(0).json();
    let page = folder.read("page.html");
    let texts = texts(&page);
    for k in [2, 3, 5, 7, 10, 25, 50, 100] {
        let head = format!("k = {k}");
        assert!(texts.contains(&head), "{head}");
    }
    // The point of the job itself is what the comparison found.
    let losses = page
        .split("<caption>What more privacy costs: loss by k")
        .nth(1);
    let row = losses.unwrap().split("optimal</th>").nth(1).unwrap();
    let cell = row.split("data-sort=\"").nth(4).unwrap();
    let drawn: f64 = cell.split('"').next().unwrap().parse().unwrap();
    let found = &comparison["runs"][0]["reached"]["metrics"]["loss"];
    assert_eq!(Some(drawn), found.as_f64());
    // Nothing tells where the table lies.
    assert!(!page.contains(&table));
    assert!(texts.contains(&"3 algorithms compared on adult.csv".to_owned()));
}
