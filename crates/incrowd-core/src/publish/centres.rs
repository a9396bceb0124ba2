//! Means and medians: texts that do not say what they stand for, so they are computed again.
//!
//! Several regions may print alike and are then one class. Their rows together have the mean, and the median, that each
//! of them has.

use super::classes::Classes;
use crate::counts::{Attribute, CountedTable, LeafSet};
use crate::hierarchy::Leaf;
use crate::recode::{Labels, PublishedCells, PublishedColumn, PublishedNumbers};
use crate::table::parse_number;

/// Whether some columns publish means or medians.
pub(super) fn are_published(columns: &[PublishedColumn<'_>]) -> bool {
    columns.iter().any(|column| match column.cells {
        PublishedCells::ByLeaf(_) => false,
        PublishedCells::ByTuple { numbers, .. } => numbers != PublishedNumbers::Interval,
    })
}

/// Whether every mean and median is that of its class.
pub(super) fn are_right(
    table: &CountedTable,
    columns: &[PublishedColumn<'_>],
    classes: &Classes,
) -> bool {
    let attributes = table.attributes.iter().enumerate();
    attributes.zip(columns).all(|((at, attribute), column)| {
        let PublishedCells::ByTuple {
            values,
            covers,
            numbers,
        } = column.cells
        else {
            return true;
        };
        if numbers == PublishedNumbers::Interval {
            return true;
        }
        let labels = Labels::new(attribute);
        let says_it = |(text, cover): (&&str, &LeafSet)| {
            let mut ways = [false, true].into_iter();
            ways.any(|is_a_leaf| labels.read(text, is_a_leaf).as_ref() == Some(cover))
        };
        let says_it: Vec<bool> = column.texts.iter().zip(covers).map(says_it).collect();
        // The rows of each class that has a centre, by number.
        let mut members: Vec<(u32, f64, u32)> = Vec::new();
        let mut texts_of_classes = vec![None; classes.sizes().len()];
        for (tuple, (&class, &value)) in classes.of_all_tuples().iter().zip(values).enumerate() {
            if says_it[value as usize] {
                continue;
            }
            texts_of_classes[class as usize] = Some(column.texts[value as usize]);
            let text = attribute.hierarchy.text(table.leaf(tuple, at));
            let Some(number) = parse_number(text) else {
                return false;
            };
            members.push((class, number.get(), table.tuples.sizes()[tuple]));
        }
        members.sort_unstable_by(|one, other| {
            let by_number = one.1.total_cmp(&other.1);
            one.0.cmp(&other.0).then(by_number)
        });
        let half_a_digit = 0.5 / 10_f64.powi(places(attribute));
        let classes = members.chunk_by(|one, other| one.0 == other.0);
        classes.into_iter().all(|class| {
            let text = texts_of_classes[class[0].0 as usize];
            let Some(published) = text.and_then(parse_number) else {
                return false;
            };
            let centre = centre(numbers, class);
            let greatest = class.iter().map(|it| it.1.abs()).fold(0.0, f64::max);
            let rounding = 1e-13 * greatest * class.len() as f64;
            (published.get() - centre).abs() <= half_a_digit + rounding
        })
    })
}

/// The digits after the point of a mean, unless they are zeros: two more than any number of the column has. Columns with
/// very many are not rounded at all.
fn places(attribute: &Attribute) -> i32 {
    let leaves = (0..attribute.hierarchy.leaves() as u32).map(Leaf);
    let places = leaves.map(|leaf| {
        let text = attribute.hierarchy.text(leaf).trim();
        let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let fraction = number.split_once('.').map_or("", |(_, fraction)| fraction);
        let digits = fraction.trim_end_matches('0').len() as i32;
        digits.saturating_sub(exponent.parse().unwrap_or(0))
    });
    places.max().unwrap_or(0).max(0).saturating_add(2)
}

/// The mean or median of numbers with their rows, in order.
fn centre(numbers: PublishedNumbers, class: &[(u32, f64, u32)]) -> f64 {
    let rows: u64 = class.iter().map(|&(_, _, rows)| u64::from(rows)).sum();
    match numbers {
        PublishedNumbers::Median => {
            let number = |wanted: u64| {
                let mut left = wanted;
                for &(_, number, rows) in class {
                    match left.checked_sub(rows.into()) {
                        Some(rest) => left = rest,
                        None => return number,
                    }
                }
                f64::NAN
            };
            number((rows - 1) / 2) / 2.0 + number(rows / 2) / 2.0
        }
        _ => (class.iter())
            .map(|&(_, number, share)| number * (f64::from(share) / rows as f64))
            .sum(),
    }
}
