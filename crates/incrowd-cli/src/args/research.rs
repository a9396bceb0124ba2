//! What experts say a release must keep.

use super::FlagPart;
use super::words::choice;
use clap::Args;
use incrowd_job::{Error, Job, Weighting};

/// Rules and weights, for the metric `research-value`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Research value")]
pub(crate) struct ResearchArgs {
    /// Values that must stay apart, and how important that is (repeatable): 'age: 64|65 = 25', 'race: White != Black =
    /// 20', 'race: {White, Black} != {Other} = 5'. The outcome says whether the release keeps it; `--metric
    /// research-value` searches for the release worth most
    #[arg(long, value_name = "RULE")]
    rule: Vec<String>,
    /// Added to the importance of all rules of a column and of those kept, so that a value is left when every rule
    /// breaks [default: 0]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    rule_base: Option<f64>,
    /// How much a quasi-identifier counts, such as age=0.3 (repeatable; all together 1, and 0 for those not named)
    #[arg(long, value_name = "COLUMN=NUMBER")]
    weight: Vec<String>,
    /// Weights of all quasi-identifiers: equal, or auto, which gives less to columns that others already tell [default:
    /// equal]
    #[arg(long, value_name = "HOW", value_parser = choice::<Weighting>(&["equal", "auto"]))]
    weights: Option<Weighting>,
    /// Of quasi-identifiers whose association is at least this, such as 0.9, only the first counts; the others get
    /// weight 0
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    drop_associated: Option<f64>,
    /// Exponent of the detail that is left; above 1 it matters more [default: 1]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    granularity_exponent: Option<f64>,
    /// Exponent of the share of rules kept; above 1 it matters more [default: 1]
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    rule_exponent: Option<f64>,
    /// Value of each level of a column, from the raw values up, such as age=1/0.8/0, in place of the one computed
    /// (repeatable)
    #[arg(long, value_name = "COLUMN=VALUES")]
    level_values: Vec<String>,
}

impl ResearchArgs {
    /// Whether any of it is given.
    pub(super) fn is_given(&self) -> bool {
        let lists = [&self.rule, &self.weight, &self.level_values];
        let numbers = [
            self.rule_base,
            self.drop_associated,
            self.granularity_exponent,
            self.rule_exponent,
        ];
        lists.iter().any(|list| !list.is_empty())
            || numbers.iter().any(Option::is_some)
            || self.weights.is_some()
    }
}

impl FlagPart for ResearchArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        for rule in &self.rule {
            job.add_rule(rule)?;
        }
        for weight in &self.weight {
            job.add_weight(weight)?;
        }
        for values in &self.level_values {
            job.add_level_values(values)?;
        }
        job.search.drop_associated = self.drop_associated;
        job.search.rule_base = self.rule_base;
        job.search.weights = self.weights;
        job.search.granularity_exponent = self.granularity_exponent;
        job.search.rule_exponent = self.rule_exponent;
        Ok(())
    }
}
