//! Encryption: a server must show a certificate that is trusted, or nothing is sent to it.
//!
//! This is stricter than libpq, which checks certificates only with `verify-ca` and `verify-full`: tables about people go
//! through here.

use crate::error::Error;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

/// How bytes travel.
#[derive(Clone)]
pub(crate) enum Tls {
    /// As they are: over a socket of this machine, or because the user says so.
    Plain,
    /// Encrypted.
    Encrypted(MakeRustlsConnect),
}

impl Tls {
    /// Encrypted for servers whose certificate is signed by the authority in a file, or by one that the system trusts.
    pub(super) fn trusting(authority: Option<&Path>) -> Result<Tls, Error> {
        let mut roots = RootCertStore::empty();
        match authority {
            Some(path) => {
                let unusable = || Error::NotConnected {
                    engine: "PostgreSQL",
                    why: "the file of the certificate authority cannot be read".into(),
                };
                let certificates = CertificateDer::pem_file_iter(path).map_err(|_| unusable())?;
                for certificate in certificates {
                    let certificate = certificate.map_err(|_| unusable())?;
                    roots.add(certificate).map_err(|_| unusable())?;
                }
            }
            None => {
                let trusted = rustls_native_certs::load_native_certs();
                roots.add_parsable_certificates(trusted.certs);
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider knows the versions that are safe")
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Tls::Encrypted(MakeRustlsConnect::new(config)))
    }
}

/// The file that libpq takes the authority from.
pub(super) fn usual_authority() -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os("HOME")?).join(".postgresql/root.crt");
    path.exists().then_some(path)
}
