//! A problem of the oracle in the words of the core.

use crate::oracle::{MissingPolicy, OracleMetric, OracleProblem, RawTable};
use incrowd_core::Error;
use incrowd_core::algorithms::partition::{PartitionSettings, Scheme};
use incrowd_core::counts::{
    CountedTable, FrequencySet, Missing, MissingCells, RowCounter, Scratch, roll_up,
};
use incrowd_core::hierarchy::Hierarchy;
use incrowd_core::lattice::Node;
use incrowd_core::privacy::{ModelSpec, PrivacyModel};
use incrowd_core::problem::{Assessment, Assessor, Problem, Settings};
use incrowd_core::table::RowBatch;
use incrowd_core::utility::{MetricSpec, UtilityMetric};
use std::collections::BTreeSet;

impl RawTable {
    /// Rows as the core reads them; `rows` is a part of the table.
    pub fn batch(&self, rows: std::ops::Range<usize>) -> RowBatch {
        let mut batch = RowBatch::new(self.columns.len());
        batch.clear(rows.start as u64);
        for cell in self.rows[rows].iter().flatten() {
            batch.push_cell(cell.as_bytes());
        }
        batch
    }
}

/// A problem that is counted and whose promises are built. A metric makes it a [`Problem`].
#[derive(Debug)]
pub struct Prepared {
    /// The counted table.
    pub table: CountedTable,
    /// The promises.
    pub models: Vec<Box<dyn PrivacyModel>>,
    max_suppressed: u32,
    max_levels: Node,
    /// What is to be predicted: the target, or else the first column counted.
    target: Option<usize>,
}

impl Prepared {
    /// The metric that the oracle's metric stands for.
    pub fn metric(&self, metric: &OracleMetric) -> Result<Box<dyn UtilityMetric>, Error> {
        let spec: MetricSpec = metric.spec().parse()?;
        spec.build(&self.table)
    }

    /// The problem with a metric to optimize.
    pub fn problem<'a>(&'a self, metric: &'a dyn UtilityMetric) -> Problem<'a> {
        Problem::new(&self.table, &self.models, metric)
            .allow_suppressed(self.max_suppressed)
            .with_settings(Settings {
                targets: self.target.into_iter().collect(),
                // Wider schemes have too many partitions for every problem of the laws.
                own: PartitionSettings {
                    scheme: Some(Scheme::Bhs),
                    ..PartitionSettings::default()
                }
                .given(),
                ..Settings::default()
            })
            .limit_levels(self.max_levels.clone())
            .expect("levels of the table")
    }
}

impl OracleProblem {
    /// Counts the table and builds the promises.
    pub fn prepare(&self) -> Result<Prepared, Error> {
        let counter = self.count(0..self.table.rows.len())?;
        self.prepare_counted(self.finish(counter)?)
    }

    /// Builds the promises for a table that is counted already.
    pub fn prepare_counted(&self, table: CountedTable) -> Result<Prepared, Error> {
        let sensitive: Vec<usize> = (self.sensitive.iter())
            .map(|(column, _)| table.column(column).expect("sensitive columns are counted"))
            .collect();
        let mut models = Vec::new();
        for model in &self.models {
            let spec: ModelSpec = model.spec().parse()?;
            models.extend(spec.build_all(&table.columns, &sensitive)?);
        }
        let target = self.target.as_ref().and_then(|it| table.column(it));
        Ok(Prepared {
            target: target.or((!table.columns.is_empty()).then_some(0)),
            table,
            models,
            max_suppressed: self.max_suppressed as u32,
            max_levels: Node::from_levels(self.max_levels.iter().copied()),
        })
    }

    /// Counts a part of the rows.
    pub fn count(&self, rows: std::ops::Range<usize>) -> Result<RowCounter, Error> {
        let positions = |columns: &mut dyn Iterator<Item = &String>| -> Vec<usize> {
            columns.map(|column| self.table.position(column)).collect()
        };
        let quasi_identifiers = positions(&mut self.quasi_identifiers.iter().map(|(name, _)| name));
        let counted = positions(&mut self.counted_columns().iter());
        let mut counter = RowCounter::new(&self.table.columns, &quasi_identifiers, &counted);
        counter.add(&self.table.batch(rows))?;
        Ok(counter)
    }

    /// Makes a counted table of what was counted.
    pub fn finish(&self, counter: RowCounter) -> Result<CountedTable, Error> {
        let hierarchies = (self.quasi_identifiers.iter())
            .map(|(column, ways_up)| Hierarchy::from_rows(column, ways_up))
            .collect::<Result<Vec<_>, _>>()?;
        let distances = (self.counted_columns().iter())
            .map(|column| {
                let sensitive = self.sensitive.iter().find(|(name, _)| name == column);
                let ways_up = sensitive.and_then(|(_, ways_up)| ways_up.as_ref());
                ways_up
                    .map(|ways_up| Hierarchy::from_rows(column, ways_up))
                    .transpose()
            })
            .collect::<Result<Vec<_>, _>>()?;
        let levels = hierarchies.clone();
        let table = counter.finish(hierarchies, distances, self.missing_for_core())?;
        let Some(population) = &self.population else {
            return Ok(table);
        };
        let names: Vec<String> = (self.quasi_identifiers.iter())
            .map(|(name, _)| name.clone())
            .collect();
        let all: Vec<usize> = (0..names.len()).collect();
        let mut people = RowCounter::new(&names, &all, &[]);
        for person in population {
            let cells: Vec<&str> = person.iter().map(String::as_str).collect();
            people.count(&cells, 1)?;
        }
        let missing = self.missing_for_core();
        table.with_population(people.finish(levels, Vec::new(), missing)?)
    }

    /// A published file counted as `verify` does, its texts as they stand, and the original counted with the values
    /// numbered alike.
    pub fn counted_alike(
        &self,
        published: Vec<Vec<String>>,
    ) -> Result<(CountedTable, Prepared), Error> {
        let mut file = self.clone();
        file.population = None;
        file.table.rows = published;
        for (column, ways_up) in &mut file.quasi_identifiers {
            let position = file.table.position(column);
            let values: BTreeSet<&String> =
                file.table.rows.iter().map(|row| &row[position]).collect();
            let pair = |value: &String| vec![value.clone(), "*".to_owned()];
            *ways_up = values.into_iter().map(pair).collect();
            ways_up.push(pair(&"no row has this".to_owned()));
        }
        let all = |problem: &OracleProblem| problem.count(0..problem.table.rows.len());
        let (mut of_file, mut of_original) = (all(&file)?, all(self)?);
        for (at, column) in self.counted_columns().iter().enumerate() {
            let at = self.quasi_identifiers.len() + at;
            for problem in [&file, self] {
                let rows: Vec<usize> = (0..problem.table.rows.len()).collect();
                for value in problem.values(&rows, column) {
                    of_file.learn(at, value);
                    of_original.learn(at, value);
                }
            }
        }
        let original = self.finish(of_original)?;
        Ok((file.finish(of_file)?, self.prepare_counted(original)?))
    }

    /// What the core is told about missing cells.
    pub fn missing_for_core(&self) -> Missing {
        Missing {
            cells: match self.missing {
                MissingPolicy::OwnValue => MissingCells::OwnValue,
                MissingPolicy::MatchAny => MissingCells::MatchAny,
                MissingPolicy::ExcludeRow => MissingCells::ExcludeRow,
            },
            tokens: self.missing_tokens.clone(),
        }
    }
}

/// The classes of a node, from the raw tuples, with the histograms of these columns.
pub fn classes_at(table: &CountedTable, node: &Node, columns: &[usize]) -> FrequencySet {
    let bottom = (&table.lattice().bottom(), &table.tuples);
    let (scratch, mut classes) = (&mut Scratch::default(), FrequencySet::default());
    roll_up(table, bottom, node, columns, scratch, &mut classes);
    classes
}

/// What the core makes of a node, looked at by itself.
pub fn assess(problem: &Problem<'_>, node: &Node) -> Assessment {
    let classes = classes_at(problem.table, node, &problem.columns_read());
    Assessor::new(problem).assess(node, &classes, None)
}
