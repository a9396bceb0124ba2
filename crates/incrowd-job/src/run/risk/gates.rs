//! Whether figures stay within the bounds that the user set.

use super::{Population, RiskOptions};
use crate::error::Error;
use crate::report::risk::{GateJudged, Risks};
use crate::spec::{Gate, GateFigure, Job};

/// Refuses gates about figures that will not be there, before anything is read.
pub(super) fn check(job: &Job, options: &RiskOptions) -> Result<(), Error> {
    for gate in &options.gates {
        let needed = match gate.figure {
            GateFigure::JournalistHighest
            | GateFigure::JournalistAverage
            | GateFigure::JournalistAbove
            | GateFigure::Presence => {
                let is_there = matches!(options.population, Some(Population::Table(_)));
                (!is_there).then_some("--population FILE")
            }
            GateFigure::Pitman | GateFigure::Zayatz | GateFigure::Snb => {
                (options.population.is_none()).then_some("--population-size N")
            }
            GateFigure::Certain => {
                let sensitive = job.columns.sensitive.as_deref().unwrap_or_default();
                sensitive.is_empty().then_some("-s COLUMN")
            }
            _ => None,
        };
        if let Some(needed) = needed {
            return Err(Error::GateWithoutFigure {
                gate: gate.to_string(),
                needed,
            });
        }
    }
    Ok(())
}

/// Compares every gate with its figure. A gate whose figure could not be found is not met.
pub(super) fn judge(gates: &[Gate], risks: &Risks) -> Vec<GateJudged> {
    let judged = gates.iter().map(|gate| {
        let figure = figure(gate.figure, risks);
        GateJudged {
            gate: *gate,
            figure,
            holds: figure.is_some_and(|figure| gate.is_met_by(figure)),
        }
    });
    judged.collect()
}

fn figure(figure: GateFigure, risks: &Risks) -> Option<f64> {
    let population = risks.uniques.population.as_ref();
    let journalist = risks.journalist.as_ref();
    match figure {
        GateFigure::Highest => Some(risks.prosecutor.highest),
        GateFigure::Average => Some(risks.prosecutor.average),
        GateFigure::Above => Some(risks.prosecutor.above_threshold.share),
        GateFigure::Marketer => Some(risks.marketer),
        GateFigure::JournalistHighest => Some(journalist?.highest),
        GateFigure::JournalistAverage => Some(journalist?.average),
        GateFigure::JournalistAbove => Some(journalist?.above_threshold.share),
        GateFigure::Presence => Some(risks.matched?.delta_presence.max),
        GateFigure::Uniques => Some(risks.uniques.sample.share),
        GateFigure::Pitman => population?.shares.pitman,
        GateFigure::Zayatz => population?.shares.zayatz,
        GateFigure::Snb => population?.shares.snb,
        GateFigure::Certain => {
            let columns = risks.attribute_disclosure.values();
            columns.map(|column| column.share).reduce(f64::max)
        }
    }
}
