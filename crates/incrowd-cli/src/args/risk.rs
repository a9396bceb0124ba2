//! `incrowd risk`.

use super::columns::{HierarchyArgs, RoleArgs};
use super::output::SpreadsheetArgs;
use super::search::ThreadArgs;
use super::table::TableArgs;
use clap::Args;
use incrowd_job::{Error, Population, RiskOptions};

/// Measure how easily people in a table are found, raw or published
///
/// Rows with equal quasi-identifiers form a class. Whoever knows that somebody is in the file and knows these columns
/// (the prosecutor) picks one row of a class; whoever has a register of the population (the journalist, --population) picks
/// one of the people there who match; whoever tries everyone (the marketer) is right once per class. Rows that are `*` in
/// every column are suppressed and cannot be found.
///
/// A row that is unique in the file may have doubles in the population. How many people are unique there is estimated from
/// the file as a random sample (--population-size), by the models of Pitman, Zayatz, and the slide negative binomial
/// distribution (SNB). With -s, a value is certain if a whole class shares it.
///
/// Columns that are not named are ignored.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  incrowd risk adult.csv -q age,sex,race -s salary-class
  incrowd risk adult.csv -q age,sex,race --population-size 300000000
  incrowd risk safe.csv -q age,sex,race --original adult.csv
  incrowd risk safe.csv -q age,sex,race --population census.csv --hierarchies hierarchies/
  incrowd risk safe.csv -q age,sex,race --gate 'highest<=0.2' --gate 'uniques<=0'

Figures for --gate: highest, average, above, marketer, journalist.highest, journalist.average, journalist.above,
presence (the greatest share of the people who match a class that is in the file), uniques, pitman, zayatz, snb (shares
of the population), certain (the greatest share over the columns of -s).

Exit codes: 0 measured, and every gate met; 1 a gate is not met; 2 error.")]
pub(crate) struct RiskArgs {
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// Table that the file was made from: shows the risk before and after
    #[arg(long, value_name = "DATA")]
    original: Option<String>,
    /// Table of the whole population that the rows are from, with the same quasi-identifiers; for a release, give the
    /// hierarchies it was made with
    #[arg(
        long,
        value_name = "DATA",
        conflicts_with = "population_size",
        help_heading = "Risk"
    )]
    population: Option<String>,
    /// Number of people in the population that the rows are from
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        help_heading = "Risk"
    )]
    population_size: Option<u64>,
    /// Count rows whose risk is greater than this, from 0 to 1 [default: 0.2]
    #[arg(
        long,
        value_name = "RISK",
        allow_hyphen_values = true,
        help_heading = "Risk"
    )]
    threshold: Option<String>,
    /// What a figure must not exceed (repeatable), such as 'highest<=0.2'; otherwise the exit code is 1
    #[arg(long, value_name = "GATE", help_heading = "Risk")]
    gate: Vec<String>,
    #[command(flatten)]
    pub(crate) roles: RoleArgs,
    #[command(flatten)]
    pub(crate) hierarchies: HierarchyArgs,
    #[command(flatten)]
    pub(crate) spreadsheet: SpreadsheetArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
}

impl RiskArgs {
    /// What the flags say beside the job.
    pub(crate) fn options(&self) -> Result<RiskOptions, Error> {
        let gates = self.gate.iter().map(|text| text.parse());
        let table = self.population.clone().map(Population::Table);
        Ok(RiskOptions {
            original: self.original.clone(),
            population: table.or(self.population_size.map(Population::Size)),
            threshold: self.threshold.clone(),
            gates: gates.collect::<Result<_, _>>()?,
        })
    }
}
