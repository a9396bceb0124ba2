//! Explained terms, in the words of the registries and the glossary.

use super::html::{Html, element, with};
use crate::report::explain::{Entry, Family, explain};

/// What a term means, in a sentence; nothing for a term that does not exist.
pub(crate) fn explained(family: Family, name: &str) -> Html {
    find(family, name).map_or(Html::default(), |entry| Html::prose(entry.summary))
}

fn find(family: Family, name: &str) -> Option<Entry> {
    let entries = explain(Some(name)).ok()?.entries;
    entries.into_iter().find(|entry| entry.family == family)
}

/// The address of a listed term on the page.
fn address(family: Family, name: &str) -> String {
    format!("{family}-{name}").replace(' ', "-")
}

/// A link to a listed term.
pub(crate) fn link(family: Family, name: &str) -> Html {
    let address = format!("#{}", address(family, name));
    with("a", &[("href", &address)], Html::text(name))
}

/// A list of terms, each with its sentence and the rest of what is known of it to open. A term is listed once.
pub(crate) fn terms<'a>(names: impl IntoIterator<Item = (Family, &'a str)>) -> Html {
    let mut entries: Vec<Entry> = Vec::new();
    for (family, name) in names {
        if let Some(entry) = find(family, name)
            && !entries.contains(&entry)
        {
            entries.push(entry);
        }
    }
    let listed = entries.into_iter().map(|entry| {
        let mut term = element("dfn", Html::text(entry.name));
        term.push(Html::text(" "));
        term.push(element("small", Html::text(entry.family.name())));
        let mut content = element("dt", term);
        let mut meaning = element("p", Html::prose(&entry.summary));
        let summary = element("summary", Html::text("More"));
        let text = element("pre", Html::lines(entry.text.trim_end()));
        meaning.push(element("details", [summary, text].into_iter().collect()));
        content.push(element("dd", meaning));
        let id = address(entry.family, entry.name);
        with("div", &[("id", &id)], content)
    });
    with("dl", &[("class", "terms")], listed.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_found_in_its_family_and_listed_once() {
        let metric = explained(Family::Metric, "loss").to_string();
        let term = explained(Family::Term, "loss").to_string();
        assert!(metric != term && !metric.is_empty() && !term.is_empty());
        assert!(explained(Family::Term, "no such thing").is_empty());
        let list = terms([
            (Family::Term, "class"),
            (Family::Term, "classes"),
            (Family::Metric, "discernibility"),
            (Family::Term, "no such thing"),
        ]);
        assert_eq!(list.to_string().matches("<dt>").count(), 2);
    }
}
