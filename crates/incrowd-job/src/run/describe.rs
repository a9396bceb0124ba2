//! Describes a release, for the outcome and the certificate.

use crate::error::Error;
use crate::report::certificate::{
    Certificate, Dialect, Generalized, Lost, Measured, PopulationStated, Reached, Request, hex,
};
use crate::report::found::{PartitionSearch, SafeAmong, SafeRecodings, SafeString, StringsMet};
use crate::report::outcome::{
    Distribution, Exposed, Figure, Figure128, Guarantee, LatticeSeen, LevelsFrom, Outcome, Over,
    RowOrder, Seconds, StepTaken, VERSION,
};
use crate::report::research::{
    AttributeReached, ResearchAsked, ResearchValueReached, RuleKept, RuleReached, RuleStated,
};
use crate::report::stopped::Stopped;
use crate::run::asked::Asked;
use crate::run::choices;
use crate::run::control::{Control, PhaseWatch};
use crate::run::counted::FirstPass;
use crate::run::hierarchies::ColumnHierarchy;
use crate::run::input;
use crate::run::models;
use crate::run::unchanged::{Measures, Published, raw_notes};
use crate::spec::{AlgorithmSettings, Delimiter, Job, MissingCells, RESEARCH_VALUE, Suppressed};
use incrowd_core::algorithms::{
    Account, Algorithm, FoundNodes, FoundString, FoundStrings, Scope, partition,
};
use incrowd_core::counts::{Attribute, CountedTable};
use incrowd_core::hierarchy::{Hierarchy, Leaf};
use incrowd_core::lattice::{Level, Node};
use incrowd_core::privacy::{Direction, ModelSpec};
use incrowd_core::problem::{self, Assessor, Problem, Proposal};
use incrowd_core::publish::{Release, Seen};
use incrowd_core::recode::{ColumnRecoding, Grouping};
use incrowd_core::registry::Rule;
use incrowd_core::utility::{METRICS, MetricSpec, ResearchValue};
use incrowd_io::{Fingerprint, Header};
use indexmap::IndexMap;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// Noted when a release is safe only because it is empty.
pub(crate) fn nothing_published(rows_out: u64, rows_blank: u64) -> Option<String> {
    let why = match (rows_out, rows_blank) {
        (1.., _) => return None,
        (0, 0) => "every row is suppressed; lower `--max-suppressed`, or ask for less privacy",
        (0, _) => {
            "every row is `*` in every column; ask for less privacy, or allow rows to be suppressed"
        }
    };
    Some(format!("NOTHING IS PUBLISHED: {why}"))
}

/// How many minimal recodings are reported with their loss: each must be counted for it.
const LOSSES_OF_MINIMAL: usize = 5;

/// Noted when a class is smaller than the crowd required, so that nobody takes it for a mistake.
pub(crate) const CROWDS_NOT_CLASSES: &str =
    "missing cells match any value, so privacy holds for crowds, not for classes";

/// Noted for a release whose rows stay in input order.
pub(crate) const INPUT_ORDER: &str =
    "rows are in input order, which can reveal who is who; `--shuffle` randomizes it";

/// Noted for a release made for spreadsheets.
pub(crate) const APOSTROPHES: &str =
    "cells that a spreadsheet would treat as formulas are prefixed with an apostrophe";

/// A result that passed the check, and everything that led to it.
pub(crate) struct Answer<'a> {
    pub(crate) job: &'a Job,
    pub(crate) asked: &'a Asked,
    pub(crate) first_pass: &'a FirstPass,
    pub(crate) algorithm: &'static dyn Algorithm,
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) proposal: &'a Proposal,
    /// What else the search found and recorded, for algorithms that do.
    pub(crate) account: Option<&'a Account>,
    /// Why the search stopped early, if it did, and how much it had done.
    pub(crate) stopped: Option<Stopped>,
    pub(crate) release: &'a Release<'a>,
    /// The release as its readers see it.
    pub(crate) seen: &'a Seen<'a>,
    pub(crate) control: &'a Control,
}

impl Answer<'_> {
    /// The outcome, except files and times.
    pub(crate) fn outcome(&self) -> Result<Outcome, Error> {
        let Answer {
            job,
            proposal,
            release,
            seen,
            ..
        } = *self;
        let table = release.table();
        let metrics = self.metrics()?;
        let research = self.asked.research.as_ref();
        let research_value = research
            .map(|it| reached_research_value(it, release))
            .transpose()?;
        let (guarantee, gap) = match proposal.guarantee {
            problem::Guarantee::Optimal => (Guarantee::Optimal, Some(0.0)),
            problem::Guarantee::Bounded { lower_bound } => {
                // By the metric searched, which `compare` chooses for each algorithm.
                let loss = proposal.loss.map(|loss| loss.0);
                let gap = loss.filter(|_| lower_bound.0.is_finite()).map(|loss| {
                    match loss > lower_bound.0 {
                        true => (loss - lower_bound.0) / loss.abs(),
                        false => 0.0,
                    }
                });
                (Guarantee::Bounded, gap)
            }
            problem::Guarantee::Heuristic => (Guarantee::Heuristic, None),
        };
        let level_names = release.node().map(|node| {
            let levels = table.attributes.iter().zip(node.levels());
            let name = |(attribute, level): (&Attribute, Level)| {
                let name = attribute.hierarchy.level_name(level);
                (attribute.name.clone(), name.to_owned())
            };
            levels.map(name).collect()
        });
        let levels = release.levels().map(|levels| {
            let owned = |(name, level): (&str, Level)| (name.to_owned(), level.0);
            levels.into_iter().map(owned).collect()
        });
        let (mut partition, mut found, mut met) = (None, None, None);
        match self.account {
            Some(Account::Partitions(account)) => partition = Some(partition_search(account)),
            Some(Account::SafeNodes(nodes)) => found = Some(self.safe_recodings(nodes)),
            Some(Account::Strings(strings)) => met = Some(self.strings_met(strings)?),
            None => {}
        }
        let looked_at = proposal.nodes_checked;
        let classes = seen.classes() as u64;
        let rows_out = u64::from(seen.rows());
        let rows_blank = u64::from(seen.rows_blank());
        Ok(Outcome {
            version: VERSION,
            algorithm: self.algorithm.entry().name.to_owned(),
            advised: self.asked.advised.clone(),
            guarantee,
            gap,
            levels,
            recoding: release.recoding().name().into(),
            blocks: blocks(release),
            published: published_values(release),
            partition,
            found,
            met,
            stopped: self.stopped,
            rows_in: u64::from(table.rows) + u64::from(table.rows_excluded),
            rows_out,
            rows_suppressed: release.rows_suppressed().into(),
            classes,
            smallest_class: seen.smallest_class().into(),
            average_class: match classes {
                0 => 0.0,
                classes => rows_out as f64 / classes as f64,
            },
            metrics,
            research_value,
            privacy: models::reached(self.problem.models, seen.reached(), table),
            lattice: LatticeSeen {
                nodes: Figure128(table.lattice().nodes()),
                checked: match release.recoding().by_columns() {
                    Some(ColumnRecoding::FullDomain(_)) => looked_at,
                    _ => 0,
                },
            },
            replacements_weighed: match release.recoding().by_columns() {
                Some(ColumnRecoding::Cuts(_)) => Some(looked_at),
                _ => None,
            },
            seconds: Seconds {
                read: 0.0,
                solve: 0.0,
                write: 0.0,
            },
            peak_memory_bytes: None,
            output: None,
            level_names,
            hierarchies: self.origins(),
            rows_excluded: table.rows_excluded.into(),
            rows_starred: match job.output.suppressed.unwrap_or_default() {
                Suppressed::Drop => rows_blank,
                Suppressed::Star => u64::from(release.rows_suppressed()) + rows_blank,
            },
            rows_blank,
            row_order: row_order(self.job),
            spreadsheet_safe: job.output.spreadsheet_safe == Some(true),
            steps: choices::steps(&proposal.steps, table),
            notes: self.notes(),
            distribution: Distribution {
                over: Over::RowsTakingPart,
                rows: table.rows.into(),
            },
            exposed: Exposed::default(),
            certificate: None,
            report: None,
            sample: None,
        })
    }

    /// The safe recodings that a search found besides the one published.
    fn safe_recodings(&self, found: &FoundNodes) -> SafeRecodings {
        let attributes = &self.problem.table.attributes;
        let levels = |node: &Node| {
            let levels = attributes.iter().zip(node.levels());
            let named = |(attribute, level): (&Attribute, Level)| (attribute.name.clone(), level.0);
            levels.map(named).collect()
        };
        let mut assessor = Assessor::new(self.problem);
        let first = found.minimal.iter().take(LOSSES_OF_MINIMAL);
        let losses = first.filter_map(|node| {
            let assessed = assessor.assess_recoding(&ColumnRecoding::FullDomain(node.clone()));
            assessed.loss.map(|loss| loss.0)
        });
        SafeRecodings {
            safe_nodes: found.safe,
            safe_nodes_among: match found.scope {
                Scope::Lattice => SafeAmong::Lattice,
                Scope::LeastHeight => SafeAmong::LeastHeight,
            },
            minimal_losses: losses.collect(),
            minimal: found.minimal.iter().map(levels).collect(),
        }
    }

    /// The safe combinations of levels that an optimizer of research value met, and what it had to drop.
    fn strings_met(&self, met: &FoundStrings) -> Result<StringsMet, Error> {
        let table = self.release.table();
        let metric = &self.asked.metric;
        let greatest = match metric.name() == RESEARCH_VALUE {
            true => Some(ResearchValue::new(metric.given(), table)?.greatest()),
            false => None,
        };
        let string = |it: &FoundString| SafeString {
            levels: it.node.levels().map(|level| level.0).collect(),
            value: greatest.map(|greatest| greatest * (1.0 - it.loss.0)),
            top_levels: it.at_top,
        };
        Ok(StringsMet {
            strings: met.iter().map(string).collect(),
            dropped: self.dropped(),
        })
    }

    /// The quasi-identifiers that are published as `*` although the job limits their levels.
    fn dropped(&self) -> Vec<String> {
        let limits = self.job.privacy.max_levels.as_deref().unwrap_or_default();
        let levels = limits.iter().zip(self.problem.max_levels.levels());
        let attributes = self.release.table().attributes.iter().zip(levels);
        attributes
            .filter(|(_, (limit, level))| level.0 > **limit)
            .map(|(attribute, _)| attribute.name.clone())
            .collect()
    }

    /// What the release reveals; `kept` is measured in its rows.
    pub(crate) fn exposed(&self, kept: &Measures) -> Exposed {
        let published = Published {
            plan: &self.asked.plan,
            rows: self.seen.rows().into(),
            exposure: &self.seen.exposure(),
            measures: kept,
        };
        published.exposed()
    }

    /// Where the levels of each quasi-identifier come from.
    fn origins(&self) -> IndexMap<String, LevelsFrom> {
        let plan = &self.asked.plan;
        let names = plan.names_of(&plan.quasi_identifiers).into_iter();
        let hierarchies = self.first_pass.hierarchies.iter();
        names
            .zip(hierarchies.map(ColumnHierarchy::origin))
            .collect()
    }

    /// What a reader should know before trusting or using the release.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        notes.extend(nothing_published(
            self.seen.rows().into(),
            self.seen.rows_blank().into(),
        ));
        if self.job.privacy.max_suppressed.is_none() && self.problem.max_suppressed > 0 {
            let (name, rows) = (self.algorithm.entry().name, self.problem.max_suppressed);
            notes.push(format!(
                "no `--max-suppressed` given: {name} may suppress up to {rows} rows by default"
            ));
        }
        notes.extend(self.stopped.map(Stopped::in_words));
        notes.extend(self.dropped().iter().map(|column| {
            format!(
                "`{}` is published as `*`: no level up to the highest acceptable one is safe for it alone",
                column.escape_debug()
            )
        }));
        if self.crowds_outgrow_classes() {
            notes.push(CROWDS_NOT_CLASSES.to_owned());
        }
        notes.extend(raw_notes(&self.first_pass.kept, &self.asked.plan));
        if self.first_pass.has_padded_cells {
            notes.push(input::PADDED_CELLS.to_owned());
        }
        if self.job.output.is_asked_for() && row_order(self.job) == RowOrder::Input {
            notes.push(INPUT_ORDER.to_owned());
        }
        if self.job.output.spreadsheet_safe == Some(true) {
            notes.push(APOSTROPHES.to_owned());
        }
        notes
    }

    /// Whether some class is smaller than the size that a model about sizes reached: rows with missing cells are then
    /// in several crowds.
    fn crowds_outgrow_classes(&self) -> bool {
        let smallest = f64::from(self.seen.smallest_class());
        let mut reached = self.problem.models.iter().zip(self.seen.reached());
        self.job.data.missing_cells == Some(MissingCells::MatchAny)
            && reached.any(|(model, reached)| {
                let is_size = model.column().is_none() && model.direction() == Direction::AtLeast;
                is_size && reached.worst.is_some_and(|worst| smallest < worst)
            })
    }

    /// The release by every metric that applies, starting with the one requested if it is not among them.
    fn metrics(&self) -> Result<IndexMap<String, f64>, Error> {
        let table = self.release.table();
        let plan = &self.asked.plan;
        let Asked {
            metric, research, ..
        } = self.asked;
        let specs = metrics_told(
            metric,
            research.as_ref(),
            table,
            &plan.names_of(&plan.target),
        )?;
        let losses = self.release.losses(&specs, &PhaseWatch(self.control))?;
        self.control.check()?;
        let names = specs.iter().map(MetricSpec::public_name);
        Ok(names.zip(losses.iter().map(|loss| loss.0)).collect())
    }

    /// Everything that determined what the release looks like.
    fn request(&self, steps: &[StepTaken]) -> Request {
        let mut settings = self.job.search.settings.clone();
        if let Some(setting) = self.algorithm.entry().kind.choices {
            settings.set(setting, choices::script(steps));
        }
        request(
            self.job,
            self.asked,
            self.first_pass,
            self.problem,
            self.algorithm,
            settings,
        )
    }

    /// The values in the release, if a column mixes levels.
    fn published(&self) -> Option<IndexMap<String, Vec<String>>> {
        let release = self.release;
        if release.node().is_some() {
            return None;
        }
        let values = |(at, attribute): (usize, &Attribute)| {
            let texts = self.seen.texts(at).into_iter();
            (attribute.name.clone(), texts.map(str::to_owned).collect())
        };
        let attributes = release.table().attributes.iter();
        Some(attributes.enumerate().map(values).collect())
    }

    /// The certificate of a release that was written with this SHA-256, from an input of this one.
    pub(crate) fn certificate(
        &self,
        outcome: &Outcome,
        input: &Fingerprint,
        output: &str,
    ) -> Certificate {
        let reached = Reached {
            privacy: outcome.privacy.clone(),
            levels: outcome.levels.clone(),
            dropped: self.dropped(),
            recoding: outcome.recoding.clone(),
            published: self.published(),
            rules: (outcome.research_value.as_ref()).map_or_else(Vec::new, rules_kept),
            rows_in: outcome.rows_in,
            rows_out: outcome.rows_out,
            rows_suppressed: outcome.rows_suppressed,
            rows_excluded: outcome.rows_excluded,
            rows_starred: outcome.rows_starred,
            rows_blank: outcome.rows_blank,
            notes: outcome.notes.clone(),
            classes: outcome.classes,
            smallest_class: outcome.smallest_class,
            distribution: outcome.distribution,
            exposed: outcome.exposed.clone(),
        };
        let lost = Lost {
            guarantee: outcome.guarantee,
            gap: outcome.gap,
            metrics: outcome.metrics.clone(),
        };
        let request = self.request(&outcome.steps);
        Certificate::new(request, reached, lost, input.to_string(), output.to_owned())
    }
}

/// The metrics that a release is measured by: the one requested, and every other that applies.
pub(crate) fn metrics_told(
    asked: &MetricSpec,
    research: Option<&MetricSpec>,
    table: &CountedTable,
    targets: &[String],
) -> Result<Vec<MetricSpec>, Error> {
    let mut specs = vec![asked.clone()];
    for entry in METRICS {
        if !(entry.kind.applies)(table, !targets.is_empty()) {
            continue;
        }
        let spec = match research.filter(|it| it.name() == entry.name) {
            Some(research) => research.clone(),
            None => MetricSpec::named(entry.name)?,
        };
        match spec.entry().reads_column() {
            false => specs.push(spec),
            true => specs.extend(targets.iter().map(|it| spec.clone().with_column(Some(it)))),
        }
    }
    Ok(specs)
}

/// The research value of a release, by a metric that is one.
pub(crate) fn reached_research_value(
    spec: &MetricSpec,
    release: &Release<'_>,
) -> Result<ResearchValueReached, Error> {
    let table = release.table();
    let metric = ResearchValue::new(spec.given(), table)?;
    let values = release.research_value(&metric);
    let rules = spec.given().rules("rules");
    let attributes = table.attributes.iter().zip(&values);
    let attributes = attributes.map(|(attribute, reached)| {
        let own = rules.iter().filter(|rule| rule.column == attribute.name);
        AttributeReached {
            name: attribute.name.clone(),
            weight: reached.weight,
            value: reached.value,
            ratio: reached.ratio,
            rules: own
                .zip(&reached.kept)
                .map(|(rule, &kept)| rule_reached(rule, kept))
                .collect(),
        }
    });
    Ok(ResearchValueReached {
        total: ResearchValue::total(&values),
        greatest: metric.greatest(),
        attributes: attributes.collect(),
    })
}

/// A rule, and whether it is kept.
pub(crate) fn rule_reached(rule: &Rule, kept: bool) -> RuleReached {
    RuleReached {
        rule: rule.sides.to_string(),
        importance: Figure(rule.importance.to_f64()),
        kept,
    }
}

/// The hash of a rule without column and importance.
fn hash_of_rule(rule: &str) -> String {
    format!("sha256:{}", hex(&Sha256::digest(rule)))
}

/// What was asked about the research value, as certificates state it.
fn research_asked(spec: &MetricSpec) -> ResearchAsked {
    let given = spec.given();
    let rules = given.rules("rules").into_iter().map(|rule| RuleStated {
        rule: hash_of_rule(&rule.sides.to_string()),
        importance: Figure(rule.importance.to_f64()),
        column: rule.column,
    });
    let settings = spec.entry().settings.iter();
    let is_weighted = given.is_given("weights");
    let plain = settings.filter(|setting| {
        !(setting.kind.holds_cells() || is_weighted && setting.name == "weighting")
    });
    let told = plain.filter_map(|setting| {
        let text = given.text(setting.name)?;
        Some((setting.name.replace('-', "_"), text.to_owned()))
    });
    ResearchAsked {
        rules: rules.collect(),
        settings: told.collect(),
    }
}

/// Which rules a release keeps, as certificates state it.
pub(crate) fn rules_kept(reached: &ResearchValueReached) -> Vec<RuleKept> {
    let of = |attribute: &AttributeReached| {
        let column = attribute.name.clone();
        let rules = attribute.rules.iter();
        let rules = rules.map(move |rule| rule_kept(&column, rule));
        rules.collect::<Vec<_>>()
    };
    reached.attributes.iter().flat_map(of).collect()
}

/// Whether a release keeps a rule, as certificates state it.
pub(crate) fn rule_kept(column: &str, rule: &RuleReached) -> RuleKept {
    RuleKept {
        rule: RuleStated {
            column: column.to_owned(),
            rule: hash_of_rule(&rule.rule),
            importance: rule.importance,
        },
        kept: rule.kept,
    }
}

/// The row order that a job requests.
fn row_order(job: &Job) -> RowOrder {
    match job.output.shuffle {
        Some(true) => RowOrder::Shuffled,
        _ => RowOrder::Input,
    }
}

/// The request of a job; `settings` hold the choices made if the algorithm leaves them open.
pub(crate) fn request(
    job: &Job,
    asked: &Asked,
    first_pass: &FirstPass,
    problem: &Problem<'_>,
    algorithm: &dyn Algorithm,
    mut settings: AlgorithmSettings,
) -> Request {
    // The certificate is published with the release, and no raw value may be in it.
    settings.replace_cells(|cells| format!("sha256:{}", hex(&Sha256::digest(cells))));
    let plan = &asked.plan;
    // Not those of the problem, which may drop columns.
    let limits = job.privacy.max_levels.as_deref();
    Request {
        quasi_identifiers: plan
            .names_of(&plan.quasi_identifiers)
            .into_iter()
            .zip(&first_pass.hierarchies)
            .zip(problem.max_levels.levels())
            .enumerate()
            .map(|(at, ((column, levels), max_level))| Generalized {
                column,
                max_level: limits.map_or(max_level.0, |limits| limits[at]),
                hierarchy_sha256: hash(&levels.hierarchy),
            })
            .collect(),
        sensitive: plan.names_of(&plan.sensitive),
        distances: problem
            .table
            .columns
            .iter()
            .filter_map(|column| {
                Some(Measured {
                    column: column.name.clone(),
                    hierarchy_sha256: hash(column.hierarchy.as_ref()?),
                })
            })
            .collect(),
        target: plan.names_of(&plan.target),
        kept: plan.names_of(&plan.kept),
        dropped: plan.names_of(&plan.dropped),
        privacy: asked.models.iter().map(ModelSpec::to_string).collect(),
        max_suppressed: problem.max_suppressed.into(),
        population: population_stated(problem.table, first_pass.population_hash),
        metric: asked.metric.public_name(),
        research_value: asked.research.as_ref().map(research_asked),
        algorithm: algorithm.entry().name.to_owned(),
        advised: asked.advised.clone(),
        settings,
        seed: job.search.seed.unwrap_or(0),
        time_limit: job.search.time_limit.map(|limit| limit.to_string()),
        work_limit: job.search.work_limit.map(|limit| limit.to_string()),
        missing: word(job.data.missing_cells.unwrap_or_default()),
        missing_tokens: job.data.missing_tokens.clone().unwrap_or_default(),
        unlisted: word(job.columns.unlisted.unwrap_or_default()),
        csv: asked.delimiter.map(|delimiter| {
            let options = input::csv_options(job);
            Dialect {
                delimiter: Delimiter(delimiter),
                quote: Delimiter(options.quote),
                header: options.header != Header::Row,
                trim: options.trim,
            }
        }),
        suppressed: word(job.output.suppressed.unwrap_or_default()),
        row_order: row_order(job),
        spreadsheet_safe: job.output.spreadsheet_safe == Some(true),
    }
}

/// The population of a table, as a certificate states it.
pub(crate) fn population_stated(
    table: &CountedTable,
    hash: Option<Fingerprint>,
) -> Option<PopulationStated> {
    Some(PopulationStated {
        rows: table.population.as_ref()?.rows.into(),
        sha256: hash?.to_string(),
    })
}

/// The raw values behind each published one, if a column mixes levels.
fn blocks(release: &Release<'_>) -> Option<IndexMap<String, Vec<Vec<String>>>> {
    let blocks = |(attribute, grouping): (&Attribute, &Grouping)| {
        let mut blocks = vec![Vec::new(); grouping.groups()];
        for (leaf, &group) in (0..).map(Leaf).zip(grouping.groups_of_leaves()) {
            blocks[group as usize].push(attribute.hierarchy.text(leaf).to_owned());
        }
        (attribute.name.clone(), blocks)
    };
    let attributes = release.table().attributes.iter();
    let groupings = release.recoding().groupings()?;
    Some(attributes.zip(groupings).map(blocks).collect())
}

/// The text of each block, which is in the release unless all its rows are suppressed.
fn published_values(release: &Release<'_>) -> Option<IndexMap<String, Vec<String>>> {
    let values = |(attribute, grouping): (&Attribute, &Grouping)| {
        let values = grouping.labels().map(str::to_owned).collect();
        (attribute.name.clone(), values)
    };
    let attributes = release.table().attributes.iter();
    let groupings = release.recoding().groupings()?;
    Some(attributes.zip(groupings).map(values).collect())
}

/// SHA-256 of a hierarchy in the program's own form.
pub(crate) fn hash(hierarchy: &Hierarchy) -> String {
    hex(&Sha256::digest(hierarchy.to_csv()))
}

/// A choice as it is written in a job file.
fn word(choice: impl Serialize) -> String {
    match serde_json::to_value(choice) {
        Ok(serde_json::Value::String(word)) => word,
        _ => unreachable!("choices are written as words"),
    }
}

/// The record of a search, for the outcome.
fn partition_search(account: &partition::Account) -> PartitionSearch {
    let counts = account.counts;
    let pruning = [
        ("dropped_by_cost", counts.dropped_by_cost),
        ("dropped_by_budget", counts.dropped_by_budget),
        ("applicators_dropped", counts.applicators_dropped),
        ("dropped_late", counts.dropped_late),
    ];
    PartitionSearch {
        cost: account.cost,
        lower_bound: account.lower_bound,
        nodes_visited: counts.nodes_visited,
        pruning: pruning
            .into_iter()
            .map(|(name, count)| (name.to_owned(), count))
            .collect(),
        search: account.direction.name().to_owned(),
        search_reason: account.reason.to_owned(),
        choices: account.choices,
    }
}
