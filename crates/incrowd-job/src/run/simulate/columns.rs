//! The columns that are combined: given by numbers of values, or counted in a table.

use super::SimulateOptions;
use crate::error::Error;
use crate::report::simulation::{Drawn, SimulatedColumn};
use crate::run::control::Control;
use crate::run::counted::{first_pass, max_levels};
use crate::run::input;
use crate::run::plan::Plan;
use crate::spec::{Columns, Job, MissingCells};
use incrowd_core::chance::{Column, Combinations};
use incrowd_core::counts::CountedTable;
use incrowd_core::lattice::Level;

/// How the rows of the simulated tables are drawn.
pub(super) struct DrawnColumns {
    columns: Vec<SimulatedColumn>,
    pub(super) drawn: Drawn,
    /// Rows of the table, if there is one.
    pub(super) rows: Option<u64>,
    pub(super) notes: Vec<String>,
    from: From,
}

enum From {
    /// Each column by itself.
    Columns(Vec<Column>),
    /// The combinations of this table at these levels.
    Table(Box<CountedTable>, Vec<Level>),
}

impl DrawnColumns {
    pub(super) fn of(
        job: &Job,
        options: &SimulateOptions,
        control: &Control,
    ) -> Result<DrawnColumns, Error> {
        let values = match (&options.domain, options.attributes) {
            (Some(domain), _) => domain.clone(),
            (None, Some(attributes)) => {
                // More could not be counted even if each had only two values.
                let attributes = usize::try_from(attributes.min(1000)).unwrap_or(1000);
                vec![options.values.unwrap_or(2); attributes]
            }
            (None, None) => return Self::counted(job, options, control),
        };
        if values.is_empty() || values.contains(&0) {
            return Err(Error::NoValues);
        }
        Ok(DrawnColumns {
            columns: (values.iter())
                .map(|&values| SimulatedColumn {
                    name: None,
                    level: None,
                    values,
                })
                .collect(),
            drawn: Drawn::Evenly,
            rows: None,
            notes: Vec::new(),
            from: From::Columns(values.into_iter().map(Column::Even).collect()),
        })
    }

    /// The quasi-identifiers of a table.
    fn counted(job: &Job, options: &SimulateOptions, control: &Control) -> Result<Self, Error> {
        let named = job.columns.quasi_identifiers.clone().unwrap_or_default();
        if job.data.path.is_none() && job.data.table.is_none() {
            return Err(Error::NothingToSimulate);
        }
        if named.is_empty() {
            return Err(Error::NoQuasiIdentifiers);
        }
        let mut job = job.clone();
        if options.levels.is_none() {
            // No column needs more than its values.
            let suppress = |name: &String| (name.clone(), "suppress".to_owned().into());
            job.hierarchies = named.iter().map(suppress).collect();
            job.columns.hierarchies = None;
        }
        // Columns of other roles do not matter.
        job.columns = Columns {
            quasi_identifiers: Some(named.clone()),
            hierarchies: job.columns.hierarchies.take(),
            unlisted: job.columns.unlisted,
            ..Columns::default()
        };
        let source = input::source(&job, control)?;
        let reader = source.open()?;
        let plan = Plan::of_question(&job, &source.name(), reader.columns())?;
        let limit = job.search.time_limit;
        let pass = first_pass(&job, &*source, &plan, reader, limit, control)?;
        let table = pass.table;
        if table.rows == 0 {
            return Err(Error::AllRowsExcluded {
                input: source.name(),
                rows: table.rows_excluded.into(),
            });
        }
        let node = match options.levels.as_deref() {
            Some(levels) => max_levels(Some(levels), &table)?,
            None => table.lattice().bottom(),
        };
        let levels: Vec<Level> = (0..named.len()).map(|at| node.level(at)).collect();
        let mut notes = Vec::new();
        if pass.has_padded_cells {
            notes.push(input::PADDED_CELLS.to_owned());
        }
        if job.data.missing_cells == Some(MissingCells::MatchAny) {
            notes.push("missing cells count as a value of their own here".to_owned());
        }
        let rows_of_values = |at: usize| {
            let by_level = &table.attributes[at].rows_of_groups;
            by_level[usize::from(levels[at].0)].clone()
        };
        let counted: Vec<Vec<u32>> = (0..named.len()).map(rows_of_values).collect();
        let present = |rows: &Vec<u32>| rows.iter().filter(|&&rows| rows > 0).count() as u64;
        let columns = (named.iter().zip(&counted))
            .zip(&levels)
            .map(|((name, rows), level)| SimulatedColumn {
                name: Some(name.clone()),
                level: options.levels.as_ref().map(|_| level.0),
                values: present(rows),
            })
            .collect();
        Ok(DrawnColumns {
            columns,
            drawn: match options.whole_rows {
                true => Drawn::WholeRows,
                false => Drawn::ByColumn,
            },
            rows: Some(table.rows.into()),
            notes,
            from: match options.whole_rows {
                true => From::Table(Box::new(table), levels),
                false => From::Columns(counted.into_iter().map(Column::Counted).collect()),
            },
        })
    }

    pub(super) fn len(&self) -> usize {
        self.columns.len()
    }

    pub(super) fn described(&self) -> Vec<SimulatedColumn> {
        self.columns.clone()
    }

    /// The combinations of the first columns.
    pub(super) fn combinations(&self, first: usize) -> Result<Combinations, Error> {
        let combinations = match &self.from {
            From::Columns(columns) => Combinations::of(&columns[..first]),
            From::Table(table, levels) => {
                Combinations::of(&[Column::Counted(classes(table, &levels[..first]))])
            }
        };
        combinations.ok_or(Error::TooManyCombinations)
    }
}

/// Rows of each combination of the first columns at these levels.
fn classes(table: &CountedTable, levels: &[Level]) -> Vec<u32> {
    let sizes = table.tuples.sizes();
    let group = |tuple: usize, at: usize| {
        let hierarchy = &table.attributes[at].hierarchy;
        hierarchy.group_of(levels[at], table.leaf(tuple, at)).0
    };
    let mut rows: Vec<(Vec<u32>, u32)> = (sizes.iter().enumerate())
        .map(|(tuple, &size)| {
            let groups = (0..levels.len()).map(|at| group(tuple, at));
            (groups.collect(), size)
        })
        .collect();
    rows.sort_unstable();
    let runs = rows.chunk_by(|one, other| one.0 == other.0);
    runs.map(|run| run.iter().map(|(_, size)| size).sum())
        .collect()
}
