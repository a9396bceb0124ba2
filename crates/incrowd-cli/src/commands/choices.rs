//! The dialogue of `incrowd anonymize` with an algorithm that leaves the choices to the data holder.
//!
//! Before each choice it shows where the table stands and what raising each column would do: numbers and the names of
//! columns and levels, never cells.

use super::talk::Talk;
use crate::render::{choices, text};
use incrowd_job::{Choice, Chooser, Decision, Error, View};
use std::io::{BufRead, Write};

const HELP: &str = "  age, or 1           raise the column of this name or number by one level
  suppress            leave out the rows that violate, and make the release
  undo                take the last step back
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
            self.talk.say("`help` lists what you can do\n")?;
        }
        while let Some(line) = self.talk.listen()? {
            let names = view.attributes.iter();
            let mut named = names.map(|attribute| attribute.name == line);
            let numbered = || {
                let number: usize = line.parse().ok()?;
                let attributes = 1..=view.attributes.len();
                attributes.contains(&number).then(|| number - 1)
            };
            // Some word must be able to name every column, so names come before everything else.
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
                    let text =
                        "that is neither a column nor something I can do; `help` lists what is\n";
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
