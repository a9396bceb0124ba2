//! Lines of JSON in, one line of JSON out for each.

use super::{Negotiation, Terms};
use crate::error::Error;
use crate::report::visible::visible_json;
use crate::run::control::Control;
use serde::Serialize;
use std::io::{BufRead, ErrorKind, Read, Write};

/// A longer line is not a request.
const LONGEST_LINE: u64 = 1 << 20;

/// How the lines were answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BatchSummary {
    /// Requests met exactly.
    pub exact: u64,
    /// Requests answered with relaxations.
    pub relaxed: u64,
    /// Lines that are not a request, or an invalid one.
    pub refused: u64,
}

/// Answers every line of `input` with a line on `output` immediately, so that a program can hold a dialogue. Blank
/// lines are skipped. A line that cannot be answered gets an object with `line` and `error`, and the next is read.
pub fn answer_lines(
    negotiation: &Negotiation,
    control: &Control,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<BatchSummary, Error> {
    let mut summary = BatchSummary::default();
    let mut bytes = Vec::new();
    for number in 1u64.. {
        bytes.clear();
        let read = (&mut input)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut bytes);
        if read.map_err(|error| Error::Requests { kind: error.kind() })? == 0 {
            break;
        }
        let is_whole = bytes.last() == Some(&b'\n') || (bytes.len() as u64) < LONGEST_LINE;
        if !is_whole {
            skip_line(&mut input)?;
        }
        let answer = match (is_whole, std::str::from_utf8(&bytes)) {
            (true, Ok(text)) if text.trim().is_empty() => continue,
            (true, Ok(text)) => (negotiation.ground().read_wish(text.trim()))
                .and_then(|wish| negotiation.ask(&wish, control)),
            (true, Err(_)) => Err(Error::RequestLine {
                message: "the line is not UTF-8 text".into(),
            }),
            (false, _) => Err(Error::RequestLine {
                message: "the line is too long".into(),
            }),
        };
        let line = match answer {
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Ok(answer) => {
                match answer.terms {
                    Terms::Exact { .. } => summary.exact += 1,
                    Terms::Relaxed { .. } => summary.relaxed += 1,
                }
                json(&answer)
            }
            Err(error) => {
                summary.refused += 1;
                json(&serde_json::json!({
                    "version": crate::VERSION,
                    "line": number,
                    "error": {
                        "code": error.code(),
                        "message": error.to_string(),
                        "place": error.place(),
                        "hint": error.hint(),
                    },
                }))
            }
        };
        let printed = writeln!(output, "{line}").and_then(|()| output.flush());
        match printed {
            Ok(()) => {}
            // The reader has seen enough.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
            Err(error) => return Err(Error::Answers { kind: error.kind() }),
        }
    }
    Ok(summary)
}

fn skip_line(input: &mut impl BufRead) -> Result<(), Error> {
    loop {
        let buffer = input
            .fill_buf()
            .map_err(|error| Error::Requests { kind: error.kind() })?;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let (used, is_done) = match end {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        if is_done {
            return Ok(());
        }
    }
}

fn json(document: &impl Serialize) -> String {
    let text = serde_json::to_string(document).expect("plain data is always JSON");
    visible_json(&text).into_owned()
}
