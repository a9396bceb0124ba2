//! Columns of numbers.

use super::Judged;

/// Whether a quasi-identifier is one of numbers.
pub(super) fn is_numeric(judged: &Judged<'_>, attribute: usize) -> bool {
    let (column, hierarchy) = &judged.problem.quasi_identifiers[attribute];
    let all_rows: Vec<usize> = (0..judged.problem.table.rows.len()).collect();
    let data = judged.problem.values(&all_rows, column);
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    let mut data = data.into_iter().filter(|text| !text.is_empty()).peekable();
    let mut listed = hierarchy.iter().map(|way| way[0].as_str());
    data.peek().is_some()
        && data.all(is_number)
        && listed.all(|text| text.is_empty() || is_number(text))
}

/// The distance between the least and the greatest number; 0 without numbers.
pub(super) fn width<'a>(values: impl Iterator<Item = &'a str>) -> f64 {
    let numbers: Vec<f64> = values.filter_map(|text| text.parse().ok()).collect();
    let greatest = numbers.iter().copied().reduce(f64::max).unwrap_or(0.0);
    greatest - numbers.iter().copied().reduce(f64::min).unwrap_or(0.0)
}
