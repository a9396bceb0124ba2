//! What an algorithm is, in terms that can be compared: the typed half of its card.
//!
//! The terms are those of table 4 in F. Ben Fredj et al., Characterizing Generalization Algorithms, with a few of our own.
//! An algorithm declares them beside itself; [`PROPERTIES`] gives each a name, its values and a sentence, from which
//! `incrowd explain`, the JSON, the documentation and the questions of the [advisor](crate::advisor) follow. They are true of
//! the implementation here: the laws in `tests/it/laws/properties.rs` test what can be tested.

use super::{AlgorithmKind, Generalization};

/// The properties that an algorithm declares, beside its [generalization](Generalization) and whether it [leaves
/// choices](AlgorithmKind::choices) to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Properties {
    /// What its effort grows with.
    pub effort: GrowsWith,
    /// Whether it only differs from a simpler algorithm if quasi-identifiers say something about the targets.
    pub needs_correlated: bool,
    /// Whether numbers are published at levels of a hierarchy, given or built; otherwise it finds intervals itself.
    pub needs_number_hierarchies: bool,
    /// Whether more rows that may be suppressed can change the release, all levels being acceptable.
    pub uses_budget: bool,
    /// The target columns it needs.
    pub targets: Targets,
    /// Whether a measure decides what it does next.
    pub is_guided: bool,
    /// Whether the metric that the user asks for can change the release.
    pub reads_metric: bool,
    /// Whether it follows a rule of thumb, and so may pass by what it looks for.
    pub is_heuristic: bool,
    /// From which end it works.
    pub direction: Direction,
    /// Whether it reports other releases beside the published one.
    pub has_several_results: bool,
    /// What its releases are proven to be best in.
    pub optimum: Optimum,
    /// Whether someone's values may lie in the boxes of several classes.
    pub overlaps: bool,
    /// What its releases are for.
    pub usage: Usage,
}

/// What the effort of an algorithm grows with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrowsWith {
    /// The distinct tuples, a few times: large tables are no problem.
    Tuples,
    /// The distinct tuples, each compared with many others: it takes its time on large tables.
    Comparisons,
    /// The combinations of levels; if there are too many, it ends with its best result so far.
    Searched,
    /// The combinations of levels, most of which must be judged or listed before there is a result.
    Listed,
    /// The partitions of the values of all columns but one.
    Partitions,
}

/// The target columns an algorithm needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Targets {
    /// None.
    None,
    /// Exactly one.
    One,
    /// One or more.
    AtLeastOne,
    /// One or more, of numbers.
    AtLeastOneNumber,
}

/// From which end an algorithm works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From raw values up, or from small classes to larger ones.
    BottomUp,
    /// From everything in one class down.
    TopDown,
    /// From both, or from neither.
    Neither,
}

/// What a release is proven to be best in, unless a limit ends the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Optimum {
    /// The metric asked for.
    Metric,
    /// The height, which is the sum of the levels. Of the lowest, it is the best by the metric.
    Height,
    /// Nothing.
    None,
}

/// What the releases of an algorithm are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    /// No use in particular.
    Any,
    /// Learning to predict classes.
    Classification,
    /// Learning to predict numbers.
    Regression,
}

/// A property by name.
#[derive(Debug)]
pub struct Property {
    /// The name users write.
    pub name: &'static str,
    /// What it says, in one sentence.
    pub help: &'static str,
    /// The values it may have.
    pub values: &'static [&'static str],
    read: fn(&AlgorithmKind) -> &'static str,
}

impl Property {
    /// The value for an algorithm, one of [`Property::values`].
    pub fn of(&self, kind: &AlgorithmKind) -> &'static str {
        (self.read)(kind)
    }

    /// The property with a name.
    pub fn named(name: &str) -> Option<&'static Property> {
        PROPERTIES.iter().find(|property| property.name == name)
    }
}

const NO: &str = "no";
const YES: &str = "yes";
const YES_OR_NO: &[&str] = &[YES, NO];

fn word(is_so: bool) -> &'static str {
    if is_so { YES } else { NO }
}

/// Every property, in the order of table 4; those that the table does not have come last.
pub static PROPERTIES: &[Property] = &[
    Property {
        name: "small-data",
        help: "Limited to small tables: it judges or lists most combinations of levels before it has a result.",
        values: YES_OR_NO,
        read: |kind| word(kind.properties.effort == GrowsWith::Listed),
    },
    Property {
        name: "correlated",
        help: "Needs quasi-identifiers that say something about the targets; without, it does what a simpler one does.",
        values: YES_OR_NO,
        read: |kind| word(kind.properties.needs_correlated),
    },
    Property {
        name: "number-hierarchies",
        help: "Publishes numbers at the levels of a hierarchy, given or built, instead of finding intervals itself.",
        values: YES_OR_NO,
        read: |kind| word(kind.properties.needs_number_hierarchies),
    },
    Property {
        name: "suppression",
        help: "Uses the rows that may be suppressed to lose less in the others.",
        values: YES_OR_NO,
        read: |kind| word(kind.properties.uses_budget),
    },
    Property {
        name: "targets",
        help: "The target columns it needs: what analysts will predict.",
        values: &["none", "one", "at-least-one"],
        read: |kind| match kind.properties.targets {
            Targets::None => "none",
            Targets::One => "one",
            Targets::AtLeastOne | Targets::AtLeastOneNumber => "at-least-one",
        },
    },
    Property {
        name: "automation",
        help: "Whether it runs by itself, or lets a person choose at each step.",
        values: &["automatic", "semi-automatic"],
        read: |kind| match kind.choices {
            None => "automatic",
            Some(_) => "semi-automatic",
        },
    },
    Property {
        name: "guided",
        help: "A measure decides what it does next, instead of a fixed order.",
        values: YES_OR_NO,
        read: |kind| word(kind.properties.is_guided),
    },
    Property {
        name: "heuristic",
        help: "Follows a rule of thumb, and so may pass by better releases without noticing.",
        values: YES_OR_NO,
        read: |kind| word(kind.properties.is_heuristic),
    },
    Property {
        name: "direction",
        help: "Works from raw values upward, from everything in one class downward, or neither.",
        values: &["bottom-up", "top-down", "neither"],
        read: |kind| match kind.properties.direction {
            Direction::BottomUp => "bottom-up",
            Direction::TopDown => "top-down",
            Direction::Neither => "neither",
        },
    },
    Property {
        name: "results",
        help: "Reports one release, or several safe ones to choose from.",
        values: &["one", "several"],
        read: |kind| match kind.properties.has_several_results {
            true => "several",
            false => "one",
        },
    },
    Property {
        name: "optimal",
        help: "Proves that no release of its kind is better, by the metric or by the height, unless a limit ends it.",
        values: YES_OR_NO,
        read: |kind| word(kind.properties.optimum != Optimum::None),
    },
    Property {
        name: "generalization",
        help: "What decides how a value is published: one level for each column, a cut through its hierarchy, a partition \
               of its values, or all quasi-identifiers of the row.",
        values: &["full-domain", "cuts", "partitions", "regions"],
        read: |kind| kind.generalization.name(),
    },
    Property {
        name: "usage",
        help: "What its releases are made for.",
        values: &["any", "classification", "regression"],
        read: |kind| match kind.properties.usage {
            Usage::Any => "any",
            Usage::Classification => "classification",
            Usage::Regression => "regression",
        },
    },
    Property {
        name: "optimum",
        help: "What is proven to be least: the loss by the metric asked for, the height (the sum of the levels), or nothing.",
        values: &["metric", "height", "none"],
        read: |kind| match kind.properties.optimum {
            Optimum::Metric => "metric",
            Optimum::Height => "height",
            Optimum::None => "none",
        },
    },
    Property {
        name: "reads-metric",
        help: "The metric asked for can change the release; otherwise it minimizes a measure of its own.",
        values: YES_OR_NO,
        read: |kind| word(kind.properties.reads_metric),
    },
    Property {
        name: "overlap",
        help: "Classes may overlap: readers may find someone's values in several published classes.",
        values: YES_OR_NO,
        read: |kind| word(kind.properties.overlaps),
    },
    Property {
        name: "effort",
        help: "What the time it takes grows with: distinct tuples, comparisons between them, combinations of levels that are \
               searched until a limit or listed to the end, or partitions of values.",
        values: &["tuples", "comparisons", "searched", "listed", "partitions"],
        read: |kind| match kind.properties.effort {
            GrowsWith::Tuples => "tuples",
            GrowsWith::Comparisons => "comparisons",
            GrowsWith::Searched => "searched",
            GrowsWith::Listed => "listed",
            GrowsWith::Partitions => "partitions",
        },
    },
];

impl Generalization {
    /// The name users write; that of the recodings it gives.
    pub fn name(self) -> &'static str {
        match self {
            Generalization::FullDomain => "full-domain",
            Generalization::Cuts => "cuts",
            Generalization::Partitions => "partitions",
            Generalization::Regions => "regions",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::ALGORITHMS;

    #[test]
    fn every_value_of_an_algorithm_is_one_that_the_property_may_have() {
        for property in PROPERTIES {
            assert!(property.help.ends_with('.'), "{}", property.name);
            assert!(Property::named(property.name).is_some());
            for algorithm in ALGORITHMS {
                let value = property.of(&algorithm.entry().kind);
                let name = algorithm.entry().name;
                assert!(property.values.contains(&value), "{name}: {value}");
            }
        }
    }
}
