//! Solves linear equations by conjugate gradients: only products with the matrix are needed.

/// The solution of `matrix * x = right`, for a symmetric matrix without negative eigenvalues, up to a residual of
/// `tolerance` times the length of `right`.
pub(crate) fn solve(
    matrix: impl Fn(&[f64]) -> Vec<f64>,
    right: &[f64],
    tolerance: f64,
    most_steps: usize,
) -> Vec<f64> {
    let mut solution = vec![0.0; right.len()];
    let mut residual = right.to_vec();
    let mut direction = residual.clone();
    let mut length = dot(&residual, &residual);
    let enough = tolerance * tolerance * length;
    for _ in 0..most_steps {
        if length <= enough {
            break;
        }
        let image = matrix(&direction);
        let curvature = dot(&direction, &image);
        if curvature <= 0.0 {
            break;
        }
        let step = length / curvature;
        add_scaled(&mut solution, step, &direction);
        add_scaled(&mut residual, -step, &image);
        let next = dot(&residual, &residual);
        let keep = next / length;
        for (direction, residual) in direction.iter_mut().zip(&residual) {
            *direction = residual + keep * *direction;
        }
        length = next;
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
