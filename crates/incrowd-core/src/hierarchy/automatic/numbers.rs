//! Candidates for numbers: round intervals, growing steps, groups of equal size, neighbors.

use super::{Candidate, Column, Weight};
use crate::hierarchy::HierarchySpec;
use crate::hierarchy::build::LogStep;
use crate::table::{Decimal, Kind, parse_number};

/// At most this many numbers may be merged with their neighbors, whatever the distance.
const FEW_NUMBERS: usize = 20;
const MOST_INTERVALS: f64 = 64.0;
const MOST_LEVELS: usize = 4;

/// Words for age in some languages.
const AGE: [&str; 9] = [
    "age", "ages", "alter", "edad", "eta", "idade", "leeftijd", "wiek", "alder",
];

/// The candidates for numbers, one list per family.
pub(super) fn families(column: &Column<'_>) -> Vec<Vec<Candidate>> {
    if column.kind != Kind::Number {
        return Vec::new();
    }
    let numbers = || column.texts().filter_map(parse_number);
    let (Some(least), Some(greatest)) = (numbers().min(), numbers().max()) else {
        return Vec::new();
    };
    let (least, greatest) = (least.get(), greatest.get());
    let count = column.values.len();
    let mut round = intervals(least, greatest, count);
    let is_whole = numbers().all(|number| number.get().fract() == 0.0);
    if column.is_called(&AGE) && is_whole && least >= 0.0 && greatest <= 130.0 {
        let widths = [5, 10, 20].map(|width| Decimal::new(width, 0));
        round.push(interval(
            widths.into_iter().flatten().collect(),
            Weight::Meaning,
        ));
    }
    let neighbors = (count <= FEW_NUMBERS).then(|| Candidate {
        spec: HierarchySpec::Order,
        weight: Weight::Round,
        does: "neighboring values are merged".into(),
    });
    vec![
        neighbors.into_iter().collect(),
        round,
        logarithmic(column),
        quantiles(count),
    ]
}

fn interval(widths: Vec<Decimal>, weight: Weight) -> Candidate {
    let names: Vec<String> = widths.iter().map(Decimal::to_string).collect();
    Candidate {
        spec: HierarchySpec::Interval {
            widths,
            origin: Decimal::ZERO,
        },
        weight,
        does: match weight {
            Weight::Meaning => format!("ages in bands of {} years", names.join(", ")),
            _ => format!("intervals of width {}", names.join(", ")),
        },
    }
}

/// A width: 1, 2 or 5 times a power of ten.
#[derive(Debug, Clone, Copy)]
struct Width {
    digit: i64,
    power: i32,
}

impl Width {
    fn size(self, factor: i64) -> f64 {
        (self.digit * factor) as f64 * 10_f64.powi(self.power)
    }

    fn next(self) -> Width {
        match self.digit {
            1 => Width { digit: 2, ..self },
            2 => Width { digit: 5, ..self },
            _ => Width {
                digit: 1,
                power: self.power + 1,
            },
        }
    }

    fn decimal(self, factor: i64) -> Option<Decimal> {
        let digits = self.digit * factor;
        match u8::try_from(-self.power) {
            Ok(places) => Decimal::new(digits, places),
            Err(_) => Decimal::new(
                digits.checked_mul(10_i64.checked_pow(self.power as u32)?)?,
                0,
            ),
        }
    }

    /// How many times as wide each level is as the first: doubled, or along 1, 2, 5, 10.
    fn ladders(self) -> Vec<[i64; MOST_LEVELS]> {
        match self.digit {
            1 => vec![[1, 2, 4, 8], [1, 2, 10, 20], [1, 5, 10, 50]],
            2 => vec![[1, 2, 4, 8], [1, 5, 10, 50]],
            _ => vec![[1, 2, 4, 8], [1, 2, 10, 20]],
        }
    }
}

/// Intervals counted from 0 whose first widths leave from 4 to 64 groups, fewer than there are numbers.
fn intervals(least: f64, greatest: f64, count: usize) -> Vec<Candidate> {
    let groups = |width: f64| (greatest / width).floor() - (least / width).floor() + 1.0;
    let narrowest = (greatest - least) / MOST_INTERVALS;
    // Widths that cannot be written, or bounds that need more digits than a number has.
    let far = least.abs().max(greatest.abs()) / narrowest;
    if !(1e-9..1e12).contains(&narrowest) || far > 1e12 {
        return Vec::new();
    }
    let mut candidates = Vec::new();
    let mut width = Width {
        digit: 1,
        power: narrowest.log10().floor() as i32 - 1,
    };
    while groups(width.size(1)) >= 2.0 {
        let left = groups(width.size(1));
        if left <= MOST_INTERVALS && left <= 0.75 * count as f64 {
            for ladder in width.ladders() {
                let widths = ladder
                    .into_iter()
                    .filter(|&factor| groups(width.size(factor)) >= 2.0);
                let widths: Option<Vec<Decimal>> =
                    widths.map(|factor| width.decimal(factor)).collect();
                candidates.extend(widths.map(|widths| interval(widths, Weight::Round)));
            }
        }
        width = width.next();
    }
    candidates
}

/// Growing steps, if the numbers span at least three powers of ten.
fn logarithmic(column: &Column<'_>) -> Vec<Candidate> {
    let sizes = column.texts().filter_map(parse_number);
    let sizes = sizes
        .map(|number| number.get().abs())
        .filter(|&size| size > 0.0);
    let (mut least, mut greatest) = (f64::INFINITY, 0.0_f64);
    sizes.for_each(|size| (least, greatest) = (least.min(size), greatest.max(size)));
    if greatest / least < 1e3 {
        return Vec::new();
    }
    let steps = [
        vec![LogStep::OneTwoFive, LogStep::Powers(1)],
        vec![LogStep::OneTwoFive, LogStep::Powers(1), LogStep::Powers(2)],
        vec![LogStep::Powers(1), LogStep::Powers(2)],
        vec![LogStep::OneTwoFive, LogStep::Powers(1), LogStep::Powers(3)],
    ];
    let candidate = |steps: Vec<LogStep>| {
        let names: Vec<String> = steps.iter().map(LogStep::to_string).collect();
        Candidate {
            does: format!("steps that grow with the numbers ({})", names.join(", ")),
            spec: HierarchySpec::Log { steps },
            weight: Weight::Round,
        }
    };
    steps.into_iter().map(candidate).collect()
}

fn quantiles(count: usize) -> Vec<Candidate> {
    let groups = [[32, 16, 8, 4].as_slice(), &[16, 8, 4], &[8, 4, 2], &[4, 2]];
    let fits = groups
        .into_iter()
        .filter(|groups| (groups[0] as usize) < count);
    let candidate = |groups: &[u32]| Candidate {
        spec: HierarchySpec::Quantile {
            groups: groups.to_vec(),
        },
        weight: Weight::Made,
        does: "groups with about the same number of rows".into(),
    };
    fits.map(candidate).collect()
}
