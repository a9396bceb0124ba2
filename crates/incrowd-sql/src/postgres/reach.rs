//! A server and how bytes travel to it.

use super::tls::Tls;
use crate::error::Error;
use crate::wire::Wire;
use std::time::Duration;
use tokio_postgres::{CancelToken, Client, Config, NoTls};

/// How long a server may take until it lets us in, whatever each of its hosts may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// All that it takes to connect, and to connect again.
#[derive(Clone)]
pub(super) struct Reach {
    pub(super) config: Config,
    pub(super) tls: Tls,
}

impl Reach {
    /// A connection, which lives on the thread of `wire`.
    pub(super) fn connect(&self, wire: &Wire) -> Result<Client, Error> {
        let connecting = async {
            match &self.tls {
                Tls::Plain => {
                    let (client, connection) = self.config.connect(NoTls).await?;
                    wire.spawn(async move { drop(connection.await) });
                    Ok(client)
                }
                Tls::Encrypted(tls) => {
                    let (client, connection) = self.config.connect(tls.clone()).await?;
                    wire.spawn(async move { drop(connection.await) });
                    Ok(client)
                }
            }
        };
        let connected = wire.wait(async { tokio::time::timeout(PATIENCE, connecting).await });
        let why = match connected {
            Ok(Ok(client)) => return Ok(client),
            Ok(Err(error)) => why(&error),
            Err(_) => "the server does not answer".into(),
        };
        Err(Error::NotConnected {
            engine: "PostgreSQL",
            why,
        })
    }

    /// Stops what a connection is doing.
    pub(super) async fn cancel(&self, token: &CancelToken) -> Result<(), tokio_postgres::Error> {
        match &self.tls {
            Tls::Plain => token.cancel_query(NoTls).await,
            Tls::Encrypted(tls) => token.cancel_query(tls.clone()).await,
        }
    }
}

/// Of the server, the network, the operating system or the protocol, before there are any rows.
fn why(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(said) => said.message().to_owned(),
        None => {
            std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
        }
    }
}
