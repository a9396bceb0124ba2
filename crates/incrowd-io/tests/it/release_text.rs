//! Rows of a release are written in pieces, or from the few different ones, as they are written cell by cell.

use fastrand::Rng;
use incrowd_core::counts::{CountedRows, CountingSizes, Missing, RowCounter, SharedCounter};
use incrowd_core::hierarchy::Hierarchy;
use incrowd_core::lattice::Node;
use incrowd_core::privacy::ModelSpec;
use incrowd_core::problem::{Guarantee, Problem, Proposal};
use incrowd_core::publish::{PublishedRows, SuppressedRows, publish};
use incrowd_core::recode::ColumnRecoding;
use incrowd_core::table::RowBatch;
use incrowd_core::utility::Height;
use incrowd_io::{
    CsvEncoder, CsvOptions, EncodedRows, FormattedRows, Header, ReleaseEncoder, Source,
};
use std::collections::HashSet;

const NAMES: [&str; 6] = ["kept", "area", "rank", "gone", "other", "last"];

/// Values, and groups whose texts need quotes, are lost at the start of a row, or are empty.
const AREAS: [[&str; 3]; 5] = [
    ["a", "x,y", "*"],
    ["b", "x,y", "*"],
    ["c", "\u{feff}z", "*"],
    ["d", "plain", "*"],
    ["e", "", "*"],
];
const RANKS: [[&str; 2]; 3] = [["1", "low"], ["2", "low"], ["3", "a \"high\" one"]];

/// A table as text; some cells of every hundredth row or so need quotes if `is_odd`.
fn text(rng: &mut Rng, rows: usize, delimiter: char, is_odd: bool) -> String {
    let mut text = NAMES.join(&delimiter.to_string()) + "\n";
    let kept = ["", "p", "a longer text than most", "\u{feff}q", "=1+1"];
    let odd = ["\"one, two; three\"", "\"say \"\"hi\"\"\"", "r\"s", "\"\""];
    for _ in 0..rows {
        let cell = |rng: &mut Rng| match is_odd && rng.usize(0..100) == 0 {
            true => odd[rng.usize(0..odd.len())],
            false => kept[rng.usize(0..kept.len())],
        };
        let cells = [
            cell(rng),
            AREAS[rng.usize(0..AREAS.len())][0],
            RANKS[rng.usize(0..RANKS.len())][0],
            cell(rng),
            cell(rng),
            cell(rng),
        ];
        text += &cells.join(&delimiter.to_string());
        text += if rng.usize(0..10) == 0 { "\r\n" } else { "\n" };
    }
    text
}

fn read_all(text: &str, options: CsvOptions) -> Vec<RowBatch> {
    let source = Source::spooled(text.as_bytes(), options).unwrap();
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

/// The different rows of a table, and which of them each is.
fn counted(batches: &[RowBatch], names: &[String], rng: &mut Rng) -> CountedRows {
    let sizes = CountingSizes {
        own_tuples: [10, 1 << 17][rng.usize(0..2)],
        ..CountingSizes::default()
    };
    let counter = RowCounter::new(names, &[1, 2], &[]);
    let shared = SharedCounter::of(&counter, sizes).unwrap();
    let mut shared = shared
        .with_beside(names, &[0, 3, 4, 5])
        .with_order(usize::MAX);
    let mut workers = [shared.worker(), shared.worker()];
    for batch in batches {
        workers[rng.usize(0..2)].add(batch).unwrap();
    }
    for worker in workers {
        worker.finish().unwrap();
    }
    shared.take_beside().unwrap().together()
}

#[test]
fn rows_have_the_bytes_that_cells_give_in_pieces_and_from_the_few_different_ones() {
    let (mut in_pieces, mut by_cell, mut from_few, mut in_columns) = (0, 0, 0, 0);
    for seed in 0..120 {
        let rng = &mut Rng::with_seed(seed);
        let delimiter = [',', ';'][rng.usize(0..2)];
        let (trim, is_odd) = (rng.usize(0..6) == 0, rng.bool());
        let rows = [3, 300, 9000][rng.usize(0..3)];
        let text = text(rng, rows, delimiter, is_odd);
        let batches = read_all(
            &text,
            CsvOptions {
                delimiter: Some(delimiter as u8),
                header: Header::Names,
                trim,
                ..CsvOptions::default()
            },
        );
        let names = NAMES.map(str::to_owned);
        // In the order of the table, or not.
        let attributes = [[1, 2], [2, 1]][rng.usize(0..2)];
        let mut counter = RowCounter::new(&names, &attributes, &[]);
        batches.iter().for_each(|batch| counter.add(batch).unwrap());
        let levels = attributes.map(|at| match at {
            1 => Hierarchy::from_rows("area", AREAS).unwrap(),
            _ => Hierarchy::from_rows("rank", RANKS).unwrap(),
        });
        let table = counter.finish(levels.to_vec(), Vec::new(), Missing::default());
        let table = table.unwrap();
        let model: ModelSpec = format!("k-anonymity(k={})", rng.usize(1..5))
            .parse()
            .unwrap();
        let models = model.build_all(&table.columns, &[]).unwrap();
        let problem = Problem::new(&table, &models, &Height).allow_suppressed(table.rows);
        let node = Node::from_levels([rng.u8(0..2), rng.u8(0..2)]);
        let proposal = Proposal {
            recoding: ColumnRecoding::FullDomain(node).into(),
            guarantee: Guarantee::Heuristic,
            loss: None,
            nodes_checked: 0,
            steps: Vec::new(),
        };
        let release = publish(&problem, &proposal).unwrap();
        let dropped: &[usize] = [&[3][..], &[], &[0, 3], &[0, 3, 4, 5]][rng.usize(0..4)];
        let suppressed = [SuppressedRows::Drop, SuppressedRows::Star][rng.usize(0..2)];
        let mut recoder = release.recoder(&names, dropped, suppressed).unwrap();
        let mut encoder = CsvEncoder::new([delimiter as u8, b','][rng.usize(0..2)]).unwrap();
        if rng.usize(0..4) == 0 {
            encoder = encoder.spreadsheet_safe();
        }
        let mut of_release = ReleaseEncoder::new(encoder);
        let mut whole = Vec::new();
        for batch in &batches {
            let (mut published, mut pieces) = (PublishedRows::default(), EncodedRows::default());
            let mut cells = Vec::new();
            recoder.recode(batch, &mut published).unwrap();
            encoder.encode(published.rows(), &mut cells);
            of_release.encode(&recoder.recode_in_place(batch).unwrap(), &mut pieces);
            assert!(pieces.as_bytes() == cells, "seed {seed}");
            whole.extend_from_slice(&cells);
            match batch.separator() {
                Some(_) => in_pieces += 1,
                None => by_cell += 1,
            }
        }
        let counted = counted(&batches, &names, rng);
        let Some(order) = &counted.order else {
            assert!(!counted.are_all, "seed {seed}");
            continue;
        };
        from_few += 1;
        let mut recoder = release.recoder(&names, dropped, suppressed).unwrap();
        let recoded = recoder.recode_equal_rows(&counted.rows, &counted.sizes);
        let recoded = recoded.unwrap();
        let formatted = FormattedRows::new(encoder, &recoded, counted.rows.rows(), u32::MAX);
        let formatted = formatted.unwrap();
        let (mut text, mut written) = (EncodedRows::default(), Vec::new());
        let step = rng.usize(1..5000);
        let starts = (0..order.rows()).step_by(step);
        let parts = starts.map(|start| start..order.rows().min(start + step));
        for rows in parts.clone() {
            formatted.encode(order.of_rows(rows), &mut text);
            written.extend_from_slice(text.as_bytes());
        }
        assert!(written == whole, "seed {seed}");
        release.confirm(recoder.tally()).unwrap();
        let recoder = release.recoder(&names, dropped, suppressed).unwrap();
        let once = recoder.recode_once(&counted.rows).unwrap();
        assert_eq!(once.is_some(), suppressed == SuppressedRows::Drop);
        if let Some(once) = once {
            in_columns += 1;
            let (mut repeated, mut written, mut rows) = (PublishedRows::default(), Vec::new(), 0);
            let mut published = vec![HashSet::new(); recoder.names().len()];
            for part in parts {
                once.repeat(order.of_rows(part), &mut repeated);
                let batch = repeated.rows();
                rows += batch.rows() as u64;
                encoder.encode(batch, &mut written);
                for (column, published) in published.iter_mut().enumerate() {
                    published.extend((0..batch.rows()).map(|row| batch.cell(row, column).to_vec()));
                }
            }
            // A sink that writes whole lists publishes nothing of rows that are suppressed.
            for (column, published) in published.iter().enumerate() {
                let list = &repeated.rows().coded(column).unwrap().values;
                let texts = (0..list.len() as u32).map(|code| list.text(code).to_vec());
                assert_eq!(texts.collect::<HashSet<_>>(), *published, "seed {seed}");
            }
            assert!(written == whole, "seed {seed}");
            assert_eq!(rows, once.rows(&counted.sizes), "seed {seed}");
        }
    }
    assert!(in_pieces > 50 && by_cell > 50, "{in_pieces}, {by_cell}");
    assert!(from_few > 50 && in_columns > 20, "{from_few}, {in_columns}");
}

#[test]
fn rows_whose_texts_take_too_much_memory_are_not_formatted() {
    let names = ["kept".to_owned(), "area".to_owned()];
    let batches = read_all("kept,area\nx,a\ny,b\n", CsvOptions::default());
    let mut counter = RowCounter::new(&names, &[1], &[]);
    counter.add(&batches[0]).unwrap();
    let levels = vec![Hierarchy::from_rows("area", AREAS).unwrap()];
    let table = counter.finish(levels, Vec::new(), Missing::default());
    let table = table.unwrap();
    let problem = Problem::new(&table, &[], &Height);
    let release = publish(
        &problem,
        &Proposal {
            recoding: ColumnRecoding::FullDomain(Node::from_levels([0])).into(),
            guarantee: Guarantee::Heuristic,
            loss: None,
            nodes_checked: 0,
            steps: Vec::new(),
        },
    )
    .unwrap();
    let mut recoder = release.recoder(&names, &[], SuppressedRows::Drop).unwrap();
    let recoded = recoder.recode_in_place(&batches[0]).unwrap();
    let encoder = CsvEncoder::new(b',').unwrap();
    let format = |most| FormattedRows::new(encoder, &recoded, 2, most);
    let mut text = EncodedRows::default();
    format(8)
        .unwrap()
        .encode([[1, 0].into_iter(), [1, 1].into_iter()], &mut text);
    assert_eq!(text.as_bytes(), b"y,b\nx,a\ny,b\ny,b\n");
    assert!(format(7).is_none());
}

#[test]
fn a_batch_has_a_separator_only_if_its_cells_are_pieces_of_text() {
    let plain = "a,b\n1,x\n,\n";
    let separators = |text: &str, options: CsvOptions| -> Vec<Option<u8>> {
        let batches = read_all(text, options);
        batches.iter().map(RowBatch::separator).collect()
    };
    let options = || CsvOptions {
        header: Header::Names,
        ..CsvOptions::default()
    };
    assert_eq!(separators(plain, options()), [Some(b',')]);
    let trimmed = CsvOptions {
        trim: true,
        ..options()
    };
    assert_eq!(separators(plain, trimmed), [None]);
    let guarded = CsvOptions {
        spreadsheet_safe: true,
        ..options()
    };
    assert_eq!(separators(plain, guarded), [None]);
    let other_quote = CsvOptions {
        quote: b'\'',
        ..options()
    };
    assert_eq!(separators("a,b\n1,x\"y\n", other_quote), [None]);
    assert_eq!(separators("a,b\n1,\"x\"\n", options()), [None]);
    assert_eq!(separators("a,b\n1,x\"\n", options()), [None]);
}
