//! A new table in an engine, as a sink for a release.
//!
//! Rows go to a draft under a name that nobody knows, in a transaction that nobody sees. When all are there, they are
//! counted inside the engine and compared with what was checked; only then the draft gets its name, and the last step
//! makes it visible. A sink that is dropped before ends its session, and the engine undoes everything. Where there are no
//! transactions, the draft is a table that others could see, and giving it its name is the last step itself.

use crate::address::{Address, TableName, What};
use crate::column::Column;
use crate::connection::Found;
use crate::error::{Doing, Error};
use crate::group_query::GroupQuery;
use crate::recode::{Joined, columns_of};
use crate::recount::{LeftOut, Places, Written as WrittenRows};
use crate::relation::{Relation, check_alike};
use crate::session::{Session, cancel, unique_name};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use incrowd_core::publish::{Confirmation, PublishedRows, ReleaseMap, Tally};
use incrowd_io::{
    Cancel, ColumnType, EngineFacts, Fingerprint, LastStep, NewTable, Publishing, RowSink,
    RowsHasher, TakeGroups, Written,
};
use std::ops::ControlFlow;
use std::sync::Arc;

/// A new table.
pub(crate) struct SqlSink {
    session: Arc<Session>,
    /// The table that the rows come from, if it is in the same session.
    source: Option<Arc<Relation>>,
    target: TableName,
    draft: TableName,
    columns: Vec<(String, bool)>,
    replaces: bool,
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
    /// cannot be created.
    pub(crate) fn create(
        session: Arc<Session>,
        source: Option<Arc<Relation>>,
        address: &Address,
        table: &NewTable<'_>,
    ) -> Result<SqlSink, incrowd_io::Error> {
        let What::Table(target) = &address.what else {
            return Err(Error::TargetIsQuery.into());
        };
        let names: Vec<String> = table.columns.iter().map(|(name, _)| name.clone()).collect();
        check_alike(&session, &names)?;
        check_lengths(&session, target, &names)?;
        match session.connection.find(target)? {
            None => {}
            Some(_) if table.replaces && target.as_path().is_some() => {
                return Err(Error::PathNotReplaced.into());
            }
            Some(Found::Table) if table.replaces => {}
            Some(Found::Table) => {
                return Err(Error::TargetExists {
                    table: target.to_string(),
                }
                .into());
            }
            Some(Found::Other) => {
                return Err(Error::TargetNotTable {
                    table: target.to_string(),
                }
                .into());
            }
        }
        if let Some(source) = &source {
            check_kinds(source, table.columns)?;
            if table.replaces && session.connection.find(target)?.is_some() {
                keep_source(&session, source, target)?;
            }
        }
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
            draft,
            columns: table.columns.to_vec(),
            replaces: table.replaces,
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
        joined.write(&session, map, &self.columns, &self.draft, how.shuffles)?;
        let mut tally = Tally::of(map);
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        let written = WrittenRows::new(map, Places::of(map, &names)?, session.engine());
        let mut failed = None;
        let fingerprint = recount(&session, &self.draft, &mut |rows, sizes| {
            for (row, &size) in sizes.iter().enumerate() {
                if let Err(error) = written.count(rows, row, size, &mut tally) {
                    failed = Some(error);
                    return ControlFlow::Break(());
                }
            }
            take(rows, sizes)
        })?;
        failed.map_or(Ok(()), Err)?;
        let leaves_out = map.excludes_missing() || map.classes().is_suppressed.contains(&true);
        if leaves_out {
            self.count_left_out(source, map, &joined, &mut tally)?;
        }
        self.state = State::Recoded(fingerprint);
        Ok(tally)
    }

    /// Counts the rows of the source that were not written.
    fn count_left_out(
        &self,
        source: &Relation,
        map: &ReleaseMap,
        joined: &Joined,
        tally: &mut Tally,
    ) -> Result<(), Error> {
        let names = map.attributes().iter().map(|it| &it.name);
        let counted = map.counted().iter().map(|it| &it.name);
        // A column may be among both.
        let mut names: Vec<&String> = names.chain(counted).collect();
        names.sort_unstable();
        names.dedup();
        let columns = columns_of(source, names.iter().copied())?;
        let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
        let left_out = LeftOut::new(map, Places::of(map, &names)?, self.session.engine());
        let query = GroupQuery::of(&self.session, &columns, &joined.rows_left_out());
        let mut failed = None;
        query.run(&self.session, Doing::Recounting, &mut |rows, sizes| {
            for (row, &size) in sizes.iter().enumerate() {
                if let Err(error) = left_out.count(rows, row, size, tally) {
                    failed = Some(error);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// Gives the draft its name.
    fn publish(&self) -> Result<(), Error> {
        let found = self.session.connection.find(&self.target)?;
        if found.is_some() && !self.replaces {
            return Err(Error::TargetExists {
                table: self.target.to_string(),
            });
        }
        let dialect = self.session.dialect;
        let statements = dialect.publish(&self.draft, &self.target, found.is_some());
        let published = self.session.execute_all(&statements, Doing::Publishing);
        published.map_err(|error| error.about_target(&self.target.to_string()))
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

/// Publishes a draft with these rows where there are no transactions.
fn publish_alone(
    session: &Session,
    draft: &TableName,
    target: &TableName,
    replaces: bool,
    rows: Fingerprint,
) -> Result<(), Error> {
    let connection = &session.connection;
    let published = connection.publish(draft, target, replaces);
    if target.as_path().is_none() {
        return published.map_err(|error| error.about_target(&target.to_string()));
    }
    // A directory gets a copy, which may differ.
    let is_same = published.and_then(|()| {
        let found = recount(session, target, &mut |_, _| ControlFlow::Continue(()))?;
        match found == rows {
            true => Ok(()),
            false => Err(Error::DraftDiffers {
                engine: session.engine(),
                what: "the copy in its directory has other rows",
            }),
        }
    });
    is_same.map_err(|error| match (error, connection.withdraw(draft, target)) {
        (error @ (Error::TargetExists { .. } | Error::TargetNotTable { .. }), _) => error,
        (error, Ok(())) => error,
        (_, Err(_)) => Error::PublishingUnknown {
            engine: session.engine(),
            table: target.to_string(),
        },
    })
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

/// Names that an engine would cut are refused: two could become one.
fn check_lengths(session: &Session, target: &TableName, names: &[String]) -> Result<(), Error> {
    let positions = (1..).map(|at| format!("column {at} of the release"));
    let columns = positions.zip(names);
    let parts = target.0.iter().map(|part| ("the table".to_owned(), part));
    for (what, name) in parts.chain(columns) {
        if name.contains('\0') {
            return Err(Error::NameBroken { what });
        }
        if let Some(limit) = session.dialect.longest_name().filter(|it| name.len() > *it) {
            return Err(Error::NameTooLong {
                what,
                bytes: name.len(),
                limit,
                engine: session.engine(),
            });
        }
    }
    Ok(())
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
            self.sent.add(cells, 1);
        }
        self.bytes += rows.byte_len() as u64;
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
        match last {
            Some(last) => last().map(|()| written),
            None => Ok(written),
        }
    }

    fn finish_but_one(
        mut self: Box<Self>,
        _: Confirmation,
    ) -> Result<(Written, Option<LastStep>), incrowd_io::Error> {
        self.create_draft()?;
        let sha256 = match &self.state {
            State::Recoded(fingerprint) => *fingerprint,
            State::Begun(_) | State::Filled => {
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
        if has_transactions {
            self.publish()?;
        }
        let written = Written {
            sha256,
            bytes: self.bytes,
        };
        let (session, table) = (Arc::clone(&self.session), self.target.to_string());
        let last = move || {
            let committed = match has_transactions {
                true => session.connection.commit(),
                false => {
                    let (draft, target) = (&self.draft, &self.target);
                    publish_alone(&session, draft, target, self.replaces, sha256)
                }
            };
            committed.map_err(|error| match error {
                Error::ConnectionLost { engine, .. } => Error::PublishingUnknown { engine, table },
                error => error.about_target(&table),
            })?;
            Ok(())
        };
        Ok((written, Some(Box::new(last))))
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
        Some(self.session.facts(self.target.told()))
    }

    fn cancel(&self) -> Option<Cancel> {
        Some(cancel(&self.session))
    }
}
