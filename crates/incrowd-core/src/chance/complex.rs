//! The few operations on complex numbers that the formula needs.

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Complex {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl Complex {
    pub(super) const ZERO: Complex = Complex { re: 0.0, im: 0.0 };

    /// A turn by an angle.
    pub(super) fn turn(angle: f64) -> Complex {
        Complex {
            re: angle.cos(),
            im: angle.sin(),
        }
    }

    pub(super) fn times(self, other: Complex) -> Complex {
        Complex {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }

    pub(super) fn plus(self, other: Complex) -> Complex {
        Complex {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }

    pub(super) fn scaled(self, factor: f64) -> Complex {
        Complex {
            re: self.re * factor,
            im: self.im * factor,
        }
    }

    pub(super) fn exp(self) -> Complex {
        Complex::turn(self.im).scaled(self.re.exp())
    }

    /// The logarithm of its absolute value.
    pub(super) fn ln_size(self) -> f64 {
        self.re.hypot(self.im).ln()
    }

    pub(super) fn ln(self) -> Complex {
        Complex {
            re: self.ln_size(),
            im: self.im.atan2(self.re),
        }
    }

    /// The logarithm of one more than this, accurate also for small numbers.
    pub(super) fn ln_1p(self) -> Complex {
        let beyond_one = 2.0 * self.re + self.re * self.re + self.im * self.im;
        Complex {
            re: 0.5 * beyond_one.ln_1p(),
            im: self.im.atan2(1.0 + self.re),
        }
    }
}

/// The sum of `weights[i] * turn^i`.
pub(super) fn polynomial(weights: &[f64], turn: Complex) -> Complex {
    let add = |sum: Complex, &weight: &f64| {
        let sum = sum.times(turn);
        Complex {
            re: sum.re + weight,
            im: sum.im,
        }
    };
    weights.iter().rev().fold(Complex::ZERO, add)
}
