//! What a column's name and numbers say about its role.

use super::{ColumnReport, ProposedRole};
use crate::job::Columns;
use incrowd_core::table::Kind;

/// Words in the name of a column that names a person.
const IDENTIFYING: [&str; 34] = [
    "id",
    "ids",
    "uuid",
    "guid",
    "identifier",
    "name",
    "names",
    "firstname",
    "lastname",
    "surname",
    "forename",
    "fullname",
    "nickname",
    "username",
    "user",
    "login",
    "email",
    "mail",
    "phone",
    "telephone",
    "mobile",
    "fax",
    "ssn",
    "nin",
    "passport",
    "iban",
    "account",
    "card",
    "license",
    "plate",
    "address",
    "street",
    "ip",
    "url",
];

/// Words in the name of a column that others are likely to know.
const KNOWN_TO_OTHERS: [&str; 48] = [
    "age",
    "birth",
    "birthday",
    "birthdate",
    "dob",
    "born",
    "sex",
    "gender",
    "race",
    "ethnicity",
    "ethnic",
    "nationality",
    "citizenship",
    "country",
    "native",
    "language",
    "zip",
    "zipcode",
    "postcode",
    "postal",
    "plz",
    "city",
    "town",
    "county",
    "state",
    "region",
    "district",
    "province",
    "place",
    "location",
    "marital",
    "married",
    "relationship",
    "family",
    "children",
    "household",
    "education",
    "school",
    "degree",
    "occupation",
    "job",
    "profession",
    "workclass",
    "employer",
    "employment",
    "height",
    "weight",
    "religion",
];

/// Words in the name of a column that should not be linked to a person.
const SENSITIVE: [&str; 34] = [
    "disease",
    "diagnosis",
    "diagnoses",
    "icd",
    "condition",
    "illness",
    "symptom",
    "treatment",
    "therapy",
    "medication",
    "drug",
    "medicine",
    "hiv",
    "health",
    "disability",
    "pregnancy",
    "salary",
    "income",
    "wage",
    "wages",
    "pay",
    "earnings",
    "debt",
    "credit",
    "loan",
    "balance",
    "crime",
    "offence",
    "offense",
    "conviction",
    "sexual",
    "political",
    "party",
    "union",
];

/// More distinct values than this per row, and the column names people whatever it is called.
const NEARLY_ALL_DISTINCT: f64 = 0.9;

/// A larger share of rows with a value of their own, and the column names people whatever it is called.
const MANY_ALONE: f64 = 0.25;

/// Text columns of at most so many values are categories.
const FEW_CATEGORIES: u64 = 100;

/// The role of a column and the reason for it. What the job says is not doubted.
pub(super) fn propose(
    column: &ColumnReport,
    kind: Kind,
    rows: u64,
    given: &Columns,
) -> (ProposedRole, String) {
    use ProposedRole::*;
    let is_given =
        |list: &Option<Vec<String>>| list.iter().flatten().any(|name| *name == column.name);
    for (list, role) in [
        (&given.identifying, Identifying),
        (&given.quasi_identifiers, QuasiIdentifying),
        (&given.sensitive, Sensitive),
        (&given.target, Plain),
    ] {
        if is_given(list) {
            return (role, "you said so".into());
        }
    }
    let words = words(&column.name);
    let named = |list: &[&str]| {
        words
            .iter()
            .find(|word| list.contains(&word.as_str()))
            .cloned()
    };
    if column.distinct <= 1 {
        return (Plain, "the same in every row, so it tells nothing".into());
    }
    let is_distinct = rows >= 10 && column.distinct_ratio >= NEARLY_ALL_DISTINCT;
    if is_distinct && kind != Kind::Date && named(&KNOWN_TO_OTHERS).is_none() {
        let percent = column.distinct_ratio * 100.0;
        return (
            Identifying,
            format!("nearly every row has a value of its own ({percent:.0} % distinct)"),
        );
    }
    if let Some(word) = named(&SENSITIVE) {
        return (Sensitive, format!("its name says `{word}`"));
    }
    if let Some(word) = named(&IDENTIFYING) {
        // Few values name groups, not persons: `account type`, `country id`.
        if column.distinct > FEW_CATEGORIES || column.distinct_ratio > 0.5 {
            return (Identifying, format!("its name says `{word}`"));
        }
    }
    if let Some(word) = named(&KNOWN_TO_OTHERS) {
        return (QuasiIdentifying, format!("its name says `{word}`"));
    }
    if kind == Kind::Date {
        return (QuasiIdentifying, "dates are easily known to others".into());
    }
    let alone = super::ratio(column.unique_rows.unwrap_or(rows), rows);
    if alone >= MANY_ALONE {
        return (
            Identifying,
            format!(
                "{:.0} % of the rows have a value of their own",
                alone * 100.0
            ),
        );
    }
    if kind == Kind::Text && column.distinct <= FEW_CATEGORIES {
        return (
            QuasiIdentifying,
            format!("{} categories that others may know", column.distinct),
        );
    }
    (
        Plain,
        "neither its name nor its values speak for a role; decide yourself".into(),
    )
}

/// The words of a name: `birthDate`, `birth_date` and `BIRTH-DATE` have two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        let starts_word = letter.is_uppercase() && before.is_lowercase();
        if (starts_word || !letter.is_alphanumeric())
            && words.last().is_some_and(|word| !word.is_empty())
        {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut()
            && letter.is_alphanumeric()
        {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_word_by_word() {
        assert_eq!(words("birthDate"), ["birth", "date"]);
        assert_eq!(words("PATIENT_ID"), ["patient", "id"]);
        assert_eq!(words("marital-status"), ["marital", "status"]);
    }
}
