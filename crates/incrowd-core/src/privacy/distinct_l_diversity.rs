//! Distinct l-diversity.

use super::registry::{ModelEntry, ParameterEntry, ParameterKind, required};
use super::{ClassView, Decimal, Direction, ModelSpec, Monotonicity, PrivacyModel};
use crate::error::Error;

crate::documented! {
    /// Every class has at least l distinct values of the sensitive column.
    ///
    /// Nobody's value is certain. It may still be nearly certain: 99 of 100 rows may share one.
    ///
    /// # Paper
    /// A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, l-Diversity: Privacy Beyond k-Anonymity, ACM
    /// TKDD 1(1), 2007.
    /// # Reached
    /// The fewest distinct values of a class.
    /// # Merging
    /// A safe class stays safe whatever joins it.
    /// # Cost
    /// One comparison per class; histograms must be counted.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DistinctLDiversity {
        /// The sensitive column, as its index among the counted columns.
        pub column: usize,
        /// Distinct values a class must have.
        pub l: u32,
    }
}

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "distinct-l-diversity",
    card: DistinctLDiversity::CARD,
    parameters: &[ParameterEntry {
        name: "l",
        summary: "distinct values a class must have",
        kind: ParameterKind::Count,
        default: None,
    }],
    needs_column: true,
    needs_hierarchy: |_| false,
    build: |parameters, column| {
        Ok(Box::new(DistinctLDiversity {
            column: required(ENTRY.name, column)?.0,
            l: parameters.count("l")?,
        }))
    },
};

impl PrivacyModel for DistinctLDiversity {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    #[inline]
    fn holds(&self, class: &ClassView<'_>) -> bool {
        class.distinct() >= self.l
    }

    fn measure(&self, class: &ClassView<'_>) -> f64 {
        class.distinct().into()
    }

    fn direction(&self) -> Direction {
        Direction::AtLeast
    }

    fn smallest_class(&self) -> u32 {
        self.l
    }

    fn reads_counts(&self) -> bool {
        false
    }

    fn monotonicity(&self) -> Monotonicity {
        // Values are only added.
        Monotonicity::UnionWithAny
    }

    fn parameter(&self) -> Decimal {
        self.l.into()
    }

    fn with_parameter(&self, parameter: Decimal) -> Result<Box<dyn PrivacyModel>, Error> {
        let l = ENTRY.check_count(parameter)?;
        Ok(Box::new(DistinctLDiversity { l, ..*self }))
    }

    fn spec(&self) -> ModelSpec {
        ModelSpec::of(self.name(), [Some(self.l.to_string())])
    }
}
