//! Expert rules: which values of a column a release must tell apart, and how much that matters.
//!
//! A rule is written `column: side != side = importance`, or `column: low|high = importance` for the numbers up to `low`
//! and those from `high`. A side is a value, or several as `{one, other}`; a value with a comma or a quote in it is
//! quoted there. Signs are set off by spaces, since `<=50K` is a value.

use crate::error::Error;
use crate::table::Decimal;
use std::fmt;
use std::str::FromStr;

/// Parts several rules in one text.
const BETWEEN_RULES: &str = " ; ";

/// Values that are to be told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The column.
    pub column: String,
    /// What is to be told apart.
    pub sides: RuleSides,
    /// How much it matters; above 0.
    pub importance: Decimal,
}

/// What is to be told apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleSides {
    /// Numbers or dates: those up to the first and those from the second.
    Boundary(String, String),
    /// The values of one set and those of the other.
    Values(Vec<String>, Vec<String>),
}

impl Rule {
    /// Reads a rule of a column without its name, such as `64|65 = 25`.
    pub fn of_column(column: &str, text: &str) -> Result<Rule, Error> {
        let malformed = || Error::RuleMalformed {
            rule: text.trim().to_owned(),
        };
        let (sides, importance) = text.rsplit_once(" = ").ok_or_else(malformed)?;
        let importance = Decimal::with_sign(importance.trim()).map_err(|_| malformed())?;
        if !importance.is_positive() {
            let rule = text.trim().to_owned();
            return Err(Error::RuleImportance { rule });
        }
        let column = column.trim().to_owned();
        if column.is_empty() {
            return Err(malformed());
        }
        Ok(Rule {
            column,
            sides: RuleSides::read(sides).map_err(|NotSides| malformed())?,
            importance,
        })
    }

    /// Reads one rule or several, parted by ` ; `.
    pub fn all(text: &str) -> Result<Vec<Rule>, Error> {
        text.split(BETWEEN_RULES).map(str::parse).collect()
    }

    /// Several rules in one text.
    pub fn join(rules: &[Rule]) -> String {
        let rules: Vec<String> = rules.iter().map(Rule::to_string).collect();
        rules.join(BETWEEN_RULES)
    }
}

impl FromStr for Rule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        // A name may hold a colon; the one that ends it has a space behind it, if any has.
        let split = text.split_once(": ").or_else(|| text.split_once(':'));
        match split {
            Some((column, rule)) => Rule::of_column(column, rule),
            None => Err(Error::RuleMalformed {
                rule: text.trim().to_owned(),
            }),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} = {}", self.column, self.sides, self.importance)
    }
}

/// A text that does not say what is to be told apart.
#[derive(Debug)]
struct NotSides;

impl RuleSides {
    fn read(text: &str) -> Result<Self, NotSides> {
        if let Some((one, other)) = text.split_once(" != ") {
            return Ok(RuleSides::Values(values(one)?, values(other)?));
        }
        let (low, high) = text.split_once('|').ok_or(NotSides)?;
        let (low, high) = (low.trim(), high.trim());
        match low.is_empty() || high.is_empty() || high.contains('|') {
            true => Err(NotSides),
            false => Ok(RuleSides::Boundary(low.to_owned(), high.to_owned())),
        }
    }
}

impl fmt::Display for RuleSides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuleSides::Boundary(low, high) => write!(f, "{low}|{high}"),
            RuleSides::Values(one, other) => write!(f, "{} != {}", side(one), side(other)),
        }
    }
}

/// Reads one side: a value, or several in braces.
fn values(text: &str) -> Result<Vec<String>, NotSides> {
    let text = text.trim();
    let inside = (text.strip_prefix('{')).and_then(|text| text.strip_suffix('}'));
    let Some(mut rest) = inside.map(str::trim_start) else {
        return match text {
            "" => Err(NotSides),
            text => Ok(vec![text.to_owned()]),
        };
    };
    let mut values = Vec::new();
    loop {
        let (value, after) = match rest.strip_prefix('"') {
            Some(quoted) => take_quoted(quoted)?,
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].trim_end().to_owned(), &rest[end..])
            }
        };
        if value.is_empty() {
            return Err(NotSides);
        }
        values.push(value);
        rest = match after.strip_prefix(',') {
            Some(next) => next.trim_start(),
            None if after.is_empty() => return Ok(values),
            None => return Err(NotSides),
        };
    }
}

/// Splits a value from the text behind its first quote; a doubled quote is one of the value's own.
fn take_quoted(mut rest: &str) -> Result<(String, &str), NotSides> {
    let mut value = String::new();
    loop {
        let (part, after) = rest.split_once('"').ok_or(NotSides)?;
        value.push_str(part);
        match after.strip_prefix('"') {
            Some(more) => {
                value.push('"');
                rest = more;
            }
            None => return Ok((value, after.trim_start())),
        }
    }
}

/// Writes one side so that it reads back.
fn side(values: &[String]) -> String {
    let is_bare = |value: &str| !value.starts_with('{');
    if let [value] = values
        && is_bare(value)
    {
        return value.clone();
    }
    let inside = |value: &String| match value.contains([',', '"', '{', '}']) {
        true => format!("\"{}\"", value.replace('"', "\"\"")),
        false => value.clone(),
    };
    let values: Vec<String> = values.iter().map(inside).collect();
    format!("{{{}}}", values.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_reads_back_as_it_was_written() {
        for text in [
            "age: 64|65 = 25",
            "balance: -5|-4.5 = 0.5",
            "race: White != Black = 20",
            "race: {White, Black} != {Asian, Other} = 5",
            "income: <=50K != >50K = 1",
            "job: {\"a, b\", c} != {\"say \"\"no\"\"\"} = 2",
        ] {
            let rule: Rule = text.parse().unwrap();
            let again: Rule = rule.to_string().parse().unwrap();
            assert_eq!(again, rule);
        }
        let rule: Rule = "race:{White,Black} != {Other} = 5".parse().unwrap();
        assert_eq!(rule.to_string(), "race: {White, Black} != Other = 5");
        let rule: Rule = "income: <=50K != >50K = 1".parse().unwrap();
        let sides = RuleSides::Values(vec!["<=50K".into()], vec![">50K".into()]);
        assert_eq!(rule.sides, sides);
        let both = Rule::all("age: 64|65 = 25 ; sex: Male != Female = 5").unwrap();
        assert_eq!(
            Rule::join(&both),
            "age: 64|65 = 25 ; sex: Male != Female = 5"
        );
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        for text in [
            "",
            "age",
            "age: 64|65",
            "64|65 = 25",
            "age: 64 = 25",
            "age: 64|65|66 = 25",
            "age: |65 = 25",
            "age: 64|65 = much",
            "race: White!=Black = 20",
            "race:  != Black = 20",
            "race: {White != Black} = 20 or so",
            "race: {} != Black = 20",
            "race: {White,} != Black = 20",
            "race: {\"White} != Black = 20",
            ": 64|65 = 25",
        ] {
            let error = text.parse::<Rule>().unwrap_err();
            assert!(matches!(error, Error::RuleMalformed { .. }), "{text}");
        }
        for text in ["age: 64|65 = 0", "age: 64|65 = -5"] {
            let error = text.parse::<Rule>().unwrap_err();
            assert!(matches!(error, Error::RuleImportance { .. }), "{text}");
        }
    }
}
