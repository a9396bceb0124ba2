//! What may be set about the algorithm `partition`.

use super::Partition;
use crate::algorithms::Algorithm;
use crate::registry::{Given, Kind, Setting};
use crate::table::Decimal;
use std::fmt;
use std::str::FromStr;

/// The settings, as users see them.
pub(super) const DECLARED: &[Setting] = &[
    Setting::optional(
        "scheme",
        Kind::ChoiceByColumn(&Scheme::NAMES),
        "which partitions are allowed: bhs, ghs, gops, gsps, ops or sps, for all columns or as in age=ops,race=sps; \
         ops when not given",
    ),
    Setting::optional(
        "coarse",
        Kind::StepsByColumn,
        "steps that the numbers of a column are put in before the search, as in age=5@17: steps of 5 from 17",
    ),
    Setting::optional(
        "order",
        Kind::OrderByColumn,
        "order of the values of a column, as in size=small;medium;large; when not given, numbers and dates are \
         ordered by size, text as its hierarchy file or rule orders it, else by its bytes",
    ),
    Setting::optional(
        "search",
        Kind::Choice(&Direction::NAMES),
        "how to search: bottom-up from the raw values, top-down from one block, by deciding about single boundaries \
         between neighboring values (discernibility and k-anonymity, schemes that join neighbors), or auto",
    )
    .or("auto"),
    Setting::optional(
        "without-pruning",
        Kind::Choices(&PruningRules::NAMES),
        "pruning rules to switch off, or all; they change the time it takes, not the result",
    ),
];

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

    /// Their names, in the same order.
    const NAMES: [&str; 6] = ["bhs", "ghs", "gops", "gsps", "ops", "sps"];

    /// The name users type.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
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

/// How partitions are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Direction {
    /// From raw values, joining blocks.
    BottomUp,
    /// From one block per column, splitting it.
    TopDown,
    /// One boundary between neighboring values after the other.
    Boundaries,
    /// Whatever suits the problem.
    #[default]
    Auto,
}

impl Direction {
    /// Every direction.
    pub const ALL: [Direction; 4] = [
        Direction::BottomUp,
        Direction::TopDown,
        Direction::Boundaries,
        Direction::Auto,
    ];

    /// Their names, in the same order.
    const NAMES: [&str; 4] = ["bottom-up", "top-down", "boundaries", "auto"];

    /// The name users type.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
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

/// Which pruning rules are used. The answer never depends on them; time and memory do.
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
    /// below can be safe, or if it is beyond the largest part of its class that keeps every promise.
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

    /// The names of the rules, then one for all of them.
    const NAMES: [&str; 10] = [
        "cost-bound",
        "useless-applicators",
        "useful-applicators",
        "seeding",
        "delayed-expansion",
        "least-bound-first",
        "arranged-applicators",
        "tighter-bounds",
        "program",
        "all",
    ];

    /// Switches off a rule, or all of them.
    fn switch_off(&mut self, name: &str) {
        for (rule, is_on) in self.named() {
            *is_on &= rule != name && name != "all";
        }
    }

    /// The rules by name, to switch and to report them.
    pub fn named(&mut self) -> [(&'static str, &mut bool); 9] {
        let rules = [
            &mut self.cost_bound,
            &mut self.useless_applicators,
            &mut self.useful_applicators,
            &mut self.seeding,
            &mut self.delayed_expansion,
            &mut self.least_bound_first,
            &mut self.arranged_applicators,
            &mut self.tighter_bounds,
            &mut self.program,
        ];
        let mut names = Self::NAMES.into_iter();
        rules.map(|rule| (names.next().expect("every rule has a name"), rule))
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
    /// Which pruning rules are used.
    pub rules: PruningRules,
}

impl PartitionSettings {
    /// What was set.
    pub fn of(given: &Given) -> Self {
        let mut settings = PartitionSettings::default();
        // A problem may be meant for another algorithm, and then says nothing about partitions.
        if !given.has("scheme") {
            return settings;
        }
        for (column, name) in given.by_column("scheme") {
            let scheme = name.parse().expect("only schemes are kept");
            match column {
                Some(column) => settings.schemes.push((column.to_owned(), scheme)),
                None => settings.scheme = Some(scheme),
            }
        }
        let steps = given.steps("coarse").map(|(column, steps)| CoarseSteps {
            column: column.to_owned(),
            width: steps.width,
            origin: steps.origin,
        });
        settings.coarse = steps.collect();
        let orders = given.orders("order").map(|(column, values)| {
            let values = values.into_iter().map(str::to_owned);
            (column.to_owned(), values.collect())
        });
        settings.orders = orders.collect();
        let direction = given.text("search").and_then(|name| name.parse().ok());
        settings.direction = direction.unwrap_or_default();
        for name in given.texts("without-pruning") {
            settings.rules.switch_off(name);
        }
        settings
    }

    /// The same as users would set it.
    pub fn given(&self) -> Given {
        let mut given = Partition.entry().defaults();
        let of_columns = self.schemes.iter();
        let of_columns = of_columns.map(|(column, scheme)| format!("{column}={scheme}"));
        let of_others = self.scheme.map(|scheme| scheme.to_string());
        let coarse = self.coarse.iter();
        let coarse = coarse.map(|of| format!("{}={}@{}", of.column, of.width, of.origin));
        let orders = self.orders.iter();
        let orders = orders.map(|(column, values)| format!("{column}={}", values.join(";")));
        let mut rules = self.rules;
        let off = rules.named().into_iter().filter(|(_, is_on)| !**is_on);
        let lists: [(&str, Vec<String>); 5] = [
            ("scheme", of_others.into_iter().chain(of_columns).collect()),
            ("coarse", coarse.collect()),
            ("order", orders.collect()),
            ("search", vec![self.direction.name().to_owned()]),
            (
                "without-pruning",
                off.map(|(name, _)| name.to_owned()).collect(),
            ),
        ];
        for (name, values) in lists.iter().filter(|(_, values)| !values.is_empty()) {
            given.set(name, values).expect("what is typed is in range");
        }
        given
    }

    /// The scheme of a column.
    pub fn scheme_of(&self, column: &str) -> Scheme {
        let named = self.schemes.iter().find(|(name, _)| name == column);
        named.map_or(self.scheme.unwrap_or(Scheme::Ops), |(_, scheme)| *scheme)
    }
}
