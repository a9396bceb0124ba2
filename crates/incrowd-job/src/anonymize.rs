//! Makes a release: count, search, check, write.
//!
//! Rows are read twice. The first pass keeps distinct tuples only; the second recodes and writes. The output
//! appears only when the bytes read are the same in both passes and the rows written are the rows checked.

use crate::batches::for_each_batch;
use crate::certificate::{Certificate, Dialect, Generalized, Lost, Measured, Reached, Request};
use crate::control::{Control, Phase};
use crate::counted::{FirstPass, SearchWatch, first_pass, max_levels, max_suppressed};
use crate::error::Error;
use crate::files::{self, CertificateFiles, ReleaseFile};
use crate::hierarchies::{self, ColumnHierarchy};
use crate::input;
use crate::job::{Delimiter, Job, MissingCells, Suppressed};
use crate::models;
use crate::outcome::{
    Figure128, FileWritten, Guarantee, LatticeSeen, Outcome, Sample, Seconds, VERSION,
};
use crate::plan::Plan;
use incrowd_core::algorithms::{self, ALGORITHMS, Algorithm};
use incrowd_core::counts::Attribute;
use incrowd_core::hierarchy::Hierarchy;
use incrowd_core::privacy::{Direction, ModelSpec, PrivacyModel};
use incrowd_core::problem::{self, Assessor, DEFAULT_MEMORY_LIMIT, Problem, Proposal, Settings};
use incrowd_core::publish::{PublishedRows, Release, SuppressedRows, publish};
use incrowd_core::recode::Grouping;
use incrowd_core::table::RowBatch;
use incrowd_core::utility::{METRICS, MetricSpec};
use incrowd_io::{Fingerprint, RowReader, Source};
use indexmap::IndexMap;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::time::Instant;

/// What a front end wants to see beside the outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Show {
    /// Rows to show before and after; the only way cells leave the library.
    pub sample: usize,
}

/// What is asked, read and checked before any row is.
struct Asked {
    source: Source,
    plan: Plan,
    models: Vec<ModelSpec>,
    metric: MetricSpec,
    algorithm: &'static dyn Algorithm,
    delimiter: Option<u8>,
}

/// Runs a job to its release.
pub fn anonymize(job: &Job, show: Show, control: &Control) -> Result<Outcome, Error> {
    let started = Instant::now();
    let (asked, reader) = prepare(job)?;
    let output = ReleaseFile::create(job, &asked.plan, asked.delimiter, control)?;
    let certificate = CertificateFiles::create(job, control)?;
    let FirstPass {
        table,
        hierarchies,
        input_hash,
    } = first_pass(job, &asked.source, &asked.plan, reader, control)?;
    let read = started.elapsed();

    let solving = Instant::now();
    let sensitive: Vec<usize> = (0..asked.plan.sensitive.len()).collect();
    let models = models::build(&asked.models, &table, &sensitive)?;
    models::check_reach(&models, &table)?;
    let metric = asked.metric.build(&table)?;
    let problem = Problem {
        table: &table,
        models: &models,
        metric: &*metric,
        max_suppressed: max_suppressed(job.privacy.max_suppressed, &table)?,
        max_levels: max_levels(job.privacy.max_levels.as_deref(), &table)?,
        memory_limit: DEFAULT_MEMORY_LIMIT,
        settings: settings(job, &asked.plan),
    };
    let proposal = solve(job, &asked, &problem, control)?;
    let solve = solving.elapsed();

    let writing = Instant::now();
    let release = publish(&problem, &proposal)?;
    let pass = Pass {
        job,
        asked: &asked,
        release: &release,
        input_hash,
        control,
    };
    let mut outcome = describe(
        &asked,
        &problem,
        &proposal,
        &release,
        job.output.suppressed.unwrap_or_default(),
    )?;
    outcome.privacy = models::reached(&models, release.reached(), &table);
    let names = asked.plan.names_of(&asked.plan.quasi_identifiers);
    let origins = hierarchies.iter().map(ColumnHierarchy::origin);
    outcome.hierarchies = names.into_iter().zip(origins).collect();
    if outcome.rows_out == 0 {
        outcome.notes.push(NOTHING_PUBLISHED.into());
    }
    if crowds_outgrow_classes(job, &models, &release) {
        outcome.notes.push(CROWDS_NOT_CLASSES.into());
    }
    if let Some(output) = output {
        let written = pass.write(output)?;
        if let Some(files) = certificate {
            let request = request(job, &asked, &problem, &hierarchies);
            let certificate = certify(request, &outcome, input_hash, &written.sha256);
            outcome.certificate = Some(files.write(&certificate, &written.path)?);
        }
        outcome.output = Some(written);
    }
    control.forget_temporary();
    if show.sample > 0 {
        outcome.sample = Some(pass.sample(show.sample)?);
    }
    outcome.seconds = Seconds {
        read: read.as_secs_f64(),
        solve: solve.as_secs_f64(),
        write: writing.elapsed().as_secs_f64(),
    };
    outcome.peak_memory_bytes = peak_memory();
    Ok(outcome)
}

/// Reads the header and checks everything that can be checked without rows.
fn prepare(job: &Job) -> Result<(Asked, Box<dyn RowReader + Send>), Error> {
    let texts = job.privacy.models.as_deref().unwrap_or_default();
    if texts.is_empty() {
        return Err(Error::NoPrivacyModel);
    }
    let models = models::parse(texts)?;
    let metric: MetricSpec = job.search.metric.as_deref().unwrap_or("loss").parse()?;
    let algorithm = algorithm(job)?;
    let path = job.data.path.as_deref().ok_or(Error::NoData)?;
    let source = input::source(job, path)?;
    files::check_outputs(job, &source)?;
    hierarchies::check_folder(job)?;
    let reader = source.open()?;
    let plan = Plan::new(job, &source.name(), reader.columns())?;
    for column in job.hierarchies.keys() {
        let names = reader.columns();
        crate::plan::find_column(&source.name(), names, column, "the hierarchies")?;
    }
    let asked = Asked {
        source,
        plan,
        models,
        metric,
        algorithm,
        delimiter: reader.delimiter(),
    };
    Ok((asked, reader))
}

fn algorithm(job: &Job) -> Result<&'static dyn Algorithm, Error> {
    let name = job.search.algorithm.as_deref().unwrap_or("optimal");
    // Until there is an advisor, the exact search is what it would take.
    let name = if name == "auto" { "optimal" } else { name };
    algorithms::find(name).ok_or_else(|| Error::UnknownName {
        family: "algorithm",
        name: name.to_owned(),
        known: ALGORITHMS.iter().map(|entry| entry.card().name).collect(),
    })
}

/// What the algorithm is told beside the problem.
fn settings(job: &Job, plan: &Plan) -> Settings {
    let counted = plan.counted();
    let position = |column| counted.iter().position(|other| other == column);
    Settings {
        targets: plan.target.iter().filter_map(position).collect(),
        script: None,
        partition: Default::default(),
        seed: job.search.seed.unwrap_or(0),
        threads: job.threads(),
    }
}

fn solve(
    job: &Job,
    asked: &Asked,
    problem: &Problem<'_>,
    control: &Control,
) -> Result<Proposal, Error> {
    // How many nodes must be looked at is what the search finds out, so there is no total.
    control.progress().begin(Phase::Solve, None);
    let watch = SearchWatch::new(job, control);
    let proposal = asked.algorithm.solve(problem, &watch);
    control.progress().end();
    control.check()?;
    Ok(proposal?)
}

/// The second pass over the rows.
struct Pass<'a> {
    job: &'a Job,
    asked: &'a Asked,
    release: &'a Release<'a>,
    input_hash: Fingerprint,
    control: &'a Control,
}

impl Pass<'_> {
    /// Recodes every row into `output`, and lets it appear if all is as it was counted.
    fn write(&self, mut output: ReleaseFile) -> Result<FileWritten, Error> {
        let source = &self.asked.source;
        let progress = self.control.progress();
        progress.begin(Phase::Write, source.bytes_total());
        let result = self.recode_all(&mut output);
        progress.end();
        let (confirmation, second) = result.map_err(|error| self.blame_input(error))?;
        if second != self.input_hash {
            return Err(self.changed());
        }
        output.finish(confirmation)
    }

    fn recode_all(
        &self,
        output: &mut ReleaseFile,
    ) -> Result<(incrowd_core::publish::Confirmation, Fingerprint), Error> {
        let mut reader = self.asked.source.open()?;
        if reader.columns() != self.asked.plan.names {
            return Err(self.changed());
        }
        let threads = self.job.threads();
        let recoder = self.release.recoder(
            &self.asked.plan.names,
            &self.asked.plan.dropped,
            self.suppressed_rows(),
        )?;
        let encoder = output.encoder();
        let recoders = for_each_batch(
            &mut *reader,
            self.control,
            threads,
            vec![recoder; threads.saturating_sub(1).max(1)],
            |recoder, batch, made: &mut (PublishedRows, Vec<u8>)| {
                let (published, text) = made;
                recoder.recode(batch, published)?;
                if let Some(encoder) = &encoder {
                    text.clear();
                    encoder.encode(published.rows(), text);
                }
                Ok(())
            },
            |(published, text)| match encoder {
                Some(_) => output.write_encoded(text),
                None => output.write(published),
            },
        )?;
        let mut tally = incrowd_core::publish::Tally::default();
        for recoder in &recoders {
            tally.add(recoder.tally());
        }
        Ok((self.release.confirm(&tally)?, reader.fingerprint()?))
    }

    /// The first rows, before and after.
    fn sample(&self, rows: usize) -> Result<Sample, Error> {
        let mut reader = self.asked.source.open()?;
        let mut recoder = self.release.recoder(
            &self.asked.plan.names,
            &self.asked.plan.dropped,
            self.suppressed_rows(),
        )?;
        let text = |batch: &RowBatch, row: usize| -> Vec<String> {
            (0..batch.columns())
                .map(|column| String::from_utf8_lossy(batch.cell(row, column)).into_owned())
                .collect()
        };
        let mut sample = Sample {
            columns_before: self.asked.plan.names.clone(),
            before: Vec::new(),
            columns_after: recoder.names().to_vec(),
            after: Vec::new(),
        };
        let mut batch = RowBatch::default();
        let mut published = PublishedRows::default();
        while sample.before.len() < rows && reader.read(&mut batch)? {
            for row in 0..batch.rows().min(rows - sample.before.len()) {
                let mut one = RowBatch::new(batch.columns());
                one.clear(batch.first_row() + row as u64);
                for column in 0..batch.columns() {
                    one.push_cell(batch.cell(row, column));
                }
                recoder
                    .recode(&one, &mut published)
                    .map_err(|error| self.blame_input(error.into()))?;
                let after = published.rows();
                sample.before.push(text(&batch, row));
                sample
                    .after
                    .push((after.rows() > 0).then(|| text(after, 0)));
            }
        }
        Ok(sample)
    }

    fn suppressed_rows(&self) -> SuppressedRows {
        match self.job.output.suppressed.unwrap_or_default() {
            Suppressed::Drop => SuppressedRows::Drop,
            Suppressed::Star => SuppressedRows::Star,
        }
    }

    fn changed(&self) -> Error {
        Error::InputChanged {
            input: self.asked.source.name(),
        }
    }

    /// An input that could be read once and is now missing or malformed has changed.
    fn blame_input(&self, error: Error) -> Error {
        use incrowd_io::Error::*;
        match error {
            Error::Core(incrowd_core::Error::InputChanged)
            | Error::Io(
                NotFound { .. }
                | IsDirectory { .. }
                | Empty { .. }
                | NoRows { .. }
                | RaggedRow { .. }
                | DuplicateColumn { .. }
                | EmptyColumnName { .. }
                | NotUtf8 { .. }
                | QuoteNeverClosed { .. }
                | CellTooLarge { .. }
                | BrokenGzip { .. }
                | BrokenParquet { .. }
                | UnsupportedColumnType { .. },
            ) => self.changed(),
            other => other,
        }
    }
}

/// Said when a release is safe only because it is empty.
const NOTHING_PUBLISHED: &str =
    "NOTHING IS PUBLISHED: every row is suppressed; allow fewer, or ask for less";

/// Said when a class is smaller than the crowd promised, so that nobody takes it for a mistake.
const CROWDS_NOT_CLASSES: &str =
    "missing cells match any value: crowds, not classes, keep the promise";

/// Whether some class is smaller than the size that a promise about sizes has reached: rows with missing cells
/// then stand in several crowds.
fn crowds_outgrow_classes(
    job: &Job,
    models: &[Box<dyn PrivacyModel>],
    release: &Release<'_>,
) -> bool {
    let smallest = f64::from(release.smallest_class());
    let mut reached = models.iter().zip(release.reached());
    job.data.missing_cells == Some(MissingCells::MatchAny)
        && reached.any(|(model, reached)| {
            let is_size = model.column().is_none() && model.direction() == Direction::AtLeast;
            is_size && reached.worst.is_some_and(|worst| smallest < worst)
        })
}

/// The outcome, all but what only the caller knows.
fn describe(
    asked: &Asked,
    problem: &Problem<'_>,
    proposal: &Proposal,
    release: &Release<'_>,
    suppressed: Suppressed,
) -> Result<Outcome, Error> {
    let table = release.table();
    let metrics = metrics(asked, problem, release)?;
    let loss = metrics.get(&asked.metric.to_string()).copied();
    let (guarantee, gap) = match proposal.guarantee {
        problem::Guarantee::Optimal => (Guarantee::Optimal, Some(0.0)),
        problem::Guarantee::Bounded { lower_bound } => {
            let gap =
                loss.filter(|_| lower_bound.0.is_finite())
                    .map(|loss| match loss > lower_bound.0 {
                        true => (loss - lower_bound.0) / loss.abs(),
                        false => 0.0,
                    });
            (Guarantee::Bounded, gap)
        }
        problem::Guarantee::Heuristic => (Guarantee::Heuristic, None),
    };
    let level_names = release.node().map(|node| {
        let levels = table.attributes.iter().zip(node.levels());
        let name = |(attribute, level): (&Attribute, u8)| {
            let name = attribute.hierarchy.level_name(level);
            (attribute.name.clone(), name.to_owned())
        };
        levels.map(name).collect()
    });
    let levels = release.levels().map(|levels| {
        let owned = |(name, level): (&str, u8)| (name.to_owned(), level);
        levels.into_iter().map(owned).collect()
    });
    let classes = release.classes() as u64;
    let rows_out = u64::from(release.rows_published());
    Ok(Outcome {
        version: VERSION,
        algorithm: asked.algorithm.card().name.to_owned(),
        guarantee,
        gap,
        levels,
        recoding: release.recoding().name().into(),
        blocks: blocks(release),
        published: published_values(release),
        rows_in: u64::from(table.rows) + u64::from(table.rows_excluded),
        rows_out,
        rows_suppressed: release.rows_suppressed().into(),
        classes,
        smallest_class: release.smallest_class().into(),
        average_class: match classes {
            0 => 0.0,
            classes => rows_out as f64 / classes as f64,
        },
        metrics,
        privacy: Vec::new(),
        lattice: LatticeSeen {
            nodes: Figure128(table.lattice().nodes()),
            checked: proposal.nodes_checked,
        },
        seconds: Seconds {
            read: 0.0,
            solve: 0.0,
            write: 0.0,
        },
        peak_memory_bytes: None,
        output: None,
        level_names,
        hierarchies: IndexMap::new(),
        rows_excluded: table.rows_excluded.into(),
        rows_starred: match suppressed {
            Suppressed::Drop => 0,
            Suppressed::Star => release.rows_suppressed().into(),
        },
        notes: Vec::new(),
        certificate: None,
        sample: None,
    })
}

/// The raw values behind each published one, where a column does not keep to one level.
fn blocks(release: &Release<'_>) -> Option<IndexMap<String, Vec<Vec<String>>>> {
    let blocks = |(attribute, grouping): (&Attribute, &Grouping)| {
        let mut blocks = vec![Vec::new(); grouping.groups()];
        for (leaf, &group) in (0..).zip(grouping.groups_of_leaves()) {
            blocks[group as usize].push(attribute.hierarchy.label(0, leaf).to_owned());
        }
        (attribute.name.clone(), blocks)
    };
    let attributes = release.table().attributes.iter();
    let groupings = release.recoding().groupings()?;
    Some(attributes.zip(groupings).map(blocks).collect())
}

/// The text published for each block.
fn published_values(release: &Release<'_>) -> Option<IndexMap<String, Vec<String>>> {
    let values = |(attribute, grouping): (&Attribute, &Grouping)| {
        let values = grouping.labels().map(str::to_owned).collect();
        (attribute.name.clone(), values)
    };
    let attributes = release.table().attributes.iter();
    let groupings = release.recoding().groupings()?;
    Some(attributes.zip(groupings).map(values).collect())
}

/// The release by every metric that applies, the one asked for first if it is not among them.
fn metrics(
    asked: &Asked,
    problem: &Problem<'_>,
    release: &Release<'_>,
) -> Result<IndexMap<String, f64>, Error> {
    let table = release.table();
    let has_target = !asked.plan.target.is_empty();
    let mut specs = vec![asked.metric.clone()];
    for entry in METRICS {
        if (entry.applies)(table, has_target) {
            specs.push(MetricSpec::named(entry.name)?);
        }
    }
    let mut metrics = IndexMap::new();
    for spec in specs {
        let metric = spec.build(table)?;
        let problem = Problem {
            metric: &*metric,
            ..problem.clone()
        };
        let assessed = Assessor::new(&problem).assess_recoding(release.recoding());
        if let Some(loss) = assessed.loss {
            metrics.insert(spec.to_string(), loss.0);
        }
    }
    Ok(metrics)
}

fn request(
    job: &Job,
    asked: &Asked,
    problem: &Problem<'_>,
    hierarchies: &[ColumnHierarchy],
) -> Request {
    let plan = &asked.plan;
    Request {
        quasi_identifiers: plan
            .names_of(&plan.quasi_identifiers)
            .into_iter()
            .zip(hierarchies)
            .zip(problem.max_levels.levels())
            .map(|((column, levels), max_level)| Generalized {
                column,
                max_level,
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
        metric: asked.metric.to_string(),
        algorithm: asked.algorithm.card().name.to_owned(),
        seed: job.search.seed.unwrap_or(0),
        time_limit: job.search.time_limit.map(|limit| limit.to_string()),
        missing: word(job.data.missing_cells.unwrap_or_default()),
        missing_tokens: job.data.missing_tokens.clone().unwrap_or_default(),
        unlisted: word(job.columns.missing.unwrap_or_default()),
        csv: asked.delimiter.map(|delimiter| {
            let options = input::csv_options(job);
            Dialect {
                delimiter: Delimiter(delimiter),
                quote: Delimiter(options.quote),
                header: options.has_header,
                trim: options.trim,
            }
        }),
        suppressed: word(job.output.suppressed.unwrap_or_default()),
    }
}

/// SHA-256 of a hierarchy in the program's own form.
fn hash(hierarchy: &Hierarchy) -> String {
    crate::certificate::hex(&Sha256::digest(hierarchy.to_csv()))
}

fn certify(request: Request, outcome: &Outcome, input: Fingerprint, output: &str) -> Certificate {
    let reached = Reached {
        privacy: outcome.privacy.clone(),
        levels: outcome.levels.clone(),
        recoding: outcome.recoding.clone(),
        blocks: outcome.blocks.clone(),
        published: outcome.published.clone(),
        rows_in: outcome.rows_in,
        rows_out: outcome.rows_out,
        rows_suppressed: outcome.rows_suppressed,
        rows_excluded: outcome.rows_excluded,
        rows_starred: outcome.rows_starred,
        notes: outcome.notes.clone(),
        classes: outcome.classes,
        smallest_class: outcome.smallest_class,
    };
    let lost = Lost {
        guarantee: outcome.guarantee,
        gap: outcome.gap,
        metrics: outcome.metrics.clone(),
    };
    Certificate::new(request, reached, lost, input.to_string(), output.to_owned())
}

/// A choice as it is written in a job file.
fn word(choice: impl Serialize) -> String {
    match serde_json::to_value(choice) {
        Ok(serde_json::Value::String(word)) => word,
        _ => unreachable!("choices are written as words"),
    }
}

/// The most memory the process has held so far, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
