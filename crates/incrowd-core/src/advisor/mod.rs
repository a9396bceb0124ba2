//! Which algorithm suits a table and a data holder: questions over the cards, and nothing else.
//!
//! First, whatever a card contradicts is left out: another use, no proof where one is wanted, a lattice too large to list. What
//! is left is ranked by questions over [properties](crate::algorithms::properties) and [`Facts`], the most important first;
//! of two algorithms the first question that tells them apart decides. So an algorithm is advised on as soon as it has a card, and
//! every place and every exclusion has its reasons.
//!
//! The rules that F. Ben Fredj et al. give as examples follow from the order of the questions. *No use in mind, a large
//! table*: what takes seconds on any table comes first, regions before levels, since they keep more detail, so that `mondrian`,
//! `datafly` and `mu-argus` are the first three. `finest` publishes narrower values than `mondrian`, and stands behind because its
//! classes overlap: whoever knows a person may find them in several. *No use in mind, a small table, an optimum with one level
//! for each column*: whoever wants a proof wants to choose among equals, so those that list several safe releases come first:
//! `incognito`, whose release is the optimum that `optimal` finds, and `samarati`; then `optimal`.

mod facts;
mod questions;
mod wishes;

pub use facts::{Facts, MOST_LISTED, MOST_PARTITIONS};
pub use wishes::{Quality, Use, Wanted, Wishes};

use crate::algorithms::properties::{GrowsWith, Optimum, Usage};
use crate::algorithms::{ALGORITHMS, Algorithm};
use questions::{QUESTIONS, counted};

/// Every algorithm, ranked or excluded, each once.
#[derive(Debug, Clone)]
pub struct Advice {
    /// The best first.
    pub ranked: Vec<Advised>,
    /// In the order of the registry.
    pub excluded: Vec<Advised>,
}

/// An algorithm, and why it stands where it does. There is at least one reason.
#[derive(Debug, Clone)]
pub struct Advised {
    /// The algorithm.
    pub algorithm: &'static dyn Algorithm,
    /// In plain words, the most important first.
    pub reasons: Vec<String>,
}

/// Ranks every algorithm. `refusal` says why an algorithm cannot be run on the problem at all.
pub fn advise(
    wishes: &Wishes,
    facts: &Facts,
    refusal: impl Fn(&'static dyn Algorithm) -> Option<String>,
) -> Advice {
    let (mut ranked, mut excluded) = (Vec::new(), Vec::new());
    for &algorithm in ALGORITHMS {
        let mut reasons = contradictions(wishes, facts, algorithm);
        // Whoever is left out anyway need not be asked.
        if reasons.is_empty() {
            reasons.extend(refusal(algorithm));
        }
        if !reasons.is_empty() {
            excluded.push(Advised { algorithm, reasons });
            continue;
        }
        let (places, answers): (Vec<u8>, Vec<Option<String>>) = QUESTIONS
            .iter()
            .map(|question| question(wishes, facts, algorithm))
            .unzip();
        let reasons = answers.into_iter().flatten().collect();
        ranked.push((places, Advised { algorithm, reasons }));
    }
    // Stable: what no question tells apart stays in the order of the registry.
    ranked.sort_by(|(one, _), (other, _)| one.cmp(other));
    Advice {
        ranked: ranked.into_iter().map(|(_, advised)| advised).collect(),
        excluded,
    }
}

/// What a card has against an algorithm in this context.
fn contradictions(wishes: &Wishes, facts: &Facts, algorithm: &dyn Algorithm) -> Vec<String> {
    let kind = &algorithm.entry().kind;
    let properties = &kind.properties;
    let mut found = Vec::new();
    let made_for = match (properties.usage, wishes.usage) {
        (Usage::Any, _)
        | (Usage::Classification, Use::Classification)
        | (Usage::Regression, Use::Regression) => None,
        (Usage::Classification, _) => Some("classification"),
        (Usage::Regression, _) => Some("regression"),
    };
    found.extend(made_for.map(|made_for| format!("made for {made_for}")));
    let wants_optimum = wishes.quality == Some(Quality::Optimal);
    if wants_optimum && properties.optimum == Optimum::None {
        found.push("proves nothing about its release, and you want an optimum".to_owned());
    }
    if let Some(wanted) = wishes.generalization
        && wanted != kind.generalization
    {
        found.push(format!(
            "publishes {}, and you want {}",
            kind.generalization.name(),
            wanted.name()
        ));
    }
    for Wanted { property, value } in &wishes.properties {
        let has = property.of(kind);
        if has != *value {
            let name = property.name;
            found.push(format!("{name} is {has}, and you want {value}"));
        }
    }
    if properties.effort == GrowsWith::Listed && facts.is_large() {
        found.push(format!(
            "{} lattice nodes for {} distinct tuples: too many to judge or list them",
            counted(facts.lattice_nodes),
            counted(facts.distinct_tuples.into()),
        ));
    }
    let is_partition = properties.effort == GrowsWith::Partitions;
    if is_partition && wants_optimum && facts.has_too_many_partitions() {
        found.push(format!(
            "2^{} choices of partitions: too many to prove an optimum",
            facts.partitions
        ));
    }
    if wishes.is_unattended && kind.choices.is_some() {
        found.push("leaves choices to a person, and there is none".to_owned());
    }
    found
}
