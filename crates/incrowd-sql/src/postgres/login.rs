//! How to reach a server: the address, the variables of libpq, and the file of passwords.

use super::connection::PostgresConnection;
use super::dialect::Postgres;
use super::tls::{Tls, usual_authority};
use crate::address::Address;
use crate::connection::Connection;
use crate::dialect::Dialect;
use crate::error::{Doing, Error};
use crate::session::Session;
use postgres::Config;
use postgres::config::{Host, SslMode};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

fn unusable(what: &'static str) -> Error {
    Error::BadAddress { what }
}

/// A variable that libpq reads too.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The address without a parameter of this name, and what it was.
fn without(server: &str, name: &str) -> (String, Option<String>) {
    let (base, parameters) = server.split_once('?').unwrap_or((server, ""));
    let (mut kept, mut found) = (Vec::new(), None);
    for parameter in parameters.split('&').filter(|it| !it.is_empty()) {
        match parameter.split_once('=') {
            Some((other, value)) if other == name => found = Some(value.to_owned()),
            _ => kept.push(parameter),
        }
    }
    match kept.is_empty() {
        true => (base.to_owned(), found),
        false => (format!("{base}?{}", kept.join("&")), found),
    }
}

/// What the address says, and the environment where it says nothing.
fn config(address: &Address) -> Result<(Config, Tls), Error> {
    let (server, authority) = without(&address.server, "sslrootcert");
    let (server, mode) = without(&server, "sslmode");
    let parsed = server.parse::<Config>();
    let mut config = parsed.map_err(|_| unusable("its server part is broken"))?;
    if config.get_hosts().is_empty() {
        match variable("PGHOST") {
            Some(host) => config.host(&host),
            None => config.host("/var/run/postgresql"),
        };
    }
    if config.get_ports().is_empty()
        && let Some(port) = variable("PGPORT")
    {
        config.port(port.parse().map_err(|_| unusable("PGPORT is no number"))?);
    }
    if config.get_user().is_none() {
        let user = variable("PGUSER").or_else(|| variable("USER"));
        config.user(&user.ok_or(unusable("it names no user"))?);
    }
    if config.get_dbname().is_none()
        && let Some(name) = variable("PGDATABASE").or(config.get_user().map(str::to_owned))
    {
        config.dbname(&name);
    }
    if config.get_password().is_none()
        && let Some(password) = variable("PGPASSWORD").or_else(|| kept_password(&config))
    {
        config.password(password);
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(PATIENCE);
    }
    if config.get_application_name().is_none() {
        config.application_name("incrowd");
    }
    let mode = mode.or_else(|| variable("PGSSLMODE"));
    let ssl_mode = match mode.as_deref().unwrap_or("prefer") {
        "disable" => SslMode::Disable,
        "allow" | "prefer" => SslMode::Prefer,
        "require" | "verify-ca" | "verify-full" => SslMode::Require,
        _ => return Err(unusable("its sslmode is none that there is")),
    };
    let is_here = config.get_hosts().iter().all(is_socket);
    let tls = match ssl_mode == SslMode::Disable || is_here {
        true => Tls::Plain,
        false => {
            let authority = authority.or_else(|| variable("PGSSLROOTCERT"));
            let authority = authority.map(PathBuf::from).or_else(usual_authority);
            Tls::trusting(authority.as_deref())?
        }
    };
    config.ssl_mode(if is_here { SslMode::Disable } else { ssl_mode });
    Ok((config, tls))
}

/// Whether a host is a socket of this machine.
fn is_socket(host: &Host) -> bool {
    !matches!(host, Host::Tcp(_))
}

fn host_name(config: &Config) -> String {
    match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        #[cfg(unix)]
        Some(Host::Unix(_)) => "localhost".into(),
        #[allow(unreachable_patterns, reason = "not on every system")]
        _ => String::new(),
    }
}

fn port(config: &Config) -> u16 {
    config.get_ports().first().copied().unwrap_or(5432)
}

/// The password in the file of libpq, which nobody else may read.
fn kept_password(config: &Config) -> Option<String> {
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".pgpass"));
    let path = std::env::var_os("PGPASSFILE")
        .map(PathBuf::from)
        .or_else(home)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path).ok()?.permissions().mode();
        if mode & 0o077 != 0 {
            return None;
        }
    }
    let wanted = [
        host_name(config),
        port(config).to_string(),
        config.get_dbname().unwrap_or_default().to_owned(),
        config.get_user().unwrap_or_default().to_owned(),
    ];
    let text = std::fs::read_to_string(path).ok()?;
    text.lines()
        .find_map(|line| password_of_line(line, &wanted))
}

/// The password of a line `host:port:database:user:password` that fits; `*` fits all, a backslash protects `:` and itself.
fn password_of_line(line: &str, wanted: &[String; 4]) -> Option<String> {
    let mut fields = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => fields.last_mut()?.extend(letters.next()),
            ':' if fields.len() < 5 => fields.push(String::new()),
            letter => fields.last_mut()?.push(letter),
        }
    }
    let fits = fields.len() == 5
        && !line.starts_with('#')
        && (fields.iter().zip(wanted)).all(|(field, it)| field == "*" || field == it);
    fits.then(|| fields.swap_remove(4))
}

/// Tells servers and databases apart.
pub(crate) fn place(address: &Address) -> Result<String, Error> {
    let (config, _) = config(address)?;
    Ok(format!(
        "postgres {:?} {:?} {:?} {:?}",
        config.get_hosts(),
        config.get_ports(),
        config.get_dbname(),
        config.get_user()
    ))
}

/// Connects, and begins the transaction.
pub(crate) fn connect(address: &Address) -> Result<Arc<Session>, Error> {
    let (config, tls) = config(address)?;
    let client = tls.connect(&config).map_err(|error| Error::NotConnected {
        engine: Postgres.engine(),
        why: match error.as_db_error() {
            Some(said) => said.message().to_owned(),
            // Of the network, the operating system or the protocol, before there are any rows.
            None => std::error::Error::source(&error)
                .map_or_else(|| error.to_string(), ToString::to_string),
        },
    })?;
    let connection = PostgresConnection::new(client, tls);
    for statement in Postgres.begin() {
        connection.execute(&statement, Doing::Preparing)?;
    }
    let version = connection.ask("SHOW server_version")?;
    let snapshot = connection.ask("SELECT CAST(pg_catalog.txid_current_snapshot() AS text)")?;
    Ok(Arc::new(Session {
        connection: Box::new(connection),
        dialect: &Postgres,
        place: place(address)?,
        version,
        snapshot: Some(snapshot),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_found_as_libpq_finds_them() {
        let wanted = ["host", "5432", "db", "ann"].map(String::from);
        let found = |line: &str| password_of_line(line, &wanted);
        assert_eq!(
            found("host:5432:db:ann:pass:word"),
            Some("pass:word".into())
        );
        assert_eq!(found("*:*:*:ann:a\\:b\\\\c"), Some("a:b\\c".into()));
        for line in ["#*:*:*:*:x", "host:5432:db:bob:x", "host:5432:db:ann", ""] {
            assert_eq!(found(line), None, "{line}");
        }
    }
}
