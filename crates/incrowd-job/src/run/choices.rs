//! Choices that an algorithm leaves to the data holder.

use crate::error::Error;
use crate::report::outcome::{RaisedAttribute, StepAction, StepTaken};
use crate::run::control::Control;
use crate::spec::Job;
use incrowd_core::algorithms::Algorithm;
use incrowd_core::algorithms::mu_argus::{Choice, SUPPRESS, Session, View};
use incrowd_core::counts::CountedTable;
use incrowd_core::problem::{Action, Proposal, Step};

/// Someone who chooses.
pub trait Chooser {
    /// What to do, seeing what each choice would do.
    fn choose(&mut self, view: &View) -> Result<Decision, Error>;

    /// Told that the last decision cannot be, and why. The next question is the same again.
    fn refused(&mut self, error: &Error) -> Result<(), Error>;
}

/// What someone wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// This.
    Choose(Choice),
    /// Take the last step back.
    Undo,
}

/// Whether the job's algorithm leaves choices to the data holder that the job does not make.
pub fn leaves_choices(job: &Job) -> Result<bool, Error> {
    let algorithm = crate::run::asked::algorithm(job)?;
    Ok(algorithm.is_some_and(|algorithm| are_open(job, algorithm)))
}

/// Whether the algorithm leaves choices to the data holder that the job does not make.
pub(crate) fn are_open(job: &Job, algorithm: &dyn Algorithm) -> bool {
    let setting = algorithm.entry().kind.choices;
    setting.is_some_and(|setting| job.search.settings.get(setting).is_none())
}

/// Lets someone choose until there is a release.
pub(crate) fn make(
    mut session: Session<'_>,
    chooser: &mut dyn Chooser,
    control: &Control,
) -> Result<Proposal, Error> {
    while !session.is_finished() {
        control.check()?;
        let done = match chooser.choose(&session.view())? {
            Decision::Undo => {
                session.undo();
                Ok(())
            }
            Decision::Choose(choice) => session.choose(choice),
        };
        if let Err(error) = done {
            chooser.refused(&error.into())?;
        }
    }
    Ok(session.propose()?)
}

/// The steps as everybody reads them.
pub(crate) fn steps(steps: &[Step], table: &CountedTable) -> Vec<StepTaken> {
    let taken = |step: &Step| {
        let (action, raised) = match step.action {
            Action::Suppress => (StepAction::Suppress, None),
            Action::Raise {
                attribute,
                level,
                distinct_before,
                distinct,
            } => {
                let raised = &table.attributes[attribute];
                let raised = RaisedAttribute {
                    name: raised.name.clone(),
                    level: level.0,
                    level_name: raised.hierarchy.level_name(level).to_owned(),
                    distinct_before: distinct_before.into(),
                    distinct: distinct.into(),
                };
                (StepAction::Raise, Some(raised))
            }
        };
        StepTaken {
            action,
            raised,
            rows_violating_before: step.rows_violating_before.into(),
            rows_violating: step.rows_violating.into(),
        }
    };
    steps.iter().map(taken).collect()
}

/// The script that takes these steps.
pub(crate) fn script(steps: &[StepTaken]) -> Vec<String> {
    let word = |step: &StepTaken| match &step.raised {
        Some(raised) => raised.name.clone(),
        None => SUPPRESS.to_owned(),
    };
    steps.iter().map(word).collect()
}
