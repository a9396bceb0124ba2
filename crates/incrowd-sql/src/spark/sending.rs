//! Rows on their way to a server, as views of the session.

use super::answer::packed;
use super::connection::{MESSAGE, SparkConnection, Waiting};
use super::messages::{CreateView, LocalRelation, Order, Relation, Rows};
use super::plan::{command, order};
use super::statement::lock;
use crate::dialect::Dialect;
use crate::error::{Doing, Error};
use crate::session::unique_name;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};
use incrowd_core::table::RowBatch;
use incrowd_io::{BatchTexts, array_of_texts};
use std::sync::Arc;

impl SparkConnection {
    /// Keeps rows for a table until there are enough of them.
    pub(super) fn send(&self, table: &str, rows: &RecordBatch, doing: Doing) -> Result<(), Error> {
        let is_other = |waiting: &Waiting| waiting.table != table;
        let is_full = |waiting: &Waiting| waiting.bytes > MESSAGE;
        if is_other(&lock(&self.waiting)) {
            self.flush(doing)?;
        }
        let mut waiting = lock(&self.waiting);
        waiting.table = table.to_owned();
        waiting.bytes += rows.get_array_memory_size();
        waiting.batches.push(rows.clone());
        let is_full = is_full(&waiting);
        drop(waiting);
        match is_full {
            true => self.flush(doing),
            false => Ok(()),
        }
    }

    /// Makes rows a view, in parts if they are many.
    pub(super) fn lend_view(
        &self,
        name: &str,
        rows: &RecordBatch,
        doing: Doing,
    ) -> Result<(), Error> {
        let parts = rows.get_array_memory_size() / MESSAGE + 1;
        if parts == 1 {
            return self.create_view(name, std::slice::from_ref(rows), doing);
        }
        let rows_of_part = rows.num_rows().div_ceil(parts).max(1);
        let mut selected = Vec::new();
        for first in (0..rows.num_rows()).step_by(rows_of_part) {
            let part = rows.slice(first, rows_of_part.min(rows.num_rows() - first));
            let part_name = unique_name("part");
            self.create_view(&part_name, &[part], doing)?;
            selected.push(format!("SELECT * FROM {}", self.dialect.quote(&part_name)));
        }
        lock(&self.views).push(name.to_owned());
        let view = format!(
            "CREATE OR REPLACE TEMPORARY VIEW {} AS {}",
            self.dialect.quote(name),
            selected.join(" UNION ALL ")
        );
        self.run(command(&view), doing, &mut |_| Ok(()))
    }

    /// Makes rows a relation of the session.
    fn create_view(&self, name: &str, rows: &[RecordBatch], doing: Doing) -> Result<(), Error> {
        let packed = packed(rows).map_err(|_| self.unexpected(doing))?;
        let input = Relation {
            rows: Some(Rows::Local(LocalRelation { data: Some(packed) })),
        };
        self.create_view_of(name, input, doing)
    }

    pub(super) fn create_view_of(
        &self,
        name: &str,
        input: Relation,
        doing: Doing,
    ) -> Result<(), Error> {
        lock(&self.views).push(name.to_owned());
        let view = order(Order::CreateView(CreateView {
            input: Some(input),
            name: name.to_owned(),
            replace: true,
        }));
        self.run(view, doing, &mut |_| Ok(()))
    }

    pub(super) fn drop_view(&self, name: &str) -> Result<(), Error> {
        lock(&self.views).retain(|it| it != name);
        self.clean_up(&format!("DROP VIEW IF EXISTS {}", self.dialect.quote(name)))
    }

    /// Sends the rows that wait.
    pub(super) fn flush(&self, doing: Doing) -> Result<(), Error> {
        let waiting = std::mem::take(&mut *lock(&self.waiting));
        let Some(first) = waiting.batches.first() else {
            return Ok(());
        };
        // Texts become values here: what a server makes of them depends on its settings.
        let table = &waiting.table;
        let columns = self.schema(&format!("SELECT * FROM {table}"))?;
        let columns = columns.ok_or_else(|| self.unexpected(doing))?;
        let columns = columns.into_iter().map(|it| self.dialect.column(it).kind);
        let kinds: Vec<_> = columns.collect();
        if kinds.len() != first.num_columns() {
            return Err(self.unexpected(doing));
        }
        let names = first.schema();
        let fields = names.fields().iter().zip(&kinds);
        let fields = fields.map(|(field, kind)| Field::new(field.name(), kind.clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let mut typed = Vec::new();
        for batch in &waiting.batches {
            let texts = BatchTexts::new("", &batch.schema()).map_err(|_| self.unexpected(doing))?;
            let mut rows = RowBatch::new(batch.num_columns());
            texts.append(batch, &mut rows);
            let arrays = kinds.iter().enumerate().map(|(at, kind)| {
                // Text is as it is: where it is empty, it is missing already.
                match kind == batch.column(at).data_type() {
                    true => Some(Arc::clone(batch.column(at))),
                    false => array_of_texts(kind, &rows, at),
                }
            });
            let arrays: Option<Vec<ArrayRef>> = arrays.collect();
            let arrays = arrays.ok_or_else(|| self.unexpected(doing))?;
            let batch = RecordBatch::try_new(Arc::clone(&schema), arrays);
            typed.push(batch.map_err(|_| self.unexpected(doing))?);
        }
        let view = unique_name("sent");
        self.create_view(&view, &typed, doing)?;
        let name = self.dialect.quote(&view);
        self.run(
            command(&format!("INSERT INTO {table} SELECT * FROM {name}")),
            doing,
            &mut |_| Ok(()),
        )?;
        self.drop_view(&view)
    }
}
