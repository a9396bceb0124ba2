//! The certificate, how to check it, and what the page itself reveals.

use super::Released;
use crate::report::page::words::paragraph;
use crate::report::page::{Html, element, with};
use crate::report::shell::quoted;
use crate::report::visible::visible;
use std::fmt::Write;

pub(super) fn section(released: &Released<'_>) -> Html {
    let certificate = released.certificate;
    let files = &released.files;
    let mut html = match &files.certificate {
        Some((name, _)) => {
            let mut text = Html::text("The certificate, in the file ");
            text.push(element("code", Html::text(name)));
            text.push(Html::text(
                ", states everything above for programs: what was asked, what was reached, and the fingerprints (SHA-256) \
                 below. A file with the same fingerprint is the same file, byte for byte.",
            ));
            element("p", text)
        }
        None => paragraph(
            "No certificate was requested. With `--certificate FILE`, the same run also writes one, which states for \
             programs what was asked and what was reached. These are the fingerprints (SHA-256) it would have: a file with \
             the same fingerprint is the same file, byte for byte.",
        ),
    };
    let mut list = Html::default();
    let mut row = |term: Html, hash: &str| {
        list.push(element("dt", term));
        list.push(element("dd", element("code", Html::text(hash))));
    };
    let named = |what: &str, name: &str| {
        let mut html = Html::text(what);
        html.push(element("code", Html::text(name)));
        html
    };
    row(
        named("The table, ", &files.table),
        &certificate.sha256.input,
    );
    row(Html::text("What was asked"), &certificate.sha256.request);
    row(
        named("The release, ", &files.release),
        &certificate.sha256.output,
    );
    if let Some((name, hash)) = &files.certificate {
        row(named("The certificate, ", name), hash);
    }
    row(
        Html::text("Made by"),
        &format!(
            "{} {}",
            certificate.program.name, certificate.program.version
        ),
    );
    html.push(with("dl", &[("class", "asked")], list));
    html.push(element("h3", Html::text("Check it yourself")));
    html.push(paragraph(
        "Whoever has the release can count it again. In the folder with the files, this command does it, without the table, \
         with code that shares nothing with the search:",
    ));
    html.push(command(&for_readers(released)));
    if files.table_is_file {
        html.push(paragraph(
            "Whoever also has the table can check in addition that every published row comes from it, and that not more \
             rows were left out than allowed:",
        ));
        html.push(command(&for_the_holder(released)));
    }
    if !files.release_is_file {
        html.push(paragraph(format!(
            "Put the name of the file that holds the release in place of `{RELEASE}`."
        )));
    }
    let names = [&files.release, &files.table];
    if names.into_iter().any(|name| visible(name) != name.as_str()) {
        html.push(paragraph(
            "The name of a file has signs that cannot be shown; give the file as it is called.",
        ));
    }
    if files.has_levels_at_hand {
        html.push(paragraph(
            "The program that made the release had the levels of some columns at hand and not in a file: write them to one, \
             and name it with `--hierarchy COLUMN=FILE`.",
        ));
    }
    html
}

fn command(text: &str) -> Html {
    with(
        "pre",
        &[("class", "command"), ("tabindex", "0")],
        element("code", Html::text(text)),
    )
}

/// In place of a release that is not in a file yet.
const RELEASE: &str = "RELEASE.csv";

/// A file name, which must not be taken for a flag.
fn file(name: &str) -> String {
    match name.starts_with('-') {
        true => quoted(&format!("./{name}")),
        false => quoted(name),
    }
}

/// Names of columns, in as many flags as needed: a name with a comma cannot be written in one.
fn columns<'a>(flag: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().fold(String::new(), |mut text, name| {
        // Writing to a `String` cannot fail.
        let _ = write!(text, " {flag} {}", quoted(name));
        text
    })
}

fn for_readers(released: &Released<'_>) -> String {
    let files = &released.files;
    let request = &released.certificate.request;
    let mut text = match files.release_is_file {
        true => format!("incrowd verify {}", file(&files.release)),
        false => format!("incrowd verify {RELEASE}"),
    };
    match &files.certificate {
        Some((name, _)) => text += &format!(" --certificate {}", file(name)),
        None => {
            let names = request.quasi_identifiers.iter();
            text += &columns("-q", names.map(|column| column.column.as_str()));
            text += &columns("-s", request.sensitive.iter().map(String::as_str));
            let is_whole = |promise: &&super::Promise| {
                !promise.settings.iter().any(|(name, _)| *name == "value")
            };
            let mut texts: Vec<&str> = (released.facts.promises.iter().filter(is_whole))
                .map(|promise| promise.text.as_str())
                .collect();
            texts.dedup();
            text += &columns("--privacy", texts);
            if request.spreadsheet_safe {
                text += " --spreadsheet-safe";
            }
            if request.missing != "own-value" {
                text += &format!(" --missing-cells {}", quoted(&request.missing));
            }
            let tokens = request.missing_tokens.iter();
            text += &columns("--missing-tokens", tokens.map(String::as_str));
        }
    }
    if let Some(population) = &files.population {
        text += &format!(" --population {}", file(population));
        // Whom of them a published value stands for, its hierarchy says.
        text += &hierarchies(released);
    }
    text
}

fn hierarchies(released: &Released<'_>) -> String {
    let files = &released.files;
    let folder = files.hierarchies.as_deref();
    let folder = folder.map_or_else(String::new, |folder| {
        format!(" --hierarchies {}", file(folder))
    });
    let own = files.own_hierarchies.iter().map(String::as_str);
    folder + &columns("--hierarchy", own)
}

fn for_the_holder(released: &Released<'_>) -> String {
    let files = &released.files;
    let mut text = for_readers(released);
    text += &format!(" --original {}", file(&files.table));
    if files.population.is_none() {
        text += &hierarchies(released);
    }
    if files.certificate.is_none() {
        let rows = released.certificate.request.max_suppressed;
        text += &format!(" --max-suppressed {rows}");
        if let Some([numbers]) = released.certificate.request.settings.get("numbers") {
            text += &format!(" --numbers {}", quoted(numbers));
        }
    }
    text
}

/// What a reader of the page learns that a reader of the release does not.
pub(super) fn reveals(released: &Released<'_>) -> Html {
    let mut html = paragraph(
        "This page can be passed on with the release. It quotes no cell of the table that the release does not hold. Beside \
         what can be counted in the release, it tells these things about the table:",
    );
    let mut items = Html::default();
    let mut item = |text: &str| items.push(element("li", Html::prose(text)));
    item("the names of all columns, also of those that are not published, and the number of rows");
    item(
        "for each blurred column, how many different values it had, and how many its finer levels tell apart",
    );
    if released.facts.risk.before.is_some() {
        item(
            "the risk before, and how rows were spread before: as shares, rounded, and never about fewer rows than the \
             smallest group has",
        );
    }
    item(
        "what other requests would have cost: losses, the number of rows they would leave out (as `fewer than` where only a \
         few more would be), and the size of their smallest group",
    );
    item(
        "the fingerprint of the table: whoever guesses the whole table can see that the guess is right",
    );
    html.push(element("ul", items));
    html.push(paragraph(
        "None of this is about one person, and none of it names a value. Where even such figures must not leave the house, \
         keep this page there and publish the release with its certificate.",
    ));
    html
}

#[cfg(test)]
mod tests {
    use super::file;

    #[test]
    fn a_file_is_not_taken_for_a_flag() {
        assert_eq!(file("safe.csv"), "safe.csv");
        assert_eq!(file("-x.csv"), "./-x.csv");
    }
}
