//! A release and its table side by side: random counts, distributions, associations, and the rules of a target.

use super::meanings::{Judged, Released};
use super::predict::Target;
use crate::report::evaluation::{
    Associated, ColumnDistance, Partitioning, QueriesAnswered, RuleBucket,
};
use incrowd_core::counts::{LeafOrder, LeafSet};
use incrowd_core::utility::{Cover, OverlappingGroups, Published, PublishedAttribute, QueryError};
use incrowd_learn::partitioning::{Condition, Rule, partition};
use incrowd_learn::{AssociationMeasure, Column, DistanceMeasure, Sample, association, distance};

/// How many counts are asked for.
const QUERIES: usize = 1000;

/// Asks the raw table and the release.
pub(super) fn queries(judged: &Judged, released: &Released, seed: u64) -> QueriesAnswered {
    let metric = QueryError::asking(QUERIES, seed, &judged.table);
    let covers: Vec<OverlappingGroups> = (released.columns.iter())
        .zip(judged.table.attributes.iter().map(LeafOrder::new))
        .map(|(column, order)| OverlappingGroups {
            leaves: (column.meanings.iter())
                .map(|meaning| order.set(meaning.values.iter().copied()))
                .collect(),
            rows: Vec::new(),
            order,
        })
        .collect();
    let leaves: Vec<Vec<u32>> = (covers.iter())
        .map(|cover| cover.leaves.iter().map(LeafSet::len).collect())
        .collect();
    let attributes: Vec<PublishedAttribute<'_>> = (covers.iter().zip(&leaves))
        .map(|(cover, leaves)| PublishedAttribute {
            level: None,
            cover: Cover::Overlapping(cover),
            leaves,
            rows: &[],
            rows_suppressed: &[],
            leaves_suppressed: &[],
        })
        .collect();
    let mut rows: Vec<u32> = (0..released.rows).collect();
    let codes = |row: &u32| -> Vec<u32> {
        let columns = released.columns.iter();
        columns.map(|column| column.codes[*row as usize]).collect()
    };
    rows.sort_by_cached_key(codes);
    let classes: Vec<&[u32]> = rows
        .chunk_by(|one, other| codes(one) == codes(other))
        .collect();
    let sizes: Vec<u32> = classes.iter().map(|class| class.len() as u32).collect();
    let mut errors = metric.errors(&Published {
        table: &judged.table,
        rows_suppressed: judged.table.rows.saturating_sub(released.rows),
        attributes: &attributes,
        sizes: &sizes,
        is_safe: &vec![true; sizes.len()],
        groups: &classes
            .iter()
            .flat_map(|class| codes(&class[0]))
            .collect::<Vec<_>>(),
        target: None,
    });
    let asked = errors.len();
    let mean = errors.iter().sum::<f64>() / asked.max(1) as f64;
    errors.sort_by(f64::total_cmp);
    let middle = |at: usize| errors.get(at).copied().unwrap_or(0.0);
    QueriesAnswered {
        asked: asked as u64,
        median_relative_error: (middle(asked.saturating_sub(1) / 2) + middle(asked / 2)) / 2.0,
        mean_relative_error: mean,
    }
}

/// How far each column is from the raw one.
pub(super) fn distances(judged: &Judged, released: &Released) -> Vec<ColumnDistance> {
    let columns = judged.columns.iter().zip(&released.columns);
    let columns = judged.names.iter().zip(columns);
    let distances = columns.map(|(name, (raw, released))| ColumnDistance {
        name: name.clone(),
        distance: distance(raw, released),
        measure: DistanceMeasure::of(&raw.domain).name().to_owned(),
    });
    distances.collect()
}

/// How strongly each two columns depend on each other, and how many pairs have too many values to tell.
pub(super) fn associations(
    judged: &Judged,
    released: Option<&Released>,
) -> (Vec<Associated>, usize) {
    let mut found = Vec::new();
    let mut skipped = 0;
    let raw = &judged.columns;
    for one in 0..raw.len() {
        for other in one + 1..raw.len() {
            if incrowd_learn::association::is_too_large(&raw[one], &raw[other]) {
                skipped += 1;
                continue;
            }
            let of = |columns: &[Column]| association(&columns[one], &columns[other]);
            found.push(Associated {
                columns: [judged.names[one].clone(), judged.names[other].clone()],
                raw: of(raw),
                release: released.map(|released| of(&released.columns)),
                measure: AssociationMeasure::of(&raw[one], &raw[other])
                    .name()
                    .to_owned(),
            });
        }
    }
    (found, skipped)
}

/// The rules that tell most about a target.
pub(super) fn partitioning(
    judged: &Judged,
    released: Option<&Released>,
    target: &Target<'_>,
    name: &str,
    cuts: usize,
) -> Partitioning {
    Partitioning {
        target: name.to_owned(),
        raw: pattern(judged, target, cuts).buckets,
        release: released.map(|released| released_buckets(judged, released, target, cuts)),
    }
}

/// What recursive partitioning finds.
pub(super) struct Pattern {
    /// For people.
    pub(super) buckets: Vec<RuleBucket>,
    /// For programs, in the same order.
    pub(super) parts: Vec<Part>,
}

/// A bucket.
pub(super) struct Part {
    /// What its rows have in common.
    pub(super) conditions: Vec<Condition>,
    /// The class that most of them have.
    pub(super) majority: u32,
}

/// What the raw rows tell about a target.
pub(super) fn pattern(judged: &Judged, target: &Target<'_>, cuts: usize) -> Pattern {
    pattern_in(&judged.columns, target, cuts, (judged, None))
}

/// What released rows tell about a target.
pub(super) fn released_buckets(
    judged: &Judged,
    released: &Released,
    target: &Target<'_>,
    cuts: usize,
) -> Vec<RuleBucket> {
    pattern_in(&released.columns, target, cuts, (judged, Some(released))).buckets
}

fn pattern_in(
    columns: &[Column],
    target: &Target<'_>,
    cuts: usize,
    (judged, released): (&Judged, Option<&Released>),
) -> Pattern {
    let names: Vec<String> = (target.features().iter())
        .map(|&feature| judged.names[feature].clone())
        .collect();
    let texts: Vec<Vec<String>> = (target.features().iter())
        .map(|&at| match released {
            Some(released) => judged.released_texts(released, at),
            None => judged.raw_texts(at),
        })
        .collect();
    let rows = 0..columns.first().map_or(0, |column| column.codes.len()) as u32;
    let (classes, rows) = target.classes(columns, &rows.collect::<Vec<_>>());
    let features = target.features_of(columns);
    let sample = Sample {
        features: &features,
        classes: &classes,
        class_count: target.class_count(),
        rows: &rows,
    };
    let found = partition(&sample, cuts).into_iter().map(|bucket| {
        let rule = Rule {
            conditions: &bucket.conditions,
            names: &names,
            texts: &texts,
        };
        let told = RuleBucket {
            rule: rule.to_string(),
            rows: bucket.rows.len() as u64,
            share: f64::from(bucket.majority_rows) / bucket.rows.len().max(1) as f64,
            majority: target.class_text(bucket.majority).to_owned(),
            overlapping_rows: released.map(|_| bucket.overlapping_rows.into()),
        };
        let part = Part {
            conditions: bucket.conditions,
            majority: bucket.majority,
        };
        (told, part)
    });
    let (buckets, parts) = found.unzip();
    Pattern { buckets, parts }
}
