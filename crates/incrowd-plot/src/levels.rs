//! The levels of a column, from everything at the top to single values at the bottom, with the published one marked.
//!
//! A tree if there is room for it, a stair otherwise. Either way every level has a row of its own with its name, and the
//! only names are those of levels: whoever draws a table about persons decides elsewhere which values may be named.

use crate::measure::{cut, line_height, width};
use crate::svg::{Anchor, FAINT, Font, INK, Svg};

/// What is drawn.
pub struct Levels<'a> {
    /// For those who cannot see the picture.
    pub title: &'a str,
    /// From the top down.
    pub rows: &'a [LevelRow],
    /// The tree, or nothing for a stair. A parent stands before its children, children from left to right.
    pub nodes: &'a [LevelNode],
}

/// A level.
pub struct LevelRow {
    /// Its name.
    pub name: String,
    /// Below its name.
    pub note: String,
    /// How many values it tells apart.
    pub values: u32,
    /// Whether values of this level are published.
    pub is_published: bool,
}

/// A value of a level.
pub struct LevelNode {
    /// The place of its level in [`Levels::rows`].
    pub row: usize,
    /// The place of the node above it.
    pub parent: Option<usize>,
    /// Whether it is published. What is below it is not drawn, only hinted at.
    pub is_published: bool,
}

/// Around everything.
const MARGIN: f64 = 12.0;
/// The height of a level.
const ROW: f64 = 40.0;
/// Names are cut at this width.
const NAME_WIDTH: f64 = 190.0;
/// The room for the tree or the stair.
const ROOM: f64 = 200.0;

const NAME: Font = Font::new(12, INK, Anchor::Start);
const PUBLISHED_NAME: Font = Font {
    is_bold: true,
    ..NAME
};
const NOTE: Font = Font::new(11, FAINT, Anchor::Start);

/// What is published.
const PUBLISHED: &str = "#0072b2";
/// The row of a published level.
const BAND: &str = "#e3f0f9";
/// Everything else.
const OTHER: &str = "#9aa3ab";
/// What is not told apart anymore.
const HIDDEN: &str = "#d5dade";

/// The levels of a column.
pub fn levels(picture: &Levels<'_>) -> String {
    let name_font = |row: &LevelRow| match row.is_published {
        true => PUBLISHED_NAME,
        false => NAME,
    };
    let texts: Vec<(String, String)> = (picture.rows.iter())
        .map(|row| {
            let name = cut(&row.name, name_font(row), NAME_WIDTH);
            (name, cut(&row.note, NOTE, NAME_WIDTH))
        })
        .collect();
    let widths = (picture.rows.iter().zip(&texts))
        .map(|(row, (name, note))| width(name, name_font(row)).max(width(note, NOTE)));
    let left = MARGIN + widths.fold(0.0, f64::max) + 16.0;
    let all_width = left + ROOM + MARGIN;
    let all_height = 2.0 * MARGIN + picture.rows.len() as f64 * ROW;
    let mut svg = Svg::new(all_width, all_height, picture.title);
    let middle = |row: usize| MARGIN + (row as f64 + 0.5) * ROW;
    for (at, (row, (name, note))) in picture.rows.iter().zip(&texts).enumerate() {
        if row.is_published {
            let (top, floor) = (middle(at) - ROW / 2.0, middle(at) + ROW / 2.0);
            let right = all_width - MARGIN / 2.0;
            let corners = [
                (MARGIN / 2.0, top),
                (right, top),
                (right, floor),
                (MARGIN / 2.0, floor),
            ];
            svg.area(&corners, BAND, 1.0);
        }
        svg.text((MARGIN, middle(at) - 2.0), name_font(row), name);
        let below = middle(at) - 2.0 + line_height(NOTE);
        let color = if row.is_published { INK } else { FAINT };
        svg.text((MARGIN, below), Font { color, ..NOTE }, note);
    }
    match picture.nodes.is_empty() {
        true => stair(&mut svg, picture.rows, left, middle),
        false => tree(&mut svg, picture, left, middle),
    }
    svg.finish()
}

/// A bar for each level, longer the more values it tells apart.
fn stair(svg: &mut Svg, rows: &[LevelRow], left: f64, middle: impl Fn(usize) -> f64) {
    let length = |values: u32| f64::from(values.max(1)).ln() + 0.5;
    let longest = rows.iter().map(|row| length(row.values));
    let longest = longest.fold(0.5, f64::max);
    let lowest_published = rows.iter().rposition(|row| row.is_published);
    for (at, row) in rows.iter().enumerate() {
        let right = left + ROOM * length(row.values) / longest;
        let (top, floor) = (middle(at) - 8.0, middle(at) + 8.0);
        let color = match row.is_published {
            true => PUBLISHED,
            false if lowest_published.is_some_and(|lowest| at > lowest) => HIDDEN,
            false => OTHER,
        };
        let corners = [(left, top), (right, top), (right, floor), (left, floor)];
        svg.area(&corners, color, 1.0);
    }
}

fn tree(svg: &mut Svg, picture: &Levels<'_>, left: f64, middle: impl Fn(usize) -> f64) {
    let nodes = picture.nodes;
    let mut children = vec![0_u32; nodes.len()];
    for parent in nodes.iter().filter_map(|node| node.parent) {
        children[parent] += 1;
    }
    // Nodes without children stand side by side; others above the middle of theirs.
    let lowest = children.iter().filter(|&&count| count == 0).count();
    let slot = ROOM / lowest.max(1) as f64;
    let mut x = vec![0.0; nodes.len()];
    let mut taken = 0.0;
    for (at, &count) in children.iter().enumerate() {
        if count == 0 {
            x[at] = left + (taken + 0.5) * slot;
            taken += 1.0;
        }
    }
    for at in (0..nodes.len()).rev() {
        if children[at] > 0 {
            x[at] /= f64::from(children[at]);
        }
        if let Some(parent) = nodes[at].parent {
            x[parent] += x[at];
        }
    }
    let floor = middle(picture.rows.len().saturating_sub(1)) + 8.0;
    for ((node, &x), &children) in nodes.iter().zip(&x).zip(&children) {
        let y = middle(node.row);
        if node.is_published && children == 0 && node.row + 1 < picture.rows.len() {
            let half = (slot * 0.42).min(26.0);
            let corners = [(x, y), (x - half, floor), (x + half, floor)];
            svg.area(&corners, HIDDEN, 1.0);
        }
    }
    for (node, &at) in nodes.iter().zip(&x) {
        if let Some(parent) = node.parent {
            let (from, to) = (middle(nodes[parent].row), middle(node.row));
            svg.line((x[parent], from), (at, to), OTHER, 1.2);
        }
    }
    let radius = (slot * 0.4).clamp(2.5, 5.5);
    for (node, &x) in nodes.iter().zip(&x) {
        let color = match node.is_published {
            true => PUBLISHED,
            false => OTHER,
        };
        svg.dot((x, middle(node.row)), radius, color);
    }
}
