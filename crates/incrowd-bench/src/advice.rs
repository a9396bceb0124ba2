//! The advised algorithm against all others, on five tables of different kind.
//!
//! Every algorithm that takes the job is run, and measured by what the release is for: the width of published values (`ncp`,
//! suppressed rows count as `*`), or how well models that learned from releases predict raw rows they have not seen. The first
//! choice must not be worse than the median of all.

use crate::report::{Report, Table, short};
use crate::{adult, census, paths};
use anyhow::{Context, Result, ensure};
use incrowd_core::advisor::Use;
use incrowd_core::algorithms::ALGORITHMS;
use incrowd_core::draw::Draw;
use incrowd_job::{
    AdviseOptions, Control, EvaluateOptions, Job, Show, advise, anonymize, evaluate,
};
use std::fmt::Write;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// What an algorithm may do on a table; the same on every machine.
const WORK_LIMIT: &str = "300M";

/// Parts that rows are split into to learn from most of them and to test on the others.
const FOLDS: usize = 3;

/// Where the table is kept for readers, between two lines.
const PAGE: &str = "docs/guide/which-algorithm.md";
const BEGIN: &str = "<!-- the table of `incrowd-bench advice` begins -->\n";
const END: &str = "<!-- the table of `incrowd-bench advice` ends -->\n";

/// A table and what its release is for.
struct Case {
    name: &'static str,
    usage: Use,
    job: Job,
}

/// What an algorithm reached; the less, the better.
struct Reached {
    algorithm: &'static str,
    figure: f64,
}

pub(crate) fn run(report: &mut Report, writes_page: bool) -> Result<()> {
    let folder = tempfile::tempdir().context("making a folder for the tables")?;
    report.heading("The advised algorithm against all others");
    report.paragraph(&format!(
        "Every algorithm that takes the job is run, with a work limit of {WORK_LIMIT} and no row suppressed. `any` is measured \
         by ncp, the width of published values; `classification` by the share of raw rows that models predict wrongly, the \
         mean of decision tree, logistic regression and naive Bayes; `regression` by the root mean squared error of a linear \
         model. Models learn from releases of some rows and are tested on the others, in {FOLDS} folds. Less is better."
    ));
    let mut rows = Table::new([
        "table", "rows", "columns", "use", "advised", "reached", "median", "best", "reached",
        "place",
    ]);
    for case in cases(folder.path())? {
        let options = AdviseOptions {
            usage: Some(case.usage),
            ..AdviseOptions::default()
        };
        let advice = advise(&case.job, &options, &Control::default())?;
        let first = advice.ranked.first().context("an algorithm suits")?;
        let mut all = Vec::new();
        for algorithm in ALGORITHMS {
            let name = algorithm.entry().name;
            let Some(figure) = measured(&case, name) else {
                continue;
            };
            report.fact(("advice", case.name, name), case.usage.name(), figure);
            all.push(Reached {
                algorithm: name,
                figure,
            });
        }
        all.sort_by(|one, other| one.figure.total_cmp(&other.figure));
        let median = median(&all);
        let found = all.iter().find(|it| it.algorithm == first.algorithm);
        let reached = found.context("what is advised runs")?.figure;
        let better = all.iter().filter(|it| it.figure < reached).count();
        rows.row([
            case.name.to_owned(),
            advice.table.rows.to_string(),
            advice.table.quasi_identifiers.to_string(),
            case.usage.name().to_owned(),
            first.algorithm.clone(),
            short(reached),
            short(median),
            all[0].algorithm.to_owned(),
            short(all[0].figure),
            format!("{} of {}", better + 1, all.len()),
        ]);
        ensure!(
            reached <= median,
            "{}: {} is worse than the median of all",
            case.name,
            first.algorithm
        );
    }
    report.table(&rows);
    if writes_page {
        write_page(&rows)?;
    }
    Ok(())
}

/// The figure in the middle, or the mean of the two there.
fn median(sorted: &[Reached]) -> f64 {
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        1 => sorted[middle].figure,
        _ => f64::midpoint(sorted[middle - 1].figure, sorted[middle].figure),
    }
}

/// What an algorithm reaches; none if it does not take the job.
fn measured(case: &Case, algorithm: &str) -> Option<f64> {
    let mut job = case.job.clone();
    job.search.algorithm = Some(algorithm.to_owned());
    let control = Control::default();
    if case.usage == Use::Any {
        let outcome = anonymize(&job, Show::default(), &control).ok()?;
        return outcome.metrics.get("ncp").copied();
    }
    let options = EvaluateOptions {
        folds: FOLDS,
        ..EvaluateOptions::default()
    };
    let evaluation = evaluate(&job, &options, &control).ok()?;
    let wrong = (evaluation.classification.iter())
        .filter_map(|it| it.accuracy.release.map(|right| 1.0 - right));
    let errors = evaluation
        .regression
        .iter()
        .filter_map(|it| it.rmse.release);
    let figures: Vec<f64> = match case.usage {
        Use::Classification => wrong.collect(),
        _ => errors.collect(),
    };
    (!figures.is_empty()).then(|| figures.iter().sum::<f64>() / figures.len() as f64)
}

fn cases(folder: &Path) -> Result<Vec<Case>> {
    let job = |path: &Path, columns: &[&str], more: &str, k: u32| -> Result<Job> {
        let columns: Vec<String> = columns.iter().map(|column| format!("{column:?}")).collect();
        Ok(Job::parse(&format!(
            "[data]\npath = {path:?}\n[columns]\nquasi_identifiers = [{}]\nothers = \"drop\"\n{more}\n[privacy]\n\
             models = [\"k-anonymity(k={k})\"]\nmax_suppressed = 0\n[search]\nwork_limit = \"{WORK_LIMIT}\"\n",
            columns.join(", "),
        ))?)
    };
    let few = folder.join("visits.csv");
    std::fs::write(&few, visits())?;
    let many = folder.join("survey.csv");
    std::fs::write(&many, survey())?;
    let questions: Vec<String> = (1..=QUESTIONS).map(|it| format!("q{it}")).collect();
    let questions: Vec<&str> = questions.iter().map(String::as_str).collect();
    let wages = folder.join("wages.csv");
    std::fs::write(&wages, self::wages())?;
    let large = folder.join("census.csv");
    let mut file = BufWriter::new(File::create(&large)?);
    incrowd_testkit::census(CENSUS_ROWS, census::SEED, &mut file)?;
    drop(file);
    let adult = adult::folder();
    let levels = format!("hierarchies = {:?}\n", adult.join("hierarchies"));
    Ok(vec![
        Case {
            name: "few rows: visits",
            usage: Use::Any,
            job: job(&few, &["age", "zip", "sex"], "", 3)?,
        },
        Case {
            name: "many columns: survey",
            usage: Use::Any,
            job: job(&many, &questions, "", 5)?,
        },
        Case {
            name: "large: census",
            usage: Use::Any,
            job: job(
                &large,
                &census::QUASI_IDENTIFIERS.map(|(column, _)| column),
                "",
                10,
            )?,
        },
        Case {
            name: "class target: Adult",
            usage: Use::Classification,
            job: job(
                &adult.join("adult.csv"),
                &adult::QUASI_IDENTIFIERS,
                &format!("{levels}target = [\"salary-class\"]"),
                10,
            )?,
        },
        Case {
            name: "numeric target: wages",
            usage: Use::Regression,
            job: job(
                &wages,
                &["age", "schooling", "region", "sex"],
                "target = [\"wage\"]",
                10,
            )?,
        },
    ])
}

const CENSUS_ROWS: u64 = 200_000;

/// Visits of a small surgery.
fn visits() -> String {
    let mut draw = Draw::new(1);
    let mut table = "age,zip,sex,disease\n".to_owned();
    for _ in 0..80 {
        let age = 20 + draw.below(60);
        let zip = 45_000 + 100 * draw.below(4) + draw.below(12);
        let sex = ["F", "M"][draw.below(2)];
        let disease = ["flu", "cold", "asthma", "diabetes"][draw.below(4)];
        // Writing to a `String` cannot fail.
        let _ = writeln!(table, "{age},{zip},{sex},{disease}");
    }
    table
}

const QUESTIONS: usize = 16;

/// Answers from 1 to 5 that depend on one attitude.
fn survey() -> String {
    let mut draw = Draw::new(2);
    let names: Vec<String> = (1..=QUESTIONS).map(|it| format!("q{it}")).collect();
    let mut table = names.join(",") + "\n";
    for _ in 0..3_000 {
        let attitude = 1 + draw.below(5);
        let answers: Vec<String> = (0..QUESTIONS)
            .map(|_| match draw.below(3) {
                0 => 1 + draw.below(5),
                _ => attitude,
            })
            .map(|answer| answer.to_string())
            .collect();
        table += &(answers.join(",") + "\n");
    }
    table
}

/// Wages that depend on age and schooling, a little on the region, and on luck.
fn wages() -> String {
    let mut draw = Draw::new(3);
    let mut table = "age,schooling,region,sex,wage\n".to_owned();
    let regions = ["north", "east", "south", "west", "capital"];
    for _ in 0..6_000 {
        let age = 18 + draw.below(48);
        let schooling = 8 + draw.below(6) + draw.below(6);
        let region = draw.below(regions.len());
        let sex = ["F", "M"][draw.below(2)];
        let luck = draw.below(400) + draw.below(400) + draw.below(400);
        let wage = 600 + 25 * age + 90 * schooling + 40 * region + luck;
        let _ = writeln!(table, "{age},{schooling},{},{sex},{wage}", regions[region]);
    }
    table
}

/// Puts the table where readers find it.
fn write_page(rows: &Table) -> Result<()> {
    let path = paths::project().join(PAGE);
    let page = std::fs::read_to_string(&path).with_context(|| format!("reading {PAGE}"))?;
    let (before, rest) = page
        .split_once(BEGIN)
        .context("the page has a place for it")?;
    let (_, after) = rest.split_once(END).context("the place has an end")?;
    std::fs::write(&path, format!("{before}{BEGIN}\n{rows}\n{END}{after}"))?;
    Ok(())
}
