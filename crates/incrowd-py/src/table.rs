//! Tables in and out, as Arrow streams.

use crate::errors::Failure;
use crate::supervise::{GLANCE, Stop};
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::*;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, RecordBatch,
    RecordBatchIterator, RecordBatchReader, StringArray, UInt64Array,
};
use arrow_pyarrow::FromPyArrow;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use incrowd_job::{ArrowTable, RowSource};
use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyDict, PyFloat, PyList};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long to wait for a query that was asked to stop.
const PATIENCE: Duration = Duration::from_secs(5);

/// The rows that something with `__arrow_c_stream__` hands over, or a list of such parts of a table. Their buffers are shared,
/// not copied. With a pair of those and a dictionary, columns named in that are codes of the texts that it has for them.
///
/// They are read on the thread of the caller, since a producer may be bound to it, except for those of DuckDB, which may take
/// any time for a batch. After each batch, `stop` and signals such as that of Ctrl-C are looked at.
pub(crate) fn take_over(
    py: Python<'_>,
    producer: &Bound<'_, PyAny>,
    stop: Option<&Stop>,
) -> Result<ArrowTable, Failure> {
    if let Ok((rows, texts)) = producer.extract::<(Bound<'_, PyAny>, Bound<'_, PyDict>)>() {
        let (schema, batches) = rows_of(py, &rows, stop)?;
        return in_texts(py, &schema, &batches, &texts);
    }
    let (schema, batches) = rows_of(py, producer, stop)?;
    Ok(ArrowTable::new(schema, batches).map_err(incrowd_job::Error::from)?)
}

/// The same, still in batches.
fn rows_of(
    py: Python<'_>,
    producer: &Bound<'_, PyAny>,
    stop: Option<&Stop>,
) -> Result<(SchemaRef, Vec<RecordBatch>), Failure> {
    let parts = match producer.cast::<PyList>() {
        Ok(parts) => parts.iter().collect(),
        Err(_) => vec![producer.clone()],
    };
    let (mut schema, mut batches) = (None, Vec::new());
    for part in &parts {
        if is_of_duckdb(part) {
            let (of_part, rows) = read_elsewhere(py, part, stop)?;
            schema.get_or_insert(of_part);
            batches.extend(rows);
            continue;
        }
        let reader = RecordBatchStreamReader::from_pyarrow_bound(part);
        let mut reader = reader.map_err(|error| not_a_table(py, error))?;
        schema.get_or_insert_with(|| reader.schema());
        // A producer may compute its rows only now, and may need the interpreter for that.
        while let Some(batch) = py.detach(|| reader.next()) {
            batches.push(batch.map_err(|error| not_handed_over(py, &error))?);
            look_for_stop(py, stop)?;
        }
    }
    let schema = schema.unwrap_or_else(|| Arc::new(Schema::empty()));
    // Said at once, rather than after most of them were counted.
    let rows: u64 = batches.iter().map(|batch| batch.num_rows() as u64).sum();
    if rows > u64::from(u32::MAX) {
        let limit = u32::MAX.into();
        return Err(incrowd_job::Error::Core(incrowd_core::Error::TooManyRows { limit }).into());
    }
    Ok((schema, batches))
}

/// Whether somebody wants to stop.
fn look_for_stop(py: Python<'_>, stop: Option<&Stop>) -> Result<(), Failure> {
    py.check_signals()?;
    match stop.is_some_and(Stop::is_requested) {
        true => Err(incrowd_job::Error::Cancelled.into()),
        false => Ok(()),
    }
}

fn is_of_duckdb(producer: &Bound<'_, PyAny>) -> bool {
    let module = producer.get_type().module();
    module.is_ok_and(|module| {
        let module = module.to_string_lossy();
        matches!(module.split('.').next(), Some("duckdb" | "_duckdb"))
    })
}

/// What comes of a query that another thread asks for.
enum Answer {
    Columns(SchemaRef),
    Rows(RecordBatch),
    Failed(Failure),
    /// Said, since a thread that is gone says nothing.
    End,
}

/// The rows of a query of DuckDB, which may be asked on any thread and does not reliably look for Ctrl-C itself: meanwhile the
/// calling thread does.
fn read_elsewhere(
    py: Python<'_>,
    producer: &Bound<'_, PyAny>,
    stop: Option<&Stop>,
) -> Result<(SchemaRef, Vec<RecordBatch>), Failure> {
    let (answer_out, answers) = channel();
    let query = producer.clone().unbind();
    let asking = std::thread::Builder::new().spawn(move || {
        let reader = Python::attach(|py| {
            let reader = RecordBatchStreamReader::from_pyarrow_bound(query.bind(py));
            drop(query);
            reader.map_err(|error| not_a_table(py, error))
        });
        // Nobody listens any more once the call has ended.
        let say = |answer| answer_out.send(answer).is_ok();
        let reader = match reader {
            Ok(reader) => reader,
            Err(failure) => {
                say(Answer::Failed(failure));
                return;
            }
        };
        say(Answer::Columns(reader.schema()));
        for batch in reader {
            let is_heard = say(match batch {
                Ok(batch) => Answer::Rows(batch),
                Err(error) => Answer::Failed(Python::attach(|py| not_handed_over(py, &error))),
            });
            if !is_heard {
                return;
            }
        }
        say(Answer::End);
    });
    asking.map_err(|_| incrowd_job::Error::WorkerLost)?;
    let producer = producer.clone().unbind();
    py.detach(move || {
        let (mut schema, mut batches) = (None, Vec::new());
        loop {
            match (answers.recv_timeout(GLANCE), &schema) {
                (Ok(Answer::Columns(columns)), _) => schema = Some(columns),
                (Ok(Answer::Rows(rows)), _) => batches.push(rows),
                (Ok(Answer::Failed(failure)), _) => return Err(failure),
                (Ok(Answer::End), Some(schema)) => return Ok((Arc::clone(schema), batches)),
                (Err(RecvTimeoutError::Timeout), _) => {}
                (Ok(Answer::End) | Err(RecvTimeoutError::Disconnected), _) => {
                    return Err(incrowd_job::Error::WorkerLost.into());
                }
            }
            let looked = Python::attach(|py| look_for_stop(py, stop));
            if let Err(stopped) = looked {
                Python::attach(|py| interrupt(producer.bind(py)));
                // Ends with the query, if that could be stopped; otherwise whenever the next rows are there.
                let end = Instant::now() + PATIENCE;
                let mut is_over = false;
                while !is_over && Instant::now() < end {
                    let next = answers.recv_timeout(GLANCE);
                    is_over = matches!(next, Err(RecvTimeoutError::Disconnected));
                }
                return Err(stopped);
            }
        }
    })
}

/// Asks the connection of a query to stop it. Not every release of DuckDB says which that is.
fn interrupt(producer: &Bound<'_, PyAny>) {
    let connection = producer.getattr("_con");
    let connection = connection.unwrap_or_else(|_| producer.clone());
    let _ = connection.call_method0("interrupt");
}

/// A table some of whose columns are codes of texts, by the name of the column.
fn in_texts(
    py: Python<'_>,
    schema: &Schema,
    batches: &[RecordBatch],
    texts: &Bound<'_, PyDict>,
) -> Result<ArrowTable, Failure> {
    let mut of_columns: Vec<Option<ArrayRef>> = vec![None; schema.fields().len()];
    for (name, texts) in texts.iter() {
        let column = schema.index_of(&name.extract::<String>()?);
        let (_, texts) = rows_of(py, &texts, None)?;
        let (Ok(column), [texts]) = (column, &texts[..]) else {
            return Err(not_coded());
        };
        of_columns[column] = texts.columns().first().cloned();
    }
    let coded = batches.iter().map(|batch| {
        let columns = batch.columns().iter().zip(&of_columns);
        let columns = columns.map(|(codes, texts)| match texts {
            Some(texts) => with_texts(codes, texts),
            None => Some(Arc::clone(codes)),
        });
        columns.collect::<Option<Vec<ArrayRef>>>()
    });
    let coded: Option<Vec<Vec<ArrayRef>>> = coded.collect();
    let mut coded = coded.ok_or_else(not_coded)?.into_iter().peekable();
    let kinds = coded.peek();
    let fields = schema.fields().iter().enumerate().map(|(at, field)| {
        let kind = kinds.map_or(field.data_type(), |kinds| kinds[at].data_type());
        Field::new(field.name(), kind.clone(), true)
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let batches = coded.map(|columns| RecordBatch::try_new(Arc::clone(&schema), columns));
    let batches = batches.collect::<Result<Vec<_>, _>>();
    let batches = batches.map_err(|_| not_coded())?;
    Ok(ArrowTable::new(schema, batches).map_err(incrowd_job::Error::from)?)
}

/// Codes with their texts, the memory of both shared; none if there are others among them.
fn with_texts(codes: &ArrayRef, texts: &ArrayRef) -> Option<ArrayRef> {
    fn of<K: ArrowDictionaryKeyType>(codes: &ArrayRef, texts: &ArrayRef) -> Option<ArrayRef> {
        let codes = codes.as_primitive_opt::<K>()?.clone();
        let coded = DictionaryArray::try_new(codes, Arc::clone(texts)).ok()?;
        Some(Arc::new(coded))
    }
    let coded = of::<UInt32Type>(codes, texts);
    let coded = coded.or_else(|| of::<UInt16Type>(codes, texts));
    coded.or_else(|| of::<UInt8Type>(codes, texts))
}

fn not_coded() -> Failure {
    Failure::Python {
        code: "table-not-handed-over",
        message: "the categories of the table could not be read".into(),
        hint: "make them texts first, such as with `.cast(polars.String)`".into(),
    }
}

/// Something handed over no table. What producers say of values that they cannot convert may quote cells; whatever else
/// they raise is theirs.
fn not_a_table(py: Python<'_>, error: PyErr) -> Failure {
    let is_about_values =
        error.is_instance_of::<PyTypeError>(py) || error.is_instance_of::<PyValueError>(py);
    match is_about_values {
        true => Failure::Python {
            code: "not-a-table",
            message: "what `__arrow_c_stream__` hands over is not a table of columns".into(),
            hint: "pass a table rather than a single column, and a stream that was not read before"
                .into(),
        },
        false => error.into(),
    }
}

/// A producer failed midway.
fn not_handed_over(py: Python<'_>, error: &ArrowError) -> Failure {
    // Ctrl-C may have reached the producer rather than us. All that an Arrow stream says of it is a text.
    if let Err(raised) = py.check_signals() {
        return raised.into();
    }
    if error.to_string().contains("KeyboardInterrupt") {
        return PyKeyboardInterrupt::new_err(()).into();
    }
    // What the producer says may quote cells.
    Failure::Python {
        code: "table-not-handed-over",
        message: "the table could not be read: what produces it failed while handing over its rows"
            .into(),
        hint:
            "evaluate the table by itself first to see why, such as with `.collect()` or `.arrow()`"
                .into(),
    }
}

/// A table in memory that other libraries can take over as an Arrow stream, without copying it.
#[pyclass(frozen, module = "incrowd._native")]
pub(crate) struct Table(pub(crate) ArrowTable);

#[pymethods]
impl Table {
    /// A small table from lists of Python values: whole numbers, numbers, truth values or texts, and none for a null.
    #[staticmethod]
    fn of_columns(columns: Vec<(String, Bound<'_, PyAny>)>) -> PyResult<Table> {
        let arrays = columns.into_iter().map(|(name, values)| {
            let array = array_of(&values)?.ok_or_else(|| Failure::Python {
                code: "mixed-column",
                message: format!("column `{name}` is not a list of values of one kind"),
                hint: "use whole numbers, numbers, truth values or texts, and None where there is no value".into(),
            })?;
            let array = array.map_err(|Rounded| Failure::Python {
                code: "argument",
                message: format!("column `{name}` has numbers with more digits than 64 bits hold"),
                hint: "make them texts, such as with `[str(it) for it in column]`, or floats if they may be rounded".into(),
            })?;
            Ok((name, array))
        });
        let arrays: Vec<(String, ArrayRef)> = arrays.collect::<Result<_, Failure>>()?;
        let fields: Vec<Field> = (arrays.iter())
            .map(|(name, array)| Field::new(name, array.data_type().clone(), true))
            .collect();
        let schema = Arc::new(Schema::new(fields));
        let arrays = arrays.into_iter().map(|(_, array)| array).collect();
        let batch =
            RecordBatch::try_new(Arc::clone(&schema), arrays).map_err(|_| Failure::Python {
                code: "ragged-row",
                message: "the columns are not equally long".into(),
                hint: "give every column one value for each row".into(),
            })?;
        let table = ArrowTable::new(schema, [batch]);
        Ok(Table(table.map_err(|error| {
            Failure::from(incrowd_job::Error::from(error))
        })?))
    }

    /// The rows of a stream, which itself can often be read only once.
    #[staticmethod]
    #[pyo3(signature = (producer, stop = None))]
    fn of_stream(
        py: Python<'_>,
        producer: &Bound<'_, PyAny>,
        stop: Option<Py<Stop>>,
    ) -> PyResult<Table> {
        let stop = stop.as_ref().map(Py::get);
        Ok(Table(take_over(py, producer, stop)?))
    }

    /// The rows, once more for each call.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer may ask for other types, and must cast by itself if it does not get them.
        drop(requested_schema);
        let batches = self.0.batches().to_vec();
        let rows = RecordBatchIterator::new(batches.into_iter().map(Ok), self.0.schema().clone());
        let rows: Box<dyn RecordBatchReader + Send> = Box::new(rows);
        let stream = FFI_ArrowArrayStream::new(rows);
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// The names and types of the columns.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.0.schema().as_ref());
        let schema = schema.map_err(|error| Failure::Python {
            code: "table-not-handed-over",
            message: error.to_string(),
            hint: String::new(),
        })?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// How many rows there are.
    #[getter]
    fn num_rows(&self) -> usize {
        self.0.batches().iter().map(RecordBatch::num_rows).sum()
    }

    /// The bytes that the values take.
    #[getter]
    fn nbytes(&self) -> u64 {
        self.0.bytes_total().unwrap_or(0)
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let fields = self.0.schema().fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// The types of the columns, in the words of Arrow.
    #[getter]
    fn column_types(&self) -> Vec<String> {
        let fields = self.0.schema().fields().iter();
        fields.map(|field| field.data_type().to_string()).collect()
    }

    /// The first rows as texts, to be shown; none for a null.
    fn head(&self, rows: usize) -> PyResult<Vec<Vec<Option<String>>>> {
        let mut shown = Vec::new();
        if self.num_rows() == 0 {
            return Ok(shown);
        }
        let text = |error| PyErr::from(Failure::from(incrowd_job::Error::from(error)));
        let mut reader = self.0.open().map_err(text)?;
        let mut batch = Default::default();
        while shown.len() < rows && reader.read(&mut batch).map_err(text)? {
            for row in 0..batch.rows().min(rows - shown.len()) {
                let cell = |column| match batch.cell(row, column) {
                    b"" => None,
                    cell => Some(String::from_utf8_lossy(cell).into_owned()),
                };
                shown.push((0..batch.columns()).map(cell).collect());
            }
        }
        Ok(shown)
    }

    /// A column as a list of Python values: numbers and truth values as such, everything else as text.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let Ok(at) = self.0.schema().index_of(name) else {
            return Err(pyo3::exceptions::PyKeyError::new_err(name.to_owned()));
        };
        let mut values = Vec::with_capacity(self.num_rows());
        for batch in self.0.batches() {
            push_values(py, batch.column(at), &mut values)?;
        }
        if values.len() == self.num_rows() {
            return Ok(values);
        }
        let text = |error| PyErr::from(Failure::from(incrowd_job::Error::from(error)));
        let mut reader = self.0.open().map_err(text)?;
        let mut batch = Default::default();
        while reader.read(&mut batch).map_err(text)? {
            for row in 0..batch.rows() {
                values.push(match batch.cell(row, at) {
                    b"" => py.None().into_bound(py),
                    cell => String::from_utf8_lossy(cell).into_pyobject(py)?.into_any(),
                });
            }
        }
        Ok(values)
    }

    fn __len__(&self) -> usize {
        self.num_rows()
    }
}

/// Numbers that would become others.
struct Rounded;

/// A list of Python values as an array; none if they are not of one kind.
fn array_of(values: &Bound<'_, PyAny>) -> PyResult<Option<Result<ArrayRef, Rounded>>> {
    // Truth values are whole numbers to Python, and whole numbers are numbers.
    if let Ok(truths) = values.extract::<Vec<Option<bool>>>() {
        return Ok(Some(Ok(Arc::new(BooleanArray::from(truths)))));
    }
    let Ok(all) = values.extract::<Vec<Bound<'_, PyAny>>>() else {
        return Ok(None);
    };
    if all.iter().any(|value| value.is_instance_of::<PyBool>()) {
        return Ok(None);
    }
    if let Ok(numbers) = values.extract::<Vec<Option<i64>>>() {
        return Ok(Some(Ok(Arc::new(Int64Array::from(numbers)))));
    }
    if let Ok(numbers) = values.extract::<Vec<Option<u64>>>() {
        return Ok(Some(Ok(Arc::new(UInt64Array::from(numbers)))));
    }
    if let Ok(numbers) = values.extract::<Vec<Option<f64>>>() {
        // Two whole numbers must not become one, nor a decimal another number.
        for (value, number) in all.iter().zip(&numbers) {
            let is_same = match number {
                None => true,
                Some(_) if value.is_instance_of::<PyFloat>() => true,
                Some(number) => number.is_nan() || value.eq(*number)?,
            };
            if !is_same {
                return Ok(Some(Err(Rounded)));
            }
        }
        return Ok(Some(Ok(Arc::new(Float64Array::from(numbers)))));
    }
    let texts = values.extract::<Vec<Option<String>>>();
    Ok(texts
        .ok()
        .map(|texts| Ok(Arc::new(StringArray::from(texts)) as ArrayRef)))
}

/// Adds the values of an array that is one of numbers or truth values; otherwise nothing.
fn push_values<'py>(
    py: Python<'py>,
    array: &dyn Array,
    values: &mut Vec<Bound<'py, PyAny>>,
) -> PyResult<()> {
    use arrow_schema::DataType as Kind;
    macro_rules! numbers {
        ($kind:ty) => {
            for number in array.as_primitive::<$kind>() {
                values.push(number.into_pyobject(py)?);
            }
        };
    }
    match array.data_type() {
        Kind::Int8 => numbers!(Int8Type),
        Kind::Int16 => numbers!(Int16Type),
        Kind::Int32 => numbers!(Int32Type),
        Kind::Int64 => numbers!(Int64Type),
        Kind::UInt8 => numbers!(UInt8Type),
        Kind::UInt16 => numbers!(UInt16Type),
        Kind::UInt32 => numbers!(UInt32Type),
        Kind::UInt64 => numbers!(UInt64Type),
        Kind::Float32 => numbers!(Float32Type),
        Kind::Float64 => numbers!(Float64Type),
        Kind::Boolean => {
            for truth in array.as_boolean() {
                values.push(truth.into_pyobject(py)?);
            }
        }
        _ => {}
    }
    Ok(())
}
