//! The files a job writes: begun before the long run, there only when all is well.

use crate::certificate::Certificate;
use crate::control::Control;
use crate::error::Error;
use crate::job::Job;
use crate::outcome::FileWritten;
use crate::plan::Plan;
use incrowd_core::publish::{Confirmation, PublishedRows};
use incrowd_io::{CsvEncoder, OutputFormat, PendingFile, Sink, Source};
use std::path::{Path, PathBuf};

/// Nothing a job writes may be what it reads, or be written twice.
pub(crate) fn check_outputs(job: &Job, source: &Source) -> Result<(), Error> {
    let release = job.output.path.as_ref().map(Path::new);
    let certificate = job.output.certificate.as_deref();
    let readable = certificate.map(readable_twin);
    if let (Some(certificate), Some(readable)) = (certificate, &readable) {
        if certificate == readable {
            let path = readable.clone();
            return Err(Error::CertificateName { path });
        }
        if release.is_none() {
            return Err(Error::CertificateAlone);
        }
    }
    let outputs = [
        ("the release", release),
        ("the certificate", certificate),
        ("the readable certificate", readable.as_deref()),
    ];
    for (what, path) in outputs {
        if let (Some(path), Some(input)) = (path, source.path())
            && is_same(path, input)
        {
            let path = path.to_owned();
            return Err(Error::OverwritesInput { what, path });
        }
    }
    for (_, path) in &outputs[1..] {
        if let (Some(path), Some(release)) = (path, release)
            && is_same(path, release)
        {
            let path = release.to_owned();
            return Err(Error::SameOutput { path });
        }
    }
    Ok(())
}

pub(crate) fn is_same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

/// Where the certificate for people is written.
fn readable_twin(path: &Path) -> PathBuf {
    path.with_extension("txt")
}

/// The file a release is written to. It takes rows that a release has recoded, and nothing else, and appears
/// only with the proof that these are all of them.
pub(crate) struct ReleaseFile {
    path: PathBuf,
    sink: Sink,
}

impl ReleaseFile {
    /// Begins the file the job names, in the dialect of its table; none when the job names none.
    pub(crate) fn create(
        job: &Job,
        plan: &Plan,
        delimiter: Option<u8>,
        control: &Control,
    ) -> Result<Option<Self>, Error> {
        let Some(path) = &job.output.path else {
            return Ok(None);
        };
        let path = PathBuf::from(path);
        let mut format = OutputFormat::of_path(&path)?;
        let is_tsv = format.delimiter() == Some(b'\t');
        if let Some(delimiter) = delimiter.filter(|_| !is_tsv) {
            format = format.with_delimiter(delimiter);
        }
        let sink = Sink::create(&path, format, &plan.names_of(&plan.published()))?;
        if let Some(temporary) = sink.temporary_path() {
            control.add_temporary(temporary);
        }
        Ok(Some(ReleaseFile { path, sink }))
    }

    /// Formats rows for [`ReleaseFile::write_encoded`] on any thread; none for Parquet.
    pub(crate) fn encoder(&self) -> Option<CsvEncoder> {
        self.sink.encoder()
    }

    /// Appends rows that the encoder formatted.
    pub(crate) fn write_encoded(&mut self, text: &[u8]) -> Result<(), Error> {
        Ok(self.sink.write_encoded(text)?)
    }

    /// Appends rows.
    pub(crate) fn write(&mut self, rows: &PublishedRows) -> Result<(), Error> {
        Ok(self.sink.write(rows.rows())?)
    }

    /// Lets the file appear.
    pub(crate) fn finish(self, _proof: Confirmation) -> Result<FileWritten, Error> {
        let written = self.sink.finish()?;
        Ok(FileWritten {
            path: self.path,
            sha256: written.sha256.to_string(),
        })
    }
}

/// The certificate for programs and the one for people.
pub(crate) struct CertificateFiles {
    path: PathBuf,
    json: PendingFile,
    readable: PendingFile,
}

impl CertificateFiles {
    /// Begins the files the job names; none when it names none.
    pub(crate) fn create(job: &Job, control: &Control) -> Result<Option<Self>, Error> {
        let Some(path) = &job.output.certificate else {
            return Ok(None);
        };
        let json = PendingFile::create(path)?;
        let readable = PendingFile::create(readable_twin(path))?;
        for file in [&json, &readable] {
            if let Some(temporary) = file.temporary_path() {
                control.add_temporary(temporary);
            }
        }
        Ok(Some(CertificateFiles {
            path: path.clone(),
            json,
            readable,
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
