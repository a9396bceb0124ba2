use super::*;
use crate::hierarchy::tests::assert_sound;
use crate::hierarchy::{Group, HierarchySpec, Leaf};
use crate::numbers::Level;
use crate::table::decimal::written;
use proptest::prelude::*;

fn built(spec: &str, values: &[&str]) -> Result<Hierarchy, Error> {
    let values: Vec<(&str, u32)> = values.iter().map(|&value| (value, 1)).collect();
    let hierarchy = spec.parse::<HierarchySpec>()?.build("c", &values)?;
    assert_sound(&hierarchy);
    Ok(hierarchy)
}

/// The table without its header line, lines joined by blanks.
fn table(spec: &str, values: &[&str]) -> String {
    let text = built(spec, values).unwrap().to_csv();
    let lines: Vec<&str> = text.lines().skip(1).collect();
    lines.join(" ")
}

#[test]
fn whole_numbers_get_intervals_with_both_ends() {
    assert_eq!(
        table("interval:5,10", &["22", "17", "9", "0"]),
        "0,[0-4],[0-9],* 9,[5-9],[0-9],* 17,[15-19],[10-19],* 22,[20-24],[20-29],*"
    );
    assert_eq!(
        table("interval:1,2", &["17", "017", "18"]),
        "017,17,[16-17],* 17,17,[16-17],* 18,18,[18-19],*"
    );
    assert_eq!(
        table("interval:10@1", &["10", "11"]),
        "10,[1-10],* 11,[11-20],*"
    );
}

#[test]
fn other_numbers_get_both_ends_by_their_precision() {
    assert_eq!(
        table("interval:5@17", &["17.5", "22"]),
        "17.5,[17.0-21.9],* 22,[22.0-26.9],*"
    );
    assert_eq!(
        table("interval:5", &["-1", "0", "-5"]),
        "-5,[-5--1],* -1,[-5--1],* 0,[0-4],*"
    );
    assert_eq!(
        table("interval:0.25,0.5", &["1", "0.3"]),
        "0.3,[0.25-0.49],[0.00-0.49],* 1,[1.00-1.24],[1.00-1.49],*"
    );
    // Zeros at the end are not precision: whole numbers that a program wrote with a point stay whole.
    assert_eq!(
        table("interval:5", &["17.0", "22.00", "1e2"]),
        "17.0,[15-19],* 22.00,[20-24],* 1e2,[100-104],*"
    );
    // More digits than can be written: the least and the greatest number of the interval.
    assert_eq!(
        table("interval:1", &["0.1234567890123", "0.5", "1.5"]),
        "0.1234567890123,[0.1234567890123-0.5],* 0.5,[0.1234567890123-0.5],* 1.5,1.5,*"
    );
}

#[test]
fn whole_numbers_too_long_for_a_float_are_told_apart() {
    assert_eq!(
        table("interval:10", &["90000000000000009", "90000000000000010"]),
        "90000000000000009,[90000000000000000-90000000000000009],* \
         90000000000000010,[90000000000000010-90000000000000019],*"
    );
}

#[test]
fn decimal_bounds_are_exact() {
    let values: Vec<String> = (0..1000)
        .map(|tenths| format!("{}.{}", tenths / 10, tenths % 10))
        .collect();
    let texts: Vec<&str> = values.iter().map(String::as_str).collect();
    let hierarchy = built("interval:0.1,0.3", &texts).unwrap();
    assert_eq!(hierarchy.groups(Level(1)), 1000);
    assert_eq!(hierarchy.leaves_of_groups(Level(2))[..333], [3; 333]);
    assert_eq!(hierarchy.label(Level(2), Group(1)), "[0.3-0.5]");
    let leaf = hierarchy.leaf("0.3").unwrap();
    assert_eq!(
        hierarchy.label(Level(1), hierarchy.group_of(Level(1), leaf)),
        "0.3"
    );
    let below = built("interval:0.1", &["0.29999999999999", "0.3"]).unwrap();
    assert_eq!(
        [
            below.label(Level(1), Group(0)),
            below.label(Level(1), Group(1))
        ],
        ["0.29999999999999", "0.3"]
    );
}

#[test]
fn numbers_far_away_are_numbered_or_refused() {
    let error = built("interval:5", &["1", "1e300"]).unwrap_err();
    assert_eq!(
        error,
        Error::IntervalsTooNarrow {
            column: "c".into(),
            first: 2
        }
    );
    assert!(
        built(
            "interval:999999999999999",
            &["1e30", "-1e30", "0.000000000001"]
        )
        .is_ok()
    );
    assert!(built("interval:0.000000000001,999999999999999", &["1", "8000"]).is_ok());
    // Exact numbers need no bound on how many intervals there are.
    assert_eq!(
        table("interval:0.000000000001@999999999999999", &["1"]),
        "1,1.000000000000,*"
    );
    assert!(built("interval:999999999999999@0.000000000001", &["1e30"]).is_err());
}

#[test]
fn quantiles_hold_about_equally_many_rows() {
    let values = [
        ("1", 10),
        ("2", 10),
        ("3", 10),
        ("4", 10),
        ("5", 10),
        ("6", 10),
        ("7", 10),
        ("8", 10),
    ];
    let hierarchy = quantile("c", &values, &[4, 2]).unwrap();
    assert_sound(&hierarchy);
    assert_eq!(hierarchy.to_csv().lines().nth(3), Some("3,[3-4],[1-4],*"));
    assert_eq!(hierarchy.leaves_of_groups(Level(1)), [2, 2, 2, 2]);

    let skewed = [
        ("", 7),
        ("0", 90),
        ("1.5", 4),
        ("1.50", 1),
        ("2", 3),
        ("-3", 2),
    ];
    let hierarchy = quantile("c", &skewed, &[3, 2]).unwrap();
    assert_sound(&hierarchy);
    assert_eq!(
        hierarchy.to_csv(),
        "value,3-groups,2-groups,any\n\
         -3,-3,[-3-0],*\n0,0,[-3-0],*\n1.5,[1.5-2],[1.5-2],*\n1.50,[1.5-2],[1.5-2],*\n\
         2,[1.5-2],[1.5-2],*\n,,,*\n"
    );
}

#[test]
fn neighbors_are_merged_in_natural_order() {
    assert_eq!(
        table("order", &["10", "9", "1", "2", "100"]),
        "1,[1-2],[1-10],* 2,[1-2],[1-10],* 9,[9-10],[1-10],* 10,[9-10],[1-10],* 100,100,100,*"
    );
    assert_eq!(
        table("order", &["2024-02-01", "1999-12-31", "2024-01-31"]),
        "1999-12-31,[1999-12-31-2024-01-31],* 2024-01-31,[1999-12-31-2024-01-31],* 2024-02-01,2024-02-01,*"
    );
    assert_eq!(table("order", &["b", "a"]), "a,* b,*");
}

#[test]
fn ordered_texts_are_written_as_sets_while_these_are_short() {
    let texts: Vec<String> = (b'a'..=b'r')
        .map(|letter| char::from(letter).into())
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let hierarchy = built("order", &texts).unwrap();
    assert_eq!(hierarchy.label(Level(1), Group(0)), "{a, b}");
    assert_eq!(
        hierarchy.label(Level(3), Group(1)),
        "{i, j, k, l, m, n, o, p}"
    );
    assert_eq!(hierarchy.label(Level(4), Group(0)), "[a-p]");
    assert_eq!(
        table("order", &["b, c", "a", "say \"x\""]),
        r#"a,"{a, ""b, c""}",* "b, c","{a, ""b, c""}",* "say ""x""","say ""x""",*"#
    );
}

#[test]
fn well_known_scales_and_bands_have_their_order() {
    assert_eq!(
        table("order", &["High", "low", "Medium"]),
        r#"low,"{low, Medium}",* Medium,"{low, Medium}",* High,High,*"#
    );
    assert_eq!(
        table("order", &["65+", "5-17", "18-64", "under 5"]),
        r#"under 5,"{under 5, 5-17}",* 5-17,"{under 5, 5-17}",* 18-64,"{18-64, 65+}",* 65+,"{18-64, 65+}",*"#
    );
    assert_eq!(
        table("order", &["01.02.2024", "24.12.2023", "03.01.2024"]),
        "24.12.2023,[24.12.2023-03.01.2024],* 03.01.2024,[24.12.2023-03.01.2024],* 01.02.2024,01.02.2024,*"
    );
}

#[test]
fn values_that_look_like_labels_are_kept_apart() {
    let values = ["a", "b", "{a, b}", "c", "d", "d"];
    let hierarchy = order("c", &values, Arrangement::Given).unwrap();
    assert_sound(&hierarchy);
    assert_eq!(hierarchy.leaves(), 5);
    // `{a, b}` would be read as the value of that name, which is in another group.
    assert_eq!(hierarchy.label(Level(1), Group(0)), "{a, b} (2)");
    let pets = [
        ("other", 3),
        ("Any other", 2),
        ("cat", 9),
        ("dog", 8),
        ("newt", 1),
    ];
    let hierarchy = frequent("c", &pets, &[2]).unwrap();
    assert_sound(&hierarchy);
    assert_eq!(hierarchy.label(Level(1), Group(2)), "any other (2)");
}

#[test]
fn codes_are_masked_from_the_right() {
    assert_eq!(
        table("mask:2", &["12399", "12345"]),
        "12345,123**,1****,* 12399,123**,1****,*"
    );
    assert_eq!(table("mask", &["ab", "ac"]), "ab,a*,* ac,a*,*");
    assert_eq!(table("mask:9", &["ab"]), "ab,*");
    assert_eq!(
        table("mask:2", &["12345", "12", "1", "1234"]),
        "1,1,1****,* 12,12,1****,* 1234,123**,1****,* 12345,123**,1****,*"
    );
    assert_eq!(table("mask", &["äö", "äü"]), "äö,ä*,* äü,ä*,*");
    assert_eq!(
        table("mask:2", &["K1A 0B1", "K1P 5M7"]),
        "K1A 0B1,K1A 0**,K1* ***,* K1P 5M7,K1P 5**,K1* ***,*"
    );
    assert_eq!(
        table("prefix:4,3", &["45011", "45017", "45201"]),
        "45011,4501*,450**,* 45017,4501*,450**,* 45201,4520*,452**,*"
    );
    assert_eq!(
        table("prefix:3", &["E11.9", "E11", "I10.90", "I1"]),
        "E11,E11***,* E11.9,E11***,* I1,I1,* I10.90,I10***,*"
    );
    let long = "x".repeat(127);
    let expected = Error::HierarchyTooManyLevels {
        column: "c".into(),
        levels: 128,
        limit: 127,
    };
    assert_eq!(built("mask", &[&long]).unwrap_err(), expected);
    assert!(built("mask:2", &[&long]).is_ok());
}

#[test]
fn dates_are_merged_by_calendar() {
    assert_eq!(
        table(
            "date:month,quarter,year,decade",
            &["2024-05-17", "2019-12-31", "2024-04-01"]
        ),
        "2019-12-31,2019-12,2019-Q4,2019,[2010-2019],* \
         2024-04-01,2024-04,2024-Q2,2024,[2020-2029],* \
         2024-05-17,2024-05,2024-Q2,2024,[2020-2029],*"
    );
    // ISO 8601: the last days of a year may lie in week 1 of the next.
    assert_eq!(
        table("date:week", &["2024-12-30", "2024-12-29"]),
        "2024-12-29,2024-W52,* 2024-12-30,2025-W01,*"
    );
    assert_eq!(table("date", &["0999-01-02"]), "0999-01-02,0999-01,0999,*");
}

#[test]
fn dates_are_read_in_any_one_form() {
    for values in [
        ["24.12.2024", "01.02.2023"],
        ["24/12/2024", "1/2/2023"],
        ["24 Dec 2024", "February 1, 2023"],
        ["20241224", "20230201"],
        ["2024-12-24T23:59:59+14:00", "2023-02-01 00:00"],
        ["12/24/2024 11:30 PM", "02/01/2023 1:00 AM"],
    ] {
        let [late, early] = values;
        let text = table("date:day,month,year", &values);
        let text = text.replace('"', "");
        assert_eq!(
            text,
            format!("{early},2023-02-01,2023-02,2023,* {late},2024-12-24,2024-12,2024,*")
        );
    }
}

#[test]
fn dates_that_can_be_read_in_two_ways_are_refused_unless_the_year_will_do() {
    let values = ["01/02/2024", "03/04/2023"];
    let ambiguous = Error::DatesAmbiguous { column: "c".into() };
    assert_eq!(built("date:month,year", &values).unwrap_err(), ambiguous);
    assert!(ambiguous.hint().contains("@day-first"));
    assert_eq!(
        table("date:year", &values),
        "03/04/2023,2023,* 01/02/2024,2024,*"
    );
    assert_eq!(
        table("date:month@day-first", &values),
        "03/04/2023,2023-04,* 01/02/2024,2024-02,*"
    );
    assert_eq!(
        table("date:month@month-first", &values),
        "03/04/2023,2023-03,* 01/02/2024,2024-01,*"
    );
    // One value decides for all; two that contradict each other are no dates of one form.
    assert!(built("date:month", &["01/02/2024", "24/12/2024"]).is_ok());
    let error = built("date:month", &["01/02/2024", "24/12/2024", "12/24/2024"]);
    let expected = Error::NotDates {
        column: "c".into(),
        values: 1,
        first: 3,
    };
    assert_eq!(error.unwrap_err(), expected);
}

#[test]
fn skewed_numbers_get_steps_that_grow() {
    assert_eq!(
        table("log:1-2-5,10,100", &["0", "-30", "0.5", "7", "99999"]),
        "-30,[-49.9--20.0],[-99.9--10.0],[-99.9--1.0],* 0,0.0,0.0,0.0,* 0.5,[0.5-0.9],[0.1-0.9],[0.1-0.9],* \
         7,[5.0-9.9],[1.0-9.9],[1.0-99.9],* 99999,[50000.0-99999.9],[10000.0-99999.9],[10000.0-999999.9],*"
    );
    assert_eq!(
        table("log:1000", &["1", "999", "1000"]),
        "1,[1-999],* 999,[1-999],* 1000,[1000-999999],*"
    );
    assert!(built("log:10", &["1e300"]).is_err());
    assert!(built("log:10", &["1", "123456789012345678901234567890123456"]).is_ok());
}

#[test]
fn values_that_no_list_has_are_others_and_too_many_of_them_are_refused() {
    assert_eq!(
        table("us-states", &["Texas", "Ohio", "CA", "?"]),
        "Ohio,East North Central,Midwest,* Texas,West South Central,South,* CA,Pacific,West,* ?,other,other,*"
    );
    let expected = Error::NotRecognized {
        column: "c".into(),
        expected: "countries",
        values: 2,
        first: 1,
    };
    let error = built("countries", &["x", "France", "y"]).unwrap_err();
    assert_eq!(error, expected);
    assert_eq!(
        table("icd10", &["E11.9", "unknown", "e1165"]),
        "E11.9,E11.*,E1*,[E00-E90],* e1165,E11.*,E1*,[E00-E90],* unknown,other,other,other,*"
    );
}

#[test]
fn the_missing_value_is_put_aside() {
    let cases = [
        ("interval:5", "17", "17,[15-19],* ,,*"),
        ("log:10", "17", "17,[10-99],* ,,*"),
        ("frequent:2", "a", "a,a,* ,,*"),
        ("prefix:1", "170", "170,1**,* ,,*"),
        ("countries", "Ghana", "Ghana,Western Africa,Africa,* ,,,*"),
        ("icd10", "I10", "I10,I10*,I1*,[I00-I99],* ,,,,*"),
        (
            "uk-postcode",
            "M1 1AE",
            "M1 1AE,M1 1**,M1 ***,M* ***,* ,,,,*",
        ),
        ("quantile:2", "17", "17,17,* ,,*"),
        ("mask:2", "170", "170,1**,* ,,*"),
        ("date:year", "2024-05-17", "2024-05-17,2024,* ,,*"),
        ("suppress", "a", "a,* ,*"),
        ("order", "a", "a,* ,*"),
    ];
    for (spec, value, expected) in cases {
        assert_eq!(table(spec, &["", value]), expected, "{spec}");
        assert_eq!(table(spec, &[""]), ",*", "{spec}");
        assert_eq!(
            built(spec, &[]).unwrap_err(),
            Error::HierarchyEmpty { column: "c".into() }
        );
    }
}

#[test]
fn values_of_another_kind_are_counted_not_quoted() {
    let values = ["", "17", "n/a", "x"];
    let numbers = Error::NotNumbers {
        column: "c".into(),
        values: 2,
        first: 3,
    };
    assert_eq!(built("interval:5", &values).unwrap_err(), numbers);
    assert_eq!(built("quantile:5", &values).unwrap_err(), numbers);
    let dates = Error::NotDates {
        column: "c".into(),
        values: 3,
        first: 2,
    };
    assert_eq!(built("date", &values).unwrap_err(), dates);
}

#[test]
fn levels_that_do_not_nest_are_refused() {
    for (spec, level) in [
        ("interval:5,12", 2),
        ("interval:5,10,10", 3),
        ("interval:10,5", 2),
        ("interval:0.3,1", 2),
        ("quantile:8,8", 2),
        ("quantile:8,4,5", 3),
        ("date:year,month", 2),
        ("date:week,month", 2),
        ("date:month,month", 2),
        ("date:day,week,month", 3),
        ("log:10,1-2-5", 2),
        ("log:100,1000", 2),
        ("frequent:3,3", 2),
        ("prefix:2,3", 2),
    ] {
        match spec.parse::<HierarchySpec>() {
            Err(Error::HierarchySpecNotNested { level: found, .. }) => {
                assert_eq!(found, level, "{spec}")
            }
            other => panic!("{spec}: {other:?}"),
        }
    }
}

/// Rules for numbers, dates and any text.
const NUMBER_RULES: [&str; 7] = [
    "interval:5,10,20@17",
    "interval:0.1,0.5,10@-0.35",
    "interval:1",
    "quantile:16,8,3",
    "log:1-2-5,10,100",
    "log:10,1000000",
    "order",
];
const DATE_RULES: [&str; 4] = [
    "date:day,month,quarter,year,decade@day-first",
    "date:week@day-first",
    "date:year,decade",
    "order",
];
const TEXT_RULES: [&str; 7] = [
    "mask",
    "mask:3",
    "prefix:3,1",
    "frequent:12,6,3,1",
    "frequent:1",
    "order",
    "suppress",
];

fn any_number() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (-999..999).prop_map(|number: i32| number.to_string()),
        8 => (-999..999).prop_map(|number: i32| format!("{}", f64::from(number) / 20.0)),
        2 => (0..99).prop_map(|number: i32| format!("{number:03}.0")),
        2 => any::<i64>().prop_map(|number| number.to_string()),
        1 => (-9..9, -12..30).prop_map(|(digit, power)| format!("{digit}e{power}")),
        1 => Just(String::new()),
    ]
}

fn any_date() -> impl Strategy<Value = String> {
    (1..=28, 1..=12, 1850..2050, 0..3).prop_map(|(day, month, year, time)| {
        let time = ["", " 18:30", "T23:59:59.5Z"][time as usize];
        format!("{day:02}/{month:02}/{year}{time}")
    })
}

/// Texts that look like values of lists, like labels, and like nothing.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-c.*é( ]{0,4}",
        1 => "[a-b]{1,2}".prop_map(|text| format!("{{{text}, b}}")),
        1 => prop::sample::select(vec![
            "other", "Other", "any other", "Europe", "France", "Western Europe", "E11.9", "E1*", "[E00-E90]", "M1 1AE",
            "M* ***", "*", "low", "high", "[a-b]", "CA", "Texas", "South", "Bachelors", "Master", "Bachelor", "1****",
        ]).prop_map(str::to_owned),
    ]
}

/// What a hierarchy made by rule promises beyond being sound: it lists every value, ends in `*`, and does not depend on
/// the order of the values.
fn assert_lawful(spec: &str, values: &[(String, u32)]) {
    let mut values: Vec<(&str, u32)> = values
        .iter()
        .map(|(text, rows)| (text.as_str(), *rows))
        .collect();
    // The rows of a value are counted before.
    values.sort_unstable();
    values.dedup_by_key(|(text, _)| *text);
    let build = |values: &[(&str, u32)]| spec.parse::<HierarchySpec>().unwrap().build("c", values);
    match build(&values) {
        // Most of these texts are no codes, and some numbers are too long.
        Err(Error::NotRecognized { .. } | Error::IntervalsTooNarrow { .. }) => {}
        Err(error) => panic!("{spec}: {error}"),
        Ok(hierarchy) => {
            assert_sound(&hierarchy);
            crate::hierarchy::tests::assert_unambiguous(&hierarchy);
            assert!(
                hierarchy
                    .unlisted(values.iter().map(|&(text, _)| text))
                    .is_empty()
            );
            assert_eq!(
                hierarchy.label(hierarchy.height(), Group(0)),
                crate::hierarchy::ANY
            );
            let written = hierarchy.to_csv();
            values.reverse();
            assert_eq!(build(&values).unwrap().to_csv(), written, "{spec}");
            let middle = values.len() / 2;
            values.rotate_left(middle);
            assert_eq!(build(&values).unwrap().to_csv(), written, "{spec}");
        }
    }
}

proptest! {
    #[test]
    fn rules_for_numbers_keep_the_law(
        values in prop::collection::vec((any_number(), 0_u32..50), 1..60),
    ) {
        for spec in NUMBER_RULES.into_iter().chain(TEXT_RULES) {
            assert_lawful(spec, &values);
        }
    }

    #[test]
    fn rules_for_dates_keep_the_law(values in prop::collection::vec((any_date(), 0_u32..50), 1..60)) {
        for spec in DATE_RULES.into_iter().chain(TEXT_RULES) {
            // Where some day is above 12, the form is decided, and years need no more.
            assert_lawful(spec, &values);
        }
    }

    #[test]
    fn rules_for_texts_keep_the_law(values in prop::collection::vec((any_text(), 0_u32..9), 1..60)) {
        for spec in TEXT_RULES.into_iter().chain(["countries", "us-states", "education", "icd10", "uk-postcode"]) {
            assert_lawful(spec, &values);
        }
        let texts: Vec<&str> = values.iter().map(|(text, _)| text.as_str()).collect();
        if texts.iter().any(|text| !text.is_empty()) {
            assert_sound(&order("c", &texts, Arrangement::Given).unwrap());
        }
    }

    #[test]
    fn an_interval_holds_its_numbers_and_no_others(
        hundredths in prop::collection::vec(-99_999_i32..99_999, 1..50),
        spec in prop::sample::select(vec!["interval:0.05,0.15,3@0.01", "log:1-2-5,10,100", "quantile:9,4,2"]),
    ) {
        let texts: Vec<String> = hundredths.iter().map(|&n| written(n.into(), 2, 2)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let hierarchy = built(spec, &texts).unwrap();
        for level in Level::under(hierarchy.height()).skip(1) {
            for group in 0..hierarchy.groups(level) as u32 {
                let (low, high) = bounds(hierarchy.label(level, Group(group)));
                for (leaf, &of_leaf) in hierarchy.groups_of_leaves(level).iter().enumerate() {
                    let number = parse_number(hierarchy.text(Leaf(leaf as u32))).unwrap();
                    prop_assert_eq!(low <= number && number <= high, of_leaf == group);
                }
            }
        }
    }
}

/// The bounds of `[low-high]`, or of a number alone.
fn bounds(label: &str) -> (Number, Number) {
    let Some(inner) = label
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    else {
        let number = parse_number(label).unwrap();
        return (number, number);
    };
    let between = inner[1..].find('-').unwrap() + 1;
    let number = |text| parse_number(text).unwrap();
    (number(&inner[..between]), number(&inner[between + 1..]))
}

#[test]
fn bounds_must_ascend_and_only_runs_of_numbers_are_cut() {
    for (spec, is_fine) in [
        ("interval:5+18", true),
        ("suppress+-1,0.5", true),
        ("order+18,18", false),
        ("order+", false),
        ("order+x", false),
        ("mask:1+18", false),
        ("date+18", false),
        ("order+18+20", false),
    ] {
        assert_eq!(spec.parse::<HierarchySpec>().is_ok(), is_fine, "{spec}");
    }
    assert!(built("order+3", &["1", "b"]).is_err());
}

proptest! {
    #[test]
    fn no_group_spans_a_bound_and_nothing_else_changes(
        numbers in prop::collection::btree_set(-40..60_i32, 1..30),
        bounds in prop::collection::btree_set(-50..70_i32, 1..4),
        rule in prop::sample::select(vec!["interval:5,10", "quantile:6,3", "log:10", "order", "suppress"]),
        has_missing in any::<bool>(),
    ) {
        let mut texts: Vec<String> = numbers.iter().map(i32::to_string).collect();
        if has_missing {
            texts.push(String::new());
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let joined: Vec<String> = bounds.iter().map(i32::to_string).collect();
        let base = built(rule, &texts).unwrap();
        let cut = built(&format!("{rule}+{}", joined.join(",")), &texts).unwrap();
        let part = |number: i32| bounds.iter().filter(|&&bound| bound <= number).count();
        let together = |hierarchy: &Hierarchy, level: Level, one: i32, other: i32| {
            let group = |number: i32| {
                let leaf = hierarchy.leaf(&number.to_string()).unwrap();
                hierarchy.group_of(level, leaf)
            };
            group(one) == group(other)
        };
        for &one in &numbers {
            for &other in &numbers {
                for level in Level::under(base.height()) {
                    let expected = together(&base, level, one, other) && part(one) == part(other);
                    prop_assert_eq!(together(&cut, level, one, other), expected);
                }
                let last = cut.height().below().unwrap();
                if last > Level::RAW {
                    prop_assert!(!together(&cut, last, one, other) || part(one) == part(other));
                }
                if cut.height() > base.height() {
                    prop_assert_eq!(together(&cut, last, one, other), part(one) == part(other));
                }
            }
        }
    }
}
