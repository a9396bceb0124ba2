//! Numbers in JSON, as people would write them.

use serde::{Deserialize, Serialize};

/// A number that is written without a fraction if it is whole.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Figure(pub f64);

impl Serialize for Figure {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53
        if self.0.fract() == 0.0 && (0.0..EXACT).contains(&self.0) {
            serializer.serialize_u64(self.0 as u64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

impl std::fmt::Display for Figure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.fract() == 0.0 {
            true => write!(formatter, "{}", self.0),
            false => write!(formatter, "{:.4}", self.0),
        }
    }
}
