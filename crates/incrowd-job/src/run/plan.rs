//! The roles of a job, matched to the columns of a table.

use crate::error::{Error, nearest_names};
use crate::spec::{Columns, Job, Others};
use incrowd_core::table::{parse_date, parse_number};

/// The role of each column of the table, by position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The columns of the table.
    pub names: Vec<String>,
    /// To be generalized, in the order of levels.
    pub quasi_identifiers: Vec<usize>,
    /// Not to be linked to a person.
    pub sensitive: Vec<usize>,
    /// To be predicted by analysts; may also be sensitive.
    pub target: Vec<usize>,
    /// Published unchanged, by name or without a role.
    pub kept: Vec<usize>,
    /// Not published: identifying columns, and those without a role if the job says so.
    pub dropped: Vec<usize>,
}

/// The lists of a job, in the order they are checked.
const QUASI: &str = "the quasi-identifiers";
const SENSITIVE: &str = "the sensitive columns";
const IDENTIFYING: &str = "the identifying columns";
const TARGET: &str = "the targets";
const KEPT: &str = "the columns to keep";

impl Plan {
    /// The plan for anonymizing a table with these columns. Every column must have a role, unless `others` is set.
    pub fn new(job: &Job, input: &str, names: &[String]) -> Result<Plan, Error> {
        let (mut plan, without_role) = Self::with_roles(&job.columns, input, names)?;
        match job.columns.others {
            Some(Others::Keep) => plan.keep(without_role),
            Some(Others::Drop) => plan.dropped.extend(without_role),
            None if without_role.is_empty() => {}
            None => {
                let is_row = looks_like_a_row(names);
                let columns = without_role.iter().map(|&at| match is_row {
                    true => format!("column {}", at + 1),
                    false => names[at].clone(),
                });
                return Err(Error::NoRole {
                    columns: columns.collect(),
                    is_row,
                });
            }
        }
        plan.dropped.sort_unstable();
        Ok(plan)
    }

    /// The plan for examining a published file: columns without a role count as kept, and identifying ones should not
    /// be there at all.
    pub fn of_release(job: &Job, input: &str, names: &[String]) -> Result<Plan, Error> {
        let mut columns = job.columns.clone();
        let lists = [&mut columns.identifying, &mut columns.keep];
        for list in lists.into_iter().flatten() {
            list.retain(|column| names.contains(column));
        }
        let (mut plan, without_role) = Self::with_roles(&columns, input, names)?;
        plan.keep(without_role);
        Ok(plan)
    }

    /// The plan for negotiating: nothing is published, so columns without a role are ignored.
    pub fn of_question(job: &Job, input: &str, names: &[String]) -> Result<Plan, Error> {
        let (mut plan, without_role) = Self::with_roles(&job.columns, input, names)?;
        plan.keep(without_role);
        Ok(plan)
    }

    fn keep(&mut self, others: Vec<usize>) {
        self.kept.extend(others);
        self.kept.sort_unstable();
    }

    fn with_roles(
        columns: &Columns,
        input: &str,
        names: &[String],
    ) -> Result<(Plan, Vec<usize>), Error> {
        let mut roles = Roles {
            input,
            names,
            given: vec![None; names.len()],
        };
        let quasi_identifiers = roles.give(QUASI, &columns.quasi_identifiers)?;
        let sensitive = roles.give(SENSITIVE, &columns.sensitive)?;
        let dropped = roles.give(IDENTIFYING, &columns.identifying)?;
        let target = roles.give(TARGET, &columns.target)?;
        let mut kept = roles.give(KEPT, &columns.keep)?;
        kept.sort_unstable();
        if quasi_identifiers.is_empty() {
            return Err(Error::NoQuasiIdentifiers);
        }
        let without_role = (0..names.len())
            .filter(|&at| roles.given[at].is_none())
            .collect();
        let plan = Plan {
            names: names.to_vec(),
            quasi_identifiers,
            sensitive,
            target,
            kept,
            dropped,
        };
        Ok((plan, without_role))
    }

    /// The columns of the release, in the order of the table.
    pub fn published(&self) -> Vec<usize> {
        (0..self.names.len())
            .filter(|at| !self.dropped.contains(at))
            .collect()
    }

    /// The sensitive columns and the targets, each once: what is counted besides the quasi-identifiers.
    pub fn counted(&self) -> Vec<usize> {
        let mut counted = self.sensitive.clone();
        counted.extend(self.target.iter().filter(|at| !self.sensitive.contains(at)));
        counted
    }

    /// The columns that are read to publish a table: what an engine is asked for, and takes the fingerprint of.
    pub(crate) fn fingerprinted(&self) -> Vec<usize> {
        let mut columns = self.quasi_identifiers.clone();
        columns.extend(self.counted());
        columns.extend(&self.kept);
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// The names of columns.
    pub fn names_of(&self, columns: &[usize]) -> Vec<String> {
        columns.iter().map(|&at| self.names[at].clone()).collect()
    }
}

struct Roles<'a> {
    input: &'a str,
    names: &'a [String],
    given: Vec<Option<&'static str>>,
}

impl Roles<'_> {
    fn give(
        &mut self,
        role: &'static str,
        columns: &Option<Vec<String>>,
    ) -> Result<Vec<usize>, Error> {
        let mut found = Vec::new();
        for column in columns.iter().flatten() {
            let at = find_column(self.input, self.names, column, role)?;
            match self.given[at] {
                // A sensitive column may well be the one that analysts predict.
                Some(SENSITIVE) if role == TARGET => {}
                // It is published unchanged anyway; naming it publishes it even if it is revealing.
                Some(SENSITIVE | TARGET) if role == KEPT => continue,
                Some(first) => {
                    return Err(Error::TwoRoles {
                        column: column.clone(),
                        first,
                        second: role,
                    });
                }
                None => self.given[at] = Some(role),
            }
            found.push(at);
        }
        Ok(found)
    }
}

/// The position of a column.
pub(crate) fn find_column(
    input: &str,
    names: &[String],
    column: &str,
    named_in: &'static str,
) -> Result<usize, Error> {
    names.iter().position(|name| name == column).ok_or_else(|| {
        let is_row = looks_like_a_row(names);
        Error::UnknownColumn {
            column: column.to_owned(),
            named_in,
            input: input.to_owned(),
            columns: names.len(),
            nearest: match is_row {
                true => Vec::new(),
                false => nearest_names(column, names.iter().map(String::as_str)),
            },
            is_row,
        }
    })
}

/// Whether the names of columns seem to be cells of a first row, which errors must not quote.
fn looks_like_a_row(names: &[String]) -> bool {
    names.iter().any(|name| {
        // Dates and telephone numbers, however they are written.
        let digits = name.chars().filter(char::is_ascii_digit).count();
        let is_figures = digits >= 4 && !name.chars().any(char::is_alphabetic);
        is_figures
            || name.contains('@')
            || parse_number(name).is_some()
            || parse_date(name).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["id", "age", "zip", "disease", "note"]
            .map(String::from)
            .into()
    }

    fn job(text: &str) -> Job {
        Job::parse(&format!("[columns]\n{text}")).unwrap()
    }

    #[test]
    fn quasi_identifiers_keep_the_order_given_and_the_release_that_of_the_table() {
        let job = job(
            "quasi_identifiers = [\"zip\", \"age\"]\nsensitive = [\"disease\"]\ntarget = [\"disease\"]\nothers = \"drop\"",
        );
        let plan = Plan::new(&job, "t.csv", &names()).unwrap();
        assert_eq!(plan.quasi_identifiers, [2, 1]);
        assert_eq!(plan.dropped, [0, 4]);
        assert_eq!(plan.published(), [1, 2, 3]);
        assert_eq!(plan.counted(), [3]);
    }

    #[test]
    fn a_column_without_a_role_is_refused_unless_others_are_settled() {
        let job = job("quasi_identifiers = [\"age\", \"zip\"]\nidentifying = [\"id\"]");
        let error = Plan::new(&job, "t.csv", &names()).unwrap_err();
        assert_eq!(error.to_string(), "2 columns have no role");
        assert_eq!(error.place().unwrap(), "disease, note");
        assert!(Plan::of_release(&job, "t.csv", &names()).is_ok());
    }

    #[test]
    fn cells_taken_for_names_are_not_quoted() {
        for cell in ["34", "1990-02-28", "28.02.1990", "+44 20 7946", "j@x.org"] {
            let names = ["John Smith", cell, "HIV"].map(String::from);
            let unknown = Plan::new(&job("quasi_identifiers = [\"HIW\"]"), "t.csv", &names);
            let quasi = job(&format!("quasi_identifiers = [\"{cell}\"]"));
            let no_role = Plan::new(&quasi, "t.csv", &names);
            for error in [unknown.unwrap_err(), no_role.unwrap_err()] {
                let place = error.place().unwrap();
                let text = format!("{error} {place} {}", error.hint());
                assert!(!text.contains("HIV") && !text.contains("John"), "{text}");
                assert!(text.contains("--no-header"), "{text}");
            }
        }
        assert!(!looks_like_a_row(&names()));
        assert!(!looks_like_a_row(&["income 2019".into(), "c1".into()]));
    }

    #[test]
    fn a_column_has_one_role_and_must_exist() {
        let two = job("quasi_identifiers = [\"age\"]\nsensitive = [\"age\"]");
        assert_eq!(
            Plan::new(&two, "t.csv", &names()).unwrap_err().to_string(),
            "column `age` is listed both in the quasi-identifiers and in the sensitive columns"
        );
        let unknown = job("quasi_identifiers = [\"Age\"]");
        let error = Plan::new(&unknown, "t.csv", &names()).unwrap_err();
        assert_eq!(error.to_string(), "the table has no column `Age`");
        assert!(error.hint().contains("`age`"), "{}", error.hint());
    }
}
