//! Columns that analysts might want to predict, by a look at the first rows.

use crate::error::Error;
use crate::report::advice::{CandidateTarget, TargetKind};
use crate::run::control::Control;
use crate::spec::Job;
use hashbrown::HashSet;
use incrowd_core::table::{RowBatch, parse_number};
use incrowd_io::RowSource;

/// Rows that are looked at: enough to tell classes from numbers, and few enough to take no time.
const ROWS_SEEN: usize = 10_000;

/// The most values that are still taken for classes.
const MOST_CLASSES: usize = 20;

/// What was seen of a column.
#[derive(Debug, Default)]
struct SeenColumn {
    values: HashSet<Vec<u8>>,
    has_text: bool,
}

/// The columns that could be predicted: not those that are generalized or dropped. Sensitive ones come first, then the others
/// from the last to the first, since what is predicted usually stands at the end of a table.
pub(super) fn candidates(
    job: &Job,
    source: &dyn RowSource,
    control: &Control,
) -> Result<Vec<CandidateTarget>, Error> {
    let mut reader = source.open_some(ROWS_SEEN as u64, None)?;
    let names = reader.columns().to_vec();
    let is_in = |list: &Option<Vec<String>>, name: &String| {
        list.as_ref().is_some_and(|names| names.contains(name))
    };
    let columns = &job.columns;
    let is_sensitive = |at: &usize| is_in(&columns.sensitive, &names[*at]);
    let is_open = |at: &usize| {
        !is_in(&columns.quasi_identifiers, &names[*at]) && !is_in(&columns.identifying, &names[*at])
    };
    let open = (0..names.len()).rev().filter(is_open);
    let (mut order, others): (Vec<usize>, Vec<usize>) = open.partition(is_sensitive);
    order.reverse();
    order.extend(others);
    let mut seen: Vec<SeenColumn> = order.iter().map(|_| SeenColumn::default()).collect();
    let mut batch = RowBatch::default();
    let mut rows = 0;
    while rows < ROWS_SEEN && control.while_engine_works(|| Ok(reader.read(&mut batch)?))? {
        for row in 0..batch.rows().min(ROWS_SEEN - rows) {
            for (&at, column) in order.iter().zip(&mut seen) {
                column.add(batch.cell(row, at));
            }
        }
        rows += batch.rows();
    }
    let rows = rows.min(ROWS_SEEN);
    let candidate = |(&at, column): (&usize, &SeenColumn)| {
        Some(CandidateTarget {
            name: names[at].clone(),
            kind: column.kind(rows)?,
            values: column.values.len() as u64,
        })
    };
    Ok(order.iter().zip(&seen).filter_map(candidate).collect())
}

impl SeenColumn {
    fn add(&mut self, cell: &[u8]) {
        if cell.is_empty() || self.values.contains(cell) {
            return;
        }
        let is_number = std::str::from_utf8(cell).is_ok_and(|text| parse_number(text).is_some());
        self.has_text |= !is_number;
        self.values.insert(cell.to_vec());
    }

    /// What could be predicted of it. Texts that hardly repeat are names, and numbers that never do are numbers of rows.
    fn kind(&self, rows: usize) -> Option<TargetKind> {
        let values = self.values.len();
        match (values, self.has_text) {
            (0 | 1, _) => None,
            (_, true) if values <= MOST_CLASSES && 2 * values <= rows => Some(TargetKind::Classes),
            (_, true) => None,
            (2, false) => Some(TargetKind::Classes),
            (_, false) if values < rows => Some(TargetKind::Numbers),
            (_, false) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use incrowd_io::MemoryTable;

    #[test]
    fn classes_and_numbers_are_candidates_and_names_are_not() {
        let row = |at: usize| {
            vec![
                format!("person {at}"),
                format!("{}", 20 + at % 7),
                ["yes", "no"][at % 2].to_owned(),
                format!("{at}"),
                "same".to_owned(),
                ["flu", "cold", "asthma"][at % 3].to_owned(),
            ]
        };
        let names = ["name", "age", "smokes", "row", "hospital", "disease"];
        let table = MemoryTable::new(names, (0..40).map(row)).unwrap();
        let job = Job::parse("[columns]\nsensitive = [\"smokes\"]").unwrap();
        let found = candidates(&job, &table, &Control::default()).unwrap();
        let found: Vec<(&str, TargetKind)> = (found.iter())
            .map(|it| (it.name.as_str(), it.kind))
            .collect();
        let expected = [
            ("smokes", TargetKind::Classes),
            ("disease", TargetKind::Classes),
            ("age", TargetKind::Numbers),
        ];
        assert_eq!(found, expected);
    }
}
