//! Clustering by research value, by definition: every pair of clusters looked at, on rows and texts, with random rules,
//! weights and exponents.

use crate::region_case::{Axis, Case, case, case_of_rows};
use fastrand::Rng;
use incrowd_core::algorithms::{
    Algorithm, EuclideanCluster, NcpCluster, RvCluster, RvClusterSuppress,
};
use incrowd_core::privacy::{KAnonymity, PrivacyModel};
use incrowd_core::problem::{Problem, Settings, Unwatched};
use incrowd_core::publish::{Release, publish};
use incrowd_core::utility::MetricSpec;
use incrowd_testkit::oracle::{Distance, Promise, RawHierarchy, RawTable, Thousandths};
use std::collections::{BTreeMap, BTreeSet};

/// The parts in which the value of all columns is counted.
const WHOLE: f64 = 16_777_216.0;

/// The steps in which all rules are counted.
const STEPS: f64 = 60.0;

/// With more values, text without levels holds all between its first and its last one.
const MOST_IN_NO_ORDER: usize = 64;

/// A rule about listed values: those on its two sides.
struct Rule {
    importance: f64,
    sides: [BTreeSet<String>; 2],
}

impl Rule {
    fn is_broken<'t>(&self, texts: impl Iterator<Item = &'t String> + Clone) -> bool {
        let has = |side: &BTreeSet<String>| texts.clone().any(|it| side.contains(it));
        self.sides.iter().all(has)
    }
}

/// What experts say of a column.
struct Said {
    weight: f64,
    rules: Vec<Rule>,
    by_hand: Option<Vec<f64>>,
}

/// What experts say.
struct Experts {
    columns: Vec<Said>,
    base: f64,
    granularity_exponent: f64,
    rule_exponent: f64,
    metric: MetricSpec,
}

impl Experts {
    fn random(case: &Case, rng: &mut Rng) -> Self {
        let mut metric = MetricSpec::named("research-value").unwrap();
        let count = case.axes.len();
        let mut eighths = vec![0; count];
        (0..8).for_each(|_| eighths[rng.usize(0..count)] += 1);
        let weights = eighths.iter().enumerate();
        let weights: Vec<String> = weights
            .map(|(at, eighths)| format!("q{at}:{}", f64::from(*eighths) / 8.0))
            .collect();
        metric.give("weights", &weights.join(";")).unwrap();
        let mut pick = |name: &str, texts: [&str; 4]| -> f64 {
            let text = rng.choice(texts).unwrap();
            metric.give(name, text).unwrap();
            text.parse().unwrap()
        };
        let base = pick("base", ["0", "0", "1", "10"]);
        let granularity_exponent = pick("granularity-exponent", ["1", "1", "0.5", "2"]);
        let rule_exponent = pick("rule-exponent", ["1", "1", "0", "3"]);
        let mut columns = Vec::new();
        let (mut rules, mut by_hand) = (Vec::new(), Vec::new());
        for (at, eighths) in eighths.into_iter().enumerate() {
            let (said, texts) = random_rules(case, at, rng);
            rules.extend(texts);
            let levels = case.oracle.quasi_identifiers[at].1[0].len();
            let values = (rng.u8(0..6) == 0).then(|| {
                let values: Vec<f64> = (0..levels).map(|_| f64::from(rng.u8(1..9))).collect();
                let texts: Vec<String> = values.iter().map(f64::to_string).collect();
                by_hand.push(format!("q{at}:{}", texts.join("/")));
                values
            });
            columns.push(Said {
                weight: f64::from(eighths) / 8.0,
                rules: said,
                by_hand: values,
            });
        }
        if !rules.is_empty() {
            metric.give("rules", &rules.join(" ; ")).unwrap();
        }
        if !by_hand.is_empty() {
            metric.give("level-values", &by_hand.join(";")).unwrap();
        }
        Experts {
            columns,
            base,
            granularity_exponent,
            rule_exponent,
            metric,
        }
    }

    /// The greatest value of a column.
    fn greatest(said: &Said) -> f64 {
        let by_hand = said.by_hand.iter().flatten().copied();
        by_hand.reduce(f64::max).unwrap_or(1.0)
    }

    fn greatest_of_all(&self) -> f64 {
        let columns = self.columns.iter();
        columns.map(|it| it.weight * Self::greatest(it)).sum()
    }

    /// What a published value loses, given its level, its granularity and whether each rule is broken.
    fn lost(&self, column: usize, level: usize, granularity: f64, is_broken: &[bool]) -> u64 {
        let said = &self.columns[column];
        let weight = said.weight / self.greatest_of_all();
        if let Some(values) = &said.by_hand {
            let above = values[level..].iter().copied().fold(0.0, f64::max);
            return (WHOLE * weight * (Self::greatest(said) - above)).round() as u64;
        }
        let broken = said.rules.iter().zip(is_broken);
        let broken = broken.filter(|(_, is_broken)| **is_broken);
        let broken: f64 = broken.map(|(rule, _)| rule.importance).sum();
        let all: f64 = self.base + said.rules.iter().map(|it| it.importance).sum::<f64>();
        let kept = match is_broken.contains(&true) {
            true => ((all - broken) / all).powf(self.rule_exponent),
            false => 1.0,
        };
        let value = granularity.powf(self.granularity_exponent) * kept;
        let steps = (STEPS * weight * (1.0 - kept)).ceil() as u64;
        // A step is more than all columns lose otherwise, each rounded.
        let step = WHOLE as u64 + self.columns.len() as u64;
        (WHOLE * weight * (1.0 - value)).round() as u64 + steps * step
    }
}

/// Random rules of a column, as they are and as they are written.
fn random_rules(case: &Case, column: usize, rng: &mut Rng) -> (Vec<Rule>, Vec<String>) {
    let listed = case.oracle.quasi_identifiers[column].1.iter();
    let listed: Vec<&String> = listed
        .map(|it| &it[0])
        .filter(|it| !it.is_empty())
        .collect();
    let (mut rules, mut texts): (Vec<Rule>, Vec<String>) = (Vec::new(), Vec::new());
    if listed.len() < 2 {
        return (rules, texts);
    }
    for _ in 0..rng.usize(0..4) {
        let importance = rng.u32(1..20);
        let boundary = || {
            let mut numbers: Vec<f64> = listed.iter().filter_map(|it| it.parse().ok()).collect();
            numbers.sort_by(f64::total_cmp);
            numbers
        };
        let (sides, text) = if case.axes[column] == Axis::Numbers && rng.bool() {
            let numbers = boundary();
            let at = rng.usize(1..numbers.len());
            let is_below = |it: &&&String| it.parse::<f64>().unwrap() < numbers[at];
            let (low, high): (Vec<&&String>, Vec<&&String>) = listed.iter().partition(is_below);
            let sides = [low, high].map(|it| it.into_iter().map(|it| (*it).clone()).collect());
            (sides, format!("{}|{}", numbers[at - 1], numbers[at]))
        } else {
            let mut sides = [BTreeSet::new(), BTreeSet::new()];
            for &value in &listed {
                if let Some(side) = sides.get_mut(rng.usize(0..3)) {
                    side.insert(value.clone());
                }
            }
            let text = |side: &BTreeSet<String>| {
                let values: Vec<String> = side.iter().map(|it| format!("\"{it}\"")).collect();
                format!("{{{}}}", values.join(", "))
            };
            let text = format!("{} != {}", text(&sides[0]), text(&sides[1]));
            (sides, text)
        };
        let is_known = |rule: &Rule| {
            let turned = [&rule.sides[1], &rule.sides[0]];
            rule.sides == sides || turned == [&sides[0], &sides[1]]
        };
        if sides.iter().any(BTreeSet::is_empty) || rules.iter().any(is_known) {
            continue;
        }
        texts.push(format!("q{column}: {text} = {importance}"));
        rules.push(Rule {
            importance: f64::from(importance),
            sides,
        });
    }
    (rules, texts)
}

/// The naive search.
struct Naive<'c> {
    case: &'c Case,
    experts: &'c Experts,
    /// The rows of each tuple, in the order of the values as they are listed.
    tuples: Vec<Vec<usize>>,
}

impl<'c> Naive<'c> {
    fn new(case: &'c Case, experts: &'c Experts) -> Self {
        let mut tuples: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        for row in case.oracle.rows() {
            let listed = |column: usize| {
                let ways_up = &case.oracle.quasi_identifiers[column].1;
                let is_own = |it: &Vec<String>| it[0] == case.cell(row, column);
                ways_up.iter().position(is_own).unwrap()
            };
            let key = (0..case.axes.len()).map(listed).collect();
            tuples.entry(key).or_default().push(row);
        }
        Naive {
            case,
            experts,
            tuples: tuples.into_values().collect(),
        }
    }

    /// What some rows lose in a column.
    fn lost(&self, rows: &[usize], column: usize) -> u64 {
        let case = self.case;
        let texts: BTreeSet<&str> = rows.iter().map(|&row| case.cell(row, column)).collect();
        if texts.len() == 1 {
            return 0;
        }
        let listed = &case.oracle.quasi_identifiers[column].1;
        let numbers = || listed.iter().filter_map(|it| it[0].parse::<f64>().ok());
        let top = listed[0].len() - 1;
        let (level, granularity, meant): (usize, f64, Vec<&String>) = match case.axes[column] {
            Axis::Numbers => {
                let own = rows.iter().filter_map(|&row| case.number(row, column));
                let (mut low, mut high) = own
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| {
                        (low.min(it), high.max(it))
                    });
                if texts.contains("") {
                    low = numbers().fold(f64::INFINITY, f64::min);
                    high = numbers().fold(f64::NEG_INFINITY, f64::max);
                }
                let is_inside = |it: &&String| {
                    let number: Result<f64, _> = it.parse();
                    number.is_ok_and(|it| low <= it && it <= high)
                };
                let meant = listed.iter().map(|it| &it[0]).filter(is_inside);
                (top, 1.0 / (high - low + 1.0), meant.collect())
            }
            Axis::Order if listed.len() > MOST_IN_NO_ORDER => {
                let is_there = |it: &Vec<String>| texts.contains(it[0].as_str());
                let first = listed.iter().position(is_there).unwrap();
                let last = listed.iter().rposition(is_there).unwrap();
                let meant: Vec<&String> = listed[first..=last].iter().map(|it| &it[0]).collect();
                (top, 1.0 / meant.len() as f64, meant)
            }
            Axis::Order => {
                let meant = listed.iter().map(|it| &it[0]);
                let meant = meant.filter(|it| texts.contains(it.as_str()));
                (top, 1.0 / texts.len() as f64, meant.collect())
            }
            Axis::Groups => {
                let level = case.common(rows, column);
                let group = &case.way_up(rows[0], column)[level..];
                let inside = listed.iter().filter(|it| it[level..] == *group);
                let meant: Vec<&String> = inside.map(|it| &it[0]).collect();
                (level, 1.0 / meant.len() as f64, meant)
            }
        };
        let rules = self.experts.columns[column].rules.iter();
        let is_broken: Vec<bool> = rules
            .map(|rule| rule.is_broken(meant.iter().copied()))
            .collect();
        (self.experts).lost(column, level, granularity, &is_broken)
    }

    fn extent(&self, rows: &[usize]) -> u64 {
        let columns = 0..self.case.axes.len();
        columns.map(|column| self.lost(rows, column)).sum()
    }

    fn cost(&self, rows: &[usize]) -> u64 {
        // Detail is lost by every row, rules by the release: first the rules broken, then detail.
        let step = WHOLE as u64 + self.case.axes.len() as u64;
        let steps = (self.extent(rows) / step).min(63);
        let detail = (self.extent(rows) - steps * step).min(step - 1);
        (steps << 56) + detail * rows.len() as u64
    }

    /// Merges the unsafe cluster with the fewest rows with the one that loses least, or suppresses either, until all are
    /// safe. Returns the clusters and the rows suppressed.
    fn clusters(&self, mut may_suppress: usize) -> (Vec<Vec<usize>>, Vec<usize>) {
        let mut clusters = self.tuples.clone();
        let mut suppressed = Vec::new();
        loop {
            let is_unsafe = |it: &usize| {
                let rows = &clusters[*it];
                !rows.is_empty() && !self.case.is_safe(rows)
            };
            let unsafe_ones = (0..clusters.len()).filter(is_unsafe);
            let Some(taken) = unsafe_ones.min_by_key(|&it| (clusters[it].len(), it)) else {
                break;
            };
            let merged = |it: usize| [&clusters[it][..], &clusters[taken]].concat();
            let others = (0..clusters.len()).filter(|&it| it != taken && !clusters[it].is_empty());
            let Some(other) = others.min_by_key(|&it| (self.cost(&merged(it)), it)) else {
                // Without those that were to be suppressed it is not safe.
                clusters[taken].append(&mut suppressed);
                break;
            };
            // A suppressed row loses all its value, and breaks no rule for others.
            let without = |it: usize| WHOLE as u64 * clusters[it].len() as u64;
            let may =
                |it: usize| clusters[it].len() <= may_suppress && !self.case.is_safe(&clusters[it]);
            let step = WHOLE as u64 + self.case.axes.len() as u64;
            let broken = |rows: &[usize]| self.extent(rows) / step;
            let before = broken(&clusters[taken]).max(broken(&clusters[other]));
            let breaks_more = broken(&merged(other)) > before;
            let mut ways = vec![(self.cost(&merged(other)), None)];
            if may(taken) && breaks_more {
                ways.push((without(taken) + self.cost(&clusters[other]), Some(taken)));
            }
            if may(other) && breaks_more {
                ways.push((without(other) + self.cost(&clusters[taken]), Some(other)));
            }
            match ways.into_iter().min_by_key(|it| it.0).unwrap().1 {
                None => {
                    clusters[other] = merged(other);
                    clusters[taken].clear();
                }
                Some(blanked) => {
                    may_suppress -= clusters[blanked].len();
                    suppressed.append(&mut clusters[blanked]);
                }
            }
        }
        clusters.retain(|rows| !rows.is_empty());
        (clusters, suppressed)
    }

    /// Splits a cluster and its parts in two while both are safe, as the card says.
    fn split(&self, rows: Vec<usize>) -> Vec<Vec<usize>> {
        let inside = |tuple: &&Vec<usize>| rows.contains(&tuple[0]);
        let mut tuples: Vec<&Vec<usize>> = self.tuples.iter().filter(inside).collect();
        let joint = |one: &[usize], other: &[usize]| self.extent(&[one, other].concat());
        let farthest = |from: &[usize]| -> &Vec<usize> {
            let mut farthest = tuples[0];
            for tuple in &tuples {
                if joint(from, tuple) > joint(from, farthest) {
                    farthest = tuple;
                }
            }
            farthest
        };
        let one = farthest(tuples[0]);
        let other = farthest(one);
        tuples.sort_by_key(|it| joint(one, it) as i64 - joint(other, it) as i64);
        let parts = |cut: usize| {
            let rows = |tuples: &[&Vec<usize>]| tuples.concat_all();
            (rows(&tuples[..cut]), rows(&tuples[cut..]))
        };
        let mut best = None;
        for cut in 1..tuples.len() {
            let (before, after) = parts(cut);
            let cost = self.cost(&before) + self.cost(&after);
            let is_safe = self.case.is_safe(&before) && self.case.is_safe(&after);
            let is_better = best.is_none_or(|(least, _)| cost < least);
            if is_safe && cost < self.cost(&rows) && is_better {
                best = Some((cost, cut));
            }
        }
        let Some((_, cut)) = best else {
            return vec![rows];
        };
        let (before, after) = parts(cut);
        let parts = [before, after].into_iter();
        parts.flat_map(|it| self.split(it)).collect()
    }

    /// What is published, or nothing if classes print alike that are not safe together.
    fn published(&self, clusters: &[Vec<usize>], suppressed: &[usize]) -> Option<Vec<Vec<String>>> {
        let alone = self.tuples.iter().filter(|it| suppressed.contains(&it[0]));
        let classes: Vec<Vec<usize>> = clusters.iter().chain(alone).cloned().collect();
        let published = self.case.published(&classes);
        let columns = self.case.axes.len();
        let mut alike: BTreeMap<&[String], Vec<usize>> = BTreeMap::new();
        for (row, cells) in published.iter().enumerate() {
            alike.entry(&cells[..columns]).or_default().push(row);
        }
        let (safe, others): (Vec<_>, Vec<_>) =
            alike.into_values().partition(|it| self.case.is_safe(it));
        let others: Vec<usize> = others.concat();
        if others.len() > self.case.oracle.max_suppressed {
            return None;
        }
        let mut kept: Vec<usize> = safe.concat();
        kept.sort_unstable();
        Some(kept.iter().map(|&row| published[row].clone()).collect())
    }
}

trait ConcatAll {
    fn concat_all(&self) -> Vec<usize>;
}

impl ConcatAll for [&Vec<usize>] {
    fn concat_all(&self) -> Vec<usize> {
        self.iter().flat_map(|it| it.iter().copied()).collect()
    }
}

/// Models of every kind.
fn random_promise(rng: &mut Rng) -> Promise {
    let l = Thousandths(1500);
    match rng.u8(0..10) {
        0 => Promise::DistinctLDiversity { l: 2 },
        1 => Promise::EntropyLDiversity { l },
        2 => Promise::RecursiveClDiversity {
            c: Thousandths(3000),
            l: 2,
        },
        3 => Promise::FrequencyLDiversity { l },
        4 => Promise::AlphaKAnonymity {
            alpha: Thousandths(700),
            k: 2,
            value: None,
        },
        5 => Promise::PSensitiveKAnonymity { p: 2, k: 3 },
        6 => Promise::TCloseness {
            t: Thousandths(400),
            distance: Distance::Equal,
        },
        7 => Promise::DeltaDisclosure {
            delta: Thousandths(1500),
            ignore_absent: true,
        },
        8 => Promise::BetaLikeness {
            beta: Thousandths(1500),
            enhanced: false,
        },
        _ => Promise::KAnonymity { k: rng.usize(2..9) },
    }
}

/// A random table with a column of many values of each kind, or two: with so many columns clusters are looked at in tiles.
fn wide_case(seed: u64) -> Case {
    let rng = &mut Rng::with_seed(seed);
    let mut case = case(0);
    let any = |it: String| vec![it, "*".to_owned()];
    let mut numbers: Vec<Vec<String>> = (0..300).map(|it| any((3 * it - 90).to_string())).collect();
    numbers.push(any(String::new()));
    let texts = (0..80).map(|it| any(format!("v{it:02}"))).collect();
    let groups = (0..300).map(|it| {
        let above = [format!("a{}", it / 10), format!("b{}", it / 60)];
        [
            format!("l{it:03}"),
            above[0].clone(),
            above[1].clone(),
            "*".to_owned(),
        ]
        .to_vec()
    });
    let kinds: [RawHierarchy; 3] = [numbers, texts, groups.collect()];
    let of_each = 1 + seed as usize % 2;
    let hierarchies: Vec<RawHierarchy> = (0..of_each).flat_map(|_| kinds.clone()).collect();
    let rows = rng.usize(100..200);
    let row = |rng: &mut Rng| {
        // Close to each other, so that most cells are not alone with their value.
        let at = rng.usize(0..60);
        let cell = |hierarchy: &RawHierarchy| hierarchy[at * hierarchy.len() / 60][0].clone();
        let mut row: Vec<String> = hierarchies.iter().map(cell).collect();
        let moved = rng.usize(0..hierarchies.len());
        row[moved].clone_from(&hierarchies[moved][rng.usize(0..hierarchies[moved].len())][0]);
        row.extend([
            rng.choice(["flu", "cold"]).unwrap().to_owned(),
            "1".to_owned(),
        ]);
        row
    };
    let names: Vec<String> = (0..hierarchies.len()).map(|at| format!("q{at}")).collect();
    let others = ["disease", "cost"].map(str::to_owned);
    case.oracle.table = RawTable {
        columns: names.iter().cloned().chain(others).collect(),
        rows: (0..rows).map(|_| row(rng)).collect(),
    };
    case.oracle.quasi_identifiers = names.into_iter().zip(hierarchies).collect();
    case.oracle.max_levels = [1, 1, 3].repeat(of_each);
    case.axes = [Axis::Numbers, Axis::Order, Axis::Groups].repeat(of_each);
    case.name = format!("wide, seed {seed}");
    case
}

#[derive(Debug, Default)]
struct Met {
    compared: usize,
    with_rules: usize,
    split: usize,
    suppressed: usize,
}

/// Compares what an algorithm publishes with what the definition does.
fn check(algorithm: &dyn Algorithm, suppresses: bool) -> Met {
    let mut met = Met::default();
    let small = (0..600).map(case);
    // With so many tuples, whole blocks of clusters are passed over.
    let large = (0..40).map(|seed| case_of_rows(seed, 200..300));
    let wide = (0..12).map(wide_case);
    for (seed, mut case) in (0..).zip(small.chain(large).chain(wide)) {
        let rng = &mut Rng::with_seed(seed);
        case.oracle.models = vec![random_promise(rng).into()];
        let rows = case.oracle.table.rows.len();
        if suppresses {
            case.oracle.max_suppressed = rng.usize(0..rows.div_ceil(4));
        }
        let experts = Experts::random(&case, rng);
        let naive = Naive::new(&case, &experts);
        let expected = match case.is_safe(&case.oracle.rows()) {
            false => None,
            true => {
                let budget = match suppresses {
                    true => case.oracle.max_suppressed,
                    false => 0,
                };
                let (clusters, suppressed) = naive.clusters(budget);
                let merged = clusters.len();
                let clusters = clusters.into_iter().flat_map(|it| naive.split(it));
                let clusters: Vec<Vec<usize>> = clusters.collect();
                let Some(published) = naive.published(&clusters, &suppressed) else {
                    continue;
                };
                met.split += usize::from(clusters.len() > merged);
                met.suppressed += usize::from(!suppressed.is_empty());
                Some(published)
            }
        };
        let threads = 1 + seed as usize % 3;
        let published = case.release_by(&experts.metric, algorithm, "cost", threads);
        let name = &case.name;
        assert_eq!(
            published, expected,
            "{name}, {}, {:?}",
            experts.metric, case.oracle
        );
        met.compared += usize::from(published.is_some());
        let has_rules = experts.columns.iter().any(|it| !it.rules.is_empty());
        met.with_rules += usize::from(published.is_some() && has_rules);
    }
    met
}

#[test]
fn rv_cluster_merges_as_if_it_had_looked_at_every_pair() {
    let met = check(&RvCluster, false);
    assert!(met.compared > 300 && met.with_rules > 150, "{met:?}");
    assert!(met.split > 10, "{met:?}");
}

#[test]
fn rv_cluster_suppress_takes_the_best_of_three_ways() {
    let met = check(&RvClusterSuppress, true);
    assert!(met.compared > 300 && met.with_rules > 150, "{met:?}");
    assert!(met.split > 10 && met.suppressed > 20, "{met:?}");
}

/// The first bucket of the paper: 1330 people with a capital gain of 7298 or more.
#[test]
fn rv_cluster_keeps_the_buckets_of_adult_apart() {
    let columns = ["age", "education-num", "capital-gain", "salary-class"];
    let table = crate::adult::count_without_levels(&columns);
    let mut metric = MetricSpec::named("research-value").unwrap();
    let rules = "capital-gain: 7297|7298 = 1 ; age: 27|28 = 1 ; education-num: 12|13 = 1";
    metric.give("rules", rules).unwrap();
    let said = metric.clone();
    let metric = metric.build(&table).unwrap();
    let settings = Settings {
        without_hierarchy: vec![0, 1, 2, 3],
        ..Settings::default()
    };
    for k in [3, 5, 10, 20] {
        let models: Vec<Box<dyn PrivacyModel>> = vec![Box::new(KAnonymity { k })];
        let problem = Problem::new(&table, &models, &*metric).with_settings(settings.clone());
        let release = |algorithm: &dyn Algorithm, most: u32| {
            let own = algorithm.entry().defaults();
            let settings = Settings {
                own,
                ..settings.clone()
            };
            let problem = problem
                .clone()
                .with_settings(settings)
                .allow_suppressed(most);
            let proposal = algorithm.solve(&problem, &Unwatched).unwrap();
            publish(&problem, &proposal).unwrap()
        };
        let broken = |release: &Release| -> Vec<String> {
            let bounds = [(2, 7298), (0, 28), (1, 13)].into_iter();
            let texts = bounds.flat_map(|(column, bound)| {
                let texts = release.texts(column).into_iter();
                texts.filter(move |text| straddles(text, bound))
            });
            texts.map(str::to_owned).collect()
        };
        let plain = release(&RvCluster, 0);
        // What experts say counts whatever is to be minimized.
        let other = MetricSpec::named("ncp").unwrap().build(&table).unwrap();
        let own = RvCluster.entry().defaults();
        let research = Some(said.clone());
        let by_other = problem.clone().minimize(&*other).with_settings(Settings {
            own,
            research,
            ..settings.clone()
        });
        let by_other = RvCluster.solve(&by_other, &Unwatched).unwrap();
        assert!(by_other.recoding.is_same(plain.recoding()));
        let lost = plain.loss(&*metric);
        assert!(lost < release(&NcpCluster, 0).loss(&*metric), "k = {k}");
        assert!(
            lost < release(&EuclideanCluster, 0).loss(&*metric),
            "k = {k}"
        );
        let suppressing = release(&RvClusterSuppress, 300);
        assert_eq!(broken(&suppressing), [""; 0], "k = {k}");
        // Only 15 people have much of both, and are young.
        if k <= 15 {
            assert_eq!(broken(&plain), [""; 0], "k = {k}");
            assert_eq!(suppressing.rows_suppressed(), 0, "k = {k}");
        } else {
            assert_ne!(broken(&plain), [""; 0], "k = {k}");
            assert_eq!(suppressing.rows_suppressed(), 15, "k = {k}");
            assert!(suppressing.loss(&*metric) < lost, "k = {k}");
        }
    }
}

/// Whether a number or an interval of numbers is on both sides of a boundary.
fn straddles(text: &str, bound: u32) -> bool {
    let ends = text.trim_matches(['[', ']']).split('-');
    let ends: Vec<u32> = ends.map(|it| it.parse().unwrap()).collect();
    ends[0] < bound && bound <= ends[ends.len() - 1]
}
