//! Parameters of promises: a number that a model cannot compare exactly must never reach it.

use incrowd_core::privacy::{MODELS, ModelSpec};
use incrowd_core::registry::Kind;
use incrowd_core::table::Decimal;

/// Below 0, or of more digits than the products of the models have room for.
const NEVER: [&str; 6] = [
    "-1",
    "-0.5",
    "-0.000000001",
    "0.0000000001",
    "0.000000000001",
    "5000000000",
];

#[test]
fn no_model_takes_a_number_with_a_sign_or_too_many_digits() {
    let mut asked = 0;
    for entry in MODELS {
        for parameter in entry.settings {
            if matches!(parameter.kind, Kind::Choice(_) | Kind::Text) {
                continue;
            }
            let spec = |text: &str| {
                let (model, parameter) = (entry.name, parameter.name);
                format!("{model}({parameter}={text})").parse::<ModelSpec>()
            };
            let one = spec("1").unwrap_or_else(|error| panic!("{}: {error}", entry.name));
            for text in NEVER {
                asked += 1;
                assert!(spec(text).is_err(), "{} takes {text}", entry.name);
                let number = Decimal::with_sign(text).unwrap();
                assert!(
                    one.clone().with_main(number).is_err(),
                    "{} takes {text}",
                    entry.name
                );
            }
        }
    }
    assert!(asked > 50);
}
