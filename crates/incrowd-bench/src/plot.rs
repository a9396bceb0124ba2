//! The chart of the README, from a recorded run.
//!
//! Nodes checked, not seconds: the peer's counts are from the same table, hierarchies and questions, its times are
//! from another machine.

use crate::report::{Measure, median, read_measures, short};
use crate::{arx, negotiation, optimal, record};
use anyhow::{Context, Result, bail, ensure};
use std::fmt::Write;

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
    if !measures.iter().any(|of| of.benchmark == "optimal") {
        return Ok(());
    }
    let svg = chart(run, &measures)?;
    let folder = record::project().join("docs/images");
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

const OURS: &str = "#0b6e99";
const THEIRS: &str = "#c4560a";
pub(crate) const INK: &str = "#1f2328";
pub(crate) const PALE: &str = "#59636e";
pub(crate) const RULE: &str = "#d1d9e0";

/// The axis shows this many nodes, by powers of ten.
const LEAST: f64 = 100.0;
const MOST: f64 = 21600.0;

fn x(nodes: f64) -> f64 {
    LEFT + (nodes / LEAST).log10() / (MOST / LEAST).log10() * (RIGHT - LEFT)
}

/// Writes the elements of a picture.
pub(crate) struct Svg(String);

impl Svg {
    /// An empty picture on white.
    pub(crate) fn new((width, height): (f64, f64), label: &str) -> Self {
        Svg(format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif" font-size="12" fill="{INK}" role="img" aria-label="{label}">
<rect width="{width}" height="{height}" fill="#fff"/>
"##
        ))
    }

    /// The whole picture.
    pub(crate) fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.0.write_fmt(element);
        self.0.push('\n');
    }

    pub(crate) fn text(&mut self, (x, y): (f64, f64), style: &str, text: &str) {
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        self.add(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" {style}>{text}</text>"#
        ));
    }

    pub(crate) fn line(&mut self, from: (f64, f64), to: (f64, f64), style: &str) {
        self.add(format_args!(
            r#"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" {style}/>"#,
            from.0, from.1, to.0, to.1
        ));
    }

    pub(crate) fn dot(&mut self, (x, y): (f64, f64), colour: &str) {
        self.add(format_args!(
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="3.5" fill="{colour}"/>"#
        ));
    }

    fn ours(&mut self, (x, y): (f64, f64)) {
        self.add(format_args!(
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="5" fill="{OURS}"/>"#
        ));
    }

    fn theirs(&mut self, (x, y): (f64, f64)) {
        self.add(format_args!(
            r##"<circle cx="{x:.1}" cy="{y:.1}" r="4.5" fill="#fff" stroke="{THEIRS}" stroke-width="2"/>"##
        ));
    }
}

fn chart(run: &str, measures: &[Measure]) -> Result<String> {
    let lines = BUDGETS.len() * (optimal::METRICS.len() + 1);
    let bottom = TOP + LINE * lines as f64 + 6.0;
    let height = bottom + 66.0;
    let label = format!(
        "Nodes of the lattice checked by incrowd and by {} for the same optimum on Adult",
        arx::NAME
    );
    let mut svg = Svg::new((WIDTH, height), &label);
    svg.text(
        (16.0, 26.0),
        r#"font-size="16" font-weight="600""#,
        "Nodes checked until the optimum is proven (fewer is better)",
    );
    svg.text(
        (16.0, 46.0),
        &format!(r#"fill="{PALE}""#),
        "Adult, 30162 rows, eight quasi-identifiers, lattice of 21600 nodes, k = 5. Both find an optimum of the same loss.",
    );
    svg.ours((22.0, 66.0));
    let name = format!("incrowd {}", env!("CARGO_PKG_VERSION"));
    svg.text((34.0, 70.0), "", &name);
    svg.theirs((130.0, 66.0));
    svg.text((142.0, 70.0), "", arx::NAME);
    svg.text(
        (WIDTH - 16.0, 70.0),
        &format!(r#"text-anchor="end" fill="{PALE}""#),
        "incrowd, CPU ms",
    );

    let rule = format!(r#"stroke="{RULE}" stroke-width="1""#);
    for nodes in [100.0, 300.0, 1000.0, 3000.0, 10000.0, MOST] {
        svg.line((x(nodes), TOP - 10.0), (x(nodes), bottom), &rule);
        svg.text(
            (x(nodes), bottom + 16.0),
            &format!(r#"text-anchor="middle" fill="{PALE}""#),
            &match nodes == MOST {
                true => "all".to_owned(),
                false => nodes.to_string(),
            },
        );
    }
    let mut y = TOP;
    for (share, title) in BUDGETS {
        svg.text((16.0, y + 4.0), r#"font-weight="600""#, title);
        y += LINE;
        for metric in optimal::METRICS {
            let pair = pair(measures, share, metric)?;
            svg.text((28.0, y + 4.0), "", pair.metric);
            let link = format!(r#"stroke="{PALE}" stroke-width="1.5""#);
            svg.line((x(pair.ours), y), (x(pair.theirs), y), &link);
            svg.theirs((x(pair.theirs), y));
            svg.ours((x(pair.ours), y));
            svg.text(
                (WIDTH - 16.0, y + 4.0),
                r#"text-anchor="end""#,
                &short(pair.cpu_ms),
            );
            y += LINE;
        }
    }
    svg.text(
        ((LEFT + RIGHT) / 2.0, bottom + 34.0),
        &format!(r#"text-anchor="middle" fill="{PALE}""#),
        "nodes checked (each step of the scale multiplies)",
    );
    svg.text(
        (16.0, bottom + 56.0),
        &format!(r#"font-size="11" fill="{PALE}""#),
        &format!(
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
