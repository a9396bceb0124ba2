//! What is in a column, and what its name and figures suggest about its role.

mod words;

use crate::report::outcome::LevelsFrom;
use crate::run::looks::LooksLike;
use crate::spec::Columns;
use incrowd_core::table::{Kind, words_of_name};
use serde::{Deserialize, Serialize};
use words::{
    BIRTH, COUNTRY, DATES, IDENTIFYING, KNOWN_TO_OTHERS, LOOKS, MARITAL, OF_OTHERS, OF_SURVEYS,
    ORIGIN, PLACE, REGION, SENSITIVE, Topic, WEIGHTS, WEIGHTS_OR_KILOS,
};

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
    /// Distinct values; an estimate if `is_exact` is false.
    pub distinct: u64,
    /// Whether there were few enough values to count all. Otherwise, the numbers of distinct values and unique rows and
    /// the separation are estimates from a sample.
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
    /// The role it should have if it is published after all, although its role is `plain` and `init` leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_published: Option<ProposedRole>,
    /// What its values look like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looks_like: Option<LooksLike>,
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

/// The reason for a role that the user gave.
pub(crate) const GIVEN: &str = "given";

/// The most columns proposed as quasi-identifiers.
pub(crate) const MOST_PROPOSED: usize = 8;

/// With more distinct values per row than this, a column identifies people whatever its name.
const NEARLY_ALL_DISTINCT: f64 = 0.9;

/// With a larger share of unique values than this, a column identifies people whatever its name.
pub(crate) const MANY_ALONE: f64 = 0.25;

/// Columns with at most this many values are categories.
const FEW_CATEGORIES: u64 = 100;

/// Names of people and sentences repeat, but labels repeat far more often: with fewer distinct values per row than this,
/// they are labels.
const MORE_THAN_LABELS: f64 = 0.2;

/// Nobody weighs as much as this, in whatever unit: a greater number is a survey weight.
const HEAVIEST: f64 = 1000.0;

/// What is known about a column before it is given a role.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evidence<'a> {
    pub(crate) name: &'a str,
    pub(crate) kind: Kind,
    /// Rows of the table.
    pub(crate) rows: u64,
    pub(crate) distinct: u64,
    /// Rows whose value no other row has.
    pub(crate) unique_rows: u64,
    /// What its values look like.
    pub(crate) looks: Option<LooksLike>,
    /// A number in the middle of its distinct values, if they are numbers and were looked at.
    pub(crate) middle: Option<f64>,
}

impl Evidence<'_> {
    fn distinct_ratio(&self) -> f64 {
        ratio(self.distinct, self.rows)
    }

    /// Whether nearly every row has a value of its own; in a handful of rows that says nothing.
    fn is_nearly_all_distinct(&self) -> bool {
        self.rows >= 10 && self.distinct_ratio() >= NEARLY_ALL_DISTINCT
    }

    /// Whether values stand for people: few values mean groups, as `account type`, `country id`.
    fn has_many_values(&self) -> bool {
        self.distinct > FEW_CATEGORIES || self.distinct_ratio() > 0.5
    }
}

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

/// What is proposed for a column by itself.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Proposal {
    pub(crate) role: ProposedRole,
    pub(crate) reason: String,
    /// Whether it may be a quasi-identifier. Such columns are plain until they are chosen.
    pub(crate) leaning: Leaning,
    pub(crate) looks_like: Option<LooksLike>,
}

/// The role of a column by itself, and why. Roles given in the job are kept.
pub(crate) fn propose(column: &Evidence<'_>, given: &Columns) -> Proposal {
    use ProposedRole::*;
    let words = words_of_name(column.name);
    let looks_like = looks_like(column, &words);
    let proposal = |role, reason: String, leaning| Proposal {
        role,
        reason,
        leaning,
        looks_like,
    };
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
            return proposal(role, GIVEN.into(), leaning);
        }
    }
    let no = |role, reason: String| proposal(role, reason, Leaning::None);
    if column.distinct <= 1 {
        return no(Plain, "the same in every row, so it reveals nothing".into());
    }
    match looks_like {
        None => (),
        Some(LooksLike::SurveyWeight) => {
            let reason =
                "says how many people a row stands for, not who they are; publish it only if \
                          analysts need it, and rounded"
                    .to_owned();
            return no(Plain, reason);
        }
        Some(LooksLike::FreeText) => {
            let reason = "free text, which may name people in any row".to_owned();
            return no(Identifying, reason);
        }
        Some(look) => {
            let reason = format!("its values look like {}", look.in_words());
            return no(Identifying, reason);
        }
    }
    let known = known_topic(&words);
    let sensitive = SENSITIVE
        .iter()
        .find_map(|topic| Some((topic, words::found(topic.words, &words)?)));
    let is_sensitive = |(topic, word): (&Topic, &String)| {
        let reason = format!("about {}: its name contains `{word}`", topic.about);
        no(Sensitive, reason)
    };
    // Amounts of money are nearly all distinct as well, and not known to others for that.
    if let Some(found) = sensitive.filter(|_| column.kind == Kind::Number) {
        return is_sensitive(found);
    }
    if column.is_nearly_all_distinct() && column.kind != Kind::Date && known.is_none() {
        let percent = column.distinct_ratio() * 100.0;
        return no(
            Identifying,
            format!("nearly every row has a unique value ({percent:.0} % distinct)"),
        );
    }
    if let Some(found) = sensitive {
        return is_sensitive(found);
    }
    if let Some(word) = words::found(IDENTIFYING, &words).filter(|_| column.has_many_values()) {
        return no(Identifying, format!("its name contains `{word}`"));
    }
    if let Some((thing, word)) = known {
        let others = words.iter().filter(|word| words::has(OF_OTHERS, word));
        let detours = 10 * others.count() + words.len();
        let mut reason = format!("others may know it: its name contains `{word}`");
        if thing == ORIGIN {
            reason += " (ethnic origin, which many laws protect as sensitive, too)";
        }
        return proposal(Plain, reason, Leaning::Named { thing, detours });
    }
    if column.kind == Kind::Date {
        let reason = "others may know it: dates are often known".into();
        let (thing, detours) = (DATES, words.len());
        return proposal(Plain, reason, Leaning::Named { thing, detours });
    }
    let alone = ratio(column.unique_rows, column.rows);
    if alone >= MANY_ALONE {
        return no(
            Identifying,
            format!("{:.0} % of rows have a unique value", alone * 100.0),
        );
    }
    if column.distinct <= FEW_CATEGORIES {
        let things = match column.kind {
            Kind::Number => "numbers",
            _ => "categories",
        };
        let reason = format!("{} {things} that others may know", column.distinct);
        return proposal(Plain, reason, Leaning::Possible);
    }
    no(
        Plain,
        "neither its name nor its values suggest a role; decide yourself".into(),
    )
}

/// What others know about a person that these words are about, best known first: its position, and the word. A country
/// or place of birth is not an age, though, and an `estado civil` is no state.
fn known_topic(words: &[String]) -> Option<(usize, &String)> {
    let topics = KNOWN_TO_OTHERS.iter().enumerate();
    let mut things = topics.filter_map(|(at, topic)| Some((at, words::found(topic.words, words)?)));
    match (things.next(), things.next()) {
        (Some((BIRTH, _)), Some(place @ (PLACE | REGION | COUNTRY, _))) => Some(place),
        (Some((REGION, _)), Some(status @ (MARITAL, _))) => Some(status),
        (first, _) => first,
    }
}

/// What a column looks like, of which its values alone are not enough to tell.
fn looks_like(column: &Evidence<'_>, words: &[String]) -> Option<LooksLike> {
    let is_repeated = column.distinct_ratio() < MORE_THAN_LABELS;
    match column.looks {
        // `2024-12-24` could be dialled.
        _ if column.kind == Kind::Date => None,
        Some(LooksLike::FreeText) if is_repeated => None,
        Some(LooksLike::PersonNames) if is_repeated || known_topic(words).is_some() => None,
        Some(LooksLike::WebAddresses) if !column.has_many_values() => None,
        Some(look) => Some(look),
        None => is_survey_weight(column, words).then_some(LooksLike::SurveyWeight),
    }
}

/// Whether a column says how many people a row stands for. Its name says so, unless it could be the weight of a person
/// as well: then other words decide, or numbers that no scales show.
fn is_survey_weight(column: &Evidence<'_>, words: &[String]) -> bool {
    let is_other_topic = known_topic(words).is_some_and(|(thing, _)| thing != LOOKS);
    if column.kind != Kind::Number || is_other_topic {
        return false;
    }
    let is_ambiguous = words::found(WEIGHTS_OR_KILOS, words).is_some();
    words::found(WEIGHTS, words).is_some()
        || is_ambiguous
            && (words::found(OF_SURVEYS, words).is_some()
                || column.middle.is_some_and(|middle| middle > HEAVIEST))
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

    /// A column of 20 texts in 10 000 rows.
    fn texts(name: &str) -> Evidence<'_> {
        Evidence {
            name,
            kind: Kind::Text,
            rows: 10_000,
            distinct: 20,
            unique_rows: 0,
            looks: None,
            middle: None,
        }
    }

    /// A column of 5000 numbers about `middle` in 10 000 rows.
    fn numbers(name: &str, middle: f64) -> Evidence<'_> {
        Evidence {
            kind: Kind::Number,
            distinct: 5000,
            middle: Some(middle),
            ..texts(name)
        }
    }

    fn role_of(column: &Evidence<'_>) -> (ProposedRole, Option<LooksLike>) {
        let proposal = propose(column, &Columns::default());
        assert!(!proposal.reason.is_empty());
        (proposal.role, proposal.looks_like)
    }

    fn proposed<'a>(names: &[&'a str]) -> Vec<&'a str> {
        let leaning = |name: &&str| propose(&texts(name), &Columns::default()).leaning;
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
    fn words_in_seven_languages_tell_each_role() {
        use ProposedRole::*;
        for quasi_identifying in [
            "age Alter naissance edad nascita leeftijd idade",
            "gender Geschlecht sexe genero sesso geslacht sexo",
            "city Wohnort ville ciudad comune woonplaats cidade",
            "occupation Beruf metier profesion professione beroep profissao",
            "nationality Staatsangehoerigkeit nationalite nacionalidad cittadinanza nationaliteit nacionalidade",
            "hours-per-week Wochenstunden heures horas ore uren horas-semana",
        ] {
            for name in quasi_identifying.split(' ') {
                assert_eq!(proposed(&[name]), [name]);
            }
        }
        for sensitive in [
            "disease Krankheit maladie enfermedad malattia ziekte doenca",
            "income Haushaltseinkommen revenu ingresos reddito gezinsinkomen rendimento",
            "religion Konfession croyance creencia religione geloof religiao",
            "union Gewerkschaft syndicat sindicato sindacato vakbond partido",
            "sexuality Sexualität sexualité sexualidad sessualità seksualiteit sexualidade",
            "conviction Vorstrafen condamnation antecedentes condanna strafblad condenacao",
            "capital-gain capital-loss hiv",
        ] {
            for name in sensitive.split(' ') {
                assert_eq!(role_of(&texts(name)).0, Sensitive, "{name}");
            }
        }
        for identifying in
            "surname Nachname prenom apellidos cognome achternaam sobrenome".split(' ')
        {
            let many = Evidence {
                distinct: 3000,
                ..texts(identifying)
            };
            assert_eq!(role_of(&many).0, Identifying, "{identifying}");
            // Few values mean groups.
            assert_ne!(role_of(&texts(identifying)).0, Identifying, "{identifying}");
        }
    }

    #[test]
    fn a_survey_weight_is_told_from_the_weight_of_a_person() {
        let weight = (ProposedRole::Plain, Some(LooksLike::SurveyWeight));
        for name in [
            "fnlwgt",
            "survey_weight",
            "Gewichtungsfaktor",
            "poids sondage",
            "PERWT",
        ] {
            assert_eq!(role_of(&numbers(name, 70.0)), weight, "{name}");
        }
        assert_eq!(role_of(&numbers("weight", 180_000.0)), weight);
        assert_eq!(role_of(&numbers("weight", 70.0)).1, None);
        assert_eq!(role_of(&numbers("birth weight", 3500.0)).1, None);
        assert_eq!(role_of(&texts("weight")).1, None);
        // Nearly all values are distinct, yet it is no identifier.
        let distinct = Evidence {
            distinct: 9900,
            unique_rows: 9800,
            ..numbers("fnlwgt", 180_000.0)
        };
        assert_eq!(role_of(&distinct), weight);
    }

    #[test]
    fn what_values_look_like_decides_unless_they_are_labels() {
        use ProposedRole::*;
        let many = |name, distinct, looks| Evidence {
            distinct,
            looks: Some(looks),
            ..texts(name)
        };
        for look in [
            LooksLike::EmailAddresses,
            LooksLike::TelephoneNumbers,
            LooksLike::NationalNumbers,
            LooksLike::PersonNames,
            LooksLike::FreeText,
        ] {
            let column = many("x", 6000, look);
            assert_eq!(role_of(&column), (Identifying, Some(look)));
        }
        let labels = many("x", 50, LooksLike::FreeText);
        assert_eq!(role_of(&labels), (Plain, None));
        let jobs = many("occupation", 6000, LooksLike::PersonNames);
        assert_eq!(role_of(&jobs), (Plain, None));
        let dates = Evidence {
            kind: Kind::Date,
            ..many("x", 300, LooksLike::TelephoneNumbers)
        };
        assert_eq!(role_of(&dates).1, None);
    }

    #[test]
    fn exact_incomes_are_sensitive_although_nearly_all_are_distinct() {
        let incomes = Evidence {
            distinct: 9900,
            unique_rows: 9800,
            ..numbers("income", 40_000.0)
        };
        assert_eq!(role_of(&incomes).0, ProposedRole::Sensitive);
        let measured = Evidence {
            name: "x",
            ..incomes
        };
        assert_eq!(role_of(&measured).0, ProposedRole::Identifying);
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
