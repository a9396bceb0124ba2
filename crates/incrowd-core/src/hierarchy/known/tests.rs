use super::*;
use std::collections::{HashMap as StdMap, HashSet};

#[test]
fn every_list_is_whole_nested_and_in_runs() {
    let texts = [
        include_str!("countries.csv"),
        include_str!("us-states.csv"),
        include_str!("education.csv"),
    ];
    for (list, text) in KnownList::ALL.into_iter().zip(texts) {
        let columns = BEFORE_GROUPS + list.levels().len();
        for line in text.lines() {
            assert_eq!(line.split(';').count(), columns, "{line}");
            assert_eq!(line.trim(), line);
        }
        let entries = text.lines().count() - 1;
        for level in 0..list.levels().len() {
            let mut ended = HashSet::new();
            let mut parents: StdMap<&str, &str> = StdMap::new();
            for entry in 0..entries {
                let group = list.group(entry, level);
                assert!(!group.is_empty());
                if entry > 0 && list.group(entry - 1, level) != group {
                    ended.insert(list.group(entry - 1, level));
                    assert!(!ended.contains(group), "{group} is torn apart");
                }
                if level + 1 < list.levels().len() {
                    let parent = list.group(entry, level + 1);
                    assert_eq!(*parents.entry(group).or_insert(parent), parent, "{group}");
                }
            }
        }
        // No name and no code is given twice: each is found again at its own entry.
        for (entry, line) in text.lines().skip(1).enumerate() {
            let mut cells = line.split(';');
            let names = [cells.next().unwrap(), cells.next().unwrap()].join("|");
            let all = names.split('|').chain(cells.next().unwrap().split('|'));
            for name in all.filter(|name| !name.is_empty()) {
                assert_eq!(list.find(name), Some(entry), "{name}");
            }
        }
    }
}

#[test]
fn countries_are_known_by_names_and_codes() {
    let groups = |name| {
        let entry = KnownList::Countries.find(name)?;
        Some([0, 1].map(|level| KnownList::Countries.group(entry, level)))
    };
    let europe = Some(["Western Europe", "Europe"]);
    for name in ["Germany", " germany ", "DE", "DEU"] {
        assert_eq!(groups(name), europe, "{name}");
    }
    assert_eq!(
        groups("United-States"),
        Some(["Northern America", "Americas"])
    );
    assert_eq!(groups("Cote d'Ivoire"), Some(["Western Africa", "Africa"]));
    assert_eq!(groups("de"), None);
    assert_eq!(groups("Atlantis"), None);
    let entries = include_str!("countries.csv").lines().count() - 1;
    assert_eq!(entries, 249, "the entries of ISO 3166-1");
}

#[test]
fn chapters_follow_each_other_and_two_signs_tell_the_chapter() {
    assert_eq!(ICD10_CHAPTERS.len(), 22);
    for &(first, last) in ICD10_CHAPTERS.iter() {
        assert!(first < last && first.len() == 3 && last.len() == 3);
    }
    for letter in 'A'..='Z' {
        for ten in 0..=9 {
            let chapters: HashSet<_> = ('0'..='9')
                .chain('A'..='Z')
                .filter_map(|sign| icd10_chapter(&format!("{letter}{ten}{sign}")))
                .collect();
            assert!(chapters.len() <= 1, "{letter}{ten}");
        }
    }
    assert_eq!(icd10_chapter("E11"), Some(("E00", "E90")));
    assert_eq!(icd10_chapter("H97"), None);
}

#[test]
fn bands_are_read_as_people_write_them() {
    for (text, expected) in [
        ("25-34", (25_000, 34_000)),
        ("25 to 34 years", (25_000, 34_000)),
        ("[25\u{2013}34]", (25_000, 34_000)),
        ("65+", (65_000, i128::MAX)),
        ("75 years and over", (75_000, i128::MAX)),
        ("under 18", (i128::MIN, 18_000)),
        ("<5", (i128::MIN, 5_000)),
        (">= 100", (100_000, i128::MAX)),
        ("1.5-2.25", (1_500, 2_250)),
        ("-5--2", (-5_000, -2_000)),
    ] {
        assert_eq!(band(text), Some(expected), "{text}");
    }
    for text in [
        "",
        "17",
        "a-b",
        "34-25",
        "1-2-3",
        "risky",
        "2024-05-17",
        "+",
        "-",
    ] {
        assert_eq!(band(text), None, "{text}");
    }
}

#[test]
fn a_scale_has_all_texts_or_is_none() {
    let place = |texts: &[&str]| {
        let scale = scale_of(texts.iter().copied())?;
        texts
            .iter()
            .map(|text| scale.place(text))
            .collect::<Option<Vec<_>>>()
    };
    let sorted = |texts: &[&str]| place(texts).is_some_and(|places| places.is_sorted());
    assert!(sorted(&["Low", "MEDIUM", "high"]));
    assert!(sorted(&["Strongly disagree", "Agree", "Strongly agree"]));
    assert!(sorted(&["S", "M", "XXL"]));
    assert_eq!(place(&["low", "purple"]), None);
    assert_eq!(place(&[]), None);
}
