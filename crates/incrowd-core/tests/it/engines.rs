//! Rows that the core never sees: somebody else counts them, and somebody else publishes them.

use incrowd_core::Error;
use incrowd_core::algorithms::ALGORITHMS;
use incrowd_core::counts::{CountEngine, RowCounter};
use incrowd_core::problem::Unwatched;
use incrowd_core::publish::{
    Applier, ClassNumber, Confirmation, PublishedRows, ReleaseMap, SuppressedRows, Tally, publish,
};
use incrowd_testkit::oracle::{MissingPolicy, OracleMetric};
use incrowd_testkit::random_problem;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Tuples with their rows, as a database would give them for GROUP BY.
struct Grouped {
    columns: Vec<String>,
    tuples: BTreeMap<Vec<String>, u32>,
    published: BTreeMap<Vec<String>, u32>,
}

impl CountEngine for Grouped {
    type Error = Error;

    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn count(&mut self, counter: &mut RowCounter) -> Result<(), Error> {
        let at = |name: &str| self.columns.iter().position(|it| it == name).unwrap();
        let positions: Vec<usize> = counter.names().map(at).collect();
        for (tuple, &rows) in &self.tuples {
            let texts: Vec<&str> = positions.iter().map(|&at| tuple[at].as_str()).collect();
            counter.count(&texts, rows)?;
        }
        Ok(())
    }
}

impl Applier for Grouped {
    type Published = BTreeMap<Vec<String>, u32>;
    type Error = Error;

    fn apply(&mut self, map: &Arc<ReleaseMap>) -> Result<Tally, Error> {
        let at = |name: &str| self.columns.iter().position(|it| it == name).unwrap();
        let classes: BTreeMap<&[u32], ClassNumber> = map.keys().collect();
        let mut tally = Tally::of(map);
        for (tuple, &rows) in &self.tuples {
            let text = |name: &str| match &tuple[at(name)] {
                token if map.missing_tokens().contains(token) => "",
                text => text,
            };
            let counted = map.counted().iter().map(|it| text(&it.name));
            let mut cells = (map.attributes().iter().map(|it| text(&it.name))).chain(counted);
            if map.excludes_missing() && cells.any(str::is_empty) {
                tally.count_excluded(rows);
                continue;
            }
            let lookup = |values: &incrowd_core::table::Dictionary, text: &str| {
                values.lookup(text.as_bytes()).ok_or(Error::InputChanged)
            };
            let mut key = Vec::new();
            for it in map.attributes() {
                key.push(map.number(it, lookup(&it.values, text(&it.name))?));
            }
            let class = *classes.get(&key[..]).ok_or(Error::InputChanged)?;
            let values = map
                .counted()
                .iter()
                .map(|it| lookup(&it.values, text(&it.name)));
            tally.count(class, &values.collect::<Result<Vec<_>, _>>()?, rows);
            if let Some(texts) = map.texts(class) {
                let mut row = tuple.clone();
                for it in map.counted() {
                    row[at(&it.name)] = text(&it.name).to_owned();
                }
                for (attribute, text) in map.attributes().iter().zip(texts) {
                    row[at(&attribute.name)] = text.to_owned();
                }
                *self.published.entry(row).or_default() += rows;
            }
        }
        Ok(tally)
    }

    fn appear(self, _: Confirmation) -> Result<Self::Published, Error> {
        Ok(self.published)
    }
}

#[test]
fn whoever_counts_and_whoever_publishes_the_release_is_the_same() {
    let mut releases = 0;
    for seed in 0..200 {
        let case = format!("seed {seed}");
        let mut oracle = random_problem(seed);
        // Counting tells tokens and empty cells apart; what is published of them is the same.
        if oracle.missing == MissingPolicy::MatchAny {
            oracle.missing = MissingPolicy::OwnValue;
        }
        let mut grouped = Grouped {
            columns: oracle.table.columns.clone(),
            tuples: BTreeMap::new(),
            published: BTreeMap::new(),
        };
        for row in &oracle.table.rows {
            *grouped.tuples.entry(row.clone()).or_default() += 1;
        }
        let here = oracle.prepare().expect(&case);
        let mut counter = oracle.count(0..0).expect(&case);
        grouped.count(&mut counter).expect(&case);
        let there = oracle.prepare_counted(oracle.finish(counter).expect(&case));
        let there = there.expect(&case);
        for algorithm in ALGORITHMS {
            let metric = here.metric(&OracleMetric::Discernibility).unwrap();
            let problem = here.problem(&*metric);
            let Ok(proposal) = algorithm.solve(&problem, &Unwatched) else {
                continue;
            };
            let of_here = publish(&problem, &proposal).expect(&case);
            let mut recoder =
                (of_here.recoder(&oracle.table.columns, &[], SuppressedRows::Drop)).expect(&case);
            let mut rows = PublishedRows::default();
            recoder
                .recode(&oracle.table.batch(0..oracle.table.rows.len()), &mut rows)
                .expect(&case);
            of_here.confirm(recoder.tally()).expect(&case);
            let mut expected: BTreeMap<Vec<String>, u32> = BTreeMap::new();
            for row in 0..rows.rows().rows() {
                let cell = |at| String::from_utf8(rows.rows().cell(row, at).to_vec()).unwrap();
                let cells = (0..rows.rows().columns()).map(cell);
                *expected.entry(cells.collect()).or_default() += 1;
            }

            let metric = there.metric(&OracleMetric::Discernibility).unwrap();
            let problem = there.problem(&*metric);
            let again = algorithm.solve(&problem, &Unwatched).expect(&case);
            assert_eq!(again, proposal, "{case}: what is searched is the same");
            let of_there = publish(&problem, &again).expect(&case);
            let engine = Grouped {
                columns: grouped.columns.clone(),
                tuples: grouped.tuples.clone(),
                published: BTreeMap::new(),
            };
            let applied = of_there.apply(engine).expect(&case);
            assert_eq!(applied.appear().expect(&case), expected, "{case}");
            let mut changed = Grouped {
                columns: grouped.columns.clone(),
                tuples: grouped.tuples.clone(),
                published: BTreeMap::new(),
            };
            *changed.tuples.values_mut().next().unwrap() += 1;
            assert!(of_there.apply(changed).is_err(), "{case}: another table");
            releases += 1;
        }
    }
    assert!(releases > 500, "only {releases} releases");
}

/// Whoever holds the rows may be another program: the map goes there and the tally comes back.
#[test]
fn a_map_can_be_sent_away_and_a_tally_received() {
    let mut receipts = 0;
    for seed in 0..40 {
        let case = format!("seed {seed}");
        let oracle = random_problem(seed);
        let prepared = oracle.prepare().expect(&case);
        let metric = prepared.metric(&OracleMetric::Discernibility).unwrap();
        let problem = prepared.problem(&*metric);
        let Ok(proposal) = ALGORITHMS[0].solve(&problem, &Unwatched) else {
            continue;
        };
        let release = publish(&problem, &proposal).expect(&case);
        let sent = serde_json::to_value(&**release.map()).expect(&case);
        for (attribute, (name, _)) in oracle.quasi_identifiers.iter().enumerate() {
            assert_eq!(sent["attributes"][attribute]["name"], *name, "{case}");
        }
        let mut recoder =
            (release.recoder(&oracle.table.columns, &[], SuppressedRows::Drop)).expect(&case);
        let rows = oracle.table.batch(0..oracle.table.rows.len());
        (recoder.recode(&rows, &mut PublishedRows::default())).expect(&case);
        let mut received = serde_json::to_value(recoder.tally()).expect(&case);
        let tally: Tally = serde_json::from_value(received.clone()).expect(&case);
        assert_eq!(
            release.confirm(&tally).is_ok(),
            release.confirm(recoder.tally()).is_ok(),
            "{case}"
        );
        let class = &mut received["rows_of_classes"][0];
        *class = (class.as_u64().unwrap() + 1).into();
        let changed: Tally = serde_json::from_value(received).expect(&case);
        assert!(release.confirm(&changed).is_err(), "{case}");
        receipts += 1;
    }
    assert!(receipts > 20, "only {receipts} receipts");
}
