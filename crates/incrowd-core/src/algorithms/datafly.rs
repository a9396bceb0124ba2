//! Generalizes the attribute with the most distinct values, then suppresses the rest.

use super::checks::Checks;
use super::{
    Algorithm, AlgorithmEntry, AlgorithmKind, DefaultBudget, Found, Generalization, Status,
    nothing_on_the_path,
};
use crate::Error;
use crate::lattice::Node;
use crate::problem::{Action, Guarantee, Meter, Problem, Proposal, Step};
use crate::recode::ColumnRecoding;

crate::documented! {
    /// Raises the attribute with the most distinct values, step by step, until few enough rows are left to suppress.
    ///
    /// Starts with raw values. While more rows violate the privacy models than may be suppressed, the
    /// quasi-identifier with the most distinct values in the table is raised by one level. Then the rows that still
    /// violate are suppressed.
    ///
    /// # Paper
    /// L. Sweeney, Datafly: a System for Providing Anonymity in Medical Data, Database Security XI, 1998; as
    /// summarized by F. Ben Fredj et al., Characterizing Generalization Algorithms, section 3.2.
    /// # Differs from the paper
    /// Works for every model: a row violates if its class does not satisfy a model. Values are counted as published
    /// at the current level, in the whole table. Ties go to the column named first; a column at its highest
    /// acceptable level is skipped. The whole budget may be used, not one row less.
    /// # Guarantee
    /// Heuristic: the release is safe, with no guarantee about its loss. With models that do not survive merging it
    /// can miss a solution; it fails only if the highest acceptable levels fail.
    /// # Needs
    /// Nothing. Uses the suppression budget: by default as many rows as the smallest class that the models allow (k,
    /// for k-anonymity), as in the original.
    /// # Invariant
    /// Every node before the current one suppresses more rows than the budget.
    /// # Cost
    /// At most as many roll-ups as the height of the lattice, each from the one before.
    #[derive(Debug)]
    pub struct Datafly;
}

static ENTRY: AlgorithmEntry = AlgorithmEntry {
    name: "datafly",
    card: Datafly::CARD,
    settings: &[],
    kind: AlgorithmKind {
        status: Status::Experimental,
        generalization: Generalization::FullDomain,
        default_budget: DefaultBudget::SmallestClass,
        choices: None,
    },
};

impl Algorithm for Datafly {
    fn entry(&self) -> &'static AlgorithmEntry {
        &ENTRY
    }

    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error> {
        let attributes = &problem.table.attributes;
        let mut checks = Checks::new(problem, meter);
        let mut node = problem.lattice().bottom();
        // An unsafe intermediate result is of no use.
        let step_on = |checks: &mut Checks<'_>, node: &Node| match checks.step_on(node) {
            Ok(verdict) => Ok(verdict.rows_suppressed),
            Err(interruption) => Err(checks.unfinished(interruption)),
        };
        let mut violating = step_on(&mut checks, &node)?;
        let mut steps = Vec::new();
        while violating > problem.max_suppressed {
            let raisable = (0..node.len())
                .filter(|&attribute| node.level(attribute) < problem.max_levels.level(attribute));
            let distinct = |attribute: usize| attributes[attribute].distinct(node.level(attribute));
            // The last of equals would win, so the first column comes last.
            let Some(attribute) = raisable.rev().max_by_key(|&attribute| distinct(attribute))
            else {
                return Err(nothing_on_the_path(&ENTRY, problem, violating));
            };
            let distinct_before = distinct(attribute);
            let level = node.level(attribute).above();
            node = node.with(attribute, level);
            let rows_violating_before = violating;
            violating = step_on(&mut checks, &node)?;
            steps.push(Step {
                action: Action::Raise {
                    attribute,
                    level,
                    distinct_before,
                    distinct: attributes[attribute].distinct(level),
                },
                rows_violating_before,
                rows_violating: violating,
            });
        }
        if violating > 0 {
            steps.push(Step {
                action: Action::Suppress,
                rows_violating_before: violating,
                rows_violating: 0,
            });
        }
        let proposal = Proposal {
            recoding: ColumnRecoding::FullDomain(node).into(),
            guarantee: Guarantee::Heuristic,
            loss: None,
            nodes_checked: checks.nodes_checked(),
            steps,
        };
        Ok(proposal.into())
    }
}
