//! Solves linear equations by conjugate gradients: only products with the matrix are needed, and its diagonal, which makes
//! columns of rare values converge as fast as those of frequent ones.

/// The solution of `matrix * x = right`, for a symmetric matrix without negative eigenvalues whose diagonal is above 0, up
/// to a residual of `tolerance` times the length of `right`.
pub(crate) fn solve(
    matrix: impl Fn(&[f64]) -> Vec<f64>,
    diagonal: &[f64],
    right: &[f64],
    tolerance: f64,
    most_steps: usize,
) -> Vec<f64> {
    let scaled = |residual: &[f64]| -> Vec<f64> {
        let scaled = residual.iter().zip(diagonal);
        scaled.map(|(residual, scale)| residual / scale).collect()
    };
    let mut solution = vec![0.0; right.len()];
    let mut residual = right.to_vec();
    let mut direction = scaled(&residual);
    let mut slope = dot(&residual, &direction);
    let enough = tolerance * tolerance * dot(right, right);
    for _ in 0..most_steps {
        if dot(&residual, &residual) <= enough {
            break;
        }
        let image = matrix(&direction);
        let curvature = dot(&direction, &image);
        if curvature <= 0.0 {
            break;
        }
        let step = slope / curvature;
        add_scaled(&mut solution, step, &direction);
        add_scaled(&mut residual, -step, &image);
        let steepest = scaled(&residual);
        let next = dot(&residual, &steepest);
        let keep = next / slope;
        for (direction, steepest) in direction.iter_mut().zip(&steepest) {
            *direction = steepest + keep * *direction;
        }
        slope = next;
    }
    solution
}

pub(crate) fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

pub(crate) fn add_scaled(sum: &mut [f64], scale: f64, more: &[f64]) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += scale * more;
    }
}
