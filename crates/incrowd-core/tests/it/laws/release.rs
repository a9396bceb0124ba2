//! What is published: ancestors of every row, recounted by text, verified against the original.

use super::{any_metric, for_every_model, in_turn, release_of};
use fastrand::Rng;
use incrowd_core::algorithms::ALGORITHMS;
use incrowd_core::counts::LeafOrder;
use incrowd_core::publish::{
    PublishedRows, Release, SuppressedRows, Tally, compare_with_original, verify_among,
};
use incrowd_core::recode::PublishedNumbers;
use incrowd_core::table::RowBatch;
use incrowd_core::utility::{Loss, MetricSpec};
use incrowd_testkit::oracle::{MissingPolicy, OracleProblem, stands_for};
use std::collections::{BTreeMap, BTreeSet};

/// The rows of a release, recoded in batches by clones of one recoder, and what they tallied.
fn recode(
    release: &Release<'_>,
    oracle: &OracleProblem,
    suppressed_rows: SuppressedRows,
    rng: &mut Rng,
) -> (Vec<Vec<String>>, Tally) {
    let recoder = release
        .recoder(&oracle.table.columns, &[], suppressed_rows)
        .unwrap();
    assert_eq!(recoder.names(), oracle.table.columns);
    let (mut rows, mut tally) = (Vec::new(), Tally::default());
    let mut start = 0;
    while start < oracle.table.rows.len() {
        let end = rng.usize(start + 1..=oracle.table.rows.len());
        let mut published = PublishedRows::default();
        let mut recoder = recoder.clone();
        recoder
            .recode(&oracle.table.batch(start..end), &mut published)
            .unwrap();
        tally.add(recoder.tally());
        rows.extend(texts(published.rows()));
        start = end;
    }
    (rows, tally)
}

fn texts(batch: &RowBatch) -> Vec<Vec<String>> {
    let text = |row, column| String::from_utf8(batch.cell(row, column).to_vec()).unwrap();
    (0..batch.rows())
        .map(|row| {
            (0..batch.columns())
                .map(|column| text(row, column))
                .collect()
        })
        .collect()
}

/// Whether a row that is published is suppressed, being `*` in every column.
fn is_starred(row: &[String]) -> bool {
    row.iter().all(|cell| cell == "*")
}

#[test]
fn a_release_publishes_ancestors_of_every_row_or_says_it_is_suppressed() {
    let mut turn = 0;
    for_every_model(60, |oracle, case, rng| {
        let prepared = oracle.prepare().expect(case);
        let metric = any_metric(oracle, rng);
        let built = prepared.metric(&metric).unwrap();
        let problem = prepared.problem(&*built);
        for algorithm in in_turn(&mut turn) {
            let Some(release) = release_of(algorithm, &problem, case) else {
                continue;
            };
            let (starred, tally) = recode(&release, oracle, SuppressedRows::Star, rng);
            release.confirm(&tally).expect(case);
            let (published, tally) = recode(&release, oracle, SuppressedRows::Drop, rng);
            release.confirm(&tally).expect(case);

            let rows = oracle.rows();
            assert_eq!(starred.len(), rows.len(), "{case}: rows counted");
            for (&row, published) in rows.iter().zip(&starred) {
                if is_starred(published) {
                    continue;
                }
                let mut expected = oracle.table.rows[row].clone();
                for column in oracle.counted_columns() {
                    let position = oracle.table.position(&column);
                    expected[position] = oracle.cell(row, position).to_owned();
                }
                for (at, (column, ways_up)) in oracle.quasi_identifiers.iter().enumerate() {
                    let position = oracle.table.position(column);
                    let raw = oracle.cell(row, position);
                    let way_up = ways_up.iter().find(|way| way[0] == raw).unwrap();
                    let published = &published[position];
                    expected[position].clone_from(match release.node() {
                        Some(node) => &way_up[node.level(at).index()],
                        // A set stands for a group whose label would be read as another.
                        None if published.starts_with(['{', '[']) => published,
                        None => way_up.iter().find(|it| *it == published).expect(case),
                    });
                }
                assert_eq!(*published, expected, "{case}: row {row}");
            }
            let kept = starred.iter().filter(|row| !is_starred(row));
            assert!(
                kept.clone().eq(&published),
                "{case}: dropped or starred, others stay"
            );

            assert_eq!(published.len(), release.rows_published() as usize, "{case}");
            let accounted =
                release.rows_published() + release.rows_suppressed() + prepared.table.rows_excluded;
            assert_eq!(accounted as usize, oracle.table.rows.len(), "{case}");
            assert!(release.rows_suppressed() as usize <= oracle.max_suppressed);
            recount(oracle, &published, &release, case);
        }
    });
}

/// For each published row, the people of the population it could be about.
fn people(
    oracle: &OracleProblem,
    published: &[Vec<String>],
    release: &Release<'_>,
) -> Vec<BTreeSet<usize>> {
    let people = oracle.people();
    let is_about = |row: &Vec<String>, person: &[String]| {
        let mut cells = person.iter().zip(&oracle.quasi_identifiers).enumerate();
        cells.all(|(at, (cell, (column, hierarchy)))| {
            let text = &row[oracle.table.position(column)];
            match release.node() {
                Some(node) => {
                    let way_up = hierarchy.iter().find(|way| way[0] == *cell).unwrap();
                    way_up[node.level(at).index()] == *text
                }
                None => stands_for(hierarchy, text, cell),
            }
        })
    };
    let about = |row: &Vec<String>| {
        let all = 0..people.len();
        all.filter(|&person| is_about(row, people[person]))
            .collect()
    };
    published.iter().map(about).collect()
}

/// Judges published rows by nothing but their texts: every crowd keeps every promise, and the numbers reported
/// are right.
fn recount(oracle: &OracleProblem, published: &[Vec<String>], release: &Release<'_>, case: &str) {
    let positions: Vec<usize> = (oracle.quasi_identifiers.iter())
        .map(|(column, _)| oracle.table.position(column))
        .collect();
    let matches_any = oracle.missing == MissingPolicy::MatchAny;
    let alike = |one: &[String], other: &[String]| {
        positions.iter().all(|&at| {
            let is_missing = one[at].is_empty() || other[at].is_empty();
            one[at] == other[at] || matches_any && is_missing
        })
    };
    let value = |row: &[String], at: usize| match oracle.missing_tokens.contains(&row[at]) {
        true => String::new(),
        false => row[at].clone(),
    };
    let is_about_people = oracle.models.iter().any(|it| it.promise.is_about_people());
    let people = match is_about_people {
        true => people(oracle, published, release),
        false => vec![BTreeSet::new(); published.len()],
    };
    let looks: Vec<Vec<&str>> = (published.iter())
        .map(|row| positions.iter().map(|&at| row[at].as_str()).collect())
        .collect();
    let holds = oracle.holds_of_all(&looks);
    assert!(holds, "{case}: the release as a whole");
    for (row, own) in published.iter().zip(&people) {
        let crowd: Vec<&Vec<String>> = published.iter().filter(|other| alike(row, other)).collect();
        for model in oracle
            .models
            .iter()
            .filter(|it| !it.promise.is_about_release())
        {
            if model.promise.is_about_people() {
                let among = people.iter().filter(|other| !own.is_disjoint(other));
                let holds = (model.promise).holds_among(crowd.len(), own.len(), among.count());
                assert!(holds, "{case}: {} is broken", model.spec());
                continue;
            }
            let columns = oracle.sensitive.iter().filter(|(column, _)| {
                model.column.is_none() || model.column.as_ref() == Some(column)
            });
            for (column, hierarchy) in columns {
                let position = oracle.table.position(column);
                let of_class: Vec<String> = crowd.iter().map(|row| value(row, position)).collect();
                let of_class: Vec<&str> = of_class.iter().map(String::as_str).collect();
                let of_table = oracle.values(&oracle.rows(), column);
                assert!(
                    model
                        .promise
                        .holds(&of_class, &of_table, hierarchy.as_ref()),
                    "{case}: {} is broken",
                    model.spec()
                );
            }
            if oracle.sensitive.is_empty() {
                let size = vec![""; crowd.len()];
                assert!(model.promise.holds(&size, &size, None), "{case}");
            }
        }
    }
    let mut sizes: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    for row in published {
        let look = positions.iter().map(|&at| row[at].as_str()).collect();
        *sizes.entry(look).or_default() += 1;
    }
    assert_eq!(release.classes(), sizes.len(), "{case}: classes");
    let smallest = sizes.values().copied().min().unwrap_or(0);
    assert_eq!(release.smallest_class() as usize, smallest, "{case}");
    let mut recounted: Vec<usize> = sizes.into_values().collect();
    let mut reported: Vec<usize> = release.class_sizes().map(|size| size as usize).collect();
    recounted.sort_unstable();
    reported.sort_unstable();
    assert_eq!(reported, recounted, "{case}: sizes of classes");
    for (attribute, &at) in positions.iter().enumerate() {
        let mut texts: BTreeMap<&str, u32> = BTreeMap::new();
        for row in published {
            *texts.entry(&row[at]).or_default() += 1;
        }
        let order = LeafOrder::new(&release.table().attributes[attribute]);
        let values = release.published_values(attribute, &order);
        let reported = values.iter().map(|value| (value.text, value.rows));
        assert!(reported.eq(texts), "{case}: texts of {attribute}");
        assert!(values.iter().all(|value| !value.cover.is_empty()), "{case}");
    }
    let spec: MetricSpec = "ncp".parse().expect(case);
    let width = spec.build(release.table()).expect(case);
    let of_attributes = release.loss_of_attributes(&*width).expect(case);
    let mean = of_attributes.iter().map(|loss| loss.0).sum::<f64>() / positions.len() as f64;
    assert!(release.loss(&*width).is_about(Loss(mean)), "{case}: width");
    assert!(
        release.reached().iter().all(|reached| reached.holds),
        "{case}"
    );
}

#[test]
fn a_release_verifies_and_stands_up_to_its_original() {
    for_every_model(40, |oracle, case, rng| {
        let prepared = oracle.prepare().expect(case);
        let metric = any_metric(oracle, rng);
        let built = prepared.metric(&metric).unwrap();
        let problem = prepared.problem(&*built);
        let Some(release) = release_of(ALGORITHMS[0], &problem, case) else {
            return;
        };
        for suppressed_rows in [SuppressedRows::Drop, SuppressedRows::Star] {
            let (mut published, _) = recode(&release, oracle, suppressed_rows, rng);
            published.retain(|row| !is_starred(row));
            if published.len() < release.rows_published() as usize {
                continue; // nothing but quasi-identifiers, published at the top
            }
            let (mut file, original) = oracle.counted_alike(published.clone()).expect(case);
            let population = original.table.population.as_deref();
            let verification = verify_among(&file, &original.models, population, None);
            assert!(verification.is_safe(), "{case}: {verification:?}");
            let counted = (verification.rows, verification.classes);
            let expected = (release.rows_published(), release.classes());
            assert_eq!(counted, expected, "{case}, {suppressed_rows:?}");
            assert_eq!(verification.smallest_class, release.smallest_class());
            let compared =
                compare_with_original(&file, &original.table, PublishedNumbers::Interval);
            assert_eq!(compared.violations, [], "{case}, {suppressed_rows:?}");
            let gone = release.rows_suppressed() + original.table.rows_excluded;
            assert_eq!(compared.rows_suppressed, gone, "{case}");

            // One row more than there was is noticed: every row of a published class is published.
            if let Some(row) = published.first().cloned() {
                published.push(row);
                file = oracle.counted_alike(published).expect(case).0;
                let compared =
                    compare_with_original(&file, &original.table, PublishedNumbers::Interval);
                assert_eq!(compared.rows_invented, 1, "{case}");
            }
        }
    });
}
