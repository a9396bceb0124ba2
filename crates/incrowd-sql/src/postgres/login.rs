//! How to reach a server: the address, the variables of libpq, and the file of passwords.

use super::connection::PostgresConnection;
use super::dialect::Postgres;
use super::reach::Reach;
use super::tls::{Tls, usual_authority};
use crate::address::Address;
use crate::connection::Connection;
use crate::dialect::Dialect;
use crate::error::{Doing, Error};
use crate::session::Session;
use incrowd_io::Cancel;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// After how long without a word the network is asked whether the server is still there, how often, and how long what was
/// sent may stay without an answer of the network. Routers forget connections that are silent for some minutes, and a search
/// may take longer.
const SILENCE: Duration = Duration::from_secs(30);
const BETWEEN_TRIES: Duration = Duration::from_secs(10);
const TRIES: u32 = 3;
const MOST_SILENCE: Duration = Duration::from_secs(60);

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
fn config(address: &Address) -> Result<Reach, Error> {
    let (server, authority) = without(&address.server, "sslrootcert");
    let (server, mode) = without(&server, "sslmode");
    let parsed = server.parse::<Config>();
    let mut config = parsed.map_err(|_| unusable("its server part is broken"))?;
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        config.host(variable("PGHOST").unwrap_or("/var/run/postgresql".into()));
    }
    if config.get_hosts().is_empty() {
        // A certificate must be for the number then.
        for address in config.get_hostaddrs().to_vec() {
            config.host(address.to_string());
        }
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
    notice_silence(&server, &mut config);
    if config.get_application_name().is_none() {
        config.application_name("incrowd");
    }
    let mode = mode.or_else(|| variable("PGSSLMODE"));
    let ssl_mode = match mode.as_deref() {
        // Who stands between could say that the server speaks no TLS.
        None if !is_near(&config) => SslMode::Require,
        Some("disable") => SslMode::Disable,
        Some("allow" | "prefer") | None => SslMode::Prefer,
        Some("require" | "verify-ca" | "verify-full") => SslMode::Require,
        Some(_) => return Err(unusable("its sslmode is none that there is")),
    };
    let is_here = config.get_hostaddrs().is_empty() && config.get_hosts().iter().all(is_socket);
    let tls = match ssl_mode == SslMode::Disable || is_here {
        true => Tls::Plain,
        false => {
            let authority = authority.or_else(|| variable("PGSSLROOTCERT"));
            let authority = authority.map(PathBuf::from).or_else(usual_authority);
            Tls::trusting(authority.as_deref())?
        }
    };
    config.ssl_mode(if is_here { SslMode::Disable } else { ssl_mode });
    Ok(Reach { config, tls })
}

/// Has the network notice that a server is gone, in a minute or so, where the address does not say otherwise.
fn notice_silence(server: &str, config: &mut Config) {
    let says = |name: &str| without(server, name).1.is_some();
    if !says("keepalives_idle") {
        config.keepalives_idle(SILENCE);
    }
    if !says("keepalives_interval") {
        config.keepalives_interval(BETWEEN_TRIES);
    }
    if !says("keepalives_retries") {
        config.keepalives_retries(TRIES);
    }
    if !says("tcp_user_timeout") {
        config.tcp_user_timeout(MOST_SILENCE);
    }
}

/// Whether all hosts are this machine.
fn is_near(config: &Config) -> bool {
    let is_loopback = |host: &Host| match host {
        Host::Tcp(name) => {
            let name = name.trim_end_matches('.');
            name.eq_ignore_ascii_case("localhost")
                || name.parse::<IpAddr>().is_ok_and(|it| it.is_loopback())
        }
        #[allow(unreachable_patterns, reason = "not on every system")]
        _ => true,
    };
    let mut addresses = config.get_hostaddrs().iter();
    match config.get_hostaddrs().is_empty() {
        true => config.get_hosts().iter().all(is_loopback),
        false => addresses.all(IpAddr::is_loopback),
    }
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

/// Tells servers and databases apart, as far as addresses do.
pub(crate) fn place(address: &Address) -> Result<String, Error> {
    let Reach { config, .. } = config(address)?;
    let hosts = config.get_hosts().iter().map(|host| match host {
        Host::Tcp(name) => name.to_lowercase(),
        other => format!("{other:?}"),
    });
    let ports = match config.get_ports() {
        [] => &[5432],
        ports => ports,
    };
    Ok(format!(
        "postgres {:?} {:?} {ports:?}{LOGIN}{:?} {:?} {:?}",
        hosts.collect::<Vec<_>>(),
        config.get_hostaddrs(),
        config.get_dbname(),
        config.get_user(),
        config.get_options(),
    ))
}

/// Stands in a place before what does not say where it is.
const LOGIN: &str = " for ";

/// Whether somebody could work in either of two places that are in the same database, without a difference.
pub(crate) fn is_same_login(one: &str, other: &str) -> bool {
    let login = |place: &str| place.rsplit_once(LOGIN).map(|(_, login)| login.to_owned());
    login(one) == login(other)
}

/// What others have made is found after what is the server's own, and what is temporary last: nothing that has the name
/// of a function of the server is called in its place.
const SEARCH_PATH: &str = "SELECT pg_catalog.set_config('search_path', pg_catalog.concat('pg_catalog, ', \
     (SELECT pg_catalog.string_agg(pg_catalog.concat(pg_catalog.quote_ident(s), ', '), '' ORDER BY n) \
     FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) WITH ORDINALITY AS p(s, n)), 'pg_temp'), true)";

/// Connects, and begins the transaction. `note` gets what stops the server, before it is asked anything.
pub(crate) fn connect(address: &Address, note: &dyn Fn(Cancel)) -> Result<Arc<Session>, Error> {
    let mut connection = PostgresConnection::new(config(address)?)?;
    note(connection.canceller());
    for statement in Postgres.begin() {
        connection.execute(&statement, Doing::Preparing)?;
    }
    connection.see_schema()?;
    connection.ask(SEARCH_PATH)?;
    connection.show_itself()?;
    let version = connection.ask("SHOW server_version")?;
    let snapshot =
        connection.ask("SELECT CAST(pg_catalog.txid_current_snapshot() AS pg_catalog.text)")?;
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

    fn reach(address: &str) -> Reach {
        config(&address.parse().unwrap()).unwrap()
    }

    #[test]
    fn servers_elsewhere_must_encrypt_unless_the_address_says_otherwise() {
        let mode = |host: &str| {
            let reach = reach(&format!("postgres://ann@{host}&table=t"));
            let is_plain = matches!(reach.tls, Tls::Plain);
            (reach.config.get_ssl_mode(), is_plain)
        };
        for host in [
            "db.example/x?a=",
            "192.0.2.1/x?a=",
            "localhost,db.example/x?a=",
            "/x?hostaddr=192.0.2.1",
            "localhost/x?hostaddr=192.0.2.1",
            "%2Ftmp/x?hostaddr=192.0.2.1",
            "localhost/x?sslmode=require",
        ] {
            let host = host.replace("a=", "connect_timeout=9");
            assert_eq!(mode(&host), (SslMode::Require, false), "{host}");
        }
        for host in [
            "localhost/x?a=",
            "127.0.0.1/x?a=",
            "db.example/x?sslmode=prefer",
            "db.example/x?hostaddr=127.0.0.1",
        ] {
            let host = host.replace("a=", "connect_timeout=9");
            assert_eq!(mode(&host), (SslMode::Prefer, false), "{host}");
        }
        for host in ["%2Ftmp/x?a=", "db.example/x?sslmode=disable"] {
            let host = host.replace("a=", "connect_timeout=9");
            assert_eq!(mode(&host), (SslMode::Disable, true), "{host}");
        }
    }

    #[test]
    fn a_network_that_is_gone_is_noticed_unless_the_address_says_otherwise() {
        let silence = |address: &str| {
            let config = reach(address).config;
            let times = [
                Some(config.get_keepalives_idle()),
                config.get_keepalives_interval(),
                config.get_tcp_user_timeout().copied(),
            ];
            let seconds = times.map(|time| time.map_or(0, |time| time.as_secs()));
            (
                config.get_keepalives(),
                seconds,
                config.get_keepalives_retries(),
            )
        };
        let usual = silence("postgres://ann@db.example/x?table=t");
        assert_eq!(usual, (true, [30, 10, 60], Some(3)));
        let own = "keepalives_idle=7&keepalives_interval=8&tcp_user_timeout=9&keepalives_retries=4";
        let own = silence(&format!("postgres://ann@db.example/x?{own}&table=t"));
        assert_eq!(own, (true, [7, 8, 9], Some(4)));
    }

    #[test]
    fn addresses_that_say_the_same_are_the_same_place() {
        let place = |text: &str| place(&text.parse().unwrap()).unwrap();
        let one = place("postgres://ann@db.example/x?table=t");
        assert_eq!(place("postgresql://ann@DB.example:5432/x?table=u"), one);
        assert_eq!(place("postgres:///x?host=db.example&user=ann&table=t"), one);
        for other in [
            "postgres://ann@db.example:5433/x?table=t",
            "postgres://bob@db.example/x?table=t",
            "postgres://ann@db.example/y?table=t",
            "postgres://ann@db.example/x?options=-csearch_path%3Da&table=t",
        ] {
            assert_ne!(place(other), one, "{other}");
        }
        let elsewhere = place("postgres://ann@192.0.2.1/x?table=t");
        assert!(is_same_login(&one, &elsewhere));
        assert!(!is_same_login(
            &one,
            &place("postgres://bob@192.0.2.1/x?table=t")
        ));
    }

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
