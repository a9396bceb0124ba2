//! What must be true of every entry of every registry.

use incrowd_core::Error;
use incrowd_core::algorithms::AlgorithmKind;
use incrowd_core::privacy::ModelKind;
use incrowd_core::registry::{Default, Entry, Family, Kind, Setting, Spec};
use incrowd_core::utility::MetricKind;
use std::collections::BTreeSet;

/// Texts that each kind takes, in the form they are kept in.
fn some_values(kind: Kind) -> Vec<String> {
    let texts: &[&str] = match kind {
        Kind::Count => &["1", "7", "4294967295"],
        Kind::AtLeastOne => &["1", "2.75"],
        Kind::AtLeastZero => &["0", "0.5", "3"],
        Kind::Positive => &["0.001", "3"],
        Kind::Share | Kind::Distance => &["0.25", "1"],
        Kind::Choice(words) | Kind::Choices(words) | Kind::ChoiceByColumn(words) => words,
        Kind::Text | Kind::Texts => &["HIV positive", "a,b", "(x=\"y\")"],
        Kind::Weights => &["age:2", "age:0.5;sex:0"],
        Kind::NumbersByLevel => &["age:1/0.5/0", "age:2/0;sex:1/1"],
        Kind::Rules => &[
            "age: 64|65 = 25",
            "race: White != Black = 20 ; race: {White, Black} != Other = 0.5",
        ],
        Kind::StepsByColumn => &["age=5@17", "a=b=0.5"],
        Kind::OrderByColumn => &["size=small;large"],
        Kind::Flag => &["true", "false"],
    };
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn check_settings<T: Family>(entry: &'static Entry<T>) {
    let names: BTreeSet<&str> = entry.settings.iter().map(|setting| setting.name).collect();
    assert_eq!(names.len(), entry.settings.len(), "{}", entry.name);
    for setting in entry.settings {
        let Setting { name, help, .. } = setting;
        let case = format!("{} of {}", name, entry.name);
        let is_word = name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        assert!(
            is_word && !help.is_empty() && !help.ends_with('.'),
            "{case}"
        );
        let mut given = entry.defaults();
        if let Default::Value(value) = setting.default {
            given.set(name, &[value]).expect(&case);
            assert_eq!(
                given.text(name),
                Some(value),
                "{case}: a default is in its one form"
            );
        }
        for value in some_values(setting.kind) {
            given.set(name, &[&value]).expect(&case);
            assert_eq!(given.texts(name), [value], "{case}");
        }
        let twice = given.give(name, &["1"]).unwrap_err();
        assert!(
            matches!(twice, Error::DuplicateSetting { .. }),
            "{case}: {twice}"
        );
        if !matches!(setting.kind, Kind::Text | Kind::Texts) {
            let refused = given.set(name, &["?"]).unwrap_err();
            assert!(
                matches!(refused, Error::SettingOutOfRange { .. }),
                "{case}: {refused}"
            );
            assert!(refused.hint().contains("must be"), "{case}");
        }
        if !setting.kind.is_list() {
            assert!(given.set(name, &["1", "2"]).is_err(), "{case}");
        }
    }
    let unknown = entry.defaults().set("no-such-setting", &["1"]).unwrap_err();
    assert!(
        matches!(unknown, Error::UnknownSetting { .. }),
        "{}",
        entry.name
    );
}

/// One text for each entry, every setting given, reads back as what it was made from.
fn check_grammar<T: Family>(entry: &'static Entry<T>) {
    let given: Vec<String> = (entry.settings.iter())
        .map(|setting| {
            let value = some_values(setting.kind).pop().unwrap();
            format!("{}=\"{}\"", setting.name, value.replace('"', "\"\""))
        })
        .collect();
    let text = format!("{}({})", entry.name, given.join(", "));
    let spec: Spec<T> = text
        .parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    let again: Spec<T> = spec.to_string().parse().unwrap();
    assert!(spec == again && spec.given() == again.given(), "{text}");
    assert_eq!(spec.check_complete(), Ok(()), "{text}");
    assert_eq!(Spec::<T>::bare(entry).to_string(), entry.name);
    for broken in [
        format!("{}(", entry.name),
        format!("{}(x)", entry.name),
        format!("{}=", entry.name),
    ] {
        let error = broken.parse::<Spec<T>>().err().expect("not a spec");
        assert!(!error.hint().is_empty(), "{broken}");
    }
}

fn check_family<T: Family>() {
    let names: BTreeSet<&str> = T::entries().map(|entry| entry.name).collect();
    assert_eq!(names.len(), T::entries().count(), "{}", T::NOUN);
    for entry in T::entries() {
        assert!(
            entry.summary().ends_with('.'),
            "{}: {}",
            entry.name,
            entry.summary()
        );
        assert!(Entry::<T>::named(entry.name).is_ok_and(|found| found.name == entry.name));
        check_settings(entry);
        check_grammar(entry);
    }
    let error = Entry::<T>::named("no-such-name").err().unwrap();
    assert!(error.to_string().contains(T::NOUN), "{error}");
}

#[test]
fn models_metrics_and_algorithms_declare_their_settings_and_are_written_in_one_way() {
    check_family::<ModelKind>();
    check_family::<MetricKind>();
    check_family::<AlgorithmKind>();
}

/// Flags and keys of the job file carry the names of settings, so one name has one meaning.
#[test]
fn a_setting_that_two_algorithms_declare_is_the_same_in_both() {
    let all: Vec<&Setting> = AlgorithmKind::entries()
        .flat_map(|entry| entry.settings)
        .collect();
    for setting in &all {
        let same = all.iter().filter(|other| other.name == setting.name);
        assert!(
            same.clone().all(|other| other == setting),
            "{}",
            setting.name
        );
    }
}
