//! SHA-256 of the bytes that pass, taken on the way so that no byte is read twice for it.

use sha2::{Digest, Sha256};
use std::fmt;
use std::io::{self, Read, Write};

/// SHA-256 of a whole input or output; shown as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of `bytes`.
    pub fn of(bytes: &[u8]) -> Fingerprint {
        Fingerprint(Sha256::digest(bytes).into())
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Counts and hashes what is read from, or written to, `inner`.
#[derive(Debug)]
pub(crate) struct Hashing<T> {
    inner: T,
    hasher: Sha256,
    bytes: u64,
}

impl<T> Hashing<T> {
    pub(crate) fn new(inner: T) -> Self {
        Hashing {
            inner,
            hasher: Sha256::new(),
            bytes: 0,
        }
    }

    /// How many bytes have passed.
    pub(crate) fn byte_count(&self) -> u64 {
        self.bytes
    }

    /// The fingerprint of what has passed so far.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        Fingerprint(self.hasher.clone().finalize().into())
    }

    pub(crate) fn into_inner(self) -> T {
        self.inner
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..count]);
        self.bytes += count as u64;
        Ok(count)
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(buffer)?;
        self.hasher.update(&buffer[..count]);
        self.bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_reads_as_sha256sum_prints_it() {
        assert_eq!(
            Fingerprint::of(b"abc").to_string(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn bytes_are_hashed_on_the_way_in_and_on_the_way_out() {
        let mut input = Hashing::new(&b"abc"[..]);
        let mut output = Hashing::new(Vec::new());
        io::copy(&mut input, &mut output).unwrap();
        assert_eq!(input.byte_count(), 3);
        assert_eq!(input.fingerprint(), Fingerprint::of(b"abc"));
        assert_eq!(output.fingerprint(), input.fingerprint());
        assert_eq!(output.into_inner(), b"abc");
    }
}
