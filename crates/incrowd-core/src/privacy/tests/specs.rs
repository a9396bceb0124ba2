//! How models are written.

use crate::Error;
use crate::privacy::ModelSpec;

fn parse(text: &str) -> Result<ModelSpec, Error> {
    text.parse()
}

fn canonical(text: &str) -> String {
    parse(text).expect("a model").to_string()
}

#[test]
fn models_are_written_in_one_way_and_read_in_many() {
    assert_eq!(canonical("k-anonymity"), "k-anonymity");
    assert_eq!(canonical(" k-anonymity () "), "k-anonymity");
    assert_eq!(canonical("k-anonymity( k = 05 )"), "k-anonymity(k=5)");
    assert_eq!(
        canonical("alpha-k-anonymity(k=3,column=\"a \"\"b\"\", (c)\" , alpha=.50)"),
        "alpha-k-anonymity(alpha=0.5,k=3,column=\"a \"\"b\"\", (c)\")"
    );
    assert_eq!(
        canonical("alpha-k-anonymity(alpha=1,k=1,value=\"\")"),
        "alpha-k-anonymity(alpha=1,k=1,value=\"\")"
    );
    assert_eq!(
        canonical("alpha-k-anonymity(alpha=1,k=1,value=HIV positive)"),
        "alpha-k-anonymity(alpha=1,k=1,value=HIV positive)"
    );
}

#[test]
fn what_is_not_a_model_is_refused_with_a_hint() {
    for text in [
        "k-anonymity(k=5",
        "k-anonymity(k=5))",
        "k-anonymity(5)",
        "k-anonymity(k=)",
        "k-anonymity(k=5,)",
        "k-anonymity(k=5,,)",
        "k-anonymity(,k=5)",
        "k-anonymity(k=5 k=6)",
        "k-anonymity(k=\"5)",
        "k-anonymity(k=\"5\"6)",
    ] {
        let error = parse(text).expect_err(text);
        let refused = match &error {
            Error::MalformedSpec { .. } => true,
            Error::UnknownSetting { setting, .. } => setting == ",k",
            _ => false,
        };
        assert!(refused, "{text}: {error}");
        assert!(!error.hint().is_empty());
    }
}

#[test]
fn unknown_models_come_with_the_nearest_names() {
    let error = parse("k-anonimity(k=5)").expect_err("misspelt");
    assert_eq!(error.to_string(), "there is no privacy model `k-anonimity`");
    assert!(error.hint().contains("`k-anonymity`"), "{}", error.hint());
    let error = parse("l-diversity(l=5)").expect_err("ambiguous");
    assert!(
        error
            .hint()
            .contains("`distinct-l-diversity` or `entropy-l-diversity`")
    );
    assert!(parse("").expect_err("empty").hint().contains("explain"));
}

#[test]
fn parameters_out_of_range_are_refused_with_the_range() {
    for text in [
        "k-anonymity(k=0)",
        "k-anonymity(k=2.5)",
        "k-anonymity(k=-1)",
        "k-anonymity(k=4294967296)",
        "distinct-l-diversity(l=0)",
        "entropy-l-diversity(l=0.5)",
        "entropy-l-diversity(l=NaN)",
        "recursive-cl-diversity(c=0,l=2)",
        "recursive-cl-diversity(c=2,l=0)",
        "frequency-l-diversity(l=0)",
        "alpha-k-anonymity(alpha=0,k=2)",
        "alpha-k-anonymity(alpha=1.01,k=2)",
        "p-sensitive-k-anonymity(p=0,k=2)",
        "t-closeness(t=-0.1)",
        "t-closeness(t=1.000000001)",
        "t-closeness(t=nan)",
        "t-closeness(t=0.1,distance=far)",
        "delta-disclosure(delta=0)",
        "delta-disclosure(delta=1,absent=keep)",
        "beta-likeness(beta=0)",
        "beta-likeness(beta=inf)",
        "beta-likeness(beta=1,kind=strong)",
    ] {
        let error = parse(text).expect_err(text);
        assert!(matches!(error, Error::SettingOutOfRange { .. }), "{text}");
        assert!(error.hint().contains("must be"), "{}", error.hint());
    }
    let error = parse("t-closeness(t=1.5)").expect_err("too far");
    assert_eq!(
        error.to_string(),
        "the setting `t` of `t-closeness` cannot be `1.5`"
    );
    assert_eq!(error.hint(), "`t` must be a decimal number from 0 to 1");
}

#[test]
fn parameters_are_known_given_once_and_complete() {
    let unknown = parse("k-anonymity(l=5)").expect_err("not its parameter");
    assert!(matches!(unknown, Error::UnknownSetting { .. }));
    assert_eq!(unknown.hint(), "its settings are `k`");
    let no_column = parse("k-anonymity(k=5,column=age)").expect_err("about no column");
    assert!(matches!(no_column, Error::UnknownSetting { .. }));
    for twice in ["k-anonymity(k=5,k=5)", "t-closeness(t=0,column=a,column=b)"] {
        let error = parse(twice).expect_err(twice);
        assert!(matches!(error, Error::DuplicateSetting { .. }));
    }
    let bare = parse("t-closeness").expect("a name");
    let missing = bare.check_complete().expect_err("t is missing");
    assert_eq!(missing.to_string(), "`t-closeness` needs a value for `t`");
    let tenth = "0.1".parse().expect("a decimal");
    let complete = bare.with_main(tenth).expect("in range");
    assert_eq!(complete.check_complete(), Ok(()));
    assert_eq!(complete.to_string(), "t-closeness(t=0.1)");
}
