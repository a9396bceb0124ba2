//! The research value of releases of every shape, by its definition on nothing but the published texts.

use fastrand::Rng;
use incrowd_core::algorithms::ALGORITHMS;
use incrowd_job::{HierarchySource, Job, MemoryTable, anonymize_table};
use std::collections::BTreeMap;

/// The value of a level and its labels, from the raw value up.
type Hierarchy = Vec<Vec<String>>;

fn ages() -> Hierarchy {
    let way = |age: u32| {
        let labels = [format!("five{}", age / 5), format!("ten{}", age / 10)];
        [vec![age.to_string()], labels.to_vec(), vec!["*".to_owned()]].concat()
    };
    (20..40).map(way).collect()
}

fn jobs() -> Hierarchy {
    let ways = [
        "baker craft",
        "smith craft",
        "clerk office",
        "judge office",
        "nurse care",
        "guard care",
    ];
    let way = |way: &str| {
        let words = way.split(' ').chain(["*"]);
        words.map(str::to_owned).collect()
    };
    ways.into_iter().map(way).collect()
}

/// The raw values that a published text stands for.
fn meaning<'a>(text: &str, hierarchy: &'a Hierarchy) -> Vec<&'a str> {
    let raw = |test: &dyn Fn(&Vec<String>) -> bool| -> Vec<&'a str> {
        let ways = hierarchy.iter().filter(|way| test(way));
        ways.map(|way| way[0].as_str()).collect()
    };
    let labelled = raw(&|way| way.iter().any(|label| label == text));
    if !labelled.is_empty() {
        return labelled;
    }
    if let Some(inside) = text.strip_prefix('[') {
        let (low, high) = inside.trim_end_matches(']').split_once('-').unwrap();
        let (low, high): (u32, u32) = (low.parse().unwrap(), high.parse().unwrap());
        return raw(&|way| (low..=high).contains(&way[0].parse().unwrap()));
    }
    let inside = text.trim_matches(['{', '}']);
    let values: Vec<&str> = inside.split(", ").collect();
    raw(&|way| values.contains(&way[0].as_str()))
}

/// The granularity of numbers: rows by the sum of their spans.
fn of_numbers(texts: &[&str], hierarchy: &Hierarchy) -> f64 {
    let span = |text: &&str| {
        let values = meaning(text, hierarchy);
        let numbers: Vec<f64> = values.iter().map(|it| it.parse().unwrap()).collect();
        let greatest = numbers.iter().copied().fold(f64::MIN, f64::max);
        greatest - numbers.iter().copied().fold(f64::MAX, f64::min) + 1.0
    };
    texts.len() as f64 / texts.iter().map(span).sum::<f64>()
}

/// The granularity of texts: 1 / size of what a value may be published as, on average over rows, then over values.
fn of_texts(texts: &[&str], hierarchy: &Hierarchy) -> f64 {
    let meanings: Vec<Vec<&str>> = texts.iter().map(|text| meaning(text, hierarchy)).collect();
    let shares = hierarchy.iter().map(|way| {
        let may = meanings.iter().filter(|it| it.contains(&way[0].as_str()));
        let shares: Vec<f64> = may.map(|it| 1.0 / it.len() as f64).collect();
        shares.iter().sum::<f64>() / shares.len() as f64
    });
    shares.sum::<f64>() / hierarchy.len() as f64
}

fn is_kept(texts: &[&str], hierarchy: &Hierarchy, one: &[&str], other: &[&str]) -> bool {
    let mixes = |text: &&str| {
        let values = meaning(text, hierarchy);
        let has = |side: &[&str]| side.iter().any(|it| values.contains(it));
        has(one) && has(other)
    };
    !texts.iter().any(mixes)
}

#[test]
fn the_value_of_every_release_is_its_definition_on_the_published_texts() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, hierarchy: &Hierarchy| {
        let lines: Vec<String> = hierarchy.iter().map(|way| way.join(",")).collect();
        let path = folder.path().join(name);
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        HierarchySource::File(path)
    };
    let (ages, jobs) = (ages(), jobs());
    let sources = [
        ("age", file("age.csv", &ages)),
        ("job", file("job.csv", &jobs)),
    ];
    let mut seen: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (seed, algorithm) in (0..12).flat_map(|seed| ALGORITHMS.iter().map(move |it| (seed, it))) {
        let rng = &mut Rng::with_seed(seed);
        let mut rows: Vec<[String; 3]> = Vec::new();
        for row in 0..80 {
            // Every value is there, so that what is published shows every group.
            let (age, job) = match row < 20 {
                true => (row, row % 6),
                false => (rng.usize(0..20), rng.usize(0..6)),
            };
            let ill = ["yes", "no"][usize::from(age > 9) ^ usize::from(rng.u8(0..4) == 0)];
            rows.push([ages[age][0].clone(), jobs[job][0].clone(), ill.to_owned()]);
        }
        let mut job = Job::default()
            .quasi_identifiers(["age", "job"])
            .promise(format!("k-anonymity(k={})", rng.u8(2..5)))
            .max_suppressed("0")
            .unwrap();
        job.columns.target = Some(vec!["ill".to_owned()]);
        job.hierarchies.extend(
            sources
                .iter()
                .map(|(name, source)| ((*name).to_owned(), source.clone())),
        );
        job.search.algorithm = Some(algorithm.entry().name.to_owned());
        let boundary = rng.u32(20..39);
        job.add_rule(&format!("age: {boundary}|{} = 3", boundary + 1))
            .unwrap();
        job.add_rule("age: 29|30 = 2").ok();
        job.add_rule("job: baker != clerk = 4").unwrap();
        job.add_rule("job: {clerk, judge} != {nurse, guard} = 1")
            .unwrap();
        job.search.rule_base = Some(1.0);
        job.add_weight("age=0.25").unwrap();
        job.add_weight("job=0.75").unwrap();
        if boundary == 29 {
            job.rules["age"].0.pop();
        }
        let table = MemoryTable::new(["age", "job", "ill"], rows).unwrap();
        let Ok((release, outcome)) = anonymize_table(&job, table) else {
            continue;
        };
        let case = format!("seed {seed}, {}", algorithm.entry().name);
        assert_eq!(outcome.rows_suppressed, 0, "{case}");
        let published: Vec<Vec<&str>> = release.rows().collect();
        let texts = |column: &str| -> Vec<&str> {
            let at = release
                .columns()
                .iter()
                .position(|name| name == column)
                .unwrap();
            published.iter().map(|row| row[at]).collect()
        };
        let (of_age, of_job) = (texts("age"), texts("job"));
        let upper: Vec<String> = (boundary + 1..40).map(|age| age.to_string()).collect();
        let lower: Vec<String> = (20..=boundary).map(|age| age.to_string()).collect();
        let plain = |side: &'_ [String]| -> Vec<String> { side.to_vec() };
        let of_ages = |low: &[String], high: &[String]| {
            let (low, high) = (plain(low), plain(high));
            let low: Vec<&str> = low.iter().map(String::as_str).collect();
            let high: Vec<&str> = high.iter().map(String::as_str).collect();
            is_kept(&of_age, &ages, &low, &high)
        };
        let all: Vec<String> = (20..40).map(|age| age.to_string()).collect();
        let mut age_rules = vec![(3.0, of_ages(&lower, &upper))];
        if boundary != 29 {
            age_rules.push((2.0, of_ages(&all[..10], &all[10..])));
        }
        let job_rules = vec![
            (4.0, is_kept(&of_job, &jobs, &["baker"], &["clerk"])),
            (
                1.0,
                is_kept(&of_job, &jobs, &["clerk", "judge"], &["nurse", "guard"]),
            ),
        ];
        let expected = [
            (0.25, of_numbers(&of_age, &ages), age_rules),
            (0.75, of_texts(&of_job, &jobs), job_rules),
        ];
        let value = outcome.research_value.expect(&case);
        let mut total = 0.0;
        for ((weight, granularity, rules), told) in expected.into_iter().zip(&value.attributes) {
            let kept: f64 = rules.iter().filter(|it| it.1).map(|it| it.0).sum();
            let importance: f64 = rules.iter().map(|it| it.0).sum();
            let ratio = (1.0 + kept) / (1.0 + importance);
            let told_kept: Vec<bool> = told.rules.iter().map(|rule| rule.kept).collect();
            let expected_kept: Vec<bool> = rules.iter().map(|it| it.1).collect();
            assert_eq!(told_kept, expected_kept, "{case}, {}", told.name);
            assert_eq!(told.weight, weight, "{case}");
            assert!((told.ratio - ratio).abs() < 1e-12, "{case}");
            let expected = weight * granularity * ratio;
            assert!(
                (told.value - expected).abs() < 1e-12,
                "{case}, {}: {} is not {expected}",
                told.name,
                told.value
            );
            total += expected;
            let counts = seen.entry(outcome.recoding.clone()).or_default();
            counts.0 += expected_kept.iter().filter(|kept| **kept).count();
            counts.1 += expected_kept.iter().filter(|kept| !**kept).count();
        }
        assert!((value.total - total).abs() < 1e-12, "{case}");
        let loss = outcome.metrics["research-value"];
        assert!(
            (loss - (1.0 - total / value.greatest)).abs() < 1e-12,
            "{case}"
        );
    }
    let shapes: Vec<&str> = seen.keys().map(String::as_str).collect();
    assert_eq!(shapes, ["cuts", "full-domain", "partitions", "regions"]);
    for (shape, (kept, broken)) in seen {
        assert!(
            kept > 10 && broken > 10,
            "{shape}: {kept} kept, {broken} broken"
        );
    }
}
