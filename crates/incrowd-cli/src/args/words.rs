//! Flags that accept one of a few words.

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Parses one of a few words the way the job file does.
pub(super) fn choice<T>(words: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: serde::de::DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words)
        .try_map(|word| serde_json::from_value::<T>(serde_json::Value::String(word)))
}

/// Parses one of a few words into a value of the library.
pub(super) fn word<T, const N: usize>(
    words: [(&'static str, T); N],
) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words.iter().map(|(word, _)| *word).collect::<Vec<_>>()).try_map(
        move |given| {
            let found = words.iter().find(|(word, _)| *word == given);
            found.map(|(_, meaning)| meaning.clone()).ok_or(UnknownWord)
        },
    )
}

/// Never shown: clap checks the words before they are looked up.
#[derive(Debug)]
struct UnknownWord;

impl std::fmt::Display for UnknownWord {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("unknown word")
    }
}

impl std::error::Error for UnknownWord {}
