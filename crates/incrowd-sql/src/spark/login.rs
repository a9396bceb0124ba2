//! How to reach a server: `sc://host:port/;name=value;...`, as Spark writes it, and the environment.
//!
//! A token is sent over an encrypted connection or not at all.

use super::client::{Client, unique_id};
use super::connection::SparkConnection;
use super::dialect::{SAIL, SPARK};
use super::messages::{Answered, Asked, Nothing};
use super::said::first_line;
use crate::address::{Address, decoded};
use crate::error::{Doing, Error};
use crate::session::Session;
use crate::wire::Wire;
use incrowd_io::Cancel;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tonic::metadata::{AsciiMetadataKey, AsciiMetadataValue, MetadataMap};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};

/// What errors call a server before it has said what it is.
const ENGINE: &str = "Spark Connect";
/// The variable that Spark's own clients take a token from.
const TOKEN: &str = "SPARK_CONNECT_AUTHENTICATE_TOKEN";
/// Where Spark listens.
const PORT: u16 = 15002;
/// How long a server may take to answer at all.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long it may take until a session has begun.
const PATIENCE_AT_LOGIN: Duration = Duration::from_secs(60);
/// How often a server is told that the session is still needed.
const SIGN_OF_LIFE: Duration = Duration::from_secs(30);
/// The first version of Spark that has Spark Connect.
const FIRST_SPARK: u32 = 3;
/// What is on its way at most, before somebody has taken it.
const WINDOW: u32 = 8 << 20;

/// What must not depend on who asks, or on where.
const SETTINGS: [(&str, &str); 2] = [
    ("spark.sql.session.timeZone", "UTC"),
    ("spark.sql.legacy.createHiveTableByDefault", "false"),
];

/// What an address says.
struct Login {
    host: String,
    port: u16,
    is_encrypted: bool,
    /// Signs the certificate of the server.
    authority: Option<PathBuf>,
    user: String,
    /// A session that is there.
    session: Option<String>,
    metadata: MetadataMap,
}

fn unusable(what: &'static str) -> Error {
    Error::BadAddress { what }
}

fn not_connected(why: impl Into<String>) -> Error {
    Error::NotConnected {
        engine: ENGINE,
        why: why.into(),
    }
}

impl Login {
    fn of(address: &Address, token: Option<String>) -> Result<Login, Error> {
        let (_, server) = address.server.split_once("://").unwrap_or_default();
        let (server, others) = server.split_once('?').unwrap_or((server, ""));
        let (authority, parameters) = server.split_once(';').unwrap_or((server, ""));
        let authority = authority.strip_suffix('/').unwrap_or(authority);
        let (host, port) = match authority.rsplit_once(':') {
            // The last part of an address of version 6 is no port.
            Some((host, port)) if !port.ends_with(']') => {
                let port = port.parse();
                (host, port.map_err(|_| unusable("its port is no number"))?)
            }
            _ => (authority, PORT),
        };
        if host.is_empty() || host.contains(['/', '@']) {
            return Err(unusable("it names no host"));
        }
        let mut login = Login {
            host: host.to_owned(),
            port,
            is_encrypted: false,
            authority: None,
            user: std::env::var("USER").unwrap_or_else(|_| "incrowd".into()),
            session: None,
            metadata: MetadataMap::new(),
        };
        let (mut encrypts, mut given_token) = (None, token);
        for parameter in parameters.split(';').filter(|it| !it.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let value = decoded(value).ok_or(unusable("one of its parameters is broken"))?;
            match name {
                "use_ssl" => {
                    encrypts = Some(match value.as_str() {
                        "true" => true,
                        "false" => false,
                        _ => return Err(unusable("use_ssl is neither true nor false")),
                    });
                }
                "token" => given_token = Some(value).filter(|it| !it.is_empty()),
                "user_id" => login.user = value,
                "session_id" => login.session = Some(value),
                "user_agent" => {}
                // Everything else is for the server, such as the cluster of Databricks.
                name => {
                    let name = AsciiMetadataKey::from_bytes(name.as_bytes());
                    let value = AsciiMetadataValue::try_from(value);
                    let (Ok(name), Ok(value)) = (name, value) else {
                        return Err(unusable("one of its parameters is broken"));
                    };
                    login.metadata.insert(name, value);
                }
            }
        }
        for parameter in others.split('&').filter(|it| !it.is_empty()) {
            match parameter.split_once('=') {
                Some(("sslrootcert", path)) => login.authority = Some(path.into()),
                _ => return Err(unusable("it has a parameter that means nothing here")),
            }
        }
        if let Some(token) = given_token {
            if encrypts == Some(false) {
                return Err(Error::TokenInTheOpen);
            }
            let bearer = AsciiMetadataValue::try_from(format!("Bearer {token}"));
            let mut bearer = bearer.map_err(|_| unusable("its token is broken"))?;
            bearer.set_sensitive(true);
            login.metadata.insert("authorization", bearer);
            encrypts = Some(true);
        }
        login.is_encrypted = encrypts.unwrap_or(login.authority.is_some());
        Ok(login)
    }

    fn endpoint(&self) -> Result<Endpoint, Error> {
        let scheme = if self.is_encrypted { "https" } else { "http" };
        let uri = format!("{scheme}://{}:{}", self.host, self.port);
        let endpoint = Endpoint::from_shared(uri);
        let endpoint = endpoint.map_err(|_| unusable("its host is broken"))?;
        let endpoint = endpoint
            .connect_timeout(PATIENCE)
            .http2_keep_alive_interval(SIGN_OF_LIFE)
            .keep_alive_while_idle(true)
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(2 * WINDOW)
            .tcp_nodelay(true);
        if !self.is_encrypted {
            return Ok(endpoint);
        }
        let tls = match &self.authority {
            Some(path) => {
                let unreadable =
                    |_| not_connected("the file of the certificate authority cannot be read");
                let authority = std::fs::read(path).map_err(unreadable)?;
                ClientTlsConfig::new().ca_certificate(Certificate::from_pem(authority))
            }
            None => ClientTlsConfig::new().with_native_roots(),
        };
        let endpoint = endpoint.tls_config(tls);
        endpoint.map_err(|_| not_connected("there is no certificate authority to trust"))
    }

    async fn channel(&self) -> Result<Channel, Error> {
        let connected = self.endpoint()?.connect().await;
        connected.map_err(|error| {
            // The reason is at the end of the chain: of the network, or of the certificate.
            let mut reason: &dyn std::error::Error = &error;
            while let Some(source) = reason.source() {
                reason = source;
            }
            not_connected(reason.to_string())
        })
    }
}

fn token() -> Option<String> {
    std::env::var(TOKEN).ok().filter(|token| !token.is_empty())
}

/// Tells servers and sessions apart.
pub(crate) fn place(address: &Address) -> Result<String, Error> {
    let login = Login::of(address, token())?;
    Ok(format!(
        "spark {:?} {} {:?} {:?}",
        login.host, login.port, login.user, login.session
    ))
}

/// Waits for a server that may say nothing. Somebody may stop it, for which `note` gets the way.
fn wait<T>(
    wire: &Wire,
    note: &dyn Fn(Cancel),
    login: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let (stop, mut stopped) = watch::channel(());
    note(Arc::new(move || stop.send_replace(())));
    wire.wait(async {
        tokio::select! {
            done = tokio::time::timeout(PATIENCE_AT_LOGIN, login) => {
                done.unwrap_or_else(|_| Err(not_connected("no answer")))
            }
            _ = stopped.changed() => Err(Error::Stopped {
                engine: ENGINE,
                doing: Doing::Preparing,
            }),
        }
    })
}

/// Connects, and begins a session. `note` gets what stops it, from the beginning.
pub(crate) fn connect(address: &Address, note: &dyn Fn(Cancel)) -> Result<Arc<Session>, Error> {
    let login = Login::of(address, token())?;
    let wire = Wire::start("spark-connect").map_err(|error| not_connected(error.to_string()))?;
    let is_ours = login.session.is_none();
    let (client, spark_version) = wait(&wire, note, async {
        // What resolves the name of a host does not know about patience.
        let channel = tokio::time::timeout(2 * PATIENCE, login.channel()).await;
        let channel = channel.unwrap_or_else(|_| Err(not_connected("no answer")))?;
        let session = login.session.clone().unwrap_or_else(unique_id);
        let client = Client::new(channel, login.metadata.clone(), session, login.user.clone());
        let refused = |status: tonic::Status| not_connected(first_line(status.message()));
        // Texts such as `${env:HOME}` must not become what they name.
        let substitute = client.set("spark.sql.variable.substitute", "false");
        substitute.await.map_err(refused)?;
        for (key, value) in SETTINGS {
            // Some servers have no such setting, or let nobody change it.
            let _ = client.set(key, value).await;
        }
        let version = client.analyze(Asked::SparkVersion(Nothing {})).await;
        match version.map_err(refused)? {
            Some(Answered::SparkVersion(found)) => Ok((client, found.version)),
            _ => Err(not_connected("the server does not speak Spark Connect")),
        }
    })?;
    let alive = client.clone();
    wire.spawn(async move {
        loop {
            tokio::time::sleep(SIGN_OF_LIFE).await;
            // If it does not answer, the next statement says so.
            let _ = alive.analyze(Asked::SparkVersion(Nothing {})).await;
        }
    });
    let connection = SparkConnection::new(wire, client, is_ours);
    note(connection.canceller());
    let version = connection.ask("SELECT version()");
    let version = version.map_err(|error| match error {
        Error::ConnectionLost { .. } => not_connected("no answer to the first statement"),
        error => error,
    })?;
    let dialect = match is_sail(&version, &spark_version) {
        true => &SAIL,
        false => &SPARK,
    };
    let connection = connection.speaking(dialect);
    Ok(Arc::new(Session {
        version: version.split(' ').next().unwrap_or_default().to_owned(),
        connection: Box::new(connection),
        dialect,
        place: place(address)?,
        snapshot: None,
    }))
}

/// Whether what a server says of itself is what Sail says: its own version alone, which is no version of Spark that
/// speaks Spark Connect, and besides the one of Spark that it stands for. Everybody else is taken for Spark, whose
/// tables are removed with their files.
fn is_sail(version: &str, spark_version: &str) -> bool {
    let numbers: Vec<&str> = version.split('.').collect();
    let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let is_own = match &numbers[..] {
        [major, minor, rest, ..] => {
            is_number(major)
                && is_number(minor)
                && rest.starts_with(|it: char| it.is_ascii_digit())
                && major.parse().is_ok_and(|major: u32| major < FIRST_SPARK)
        }
        _ => false,
    };
    is_own && !version.contains(' ') && !version.starts_with(spark_version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sail_is_taken_for_sail() {
        let revision = "a6d6ea3efedbad14d99c24143834cd4e2e52fb40";
        assert!(is_sail("0.7.2", "4.1.1"));
        assert!(is_sail("0.8.0-dev", "4.1.1"));
        for (version, spark_version) in [
            (format!("4.3.0 {revision}"), "4.3.0"),
            // Servers that say something else of themselves than what they say of Spark.
            (format!("3.5.0 {revision}"), "16.4.x-scala2.12"),
            ("16.4.x-scala2.12".into(), "3.5.2"),
            ("15.4".into(), "3.5.2"),
            ("4.0.1".into(), "4.0.0"),
            (format!("0.0.0 {revision}"), "4.0.0"),
            (String::new(), "4.0.0"),
        ] {
            assert!(!is_sail(&version, spark_version), "{version}");
        }
    }

    fn login(address: &str, token: Option<&str>) -> Result<Login, Error> {
        let address: Address = address.parse().expect("an address");
        Login::of(&address, token.map(str::to_owned))
    }

    #[test]
    fn addresses_are_read_as_spark_writes_them() {
        let full = "sc://host:443/;token=a%3Db;x-databricks-cluster-id=7;user_id=ann?table=t";
        let full = login(full, None).unwrap();
        assert_eq!(
            (full.host.as_str(), full.port, full.is_encrypted),
            ("host", 443, true)
        );
        assert_eq!(full.user, "ann");
        assert_eq!(full.metadata.get("x-databricks-cluster-id").unwrap(), "7");
        assert_eq!(full.metadata.get("authorization").unwrap(), "Bearer a=b");
        assert!(!format!("{:?}", full.metadata).contains("a=b"));
        let short = login("sc://host?table=t", None).unwrap();
        assert_eq!((short.port, short.is_encrypted), (15002, false));
        let six = login("sc://[::1]/?table=t", None).unwrap();
        assert_eq!((six.host.as_str(), six.port), ("[::1]", 15002));
        assert!(
            login("sc://h/;use_ssl=true?table=t", None)
                .unwrap()
                .is_encrypted
        );
    }

    #[test]
    fn a_token_never_goes_out_in_the_open() {
        for (address, token) in [
            ("sc://h/;token=x;use_ssl=false?table=t", None),
            ("sc://h/;use_ssl=false;token=x?table=t", None),
            ("sc://h/;use_ssl=false?table=t", Some("x")),
        ] {
            let refused = login(address, token);
            assert!(matches!(refused, Err(Error::TokenInTheOpen)), "{address}");
        }
        assert!(login("sc://h?table=t", Some("x")).unwrap().is_encrypted);
    }

    #[test]
    fn broken_addresses_are_refused() {
        for address in [
            "sc://?table=t",
            "sc://h:x?table=t",
            "sc://h/;use_ssl=maybe?table=t",
            "sc://u@h/?table=t",
            "sc://h/?sslmode=x&table=t",
            "sc://h/;a b=c?table=t",
        ] {
            assert!(login(address, None).is_err(), "{address}");
        }
    }
}
