//! Who may talk to the server at all: a page elsewhere, in the same browser, must not.
//!
//! A browser says in `Host` which name it looked up, so that a name somebody else owns and points at this machine (DNS
//! rebinding) is refused; in `Origin` and `Sec-Fetch-Site` which page asks, so that other pages are refused. Tokens are
//! in no cookie, so that no browser sends them by itself.

use crate::error::Failure;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// What a page of ours may load, run and talk to: our own files and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
    connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// Reports are pages of their own with their style in them; they run nothing and load nothing.
const POLICY_OF_REPORTS: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; \
    base-uri 'none'; form-action 'none'; sandbox";

/// The names under which this server may be addressed.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    names: Vec<String>,
    port: u16,
}

impl Names {
    /// Loopback names with this port, and those that the curator gave.
    pub(crate) fn new(given: &[String], port: u16) -> Self {
        let loopback = ["127.0.0.1", "localhost", "[::1]"].map(str::to_owned);
        let given = given.iter().map(|name| name.to_ascii_lowercase());
        Names {
            names: loopback.into_iter().chain(given).collect(),
            port,
        }
    }

    /// Whether a host, as browsers write it, is one of ours.
    fn has(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host.as_str(), Some(80)),
        };
        // A name that the curator gave may stand for another port, behind a proxy.
        let is_given = self
            .names
            .iter()
            .skip(3)
            .any(|known| *known == host || *known == name);
        is_given || (port == Some(self.port) && self.names[..3].iter().any(|known| known == name))
    }

    /// Refuses requests that did not mean this server, or that a page elsewhere made.
    pub(crate) fn check(&self, headers: &HeaderMap) -> Result<(), Failure> {
        self.check_host(headers)?;
        self.check_site(headers)
    }

    /// The same for the page itself, to which a link on another page or in a mail may lead: following it shows the page
    /// and does nothing else, and no page can hold ours in a frame.
    pub(crate) fn check_page(&self, headers: &HeaderMap) -> Result<(), Failure> {
        self.check_host(headers)?;
        let says = |name: &str, value: &[u8]| {
            headers
                .get(name)
                .is_some_and(|given| given.as_bytes() == value)
        };
        match says("sec-fetch-mode", b"navigate") && says("sec-fetch-dest", b"document") {
            true => Ok(()),
            false => self.check_site(headers),
        }
    }

    fn check_host(&self, headers: &HeaderMap) -> Result<(), Failure> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok());
        if hosts.next().is_some() || !host.is_some_and(|host| self.has(host)) {
            return Err(Failure::new(
                "wrong-host",
                "the request is for another host",
                format!(
                    "use http://127.0.0.1:{}; other names need `--host-name NAME`",
                    self.port
                ),
            ));
        }
        Ok(())
    }

    fn check_site(&self, headers: &HeaderMap) -> Result<(), Failure> {
        let is_ours = |origin: &HeaderValue| {
            let origin = origin.to_str().ok();
            let schemes = ["http://", "https://"];
            origin.is_some_and(|origin| {
                let name = schemes
                    .iter()
                    .find_map(|scheme| origin.strip_prefix(scheme));
                name.is_some_and(|name| self.has(name))
            })
        };
        let is_elsewhere = !headers.get_all(ORIGIN).iter().all(is_ours);
        let is_cross_site = headers
            .get_all("sec-fetch-site")
            .iter()
            .any(|site| matches!(site.as_bytes(), b"cross-site" | b"same-site"));
        match is_elsewhere || is_cross_site {
            true => Err(Failure::new(
                "cross-site",
                "the request comes from a page of another site",
                "open the page of this server itself",
            )),
            false => Ok(()),
        }
    }
}

/// Adds what every response carries.
pub(crate) fn harden(headers: &mut HeaderMap, is_report: bool) {
    let policy = match is_report {
        true => POLICY_OF_REPORTS,
        false => POLICY,
    };
    let fixed = [
        (CONTENT_SECURITY_POLICY, policy),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &Names, headers: &[(&'static str, &str)]) -> Option<&'static str> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).unwrap());
        }
        names.check(&map).err().map(|failure| failure.code)
    }

    #[test]
    fn only_our_own_names_and_pages_are_served() {
        let names = Names::new(&["incrowd.example".into()], 7337);
        for host in [
            "127.0.0.1:7337",
            "localhost:7337",
            "LOCALHOST:7337",
            "[::1]:7337",
            "incrowd.example",
            "incrowd.example:443",
        ] {
            assert_eq!(check(&names, &[("host", host)]), None, "{host}");
        }
        for host in [
            "evil.example:7337",
            "evil.example",
            "127.0.0.1",
            "127.0.0.1:80",
            "localhost.evil.example:7337",
            "",
            "127.0.0.1:7337@evil.example",
            "evil.example#127.0.0.1:7337",
            "[::1]",
            "0.0.0.0:7337",
            "incrowd.example.evil",
        ] {
            assert_eq!(
                check(&names, &[("host", host)]),
                Some("wrong-host"),
                "{host}"
            );
        }
        assert_eq!(check(&names, &[]), Some("wrong-host"));
        let two = [("host", "127.0.0.1:7337"), ("host", "127.0.0.1:7337")];
        assert_eq!(check(&names, &two), Some("wrong-host"));
        let from = |origin| check(&names, &[("host", "127.0.0.1:7337"), ("origin", origin)]);
        assert_eq!(from("http://127.0.0.1:7337"), None);
        for origin in [
            "null",
            "http://evil.example",
            "http://127.0.0.1:8000",
            "file://",
            "http://127.0.0.1:7337.evil.example",
        ] {
            assert_eq!(from(origin), Some("cross-site"), "{origin}");
        }
        let site = |site| {
            check(
                &names,
                &[("host", "localhost:7337"), ("sec-fetch-site", site)],
            )
        };
        assert_eq!(site("cross-site"), Some("cross-site"));
        // Another port of this machine is the same site, and not ours.
        assert_eq!(site("same-site"), Some("cross-site"));
        assert_eq!(site("same-origin"), None);
        assert_eq!(site("none"), None);
    }
}
