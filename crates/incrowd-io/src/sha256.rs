//! SHA-256 of bytes that come piece by piece.

use std::fmt;

/// What was hashed so far.
///
/// On a processor without instructions for it, half of the CPU time of a whole job on CSV was spent in the crate sha2, so
/// here ring does it, by code written for such processors. Where there are instructions, both use them.
#[derive(Clone)]
pub(crate) struct Sha256(Box<ring::digest::Context>);

impl Sha256 {
    /// The hash of `bytes`.
    pub(crate) fn of(bytes: &[u8]) -> [u8; 32] {
        in_bytes(ring::digest::digest(&ring::digest::SHA256, bytes))
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The hash of all that was added so far.
    pub(crate) fn hash(&self) -> [u8; 32] {
        in_bytes(ring::digest::Context::clone(&self.0).finish())
    }
}

fn in_bytes(digest: ring::digest::Digest) -> [u8; 32] {
    let bytes = digest.as_ref().try_into();
    bytes.expect("SHA-256 has 32 bytes")
}

impl Default for Sha256 {
    fn default() -> Self {
        Sha256(Box::new(ring::digest::Context::new(&ring::digest::SHA256)))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sha256")
    }
}
