//! Whether regions cut for a target predict it better: on Adult, with releases of some rows tested on the others.

use crate::adult;
use crate::report::{Report, Table};
use anyhow::{Context, Result};
use incrowd_job::{Control, EvaluateOptions, Evaluation, Job, evaluate};

const KS: [u32; 5] = [5, 10, 25, 50, 100];

/// Each seed gives other folds, five of them.
const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];

pub(crate) fn run(report: &mut Report) -> Result<()> {
    report.heading("Regions cut for a target");
    report.paragraph(&format!(
        "Adult, eight quasi-identifiers, k-anonymity, no row suppressed. A release is made of four fifths of the rows, \
         models learn from it and are tested on the raw rows of the last fifth, five times for each of {} seeds. \
         `error` is the mean over k = 5, 10, 25, 50 and 100, `spread` the standard deviation over seeds of that mean, \
         `better` in how many of the {} pairs of k and seed the target's algorithm has the smaller error.",
        SEEDS.len(),
        SEEDS.len() * KS.len(),
    ));
    let mut rows = Table::new([
        "target",
        "model",
        "raw",
        "mondrian error",
        "spread",
        "algorithm",
        "error",
        "spread",
        "better",
    ]);
    for (target, algorithm) in [
        ("salary-class", "mondrian-infogain"),
        ("hours-per-week", "mondrian-lsd"),
    ] {
        let median = Errors::measure(target, "mondrian")?;
        let targeted = Errors::measure(target, algorithm)?;
        for (at, model) in median.models.iter().enumerate() {
            for (name, errors) in [("mondrian", &median), (algorithm, &targeted)] {
                let case = format!("{target}, {model}");
                let key = ("workload", case.as_str(), name);
                report.repetitions(key, "error", errors.of_model(at));
            }
            let pairs = median.of_model(at).zip(targeted.of_model(at));
            let better = pairs.filter(|(median, targeted)| targeted < median).count();
            let [one, other] = [&median, &targeted].map(|it| it.mean_and_spread(at));
            rows.row([
                target.to_owned(),
                model.clone(),
                format!("{:.4}", median.raw[at]),
                format!("{:.4}", one.0),
                format!("{:.4}", one.1),
                algorithm.to_owned(),
                format!("{:.4}", other.0),
                format!("{:.4}", other.1),
                format!("{better} of {}", SEEDS.len() * KS.len()),
            ]);
        }
    }
    report.table(&rows);
    Ok(())
}

/// The errors of every model, run by run.
struct Errors {
    models: Vec<String>,
    /// What models that learned from raw rows miss, with the last seed.
    raw: Vec<f64>,
    /// For every seed, k and model.
    errors: Vec<Vec<f64>>,
}

impl Errors {
    fn measure(target: &str, algorithm: &str) -> Result<Self> {
        let mut all = Errors {
            models: Vec::new(),
            raw: Vec::new(),
            errors: Vec::new(),
        };
        for seed in SEEDS {
            for k in KS {
                let evaluation = evaluated(target, algorithm, k, seed)
                    .with_context(|| format!("{algorithm}, k={k}, seed {seed}"))?;
                let classified = evaluation.classification.iter().map(|it| {
                    let release = it.accuracy.release.unwrap_or(0.0);
                    (it.model.clone(), 1.0 - it.accuracy.raw, 1.0 - release)
                });
                let regressed = evaluation.regression.iter().map(|it| {
                    let release = it.rmse.release.unwrap_or(f64::INFINITY);
                    (it.model.clone(), it.rmse.raw, release)
                });
                let found: Vec<_> = classified.chain(regressed).collect();
                all.models = found.iter().map(|(model, ..)| model.clone()).collect();
                all.raw = found.iter().map(|(_, raw, _)| *raw).collect();
                all.errors
                    .push(found.iter().map(|(.., error)| *error).collect());
            }
        }
        Ok(all)
    }

    fn of_model(&self, at: usize) -> impl Iterator<Item = f64> {
        self.errors.iter().map(move |run| run[at])
    }

    /// The mean over all runs, and the standard deviation over seeds of the mean over k.
    fn mean_and_spread(&self, at: usize) -> (f64, f64) {
        let of_seeds: Vec<f64> = (self.errors.chunks(KS.len()))
            .map(|runs| runs.iter().map(|run| run[at]).sum::<f64>() / runs.len() as f64)
            .collect();
        let mean = of_seeds.iter().sum::<f64>() / of_seeds.len() as f64;
        let squares = of_seeds.iter().map(|it| (it - mean).powi(2)).sum::<f64>();
        (mean, (squares / (of_seeds.len() - 1).max(1) as f64).sqrt())
    }
}

fn evaluated(target: &str, algorithm: &str, k: u32, seed: u64) -> Result<Evaluation> {
    let folder = adult::folder();
    let columns = adult::QUASI_IDENTIFIERS.map(|column| format!("{column:?}"));
    let job = format!(
        "[data]\npath = {:?}\n[columns]\nquasi_identifiers = [{}]\ntarget = [{target:?}]\nothers = \"drop\"\n\
         hierarchies = {:?}\n[privacy]\nmodels = [\"k-anonymity(k={k})\"]\n\
         [search]\nalgorithm = {algorithm:?}\nseed = {seed}\n",
        folder.join("adult.csv"),
        columns.join(", "),
        folder.join("hierarchies"),
    );
    let job = Job::parse(&job)?;
    Ok(evaluate(
        &job,
        &EvaluateOptions::default(),
        &Control::default(),
    )?)
}
