//! Figures by hand, published values, populations whose uniques are known, and equations solved another way.

use super::pitman;
use super::slide_negative_binomial as snb;
use super::{ClassSizes, NoEstimate, PopulationUniques, Reidentification};
use crate::draw::Draw;

fn close(found: f64, expected: f64, share: f64) {
    let error = (found - expected).abs();
    assert!(error <= share * expected.abs(), "{found}, not {expected}");
}

/// The bundled Adult table by its nine categorical columns: age, education, marital-status, native-country, occupation,
/// race, salary-class, sex, workclass.
fn adult() -> ClassSizes {
    let of_small_sizes = [15512, 2098, 754, 375, 189, 155, 97, 73, 39, 37, 29, 18, 23];
    let of_others = [
        (14, 14),
        (15, 15),
        (16, 9),
        (17, 11),
        (18, 10),
        (19, 10),
        (20, 5),
        (21, 3),
        (22, 4),
        (23, 3),
        (24, 2),
        (25, 1),
        (26, 3),
        (27, 5),
        (29, 1),
        (30, 2),
        (32, 1),
        (34, 1),
        (35, 1),
        (36, 1),
        (45, 1),
    ];
    ClassSizes::of_counts((1..).zip(of_small_sizes).chain(of_others))
}

#[test]
fn adult_has_the_figures_that_the_tests_of_arx_expect() {
    // ARX 3.9, TestRiskMetrics.java: testAverageRisk2 and testDecisionRule2, with sampling fractions of 1 %, 10 %, 20 %.
    let sizes = adult();
    assert_eq!((sizes.rows(), sizes.classes()), (30_162, 19_502));
    let risk = Reidentification::of_prosecutor(&sizes, 0.2);
    assert_eq!(risk.average, 0.646_575_160_798_355_5);
    close(
        sizes.uniques() as f64 / 30_162.0,
        0.514_289_503_348_584_4,
        1e-15,
    );
    let share = |fraction: f64, of: fn(PopulationUniques) -> Result<f64, NoEstimate>| {
        let population = (30_162.0 / fraction).round();
        of(PopulationUniques::estimate(&sizes, population as u64)).unwrap() / population
    };
    close(share(0.1, |it| it.pitman), 0.276_849_938_836_535_97, 1e-11);
    close(share(0.01, |it| it.pitman), 0.144_608_353_116_738_4, 1e-11);
    close(share(0.1, |it| it.zayatz), 0.320_740_239_346_618_9, 1e-14);
    close(share(0.2, |it| it.zayatz), 0.357_709_923_482_912_5, 1e-14);
}

#[test]
fn the_prosecutor_picks_among_the_rows_of_a_class() {
    let sizes = ClassSizes::of([5, 1, 4, 0, 5]);
    assert_eq!(sizes.iter().collect::<Vec<_>>(), [(1, 1), (4, 1), (5, 2)]);
    let risk = Reidentification::of_prosecutor(&sizes, 0.2);
    // Four classes of fifteen rows. A risk of exactly 0.2 is not above it.
    assert_eq!(
        (risk.highest, risk.average, risk.rows_above),
        (1.0, 4.0 / 15.0, 5)
    );
    let nobody = Reidentification::of_prosecutor(&ClassSizes::default(), 0.2);
    assert_eq!(
        (nobody.highest, nobody.average, nobody.rows_above),
        (0.0, 0.0, 0)
    );
}

#[test]
fn the_journalist_picks_among_the_people_of_the_population() {
    // Two rows of whom ten people could be each, and one row of two people.
    let risk = Reidentification::of_crowds([(2, 10), (1, 2)], 0.1);
    assert_eq!(risk.highest, 0.5);
    close(risk.average, (2.0 / 10.0 + 1.0 / 2.0) / 3.0, 1e-15);
    assert_eq!(risk.rows_above, 1);
}

#[test]
fn thresholds_are_compared_as_they_are_written() {
    for (size, written) in [
        (3_u32, "0.3333333333"),
        (5, "0.2"),
        (7, "0.14"),
        (40, "0.025"),
    ] {
        let threshold: f64 = written.parse().unwrap();
        let risk = Reidentification::of_prosecutor(&ClassSizes::of([size]), threshold);
        let is_above = size == 3 || size == 7;
        assert_eq!(risk.rows_above > 0, is_above, "{size} {written}");
    }
}

/// The number of ways to choose, exactly.
fn choose(of: u64, so_many: u64) -> f64 {
    if so_many > of {
        return 0.0;
    }
    (0..so_many).fold(1_u128, |ways, at| {
        ways * u128::from(of - at) / u128::from(at + 1)
    }) as f64
}

#[test]
fn zayatz_is_bayes_rule_with_the_hypergeometric_distribution() {
    // By hand: two uniques and a pair out of eight people. P(1|1) = 1/2, P(1|2) = 4/7; 2 (7/11) 8/4.
    let by_hand = PopulationUniques::estimate(&ClassSizes::of([1, 1, 2]), 8);
    close(by_hand.zayatz.unwrap(), 28.0 / 11.0, 1e-14);
    let mut draw = Draw::new(7);
    for _ in 0..200 {
        let classes = 1 + draw.below(6);
        let others = (0..classes).map(|_| 1 + draw.below(5) as u32);
        let list: Vec<u32> = std::iter::once(1).chain(others).collect();
        let sizes = ClassSizes::of(list.iter().copied());
        let rows = sizes.rows();
        let people = rows + 1 + draw.below(12) as u64;
        // The share of classes of each size cancels but for its numerator.
        let one_of =
            |size: u64| size as f64 * choose(people - size, rows - 1) / choose(people, rows);
        let uniques = sizes.uniques() as f64;
        let all: f64 = list.iter().map(|&size| one_of(size.into())).sum();
        let expected = uniques * (uniques * one_of(1) / all) * people as f64 / rows as f64;
        let found = PopulationUniques::estimate(&sizes, people).zayatz.unwrap();
        close(found, expected, 1e-12);
    }
}

/// The logarithm of Pitman's sampling formula, up to a constant, by its definition.
fn likelihood(sizes: &ClassSizes, theta: f64, alpha: f64) -> f64 {
    let classes = (1..sizes.classes()).map(|at| (theta + at as f64 * alpha).ln());
    let rows = (1..sizes.rows()).map(|at| (theta + at as f64).ln());
    let of_sizes = sizes.iter().map(|(size, classes)| {
        let inside = (1..size).map(|at| (f64::from(at) - alpha).ln());
        f64::from(classes) * inside.sum::<f64>()
    });
    classes.sum::<f64>() - rows.sum::<f64>() + of_sizes.sum::<f64>()
}

/// Sizes of classes that are mostly small; the greatest are below 2 to the power of `doublings`.
fn some_sizes(draw: &mut Draw, classes: usize, doublings: usize) -> ClassSizes {
    ClassSizes::of((0..classes).map(|_| {
        let bound = 1 << draw.below(doublings);
        1 + draw.below(bound) as u32
    }))
}

#[test]
fn no_parameters_of_pitmans_formula_are_more_likely_than_those_found() {
    let mut draw = Draw::new(3);
    let (mut fitted, mut too_even) = (0, 0);
    for _ in 0..100 {
        let classes = 2 + draw.below(25);
        let doublings = 1 + draw.below(8);
        let sizes = some_sizes(&mut draw, classes, doublings);
        let best_of = |alphas: &[f64], thetas: u32| {
            let step = 24.0 / f64::from(thetas);
            let over = (0..thetas).map(|at| (-8.0 + step * f64::from(at)).exp());
            let all = over.flat_map(|over| alphas.iter().map(move |&alpha| (over - alpha, alpha)));
            all.map(|(theta, alpha)| likelihood(&sizes, theta, alpha))
                .fold(f64::NEG_INFINITY, f64::max)
        };
        let grid: Vec<f64> = (1..100).map(|at| f64::from(at) / 100.0).collect();
        match pitman::fit(&sizes) {
            Ok(found) => {
                fitted += 1;
                let likely = likelihood(&sizes, found.theta(), found.alpha);
                assert!(likely >= best_of(&grid, 240), "{sizes:?} {found:?}");
                // Both slopes are zero there, by differences.
                let step = 1e-5;
                let beside = |theta: f64, alpha: f64| {
                    likelihood(&sizes, found.theta() + theta, found.alpha + alpha)
                };
                assert!(likely >= beside(0.0, step) && likely >= beside(0.0, -step));
                assert!(likely >= beside(step, 0.0) && likely >= beside(-step, 0.0));
            }
            Err(NoEstimate::AllUnique) => assert_eq!(sizes.classes(), sizes.rows()),
            Err(reason) => {
                assert_eq!(reason, NoEstimate::TooEven);
                too_even += 1;
                // Likeliest at the edge of the model.
                assert!(best_of(&[1e-9], 20_000) >= best_of(&grid, 240), "{sizes:?}");
            }
        }
    }
    assert!(fitted > 10 && too_even > 20, "{fitted} {too_even}");
}

/// The classes of a population drawn by Pitman's formula, person by person.
fn pitman_population(draw: &mut Draw, theta: f64, alpha: f64, people: usize) -> Vec<u32> {
    let mut sizes: Vec<u32> = Vec::new();
    // The class of each person: whoever joins an old class follows a person already there.
    let mut class_of: Vec<usize> = Vec::new();
    let fraction = |draw: &mut Draw| (draw.next_number() >> 11) as f64 / (1_u64 << 53) as f64;
    for person in 0..people {
        let classes = sizes.len() as f64;
        let is_new = fraction(draw) * (theta + person as f64) < theta + classes * alpha;
        let class = match is_new || person == 0 {
            true => sizes.len(),
            // With the chance (size - alpha) / (people - classes alpha) each.
            false => loop {
                let class = class_of[draw.below(person)];
                if fraction(draw) * f64::from(sizes[class]) >= alpha {
                    break class;
                }
            },
        };
        if class == sizes.len() {
            sizes.push(0);
        }
        sizes[class] += 1;
        class_of.push(class);
    }
    sizes
}

/// A random sample of the people of some classes.
fn sampled(draw: &mut Draw, population: &[u32], rows: usize) -> ClassSizes {
    let mut people: Vec<u32> = Vec::new();
    for (class, &size) in (0..).zip(population) {
        people.extend(std::iter::repeat_n(class, size as usize));
    }
    let mut sizes = vec![0; population.len()];
    for at in 0..rows {
        let other = at + draw.below(people.len() - at);
        people.swap(at, other);
        sizes[people[at] as usize] += 1;
    }
    ClassSizes::of(sizes)
}

#[test]
fn pitman_finds_the_uniques_of_populations_drawn_by_its_formula() {
    let mut draw = Draw::new(11);
    for (theta, alpha, people, rows) in [
        (100.0, 0.5, 60_000, 6_000),
        (20.0, 0.7, 60_000, 12_000),
        (500.0, 0.3, 100_000, 20_000),
    ] {
        // A single estimate is off by a tenth or two, since alpha is an exponent; their mean is not.
        let mut quotients = Vec::new();
        for _ in 0..12 {
            let population = pitman_population(&mut draw, theta, alpha, people);
            let uniques = population.iter().filter(|&&size| size == 1).count();
            let sample = sampled(&mut draw, &population, rows);
            let estimate = PopulationUniques::estimate(&sample, people as u64);
            quotients.push(estimate.pitman.unwrap() / uniques as f64);
        }
        let mean = quotients.iter().sum::<f64>() / quotients.len() as f64;
        assert!((mean - 1.0).abs() < 0.06, "{quotients:?}");
    }
}

/// Expected classes of one and of two rows, of so many classes of the population, term by term.
fn expected_in_sample(classes: f64, alpha: f64, beta: f64, fraction: f64) -> (f64, f64) {
    let (mut ones, mut twos) = (0.0, 0.0);
    // The chance of a class of one person, then of one more each time.
    let mut chance = beta.powf(alpha);
    for size in 1..200_000_i32 {
        let people = f64::from(size);
        let absent = 1.0 - fraction;
        ones += chance * people * fraction * absent.powi(size - 1);
        if size > 1 {
            let pairs = people * (people - 1.0) / 2.0;
            twos += chance * pairs * fraction * fraction * absent.powi(size - 2);
        }
        chance *= (alpha + people - 1.0) / people * (1.0 - beta);
    }
    (classes * ones, classes * twos)
}

#[test]
fn the_slide_negative_binomial_is_found_from_what_it_predicts() {
    for (alpha, beta, fraction) in [
        (0.05, 0.01, 0.1),
        (0.2, 0.001, 0.05),
        (0.5, 0.9, 0.05),
        (2.0, 0.3, 0.2),
        (10.0, 0.5, 0.3),
        (0.7, 0.2, 0.9),
    ] {
        let (ones, twos) = expected_in_sample(5000.0, alpha, beta, fraction);
        let found = snb::fit(5000.0, fraction, ones, twos).unwrap();
        close(found.alpha, alpha, 1e-6);
        close(found.ln_beta.exp(), beta, 1e-6);
    }
}

#[test]
fn adult_has_the_slide_negative_binomial_of_the_published_equations() {
    // No worked value is published, and ARX 3.9 solves other equations: its number of classes subtracts 1 once for every
    // size and not once for every class, and its second equation multiplies by D^(alpha + 2) where its own derivative
    // divides. So the equations of Chen and Keller-McNulty, with the classes of Haas and Stokes, were solved by Newton's
    // method with 40 digits, in another language.
    let sizes = adult();
    for (fraction, share, classes) in [
        (0.01, 0.204_679_015_302_641, 698_974.257_777_718),
        (0.05, 0.215_631_263_975_434, 175_467.817_517_266),
        (0.1, 0.249_976_937_568_294, 105_499.473_829_073),
        (0.2, 0.319_459_375_398_977_7, 65_149.982_601_192_7),
        (0.5, 0.427_023_314_473_754, 33_415.599_241_632_4),
    ] {
        close(snb::classes_of_population(&sizes, fraction), classes, 1e-14);
        let population = (30_162.0 / fraction).round();
        let estimate = PopulationUniques::estimate(&sizes, population as u64);
        close(estimate.snb.unwrap() / population, share, 1e-9);
    }
}

#[test]
fn the_slide_negative_binomial_has_one_solution_at_most() {
    let mut draw = Draw::new(5);
    let mut fraction = || (draw.next_number() >> 11) as f64 / (1_u64 << 53) as f64;
    for _ in 0..2000 {
        let sampled = 10_f64.powf(-3.0 * fraction() - 0.02);
        let quotient = 10_f64.powf(4.0 * fraction() - 2.0);
        let excess = |at: i32| snb::excess(-25.0 + 0.1 * f64::from(at), sampled, quotient);
        let falls = (1..850).all(|at| excess(at) <= excess(at - 1) + 1e-9);
        assert!(falls, "{sampled} {quotient}");
    }
}

#[test]
fn the_slide_negative_binomial_finds_the_uniques_of_populations_like_it() {
    let mut draw = Draw::new(13);
    for (alpha, beta, fraction) in [(0.5, 0.3, 0.3), (1.0, 0.4, 0.5), (3.0, 0.6, 0.3)] {
        let mut population = Vec::new();
        for _ in 0..50_000 {
            // By inversion.
            let mut left = (draw.next_number() >> 11) as f64 / (1_u64 << 53) as f64;
            let (mut size, mut chance) = (1_u32, f64::powf(beta, alpha));
            while left >= chance && size < 1000 {
                left -= chance;
                chance *= (alpha + f64::from(size) - 1.0) / f64::from(size) * (1.0 - beta);
                size += 1;
            }
            population.push(size);
        }
        let people: u32 = population.iter().sum();
        let uniques = population.iter().filter(|&&size| size == 1).count();
        let rows = (f64::from(people) * fraction) as usize;
        let sample = sampled(&mut draw, &population, rows);
        // The number of classes, which is a matter of another estimator, is taken for known here.
        let (ones, twos) = (f64::from(sample.of_size(1)), f64::from(sample.of_size(2)));
        let found = snb::fit(50_000.0, fraction, ones, twos).unwrap();
        let estimate = 50_000.0 * (found.alpha * found.ln_beta).exp();
        close(estimate, uniques as f64, 0.1);
    }
}

#[test]
fn the_number_of_classes_is_that_of_haas_and_stokes() {
    // Two uniques and a pair, half of the people: every sum of the formula by hand.
    let sample = ClassSizes::of([1, 1, 2]);
    let q: f64 = 0.5;
    let twice = 2.0 * q * q + 2.0 * q * q * (1.0 - q * q);
    let once = 2.0 * (1.0 - q) * q + (1.0 - q).powi(2) * ((1.0 + q).powi(2) - 1.0);
    let absent = 2.0 * (1.0 - q) + (1.0 - q).powi(2);
    let single = 2.0 * q + 2.0 * q * (1.0 - q);
    assert_eq!((twice, once, absent, single), (0.875, 0.8125, 1.25, 1.5));
    let expected = 3.0 + 2.0 * (0.875 / 0.8125) * (1.25_f64 / 1.5).powi(2);
    close(snb::classes_of_population(&sample, q), expected, 1e-14);
    // If every row is unique, so is everyone.
    let uniques = ClassSizes::of([1; 40]);
    close(snb::classes_of_population(&uniques, 0.1), 400.0, 1e-12);
}

#[test]
fn where_there_is_no_estimate_there_is_a_reason() {
    let estimate = |sizes: &[u32], people| {
        PopulationUniques::estimate(&ClassSizes::of(sizes.iter().copied()), people)
    };
    let none = estimate(&[], 10);
    assert_eq!(none.zayatz, Err(NoEstimate::NoRows));
    let whole = estimate(&[1, 1, 2], 4);
    assert_eq!(whole.pitman, Err(NoEstimate::WholePopulation));
    assert_eq!(whole.zayatz, Err(NoEstimate::WholePopulation));
    assert_eq!(whole.snb, Err(NoEstimate::WholePopulation));
    let unique = estimate(&[1; 30], 300);
    assert_eq!(unique.pitman, Err(NoEstimate::AllUnique));
    close(unique.zayatz.unwrap(), 300.0, 1e-12);
    close(unique.snb.unwrap(), 300.0, 1e-12);
    // Twenty classes, none of them large.
    let mut even = vec![3; 19];
    even.push(1);
    assert_eq!(estimate(&even, 1000).pitman, Err(NoEstimate::TooEven));
    assert_eq!(estimate(&even, 1000).snb, Err(NoEstimate::NoParameters));
    // Without sample uniques there is no sign of any.
    let safe = estimate(&[5, 6, 7], 1000);
    assert_eq!(
        (safe.pitman, safe.zayatz, safe.snb),
        (Ok(0.0), Ok(0.0), Ok(0.0))
    );
}

#[test]
fn estimates_are_found_for_sizes_of_every_kind_or_refused() {
    let mut draw = Draw::new(17);
    let (mut found, mut refused) = (0, 0);
    for _ in 0..2000 {
        let classes = 1 + draw.below(400);
        let doublings = 1 + draw.below(8);
        let sizes = some_sizes(&mut draw, classes, doublings);
        let more = 1 << draw.below(30);
        let people = sizes.rows() + 1 + draw.below(more) as u64;
        let uniques = PopulationUniques::estimate(&sizes, people);
        for estimate in [uniques.pitman, uniques.zayatz, uniques.snb] {
            match estimate {
                Ok(number) => {
                    found += 1;
                    assert!(
                        (0.0..=people as f64).contains(&number),
                        "{sizes:?} {people}"
                    );
                }
                Err(reason) => {
                    refused += 1;
                    assert_ne!(reason, NoEstimate::Inaccurate, "{sizes:?} {people}");
                }
            }
        }
    }
    assert!(found > 1000 && refused > 100, "{found} {refused}");
}
