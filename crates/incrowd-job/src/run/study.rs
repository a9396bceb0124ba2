//! How suppression, height and privacy trade off over a whole lattice: chapters 3 and 5.1 of the paper.

use crate::error::Error;
use crate::report::csv_text::CsvText;
use crate::report::outcome::{Figure, VERSION};
use crate::run::control::{Control, Phase};
use crate::run::counted::{SearchWatch, max_levels, max_suppressed};
use crate::run::files;
use crate::run::negotiation::{Curve, Ground};
use crate::spec::{Budget, Job};
use incrowd_core::lattice::Node;
use incrowd_core::negotiate::{AnnotatedLattice, LevelTable, MOST_NODES, suppression_by_height};
use incrowd_core::privacy::{Decimal, ModelSpec, PrivacyModel};
use incrowd_core::registry::Kind;
use incrowd_io::{Claims, write_atomically};
use incrowd_plot::{LatticeNode, LatticePicture, PlotBudget, Series, by_height, lattice};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The default parameters of counting models: those of the paper.
const PARAMETERS: [u32; 3] = [3, 10, 25];

/// Larger lattices are not drawn.
const MOST_DRAWN: u128 = 150;

/// The budget shown in plots if the job has none.
const BUDGET: Budget = Budget::Percent(1.0);

/// What to study besides suppression by height.
#[derive(Debug, Clone, Default)]
pub struct StudyOptions {
    /// The parameters of every model; if not given, those in the models' texts, or 3, 10 and 25.
    pub parameters: Option<Vec<String>>,
    /// Whether to report how strongly every level merges rows.
    pub importance: bool,
    /// The folder for plots.
    pub plot: Option<PathBuf>,
}

/// The result of `study`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// [`VERSION`].
    pub version: u32,
    /// By model, parameter and height.
    pub rows: Vec<StudyRow>,
    /// By quasi-identifier and level, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub importance: Option<Vec<ImportanceRow>>,
    /// The budget shown in plots, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<StudyBudget>,
    /// The plots written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plots: Vec<PathBuf>,
}

/// The budget that plots show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StudyBudget {
    /// How many.
    pub rows: u64,
    /// Where that comes from.
    pub from: String,
}

/// The rows that the nodes of one height suppress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyRow {
    /// The model, such as `k-anonymity`.
    pub model: String,
    /// Its parameter.
    pub parameter: Figure,
    /// The quasi-identifiers.
    pub quasi_identifiers: Vec<String>,
    /// The height.
    pub height: u32,
    /// Its nodes.
    pub nodes: u64,
    /// The fewest rows that one of them suppresses.
    pub min: u64,
    /// The rows that the average one suppresses.
    pub avg: f64,
    /// The most rows that one of them suppresses.
    pub max: u64,
}

/// How strongly one level merges rows, with all other quasi-identifiers raw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportanceRow {
    /// The quasi-identifier.
    pub attribute: String,
    /// The level.
    pub level: u8,
    /// Classes.
    pub groups: u64,
    /// Rows of the average class.
    pub avg_group_size: f64,
    /// Its ratio to the average class of the level below; for level 0, one over that of level 1.
    pub relative_importance: f64,
}

/// Examines every node of the lattice.
pub fn study(job: &Job, options: &StudyOptions, control: &Control) -> Result<Study, Error> {
    let asked = asked(job, options)?;
    let ground = Ground::count(job, control)?;
    let table = ground.table();
    let nodes = table.lattice().nodes();
    if nodes > MOST_NODES {
        let limit = MOST_NODES;
        return Err(Error::StudyTooLarge { nodes, limit });
    }
    let mut models: Vec<(Box<dyn PrivacyModel>, Vec<Decimal>)> = Vec::new();
    for (spec, parameters) in asked {
        models.push((ground.model(&spec)?, parameters));
    }
    // Before the long run, so that errors are reported early.
    let limit = match &job.privacy.max_levels {
        Some(levels) => Some(max_levels(Some(levels), table)?),
        None => None,
    };
    let budget = StudyBudget {
        rows: max_suppressed(job.privacy.max_suppressed.or(Some(BUDGET)), table)?.into(),
        from: match job.privacy.max_suppressed {
            Some(asked) => format!("requested: {asked}"),
            None => format!("default {BUDGET}; set `--max-suppressed` to change it"),
        },
    };
    if let Some(folder) = &options.plot {
        std::fs::create_dir_all(folder).map_err(|error| Error::Folder {
            path: folder.clone(),
            kind: error.kind(),
        })?;
    }
    let borrowed: Vec<&dyn PrivacyModel> = models.iter().map(|(model, _)| &**model).collect();
    let progress = control.progress();
    progress.begin(Phase::Solve, u64::try_from(nodes).ok());
    let watch = SearchWatch::new(job, control);
    let lattice = AnnotatedLattice::full(table, &borrowed, job.threads(), &watch);
    progress.end();
    control.check()?;
    let lattice = lattice?;
    let quasi_identifiers: Vec<String> = ground
        .quasi_identifiers()
        .map(|(name, _)| name.to_owned())
        .collect();
    let mut rows = Vec::new();
    let mut plots = Vec::new();
    let claims = files::claims(job);
    for (model, parameters) in &models {
        let first = rows.len();
        for summary in suppression_by_height(table, &lattice, &**model, parameters)? {
            rows.push(StudyRow {
                model: model.name().to_owned(),
                parameter: Figure(summary.parameter.to_f64()),
                quasi_identifiers: quasi_identifiers.clone(),
                height: summary.height,
                nodes: summary.nodes,
                min: summary.least.into(),
                avg: summary.average(),
                max: summary.greatest.into(),
            });
        }
        if let Some(folder) = &options.plot {
            let gallery = Gallery {
                folder,
                claims: &claims,
                ground: &ground,
                lattice: &lattice,
                model: &**model,
                parameters,
                quasi_identifiers: &quasi_identifiers,
                budget: PlotBudget {
                    rows: budget.rows,
                    from: budget.from.clone(),
                },
            };
            plots.extend(gallery.hang(&rows[first..], limit.as_ref(), control)?);
        }
    }
    let importance = options.importance.then(|| {
        let levels = LevelTable::of(table);
        let rows = levels.levels().map(|level| ImportanceRow {
            attribute: quasi_identifiers[level.attribute].clone(),
            level: level.level.0,
            groups: level.classes.into(),
            avg_group_size: level.average_class,
            relative_importance: level.relative_importance,
        });
        rows.collect()
    });
    Ok(Study {
        version: VERSION,
        rows,
        importance,
        budget: (!plots.is_empty()).then_some(budget),
        plots,
    })
}

/// The models with their parameters; k-anonymity if none is named.
fn asked(job: &Job, options: &StudyOptions) -> Result<Vec<(ModelSpec, Vec<Decimal>)>, Error> {
    let texts = job.privacy.models.clone().unwrap_or_default();
    let texts = match texts.is_empty() {
        true => vec!["k-anonymity".to_owned()],
        false => texts,
    };
    let mut asked: Vec<(ModelSpec, Vec<Decimal>)> = Vec::new();
    for text in texts {
        let spec: ModelSpec = text.parse()?;
        let entry = spec.entry();
        let main = &entry.settings[0];
        let parameters: Vec<Decimal> = match (&options.parameters, spec.setting(main.name)) {
            (Some(given), _) => given
                .iter()
                .map(|text| entry.read_parameter(text))
                .collect::<Result<_, _>>()?,
            (None, Some(given)) => vec![entry.read_parameter(given)?],
            (None, None) if main.kind == Kind::Count => PARAMETERS.map(Decimal::from).into(),
            (None, None) => return Err(Error::NoParameters { model: entry.name }),
        };
        for &parameter in &parameters {
            spec.clone().with_main(parameter)?.check_complete()?;
        }
        let Some(&first) = parameters.first() else {
            return Err(Error::NoParameters { model: entry.name });
        };
        asked.push((spec.with_main(first)?, parameters));
    }
    Ok(asked)
}

/// Draws the plots of one model.
struct Gallery<'a> {
    folder: &'a Path,
    claims: &'a Claims,
    ground: &'a Ground,
    lattice: &'a AnnotatedLattice,
    model: &'a dyn PrivacyModel,
    parameters: &'a [Decimal],
    quasi_identifiers: &'a [String],
    budget: PlotBudget,
}

impl Gallery<'_> {
    fn hang(
        &self,
        rows: &[StudyRow],
        limit: Option<&Node>,
        control: &Control,
    ) -> Result<Vec<PathBuf>, Error> {
        let name = self.model.name();
        let main = self.model.entry().settings[0].name;
        let series: Vec<Series> = self
            .parameters
            .iter()
            .map(|parameter| {
                let figure = Figure(parameter.to_f64());
                let rows = rows.iter().filter(|row| row.parameter == figure);
                Series {
                    label: format!("{main} = {parameter}"),
                    points: rows
                        .map(|row| (row.height, row.min as f64, row.avg, row.max as f64))
                        .collect(),
                }
            })
            .collect();
        let subtitle = format!(
            "{} rows; quasi-identifiers: {}",
            self.ground.table().rows,
            self.quasi_identifiers.join(", ")
        );
        let title = format!("Rows suppressed by height, {name}");
        let mut plots = vec![self.write(
            format!("{name}-by-height.svg"),
            &by_height(&title, &[subtitle], &series, &self.budget),
        )?];
        let middle = self.parameters[self.parameters.len() / 2];
        let model = self.model.with_parameter(middle)?;
        let node = match limit {
            Some(node) => node.clone(),
            None => self.interesting(&*model)?,
        };
        let budget = u32::try_from(self.budget.rows).unwrap_or(u32::MAX);
        let curve = Curve::at(self.ground, &*model, &node, budget, control)?;
        let title = format!("Rows suppressed by {main} at one node");
        plots.push(self.write(
            format!("{name}-curve.svg"),
            &curve.draw(&title, &self.budget),
        )?);
        if self.lattice.lattice().nodes() <= MOST_DRAWN {
            for &parameter in self.parameters {
                plots.push(self.draw_lattice(main, parameter)?);
            }
        }
        Ok(plots)
    }

    /// The lowest node within the budget, the best of its height: where a negotiation would end.
    fn interesting(&self, model: &dyn PrivacyModel) -> Result<Node, Error> {
        let mut best: Option<(u32, u32, &Node)> = None;
        for node in self.lattice.nodes() {
            let rows = self.rows(model, node)?;
            let rank = (node.height(), rows, node);
            if u64::from(rows) <= self.budget.rows && best.is_none_or(|best| rank < best) {
                best = Some(rank);
            }
        }
        let top = self.lattice.lattice().top();
        Ok(best.map_or(top, |(_, _, node)| node).clone())
    }

    /// Rows suppressed, for a plot: borderline classes count as suppressed.
    fn rows(&self, model: &dyn PrivacyModel, node: &Node) -> Result<u32, Error> {
        let histogram = self.lattice.histogram(self.ground.table(), model, node)?;
        let rows = histogram.map(|of| of.rows(model.parameter()));
        Ok(rows.map_or(0, |rows| rows.suppressed + rows.close))
    }

    fn draw_lattice(&self, main: &str, parameter: Decimal) -> Result<PathBuf, Error> {
        let model = self.model.with_parameter(parameter)?;
        let all = f64::from(self.ground.table().rows.max(1));
        let mut nodes = Vec::new();
        for node in self.lattice.nodes() {
            let rows = self.rows(&*model, node)?;
            nodes.push(LatticeNode {
                node: node.clone(),
                share: f64::from(rows) / all,
                is_within_budget: u64::from(rows) <= self.budget.rows,
            });
        }
        let name = self.model.name();
        let title = format!("Rows suppressed at every node, {name} with {main} = {parameter}");
        let picture = LatticePicture {
            title: &title,
            attributes: self.quasi_identifiers,
            nodes: &nodes,
            budget: &self.budget,
        };
        self.write(
            format!("{name}-{parameter}-lattice.svg"),
            &lattice(&picture),
        )
    }

    fn write(&self, name: String, svg: &str) -> Result<PathBuf, Error> {
        let path = self.folder.join(name);
        write_atomically(self.claims, "a plot", &path, svg.as_bytes())?;
        Ok(path)
    }
}

impl Study {
    /// The rows as CSV, averages with two digits as in the paper; the level table, if there is one, after an
    /// empty line.
    pub fn to_csv(&self) -> String {
        let mut rows = CsvText::new([
            "model",
            "parameter",
            "quasi_identifiers",
            "height",
            "nodes",
            "min",
            "avg",
            "max",
        ]);
        for row in &self.rows {
            rows.line([
                row.model.to_string(),
                row.parameter.0.to_string(),
                row.quasi_identifiers.join(" "),
                row.height.to_string(),
                row.nodes.to_string(),
                row.min.to_string(),
                format!("{:.2}", row.avg),
                row.max.to_string(),
            ]);
        }
        let rows = rows.finish();
        let Some(importance) = &self.importance else {
            return rows;
        };
        let mut levels = CsvText::new([
            "attribute",
            "level",
            "groups",
            "avg_group_size",
            "relative_importance",
        ]);
        for row in importance {
            levels.line([
                row.attribute.clone(),
                row.level.to_string(),
                row.groups.to_string(),
                format!("{:.2}", row.avg_group_size),
                format!("{:.2}", row.relative_importance),
            ]);
        }
        rows + "\n" + &levels.finish()
    }
}
