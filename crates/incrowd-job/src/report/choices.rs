//! A count of choices in JSON: a number, or words if it is too large for one.
//!
//! A float that is not finite becomes `null` in JSON, which nobody would read as "very many".

use incrowd_core::algorithms::partition::Choices;
use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(
    choices: &Choices,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match choices.number() {
        Some(number) => serializer.serialize_f64(number),
        None => serializer.collect_str(choices),
    }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Choices, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(f64),
        Words(String),
    }
    match Written::deserialize(deserializer)? {
        Written::Number(number) => Ok(Choices::new(number)),
        Written::Words(words) => {
            let beyond = Choices::new(f64::INFINITY);
            match words == beyond.to_string() {
                true => Ok(beyond),
                false => Err(serde::de::Error::custom("not a number of choices")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Serialize, Deserialize)]
    struct Row {
        #[serde(with = "super")]
        all: Choices,
    }

    #[test]
    fn choices_are_a_number_or_words_and_never_null() {
        for (number, written) in [
            (52.0, "52.0"),
            (1e300, "1e+300"),
            (f64::INFINITY, "\"more than 1e308\""),
            (f64::NAN, "\"more than 1e308\""),
        ] {
            let row = Row {
                all: Choices::new(number),
            };
            let text = serde_json::to_string(&row).unwrap();
            assert_eq!(text, format!("{{\"all\":{written}}}"));
            assert_eq!(serde_json::from_str::<Row>(&text).unwrap(), row);
        }
        assert!(serde_json::from_str::<Row>("{\"all\":\"many\"}").is_err());
    }
}
