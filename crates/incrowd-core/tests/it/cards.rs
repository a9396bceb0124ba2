//! The figures on the cards: what they say was measured on Adult is measured.

use crate::adult;
use incrowd_core::algorithms::ALGORITHMS;
use incrowd_core::algorithms::properties::GrowsWith;
use incrowd_core::privacy::ModelSpec;
use incrowd_core::problem::{Problem, Settings, Unwatched};
use incrowd_core::publish::publish;
use incrowd_core::utility::MetricSpec;

/// In the order of the command on the cards.
const COLUMNS: [&str; 8] = [
    "age",
    "workclass",
    "race",
    "occupation",
    "education",
    "marital-status",
    "sex",
    "native-country",
];

/// The number that follows a word.
fn figure(text: &str, word: &str) -> f64 {
    let (_, rest) = text.split_once(&format!(" {word} ")).expect(text);
    let number = rest.split_whitespace().next().unwrap();
    number
        .trim_end_matches([',', '.', ';'])
        .parse()
        .expect(text)
}

/// All but those that compare every tuple with many others, which take too long here, and partitions, whose card has another
/// command.
#[test]
fn what_the_cards_say_of_adult_is_what_a_run_gives() {
    let table = adult::count(&COLUMNS, &["salary-class", "hours-per-week"]);
    let build = |name: &str| name.parse::<MetricSpec>().unwrap().build(&table).unwrap();
    let (ncp, loss) = (build("ncp"), build("loss"));
    let models = "k-anonymity(k=5)".parse::<ModelSpec>().unwrap();
    let models = models.build_all(&[], &[]).unwrap();
    let mut tested = 0;
    for algorithm in ALGORITHMS {
        let entry = algorithm.entry();
        let text = entry.card.section("Measured").unwrap().replace('\n', " ");
        let effort = entry.kind.properties.effort;
        if matches!(effort, GrowsWith::Comparisons | GrowsWith::Partitions) {
            continue;
        }
        let metric = build(algorithm.default_metric());
        let problem = Problem::new(&table, &models, &*metric).with_settings(Settings {
            own: entry.defaults(),
            targets: vec![usize::from(text.contains("--target hours-per-week"))],
            ..Settings::default()
        });
        let proposal = algorithm.solve(&problem, &Unwatched).unwrap();
        let release = publish(&problem, &proposal).unwrap();
        for (name, metric) in [("ncp", &ncp), ("loss", &loss)] {
            let measured = release.loss(&**metric).0;
            let stated = figure(&text, name);
            let is_same = (measured - stated).abs() < 0.000_051;
            assert!(
                is_same,
                "{}: {name} is {measured}, not {stated}",
                entry.name
            );
        }
        tested += 1;
    }
    assert_eq!(tested, 14);
}
