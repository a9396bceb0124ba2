//! Privacy models, and what a release may give up to satisfy them.

use super::FlagPart;
use clap::Args;
use incrowd_job::{Error, Job};

/// Privacy models.
#[derive(Debug, Args)]
#[command(next_help_heading = "Privacy")]
pub(crate) struct PromiseArgs {
    /// k-anonymity: everyone is in a class of at least N rows
    #[arg(short, value_name = "N", allow_negative_numbers = true)]
    k: Option<String>,
    /// Distinct l-diversity: every class has at least N different sensitive values
    #[arg(short, value_name = "N", allow_negative_numbers = true)]
    l: Option<String>,
    /// t-closeness: in every class, the distribution of sensitive values is within distance X of that in the table
    #[arg(short, value_name = "X", allow_negative_numbers = true)]
    t: Option<String>,
    /// Any model with its parameters, such as `entropy-l-diversity(l=3)` (repeatable; all must hold). `incrowd explain
    /// models` lists them
    #[arg(long, value_name = "MODEL")]
    privacy: Vec<String>,
}

/// What a release may give up to satisfy the privacy models.
#[derive(Debug, Args)]
pub(crate) struct BudgetArgs {
    /// Rows that may be suppressed: a number such as 321, or a share such as 1% [default: 0]
    #[arg(
        long,
        value_name = "ROWS|SHARE",
        allow_hyphen_values = true,
        help_heading = "Privacy"
    )]
    max_suppressed: Option<String>,
}

/// The population that some privacy models are about.
#[derive(Debug, Args)]
pub(crate) struct PopulationArgs {
    /// Table of everyone whom the rows could be about, with the same quasi-identifiers, for `k-map` and `delta-presence`
    #[arg(long, value_name = "DATA", help_heading = "Privacy")]
    population: Option<String>,
}

/// Privacy models, and what a release may give up to satisfy them.
#[derive(Debug, Args)]
pub(crate) struct PrivacyArgs {
    #[command(flatten)]
    pub(crate) promises: PromiseArgs,
    #[command(flatten)]
    population: PopulationArgs,
    #[command(flatten)]
    budget: BudgetArgs,
    /// Highest level allowed for each quasi-identifier, in the order of -q, such as 2,1,1
    #[arg(
        long,
        value_name = "LEVELS",
        allow_hyphen_values = true,
        help_heading = "Privacy"
    )]
    max_levels: Option<String>,
}

impl FlagPart for PromiseArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        let short = [
            ("k-anonymity", "k", &self.k),
            ("distinct-l-diversity", "l", &self.l),
            ("t-closeness", "t", &self.t),
        ];
        let mut models: Vec<String> = short
            .into_iter()
            .filter_map(|(model, parameter, value)| {
                let value = value.as_ref()?;
                Some(format!("{model}({parameter}={value})"))
            })
            .collect();
        models.extend(self.privacy.iter().cloned());
        job.privacy.models = (!models.is_empty()).then_some(models);
        Ok(())
    }
}

impl FlagPart for PopulationArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        job.privacy.population.clone_from(&self.population);
        Ok(())
    }
}

impl FlagPart for BudgetArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        let budget = self.max_suppressed.as_deref();
        job.privacy.max_suppressed = budget.map(str::parse).transpose()?;
        Ok(())
    }
}

impl FlagPart for PrivacyArgs {
    fn fill(&self, job: &mut Job) -> Result<(), Error> {
        self.promises.fill(job)?;
        self.population.fill(job)?;
        self.budget.fill(job)?;
        job.privacy.max_levels = match &self.max_levels {
            None => None,
            Some(text) => Some(
                text.split(',')
                    .map(|level| level.trim().parse())
                    .collect::<Result<_, _>>()
                    .map_err(|_| Error::MaxLevels { text: text.clone() })?,
            ),
        };
        Ok(())
    }
}
