//! Measures what the page about a release tells, all of it from distinct tuples: no row is read for it.

mod alternatives;
mod columns;
mod risks;

pub(crate) use alternatives::Trial;

use crate::error::Error;
use crate::report::certificate::Certificate;
use crate::report::outcome::Outcome;
use crate::report::pictured::Pictured;
use crate::report::released::{Alternatives, Facts, Files, Promise, Released};
use crate::run::describe::Answer;
use crate::run::files::file_name;
use crate::spec::HierarchySource;
use incrowd_core::hierarchy::HierarchySpec;
use incrowd_core::privacy::{ModelSpec, PrivacyModel};
use incrowd_core::publish::Reached;
use incrowd_core::registry::{Kind, Setting};
use std::path::Path;

/// What is measured for the page alone.
pub(crate) fn facts(answer: &Answer<'_>, alternatives: Alternatives) -> Result<Facts, Error> {
    let release = answer.release;
    Ok(Facts {
        pictured: Pictured::of(release, answer.control)?,
        columns: columns::generalized(release, answer.control)?,
        promises: promises(answer),
        risk: risks::change(answer),
        alternatives,
    })
}

/// The page.
pub(crate) fn page(
    answer: &Answer<'_>,
    outcome: &Outcome,
    certificate: &Certificate,
    facts: &Facts,
) -> String {
    let job = answer.job;
    let name = |path: &Path| file_name(&path.to_string_lossy());
    let written = outcome.output.as_ref();
    let is_printed = job.output.path.as_deref() == Some("-") && job.output.sink.is_none();
    Released {
        outcome,
        certificate,
        files: Files {
            table: file_name(&answer.asked.source.name()),
            table_is_file: job.data.table.is_none() && job.data.path.as_deref() != Some("-"),
            release: match written {
                Some(written) if !is_printed => name(&written.path),
                _ => "on standard output".to_owned(),
            },
            release_is_file: job.output.sink.is_none() && !is_printed,
            certificate: (outcome.certificate.as_ref())
                .map(|written| (name(&written.path), written.sha256.clone())),
            population: job.privacy.population.as_deref().map(file_name),
            hierarchies: job.columns.hierarchies.as_deref().map(name),
            own_hierarchies: (job.hierarchies.iter())
                .filter_map(|(column, source)| {
                    let source = match source {
                        HierarchySource::File(path) => match name(path) {
                            // Else it would be taken for a builder.
                            file if HierarchySpec::is_meant_by(&file) => format!("./{file}"),
                            file => file,
                        },
                        HierarchySource::Built(text) => text.clone(),
                        HierarchySource::Attached(_) => return None,
                    };
                    Some(format!("{column}={source}"))
                })
                .collect(),
            has_levels_at_hand: (job.hierarchies.values())
                .any(|source| matches!(source, HierarchySource::Attached(_))),
        },
        facts,
    }
    .to_html()
}

/// What was promised, and what it has come to.
fn promises(answer: &Answer<'_>) -> Vec<Promise> {
    let columns = &answer.problem.table.columns;
    let models = answer.problem.models.iter().map(|model| &**model);
    let promise = |(model, reached): (&dyn PrivacyModel, &Reached)| {
        let column = model.column().map(|at| columns[at].name.as_str());
        let spec = (model.spec()).with_column(column.filter(|_| columns.len() > 1));
        Promise {
            model: model.entry().name,
            text: without_values(&spec),
            settings: settings_without_values(&spec),
            column: column.map(str::to_owned),
            reached: reached.worst.filter(|worst| worst.is_finite()),
            direction: model.direction(),
        }
    };
    models.zip(answer.seen.reached()).map(promise).collect()
}

/// In place of a value of the table.
const HIDDEN: &str = "…";

/// Whether a setting of a model quotes a value of the table.
fn quotes_a_value(setting: &Setting) -> bool {
    setting.kind == Kind::Text && setting.name != Setting::COLUMN
}

/// The settings of a model, without the values of the table that they quote: such a value need not be in the release.
fn settings_without_values(spec: &ModelSpec) -> Vec<(&'static str, String)> {
    let settings = spec.entry().settings.iter();
    let told = settings.filter_map(|setting| {
        let text = spec.given().text(setting.name)?;
        let text = if quotes_a_value(setting) {
            HIDDEN
        } else {
            text
        };
        Some((setting.name, text.to_owned()))
    });
    told.collect()
}

/// A model as it is written, without the values of the table that it quotes.
fn without_values(spec: &ModelSpec) -> String {
    let mut told = ModelSpec::bare(spec.entry());
    for setting in spec.entry().settings {
        let Some(text) = spec.setting(setting.name) else {
            continue;
        };
        let text = if quotes_a_value(setting) {
            HIDDEN
        } else {
            text
        };
        if told.give(setting.name, text).is_err() {
            return spec.name().to_owned();
        }
    }
    told.to_string()
}
