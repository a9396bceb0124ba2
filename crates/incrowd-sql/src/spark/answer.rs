//! Rows as they come in the messages of a server, and whether all of them have come.

use super::messages::ArrowBatch;
use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;
use std::io::Cursor;

/// What an answer lacks.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// It has other rows than the server says.
    Incomplete,
    /// It cannot be read.
    Unreadable,
}

/// Takes the parts of one answer.
#[derive(Default)]
pub(super) struct Answer {
    rows: i64,
    /// Whether the server has left out to say which rows a part has.
    is_unnumbered: bool,
}

impl Answer {
    /// How many rows have come, if the server did not number them, so that one could miss some without noticing.
    pub(super) fn unnumbered_rows(&self) -> Option<i64> {
        self.is_unnumbered.then_some(self.rows)
    }

    /// The rows of the next part, if none before them is missing and all of its own are there.
    pub(super) fn take(&mut self, part: &ArrowBatch) -> Result<Vec<RecordBatch>, Flaw> {
        match part.start_offset {
            Some(offset) if offset != self.rows => return Err(Flaw::Incomplete),
            Some(_) => {}
            None => self.is_unnumbered = true,
        }
        let unreadable = |_: ArrowError| Flaw::Unreadable;
        let reader = StreamReader::try_new(Cursor::new(&part.data), None).map_err(unreadable)?;
        let batches: Result<Vec<RecordBatch>, ArrowError> = reader.collect();
        let batches = batches.map_err(unreadable)?;
        let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        if i64::try_from(rows) != Ok(part.row_count) {
            return Err(Flaw::Incomplete);
        }
        self.rows += part.row_count;
        Ok(batches)
    }
}

/// Rows as a server takes them. All batches have the columns of the first.
pub(super) fn packed(batches: &[RecordBatch]) -> Result<Vec<u8>, ArrowError> {
    let Some(first) = batches.first() else {
        return Ok(Vec::new());
    };
    let mut writer = StreamWriter::try_new(Vec::new(), &first.schema())?;
    batches.iter().try_for_each(|batch| writer.write(batch))?;
    writer.finish()?;
    writer.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Int64Array;
    use std::sync::Arc;

    fn part(rows: i64, said: i64, start_offset: Option<i64>) -> ArrowBatch {
        let numbers: Int64Array = (0..rows).map(Some).collect();
        let batch = RecordBatch::try_from_iter([("n", Arc::new(numbers) as _)]).unwrap();
        ArrowBatch {
            row_count: said,
            data: packed(&[batch]).unwrap(),
            start_offset,
        }
    }

    #[test]
    fn an_answer_that_lacks_rows_is_refused() {
        let mut answer = Answer::default();
        assert!(answer.take(&part(3, 3, Some(0))).is_ok());
        assert!(answer.take(&part(2, 2, None)).is_ok());
        assert!(answer.take(&part(4, 4, Some(5))).is_ok());
        let lacking = answer.take(&part(4, 4, Some(10)));
        assert_eq!(lacking.unwrap_err(), Flaw::Incomplete, "one row is missing");
        let short = answer.take(&part(3, 4, Some(9)));
        assert_eq!(short.unwrap_err(), Flaw::Incomplete, "a part is short");
        let mut cut = part(1000, 1000, None);
        cut.data.truncate(4000);
        assert_eq!(answer.take(&cut).unwrap_err(), Flaw::Unreadable);
    }
}
