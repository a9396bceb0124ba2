//! Outputs that appear complete or not at all.

use crate::claims::Claims;
use crate::column_type::ColumnType;
use crate::csv::{CsvEncoder, EncodedRows, check_columns};
use crate::engine::{Cancel, EngineFacts, LastStep, Publishing, TakeGroups};
use crate::fingerprint::Fingerprint;
use crate::hashing::{Hashing, Out, WorkBetween};
use crate::synced_file::SyncedFile;
use crate::{Error, file, part_file};
use flate2::{Compression, GzBuilder, write::GzEncoder};
use incrowd_core::publish::{Confirmation, PublishedRows, ReleaseMap, Tally};
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How the output is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputFormat {
    /// Delimited text.
    Csv {
        /// The cell separator.
        delimiter: u8,
    },
    /// Delimited text, gzipped.
    CsvGzip {
        /// The cell separator.
        delimiter: u8,
    },
    /// Apache Parquet, empty cells null; every column is text unless [`RowSink::begin`] is told otherwise.
    Parquet,
}

impl OutputFormat {
    /// The format given by the extension of `path`; standard output (`-`) and devices are CSV.
    pub fn of_path(path: impl AsRef<Path>) -> Result<OutputFormat, Error> {
        let path = path.as_ref();
        let name = path.to_string_lossy().to_ascii_lowercase();
        let (stem, gzip) = match name.strip_suffix(".gz") {
            Some(stem) => (stem, true),
            None => (name.as_str(), false),
        };
        let delimiter = if stem.ends_with(".tsv") {
            b'\t'
        } else if stem.ends_with(".csv") || stem.ends_with(".txt") || name == "-" || is_device(path)
        {
            b','
        } else if !gzip && stem.ends_with(".parquet") {
            return Ok(OutputFormat::Parquet);
        } else {
            return Err(Error::UnknownFormat { path: path.into() });
        };
        Ok(if gzip {
            OutputFormat::CsvGzip { delimiter }
        } else {
            OutputFormat::Csv { delimiter }
        })
    }

    /// The same format with another delimiter; Parquet has none.
    #[must_use]
    pub fn with_delimiter(self, delimiter: u8) -> OutputFormat {
        match self {
            OutputFormat::Csv { .. } => OutputFormat::Csv { delimiter },
            OutputFormat::CsvGzip { .. } => OutputFormat::CsvGzip { delimiter },
            OutputFormat::Parquet => OutputFormat::Parquet,
        }
    }

    /// The cell separator; Parquet has none.
    pub fn delimiter(self) -> Option<u8> {
        match self {
            OutputFormat::Csv { delimiter } | OutputFormat::CsvGzip { delimiter } => {
                Some(delimiter)
            }
            OutputFormat::Parquet => None,
        }
    }
}

/// Whether `path` can be written to but not replaced: a device, a pipe.
fn is_device(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Takes the rows of a release, and publishes them only after they are confirmed.
///
/// It receives only rows recoded by a release, and finishes with a [`Confirmation`], so that unchecked rows cannot
/// appear.
pub trait RowSink: Send {
    /// Whether it can store columns as anything but text, so that their types are worth finding out.
    fn keeps_types(&self) -> bool {
        false
    }

    /// How many threads it may use to store rows. What it stores does not depend on it.
    fn use_threads(&mut self, _: usize) {}

    /// The columns, with the type of each in the input if that is more than text. Called first, once.
    fn begin(&mut self, columns: &[String], types: Option<Vec<ColumnType>>) -> Result<(), Error>;

    /// Appends rows.
    fn write(&mut self, rows: &PublishedRows) -> Result<(), Error>;

    /// Formats rows on any thread, for [`RowSink::write_encoded`]; none where rows are written as they come.
    fn encoder(&self) -> Option<CsvEncoder> {
        None
    }

    /// Appends rows that the [encoder](RowSink::encoder) formatted. Their text may be taken, in exchange for memory to be
    /// used again.
    ///
    /// # Panics
    /// If there is no encoder.
    fn write_encoded(&mut self, _: &mut EncodedRows) -> Result<(), Error> {
        panic!("{NO_ENCODER}")
    }

    /// Whether so many rows wait to be hashed by another thread that there is time for other work. None where it is not that
    /// which takes longest.
    fn is_behind(&self) -> Option<bool> {
        None
    }

    /// Has the thread that hashes rows do other work too, if one is started for the rows that follow.
    fn do_between(&mut self, _: WorkBetween) {}

    /// The file that holds the rows until they appear; none where it has no name, or is no file.
    fn temporary_path(&self) -> Option<&Path> {
        None
    }

    /// Lets all rows appear.
    fn finish(self: Box<Self>, confirmation: Confirmation) -> Result<Written, Error>;

    /// The same, except for a last step that makes all of it visible at once, if there is such a step: whatever belongs to
    /// the release can be written before it.
    fn finish_but_one(
        self: Box<Self>,
        confirmation: Confirmation,
    ) -> Result<(Written, Option<LastStep>), Error> {
        Ok((self.finish(confirmation)?, None))
    }

    /// Has the rows recoded by the engine that holds both them and this sink, and says what it has written and left out,
    /// as counted afterwards; `take` gets the rows written. None if rows have to be written one by one.
    fn recode(
        &mut self,
        _map: &Arc<ReleaseMap>,
        _how: Publishing,
        _take: TakeGroups<'_>,
    ) -> Option<Result<Tally, Error>> {
        None
    }

    /// The engine that gets the rows; none if it is none but this program.
    fn engine(&self) -> Option<EngineFacts> {
        None
    }

    /// Stops what the engine is doing; none if writing stops by itself at the next batch.
    fn cancel(&self) -> Option<Cancel> {
        None
    }
}

const NO_ENCODER: &str = "a sink without an encoder takes no encoded rows";

/// What [`RowSink::finish`] has written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// SHA-256 of the bytes of the file.
    pub sha256: Fingerprint,
    /// The length of the file.
    pub bytes: u64,
}

/// Takes the rows of a release and lets the file appear in one step when all are there.
///
/// Rows go to a temporary file beside the output, which takes its place in [`RowSink::finish`]. A sink that is
/// dropped before leaves nothing behind. What cannot be replaced in one step, such as standard output or a
/// pipe, receives nothing before [`RowSink::finish`].
pub struct Sink {
    place: Place,
    /// None for Parquet.
    encoder: Option<CsvEncoder>,
    body: Body,
    /// The text of one batch, its memory reused by the next.
    text: EncodedRows,
}

enum Body {
    Csv(Out),
    Gzip(Box<GzEncoder<Out>>),
    #[cfg(feature = "parquet")]
    Parquet(Box<crate::parquet::ParquetWriter>),
}

impl Sink {
    /// Opens an output at `path` (`-` is standard output) with its header.
    ///
    /// Fails now rather than after a long run if `path` cannot be written, or is already read or written. Missing
    /// folders are created.
    pub fn create(
        claims: &Claims,
        path: impl AsRef<Path>,
        format: OutputFormat,
        columns: &[String],
    ) -> Result<Sink, Error> {
        let encoder = format.delimiter().map(CsvEncoder::new).transpose()?;
        Self::begin(claims, path.as_ref(), format, columns, encoder)
    }

    /// Opens an output like [`Sink::create`], with an apostrophe before names and cells that a spreadsheet would treat
    /// as formulas; not for Parquet.
    pub fn create_spreadsheet_safe(
        claims: &Claims,
        path: impl AsRef<Path>,
        format: OutputFormat,
        columns: &[String],
    ) -> Result<Sink, Error> {
        let path = path.as_ref();
        let Some(delimiter) = format.delimiter() else {
            return Err(Error::SpreadsheetNeedsText { path: path.into() });
        };
        let encoder = CsvEncoder::new(delimiter)?.spreadsheet_safe();
        Self::begin(claims, path, format, columns, Some(encoder))
    }

    fn begin(
        claims: &Claims,
        path: &Path,
        format: OutputFormat,
        columns: &[String],
        encoder: Option<CsvEncoder>,
    ) -> Result<Sink, Error> {
        check_columns(&path.display().to_string(), columns)?;
        let (place, file) = Place::create(claims, "the release", path)?;
        let file = match place.is_renamed() {
            true => SyncedFile::new(file),
            false => SyncedFile::never_synced(file),
        };
        // Whole batches pass by the buffer.
        let out = Hashing::new(BufWriter::with_capacity(file::CHUNK / 8, file));
        let body = match format {
            OutputFormat::Csv { .. } => Body::Csv(out),
            OutputFormat::CsvGzip { .. } => {
                // Without a time in its header, gzip gives equal files for equal tables.
                let gzip = GzBuilder::new().mtime(0);
                Body::Gzip(Box::new(gzip.write(out, Compression::default())))
            }
            #[cfg(feature = "parquet")]
            OutputFormat::Parquet => {
                let writer = crate::parquet::ParquetWriter::new(out, columns);
                Body::Parquet(Box::new(writer))
            }
            #[cfg(not(feature = "parquet"))]
            OutputFormat::Parquet => {
                return Err(Error::WithoutParquet {
                    path: path.display().to_string(),
                });
            }
        };
        let mut sink = Sink {
            place,
            encoder,
            body,
            text: EncodedRows::default(),
        };
        if let Some(encoder) = encoder {
            let mut header = Vec::new();
            encoder.encode_row(columns.iter().map(String::as_bytes), &mut header);
            sink.append(&mut header)?;
        }
        Ok(sink)
    }

    /// Appends text, which becomes memory to be used again.
    fn append(&mut self, text: &mut Vec<u8>) -> Result<(), Error> {
        let result = match &mut self.body {
            Body::Csv(out) => out.write_taking(text),
            Body::Gzip(out) => out.write_all(text),
            #[cfg(feature = "parquet")]
            Body::Parquet(_) => panic!("{NO_ENCODER}"),
        };
        result.map_err(|source| Error::of_write(&self.place.path, self.bytes(), source))
    }

    fn bytes(&self) -> u64 {
        match &self.body {
            Body::Csv(out) => out.byte_count(),
            Body::Gzip(out) => out.get_ref().byte_count(),
            #[cfg(feature = "parquet")]
            Body::Parquet(writer) => writer.bytes(),
        }
    }
}

impl RowSink for Sink {
    fn keeps_types(&self) -> bool {
        match &self.body {
            #[cfg(feature = "parquet")]
            Body::Parquet(_) => true,
            Body::Csv(_) | Body::Gzip(_) => false,
        }
    }

    fn use_threads(&mut self, threads: usize) {
        match &mut self.body {
            #[cfg(feature = "parquet")]
            Body::Parquet(writer) => writer.use_threads(threads),
            Body::Csv(_) | Body::Gzip(_) => {
                let _ = threads;
            }
        }
    }

    /// The columns are known since [`Sink::create`]. CSV stores text whatever the types are.
    fn begin(&mut self, _: &[String], types: Option<Vec<ColumnType>>) -> Result<(), Error> {
        match (&mut self.body, types) {
            #[cfg(feature = "parquet")]
            (Body::Parquet(writer), Some(types)) => writer.set_types(types),
            _ => {}
        }
        Ok(())
    }

    fn write(&mut self, rows: &PublishedRows) -> Result<(), Error> {
        #[cfg(feature = "parquet")]
        if let Body::Parquet(writer) = &mut self.body {
            return writer.write(&self.place.path, rows.rows());
        }
        let mut text = std::mem::take(&mut self.text);
        if let Some(encoder) = self.encoder {
            encoder.encode_published(rows, &mut text);
        }
        let result = self.append(text.bytes_mut());
        self.text = text;
        result
    }

    fn encoder(&self) -> Option<CsvEncoder> {
        self.encoder
    }

    fn write_encoded(&mut self, rows: &mut EncodedRows) -> Result<(), Error> {
        self.append(rows.bytes_mut())
    }

    fn is_behind(&self) -> Option<bool> {
        match &self.body {
            Body::Csv(out) => Some(out.is_behind()),
            Body::Gzip(_) => None,
            #[cfg(feature = "parquet")]
            Body::Parquet(_) => None,
        }
    }

    fn do_between(&mut self, work: WorkBetween) {
        if let Body::Csv(out) = &mut self.body {
            out.do_between(work);
        }
    }

    fn temporary_path(&self) -> Option<&Path> {
        self.place.temporary_path()
    }

    fn finish(self: Box<Self>, _: Confirmation) -> Result<Written, Error> {
        let bytes = self.bytes();
        let place = self.place;
        let out = match self.body {
            Body::Csv(out) => Ok(out),
            Body::Gzip(out) => out.finish(),
            #[cfg(feature = "parquet")]
            Body::Parquet(writer) => Ok(writer.finish(&place.path)?),
        };
        let to_error = |source| Error::of_write(&place.path, bytes, source);
        let mut out = out.map_err(to_error)?;
        let written = Written {
            sha256: out.fingerprint(),
            bytes: out.byte_count(),
        };
        let file = out
            .into_inner()
            .into_inner()
            .map_err(io::IntoInnerError::into_error)
            .and_then(SyncedFile::into_file)
            .map_err(to_error)?;
        place.publish(file)?;
        Ok(written)
    }
}

/// Writes `bytes` to a file at `path` in one step; `-` is standard output.
///
/// For small, complete contents: job files, hierarchies. `what` is its name in messages, such as `the job file`.
pub fn write_atomically(
    claims: &Claims,
    what: &'static str,
    path: impl AsRef<Path>,
    bytes: &[u8],
) -> Result<Written, Error> {
    PendingFile::create(claims, what, path)?.publish(bytes)
}

/// A small file that appears in one step or not at all. Its location is checked before its content is known, for files
/// written after a long run: certificates.
pub struct PendingFile {
    place: Place,
    file: File,
}

impl PendingFile {
    /// Opens a file at `path`; `-` is standard output. Fails now if it cannot be written, or is already read or
    /// written. Missing folders are created.
    pub fn create(
        claims: &Claims,
        what: &'static str,
        path: impl AsRef<Path>,
    ) -> Result<PendingFile, Error> {
        let (place, file) = Place::create(claims, what, path.as_ref())?;
        Ok(PendingFile { place, file })
    }

    /// The file that holds the content until then; none if it has no name.
    pub fn temporary_path(&self) -> Option<&Path> {
        self.place.temporary_path()
    }

    /// Makes the file visible with this content.
    pub fn publish(self, bytes: &[u8]) -> Result<Written, Error> {
        self.write(bytes)?.appear()
    }

    /// Writes the content, of which nobody sees anything yet.
    pub fn write(mut self, bytes: &[u8]) -> Result<ReadyFile, Error> {
        let stored = self.file.write_all(bytes);
        stored.map_err(|source| Error::of_write(&self.place.path, 0, source))?;
        let written = Written {
            sha256: Fingerprint::of(bytes),
            bytes: bytes.len() as u64,
        };
        Ok(ReadyFile {
            place: self.place,
            file: self.file,
            written,
        })
    }
}

/// A [`PendingFile`] with its content, of which nothing is left if it never appears.
pub struct ReadyFile {
    place: Place,
    file: File,
    written: Written,
}

impl ReadyFile {
    /// What will appear.
    pub fn written(&self) -> &Written {
        &self.written
    }

    /// Where it will appear.
    pub fn path(&self) -> &Path {
        &self.place.path
    }

    /// Makes the file visible.
    pub fn appear(self) -> Result<Written, Error> {
        self.place.publish(self.file)?;
        Ok(self.written)
    }

    /// Makes the file visible. If it cannot get its name, it appears under the name with this ending, so that nothing of it is
    /// lost; then the error comes with its place, if that was possible.
    pub fn appear_or_aside(self, ending: &str) -> Result<Written, (Error, Option<PathBuf>)> {
        let Appearance::Renamed(temporary, target) = self.place.how else {
            return self.appear().map_err(|error| (error, None));
        };
        let path = self.place.path;
        let not_written = |source| Error::of_write(&path, 0, source);
        let synced = self.file.sync_all();
        synced.map_err(|error| (not_written(error), None))?;
        let persisted = temporary.persist(&target);
        let failed = match persisted {
            Ok(()) => {
                self.place.folders.keep();
                sync_folder(&target);
                return Ok(self.written);
            }
            Err(failed) => failed,
        };
        let beside = |path: &Path| {
            let mut beside = path.to_owned();
            beside.as_mut_os_string().push(ending);
            beside
        };
        let aside = failed.path.persist(beside(&target)).is_ok();
        if aside {
            self.place.folders.keep();
            sync_folder(&target);
        }
        Err((not_written(failed.error), aside.then(|| beside(&path))))
    }

    /// Makes the file visible under a name with this ending, because nobody knows whether what it is about is there.
    pub fn appear_with_ending(mut self, ending: &str) -> Result<Written, Error> {
        if let Appearance::Renamed(_, target) = &mut self.place.how {
            target.as_mut_os_string().push(ending);
            return self.appear();
        }
        Ok(self.written)
    }
}

/// Where an output will appear.
struct Place {
    path: PathBuf,
    how: Appearance,
    /// Removed if nothing appears in them. Dropped after `how`, whose file is in them.
    folders: MadeFolders,
}

enum Appearance {
    /// By renaming this file, which is deleted if that never happens.
    Renamed(tempfile::TempPath, PathBuf),
    /// By copying into something that cannot be replaced: a device, a pipe.
    Copied(File),
    /// By copying to standard output.
    Printed,
}

impl Place {
    fn create(claims: &Claims, what: &'static str, path: &Path) -> Result<(Place, File), Error> {
        claims.write(what, path)?;
        let not_writable = |source| Error::NotWritable {
            path: path.into(),
            source,
        };
        let place = |how| Place {
            path: path.into(),
            how,
            folders: MadeFolders::default(),
        };
        let unnamed = || tempfile::tempfile().map_err(not_writable);
        if path == Path::new("-") {
            return Ok((place(Appearance::Printed), unnamed()?));
        }
        // A link stays in place: the file it points to is replaced, not the link.
        let target = match std::fs::canonicalize(path) {
            Ok(target) => target,
            Err(_) => path.into(),
        };
        if target.is_dir() {
            return Err(Error::IsDirectory { path: path.into() });
        }
        if is_device(&target) {
            let device = File::options().write(true).open(&target);
            let device = device.map_err(not_writable)?;
            return Ok((place(Appearance::Copied(device)), unnamed()?));
        }
        let folder = match target.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let folders = MadeFolders::make(folder)?;
        // The path that tempfile adds differs in every run and does not help.
        let (file, temporary) = part_file::create(folder)
            .map_err(|error| not_writable(error.kind().into()))?
            .into_parts();
        let mut place = place(Appearance::Renamed(temporary, target));
        place.folders = folders;
        Ok((place, file))
    }

    /// Whether the file that is written becomes the output.
    fn is_renamed(&self) -> bool {
        matches!(self.how, Appearance::Renamed(..))
    }

    fn temporary_path(&self) -> Option<&Path> {
        match &self.how {
            Appearance::Renamed(temporary, _) => Some(temporary),
            Appearance::Copied(_) | Appearance::Printed => None,
        }
    }

    /// Makes the content of `file` visible.
    fn publish(self, mut file: File) -> Result<(), Error> {
        let to_error = |source| Error::of_write(&self.path, 0, source);
        match self.how {
            Appearance::Renamed(temporary, target) => {
                file.sync_all().map_err(to_error)?;
                temporary
                    .persist(&target)
                    .map_err(|error| to_error(error.error))?;
                self.folders.keep();
                sync_folder(&target);
                Ok(())
            }
            Appearance::Copied(device) => copy_out(&mut file, device).map_err(to_error),
            Appearance::Printed => copy_out(&mut file, io::stdout().lock()).map_err(to_error),
        }
    }
}

/// Folders that were created for an output, deepest last. They are removed unless the output appears.
#[derive(Default)]
struct MadeFolders(Vec<PathBuf>);

impl MadeFolders {
    /// Creates `folder` and missing parents.
    fn make(folder: &Path) -> Result<MadeFolders, Error> {
        let missing = folder.ancestors().take_while(|above| {
            !above.as_os_str().is_empty() && std::fs::symlink_metadata(above).is_err()
        });
        let missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        let mut made = MadeFolders::default();
        for path in missing.into_iter().rev() {
            match std::fs::create_dir(&path) {
                Ok(()) => made.0.push(path),
                // Another process was faster, or a name such as `a/..` exists by now.
                Err(_) if path.is_dir() => {}
                Err(source) => return Err(Error::FolderNotMade { path, source }),
            }
        }
        Ok(made)
    }

    /// Keeps them.
    fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // A folder that is not empty stays.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

fn copy_out(file: &mut File, mut to: impl Write) -> io::Result<()> {
    file.rewind()?;
    match io::copy(file, &mut to).and_then(|_| to.flush()) {
        // The reader has seen enough, as in `incrowd ... | head`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Makes the new name survive a power cut. The file itself is already safe, so a failure changes nothing.
fn sync_folder(target: &Path) {
    #[cfg(unix)]
    if let Some(folder) = target.parent()
        && let Ok(folder) = File::open(if folder == Path::new("") {
            Path::new(".")
        } else {
            folder
        })
    {
        let _ = folder.sync_all();
    }
    #[cfg(not(unix))]
    let _ = target;
}
