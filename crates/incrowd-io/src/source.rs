//! Files and standard input, to be read as often as needed.

use crate::Error;
use crate::csv::{CsvOptions, CsvReader};
use crate::file::{SharedFile, spool};
use crate::row_source::{RowReader, RowSource};
use crate::seal::{LastSeal, LeftFingerprint, Pass, RowsSeal};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// How the input is stored.
#[derive(Debug, Clone, Copy)]
enum InputFormat {
    /// Text with delimiters, gzipped or not.
    Csv,
    /// Apache Parquet.
    Parquet,
}

/// An input that can be opened once for each pass.
#[derive(Debug)]
pub struct Source {
    /// None is standard input.
    path: Option<PathBuf>,
    format: Option<InputFormat>,
    options: CsvOptions,
    /// The contents of a pipe, which can be read only once.
    spooled: Mutex<Option<SharedFile>>,
    last_seal: LastSeal,
}

impl Source {
    /// The file at `path`; `-` is standard input. Nothing is opened yet.
    ///
    /// The format is detected from the first bytes; a name ending in `.tsv` sets the delimiter unless `options` gives
    /// one.
    pub fn new(path: impl AsRef<Path>, mut options: CsvOptions) -> Source {
        let path = path.as_ref();
        let name = path.to_string_lossy().to_ascii_lowercase();
        if options.delimiter.is_none() && (name.ends_with(".tsv") || name.ends_with(".tsv.gz")) {
            options.delimiter = Some(b'\t');
        }
        Source {
            path: (path != Path::new("-")).then(|| path.into()),
            format: name.ends_with(".parquet").then_some(InputFormat::Parquet),
            options,
            spooled: Mutex::new(None),
            last_seal: LastSeal::default(),
        }
    }

    /// The contents of `from`, kept in an unnamed temporary file until the source is dropped.
    pub fn spooled(from: impl Read, options: CsvOptions) -> Result<Source, Error> {
        let source = Source::new("-", options);
        let file = spool(&source.name(), from)?;
        *source.lock_spooled() = Some(file);
        Ok(source)
    }

    /// What to call the input in messages: its path, or `standard input`.
    pub fn name(&self) -> String {
        match &self.path {
            Some(path) => path.display().to_string(),
            None => "standard input".into(),
        }
    }

    /// The path; none for standard input.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// How many bytes are stored; unknown until standard input is opened.
    pub fn bytes_total(&self) -> Option<u64> {
        if let Some(file) = &*self.lock_spooled() {
            return Some(file.bytes());
        }
        let metadata = std::fs::metadata(self.path.as_ref()?).ok()?;
        metadata.is_file().then_some(metadata.len())
    }

    /// Begins a pass over the rows, with the header read and checked.
    pub fn open(&self) -> Result<Box<dyn RowReader + Send>, Error> {
        self.open_for(Pass::First(self.last_seal.clone()))
    }

    /// Begins another pass over the bytes of a pass before. If they are others, the reader fails at the latest when it is asked
    /// for the fingerprint; if they are the same, and it is known, that takes far less than to compute it anew.
    pub fn open_again(&self, seal: &RowsSeal) -> Result<Box<dyn RowReader + Send>, Error> {
        let seal = match seal {
            RowsSeal::Fingerprint(fingerprint) => self.last_seal.of(fingerprint),
            RowsSeal::Left(LeftFingerprint(seal)) => Some(Arc::clone(seal)),
        };
        match seal {
            Some(seal) => self.open_for(Pass::Again(seal)),
            None => self.open(),
        }
    }

    fn open_for(&self, pass: Pass) -> Result<Box<dyn RowReader + Send>, Error> {
        let input = self.name();
        let file = self.open_file()?;
        let mut start = [0; 4];
        let count = read_start(&file, &mut start).map_err(|source| Error::Read {
            input: input.clone(),
            byte: 0,
            source,
        })?;
        if count == 0 {
            return Err(Error::Empty { input });
        }
        let format = self.format.unwrap_or(match &start {
            b"PAR1" => InputFormat::Parquet,
            _ => InputFormat::Csv,
        });
        match format {
            InputFormat::Csv => {
                let gzip = start.starts_with(&[0x1f, 0x8b]);
                Ok(Box::new(CsvReader::open(
                    input,
                    &file,
                    gzip,
                    &self.options,
                    pass,
                )?))
            }
            // Only a reader of text leaves its fingerprint to the next pass.
            InputFormat::Parquet if pass.takes_what_was_left() => {
                Err(Error::InputChanged { input })
            }
            #[cfg(feature = "parquet")]
            InputFormat::Parquet => Ok(Box::new(crate::parquet::ParquetReader::open(
                input, file, pass,
            )?)),
            #[cfg(not(feature = "parquet"))]
            InputFormat::Parquet => Err(Error::WithoutParquet { path: input }),
        }
    }

    fn open_file(&self) -> Result<SharedFile, Error> {
        let input = self.name();
        let mut spooled = self.lock_spooled();
        if let Some(file) = &*spooled {
            return Ok(file.clone());
        }
        let Some(path) = &self.path else {
            return Ok(spooled.insert(spool(&input, io::stdin().lock())?).clone());
        };
        let not_readable = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound => Error::NotFound {
                input: input.clone(),
            },
            _ => Error::NotReadable {
                input: input.clone(),
                source,
            },
        };
        // Asked before opening: a folder cannot be opened at all on some systems.
        let metadata = std::fs::metadata(path).map_err(not_readable)?;
        if metadata.is_dir() {
            return Err(Error::IsDirectory { path: path.clone() });
        }
        let file = File::open(path).map_err(not_readable)?;
        if metadata.is_file() {
            SharedFile::new(file).map_err(not_readable)
        } else {
            // A named pipe, such as `<(command)`, gives its bytes only once.
            Ok(spooled.insert(spool(&input, file)?).clone())
        }
    }

    fn lock_spooled(&self) -> std::sync::MutexGuard<'_, Option<SharedFile>> {
        self.spooled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RowSource for Source {
    fn name(&self) -> String {
        Source::name(self)
    }

    fn bytes_total(&self) -> Option<u64> {
        Source::bytes_total(self)
    }

    fn open(&self) -> Result<Box<dyn RowReader + Send>, Error> {
        Source::open(self)
    }

    fn open_again(&self, seal: &RowsSeal) -> Result<Box<dyn RowReader + Send>, Error> {
        Source::open_again(self, seal)
    }
}

fn read_start(file: &SharedFile, start: &mut [u8]) -> io::Result<usize> {
    let mut reader = file.read_from(0).take(start.len() as u64);
    let mut count = 0;
    loop {
        match reader.read(&mut start[count..]) {
            Ok(0) => return Ok(count),
            Ok(more) => count += more,
            Err(source) if source.kind() == io::ErrorKind::Interrupted => {}
            Err(source) => return Err(source),
        }
    }
}
