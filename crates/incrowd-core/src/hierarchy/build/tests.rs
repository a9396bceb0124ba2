use super::decimal::written;
use super::*;
use crate::hierarchy::HierarchySpec;
use crate::hierarchy::tests::assert_sound;
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
        "0,0-4,0-9,* 9,5-9,0-9,* 17,15-19,10-19,* 22,20-24,20-29,*"
    );
    assert_eq!(
        table("interval:1,2", &["17", "017", "18"]),
        "017,17,16-17,* 17,17,16-17,* 18,18,18-19,*"
    );
    assert_eq!(
        table("interval:10@1", &["10", "11"]),
        "10,1-10,* 11,11-20,*"
    );
}

#[test]
fn other_numbers_get_intervals_without_the_upper_end() {
    assert_eq!(
        table("interval:5@17", &["17.5", "22"]),
        r#"17.5,"[17.0,22.0)",* 22,"[22.0,27.0)",*"#
    );
    assert_eq!(
        table("interval:5", &["-1", "0", "-5"]),
        r#"-5,"[-5,0)",* -1,"[-5,0)",* 0,"[0,5)",*"#
    );
    assert_eq!(
        table("interval:0.25,0.5", &["1", "0.3"]),
        r#"0.3,"[0.25,0.50)","[0.00,0.50)",* 1,"[1.00,1.25)","[1.00,1.50)",*"#
    );
}

#[test]
fn decimal_bounds_are_exact() {
    let values: Vec<String> = (0..1000)
        .map(|tenths| format!("{}.{}", tenths / 10, tenths % 10))
        .collect();
    let texts: Vec<&str> = values.iter().map(String::as_str).collect();
    let hierarchy = built("interval:0.1,0.3", &texts).unwrap();
    assert_eq!(hierarchy.groups(1), 1000);
    assert_eq!(hierarchy.leaves_of_groups(2)[..333], [3; 333]);
    let leaf = hierarchy.leaf("0.3").unwrap();
    assert_eq!(
        hierarchy.label(1, hierarchy.groups_of_leaves(1)[leaf as usize]),
        "[0.3,0.4)"
    );
    let below = built("interval:0.1", &["0.29999999999999", "0.3"]).unwrap();
    assert_eq!(below.label(1, 0), "[0.2,0.3)");
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
    let error = built("interval:0.000000000001@999999999999999", &["1"]).unwrap_err();
    assert_eq!(
        error,
        Error::IntervalsTooNarrow {
            column: "c".into(),
            first: 1
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
    assert_eq!(hierarchy.to_csv().lines().nth(3), Some("3,3-4,1-4,*"));
    assert_eq!(hierarchy.leaves_of_groups(1), [2, 2, 2, 2]);

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
         -3,-3,\"[-3,0]\",*\n0,0,\"[-3,0]\",*\n1.5,\"[1.5,2]\",\"[1.5,2]\",*\n1.50,\"[1.5,2]\",\"[1.5,2]\",*\n\
         2,\"[1.5,2]\",\"[1.5,2]\",*\n,,,*\n"
    );
}

#[test]
fn neighbours_are_merged_in_natural_order() {
    assert_eq!(
        table("order", &["10", "9", "1", "2", "100"]),
        "1,1..2,1..10,* 2,1..2,1..10,* 9,9..10,1..10,* 10,9..10,1..10,* 100,100,100,*"
    );
    assert_eq!(
        table("order", &["2024-02-01", "1999-12-31", "2024-01-31"]),
        "1999-12-31,1999-12-31..2024-01-31,* 2024-01-31,1999-12-31..2024-01-31,* 2024-02-01,2024-02-01,*"
    );
    assert_eq!(table("order", &["b", "a"]), "a,* b,*");
}

#[test]
fn values_that_look_like_labels_are_kept_apart() {
    let hierarchy = order(
        "c",
        &["a", "b..c", "a..b", "c", "d", "d"],
        Arrangement::Given,
    )
    .unwrap();
    assert_sound(&hierarchy);
    assert_eq!(hierarchy.leaves(), 5);
    assert_eq!(hierarchy.label(1, 0), "a..b..c");
    assert_eq!(hierarchy.label(1, 1), "a..b..c (2)");
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
        "2019-12-31,2019-12,2019-Q4,2019,2010-2019,* \
         2024-04-01,2024-04,2024-Q2,2024,2020-2029,* \
         2024-05-17,2024-05,2024-Q2,2024,2020-2029,*"
    );
    // ISO 8601: the last days of a year may lie in week 1 of the next.
    assert_eq!(
        table("date:week", &["2024-12-30", "2024-12-29"]),
        "2024-12-29,2024-W52,* 2024-12-30,2025-W01,*"
    );
    assert_eq!(table("date", &["0999-01-02"]), "0999-01-02,0999-01,0999,*");
}

#[test]
fn the_missing_value_is_put_aside() {
    let cases = [
        ("interval:5", "17", "17,15-19,* ,,*"),
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
    ] {
        match spec.parse::<HierarchySpec>() {
            Err(Error::HierarchySpecNotNested { level: found, .. }) => {
                assert_eq!(found, level, "{spec}")
            }
            other => panic!("{spec}: {other:?}"),
        }
    }
}

fn any_spec() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("interval:5,10,20@17".to_string()),
        Just("interval:0.1,0.5,10@-0.35".to_string()),
        Just("interval:1".to_string()),
        Just("quantile:16,8,3".to_string()),
        Just("order".to_string()),
        Just("suppress".to_string()),
        (1..4).prop_map(|step| format!("mask:{step}")),
    ]
}

fn any_number() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (-999..999).prop_map(|number: i32| number.to_string()),
        8 => (-999..999).prop_map(|number: i32| format!("{}", f64::from(number) / 20.0)),
        2 => (0..99).prop_map(|number: i32| format!("{number:03}.0")),
        1 => Just(String::new()),
    ]
}

proptest! {
    #[test]
    fn numbers_give_sound_hierarchies_that_list_them_all(
        values in prop::collection::vec((any_number(), 0_u32..50), 1..60),
        spec in any_spec(),
    ) {
        let values: Vec<(&str, u32)> = values.iter().map(|(text, rows)| (text.as_str(), *rows)).collect();
        let hierarchy = spec.parse::<HierarchySpec>().unwrap().build("c", &values).unwrap();
        assert_sound(&hierarchy);
        prop_assert!(hierarchy.unlisted(values.iter().map(|&(text, _)| text)).is_empty());
    }

    #[test]
    fn an_interval_holds_its_numbers(hundredths in prop::collection::vec(-99_999_i32..99_999, 1..50)) {
        let texts: Vec<String> = hundredths.iter().map(|&n| written(n.into(), 2, 2)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let hierarchy = built("interval:0.05,0.15,3@0.01", &texts).unwrap();
        for level in 1..4 {
            for (leaf, &group) in hierarchy.groups_of_leaves(level).iter().enumerate() {
                let label = hierarchy.label(level, group).trim_start_matches('[').trim_end_matches(')');
                let (start, end) = label.split_once(',').unwrap();
                let bounds = [start, end].map(|bound| parse_number(bound).unwrap());
                let number = parse_number(hierarchy.label(0, leaf as u32)).unwrap();
                prop_assert!(bounds[0] <= number && number < bounds[1]);
            }
        }
    }

    #[test]
    fn any_text_can_be_masked_ordered_and_suppressed(values in prop::collection::vec("[a-c.*é( ]{0,4}", 1..40)) {
        let texts: Vec<&str> = values.iter().map(String::as_str).collect();
        for spec in ["mask", "mask:2", "order", "suppress"] {
            let hierarchy = built(spec, &texts).unwrap();
            prop_assert!(hierarchy.unlisted(texts.iter().copied()).is_empty());
        }
        assert_sound(&order("c", &texts, Arrangement::Given).unwrap());
    }
}

#[test]
#[ignore = "seconds mean something in release mode only"]
fn a_million_values_take_about_a_second() {
    let texts: Vec<String> = (0..1_000_000_u64)
        .map(|n| (n * 7_919 % 1_000_003 + 1_000_000).to_string())
        .collect();
    let values: Vec<(&str, u32)> = texts.iter().map(|text| (text.as_str(), 1)).collect();
    for spec in [
        "interval:5,10,100,1000,10000",
        "quantile:64,16,4",
        "mask:1",
        "order",
        "suppress",
    ] {
        let spec: HierarchySpec = spec.parse().unwrap();
        let start = std::time::Instant::now();
        let hierarchy = spec.build("c", &values).unwrap();
        let building = start.elapsed();
        let written = hierarchy.to_csv();
        let writing = start.elapsed() - building;
        let read = crate::hierarchy::parse(written.as_bytes(), crate::hierarchy::Options::new("c"))
            .unwrap();
        let reading = start.elapsed() - building - writing;
        assert_eq!(read.leaves(), 1_000_000);
        println!("{spec}: built in {building:?}, written in {writing:?}, read in {reading:?}");
    }
}
