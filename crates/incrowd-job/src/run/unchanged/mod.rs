//! Columns that are published as they are: what they give away beside what is promised.
//!
//! A promise speaks of quasi-identifiers and sensitive columns. A column kept beside them can undo it: it may name
//! people, single them out, or tell the raw value of a column that is published generalized. So kept columns are counted
//! while the rows pass, before anything is decided ([`ColumnCounter`] in the first pass, over raw rows) and again as they
//! are published, and judged by the thresholds in [`judge`].
//!
//! Memory is bounded whatever the table ([`sample`]): at most [`MOST_COUNTED`] values, in all columns together, and as many
//! cells of sampled rows, for each counting thread; about 200 MB in the worst case, and next to nothing for columns of
//! few values. Columns of at most 65 536 values are counted exactly, unless there are more than 64 of them. Beyond that the
//! numbers are estimates, with a standard error of at most 0.6 % of what is estimated, and are said to be.

mod judge;
mod sample;
mod told;

pub(crate) use judge::{Published, raw_notes, refuse};

use crate::run::plan::Plan;
use crate::run::roles::is_likely_missing;
use incrowd_core::hierarchy::ANY;
use incrowd_core::table::{Kind, RowBatch, parse_date, parse_number};
use sample::{Sample, hash, join};
use told::Told;

/// Values, or cells, that are kept count of in all columns together.
const MOST_COUNTED: usize = 1 << 22;

/// Values of one column, or rows, that are kept count of: fewer when there are very many columns.
fn bound(columns: usize) -> usize {
    (MOST_COUNTED / columns.max(1)).clamp(1 << 10, 1 << 16)
}

/// Which columns are counted, by position in the rows counted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watched {
    names: Vec<String>,
    kept: Vec<usize>,
    /// What kept columns must not tell.
    protected: Vec<usize>,
    /// The published quasi-identifiers, which make the classes.
    classes: Option<Vec<usize>>,
}

impl Watched {
    /// The kept columns of a table, held against its raw quasi-identifiers and its sensitive columns.
    pub(crate) fn raw(plan: &Plan) -> Self {
        let mut protected = plan.quasi_identifiers.clone();
        protected.extend(&plan.sensitive);
        Watched {
            names: plan.names.clone(),
            kept: plan.kept.clone(),
            protected,
            classes: None,
        }
    }

    /// The kept columns of a release with these columns, held against its sensitive columns and its classes. The plan may
    /// be that of the table it is made from.
    pub(crate) fn published(plan: &Plan, names: &[String]) -> Self {
        let positions = |columns: &[usize]| -> Vec<usize> {
            let find = |&at: &usize| names.iter().position(|name| *name == plan.names[at]);
            columns.iter().filter_map(find).collect()
        };
        let mut kept = positions(&plan.kept);
        kept.sort_unstable();
        Watched {
            names: names.to_vec(),
            kept,
            protected: positions(&plan.sensitive),
            classes: Some(positions(&plan.quasi_identifiers)),
        }
    }
}

/// Counts columns that are published as they are.
#[derive(Debug, Clone, Default)]
pub(crate) struct ColumnCounter {
    /// None when no column is kept, and nothing is to be counted.
    counts: Option<Counts>,
}

#[derive(Debug, Clone)]
struct Counts {
    watched: Watched,
    rows: u64,
    /// The values of each kept column.
    values: Vec<Sample<Form>>,
    /// Rows, by their kept and protected cells.
    tuples: Sample<Box<[u64]>>,
    /// Classes, divided by the kept cells.
    divided_classes: Sample<()>,
    /// The hashes of the row at hand.
    tuple: Vec<u64>,
}

/// What a value looks like.
#[derive(Debug, Clone, Copy)]
struct Form {
    is_missing: bool,
    is_number: bool,
    is_date: bool,
}

impl Form {
    fn of(cell: &[u8]) -> Self {
        let text = std::str::from_utf8(cell).unwrap_or_default();
        let is_missing = text.is_empty() || is_likely_missing(text);
        Form {
            is_missing,
            is_number: is_missing || parse_number(text).is_some(),
            is_date: is_missing || parse_date(text).is_some(),
        }
    }
}

impl ColumnCounter {
    pub(crate) fn new(watched: Watched) -> Self {
        if watched.kept.is_empty() {
            return Self::default();
        }
        let values = bound(watched.kept.len());
        let tuples = bound(watched.kept.len() + watched.protected.len());
        let counts = Counts {
            rows: 0,
            values: vec![Sample::new(values); watched.kept.len()],
            tuples: Sample::new(tuples),
            divided_classes: Sample::new(values),
            tuple: Vec::new(),
            watched,
        };
        ColumnCounter {
            counts: Some(counts),
        }
    }

    /// Counts the rows of a batch, but for suppressed ones published as `*`.
    pub(crate) fn add(&mut self, batch: &RowBatch) {
        let Some(counts) = &mut self.counts else {
            return;
        };
        let is_published = counts.watched.classes.is_some();
        let is_star = |row| (0..batch.columns()).all(|at| batch.cell(row, at) == ANY.as_bytes());
        for row in (0..batch.rows()).filter(|&row| !(is_published && is_star(row))) {
            counts.add(|column| batch.cell(row, column));
        }
    }

    /// Takes over what another counter of the same columns has counted.
    pub(crate) fn absorb(&mut self, other: ColumnCounter) {
        let (Some(ours), Some(theirs)) = (&mut self.counts, other.counts) else {
            return;
        };
        ours.rows += theirs.rows;
        for (ours, theirs) in ours.values.iter_mut().zip(theirs.values) {
            ours.absorb(theirs);
        }
        ours.tuples.absorb(theirs.tuples);
        ours.divided_classes.absorb(theirs.divided_classes);
    }

    /// What was counted.
    pub(crate) fn finish(self) -> Measures {
        self.counts.map(Counts::measures).unwrap_or_default()
    }
}

impl Counts {
    fn add<'c>(&mut self, cell: impl Fn(usize) -> &'c [u8]) {
        let Watched {
            kept,
            protected,
            classes,
            ..
        } = &self.watched;
        self.rows += 1;
        self.tuple.clear();
        for (&column, values) in kept.iter().zip(&mut self.values) {
            let hash = hash(cell(column));
            values.add(hash, || Form::of(cell(column)));
            self.tuple.push(hash);
        }
        let kept_cells = self.tuple.iter().copied().fold(0, join);
        if let Some(classes) = classes {
            let cells = classes.iter().map(|&column| hash(cell(column)));
            self.divided_classes
                .add(cells.fold(kept_cells, join), || ());
        }
        self.tuple
            .extend(protected.iter().map(|&column| hash(cell(column))));
        let whole = self.tuple[kept.len()..]
            .iter()
            .copied()
            .fold(kept_cells, join);
        self.tuples.add(whole, || self.tuple.clone().into());
    }

    fn measures(self) -> Measures {
        let Watched {
            names,
            kept,
            protected,
            classes,
        } = &self.watched;
        let told = Told::of(&self.tuples, kept.len() + protected.len());
        let columns = kept.iter().zip(&self.values).enumerate();
        let columns = columns.map(|(at, (&column, values))| {
            let shares = told.shares(at, kept.len());
            let told = protected.iter().zip(shares);
            let told = told.filter_map(|(&other, share)| Some((names[other].clone(), share?)));
            KeptColumn {
                name: names[column].clone(),
                kind: kind(values),
                spread: Spread::of(values, self.rows),
                told: told.collect(),
            }
        });
        Measures {
            rows: self.rows,
            columns: columns.collect(),
            divided_classes: (classes.as_ref())
                .map(|_| Spread::of(&self.divided_classes, self.rows)),
        }
    }
}

fn kind(values: &Sample<Form>) -> Kind {
    let forms = || values.counted().map(|counted| counted.thing);
    let has_any = forms().any(|form| !form.is_missing);
    match has_any {
        true if forms().all(|form| form.is_number) => Kind::Number,
        true if forms().all(|form| form.is_date) => Kind::Date,
        _ => Kind::Text,
    }
}

/// What was counted of kept columns.
#[derive(Debug, Clone, Default)]
pub(crate) struct Measures {
    /// Rows counted.
    rows: u64,
    columns: Vec<KeptColumn>,
    /// How the kept columns, all together, divide the classes; of a release only.
    divided_classes: Option<Spread>,
}

/// What was counted of a kept column.
#[derive(Debug, Clone)]
struct KeptColumn {
    name: String,
    kind: Kind,
    spread: Spread,
    /// Protected columns, and how much of each it tells.
    told: Vec<(String, f64)>,
}

/// How rows spread over values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Spread {
    distinct: u64,
    /// Rows whose value no other row has.
    singled_out: u64,
    is_exact: bool,
}

impl Spread {
    fn of<T>(sample: &Sample<T>, rows: u64) -> Self {
        let singled_out = sample.counted().filter(|counted| counted.rows == 1).count();
        let estimate = |found: usize| sample.estimate(found as u64).min(rows);
        Spread {
            distinct: estimate(sample.counted().count()),
            singled_out: estimate(singled_out),
            is_exact: sample.is_exact(),
        }
    }
}
