//! Numbers from papers and numbers worked by hand, most of them exactly on a bound.

use super::super::{ClassView, ModelSpec, Subject};
use super::{Class, model, numbers};
use crate::error::Error;
use crate::hierarchy::Hierarchy;
use crate::table::Kind;

/// Whether a class with these counts of the values 0, 1, ... keeps the promise.
fn holds(spec: &str, table: &[u32], counts: &[u32]) -> bool {
    model(spec, table).holds(&Class::new(counts).view())
}

fn measure(spec: &str, table: &[u32], counts: &[u32]) -> f64 {
    model(spec, table).measure(&Class::new(counts).view())
}

/// Li, Li, Venkatasubramanian, ICDE 2007, section 4: salaries 3k to 11k, one row each.
#[test]
fn ordered_distance_of_the_salary_table_is_as_printed() {
    let table = [1; 9];
    let low = [1, 1, 1, 0, 0, 0, 0, 0, 0];
    let spread = [0, 0, 0, 1, 0, 1, 0, 0, 1];
    let ordered = "t-closeness(t=0.375,distance=ordered)";
    assert_eq!(measure(ordered, &table, &low), 0.375);
    assert_eq!(measure(ordered, &table, &spread), 1.0 / 6.0);
    assert!(holds(ordered, &table, &low));
    assert!(!holds(
        "t-closeness(t=0.374999999,distance=ordered)",
        &table,
        &low
    ));
    assert!(holds(
        "t-closeness(t=0.166666667,distance=ordered)",
        &table,
        &spread
    ));
    assert!(!holds(
        "t-closeness(t=0.166666666,distance=ordered)",
        &table,
        &spread
    ));
    // The two are equally far when distances between salaries are.
    let equal = "t-closeness(t=0,distance=equal)";
    assert_eq!(measure(equal, &table, &low), 2.0 / 3.0);
    assert_eq!(measure(equal, &table, &spread), 2.0 / 3.0);
}

/// Hierarchical t-closeness of one class, by texts.
fn on_hierarchy<const N: usize>(rows: &[[&str; N]], table: &[&str], class: &[&str]) -> f64 {
    let mut counted = numbers(&[]);
    for text in table {
        let code = counted.values.encode(text).index();
        counted.rows_of_values.resize(counted.values.len(), 0);
        counted.rows_of_values[code] += 1;
    }
    counted.hierarchy = Some(Hierarchy::from_rows("disease", rows).expect("levels only merge"));
    let spec = "t-closeness(t=0.5,distance=hierarchical)".parse::<ModelSpec>();
    let spec = spec.expect("a model");
    let model = spec
        .build(Subject::column(0, &counted))
        .expect("listed values");
    let mut counts = vec![0; counted.values.len()];
    for text in class {
        counts[counted
            .values
            .lookup(text.as_bytes())
            .expect("in the table")
            .index()] += 1;
    }
    model.measure(&Class::new(&counts).view())
}

/// The same paper, section 4.3: flu and bronchitis meet at level 1 of 3, flu and pulmonary embolism at level 2, flu and
/// stomach cancer at level 3.
#[test]
fn hierarchical_distance_between_two_diseases_is_the_level_they_meet_at() {
    let rows = [
        ["flu", "respiratory infection", "respiratory system", "*"],
        [
            "bronchitis",
            "respiratory infection",
            "respiratory system",
            "*",
        ],
        [
            "pulmonary embolism",
            "vascular lung",
            "respiratory system",
            "*",
        ],
        ["stomach cancer", "stomach", "digestive system", "*"],
    ];
    let others = ["bronchitis", "pulmonary embolism", "stomach cancer"];
    for (thirds, other) in (1..).zip(others) {
        // Half of the table's rows are moved.
        let measure = on_hierarchy(&rows, &["flu", other, "flu", other], &["flu"]);
        assert_eq!(measure, f64::from(thirds) / 6.0);
    }
}

#[test]
fn hierarchical_distance_follows_the_hierarchy_not_the_codes() {
    let rows = [
        ["c", "x", "*"],
        ["a", "x", "*"],
        ["b", "y", "*"],
        ["d", "y", "*"],
        ["e", "z", "*"],
    ];
    // Half the rows move to a sibling, at level 1 of 2.
    let siblings = on_hierarchy(&rows, &["a", "b", "c", "d"], &["a", "b"]);
    assert_eq!(siblings, 0.25);
    // Half the rows move across the root.
    let strangers = on_hierarchy(&rows, &["a", "b", "c", "d"], &["a", "c"]);
    assert_eq!(strangers, 0.5);
}

#[test]
fn text_is_ordered_as_its_hierarchy_lists_it() {
    let mut text = numbers(&[]);
    text.kind = Kind::Text;
    for value in ["high", "low", "medium"] {
        text.values.encode(value);
        text.rows_of_values.push(1);
    }
    let spec: ModelSpec = "t-closeness(t=0.5,distance=ordered)"
        .parse()
        .expect("a model");
    let rows = [["low", "*"], ["medium", "*"], ["high", "*"]];
    text.hierarchy = Some(Hierarchy::from_rows("income", rows).expect("levels only merge"));
    let model = spec
        .build(Subject::column(0, &text))
        .expect("listed values");
    // All rows are high, and on average one rank of two away; then all are medium.
    assert_eq!(model.measure(&Class::new(&[1]).view()), 0.5);
    assert_eq!(model.measure(&Class::new(&[0, 0, 1]).view()), 1.0 / 3.0);
    assert_eq!(model.measure(&Class::new(&[1, 1]).view()), 1.0 / 6.0);
    text.hierarchy = Some(Hierarchy::from_rows("income", &rows[..2]).expect("levels only merge"));
    let refused = spec.build(Subject::column(0, &text));
    assert!(matches!(
        refused,
        Err(Error::ValuesOutsideHierarchy { values: 1, .. })
    ));
}

#[test]
fn a_distance_exactly_on_t_is_close() {
    // p = (7, 3)/10, q = (4, 6)/10: 0.3, which no float is.
    for n in [1, 10, 400_000_000] {
        let class = [7 * n.min(40_000_000), 3 * n.min(40_000_000)];
        let table = [4 * n, 6 * n];
        assert!(holds("t-closeness(t=0.3)", &table, &class));
        assert!(!holds("t-closeness(t=0.299999999)", &table, &class));
        assert!(holds("t-closeness(t=0.3,distance=ordered)", &table, &class));
        assert!(!holds(
            "t-closeness(t=0.299999999,distance=ordered)",
            &table,
            &class
        ));
        assert_eq!(measure("t-closeness(t=0.3)", &table, &class), 0.3);
    }
    assert!(holds("t-closeness(t=0)", &[20, 30], &[2, 3]));
    assert!(holds("t-closeness(t=1)", &[1, 4_000_000_000], &[1]));
}

#[test]
fn a_share_exactly_alpha_is_allowed() {
    // 0.29 * 100 is 28.999999999999996 in floating point.
    let table = [50, 50, 50, 50];
    assert!(holds(
        "alpha-k-anonymity(alpha=0.29,k=100)",
        &table,
        &[29, 24, 24, 23]
    ));
    assert!(!holds(
        "alpha-k-anonymity(alpha=0.28,k=100)",
        &table,
        &[29, 24, 24, 23]
    ));
    assert!(!holds(
        "alpha-k-anonymity(alpha=0.29,k=101)",
        &table,
        &[29, 24, 24, 23]
    ));
    assert!(holds(
        "alpha-k-anonymity(alpha=0.23,k=1,value=3)",
        &table,
        &[29, 24, 24, 23]
    ));
    assert!(!holds(
        "alpha-k-anonymity(alpha=0.23,k=1,value=2)",
        &table,
        &[29, 24, 24, 23]
    ));
    assert!(holds(
        "alpha-k-anonymity(alpha=0.01,k=1,value=3)",
        &table,
        &[5]
    ));
}

#[test]
fn a_value_on_one_lth_of_the_rows_is_allowed() {
    assert!(holds("frequency-l-diversity(l=3)", &[9, 9, 9], &[2, 2, 2]));
    assert!(!holds("frequency-l-diversity(l=3)", &[9, 9, 9], &[3, 2, 2]));
    assert!(holds(
        "frequency-l-diversity(l=2.1)",
        &[99, 99, 99],
        &[10, 10, 1]
    ));
    assert!(!holds(
        "frequency-l-diversity(l=2.100000001)",
        &[99, 99, 99],
        &[10, 10, 1]
    ));
    assert_eq!(
        measure("frequency-l-diversity(l=2)", &[99, 99, 99], &[10, 10, 1]),
        2.1
    );
}

#[test]
fn l_equally_frequent_values_are_entropy_l_diverse() {
    for l in 1..=300 {
        for count in [1, 3, 7, 1_000_003] {
            let table = vec![count; l];
            let spec = format!("entropy-l-diversity(l={l})");
            assert!(holds(&spec, &table, &table), "{l} times {count}");
            assert_eq!(
                measure(&spec, &table, &table),
                l as f64,
                "{l} times {count}"
            );
            assert!(!holds(
                &format!("entropy-l-diversity(l={l}.000001)"),
                &table,
                &table
            ));
        }
    }
    // One half and four eighths have two bits of entropy, as four equal values have.
    assert!(holds("entropy-l-diversity(l=4)", &[9; 5], &[4, 1, 1, 1, 1]));
    // Machanavajjhala et al., section 4.1: entropy diversity is broken by one frequent value.
    assert!(!holds(
        "entropy-l-diversity(l=2)",
        &[99, 99, 99],
        &[9, 1, 1]
    ));
}

#[test]
fn recursive_diversity_needs_less_than_c_times_the_tail() {
    let table = [9; 5];
    // r = 5 3 2 1 1, so for l = 3 the tail is 4.
    let counts = [1, 3, 5, 1, 2];
    assert!(!holds(
        "recursive-cl-diversity(c=1.25,l=3)",
        &table,
        &counts
    ));
    assert!(holds(
        "recursive-cl-diversity(c=1.250000001,l=3)",
        &table,
        &counts
    ));
    assert_eq!(
        measure("recursive-cl-diversity(c=2,l=3)", &table, &counts),
        1.25
    );
    // Fewer than l values, however many rows.
    assert!(!holds(
        "recursive-cl-diversity(c=1000,l=3)",
        &table,
        &[9, 9]
    ));
    assert_eq!(
        measure("recursive-cl-diversity(c=2,l=3)", &table, &[9, 9]),
        f64::INFINITY
    );
    // 100 values, more than are kept inline: 50 twice, the others once; the tail from the 60th on is 41.
    let many: Vec<u32> = (0..100).map(|value| 1 + value % 2).collect();
    assert_eq!(
        measure("recursive-cl-diversity(c=2,l=60)", &many, &many),
        2.0 / 41.0
    );
}

#[test]
fn a_ratio_of_exactly_two_to_the_delta_is_not_safe() {
    // p = 1/2 and q = 1/4: one bit.
    let (table, class) = ([10, 30], [5, 5]);
    assert!(!holds("delta-disclosure(delta=1)", &table, &class));
    assert!(holds("delta-disclosure(delta=1.000000001)", &table, &class));
    assert_eq!(measure("delta-disclosure(delta=1)", &table, &class), 1.0);
    // And one bit the other way: p = 1/4, q = 1/2.
    assert!(!holds("delta-disclosure(delta=1)", &[20, 20], &[5, 15]));
    assert!(holds(
        "delta-disclosure(delta=1.000000001)",
        &[20, 20],
        &[5, 15]
    ));
    assert!(holds(
        "delta-disclosure(delta=64)",
        &[1, u32::MAX - 1],
        &[1, 1]
    ));
    assert!(holds(
        "delta-disclosure(delta=0.000000001)",
        &[20, 20],
        &[5, 5]
    ));
}

#[test]
fn an_absent_value_is_infinitely_far_unless_ignored() {
    let (table, class) = ([10, 10, 2], [5, 5]);
    assert!(!holds("delta-disclosure(delta=30)", &table, &class));
    assert!(holds(
        "delta-disclosure(delta=30,absent=ignore)",
        &table,
        &class
    ));
    assert_eq!(
        measure("delta-disclosure(delta=30)", &table, &class),
        f64::INFINITY
    );
    assert!(
        (measure("delta-disclosure(delta=1,absent=ignore)", &table, &class) - 1.1f64.log2()).abs()
            < 1e-15
    );
}

#[test]
fn a_gain_of_exactly_beta_is_allowed() {
    // q = 1/10, p = 13/100: a gain of 0.3.
    let (table, class) = ([100, 900], [13, 87]);
    assert!(holds("beta-likeness(beta=0.3)", &table, &class));
    assert!(!holds("beta-likeness(beta=0.299999999)", &table, &class));
    assert_eq!(measure("beta-likeness(beta=0.3)", &table, &class), 0.3);
}

#[test]
fn enhanced_likeness_keeps_frequent_values_uncertain() {
    // q = 1/2 may gain ln 2 = 0.693 times itself, whatever beta: up to p = 0.8465.
    let table = [500, 500];
    assert!(holds("beta-likeness(beta=4,kind=basic)", &table, &[100]));
    assert!(!holds(
        "beta-likeness(beta=4,kind=enhanced)",
        &table,
        &[100]
    ));
    assert!(holds(
        "beta-likeness(beta=4,kind=enhanced)",
        &table,
        &[846, 154]
    ));
    assert!(!holds(
        "beta-likeness(beta=4,kind=enhanced)",
        &table,
        &[847, 153]
    ));
    assert_eq!(
        measure("beta-likeness(beta=4,kind=enhanced)", &table, &[847, 153]),
        f64::INFINITY
    );
    // A column with one value has nothing to learn.
    assert!(holds("beta-likeness(beta=0.1,kind=enhanced)", &[7], &[3]));
}

#[test]
fn sizes_and_distinct_values_are_counted() {
    let table = [9, 9, 9];
    assert!(holds("p-sensitive-k-anonymity(p=2,k=5)", &table, &[4, 1]));
    assert!(!holds("p-sensitive-k-anonymity(p=3,k=5)", &table, &[4, 1]));
    assert!(!holds("p-sensitive-k-anonymity(p=2,k=6)", &table, &[4, 1]));
    assert!(holds("distinct-l-diversity(l=2)", &table, &[4, 1]));
    assert!(!holds("distinct-l-diversity(l=3)", &table, &[4, 1]));
    let k5 = model("k-anonymity(k=5)", &table);
    assert!(k5.holds(&ClassView::of_size(5)) && !k5.holds(&ClassView::of_size(4)));
}

#[test]
fn values_that_no_row_has_count_for_nothing() {
    let table = [1, 0, 1, 0, 1];
    assert_eq!(
        measure("t-closeness(t=1,distance=ordered)", &table, &[1]),
        0.5
    );
    assert!(holds("delta-disclosure(delta=1)", &table, &[1, 0, 1, 0, 1]));
}

#[test]
fn ordered_distance_is_the_same_searched_and_summed() {
    // 200 values: gaps of 99, which are searched, and of 1, which are summed.
    let table: Vec<u32> = (0..200).map(|value| 1 + value * value % 7).collect();
    let mut counts = [0; 200];
    for (value, count) in [(0, 1), (99, 4), (100, 2), (199, 3)] {
        counts[value] = count;
    }
    let rows: u32 = table.iter().sum();
    let (mut difference, mut amount) = (0i64, 0i64);
    for (&count, &in_table) in counts.iter().zip(&table).take(199) {
        difference += i64::from(count * rows) - i64::from(in_table * 10);
        amount += difference.abs();
    }
    let expected = amount as f64 / (199 * 10 * rows) as f64;
    let ordered = "t-closeness(t=0.5,distance=ordered)";
    assert_eq!(measure(ordered, &table, &counts), expected);
}

#[test]
fn models_that_cannot_fit_the_column_say_why() {
    let build = |text: &str, column| {
        let spec: ModelSpec = text.parse().expect("a model");
        spec.build(column).map(|model| model.describe(None))
    };
    let salary = numbers(&[1, 1]);
    let mut text = numbers(&[1, 1]);
    text.kind = Kind::Text;
    let no_column = build("t-closeness(t=0.2)", Subject::default());
    assert!(matches!(no_column, Err(Error::ModelNeedsColumn { .. })));
    let unordered = build(
        "t-closeness(t=0.2,distance=ordered)",
        Subject::column(0, &text),
    );
    assert!(matches!(unordered, Err(Error::ColumnHasNoOrder { .. })));
    let flat = build(
        "t-closeness(t=0.2,distance=hierarchical)",
        Subject::column(0, &text),
    );
    assert!(matches!(flat, Err(Error::ColumnHasNoHierarchy { .. })));
    let unknown = build(
        "alpha-k-anonymity(alpha=0.2,k=2,value=7)",
        Subject::column(0, &salary),
    );
    assert!(
        matches!(&unknown, Err(error @ Error::NoSuchValue { .. }) if !error.to_string().contains('7'))
    );
    let incomplete = build("alpha-k-anonymity(alpha=0.2)", Subject::column(0, &salary));
    assert!(matches!(
        incomplete,
        Err(Error::MissingSetting { setting: "k", .. })
    ));
}

#[test]
fn one_model_is_built_per_sensitive_column_unless_one_is_named() {
    let mut columns = vec![numbers(&[1, 1]), numbers(&[1, 1]), numbers(&[1, 1])];
    columns[2].name = "disease".into();
    let built = |text: &str, sensitive: &[usize]| {
        let spec: ModelSpec = text.parse().expect("a model");
        let models = spec.build_all(&columns, sensitive)?;
        Ok::<_, Error>(
            models
                .iter()
                .map(|model| model.column())
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(built("k-anonymity(k=2)", &[0, 2]), Ok(vec![None]));
    assert_eq!(
        built("distinct-l-diversity(l=2)", &[0, 2]),
        Ok(vec![Some(0), Some(2)])
    );
    assert_eq!(
        built("distinct-l-diversity(l=2,column=disease)", &[0, 2]),
        Ok(vec![Some(2)])
    );
    let other = built("distinct-l-diversity(l=2,column=disease)", &[0, 1]);
    assert!(matches!(other, Err(Error::NotASensitiveColumn { .. })));
    assert!(matches!(
        built("distinct-l-diversity(l=2)", &[]),
        Err(Error::ModelNeedsColumn { .. })
    ));
}
