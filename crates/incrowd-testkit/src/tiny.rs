//! Problems written as a few lines of text.

use crate::oracle::{MissingPolicy, OracleProblem, RawHierarchy, RawTable};

/// A problem from lines of cells separated by blanks. `columns` names the quasi-identifiers, then after `|` the
/// sensitive columns. A missing cell is written `-`.
///
/// Quasi-identifiers are published raw or as `*`; [`OracleProblem::with_hierarchy`] gives them more levels. Nothing
/// may be suppressed and every level is acceptable until the problem says otherwise.
///
/// ```
/// let problem = incrowd_testkit::tiny_problem(
///     "age zip | disease",
///     "34 04109 flu
///      35 04109 cold",
/// );
/// assert_eq!(problem.table.rows[1], ["35", "04109", "cold"]);
/// assert_eq!(problem.max_levels, [1, 1]);
/// ```
pub fn tiny_problem(columns: &str, rows: &str) -> OracleProblem {
    let (quasi, sensitive) = columns.split_once('|').unwrap_or((columns, ""));
    let words =
        |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
    let (quasi, sensitive) = (words(quasi), words(sensitive));
    let cell = |cell: String| if cell == "-" { String::new() } else { cell };
    let table = RawTable {
        columns: [quasi.clone(), sensitive.clone()].concat(),
        rows: (rows.lines().map(words).filter(|row| !row.is_empty()))
            .map(|row| row.into_iter().map(cell).collect())
            .collect(),
    };
    assert!(
        (table.rows.iter()).all(|row| row.len() == table.columns.len()),
        "every line has a cell for every column"
    );
    let hierarchy = |column: &String| -> RawHierarchy {
        let position = table.position(column);
        let mut values: Vec<&String> = table.rows.iter().map(|row| &row[position]).collect();
        values.sort_unstable();
        values.dedup();
        let pair = |value: &String| vec![value.clone(), "*".to_owned()];
        values.into_iter().map(pair).collect()
    };
    let quasi_identifiers: Vec<(String, RawHierarchy)> = (quasi.iter())
        .map(|column| (column.clone(), hierarchy(column)))
        .collect();
    OracleProblem {
        max_levels: vec![1; quasi.len()],
        quasi_identifiers,
        sensitive: sensitive.into_iter().map(|column| (column, None)).collect(),
        target: None,
        models: Vec::new(),
        max_suppressed: 0,
        missing: MissingPolicy::OwnValue,
        missing_tokens: Vec::new(),
        population: None,
        table,
    }
}

impl OracleProblem {
    /// Gives a column a hierarchy: a line for each value, its way up separated by blanks. Every level is acceptable.
    ///
    /// # Panics
    /// When there is no such quasi-identifier or sensitive column.
    #[must_use]
    pub fn with_hierarchy(mut self, column: &str, lines: &str) -> Self {
        let ways_up: RawHierarchy = (lines.lines())
            .map(|line| line.split_whitespace().map(str::to_owned).collect())
            .filter(|way: &Vec<String>| !way.is_empty())
            .collect();
        let position = |(name, _): &(String, RawHierarchy)| name == column;
        if let Some(at) = self.quasi_identifiers.iter().position(position) {
            self.max_levels[at] = ways_up[0].len() as u8 - 1;
            self.quasi_identifiers[at].1 = ways_up;
        } else {
            let found = self.sensitive.iter_mut().find(|(name, _)| name == column);
            found.expect("a column of the problem").1 = Some(ways_up);
        }
        self
    }

    /// Sets the highest acceptable levels.
    #[must_use]
    pub fn up_to(mut self, max_levels: &[u8]) -> Self {
        self.max_levels = max_levels.to_vec();
        self
    }

    /// Says what missing cells mean.
    #[must_use]
    pub fn missing_cells(mut self, missing: MissingPolicy) -> Self {
        self.missing = missing;
        self
    }
}
