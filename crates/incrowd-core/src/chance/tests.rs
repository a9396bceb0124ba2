//! The formula against sums over all tables, trials against the formula.

use super::*;
use crate::draw::Draw;

fn never_stop() -> Result<(), ()> {
    Ok(())
}

fn by_formula(combinations: &Combinations, k: u32, rows: u64) -> f64 {
    chance(combinations, k, rows, &never_stop).unwrap()
}

fn binary(attributes: usize) -> Combinations {
    Combinations::of(&vec![Column::Even(2); attributes]).unwrap()
}

/// The shares of all combinations, one by one.
fn cells(columns: &[Column]) -> Vec<f64> {
    columns.iter().fold(vec![1.0], |cells, column| {
        let shares: Vec<f64> = match column {
            Column::Even(values) => vec![1.0 / *values as f64; *values as usize],
            Column::Counted(rows) => {
                let all: u32 = rows.iter().sum();
                rows.iter()
                    .map(|&rows| f64::from(rows) / f64::from(all))
                    .collect()
            }
        };
        let each = |cell: f64| {
            shares
                .iter()
                .map(move |share| cell * share)
                .collect::<Vec<_>>()
        };
        cells.into_iter().flat_map(each).collect()
    })
}

/// The exact chance: rows are dealt out to one combination after the other. `of[j]` is the chance that the combinations so
/// far fit and leave `j` rows to the others.
fn by_dealing(cells: &[f64], k: usize, rows: usize) -> f64 {
    let mut of = vec![0.0; rows + 1];
    of[rows] = 1.0;
    let mut rest: f64 = cells.iter().sum();
    for (at, cell) in cells.iter().enumerate() {
        let is_last = at + 1 == cells.len();
        let share = (cell / rest).min(1.0);
        rest -= cell;
        let mut next = vec![0.0; rows + 1];
        for (left, &chance) in of.iter().enumerate() {
            // Binomial chances by their recurrence, in logarithms.
            let mut ln_binomial = left as f64 * (1.0 - share).ln();
            for taken in 0..=left {
                let fits = taken == 0 || taken >= k;
                if is_last {
                    if taken == left && fits {
                        next[0] += chance;
                    }
                } else {
                    if fits {
                        next[left - taken] += chance * ln_binomial.exp();
                    }
                    ln_binomial += ((left - taken) as f64 / (taken + 1) as f64).ln()
                        + (share / (1.0 - share)).ln();
                }
            }
        }
        of = next;
    }
    of[0].min(1.0)
}

/// The same by looking at every sequence of rows.
fn by_enumeration(cells: &[f64], k: usize, rows: usize) -> f64 {
    fn go(cells: &[f64], k: usize, left: usize, counts: &mut [usize], chance: f64) -> f64 {
        if left == 0 {
            let fits = counts.iter().all(|&count| count == 0 || count >= k);
            return if fits { chance } else { 0.0 };
        }
        let mut sum = 0.0;
        for at in 0..cells.len() {
            counts[at] += 1;
            sum += go(cells, k, left - 1, counts, chance * cells[at]);
            counts[at] -= 1;
        }
        sum
    }
    go(cells, k, rows, &mut vec![0; cells.len()], 1.0)
}

fn random_columns(draw: &mut Draw) -> Vec<Column> {
    let column = |draw: &mut Draw| match draw.below(3) {
        0 => Column::Even(1 + draw.below(4) as u64),
        1 => Column::Counted(
            (0..1 + draw.below(4))
                .map(|_| 1 + draw.below(9) as u32)
                .collect(),
        ),
        _ => Column::Counted(
            (0..1 + draw.below(3))
                .map(|_| 1 << draw.below(12))
                .collect(),
        ),
    };
    (0..1 + draw.below(3)).map(|_| column(draw)).collect()
}

#[test]
fn the_formula_is_exact() {
    let mut draw = Draw::new(1);
    let mut between = 0;
    for case in 0..600 {
        let columns = random_columns(&mut draw);
        let (k, rows) = (1 + draw.below(7), 1 + draw.below(120));
        let exact = by_dealing(&cells(&columns), k, rows);
        let combinations = Combinations::of(&columns).unwrap();
        let found = by_formula(&combinations, k as u32, rows as u64);
        between += usize::from((0.01..0.99).contains(&exact));
        assert!(
            (found - exact).abs() < 1e-9,
            "case {case}: {columns:?}, k {k}, {rows} rows: {found} is not {exact}"
        );
    }
    assert!(between > 150, "only {between} cases were interesting");
}

#[test]
fn dealing_out_is_what_enumerating_all_tables_gives() {
    let mut draw = Draw::new(2);
    for _ in 0..60 {
        let columns = vec![Column::Counted(
            (0..1 + draw.below(4))
                .map(|_| 1 + draw.below(5) as u32)
                .collect(),
        )];
        let (k, rows) = (1 + draw.below(4), 1 + draw.below(7));
        let cells = cells(&columns);
        let (dealt, all) = (by_dealing(&cells, k, rows), by_enumeration(&cells, k, rows));
        assert!(
            (dealt - all).abs() < 1e-12,
            "{cells:?} {k} {rows}: {dealt} {all}"
        );
    }
}

/// Attributes, k, rows, and the share of successes in table 12 of the paper, with its repeats.
const TABLE_12: [(usize, u32, u64, f64, u32); 10] = [
    (3, 3, 50, 0.68, 50),
    (3, 3, 75, 1.0, 50),
    (3, 5, 75, 0.74, 50),
    (3, 5, 100, 1.0, 50),
    (7, 5, 1200, 0.0, 500),
    (7, 5, 7500, 1.0, 500),
    (12, 5, 30_000, 0.0, 500),
    (12, 5, 100_000, 1.0, 500),
    (15, 5, 750_000, 0.96, 200),
    (18, 5, 2_000_000, 0.0, 200),
];

#[test]
fn table_12_by_formula() {
    for (attributes, k, rows, paper, repeats) in TABLE_12 {
        let found = by_formula(&binary(attributes), k, rows);
        if attributes == 3 {
            let exact = by_dealing(&[0.125; 8], k as usize, rows as usize);
            assert!((found - exact).abs() < 1e-9, "{found} is not {exact}");
        }
        let deviation = (found * (1.0 - found) / f64::from(repeats)).sqrt();
        assert!(
            (found - paper).abs() < 3.0 * deviation + 0.005,
            "{attributes} {k} {rows}: {found}"
        );
    }
}

#[test]
fn combinations_are_not_independent() {
    // What the product over combinations alone would say.
    let alone = |attributes: i32, k: u32, rows: f64| {
        let mean = rows / 2_f64.powi(attributes);
        let mut weight = (-mean).exp();
        let mut missing = 0.0;
        for number in 1..k {
            weight *= mean / f64::from(number);
            missing += weight;
        }
        (1.0_f64 - missing).powi(1 << attributes)
    };
    let off = |k, rows: u64| alone(1, k, rows as f64) - by_formula(&binary(1), k, rows);
    let most = (2..60).map(|rows| off(5, rows)).fold(0.0, f64::max);
    let least = (2..60).map(|rows| off(5, rows)).fold(0.0, f64::min);
    assert!(most.max(-least) > 0.2, "{most} {least}");
}

#[test]
fn with_many_rows_failures_are_those_of_single_combinations() {
    // Two bounds that share nothing with the formula: at most the sum of the single chances of failure, and at least
    // that sum less the one over pairs.
    for (attributes, k, rows) in [(12, 5, 100_000_u64), (10, 2, 16_000), (14, 3, 500_000)] {
        let cells = 2_f64.powi(attributes);
        let share = 1.0 / cells;
        let mut weight = (rows as f64 * (-share).ln_1p()).exp();
        let mut fails = 0.0;
        for number in 1..k {
            weight *= (rows - number + 1) as f64 / number as f64 * share / (1.0 - share);
            fails += weight;
        }
        let all = cells * fails;
        let found = 1.0 - by_formula(&binary(attributes as usize), k as u32, rows);
        assert!(
            found <= all * (1.0 + 1e-9) && found >= all - all * all,
            "{found} {all}"
        );
    }
}

#[test]
fn nearly_equal_kinds_may_be_joined() {
    let mut draw = Draw::new(3);
    let mut joined = 0;
    for case in 0..40 {
        let columns: Vec<Column> = (0..2)
            .map(|_| Column::Counted((0..12).map(|_| 30 + draw.below(3000) as u32).collect()))
            .collect();
        let exact = Combinations::of(&columns).unwrap();
        let rough = Combinations::with_kinds(&columns, 40).unwrap();
        let weight = |it: &Combinations| {
            it.kinds
                .iter()
                .map(|kind| kind.cells * kind.share)
                .sum::<f64>()
        };
        assert!((weight(&rough) - 1.0).abs() < 1e-12);
        assert!(rough.kinds.len() <= 40 && exact.kinds.len() > 60);
        assert_eq!(
            rough.kinds.iter().map(|kind| kind.cells).sum::<f64>(),
            144.0
        );
        for rows in [2000, 20_000, 100_000, 300_000, 1_000_000] {
            let (one, other) = (by_formula(&exact, 3, rows), by_formula(&rough, 3, rows));
            joined += usize::from(one > 0.01 && one < 0.99);
            assert!(
                (one - other).abs() < 0.01,
                "case {case}, {rows} rows: {one} {other}"
            );
        }
    }
    assert!(joined > 20, "only {joined} cases were interesting");
}

#[test]
fn joining_nearly_equal_kinds_hardly_shows() {
    let mut draw = Draw::new(11);
    let mut compared = 0;
    for (least, most) in [(900, 1100), (30, 3000), (1, 100_000)] {
        let mut column = || {
            let rows = (0..20).map(|_| (least + draw.below(most - least)) as u32);
            Column::Counted(rows.collect())
        };
        let columns = [column(), column(), column()];
        let joined = Combinations::of(&columns).unwrap();
        let exact = Combinations::with_kinds(&columns, usize::MAX).unwrap();
        assert!(exact.is_exact() && !joined.is_exact());
        for share in [0.1, 0.5, 0.9] {
            let rows = rows_needed(&joined, 5, share, &never_stop).unwrap();
            let rows = rows.unwrap();
            let (one, other) = (by_formula(&joined, 5, rows), by_formula(&exact, 5, rows));
            assert!((one - other).abs() < 1e-4, "{rows} rows: {one} {other}");
            compared += 1;
        }
    }
    assert_eq!(compared, 9);
}

#[test]
fn extreme_requests_have_answers() {
    assert_eq!(by_formula(&binary(3), 1, 7), 1.0);
    assert_eq!(by_formula(&binary(3), 5, 4), 0.0);
    assert!((by_formula(&binary(0), 5, 5) - 1.0).abs() < 1e-9);
    assert!((by_formula(&binary(0), 1000, 1000) - 1.0).abs() < 1e-9);
    assert_eq!(by_formula(&binary(126), 2, 1000), 0.0);
    // Two rows that are equal.
    assert!((by_formula(&binary(10), 2, 2) - 1.0 / 1024.0).abs() < 1e-12);
    assert!((by_formula(&binary(1), 400, 400) - 0.0).abs() < 1e-12);
    assert!((by_formula(&binary(1), 400, 1000) - 1.0).abs() < 1e-8);
    assert!((by_formula(&binary(30), 5, MOST_ROWS) - 1.0).abs() < 1e-6);
    assert_eq!(by_formula(&binary(40), 1_000_000, MOST_ROWS), 0.0);
    let found = by_formula(&binary(3), 100_000, 802_500);
    assert!((0.01..0.99).contains(&found), "{found}");
    assert!(Combinations::of(&vec![Column::Even(2); 129]).is_none());
    assert!(Combinations::of(&[Column::Even(0)]).is_none());
    let one_value = Combinations::of(&[Column::Counted(vec![3, 0])]).unwrap();
    assert!((by_formula(&one_value, 2, 3) - 1.0).abs() < 1e-9);
}

#[test]
fn chances_between_are_found_for_many_rows_too() {
    // Around the number of rows needed the chance must pass through every value, without jumps.
    for (attributes, k) in [(15, 5), (20, 3), (25, 10), (6, 300)] {
        let combinations = binary(attributes);
        let half = rows_needed(&combinations, k, 0.5, &never_stop)
            .unwrap()
            .unwrap();
        let found = by_formula(&combinations, k, half);
        assert!(
            (found - 0.5).abs() < 0.01,
            "{attributes} {k} {half}: {found}"
        );
        let before = by_formula(&combinations, k, half - 1);
        assert!(before < 0.5, "{before}");
    }
}

#[test]
fn an_error_of_check_ends_everything() {
    let stop = || Err("stop");
    let all = binary(12);
    assert_eq!(chance(&all, 5, 100_000, &stop), Err("stop"));
    assert_eq!(rows_needed(&all, 5, 0.9, &stop), Err("stop"));
    // Trials ask rarely, since they are short.
    let many = Column::Counted((0..50_000).map(|at| 1000 + at % 7).collect());
    let many = Combinations::of(&[many]).unwrap();
    let sampler = Sampler::new(&many, 2, 5_000_000);
    assert_eq!(sampler.try_once(1, 1, &stop), Err("stop"));
    assert!(sampler.try_once(1, 1, &never_stop).unwrap().is_reached);
}

#[test]
fn rows_needed_is_the_least_number_after_which_the_chance_stays() {
    let mut draw = Draw::new(4);
    let mut compared = 0;
    for case in 0..150 {
        let columns = random_columns(&mut draw);
        let k = 1 + draw.below(5);
        let share = [0.05, 0.5, 0.9, 0.95, 0.99][draw.below(5)];
        let cells = cells(&columns);
        let combinations = Combinations::of(&columns).unwrap();
        let found = rows_needed(&combinations, k as u32, share, &never_stop)
            .unwrap()
            .unwrap();
        if found > 130 {
            continue; // too many for dealing out
        }
        compared += 1;
        let most = found as usize + 40;
        let chances: Vec<f64> = (1..=most).map(|rows| by_dealing(&cells, k, rows)).collect();
        let last_below = chances.iter().rposition(|&chance| chance < share);
        let scanned = last_below.map_or(1, |at| at as u64 + 2);
        assert_eq!(found, scanned, "case {case}: {columns:?}, k {k}, {share}");
    }
    assert!(compared > 60, "only {compared} cases were compared");
}

#[test]
fn beyond_the_rows_needed_the_chance_never_falls_below_again() {
    let counted = |rows: &[u32]| Column::Counted(rows.to_vec());
    for (columns, k, share) in [
        (vec![Column::Even(2); 6], 5, 0.95),
        (vec![Column::Even(2)], 400, 0.3),
        (vec![Column::Even(3); 5], 2, 0.05),
        (vec![counted(&[70, 20, 9, 1]), Column::Even(2)], 3, 0.9),
        (vec![counted(&[900, 90, 9, 1])], 2, 0.9),
    ] {
        let combinations = Combinations::of(&columns).unwrap();
        let found = rows_needed(&combinations, k, share, &never_stop)
            .unwrap()
            .unwrap();
        assert!(found > 512, "{found}");
        assert!(by_formula(&combinations, k, found - 1) < share);
        for rows in found..found + 1000 {
            let chance = by_formula(&combinations, k, rows);
            assert!(chance >= share, "{columns:?}, k {k}, {rows} rows: {chance}");
        }
    }
}

#[test]
fn more_rows_first_make_rare_values_a_danger() {
    // Half, nearly half, and one in a million: 50 rows usually do, a million do not, 20 million do again.
    let columns = [Column::Counted(vec![500_000, 499_999, 1])];
    let combinations = Combinations::of(&columns).unwrap();
    assert!(by_formula(&combinations, 5, 50) > 0.99);
    assert!(by_formula(&combinations, 5, 2_000_000) < 0.3);
    let needed = rows_needed(&combinations, 5, 0.95, &never_stop)
        .unwrap()
        .unwrap();
    assert!((8_000_000..10_000_000).contains(&needed), "{needed}");
    let beyond = [
        Column::Counted(vec![u32::MAX, 1]),
        Column::Counted(vec![u32::MAX, 1]),
    ];
    let combinations = Combinations::of(&beyond).unwrap();
    assert_eq!(rows_needed(&combinations, 5, 0.95, &never_stop), Ok(None));
}

fn by_trial(combinations: &Combinations, k: u32, rows: u64, repeats: u64, seed: u64) -> f64 {
    let sampler = Sampler::new(combinations, k, rows);
    let tried = (0..repeats).map(|number| sampler.try_once(seed, number, &never_stop).unwrap());
    tried.filter(|tried| tried.is_reached).count() as f64 / repeats as f64
}

/// Whether a share of trials is what a chance may well give.
fn agrees(found: f64, chance: f64, repeats: u64) -> bool {
    let deviation = (chance * (1.0 - chance) / repeats as f64).sqrt();
    (found - chance).abs()
        <= 4.0 * deviation + 1e-9 + 0.5 / repeats as f64 * f64::from(chance > 0.0 && chance < 1.0)
}

#[test]
fn table_12_by_trial() {
    for (attributes, k, rows, paper, repeats_of_paper) in TABLE_12 {
        let combinations = binary(attributes);
        let chance = by_formula(&combinations, k, rows);
        let found = by_trial(&combinations, k, rows, 500, 1);
        assert!(
            agrees(found, chance, 500),
            "{attributes} {k} {rows}: {found} {chance}"
        );
        let deviation = (found * (1.0 - found) / f64::from(repeats_of_paper)).sqrt();
        assert!(
            (found - paper).abs() < 4.0 * deviation + 0.01,
            "{found} {paper}"
        );
    }
}

#[test]
fn trials_agree_with_dealing_out() {
    let mut draw = Draw::new(5);
    let mut between = 0;
    for case in 0..120 {
        let columns = random_columns(&mut draw);
        let (k, rows) = (1 + draw.below(7), 1 + draw.below(150));
        let exact = by_dealing(&cells(&columns), k, rows);
        let combinations = Combinations::of(&columns).unwrap();
        let found = by_trial(&combinations, k as u32, rows as u64, 4000, case);
        between += usize::from((0.01..0.99).contains(&exact));
        assert!(
            agrees(found, exact, 4000),
            "case {case}: {columns:?}, {k}, {rows}: {found} {exact}"
        );
    }
    assert!(between > 30, "only {between} cases were interesting");
}

#[test]
fn every_way_to_draw_agrees_with_the_formula() {
    let counted = |rows: &[u32]| Column::Counted(rows.to_vec());
    let many: Vec<u32> = (0..900).map(|at| 1000 + at).collect();
    let cases = [
        // Blocks by Poisson numbers; halves of halves of blocks, of unequal size.
        (vec![Column::Even(4096)], 5, 100_000, 3000),
        (vec![Column::Even(9000)], 2, 130_000, 1500),
        // Rows one by one: in a block, among many combinations, and among the values of a column.
        (vec![Column::Even(20)], 2, 3, 40_000),
        (vec![Column::Even(5000)], 2, 2, 400_000),
        (vec![counted(&many)], 2, 2, 400_000),
        // Many combinations that seldom fail.
        (vec![Column::Even(2); 20], 5, 28_200_000, 1500),
        (vec![Column::Even(2); 26], 2, 1_620_000_000, 500),
        (vec![Column::Even(100)], 40, 7_000, 4000),
        // Uneven columns above even ones.
        (
            vec![counted(&[3, 1]), Column::Even(64), counted(&[5, 2, 2])],
            3,
            9000,
            3000,
        ),
        (vec![counted(&many)], 2, 12_000, 2000),
    ];
    for (columns, k, rows, repeats) in cases {
        let combinations = Combinations::of(&columns).unwrap();
        let chance = by_formula(&combinations, k, rows);
        let found = by_trial(&combinations, k, rows, repeats, 7);
        assert!(chance > 1e-5 && chance < 0.9999, "{chance}");
        assert!(
            agrees(found, chance, repeats),
            "k {k}, {rows} rows: {found} {chance}"
        );
    }
}

#[test]
fn failures_drawn_directly_are_as_likely_as_they_should_be() {
    // Where several combinations fail together often enough to show.
    for (values, k) in [(8, 3), (30, 2), (4, 9)] {
        const REPEATS: u64 = 150_000;
        let combinations = Combinations::of(&[Column::Even(values)]).unwrap();
        let rows = rows_needed(&combinations, k, 0.795, &never_stop);
        let rows = rows.unwrap().unwrap();
        let exact = by_dealing(
            &vec![1.0 / values as f64; values as usize],
            k as usize,
            rows as usize,
        );
        let found = by_trial(&combinations, k, rows, REPEATS, 3);
        assert!(
            agrees(found, exact, REPEATS),
            "{values} {k} {rows}: {found} {exact}"
        );
    }
}

#[test]
fn trials_depend_on_their_seed_and_number_only() {
    let combinations = binary(3);
    let sampler = Sampler::new(&combinations, 3, 50);
    let row = |seed: u64, numbers: std::ops::Range<u64>| -> Vec<bool> {
        let tried = |number| sampler.try_once(seed, number, &never_stop).unwrap();
        numbers.map(|number| tried(number).is_reached).collect()
    };
    assert_eq!(row(1, 0..200)[50..], row(1, 50..200));
    assert_ne!(row(1, 0..200), row(2, 0..200));
    assert_ne!(row(1, 1..200), row(2, 0..199), "seeds do not share trials");
}

#[test]
fn a_hopeless_table_is_recognized_early() {
    let sampler = Sampler::new(&binary(18), 5, 2_000_000);
    let tried = sampler.try_once(1, 0, &never_stop).unwrap();
    assert!(!tried.is_reached && tried.steps < 20_000, "{tried:?}");
}

#[test]
fn binomial_numbers_have_their_distribution() {
    let mut draw = Draw::new(6);
    for (rows, share) in [
        (5, 0.3),
        (40, 0.9),
        (30, 0.5),
        (1000, 0.004),
        (700, 0.31),
        (100_000, 0.001),
    ] {
        const DRAWS: u64 = 60_000;
        let mut counts = vec![0_u64; rows as usize + 1];
        for _ in 0..DRAWS {
            counts[binomial::binomial(&mut draw, rows, share) as usize] += 1;
        }
        let share: f64 = share;
        let (mut ln, mut squares, mut kinds) = (rows as f64 * (1.0 - share).ln(), 0.0, 0.0);
        let (mut expected_rest, mut found_rest) = (0.0, 0.0);
        for (number, &found) in counts.iter().enumerate() {
            let expected = DRAWS as f64 * ln.exp();
            match expected >= 10.0 {
                true => {
                    squares += (found as f64 - expected).powi(2) / expected;
                    kinds += 1.0;
                }
                false => {
                    expected_rest += expected;
                    found_rest += found as f64;
                }
            }
            ln +=
                ((rows as f64 - number as f64) / (number + 1) as f64 * share / (1.0 - share)).ln();
        }
        assert!(f64::abs(found_rest - expected_rest) < 6.0 * f64::sqrt(expected_rest) + 6.0);
        // Chi-squared: mean `kinds`, variance twice that.
        let limit = kinds + 5.0 * f64::sqrt(2.0 * kinds);
        assert!(squares < limit, "{rows} {share}: {squares} of {kinds}");
    }
}

#[test]
fn binomial_numbers_of_many_rows_have_their_mean_and_variance() {
    let mut draw = Draw::new(8);
    for (rows, share) in [(MOST_ROWS, 0.5), (MOST_ROWS, 1e-9), (3_000_000_000, 0.77)] {
        let (mean, variance) = (rows as f64 * share, rows as f64 * share * (1.0 - share));
        let off = (0..20_000).map(|_| {
            let found = binomial::binomial(&mut draw, rows, share) as f64;
            (found - mean) / variance.sqrt()
        });
        let off: Vec<f64> = off.collect();
        let average = off.iter().sum::<f64>() / 20_000.0;
        let square = off.iter().map(|off| off * off).sum::<f64>() / 20_000.0;
        assert!(
            average.abs() < 0.04 && (square - 1.0).abs() < 0.06,
            "{average} {square}"
        );
    }
}
