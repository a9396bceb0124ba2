//! The first pass over a job's table: distinct tuples, counted, with the levels of every column.

use crate::error::Error;
use crate::run::at_once::both;
use crate::run::control::{Control, Phase, Standing};
use crate::run::hierarchies::{self, ColumnHierarchy};
use crate::run::input::{self, CountPass};
use crate::run::models;
use crate::run::plan::Plan;
use crate::run::population::People;
use crate::run::unchanged::{ColumnCounter, Measures, Watched, refuse};
use crate::spec::{Job, TimeLimit};
use incrowd_core::counts::{CountEngine, CountedRows, CountedTable, Missing, RowCounter};
use incrowd_core::hierarchy::Hierarchy;
use incrowd_core::lattice::Node;
use incrowd_core::privacy::ModelSpec;
use incrowd_core::problem::{self, Interruption, Watch};
use incrowd_io::{Fingerprint, RowReader, RowSource, RowsSeal};
use std::time::Instant;

/// The result of the first pass.
pub(crate) struct FirstPass {
    pub(crate) table: CountedTable,
    /// One for each quasi-identifier.
    pub(crate) hierarchies: Vec<ColumnHierarchy>,
    /// What was read, for the second pass to be compared with.
    pub(crate) input_seal: RowsSeal,
    /// What raw columns published unchanged reveal.
    pub(crate) kept: Measures,
    /// All rows, equal ones together, if they are to be written or something is to be measured about them that is not about
    /// tuples, and there are few different ones.
    pub(crate) counted_rows: Option<CountedRows>,
    /// Whether cells have whitespace around them, which is part of their values.
    pub(crate) has_padded_cells: bool,
    /// The hash of the population's table, if there is one.
    pub(crate) population_hash: Option<Fingerprint>,
}

/// Counts the rows of `reader` and finds the levels of every column. The caller sets the time limit.
pub(crate) fn first_pass(
    job: &Job,
    source: &dyn RowSource,
    plan: &Plan,
    reader: Box<dyn RowReader + Send>,
    limit: Option<TimeLimit>,
    control: &Control,
) -> Result<FirstPass, Error> {
    control.within(limit, Phase::Read, || {
        count_and_measure(job, source, plan, reader, Purpose::Look, control)
    })
}

/// The same for a table that questions are asked about: it comes with its population if the job names one, since a question
/// may be about it.
pub(crate) fn first_pass_to_ask(
    job: &Job,
    source: &dyn RowSource,
    plan: &Plan,
    reader: Box<dyn RowReader + Send>,
    control: &Control,
) -> Result<FirstPass, Error> {
    control.within(job.search.time_limit, Phase::Read, || {
        count_and_measure(job, source, plan, reader, Purpose::Ask, control)
    })
}

/// The same for a table to be published: columns published unchanged must not reveal people.
pub(crate) fn first_pass_to_publish(
    job: &Job,
    source: &dyn RowSource,
    plan: &Plan,
    mut reader: Box<dyn RowReader + Send>,
    publication: Publication,
    control: &Control,
) -> Result<FirstPass, Error> {
    let publish = Purpose::Publish(publication);
    if publication.writes_rows {
        reader.leave_fingerprint();
    }
    if job.search.memory_limit.is_none() {
        reader.expect_another_pass();
    }
    control.within(job.search.time_limit, Phase::Read, || {
        count_and_measure(job, source, plan, reader, publish, control)
    })
}

/// The same for a table that may be published later: says why it would be refused, if it would be.
pub(crate) fn first_pass_to_advise(
    job: &Job,
    source: &dyn RowSource,
    plan: &Plan,
    reader: Box<dyn RowReader + Send>,
    control: &Control,
) -> Result<(FirstPass, Option<Error>), Error> {
    let pass = control.within(job.search.time_limit, Phase::Read, || {
        count_and_measure(job, source, plan, reader, Purpose::Advise, control)
    })?;
    let by_name = job.columns.keep.as_deref().unwrap_or_default();
    let refused = refuse(&pass.kept, &promised(job, plan)?, by_name);
    Ok((pass, refused.err()))
}

/// How a table is to be published, as far as it matters before.
#[derive(Clone, Copy)]
pub(crate) struct Publication {
    /// Whether equal rows may be published differently.
    pub(crate) divides_rows: bool,
    /// Whether rows are written, so that there is a second pass over all of them.
    pub(crate) writes_rows: bool,
    /// Whether they can be written from the few different ones, in the order of the table.
    pub(crate) writes_rows_once_recoded: bool,
}

/// What a table is counted for.
#[derive(Clone, Copy)]
enum Purpose {
    Look,
    /// Columns published unchanged are looked at.
    Advise,
    /// Questions may be about a population.
    Ask,
    /// It is refused if columns published unchanged reveal people.
    Publish(Publication),
}

/// The sensitive columns that a privacy model protects.
fn promised(job: &Job, plan: &Plan) -> Result<Vec<String>, Error> {
    let specs = models::parse(job.privacy.models.as_deref().unwrap_or_default())?;
    let mut columns = plan.names_of(&plan.sensitive);
    columns.retain(|name| {
        let is_about = |spec: &ModelSpec| spec.column().is_none_or(|column| column == name);
        specs
            .iter()
            .any(|spec| spec.entry().reads_column() && is_about(spec))
    });
    Ok(columns)
}

fn count_and_measure(
    job: &Job,
    source: &dyn RowSource,
    plan: &Plan,
    reader: Box<dyn RowReader + Send>,
    purpose: Purpose,
    control: &Control,
) -> Result<FirstPass, Error> {
    let watched = match purpose {
        Purpose::Look | Purpose::Ask => Watched::default(),
        Purpose::Advise | Purpose::Publish(_) => Watched::raw(plan),
    };
    let has_padded_cells = reader.has_padded_cells();
    let counted = plan.counted();
    let mut counter = RowCounter::new(&plan.names, &plan.quasi_identifiers, &counted);
    let columns = ColumnCounter::new(watched);
    let mut pass = CountPass::new(job, source, reader, columns, control);
    // Else the rows are read again all the same.
    let passes_over_quickly = pass.reader.passes_over_quickly();
    let has_room = job.search.memory_limit.is_none();
    pass.notes_order = matches!(purpose, Purpose::Publish(how)
        if passes_over_quickly && has_room && how.writes_rows_once_recoded);
    pass.beside = match purpose {
        Purpose::Look | Purpose::Ask => None,
        Purpose::Advise => Some(plan.kept.clone()).filter(|kept| !kept.is_empty()),
        Purpose::Publish(_) => {
            let published = Watched::published(plan, &plan.names);
            (pass.notes_order || published.has_tellers()).then(|| plan.kept.clone())
        }
    };
    pass.count(&mut counter)?;
    let input_seal = pass.reader.seal()?;
    if matches!(purpose, Purpose::Publish(how) if how.divides_rows) {
        counter.keep_rows_apart();
    }
    let finish_columns = || Ok(pass.finish());
    let measure_and_finish = || {
        let measures = match purpose {
            Purpose::Look | Purpose::Ask => None,
            Purpose::Advise | Purpose::Publish(_) => Some(Measures::of_counted(plan, &counter)?),
        };
        let table = (job, source);
        let finished = finish_table(table, plan, counter, purpose, has_padded_cells, control);
        Ok((measures, finished))
    };
    // Where memory is limited, what the columns take is freed before tuples are sorted.
    let threads = match job.search.memory_limit {
        Some(_) => 1,
        None => job.threads(),
    };
    let ((mut kept, counted_rows), (others, finished)) =
        both(threads, finish_columns, measure_and_finish)?;
    if let Some(others) = others {
        kept.add(others);
    }
    // A refusal comes before whatever else is wrong with the table.
    if let Purpose::Publish(_) = purpose {
        let by_name = job.columns.keep.as_deref().unwrap_or_default();
        refuse(&kept, &promised(job, plan)?, by_name)?;
    }
    let finished = finished?;
    Ok(FirstPass {
        table: finished.table,
        hierarchies: finished.hierarchies,
        input_seal,
        kept,
        counted_rows,
        has_padded_cells,
        population_hash: finished.population_hash,
    })
}

/// What becomes of the counted tuples.
struct FinishedTable {
    table: CountedTable,
    hierarchies: Vec<ColumnHierarchy>,
    population_hash: Option<Fingerprint>,
}

/// The counted table, with its hierarchies, and with its population if a model is about it.
fn finish_table(
    (job, source): (&Job, &dyn RowSource),
    plan: &Plan,
    mut counter: RowCounter,
    purpose: Purpose,
    has_padded_cells: bool,
    control: &Control,
) -> Result<FinishedTable, Error> {
    let missing = input::missing(job);
    let people = population(job, purpose, control)?;
    if let Some(people) = &people {
        people.teach(&mut counter, &missing);
    }
    let population_hash = people.as_ref().map(|people| people.hash);
    let mut hierarchies = Vec::new();
    for (at, name) in plan.names_of(&plan.quasi_identifiers).iter().enumerate() {
        control.check()?;
        let values = counter.values(at, &missing);
        hierarchies.push(hierarchies::of_column(job, name, &values)?);
    }
    let distances = plan
        .names_of(&plan.counted())
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let source = hierarchies::source_of(job, name);
            let Some(source) = source else {
                return Ok(None);
            };
            let values = counter.values(plan.quasi_identifiers.len() + at, &missing);
            let unlisted = job.columns.unlisted.unwrap_or_default();
            let resolved = hierarchies::resolve(name, &source, &values, unlisted)?;
            Ok(Some(resolved.hierarchy))
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let levels: Vec<Hierarchy> = (hierarchies.iter())
        .map(|column| column.hierarchy.clone())
        .collect();
    let table = counter
        .finish(levels.clone(), distances, missing.clone())
        .map_err(|error| {
            name_hierarchy(error, (job, source), plan, &hierarchies, has_padded_cells)
        })?;
    if table.rows == 0 {
        return Err(Error::AllRowsExcluded {
            input: source.name(),
            rows: table.rows_excluded.into(),
        });
    }
    let table = match people {
        Some(people) => among(table, people, levels, missing, &source.name())?,
        None => table,
    };
    Ok(FinishedTable {
        table,
        hierarchies,
        population_hash,
    })
}

/// The population of a job, if one of its models is about it, or may be about it once somebody asks.
fn population(job: &Job, purpose: Purpose, control: &Control) -> Result<Option<People>, Error> {
    let Some(path) = &job.privacy.population else {
        return Ok(None);
    };
    // A study names models without parameters.
    let texts = job.privacy.models.as_deref().unwrap_or_default();
    let specs: Vec<ModelSpec> = (texts.iter())
        .map(|text| text.parse())
        .collect::<Result<_, incrowd_core::Error>>()?;
    let is_wanted = match purpose {
        Purpose::Ask => true,
        Purpose::Look | Purpose::Advise | Purpose::Publish(_) => {
            models::about_population(&specs).is_some()
        }
    };
    match is_wanted {
        true => Ok(Some(People::read(job, path, control)?)),
        false => Ok(None),
    }
}

/// A counted table with its population, which has at least its rows.
pub(crate) fn among(
    table: CountedTable,
    people: People,
    levels: Vec<Hierarchy>,
    missing: Missing,
    input: &str,
) -> Result<CountedTable, Error> {
    let population = people.finish(levels, missing)?;
    if population.rows < table.rows {
        return Err(Error::PopulationTooSmall {
            people: population.rows.into(),
            rows: table.rows.into(),
            input: input.to_owned(),
        });
    }
    Ok(table.with_population(population)?)
}

/// Adds the file that does not list the values to an error about unlisted values.
fn name_hierarchy(
    error: incrowd_core::Error,
    (job, source): (&Job, &dyn RowSource),
    plan: &Plan,
    hierarchies: &[ColumnHierarchy],
    has_padded_cells: bool,
) -> Error {
    if let incrowd_core::Error::HierarchyLacksValues { column, row, .. } = &error {
        let population = job.privacy.population.clone();
        let names = plan.names_of(&plan.quasi_identifiers);
        if let Some(at) = names.iter().position(|name| name == column) {
            return Error::Unlisted {
                column: column.clone(),
                from: hierarchies[at].from.clone(),
                input: match row {
                    Some(_) => source.name(),
                    None => population.unwrap_or_else(|| source.name()),
                },
                has_padded_cells,
                source: Box::new(error),
            };
        }
    }
    error.into()
}

/// The rows that may be suppressed.
pub(crate) fn max_suppressed(
    budget: Option<crate::Budget>,
    table: &CountedTable,
) -> Result<u32, Error> {
    let rows = u64::from(table.rows);
    match budget {
        None => Ok(0),
        Some(crate::Budget::Rows(limit)) if limit > rows => {
            Err(Error::BudgetBeyondTable { limit, rows })
        }
        // At most the rows of the table, which are counted in 32 bits.
        Some(budget) => Ok(budget.rows(rows) as u32),
    }
}

/// The node of the highest acceptable levels.
pub(crate) fn max_levels(limits: Option<&[u8]>, table: &CountedTable) -> Result<Node, Error> {
    let attributes = &table.attributes;
    let Some(limits) = limits else {
        return Ok(table.lattice().top().clone());
    };
    if limits.len() != attributes.len() {
        return Err(Error::LevelCount {
            given: limits.len(),
            expected: attributes.len(),
        });
    }
    for (attribute, &level) in attributes.iter().zip(limits) {
        let height = attribute.hierarchy.height().0;
        if level > height {
            return Err(Error::NoSuchLevel {
                column: attribute.name.clone(),
                level,
                height,
            });
        }
    }
    Ok(Node::from_levels(limits.iter().copied()))
}

/// Gives a search the user's requests, the clock and its work limit.
pub(crate) struct SearchWatch<'a> {
    control: &'a Control,
    deadline: Option<Instant>,
    work_limit: Option<u64>,
}

impl<'a> SearchWatch<'a> {
    /// A search that begins now.
    pub(crate) fn new(job: &Job, control: &'a Control) -> Self {
        let limit = job.search.time_limit;
        SearchWatch {
            control,
            deadline: limit.and_then(|limit| Instant::now().checked_add(limit.0)),
            work_limit: job.search.work_limit().steps(),
        }
    }
}

impl Watch for SearchWatch<'_> {
    fn step(&self, progress: problem::Progress) -> Result<(), Interruption> {
        if self.control.is_cancelled() {
            return Err(Interruption::Cancelled);
        }
        if self.control.is_asked_for_best() {
            return Err(Interruption::Asked);
        }
        self.control.progress().search(Standing {
            nodes_checked: progress.nodes_checked,
            best: progress.best.map(|loss| loss.0),
            lower_bound: progress.lower_bound.map(|loss| loss.0),
            work: progress.work,
            work_limit: self.work_limit,
        });
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Interruption::TimeUp),
            _ => Ok(()),
        }
    }

    fn work_limit(&self) -> Option<u64> {
        self.work_limit
    }
}
