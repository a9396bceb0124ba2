//! The advisor against the cards: whatever the context, nothing is ranked that a card contradicts, and nothing is forgotten.

use fastrand::Rng;
use incrowd_core::advisor::{Advice, Facts, MOST_LISTED, Quality, Use, Wanted, Wishes, advise};
use incrowd_core::algorithms::{ALGORITHMS, AlgorithmKind, Generalization, PROPERTIES, Property};
use std::collections::BTreeSet;

/// A table of the usual kind: small enough to judge every node.
const SMALL: Facts = Facts {
    rows: 1_000,
    distinct_tuples: 600,
    lattice_nodes: 400,
    quasi_identifiers: 4,
    numbers: 1,
    missing_cells: 0,
    partitions: 30,
    work_limit: Some(3_000_000_000),
};

const LARGE: Facts = Facts {
    rows: 300_000,
    distinct_tuples: 250_000,
    lattice_nodes: 3_100_000,
    quasi_identifiers: 9,
    partitions: 300,
    ..SMALL
};

fn names(advice: &Advice) -> Vec<&'static str> {
    let ranked = advice.ranked.iter();
    ranked
        .map(|advised| advised.algorithm.entry().name)
        .collect()
}

fn without_refusals(wishes: &Wishes, facts: &Facts) -> Advice {
    advise(wishes, facts, |_| None)
}

/// "If you don't project a specific usage of your large data set then you can perform Datafly, mu-argus or Median Mondrian."
#[test]
fn the_first_rule_of_the_paper_comes_out() {
    let advice = without_refusals(&Wishes::default(), &LARGE);
    assert_eq!(names(&advice)[..3], ["mondrian", "datafly", "mu-argus"]);
    let left_out = |name: &str| {
        let found = advice
            .excluded
            .iter()
            .find(|it| it.algorithm.entry().name == name);
        found.map(|it| it.reasons.join(" "))
    };
    let reason = left_out("incognito").expect("too large a lattice");
    assert!(reason.contains("3.1 million lattice nodes"), "{reason}");
}

/// "If you don't project a specific usage of your small data set and if you wish to have an anonymized data set satisfying an
/// optimal k-anonymity and having all the values of each anonymized attribute at the same level ... then you can perform
/// Samarati or Incognito."
#[test]
fn the_second_rule_of_the_paper_comes_out() {
    let wishes = Wishes {
        quality: Some(Quality::Optimal),
        generalization: Some(Generalization::FullDomain),
        ..Wishes::default()
    };
    let advice = without_refusals(&wishes, &SMALL);
    assert_eq!(names(&advice)[..3], ["incognito", "samarati", "optimal"]);
}

#[test]
fn targets_are_served_by_what_is_made_for_them() {
    let first = |usage| {
        let wishes = Wishes {
            usage,
            ..Wishes::default()
        };
        names(&without_refusals(&wishes, &SMALL))[0]
    };
    assert_eq!(first(Use::Classification), "mondrian-infogain");
    assert_eq!(first(Use::Regression), "mondrian-lsd");
    assert_eq!(first(Use::Tables), "optimal");
    assert_eq!(first(Use::Any), "mondrian");
}

#[test]
fn rules_and_metrics_are_respected() {
    let rules = Wishes {
        has_rules: true,
        ..Wishes::default()
    };
    assert_eq!(names(&without_refusals(&rules, &SMALL))[0], "rv-cluster");
    let metric = Wishes {
        metric: Some("discernibility".into()),
        ..Wishes::default()
    };
    assert_eq!(names(&without_refusals(&metric, &SMALL))[0], "optimal");
}

/// Facts and wishes at random, often contradictory.
fn random_context(rng: &mut Rng) -> (Wishes, Facts) {
    let facts = Facts {
        rows: rng.u64(1..1_000_000),
        distinct_tuples: rng.u64(1..500_000),
        lattice_nodes: u128::from(1 + (rng.u64(..) >> rng.u32(20..64))),
        quasi_identifiers: rng.usize(1..40),
        numbers: rng.usize(0..4),
        missing_cells: rng.u64(0..3),
        partitions: rng.u64(0..60),
        work_limit: [None, Some(1_000), Some(3_000_000_000)][rng.usize(0..3)],
    };
    let generalizations = [
        Generalization::FullDomain,
        Generalization::Cuts,
        Generalization::Partitions,
        Generalization::Regions,
    ];
    let mut wanted = || {
        let property: &'static Property = &PROPERTIES[rng.usize(0..PROPERTIES.len())];
        let value = property.values[rng.usize(0..property.values.len())];
        Wanted { property, value }
    };
    let properties = [wanted(), wanted()];
    let wishes = Wishes {
        usage: Use::ALL[rng.usize(0..4)].1,
        quality: [None, Some(Quality::Optimal), Some(Quality::Good)][rng.usize(0..3)],
        generalization: rng.bool().then(|| generalizations[rng.usize(0..4)]),
        may_suppress: [None, Some(true), Some(false)][rng.usize(0..3)],
        properties: properties[..rng.usize(0..3)].to_vec(),
        metric: rng.bool().then(|| "ncp".to_owned()),
        has_rules: rng.bool(),
        is_unattended: rng.bool(),
    };
    (wishes, facts)
}

/// What a card says, read without the advisor's code.
fn on_card(kind: &AlgorithmKind, property: &str) -> &'static str {
    Property::named(property).unwrap().of(kind)
}

fn contradicts(kind: &AlgorithmKind, wishes: &Wishes, facts: &Facts) -> bool {
    let usage = on_card(kind, "usage");
    let is_other_use = usage != "any" && usage != wishes.usage.name();
    let is_unproven = wishes.quality == Some(Quality::Optimal) && on_card(kind, "optimal") == "no";
    let shape = wishes.generalization.map(Generalization::name);
    let is_other_shape = shape.is_some_and(|shape| on_card(kind, "generalization") != shape);
    let mut wanted = wishes.properties.iter();
    let is_other = wanted.any(|it| on_card(kind, it.property.name) != it.value);
    let work = facts.lattice_nodes * u128::from(facts.distinct_tuples);
    let limit = facts.work_limit.unwrap_or(3_000_000_000);
    let is_too_large = facts.lattice_nodes > MOST_LISTED || work > u128::from(limit);
    let is_lost = on_card(kind, "small-data") == "yes" && is_too_large;
    let needs_someone = on_card(kind, "automation") == "semi-automatic" && wishes.is_unattended;
    is_other_use || is_unproven || is_other_shape || is_other || is_lost || needs_someone
}

#[test]
fn no_context_yields_an_algorithm_whose_card_contradicts_it() {
    let rng = &mut Rng::with_seed(4);
    let mut ranked_at_all = 0;
    for case in 0..3_000 {
        let (wishes, facts) = random_context(rng);
        let refused: BTreeSet<&str> = (ALGORITHMS.iter())
            .map(|algorithm| algorithm.entry().name)
            .filter(|_| rng.u8(0..8) == 0)
            .collect();
        let refusal = |name: &str| refused.contains(name).then(|| "refused".to_owned());
        let advice = advise(&wishes, &facts, |algorithm| refusal(algorithm.entry().name));
        let all: Vec<&str> = (advice.ranked.iter().chain(&advice.excluded))
            .map(|advised| advised.algorithm.entry().name)
            .collect();
        let each: BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(
            (all.len(), each.len()),
            (ALGORITHMS.len(), ALGORITHMS.len()),
            "case {case}"
        );
        for advised in &advice.ranked {
            let entry = advised.algorithm.entry();
            let is_fit =
                !contradicts(&entry.kind, &wishes, &facts) && !refused.contains(entry.name);
            assert!(
                is_fit,
                "case {case}: {} for {wishes:?}, {facts:?}",
                entry.name
            );
            ranked_at_all += 1;
        }
        for advised in &advice.excluded {
            let entry = advised.algorithm.entry();
            let wants_proof = wishes.quality == Some(Quality::Optimal);
            let is_beyond_proof = on_card(&entry.kind, "effort") == "partitions" && wants_proof;
            let has_reason = contradicts(&entry.kind, &wishes, &facts)
                || refused.contains(entry.name)
                || is_beyond_proof;
            assert!(
                has_reason,
                "case {case}: {} is left out of {wishes:?}",
                entry.name
            );
        }
        let mut advised = advice.ranked.iter().chain(&advice.excluded);
        assert!(
            advised.all(|it| !it.reasons.is_empty()),
            "case {case}: a reason for each"
        );
    }
    assert!(ranked_at_all > 2_000, "{ranked_at_all}");
}
