//! Numbers that are published as the mean or median of their class.

use crate::region_case::case;
use incrowd_core::algorithms::{Finest, Mondrian};
use incrowd_core::counts::{CountedTable, LeafOrder, LeafSet, Missing, RowCounter};
use incrowd_core::hierarchy::{Options, parse};
use incrowd_core::problem::{Guarantee, Problem, Proposal};
use incrowd_core::publish::publish;
use incrowd_core::recode::{PublishedCells, PublishedColumn, PublishedNumbers, Recoding};
use incrowd_core::utility::MetricSpec;
use std::any::Any;
use std::sync::Arc;

#[test]
fn numbers_are_published_as_the_mean_or_median_of_their_region() {
    for numbers in ["mean", "median"] {
        let mut compared = 0;
        for seed in 0..300 {
            let mut case = case(seed);
            case.settings.push(("numbers", numbers));
            let is_safe = case.is_safe(&case.oracle.rows());
            let expected = is_safe.then(|| {
                let cuts = |rows: &[usize]| case.median_cuts(rows, &|_| 1.0);
                case.published(&case.regions(&cuts))
            });
            let published = case.release(&Mondrian, "cost", 1);
            assert_eq!(published, expected, "{numbers}, {}", case.name);
            compared += usize::from(published.is_some());
            case.release(&Finest, "cost", 1);
        }
        assert!(compared > 150, "only {compared} tables had a release");
    }
}

/// All ages in one class, published as this text.
#[derive(Debug, PartialEq)]
struct OneNumber {
    text: &'static str,
    numbers: PublishedNumbers,
    covers: Vec<LeafSet>,
    of_tuples: Vec<u32>,
}

impl Recoding for OneNumber {
    fn name(&self) -> &'static str {
        "one number"
    }

    fn columns<'a>(&'a self, _: &'a CountedTable) -> Vec<PublishedColumn<'a>> {
        let column = PublishedColumn {
            level: None,
            texts: vec![self.text],
            cells: PublishedCells::ByTuple {
                values: &self.of_tuples,
                covers: &self.covers,
                numbers: self.numbers,
            },
        };
        vec![column]
    }

    fn is_same(&self, other: &dyn Recoding) -> bool {
        (other as &dyn Any).downcast_ref() == Some(self)
    }
}

#[test]
fn a_number_that_is_not_the_mean_or_median_of_its_class_is_refused() {
    use PublishedNumbers::*;
    let names = ["age".to_owned()];
    let mut counter = RowCounter::new(&names, &[0], &[]);
    for (age, rows) in [("20", 2), ("21", 1), ("30", 1)] {
        counter.count(&[age], rows).unwrap();
    }
    let options = Options::new("age").with_delimiter(b',');
    let hierarchy = parse(b"20,*\n21,*\n30,*\n", options).unwrap();
    let table = counter.finish(vec![hierarchy], vec![], Missing::default());
    let table = table.unwrap();
    let metric = MetricSpec::named("ncp").unwrap().build(&table).unwrap();
    let problem = Problem::new(&table, &[], &*metric);
    // 20, 20, 21, 30: the mean is 22.75, the median 20.5.
    for (text, numbers, is_right) in [
        ("22.75", Mean, true),
        ("22.76", Mean, false),
        ("20.5", Mean, false),
        ("20.5", Median, true),
        ("21", Median, false),
        ("22.75", Interval, false),
        ("nothing", Mean, false),
        ("[20-30]", Mean, true),
    ] {
        let recoding = OneNumber {
            text,
            numbers,
            covers: vec![LeafOrder::new(&table.attributes[0]).all()],
            of_tuples: vec![0; table.tuples.len()],
        };
        let proposal = Proposal {
            recoding: Arc::new(recoding),
            guarantee: Guarantee::Heuristic,
            loss: None,
            nodes_checked: 0,
            steps: Vec::new(),
        };
        let release = publish(&problem, &proposal);
        assert_eq!(release.is_ok(), is_right, "{text}, {numbers:?}");
    }
}
