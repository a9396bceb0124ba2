//! A DuckDB file, seen by DuckDB's own client for Node.js.

use super::engine::{Engine, Rows, quoted};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file in a folder of its own.
pub(super) struct DuckFile(tempfile::TempDir);

/// Where `make test` installs DuckDB.
fn modules() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    workspace
        .canonicalize()
        .unwrap()
        .join("out/duckdb/node_modules")
}

impl DuckFile {
    pub(super) fn new() -> DuckFile {
        let file = DuckFile(tempfile::tempdir().unwrap());
        file.sql(&["SELECT 1"]);
        file
    }

    pub(super) fn path(&self) -> PathBuf {
        self.0.path().join("test.db")
    }

    /// The rows of the last of some statements, whose cells are texts.
    #[track_caller]
    pub(super) fn sql(&self, statements: &[&str]) -> Vec<Vec<Option<String>>> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/engines/duckdb.mjs");
        let output = Command::new("node")
            .arg(script)
            .arg(modules())
            .arg(self.path())
            .args(statements)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "`make test` installs DuckDB: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }
}

impl Engine for DuckFile {
    fn name(&self) -> &'static str {
        "DuckDB"
    }

    fn run(&self, sql: &str) {
        self.sql(&[sql]);
    }

    fn load(&self, table: &str, columns: &[(&str, &str)], csv: &Path) {
        let columns = columns.iter().map(|(name, kind)| {
            let kind = match *kind {
                "double precision" => "DOUBLE",
                // Numbers have as many digits after the point as their column says.
                "numeric" | "text" => "VARCHAR",
                kind if kind.contains("char(") => "VARCHAR",
                kind => kind,
            };
            format!("{} {kind}", quoted(name))
        });
        let columns = columns.collect::<Vec<_>>().join(", ");
        let table = quoted(table);
        self.sql(&[
            &format!("CREATE TABLE {table} ({columns})"),
            &format!(
                "INSERT INTO {table} SELECT * FROM read_csv('{}', header = true, all_varchar = true, delim = ',', \
                 quote = '\"', escape = '\"', new_line = '\\n')",
                csv.display()
            ),
        ]);
    }

    fn table(&self, table: &str) -> String {
        format!("duckdb:{}?table={table}", self.path().display())
    }

    fn rows(&self, table: &str) -> Rows {
        let described = self.sql(&[&format!(
            "SELECT column_name, column_type FROM (DESCRIBE {})",
            quoted(table)
        )]);
        let columns: Vec<(String, String)> = described
            .into_iter()
            .map(|row| (row[0].clone().unwrap(), row[1].clone().unwrap()))
            .collect();
        let cells = columns.iter().map(|(name, kind)| {
            let name = quoted(name);
            match kind.as_str() {
                "TIMESTAMP" => format!("strftime({name}, '%Y-%m-%dT%H:%M:%S')"),
                "DOUBLE" => format!("replace(CAST({name} AS VARCHAR), 'nan', 'NaN')"),
                _ => format!("CAST({name} AS VARCHAR)"),
            }
        });
        let cells = cells.collect::<Vec<_>>().join(", ");
        let rows = self.sql(&[&format!("SELECT {cells} FROM {}", quoted(table))]);
        let rows = rows.into_iter();
        let rows = rows.map(|row| row.into_iter().map(Option::unwrap_or_default).collect());
        let mut rows: Vec<Vec<String>> = rows.collect();
        rows.sort();
        (columns.into_iter().map(|(name, _)| name).collect(), rows)
    }

    fn relations(&self) -> String {
        let names = self.sql(&["SELECT table_name FROM information_schema.tables ORDER BY 1"]);
        names
            .into_iter()
            .map(|row| format!("{}\n", row[0].clone().unwrap()))
            .collect()
    }
}
