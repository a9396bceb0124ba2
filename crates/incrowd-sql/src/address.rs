//! Where a table is: the URLs that commands take in place of files.
//!
//! An address may contain a password, so it is never shown as it was written: [`shown`] and `Display` leave out
//! everything but the server, the database and the table.

use crate::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

/// Which engine an address is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Postgres,
    DuckDb,
    /// Spark, Databricks and Sail.
    Spark,
}

impl Engine {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Engine::Postgres => "PostgreSQL",
            Engine::DuckDb => "DuckDB",
            Engine::Spark => "Spark Connect",
        }
    }

    /// The feature that has to be compiled in.
    #[cfg(any(
        test,
        not(all(feature = "postgres", feature = "duckdb", feature = "spark"))
    ))]
    pub(crate) fn feature(self) -> &'static str {
        match self {
            Engine::Postgres => "postgres",
            Engine::DuckDb => "duckdb",
            Engine::Spark => "spark",
        }
    }
}

/// A table in an engine.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    pub(crate) engine: Engine,
    /// The address without table and query, as the engine's client reads it. May contain secrets.
    pub(crate) server: String,
    pub(crate) what: What,
}

/// What is read or written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    Table(TableName),
    Query(String),
}

/// The parts of a table's name, such as schema and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableName(pub(crate) Vec<String>);

impl TableName {
    /// Parts are separated by dots, unless they are in double quotes; letters count as they are written.
    fn parse(text: &str) -> Option<TableName> {
        let mut parts = Vec::new();
        let mut rest = text;
        loop {
            let (part, after) = match rest.strip_prefix('"') {
                Some(quoted) => quoted_part(quoted)?,
                None => {
                    let end = rest.find('.').unwrap_or(rest.len());
                    (rest[..end].to_owned(), &rest[end..])
                }
            };
            if part.is_empty() || part.contains('\0') {
                return None;
            }
            parts.push(part);
            match after.strip_prefix('.') {
                Some(more) => rest = more,
                None => return after.is_empty().then_some(TableName(parts)),
            }
        }
    }

    /// The format and the path, if it is a directory rather than a table: Spark writes these where schema and name are.
    #[cfg(feature = "engine")]
    pub(crate) fn as_path(&self) -> Option<(&str, &str)> {
        match &self.0[..] {
            [format, path] if path.contains('/') && FORMATS.contains(&format.as_str()) => {
                Some((format, path))
            }
            _ => None,
        }
    }

    /// Whether it is a directory in a format that servers read but do not write to a directory as it is.
    #[cfg(feature = "engine")]
    pub(crate) fn is_read_only(&self) -> bool {
        self.as_path().is_some_and(|(format, _)| format == "delta")
    }

    /// The name as certificates tell it: where a directory is concerns nobody.
    #[cfg(feature = "engine")]
    pub(crate) fn told(&self) -> String {
        match self.as_path() {
            Some((_, path)) => {
                let mut parts = path.rsplit('/').filter(|part| !part.is_empty());
                parts.next().unwrap_or_default().to_owned()
            }
            None => self.to_string(),
        }
    }

    /// The name without what it is in.
    #[cfg(feature = "engine")]
    pub(crate) fn last(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }

    /// Another table in the same place.
    #[cfg(feature = "engine")]
    pub(crate) fn sibling(&self, name: &str) -> TableName {
        let mut parts = self.0.clone();
        parts.pop();
        parts.push(name.to_owned());
        TableName(parts)
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, part) in self.0.iter().enumerate() {
            let dot = if at == 0 { "" } else { "." };
            match part.contains(['.', '"']) {
                true => write!(formatter, "{dot}\"{}\"", part.replace('"', "\"\""))?,
                false => write!(formatter, "{dot}{part}")?,
            }
        }
        Ok(())
    }
}

/// A part that ends with a quote, where two quotes mean one; and what follows.
fn quoted_part(text: &str) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut rest = text;
    loop {
        let end = rest.find('"')?;
        part.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(after) => {
                part.push('"');
                rest = after;
            }
            None => return Some((part, rest)),
        }
    }
}

/// The engine of an address, by its beginning.
fn engine_of(text: &str) -> Option<Engine> {
    let (scheme, _) = text.split_once(':')?;
    match scheme.to_ascii_lowercase().as_str() {
        "postgres" | "postgresql" => text.contains("://").then_some(Engine::Postgres),
        "duckdb" => Some(Engine::DuckDb),
        "sc" => text.contains("://").then_some(Engine::Spark),
        _ => None,
    }
}

/// Whether a text is the address of a table in an engine, rather than a path.
pub fn is_address(text: &str) -> bool {
    engine_of(text).is_some()
}

/// A path as it is; an address without secrets.
pub fn shown(text: &str) -> String {
    match is_address(text) {
        false => text.to_owned(),
        true => match text.parse::<Address>() {
            Ok(address) => address.to_string(),
            Err(_) => engine_of(text).map_or("", Engine::name).to_owned(),
        },
    }
}

/// A path as it is; an address that can be used again, without its secrets.
pub fn without_secrets(text: &str) -> String {
    match text.parse::<Address>() {
        Err(_) => shown(text),
        Ok(address) => match &address.what {
            What::Table(_) => address.to_string(),
            What::Query(query) => {
                let query = query.replace('%', "%25");
                address
                    .to_string()
                    .replace("query=...", &format!("query={query}"))
            }
        },
    }
}

/// The file of the database that an address names, if the database is a file on this machine.
pub fn database_file(text: &str) -> Option<&Path> {
    let file = match engine_of(text)? {
        Engine::DuckDb => text.split_once(':')?.1.split('?').next()?,
        Engine::Postgres | Engine::Spark => return None,
    };
    Some(Path::new(file))
}

/// A path, or the address of a database that is a file, with the file resolved; other addresses and `-` as they are.
pub fn resolved(text: &str, resolve: impl FnOnce(&Path) -> PathBuf) -> String {
    if let Some(file) = database_file(text).and_then(Path::to_str) {
        let parameters = text.split_once('?').map_or("", |(_, after)| after);
        let scheme = text.split(':').next().unwrap_or_default();
        return format!(
            "{scheme}:{}?{parameters}",
            resolve(Path::new(file)).display()
        );
    }
    match text == "-" || text.contains("://") || is_address(text) {
        true => text.to_owned(),
        false => resolve(Path::new(text)).to_string_lossy().into_owned(),
    }
}

/// The formats of files that say what their columns are.
const FORMATS: &[&str] = &["parquet", "orc", "avro", "delta"];

/// The parameters of an address that contain no secrets.
const HARMLESS: &[&str] = &[
    "host",
    "hostaddr",
    "port",
    "user",
    "dbname",
    "sslmode",
    "sslrootcert",
    "connect_timeout",
];

impl std::str::FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = |what| Error::BadAddress { what };
        let engine = engine_of(text).ok_or(bad("it names no engine"))?;
        let (server, parameters) = text.split_once('?').unwrap_or((text, ""));
        let (mut what, mut others) = (None, Vec::new());
        let (mut path, mut format) = (None, None);
        let mut rest = parameters;
        while !rest.is_empty() {
            // A query may contain anything, so it goes on to the end.
            if let Some(query) = rest.strip_prefix("query=") {
                let query = decoded(query).ok_or(bad("its query is not UTF-8 text"))?;
                set(&mut what, What::Query(query))?;
                break;
            }
            let (parameter, after) = rest.split_once('&').unwrap_or((rest, ""));
            rest = after;
            match parameter.split_once('=') {
                Some(("table", table)) => {
                    let table = decoded(table).as_deref().and_then(TableName::parse);
                    let table = table.ok_or(bad("the name of its table is empty or broken"))?;
                    set(&mut what, What::Table(table))?;
                }
                Some(("path", given)) if engine == Engine::Spark => {
                    let given = decoded(given).filter(|it| it.contains('/') && !it.contains('\0'));
                    path = Some(given.ok_or(bad("its path is no whole path"))?);
                }
                Some(("format", given)) if engine == Engine::Spark => {
                    let known = FORMATS.iter().find(|it| **it == given);
                    format = Some(*known.ok_or(bad("its format is not known"))?);
                }
                _ => others.push(parameter),
            }
        }
        match (path, format) {
            (Some(path), format) => {
                let format = format.unwrap_or(FORMATS[0]).to_owned();
                set(&mut what, What::Table(TableName(vec![format, path])))?;
            }
            (None, Some(_)) => return Err(bad("it names a format and no path")),
            (None, None) => {}
        }
        let what = what.ok_or(bad("it names neither a table nor a query"))?;
        if matches!(&what, What::Query(query) if query.trim().is_empty() || query.contains('\0')) {
            return Err(bad("its query is empty or broken"));
        }
        let server = match others.is_empty() {
            true => server.to_owned(),
            false => format!("{server}?{}", others.join("&")),
        };
        if engine == Engine::Postgres {
            check_login(&server)?;
        }
        Ok(Address {
            engine,
            server,
            what,
        })
    }
}

/// Refuses a server whose user and password do not end where everybody would say, since a part of the password would be
/// shown as host or database.
fn check_login(server: &str) -> Result<(), Error> {
    let (_, rest) = server.split_once("://").unwrap_or(("", server));
    let (authority, after) = rest.split_at(rest.find(['/', '?', ';']).unwrap_or(rest.len()));
    let hosts = authority
        .split_once('@')
        .map_or(authority, |(_, hosts)| hosts);
    if hosts.contains('@') || after.contains('@') {
        return Err(Error::BadAddress {
            what: "a user, password or other part of it contains a character that ends it; write %40 for `@`, %2F for `/`, \
                   %3F for `?` and %3B for `;`",
        });
    }
    let has_port = |host: &str| match host.rsplit_once(':') {
        Some((name, port)) => {
            port.bytes().all(|byte| byte.is_ascii_digit())
                || name.starts_with('[') && port.ends_with(']')
        }
        None => true,
    };
    match hosts.split(',').all(has_port) {
        true => Ok(()),
        false => Err(Error::BadAddress {
            what: "its port is not a number",
        }),
    }
}

fn set(what: &mut Option<What>, given: What) -> Result<(), Error> {
    match what.replace(given) {
        None => Ok(()),
        Some(_) => Err(Error::BadAddress {
            what: "it names more than one table or query",
        }),
    }
}

/// The text with every `%20` and the like as the byte it stands for; other percent signs stay.
pub(crate) fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|it| std::str::from_utf8(it).ok());
        let digits = digits.filter(|it| it.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|it| u8::from_str_radix(it, 16).ok()) {
            Some(meant) if byte == b'%' => {
                bytes.push(meant);
                rest = &after[2..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// Without password, token and other parameters that might be secret.
impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let server = self.server.split(['?', ';']).next().unwrap_or_default();
        match server.split_once("://") {
            Some((scheme, rest)) => {
                let (authority, path) = match rest.find('/') {
                    Some(end) => rest.split_at(end),
                    None => (rest, ""),
                };
                let (user, host) = match authority.rsplit_once('@') {
                    Some((user, host)) => (user.split(':').next().unwrap_or_default(), host),
                    None => ("", authority),
                };
                let at = if user.is_empty() { "" } else { "@" };
                write!(formatter, "{scheme}://{user}{at}{host}{path}")?;
            }
            None => formatter.write_str(server)?,
        }
        if self.engine == Engine::Spark && self.server.contains(";use_ssl=true") {
            formatter.write_str(";use_ssl=true")?;
        }
        formatter.write_str("?")?;
        let parameters = self.server.split_once('?').map_or("", |(_, after)| after);
        let name = |parameter: &str| parameter.split('=').next().unwrap_or_default().to_owned();
        for parameter in parameters.split('&') {
            if HARMLESS.contains(&name(parameter).as_str()) {
                write!(formatter, "{parameter}&")?;
            }
        }
        match &self.what {
            What::Table(table) => match self.engine {
                Engine::Spark if table.0.len() == 2 && table.0[1].contains('/') => {
                    let path = table.0[1].replace('%', "%25").replace('&', "%26");
                    write!(formatter, "path={path}&format={}", table.0[0])
                }
                _ => write!(formatter, "table={table}"),
            },
            What::Query(_) => formatter.write_str("query=..."),
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        text.parse().expect("an address")
    }

    #[test]
    fn tables_and_queries_are_taken_out_of_the_address() {
        let table = address("postgres://u@h:5433/db?sslmode=disable&table=public.people");
        assert_eq!(table.server, "postgres://u@h:5433/db?sslmode=disable");
        let parts = ["public", "people"].map(String::from).to_vec();
        assert_eq!(table.what, What::Table(TableName(parts)));
        let query = address("postgres://h/db?query=SELECT * FROM a WHERE b LIKE 'x%25' & c?");
        let text = "SELECT * FROM a WHERE b LIKE 'x%' & c?";
        assert_eq!(query.what, What::Query(text.into()));
        assert_eq!(query.server, "postgres://h/db");
        let quoted = address("duckdb:a/b.db?table=\"odd.na\"\"me\".T");
        let parts = ["odd.na\"me", "T"].map(String::from).to_vec();
        assert_eq!(quoted.what, What::Table(TableName(parts)));
    }

    #[test]
    fn no_secret_is_shown() {
        for text in [
            "postgres://ann:s3cret@host/db?password=s3cret&table=t",
            "postgres://ann:s3cret@host/db?table=t&sslpassword=s3cret",
            "postgres://ann:s3@cret@host/db?query=SELECT 's3cret'",
            "sc://host:15002/;token=s3cret?table=a.b.c",
            "postgres://ann:s3cret@host/db",
            "postgres://ann:s3/cret@host/db?table=t",
            "postgres://ann:s3?cret@host/db?table=t",
            "postgres://ann:s3;cret@host/db?table=t",
            "postgres://ann:s3@cret/db@host/db?table=t",
            "postgres://ann:s3cret/db?table=t",
            "postgres://ann/db?password=s3@cret&table=t",
        ] {
            let parsed = text.parse::<Address>();
            let shown = format!("{} {parsed:?}", shown(text));
            assert!(!shown.contains("s3") && !shown.contains("cret"), "{shown}");
        }
        for text in [
            "postgres://[::1]/db?table=t",
            "postgres://ann@[::1]:5432,other:1/db?table=t",
            "postgres:///db?host=/run&table=t",
        ] {
            assert_eq!(shown(text), text);
        }
        let parsed = address("postgres://ann:x@host:1/db?password=y&table=a.\"b.c\"");
        assert_eq!(
            parsed.to_string(),
            "postgres://ann@host:1/db?table=a.\"b.c\""
        );
    }

    #[test]
    fn directories_of_spark_have_a_format() {
        let read = |text: &str| address(text).to_string();
        let path = "sc://h:1/;use_ssl=true?path=/a%26b&format=orc";
        assert_eq!(read(path), path);
        assert_eq!(read("sc://h/?path=/a"), "sc://h/?path=/a&format=parquet");
        for text in [
            "sc://h/?path=a",
            "sc://h/?path=/a&format=csv",
            "sc://h/?format=parquet",
            "sc://h/?path=/a&table=b",
            "postgres://h/db?path=/a",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }

    #[test]
    fn paths_are_no_addresses() {
        for path in ["a.csv", "-", "C:\\a.csv", "postgres.csv", "a:b", "http://x"] {
            assert!(!is_address(path), "{path}");
            assert_eq!(shown(path), path);
        }
        assert!(is_address("duckdb:a.db?table=t") && is_address("postgresql://h/d?table=t"));
    }

    #[test]
    fn files_are_found_in_their_folder() {
        let in_folder = |path: &Path| Path::new("jobs").join(path);
        for (text, found) in [
            ("a.csv", "jobs/a.csv"),
            ("-", "-"),
            ("http://x/a.csv", "http://x/a.csv"),
            ("postgres://h/db?table=t", "postgres://h/db?table=t"),
            ("duckdb:a.db?table=t", "duckdb:jobs/a.db?table=t"),
            (
                "duckdb:/b/a.db?query=SELECT '?'",
                "duckdb:/b/a.db?query=SELECT '?'",
            ),
        ] {
            assert_eq!(resolved(text, in_folder), found);
        }
        assert_eq!(
            database_file("duckdb:a/b.db?table=t"),
            Some(Path::new("a/b.db"))
        );
        assert_eq!(database_file("postgres://h/db?table=t"), None);
        assert_eq!(database_file("a.db"), None);
    }

    #[test]
    fn broken_addresses_are_refused_without_being_quoted() {
        for text in [
            "postgres://h/db",
            "postgres://h/db?table=",
            "postgres://h/db?table=a..b",
            "postgres://h/db?table=\"a",
            "postgres://h/db?table=\"a\"b",
            "postgres://h/db?table=a&table=b",
            "postgres://h/db?table=a%00",
            "postgres://h/db?query=",
            "postgres://h/db?query=a%ff",
        ] {
            let refused = text.parse::<Address>();
            assert!(matches!(refused, Err(Error::BadAddress { .. })), "{text}");
        }
    }
}
