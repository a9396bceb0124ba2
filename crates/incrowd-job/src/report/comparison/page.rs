//! The page about a comparison, for readers who know their table but none of the terms.

use super::plots::{self, ByStrength, Drawn};
use super::tables;
use super::{Comparison, Run, RunReached};
use crate::report::explain::Family;
use crate::report::page::words::{bare, capitalized, count, figure, list, paragraph, shape};
use crate::report::page::{Html, Page, element, explained, section, terms, with};
use crate::report::pictured::{Pictured, before_and_after};

/// Everything that is on the page.
pub(crate) struct ComparisonPage<'a> {
    pub(crate) comparison: &'a Comparison,
    pub(crate) compared: Compared,
    /// What is drawn of each run that has a result.
    pub(crate) pictured: &'a [Option<Pictured>],
    /// None if no promise has a whole number that could be varied.
    pub(crate) by_strength: Option<ByStrength>,
}

/// What the algorithms were compared on.
pub(crate) struct Compared {
    /// The name of the table.
    pub(crate) table: String,
    /// Rows that take no part, as cells are missing.
    pub(crate) rows_excluded: u64,
    pub(crate) quasi_identifiers: Vec<String>,
    pub(crate) sensitive: Vec<String>,
    pub(crate) target: Vec<String>,
    /// Every promise as it is written, such as `k-anonymity(k=5)`.
    pub(crate) promises: Vec<String>,
    /// For each algorithm.
    pub(crate) time_limit: Option<String>,
}

/// The terms that the page itself uses.
const TERMS: [&str; 15] = [
    "release",
    "quasi-identifier",
    "sensitive",
    "class",
    "privacy model",
    "generalization",
    "hierarchy",
    "level",
    "recoding",
    "suppression",
    "budget",
    "metric",
    "loss",
    "guarantee",
    "gap",
];

impl ComparisonPage<'_> {
    /// The page.
    pub(crate) fn to_html(&self) -> String {
        let drawn = self.drawn();
        let mut sections = vec![
            section("short", "In short", self.in_short()),
            section("asked", "What was asked", self.asked()),
            section("reading", "How to read this page", reading()),
            section("results", "Results", self.results()),
            section("strength", "Privacy against detail", self.strength()),
        ];
        if !drawn.is_empty() {
            sections.extend([
                section("columns", "Loss by column", self.columns(&drawn)),
                section("classes", "Sizes of classes", classes(&drawn)),
                section(
                    "distributions",
                    "Before and after",
                    self.before_and_after(&drawn),
                ),
            ]);
        }
        sections.push(section("glossary", "Glossary", self.glossary()));
        let algorithms = count(self.comparison.runs.len() as u64, "algorithm", "algorithms");
        let page = Page {
            title: format!("{algorithms} compared on {}", self.compared.table),
            lead: paragraph(
                "An anonymized table hides people by showing less. This page compares how much less, for \
                 every way that was tried to keep the same promises.",
            ),
            sections,
            foot: paragraph(format!(
                "Made by incrowd {}. This page loads nothing and sends nothing.",
                env!("CARGO_PKG_VERSION")
            )),
        };
        page.finish()
    }

    /// The releases, in the order of the runs.
    fn drawn(&self) -> Vec<Drawn<'_>> {
        let runs = self.comparison.runs.iter().zip(self.pictured);
        let drawn = runs.filter_map(|(run, pictured)| {
            Some(Drawn {
                algorithm: &run.algorithm,
                recoding: &run.reached.as_ref()?.recoding,
                pictured: pictured.as_ref()?,
            })
        });
        drawn.collect()
    }

    /// The loss of a run by the metric that all are compared by.
    fn loss(&self, reached: &RunReached) -> Option<f64> {
        reached.metrics.get(&self.comparison.metric).copied()
    }

    /// Runs with a result, the lowest loss first.
    fn ranked(&self) -> Vec<(&Run, &RunReached, f64)> {
        let runs = self.comparison.runs.iter().filter_map(|run| {
            let reached = run.reached.as_ref()?;
            Some((run, reached, self.loss(reached)?))
        });
        let mut ranked: Vec<_> = runs.collect();
        ranked.sort_by(|one, other| one.2.total_cmp(&other.2));
        ranked
    }

    fn in_short(&self) -> Html {
        let ranked = self.ranked();
        let (found, tried) = (ranked.len(), self.comparison.runs.len());
        let metric = &self.comparison.metric;
        if ranked.is_empty() {
            return paragraph(format!(
                "None of the {tried} algorithms found a release that keeps the promises. Why, and what to do, is under \
                 Results."
            ));
        }
        let mut html = paragraph(format!(
            "{found} of {} found a release that keeps every promise. Ranked by `{metric}`, where lower means that more \
             detail is left, these are the best of each shape of release:",
            count(tried as u64, "algorithm", "algorithms"),
        ));
        let mut shapes: Vec<&str> = Vec::new();
        let mut items = Html::default();
        for (run, reached, loss) in &ranked {
            if shapes.contains(&reached.recoding.as_str()) {
                continue;
            }
            shapes.push(&reached.recoding);
            let same = ranked.iter().filter(|(other, of_other, of_loss)| {
                of_other.recoding == reached.recoding
                    && of_loss == loss
                    && other.algorithm != run.algorithm
            });
            let same: Vec<&str> = same.map(|(run, ..)| run.algorithm.as_str()).collect();
            let same = match same.len() {
                0 => String::new(),
                1 => format!(", as does {}", list(same)),
                _ => format!(", as do {}", list(same)),
            };
            let suppressed = match reached.rows_suppressed {
                0 => "leaves out no row".to_owned(),
                rows => format!("leaves out {}", count(rows, "row", "rows")),
            };
            items.push(element(
                "li",
                Html::prose(format!(
                    "{}: `{}` loses {}{same}; it {suppressed} and forms {}.",
                    capitalized(shape(&reached.recoding).0),
                    run.algorithm,
                    figure(*loss),
                    count(reached.classes, "class", "classes"),
                )),
            ));
        }
        html.push(element("ul", items));
        html.push(paragraph(
            "The finest release is not always the best one to publish: read what each shape means for those who will \
             work with the table. To make one of them, run `incrowd anonymize` with the same request and `--algorithm \
             NAME`.",
        ));
        html.push(with(
            "div",
            &[("class", "note")],
            Html::text(
                "Publish one release only. Several releases of one table can be matched with each other, and then \
                 hide less than each of them alone. This page quotes values from all of them, so treat it as you treat \
                 the table.",
            ),
        ));
        html
    }

    fn asked(&self) -> Html {
        let compared = &self.compared;
        let comparison = self.comparison;
        let mut list = Html::default();
        let mut row = |term: &str, meaning: Html| {
            list.push(element("dt", Html::text(term)));
            list.push(element("dd", meaning));
        };
        let mut rows = format!(
            "{}, with {} of the columns below",
            count(comparison.rows_in, "row", "rows"),
            count(
                comparison.tuples,
                "distinct combination",
                "distinct combinations"
            ),
        );
        if compared.rows_excluded > 0 {
            let excluded = count(compared.rows_excluded, "row takes", "rows take");
            rows = format!("{rows}; {excluded} no part, as cells are missing");
        }
        row("Table", Html::text(format!("{}: {rows}", compared.table)));
        let names = |names: &[String]| -> Html {
            let mut html = Html::default();
            for (at, name) in names.iter().enumerate() {
                if at > 0 {
                    html.push(Html::text(", "));
                }
                html.push(element("code", Html::text(name)));
            }
            html
        };
        let with_words = |columns: &[String], words: &str| -> Html {
            let mut html = names(columns);
            html.push(Html::text(format!(" – {words}")));
            html
        };
        row(
            "Columns to blur",
            with_words(
                &compared.quasi_identifiers,
                "others may know these about a person (quasi-identifiers)",
            ),
        );
        if !compared.sensitive.is_empty() {
            let words = "must not be linked to a person (sensitive)";
            row("Columns to protect", with_words(&compared.sensitive, words));
        }
        if !compared.target.is_empty() {
            let words = "should still be predictable (target)";
            row("Columns to predict", with_words(&compared.target, words));
        }
        let promises = compared.promises.iter().map(|promise| {
            let mut html = element("code", Html::text(promise));
            html.push(Html::text(": "));
            html.push(explained(Family::Model, bare(promise)));
            element("div", html)
        });
        row("Promises", promises.collect());
        let mut budget = match comparison.max_suppressed {
            0 => "none".to_owned(),
            rows => format!("up to {}", count(rows, "row", "rows")),
        };
        if comparison.budget_is_assumed {
            budget += ". The request does not say how many. Some algorithms would assume fewer by themselves; all were \
                       given the same, so that they can be compared.";
        }
        row("May be left out", Html::text(budget));
        let mut metric = element("code", Html::text(&comparison.metric));
        metric.push(Html::text(": "));
        metric.push(explained(Family::Metric, bare(&comparison.metric)));
        let differs = (comparison.runs.iter()).any(|run| run.metric != comparison.metric);
        if differs {
            metric.push(Html::text(
                " The request does not name a measure, so each algorithm minimized its own.",
            ));
        }
        row("Compared by", metric);
        if let Some(limit) = &compared.time_limit {
            row(
                "Time",
                Html::text(format!("up to {limit} for each algorithm")),
            );
        }
        with("dl", &[("class", "asked")], list)
    }

    fn results(&self) -> Html {
        let mut html = paragraph(
            "One line for each algorithm; the lowest figure of a column is bold. Choose a heading to sort by it.",
        );
        html.push(tables::summary(self.comparison));
        let every = element(
            "summary",
            Html::text("Every measure that can be taken of these releases"),
        );
        let every = [every, tables::measures(self.comparison)];
        if !self.ranked().is_empty() {
            html.push(element("details", every.into_iter().collect()));
        }
        if let Some(rules) = tables::rules(self.comparison) {
            html.push(element("h3", Html::text("Rules of experts")));
            html.push(rules);
        }
        let failed: Vec<&Run> = (self.comparison.runs.iter())
            .filter(|run| run.failed.is_some())
            .collect();
        if !failed.is_empty() {
            html.push(element("h3", Html::text("Without a result")));
            html.push(tables::failed(&failed));
        }
        let stopped = self.comparison.runs.iter().filter_map(|run| {
            let stopped = run.reached.as_ref()?.stopped?;
            let text = format!("`{}`: {}.", run.algorithm, stopped.in_words());
            Some(element("li", Html::prose(text)))
        });
        let stopped: Html = stopped.collect();
        if !stopped.is_empty() {
            html.push(element("h3", Html::text("Stopped early")));
            html.push(element("ul", stopped));
        }
        html
    }

    fn strength(&self) -> Html {
        let metric = &self.comparison.metric;
        let Some(found) = &self.by_strength else {
            return paragraph(
                "Not drawn: none of the promises has a whole number, such as the k of k-anonymity, that could be \
                 raised step by step.",
            );
        };
        let mut text = format!(
            "The same request with weaker and stronger promises: `{}` of `{}` is varied, everything else stays as \
             asked. A line that stays low keeps detail although people are hidden in larger crowds.",
            found.parameter, found.model
        );
        if self.comparison.budget_is_assumed {
            text += " With each promise, all algorithms may leave out the same number of rows: the most that any of them \
                     assumes.";
        }
        let mut html = paragraph(text);
        html.push(plots::by_strength(found, &self.comparison.runs, metric));
        html
    }

    fn columns(&self, drawn: &[Drawn<'_>]) -> Html {
        let mut html = paragraph(
            "How wide the published values of each column are, on average over rows: a range that covers half of all \
             values costs 50 %, a row left out costs 100 %. This is the width (`ncp`) of the table above, column by \
             column. It shows which column pays for the privacy of the others.",
        );
        html.push(plots::by_column(drawn, &self.compared.quasi_identifiers));
        html
    }

    fn before_and_after(&self, drawn: &[Drawn<'_>]) -> Html {
        let mut html = paragraph(
            "How the rows are spread over the values of each column: in the table, and as a reader of the release sees \
             it. More bars mean that the release tells more values apart; bars of similar length mean that its shares \
             are right. Rows left out of a release count in the table only.",
        );
        html.push(paragraph(
            "Only values that the release publishes are shown. Where ranges overlap, the rows of a range are spread \
             evenly over it, as a reader would who knows nothing else. Shares of the table are rounded, and left out \
             where they could say more about a single person than the release does.",
        ));
        let best = self.ranked();
        let best = best.first().map(|(run, ..)| run.algorithm.as_str());
        for release in drawn {
            let is_best = Some(release.algorithm) == best;
            let mut summary = element("code", Html::text(release.algorithm));
            let words = shape(release.recoding).0;
            summary.push(Html::text(match is_best {
                true => format!(": {words} (lowest loss)"),
                false => format!(": {words}"),
            }));
            let content = [
                element("summary", summary),
                before_and_after(release.pictured),
            ];
            let attributes: &[(&str, &str)] = match is_best {
                true => &[("open", "")],
                false => &[],
            };
            html.push(with("details", attributes, content.into_iter().collect()));
        }
        with("div", &[("class", "prints")], html)
    }

    fn glossary(&self) -> Html {
        let comparison = self.comparison;
        let metrics = comparison.names(|run| run.metrics.keys().map(String::as_str));
        let reached = || {
            comparison
                .runs
                .iter()
                .filter_map(|run| run.reached.as_ref())
        };
        let promises = self.compared.promises.iter();
        let algorithms = comparison.runs.iter().map(|run| run.algorithm.as_str());
        let mut html = paragraph("The words of this page. `incrowd explain NAME` prints the same.");
        html.push(terms(
            (TERMS.into_iter().map(|term| (Family::Term, term)))
                .chain(reached().map(|it| (Family::Term, shape(&it.recoding).1)))
                .chain(promises.map(|promise| (Family::Model, bare(promise))))
                .chain(metrics.iter().map(|metric| (Family::Metric, bare(metric))))
                .chain(algorithms.map(|name| (Family::Algorithm, name))),
        ));
        html
    }
}

fn reading() -> Html {
    let mut html = paragraph(
        "Some columns, such as age or place, do not name a person, but several of them together can point to one. In an \
         anonymized table, the release, these columns are blurred: 34 becomes 30-39, a town becomes its district. Rows \
         that look alike afterwards form a class. The larger its class, the better a person is hidden; the finer the \
         values, the more the release is worth. Everything on this page is about that trade-off.",
    );
    html.push(paragraph(
        "Every release on this page keeps the promises above. They were checked by code that shares nothing with the \
         algorithms. So the algorithms differ only in what they lose: in every measure here, lower is better.",
    ));
    html
}

fn classes(drawn: &[Drawn<'_>]) -> Html {
    let mut html = paragraph(
        "In how large a crowd each person is hidden. Promises set the smallest class; classes far above that blur more \
         than they have to.",
    );
    html.push(plots::class_sizes(drawn));
    html
}

#[cfg(test)]
mod tests;
