//! What is in a column, and what its name and figures suggest about its role.

use crate::report::outcome::LevelsFrom;
use crate::spec::Columns;
use incrowd_core::table::{Kind, words_of_name};
use serde::{Deserialize, Serialize};

/// What is in a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnReport {
    /// Its name.
    pub name: String,
    /// `number`, `date` or `text`.
    pub kind: String,
    /// Rows without a value.
    pub missing: u64,
    /// Texts in it that often mean "no value" but were not declared as such.
    pub likely_missing: Vec<String>,
    /// Distinct values; at least this many if `is_exact` is false.
    pub distinct: u64,
    /// Whether there were few enough values to count all.
    pub is_exact: bool,
    /// Distinct values per row.
    pub distinct_ratio: f64,
    /// Share of the pairs of rows that differ in this column.
    pub separation_ratio: Option<f64>,
    /// Rows whose value no other row has.
    pub unique_rows: Option<u64>,
    /// The role it should have: `identifying`, `quasi-identifying`, `sensitive` or `plain`.
    pub role: ProposedRole,
    /// Why.
    pub reason: String,
    /// The levels it would have, if it is quasi-identifying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<LevelsFrom>,
}

/// A role proposed for a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProposedRole {
    /// Names a person.
    Identifying,
    /// Others are likely to know it.
    QuasiIdentifying,
    /// Should not be linked to a person.
    Sensitive,
    /// Nothing suggests one of the others.
    Plain,
}

impl std::fmt::Display for ProposedRole {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.pad(match self {
            ProposedRole::Identifying => "identifying",
            ProposedRole::QuasiIdentifying => "quasi-identifying",
            ProposedRole::Sensitive => "sensitive",
            ProposedRole::Plain => "plain",
        })
    }
}

/// Texts that often mean "no value".
pub(crate) const LIKELY_MISSING: [&str; 9] =
    ["?", "NA", "N/A", "NULL", "null", "None", "nan", "NaN", "-"];

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

/// What others are likely to know about a person, best known first: the words for it in column names, in several
/// languages and without accents. Of the columns about one topic, one is proposed.
const KNOWN_TO_OTHERS: [&str; 16] = [
    "age ages birth birthday birthdate birthyear dob yob born alter geburt geburtsdatum geburtstag geburtsjahr \
     geboren naissance edad nacimiento eta nascita idade nascimento leeftijd geboorte geboortedatum wiek alder",
    "sex gender geschlecht sexe genre sexo genero sesso geslacht plec kon",
    "zip zipcode postcode postal plz postleitzahl cap cep city town ort stadt wohnort ville commune ciudad \
     municipio municipality citta comune cidade woonplaats gemeente neighborhood neighbourhood place location",
    "state region county province district bundesland kreis landkreis departement provincia estado regione \
     regiao provincie area residence",
    "race ethnicity ethnic ethnie raza raca razza etnia hispanic caste tribe",
    "marital married familienstand matrimonial civil spouse divorced widowed burgerlijke conjugal",
    "education school schooling degree educ edu bildung ausbildung schulabschluss abschluss diplome educacion \
     estudios escolaridad escolaridade istruzione opleiding graduation",
    "occupation job profession beruf metier ocupacion profesion professione profissao ocupacao beroep zawod",
    "native country land pays pais paese kraj birthplace geburtsort",
    "citizenship nationality citizen nationalitat staatsangehorigkeit staatsburgerschaft nationalite \
     nacionalidad nacionalidade cittadinanza nazionalita nationaliteit immigrant",
    "workclass employer employment company arbeitgeber employeur worker industry",
    "relationship family children household haushalt kinder enfants hijos figli kinderen dependents",
    "language sprache muttersprache langue idioma lingua taal",
    "religion konfession religione religiao faith denomination",
    "height weight grosse gewicht taille poids eye hair",
    "date datum fecha admission discharge",
];

const BIRTH: usize = 0;
const PLACE: usize = 2;
const REGION: usize = 3;
const COUNTRY: usize = 8;

/// Words that suggest a column is about another person or time; others know less about that.
const OF_OTHERS: &str = "father mother parent parents spouse partner previous prev last ago former vater mutter other \
     detailed num";

/// The most columns proposed as quasi-identifiers.
pub(crate) const MOST_PROPOSED: usize = 8;

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

/// With more distinct values per row than this, a column identifies people whatever its name.
const NEARLY_ALL_DISTINCT: f64 = 0.9;

/// With a larger share of unique values than this, a column identifies people whatever its name.
const MANY_ALONE: f64 = 0.25;

/// Text columns with at most this many values are categories.
const FEW_CATEGORIES: u64 = 100;

/// Why a column could be a quasi-identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Leaning {
    /// The user said so.
    Given,
    /// Its name is about something others know: the position in the list, and how far the name is from exactly that.
    Named { thing: usize, detours: usize },
    /// Few categories, or dates, that others may know.
    Possible,
    /// Nothing, or it has another role.
    None,
}

/// The role of a column by itself, the reason for it, and whether it may be a quasi-identifier. Roles given in the job
/// are kept. Columns that may be quasi-identifiers are plain until they are chosen.
pub(crate) fn propose(
    column: &ColumnReport,
    kind: Kind,
    rows: u64,
    given: &Columns,
) -> (ProposedRole, String, Leaning) {
    use ProposedRole::*;
    let is_given =
        |list: &Option<Vec<String>>| list.iter().flatten().any(|name| *name == column.name);
    for (list, role, leaning) in [
        (&given.identifying, Identifying, Leaning::None),
        (&given.quasi_identifiers, QuasiIdentifying, Leaning::Given),
        (&given.sensitive, Sensitive, Leaning::None),
        (&given.target, Plain, Leaning::None),
        (&given.keep, Plain, Leaning::None),
    ] {
        if is_given(list) {
            return (role, "given".into(), leaning);
        }
    }
    let words = words_of_name(&column.name);
    let named = |list: &[&str]| {
        words
            .iter()
            .find(|word| list.contains(&word.as_str()))
            .cloned()
    };
    let is_in = |list: &str, word: &str| list.split_whitespace().any(|other| other == word);
    let mut things = KNOWN_TO_OTHERS
        .iter()
        .enumerate()
        .filter_map(|(thing, list)| {
            let word = words.iter().find(|word| is_in(list, word))?;
            Some((thing, word))
        });
    // If a name has two topics, use the one that others know best; but a country or place of birth is not an age.
    let known = match (things.next(), things.next()) {
        (Some((BIRTH, _)), Some((thing @ (PLACE | REGION | COUNTRY), word))) => Some((thing, word)),
        (first, _) => first,
    };
    let no = |role, reason: String| (role, reason, Leaning::None);
    if column.distinct <= 1 {
        return no(Plain, "the same in every row, so it reveals nothing".into());
    }
    let is_distinct = rows >= 10 && column.distinct_ratio >= NEARLY_ALL_DISTINCT;
    if is_distinct && kind != Kind::Date && known.is_none() {
        let percent = column.distinct_ratio * 100.0;
        return no(
            Identifying,
            format!("nearly every row has a unique value ({percent:.0} % distinct)"),
        );
    }
    if let Some(word) = named(&SENSITIVE) {
        return no(Sensitive, format!("its name contains `{word}`"));
    }
    if let Some(word) = named(&IDENTIFYING) {
        // Few values mean groups, not people: `account type`, `country id`.
        if column.distinct > FEW_CATEGORIES || column.distinct_ratio > 0.5 {
            return no(Identifying, format!("its name contains `{word}`"));
        }
    }
    if let Some((thing, word)) = known {
        let others = words.iter().filter(|word| is_in(OF_OTHERS, word));
        let detours = 10 * others.count() + words.len();
        let reason = format!("others may know it: its name contains `{word}`");
        return (Plain, reason, Leaning::Named { thing, detours });
    }
    if kind == Kind::Date {
        let reason = "others may know it: dates are often known".into();
        let (thing, detours) = (KNOWN_TO_OTHERS.len() - 1, words.len());
        return (Plain, reason, Leaning::Named { thing, detours });
    }
    let alone = ratio(column.unique_rows.unwrap_or(rows), rows);
    if alone >= MANY_ALONE {
        return no(
            Identifying,
            format!("{:.0} % of rows have a unique value", alone * 100.0),
        );
    }
    if kind == Kind::Text && column.distinct <= FEW_CATEGORIES {
        let reason = format!("{} categories that others may know", column.distinct);
        return (Plain, reason, Leaning::Possible);
    }
    no(
        Plain,
        "neither its name nor its values suggest a role; decide yourself".into(),
    )
}

/// The columns that others are likely to know, judging by their names: one per topic, best known first, at most
/// [`MOST_PROPOSED`]. If the user gave some, these and no others.
pub(crate) fn known_by_name(leanings: &[Leaning]) -> Vec<usize> {
    let mut columns: Vec<usize> = (0..leanings.len()).collect();
    if leanings.contains(&Leaning::Given) {
        columns.retain(|&at| leanings[at] == Leaning::Given);
        return columns;
    }
    columns.retain(|&at| matches!(leanings[at], Leaning::Named { .. }));
    // Stable: of equals the first in the table.
    columns.sort_by_key(|&at| leanings[at]);
    columns.dedup_by_key(|at| match leanings[*at] {
        Leaning::Named { thing, .. } => thing,
        _ => usize::MAX,
    });
    columns.truncate(MOST_PROPOSED);
    columns.sort_unstable();
    columns
}

/// Completes the reasons of columns that others may know and that are not proposed.
pub(crate) fn say_why_not(columns: &mut [ColumnReport], leanings: &[Leaning]) {
    let thing_of = |leaning: &Leaning| match leaning {
        Leaning::Named { thing, .. } => Some(*thing),
        _ => None,
    };
    for at in 0..columns.len() {
        let Some(thing) = thing_of(&leanings[at]) else {
            continue;
        };
        if columns[at].role != ProposedRole::Plain {
            continue;
        }
        let same = (0..columns.len()).find(|&other| {
            thing_of(&leanings[other]) == Some(thing)
                && columns[other].role == ProposedRole::QuasiIdentifying
        });
        let why_not = match same {
            Some(other) => format!("; `{}` covers it", columns[other].name.escape_debug()),
            None => "; other columns are better known".to_owned(),
        };
        columns[at].reason.push_str(&why_not);
    }
}

/// Whether a text often means "no value".
pub(crate) fn is_likely_missing(text: &str) -> bool {
    LIKELY_MISSING.contains(&text)
}

/// The role of a column without a given role, in a table of `rows` rows, and why.
pub(crate) fn propose_role(column: &ColumnReport, kind: Kind, rows: u64) -> (ProposedRole, String) {
    let (role, reason, _) = propose(column, kind, rows, &Columns::default());
    (role, reason)
}

/// The ratio of a part to a whole; 0 if the whole is 0.
pub(crate) fn ratio(part: u64, whole: u64) -> f64 {
    match whole {
        0 => 0.0,
        whole => part as f64 / whole as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(name: &str, distinct: u64) -> ColumnReport {
        ColumnReport {
            name: name.into(),
            kind: "text".into(),
            missing: 0,
            likely_missing: Vec::new(),
            distinct,
            is_exact: true,
            distinct_ratio: distinct as f64 / 10_000.0,
            separation_ratio: Some(0.5),
            unique_rows: Some(0),
            role: ProposedRole::Plain,
            reason: String::new(),
            levels: None,
        }
    }

    fn proposed<'a>(names: &[&'a str]) -> Vec<&'a str> {
        let leaning = |name: &&str| {
            let report = report(name, 20);
            propose(&report, Kind::Text, 10_000, &Columns::default()).2
        };
        let leanings: Vec<Leaning> = names.iter().map(leaning).collect();
        let proposed = known_by_name(&leanings).into_iter();
        proposed.map(|at| names[at]).collect()
    }

    #[test]
    fn names_are_understood_in_several_languages() {
        for name in [
            "age",
            "birthDate",
            "GESCHLECHT",
            "plz",
            "code_postal",
            "État civil",
            "nivel_estudios",
            "cittadinanza",
            "beroep",
            "Staatsangehörigkeit",
            "raça",
            "date of birth",
        ] {
            assert_eq!(proposed(&[name]), [name]);
        }
        for name in ["sausage", "score", "x1", "capital-gain"] {
            assert!(proposed(&[name]).is_empty(), "{name}");
        }
    }

    #[test]
    fn of_columns_that_say_one_thing_the_plainest_is_proposed() {
        assert_eq!(
            proposed(&[
                "country of birth father",
                "country of birth self",
                "country of birth mother",
                "age"
            ]),
            ["country of birth self", "age"]
        );
        assert_eq!(proposed(&["education-num", "education"]), ["education"]);
    }

    #[test]
    fn a_census_table_gets_few_quasi_identifiers() {
        let census = [
            "age",
            "class of worker",
            "detailed industry recode",
            "detailed occupation recode",
            "education",
            "enroll in edu inst last wk",
            "marital stat",
            "major industry code",
            "major occupation code",
            "race",
            "hispanic origin",
            "sex",
            "reason for unemployment",
            "full or part time employment stat",
            "tax filer stat",
            "region of previous residence",
            "state of previous residence",
            "detailed household and family stat",
            "detailed household summary in household",
            "migration code-change in msa",
            "live in this house 1 year ago",
            "family members under 18",
            "country of birth father",
            "country of birth mother",
            "country of birth self",
            "citizenship",
            "own business or self employed",
            "veterans benefits",
            "year",
        ];
        assert_eq!(
            proposed(&census),
            [
                "age",
                "education",
                "marital stat",
                "major occupation code",
                "race",
                "sex",
                "region of previous residence",
                "country of birth self",
            ]
        );
    }
}
