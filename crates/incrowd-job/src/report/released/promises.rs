//! Every privacy model in one sentence, with its parameters.

use super::Promise;
use crate::report::digits::few_digits;
use crate::report::explain::Family;
use crate::report::page::{Html, explained};
use incrowd_core::privacy::Direction;

/// What an attacker is kept from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Harm {
    /// Telling which row is a person's.
    Finding,
    /// Learning a sensitive value of a person without telling the row.
    Learning,
    /// Learning that a person is in the table at all.
    Presence,
}

impl Promise {
    /// What it keeps attackers from. A model that is not known here is only described, not relied on.
    pub(super) fn harms(&self) -> &'static [Harm] {
        match self.model {
            "k-anonymity" | "k-map" => &[Harm::Finding],
            "alpha-k-anonymity" | "p-sensitive-k-anonymity" => &[Harm::Finding, Harm::Learning],
            "delta-presence" => &[Harm::Presence],
            _ if self.column.is_some() => &[Harm::Learning],
            _ => &[],
        }
    }

    fn set(&self, name: &str) -> &str {
        let found = self.settings.iter().find(|(setting, _)| *setting == name);
        found.map_or("?", |(_, text)| text)
    }

    /// What it means, in a sentence.
    pub(super) fn sentence(&self) -> Html {
        let column = match &self.column {
            Some(column) => format!("`{}`", column.replace('`', "'")),
            None => "the sensitive column".to_owned(),
        };
        let text = match self.model {
            "k-anonymity" => format!(
                "In the blurred columns, every person looks exactly like at least {} others, so that no row can be \
                 told to be theirs.",
                less_one(self.set("k"))
            ),
            "distinct-l-diversity" => format!(
                "In every group of people who look alike, {column} has at least {} different values, so that nobody's \
                 value is certain.",
                self.set("l")
            ),
            "entropy-l-diversity" => format!(
                "In every group of people who look alike, the values of {column} are so mixed that guessing one is as \
                 hard as among {} equally frequent ones.",
                self.set("l")
            ),
            "recursive-cl-diversity" => format!(
                "In every group of people who look alike, the most frequent value of {column} occurs less than {} times \
                 as often as its rarer values together, counted from the {}. most frequent on.",
                self.set("c"),
                self.set("l")
            ),
            "frequency-l-diversity" => format!(
                "In every group of people who look alike, no value of {column} belongs to more than one in {}.",
                self.set("l")
            ),
            "alpha-k-anonymity" => {
                let is_named = self.settings.iter().any(|(name, _)| *name == "value");
                format!(
                    "Every person looks exactly like at least {} others, and within such a group {} more than a share \
                     of {}.",
                    less_one(self.set("k")),
                    match is_named {
                        true => format!("the one value of {column} that was named has not"),
                        false => format!("no value of {column} has"),
                    },
                    self.set("alpha")
                )
            }
            "p-sensitive-k-anonymity" => format!(
                "Every person looks exactly like at least {} others, and within such a group {column} has at least {} \
                 different values.",
                less_one(self.set("k")),
                self.set("p")
            ),
            "t-closeness" => format!(
                "In every group of people who look alike, {column} is distributed almost as in the whole table: the \
                 distance between both is at most {} (0: the same, 1: nothing in common). Finding somebody's group \
                 teaches little about their value.",
                self.set("t")
            ),
            "delta-disclosure" => format!(
                "In every group of people who look alike, each value of {column} is about as frequent as in the whole \
                 table: neither more nor less often than by a factor of 2 to the power of {}.",
                self.set("delta")
            ),
            "beta-likeness" => format!(
                "In no group of people who look alike is a value of {column} more frequent than in the whole table by \
                 more than {} times its share there.",
                self.set("beta")
            ),
            "k-map" => format!(
                "Every published row could be about at least {} people of the population, so that somebody who has a \
                 register of all of them cannot tell whom it is about.",
                self.set("k")
            ),
            "delta-presence" => format!(
                "Of the people of the population who match a published row, between {} and {} (as shares) are in the \
                 table, so that nobody can be sure that a person is in it.",
                self.set("min"),
                self.set("max")
            ),
            _ => return explained(Family::Model, self.model),
        };
        Html::prose(text)
    }

    /// What was asked and what was reached, such as `7 (asked: at least 5)`.
    pub(super) fn reached_in_words(&self) -> String {
        let asked = self.settings.first().map_or("", |(_, text)| text);
        let asked = match self.direction {
            Direction::AtLeast => format!("asked: at least {asked}"),
            Direction::AtMost => format!("asked: at most {asked}"),
            Direction::Below => format!("asked: below {asked}"),
        };
        match self.reached {
            Some(reached) => format!("{} ({asked})", few_digits(reached)),
            None => format!("nothing is published ({asked})"),
        }
    }
}

/// The others in a group of so many.
fn less_one(count: &str) -> String {
    match count.parse::<u64>() {
        Ok(count) => count.saturating_sub(1).to_string(),
        Err(_) => count.to_owned(),
    }
}
