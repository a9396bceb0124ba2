//! What the algorithm `partition` may be told.

use crate::hierarchy::build::Decimal;
use std::fmt;
use std::str::FromStr;

/// Which partitions of a column's values are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scheme {
    /// One level of the hierarchy for all values.
    Bhs,
    /// A cut through the hierarchy.
    Ghs,
    /// Consecutive values of an order, guided by the hierarchy, which keeps its groups together.
    Gops,
    /// Any set of values, guided by the hierarchy.
    Gsps,
    /// Consecutive values of an order.
    Ops,
    /// Any partition.
    Sps,
}

impl Scheme {
    /// Every scheme; none allows more partitions than one further right, but for [`Scheme::Gsps`] and
    /// [`Scheme::Ops`], which cannot be compared, and for [`Scheme::Gops`] and [`Scheme::Ops`] where the order of a
    /// column does not keep the groups of its hierarchy together.
    pub const ALL: [Scheme; 6] = [
        Scheme::Bhs,
        Scheme::Ghs,
        Scheme::Gops,
        Scheme::Gsps,
        Scheme::Ops,
        Scheme::Sps,
    ];

    /// The name users type.
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Bhs => "bhs",
            Scheme::Ghs => "ghs",
            Scheme::Gops => "gops",
            Scheme::Gsps => "gsps",
            Scheme::Ops => "ops",
            Scheme::Sps => "sps",
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Scheme {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let found = Scheme::ALL.into_iter().find(|scheme| scheme.name() == text);
        found.ok_or(())
    }
}

/// From which end a search over partitions starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Direction {
    /// From raw values, joining blocks.
    BottomUp,
    /// From one block per column, splitting it.
    TopDown,
    /// Whatever suits the problem.
    #[default]
    Auto,
}

impl Direction {
    /// Every direction.
    pub const ALL: [Direction; 3] = [Direction::BottomUp, Direction::TopDown, Direction::Auto];

    /// The name users type.
    pub fn name(self) -> &'static str {
        match self {
            Direction::BottomUp => "bottom-up",
            Direction::TopDown => "top-down",
            Direction::Auto => "auto",
        }
    }
}

impl FromStr for Direction {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut all = Direction::ALL.into_iter();
        all.find(|direction| direction.name() == text).ok_or(())
    }
}

/// Steps that the numbers of a column are put in before the search; no step is ever split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoarseSteps {
    /// The column.
    pub column: String,
    /// How wide a step is.
    pub width: Decimal,
    /// Where a step begins.
    pub origin: Decimal,
}

/// Which ways to search less are used. The answer never depends on them; time and memory do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PruningRules {
    /// Drop a node when nothing below it can cost less than the best known.
    pub cost_bound: bool,
    /// Drop what joins or splits once it costs too much, for all nodes below.
    pub useless_applicators: bool,
    /// When nothing may be suppressed: drop nodes that have passed by the last join a row needs.
    pub useful_applicators: bool,
    /// Start with the cost of a good answer found by other means.
    pub seeding: bool,
    /// Put a node back before its children are made; by then it may not be worth it.
    pub delayed_expansion: bool,
    /// Take the node with the least bound first, not the oldest.
    pub least_bound_first: bool,
    /// Take the columns whose joins touch the fewest classes first.
    pub arranged_applicators: bool,
    /// A row not published yet costs at least as much as in the smallest safe class, and all if no class
    /// below can be safe.
    pub tighter_bounds: bool,
    /// Finish one column by a dynamic program instead of branching over it.
    pub program: bool,
}

impl PruningRules {
    /// All of them.
    pub const ALL: PruningRules = PruningRules {
        cost_bound: true,
        useless_applicators: true,
        useful_applicators: true,
        seeding: true,
        delayed_expansion: true,
        least_bound_first: true,
        arranged_applicators: true,
        tighter_bounds: true,
        program: true,
    };

    /// None of them: every node is visited.
    pub const NONE: PruningRules = PruningRules {
        cost_bound: false,
        useless_applicators: false,
        useful_applicators: false,
        seeding: false,
        delayed_expansion: false,
        least_bound_first: false,
        arranged_applicators: false,
        tighter_bounds: false,
        program: false,
    };

    /// The rules by name, to switch and to report them.
    pub fn named(&mut self) -> [(&'static str, &mut bool); 9] {
        [
            ("cost-bound", &mut self.cost_bound),
            ("useless-applicators", &mut self.useless_applicators),
            ("useful-applicators", &mut self.useful_applicators),
            ("seeding", &mut self.seeding),
            ("delayed-expansion", &mut self.delayed_expansion),
            ("least-bound-first", &mut self.least_bound_first),
            ("arranged-applicators", &mut self.arranged_applicators),
            ("tighter-bounds", &mut self.tighter_bounds),
            ("program", &mut self.program),
        ]
    }
}

impl Default for PruningRules {
    fn default() -> Self {
        PruningRules::ALL
    }
}

/// How the values of columns may be partitioned, and how to search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PartitionSettings {
    /// The scheme of columns that `schemes` does not name; [`Scheme::Ops`] when none is given.
    pub scheme: Option<Scheme>,
    /// Schemes of single columns.
    pub schemes: Vec<(String, Scheme)>,
    /// Orders of single columns: their raw values from first to last. Otherwise numbers and dates are ordered by
    /// size, text as its hierarchy file lists it or the rule behind its levels orders it, else by its bytes.
    pub orders: Vec<(String, Vec<String>)>,
    /// Numbers put in steps before the search.
    pub coarse: Vec<CoarseSteps>,
    /// From which end to search.
    pub direction: Direction,
    /// Which ways to search less are used.
    pub rules: PruningRules,
}

impl PartitionSettings {
    /// The scheme of a column.
    pub fn scheme_of(&self, column: &str) -> Scheme {
        let named = self.schemes.iter().find(|(name, _)| name == column);
        named.map_or(self.scheme.unwrap_or(Scheme::Ops), |(_, scheme)| *scheme)
    }
}
