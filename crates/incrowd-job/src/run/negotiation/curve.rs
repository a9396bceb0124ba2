//! How many rows each parameter suppresses at a node: figure 2.9 of the paper.

use super::ready::Ready;
use super::{Ground, Wish};
use crate::error::Error;
use crate::run::control::Control;
use crate::run::counted::{SearchWatch, max_levels, max_suppressed};
use incrowd_core::lattice::Node;
use incrowd_core::negotiate::{AnnotatedLattice, Histogram};
use incrowd_core::privacy::{Direction, PrivacyModel};
use incrowd_core::registry::Kind;
use incrowd_plot::{PlotBudget, StepCurve, cumulative};
use std::sync::Arc;

/// Points drawn for a parameter that is not whole.
const POINTS: usize = 400;

/// The most whole parameters drawn; if there are more, some are skipped.
const MOST_WHOLE: u64 = 2000;

/// The rows that each parameter of a model suppresses at one node.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The model, such as `k-anonymity`.
    pub model: String,
    /// The name of its parameter, such as `k`.
    pub parameter_name: String,
    /// Whether the parameter is a whole number.
    pub is_whole: bool,
    /// The node, by name and level.
    pub levels: Vec<(String, u8)>,
    /// Rows of the table.
    pub rows: u64,
    /// The parameter requested.
    pub asked: f64,
    /// The rows that may be suppressed.
    pub budget: u64,
    /// Whether a lower parameter means stronger privacy.
    is_stronger_below: bool,
    direction: Direction,
    /// Measures from the least safe to the safest, with the rows of all classes up to each.
    steps: Vec<(f64, u32)>,
}

impl Curve {
    /// The curve of the highest levels a request accepts: read from the histograms if they are there, else counted.
    pub(super) fn at_limit(
        ground: &Ground,
        wish: &Wish,
        known: impl FnOnce(&dyn PrivacyModel) -> Result<Option<Arc<Ready>>, Error>,
        control: &Control,
    ) -> Result<Self, Error> {
        let table = ground.table();
        let model = ground.model(&wish.spec()?)?;
        let node = max_levels(wish.max_levels.as_deref(), table)?;
        let budget = max_suppressed(wish.max_suppressed, table)?;
        let ready = known(&*model)?;
        let lattice = ready.as_ref().and_then(|ready| ready.negotiator.lattice());
        if let Some(lattice) = lattice
            && let Some(histogram) = lattice.histogram(table, &*model, &node)?
        {
            return Ok(Self::of(ground, &*model, &node, budget, Some(histogram)));
        }
        Self::at(ground, &*model, &node, budget, control)
    }

    /// The curve of a node.
    pub(crate) fn at(
        ground: &Ground,
        model: &dyn PrivacyModel,
        node: &Node,
        budget: u32,
        control: &Control,
    ) -> Result<Self, Error> {
        let table = ground.table();
        let watch = SearchWatch::new(ground.job(), control);
        let nodes = std::slice::from_ref(node);
        let lattice = AnnotatedLattice::of_nodes(table, &[model], nodes, &watch)?;
        let histogram = lattice.histogram(table, model, node)?;
        Ok(Self::of(ground, model, node, budget, histogram))
    }

    fn of(
        ground: &Ground,
        model: &dyn PrivacyModel,
        node: &Node,
        budget: u32,
        histogram: Option<Histogram<'_>>,
    ) -> Self {
        let entry = model.spec().entry();
        let names = ground.quasi_identifiers().map(|(name, _)| name.to_owned());
        Curve {
            model: entry.name.to_owned(),
            parameter_name: entry.settings[0].name.to_owned(),
            is_whole: entry.settings[0].kind == Kind::Count,
            levels: names.zip(node.levels().map(|level| level.0)).collect(),
            rows: ground.table().rows.into(),
            asked: model.parameter().to_f64(),
            budget: budget.into(),
            is_stronger_below: model.direction() != Direction::AtLeast,
            direction: model.direction(),
            steps: histogram.map_or(Vec::new(), |of| of.curve().collect()),
        }
    }

    /// The rows that a parameter suppresses. For drawing, not an answer: classes that `f64` cannot distinguish from the
    /// parameter are taken at their measure.
    pub fn rows_suppressed(&self, parameter: f64) -> u64 {
        let breaks = |measure: f64| !self.direction.meets(measure, parameter);
        let steps = self.steps.partition_point(|&(measure, _)| breaks(measure));
        match steps {
            0 => 0,
            steps => self.steps[steps - 1].1.into(),
        }
    }

    /// Whether a smaller parameter suppresses more rows.
    pub fn falls(&self) -> bool {
        self.is_stronger_below
    }

    /// The parameters worth drawing: the one requested in the middle, or a wider range if the budget is spent later.
    pub fn range(&self) -> (f64, f64) {
        let low = if self.is_stronger_below { 0.0 } else { 1.0 };
        let spent = self.steps.iter();
        let spent = spent
            .filter(|(measure, rows)| u64::from(*rows) > self.budget && measure.is_finite())
            .map(|(measure, _)| *measure)
            .reduce(|one, other| match self.is_stronger_below {
                true => one.max(other),
                false => one.min(other),
            });
        let spent = spent.unwrap_or(self.asked).min(4.0 * self.asked);
        let high = (2.0 * self.asked).max(1.25 * spent);
        match self.is_whole {
            true => (low, high.max(9.0).ceil() + 1.0),
            false => (low, high.max(low + 0.1)),
        }
    }

    /// The parameters worth drawing, each with the rows that it suppresses.
    pub fn points(&self) -> Vec<(f64, u64)> {
        let parameters = self.drawn().into_iter();
        parameters
            .map(|parameter| (parameter, self.rows_suppressed(parameter)))
            .collect()
    }

    /// The curve as a plot.
    pub(crate) fn draw(&self, title: &str, budget: &PlotBudget) -> String {
        let points = self.points();
        let curve = StepCurve {
            model: &self.model,
            parameter_name: &self.parameter_name,
            is_whole: self.is_whole,
            falls: self.falls(),
            levels: &self.levels,
            points: &points,
        };
        cumulative(title, &curve, budget)
    }

    /// The parameters that a plot shows.
    fn drawn(&self) -> Vec<f64> {
        let (low, high) = self.range();
        match self.is_whole {
            true => {
                let (low, high) = (low as u64, high as u64);
                let step = (high - low).div_ceil(MOST_WHOLE).max(1);
                let parameters = (low..high).step_by(usize::try_from(step).unwrap_or(usize::MAX));
                parameters.chain([high]).map(|at| at as f64).collect()
            }
            false => (0..=POINTS)
                .map(|at| low + (high - low) * at as f64 / POINTS as f64)
                .collect(),
        }
    }
}
