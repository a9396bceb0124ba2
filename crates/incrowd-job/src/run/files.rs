//! The files a job writes: begun before the long run, there only when all is well.

use crate::error::Error;
use crate::report::certificate::Certificate;
use crate::report::outcome::FileWritten;
use crate::run::control::Control;
use crate::run::plan::Plan;
use crate::spec::{HierarchySource, Job};
use incrowd_core::publish::{Confirmation, PublishedRows};
use incrowd_io::{
    Claims, ColumnType, CsvEncoder, EncodedRows, OutputFormat, PendingFile, RowSink, Sink,
};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Every file that a job reads, claimed, so that none of them can be written.
///
/// All that this crate writes is written with these: what a command reads is in its job.
pub(crate) fn claims(job: &Job) -> Claims {
    let claims = Claims::default();
    if let Some(path) = job.data.path.as_deref() {
        claims.read("the table", path);
    }
    if let Some(path) = &job.file {
        claims.read("the job file", path);
    }
    for path in &job.reads {
        claims.read("a file that is read", path);
    }
    // Which columns have a role may not be known yet, so every file of the folder counts.
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

/// What can be said about the files a job writes before any is begun.
pub(crate) fn check_outputs(job: &Job) -> Result<(), Error> {
    let release = job.output.path.as_deref();
    if let Some(certificate) = job.output.certificate.as_deref() {
        let readable = readable_twin(certificate);
        if certificate == readable {
            return Err(Error::CertificateName { path: readable });
        }
        if release.is_none() && job.output.sink.is_none() {
            return Err(Error::CertificateAlone);
        }
    }
    Ok(())
}

/// Where the certificate for people is written.
fn readable_twin(path: &Path) -> PathBuf {
    path.with_extension("txt")
}

/// Begins the certificate for people, whose name nobody typed: what is there already must be one of ours.
fn begin_readable(claims: &Claims, path: PathBuf) -> Result<PendingFile, Error> {
    // That a file is read says more than that it is no certificate, so claims come first.
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

/// What a release is written to. It takes rows that a release has recoded, and nothing else, and appears
/// only with the proof that these are all of them.
pub(crate) struct ReleaseFile {
    path: PathBuf,
    columns: Vec<String>,
    sink: Box<dyn RowSink>,
}

/// What stands for the path of a release that is no file.
const ATTACHED: &str = "attached table";

impl ReleaseFile {
    /// Begins the file the job names, in the dialect of its table; none when the job names none.
    pub(crate) fn create(
        job: &Job,
        plan: &Plan,
        delimiter: Option<u8>,
        claims: &Claims,
        control: &Control,
    ) -> Result<Option<Self>, Error> {
        let columns = plan.names_of(&plan.published());
        if let Some(attached) = &job.output.sink {
            let sink = attached.take().ok_or(Error::SinkUsed)?;
            return Ok(Some(ReleaseFile {
                path: ATTACHED.into(),
                columns,
                sink,
            }));
        }
        let Some(path) = &job.output.path else {
            return Ok(None);
        };
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

    /// Says how each column is stored, before any row is written; none where everything is text.
    pub(crate) fn begin(&mut self, types: Option<Vec<ColumnType>>) -> Result<(), Error> {
        Ok(self.sink.begin(&self.columns, types)?)
    }

    /// Formats rows for [`ReleaseFile::write_encoded`] on any thread; none where they are written as they come.
    pub(crate) fn encoder(&self) -> Option<CsvEncoder> {
        self.sink.encoder()
    }

    /// Appends rows that the encoder formatted.
    pub(crate) fn write_encoded(&mut self, rows: &EncodedRows) -> Result<(), Error> {
        Ok(self.sink.write_encoded(rows)?)
    }

    /// Appends rows.
    pub(crate) fn write(&mut self, rows: &PublishedRows) -> Result<(), Error> {
        Ok(self.sink.write(rows)?)
    }

    /// Lets the file appear.
    pub(crate) fn finish(self, proof: Confirmation) -> Result<FileWritten, Error> {
        let written = self.sink.finish(proof)?;
        Ok(FileWritten {
            path: self.path,
            sha256: written.sha256.to_string(),
        })
    }
}

/// The certificate for programs and the one for people.
pub(crate) struct CertificateFiles {
    path: PathBuf,
    /// Begun second and dropped first: a folder made for the other can go only when nothing is left in it.
    readable: PendingFile,
    json: PendingFile,
}

impl CertificateFiles {
    /// Begins the files the job names; none when it names none.
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

    /// Lets both appear. A release must not stay without the certificate that was asked for.
    pub(crate) fn write(
        self,
        certificate: &Certificate,
        release: &Path,
    ) -> Result<FileWritten, Error> {
        let written = self
            .readable
            .publish(certificate.to_text().as_bytes())
            .and_then(|_| self.json.publish(certificate.to_json().as_bytes()));
        match written {
            Ok(written) => Ok(FileWritten {
                path: self.path,
                sha256: written.sha256.to_string(),
            }),
            Err(error) => {
                if release.is_file() {
                    // The error at hand says more than one about cleaning up would.
                    let _ = std::fs::remove_file(release);
                }
                Err(error.into())
            }
        }
    }
}
