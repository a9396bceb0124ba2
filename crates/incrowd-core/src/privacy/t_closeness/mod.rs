//! t-closeness, with three ways to measure how far a class is from the table.
//!
//! Every distance is a whole amount over `steps * n * N`: n rows of the class, N of the table. Counts are cross
//! multiplied, never divided, so the comparison with t is exact:
//! amount <= steps * n * N with steps, n and N below 2^32 each, so below 2^96, and a denominator of t adds 30 bits.

mod equal;
mod hierarchical;
mod ordered;

use super::decimal::ratio;
use super::distribution::Distribution;
use super::part::{largest, smallest};
use super::registry::{ModelEntry, ModelKind, SENSITIVE_COLUMN};
use super::{ClassView, Decimal, Direction, Monotonicity, PrivacyModel};
use crate::counts::CountedColumn;
use crate::error::Error;
use crate::hierarchy::Hierarchy;
use crate::registry::{Kind, Setting};
use hierarchical::Tree;
use ordered::Ranks;
use std::sync::Arc;

crate::documented! {
    /// The sensitive values of every class are distributed nearly as in the table.
    ///
    /// The earth mover's distance between both distributions, the least share of rows times the way they must be moved
    /// to turn one into the other, is at most t. How far apart two values are depends on `distance`: `equal`, always 1;
    /// `ordered`, the difference of their ranks over the greatest there is; `hierarchical`, the level at which
    /// they meet over the height of the hierarchy.
    ///
    /// # Paper
    /// N. Li, T. Li, S. Venkatasubramanian, t-Closeness: Privacy Beyond k-Anonymity and l-Diversity, ICDE 2007.
    /// # Compared with
    /// The rows of the table that take part in the release: suppressed rows do, rows left out for missing cells
    /// (`exclude-row`) do not. `verify` compares with the original if it is given, else with the published rows.
    /// # Differs from the paper
    /// The order of a text column is that of its hierarchy's leaves.
    /// # Reached
    /// The greatest distance of a class.
    /// # Merging
    /// Safe classes merged are safe; a safe and an unsafe one may not be.
    /// # Cost
    /// With d values present: equal d; ordered d log(values of the table); hierarchical d per level.
    #[derive(Debug, Clone)]
    pub struct TCloseness {
        column: usize,
        t: Decimal,
        table: Arc<Distribution>,
        ground: Ground,
    }
}

/// How far apart two values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Distance {
    /// Always 1.
    Equal,
    /// By rank.
    Ordered,
    /// By the level at which they meet in the hierarchy.
    Hierarchical,
}

impl Distance {
    const NAMES: &[&str] = &["equal", "ordered", "hierarchical"];

    fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    fn named(name: Option<&str>) -> Self {
        match name {
            Some("ordered") => Distance::Ordered,
            Some("hierarchical") => Distance::Hierarchical,
            _ => Distance::Equal,
        }
    }
}

/// A distance, ready to be used.
#[derive(Debug, Clone)]
enum Ground {
    Equal,
    Ordered(Arc<Ranks>),
    Hierarchical(Arc<Tree>),
}

pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "t-closeness",
    card: TCloseness::CARD,
    settings: &[
        Setting::required(
            "t",
            Kind::Distance,
            "greatest distance of a class from the table",
        ),
        Setting::optional(
            "distance",
            Kind::Choice(Distance::NAMES),
            "how far apart two values are",
        )
        .or("equal"),
        SENSITIVE_COLUMN,
    ],
    kind: ModelKind {
        needs_hierarchy: |given| given.text("distance") == Some("hierarchical"),
        needs_population: false,
        is_about_release: false,
        build: |given, subject| {
            Ok(Box::new(TCloseness::new(
                subject.required_column(ENTRY.name)?,
                given.decimal("t"),
                Distance::named(given.text("distance")),
            )?))
        },
    },
};

impl TCloseness {
    /// For a sensitive column and its index among the counted columns; t is at most 1.
    pub fn new(
        (index, column): (usize, &CountedColumn),
        t: Decimal,
        distance: Distance,
    ) -> Result<Self, Error> {
        let ground = match distance {
            Distance::Equal => Ground::Equal,
            Distance::Ordered => Ground::Ordered(Arc::new(Ranks::of(column)?)),
            Distance::Hierarchical => Ground::Hierarchical(Arc::new(Tree::of(column)?)),
        };
        Ok(TCloseness {
            column: index,
            t,
            table: Arc::new(Distribution::of(column)),
            ground,
        })
    }

    /// The distance used.
    pub fn distance(&self) -> Distance {
        match self.ground {
            Ground::Equal => Distance::Equal,
            Ground::Ordered(_) => Distance::Ordered,
            Ground::Hierarchical(_) => Distance::Hierarchical,
        }
    }

    /// The amount moved and the steps it is counted in: the distance is amount / (steps * n * N).
    #[inline]
    fn moved(&self, class: &ClassView<'_>) -> (u128, u32) {
        match &self.ground {
            Ground::Equal => (equal::moved(&self.table, class), 1),
            Ground::Ordered(ranks) => (ranks.moved(class), ranks.steps()),
            Ground::Hierarchical(tree) => (tree.moved(&self.table, class), tree.steps()),
        }
    }

    /// [`TCloseness::moved`] of the part of the class with so many rows that is nearest to the table, or less.
    fn least_moved(&self, class: &ClassView<'_>, rows: u32) -> (u128, u32) {
        match &self.ground {
            Ground::Equal => (equal::least_moved(&self.table, class, rows), 1),
            Ground::Ordered(ranks) => (ranks.least_moved(class, rows), ranks.steps()),
            Ground::Hierarchical(tree) => {
                (tree.least_moved(&self.table, class, rows), tree.steps())
            }
        }
    }

    /// Whether so much may be moved in so many steps in a class of so many rows.
    #[inline]
    fn is_near(&self, amount: u128, steps: u32, rows: u32) -> bool {
        amount * u128::from(self.t.denominator())
            <= self.scale(rows) * u128::from(u64::from(steps) * self.t.numerator())
    }

    /// n N.
    #[inline]
    fn scale(&self, rows: u32) -> u128 {
        u128::from(rows) * u128::from(self.table.rows)
    }
}

impl PrivacyModel for TCloseness {
    fn entry(&self) -> &'static ModelEntry {
        &ENTRY
    }

    fn column(&self) -> Option<usize> {
        Some(self.column)
    }

    #[inline]
    fn holds(&self, class: &ClassView<'_>) -> bool {
        let (amount, steps) = self.moved(class);
        self.is_near(amount, steps, class.size)
    }

    fn measure(&self, class: &ClassView<'_>) -> f64 {
        let (amount, steps) = self.moved(class);
        ratio(amount, self.scale(class.size) * u128::from(steps))
    }

    fn direction(&self) -> Direction {
        Direction::AtMost
    }

    fn reads_table(&self) -> bool {
        true
    }

    fn monotonicity(&self) -> Monotonicity {
        // Moving each part of a union on its own moves the union: the distance is convex.
        Monotonicity::UnionOfKept
    }

    fn smallest_safe(&self) -> u32 {
        match self.ground {
            Ground::Equal => smallest(self.table.rows_of_values.len(), |rows| {
                let amount = equal::least_moved_of_any(&self.table, rows);
                self.is_near(amount, 1, rows)
            }),
            Ground::Ordered(_) | Ground::Hierarchical(_) => self.smallest_class(),
        }
    }

    fn most_kept_of_broken(&self, class: &ClassView<'_>, smallest: u32) -> u32 {
        if let Ground::Equal = self.ground {
            return equal::most_kept(&self.table, self.t, (class, smallest));
        }
        // What must be moved of each row of a part never falls with the rows of the part, see the three distances.
        largest(class.size, |rows| {
            let (amount, steps) = self.least_moved(class, rows);
            self.is_near(amount, steps, rows)
        })
    }

    fn fewest_around(&self, class: &ClassView<'_>) -> u32 {
        match self.ground {
            Ground::Equal => equal::fewest_around(&self.table, self.t.to_f64(), class),
            Ground::Ordered(_) | Ground::Hierarchical(_) => class.size,
        }
    }

    fn parameter(&self) -> Decimal {
        self.t
    }

    fn with_checked(&self, t: Decimal) -> Box<dyn PrivacyModel> {
        Box::new(TCloseness { t, ..self.clone() })
    }

    fn other_settings(&self) -> Vec<Option<String>> {
        vec![Some(self.distance().name().to_owned())]
    }
}

/// The number of the leaf of each value.
fn leaves(column: &CountedColumn, hierarchy: &Hierarchy) -> Result<Vec<u32>, Error> {
    let values = column.values.iter();
    let leaves = values.filter_map(|text| hierarchy.leaf(text));
    let leaves: Vec<u32> = leaves.map(|leaf| leaf.0).collect();
    if leaves.len() < column.values.len() {
        return Err(Error::ValuesOutsideHierarchy {
            column: column.name.clone(),
            values: column.values.len() - leaves.len(),
        });
    }
    Ok(leaves)
}
