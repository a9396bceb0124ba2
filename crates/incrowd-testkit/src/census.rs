//! A census that nobody took: files of any length for benchmarks.
//!
//! People are drawn from distributions that depend on each other as they do in life: education on age, marital status
//! on age, occupation on education, income on both. Rows are drawn with repetition from a town of [`TOWN`] people, so
//! a file has no more distinct rows than that, however long it is, and frequent tuples are frequent. The same
//! seed gives the same bytes.

use fastrand::Rng;
use std::io::{self, Write};

/// How many people there are to draw from.
pub const TOWN: usize = 100_000;

/// The columns, income being the sensitive one.
pub const COLUMNS: [&str; 8] = [
    "age",
    "sex",
    "zip",
    "education",
    "marital-status",
    "occupation",
    "workclass",
    "income",
];

/// Bytes collected before they are written.
const CHUNK: usize = 1 << 16;

/// Writes a census of so many rows as CSV with a header line.
///
/// ```
/// let mut file = Vec::new();
/// incrowd_testkit::census(1000, 7, &mut file)?;
/// assert_eq!(file.iter().filter(|&&byte| byte == b'\n').count(), 1001);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn census(rows: u64, seed: u64, out: &mut impl Write) -> io::Result<()> {
    let mut rng = Rng::with_seed(seed);
    let mut lines = Vec::with_capacity(80 * TOWN);
    let mut ends = Vec::with_capacity(TOWN + 1);
    ends.push(0);
    for _ in 0..TOWN {
        lines.extend_from_slice(person(&mut rng).join(",").as_bytes());
        lines.push(b'\n');
        ends.push(lines.len());
    }
    let mut chunk = Vec::with_capacity(2 * CHUNK);
    chunk.extend_from_slice(COLUMNS.join(",").as_bytes());
    chunk.push(b'\n');
    for _ in 0..rows {
        let person = rng.usize(0..TOWN);
        chunk.extend_from_slice(&lines[ends[person]..ends[person + 1]]);
        if chunk.len() >= CHUNK {
            out.write_all(&chunk)?;
            chunk.clear();
        }
    }
    out.write_all(&chunk)?;
    out.flush()
}

/// One of the choices, each with its weight.
fn one_of<'a>(rng: &mut Rng, choices: &[(&'a str, u32)]) -> &'a str {
    let mut at = rng.u32(0..choices.iter().map(|&(_, weight)| weight).sum());
    for &(choice, weight) in choices {
        if at < weight {
            return choice;
        }
        at -= weight;
    }
    unreachable!("the weights add up")
}

fn person(rng: &mut Rng) -> [String; 8] {
    // More young than old adults, none under 17.
    let age = 17 + (73.0 * rng.f64() * rng.f64().sqrt()) as u32;
    let sex = one_of(rng, &[("Female", 51), ("Male", 49)]);
    // A few large districts, many small ones.
    let district = (rng.f64().powi(3) * 40.0) as u32;
    let zip = format!(
        "{:05}",
        10_000 + 2_111 * (district % 37) + rng.u32(0..4) * 3
    );
    let education = match age {
        17..=18 => one_of(rng, &[("9th", 1), ("10th", 2), ("11th", 5), ("HS-grad", 4)]),
        19..=23 => one_of(
            rng,
            &[
                ("11th", 2),
                ("HS-grad", 8),
                ("Some-college", 9),
                ("Bachelors", 2),
            ],
        ),
        _ => one_of(
            rng,
            &[
                ("5th-6th", 1),
                ("9th", 2),
                ("10th", 2),
                ("11th", 3),
                ("HS-grad", 32),
                ("Some-college", 20),
                ("Assoc-voc", 5),
                ("Bachelors", 18),
                ("Masters", 6),
                ("Doctorate", 1),
            ],
        ),
    };
    let has_degree = matches!(education, "Bachelors" | "Masters" | "Doctorate");
    let marital_status = match age {
        17..=22 => one_of(rng, &[("Never-married", 20), ("Married", 1)]),
        23..=34 => one_of(
            rng,
            &[("Never-married", 10), ("Married", 9), ("Divorced", 1)],
        ),
        35..=59 => one_of(
            rng,
            &[
                ("Never-married", 3),
                ("Married", 13),
                ("Divorced", 4),
                ("Separated", 1),
                ("Widowed", 1),
            ],
        ),
        _ => one_of(
            rng,
            &[
                ("Never-married", 1),
                ("Married", 10),
                ("Divorced", 2),
                ("Widowed", 5),
            ],
        ),
    };
    let occupation = match has_degree {
        true => one_of(
            rng,
            &[
                ("Professional", 12),
                ("Manager", 8),
                ("Sales", 3),
                ("Clerical", 2),
                ("Technician", 2),
            ],
        ),
        false => one_of(
            rng,
            &[
                ("Craft", 8),
                ("Clerical", 7),
                ("Service", 7),
                ("Sales", 6),
                ("Operator", 5),
                ("Transport", 4),
                ("Manager", 4),
                ("Farming", 2),
                ("Technician", 2),
            ],
        ),
    };
    let workclass = match occupation {
        "Farming" => one_of(rng, &[("Self-employed", 3), ("Private", 2)]),
        "Professional" => one_of(rng, &[("Private", 5), ("Public", 4), ("Self-employed", 1)]),
        _ => one_of(
            rng,
            &[
                ("Private", 15),
                ("Public", 3),
                ("Self-employed", 2),
                ("Unpaid", 1),
            ],
        ),
    };
    let step = 5 * u32::from(has_degree)
        + 4 * u32::from(occupation == "Manager")
        + age.saturating_sub(20).min(30) / 6
        + rng.u32(0..8);
    let income = match workclass {
        "Unpaid" => "0".to_owned(),
        _ => (10_000 + 5_000 * step).to_string(),
    };
    [
        age.to_string(),
        sex.to_owned(),
        zip,
        education.to_owned(),
        marital_status.to_owned(),
        occupation.to_owned(),
        workclass.to_owned(),
        income,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        let file = |seed| {
            let mut file = Vec::new();
            census(500, seed, &mut file).unwrap();
            file
        };
        assert_eq!(file(1), file(1));
        assert_ne!(file(1), file(2));
    }

    #[test]
    fn tuples_repeat_and_every_row_has_every_column() {
        let mut file = Vec::new();
        census(200_000, 1, &mut file).unwrap();
        let text = String::from_utf8(file).unwrap();
        let rows = text.lines().skip(1);
        assert!(
            rows.clone()
                .all(|row| row.split(',').count() == COLUMNS.len())
        );
        let distinct: BTreeSet<&str> = rows.collect();
        assert!(
            (50_000..=TOWN).contains(&distinct.len()),
            "{}",
            distinct.len()
        );
    }
}
