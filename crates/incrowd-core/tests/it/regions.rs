//! A recoding of a shape that no algorithm here makes: every class has a box of its own, and boxes overlap. It passes
//! through everything that a recoding passes through, and is measured by formulas that share no code with the core.

use fastrand::Rng;
use incrowd_core::Error;
use incrowd_core::counts::{CountedTable, LeafOrder, LeafSet};
use incrowd_core::hierarchy::Leaf;
use incrowd_core::lattice::Level;
use incrowd_core::problem::{Guarantee, Problem, Proposal};
use incrowd_core::publish::{
    Applier, ClassNumber, Confirmation, PublishedRows, ReleaseMap, SuppressedRows, Tally,
    compare_with_original, publish, verify,
};
use incrowd_core::recode::{Labels, PublishedCells, PublishedColumn, PublishedNumbers, Recoding};
use incrowd_core::table::ValueCode;
use incrowd_core::utility::{METRICS, MetricSpec, QueryError};
use incrowd_testkit::oracle::{OracleModel, OracleProblem, Promise, almost_equal};
use incrowd_testkit::random_problem;
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The boxes, column by column.
#[derive(Debug, Clone, PartialEq)]
struct Boxes(Vec<Side>);

/// The sides of all boxes in one column; boxes that print alike share one.
#[derive(Debug, Clone, PartialEq, Default)]
struct Side {
    texts: Vec<String>,
    covers: Vec<LeafSet>,
    of_tuples: Vec<u32>,
}

impl Recoding for Boxes {
    fn name(&self) -> &'static str {
        "boxes"
    }

    fn columns<'a>(&'a self, _: &'a CountedTable) -> Vec<PublishedColumn<'a>> {
        let column = |side: &'a Side| PublishedColumn {
            level: None,
            texts: side.texts.iter().map(String::as_str).collect(),
            cells: PublishedCells::ByTuple {
                values: &side.of_tuples,
                covers: &side.covers,
                numbers: PublishedNumbers::Interval,
            },
        };
        self.0.iter().map(column).collect()
    }

    fn is_same(&self, other: &dyn Recoding) -> bool {
        (other as &dyn Any).downcast_ref() == Some(self)
    }
}

impl Boxes {
    /// Puts some tuples after each other into a box each, which may be wider than they need.
    fn around(table: &CountedTable, rng: &mut Rng) -> Self {
        let mut ends = vec![false; table.tuples.len()];
        ends.fill_with(|| rng.u8(0..3) == 0);
        let sides = (0..table.attributes.len()).map(|attribute| {
            let labels = Labels::new(&table.attributes[attribute]);
            let leaves = table.attributes[attribute].hierarchy.leaves() as u32;
            let mut side = Side::default();
            let mut members = Vec::new();
            for (tuple, &is_end) in ends.iter().enumerate() {
                members.push(table.leaf(tuple, attribute).0);
                if !is_end && tuple + 1 < ends.len() {
                    continue;
                }
                let mut cover: BTreeSet<u32> = members.iter().copied().collect();
                if rng.u8(0..4) == 0 {
                    cover.insert(rng.u32(0..leaves));
                }
                let cover = labels.order().set(cover);
                let text = labels.write(&cover);
                let value = side.texts.iter().position(|other| *other == text);
                let value = value.unwrap_or_else(|| {
                    side.texts.push(text);
                    side.covers.push(cover);
                    side.texts.len() - 1
                });
                side.of_tuples
                    .extend(members.drain(..).map(|_| value as u32));
            }
            side
        });
        Boxes(sides.collect())
    }

    fn proposal(&self) -> Proposal {
        Proposal {
            recoding: Arc::new(self.clone()),
            guarantee: Guarantee::Heuristic,
            loss: None,
            nodes_checked: 0,
            steps: Vec::new(),
        }
    }
}

/// Random tables in boxes, with everything acceptable.
fn for_random_boxes(mut law: impl FnMut(&OracleProblem, &Problem<'_>, &Boxes, &mut Rng, &str)) {
    for seed in 0..300 {
        let rng = &mut Rng::with_seed(seed);
        let mut oracle = random_problem(seed);
        oracle.models = vec![Promise::KAnonymity { k: rng.usize(1..4) }.into()];
        if rng.bool() && !oracle.sensitive.is_empty() {
            (oracle.models).push(Promise::DistinctLDiversity { l: 2 }.into());
        }
        oracle.max_suppressed = oracle.table.rows.len();
        oracle.max_levels = (oracle.quasi_identifiers.iter())
            .map(|(_, ways_up)| ways_up[0].len() as u8 - 1)
            .collect();
        let prepared = oracle.prepare().unwrap();
        if prepared.table.rows == 0 {
            continue;
        }
        let metric = MetricSpec::named("loss").unwrap();
        let metric = metric.build(&prepared.table).unwrap();
        let problem = prepared.problem(&*metric);
        let boxes = Boxes::around(&prepared.table, rng);
        // `*` stands for all values: no box may need it for the value of that name.
        let labels = |at: usize| Labels::new(&prepared.table.attributes[at]);
        let is_readable = boxes.0.iter().enumerate().all(|(at, side)| {
            (side.texts.iter().zip(&side.covers))
                .all(|(text, cover)| labels(at).read(text, false).as_ref() == Some(cover))
        });
        if is_readable {
            law(&oracle, &problem, &boxes, rng, &format!("seed {seed}"));
        }
    }
}

/// The rows as published, none where suppressed, with the tuple of each; found by looking at texts alone.
fn by_hand(oracle: &OracleProblem, problem: &Problem<'_>, boxes: &Boxes) -> Vec<Shown> {
    let table = problem.table;
    let mut rows = Vec::new();
    for tuple in 0..table.tuples.len() {
        let texts = boxes.0.iter().enumerate().map(|(attribute, side)| {
            let value = side.of_tuples[tuple] as usize;
            let order = LeafOrder::new(&table.attributes[attribute]);
            (side.texts[value].clone(), order.leaves(&side.covers[value]))
        });
        let (texts, covers): (Vec<String>, Vec<Vec<u32>>) = texts.unzip();
        let leaves: Vec<u32> = (0..table.attributes.len())
            .map(|attribute| table.leaf(tuple, attribute).0)
            .collect();
        let values = (0..table.columns.len())
            .map(|column| table.tuples.histograms(column).class(tuple))
            .map(|it| it.values.iter().copied().collect())
            .collect();
        rows.push(Shown {
            rows: table.tuples.sizes()[tuple],
            texts,
            covers,
            leaves,
            values,
            is_suppressed: false,
        });
    }
    let mut classes: BTreeMap<Vec<String>, (u32, Vec<BTreeSet<u32>>)> = BTreeMap::new();
    for shown in &rows {
        let class = classes.entry(shown.texts.clone()).or_default();
        class.0 += shown.rows;
        class.1.resize(shown.values.len(), BTreeSet::new());
        for (all, some) in class.1.iter_mut().zip(&shown.values) {
            all.extend(some);
        }
    }
    for shown in &mut rows {
        let (size, values) = &classes[&shown.texts];
        let holds = |model: &OracleModel| match &model.promise {
            Promise::KAnonymity { k } => *size as usize >= *k,
            // The sensitive columns are the first that are counted.
            _ => (0..oracle.sensitive.len()).all(|column| values[column].len() >= 2),
        };
        shown.is_suppressed = !oracle.models.iter().all(holds);
    }
    rows
}

/// Rows of one tuple.
struct Shown {
    rows: u32,
    texts: Vec<String>,
    covers: Vec<Vec<u32>>,
    leaves: Vec<u32>,
    values: Vec<BTreeSet<u32>>,
    is_suppressed: bool,
}

/// Whether missing cells are values like others, which these formulas take them for.
fn is_plain(problem: &Problem<'_>) -> bool {
    problem.table.missing.cells != incrowd_core::counts::MissingCells::MatchAny
}

#[test]
fn boxes_are_judged_by_what_a_reader_can_tell_apart() {
    let mut overlapping = 0;
    for_random_boxes(|oracle, problem, boxes, _, case| {
        if !is_plain(problem) {
            return;
        }
        let shown = by_hand(oracle, problem, boxes);
        let release = publish(problem, &boxes.proposal()).expect(case);
        let suppressed = shown.iter().filter(|it| it.is_suppressed);
        let suppressed: u32 = suppressed.map(|it| it.rows).sum();
        assert_eq!(release.rows_suppressed(), suppressed, "{case}");
        let published = shown.iter().filter(|it| !it.is_suppressed);
        let classes: BTreeSet<&Vec<String>> = published.map(|it| &it.texts).collect();
        assert_eq!(release.classes(), classes.len(), "{case}");
        assert_eq!(release.recoding().name(), "boxes");
        assert_eq!(release.levels(), None);
        overlapping += usize::from(boxes.0.iter().any(|side| {
            let all: Vec<u32> = side.covers.iter().flat_map(LeafSet::positions).collect();
            all.iter().collect::<BTreeSet<_>>().len() < all.len()
        }));
    });
    assert!(
        overlapping > 100,
        "only {overlapping} tables had boxes that overlap"
    );
}

#[test]
fn every_metric_of_boxes_is_what_its_formula_says() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for_random_boxes(|oracle, problem, boxes, _, case| {
        if !is_plain(problem) {
            return;
        }
        let (table, shown) = (problem.table, by_hand(oracle, problem, boxes));
        let release = publish(problem, &boxes.proposal()).expect(case);
        for entry in METRICS {
            let Some(expected) = formula(entry.name, table, &shown) else {
                continue;
            };
            let metric = MetricSpec::named(entry.name).unwrap().build(table).unwrap();
            let measured = release.loss(&*metric).0;
            assert!(
                almost_equal(measured, expected),
                "{case}, {}: {measured}, not {expected}",
                entry.name
            );
            *seen.entry(entry.name).or_default() += 1;
        }
    });
    assert_eq!(
        seen.len(),
        METRICS.len() - 1,
        "all but the one with a target: {seen:?}"
    );
}

/// The metric as its card writes it, row by row.
fn formula(name: &str, table: &CountedTable, shown: &[Shown]) -> Option<f64> {
    let rows = f64::from(table.rows);
    let suppressed: f64 = (shown.iter().filter(|it| it.is_suppressed))
        .map(|it| f64::from(it.rows))
        .sum();
    let mut sizes: BTreeMap<&[String], (f64, bool)> = BTreeMap::new();
    for it in shown {
        let class = sizes.entry(&it.texts).or_insert((0.0, it.is_suppressed));
        class.0 += f64::from(it.rows);
    }
    let classes = || sizes.values().copied();
    let attributes = table.attributes.len();
    let leaves = |at: usize| table.attributes[at].hierarchy.leaves() as f64;
    let rows_of_leaf = |at: usize, leaf: u32| -> f64 {
        let with_leaf = shown.iter().filter(|it| it.leaves[at] == leaf);
        with_leaf.map(|it| f64::from(it.rows)).sum()
    };
    let rows_under = |at: usize, cover: &[u32]| -> f64 {
        cover.iter().map(|&leaf| rows_of_leaf(at, leaf)).sum()
    };
    // The sum over rows of what a row is charged, and of what a suppressed one is.
    let sum = |at: usize, charge: &dyn Fn(&Shown) -> f64, lost: f64| -> f64 {
        let charges = shown.iter().map(|it| match it.is_suppressed {
            true => lost * f64::from(it.rows),
            false => charge(it) * f64::from(it.rows),
        });
        let _ = at;
        charges.sum()
    };
    let each = |of_attribute: &dyn Fn(usize) -> f64| -> Vec<f64> {
        (0..attributes).map(of_attribute).collect()
    };
    let mean = |losses: Vec<f64>| losses.iter().sum::<f64>() / losses.len() as f64;
    let level = |at: usize, cover: &[u32]| -> f64 {
        let hierarchy = &table.attributes[at].hierarchy;
        let is_one = |level: &Level| {
            let groups = hierarchy.groups_of_leaves(*level);
            cover
                .iter()
                .all(|&leaf| groups[leaf as usize] == groups[cover[0] as usize])
        };
        let mut levels = Level::up_to(hierarchy.height());
        f64::from(levels.find(is_one).unwrap().0)
    };
    Some(match name {
        "discernibility" => classes()
            .map(|(size, lost)| if lost { size * rows } else { size * size })
            .sum(),
        "dm-star" => classes().map(|(size, _)| size * size).sum(),
        "average-class-size" => {
            let published = classes().filter(|(_, lost)| !lost).count();
            rows / (published + usize::from(suppressed > 0.0)).max(1) as f64
        }
        "loss" => {
            let losses = each(&|at| {
                let excess = (leaves(at) - 1.0).max(0.0);
                let charge = |it: &Shown| match excess > 0.0 {
                    true => (it.covers[at].len() as f64 - 1.0) / excess,
                    false => 0.0,
                };
                sum(at, &charge, 1.0) / rows
            });
            let product: f64 = losses.iter().map(|loss| 1.0 + loss).product();
            product.powf(1.0 / attributes as f64) - 1.0
        }
        "research-value" => {
            1.0 - mean(each(&|at| {
                let hierarchy = &table.attributes[at].hierarchy;
                let number = |leaf: u32| hierarchy.text(Leaf(leaf)).parse::<f64>().ok();
                let is_number = |leaf: u32| {
                    matches!(hierarchy.text(Leaf(leaf)), "" | "*") || number(leaf).is_some()
                };
                let all: Vec<u32> = (0..hierarchy.leaves() as u32).collect();
                if table.attributes[at].kind == incrowd_core::table::Kind::Number
                    && all.iter().all(|&it| is_number(it))
                {
                    let span = |cover: &[u32]| {
                        let numbers: Vec<f64> = cover.iter().filter_map(|&it| number(it)).collect();
                        let most = numbers.iter().copied().reduce(f64::max).unwrap_or(0.0);
                        most - numbers.iter().copied().reduce(f64::min).unwrap_or(0.0) + 1.0
                    };
                    return rows / sum(at, &|it| span(&it.covers[at]), span(&all));
                }
                // Of each raw value that a row may stand for, the mean share of these rows.
                let shares = all.iter().filter_map(|leaf| {
                    let published = shown.iter().filter(|it| !it.is_suppressed);
                    let may = published.filter(|it| it.covers[at].contains(leaf));
                    let (mut count, mut share) = (0.0, 0.0);
                    for it in may {
                        count += f64::from(it.rows);
                        share += f64::from(it.rows) / it.covers[at].len() as f64;
                    }
                    (count > 0.0).then(|| share / count)
                });
                let shares: Vec<f64> = shares.collect();
                let kept = match shares.len() {
                    0 => 1.0,
                    met => shares.iter().sum::<f64>() / met as f64,
                };
                ((rows - suppressed) * kept + suppressed / leaves(at)) / rows
            }))
        }
        "ncp" => mean(each(&|at| {
            let hierarchy = &table.attributes[at].hierarchy;
            let number = |leaf: u32| hierarchy.text(Leaf(leaf)).parse::<f64>().ok();
            let is_number = |leaf: u32| {
                matches!(hierarchy.text(Leaf(leaf)), "" | "*") || number(leaf).is_some()
            };
            let all: Vec<u32> = (0..hierarchy.leaves() as u32).collect();
            let some = all.iter().any(|&leaf| number(leaf).is_some());
            let span = |leaves: &[u32]| {
                let numbers = leaves.iter().filter_map(|&leaf| number(leaf));
                let (low, high) = numbers.fold((f64::MAX, f64::MIN), |(low, high), it| {
                    (it.min(low), it.max(high))
                });
                (high - low).max(0.0)
            };
            let charge = |it: &Shown| match some && all.iter().all(|&leaf| is_number(leaf)) {
                true if span(&all) > 0.0 => span(&it.covers[at]) / span(&all),
                true => 0.0,
                false if it.covers[at].len() > 1 => it.covers[at].len() as f64 / all.len() as f64,
                false => 0.0,
            };
            sum(at, &charge, 1.0) / rows
        })),
        "hdm" => mean(each(&|at| {
            let charge = |it: &Shown| {
                let same = rows_of_leaf(at, it.leaves[at]);
                match rows - same {
                    0.0 => 0.0,
                    others => (rows_under(at, &it.covers[at]) - same) / others,
                }
            };
            sum(at, &charge, 1.0)
        })),
        "non-uniform-entropy" => {
            let bits = |at: usize| -> f64 {
                let guessing = shown.iter().map(|it| {
                    let same = rows_of_leaf(at, it.leaves[at]);
                    let under = rows_under(at, &it.covers[at]);
                    f64::from(it.rows) * (under / same).log2()
                });
                let mut lost: BTreeMap<&str, f64> = BTreeMap::new();
                for it in shown.iter().filter(|it| it.is_suppressed) {
                    *lost.entry(&it.texts[at]).or_default() += f64::from(it.rows);
                }
                let lost = lost.values().map(|part| part * (suppressed / part).log2());
                guessing.sum::<f64>() + lost.sum::<f64>()
            };
            each(&bits).iter().sum()
        }
        "precision" => mean(each(&|at| {
            let height = f64::from(table.attributes[at].hierarchy.height().0);
            sum(at, &|it| level(at, &it.covers[at]) / height, 1.0) / rows
        })),
        "height" => each(&|at| {
            let levels = shown.iter().map(|it| level(at, &it.covers[at]));
            levels.fold(0.0, f64::max)
        })
        .iter()
        .sum(),
        "ambiguity" => {
            let tuples =
                |it: &Shown| -> f64 { it.covers.iter().map(|it| it.len() as f64).product() };
            let all: f64 = (0..attributes).map(leaves).product();
            sum(0, &tuples, all) / rows
        }
        "kl-divergence" => {
            let all: f64 = (0..attributes).map(leaves).product();
            let same = |it: &Shown| -> f64 {
                let alike = shown.iter().filter(|other| other.leaves == it.leaves);
                alike.map(|other| f64::from(other.rows)).sum()
            };
            let bits = |it: &Shown| {
                let tuples: f64 = it.covers.iter().map(|cover| cover.len() as f64).product();
                let expected = match it.is_suppressed {
                    true => all / suppressed,
                    false => tuples / sizes[it.texts.as_slice()].0,
                };
                f64::from(it.rows) * (same(it) * expected).log2()
            };
            shown.iter().map(bits).sum::<f64>() / rows
        }
        "query-error" => {
            let metric = QueryError::asking(100, 1, table);
            let errors = metric.queries().map(|query| {
                let is_counted =
                    |it: &&Shown| query.iter().all(|(at, of)| of.contains(&it.leaves[*at]));
                let counted = shown.iter().filter(is_counted);
                let answer: f64 = counted.map(|it| f64::from(it.rows)).sum();
                let share = |it: &Shown| -> f64 {
                    let shares = query.iter().map(|(at, of)| {
                        let met = it.covers[*at].iter().filter(|leaf| of.contains(leaf));
                        met.count() as f64 / it.covers[*at].len() as f64
                    });
                    f64::from(it.rows) * shares.product::<f64>()
                };
                let published = shown.iter().filter(|it| !it.is_suppressed);
                let estimate: f64 = published.map(share).sum();
                (estimate - answer).abs() / answer.max(1.0)
            });
            errors.sum::<f64>() / 100.0
        }
        "classification-metric" => return None,
        other => panic!("{other} has no formula here"),
    })
}

#[test]
fn boxes_are_written_and_the_file_is_what_was_judged() {
    for_random_boxes(|oracle, problem, boxes, rng, case| {
        let release = publish(problem, &boxes.proposal()).expect(case);
        let rows = oracle.table.rows.len();
        let mut recoder =
            (release.recoder(&oracle.table.columns, &[], SuppressedRows::Drop)).expect(case);
        let mut published = PublishedRows::default();
        let half = rng.usize(0..=rows);
        let mut file = Vec::new();
        for part in [0..half, half..rows] {
            recoder
                .recode(&oracle.table.batch(part), &mut published)
                .expect(case);
            let batch = published.rows();
            for row in 0..batch.rows() {
                let cell = |column| String::from_utf8_lossy(batch.cell(row, column)).into_owned();
                file.push((0..batch.columns()).map(cell).collect::<Vec<_>>());
            }
        }
        release.confirm(recoder.tally()).expect(case);
        assert_eq!(file.len() as u32, release.rows_published(), "{case}");

        // A row less is another table.
        let mut recoder =
            (release.recoder(&oracle.table.columns, &[], SuppressedRows::Drop)).expect(case);
        if rows > 1 {
            recoder
                .recode(&oracle.table.batch(1..rows), &mut published)
                .expect(case);
            assert!(release.confirm(recoder.tally()).is_err(), "{case}");
        }

        let applied = release.apply(InMemory::of(oracle)).expect(case);
        let applied = applied.appear().expect(case);
        assert_eq!(applied, file, "{case}: whoever applies it");

        let is_any = |row: &Vec<String>| row.iter().all(|cell| cell == "*");
        if !file.is_empty() && !file.iter().any(is_any) {
            let (counted, original) = oracle.counted_alike(file).expect(case);
            assert!(verify(&counted, &original.models).is_safe(), "{case}");
            let compared =
                compare_with_original(&counted, &original.table, PublishedNumbers::Interval);
            assert_eq!(compared.violations, [], "{case}");
        }
    });
}

/// Rows in memory, published by whoever can read a map.
struct InMemory<'a> {
    oracle: &'a OracleProblem,
    published: Vec<Vec<String>>,
}

impl<'a> InMemory<'a> {
    fn of(oracle: &'a OracleProblem) -> Self {
        InMemory {
            oracle,
            published: Vec::new(),
        }
    }
}

impl Applier for InMemory<'_> {
    type Published = Vec<Vec<String>>;
    type Error = Error;

    fn apply(&mut self, map: &Arc<ReleaseMap>) -> Result<Tally, Error> {
        let table = &self.oracle.table;
        let mut tally = Tally::of(map);
        let tuples = map.tuples().expect("boxes look at whole tuples");
        for row in &table.rows {
            let cell = |name: &str| {
                let cell = row[table.position(name)].as_str();
                let is_missing = map.missing_tokens().iter().any(|token| token == cell);
                if is_missing { "" } else { cell }
            };
            let names = map.attributes().iter().map(|it| &it.name);
            if map.excludes_missing()
                && (names.chain(map.counted().iter().map(|it| &it.name)))
                    .any(|name| cell(name).is_empty())
            {
                tally.count_excluded(1);
                continue;
            }
            let leaves: Vec<u32> = (map.attributes().iter())
                .map(|it| it.leaves[it.values.lookup(cell(&it.name).as_bytes()).unwrap().index()])
                .collect();
            let mut known = tuples.leaves.chunks_exact(leaves.len());
            let class = known.position(|it| it == leaves).unwrap();
            let class = ClassNumber(tuples.classes[class]);
            let values: Vec<ValueCode> = (map.counted().iter())
                .map(|it| it.values.lookup(cell(&it.name).as_bytes()).unwrap())
                .collect();
            tally.count(class, &values, 1);
            if let Some(texts) = map.texts(class) {
                let mut published = row.clone();
                for it in map.counted() {
                    published[table.position(&it.name)] = cell(&it.name).to_owned();
                }
                for (attribute, text) in map.attributes().iter().zip(texts) {
                    published[table.position(&attribute.name)] = text.to_owned();
                }
                self.published.push(published);
            }
        }
        Ok(tally)
    }

    fn appear(self, _: Confirmation) -> Result<Self::Published, Error> {
        Ok(self.published)
    }
}

#[test]
fn boxes_that_say_too_little_or_something_else_are_refused() {
    let mut refused = BTreeMap::new();
    for_random_boxes(|_, problem, boxes, rng, case| {
        let at = rng.usize(0..boxes.0.len());
        let mut refuse = |what: &'static str, change: &dyn Fn(&mut Vec<Side>) -> bool| {
            let mut other = boxes.clone();
            if change(&mut other.0) && other != *boxes {
                let answer = publish(problem, &other.proposal());
                assert!(
                    matches!(answer, Err(Error::CheckFailed { .. })),
                    "{case}: {what}"
                );
                *refused.entry(what).or_insert(0) += 1;
            }
        };
        refuse("a column too few", &|sides| sides.pop().is_some());
        refuse("a column too many", &|sides| {
            sides.push(sides[0].clone());
            true
        });
        refuse("a tuple too few", &|sides| {
            sides[at].of_tuples.pop().is_some()
        });
        refuse("a tuple too many", &|sides| {
            sides[at].of_tuples.push(0);
            true
        });
        refuse("a value that is not there", &|sides| {
            sides[at].of_tuples[0] = sides[at].texts.len() as u32;
            true
        });
        refuse("a text that says something else", &|sides| {
            sides[at].texts[0].push('x');
            true
        });
        refuse("a text used twice", &|sides| {
            let text = sides[at].texts[0].clone();
            let cover = sides[at].covers[0].clone();
            sides[at].texts.push(text);
            sides[at].covers.push(cover);
            sides[at].of_tuples[0] = sides[at].texts.len() as u32 - 1;
            true
        });
        refuse("a cover without the raw value", &|sides| {
            let leaf = problem.table.leaf(0, at).0;
            let value = sides[at].of_tuples[0] as usize;
            let labels = Labels::new(&problem.table.attributes[at]);
            let others = labels.order().leaves(&sides[at].covers[value]).into_iter();
            let cover = (labels.order()).set(others.filter(|other| *other != leaf));
            if cover.is_empty() {
                return false;
            }
            let text = labels.write(&cover);
            sides[at].covers[value] = cover;
            let is_new = !sides[at].texts.contains(&text);
            sides[at].texts[value] = text;
            is_new
        });
    });
    assert_eq!(refused.len(), 8, "{refused:?}");
}
