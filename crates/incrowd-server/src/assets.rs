//! The page, compiled into the program.

/// Every file of the built page, by its path below the root.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// Shown in place of the page if it was not there when the program was built.
const MISSING: &str = "<!doctype html>
<html lang=\"en\">
<head><meta charset=\"utf-8\"><title>incrowd</title></head>
<body>
<h1>The page was not built</h1>
<p>This program was compiled without its page. The API works: see <a href=\"/api/v1/openapi.json\">its description</a>.</p>
<p>To build the page, install Node.js and run <code>make page</code>, which compiles the program again with the page in it.</p>
</body>
</html>
";

/// A file of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Asset {
    pub(crate) content_type: &'static str,
    pub(crate) bytes: &'static [u8],
    /// Whether its name changes with its content, so that browsers may keep it.
    pub(crate) is_hashed: bool,
}

/// The file of a path; the page itself for `/`.
pub(crate) fn find(path: &str) -> Option<Asset> {
    let name = match path.trim_start_matches('/') {
        "" => "index.html",
        name => name,
    };
    let found = FILES.iter().find(|(known, _)| *known == name);
    match found {
        Some((name, bytes)) => Some(Asset {
            content_type: content_type(name),
            bytes,
            is_hashed: name.starts_with("assets/"),
        }),
        None if name == "index.html" => Some(Asset {
            content_type: content_type(name),
            bytes: MISSING.as_bytes(),
            is_hashed: false,
        }),
        None => None,
    }
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json" | "map") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
