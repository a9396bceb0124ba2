//! Does the pattern survive? The comparison of the paper on research values, on any table: a pattern is found in the raw
//! rows by recursive partitioning, and searched for in the releases of several algorithms.
//!
//! S. M. Morton, An Improved Utility Driven Approach Towards k-Anonymity Using Data Constraint Rules, Ph.D. thesis,
//! tables 13 to 17.

use super::compared::{self, Pattern};
use super::meanings::Released;
use super::predict::Target;
use super::{EvaluateOptions, Question};
use crate::error::Error;
use crate::report::comparison::RunFailed;
use crate::report::outcome::{Outcome, VERSION};
use crate::report::survival::{BucketSurvived, SurvivalRow, SurvivalStudy, Survived};
use crate::run::control::Control;
use crate::run::files;
use crate::spec::Job;
use incrowd_core::privacy::ModelSpec;
use incrowd_io::{Claims, write_atomically};
use incrowd_learn::partitioning::follow;
use incrowd_plot::{Around, Line, Point, lines};
use std::path::{Path, PathBuf};

/// Those of the paper.
const KS: [u32; 3] = [3, 5, 10];

/// The optimizers and the clusterings of the paper; then what else people would take.
const ALGORITHMS: [&str; 11] = [
    "rv-global",
    "rv-local",
    "rv-hybrid",
    "rv-distributed",
    "rv-cluster",
    "rv-cluster-suppress",
    "ncp-cluster",
    "euclidean-cluster",
    "mondrian",
    "finest",
    "optimal",
];

/// How often the rows are cut to find a pattern: the paper has three buckets and the rest.
const CUTS: usize = 3;

/// What to study.
#[derive(Debug, Clone, Default)]
pub struct SurvivalOptions {
    /// The class sizes requested; those of the paper if not given.
    pub parameters: Option<Vec<u32>>,
    /// The folder for plots.
    pub plot: Option<PathBuf>,
}

/// Finds a pattern in the raw rows, and what becomes of it in releases.
pub fn study_survival(
    job: &Job,
    options: &SurvivalOptions,
    control: &Control,
) -> Result<SurvivalStudy, Error> {
    let targets = job.columns.target.as_deref().unwrap_or_default();
    let [target] = targets else {
        return Err(Error::SurvivalTarget);
    };
    let ks = match (&options.parameters, asked_k(job)?) {
        (Some(parameters), _) => parameters.clone(),
        (None, Some(k)) => vec![k],
        (None, None) => KS.to_vec(),
    };
    if let Some(folder) = &options.plot {
        std::fs::create_dir_all(folder).map_err(|error| Error::Folder {
            path: folder.clone(),
            kind: error.kind(),
        })?;
    }
    let mut job = job.clone();
    let names = job.columns.quasi_identifiers.clone().unwrap_or_default();
    if names.contains(target) {
        // As in the paper: all columns are generalized, the one that the pattern is about too.
        job.columns.target = None;
    }
    // Each algorithm by its own metric; all are judged by the research value.
    job.search.metric = None;
    if job.rules.is_empty() {
        return Err(Error::SurvivalRules);
    }
    job.privacy.models = Some(models(&job, ks.first().copied().unwrap_or(1)));
    let judging = EvaluateOptions::default();
    let (mut question, _) = Question::open(&job, &judging, control)?;
    question.judge(target)?;
    let target_at = question.roles.targets[0];
    let predicted = Target::new(&question.judged, target_at, &question.roles.features);
    if !predicted.has_classes() {
        return Err(Error::NothingToPartition);
    }
    let pattern = compared::pattern(&question.judged, &predicted, CUTS);
    let mut rows = Vec::new();
    for &k in &ks {
        for algorithm in ALGORITHMS {
            control.check()?;
            let mut job = job.clone();
            job.privacy.models = Some(models(&job, k));
            job.search.algorithm = Some(algorithm.to_owned());
            let released = question.released_by(&job, &question.all_rows());
            control.check()?;
            let (survived, failed) = match released {
                Ok((released, outcome)) => {
                    let found = survived(&question, &pattern, &predicted, &released, &outcome);
                    (Some(found), None)
                }
                // An algorithm that finds nothing is a result too.
                Err(error) => (None, Some(RunFailed::of(&error))),
            };
            rows.push(SurvivalRow {
                k,
                algorithm: algorithm.to_owned(),
                survived,
                failed,
            });
        }
    }
    let failures = || rows.iter().filter_map(|row| row.failed.as_ref());
    if let Some(first) = failures().next()
        && failures().count() == rows.len()
    {
        return Err(Error::SurvivalNothingFound {
            runs: rows.len(),
            first: first.message.clone(),
            hint: first.hint.clone(),
        });
    }
    let mut study = SurvivalStudy {
        version: VERSION,
        quasi_identifiers: names,
        target: target.clone(),
        raw: pattern.buckets,
        rows,
        plots: Vec::new(),
    };
    if let Some(folder) = &options.plot {
        study.plots = draw(&study, folder, &files::claims(&job))?;
    }
    Ok(study)
}

/// The k that a job asks for, if it does.
fn asked_k(job: &Job) -> Result<Option<u32>, Error> {
    for text in job.privacy.models.iter().flatten() {
        let spec: ModelSpec = text.parse()?;
        if spec.name() == "k-anonymity" && spec.given().is_given("k") {
            return Ok(Some(spec.given().count("k")));
        }
    }
    Ok(None)
}

/// The models requested, with this k in place of any other.
fn models(job: &Job, k: u32) -> Vec<String> {
    let asked = job.privacy.models.iter().flatten();
    let others = asked.filter(|model| !model.trim_start().starts_with("k-anonymity"));
    let k = format!("k-anonymity(k={k})");
    std::iter::once(k).chain(others.cloned()).collect()
}

fn survived(
    question: &Question<'_>,
    pattern: &Pattern,
    target: &Target<'_>,
    released: &Released,
    outcome: &Outcome,
) -> Survived {
    let raw = target.features_of(&question.judged.columns);
    let features = target.features_of(&released.columns);
    let raw_buckets = pattern.parts.iter().map(|part| {
        let followed = follow(&part.conditions, &raw, (&features, released.rows));
        let (classes, known) = target.classes(&released.columns, &followed.certain);
        let of_majority = |row: &&u32| classes[**row as usize] == part.majority;
        let majority = known.iter().filter(of_majority).count();
        let certain = followed.certain.len() as u64;
        BucketSurvived {
            certain,
            possible: certain + followed.open,
            kept: certain > 0 && followed.open == 0,
            known: known.len() as u64,
            share: match known.len() {
                0 => None,
                known => Some(majority as f64 / known as f64),
            },
        }
    });
    let research = outcome.research_value.as_ref();
    let rules = research.iter().flat_map(|it| &it.attributes);
    let rules: Vec<bool> = rules
        .flat_map(|it| it.rules.iter().map(|rule| rule.kept))
        .collect();
    Survived {
        research_value: research.map_or(0.0, |it| it.total),
        rules_kept: rules.iter().filter(|kept| **kept).count(),
        rules: rules.len(),
        ncp: outcome.metrics.get("ncp").copied(),
        classes: outcome.classes,
        rows_suppressed: outcome.rows_suppressed,
        seconds: outcome.seconds.solve,
        raw_buckets: raw_buckets.collect(),
        buckets: compared::released_buckets(&question.judged, released, target, CUTS),
    }
}

/// Draws the research value and the first bucket, by k.
fn draw(study: &SurvivalStudy, folder: &Path, claims: &Claims) -> Result<Vec<PathBuf>, Error> {
    let first = study.raw.first();
    let rows = first.map_or(0, |bucket| bucket.rows);
    let rule = first.map_or_else(String::new, |bucket| bucket.rule.clone());
    let subtitles = [format!(
        "quasi-identifiers: {}; target: {}",
        study.quasi_identifiers.join(", "),
        study.target
    )];
    let value = |it: &Survived| Some(it.research_value);
    let told = |it: &Survived| {
        let bucket = it.raw_buckets.first()?;
        Some(100.0 * bucket.certain as f64 / rows.max(1) as f64)
    };
    let title = format!("Rows that are certainly in the first bucket: {rule}");
    let pictures: [Picture<'_>; 2] = [
        Picture {
            file: "research-value-by-k.svg",
            title: "Research value of releases by k",
            y: "research value",
            figure: &value,
        },
        Picture {
            file: "first-bucket-by-k.svg",
            title: &title,
            y: "percent of its raw rows",
            figure: &told,
        },
    ];
    let mut plots = Vec::new();
    for picture in pictures {
        let mut drawn: Vec<Line> = Vec::new();
        for row in &study.rows {
            let figure = row.survived.as_ref().and_then(picture.figure);
            let Some(y) = figure else {
                continue;
            };
            let point = Point {
                x: row.k.into(),
                y,
                is_final: true,
            };
            match drawn.iter_mut().find(|line| line.label == row.algorithm) {
                Some(line) => line.points.push(point),
                None => drawn.push(Line {
                    label: row.algorithm.clone(),
                    points: vec![point],
                }),
            }
        }
        let around = Around {
            title: picture.title,
            subtitles: &subtitles,
            x: "k",
            y: picture.y,
            limit: None,
            hollow: "",
        };
        let path = folder.join(picture.file);
        let svg = lines(&around, &drawn);
        write_atomically(claims, "a plot", &path, svg.as_bytes())?;
        plots.push(path);
    }
    Ok(plots)
}

/// One figure of every release, by k.
struct Picture<'a> {
    file: &'static str,
    title: &'a str,
    y: &'static str,
    figure: &'a dyn Fn(&Survived) -> Option<f64>,
}
