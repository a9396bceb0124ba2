//! Generalization from raw values upward.

use super::cuts::{self, Effort, Judge, RowsOfValues, Spending, Target, ValueTree};
use super::properties::{Direction, GrowsWith, Optimum, Properties, Targets, Usage};
use super::{
    Algorithm, AlgorithmEntry, AlgorithmKind, DefaultBudget, Found, Generalization, Status,
    at_highest_levels, nothing_on_the_path,
};
use crate::Error;
use crate::hierarchy::Leaf;
use crate::privacy::ReleaseView;
use crate::problem::{Interruption, Meter, Problem, Proposal, Watch};
use crate::recode::ColumnRecoding;
use hashbrown::HashMap;
use smallvec::SmallVec;
use std::collections::BTreeSet;

crate::documented! {
    /// A cut through every hierarchy that still predicts the target: from raw values upward, for classification (BUG).
    ///
    /// In each step, the children of one value are replaced by it, everywhere: those that lose the least information
    /// about the target for the anonymity gained. It ends as soon as the privacy models hold, those about the whole release
    /// included.
    ///
    /// # Paper
    /// K. Wang, P. Yu, S. Chakraborty, Bottom-Up Generalization: A Data Mining Solution to Privacy Protection, ICDM
    /// 2004.
    /// # Differs from the paper
    /// Works for every model, not only k, and may use a suppression budget: it ends when the rows in violating
    /// classes are within it. The anonymity gained is the growth of the smallest unsafe class that the step touches
    /// (of equal ones, the first in the order of values); a step that gains none counts as infinitely expensive, and
    /// among these the one that loses the least information is chosen. Numbers are generalized along a hierarchy, given
    /// or built. Ties are broken by column order, then by the
    /// order of values. A value with rows under only one child counts as that child.
    /// # Guarantee
    /// None: greedy. Nothing is safe before the end, so if a limit ends it, only the highest acceptable levels are
    /// left, if they are safe. With models that do not survive merging it can miss a solution; it fails only if the
    /// highest acceptable levels fail.
    /// # Needs
    /// Missing cells that do not match any value, since crowds would overlap.
    /// # Invariant
    /// Every tuple is in the class of its values in the cut; for each value, the unsafe classes linked to it are
    /// known by size.
    /// # Cost
    /// A step visits the classes of the children it replaces; every candidate is evaluated with one lookup per child.
    /// Memory: one entry per class and column.
    /// # Use cases
    /// Training data for classifiers that know the hierarchies, if the raw values are nearly safe already: it stops as
    /// soon as they are.
    /// # Example
    /// With k = 2, the six patients `19 10th`, `19 9th`, `27 9th`, `30 9th`, `23 11th`, `23 11th` are published as `19
    /// Junior`, `19 Junior`, `[27,30] Junior`, `[27,30] Junior`, `23 11th`, `23 11th`. The disease is the target.
    /// # Alternatives
    /// `top-down` kept more on Adult, is safe after every step and finds intervals of numbers itself.
    /// `mondrian-infogain` keeps more detail if a value need not be published in one way only.
    /// # Measured
    /// Adult, 30162 rows: `incrowd compare adult.csv -q
    /// age,workclass,race,occupation,education,marital-status,sex,native-country -k 5 --max-suppressed 0 --target
    /// salary-class --others drop --hierarchies hierarchies` gives ncp 0.7509, loss 0.6996 and 24 classes.
    #[derive(Debug)]
    pub struct BottomUp;
}

static ENTRY: AlgorithmEntry = AlgorithmEntry {
    name: "bottom-up",
    card: BottomUp::CARD,
    settings: &[],
    kind: AlgorithmKind {
        status: Status::Experimental,
        generalization: Generalization::Cuts,
        default_budget: DefaultBudget::NoRows,
        choices: None,
        properties: Properties {
            effort: GrowsWith::Tuples,
            needs_correlated: false,
            needs_number_hierarchies: true,
            uses_budget: true,
            targets: Targets::One,
            is_guided: true,
            reads_metric: false,
            is_heuristic: true,
            direction: Direction::BottomUp,
            has_several_results: false,
            optimum: Optimum::None,
            overlaps: false,
            usage: Usage::Classification,
        },
    },
};

impl Algorithm for BottomUp {
    fn entry(&self) -> &'static AlgorithmEntry {
        &ENTRY
    }

    fn refuse(&self, problem: &Problem<'_>) -> Result<(), Error> {
        cuts::target(problem, &ENTRY).map(drop)
    }

    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error> {
        let (proposal, _) = generalize(problem, meter, None)?;
        Ok(proposal.into())
    }
}

impl BottomUp {
    /// Solves, shows the cut before every step and at the end, and returns the effort.
    pub fn solve_counting(
        problem: &Problem<'_>,
        watch: &dyn Watch,
        see: Option<&mut dyn FnMut(&ColumnRecoding)>,
    ) -> Result<(Proposal, Effort), Error> {
        generalize(problem, &Meter::new(watch), see)
    }
}

fn generalize(
    problem: &Problem<'_>,
    meter: &Meter<'_>,
    mut see: Option<&mut dyn FnMut(&ColumnRecoding)>,
) -> Result<(Proposal, Effort), Error> {
    let target = cuts::target(problem, &ENTRY)?;
    let mut state = Climb::new(problem, target, Spending::new(meter))?;
    loop {
        if let Some(see) = &mut see {
            see(&state.recoding());
        }
        if state.rows_unsafe <= problem.max_suppressed && state.judge.whole_is_safe(state.published)
        {
            break;
        }
        let step = state.step();
        if !step.map_err(|interruption| state.spending.unfinished(interruption))? {
            return match state.judge.reads_people() {
                // More people match the highest acceptable levels than the coarsest cut, which leaves out values without rows.
                true => Ok((
                    at_highest_levels(&ENTRY, problem, meter)?,
                    state.spending.effort,
                )),
                false => Err(nothing_on_the_path(&ENTRY, problem, state.rows_unsafe)),
            };
        }
    }
    let effort = state.spending.effort;
    Ok((cuts::proposal(state.recoding(), effort), effort))
}

/// The work of linking a class to one of its values, or removing the link: a search in an ordered set.
const WORK_PER_LINK: usize = 12;

/// A value of each attribute.
type Key = SmallVec<[u32; 8]>;

#[derive(Debug, Clone)]
struct Class {
    key: Key,
    /// None if only people of the population match it. It may later become part of a class with rows.
    size: u32,
    /// Rows of the population that match it, for models that read them.
    people: u32,
    is_safe: bool,
    /// The values of the columns that the models read.
    rows_of_values: Vec<RowsOfValues>,
}

impl Class {
    fn rows_unsafe(&self) -> u32 {
        if self.is_safe { 0 } else { self.size }
    }

    /// What readers see of it: nothing if it is not safe or has no rows.
    fn published(&self) -> ReleaseView {
        let is_seen = self.is_safe && self.size > 0;
        ReleaseView::of_sizes(is_seen.then_some(self.size))
    }

    /// Who hides in it: rows, and people if models read them.
    fn crowd(&self) -> u64 {
        u64::from(self.size) + u64::from(self.people)
    }
}

/// A value, and what is known about the classes linked to it.
#[derive(Debug, Clone, Default)]
struct Linked {
    is_in_cut: bool,
    /// Numbers of classes; some may have moved since.
    classes: Vec<u32>,
    /// The unsafe classes by size, then number.
    unsafe_classes: BTreeSet<(u32, u32)>,
}

/// A value whose children may be replaced by it.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    attribute: usize,
    value: u32,
    /// Bits about the target that a row loses.
    lost: f64,
}

struct Climb<'a> {
    problem: &'a Problem<'a>,
    trees: Vec<ValueTree>,
    targets: Vec<Target>,
    judge: Judge<'a>,
    /// None for a class that was merged into another.
    classes: Vec<Option<Class>>,
    class_of_key: HashMap<Key, u32>,
    linked: Vec<Vec<Linked>>,
    candidates: Vec<Candidate>,
    rows_unsafe: u32,
    /// The safe classes.
    published: ReleaseView,
    spending: Spending<'a>,
}

impl<'a> Climb<'a> {
    /// The raw values.
    fn new(problem: &'a Problem<'a>, target: usize, spending: Spending<'a>) -> Result<Self, Error> {
        let table = problem.table;
        let attributes = 0..table.attributes.len();
        let (mut trees, mut targets) = (Vec::new(), Vec::new());
        for attribute in attributes {
            trees.push(ValueTree::new(problem, attribute, false));
            targets.push(Target::new(table, attribute, target));
            let spent = spending.touch(targets[attribute].len() + table.tuples.len());
            spent.map_err(|interruption| spending.unfinished(interruption))?;
        }
        let linked = trees.iter().map(|tree| vec![Linked::default(); tree.len()]);
        let mut state = Climb {
            problem,
            targets,
            judge: Judge::new(problem),
            classes: Vec::with_capacity(table.tuples.len()),
            class_of_key: HashMap::with_capacity(table.tuples.len()),
            linked: linked.collect(),
            candidates: Vec::new(),
            rows_unsafe: 0,
            published: ReleaseView::default(),
            spending,
            trees,
        };
        match state.start() {
            Ok(()) => Ok(state),
            Err(interruption) => Err(state.spending.unfinished(interruption)),
        }
    }

    fn start(&mut self) -> Result<(), Interruption> {
        for attribute in 0..self.trees.len() {
            for value in 0..self.trees[attribute].len() as u32 {
                if self.trees[attribute].children(value).is_empty() {
                    self.enter_cut(attribute, value)?;
                }
            }
        }
        self.start_classes()
    }

    /// Replaces the children of the best value, if there is one.
    fn step(&mut self) -> Result<bool, Interruption> {
        let Some((attribute, value)) = self.best()? else {
            return Ok(false);
        };
        self.replace(attribute, value)?;
        Ok(true)
    }

    /// A class for every tuple, numbered by their values so that the order of tuples does not matter.
    fn start_classes(&mut self) -> Result<(), Interruption> {
        let table = self.problem.table;
        let values_of_leaves: Vec<Vec<u32>> = (table.attributes.iter().zip(&self.trees))
            .map(|(attribute, tree)| {
                (0..attribute.hierarchy.leaves() as u32)
                    .map(|leaf| match attribute.rows_of_groups[0][leaf as usize] {
                        0 => u32::MAX,
                        _ => tree.value_of_leaf(leaf),
                    })
                    .collect()
            })
            .collect();
        let mut tuples: Vec<(Key, usize)> = (0..table.tuples.len())
            .map(|tuple| {
                let value = |(attribute, values): (usize, &Vec<u32>)| {
                    values[table.leaf(tuple, attribute).index()]
                };
                (
                    values_of_leaves.iter().enumerate().map(value).collect(),
                    tuple,
                )
            })
            .collect();
        tuples.sort_unstable();
        self.spending.touch(tuples.len() * self.trees.len())?;
        for (key, tuple) in tuples {
            let rows_of_values = self.judge.columns().iter().map(|&column| {
                let histogram = table.tuples.histograms(column).class(tuple);
                let values = histogram.values.iter().copied();
                values.zip(histogram.counts.iter().copied()).collect()
            });
            let class = Class {
                size: table.tuples.sizes()[tuple],
                people: 0,
                is_safe: false,
                rows_of_values: rows_of_values.collect(),
                key,
            };
            let number = self.classes.len() as u32;
            self.classes.push(None);
            self.put(number, class)?;
        }
        self.spending.visit(table.tuples.len() as u64)?;
        self.add_people()
    }

    /// Adds the people of the population to the classes that they match. Those whose combination of values no row has are
    /// classes without rows, under the lowest values that hold them: they join others once the cut has come up to these.
    fn add_people(&mut self) -> Result<(), Interruption> {
        let table = self.problem.table;
        let population = table.population.as_deref();
        let Some(population) = population.filter(|_| self.judge.reads_people()) else {
            return Ok(());
        };
        let lowest: Vec<Vec<Option<u32>>> = (table.attributes.iter().zip(&self.trees))
            .map(|(attribute, tree)| {
                let leaves = (0..attribute.hierarchy.leaves() as u32).map(Leaf);
                let lowest = leaves.map(|leaf| tree.lowest_holder(attribute, leaf));
                lowest.collect()
            })
            .collect();
        for (tuple, &people) in population.tuples.sizes().iter().enumerate() {
            self.spending.touch(lowest.len())?;
            let values = lowest.iter().enumerate();
            let key = values.map(|(at, values)| values[population.leaf(tuple, at).index()]);
            // Nobody outside of the coarsest cut matches anything.
            let Some(key) = key.collect::<Option<Key>>() else {
                continue;
            };
            let number = self.classes.len() as u32;
            self.classes.push(None);
            let class = Class {
                key,
                size: 0,
                people,
                is_safe: true,
                rows_of_values: vec![RowsOfValues::new(); self.judge.columns().len()],
            };
            self.join(number, class)?;
        }
        self.spending.visit(population.tuples.len() as u64)
    }

    /// Puts a value into the cut. Its parent becomes a candidate if it was the last missing child.
    fn enter_cut(&mut self, attribute: usize, value: u32) -> Result<(), Interruption> {
        self.linked[attribute][value as usize].is_in_cut = true;
        let tree = &self.trees[attribute];
        let Some(parent) = tree.parent(value) else {
            return Ok(());
        };
        let children = tree.children(parent);
        let is_in_cut = |child: &u32| self.linked[attribute][*child as usize].is_in_cut;
        let missing = children.iter().position(|child| !is_in_cut(child));
        self.spending.touch(missing.unwrap_or(children.len()))?;
        if missing.is_none() {
            self.spending
                .touch(self.targets[attribute].len_of(tree.leaves(parent)))?;
            let parts = children.iter().map(|&child| tree.leaves(child));
            let lost = self.targets[attribute].gain(tree.leaves(parent), parts);
            self.candidates.push(Candidate {
                attribute,
                value: parent,
                lost,
            });
        }
        Ok(())
    }

    /// Judges a class and links it to its values under a free number.
    fn put(&mut self, number: u32, mut class: Class) -> Result<(), Interruption> {
        let values = class.rows_of_values.iter().map(Vec::len).sum::<usize>();
        self.spending
            .touch(WORK_PER_LINK * class.key.len() + values)?;
        // What has no rows is not published.
        class.is_safe = class.size == 0
            || (self.judge).is_safe_with(class.size, class.people, &class.rows_of_values);
        for (linked, &value) in self.linked.iter_mut().zip(&class.key) {
            let linked = &mut linked[value as usize];
            linked.classes.push(number);
            if !class.is_safe {
                linked.unsafe_classes.insert((class.size, number));
            }
        }
        self.rows_unsafe += class.rows_unsafe();
        self.published.add(class.published());
        self.class_of_key.insert(class.key.clone(), number);
        self.classes[number as usize] = Some(class);
        Ok(())
    }

    /// Removes a class. Links to its number remain and are skipped, or become valid again for a class that reuses it.
    fn take(&mut self, number: u32) -> Option<Class> {
        let class = self.classes[number as usize].take()?;
        self.class_of_key.remove(&class.key);
        self.rows_unsafe -= class.rows_unsafe();
        self.published.remove(class.published());
        if !class.is_safe {
            for (linked, &value) in self.linked.iter_mut().zip(&class.key) {
                let unsafe_classes = &mut linked[value as usize].unsafe_classes;
                unsafe_classes.remove(&(class.size, number));
            }
        }
        Some(class)
    }

    /// The candidate that loses the least for the anonymity it gains.
    fn best(&mut self) -> Result<Option<(usize, u32)>, Interruption> {
        self.spending.weigh(self.candidates.len() as u64);
        let mut best: Option<(f64, Candidate)> = None;
        for &candidate in &self.candidates {
            let children = self.trees[candidate.attribute].children(candidate.value);
            self.spending.visit(children.len() as u64)?;
            let ratio = match self.gained(candidate) {
                0 => f64::INFINITY,
                gained => candidate.lost / f64::from(gained),
            };
            let order = |(ratio, candidate): (f64, Candidate)| {
                (ratio, candidate.lost, candidate.attribute, candidate.value)
            };
            let is_better = best.is_none_or(|best| order((ratio, candidate)) < order(best));
            if is_better {
                best = Some((ratio, candidate));
            }
        }
        Ok(best.map(|(_, candidate)| (candidate.attribute, candidate.value)))
    }

    /// By how many rows, and people if models read them, the smallest unsafe class that a candidate touches would grow.
    fn gained(&self, candidate: Candidate) -> u32 {
        let linked = &self.linked[candidate.attribute];
        let children = self.trees[candidate.attribute].children(candidate.value);
        let smallest = (children.iter())
            .filter_map(|&child| linked[child as usize].unsafe_classes.first())
            .min();
        let Some(class) = smallest.and_then(|&(_, number)| self.classes[number as usize].as_ref())
        else {
            return 0;
        };
        let mut key = class.key.clone();
        let mut merged = 0;
        for &child in children {
            key[candidate.attribute] = child;
            if let Some(&number) = self.class_of_key.get(&key) {
                merged += self.crowd(number);
            }
        }
        // People who match the value and none of its children.
        key[candidate.attribute] = candidate.value;
        if let Some(&number) = self.class_of_key.get(&key) {
            merged += self.crowd(number);
        }
        (merged - class.crowd()).try_into().unwrap_or(u32::MAX)
    }

    fn crowd(&self, number: u32) -> u64 {
        let class = &self.classes[number as usize];
        class.as_ref().map_or(0, Class::crowd)
    }

    /// Replaces the children of a value by it.
    fn replace(&mut self, attribute: usize, value: u32) -> Result<(), Interruption> {
        self.spending.effort.steps += 1;
        self.candidates
            .retain(|candidate| (candidate.attribute, candidate.value) != (attribute, value));
        for child in self.trees[attribute].children(value).to_vec() {
            let linked = &mut self.linked[attribute][child as usize];
            linked.is_in_cut = false;
            for number in std::mem::take(&mut linked.classes) {
                let is_there = self.classes[number as usize]
                    .as_ref()
                    .is_some_and(|class| class.key[attribute] == child);
                if !is_there {
                    continue;
                }
                self.spending.visit(1)?;
                self.spending.touch(WORK_PER_LINK * self.trees.len())?;
                let mut class = self.take(number).expect("it was there");
                class.key[attribute] = value;
                self.join(number, class)?;
            }
        }
        self.enter_cut(attribute, value)
    }

    /// Puts a class under its key, merged with the one already there. The lower number is kept.
    fn join(&mut self, number: u32, mut class: Class) -> Result<(), Interruption> {
        let mut stays = number;
        if let Some(&other) = self.class_of_key.get(&class.key) {
            self.spending.visit(1)?;
            let other_class = self.take(other).expect("keys lead to classes");
            class.size += other_class.size;
            class.people += other_class.people;
            for (ours, theirs) in class
                .rows_of_values
                .iter_mut()
                .zip(&other_class.rows_of_values)
            {
                *ours = merged(ours, theirs);
            }
            stays = number.min(other);
        }
        self.put(stays, class)
    }

    fn recoding(&self) -> ColumnRecoding {
        ColumnRecoding::Cuts(cuts::groupings(
            self.problem.table,
            &self.trees,
            |attribute, value| self.linked[attribute][value as usize].is_in_cut,
        ))
    }
}

/// The rows of both, value by value.
fn merged(one: &RowsOfValues, other: &RowsOfValues) -> RowsOfValues {
    let mut merged = Vec::with_capacity(one.len() + other.len());
    let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
    loop {
        let value = match (one.peek(), other.peek()) {
            (Some((one, _)), Some((other, _))) => *one.min(other),
            (Some((value, _)), None) | (None, Some((value, _))) => *value,
            (None, None) => return merged,
        };
        let mut rows = 0;
        for side in [&mut one, &mut other] {
            if let Some((_, more)) = side.next_if(|(at, _)| *at == value) {
                rows += more;
            }
        }
        merged.push((value, rows));
    }
}
