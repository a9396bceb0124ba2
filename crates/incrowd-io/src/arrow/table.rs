//! Record batches as a table.

use super::NAME;
use super::cells::Reading;
use super::plain_name::plain_name;
use super::reader::{ArrowReader, Memory, bytes};
use crate::csv::check_columns;
use crate::{Error, RowReader, RowSource};
use arrow_array::RecordBatch;
use arrow_schema::{FieldRef, Schema, SchemaRef};
use std::sync::Arc;

/// A table of Arrow record batches in memory.
///
/// A pass that [others follow](RowReader::expect_another_pass) keeps a byte or two for each cell of a column of few values, which
/// the next ones then do not look at again.
///
/// ```
/// use arrow_array::{Int32Array, RecordBatch, StringArray};
/// use incrowd_io::{ArrowTable, RowSource};
/// use std::sync::Arc;
///
/// let batch = RecordBatch::try_from_iter([
///     ("age", Arc::new(Int32Array::from(vec![Some(39), None])) as _),
///     ("zip", Arc::new(StringArray::from(vec!["10115", "10117"])) as _),
/// ])?;
/// let table = ArrowTable::new(batch.schema(), [batch])?;
/// let mut reader = table.open()?;
/// assert_eq!(reader.columns(), ["age", "zip"]);
///
/// let mut rows = Default::default();
/// reader.read(&mut rows)?;
/// assert_eq!((rows.cell(0, 0), rows.cell(1, 0)), (&b"39"[..], &b""[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ArrowTable {
    schema: SchemaRef,
    /// Shared by all who read them.
    batches: Arc<[RecordBatch]>,
    memory: Memory,
}

impl ArrowTable {
    /// A table of these batches, each of which has the columns of `schema`.
    pub fn new(
        schema: SchemaRef,
        batches: impl IntoIterator<Item = RecordBatch>,
    ) -> Result<Self, Error> {
        let batches: Arc<[RecordBatch]> = batches.into_iter().collect();
        let fields = schema.fields();
        if fields.is_empty() {
            return Err(Error::Empty { input: NAME.into() });
        }
        let columns: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
        check_columns(NAME, &columns)?;
        for field in fields {
            if Reading::of(field.data_type()).is_none() {
                return Err(Error::UnsupportedColumnType {
                    input: NAME.into(),
                    column: field.name().clone(),
                    kind: plain_name(field.data_type()),
                });
            }
        }
        let differs = |batch: &RecordBatch| !has_columns(batch.schema_ref(), &schema);
        if let Some(batch) = batches.iter().position(differs) {
            return Err(Error::BatchesDiffer {
                input: NAME.into(),
                batch: batch + 1,
            });
        }
        Ok(ArrowTable {
            schema,
            batches,
            memory: Memory::default(),
        })
    }

    /// The columns with their types.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The rows.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }
}

/// Whether the columns are the same by name and type.
fn has_columns(one: &Schema, other: &Schema) -> bool {
    let (one, other) = (one.fields(), other.fields());
    let is_same = |(one, other): (&FieldRef, &FieldRef)| {
        (one.name(), one.data_type()) == (other.name(), other.data_type())
    };
    one.len() == other.len() && one.iter().zip(other).all(is_same)
}

impl RowSource for ArrowTable {
    fn name(&self) -> String {
        NAME.into()
    }

    fn bytes_total(&self) -> Option<u64> {
        Some(bytes(&self.batches))
    }

    fn open(&self) -> Result<Box<dyn RowReader + Send>, Error> {
        if self.batches.iter().all(|batch| batch.num_rows() == 0) {
            return Err(Error::NoRows { input: NAME.into() });
        }
        let (schema, batches) = (Arc::clone(&self.schema), Arc::clone(&self.batches));
        let memory = Arc::clone(&self.memory);
        Ok(Box::new(ArrowReader::new(schema, batches, memory)))
    }
}
