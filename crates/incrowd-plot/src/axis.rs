//! A number's place on an axis, and the numbers written beside it.

/// How distances on an axis are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps add.
    Linear,
    /// Equal steps multiply.
    Powers,
}

/// Numbers that differ by this factor cannot all be distinguished on a linear scale.
const WIDE: f64 = 30.0;

/// Numbers that are all above this share of the greatest look alike if an axis starts at 0.
const ALIKE: f64 = 0.7;

impl Scale {
    /// The scale on which these numbers can be distinguished.
    pub fn of(numbers: impl Iterator<Item = f64>) -> Scale {
        let (least, most) = range(numbers);
        match least > 0.0 && most / least >= WIDE {
            true => Scale::Powers,
            false => Scale::Linear,
        }
    }
}

/// The minimum and maximum of some numbers; 0 and 0 if there are none.
pub(crate) fn range(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let both = |(least, most): (f64, f64), number: f64| (least.min(number), most.max(number));
    let (least, most) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), both);
    match least <= most {
        true => (least, most),
        false => (0.0, 0.0),
    }
}

/// An axis from its first number to its last.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    low: f64,
    high: f64,
    scale: Scale,
    ticks: Vec<f64>,
    /// Whether readers expect it to start at 0.
    is_amount: bool,
}

impl Axis {
    /// An axis that begins and ends with the given numbers. `is_whole` means that there is nothing between whole
    /// numbers.
    pub fn exactly((low, high): (f64, f64), scale: Scale, is_whole: bool) -> Axis {
        let high = if high > low { high } else { low + 1.0 };
        let mut ticks = match scale {
            Scale::Linear => steps(low, high, is_whole),
            Scale::Powers => powers(low, high),
        };
        ticks.retain(|tick| (low..=high).contains(tick));
        Axis {
            low,
            high,
            scale,
            ticks,
            is_amount: false,
        }
    }

    /// An axis that covers the numbers given and ends with a tick. A linear one starts at 0, unless all numbers are too
    /// similar to be distinguished.
    pub fn covering((least, most): (f64, f64), scale: Scale, is_whole: bool) -> Axis {
        let ticks = match scale {
            Scale::Linear if least > ALIKE * most && most > least => steps(least, most, is_whole),
            Scale::Linear => steps(0.0, if most > 0.0 { most } else { 1.0 }, is_whole),
            Scale::Powers => powers(least, most),
        };
        let (low, high) = range(ticks.iter().copied());
        Axis {
            low,
            high,
            scale,
            ticks,
            is_amount: true,
        }
    }

    /// Where a number lies, from 0 to 1.
    pub fn share(&self, number: f64) -> f64 {
        let number = number.clamp(self.low, self.high);
        match self.scale {
            Scale::Linear => (number - self.low) / (self.high - self.low),
            Scale::Powers => (number / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    /// What a reader must know about it.
    pub fn note(&self) -> Option<&'static str> {
        match self.scale {
            Scale::Linear if self.is_amount && self.low > 0.0 => Some("does not start at 0"),
            Scale::Linear => None,
            Scale::Powers => Some("logarithmic"),
        }
    }

    /// The numbers written beside it.
    pub fn ticks(&self) -> &[f64] {
        &self.ticks
    }
}

/// About six round numbers that cover a range.
fn steps(low: f64, high: f64, is_whole: bool) -> Vec<f64> {
    let rough = (high - low).max(f64::MIN_POSITIVE) / 6.0;
    let power = 10f64.powf(rough.log10().floor());
    let factors = [1.0, 2.0, 2.5, 5.0, 10.0];
    let step = factors
        .into_iter()
        .map(|factor| factor * power)
        .filter(|step| !is_whole || (*step >= 1.0 && step.fract() == 0.0))
        .find(|step| *step >= rough)
        .unwrap_or(1f64.max(10.0 * power));
    let first = (low / step).floor() as i64;
    let last = (high / step - 1e-9).ceil() as i64;
    (first..=last).map(|at| rounded(at as f64 * step)).collect()
}

/// Powers of ten that cover a range; with twice and five times each when there are few.
fn powers(low: f64, high: f64) -> Vec<f64> {
    let first = (low.log10() + 1e-9).floor() as i32;
    let last = ((high.log10() - 1e-9).ceil() as i32).max(first + 1);
    let between: &[f64] = match last - first {
        ..=2 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    let mut ticks: Vec<f64> = (first..last)
        .flat_map(|power| {
            between
                .iter()
                .map(move |factor| rounded(factor * 10f64.powi(power)))
        })
        .collect();
    ticks.push(rounded(10f64.powi(last)));
    ticks
}

/// So that no tick is 0.30000000000000004.
fn rounded(number: f64) -> f64 {
    (number * 1e9).round() / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_cover_the_range_and_read_well() {
        assert_eq!(steps(0.0, 10.0, true), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(steps(0.0, 0.5, false).last(), Some(&0.5));
        assert_eq!(steps(0.0, 3.0, true), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(steps(0.0, 1.0, true), [0.0, 1.0]);
        assert!(steps(0.0, 14_231.0, true).last() >= Some(&14_231.0));
    }

    #[test]
    fn powers_cover_the_range() {
        assert_eq!(powers(0.03, 400.0), [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]);
        assert_eq!(powers(2.0, 70.0), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        assert_eq!(powers(1.0, 1.0), [1.0, 2.0, 5.0, 10.0]);
    }

    #[test]
    fn numbers_that_differ_by_powers_get_a_scale_of_powers() {
        assert_eq!(Scale::of([0.1, 50.0].into_iter()), Scale::Powers);
        assert_eq!(Scale::of([10.0, 50.0].into_iter()), Scale::Linear);
        assert_eq!(Scale::of([0.0, 50.0].into_iter()), Scale::Linear);
        assert_eq!(Scale::of([].into_iter()), Scale::Linear);
    }

    #[test]
    fn numbers_that_are_much_alike_are_drawn_apart_and_that_is_said() {
        let alike = Axis::covering((173.9, 175.9), Scale::Linear, false);
        assert!(alike.share(175.9) - alike.share(173.9) > 0.5);
        assert_eq!(alike.note(), Some("does not start at 0"));
        let unlike = Axis::covering((20.0, 175.9), Scale::Linear, false);
        assert_eq!((unlike.share(0.0), unlike.note()), (0.0, None));
    }

    #[test]
    fn every_number_of_the_range_lies_on_its_axis() {
        for scale in [Scale::Linear, Scale::Powers] {
            for (low, high) in [(1.0, 20.0), (3.0, 3.0), (0.002, 90_000.0)] {
                assert_eq!(
                    Axis::covering((low, high), Scale::Powers, false).note(),
                    Some("logarithmic")
                );
                for axis in [
                    Axis::exactly((low, high), scale, false),
                    Axis::covering((low, high), scale, false),
                ] {
                    let (one, other) = (axis.share(low), axis.share(high));
                    assert!((0.0..=1.0).contains(&one) && one <= other && other <= 1.0);
                }
            }
        }
    }
}
