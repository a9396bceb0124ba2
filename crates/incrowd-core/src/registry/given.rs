//! The settings that were given, checked.

use super::rule::Rule;
use super::setting::{Default, Setting, Steps, by_column, numbers_by_level, steps, weights};
use crate::error::Error;
use crate::table::Decimal;

/// Values of the settings that an entry declares. Holds only what its [`Kind`](super::Kind) allows, each in its one canonical form.
///
/// Whoever reads a setting names it. A name that the entry does not declare is a mistake in the program and panics.
#[derive(Debug, Clone)]
pub struct Given {
    family: &'static str,
    owner: &'static str,
    settings: &'static [Setting],
    /// The values of each setting, in their order; a single value unless the setting is a list.
    values: Vec<Option<Vec<String>>>,
}

impl PartialEq for Given {
    fn eq(&self, other: &Self) -> bool {
        self.owner == other.owner && self.values == other.values
    }
}

impl Eq for Given {}

impl std::default::Default for Given {
    /// Of an entry without settings.
    fn default() -> Self {
        Given::new("", "", &[])
    }
}

impl Given {
    /// Nothing is given yet.
    pub(super) fn new(
        family: &'static str,
        owner: &'static str,
        settings: &'static [Setting],
    ) -> Self {
        Given {
            family,
            owner,
            settings,
            values: vec![None; settings.len()],
        }
    }

    /// The settings with their values, in order; without those that were not given.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Setting, &[String])> {
        let all = self.settings.iter().zip(&self.values);
        all.filter_map(|(setting, values)| Some((setting, values.as_deref()?)))
    }

    /// Sets what was not set before.
    pub fn give<S: AsRef<str>>(&mut self, name: &str, values: &[S]) -> Result<(), Error> {
        let at = self.position(name)?;
        match self.values[at] {
            Some(_) => Err(Error::DuplicateSetting {
                owner: self.owner,
                setting: self.settings[at].name,
            }),
            None => self.set(name, values),
        }
    }

    /// Sets values; those set before are forgotten.
    pub fn set<S: AsRef<str>>(&mut self, name: &str, values: &[S]) -> Result<(), Error> {
        let at = self.position(name)?;
        let setting = &self.settings[at];
        let refused = |given: &str| Error::SettingOutOfRange {
            family: self.family,
            owner: self.owner,
            setting: setting.name,
            given: given.to_owned(),
            allowed: setting.kind.to_string(),
        };
        if values.len() != 1 && !setting.kind.is_list() {
            let all: Vec<&str> = values.iter().map(AsRef::as_ref).collect();
            return Err(refused(&all.join(",")));
        }
        let canonical = |text: &S| {
            let text = text.as_ref();
            setting.kind.canonical(text).ok_or_else(|| refused(text))
        };
        let values = values.iter().map(canonical).collect::<Result<_, _>>()?;
        self.values[at] = Some(values);
        Ok(())
    }

    /// Forgets a value, if the entry has such a setting.
    pub fn unset(&mut self, name: &str) {
        if let Ok(at) = self.position(name) {
            self.values[at] = None;
        }
    }

    /// The same with another value of the first setting, which must be in its range.
    pub(super) fn with_first(mut self, number: Decimal) -> Result<Self, Error> {
        self.set(self.settings[0].name, &[number.to_string()])?;
        Ok(self)
    }

    /// Whether everything that must be given is; the error names the first that is not.
    pub fn check_complete(&self) -> Result<(), Error> {
        let mut all = self.settings.iter().zip(&self.values);
        let missing =
            all.find(|(setting, values)| setting.default == Default::Required && values.is_none());
        match missing {
            None => Ok(()),
            Some((setting, _)) => Err(Error::MissingSetting {
                owner: self.owner,
                setting: setting.name,
            }),
        }
    }

    /// Whether the entry declares such a setting.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Whether a flag is declared and set. Programs may give none of an algorithm's settings.
    pub fn is_set(&self, name: &str) -> bool {
        self.has(name) && self.text(name) == Some("true")
    }

    /// Whether a value was given.
    pub fn is_given(&self, name: &str) -> bool {
        self.position(name)
            .is_ok_and(|at| self.values[at].is_some())
    }

    /// The value given, or the default.
    pub fn text(&self, name: &str) -> Option<&str> {
        let at = self.declared(name);
        match (&self.values[at], self.settings[at].default) {
            (Some(values), _) => values.first().map(String::as_str),
            (None, Default::Value(value)) => Some(value),
            (None, _) => None,
        }
    }

    /// Every value given; none when the setting was not.
    pub fn texts(&self, name: &str) -> &[String] {
        self.values[self.declared(name)]
            .as_deref()
            .unwrap_or_default()
    }

    /// A decimal that must be given.
    pub fn decimal(&self, name: &str) -> Decimal {
        let text = self.text(name).expect(COMPLETE);
        text.parse().expect(CANONICAL)
    }

    /// A whole number that must be given.
    pub fn count(&self, name: &str) -> u32 {
        self.decimal(name).whole().expect(CANONICAL)
    }

    /// The weights of columns.
    pub fn weights(&self, name: &str) -> Vec<(&str, f64)> {
        self.text(name)
            .map_or_else(Vec::new, |text| weights(text).expect(CANONICAL))
    }

    /// The numbers of each column, by level.
    pub fn numbers_by_level(&self, name: &str) -> Vec<(&str, Vec<f64>)> {
        self.text(name)
            .map_or_else(Vec::new, |text| numbers_by_level(text).expect(CANONICAL))
    }

    /// The rules.
    pub fn rules(&self, name: &str) -> Vec<Rule> {
        self.text(name)
            .map_or_else(Vec::new, |text| Rule::all(text).expect(CANONICAL))
    }

    /// The word of each column that is named, and of all others where there is no name.
    pub fn by_column(&self, name: &str) -> impl Iterator<Item = (Option<&str>, &str)> {
        self.texts(name).iter().map(|text| by_column(text))
    }

    /// The steps of each column.
    pub fn steps(&self, name: &str) -> impl Iterator<Item = (&str, Steps)> {
        self.texts(name)
            .iter()
            .map(|text| steps(text).expect(CANONICAL))
    }

    /// The values of each column, in order.
    pub fn orders(&self, name: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
        self.texts(name).iter().map(|text| {
            let (column, values) = by_column(text);
            (
                column.expect(CANONICAL),
                values.split(';').map(str::trim).collect(),
            )
        })
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.settings
            .iter()
            .position(|setting| setting.name == name)
    }

    fn declared(&self, name: &str) -> usize {
        self.find(name)
            .expect("an entry reads only the settings it declares")
    }

    fn position(&self, name: &str) -> Result<usize, Error> {
        self.find(name).ok_or_else(|| Error::UnknownSetting {
            family: self.family,
            owner: self.owner,
            setting: name.to_owned(),
            known: self.settings.iter().map(|setting| setting.name).collect(),
        })
    }
}

const COMPLETE: &str = "nothing is built before every required setting is given";
const CANONICAL: &str = "only canonical texts are kept, and these parse";
