//! Candidates for texts: a calendar, a bundled list, prefixes, the most common values.

use super::{Candidate, Column, HierarchySpec, KnownList, Weight};
use crate::hierarchy::build::{Codes, DateLevel, is_icd10, is_postcode, known_order};
use crate::table::Kind;

/// A list matches a column if it contains this share of its values, and of its rows.
const FEWEST_LISTED: usize = 3;
const SHARE_LISTED: f64 = 0.8;
/// Short texts are in many lists by chance.
const SHARE_SHORT_LISTED: f64 = 0.95;

/// More values than this are not a scale; `555-0142` is not a band.
const MOST_ORDERED: usize = 40;

const MANY_CODES: usize = 20;
const LONGEST_CODE: usize = 40;
const MOST_LEVELS: usize = 4;
const MOST_KEPT: [u32; 4] = [12, 6, 3, 1];

/// The most common values must cover this share of the rows to be worth keeping.
const COMMON: f64 = 0.05;

/// Words in the names of columns with codes.
const CODE: [&str; 14] = [
    "zip",
    "zipcode",
    "postcode",
    "postal",
    "postleitzahl",
    "plz",
    "cap",
    "cep",
    "cp",
    "code",
    "icd",
    "atc",
    "nace",
    "isco",
];
const DIAGNOSIS: [&str; 10] = [
    "icd",
    "icd10",
    "diagnosis",
    "diagnoses",
    "diag",
    "dx",
    "diagnose",
    "disease",
    "cause",
    "death",
];
const COUNTRY: [&str; 9] = [
    "country",
    "nation",
    "nationality",
    "citizenship",
    "land",
    "pays",
    "pais",
    "paese",
    "staat",
];

fn meaning(spec: HierarchySpec, does: impl Into<String>) -> Candidate {
    Candidate {
        spec,
        weight: Weight::Meaning,
        does: does.into(),
    }
}

/// Bundled lists, well-known codes and well-known orders.
pub(super) fn known(column: &Column<'_>) -> Vec<Candidate> {
    if column.kind != Kind::Text || column.dates.are_dates() {
        return Vec::new();
    }
    let mut candidates: Vec<Candidate> = listed(column).into_iter().collect();
    let texts = || column.texts();
    let is_diagnosis = column.is_called(&DIAGNOSIS) || texts().any(|text| text.contains('.'));
    if is_diagnosis && is_mostly(column, is_icd10) {
        candidates.push(meaning(
            HierarchySpec::Icd10,
            "ICD-10 codes by category, group and chapter",
        ));
    }
    if is_mostly(column, is_postcode) {
        candidates.push(meaning(
            HierarchySpec::UkPostcode,
            "postcodes by sector, district and area",
        ));
    }
    if column.values.len() <= MOST_ORDERED && known_order(texts()).is_some() {
        candidates.push(meaning(
            HierarchySpec::Order,
            "neighboring values in the usual order are merged",
        ));
    }
    candidates
}

/// Whether nearly all values, and nearly all rows, are of a kind.
fn is_mostly(column: &Column<'_>, is_of_kind: impl Fn(&str) -> bool) -> bool {
    shares(column, is_of_kind).is_some_and(|share| share >= SHARE_LISTED)
}

/// The part of the values, or of the rows if that is smaller, that are of a kind; none when they are too few to say.
fn shares(column: &Column<'_>, is_of_kind: impl Fn(&str) -> bool) -> Option<f64> {
    let (mut values, mut rows, mut all_rows) = (0, 0_u64, 0_u64);
    for &(text, count) in &column.values {
        all_rows += u64::from(count);
        if is_of_kind(text) {
            values += 1;
            rows += u64::from(count);
        }
    }
    let share = f64::min(
        values as f64 / column.values.len() as f64,
        rows as f64 / all_rows.max(1) as f64,
    );
    (values >= FEWEST_LISTED).then_some(share)
}

/// The list that contains most of the values. If two contain equally many, the name of the column decides; otherwise
/// none is used.
fn listed(column: &Column<'_>) -> Option<Candidate> {
    let is_short = column.texts().all(|text| text.trim().len() <= 3);
    let least = if is_short {
        SHARE_SHORT_LISTED
    } else {
        SHARE_LISTED
    };
    let mut lists: Vec<(KnownList, f64)> = (KnownList::ALL.into_iter())
        .filter_map(|list| Some((list, shares(column, |text| list.find(text).is_some())?)))
        .filter(|&(_, share)| share >= least)
        .collect();
    lists.sort_by(|one, other| other.1.total_cmp(&one.1));
    if let [(_, first), (_, second), ..] = lists[..]
        && first == second
    {
        let is_named = |list: KnownList| match list {
            KnownList::Countries => column.is_called(&COUNTRY),
            KnownList::UsStates => column.is_called(&["state", "states"]),
            KnownList::Education => column.is_called(&["education", "school", "degree"]),
        };
        lists.retain(|&(list, share)| share == first && is_named(list));
        lists.truncate(if lists.len() == 1 { 1 } else { 0 });
    }
    let &(list, _) = lists.first()?;
    let does = format!("{} by {}", list.contents(), list.levels().join(", then "));
    Some(meaning(HierarchySpec::Listed(list), does))
}

/// Periods that distinguish some of the dates, or the order of days if all are in one month.
pub(super) fn dates(column: &Column<'_>) -> Vec<Candidate> {
    let Some(form) = column.dates.found() else {
        return Vec::new();
    };
    let days = || column.texts().filter_map(|text| form.read(text));
    let count = |level: DateLevel| {
        let mut periods: Vec<_> = days().map(|day| level.period(day.date())).collect();
        periods.sort_unstable();
        periods.dedup();
        periods.len()
    };
    let is_ambiguous = column.dates.is_ambiguous();
    let mut levels: Vec<DateLevel> = Vec::new();
    let mut groups = column.values.len();
    for level in DateLevel::ALL {
        let is_told = !is_ambiguous || level >= DateLevel::Year;
        let left = count(level);
        // If quarters distinguish no more than years, years are easier to read.
        let is_plain = level != DateLevel::Quarter || left > count(DateLevel::Year);
        if level != DateLevel::Week && is_told && is_plain && left < groups && left > 1 {
            levels.push(level);
            groups = left;
        }
    }
    if levels.len() > MOST_LEVELS {
        levels.retain(|level| *level != DateLevel::Quarter);
    }
    let names: Vec<&str> = levels.iter().map(|level| level.name()).collect();
    let names = names.join(", then ");
    match (levels.is_empty(), is_ambiguous) {
        (true, true) => Vec::new(),
        (true, false) => vec![meaning(
            HierarchySpec::Order,
            "all within one month, neighboring dates are merged",
        )],
        (false, doubt) => {
            let does = match doubt {
                true => format!("day and month cannot be distinguished, so merged by {names}"),
                false => format!("merged by {names}"),
            };
            vec![meaning(HierarchySpec::Date { levels, form: None }, does)]
        }
    }
}

/// Prefixes of codes, if the values look like codes whose beginning matters most.
pub(super) fn codes(column: &Column<'_>) -> Vec<Candidate> {
    let is_named = column.is_called(&CODE);
    if column.dates.are_dates() || !looks_like_codes(column, is_named) {
        return Vec::new();
    }
    let texts: Vec<&str> = column.texts().collect();
    let codes = Codes::of(&texts);
    // Lengths that merge something and leave more than one group.
    let mut lengths: Vec<(u32, usize)> = Vec::new();
    for kept in (1..codes.length).rev() {
        let groups = codes.groups(kept);
        let finer = lengths.last().map_or(texts.len(), |&(_, groups)| groups);
        if groups < finer && groups > 1 {
            lengths.push((kept as u32, groups));
        }
    }
    while lengths.len() > MOST_LEVELS {
        // The level that merges the least is the most dispensable.
        let finer = |at: usize| {
            if at == 0 {
                texts.len()
            } else {
                lengths[at - 1].1
            }
        };
        let ratio = |at: usize| finer(at) as f64 / lengths[at].1 as f64;
        let least = (0..lengths.len()).min_by(|&one, &other| ratio(one).total_cmp(&ratio(other)));
        match least {
            Some(at) => lengths.remove(at),
            None => break,
        };
    }
    if lengths.is_empty() {
        return Vec::new();
    }
    let lengths: Vec<u32> = lengths.into_iter().map(|(kept, _)| kept).collect();
    let names: Vec<String> = lengths.iter().map(u32::to_string).collect();
    vec![Candidate {
        does: format!("codes by their first {} characters", names.join(", then ")),
        spec: HierarchySpec::Prefix { lengths },
        weight: if is_named {
            Weight::Meaning
        } else {
            Weight::Round
        },
    }]
}

/// Letters and digits, possibly with punctuation, a digit in each and no words. Numbers are codes only if all are
/// equally long: amounts and years have few digits and never start with 0, while zip codes may.
fn looks_like_codes(column: &Column<'_>, is_named: bool) -> bool {
    let is_code = |text: &str| {
        let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b" -./".contains(&byte);
        let is_word = |part: &[u8]| part.iter().all(u8::is_ascii_lowercase);
        text.bytes().all(is_sign)
            && text.bytes().any(|byte| byte.is_ascii_digit())
            && !text.as_bytes().windows(3).any(is_word)
    };
    let lengths = || column.texts().map(|text| text.trim().len());
    let (Some(shortest), Some(longest)) = (lengths().min(), lengths().max()) else {
        return false;
    };
    let starts_with_zero = column.texts().any(|text| text.starts_with('0'));
    let fewest_signs = match column.kind {
        Kind::Number if !starts_with_zero && !is_named => 5,
        _ => 3,
    };
    let is_even = shortest == longest;
    let lengths_fit = match column.kind {
        Kind::Number => is_even && column.texts().all(|text| !text.contains(['.', '-'])),
        _ => is_even || is_named || longest - shortest <= 4,
    };
    let are_enough = is_named || column.values.len() >= MANY_CODES;
    are_enough
        && lengths_fit
        && longest >= fewest_signs
        && longest <= LONGEST_CODE
        && column.texts().all(is_code)
}

/// The most common values, all others merged.
pub(super) fn frequent(column: &Column<'_>) -> Vec<Candidate> {
    if column.kind == Kind::Number || column.dates.are_dates() && !column.dates.is_ambiguous() {
        return Vec::new();
    }
    let mut rows: Vec<u64> = column.values.iter().map(|&(_, rows)| rows.into()).collect();
    rows.sort_unstable_by(|one, other| other.cmp(one));
    let common: u64 = rows.iter().take(MOST_KEPT[0] as usize).sum();
    let all: u64 = rows.iter().sum();
    // If no value occurs twice, only spelling would decide which are the most common.
    if rows.first().is_none_or(|&most| most < 2) || (common as f64) < COMMON * all as f64 {
        return Vec::new();
    }
    // More than one value must remain; as many levels as possible, up to three.
    let counts: Vec<u32> = (MOST_KEPT.into_iter())
        .filter(|&count| count as usize + 2 <= column.values.len())
        .collect();
    let levels = counts.len().clamp(1, 3);
    let candidate = |counts: &[u32]| {
        let names: Vec<String> = counts.iter().map(u32::to_string).collect();
        let kept = match counts {
            [1] => "the most common value".to_owned(),
            _ => format!("the {} most common", names.join(", then ")),
        };
        Candidate {
            does: format!("{kept}, all others merged"),
            spec: HierarchySpec::Frequent {
                counts: counts.to_vec(),
            },
            weight: Weight::Made,
        }
    };
    counts.windows(levels).map(candidate).collect()
}
