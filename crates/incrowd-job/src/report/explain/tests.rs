use super::*;
use crate::Preparation;
use incrowd_core::algorithms::partition::{Direction, PruningRules, Scheme};
use incrowd_core::hierarchy::HierarchySpec;
use incrowd_core::negotiate::{Estimator, How, Search};

#[track_caller]
fn one(name: &str) -> Entry {
    let found = explain(Some(name)).unwrap().entries;
    assert_eq!(found.len(), 1, "{name}: {found:?}");
    found[0].clone()
}

#[test]
fn entries_are_found_one_by_one_by_family_or_all() {
    let all = explain(None).unwrap().entries.len();
    let mut listed = 0;
    for family in Family::ALL {
        let entries = explain(Some(family.plural())).unwrap().entries;
        assert!(entries.iter().all(|entry| entry.family == family));
        listed += entries.len();
    }
    assert_eq!(listed, all);
    assert!(one("k-anonymity").text.contains("k: "));
    assert!(explain(Some("k-anonimity")).is_err());
}

#[test]
fn every_entry_has_a_summary_of_one_line_and_a_text() {
    for entry in explain(None).unwrap().entries {
        let Entry { name, summary, .. } = &entry;
        assert!(!summary.is_empty() && !summary.contains('\n'), "{name}");
        assert!(entry.text.len() > summary.len(), "{name}");
    }
    for word in GLOSSARY {
        assert!(word.summary.ends_with('.'), "{}", word.name);
        assert!(word.met.ends_with('.'), "{}", word.name);
    }
}

#[test]
fn of_one_family_every_name_is_used_once() {
    let entries = explain(None).unwrap().entries;
    for family in Family::ALL {
        let of_family = entries.iter().filter(|entry| entry.family == family);
        // What a model's parameter can be set to may be the same word in two models.
        let called = of_family.flat_map(|entry| match family {
            Family::Model => vec![entry.name],
            _ => [vec![entry.name], entry.also.clone()].concat(),
        });
        let mut names: Vec<String> = called.map(plain).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "{family}");
    }
}

#[test]
fn words_that_first_users_asked_for_are_known() {
    for name in ["quasi-identifier", "class", "lattice", "ops"] {
        assert_eq!(one(name).name, name);
    }
}

#[test]
fn spelling_is_forgiven_and_slips_are_met_with_a_guess() {
    assert_eq!(one("Quasi Identifiers").name, "quasi-identifier");
    assert_eq!(one("equivalence_class").name, "class");
    assert_eq!(one("ordered").name, "t-closeness");
    let hint = explain(Some("latice")).unwrap_err().hint();
    assert!(hint.contains("did you mean `lattice`"), "{hint}");
    let hint = explain(Some("gini")).unwrap_err().hint();
    assert!(hint.contains("`incrowd explain` lists every"), "{hint}");
}

#[test]
fn one_name_may_mean_several_things_and_all_are_told() {
    let families = |name: &str| -> Vec<Family> {
        let found = explain(Some(name)).unwrap().entries;
        found.iter().map(|entry| entry.family).collect()
    };
    assert_eq!(families("height"), [Family::Metric, Family::Term]);
    assert_eq!(families("top-down"), [Family::Algorithm, Family::Choice]);
    assert_eq!(families("suppress"), [Family::Rule, Family::Choice]);
    assert_eq!(families("metric"), [Family::Term]);
}

#[test]
fn whatever_can_be_chosen_can_be_explained() {
    let mut rules = PruningRules::default();
    let names = (Scheme::ALL.iter().map(|scheme| (scheme.name(), "--scheme")))
        .chain(Direction::ALL.iter().map(|it| (it.name(), "--search")))
        .chain(rules.named().map(|(name, _)| (name, "--without-pruning")))
        .chain(Search::ALL.iter().map(|(name, _)| (*name, "--search")))
        .chain(How::ALL.iter().map(|(name, _)| (*name, "--how")))
        .chain(Preparation::ALL.iter().map(|(name, _)| (*name, "--how")))
        .chain(
            Estimator::ALL
                .iter()
                .map(|(name, _)| (*name, "--estimator")),
        );
    for (name, flag) in names {
        let found = explain(Some(name)).unwrap().entries;
        let says_where = found.iter().any(|entry| entry.text.contains(flag));
        assert!(says_where, "`{flag} {name}` is not explained");
    }
}

#[test]
fn rules_for_hierarchies_are_explained_and_are_rules() {
    let rules = explain(Some("rules")).unwrap().entries;
    let names: Vec<&str> = rules.iter().map(|entry| entry.name).collect();
    assert_eq!(names, HierarchySpec::NAMES);
}
