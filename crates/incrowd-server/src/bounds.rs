//! What the curator accepts and shows: the space in which an analyst may negotiate.

use crate::error::Failure;
use incrowd_core::privacy::{Decimal, MODELS, ModelEntry, ModelSpec};
use incrowd_core::registry::{Kind, Setting};
use incrowd_job::Budget;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// The least rows that an analyst's count can stand for.
const LEAST_MASK: u32 = 2;
const MOST_MASK: u32 = 1_000_000;

/// What the curator accepts and shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bounds {
    /// The promises that may be negotiated.
    pub(crate) models: Vec<ModelBounds>,
    /// Rows that may be suppressed at most.
    pub(crate) max_suppressed: Budget,
    /// The highest levels that may be published; any if none are given.
    #[serde(default)]
    pub(crate) max_levels: Option<Vec<u8>>,
    /// Numbers of rows that an analyst sees are multiples of this.
    pub(crate) mask: u32,
    /// What an analyst may look at.
    pub(crate) analyst_sees: Sees,
}

/// A promise that may be negotiated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelBounds {
    /// Such as `k-anonymity`.
    pub(crate) name: String,
    /// The weakest parameter that the curator accepts.
    pub(crate) floor: f64,
    /// The strongest that may be asked for.
    pub(crate) ceiling: f64,
    /// Other settings of the model.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub(crate) settings: IndexMap<String, SettingValue>,
}

/// A setting as people write it in JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum SettingValue {
    Number(f64),
    Text(String),
}

impl SettingValue {
    fn text(&self) -> String {
        match self {
            SettingValue::Number(number) => number.to_string(),
            SettingValue::Text(text) => text.clone(),
        }
    }
}

/// What an analyst may look at beside answers to wishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sees {
    pub(crate) lattice: bool,
    pub(crate) curve: bool,
    pub(crate) distributions: bool,
    pub(crate) metrics: bool,
    pub(crate) hierarchies: bool,
    /// Whether an analyst may try other algorithms, of which more is told than tests have ruled out.
    #[serde(default)]
    pub(crate) trials: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            models: vec![ModelBounds {
                name: "k-anonymity".into(),
                floor: 3.0,
                ceiling: 50.0,
                settings: IndexMap::new(),
            }],
            max_suppressed: Budget::Percent(20.0),
            max_levels: None,
            mask: 10,
            analyst_sees: Sees {
                lattice: true,
                curve: true,
                distributions: true,
                metrics: true,
                hierarchies: true,
                trials: false,
            },
        }
    }
}

/// Whether a larger parameter is a stronger promise: so many rows or values at least, and not a distance or share at most.
pub(crate) fn is_stronger_above(entry: &ModelEntry) -> bool {
    matches!(entry.settings[0].kind, Kind::Count | Kind::AtLeastOne)
}

impl ModelBounds {
    pub(crate) fn entry(&self) -> Option<&'static ModelEntry> {
        MODELS.iter().find(|entry| entry.name == self.name)
    }

    /// The model with its settings and without its parameter.
    pub(crate) fn spec(&self) -> Result<ModelSpec, Failure> {
        let unknown = || {
            Failure::bad_request(format!(
                "`{}` is not a model that can be negotiated",
                incrowd_job::visible(&self.name)
            ))
        };
        let entry = self.entry().ok_or_else(unknown)?;
        if entry.kind.is_about_release {
            return Err(unknown());
        }
        let mut spec = ModelSpec::bare(entry);
        for (name, value) in &self.settings {
            let is_main = entry.settings[0].name == name;
            let given = match is_main {
                true => return Err(unknown()),
                false => spec.give(name, &value.text()),
            };
            given.map_err(incrowd_job::Error::from)?;
        }
        Ok(spec)
    }

    /// Whether a parameter is at least as strong as the floor and no stronger than the ceiling.
    pub(crate) fn allow(&self, parameter: f64) -> bool {
        let (low, high) = match self.floor <= self.ceiling {
            true => (self.floor, self.ceiling),
            false => (self.ceiling, self.floor),
        };
        (low..=high).contains(&parameter)
    }
}

impl Bounds {
    /// Refuses bounds that no release could be within. `heights` are the highest levels, if the table is counted.
    pub(crate) fn check(&self, heights: Option<&[u8]>) -> Result<(), Failure> {
        if !(LEAST_MASK..=MOST_MASK).contains(&self.mask) {
            return Err(Failure::bad_request(format!(
                "`mask` must be from {LEAST_MASK} to {MOST_MASK} rows"
            )));
        }
        if self.models.is_empty() {
            return Err(Failure::bad_request("`models` must name a model"));
        }
        for (at, model) in self.models.iter().enumerate() {
            let spec = model.spec()?;
            let entry = spec.entry();
            if self.models[..at]
                .iter()
                .any(|other| other.name == model.name)
            {
                return Err(Failure::bad_request("`models` must name each model once"));
            }
            for end in [model.floor, model.ceiling] {
                let parameter = Decimal::from_f64(end);
                let fits =
                    parameter.is_some_and(|parameter| entry.settings[0].kind.allows(parameter));
                if !fits {
                    return Err(Failure::bad_request(format!(
                        "`floor` and `ceiling` of {} must be parameters that it may have",
                        entry.name
                    )));
                }
            }
            let is_ordered = match is_stronger_above(entry) {
                true => model.floor <= model.ceiling,
                false => model.floor >= model.ceiling,
            };
            if !is_ordered {
                return Err(Failure::bad_request(format!(
                    "the floor of {} must not be stronger than its ceiling",
                    entry.name
                )));
            }
        }
        if let (Some(levels), Some(heights)) = (&self.max_levels, heights) {
            let fits = levels.len() == heights.len()
                && levels
                    .iter()
                    .zip(heights)
                    .all(|(level, height)| level <= height);
            if !fits {
                return Err(Failure::bad_request(
                    "`max_levels` must be one level for each quasi-identifier, none above its highest",
                ));
            }
        }
        Ok(())
    }

    /// The bounds of a model.
    pub(crate) fn of_model(&self, name: &str) -> Option<&ModelBounds> {
        self.models.iter().find(|model| model.name == name)
    }

    /// Whether levels are no higher than they may be.
    pub(crate) fn allow_levels(&self, levels: &[u8]) -> bool {
        self.max_levels.as_deref().is_none_or(|most| {
            most.len() == levels.len() && levels.iter().zip(most).all(|(level, most)| level <= most)
        })
    }
}

/// Whether the parameter of a model is a whole number.
pub(crate) fn is_whole(setting: &Setting) -> bool {
    setting.kind == Kind::Count
}
