#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use incrowd_core::counts::{CountedTable, Missing, RowCounter};
use incrowd_core::hierarchy::{Hierarchy, automatic};
use incrowd_core::recode::Labels;
use incrowd_core::table::{Kind, RowBatch};

/// A table of one column, with a hierarchy such as `a n`, `b n` for each value or a built one.
fn table(cells: &[String], ways_up: &[&str]) -> CountedTable {
    let names = ["column".to_owned()];
    let mut batch = RowBatch::new(1);
    for cell in cells {
        batch.push_cell(cell.as_bytes());
    }
    let mut counter = RowCounter::new(&names, &[0], &[]);
    counter.add(&batch).unwrap();
    let hierarchy = match ways_up {
        [] => {
            let values = counter.values(0, &Missing::default());
            let chosen = automatic("column", &values, Kind::Number);
            chosen.unwrap().hierarchy
        }
        _ => {
            let rows: Vec<Vec<String>> = (ways_up.iter())
                .map(|way| way.split(' ').chain(["*"]).map(String::from).collect())
                .collect();
            Hierarchy::from_rows("column", &rows).unwrap()
        }
    };
    counter
        .finish(vec![hierarchy], Vec::new(), Missing::default())
        .unwrap()
}

/// The bars of a column of which these texts are published, with their rows and what they stand for.
fn spread(
    table: &CountedTable,
    published: &[(&str, u32, &[&str])],
    smallest_class: u32,
) -> (Vec<Spread>, Option<f64>) {
    let attribute = &table.attributes[0];
    let labels = Labels::new(attribute);
    let order = labels.order();
    let leaf = |text: &&str| attribute.hierarchy.leaf(text).unwrap().0;
    let values: Vec<PublishedValue<'_>> = (published.iter())
        .map(|(text, rows, stands_for)| PublishedValue {
            text,
            rows: *rows,
            cover: order.set(stands_for.iter().map(leaf)),
        })
        .collect();
    let column = Column {
        values: &values,
        rows: (0..order.len())
            .map(|position| attribute.rows_of_groups[0][order.leaf(position).index()])
            .collect(),
        text: &|position| attribute.hierarchy.text(order.leaf(position)),
        names_its_values: &|text| labels.names_its_values(text),
        first_number: order
            .numbers()
            .map(|numbers| numbers.partition_point(|number| number.is_nan()) as u32),
        rows_in: table.rows,
        smallest_class,
    };
    column.spread()
}

fn repeated(values: &[(&str, usize)]) -> Vec<String> {
    let cells = values
        .iter()
        .flat_map(|(value, rows)| vec![(*value).to_owned(); *rows]);
    cells.collect()
}

fn labels(bars: &[Spread]) -> Vec<&str> {
    bars.iter().map(|bar| bar.label.as_str()).collect()
}

#[test]
fn texts_that_do_not_overlap_are_bars_and_exact_if_nothing_is_suppressed() {
    let cells = repeated(&[("a", 3), ("b", 1), ("c", 4)]);
    let table = table(&cells, &["a n", "b n", "c s"]);
    let (bars, step) = spread(&table, &[("n", 4, &["a", "b"]), ("s", 4, &["c"])], 4);
    assert_eq!(labels(&bars), ["n", "s"]);
    assert_eq!((bars[0].before, bars[0].after), (Some(0.5), 0.5));
    assert_eq!(step, None);
}

#[test]
fn what_only_suppressed_rows_have_is_in_no_bar() {
    let cells = repeated(&[("a", 150), ("b", 1), ("c", 149)]);
    let table = table(&cells, &["a n", "b e", "c s"]);
    let (bars, step) = spread(&table, &[("n", 150, &["a"]), ("s", 149, &["c"])], 3);
    assert_eq!(labels(&bars), ["n", "s"]);
    assert_eq!(step, Some(0.01));
    // Nobody can tell from the shares where the suppressed row was.
    let shares: Vec<_> = bars.iter().map(|bar| (bar.before, bar.after)).collect();
    assert_eq!(shares, [(Some(0.5), 0.5), (Some(0.5), 0.5)]);
}

#[test]
fn a_small_table_is_not_shown_beside_a_release_that_suppresses_rows() {
    let cells = repeated(&[("a", 3), ("b", 1), ("c", 4)]);
    let table = table(&cells, &["a n", "b e", "c s"]);
    let (bars, step) = spread(&table, &[("n", 3, &["a"]), ("s", 4, &["c"])], 3);
    assert!(bars.iter().all(|bar| bar.before.is_none()), "{bars:?}");
    assert_eq!(step, None);
}

#[test]
fn numbers_of_regions_are_counted_from_one_published_bound_to_the_next() {
    // Ages 20 to 59, ten rows each; regions whose bounds are 20, 25, 40 and 50.
    let ages: Vec<String> = (20..60).map(|age: u32| age.to_string()).collect();
    let cells: Vec<String> = ages.iter().flat_map(|age| vec![age.clone(); 10]).collect();
    let table = table(&cells, &[]);
    let between = |low: usize, high: usize| -> Vec<&str> {
        ages[low - 20..=high - 20]
            .iter()
            .map(String::as_str)
            .collect()
    };
    let (low, wide, middle, high) = (
        between(20, 39),
        between(25, 59),
        between(40, 49),
        between(50, 59),
    );
    let published: [(&str, u32, &[&str]); 4] = [
        ("[20-39]", 150, &low),
        ("[25-59]", 70, &wide),
        ("[40-49]", 90, &middle),
        ("[50-59]", 90, &high),
    ];
    let (bars, step) = spread(&table, &published, 4);
    let expected = [
        "20 to under 25",
        "25 to under 40",
        "40 to under 50",
        "50 and above",
    ];
    assert_eq!(labels(&bars), expected);
    let before: Vec<f64> = bars.iter().filter_map(|bar| bar.before).collect();
    let near = |one: f64, other: f64| (one - other).abs() < 1e-9;
    assert!(near(before[0], 0.13) && near(before[1], 0.38), "{before:?}");
    // 150 rows over 20 ages, and 70 over 35: (5 x 7.5) / 400.
    assert!(near(bars[0].after, 0.09), "{bars:?}");
    assert!(near(bars[3].after, 0.28), "{bars:?}");
    assert_eq!(step, Some(0.01));
}

#[test]
fn a_label_of_the_hierarchy_is_no_bound() {
    let ages: Vec<String> = (20..40).map(|age: u32| age.to_string()).collect();
    let cells: Vec<String> = ages.iter().flat_map(|age| vec![age.clone(); 10]).collect();
    let ways_up: Vec<String> = (20..40).map(|age| format!("{age} young")).collect();
    let ways_up: Vec<&str> = ways_up.iter().map(String::as_str).collect();
    let table = table(&cells, &ways_up);
    let all: Vec<&str> = ages.iter().map(String::as_str).collect();
    let published: [(&str, u32, &[&str]); 2] = [("young", 190, &all), ("35", 10, &["35"])];
    let (bars, _) = spread(&table, &published, 4);
    assert_eq!(labels(&bars), ["under 35", "35 and above"]);
}

#[test]
fn other_values_of_regions_are_those_spelled_out_and_the_rest_of_a_label() {
    let cells = repeated(&[("a", 100), ("b", 50), ("c", 40), ("d", 10), ("e", 2)]);
    let table = table(&cells, &["a n", "b n", "c n", "d s", "e s"]);
    let published: [(&str, u32, &[&str]); 4] = [
        ("a", 60, &["a"]),
        ("n", 90, &["a", "b", "c"]),
        ("{b, d}", 30, &["b", "d"]),
        ("{d, e}", 20, &["d", "e"]),
    ];
    let (bars, _) = spread(&table, &published, 5);
    // Two rows are fewer than a class has, so `e` is not told apart from `d`.
    assert_eq!(
        labels(&bars),
        ["a", "b", "other values of n", "2 other values"]
    );
    let near = |one: f64, other: f64| (one - other).abs() < 0.013;
    assert!(near(bars[0].after, 90.0 / 200.0), "{bars:?}");
}

#[test]
fn long_lists_are_taken_together() {
    let cells: Vec<String> = (0..400u32).map(|row| (row % 40).to_string()).collect();
    let numbers = table(&cells, &[]);
    let texts: Vec<String> = (0..40u32).map(|value| value.to_string()).collect();
    let of_texts: Vec<[&str; 1]> = texts.iter().map(|text| [text.as_str()]).collect();
    let published: Vec<(&str, u32, &[&str])> = (of_texts.iter())
        .map(|text| (text[0], 10, &text[..]))
        .collect();
    let (bars, _) = spread(&numbers, &published, 10);
    assert_eq!(bars.len(), 10);
    assert_eq!(bars[0].label, "0 to 3");
    assert!(bars.iter().all(|bar| bar.before == Some(bar.after)));

    let words: Vec<String> = (0..20).map(|at| format!("w{at:02} all")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let values: Vec<(&str, usize)> = (words.iter())
        .map(|word| (word.split(' ').next().unwrap(), 5))
        .collect();
    let table = table(&repeated(&values), &words);
    let of_values: Vec<[&str; 1]> = values.iter().map(|(value, _)| [*value]).collect();
    let published: Vec<(&str, u32, &[&str])> = (of_values.iter())
        .map(|value| (value[0], 5, &value[..]))
        .collect();
    let (bars, _) = spread(&table, &published, 5);
    assert_eq!(bars.len(), MOST_BARS);
    assert_eq!(bars.last().unwrap().label, "9 other values");
}
