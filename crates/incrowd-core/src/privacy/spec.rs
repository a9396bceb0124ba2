//! Models as users write them: `t-closeness(t=0.2,distance=equal)`.

use super::registry::{ModelEntry, Parameters, find};
use super::{Decimal, PrivacyModel};
use crate::counts::CountedColumn;
use crate::error::Error;
use std::fmt::{self, Write};
use std::str::FromStr;

/// A model and its parameters, checked, not yet tied to a table.
///
/// Text form: `name(parameter=value,...)`, or the bare name while parameters are still to come with a request.
/// `column=` may stand among the parameters. A value with `,`, `)` or `"` in it is written in double quotes, a
/// quote inside doubled.
///
/// ```
/// use incrowd_core::privacy::ModelSpec;
/// let spec: ModelSpec = "t-closeness( t=0.20, column=disease )".parse().unwrap();
/// assert_eq!(spec.to_string(), "t-closeness(t=0.2,column=disease)");
/// assert!("t-closeness(t=1.5)".parse::<ModelSpec>().is_err());
/// ```
#[derive(Debug, Clone)]
pub struct ModelSpec {
    entry: &'static ModelEntry,
    /// Canonical texts, one slot per parameter of the entry.
    given: Vec<Option<String>>,
    column: Option<String>,
}

impl PartialEq for ModelSpec {
    fn eq(&self, other: &Self) -> bool {
        self.entry.name == other.entry.name
            && self.given == other.given
            && self.column == other.column
    }
}

impl Eq for ModelSpec {}

impl ModelSpec {
    /// A model with no parameter given yet.
    pub fn bare(entry: &'static ModelEntry) -> Self {
        ModelSpec {
            entry,
            given: vec![None; entry.parameters.len()],
            column: None,
        }
    }

    /// For models describing themselves: every parameter in the order of the entry, in range.
    pub(super) fn of<const N: usize>(name: &str, texts: [Option<String>; N]) -> Self {
        let entry = find(name).expect("a model's name is in the registry");
        debug_assert_eq!(entry.parameters.len(), N);
        ModelSpec {
            entry,
            given: texts.into(),
            column: None,
        }
    }

    /// The registry's line about the model.
    pub fn entry(&self) -> &'static ModelEntry {
        self.entry
    }

    /// The text given for a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let at = self.entry.parameters.iter().position(|p| p.name == name)?;
        self.given[at].as_deref()
    }

    /// The column the model is about, when one is named; otherwise it is about every sensitive column.
    pub fn column(&self) -> Option<&str> {
        self.column.as_deref()
    }

    /// The same about another column, or about none in particular; no change to a model that needs no column.
    pub fn with_column(mut self, column: Option<&str>) -> Self {
        if self.entry.needs_column {
            self.column = column.map(str::to_owned);
        }
        self
    }

    /// The same with another value of the first parameter, the one a request varies.
    pub fn with_main(mut self, parameter: Decimal) -> Result<Self, Error> {
        self.entry.check(parameter)?;
        self.given[0] = Some(parameter.to_string());
        Ok(self)
    }

    /// Whether the column must come with its hierarchy.
    pub fn needs_hierarchy(&self) -> bool {
        (self.entry.needs_hierarchy)(self)
    }

    /// Whether every parameter is known; the error names the first that is not.
    pub fn check_complete(&self) -> Result<(), Error> {
        for (parameter, given) in self.entry.parameters.iter().zip(&self.given) {
            let optional = parameter.kind == super::ParameterKind::Text;
            if given.is_none() && parameter.default.is_none() && !optional {
                return Err(Error::MissingParameter {
                    model: self.entry.name,
                    parameter: parameter.name,
                });
            }
        }
        Ok(())
    }

    /// Makes the model for one counted column: its index in the table and what was counted of it.
    pub fn build(
        &self,
        column: Option<(usize, &CountedColumn)>,
    ) -> Result<Box<dyn PrivacyModel>, Error> {
        self.check_complete()?;
        (self.entry.build)(&Parameters { spec: self }, column)
    }

    /// Makes the model for the column it names, or for each sensitive column, or once when it needs none.
    /// `sensitive` are indexes into `columns`.
    pub fn build_all(
        &self,
        columns: &[CountedColumn],
        sensitive: &[usize],
    ) -> Result<Vec<Box<dyn PrivacyModel>>, Error> {
        if !self.entry.needs_column {
            return Ok(vec![self.build(None)?]);
        }
        let named = |&&index: &&usize| match &self.column {
            Some(name) => columns[index].name == *name,
            None => true,
        };
        let models: Vec<_> = sensitive
            .iter()
            .filter(named)
            .map(|&index| self.build(Some((index, &columns[index]))))
            .collect::<Result<_, _>>()?;
        match (models.is_empty(), &self.column) {
            (false, _) => Ok(models),
            (true, None) => Err(Error::ModelNeedsColumn {
                model: self.entry.name,
            }),
            (true, Some(column)) => Err(Error::NotASensitiveColumn {
                model: self.entry.name,
                column: column.clone(),
            }),
        }
    }

    /// Takes one `parameter=value`.
    fn give(&mut self, parameter: &str, value: &str) -> Result<(), Error> {
        let slot = if parameter == "column" && self.entry.needs_column {
            &mut self.column
        } else {
            self.entry.parameter(parameter)?;
            let position = self.entry.parameters.iter();
            let at = position.take_while(|p| p.name != parameter).count();
            &mut self.given[at]
        };
        if slot.is_some() {
            return Err(Error::DuplicateParameter {
                model: self.entry.name,
                parameter: parameter.to_owned(),
            });
        }
        *slot = Some(match parameter {
            "column" => value.to_owned(),
            _ => self.entry.canonical(parameter, value)?,
        });
        Ok(())
    }
}

impl FromStr for ModelSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let malformed = || Error::MalformedModel {
            text: text.to_owned(),
        };
        let text = text.trim();
        let (name, mut rest) = match text.split_once('(') {
            None => (text, ""),
            Some((name, rest)) => (
                name.trim_end(),
                rest.strip_suffix(')').ok_or_else(malformed)?,
            ),
        };
        let mut spec = ModelSpec::bare(find(name)?);
        rest = rest.trim();
        while !rest.is_empty() {
            let (parameter, after) = rest.split_once('=').ok_or_else(malformed)?;
            let (value, after) = take_value(after.trim_start()).ok_or_else(malformed)?;
            spec.give(parameter.trim(), &value)?;
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

impl fmt::Display for ModelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)?;
        let names = self.entry.parameters.iter().map(|entry| entry.name);
        let given = names.zip(&self.given).chain([("column", &self.column)]);
        let mut separator = '(';
        for (name, text) in given {
            let Some(text) = text else { continue };
            write!(f, "{separator}{name}=")?;
            let plain = !text.is_empty() && text == text.trim();
            if plain && !text.contains([',', '"', '(', ')', '=']) {
                f.write_str(text)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ModelSpec, Error> {
        text.parse()
    }

    fn canonical(text: &str) -> String {
        parse(text).expect("a model").to_string()
    }

    #[test]
    fn models_are_written_in_one_way_and_read_in_many() {
        assert_eq!(canonical("k-anonymity"), "k-anonymity");
        assert_eq!(canonical(" k-anonymity () "), "k-anonymity");
        assert_eq!(canonical("k-anonymity( k = 05 )"), "k-anonymity(k=5)");
        assert_eq!(
            canonical("alpha-k-anonymity(k=3,column=\"a \"\"b\"\", (c)\" , alpha=.50)"),
            "alpha-k-anonymity(alpha=0.5,k=3,column=\"a \"\"b\"\", (c)\")"
        );
        assert_eq!(
            canonical("alpha-k-anonymity(alpha=1,k=1,value=\"\")"),
            "alpha-k-anonymity(alpha=1,k=1,value=\"\")"
        );
        assert_eq!(
            canonical("alpha-k-anonymity(alpha=1,k=1,value=HIV positive)"),
            "alpha-k-anonymity(alpha=1,k=1,value=HIV positive)"
        );
    }

    #[test]
    fn what_is_not_a_model_is_refused_with_a_hint() {
        for text in [
            "k-anonymity(k=5",
            "k-anonymity(k=5))",
            "k-anonymity(5)",
            "k-anonymity(k=)",
            "k-anonymity(k=5,)",
            "k-anonymity(k=5,,)",
            "k-anonymity(,k=5)",
            "k-anonymity(k=5 k=6)",
            "k-anonymity(k=\"5)",
            "k-anonymity(k=\"5\"6)",
        ] {
            let error = parse(text).expect_err(text);
            let refused = match &error {
                Error::MalformedModel { .. } => true,
                Error::UnknownParameter { parameter, .. } => parameter == ",k",
                _ => false,
            };
            assert!(refused, "{text}: {error}");
            assert!(!error.hint().is_empty());
        }
    }

    #[test]
    fn unknown_models_come_with_the_nearest_names() {
        let error = parse("k-anonimity(k=5)").expect_err("misspelt");
        assert_eq!(error.to_string(), "there is no privacy model `k-anonimity`");
        assert!(error.hint().contains("`k-anonymity`"), "{}", error.hint());
        let error = parse("l-diversity(l=5)").expect_err("ambiguous");
        assert!(
            error
                .hint()
                .contains("`distinct-l-diversity` or `entropy-l-diversity`")
        );
        assert!(parse("").expect_err("empty").hint().contains("explain"));
    }

    #[test]
    fn parameters_out_of_range_are_refused_with_the_range() {
        for text in [
            "k-anonymity(k=0)",
            "k-anonymity(k=2.5)",
            "k-anonymity(k=-1)",
            "k-anonymity(k=4294967296)",
            "distinct-l-diversity(l=0)",
            "entropy-l-diversity(l=0.5)",
            "entropy-l-diversity(l=NaN)",
            "recursive-cl-diversity(c=0,l=2)",
            "recursive-cl-diversity(c=2,l=0)",
            "frequency-l-diversity(l=0)",
            "alpha-k-anonymity(alpha=0,k=2)",
            "alpha-k-anonymity(alpha=1.01,k=2)",
            "p-sensitive-k-anonymity(p=0,k=2)",
            "t-closeness(t=-0.1)",
            "t-closeness(t=1.000000001)",
            "t-closeness(t=nan)",
            "t-closeness(t=0.1,distance=far)",
            "delta-disclosure(delta=0)",
            "delta-disclosure(delta=1,absent=keep)",
            "beta-likeness(beta=0)",
            "beta-likeness(beta=inf)",
            "beta-likeness(beta=1,kind=strong)",
        ] {
            let error = parse(text).expect_err(text);
            assert!(matches!(error, Error::ParameterOutOfRange { .. }), "{text}");
            assert!(error.hint().contains("must be"), "{}", error.hint());
        }
        let error = parse("t-closeness(t=1.5)").expect_err("too far");
        assert_eq!(error.to_string(), "`t` of `t-closeness` cannot be `1.5`");
        assert_eq!(error.hint(), "`t` must be a decimal number from 0 to 1");
    }

    #[test]
    fn parameters_are_known_given_once_and_complete() {
        let unknown = parse("k-anonymity(l=5)").expect_err("not its parameter");
        assert!(matches!(unknown, Error::UnknownParameter { .. }));
        assert_eq!(unknown.hint(), "it has `k`");
        let no_column = parse("k-anonymity(k=5,column=age)").expect_err("about no column");
        assert!(matches!(no_column, Error::UnknownParameter { .. }));
        for twice in ["k-anonymity(k=5,k=5)", "t-closeness(t=0,column=a,column=b)"] {
            let error = parse(twice).expect_err(twice);
            assert!(matches!(error, Error::DuplicateParameter { .. }));
        }
        let bare = parse("t-closeness").expect("a name");
        let missing = bare.check_complete().expect_err("t is missing");
        assert_eq!(missing.to_string(), "`t-closeness` needs a value for `t`");
        let tenth = "0.1".parse().expect("a decimal");
        let complete = bare.with_main(tenth).expect("in range");
        assert_eq!(complete.check_complete(), Ok(()));
        assert_eq!(complete.to_string(), "t-closeness(t=0.1)");
    }
}
