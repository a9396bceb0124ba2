//! Specialization from `*` downward, guided by the target.

mod linked;
mod parts;
#[cfg(test)]
mod tests;

use super::cuts::{self, Effort, Judge, Kept, Spending, Target, ValueTree};
use super::properties::{Direction, GrowsWith, Optimum, Properties, Targets, Usage};
use super::{
    Algorithm, AlgorithmEntry, AlgorithmKind, DefaultBudget, Found, Generalization, Status,
    at_highest_levels, nothing_on_the_path,
};
use crate::Error;
use crate::counts::CountedTable;
use crate::privacy::ReleaseView;
use crate::problem::{Interruption, Meter, Problem, Proposal, Watch};
use crate::recode::ColumnRecoding;
use hashbrown::HashMap;
use linked::{Linked, Replaced, take_one};
use parts::{Parts, RowsBelow};
use std::collections::BTreeMap;
use std::ops::Range;

crate::documented! {
    /// A cut through every hierarchy that still predicts the target: from `*` downward, for classification (TDS).
    ///
    /// Everything starts at the highest acceptable level. In each step, one published value is replaced by its
    /// children: among the replacements that keep all privacy models satisfied, the one with the best ratio of
    /// information gained about the target to anonymity lost. It ends when no replacement is safe and informative.
    /// Numbers without given levels are cut in two wherever that gains the most information.
    ///
    /// # Paper
    /// B. Fung, K. Wang, P. Yu, Top-Down Specialization for Information and Privacy Preservation, ICDE 2005.
    /// # Differs from the paper
    /// Works for every model, not only k, and may use a suppression budget: a replacement is safe if the rows in
    /// violating classes stay within it. All quasi-identifiers form one combination, so the anonymity lost is the
    /// drop of its smallest published class. Ties are broken by column order, then by the order of values. A value
    /// with rows under only one child counts as that child.
    /// # Guarantee
    /// None: greedy. Safe after every step, so it may be stopped at any time. With models that do not survive merging
    /// it can miss a solution; it fails only if the highest acceptable levels fail.
    /// # Needs
    /// Missing cells that do not match any value, since crowds would overlap.
    /// # Invariant
    /// The cut satisfies all models within the budget. For each value of the cut that may still be replaced, the cached
    /// sums are those of the classes linked to it.
    /// # Cost
    /// A step visits only the distinct tuples under the value it replaces, once if the models are about sizes,
    /// otherwise once per attribute; every candidate is evaluated in constant time from sums cached per value. Nothing is
    /// examined for a value that can never be replaced: it tells nothing about the target, or however the resulting classes
    /// are divided, more rows than the budget are suppressed.
    /// Memory: one entry per distinct tuple and one per class and column.
    /// # Use cases
    /// Training data for classifiers, if every value must be published in one way only, so that a rule learned from the
    /// release can be applied to raw rows.
    /// # Example
    /// With k = 2, the six patients `19 10th`, `19 9th`, `27 9th`, `30 9th`, `23 11th`, `23 11th` are published as `19
    /// Junior`, `19 Junior`, `[27,30] Junior`, `[27,30] Junior`, `23 11th`, `23 11th`. The disease is the target.
    /// # Alternatives
    /// `mondrian-infogain` keeps more detail if a value need not be published in one way only. `bottom-up` starts from
    /// raw values. `optimal` with the metric `classification-metric` proves its result, with one level for each column.
    /// # Measured
    /// Adult, 30162 rows: `incrowd compare adult.csv -q
    /// age,workclass,race,occupation,education,marital-status,sex,native-country -k 5 --max-suppressed 0 --target
    /// salary-class --others drop --hierarchies hierarchies` gives ncp 0.6884, loss 0.6179 and 48 classes.
    #[derive(Debug)]
    pub struct TopDown;
}

static ENTRY: AlgorithmEntry = AlgorithmEntry {
    name: "top-down",
    card: TopDown::CARD,
    settings: &[],
    kind: AlgorithmKind {
        status: Status::Experimental,
        generalization: Generalization::Cuts,
        default_budget: DefaultBudget::NoRows,
        choices: None,
        properties: Properties {
            effort: GrowsWith::Tuples,
            needs_correlated: false,
            needs_number_hierarchies: false,
            uses_budget: true,
            targets: Targets::One,
            is_guided: true,
            reads_metric: false,
            is_heuristic: true,
            direction: Direction::TopDown,
            has_several_results: false,
            optimum: Optimum::None,
            overlaps: false,
            usage: Usage::Classification,
        },
    },
};

impl Algorithm for TopDown {
    fn entry(&self) -> &'static AlgorithmEntry {
        &ENTRY
    }

    fn refuse(&self, problem: &Problem<'_>) -> Result<(), Error> {
        cuts::target(problem, &ENTRY).map(drop)
    }

    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error> {
        let (proposal, _) = specialize(problem, meter, None)?;
        Ok(proposal.into())
    }
}

impl TopDown {
    /// Solves, shows the cut after every step, and returns the effort.
    pub fn solve_counting(
        problem: &Problem<'_>,
        watch: &dyn Watch,
        see: Option<&mut dyn FnMut(&ColumnRecoding)>,
    ) -> Result<(Proposal, Effort), Error> {
        specialize(problem, &Meter::new(watch), see)
    }
}

fn specialize(
    problem: &Problem<'_>,
    meter: &Meter<'_>,
    mut see: Option<&mut dyn FnMut(&ColumnRecoding)>,
) -> Result<(Proposal, Effort), Error> {
    let target = cuts::target(problem, &ENTRY)?;
    let most_lost = problem.max_suppressed;
    let mut state = Specialization::new(problem, target, Spending::new(meter), most_lost)?;
    let is_safe = state.judge.whole_is_safe(state.published);
    if state.rows_unsafe > problem.max_suppressed || !is_safe {
        let rows_unsafe = state.rows_unsafe;
        return match state.judge.reads_people() {
            // More people match the highest acceptable levels than the coarsest cut, which leaves out values without rows.
            true => Ok((
                at_highest_levels(&ENTRY, problem, meter)?,
                state.spending.effort,
            )),
            false => Err(nothing_on_the_path(&ENTRY, problem, rows_unsafe)),
        };
    }
    loop {
        if let Some(see) = &mut see {
            see(&state.recoding());
        }
        match state.step() {
            Ok(true) => {}
            Ok(false) => break,
            Err(Interruption::Cancelled) => return Err(Error::Cancelled),
            // The cut is safe after every step, including one that was interrupted: it was checked before.
            Err(_) => break,
        }
    }
    let effort = state.spending.effort;
    Ok((cuts::proposal(state.recoding(), effort), effort))
}

/// A class, its tuples next to each other in [`Specialization::order`].
#[derive(Debug, Clone)]
struct Class {
    start: usize,
    end: usize,
    size: u32,
    /// The combinations of the population that match it, if models read them.
    people: Vec<u32>,
    is_safe: bool,
    /// Rows of it that are suppressed in this cut and in every one below.
    rows_lost: u32,
    /// The value of each attribute.
    values: Vec<u32>,
    /// The class after that value is replaced, for values that may be.
    replaced: Vec<Replaced>,
}

impl Class {
    fn rows_unsafe(&self) -> u32 {
        if self.is_safe { 0 } else { self.size }
    }

    fn published(&self) -> ReleaseView {
        ReleaseView::of_sizes(self.is_safe.then_some(self.size))
    }
}

struct Specialization<'a> {
    problem: &'a Problem<'a>,
    trees: Vec<ValueTree>,
    targets: Vec<Target>,
    judge: Judge<'a>,
    /// The leaves of every tuple, attribute by attribute.
    leaves: Vec<Vec<u32>>,
    /// Tuples, those of a class next to each other.
    order: Vec<u32>,
    classes: Vec<Class>,
    linked: Vec<Vec<Linked>>,
    rows_unsafe: u32,
    /// Rows that are suppressed in this cut and in every one below.
    rows_lost: u32,
    /// With more of them, a cut and all below are ruled out: the budget. More only in tests, to see what would be done otherwise.
    most_lost: u32,
    /// The safe classes.
    published: ReleaseView,
    /// Sizes of the safe classes, with how many there are.
    safe_sizes: BTreeMap<u32, u32>,
    /// Everyone, if models read who matches a class.
    population: Option<&'a CountedTable>,
    spending: Spending<'a>,
    parts: Parts,
    below: RowsBelow,
}

impl<'a> Specialization<'a> {
    /// The coarsest cut.
    fn new(
        problem: &'a Problem<'a>,
        target: usize,
        spending: Spending<'a>,
        most_lost: u32,
    ) -> Result<Self, Error> {
        let table = problem.table;
        let attributes = 0..table.attributes.len();
        let (mut trees, mut targets, mut leaves) = (Vec::new(), Vec::new(), Vec::new());
        for attribute in attributes.clone() {
            trees.push(ValueTree::new(problem, attribute, true));
            targets.push(Target::new(table, attribute, target));
            let leaf = |tuple| table.leaf(tuple, attribute).0;
            leaves.push((0..table.tuples.len()).map(leaf).collect());
            let spent = spending.touch(targets[attribute].len() + 2 * table.tuples.len());
            spent.map_err(|interruption| spending.unfinished(interruption))?;
        }
        let judge = Judge::new(problem);
        let population = table.population.as_deref();
        let mut state = Specialization {
            problem,
            trees,
            targets,
            population: population.filter(|_| judge.reads_people()),
            judge,
            leaves,
            order: (0..table.tuples.len() as u32).collect(),
            classes: Vec::new(),
            linked: vec![Vec::new(); table.attributes.len()],
            rows_unsafe: 0,
            rows_lost: 0,
            most_lost,
            published: ReleaseView::default(),
            safe_sizes: BTreeMap::new(),
            spending,
            parts: Parts::default(),
            below: RowsBelow::default(),
        };
        match state.start() {
            Ok(()) => Ok(state),
            Err(interruption) => Err(state.spending.unfinished(interruption)),
        }
    }

    fn start(&mut self) -> Result<(), Interruption> {
        for attribute in 0..self.trees.len() {
            for value in self.trees[attribute].roots().to_vec() {
                self.enter_cut(attribute, value)?;
            }
        }
        self.start_classes()
    }

    /// Replaces the best value, if there is one.
    fn step(&mut self) -> Result<bool, Interruption> {
        let Some((attribute, value)) = self.best()? else {
            return Ok(false);
        };
        self.replace(attribute, value)?;
        Ok(true)
    }

    /// Sorts the tuples into the classes of the roots.
    fn start_classes(&mut self) -> Result<(), Interruption> {
        if self.judge.reads_sizes_only()
            && let Some(values) = self.only_roots()
        {
            return self.start_with_everything(values);
        }
        let roots: Vec<Vec<u32>> = (self.trees.iter().zip(&self.leaves))
            .map(|(tree, leaves)| leaves.iter().map(|&leaf| tree.root_of_leaf(leaf)).collect())
            .collect();
        let key = |&tuple: &u32| -> Vec<u32> {
            roots.iter().map(|roots| roots[tuple as usize]).collect()
        };
        self.order.sort_by_cached_key(|tuple| (key(tuple), *tuple));
        self.spending.touch(self.order.len() * roots.len())?;
        let mut people = self.people_of_roots()?;
        let mut start = 0;
        while start < self.order.len() {
            let values = key(&self.order[start]);
            let alike = self.order[start..]
                .iter()
                .take_while(|it| key(it) == values);
            let end = start + alike.count();
            let people = people.remove(&values).unwrap_or_default();
            self.add_class(start, end, values, people)?;
            start = end;
        }
        self.spending.visit(self.order.len() as u64)
    }

    /// The root of every attribute, if none has more than one.
    fn only_roots(&self) -> Option<Vec<u32>> {
        let only = |tree: &ValueTree| match *tree.roots() {
            [root] => Some(root),
            _ => None,
        };
        self.trees.iter().map(only).collect()
    }

    /// One class of all rows. How many rows each value has is known, so no tuple is looked at.
    fn start_with_everything(&mut self, values: Vec<u32>) -> Result<(), Interruption> {
        let table = self.problem.table;
        let size = table.rows;
        let class = self.push_class(0..self.order.len(), size, values, Vec::new());
        self.set_kept(class, self.judge.kept_of_size(size));
        for (attribute, tree) in self.trees.iter().enumerate() {
            let rows = &table.attributes[attribute].rows_of_groups[0];
            let mut replaced = Replaced::default();
            for &child in tree.children(self.classes[class].values[attribute]) {
                let leaves = tree.leaves(child).iter();
                let size = leaves.map(|&leaf| rows[leaf as usize]).sum();
                replaced.add(size, self.judge.kept_of_size(size));
            }
            self.classes[class].replaced[attribute] = replaced;
        }
        self.count_in(class);
        Ok(())
    }

    /// The combinations of the population that match each combination of roots. Some match none, and so nothing at all.
    fn people_of_roots(&self) -> Result<HashMap<Vec<u32>, Vec<u32>>, Interruption> {
        let mut people: HashMap<Vec<u32>, Vec<u32>> = HashMap::new();
        let Some(population) = self.population else {
            return Ok(people);
        };
        let attributes = &self.problem.table.attributes;
        for tuple in 0..population.tuples.len() {
            let trees = self.trees.iter().zip(attributes).enumerate();
            let root = trees.map(|(at, (tree, attribute))| {
                let holder = tree.holder(attribute, tree.roots(), population.leaf(tuple, at));
                holder.map(|root| tree.roots()[root])
            });
            if let Some(roots) = root.collect::<Option<Vec<u32>>>() {
                people.entry(roots).or_default().push(tuple as u32);
            }
            self.spending.touch(attributes.len())?;
        }
        Ok(people)
    }

    /// How many people these combinations stand for.
    fn count_people(&self, combinations: &[u32]) -> u32 {
        let sizes = self.population.map(|population| population.tuples.sizes());
        let sizes = sizes.unwrap_or_default();
        combinations.iter().map(|&it| sizes[it as usize]).sum()
    }

    /// The combinations of the population that match each part of a class once one of its values is replaced. Values that
    /// no row has may be in no part.
    fn people_of_parts(
        &self,
        class: usize,
        attribute: usize,
    ) -> Result<Vec<Vec<u32>>, Interruption> {
        let Class { people, values, .. } = &self.classes[class];
        let tree = &self.trees[attribute];
        let children = tree.children(values[attribute]);
        let mut parts = vec![Vec::new(); children.len()];
        if let Some(population) = self.population {
            let shown = &self.problem.table.attributes[attribute];
            for &tuple in people {
                let leaf = population.leaf(tuple as usize, attribute);
                if let Some(child) = tree.holder(shown, children, leaf) {
                    parts[child].push(tuple);
                }
            }
            self.spending.touch(people.len())?;
        }
        Ok(parts)
    }

    /// Adds the class of tuples that are next to each other.
    fn add_class(
        &mut self,
        start: usize,
        end: usize,
        values: Vec<u32>,
        people: Vec<u32>,
    ) -> Result<(), Interruption> {
        let sizes = self.problem.table.tuples.sizes();
        let tuples = self.order[start..end].iter();
        let size = tuples.map(|&tuple| sizes[tuple as usize]).sum();
        let class = self.push_class(start..end, size, values, people);
        self.judge_class(class)?;
        self.count_in(class);
        Ok(())
    }

    /// Adds a class that is not judged yet, and links its values to it.
    fn push_class(
        &mut self,
        Range { start, end }: Range<usize>,
        size: u32,
        values: Vec<u32>,
        people: Vec<u32>,
    ) -> usize {
        let class = self.classes.len();
        for (linked, &value) in self.linked.iter_mut().zip(&values) {
            linked[value as usize].link(class);
        }
        self.classes.push(Class {
            start,
            end,
            size,
            people,
            is_safe: false,
            rows_lost: 0,
            replaced: vec![Replaced::default(); values.len()],
            values,
        });
        class
    }

    /// Puts a value into the cut, before any class has it.
    fn enter_cut(&mut self, attribute: usize, value: u32) -> Result<(), Interruption> {
        let (tree, target) = (&mut self.trees[attribute], &mut self.targets[attribute]);
        let touched = target.len_of(tree.leaves(value));
        tree.grow(value, target);
        let parts = (tree.children(value).iter()).map(|&child| tree.leaves(child));
        // A value without children cannot be replaced and gains nothing.
        let gain = match tree.children(value) {
            [] => 0.0,
            _ => target.gain(tree.leaves(value), parts),
        };
        let linked = &mut self.linked[attribute];
        linked.resize(tree.len(), Linked::default());
        linked[value as usize].enter_cut(gain);
        self.spending.touch(touched)
    }

    /// Evaluates the models on a class and on the result of every replacement.
    fn judge_class(&mut self, class: usize) -> Result<(), Interruption> {
        let tuples = &self.problem.table.tuples;
        let Class {
            start, end, size, ..
        } = self.classes[class];
        if self.judge.reads_sizes_only() {
            return self.judge_by_sizes(class);
        }
        let members = &self.order[start..end];
        let people = self.count_people(&self.classes[class].people);
        let kept = self.judge.kept_among(size, people, tuples, members);
        self.spending.visit(self.judge.visits(members))?;
        self.set_kept(class, kept);
        for attribute in 0..self.trees.len() {
            self.judge_replaced(class, attribute)?;
        }
        Ok(())
    }

    fn set_kept(&mut self, class: usize, kept: Kept) {
        let class = &mut self.classes[class];
        class.is_safe = kept.is_safe;
        class.rows_lost = class.size - kept.most;
    }

    /// Judges every replacement in one pass over a class, if only sizes matter.
    fn judge_by_sizes(&mut self, class: usize) -> Result<(), Interruption> {
        let Class { start, end, .. } = self.classes[class];
        let values = &self.classes[class].values;
        self.spending.visit((end - start) as u64)?;
        // A single part: the class itself.
        let below = &mut self.below;
        below.clear(&self.trees, &self.linked, values, (0, &values[..1]));
        self.spending.touch((end - start) * below.looks())?;
        for &tuple in &self.order[start..end] {
            let size = self.problem.table.tuples.sizes()[tuple as usize];
            below.add(0, (tuple, size), (&self.trees, &self.leaves));
        }
        self.judge_rows_below(class, 0);
        Ok(())
    }

    /// Judges the replacements of a class by the rows that were added up for it as one of several parts.
    fn judge_rows_below(&mut self, class: usize, part: usize) {
        self.set_kept(class, self.judge.kept_of_size(self.classes[class].size));
        let Class {
            values, replaced, ..
        } = &mut self.classes[class];
        for (attribute, (&value, replaced)) in values.iter().zip(replaced).enumerate() {
            *replaced = Replaced::default();
            if !self.linked[attribute][value as usize].is_open {
                continue;
            }
            let rows = self
                .below
                .of(part, attribute, &self.trees[attribute], value);
            for &size in rows.iter().filter(|&&size| size > 0) {
                replaced.add(size, self.judge.kept_of_size(size));
            }
        }
    }

    fn judge_replaced(&mut self, class: usize, attribute: usize) -> Result<(), Interruption> {
        let tuples = &self.problem.table.tuples;
        let Class { start, end, .. } = self.classes[class];
        let members = &self.order[start..end];
        let value = self.classes[class].values[attribute];
        let tree = &self.trees[attribute];
        let children = tree.children(value).len();
        let mut replaced = Replaced::default();
        if self.linked[attribute][value as usize].is_open {
            let people = self.people_of_parts(class, attribute)?;
            let people: Vec<u32> = people.iter().map(|it| self.count_people(it)).collect();
            let leaves = &self.leaves[attribute];
            let child = |tuple: u32| tree.child(value, leaves[tuple as usize]);
            self.parts.sort(members, tuples.sizes(), children, child);
            let visits = members.len() as u64 + self.judge.visits(members);
            self.spending.visit(visits)?;
            for (child, size, part) in self.parts.present() {
                let kept = self.judge.kept_among(size, people[child], tuples, part);
                replaced.add(size, kept);
            }
        }
        self.classes[class].replaced[attribute] = replaced;
        Ok(())
    }

    /// Adds a class to the sums of its values.
    fn count_in(&mut self, class: usize) {
        let class = &self.classes[class];
        self.rows_unsafe += class.rows_unsafe();
        self.rows_lost += class.rows_lost;
        self.published.add(class.published());
        if class.is_safe {
            *self.safe_sizes.entry(class.size).or_insert(0) += 1;
        }
        let linked = self.linked.iter_mut().zip(&class.values);
        for ((linked, &value), replaced) in linked.zip(&class.replaced) {
            let linked = &mut linked[value as usize];
            linked.count_in(class, replaced);
            linked.close_if_hopeless(self.rows_lost, self.most_lost);
        }
    }

    /// Removes a class from the sums of its values.
    fn count_out(&mut self, class: usize) {
        let class = &self.classes[class];
        self.rows_unsafe -= class.rows_unsafe();
        self.rows_lost -= class.rows_lost;
        self.published.remove(class.published());
        if class.is_safe {
            take_one(&mut self.safe_sizes, class.size);
        }
        let linked = self.linked.iter_mut().zip(&class.values);
        for ((linked, &value), replaced) in linked.zip(&class.replaced) {
            linked[value as usize].count_out(class, replaced);
        }
    }

    /// The safe replacement with the best ratio of bits gained to anonymity lost, plus one.
    fn best(&mut self) -> Result<Option<(usize, u32)>, Interruption> {
        let smallest = self.safe_sizes.keys().next().copied();
        let mut best: Option<(f64, usize, u32)> = None;
        let mut candidates = 0;
        for (attribute, linked) in self.linked.iter_mut().enumerate() {
            for (value, linked) in (0..)
                .zip(linked)
                .filter(|(_, linked)| linked.is_candidate())
            {
                candidates += 1;
                if linked.close_if_hopeless(self.rows_lost, self.most_lost) {
                    continue;
                }
                let rows_unsafe =
                    self.rows_unsafe - linked.rows_unsafe + linked.rows_unsafe_replaced;
                let mut published = self.published;
                published.remove(linked.published);
                published.add(linked.published_replaced);
                let is_safe = self.judge.whole_is_safe(published);
                if rows_unsafe > self.problem.max_suppressed || !is_safe {
                    continue;
                }
                let smallest_part = linked.smallest_parts.keys().next().copied();
                let lost = match (smallest, smallest_part) {
                    (Some(now), Some(then)) => now.saturating_sub(then),
                    _ => 0,
                };
                let score = linked.gain / f64::from(lost + 1);
                if best.is_none_or(|(other, ..)| score > other) {
                    best = Some((score, attribute, value));
                }
            }
        }
        self.spending.weigh(candidates);
        self.spending
            .touch(self.linked.iter().map(Vec::len).sum())?;
        Ok(best.map(|(_, attribute, value)| (attribute, value)))
    }

    /// Replaces a value of the cut by its children. If this is interrupted, the cut is either the one before or the
    /// one after, and nothing else can be relied on.
    fn replace(&mut self, attribute: usize, value: u32) -> Result<(), Interruption> {
        self.spending.effort.steps += 1;
        let children = self.trees[attribute].children(value).to_vec();
        for (at, &child) in children.iter().enumerate() {
            if let Err(interruption) = self.enter_cut(attribute, child) {
                for &child in &children[..=at] {
                    self.linked[attribute][child as usize].leave_cut();
                }
                return Err(interruption);
            }
        }
        let linked = &mut self.linked[attribute][value as usize];
        for class in linked.leave_cut() {
            self.count_out(class as usize);
            self.split(class as usize, attribute, value, &children)?;
        }
        Ok(())
    }

    /// Splits a class that was removed from the sums: the first part keeps its number.
    fn split(
        &mut self,
        class: usize,
        attribute: usize,
        value: u32,
        children: &[u32],
    ) -> Result<(), Interruption> {
        let Class { start, end, .. } = self.classes[class];
        self.spending.visit((end - start) as u64)?;
        let mut people = self.people_of_parts(class, attribute)?;
        let tuples = &self.problem.table.tuples;
        let (tree, leaves) = (&self.trees[attribute], &self.leaves[attribute]);
        let child = |tuple: u32| tree.child(value, leaves[tuple as usize]);
        let members = &self.order[start..end];
        let reads_sizes_only = self.judge.reads_sizes_only();
        if reads_sizes_only {
            // One look at each tuple tells where it belongs and what replacing any other value would do to it.
            let below = &mut self.below;
            let values = &self.classes[class].values;
            below.clear(&self.trees, &self.linked, values, (attribute, children));
            self.spending.touch((end - start) * below.looks())?;
            let look = |tuple: u32| {
                let (part, size) = (child(tuple), tuples.sizes()[tuple as usize]);
                below.add(part, (tuple, size), (&self.trees, &self.leaves));
                part
            };
            self.parts
                .sort(members, tuples.sizes(), children.len(), look);
        } else {
            self.parts
                .sort(members, tuples.sizes(), children.len(), child);
        }
        let present: Vec<(usize, u32, usize)> = (self.parts.present())
            .map(|(child, size, part)| (child, size, part.len()))
            .collect();
        self.order[start..end].copy_from_slice(&self.parts.sorted);
        let (first, others) = present.split_first().expect("a class has tuples");
        let (child, size, length) = *first;
        let kept = &mut self.classes[class];
        kept.values[attribute] = children[child];
        (kept.end, kept.size) = (start + length, size);
        let has_lost_people = kept.people.len() > people[child].len();
        kept.people = std::mem::take(&mut people[child]);
        let values = kept.values.clone();
        self.linked[attribute][children[child] as usize].link(class);
        if reads_sizes_only {
            self.judge_rows_below(class, child);
        } else if others.is_empty() && !has_lost_people {
            // The same rows as before: only this attribute can be replaced in another way now.
            self.judge_replaced(class, attribute)?;
        } else {
            self.judge_class(class)?;
        }
        self.count_in(class);
        let mut start = start + length;
        for &(child, size, length) in others {
            let mut values = values.clone();
            values[attribute] = children[child];
            let people = std::mem::take(&mut people[child]);
            let class = self.push_class(start..start + length, size, values, people);
            match reads_sizes_only {
                true => self.judge_rows_below(class, child),
                false => self.judge_class(class)?,
            }
            self.count_in(class);
            start += length;
        }
        Ok(())
    }

    fn recoding(&self) -> ColumnRecoding {
        ColumnRecoding::Cuts(cuts::groupings(
            self.problem.table,
            &self.trees,
            |attribute, value| self.linked[attribute][value as usize].is_in_cut,
        ))
    }
}
