//! A new table in an engine, as a sink for a release.
//!
//! Rows go to a draft under a name that nobody knows, in a transaction that nobody sees. When all are there, they are
//! counted inside the engine and compared with what was checked; only then the draft gets its name, and the last step
//! makes it visible. A sink that is dropped before ends its session, and the engine undoes everything. Where there are no
//! transactions, the draft is a table that others could see, and giving it its name is the last step itself.

use crate::address::{Address, TableName, What};
use crate::column::Column;
use crate::connection::{DataFile, Found};
use crate::error::{Doing, Error};
use crate::group_query::{GroupQuery, count_rows};
use crate::kept::KeptCells;
use crate::recode::{Joined, columns_of};
use crate::recount::{LeftOut, Places, Written as WrittenRows};
use crate::relation::{Relation, check_alike, check_length, check_lengths};
use crate::session::{Session, cancel, unique_name};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use incrowd_core::publish::{Confirmation, PublishedRows, ReleaseMap, Tally};
use incrowd_io::{
    Approach, Cancel, ColumnType, EngineFacts, Fingerprint, LastStep, NewTable, Publishing,
    RowSink, RowsHasher, TakeGroups, Written,
};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

/// A new table.
pub(crate) struct SqlSink {
    session: Arc<Session>,
    /// The table that the rows come from, if it is in the same session.
    source: Option<Arc<Relation>>,
    target: TableName,
    /// The target, as the address names it.
    named: TableName,
    draft: TableName,
    columns: Vec<(String, bool)>,
    replaces: bool,
    /// The table that is there when the job begins, as far as the engine can tell it from others.
    replaced: Option<String>,
    /// Whether the draft has its name, which nobody had. Nobody else sees it yet.
    is_named: bool,
    /// The files of the draft, as they were before it was counted; none if the engine does not say.
    counted_files: Option<Vec<DataFile>>,
    /// Of the rows that were sent.
    sent: RowsHasher,
    bytes: u64,
    state: State,
}

/// How far it is.
enum State {
    /// There is no draft yet; its columns are of these types once they are known.
    Begun(Option<Vec<ColumnType>>),
    /// Rows are being sent to the draft.
    Filled,
    /// The engine has written and counted all rows, with this result.
    Recoded(Fingerprint),
}

impl SqlSink {
    /// A new table at an address in the session's engine. Refused now rather than after a long run if it is there, or
    /// cannot be created. `beside` is the source, if it is read by
    /// another session.
    pub(crate) fn create(
        session: Arc<Session>,
        source: Option<Arc<Relation>>,
        beside: Option<&Relation>,
        address: &Address,
        table: &NewTable<'_>,
    ) -> Result<SqlSink, incrowd_io::Error> {
        let What::Table(target) = &address.what else {
            return Err(Error::TargetIsQuery.into());
        };
        if target.is_read_only() {
            return Err(Error::BadAddress {
                what: "a release cannot be written to a path as `delta`; write to a table, or to a path as `parquet`",
            }
            .into());
        }
        let names: Vec<String> = table.columns.iter().map(|(name, _)| name.clone()).collect();
        check_alike(&session, &names)?;
        check_lengths(&session, target)?;
        for (at, name) in (1..).zip(&names) {
            check_length(&session, format!("column {at} of the release"), name)?;
        }
        let named = target;
        let target = &session.connection.whole_name(named)?;
        if session.dialect.is_reserved(target) {
            return Err(Error::BadAddress {
                what: "a release cannot be a temporary table, or one of the system",
            }
            .into());
        }
        match session.connection.find(target)? {
            None => {}
            Some(_) if table.replaces && target.as_path().is_some() => {
                return Err(Error::PathNotReplaced.into());
            }
            Some(Found::Table) if table.replaces => {}
            Some(Found::Table) => {
                return Err(Error::TargetExists {
                    table: named.to_string(),
                }
                .into());
            }
            Some(Found::Other) => {
                return Err(Error::TargetNotTable {
                    table: named.to_string(),
                }
                .into());
            }
        }
        if let Some(source) = &source {
            check_kinds(source, table.columns)?;
            source.keep(table.kept);
            if table.replaces && session.connection.find(target)?.is_some() {
                keep_source(&session, source, target)?;
            }
        }
        // Two sessions of one job would wait for each other for ever, or one would drop what the other reads.
        if let Some(beside) = beside.filter(|_| table.replaces)
            && is_read(&session, beside, target)?
        {
            return Err(Error::TargetInUse {
                table: named.to_string(),
            }
            .into());
        }
        let replaced = session.connection.identity(target)?;
        let draft = session.dialect.draft(target, &unique_name("draft"));
        session.connection.keep_as_draft(&draft);
        let (create, drop) = {
            let draft = session.dialect.table(&draft);
            (
                format!("CREATE TABLE {draft} (x INT)"),
                format!("DROP TABLE {draft}"),
            )
        };
        session.execute_all(&[create, drop], Doing::Preparing)?;
        Ok(SqlSink {
            sent: RowsHasher::new(&names),
            session,
            source,
            target: target.clone(),
            named: named.clone(),
            draft,
            columns: table.columns.to_vec(),
            replaces: table.replaces,
            replaced,
            is_named: false,
            counted_files: None,
            bytes: 0,
            state: State::Begun(None),
        })
    }

    /// Creates the draft for rows that are sent.
    fn create_draft(&mut self) -> Result<(), Error> {
        let State::Begun(types) = &self.state else {
            return Ok(());
        };
        let dialect = self.session.dialect;
        let draft = dialect.table(&self.draft);
        let statement = match (&self.source, types) {
            // What is published unchanged keeps the very type that it has.
            (Some(source), Some(_)) => {
                let cells = self.columns.iter().map(|(name, is_text)| {
                    let name = dialect.quote(name);
                    match is_text {
                        true => format!(
                            "CAST(NULL AS {}) AS {name}",
                            dialect.stored(&DataType::Utf8)
                        ),
                        false => format!("t.{name} AS {name}"),
                    }
                });
                let cells = cells.collect::<Vec<_>>().join(", ");
                let from = &source.sql;
                format!("CREATE TABLE {draft} AS SELECT {cells} FROM {from} AS t WHERE 1 = 0")
            }
            (_, types) => {
                let columns = self.columns.iter().enumerate();
                let columns = columns.map(|(at, (name, is_text))| {
                    let kind = types.as_ref().and_then(|types| types.get(at));
                    let kind = kind.filter(|_| !is_text).map(ColumnType::to_arrow);
                    let kind = dialect.stored(&kind.unwrap_or(DataType::Utf8));
                    format!("{} {kind}", dialect.quote(name))
                });
                let columns = columns.collect::<Vec<_>>().join(", ");
                format!("CREATE TABLE {draft} ({columns})")
            }
        };
        self.session
            .connection
            .execute(&statement, Doing::Writing)?;
        self.state = State::Filled;
        Ok(())
    }

    /// Has the engine write and count everything.
    fn recode_inside(
        &mut self,
        source: &Relation,
        map: &ReleaseMap,
        how: Publishing,
        take: TakeGroups<'_>,
    ) -> Result<Tally, Error> {
        let session = Arc::clone(&self.session);
        let joined = Joined::upload(&session, source, map)?;
        joined.write(
            &session,
            source,
            map,
            &self.columns,
            &self.draft,
            how.shuffles,
        )?;
        self.name_early()?;
        self.counted_files = self.files_of_draft()?;
        let mut tally = Tally::of(map);
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        let written = WrittenRows::new(map, Places::of(map, &names)?, session.engine());
        let kept_columns = source.kept_columns();
        let mut kept = KeptCells::of(&kept_columns, &names);
        let mut total = Total::default();
        let mut failed = None;
        let fingerprint = recount(&session, &self.draft, &mut |rows, sizes| {
            for (row, &size) in sizes.iter().enumerate() {
                if let Some(kept) = &mut kept {
                    kept.add(rows, row, size);
                }
                let counted = total.add(size);
                let counted = counted.and_then(|()| written.count(rows, row, size, &mut tally));
                if let Err(error) = counted {
                    failed = Some(error);
                    return ControlFlow::Break(());
                }
            }
            take(rows, sizes)
        })?;
        failed.map_or(Ok(()), Err)?;
        let leaves_out = map.excludes_missing() || map.classes().is_suppressed.contains(&true);
        if leaves_out {
            let met = (&mut tally, &mut total);
            self.count_left_out(source, map, &joined, met, kept.as_mut())?;
        }
        if let Some(kept) = kept
            && source.kept_cells() != Some(kept.fingerprint())
        {
            return Err(Error::InputChanged);
        }
        self.check_missing(source, map)?;
        self.state = State::Recoded(fingerprint);
        Ok(tally)
    }

    /// Counts the rows of the source that were not written.
    fn count_left_out(
        &self,
        source: &Relation,
        map: &ReleaseMap,
        joined: &Joined,
        (tally, total): (&mut Tally, &mut Total),
        mut kept: Option<&mut KeptCells>,
    ) -> Result<(), Error> {
        let kept_columns = source.kept_columns();
        let names = map.attributes().iter().map(|it| &it.name);
        let counted = map.counted().iter().map(|it| &it.name);
        // A column may be among several.
        let mut names: Vec<&String> = names.chain(counted).chain(&kept_columns).collect();
        names.sort_unstable();
        names.dedup();
        let columns = columns_of(source, names.iter().copied())?;
        let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
        let left_out = LeftOut::new(map, Places::of(map, &names)?, self.session.engine());
        if let Some(kept) = &mut kept {
            let found = kept.in_rows_of(&kept_columns, &names);
            found.ok_or(Error::InputChanged)?;
        }
        let query = GroupQuery::of(&self.session, &columns, &joined.rows_left_out());
        let mut failed = None;
        query.run(&self.session, Doing::Recounting, &mut |rows, sizes| {
            for (row, &size) in sizes.iter().enumerate() {
                if let Some(kept) = &mut kept {
                    kept.add(rows, row, size);
                }
                let counted = total.add(size);
                let counted = counted.and_then(|()| left_out.count(rows, row, size, tally));
                if let Err(error) = counted {
                    failed = Some(error);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// Missing cells of counted columns must be of one form, of which there are two where there are texts.
    fn check_missing(&self, source: &Relation, map: &ReleaseMap) -> Result<(), Error> {
        let dialect = self.session.dialect;
        let mut conditions = Vec::new();
        for counted in map.counted() {
            let is_generalized = map.attributes().iter().any(|it| it.name == counted.name);
            let column = columns_of(source, [&counted.name].into_iter())?[0];
            let has_missing = counted.values.lookup(b"").is_some();
            if has_missing && !is_generalized && column.kind == DataType::Utf8 {
                conditions.push(dialect.equal(&column.compared(dialect, "t"), "''"));
            }
        }
        if conditions.is_empty() {
            return Ok(());
        }
        let draft = dialect.table(&self.draft);
        let from = format!("{draft} AS t WHERE {}", conditions.join(" OR "));
        match count_rows(&self.session, &from, Doing::Recounting)? {
            0 => Ok(()),
            _ => Err(Error::DraftDiffers {
                engine: self.session.engine(),
                what: "a missing cell is an empty text",
            }),
        }
    }

    /// The files of the draft; none where a transaction holds it still.
    fn files_of_draft(&self) -> Result<Option<Vec<DataFile>>, Error> {
        files_of(&self.session, &self.draft)
    }

    /// Gives the draft its name before it is counted, if nobody has the name. Others keep reading a table that is to be
    /// replaced until the last moment, so then it is counted twice.
    fn name_early(&mut self) -> Result<(), Error> {
        let has_transactions = self.session.dialect.has_transactions();
        if has_transactions && self.session.connection.find(&self.target)?.is_none() {
            self.publish()?;
            self.draft = self.target.clone();
            self.is_named = true;
        }
        Ok(())
    }

    /// Gives the draft its name.
    fn publish(&self) -> Result<(), Error> {
        let connection = &self.session.connection;
        let found = connection.find(&self.target)?;
        // Somebody may have put another table in its place.
        let is_other = || Ok(connection.identity(&self.target)? != self.replaced);
        if found.is_some() && (!self.replaces || is_other()?) {
            return Err(Error::TargetExists {
                table: self.named.to_string(),
            });
        }
        let dialect = self.session.dialect;
        let statements = dialect.publish(&self.draft, &self.target, found.is_some());
        let published = self.session.execute_all(&statements, Doing::Publishing);
        published.map_err(|error| error.about_target(&self.named.to_string()))
    }
}

/// All rows met, of which there must not be more than a tally can count: it would begin again from zero.
#[derive(Default)]
struct Total(u32);

impl Total {
    fn add(&mut self, rows: u32) -> Result<(), Error> {
        self.0 = self.0.checked_add(rows).ok_or(Error::InputChanged)?;
        Ok(())
    }
}

/// Counts the rows of a table that was written, and takes their fingerprint.
fn recount(
    session: &Session,
    table: &TableName,
    take: TakeGroups<'_>,
) -> Result<Fingerprint, Error> {
    let dialect = session.dialect;
    let table = dialect.table(table);
    let declared = (session.connection).describe(&format!("SELECT * FROM {table} AS t"))?;
    let columns: Vec<Column> = declared.into_iter().map(|it| dialect.column(it)).collect();
    let chosen: Vec<&Column> = columns.iter().collect();
    let query = GroupQuery::of(session, &chosen, &format!("{table} AS t"));
    let mut hasher = RowsHasher::new(columns.iter().map(|it| &it.name));
    query.run(session, Doing::Recounting, &mut |rows, sizes| {
        for (row, &size) in sizes.iter().enumerate() {
            let cells = (0..rows.columns()).map(|at| rows.cell(row, at));
            hasher.add(cells, size.into());
        }
        take(rows, sizes)
    })?;
    Ok(hasher.fingerprint())
}

/// Whether a table under its final name has the rows that were checked.
fn check_rows(session: &Session, table: &TableName, rows: Fingerprint) -> Result<(), Error> {
    let found = recount(session, table, &mut |_, _| ControlFlow::Continue(()))?;
    match found == rows {
        true => Ok(()),
        false => Err(Error::DraftDiffers {
            engine: session.engine(),
            what: "it has other rows under its final name",
        }),
    }
}

/// Copies a draft with these rows to a path, and counts the copy.
fn copy_alone(
    session: &Session,
    draft: &TableName,
    target: &TableName,
    rows: Fingerprint,
) -> Result<(), Error> {
    session.connection.copy(draft, target)?;
    check_rows(session, target, rows).map_err(|error| match target.as_path() {
        // Somebody else may have written there at the same moment, so that nothing of it can be taken back.
        Some((_, path)) => Error::PathUnfinished {
            path: path.to_owned(),
            is_empty: false,
            cause: Box::new(error),
        },
        None => error,
    })
}

/// The files of a table; none where a transaction holds it still, or if the engine does not say.
fn files_of(session: &Session, table: &TableName) -> Result<Option<Vec<DataFile>>, Error> {
    let query = format!("SELECT * FROM {} AS t", session.dialect.table(table));
    session.connection.files(&query)
}

/// Whether a table consists of these files, in whatever folder, and all of them are of the same size and age. Where the engine
/// does not say, nobody knows: a name alone does not tell who wrote to the file.
fn has_files(session: &Session, table: &TableName, files: &[DataFile]) -> bool {
    let is_known = !files.is_empty() && files.iter().all(|file| file.state.is_some());
    if !is_known {
        return false;
    }
    let Ok(Some(found)) = files_of(session, table) else {
        return false;
    };
    let alone: BTreeSet<_> = files.iter().map(DataFile::alone).collect();
    let found: BTreeSet<_> = found.iter().map(DataFile::alone).collect();
    alone.len() == files.len() && alone == found
}

/// Publishes a draft with these rows where there are no transactions. What is seen afterwards must consist of the files that
/// were counted, or is counted; a table that is not the draft is taken back.
fn publish_alone(
    session: &Session,
    draft: &TableName,
    target: &TableName,
    replaces: bool,
    (rows, files): (Fingerprint, &[DataFile]),
) -> Result<(), Error> {
    let connection = &session.connection;
    let name = target.to_string();
    let published = connection.publish(draft, target, replaces);
    published.map_err(|error| error.about_target(&name))?;
    let is_same = has_files(session, target, files);
    let checked = (!is_same).then(|| check_rows(session, target, rows));
    let Some(Err(error)) = checked else {
        return connection.conclude(target);
    };
    let unknown = || Error::PublishingUnknown {
        engine: session.engine(),
        table: name.clone(),
        ask: None,
    };
    if matches!(error, Error::ConnectionLost { .. }) {
        // It is the draft under another name; nobody could take it back now.
        return Err(unknown());
    }
    Err(match connection.withdraw(target) {
        Ok(()) => error,
        Err(error @ (Error::OldTableStays { .. } | Error::OldTableDropped { .. })) => error,
        Err(_) => unknown(),
    })
}

/// Whether the target is what another session of the job reads.
fn is_read(session: &Session, source: &Relation, target: &TableName) -> Result<bool, Error> {
    let connection = &session.connection;
    if let Some(sign) = source.session.connection.sign() {
        return connection.is_read_by(sign, target);
    }
    let Some(files) = &source.files else {
        return Ok(false);
    };
    if connection.find(target)?.is_none() {
        return Ok(false);
    }
    let target = files_of(session, target)?.unwrap_or_default();
    let is_in = |file: &DataFile| files.iter().any(|it| it.name == file.name);
    Ok(target.iter().any(is_in))
}

/// Makes sure that nothing is dropped that the job reads.
fn keep_source(session: &Session, source: &Relation, target: &TableName) -> Result<(), Error> {
    if !session.dialect.refuses_to_drop_what_is_read() {
        // What a view or a query reads is not known here.
        let mut plain = source.plain.iter();
        let is_other = |it: &TableName| it.last().to_lowercase() != target.last().to_lowercase();
        return match plain.any(is_other) {
            true => Ok(()),
            false => Err(Error::TargetInUse {
                table: target.to_string(),
            }),
        };
    }
    let name = session.dialect.quote(&unique_name("source"));
    let relation = &source.sql;
    let view = format!("CREATE TEMPORARY VIEW {name} AS SELECT * FROM {relation} AS t");
    session.connection.execute(&view, Doing::Preparing)
}

/// Only single values can be generalized.
fn check_kinds(source: &Relation, columns: &[(String, bool)]) -> Result<(), Error> {
    let is_generalized = |name: &String| columns.iter().any(|it| it.1 && it.0 == *name);
    let mut columns = source.columns.iter();
    match columns.find(|column| !column.is_single && is_generalized(&column.name)) {
        None => Ok(()),
        Some(column) => Err(Error::Unsupported {
            column: column.name.clone(),
            kind: column.declared.clone(),
        }),
    }
}

impl RowSink for SqlSink {
    fn keeps_types(&self) -> bool {
        true
    }

    fn begin(
        &mut self,
        _columns: &[String],
        types: Option<Vec<ColumnType>>,
    ) -> Result<(), incrowd_io::Error> {
        self.state = State::Begun(types);
        Ok(())
    }

    fn write(&mut self, rows: &PublishedRows) -> Result<(), incrowd_io::Error> {
        self.create_draft()?;
        let rows = rows.rows();
        let mut arrays = Vec::new();
        for at in 0..rows.columns() {
            let cells = (0..rows.rows()).map(|row| {
                let cell = std::str::from_utf8(rows.cell(row, at)).unwrap_or_default();
                Some(cell).filter(|cell| !cell.is_empty())
            });
            arrays.push(Arc::new(cells.collect::<StringArray>()) as ArrayRef);
        }
        for row in 0..rows.rows() {
            let cells = (0..rows.columns()).map(|at| rows.cell(row, at));
            self.bytes += cells.clone().map(|cell| cell.len() as u64).sum::<u64>();
            self.sent.add(cells, 1);
        }
        let fields = self.columns.iter();
        let fields = fields.map(|(name, _)| Field::new(name, DataType::Utf8, true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let batch = RecordBatch::try_new(schema, arrays).map_err(|_| Error::DraftDiffers {
            engine: self.session.engine(),
            what: "rows have other columns than the release",
        })?;
        let draft = self.session.dialect.table(&self.draft);
        Ok((self.session.connection).upload(&draft, &batch, Doing::Writing)?)
    }

    fn finish(self: Box<Self>, confirmation: Confirmation) -> Result<Written, incrowd_io::Error> {
        let (written, last) = self.finish_but_one(confirmation)?;
        last.map_or(Ok(()), LastStep::take)?;
        Ok(written)
    }

    fn finish_but_one(
        mut self: Box<Self>,
        _: Confirmation,
    ) -> Result<(Written, Option<LastStep>), incrowd_io::Error> {
        self.create_draft()?;
        let sha256 = match &self.state {
            State::Recoded(fingerprint) => *fingerprint,
            State::Begun(_) | State::Filled => {
                self.name_early()?;
                self.counted_files = self.files_of_draft()?;
                let found = recount(&self.session, &self.draft, &mut |_, _| {
                    ControlFlow::Continue(())
                })?;
                if found != self.sent.fingerprint() {
                    return Err(Error::DraftDiffers {
                        engine: self.session.engine(),
                        what: "its rows are not those that were sent",
                    }
                    .into());
                }
                found
            }
        };
        if let Some(source) = &self.source {
            source.check_files()?;
        }
        let has_transactions = self.session.dialect.has_transactions();
        if has_transactions && !self.is_named {
            self.publish()?;
            check_rows(&self.session, &self.target, sha256)?;
        }
        let written = Written {
            sha256,
            bytes: self.bytes,
        };
        let sink = *self;
        let about = |error: Error, sink: &SqlSink| error.about_target(&sink.named.to_string());
        let last = if has_transactions {
            LastStep {
                approach: None,
                step: Box::new(move || {
                    let committed = sink.session.connection.commit();
                    Ok(committed.map_err(|error| about(error, &sink))?)
                }),
            }
        } else if let Some((_, path)) = sink.target.as_path() {
            LastStep {
                approach: Some(Approach {
                    place: path.to_owned(),
                    step: Box::new(move || {
                        let copied = copy_alone(&sink.session, &sink.draft, &sink.target, sha256);
                        Ok(copied.map_err(|error| about(error, &sink))?)
                    }),
                }),
                step: Box::new(|| Ok(())),
            }
        } else {
            LastStep {
                approach: None,
                step: Box::new(move || {
                    let SqlSink {
                        session,
                        draft,
                        target,
                        ..
                    } = &sink;
                    let files = sink.counted_files.as_deref().unwrap_or_default();
                    let checked = (sha256, files);
                    let published = publish_alone(session, draft, target, sink.replaces, checked);
                    Ok(published.map_err(|error| about(error, &sink))?)
                }),
            }
        };
        Ok((written, Some(last)))
    }

    fn recode(
        &mut self,
        map: &Arc<ReleaseMap>,
        how: Publishing,
        take: TakeGroups<'_>,
    ) -> Option<Result<Tally, incrowd_io::Error>> {
        let source = self.source.clone()?;
        // Rows of `*` and rows that several classes share are recoded here and sent back.
        let is_shared = map.tuples().is_some_and(|tuples| tuples.shares.is_some());
        if how.stars || is_shared {
            return None;
        }
        let tally = self.recode_inside(&source, map, how, take);
        Some(tally.map_err(incrowd_io::Error::from))
    }

    fn engine(&self) -> Option<EngineFacts> {
        Some(self.session.facts(self.named.told()))
    }

    fn cancel(&self) -> Option<Cancel> {
        Some(cancel(&self.session))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_no_tally_can_count_are_refused_and_never_wrapped() {
        let mut total = Total::default();
        total.add(u32::MAX - 1).unwrap();
        total.add(1).unwrap();
        assert!(matches!(total.add(1), Err(Error::InputChanged)));
    }
}
