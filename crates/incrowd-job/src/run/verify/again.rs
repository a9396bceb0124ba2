//! A release made again from the table and from what was published.
//!
//! What was lost, and how many rows were suppressed rather than blank, follows from the recoding. Levels are stated.
//! Other recodings are read from the published texts, each of which says what it stands for. They say nothing about
//! values whose rows are all suppressed, and a `*` may occur only in blank rows, or mean every value or just those that
//! are not listed. So there may be several readings. Only those that account for the rows of the file count, and a loss
//! counts as recomputed if it is the same in all of them. If a suppressed row has a value that none of the texts stands
//! for, this excludes metrics that charge such rows by the group they would have been in.

use super::{Looked, LookedOriginal};
use crate::error::Error;
use crate::report::certificate::Certificate;
use crate::report::research::RuleKept;
use crate::run::asked::asked_research_value;
use crate::run::describe;
use crate::run::models;
use crate::spec::{Job, RESEARCH_VALUE};
use incrowd_core::counts::{Attribute, CountedTable};
use incrowd_core::hierarchy::ANY;
use incrowd_core::lattice::Node;
use incrowd_core::privacy::PrivacyModel;
use incrowd_core::problem::{Guarantee, Problem, Proposal};
use incrowd_core::publish::{Release, publish};
use incrowd_core::recode::{ColumnRecoding, Grouping, Labels, Recoding};
use incrowd_core::utility::{Loss, MetricSpec, UtilityMetric};
use indexmap::IndexMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Why a loss that depends on rules is not recomputed.
pub(super) const NEEDS_RULES: &str = "depends on rules and weights: give the job file with `--job`";
pub(super) const DEPENDS_ON_SUPPRESSED: &str = "depends on values whose rows are all suppressed";

/// What a release made again shows.
pub(super) struct Again {
    /// Rows of classes that do not satisfy the privacy models.
    pub(super) rows_suppressed: u64,
    /// The loss by every metric, or why it is not known.
    pub(super) metrics: IndexMap<String, Result<f64, &'static str>>,
    /// Which rules the release keeps, or why that is not known.
    pub(super) rules: Result<Vec<RuleKept>, &'static str>,
}

impl Again {
    /// Makes a release again; none if no reading of the texts gives these rows. `levels` are those of a full-domain
    /// release.
    pub(super) fn of(
        stated: &Certificate,
        looked: &Looked,
        original: &LookedOriginal,
        levels: Option<&IndexMap<String, u8>>,
        job: Option<&Job>,
    ) -> Result<Option<Self>, Error> {
        let table = &original.table;
        let recodings = match levels {
            Some(levels) => {
                let node = Node::from_levels(levels.values().copied());
                vec![(ColumnRecoding::FullDomain(node), true)]
            }
            None if ["cuts", "partitions"].contains(&stated.reached.recoding.as_str()) => {
                readings(looked, table)
            }
            None => Vec::new(),
        };
        let request = &stated.request;
        let sensitive: Vec<usize> = (0..request.sensitive.len()).collect();
        if request.population.is_some() && table.population.is_none() {
            return Ok(None);
        }
        let models = models::build(&models::parse(&request.privacy)?, table, &sensitive)?;
        // Rules are stated by their hashes; the job has them.
        let (research, is_known) = match (&request.research_value, job) {
            (Some(_), Some(job)) => (asked_research_value(job)?, true),
            (stated, _) => (None, stated.is_none()),
        };
        let asked: MetricSpec = request.metric.parse()?;
        let asked = match &research {
            Some(research) if research.name() == asked.name() => research.clone(),
            _ => asked,
        };
        let specs = describe::metrics_told(&asked, research.as_ref(), table, &request.target)?;
        let of_experts = |metric: &dyn UtilityMetric| metric.name() == RESEARCH_VALUE;
        let mut metrics = Vec::new();
        for spec in &specs {
            metrics.push((spec.public_name(), spec.build(table)?));
        }
        let Some((_, least)) = metrics.first() else {
            return Ok(None);
        };
        let mut made: Vec<(u64, Vec<Loss>, Vec<RuleKept>)> = Vec::new();
        let mut is_told = true;
        for (recoding, is_whole) in recodings {
            let Some(release) = make(table, &models, &**least, recoding) else {
                continue;
            };
            if accounts_for(&release, looked, &request.suppressed) {
                is_told &= is_whole;
                let losses = metrics.iter().map(|(_, metric)| release.loss(&**metric));
                let losses = losses.collect();
                let rules = match &research {
                    Some(research) => {
                        let reached = describe::reached_research_value(research, &release)?;
                        describe::rules_kept(&reached)
                    }
                    None => Vec::new(),
                };
                made.push((release.rows_suppressed().into(), losses, rules));
            }
        }
        // If both would do, use the stated number of suppressed rows.
        let suppressed = |rows: u64| made.iter().any(|it| it.0 == rows);
        let Some(first) = made.first().map(|it| it.0) else {
            return Ok(None);
        };
        let rows_suppressed = match suppressed(stated.reached.rows_suppressed) {
            true => stated.reached.rows_suppressed,
            false => first,
        };
        made.retain(|it| it.0 == rows_suppressed);
        let losses = metrics.iter().enumerate().map(|(at, (name, metric))| {
            let loss = made[0].1[at];
            let is_told = is_told || !metric.reads_suppressed_groups();
            let is_same = made.iter().all(|it| it.1[at].is_about(loss));
            let told = match (is_known || !of_experts(&**metric), is_same && is_told) {
                (false, _) => Err(NEEDS_RULES),
                (true, false) => Err(DEPENDS_ON_SUPPRESSED),
                (true, true) => Ok(loss.0),
            };
            (name.clone(), told)
        });
        let metrics = losses.collect();
        // Groups may break rules whether or not their rows are published.
        let is_same = (is_told || made[0].2.is_empty()) && made.iter().all(|it| it.2 == made[0].2);
        Ok(Some(Again {
            rows_suppressed,
            metrics,
            rules: match (is_known, is_same) {
                (false, _) => Err(NEEDS_RULES),
                (true, false) => Err(DEPENDS_ON_SUPPRESSED),
                (true, true) => Ok(made.remove(0).2),
            },
        }))
    }
}

/// The release of a recoding, whatever it suppresses.
fn make<'a>(
    table: &'a CountedTable,
    models: &'a [Box<dyn PrivacyModel>],
    metric: &'a dyn UtilityMetric,
    recoding: ColumnRecoding,
) -> Option<Release<'a>> {
    let problem = Problem::new(table, models, metric).allow_suppressed(table.rows);
    let recoding: Arc<dyn Recoding> = Arc::new(recoding);
    let proposal = Proposal {
        recoding,
        guarantee: Guarantee::Heuristic,
        loss: None,
        nodes_checked: 0,
        steps: Vec::new(),
    };
    publish(&problem, &proposal).ok()
}

/// Whether a release matches the file, except for the rows themselves, which are compared elsewhere.
fn accounts_for(release: &Release<'_>, looked: &Looked, suppressed: &str) -> bool {
    let seen = &looked.verification;
    let Some(blank) = u64::from(release.rows_published()).checked_sub(seen.rows) else {
        return false;
    };
    let starred = match suppressed {
        "star" => blank + u64::from(release.rows_suppressed()),
        _ => blank,
    };
    let has_any = release.map().any_class().is_some();
    let classes = release.classes() as u64;
    let has_texts = |at: usize| {
        let made: BTreeSet<&str> = release.texts(at).into_iter().collect();
        let found = looked.texts(at);
        found.is_subset(&made)
            && made
                .iter()
                .all(|text| found.contains(text) || blank > 0 && *text == ANY)
    };
    starred == seen.rows_starred
        && (blank == 0 || has_any)
        && (classes == seen.classes || blank > 0 && classes == seen.classes + 1)
        && (0..looked.table.attributes.len()).all(has_texts)
}

/// The most readings tried: a few columns have two or three each, and each reading costs a check.
const MOST_READINGS: usize = 256;

/// The possible readings of a file's texts, each once, and whether the texts stand for all values of rows; nothing if
/// there are too many.
fn readings(looked: &Looked, table: &CountedTable) -> Vec<(ColumnRecoding, bool)> {
    let has_starred = looked.verification.rows_starred > 0;
    let mut readings: Vec<(Vec<Grouping>, bool)> = vec![(Vec::new(), true)];
    for (at, attribute) in table.attributes.iter().enumerate() {
        let mut of_column: Vec<(Grouping, bool)> = Vec::new();
        for reading in Reading::ALL {
            if reading.any_is_blank && !has_starred {
                continue;
            }
            if let Some(read) = reading.of(attribute, looked.texts(at))
                && !of_column.contains(&read)
            {
                of_column.push(read);
            }
        }
        if readings.len() * of_column.len() > MOST_READINGS {
            return Vec::new();
        }
        let longer = readings.iter().flat_map(|(before, is_whole)| {
            let with = |(grouping, is_whole_too): &(Grouping, bool)| {
                let columns = [before.as_slice(), std::slice::from_ref(grouping)].concat();
                (columns, *is_whole && *is_whole_too)
            };
            of_column.iter().map(with)
        });
        readings = longer.collect();
    }
    readings
        .into_iter()
        .map(|(columns, is_whole)| (ColumnRecoding::Partitions(columns), is_whole))
        .collect()
}

/// One reading of the texts of a column.
#[derive(Clone, Copy)]
struct Reading {
    /// Whether `*` occurs together with other texts, and so stands only for values that are not listed.
    any_is_beside_others: bool,
    /// Whether it occurs only in blank rows, and so in none that was counted.
    any_is_blank: bool,
    /// Whether the values that no text stands for form one group, or one group each.
    rest_is_together: bool,
}

impl Reading {
    const ALL: [Reading; 8] = {
        let mut all = [Reading {
            any_is_beside_others: true,
            any_is_blank: false,
            rest_is_together: false,
        }; 8];
        let mut at = 0;
        while at < 8 {
            all[at].any_is_beside_others = at & 1 == 0;
            all[at].rest_is_together = at & 2 != 0;
            all[at].any_is_blank = at & 4 != 0;
            at += 1;
        }
        all
    };

    /// The groups that these texts stand for, and whether they cover all rows; none if the texts are inconsistent.
    fn of(self, attribute: &Attribute, mut texts: BTreeSet<&str>) -> Option<(Grouping, bool)> {
        if self.any_is_blank {
            texts.insert(ANY);
        }
        let labels = Labels::new(attribute);
        let mut groups: Vec<Option<u32>> = vec![None; attribute.hierarchy.leaves()];
        for (group, text) in (0..).zip(&texts) {
            let leaves = labels.read(text, self.any_is_beside_others)?;
            for leaf in labels.order().leaves(&leaves) {
                let place = &mut groups[leaf as usize];
                if place.replace(group).is_some() {
                    return None;
                }
            }
        }
        let mut rows = groups.iter().zip(&attribute.rows_of_groups[0]);
        let is_whole = rows.all(|(group, rows)| group.is_some() || *rows == 0);
        let rest = texts.len() as u32;
        let groups: Vec<u32> = (rest..)
            .zip(groups)
            .map(|(own, group)| match self.rest_is_together {
                true => group.unwrap_or(rest),
                false => group.unwrap_or(own),
            })
            .collect();
        Some((Grouping::new(attribute, &groups), is_whole))
    }
}
