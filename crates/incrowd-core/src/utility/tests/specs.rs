//! How metrics are written.

use crate::Error;
use crate::utility::MetricSpec;

#[test]
fn a_spec_reads_back_what_it_shows() {
    for text in [
        "loss",
        "loss(aggregate=arithmetic-mean,weights=age:2;sex:1)",
        "average-class-size(k=5)",
        "classification-metric(column=salary-class)",
    ] {
        let spec: MetricSpec = text.parse().unwrap();
        assert_eq!(spec.to_string(), text);
    }
}

#[test]
fn an_unknown_metric_is_answered_with_the_nearest_names() {
    let Err(Error::UnknownEntry { nearest, .. }) = "los".parse::<MetricSpec>() else {
        panic!("`los` is no metric");
    };
    assert_eq!(nearest[0], "loss");
    let Err(Error::UnknownEntry { nearest, .. }) = "presicion".parse::<MetricSpec>() else {
        panic!("`presicion` is no metric");
    };
    assert_eq!(nearest[0], "precision");
}

#[test]
fn options_that_make_no_sense_are_refused() {
    for text in [
        "loss(aggregate=median)",
        "loss(weights=age:-1)",
        "loss(weights=age)",
        "loss(k=5)",
        "loss(sum)",
        "loss(aggregate=sum",
        "average-class-size(k=0)",
    ] {
        assert!(text.parse::<MetricSpec>().is_err(), "{text}");
    }
}
