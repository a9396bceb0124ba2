//! The second pass inside an engine: mapping tables in, a draft out.

use crate::address::TableName;
use crate::column::Column;
use crate::error::{Doing, Error};
use crate::relation::Relation;
use crate::relations::{AttributeRelation, Relations};
use crate::session::{Session, unique_name};
use arrow_array::RecordBatch;
use incrowd_core::publish::ReleaseMap;

/// The joins that find the class of every row.
pub(crate) struct Joined {
    /// `source t`, joined with everything but the classes.
    rows: String,
    /// What a row must be to have a class, besides a key.
    is_present: String,
    /// The name of the table of classes, and how rows find theirs.
    classes: (String, String),
    /// For each counted column whether a cell is missing, if any is.
    is_missing: Vec<Option<String>>,
    /// The mapping tables.
    relations: Vec<String>,
}

impl Joined {
    /// Uploads the tables of a release, to be joined with the rows of a source.
    pub(crate) fn upload(
        session: &Session,
        source: &Relation,
        map: &ReleaseMap,
    ) -> Result<Joined, Error> {
        let dialect = session.dialect;
        let attributes = columns_of(source, map.attributes().iter().map(|it| &it.name))?;
        let counted = columns_of(source, map.counted().iter().map(|it| &it.name))?;
        if let Some(column) = counted.iter().find(|it| !dialect.tells_apart(it)) {
            return Err(Error::Unsupported {
                column: column.name.clone(),
                kind: column.declared.clone(),
            });
        }
        let tables = Relations::of(map, &attributes, &counted).map_err(|_| Error::InputChanged)?;
        let mut relations = Vec::new();
        let mut add = |rows: &RecordBatch| -> Result<String, Error> {
            let name = unique_name("map");
            let columns = rows.schema();
            let columns = columns.fields().iter().map(|field| {
                let kind = dialect.stored(field.data_type());
                format!("{} {kind}", dialect.quote(field.name()))
            });
            let columns = columns.collect::<Vec<_>>().join(", ");
            let create = dialect.create_temporary(&name, &columns);
            let lent = (session.connection).lend(&name, &create, rows, Doing::Uploading);
            lent.map_err(|error| about_labels(map, error))?;
            let name = dialect.quote(&name);
            relations.push(name.clone());
            Ok(name)
        };
        let mut rows = format!("{} AS t", source.sql);
        let mut keys = vec![Vec::new(); tables.words];
        for (at, (relation, column)) in tables.attributes.iter().zip(&attributes).enumerate() {
            let table = add(&relation.numbers)?;
            let cell = column.compared(dialect, "t");
            let key = dialect.compared(&format!("m{at}.k"), column.form);
            rows += &format!(
                " LEFT JOIN {table} AS m{at} ON {}",
                dialect.equal(&cell, &key)
            );
            keys[relation.word].push(number(relation, at, &cell));
        }
        let mut is_present = String::new();
        for (at, (relation, column)) in tables.present.iter().zip(&counted).enumerate() {
            let table = add(relation)?;
            let cell = column.compared(dialect, "t");
            let key = dialect.compared(&format!("p{at}.k"), column.form);
            rows += &format!(
                " LEFT JOIN {table} AS p{at} ON {}",
                dialect.equal(&cell, &key)
            );
            is_present += &format!(" AND p{at}.k IS NOT NULL");
        }
        let mut is_missing = Vec::new();
        for (at, (relation, column)) in tables.missing.iter().zip(&counted).enumerate() {
            let Some(relation) = relation else {
                is_missing.push(None);
                continue;
            };
            let table = add(relation)?;
            let cell = column.compared(dialect, "t");
            let key = dialect.compared(&format!("x{at}.k"), column.form);
            rows += &format!(
                " LEFT JOIN {table} AS x{at} ON {}",
                dialect.equal(&cell, &key)
            );
            is_missing.push(Some(format!("x{at}.k IS NOT NULL")));
        }
        let classes = add(&tables.classes)?;
        let words = keys.iter().enumerate();
        let words = words
            .map(|(word, numbers)| dialect.equal(&format!("c.w{word}"), &dialect.sum(numbers)));
        let found = words.collect::<Vec<_>>().join(" AND ");
        Ok(Joined {
            rows,
            is_present,
            classes: (classes, found),
            is_missing,
            relations,
        })
    }

    /// Writes the rows of published classes to a new table, and nothing else.
    pub(crate) fn write(
        &self,
        session: &Session,
        source: &Relation,
        map: &ReleaseMap,
        columns: &[(String, bool)],
        draft: &TableName,
        shuffles: bool,
    ) -> Result<(), Error> {
        let dialect = session.dialect;
        session.execute_all(&dialect.before_recoding(&self.relations), Doing::Recoding)?;
        let unchanged = columns_of(source, columns.iter().map(|(name, _)| name))?;
        let cells = unchanged.iter().map(|column| {
            let name = dialect.quote(&column.name);
            let is_same = |other: &String| *other == column.name;
            if let Some(at) = map.attributes().iter().position(|it| is_same(&it.name)) {
                return format!("c.l{at} AS {name}");
            }
            let cell = dialect.published(&format!("t.{name}"), column);
            let counted = map.counted().iter().position(|it| is_same(&it.name));
            // Missing cells are counted as one value, so readers must not be able to tell them apart.
            match counted.and_then(|at| self.is_missing[at].as_ref()) {
                Some(is_missing) => format!("{} AS {name}", dialect.unless(is_missing, &cell)),
                None => format!("{cell} AS {name}"),
            }
        });
        let cells = cells.collect::<Vec<_>>().join(", ");
        let (classes, found) = &self.classes;
        let order = if shuffles { dialect.shuffle() } else { "" };
        let statement = format!(
            "CREATE TABLE {} AS SELECT {cells} FROM {} JOIN {classes} AS c ON {found}{}{order}",
            dialect.table(draft),
            self.rows,
            self.is_present,
        );
        session.connection.execute(&statement, Doing::Recoding)
    }

    /// What follows FROM to see the rows that are not written.
    pub(crate) fn rows_left_out(&self) -> String {
        let (classes, found) = &self.classes;
        format!(
            "{} LEFT JOIN {classes} AS c ON {found}{} WHERE c.w0 IS NULL",
            self.rows, self.is_present
        )
    }
}

/// The error, about the quasi-identifier whose labels a column of a mapping table holds.
fn about_labels(map: &ReleaseMap, error: Error) -> Error {
    let Error::NulText { column, engine } = error else {
        return error;
    };
    let number = column.strip_prefix('l').and_then(|it| it.parse().ok());
    let attribute = number.and_then(|at: usize| map.attributes().get(at));
    Error::NulText {
        column: attribute.map_or(column, |it| it.name.clone()),
        engine,
    }
}

/// The number of a row's value of a quasi-identifier: NULL, so that no class is found, if the value was not counted.
fn number(relation: &AttributeRelation, at: usize, cell: &str) -> String {
    match relation.of_null {
        None => format!("m{at}.n"),
        Some(number) => format!("CASE WHEN {cell} IS NULL THEN {number} ELSE m{at}.n END"),
    }
}

/// The columns of a table by their names, if they can be looked up in a map.
pub(crate) fn columns_of<'t>(
    source: &'t Relation,
    names: impl Iterator<Item = &'t String>,
) -> Result<Vec<&'t Column>, Error> {
    names
        .map(|name| {
            let mut columns = source.columns.iter();
            let found = columns.find(|column| column.name == *name);
            found.ok_or(Error::InputChanged)
        })
        .collect()
}
