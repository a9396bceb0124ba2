//! What was measured: every number for machines, tables for people.

use crate::paths;
use anyhow::{Context, Result};
use std::fmt::{Display, Write};
use std::path::Path;

/// One number, or another short fact, about one subject in one case.
///
/// Times come once per repetition, everything else once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Measure {
    /// The benchmark, as it is called on the command line.
    pub(crate) benchmark: String,
    /// What was done.
    pub(crate) case: String,
    /// Who did it: `incrowd`, or a peer with its version.
    pub(crate) subject: String,
    /// What was measured, with its unit.
    pub(crate) measure: String,
    /// Which repetition, from 1; 0 for what does not change between repetitions.
    pub(crate) repetition: u32,
    pub(crate) value: String,
}

const HEADER: [&str; 6] = [
    "benchmark",
    "case",
    "subject",
    "measure",
    "repetition",
    "value",
];

/// Collects what the benchmarks find, and prints tables as they are ready.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) measures: Vec<Measure>,
    /// Programs and libraries that took part, with their versions.
    pub(crate) versions: Vec<(String, String)>,
    text: String,
}

impl Report {
    /// Keeps a fact that does not change between repetitions.
    pub(crate) fn fact(
        &mut self,
        (benchmark, case, subject): (&str, &str, &str),
        measure: &str,
        value: impl Display,
    ) {
        self.measures.push(Measure {
            benchmark: benchmark.to_owned(),
            case: case.to_owned(),
            subject: subject.to_owned(),
            measure: measure.to_owned(),
            repetition: 0,
            value: value.to_string(),
        });
    }

    /// Keeps what every repetition found.
    pub(crate) fn repetitions<T: Display>(
        &mut self,
        (benchmark, case, subject): (&str, &str, &str),
        measure: &str,
        values: impl IntoIterator<Item = T>,
    ) {
        for (repetition, value) in (1..).zip(values) {
            self.measures.push(Measure {
                benchmark: benchmark.to_owned(),
                case: case.to_owned(),
                subject: subject.to_owned(),
                measure: measure.to_owned(),
                repetition,
                value: value.to_string(),
            });
        }
    }

    /// Keeps the version of a peer or a tool.
    pub(crate) fn version(&mut self, name: &str, version: &str) {
        let known = self.versions.iter().any(|(other, _)| other == name);
        if !known {
            self.versions.push((name.to_owned(), version.to_owned()));
        }
    }

    pub(crate) fn heading(&mut self, text: &str) {
        self.print(&format!("## {text}\n\n"));
    }

    pub(crate) fn paragraph(&mut self, text: &str) {
        self.print(&format!("{text}\n\n"));
    }

    pub(crate) fn table(&mut self, table: &Table) {
        self.print(&format!("{table}\n"));
    }

    #[expect(clippy::print_stdout, reason = "the tables are the result")]
    fn print(&mut self, text: &str) {
        print!("{text}");
        self.text.push_str(text);
    }

    /// Everything printed so far, as Markdown.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// Writes measures as CSV.
pub(crate) fn write_measures(path: &Path, measures: &[Measure]) -> Result<()> {
    let mut writer = csv::Writer::from_path(path).context("writing the raw numbers")?;
    writer.write_record(HEADER)?;
    for measure in measures {
        writer.write_record([
            &measure.benchmark,
            &measure.case,
            &measure.subject,
            &measure.measure,
            &measure.repetition.to_string(),
            &measure.value,
        ])?;
    }
    writer.flush()?;
    Ok(())
}

/// Reads measures back.
pub(crate) fn read_measures(path: &Path) -> Result<Vec<Measure>> {
    let mut reader =
        csv::Reader::from_path(path).with_context(|| format!("reading {}", paths::shown(path)))?;
    let mut measures = Vec::new();
    for row in reader.records() {
        let row = row?;
        let cell = |at: usize| row.get(at).unwrap_or_default().to_owned();
        measures.push(Measure {
            benchmark: cell(0),
            case: cell(1),
            subject: cell(2),
            measure: cell(3),
            repetition: cell(4).parse().context("a repetition is a number")?,
            value: cell(5),
        });
    }
    Ok(measures)
}

/// A table in Markdown, its columns aligned so that it can be read as it stands.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub(crate) fn new<const N: usize>(header: [&str; N]) -> Self {
        Table {
            rows: vec![header.map(str::to_owned).to_vec()],
        }
    }

    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.to_vec());
    }
}

/// Numbers to the right, words to the left.
fn is_number(cell: &str) -> bool {
    let first = cell.trim_start_matches(['~', '-', '+']);
    first.starts_with(|letter: char| letter.is_ascii_digit()) || cell.is_empty()
}

impl Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns = self.rows[0].len();
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                let cells = self.rows.iter().map(|row| row[column].chars().count());
                cells.max().unwrap_or(0).max(3)
            })
            .collect();
        let to_the_right: Vec<bool> = (0..columns)
            .map(|column| self.rows[1..].iter().all(|row| is_number(&row[column])))
            .collect();
        for (at, row) in self.rows.iter().enumerate() {
            for ((cell, &width), right) in row.iter().zip(&widths).zip(&to_the_right) {
                match right {
                    true => write!(f, "| {cell:>width$} ")?,
                    false => write!(f, "| {cell:<width$} ")?,
                }
            }
            f.write_str("|\n")?;
            if at == 0 {
                for (&width, right) in widths.iter().zip(&to_the_right) {
                    match right {
                        true => write!(f, "| {}: ", "-".repeat(width - 1))?,
                        false => write!(f, "| {} ", "-".repeat(width))?,
                    }
                }
                f.write_str("|\n")?;
            }
        }
        Ok(())
    }
}

/// The middle value; of an even number of values the lower of the two in the middle.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[(sorted.len() - 1) / 2]
}

/// A number with three digits that count.
pub(crate) fn short(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let digits = 2 - number.abs().log10().floor() as i32;
    format!("{number:.*}", digits.clamp(0, 9) as usize)
}

/// A whole number with its thousands apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        let _ = text.write_char(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_reads_well_without_a_renderer() {
        let mut table = Table::new(["who", "ms"]);
        table.row(["incrowd".into(), "4.5".into()]);
        table.row(["ARX 3.9.2".into(), "37".into()]);
        let text = "\
| who       |  ms |
| --------- | --: |
| incrowd   | 4.5 |
| ARX 3.9.2 |  37 |
";
        assert_eq!(table.to_string(), text);
    }

    #[test]
    fn numbers_keep_three_digits() {
        assert_eq!(short(0.03934), "0.0393");
        assert_eq!(short(1229.2), "1229");
        assert_eq!(short(4.4841), "4.48");
        assert_eq!(short(0.0), "0");
        assert_eq!(grouped(1_234_567), "1 234 567");
        assert_eq!(grouped(999), "999");
        assert_eq!(median(&[3.0, 1.0, 2.0, 9.0]), 2.0);
    }

    #[test]
    fn measures_survive_their_file() {
        let mut report = Report::default();
        report.fact(("optimal", "8, \"loss\"", "incrowd"), "levels", "1 0 2");
        report.repetitions(("optimal", "8", "incrowd"), "cpu_ms", [1.5, 2.0]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("raw.csv");
        write_measures(&path, &report.measures).unwrap();
        assert_eq!(read_measures(&path).unwrap(), report.measures);
    }
}
