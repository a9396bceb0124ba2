//! Rows counted together say what they say one by one.

use super::*;
use crate::run::control::Control;
use crate::run::input::CountPass;
use crate::spec::Job;
use fastrand::Rng;
use incrowd_core::counts::{CountEngine, CountingSizes, Missing};
use incrowd_core::hierarchy::build::suppress;
use incrowd_core::lattice::Node;
use incrowd_core::privacy::ModelSpec;
use incrowd_core::problem::{Guarantee, Problem, Proposal};
use incrowd_core::publish::{PublishedRows, SuppressedRows, publish};
use incrowd_core::recode::ColumnRecoding;
use incrowd_core::utility::Height;
use incrowd_io::{CsvOptions, Source};

const NAMES: [&str; 6] = ["age", "zip", "illness", "ward", "note", "gone"];

fn plan() -> Plan {
    Plan {
        names: NAMES.map(str::to_owned).to_vec(),
        quasi_identifiers: vec![0, 1],
        sensitive: vec![2],
        target: Vec::new(),
        kept: vec![3, 4],
        dropped: vec![5],
    }
}

/// Rows with this many different notes; the ward follows from the illness, mostly.
fn table(rng: &mut Rng, rows: usize, notes: usize) -> Source {
    let mut text = NAMES.join(",") + "\n";
    for _ in 0..rows {
        let illness = rng.usize(0..3);
        let ward = if rng.usize(0..9) == 0 {
            rng.usize(0..3)
        } else {
            illness
        };
        let (age, zip) = (rng.usize(0..4), rng.usize(0..5));
        let (note, gone) = (rng.usize(0..notes), rng.usize(0..1000));
        // Now and then a row that is `*` once it is published.
        text += &match rng.usize(0..20) {
            0 => format!("{age},{zip},*,*,*,{gone}\n"),
            _ => format!("{age},{zip},{illness},{ward},n{note},{gone}\n"),
        };
    }
    Source::spooled(text.as_bytes(), CsvOptions::default()).unwrap()
}

fn batches(source: &Source) -> Vec<RowBatch> {
    let mut reader = source.open().unwrap();
    let mut batches = Vec::new();
    loop {
        let mut batch = RowBatch::default();
        if !reader.read(&mut batch).unwrap() {
            return batches;
        }
        batches.push(batch);
    }
}

#[test]
fn measures_are_the_same_whether_rows_are_counted_together_or_one_by_one() {
    let (mut together, mut given_up) = (0, 0);
    for seed in 0..60 {
        let rng = &mut Rng::with_seed(seed);
        let (plan, control) = (plan(), Control::default());
        let notes = [1, 3, 40, 5000][rng.usize(0..4)];
        let rows = [10, 400, 12_000][rng.usize(0..3)];
        let source = table(rng, rows, notes);
        let rows = batches(&source);
        let mut expected = ColumnCounter::new(Watched::raw(&plan));
        rows.iter().for_each(|batch| expected.add(batch));
        let expected = format!("{:?}", expected.finish());

        let mut job = Job::default();
        job.search.threads = Some([1, 2, 4][rng.usize(0..3)]);
        let mut counter = RowCounter::new(&plan.names, &[0, 1], &[2]);
        let columns = ColumnCounter::new(Watched::raw(&plan));
        let mut pass = CountPass::new(&job, &source, source.open().unwrap(), columns, &control);
        pass.beside = Some(plan.kept.clone());
        pass.sizes = CountingSizes {
            own_tuples: [5, 300, 1 << 17][rng.usize(0..3)],
            beside_words: [100, 1 << 22][rng.usize(0..2)],
            ..CountingSizes::default()
        };
        pass.count(&mut counter).unwrap();
        let (measures, counted) = pass.finish();
        assert_eq!(format!("{measures:?}"), expected, "seed {seed}");
        let Some(counted) = counted else {
            given_up += 1;
            continue;
        };
        together += 1;

        let levels = [0, 1].map(|at| {
            let values = counter.values(at, &Missing::default());
            let values: Vec<&str> = values.iter().map(|(value, _)| *value).collect();
            suppress(NAMES[at], &values).unwrap()
        });
        let table = counter.finish(levels.to_vec(), vec![None], Missing::default());
        let table = table.unwrap();
        let model: ModelSpec = "k-anonymity(k=3)".parse().unwrap();
        let models = model.build_all(&table.columns, &[0]).unwrap();
        let problem = Problem::new(&table, &models, &Height).allow_suppressed(table.rows);
        let proposal = Proposal {
            recoding: ColumnRecoding::FullDomain(Node::from_levels([rng.u8(0..2), rng.u8(0..2)]))
                .into(),
            guarantee: Guarantee::Heuristic,
            loss: None,
            nodes_checked: 0,
            steps: Vec::new(),
        };
        let release = publish(&problem, &proposal).unwrap();
        let suppressed = [SuppressedRows::Drop, SuppressedRows::Star][rng.usize(0..2)];
        let recoder = release.recoder(&plan.names, &plan.dropped, suppressed);
        let mut recoder = recoder.unwrap();
        let watched = Watched::published(&plan, recoder.names());
        let mut expected = ColumnCounter::new(watched.clone());
        let mut one_by_one = ColumnCounter::new(watched.clone());
        let mut published = PublishedRows::default();
        for batch in &rows {
            recoder.recode(batch, &mut published).unwrap();
            expected.add(published.rows());
            one_by_one.add_recoded(&recoder.recode_in_place(batch).unwrap());
        }
        let mut measured = ColumnCounter::new(watched);
        let recoded = recoder.recode_in_place(&counted.rows).unwrap();
        measured.add_recoded_rows(&recoded, &counted.sizes);
        let expected = format!("{:?}", expected.finish());
        assert_eq!(
            format!("{:?}", one_by_one.finish()),
            expected,
            "seed {seed}"
        );
        assert_eq!(format!("{:?}", measured.finish()), expected, "seed {seed}");
    }
    assert!(together > 10 && given_up > 10, "{together}, {given_up}");
}
