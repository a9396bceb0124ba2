//! A table in an engine, as a source of rows.

use crate::address::Address;
use crate::column::Column;
use crate::connection::Cursor;
use crate::error::{Doing, Error};
use crate::group_query::{GroupQuery, count_rows, texts_of};
use crate::kept::KeptCells;
use crate::relation::Relation;
use crate::session::{Session, cancel};
use incrowd_core::table::RowBatch;
use incrowd_io::{
    Cancel, ColumnType, EngineFacts, EngineHandle, Fingerprint, GroupRoom, RowReader, RowSource,
    RowsHasher, RowsSeal, TakeGroups,
};
use std::sync::{Arc, Mutex, PoisonError};

/// A table, a view or a query.
#[derive(Debug)]
pub(crate) struct SqlTable {
    relation: Arc<Relation>,
    /// The columns whose cells make the fingerprint: those that were counted, once they were.
    fingerprinted: Arc<Mutex<Vec<usize>>>,
}

impl SqlTable {
    /// The table at an address of the session's engine.
    pub(crate) fn open(
        session: Arc<Session>,
        address: &Address,
    ) -> Result<SqlTable, incrowd_io::Error> {
        let relation = Relation::open(session, address)?;
        let all = (0..relation.columns.len()).collect();
        Ok(SqlTable {
            relation: Arc::new(relation),
            fingerprinted: Arc::new(Mutex::new(all)),
        })
    }

    /// A pass over all rows, or over so many.
    fn reader(&self, limit: Option<u64>) -> Box<dyn RowReader + Send> {
        let fingerprinted = self.fingerprinted.lock();
        let fingerprinted = fingerprinted
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        Box::new(SqlReader {
            hasher: hasher(&self.relation, &fingerprinted),
            fingerprinted,
            of_all_passes: Arc::clone(&self.fingerprinted),
            table: Arc::clone(&self.relation),
            limit,
            cursor: None,
            rows: 0,
            bytes: 0,
            is_at_end: false,
        })
    }
}

impl RowSource for SqlTable {
    fn name(&self) -> String {
        self.relation.name.clone()
    }

    fn bytes_total(&self) -> Option<u64> {
        None
    }

    fn open(&self) -> Result<Box<dyn RowReader + Send>, incrowd_io::Error> {
        Ok(self.reader(None))
    }

    fn open_some(
        &self,
        rows: u64,
        _: Option<&RowsSeal>,
    ) -> Result<Box<dyn RowReader + Send>, incrowd_io::Error> {
        Ok(self.reader(Some(rows)))
    }

    fn handle(&self) -> Option<EngineHandle> {
        let relation = Arc::clone(&self.relation);
        Some(EngineHandle::new(relation))
    }

    fn engine(&self) -> Option<EngineFacts> {
        let relation = &self.relation;
        let facts = relation.session.facts(relation.table.clone());
        Some(EngineFacts {
            snapshot: relation.snapshot(),
            ..facts
        })
    }

    fn cancel(&self) -> Option<Cancel> {
        Some(cancel(&self.relation.session))
    }
}

fn hasher(table: &Relation, columns: &[usize]) -> RowsHasher {
    RowsHasher::new(columns.iter().map(|&at| table.names[at].as_str()))
}

/// A pass over a table.
struct SqlReader {
    table: Arc<Relation>,
    /// For the passes that follow this one.
    of_all_passes: Arc<Mutex<Vec<usize>>>,
    /// How many rows are needed, if not all are.
    limit: Option<u64>,
    cursor: Option<Box<dyn Cursor>>,
    fingerprinted: Vec<usize>,
    hasher: RowsHasher,
    rows: u64,
    bytes: u64,
    is_at_end: bool,
}

impl RowReader for SqlReader {
    fn columns(&self) -> &[String] {
        &self.table.names
    }

    fn read(&mut self, batch: &mut RowBatch) -> Result<bool, incrowd_io::Error> {
        if batch.columns() != self.table.columns.len() {
            *batch = RowBatch::new(self.table.columns.len());
        }
        batch.clear(self.rows);
        if self.is_at_end {
            return Ok(false);
        }
        let Relation {
            session,
            sql,
            columns,
            ..
        } = &*self.table;
        let cursor = match &mut self.cursor {
            Some(cursor) => cursor,
            none => {
                let cells = columns.iter();
                let cells = cells.map(|it| {
                    let cell = it.sent(&it.compared(session.dialect, "t"));
                    format!("{cell} AS {}", session.dialect.quote(&it.name))
                });
                let cells = cells.collect::<Vec<_>>().join(", ");
                let limit = self.limit.map(|rows| format!(" LIMIT {rows}"));
                let limit = limit.unwrap_or_default();
                let query = format!("SELECT {cells} FROM {sql} AS t{limit}");
                none.insert(session.connection.read(&query)?)
            }
        };
        match cursor.next()? {
            Some(rows) => {
                let cells: Vec<usize> = (0..columns.len()).collect();
                texts_of(session, &rows, &cells, Doing::Reading)?.append(&rows, batch);
            }
            None => {
                self.is_at_end = true;
                self.cursor = None;
            }
        }
        for row in 0..batch.rows() {
            let cells = self.fingerprinted.iter().map(|&at| batch.cell(row, at));
            self.hasher.add(cells, 1);
        }
        self.rows += batch.rows() as u64;
        self.bytes += batch.byte_len() as u64;
        match self.rows {
            0 => Err(no_rows(&self.table)),
            _ => Ok(batch.rows() > 0),
        }
    }

    fn bytes_read(&self) -> u64 {
        self.bytes
    }

    fn fingerprint(&mut self) -> Result<Fingerprint, incrowd_io::Error> {
        let mut rest = RowBatch::default();
        while self.read(&mut rest)? {}
        Ok(self.hasher.fingerprint())
    }

    fn fingerprint_only(&mut self, columns: &[usize]) {
        self.fingerprinted = columns.to_vec();
        self.hasher = hasher(&self.table, columns);
    }

    fn delimiter(&self) -> Option<u8> {
        None
    }

    fn types(&self) -> Option<Vec<ColumnType>> {
        let columns = self.table.columns.iter();
        Some(columns.map(|it| ColumnType::of_arrow(&it.kind)).collect())
    }

    fn group(
        &mut self,
        columns: &[usize],
        take: TakeGroups<'_>,
    ) -> Option<Result<(), incrowd_io::Error>> {
        Some(self.group_by(columns, take))
    }

    fn check_groups(
        &mut self,
        columns: &[usize],
        room: GroupRoom,
        at_any_cost: bool,
    ) -> Result<(), incrowd_io::Error> {
        let table = &self.table;
        let from = format!("{} AS t", table.sql);
        // To count the rows of a view or a query may take as long as to group them.
        if !at_any_cost && table.plain.is_none() {
            return Ok(());
        }
        let session = &table.session;
        if let Some([_, after]) = session.dialect.around_stop().filter(|_| at_any_cost) {
            session.connection.execute(after, Doing::Counting)?;
        }
        let rows = count_rows(session, &from, Doing::Counting)?;
        let limit = u64::from(u32::MAX);
        if rows > limit {
            return Err(Error::TooManyRows { rows, limit }.into());
        }
        if room.fits(rows) {
            return Ok(());
        }
        let chosen: Vec<&Column> = columns.iter().map(|&at| &table.columns[at]).collect();
        let query = GroupQuery::of(&table.session, &chosen, &from);
        Ok(query.check_room(&table.session, room)?)
    }
}

impl SqlReader {
    fn group_by(
        &mut self,
        columns: &[usize],
        take: TakeGroups<'_>,
    ) -> Result<(), incrowd_io::Error> {
        let table = Arc::clone(&self.table);
        self.fingerprint_only(columns);
        let fingerprinted = self.of_all_passes.lock();
        let mut fingerprinted = fingerprinted.unwrap_or_else(PoisonError::into_inner);
        fingerprinted.clone_from(&self.fingerprinted);
        drop(fingerprinted);
        let chosen: Vec<&Column> = columns.iter().map(|&at| &table.columns[at]).collect();
        let query = GroupQuery::of(&table.session, &chosen, &format!("{} AS t", table.sql));
        let names: Vec<&str> = chosen.iter().map(|it| it.name.as_str()).collect();
        let mut kept = KeptCells::of(&table.kept_columns(), &names);
        let session = &table.session;
        if let Some([before, _]) = session.dialect.around_stop() {
            session.connection.execute(before, Doing::Counting)?;
        }
        query.run(&table.session, Doing::Counting, &mut |rows, sizes| {
            for (row, &size) in sizes.iter().enumerate() {
                let cells = (0..rows.columns()).map(|at| rows.cell(row, at));
                self.hasher.add(cells, size.into());
                if let Some(kept) = &mut kept {
                    kept.add(rows, row, size);
                }
            }
            self.bytes += rows.byte_len() as u64;
            take(rows, sizes)
        })?;
        if let Some(kept) = kept {
            table.set_kept_cells(kept.fingerprint());
        }
        self.is_at_end = true;
        match self.hasher.rows() {
            0 => Err(no_rows(&table)),
            _ => Ok(()),
        }
    }
}

fn no_rows(table: &Relation) -> incrowd_io::Error {
    incrowd_io::Error::NoRows {
        input: table.name.clone(),
    }
}
