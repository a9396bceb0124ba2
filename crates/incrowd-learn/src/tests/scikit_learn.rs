//! Predictions of scikit-learn 1.9.1 on the same rows and features.

use super::data::{TRAINED, made};
use crate::{CLASSIFIERS, LinearRegression};

/// What scikit-learn predicts for the last rows: of raw and released rows, with two and with three classes, by a
/// decision tree (entropy, at most 8 deep, at least 5 rows in a leaf; for every text the share of its values), by
/// logistic regression (C = 1) and by naive Bayes (Gaussian for numbers, multinomial for shares).
const PREDICTED: [(&str, usize, [&str; 3]); 4] = [
    (
        "raw",
        2,
        [
            "0010111011000000001000000101000011011111000011100111010110010101001010001100111001010011011111101111",
            "0010111011100000010000000101000011001101000001110111010110011101001010101110111001010001111111101111",
            "0010111011000000011100000101000011001111000101110111010110010101001010101100111001011001111111101111",
        ],
    ),
    (
        "raw",
        3,
        [
            "0110222021110000121100010211110012112212001112210221021211021202112121212210212111021012122222212121",
            "0120222022110100021100010201110022112212001112210221021220021212112020212211222101121012122222212222",
            "0020222022110100011100000201110012112212001112210221021220011212112020212211212102121012122222212221",
        ],
    ),
    (
        "rel",
        2,
        [
            "0010111011100000010000000101000011001101000001110110011110011101001010101100111001010011011111101101",
            "0010111011000000010000000101000011001101000001110111010110011101001010101110111001010001111111101111",
            "0010111011000000011100000101000011011111000001110111010110010101001010101100111001011001111111101111",
        ],
    ),
    (
        "rel",
        3,
        [
            "0110222021100010121100001201110021112212001102210221021220021202012120212201122111121012122222212121",
            "0120222022110100021100010201110022112212001102210221021220021202112020212210222001121012122222212221",
            "0120222022110101011100010201110012112212001112210221021220011212112020212211222102121012122222212221",
        ],
    ),
];

#[test]
fn classes_are_those_that_scikit_learn_predicts() {
    let made = made();
    let rows: Vec<u32> = (0..TRAINED).collect();
    let tested: Vec<u32> = (TRAINED..made.rows()).collect();
    for (table, class_count, predicted) in PREDICTED {
        for (learner, expected) in CLASSIFIERS.iter().zip(predicted) {
            let learned = (learner.learn)(&made.sample(table, class_count, &rows));
            let found = learned.predict(&made.raw, &tested);
            let found: String = found.iter().map(u32::to_string).collect();
            let same = found.bytes().zip(expected.bytes());
            let same = same.filter(|(one, other)| one == other).count();
            // Of splits that tell equally much, scikit-learn takes any; with other seeds it disagrees with itself on as
            // many rows. Trees are held to their definition elsewhere.
            let least = if learner.name == "decision-tree" {
                80
            } else {
                100
            };
            assert!(
                same >= least,
                "{table} {class_count} {}: {found}",
                learner.name
            );
        }
    }
}

#[test]
fn numbers_are_those_that_scikit_learn_predicts() {
    let made = made();
    let rows: Vec<u32> = (0..TRAINED).collect();
    let tested: Vec<u32> = (TRAINED..TRAINED + 5).collect();
    let predicted = [
        (
            &made.raw,
            [
                22.561209821112012,
                31.361599292663975,
                54.13557724848776,
                15.217287888775623,
                56.90669056445062,
            ],
        ),
        (
            &made.released,
            [
                23.401487793984654,
                31.120755543716257,
                53.34790597403706,
                14.71154337961714,
                56.6064182389159,
            ],
        ),
    ];
    for (features, expected) in predicted {
        let learned = LinearRegression::learn(features, &made.scores, &rows);
        for (found, expected) in learned.predict(&made.raw, &tested).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found}, not {expected}");
        }
    }
}

#[test]
fn what_is_learned_does_not_depend_on_rows_that_are_not_learned_from() {
    let made = made();
    let rows: Vec<u32> = (0..TRAINED).collect();
    let tested: Vec<u32> = (TRAINED..made.rows()).collect();
    let mut other = made.clone();
    for (class, score) in (other.two.iter_mut().zip(&mut other.scores)).skip(TRAINED as usize) {
        (*class, *score) = (1 - *class, -1e6);
    }
    for learner in CLASSIFIERS {
        let predictions = [&made, &other].map(|made| {
            let learned = (learner.learn)(&made.sample("raw", 2, &rows));
            learned.predict(&made.raw, &tested)
        });
        assert_eq!(predictions[0], predictions[1], "{}", learner.name);
    }
    let numbers = [&made, &other].map(|made| {
        let learned = LinearRegression::learn(&made.raw, &made.scores, &rows);
        learned.predict(&made.raw, &tested)
    });
    assert_eq!(numbers[0], numbers[1]);
}
