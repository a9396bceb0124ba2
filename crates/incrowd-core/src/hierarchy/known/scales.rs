//! Scales with a well-known order.

use super::normalized;
use hashbrown::HashMap;
use std::sync::LazyLock;

/// Texts in their order.
pub(in crate::hierarchy) struct Scale {
    places: HashMap<String, usize>,
}

/// A line per scale, from the least to the greatest, separated by `;`; texts of one place by `|`.
static SCALES: LazyLock<Vec<Scale>> = LazyLock::new(|| {
    let lines = include_str!("scales.csv").lines();
    let read = |line: &str| Scale {
        places: (line.split(';').enumerate())
            .flat_map(|(place, texts)| texts.split('|').map(move |text| (normalized(text), place)))
            .collect(),
    };
    lines.map(read).collect()
});

impl Scale {
    /// The position of a text on the scale.
    pub(in crate::hierarchy) fn place(&self, text: &str) -> Option<usize> {
        self.places.get(&normalized(text)).copied()
    }
}

/// The first scale that contains all of these texts.
pub(in crate::hierarchy) fn scale_of<'a>(
    texts: impl Iterator<Item = &'a str> + Clone,
) -> Option<&'static Scale> {
    texts.clone().next()?;
    let mut scales = SCALES.iter();
    scales.find(|scale| texts.clone().all(|text| scale.place(text).is_some()))
}
