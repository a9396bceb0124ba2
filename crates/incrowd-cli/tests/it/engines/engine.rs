//! What tests ask of every engine, each with a program that is not ours.

use std::path::Path;

/// The names of columns, and all rows as texts, sorted.
pub(super) type Rows = (Vec<String>, Vec<Vec<String>>);

/// A database of one test.
pub(super) trait Engine {
    /// As certificates call it.
    fn name(&self) -> &'static str;

    /// Runs a statement.
    fn run(&self, sql: &str);

    /// Creates a table from a CSV file, with a type for each column, as PostgreSQL calls it.
    fn load(&self, table: &str, columns: &[(&str, &str)], csv: &Path);

    /// The address of a table, whose name may be in quotes.
    fn table(&self, table: &str) -> String;

    /// The address of a query.
    fn query(&self, query: &str) -> String {
        self.table("").replace("table=", &format!("query={query}"))
    }

    /// All rows of a table.
    fn rows(&self, table: &str) -> Rows;

    /// Changes all cells of a column that are this text.
    fn change(&self, table: &str, column: &str, old: &str, new: &str) {
        self.run(&format!(
            "UPDATE {table} SET {column} = '{new}' WHERE {column} = '{old}'"
        ));
    }

    /// The names of every table and view that is there, each on a line.
    fn relations(&self) -> String;
}

/// A name as it stands in a statement.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Every engine that is compiled in, with a new database.
pub(super) fn engines() -> Vec<Box<dyn Engine>> {
    #[cfg_attr(
        not(feature = "spark"),
        expect(unused_mut, reason = "for some engines")
    )]
    let mut engines: Vec<Box<dyn Engine>> = vec![
        #[cfg(feature = "postgres")]
        Box::new(super::postgres_server::Database::new()),
        #[cfg(feature = "duckdb")]
        Box::new(super::duckdb_file::DuckFile::new()),
    ];
    #[cfg(feature = "spark")]
    for server in super::spark_server::servers() {
        engines.push(Box::new(super::spark_server::Session::on(server)));
    }
    engines
}
