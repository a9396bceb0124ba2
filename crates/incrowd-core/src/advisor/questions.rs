//! The questions that rank algorithms, the most important first.

use super::facts::Facts;
use super::wishes::{Quality, Use, Wishes};
use crate::algorithms::properties::{GrowsWith, Optimum, Usage};
use crate::algorithms::{Algorithm, Generalization, Status};

/// A place, the lowest first, and what there is to say about it.
type Answer = (u8, Option<String>);

type Question = fn(&Wishes, &Facts, &dyn Algorithm) -> Answer;

/// The metric of algorithms that are made for rules and weights.
const OF_EXPERTS: &str = "research-value";

/// Of two algorithms, the first question that tells them apart decides.
pub(super) const QUESTIONS: [Question; 12] = [
    is_made_for_the_use,
    is_made_for_rules,
    minimizes_the_metric,
    lists_equals,
    is_quick,
    keeps_detail,
    keeps_classes_apart,
    uses_the_budget,
    is_proven,
    finds_intervals,
    is_reviewed,
    runs_by_itself,
];

fn said(place: u8, reason: impl Into<String>) -> Answer {
    (place, Some(reason.into()))
}

const fn unsaid(place: u8) -> Answer {
    (place, None)
}

fn is_made_for_the_use(wishes: &Wishes, _: &Facts, algorithm: &dyn Algorithm) -> Answer {
    let kind = &algorithm.entry().kind;
    match (wishes.usage, kind.properties.usage) {
        (Use::Any, _) => unsaid(0),
        (Use::Classification, Usage::Classification) => said(0, "made for classification"),
        (Use::Regression, Usage::Regression) => said(0, "made for regression"),
        (Use::Classification | Use::Regression, _) => {
            said(1, "made for any use, so not for the target")
        }
        (Use::Tables, _) => match kind.generalization {
            Generalization::FullDomain => unsaid(0),
            Generalization::Cuts | Generalization::Partitions => unsaid(1),
            Generalization::Regions => {
                said(2, "values of a column overlap, which tables cannot show")
            }
        },
    }
}

fn is_made_for_rules(wishes: &Wishes, _: &Facts, algorithm: &dyn Algorithm) -> Answer {
    let is_for_experts = algorithm.default_metric() == OF_EXPERTS;
    match (wishes.has_rules, is_for_experts) {
        (true, true) => said(0, "made for your rules and weights"),
        (true, false) => unsaid(1),
        (false, false) => unsaid(0),
        (false, true) => said(
            1,
            "made for rules and weights of experts, and you gave none",
        ),
    }
}

fn minimizes_the_metric(wishes: &Wishes, _: &Facts, algorithm: &dyn Algorithm) -> Answer {
    let Some(metric) = &wishes.metric else {
        return unsaid(0);
    };
    let properties = &algorithm.entry().kind.properties;
    if properties.optimum == Optimum::Metric {
        return said(0, format!("minimizes {metric}, as you ask"));
    }
    match properties.reads_metric || algorithm.default_metric() == metric {
        true => said(1, format!("takes {metric} into account, as you ask")),
        false => said(2, format!("does not minimize {metric}")),
    }
}

/// Whoever wants an optimum wants to see what is as good.
fn lists_equals(wishes: &Wishes, _: &Facts, algorithm: &dyn Algorithm) -> Answer {
    let properties = &algorithm.entry().kind.properties;
    if wishes.quality != Some(Quality::Optimal) {
        return unsaid(0);
    }
    match properties.has_several_results {
        true => said(
            0,
            "lists other safe releases beside the best one, to choose from",
        ),
        false => unsaid(1),
    }
}

/// What takes seconds on any table, if the table is large.
fn is_quick(_: &Wishes, facts: &Facts, algorithm: &dyn Algorithm) -> Answer {
    if !facts.is_large() {
        return unsaid(0);
    }
    let tuples = counted(facts.distinct_tuples.into());
    let nodes = counted(facts.lattice_nodes);
    match algorithm.entry().kind.properties.effort {
        GrowsWith::Tuples => said(0, format!("quick, also with {tuples} distinct tuples")),
        GrowsWith::Comparisons => said(
            1,
            format!("compares each of {tuples} distinct tuples with many others"),
        ),
        GrowsWith::Searched | GrowsWith::Listed => said(
            1,
            format!("may have to stop before {nodes} lattice nodes are searched"),
        ),
        GrowsWith::Partitions => said(
            2,
            format!(
                "will have to stop: 2^{} choices of partitions",
                facts.partitions
            ),
        ),
    }
}

fn keeps_detail(wishes: &Wishes, _: &Facts, algorithm: &dyn Algorithm) -> Answer {
    match (algorithm.entry().kind.generalization, wishes.usage) {
        (Generalization::Regions, Use::Tables) => unsaid(1),
        (Generalization::Regions, _) => {
            said(0, "keeps much detail: every class has values of its own")
        }
        (Generalization::FullDomain, _) => said(1, "one level for each column"),
        (Generalization::Cuts, _) => said(
            1,
            "every value is published in one way, at a level of its own",
        ),
        (Generalization::Partitions, _) => said(
            1,
            "every value is published in one way, in groups that need no hierarchy",
        ),
    }
}

fn keeps_classes_apart(_: &Wishes, _: &Facts, algorithm: &dyn Algorithm) -> Answer {
    match algorithm.entry().kind.properties.overlaps {
        true => said(
            1,
            "but classes overlap: readers may find someone's values in several of them",
        ),
        false => unsaid(0),
    }
}

fn uses_the_budget(wishes: &Wishes, _: &Facts, algorithm: &dyn Algorithm) -> Answer {
    let uses_budget = algorithm.entry().kind.properties.uses_budget;
    match (wishes.may_suppress, uses_budget) {
        (Some(true), true) => said(0, "uses the rows that may be suppressed"),
        (Some(true), false) => said(1, "makes no use of rows that may be suppressed"),
        (Some(false) | None, _) => unsaid(0),
    }
}

fn is_proven(_: &Wishes, facts: &Facts, algorithm: &dyn Algorithm) -> Answer {
    let properties = &algorithm.entry().kind.properties;
    // A search that has to stop proves nothing.
    let in_reach = match properties.effort {
        GrowsWith::Partitions => !facts.has_too_many_partitions(),
        _ => true,
    };
    match properties.optimum {
        Optimum::Metric if in_reach => said(0, "proves that no release of its kind loses less"),
        Optimum::Metric => said(
            2,
            format!(
                "will not finish its proof: 2^{} choices of partitions",
                facts.partitions
            ),
        ),
        Optimum::Height => said(1, "proves that no release has lower levels in sum"),
        Optimum::None => said(2, "without a proof"),
    }
}

fn finds_intervals(_: &Wishes, facts: &Facts, algorithm: &dyn Algorithm) -> Answer {
    let properties = &algorithm.entry().kind.properties;
    match (facts.numbers, properties.needs_number_hierarchies) {
        (0, _) => unsaid(0),
        (1, false) => said(0, "finds intervals of the column with numbers itself"),
        (numbers, false) => said(
            0,
            format!("finds intervals of {numbers} columns with numbers itself"),
        ),
        (_, true) => said(1, "generalizes numbers along hierarchies"),
    }
}

fn is_reviewed(_: &Wishes, _: &Facts, algorithm: &dyn Algorithm) -> Answer {
    match algorithm.entry().kind.status {
        Status::Stable => unsaid(0),
        Status::Experimental => unsaid(1),
    }
}

fn runs_by_itself(_: &Wishes, _: &Facts, algorithm: &dyn Algorithm) -> Answer {
    match algorithm.entry().kind.choices {
        None => unsaid(0),
        Some(_) => said(1, "you choose step by step"),
    }
}

/// A number as people say it.
pub(super) fn counted(number: u128) -> String {
    match number {
        0..1_000_000 => {
            let digits = number.to_string();
            match digits.len() {
                0..=4 => digits,
                length => format!("{} {}", &digits[..length - 3], &digits[length - 3..]),
            }
        }
        1_000_000..1_000_000_000 => format!("{:.1} million", number as f64 / 1e6),
        1_000_000_000..1_000_000_000_000 => format!("{:.1} billion", number as f64 / 1e9),
        _ => format!("{:.1e}", number as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_said_in_few_words() {
        let expected = [
            (999, "999"),
            (21_600, "21 600"),
            (3_141_592, "3.1 million"),
            (4_000_000_000, "4.0 billion"),
            (12_345_678_901_234, "1.2e13"),
        ];
        for (number, text) in expected {
            assert_eq!(counted(number), text);
        }
    }
}
