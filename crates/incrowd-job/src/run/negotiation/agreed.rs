//! From an offer to a job.

use super::{Ground, Offered, Wish};
use crate::error::Error;
use crate::run::files;
use crate::spec::{Budget, HierarchySource, Job};
use incrowd_io::write_atomically;
use std::path::{Path, PathBuf};

impl Ground {
    /// The job that makes the release of an offer.
    ///
    /// Levels may not rise above those of the offer, and no more rows may be suppressed. If lower levels satisfy the
    /// model with as few rows suppressed, as offers with weaker privacy may allow, they are used.
    pub fn agreed(&self, wish: &Wish, offer: &Offered) -> Job {
        let mut job = self.job.clone();
        job.privacy.models = Some(vec![offer.model.clone()]);
        job.privacy.max_suppressed = Some(Budget::Rows(offer.rows_suppressed));
        job.privacy.max_levels = Some(offer.levels.clone());
        job.search.metric = Some(wish.metric.clone().unwrap_or_else(|| "height".into()));
        job
    }
}

/// Writes a job file; an existing one is not overwritten.
pub fn write_job(job: &Job, path: &Path) -> Result<(), Error> {
    if path.exists() {
        let paths = vec![path.to_owned()];
        return Err(Error::AlreadyExists { paths });
    }
    let mut job = job.clone();
    hide_secrets(&mut job);
    if path.parent().is_some_and(|folder| folder != Path::new("")) {
        make_absolute(&mut job);
    }
    let text = toml::to_string(&job).map_err(|_| Error::JobNotWritten {
        path: path.to_owned(),
    })?;
    let text =
        format!("# Agreed with `incrowd negotiate`. Paths are relative to this file.\n{text}");
    write_atomically(&files::claims(&job), "the job file", path, text.as_bytes())?;
    Ok(())
}

/// Job files are handed around, so passwords in addresses of tables stay out of them.
fn hide_secrets(job: &mut Job) {
    for address in job.tables_mut() {
        *address = incrowd_sql::without_secrets(address);
    }
}

/// Paths in a job file are relative to its folder, so in another folder they must be absolute.
fn make_absolute(job: &mut Job) {
    let absolute =
        |path: &Path| -> PathBuf { std::path::absolute(path).unwrap_or_else(|_| path.to_owned()) };
    for table in job.tables_mut() {
        *table = incrowd_sql::resolved(table, absolute);
    }
    let paths = [&mut job.columns.hierarchies, &mut job.output.certificate];
    for path in paths.into_iter().flatten() {
        *path = absolute(path);
    }
    for source in job.hierarchies.values_mut() {
        if let HierarchySource::File(path) = source {
            *path = absolute(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agreed_job_holds_no_password() {
        let mut job = Job::default();
        let address = Some("postgres://ann:s3cret@host/db?table=t".to_owned());
        job.data.path.clone_from(&address);
        job.output.path.clone_from(&address);
        job.privacy.population = address;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agreed.toml");
        write_job(&job, &path).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(text.matches("postgres://ann@host/db?table=t").count(), 3);
        assert!(!text.contains("s3cret"), "{text}");
    }
}
