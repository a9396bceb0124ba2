//! The chart of the README, from a recorded run.
//!
//! Nodes checked, not seconds: the peer's counts are from the same table, hierarchies and questions, its times are
//! from another machine.

use crate::fonts::{HEADING, SOURCE, TEXT, TITLE, faint};
use crate::report::{Measure, median, read_measures, short};
use crate::{arx, growth, negotiation, optimal, record, regions};
use anyhow::{Context, Result, bail, ensure};
use incrowd_plot::{Anchor, Axis, FAINT, Font, GRID, INK, Scale, Svg, grouped, style};

const ATTRIBUTES: usize = 8;
const BUDGETS: [(f64, &str); 3] = [
    (0.0, "no row suppressed"),
    (0.01, "at most 1 % of rows suppressed"),
    (0.05, "at most 5 % of rows suppressed"),
];

/// One row of the chart.
#[derive(Debug, PartialEq)]
struct Pair {
    metric: &'static str,
    ours: f64,
    theirs: f64,
    cpu_ms: f64,
}

/// Draws the charts of what the run measured into `docs/images`.
pub(crate) fn draw(run: &str) -> Result<()> {
    let measures = read_measures(&record::folder(run).join("raw.csv"))?;
    if negotiation::has_growth(&measures) {
        negotiation::draw(run)?;
    }
    if growth::has_growth(&measures) {
        growth::draw(run)?;
    }
    if regions::has_growth(&measures) {
        regions::draw(run)?;
    }
    if !measures.iter().any(|of| of.benchmark == "optimal") {
        return Ok(());
    }
    let svg = chart(run, &measures)?;
    let folder = crate::paths::project().join("docs/images");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("optimal-on-adult.svg"), svg).context("writing the chart")
}

/// What a subject measured in a case, all repetitions.
fn values(measures: &[Measure], case: &str, subject: &str, measure: &str) -> Result<Vec<f64>> {
    let found: Vec<f64> = measures
        .iter()
        .filter(|other| {
            other.benchmark == "optimal"
                && other.case == case
                && other.subject == subject
                && other.measure == measure
        })
        .map(|found| found.value.parse())
        .collect::<Result<_, _>>()?;
    if found.is_empty() {
        bail!("the run has no {measure} of {subject} for {case}");
    }
    Ok(found)
}

fn pair(measures: &[Measure], share: f64, metric: &'static str) -> Result<Pair> {
    let case = optimal::case(ATTRIBUTES, share, metric);
    let one = |subject: &str, measure: &str| -> Result<f64> {
        Ok(median(&values(measures, &case, subject, measure)?))
    };
    let (ours, theirs) = (one("incrowd", "loss")?, one(arx::NAME, "loss")?);
    ensure!(
        optimal::is_same_loss(ours, theirs),
        "the optima of {case} differ, so their costs do not compare"
    );
    Ok(Pair {
        metric,
        ours: one("incrowd", "nodes_checked")?,
        theirs: one(arx::NAME, "nodes_checked")?,
        cpu_ms: one("incrowd", "cpu_ms")?,
    })
}

const WIDTH: f64 = 760.0;
/// Where the axis begins and ends.
const LEFT: f64 = 240.0;
const RIGHT: f64 = 660.0;
const LINE: f64 = 19.0;
const TOP: f64 = 96.0;

/// The axis shows this many nodes, by powers of ten.
const LEAST: f64 = 100.0;
const MOST: f64 = 21600.0;

fn ours(svg: &mut Svg, at: (f64, f64)) {
    svg.dot(at, 5.0, style(0).0);
}

fn theirs(svg: &mut Svg, at: (f64, f64)) {
    svg.ring(at, 4.5, style(1).0);
}

fn chart(run: &str, measures: &[Measure]) -> Result<String> {
    let lines = BUDGETS.len() * (optimal::METRICS.len() + 1);
    let bottom = TOP + LINE * lines as f64 + 6.0;
    let height = bottom + 66.0;
    let label = format!(
        "Nodes of the lattice checked by incrowd and by {} for the same optimum on Adult",
        arx::NAME
    );
    let mut svg = Svg::new(WIDTH, height, &label);
    svg.text(
        (16.0, 26.0),
        TITLE,
        "Nodes checked until the optimum is proven (fewer is better)",
    );
    svg.text(
        (16.0, 46.0),
        faint(Anchor::Start),
        "Adult, 30162 rows, eight quasi-identifiers, lattice of 21600 nodes, k = 5. Both find an optimum of the same loss.",
    );
    ours(&mut svg, (22.0, 66.0));
    let name = format!("incrowd {}", env!("CARGO_PKG_VERSION"));
    svg.text((34.0, 70.0), TEXT, name);
    theirs(&mut svg, (130.0, 66.0));
    svg.text((142.0, 70.0), TEXT, arx::NAME);
    let right = WIDTH - 16.0;
    svg.text((right, 70.0), faint(Anchor::End), "incrowd, CPU ms");

    let axis = Axis::exactly((LEAST, MOST), Scale::Powers, true);
    let x = |nodes: f64| LEFT + axis.share(nodes) * (RIGHT - LEFT);
    for &nodes in axis.ticks().iter().chain(&[MOST]) {
        svg.line((x(nodes), TOP - 10.0), (x(nodes), bottom), GRID, 1.0);
        let tick = match nodes == MOST {
            true => "all".to_owned(),
            false => grouped(nodes),
        };
        svg.text((x(nodes), bottom + 16.0), faint(Anchor::Middle), tick);
    }
    let mut y = TOP;
    for (share, title) in BUDGETS {
        svg.text((16.0, y + 4.0), HEADING, title);
        y += LINE;
        for metric in optimal::METRICS {
            let pair = pair(measures, share, metric)?;
            svg.text((28.0, y + 4.0), TEXT, pair.metric);
            svg.line((x(pair.ours), y), (x(pair.theirs), y), FAINT, 1.5);
            theirs(&mut svg, (x(pair.theirs), y));
            ours(&mut svg, (x(pair.ours), y));
            let cpu = Font::new(12, INK, Anchor::End);
            svg.text((right, y + 4.0), cpu, short(pair.cpu_ms));
            y += LINE;
        }
    }
    svg.text(
        ((LEFT + RIGHT) / 2.0, bottom + 34.0),
        faint(Anchor::Middle),
        format!("nodes checked ({})", axis.note().unwrap_or("linear")),
    );
    svg.text(
        (16.0, bottom + 56.0),
        SOURCE,
        format!(
            "Run {run}: see benchmarks/runs/{run}. {} had the same table and hierarchies; its time was not measured here.",
            arx::NAME
        ),
    );
    Ok(svg.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Report;

    fn measured(their_loss: f64) -> Report {
        let mut report = Report::default();
        for (share, _) in BUDGETS {
            for metric in optimal::METRICS {
                let case = optimal::case(ATTRIBUTES, share, metric);
                let ours = ("optimal", case.as_str(), "incrowd");
                let theirs = ("optimal", case.as_str(), arx::NAME);
                report.repetitions(ours, "cpu_ms", [3.0, 2.0, 9.0]);
                report.fact(ours, "nodes_checked", 150);
                report.fact(ours, "loss", 0.5);
                report.fact(theirs, "nodes_checked", 1500);
                report.fact(theirs, "loss", their_loss);
            }
        }
        report
    }

    #[test]
    fn every_case_is_drawn_with_both_subjects() {
        let svg = chart("2001-01-01", &measured(0.5).measures).unwrap();
        let rows = BUDGETS.len() * optimal::METRICS.len();
        assert_eq!(svg.matches("<circle").count(), 2 * rows + 2);
        assert!(svg.contains("ARX 3.9.2"));
    }

    #[test]
    fn different_optima_are_not_compared() {
        assert!(chart("2001-01-01", &measured(0.4).measures).is_err());
    }
}
