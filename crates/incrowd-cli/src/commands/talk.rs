//! Lines in, text out: the basis of every dialogue, in a terminal and in tests alike.

use incrowd_job::Error;
use std::io::{BufRead, ErrorKind, Write};

/// The two ends of a dialogue.
pub(super) struct Talk<R, W> {
    input: R,
    output: W,
}

impl<R: BufRead, W: Write> Talk<R, W> {
    pub(super) fn new(input: R, output: W) -> Self {
        Talk { input, output }
    }

    pub(super) fn say(&mut self, text: &str) -> Result<(), Error> {
        let written = self.output.write_all(text.as_bytes());
        let written = written.and_then(|()| self.output.flush());
        written.map_err(|error| Error::Answers { kind: error.kind() })
    }

    /// The next line, without surrounding whitespace; none at the end.
    pub(super) fn listen(&mut self) -> Result<Option<String>, Error> {
        let mut line = String::new();
        loop {
            self.say("> ")?;
            match self.input.read_line(&mut line) {
                Ok(0) => {
                    self.say("\n")?;
                    return Ok(None);
                }
                Ok(_) => return Ok(Some(line.trim().to_owned())),
                Err(error) if error.kind() == ErrorKind::InvalidData => {
                    self.say("not valid UTF-8 text\n")?;
                }
                Err(error) => return Err(Error::Requests { kind: error.kind() }),
            }
        }
    }
}
