//! The dialogue of `incrowd advise`: as many questions as the data holder can answer, each word explained.
//!
//! What the flags already say is not asked. An empty line means "no matter". No cell of the table is shown, only names of
//! columns.

use super::talk::Talk;
use crate::args::Expertise;
use crate::render::text;
use incrowd_core::advisor::{Quality, Use};
use incrowd_core::algorithms::{Generalization, PROPERTIES, Property};
use incrowd_job::{AdviseOptions, CandidateTarget, Error, TargetKind, explain};
use std::io::{BufRead, Write};

/// What was answered.
#[derive(Debug)]
pub(super) struct Answers {
    pub(super) options: AdviseOptions,
    /// The column to be predicted.
    pub(super) target: Option<String>,
}

/// Asks what the flags do not say.
pub(super) fn ask<R: BufRead, W: Write>(
    input: R,
    output: W,
    expertise: Option<Expertise>,
    options: AdviseOptions,
    candidates: &[CandidateTarget],
) -> Result<Answers, Error> {
    let mut asking = Asking {
        talk: Talk::new(input, output),
    };
    let mut options = options;
    let mut target = None;
    let line = "answer with a number or a word; an empty line means that it does not matter; `quit` ends\n";
    asking.talk.say(line)?;
    let levels = [
        ("novice", Expertise::Novice),
        ("practitioner", Expertise::Practitioner),
        ("expert", Expertise::Expert),
    ];
    let expertise = match expertise {
        Some(expertise) => expertise,
        None => {
            let question = "How much do you know about anonymization?";
            let answer = asking.choose(question, "--expertise", &levels)?;
            answer.unwrap_or(Expertise::Novice)
        }
    };
    if options.usage.is_none() {
        let question = "What will the release be used for?";
        options.usage = asking
            .choose(question, "--use", &Use::ALL)?
            .or(Some(Use::Any));
    }
    let kind = match options.usage {
        Some(Use::Classification) => Some(TargetKind::Classes),
        Some(Use::Regression) => Some(TargetKind::Numbers),
        _ => None,
    };
    if let Some(kind) = kind {
        target = asking.target(candidates, kind)?;
    }
    if expertise == Expertise::Novice {
        asking.talk.say("\n")?;
        return Ok(Answers { options, target });
    }
    if options.quality.is_none() {
        let question = "How good must the release be?";
        options.quality = asking.choose(question, "--quality", &Quality::ALL)?;
    }
    if options.generalization.is_none() {
        let question = "How may values be made coarser?";
        let kinds = [
            Generalization::FullDomain,
            Generalization::Cuts,
            Generalization::Partitions,
            Generalization::Regions,
        ];
        let kinds = kinds.map(|kind| (kind.name(), kind));
        options.generalization = asking.choose(question, "--generalization", &kinds)?;
    }
    if options.may_suppress.is_none() {
        let question = "May a few unusual rows be left out?";
        let answers = [("yes", true), ("no", false)];
        options.may_suppress = asking.choose(question, "--may-suppress", &answers)?;
    }
    if expertise == Expertise::Expert {
        asking.properties(&mut options.properties)?;
    }
    asking.talk.say("\n")?;
    Ok(Answers { options, target })
}

struct Asking<R, W> {
    talk: Talk<R, W>,
}

impl<R: BufRead, W: Write> Asking<R, W> {
    /// One of a few words, each explained; none if it does not matter.
    fn choose<T: Copy>(
        &mut self,
        question: &str,
        flag: &str,
        answers: &[(&str, T)],
    ) -> Result<Option<T>, Error> {
        self.talk.say(&format!("\n{question}\n"))?;
        for (at, (word, _)) in answers.iter().enumerate() {
            let meaning = meaning(flag, word);
            let line = format!("  {}  {word:<15} {meaning}", at + 1);
            self.talk.say(&text::line(line))?;
        }
        let names: Vec<&str> = answers.iter().map(|(word, _)| *word).collect();
        let chosen = self.listen(&names)?;
        Ok(chosen.map(|at| answers[at].1))
    }

    /// The column to be predicted; none if it does not matter, or if no column could be.
    fn target(
        &mut self,
        candidates: &[CandidateTarget],
        kind: TargetKind,
    ) -> Result<Option<String>, Error> {
        let suited: Vec<&str> = (candidates.iter())
            .filter(|candidate| candidate.kind == kind)
            .map(|candidate| candidate.name.as_str())
            .collect();
        if suited.is_empty() {
            return Ok(None);
        }
        self.talk.say("\nWhich column will be predicted?\n")?;
        for (at, name) in suited.iter().enumerate() {
            self.talk
                .say(&text::line(format!("  {}  {name}", at + 1)))?;
        }
        let chosen = self.listen(&suited)?;
        Ok(chosen.map(|at| suited[at].to_owned()))
    }

    /// Properties, one on each line, until an empty one.
    fn properties(&mut self, wanted: &mut Vec<String>) -> Result<(), Error> {
        self.talk.say(
            "\nWhich properties must the algorithm have? One on each line, such as overlap=no:\n",
        )?;
        for property in PROPERTIES {
            let values = property.values.join("|");
            let line = format!("  {}={values}: {}", property.name, property.help);
            self.talk.say(&text::line(line))?;
        }
        while let Some(line) = self.talk.listen()? {
            if line.is_empty() {
                return Ok(());
            }
            if is_end(&line) {
                return Err(Error::DialogueEnded);
            }
            let known = line.split_once('=').and_then(|(name, value)| {
                let property = Property::named(name.trim())?;
                property.values.contains(&value.trim()).then_some(())
            });
            match known {
                Some(()) => wanted.push(line),
                None => self
                    .talk
                    .say("not a property with one of its values; an empty line goes on\n")?,
            }
        }
        Ok(())
    }

    /// Which of some names is meant, by number or by name; none for an empty line or at the end of the input.
    fn listen(&mut self, names: &[&str]) -> Result<Option<usize>, Error> {
        while let Some(line) = self.talk.listen()? {
            if line.is_empty() {
                return Ok(None);
            }
            let named = names.iter().position(|name| *name == line);
            let numbered = || {
                let number: usize = line.parse().ok()?;
                (1..=names.len()).contains(&number).then(|| number - 1)
            };
            // A column may be called 2, so names are tried first.
            if let Some(at) = named.or_else(numbered) {
                return Ok(Some(at));
            }
            if is_end(&line) {
                return Err(Error::DialogueEnded);
            }
            self.talk.say(
                "not one of the answers; give a number, or an empty line if it does not matter\n",
            )?;
        }
        Ok(None)
    }
}

fn is_end(line: &str) -> bool {
    ["quit", "exit", "q"].contains(&line)
}

/// What a word means for a flag, in one sentence.
fn meaning(flag: &str, word: &str) -> String {
    let entries = explain(Some(word))
        .map(|found| found.entries)
        .unwrap_or_default();
    let entry = entries.into_iter().find(|entry| entry.text.contains(flag));
    entry.map(|entry| entry.summary).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates() -> Vec<CandidateTarget> {
        let candidate = |name: &str, kind| CandidateTarget {
            name: name.into(),
            kind,
            values: 3,
        };
        vec![
            candidate("disease", TargetKind::Classes),
            candidate("days", TargetKind::Numbers),
            candidate("2", TargetKind::Classes),
        ]
    }

    fn answered(lines: &str) -> (Result<Answers, Error>, String) {
        let mut said = Vec::new();
        let options = AdviseOptions::default();
        let answers = ask(lines.as_bytes(), &mut said, None, options, &candidates());
        (answers, String::from_utf8(said).unwrap())
    }

    #[test]
    fn a_novice_is_asked_for_the_use_and_the_target_only() {
        let (answers, said) = answered("novice\nclassification\n1\n");
        let answers = answers.unwrap();
        assert_eq!(answers.options.usage, Some(Use::Classification));
        assert_eq!(answers.target.as_deref(), Some("disease"));
        assert_eq!(said.matches('?').count(), 3, "{said}");
        let (answers, _) = answered("\n\n");
        assert_eq!(answers.unwrap().options.usage, Some(Use::Any));
    }

    #[test]
    fn an_expert_is_asked_for_everything_and_slips_are_forgiven() {
        let lines = "3\n1\n2\nperhaps\n1\nno\noverlap=maybe\noverlap=no\n\n";
        let (answers, said) = answered(lines);
        let options = answers.unwrap().options;
        assert_eq!(options.quality, Some(Quality::Good));
        assert_eq!(options.generalization, Some(Generalization::FullDomain));
        assert_eq!(options.may_suppress, Some(false));
        assert_eq!(options.properties, ["overlap=no"]);
        assert!(said.contains("not one of the answers"), "{said}");
        assert!(said.contains("not a property"), "{said}");
    }

    #[test]
    fn a_column_is_found_by_its_name_before_its_number() {
        let (answers, _) = answered("1\n2\n2\n");
        assert_eq!(answers.unwrap().target.as_deref(), Some("2"));
    }

    #[test]
    fn every_word_of_a_question_is_explained() {
        let (_, said) = answered("2\n1\n1\n1\n1\n");
        let options = said.lines().filter(|line| {
            line.trim_start()
                .starts_with(|first: char| first.is_ascii_digit())
        });
        let unexplained: Vec<&str> = options.filter(|line| !line.ends_with('.')).collect();
        assert!(unexplained.is_empty(), "{unexplained:?}");
    }

    #[test]
    fn whoever_quits_is_given_no_advice() {
        let (answers, _) = answered("quit\n");
        assert!(matches!(answers, Err(Error::DialogueEnded)));
    }
}
