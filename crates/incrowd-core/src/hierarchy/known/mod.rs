//! Common knowledge: which continent a country is on, that `medium` is between `low` and `high`.
//!
//! The lists are small files compiled in; `SOURCE.md` next to them states their sources. A list has one line per entry:
//! its name, other names, codes, then its groups from finest to coarsest. Names are compared without regard to case and
//! punctuation (`United-States`, `united states`), codes exactly, since `in` and `de` are words.

mod bands;
mod scales;

pub(super) use bands::band;
pub(super) use scales::{Scale, scale_of};

use crate::table::without_accent;
use hashbrown::HashMap;
use std::sync::LazyLock;

/// A bundled list of values with their groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KnownList {
    /// Countries by names and ISO 3166 codes, to the regions and continents of the United Nations (M49).
    Countries,
    /// States of the United States by names and postal codes, to the divisions and regions of the Census Bureau.
    UsStates,
    /// Education from none to a doctorate.
    Education,
}

/// One list, read.
struct Listing {
    /// The names of the levels above the values.
    levels: Vec<&'static str>,
    /// The groups of each entry.
    groups: Vec<Vec<&'static str>>,
    entry_of_name: HashMap<String, usize>,
    entry_of_code: HashMap<&'static str, usize>,
}

/// Columns of a list before its groups: name, other names, codes.
const BEFORE_GROUPS: usize = 3;

impl Listing {
    fn read(text: &'static str) -> Listing {
        let mut lines = text.lines().map(|line| line.split(';'));
        let header = lines.next().into_iter().flatten();
        let mut listing = Listing {
            levels: header.skip(BEFORE_GROUPS).collect(),
            groups: Vec::new(),
            entry_of_name: HashMap::new(),
            entry_of_code: HashMap::new(),
        };
        for mut cells in lines {
            let entry = listing.groups.len();
            let name = cells.next().unwrap_or_default();
            let others = cells.next().unwrap_or_default().split('|');
            for name in others.chain([name]).filter(|name| !name.is_empty()) {
                listing.entry_of_name.insert(normalized(name), entry);
            }
            let codes = cells.next().unwrap_or_default().split('|');
            for code in codes.filter(|code| !code.is_empty()) {
                listing.entry_of_code.insert(code, entry);
            }
            listing.groups.push(cells.collect());
        }
        listing
    }
}

static COUNTRIES: LazyLock<Listing> =
    LazyLock::new(|| Listing::read(include_str!("countries.csv")));
static US_STATES: LazyLock<Listing> =
    LazyLock::new(|| Listing::read(include_str!("us-states.csv")));
static EDUCATION: LazyLock<Listing> =
    LazyLock::new(|| Listing::read(include_str!("education.csv")));

impl KnownList {
    /// All lists.
    pub const ALL: [KnownList; 3] = [
        KnownList::Countries,
        KnownList::UsStates,
        KnownList::Education,
    ];

    /// Its name as a hierarchy rule.
    pub fn name(self) -> &'static str {
        match self {
            KnownList::Countries => "countries",
            KnownList::UsStates => "us-states",
            KnownList::Education => "education",
        }
    }

    /// What its entries are.
    pub fn contents(self) -> &'static str {
        match self {
            KnownList::Countries => "countries",
            KnownList::UsStates => "states of the United States",
            KnownList::Education => "levels of schooling",
        }
    }

    /// The names of the levels above the values, without `*`.
    pub fn levels(self) -> &'static [&'static str] {
        &self.listing().levels
    }

    /// The entry that a value names, counted in the order of the list.
    pub fn find(self, value: &str) -> Option<usize> {
        let listing = self.listing();
        let entry = listing.entry_of_code.get(value.trim());
        let entry = entry.or_else(|| listing.entry_of_name.get(&normalized(value)));
        entry.copied()
    }

    /// The group of an entry on one of the [levels](KnownList::levels), by its place there.
    pub fn group(self, entry: usize, place: usize) -> &'static str {
        self.listing().groups[entry][place]
    }

    fn listing(self) -> &'static Listing {
        match self {
            KnownList::Countries => &COUNTRIES,
            KnownList::UsStates => &US_STATES,
            KnownList::Education => &EDUCATION,
        }
    }
}

/// A name in lower case, its words separated by one space, without punctuation and common accents.
fn normalized(name: &str) -> String {
    let mut words = String::with_capacity(name.len());
    for letter in name.chars().flat_map(char::to_lowercase) {
        match letter {
            '\'' | '\u{2019}' | '.' => {}
            letter if letter.is_alphanumeric() => words.push(without_accent(letter)),
            _ if words.ends_with(' ') => {}
            _ => words.push(' '),
        }
    }
    words.trim().to_owned()
}

/// The first and last category of each chapter of ICD-10, in order.
static ICD10_CHAPTERS: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
    let lines = include_str!("icd10-chapters.csv").lines().skip(1);
    let cells = lines.map(|line| line.split(';'));
    cells
        .filter_map(|mut cells| Some((cells.next()?, cells.next()?)))
        .collect()
});

/// The first and last category of the chapter of a category.
pub(super) fn icd10_chapter(category: &str) -> Option<(&'static str, &'static str)> {
    let mut chapters = ICD10_CHAPTERS.iter().copied();
    chapters.find(|&(first, last)| first <= category && category <= last)
}

#[cfg(test)]
mod tests;
