//! How easily people in a table are found, raw or published: by those who know that somebody is in it, by those who know the
//! whole population, and by those who try everyone.
//!
//! Rows are counted once. Everything else runs on the sizes of classes.

mod files;
mod gates;

use crate::error::Error;
use crate::report::outcome::VERSION;
use crate::report::risk::{
    AboveThreshold, CertainRows, EstimatedShares, Matched, PopulationEstimates, Presence,
    Reidentified, RiskReport, Risks, UniqueRows, Uniques,
};
use crate::run::control::{Control, Phase};
use crate::run::{hierarchies, input};
use crate::spec::gate::fraction;
use crate::spec::{Gate, Job, MissingCells};
use files::{Counted, CountedPopulation};
use incrowd_core::counts::FrequencySet;
use incrowd_core::publish::{MatchedClass, match_population};
use incrowd_core::risk::{ClassSizes, NoEstimate, PopulationUniques, Reidentification};
use indexmap::IndexMap;

/// The threshold if none is given.
pub(crate) const THRESHOLD: f64 = 0.2;

/// What is asked beside a job.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RiskOptions {
    /// The table that the file was made from, to show the risk before and after.
    pub original: Option<String>,
    /// Everyone whom the rows could be about.
    pub population: Option<Population>,
    /// Rows are found too easily if their risk is above this; 0.2 if not given.
    pub threshold: Option<String>,
    /// What the figures must not exceed.
    pub gates: Vec<Gate>,
}

/// Everyone whom the rows of a table could be about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Population {
    /// A table with the quasi-identifiers of all of them.
    Table(String),
    /// So many people.
    Size(u64),
}

/// Measures the risks of the file that the job names as its table, and of the table it was made from, if that is given.
pub fn risk(job: &Job, options: &RiskOptions, control: &Control) -> Result<RiskReport, Error> {
    let threshold = threshold(options)?;
    gates::check(job, options)?;
    hierarchies::check_folder(job)?;
    control.within(job.search.time_limit, Phase::Read, || {
        let file = Counted::read_release(job, options.original.is_some(), control)?;
        let original = (options.original.as_deref())
            .map(|path| Counted::read_original(job, path, control))
            .transpose()?;
        let population = match &options.population {
            None => None,
            Some(Population::Size(size)) => Some(Known::Size(*size)),
            Some(Population::Table(path)) => {
                let read = CountedPopulation::read(job, path, control)?;
                Some(Known::Table(Box::new(read)))
            }
        };
        let mut notes = notes(job, &file, original.as_ref());
        let measure = |file: &Counted, notes: &mut Vec<String>| {
            Measured {
                file,
                population: population.as_ref(),
                threshold,
            }
            .risks(notes)
        };
        let risks = measure(&file, &mut notes)?;
        // What is to be said about the original's match with the population was said about the file's.
        let original = original.map(|file| measure(&file, &mut Vec::new()));
        Ok(RiskReport {
            version: VERSION,
            gates: gates::judge(&options.gates, &risks),
            risks,
            original: original.transpose()?,
            notes,
        })
    })
}

fn threshold(options: &RiskOptions) -> Result<f64, Error> {
    let Some(text) = &options.threshold else {
        return Ok(THRESHOLD);
    };
    fraction(text).ok_or_else(|| Error::Threshold { text: text.clone() })
}

fn notes(job: &Job, file: &Counted, original: Option<&Counted>) -> Vec<String> {
    let mut notes = Vec::new();
    if file.has_padded_cells || original.is_some_and(|original| original.has_padded_cells) {
        notes.push(input::PADDED_CELLS.to_owned());
    }
    if job.data.missing_cells == Some(MissingCells::MatchAny) {
        notes.push("missing cells count as a value of their own here".to_owned());
    }
    notes
}

/// What is known of the population.
enum Known {
    Size(u64),
    Table(Box<CountedPopulation>),
}

/// A file to measure.
struct Measured<'a> {
    file: &'a Counted,
    population: Option<&'a Known>,
    threshold: f64,
}

impl Measured<'_> {
    fn risks(&self, notes: &mut Vec<String>) -> Result<Risks, Error> {
        let table = &self.file.table;
        // Values are taken literally, so a tuple is a class.
        let sizes = ClassSizes::of(table.tuples.sizes().iter().copied());
        let population = match self.population {
            None => None,
            Some(population) => Some(self.size_of(population, &sizes)?),
        };
        let prosecutor = Reidentification::of_prosecutor(&sizes, self.threshold);
        let crowds = match self.population {
            Some(Known::Table(population)) => Some(self.crowds(population, notes)?),
            _ => None,
        };
        let journalist = crowds.as_ref().map(|crowds| {
            let found = Reidentification::of_crowds(crowds.iter().copied(), self.threshold);
            self.reidentified(found)
        });
        Ok(Risks {
            rows: sizes.rows(),
            classes: sizes.classes(),
            rows_starred: self.file.rows_starred,
            prosecutor: self.reidentified(prosecutor),
            journalist,
            matched: crowds.as_deref().and_then(matched),
            marketer: self.share(sizes.classes()),
            uniques: Uniques {
                sample: UniqueRows {
                    rows: sizes.uniques(),
                    share: self.share(sizes.uniques()),
                },
                population: population.map(|size| estimates(&sizes, size)),
            },
            attribute_disclosure: self.attribute_disclosure(),
        })
    }

    /// The people of the population, who are at least those of the file.
    fn size_of(&self, population: &Known, sizes: &ClassSizes) -> Result<u64, Error> {
        let people = match population {
            Known::Size(size) => *size,
            Known::Table(population) => population.table.rows.into(),
        };
        match people < sizes.rows() {
            true => Err(Error::PopulationTooSmall {
                people,
                rows: sizes.rows(),
                input: self.file.input.clone(),
            }),
            false => Ok(people),
        }
    }

    /// The rows of every class, with the people of the population that each of them could be.
    fn crowds(
        &self,
        population: &CountedPopulation,
        notes: &mut Vec<String>,
    ) -> Result<Vec<(u64, u64)>, Error> {
        let classes = match_population(&self.file.table, &population.table);
        let rows_of = |is_meant: fn(&&MatchedClass) -> bool| {
            let meant = classes.iter().filter(is_meant);
            meant.map(|class| u64::from(class.size)).sum::<u64>()
        };
        let unmatched = rows_of(|class| class.people == 0);
        let rows = u64::from(self.file.table.rows);
        if unmatched == rows && rows > 0 {
            return Err(Error::PopulationUnmatched {
                input: self.file.input.clone(),
                population: population.input.clone(),
            });
        }
        let too_few = rows_of(|class| class.people < class.size);
        if too_few > 0 {
            notes.push(format!(
                "{too_few} of {rows} rows match fewer people of the population than the file has in their class; the rows of \
                 the class count instead. Is {} the whole population, with these columns, and are the hierarchies those of \
                 the file?",
                population.input
            ));
        }
        // Whoever is in the file is in the population, whatever its table says.
        let crowds = classes.iter().map(|class| {
            let people = class.people.max(class.size);
            (u64::from(class.size), u64::from(people))
        });
        Ok(crowds.collect())
    }

    fn reidentified(&self, found: Reidentification) -> Reidentified {
        Reidentified {
            highest: found.highest,
            average: found.average,
            above_threshold: AboveThreshold {
                threshold: self.threshold,
                rows: found.rows_above,
                share: self.share(found.rows_above),
            },
        }
    }

    fn attribute_disclosure(&self) -> IndexMap<String, CertainRows> {
        let table = &self.file.table;
        let columns = table.columns.iter().enumerate();
        let certain = columns.map(|(at, column)| {
            let rows = certain_rows(&table.tuples, at);
            let found = CertainRows {
                certain_rows: rows,
                share: self.share(rows),
            };
            (column.name.clone(), found)
        });
        certain.collect()
    }

    /// Of the rows of the file.
    fn share(&self, rows: u64) -> f64 {
        match self.file.table.rows {
            0 => 0.0,
            all => rows as f64 / f64::from(all),
        }
    }
}

/// The least people of a class, and the shares of them that are in the file; none if there is no class.
fn matched(crowds: &[(u64, u64)]) -> Option<Matched> {
    let shares = crowds
        .iter()
        .map(|&(rows, people)| rows as f64 / people as f64);
    Some(Matched {
        k_map: crowds.iter().map(|&(_, people)| people).min()?,
        delta_presence: Presence {
            min: shares.clone().reduce(f64::min)?,
            max: shares.reduce(f64::max)?,
        },
    })
}

/// Rows of the classes in which all have the same value of a counted column.
pub(crate) fn certain_rows(classes: &FrequencySet, column: usize) -> u64 {
    let histograms = classes.histograms(column);
    let classes = classes.sizes().iter().enumerate();
    let certain = classes.filter(|(class, _)| histograms.class(*class).values.len() == 1);
    certain.map(|(_, &size)| u64::from(size)).sum()
}

fn estimates(sizes: &ClassSizes, population: u64) -> PopulationEstimates {
    let found = PopulationUniques::estimate(sizes, population);
    let share = |estimate: Result<f64, NoEstimate>| Some(estimate.ok()? / population as f64);
    let named = [
        ("pitman", found.pitman),
        ("zayatz", found.zayatz),
        ("snb", found.snb),
    ];
    let reasons = named.into_iter().filter_map(|(name, estimate)| {
        let reason = estimate.err()?;
        Some((name.to_owned(), reason.to_string()))
    });
    PopulationEstimates {
        size: population,
        pitman: found.pitman.ok(),
        zayatz: found.zayatz.ok(),
        snb: found.snb.ok(),
        shares: EstimatedShares {
            pitman: share(found.pitman),
            zayatz: share(found.zayatz),
            snb: share(found.snb),
        },
        reasons: reasons.collect(),
    }
}
