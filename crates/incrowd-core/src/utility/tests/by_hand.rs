//! Losses worked out on paper.

use super::sample::{Sample, SampleColumn, metric};
use crate::table::Kind;
use crate::utility::{Known, METRICS, MetricSpec, QueryError};

/// ages 20, 24, 30, 40 under two intervals; two sexes. Eight rows:
/// 20 F ×2, 24 F, 24 M, 30 M ×2, 40 M, 40 F; the targets 0, 0, 1, 0, 1, 1, 0, 1.
fn people() -> Sample {
    let ages = SampleColumn::new(
        Kind::Number,
        &["20 20-29 *", "24 20-29 *", "30 30-49 *", "40 30-49 *"],
    );
    let sexes = SampleColumn::new(Kind::Text, &["F *", "M *"]);
    let rows = [
        ([0, 0], 0),
        ([0, 0], 0),
        ([1, 0], 1),
        ([1, 1], 0),
        ([2, 1], 1),
        ([2, 1], 1),
        ([3, 1], 0),
        ([3, 0], 1),
    ];
    Sample {
        columns: vec![ages, sexes],
        rows: rows
            .iter()
            .map(|(leaves, target)| (leaves.to_vec(), *target))
            .collect(),
    }
}

#[track_caller]
fn assert_loss(spec: &str, levels: &[u8], k: u32, expected: f64) {
    let sample = people();
    let table = sample.table();
    let loss = (sample.at_least(levels, k)).loss(&table, &*metric(spec, &table));
    assert!(
        (loss - expected).abs() < 1e-12 * expected.max(1.0),
        "{spec} is {loss}, not {expected}"
    );
}

// Ages by interval, sexes raw, k = 2: the classes are 20-29 F (3 rows), 20-29 M (1), 30-49 M (3), 30-49 F (1);
// the second and the fourth are suppressed.

#[test]
fn height_is_the_sum_of_levels() {
    assert_loss("height", &[1, 0], 2, 1.0);
    assert_loss("height", &[2, 1], 2, 3.0);
}

#[test]
fn precision_counts_suppressed_rows_as_lost() {
    // ages (6 · 1/2 + 2) / 8 = 5/8, sexes 2/8
    assert_loss("precision", &[1, 0], 2, (5.0 / 8.0 + 2.0 / 8.0) / 2.0);
    assert_loss(
        "precision(weights=c0:3)",
        &[1, 0],
        2,
        (15.0 / 8.0 + 2.0 / 8.0) / 4.0,
    );
    assert_loss("precision(aggregate=maximum)", &[1, 0], 2, 5.0 / 8.0);
}

#[test]
fn discernibility_charges_all_rows_for_a_suppressed_one() {
    assert_loss("discernibility", &[1, 0], 2, 9.0 + 9.0 + 2.0 * 8.0);
    assert_loss("discernibility", &[1, 0], 1, 9.0 + 1.0 + 9.0 + 1.0);
    assert_loss("discernibility", &[1, 0], 9, 64.0);
}

#[test]
fn dm_star_does_not_see_suppression() {
    assert_loss("dm-star", &[1, 0], 2, 20.0);
}

#[test]
fn average_class_size_counts_the_suppressed_rows_as_one_class() {
    assert_loss("average-class-size", &[1, 0], 2, 8.0 / 3.0);
    assert_loss("average-class-size", &[1, 0], 1, 2.0);
    assert_loss("average-class-size", &[1, 0], 9, 8.0);
    assert_loss("average-class-size(k=2)", &[1, 0], 2, 6.0 / (2.0 * 2.0));
}

#[test]
fn loss_is_the_normalized_share_of_values() {
    // ages (6 · 1/2 + 2 - 8/4) / (8 - 8/4) = 1/2, sexes (6 · 1/2 + 2 - 8/2) / (8 - 8/2) = 1/4
    let (ages, sexes): (f64, f64) = (0.5, 0.25);
    assert_loss(
        "loss",
        &[1, 0],
        2,
        ((1.0 + ages) * (1.0 + sexes)).sqrt() - 1.0,
    );
    assert_loss("loss(aggregate=arithmetic-mean)", &[1, 0], 2, 0.375);
    assert_loss("loss(aggregate=sum)", &[1, 0], 2, 0.75);
    assert_loss("loss(aggregate=maximum)", &[1, 0], 2, 0.5);
    assert_loss("loss(aggregate=maximum,weights=c1:3)", &[1, 0], 2, 0.75);
    assert_loss("loss(aggregate=sum,weights=c0:2;c1:3)", &[1, 0], 2, 1.75);
    let weighted = (1.0 + ages).powf(0.75) * (1.0 + sexes).powf(0.25) - 1.0;
    assert_loss("loss(weights=c0:3)", &[1, 0], 2, weighted);
    assert_loss("loss", &[0, 0], 1, 0.0);
    assert_loss("loss", &[2, 1], 1, 1.0);
}

#[test]
fn entropy_counts_bits_and_suppressed_rows_again() {
    // Every age has 2 rows, every interval 4: one bit per row. Suppressed: one row in each interval, one of each
    // sex, two rows: one bit each again in both columns.
    assert_loss("non-uniform-entropy", &[1, 0], 2, 8.0 + 2.0 + 2.0);
    assert_loss("non-uniform-entropy", &[1, 1], 2, 8.0 + 8.0);
    assert_loss("non-uniform-entropy(aggregate=maximum)", &[1, 0], 2, 10.0);
}

#[test]
fn ncp_measures_numbers_by_their_span_and_text_by_its_leaves() {
    // ages: 3 rows 4/20, 3 rows 10/20, 2 suppressed; sexes: 2 suppressed
    let ages = 3.0 * 0.2 + 3.0 * 0.5 + 2.0;
    assert_loss("ncp", &[1, 0], 2, (ages + 2.0) / 16.0);
    assert_loss(
        "ncp(weights=c1:3)",
        &[1, 0],
        2,
        (ages + 3.0 * 2.0) / (4.0 * 8.0),
    );
    assert_loss("ncp", &[0, 1], 1, 8.0 / 16.0);
}

#[test]
fn ambiguity_counts_raw_tuples() {
    assert_loss("ambiguity", &[1, 0], 2, (6.0 * 2.0 + 2.0 * 8.0) / 8.0);
    assert_loss("ambiguity", &[0, 0], 1, 1.0);
}

#[test]
fn the_divergence_is_what_a_row_tells_beyond_its_class() {
    // Each published class has two rows of one tuple and one of another, and two tuples to choose from; the two
    // suppressed rows could be any of eight.
    let class = 2.0 * (2.0f64 * 2.0 / 3.0).log2() + (2.0f64 / 3.0).log2();
    let lost = 2.0 * (8.0f64 / 2.0).log2();
    assert_loss("kl-divergence", &[1, 0], 2, (2.0 * class + lost) / 8.0);
    assert_loss("kl-divergence", &[0, 0], 1, 0.0);
}

#[test]
fn queries_are_those_of_the_seed_and_raw_rows_answer_them_without_error() {
    let table = people().table();
    let queries = |seed| -> Vec<_> { QueryError::asking(50, seed, &table).queries().collect() };
    assert_eq!(queries(1), queries(1));
    assert_ne!(queries(1), queries(2));
    // Ages from one to another, single sexes, both, and never the same column twice.
    let leaves = |at: usize| {
        queries(1)
            .into_iter()
            .flatten()
            .filter(move |of| of.0 == at)
    };
    assert!(leaves(0).any(|(_, of)| of.len() > 1) && leaves(0).all(|(_, of)| of.is_sorted()));
    assert!(leaves(1).all(|(_, of)| of.len() == 1));
    let columns = |query: &Vec<(usize, Vec<u32>)>| query.iter().map(|of| of.0).collect::<Vec<_>>();
    let mut seen: Vec<Vec<usize>> = queries(1).iter().map(columns).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, [vec![0], vec![0, 1], vec![1], vec![1, 0]]);
    assert_loss("query-error", &[0, 0], 1, 0.0);
}

#[test]
fn the_classification_metric_counts_minorities_and_suppressed_rows() {
    // 20-29 F has targets 0, 0, 1; 30-49 M has 1, 1, 0.
    let spec = "classification-metric(column=target)";
    assert_loss(spec, &[1, 0], 2, (2.0 + 1.0 + 1.0) / 8.0);
    assert_loss(spec, &[2, 1], 2, 4.0 / 8.0);
}

#[test]
fn dates_are_measured_in_days() {
    let days = SampleColumn::new(
        Kind::Date,
        &["2024-02-28 feb *", "2024-02-29 feb *", "2024-03-01 mar *"],
    );
    let sample = Sample {
        columns: vec![days],
        rows: vec![(vec![0], 0), (vec![1], 0), (vec![2], 0)],
    };
    let table = sample.table();
    let loss = sample
        .at_least(&[1], 1)
        .loss(&table, &*metric("ncp", &table));
    assert!((loss - 2.0 * 0.5 / 3.0).abs() < 1e-15);
}

#[test]
fn more_tuples_than_whole_numbers_can_count_are_still_averaged() {
    let lines: Vec<String> = (0..10).map(|leaf| format!("{leaf} *")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    for (columns, expected) in [(50, 1e50), (400, 1e290)] {
        let sample = Sample {
            columns: vec![SampleColumn::new(Kind::Text, &lines); columns],
            rows: vec![(vec![0; columns], 0), (vec![1; columns], 0)],
        };
        let table = sample.table();
        let metric = metric("ambiguity", &table);
        for release in [
            sample.at_least(&vec![1; columns], 1),
            sample.at_least(&vec![0; columns], 2),
        ] {
            let loss = release.loss(&table, &*metric);
            assert!((loss / expected - 1.0).abs() < 1e-9, "{loss}");
        }
        let floor = metric.floor(&sample.top(), Known::NOTHING).0;
        assert!(floor <= expected && floor > 0.99 * expected, "{floor}");
    }
}

#[test]
fn every_metric_is_found_by_its_name_and_tells_what_it_is() {
    let table = people().table();
    for entry in METRICS {
        let spec = MetricSpec::bare(entry).with_column(Some("target"));
        assert_eq!(spec.build(&table).unwrap().name(), entry.name);
        assert!((entry.kind.applies)(&table, true));
        for heading in ["Range", "Paper"] {
            assert!(entry.card.section(heading).is_some(), "{}", entry.name);
        }
    }
}

#[test]
fn columns_that_are_not_there_are_refused() {
    let table = people().table();
    for spec in [
        "loss(weights=zip:2)",
        "loss(weights=c0:0;c1:0)",
        "classification-metric",
        "classification-metric(column=zip)",
    ] {
        assert!(
            spec.parse::<MetricSpec>().unwrap().build(&table).is_err(),
            "{spec}"
        );
    }
}

#[test]
fn hdm_charges_the_rare_value_more_as_in_section_4_1_of_the_paper() {
    // 50 of 1000 rows are Inc, 200 are Not-inc; merged, each Inc row costs 4/19 and each Not-inc row 1/16.
    let labels = ["Inc", "Not-inc", "Other"].map(|value| {
        let group = if value == "Other" { "Other" } else { "Self" };
        vec![value.to_string(), group.to_string(), "*".to_string()]
    });
    let rows = (0..1000u32).map(|row| (vec![u32::from(row >= 50) + u32::from(row >= 250)], 0));
    let sample = Sample {
        columns: vec![SampleColumn {
            kind: Kind::Text,
            labels: labels.to_vec(),
        }],
        rows: rows.collect(),
    };
    let table = sample.table();
    let loss = sample
        .at_least(&[1], 1)
        .loss(&table, &*metric("hdm", &table));
    assert!((loss - (50.0 * 4.0 / 19.0 + 200.0 / 16.0)).abs() < 1e-9);
}
