//! The research value: the paper's own numbers, its formulas by hand, weights, and what is refused.
//!
//! That the search finds the greatest value, and that releases of every shape are measured alike, is a law of every
//! metric: see `laws`, `groupings` and `regions`.

use fastrand::Rng;
use incrowd_core::Error;
use incrowd_core::counts::CountedTable;
use incrowd_core::lattice::Level;
use incrowd_core::utility::{MetricSpec, ResearchValue, automatic_weights};
use incrowd_testkit::oracle::{OracleProblem, almost_equal};
use incrowd_testkit::tiny_problem;

/// A problem of columns, each given by its values, with a hierarchy of rows such as `White light *`.
fn problem(columns: &str, rows: &[Vec<String>], hierarchies: &[Vec<String>]) -> OracleProblem {
    let lines: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
    let mut problem = tiny_problem(columns, &lines.join("\n"));
    for (at, lines) in hierarchies.iter().enumerate() {
        let words = |line: &String| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let ways_up: Vec<Vec<String>> = lines.iter().map(words).collect();
        problem.max_levels[at] = ways_up[0].len() as u8 - 1;
        problem.quasi_identifiers[at].1 = ways_up;
    }
    problem
}

fn counted(problem: &OracleProblem) -> CountedTable {
    problem.prepare().unwrap().table
}

/// The table of the paper's example: 25, 45 and 55 rows in groups that span 10, 15 and 25 numbers; and a column of
/// text, `White`, `Black` and `Other`, the first two of which become one group.
fn paper() -> CountedTable {
    let groups = [(1..=10, 25), (11..=25, 45), (26..=50, 55)];
    let mut rows = Vec::new();
    let mut numbers = Vec::new();
    for (group, (range, count)) in groups.into_iter().enumerate() {
        let range: Vec<u32> = range.collect();
        numbers.extend(range.iter().map(|number| format!("{number} g{group} *")));
        for row in 0..count {
            // Not every number is there: what the hierarchy lists counts.
            let number = range[row * 2 % range.len()];
            let race = ["White", "Black", "Other"][row % 3];
            rows.push(vec![number.to_string(), race.to_owned()]);
        }
    }
    let races = ["White a *", "Black a *", "Other b *", "Nobody b *"];
    let races = races.map(str::to_owned).to_vec();
    counted(&problem("age race", &rows, &[numbers, races]))
}

fn metric(settings: &str, table: &CountedTable) -> Result<ResearchValue, Error> {
    let spec: MetricSpec = format!("research-value({settings})").parse()?;
    ResearchValue::new(spec.given(), table)
}

#[test]
fn the_papers_example_of_numbers_comes_out() {
    let rules = "rules=\"age: 5|6 = 50 ; age: 10|11 = 50\",weights=age:0.2;race:0.8";
    let value = metric(rules, &paper()).unwrap().of_level(0, Level(1));
    assert_eq!((value.ratio, value.kept), (0.5, vec![false, true]));
    assert!(almost_equal(value.value, 0.2 * 125.0 / 2300.0 * 0.5));
    assert_eq!(format!("{:.4}", value.value), "0.0054");
}

#[test]
fn the_papers_example_of_a_ratio_comes_out() {
    // Rules of importance 5, 20, 10 and 5, of which the 10 is broken: 30/40.
    let rules = "race: White != Other = 5 ; race: Black != Other = 20 ; race: White != Black = 10 ; \
                 race: {White, Black} != {Other, Nobody} = 5";
    let value = metric(&format!("rules=\"{rules}\""), &paper()).unwrap();
    let value = value.of_level(1, Level(1));
    assert_eq!(value.ratio, 0.75);
    assert_eq!(value.kept, [true, true, false, true]);
    // 2 of 4 values, as the hierarchy lists them, whether or not anyone has them.
    assert!(almost_equal(value.value, 0.5 * 2.0 / 4.0 * 0.75));
}

#[test]
fn the_formulas_hold_at_every_level() {
    let table = paper();
    let rules = "age: 10|11 = 3 ; age: 25|26 = 1 ; race: White != Black = 4";
    for (base, broken) in [("0", 0.0), ("6", 6.0 / 10.0)] {
        let settings = format!("rules=\"{rules}\",base={base},weights=age:0.25;race:0.75");
        let value = metric(&settings, &table).unwrap();
        assert_eq!(value.greatest(), 1.0);
        let of = |attribute, level| value.of_level(attribute, Level(level)).value;
        assert!(almost_equal(of(0, 0), 0.25));
        assert!(almost_equal(of(0, 1), 0.25 * 125.0 / 2300.0));
        // Nothing is special about the top: 125 rows that span 50 numbers each, and no rule kept.
        assert!(almost_equal(of(0, 2), 0.25 / 50.0 * broken));
        assert!(almost_equal(of(1, 0), 0.75));
        assert!(almost_equal(of(1, 1), 0.75 * 0.5 * broken));
        assert!(almost_equal(of(1, 2), 0.75 * 0.25 * broken));
    }
    // Without rules the ratio is 1, and weights are equal.
    let value = metric("", &table).unwrap().of_level(1, Level(2));
    assert_eq!((value.ratio, value.value), (1.0, 0.125));
}

#[test]
fn exponents_shift_the_emphasis() {
    let table = paper();
    let of = |exponents: &str| {
        let settings = format!("rules=\"race: White != Black = 1\",base=1,{exponents}");
        let value = metric(&settings, &table).unwrap().of_level(1, Level(1));
        assert_eq!(value.ratio, 0.5, "the ratio is told as it is");
        value.value
    };
    let expected = |granularity: i32, rules: i32| 0.5 * 0.5_f64.powi(granularity + rules);
    for granularity in 0..3 {
        for rules in 0..3 {
            let told = of(&format!(
                "granularity-exponent={granularity},rule-exponent={rules}"
            ));
            assert!(almost_equal(told, expected(granularity, rules)));
        }
    }
    assert!(almost_equal(
        of("granularity-exponent=0.5"),
        0.5 * 0.5_f64.sqrt() * 0.5
    ));
}

#[test]
fn values_given_by_hand_replace_those_computed() {
    let table = paper();
    let settings = "rules=\"race: White != Black = 1\",level-values=race:4/1/0.5";
    let value = metric(settings, &table).unwrap();
    let of = |level| value.of_level(1, Level(level));
    assert_eq!([0, 1, 2].map(|level| of(level).value), [2.0, 0.5, 0.25]);
    assert_eq!(of(1).kept, [false]);
    assert_eq!(value.greatest(), 2.5);
}

/// What both columns tell of each other, from the rows.
fn association(one: &[String], other: &[String]) -> f64 {
    let numbers = |column: &[String]| -> Option<Vec<f64>> {
        column.iter().map(|cell| cell.parse().ok()).collect()
    };
    let rows = one.len() as f64;
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let variance = |of: &[f64]| {
        mean(
            &of.iter()
                .map(|it| (it - mean(of)).powi(2))
                .collect::<Vec<_>>(),
        )
    };
    let distinct = |column: &[String]| {
        let mut values = column.to_vec();
        values.sort();
        values.dedup();
        values
    };
    let explained = |text: &[String], number: &[f64]| {
        let means: Vec<f64> = text
            .iter()
            .map(|own| {
                let same = text.iter().zip(number).filter(|(it, _)| *it == own);
                mean(&same.map(|(_, number)| *number).collect::<Vec<_>>())
            })
            .collect();
        match variance(number) > 0.0 {
            true => (variance(&means) / variance(number)).sqrt(),
            false => 0.0,
        }
    };
    match (numbers(one), numbers(other)) {
        (Some(one), Some(other)) => {
            let pairs = one.iter().zip(&other);
            let products = pairs.map(|(x, y)| (x - mean(&one)) * (y - mean(&other)));
            let both = (variance(&one) * variance(&other)).sqrt();
            match both > 0.0 {
                true => (mean(&products.collect::<Vec<_>>()) / both).abs(),
                false => 0.0,
            }
        }
        (None, Some(number)) => explained(one, &number),
        (Some(number), None) => explained(other, &number),
        (None, None) => {
            let (left, right) = (distinct(one), distinct(other));
            let mut chi_squared = 0.0;
            for x in &left {
                for y in &right {
                    let count = |test: &dyn Fn(&String, &String) -> bool| {
                        one.iter().zip(other).filter(|(a, b)| test(a, b)).count() as f64
                    };
                    let expected = count(&|a, _| a == x) * count(&|_, b| b == y) / rows;
                    chi_squared += (count(&|a, b| a == x && b == y) - expected).powi(2) / expected;
                }
            }
            match left.len().min(right.len()) - 1 {
                0 => 0.0,
                less => (chi_squared / rows / less as f64).sqrt(),
            }
        }
    }
}

#[test]
fn automatic_weights_follow_known_associations() {
    // `a` and `b` are the same under other names, `c` is independent of both.
    let rows: Vec<Vec<String>> = (0..12)
        .map(|row| {
            let (twin, free) = (row % 2, row / 2 % 3);
            [format!("x{twin}"), format!("y{twin}"), format!("z{free}")].to_vec()
        })
        .collect();
    let weights = automatic_weights(&counted(&problem("a b c", &rows, &[])));
    for (weight, expected) in weights.iter().zip([0.25, 0.25, 0.5]) {
        assert!(almost_equal(*weight, expected), "{weights:?}");
    }
    for (weighting, expected) in [("auto", [0.5, 0.0, 0.5]), ("equal", [0.5, 0.0, 0.5])] {
        let table = counted(&problem("a b c", &rows, &[]));
        let settings = format!("weighting={weighting},drop-associated=0.9");
        let value = metric(&settings, &table).unwrap();
        let weights = [0, 1, 2].map(|at| value.of_level(at, Level(0)).weight);
        assert_eq!(weights, expected, "{weighting}");
    }
    // Numbers that fall as the others rise, and a text that tells both: everything tells everything.
    let rows: Vec<Vec<String>> = (0..9)
        .map(|row| [format!("{row}"), format!("{}", -2 * row), format!("t{row}")].to_vec())
        .collect();
    let weights = automatic_weights(&counted(&problem("a b c", &rows, &[])));
    for weight in &weights {
        assert!(almost_equal(*weight, 1.0 / 3.0), "{weights:?}");
    }
    let alone = automatic_weights(&counted(&problem("a", &[vec!["1".to_owned()]], &[])));
    assert_eq!(alone, [1.0]);
}

#[test]
fn automatic_weights_of_random_tables_are_what_the_definition_says() {
    for seed in 0..60 {
        let rng = &mut Rng::with_seed(seed);
        let is_number: Vec<bool> = (0..rng.usize(2..=4)).map(|_| rng.bool()).collect();
        let rows: Vec<Vec<String>> = (0..rng.usize(4..40))
            .map(|_| {
                let shared = rng.u32(0..3);
                let cell = |is_number: &bool| {
                    let value = if rng.bool() { shared } else { rng.u32(0..4) };
                    match is_number {
                        true => value.to_string(),
                        false => format!("v{value}"),
                    }
                };
                is_number.iter().map(cell).collect()
            })
            .collect();
        let names = &["a", "b", "c", "d"][..is_number.len()];
        let table = counted(&problem(&names.join(" "), &rows, &[]));
        let column = |at: usize| rows.iter().map(|row| row[at].clone()).collect::<Vec<_>>();
        let free: Vec<f64> = (0..names.len())
            .map(|one| {
                let others = (0..names.len()).filter(|other| *other != one);
                let all: Vec<f64> = others
                    .map(|other| association(&column(one), &column(other)))
                    .collect();
                1.0 - all.iter().sum::<f64>() / all.len() as f64
            })
            .collect();
        let total: f64 = free.iter().sum();
        let weights = automatic_weights(&table);
        // Columns that tell each other everything share what there is to tell.
        let equal = 1.0 / names.len() as f64;
        let is_told = total < 1e-9;
        let expected = (free.iter()).map(|free| if is_told { equal } else { free / total });
        for (weight, expected) in weights.iter().zip(expected) {
            assert!((weight - expected).abs() < 1e-9, "seed {seed}: {weights:?}");
        }
        let spec = "research-value(weighting=auto)"
            .parse::<MetricSpec>()
            .unwrap();
        let value = ResearchValue::new(spec.given(), &table).unwrap();
        assert_eq!(value.of_level(0, Level(0)).weight, weights[0]);
    }
}

/// The paper's ages are whole numbers: nobody is between 10 and 11.
#[test]
fn two_boundaries_without_a_value_between_them_are_two_rules() {
    let table = paper();
    let both = "rules=\"age: 10|11 = 5 ; age: 10.5|11 = 7\"";
    let both = metric(both, &table).unwrap();
    let of_raw_values = both.of_level(0, Level(0));
    assert_eq!(of_raw_values.kept, [true, true]);
    // The same numbers in other digits are the same boundary.
    let same = "rules=\"age: 10|11 = 5 ; age: 10.0|11 = 7\"";
    assert_eq!(metric(same, &table).unwrap_err().code(), "rule-repeated");
}

#[test]
fn what_cannot_be_meant_is_refused_with_what_to_write_instead() {
    let table = paper();
    let refused = |settings: &str| metric(settings, &table).unwrap_err();
    let rule = |rule: &str| refused(&format!("rules=\"{rule}\""));
    for (error, code, hint) in [
        (rule("zip: 1|2 = 5"), "rule-column", "add `zip` to `-q`"),
        (rule("race: White != white = 5"), "rule-value", "spelling"),
        (rule("race: 1|2 = 5"), "rule-not-numeric", "!="),
        (rule("age: 1|two = 5"), "rule-not-numeric", "64|65"),
        (rule("age: 50|51 = 5"), "rule-outside", "boundary"),
        (rule("age: 0|1 = 5"), "rule-outside", "boundary"),
        (rule("age: 11|10 = 5"), "rule-contradictory", "lesser"),
        (
            rule("race: White != White = 5"),
            "rule-contradictory",
            "one side",
        ),
        (
            rule("race: {White, Other} != {Black, White} = 5"),
            "rule-contradictory",
            "one side",
        ),
        (
            rule("race: White != Black = 5 ; race: Black != White = 7"),
            "rule-repeated",
            "keep one",
        ),
        (
            rule("age: 10|11 = 5 ; age: 10|11 = 5"),
            "rule-repeated",
            "keep one",
        ),
        (
            refused("weights=age:0.5;race:0.4"),
            "weights-sum",
            "--weights equal",
        ),
        (refused("weights=age:1.5"), "weights-sum", "--weight age"),
        (
            refused("weights=zip:1"),
            "metric-column-unknown",
            "quasi-identifiers",
        ),
        (
            refused("level-values=age:1/0"),
            "level-values",
            "each level",
        ),
        (
            refused("level-values=zip:1/0"),
            "metric-column-unknown",
            "quasi-identifiers",
        ),
    ] {
        assert_eq!(error.code(), code, "{error}");
        assert!(error.hint().contains(hint), "{error}: {}", error.hint());
    }
    let sum = refused("weights=age:0.3;race:0.4").to_string();
    assert!(sum.contains("sum to 0.7, not to 1"), "{sum}");
    for settings in [
        "base=-1",
        "weights=age:-1;race:2",
        "rules=\"age: 10|11 = -5\"",
        "rules=\"nonsense\"",
        "granularity-exponent=-1",
        "weighting=fair",
    ] {
        let error = refused(settings);
        assert!(matches!(error, Error::SettingOutOfRange { .. }), "{error}");
    }
    // The least and the greatest number are inside.
    for boundary in ["1|2", "49|50"] {
        metric(&format!("rules=\"age: {boundary} = 1\""), &table).unwrap();
    }
    // A few digits are near enough.
    metric("weights=age:0.333333;race:0.666667", &table).unwrap();
}
