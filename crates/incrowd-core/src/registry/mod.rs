//! What models, metrics and algorithms have in common: a name, a card, settings, and one way to write them.
//!
//! Every family keeps a list of [`Entry`]s. An entry declares its [`Setting`]s once, with their kind and their help
//! text; command line, job file, JSON, certificate and `incrowd explain` follow from that. A [`Spec`] is an entry with
//! [`Given`] settings, written `name(setting=value,...)`.
//!
//! ```
//! use incrowd_core::privacy::ModelSpec;
//! let spec: ModelSpec = "t-closeness( t=0.20, column=disease )".parse().unwrap();
//! assert_eq!(spec.to_string(), "t-closeness(t=0.2,column=disease)");
//! assert_eq!(spec.entry().settings[0].help, "greatest distance of a class from the table");
//! ```

mod given;
mod rule;
mod setting;
mod spec;

pub use given::Given;
pub use rule::{Rule, RuleSides};
pub use setting::{Default, Kind, Setting, Steps};
pub use spec::Spec;

use crate::card::{Card, nearest};
use crate::error::Error;

/// A line of a registry. `T` is what only this family has, such as the function that builds a model.
#[derive(Debug)]
pub struct Entry<T: 'static> {
    /// The name users write, such as `t-closeness`.
    pub name: &'static str,
    /// What `incrowd explain` prints.
    pub card: Card,
    /// What may be set about it, in the order it is written.
    pub settings: &'static [Setting],
    /// What only this family has.
    pub kind: T,
}

/// A family of named things that users choose from.
pub trait Family: Sized + 'static {
    /// What one of them is called, as in "there is no privacy model `k`".
    const NOUN: &'static str;

    /// Two of them as users write them, for hints.
    const EXAMPLES: &'static str;

    /// All of them, in the order they are shown.
    fn entries() -> impl Iterator<Item = &'static Entry<Self>>;
}

impl<T: Family> Entry<T> {
    /// The entry of this name, or an error that knows the nearest names.
    pub fn named(name: &str) -> Result<&'static Self, Error> {
        let found = T::entries().find(|entry| entry.name == name);
        found.ok_or_else(|| Error::UnknownEntry {
            family: T::NOUN,
            name: name.to_owned(),
            nearest: nearest(name, T::entries().map(|entry| entry.name)),
        })
    }

    /// Nothing set yet.
    pub fn defaults(&self) -> Given {
        Given::new(T::NOUN, self.name, self.settings)
    }
}

impl<T> Entry<T> {
    /// What it is, in one line.
    pub fn summary(&self) -> &'static str {
        self.card.summary()
    }

    /// Whether it has a setting of this name.
    pub fn has_setting(&self, name: &str) -> bool {
        self.settings.iter().any(|setting| setting.name == name)
    }

    /// Whether it reads the values of a counted column, which `column=` names.
    pub fn reads_column(&self) -> bool {
        self.has_setting(Setting::COLUMN)
    }
}
