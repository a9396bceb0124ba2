//! A small lattice, every node colored by what it suppresses.

use crate::budget::{COLOR as WITHIN, PlotBudget};
use crate::measure::{line_height, width, wrapped};
use crate::svg::{Anchor, FAINT, Font, GRID, INK, Svg};
use incrowd_core::lattice::Node;

/// How high a tile is, and the lines between two rows of them.
const TILE: f64 = 24.0;
const STEP: f64 = 58.0;
/// The minimum width of a tile; it grows with its label.
const TILE_WIDTH: f64 = 46.0;
/// Between two tiles of a row.
const BESIDE: f64 = 10.0;
const LEFT: f64 = 84.0;
const MARGIN: f64 = 24.0;
const LEGEND: f64 = 98.0;

const TITLE: Font = Font {
    is_bold: true,
    ..Font::new(16, INK, Anchor::Start)
};
const LABEL: Font = Font::new(12, INK, Anchor::Middle);

const fn faint(anchor: Anchor) -> Font {
    Font::new(12, FAINT, anchor)
}

/// A node and the share of rows it suppresses.
pub struct LatticeNode {
    /// Its levels.
    pub node: Node,
    /// The share of rows it suppresses, from 0 to 1.
    pub share: f64,
    /// Whether it may be published.
    pub is_within_budget: bool,
}

/// What to draw.
pub struct LatticePicture<'a> {
    /// What it is about.
    pub title: &'a str,
    /// The quasi-identifiers, in the order of the levels.
    pub attributes: &'a [String],
    /// All nodes, in any order.
    pub nodes: &'a [LatticeNode],
    /// The budget that a node must stay within.
    pub budget: &'a PlotBudget,
}

/// From white to dark blue, relative to the greatest share. The square root distinguishes small shares, which are the
/// ones that matter.
fn color(part: f64) -> (String, bool) {
    let depth = part.clamp(0.0, 1.0).sqrt();
    let stops = [
        (247.0, 251.0, 255.0),
        (158.0, 202.0, 225.0),
        (49.0, 130.0, 189.0),
        (8.0, 48.0, 107.0),
    ];
    let at = depth * (stops.len() - 1) as f64;
    let below = (at.floor() as usize).min(stops.len() - 2);
    let part = at - below as f64;
    let (from, to) = (stops[below], stops[below + 1]);
    let mix = |a: f64, b: f64| (a + (b - a) * part).round() as u8;
    let (red, green, blue) = (mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2));
    let is_dark = 0.3 * f64::from(red) + 0.6 * f64::from(green) + 0.1 * f64::from(blue) < 140.0;
    (format!("#{red:02x}{green:02x}{blue:02x}"), is_dark)
}

/// The lattice with the raw node at the bottom and an edge wherever one level rises by one.
pub fn lattice(picture: &LatticePicture<'_>) -> String {
    let nodes = picture.nodes;
    let most = nodes.iter().map(|of| of.share).fold(0.001, f64::max);
    let highest = nodes.iter().map(|of| of.node.height()).max().unwrap_or(0);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); highest as usize + 1];
    for (at, of) in nodes.iter().enumerate() {
        rows[of.node.height() as usize].push(at);
    }
    for row in &mut rows {
        row.sort_by(|&one, &other| nodes[one].node.cmp_levels(&nodes[other].node));
    }
    let labels: Vec<String> = nodes.iter().map(|of| label(&of.node)).collect();
    let widest_label = labels.iter().map(|label| width(label, LABEL));
    let tile = (widest_label.fold(TILE_WIDTH - 8.0, f64::max) + 8.0, TILE);
    let step = (tile.0 + BESIDE, STEP);
    let widest = rows.iter().map(Vec::len).max().unwrap_or(1).max(1);
    let all_width = (LEFT + step.0 * widest as f64 + MARGIN).max(620.0);
    let room = all_width - 2.0 * MARGIN;
    let order = picture.attributes.join(", ");
    let subtitle = format!("levels in the order {order}; raw values at the bottom");
    let title = wrapped(picture.title, TITLE, room);
    let subtitle = wrapped(&subtitle, faint(Anchor::Start), room);
    let budget = wrapped(&picture.budget.text(), faint(Anchor::Start), room - 42.0);
    let top = 16.0
        + title.len() as f64 * line_height(TITLE)
        + subtitle.len() as f64 * line_height(faint(Anchor::Start))
        + 14.0;
    let all_height = top
        + step.1 * rows.len() as f64
        + LEGEND
        + budget.len() as f64 * line_height(faint(Anchor::Start));
    let mut svg = Svg::new(all_width, all_height, picture.title);
    let mut baseline = 16.0;
    for (lines, font) in [(&title, TITLE), (&subtitle, faint(Anchor::Start))] {
        for line in lines {
            baseline += line_height(font);
            svg.text((MARGIN, baseline - 5.0), font, line);
        }
    }
    let middle = (LEFT + all_width - MARGIN) / 2.0;
    let places: Vec<(f64, f64)> = nodes
        .iter()
        .enumerate()
        .map(|(at, of)| {
            let row = &rows[of.node.height() as usize];
            let column = row.iter().position(|&other| other == at).unwrap_or(0);
            let x = middle + (column as f64 - (row.len() as f64 - 1.0) / 2.0) * step.0;
            let line = f64::from(highest - of.node.height());
            (x, top + step.1 * (line + 0.5))
        })
        .collect();
    for (lower, below) in nodes.iter().zip(&places) {
        for (upper, above) in nodes.iter().zip(&places) {
            let is_step = upper.node.height() == lower.node.height() + 1;
            if is_step && lower.node.is_at_or_below(&upper.node) {
                let from = (below.0, below.1 - tile.1 / 2.0);
                let to = (above.0, above.1 + tile.1 / 2.0);
                svg.line(from, to, "#c4c4c4", 0.8);
            }
        }
    }
    for ((of, at), label) in nodes.iter().zip(&places).zip(labels) {
        let (fill, is_dark) = color(of.share / most);
        let border = match of.is_within_budget {
            true => (WITHIN, 2.4),
            false => ("#8a8a8a", 0.8),
        };
        let corner = (at.0 - tile.0 / 2.0, at.1 - tile.1 / 2.0);
        let named: Vec<String> = picture
            .attributes
            .iter()
            .zip(of.node.levels())
            .map(|(name, level)| format!("{name} {level}"))
            .collect();
        let hover = format!(
            "{}: {:.2} % of rows suppressed",
            named.join(", "),
            of.share * 100.0
        );
        svg.tile(corner, tile, &fill, border, &hover);
        let color = if is_dark { "#ffffff" } else { INK };
        svg.text((at.0, at.1 + 4.0), Font { color, ..LABEL }, label);
    }
    for line in 0..rows.len() {
        let at = top + step.1 * (line as f64 + 0.5);
        let label = format!("height {}", rows.len() - 1 - line);
        svg.text((12.0, at + 4.0), faint(Anchor::Start), label);
    }
    let below = top + step.1 * rows.len() as f64 + 16.0;
    legend(&mut svg, below, most, &budget);
    svg.finish()
}

/// The levels of a node, as short as possible without ambiguity.
fn label(node: &Node) -> String {
    let is_long = node.levels().any(|level| level.0 > 9);
    let levels: Vec<String> = node.levels().map(|level| level.to_string()).collect();
    levels.join(if is_long { "," } else { "" })
}

fn legend(svg: &mut Svg, top: f64, most: f64, budget: &[String]) {
    const LENGTH: f64 = 360.0;
    const CELLS: usize = 60;
    let left = 156.0;
    let place = (MARGIN, top + 12.0);
    svg.text(place, faint(Anchor::Start), "rows suppressed");
    for cell in 0..CELLS {
        // The scale is that of the colors, so shares stand at their square roots.
        let depth = (cell as f64 + 0.5) / CELLS as f64;
        let (fill, _) = color(depth * depth);
        let x = left + LENGTH * cell as f64 / CELLS as f64;
        let width = LENGTH / CELLS as f64 + 0.4;
        let corners = [
            (x, top),
            (x + width, top),
            (x + width, top + 14.0),
            (x, top + 14.0),
        ];
        svg.area(&corners, &fill, 1.0);
    }
    svg.line((left, top + 14.0), (left + LENGTH, top + 14.0), GRID, 1.0);
    for quarter in 0..=4 {
        let depth = f64::from(quarter) / 4.0;
        let x = left + LENGTH * depth;
        svg.line((x, top + 14.0), (x, top + 18.0), FAINT, 1.0);
        let percent = depth * depth * most * 100.0;
        let digits = if most < 0.1 { 2 } else { 1 };
        let label = match quarter {
            0 => "0 %".to_owned(),
            _ => format!("{percent:.digits$} %"),
        };
        svg.text((x, top + 32.0), faint(Anchor::Middle), label);
    }
    let mut top = top + 50.0;
    let (corner, size) = ((MARGIN, top), (28.0, 18.0));
    svg.tile(corner, size, "#ffffff", (WITHIN, 2.4), "");
    for line in budget {
        svg.text((MARGIN + 42.0, top + 13.0), faint(Anchor::Start), line);
        top += line_height(faint(Anchor::Start));
    }
}
