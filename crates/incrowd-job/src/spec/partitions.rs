//! What a job says about partitions of values: schemes, steps, the direction of the search.

use crate::error::Error;
use crate::spec::Search;
use incrowd_core::hierarchy::build::Decimal;
use incrowd_core::problem::{CoarseSteps, Direction, PartitionSettings, PruningRules, Scheme};

/// Reads what the job says; what it does not say is left to the algorithm.
pub(crate) fn settings(search: &Search) -> Result<PartitionSettings, Error> {
    let mut settings = PartitionSettings::default();
    for text in search.scheme.iter().flatten() {
        let wrong = || Error::PartitionSetting {
            flag: "--scheme",
            text: text.clone(),
            expected: "one of bhs, ghs, gops, gsps, ops and sps, or a column and one of them, as in age=ops",
        };
        let scheme = |name: &str| name.trim().parse::<Scheme>().map_err(|()| wrong());
        match text.rsplit_once('=') {
            Some((column, name)) => {
                let column = column.trim().to_owned();
                settings.schemes.push((column, scheme(name)?));
            }
            None => settings.scheme = Some(scheme(text)?),
        }
    }
    for text in search.coarse.iter().flatten() {
        settings
            .coarse
            .push(steps(text).ok_or_else(|| Error::PartitionSetting {
                flag: "--coarse",
                text: text.clone(),
                expected: "a column, the width of its steps and where one begins, as in age=5@17",
            })?);
    }
    if let Some(text) = &search.direction {
        settings.direction =
            text.trim()
                .parse::<Direction>()
                .map_err(|()| Error::PartitionSetting {
                    flag: "--search",
                    text: text.clone(),
                    expected: "bottom-up, top-down or auto",
                })?;
    }
    for text in search.without_pruning.iter().flatten() {
        switch_off(&mut settings.rules, text)?;
    }
    Ok(settings)
}

/// Whether the job says anything about partitions.
pub(crate) fn are_asked_for(search: &Search) -> bool {
    search.scheme.is_some()
        || search.coarse.is_some()
        || search.direction.is_some()
        || search.without_pruning.is_some()
}

/// `age=5@17`: steps of 5 from 17; without the end, from 0.
fn steps(text: &str) -> Option<CoarseSteps> {
    let (column, steps) = text.rsplit_once('=')?;
    let (width, origin) = steps.split_once('@').unwrap_or((steps, "0"));
    let width: Decimal = width.trim().parse().ok()?;
    width.is_positive().then_some(())?;
    Some(CoarseSteps {
        column: column.trim().to_owned(),
        width,
        origin: origin.trim().parse().ok()?,
    })
}

fn switch_off(rules: &mut PruningRules, text: &str) -> Result<(), Error> {
    let name = text.trim();
    if name == "all" {
        *rules = PruningRules::NONE;
        return Ok(());
    }
    let mut named = rules.named().into_iter();
    let Some((_, rule)) = named.find(|(rule, _)| *rule == name) else {
        return Err(Error::PartitionSetting {
            flag: "--without-pruning",
            text: text.to_owned(),
            expected: "all, cost-bound, useless-applicators, useful-applicators, seeding, delayed-expansion, \
                       least-bound-first, arranged-applicators, tighter-bounds or program",
        });
    };
    *rule = false;
    Ok(())
}
