//! Good proposals, second passes and releases, each changed a little: every change that matters is refused.

use fastrand::Rng;
use incrowd_core::Error;
use incrowd_core::algorithms::ALGORITHMS;
use incrowd_core::counts::{CountedTable, Missing, RowCounter};
use incrowd_core::hierarchy::{Group, Hierarchy};
use incrowd_core::lattice::{Level, Node};
use incrowd_core::privacy::{KAnonymity, PrivacyModel};
use incrowd_core::problem::{Guarantee, Problem, Proposal, Unwatched};
use incrowd_core::publish::{
    PublishedRows, Release, SuppressedRows, compare_with_original, publish,
};
use incrowd_core::recode::{
    ColumnRecoding, Grouping, PublishedCells, PublishedColumn, PublishedNumbers, Recoding,
};
use incrowd_core::table::RowBatch;
use incrowd_core::utility::{Height, UtilityMetric};
use incrowd_testkit::Prepared;
use incrowd_testkit::oracle::OracleProblem;
use incrowd_testkit::random::random_problem;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

type Rows = Vec<Vec<String>>;

/// Random problems that have a solution by some algorithm, with its release.
fn for_every_release(
    seeds: std::ops::Range<u64>,
    mut law: impl FnMut(&OracleProblem, &Problem<'_>, &Proposal, &mut Rng, &str),
) {
    let mut releases = 0;
    for seed in seeds {
        let rng = &mut Rng::with_seed(seed);
        let oracle = random_problem(seed);
        let prepared = oracle.prepare().unwrap();
        let metric = discernibility(&prepared);
        let problem = prepared.problem(&*metric);
        for algorithm in ALGORITHMS {
            let Ok(proposal) = algorithm.solve(&problem, &Unwatched) else {
                continue;
            };
            let case = format!("seed {seed}, {}", algorithm.entry().name);
            law(&oracle, &problem, &proposal, rng, &case);
            releases += 1;
        }
    }
    assert!(releases > 300, "only {releases} releases");
}

fn discernibility(prepared: &Prepared) -> Box<dyn UtilityMetric> {
    let spec: incrowd_core::utility::MetricSpec = "discernibility".parse().unwrap();
    spec.build(&prepared.table).unwrap()
}

fn with_recoding(recoding: ColumnRecoding) -> Proposal {
    Proposal {
        recoding: recoding.into(),
        guarantee: Guarantee::Heuristic,
        loss: None,
        nodes_checked: 0,
        steps: Vec::new(),
    }
}

#[track_caller]
fn assert_refused(problem: &Problem<'_>, recoding: ColumnRecoding, case: &str) {
    let answer = publish(problem, &with_recoding(recoding));
    assert!(matches!(answer, Err(Error::CheckFailed { .. })), "{case}");
}

#[test]
fn levels_too_few_too_many_too_high_or_too_low_are_refused() {
    let mut too_low = 0;
    for_every_release(0..120, |oracle, problem, proposal, _, case| {
        let Some(node) = proposal.recoding.node() else {
            return;
        };
        let levels: Vec<u8> = node.levels().map(|level| level.0).collect();
        let publish_levels = |levels: &[u8], what: &str| {
            let node = Node::from_levels(levels.iter().copied());
            assert_refused(
                problem,
                ColumnRecoding::FullDomain(node),
                &format!("{case}, {what}"),
            );
        };
        for shorter in 0..levels.len() {
            publish_levels(&levels[..shorter], "too few");
        }
        for more in [1, 8] {
            let longer = [&levels[..], &vec![0; more]].concat();
            publish_levels(&longer, "too many");
        }
        let limited = problem
            .clone()
            .limit_levels(node.clone())
            .expect("levels of the table");
        for attribute in 0..levels.len() {
            let mut changed = levels.clone();
            changed[attribute] += 1;
            let higher = Node::from_levels(changed.iter().copied());
            assert_refused(&limited, ColumnRecoding::FullDomain(higher), case);
            if levels[attribute] > 0 {
                changed[attribute] = levels[attribute] - 1;
                let judged = oracle.judge(&changed);
                if judged.rows_suppressed() > oracle.max_suppressed {
                    publish_levels(&changed, "too low");
                    too_low += 1;
                }
            }
        }
        let fewer = Node::from_levels(node.levels().skip(1));
        let refused = problem.clone().limit_levels(fewer.clone());
        assert!(refused.is_err(), "{case}: a level too few");
        let mut shorter = problem.clone();
        shorter.max_levels = fewer;
        assert_refused(
            &shorter,
            proposal.recoding.by_columns().unwrap().clone(),
            case,
        );
    });
    assert!(too_low > 100, "only {too_low} nodes were too low");
}

#[test]
fn groupings_too_few_too_many_or_of_other_columns_are_refused() {
    for_every_release(0..120, |_, problem, proposal, _, case| {
        let attributes = &problem.table.attributes;
        // Regions are changed in a test of their own.
        let Some(recoding) = proposal.recoding.by_columns() else {
            return;
        };
        let shown = recoding.attributes(problem.table);
        let groupings: Vec<Grouping> = (attributes.iter().zip(&shown))
            .map(|(attribute, shown)| Grouping::new(attribute, shown.groups_of_leaves()))
            .collect();
        let twice = [&groupings[..], &groupings[..1]].concat();
        for kind in [ColumnRecoding::Cuts, ColumnRecoding::Partitions] {
            for shorter in 0..groupings.len() {
                assert_refused(problem, kind(groupings[..shorter].to_vec()), case);
            }
            assert_refused(problem, kind(twice.clone()), case);
            let mut swapped = groupings.clone();
            swapped.rotate_left(1);
            if swapped != groupings {
                let is_other = |one: &Grouping, other: &Grouping| {
                    !one.labels().eq(other.labels())
                        || one.groups_of_leaves() != other.groups_of_leaves()
                };
                // A column of nothing but `*` may well stand in for another.
                if groupings
                    .iter()
                    .zip(&swapped)
                    .any(|(one, other)| is_other(one, other))
                {
                    assert_refused(problem, kind(swapped), case);
                }
            }
        }
    });
}

#[test]
fn counting_needs_one_hierarchy_and_one_distance_for_each_column() {
    for seed in 0..100 {
        let oracle = random_problem(seed);
        let rows = oracle.table.rows.len();
        let table = oracle.prepare().unwrap().table;
        let hierarchies = || table.attributes.iter().map(|it| it.hierarchy.clone());
        let distances = || table.columns.iter().map(|it| it.hierarchy.clone());
        let finish = |hierarchies: Vec<_>, distances: Vec<_>| {
            let counter = oracle.count(0..rows).unwrap();
            counter.finish(hierarchies, distances, oracle.missing_for_core())
        };
        assert!(finish(hierarchies().collect(), distances().collect()).is_ok());
        let refused = [
            finish(hierarchies().skip(1).collect(), distances().collect()),
            finish(
                hierarchies().chain(hierarchies().take(1)).collect(),
                distances().collect(),
            ),
            finish(hierarchies().collect(), distances().chain([None]).collect()),
        ];
        let fewer = (!table.columns.is_empty())
            .then(|| finish(hierarchies().collect(), distances().skip(1).collect()));
        for answer in refused.into_iter().chain(fewer) {
            let error = answer.unwrap_err();
            assert!(matches!(error, Error::NotOnePerColumn { .. }), "{error}");
        }
    }
}

fn batch_of(columns: usize, rows: &Rows) -> RowBatch {
    let mut batch = RowBatch::new(columns);
    for cell in rows.iter().flatten() {
        batch.push_cell(cell.as_bytes());
    }
    batch
}

/// Runs the second pass over these rows, in two parts.
fn second_pass(
    release: &Release<'_>,
    oracle: &OracleProblem,
    rows: &Rows,
) -> Result<Vec<PublishedRows>, Error> {
    let columns = &oracle.table.columns;
    let recoder = release.recoder(columns, &[], SuppressedRows::Drop)?;
    let mut tally = incrowd_core::publish::Tally::default();
    let mut published = Vec::new();
    for part in rows.chunks(rows.len().div_ceil(2).max(1)) {
        let mut recoder = recoder.clone();
        let mut made = PublishedRows::default();
        recoder.recode(&batch_of(columns.len(), &part.to_vec()), &mut made)?;
        tally.add(recoder.tally());
        published.push(made);
    }
    release.confirm(&tally)?;
    Ok(published)
}

/// The class of each row: the texts its quasi-identifiers are published as.
fn classes_of(release: &Release<'_>, oracle: &OracleProblem, rows: &Rows) -> Vec<Option<Rows>> {
    let columns = &oracle.table.columns;
    let quasi = oracle
        .quasi_identifiers
        .iter()
        .map(|(name, _)| oracle.table.position(name));
    let quasi: Vec<usize> = quasi.collect();
    rows.iter()
        .map(|row| {
            let mut recoder = release.recoder(columns, &[], SuppressedRows::Star).unwrap();
            let mut made = PublishedRows::default();
            let one = batch_of(columns.len(), &vec![row.clone()]);
            recoder.recode(&one, &mut made).unwrap();
            let made = made.rows();
            // A row that is left out has no class.
            (made.rows() == 1).then(|| {
                let text = |at: &usize| String::from_utf8(made.cell(0, *at).to_vec()).unwrap();
                vec![quasi.iter().map(text).collect()]
            })
        })
        .collect()
}

#[test]
fn a_second_pass_over_other_rows_is_refused() {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for_every_release(0..80, |oracle, problem, proposal, rng, case| {
        let release = publish(problem, proposal).unwrap();
        let rows: Rows = oracle.table.rows.clone();
        second_pass(&release, oracle, &rows).expect(case);
        let mut refuse = |what: &'static str, rows: &Rows| {
            let answer = second_pass(&release, oracle, rows);
            assert!(matches!(answer, Err(Error::InputChanged)), "{case}, {what}");
            *seen.entry(what).or_default() += 1;
        };
        let at = rng.usize(0..rows.len());
        let mut lost = rows.clone();
        let row = lost.remove(at);
        refuse("a row lost", &lost);
        let mut added = rows.clone();
        added.insert(rng.usize(0..=rows.len()), row.clone());
        refuse("a row added", &added);

        let classes = classes_of(&release, oracle, &rows);
        let other = rng.usize(0..rows.len());
        if classes[at] != classes[other] && classes[at].is_some() && classes[other].is_some() {
            let mut moved = rows.clone();
            for (name, _) in &oracle.quasi_identifiers {
                let position = oracle.table.position(name);
                moved[at][position] = rows[other][position].clone();
            }
            let is_suppressed = |at: usize| {
                let stars = &classes[at].as_ref().unwrap()[0];
                stars.iter().all(|text| text == "*")
            };
            // Rows that are both suppressed may be of one class that prints no text.
            if !(is_suppressed(at) && is_suppressed(other)) {
                refuse("a row moved", &moved);
            }
        }
        for (name, _) in &oracle.sensitive {
            let position = oracle.table.position(name);
            let missing = oracle.missing_for_core();
            let value = |row: &Vec<String>| missing.normalize(&row[position]).to_owned();
            let (one, two) = (value(&rows[at]), value(&rows[other]));
            if one == two || classes[at].is_none() || classes[other].is_none() {
                continue;
            }
            let mut changed = rows.clone();
            changed[at][position] = rows[other][position].clone();
            refuse("a sensitive value changed", &changed);
            let suppressed =
                |at: usize| classes[at].as_ref().unwrap()[0].iter().all(|it| it == "*");
            if classes[at] != classes[other] && !(suppressed(at) && suppressed(other)) {
                changed[other][position] = rows[at][position].clone();
                refuse("sensitive values swapped between classes", &changed);
            }
            let mut rotated = rows.clone();
            let all: Vec<String> = rows.iter().map(|row| row[position].clone()).collect();
            let distinct: Vec<String> = {
                let mut sorted = all.clone();
                sorted.sort();
                sorted.dedup();
                sorted
            };
            for row in &mut rotated {
                let place = distinct.iter().position(|it| *it == row[position]).unwrap();
                row[position] = distinct[(place + 1) % distinct.len()].clone();
            }
            let mut counts: BTreeMap<&String, i64> = BTreeMap::new();
            all.iter()
                .for_each(|it| *counts.entry(it).or_default() += 1);
            let after: Vec<&String> = rotated.iter().map(|row| &row[position]).collect();
            after
                .iter()
                .for_each(|it| *counts.entry(it).or_default() -= 1);
            if counts.values().any(|&count| count != 0) {
                refuse("every sensitive value changed", &rotated);
            }
        }
    });
    for what in [
        "a row lost",
        "a row added",
        "a row moved",
        "a sensitive value changed",
        "sensitive values swapped between classes",
        "every sensitive value changed",
    ] {
        assert!(
            seen.get(what).is_some_and(|&count| count > 20),
            "{what}: {seen:?}"
        );
    }
}

#[test]
fn a_release_with_rows_moved_added_or_changed_does_not_agree_with_its_original() {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for_every_release(0..80, |oracle, problem, proposal, rng, case| {
        let release = publish(problem, proposal).unwrap();
        let parts = second_pass(&release, oracle, &oracle.table.rows).unwrap();
        let mut rows: Rows = Vec::new();
        for part in &parts {
            let part = part.rows();
            for row in 0..part.rows() {
                let text = |at| String::from_utf8(part.cell(row, at).to_vec()).unwrap();
                rows.push((0..part.columns()).map(text).collect());
            }
        }
        if rows.is_empty() || problem.table.rows_excluded > 0 {
            return;
        }
        let violations = |rows: &Rows| {
            let (published, original) = oracle.counted_alike(rows.clone()).unwrap();
            compare_with_original(&published, &original.table, PublishedNumbers::Interval)
                .violations
        };
        assert_eq!(violations(&rows), [], "{case}");
        let mut refuse = |what: &'static str, rows: &Rows| {
            assert_ne!(violations(rows), [], "{case}, {what}");
            *seen.entry(what).or_default() += 1;
        };
        let quasi: Vec<usize> = (oracle.quasi_identifiers.iter())
            .map(|(name, _)| oracle.table.position(name))
            .collect();
        let (at, other) = (rng.usize(0..rows.len()), rng.usize(0..rows.len()));
        let mut added = rows.clone();
        added.push(rows[at].clone());
        refuse("a row added", &added);
        let class = |row: &Vec<String>| quasi.iter().map(|&at| row[at].clone()).collect::<Vec<_>>();
        // Where boxes overlap, a row that is moved may be in both of them.
        let may_overlap = ["finest", "cluster"].iter().any(|it| case.contains(it));
        if class(&rows[at]) == class(&rows[other]) || may_overlap {
            return;
        }
        let mut moved = rows.clone();
        quasi
            .iter()
            .for_each(|&it| moved[at][it] = rows[other][it].clone());
        refuse("a row moved", &moved);
        for (name, _) in &oracle.sensitive {
            let position = oracle.table.position(name);
            if rows[at][position] != rows[other][position] {
                let mut swapped = rows.clone();
                swapped[at][position] = rows[other][position].clone();
                swapped[other][position] = rows[at][position].clone();
                refuse("sensitive values swapped between classes", &swapped);
            }
        }
    });
    assert!(
        seen.values().all(|&count| count > 20) && seen.len() == 3,
        "{seen:?}"
    );
}

/// Says of each column that it is published at a level, and names the groups of the level as it likes.
#[derive(Debug, PartialEq)]
struct Renamed(Vec<(Level, Vec<String>, Vec<u32>)>);

impl Recoding for Renamed {
    fn name(&self) -> &'static str {
        "renamed"
    }

    fn columns<'a>(&'a self, _: &'a CountedTable) -> Vec<PublishedColumn<'a>> {
        let columns = self.0.iter().map(|(level, texts, groups)| PublishedColumn {
            level: Some(*level),
            texts: texts.iter().map(String::as_str).collect(),
            cells: PublishedCells::ByLeaf(groups),
        });
        columns.collect()
    }

    fn is_same(&self, other: &dyn Recoding) -> bool {
        (other as &dyn Any).downcast_ref() == Some(self)
    }
}

#[test]
fn levels_under_other_texts_are_refused() {
    let mut refused = 0;
    for_every_release(0..80, |_, problem, proposal, _, case| {
        let Some(node) = proposal.recoding.node() else {
            return;
        };
        let table = problem.table;
        let levels = || table.attributes.iter().zip(node.levels());
        let named = || {
            let columns = levels().map(|(attribute, level)| {
                let hierarchy = &attribute.hierarchy;
                let groups = hierarchy.groups_of_leaves(level);
                let label = |group: u32| hierarchy.label(level, Group(group)).to_owned();
                let texts = (0..hierarchy.groups(level) as u32).map(label);
                (level, texts.collect::<Vec<_>>(), groups.to_vec())
            });
            columns.collect::<Vec<_>>()
        };
        let propose = |columns| Proposal {
            recoding: Arc::new(Renamed(columns)),
            loss: None,
            ..proposal.clone()
        };
        publish(problem, &propose(named())).expect(case);
        for column in 0..table.attributes.len() {
            // A text of nobody, a raw value, and the texts of two groups exchanged.
            let mut other = named();
            other[column].1[0] = "another text".into();
            assert!(publish(problem, &propose(other)).is_err(), "{case}");
            let mut exchanged = named();
            if exchanged[column].1.len() > 1 {
                exchanged[column].1.swap(0, 1);
                assert!(publish(problem, &propose(exchanged)).is_err(), "{case}");
                refused += 1;
            }
        }
    });
    assert!(refused > 100, "only {refused} exchanges");
}

/// A row of nothing but `*` looks like a suppressed row, so no class may need it.
#[test]
fn a_promise_that_needs_blank_rows_is_not_confirmed() {
    let names = ["age", "note"].map(String::from);
    let mut batch = RowBatch::new(2);
    for cell in ["1", "*", "2", "well", "3", "ill"] {
        batch.push_cell(cell.as_bytes());
    }
    let mut counter = RowCounter::new(&names, &[0], &[]);
    counter.add(&batch).unwrap();
    let levels = ["1", "2", "3"].map(|age| vec![age.to_owned(), "*".to_owned()]);
    let hierarchy = Hierarchy::from_rows("age", levels).unwrap();
    let table = counter.finish(vec![hierarchy], Vec::new(), Missing::default());
    let table = table.unwrap();
    let confirmed = |k: u32| {
        let models: [Box<dyn PrivacyModel>; 1] = [Box::new(KAnonymity { k })];
        let problem = Problem::new(&table, &models, &Height);
        let top = ColumnRecoding::FullDomain(table.lattice().top().clone());
        let release = publish(&problem, &with_recoding(top)).unwrap();
        let mut recoder = release.recoder(&names, &[], SuppressedRows::Drop).unwrap();
        recoder
            .recode(&batch, &mut PublishedRows::default())
            .unwrap();
        release.confirm(recoder.tally()).map(drop)
    };
    assert_eq!(confirmed(2), Ok(()));
    assert!(matches!(
        confirmed(3),
        Err(Error::BlankRows { rows: 1, .. })
    ));
}

/// Whoever applies a release must look at every column that was counted.
#[test]
fn a_tally_without_the_counted_columns_is_refused() {
    let names = ["age", "disease"].map(String::from);
    let mut batch = RowBatch::new(2);
    for cell in ["1", "flu", "1", "cold", "2", "flu"] {
        batch.push_cell(cell.as_bytes());
    }
    let table = |counted: &[usize]| {
        let mut counter = RowCounter::new(&names, &[0], counted);
        counter.add(&batch).unwrap();
        let levels = ["1", "2"].map(|age| vec![age.to_owned(), "*".to_owned()]);
        let hierarchy = Hierarchy::from_rows("age", levels).unwrap();
        let distances = vec![None; counted.len()];
        let table = counter.finish(vec![hierarchy], distances, Missing::default());
        table.unwrap()
    };
    let (whole, without) = (table(&[1]), table(&[]));
    let publish_raw = |table| {
        let raw = ColumnRecoding::FullDomain(Node::bottom(1));
        publish(&Problem::new(table, &[], &Height), &with_recoding(raw)).unwrap()
    };
    let (whole, without) = (publish_raw(&whole), publish_raw(&without));
    let tally = |release: &Release<'_>| {
        let mut recoder = release.recoder(&names, &[], SuppressedRows::Drop).unwrap();
        recoder
            .recode(&batch, &mut PublishedRows::default())
            .unwrap();
        recoder.tally().clone()
    };
    whole.confirm(&tally(&whole)).unwrap();
    assert_eq!(
        whole.confirm(&tally(&without)).map(drop),
        Err(Error::InputChanged)
    );
}

#[test]
fn no_published_row_has_a_cell_of_a_dropped_column() {
    for_every_release(0..80, |oracle, problem, proposal, rng, case| {
        let release = publish(problem, proposal).expect(case);
        // A column that names a person, somewhere among the others.
        let at = rng.usize(0..=oracle.table.columns.len());
        let mut columns = oracle.table.columns.clone();
        columns.insert(at, "name".into());
        let mut batch = RowBatch::new(columns.len());
        for row in &oracle.table.rows {
            let mut row = row.clone();
            row.insert(at, "Grace Hopper".into());
            row.iter().for_each(|cell| batch.push_cell(cell.as_bytes()));
        }
        for suppressed in [SuppressedRows::Drop, SuppressedRows::Star] {
            let mut recoder = release.recoder(&columns, &[at], suppressed).expect(case);
            assert_eq!(recoder.names(), oracle.table.columns, "{case}");
            let mut published = PublishedRows::default();
            recoder.recode(&batch, &mut published).expect(case);
            let rows = published.rows();
            assert_eq!(rows.columns(), oracle.table.columns.len(), "{case}");
            let text = String::from_utf8_lossy(rows.bytes()).into_owned();
            assert!(!text.contains("Grace"), "{case}");
        }
    });
}
