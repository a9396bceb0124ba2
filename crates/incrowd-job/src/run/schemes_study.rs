//! The four experiments of the paper about generalization schemes, on any table: which direction is faster, the time
//! and cost of the schemes, and what each pruning rule saves.
//!
//! T. Li and N. Li, Towards Optimal k-Anonymization, Data & Knowledge Engineering 65(1), 2008, section 5.

use crate::error::Error;
use crate::report::choices;
use crate::report::comparison::RunFailed;
use crate::report::csv_text::CsvText;
use crate::report::outcome::VERSION;
use crate::run::control::{Control, Phase};
use crate::run::counted::{SearchWatch, max_suppressed};
use crate::run::files;
use crate::run::negotiation::Ground;
use crate::run::study::StudyBudget;
use crate::spec::{Budget, Job, Others, TimeLimit};
use incrowd_core::algorithms::partition::{
    Account, Choices, Direction, PartitionSettings, PruningRules, Scheme, solve,
};
use incrowd_core::algorithms::{Algorithm, Partition};
use incrowd_core::counts::CountedTable;
use incrowd_core::privacy::ModelSpec;
use incrowd_core::problem::{Problem, Settings};
use incrowd_core::utility::MetricSpec;
use incrowd_io::{Claims, write_atomically};
use incrowd_plot::{Around, Limit, Line, Point, lines};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Those of the paper.
const KS: [u32; 6] = [2, 3, 5, 10, 15, 20];

/// The k of experiments that vary something else.
const MIDDLE_K: u32 = 5;

const METRICS: [&str; 2] = ["discernibility", "hdm"];

/// The time limit of one search if the job has none.
const TIME_LIMIT: &str = "5s";

/// What to study.
#[derive(Debug, Clone, Default)]
pub struct SchemesOptions {
    /// The class sizes requested; those of the paper if not given.
    pub parameters: Option<Vec<u32>>,
    /// The folder for plots.
    pub plot: Option<PathBuf>,
}

/// The result of `study --schemes`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SchemesStudy {
    /// [`VERSION`].
    pub version: u32,
    /// The quasi-identifiers; experiments with fewer use the first ones.
    pub quasi_identifiers: Vec<String>,
    /// Rows that each search may suppress.
    pub budget: StudyBudget,
    /// How long each search may take.
    pub time_limit: SearchLimit,
    /// One line for each search.
    pub rows: Vec<SchemesRow>,
    /// The plots written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plots: Vec<PathBuf>,
}

/// How long one search may take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchLimit {
    /// So many seconds.
    pub seconds: f64,
    /// Where that comes from.
    pub from: String,
}

/// One search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SchemesRow {
    /// Which experiment it belongs to.
    pub experiment: Experiment,
    /// How many quasi-identifiers.
    pub columns: usize,
    /// The class size requested.
    pub k: u32,
    /// The metric minimized.
    pub metric: String,
    /// The scheme of every column.
    pub scheme: String,
    /// The direction of the search.
    pub search: String,
    /// The pruning rule that was disabled.
    pub without: Option<String>,
    /// Seconds of the search, by the clock.
    pub seconds: f64,
    /// What it found; none of the fields is present if it found nothing.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub found: Option<SchemesFound>,
    /// Why it found nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<RunFailed>,
}

/// What one search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SchemesFound {
    /// Nodes whose cost was computed.
    pub nodes_visited: u64,
    /// The cost of the result.
    pub cost: f64,
    /// No allowed partitions cost less.
    pub lower_bound: f64,
    /// How far below the cost the optimum could be, as a share; 0 for a proven optimum.
    pub gap: f64,
    /// How many choices of partitions there are: a number, or the text `more than 1e308`.
    #[serde(with = "choices")]
    pub choices: Choices,
}

impl SchemesFound {
    fn of(account: &Account) -> Self {
        let saved = (account.cost - account.lower_bound).max(0.0);
        SchemesFound {
            nodes_visited: account.counts.nodes_visited,
            cost: account.cost,
            lower_bound: account.lower_bound,
            gap: if saved > 0.0 {
                saved / account.cost
            } else {
                0.0
            },
            choices: account.choices,
        }
    }
}

/// An experiment of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Experiment {
    /// Bottom-up versus top-down by k.
    DirectionByK,
    /// Bottom-up versus top-down by the number of quasi-identifiers.
    DirectionByColumns,
    /// Time and cost of the schemes by k.
    SchemesByK,
    /// Time of the schemes by the number of quasi-identifiers.
    SchemesByColumns,
    /// With one pruning rule disabled at a time.
    Pruning,
}

impl Experiment {
    /// Every experiment, in the order it is run.
    pub const ALL: [Experiment; 5] = [
        Experiment::DirectionByK,
        Experiment::DirectionByColumns,
        Experiment::SchemesByK,
        Experiment::SchemesByColumns,
        Experiment::Pruning,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Experiment::DirectionByK => "direction-by-k",
            Experiment::DirectionByColumns => "direction-by-columns",
            Experiment::SchemesByK => "schemes-by-k",
            Experiment::SchemesByColumns => "schemes-by-columns",
            Experiment::Pruning => "pruning",
        }
    }
}

/// Reruns the experiments.
pub fn study_schemes(
    job: &Job,
    options: &SchemesOptions,
    control: &Control,
) -> Result<SchemesStudy, Error> {
    let limit_from = match job.search.time_limit {
        Some(_) => "as requested",
        None => "default, `--time-limit` not given",
    };
    let limit = match job.search.time_limit {
        Some(limit) => limit,
        None => TIME_LIMIT.parse::<TimeLimit>()?,
    };
    let time_limit = SearchLimit {
        seconds: limit.0.as_secs_f64(),
        from: limit_from.to_owned(),
    };
    job.search.settings.check_read_by(&[Partition.entry()])?;
    let wishes = PartitionSettings::of(&job.search.settings.of(Partition.entry())?);
    let ks = options.parameters.clone().unwrap_or_else(|| KS.to_vec());
    if let Some(folder) = &options.plot {
        std::fs::create_dir_all(folder).map_err(|error| Error::Folder {
            path: folder.clone(),
            kind: error.kind(),
        })?;
    }
    let ground = Ground::count(job, control)?;
    let names: Vec<String> = (ground.quasi_identifiers())
        .map(|(name, _)| name.to_owned())
        .collect();
    let mut grounds = Vec::new();
    for columns in 2..names.len() {
        let mut fewer = job.clone();
        fewer.columns.quasi_identifiers = Some(names[..columns].to_vec());
        fewer.columns.others = Some(Others::Drop);
        grounds.push(Ground::count(&fewer, control)?);
    }
    grounds.push(ground);
    let tables: Vec<&CountedTable> = grounds.iter().map(Ground::table).collect();
    let all = tables.last().map_or(0, |table| table.rows);
    let budget = match (job.privacy.max_suppressed, tables.last()) {
        (Some(asked), Some(table)) => StudyBudget {
            rows: max_suppressed(Some(asked), table)?.into(),
            from: format!("requested: {asked}"),
        },
        // As in the paper, whose costs treat suppressed rows as the most expensive.
        _ => StudyBudget {
            rows: all.into(),
            from: "all, since `--max-suppressed` is not given".to_owned(),
        },
    };
    // The default is for searches: reading has no time limit unless the user gave one.
    let mut limited = job.clone();
    limited.search.time_limit = Some(limit);
    let mut study = Study {
        job: &limited,
        control,
        wishes,
        rows: Vec::new(),
    };
    control.progress().begin(Phase::Solve, None);
    let done = study.run(&tables, &ks);
    control.progress().end();
    control.check()?;
    done?;
    let rows = study.rows;
    let mut plots = Vec::new();
    if let Some(folder) = &options.plot {
        let subtitles = [
            format!("{all} rows; quasi-identifiers: {}", names.join(", ")),
            format!(
                "budget: {} rows may be suppressed ({})",
                budget.rows, budget.from
            ),
        ];
        plots = draw(&rows, &subtitles, &time_limit, folder, &files::claims(job))?;
    }
    Ok(SchemesStudy {
        version: VERSION,
        quasi_identifiers: names,
        budget,
        time_limit,
        rows,
        plots,
    })
}

struct Study<'a> {
    job: &'a Job,
    control: &'a Control,
    wishes: PartitionSettings,
    rows: Vec<SchemesRow>,
}

/// What is searched.
#[derive(Clone, Copy)]
struct Case<'t> {
    experiment: Experiment,
    table: &'t CountedTable,
    k: u32,
    metric: &'static str,
    scheme: Scheme,
    direction: Direction,
    rules: PruningRules,
    without: Option<&'static str>,
}

impl Study<'_> {
    fn run(&mut self, tables: &[&CountedTable], ks: &[u32]) -> Result<(), Error> {
        let Some(&table) = tables.last() else {
            return Ok(());
        };
        let case = Case {
            experiment: Experiment::DirectionByK,
            table,
            k: MIDDLE_K,
            metric: METRICS[0],
            scheme: Scheme::Ops,
            direction: Direction::Auto,
            rules: PruningRules::ALL,
            without: None,
        };
        let directions = [Direction::BottomUp, Direction::TopDown];
        for direction in directions {
            for &k in ks {
                self.search(Case {
                    k,
                    direction,
                    ..case
                })?;
            }
        }
        let experiment = Experiment::DirectionByColumns;
        for direction in directions {
            for &table in tables {
                self.search(Case {
                    experiment,
                    table,
                    direction,
                    ..case
                })?;
            }
        }
        let experiment = Experiment::SchemesByK;
        for metric in METRICS {
            for scheme in Scheme::ALL {
                for &k in ks {
                    self.search(Case {
                        experiment,
                        metric,
                        scheme,
                        k,
                        ..case
                    })?;
                }
            }
        }
        let experiment = Experiment::SchemesByColumns;
        for scheme in Scheme::ALL {
            for &table in tables {
                self.search(Case {
                    experiment,
                    table,
                    scheme,
                    ..case
                })?;
            }
        }
        let experiment = Experiment::Pruning;
        for metric in METRICS {
            let case = Case {
                experiment,
                metric,
                ..case
            };
            self.search(case)?;
            for at in 0..PruningRules::default().named().len() {
                let mut rules = PruningRules::ALL;
                let (name, rule) = rules
                    .named()
                    .into_iter()
                    .nth(at)
                    .expect("so many there are");
                *rule = false;
                self.search(Case {
                    rules,
                    without: Some(name),
                    ..case
                })?;
            }
        }
        Ok(())
    }

    fn search(&mut self, case: Case<'_>) -> Result<(), Error> {
        self.control.check()?;
        let table = case.table;
        let metric = case.metric.parse::<MetricSpec>()?.build(table)?;
        let spec: ModelSpec = format!("k-anonymity(k={})", case.k).parse()?;
        let models = spec.build_all(&table.columns, &[])?;
        let is_there = |column: &String| table.attributes.iter().any(|it| it.name == *column);
        let mut partition = self.wishes.clone();
        partition.scheme = Some(case.scheme);
        partition.schemes.clear();
        partition.coarse.retain(|steps| is_there(&steps.column));
        partition.direction = case.direction;
        partition.rules = case.rules;
        let all_rows = Budget::Percent(100.0);
        let budget = self.job.privacy.max_suppressed.unwrap_or(all_rows);
        let problem = Problem::new(table, &models, &*metric)
            .allow_suppressed(max_suppressed(Some(budget), table)?)
            .with_settings(Settings {
                own: partition.given(),
                seed: self.job.search.seed.unwrap_or(0),
                threads: self.job.threads(),
                ..Settings::default()
            });
        let started = Instant::now();
        let watch = SearchWatch::new(self.job, self.control);
        let solved = solve(&problem, &watch);
        let seconds = started.elapsed().as_secs_f64();
        self.control.check()?;
        // A search that finds nothing, for lack of time or because nothing exists, is a result too: the others are
        // kept.
        let (account, failed) = match solved {
            Ok((_, account)) => (Some(account), None),
            Err(error) => (None, Some(RunFailed::of(&error.into()))),
        };
        let direction = match &account {
            None => case.direction,
            Some(account) => account.direction,
        };
        self.rows.push(SchemesRow {
            experiment: case.experiment,
            columns: table.attributes.len(),
            k: case.k,
            metric: case.metric.to_owned(),
            scheme: case.scheme.name().to_owned(),
            search: direction.name().to_owned(),
            without: case.without.map(str::to_owned),
            seconds,
            found: account.as_ref().map(SchemesFound::of),
            failed,
        });
        Ok(())
    }
}

/// One plot: which rows, what each line stands for, and the numbers on both axes.
struct Picture {
    file: &'static str,
    title: &'static str,
    experiment: Experiment,
    metric: &'static str,
    line: fn(&SchemesRow) -> &str,
    x: (&'static str, fn(&SchemesRow) -> f64),
    y: Figure,
}

/// What a plot shows.
#[derive(Clone, Copy)]
enum Figure {
    /// Search time in milliseconds, bounded by the time limit.
    Time,
    /// The cost of the result.
    Cost(&'static str, fn(&SchemesFound) -> f64),
}

impl Figure {
    fn name(self) -> &'static str {
        match self {
            Figure::Time => "search time in milliseconds",
            Figure::Cost(name, _) => name,
        }
    }

    /// None if there is nothing to show.
    fn of(self, row: &SchemesRow) -> Option<f64> {
        match self {
            Figure::Time => Some(1e3 * row.seconds),
            Figure::Cost(_, cost) => row.found.as_ref().map(cost),
        }
    }
}

const BY_K: (&str, fn(&SchemesRow) -> f64) = ("k", |row| row.k.into());
const BY_COLUMNS: (&str, fn(&SchemesRow) -> f64) = ("quasi-identifiers", |row| row.columns as f64);

const PICTURES: [Picture; 6] = [
    Picture {
        file: "direction-by-k.svg",
        title: "Bottom-up and top-down by k, scheme ops",
        experiment: Experiment::DirectionByK,
        metric: METRICS[0],
        line: |row| &row.search,
        x: BY_K,
        y: Figure::Time,
    },
    Picture {
        file: "direction-by-columns.svg",
        title: "Bottom-up and top-down by number of quasi-identifiers, scheme ops, k = 5",
        experiment: Experiment::DirectionByColumns,
        metric: METRICS[0],
        line: |row| &row.search,
        x: BY_COLUMNS,
        y: Figure::Time,
    },
    Picture {
        file: "schemes-seconds-by-k.svg",
        title: "Search time of the schemes by k, discernibility",
        experiment: Experiment::SchemesByK,
        metric: METRICS[0],
        line: |row| &row.scheme,
        x: BY_K,
        y: Figure::Time,
    },
    Picture {
        file: "schemes-seconds-by-columns.svg",
        title: "Search time of the schemes by number of quasi-identifiers, discernibility, k = 5",
        experiment: Experiment::SchemesByColumns,
        metric: METRICS[0],
        line: |row| &row.scheme,
        x: BY_COLUMNS,
        y: Figure::Time,
    },
    Picture {
        file: "schemes-discernibility-by-k.svg",
        title: "Lowest discernibility cost of the schemes by k",
        experiment: Experiment::SchemesByK,
        metric: METRICS[0],
        line: |row| &row.scheme,
        x: BY_K,
        y: Figure::Cost("thousands of pairs", |found| found.cost / 1e3),
    },
    Picture {
        file: "schemes-hdm-by-k.svg",
        title: "Lowest hierarchical discernibility cost of the schemes by k",
        experiment: Experiment::SchemesByK,
        metric: METRICS[1],
        line: |row| &row.scheme,
        x: BY_K,
        y: Figure::Cost("sum of penalties", |found| found.cost),
    },
];

fn draw(
    rows: &[SchemesRow],
    subtitles: &[String],
    time_limit: &SearchLimit,
    folder: &Path,
    claims: &Claims,
) -> Result<Vec<PathBuf>, Error> {
    let mut plots = Vec::new();
    for picture in &PICTURES {
        let mut drawn: Vec<Line> = Vec::new();
        let belongs = |row: &&SchemesRow| {
            row.experiment == picture.experiment && row.metric == picture.metric
        };
        for row in rows.iter().filter(belongs) {
            let label = (picture.line)(row);
            let Some(y) = picture.y.of(row) else {
                continue;
            };
            let point = Point {
                x: (picture.x.1)(row),
                y,
                is_final: row.found.as_ref().is_some_and(|found| found.gap == 0.0),
            };
            match drawn.iter_mut().find(|line| line.label == label) {
                Some(line) => line.points.push(point),
                None => drawn.push(Line {
                    label: label.to_owned(),
                    points: vec![point],
                }),
            }
        }
        let around = Around {
            title: picture.title,
            subtitles,
            x: picture.x.0,
            y: picture.y.name(),
            limit: match picture.y {
                Figure::Time => Some(Limit {
                    at: 1e3 * time_limit.seconds,
                    text: format!(
                        "time limit of a search: {} s ({})",
                        time_limit.seconds, time_limit.from
                    ),
                }),
                Figure::Cost(..) => None,
            },
            hollow: match picture.y {
                Figure::Time => {
                    "hollow: not proven optimal; the search hit its limit or found nothing"
                }
                Figure::Cost(..) => {
                    "hollow: best result when the search hit its limit, not proven optimal"
                }
            },
        };
        let path = folder.join(picture.file);
        let svg = lines(&around, &drawn);
        write_atomically(claims, "a plot", &path, svg.as_bytes())?;
        plots.push(path);
    }
    Ok(plots)
}

impl SchemesStudy {
    /// A line for each search.
    pub fn to_csv(&self) -> String {
        let mut text = CsvText::new([
            "experiment",
            "columns",
            "k",
            "metric",
            "scheme",
            "search",
            "without",
            "seconds",
            "nodes_visited",
            "cost",
            "lower_bound",
            "gap",
            "choices",
            "failed",
        ]);
        for row in &self.rows {
            let figure = |figure: fn(&SchemesFound) -> String| {
                row.found.as_ref().map(figure).unwrap_or_default()
            };
            text.line([
                row.experiment.name().to_owned(),
                row.columns.to_string(),
                row.k.to_string(),
                row.metric.clone(),
                row.scheme.clone(),
                row.search.clone(),
                row.without.clone().unwrap_or_default(),
                format!("{:.6}", row.seconds),
                figure(|found| found.nodes_visited.to_string()),
                figure(|found| found.cost.to_string()),
                figure(|found| found.lower_bound.to_string()),
                figure(|found| found.gap.to_string()),
                figure(|found| match found.choices.number() {
                    Some(number) => number.to_string(),
                    None => found.choices.to_string(),
                }),
                match &row.failed {
                    Some(failed) => format!("none found: {}", failed.message),
                    None => String::new(),
                },
            ]);
        }
        text.finish()
    }
}
