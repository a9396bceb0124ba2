//! The one grammar: `name(setting=value,...)`.

use super::{Entry, Family, Given, Setting};
use crate::error::Error;
use crate::table::Decimal;
use std::fmt::{self, Write};
use std::str::FromStr;

/// An entry and its settings, checked, not yet tied to a table.
///
/// Text form: `name(setting=value,...)`, or the bare name while settings are still to come. A value with `,`, `(`, `)`,
/// `=` or `"` in it is written in double quotes, a quote inside doubled.
#[derive(Debug)]
pub struct Spec<T: 'static> {
    entry: &'static Entry<T>,
    given: Given,
}

// Derived, these would ask the same of `T`.
impl<T> Clone for Spec<T> {
    fn clone(&self) -> Self {
        Spec {
            entry: self.entry,
            given: self.given.clone(),
        }
    }
}

impl<T> PartialEq for Spec<T> {
    fn eq(&self, other: &Self) -> bool {
        self.given == other.given
    }
}

impl<T> Eq for Spec<T> {}

impl<T: Family> Spec<T> {
    /// An entry with nothing set.
    pub fn bare(entry: &'static Entry<T>) -> Self {
        Spec {
            entry,
            given: entry.defaults(),
        }
    }

    /// An entry with these values of its first settings, all of them in range.
    pub(crate) fn of(
        entry: &'static Entry<T>,
        values: impl IntoIterator<Item = Option<String>>,
    ) -> Self {
        let mut spec = Spec::bare(entry);
        for (setting, value) in entry.settings.iter().zip(values) {
            if let Some(value) = value {
                spec.given
                    .set(setting.name, &[value])
                    .expect("what is built is in range");
            }
        }
        spec
    }

    /// An entry, by its name, with nothing set.
    pub fn named(name: &str) -> Result<Self, Error> {
        Entry::named(name).map(Spec::bare)
    }

    /// The same about another column, or about none in particular; no change to an entry that reads no column.
    #[must_use]
    pub fn with_column(mut self, column: Option<&str>) -> Self {
        match column {
            Some(column) if self.entry.reads_column() => {
                let any_text = "any text is the name of a column";
                self.given.set(Setting::COLUMN, &[column]).expect(any_text);
            }
            _ => self.given.unset(Setting::COLUMN),
        }
        self
    }

    /// The same with another value of the first setting, the one a request varies.
    pub fn with_main(mut self, parameter: Decimal) -> Result<Self, Error> {
        self.given = self.given.with_first(parameter)?;
        Ok(self)
    }
}

impl<T> Spec<T> {
    /// The registry's line.
    pub fn entry(&self) -> &'static Entry<T> {
        self.entry
    }

    /// The name in the registry.
    pub fn name(&self) -> &'static str {
        self.entry.name
    }

    /// What was set.
    pub fn given(&self) -> &Given {
        &self.given
    }

    /// The text given for a setting, without its default.
    pub fn setting(&self, name: &str) -> Option<&str> {
        let mut given = self.given.iter();
        let (_, values) = given.find(|(setting, _)| setting.name == name)?;
        values.first().map(String::as_str)
    }

    /// Gives a setting that the text does not.
    pub fn give(&mut self, name: &str, value: &str) -> Result<(), Error> {
        self.given.give(name, &[value])
    }

    /// How it is named wherever it may be published: with its settings, unless some of them may hold cells of the table.
    pub fn public_name(&self) -> String {
        let mut settings = self.entry.settings.iter();
        match settings.any(|setting| setting.kind.holds_cells()) {
            true => self.entry.name.to_owned(),
            false => self.to_string(),
        }
    }

    /// The column it is about, when one is named.
    pub fn column(&self) -> Option<&str> {
        self.setting(Setting::COLUMN)
    }

    /// Whether every required setting is given; the error names the first that is not.
    pub fn check_complete(&self) -> Result<(), Error> {
        self.given.check_complete()
    }
}

impl<T: Family> FromStr for Spec<T> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let malformed = || Error::MalformedSpec {
            family: T::NOUN,
            text: text.to_owned(),
            examples: T::EXAMPLES,
        };
        let text = text.trim();
        let (name, mut rest) = match text.split_once('(') {
            None => (text, ""),
            Some((name, rest)) => (
                name.trim_end(),
                rest.strip_suffix(')').ok_or_else(malformed)?,
            ),
        };
        let mut spec = Spec::named(name)?;
        rest = rest.trim();
        while !rest.is_empty() {
            let (setting, after) = rest.split_once('=').ok_or_else(malformed)?;
            let (value, after) = take_value(after.trim_start()).ok_or_else(malformed)?;
            spec.given.give(setting.trim(), &[value])?;
            rest = match after.strip_prefix(',') {
                Some(next) if !next.trim().is_empty() => next.trim_start(),
                None if after.is_empty() => after,
                _ => return Err(malformed()),
            };
        }
        Ok(spec)
    }
}

/// Splits a value, quoted or not, from the start of a text; what is left starts with a comma or is empty.
fn take_value(text: &str) -> Option<(String, &str)> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = text.find(',').unwrap_or(text.len());
        let value = text[..end].trim_end();
        let plain = !value.is_empty() && !value.contains(['"', '(', ')', '=']);
        return plain.then(|| (value.to_owned(), &text[end..]));
    };
    let mut value = String::new();
    loop {
        let (part, after) = rest.split_once('"')?;
        value.push_str(part);
        match after.strip_prefix('"') {
            Some(more) => {
                value.push('"');
                rest = more;
            }
            None => return Some((value, after.trim_start())),
        }
    }
}

impl<T> fmt::Display for Spec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)?;
        let mut separator = '(';
        for (setting, values) in self.given.iter() {
            write!(f, "{separator}{}=", setting.name)?;
            let text = values.join(",");
            let plain = !text.is_empty() && text == text.trim();
            if plain && !text.contains([',', '"', '(', ')', '=']) {
                f.write_str(&text)?;
            } else {
                write!(f, "\"{}\"", text.replace('"', "\"\""))?;
            }
            separator = ',';
        }
        if separator == ',' {
            f.write_char(')')
        } else {
            Ok(())
        }
    }
}
