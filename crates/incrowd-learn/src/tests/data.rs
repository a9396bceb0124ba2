//! Rows to learn from.

use crate::{Column, Domain, Meaning, Sample};
use incrowd_core::draw::Draw;
use std::sync::Arc;

/// How many of the made rows are learned from.
pub(super) const TRAINED: u32 = 200;

/// A table of two numbers and a text, raw and released, with what is to be predicted.
#[derive(Debug, Clone)]
pub(super) struct Made {
    pub(super) raw: Vec<Column>,
    pub(super) released: Vec<Column>,
    pub(super) two: Vec<u32>,
    pub(super) three: Vec<u32>,
    pub(super) scores: Vec<f64>,
}

/// 300 rows: ages from 20 to 59, hours in fives, four jobs. Released, ages are in fives, and the jobs of every other row
/// in pairs.
pub(super) fn made() -> Made {
    let mut draw = Draw::new(11);
    let mut column =
        |values: usize| -> Vec<u32> { (0..300).map(|_| draw.below(values) as u32).collect() };
    let (ages, hours, jobs, noise) = (column(40), column(10), column(4), column(20));
    let age = Arc::new(Domain::Numbers((20..60).map(f64::from).collect()));
    let hour = Arc::new(Domain::Numbers(
        (0..10).map(|it| f64::from(it) * 5.0).collect(),
    ));
    let job = Arc::new(Domain::Texts(4));
    let scores: Vec<u32> = (0..300)
        .map(|row| ages[row] + 2 * hours[row] + 6 * u32::from(jobs[row] == 2) + noise[row])
        .collect();
    let fives = (0..8).map(|it| Meaning::of_values(&age, (it * 5..it * 5 + 5).collect()));
    let mut some_jobs = Column::raw(job.clone(), jobs.clone()).meanings;
    some_jobs.extend([0, 2].map(|first| Meaning::of_values(&job, vec![first, first + 1])));
    let released_jobs = (0..).zip(&jobs).map(|(row, &job)| match row % 2 {
        0 => 4 + job / 2,
        _ => job,
    });
    let released = vec![
        Column {
            domain: age.clone(),
            meanings: fives.collect(),
            codes: ages.iter().map(|age| age / 5).collect(),
        },
        Column::raw(hour.clone(), hours.clone()),
        Column {
            domain: job.clone(),
            meanings: some_jobs,
            codes: released_jobs.collect(),
        },
    ];
    Made {
        raw: vec![
            Column::raw(age, ages),
            Column::raw(hour, hours),
            Column::raw(job, jobs),
        ],
        released,
        two: scores.iter().map(|&score| u32::from(score >= 40)).collect(),
        three: (scores.iter())
            .map(|&score| u32::from(score >= 30) + u32::from(score >= 45))
            .collect(),
        scores: scores.into_iter().map(f64::from).collect(),
    }
}

impl Made {
    pub(super) fn rows(&self) -> u32 {
        self.two.len() as u32
    }

    pub(super) fn sample<'a>(
        &'a self,
        table: &str,
        class_count: usize,
        rows: &'a [u32],
    ) -> Sample<'a> {
        Sample {
            features: if table == "raw" {
                &self.raw
            } else {
                &self.released
            },
            classes: if class_count == 2 {
                &self.two
            } else {
                &self.three
            },
            class_count,
            rows,
        }
    }
}

/// Random columns of a few rows: numbers and texts, some cells standing for several values.
pub(super) fn random_columns(rows: usize, rng: &mut fastrand::Rng) -> Vec<Column> {
    let column = |_| {
        let values = rng.u32(1..=6);
        let domain = Arc::new(match rng.bool() {
            true => Domain::Numbers((0..values).map(|it| f64::from(it * it % 7)).collect()),
            false => Domain::Texts(values as usize),
        });
        let meanings: Vec<Meaning> = (0..rng.u32(1..=5))
            .map(|_| {
                let mut some: Vec<u32> = (0..values).filter(|_| rng.u8(0..3) == 0).collect();
                if some.is_empty() {
                    some.push(rng.u32(0..values));
                }
                Meaning::of_values(&domain, some)
            })
            .collect();
        let codes = (0..rows)
            .map(|_| rng.u32(0..meanings.len() as u32))
            .collect();
        Column {
            domain,
            meanings,
            codes,
        }
    };
    (0..3).map(column).collect()
}
