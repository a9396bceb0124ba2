//! What else could have been had: the same algorithm with promises a little stronger or weaker and with a larger budget,
//! and the neighbors of the release in the lattice.
//!
//! Everything runs on the counted table. Searches are limited by steps and not by time, so that the same page is written
//! on every machine.

use super::without_values;
use crate::error::Error;
use crate::report::released::{
    Alternative, Alternatives, Change, Choice, Neighbor, Nothing, Step, Tried,
};
use crate::run::asked::Asked;
use crate::run::control::Control;
use crate::run::counted::FirstPass;
use crate::run::models;
use crate::run::solve::{measured, solve, without_unsafe_columns};
use crate::spec::{Job, WorkLimit};
use incrowd_core::algorithms::{Algorithm, Solved};
use incrowd_core::lattice::{Level, Node};
use incrowd_core::privacy::{Decimal, Direction, ModelSpec, PrivacyModel};
use incrowd_core::problem::{Assessor, Problem};
use incrowd_core::publish::Release;
use incrowd_core::recode::ColumnRecoding;
use incrowd_core::registry::Kind;

/// What each search may do, in steps: twice what the search for the release took, within these bounds. About a second,
/// and a few seconds at most.
const LEAST_STEPS: u64 = 25_000_000;
const MOST_STEPS: u64 = 100_000_000;
/// Of more promises, the others are left as they are.
const MOST_PROMISES: usize = 2;
/// Weaker promises that are tried before giving up.
const MOST_WEAKER: usize = 2;
/// Tuples of all neighbors together that are counted at most.
const MOST_TUPLES: usize = 50_000_000;
/// The sizes of classes that people ask for.
const SIZES: [u32; 12] = [2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 10_000, 100_000];

/// What a search finds.
type Found = Result<Choice, Nothing>;

/// A release, and everything that is needed to look for others.
pub(crate) struct Trial<'a> {
    pub(crate) job: &'a Job,
    pub(crate) asked: &'a Asked,
    pub(crate) first_pass: &'a FirstPass,
    pub(crate) algorithm: &'static dyn Algorithm,
    pub(crate) problem: &'a Problem<'a>,
    pub(crate) control: &'a Control,
    /// Whether a person made the choices, who would have to make them again.
    pub(crate) is_chosen_by_hand: bool,
}

impl Trial<'_> {
    /// What else could have been had in place of this.
    pub(crate) fn alternatives(&self, solved: &Solved) -> Result<Alternatives, Error> {
        let (published, reached, node) =
            measured((self.job, self.control), self.problem, solved, |release| {
                let worst = release.reached().iter().map(|reached| reached.worst);
                let choice = self.choice(release, solved)?;
                Ok((
                    choice,
                    worst.collect::<Vec<Option<f64>>>(),
                    release.node().cloned(),
                ))
            })?;
        if self.job.output.report_is_for_readers {
            let reason = "the data holder keeps to themselves what else was possible";
            return Ok(Alternatives {
                published,
                tried: Err(reason),
                steps: Err(reason),
            });
        }
        Ok(Alternatives {
            tried: self.tried(solved, &published, &reached)?,
            steps: match node {
                Some(node) => self.steps(&node)?,
                None => Err(
                    "columns of this release mix levels, so it is no point of the lattice; the requests above show what \
                     stronger and weaker promises cost",
                ),
            },
            published,
        })
    }

    fn choice(&self, release: &Release<'_>, solved: &Solved) -> Result<Choice, Error> {
        let metric = self.asked.metric.build(&self.first_pass.table)?;
        Ok(Choice {
            loss: release.loss(&*metric).0,
            rows_suppressed: release.rows_suppressed().into(),
            smallest_class: release.smallest_class().into(),
            levels: (release.node()).map(|node| node.levels().map(|level| level.0).collect()),
            is_final: solved.stopped.is_none(),
        })
    }

    /// The same algorithm with other requests.
    fn tried(
        &self,
        solved: &Solved,
        published: &Choice,
        reached: &[Option<f64>],
    ) -> Result<Tried, Error> {
        if self.is_chosen_by_hand {
            return Ok(Err(
                "a person made the choices, who would have to make them again",
            ));
        }
        if self.control.is_asked_for_best() {
            return Ok(Err("the search was ended by hand"));
        }
        let steps = solved.work.saturating_mul(2);
        let most = WorkLimit::of_steps(steps.clamp(LEAST_STEPS, MOST_STEPS));
        let job = &self.job.with_work_at_most(most);
        let specs = &self.asked.models;
        let mut tried = Vec::new();
        for (varied, spec) in specs.iter().enumerate().take(MOST_PROMISES) {
            let Some(ladder) = self.ladder(spec, reached) else {
                continue;
            };
            let with = |parameter: Decimal| -> Result<Option<(String, Found)>, Error> {
                let mut specs = specs.clone();
                let Ok(other) = spec.clone().with_main(parameter) else {
                    return Ok(None);
                };
                specs[varied] = other.clone();
                let found = self.with_promises(job, &specs)?;
                Ok(Some((without_values(&other), found)))
            };
            if let Some(parameter) = ladder.safer
                && let Some((promise, found)) = with(parameter)?
            {
                let change = Change::Safer { promise };
                tried.push(Alternative { change, found });
            }
            for parameter in ladder.weaker {
                let Some((promise, found)) = with(parameter)? else {
                    continue;
                };
                let found = Ok(at_least_as_good(found, published));
                let is_better = (found.as_ref()).is_ok_and(|found| found.loss < published.loss);
                let change = Change::Weaker { promise };
                tried.push(Alternative { change, found });
                if is_better {
                    break;
                }
            }
        }
        let rows = self.first_pass.table.rows;
        let budget = match self.problem.max_suppressed {
            0 => rows.div_ceil(100),
            budget => budget.saturating_mul(2).min(rows),
        };
        if budget > self.problem.max_suppressed {
            tried.push(Alternative {
                change: Change::Budget {
                    rows: budget.into(),
                },
                found: Ok(at_least_as_good(
                    self.solved(job, self.problem.models, budget)?,
                    published,
                )),
            });
        }
        Ok(Ok(tried))
    }

    /// Other strengths of a promise; none if it has no number.
    fn ladder(&self, spec: &ModelSpec, reached: &[Option<f64>]) -> Option<Ladder> {
        let setting = spec.entry().settings.first()?;
        let asked = spec.given().text(setting.name)?.parse().ok()?;
        let models = self.problem.models.iter().zip(reached);
        let own = models.filter(|(model, _)| model.entry().name == spec.name());
        let direction = own.clone().next()?.0.direction();
        // A promise may be about several columns.
        let worst = own.filter_map(|(_, worst)| *worst);
        let worst = worst.reduce(|one, other| match direction {
            Direction::AtLeast => one.min(other),
            Direction::AtMost | Direction::Below => one.max(other),
        });
        Some(Ladder::of(
            setting.kind,
            setting.name,
            asked,
            direction,
            worst,
        ))
    }

    fn with_promises(&self, job: &Job, specs: &[ModelSpec]) -> Result<Found, Error> {
        let table = &self.first_pass.table;
        let sensitive: Vec<usize> = (0..self.asked.plan.sensitive.len()).collect();
        let models = models::build(specs, table, &sensitive)?;
        if models::check_reach(&models, table).is_err() {
            return Ok(Err(Nothing::OutOfReach));
        }
        self.solved(job, &models, self.problem.max_suppressed)
    }

    /// What the algorithm finds.
    fn solved(
        &self,
        job: &Job,
        models: &[Box<dyn PrivacyModel>],
        max_suppressed: u32,
    ) -> Result<Found, Error> {
        let table = &self.first_pass.table;
        let metric = self.asked.metric.build(table)?;
        let found = (self.asked)
            .problem(job, self.first_pass, models, &*metric, self.algorithm)
            .map(|problem| problem.allow_suppressed(max_suppressed))
            .and_then(|problem| without_unsafe_columns(job, self.algorithm, problem, self.control))
            .and_then(|problem| {
                let solved = solve(job, self.algorithm, &problem, None, self.control)?;
                measured((self.job, self.control), &problem, &solved, |release| {
                    self.choice(release, &solved)
                })
            });
        self.control.check()?;
        Ok(found.map_err(|_| Nothing::NotFound))
    }

    /// One column, one level finer or coarser, for every column.
    fn steps(&self, node: &Node) -> Result<Result<Vec<Step>, &'static str>, Error> {
        let table = &self.first_pass.table;
        if (2 * node.len()).saturating_mul(table.tuples.len()) > MOST_TUPLES {
            return Ok(Err(
                "the table has too many different rows to count every neighbor",
            ));
        }
        let metric = self.asked.metric.build(table)?;
        let problem = (self.problem.clone())
            .minimize(&*metric)
            .allow_suppressed(table.rows);
        let mut assessor = Assessor::new(&problem);
        let mut assess = |column: usize, level: Level| {
            let neighbor = ColumnRecoding::FullDomain(node.with(column, level));
            let assessed = assessor.assess_recoding(&neighbor);
            Some(Neighbor {
                rows_suppressed: assessed.rows_suppressed.into(),
                loss: assessed.loss?.0,
            })
        };
        let mut steps = Vec::new();
        for (at, attribute) in table.attributes.iter().enumerate() {
            self.control.check()?;
            let level = node.level(at);
            let is_acceptable = level < problem.max_levels.level(at);
            steps.push(Step {
                column: attribute.name.clone(),
                level: level.0,
                finer: (level.0.checked_sub(1)).and_then(|finer| assess(at, Level(finer))),
                coarser: (is_acceptable.then_some(level.0 + 1))
                    .and_then(|coarser| assess(at, Level(coarser))),
            });
        }
        Ok(Ok(steps))
    }
}

/// What is found for a weaker request. What is published meets it too, so nothing worse is an answer.
fn at_least_as_good(found: Found, published: &Choice) -> Choice {
    match found {
        Ok(found) if found.loss <= published.loss => found,
        _ => Choice {
            is_final: false,
            ..published.clone()
        },
    }
}

/// Other strengths of a promise.
#[derive(Debug, PartialEq)]
struct Ladder {
    /// The next one that is stronger than what was reached anyway.
    safer: Option<Decimal>,
    /// The next weaker ones.
    weaker: Vec<Decimal>,
}

impl Ladder {
    fn of(
        kind: Kind,
        name: &str,
        asked: Decimal,
        direction: Direction,
        reached: Option<f64>,
    ) -> Self {
        let (up, down) = Self::around(kind, name, asked.to_f64());
        let is_useful = |number: &Decimal| {
            let promises = match kind {
                Kind::Count | Kind::AtLeastOne => *number >= 2.into(),
                Kind::Share | Kind::Distance => *number < Decimal::ONE,
                _ => true,
            };
            kind.allows(*number) && promises && *number != asked
        };
        let numbers = |list: Vec<f64>| {
            let decimals = list.into_iter().filter_map(Decimal::from_f64);
            decimals.filter(is_useful).collect::<Vec<_>>()
        };
        let (safer, mut weaker) = match direction {
            Direction::AtLeast => (numbers(up), numbers(down)),
            Direction::AtMost | Direction::Below => (numbers(down), numbers(up)),
        };
        weaker.truncate(MOST_WEAKER);
        let is_new = |number: &Decimal| {
            reached.is_none_or(|reached| match direction {
                Direction::AtLeast => number.to_f64() > reached,
                Direction::AtMost | Direction::Below => number.to_f64() < reached,
            })
        };
        Ladder {
            safer: safer.into_iter().find(is_new),
            weaker,
        }
    }

    /// Numbers above and below, the nearest first.
    fn around(kind: Kind, name: &str, asked: f64) -> (Vec<f64>, Vec<f64>) {
        match (kind, name) {
            (Kind::Count, "k") => {
                let sizes = SIZES.map(f64::from);
                let above = sizes.iter().copied().filter(|size| *size > asked);
                let below = sizes.iter().rev().copied().filter(|size| *size < asked);
                (above.collect(), below.collect())
            }
            (Kind::Count | Kind::AtLeastOne, _) => {
                let steps = (1..=20).map(f64::from);
                (
                    steps.clone().map(|step| asked + step).collect(),
                    steps.map(|step| asked - step).collect(),
                )
            }
            _ => {
                let rounded = |number: f64| (number * 1e4).round() / 1e4;
                (
                    [1.25, 1.5, 2.0, 4.0]
                        .map(|factor| rounded(asked * factor))
                        .into(),
                    [0.8, 0.5, 0.25, 0.1]
                        .map(|factor| rounded(asked * factor))
                        .into(),
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ladder(kind: Kind, name: &str, asked: &str, direction: Direction, reached: f64) -> Ladder {
        let asked = Decimal::with_sign(asked).unwrap();
        Ladder::of(kind, name, asked, direction, Some(reached))
    }

    fn texts(numbers: &[Decimal]) -> Vec<String> {
        numbers.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_next_safer_promise_is_stronger_than_what_is_reached_anyway() {
        let k = ladder(Kind::Count, "k", "5", Direction::AtLeast, 12.0);
        assert_eq!(k.safer, Some(20.into()));
        assert_eq!(texts(&k.weaker), ["3", "2"]);
        let l = ladder(Kind::Count, "l", "2", Direction::AtLeast, 2.0);
        assert_eq!(l.safer, Some(3.into()));
        assert!(l.weaker.is_empty(), "one value promises nothing");
        let t = ladder(Kind::Distance, "t", "0.2", Direction::AtMost, 0.11);
        assert_eq!(texts(&[t.safer.unwrap()]), ["0.1"]);
        assert_eq!(texts(&t.weaker), ["0.25", "0.3"]);
        let wide = ladder(Kind::Distance, "t", "0.9", Direction::AtMost, 0.9);
        assert!(wide.weaker.is_empty(), "a distance of 1 promises nothing");
    }
}
