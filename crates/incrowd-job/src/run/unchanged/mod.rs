//! Columns published unchanged: what they reveal besides what the privacy models cover.
//!
//! A privacy model covers quasi-identifiers and sensitive columns. Another published column can undermine it: it may
//! identify people, single them out, reveal the raw value of a generalized column, or reveal the sensitive value of
//! some rows. Kept columns may do all of that, targets and sensitive columns the last two. So they are counted while
//! the rows are read, before anything is decided ([`ColumnCounter`] in the first pass, over raw rows, with what is
//! counted of sensitive columns and targets anyway) and again as they are published, and judged by the thresholds in
//! [`judge`].
//!
//! Memory is bounded whatever the table ([`Sample`]): at most [`MOST_COUNTED`](crate::run::sample::MOST_COUNTED) values, in all columns together, and as
//! many cells of sampled rows, for each counting thread; about 200 MB in the worst case, and almost nothing for columns
//! with few values. Columns of at most 65 536 values are counted exactly, unless there are more than 64 of them. Beyond
//! that, the numbers are estimates and marked as such, with a standard error of at most 0.6 % of what is estimated if
//! each value counts as one.

mod given_away;
mod judge;
mod recent;
#[cfg(test)]
mod tests;
mod told;
mod tuples;

pub(crate) use judge::{Published, raw_notes, refuse};

use crate::report::outcome::UnchangedRole;
use crate::run::looks::{Looks, LooksLike, look_of};
use crate::run::plan::Plan;
use crate::run::roles::is_likely_missing;
use crate::run::sample::{Sample, bound, hash, join};
use given_away::{GivenAway, Shared};
use incrowd_core::counts::{CountedRows, RowCounter};
use incrowd_core::hierarchy::ANY;
use incrowd_core::publish::RecodedRows;
use incrowd_core::table::{CodedColumn, Kind, RowBatch, parse_date, parse_number};
use recent::RecentRows;
use tuples::Tuples;

pub(crate) use told::{Numbered, Teller};

/// Which columns are counted, by position in the rows counted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watched {
    names: Vec<String>,
    /// The columns published unchanged that may reveal others.
    tellers: Vec<(usize, UnchangedRole)>,
    /// What they must not reveal.
    protected: Vec<usize>,
    /// Those of the protected columns that are sensitive.
    sensitive: Vec<usize>,
    /// The published quasi-identifiers, which make the classes.
    classes: Option<Vec<usize>>,
}

impl Watched {
    /// The kept columns of a table, compared with its raw quasi-identifiers and its sensitive columns. Its targets and
    /// sensitive columns are counted in the same pass anyway: see [`Measures::of_counted`].
    pub(crate) fn raw(plan: &Plan) -> Self {
        let mut protected = plan.quasi_identifiers.clone();
        protected.extend(&plan.sensitive);
        let kept = plan.kept.iter();
        Watched {
            names: plan.names.clone(),
            tellers: kept.map(|&at| (at, UnchangedRole::Kept)).collect(),
            protected,
            sensitive: plan.sensitive.clone(),
            classes: None,
        }
    }

    /// The unchanged columns of a release, compared with its sensitive columns and its classes. The plan may be that of
    /// the table it is made from.
    pub(crate) fn published(plan: &Plan, names: &[String]) -> Self {
        let positions = |columns: &[usize]| -> Vec<usize> {
            let find = |&at: &usize| names.iter().position(|name| *name == plan.names[at]);
            columns.iter().filter_map(find).collect()
        };
        let mut kept = positions(&plan.kept);
        kept.sort_unstable();
        let sensitive = positions(&plan.sensitive);
        let mut tellers: Vec<(usize, UnchangedRole)> =
            kept.iter().map(|&at| (at, UnchangedRole::Kept)).collect();
        // A sensitive column alone has nothing to reveal.
        let counted = positions(&plan.counted());
        if !sensitive.is_empty() && tellers.len() + counted.len() > 1 {
            tellers.extend(counted.into_iter().map(|at| match sensitive.contains(&at) {
                true => (at, UnchangedRole::Sensitive),
                false => (at, UnchangedRole::Target),
            }));
        }
        Watched {
            names: names.to_vec(),
            tellers,
            protected: sensitive.clone(),
            sensitive,
            classes: Some(positions(&plan.quasi_identifiers)),
        }
    }

    /// Whether there is anything to count.
    pub(crate) fn has_tellers(&self) -> bool {
        !self.tellers.is_empty()
    }

    fn has_kept(&self) -> bool {
        let mut roles = self.tellers.iter().map(|(_, role)| *role);
        roles.any(|role| role == UnchangedRole::Kept)
    }
}

/// Counts columns published unchanged.
#[derive(Debug, Clone, Default)]
pub(crate) struct ColumnCounter {
    /// None if no column can reveal anything, so that there is nothing to count.
    counts: Option<Counts>,
}

#[derive(Debug, Clone)]
struct Counts {
    watched: Watched,
    rows: u64,
    /// The values of each teller.
    values: Vec<Sample<Value>>,
    /// The values of each sensitive column.
    sensitive_values: Vec<Sample<()>>,
    /// Rows, by the cells of tellers and protected columns.
    tuples: Tuples,
    /// Classes, divided by the kept cells.
    divided_classes: Sample<()>,
    /// For each sensitive column: classes, divided by the cells of all tellers but that column.
    groups: Vec<Sample<Shared>>,
    /// The hashes of the current row: those of the tellers, then of the protected columns.
    tuple: Vec<u64>,
    /// And of the sensitive columns.
    sensitive: Vec<u64>,
    /// All that the current row counts for, in the order of [`Counts::add_rows`].
    counts_for: Vec<u64>,
    recent: RecentRows,
}

/// A value of a column.
#[derive(Debug, Clone)]
struct Value {
    form: Form,
    /// Whether its rows share one value of each sensitive column.
    shared: Box<[Shared]>,
}

impl Value {
    fn join(&mut self, other: Value) {
        for (ours, theirs) in self.shared.iter_mut().zip(other.shared) {
            ours.join(theirs);
        }
    }
}

/// What a value looks like.
#[derive(Debug, Clone, Copy)]
struct Form {
    is_missing: bool,
    is_number: bool,
    is_date: bool,
    look: Option<LooksLike>,
}

impl Form {
    fn of(cell: &[u8]) -> Self {
        let text = std::str::from_utf8(cell).unwrap_or_default();
        let is_missing = text.is_empty() || is_likely_missing(text);
        Form {
            is_missing,
            is_number: is_missing || parse_number(text).is_some(),
            is_date: is_missing || parse_date(text).is_some(),
            look: look_of(text),
        }
    }
}

impl ColumnCounter {
    pub(crate) fn new(watched: Watched) -> Self {
        if !watched.has_tellers() {
            return Self::default();
        }
        let (tellers, sensitive) = (watched.tellers.len(), watched.sensitive.len());
        let values = bound(tellers + sensitive);
        let cells = tellers + watched.protected.len();
        let counts = Counts {
            rows: 0,
            values: vec![Sample::new(values); tellers],
            sensitive_values: vec![Sample::new(values); sensitive],
            tuples: Tuples::new(bound(cells), cells),
            divided_classes: Sample::new(values),
            groups: vec![Sample::new(values); sensitive],
            tuple: Vec::new(),
            sensitive: Vec::new(),
            counts_for: Vec::new(),
            recent: RecentRows::new(match watched.classes {
                Some(_) => 2 * sensitive + tellers + 2,
                None => sensitive + tellers + 1,
            }),
            watched,
        };
        ColumnCounter {
            counts: Some(counts),
        }
    }

    /// Counts the rows of a batch, except those published as `*` throughout, which say nothing.
    pub(crate) fn add(&mut self, batch: &RowBatch) {
        let rows = self.counts.as_ref().map_or(0, |_| batch.rows());
        for row in 0..rows {
            self.add_equal_rows(|column| batch.cell(row, column), 1);
        }
    }

    /// Counts raw rows that were counted together.
    pub(crate) fn add_counted_rows(&mut self, counted: &CountedRows) {
        let Some(counts) = &mut self.counts else {
            return;
        };
        // Hashed once for all rows, where rows are more than values.
        let hashes_of = |column| -> Option<(Vec<u64>, &[u32])> {
            let CodedColumn { values, codes } = counted.rows.coded(column)?;
            let all = 0..values.len() as u32;
            let hashes = || all.map(|code| hash(values.text(code))).collect();
            (values.len() < codes.len()).then(|| (hashes(), &codes[..]))
        };
        let hashes: Vec<_> = (0..counted.rows.columns()).map(hashes_of).collect();
        for (row, &rows) in counted.sizes.iter().enumerate() {
            let cell = |column| counted.rows.cell(row, column);
            let hash = |column: usize| match &hashes[column] {
                Some((hashes, codes)) => hashes[codes[row] as usize],
                None => hash(cell(column)),
            };
            counts.add(hash, cell, rows);
        }
    }

    /// Counts published rows.
    pub(crate) fn add_recoded(&mut self, recoded: &RecodedRows<'_>) {
        if self.counts.is_some() {
            self.add_recoded_as(recoded, |_| 1);
        }
    }

    /// Counts published rows; `sizes` says how many there are of each, by its raw row.
    pub(crate) fn add_recoded_rows(&mut self, recoded: &RecodedRows<'_>, sizes: &[u32]) {
        self.add_recoded_as(recoded, |row| sizes[row]);
    }

    fn add_recoded_as(&mut self, recoded: &RecodedRows<'_>, rows: impl Fn(usize) -> u32) {
        for row in 0..recoded.len() {
            let rows = rows(recoded.raw_row(row));
            self.add_equal_rows(|column| recoded.cell(row, column), rows);
        }
    }

    /// Counts so many equal rows, whose cells `cell` gives by their columns.
    #[inline]
    pub(crate) fn add_equal_rows<'c>(&mut self, cell: impl Fn(usize) -> &'c [u8], rows: u32) {
        let Some(counts) = &mut self.counts else {
            return;
        };
        let columns = counts.watched.names.len();
        let is_published = counts.watched.classes.is_some();
        if rows == 0 || is_published && (0..columns).all(|at| cell(at) == ANY.as_bytes()) {
            return;
        }
        counts.add(|column| hash(cell(column)), &cell, rows);
    }

    /// The columns that are counted.
    pub(crate) fn watched(&self) -> Vec<usize> {
        let Some(Counts { watched, .. }) = &self.counts else {
            return Vec::new();
        };
        if watched.classes.is_some() {
            // Rows of `*` are recognized by all their cells.
            return (0..watched.names.len()).collect();
        }
        let tellers = watched.tellers.iter().map(|(column, _)| *column);
        tellers.chain(watched.protected.iter().copied()).collect()
    }

    /// Merges the counts of another counter of the same columns.
    pub(crate) fn absorb(&mut self, other: ColumnCounter) {
        let (Some(ours), Some(mut theirs)) = (&mut self.counts, other.counts) else {
            return;
        };
        ours.hand_on();
        theirs.hand_on();
        let nothing = |(): &mut (), ()| ();
        ours.rows += theirs.rows;
        for (ours, theirs) in ours.values.iter_mut().zip(theirs.values) {
            ours.absorb(theirs, Value::join);
        }
        let sensitive = ours.sensitive_values.iter_mut();
        for (ours, theirs) in sensitive.zip(theirs.sensitive_values) {
            ours.absorb(theirs, nothing);
        }
        for (ours, theirs) in ours.groups.iter_mut().zip(theirs.groups) {
            ours.absorb(theirs, Shared::join);
        }
        ours.tuples.absorb(theirs.tuples);
        ours.divided_classes.absorb(theirs.divided_classes, nothing);
    }

    /// What was counted.
    pub(crate) fn finish(self) -> Measures {
        let measures = |mut counts: Counts| {
            counts.hand_on();
            counts.measures()
        };
        self.counts.map(measures).unwrap_or_default()
    }
}

impl Counts {
    /// Counts so many equal rows, by the hashes of their cells; the cells themselves are looked at where a value is new.
    #[inline]
    fn add<'c>(
        &mut self,
        hash: impl Fn(usize) -> u64,
        cell: impl Fn(usize) -> &'c [u8],
        rows: u32,
    ) {
        let Watched {
            tellers,
            protected,
            sensitive,
            classes,
            ..
        } = &self.watched;
        self.rows += u64::from(rows);
        self.sensitive.clear();
        let hashes = sensitive.iter().map(|&column| hash(column));
        self.sensitive.extend(hashes);
        self.tuple.clear();
        let hashes = tellers.iter().map(|&(column, _)| hash(column));
        self.tuple.extend(hashes);
        let hashes = protected.iter().map(|&column| hash(column));
        self.tuple.extend(hashes);
        let whole = self.tuple.iter().copied().fold(0, join);
        let class = classes.as_ref().map(|classes| {
            let cells = classes.iter().map(|&column| hash(column));
            cells.fold(0, join)
        });
        // Sensitive columns are protected, so this is all there is to a row.
        let row = class.map_or(whole, |class| join(whole, class));
        // Rows that were counted together are hardly met again.
        let is_single = rows == 1;
        if is_single && self.recent.wait(row) {
            return;
        }

        self.counts_for.clear();
        for (&hash, values) in self.sensitive.iter().zip(&mut self.sensitive_values) {
            values.add_and(hash, rows, || (), |()| ());
            self.counts_for.push(hash);
        }
        let shared = || self.sensitive.iter().map(|&hash| Shared::One(hash));
        let cells = || tellers.iter().zip(&self.tuple);
        for ((&(column, _), &hash), values) in cells().zip(&mut self.values) {
            let value = || Value {
                form: Form::of(cell(column)),
                shared: shared().collect(),
            };
            values.add_and(hash, rows, value, |value| {
                for (known, row) in value.shared.iter_mut().zip(shared()) {
                    known.join(row);
                }
            });
            self.counts_for.push(hash);
        }
        if let Some(class) = class {
            let kept = cells().filter(|((_, role), _)| *role == UnchangedRole::Kept);
            let divided = kept.map(|(_, &hash)| hash).fold(class, join);
            self.divided_classes.add_and(divided, rows, || (), |()| ());
            self.counts_for.push(divided);
            for ((&column, &value), groups) in
                (sensitive.iter().zip(&self.sensitive)).zip(&mut self.groups)
            {
                let others = cells().filter(|((other, _), _)| *other != column);
                let group = others.map(|(_, &hash)| hash).fold(class, join);
                let one = Shared::One(value);
                groups.add_and(group, rows, || one, |known| known.join(one));
                self.counts_for.push(group);
            }
        }
        self.tuples.add(whole, &self.tuple, rows);
        self.counts_for.push(whole);
        if is_single && self.recent.learn(row, self.counts_for.iter().copied()) {
            self.hand_on();
        }
    }

    /// Counts the rows that wait. Each was counted before, so there is nothing new to note but their number.
    fn hand_on(&mut self) {
        let mut recent = std::mem::replace(&mut self.recent, RecentRows::new(0));
        recent.hand_on(|counts_for, rows| self.add_rows(counts_for, rows));
        self.recent = recent;
    }

    /// Counts so many rows for everything that one of them was counted for.
    fn add_rows(&mut self, counts_for: &[u64], rows: u32) {
        let mut hashes = counts_for.iter().copied();
        for (values, hash) in self.sensitive_values.iter_mut().zip(&mut hashes) {
            values.add_rows(hash, rows);
        }
        for (values, hash) in self.values.iter_mut().zip(&mut hashes) {
            values.add_rows(hash, rows);
        }
        if self.watched.classes.is_some() {
            if let Some(divided) = hashes.next() {
                self.divided_classes.add_rows(divided, rows);
            }
            for (groups, hash) in self.groups.iter_mut().zip(&mut hashes) {
                groups.add_rows(hash, rows);
            }
        }
        if let Some(whole) = hashes.next() {
            self.tuples.add_rows(whole, rows);
        }
    }

    fn measures(self) -> Measures {
        let Watched {
            names,
            tellers,
            protected,
            sensitive,
            classes,
        } = &self.watched;
        // In arbitrary order, on which nothing that follows depends.
        let (rows_of_tuples, tuples) = self.tuples.numbered();
        let most_common: Vec<f64> = (self.sensitive_values.iter())
            .map(|values| most_common(values, self.rows))
            .collect();
        let columns = tellers.iter().zip(&self.values).enumerate();
        let columns = columns.map(|(at, (&(column, role), values))| {
            let teller = Teller::new(&rows_of_tuples, &tuples[at]);
            let told = protected.iter().zip(&tuples[tellers.len()..]);
            let told = told.filter(|(other, _)| **other != column && has_ground(role, &teller));
            let told = told.filter_map(|(&other, values)| {
                let share = teller.share(values)?;
                Some((names[other].clone(), share))
            });
            let of_sensitive = sensitive.iter().zip(&most_common).enumerate();
            let of_sensitive = of_sensitive.filter(|(_, (other, _))| **other != column);
            let given_away = of_sensitive.map(|(number, (&other, &most_common))| {
                let shared = values.counted().map(|value| {
                    let is_one = value.thing.shared[number].is_one();
                    (value.rows.into(), is_one)
                });
                let given = GivenAway::of(shared, most_common);
                let given = GivenAway {
                    rows: values.estimate(given.rows).min(self.rows),
                    beyond_chance: given.beyond_chance * values.estimate(1) as f64,
                };
                (names[other].clone(), given)
            });
            TellingColumn {
                name: names[column].clone(),
                role,
                kind: kind(values),
                looks: looks(values),
                spread: Spread::of(values, self.rows),
                told: told.collect(),
                given_away: given_away.collect(),
            }
        });
        let columns = columns.collect();
        let groups = sensitive.iter().zip(&self.groups);
        let groups = groups
            .filter(|_| classes.is_some())
            .map(|(&column, groups)| {
                let one = || groups.counted().filter(|group| group.thing.is_one());
                let rows = one().map(|group| u64::from(group.rows)).sum();
                HomogeneousGroups {
                    column: names[column].clone(),
                    groups: groups.estimate(one().count() as u64).min(self.rows),
                    rows: groups.estimate(rows).min(self.rows),
                    is_exact: groups.is_exact(),
                }
            });
        let kept =
            (tellers.iter().zip(&tuples)).filter(|((_, role), _)| *role == UnchangedRole::Kept);
        let kept: Vec<&Numbered> = kept.map(|(_, column)| column).collect();
        let told_together = match kept.len() > 1 {
            true => {
                let together = Numbered::together(&kept);
                let teller = Teller::new(&rows_of_tuples, &together);
                let told = protected.iter().zip(&tuples[tellers.len()..]);
                // Many columns make most rows unique, and agree on the few others by chance.
                let rows: u64 = rows_of_tuples.iter().copied().map(u64::from).sum();
                let told = told.filter(|_| 2 * teller.rows_to_go_by() >= rows);
                told.filter_map(|(&other, values)| {
                    Some((names[other].clone(), teller.share(values)?))
                })
                .collect()
            }
            false => Vec::new(),
        };
        let has_classes = classes.is_some() && self.watched.has_kept();
        Measures {
            rows: self.rows,
            columns,
            told_together,
            divided_classes: (has_classes).then(|| Spread::of(&self.divided_classes, self.rows)),
            groups: groups.collect(),
        }
    }
}

fn kind(values: &Sample<Value>) -> Kind {
    let forms = || values.counted().map(|counted| counted.thing.form);
    let has_any = forms().any(|form| !form.is_missing);
    match has_any {
        true if forms().all(|form| form.is_number) => Kind::Number,
        true if forms().all(|form| form.is_date) => Kind::Date,
        _ => Kind::Text,
    }
}

fn looks(values: &Sample<Value>) -> Option<LooksLike> {
    let mut looks = Looks::default();
    let forms = values.counted().map(|counted| counted.thing.form);
    forms
        .filter(|form| !form.is_missing)
        .for_each(|form| looks.see(form.look));
    looks.of_column()
}

/// Whether there are enough rows to say what a column reveals. A kept column is only a convenience and must be shown to
/// be harmless; sensitive columns and targets are the purpose of a release, and in a handful of rows they match a
/// quasi-identifier by chance.
fn has_ground(role: UnchangedRole, teller: &Teller<'_>) -> bool {
    role == UnchangedRole::Kept || teller.rows_to_go_by() >= given_away::FEWEST_ROWS
}

/// The share of rows that have the most common of these values. If that value was not sampled, the sampled ones account
/// for fewer rows than there are, and it has the rest.
fn most_common(values: &Sample<()>, rows: u64) -> f64 {
    let counted = || values.counted().map(|value| u64::from(value.rows));
    let rest = rows.saturating_sub(values.estimate(counted().sum()));
    let most = counted().max().unwrap_or(0).max(rest);
    most as f64 / rows.max(1) as f64
}

/// The counts of columns published unchanged.
#[derive(Debug, Clone, Default)]
pub(crate) struct Measures {
    /// Rows counted.
    rows: u64,
    columns: Vec<TellingColumn>,
    /// Protected columns, and how much of each all kept columns together reveal, if there are several.
    told_together: Vec<(String, f64)>,
    /// How all kept columns together split the classes; only for a release that has some.
    divided_classes: Option<Spread>,
    /// For each sensitive column, what all other columns published unchanged reveal about it together; only for a
    /// release.
    groups: Vec<HomogeneousGroups>,
}

impl Measures {
    /// Adds those of other columns.
    pub(crate) fn add(&mut self, others: Measures) {
        self.rows = others.rows;
        self.columns.extend(others.columns);
    }

    /// Of the sensitive columns and targets of a raw table: what they reveal about its quasi-identifiers, and targets
    /// about its sensitive columns. All of it was counted with the tuples. What one sensitive column reveals about
    /// another is reported only for a release, since both are protected.
    pub(crate) fn of_counted(
        plan: &Plan,
        counter: &RowCounter,
    ) -> Result<Measures, incrowd_core::Error> {
        let mut measures = Measures {
            rows: counter.rows(),
            ..Measures::default()
        };
        let quasi_identifiers = plan.quasi_identifiers.len();
        let names = |at: usize| match at.checked_sub(quasi_identifiers) {
            None => plan.names[plan.quasi_identifiers[at]].clone(),
            Some(at) => plan.names[plan.counted()[at]].clone(),
        };
        let numbered = |at: usize| {
            let codes = counter.codes(at)?.into_iter();
            Ok::<_, incrowd_core::Error>(Numbered::new(codes.map(|code| code.0).collect()))
        };
        if plan.counted().is_empty() {
            return Ok(measures);
        }
        let sizes = counter.sizes()?;
        let sensitive = quasi_identifiers..quasi_identifiers + plan.sensitive.len();
        for at in quasi_identifiers..quasi_identifiers + plan.counted().len() {
            let is_sensitive = sensitive.contains(&at);
            let column = numbered(at)?;
            let teller = Teller::new(&sizes, &column);
            let protected = match is_sensitive {
                true => 0..quasi_identifiers,
                false => 0..sensitive.end,
            };
            let role = match is_sensitive {
                true => UnchangedRole::Sensitive,
                false => UnchangedRole::Target,
            };
            let mut told = Vec::new();
            let mut given_away = Vec::new();
            for other in protected {
                let values = numbered(other)?;
                let share = teller.share(&values);
                if let Some(share) = share.filter(|_| has_ground(role, &teller)) {
                    told.push((names(other), share));
                }
                if sensitive.contains(&other) {
                    given_away.push((names(other), teller.given_away(&values)));
                }
            }
            measures.columns.push(TellingColumn {
                name: names(at),
                role,
                // Which rows have which value is for the report of the release.
                kind: Kind::Text,
                looks: None,
                spread: Spread {
                    distinct: 0,
                    singled_out: 0,
                    is_exact: true,
                },
                told,
                given_away,
            });
        }
        Ok(measures)
    }
}

/// The counts of a column published unchanged.
#[derive(Debug, Clone)]
struct TellingColumn {
    name: String,
    role: UnchangedRole,
    kind: Kind,
    looks: Option<LooksLike>,
    spread: Spread,
    /// Protected columns, and how much of each it reveals.
    told: Vec<(String, f64)>,
    /// Sensitive columns, and what it reveals about each with certainty.
    given_away: Vec<(String, GivenAway)>,
}

/// Groups of rows that nothing else in a release distinguishes, and that share one sensitive value.
#[derive(Debug, Clone)]
struct HomogeneousGroups {
    /// The sensitive column.
    column: String,
    groups: u64,
    rows: u64,
    is_exact: bool,
}

/// The distribution of rows over values.
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
