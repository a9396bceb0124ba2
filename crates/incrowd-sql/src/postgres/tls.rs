//! Encryption: a server must show a certificate that is trusted, or nothing is sent to it.
//!
//! This is stricter than libpq, which checks certificates only with `verify-ca` and `verify-full`: tables about people go
//! through here.

use crate::error::Error;
use postgres::tls::{MakeTlsConnect, TlsConnect};
use postgres::{CancelToken, Client, Config, NoTls, Socket};
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

    pub(super) fn connect(&self, config: &Config) -> Result<Client, postgres::Error> {
        match self {
            Tls::Plain => config.connect(NoTls),
            Tls::Encrypted(tls) => config.connect(tls.clone()),
        }
    }

    /// Stops what a connection is doing.
    pub(super) fn cancel(&self, token: &CancelToken) {
        // A server that cannot be reached has nothing to stop.
        let _ = match self {
            Tls::Plain => cancel(token, NoTls),
            Tls::Encrypted(tls) => cancel(token, tls.clone()),
        };
    }
}

fn cancel<T>(token: &CancelToken, tls: T) -> Result<(), postgres::Error>
where
    T: MakeTlsConnect<Socket>,
    T::TlsConnect: TlsConnect<Socket> + Send,
    T::Stream: Send,
    <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
{
    token.cancel_query(tls)
}

/// The file that libpq takes the authority from.
pub(super) fn usual_authority() -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os("HOME")?).join(".postgresql/root.crt");
    path.exists().then_some(path)
}
