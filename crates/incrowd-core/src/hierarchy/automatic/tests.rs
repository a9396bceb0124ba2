use super::*;
use crate::hierarchy::Group;
use crate::hierarchy::tests::{assert_sound, assert_unambiguous};
use crate::numbers::Level;
use proptest::prelude::*;

fn of(name: &str, values: &[(String, u32)]) -> Automatic {
    let counted: Vec<(&str, u32)> = values
        .iter()
        .map(|(text, rows)| (text.as_str(), *rows))
        .collect();
    let present = counted
        .iter()
        .map(|&(text, _)| text)
        .filter(|text| !text.is_empty());
    let kind = Kind::of(present);
    let choice = automatic(name, &counted, kind).unwrap();
    assert!(
        !choice.reason.contains('\n') && choice.reason.len() < 160,
        "{}",
        choice.reason
    );
    choice
}

fn chosen(name: &str, values: impl IntoIterator<Item = impl ToString>) -> String {
    let values: Vec<(String, u32)> = values
        .into_iter()
        .map(|value| (value.to_string(), 3))
        .collect();
    of(name, &values).spec.to_string()
}

#[test]
fn few_values_are_kept_or_suppressed() {
    assert_eq!(chosen("sex", ["Male", "Female", ""]), "suppress");
    assert_eq!(chosen("c", [0, 1]), "suppress");
    assert_eq!(chosen("c", [""]), "suppress");
    assert_eq!(chosen("c", ["true", "false"]), "suppress");
}

/// The labels of a value from level 0 up.
fn path<'a>(chosen: &'a Automatic, value: &str) -> Vec<&'a str> {
    let hierarchy = &chosen.hierarchy;
    let leaf = hierarchy.leaf(value).unwrap();
    Level::up_to(hierarchy.height())
        .map(|level| hierarchy.label(level, hierarchy.group_of(level, leaf)))
        .collect()
}

#[test]
fn ages_get_the_usual_bands() {
    assert_eq!(chosen("age", 17..=90), "interval:5,10,20");
    assert_eq!(chosen("Alter (Jahre)", 0..=99), "interval:5,10,20");
    assert_eq!(chosen("age", [34, 36, 39, 61, 64, 68]), "interval:5,10,20");
    // Nobody is 400 years old.
    assert_ne!(chosen("age", (0..100).map(|n| n * 5)), "interval:5,10,20");
}

#[test]
fn numbers_get_round_intervals_of_several_levels() {
    for values in [
        (17..=90).collect::<Vec<i32>>(),
        (1950..2000).collect(),
        (0..40).map(|n| n * 10 - 200).collect(),
        (0..50).map(|n| 10_000 + n * 977).collect(),
    ] {
        let values: Vec<(String, u32)> =
            values.iter().map(|value| (value.to_string(), 3)).collect();
        let choice = of("c", &values);
        let HierarchySpec::Interval { widths, origin } = &choice.spec else {
            panic!("{}: {}", choice.spec, choice.reason);
        };
        assert_eq!(*origin, crate::table::Decimal::ZERO);
        assert!(widths.len() >= 2, "{}", choice.spec);
    }
    assert_eq!(chosen("c", ["", "1", "2", "3", "4"]), "order");
}

#[test]
fn skewed_amounts_get_steps_that_grow() {
    // Most earn little, few earn much, some nothing, two owe.
    let amounts = (3..400_u64).map(|n| ((n * n * n / 20).to_string(), 1));
    let mut incomes: Vec<(String, u32)> = amounts.collect();
    incomes.extend([("0".into(), 300), ("-250".into(), 2)]);
    let choice = of("income", &incomes);
    assert!(
        choice.spec.to_string().starts_with("log:1-2-5,10"),
        "{}",
        choice.reason
    );
    assert_eq!(path(&choice, "0")[..2], ["0", "0"]);
    assert_eq!(path(&choice, "-250")[1], "[-499--200]");
    assert!(choice.reason.contains("quantile"), "{}", choice.reason);
}

#[test]
fn numbers_that_cannot_have_round_intervals_get_quantiles() {
    let huge = (0..27).map(|n| format!("{n}e{}", 280 + n));
    assert!(chosen("c", huge).starts_with("quantile:"));
    let close = (0..40).map(|n| format!("-1{n:014}"));
    assert!(chosen("c", close).starts_with("quantile:"));
}

#[test]
fn codes_are_shortened_where_that_merges_something() {
    assert_eq!(chosen("c", (0..50).map(|n| format!("E{n:02}"))), "prefix:2");
    // The common beginning of all tells nothing.
    assert_eq!(
        chosen("c", (0..50).map(|n| format!("AB{n:010}"))),
        "prefix:11"
    );
    assert_eq!(
        chosen("zip", [45011, 45012, 45017, 45201, 45204, 45209]),
        "prefix:4"
    );
    let zips: Vec<(String, u32)> = (0..3000_u32)
        .map(|n| (format!("{:05}", n * 7), 1 + n % 7))
        .collect();
    let choice = of("PLZ", &zips);
    assert_eq!(choice.spec.to_string(), "prefix:4,3,2,1");
    assert_eq!(
        path(&choice, "00126"),
        ["00126", "0012*", "001**", "00***", "0****", "*"]
    );
    // Years are no codes.
    assert!(chosen("year", 1950..2000).starts_with("interval:"));
}

#[test]
fn postal_codes_with_letters_keep_their_parts() {
    let letters = ["A", "B", "C", "E", "G", "H"];
    let canadian = (0..300).map(|n| {
        let letter = |n: usize| letters[n % letters.len()];
        format!(
            "{}{}{} {}{}{}",
            letter(n / 60),
            n % 4,
            letter(n),
            n % 3,
            letter(n / 7),
            n % 10
        )
    });
    let canadian: Vec<(String, u32)> = canadian.map(|code| (code, 2)).collect();
    let choice = of("postal code", &canadian);
    assert!(
        choice.spec.to_string().starts_with("prefix:"),
        "{}",
        choice.reason
    );
    assert_eq!(path(&choice, "A1B 1A1").last(), Some(&"*"));
    assert!(
        path(&choice, "A1B 1A1").contains(&"A** ***"),
        "{}",
        choice.spec
    );

    let british = [
        "SW1A 1AA", "SW1A 2AA", "SW7 2AZ", "M1 1AE", "M11 4FH", "ME1 1AA", "EC1A 1BB",
    ];
    let british: Vec<(String, u32)> = british.map(|code| (code.to_owned(), 4)).to_vec();
    let choice = of("home", &british);
    assert_eq!(choice.spec.to_string(), "uk-postcode");
    assert_eq!(
        path(&choice, "M11 4FH"),
        ["M11 4FH", "M11 4**", "M11 ***", "M* ***", "*"]
    );
}

#[test]
fn diagnoses_get_their_chapters() {
    let codes = [
        "E11.9", "E11.65", "E10.1", "I10", "I21.4", "J45.909", "C50.9", "D50.0", "unknown",
    ];
    let codes: Vec<(String, u32)> = codes.map(|code| (code.to_owned(), 5)).to_vec();
    let choice = of("cause", &codes);
    assert_eq!(choice.spec.to_string(), "icd10");
    assert_eq!(
        path(&choice, "E11.65"),
        ["E11.65", "E11.*", "E1*", "[E00-E90]", "*"]
    );
    assert_eq!(
        path(&choice, "unknown"),
        ["unknown", "other", "other", "other", "*"]
    );
}

#[test]
fn countries_states_and_schooling_are_known_by_what_they_list() {
    let names = [
        "France", "Germany", "Austria", "Ghana", "Mali", "Togo", "Peru", "Chile", "Japan",
        "Atlantis",
    ];
    assert_eq!(chosen("born in", names), "countries");
    let codes = ["FR", "DE", "AT", "GH", "ML", "TG", "PE", "CL"];
    assert_eq!(chosen("c", codes), "countries");
    assert_eq!(
        chosen("c", ["CA", "TX", "OR", "WA", "OH", "IL", "OK"]),
        "us-states"
    );
    // Each of these is a country and a state: the name decides, and without one nobody does.
    let both = ["CA", "AR", "CO", "PA", "GA", "MD", "ME", "MN", "AL", "IN"];
    assert_eq!(chosen("state", both), "us-states");
    assert_eq!(chosen("country", both), "countries");
    assert!(chosen("c", both).starts_with("frequent:"));
    let adult = [
        "Preschool",
        "1st-4th",
        "9th",
        "HS-grad",
        "Some-college",
        "Assoc-voc",
        "Bachelors",
        "Masters",
        "Doctorate",
    ];
    let adult: Vec<(String, u32)> = adult.map(|text| (text.to_owned(), 9)).to_vec();
    let choice = of("education", &adult);
    assert_eq!(choice.spec.to_string(), "education");
    assert_eq!(
        path(&choice, "Masters"),
        ["Masters", "Graduate degree", "Bachelor or higher", "*"]
    );
}

#[test]
fn scales_and_bands_are_ordered() {
    assert_eq!(
        chosen("risk", ["low", "medium", "high", "very high"]),
        "order"
    );
    assert_eq!(
        chosen("age group", ["under 18", "18-24", "25-44", "45-64", "65+"]),
        "order"
    );
    let phones = (0..99).map(|n| format!("555-{:04}", n * 97));
    assert_ne!(chosen("phone", phones), "order");
}

#[test]
fn free_text_keeps_its_most_common_values() {
    let jobs: Vec<(String, u32)> = (0..60)
        .map(|n| (format!("job {n:02}"), 600 / (n + 1)))
        .collect();
    let choice = of("occupation", &jobs);
    assert!(
        choice.spec.to_string().starts_with("frequent:12,6,3"),
        "{}",
        choice.reason
    );
    assert_eq!(path(&choice, "job 07")[..3], ["job 07", "job 07", "other"]);
    assert_eq!(path(&choice, "job 50")[..2], ["job 50", "other"]);
    let races = [
        ("White", 850),
        ("Black", 96),
        ("Asian", 31),
        ("Native", 10),
        ("Other", 8),
    ];
    let races: Vec<(String, u32)> = races.map(|(text, rows)| (text.to_owned(), rows)).to_vec();
    let choice = of("race", &races);
    assert_eq!(
        path(&choice, "Other")[choice.hierarchy.height().index() - 1],
        "any other"
    );
    // Of three values one can be kept, and is not called "the 1".
    let few: Vec<(String, u32)> = [("red", 9), ("blue", 5), ("green", 4)]
        .map(|(text, rows)| (text.to_owned(), rows))
        .to_vec();
    let choice = of("c", &few);
    assert_eq!(choice.spec.to_string(), "frequent:1");
    assert!(
        choice
            .reason
            .contains("the most common value, all others merged"),
        "{}",
        choice.reason
    );
    // Where no value occurs twice there is nothing to keep.
    let names: Vec<(String, u32)> = (0..50).map(|n| (format!("name {n}x"), 1)).collect();
    let choice = of("remark", &names);
    assert_eq!(choice.spec, HierarchySpec::Suppress);
    assert!(choice.reason.contains("almost all of them unique"));
}

#[test]
fn dates_are_merged_by_the_periods_they_span() {
    assert_eq!(
        chosen("c", ["2024-05-01", "2024-06-01", "2024-06-02"]),
        "date:month"
    );
    assert_eq!(
        chosen(
            "c",
            ["2024-05-01", "2023-06-01", "2024-06-02", "2024-06-03"]
        ),
        "date:month,year"
    );
    assert_eq!(
        chosen("c", ["2024-05-01", "2024-05-02", "2024-05-03"]),
        "order"
    );
    let born = (0..4000).map(|n| {
        let (day, month, year) = (1 + (n / 840 * 5 + n) % 28, 1 + n % 12, 1940 + n / 12 % 70);
        format!("{day:02}.{month:02}.{year}")
    });
    assert_eq!(chosen("geboren", born), "date:month,quarter,year,decade");
    let moments = (0..4000).map(|n| {
        format!(
            "2024-{:02}-{:02}T{:02}:30:00Z",
            1 + n % 12,
            1 + n % 28,
            n % 24
        )
    });
    assert_eq!(chosen("seen", moments), "date:day,month,quarter");
    assert_eq!(
        chosen(
            "born",
            ["12/24/1990", "01/02/1991", "03/04/1991", "03/05/1991"]
        ),
        "date:month,year"
    );
    assert_eq!(
        chosen("born", [19_901_224, 19_910_102, 19_910_304, 19_910_305]),
        "date:month,year"
    );
}

#[test]
fn dates_that_can_be_read_in_two_ways_are_merged_by_year_only() {
    let values = ["01/02/1990", "03/04/1990", "05/06/1991", "07/08/1991"];
    let values: Vec<(String, u32)> = values.map(|text| (text.to_owned(), 2)).to_vec();
    let choice = of("born", &values);
    assert_eq!(choice.spec.to_string(), "date:year");
    assert!(
        choice.reason.contains("cannot be distinguished"),
        "{}",
        choice.reason
    );
}

#[test]
fn values_of_another_kind_than_said_are_refused_or_taken_as_text() {
    let values: Vec<String> = (0..30).map(|n| format!("v {n}")).collect();
    let counted: Vec<(&str, u32)> = values.iter().map(|value| (value.as_str(), 1)).collect();
    assert!(automatic("c", &counted, Kind::Number).is_err());
    assert!(automatic("c", &counted, Kind::Date).is_ok());
    assert!(automatic("c", &[], Kind::Text).is_err());
}

#[test]
fn a_million_numbers_are_compared_on_some_and_built_from_all() {
    let values: Vec<(String, u32)> = (0..20_000).map(|n| ((n * 37).to_string(), 1)).collect();
    let choice = of("c", &values);
    assert_eq!(choice.hierarchy.leaves(), 20_000);
}

#[test]
fn the_loss_is_that_of_the_best_level_for_each_size() {
    // 8 values of one row each: groups of 2 rows at least, whatever the part. Pairs lose 1/7.
    let texts: Vec<String> = (0..8).map(|n| n.to_string()).collect();
    let values: Vec<(&str, u32)> = texts.iter().map(|text| (text.as_str(), 1)).collect();
    let of_rule = |rule: &str| {
        let hierarchy = rule
            .parse::<HierarchySpec>()
            .unwrap()
            .build("c", &values)
            .unwrap();
        lost(&hierarchy, &values).share
    };
    assert!((of_rule("interval:2,4") - 1.0 / 7.0).abs() < 1e-12);
    assert!((of_rule("interval:4") - 3.0 / 7.0).abs() < 1e-12);
    // A row alone is half of what is asked for.
    assert!((of_rule("suppress") - 0.5).abs() < 1e-12);
}

fn any_column() -> impl Strategy<Value = Vec<String>> {
    let values = |value: BoxedStrategy<String>| prop::collection::vec(value, 1..60);
    prop_oneof![
        values(
            (-50_000_i32..50_000)
                .prop_map(|number| number.to_string())
                .boxed()
        ),
        values(
            (0_i32..99)
                .prop_map(|number| format!("{}", f64::from(number) / 8.0))
                .boxed()
        ),
        values(
            any::<f64>()
                .prop_map(|number| format!("{number:e}"))
                .boxed()
        ),
        values(
            (0_u64..1 << 30)
                .prop_map(|number| (number * number % 99_991).pow(2).to_string())
                .boxed()
        ),
        values("[0-9]{5}".boxed()),
        values("[A-Z]{1,2}[0-9]{1,2} [0-9][A-Z]{2}".boxed()),
        values("[A-Z][0-9]{2}(\\.[0-9]{1,2})?".boxed()),
        values("[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]".boxed()),
        values("(0[1-9]|1[0-9]|2[0-8])/(0[1-9]|1[0-2])/(19[0-9]{2})( 1[0-9]:00)?".boxed()),
        values("20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9])T0[0-9]:00:00Z".boxed()),
        values("(low|medium|high|other|Other|)".boxed()),
        values("(France|FR|Ghana|CA|TX|Texas|Georgia|Europe|x|)".boxed()),
        values("(under 18|18-24|25-34|65\\+|HS-grad|Masters|9th)".boxed()),
        values("[a-c*{}, -]{0,3}".boxed()),
        values("\\PC{0,6}".boxed()),
    ]
}

proptest! {
    #[test]
    fn whatever_is_chosen_keeps_the_law(
        texts in any_column(),
        name in prop::sample::select(vec!["c", "age", "zip", "country", "state", "diagnosis", "income"]),
        cut in 0_usize..60,
    ) {
        let mut counts: std::collections::BTreeMap<&str, u32> = std::collections::BTreeMap::new();
        for (at, text) in texts.iter().enumerate() {
            *counts.entry(text).or_insert(0) += 1 + (at as u32 * at as u32) % 5;
        }
        let mut values: Vec<(String, u32)> = counts.into_iter().map(|(text, rows)| (text.to_owned(), rows)).collect();
        let choice = of(name, &values);
        assert_sound(&choice.hierarchy);
        assert_unambiguous(&choice.hierarchy);
        prop_assert!(choice.hierarchy.unlisted(values.iter().map(|(text, _)| text.as_str())).is_empty());
        prop_assert_eq!(choice.hierarchy.label(choice.hierarchy.height(), Group(0)), "*");
        prop_assert_eq!(choice.spec.to_string().parse::<HierarchySpec>().unwrap(), choice.spec.clone());
        // Whichever row comes first.
        values.reverse();
        let cut = cut % values.len();
        values.rotate_left(cut);
        let again = of(name, &values);
        prop_assert_eq!(again.hierarchy.to_csv(), choice.hierarchy.to_csv());
        prop_assert_eq!((again.spec, again.reason), (choice.spec, choice.reason));
    }
}
