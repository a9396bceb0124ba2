//! Flags that are set to one of a few words.

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Reads one of a few words as the job file would.
pub(super) fn choice<T>(words: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: serde::de::DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words)
        .try_map(|word| serde_json::from_value::<T>(serde_json::Value::String(word)))
}

/// Reads one of a few words that mean something in the library.
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

/// Never seen: the words are checked before they are looked up.
#[derive(Debug)]
struct UnknownWord;

impl std::fmt::Display for UnknownWord {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("unknown word")
    }
}

impl std::error::Error for UnknownWord {}
