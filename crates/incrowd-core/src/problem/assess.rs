//! Judging one counted node: which classes are safe, what is suppressed, what it costs.

use super::{Interruption, Meter, Problem, crowds};
use crate::counts::{FrequencySet, Keys, Work};
use crate::lattice::Node;
use crate::privacy::{ClassView, Counted, Monotonicity, PrivacyModel, ReleaseView, UnsafeClasses};
use crate::recode::ColumnRecoding;
use crate::utility::{Detail, Known, Loss, Published, PublishedAttribute};
use smallvec::SmallVec;

/// What is known about a node once its classes are counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// Rows in violating classes; of a node that exceeds the limit in any case, perhaps only those that are known to be.
    pub rows_suppressed: u32,
    /// Whether the other classes together keep every promise about the whole release.
    pub holds_as_a_whole: bool,
    /// So many rows at least are suppressed here and in every node below; more may be if it is above the budget.
    pub rows_lost_below: u32,
    /// The loss; `None` if the node may not be published, or exceeds the given limit, which was clear without computing it.
    pub loss: Option<Loss>,
    /// What the rows lost below add to the loss there, see
    /// [`UtilityMetric::added_below`](crate::utility::UtilityMetric::added_below).
    pub added_below: Vec<f64>,
}

impl Assessment {
    /// What is said of a node that exceeds the limit even if no more rows are suppressed than these, without judging it. Only
    /// where all rows may be suppressed and nothing is promised of the whole release: then every node may be published, and
    /// what is lost below rules out none.
    pub(crate) fn of_hopeless(rows_suppressed: u32, rows_lost_below: u32) -> Self {
        Assessment {
            rows_suppressed,
            holds_as_a_whole: true,
            rows_lost_below,
            loss: None,
            added_below: Vec::new(),
        }
    }

    /// What is said of a node that suppresses too many rows, as does every node below it, without counting how many.
    pub(crate) fn of_ruled_out(problem: &Problem<'_>) -> Self {
        let too_many = problem.max_suppressed.saturating_add(1);
        Assessment {
            rows_suppressed: too_many,
            holds_as_a_whole: true,
            rows_lost_below: too_many,
            loss: None,
            added_below: Vec::new(),
        }
    }

    /// Whether the node may be published.
    pub fn is_safe(&self, problem: &Problem<'_>) -> bool {
        self.holds_as_a_whole && self.rows_suppressed <= problem.max_suppressed
    }
}

/// Clears `is_safe` for every class that breaks a promise about the people who match it.
fn judge_people(
    model: &dyn PrivacyModel,
    (classes, people): (&FrequencySet, &[u32]),
    is_safe: &mut [bool],
) {
    let classes = classes.sizes().iter().zip(people);
    for ((&size, &people), safe) in classes.zip(is_safe) {
        *safe &= model.holds(&ClassView::of_size(size).with_people(people));
    }
}

/// See [`Assessor::only_reader`]. A model that counts rows is broken only by classes that are too small, and one about the whole
/// release by none.
fn only_reader<'a>(problem: &'a Problem<'_>) -> Option<(usize, &'a dyn PrivacyModel)> {
    let is_about_size = |model: &dyn PrivacyModel| model.counted() == Some(Counted::Rows);
    let models = problem.models.iter().map(|model| &**model);
    let mut models = models.filter(|model| !model.is_about_release() && !is_about_size(*model));
    let only = models.next()?;
    if models.next().is_some() || problem.crowds_overlap() {
        return None;
    }
    only.column().map(|column| (column, only))
}

/// Judges nodes one after the other, reusing its memory.
#[derive(Debug)]
pub struct Assessor<'a> {
    problem: &'a Problem<'a>,
    smallest_safe: u32,
    /// The column of the only model that a class which is not too small can break, with the model.
    only_reader: Option<(usize, &'a dyn PrivacyModel)>,
    /// Whether a loss is wanted even if a promise about the whole release is broken.
    measures_broken: bool,
    is_safe: Vec<bool>,
    /// The fewest rows with which each class may be safe.
    fewest_rows: Vec<u32>,
    /// Suppressed rows of each group, attribute by attribute.
    rows_suppressed: Vec<Vec<u32>>,
    /// Suppressed rows of each leaf, attribute by attribute.
    leaves_suppressed: Vec<Vec<u32>>,
    /// The classes to add up, suppressed or published.
    chosen: Vec<u32>,
    /// The groups of every class, for metrics that need them.
    groups: Vec<u32>,
    /// Rows of the population that match every class, for models that read it.
    people: Vec<u32>,
    /// The most rows of every class that are published here or at any node below.
    most_kept: Vec<u32>,
}

impl<'a> Assessor<'a> {
    /// An assessor for a problem's nodes.
    pub fn new(problem: &'a Problem<'a>) -> Self {
        let rows_suppressed = vec![Vec::new(); problem.table.attributes.len()];
        Assessor {
            problem,
            smallest_safe: problem.smallest_safe(),
            only_reader: only_reader(problem),
            measures_broken: false,
            is_safe: Vec::new(),
            fewest_rows: Vec::new(),
            leaves_suppressed: rows_suppressed.clone(),
            rows_suppressed,
            chosen: Vec::new(),
            groups: Vec::new(),
            people: Vec::new(),
            most_kept: Vec::new(),
        }
    }

    /// The same, which also computes losses where only a promise about the whole release is broken.
    #[must_use]
    pub(crate) fn measuring_broken(mut self) -> Self {
        self.measures_broken = true;
        self
    }

    /// Judges the classes of a node. A loss above `limit` need not be computed.
    pub fn assess(
        &mut self,
        node: &Node,
        classes: &FrequencySet,
        limit: Option<Loss>,
    ) -> Assessment {
        let assessed = self.assess_metered(node, classes, limit, &Meter::unlimited());
        assessed.expect("nobody interrupts this")
    }

    /// [`Assessor::assess`] as part of a search, which may be stopped.
    pub fn assess_metered(
        &mut self,
        node: &Node,
        classes: &FrequencySet,
        limit: Option<Loss>,
        meter: &Meter<'_>,
    ) -> Result<Assessment, Interruption> {
        self.presume_by_size(classes);
        self.assess_presumed(node, classes, limit, true, meter)
    }

    /// Presumes every class to be safe that is not too small, which needs no further judgement.
    pub(crate) fn presume_by_size(&mut self, classes: &FrequencySet) {
        let sizes = classes.sizes().iter();
        self.is_safe.clear();
        (self.is_safe).extend(sizes.map(|&size| size >= self.smallest_safe));
    }

    /// Presumes every class to be safe that has at least as many rows as [must be around](Assessor::fewest_around) it.
    pub(crate) fn presume_around(&mut self, classes: &FrequencySet, fewest_around: &[u32]) {
        let sizes = classes.sizes().iter().zip(fewest_around);
        self.is_safe.clear();
        (self.is_safe).extend(sizes.map(|(size, fewest)| size >= fewest));
    }

    /// Presumes every class to be safe that has at least as many rows as [must be around](Assessor::fewest_around) each class of
    /// a node below that is part of it: with fewer, it breaks a promise. Which classes may be safe.
    pub(crate) fn presume_from_below(
        &mut self,
        classes: &FrequencySet,
        fewest_around: &[u32],
        class_of: &[u32],
    ) -> &[bool] {
        self.fewest_rows.clear();
        self.fewest_rows.resize(classes.len(), 0);
        for (&class, &around) in class_of.iter().zip(fewest_around) {
            let fewest = &mut self.fewest_rows[class as usize];
            *fewest = around.max(*fewest);
        }
        let sizes = classes.sizes().iter().zip(&self.fewest_rows);
        self.is_safe.clear();
        (self.is_safe).extend(sizes.map(|(size, fewest)| size >= fewest));
        &self.is_safe
    }

    /// Judges the classes of a node that were presumed to be safe; the others are known to break a promise. If nobody
    /// `looks_below`, it says that nothing is lost there, which is never too much.
    pub(crate) fn assess_presumed(
        &mut self,
        node: &Node,
        classes: &FrequencySet,
        limit: Option<Loss>,
        looks_below: bool,
        meter: &Meter<'_>,
    ) -> Result<Assessment, Interruption> {
        let (metric, smallest_safe) = (self.problem.metric, self.smallest_safe);
        let attributes: SmallVec<[PublishedAttribute<'_>; 16]> =
            (self.problem.table.attributes.iter().zip(node.levels()))
                .map(|(attribute, level)| PublishedAttribute::at_level(attribute, level, &[]))
                .collect();
        let is_too_much = |rows_suppressed| {
            let known = Known {
                rows_suppressed,
                smallest_safe,
                added: &[],
            };
            limit.is_some_and(|limit| metric.floor(node, known) > limit)
        };
        self.assess_groups(&attributes, classes, is_too_much, looks_below, meter)
    }

    /// Counts and judges the classes of any recoding of the table.
    pub fn assess_recoding(&mut self, recoding: &ColumnRecoding) -> Assessment {
        let assessed = self.assess_recoding_metered(recoding, &Meter::unlimited());
        assessed.expect("nobody interrupts this")
    }

    /// [`Assessor::assess_recoding`], which may be stopped.
    pub fn assess_recoding_metered(
        &mut self,
        recoding: &ColumnRecoding,
        meter: &Meter<'_>,
    ) -> Result<Assessment, Interruption> {
        let table = self.problem.table;
        let columns = self.problem.columns_read();
        let classes = recoding.count(table, &columns);
        meter.spend(table.tuples.work(&columns))?;
        let attributes = recoding.attributes(table);
        self.presume_by_size(&classes);
        self.assess_groups(&attributes, &classes, |_| false, true, meter)
    }

    /// Judges classes presumed to be safe. `is_too_much` may decide from the rows suppressed that the loss need not be computed.
    fn assess_groups(
        &mut self,
        attributes: &[PublishedAttribute<'_>],
        classes: &FrequencySet,
        is_too_much: impl Fn(u32) -> bool,
        looks_below: bool,
        meter: &Meter<'_>,
    ) -> Result<Assessment, Interruption> {
        let problem = self.problem;
        self.count_people(attributes, classes, meter)?;
        let lost_whole = self.rows_lost_whole(attributes, classes, meter)?;
        let mut rows_lost_below = lost_whole;
        match self.only_reader.filter(|_| looks_below) {
            Some(reader) => rows_lost_below = self.judge_and_look_below(reader, classes, meter)?,
            None => {
                self.judge(attributes, classes, |_| true, meter)?;
                if looks_below && !problem.crowds_overlap() {
                    rows_lost_below = self.rows_lost_below(classes);
                }
            }
        }
        let rows_suppressed = self.rows_unsafe(classes);
        let holds_as_a_whole = self.holds_as_a_whole(classes);
        let metric = problem.metric;
        let is_wanted = rows_suppressed <= problem.max_suppressed
            && (holds_as_a_whole || self.measures_broken)
            && !is_too_much(rows_suppressed);
        let adds_below = metric.adds_below() && rows_lost_below == rows_suppressed;
        let (mut loss, mut added_below) = (None, Vec::new());
        if is_wanted || adds_below {
            self.with_published(attributes, classes, rows_suppressed, |published| {
                loss = is_wanted.then(|| metric.loss(published));
                if adds_below {
                    added_below = metric.added_below(published);
                }
            });
            meter.spend(self.work_of_metric(classes, rows_suppressed))?;
        }
        Ok(Assessment {
            rows_suppressed,
            holds_as_a_whole,
            rows_lost_below,
            loss,
            added_below,
        })
    }

    /// Rows of classes that break a promise which survives merging with any class, for crowds that overlap: there, no more
    /// is known about the nodes below.
    fn rows_lost_whole(
        &mut self,
        attributes: &[PublishedAttribute<'_>],
        classes: &FrequencySet,
        meter: &Meter<'_>,
    ) -> Result<u32, Interruption> {
        if !self.problem.crowds_overlap() || !self.problem.crowds_only_grow() {
            return Ok(0);
        }
        let survives =
            |model: &dyn PrivacyModel| model.monotonicity() == Monotonicity::UnionWithAny;
        self.judge(attributes, classes, survives, meter)?;
        let rows = self.rows_unsafe(classes);
        // What is suppressed first decides what else is, so all models start together.
        self.is_safe.fill(true);
        Ok(rows)
    }

    /// Rows of the judged classes that no division of them keeps; not all are counted once the node is ruled out.
    ///
    /// Below a node its classes are divided. What is kept of a class there keeps every promise, so no promise lets more of it
    /// be kept than [`PrivacyModel::most_kept`] says.
    fn rows_lost_below(&mut self, classes: &FrequencySet) -> u32 {
        let models = self.problem.models;
        let mut unsafe_classes = self.kept_by_size(classes);
        for model in models {
            if unsafe_classes.are_too_many_lost() {
                break;
            }
            model.lower_kept(&mut unsafe_classes);
        }
        unsafe_classes.lost
    }

    /// Judges the classes with one look at each, and says what [`Assessor::rows_lost_below`] does.
    fn judge_and_look_below(
        &mut self,
        (column, reader): (usize, &dyn PrivacyModel),
        classes: &FrequencySet,
        meter: &Meter<'_>,
    ) -> Result<u32, Interruption> {
        let mut judged = self.kept_by_size(classes);
        reader.judge_and_lower_kept(column, &mut judged);
        let lost = judged.lost;
        for model in self.problem.models {
            meter.spend(classes.work(model.column().as_slice()))?;
        }
        Ok(lost)
    }

    /// All classes, of which those are kept that are not too small.
    fn kept_by_size<'s>(&'s mut self, classes: &'s FrequencySet) -> UnsafeClasses<'s> {
        let lost = self.keep_by_size(classes);
        UnsafeClasses {
            classes,
            is_safe: &mut self.is_safe,
            people: &self.people,
            smallest: self.smallest_safe,
            broken_by_this: self.problem.models.len() == 1,
            lost,
            kept: &mut self.most_kept,
            most_lost: self.problem.max_suppressed,
        }
    }

    /// Lets every class be kept that is not too small, so that [`Assessor::most_kept`] is known as far as sizes tell. The rows of
    /// the others.
    pub(crate) fn keep_by_size(&mut self, classes: &FrequencySet) -> u32 {
        let sizes = classes.sizes().iter();
        self.most_kept.clear();
        (self.most_kept).extend(sizes.map(|&size| match size < self.smallest_safe {
            true => 0,
            false => size,
        }));
        let rows: u32 = classes.sizes().iter().sum();
        rows - self.most_kept.iter().sum::<u32>()
    }

    /// For each class of the node judged last, the most of its rows that are published there or at any node below, or more if
    /// the node was ruled out before that was known. None if crowds overlap: then classes say too little.
    pub(crate) fn most_kept(&self) -> Option<&[u32]> {
        (!self.problem.crowds_overlap()).then_some(&self.most_kept)
    }

    /// For each class of a node, the fewest rows of a class around it that is published there or at any node above. None if crowds overlap: then a class may need no rows but its own.
    pub(crate) fn fewest_around(&self, classes: &FrequencySet) -> Option<Vec<u32>> {
        if self.problem.crowds_overlap() {
            return None;
        }
        let sizes = classes.sizes().iter();
        let mut around: Vec<u32> = sizes.map(|&size| size.max(self.smallest_safe)).collect();
        for model in self.problem.models {
            model.raise_around(classes, &mut around);
        }
        Some(around)
    }

    /// Whether the judged classes that are safe keep every promise about the whole release.
    fn holds_as_a_whole(&self, classes: &FrequencySet) -> bool {
        let models = self.problem.models.iter();
        let mut models = models.filter(|model| model.is_about_release()).peekable();
        if models.peek().is_none() {
            return true;
        }
        let sizes = classes.sizes().iter().zip(&self.is_safe);
        let published = sizes.filter_map(|(&size, &is_safe)| is_safe.then_some(size));
        let release = ReleaseView::of_sizes(published);
        models.all(|model| model.holds_in_release(release))
    }

    /// Counts the rows of the population that match every class, if a model reads them.
    fn count_people(
        &mut self,
        attributes: &[PublishedAttribute<'_>],
        classes: &FrequencySet,
        meter: &Meter<'_>,
    ) -> Result<(), Interruption> {
        let table = self.problem.table;
        let mut models = self.problem.models.iter();
        let Some(population) =
            (table.population.as_ref()).filter(|_| models.any(|model| model.reads_population()))
        else {
            self.people.clear();
            self.people.resize(classes.len(), 0);
            return Ok(());
        };
        let groups: SmallVec<[&[u32]; 16]> =
            (attributes.iter().map(|shown| shown.groups_of_leaves())).collect();
        self.people = table.people_of_classes(&groups, classes);
        meter.spend(Work::of(classes.len() + population.tuples.len()))
    }

    /// The work of showing judged classes to the metric.
    fn work_of_metric(&self, classes: &FrequencySet, rows_suppressed: u32) -> Work {
        let (table, detail) = (self.problem.table, self.problem.metric.detail());
        // Examining an attribute of a class costs a fraction of a class.
        let attributes = table.attributes.len().div_ceil(4);
        let mut touched = classes.len();
        if detail >= Detail::Groups || detail >= Detail::Marginals && rows_suppressed > 0 {
            touched += classes.len() * attributes;
        }
        if detail >= Detail::Leaves && rows_suppressed > 0 {
            touched += table.tuples.len() * attributes;
        }
        Work::of(touched)
    }

    /// Marks the classes that violate one of the chosen models.
    fn judge(
        &mut self,
        attributes: &[PublishedAttribute<'_>],
        classes: &FrequencySet,
        is_chosen: impl Fn(&dyn PrivacyModel) -> bool + Copy,
        meter: &Meter<'_>,
    ) -> Result<(), Interruption> {
        let problem = self.problem;
        let models = || {
            problem
                .models
                .iter()
                .map(|model| &**model)
                .filter(move |model| is_chosen(*model))
        };
        if self.problem.crowds_overlap() {
            let shown = (self.problem, attributes);
            crowds::judge(shown, classes, models(), &mut self.is_safe, meter)?;
        } else {
            for model in models() {
                match model.reads_population() {
                    true => judge_people(model, (classes, &self.people), &mut self.is_safe),
                    false => model.judge(classes, &mut self.is_safe),
                }
                let column = model.column();
                meter.spend(classes.work(column.as_slice()))?;
            }
        }
        Ok(())
    }

    /// Rows of the classes that were not found safe.
    fn rows_unsafe(&self, classes: &FrequencySet) -> u32 {
        let rows = classes.sizes().iter().zip(&self.is_safe);
        rows.map(|(&size, &safe)| if safe { 0 } else { size }).sum()
    }

    /// Shows the judged classes as a metric sees them.
    fn with_published(
        &mut self,
        attributes: &[PublishedAttribute<'_>],
        classes: &FrequencySet,
        rows_suppressed: u32,
        look: impl FnOnce(&Published<'_>),
    ) {
        let table = self.problem.table;
        let metric = self.problem.metric;
        // Where a column mixes levels, rows of different groups cost differently.
        let mixes_levels = attributes.iter().any(|shown| shown.level.is_none());
        if metric.detail() >= Detail::Marginals || mixes_levels {
            self.sum_suppressed(attributes, classes, rows_suppressed);
        }
        if metric.detail() >= Detail::Leaves {
            self.sum_suppressed_leaves(attributes, classes, rows_suppressed);
        }
        let attributes: SmallVec<[PublishedAttribute<'_>; 16]> = (attributes
            .iter()
            .zip(&self.rows_suppressed)
            .zip(&self.leaves_suppressed))
        .map(
            |((&shown, rows_suppressed), leaves_suppressed)| PublishedAttribute {
                rows_suppressed,
                leaves_suppressed,
                ..shown
            },
        )
        .collect();
        self.groups.clear();
        if metric.detail() >= Detail::Groups {
            let cells = (0..classes.len())
                .flat_map(|class| (0..attributes.len()).map(move |attribute| (class, attribute)));
            let group = |(class, attribute)| table.group(classes, class, attribute).0;
            self.groups.extend(cells.map(group));
        }
        look(&Published {
            table,
            rows_suppressed,
            attributes: &attributes,
            sizes: classes.sizes(),
            is_safe: &self.is_safe,
            groups: &self.groups,
            target: metric.column().map(|column| classes.histograms(column)),
        });
    }

    /// Adds up the suppressed rows of every group: from the suppressed classes, or from all rows less those
    /// of the published classes, whichever are fewer.
    fn sum_suppressed(
        &mut self,
        attributes: &[PublishedAttribute<'_>],
        classes: &FrequencySet,
        rows_suppressed: u32,
    ) {
        let table = self.problem.table;
        for (shown, rows) in attributes.iter().zip(&mut self.rows_suppressed) {
            rows.clear();
            rows.resize(shown.leaves.len(), 0);
        }
        if rows_suppressed == 0 {
            return;
        }
        let safe = self.is_safe.iter().filter(|&&safe| safe).count();
        let counts_safe = safe < classes.len() - safe;
        self.chosen.clear();
        self.chosen.extend(
            (0..classes.len() as u32).filter(|&class| self.is_safe[class as usize] == counts_safe),
        );
        for (attribute, rows) in self.rows_suppressed.iter_mut().enumerate() {
            let field = table.layout.field(attribute);
            for &class in &self.chosen {
                let class = class as usize;
                rows[field.read(classes.key(class)) as usize] += classes.sizes()[class];
            }
            if counts_safe {
                for (rows, all) in rows.iter_mut().zip(attributes[attribute].rows) {
                    *rows = all - *rows;
                }
            }
        }
    }

    /// Adds up the suppressed rows of every leaf, tuple by tuple: classes do not know their leaves.
    fn sum_suppressed_leaves(
        &mut self,
        attributes: &[PublishedAttribute<'_>],
        classes: &FrequencySet,
        rows_suppressed: u32,
    ) {
        let table = self.problem.table;
        for (shown, rows) in attributes.iter().zip(&mut self.leaves_suppressed) {
            rows.clear();
            if rows_suppressed > 0 {
                rows.resize(shown.groups_of_leaves().len(), 0);
            }
        }
        if rows_suppressed == 0 {
            return;
        }
        let words = table.layout.words();
        let mut keys = Keys::new(words);
        keys.number_all(&classes.keys, &mut self.chosen);
        let mut key = vec![0; words];
        for (tuple, &size) in table.tuples.sizes().iter().enumerate() {
            key.fill(0);
            for (field, shown) in table.layout.fields().iter().zip(attributes) {
                let leaf = field.read(table.tuples.key(tuple)) as usize;
                key[field.word] |= u64::from(shown.groups_of_leaves()[leaf]) << field.shift;
            }
            let class = keys.find(&key).expect("every tuple is in a class");
            if self.is_safe[class as usize] {
                continue;
            }
            for (field, rows) in table
                .layout
                .fields()
                .iter()
                .zip(&mut self.leaves_suppressed)
            {
                rows[field.read(table.tuples.key(tuple)) as usize] += size;
            }
        }
    }
}
