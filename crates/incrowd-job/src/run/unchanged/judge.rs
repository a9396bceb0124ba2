//! The thresholds for revealing columns.

use super::{Measures, Spread, TellingColumn};
use crate::error::Error;
use crate::report::outcome::{
    Exposed, GivenAway, GivenAwayBy, HomogeneousClasses, SingledOut, UnchangedColumn, UnchangedRole,
};
use crate::report::revealing::{Reason, RevealingColumn, loud, percent};
use crate::run::plan::Plan;
use crate::run::roles::{Evidence, ProposedRole, propose};
use crate::spec::Columns;
use incrowd_core::publish::Exposure;

/// A column that singles out at least this share of the rows is nearly unique: anyone who knows a person's value finds
/// the row. `inspect` calls such a column identifying whatever its name.
const NEARLY_UNIQUE: f64 = 0.25;

/// With fewer rows than this, values are unique because there are few rows, which says nothing about the column.
const FEWEST_ROWS: u64 = 10;

/// A column that determines at least this share of another is as good as a copy of it.
const AS_GOOD_AS_A_COPY: f64 = 0.9;

/// Kept columns and classes that together single out at least this share of the rows deserve a warning.
const MANY_TOGETHER: f64 = 0.05;

/// A column that reveals the sensitive value of at least this share of the rows with certainty, beyond chance,
/// undermines the protection of that column for too many people to be published without being named. It is the same
/// share as may be singled out within their classes before there is a warning.
const GIVES_MANY_AWAY: f64 = 0.05;

/// From this share on, it deserves a warning.
const GIVES_SOME_AWAY: f64 = 0.01;

/// The threshold from which a column counts as revealing.
#[derive(Clone, Copy)]
enum Limit<'a> {
    /// To be refused: only for sensitive columns that a model protects.
    Refused { promised: &'a [String] },
    /// To cause a warning.
    Warned,
}

impl Limit<'_> {
    fn is_reached(self, sensitive: &String, share: f64) -> bool {
        match self {
            Limit::Refused { promised } => share >= GIVES_MANY_AWAY && promised.contains(sensitive),
            Limit::Warned => share >= GIVES_SOME_AWAY,
        }
    }
}

impl Measures {
    /// The columns that reveal people.
    fn revealing(&self, limit: Limit<'_>) -> Vec<RevealingColumn> {
        let columns = self.columns.iter().map(|column| RevealingColumn {
            name: column.name.clone(),
            role: column.role,
            reasons: column.reasons(self.rows, limit),
        });
        columns
            .filter(|column| !column.reasons.is_empty())
            .collect()
    }
}

impl TellingColumn {
    fn reasons(&self, rows: u64, limit: Limit<'_>) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if self.role == UnchangedRole::Kept {
            let (role, because) = self.role(rows);
            let share = ratio(self.spread.singled_out, rows);
            if role == ProposedRole::Identifying {
                reasons.push(Reason::Identifying { because });
            } else if is_nearly_unique(share, rows) {
                reasons.push(Reason::NearlyUnique { share });
            }
        }
        let is_told = |column: &String| {
            let mut told = self.told.iter();
            told.any(|(other, share)| other == column && *share >= AS_GOOD_AS_A_COPY)
        };
        for (column, share) in &self.told {
            if is_told(column) {
                let (column, share) = (column.clone(), *share);
                reasons.push(Reason::Tells { column, share });
            }
        }
        for (column, given) in &self.given_away {
            let beyond_chance = given.beyond_chance / rows.max(1) as f64;
            if !is_told(column) && limit.is_reached(column, beyond_chance) {
                reasons.push(Reason::GivesAway {
                    column: column.clone(),
                    share: ratio(given.rows, rows),
                });
            }
        }
        reasons
    }

    /// The role `inspect` would propose.
    fn role(&self, rows: u64) -> (ProposedRole, String) {
        let evidence = Evidence {
            name: &self.name,
            kind: self.kind,
            rows,
            distinct: self.spread.distinct,
            unique_rows: self.spread.singled_out,
            looks: self.looks,
            middle: None,
        };
        let proposal = propose(&evidence, &Columns::default());
        (proposal.role, proposal.reason)
    }
}

/// Refuses to publish revealing columns unchanged, unless they are kept by name. `promised` are the sensitive columns
/// that a model protects.
pub(crate) fn refuse(
    measures: &Measures,
    promised: &[String],
    by_name: &[String],
) -> Result<(), Error> {
    let mut columns = measures.revealing(Limit::Refused { promised });
    columns.retain(|column| !by_name.contains(&column.name));
    match columns.is_empty() {
        true => Ok(()),
        false => Err(Error::RevealingColumns { columns }),
    }
}

/// What raw columns published unchanged reveal about quasi-identifiers, in words. The release does not show it, since
/// its quasi-identifiers are generalized.
pub(crate) fn raw_notes(measures: &Measures, plan: &Plan) -> Vec<String> {
    let generalized = plan.names_of(&plan.quasi_identifiers);
    let mut columns = measures.revealing(Limit::Warned);
    for column in &mut columns {
        column.reasons.retain(
            |reason| matches!(reason, Reason::Tells { column, .. } if generalized.contains(column)),
        );
    }
    columns.retain(|column| !column.reasons.is_empty());
    let note = |column: &RevealingColumn| {
        let told = column.reasons.iter().filter_map(|reason| match reason {
            Reason::Tells { column, .. } => Some(column),
            _ => None,
        });
        let role = column.role;
        let in_vain = in_vain(told);
        loud(format!(
            "in the raw table, {role} column {column}: {in_vain}"
        ))
    };
    let mut notes: Vec<String> = columns.iter().map(note).collect();
    let is_told = |other: &String| {
        let mut told = columns.iter().flat_map(|column| &column.reasons);
        told.any(|reason| matches!(reason, Reason::Tells { column, .. } if column == other))
    };
    let together = measures.told_together.iter();
    let together: Vec<&String> = together
        .filter(|(other, share)| *share >= AS_GOOD_AS_A_COPY && generalized.contains(other))
        .map(|(other, _)| other)
        .filter(|other| !is_told(other))
        .collect();
    if !together.is_empty() {
        notes.push(loud(format!(
            "in the raw table, the kept columns together determine {}: {}",
            listed(together.iter().copied()),
            in_vain(together.iter().copied())
        )));
    }
    notes
}

/// What follows if readers know the raw values of these quasi-identifiers.
fn in_vain<'a>(columns: impl Iterator<Item = &'a String>) -> String {
    format!(
        "generalizing {} is in vain, as readers can look up the raw value",
        listed(columns)
    )
}

fn listed<'a>(columns: impl Iterator<Item = &'a String>) -> String {
    let columns: Vec<String> = columns
        .map(|column| format!("`{}`", column.escape_debug()))
        .collect();
    columns.join(", ")
}

/// What is known about a published file besides its privacy models.
pub(crate) struct Published<'a> {
    /// Whose columns it has; `kept` may be more than it has.
    pub(crate) plan: &'a Plan,
    /// Rows published.
    pub(crate) rows: u64,
    pub(crate) exposure: &'a Exposure,
    /// Of the columns published unchanged.
    pub(crate) measures: &'a Measures,
}

impl Published<'_> {
    /// The figures about it.
    pub(crate) fn exposed(&self) -> Exposed {
        let Published {
            plan,
            rows,
            exposure,
            measures,
        } = *self;
        let counted = plan.counted();
        let homogeneous = plan.sensitive.iter().zip(&exposure.columns);
        let homogeneous = homogeneous.map(|(&column, exposed)| HomogeneousClasses {
            column: plan.names[column].clone(),
            classes: exposed.homogeneous_classes.into(),
            rows: exposed.homogeneous_rows.into(),
        });
        let unchanged = |column: String, role, spread: Spread| UnchangedColumn {
            column,
            role,
            distinct: spread.distinct,
            distinct_is_exact: spread.is_exact,
            singled_out: singled_out(spread, rows),
        };
        let of_roles = counted.iter().zip(&exposure.columns).map(|(at, exposed)| {
            let role = match plan.sensitive.contains(at) {
                true => UnchangedRole::Sensitive,
                false => UnchangedRole::Target,
            };
            let spread = Spread {
                distinct: exposed.distinct.into(),
                singled_out: exposed.rows_singled_out.into(),
                is_exact: true,
            };
            unchanged(plan.names[*at].clone(), role, spread)
        });
        let kept = self.kept();
        let kept = kept.map(|it| unchanged(it.name.clone(), UnchangedRole::Kept, it.spread));
        let mut exposed = Exposed {
            unchanged: of_roles.chain(kept).collect(),
            kept_with_classes: (measures.divided_classes).map(|it| singled_out(it, rows)),
            classes_of_one: exposure.classes_of_one.into(),
            homogeneous: homogeneous.collect(),
            given_away: self.given_away(),
            warnings: Vec::new(),
        };
        exposed.warnings = self.warnings(&exposed);
        exposed
    }

    fn kept(&self) -> impl Iterator<Item = &TellingColumn> {
        let columns = self.measures.columns.iter();
        columns.filter(|column| column.role == UnchangedRole::Kept)
    }

    /// For each sensitive column, what the other columns published unchanged reveal about it.
    fn given_away(&self) -> Vec<GivenAway> {
        let rows = self.rows;
        let given_away = self.measures.groups.iter().map(|groups| {
            let by = self.measures.columns.iter().flat_map(|teller| {
                let of_column = teller.given_away.iter();
                let of_column = of_column.filter(|(column, _)| *column == groups.column);
                of_column.map(move |(_, given)| GivenAwayBy {
                    column: teller.name.clone(),
                    rows: given.rows,
                    share: ratio(given.rows, rows),
                    is_exact: teller.spread.is_exact,
                })
            });
            GivenAway {
                column: groups.column.clone(),
                groups: groups.groups,
                rows: groups.rows,
                share: ratio(groups.rows, rows),
                is_exact: groups.is_exact,
                by: by.filter(|by| by.rows > 0).collect(),
            }
        });
        given_away.collect()
    }

    /// What a reader must know before trusting the release. It contains only what anybody can count in the published
    /// file.
    fn warnings(&self, exposed: &Exposed) -> Vec<String> {
        let mut warnings = Vec::new();
        let revealing = self.measures.revealing(Limit::Warned);
        for column in &revealing {
            let role = column.role;
            let mut warning = format!("{role} column {column}");
            if role == UnchangedRole::Sensitive {
                warning += ": a model that protects one does not limit what the other reveals";
            }
            warnings.push(warning);
        }
        for column in &exposed.unchanged {
            let share = column.singled_out.share;
            if column.role != UnchangedRole::Kept && is_nearly_unique(share, self.rows) {
                let (role, name) = (column.role, column.column.escape_debug());
                let share = percent(share);
                warnings.push(format!(
                    "{role} column `{name}` ({share} of rows have a unique value)"
                ));
            }
        }
        let by_role = |role: ProposedRole| -> Vec<String> {
            self.kept()
                .filter(|kept| kept.role(self.measures.rows).0 == role)
                .filter(|kept| revealing.iter().all(|column| column.name != kept.name))
                .map(|kept| format!("`{}`", kept.name.escape_debug()))
                .collect()
        };
        let sensitive = by_role(ProposedRole::Sensitive);
        if !sensitive.is_empty() {
            warnings.push(format!(
                "kept unchanged although they look sensitive; no privacy model protects them: {}",
                sensitive.join(", ")
            ));
        }
        let together = exposed.kept_with_classes;
        if let Some(together) = together.filter(|together| together.share >= MANY_TOGETHER) {
            warnings.push(format!(
                "the kept columns together split the classes and make {} of rows unique",
                together.in_words()
            ));
        }
        if exposed.homogeneous.is_empty() {
            return warnings;
        }
        if exposed.classes_of_one > 0 {
            warnings.push(match exposed.classes_of_one {
                1 => "1 class has only one row, so that person is not hidden".to_owned(),
                classes => {
                    format!("{classes} classes have only one row, so these people are not hidden")
                }
            });
        }
        for of_column in exposed.homogeneous.iter().filter(|it| it.classes > 0) {
            let name = of_column.column.escape_debug();
            let rows = match of_column.rows {
                1 => "1 row".to_owned(),
                rows => format!("{rows} rows"),
            };
            warnings.push(match of_column.classes {
                1 => format!("1 class ({rows}) has only one value of `{name}` and reveals it"),
                classes => format!(
                    "{classes} classes ({rows}) have only one value of `{name}` each and reveal it"
                ),
            });
        }
        for given in exposed
            .given_away
            .iter()
            .filter(|given| given.share >= MANY_TOGETHER)
        {
            warnings.push(format!(
                "the columns published unchanged together reveal `{}` within the classes for {} of rows",
                given.column.escape_debug(),
                given.in_words()
            ));
        }
        warnings
    }
}

fn is_nearly_unique(share: f64, rows: u64) -> bool {
    rows >= FEWEST_ROWS && share >= NEARLY_UNIQUE
}

fn singled_out(spread: Spread, rows: u64) -> SingledOut {
    SingledOut {
        rows: spread.singled_out,
        share: ratio(spread.singled_out, rows),
        is_exact: spread.is_exact,
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    match whole {
        0 => 0.0,
        whole => part as f64 / whole as f64,
    }
}
