//! What is protected, against whom, and what is not.

use super::promises::Harm;
use super::{Promise, Released};
use crate::report::outcome::RowOrder;
use crate::report::page::words::{count, paragraph, percent_in_words};
use crate::report::page::{Cell, Head, Html, Table, element, with};

/// The chance of being one of so many.
pub(super) fn one_in(chance: f64) -> String {
    match chance {
        chance if chance <= 0.0 => "none".to_owned(),
        chance if chance >= 1.0 => "1 in 1".to_owned(),
        chance => format!("1 in {}", incrowd_plot::grouped((1.0 / chance).round())),
    }
}

pub(super) fn section(released: &Released<'_>) -> Html {
    let mut html = paragraph(
        "The promises below were checked in the release itself, by code that shares nothing with the search that found \
         it. A release that breaks one of them is not written.",
    );
    html.push(promises(&released.facts.promises));
    html.push(element("h3", Html::text("Against which attacker")));
    html.push(attackers(released));
    html.push(element("h3", Html::text("What is not protected")));
    html.push(not_protected(released));
    html
}

fn promises(promises: &[Promise]) -> Html {
    let rows = promises.iter().map(|promise| {
        vec![
            Cell::Words {
                shown: element("code", Html::text(&promise.text)),
                key: promise.text.clone(),
            },
            Cell::Words {
                shown: promise.sentence(),
                key: String::new(),
            },
            Cell::text(promise.reached_in_words()),
        ]
    });
    let table = Table {
        caption: "Every promise, what it means, and what was reached".into(),
        heads: vec![
            Head::words("Promise", Html::default()),
            Head::words("What it means", Html::default()),
            Head::words(
                "Reached",
                Html::text("The worst figure of any group of people who look alike."),
            ),
        ],
        rows: rows.collect(),
    };
    table.finish_stacking()
}

/// What each kind of attacker can do.
fn attackers(released: &Released<'_>) -> Html {
    let risk = &released.facts.risk.after;
    let find = |model: &str| {
        let mut promises = released.facts.promises.iter();
        promises.find(|promise| promise.model == model)
    };
    let k_map = find("k-map").and_then(|promise| promise.reached);
    let item = |name: &str, text: String| {
        let mut html = element("strong", Html::text(name));
        html.push(Html::prose(text));
        element("li", html)
    };
    let highest = one_in(risk.highest);
    let mut items = item(
        "The prosecutor",
        format!(
            " looks for one person, knows that this person is in the table, and knows all blurred columns about them. At \
             best, the row they pick is the right one with a chance of: {highest}; on average over all rows: {}.",
            percent_in_words(risk.average)
        ),
    );
    items.push(item(
        "The journalist",
        match k_map {
            Some(people) => format!(
                " wants to show that anybody at all can be found, with a register of everyone the table could be about. \
                 Every row matches at least {} people of that register, so a match is right with a chance of at most: {}.",
                incrowd_plot::grouped(people),
                one_in(1.0 / people.max(1.0))
            ),
            None => format!(
                " wants to show that anybody at all can be found, with a register of everyone the table could be about. \
                 No register was given, so this was not measured by itself; the register holds at least the people of the \
                 table, so the chance is at most the prosecutor's: {highest}."
            ),
        },
    ));
    items.push(item(
        "The marketer",
        format!(
            " tries to match everybody and does not mind mistakes. Of all matches, so many are right on average: {}.",
            percent_in_words(risk.average)
        ),
    ));
    let learning: Vec<&Promise> = (released.facts.promises.iter())
        .filter(|promise| promise.harms().contains(&Harm::Learning))
        .collect();
    let certain = &risk.certain;
    let about_certain = match certain.iter().map(|(_, share)| *share).reduce(f64::max) {
        None => String::new(),
        Some(share) if share > 0.0 => format!(
            " As it is, that is so for {} of the rows.",
            percent_in_words(share)
        ),
        Some(_) => " In no group do all people have the same value.".to_owned(),
    };
    items.push(item(
        "Whoever wants to learn a secret",
        match learning.as_slice() {
            [] if certain.is_empty() => {
                " does not need to find a row: it would be enough if all people who look alike had the same value. No \
                 column was named as one whose values must stay secret, so nothing was promised about that."
                    .to_owned()
            }
            [] => format!(
                " does not need to find a row: it is enough if all people who look alike have the same value. None of the \
                 promises is about that.{about_certain}"
            ),
            _ => format!(
                " does not need to find a row: it is enough if all people who look alike have the same value. The promises \
                 above about sensitive columns limit that.{about_certain}"
            ),
        },
    ));
    element("ul", items)
}

/// What a reader must not take for protected.
fn not_protected(released: &Released<'_>) -> Html {
    let (outcome, request) = (released.outcome, &released.certificate.request);
    let mut items = Html::default();
    let mut item = |text: String| items.push(element("li", Html::prose(text)));
    for column in outcome
        .exposed
        .homogeneous
        .iter()
        .filter(|column| column.classes > 0)
    {
        item(format!(
            "In {}, with {}, all people have the same value of `{}`. Whoever knows that somebody is among them knows \
             that value.",
            count(
                column.classes,
                "group of people who look alike",
                "groups of people who look alike"
            ),
            count(column.rows, "row", "rows"),
            column.column.replace('`', "'")
        ));
    }
    for given in (outcome.exposed.given_away.iter()).filter(|given| given.share > 0.0) {
        item(format!(
            "Sensitive values that other columns give away: whoever also knows the columns that are published as they are \
             learns `{}` for {} of the rows.",
            given.column.replace('`', "'"),
            given.in_words()
        ));
    }
    if let Some(together) = (outcome.exposed.kept_with_classes.as_ref()).filter(|it| it.rows > 0) {
        item(format!(
            "People who stand out by the kept columns: {} of the rows are unique if these columns are known too.",
            together.in_words()
        ));
    }
    let promises = &released.facts.promises;
    let is_promised = |harm: Harm| promises.iter().any(|it| it.harms().contains(&harm));
    if !is_promised(Harm::Presence) {
        item(
            "That somebody is in the table at all. Whoever knows the group a person would be in sees whether there is such \
             a group."
                .to_owned(),
        );
    }
    if !is_promised(Harm::Finding) {
        item(format!(
            "Finding a person's row: no promise is about the size of groups. The smallest group has {}.",
            count(outcome.smallest_class, "row", "rows")
        ));
    }
    let kept = request.sensitive.len() + request.target.len() + request.kept.len();
    if kept > 0 {
        item(
            "People about whom an attacker already knows something in the columns that are published as they are. Such \
             columns are safe only as long as nobody knows them."
                .to_owned(),
        );
    }
    item(
        "Guesses. Statistics about groups stay true, and what is true of most people in a group may be true of a certain \
         person in it."
            .to_owned(),
    );
    item(
        "Several releases of one table, or other tables about the same people: combined, they can tell more than each of \
         them. This page is about one release only."
            .to_owned(),
    );
    if request.row_order == RowOrder::Input {
        item(
            "The order of the rows, which is that of the table. Whoever knows a person's place in the table, such as the \
             order in which patients came, finds the row. `--shuffle` prevents that."
                .to_owned(),
        );
    }
    let mut html = element("ul", items);
    let warnings: Html = (outcome.exposed.warnings.iter())
        .map(|warning| element("li", Html::prose(warning)))
        .collect();
    if !warnings.is_empty() {
        let mut content = element("strong", Html::text("Warnings of the check"));
        content.push(element("ul", warnings));
        html.push(with("div", &[("class", "note")], content));
    }
    html
}
