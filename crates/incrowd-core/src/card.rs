//! Doc comments kept as text, and suggestions for misspelled names: what every registry shares.
//!
//! What a model, metric or algorithm says about itself is written once, as its doc comment. [`documented!`] keeps
//! it for `incrowd explain`, the web page and Python.
//!
//! ```
//! incrowd_core::documented! {
//!     /// Does nothing, quickly.
//!     ///
//!     /// # Paper
//!     /// None yet.
//!     pub struct Idle;
//! }
//! assert_eq!(Idle::CARD.summary(), "Does nothing, quickly.");
//! assert_eq!(Idle::CARD.section("Paper").as_deref(), Some("None yet."));
//! ```
//!
//! [`documented!`]: crate::documented

use std::fmt;

/// Declares a struct and keeps its doc comment as the constant `CARD`. Derives go between the comment and the struct.
#[macro_export]
macro_rules! documented {
    ($(#[doc = $line:literal])+ $(#[derive($($derive:ident),+ $(,)?)])? pub struct $name:ident $($body:tt)*) => {
        $(#[doc = $line])+
        $(#[derive($($derive),+)])?
        pub struct $name $($body)*

        impl $name {
            /// The doc comment, as text.
            pub const CARD: $crate::card::Card = $crate::card::Card::new(concat!($($line, "\n"),+));
        }
    };
}

/// A doc comment: a summary line, paragraphs, then sections headed `# Paper`, `# Cost` and so on.
///
/// `Display` gives the whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Card {
    /// As the compiler hands it over: every line begins with the space that follows `///`.
    raw: &'static str,
}

impl Card {
    /// Wraps the lines of a doc comment.
    pub const fn new(raw: &'static str) -> Self {
        Card { raw }
    }

    /// The first line.
    pub fn summary(&self) -> &'static str {
        self.lines().next().unwrap_or_default()
    }

    /// The text under `# heading`.
    pub fn section(&self, heading: &str) -> Option<String> {
        let mut lines = self.lines();
        lines.find(|line| line.strip_prefix("# ") == Some(heading))?;
        let text: Vec<&str> = lines.take_while(|line| !line.starts_with("# ")).collect();
        Some(text.join("\n").trim_end().to_owned())
    }

    fn lines(&self) -> impl Iterator<Item = &'static str> {
        self.raw
            .lines()
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines().try_for_each(|line| writeln!(f, "{line}"))
    }
}

/// Up to three of `names` that resemble `name`, best first.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let name = name.to_ascii_lowercase();
    let mut ranked: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|candidate| {
            // Two letters occur in too many words to be a good match.
            let contained = (name.len() > 2 && candidate.contains(&name))
                || (candidate.len() > 2 && name.contains(candidate));
            let distance = if contained {
                0
            } else {
                strsim::levenshtein(&name, candidate)
            };
            // With more than half the letters different, it is a guess, not a typo.
            (distance * 2 <= candidate.len().max(name.len())).then_some((distance, candidate))
        })
        .collect();
    ranked.sort();
    // If one name is one typo away, a name that is three typos away was hardly meant.
    let best = ranked.first().map_or(0, |(distance, _)| *distance);
    ranked.retain(|(distance, _)| *distance <= 2 * best);
    ranked.truncate(3);
    ranked.into_iter().map(|(_, candidate)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_names_forgive_slips_and_fragments_but_do_not_guess() {
        let names = ["k-anonymity", "entropy-l-diversity", "distinct-l-diversity"];
        assert_eq!(nearest("k-anonimity", names), ["k-anonymity"]);
        assert_eq!(
            nearest("l-diversity", names),
            ["distinct-l-diversity", "entropy-l-diversity"]
        );
        assert_eq!(nearest("banana", names), Vec::<&str>::new());
        let words = ["l", "basic", "date", "lattice", "t"];
        assert_eq!(nearest("latice", words), ["lattice"]);
    }
}
