//! The numbers of A. Pilalidou, *Online Negotiation for Privacy Preserving Data Publishing*, University of Ioannina,
//! 2010, on Adult, chapters 3 to 5, and in `data/adult/reference`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod adult;

use incrowd_core::counts::CountedTable;
use incrowd_core::lattice::Node;
use incrowd_core::negotiate::{
    AnnotatedLattice, Answer, LevelTable, Negotiator, Offer, Outcome, Relaxations, Request, Search,
    suppression_by_height,
};
use incrowd_core::privacy::{Decimal, DistinctLDiversity, KAnonymity, PrivacyModel};
use incrowd_core::problem::Unwatched;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Hours per week is the sensitive column of the paper.
fn count(quasi_identifiers: &str) -> CountedTable {
    let quasi_identifiers: Vec<&str> = quasi_identifiers.split(' ').collect();
    adult::count(&quasi_identifiers, &["hours-per-week"])
}

fn model(criterion: &str, parameter: u32) -> Box<dyn PrivacyModel> {
    match criterion {
        "k-anonymity" => Box::new(KAnonymity { k: parameter }),
        "distinct-l-diversity" => Box::new(DistinctLDiversity {
            column: 0,
            l: parameter,
        }),
        other => panic!("the reference has no `{other}`"),
    }
}

fn annotate(table: &CountedTable, threads: usize) -> AnnotatedLattice {
    let models = [model("k-anonymity", 1), model("distinct-l-diversity", 1)];
    let models: Vec<&dyn PrivacyModel> = models.iter().map(|model| &**model).collect();
    AnnotatedLattice::full(table, &models, threads, &Unwatched).unwrap()
}

/// A file of the reference: its lines by column name.
fn reference(file: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(adult::path("reference").join(file)).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

/// Levels as digits, as the reference writes them.
fn digits(node: &Node) -> String {
    node.levels().map(|level| level.to_string()).collect()
}

fn node(digits: &str) -> Node {
    Node::from_levels(digits.bytes().map(|digit| digit - b'0'))
}

#[test]
fn suppression_by_height_is_that_of_the_paper() {
    let text = std::fs::read_to_string(adult::path("reference/suppression_by_height.csv")).unwrap();
    let mut written = String::from(
        "criterion,parameter,quasi_identifiers,height,nodes,min_suppressed,avg_suppressed,max_suppressed\n",
    );
    let mut tables: BTreeMap<String, (CountedTable, AnnotatedLattice)> = BTreeMap::new();
    let mut asked = Vec::new();
    for line in text.lines().skip(1) {
        let [criterion, parameter, columns]: [&str; 3] = line
            .split(',')
            .take(3)
            .collect::<Vec<_>>()
            .try_into()
            .unwrap();
        let question = (criterion, parameter.parse::<u32>().unwrap(), columns);
        if asked.last() != Some(&question) {
            asked.push(question);
        }
    }
    for (criterion, parameter, columns) in asked {
        let (table, lattice) = tables.entry(columns.into()).or_insert_with(|| {
            let table = count(columns);
            let lattice = annotate(&table, 2);
            (table, lattice)
        });
        let model = model(criterion, parameter);
        let parameters = [Decimal::from(parameter)];
        for of in suppression_by_height(table, lattice, &*model, &parameters).unwrap() {
            let (height, nodes, least, greatest) = (of.height, of.nodes, of.least, of.greatest);
            let average = of.average();
            writeln!(
                written,
                "{criterion},{parameter},{columns},{height},{nodes},{least},{average:.2},{greatest}"
            )
            .unwrap();
        }
    }
    assert!(written == text, "{written}");
}

#[test]
fn the_importance_of_levels_is_that_of_table_5_1() {
    let table = count("age education marital-status occupation race workclass");
    let mut written = String::from("attribute,level,groups,avg_group_size,relative_importance\n");
    for of in LevelTable::of(&table).levels() {
        let (name, level, classes) = (&table.attributes[of.attribute].name, of.level, of.classes);
        let (average, importance) = (of.average_class, of.relative_importance);
        writeln!(
            written,
            "{name},{level},{classes},{average:.2},{importance:.2}"
        )
        .unwrap();
    }
    let text = std::fs::read_to_string(adult::path("reference/level_importance.csv")).unwrap();
    assert_eq!(written, text);
}

/// What the reference says of an offer: levels (all that tie) and rows.
fn check_offer(line: &BTreeMap<String, String>, levels: &str, rows: &str, offer: Option<&Offer>) {
    match offer {
        None => assert_eq!((&*line[levels], &*line[rows]), ("", ""), "{line:?}"),
        Some(offer) => {
            assert_eq!(line[rows], offer.rows_suppressed.to_string(), "{line:?}");
            // Of those that tie, the first.
            let first = line[levels].split('|').min().unwrap();
            assert_eq!(first, digits(&offer.node), "{line:?}");
        }
    }
}

fn check_answer(line: &BTreeMap<String, String>, search: Search, answer: &Answer) {
    assert!(answer.coverage.complete);
    match &answer.outcome {
        Outcome::Exact(offer) => {
            assert_eq!(line["kind"], "exact", "{line:?}");
            check_offer(line, "exact_levels", "exact_suppressed", Some(offer));
        }
        Outcome::Relaxed(Relaxations {
            more_suppression,
            higher_levels,
            weaker_privacy,
        }) => {
            assert_eq!(line["kind"], "relaxed", "{line:?}");
            let more = more_suppression.as_ref();
            check_offer(
                line,
                "more_suppression_levels",
                "more_suppression_suppressed",
                more,
            );
            let (levels, rows) = match search {
                Search::Whole => (
                    "higher_levels_whole_lattice",
                    "higher_whole_lattice_suppressed",
                ),
                Search::FromLimit => ("higher_levels_from_limit", "higher_from_limit_suppressed"),
            };
            check_offer(line, levels, rows, higher_levels.as_ref());
            let weaker = weaker_privacy.as_ref();
            let parameter = weaker.map_or(String::new(), |offer| offer.parameter.to_string());
            assert_eq!(line["weaker_parameter"], parameter, "{line:?}");
            let rows = weaker.map_or(String::new(), |offer| offer.rows_suppressed.to_string());
            assert_eq!(line["weaker_suppressed"], rows, "{line:?}");
        }
    }
}

/// Answers every question of the reference and compares.
fn check_reference(negotiator: impl for<'a> Fn(&'a CountedTable) -> Negotiator<'a>) {
    let lines = reference("negotiation.csv");
    assert_eq!(lines.len(), 56);
    let mut sets: Vec<&String> = lines
        .iter()
        .map(|line| &line["quasi_identifiers"])
        .collect();
    sets.sort();
    sets.dedup();
    for columns in sets {
        let table = count(columns);
        let negotiator = negotiator(&table);
        for line in lines
            .iter()
            .filter(|line| line["quasi_identifiers"] == *columns)
        {
            let model = model(&line["criterion"], line["parameter"].parse().unwrap());
            let max_levels = node(&line["max_levels"]);
            for search in [Search::Whole, Search::FromLimit] {
                let request = Request::new(&*model)
                    .max_suppressed(line["max_suppressed"].parse().unwrap())
                    .max_levels(&max_levels)
                    .search(search);
                let answer = negotiator.answer(&request, &Unwatched).unwrap();
                check_answer(line, search, &answer);
            }
        }
    }
}

#[test]
fn answers_from_the_full_lattice_are_those_of_the_reference() {
    check_reference(|table| Negotiator::annotated(table, annotate(table, 1), false).unwrap());
}

#[test]
fn answers_without_any_annotation_are_those_of_the_reference() {
    check_reference(|table| Negotiator::lazy(table).unwrap());
}
