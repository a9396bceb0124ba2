//! Recomputes what a certificate states.

use super::Looked;
use super::again::Again;
use super::rules::kept_by_texts;
use crate::error::Error;
use crate::report::certificate::{Certificate, Reached, Request};
use crate::report::outcome::{
    Distribution, Guarantee, Mismatch, Over, PrivacyReached, RowOrder, Unchecked, VERSION,
};
use crate::run::asked::{Asked, algorithm};
use crate::run::choices;
use crate::run::choose::take_first_choice;
use crate::run::control::Control;
use crate::run::counted::first_pass;
use crate::run::describe::{self, APOSTROPHES, CROWDS_NOT_CLASSES, INPUT_ORDER};
use crate::run::models;
use crate::spec::{Job, MissingCells, settings};
use incrowd_core::hierarchy::ANY;
use incrowd_core::lattice::Level;
use incrowd_core::privacy::ModelSpec;
use indexmap::IndexMap;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeSet;

/// Why what a search states about itself is not checked.
const SEARCH: &str = "only the search knows it; run the job again";
const NOT_SHOWN: &str = "the published values do not show how they were made";
const NEEDS_RULES: &str = "levels chosen from the data are cut at the boundaries of rules: give the job file with `--job`";
const NEEDS_DISTRIBUTION: &str = "depends on the distribution in the original table, and rows are suppressed: give the table with `--original`";
const NEEDS_POPULATION: &str = "is about a population: give its table with `--population`";
const NEEDS_ORIGINAL: &str = "needs the original table: give it with `--original`";

/// A certificate made from the files.
pub(super) struct Recount<'a> {
    pub(super) stated: &'a Certificate,
    pub(super) looked: &'a Looked,
    pub(super) found: Certificate,
    pub(super) mismatches: Vec<Mismatch>,
    pub(super) unchecked: Vec<Unchecked>,
}

impl Recount<'_> {
    fn mismatch(&mut self, field: &str, stated: impl ToString, found: impl ToString) {
        self.mismatches.push(Mismatch {
            field: field.to_owned(),
            stated: stated.to_string(),
            found: found.to_string(),
        });
    }

    fn unchecked(&mut self, field: &str, why: &str) {
        self.unchecked.push(Unchecked {
            field: field.to_owned(),
            why: why.to_owned(),
        });
    }

    /// Columns with other levels than stated for which rules are stated: the levels may have been cut at boundaries that
    /// only the job file tells.
    fn cut_by_rules(&self) -> Vec<String> {
        let request = &self.stated.request;
        let rules = || request.research_value.iter().flat_map(|it| &it.rules);
        let original = self.looked.original.iter();
        let attributes = original.flat_map(|original| &original.table.attributes);
        attributes
            .zip(&request.quasi_identifiers)
            .filter(|(attribute, stated)| {
                rules().any(|rule| rule.column == attribute.name)
                    && stated.hierarchy_sha256 != describe::hash(&attribute.hierarchy)
            })
            .map(|(attribute, _)| attribute.name.clone())
            .collect()
    }

    /// The file must have exactly the columns that are stated to be published.
    pub(super) fn columns(&mut self) {
        let request = &self.stated.request;
        let generalized = request.quasi_identifiers.iter().map(|it| &it.column);
        let stated: BTreeSet<&String> = generalized
            .chain(&request.sensitive)
            .chain(&request.target)
            .chain(&request.kept)
            .collect();
        let found: BTreeSet<&String> = self.looked.columns.iter().collect();
        let names = |columns: Vec<&&String>| {
            let names = columns.iter().map(|name| name.escape_debug().to_string());
            names.collect::<Vec<_>>().join(", ")
        };
        let missing = names(stated.difference(&found).collect());
        let beyond = names(found.difference(&stated).collect());
        if !missing.is_empty() {
            self.mismatch(
                "request",
                format!("published: {missing}"),
                "not in the file",
            );
        }
        if !beyond.is_empty() {
            self.mismatch("request", "no such columns", format!("published: {beyond}"));
        }
    }

    /// The request, as far as the table and the job show it.
    pub(super) fn request(
        &mut self,
        job: Option<&Job>,
        original: Option<&Job>,
        control: &Control,
    ) -> Result<(), Error> {
        let numbers = self.stated.request.settings.get("numbers");
        if numbers.is_some_and(|numbers| numbers != ["interval"]) {
            self.unchecked(
                "reached.published",
                "a mean or median does not say which numbers it stands for; run the job again",
            );
        }
        if let Some(job) = job {
            let mut job = job.clone();
            if let Some(original) = original {
                job.data.path.clone_from(&original.data.path);
                job.data.tables.clone_from(&original.data.tables);
            }
            let named = algorithm(&job)?;
            if let Some(algorithm) = named.filter(|it| choices::are_open(&job, *it)) {
                let stated = algorithm.entry().kind.choices;
                let stated =
                    stated.and_then(|name| Some((name, self.stated.request.settings.get(name)?)));
                if let Some((name, choices)) = stated {
                    job.search.settings.set(name, choices.to_vec());
                    self.unchecked(&format!("request.{}", settings::key(name)), SEARCH);
                }
            }
            let asked_now = request_of(&job, control)?;
            self.found.request = asked_now;
            return Ok(());
        }
        self.unchecked("request", "needs the job file: give it with `--job`");
        if let Some(original) = &self.looked.original {
            let cut_by_rules = self.cut_by_rules();
            let attributes = original.table.attributes.iter();
            let stated = self.found.request.quasi_identifiers.iter_mut();
            for (generalized, attribute) in stated.zip(attributes) {
                if !cut_by_rules.contains(&generalized.column) {
                    generalized.hierarchy_sha256 = describe::hash(&attribute.hierarchy);
                }
            }
            for column in cut_by_rules {
                let field = format!("request.quasi_identifiers.{column}.hierarchy_sha256");
                self.unchecked(&field, NEEDS_RULES);
            }
            for measured in &mut self.found.request.distances {
                let column = original.table.column(&measured.column);
                let column = column.map(|column| &original.table.columns[column]);
                if let Some(hierarchy) = column.and_then(|column| column.hierarchy.as_ref()) {
                    measured.hierarchy_sha256 = describe::hash(hierarchy);
                }
            }
        }
        Ok(())
    }

    /// What was reached, recomputed, with the release made again if possible.
    pub(super) fn reached(
        &mut self,
        release: &Job,
        job: Option<&Job>,
    ) -> Result<Option<Again>, Error> {
        let Looked {
            verification,
            original,
            ..
        } = self.looked;
        let stated = &self.stated.reached;
        let request = &self.stated.request;
        let mut found = Reached {
            rows_out: verification.rows,
            classes: verification.classes,
            smallest_class: verification.smallest_class,
            exposed: verification.exposed.clone(),
            rows_starred: verification.rows_starred,
            levels: self.levels(),
            ..stated.clone()
        };
        let is_starred = request.suppressed == "star";
        let again = match original {
            Some(original) if self.cut_by_rules().is_empty() => {
                let levels = found.levels.as_ref();
                Again::of(self.stated, self.looked, original, levels, job)?
            }
            _ => None,
        };
        match original {
            Some(original) => {
                let table = &original.table;
                found.rows_excluded = table.rows_excluded.into();
                // Suppressed or blank.
                let not_seen = u64::from(table.rows).saturating_sub(found.rows_out);
                found.rows_suppressed = match &again {
                    Some(again) => again.rows_suppressed.min(not_seen),
                    None if is_starred => not_seen.saturating_sub(stated.rows_blank),
                    None => not_seen.saturating_sub(found.rows_starred),
                };
                found.rows_blank = not_seen - found.rows_suppressed;
                if again.is_none() && is_starred && found.rows_starred > 0 {
                    self.unchecked("reached.rows_blank", SEARCH);
                }
            }
            None => {
                match is_starred {
                    true => {
                        found.rows_blank = stated.rows_blank.min(found.rows_starred);
                        found.rows_suppressed = found.rows_starred - found.rows_blank;
                        if found.rows_blank > 0 {
                            self.unchecked("reached.rows_blank", NEEDS_ORIGINAL);
                            self.unchecked("reached.rows_suppressed", NEEDS_ORIGINAL);
                        }
                    }
                    false => {
                        found.rows_blank = found.rows_starred;
                        self.unchecked("reached.rows_suppressed", NEEDS_ORIGINAL);
                    }
                }
                match request.missing == "exclude-row" {
                    true => self.unchecked("reached.rows_excluded", NEEDS_ORIGINAL),
                    false => found.rows_excluded = 0,
                }
            }
        }
        let taking_part = found.rows_out + found.rows_suppressed + found.rows_blank;
        found.rows_in = taking_part + found.rows_excluded;
        found.distribution = Distribution {
            over: Over::RowsTakingPart,
            rows: taking_part,
        };
        if found.rows_suppressed > request.max_suppressed {
            self.mismatch(
                "request.max_suppressed",
                request.max_suppressed,
                format!("{} rows suppressed", found.rows_suppressed),
            );
        }
        found.privacy = self.promises(release, taking_part - found.rows_out)?;
        if let (Some(levels), Some(stated)) = (&found.levels, &stated.levels)
            && levels == stated
        {
            for (generalized, (column, &level)) in request.quasi_identifiers.iter().zip(levels) {
                let is_dropped = self.stated.reached.dropped.contains(column);
                if level > generalized.max_level && !is_dropped {
                    let field = format!("reached.levels.{column}");
                    self.mismatch(&field, level, format!("above {}", generalized.max_level));
                }
            }
        }
        self.dropped();
        let rules = match (&again, original) {
            (Some(again), _) => again.rules.clone(),
            (None, Some(original)) if stated.recoding == "regions" => {
                kept_by_texts(self.stated, self.looked, original, job)?
            }
            (None, Some(_)) => Err(NOT_SHOWN),
            (None, None) => Err(NEEDS_ORIGINAL),
        };
        match rules {
            Ok(rules) => found.rules = rules,
            Err(_) if found.rules.is_empty() => {}
            Err(why) => self.unchecked("reached.rules", why),
        }
        self.published();
        found.notes = self.notes(&found);
        self.found.reached = found;
        Ok(again)
    }

    /// Columns stated to be dropped must be `*` in every row.
    fn dropped(&mut self) {
        let names: Vec<String> = (self.looked.table.attributes.iter())
            .map(|attribute| attribute.name.clone())
            .collect();
        for column in &self.stated.reached.dropped {
            let at = names.iter().position(|name| name == column);
            let is_star = |at: usize| self.looked.texts(at).iter().all(|text| *text == ANY);
            if !at.is_some_and(is_star) {
                self.mismatch("reached.dropped", column, "published");
            }
        }
    }

    /// The models; those that compare with the table only if its distribution is known.
    fn promises(
        &mut self,
        release: &Job,
        rows_not_seen: u64,
    ) -> Result<Vec<PrivacyReached>, Error> {
        let found = &self.looked.verification.privacy;
        let is_population_known = match &self.looked.population {
            Some(found) => {
                self.found.request.population = Some(found.clone());
                true
            }
            None => self.stated.request.population.is_none(),
        };
        let is_table_known = self.looked.original.is_some() || rows_not_seen == 0;
        if is_table_known && is_population_known {
            return Ok(found.clone());
        }
        let texts = release.privacy.models.as_deref().unwrap_or_default();
        let specs: Vec<ModelSpec> = models::parse(texts)?;
        let sensitive: Vec<usize> = (0..self.stated.request.sensitive.len()).collect();
        let built = models::build(&specs, &self.looked.table, &sensitive)?;
        let mut promises = Vec::new();
        let stated = &self.stated.reached.privacy;
        for (at, (model, found)) in built.iter().zip(found).enumerate() {
            let why = match (model.reads_table(), model.reads_population()) {
                (true, _) if !is_table_known => Some(NEEDS_DISTRIBUTION),
                (_, true) if !is_population_known => Some(NEEDS_POPULATION),
                _ => None,
            };
            match stated.get(at).zip(why) {
                None => promises.push(found.clone()),
                Some((stated, why)) => {
                    // Its name is known anyway.
                    promises.push(PrivacyReached {
                        model: found.model.clone(),
                        ..stated.clone()
                    });
                    self.unchecked(&promise_field(at), why);
                }
            }
        }
        Ok(promises)
    }

    /// The levels, for full-domain releases.
    fn levels(&mut self) -> Option<IndexMap<String, u8>> {
        let stated = self.stated.reached.levels.clone();
        let is_full_domain = self.stated.reached.recoding == "full-domain";
        if is_full_domain != stated.is_some() {
            let recoding = &self.stated.reached.recoding;
            self.mismatch(
                "reached.recoding",
                recoding,
                match stated {
                    Some(_) => "levels are stated",
                    None => "no levels are stated",
                },
            );
        } else if !is_full_domain {
            self.unchecked("reached.recoding", SEARCH);
        }
        let levels = stated?;
        let Some(original) = &self.looked.original else {
            self.unchecked("reached.levels", NEEDS_ORIGINAL);
            return Some(levels);
        };
        let attributes = &original.table.attributes;
        let names = attributes.iter().map(|attribute| &attribute.name);
        let fits = names.eq(levels.keys())
            && attributes.iter().enumerate().all(|(at, attribute)| {
                let level = Level(levels[&attribute.name]);
                let texts = self.looked.texts(at);
                level <= attribute.hierarchy.height()
                    && texts
                        .iter()
                        .all(|text| attribute.hierarchy.group(level, text).is_some())
            });
        if fits {
            return Some(levels);
        }
        if !self.cut_by_rules().is_empty() {
            self.unchecked("reached.levels", NEEDS_RULES);
            return Some(levels);
        }
        let found = original.levels.as_ref()?;
        let names = attributes.iter().map(|attribute| attribute.name.clone());
        Some(names.zip(found.iter().map(|level| level.0)).collect())
    }

    /// The values of each quasi-identifier, if stated. They are compared, not shown.
    fn published(&mut self) {
        let Some(stated) = &self.stated.reached.published else {
            return;
        };
        let table = &self.looked.table;
        let names: Vec<&String> = table.attributes.iter().map(|it| &it.name).collect();
        if !names.iter().copied().eq(stated.keys()) {
            self.mismatch(
                "reached.published",
                "other columns",
                "the quasi-identifiers",
            );
            return;
        }
        for (at, name) in names.into_iter().enumerate() {
            let values = &stated[name];
            let stated: BTreeSet<&str> = values.iter().map(String::as_str).collect();
            let found = self.looked.texts(at);
            if stated != found || stated.len() != values.len() {
                let both = stated.intersection(&found).count();
                self.mismatch(
                    &format!("reached.published.{name}"),
                    format!("{} values", stated.len()),
                    format!("{} values, {both} of them stated", found.len()),
                );
            }
        }
    }

    /// The notes that follow from the counts, and those stated that cannot be checked.
    fn notes(&mut self, found: &Reached) -> Vec<String> {
        let mut derived = Vec::new();
        derived.extend(describe::nothing_published(
            found.rows_out,
            found.rows_blank,
        ));
        let is_size = |text: &str| {
            let spec: Option<ModelSpec> = text.parse().ok();
            spec.is_some_and(|spec| !spec.entry().reads_column())
        };
        let match_any = word(&self.stated.request.missing) == Some(MissingCells::MatchAny);
        let smallest = found.smallest_class as f64;
        let mut promises = found
            .privacy
            .iter()
            .filter(|promise| is_size(&promise.model));
        if match_any
            && promises.any(|promise| promise.reached.is_some_and(|reached| smallest < reached.0))
        {
            derived.push(CROWDS_NOT_CLASSES.to_owned());
        }
        derived.extend(self.looked.verification.notes.iter().cloned());
        if self.stated.request.row_order == RowOrder::Input {
            derived.push(INPUT_ORDER.to_owned());
        }
        if self.stated.request.spreadsheet_safe {
            derived.push(APOSTROPHES.to_owned());
        }
        let stated = &self.stated.reached.notes;
        if stated.iter().any(|note| !derived.contains(note)) {
            self.unchecked("reached.notes", "some cannot be derived from the files");
        }
        // Additional stated notes stay in place; those that follow from the files come in their order, each once.
        let mut notes = Vec::new();
        let mut next = derived.iter();
        for note in stated {
            match derived.contains(note) {
                true => notes.extend(next.next().cloned()),
                false => notes.push(note.clone()),
            }
        }
        notes.extend(next.cloned());
        notes
    }

    /// What was lost, as far as the release made again shows it.
    pub(super) fn lost(&mut self, again: Option<Again>) {
        self.unchecked("lost.guarantee", SEARCH);
        // An optimum has no gap, and a heuristic result has none that is known.
        match self.stated.lost.guarantee {
            Guarantee::Optimal => self.found.lost.gap = Some(0.0),
            Guarantee::Heuristic => self.found.lost.gap = None,
            Guarantee::Bounded => self.unchecked("lost.gap", SEARCH),
        }
        let Some(again) = again else {
            let why = match self.looked.original {
                Some(_) => NOT_SHOWN,
                None => NEEDS_ORIGINAL,
            };
            self.unchecked("lost.metrics", why);
            return;
        };
        let mut metrics = IndexMap::new();
        for (name, loss) in again.metrics {
            match (loss.ok()).or_else(|| self.stated.lost.metrics.get(&name).copied()) {
                Some(loss) => metrics.insert(name.clone(), loss),
                None => None,
            };
            if let Err(why) = loss {
                self.unchecked(&format!("lost.metrics.{name}"), why);
            }
        }
        self.found.lost.metrics = metrics;
    }

    /// Whether every model is satisfied; unknown if some could not be recomputed and the others hold.
    pub(super) fn is_safe(&self) -> Option<bool> {
        let seen = &self.looked.verification;
        let is_faithful = seen.identifying_published.is_empty()
            && (seen.against_original.as_ref()).is_none_or(|it| it.violations.is_empty());
        let mut is_judged = true;
        let mut holds = is_faithful;
        for (at, promise) in self.found.reached.privacy.iter().enumerate() {
            let field = promise_field(at);
            match self.unchecked.iter().any(|it| it.field == field) {
                true => is_judged = false,
                false => holds &= promise.holds,
            }
        }
        match (holds, is_judged) {
            (false, _) => Some(false),
            (true, true) => Some(true),
            (true, false) => None,
        }
    }

    pub(super) fn hashes(&mut self) {
        self.found.version = VERSION;
        self.found.program.name = "incrowd".to_owned();
        self.unchecked(
            "program.version",
            "every version may be checked by any other",
        );
        // The hash of the request as stated; whether it is the right request is another question.
        self.found.sha256.request = self.stated.request.sha256();
        self.found.sha256.output = self.looked.hash.to_string();
        match &self.looked.original {
            Some(original) => self.found.sha256.input = original.hash.to_string(),
            None => self.unchecked("sha256.input", NEEDS_ORIGINAL),
        }
    }
}

fn promise_field(at: usize) -> String {
    format!("reached.privacy[{at}]")
}

/// The request of a job.
fn request_of(job: &Job, control: &Control) -> Result<Request, Error> {
    let algorithm = algorithm(job)?;
    let default_metric = algorithm.map_or("loss", |algorithm| algorithm.default_metric());
    let (mut asked, reader) = Asked::read(job, default_metric, control)?;
    // The time limit of a job is for making a release, not for checking one.
    let first_pass = first_pass(job, &*asked.source, &asked.plan, reader, None, control)?;
    let models = asked.models(&first_pass.table)?;
    let algorithm = match algorithm {
        Some(algorithm) => algorithm,
        None => take_first_choice(job, &mut asked, &first_pass, &models)?,
    };
    let metric = asked.metric.build(&first_pass.table)?;
    let problem = asked.problem(job, &first_pass, &models, &*metric, algorithm)?;
    Ok(describe::request(
        job,
        &asked,
        &first_pass,
        &problem,
        algorithm,
        job.search.settings.clone(),
    ))
}

/// A choice as it is written in a job file; none for a word that means nothing, which is a mismatch by itself.
pub(super) fn word<T: DeserializeOwned>(word: &str) -> Option<T> {
    serde_json::from_value(Value::String(word.to_owned())).ok()
}
