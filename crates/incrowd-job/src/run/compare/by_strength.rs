//! What more privacy costs: every algorithm again, with several strengths of one promise.

use super::contest::Contest;
use crate::error::Error;
use crate::report::comparison::{AtStrength, ByStrength, Comparison};
use crate::run::models;
use incrowd_core::privacy::{Decimal, ModelSpec};
use incrowd_core::registry::Kind;

/// The strengths of promises about class sizes.
const SIZES: [u32; 7] = [2, 3, 5, 10, 25, 50, 100];
/// Those of promises that count something else, of which a table usually has few.
const COUNTS: [u32; 7] = [2, 3, 4, 5, 6, 8, 10];

/// Searches for the plot are many, so each does at most so many steps: about two seconds. By steps and not by time, so
/// that the same plot is drawn on every machine.
const STEPS: &str = "50M";

/// The losses of every algorithm by the strength of a promise; none if no promise has a whole number to vary.
pub(super) fn by_strength(
    contest: &Contest<'_>,
    comparison: &Comparison,
) -> Result<Option<ByStrength>, Error> {
    let asked = contest.asked;
    let Some(varied) = varied(&asked.models) else {
        return Ok(None);
    };
    let spec = &asked.models[varied];
    let setting = &spec.entry().settings[0];
    let requested = spec.setting(setting.name).and_then(|it| it.parse().ok());
    let mut strengths = match setting.name {
        "k" => SIZES.to_vec(),
        _ => COUNTS.to_vec(),
    };
    strengths.extend(requested);
    strengths.sort_unstable();
    strengths.dedup();
    let job = &contest.job.with_work_at_most(STEPS.parse()?);
    let short = Contest { job, ..*contest };
    let mut found = ByStrength {
        model: spec.name(),
        parameter: setting.name,
        strengths: Vec::new(),
        losses: vec![Vec::new(); contest.algorithms.len()],
    };
    let table = &contest.first_pass.table;
    let sensitive: Vec<usize> = (0..asked.plan.sensitive.len()).collect();
    for strength in strengths {
        let mut specs = asked.models.clone();
        specs[varied] = spec.clone().with_main(Decimal::from(strength))?;
        let models = models::build(&specs, table, &sensitive)?;
        // More than the whole table has.
        if models::check_reach(&models, table).is_err() {
            continue;
        }
        let terms = short.terms(models)?;
        found.strengths.push(strength);
        for (at, &algorithm) in contest.algorithms.iter().enumerate() {
            // A search that came to its end would find the same again.
            let known = comparison.runs[at].reached.as_ref();
            let known = known.filter(|it| Some(strength) == requested && it.stopped.is_none());
            let loss = known.and_then(|it| it.metrics.get(&comparison.metric));
            let loss = match loss {
                Some(&loss) => Some((loss, true)),
                None => short.loss(algorithm, &terms)?,
            };
            found.losses[at].push(loss.map(|(loss, is_final)| AtStrength { loss, is_final }));
        }
    }
    Ok(Some(found))
}

/// The promise to vary: k-anonymity, or the first that has a whole number.
fn varied(specs: &[ModelSpec]) -> Option<usize> {
    let is_whole = |spec: &ModelSpec| spec.entry().settings[0].kind == Kind::Count;
    let sizes = specs.iter().position(|spec| spec.name() == "k-anonymity");
    sizes.or_else(|| specs.iter().position(is_whole))
}
