//! The data holder decides step by step, and sees before each step what it would do.
//!
//! A [`Session`] is the current state of a table: [`Session::view`] shows what each choice would do,
//! [`Session::choose`] makes one, [`Session::propose`] ends it. A dialogue, a script and the automatic choices are
//! three ways to drive it.

use super::properties::{Direction, GrowsWith, Optimum, Properties, Targets, Usage};
use super::{
    Algorithm, AlgorithmEntry, AlgorithmKind, DefaultBudget, Found, Generalization, Status,
    nothing_on_the_path,
};
use crate::Error;
use crate::counts::{FrequencySet, KnownSets, Work};
use crate::lattice::{Level, Node};
use crate::problem::{
    Action, Assessor, Guarantee, Interruption, Meter, Problem, Progress, Proposal, Step,
};
use crate::recode::ColumnRecoding;
use crate::registry::{Kind, Setting};
use crate::utility::Loss;
use hashbrown::HashSet;

crate::documented! {
    /// Lets the data holder raise one attribute at a time and decide when to suppress the rest.
    ///
    /// Starts with raw values. At each step, the data holder sees how many rows violate the privacy models and what
    /// raising each quasi-identifier by one level would do, and chooses: raise one, or suppress the rows that still
    /// violate, which ends the search. In a terminal this is a dialogue; `--script age,age,zip,suppress` makes the
    /// same choices without one.
    ///
    /// # Paper
    /// A. Hundepool, L. Willenborg, mu- and tau-Argus: Software for Statistical Disclosure Control, 1996; as
    /// summarized by F. Ben Fredj et al., Characterizing Generalization Algorithms, section 3.1.
    /// # Differs from the paper
    /// Works for every model. The original may suppress single values in the violating rows and checks only some
    /// combinations of attributes, so that its release need not be k-anonymous; here whole rows are suppressed,
    /// within the budget, every combination is checked, and more rows than the budget are refused. Without a script
    /// and without a dialogue, the choices are automatic: suppress as soon as the violating rows are within the
    /// budget; until then, raise the attribute that leaves the fewest of them, then the one with the lowest loss,
    /// then the one named first.
    /// # Guarantee
    /// Heuristic: the release is safe, with no guarantee about its loss. With models that do not survive merging,
    /// automatic choices can miss a solution; they fail only if the highest acceptable levels fail.
    /// # Needs
    /// Someone who chooses, or a script.
    /// # Invariant
    /// The current node is reached by the steps so far; nothing is suppressed before the last step.
    /// # Cost
    /// A roll-up for each attribute at each step.
    /// # Use cases
    /// Data holders who know which columns their readers can do without, and want to decide step by step what is given
    /// up.
    /// # Example
    /// With k = 2, the six patients `19 10th`, `19 9th`, `27 9th`, `30 9th`, `23 11th`, `23 11th` are published as
    /// `[19,23] Junior`, `[19,23] Junior`, `[27,30] Junior`, `[27,30] Junior`, `[19,23] Senior`, `[19,23] Senior`.
    /// Chosen automatically: first age, then education.
    /// # Alternatives
    /// `datafly` decides by itself. `optimal` finds what a patient data holder would find in the end. `negotiate` shows
    /// beforehand what is possible.
    /// # Measured
    /// Adult, 30162 rows: `incrowd compare adult.csv -q
    /// age,workclass,race,occupation,education,marital-status,sex,native-country -k 5 --max-suppressed 0 --target
    /// salary-class --others drop --hierarchies hierarchies` gives with automatic choices ncp 0.7817, loss 0.7175 and
    /// 48 classes after 81 combinations.
    #[derive(Debug)]
    pub struct MuArgus;
}

static ENTRY: AlgorithmEntry = AlgorithmEntry {
    name: "mu-argus",
    card: MuArgus::CARD,
    settings: &[Setting::optional(
        SCRIPT,
        Kind::Texts,
        "the choices to make: columns to raise by one level, one after the other, then `suppress`, as in \
         age,age,zip,suppress; without it you are asked in a terminal, and elsewhere the choices are automatic",
    )],
    kind: AlgorithmKind {
        status: Status::Experimental,
        generalization: Generalization::FullDomain,
        default_budget: DefaultBudget::NoRows,
        choices: Some(SCRIPT),
        properties: Properties {
            effort: GrowsWith::Tuples,
            needs_correlated: false,
            needs_number_hierarchies: true,
            uses_budget: true,
            targets: Targets::None,
            is_guided: true,
            reads_metric: true,
            is_heuristic: true,
            direction: Direction::BottomUp,
            has_several_results: false,
            optimum: Optimum::None,
            overlaps: false,
            usage: Usage::Any,
        },
    },
};

/// Why an interactive session cannot be interrupted.
const UNINTERRUPTED: &str = "nobody interrupts this";

/// The setting that makes the choices.
const SCRIPT: &str = "script";

/// Whether the choices are made beforehand.
pub(super) fn has_script(problem: &Problem<'_>) -> bool {
    problem.settings.own.is_given(SCRIPT)
}

/// The word that ends a script.
pub const SUPPRESS: &str = "suppress";

impl Algorithm for MuArgus {
    fn entry(&self) -> &'static AlgorithmEntry {
        &ENTRY
    }

    fn search(&self, problem: &Problem<'_>, meter: &Meter<'_>) -> Result<Found, Error> {
        let mut session = Session::start(problem, meter)?;
        match has_script(problem) {
            true => play(&mut session, problem.settings.own.texts(SCRIPT), meter)?,
            false => choose_automatically(&mut session, meter)?,
        }
        Ok(session.propose()?.into())
    }

    fn session<'a>(&self, problem: &Problem<'a>) -> Option<Session<'a>> {
        Some(Session::new(problem))
    }
}

fn play(session: &mut Session<'_>, script: &[String], meter: &Meter<'_>) -> Result<(), Error> {
    for (at, word) in script.iter().enumerate() {
        if session.is_finished() {
            return Err(Error::ScriptGoesOn {
                ended: at,
                choices: script.len(),
            });
        }
        let choice = session.choice(word)?;
        session.choose_metered(choice, meter)?;
    }
    Ok(())
}

fn choose_automatically(session: &mut Session<'_>, meter: &Meter<'_>) -> Result<(), Error> {
    loop {
        let standing = session.standing;
        if standing.rows_violating <= session.max_suppressed && standing.holds_as_a_whole {
            return session.choose_metered(Choice::Suppress, meter);
        }
        let previews = session.preview_metered(meter)?;
        let raises = previews.iter().enumerate();
        let best = raises
            .filter_map(|(attribute, preview)| {
                let preview = preview.as_ref()?;
                Some((preview.rows_violating, preview.loss, attribute))
            })
            .min();
        let Some((.., attribute)) = best else {
            let asked = Problem {
                max_suppressed: session.max_suppressed,
                ..session.problem.clone()
            };
            let violating = session.standing.rows_violating;
            return Err(nothing_on_the_path(&ENTRY, &asked, violating));
        };
        session.choose_metered(Choice::Raise(attribute), meter)?;
    }
}

/// What the data holder may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Raise a quasi-identifier by one level.
    Raise(usize),
    /// Suppress the violating rows, which ends the session.
    Suppress,
}

/// The state of a table at some node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// Rows in violating classes.
    pub rows_violating: u32,
    /// Rows of the smallest class, safe or not.
    pub smallest_class: u32,
    /// The loss if the violating rows were suppressed.
    pub loss: Loss,
    /// Whether the other classes together keep every promise about the whole release.
    pub holds_as_a_whole: bool,
}

/// What raising a quasi-identifier would do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preview {
    /// Its values in the table then.
    pub distinct: u32,
    /// Rows in violating classes then.
    pub rows_violating: u32,
    /// Rows of the smallest class then.
    pub smallest_class: u32,
    /// The loss then, if the violating rows were suppressed.
    pub loss: Loss,
}

/// What the data holder sees before a choice. Contains no cells.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Rows of the table.
    pub rows: u32,
    /// Rows that may be suppressed.
    pub max_suppressed: u32,
    /// The current state of the table.
    pub standing: Standing,
    /// The quasi-identifiers.
    pub attributes: Vec<AttributeView>,
    /// What was chosen so far.
    pub steps: Vec<Step>,
}

/// A quasi-identifier before a choice.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeView {
    /// Its name.
    pub name: String,
    /// Its level.
    pub level: Level,
    /// The highest acceptable level.
    pub max_level: Level,
    /// What its level is called.
    pub level_name: String,
    /// Its values in the table at this level.
    pub distinct: u32,
    /// What raising it would do; none at the highest acceptable level.
    pub raised: Option<Preview>,
}

/// A table being generalized.
#[derive(Debug)]
pub struct Session<'a> {
    /// The problem, but with every row allowed to be suppressed, so that every node has a loss.
    problem: Problem<'a>,
    max_suppressed: u32,
    known: KnownSets<'a>,
    node: Node,
    standing: Standing,
    /// What raising each attribute would do, once computed.
    previews: Option<Vec<Option<Preview>>>,
    steps: Vec<Step>,
    is_finished: bool,
    /// Nodes whose classes were counted.
    seen: HashSet<Node>,
}

impl<'a> Session<'a> {
    /// Every value raw.
    pub fn new(problem: &Problem<'a>) -> Self {
        Session::start(problem, &Meter::unlimited()).expect(UNINTERRUPTED)
    }

    fn start(problem: &Problem<'a>, meter: &Meter<'_>) -> Result<Self, Error> {
        let mut session = Session {
            max_suppressed: problem.max_suppressed,
            problem: Problem {
                max_suppressed: problem.table.rows,
                ..problem.clone()
            },
            known: KnownSets::new(problem.table, problem.columns_read(), problem.memory_limit),
            node: problem.lattice().bottom(),
            standing: Standing {
                rows_violating: 0,
                smallest_class: 0,
                loss: Loss(0.0),
                holds_as_a_whole: true,
            },
            previews: None,
            steps: Vec::new(),
            is_finished: false,
            seen: HashSet::new(),
        };
        session.go_to(problem.lattice().bottom(), meter)?;
        Ok(session)
    }

    /// The choice that a word stands for: `suppress`, or the name of a quasi-identifier.
    pub fn choice(&self, word: &str) -> Result<Choice, Error> {
        if word == SUPPRESS {
            return Ok(Choice::Suppress);
        }
        let mut attributes = self.problem.table.attributes.iter();
        match attributes.position(|attribute| attribute.name == word) {
            Some(attribute) => Ok(Choice::Raise(attribute)),
            None => Err(Error::NotAChoice {
                word: word.to_owned(),
                known: (self.problem.table.attributes.iter())
                    .map(|attribute| attribute.name.clone())
                    .collect(),
            }),
        }
    }

    /// Whether the violating rows were suppressed, which is the last step.
    pub fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// What was chosen so far.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// What raising each quasi-identifier would do; none if it is at its highest acceptable level.
    pub fn preview(&mut self) -> Vec<Option<Preview>> {
        let previews = self.preview_metered(&Meter::unlimited());
        previews.expect(UNINTERRUPTED)
    }

    fn preview_metered(&mut self, meter: &Meter<'_>) -> Result<Vec<Option<Preview>>, Error> {
        if let Some(previews) = &self.previews {
            return Ok(previews.clone());
        }
        let attributes = 0..self.node.len();
        let previews: Vec<Option<Preview>> = attributes
            .map(|attribute| self.preview_of(attribute, meter))
            .collect::<Result<_, Error>>()?;
        self.previews = Some(previews.clone());
        Ok(previews)
    }

    fn preview_of(
        &mut self,
        attribute: usize,
        meter: &Meter<'_>,
    ) -> Result<Option<Preview>, Error> {
        let level = self.node.level(attribute);
        if level >= self.problem.max_levels.level(attribute) {
            return Ok(None);
        }
        let mut classes = FrequencySet::default();
        let raised = self.node.with(attribute, level.above());
        let work = self.known.count(&raised, &mut classes);
        let standing = self.assess(&raised, &classes, work, meter)?;
        Ok(Some(Preview {
            distinct: self.problem.table.attributes[attribute].distinct(level.above()),
            rows_violating: standing.rows_violating,
            smallest_class: standing.smallest_class,
            loss: standing.loss,
        }))
    }

    /// Everything that helps to choose.
    pub fn view(&mut self) -> View {
        let previews = self.preview();
        let attributes = self.problem.table.attributes.iter().zip(self.node.levels());
        let highest = self.problem.max_levels.levels();
        View {
            rows: self.problem.table.rows,
            max_suppressed: self.max_suppressed,
            standing: self.standing,
            attributes: attributes
                .zip(highest)
                .zip(previews)
                .map(|(((attribute, level), max_level), raised)| AttributeView {
                    name: attribute.name.clone(),
                    level,
                    max_level,
                    level_name: attribute.hierarchy.level_name(level).to_owned(),
                    distinct: attribute.distinct(level),
                    raised,
                })
                .collect(),
            steps: self.steps.clone(),
        }
    }

    /// Makes a choice. A refused one changes nothing.
    pub fn choose(&mut self, choice: Choice) -> Result<(), Error> {
        self.choose_metered(choice, &Meter::unlimited())
    }

    fn choose_metered(&mut self, choice: Choice, meter: &Meter<'_>) -> Result<(), Error> {
        let rows_violating_before = self.standing.rows_violating;
        let action = match choice {
            Choice::Suppress if rows_violating_before > self.max_suppressed => {
                return Err(Error::TooManyToSuppress {
                    rows_violating: rows_violating_before,
                    max_suppressed: self.max_suppressed,
                    rows: self.problem.table.rows,
                });
            }
            Choice::Suppress if !self.standing.holds_as_a_whole => {
                return Err(Error::ReleasePromiseBroken);
            }
            Choice::Suppress => {
                self.is_finished = true;
                Action::Suppress
            }
            Choice::Raise(attribute) => {
                let level = self.node.level(attribute);
                let raised = &self.problem.table.attributes[attribute];
                if level >= self.problem.max_levels.level(attribute) {
                    return Err(Error::RaisedTooFar {
                        column: raised.name.clone(),
                        level,
                    });
                }
                let action = Action::Raise {
                    attribute,
                    level: level.above(),
                    distinct_before: raised.distinct(level),
                    distinct: raised.distinct(level.above()),
                };
                self.go_to(self.node.with(attribute, level.above()), meter)?;
                action
            }
        };
        // Suppressing nothing means accepting the release; it is not a step.
        if choice != Choice::Suppress || rows_violating_before > 0 {
            self.steps.push(Step {
                action,
                rows_violating_before,
                rows_violating: match choice {
                    Choice::Suppress => 0,
                    Choice::Raise(_) => self.standing.rows_violating,
                },
            });
        }
        Ok(())
    }

    /// Undoes the last raise; returns whether there was one.
    pub fn undo(&mut self) -> bool {
        self.is_finished = false;
        while let Some(step) = self.steps.pop() {
            if let Action::Raise {
                attribute, level, ..
            } = step.action
                && let Some(below) = level.below()
            {
                let below = self.node.with(attribute, below);
                self.go_to(below, &Meter::unlimited()).expect(UNINTERRUPTED);
                return true;
            }
        }
        false
    }

    /// The release as chosen. Violating rows must have been suppressed.
    pub fn propose(self) -> Result<Proposal, Error> {
        if !self.is_finished && self.standing.rows_violating > 0 {
            return Err(Error::ChoicesUnfinished {
                choices: self.steps.len(),
                rows_violating: self.standing.rows_violating,
                max_suppressed: self.max_suppressed,
                rows: self.problem.table.rows,
            });
        }
        if !self.standing.holds_as_a_whole {
            return Err(Error::ReleasePromiseBroken);
        }
        Ok(Proposal {
            recoding: ColumnRecoding::FullDomain(self.node).into(),
            guarantee: Guarantee::Heuristic,
            loss: None,
            nodes_checked: self.seen.len() as u64,
            steps: self.steps,
        })
    }

    fn go_to(&mut self, node: Node, meter: &Meter<'_>) -> Result<(), Error> {
        let (classes, work) = self.known.count_and_remember(&node);
        self.standing = self.assess(&node, &classes, work, meter)?;
        self.node = node;
        self.previews = None;
        Ok(())
    }

    /// Judges classes; `work` is the work of counting them.
    fn assess(
        &mut self,
        node: &Node,
        classes: &FrequencySet,
        work: Work,
        meter: &Meter<'_>,
    ) -> Result<Standing, Error> {
        self.seen.insert(node.clone());
        let nodes_checked = self.seen.len() as u64;
        meter.note(Progress {
            nodes_checked,
            ..Progress::default()
        });
        let mut assessor = Assessor::new(&self.problem).measuring_broken();
        let assessed = (meter.spend(work))
            .and_then(|()| assessor.assess_metered(node, classes, None, meter))
            .map_err(|why: Interruption| why.with_nothing_found(nodes_checked, meter.spent()))?;
        Ok(Standing {
            rows_violating: assessed.rows_suppressed,
            smallest_class: classes.sizes().iter().copied().min().unwrap_or(0),
            loss: (assessed.loss).expect("every row may be suppressed, and there is no limit"),
            holds_as_a_whole: assessed.holds_as_a_whole,
        })
    }
}
