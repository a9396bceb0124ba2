//! Negotiating a release: a table counted once, with many requests.
//!
//! [`Ground::count`] reads the table. A [`Negotiation`] on that ground answers one [`Wish`] after another: with the
//! best release that meets it, or with up to three that each relax one part of it. What it needs to know about the
//! lattice is prepared at the first request for a model, as [`Options::how`] says, and may be saved in an index file.
//! [`Ground::agreed`] turns an offer into a job for [`anonymize`](crate::run::anonymize): an offer is never written by
//! itself, so it is checked like any other release.

mod agreed;
mod answer;
mod batch;
mod curve;
mod drawn;
mod index_file;
mod levels_shown;
mod pictures;
mod prices;
mod ready;
mod sampled;
mod spread;
mod wish;

pub use agreed::write_job;
pub use answer::{GaveWay, Negotiated, NegotiationLattice, NegotiationSeconds, Offered, Terms};
pub use batch::{BatchSummary, answer_lines};
pub use curve::Curve;
pub use drawn::{DrawnAttribute, DrawnHeight, DrawnLattice, DrawnNode, LatticeFilter};
pub use levels_shown::{Branch, LevelShown, LevelsShown};
pub use sampled::SampledRelease;
pub use spread::{ColumnSpread, LabelRows, LabelsLeftOut};
pub use wish::{Preparation, Wish, share};

use crate::error::Error;
use crate::run::asked::{asked_research_value, check_columns_of_research};
use crate::run::control::{Control, Phase};
use crate::run::counted::{FirstPass, SearchWatch, first_pass_to_ask, max_levels, max_suppressed};
use crate::run::hierarchies::ColumnHierarchy;
use crate::run::input;
use crate::run::models;
use crate::run::plan::Plan;
use crate::spec::{Job, RESEARCH_VALUE};
use incrowd_core::counts::CountedTable;
use incrowd_core::negotiate::{
    AnnotatedLattice, Estimator, GivesWay, How, IndexKey, LevelTable, MOST_NODES, Negotiator,
    Offer, Quality, Request, Search, annotation_work, suppression_by_node,
};
use incrowd_core::privacy::{Decimal, ModelSpec, Monotonicity, PrivacyModel};
use incrowd_core::utility::{METRICS, MetricSpec, UtilityMetric};
use incrowd_io::Fingerprint;
use index_file::IndexFile;
use prices::Prices;
use ready::{MetricsAsked, Ready};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;
use wish::Defaults;

/// How much annotating may cost, by [`annotation_work`], before a single request that a search answers with a few
/// hundred nodes: a tenth of a second.
const WORK_FOR_ONE: u128 = 20_000_000;

/// The same if the search would also have to count most nodes, and more than once.
const WORK_WHERE_NOTHING_IS_SKIPPED: u128 = 2_000_000_000;

/// The same if many requests follow. About half a minute on one core.
const WORK_FOR_MANY: u128 = 5_000_000_000;

/// The default share of nodes to annotate, in percent.
const PARTIAL: f64 = 5.0;

/// Models that are kept prepared; a request for another makes room for it.
const MOST_MODELS: usize = 32;

/// Bytes of their histograms.
const MOST_BYTES: usize = 256 << 20;

/// Tables with more distinct tuples take longer than a millisecond or two to price a node.
const MOST_TUPLES_AT_ONCE: usize = 30_000;

/// Metrics that are kept built; settings make as many as people can write.
const MOST_METRICS: usize = 16;

/// What a thread that panicked left behind is still whole: nothing here is changed in several steps.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A metric by the user's name for it.
type NamedMetric = (String, Box<dyn UtilityMetric>);

/// How to prepare for requests.
#[derive(Debug, Clone)]
pub struct Options {
    /// What to annotate in advance.
    pub how: Preparation,
    /// The share of nodes annotated by [`How::Partial`], in percent.
    pub percent: f64,
    /// Which nodes these are.
    pub estimator: Estimator,
    /// Which heights the relaxation of the levels may use.
    pub search: Search,
    /// Where histograms are saved between runs.
    pub index: Option<PathBuf>,
    /// Whether there will be more than one request, so that preparing pays off.
    pub many_questions: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            how: Preparation::Auto,
            percent: PARTIAL,
            estimator: Estimator::default(),
            search: Search::default(),
            index: None,
            many_questions: false,
        }
    }
}

/// A counted table, ready for requests.
#[derive(Debug)]
pub struct Ground {
    job: Job,
    has_target: bool,
    without_role: Vec<String>,
    sensitive: Vec<usize>,
    table: Arc<CountedTable>,
    hierarchies: Vec<ColumnHierarchy>,
    key: IndexKey,
    input_hash: Fingerprint,
    seconds: f64,
}

/// Columns that neither have a role nor are kept by name.
fn without_role(job: &Job, plan: &Plan) -> Vec<String> {
    let named = job.columns.keep.as_deref().unwrap_or_default();
    let mut columns = plan.names_of(&plan.kept);
    columns.retain(|column| !named.contains(column));
    columns
}

impl Ground {
    /// Counts the table of a job. Nothing is published, so columns without a role are ignored.
    pub fn count(job: &Job, control: &Control) -> Result<Ground, Error> {
        let started = Instant::now();
        let source = input::source(job, control)?;
        let reader = source.open()?;
        let plan = Plan::of_question(job, &source.name(), reader.columns())?;
        for column in job.hierarchies.keys() {
            let names = reader.columns();
            crate::run::plan::find_column(&source.name(), names, column, "the hierarchies")?;
        }
        check_columns_of_research(job, &source.name(), reader.columns(), &plan)?;
        asked_research_value(job)?;
        let FirstPass {
            table,
            hierarchies,
            input_seal,
            population_hash,
            ..
        } = first_pass_to_ask(job, &*source, &plan, reader, control)?;
        let input_hash = input_seal.fingerprint();
        let input_hash = input_hash.expect("it was not left to another pass");
        let levels: Vec<&ColumnHierarchy> = hierarchies.iter().collect();
        Ok(Ground {
            key: index_file::key(job, &plan, (input_hash, population_hash), &levels, &table),
            job: job.clone(),
            has_target: !plan.target.is_empty(),
            without_role: without_role(job, &plan),
            sensitive: (0..plan.sensitive.len()).collect(),
            table: Arc::new(table),
            hierarchies,
            input_hash,
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    /// What was counted.
    pub fn table(&self) -> &CountedTable {
        &self.table
    }

    /// The job it was counted for.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// The hash of the bytes that were counted, as certificates state it.
    pub fn input_hash(&self) -> String {
        self.input_hash.to_string()
    }

    /// Reads a request: one object of JSON, as `negotiate --batch` takes it. What it omits is taken from the job.
    pub fn read_wish(&self, text: &str) -> Result<Wish, Error> {
        let models = self.job.privacy.models.as_deref().unwrap_or_default();
        let defaults = Defaults {
            model: match models {
                [model] => Some(model),
                _ => None,
            },
            job: &self.job,
        };
        let quasi_identifiers: Vec<(&str, u8)> = self.quasi_identifiers().collect();
        Wish::of_line(text, &defaults, &quasi_identifiers)
    }

    /// Columns without a role. Before a release, the job must say what to do with them.
    pub fn without_role(&self) -> &[String] {
        &self.without_role
    }

    /// The quasi-identifiers, each with its highest level.
    pub fn quasi_identifiers(&self) -> impl Iterator<Item = (&str, u8)> {
        let attributes = self.table.attributes.iter();
        attributes.map(|of| (of.name.as_str(), of.hierarchy.height().0))
    }

    /// The one model a text means, for the one column it applies to.
    pub(crate) fn model(&self, spec: &ModelSpec) -> Result<Box<dyn PrivacyModel>, Error> {
        spec.check_complete()?;
        models::check_population(&self.job, std::slice::from_ref(spec))?;
        if spec.is_about_release() {
            let model = spec.name();
            return Err(incrowd_core::Error::NotNegotiable { model }.into());
        }
        let mut models = spec.build_all(&self.table.columns, &self.sensitive)?;
        match models.len() {
            1 => Ok(models.remove(0)),
            given => Err(Error::SeveralPromises { given }),
        }
    }

    /// Every metric that applies, by name, starting with the one requested.
    fn metrics(&self, asked: &MetricSpec) -> Result<Vec<NamedMetric>, Error> {
        let name = asked.public_name();
        let mut metrics = vec![(name.clone(), asked.build(&self.table)?)];
        for entry in METRICS {
            if (entry.kind.applies)(&self.table, self.has_target) && entry.name != name {
                let metric = self.job.metric(entry.name)?.build(&self.table)?;
                metrics.push((entry.name.to_owned(), metric));
            }
        }
        Ok(metrics)
    }
}

/// Answers requests about one table. It owns everything it needs, so a server or another language can keep it, and may
/// be used from several threads. Each question brings its own [`Control`]: stopping one stops nobody else.
#[derive(Debug)]
pub struct Negotiation {
    ground: Arc<Ground>,
    options: Options,
    ready: RwLock<Vec<Arc<Ready>>>,
    /// Held while something is prepared, since that is saved in one file.
    preparing: Mutex<Option<IndexFile>>,
    metrics: RwLock<Vec<Arc<MetricsAsked>>>,
    prices: Prices,
    /// Counting the table belongs to the first answer.
    seconds_before: Mutex<f64>,
}

impl Negotiation {
    /// Prepares; an existing index file is read and checked at once.
    pub fn new(ground: Arc<Ground>, options: Options, control: &Control) -> Result<Self, Error> {
        let started = Instant::now();
        if options.index.is_some() && options.how == Preparation::Fixed(How::Lazy) {
            return Err(Error::IndexOfNothing);
        }
        let index = match &options.index {
            Some(path) => Some(IndexFile::open(path, &ground, control)?),
            None => None,
        };
        if let Some(index) = &index {
            check_index(index, &ground, &options)?;
        }
        Ok(Negotiation {
            ready: RwLock::default(),
            preparing: Mutex::new(index),
            metrics: RwLock::default(),
            prices: Prices::default(),
            seconds_before: Mutex::new(ground.seconds + started.elapsed().as_secs_f64()),
            ground,
            options,
        })
    }

    /// The table it is about.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// The request that the job itself states.
    pub fn wish_of_job(&self) -> Result<Wish, Error> {
        Wish::of_job(&self.ground.job)
    }

    /// Whether nothing remains to be prepared for a wish, and no search has to be made: it is answered at once.
    pub fn is_ready_for(&self, wish: &Wish) -> Result<bool, Error> {
        let model = self.ground.model(&wish.spec()?)?;
        let ready = self.ready_for(&self.measure(&*model)?);
        Ok(ready.is_some_and(|ready| ready.negotiator.lattice().is_some()))
    }

    /// What can be had. The control reports progress and stops this answer.
    pub fn ask(&self, wish: &Wish, control: &Control) -> Result<Negotiated, Error> {
        let preparing = Instant::now();
        control.forget_asked();
        let table = &self.ground.table;
        let model = self.ground.model(&wish.spec()?)?;
        let budget = max_suppressed(wish.max_suppressed, table)?;
        let limit = max_levels(wish.max_levels.as_deref(), table)?;
        let metrics = self.metrics_asked(wish)?;
        let request = Request::new(&*model)
            .max_suppressed(budget)
            .max_levels(&limit)
            .quality(match &*metrics.asked == "height" {
                true => Quality::Height,
                false => Quality::Metric(&*metrics.metrics[0]),
            })
            .search(wish.search.unwrap_or(self.options.search))
            .in_steps_of(wish.rows_in_steps_of);
        let watch = SearchWatch::new(&self.ground.job, control);
        // A request that is invalid for every table is refused before anything is prepared for it.
        request.check(table)?;
        let ready = self.prepared(&*model, budget, &watch, control)?;
        let seconds_before = std::mem::take(&mut *lock(&self.seconds_before));
        let prepare = preparing.elapsed().as_secs_f64() + seconds_before;

        let answering = Instant::now();
        let search = control.begin_search(None);
        let answer = ready.negotiator.answer(&request, &watch);
        drop(search);
        control.check()?;
        let answer = answer?;
        let answered = answering.elapsed().as_secs_f64();
        let offers = answer::Pricing {
            ground: &self.ground,
            ready: &ready,
            model: &*model,
            metrics: &metrics,
            prices: &self.prices,
            is_asked_often: self.options.many_questions,
        };
        Ok(Negotiated {
            version: crate::VERSION,
            terms: offers.terms(&answer.outcome)?,
            lattice: NegotiationLattice::new(&answer.coverage, &ready.why),
            nodes_visited: answer.nodes_visited,
            monotone: answer::is_monotone(&*model),
            seconds: NegotiationSeconds {
                prepare,
                answer: answered,
            },
        })
    }

    /// Prepares for requests with the promise of a wish, so that the first is answered as fast as the second. It reports
    /// to a control of its own, which may stop it: then nothing is prepared, and nobody else is disturbed.
    pub fn prepare(&self, wish: &Wish, control: &Control) -> Result<(), Error> {
        let model = self.ground.model(&wish.spec()?)?;
        Request::new(&*model).check(&self.ground.table)?;
        let budget = max_suppressed(wish.max_suppressed, &self.ground.table)?;
        let watch = SearchWatch::new(&self.ground.job, control);
        self.prepared(&*model, budget, &watch, control)?;
        self.metrics_asked(wish)?;
        Ok(())
    }

    /// Whether a wish is answered from what is known already, in a millisecond or so.
    pub fn answers_at_once(&self, wish: &Wish) -> bool {
        let is_height = wish
            .metric
            .as_deref()
            .is_none_or(|metric| metric == "height");
        let is_small = self.ground.table.tuples.len() <= MOST_TUPLES_AT_ONCE;
        let model = || self.ground.model(&wish.spec()?);
        let ready = || self.ready_for(&self.measure(&*model().ok()?).ok()?);
        let is_known = |ready: &Ready| {
            let lattice = ready.negotiator.lattice();
            lattice.is_some_and(AnnotatedLattice::is_full)
        };
        is_height && is_small && ready().is_some_and(|ready| is_known(&ready))
    }

    /// How many rows each parameter suppresses at the highest acceptable levels.
    pub fn curve(&self, wish: &Wish, control: &Control) -> Result<Curve, Error> {
        let known = |model: &dyn PrivacyModel| Ok(self.ready_for(&self.measure(model)?));
        Curve::at_limit(&self.ground, wish, known, control)
    }

    /// What the release of these levels costs with the promise of a wish, whatever else is wished.
    pub fn offer_at(
        &self,
        wish: &Wish,
        levels: &[u8],
        control: &Control,
    ) -> Result<Offered, Error> {
        let table = &self.ground.table;
        let model = self.ground.model(&wish.spec()?)?;
        let node = max_levels(Some(levels), table)?;
        let metrics = self.metrics_asked(wish)?;
        let watch = SearchWatch::new(&self.ground.job, control);
        Request::new(&*model).check(table)?;
        let ready = self.prepared(&*model, 0, &watch, control)?;
        let known = ready.rows_suppressed(table, &*model, &node)?;
        let rows_suppressed = match known {
            Some(rows) => rows,
            None => self.ground.published(&*model, &node)?.1,
        };
        let pricing = answer::Pricing {
            ground: &self.ground,
            ready: &ready,
            model: &*model,
            metrics: &metrics,
            prices: &self.prices,
            is_asked_often: self.options.many_questions,
        };
        pricing.offered(&Offer {
            parameter: model.parameter(),
            node,
            rows_suppressed,
            gives_way: GivesWay::Nothing,
        })
    }

    /// The lattice, each node with the rows that the promise of a wish suppresses there. Refused if the lattice is too
    /// large to annotate.
    pub fn drawn(
        &self,
        wish: &Wish,
        filter: &LatticeFilter,
        control: &Control,
    ) -> Result<DrawnLattice, Error> {
        let table = &self.ground.table;
        let model = self.ground.model(&wish.spec()?)?;
        let budget = max_suppressed(wish.max_suppressed, table)?;
        let limit = max_levels(wish.max_levels.as_deref(), table)?;
        let watch = SearchWatch::new(&self.ground.job, control);
        Request::new(&*model).check(table)?;
        let ready = self.prepared(&*model, budget, &watch, control)?;
        let lattice = ready.negotiator.lattice().filter(|of| of.is_full());
        let lattice = lattice.ok_or_else(|| incrowd_core::Error::LatticeTooLarge {
            nodes: table.lattice().nodes(),
            limit: MOST_NODES,
        })?;
        let rows = suppression_by_node(table, lattice, &*model)?;
        let step = wish.rows_in_steps_of.max(1);
        let seen = drawn::Seen {
            ground: &self.ground,
            nodes: lattice.nodes(),
            rows: &rows,
            step,
            budget: budget - budget % step,
            limit: &limit,
        };
        Ok(seen.draw(filter))
    }

    /// Every metric that applies, built once for each that is asked for first.
    fn metrics_asked(&self, wish: &Wish) -> Result<Arc<MetricsAsked>, Error> {
        let spec = (self.ground.job).metric(wish.metric.as_deref().unwrap_or("height"))?;
        let known = self.metrics.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.iter().find(|of| of.spec == spec) {
            return Ok(Arc::clone(found));
        }
        drop(known);
        let (names, metrics) = self.ground.metrics(&spec)?.into_iter().unzip();
        let made = Arc::new(MetricsAsked {
            asked: spec.to_string().into(),
            names,
            metrics,
            research: match spec.name() == RESEARCH_VALUE {
                true => Some(spec.clone()),
                false => asked_research_value(&self.ground.job)?,
            },
            spec,
        });
        let mut known = self.metrics.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_METRICS {
            known.remove(0);
        }
        known.push(Arc::clone(&made));
        Ok(made)
    }

    /// What a model measures, whatever its parameter.
    fn measure(&self, model: &dyn PrivacyModel) -> Result<String, Error> {
        let column = model.column();
        let column = column.map(|at| self.ground.table.columns[at].name.as_str());
        Ok(model.with_parameter(Decimal::ONE)?.describe(column))
    }

    fn ready_for(&self, measure: &str) -> Option<Arc<Ready>> {
        let ready = self.ready.read().unwrap_or_else(PoisonError::into_inner);
        ready.iter().find(|of| *of.measure == *measure).cloned()
    }

    /// What is prepared for a model, made if necessary. Meanwhile requests for other models wait only if something must be
    /// prepared for them too.
    fn prepared(
        &self,
        model: &dyn PrivacyModel,
        budget: u32,
        watch: &SearchWatch<'_>,
        control: &Control,
    ) -> Result<Arc<Ready>, Error> {
        let measure = self.measure(model)?;
        if let Some(ready) = self.ready_for(&measure) {
            return Ok(ready);
        }
        let mut index = lock(&self.preparing);
        // Somebody else may have prepared it meanwhile.
        if let Some(ready) = self.ready_for(&measure) {
            return Ok(ready);
        }
        let table = Arc::clone(&self.ground.table);
        let (how, why) = self.choose(index.as_ref(), model, budget);
        let negotiator = match how {
            How::Lazy => Negotiator::lazy(table)?.with_threads(self.ground.job.threads()),
            how => {
                let lattice = self.annotate(index.as_mut(), model, how, watch, control)?;
                Negotiator::annotated(table, lattice, how == How::PartialTop)?
            }
        };
        let made = Arc::new(Ready {
            measure: measure.into(),
            negotiator,
            why,
        });
        let mut ready = self.ready.write().unwrap_or_else(PoisonError::into_inner);
        ready.push(Arc::clone(&made));
        let bytes = |ready: &[Arc<Ready>]| ready.iter().map(|of| of.memory()).sum::<usize>();
        while ready.len() > 1 && (ready.len() > MOST_MODELS || bytes(&ready) > MOST_BYTES) {
            ready.remove(0);
        }
        Ok(made)
    }

    /// The preparation to use, and why.
    fn choose(
        &self,
        index: Option<&IndexFile>,
        model: &dyn PrivacyModel,
        budget: u32,
    ) -> (How, String) {
        if let Preparation::Fixed(how) = self.options.how {
            return (how, "as requested".into());
        }
        if let Some(lattice) = index.and_then(IndexFile::lattice) {
            return match lattice.is_full() {
                true => (How::Full, "the index has every node".into()),
                false => (How::PartialTop, "the index has some of the nodes".into()),
            };
        }
        let nodes = self.ground.table.lattice().nodes();
        let work = annotation_work(&self.ground.table, &[model]);
        let is_many = self.options.many_questions || index.is_some();
        let lets_skip = match model.monotonicity() {
            Monotonicity::UnionWithAny => true,
            Monotonicity::UnionOfKept => budget == 0,
            Monotonicity::None => false,
        };
        let most = match (is_many, lets_skip) {
            (true, _) => WORK_FOR_MANY,
            (false, true) => WORK_FOR_ONE,
            (false, false) => WORK_WHERE_NOTHING_IS_SKIPPED,
        };
        match (nodes <= MOST_NODES, work <= most) {
            (false, _) => (
                How::Lazy,
                format!("{nodes} nodes are too many to annotate in advance"),
            ),
            (true, true) if !is_many && work > WORK_FOR_ONE => (
                How::Full,
                format!("with this model no node can be skipped, so all {nodes} are counted once"),
            ),
            (true, true) => (How::Full, format!("annotating all {nodes} nodes is quick")),
            (true, false) if is_many => (
                How::Lazy,
                format!("annotating all {nodes} nodes would take too long"),
            ),
            (true, false) => (
                How::Lazy,
                format!("annotating all {nodes} nodes is not worth it for one request"),
            ),
        }
    }

    /// Histograms of a model: from the index, or made now and added to it.
    fn annotate(
        &self,
        index: Option<&mut IndexFile>,
        model: &dyn PrivacyModel,
        how: How,
        watch: &SearchWatch<'_>,
        control: &Control,
    ) -> Result<AnnotatedLattice, Error> {
        let table = &self.ground.table;
        let known = index.as_deref().and_then(IndexFile::lattice);
        if let Some(known) = known
            && known.histogram(table, model, table.lattice().top()).is_ok()
        {
            return Ok(known.clone());
        }
        let progress = control.progress();
        progress.begin(Phase::Solve, u64::try_from(table.lattice().nodes()).ok());
        let threads = self.ground.job.threads();
        let made = match (known, how) {
            (Some(known), _) if !known.is_full() => {
                AnnotatedLattice::of_nodes(table, &[model], known.nodes(), watch)
            }
            (Some(_), _) | (None, How::Full) => {
                AnnotatedLattice::full(table, &[model], threads, watch)
            }
            (None, _) => AnnotatedLattice::partial(
                table,
                &[model],
                self.options.percent,
                self.options.estimator,
                watch,
            ),
        };
        progress.end();
        control.check()?;
        let made = made?;
        match index {
            Some(index) => index.add(made, &self.ground),
            None => Ok(made),
        }
    }
}

/// Refuses an index that was made in another way than requested now.
fn check_index(index: &IndexFile, ground: &Ground, options: &Options) -> Result<(), Error> {
    let (Some(lattice), Preparation::Fixed(how)) = (index.lattice(), options.how) else {
        return Ok(());
    };
    let fits = match how {
        How::Full => lattice.is_full(),
        // All nodes include those requested.
        _ if lattice.is_full() => true,
        _ => {
            let levels = LevelTable::of(&ground.table);
            let best = levels.best_nodes(options.estimator, options.percent)?;
            lattice.nodes() == best
        }
    };
    match fits {
        true => Ok(()),
        false => Err(index.refusal(incrowd_core::Error::IndexStale {
            what: "set of nodes",
        })),
    }
}
