//! Threads that encode the columns of a row group while the next one is being filled.

use super::chunk::{self, Chunk};
use crate::gathered::GatheredColumn;
use crate::stored_type::StoredType;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::schema::types::ColumnDescPtr;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// How the columns of a file are stored.
#[derive(Debug)]
pub(super) struct Forms {
    pub(super) types: Vec<StoredType>,
    pub(super) places: Vec<ColumnDescPtr>,
    pub(super) properties: WriterPropertiesPtr,
}

/// The bytes of a column; none if a cell is not of its type.
pub(super) type Encoded = Result<Option<Chunk>, ParquetError>;

/// Threads that encode columns; without any, columns are encoded by whoever hands them over.
#[derive(Debug)]
pub(super) struct Encoders {
    forms: Arc<Forms>,
    /// None once no more columns come.
    tasks: Option<Sender<Task>>,
    threads: Vec<JoinHandle<()>>,
}

/// A column to be encoded, and who waits for it.
#[derive(Debug)]
struct Task {
    position: usize,
    column: GatheredColumn,
    done: Sender<(usize, Done)>,
}

/// A column that was encoded, emptied to be filled again.
type Done = (Encoded, GatheredColumn);

impl Task {
    fn work(self, forms: &Forms) {
        let Task {
            position,
            mut column,
            done,
        } = self;
        let Forms {
            types,
            places,
            properties,
        } = forms;
        let encoded = chunk::encode(&column, &types[position], &places[position], properties);
        column.clear();
        // Nobody waits after an error in another column.
        let _ = done.send((position, (encoded, column)));
    }
}

impl Encoders {
    /// So many threads, none if it is one: that one is ours.
    pub(super) fn start(forms: Forms, threads: usize) -> Encoders {
        let forms = Arc::new(forms);
        let (tasks, waiting) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        let threads = if threads > 1 {
            threads.min(forms.types.len())
        } else {
            0
        };
        // Fewer if the system cannot start as many.
        let threads = (0..threads).map_while(|_| {
            let (forms, waiting) = (Arc::clone(&forms), Arc::clone(&waiting));
            let thread = std::thread::Builder::new().name("encoder".into());
            thread.spawn(move || encode_all(&forms, &waiting)).ok()
        });
        Encoders {
            threads: threads.collect(),
            tasks: Some(tasks),
            forms,
        }
    }

    /// Whether columns are encoded by other threads.
    pub(super) fn are_others(&self) -> bool {
        !self.threads.is_empty()
    }

    /// Has the columns of a row group encoded.
    pub(super) fn encode(&self, columns: Vec<GatheredColumn>) -> GroupInWork {
        let group = columns.len();
        let (done, encoded) = channel();
        for (position, column) in columns.into_iter().enumerate() {
            let task = Task {
                position,
                column,
                done: done.clone(),
            };
            match self.tasks.as_ref().filter(|_| self.are_others()) {
                // If all threads are lost, the task is too, which is noticed when it is waited for.
                Some(tasks) => drop(tasks.send(task)),
                None => task.work(&self.forms),
            }
        }
        GroupInWork {
            columns: group,
            encoded,
        }
    }
}

impl Drop for Encoders {
    fn drop(&mut self) {
        self.tasks = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn encode_all(forms: &Forms, waiting: &Mutex<Receiver<Task>>) {
    loop {
        let task = waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv();
        match task {
            Ok(task) => task.work(forms),
            Err(_) => return,
        }
    }
}

/// A row group whose columns are being encoded.
#[derive(Debug)]
pub(super) struct GroupInWork {
    columns: usize,
    encoded: Receiver<(usize, Done)>,
}

impl GroupInWork {
    /// Waits for all columns, and returns them in their order. One whose encoder panicked is an error.
    pub(super) fn finish(self) -> Vec<Done> {
        let lost = || {
            let error = ParquetError::General("a thread that encodes was lost".into());
            (Err(error), GatheredColumn::default())
        };
        let mut columns: Vec<Done> = Vec::new();
        columns.resize_with(self.columns, lost);
        for (position, done) in self.encoded {
            columns[position] = done;
        }
        columns
    }
}
