//! Random tables: every answer is that of brute force over the lattice, for all models, searches and qualities.
//!
//! Classes are made from rows here, label by label; only the models and metrics themselves are the core's.

use incrowd_core::counts::{CountedTable, FrequencySet, Histogram, KnownSets, Missing, RowCounter};
use incrowd_core::hierarchy::{self, Hierarchy, Options};
use incrowd_core::lattice::Node;
use incrowd_core::negotiate::{
    AnnotatedLattice, Answer, GivesWay, IndexKey, Negotiator, Offer, Outcome, Quality, Relaxations,
    Request, Search,
};
use incrowd_core::privacy::{
    ClassView, Decimal, Direction, MODELS, ModelSpec, PrivacyModel, Subject,
};
use incrowd_core::problem::{Assessor, Problem, Unwatched};
use incrowd_core::registry::Kind;
use incrowd_core::table::RowBatch;
use incrowd_core::utility::{METRICS, MetricSpec, UtilityMetric};
use std::collections::BTreeMap;

/// Numbers that only look random (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % sides
    }
}

/// A table as rows of labels.
struct Rows {
    /// Labels of each quasi-identifier's value by level: `labels[attribute][value][level]`.
    labels: Vec<Vec<Vec<String>>>,
    /// Values of the quasi-identifiers, and the sensitive value.
    rows: Vec<(Vec<usize>, usize)>,
    /// Values of the quasi-identifiers of everyone whom the rows could be about.
    people: Vec<Vec<usize>>,
    table: CountedTable,
}

impl Rows {
    fn random(dice: &mut Dice) -> Self {
        let attributes = 1 + dice.roll(3);
        let labels: Vec<Vec<Vec<String>>> = (0..attributes).map(|_| random_labels(dice)).collect();
        let sensitive = 1 + dice.roll(5);
        let rows: Vec<(Vec<usize>, usize)> = (0..1 + dice.roll(60))
            .map(|_| {
                let values = labels
                    .iter()
                    .map(|of| dice.roll(of.len()).min(dice.roll(of.len())));
                (
                    values.collect(),
                    dice.roll(sensitive).min(dice.roll(sensitive)),
                )
            })
            .collect();
        let names: Vec<String> = (0..=attributes)
            .map(|column| format!("c{column}"))
            .collect();
        let quasi: Vec<usize> = (0..attributes).collect();
        let mut counter = RowCounter::new(&names, &quasi, &[attributes]);
        let mut batch = RowBatch::new(attributes + 1);
        for (values, sensitive) in &rows {
            for (&value, labels) in values.iter().zip(&labels) {
                batch.push_cell(labels[value][0].as_bytes());
            }
            batch.push_cell(sensitive.to_string().as_bytes());
        }
        counter.add(&batch).unwrap();
        let hierarchies: Vec<Hierarchy> = labels
            .iter()
            .zip(&names)
            .map(|(labels, name)| {
                let text: Vec<String> = labels.iter().map(|levels| levels.join(",")).collect();
                hierarchy::parse(text.join("\n").as_bytes(), Options::new(name)).unwrap()
            })
            .collect();
        let table = counter
            .finish(hierarchies.clone(), vec![None], Missing::default())
            .unwrap();
        let mut people: Vec<Vec<usize>> = rows.iter().map(|(values, _)| values.clone()).collect();
        for _ in 0..dice.roll(100) {
            people.push(labels.iter().map(|of| dice.roll(of.len())).collect());
        }
        let mut counter = RowCounter::new(&names, &quasi, &[]);
        let mut batch = RowBatch::new(attributes);
        for values in &people {
            for (&value, labels) in values.iter().zip(&labels) {
                batch.push_cell(labels[value][0].as_bytes());
            }
        }
        counter.add(&batch).unwrap();
        let population = counter.finish(hierarchies, Vec::new(), Missing::default());
        Rows {
            labels,
            rows,
            people,
            table: table.with_population(population.unwrap()).unwrap(),
        }
    }

    /// What values are published as at a node.
    fn published(&self, values: &[usize], node: &Node) -> Vec<&str> {
        let published = values.iter().zip(&self.labels).zip(node.levels());
        published
            .map(|((&value, labels), level)| &*labels[value][level.index()])
            .collect()
    }

    /// The classes of a node: what they look like, sizes and sensitive values.
    fn classes(&self, node: &Node) -> BTreeMap<Vec<&str>, BTreeMap<u32, u32>> {
        let mut classes: BTreeMap<Vec<&str>, BTreeMap<u32, u32>> = BTreeMap::new();
        let codes = &self.table.columns[0].values;
        for (values, sensitive) in &self.rows {
            let code = codes.lookup(sensitive.to_string().as_bytes()).unwrap();
            let class = classes.entry(self.published(values, node)).or_default();
            *class.entry(code.0).or_default() += 1;
        }
        classes
    }

    fn rows_suppressed(&self, model: &dyn PrivacyModel, node: &Node) -> u32 {
        let classes = self.classes(node);
        let is_unsafe = |(look, class): &(&Vec<&str>, &BTreeMap<u32, u32>)| {
            let (values, counts): (Vec<u32>, Vec<u32>) = class.iter().unzip();
            let histogram = Histogram {
                values: &values,
                counts: &counts,
            };
            let size = counts.iter().sum();
            let people = self.people.iter();
            let people = people.filter(|values| self.published(values, node) == **look);
            let people = people.count() as u32;
            !model.holds(&ClassView::new(size, histogram).with_people(people))
        };
        let suppressed = classes.iter().filter(is_unsafe);
        suppressed.flat_map(|(_, class)| class.values()).sum()
    }
}

/// Two to six values, nested in up to three levels and `*`; some levels change nothing.
fn random_labels(dice: &mut Dice) -> Vec<Vec<String>> {
    let values = 1 + dice.roll(6);
    let levels = dice.roll(4);
    let mut groups: Vec<usize> = (0..values).collect();
    let mut labels: Vec<Vec<String>> = (0..values).map(|value| vec![format!("v{value}")]).collect();
    for level in 0..levels {
        let merged: Vec<usize> = (0..values)
            .map(|group| group.saturating_sub(dice.roll(3)))
            .collect();
        for (group, labels) in groups.iter_mut().zip(&mut labels) {
            *group = merged[*group];
            labels.push(format!("l{level}g{group}"));
        }
    }
    for labels in &mut labels {
        labels.push("*".into());
    }
    labels
}

/// Models of every kind with parameters that small tables are near to.
fn random_models(rows: &Rows, dice: &mut Dice) -> Vec<Box<dyn PrivacyModel>> {
    let mut pick = |texts: &[&str]| texts[dice.roll(texts.len())].to_owned();
    let specs = [
        format!("k-anonymity(k={})", pick(&["1", "2", "3", "5", "9"])),
        format!("distinct-l-diversity(l={})", pick(&["1", "2", "3", "4"])),
        format!(
            "entropy-l-diversity(l={})",
            pick(&["1", "1.5", "2", "2.5", "3"])
        ),
        format!(
            "recursive-cl-diversity(c={},l=2)",
            pick(&["0.5", "1", "1.5", "3"])
        ),
        format!(
            "frequency-l-diversity(l={})",
            pick(&["1", "1.5", "2", "3", "2.5"])
        ),
        format!(
            "alpha-k-anonymity(alpha={},k=2)",
            pick(&["0.2", "0.5", "0.75", "0.4"])
        ),
        format!("p-sensitive-k-anonymity(p={},k=3)", pick(&["1", "2", "3"])),
        format!(
            "t-closeness(t={},distance=equal)",
            pick(&["0", "0.1", "0.25", "0.5"])
        ),
        format!(
            "t-closeness(t={},distance=ordered)",
            pick(&["0.05", "0.2", "0.25"])
        ),
        format!(
            "delta-disclosure(delta={},absent=reject)",
            pick(&["0.5", "1", "2"])
        ),
        format!(
            "delta-disclosure(delta={},absent=ignore)",
            pick(&["0.5", "1", "2"])
        ),
        format!(
            "beta-likeness(beta={},kind=basic)",
            pick(&["0.5", "1", "2"])
        ),
        format!(
            "beta-likeness(beta={},kind=enhanced)",
            pick(&["0.5", "1", "2"])
        ),
        format!("k-map(k={})", pick(&["2", "3", "5", "9", "40"])),
        format!(
            "delta-presence(max={},min={})",
            pick(&["0.25", "0.5", "0.75"]),
            pick(&["0", "0", "0.2"])
        ),
    ];
    let named = |name: &str| {
        specs
            .iter()
            .any(|spec| spec.starts_with(&format!("{name}(")))
    };
    assert!(
        (MODELS.iter()).all(|entry| entry.kind.is_about_release || named(entry.name)),
        "a model is new here"
    );
    specs
        .iter()
        .map(|spec| {
            let spec: ModelSpec = spec.parse().unwrap();
            let subject = match spec.entry().reads_column() {
                true => Subject::column(0, &rows.table.columns[0]),
                false => Subject::default(),
            };
            spec.build(subject).unwrap()
        })
        .collect()
}

/// What brute force says.
struct Oracle<'a> {
    rows: &'a Rows,
    request: Request<'a>,
    model: &'a dyn PrivacyModel,
    max_suppressed: u32,
    max_levels: &'a Node,
    metric: Option<&'a dyn UtilityMetric>,
    /// Every node with the rows it suppresses.
    nodes: Vec<(Node, u32)>,
}

impl Oracle<'_> {
    /// The loss, as the core computes it for this very node.
    fn loss(&self, node: &Node) -> f64 {
        let Some(metric) = self.metric else {
            return node.height().into();
        };
        let models = [self.model.with_parameter(self.model.parameter()).unwrap()];
        let problem = Problem::new(&self.rows.table, &models, metric)
            .allow_suppressed(u32::MAX)
            .limit_memory(0)
            .limit_levels(node.clone())
            .expect("levels of the table");
        let mut classes = FrequencySet::default();
        let _ = KnownSets::new(problem.table, problem.columns_read(), 0).count(node, &mut classes);
        Assessor::new(&problem)
            .assess(node, &classes, None)
            .loss
            .unwrap()
            .0
    }

    /// Least height or loss, then fewest rows, then first levels.
    fn best(&self, limit: &Node, least_height: u32, budget: u32) -> Option<(Node, u32)> {
        let wanted = self.nodes.iter().filter(|(node, rows)| {
            node.is_at_or_below(limit) && node.height() >= least_height && *rows <= budget
        });
        let best = wanted.min_by(|one, other| {
            let by_loss = self.loss(&one.0).total_cmp(&self.loss(&other.0));
            let levels = |node: &Node| node.levels().map(|level| level.0).collect::<Vec<u8>>();
            by_loss
                .then(one.1.cmp(&other.1))
                .then_with(|| levels(&one.0).cmp(&levels(&other.0)))
        });
        best.cloned()
    }

    fn check(&self, search: Search, answer: &Answer, context: &str) {
        assert!(answer.coverage.complete, "{context}");
        let found = |offer: &Offer| (offer.node.clone(), offer.rows_suppressed);
        let exact = self.best(self.max_levels, 0, self.max_suppressed);
        match (&answer.outcome, exact) {
            (Outcome::Exact(offer), Some(best)) => {
                assert_eq!(found(offer), best, "{context}");
                assert_eq!(offer.gives_way, GivesWay::Nothing);
                assert_eq!(offer.parameter, self.model.parameter());
            }
            (Outcome::Relaxed(relaxed), None) => {
                self.check_relaxed(search, relaxed, context);
            }
            (other, exact) => panic!("{context}: {other:?} and {exact:?}"),
        }
    }

    fn check_relaxed(&self, search: Search, relaxed: &Relaxations, context: &str) {
        let found = |offer: &Offer| (offer.node.clone(), offer.rows_suppressed);
        let below = self
            .nodes
            .iter()
            .filter(|(node, _)| node.is_at_or_below(self.max_levels));
        let fewest = below.map(|(_, rows)| *rows).min().unwrap();
        let more = self.best(self.max_levels, 0, fewest);
        assert_eq!(
            relaxed.more_suppression.as_ref().map(found),
            more,
            "{context}"
        );

        let top = self.rows.table.lattice().top().clone();
        let least_height = match search {
            Search::Whole => 0,
            Search::FromLimit => self.max_levels.height(),
        };
        let higher = self.best(&top, least_height, self.max_suppressed);
        assert_eq!(
            relaxed.higher_levels.as_ref().map(found),
            higher,
            "{context}"
        );
        self.check_weaker(relaxed.weaker_privacy.as_ref(), context);
    }

    /// The strongest promise of the highest acceptable node: it holds, and the next stronger does not.
    fn check_weaker(&self, offer: Option<&Offer>, context: &str) {
        let step = |number: f64, up: bool| {
            let kind = self.model.entry().settings[0].kind;
            let step = if kind == Kind::Count { 1.0 } else { 1e-9 };
            Decimal::from_f64(((number + if up { step } else { -step }) * 1e9).round() / 1e9)
        };
        let rises = self.model.direction() == Direction::AtLeast;
        let suppressed = |parameter: Decimal| {
            let model = self.model.with_parameter(parameter).ok()?;
            Some(self.rows.rows_suppressed(&*model, self.max_levels))
        };
        match offer {
            Some(offer) => {
                assert_eq!(&offer.node, self.max_levels, "{context}");
                let rows = suppressed(offer.parameter).unwrap();
                assert_eq!(rows, offer.rows_suppressed, "{context}");
                assert!(rows <= self.max_suppressed, "{context}");
                let stronger = step(offer.parameter.to_f64(), rises).unwrap();
                let rows = suppressed(stronger);
                assert!(
                    rows.is_none_or(|rows| rows > self.max_suppressed),
                    "{context}: {offer:?}"
                );
            }
            None => {
                // Not even the weakest that promises anything.
                let weakest = match self.model.entry().settings[0].kind {
                    Kind::Count | Kind::AtLeastOne => Some(2.0),
                    Kind::Share | Kind::Distance => Some(0.999_999_999),
                    _ => Some(1e6),
                };
                let weakest = weakest.and_then(Decimal::from_f64).unwrap();
                let is_weaker = match rises {
                    true => weakest < self.model.parameter(),
                    false => weakest > self.model.parameter(),
                };
                if is_weaker {
                    let rows = suppressed(weakest).unwrap();
                    assert!(
                        rows > self.max_suppressed,
                        "{context}: {weakest} suppresses {rows}"
                    );
                }
            }
        }
    }
}

/// What is offered.
fn offers(answer: &Answer) -> Vec<&Offer> {
    match &answer.outcome {
        Outcome::Exact(offer) => vec![offer],
        Outcome::Relaxed(relaxed) => {
            let all = [
                &relaxed.more_suppression,
                &relaxed.higher_levels,
                &relaxed.weaker_privacy,
            ];
            all.into_iter().flatten().collect()
        }
    }
}

/// Whether a model reads no more than sizes and numbers of values.
fn is_lean(model: &dyn PrivacyModel) -> bool {
    (model.column().is_none() || !model.reads_counts()) && !model.reads_population()
}

#[test]
fn every_answer_is_that_of_brute_force() {
    let key = IndexKey {
        data: [0; 32],
        hierarchies: [0; 32],
    };
    for seed in 1..=120u64 {
        let dice = &mut Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let rows = Rows::random(dice);
        let table = &rows.table;
        let models = random_models(&rows, dice);
        let borrowed: Vec<&dyn PrivacyModel> = models.iter().map(|model| &**model).collect();
        let full = AnnotatedLattice::full(table, &borrowed, 1 + dice.roll(3), &Unwatched).unwrap();
        let reloaded = AnnotatedLattice::from_bytes(&full.to_bytes(&key), &key).unwrap();
        assert_eq!(reloaded, full);
        let full = Negotiator::annotated(table.clone(), reloaded, false).unwrap();
        let lazy = Negotiator::lazy(table.clone()).unwrap();
        let lazy = lazy.with_threads(1 + seed as usize % 3);
        // Without a model that reads counts, fewer of them are carried along.
        let counting: Vec<&dyn PrivacyModel> = borrowed
            .iter()
            .filter(|model| is_lean(**model))
            .copied()
            .collect();
        assert_eq!(counting.len(), 3);
        let lean = AnnotatedLattice::full(table, &counting, 1 + dice.roll(3), &Unwatched).unwrap();
        let lean = Negotiator::annotated(table.clone(), lean, false).unwrap();
        let walked = table.lattice().walk();
        let loss = MetricSpec::named("loss").unwrap().build(table).unwrap();
        for model in &models {
            let nodes: Vec<(Node, u32)> = walked
                .iter()
                .map(|node| (node.clone(), rows.rows_suppressed(&**model, node)))
                .collect();
            for _ in 0..3 {
                let top = table.lattice().top().clone();
                let levels = top.levels().map(|level| dice.roll(level.index() + 1) as u8);
                let max_levels = Node::from_levels(levels);
                let max_suppressed =
                    [0, dice.roll(rows.rows.len() + 1) / 4, dice.roll(20)][dice.roll(3)];
                let search = [Search::Whole, Search::FromLimit][dice.roll(2)];
                let metric = (dice.roll(4) == 0).then_some(&*loss);
                let request = Request::new(&**model)
                    .max_suppressed(max_suppressed as u32)
                    .max_levels(&max_levels)
                    .search(search)
                    .quality(metric.map_or(Quality::Height, Quality::Metric));
                let oracle = Oracle {
                    rows: &rows,
                    request,
                    model: &**model,
                    max_suppressed: max_suppressed as u32,
                    max_levels: &max_levels,
                    metric,
                    nodes: nodes.clone(),
                };
                if model.smallest_class() > table.rows {
                    assert!(full.answer(&request, &Unwatched).is_err());
                    assert!(lazy.answer(&request, &Unwatched).is_err());
                    continue;
                }
                let lean = is_lean(&**model).then_some(&lean);
                for negotiator in [&full, &lazy].into_iter().chain(lean) {
                    let how = negotiator.how().name();
                    let context = format!(
                        "seed {seed}, {how}, {}, {max_levels:?}, {max_suppressed}",
                        model.describe(None)
                    );
                    let answer = negotiator.answer(&oracle.request, &Unwatched).unwrap();
                    oracle.check(search, &answer, &context);
                    for offer in offers(&answer) {
                        let price = negotiator.price(&**model, offer, &[]).unwrap();
                        let suppressed = price.share_suppressed * f64::from(table.rows);
                        let offered = f64::from(offer.rows_suppressed);
                        assert!((suppressed - offered).abs() < 1e-6, "{context}: price");
                    }
                    let visited = u128::from(answer.nodes_visited);
                    let nodes = answer.coverage.nodes;
                    assert!(visited <= nodes, "{context}: {visited} of {nodes} nodes");
                }
            }
        }
    }
}

/// For someone who may know suppressed rows only in steps, everything is decided by the steps.
#[test]
fn every_answer_in_steps_is_that_of_brute_force_over_the_steps() {
    let mut told = [0, 0];
    for seed in 1..=60u64 {
        let dice = &mut Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let rows = Rows::random(dice);
        let table = &rows.table;
        let models = random_models(&rows, dice);
        let borrowed: Vec<&dyn PrivacyModel> = models.iter().map(|model| &**model).collect();
        let full = AnnotatedLattice::full(table, &borrowed, 1, &Unwatched).unwrap();
        let full = Negotiator::annotated(table.clone(), full, false).unwrap();
        let top = table.lattice().top().clone();
        for model in &models {
            if model.smallest_class() > table.rows {
                continue;
            }
            let step = 2 + dice.roll(9) as u32;
            let levels = top.levels().map(|level| dice.roll(level.index() + 1) as u8);
            let max_levels = Node::from_levels(levels);
            let max_suppressed = dice.roll(rows.rows.len() + 1) as u32;
            let request = Request::new(&**model)
                .max_suppressed(max_suppressed)
                .max_levels(&max_levels)
                .in_steps_of(step);
            // From 0 rows on, each number counts as the end of its step.
            let shown = |rows: u32| (rows / step + 1) * step;
            let walked = table.lattice().walk();
            let nodes = walked.iter().map(|node| {
                let rows = rows.rows_suppressed(&**model, node);
                (node.clone(), shown(rows))
            });
            let oracle = Oracle {
                rows: &rows,
                request,
                model: &**model,
                max_suppressed,
                max_levels: &max_levels,
                metric: None,
                nodes: nodes.collect(),
            };
            let budget = max_suppressed / step * step;
            let answer = full.answer(&request, &Unwatched).unwrap();
            let found = |offer: &Offer| (offer.node.clone(), offer.rows_suppressed);
            let context = format!("seed {seed}, {}, {step}", model.describe(None));
            let exact = oracle.best(&max_levels, 0, budget);
            told[usize::from(exact.is_some())] += 1;
            match (&answer.outcome, exact) {
                (Outcome::Exact(offer), Some(best)) => assert_eq!(found(offer), best, "{context}"),
                (Outcome::Relaxed(offers), None) => {
                    let acceptable = oracle.nodes.iter();
                    let acceptable =
                        acceptable.filter(|(node, _)| node.is_at_or_below(&max_levels));
                    let fewest = acceptable.map(|(_, rows)| *rows).min().unwrap();
                    let more = oracle.best(&max_levels, 0, fewest);
                    assert_eq!(
                        offers.more_suppression.as_ref().map(found),
                        more,
                        "{context}"
                    );
                    let higher = oracle.best(&top, 0, budget);
                    assert_eq!(
                        offers.higher_levels.as_ref().map(found),
                        higher,
                        "{context}"
                    );
                    let beyond = offers
                        .more_suppression
                        .as_ref()
                        .map(|offer| &offer.gives_way);
                    let rows_beyond = fewest - budget;
                    assert_eq!(
                        beyond,
                        Some(&GivesWay::Suppression { rows_beyond }),
                        "{context}"
                    );
                }
                other => panic!("{context}: {other:?}"),
            }
        }
    }
    assert!(told.iter().all(|count| *count > 50), "{told:?}");
}

/// All releases of a node priced together cost, to the last bit, what each costs alone: every metric, every parameter.
#[test]
fn the_releases_of_a_node_cost_together_what_each_costs_alone() {
    let mut priced = 0;
    for seed in 1..=20u64 {
        let dice = &mut Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let rows = Rows::random(dice);
        let table = &rows.table;
        let target = table.columns[0].name.clone();
        let metrics: Vec<Box<dyn UtilityMetric>> = (METRICS.iter())
            .filter(|entry| (entry.kind.applies)(table, true))
            .map(|entry| match entry.name {
                "classification-metric" => format!("{}(column={target})", entry.name),
                name => name.to_owned(),
            })
            .map(|spec| spec.parse::<MetricSpec>().unwrap().build(table).unwrap())
            .collect();
        assert!(metrics.len() > 10);
        let negotiator = Negotiator::lazy(table.clone()).unwrap();
        for spec in ["k-anonymity(k=1)", "distinct-l-diversity(l=1)"] {
            let spec: ModelSpec = spec.parse().unwrap();
            let model = spec.build_all(&table.columns, &[0]).unwrap().remove(0);
            for node in table.lattice().walk() {
                let prices = negotiator.prices(&*model, &node, &metrics).unwrap();
                for parameter in 1..=table.rows + 1 {
                    let promise = model.with_parameter(parameter.into()).unwrap();
                    let rows_suppressed = rows.rows_suppressed(&*promise, &node);
                    let offer = Offer {
                        node: node.clone(),
                        parameter: parameter.into(),
                        rows_suppressed,
                        gives_way: GivesWay::Nothing,
                    };
                    let alone = negotiator.price(&*model, &offer, &metrics).unwrap();
                    let together = prices.of_rows_suppressed(rows_suppressed).unwrap();
                    let context = format!("seed {seed}, {parameter}, {node:?}");
                    for ((name, one), (_, other)) in alone.metrics.iter().zip(&together.metrics) {
                        assert_eq!(one.0.to_bits(), other.0.to_bits(), "{context}, {name}");
                    }
                    assert_eq!(together, alone, "{context}");
                    priced += 1;
                }
            }
        }
    }
    assert!(priced > 1000, "{priced}");
}
