//! The dialogue of `incrowd anonymize` for an algorithm that leaves choices to the data holder.
//!
//! Before each choice it shows the current state of the table and what raising each column would do: numbers and the
//! names of columns and levels, never cells.

use super::talk::Talk;
use crate::render::{choices, text};
use incrowd_job::{Choice, Chooser, Decision, Error, View};
use std::io::{BufRead, Write};

const HELP: &str = "  age, or 1           raise the column with this name or number by one level
  suppress            suppress the violating rows and make the release
  undo                undo the last step
  help, quit
";

/// The data holder.
pub(super) struct DataHolder<R, W> {
    talk: Talk<R, W>,
    is_new: bool,
}

impl<R: BufRead, W: Write> DataHolder<R, W> {
    pub(super) fn new(input: R, output: W) -> Self {
        DataHolder {
            talk: Talk::new(input, output),
            is_new: true,
        }
    }
}

impl<R: BufRead, W: Write> Chooser for DataHolder<R, W> {
    fn choose(&mut self, view: &View) -> Result<Decision, Error> {
        self.talk.say(&choices::view(view))?;
        if std::mem::take(&mut self.is_new) {
            self.talk.say("type `help` for a list of commands\n")?;
        }
        while let Some(line) = self.talk.listen()? {
            let names = view.attributes.iter();
            let mut named = names.map(|attribute| attribute.name == line);
            let numbered = || {
                let number: usize = line.parse().ok()?;
                let attributes = 1..=view.attributes.len();
                attributes.contains(&number).then(|| number - 1)
            };
            // Every column must be reachable by its name, so names are tried before commands.
            if let Some(attribute) = named.position(|is_it| is_it).or_else(numbered) {
                return Ok(Decision::Choose(Choice::Raise(attribute)));
            }
            match line.as_str() {
                "" => self.talk.say(&choices::view(view))?,
                "suppress" => return Ok(Decision::Choose(Choice::Suppress)),
                "undo" => return Ok(Decision::Undo),
                "help" | "?" => self.talk.say(HELP)?,
                "quit" | "exit" | "q" => break,
                _ => {
                    let text = "not a column or command; type `help` for a list\n";
                    self.talk.say(text)?;
                }
            }
        }
        Err(Error::DialogueEnded)
    }

    fn refused(&mut self, error: &Error) -> Result<(), Error> {
        self.talk.say(&text::error(error))
    }
}

#[cfg(test)]
mod tests;
