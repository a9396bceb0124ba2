//! The files a job writes: opened before the long run, visible only if everything succeeds.

use crate::error::Error;
use crate::report::certificate::Certificate;
use crate::report::outcome::{FileWritten, Outcome};
use crate::run::control::{Control, Phase};
use crate::run::plan::Plan;
use crate::spec::{HierarchySource, Job};
use incrowd_core::publish::{Confirmation, PublishedRows, ReleaseMap, Tally};
use incrowd_io::{
    Claims, ColumnType, CsvEncoder, EncodedRows, EngineFacts, LastStep, NewTable, OutputFormat,
    PendingFile, Publishing, ReadyFile, RowSink, RowSource, Sink, TakeGroups, WorkBetween,
};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Every file that a job reads, claimed, so that none of them can be written.
///
/// Everything this crate writes goes through these claims: whatever a command reads is in its job.
pub(crate) fn claims(job: &Job) -> Claims {
    let claims = Claims::default();
    claim_table(&claims, "the table", job.data.path.as_deref());
    claim_table(&claims, "the population", job.privacy.population.as_deref());
    let database = job
        .output
        .path
        .as_deref()
        .filter(|path| incrowd_sql::is_address(path));
    claim_table(&claims, "the database of the release", database);
    if let Some(path) = &job.file {
        claims.read("the job file", path);
    }
    for path in &job.reads {
        claims.read("a file that is read", path);
    }
    // The roles of columns may not be known yet, so every file of the folder counts.
    let folder = job.columns.hierarchies.as_deref();
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok());
    for entry in entries.into_iter().flatten().flatten() {
        claims.read("a hierarchy", entry.path());
    }
    for levels in job.hierarchies.values() {
        if let HierarchySource::File(path) = levels {
            claims.read("a hierarchy", path);
        }
    }
    claims
}

/// Claims a table that is read, by its path or by the files of the database that it is in.
fn claim_table(claims: &Claims, what: &'static str, table: Option<&str>) {
    let Some(table) = table else { return };
    if let Some(file) = incrowd_sql::database_file(table) {
        let mut log = file.as_os_str().to_owned();
        log.push(".wal");
        claims.read(what, file);
        claims.read(what, log);
    } else if !incrowd_sql::is_address(table) {
        claims.read(what, table);
    }
}

/// Checks the output files of a job before any is opened.
pub(crate) fn check_outputs(job: &Job) -> Result<(), Error> {
    if let Some(certificate) = job.output.certificate.as_deref() {
        let readable = readable_twin(certificate);
        if certificate == readable {
            return Err(Error::CertificateName { path: readable });
        }
        if !job.output.is_asked_for() {
            return Err(Error::CertificateAlone);
        }
    }
    match job.output.report.as_deref() {
        None => Ok(()),
        // The page appears with the release or not at all, and nothing printed can be taken back.
        Some(path) if path == Path::new("-") => Err(Error::StandardOutputTwice),
        Some(_) if !job.output.is_asked_for() => Err(Error::ReportAlone),
        Some(_) => Ok(()),
    }
}

/// Where the readable certificate is written.
fn readable_twin(path: &Path) -> PathBuf {
    path.with_extension("txt")
}

/// Opens the readable certificate. Its name was not given by the user, so an existing file must be one of ours.
fn begin_readable(claims: &Claims, path: PathBuf) -> Result<PendingFile, Error> {
    // That a file is an input is a better error than that it is not a certificate, so claims come first.
    let pending = PendingFile::create(claims, "the readable certificate", &path)?;
    let is_file = path.metadata().is_ok_and(|found| found.is_file());
    match is_file && !is_empty_or_certificate(&path).unwrap_or(false) {
        true => Err(Error::CertificateTwin { path }),
        false => Ok(pending),
    }
}

fn is_empty_or_certificate(path: &Path) -> std::io::Result<bool> {
    let mut start = Vec::new();
    let length = Certificate::FIRST_LINE.len() as u64;
    std::fs::File::open(path)?
        .take(length)
        .read_to_end(&mut start)?;
    Ok(start.is_empty() || start == Certificate::FIRST_LINE.as_bytes())
}

/// The output of a release. It accepts only rows recoded by a release, and appears only with the proof that they are
/// complete.
pub(crate) struct ReleaseFile {
    path: PathBuf,
    columns: Vec<String>,
    sink: Box<dyn RowSink>,
}

/// Shown as the path of a release that is not a file.
const ATTACHED: &str = "attached table";

impl ReleaseFile {
    /// Opens the file the job names, in the dialect of its table, or begins a table in a database, in that of the source if
    /// it is there; none if the job names none.
    pub(crate) fn create(
        job: &Job,
        source: &dyn RowSource,
        plan: &Plan,
        delimiter: Option<u8>,
        claims: &Claims,
        control: &Control,
    ) -> Result<Option<Self>, Error> {
        let columns = plan.names_of(&plan.published());
        if let Some(attached) = &job.output.sink {
            if job.output.spreadsheet_safe == Some(true) {
                let path = ATTACHED.into();
                return Err(incrowd_io::Error::SpreadsheetNeedsText { path }.into());
            }
            let sink = attached.take().ok_or(Error::SinkUsed)?;
            control.add_engine(sink.cancel());
            return Ok(Some(ReleaseFile {
                path: ATTACHED.into(),
                columns,
                sink,
            }));
        }
        let Some(path) = &job.output.path else {
            return Ok(None);
        };
        if incrowd_sql::is_address(path) {
            if job.output.spreadsheet_safe == Some(true) {
                let path = incrowd_sql::shown(path).into();
                return Err(incrowd_io::Error::SpreadsheetNeedsText { path }.into());
            }
            return Ok(Some(ReleaseFile {
                sink: new_table(job, path, source, plan, control)?,
                path: incrowd_sql::shown(path).into(),
                columns,
            }));
        }
        Error::refuse_address(path)?;
        let path = PathBuf::from(path);
        let mut format = OutputFormat::of_path(&path)?;
        let is_tsv = format.delimiter() == Some(b'\t');
        if let Some(delimiter) = delimiter.filter(|_| !is_tsv) {
            format = format.with_delimiter(delimiter);
        }
        let sink = match job.output.spreadsheet_safe {
            Some(true) => Sink::create_spreadsheet_safe(claims, &path, format, &columns)?,
            _ => Sink::create(claims, &path, format, &columns)?,
        };
        if let Some(temporary) = sink.temporary_path() {
            control.add_temporary(temporary);
        }
        Ok(Some(ReleaseFile {
            path,
            columns,
            sink: Box::new(sink),
        }))
    }

    /// Whether columns can be stored as anything but text.
    pub(crate) fn keeps_types(&self) -> bool {
        self.sink.keeps_types()
    }

    /// Sets the type of each column before any row is written; none if everything is text. So many threads may be used
    /// to store rows.
    pub(crate) fn begin(
        &mut self,
        types: Option<Vec<ColumnType>>,
        threads: usize,
    ) -> Result<(), Error> {
        self.sink.use_threads(threads);
        Ok(self.sink.begin(&self.columns, types)?)
    }

    /// Formats rows for [`ReleaseFile::write_encoded`] on any thread; none where they are written as they come.
    pub(crate) fn encoder(&self) -> Option<CsvEncoder> {
        self.sink.encoder()
    }

    /// Appends rows that the encoder formatted.
    pub(crate) fn write_encoded(&mut self, rows: &mut EncodedRows) -> Result<(), Error> {
        Ok(self.sink.write_encoded(rows)?)
    }

    /// Whether so many rows wait to be hashed that there is time for other work; none where something else takes longest.
    pub(crate) fn is_behind(&self) -> Option<bool> {
        self.sink.is_behind()
    }

    /// Has the thread that hashes rows do other work too, if there is one.
    pub(crate) fn do_between(&mut self, work: WorkBetween) {
        self.sink.do_between(work);
    }

    /// Appends rows.
    pub(crate) fn write(&mut self, rows: &PublishedRows) -> Result<(), Error> {
        Ok(self.sink.write(rows)?)
    }

    /// Has an engine recode the rows, if it holds both the table and the release.
    pub(crate) fn recode(
        &mut self,
        map: &Arc<ReleaseMap>,
        how: Publishing,
        take: TakeGroups<'_>,
    ) -> Option<Result<Tally, Error>> {
        let tally = self.sink.recode(map, how, take)?;
        Some(tally.map_err(Error::from))
    }

    /// The engine that gets the release, if one does.
    pub(crate) fn engine(&self) -> Option<EngineFacts> {
        self.sink.engine()
    }

    /// Makes the file visible, except for a last step that databases have.
    pub(crate) fn finish_but_one(
        self,
        proof: Confirmation,
    ) -> Result<(FileWritten, Option<LastStep>), Error> {
        let (written, last) = self.sink.finish_but_one(proof)?;
        let written = FileWritten {
            path: self.path,
            sha256: written.sha256.to_string(),
        };
        Ok((written, last))
    }
}

/// A new table in a database: that of the source, so that rows need not leave it, or another.
fn new_table(
    job: &Job,
    address: &str,
    source: &dyn RowSource,
    plan: &Plan,
    control: &Control,
) -> Result<Box<dyn RowSink>, Error> {
    let published = plan.published();
    let columns = published.iter().map(|at| {
        let is_text = plan.quasi_identifiers.contains(at);
        (plan.names[*at].clone(), is_text)
    });
    let columns: Vec<(String, bool)> = columns.collect();
    let kept = published.iter().filter(|at| plan.kept.contains(at));
    let kept: Vec<String> = kept.map(|&at| plan.names[at].clone()).collect();
    let table = NewTable {
        address,
        columns: &columns,
        kept: &kept,
        replaces: job.output.replace == Some(true),
    };
    let handle = source.handle();
    control.within(job.search.time_limit, Phase::Write, || {
        control.while_engine_is_reached(|| {
            let note = |cancel| control.add_engine(Some(cancel));
            Ok(incrowd_sql::create(&table, handle, &note)?)
        })
    })
}

/// The certificate as JSON and as text.
pub(crate) struct CertificateFiles {
    path: PathBuf,
    /// Opened second and dropped first: a folder created for the other can be removed only when it is empty.
    readable: PendingFile,
    json: PendingFile,
}

impl CertificateFiles {
    /// Opens the files the job names; none if it names none.
    pub(crate) fn create(
        job: &Job,
        claims: &Claims,
        control: &Control,
    ) -> Result<Option<Self>, Error> {
        let Some(path) = &job.output.certificate else {
            return Ok(None);
        };
        let json = PendingFile::create(claims, "the certificate", path)?;
        let readable = begin_readable(claims, readable_twin(path))?;
        for file in [&json, &readable] {
            if let Some(temporary) = file.temporary_path() {
                control.add_temporary(temporary);
            }
        }
        Ok(Some(CertificateFiles {
            path: path.clone(),
            readable,
            json,
        }))
    }

    /// Writes both, not yet to be seen.
    pub(crate) fn write(
        self,
        certificate: &Certificate,
        ready: &mut Vec<ReadyFile>,
    ) -> Result<FileWritten, Error> {
        let readable = self.readable.write(certificate.to_text().as_bytes())?;
        let json = self.json.write(certificate.to_json().as_bytes())?;
        let sha256 = json.written().sha256.to_string();
        ready.extend([readable, json]);
        Ok(FileWritten {
            path: self.path,
            sha256,
        })
    }
}

/// Makes files visible that are about a release: all of them, or none.
pub(crate) fn appear(ready: Vec<ReadyFile>) -> Result<(), Error> {
    let mut appeared = Vec::new();
    for file in ready {
        let path = file.path().to_owned();
        match file.appear() {
            Ok(_) => appeared.push(path),
            Err(error) => {
                appeared.iter().for_each(|path| remove(path));
                return Err(error.into());
            }
        }
    }
    Ok(())
}

/// How files end that are about a release of which nobody knows whether it is there.
const UNCONFIRMED: &str = ".unconfirmed";

/// Lets nobody take files for those of a release, and loses none of them.
pub(crate) fn set_aside(ready: Vec<ReadyFile>) {
    for file in ready {
        // That nobody knows about the release is more important than this.
        let _ = file.appear_with_ending(UNCONFIRMED);
    }
}

/// Makes files visible that are about a release that everybody sees already. It is not taken back if one of them cannot get
/// its name, and neither are the others.
pub(crate) fn appear_afterwards(ready: Vec<ReadyFile>, release: &Path) -> Result<(), Error> {
    let mut failed = None;
    for file in ready {
        let path = file.path().to_owned();
        if let Err((source, aside)) = file.appear_or_aside(UNCONFIRMED) {
            failed.get_or_insert(Error::PublishedWithout {
                release: release.display().to_string(),
                path,
                aside,
                source: Box::new(source),
            });
        }
    }
    failed.map_or(Ok(()), Err)
}

/// Removes a file that was written. The error that led to this is more useful than one about cleaning up.
fn remove(path: &Path) {
    if path.is_file() {
        let _ = std::fs::remove_file(path);
    }
}

/// Removes a release, which must not remain without what was requested with it.
pub(crate) fn withdraw(outcome: &Outcome) {
    if let Some(release) = &outcome.output {
        remove(&release.path);
    }
}

/// A page about what a command found.
pub(crate) struct PageFile {
    path: PathBuf,
    file: PendingFile,
}

impl PageFile {
    /// Opens the file; none if no page is requested.
    pub(crate) fn create(
        claims: &Claims,
        path: Option<&Path>,
        control: &Control,
    ) -> Result<Option<Self>, Error> {
        let Some(path) = path else {
            return Ok(None);
        };
        let file = PendingFile::create(claims, "the report", path)?;
        if let Some(temporary) = file.temporary_path() {
            control.add_temporary(temporary);
        }
        Ok(Some(PageFile {
            path: path.to_owned(),
            file,
        }))
    }

    /// Makes it visible.
    pub(crate) fn write(self, page: &str) -> Result<FileWritten, Error> {
        let mut ready = Vec::new();
        let written = self.prepare(page, &mut ready)?;
        appear(ready)?;
        Ok(written)
    }

    /// Writes it, not yet to be seen.
    pub(crate) fn prepare(
        self,
        page: &str,
        ready: &mut Vec<ReadyFile>,
    ) -> Result<FileWritten, Error> {
        let file = self.file.write(page.as_bytes())?;
        let sha256 = file.written().sha256.to_string();
        ready.push(file);
        Ok(FileWritten {
            path: self.path,
            sha256,
        })
    }
}

/// A file without its folder, which is nobody's business but the data holder's.
pub(crate) fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name();
    name.map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into())
}
