//! The files a job writes: begun before the long run, there only when all is well.

use crate::certificate::Certificate;
use crate::control::Control;
use crate::error::Error;
use crate::hierarchies;
use crate::job::{HierarchySource, Job};
use crate::outcome::FileWritten;
use crate::plan::Plan;
use incrowd_core::publish::{Confirmation, PublishedRows};
use incrowd_io::{CsvEncoder, OutputFormat, PendingFile, Sink, Source};
use std::path::{Path, PathBuf};

/// Nothing a job writes may be what it reads, or be written twice. Needs no file to be opened.
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
    let outputs: Vec<Named<'_>> = [
        // `-` is standard output.
        (
            "the release",
            release.filter(|path| *path != Path::new("-")),
        ),
        ("the certificate", certificate),
        ("the readable certificate", readable.as_deref()),
    ]
    .into_iter()
    .filter_map(|(what, path)| Some((what, path?, identity(path?)?)))
    .collect();
    let inputs = inputs(job, source);
    for (at, (what, path, identity)) in outputs.iter().enumerate() {
        let path = path.to_path_buf();
        if let Some((input, _)) = inputs.iter().find(|(_, input)| input == identity) {
            return Err(Error::OverwritesInput { what, input, path });
        }
        if let Some((first, ..)) = outputs[..at].iter().find(|other| other.2 == *identity) {
            let second = what;
            return Err(Error::SameOutput {
                first,
                second,
                path,
            });
        }
    }
    Ok(())
}

/// Whether two paths mean one file.
pub(crate) fn is_same(a: &Path, b: &Path) -> bool {
    a == b || identity(a).is_some_and(|a| identity(b) == Some(a))
}

/// What a file is for, its path as given, and which file that is.
type Named<'a> = (&'static str, &'a Path, PathBuf);

/// Every file the job reads.
fn inputs(job: &Job, source: &Source) -> Vec<(&'static str, PathBuf)> {
    let columns = job.columns.lists().flatten();
    let of_columns = columns.filter_map(|column| hierarchies::source_of(job, column));
    let levels = of_columns.chain(job.hierarchies.values().cloned());
    let levels = levels.filter_map(|levels| match levels {
        HierarchySource::File(path) => Some(("a hierarchy", path)),
        HierarchySource::Built(_) => None,
    });
    let table = source.path().map(|path| ("the table", path.to_owned()));
    let file = job.file.clone().map(|path| ("the job file", path));
    let all = table.into_iter().chain(file).chain(levels);
    all.filter_map(|(what, path)| Some((what, identity(&path)?)))
        .collect()
}

/// Which file a path means, whether it is there or not; none for what cannot be overwritten, such as a pipe.
fn identity(path: &Path) -> Option<PathBuf> {
    if let Ok(found) = path.canonicalize() {
        return found.is_file().then_some(found);
    }
    let folder = match path.parent()? {
        folder if folder.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    Some(folder.join(path.file_name()?))
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
