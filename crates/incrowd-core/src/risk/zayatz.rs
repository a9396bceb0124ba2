//! L. Zayatz, Estimation of the Number of Unique Population Elements Using a Sample, Proceedings of the Survey Research
//! Methods Section, American Statistical Association, 1991.

use super::ClassSizes;

/// The expected number of population uniques, if classes of the population are of each size as often as those of the sample
/// are. There are sample uniques.
///
/// By Bayes' rule: of the classes that have one row in the sample, so many have one in the population. A class of the
/// population has one row in the sample with the chance of the hypergeometric distribution.
pub(super) fn uniques(sample: &ClassSizes, population: u64) -> f64 {
    let (people, rows) = (population as f64, sample.rows() as f64);
    let mut one_in_the_sample = 0.0;
    // The chance that nobody else of a class is in the sample, once one is: (N - n)/(N - 1) and so on, a factor for each.
    let (mut size_so_far, mut nobody_else) = (1_u32, 1.0);
    for (size, classes) in sample.iter() {
        while size_so_far < size && nobody_else > 0.0 {
            let others = f64::from(size_so_far);
            nobody_else *= ((people - rows - others + 1.0) / (people - others)).max(0.0);
            size_so_far += 1;
        }
        if nobody_else <= 0.0 {
            break;
        }
        one_in_the_sample += f64::from(classes) * f64::from(size) * nobody_else;
    }
    let uniques = sample.uniques() as f64;
    uniques * (uniques / one_in_the_sample) * (people / rows)
}
