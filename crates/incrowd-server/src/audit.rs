//! Everything asked and granted, in a file that is only appended to. Every entry carries the hash of the one before it, so
//! that nothing can be changed, taken out or put in between without breaking the chain.
//!
//! The hash of an entry is SHA-256 over its line up to `,"hash":`. Whoever notes the last hash (the *head*) elsewhere can
//! also tell whether the end was cut off.
//!
//! Entries hold numbers, names of columns and hashes, and never a cell.

use crate::data_folder::create_file;
use crate::error::Error;
use crate::tokens::Role;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The hash before the first entry.
const NOTHING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Questions that are remembered, so that the same question about the same table is written down once.
const MOST_REMEMBERED: usize = 100_000;

/// A longer line is not an entry.
const LONGEST_LINE: u64 = 1 << 20;

/// One entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub(crate) number: u64,
    /// In UTC, to the millisecond.
    pub(crate) time: String,
    /// Who did it; none for the server itself.
    pub(crate) role: Option<Role>,
    pub(crate) action: String,
    pub(crate) detail: Value,
    pub(crate) previous: String,
    #[serde(default)]
    pub(crate) hash: String,
}

/// What follows an entry's text before its hash.
const HASH_FIELD: &str = ",\"hash\":\"";

impl Entry {
    /// The line of an entry, and its hash: over everything that stands before the hash.
    fn to_line(&self) -> (String, String) {
        let whole = serde_json::to_string(self).expect("plain data is always JSON");
        let end = whole.rfind(HASH_FIELD).unwrap_or(whole.len());
        let hash = hash_of(&whole.as_bytes()[..end]);
        (format!("{}{HASH_FIELD}{hash}\"}}\n", &whole[..end]), hash)
    }
}

fn hash_of(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digest = Sha256::digest(bytes);
    let halves = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    halves
        .map(|half| char::from(DIGITS[usize::from(half)]))
        .collect()
}

/// Whether the hash at the end of a line is that of what stands before it.
fn is_hashed(line: &[u8], hash: &str) -> bool {
    let suffix = format!("{HASH_FIELD}{hash}\"}}\n");
    let text = line.strip_suffix(suffix.as_bytes());
    text.is_some_and(|text| hash_of(text) == hash)
}

/// A log that was read from its first entry to its last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditChecked {
    /// How many entries it has.
    pub entries: u64,
    /// The hash of the last.
    pub head: String,
}

/// The log that is being written.
#[derive(Debug)]
pub(crate) struct Audit {
    path: PathBuf,
    inner: Mutex<Inner>,
    /// The same file, to wait for the disk while others go on writing.
    synced: File,
}

#[derive(Debug)]
struct Inner {
    file: File,
    entries: u64,
    head: String,
    /// Where the next entry begins.
    end: u64,
    /// Hashes of questions that are in the log already.
    asked: HashSet<[u8; 16]>,
}

impl Audit {
    /// Opens the log and checks all of it. A last line that a killed server did not finish is taken away: nobody was
    /// answered before it was whole.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let failed = |what, error: &std::io::Error| Error::folder(what, path, error);
        if !path.exists() {
            create_file(path).map_err(|error| failed("create", &error))?;
        }
        let (checked, end) = check_file(path, |_| ())?;
        let mut file = File::options()
            .read(true)
            .write(true)
            .open(path)
            .map_err(|error| failed("write", &error))?;
        file.set_len(end).map_err(|error| failed("write", &error))?;
        file.seek(SeekFrom::End(0))
            .map_err(|error| failed("write", &error))?;
        let synced = file.try_clone().map_err(|error| failed("write", &error))?;
        Ok(Audit {
            path: path.to_owned(),
            synced,
            inner: Mutex::new(Inner {
                file,
                entries: checked.entries,
                head: checked.head,
                end,
                asked: HashSet::new(),
            }),
        })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes an entry that must survive even if the power fails: something was granted or changed.
    pub(crate) fn grant(
        &self,
        role: Option<Role>,
        action: &str,
        detail: Value,
    ) -> Result<(), Error> {
        self.append(&mut self.lock(), role, action, detail)?;
        let synced = self.synced.sync_data();
        synced.map_err(|error| Error::folder("write", &self.path, &error))
    }

    /// Writes that a question was asked, unless the same one was asked before about the same table: its answer is the
    /// same, so asking again tells nothing. The entry survives the end of this program; the disk is not waited for.
    pub(crate) fn asked(
        &self,
        role: Role,
        action: &str,
        table: u64,
        question: &[u8],
        detail: impl FnOnce() -> Value,
    ) -> Result<(), Error> {
        let mut digest = Sha256::new();
        digest.update([role as u8]);
        digest.update(table.to_le_bytes());
        digest.update(action.as_bytes());
        digest.update([0]);
        digest.update(question);
        let mut key = [0; 16];
        key.copy_from_slice(&digest.finalize()[..16]);
        let mut inner = self.lock();
        if inner.asked.contains(&key) {
            return Ok(());
        }
        self.append(&mut inner, Some(role), action, detail())?;
        if inner.asked.len() >= MOST_REMEMBERED {
            inner.asked.clear();
        }
        inner.asked.insert(key);
        Ok(())
    }

    fn append(
        &self,
        inner: &mut Inner,
        role: Option<Role>,
        action: &str,
        detail: Value,
    ) -> Result<(), Error> {
        let entry = Entry {
            number: inner.entries + 1,
            time: now(),
            role,
            action: action.to_owned(),
            detail,
            previous: inner.head.clone(),
            hash: String::new(),
        };
        let (line, hash) = entry.to_line();
        if let Err(error) = inner.file.write_all(line.as_bytes()) {
            // Half a line would hide every entry after it.
            let _ = inner.file.set_len(inner.end);
            let _ = inner.file.seek(SeekFrom::Start(inner.end));
            return Err(Error::folder("write", &self.path, &error));
        }
        inner.end += line.len() as u64;
        inner.entries = entry.number;
        inner.head = hash;
        Ok(())
    }

    /// Reads the log from its first entry to its last.
    pub(crate) fn each(&self, each: impl FnMut(Entry)) -> Result<(), Error> {
        check_file(&self.path, each).map(|_| ())
    }

    /// The last `most` entries, read from the file and checked; what the whole log comes to.
    pub(crate) fn read(&self, most: usize) -> Result<(Vec<Entry>, AuditChecked), Error> {
        let head = self.lock().head.clone();
        let mut entries = std::collections::VecDeque::new();
        let (checked, _) = check_file(&self.path, |entry| {
            if entries.len() >= most {
                entries.pop_front();
            }
            entries.push_back(entry);
        })?;
        // Others may have written meanwhile; what was the last entry must still be in it.
        let has_head = checked.head == head || entries.iter().any(|entry| entry.hash == head);
        if !has_head && most > 0 {
            return Err(Error::AuditBroken {
                path: self.path.clone(),
                entry: checked.entries,
            });
        }
        Ok((entries.into(), checked))
    }
}

/// The time, as entries and deals state it.
pub(crate) fn now() -> String {
    let now = jiff::Timestamp::now();
    let rounded = now.round(jiff::Unit::Millisecond).unwrap_or(now);
    format!("{rounded:.3}")
}

/// Checks the audit log of a data folder from its first entry to its last.
pub fn check_audit(folder: &Path) -> Result<AuditChecked, Error> {
    let path = crate::data_folder::audit_log(folder);
    if !path.exists() {
        let error = std::io::Error::from(ErrorKind::NotFound);
        return Err(Error::folder("read", &path, &error));
    }
    Ok(check_file(&path, |_| ())?.0)
}

/// Checks a log; also where its last whole line ends.
fn check_file(path: &Path, mut each: impl FnMut(Entry)) -> Result<(AuditChecked, u64), Error> {
    let file = File::open(path).map_err(|error| Error::folder("read", path, &error))?;
    let mut reader = BufReader::new(file);
    let (mut entries, mut head, mut end) = (0, NOTHING.to_owned(), 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut reader)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line);
        let read = read.map_err(|error| Error::folder("read", path, &error))?;
        if read == 0 || (line.last() != Some(&b'\n') && (read as u64) < LONGEST_LINE) {
            return Ok((AuditChecked { entries, head }, end));
        }
        let broken = || Error::AuditBroken {
            path: path.to_owned(),
            entry: entries + 1,
        };
        let entry: Entry = serde_json::from_slice(&line).map_err(|_| broken())?;
        let follows = entry.number == entries + 1 && entry.previous == head;
        if !follows || !is_hashed(&line, &entry.hash) {
            return Err(broken());
        }
        entries = entry.number;
        head.clone_from(&entry.hash);
        end += read as u64;
        each(entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn log() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let audit = Audit::open(&path).unwrap();
        for number in 0..5 {
            audit
                .grant(
                    Some(Role::Curator),
                    "bounds",
                    json!({ "mask": number, "floor": 2.5 }),
                )
                .unwrap();
        }
        (folder, path)
    }

    fn broken_at(path: &Path) -> Option<u64> {
        match check_file(path, |_| ()) {
            Ok(_) => None,
            Err(Error::AuditBroken { entry, .. }) => Some(entry),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn every_change_of_the_log_is_found() {
        let (_folder, path) = log();
        assert_eq!(broken_at(&path), None);
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        // Any byte of any entry.
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = if bytes[at] == b'7' { b'8' } else { b'7' };
            std::fs::write(&path, &bytes).unwrap();
            let is_last_newline = at == text.len() - 1;
            assert_eq!(broken_at(&path).is_none(), is_last_newline, "byte {at}");
        }
        // An entry gone, repeated, or two swapped.
        for order in [
            vec![0, 1, 3, 4],
            vec![0, 1, 1, 2, 3, 4],
            vec![0, 2, 1, 3, 4],
        ] {
            let kept: String = order.iter().map(|&at| format!("{}\n", lines[at])).collect();
            std::fs::write(&path, kept).unwrap();
            assert!(broken_at(&path).is_some(), "{order:?}");
        }
    }

    #[test]
    fn a_line_that_was_not_finished_is_taken_away_and_the_chain_goes_on() {
        let (_folder, path) = log();
        let whole = std::fs::read(&path).unwrap();
        for cut in 1..200 {
            std::fs::write(&path, &whole[..whole.len() - cut]).unwrap();
            let audit = Audit::open(&path).unwrap();
            audit.grant(None, "start", json!({})).unwrap();
            assert_eq!(broken_at(&path), None, "{cut} bytes cut off");
        }
    }

    #[test]
    fn a_question_asked_again_is_written_down_once_and_again_after_the_table_changes() {
        let (_folder, path) = log();
        let audit = Audit::open(&path).unwrap();
        let ask = |role, table, question: &str| {
            let detail = || json!({ "wish": question });
            let asked = audit.asked(role, "negotiate", table, question.as_bytes(), detail);
            asked.unwrap();
        };
        for _ in 0..3 {
            ask(Role::Analyst, 1, "a");
            ask(Role::Analyst, 1, "b");
            ask(Role::Curator, 1, "a");
            ask(Role::Analyst, 2, "a");
        }
        let (entries, checked) = audit.read(100).unwrap();
        assert_eq!(entries.len(), 5 + 4);
        assert_eq!(checked.entries, 9);
    }
}
