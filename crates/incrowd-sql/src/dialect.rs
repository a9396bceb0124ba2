//! How an engine writes SQL.

use crate::address::TableName;
use crate::column::{Column, Declared, Form};
use arrow_schema::DataType;

/// What differs between engines in the text of statements. Values and labels are never part of it; names are, quoted.
pub(crate) trait Dialect: Send + Sync {
    /// The engine.
    fn engine(&self) -> &'static str;

    /// The most bytes of a name; longer ones would be cut.
    fn longest_name(&self) -> Option<usize>;

    /// Whether `Age` and `age` are the same name.
    fn ignores_case(&self) -> bool;

    /// Whether a table would be temporary, or one of the system.
    fn is_reserved(&self, _table: &TableName) -> bool {
        false
    }

    /// Whether a table cannot be dropped while a view reads it.
    fn refuses_to_drop_what_is_read(&self) -> bool {
        true
    }

    /// Whether everything that a job does becomes visible at once, or not at all.
    fn has_transactions(&self) -> bool {
        true
    }

    /// Whether a text may contain several statements, all of which are run.
    fn runs_several_statements(&self) -> bool {
        false
    }

    /// A name as it stands in a statement, whatever it contains.
    fn quote(&self, name: &str) -> String {
        format!("\"{}\"", name.replace('"', "\"\""))
    }

    /// A table as it stands in a statement.
    fn table(&self, name: &TableName) -> String {
        let parts = name.0.iter().map(|part| self.quote(part));
        parts.collect::<Vec<_>>().join(".")
    }

    /// How a column is compared and read.
    fn column(&self, declared: Declared) -> Column;

    /// An expression in the form in which its values are compared.
    fn compared(&self, expression: &str, form: Form) -> String;

    /// A cell as it is published where it is not generalized. What is compared as one value must be stored as one.
    fn published(&self, cell: &str, _column: &Column) -> String {
        cell.to_owned()
    }

    /// A cell that is NULL where a condition holds. It has the very type of the cell.
    fn unless(&self, condition: &str, cell: &str) -> String {
        format!("CASE WHEN {condition} THEN NULL ELSE {cell} END")
    }

    /// Whether values of a column that differ have different texts.
    fn tells_apart(&self, _column: &Column) -> bool {
        true
    }

    /// Whether two values are equal.
    fn equal(&self, one: &str, other: &str) -> String {
        format!("{one} = {other}")
    }

    /// The sum of whole numbers.
    fn sum(&self, numbers: &[String]) -> String {
        numbers.join(" + ")
    }

    /// The type that stores every value of an Arrow type, so that it has the same text when it is read.
    fn stored(&self, kind: &DataType) -> String;

    /// Begins a transaction that sees one state of the database.
    fn begin(&self) -> Vec<String>;

    /// What is said before a statement that may be stopped although the transaction goes on, and what afterwards; none where a
    /// transaction survives it.
    fn around_stop(&self) -> Option<[&'static str; 2]> {
        None
    }

    /// What makes the joins of the second pass fast, once the mapping tables are there.
    fn before_recoding(&self, relations: &[String]) -> Vec<String>;

    /// A table of this session that others do not see: its name and definition.
    fn create_temporary(&self, name: &str, columns: &str) -> String {
        format!("CREATE TEMPORARY TABLE {} ({columns})", self.quote(name))
    }

    /// Where the draft of a release is, by a name that nobody has.
    fn draft(&self, target: &TableName, name: &str) -> TableName {
        target.sibling(name)
    }

    /// Puts rows in an order that nobody knows.
    fn shuffle(&self) -> &'static str {
        " ORDER BY random()"
    }

    /// Makes a draft the release, in the same transaction.
    fn publish(&self, draft: &TableName, target: &TableName, drops_old: bool) -> Vec<String> {
        let old = drops_old.then(|| format!("DROP TABLE {}", self.table(target)));
        let name = self.quote(target.last());
        let renamed = format!("ALTER TABLE {} RENAME TO {name}", self.table(draft));
        old.into_iter().chain([renamed]).collect()
    }
}
