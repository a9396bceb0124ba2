//! Which rules a file keeps, by what its published texts stand for.
//!
//! A release of regions cannot be made again from its texts, but whether a rule is kept follows from the texts alone: none
//! of them may stand for values of both sides.

use super::again::{DEPENDS_ON_SUPPRESSED, NEEDS_RULES};
use super::{Looked, LookedOriginal};
use crate::error::Error;
use crate::report::certificate::Certificate;
use crate::report::research::RuleKept;
use crate::run::asked::asked_research_value;
use crate::run::describe::{rule_kept, rule_reached};
use crate::spec::Job;
use incrowd_core::recode::Labels;
use incrowd_core::utility::{OverlappingGroups, ResearchValue};

const NO_RANGES: &str =
    "means and medians do not show from which numbers they were made: run the job again";
const NOT_READ: &str = "some published values stand for nothing that the original table has";

/// Which rules of the job the published texts keep, or why that is not known.
pub(super) fn kept_by_texts(
    stated: &Certificate,
    looked: &Looked,
    original: &LookedOriginal,
    job: Option<&Job>,
) -> Result<Result<Vec<RuleKept>, &'static str>, Error> {
    let request = &stated.request;
    if request.research_value.is_none() {
        return Ok(Ok(Vec::new()));
    }
    let Some(job) = job else {
        return Ok(Err(NEEDS_RULES));
    };
    let Some(research) = asked_research_value(job)? else {
        return Ok(Ok(Vec::new()));
    };
    let numbers = request.settings.get("numbers").unwrap_or_default();
    let has_ranges = numbers.iter().all(|it| it == "interval");
    let table = &original.table;
    let metric = ResearchValue::new(research.given(), table)?;
    let all = research.given().rules("rules");
    let mut found = Vec::new();
    for (at, attribute) in table.attributes.iter().enumerate() {
        let mut rules = all
            .iter()
            .filter(|it| it.column == attribute.name)
            .peekable();
        if rules.peek().is_none() {
            continue;
        }
        if !has_ranges && attribute.numbers_of_leaves().is_some() {
            return Ok(Err(NO_RANGES));
        }
        let labels = Labels::new(attribute);
        let texts = looked.texts(at).into_iter();
        let leaves: Option<Vec<_>> = texts.map(|text| labels.read(text, false)).collect();
        let Some(leaves) = leaves else {
            return Ok(Err(NOT_READ));
        };
        let groups = OverlappingGroups {
            order: labels.order().clone(),
            leaves,
            rows: Vec::new(),
        };
        let kept = metric.kept_by(at, &groups);
        let kept = rules.zip(kept).map(|(rule, kept)| rule_reached(rule, kept));
        found.extend(kept.map(|rule| rule_kept(&attribute.name, &rule)));
    }
    // A value that only suppressed rows would have had may break a rule that no text breaks.
    let is_hidden = |(stated, found): (&RuleKept, &RuleKept)| {
        stated.rule == found.rule && found.kept && !stated.kept
    };
    let has_hidden = looked.verification.rows < u64::from(table.rows);
    match has_hidden && stated.reached.rules.iter().zip(&found).any(is_hidden) {
        true => Ok(Err(DEPENDS_ON_SUPPRESSED)),
        false => Ok(Ok(found)),
    }
}
