//! The dialogue of `incrowd negotiate`: ask, change the request, agree.
//!
//! A loop over lines in and text out, so that it runs in a terminal and in tests alike. An invalid request is refused
//! with a hint, and the previous request stays in force. Nothing is written until the user names a file, and a release
//! is made the same way as by `anonymize`, check included.

use super::talk::Talk;
use crate::RELAXED;
use crate::render::{negotiation, text};
use incrowd_job::{
    Budget, Control, Error, Job, Negotiated, Negotiation, Offered, Others, Show, Terms, Wish,
    anonymize, write_job,
};
use std::io::{BufRead, Write};
use std::path::Path;

const HELP: &str = "\
  1, 2, 3             accept the offer with this number
  {parameter} N{pad}change the privacy parameter
  suppress 1%         change how many rows may be suppressed: a number or a share
  levels age=2        change how far a column may be generalized; also `2,1,1` for all, or `any`
  model NAME(...)     use another privacy model, such as entropy-l-diversity(l=3)
  metric NAME         metric to minimize, instead of the height
  curve, history      show the curve, or the requests so far
  write job.toml      write the agreed job file
  release safe.csv    make the agreed release; add a name such as proof.json for its certificate
  others drop|keep    what to do with columns that have no role
  help, quit
";

/// A negotiation under way.
pub(super) struct Dialogue<'s, R, W> {
    session: &'s Negotiation,
    control: &'s Control,
    talk: Talk<R, W>,
    wish: Wish,
    answer: Negotiated,
    taken: Option<(Wish, Offered)>,
    history: Vec<String>,
    /// What to do with columns that have no role; as in the job when not given.
    others: Option<Others>,
}

/// Whether the dialogue goes on.
enum Next {
    Listen,
    Quit,
}

/// Answers the first request, then follows the lines of `input`. The exit code is that of the last answer.
pub(super) fn run<W: Write>(
    session: &Negotiation,
    control: &Control,
    input: impl BufRead,
    output: W,
) -> Result<u8, Error> {
    let wish = session.wish_of_job()?;
    let answer = session.ask(&wish, control)?;
    let mut dialogue = Dialogue {
        session,
        control,
        talk: Talk::new(input, output),
        wish,
        answer,
        taken: None,
        history: Vec::new(),
        others: None,
    };
    dialogue.remember();
    dialogue.show_curve()?;
    dialogue.show_answer()?;
    dialogue.say_what_lacks_a_role()?;
    dialogue.say("type `help` for a list of commands\n")?;
    while let Some(line) = dialogue.talk.listen()? {
        match dialogue.obey(&line) {
            Ok(Next::Listen) => {}
            Ok(Next::Quit) => break,
            Err(error @ (Error::Cancelled | Error::Answers { .. })) => return Err(error),
            Err(error) => dialogue.say(&text::error(&error))?,
        }
        control.check()?;
    }
    Ok(code(&dialogue.answer))
}

/// The exit code of an answer.
pub(super) fn code(answer: &Negotiated) -> u8 {
    match answer.terms {
        Terms::Exact { .. } => 0,
        Terms::Relaxed { .. } => RELAXED,
    }
}

impl<R: BufRead, W: Write> Dialogue<'_, R, W> {
    fn say(&mut self, text: &str) -> Result<(), Error> {
        self.talk.say(text)
    }

    /// Executes one line.
    fn obey(&mut self, line: &str) -> Result<Next, Error> {
        let (word, rest) = match line.split_once(char::is_whitespace) {
            Some((word, rest)) => (word, rest.trim()),
            None => (line, ""),
        };
        let parameter = self.parameter_name()?;
        let mut wish = self.wish.clone();
        match word {
            "" => self.show_answer()?,
            "quit" | "exit" | "q" => return Ok(Next::Quit),
            "help" | "?" => {
                let pad = " ".repeat(18usize.saturating_sub(parameter.len()));
                let help = HELP.replace("{parameter}", parameter);
                self.say(&help.replace("{pad}", &pad))?;
            }
            "curve" => self.show_curve()?,
            "history" => {
                let history: String = self.history.iter().map(text::line).collect();
                self.say(&history)?;
            }
            "write" => self.write(rest)?,
            "release" => self.release(rest)?,
            "others" => match rest {
                "drop" => self.others = Some(Others::Drop),
                "keep" => self.others = Some(Others::Keep),
                _ => self.say("type `others drop` or `others keep`\n")?,
            },
            "suppress" => {
                let budget: Budget = rest.parse()?;
                wish.max_suppressed = Some(budget);
                self.ask(wish)?;
            }
            "levels" => {
                let columns: Vec<(&str, u8)> = self.session.ground().quasi_identifiers().collect();
                wish.set_levels(rest, &columns)?;
                self.ask(wish)?;
            }
            "model" => {
                wish.model = rest.to_owned();
                wish.parameter = None;
                self.ask(wish)?;
            }
            "metric" => {
                wish.metric = Some(rest.to_owned());
                self.ask(wish)?;
            }
            word if word == parameter => {
                wish.set_parameter(rest.trim_start_matches('=').trim())?;
                self.ask(wish)?;
            }
            word => match word.parse::<usize>() {
                Ok(number) if rest.is_empty() => self.take(number)?,
                _ => self.say("unknown command; type `help` for a list\n")?,
            },
        }
        Ok(Next::Listen)
    }

    /// The name of the privacy model's parameter.
    fn parameter_name(&self) -> Result<&'static str, Error> {
        Ok(self.wish.spec()?.entry().settings[0].name)
    }

    /// Makes a request; an invalid one leaves the previous one in force.
    fn ask(&mut self, wish: Wish) -> Result<(), Error> {
        let answer = self.session.ask(&wish, self.control)?;
        self.wish = wish;
        self.answer = answer;
        self.taken = None;
        self.remember();
        self.show_answer()
    }

    /// Better said at the start of a long dialogue than at its end.
    fn say_what_lacks_a_role(&mut self) -> Result<(), Error> {
        let ground = self.session.ground();
        match (ground.without_role().len(), ground.job().columns.others) {
            (0, _) | (_, Some(_)) => Ok(()),
            (columns, None) => self.say(&format!(
                "columns: {columns} without a role; before a release, type `others drop` or `others keep`\n"
            )),
        }
    }

    /// The job of the offer taken.
    fn job(&self, wish: &Wish, offer: &Offered) -> Job {
        let mut job = self.session.ground().agreed(wish, offer);
        job.columns.others = self.others.or(job.columns.others);
        job
    }

    fn remember(&mut self) {
        let number = self.history.len() + 1;
        let line = format!(
            "{number:>3}  {}: {}",
            negotiation::wish(&self.wish),
            negotiation::summary(&self.answer.terms)
        );
        self.history.push(line);
    }

    fn show_curve(&mut self) -> Result<(), Error> {
        let curve = self.session.curve(&self.wish, self.control)?;
        self.say(&format!("{}\n", negotiation::curve(&curve)))
    }

    fn show_answer(&mut self) -> Result<(), Error> {
        let wish = negotiation::wish(&self.wish);
        let answer = negotiation::answer(&self.answer);
        let wish = text::line(format!("request: {wish}"));
        self.say(&format!("{wish}{answer}"))
    }

    fn take(&mut self, number: usize) -> Result<(), Error> {
        let offer = match &self.answer.terms {
            Terms::Exact { answer } => (number == 1).then_some(answer),
            Terms::Relaxed {
                more_suppression,
                higher_levels,
                weaker_privacy,
            } => match number {
                1 => more_suppression.as_ref(),
                2 => higher_levels.as_ref(),
                3 => weaker_privacy.as_ref(),
                _ => None,
            },
        };
        // An offer that leaves no rows is not a release, and is not shown as an offer either.
        let Some(offer) = offer.filter(|offer| offer.classes > 0).cloned() else {
            return self.say("there is no offer with that number\n");
        };
        self.taken = Some((self.wish.clone(), offer));
        self.say(&format!(
            "offer {number} accepted; `write job.toml` saves it as a job, `release safe.csv` makes the release\n"
        ))
    }

    /// The offer accepted; if there is only one, it need not be accepted first.
    fn agreed(&self) -> Option<(Wish, Offered)> {
        self.taken.clone().or_else(|| match &self.answer.terms {
            Terms::Exact { answer } => Some((self.wish.clone(), answer.clone())),
            Terms::Relaxed { .. } => None,
        })
    }

    fn write(&mut self, path: &str) -> Result<(), Error> {
        let Some((wish, offer)) = self.agreed() else {
            return self.say("accept an offer first: type its number\n");
        };
        if path.is_empty() || path == "-" {
            return self.say("name a file, as in `write job.toml`\n");
        }
        let job = self.job(&wish, &offer);
        write_job(&job, Path::new(path))?;
        self.say(&text::line(format!(
            "written; `incrowd anonymize --job {path} -o safe.csv` makes the release"
        )))
    }

    fn release(&mut self, names: &str) -> Result<(), Error> {
        let Some((wish, offer)) = self.agreed() else {
            return self.say("accept an offer first: type its number\n");
        };
        let mut names = names.split_whitespace();
        let (Some(path), certificate) = (names.next().filter(|path| *path != "-"), names.next())
        else {
            return self.say("name a file, as in `release safe.csv`\n");
        };
        let mut job = self.job(&wish, &offer);
        job.output.path = Some(path.to_owned());
        job.output.certificate = certificate.map(Into::into);
        let outcome = anonymize(&job, Show::default(), self.control)?;
        self.say(&text::outcome(&outcome))
    }
}

#[cfg(test)]
mod tests;
