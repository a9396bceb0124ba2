//! A request, as flags, job files and lines of JSON state it.

use crate::error::Error;
use crate::spec::{Budget, Job};
use incrowd_core::lattice::Level;
use incrowd_core::negotiate::{How, Search};
use incrowd_core::privacy::{Decimal, ModelSpec};
use indexmap::IndexMap;
use serde::Deserialize;

/// A request: privacy, suppression, levels, and a metric to prefer releases by.
#[derive(Debug, Clone, PartialEq)]
pub struct Wish {
    /// The model, such as `k-anonymity(k=5)`; its parameter may be omitted if `parameter` is given.
    pub model: String,
    /// The parameter of the model; overrides the one in the text.
    pub parameter: Option<Decimal>,
    /// The rows that may be suppressed; none if not given.
    pub max_suppressed: Option<Budget>,
    /// The highest acceptable level of each quasi-identifier; any if not given.
    pub max_levels: Option<Vec<u8>>,
    /// The metric to minimize; the height if not given.
    pub metric: Option<String>,
    /// Which heights the relaxation of the levels may use; as in [`Options`](super::Options) if not given.
    pub search: Option<Search>,
    /// For someone who may know numbers of suppressed rows only in steps of so many; 1 if everything may be known.
    /// See [`Request::in_steps_of`](incrowd_core::negotiate::Request::in_steps_of).
    pub rows_in_steps_of: u32,
}

impl Wish {
    /// The request of a job. It must have exactly one model.
    pub fn of_job(job: &Job) -> Result<Wish, Error> {
        let model = match job.privacy.models.as_deref().unwrap_or_default() {
            [] => return Err(Error::NoPrivacyModel),
            [model] => model.clone(),
            several => {
                let given = several.len();
                return Err(Error::SeveralPromises { given });
            }
        };
        let wish = Wish {
            model,
            parameter: None,
            max_suppressed: job.privacy.max_suppressed,
            max_levels: job.privacy.max_levels.clone(),
            metric: job.search.metric.clone(),
            search: None,
            rows_in_steps_of: 1,
        };
        wish.spec()?.check_complete()?;
        Ok(wish)
    }

    /// The model with its parameter.
    pub fn spec(&self) -> Result<ModelSpec, Error> {
        let spec: ModelSpec = self.model.parse()?;
        Ok(match self.parameter {
            Some(parameter) => spec.with_main(parameter)?,
            None => spec,
        })
    }

    /// Changes the parameter of the model, as a user writes it.
    pub fn set_parameter(&mut self, text: &str) -> Result<(), Error> {
        let spec: ModelSpec = self.model.parse()?;
        self.parameter = Some(spec.entry().read_parameter(text)?);
        Ok(())
    }

    /// Changes the acceptable levels: `any`, all of them as in `2,1,1`, or some by name as in `age=2 sex=0`.
    pub fn set_levels(
        &mut self,
        text: &str,
        quasi_identifiers: &[(&str, u8)],
    ) -> Result<(), Error> {
        let wrong = || Error::MaxLevels { text: text.into() };
        if text.trim() == "any" {
            self.max_levels = None;
            return Ok(());
        }
        if !text.contains('=') {
            let numbers = text.split([',', ' ']).filter(|part| !part.is_empty());
            let levels: Vec<i64> = numbers
                .map(|level| level.parse().map_err(|_| wrong()))
                .collect::<Result<_, _>>()?;
            if levels.len() != quasi_identifiers.len() {
                return Err(Error::LevelCount {
                    given: levels.len(),
                    expected: quasi_identifiers.len(),
                });
            }
            let levels = (0..).zip(levels);
            let levels = levels.map(|(at, level)| level_of(quasi_identifiers.get(at), level));
            self.max_levels = Some(levels.collect::<Result<_, _>>()?);
            return Ok(());
        }
        let mut named = Vec::new();
        // A name may contain spaces, so only the text before the last `=` of a part is one.
        for part in text.split(',').flat_map(split_pairs) {
            let (name, level) = part.rsplit_once('=').ok_or_else(wrong)?;
            let level = level.trim().parse().map_err(|_| wrong())?;
            named.push((name.trim(), level));
        }
        let levels = levels_by_name(named, quasi_identifiers, self.max_levels.as_deref())?;
        self.max_levels = Some(levels);
        Ok(())
    }

    /// Parses a line of JSON. Missing fields, including the model, are taken from `defaults`.
    pub(super) fn of_line(
        text: &str,
        defaults: &Defaults<'_>,
        quasi_identifiers: &[(&str, u8)],
    ) -> Result<Wish, Error> {
        let line: Line = serde_json::from_str(text).map_err(|error| Error::RequestLine {
            message: without_position(&error),
        })?;
        let model = line
            .model
            .or_else(|| defaults.model.map(str::to_owned))
            .ok_or(Error::NoPrivacyModel)?;
        let parameter = match line.parameter {
            None => None,
            Some(number) => Some(decimal(number, &model)?),
        };
        let max_levels = match line.max_levels {
            None => defaults.job.privacy.max_levels.clone(),
            Some(Levels::InOrder(levels)) => Some(
                (0..)
                    .zip(levels)
                    .map(|(at, level)| level_of(quasi_identifiers.get(at), level))
                    .collect::<Result<_, _>>()?,
            ),
            Some(Levels::ByName(levels)) => {
                let named = levels.iter().map(|(name, &level)| (name.as_str(), level));
                Some(levels_by_name(named, quasi_identifiers, None)?)
            }
        };
        Ok(Wish {
            model,
            parameter,
            max_suppressed: line.max_suppressed.or(defaults.job.privacy.max_suppressed),
            max_levels,
            metric: line.metric.or_else(|| defaults.job.search.metric.clone()),
            search: line.search.as_deref().map(search).transpose()?,
            rows_in_steps_of: 1,
        })
    }
}

/// Splits `a=1 b c=2` into `a=1` and `b c=2`: a part ends with the number after its `=`.
fn split_pairs(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while let Some(sign) = rest.find('=') {
        let after = &rest[sign + 1..];
        let blanks = after.len() - after.trim_start().len();
        let end = after.trim_start().find(' ');
        let end = end.map_or(rest.len(), |end| sign + 1 + blanks + end);
        parts.push(rest[..end].trim());
        rest = rest[end..].trim();
    }
    if !rest.is_empty() {
        parts.push(rest);
    }
    parts
}

/// What lines of JSON may omit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Defaults<'a> {
    pub(super) model: Option<&'a str>,
    pub(super) job: &'a Job,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    model: Option<String>,
    parameter: Option<f64>,
    max_suppressed: Option<Budget>,
    max_levels: Option<Levels>,
    metric: Option<String>,
    search: Option<String>,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "`max_levels` must be a list of levels, or levels by name"
)]
enum Levels {
    InOrder(Vec<i64>),
    ByName(IndexMap<String, i64>),
}

/// The message of the JSON parser, without its position: there is only one line.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line 1 column ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}

fn decimal(number: f64, model: &str) -> Result<Decimal, Error> {
    if let Some(decimal) = Decimal::from_f64(number) {
        return Ok(decimal);
    }
    // Out of every range; the error says which one.
    let entry = model.parse::<ModelSpec>()?.entry();
    Ok(entry.read_parameter(&number.to_string())?)
}

/// A level, if its quasi-identifier has it. A wrong number of levels is reported elsewhere.
fn level_of(of: Option<&(&str, u8)>, level: i64) -> Result<u8, Error> {
    let Some(&(name, height)) = of else {
        return Ok(0);
    };
    let found = u8::try_from(level).ok().filter(|&level| level <= height);
    found.ok_or_else(|| {
        Error::Core(incrowd_core::Error::NoSuchLevel {
            column: name.to_owned(),
            given: level,
            height: Level(height),
        })
    })
}

/// Levels with some changed by name; those of `before` stay otherwise, or any level is acceptable.
pub(super) fn levels_by_name<'n>(
    named: impl IntoIterator<Item = (&'n str, i64)>,
    quasi_identifiers: &[(&str, u8)],
    before: Option<&[u8]>,
) -> Result<Vec<u8>, Error> {
    let mut levels: Vec<u8> = match before {
        Some(levels) => levels.to_vec(),
        None => quasi_identifiers
            .iter()
            .map(|&(_, height)| height)
            .collect(),
    };
    for (name, level) in named {
        let at = quasi_identifiers.iter().position(|of| of.0 == name);
        let at = at.filter(|&at| at < levels.len()).ok_or_else(|| {
            let known = quasi_identifiers.iter().map(|of| of.0.to_owned());
            Error::Core(incrowd_core::Error::NotAQuasiIdentifier {
                column: name.to_owned(),
                known: known.collect(),
            })
        })?;
        levels[at] = level_of(quasi_identifiers.get(at), level)?;
    }
    Ok(levels)
}

fn search(name: &str) -> Result<Search, Error> {
    let found = Search::ALL.iter().find(|(known, _)| *known == name);
    found
        .map(|(_, search)| *search)
        .ok_or_else(|| Error::UnknownName {
            family: "search",
            name: name.to_owned(),
            known: Search::ALL.iter().map(|(known, _)| *known).collect(),
        })
}

/// What to annotate before the first request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preparation {
    /// Whatever the size of the lattice and the number of requests suggest.
    #[default]
    Auto,
    /// This.
    Fixed(How),
}

impl Preparation {
    /// All of them, by the names users write.
    pub const ALL: [(&'static str, Preparation); 5] = [
        ("auto", Preparation::Auto),
        ("full", Preparation::Fixed(How::Full)),
        ("partial", Preparation::Fixed(How::Partial)),
        ("partial-top", Preparation::Fixed(How::PartialTop)),
        ("lazy", Preparation::Fixed(How::Lazy)),
    ];
}

/// A share such as `5%`, in percent; the sign may be omitted.
pub fn share(text: &str) -> Result<f64, Error> {
    let number = text.trim().trim_end_matches('%').trim_end();
    let percent: f64 = number
        .parse()
        .map_err(|_| Error::Share { text: text.into() })?;
    match percent > 0.0 && percent <= 100.0 {
        true => Ok(percent),
        false => Err(Error::Share { text: text.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [(&str, u8); 3] = [("age", 4), ("marital status", 2), ("sex", 1)];

    fn wish() -> Wish {
        Wish {
            model: "k-anonymity(k=3)".into(),
            parameter: None,
            max_suppressed: None,
            max_levels: None,
            metric: None,
            search: None,
            rows_in_steps_of: 1,
        }
    }

    #[test]
    fn levels_are_changed_all_at_once_or_by_name() {
        let mut wish = wish();
        wish.set_levels("2,1,1", &COLUMNS).unwrap();
        assert_eq!(wish.max_levels, Some(vec![2, 1, 1]));
        wish.set_levels("age=4 marital status=0", &COLUMNS).unwrap();
        assert_eq!(wish.max_levels, Some(vec![4, 0, 1]));
        wish.set_levels("any", &COLUMNS).unwrap();
        wish.set_levels("sex = 0", &COLUMNS).unwrap();
        assert_eq!(wish.max_levels, Some(vec![4, 2, 0]));
        for text in ["age=5", "zip=1", "1,1", "1,1,-1", "age=x", "age", ""] {
            assert!(wish.set_levels(text, &COLUMNS).is_err(), "{text}");
        }
        assert_eq!(wish.max_levels, Some(vec![4, 2, 0]));
    }

    #[test]
    fn the_parameter_of_a_wish_wins_over_its_text() {
        let mut wish = wish();
        wish.set_parameter("10").unwrap();
        assert_eq!(wish.spec().unwrap().to_string(), "k-anonymity(k=10)");
        for text in ["0", "-1", "x", "2.5", ""] {
            assert!(wish.set_parameter(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_line_takes_what_it_does_not_say_from_the_job() {
        let mut job = Job::default();
        job.privacy.max_suppressed = Some(Budget::Percent(1.0));
        let defaults = Defaults {
            model: Some("k-anonymity"),
            job: &job,
        };
        let read = |text: &str| Wish::of_line(text, &defaults, &COLUMNS);
        let wish = read(r#"{"parameter":5,"max_levels":{"sex":0}}"#).unwrap();
        assert_eq!(wish.spec().unwrap().to_string(), "k-anonymity(k=5)");
        assert_eq!(wish.max_suppressed, Some(Budget::Percent(1.0)));
        assert_eq!(wish.max_levels, Some(vec![4, 2, 0]));
        for text in [
            "[]",
            "{",
            r#"{"parameter":-5}"#,
            r#"{"parameter":5,"k":5}"#,
            r#"{"parameter":5,"max_levels":[1,1,300]}"#,
            r#"{"parameter":5,"max_levels":"high"}"#,
            r#"{"parameter":5,"max_suppressed":-1}"#,
            r#"{"parameter":5,"search":"up"}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
