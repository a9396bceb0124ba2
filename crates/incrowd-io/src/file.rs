//! Files that can be read more than once: a path, or what came through a pipe.

use crate::Error;
use crate::seal::{BlockHasher, Pass, Seal, Sealing};
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

/// How much is read from a file at once.
pub(crate) const CHUNK: usize = 256 * 1024;

/// A file that several readers share, each at its own position.
#[derive(Debug, Clone)]
pub(crate) struct SharedFile {
    file: Arc<File>,
    bytes: u64,
}

impl SharedFile {
    pub(crate) fn new(file: File) -> io::Result<Self> {
        let bytes = file.metadata()?.len();
        Ok(SharedFile {
            file: Arc::new(file),
            bytes,
        })
    }

    /// The length when the file was opened.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A reader that begins at byte `at`.
    pub(crate) fn read_from(&self, at: u64) -> SharedFileReader {
        SharedFileReader {
            file: self.clone(),
            at,
        }
    }

    /// Reads some bytes from byte `at` on; 0 at the end. Nobody waits for another reader.
    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_at(&*self.file, buffer, at);
        #[cfg(windows)]
        return std::os::windows::fs::FileExt::seek_read(&*self.file, buffer, at);
    }
}

/// Reads a [`SharedFile`] from its own position.
#[derive(Debug)]
pub(crate) struct SharedFileReader {
    file: SharedFile,
    at: u64,
}

impl SharedFileReader {
    pub(crate) fn file(&self) -> &SharedFile {
        &self.file
    }

    /// Goes on behind so many bytes.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes as u64;
    }
}

impl Read for SharedFileReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

/// Copies all of `input` into an unnamed file, which is deleted with its last reader.
///
/// Personal data stays on the disk no longer than the process lives, however it ends.
pub(crate) fn spool(input: &str, mut from: impl Read) -> Result<SharedFile, Error> {
    let folder = std::env::temp_dir();
    let mut file = tempfile::tempfile_in(&folder).map_err(|source| Error::NotWritable {
        path: folder.clone(),
        source,
    })?;
    let mut buffer = vec![0; CHUNK];
    let mut bytes = 0;
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(source) if source.kind() == io::ErrorKind::Interrupted => continue,
            Err(source) => {
                return Err(Error::Read {
                    input: input.into(),
                    byte: bytes,
                    source,
                });
            }
        };
        io::Write::write_all(&mut file, &buffer[..count])
            .map_err(|source| Error::of_write(&folder, bytes, source))?;
        bytes += count as u64;
    }
    SharedFile::new(file).map_err(|source| Error::NotReadable {
        input: input.into(),
        source,
    })
}

/// The text of an input, decompressed if necessary, while its raw bytes are sealed, or compared with their seal.
pub(crate) enum Text {
    Plain(Sealing<SharedFileReader>),
    Gzip(Box<flate2::bufread::MultiGzDecoder<io::BufReader<Sealing<SharedFileReader>>>>),
}

impl Text {
    pub(crate) fn new(file: &SharedFile, gzip: bool, pass: Pass) -> Text {
        let raw = Sealing::new(file.read_from(0), pass);
        if gzip {
            let raw = io::BufReader::with_capacity(CHUNK, raw);
            Text::Gzip(Box::new(flate2::bufread::MultiGzDecoder::new(raw)))
        } else {
            Text::Plain(raw)
        }
    }

    fn raw(&self) -> &Sealing<SharedFileReader> {
        match self {
            Text::Plain(raw) => raw,
            Text::Gzip(decoder) => decoder.get_ref().get_ref(),
        }
    }

    fn raw_mut(&mut self) -> &mut Sealing<SharedFileReader> {
        match self {
            Text::Plain(raw) => raw,
            Text::Gzip(decoder) => decoder.get_mut().get_mut(),
        }
    }

    /// How many raw bytes were read.
    pub(crate) fn bytes(&self) -> u64 {
        self.raw().byte_count()
    }

    /// Reads some text into `buffer`; 0 at the end.
    pub(crate) fn read(&mut self, input: &str, buffer: &mut [u8]) -> Result<usize, Error> {
        loop {
            let result = match self {
                Text::Plain(raw) => raw.read(buffer),
                Text::Gzip(decoder) => decoder.read(buffer),
            };
            match result {
                Ok(count) => return Ok(count),
                Err(source) if source.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(self.error(input, source)),
            }
        }
    }

    fn error(&self, input: &str, source: io::Error) -> Error {
        let (input, byte) = (input.into(), self.bytes());
        // Errors of the operating system carry a code; those of the decompressor do not.
        if matches!(self, Text::Gzip(_)) && source.raw_os_error().is_none() {
            Error::BrokenGzip {
                input,
                byte,
                source,
            }
        } else {
            Error::Read {
                input,
                byte,
                source,
            }
        }
    }

    /// Reads some raw bytes for nothing but the fingerprint, by means of a buffer; false at the end. No text can be read
    /// after that.
    pub(crate) fn pass_over(&mut self, input: &str, buffer: &mut [u8]) -> Result<bool, Error> {
        loop {
            match self.raw_mut().read(buffer) {
                Ok(count) => return Ok(count > 0),
                Err(source) if source.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => {
                    return Err(Error::Read {
                        input: input.into(),
                        byte: self.bytes(),
                        source,
                    });
                }
            }
        }
    }

    /// What it takes to read the text elsewhere; none if it has to be decompressed.
    pub(crate) fn plain(&self) -> Option<(SharedFile, BlockHasher)> {
        match self {
            Text::Plain(raw) => Some((raw.inner().file().clone(), raw.block_hasher())),
            Text::Gzip(_) => None,
        }
    }

    /// Takes text that follows what was read so far and was read elsewhere, with the [hashes](Sealing::take) of its blocks.
    pub(crate) fn take(&mut self, text: &[u8], hashes: &[u64]) {
        let raw = self.raw_mut();
        raw.take(text, hashes);
        raw.inner_mut().skip(text.len());
    }

    /// Has the thread that reads take the fingerprint, and none beside it.
    pub(crate) fn fingerprint_here(&mut self) {
        self.raw_mut().fingerprint_here();
    }

    /// Leaves the fingerprint to the next pass; whether it does.
    pub(crate) fn leave_fingerprint(&mut self) -> bool {
        self.raw_mut().leave_fingerprint()
    }

    /// The seal of all raw bytes; those not read yet are read now. Fails if they should be the same as in a pass before and are
    /// not.
    pub(crate) fn seal(&mut self, input: &str) -> Result<Arc<Seal>, Error> {
        let mut buffer = vec![0; CHUNK];
        while self.pass_over(input, &mut buffer)? {}
        match self.raw_mut().seal() {
            Some(seal) => Ok(seal),
            None => Err(Error::InputChanged {
                input: input.into(),
            }),
        }
    }
}
