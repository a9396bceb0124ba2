//! The page about a release, from the verdict to the words it uses.

use super::{Released, alternatives, asked, check, columns, lost, protected, risks};
use crate::report::explain::Family;
use crate::report::page::words::{bare, count, paragraph, percent_in_words, shape};
use crate::report::page::{Cell, Head, Html, Page, Table, element, section, terms, with};
use crate::report::research::RuleKept;
use incrowd_plot::grouped;

/// The terms that the page itself uses.
const TERMS: [&str; 16] = [
    "release",
    "quasi-identifier",
    "sensitive",
    "class",
    "privacy model",
    "generalization",
    "hierarchy",
    "level",
    "suppression",
    "budget",
    "metric",
    "loss",
    "guarantee",
    "prosecutor",
    "journalist",
    "marketer",
];

impl Released<'_> {
    /// The page.
    pub(crate) fn to_html(&self) -> String {
        let mut sections = vec![
            section("asked", "What was asked", asked::section(self)),
            section(
                "columns",
                "What was done to each column",
                columns::section(self),
            ),
            section(
                "protected",
                "What is protected, and against whom",
                protected::section(self),
            ),
            section("lost", "What was lost", lost::section(self)),
            section(
                "alternatives",
                "What else was possible",
                alternatives::section(self),
            ),
            section("risk", "Risk before and after", risks::section(self)),
        ];
        let rules = &self.certificate.reached.rules;
        if !rules.is_empty() {
            sections.push(section("rules", "Rules of experts", rules_kept(rules)));
        }
        sections.push(section(
            "certificate",
            "Certificate, and how to check it",
            check::section(self),
        ));
        sections.push(section(
            "reveals",
            "What this report itself reveals",
            check::reveals(self),
        ));
        sections.push(section("glossary", "Words used here", self.glossary()));
        let page = Page {
            title: match self.files.release_is_file {
                true => format!("Report on the release {}", self.files.release),
                false => "Report on a release".to_owned(),
            },
            lead: self.verdict(),
            sections,
            foot: paragraph(format!(
                "Made by incrowd {}. This page loads nothing and sends nothing.",
                env!("CARGO_PKG_VERSION")
            )),
        };
        page.finish()
    }

    /// What is published, for whom it is safe, and what it cost.
    fn verdict(&self) -> Html {
        let outcome = self.outcome;
        let request = &self.certificate.request;
        let files = &self.files;
        let mut html = Html::default();
        let mut text = match files.release_is_file {
            true => element("code", Html::text(&files.release)),
            false => Html::text("The release"),
        };
        let mut say = |words: String| text.push(Html::prose(words));
        if outcome.rows_out == 0 {
            say(format!(
                " is the anonymized form of a table of {}, but nothing is left of it: no row is published with a value.",
                count(outcome.rows_in, "row", "rows")
            ));
            html.push(element("p", text));
            return html;
        }
        say(format!(
            " is an anonymized table of {}. It was made from ",
            count(outcome.rows_out, "row", "rows")
        ));
        text.push(element("code", Html::text(&files.table)));
        let unchanged = outcome.exposed.unchanged.len() as u64;
        let blurred = request.quasi_identifiers.len() as u64;
        let left_out = outcome.rows_in - outcome.rows_out;
        let mut say = |words: String| text.push(Html::prose(words));
        say(match left_out {
            0 => ", with every row of it: ".to_owned(),
            rows => format!(
                ", without {} of its {}: ",
                grouped(rows as f64),
                count(outcome.rows_in, "row", "rows")
            ),
        });
        say(format!(
            "{} be known to others and {} blurred as far as needed, {} published as {}, {} not published. ",
            count(blurred, "column could", "columns could"),
            if blurred == 1 { "is" } else { "are" },
            count(unchanged, "is", "are"),
            if unchanged == 1 { "it is" } else { "they are" },
            count(request.dropped.len() as u64, "is", "are"),
        ));
        let risk = &self.facts.risk.after;
        let has_crowds = self.has_crowds();
        say(match outcome.smallest_class {
            _ if has_crowds => {
                "Missing cells could be any value, so people are hidden among all rows that could be theirs, not only among \
                 rows that are equal; how many these are, the promises say. "
                    .to_owned()
            }
            1 => "At least one person is alone in the blurred columns, and can be found by whoever knows them. "
                .to_owned(),
            smallest => format!(
                "In the blurred columns every person looks like at least {}, so that somebody who knows these columns about \
                 a person, and that the person is in the table, finds the right row with a chance of at most {}. ",
                count(smallest.saturating_sub(1), "other", "others"),
                protected::one_in(risk.highest)
            ),
        });
        let widths = &self.facts.pictured.widths;
        if !widths.is_empty() {
            let width = widths.iter().sum::<f64>() / widths.len() as f64;
            say(format!(
                "The price: over all blurred columns, {} of the detail is lost (0 %: as exact as the table; 100 %: nothing \
                 is left). ",
                percent_in_words(width)
            ));
        }
        let learned = (risk.certain.iter()).max_by(|one, other| one.1.total_cmp(&other.1));
        let learned = learned.filter(|(_, share)| *share > 0.0);
        say(match (outcome.smallest_class, learned) {
            (1, _) if !has_crowds => {
                "It is not safe for readers who know the blurred columns about a person. "
                    .to_owned()
            }
            (_, None) => {
                "It is safe for readers who know about a person no more than the blurred columns. "
                    .to_owned()
            }
            (_, Some((column, share))) => format!(
                "Readers who know about a person no more than the blurred columns cannot tell which row is theirs. But for \
                 {} of the rows they learn `{}`, since all people who look alike have the same value of it. ",
                percent_in_words(*share),
                column.replace('`', "'")
            ),
        });
        say(
            "It is not safe for readers who also know something in the columns published as they are, or who have another \
             release of the same people."
                .to_owned(),
        );
        html.push(element("p", text));
        let warnings = outcome.exposed.warnings.len() as u64;
        let broken = self.certificate.reached.rules.iter();
        let broken = broken.filter(|rule| !rule.kept).count() as u64;
        let mut notes = Html::default();
        if warnings > 0 {
            let mut note = Html::text(format!(
                "The check found {} to read before publishing: see ",
                count(warnings, "warning", "warnings")
            ));
            note.push(with(
                "a",
                &[("href", "#protected")],
                Html::text("what is protected"),
            ));
            note.push(Html::text("."));
            notes.push(element("p", note));
        }
        if broken > 0 {
            let note = format!(
                "{} of experts could not be kept.",
                count(broken, "rule", "rules")
            );
            notes.push(paragraph(note));
        }
        for note in &outcome.notes {
            notes.push(paragraph(format!("Note: {note}.")));
        }
        if !notes.is_empty() {
            html.push(with("div", &[("class", "note")], notes));
        }
        html
    }

    fn glossary(&self) -> Html {
        let request = &self.certificate.request;
        let promises = self.facts.promises.iter();
        let mut html = paragraph("The words of this page. `incrowd explain NAME` prints the same.");
        html.push(terms(
            (TERMS.into_iter().map(|term| (Family::Term, term)))
                .chain([(Family::Term, shape(&self.outcome.recoding).1)])
                .chain(promises.map(|promise| (Family::Model, promise.model)))
                .chain([(Family::Algorithm, request.algorithm.as_str())])
                .chain([(Family::Metric, bare(&request.metric))]),
        ));
        html
    }
}

/// Which rules are kept. The values they name need not be in the release, so rules are numbered.
fn rules_kept(rules: &[RuleKept]) -> Html {
    let mut html = paragraph(
        "Experts said which values must stay apart in the release, and how important that is. A rule is kept if no published \
         value stands for values of both sides. Rules are numbered here, since the values they name need not be in the \
         release; the fingerprint (SHA-256) of its text says which rule it is to those who know it.",
    );
    let mut of_column: Vec<(&str, usize)> = Vec::new();
    let rows = rules.iter().map(|RuleKept { rule, kept }| {
        let at = match of_column.iter_mut().find(|(name, _)| *name == rule.column) {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                of_column.push((&rule.column, 1));
                1
            }
        };
        let importance = rule.importance.0;
        vec![
            Cell::text(format!("{}, rule {at}", rule.column)),
            Cell::number(importance, importance.to_string()),
            Cell::text(if *kept { "kept" } else { "broken" }),
            Cell::Words {
                shown: element("code", Html::text(&rule.rule)),
                key: rule.rule.clone(),
            },
        ]
    });
    let rows = rows.collect();
    html.push(
        Table {
            caption: "Every rule, in the order in which they were given".into(),
            heads: vec![
                Head::words("Rule", Html::default()),
                Head::numbers("Importance", Html::default()),
                Head::words("In the release", Html::default()),
                Head::words("Fingerprint", Html::default()),
            ],
            rows,
        }
        .finish_stacking(),
    );
    html
}
