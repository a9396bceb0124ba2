//! The table of a population: everyone whom the rows of another table could be about.

use crate::error::Error;
use crate::run::control::Control;
use crate::run::input::{self, CountPass};
use crate::run::plan::Plan;
use crate::run::unchanged::ColumnCounter;
use crate::spec::{Columns, Job};
use incrowd_core::counts::{CountEngine, CountedTable, Missing, RowCounter};
use incrowd_core::hierarchy::Hierarchy;
use incrowd_io::Fingerprint;

/// A population, counted in one pass by the quasi-identifiers of a job. What else its table has does not matter.
pub(crate) struct People {
    counter: RowCounter,
    /// Its table.
    pub(crate) input: String,
    /// Of the bytes read.
    pub(crate) hash: Fingerprint,
}

impl People {
    /// Counts the table at a path, which is read in the format of the job's table.
    pub(crate) fn read(job: &Job, path: &str, control: &Control) -> Result<Self, Error> {
        let mut job = job.clone();
        job.data.path = Some(path.to_owned());
        job.data.table = None;
        job.columns = Columns {
            quasi_identifiers: job.columns.quasi_identifiers.take(),
            ..Columns::default()
        };
        let source = input::source(&job, control)?;
        let reader = source.open()?;
        let plan = Plan::of_release(&job, &source.name(), reader.columns())?;
        let mut counter = RowCounter::new(reader.columns(), &plan.quasi_identifiers, &[]);
        let columns = ColumnCounter::default();
        let mut pass = CountPass::new(&job, &*source, reader, columns, control);
        pass.count(&mut counter)?;
        let hash = pass.reader.fingerprint()?;
        Ok(People {
            counter,
            input: source.name(),
            hash,
        })
    }

    /// The values of a quasi-identifier, with their rows.
    pub(crate) fn values(&self, column: usize, missing: &Missing) -> Vec<(&str, u32)> {
        self.counter.values(column, missing)
    }

    /// The values of a quasi-identifier by its name; none if it is not one.
    pub(crate) fn values_of(&self, name: &str, missing: &Missing) -> Vec<&str> {
        let at = self.counter.names().position(|it| it == name);
        let values = at.map(|at| self.values(at, missing));
        let values = values.into_iter().flatten();
        values.map(|(text, _)| text).collect()
    }

    /// Tells the counter of a table, which has the same quasi-identifiers, every value of the population, so that its
    /// hierarchies list them too.
    pub(crate) fn teach(&self, counter: &mut RowCounter, missing: &Missing) {
        for column in 0..self.counter.names().len() {
            for (text, _) in self.values(column, missing) {
                counter.learn(column, text);
            }
        }
    }

    /// The counted population, with the levels of the quasi-identifiers.
    pub(crate) fn finish(
        self,
        levels: Vec<Hierarchy>,
        missing: Missing,
    ) -> Result<CountedTable, Error> {
        let excluded_from = self.input.clone();
        let table = self.counter.finish(levels, Vec::new(), missing)?;
        match table.rows == 0 && table.rows_excluded > 0 {
            true => Err(Error::AllRowsExcluded {
                input: excluded_from,
                rows: table.rows_excluded.into(),
            }),
            false => Ok(table),
        }
    }
}
