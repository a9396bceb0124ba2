//! Problems drawn at random: small enough to be solved by brute force, strange enough to be worth it.
//!
//! Hierarchies have values that no row has, labels that repeat over levels, and levels that merge nothing. Some
//! columns are numbers. Values are skewed and rows repeat, so that classes of all sizes occur. Cells are missing,
//! budgets are nothing, something or everything, and levels may be capped below the top.

use crate::oracle::{
    Aggregate, Aggregation, Distance, MissingPolicy, OracleMetric, OracleModel, OracleProblem,
    OracleResearchValue, OracleRule, Promise, RawHierarchy, RawTable, Thousandths,
};
use fastrand::Rng;
use std::collections::BTreeSet;

/// A problem for a seed: 1 to 4 quasi-identifiers, 1 to 60 rows, 0 to 2 sensitive columns, one to three promises.
pub fn random_problem(seed: u64) -> OracleProblem {
    let mut rng = Rng::with_seed(seed);
    let quasi_identifiers = rng.usize(1..=4);
    let shapes: Vec<Shape> = (0..quasi_identifiers)
        .map(|_| {
            let values = skewed(&mut rng, 12) + 1;
            Shape {
                values,
                used: rng.usize(values.div_ceil(2)..=values),
                height: rng.u8(1..=3),
            }
        })
        .collect();
    problem_of(&mut rng, &shapes)
}

/// A problem whose tuples do not fit into 64 bits: a dozen hierarchies list many values that no row has.
pub fn wide_problem(seed: u64) -> OracleProblem {
    let mut rng = Rng::with_seed(seed);
    let shapes: Vec<Shape> = (0..rng.usize(11..=13))
        .map(|_| Shape {
            values: rng.usize(65..=90), // 7 bits each
            used: rng.usize(1..=8),
            height: rng.u8(1..=2),
        })
        .collect();
    let mut problem = problem_of(&mut rng, &shapes);
    // Few columns may rise, which keeps the lattice small.
    let mut columns: Vec<usize> = (0..problem.max_levels.len()).collect();
    rng.shuffle(&mut columns);
    for column in columns.into_iter().skip(5) {
        problem.max_levels[column] = 0;
    }
    problem
}

/// A problem whose partitions can all be tried: few columns of few values, and no missing cell matches any value.
pub fn partition_problem(seed: u64) -> OracleProblem {
    let mut rng = Rng::with_seed(seed);
    let quasi_identifiers = rng.usize(1..=3);
    let most = [5, 3, 2][quasi_identifiers - 1];
    let shapes: Vec<Shape> = (0..quasi_identifiers)
        .map(|_| {
            let values = rng.usize(1..=most);
            Shape {
                values: values + rng.usize(0..2),
                used: values,
                height: rng.u8(1..=3),
            }
        })
        .collect();
    let mut problem = problem_of(&mut rng, &shapes);
    if problem.missing == MissingPolicy::MatchAny {
        problem.missing = MissingPolicy::OwnValue;
    }
    problem.table.rows.truncate(30);
    problem
}

/// Of a quasi-identifier.
struct Shape {
    /// The values its hierarchy lists.
    values: usize,
    /// How many of them rows may have.
    used: usize,
    height: u8,
}

fn problem_of(rng: &mut Rng, shapes: &[Shape]) -> OracleProblem {
    let sensitive = [0, 1, 1, 1, 2, 2][rng.usize(0..6)];
    let mut names: Vec<String> = (0..shapes.len()).map(|at| format!("q{at}")).collect();
    names.extend((0..sensitive).map(|at| format!("s{at}")));
    names.extend(["other".to_owned(), "target".to_owned()]);
    // The positions of columns mean nothing, so they are mixed.
    rng.shuffle(&mut names);
    let position = |name: &str| names.iter().position(|other| other == name);

    let hierarchies: Vec<RawHierarchy> = shapes
        .iter()
        .map(|shape| random_hierarchy(rng, shape.values, shape.height))
        .collect();
    let sensitive: Vec<(String, RawHierarchy)> = (0..sensitive)
        .map(|at| {
            let (values, height) = (rng.usize(1..=5), rng.u8(1..=3));
            (format!("s{at}"), random_hierarchy(rng, values, height))
        })
        .collect();

    let rows = match rng.u8(0..8) {
        0 => rng.usize(1..=8),
        _ => rng.usize(8..=60),
    };
    let skew = rng.i32(1..=3);
    let mut table = RawTable {
        columns: names.clone(),
        rows: Vec::new(),
    };
    for row in 0..rows {
        let mut cells: Vec<String> = vec![format!("row {row}"); names.len()];
        let mut fill = |rng: &mut Rng, name: &str, values: Vec<&String>| {
            let at = (rng.f64().powi(skew) * values.len() as f64) as usize;
            cells[position(name).expect("named above")] = values[at].clone();
        };
        for (at, (shape, hierarchy)) in shapes.iter().zip(&hierarchies).enumerate() {
            let values = hierarchy[..shape.used].iter().map(|way| &way[0]).collect();
            fill(rng, &format!("q{at}"), values);
        }
        for (column, hierarchy) in &sensitive {
            fill(rng, column, hierarchy.iter().map(|way| &way[0]).collect());
        }
        let classes = ["no".to_owned(), "yes".to_owned(), "perhaps".to_owned()];
        fill(rng, "target", classes.iter().collect());
        if row > 0 && rng.u8(0..3) == 0 {
            let earlier: &Vec<String> = &table.rows[rng.usize(0..row)];
            for at in 0..shapes.len() {
                let column = position(&format!("q{at}")).expect("named above");
                cells[column].clone_from(&earlier[column]);
            }
        }
        table.rows.push(cells);
    }

    let has_target = rng.bool();
    let mut problem = OracleProblem {
        table,
        quasi_identifiers: (0..).map(|at| format!("q{at}")).zip(hierarchies).collect(),
        sensitive: sensitive
            .into_iter()
            .map(|(column, hierarchy)| (column, (rng.u8(0..4) > 0).then_some(hierarchy)))
            .collect(),
        target: has_target.then(|| "target".to_owned()),
        models: Vec::new(),
        max_suppressed: match rng.u8(0..6) {
            0 | 1 => 0,
            5 => rows,
            _ => skewed(rng, rows + 1),
        },
        max_levels: (shapes.iter())
            .map(|shape| match rng.u8(0..5) {
                0 => rng.u8(0..=shape.height),
                _ => shape.height,
            })
            .collect(),
        missing: MissingPolicy::OwnValue,
        missing_tokens: Vec::new(),
        population: None,
    };
    if rng.bool() {
        lose_cells(rng, &mut problem);
    }
    for _ in 0..1 + skewed(rng, 3) {
        let name = MODEL_NAMES[rng.usize(0..MODEL_NAMES.len())];
        let model = random_model(name, &problem, rng);
        problem.models.extend(model);
    }
    if problem.models.is_empty() {
        problem
            .models
            .extend(random_model("k-anonymity", &problem, rng));
    }
    problem
}

/// Makes cells missing, and says what that means.
fn lose_cells(rng: &mut Rng, problem: &mut OracleProblem) {
    problem.missing = match rng.u8(0..4) {
        0 => MissingPolicy::OwnValue,
        1 => MissingPolicy::ExcludeRow,
        _ => MissingPolicy::MatchAny,
    };
    if rng.u8(0..3) == 0 {
        problem.missing_tokens.push("?".into());
    }
    let share = rng.f64() * 0.3;
    let hierarchies = (problem.quasi_identifiers.iter_mut())
        .map(|(column, hierarchy)| (&*column, Some(hierarchy)))
        .chain(
            problem
                .sensitive
                .iter_mut()
                .map(|(column, hierarchy)| (&*column, hierarchy.as_mut())),
        );
    for (column, hierarchy) in hierarchies {
        if rng.bool() {
            continue;
        }
        let position = problem.table.position(column);
        // One row stays whole, so that there is a table even when rows are excluded.
        for row in problem.table.rows.iter_mut().skip(1) {
            if rng.f64() < share {
                let written = [""]
                    .into_iter()
                    .chain(problem.missing_tokens.iter().map(String::as_str));
                let written: Vec<&str> = written.collect();
                row[position] = written[rng.usize(0..written.len())].into();
            }
        }
        if let Some(hierarchy) = hierarchy {
            let top = hierarchy[0].len() - 1;
            hierarchy.push(alone(String::new(), top));
            if rng.u8(0..4) == 0 {
                hierarchy.push(alone("?".into(), top));
            }
        }
    }
}

/// The way up of a value that stays alone below the top.
fn alone(value: String, top: usize) -> Vec<String> {
    let mut way = vec![value; top];
    way.push("*".into());
    way
}

/// A hierarchy over so many values. Numbers are merged with their neighbors, text with anything.
pub fn random_hierarchy(rng: &mut Rng, values: usize, height: u8) -> RawHierarchy {
    let numeric = rng.bool();
    let mut number = rng.i32(0..50);
    let mut ways_up: RawHierarchy = (0..values)
        .map(|value| match numeric {
            true => {
                number += rng.i32(1..4);
                vec![number.to_string()]
            }
            false => vec![format!("v{value}")],
        })
        .collect();
    // Values are listed in any order, also numbers.
    let mut groups: Vec<usize> = (0..values).collect();
    for level in 1..height {
        let merged = match rng.u8(0..4) {
            0 => values,
            _ => rng.usize(1..=values),
        };
        // Which group of this level each group of the one below is in.
        let above: Vec<usize> = (0..values)
            .map(|group| match numeric {
                true => group * merged / values,
                false => rng.usize(0..merged),
            })
            .collect();
        let groups_above: Vec<usize> = groups.iter().map(|&group| above[group]).collect();
        let repeats_labels = rng.bool();
        for leaf in 0..values {
            let members: Vec<usize> = (0..values)
                .filter(|&other| groups_above[other] == groups_above[leaf])
                .collect();
            let is_alone = members.iter().all(|&other| groups[other] == groups[leaf]);
            let label = match repeats_labels && is_alone {
                true => ways_up[leaf][level as usize - 1].clone(),
                false => format!("{}@{level}", groups_above[leaf]),
            };
            ways_up[leaf].push(label);
        }
        groups = groups_above;
    }
    for way in &mut ways_up {
        way.push("*".into());
    }
    rng.shuffle(&mut ways_up);
    ways_up
}

/// At least 0, below `bound`, low more often than high.
fn skewed(rng: &mut Rng, bound: usize) -> usize {
    rng.usize(0..bound).min(rng.usize(0..bound))
}

/// The models [`random_model`] knows.
pub const MODEL_NAMES: &[&str] = &[
    "k-anonymity",
    "distinct-l-diversity",
    "entropy-l-diversity",
    "recursive-cl-diversity",
    "frequency-l-diversity",
    "alpha-k-anonymity",
    "p-sensitive-k-anonymity",
    "t-closeness",
    "delta-disclosure",
    "beta-likeness",
];

/// The model of a name with random parameters; none when the problem lacks what it needs, such as a sensitive column.
/// Bounds are often met exactly.
///
/// # Panics
/// When the name is none it knows: whoever adds a model tells the oracle what it means.
pub fn random_model(name: &str, problem: &OracleProblem, rng: &mut Rng) -> Option<OracleModel> {
    let rows = problem.table.rows.len();
    let size = |rng: &mut Rng| match rng.u8(0..12) {
        0 => rng.usize(1..=rows + 2),
        _ => 1 + rng.usize(0..6),
    };
    if name == "k-anonymity" {
        return Some(Promise::KAnonymity { k: size(rng) }.into());
    }
    if problem.population.is_none() && ["k-map", "delta-presence"].contains(&name) {
        return None;
    }
    if name == "k-map" {
        return Some(Promise::KMap { k: 2 * size(rng) }.into());
    }
    if name == "delta-presence" {
        let shares = [0, 0, 0, 100, 250, 400, 500];
        let min = shares[rng.usize(0..shares.len())];
        let max = [250, 400, 500, 600, 750, 1000][rng.usize(0..6)];
        let (min, max) = (Thousandths(min.min(max)), Thousandths(max));
        return Some(Promise::DeltaPresence { min, max }.into());
    }
    if name == "average-risk" {
        let max = [50, 100, 200, 250, 333, 500, 750, 1000][rng.usize(0..8)];
        let max = Thousandths(max);
        return Some(Promise::AverageRisk { max }.into());
    }
    if name == "sample-uniqueness" {
        let max = [0, 0, 50, 100, 200, 500, 1000][rng.usize(0..7)];
        let max = Thousandths(max);
        return Some(Promise::SampleUniqueness { max }.into());
    }
    let named = (!problem.sensitive.is_empty() && rng.bool())
        .then(|| problem.sensitive[rng.usize(0..problem.sensitive.len())].clone());
    let about: Vec<&(String, Option<RawHierarchy>)> = match &named {
        Some(column) => vec![column],
        None => problem.sensitive.iter().collect(),
    };
    if about.is_empty() {
        return None;
    }
    let mut one_of = |choices: &[i128]| Thousandths(choices[rng.usize(0..choices.len())]);
    let promise = match name {
        "distinct-l-diversity" => Promise::DistinctLDiversity {
            l: rng.usize(1..=4),
        },
        "entropy-l-diversity" => Promise::EntropyLDiversity {
            l: one_of(&[1000, 1200, 1500, 1700, 2000, 2000, 3000]),
        },
        "recursive-cl-diversity" => Promise::RecursiveClDiversity {
            c: one_of(&[500, 1000, 2000, 3000, 4000, 6000]),
            l: rng.usize(1..=3),
        },
        "frequency-l-diversity" => Promise::FrequencyLDiversity {
            l: one_of(&[1000, 1250, 1400, 1500, 2000, 2000, 3000]),
        },
        "alpha-k-anonymity" => Promise::AlphaKAnonymity {
            alpha: one_of(&[250, 333, 400, 500, 500, 600, 750, 800, 1000]),
            value: named.as_ref().and_then(|(column, _)| {
                let values = problem.values(&problem.rows(), column);
                let value = values[rng.usize(0..values.len())];
                (!value.is_empty() && rng.bool()).then(|| value.to_owned())
            }),
            k: size(rng),
        },
        "p-sensitive-k-anonymity" => Promise::PSensitiveKAnonymity {
            p: rng.usize(1..=3),
            k: size(rng),
        },
        "t-closeness" => Promise::TCloseness {
            t: one_of(&[0, 100, 200, 250, 300, 333, 400, 500, 500, 600, 750]),
            distance: random_distance(&about, problem, rng),
        },
        "delta-disclosure" => Promise::DeltaDisclosure {
            delta: one_of(&[500, 1000, 1000, 1500, 2000, 2000, 3000, 4000]),
            ignore_absent: rng.bool(),
        },
        "beta-likeness" => Promise::BetaLikeness {
            beta: one_of(&[250, 500, 1000, 1000, 1500, 2000, 3000]),
            enhanced: rng.bool(),
        },
        _ => panic!("the oracle does not know the model `{name}`"),
    };
    Some(OracleModel {
        promise,
        column: named.map(|(column, _)| column),
    })
}

/// A population for a problem: everyone in its table, and others whose values the hierarchies list.
pub fn random_population(problem: &OracleProblem, rng: &mut Rng) -> Vec<Vec<String>> {
    let of_row = |row: usize| -> Vec<String> {
        let columns = problem.quasi_identifiers.iter();
        let cell = |(name, _): &(String, RawHierarchy)| {
            problem.cell(row, problem.table.position(name)).to_owned()
        };
        columns.map(cell).collect()
    };
    let mut population: Vec<Vec<String>> = problem.rows().into_iter().map(of_row).collect();
    for _ in 0..rng.usize(0..=3 * population.len()) {
        // Some are like others, so that classes have several people.
        let like = match population.is_empty() || rng.u8(0..3) == 0 {
            true => None,
            false => Some(population[rng.usize(0..population.len())].clone()),
        };
        // A text for a missing cell is one, also in a population.
        let any = |(_, ways): &(String, RawHierarchy)| {
            let cell = ways[rng.usize(0..ways.len())][0].clone();
            match problem.missing_tokens.contains(&cell) {
                true => String::new(),
                false => cell,
            }
        };
        let mut columns = problem.quasi_identifiers.iter().map(any);
        let other: Vec<String> = columns.by_ref().collect();
        population.push(like.unwrap_or(other));
    }
    population
}

/// A distance that all these columns can be measured by.
fn random_distance(
    columns: &[&(String, Option<RawHierarchy>)],
    problem: &OracleProblem,
    rng: &mut Rng,
) -> Distance {
    let all_rows: Vec<usize> = (0..problem.table.rows.len()).collect();
    let is_number = |column: &str| {
        let values = problem.values(&all_rows, column);
        let mut present = values.iter().filter(|value| !value.is_empty()).peekable();
        present.peek().is_some() && present.all(|value| value.parse::<f64>().is_ok())
    };
    let has_hierarchy = columns.iter().all(|(_, hierarchy)| hierarchy.is_some());
    let has_order = columns
        .iter()
        .all(|(column, hierarchy)| hierarchy.is_some() || is_number(column));
    match rng.u8(0..3) {
        0 if has_hierarchy => Distance::Hierarchical,
        1 if has_order => Distance::Ordered,
        _ => Distance::Equal,
    }
}

/// The metric of a name with random options; none when the problem lacks what it needs, such as a target.
///
/// # Panics
/// When the oracle does not know the name.
pub fn random_metric(name: &str, problem: &OracleProblem, rng: &mut Rng) -> Option<OracleMetric> {
    Some(match name {
        "height" => OracleMetric::Height,
        "precision" => OracleMetric::Precision(random_aggregation(problem, rng)),
        "discernibility" => OracleMetric::Discernibility,
        "hdm" => OracleMetric::Hdm {
            weights: random_aggregation(problem, rng).weights,
        },
        "dm-star" => OracleMetric::DmStar,
        "average-class-size" => OracleMetric::AverageClassSize {
            k: (rng.u8(0..3) == 0).then(|| rng.usize(1..=5)),
        },
        "loss" => OracleMetric::Loss(random_aggregation(problem, rng)),
        "non-uniform-entropy" => OracleMetric::NonUniformEntropy(random_aggregation(problem, rng)),
        "ncp" => OracleMetric::Ncp {
            weights: random_aggregation(problem, rng).weights,
        },
        "ambiguity" => OracleMetric::Ambiguity,
        "kl-divergence" => OracleMetric::KlDivergence,
        "query-error" => OracleMetric::QueryError {
            queries: rng.usize(1..=80),
            seed: rng.u64(1..=9),
        },
        "classification-metric" => OracleMetric::ClassificationMetric {
            target: problem.target.clone()?,
        },
        "research-value" => OracleMetric::ResearchValue(random_research_value(problem, rng)),
        _ => panic!("the oracle does not know the metric `{name}`"),
    })
}

fn random_research_value(problem: &OracleProblem, rng: &mut Rng) -> OracleResearchValue {
    let columns = &problem.quasi_identifiers;
    let mut weights = Vec::new();
    if rng.bool() {
        // Parts of 16, so that their sum is 1 to the last bit.
        let mut left = 16;
        for (at, (column, _)) in columns.iter().enumerate() {
            let part = match at + 1 == columns.len() {
                true => left,
                false => rng.u32(0..=left),
            };
            left -= part;
            weights.push((column.clone(), f64::from(part) / 16.0));
        }
    }
    let mut rules: Vec<OracleRule> = Vec::new();
    for _ in 0..rng.usize(0..5) {
        let (column, ways_up) = &columns[rng.usize(0..columns.len())];
        let Some(rule) = random_rule(problem, column, ways_up, rng) else {
            continue;
        };
        let sides = |rule: &OracleRule| {
            let set = |side: &[String]| side.iter().cloned().collect::<BTreeSet<_>>();
            (
                rule.column.clone(),
                BTreeSet::from([set(&rule.one), set(&rule.other)]),
            )
        };
        if rules.iter().all(|other| sides(other) != sides(&rule)) {
            rules.push(rule);
        }
    }
    let mut level_values = Vec::new();
    if rng.u8(0..6) == 0 {
        let (column, ways_up) = &columns[rng.usize(0..columns.len())];
        let values = ways_up[0].iter().map(|_| f64::from(rng.u8(0..=8)) / 8.0);
        level_values.push((column.clone(), values.collect()));
    }
    let exponents = [1.0, 1.0, 1.0, 0.0, 0.5, 2.0];
    OracleResearchValue {
        weights,
        rules,
        base: f64::from([0, 0, 3][rng.usize(0..3)]),
        exponents: match rng.bool() {
            true => (1.0, 1.0),
            false => (exponents[rng.usize(0..6)], exponents[rng.usize(0..6)]),
        },
        level_values,
    }
}

/// A boundary, two values or two sets of them; none if the column has too few values for it.
pub fn random_rule(
    problem: &OracleProblem,
    column: &str,
    ways_up: &RawHierarchy,
    rng: &mut Rng,
) -> Option<OracleRule> {
    let mut values: Vec<&String> = ways_up.iter().map(|way| &way[0]).collect();
    values.retain(|value| !value.is_empty() && *value != "*");
    let number = |value: &str| value.parse::<f64>().ok();
    let rows: Vec<usize> = (0..problem.table.rows.len()).collect();
    let data = problem.values(&rows, column);
    let is_number = |value: &str| value.is_empty() || number(value).is_some();
    let is_numeric = data.iter().any(|value| !value.is_empty())
        && data.iter().all(|value| is_number(value))
        && values.iter().all(|value| is_number(value));
    if values.len() < 2 {
        return None;
    }
    rng.shuffle(&mut values);
    let (text, one, other) = if is_numeric && rng.bool() {
        values.sort_by(|one, other| number(one).partial_cmp(&number(other)).expect("numbers"));
        let at = rng.usize(1..values.len());
        let (low, high) = (values[at - 1], values[at]);
        if number(low) == number(high) {
            return None;
        }
        let (low_number, high_number) = (number(low), number(high));
        let up_to: Vec<String> = (values.iter().copied())
            .filter(|it| number(it) <= low_number)
            .cloned()
            .collect();
        let from: Vec<String> = (values.iter().copied())
            .filter(|it| number(it) >= high_number)
            .cloned()
            .collect();
        (format!("{low}|{high}"), up_to, from)
    } else if values.len() == 2 || rng.bool() {
        let (one, other) = (values[0].clone(), values[1].clone());
        (format!("{one} != {other}"), vec![one], vec![other])
    } else {
        let at = rng.usize(1..values.len() - 1);
        let until = rng.usize(at + 1..=values.len());
        let side = |values: &[&String]| values.iter().map(|it| (*it).clone()).collect::<Vec<_>>();
        let (one, other) = (side(&values[..at]), side(&values[at..until]));
        let text = format!("{{{}}} != {{{}}}", one.join(", "), other.join(", "));
        (text, one, other)
    };
    Some(OracleRule {
        column: column.to_owned(),
        text,
        one,
        other,
        importance: f64::from(rng.u8(1..=20)) / 2.0,
    })
}

fn random_aggregation(problem: &OracleProblem, rng: &mut Rng) -> Aggregation {
    let aggregates = [
        None,
        None,
        Some(Aggregate::GeometricMean),
        Some(Aggregate::ArithmeticMean),
        Some(Aggregate::Sum),
        Some(Aggregate::Maximum),
    ];
    let mut weights = Vec::new();
    if rng.u8(0..3) == 0 {
        for (column, _) in &problem.quasi_identifiers {
            if rng.bool() {
                weights.push((column.clone(), f64::from(rng.u8(1..=8)) / 4.0));
            }
        }
        // Weight 0 makes a column free, as long as another one counts.
        if problem.quasi_identifiers.len() > 1 && weights.len() == 1 && rng.bool() {
            weights[0].1 = 0.0;
        }
    }
    Aggregation {
        aggregate: aggregates[rng.usize(0..aggregates.len())],
        weights,
    }
}
